// SPDX-License-Identifier: BSD-3-Clause
// Primal-dual predictor-corrector method with Nesterov-Todd scaling W y = W^-1 s = lambda. A step solves
//
//   (H + A'W^-2 A) dx = -r_d + A'(W^-1 (lambda \ r_c) - W^-2 r_p)
//   ds = A dx + r_p,   dy = W^-1 (lambda \ r_c) - W^-2 ds
//
// with r_d = H x + c + shift - A'y, r_p = A x + b - s. Predictor: r_c = -lambda o lambda; corrector: r_c = sigma gap e
// - lambda o lambda - (W^-1 ds) o (W dy). The shift is that of the last iterate (Acary, Cadoux, Lemarechal & Malick
// 2011): its derivative is not in the matrix, which stays symmetric.
#include "impact/cone/interior_point.h"

#include "impact/dense_lu.h"
#include "impact/cone/lorentz_cone.h"
#include "math/dense_cholesky.h"

#include <math.h>

void cd_interior_point_layout(cd_arena* arena, int max_n, int max_cones, int max_rows, cd_interior_point* work)
{
    CD_ARENA_ARRAY(arena, work->factor, (size_t)max_n * (size_t)max_n);
    CD_ARENA_ARRAY(arena, work->pivot, max_n);
    CD_ARENA_ARRAY(arena, work->dx, max_n);
    CD_ARENA_ARRAY(arena, work->rd, max_n);
    CD_ARENA_ARRAY(arena, work->shift, max_n);
    CD_ARENA_ARRAY(arena, work->s, max_rows);
    CD_ARENA_ARRAY(arena, work->y, max_rows);
    CD_ARENA_ARRAY(arena, work->ds, max_rows);
    CD_ARENA_ARRAY(arena, work->dy, max_rows);
    CD_ARENA_ARRAY(arena, work->rp, max_rows);
    CD_ARENA_ARRAY(arena, work->rc, max_rows);
    CD_ARENA_ARRAY(arena, work->lambda, max_rows);
    CD_ARENA_ARRAY(arena, work->scale, 18 * (size_t)max_cones);
}

static double row_times(const cd_cone_rows* rows, int row, const double* x)
{
    double sum = 0;
    for (int k = rows->start[row]; k < rows->start[row + 1]; ++k) sum += rows->value[k] * x[rows->column[k]];
    return sum;
}

static void add_transposed(const cd_cone_rows* rows, double factor, const double* y, double* x)
{
    for (int row = 0; row < rows->nrow; ++row)
        for (int k = rows->start[row]; k < rows->start[row + 1]; ++k)
            x[rows->column[k]] += factor * rows->value[k] * y[row];
}

static int cone_size(const cd_cone_rows* rows, int cone) { return rows->first[cone + 1] - rows->first[cone]; }

static void multiply(int n, const double M[9], const double* x, double* r)
{
    double result[3] = {0};
    for (int i = 0; i < n; ++i)
        for (int j = 0; j < n; ++j) result[i] += M[3 * i + j] * x[j];
    for (int i = 0; i < n; ++i) r[i] = result[i];
}

static void update_shift(const cd_conic_program* program, cd_interior_point* w)
{
    const cd_cone_rows* rows = &program->rows;
    for (int i = 0; i < program->n; ++i) w->shift[i] = 0;
    for (int c = 0; c < rows->ncone; ++c) {
        if (program->shifted[c] < 0) continue;
        const double* y = w->y + rows->first[c];
        const double  t = cone_size(rows, c) == 3 ? sqrt(y[1] * y[1] + y[2] * y[2]) : fabs(y[1]);
        w->shift[program->shifted[c]] += program->shift_by[c] * t;
    }
}

// Returns the largest residual, and the mean of s.y.
static double residuals(const cd_conic_program* program, cd_interior_point* w, const double* x, double* gap)
{
    const cd_cone_rows* rows  = &program->rows;
    double              worst = 0, dot = 0;
    update_shift(program, w);
    for (int i = 0; i < program->n; ++i) {
        double sum = program->c[i] + w->shift[i];
        for (int j = 0; j < program->n; ++j) sum += program->H[(long)i * program->n + j] * x[j];
        w->rd[i] = sum;
    }
    add_transposed(rows, -1, w->y, w->rd);
    for (int i = 0; i < program->n; ++i) worst = fmax(worst, fabs(w->rd[i]));
    for (int r = 0; r < rows->nrow; ++r) {
        w->rp[r] = row_times(rows, r, x) + rows->b[r] - w->s[r];
        worst    = fmax(worst, fabs(w->rp[r]));
        dot += w->s[r] * w->y[r];
    }
    *gap = rows->ncone > 0 ? dot / rows->ncone : 0;
    return worst;
}

static void scale_cones(const cd_conic_program* program, cd_interior_point* w)
{
    const cd_cone_rows* rows = &program->rows;
    for (int c = 0; c < rows->ncone; ++c) {
        const int f = rows->first[c];
        cd_lorentz_scaling(cone_size(rows, c), w->s + f, w->y + f, w->scale + 18 * c, w->scale + 18 * c + 9,
                           w->lambda + f);
    }
}

static void add_cone(const cd_conic_program* program, cd_interior_point* w, int cone)
{
    const cd_cone_rows* rows = &program->rows;
    const int           f = rows->first[cone], size = cone_size(rows, cone), n = program->n;
    const double*       inverse = w->scale + 18 * cone + 9;
    for (int i = 0; i < size; ++i)
        for (int j = 0; j < size; ++j) {
            double square = 0; // of W^-1
            for (int k = 0; k < size; ++k) square += inverse[3 * i + k] * inverse[3 * k + j];
            for (int a = rows->start[f + i]; a < rows->start[f + i + 1]; ++a)
                for (int b = rows->start[f + j]; b < rows->start[f + j + 1]; ++b)
                    w->factor[(long)rows->column[a] * n + rows->column[b]] += rows->value[a] * square * rows->value[b];
        }
}

