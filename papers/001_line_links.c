// SPDX-License-Identifier: BSD-3-Clause
// Line links: geometry and tree solver. M(j) = m [1, -1/2; -1/2, 1/3] in blocks of d. With the connections eliminated,
// r" = a - a(f), the block elimination along the tree has d x d blocks for the accelerations a of the joints. Inward
// recursion, X = 0 and y = 0 at the leaves:
//
//   A = m/3 + X,   w = A^-1 r,   s = r.w,   b = Fx + Fr + y,   gl = -rd.rd - b1 r.rd - b2 (r.r - l^2)/2
//   lambda = l0 + l1.a(f)      l0 = (w.b - gl)/s            l1 = -(m w/6 + r)/s
//   a      = a0 + A1 a(f)      a0 = A^-1 b - w l0           A1 = -m A^-1/6 - w l1'
//   X(f) += m/3 + m A1/6 - r l1'                            y(f) -= m a0/6 - r l0 + Fr
#include "001_line_links.h"

#include "math/dense_cholesky.h"

#include <math.h>
#include <string.h>

static void layout(cd_line_links* c)
{
    CD_ARENA_ARRAY(&c->arena, c->parent, c->n);
    CD_ARENA_ARRAY(&c->arena, c->mass, c->n);
    CD_ARENA_ARRAY(&c->arena, c->length, c->n);
    CD_ARENA_ARRAY(&c->arena, c->anchor, c->n * c->d);
    CD_ARENA_ARRAY(&c->arena, c->start, c->n * c->d);
    CD_ARENA_ARRAY(&c->arena, c->closure, c->nclosure);
}

static bool allocate(cd_line_links* c)
{
    layout(c);
    if (!cd_arena_reserve(&c->arena)) return false;
    layout(c);
    for (int j = 0; j < c->n; ++j) c->mass[j] = c->length[j] = 1;
    return true;
}

void cd_line_release(cd_line_links* c) { cd_arena_release(&c->arena); }

static void set_link(cd_line_links* c, int j, int parent, double rx, double ry)
{
    c->parent[j]           = parent;
    c->start[c->d * j]     = rx;
    c->start[c->d * j + 1] = ry;
}

// Link 0 points down from the fixed joint, which is the first top joint. Square i: top link to the right, bottom link
// to the right, right side down from the new top joint; its end coincides with the new bottom joint.
bool cd_line_squares(int m, cd_line_links* c)
{
    *c = (cd_line_links){.d = 2, .n = 3 * m + 1, .nclosure = m, .gravity = 9.81};
    if (!allocate(c)) return false;
    int top = -1, bottom = 0;
    set_link(c, 0, -1, 0, -1);
    for (int i = 0; i < m; ++i) {
        const int j = 3 * i + 1;
        set_link(c, j, top, 1, 0);
        set_link(c, j + 1, bottom, 1, 0);
        set_link(c, j + 2, j, 0, -1);
        c->closure[i][0] = j + 2;
        c->closure[i][1] = j + 1;
        top              = j;
        bottom           = j + 1;
    }
    return true;
}

bool cd_line_net(int w, int l, double angle, cd_line_links* c)
{
    *c = (cd_line_links){.d = 3, .n = (2 * w - 1) * l, .nclosure = (w - 1) * l, .gravity = 9.81};
    if (!allocate(c)) return false;
    int closures = 0;
    for (int column = 0; column < w; ++column)
        for (int i = 0; i < l; ++i) {
            const bool last     = column == w - 1;
            const int  vertical = 2 * column * l + (last ? i : 2 * i), above = vertical - (last ? 1 : 2);
            set_link(c, vertical, i > 0 ? above : -1, 0, sin(angle));
            c->start[3 * vertical + 2] = -cos(angle);
            if (i == 0) c->anchor[3 * vertical] = column;
            if (last) continue;
            set_link(c, vertical + 1, vertical, 1, 0);
            c->closure[closures][0]   = vertical + 1;
            c->closure[closures++][1] = 2 * (column + 1) * l + (column + 1 == w - 1 ? i : 2 * i);
        }
    return true;
}

