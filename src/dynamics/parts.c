// SPDX-License-Identifier: BSD-3-Clause
// A state that becomes known part by part, while the formulation sweeps over the mechanism: large ones wait for memory,
// and so everything about a body or a constraint is computed while it is at hand, and what nobody else wants is not
// written at all: motion columns of links, rows on their twists, values of constraints. For steps in flat coordinates
// that take rows as independent, or hold some to repeat others: how large gaps are is told after the solve.
//
// Parts are CD_PART constraints, or links. Forces may look at any link: where some act, links are placed before the
// sweep.
#include "dynamics/parts.h"

#include "dynamics/data.h"
#include "math/largest.h"
#include "math/quaternion.h"

#include <stddef.h>
#include <string.h>

enum { MANY = 256 }; // constraints; below that everything is at hand anyway
enum {
    FEW        = 8,
    MANY_LINKS = 2000
}; // links that are done one after the other, and of how many on memory is asked for before it is wanted

static int parts_of(int n) { return (n + CD_PART - 1) / CD_PART; }
static int end_of(int part, int n) { return (part + 1) * CD_PART < n ? (part + 1) * CD_PART : n; }

void cd_parts_layout(cd_arena* arena, cardan_data* d)
{
    const cd_closure* closure = &d->closure;
    cd_parts*         p       = &d->parts;
    CD_TAKE(arena, p->reach.block, parts_of(closure->nconstraint));
    CD_TAKE(arena, p->reach.body, parts_of(d->m->nlink));
    p->serves = d->m->in_order && closure->nconstraint >= MANY && d->rotors.nconstraint == 0 && closure->nlossy == 0;
    if (p->serves) d->world.pose = d->k.X; // one and the same, and memory to read and write
}

bool cd_parts_serve(const cardan_data* d) { return d->parts.serves && d->formulation->at_once && !d->some_off; }

static cardan_data* data_of(cd_reach* reach)
{
    return (cardan_data*)((char*)reach - offsetof(cardan_data, parts.reach));
}

// What a few links will want soon. Inlined always: functions that only ask for memory seem to do nothing.
static inline __attribute__((always_inline)) void ask_for(const void* what, size_t size, bool written)
{
    for (const char *p = what, *end = p + size; p < end; p += 64)
        written ? __builtin_prefetch(p, 1) : __builtin_prefetch(p, 0);
}

static inline __attribute__((always_inline)) void ask_for_links(const cardan_data* d, int from, int to)
{
    const cd_parts* p = &d->parts;
    const size_t    n = (size_t)(to - from);
    ask_for(d->m->link + from, n * sizeof(cd_link), false);
    ask_for(d->r + 6 * from, 6 * n * sizeof(double), true);
    if (!p->q) return;
    ask_for(p->q + 7 * from, 7 * n * sizeof(double), false);
    ask_for(p->v + 6 * from, 6 * n * sizeof(double), false);
    ask_for(d->q + 7 * from, 7 * n * sizeof(double), true);
    ask_for(d->v + 6 * from, 6 * n * sizeof(double), true);
    ask_for(d->k.X + from, n * sizeof(frame), true);
    ask_for(d->world.velocity + from, n * sizeof(spatial), true);
}

// Efforts and wrenches are known.
static void know_links(cardan_data* d, int from, int to)
{
    const cardan_model* m = d->m;
    const cd_parts*     p = &d->parts;
    if (p->q) {
        memcpy(d->q + 7 * from, p->q + 7 * from, 7 * (size_t)(to - from) * sizeof *d->q);
        memcpy(d->v + 6 * from, p->v + 6 * from, 6 * (size_t)(to - from) * sizeof *d->v);
        for (int i = from; i < to; ++i) q4_normalize(d->q + 7 * i + 3);
        cd_place_free(m, &d->k, d->q, from, to);
        cd_world_some(m, &d->k, d->v, &d->world, from, to);
    }
    cd_free_loads(m, &d->k, d->v, d->pushed ? d->wrench : NULL, from, to, d->r);
    for (int i = 6 * from; i < 6 * to; ++i) d->r[i] = (d->idle ? 0 : d->effort[i]) - d->r[i];
}

