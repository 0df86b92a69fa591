// SPDX-License-Identifier: BSD-3-Clause
// All constraints of a model, evaluated at a state and turned into rows.
//
//   J x   = sum over ends of G . (twist of the end's link)
//   gamma = -(sum over ends of G . A at a = 0) - h
//
// In flat coordinates A = 0 at a = 0.
#include "constraint/closure.h"

#include "constraint/sources.h"
#include "expression/numbers.h"
#include "constraint/ways.h"
#include "model/description.h"

#include <stddef.h>
#include <string.h>

enum { AT_HAND = 32 }; // constraints that stay in the nearest memory from one look at them to the next
enum { AHEAD = 8 };    // constraints by which memory is asked for before it is wanted, where there are many
enum { MANY = 400 };

cardan_status cd_closure_check(const cardan_model* m, cardan_report* report)
{
    cardan_status status = CARDAN_OK;
    cd_constraint c;
    for (cd_source source = cd_source_begin(m); cd_source_next(m, &source, &c);) {
        if (!source.why[0]) continue;
        const bool joint = c.joint != CARDAN_NONE;
        status = cardan_fail(report, joint ? CARDAN_UNSUPPORTED : CARDAN_BAD_INPUT, CARDAN_CODE_CONSTRAINT_INVALID,
                             c.place, "%s '%s'%s %s", c.what, c.name, joint ? "" : ":", source.why);
    }
    return status;
}

int cd_closure_count(const cardan_model* m)
{
    int           count = 0;
    cd_constraint c;
    for (cd_source source = cd_source_begin(m); cd_source_next(m, &source, &c);) ++count;
    return count;
}

int cd_closure_rows(const cardan_model* m)
{
    int           rows = 0;
    cd_constraint c;
    for (cd_source source = cd_source_begin(m); cd_source_next(m, &source, &c);) rows += c.nrow;
    return rows;
}

static void lay_constraint(const cardan_model* m, cd_arena* arena, cd_constraint* c, int i, cd_closure* closure)
{
    cd_row_block b = {
        .row = closure->nrow, .nrow = c->nrow, .nv = closure->ways ? cd_ways(m, c, NULL) : 0, .nend = c->nend};
    cd_equations e = {0};
    cd_coupled*  k = NULL;
    c->first_row   = closure->nrow;
    if (c->coupled) CD_TAKE(arena, k, 1);
    const size_t nG = (size_t)(c->nrow * c->nend), nend = (size_t)c->nend; // links stand behind G: one line less
    e.G    = cd_arena_take(arena, 1, nG * sizeof *e.G + nend * sizeof *b.link);
    b.link = e.G ? (int*)(e.G + nG) : NULL;
    if (closure->ways) {
        CD_TAKE(arena, b.v, b.nv);
        CD_TAKE(arena, b.J, c->nrow * b.nv);
    }
    closure->nrow += c->nrow;
    closure->nlossy += c->lossy;
    closure->nslip += c->nrow - c->nposition;
    closure->ndriving += c->driven != 0;
    if (!closure->constraint) return;
    if (closure->ways) cd_ways(m, c, b.v);
    for (int n = 0; n < c->nend; ++n) b.link[n] = cd_end_at(c, n)->link;
    b.G = e.G;
    if (k) {
        *k         = *c->coupled;
        c->coupled = k;
    }
    closure->constraint[i] = *c;
    closure->block[i]      = b;
    closure->equations[i]  = e;
}

void cd_closure_begin(cd_closure* closure)
{
    for (int i = 0; i < closure->nconstraint * CD_MEMORY; ++i) closure->memory[i] = r_lift(0);
    for (int i = 0; i < closure->nconstraint; ++i) {
        const cd_constraint* c      = &closure->constraint[i];
        real*                memory = closure->memory + i * CD_MEMORY;
        memory[0]                   = r_lift(c->start);
        for (int n = 0; c->coupled && n < c->coupled->n; ++n) memory[n] = r_lift(c->coupled->coordinate[n].start);
    }
}

