// SPDX-License-Identifier: BSD-3-Clause
// Least squares of assembly: A in units, applied by its blocks; dense by LAPACK if it is small, else by conjugate
// gradients,
//
//   y <- y + alpha p,   alpha = |s|^2 / (|A p|^2 + mu |p|^2),   s = A'(b - A y) - mu y,   p <- s + beta p
//
// which converge from y = 0 to the minimum-norm solution, as LAPACK does. Source: Bjorck 1996, section 7.4 (CGLS). If
// there are few rows compared with velocities, as in a ring of a thousand bodies, the same y is A'x with
//
//   (A A' + mu I) x = b - A y,   y <- y + A'x       once for mu > 0; for mu = 0 with a small mu, repeatedly
//
// (iterated Tikhonov regularization: Engl, Hanke, Neubauer 1996, section 5.1).
#include "assembly/assembly_problem.h"
#include "assembly/assembly_tolerances.h"
#include "dynamics/rows/jacobian_operator.h"

#include "math/dot_product.h"
#include "math/lapack.h"

#include <math.h>
#include <string.h>

static const int max_iterations = 1000;

// Rows of a fixed joint on all velocities of both ends; common velocities cancel.
static void fill_fixed_rows(cd_assembly* a, const cd_fixed_joint* h)
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
                a->fixed_jacobian[(size_t)(h->c.first_row + k) * (size_t)m->nv + (size_t)v] +=
                    v3_dot(v3_add(G.a, v3_cross(r, G.l)), s) + v3_dot(G.l, u);
            }
        }
    }
}

void cd_assembly_update_jacobian(cd_assembly* a)
{
    memset(a->fixed_jacobian, 0, (size_t)a->nfixed_row * (size_t)a->d->m->nv * sizeof *a->fixed_jacobian);
    for (int i = 0; i < a->nfixed; ++i)
        if (cd_assembly_is_fixed(a, a->fixed_joint[i].c.joint)) fill_fixed_rows(a, &a->fixed_joint[i]);
}

static int active_rows(const cd_assembly* a, int i)
{
    return a->velocity_level ? a->d->rows.block[i].nrow : a->d->constraints.constraint[i].nholonomic;
}

static double velocity_unit(const cd_assembly* a, int v) { return 1 / (a->velocity_unit_inverse[v] * a->weight[v]); }

void cd_assembly_apply(const cd_assembly* a, const double* y, double* c)
{
    const int nv = a->d->m->nv, first = a->d->constraints.nrow;
    for (int v = 0; v < nv; ++v)
        a->velocity_si[v] = a->free_column[v] >= 0 ? velocity_unit(a, v) * y[a->free_column[v]] : 0;
    cd_jacobian_times(a->d, &a->d->rows, a->velocity_si, c);
    for (int i = 0; i < a->d->rows.nblock; ++i) {
        const cd_row_block* b = &a->d->rows.block[i];
        for (int k = 0; k < b->nrow; ++k)
            c[b->row + k] = k < active_rows(a, i) ? c[b->row + k] / a->row_unit[b->row + k] : 0;
    }
    for (int k = 0; k < a->nfixed_row; ++k) {
        double sum = 0;
        for (int i = 0; i < a->nfree; ++i)
            sum += a->fixed_jacobian[(size_t)k * (size_t)nv + (size_t)a->free_velocity[i]] *
                   velocity_unit(a, a->free_velocity[i]) * y[i];
        c[first + k] = sum / a->row_unit[first + k];
    }
}

void cd_assembly_apply_transposed(const cd_assembly* a, const double* c, double* y)
{
    const int nv = a->d->m->nv, first = a->d->constraints.nrow;
    for (int i = 0; i < a->d->rows.nblock; ++i) {
        const cd_row_block* b = &a->d->rows.block[i];
        for (int k = 0; k < b->nrow; ++k)
            a->multiplier_si[b->row + k] = k < active_rows(a, i) ? c[b->row + k] / a->row_unit[b->row + k] : 0;
    }
    memset(a->velocity_si, 0, (size_t)nv * sizeof *a->velocity_si);
    cd_add_jacobian_transposed_times(a->d, &a->d->rows, a->multiplier_si, a->velocity_si);
    for (int i = 0; i < a->nfree; ++i)
        y[i] = a->velocity_si[a->free_velocity[i]] * velocity_unit(a, a->free_velocity[i]);
    for (int k = 0; k < a->nfixed_row; ++k)
        for (int i = 0; i < a->nfree; ++i)
            y[i] += a->fixed_jacobian[(size_t)k * (size_t)nv + (size_t)a->free_velocity[i]] *
                    velocity_unit(a, a->free_velocity[i]) * c[first + k] / a->row_unit[first + k];
}

static bool least_squares_dense(cd_assembly* a, double mu, const double* b, double* y)
{
    const size_t rows = (size_t)(a->nrow + (mu > 0 ? a->nfree : 0));
    for (int i = 0; i < a->nfree; ++i) { // column-major
        memset(a->p, 0, (size_t)a->nfree * sizeof *a->p);
        a->p[i] = 1;
        cd_assembly_apply(a, a->p, a->A + (size_t)i * rows);
        for (size_t k = (size_t)a->nrow; k < rows; ++k)
            a->A[(size_t)i * rows + k] = k == (size_t)(a->nrow + i) ? sqrt(mu) : 0;
    }
    memset(a->b, 0, (size_t)(a->nrow + a->nfree) * sizeof *a->b);
    memcpy(a->b, b, (size_t)a->nrow * sizeof *b);
    if (cd_lapack_least_squares_rectangular((int)rows, a->nfree, a->A, a->b,
                                            mu > 0 ? cd_damped_rank_tolerance : cd_least_squares_rank_tolerance,
                                            a->work, a->pivot) < 0)
        return false;
    memcpy(y, a->b, (size_t)a->nfree * sizeof *y);
    return true;
}

