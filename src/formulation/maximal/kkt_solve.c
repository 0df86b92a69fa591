// SPDX-License-Identifier: BSD-3-Clause
// Solves of `lagrange`: with the current factor, or as a fused factorization with forward substitution. The latter has
// two sweeps that do all work on a column while it is in cache: inward assembly, elimination and right sides, outward
// the solution and its residual.
#include "math/block_ldl/block_kernels.h"
#include "formulation/formulation_tolerances.h"
#include "formulation/maximal/lagrange.h"
#include "formulation/safeguards/consistency_check.h"

enum { PREFETCH_DISTANCE = 8 };          // columns by which memory is prefetched
enum { GEOMETRIC_RANK_CORRECTIONS = 4 }; // corrections with forced null pivots, which keep rows with tiny pivots
enum { BODIES_PER_CHECK = 64 };          // bodies whose terms are added between two tests of the residual

// x (nv, then nrow): replace right sides by accelerations and multipliers with the current factor. The same for y,
// without rotor multipliers, if it is not NULL.
static void solve_in_place(const cardan_model* m, const cd_rows* rows, const cd_lagrange_work* w, real* x, real* y)
{
    cd_lagrange_add_penalty_rhs(m, rows, w, x);
    if (y) cd_lagrange_add_penalty_rhs(m, rows, w, y);
    cd_block_solve_two(&w->S.F, x, y, w->threads);
    cd_lagrange_recover_rotor_multipliers(m, rows, w, x);
}

static void set_correction_rhs(const cardan_model* m, const cd_rows* rows, cd_lagrange_work* w, const real* s)
{
    for (int v = 0; v < m->nv; ++v) w->y[v] = r_const(0);
    for (int i = 0; i < rows->nrow; ++i) w->y[m->nv + i] = s[i];
}

static bool is_residual_below(const cd_kkt_residual* residual, const cd_lagrange_work* w, double factor)
{
    const double tolerance = (residual->p->policy->residual_tolerance > 0 ? residual->p->policy->residual_tolerance
                                                                          : cd_kkt_residual_tolerance) *
                             w->max_rows_per_body / 6;
    return !cd_kkt_residual_exceeds(&residual->norms, factor * tolerance, residual->p->policy->row_residual_tolerance);
}

static bool is_residual_small(const cd_kkt_residual* residual, const cd_lagrange_work* w)
{
    return is_residual_below(residual, w, 1);
}

// Refine where useful: without pivot search digits are lost where rows are nearly dependent.
static cardan_status refine(cd_kkt_residual* residual, cd_lagrange_work* w, const cd_solution* x, cd_solve_info* info)
{
    const cardan_model* m    = residual->p->m;
    const cd_rows*      rows = residual->p->rows;
    cd_kkt_residual_compute(residual, w->x);
    info->residual_checked = is_residual_small(residual, w);
    if (info->residual_checked) return CARDAN_OK;
    for (int n = w->S.F.forced_null ? GEOMETRIC_RANK_CORRECTIONS : 1; n > 0 && !info->residual_checked; --n) {
        solve_in_place(m, rows, w, w->x, NULL);
        for (int v = 0; v < m->nv; ++v) x->a[v] = r_add(x->a[v], w->x[v]);
        for (int i = 0; i < rows->nrow; ++i) x->lambda[i] = r_add(x->lambda[i], w->x[m->nv + i]);
        if (n == 1) break;
        cd_kkt_residual_compute(residual, w->x);
        info->residual_checked = is_residual_small(residual, w);
    }
    if (residual->p->policy->rank == CD_RANK_FROZEN && !info->residual_checked) {
        cd_kkt_residual_compute(residual, w->x);
        info->residual_checked = is_residual_below(residual, w, cd_refined_residual_factor);
    }
    if (residual->p->policy->rank == CD_RANK_FROZEN) return info->residual_checked ? CARDAN_OK : CARDAN_INCONSISTENT;
    return cd_check_consistency(residual->p, x->a, residual->gamma, cd_free_acceleration_scale(m, residual->r), 0,
                                info);
}

static void solve_correction(const cardan_model* m, const cd_rows* rows, cd_lagrange_work* w, const real* s, real* dx)
{
    set_correction_rhs(m, rows, w, s);
    solve_in_place(m, rows, w, w->y, NULL);
    for (int v = 0; v < m->nv; ++v) dx[v] = w->y[v];
}

