// SPDX-License-Identifier: BSD-3-Clause
// Conditioning of the constraints of parallelograms, as a function of their angle: against the singular values of W J
// M^-1/2 by LAPACK, with the weights W of the rows, and against closed forms.
#include "prepared_parallelogram.h"

#include "dynamics/rows/constraint_update.h"
#include "dynamics/rows/jacobian_operator.h"
#include "formulation/coordinate_reduction/fronts.h"
#include "formulation/regularized/compliant_rows.h"
#include "formulation/safeguards/inverse_iteration.h"
#include "math/lapack.h"

enum { MOST_ROWS = 24, MOST_VELOCITIES = 8 };

// Solve L y = x for the Cholesky factor of a (n x n), which is overwritten by L.
static void cholesky(int n, double* a)
{
    for (int i = 0; i < n; ++i)
        for (int j = 0; j <= i; ++j) {
            double sum = a[i * n + j];
            for (int k = 0; k < j; ++k) sum -= a[i * n + k] * a[j * n + k];
            a[i * n + j] = i == j ? sqrt(sum) : sum / a[j * n + j];
        }
}

// Weights of the rows by which a formulation measures them: fronts have their own.
static void row_weights(const cardan_data* d, double* weight)
{
    const cd_reduction_workspace* fronts = NULL;
    if (strcmp(d->formulation->name, "reduction") == 0) fronts = d->formulation_work;
    if (strcmp(d->formulation->name, "regularized") == 0)
        fronts = &((const cd_compliant_rows*)d->formulation_work)->reduction;
    cd_compute_row_weights(&d->solver_rows, d->units.length_scale, weight);
    for (int i = 0; fronts && i < d->rows.nrow; ++i) weight[i] = fronts->row_weight[i];
}

// Singular value number `index` (from 0, the largest first) of W J M^-1/2 at the state of the data. J by products with
// unit vectors.
static double singular_value(cardan_data* d, int index)
{
    const int nrow = d->rows.nrow, nv = d->m->nv;
    double    M[MOST_VELOCITIES * MOST_VELOCITIES], A[MOST_ROWS * MOST_VELOCITIES], weight[MOST_ROWS], unit[16],
        column[MOST_ROWS], sigma[MOST_ROWS], work[2000];
    CHECK(nrow <= MOST_ROWS && nv <= MOST_VELOCITIES && cd_lapack_svd_work(nrow, nv) <= 2000);
    CHECK(cardan_data_mass_matrix(d, M) == CARDAN_OK);
    cholesky(nv, M);
    cd_update_rows(d);
    row_weights(d, weight);
    for (int v = 0; v < nv; ++v) {
        for (int k = 0; k < nv; ++k) unit[k] = k == v;
        cd_jacobian_times(d, &d->rows, unit, column);
        for (int i = 0; i < nrow; ++i) A[i * nv + v] = weight[i] * column[i];
    }
    for (int i = 0; i < nrow; ++i) // row a' of A becomes L^-1 a
        for (int v = 0; v < nv; ++v) {
            for (int k = 0; k < v; ++k) A[i * nv + v] -= M[v * nv + k] * A[i * nv + k];
            A[i * nv + v] /= M[v * nv + v];
        }
    CHECK(cd_lapack_svd(nrow, nv, A, sigma, NULL, NULL, work));
    return sigma[index];
}

// Conditioning at the angle phi, and directions tracked to it.
static cd_tracked_sigma track_to(parallelogram_run* p, double t, double phi)
{
    cd_ode_state* x = run_state(&p->run);
    set_parallelogram(p, t, phi, 1, x);
    CHECK(cd_conditioning_at(run_system(&p->run), x) == CARDAN_OK);
    cd_conditioning_track_directions(run_system(&p->run));
    CHECK(run_conditioning(&p->run)->t == t);
    return run_conditioning(&p->run)->tracked_sigma[0];
}

