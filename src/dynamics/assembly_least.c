// SPDX-License-Identifier: BSD-3-Clause
// Least squares of assembly: A in units, applied by its blocks; dense by LAPACK where it is small, else by conjugate
// gradients,
//
//   y <- y + alpha p,   alpha = |s|^2 / (|A p|^2 + mu |p|^2),   s = A'(b - A y) - mu y,   p <- s + beta p
//
// which from y = 0 ends at the shortest of several solutions, as LAPACK does. Source: Bjorck 1996, section 7.4 (CGLS).
// Where rows are few beside velocities, as in a ring of a thousand bodies, the same y is A'x with
//
//   (A A' + mu I) x = b - A y,   y <- y + A'x           once for mu > 0; for mu = 0 with a small one, until nothing is left to gain
//
// (iterated Tikhonov regularization: Engl, Hanke, Neubauer 1996, section 5.1).
#include "dynamics/assembly.h"

#include "math/lapack.h"

#include <math.h>
#include <string.h>

static const double rank = 1e-10, gradient_left = 1e-9;
static const int    most_iterations = 1000;

// Rows of a held joint on all velocities of both its ends; what moves both alike cancels.
static void fill_held(cd_assembly* a, const cd_held_joint* h)
{
    const cardan_model* m = a->d->m;
    for (int n = 0; n < 2; ++n) {
        const int link = h->c.end[n].link;
        for (int v = link < 0 ? -1 : m->link[link].v + m->link[link].nv - 1; v >= 0; v = m->v_parent[v]) {
            const frame T = a->d->world.pose[m->v_link[v]];
            const vec3  s = m3_mul(T.R, a->d->k.S[v].a), u = m3_mul(T.R, a->d->k.S[v].l),
                       r = v3_sub(a->d->world.pose[link].p, T.p);
            for (int k = 0; k < h->c.nrow; ++k) {
                const spatial G = h->e.G[2 * k + n];
                a->H[(size_t)(h->c.first_row + k) * (size_t)m->nv + (size_t)v] +=
                    v3_dot(v3_add(G.a, v3_cross(r, G.l)), s) + v3_dot(G.l, u);
            }
        }
    }
}

void cd_assembly_jacobian(cd_assembly* a)
{
    memset(a->H, 0, (size_t)a->nheld_row * (size_t)a->d->m->nv * sizeof *a->H);
    for (int i = 0; i < a->nheld; ++i)
        if (cd_assembly_counts(a, &a->held[i])) fill_held(a, &a->held[i]);
}

static int rows_of(const cd_assembly* a, int i)
{
    return a->velocities ? a->d->rows.block[i].nrow : a->d->closure.constraint[i].nposition;
}

static double unit_of(const cd_assembly* a, int v) { return 1 / (a->unit[v] * a->firm[v]); }

void cd_assembly_apply(const cd_assembly* a, const double* y, double* c)
{
    const int nv = a->d->m->nv, first = a->d->closure.nrow;
    for (int v = 0; v < nv; ++v) a->moved[v] = a->column[v] >= 0 ? unit_of(a, v) * y[a->column[v]] : 0;
    cd_jacobian_times(a->d, &a->d->rows, a->moved, c);
    for (int i = 0; i < a->d->rows.nblock; ++i) {
        const cd_row_block* b = &a->d->rows.block[i];
        for (int k = 0; k < b->nrow; ++k)
            c[b->row + k] = k < rows_of(a, i) ? c[b->row + k] / a->row_unit[b->row + k] : 0;
    }
    for (int k = 0; k < a->nheld_row; ++k) {
        double sum = 0;
        for (int i = 0; i < a->nfree; ++i)
            sum += a->H[(size_t)k * (size_t)nv + (size_t)a->free[i]] * unit_of(a, a->free[i]) * y[i];
        c[first + k] = sum / a->row_unit[first + k];
    }
}

void cd_assembly_apply_transposed(const cd_assembly* a, const double* c, double* y)
{
    const int nv = a->d->m->nv, first = a->d->closure.nrow;
    for (int i = 0; i < a->d->rows.nblock; ++i) {
        const cd_row_block* b = &a->d->rows.block[i];
        for (int k = 0; k < b->nrow; ++k)
            a->pushed[b->row + k] = k < rows_of(a, i) ? c[b->row + k] / a->row_unit[b->row + k] : 0;
    }
    memset(a->moved, 0, (size_t)nv * sizeof *a->moved);
    cd_jacobian_transposed(a->d, &a->d->rows, a->pushed, a->moved);
    for (int i = 0; i < a->nfree; ++i) y[i] = a->moved[a->free[i]] * unit_of(a, a->free[i]);
    for (int k = 0; k < a->nheld_row; ++k)
        for (int i = 0; i < a->nfree; ++i)
            y[i] += a->H[(size_t)k * (size_t)nv + (size_t)a->free[i]] * unit_of(a, a->free[i]) * c[first + k] /
                    a->row_unit[first + k];
}

static bool least_dense(cd_assembly* a, double mu, const double* b, double* y)
{
    const size_t rows = (size_t)(a->nrow + (mu > 0 ? a->nfree : 0));
    for (int i = 0; i < a->nfree; ++i) { // column by column
        memset(a->p, 0, (size_t)a->nfree * sizeof *a->p);
        a->p[i] = 1;
        cd_assembly_apply(a, a->p, a->A + (size_t)i * rows);
        for (size_t k = (size_t)a->nrow; k < rows; ++k)
            a->A[(size_t)i * rows + k] = k == (size_t)(a->nrow + i) ? sqrt(mu) : 0;
    }
    memset(a->b, 0, (size_t)(a->nrow + a->nfree) * sizeof *a->b);
    memcpy(a->b, b, (size_t)a->nrow * sizeof *b);
    if (cd_lapack_rectangle((int)rows, a->nfree, a->A, a->b, mu > 0 ? 1e-14 : rank, a->work, a->pivot) < 0)
        return false;
    memcpy(y, a->b, (size_t)a->nfree * sizeof *y);
    return true;
}

