// SPDX-License-Identifier: BSD-3-Clause
// Solution of the equations of one step of generalized-alpha.
//
// Newton's method with the exact Jacobian (equation_jacobian.h). With y = beta h^2 db1, a' = (1 - am) / (h^2 beta (1
// - af)), v' = gamma / (h beta), k = beta h^2 (Bottasso et al. 2007), dx = T (y - J0'eta), and T such that d(q0 (+)
// x) = (q0 (+) x) (+) T dx:
//
//     k (a' M + v' D) y + k K dx + k r_s ds + J'(k lambda) = -k r
//     ds - h/2 (g_q dx + v' g_v y + g_s ds)                = -(s1 - s0 - h (s0' + s1') / 2)
//     J dx                                                 = -c
//     J y + c'_q dx / v'                                   = -c' / v'
//
// The Jacobian is reused over steps as long as the iteration converges fast; the matrix is reassembled when the step
// size changes. Multipliers do not count in the norm of a correction. If the constraints leave little motion, as in
// driven gears, multipliers from an outdated Jacobian may grow from step to step while nothing moves: the residual r
// is tested too, and must decrease.
#include "simulation/integrators/alpha_newton.h"

#include "dynamics/data.h"
#include "math/lapack.h"
#include "simulation/simulation_tolerances.h"

#include <math.h>
#include <string.h>

enum { MAX_ITERATIONS = 8 };

double cd_alpha_position_error_scale(const cd_ode_system* system, const cd_alpha_work* w, int i)
{
    const int q = system->q_of_v[i];
    return q == CARDAN_NONE ? system->settings.tolerance : cd_q_error_scale(system, q, fabs(w->from.q[q]));
}

double cd_alpha_velocity_error_scale(const cd_ode_system* system, const cd_alpha_work* w, int i)
{
    return cd_z_error_scale(system, i, fmax(cd_z_magnitude(system, i, w->from.z), cd_z_magnitude(system, i, w->v)));
}

double cd_alpha_state_error_scale(const cd_ode_system* system, const cd_alpha_work* w, int i)
{
    const int at = system->nv + i;
    return cd_z_error_scale(system, at, fmax(fabs(w->from.z[at]), fabs(w->s[i])));
}

// ---- matrix

// T = 1 - (1 - cos p) / p^2 x~ + (p - sin p) / p^3 x~^2,  p = |x|
void cd_alpha_tangent(const double x[3], double T[3][3])
{
    const double p2 = x[0] * x[0] + x[1] * x[1] + x[2] * x[2], p = sqrt(p2);
    const double a       = p < 1e-2 ? 0.5 - p2 / 24 : (1 - cos(p)) / p2,
                 b       = p < 1e-2 ? 1.0 / 6 - p2 / 120 : (p - sin(p)) / (p2 * p);
    const double X[3][3] = {{0, -x[2], x[1]}, {x[2], 0, -x[0]}, {-x[1], x[0], 0}};
    for (int i = 0; i < 3; ++i)
        for (int j = 0; j < 3; ++j) T[i][j] = (i == j) - a * X[i][j] + b * (x[i] * x[j] - (i == j) * p2);
}

// Multiply the columns of rotations by T.
static void apply_tangent_to_columns(const cd_ode_system* system, const double* x, int n, double* A)
{
    for (int k = 0; k < system->nquaternion; ++k) {
        double  T[3][3];
        double* column = A + (size_t)system->quaternion_v[k] * (size_t)n;
        cd_alpha_tangent(x + system->quaternion_v[k], T);
        for (int i = 0; i < n; ++i) {
            const double c[3] = {column[i], column[i + n], column[i + 2 * n]};
            for (int j = 0; j < 3; ++j) column[i + j * n] = c[0] * T[0][j] + c[1] * T[1][j] + c[2] * T[2][j];
        }
    }
}

static cd_alpha_coefficients coefficients_of(const cd_alpha_parameters* method, double h)
{
    return (cd_alpha_coefficients){h, (1 - method->am) / (h * h * method->beta * (1 - method->af)),
                                   method->gamma / (h * method->beta), method->beta * h * h};
}

// Row of the equation Jacobian that belongs to a row of the matrix, and the factors of its derivatives by position
// and by velocity times v'.
typedef struct equation_row {
    int    equation_index;
    double factor_q, factor_v;
} equation_row;

