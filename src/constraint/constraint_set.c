// SPDX-License-Identifier: BSD-3-Clause
// All constraints of a model, evaluated at a state and converted to rows.
//
//   J x   = sum over ends of G . (twist of the end's link)
//   gamma = -(sum over ends of G . A at a = 0) - h
//
// In maximal coordinates A = 0 at a = 0.
#include "constraint/constraint_set.h"

#include "constraint/constraint_sources.h"
#include "expression/formula_evaluation.h"
#include "constraint/joint_space_rows.h"
#include "model/description.h"

#include <stddef.h>
#include <string.h>

enum { CACHE_BATCH = 32 };      // constraints per batch, so that they stay in the L1 cache between passes
enum { PREFETCH_DISTANCE = 8 }; // constraints by which memory is prefetched, from PREFETCH_MIN_CONSTRAINTS on
enum { PREFETCH_MIN_CONSTRAINTS = 400 };

cardan_status cd_constraint_set_check(const cardan_model* m, cardan_report* report)
{
    cardan_status status = CARDAN_OK;
    cd_constraint c;
    for (cd_constraint_source source = cd_constraint_source_begin(m); cd_constraint_source_next(m, &source, &c);) {
        if (!source.reason[0]) continue;
        const bool joint = c.joint != CARDAN_NONE;
        status = cardan_fail(report, joint ? CARDAN_UNSUPPORTED : CARDAN_BAD_INPUT, CARDAN_CODE_CONSTRAINT_INVALID,
                             c.location, "%s '%s'%s %s", c.category, c.name, joint ? "" : ":", source.reason);
    }
    return status;
}

int cd_constraint_count(const cardan_model* m)
{
    int           count = 0;
    cd_constraint c;
    for (cd_constraint_source source = cd_constraint_source_begin(m); cd_constraint_source_next(m, &source, &c);)
        ++count;
    return count;
}

int cd_constraint_row_count(const cardan_model* m)
{
    int           rows = 0;
    cd_constraint c;
    for (cd_constraint_source source = cd_constraint_source_begin(m); cd_constraint_source_next(m, &source, &c);)
        rows += c.nrow;
    return rows;
}

static void layout_constraint(const cardan_model* m, cd_arena* arena, cd_constraint* c, int i,
                              cd_constraint_set* constraints)
{
    cd_row_block            b = {.row  = constraints->nrow,
                                 .nrow = c->nrow,
                                 .nv   = constraints->has_joint_rows ? cd_joint_space_velocities(m, c, NULL) : 0,
                                 .nend = c->nend};
    cd_constraint_equations e = {0};
    cd_coupled_coordinates* k = NULL;
    c->first_row              = constraints->nrow;
    if (c->coupled) CD_ARENA_ARRAY(arena, k, 1);
    const size_t nG = (size_t)(c->nrow * c->nend), nend = (size_t)c->nend; // links behind G: one cache line less
    e.G    = cd_arena_allocate(arena, 1, nG * sizeof *e.G + nend * sizeof *b.link);
    b.link = e.G ? (int*)(e.G + nG) : NULL;
    if (constraints->has_joint_rows) {
        CD_ARENA_ARRAY(arena, b.v, b.nv);
        CD_ARENA_ARRAY(arena, b.J, c->nrow * b.nv);
    }
    constraints->nrow += c->nrow;
    constraints->nlossy += c->has_losses;
    constraints->nnonholonomic += c->nrow - c->nholonomic;
    constraints->ndriven += c->driven_rows != 0;
    if (!constraints->constraint) return;
    if (constraints->has_joint_rows) cd_joint_space_velocities(m, c, b.v);
    for (int n = 0; n < c->nend; ++n) b.link[n] = cd_constraint_end(c, n)->link;
    b.G = e.G;
    if (k) {
        *k         = *c->coupled;
        c->coupled = k;
    }
    constraints->constraint[i] = *c;
    constraints->block[i]      = b;
    constraints->equations[i]  = e;
}

