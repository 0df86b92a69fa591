// SPDX-License-Identifier: BSD-3-Clause
// Assembly: a rough guess to a closed mechanism with consistent velocities, and the sentences where that is impossible.
#include "dynamics/assembly.h"

#include <float.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

static const double closed = 1e-12;  // in units of the rows (assembly.h): nothing to do
static const double enough = 1e-9;   // closed for all purposes: projection does the rest

enum { WORDS = 300 };

// ---- sentences

typedef struct words {
    char text[WORDS];
    int  length, count;
} words;

static void add_name(words* w, const char* name)
{
    if (w->length > WORDS - 80) {
        if (w->length < WORDS - 8) w->length += snprintf(w->text + w->length, 8, ", ...");
        w->length = WORDS;
        return;
    }
    w->length += snprintf(w->text + w->length, (size_t)(WORDS - w->length), "%s'%.60s'", w->count++ ? ", " : "", name);
}

static bool on_way(const cardan_model* m, int link, int joint)
{
    for (; link >= 0; link = m->link[link].parent)
        if (m->link[link].joint == joint) return true;
    return false;
}

// Whether the joint is in the loop that the constraint closes: on the way of one end to ground but not of all.
static bool in_loop(const cardan_model* m, const cd_constraint* c, int joint)
{
    int ends = 0;
    for (int n = 0; n < c->nend; ++n) ends += on_way(m, c->end[n].link, joint);
    return c->joint == joint || (ends > 0 && ends < c->nend);
}

static words loop_words(const cardan_model* m, const cd_constraint* c)
{
    words w = {0};
    for (int j = 0; j < m->njoint; ++j)
        if (j != c->joint && in_loop(m, c, j)) add_name(&w, m->joint[j].name);
    add_name(&w, c->name);
    return w;
}

// The row that is open most: its constraint, its gap and unit.
typedef struct gap {
    const cd_constraint* c;
    double               size;
    const char*          unit;
} gap;

static void look_at(const cd_assembly* a, const cd_constraint* c, const spatial* G, int first_row, double* most, gap* g)
{
    for (int k = 0; k < c->nrow; ++k) {
        const double size = fabs(a->c[first_row + k]);
        if (size <= *most) continue;
        const vec3 l = G[k * c->nend].l;
        *most        = size;
        *g           = (gap){c, size * a->row_unit[first_row + k], v3_dot(l, l) > 0 ? "m" : "rad"};
    }
}

static gap widest_gap(const cd_assembly* a)
{
    const cd_closure* closure = &a->d->closure;
    gap               g       = {0};
    double            most    = -1;
    for (int i = 0; i < closure->nconstraint; ++i)
        look_at(a, &closure->constraint[i], closure->equations[i].G, closure->constraint[i].first_row, &most, &g);
    for (int i = 0; i < a->nheld; ++i) look_at(a, &a->held[i].c, a->held[i].e.G, closure->nrow + a->held[i].c.first_row, &most, &g);
    return g;
}

static bool is_exact(const cd_assembly* a, int j)
{
    return (a->velocities ? a->start[j].velocity : a->start[j].position) == CARDAN_HOLD_EXACT;
}

static words exact_words(const cd_assembly* a, const cd_constraint* c)
{
    words w = {0};
    for (int j = 0; j < a->d->m->njoint; ++j)
        if (is_exact(a, j) && in_loop(a->d->m, c, j)) add_name(&w, a->d->m->joint[j].name);
    return w;
}

static cardan_status fail_open(const cd_assembly* a, gap g, cardan_report* report)
{
    const words loop = loop_words(a->d->m, g.c);
    return cardan_fail(report, CARDAN_INCONSISTENT, g.c->place,
                       "the loop of joints %s cannot be closed: a gap of %.3g %s remains at '%s'; check the lengths in it, or start nearer to a "
                       "pose that closes",
                       loop.text, g.size, g.unit, g.c->name);
}

