// SPDX-License-Identifier: BSD-3-Clause
// Assembly of positions far from the start: if (1) of docs/theory/assembly.md ends with a violation, or may lead to
// another branch, the fixed values e are reached from an assembled configuration by continuation,
//
//   e(s) = e(0) + s (e - e(0)),   s = 0 ... 1        0.2 rad or lengths per step, less if the corrector fails
//
// Every configuration is predicted by extrapolation of the last two and corrected: so the branch is kept, also
// through singular configurations. Assembled configurations to start from are tried in this order:
//
//   guessed    fixed joints as in the design configuration, the others at their guesses
//   design     all joints as in the design configuration
//   released   the configuration assembled from the start with fixed values released
//
// and finally random starts, the same ones in every run, with fixed values kept. If nothing is guessed, continuation
// from the design configuration is tried before (1), so that the branch is that of the design.
#include "assembly/assembly_problem.h"
#include "assembly/assembly_tolerances.h"
#include "dynamics/state.h"

#include "math/norm_inf.h"
#include "math/quaternion.h"

#include <math.h>
#include <string.h>

static const double max_move       = 0.2; // [rad, lengths] per step
static const double max_operations = 1e9; // of all attempts together
static const double max_iterations = 2e4; // of all attempts together
enum { MAX_HALVINGS = 6, MAX_MOVES = 200, RANDOM_STARTS = 24 };

typedef enum continuation_origin { FROM_GUESS, FROM_DESIGN, FROM_RELEASED, NORIGIN } continuation_origin;

typedef struct continuation {
    cd_assembly*        a;
    cd_arena            arena;
    cardan_joint_start *target, *origin;   // (njoint)
    double *            q, *q_previous;    // (nq) the last two assembled configurations
    double*             q_predicted;       // (nq) predicted configuration
    double*             q_least_violation; // (nq) configuration before the search, of least violation
    double              tolerance;         // accepted violation
    int                 iterations_before; // iteration count at the start
} continuation;

static void layout(continuation* w)
{
    const cardan_model* m = w->a->d->m;
    CD_ARENA_ARRAY(&w->arena, w->target, m->njoint);
    CD_ARENA_ARRAY(&w->arena, w->origin, m->njoint);
    CD_ARENA_ARRAY(&w->arena, w->q, m->nq);
    CD_ARENA_ARRAY(&w->arena, w->q_previous, m->nq);
    CD_ARENA_ARRAY(&w->arena, w->q_predicted, m->nq);
    CD_ARENA_ARRAY(&w->arena, w->q_least_violation, m->nq);
}

static void set_positions(const continuation* w, const double* q)
{
    cardan_data* d = w->a->d;
    cd_data_set_state(d, d->t, q, d->v, d->state);
}

static bool is_within_budget(const continuation* w)
{
    const cd_assembly* a   = w->a;
    const double       now = a->iterations - w->iterations_before, n = a->use_gram_matrix ? a->nrow : a->nfree;
    return now < max_iterations && now * n * n * (a->nrow + a->nfree) < max_operations;
}

static bool is_fixed(const continuation* w, int j) { return w->target[j].position_mode == CARDAN_START_FIXED; }

// ---- continuation of the fixed values

static int nq_without_quaternion(const cardan_index_range range)
{
    return range.nq > range.nv ? range.nq - 4 : range.nq;
}

// Coordinates of a joint at parameter s; quaternions along the shorter rotation.
static void interpolate_joint(const cardan_index_range range, const double* from, const double* to, double s, double* q)
{
    const int    nplain = nq_without_quaternion(range);
    const double cosine = nplain < range.nq ? from[nplain] * to[nplain] + from[nplain + 1] * to[nplain + 1] +
                                                  from[nplain + 2] * to[nplain + 2] + from[nplain + 3] * to[nplain + 3]
                                            : 1;
    for (int i = 0; i < range.nq; ++i)
        q[i] = i < nplain || cosine >= 0 ? from[i] + s * (to[i] - from[i]) : s * to[i] - (1 - s) * from[i];
    if (nplain < range.nq) q4_normalize(q + nplain);
    if (s >= 1) memcpy(q, to, (size_t)range.nq * sizeof *q);
}