void cd_constraint_set_reset(cd_constraint_set* constraints)
{
    for (int i = 0; i < constraints->nconstraint * CD_CONSTRAINT_HISTORY_SIZE; ++i)
        constraints->history[i] = r_const(0);
    for (int i = 0; i < constraints->nconstraint; ++i) {
        const cd_constraint* c       = &constraints->constraint[i];
        real*                history = constraints->history + i * CD_CONSTRAINT_HISTORY_SIZE;
        history[0]                   = r_const(c->start_angle);
        for (int n = 0; c->coupled && n < c->coupled->n; ++n)
            history[n] = r_const(c->coupled->coordinate[n].start_angle);
    }
}

static void layout_all(const cardan_model* m, cd_arena* arena, cd_constraint_source source, int count,
                       cd_constraint_set* constraints)
{
    constraints->nconstraint         = count;
    constraints->nrow                = 0;
    constraints->nlossy              = 0;
    constraints->nnonholonomic       = 0;
    constraints->ndriven             = 0;
    constraints->singular_constraint = CARDAN_NONE;
    CD_ARENA_ARRAY(arena, constraints->constraint, constraints->nconstraint);
    CD_ARENA_ARRAY(arena, constraints->equations, constraints->nconstraint);
    CD_ARENA_ARRAY(arena, constraints->history, constraints->nconstraint * CD_CONSTRAINT_HISTORY_SIZE);
    CD_ARENA_ARRAY(arena, constraints->block, constraints->nconstraint);
    int           i = 0;
    cd_constraint c;
    for (; cd_constraint_source_next(m, &source, &c); ++i) layout_constraint(m, arena, &c, i, constraints);
    CD_ARENA_ARRAY(arena, constraints->value, constraints->nrow);
    CD_ARENA_ARRAY(arena, constraints->rate, constraints->nrow);
    CD_ARENA_ARRAY(arena, constraints->h, constraints->nrow);
    CD_ARENA_ARRAY(arena, constraints->row_norm_sq, constraints->has_joint_rows ? constraints->nrow : 0);
    CD_ARENA_ARRAY(arena, constraints->driven, constraints->ndriven);
    CD_ARENA_ARRAY(arena, constraints->driver_values, 3 * m->ndriver_function);
    CD_ARENA_ARRAY(arena, constraints->driver_input, m->ndriver_function ? m->view.nsignal : 0);
    CD_ARENA_ARRAY(arena, constraints->driver_work, m->ndriver_function ? cd_tape_work(m->driver_tape) : 0);
    if (!constraints->constraint) return;
    cd_constraint_set_reset(constraints);
    for (i = 0, constraints->ndriven = 0; i < constraints->nconstraint; ++i)
        if (constraints->constraint[i].driven_rows) constraints->driven[constraints->ndriven++] = i;
    for (i = 0; i < constraints->nconstraint; ++i) {
        const int row                   = constraints->constraint[i].first_row;
        constraints->equations[i].value = constraints->value + row;
        constraints->equations[i].rate  = constraints->rate + row;
        constraints->equations[i].h     = constraints->h + row;
    }
}

void cd_constraint_set_layout(const cardan_model* m, bool joint_rows, cd_arena* arena, cd_constraint_set* constraints)
{
    constraints->has_joint_rows = joint_rows || m->policy == CARDAN_TREE_MAXIMAL;
    layout_all(m, arena, cd_constraint_source_begin(m), cd_constraint_count(m), constraints);
}

static int count_from(const cardan_model* m, cd_constraint_source source)
{
    int           count = 0;
    cd_constraint c;
    while (cd_constraint_source_next(m, &source, &c)) ++count;
    return count;
}

int cd_rotor_count(const cardan_model* m) { return count_from(m, cd_constraint_source_begin_rotors(m)); }
int cd_axis_row_count(const cardan_model* m) { return count_from(m, cd_constraint_source_begin_axes(m)); }

void cd_rotor_set_layout(const cardan_model* m, bool joint_rows, cd_arena* arena, cd_constraint_set* rotors)
{
    rotors->has_joint_rows = joint_rows || m->policy == CARDAN_TREE_MAXIMAL;
    layout_all(m, arena, cd_constraint_source_begin_rotors(m), cd_rotor_count(m), rotors);
}