// In joint coordinates 5 rows of rank 2: the second singular value is tracked to half a percent, and its sign changes
// at phi = 0 and nowhere else. Formulations whose pivots show the conditioning are tracked only where pivots are small.
static void test_tracked_sigma(const char* formulation, bool at_every_state)
{
    parallelogram_run p;
    if (parallelogram_open(&p, formulation, 0)) {
        const double sigma_start = (track_to(&p, 0, 1.5), singular_value(p.run.data, 1));
        double       largest     = sigma_start;
        int          compared    = 0;
        CHECK(run_conditioning(&p.run)->ngroup == 1 && run_conditioning(&p.run)->tracked);
        CHECK(run_conditioning(&p.run)->rank_deficiency_generic == 3);
        for (int i = 1; i <= 29; ++i) {
            const double           phi     = 1.5 - 0.1 * i + 0.03; // passes zero between two states
            const cd_tracked_sigma tracked = track_to(&p, i, phi);
            const double           sigma   = singular_value(p.run.data, 1);
            largest                        = fmax(largest, sigma);
            if (at_every_state || sigma < 0.3 * largest) {
                CHECK_NEAR(tracked.sigma_min_rel * largest / sigma, 1, 0.006);
                ++compared;
            }
            CHECK(tracked.sign == (i == 16 ? -1 : 1) || (!at_every_state && sigma > 0.3 * largest));
        }
        CHECK(compared >= (at_every_state ? 29 : 4));
        CHECK_NEAR(cd_conditioning_sigma_max(run_system(&p.run), 0), largest, 0.006);
    }
    parallelogram_close(&p);
}

// Near phi = 0 s^2 is proportional to phi^2 with every formulation, and near_singular follows from it.
static void test_near_zero(const char* formulation)
{
    parallelogram_run      p;
    const cd_conditioning* f = NULL;
    if (parallelogram_open(&p, formulation, 0)) {
        f = run_conditioning(&p.run);
        CHECK(f->sigma_min_sq_rel == 1 && f->row == CARDAN_NONE && f->rank_deficiency_generic == -1);
        track_to(&p, 0, 1.5);
        CHECK(f->sigma_min_sq_rel > 0.99 && !p.run.data->settings.near_singular);
        double square[3];
        for (int i = 0; i < 3; ++i) {
            const double phi = 0.04 * pow(0.5, i) * (i == 1 ? -1 : 1);
            track_to(&p, i + 1, phi);
            square[i] = f->sigma_min_sq_rel;
            CHECK(square[i] > 0.05 * phi * phi && square[i] < 50 * phi * phi);
            CHECK(p.run.data->settings.near_singular == (square[i] < 1e-3));
        }
        CHECK_NEAR(square[0] / square[1], 4, 0.05);
        CHECK_NEAR(square[1] / square[2], 4, 0.05);
        track_to(&p, 9, 0.5);
        CHECK(f->sigma_min_sq_rel > 0.05 && !p.run.data->settings.near_singular);
        cd_conditioning_reset(run_system(&p.run));
        CHECK(f->sigma_min_sq_rel == 1 && f->rank_deficiency_generic == -1 && f->min_pivot_rel_max == 0 && !f->tracked);
    }
    parallelogram_close(&p);
}

// Two cranks and a rod without mass between their ends (constraint `distance`): one row, J = sin(phi) [1, -1], which
// vanishes as a whole. No pivot shows it, its norm does.
static cardan_description* cranks_and_rod(void)
{
    return describe_text("cardan: 1\nname: cranks\ngravity: [0, 0, 0]\n"
                         "bodies:\n"
                         "  left: {rod: [[0, 0, 0], [\"=cos(1)\", \"=sin(1)\", 0]], mass: 1}\n"
                         "  right: {rod: [[2, 0, 0], [\"=2+cos(1)\", \"=sin(1)\", 0]], mass: 1}\n"
                         "joints:\n"
                         "  a: {revolute: [ground, left], at: [0, 0, 0], axis: z}\n"
                         "  b: {revolute: [ground, right], at: [2, 0, 0], axis: z}\n"
                         "constraints:\n"
                         "  rod: {distance: [{on: left, at: [\"=cos(1)\", \"=sin(1)\", 0]}, "
                         "{on: right, at: [\"=2+cos(1)\", \"=sin(1)\", 0]}]}\n");
}

