// SPDX-License-Identifier: BSD-3-Clause
// Solves of `lagrange`: with a factor that is there, or all at once, where right sides go down with the elimination.
// Two sweeps then see everything of a column while it is at hand: inward assembly, elimination and right sides, outward
// the solution and what it leaves of the equations.
#include "formulation/block_kernels.h"
#include "formulation/lagrange.h"
#include "formulation/row_check.h"

static const double exact   = 1e-13;
static const double refined = 100; // times that much is rounding, where rates over short steps are part of right sides

enum { AHEAD = 8 };             // columns by which memory is asked for before it is wanted
enum { RULED_CORRECTIONS = 4 }; // where rows of next to nothing are kept because they repeat no others
enum { SOME = 64 }; // bodies whose terms are looked at before the next look at whether they are large enough

// x (nv, then nrow): right sides to accelerations and multipliers with the current factor. And y, or NULL, whose
// multipliers nobody asks for.
static void solve_in_place(const cardan_model* m, const cd_rows* rows, const cd_lagrange_work* w, real* x, real* y)
{
    cd_lagrange_lean(m, rows, w, x);
    if (y) cd_lagrange_lean(m, rows, w, y);
    cd_block_solve_two(&w->S.F, x, y, w->threads);
    cd_lagrange_unlean(m, rows, w, x);
}

static void take_change(const cardan_model* m, const cd_rows* rows, cd_lagrange_work* w, const real* s)
{
    for (int v = 0; v < m->nv; ++v) w->y[v] = r_lift(0);
    for (int i = 0; i < rows->nrow; ++i) w->y[m->nv + i] = s[i];
}

static bool within(const cd_leaving* l, const cd_lagrange_work* w, double times)
{
    const double part = (l->rows->enough > 0 ? l->rows->enough : exact) * w->crowd / 6;
    return !cd_leaves_more(&l->e, times * part, l->rows->open);
}

static bool enough(const cd_leaving* l, const cd_lagrange_work* w) { return within(l, w, 1); }

// Iterative refinement where it is of use: without pivot search digits are lost where rows nearly depend on each other.
static cardan_status refine(cd_leaving* l, cd_lagrange_work* w, real* a, real* lambda, cd_where* where)
{
    cd_leave_all(l, w->x);
    where->sure = enough(l, w);
    if (where->sure) return CARDAN_OK;
    for (int n = w->S.F.ruled ? RULED_CORRECTIONS : 1; n > 0 && !where->sure; --n) {
        solve_in_place(l->m, l->rows, w, w->x, NULL);
        for (int v = 0; v < l->m->nv; ++v) a[v] = r_add(a[v], w->x[v]);
        for (int i = 0; i < l->rows->nrow; ++i) lambda[i] = r_add(lambda[i], w->x[l->m->nv + i]);
        if (n == 1) break;
        cd_leave_all(l, w->x);
        where->sure = enough(l, w);
    }
    if (l->rows->held && !where->sure) {
        cd_leave_all(l, w->x);
        where->sure = within(l, w, refined);
    }
    if (l->rows->held) return where->sure ? CARDAN_OK : CARDAN_INCONSISTENT;
    return cd_check_rows(l->rows, a, l->gamma, cd_free_acceleration(l->m, l->r), 0, where);
}

cardan_status cd_lagrange_solve_and_change(const cardan_model* m, const cd_rows* rows, void* work, const real* r,
                                           const real* gamma, real* a, real* lambda, cd_where* where, const real* s,
                                           real* dx)
{
    cd_lagrange_work* w = work;
    for (int v = 0; v < m->nv; ++v) w->x[v] = r[v];
    for (int i = 0; i < rows->nrow; ++i) w->x[m->nv + i] = gamma[i];
    if (s) take_change(m, rows, w, s);
    solve_in_place(m, rows, w, w->x, s ? w->y : NULL);
    for (int v = 0; v < m->nv; ++v) a[v] = w->x[v];
    for (int i = 0; i < rows->nrow; ++i) lambda[i] = w->x[m->nv + i];
    for (int v = 0; s && v < m->nv; ++v) dx[v] = w->y[v];

    cd_leaving l = {m, rows, &w->S, r, gamma, a, lambda, {{0}, {0}, 0}};
    return refine(&l, w, a, lambda, where);
}

cardan_status cd_lagrange_solve(const cardan_model* m, cd_kinematics* k, const cd_rows* rows, void* work, const real* r,
                                const real* gamma, real* a, real* lambda, cd_where* where)
{
    (void)k;
    return cd_lagrange_solve_and_change(m, rows, work, r, gamma, a, lambda, where, NULL, NULL);
}

void cd_lagrange_change(const cardan_model* m, const cd_rows* rows, void* work, const real* s, real* dx)
{
    cd_lagrange_work* w = work;
    take_change(m, rows, w, s);
    solve_in_place(m, rows, w, w->y, NULL);
    for (int v = 0; v < m->nv; ++v) dx[v] = w->y[v];
}