static void lay_all(const cardan_model* m, cd_arena* arena, cd_source source, int count, cd_closure* closure)
{
    closure->nconstraint = count;
    closure->nrow        = 0;
    closure->nlossy      = 0;
    closure->nslip       = 0;
    closure->ndriving    = 0;
    closure->singular    = CARDAN_NONE;
    CD_TAKE(arena, closure->constraint, closure->nconstraint);
    CD_TAKE(arena, closure->equations, closure->nconstraint);
    CD_TAKE(arena, closure->memory, closure->nconstraint * CD_MEMORY);
    CD_TAKE(arena, closure->block, closure->nconstraint);
    int           i = 0;
    cd_constraint c;
    for (; cd_source_next(m, &source, &c); ++i) lay_constraint(m, arena, &c, i, closure);
    CD_TAKE(arena, closure->value, closure->nrow);
    CD_TAKE(arena, closure->rate, closure->nrow);
    CD_TAKE(arena, closure->h, closure->nrow);
    CD_TAKE(arena, closure->square, closure->ways ? closure->nrow : 0);
    CD_TAKE(arena, closure->driving, closure->ndriving);
    CD_TAKE(arena, closure->law, 3 * m->nmotion);
    CD_TAKE(arena, closure->law_input, m->nmotion ? m->view.nsignal : 0);
    CD_TAKE(arena, closure->law_work, m->nmotion ? cd_tape_work(m->motion) : 0);
    if (!closure->constraint) return;
    cd_closure_begin(closure);
    for (i = 0, closure->ndriving = 0; i < closure->nconstraint; ++i)
        if (closure->constraint[i].driven) closure->driving[closure->ndriving++] = i;
    for (i = 0; i < closure->nconstraint; ++i) {
        const int row               = closure->constraint[i].first_row;
        closure->equations[i].value = closure->value + row;
        closure->equations[i].rate  = closure->rate + row;
        closure->equations[i].h     = closure->h + row;
    }
}

void cd_closure_layout(const cardan_model* m, bool ways, cd_arena* arena, cd_closure* closure)
{
    closure->ways = ways || m->policy == CARDAN_TREE_FLAT;
    lay_all(m, arena, cd_source_begin(m), cd_closure_count(m), closure);
}

int cd_rotors_count(const cardan_model* m)
{
    int           count = 0;
    cd_constraint c;
    for (cd_source source = cd_source_rotors(m); cd_source_next(m, &source, &c);) ++count;
    return count;
}

void cd_rotors_layout(const cardan_model* m, bool ways, cd_arena* arena, cd_closure* rotors)
{
    rotors->ways = ways || m->policy == CARDAN_TREE_FLAT;
    lay_all(m, arena, cd_source_rotors(m), cd_rotors_count(m), rotors);
}

void cd_closure_time(const cardan_model* m, real t, cd_closure* closure)
{
    if (m->nmotion == 0) return;
    const double* parameter = cd_ledger_values(m->description->ledger); // they are the first signals
    for (int i = 0; i < cd_ledger_inputs(m->description->ledger); ++i) closure->law_input[i] = r_lift(parameter[i]);
    if (m->time_signal >= 0) closure->law_input[m->time_signal] = t;
    cd_number_tape(m->motion, closure->law_input, closure->law_work, closure->law);
}

// Inlined always: functions that only ask for memory seem to do nothing.
static inline __attribute__((always_inline)) void ask_for(const void* what, size_t size)
{
    for (const char* p = what; p < (const char*)what + size; p += 64) __builtin_prefetch(p);
}

// What the evaluation of a constraint looks at, and what it and its rows write.
static inline __attribute__((always_inline)) void ask_for_constraint(const cd_closure* closure, int i, bool twists)
{
    const cd_row_block* b = &closure->block[i];
    ask_for(&closure->constraint[i], offsetof(cd_constraint, name));
    if (twists) ask_for(b->G, (size_t)(b->nrow * b->nend) * sizeof *b->G);
    if (closure->ways) ask_for(b->J, (size_t)(b->nrow * b->nv) * sizeof *b->J);
    if (closure->ways) __builtin_prefetch(b->link);
}

// Where its ends are, when it is known which they are.
static inline __attribute__((always_inline)) void ask_for_ends(const cd_world* world, const cd_constraint* c)
{
    for (int n = 0; n < 2; ++n) {
        const int link = c->end[n].link;
        ask_for(&world->pose[link], sizeof *world->pose);
        ask_for(&world->velocity[link], sizeof *world->velocity);
        ask_for(&world->acceleration[link], sizeof *world->acceleration);
    }
}

