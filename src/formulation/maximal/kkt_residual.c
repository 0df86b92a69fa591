// SPDX-License-Identifier: BSD-3-Clause
// Residual of the equations of `lagrange`,
//
//   x = (r - M a - J'lambda, gamma - J a + C lambda),
//
// once from inertias and rows, and once from the factor during the backward substitution, at almost no cost. The latter
// omits equations of bodies without updates: their accelerations are computed from exactly these equations.
#include "math/block_ldl/block_kernels.h"
#include "formulation/formulation_tolerances.h"
#include "formulation/maximal/lagrange.h"
#include "math/norm_inf.h"

#include <math.h>

enum { PREFETCH_DISTANCE = 16 }; // constraints by which memory is prefetched

// r rows of a block on one body: sum (r) -= J a, x (6) -= J'lambda; and the largest terms of J a.
CD_KERNEL void body_residual(const real* J, int nv, const real* a, const real* lambda, simd6* sum, simd6* size, real* x,
                             int r)
{
    simd6 at, residual, row[CD_BLOCK_MAX_ROWS], product;
    simd6_load(&at, a, 6);
    simd6_load(&residual, x, 6);
    CD_UNROLL for (int i = 0; i < r; ++i)
    {
        simd6_load(&row[i], J + i * nv, 6);
        simd6_sub_scaled(&residual, &row[i], lambda[i], 0, 6);
    }
    simd6_dots(&product, row, &at, r);
    simd6_sub(sum, &product, r);
    simd6_max_abs(size, &product, r);
    simd6_store(&residual, x, 6);
}

// Separate the residual of redundant rows, which the solution does not satisfy, from that of the others.
CD_KERNEL void separate_redundant_rows(cd_kkt_residual* residual, const cd_row_block* b, simd6* sum, int r)
{
    const bool* null = residual->S->F.is_null + residual->p->m->nv + b->row;
    real        e[CD_BLOCK_MAX_ROWS];
    simd6_to_array(sum, e, r);
    CD_UNROLL for (int i = 0; i < r; ++i)
    {
        if (!null[i]) continue;
        residual->norms.redundant_residual =
            cd_max_propagate_nan(residual->norms.redundant_residual, fabs(r_value(e[i])));
        e[i] = r_const(0);
    }
    simd6_from_array(sum, e, r);
}

// Compute the residual of one constraint of r rows; sum stays in registers from body to body.
CD_KERNEL void constraint_residual(cd_kkt_residual* residual, const cd_row_block* b, real* x, simd6* size,
                                   simd6* max_residual, int r)
{
    const real* lambda = residual->lambda + b->row;
    simd6       sum;
    simd6_load_unpadded(&sum, residual->gamma + b->row, r);
    simd6_max_abs(size, &sum, r);
    if (residual->p->rows->compliance) {
        real e[CD_BLOCK_MAX_ROWS];
        for (int i = 0; i < r; ++i)
            e[i] = r_add(residual->gamma[b->row + i],
                         r_mul(r_const(residual->p->rows->compliance[b->row + i]), lambda[i]));
        simd6_from_array(&sum, e, r);
    }
    for (int j = 0; j < b->nv; j += 6)
        body_residual(b->J + j, b->nv, residual->a + b->v[j], lambda, &sum, size, x + b->v[j], r);
    if (residual->p->policy->rank == CD_RANK_FROZEN) separate_redundant_rows(residual, b, &sum, r);
    simd6_max_abs_or_nan(max_residual, &sum, r);
    simd6_store_unpadded(&sum, x + residual->p->m->nv + b->row, r);
}

static void store(const simd6* x, double* value)
{
    real e[CD_BLOCK_MAX_ROWS];
    simd6_to_array(x, e, CD_BLOCK_MAX_ROWS);
    for (int i = 0; i < CD_BLOCK_MAX_ROWS; ++i) value[i] = r_value(e[i]);
}

static double largest_of(const simd6* x)
{
    double e[CD_BLOCK_MAX_ROWS], most = 0;
    store(x, e);
    for (int i = 0; i < CD_BLOCK_MAX_ROWS; ++i) most = cd_max_propagate_nan(most, e[i]);
    return most;
}

// Prefetch the rows of a later constraint.
CD_KERNEL void prefetch_rows(const cd_row_block* b)
{
    const char* end = (const char*)(b->J + b->nrow * b->nv);
    __builtin_prefetch(b->v);
    for (const char* J = (const char*)b->J; J < end; J += 64) __builtin_prefetch(J, 0, 2);
}

static void compute_row_residuals(cd_kkt_residual* residual, real* x)
{
    simd6 max_residual, size;
    residual->norms.redundant_residual = 0;
    simd6_clear(&max_residual);
    simd6_clear(&size);
    for (int c = 0; c < residual->p->rows->nblock; ++c) {
        const cd_row_block* b = &residual->p->rows->block[c];
        if (c + PREFETCH_DISTANCE < residual->p->rows->nblock) prefetch_rows(b + PREFETCH_DISTANCE);
#define CD_IS_RESIDUAL(r) constraint_residual(residual, b, x, &size, &max_residual, r)
        CD_DISPATCH_SIZE(b->nrow, CD_IS_RESIDUAL)
#undef CD_IS_RESIDUAL
    }
    residual->norms.residual[6]  = largest_of(&max_residual);
    residual->norms.term_size[6] = largest_of(&size);
}