cardan_status cd_lagrange_solve(const cd_problem* p, void* work, const cd_right_sides* rhs, const cd_solution* x,
                                cd_solve_info* info)
{
    const cardan_model* m    = p->m;
    const cd_rows*      rows = p->rows;
    cd_lagrange_work*   w    = work;
    if (!rhs->r) {
        solve_correction(m, rows, w, rhs->s, x->dx);
        return CARDAN_OK;
    }
    for (int v = 0; v < m->nv; ++v) w->x[v] = rhs->r[v];
    for (int i = 0; i < rows->nrow; ++i) w->x[m->nv + i] = rhs->gamma[i];
    if (rhs->s) set_correction_rhs(m, rows, w, rhs->s);
    solve_in_place(m, rows, w, w->x, rhs->s ? w->y : NULL);
    for (int v = 0; v < m->nv; ++v) x->a[v] = w->x[v];
    for (int i = 0; i < rows->nrow; ++i) x->lambda[i] = w->x[m->nv + i];
    for (int v = 0; rhs->s && v < m->nv; ++v) x->dx[v] = w->y[v];

    cd_lagrange_report_pivots(p, w, info);
    cd_kkt_residual residual = {p, &w->S, rhs->r, rhs->gamma, x->a, x->lambda, {{0}, {0}, 0}};
    return refine(&residual, w, x, info);
}

// ---- fused factorization

typedef struct sweep_context {
    cd_kkt_residual   residual;
    cd_lagrange_work* w;
    cd_pivot_test     test;
    const real*       s; // (nrow) or NULL
    real *            a, *lambda, *dx;
    bool              computes_residual; // adds up the residual during the sweep
} sweep_context;

// Prefetch data of later columns. Addresses are in lists in the order of the sweep, some of them behind others, which
// are prefetched earlier. Always inline: the compiler treats functions that only prefetch as free of effects.
CD_KERNEL void prefetch_lists(const sweep_context* p, int k)
{
    const cd_kkt_system* S = &p->w->S;
    __builtin_prefetch(&S->F.column[k]);
    __builtin_prefetch(&S->column_jacobian_start[k]);
    __builtin_prefetch(&S->column_penalty_start[k]);
}

CD_KERNEL void prefetch_addresses(const sweep_context* p, int k)
{
    const cd_kkt_system*   S = &p->w->S;
    const cd_block_column* j = &S->F.column[k];
    __builtin_prefetch(&S->F.update[j->first_update]);
    __builtin_prefetch(&S->F.entry[j->first_entry]);
    __builtin_prefetch(&S->column_jacobian[S->column_jacobian_start[k]]);
    __builtin_prefetch(&S->column_penalty[S->column_penalty_start[k]]);
}

CD_KERNEL void prefetch_row_blocks(const sweep_context* p, int k)
{
    const cd_kkt_system* S = &p->w->S;
    __builtin_prefetch(&S->F.update_target[S->F.update[S->F.column[k].first_update].first_target]);
    for (int n = S->column_jacobian_start[k]; !p->w->rows_stored_in_matrix && n < S->column_jacobian_start[k + 1]; ++n)
        __builtin_prefetch(&p->residual.p->rows->block[S->column_jacobian[n].constraint]);
    for (int n = S->column_penalty_start[k]; n < S->column_penalty_start[k + 1]; ++n)
        __builtin_prefetch(&p->residual.p->rows->block[S->column_penalty[n].constraint]);
}

CD_KERNEL void prefetch_row_block(const cd_row_block* b)
{
    const char* end = (const char*)(b->J + b->nrow * b->nv);
    for (const char* J = (const char*)b->J; J < end; J += 64) __builtin_prefetch(J);
}

CD_KERNEL void prefetch_rows(const sweep_context* p, int k)
{
    const cd_kkt_system* S = &p->w->S;
    for (int n = S->column_jacobian_start[k]; n < S->column_jacobian_start[k + 1]; ++n)
        if (S->column_jacobian[n].is_first)
            prefetch_row_block(&p->residual.p->rows->block[S->column_jacobian[n].constraint]);
    for (int n = S->column_penalty_start[k]; n < S->column_penalty_start[k + 1]; ++n) {
        const cd_row_block* b = &p->residual.p->rows->block[S->column_penalty[n].constraint];
        if (!S->column_penalty[n].is_diagonal) continue;
        if (!S->column_penalty[n].is_first) prefetch_row_block(b);
        __builtin_prefetch(p->w->rho + b->row);
        __builtin_prefetch(S->F.is_null + p->residual.p->m->nv + b->row);
        __builtin_prefetch(p->residual.gamma + b->row);
    }
}

