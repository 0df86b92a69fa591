// SPDX-License-Identifier: BSD-3-Clause
// C'W B y = -C'(q + W p_0) by Cholesky factorization, or LU where contacts slip. Where the matrix is singular: the rows
// that are independent in B'W B (symmetric, semidefinite, whatever slips) give one solution; its part in the null space
// is removed, so that the least p results.
#include "impact/contact_states.h"

#include "impact/contact_states_internal.h"
#include "impact/dense_lu.h"
#include "impact/impact_tolerances.h"
#include "impact/null_space.h"

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

// Cholesky factorization in place; false if a pivot is null.
static bool factor_symmetric(int n, double* A, double* smallest)
{
    for (int i = 0; i < n; ++i) {
        double* row = A + (long)i * n;
        for (int j = 0; j <= i; ++j) {
            const double* other = A + (long)j * n;
            double        sum   = row[j];
            for (int k = 0; k < j; ++k) sum -= row[k] * other[k];
            if (j < i) {
                row[j] = sum * other[j]; // the diagonal holds 1/L_jj
                continue;
            }
            *smallest = fmin(*smallest, sum / row[i]);
            if (!(sum > cd_impact_null_pivot * row[i])) return false;
            row[i] = 1 / sqrt(sum);
        }
    }
    return true;
}

static void solve_symmetric(int n, const double* L, double* x)
{
    for (int i = 0; i < n; ++i) {
        for (int j = 0; j < i; ++j) x[i] -= L[(long)i * n + j] * x[j];
        x[i] *= L[(long)i * n + i];
    }
    for (int i = n - 1; i >= 0; --i) {
        x[i] *= L[(long)i * n + i];
        for (int j = 0; j < i; ++j) x[j] -= L[(long)i * n + j] * x[i];
    }
}

static bool solve_regular(const cd_contact_problem* problem, cd_states_work* work, cd_states_solution* solution)
{
    const int n = work->columns.count;
    for (int i = 0; i < n; ++i) work->y[i] = work->right[i];
    cd_active_columns_matrix(&work->columns, problem, work->matrix);
    if (work->columns.is_symmetric) {
        if (!factor_symmetric(n, work->matrix, &solution->smallest_pivot)) return false;
        solution->determinant = 1;
        solve_symmetric(n, work->matrix, work->y);
        return true;
    }
    solution->determinant = cd_dense_lu(n, work->matrix, work->pivot, cd_impact_null_pivot, &solution->smallest_pivot);
    if (solution->determinant == 0) return false;
    cd_dense_lu_solve(n, work->matrix, work->pivot, work->y);
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

static void remove_null_part(int n, int count, const double* basis, double* y)
{
    for (int v = 0; v < count; ++v) {
        const double* vector = basis + (long)v * n;
        double        dot    = 0;
        for (int i = 0; i < n; ++i) dot += vector[i] * y[i];
        for (int i = 0; i < n; ++i) y[i] -= dot * vector[i];
    }
}

static bool solve_redundant(const cd_contact_problem* problem, cd_states_work* work, cd_states_solution* solution)
{
    const int n = work->columns.count;
    cd_active_columns_gram(&work->columns, problem, work->matrix);
    const int rank       = cd_null_space(n, work->matrix, cd_impact_null_pivot, work->order, work->basis);
    solution->rank       = rank;
    const bool is_solved = solve_independent(problem, work, rank, solution);
    remove_null_part(n, n - rank, work->basis, work->y);
    for (int v = 0; v < n - rank; ++v)
        for (int i = 0; i < n; ++i)
            if (fabs(work->basis[(long)v * n + i]) > cd_impact_null_component)
                solution->is_unique[work->columns.column[i].element] = false;
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
    if (solve_regular(problem, work, solution)) {
        evaluate(problem, work, solution);
        return CD_STATES_UNIQUE;
    }
    const bool is_solved = solve_redundant(problem, work, solution);
    work->nullity        = work->columns.count - solution->rank;
    evaluate(problem, work, solution);
    const double limit = cd_impact_inconsistency * fmax(problem->velocity_scale, largest(problem->nrow, problem->q));
    if (!is_solved || !(solution->inconsistency <= limit)) return CD_STATES_INCONSISTENT;
    return work->nullity > 0 ? CD_STATES_REDUNDANT : CD_STATES_UNIQUE;
}
