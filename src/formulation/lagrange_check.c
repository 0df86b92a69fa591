// SPDX-License-Identifier: BSD-3-Clause
// What the solution of `lagrange` leaves of its equations,
//
//   x = (r - H a - C'lambda, gamma - C a + E lambda),
//
// once from inertias and rows, and once from the factor while the solve passes, which costs next to nothing. There
// equations of bodies that gather nothing are left out: their accelerations are computed from just these.
#include "formulation/block_kernels.h"
#include "formulation/lagrange.h"
#include "math/largest.h"

#include <math.h>

enum { AHEAD = 16 }; // constraints by which memory is asked for before it is wanted

static const double repeats = 1e-3; // beside gaps, that rows which repeat others leave of their terms

// r rows of a block on one body: sum (r) -= C a, x (6) -= C'lambda; and the largest terms of C a.
CD_KERNEL void leave_body(const real* J, int nv, const real* a, const real* lambda, strip* sum, strip* size, real* x,
                          int r)
{
    strip at, rest, row[CD_BLOCK_MOST], part;
    strip_read(&at, a, 6);
    strip_read(&rest, x, 6);
    CD_UNROLL for (int i = 0; i < r; ++i)
    {
        strip_read(&row[i], J + i * nv, 6);
        strip_drop(&rest, &row[i], lambda[i], 0, 6);
    }
    strip_dots(&part, row, &at, r);
    strip_subtract(sum, &part, r);
    strip_largest(size, &part, r);
    strip_write(&rest, x, 6);
}

// Rows that are held to repeat others are not the solution's: what it leaves of them is told apart.
CD_KERNEL void leave_repeated(cd_leaving* l, const cd_row_block* b, strip* sum, int r)
{
    const bool* null = l->S->F.null + l->m->nv + b->row;
    real        e[CD_BLOCK_MOST];
    strip_part(sum, e, r);
    CD_UNROLL for (int i = 0; i < r; ++i)
    {
        if (!null[i]) continue;
        l->e.repeated = cd_larger_or_none(l->e.repeated, fabs(r_value(e[i])));
        e[i]          = r_lift(0);
    }
    strip_make(sum, e, r);
}

// One constraint of r rows; sum is what it leaves, and stays at hand from body to body.
CD_KERNEL void leave_constraint(cd_leaving* l, const cd_row_block* b, real* x, strip* size, strip* left, int r)
{
    const real* lambda = l->lambda + b->row;
    strip       sum;
    strip_read_rows(&sum, l->gamma + b->row, r);
    strip_largest(size, &sum, r);
    if (l->rows->compliance) {
        real e[CD_BLOCK_MOST];
        for (int i = 0; i < r; ++i)
            e[i] = r_add(l->gamma[b->row + i], r_mul(r_lift(l->rows->compliance[b->row + i]), lambda[i]));
        strip_make(&sum, e, r);
    }
    for (int j = 0; j < b->nv; j += 6) leave_body(b->J + j, b->nv, l->a + b->v[j], lambda, &sum, size, x + b->v[j], r);
    if (l->rows->held) leave_repeated(l, b, &sum, r);
    strip_largest_or_none(left, &sum, r);
    strip_write_rows(&sum, x + l->m->nv + b->row, r);
}

static void store(const strip* x, double* value)
{
    real e[CD_BLOCK_MOST];
    strip_part(x, e, CD_BLOCK_MOST);
    for (int i = 0; i < CD_BLOCK_MOST; ++i) value[i] = r_value(e[i]);
}

static double largest_of(const strip* x)
{
    double e[CD_BLOCK_MOST], most = 0;
    store(x, e);
    for (int i = 0; i < CD_BLOCK_MOST; ++i) most = cd_larger_or_none(most, e[i]);
    return most;
}

// Rows of a constraint that will be wanted soon.
CD_KERNEL void fetch_rows(const cd_row_block* b)
{
    const char* end = (const char*)(b->J + b->nrow * b->nv);
    __builtin_prefetch(b->v);
    for (const char* J = (const char*)b->J; J < end; J += 64) __builtin_prefetch(J, 0, 2);
}

static void leave_rows(cd_leaving* l, real* x)
{
    strip left, size;
    l->e.repeated = 0;
    strip_clear(&left);
    strip_clear(&size);
    for (int c = 0; c < l->rows->nblock; ++c) {
        const cd_row_block* b = &l->rows->block[c];
        if (c + AHEAD < l->rows->nblock) fetch_rows(b + AHEAD);
#define CD_LEAVE(r) leave_constraint(l, b, x, &size, &left, r)
        CD_EVERY_SIZE(b->nrow, CD_LEAVE)
#undef CD_LEAVE
    }
    l->e.left[6] = largest_of(&left);
    l->e.size[6] = largest_of(&size);
}

