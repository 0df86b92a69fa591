// SPDX-License-Identifier: BSD-3-Clause
// Assembly: a rough guess to a closed mechanism with consistent velocities, and the sentences where that is impossible.
#include "dynamics/assembly.h"
#include "dynamics/bearing.h"
#include "dynamics/curve_branch.h"
#include "dynamics/law_breaks.h"
#include "math/largest.h"

#include <cardan/kinematics.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

static const double closed = 1e-12; // in units of the rows (assembly.h): nothing to do
static const double enough = 1e-9;  // closed for all purposes: projection does the rest
static const double had    = 5e-10; // velocities; beyond that the doctor and what solves take a row for one that counts
static const double drawn  = 1e-6;  // [lengths, rad] a gap of the drawing, no rounding of it
static const double law_rounding = 1e-3; // of enough: rates of laws below this part of their size are rounding

static const double at_rest = 1e-14; // of the speed that was given

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

// Whether the constraint feels the joint: it is on the way of one end of a pair to ground but not of the other, or
// closes itself.
static bool in_loop(const cardan_model* m, const cd_constraint* c, int joint)
{
    for (int n = 0; n + 1 < c->nend; n += 2)
        if (on_way(m, cd_end_at(c, n)->link, joint) != on_way(m, cd_end_at(c, n + 1)->link, joint)) return true;
    return c->joint == joint;
}

// The joint on both ways from the ends to ground that is nearest to them: the loop ends before it.
static int root_of_loop(const cardan_model* m, const cd_constraint* c)
{
    int i = cd_end_at(c, 0)->link, k = cd_end_at(c, 1)->link;
    while (i != k) {
        if (i > k)
            i = m->link[i].parent;
        else
            k = m->link[k].parent;
    }
    return i >= 0 ? m->link[i].joint : CARDAN_NONE;
}

// The i-th link in the loop on the way of an end to ground, -1 behind the last.
static int link_of_loop(const cardan_model* m, const cd_constraint* c, int end, int i)
{
    const int root = root_of_loop(m, c);
    int       link = cd_end_at(c, end)->link;
    for (; link >= 0 && m->link[link].joint != root; link = m->link[link].parent)
        if (i-- == 0) return link;
    return -1;
}

// Joints that a gear, a rod or a driver feels.
static words felt_words(const cardan_model* m, const cd_constraint* c)
{
    words w = {0};
    for (int j = 0; j < m->njoint; ++j)
        if (in_loop(m, c, j)) add_name(&w, m->joint[j].name);
    return w;
}

// Joints around the loop: out to the first end, the joint that closes it, and back from the other end.
static words loop_words(const cardan_model* m, const cd_constraint* c)
{
    words     w     = {0};
    int       count = 0, last = CARDAN_NONE;
    const int root = root_of_loop(m, c);
    for (int link = c->end[0].link; link >= 0 && m->link[link].joint != root; link = m->link[link].parent) ++count;
    for (int i = count - 1; i >= 0 && w.length < WORDS; --i) {
        const int j = m->link[link_of_loop(m, c, 0, i)].joint;
        if (j != last) add_name(&w, m->joint[j].name);
        last = j;
    }
    add_name(&w, c->name);
    for (int i = 0, link; (link = link_of_loop(m, c, 1, i)) >= 0 && w.length < WORDS; ++i) {
        const int j = m->link[link].joint;
        if (j != last) add_name(&w, m->joint[j].name);
        last = j;
    }
    return w;
}

// The constraint that is open most, and by how much in all its directions.
typedef struct gap {
    const cd_constraint* c;
    double               size;
    const char*          unit;
} gap;

// The angle of rows of rotation: couplers have it, Hooke's joint the change of a cosine, all others a chord.
static double angle_of(const cd_constraint* c, double size, double last)
{
    const double d = v3_dot(v3_lift(c->axis[0]), v3_lift(c->axis[1]));
    if (c->coupled) return size;
    if (c->hooke) return fabs(acos(fmax(-1, fmin(1, d + last))) - acos(fmax(-1, fmin(1, d))));
    return 2 * asin(fmin(1, size / 2));
}

