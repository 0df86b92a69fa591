// SPDX-License-Identifier: BSD-3-Clause
// W may be singular: then p + z with W z = 0 gives the same velocities. With an orthonormal basis N of these z on the
// rows that are active, in the norm of D = diag(W), the nearest point to the start values p_0 is
//
//   p + N N'D (p_0 - p)
//
// If it leaves the cones, the nearest point inside the cones is the solution of a quadratic program,
//
//   minimize |x - N'D (p_0 - p)|^2 / 2   subject to   p + N x in K
#include "impact/cone/contact_work.h"
#include "impact/impact_tolerances.h"
#include "impact/null_space.h"

#include <math.h>

static double scaled_norm(const cd_contact_problem* problem, const cd_contact_element* e, int element, int local,
                          int count, const double* u)
{
    double square = 0;
    for (int i = local; i < local + count; ++i) square += u[e->row + i] * u[e->row + i];
    return sqrt(square) * cd_contact_row_scale(problem, element, e->row) /
           cd_contact_row_scale(problem, element, e->row + local);
}

static void unit(const double* u, int n, double* direction)
{
    const double norm = n == 1 ? fabs(u[0]) : hypot(u[0], u[1]);
    for (int i = 0; i < n; ++i) direction[i] = u[i] / norm;
}

static cd_element_state read_state(const cd_contact_problem* problem, int element, const double* u, double limit)
{
    const cd_contact_element* e     = &problem->element[element];
    cd_element_state          state = {.slip = {1, 0}, .spin = 1, .roll = {1, 0}};
    const double*             row   = u + e->row;
    if (e->kind == CD_ELEMENT_BILATERAL) return state;
    if (e->kind == CD_ELEMENT_FRICTION) {
        state.slips   = fabs(row[0]) > limit;
        state.slip[0] = row[0] < 0 ? -1 : 1;
        return state;
    }
    state.is_open = row[0] + e->shift > limit;
    if (e->kind != CD_ELEMENT_POINT) return state;
    state.slips = scaled_norm(problem, e, element, 1, 2, u) > limit;
    if (state.slips) unit(row + 1, 2, state.slip);
    if (e->nrow < 6) return state;
    state.spins = scaled_norm(problem, e, element, 3, 1, u) > limit;
    state.rolls = scaled_norm(problem, e, element, 4, 2, u) > limit;
    if (state.spins) unit(row + 3, 1, &state.spin);
    if (state.rolls) unit(row + 4, 2, state.roll);
    return state;
}

// Rows of work->states->basis: null space of B'W B. Returns their number.
static int find_null_space(const cd_contact_problem* problem, cd_contact_work* work)
{
    cd_states_work* s = work->states;
    cd_states_select(problem, work->state, &s->columns);
    cd_active_columns_gram(&s->columns, problem, s->matrix);
    s->nullity =
        s->columns.count - cd_null_space(s->columns.count, s->matrix, cd_impact_null_pivot, s->order, s->basis);
    return s->nullity;
}

// sqrt(sum d p^2)
static double impulse_size(const cd_contact_problem* problem, const double* p)
{
    double square = 0;
    for (int i = 0; i < problem->nrow; ++i) square += problem->W[(long)i * (problem->nrow + 1)] * p[i] * p[i];
    return sqrt(square);
}

// Impulses of the null vectors times `size`, and c = -N'D (p0 - p)/size. Returns false if p is p0 on the active
// rows up to round-off.
static bool set_goal(const cd_contact_problem* problem, cd_contact_work* work, const double* p)
{
    cd_states_work* s    = work->states;
    const int       n    = s->columns.count;
    double          size = 0;
    for (int i = 0; i < problem->nrow; ++i) work->p[i] = work->p0[i] - p[i] + s->columns.p0[i];
    cd_active_columns_restrict(&s->columns, problem, work->p, s->y);
    for (int i = 0; i < n; ++i) size += s->y[i] * s->y[i];
    size = sqrt(size);
    if (!(size > cd_impact_no_change * impulse_size(problem, work->p0))) return false;
    for (int v = 0; v < s->nullity; ++v) {
        double* force = s->null_force + (long)v * problem->nrow;
        double  dot   = 0;
        for (int i = 0; i < problem->nrow; ++i) force[i] = 0;
        cd_active_columns_expand(&s->columns, s->basis + (long)v * n, force);
        for (int i = 0; i < problem->nrow; ++i) force[i] *= size;
        for (int i = 0; i < n; ++i) dot += s->basis[(long)v * n + i] * s->y[i];
        s->c[v] = -dot / size;
    }
    return true;
}

static void move(const cd_contact_problem* problem, cd_contact_work* work, const double* p, const double* x,
                 double sign)
{
    const cd_states_work* s = work->states;
    for (int i = 0; i < problem->nrow; ++i) work->p[i] = p[i];
    for (int v = 0; v < s->nullity; ++v)
        for (int i = 0; i < problem->nrow; ++i) work->p[i] += sign * x[v] * s->null_force[(long)v * problem->nrow + i];
}

static double largest(int n, const double* p)
{
    double value = 0;
    for (int i = 0; i < n; ++i) value = fmax(value, fabs(p[i]));
    return value;
}