static inline void inertia_times(const cd_link* link, const real* u, real* H)
{
    const vec3 n = s3_mul(s3_lift(link->I), v3(u[3], u[4], u[5]));
    for (int k = 0; k < 3; ++k) H[k] = r_mul(r_lift(link->m), u[k]);
    H[3] = n.x, H[4] = n.y, H[5] = n.z;
}

static inline void add_sizes(cd_leftover* e, const real* f, const real* H)
{
    for (int k = 0; k < 6; ++k) e->size[k] = cd_larger(e->size[k], cd_larger(fabs(r_value(f[k])), fabs(r_value(H[k]))));
}

static void level(double* size)
{
    for (int k = 0; k < 6; k += 3) {
        const double most = cd_larger(size[k], cd_larger(size[k + 1], size[k + 2]));
        for (int j = 0; j < 3; ++j) size[k + j] = most;
    }
}

static void leave_bodies(cd_leaving* l, real* x)
{
    strip size;
    strip_clear(&size);
    for (int i = 0; i < l->m->nlink; ++i) {
        real  e[6];
        strip f, H;
        inertia_times(&l->m->link[i], l->a + 6 * i, e);
        strip_make(&H, e, 6);
        strip_read(&f, l->r + 6 * i, 6);
        strip_largest(&size, &f, 6);
        strip_largest(&size, &H, 6);
        strip_subtract(&f, &H, 6);
        strip_write(&f, x + 6 * i, 6);
    }
    store(&size, l->e.size);
}

static void measure_bodies(cd_leaving* l, const real* x)
{
    strip left, here;
    strip_clear(&left);
    for (int i = 0; i < l->m->nlink; ++i) {
        strip_read(&here, x + 6 * i, 6);
        strip_largest_or_none(&left, &here, 6);
    }
    store(&left, l->e.left);
}

// Velocities of a constraint stand body by body.
void cd_leave_all(cd_leaving* l, real* x)
{
    leave_bodies(l, x);
    leave_rows(l, x);
    measure_bodies(l, x);
    level(l->e.size);
}

static bool gathers(const cd_block_ldl* F, int k) { return F->column[k].gather < F->column[k + 1].gather; }

void cd_leave_column(cd_leaving* l, int k, real* y)
{
    const cd_block_ldl*    F   = &l->S->F;
    const cd_block_column* j   = &F->column[k];
    const int              row = j->scalar - l->m->nv;
    cd_leftover*           e   = &l->e;
    if (row >= 0) {
        for (int i = 0; i < j->size; ++i) {
            const real g = l->gamma[row + i];
            e->size[6]   = cd_larger(e->size[6], fabs(r_value(g)));
            y[j->slot + i] =
                l->rows->compliance ? r_add(g, r_mul(r_lift(l->rows->compliance[row + i]), l->lambda[row + i])) : g;
        }
    } else if (gathers(F, k)) {
        const real* f = l->r + j->scalar;
        real        H[6];
        inertia_times(&l->m->link[j->block], l->a + j->scalar, H);
        add_sizes(e, f, H);
        for (int i = 0; i < 6; ++i) y[j->slot + i] = r_sub(f[i], H[i]);
    }
    if (l->S->first_edge[k] == l->S->first_edge[k + 1]) return;
    const double size = cd_block_leave(F, k, y);
    if (row < 0) e->size[6] = cd_larger(e->size[6], size);
}

void cd_leave_measure(cd_leaving* l, const real* y)
{
    const cd_block_ldl* F = &l->S->F;
    for (int k = 0; k < F->nblock; ++k) {
        const cd_block_column* j   = &F->column[k];
        const bool             row = j->scalar >= l->m->nv;
        if (!row && !gathers(F, k)) continue;
        for (int i = 0; i < j->size; ++i)
            l->e.left[row ? 6 : i] = cd_larger_or_none(l->e.left[row ? 6 : i], fabs(r_value(y[j->slot + i])));
    }
    level(l->e.size);
}

void cd_leave_sizes(cd_leaving* l, int from, int to)
{
    for (int i = from; i < to; ++i) {
        real H[6];
        inertia_times(&l->m->link[i], l->a + 6 * i, H);
        add_sizes(&l->e, l->r + 6 * i, H);
    }
    level(l->e.size);
}

bool cd_leaves_more(const cd_leftover* e, double part, double open)
{
    for (int k = 0; k < 6; ++k)
        if (!(e->left[k] <= part * e->size[k])) return true;
    if (!(e->repeated <= repeats * e->size[6])) return true;
    return !(e->left[6] <= fmax(part * e->size[6], open));
}