// ---- all at once

typedef struct passing {
    cd_leaving        l;
    cd_lagrange_work* w;
    cd_null_test      test;
    const real*       s; // or NULL
    real *            a, *lambda, *dx;
    bool              leave; // sums what is left on the way
} passing;

// What columns will want soon. Where it is stands in lists that follow the sweep, some of them through others, which
// are asked for earlier still. Inlined always: functions that only do this seem to do nothing.
CD_KERNEL void fetch_lists(const passing* p, int k)
{
    const cd_flat_system* S = &p->w->S;
    __builtin_prefetch(&S->F.column[k]);
    __builtin_prefetch(&S->first_edge[k]);
    __builtin_prefetch(&S->first_lean[k]);
}

CD_KERNEL void fetch_places(const passing* p, int k)
{
    const cd_flat_system*  S = &p->w->S;
    const cd_block_column* j = &S->F.column[k];
    __builtin_prefetch(&S->F.gather[j->gather]);
    __builtin_prefetch(&S->F.below[j->entry]);
    __builtin_prefetch(&S->edge[S->first_edge[k]]);
    __builtin_prefetch(&S->lean[S->first_lean[k]]);
}

CD_KERNEL void fetch_blocks(const passing* p, int k)
{
    const cd_flat_system* S = &p->w->S;
    __builtin_prefetch(&S->F.target[S->F.gather[S->F.column[k].gather].target]);
    for (int n = S->first_edge[k]; !p->w->taken && n < S->first_edge[k + 1]; ++n)
        __builtin_prefetch(&p->l.rows->block[S->edge[n].constraint]);
    for (int n = S->first_lean[k]; n < S->first_lean[k + 1]; ++n)
        __builtin_prefetch(&p->l.rows->block[S->lean[n].constraint]);
}

CD_KERNEL void fetch_block(const cd_row_block* b)
{
    const char* end = (const char*)(b->J + b->nrow * b->nv);
    for (const char* J = (const char*)b->J; J < end; J += 64) __builtin_prefetch(J);
}

CD_KERNEL void fetch_rows(const passing* p, int k)
{
    const cd_flat_system* S = &p->w->S;
    for (int n = S->first_edge[k]; n < S->first_edge[k + 1]; ++n)
        if (S->edge[n].first) fetch_block(&p->l.rows->block[S->edge[n].constraint]);
    for (int n = S->first_lean[k]; n < S->first_lean[k + 1]; ++n) {
        const cd_row_block* b = &p->l.rows->block[S->lean[n].constraint];
        if (!S->lean[n].own) continue;
        if (!S->lean[n].first) fetch_block(b);
        __builtin_prefetch(p->w->rho + b->row);
        __builtin_prefetch(S->F.null + p->l.m->nv + b->row);
        __builtin_prefetch(p->l.gamma + b->row);
    }
}

CD_KERNEL void fetch_numbers(const passing* p, int k)
{
    const cd_block_ldl*    F   = &p->w->S.F;
    const cd_block_column* j   = &F->column[k];
    const int              row = j->scalar - p->l.m->nv;
    __builtin_prefetch(F->inverse + j->slot);
    if (j[0].gather < j[1].gather) {
        __builtin_prefetch(F->lower + j->lower);
        __builtin_prefetch(F->lower + j->lower + 8);
    }
    __builtin_prefetch(F->t + j->slot);
    __builtin_prefetch(F->t + F->nslot + j->slot);
    __builtin_prefetch(row < 0 ? p->l.r + j->scalar : p->l.gamma + row);
    if (row >= 0 && p->s) __builtin_prefetch(p->s + row);
}

// What a column reads.
static inline void reach_column(const passing* p, int k)
{
    const cd_flat_system* S     = &p->w->S;
    const int             block = S->F.column[k].block, nbody = p->l.m->nlink;
    if (block < nbody)
        cd_reach_body(p->l.rows->reach, block);
    else
        cd_reach_block(p->l.rows->reach, block - nbody);
    for (int n = S->first_edge[k]; n < S->first_edge[k + 1]; ++n)
        cd_reach_block(p->l.rows->reach, S->edge[n].constraint);
}

// Right sides of a body that leans.
static __attribute__((noinline)) void down_leaning(const passing* p, int k)
{
    const cd_lagrange_work* w = p->w;
    const real*             r = p->l.r + w->S.F.column[k].scalar;
    real                    x[CD_BLOCK_MOST], y[CD_BLOCK_MOST];
    for (int i = 0; i < CD_BLOCK_MOST; ++i) x[i] = r[i], y[i] = r_lift(0);
    cd_lagrange_lean_column(p->l.rows, w, k, p->l.gamma, x);
    if (p->s) cd_lagrange_lean_column(p->l.rows, w, k, p->s, y);
    cd_block_down(&w->S.F, k, p->s ? 2 : 1, (const real* const[2]){x, y});
}