// [rad, lengths] Largest displacement of a fixed joint.
static double max_displacement(const continuation* w)
{
    const cardan_model* m    = w->a->d->m;
    double              most = 0;
    for (int j = 0; j < m->njoint; ++j) {
        if (!is_fixed(w, j)) continue;
        const int nplain = nq_without_quaternion(m->tree_range[j]);
        for (int i = 0; i < m->tree_range[j].nq; ++i) {
            const double distance       = fabs(w->target[j].q[i] - w->origin[j].q[i]);
            const bool   is_translation = i < nplain && !cd_joint_velocity_is_rotation(m, j, i);
            most                        = fmax(most, is_translation ? distance / w->a->length_scale : distance);
        }
    }
    return most;
}

// Set the fixed joints to parameter s, the others as in q.
static void set_parameter(continuation* w, const double* q, double s)
{
    cd_assembly*        a = w->a;
    const cardan_model* m = a->d->m;
    memcpy(a->q_trial, q, (size_t)m->nq * sizeof *q);
    for (int j = 0; j < m->njoint; ++j) {
        const cardan_index_range range = m->tree_range[j];
        if (!is_fixed(w, j)) continue;
        interpolate_joint(range, w->origin[j].q, w->target[j].q, s, a->start[j].q);
        if (range.q >= 0) memcpy(a->q_trial + range.q, a->start[j].q, (size_t)range.nq * sizeof *q);
    }
    set_positions(w, a->q_trial);
    cd_assembly_set_unknowns(a, false, false);
}

// Predict a->q_trial at s + next_step from q at s and q_previous at s - last_step by linear extrapolation.
static void predict(continuation* w, double last_step, double next_step)
{
    cd_assembly*        a = w->a;
    const cardan_model* m = a->d->m;
    cardan_model_position_difference(m, w->q_previous, w->q, a->dq);
    for (int v = 0; v < m->nv; ++v) a->dq[v] *= last_step > 0 ? next_step / last_step : 0;
    cardan_model_integrate_position(m, w->q, a->dq, a->q_trial);
}

// [rad, lengths] Distance from the predicted to the corrected configuration.
static double correction_size(continuation* w)
{
    cd_assembly* a    = w->a;
    double       most = 0;
    cardan_model_position_difference(a->d->m, w->q_predicted, a->d->q, a->dq);
    for (int v = 0; v < a->d->m->nv; ++v) most = fmax(most, fabs(a->dq[v] * a->velocity_unit_inverse[v]));
    return most;
}

// Continue from the assembled configuration w->q at s = 0 to s = 1.
static bool continue_to_target(continuation* w)
{
    const cardan_model* m     = w->a->d->m;
    const size_t        size  = (size_t)m->nq * sizeof *w->q;
    const double displacement = max_displacement(w), max_step = fmin(1, fmax(max_move / displacement, 1.0 / MAX_MOVES)),
                 min_step = ldexp(max_step, -MAX_HALVINGS);
    double s = 0, last_step = 0, step = max_step;
    memcpy(w->q_previous, w->q, size);
    while (s < 1 && is_within_budget(w)) {
        const double next = fmin(1, s + step);
        predict(w, last_step, next - s);
        memcpy(w->q_predicted, w->a->q_trial, size);
        set_parameter(w, w->q_predicted, next);
        const bool converged = cd_assembly_minimize_residual(w->a) <= w->tolerance;
        if (converged && (correction_size(w) <= cd_max_continuation_correction || step <= min_step)) {
            memcpy(w->q_previous, w->q, size);
            memcpy(w->q, w->a->d->q, size);
            last_step = next - s;
            s         = next;
            step      = fmin(max_step, 2 * step);
        } else if (step <= min_step)
            return false;
        else
            step = fmax(min_step, step / 2);
    }
    return s >= 1;
}

// ---- starting points

// Set the origin of the fixed joints, and a configuration of all joints in w->q, not yet assembled.
static void begin_from(continuation* w, continuation_origin from)
{
    const cardan_model* m = w->a->d->m;
    memcpy(w->q, w->a->q_start, (size_t)m->nq * sizeof *w->q);
    for (int j = 0; j < m->njoint; ++j) {
        const cardan_index_range range = m->tree_range[j];
        w->origin[j]                   = w->target[j];
        if (w->target[j].position_mode == CARDAN_START_FREE || (from == FROM_GUESS && !is_fixed(w, j))) continue;
        cd_joint_design_coordinates(m, j, w->origin[j].q);
        if (range.q >= 0) memcpy(w->q + range.q, w->origin[j].q, (size_t)range.nq * sizeof *w->q);
    }
}

