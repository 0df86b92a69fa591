// SPDX-License-Identifier: BSD-3-Clause
// The matrix of `lagrange` from inertias and rows, by columns of its elimination, so that a column can be eliminated
// while it is at hand.
//
//   [ H  C' ]      C: rows of a constraint on the bodies it holds, a block for each;   E: compliance of rotors
//   [ C  -E ]
#include "formulation/block_kernels.h"
#include "formulation/lagrange.h"

#include <string.h>

enum { AHEAD = 16 }; // blocks by which memory is asked for before it is wanted

static void add_body(const cd_link* link, real* H)
{
    const int    n       = r_lanes(6);
    const double I[3][3] = {{link->I[0], link->I[3], link->I[4]},
                            {link->I[3], link->I[1], link->I[5]},
                            {link->I[4], link->I[5], link->I[2]}};
    for (int a = 0; a < 3; ++a) {
        H[a + a * n] = r_lift(link->m);
        for (int b = 0; b < 3; ++b) H[(a + 3) + (b + 3) * n] = r_lift(I[a][b]);
    }
}

// Rows on all six velocities of a body, as columns of r rows: whole vectors, as they are read soon after.
CD_KERNEL void add_across(const real* J, int nv, int right, real* A, int r)
{
    CD_UNROLL for (int k = 0; k < 6; ++k, A += right)
    {
        real  e[CD_BLOCK_MOST];
        strip column;
        CD_UNROLL for (int i = 0; i < r; ++i) e[i] = J[i * nv + k];
        strip_make(&column, e, r);
        strip_write(&column, A, r);
    }
}

static inline void add_whole(const cd_row_block* b, const real* J, cd_block_place p, real* A)
{
    if (p.right == 1) {
        for (int i = 0; i < b->nrow; ++i, J += b->nv, A += p.down) memcpy(A, J, 6 * sizeof *A);
        return;
    }
#define CD_ACROSS(r) add_across(J, b->nv, p.right, A, r)
    CD_EVERY_SIZE(b->nrow, CD_ACROSS)
#undef CD_ACROSS
}

// The rows of a constraint on one body into their block.
static inline void add_run(cd_flat_system* S, const cd_row_block* b, const cd_flat_run* run)
{
    real* A = S->F.value + run->place.at;
    if (run->to - run->from == 6) {
        add_whole(b, b->J + run->from, run->place, A);
        return;
    }
    for (int j = run->from; j < run->to; ++j)
        for (int i = 0, k = b->v[j] % 6; i < b->nrow; ++i)
            A[i * run->place.down + k * run->place.right] = b->J[i * b->nv + j];
}

// The block of a run that will be written soon.
static inline __attribute__((always_inline)) void fetch_run(const cd_flat_system* S, int n)
{
    const cd_flat_run* run  = &S->run[n];
    const char*        from = (const char*)(S->F.value + run->place.at);
    const int          size = 6 * (run->place.right > run->place.down ? run->place.right : run->place.down);
    __builtin_prefetch(run + AHEAD);
    for (const char* p = from; p < from + size * (int)sizeof(real) + 63; p += 64) __builtin_prefetch(p, 1);
}

void cd_lagrange_take(void* work, int constraint, const cd_row_block* b)
{
    const cd_lagrange_work* w    = work;
    cd_flat_system*         S    = &((cd_lagrange_work*)work)->S;
    const int               end  = S->first[constraint + 1];
    const int               last = S->F.fetched > 0 ? S->first[w->nconstraint] - 2 * AHEAD : 0;
    for (int n = S->first[constraint]; n < end; ++n) {
        if (n < last) fetch_run(S, n + AHEAD);
        add_run(S, b, &S->run[n]);
    }
}

static bool is_rotor(const cd_rows* rows, const cd_row_block* b)
{
    return rows->compliance && b->nrow > 0 && cd_compliance(rows, b->row) > 0;
}

static bool sees_position(const cd_row_block* b, const real* J, bool whole)
{
    bool moves = false;
    for (int j = 0; whole && j < b->nv; j += 6)
        for (int k = 0; k < 3; ++k) moves |= r_value(J[j + k]) != 0;
    for (int j = 0; !whole && j < b->nv; ++j) moves |= b->v[j] % 6 < 3 && r_value(J[j]) != 0;
    return moves;
}

// rho of each row of a constraint: rows that see a position weigh as masses, the others as moments of inertia; rows
// that are held to repeat others weigh nothing.
static void weigh_rows(cd_lagrange_work* w, const cd_rows* rows, const cd_row_block* b, bool whole, int nv)
{
    const bool rotor = is_rotor(rows, b);
    for (int i = 0; i < b->nrow; ++i) {
        const int row = b->row + i;
        if (rotor)
            w->rho[row] = r_div(r_lift(1), r_lift(rows->compliance[row]));
        else if (rows->held && w->S.F.null[nv + row])
            w->rho[row] = r_lift(0);
        else
            w->rho[row] = r_lift(sees_position(b, b->J + i * b->nv, whole) ? w->rho_move : w->rho_turn);
    }
}

// rho C'C of all six velocities of two bodies.
CD_KERNEL void lean_whole(const cd_row_block* b, const real* rho, const real* one, const real* two, int right, real* A)
{
    strip row[CD_BLOCK_MOST];
    real  weight[CD_BLOCK_MOST][6];
    for (int i = 0; i < b->nrow; ++i, one += b->nv, two += b->nv) {
        strip_make(&row[i], one, 6);
        CD_UNROLL for (int j = 0; j < 6; ++j) weight[i][j] = r_mul(rho[i], two[j]);
    }
    CD_UNROLL for (int j = 0; j < 6; ++j)
    {
        strip sum;
        strip_read(&sum, A + j * right, 6);
        for (int i = 0; i < b->nrow; ++i) strip_lift(&sum, &row[i], weight[i][j], 6);
        strip_write(&sum, A + j * right, 6);
    }
}