void cd_line_start(const cd_line_links* c, double* state)
{
    const int n = c->n * c->d;
    memset(state, 0, (size_t)(4 * n) * sizeof *state);
    for (int j = 0; j < c->n; ++j)
        for (int i = 0; i < c->d; ++i) {
            const int k  = c->d * j + i;
            state[n + k] = c->start[k];
            state[k]     = c->start[k] + (c->parent[j] < 0 ? c->anchor[k] : state[c->d * c->parent[j] + i]);
        }
}

// Quantities of one link; A is replaced by its factor.
typedef struct line_work {
    double A[9], A1[9], r[3], y[3], w[3], l1[3], a0[3];
    double l0, s, m, g, gamma_length; // gamma_length: -rd.rd - b1 r.rd - b2 (r.r - l^2)/2
} line_work;

_Static_assert(sizeof(line_work) == CD_LINE_WORK * sizeof(double), "CD_LINE_WORK");

static double dot(int d, const double* a, const double* b)
{
    double sum = 0;
    for (int i = 0; i < d; ++i) sum += a[i] * b[i];
    return sum;
}

static void eliminate_link(int d, line_work* x, const double* force, line_work* parent)
{
    double b[3], inverse[3][3] = {{0}};
    for (int i = 0; i < d; ++i) b[i] = force[i] + x->y[i];
    b[d - 1] -= 0.5 * x->m * x->g; // Fx + Fr of gravity
    dense_cholesky(d, x->A, 0, NULL);
    memcpy(x->w, x->r, sizeof x->w);
    dense_cholesky_solve(d, x->A, x->w);
    x->s  = dot(d, x->r, x->w);
    x->l0 = (dot(d, x->w, b) - x->gamma_length) / x->s;
    dense_cholesky_solve(d, x->A, b);
    for (int i = 0; i < d; ++i) {
        inverse[i][i] = 1;
        dense_cholesky_solve(d, x->A, inverse[i]);
        x->l1[i] = -(x->m * x->w[i] / 6 + x->r[i]) / x->s;
        x->a0[i] = b[i] - x->w[i] * x->l0;
    }
    for (int i = 0; i < d; ++i)
        for (int j = 0; j < d; ++j) x->A1[i * d + j] = -x->m * inverse[i][j] / 6 - x->w[i] * x->l1[j];
    if (!parent) return;
    for (int i = 0; i < d; ++i) {
        const double weight = i == d - 1 ? 0.5 * x->m * x->g : 0;
        parent->y[i] -= x->m * x->a0[i] / 6 - x->r[i] * x->l0 + weight;
        for (int j = 0; j < d; ++j)
            parent->A[i * d + j] += (i == j ? x->m / 3 : 0) + x->m * x->A1[i * d + j] / 6 - x->r[i] * x->l1[j];
    }
}

void cd_line_tree_accelerate(const cd_line_links* c, const double* state, const double* force, double b1, double b2,
                             double* work, double* a)
{
    const int     d = c->d, n = c->n * d;
    line_work*    x = (line_work*)(void*)work;
    const double *r = state + n, *rd = state + 3 * n;
    memset(x, 0, (size_t)c->n * sizeof *x);
    for (int j = 0; j < c->n; ++j) {
        const double *rj = r + d * j, *vj = rd + d * j, l = c->length[j];
        memcpy(x[j].r, rj, (size_t)d * sizeof *rj);
        x[j].m            = c->mass[j];
        x[j].g            = c->gravity;
        x[j].gamma_length = -dot(d, vj, vj) - b1 * dot(d, rj, vj) - b2 * (dot(d, rj, rj) - l * l) / 2;
        for (int i = 0; i < d; ++i) x[j].A[i * d + i] = x[j].m / 3;
    }
    for (int j = c->n - 1; j >= 0; --j)
        eliminate_link(d, &x[j], force + d * j, c->parent[j] < 0 ? NULL : &x[c->parent[j]]);
    for (int j = 0; j < c->n; ++j)
        for (int i = 0; i < d; ++i) {
            const double* af = c->parent[j] < 0 ? NULL : a + d * c->parent[j];
            a[d * j + i]     = x[j].a0[i] + (af ? dot(d, x[j].A1 + i * d, af) : 0);
        }
}
