// SPDX-License-Identifier: BSD-3-Clause
// C'W B y = -C'(q + W p_0) by Cholesky factorization, or LU where contacts slip. Where the matrix is singular, the rows
// that are independent in B'W B (symmetric, semidefinite, whatever slips) give one solution; its part in the null space
// is removed, so that the least p results.
#include "impact/contact_states.h"

#include "impact/contact_states_internal.h"
#include "impact/dense_lu.h"
#include "impact/impact_tolerances.h"
#include "impact/semidefinite.h"

#include <math.h>

cd_states_work* cd_states_work_layout(cd_arena* arena, int max_rows, int max_elements)
{
    cd_states_work  measured = {0};
    cd_states_work* work     = cd_arena_allocate(arena, 1, sizeof *work);
    cd_states_work* w        = work ? work : &measured;
    const size_t    n        = (size_t)max_rows;
    cd_active_columns_layout(arena, max_rows, &w->columns);
    CD_ARENA_ARRAY(arena, w->matrix, n * n);
    CD_ARENA_ARRAY(arena, w->basis, n * n);
    CD_ARENA_ARRAY(arena, w->y, n);
    CD_ARENA_ARRAY(arena, w->right, n);
    CD_ARENA_ARRAY(arena, w->sub, n);
    CD_ARENA_ARRAY(arena, w->order, n);
    CD_ARENA_ARRAY(arena, w->pivot, n);
    cd_states_cones_layout(arena, max_rows, max_elements, w);
    return work;
}

static void add_row(cd_active_columns* c, const cd_contact_problem* problem, int element, int row)
{
    cd_active_columns_add(c, problem, element, row);
}

// Rows of a point: sets of friction that slip share the column of the normal row.
static void add_point(cd_active_columns* c, const cd_contact_problem* problem, int element, const cd_element_state* s)
{
    const cd_contact_element* e          = &problem->element[element];
    const bool                is_sliding = e->kind == CD_ELEMENT_SLIDING;
    const double*             slip       = is_sliding ? e->direction : s->slip;
    add_row(c, problem, element, e->row);
    if (e->mu > 0 && (is_sliding || s->slips))
        for (int k = 0; k < 2; ++k) {
            cd_active_columns_extend(c, e->row + 1 + k, -e->mu * slip[k]);
            c->p0[e->row + 1 + k] = -e->mu * e->preload * slip[k];
        }
    if (e->nrow == 6 && e->spinning > 0 && s->spins) cd_active_columns_extend(c, e->row + 3, -e->spinning * s->spin);
    if (e->nrow == 6 && e->rolling > 0 && s->rolls)
        for (int k = 0; k < 2; ++k) cd_active_columns_extend(c, e->row + 4 + k, -e->rolling * s->roll[k]);
    cd_active_columns_finish(c, problem);
    if (e->mu > 0 && !is_sliding && !s->slips)
        for (int k = 0; k < 2; ++k) add_row(c, problem, element, e->row + 1 + k);
    if (e->nrow == 6 && e->spinning > 0 && !s->spins) add_row(c, problem, element, e->row + 3);
    if (e->nrow == 6 && e->rolling > 0 && !s->rolls)
        for (int k = 0; k < 2; ++k) add_row(c, problem, element, e->row + 4 + k);
}

void cd_states_select(const cd_contact_problem* problem, const cd_element_state* state, cd_active_columns* c)
{
    cd_active_columns_clear(c, problem);
    for (int i = 0; i < problem->nelement; ++i) {
        const cd_contact_element* e = &problem->element[i];
        if (state[i].is_open && e->kind != CD_ELEMENT_BILATERAL && e->kind != CD_ELEMENT_FRICTION) continue;
        switch (e->kind) {
        case CD_ELEMENT_POINT:
        case CD_ELEMENT_SLIDING:
            add_point(c, problem, i, &state[i]);
            break;
        case CD_ELEMENT_LIMIT:
            add_row(c, problem, i, e->row);
            break;
        case CD_ELEMENT_FRICTION:
            if (state[i].slips)
                c->p0[e->row] = -e->bound * state[i].slip[0];
            else
                add_row(c, problem, i, e->row);
            break;
        case CD_ELEMENT_BILATERAL:
            for (int k = 0; k < e->nrow; ++k) add_row(c, problem, i, e->row + k);
            break;
        }
    }
}

static void right_side(const cd_contact_problem* problem, cd_states_work* work)
{
    const cd_active_columns* c = &work->columns;
    for (int i = 0; i < c->count; ++i) {
        const int     row = c->column[i].row[0];
        const double* W   = problem->W + (long)row * problem->nrow;
        double        sum = problem->q[row];
        for (int j = 0; j < problem->nrow; ++j) sum += W[j] * c->p0[j];
        work->right[i] = -sum * c->column[i].weight;
    }
}

static void mark_redundant(cd_states_work* work, cd_states_solution* solution)
{
    const int n = work->columns.count;
    for (int v = 0; v < work->nullity; ++v)
        for (int i = 0; i < n; ++i)
            if (fabs(work->basis[(long)v * n + i]) > cd_impact_null_component)
                solution->is_unique[work->columns.column[i].element] = false;
}