static equation_row equation_row_at(const cd_ode_system* system, const cd_alpha_work* w, const cd_alpha_coefficients* k,
                                    int i)
{
    const int nv = system->nv, ns = system->ns, first = nv + ns;
    if (i < nv) return (equation_row){i, k->r, k->r * k->v};
    if (i < first) return (equation_row){i, -k->h / 2, -k->h / 2 * k->v};
    if (i < first + w->independent.nposition)
        return (equation_row){w->jacobian.c + w->independent.row[i - first], 1, 0};
    return (equation_row){w->jacobian.cdot + w->independent.row[i - first - w->independent.nposition], 1 / k->v, 1};
}

static int system_size(const cd_ode_system* system, const cd_alpha_work* w)
{
    return system->nv + system->ns + w->independent.nposition + w->independent.count;
}

// Columns: y, s, eta, lambda.
static void fill_matrix(const cd_ode_system* system, const cd_alpha_work* w, const cd_alpha_coefficients* k)
{
    const cd_equation_jacobian* s  = &w->jacobian;
    const int                   nv = system->nv, ns = system->ns, n = system_size(system, w), first = nv + ns;
    for (int i = 0; i < n; ++i) {
        const equation_row e = equation_row_at(system, w, k, i);
        double*            A = w->matrix + i;
        for (int j = 0; j < nv; ++j) {
            const size_t at          = (size_t)j * (size_t)s->n + (size_t)e.equation_index;
            A[(size_t)j * (size_t)n] = e.factor_q * s->by_q[at] + e.factor_v * s->by_v[at] +
                                       (i < nv ? k->r * k->a * s->M[(size_t)j * (size_t)nv + (size_t)i] : 0);
        }
        for (int j = 0; j < ns; ++j) {
            const double derivative         = s->by_s[(size_t)j * (size_t)s->n + (size_t)e.equation_index];
            A[(size_t)(nv + j) * (size_t)n] = i < first ? e.factor_q * derivative + (i == nv + j) : 0;
        }
        for (int j = 0; j < w->independent.nposition; ++j) {
            const double* J   = w->J0 + (size_t)w->independent.row[j] * (size_t)nv;
            double        sum = 0;
            for (int v = 0; v < nv; ++v) sum -= s->by_q[(size_t)v * (size_t)s->n + (size_t)e.equation_index] * J[v];
            A[(size_t)(first + j) * (size_t)n] = e.factor_q * sum;
        }
        for (int j = 0; j < w->independent.count; ++j)
            A[(size_t)(first + w->independent.nposition + j) * (size_t)n] =
                i < nv ? s->by_lambda[(size_t)w->independent.row[j] * (size_t)nv + (size_t)i] : 0;
    }
}

// Copy the diagonal of M.
static void copy_inertia_diagonal(const cd_ode_system* system, cd_alpha_work* w)
{
    if (w->is_sparse)
        cd_alpha_sparse_inertia_diagonal(system, w);
    else
        for (int i = 0; i < system->nv; ++i)
            w->inertia_diagonal[i] = w->jacobian.M[(size_t)i * (size_t)(system->nv + 1)];
}

// Evaluate the Jacobian at the current iterate.
static cardan_status evaluate_jacobian(cd_ode_system* system, cd_alpha_work* w)
{
    w->jacobian_valid = false;
    const cardan_status status =
        w->is_sparse ? cd_alpha_sparse_jacobian(system, w)
                     : cd_equation_jacobian_evaluate(system, w->to.t, w->to.q, w->to.z, w->a1, w->lambda, &w->jacobian);
    if (status) return status;
    if (!w->is_sparse) apply_tangent_to_columns(system, w->x, w->jacobian.n, w->jacobian.by_q);
    copy_inertia_diagonal(system, w);
    w->jacobian_valid = true;
    w->factored_h     = 0;
    return CARDAN_OK;
}

static cardan_status factor_matrix(cd_ode_system* system, cd_alpha_work* w, const cd_alpha_coefficients* k)
{
    const int n   = system_size(system, w);
    w->factored_h = 0;
    if (w->is_sparse) {
        const cardan_status status = cd_alpha_sparse_factor(system, w, k);
        if (!status) w->factored_h = k->h;
        return status;
    }
    fill_matrix(system, w, k);
    if (!cd_lapack_lu_panel(n, 0, n, w->matrix, w->pivot)) return CARDAN_SINGULAR;
    w->factored_h = k->h;
    return CARDAN_OK;
}

// ---- one step

