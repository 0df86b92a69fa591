// SPDX-License-Identifier: BSD-3-Clause
// What the solution of `lagrange` leaves of its equations,
//
//   x = (r - H a - C'lambda, gamma - C a + E lambda),
//
// once from inertias and rows, and once from the factor while the solve passes, which costs next to nothing. There
// equations of bodies that gather nothing are left out: their accelerations are computed from just these.
#include "formulation/block_lanes.h"
#include "formulation/lagrange.h"
#include "math/largest.h"

#include <math.h>

// Rows of a block on one body: sum (nrow) -= C a, x (6) -= C'lambda, which stays at hand from row to row; the largest
// term of C a.
static inline double leave_body(const cd_row_block* b, const real* J, const real* a, const real* lambda, real* sum,
                                real* x)
{
    double size = 0;
    strip  at, rest, row;
    strip_read(&at, a, 6);
    strip_read(&rest, x, 6);
    for (int i = 0; i < b->nrow; ++i, J += b->nv) {
        strip_read(&row, J, 6);
        const real part = strip_dot(&row, &at);
        strip_drop(&rest, &row, lambda[i], 0, 6);
        sum[i] = r_sub(sum[i], part);
        size   = cd_larger(size, fabs(r_value(part)));
    }
    strip_write(&rest, x, 6);
    return size;
}

static void leave_rows(const cardan_model* m, const cd_rows* rows, const real* gamma, const real* a, const real* lambda,
                       real* x, cd_leftover* e)
{
    double left = 0, size = 0;
    for (int c = 0; c < rows->nblock; ++c) {
        const cd_row_block* b   = &rows->block[c];
        real*               sum = x + m->nv + b->row;
        for (int i = 0; i < b->nrow; ++i) {
            const int row = b->row + i;
            size          = cd_larger(size, fabs(r_value(gamma[row])));
            sum[i] =
                rows->compliance ? r_add(gamma[row], r_mul(r_lift(rows->compliance[row]), lambda[row])) : gamma[row];
        }
        for (int j = 0; j < b->nv; j += 6)
            size = cd_larger(size, leave_body(b, b->J + j, a + b->v[j], lambda + b->row, sum, x + b->v[j]));
        for (int i = 0; i < b->nrow; ++i) left = cd_larger_or_none(left, fabs(r_value(sum[i])));
    }
    e->left[6] = left;
    e->size[6] = size;
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

// Velocities of a constraint stand body by body.
void cd_leave_all(cd_leaving* l, real* x)
{
    cd_leftover* e = &l->e;
    *e             = (cd_leftover){{0}, {0}};
    for (int i = 0; i < l->m->nlink; ++i) {
        const real* f = l->r + 6 * i;
        real        H[6];
        inertia_times(&l->m->link[i], l->a + 6 * i, H);
        add_sizes(e, f, H);
        for (int k = 0; k < 6; ++k) x[6 * i + k] = r_sub(f[k], H[k]);
    }
    leave_rows(l->m, l->rows, l->gamma, l->a, l->lambda, x, e);
    for (int i = 0; i < l->m->nlink; ++i)
        for (int k = 0; k < 6; ++k) e->left[k] = cd_larger_or_none(e->left[k], fabs(r_value(x[6 * i + k])));
    level(e->size);
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
    return !(e->left[6] <= fmax(part * e->size[6], open));
}