void cd_axis_set_layout(const cardan_model* m, cd_arena* arena, cd_constraint_set* axes)
{
    axes->has_joint_rows = false;
    layout_all(m, arena, cd_constraint_source_begin_axes(m), cd_axis_row_count(m), axes);
}

void cd_constraint_set_evaluate_drivers(const cardan_model* m, real t, cd_constraint_set* constraints)
{
    if (m->ndriver_function == 0) return;
    const double* parameter = cd_parametric_input_values(m->description->parametric); // the first signals
    for (int i = 0; i < cd_parametric_input_count(m->description->parametric); ++i)
        constraints->driver_input[i] = r_const(parameter[i]);
    if (m->time_signal >= 0) constraints->driver_input[m->time_signal] = t;
    cd_tape_run_real(m->driver_tape, constraints->driver_input, constraints->driver_work, constraints->driver_values);
}

// Always inlined: the compiler may consider a function that only prefetches to have no effect.
static inline __attribute__((always_inline)) void prefetch(const void* what, size_t size)
{
    for (const char* p = what; p < (const char*)what + size; p += 64) __builtin_prefetch(p);
}

// Prefetch the data that the evaluation of a constraint reads, and that it and its rows write.
static inline __attribute__((always_inline)) void prefetch_constraint(const cd_constraint_set* constraints, int i,
                                                                      bool with_twist_rows)
{
    const cd_row_block* b = &constraints->block[i];
    prefetch(&constraints->constraint[i], offsetof(cd_constraint, name));
    if (with_twist_rows) prefetch(b->G, (size_t)(b->nrow * b->nend) * sizeof *b->G);
    if (constraints->has_joint_rows) prefetch(b->J, (size_t)(b->nrow * b->nv) * sizeof *b->J);
    if (constraints->has_joint_rows) __builtin_prefetch(b->link);
}

// Prefetch the poses and velocities of its ends.
static inline __attribute__((always_inline)) void prefetch_ends(const cd_world_motion* world, const cd_constraint* c)
{
    for (int n = 0; n < 2; ++n) {
        const int link = c->end[n].link;
        prefetch(&world->pose[link], sizeof *world->pose);
        prefetch(&world->velocity[link], sizeof *world->velocity);
        prefetch(&world->acceleration[link], sizeof *world->acceleration);
    }
}

static void evaluate_one(const cd_world_motion* world, cd_constraint_set* constraints, int i,
                         cd_constraint_equations* e)
{
    const cd_constraint*        c        = &constraints->constraint[i];
    bool                        singular = false;
    const cd_constraint_context context  = {constraints->driver_values, constraints->q,
                                            constraints->history + i * CD_CONSTRAINT_HISTORY_SIZE, &singular};
    cd_end_state                end[CD_CONSTRAINT_ENDS_MAX];
    for (int k = 0; k < c->nend; ++k) cd_end_state_evaluate(cd_constraint_end(c, k), world, &end[k]);
    c->type->evaluate(c, end, &context, e);
    if (singular && constraints->singular_constraint == CARDAN_NONE) constraints->singular_constraint = i;
}

static void evaluate_range(const cd_world_motion* world, cd_constraint_set* constraints, int from, int to)
{
    const int prefetch_end =
        constraints->nconstraint > PREFETCH_MIN_CONSTRAINTS ? constraints->nconstraint - PREFETCH_DISTANCE : 0;
    for (int i = from; i < to; ++i) {
        if (i < prefetch_end) {
            prefetch_constraint(constraints, i + PREFETCH_DISTANCE, true);
            prefetch_ends(world, &constraints->constraint[i + PREFETCH_DISTANCE / 2]);
        }
        evaluate_one(world, constraints, i, &constraints->equations[i]);
    }
}

static void joint_rows_range(const cardan_model* m, const cd_kinematics* k, const cd_world_motion* world,
                             cd_constraint_set* constraints, int from, int to)
{
    for (int i = from; constraints->has_joint_rows && i < to; ++i)
        cd_joint_space_rows(m, k, world, &constraints->constraint[i], &constraints->block[i],
                            constraints->row_norm_sq + constraints->block[i].row);
}