static void pass_inward(void* context, int k, cd_block_met* met)
{
    static const real      nothing[CD_BLOCK_MOST];
    const passing*         p   = context;
    cd_lagrange_work*      w   = p->w;
    const cd_block_column* j   = &w->S.F.column[k];
    const int              row = j->scalar - p->l.m->nv;
    _Alignas(64) real      D[CD_BLOCK_MOST * CD_BLOCK_MOST];
    cd_block_desk          desk;
    if (k + 4 * AHEAD < w->S.F.fetched) {
        fetch_lists(p, k + 4 * AHEAD);
        fetch_places(p, k + 3 * AHEAD);
        fetch_blocks(p, k + 2 * AHEAD);
        if (!w->taken) fetch_rows(p, k + AHEAD);
        fetch_numbers(p, k + AHEAD);
    }
    if (p->l.rows->reach) reach_column(p, k);
    desk.D = D;
    if (w->S.F.held[k] < CD_BLOCK_HELD)
        for (int i = 0; i < CD_BLOCK_MOST * CD_BLOCK_MOST; ++i) D[i] = r_lift(0);
    cd_lagrange_write(p->l.m, p->l.rows, w, k, D);
    cd_block_eliminate(&w->S.F, k, w->S.sign[j->block], p->test, &desk, met);
    if (met->bad >= 0) return;
    if (row < 0 && w->leans)
        down_leaning(p, k);
    else if (row < 0)
        cd_block_down(&w->S.F, k, p->s ? 2 : 1, (const real* const[2]){p->l.r + j->scalar, nothing});
    else
        cd_block_down(&w->S.F, k, p->s ? 2 : 1, (const real* const[2]){p->l.gamma + row, p->s ? p->s + row : NULL});
}

static void pass_outward(void* context, int k, cd_block_met* met)
{
    passing*               p   = context;
    const cd_block_column* j   = &p->w->S.F.column[k];
    const int              row = j->scalar - p->l.m->nv;
    (void)met;
    if (k >= 3 * AHEAD && k < p->w->S.F.fetched) {
        fetch_lists(p, k - 3 * AHEAD);
        __builtin_prefetch(&p->w->S.F.below[j[-2 * AHEAD].entry]);
        fetch_column(&p->w->S.F, k - AHEAD);
        fetch_numbers(p, k - AHEAD);
        __builtin_prefetch(p->w->left + j[-AHEAD].slot);
        if (j[-AHEAD].scalar < p->l.m->nv) {
            __builtin_prefetch(p->a + j[-AHEAD].scalar);
            if (p->dx) __builtin_prefetch(p->dx + j[-AHEAD].scalar);
        }
    }
    if (row < 0)
        cd_block_up(&p->w->S.F, k, p->s ? 2 : 1, (real* const[2]){p->a + j->scalar, p->s ? p->dx + j->scalar : NULL});
    else
        cd_block_up(&p->w->S.F, k, p->s ? 2 : 1, (real* const[2]){p->lambda + row, NULL});
    if (p->leave) cd_leave_column(&p->l, k, p->w->left);
}

cardan_status cd_lagrange_at_once(const cardan_model* m, cd_kinematics* k, const cd_rows* rows, void* work,
                                  const real* r, const real* gamma, real* a, real* lambda, cd_where* where,
                                  const real* s, real* dx)
{
    (void)k;
    cd_lagrange_work* w   = work;
    passing           p   = {{m, rows, &w->S, r, gamma, a, lambda, {{0}, {0}, 0}},
                             w,
                             cd_null_pivots(rows, cd_lagrange_null),
                             s,
                             a,
                             lambda,
                             dx,
                             w->S.kept && !w->threads};
    const int         bad = cd_block_factor_by(&w->S.F, pass_inward, &p, w->threads);
    if (bad >= 0) {
        if (bad < m->nv)
            where->v = bad;
        else
            where->row = bad - m->nv;
        return CARDAN_SINGULAR;
    }
    cd_block_outward(&w->S.F, pass_outward, &p, w->threads);
    if (w->S.kept) {
        for (int i = w->S.F.nblock - 1; !p.leave && i >= 0; --i)
            cd_leave_column(&p.l, i, w->left); // by one thread, for its sums
        cd_leave_measure(&p.l, w->left);
        where->sure = enough(&p.l, w);
        // terms of one body may be small beside those of its neighbours, whose rounding it sums
        for (int i = 0, next; !where->sure && i < m->nlink; i = next) {
            next = i + SOME < m->nlink ? i + SOME : m->nlink;
            cd_leave_sizes(&p.l, i, next);
            where->sure = enough(&p.l, w);
        }
        if (where->sure) return CARDAN_OK;
    }
    if (w->taken) rows->reach->ask_all(rows->reach);
    return refine(&p.l, w, a, lambda, where);
}
