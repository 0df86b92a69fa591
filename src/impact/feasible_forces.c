// SPDX-License-Identifier: BSD-3-Clause
// Admissible forces of redundant contacts: largest t with
//
//   p = p_0 + N x,   p_n >= t,   |p_t| <= mu p_n - sqrt(1 + mu^2) t,   t <= scale of the forces
//
// N: forces that cause no accelerations. The bound on t makes it finite where contacts can be pressed together at
// will. An interior point method solves it with a term 1e-10 |x|^2/2, so that x is determined.
#include "impact/contact_states_internal.h"
#include "impact/impact_tolerances.h"

#include <math.h>

void cd_states_cones_layout(cd_arena* arena, int max_rows, int max_elements, cd_states_work* work)
{
    const int  cones = 4 * max_elements + 1, rows = 2 * max_rows + 4 * max_elements + 1, n = max_rows + 1;
    const long entries = (long)rows * n;
    cd_cone_rows_layout(arena, cones, rows, entries, &work->program.rows);
    cd_interior_point_layout(arena, n, cones, rows, &work->interior);
    int*    shifted;
    double* shift_by;
    CD_ARENA_ARRAY(arena, shifted, cones);
    CD_ARENA_ARRAY(arena, shift_by, cones);
    work->program.shifted  = shifted;
    work->program.shift_by = shift_by;
    for (int i = 0; shifted && i < cones; ++i) shifted[i] = -1;
    CD_ARENA_ARRAY(arena, work->H, (size_t)n * (size_t)n);
    CD_ARENA_ARRAY(arena, work->c, n);
    CD_ARENA_ARRAY(arena, work->x, n);
    CD_ARENA_ARRAY(arena, work->null_force, (size_t)max_rows * (size_t)max_rows);
}

typedef struct margin_set { // |p_t| <= factor p_n + bound - weight margin; nrow 0: p_n >= margin
    int    row, nrow, normal;
    double factor, bound, weight;
} margin_set;

// Sets of an element in its state; returns their number.
static int list_sets(const cd_contact_element* e, const cd_element_state* s, margin_set set[4])
{
    int count = 0;
    if (e->kind == CD_ELEMENT_BILATERAL) return 0;
    if (e->kind == CD_ELEMENT_FRICTION) {
        if (!s->slips) set[count++] = (margin_set){e->row, 1, -1, 0, e->bound, 1};
        return count;
    }
    if (s->is_open) return 0;
    set[count++] = (margin_set){e->row, 0, e->row, 1, 0, 1};
    if (e->kind != CD_ELEMENT_POINT) return count;
    if (e->mu > 0 && !s->slips)
        set[count++] = (margin_set){e->row + 1, 2, e->row, e->mu, e->mu * e->preload, sqrt(1 + e->mu * e->mu)};
    if (e->nrow < 6) return count;
    if (e->spinning > 0 && !s->spins) set[count++] = (margin_set){e->row + 3, 1, e->row, e->spinning, 0, e->spinning};
    if (e->rolling > 0 && !s->rolls) set[count++] = (margin_set){e->row + 4, 2, e->row, e->rolling, 0, e->rolling};
    return count;
}

static double set_margin(const margin_set* set, const double* p)
{
    double size = set->bound;
    if (set->normal >= 0) size += set->factor * p[set->normal];
    if (set->nrow == 1) size -= fabs(p[set->row]);
    if (set->nrow == 2) size -= hypot(p[set->row], p[set->row + 1]);
    return size / set->weight;
}

static double own_margin(const cd_contact_problem* problem, const cd_element_state* state, const double* p)
{
    double margin = INFINITY;
    for (int i = 0; i < problem->nelement; ++i) {
        margin_set set[4];
        const int  count = list_sets(&problem->element[i], &state[i], set);
        for (int k = 0; k < count; ++k) margin = fmin(margin, set_margin(&set[k], p));
    }
    return margin;
}

// One row: factor times p of `row` + bound - weight t, in units of `scale`.
static void add_row(cd_states_work* work, const cd_contact_problem* problem, const double* p, double scale, int row,
                    double factor, double bound, double weight)
{
    cd_cone_rows* rows  = &work->program.rows;
    const int     count = work->nullity;
    cd_cone_rows_begin_row(rows, ((row >= 0 ? factor * p[row] : 0) + bound) / scale);
    for (int v = 0; row >= 0 && v < count; ++v)
        cd_cone_rows_add(rows, v, factor * work->null_force[(long)v * problem->nrow + row] / scale);
    if (weight != 0) cd_cone_rows_add(rows, count, -weight);
}

static void build(const cd_contact_problem* problem, const cd_element_state* state, cd_states_work* work,
                  const double* p, double scale)
{
    cd_cone_rows* rows = &work->program.rows;
    cd_cone_rows_clear(rows);
    for (int i = 0; i < problem->nelement; ++i) {
        margin_set set[4];
        const int  count = list_sets(&problem->element[i], &state[i], set);
        for (int k = 0; k < count; ++k) {
            cd_cone_rows_begin_cone(rows);
            add_row(work, problem, p, scale, set[k].normal, set[k].factor / set[k].weight, set[k].bound / set[k].weight,
                    1);
            for (int r = 0; r < set[k].nrow; ++r)
                add_row(work, problem, p, scale, set[k].row + r, 1 / set[k].weight, 0, 0);
        }
    }
    cd_cone_rows_begin_cone(rows); // t <= 1
    add_row(work, problem, p, scale, -1, 0, scale, 1);
}

// Impulses of the null vectors, of the size of p.
static void null_forces(const cd_contact_problem* problem, cd_states_work* work, double scale)
{
    for (int v = 0; v < work->nullity; ++v) {
        double* force   = work->null_force + (long)v * problem->nrow;
        double  largest = 0;
        for (int i = 0; i < problem->nrow; ++i) force[i] = 0;
        cd_active_columns_expand(&work->columns, work->basis + (long)v * work->columns.count, force);
        for (int i = 0; i < problem->nrow; ++i) largest = fmax(largest, fabs(force[i]));
        for (int i = 0; i < problem->nrow; ++i) force[i] *= scale / largest;
    }
}

static bool maximize(cd_states_work* work)
{
    const int n = work->nullity + 1;
    for (int i = 0; i < n * n; ++i) work->H[i] = 0;
    for (int i = 0; i < n; ++i) {
        work->H[i * n + i] = 1e-10;
        work->c[i]         = i == n - 1 ? -1 : 0;
    }
    work->program.n            = n;
    work->program.H            = work->H;
    work->program.c            = work->c;
    work->program.is_symmetric = true;
    const int limit            = 60;
    cd_interior_point_solve(&work->program, &work->interior, work->x, 1e-13, limit);
    return isfinite(work->x[n - 1]);
}

double cd_contact_feasible_forces(const cd_contact_problem* problem, const cd_element_state* state,
                                  cd_states_work* work, cd_states_solution* solution)
{
    const double own   = own_margin(problem, state, solution->p);
    double       scale = 0;
    for (int i = 0; i < problem->nrow; ++i) scale = fmax(scale, fabs(solution->p[i]));
    if (own >= -cd_impact_cone_roundoff * scale || work->nullity == 0 || scale == 0) return own;
    null_forces(problem, work, scale);
    build(problem, state, work, solution->p, scale);
    if (!maximize(work)) return own;
    for (int v = 0; v < work->nullity; ++v)
        for (int i = 0; i < problem->nrow; ++i)
            solution->p[i] += work->x[v] * work->null_force[(long)v * problem->nrow + i];
    return own_margin(problem, state, solution->p);
}