void cd_constraint_set_evaluate(const cd_world_motion* world, cd_constraint_set* constraints)
{
    constraints->singular_constraint = CARDAN_NONE;
    evaluate_range(world, constraints, 0, constraints->nconstraint);
}

void cd_constraint_set_jacobian(const cardan_model* m, const cd_kinematics* k, const cd_world_motion* world,
                                cd_constraint_set* constraints)
{
    joint_rows_range(m, k, world, constraints, 0, constraints->nconstraint);
}

static void gamma_range(const cd_world_motion* world, const cd_constraint_set* constraints, int from, int to,
                        real* gamma)
{
    for (int i = from; i < to; ++i) {
        const cd_row_block* b = &constraints->block[i];
        for (int row = 0; row < b->nrow; ++row) {
            real sum = constraints->h[b->row + row];
            for (int n = 0; n < b->nend; ++n)
                sum = r_add(sum, sv_dot(b->G[row * b->nend + n], world->acceleration[b->link[n]]));
            gamma[b->row + row] = r_neg(sum);
        }
    }
}

void cd_constraint_set_gamma(const cd_world_motion* world, const cd_constraint_set* constraints, real* gamma)
{
    for (int i = 0; !world && i < constraints->nrow; ++i) gamma[i] = r_neg(constraints->h[i]);
    if (world) gamma_range(world, constraints, 0, constraints->nconstraint, gamma);
}

void cd_constraint_set_evaluate_with_jacobian(const cardan_model* m, const cd_kinematics* k,
                                              const cd_world_motion* world, cd_constraint_set* constraints, real* gamma)
{
    constraints->singular_constraint = CARDAN_NONE;
    for (int from = 0; from < constraints->nconstraint; from += CACHE_BATCH) {
        const int to = from + CACHE_BATCH < constraints->nconstraint ? from + CACHE_BATCH : constraints->nconstraint;
        evaluate_range(world, constraints, from, to);
        joint_rows_range(m, k, world, constraints, from, to);
        if (gamma) gamma_range(world, constraints, from, to, gamma);
    }
}

// A constraint between two ends without driver: reads only the constraint itself, since further data would cost memory
// accesses.
static void stream_pair(const cardan_model* m, const cd_kinematics* k, const cd_world_motion* world,
                        cd_constraint_set* constraints, int i, const cd_row_stream* stream, cd_constraint_equations e)
{
    const cd_constraint* c       = &constraints->constraint[i];
    const int            row     = c->first_row;
    int                  link[2] = {c->end[0].link, c->end[1].link};
    spatial              G[2 * CD_CONSTRAINT_ROWS_MAX];
    real                 J[12 * CD_CONSTRAINT_ROWS_MAX];
    cd_row_block         b = {.row = row, .nrow = c->nrow, .nend = 2, .link = link, .G = G, .J = J};
    e.G                    = G;
    b.nv                   = link[0] == link[1] ? 0 : 6 * ((link[0] >= 0) + (link[1] >= 0));
    evaluate_one(world, constraints, i, &e);
    cd_joint_space_rows(m, k, world, c, &b, constraints->row_norm_sq + row);
    stream->sink(stream->sink_context, i, &b);
}

static void stream_constraint(const cardan_model* m, const cd_kinematics* k, const cd_world_motion* world,
                              cd_constraint_set* constraints, int i, const cd_row_stream* stream,
                              cd_constraint_equations e)
{
    spatial      G[CD_CONSTRAINT_ROWS_MAX * CD_CONSTRAINT_ENDS_MAX];
    real         J[6 * CD_CONSTRAINT_ROWS_MAX * CD_CONSTRAINT_ENDS_MAX];
    cd_row_block b = constraints->block[i];
    if (!constraints->constraint[i].driven_rows) b.G = G;
    e.G = b.G;
    if (stream->sink) b.J = J;
    evaluate_one(world, constraints, i, &e);
    cd_joint_space_rows(m, k, world, &constraints->constraint[i], &b, constraints->row_norm_sq + b.row);
    if (stream->sink) stream->sink(stream->sink_context, i, &b);
}

