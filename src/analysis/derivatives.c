// SPDX-License-Identifier: BSD-3-Clause
// Derivatives of accelerations at a state: A = dx'/dx (linear.h). Along each of (xi, eta, z) the differences of x and of x',
//
//   f' = (8 (f(h) - f(-h)) - (f(2h) - f(-2h))) / 12 h,      A = dx' (dx)^-1
//
// every point closed on the constraints. This is the only place that knows how A is found.
#include "analysis/linear.h"

#include <math.h>
#include <string.h>

static const double step_position = 5e-4;  // [rad, lengths]
static const double step_velocity = 1e-4;  // [rad/s, lengths/s], relative to the velocity where that is above 1
static const double step_state    = 5e-4;  // relative to the state where that is above 1

typedef struct differences {
    cd_linear*         l;
    cd_linear_function h;
    void*              user;
    int                count;
    double*            H;  // (count x n)
} differences;

// Joint velocities, then accelerations and rates at x, times a factor, into the columns of X and Y. False where they cannot be found.
static bool add(const differences* f, int j, double x, double factor)
{
    cd_linear*   l = f->l;
    cardan_data* d = l->d;
    const size_t n = (size_t)l->n;
    double *     X = l->X + (size_t)j * n, *Y = l->Y + (size_t)j * n, *v = l->work, *a = l->work + d->m->nv_all;
    l->x[j] = x;
    if (!cd_linear_move(l, l->x)) return false;
    if (j < l->np && l->tangent.nrow > 0 && cd_tangent_at(&l->tangent, false) && l->tangent.n < l->nw) {
        l->singular = true;
        return false;
    }
    if (cardan_accelerate(d, l->a, l->z, NULL) != CARDAN_OK) return false;
    cardan_joint_values(d, l->a, NULL, v, a);
    for (int i = 0; i < l->np; ++i) Y[i] += factor * v[l->position[i]];
    for (int i = 0; i < l->nw; ++i) {
        X[l->np + i] += factor * v[l->velocity[i]];
        Y[l->np + i] += factor * a[l->velocity[i]];
    }
    for (int i = 0; i < l->nz; ++i) Y[l->np + l->nw + i] += factor * l->z[i];
    if (f->h) {
        f->h(f->user, d, v);
        for (int i = 0; i < f->count; ++i) f->H[(size_t)j * (size_t)f->count + (size_t)i] += factor * v[i];
    }
    return true;
}

// Length of motion k of N in units.
static double motion_size(const cd_linear* l, const double* N, int k)
{
    const int nv   = l->d->m->nv;
    double    most = 0;
    for (int i = 0; i < nv; ++i) most = fmax(most, fabs(N[(size_t)k * (size_t)nv + (size_t)i]) * l->tangent.unit[i]);
    return most;
}

static double step_along(const cd_linear* l, int j)
{
    double fastest = 1;
    for (int i = 0; i < l->d->m->nv; ++i) fastest = fmax(fastest, fabs(l->v0[i]) * l->tangent.unit[i]);
    if (j < l->np) return step_position / motion_size(l, l->Np, j);
    if (j < l->np + l->nw) return step_velocity * fastest / motion_size(l, l->Nv, j - l->np);
    return step_state * fmax(1, fabs(l->z0[j - l->np - l->nw]));
}

// Component of y x w for joint velocity number `entry`, y being motion j; 0 where it belongs to no quaternion.
static double product(const cd_linear* l, int entry, int j, const double* w)
{
    const cardan_model* m = l->d->m;
    for (int k = 0; k < m->njoint; ++k) {
        const cardan_slot place = m->place[k];
        const int         first = place.v + place.nv - 3;
        if (place.v < 0 || place.nq == place.nv || entry < first || entry >= first + 3) continue;
        const double* y = l->joint + (size_t)j * (size_t)m->nv_all + first;
        const int     i = entry - first, a = (i + 1) % 3, b = (i + 2) % 3;
        return y[a] * w[first + b] - y[b] * w[first + a];
    }
    return 0;
}

// From axes of the second body to axes that stand still in the first.
static void stand(cd_linear* l)
{
    const size_t n = (size_t)l->n;
    for (int j = 0; j < l->np; ++j)
        for (int i = 0; i < l->nw; ++i) {
            l->X[(size_t)j * n + (size_t)(l->np + i)] += product(l, l->velocity[i], j, l->joint_v);
            l->Y[(size_t)j * n + (size_t)(l->np + i)] += product(l, l->velocity[i], j, l->joint_a);
        }
}

static bool difference(differences* f)
{
    static const double weight[2] = {8.0 / 12, -1.0 / 12};
    cd_linear*          l         = f->l;
    const size_t        n = (size_t)l->n, np = (size_t)l->np;
    bool                good = true;
    memset(l->X, 0, n * n * sizeof *l->X);
    memset(l->Y, 0, n * n * sizeof *l->Y);
    memset(l->x, 0, n * sizeof *l->x);
    if (f->h) memset(f->H, 0, (size_t)f->count * n * sizeof *f->H);
    for (int j = 0; j < l->n && good; ++j) {
        const double h = step_along(l, j);
        for (int k = 1; k <= 2 && good; ++k) good = add(f, j, k * h, weight[k - 1] / h) && add(f, j, -k * h, -weight[k - 1] / h);
        l->x[j] = 0;
        for (size_t i = 0; i < n; ++i)  // what needs no differences
            if (i < np || i >= np + (size_t)l->nw) l->X[(size_t)j * n + i] = l->T[(size_t)j * n + i];
    }
    cd_linear_move(l, NULL);
    return good;
}

// C = A B, all n x n, column major.
static void multiply(size_t n, const double* A, const double* B, double* C)
{
    memset(C, 0, n * n * sizeof *C);
    for (size_t j = 0; j < n; ++j)
        for (size_t k = 0; k < n; ++k)
            for (size_t i = 0; i < n; ++i) C[j * n + i] += A[k * n + i] * B[j * n + k];
}

bool cd_linear_derivatives(cd_linear* l, cd_linear_function h, void* user, int count, double* H)
{
    differences  f = {l, h, user, count, H};
    const size_t n = (size_t)l->n;
    if (!difference(&f)) return false;
    stand(l);
    if (!cd_linear_invert(l, l->X, l->work)) return false;
    multiply(n, l->Y, l->work, l->A);
    for (int i = 0; h && i < count; ++i) {  // rows of H X^-1, one after the other
        for (size_t j = 0; j < n; ++j) l->x[j] = H[j * (size_t)count + (size_t)i];
        for (size_t j = 0; j < n; ++j) {
            double sum = 0;
            for (size_t k = 0; k < n; ++k) sum += l->x[k] * l->work[j * n + k];
            H[j * (size_t)count + (size_t)i] = sum;
        }
    }
    for (size_t i = 0; i < n * n; ++i)
        if (!isfinite(l->A[i])) return false;
    return true;
}
