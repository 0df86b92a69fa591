// SPDX-License-Identifier: BSD-3-Clause
// If constraint rows are redundant, accelerations are determined on the constraint manifold, but not off it: there
// redundant rows contradict each other, and a solver satisfies the rows that it selected as independent. The same holds
// for derivatives of the accelerations. They are determined along tangent directions of the manifold,
//
//   K (dq, dv) = 0,     K = [ c_q     0    ]
//                           [ cdot_q  cdot_v ]
//
// and their normal part depends on the selected rows: Jacobians A and B of two selections satisfy (A - B) P = 0 with
// P = 1 - U'U, where the orthonormal rows of U span the row space of K. In most mechanisms redundant rows are also
// redundant off the manifold (those out of the plane of a planar loop): then A = B.
#include "generate/routine/runtime_reference.h"
#include "generate/generate_tolerances.h"

#include "dynamics/derivatives/state_jacobian.h"
#include "math/dot_product.h"
#include "math/orthonormal_basis.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

// Rows of K, then an orthonormal basis of its row space.
typedef struct basis {
    size_t  n; // 2 nv
    int     nrow, rank;
    double* U; // (2 nrow x n) the first `rank` rows are the basis
} basis;

// Orthonormalize the rows; dependent rows are dropped. Returns the rank; the basis is in the first rows.
static int orthonormalize_rows(int nrow, size_t n, double* U)
{
    cd_orthonormal_basis rows = {.n = (int)n, .vector = U};
    for (int i = 0; i < nrow; ++i) {
        double* row = U + (size_t)rows.count * n;
        memmove(row, U + (size_t)i * n, n * sizeof *row);
        cd_orthonormal_basis_add(&rows, row, cd_dependent_row_tolerance * sqrt(cd_norm_sq((int)n, row)));
    }
    return rows.count;
}

typedef struct derivative_work {
    cd_state_jacobian s;
    double *          a, *lambda, *by_q, *by_v, *by_s;
} derivative_work;

static void layout(const cardan_data* d, cd_arena* arena, derivative_work* w)
{
    cd_state_jacobian_layout(d, arena, &w->s);
    const size_t n = (size_t)w->s.nresidual, nv = (size_t)d->m->nv;
    CD_ARENA_ARRAY(arena, w->a, nv);
    CD_ARENA_ARRAY(arena, w->lambda, d->rows.nrow);
    CD_ARENA_ARRAY(arena, w->by_q, n * nv);
    CD_ARENA_ARRAY(arena, w->by_v, n * nv);
    CD_ARENA_ARRAY(arena, w->by_s, n * (size_t)d->m->nstate);
}

// Compute K at the state of the data, and whether the rows of cdot_v, which is J, are linearly dependent.
static cardan_status constraint_matrix(cardan_data* d, basis* K, bool* is_redundant)
{
    const size_t    nv    = (size_t)d->m->nv;
    const int       nrow  = d->rows.nrow;
    cd_arena        arena = {0};
    derivative_work w;
    *K            = (basis){.n = 2 * nv, .nrow = nrow, .U = cd_allocate(4 * (size_t)nrow * nv + 1, sizeof *K->U)};
    *is_redundant = false;
    if (!K->U) return CARDAN_NO_MEMORY;
    for (int pass = 0; pass < 2; ++pass) {
        layout(d, &arena, &w);
        if (pass == 0 && !cd_arena_reserve(&arena)) return CARDAN_NO_MEMORY;
    }
    double* J = K->U; // temporarily
    cd_state_jacobian_compute(d, w.a, w.lambda, &w.s, w.by_q, w.by_v, w.by_s);
    for (int i = 0; i < nrow; ++i)
        for (size_t j = 0; j < nv; ++j)
            J[(size_t)i * nv + j] = w.by_v[j * (size_t)w.s.nresidual + (size_t)(w.s.c_rate_offset + i)];
    *is_redundant = orthonormalize_rows(nrow, nv, J) < nrow;
    for (int i = 0; i < nrow; ++i)
        for (size_t j = 0; j < nv; ++j) {
            const size_t c    = j * (size_t)w.s.nresidual + (size_t)(w.s.c_offset + i),
                         rate = j * (size_t)w.s.nresidual + (size_t)(w.s.c_rate_offset + i);
            double *above = K->U + (size_t)i * K->n, *below = above + (size_t)nrow * K->n;
            above[j] = w.by_q[c], above[nv + j] = 0;
            below[j] = w.by_q[rate], below[nv + j] = w.by_v[rate];
        }
    cd_arena_release(&arena);
    return CARDAN_OK;
}