static void predict(const cd_ode_system* system, cd_alpha_work* w, double h)
{
    const cd_alpha_parameters* k = &w->parameters;
    for (int i = 0; i < system->nv; ++i) {
        // constant jerk, from the last step
        const double jerk = w->steps_taken > 0 ? (w->a0[i] - w->a_previous[i]) / w->h_previous : 0;
        w->a1[i]          = w->a0[i] + h * jerk;
        w->b1[i]          = ((1 - k->af) * w->a1[i] + k->af * w->a0[i] - k->am * w->b0[i]) / (1 - k->am);
        w->x[i]           = h * w->from.z[i] + h * h * ((0.5 - k->beta) * w->b0[i] + k->beta * w->b1[i]);
        w->v[i]           = w->from.z[i] + h * ((1 - k->gamma) * w->b0[i] + k->gamma * w->b1[i]);
    }
    for (int i = 0; i < system->ns; ++i) w->s[i] = w->from.z[system->nv + i] + h * w->g0[i];
    memcpy(w->lambda, w->lambda0, (size_t)w->independent.nrow * sizeof *w->lambda);
}

static void set_trial_state(const cd_ode_system* system, cd_alpha_work* w, double h)
{
    w->to.t = w->from.t + h;
    cardan_model_integrate_position(system->model, w->from.q, w->x, w->to.q);
    memcpy(w->to.z, w->v, (size_t)system->nv * sizeof *w->v);
    if (system->ns) memcpy(w->to.z + system->nv, w->s, (size_t)system->ns * sizeof *w->s);
}

// Compute the right side: minus the residual in the scales of the matrix.
static cardan_status evaluate_residual(cd_ode_system* system, cd_alpha_work* w, const cd_alpha_coefficients* k)
{
    const int     nv = system->nv, ns = system->ns;
    cardan_status status =
        cd_equation_residual(system, &w->jacobian, w->to.t, w->to.q, w->to.z, w->a1, w->lambda, w->residual);
    if (status) return status;
    for (int i = 0; i < nv + ns; ++i)
        if (!isfinite(w->residual[i])) {
            system->failure.t     = w->to.t;
            system->failure.index = system->nq + i;
            system->failure.value = w->residual[i];
            return CARDAN_NOT_FINITE;
        }
    for (int i = 0; i < nv; ++i) w->correction[i] = -k->r * w->residual[i];
    for (int i = 0; i < ns; ++i)
        w->correction[nv + i] = -(w->s[i] - w->from.z[nv + i] - k->h / 2 * (w->g0[i] + w->residual[nv + i]));
    for (int i = nv + ns; i < system_size(system, w); ++i) {
        const equation_row e = equation_row_at(system, w, k, i);
        w->correction[i]     = -e.factor_q * w->residual[e.equation_index];
    }
    return CARDAN_OK;
}

// Scaled correction of a position, dx, and of its velocity, v' dv, in error scales; of a single component, whose
// scale is never coarser than that of its vector.
static double scaled_correction(const cd_ode_system* system, const cd_alpha_work* w, const cd_alpha_coefficients* k,
                                int i, double dx, double dv)
{
    const double velocity_scale = cd_z_error_scale(system, i, fmax(fabs(w->from.z[i]), fabs(w->v[i])));
    return fmax(fabs(dx) / cd_alpha_position_error_scale(system, w, i), fabs(k->v * dv) / velocity_scale);
}

// Residual r as the displacement that it would cause in this step without constraints, in error scales.
static double scaled_residual(const cd_ode_system* system, const cd_alpha_work* w, const cd_alpha_coefficients* k)
{
    double largest = 0;
    for (int i = 0; i < system->nv; ++i) {
        const double x = w->inertia_diagonal[i] > 0 ? w->residual[i] / (k->a * w->inertia_diagonal[i]) : 0;
        largest        = fmax(largest, scaled_correction(system, w, k, i, x, x));
    }
    return largest;
}

static void track_largest(cd_alpha_work* w, int at, double error, double* size)
{
    if (error <= *size) return;
    *size          = error;
    w->worst_entry = at;
}

// Compute dx = y - J0'eta.
static const double* position_correction(const cd_ode_system* system, cd_alpha_work* w)
{
    const int nv = system->nv, eta = nv + system->ns;
    double*   dx = w->residual;
    memcpy(dx, w->correction, (size_t)nv * sizeof *dx);
    for (int j = 0; j < w->independent.nposition; ++j) {
        const int row = w->independent.row[j];
        if (w->is_sparse)
            for (int i = w->J0_csr.row_start[row]; i < w->J0_csr.row_start[row + 1]; ++i)
                dx[w->J0_csr.column[i]] -= w->J0_csr.value[i] * w->correction[eta + j];
        else
            for (int i = 0; i < nv; ++i) dx[i] -= w->J0[(size_t)row * (size_t)nv + (size_t)i] * w->correction[eta + j];
    }
    return dx;
}