void cd_constraint_set_stream_rows(const cardan_model* m, const cd_kinematics* k, const cd_world_motion* world,
                                   cd_constraint_set* constraints, int from, int to, const cd_row_stream* stream,
                                   cd_constraint_equations* buffer)
{
    const int first = constraints->constraint[from].first_row;
    const int prefetch_end =
        constraints->nconstraint > PREFETCH_MIN_CONSTRAINTS ? constraints->nconstraint - PREFETCH_DISTANCE : 0;
    for (int i = from; i < to; ++i) {
        const cd_constraint* c = &constraints->constraint[i];
        if (i < prefetch_end && stream->sink)
            prefetch(c + PREFETCH_DISTANCE, offsetof(cd_constraint, name));
        else if (i < prefetch_end)
            prefetch_constraint(constraints, i + PREFETCH_DISTANCE, false);
        const int                     row = c->first_row - first;
        const cd_constraint_equations e   = {buffer->value + row, buffer->rate + row, buffer->h + row, NULL};
        if (stream->sink && c->nend == 2 && !c->driven_rows)
            stream_pair(m, k, world, constraints, i, stream, e);
        else
            stream_constraint(m, k, world, constraints, i, stream, e);
    }
}

real cd_coupled_velocity(const cd_world_motion* world, const cd_constraint_set* constraints, int constraint,
                         int coordinate)
{
    const cd_constraint* c   = &constraints->constraint[constraint];
    real                 sum = r_const(0);
    for (int n = 2 * coordinate; n < 2 * coordinate + 2; ++n)
        sum =
            r_add(sum, sv_dot(constraints->equations[constraint].G[n], world->velocity[cd_constraint_end(c, n)->link]));
    return r_div(sum, r_const(c->coupled->factor[coordinate]));
}

int cd_constraint_of_row(const cd_constraint_set* constraints, int row)
{
    for (int i = 0; i < constraints->nconstraint; ++i)
        if (row >= constraints->constraint[i].first_row &&
            row < constraints->constraint[i].first_row + constraints->constraint[i].nrow)
            return i;
    return CARDAN_NONE;
}

bool cd_constraint_row_is_holonomic(const cd_constraint_set* constraints, int constraint, int row)
{
    return row < constraints->constraint[constraint].nholonomic;
}

void cd_constraint_set_wrenches(const cd_constraint_set* constraints, const real* lambda, spatial* wrench)
{
    for (int i = 0; i < constraints->nconstraint; ++i) {
        const cd_constraint* c = &constraints->constraint[i];
        for (int row = 0; row < c->nrow; ++row)
            for (int n = 0; n < c->nend; ++n)
                if (cd_constraint_end(c, n)->link >= 0)
                    wrench[cd_constraint_end(c, n)->link] =
                        sv_add_scaled(wrench[cd_constraint_end(c, n)->link], r_neg(lambda[c->first_row + row]),
                                      constraints->equations[i].G[row * c->nend + n]);
    }
}

// Magnitude of the terms that one end adds to gamma: accelerations at a = 0, and centripetal terms of its arm.
static double gamma_scale_at_end(const cd_world_motion* world, const cd_link_frame* end, spatial G)
{
    const vec3    w    = world->velocity[end->link].a;
    const spatial A    = world->acceleration[end->link];
    const double  w_sq = r_value(v3_dot(w, w)), arm = v3_length(v3_const(end->p));
    return v3_length(G.a) * (v3_length(A.a) + w_sq) + v3_length(G.l) * (v3_length(A.l) + (v3_length(A.a) + w_sq) * arm);
}

double cd_constraint_set_gamma_scale(const cd_world_motion* world, const cd_constraint_set* constraints,
                                     const double* row_scale)
{
    double scale = 0;
    for (int i = 0; i < constraints->nconstraint; ++i) {
        const cd_constraint* c = &constraints->constraint[i];
        for (int k = 0; k < c->nrow * c->nend; ++k)
            scale = fmax(scale,
                         gamma_scale_at_end(world, cd_constraint_end(c, k % c->nend), constraints->equations[i].G[k]) *
                             (row_scale ? row_scale[c->first_row + k / c->nend] : 1));
    }
    return scale;
}