static inline void lean_pair(const cd_lagrange_work* w, const cd_row_block* b, const cd_flat_lean* l, real* A)
{
    const real* rho = w->rho + b->row;
    if (l->whole && l->place.down == 1) {
        lean_whole(b, rho, b->J + l->from[0], b->J + l->from[1], l->place.right, A);
        return;
    }
    for (int i = 0; i < b->nrow; ++i)
        for (int j = l->from[1]; j < l->to[1]; ++j) {
            const real f = r_mul(rho[i], b->J[i * b->nv + j]);
            for (int k = l->from[0]; k < l->to[0]; ++k) {
                real* entry = &A[(b->v[k] % 6) * l->place.down + (b->v[j] % 6) * l->place.right];
                *entry      = r_add(*entry, r_mul(f, b->J[i * b->nv + k]));
            }
        }
}

// rho C'C of the constraints that lean, in column k.
static __attribute__((noinline)) void lean(const cardan_model* m, const cd_rows* rows, cd_lagrange_work* w, int k,
                                           real* D)
{
    const cd_flat_system* S = &w->S;
    for (int n = S->first_lean[k]; n < S->first_lean[k + 1]; ++n) {
        const cd_flat_lean* l = &S->lean[n];
        const cd_row_block* b = &rows->block[l->constraint];
        if (l->first) weigh_rows(w, rows, b, l->whole, m->nv);
        lean_pair(w, b, l, l->own ? D : S->F.value + l->place.at);
    }
}

static void add_compliance(const cd_rows* rows, const cd_row_block* b, real* D)
{
    for (int i = 0; i < b->nrow; ++i) D[i * (r_lanes(b->nrow) + 1)] = r_lift(-rows->compliance[b->row + i]);
}

void cd_lagrange_write(const cardan_model* m, const cd_rows* rows, cd_lagrange_work* w, int k, real* D)
{
    cd_flat_system* S     = &w->S;
    const int       block = S->F.column[k].block, c = block - m->nlink;
    cd_block_clear_below(&S->F, k);
    if (c < 0 && S->F.held[k] < CD_BLOCK_HELD) add_body(&m->link[block], D);
    if (c >= 0 && is_rotor(rows, &rows->block[c])) add_compliance(rows, &rows->block[c], D);
    for (int n = S->first_edge[k]; !w->taken && n < S->first_edge[k + 1]; ++n) {
        const cd_flat_run*  run = &S->edge[n];
        const cd_row_block* b   = &rows->block[run->constraint];
        if (!w->leans || !w->leaning[run->constraint] || !is_rotor(rows, b)) add_run(S, b, run);
    }
    if (w->leans) lean(m, rows, w, k, D);
}

cardan_status cd_lagrange_assemble(const cardan_model* m, cd_kinematics* k, const cd_rows* rows, void* work)
{
    (void)k;
    cd_lagrange_work* w = work;
    for (int i = 0; i < w->S.F.nblock; ++i) {
        cd_block_clear_diagonal(&w->S.F, i);
        cd_lagrange_write(m, rows, w, i, w->S.F.value + w->S.F.column[i].at);
    }
    return CARDAN_OK;
}

void cd_lagrange_lean_column(const cd_rows* rows, const cd_lagrange_work* w, int k, const real* s, real* x)
{
    const cd_flat_system* S = &w->S;
    for (int n = S->first_lean[k]; n < S->first_lean[k + 1]; ++n) {
        const cd_flat_lean* l = &S->lean[n];
        const cd_row_block* b = &rows->block[l->constraint];
        for (int i = 0; l->own && i < b->nrow; ++i) {
            const real  f = r_mul(w->rho[b->row + i], s[b->row + i]);
            const real* J = b->J + i * b->nv;
            for (int j = l->from[0]; j < l->to[0]; ++j) {
                const int at = l->whole ? j - l->from[0] : b->v[j] % 6;
                x[at]        = r_add(x[at], r_mul(f, J[j]));
            }
        }
    }
}

void cd_lagrange_lean(const cardan_model* m, const cd_rows* rows, const cd_lagrange_work* w, real* x)
{
    for (int c = 0; w->leans && c < rows->nblock; ++c) {
        const cd_row_block* b = &rows->block[c];
        if (!w->leaning[c]) continue;
        for (int i = 0; i < b->nrow; ++i) {
            const real f = r_mul(w->rho[b->row + i], x[m->nv + b->row + i]);
            for (int j = 0; j < b->nv; ++j) x[b->v[j]] = r_add(x[b->v[j]], r_mul(f, b->J[i * b->nv + j]));
        }
    }
}

// Rotors that lean: lambda = (C a - gamma) / E, x holds -gamma / E.
void cd_lagrange_unlean(const cardan_model* m, const cd_rows* rows, const cd_lagrange_work* w, real* x)
{
    for (int c = 0; w->leans && rows->compliance && c < rows->nblock; ++c) {
        const cd_row_block* b = &rows->block[c];
        if (!w->leaning[c] || !is_rotor(rows, b)) continue;
        for (int i = 0; i < b->nrow; ++i)
            for (int j = 0; j < b->nv; ++j) {
                real* lambda = &x[m->nv + b->row + i];
                *lambda      = r_add(*lambda, r_mul(r_div(r_lift(1), r_lift(rows->compliance[b->row + i])),
                                                    r_mul(b->J[i * b->nv + j], x[b->v[j]])));
            }
    }
}
