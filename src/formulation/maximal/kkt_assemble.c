// SPDX-License-Identifier: BSD-3-Clause
// Assembly of the matrix of `lagrange` from inertias and rows, by columns in elimination order, so that a column is
// eliminated while it is in cache.
//
//   [ M  J' ]      J: rows of a constraint on its bodies, one block each;   C: compliance of rotors
//   [ J  -C ]
#include "math/block_ldl/block_kernels.h"
#include "formulation/maximal/lagrange.h"

#include <string.h>

enum { PREFETCH_DISTANCE = 16 }; // blocks by which memory is prefetched

static void write_inertia(const cd_link* link, real* H)
{
    const int    n       = r_padded_rows(6);
    const double I[3][3] = {{link->I[0], link->I[3], link->I[4]},
                            {link->I[3], link->I[1], link->I[5]},
                            {link->I[4], link->I[5], link->I[2]}};
    for (int a = 0; a < 3; ++a) {
        H[a + a * n] = r_const(link->m);
        for (int b = 0; b < 3; ++b) H[(a + 3) + (b + 3) * n] = r_const(I[a][b]);
    }
}

// Write rows on all six velocities of a body as columns of r rows, by whole vectors.
CD_KERNEL void write_transposed(const real* J, int nv, int column_stride, real* A, int r)
{
    CD_UNROLL for (int k = 0; k < 6; ++k, A += column_stride)
    {
        real  e[CD_BLOCK_MAX_ROWS];
        simd6 column;
        CD_UNROLL for (int i = 0; i < r; ++i) e[i] = J[i * nv + k];
        simd6_from_array(&column, e, r);
        simd6_store(&column, A, r);
    }
}

static inline void write_full_block(const cd_row_block* b, const real* J, cd_block_address p, real* A)
{
    if (p.column_stride == 1) {
        for (int i = 0; i < b->nrow; ++i, J += b->nv, A += p.row_stride) memcpy(A, J, 6 * sizeof *A);
        return;
    }
#define CD_ACROSS(r) write_transposed(J, b->nv, p.column_stride, A, r)
    CD_DISPATCH_SIZE(b->nrow, CD_ACROSS)
#undef CD_ACROSS
}

// Write the rows of a constraint on one body into their block.
static inline void write_jacobian_block(cd_kkt_system* S, const cd_row_block* b, const cd_kkt_jacobian_block* block)
{
    real* A = S->F.value + block->address.offset;
    if (block->end - block->begin == 6) {
        write_full_block(b, b->J + block->begin, block->address, A);
        return;
    }
    for (int j = block->begin; j < block->end; ++j)
        for (int i = 0, k = b->v[j] % 6; i < b->nrow; ++i)
            A[i * block->address.row_stride + k * block->address.column_stride] = b->J[i * b->nv + j];
}

// Prefetch the block of a later Jacobian block.
static inline __attribute__((always_inline)) void prefetch_jacobian_block(const cd_kkt_system* S, int n)
{
    const cd_kkt_jacobian_block* block = &S->jacobian[n];
    const char*                  from  = (const char*)(S->F.value + block->address.offset);
    const int size = 6 * (block->address.column_stride > block->address.row_stride ? block->address.column_stride
                                                                                   : block->address.row_stride);
    __builtin_prefetch(block + PREFETCH_DISTANCE);
    for (const char* p = from; p < from + size * (int)sizeof(real) + 63; p += 64) __builtin_prefetch(p, 1);
}

void cd_lagrange_store_rows(void* work, int constraint, const cd_row_block* b)
{
    const cd_lagrange_work* w    = work;
    cd_kkt_system*          S    = &((cd_lagrange_work*)work)->S;
    const int               end  = S->jacobian_start[constraint + 1];
    const int               last = S->F.nprefetch > 0 ? S->jacobian_start[w->nconstraint] - 2 * PREFETCH_DISTANCE : 0;
    for (int n = S->jacobian_start[constraint]; n < end; ++n) {
        if (n < last) prefetch_jacobian_block(S, n + PREFETCH_DISTANCE);
        write_jacobian_block(S, b, &S->jacobian[n]);
    }
}