static void reach_links(cd_reach* reach, int part)
{
    cardan_data* d  = data_of(reach);
    const int    to = end_of(part, d->m->nlink);
    for (int i = part * CD_PART, next; i < to; i = next) {
        next            = i + FEW < to ? i + FEW : to;
        const int after = next + FEW < d->m->nlink ? next + FEW : d->m->nlink;
        if (d->m->nlink > MANY_LINKS) ask_for_links(d, next, after);
        know_links(d, i, next);
    }
    reach->body[part] = true;
}

static void reach_constraints(cd_reach* reach, int part)
{
    cardan_data* d    = data_of(reach);
    cd_closure*  c    = &d->closure;
    const int    from = part * CD_PART, to = end_of(part, c->nconstraint);
    for (int i = from; i < to; ++i)
        for (int n = 0; n < c->constraint[i].nend; ++n)
            if (cd_end_at(&c->constraint[i], n)->link >= 0) cd_reach_body(reach, cd_end_at(&c->constraint[i], n)->link);
    double       value[CD_PART * CD_ROWS_MAX], rate[CD_PART * CD_ROWS_MAX], h[CD_PART * CD_ROWS_MAX];
    cd_equations e     = {value, rate, h, NULL};
    const int    first = c->constraint[from].first_row,
              n        = c->constraint[to - 1].first_row + c->constraint[to - 1].nrow - first;
    cd_closure_rows_alone(d->m, &d->k, &d->world, c, from, to, reach, &e);
    cd_gamma_some(d, first, n, &e);
    for (int i = 0; i < n; ++i) d->s[first + i] = -value[i];
    d->gap      = cd_larger_or_none(d->gap, cd_largest(n, value));
    d->gap_rate = cd_larger_or_none(d->gap_rate, cd_largest(n, rate));
    if (d->over_row) {
        d->open      = cd_larger_or_none(d->open, cd_largest_row(d, first, n, value));
        d->open_rate = cd_larger_or_none(d->open_rate, cd_largest_row(d, first, n, rate));
    }
    reach->block[part] = true;
}

static void complete(cd_reach* reach)
{
    cardan_data* d = data_of(reach);
    cd_reach_all(reach, d->closure.nconstraint, d->m->nlink);
    cd_parts_complete(d);
}

void cd_parts_set(cardan_data* d, double t, const double* q, const double* v, const double* state)
{
    const cardan_model* m    = d->m;
    const bool          acts = m->view.nforce > 0 || d->loaded || d->measured_act || m->nlaw > 0 || m->nrates > 0;
    cd_parts*           p    = &d->parts;
    if (acts) {
        cd_data_set(d, t, q, v, state);
        cd_know_world(d);
    } else
        cd_set_time(d, t, state);
    cd_know_forces(d);
    p->reach.ask_block = reach_constraints;
    p->reach.ask_body  = reach_links;
    p->reach.ask_all   = complete;
    memset(p->reach.block, 0, (size_t)parts_of(d->closure.nconstraint) * sizeof *p->reach.block);
    memset(p->reach.body, 0, (size_t)parts_of(m->nlink) * sizeof *p->reach.body);
    p->q                = acts ? NULL : q;
    p->v                = acts ? NULL : v;
    p->open             = true;
    p->sketched         = true;
    p->bare             = !acts;
    d->closure.singular = CARDAN_NONE;
    d->gap = d->gap_rate = d->open = d->open_rate = 0;
}

void cd_parts_finish(cardan_data* d)
{
    cd_parts* p = &d->parts;
    if (!p->open) return;
    cd_reach_all(&p->reach, d->closure.nconstraint, d->m->nlink);
    p->open    = false;
    d->k.world = d->world.pose;
    if (!d->over_row) d->open = d->gap, d->open_rate = d->gap_rate;
    d->rows.gap   = d->open;
    d->rows.wide  = d->gap;
    d->rows.terms = d->system.terms = 0;
    d->world_known = d->closure_known = d->rows_known = d->gamma_known = true;
}

void cd_parts_complete(cardan_data* d)
{
    if (!d->parts.sketched) return;
    cd_closure_rows_too(d->m, &d->k, &d->world, &d->closure, NULL);
    d->parts.sketched = false;
}

void cd_parts_forget(cardan_data* d)
{
    if (!d->parts.sketched) return;
    d->world_known = d->measured_known = d->felt_known = d->closure_known = d->rows_known = d->gamma_known = d->solved =
        false;
    d->parts.sketched = false;
}
