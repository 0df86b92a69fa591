// SPDX-License-Identifier: BSD-3-Clause
#include "simulation/integrators/sequential_regularization/multiplier_window.h"

#include <math.h>
#include <string.h>

cardan_status cd_multiplier_window_run(cd_multiplier_window* w)
{
    const int iterations_max =
        w->max_iterations < CD_WINDOW_ITERATIONS_MAX ? w->max_iterations : CD_WINDOW_ITERATIONS_MAX;
    w->iterations = 0;
    for (int s = 0; s < iterations_max; ++s) {
        double largest = 0;
        w->begin_iteration(w->context);
        for (int k = 0; k < w->steps; ++k) {
            double              violation = 0;
            const cardan_status status =
                w->step(w->context, k, w->mu + (size_t)k * (size_t)(w->stages * w->nmultiplier), &violation);
            if (status) return status;
            if (!(violation <= largest)) largest = violation;
        }
        w->violation[w->iterations++] = largest;
        if (!isfinite(largest)) return CARDAN_NOT_FINITE;
        if (w->fixed_iterations) continue;
        if (largest <= w->tolerance || (s > 0 && !(largest < 0.5 * w->violation[s - 1]))) break;
    }
    return CARDAN_OK;
}

void cd_multiplier_window_extrapolate(cd_multiplier_window* w, int last_steps)
{
    const size_t  n    = (size_t)w->nmultiplier;
    const double* last = w->mu + ((size_t)last_steps * (size_t)w->stages - 1) * n;
    for (size_t i = 0; i < n; ++i) {
        const double value = last[i];
        for (size_t k = 0; k < (size_t)(w->steps * w->stages); ++k) w->mu[k * n + i] = value;
    }
}

// Largest eigenvalue of a symmetric tridiagonal matrix, by bisection on the signs of its pivots, between Gershgorin
// bounds.
static double tridiagonal_largest_eigenvalue(int n, const double* a, const double* b)
{
    double low = -INFINITY, high = -INFINITY;
    for (int i = 0; i < n; ++i) {
        low  = fmax(low, a[i]);
        high = fmax(high, a[i] + (i > 0 ? fabs(b[i - 1]) : 0) + (i + 1 < n ? fabs(b[i]) : 0));
    }
    for (int step = 0; step < 60 && high - low > 1e-12 * fabs(high); ++step) {
        const double x     = 0.5 * (low + high);
        bool         above = true; // x - T is positive definite
        double       d     = x - a[0];
        for (int i = 1; above && i < n; ++i) {
            above = d > 0;
            d     = x - a[i] - b[i - 1] * b[i - 1] / d;
        }
        if (above && d > 0)
            high = x;
        else
            low = x;
    }
    return high;
}

// Lanczos with full reorthogonalization, from a start vector that is not orthogonal to any symmetry of a mechanism.
cardan_status cd_largest_eigenvalue(int n, cd_linear_operator apply, void* context, double* basis, double* largest)
{
    double a[CD_LANCZOS_STEPS_MAX], b[CD_LANCZOS_STEPS_MAX], size = 0;
    *largest = 0;
    for (int i = 0; i < n; ++i) {
        basis[i] = 1 + 0.5 * sin(1.0 + 7.3 * i + 0.31 * i * i);
        size += basis[i] * basis[i];
    }
    for (int i = 0; i < n; ++i) basis[i] /= sqrt(size);
    for (int k = 0; k < CD_LANCZOS_STEPS_MAX && k < n; ++k) {
        const double*       q      = basis + (size_t)k * (size_t)n;
        double*             next   = basis + (size_t)(k + 1) * (size_t)n;
        const cardan_status status = apply(context, q, next);
        if (status) return status;
        a[k] = 0;
        for (int i = 0; i < n; ++i) a[k] += q[i] * next[i];
        for (int j = 0; j <= k; ++j) {
            const double* p   = basis + (size_t)j * (size_t)n;
            double        dot = 0;
            for (int i = 0; i < n; ++i) dot += p[i] * next[i];
            for (int i = 0; i < n; ++i) next[i] -= dot * p[i];
        }
        b[k] = 0;
        for (int i = 0; i < n; ++i) b[k] += next[i] * next[i];
        b[k]                        = sqrt(b[k]);
        const double largest_before = *largest;
        *largest                    = tridiagonal_largest_eigenvalue(k + 1, a, b);
        if (b[k] <= 1e-10 * *largest || (k > 3 && *largest - largest_before < 1e-4 * *largest)) break;
        for (int i = 0; i < n; ++i) next[i] /= b[k];
    }
    return CARDAN_OK;
}