cardan_status cd_runtime_reference_check_determined(cd_runtime_reference* reference, const cd_input_layout* in,
                                                    const double* x, cardan_report* report)
{
    basis         K            = {0};
    bool          is_redundant = false;
    cardan_status status       = cd_runtime_reference_set_state(reference, in, x);
    if (status == CARDAN_OK && reference->data->rows.nrow > 0)
        status = constraint_matrix(reference->data, &K, &is_redundant);
    free(K.U);
    if (status != CARDAN_OK || !is_redundant) return status;
    return cardan_fail(report, CARDAN_UNSUPPORTED, CARDAN_CODE_DERIVATIVES_NOT_COMPARABLE, cardan_location_none(),
                       "constraints of '%s' are redundant, so that accelerations off the constraints depend on the "
                       "rows that are kept, and finite differences of the library cannot check these derivatives; use "
                       "forms 'motion_d' and 'rate_d', or 'equations_d' for those of the equations",
                       reference->data->m->view.name);
}

// First entry of the result `name` among all results, or NULL.
static double* find_result(const cd_routine* routine, const cardan_model* m, const char* name, double* all)
{
    cd_routine_result result[CD_MAX_RESULTS];
    const int         n = routine->describe_results(m, result);
    for (int k = 0; k < n; ++k) {
        if (strcmp(result[k].name, name) == 0) return all;
        all += cd_result_count(&result[k]);
    }
    return NULL;
}

// Add the normal part of A - B to B, row by row: the components of (q, v) along the rows of U.
static void adopt_normal_part(const basis* K, size_t nv, const double* a_q, const double* a_v, double* b_q, double* b_v)
{
    for (size_t i = 0; i < nv; ++i)
        for (int r = 0; r < K->rank; ++r) {
            const double* u   = K->U + (size_t)r * K->n;
            double        sum = 0;
            for (size_t k = 0; k < nv; ++k)
                sum += u[k] * (a_q[i * nv + k] - b_q[i * nv + k]) + u[nv + k] * (a_v[i * nv + k] - b_v[i * nv + k]);
            for (size_t k = 0; k < nv; ++k) b_q[i * nv + k] += sum * u[k], b_v[i * nv + k] += sum * u[nv + k];
        }
}

cardan_status cd_runtime_reference_adopt_normal_part(cd_runtime_reference* reference, const cd_routine* routine,
                                                     const cd_input_layout* in, const double* x, double* value,
                                                     double* expected)
{
    const cardan_model* m   = reference->data->m;
    const size_t        nv  = (size_t)m->nv;
    double *            a_q = find_result(routine, m, "a_q", value), *a_v = find_result(routine, m, "a_v", value);
    double *            b_q = find_result(routine, m, "a_q", expected), *b_v = find_result(routine, m, "a_v", expected),
           difference = 0, largest = 0;
    if (!(routine->arguments & CD_TAKES_STATE) || !a_q || !a_v || reference->data->rows.nrow == 0) return CARDAN_OK;
    for (size_t i = 0; i < nv * nv; ++i) {
        difference = fmax(difference, fmax(fabs(a_q[i] - b_q[i]), fabs(a_v[i] - b_v[i])));
        largest    = fmax(largest, fmax(fabs(b_q[i]), fabs(b_v[i])));
    }
    if (!(difference > cd_negligible_jacobian_difference * largest) || !isfinite(difference)) return CARDAN_OK;
    basis         K            = {0};
    bool          is_redundant = false;
    cardan_status status       = cd_runtime_reference_set_state(reference, in, x);
    if (status == CARDAN_OK) status = constraint_matrix(reference->data, &K, &is_redundant);
    if (status == CARDAN_OK && is_redundant) {
        K.rank = orthonormalize_rows(2 * K.nrow, K.n, K.U);
        adopt_normal_part(&K, nv, a_q, a_v, b_q, b_v);
    }
    free(K.U);
    return status;
}