static void evaluate_one(const cd_world* world, cd_closure* closure, int i, cd_equations* e)
{
    const cd_constraint* c        = &closure->constraint[i];
    bool                 singular = false;
    const cd_moment      now      = {closure->law, closure->q, closure->memory + i * CD_MEMORY, &singular};
    cd_end               end[CD_ENDS_MAX];
    for (int k = 0; k < c->nend; ++k) cd_end_at_state(cd_end_at(c, k), world, &end[k]);
    c->type->evaluate(c, end, &now, e);
    if (singular && closure->singular == CARDAN_NONE) closure->singular = i;
}

static void evaluate(const cd_world* world, cd_closure* closure, int from, int to)
{
    const int asked = closure->nconstraint > MANY ? closure->nconstraint - AHEAD : 0;
    for (int i = from; i < to; ++i) {
        if (i < asked) {
            ask_for_constraint(closure, i + AHEAD, true);
            ask_for_ends(world, &closure->constraint[i + AHEAD / 2]);
        }
        evaluate_one(world, closure, i, &closure->equations[i]);
    }
}

static void rows_of(const cardan_model* m, const cd_kinematics* k, const cd_world* world, cd_closure* closure, int from,
                    int to)
{
    for (int i = from; closure->ways && i < to; ++i)
        cd_way_rows(m, k, world, &closure->constraint[i], &closure->block[i], closure->square + closure->block[i].row);
}

void cd_closure_evaluate(const cd_world* world, cd_closure* closure)
{
    closure->singular = CARDAN_NONE;
    evaluate(world, closure, 0, closure->nconstraint);
}

void cd_closure_jacobian(const cardan_model* m, const cd_kinematics* k, const cd_world* world, cd_closure* closure)
{
    rows_of(m, k, world, closure, 0, closure->nconstraint);
}

static void gamma_of(const cd_world* world, const cd_closure* closure, int from, int to, real* gamma)
{
    for (int i = from; i < to; ++i) {
        const cd_row_block* b = &closure->block[i];
        for (int row = 0; row < b->nrow; ++row) {
            real sum = closure->h[b->row + row];
            for (int n = 0; n < b->nend; ++n)
                sum = r_add(sum, sv_dot(b->G[row * b->nend + n], world->acceleration[b->link[n]]));
            gamma[b->row + row] = r_neg(sum);
        }
    }
}

void cd_closure_gamma(const cd_world* world, const cd_closure* closure, real* gamma)
{
    for (int i = 0; !world && i < closure->nrow; ++i) gamma[i] = r_neg(closure->h[i]);
    if (world) gamma_of(world, closure, 0, closure->nconstraint, gamma);
}

void cd_closure_rows_too(const cardan_model* m, const cd_kinematics* k, const cd_world* world, cd_closure* closure,
                         real* gamma)
{
    closure->singular = CARDAN_NONE;
    for (int from = 0; from < closure->nconstraint; from += AT_HAND) {
        const int to = from + AT_HAND < closure->nconstraint ? from + AT_HAND : closure->nconstraint;
        evaluate(world, closure, from, to);
        rows_of(m, k, world, closure, from, to);
        if (gamma) gamma_of(world, closure, from, to, gamma);
    }
}

// A constraint between two ends that follows no law is all that is looked at: what else is known of it would be more
// memory to wait for.
static void take_pair(const cardan_model* m, const cd_kinematics* k, const cd_world* world, cd_closure* closure, int i,
                      const cd_reach* reach, cd_equations e)
{
    const cd_constraint* c       = &closure->constraint[i];
    const int            row     = c->first_row;
    int                  link[2] = {c->end[0].link, c->end[1].link};
    spatial              G[2 * CD_ROWS_MAX];
    real                 J[12 * CD_ROWS_MAX];
    cd_row_block         b = {.row = row, .nrow = c->nrow, .nend = 2, .link = link, .G = G, .J = J};
    e.G                    = G;
    b.nv                   = link[0] == link[1] ? 0 : 6 * ((link[0] >= 0) + (link[1] >= 0));
    evaluate_one(world, closure, i, &e);
    cd_way_rows(m, k, world, c, &b, closure->square + row);
    reach->take(reach->taker, i, &b);
}