CD_KERNEL void prefetch_numbers(const sweep_context* p, int k)
{
    const cd_block_ldl*    F   = &p->w->S.F;
    const cd_block_column* j   = &F->column[k];
    const int              row = j->scalar - p->residual.p->m->nv;
    __builtin_prefetch(F->inverse_pivot + j->padded_offset);
    if (j[0].first_update < j[1].first_update) {
        __builtin_prefetch(F->lower + j->lower_offset);
        __builtin_prefetch(F->lower + j->lower_offset + 8);
    }
    __builtin_prefetch(F->rhs + j->padded_offset);
    __builtin_prefetch(F->rhs + F->npadded + j->padded_offset);
    __builtin_prefetch(row < 0 ? p->residual.r + j->scalar : p->residual.gamma + row);
    if (row >= 0 && p->s) __builtin_prefetch(p->s + row);
}

// Request the rows and right sides that a column reads.
static inline void request_column_rows(const sweep_context* p, int k)
{
    const cd_kkt_system* S     = &p->w->S;
    const int            block = S->F.column[k].block, nbody = p->residual.p->m->nlink;
    if (block < nbody)
        cd_row_stream_require_body(p->residual.p->rows->stream, block);
    else
        cd_row_stream_require_block(p->residual.p->rows->stream, block - nbody);
    for (int n = S->column_jacobian_start[k]; n < S->column_jacobian_start[k + 1]; ++n)
        cd_row_stream_require_block(p->residual.p->rows->stream, S->column_jacobian[n].constraint);
}

// Forward substitution of a body with penalty terms.
static __attribute__((noinline)) void forward_with_penalty(const sweep_context* p, int k)
{
    const cd_lagrange_work* w = p->w;
    const real*             r = p->residual.r + w->S.F.column[k].scalar;
    real                    x[CD_BLOCK_MAX_ROWS], y[CD_BLOCK_MAX_ROWS];
    for (int i = 0; i < CD_BLOCK_MAX_ROWS; ++i) x[i] = r[i], y[i] = r_const(0);
    cd_lagrange_add_penalty_rhs_column(p->residual.p->rows, w, k, p->residual.gamma, x);
    if (p->s) cd_lagrange_add_penalty_rhs_column(p->residual.p->rows, w, k, p->s, y);
    cd_block_forward_column(&w->S.F, k, p->s ? 2 : 1, (const real* const[2]){x, y});
}

static void visit_inward(void* context, int k, cd_block_stats* stats)
{
    static const real      nothing[CD_BLOCK_MAX_ROWS];
    const sweep_context*   p   = context;
    cd_lagrange_work*      w   = p->w;
    const cd_block_column* j   = &w->S.F.column[k];
    const int              row = j->scalar - p->residual.p->m->nv;
    _Alignas(64) real      D[CD_BLOCK_MAX_ROWS * CD_BLOCK_MAX_ROWS];
    cd_block_workspace     workspace;
    if (k + 4 * PREFETCH_DISTANCE < w->S.F.nprefetch) {
        prefetch_lists(p, k + 4 * PREFETCH_DISTANCE);
        prefetch_addresses(p, k + 3 * PREFETCH_DISTANCE);
        prefetch_row_blocks(p, k + 2 * PREFETCH_DISTANCE);
        if (!w->rows_stored_in_matrix) prefetch_rows(p, k + PREFETCH_DISTANCE);
        prefetch_numbers(p, k + PREFETCH_DISTANCE);
    }
    if (p->residual.p->rows->stream) request_column_rows(p, k);
    workspace.D = D;
    if (w->S.F.diagonal_state[k] < CD_DIAGONAL_REUSED)
        for (int i = 0; i < CD_BLOCK_MAX_ROWS * CD_BLOCK_MAX_ROWS; ++i) D[i] = r_const(0);
    cd_lagrange_assemble_column(p->residual.p, w, k, D);
    cd_block_eliminate_column(&w->S.F, k, w->S.sign[j->block], p->test, &workspace, stats);
    if (stats->bad_pivot >= 0) return;
    if (row < 0 && w->has_penalty)
        forward_with_penalty(p, k);
    else if (row < 0)
        cd_block_forward_column(&w->S.F, k, p->s ? 2 : 1, (const real* const[2]){p->residual.r + j->scalar, nothing});
    else
        cd_block_forward_column(&w->S.F, k, p->s ? 2 : 1,
                                (const real* const[2]){p->residual.gamma + row, p->s ? p->s + row : NULL});
}