static bool is_rotor(const cd_rows* rows, const cd_row_block* b)
{
    return rows->compliance && b->nrow > 0 && cd_row_compliance(rows, b->row) > 0;
}

static bool is_translational_row(const cd_row_block* b, const real* J, bool has_all_velocities)
{
    bool is_translational = false;
    for (int j = 0; has_all_velocities && j < b->nv; j += 6)
        for (int k = 0; k < 3; ++k) is_translational |= r_value(J[j + k]) != 0;
    for (int j = 0; !has_all_velocities && j < b->nv; ++j) is_translational |= b->v[j] % 6 < 3 && r_value(J[j]) != 0;
    return is_translational;
}

// Set rho of each row of a constraint: the mean mass for rows that act on translations, the mean moment of inertia for
// the others; 0 for redundant rows.
static void set_penalties(const cd_problem* p, cd_lagrange_work* w, const cd_row_block* b, bool has_all_velocities)
{
    const cd_rows* rows  = p->rows;
    const bool     rotor = is_rotor(rows, b);
    for (int i = 0; i < b->nrow; ++i) {
        const int row = b->row + i;
        if (rotor)
            w->rho[row] = r_div(r_const(1), r_const(rows->compliance[row]));
        else if (p->policy->rank == CD_RANK_FROZEN && w->S.F.is_null[p->m->nv + row])
            w->rho[row] = r_const(0);
        else
            w->rho[row] = r_const(is_translational_row(b, b->J + i * b->nv, has_all_velocities) ? w->rho_translation
                                                                                                : w->rho_rotation);
    }
}

// Add rho J'J of all six velocities of two bodies.
CD_KERNEL void add_penalty_full(const cd_row_block* b, const real* rho, const real* one, const real* two,
                                int column_stride, real* A)
{
    simd6 row[CD_BLOCK_MAX_ROWS];
    real  weight[CD_BLOCK_MAX_ROWS][6];
    for (int i = 0; i < b->nrow; ++i, one += b->nv, two += b->nv) {
        simd6_from_array(&row[i], one, 6);
        CD_UNROLL for (int j = 0; j < 6; ++j) weight[i][j] = r_mul(rho[i], two[j]);
    }
    CD_UNROLL for (int j = 0; j < 6; ++j)
    {
        simd6 sum;
        simd6_load(&sum, A + j * column_stride, 6);
        for (int i = 0; i < b->nrow; ++i) simd6_add_scaled(&sum, &row[i], weight[i][j], 6);
        simd6_store(&sum, A + j * column_stride, 6);
    }
}

static inline void add_penalty_block(const cd_lagrange_work* w, const cd_row_block* b, const cd_kkt_penalty_block* l,
                                     real* A)
{
    const real* rho = w->rho + b->row;
    if (l->has_all_velocities && l->address.row_stride == 1) {
        add_penalty_full(b, rho, b->J + l->begin[0], b->J + l->begin[1], l->address.column_stride, A);
        return;
    }
    for (int i = 0; i < b->nrow; ++i)
        for (int j = l->begin[1]; j < l->end[1]; ++j) {
            const real f = r_mul(rho[i], b->J[i * b->nv + j]);
            for (int k = l->begin[0]; k < l->end[0]; ++k) {
                real* entry = &A[(b->v[k] % 6) * l->address.row_stride + (b->v[j] % 6) * l->address.column_stride];
                *entry      = r_add(*entry, r_mul(f, b->J[i * b->nv + k]));
            }
        }
}

// Add rho J'J of the penalized constraints in column k.
static __attribute__((noinline)) void add_penalties(const cd_problem* p, cd_lagrange_work* w, int k, real* D)
{
    const cd_kkt_system* S = &w->S;
    for (int n = S->column_penalty_start[k]; n < S->column_penalty_start[k + 1]; ++n) {
        const cd_kkt_penalty_block* l = &S->column_penalty[n];
        const cd_row_block*         b = &p->rows->block[l->constraint];
        if (l->is_first) set_penalties(p, w, b, l->has_all_velocities);
        add_penalty_block(w, b, l, l->is_diagonal ? D : S->F.value + l->address.offset);
    }
}