static cardan_status fail_contradiction(const cd_assembly* a, gap g, cardan_report* report)
{
    const words loop = loop_words(a->d->m, g.c), exact = exact_words(a, g.c);
    const char* what = a->velocities ? "velocity" : "position";
    if (exact.count == 1)
        return cardan_fail(report, CARDAN_INCONSISTENT, g.c->place,
                           "joint %s cannot have its exact start %s: %.3g %s%s remain at '%s' in the loop of joints %s; correct it, or mark it "
                           "`guess: true`",
                           exact.text, what, g.size, g.unit, a->velocities ? "/s" : "", g.c->name, loop.text);
    return cardan_fail(report, CARDAN_INCONSISTENT, g.c->place,
                       "joints %s cannot all have their exact start %s: %.3g %s%s remain at '%s'; mark what may move `guess: true`", exact.text,
                       what, g.size, g.unit, a->velocities ? "/s" : "", g.c->name);
}

// ---- the two levels

// Where exact values are in the way, the loops close once they are released.
static cardan_status tell_positions(cd_assembly* a, cardan_report* report)
{
    const gap g = widest_gap(a);
    cd_assembly_choose(a, false, true);
    const double left = cd_assembly_close_positions(a);
    if (exact_words(a, g.c).count > 0 && left <= enough) return fail_contradiction(a, g, report);
    cd_assembly_residual(a, a->c);
    return fail_open(a, widest_gap(a), report);
}

static cardan_status close_positions(cd_assembly* a, cardan_report* report)
{
    cd_assembly_choose(a, false, false);
    if (cd_assembly_residual(a, a->c) <= closed) return CARDAN_OK;
    const double left = cd_assembly_close_positions(a);
    if (left > enough) return tell_positions(a, report);
    cd_assembly_return(a);
    return CARDAN_OK;
}

static double fastest(const cardan_data* d)
{
    double most = 1;
    for (int i = 0; i < d->m->nv; ++i) most = fmax(most, fabs(d->v[i]));
    return most;
}

static cardan_status close_velocities(cd_assembly* a, cardan_report* report)
{
    cd_assembly_choose(a, true, false);
    const double speed = fastest(a->d);
    if (cd_assembly_residual(a, a->c) <= closed * speed) return CARDAN_OK;
    if (cd_assembly_close_velocities(a) <= enough * speed) return CARDAN_OK;
    const gap g = widest_gap(a);
    if (exact_words(a, g.c).count > 0) return fail_contradiction(a, g, report);
    const words loop = loop_words(a->d->m, g.c);
    return cardan_fail(report, CARDAN_INCONSISTENT, g.c->place, "the velocities of the loop of joints %s contradict each other: %.3g %s/s remain at '%s'",
                       loop.text, g.size, g.unit, g.c->name);
}

cardan_status cardan_assemble(cardan_data* d, const cardan_start* start, double* q, double* v, cardan_assembled* done, cardan_report* report)
{
    cardan_assembled found  = {0};
    cardan_status    status = CARDAN_OK;
    cd_assembly      a      = {0};
    if (d->rows.nrow > 0) {
        if (!cd_assembly_fits(d->m, d->rows.nrow))
            status = cardan_project(d, NULL, NULL, NULL, NULL, report);
        else if (!cd_assembly_open(&a, d, start))
            status = cardan_fail(report, CARDAN_NO_MEMORY, cardan_nowhere(), "no memory to assemble '%s'", d->m->view.name);
        else {
            cardan_closure_error(d, &found.position, &found.velocity);
            status = close_positions(&a, report);
            if (status == CARDAN_OK) status = close_velocities(&a, report);
            found.iterations = a.iterations;
        }
        cd_assembly_end(&a);
    }
    cardan_closure_error(d, &found.position_left, &found.velocity_left);
    if (q) memcpy(q, d->q, (size_t)d->m->nq * sizeof *q);
    if (v) memcpy(v, d->v, (size_t)d->m->nv * sizeof *v);
    if (done) *done = found;
    return status;
}
