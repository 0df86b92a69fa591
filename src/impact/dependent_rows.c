// SPDX-License-Identifier: BSD-3-Clause
// C'W B y = right with dependent rows and independent columns: four feet of a body slide in four directions on a plane, but
// have only three normal motions. With the independent rows A of C'W B, the least y is
//
//   y = A'(A A')^-1 right
//
// Forces that differ by the null space of A satisfy the rows too, but the motion along the surface differs: it is not
// determined by Coulomb's law and rigid bodies, and the least y is one choice.
#include "impact/contact_states_internal.h"
#include "impact/dense_lu.h"
#include "impact/impact_tolerances.h"
#include "impact/null_space.h"

#include <math.h>

// G = A A' of the rows I[0 .. count - 1] of A (n x n, column major)
static void multiply_rows(int n, const double* A, int count, const int* I, double* G)
{
    for (int i = 0; i < count; ++i)
        for (int j = 0; j <= i; ++j) {
            double sum = 0;
            for (int k = 0; k < n; ++k) sum += A[(long)k * n + I[i]] * A[(long)k * n + I[j]];
            G[(long)i * count + j] = G[(long)j * count + i] = sum;
        }
}

// Components of y that have a part in the null space of A are not unique.
static void mark_not_unique(int n, const double* A, int rank, const double* G, cd_states_work* work, bool* is_unique)
{
    for (int k = 0; k < n; ++k) {
        double part = 1;
        for (int i = 0; i < rank; ++i) work->sub[i] = A[(long)k * n + work->order[i]];
        cd_dense_lu_solve(rank, G, work->pivot, work->sub);
        for (int i = 0; i < rank; ++i) part -= A[(long)k * n + work->order[i]] * work->sub[i];
        if (part > cd_impact_null_component) is_unique[work->columns.column[k].element] = false;
    }
}

static bool satisfies_rows(int n, const double* A, const cd_states_work* work)
{
    double largest = 0, residual = 0;
    for (int i = 0; i < n; ++i) {
        double sum = -work->right[i];
        for (int k = 0; k < n; ++k) sum += A[(long)k * n + i] * work->y[k];
        largest  = fmax(largest, fabs(work->right[i]));
        residual = fmax(residual, fabs(sum));
    }
    return residual <= cd_impact_inconsistency * largest;
}

bool cd_states_solve_dependent_rows(const cd_contact_problem* problem, cd_states_work* work,
                                    cd_states_solution* solution)
{
    const int n = work->columns.count;
    double *  A = work->matrix, *G = work->null_force;
    cd_active_columns_matrix(&work->columns, problem, A);
    for (int i = 0; i < n; ++i) work->order[i] = i;
    multiply_rows(n, A, n, work->order, G);
    const int rank = cd_null_space(n, G, cd_impact_null_pivot, work->order, work->basis);
    if (rank == n) return false;
    multiply_rows(n, A, rank, work->order, G);
    if (cd_dense_lu(rank, G, work->pivot, cd_impact_singular_pivot, &solution->smallest_pivot) == 0) return false;
    for (int i = 0; i < rank; ++i) work->sub[i] = work->right[work->order[i]];
    cd_dense_lu_solve(rank, G, work->pivot, work->sub);
    for (int k = 0; k < n; ++k) {
        work->y[k] = 0;
        for (int i = 0; i < rank; ++i) work->y[k] += A[(long)k * n + work->order[i]] * work->sub[i];
    }
    if (!satisfies_rows(n, A, work)) return false;
    solution->rank        = rank;
    solution->determinant = 1;
    mark_not_unique(n, A, rank, G, work, solution->is_unique);
    return true;
}