static bool factor(const cd_conic_program* program, cd_interior_point* w)
{
    const int n = program->n;
    for (long i = 0; i < (long)n * n; ++i) w->factor[i] = program->H[i];
    for (int c = 0; c < program->rows.ncone; ++c) add_cone(program, w, c);
    for (int i = 0; i < n; ++i) w->factor[(long)i * n + i] += 1e-13;
    if (program->is_symmetric) return dense_factor(n, w->factor, 0, NULL) == n;
    for (int i = 0; i < n; ++i)
        for (int j = 0; j < i; ++j) { // column major
            const double value         = w->factor[(long)i * n + j];
            w->factor[(long)i * n + j] = w->factor[(long)j * n + i];
            w->factor[(long)j * n + i] = value;
        }
    return cd_dense_lu(n, w->factor, w->pivot, 0, NULL) != 0;
}

// Step for the right-hand side rc.
static void direction(const cd_conic_program* program, cd_interior_point* w)
{
    const cd_cone_rows* rows = &program->rows;
    for (int c = 0; c < rows->ncone; ++c) { // dy = W^-1 (lambda \ rc) - W^-2 rp
        const int     f = rows->first[c], size = cone_size(rows, c);
        const double* inverse = w->scale + 18 * c + 9;
        double        u[3], v[3];
        multiply(size, inverse, w->rp + f, v);
        cd_lorentz_divide(size, w->lambda + f, w->rc + f, u);
        for (int i = 0; i < size; ++i) u[i] -= v[i];
        multiply(size, inverse, u, w->dy + f);
    }
    for (int i = 0; i < program->n; ++i) w->dx[i] = -w->rd[i];
    add_transposed(rows, 1, w->dy, w->dx);
    if (program->is_symmetric)
        dense_solve(program->n, w->factor, w->dx);
    else
        cd_dense_lu_solve(program->n, w->factor, w->pivot, w->dx);
    for (int c = 0; c < rows->ncone; ++c) {
        const int     f = rows->first[c], size = cone_size(rows, c);
        const double* inverse = w->scale + 18 * c + 9;
        double        u[3];
        for (int i = 0; i < size; ++i) {
            u[i]         = row_times(rows, f + i, w->dx);
            w->ds[f + i] = u[i] + w->rp[f + i];
        }
        multiply(size, inverse, u, u);
        multiply(size, inverse, u, u);
        for (int i = 0; i < size; ++i) w->dy[f + i] -= u[i];
    }
}

static double step_to_boundary(const cd_cone_rows* rows, const cd_interior_point* w)
{
    double step = 1e10;
    for (int c = 0; c < rows->ncone; ++c) {
        const int f = rows->first[c], size = cone_size(rows, c);
        step = fmin(step, cd_lorentz_step(size, w->s + f, w->ds + f));
        step = fmin(step, cd_lorentz_step(size, w->y + f, w->dy + f));
    }
    return step;
}

// rc = sigma gap e - lambda o lambda - (W^-1 ds) o (W dy); without the last term if it is the predictor.
static void right_side(const cd_cone_rows* rows, cd_interior_point* w, double target, bool is_corrector)
{
    for (int c = 0; c < rows->ncone; ++c) {
        const int f = rows->first[c], size = cone_size(rows, c);
        double    a[3], b[3], product[3];
        cd_lorentz_product(size, w->lambda + f, w->lambda + f, product);
        for (int i = 0; i < size; ++i) w->rc[f + i] = (i == 0 ? target : 0) - product[i];
        if (!is_corrector) continue;
        multiply(size, w->scale + 18 * c + 9, w->ds + f, a);
        multiply(size, w->scale + 18 * c, w->dy + f, b);
        cd_lorentz_product(size, a, b, product);
        for (int i = 0; i < size; ++i) w->rc[f + i] -= product[i];
    }
}

static void start(const cd_conic_program* program, cd_interior_point* w, double* x)
{
    const cd_cone_rows* rows = &program->rows;
    for (int i = 0; i < program->n; ++i) x[i] = 0;
    for (int c = 0; c < rows->ncone; ++c)
        for (int r = rows->first[c]; r < rows->first[c + 1]; ++r) w->s[r] = w->y[r] = r == rows->first[c];
}

int cd_interior_point_solve(const cd_conic_program* program, cd_interior_point* work, double* x, double tolerance,
                            int max_iterations)
{
    const cd_cone_rows* rows = &program->rows;
    start(program, work, x);
    for (int iteration = 1; iteration <= max_iterations; ++iteration) {
        double       gap;
        const double worst = residuals(program, work, x, &gap);
        if (!isfinite(worst)) return -iteration;
        if (worst < tolerance && gap < tolerance) return iteration;
        scale_cones(program, work);
        if (!factor(program, work)) return -iteration;
        right_side(rows, work, 0, false);
        direction(program, work);
        const double affine = fmin(1, step_to_boundary(rows, work));
        right_side(rows, work, fmax(pow(1 - affine, 3), 1e-6) * gap, true);
        direction(program, work);
        const double step = fmin(1, 0.99 * step_to_boundary(rows, work));
        for (int i = 0; i < program->n; ++i) x[i] += step * work->dx[i];
        for (int r = 0; r < rows->nrow; ++r) {
            work->s[r] += step * work->ds[r];
            work->y[r] += step * work->dy[r];
        }
    }
    return -max_iterations;
}