// Factor B'W B; null space into work->basis.
static cd_semidefinite factor_gram(cd_states_work* work, cd_states_solution* solution)
{
    cd_semidefinite factor = {.n = work->columns.count, .L = work->matrix, .order = work->order};
    cd_semidefinite_factor(&factor, cd_impact_null_pivot);
    solution->rank = factor.rank;
    work->nullity  = factor.n - factor.rank;
    if (work->nullity > 0) cd_semidefinite_null_space(&factor, work->basis);
    return factor;
}

// The part of y in the null space is removed.
static void take_least(cd_states_work* work)
{
    const int     n = work->columns.count, count = work->nullity;
    double* const gram = work->basis + (long)count * n; // rows that are not in use
    if (count == 0) return;
    if ((long)count * count <= (long)(n - count) * n)
        cd_remove_null_part(n, count, work->basis, gram, work->sub, work->y);
    else
        cd_remove_null_part(n, count, work->basis, work->matrix, work->sub, work->y);
}

static bool solve_symmetric(const cd_contact_problem* problem, cd_states_work* work, cd_states_solution* solution)
{
    cd_active_columns_gram(&work->columns, problem, work->matrix);
    const cd_semidefinite factor = factor_gram(work, solution);
    solution->determinant        = work->nullity == 0;
    solution->smallest_pivot     = work->nullity == 0 ? factor.smallest : 0;
    cd_semidefinite_solve(&factor, work->y);
    take_least(work);
    return true;
}

// Of the independent rows: matrix of rows and columns order[0 .. rank - 1].
static bool solve_independent(const cd_contact_problem* problem, cd_states_work* work, int rank,
                              cd_states_solution* solution)
{
    const int     n = work->columns.count;
    const int*    I = work->order;
    double* const A = work->matrix;
    cd_active_columns_matrix(&work->columns, problem, A);
    double* const packed = work->basis + (long)(n - rank) * n; // rows of the basis that are not in use
    for (int j = 0; j < rank; ++j) {
        work->sub[j] = work->right[I[j]];
        for (int i = 0; i < rank; ++i) packed[(long)j * rank + i] = A[(long)I[j] * n + I[i]];
    }
    solution->determinant = cd_dense_lu(rank, packed, work->pivot, cd_impact_singular_pivot, &solution->smallest_pivot);
    for (int i = 0; i < n; ++i) work->y[i] = 0;
    if (solution->determinant == 0) return false;
    cd_dense_lu_solve(rank, packed, work->pivot, work->sub);
    for (int i = 0; i < rank; ++i) work->y[I[i]] = work->sub[i];
    return true;
}

static bool solve_nonsymmetric(const cd_contact_problem* problem, cd_states_work* work, cd_states_solution* solution)
{
    cd_active_columns_matrix(&work->columns, problem, work->matrix);
    solution->determinant =
        cd_dense_lu(work->columns.count, work->matrix, work->pivot, cd_impact_null_pivot, &solution->smallest_pivot);
    if (solution->determinant != 0) {
        cd_dense_lu_solve(work->columns.count, work->matrix, work->pivot, work->y);
        return true;
    }
    if (cd_states_solve_dependent_rows(problem, work, solution)) return true;
    cd_active_columns_gram(&work->columns, problem, work->matrix);
    factor_gram(work, solution);
    const bool is_solved = solve_independent(problem, work, solution->rank, solution);
    take_least(work);
    return is_solved;
}

static void evaluate(const cd_contact_problem* problem, cd_states_work* work, cd_states_solution* solution)
{
    for (int i = 0; i < problem->nrow; ++i) solution->p[i] = work->columns.p0[i];
    cd_active_columns_expand(&work->columns, work->y, solution->p);
    for (int i = 0; i < problem->nrow; ++i) {
        const double* W   = problem->W + (long)i * problem->nrow;
        double        sum = problem->q[i];
        for (int j = 0; j < problem->nrow; ++j) sum += W[j] * solution->p[j];
        solution->u[i] = sum;
    }
    solution->inconsistency = 0;
    for (int i = 0; i < work->columns.count; ++i)
        solution->inconsistency = fmax(solution->inconsistency, fabs(solution->u[work->columns.column[i].row[0]]));
}

static double largest(int n, const double* q)
{
    double value = 0;
    for (int i = 0; i < n; ++i) value = fmax(value, fabs(q[i]));
    return value;
}

cd_states_status cd_contact_states_solve(const cd_contact_problem* problem, const cd_element_state* state,
                                         cd_states_work* work, cd_states_solution* solution)
{
    cd_states_select(problem, state, &work->columns);
    right_side(problem, work);
    for (int i = 0; i < problem->nelement; ++i) solution->is_unique[i] = true;
    solution->nfree = solution->rank = work->columns.count;
    solution->smallest_pivot         = 1;
    work->nullity                    = 0;
    for (int i = 0; i < work->columns.count; ++i) work->y[i] = work->right[i];
    const bool is_solved = work->columns.is_symmetric ? solve_symmetric(problem, work, solution)
                                                      : solve_nonsymmetric(problem, work, solution);
    mark_redundant(work, solution);
    evaluate(problem, work, solution);
    if (is_solved && work->nullity == 0)
        return solution->rank < solution->nfree ? CD_STATES_REDUNDANT : CD_STATES_UNIQUE;
    const double limit = cd_impact_inconsistency * fmax(problem->velocity_scale, largest(problem->nrow, problem->q));
    if (!is_solved || !(solution->inconsistency <= limit)) return CD_STATES_INCONSISTENT;
    return CD_STATES_REDUNDANT;
}