static void look_at(const cd_assembly* a, const cd_constraint* c, const spatial* G, int first_row, double* most, gap* g)
{
    for (int turning = 0; turning < 2; ++turning) {
        double units = 0, size = 0, last = 0;
        for (int k = 0; k < c->nrow; ++k) {
            const vec3 l = G[k * c->nend].l;
            if ((v3_dot(l, l) > 0) == turning) continue;
            last = a->c[first_row + k] * a->row_unit[first_row + k];
            units += pow(a->c[first_row + k], 2);
            size += pow(last, 2);
        }
        if (units <= *most) continue;
        *most = units;
        *g    = (gap){c, turning && !a->velocities ? angle_of(c, sqrt(size), last) : sqrt(size), turning ? "rad" : "m"};
    }
}

static gap widest_gap(const cd_assembly* a)
{
    const cd_closure* closure = &a->d->closure;
    gap               g       = {0};
    double            most    = -1;
    for (int i = 0; i < closure->nconstraint; ++i)
        look_at(a, &closure->constraint[i], closure->equations[i].G, closure->constraint[i].first_row, &most, &g);
    for (int i = 0; i < a->nheld; ++i)
        look_at(a, &a->held[i].c, a->held[i].e.G, closure->nrow + a->held[i].c.first_row, &most, &g);
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

// Drivers that take part where nothing can be closed.
static words pulling_drivers(const cd_assembly* a, const cd_constraint** first)
{
    const cd_closure* closure = &a->d->closure;
    words             w       = {0};
    for (int i = 0; i < closure->nconstraint; ++i) {
        if (!cd_assembly_pulls(a, i)) continue;
        if (w.count == 0) *first = &closure->constraint[i];
        add_name(&w, closure->constraint[i].name);
    }
    return w;
}

// What else pulls against the widest gap, beside joints: " and constraint 'd'".
static words against(const cd_assembly* a, const cd_constraint* c)
{
    words w = {0};
    for (int i = 0; i < a->d->closure.nconstraint; ++i) {
        const cd_constraint* other = &a->d->closure.constraint[i];
        if (other == c || other->joint != CARDAN_NONE || !cd_assembly_takes_part(a, i, false)) continue;
        if (w.length < WORDS - 120)
            w.length +=
                snprintf(w.text + w.length, (size_t)(WORDS - w.length), " and %s '%.60s'", other->what, other->name);
        ++w.count;
    }
    return w;
}

// Other loops that pull against the widest gap: " against joint 'E' in the loop of joints 'A', 'B', 'E', 'F'". Which of
// them was drawn wrong cannot be told.
static words other_loops(const cd_assembly* a, const cd_constraint* c)
{
    words     w    = {0};
    const int room = WORDS - 20;
    for (int i = 0; i < a->d->closure.nconstraint; ++i) {
        const cd_constraint* other = &a->d->closure.constraint[i];
        if (other == c || other->joint == CARDAN_NONE || !cd_assembly_takes_part(a, i, false)) continue;
        const words loop = loop_words(a->d->m, other);
        if (w.length + 60 + (int)strlen(other->name) + (int)strlen(loop.text) >= room) {
            w.length += snprintf(w.text + w.length, (size_t)(WORDS - w.length), " and others");
            break;
        }
        w.length += snprintf(w.text + w.length, (size_t)(WORDS - w.length), " %s %s '%s' in the loop of joints %s",
                             w.count++ > 0 ? "and" : "against", other->what, other->name, loop.text);
    }
    return w;
}

// Where laws or the time of the start have a part.
typedef struct moment_words {
    char text[40];
} moment_words;

static moment_words when(const cd_assembly* a)
{
    moment_words w = {""};
    if (a->d->m->nmotion > 0 || a->d->t != 0) snprintf(w.text, sizeof w.text, " at t = %g s", a->d->t);
    return w;
}

// What drivers ask for cannot be: named with the widest gap.
static cardan_status fail_driven(const cd_assembly* a, gap g, words who, const cd_constraint* first,
                                 cardan_report* report)
{
    return cardan_fail(report, CARDAN_INCONSISTENT, first->place,
                       "at t = %g s the driver%s of %s ask%s for %s that the joints and the other constraints do not "
                       "allow: %.3g %s%s remain at %s '%s'",
                       a->d->t, who.count > 1 ? "s" : "", who.text, who.count > 1 ? "" : "s",
                       a->velocities ? "velocities" : "positions", g.size, g.unit, a->velocities ? "/s" : "", g.c->what,
                       g.c->name);
}

static cardan_status fail_open(const cd_assembly* a, gap g, cardan_report* report)
{
    const moment_words t    = when(a);
    const words        more = a->dense ? against(a, g.c) : (words){0};
    if (g.c->joint == CARDAN_NONE) {
        const words felt = felt_words(a->d->m, g.c);
        if (more.count > 0)
            return cardan_fail(report, CARDAN_INCONSISTENT, g.c->place,
                               "%s '%s'%s cannot be satisfied together by joints %s: %.3g %s remain at '%s'%s",
                               g.c->what, g.c->name, more.text, felt.text, g.size, g.unit, g.c->name, t.text);
        return cardan_fail(report, CARDAN_INCONSISTENT, g.c->place,
                           "%s '%s' cannot be satisfied by joints %s: %.3g %s remain%s", g.c->what, g.c->name,
                           felt.text, g.size, g.unit, t.text);
    }
    const words loop = loop_words(a->d->m, g.c);
    if (!a->dense)
        return cardan_fail(report, CARDAN_NOT_CONVERGED, g.c->place,
                           "the loop of joints %s was not closed, a gap of %.3g %s remains at '%s'%s: a mechanism of "
                           "%d velocities needs a start that is nearly closed",
                           loop.text, g.size, g.unit, g.c->name, t.text, a->d->m->nv);
    return cardan_fail(report, CARDAN_INCONSISTENT, g.c->place,
                       "the loop of joints %s%s could not be closed: a gap of %.3g %s remains at '%s'%s; check the "
                       "lengths in it, or start nearer to a pose that closes",
                       loop.text, more.text, g.size, g.unit, g.c->name, t.text);
}

static cardan_status fail_contradiction(const cd_assembly* a, gap g, cardan_report* report)
{
    const words exact = exact_words(a, g.c), loop = g.c->joint == CARDAN_NONE ? (words){0} : loop_words(a->d->m, g.c);
    const char* in       = loop.count ? " in the loop of joints " : "";
    const moment_words t = when(a);
    if (!a->velocities) // there may be one that was not found
        return cardan_fail(
            report, CARDAN_INCONSISTENT, g.c->place,
            "no closed pose was found with joint%s %s at %s exact start position%s: %.3g %s remain at %s "
            "'%s'%s%s%s; correct %s, or mark what may move `guess: true`",
            exact.count > 1 ? "s" : "", exact.text, exact.count > 1 ? "their" : "its", exact.count > 1 ? "s" : "",
            g.size, g.unit, g.c->what, g.c->name, in, loop.text, t.text, exact.count > 1 ? "them" : "it");
    const words others = loop.count ? other_loops(a, g.c) : (words){0};
    if (exact.count == 1)
        return cardan_fail(
            report, CARDAN_INCONSISTENT, g.c->place,
            "joint %s cannot have its exact start velocity: %.3g %s/s remain at %s '%s'%s%s%s%s; correct it, or "
            "mark it `guess: true`%s",
            exact.text, g.size, g.unit, g.c->what, g.c->name, in, loop.text, others.text, t.text,
            others.length > 0 ? ", or look at the places of all these joints" : "");
    return cardan_fail(report, CARDAN_INCONSISTENT, g.c->place,
                       "joints %s cannot all have their exact start velocity: %.3g %s/s remain at %s '%s'%s; mark what "
                       "may move `guess: true`",
                       exact.text, g.size, g.unit, g.c->what, g.c->name, t.text);
}

static cardan_status fail_memory(const cd_assembly* a, cardan_report* report)
{
    return cardan_fail(report, CARDAN_NO_MEMORY, cardan_nowhere(), "no memory to assemble '%s'", a->d->m->view.name);
}

// ---- the two levels

// Where exact values are in the way, the loops close once they are released.
static cardan_status tell_positions(cd_assembly* a, cardan_report* report)
{
    const gap g = widest_gap(a);
    if (!a->dense) return fail_open(a, g, report);
    cd_assembly_choose(a, false, true);
    const double left = cd_assembly_close_positions(a);
    if (exact_words(a, g.c).count > 0 && left <= fmax(enough, a->rounding)) return fail_contradiction(a, g, report);
    cd_assembly_residual(a, a->c);
    const cd_constraint* first = NULL;
    const gap            last  = widest_gap(a);
    const words          who   = pulling_drivers(a, &first);
    return first ? fail_driven(a, last, who, first, report) : fail_open(a, last, report);
}

static cardan_status close_positions(cd_assembly* a, cardan_report* report)
{
    cd_assembly_choose(a, false, false);
    if (cd_assembly_residual(a, a->c) <= fmax(closed, a->rounding) && cd_assembly_wished(a, NULL) <= closed)
        return CARDAN_OK;
    const double least = fmax(enough, a->rounding);
    if (!a->near && !cd_assembly_follow(a)) return fail_memory(a, report);
    double left = cd_assembly_close_positions(a);
    if (left > least && !a->near && !cd_assembly_close_far(a, &left)) return fail_memory(a, report);
    if (left > least) return tell_positions(a, report);
    cd_assembly_return(a);
    return CARDAN_OK;
}

static double fastest(const cardan_data* d)
{
    double most = 0;
    for (int i = 0; i < d->m->nv; ++i) most = fmax(most, fabs(d->v[i]));
    return most;
}

// Size of the rates of laws: a law x at its turning point has the rounding of sqrt(|x x''|) for a rate, where x is
// some radians or metres even if they cancel there.
static double rate_of_laws(const cardan_data* d)
{
    double most = 0;
    for (int i = 0; i < d->m->nmotion; ++i) {
        const double* law = d->closure.law + 3 * i;
        most              = fmax(most, fmax(fabs(law[1]), law_rounding * sqrt(fmax(1, fabs(law[0])) * fabs(law[2]))));
    }
    return most;
}

static const cd_constraint* constraint_of(const cd_closure* closure, int row)
{
    int i = 0;
    while (i + 1 < closure->nconstraint && row >= closure->constraint[i + 1].first_row) ++i;
    return &closure->constraint[i];
}

// At singular poses motions branch: velocities of one of them, and which.
static cardan_status choose_branch(cd_assembly* a, cardan_report* report)
{
    const cardan_model* m = a->d->m;
    cd_branch           branch;
    bool                moved;
    if (!cd_assembly_branch(a, &branch, &moved)) return fail_memory(a, report);
    if (!moved) return CARDAN_OK;
    const cd_constraint* c    = constraint_of(&a->d->closure, branch.row);
    const words          loop = c->joint == CARDAN_NONE ? felt_words(m, c) : loop_words(m, c);
    if (branch.velocity == CARDAN_NONE) {
        cardan_warn(report, c->place,
                    "the start is a singular pose of joints %s: velocities were changed to those of a motion that is "
                    "possible there",
                    loop.text);
        return CARDAN_OK;
    }
    int         local;
    const int   j    = cardan_model_joint_of_velocity(m, branch.velocity, &local);
    const char* unit = cardan_model_v_unit(m, j, local);
    cardan_warn(report, c->place,
                "the start is a singular pose of joints %s, where motions branch: the one nearest to what is given was "
                "taken, with %.6g %s at joint '%s'; another has %.6g %s "
                "there: give it as `start: {v: ...}` to take that",
                loop.text, branch.taken, unit, m->joint[j].name, branch.other, unit);
    return CARDAN_OK;
}

// At rest, while laws ask for accelerations: at a singular pose rest may begin no such motion.
static bool begins_to_drive(const cardan_data* d)
{
    bool asked = false;
    for (int i = 0; i < d->m->nmotion; ++i) asked |= d->closure.law[3 * i + 2] != 0;
    return asked && d->closure.ndriving > 0 && fastest(d) <= law_rounding * enough * rate_of_laws(d);
}

// What is left of velocities of this speed where nothing can move is rounding, and rest satisfies the rows as well.
static void come_to_rest(cd_assembly* a, double speed)
{
    cardan_data* d = a->d;
    if (!(fastest(d) <= at_rest * speed)) return;
    memcpy(a->dq, d->v, (size_t)d->m->nv * sizeof *a->dq);
    for (int i = 0; i < a->nfree; ++i) d->v[a->free[i]] = 0;
    cd_set_velocity(d, d->v);
    if (cd_assembly_residual(a, a->c) <= at_rest * speed) return;
    cd_set_velocity(d, a->dq);
}

static cardan_status close_velocities(cd_assembly* a, cardan_report* report)
{
    cd_take_branches(a->d, NULL);
    cd_assembly_choose(a, true, false);
    const double speed = fmax(fastest(a->d), rate_of_laws(a->d)), found = cd_assembly_residual(a, a->c);
    const double wished = cd_assembly_wished(a, NULL);
    if (found <= closed * speed && wished <= closed * speed)
        return begins_to_drive(a->d) ? choose_branch(a, report) : CARDAN_OK;
    if (cd_assembly_close_velocities(a) <= had * fmax(speed, found)) {
        cd_assembly_return_velocities(a);
        come_to_rest(a, fmax(speed, fmax(found, wished)));
        return choose_branch(a, report);
    }
    const gap g = widest_gap(a);
    if (exact_words(a, g.c).count > 0) return fail_contradiction(a, g, report);
    const cd_constraint* first = NULL;
    const words          who   = pulling_drivers(a, &first);
    if (first) return fail_driven(a, g, who, first, report);
    const words felt = felt_words(a->d->m, g.c);
    return cardan_fail(report, CARDAN_INCONSISTENT, g.c->place,
                       "no velocities of joints %s satisfy %s '%s': %.3g %s/s remain%s", felt.text, g.c->what,
                       g.c->name, g.size, g.unit, when(a).text);
}

// ---- the whole

static cardan_start wanted(const cardan_model* m, const cardan_start* start, int j)
{
    return start ? start[j] : cardan_start_of(m, j);
}

// Whether every joint is where it should be.
static bool agrees(cardan_data* d, const cardan_start* start)
{
    const cardan_model* m = d->m;
    for (int j = 0; j < m->njoint; ++j) {
        const cardan_start s                       = wanted(m, start, j);
        double             q[CARDAN_JOINT_MAX + 1] = {0}, v[CARDAN_JOINT_MAX] = {0}, off = 0, along = 0;
        const int          nq = m->slot[j].nq, nv = m->slot[j].nv, plain = nq > nv ? nq - 4 : nq;
        cardan_joint_state(d, j, q, v);
        for (int i = 0; i < plain; ++i) off = fmax(off, fabs(q[i] - s.q[i]));
        for (int i = plain; i < nq; ++i) along += q[i] * s.q[i];
        if (nq > nv) off = fmax(off, fabs(fabs(along) - 1));
        if (off > enough) return false;
        for (int i = 0; i < nv; ++i)
            if (fabs(v[i] - s.v[i]) > enough) return false;
    }
    return true;
}

static bool is_closed(cardan_data* d)
{
    double position, velocity;
    cd_gaps(d, &position, &velocity);
    const double least = fmax(closed, cd_assembly_rounding(d) / d->small);
    return position <= least && velocity <= least * fmax(fastest(d), rate_of_laws(d));
}

static cardan_status assemble_tree(cardan_data* d, const cardan_start* start, bool near, cardan_assembled* done,
                                   cardan_report* report)
{
    cd_assembly   a      = {0};
    cardan_status status = CARDAN_OK;
    if (!cd_assembly_open(&a, d, start))
        status = fail_memory(&a, report);
    else {
        a.near = near;
        cardan_closure_error(d, &done->position, &done->velocity);
        status = close_positions(&a, report);
        if (status == CARDAN_OK) status = close_velocities(&a, report);
        done->iterations = a.iterations;
    }
    cd_assembly_end(&a);
    return status;
}

// Other coordinates: assembled in those of the shallow tree, so that the result is the same whatever will solve it.
static cardan_status assemble_elsewhere(cardan_data* d, const cardan_start* start, bool near, cardan_assembled* done,
                                        cardan_report* report)
{
    cardan_model* model  = NULL;
    cardan_data*  data   = NULL;
    cardan_status status = cardan_model_compile(d->m->description, CARDAN_TREE_SHALLOW, &model, report);
    if (status == CARDAN_OK) status = cd_data_create_bare(model, &data, report);
    if (status == CARDAN_OK) {
        memcpy(data->outer, d->outer, (size_t)model->nmotion * sizeof *d->outer);
        memcpy(data->outer_law, d->outer_law, 3 * (size_t)model->nmotion * sizeof *d->outer_law);
        cardan_data_set(data, d->t, model->q_start, model->v_start, d->state);
        status = assemble_tree(data, start, near, done, report);
        if (status == CARDAN_OK) status = cardan_exchange(data, d);
    }
    cardan_data_destroy(data);
    cardan_model_destroy(model);
    return status;
}

static cardan_status assemble(cardan_data* d, const cardan_start* start, bool near, cardan_assembled* found,
                              cardan_report* report)
{
    cardan_status status = cd_check_laws(d, report);
    *found               = (cardan_assembled){0};
    if (status != CARDAN_OK) return status;
    cd_take_branches(d, NULL);
    cardan_closure_error(d, &found->position, &found->velocity);
    if (!is_closed(d) || !agrees(d, start) || begins_to_drive(d)) {
        if (d->m->policy == CARDAN_TREE_SHALLOW)
            status = assemble_tree(d, start, near, found, report);
        else
            status = assemble_elsewhere(d, start, near, found, report);
    }
    if (status == CARDAN_OK) cd_take_branches(d, report);
    cardan_closure_error(d, &found->position_left, &found->velocity_left);
    return status;
}

// The constraint that is widest open at the state set, or CARDAN_NONE.
static int widest_open(cardan_data* d)
{
    double most   = 0;
    int    widest = CARDAN_NONE;
    cd_know_closure(d);
    for (int i = 0; i < d->closure.nconstraint; ++i) {
        const cd_constraint* c    = &d->closure.constraint[i];
        const double         open = cd_largest(c->nrow, d->closure.value + c->first_row);
        if (!(open > most)) continue;
        most   = open;
        widest = i;
    }
    return widest;
}

// A drawing with a gap that was closed, and then nothing moves and nothing drives: lengths are not what they should be.
static cardan_status warn_bent(cardan_data* d, int widest, double open, cardan_report* report)
{
    int count = 0;
    if (widest == CARDAN_NONE || !(open > drawn * d->small) || d->closure.ndriving > 0 || d->m->nv > d->rows.nrow)
        return CARDAN_OK;
    if (!report || !d->formulation || !(d->formulation->supports & CD_LOOPS)) return CARDAN_OK;
    const cardan_status status = cardan_freedom(d, 1, &count, NULL, NULL);
    if (status == CARDAN_NO_MEMORY)
        return cardan_fail(report, status, cardan_nowhere(), "no memory to assemble '%s'", d->m->view.name);
    if (status != CARDAN_OK || count > 0) return CARDAN_OK;
    const cd_constraint* c = &d->closure.constraint[widest];
    cardan_warn(report, c->place,
                "nothing of '%s' can move: as drawn %s '%s' is open by %.3g m or rad; it was closed in another pose, "
                "where no degree of freedom is left and nothing drives; look at the lengths and places of joints %s",
                d->m->view.name, c->what, c->name, open,
                d->m->policy == CARDAN_TREE_FLAT ? "around it" : felt_words(d->m, c).text);
    return CARDAN_OK;
}

cardan_status cardan_assemble(cardan_data* d, const cardan_start* start, double* q, double* v, cardan_assembled* done,
                              cardan_report* report)
{
    cardan_assembled none, *found = done ? done : &none;
    const int        widest = widest_open(d);
    cardan_status    status = assemble(d, start, false, found, report);
    const int        lost   = status == CARDAN_OK ? cd_bearing_lost(d) : CARDAN_NONE;
    if (lost != CARDAN_NONE) status = cd_fail_bearing(d, lost, d->t, CARDAN_INCONSISTENT, report);
    if (status == CARDAN_OK) status = warn_bent(d, widest, found->position, report);
    if (q) memcpy(q, d->q, (size_t)d->m->nq * sizeof *q);
    if (v) memcpy(v, d->v, (size_t)d->m->nv * sizeof *v);
    return status;
}

cardan_status cd_assemble_near(cardan_data* d, const cardan_start* start)
{
    cardan_assembled none;
    return assemble(d, start, true, &none, NULL);
}