static void visit_outward(void* context, int k, cd_block_stats* stats)
{
    sweep_context*         p   = context;
    const cd_block_column* j   = &p->w->S.F.column[k];
    const int              row = j->scalar - p->residual.p->m->nv;
    (void)stats;
    if (k >= 3 * PREFETCH_DISTANCE && k < p->w->S.F.nprefetch) {
        prefetch_lists(p, k - 3 * PREFETCH_DISTANCE);
        __builtin_prefetch(&p->w->S.F.entry[j[-2 * PREFETCH_DISTANCE].first_entry]);
        prefetch_column(&p->w->S.F, k - PREFETCH_DISTANCE);
        prefetch_numbers(p, k - PREFETCH_DISTANCE);
        __builtin_prefetch(p->w->residual + j[-PREFETCH_DISTANCE].padded_offset);
        if (j[-PREFETCH_DISTANCE].scalar < p->residual.p->m->nv) {
            __builtin_prefetch(p->a + j[-PREFETCH_DISTANCE].scalar);
            if (p->dx) __builtin_prefetch(p->dx + j[-PREFETCH_DISTANCE].scalar);
        }
    }
    if (row < 0)
        cd_block_backward_column(&p->w->S.F, k, p->s ? 2 : 1,
                                 (real* const[2]){p->a + j->scalar, p->s ? p->dx + j->scalar : NULL});
    else
        cd_block_backward_column(&p->w->S.F, k, p->s ? 2 : 1, (real* const[2]){p->lambda + row, NULL});
    if (p->computes_residual) cd_kkt_residual_column(&p->residual, k, p->w->residual);
}

cardan_status cd_lagrange_factor_and_solve(const cd_problem* p, void* work, const cd_right_sides* rhs,
                                           const cd_solution* x, cd_solve_info* info)
{
    const cardan_model* m   = p->m;
    cd_lagrange_work*   w   = work;
    sweep_context       c   = {{p, &w->S, rhs->r, rhs->gamma, x->a, x->lambda, {{0}, {0}, 0}},
                               w,
                               cd_pivot_test_of(p->policy, cd_null_row_pivot_sq),
                               rhs->s,
                               x->a,
                               x->lambda,
                               x->dx,
                               w->S.jacobian_is_recoverable && !w->threads};
    const int           bad = cd_block_factor_with(&w->S.F, visit_inward, &c, w->threads);
    if (bad >= 0) {
        if (bad < m->nv)
            info->failed_velocity = bad;
        else
            info->failed_row = bad - m->nv;
        return CARDAN_SINGULAR;
    }
    cd_block_sweep_outward(&w->S.F, visit_outward, &c, w->threads);
    if (w->S.jacobian_is_recoverable) {
        for (int i = w->S.F.nblock - 1; !c.computes_residual && i >= 0; --i)
            cd_kkt_residual_column(&c.residual, i, w->residual); // sequentially, because of its sums
        cd_kkt_residual_measure(&c.residual, w->residual);
        info->residual_checked = is_residual_small(&c.residual, w);
        // the terms of one body may be small relative to those of its neighbours, whose round-off its equations contain
        for (int i = 0, next; !info->residual_checked && i < m->nlink; i = next) {
            next = i + BODIES_PER_CHECK < m->nlink ? i + BODIES_PER_CHECK : m->nlink;
            cd_kkt_residual_add_term_sizes(&c.residual, i, next);
            info->residual_checked = is_residual_small(&c.residual, w);
        }
        if (info->residual_checked) return CARDAN_OK;
    }
    if (w->rows_stored_in_matrix) p->rows->stream->request_all(p->rows->stream);
    return refine(&c.residual, w, x, info);
}