static double dot(int n, const double* x)
{
    double sum = 0;
    for (int i = 0; i < n; ++i) sum += x[i] * x[i];
    return sum;
}

static bool least_iterative(cd_assembly* a, double mu, const double* b, double* y)
{
    const int n = a->nfree;
    memset(y, 0, (size_t)n * sizeof *y);
    memcpy(a->r, b, (size_t)a->nrow * sizeof *b);
    cd_assembly_apply_transposed(a, a->r, a->s);
    memcpy(a->p, a->s, (size_t)n * sizeof *a->p);
    double gamma = dot(n, a->s), first = gamma;
    for (int i = 0; i < most_iterations && gamma > gradient_left * gradient_left * first; ++i) {
        cd_assembly_apply(a, a->p, a->b);
        const double curve = dot(a->nrow, a->b) + mu * dot(n, a->p);
        if (!(curve > 0)) break;
        const double alpha = gamma / curve;
        for (int k = 0; k < n; ++k) y[k] += alpha * a->p[k];
        for (int k = 0; k < a->nrow; ++k) a->r[k] -= alpha * a->b[k];
        cd_assembly_apply_transposed(a, a->r, a->s);
        for (int k = 0; k < n; ++k) a->s[k] -= mu * y[k];
        const double next = dot(n, a->s);
        for (int k = 0; k < n; ++k) a->p[k] = a->s[k] + next / gamma * a->p[k];
        gamma = next;
    }
    return isfinite(gamma);
}

// Rows of A, one behind the other.
static void fill_rows(cd_assembly* a)
{
    const int nv = a->d->m->nv, first = a->d->closure.nrow;
    memset(a->A, 0, (size_t)a->nrow * (size_t)a->nfree * sizeof *a->A);
    for (int i = 0; i < a->d->rows.nblock; ++i) {
        const cd_row_block b = cd_way_of(a->d, &a->d->closure, i);
        for (int k = 0; k < rows_of(a, i); ++k)
            for (int j = 0; j < b.nv; ++j)
                if (a->column[b.v[j]] >= 0)
                    a->A[(size_t)(b.row + k) * (size_t)a->nfree + (size_t)a->column[b.v[j]]] =
                        b.J[k * b.nv + j] * unit_of(a, b.v[j]) / a->row_unit[b.row + k];
    }
    for (int k = 0; k < a->nheld_row; ++k)
        for (int i = 0; i < a->nfree; ++i)
            a->A[(size_t)(first + k) * (size_t)a->nfree + (size_t)i] =
                a->H[(size_t)k * (size_t)nv + (size_t)a->free[i]] * unit_of(a, a->free[i]) / a->row_unit[first + k];
}

static double product(int n, const double* x, const double* y)
{
    double sum = 0;
    for (int i = 0; i < n; ++i) sum += x[i] * y[i];
    return sum;
}

// A A' + mu I, factored. mu is made larger than rounding; *exact says that it was not.
static bool factor_rows(cd_assembly* a, double mu, bool* exact)
{
    const int n       = a->nrow;
    double    largest = 0;
    for (int i = 0; i < n; ++i)
        for (int k = 0; k <= i; ++k)
            a->K[(size_t)i * (size_t)n + (size_t)k] =
                product(a->nfree, a->A + (size_t)i * (size_t)a->nfree, a->A + (size_t)k * (size_t)a->nfree);
    for (int i = 0; i < n; ++i) largest = fmax(largest, a->K[(size_t)i * (size_t)n + (size_t)i]);
    const double least = (n + 10) * 1e-14 * largest;
    *exact             = mu >= least;
    for (int i = 0; i < n; ++i) a->K[(size_t)i * (size_t)n + (size_t)i] += fmax(mu, least);
    return cd_lapack_cholesky(n, a->K, 0, NULL) == n;
}

static bool least_few(cd_assembly* a, double mu, const double* b, double* y)
{
    bool exact;
    fill_rows(a);
    memset(y, 0, (size_t)a->nfree * sizeof *y);
    memcpy(a->r, b, (size_t)a->nrow * sizeof *b);
    if (!factor_rows(a, mu, &exact)) return false;
    double before = INFINITY;
    for (int n = 0; n < (exact ? 1 : 8); ++n) {
        cd_lapack_cholesky_solve(a->nrow, a->K, a->r);
        cd_assembly_apply_transposed(a, a->r, a->s);
        const double size = dot(a->nfree, a->s);
        if (!(size < before)) break;
        before = size;
        for (int i = 0; i < a->nfree; ++i) y[i] += a->s[i];
        cd_assembly_apply(a, y, a->b);
        for (int k = 0; k < a->nrow; ++k) a->r[k] = b[k] - a->b[k];
    }
    return isfinite(dot(a->nfree, y));
}

bool cd_assembly_least(cd_assembly* a, double mu, const double* b, double* y)
{
    if (a->few) return least_few(a, mu, b, y);
    return a->dense ? least_dense(a, mu, b, y) : least_iterative(a, mu, b, y);
}