static inline void inertia_times(const cd_link* link, const real* u, real* H)
{
    const vec3 n = s3_mul(s3_const(link->I), v3(u[3], u[4], u[5]));
    for (int k = 0; k < 3; ++k) H[k] = r_mul(r_const(link->m), u[k]);
    H[3] = n.x, H[4] = n.y, H[5] = n.z;
}

static inline void add_term_sizes(cd_kkt_residual_norms* e, const real* f, const real* H)
{
    for (int k = 0; k < 6; ++k)
        e->term_size[k] = cd_max(e->term_size[k], cd_max(fabs(r_value(f[k])), fabs(r_value(H[k]))));
}

static void equalize_kinds(double* size)
{
    for (int k = 0; k < 6; k += 3) {
        const double most = cd_max(size[k], cd_max(size[k + 1], size[k + 2]));
        for (int j = 0; j < 3; ++j) size[k + j] = most;
    }
}

static void compute_body_residuals(cd_kkt_residual* residual, real* x)
{
    simd6 size;
    simd6_clear(&size);
    for (int i = 0; i < residual->p->m->nlink; ++i) {
        real  e[6];
        simd6 f, H;
        inertia_times(&residual->p->m->link[i], residual->a + 6 * i, e);
        simd6_from_array(&H, e, 6);
        simd6_load(&f, residual->r + 6 * i, 6);
        simd6_max_abs(&size, &f, 6);
        simd6_max_abs(&size, &H, 6);
        simd6_sub(&f, &H, 6);
        simd6_store(&f, x + 6 * i, 6);
    }
    store(&size, residual->norms.term_size);
}

static void measure_bodies(cd_kkt_residual* residual, const real* x)
{
    simd6 max_residual, here;
    simd6_clear(&max_residual);
    for (int i = 0; i < residual->p->m->nlink; ++i) {
        simd6_load(&here, x + 6 * i, 6);
        simd6_max_abs_or_nan(&max_residual, &here, 6);
    }
    store(&max_residual, residual->norms.residual);
}

// The velocities of a constraint are grouped by body.
void cd_kkt_residual_compute(cd_kkt_residual* residual, real* x)
{
    compute_body_residuals(residual, x);
    compute_row_residuals(residual, x);
    measure_bodies(residual, x);
    equalize_kinds(residual->norms.term_size);
}

static bool has_updates(const cd_block_ldl* F, int k)
{
    return F->column[k].first_update < F->column[k + 1].first_update;
}

void cd_kkt_residual_column(cd_kkt_residual* residual, int k, real* y)
{
    const cd_block_ldl*    F   = &residual->S->F;
    const cd_block_column* j   = &F->column[k];
    const int              row = j->scalar - residual->p->m->nv;
    cd_kkt_residual_norms* e   = &residual->norms;
    if (row >= 0) {
        for (int i = 0; i < j->size; ++i) {
            const real g    = residual->gamma[row + i];
            e->term_size[6] = cd_max(e->term_size[6], fabs(r_value(g)));
            y[j->padded_offset + i] =
                residual->p->rows->compliance
                    ? r_add(g, r_mul(r_const(residual->p->rows->compliance[row + i]), residual->lambda[row + i]))
                    : g;
        }
    } else if (has_updates(F, k)) {
        const real* f = residual->r + j->scalar;
        real        H[6];
        inertia_times(&residual->p->m->link[j->block], residual->a + j->scalar, H);
        add_term_sizes(e, f, H);
        for (int i = 0; i < 6; ++i) y[j->padded_offset + i] = r_sub(f[i], H[i]);
    }
    if (residual->S->column_jacobian_start[k] == residual->S->column_jacobian_start[k + 1]) return;
    const double size = cd_block_residual_column(F, k, y);
    if (row < 0) e->term_size[6] = cd_max(e->term_size[6], size);
}

void cd_kkt_residual_measure(cd_kkt_residual* residual, const real* y)
{
    const cd_block_ldl* F = &residual->S->F;
    for (int k = 0; k < F->nblock; ++k) {
        const cd_block_column* j   = &F->column[k];
        const bool             row = j->scalar >= residual->p->m->nv;
        if (!row && !has_updates(F, k)) continue;
        for (int i = 0; i < j->size; ++i)
            residual->norms.residual[row ? 6 : i] =
                cd_max_propagate_nan(residual->norms.residual[row ? 6 : i], fabs(r_value(y[j->padded_offset + i])));
    }
    equalize_kinds(residual->norms.term_size);
}

void cd_kkt_residual_add_term_sizes(cd_kkt_residual* residual, int from, int to)
{
    for (int i = from; i < to; ++i) {
        real H[6];
        inertia_times(&residual->p->m->link[i], residual->a + 6 * i, H);
        add_term_sizes(&residual->norms, residual->r + 6 * i, H);
    }
    equalize_kinds(residual->norms.term_size);
}

bool cd_kkt_residual_exceeds(const cd_kkt_residual_norms* e, double relative_tolerance, double row_tolerance)
{
    for (int k = 0; k < 6; ++k)
        if (!(e->residual[k] <= relative_tolerance * e->term_size[k])) return true;
    if (!(e->redundant_residual <= cd_redundant_row_residual * e->term_size[6])) return true;
    return !(e->residual[6] <= fmax(relative_tolerance * e->term_size[6], row_tolerance));
}