static bool least_squares_cgls(cd_assembly* a, double mu, const double* b, double* y)
{
    const int n = a->nfree;
    memset(y, 0, (size_t)n * sizeof *y);
    memcpy(a->r, b, (size_t)a->nrow * sizeof *b);
    cd_assembly_apply_transposed(a, a->r, a->s);
    memcpy(a->p, a->s, (size_t)n * sizeof *a->p);
    double gamma = cd_norm_sq(n, a->s), first = gamma;
    for (int i = 0; i < max_iterations &&
                    gamma > cd_least_squares_gradient_tolerance * cd_least_squares_gradient_tolerance * first;
         ++i) {
        cd_assembly_apply(a, a->p, a->b);
        const double curvature = cd_norm_sq(a->nrow, a->b) + mu * cd_norm_sq(n, a->p);
        if (!(curvature > 0)) break;
        const double alpha = gamma / curvature;
        for (int k = 0; k < n; ++k) y[k] += alpha * a->p[k];
        for (int k = 0; k < a->nrow; ++k) a->r[k] -= alpha * a->b[k];
        cd_assembly_apply_transposed(a, a->r, a->s);
        for (int k = 0; k < n; ++k) a->s[k] -= mu * y[k];
        const double next = cd_norm_sq(n, a->s);
        for (int k = 0; k < n; ++k) a->p[k] = a->s[k] + next / gamma * a->p[k];
        gamma = next;
    }
    return isfinite(gamma);
}

// Fill A in row-major order.
static void fill_dense_rows(cd_assembly* a)
{
    const int nv = a->d->m->nv, first = a->d->constraints.nrow;
    memset(a->A, 0, (size_t)a->nrow * (size_t)a->nfree * sizeof *a->A);
    for (int i = 0; i < a->d->rows.nblock; ++i) {
        const cd_row_block b = cd_joint_space_block(a->d, &a->d->constraints, i);
        for (int k = 0; k < active_rows(a, i); ++k)
            for (int j = 0; j < b.nv; ++j)
                if (a->free_column[b.v[j]] >= 0)
                    a->A[(size_t)(b.row + k) * (size_t)a->nfree + (size_t)a->free_column[b.v[j]]] =
                        b.J[k * b.nv + j] * velocity_unit(a, b.v[j]) / a->row_unit[b.row + k];
    }
    for (int k = 0; k < a->nfixed_row; ++k)
        for (int i = 0; i < a->nfree; ++i)
            a->A[(size_t)(first + k) * (size_t)a->nfree + (size_t)i] =
                a->fixed_jacobian[(size_t)k * (size_t)nv + (size_t)a->free_velocity[i]] *
                velocity_unit(a, a->free_velocity[i]) / a->row_unit[first + k];
}

// Compute and factorize A A' + mu I, mu at least of round-off size; *is_unshifted: mu was not increased.
static bool factor_gram(cd_assembly* a, double mu, bool* is_unshifted)
{
    const int n       = a->nrow;
    double    largest = 0;
    for (int i = 0; i < n; ++i)
        for (int k = 0; k <= i; ++k)
            a->gram[(size_t)i * (size_t)n + (size_t)k] =
                cd_dot(a->nfree, a->A + (size_t)i * (size_t)a->nfree, a->A + (size_t)k * (size_t)a->nfree);
    for (int i = 0; i < n; ++i) largest = fmax(largest, a->gram[(size_t)i * (size_t)n + (size_t)i]);
    const double min_shift = (n + 10) * cd_gram_roundoff * largest;
    *is_unshifted          = mu >= min_shift;
    for (int i = 0; i < n; ++i) a->gram[(size_t)i * (size_t)n + (size_t)i] += fmax(mu, min_shift);
    return cd_lapack_cholesky(n, a->gram, 0, NULL) == n;
}

static bool least_squares_gram(cd_assembly* a, double mu, const double* b, double* y)
{
    bool is_unshifted;
    fill_dense_rows(a);
    memset(y, 0, (size_t)a->nfree * sizeof *y);
    memcpy(a->r, b, (size_t)a->nrow * sizeof *b);
    if (!factor_gram(a, mu, &is_unshifted)) return false;
    double before = INFINITY;
    for (int n = 0; n < (is_unshifted ? 1 : 8); ++n) {
        cd_lapack_cholesky_solve(a->nrow, a->gram, a->r);
        cd_assembly_apply_transposed(a, a->r, a->s);
        const double size = cd_norm_sq(a->nfree, a->s);
        if (!(size < before)) break;
        before = size;
        for (int i = 0; i < a->nfree; ++i) y[i] += a->s[i];
        cd_assembly_apply(a, y, a->b);
        for (int k = 0; k < a->nrow; ++k) a->r[k] = b[k] - a->b[k];
    }
    return isfinite(cd_norm_sq(a->nfree, y));
}

bool cd_assembly_least_squares(cd_assembly* a, double mu, const double* b, double* y)
{
    if (a->use_gram_matrix) return least_squares_gram(a, mu, b, y);
    return a->dense ? least_squares_dense(a, mu, b, y) : least_squares_cgls(a, mu, b, y);
}