// Apply the correction; returns its size in error scales, and stores the entry where it is largest.
static double apply_correction(const cd_ode_system* system, cd_alpha_work* w, const cd_alpha_coefficients* k)
{
    const int nv = system->nv, ns = system->ns;
    double    size       = 0;
    w->worst_entry       = CARDAN_NONE;
    const double* change = position_correction(system, w);
    for (int i = 0; i < nv; ++i) {
        const double y = w->correction[i], dx = change[i];
        w->x[i] += dx;
        w->v[i] += k->v * y;
        w->a1[i] += k->a * y;
        track_largest(w, system->nq + i, scaled_correction(system, w, k, i, dx, y), &size);
    }
    for (int i = 0; i < ns; ++i) {
        w->s[i] += w->correction[nv + i];
        track_largest(w, system->nq + nv + i, fabs(w->correction[nv + i]) / cd_alpha_state_error_scale(system, w, i),
                      &size);
    }
    for (int i = 0; i < w->independent.count; ++i)
        w->lambda[w->independent.row[i]] += w->correction[nv + ns + w->independent.nposition + i] / k->r;
    return isfinite(size) ? size : INFINITY;
}

// Sum of the corrections still to come if each is `rate` times the one before.
static double remaining_error(double rate, double size) { return rate / fmax(1 - rate, 0.1) * size; }

double cd_alpha_error_budget(const cd_ode_system* system, double h) { return fmin(10 * h / system->settings.span, 1); }

// Iterate from the predictor, with a new Jacobian at its first iterate if new_jacobian is set.
static cardan_status newton_attempt(cd_ode_system* system, cd_alpha_work* w, double h, bool new_jacobian)
{
    const int                   n                    = system_size(system, w);
    const cd_alpha_coefficients k                    = coefficients_of(&w->parameters, h);
    const double                correction_tolerance = cd_newton_tolerance * cd_alpha_error_budget(system, h) *
                                        fmin(1, cd_newton_finest_tolerance / system->settings.tolerance);
    const double residual_tolerance = cd_newton_small_residual * cd_alpha_error_budget(system, h);
    double       residual_before = INFINITY, size_before = INFINITY;
    double       rate = fmax(pow(w->assumed_rate, 0.8), 0.01); // last measured rate, trusted less from step to step
    w->assumed_rate   = rate;
    predict(system, w, h);
    for (int i = 0; i < MAX_ITERATIONS; ++i) {
        set_trial_state(system, w, h);
        cardan_status status = new_jacobian ? evaluate_jacobian(system, w) : CARDAN_OK;
        if (!status && w->factored_h != h) status = factor_matrix(system, w, &k);
        if (!status) status = evaluate_residual(system, w, &k);
        if (status) return status;
        const double residual = scaled_residual(system, w, &k);
        const bool   residual_is_small =
            residual <= residual_tolerance || (i > 0 && residual < cd_newton_residual_reduction * residual_before);
        if (w->is_sparse)
            cd_sparse_lu_solve(w->sparse_matrix.lu, w->correction);
        else
            cd_lapack_lu_solve(n, w->matrix, w->pivot, w->correction);
        const double size = apply_correction(system, w, &k);
        if (i > 0) rate = w->convergence_rate = w->assumed_rate = fmin(size / size_before, 1);
        const bool is_roundoff = i > 1 && rate > cd_newton_slow_rate && size < 0.5; // the remaining error is round-off
        if (!is_roundoff && (!(size < INFINITY) || (i > 1 && rate > 0.9))) return CARDAN_NOT_CONVERGED;
        if (is_roundoff || (residual_is_small && remaining_error(rate, size) < correction_tolerance)) {
            set_trial_state(system, w, h);
            return CARDAN_OK;
        }
        new_jacobian =
            i > 0 && (rate > cd_newton_slow_rate || !residual_is_small); // the Jacobian belongs to an earlier iterate
        size_before     = size;
        residual_before = residual;
    }
    return CARDAN_NOT_CONVERGED;
}

cardan_status cd_alpha_solve_step(cd_ode_system* system, cd_alpha_work* w, double h)
{
    const bool          new_jacobian = !w->jacobian_valid || w->convergence_rate > cd_newton_slow_rate;
    const cardan_status status       = newton_attempt(system, w, h, new_jacobian);
    if (status != CARDAN_NOT_CONVERGED || new_jacobian) return status;
    return newton_attempt(system, w, h, true);
}