// sigma^2 relative to its maximum at cranks of angle phi; *row: the row of the smallest value.
static double conditioning_at(parallelogram_run* p, double phi, int* row)
{
    const double angle[2] = {phi - 1, phi - 1}, rate[2] = {1, 1};
    set_joint_angles(p, run_state(&p->run)->t + 1, angle, rate, run_state(&p->run));
    CHECK(cd_conditioning_at(run_system(&p->run), run_state(&p->run)) == CARDAN_OK);
    *row = run_conditioning(&p->run)->row;
    return run_conditioning(&p->run)->sigma_min_sq_rel;
}

// With rows on joint velocities: sin^2 relative to its maximum so far.
static void test_vanishing_row(const char* formulation)
{
    parallelogram_run p;
    if (parallelogram_prepare(&p, cranks_and_rod(), formulation, "dopri5", 10)) {
        static const double phi[] = {0.5, 1.2, 0.9, 0.3, 0.1, 0.02, -0.02, -0.4, -1.4, -0.7};
        double              s_max = 0;
        for (int i = 0; i < 10; ++i) {
            int row;
            s_max          = fmax(s_max, fabs(sin(phi[i])));
            const double s = sin(phi[i]) / s_max;
            CHECK_NEAR(conditioning_at(&p, phi[i], &row) / (s * s), 1, 1e-6);
            CHECK(s * s > 0.999 || row == 0);
        }
    }
    parallelogram_close(&p);
}

// Without: proportional to sin^2 near zero.
static void test_vanishing_direction(const char* formulation)
{
    parallelogram_run p;
    if (parallelogram_prepare(&p, cranks_and_rod(), formulation, "dopri5", 10)) {
        int          row;
        const double start = conditioning_at(&p, 1.2, &row);
        cd_conditioning_track_directions(run_system(&p.run));
        const double far = conditioning_at(&p, 0.05, &row), close = conditioning_at(&p, 0.02, &row),
                     behind = conditioning_at(&p, -0.02, &row);
        CHECK_NEAR(start, 1, 1e-12);
        CHECK(far < 0.3);
        CHECK_NEAR(far / close, 6.25, 0.05);
        CHECK_NEAR(behind / close, 1, 1e-9);
    }
    parallelogram_close(&p);
}

// Loops that share no joint are separate groups, with a value each: only the second one is near its singular
// configuration, and passes it.
static cd_tracked_sigma* track_two(parallelogram_run* p, double t, double first, double second)
{
    set_two_parallelograms(p, t, first, second, run_state(&p->run));
    CHECK(cd_conditioning_at(run_system(&p->run), run_state(&p->run)) == CARDAN_OK);
    cd_conditioning_track_directions(run_system(&p->run));
    return run_conditioning(&p->run)->tracked_sigma;
}

static void test_groups(const char* formulation)
{
    parallelogram_run p;
    if (parallelogram_prepare(&p, two_parallelograms(), formulation, "dopri5", 10)) {
        CHECK(run_conditioning(&p.run)->ngroup == 2 && cd_conditioning_group_limit(run_system(&p.run)) >= 2);
        track_two(&p, 0, 1.5, 1.5);
        cd_tracked_sigma* sigma = track_two(&p, 1, 1.4, 0.1);
        CHECK(sigma[0].sigma_min_rel > 0.9 && sigma[1].sigma_min_rel < 0.5 && sigma[1].sign == 1);
        sigma = track_two(&p, 2, 1.3, -0.1);
        CHECK(sigma[0].sigma_min_rel > 0.9 && sigma[0].sign == 1);
        CHECK(sigma[1].sigma_min_rel < 0.5 && sigma[1].sign == -1);
    }
    parallelogram_close(&p);
}

int main(void)
{
    RUN(test_tracked_sigma("reduction", true));
    RUN(test_tracked_sigma("regularized", true));
    RUN(test_tracked_sigma("order-n", false));
    RUN(test_tracked_sigma("augmented", false));
    for (int i = 0; i < EVERY_FORMULATION; ++i) RUN(test_near_zero(every_formulation[i]));
    RUN(test_vanishing_row("order-n"));
    RUN(test_vanishing_row("embedding"));
    RUN(test_vanishing_row("augmented"));
    RUN(test_vanishing_row("dense"));
    RUN(test_vanishing_direction("reduction"));
    RUN(test_vanishing_direction("regularized"));
    RUN(test_vanishing_direction("lagrange"));
    RUN(test_groups("reduction"));
    RUN(test_groups("order-n"));
    return test_end();
}