static void add_compliance(const cd_rows* rows, const cd_row_block* b, real* D)
{
    for (int i = 0; i < b->nrow; ++i) D[i * (r_padded_rows(b->nrow) + 1)] = r_const(-rows->compliance[b->row + i]);
}

void cd_lagrange_assemble_column(const cd_problem* p, cd_lagrange_work* w, int k, real* D)
{
    const cardan_model* m     = p->m;
    const cd_rows*      rows  = p->rows;
    cd_kkt_system*      S     = &w->S;
    const int           block = S->F.column[k].block, c = block - m->nlink;
    cd_block_clear_below(&S->F, k);
    if (c < 0 && S->F.diagonal_state[k] < CD_DIAGONAL_REUSED) write_inertia(&m->link[block], D);
    if (c >= 0 && is_rotor(rows, &rows->block[c])) add_compliance(rows, &rows->block[c], D);
    for (int n = S->column_jacobian_start[k]; !w->rows_stored_in_matrix && n < S->column_jacobian_start[k + 1]; ++n) {
        const cd_kkt_jacobian_block* jacobian = &S->column_jacobian[n];
        const cd_row_block*          b        = &rows->block[jacobian->constraint];
        if (!w->has_penalty || !w->is_penalized[jacobian->constraint] || !is_rotor(rows, b))
            write_jacobian_block(S, b, jacobian);
    }
    if (w->has_penalty) add_penalties(p, w, k, D);
}

void cd_lagrange_assemble(const cd_problem* p, void* work)
{
    cd_lagrange_work* w = work;
    for (int i = 0; i < w->S.F.nblock; ++i) {
        cd_block_clear_diagonal(&w->S.F, i);
        cd_lagrange_assemble_column(p, w, i, w->S.F.value + w->S.F.column[i].diagonal_offset);
    }
}

void cd_lagrange_add_penalty_rhs_column(const cd_rows* rows, const cd_lagrange_work* w, int k, const real* s, real* x)
{
    const cd_kkt_system* S = &w->S;
    for (int n = S->column_penalty_start[k]; n < S->column_penalty_start[k + 1]; ++n) {
        const cd_kkt_penalty_block* l = &S->column_penalty[n];
        const cd_row_block*         b = &rows->block[l->constraint];
        for (int i = 0; l->is_diagonal && i < b->nrow; ++i) {
            const real  f = r_mul(w->rho[b->row + i], s[b->row + i]);
            const real* J = b->J + i * b->nv;
            for (int j = l->begin[0]; j < l->end[0]; ++j) {
                const int at = l->has_all_velocities ? j - l->begin[0] : b->v[j] % 6;
                x[at]        = r_add(x[at], r_mul(f, J[j]));
            }
        }
    }
}

void cd_lagrange_add_penalty_rhs(const cardan_model* m, const cd_rows* rows, const cd_lagrange_work* w, real* x)
{
    for (int c = 0; w->has_penalty && c < rows->nblock; ++c) {
        const cd_row_block* b = &rows->block[c];
        if (!w->is_penalized[c]) continue;
        for (int i = 0; i < b->nrow; ++i) {
            const real f = r_mul(w->rho[b->row + i], x[m->nv + b->row + i]);
            for (int j = 0; j < b->nv; ++j) x[b->v[j]] = r_add(x[b->v[j]], r_mul(f, b->J[i * b->nv + j]));
        }
    }
}

// Recover the multipliers of penalized rotors: lambda = (J a - gamma) / C, x holds -gamma / C.
void cd_lagrange_recover_rotor_multipliers(const cardan_model* m, const cd_rows* rows, const cd_lagrange_work* w,
                                           real* x)
{
    for (int c = 0; w->has_penalty && rows->compliance && c < rows->nblock; ++c) {
        const cd_row_block* b = &rows->block[c];
        if (!w->is_penalized[c] || !is_rotor(rows, b)) continue;
        for (int i = 0; i < b->nrow; ++i)
            for (int j = 0; j < b->nv; ++j) {
                real* lambda = &x[m->nv + b->row + i];
                *lambda      = r_add(*lambda, r_mul(r_div(r_const(1), r_const(rows->compliance[b->row + i])),
                                                    r_mul(b->J[i * b->nv + j], x[b->v[j]])));
            }
    }
}