// The same with the fixed joints as in the configuration assembled after their release.
static bool begin_released(continuation* w)
{
    cd_assembly* a = w->a;
    double       v[CARDAN_JOINT_VELOCITIES_MAX];
    set_positions(w, a->q_start);
    cd_assembly_set_unknowns(a, false, true);
    const bool converged = cd_assembly_solve_positions(a) <= w->tolerance;
    for (int j = 0; j < a->d->m->njoint; ++j) cardan_data_joint_state(a->d, j, w->origin[j].q, v);
    memcpy(w->q, a->d->q, (size_t)a->d->m->nq * sizeof *w->q);
    return converged;
}

static bool continue_from(continuation* w, continuation_origin from)
{
    if (from == FROM_RELEASED && !begin_released(w)) return false;
    if (from != FROM_RELEASED) begin_from(w, from);
    set_parameter(w, w->q, 0);
    if (cd_assembly_solve_positions(w->a) > w->tolerance) return false;
    memcpy(w->q, w->a->d->q, (size_t)w->a->d->m->nq * sizeof *w->q);
    return continue_to_target(w);
}

// Assemble from random starts: fixed values kept, all others displaced by 0.5 to 3 rad or lengths.
static bool solve_from_random_starts(continuation* w)
{
    cd_assembly* a = w->a;
    for (int attempt = 0; attempt < RANDOM_STARTS && is_within_budget(w); ++attempt) {
        memcpy(a->q_saved, a->q_start, (size_t)a->d->m->nq * sizeof *a->q_saved);
        set_positions(w, a->q_start);
        cd_assembly_set_unknowns(a, false, false);
        cd_assembly_perturb(a, 0.5 * (1 + attempt % 6), attempt + 1);
        if (cd_assembly_minimize_residual(a) <= w->tolerance) return true;
    }
    return false;
}

static bool has_fixed_joint(const continuation* w)
{
    for (int j = 0; j < w->a->d->m->njoint; ++j)
        if (is_fixed(w, j)) return true;
    return false;
}

static void restore_targets(continuation* w)
{
    memcpy(w->a->start, w->target, (size_t)w->a->d->m->njoint * sizeof *w->target);
}

static bool search_all_origins(continuation* w)
{
    const bool has_fixed = has_fixed_joint(w);
    for (continuation_origin from = FROM_GUESS; from < NORIGIN; ++from) {
        if (from != FROM_DESIGN && !has_fixed) continue; // equals the first attempt
        if (continue_from(w, from)) return true;
        restore_targets(w);
    }
    return solve_from_random_starts(w);
}

// Continue from the design configuration if nothing is guessed and fixed joints are so far from it that a
// Levenberg-Marquardt step may lead to another branch.
static bool follow_from_design(continuation* w)
{
    for (int j = 0; j < w->a->d->m->njoint; ++j)
        if (w->target[j].position_mode == CARDAN_START_GUESS) return false;
    begin_from(w, FROM_DESIGN);
    return max_displacement(w) > cd_far_from_design && continue_from(w, FROM_DESIGN);
}

// Set the state to the result of `method`; restore everything if it fails. Returns false without memory.
static bool run_continuation(cd_assembly* a, bool (*method)(continuation*))
{
    const cardan_model* m    = a->d->m;
    const size_t        size = (size_t)m->nq * sizeof *a->q;
    continuation        w    = {.a                 = a,
                                .tolerance         = fmax(cd_assembly_violation_tolerance, a->violation_roundoff),
                                .iterations_before = a->iterations};
    if (!a->dense || a->nfree == 0) return true;
    layout(&w);
    if (!cd_arena_reserve(&w.arena)) return false;
    layout(&w);
    memcpy(w.q_least_violation, a->d->q, size);
    memcpy(w.target, a->start, (size_t)m->njoint * sizeof *w.target);
    const bool found = method(&w);
    restore_targets(&w);
    memcpy(a->q, found ? a->d->q : w.q_least_violation, size);
    set_positions(&w, a->q);
    cd_assembly_set_unknowns(a, false, false);
    cd_arena_release(&w.arena);
    return true;
}

bool cd_assembly_solve_by_continuation(cd_assembly* a, double* violation_after)
{
    const bool has_memory = run_continuation(a, search_all_origins);
    *violation_after      = cd_assembly_residual(a, a->c);
    return has_memory;
}

bool cd_assembly_continue_from_design(cd_assembly* a) { return run_continuation(a, follow_from_design); }