static void rows_of_one(const cardan_model* m, const cd_kinematics* k, const cd_world* world, cd_closure* closure,
                        int i, const cd_reach* reach, cd_equations e)
{
    spatial      G[CD_ROWS_MAX * CD_ENDS_MAX];
    real         J[6 * CD_ROWS_MAX * CD_ENDS_MAX];
    cd_row_block b = closure->block[i];
    if (!closure->constraint[i].driven) b.G = G;
    e.G = b.G;
    if (reach->take) b.J = J;
    evaluate_one(world, closure, i, &e);
    cd_way_rows(m, k, world, &closure->constraint[i], &b, closure->square + b.row);
    if (reach->take) reach->take(reach->taker, i, &b);
}

void cd_closure_rows_alone(const cardan_model* m, const cd_kinematics* k, const cd_world* world, cd_closure* closure,
                           int from, int to, const cd_reach* reach, cd_equations* some)
{
    const int first = closure->constraint[from].first_row;
    const int asked = closure->nconstraint > MANY ? closure->nconstraint - AHEAD : 0;
    for (int i = from; i < to; ++i) {
        const cd_constraint* c = &closure->constraint[i];
        if (i < asked && reach->take)
            ask_for(c + AHEAD, offsetof(cd_constraint, name));
        else if (i < asked)
            ask_for_constraint(closure, i + AHEAD, false);
        const int          row = c->first_row - first;
        const cd_equations e   = {some->value + row, some->rate + row, some->h + row, NULL};
        if (reach->take && c->nend == 2 && !c->driven)
            take_pair(m, k, world, closure, i, reach, e);
        else
            rows_of_one(m, k, world, closure, i, reach, e);
    }
}

real cd_closure_speed(const cd_world* world, const cd_closure* closure, int constraint, int coordinate)
{
    const cd_constraint* c   = &closure->constraint[constraint];
    real                 sum = r_lift(0);
    for (int n = 2 * coordinate; n < 2 * coordinate + 2; ++n)
        sum = r_add(sum, sv_dot(closure->equations[constraint].G[n], world->velocity[cd_end_at(c, n)->link]));
    return r_div(sum, r_lift(c->coupled->factor[coordinate]));
}

bool cd_closure_has_position(const cd_closure* closure, int constraint, int row)
{
    return row < closure->constraint[constraint].nposition;
}

void cd_closure_wrenches(const cd_closure* closure, const real* lambda, spatial* wrench)
{
    for (int i = 0; i < closure->nconstraint; ++i) {
        const cd_constraint* c = &closure->constraint[i];
        for (int row = 0; row < c->nrow; ++row)
            for (int n = 0; n < c->nend; ++n)
                if (cd_end_at(c, n)->link >= 0)
                    wrench[cd_end_at(c, n)->link] =
                        sv_add_scaled(wrench[cd_end_at(c, n)->link], r_neg(lambda[c->first_row + row]),
                                      closure->equations[i].G[row * c->nend + n]);
    }
}

// Size of what an end adds to gamma before it meets the other end: accelerations at a = 0, and those of rotation along
// its arm.
static double size_at_end(const cd_world* world, const cd_attached* end, spatial G)
{
    const vec3    w    = world->velocity[end->link].a;
    const spatial A    = world->acceleration[end->link];
    const double  turn = r_value(v3_dot(w, w)), arm = v3_length(v3_lift(end->p));
    return v3_length(G.a) * (v3_length(A.a) + turn) + v3_length(G.l) * (v3_length(A.l) + (v3_length(A.a) + turn) * arm);
}

double cd_closure_terms(const cd_world* world, const cd_closure* closure, const double* over)
{
    double terms = 0;
    for (int i = 0; i < closure->nconstraint; ++i) {
        const cd_constraint* c = &closure->constraint[i];
        for (int k = 0; k < c->nrow * c->nend; ++k)
            terms = fmax(terms, size_at_end(world, cd_end_at(c, k % c->nend), closure->equations[i].G[k]) *
                                    (over ? over[c->first_row + k / c->nend] : 1));
    }
    return terms;
}