static void project_into_cones(const cd_contact_problem* problem, cd_contact_work* work, const double* p)
{
    cd_states_work* s = work->states;
    const int       n = s->nullity, limit = 60;
    const double    scale = fmax(largest(problem->nrow, p), 1e-300);
    for (int i = 0; i < n; ++i)
        for (int j = 0; j < n; ++j) s->H[i * n + j] = i == j;
    cd_states_build_cones(problem, work->state, s, p, scale, false);
    s->program.n            = n;
    s->program.H            = s->H;
    s->program.c            = s->c;
    s->program.is_symmetric = true;
    cd_interior_point_solve(&s->program, &s->interior, s->x, 1e-14, limit);
    move(problem, work, p, s->x, 1);
}

static void mark_unique(cd_contact_work* work, cd_contact_solution* solution)
{
    const cd_states_work* s = work->states;
    const int             n = s->columns.count;
    for (int v = 0; v < s->nullity; ++v)
        for (int i = 0; i < n; ++i)
            if (fabs(s->basis[(long)v * n + i]) > cd_impact_null_component)
                solution->is_unique[s->columns.column[i].element] = false;
}

static void read_states(const cd_contact_problem* problem, cd_contact_work* work, const double* u, double limit)
{
    for (int i = 0; i < problem->nelement; ++i) work->state[i] = read_state(problem, i, u, limit);
}

// work->p: the point nearest to the start values among p + N x; N: rows of the basis.
static void find_nearest(const cd_contact_problem* problem, cd_contact_work* work, const double* p)
{
    if (!set_goal(problem, work, p)) {
        for (int i = 0; i < problem->nrow; ++i) work->p[i] = p[i];
        return;
    }
    move(problem, work, p, work->states->c, -1);
    const double roundoff = cd_impact_cone_roundoff * largest(problem->nrow, work->p);
    if (cd_states_margin(problem, work->state, work->p) < -roundoff) project_into_cones(problem, work, p);
}

// Take work->p if its residual is at most `limit`.
static bool take(const cd_contact_problem* problem, cd_contact_work* work, cd_contact_solution* solution, double limit)
{
    const double residual = cd_contact_residual(problem, work->p, work->u);
    if (!(residual <= limit)) return false;
    for (int i = 0; i < problem->nrow; ++i) {
        solution->p[i] = work->p[i];
        solution->u[i] = work->u[i];
    }
    solution->residual = residual;
    return true;
}

// Do the velocities agree with the states: open contacts do not approach, friction that slips opposes the velocity?
static bool has_consistent_velocities(const cd_contact_problem* problem, const cd_contact_work* work, const double* u)
{
    const double tolerance = cd_impact_consistent_velocity * problem->velocity_scale;
    for (int i = 0; i < problem->nelement; ++i) {
        const cd_contact_element* e     = &problem->element[i];
        const cd_element_state*   state = &work->state[i];
        const double*             row   = u + e->row;
        if (e->kind == CD_ELEMENT_BILATERAL) continue;
        if (e->kind == CD_ELEMENT_FRICTION) {
            if (state->slips && row[0] * state->slip[0] < -tolerance) return false;
            continue;
        }
        if (state->is_open && row[0] + e->shift < -tolerance) return false;
        if (state->is_open || !state->slips || e->kind != CD_ELEMENT_POINT) continue;
        const double along = row[1] * state->slip[0] + row[2] * state->slip[1];
        if (along < 0 || fabs(row[2] * state->slip[0] - row[1] * state->slip[1]) > tolerance) return false;
    }
    return true;
}

double cd_try_states(const cd_contact_problem* problem, cd_contact_work* work, const double* u, double limit)
{
    cd_states_solution linear = {.p = work->state_p, .u = work->state_u, .is_unique = work->is_unique};
    read_states(problem, work, u, limit);
    if (cd_contact_states_solve(problem, work->state, work->states, &linear) == CD_STATES_INCONSISTENT) return INFINITY;
    if (!has_consistent_velocities(problem, work, work->state_u)) return INFINITY;
    find_nearest(problem, work, work->state_p);
    return cd_contact_residual(problem, work->p, work->u);
}

static bool is_same_state(const cd_element_state* a, const cd_element_state* b)
{
    return a->is_open == b->is_open && a->slips == b->slips && a->spins == b->spins && a->rolls == b->rolls;
}

// Close to the limit of friction of several contacts the residual hardly depends on the velocity of slip. States that
// are read with a coarse limit, where they differ from those of the fine one, are tried as equations.
static void try_coarse_states(const cd_contact_problem* problem, cd_contact_work* work, cd_contact_solution* solution,
                              double fine)
{
    const double coarse = cd_impact_coarse_velocity * problem->velocity_scale;
    bool         is_new = false;
    for (int i = 0; i < problem->nelement; ++i) {
        const cd_element_state a = read_state(problem, i, solution->u, fine);
        const cd_element_state b = read_state(problem, i, solution->u, coarse);
        if (!is_same_state(&a, &b)) is_new = true;
    }
    if (!is_new || !isfinite(cd_try_states(problem, work, solution->u, coarse))) return;
    take(problem, work, solution, fmax(solution->residual, cd_impact_roundoff * problem->velocity_scale));
}

void cd_least_change(const cd_contact_problem* problem, cd_contact_work* work, cd_contact_solution* solution,
                     double tolerance)
{
    const double v    = problem->velocity_scale;
    const double fine = fmax(cd_impact_state_velocity * v, 10 * solution->residual);
    try_coarse_states(problem, work, solution, cd_impact_fine_velocity * v);
    for (int i = 0; i < problem->nelement; ++i) solution->is_unique[i] = true;
    read_states(problem, work, solution->u, fine);
    if (find_null_space(problem, work) == 0) return;
    mark_unique(work, solution);
    find_nearest(problem, work, solution->p);
    take(problem, work, solution, fmax(solution->residual, tolerance * v));
}
