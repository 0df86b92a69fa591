// SPDX-License-Identifier: BSD-3-Clause
// Location of the zero of a singular value inside a step whose states are given: a parallelogram passes phi = 0 at a
// known time, at constant speed and with acceleration.
#include "prepared_parallelogram.h"

#include "dynamics/rows/constraint_update.h"

static const double PASSED = 0.3721; // [s]

static double uniform(double t, double* w)
{
    *w = 1.4;
    return 1.4 * (t - PASSED);
}

// Also phi = 0 at PASSED only.
static double accelerated(double t, double* w)
{
    const double u = t - PASSED;
    *w             = 0.5 + 3 * u;
    return 0.5 * u + 1.5 * u * u;
}

static double backward(double t, double* w)
{
    *w = -0.9;
    return -0.9 * (t - PASSED);
}

static cd_sigma_point point_at(parallelogram_run* p, double t, double phi, double w)
{
    cd_ode_state* x = run_state(&p->run);
    set_parallelogram(p, t, phi, w, x);
    CHECK(cd_conditioning_at(run_system(&p->run), x) == CARDAN_OK);
    cd_conditioning_track_directions(run_system(&p->run));
    const cd_tracked_sigma s = run_conditioning(&p->run)->tracked_sigma[0];
    return (cd_sigma_point){t, s.sigma_min_rel, 0, s.sign};
}

static void test_crossing(const char* formulation, angle_function angle, double from, double to)
{
    parallelogram_run p;
    if (parallelogram_open(&p, formulation, 0)) {
        cd_ode_system*   system = run_system(&p.run);
        cd_step_interior in     = scripted_step(&p, from);
        double           t      = NAN, w, w_end, q, v;
        const double     phi = angle(from, &w), phi_end = angle(to, &w_end);
        in.state = &run_singular_events(&p.run)->state;
        p.angle  = angle;
        // reference, on the same side, and states between, because the direction rotates
        for (int i = 0; i < 3; ++i)
            point_at(&p, from - 3 + i, (phi < 0 ? -1 : 1) * ((const double[]){1.4, 0.4, 0.12})[i], w);
        const cd_sigma_point first = point_at(&p, from, phi, w), last = point_at(&p, to, phi_end, w_end);
        CHECK(last.sign == -1);
        const double s = cd_singular_crossing_locate(system, in, 0, first, last, &t);
        CHECK_NEAR(t, PASSED, 5e-6);
        CHECK(s < 3e-6 && in.state->t == t);
        // the state there is that of the step at t
        CHECK(cardan_data_joint_state(p.run.data, 0, &q, &v) == CARDAN_OK);
        CHECK_NEAR(q, angle(t, &w) - PARALLELOGRAM_DESIGN, 1e-12);
    }
    parallelogram_close(&p);
}

// The nearest configuration on the constraints of a state with a violation, here of the closing joint, is found; the
// conditioning is that of the state without it.
static void test_on_constraints(const char* formulation)
{
    parallelogram_run p;
    if (parallelogram_open(&p, formulation, 0)) {
        cd_ode_system* system = run_system(&p.run);
        cd_ode_state*  x      = run_state(&p.run);
        set_parallelogram(&p, 0, 1.5, 1, x);
        CHECK(cd_conditioning_at(system, x) == CARDAN_OK);
        set_parallelogram(&p, 1, 0.02, 1, x);
        CHECK(cd_conditioning_at(system, x) == CARDAN_OK);
        const double closed = run_conditioning(&p.run)->sigma_min_sq_rel;
        for (int i = 0; i < system->nq; ++i) x->q[i] += 1e-6 * sin(1 + i);
        CHECK(cd_conditioning_is_known(system, cd_conditioning_on_constraints(system, x)));
        CHECK_NEAR(run_conditioning(&p.run)->sigma_min_sq_rel / closed, 1, 0.05);
        double violation;
        cd_scaled_violations(p.run.data, &violation, NULL);
        CHECK(violation < 1e-10);
    }
    parallelogram_close(&p);
}

static void test_known(void)
{
    parallelogram_run p;
    if (parallelogram_open(&p, "order-n", 0)) {
        const cd_ode_system* system        = run_system(&p.run);
        p.run.data->settings.near_singular = false;
        CHECK(cd_conditioning_is_known(system, CARDAN_OK) && !cd_conditioning_is_known(system, CARDAN_INCONSISTENT));
        p.run.data->settings.near_singular = true;
        CHECK(cd_conditioning_is_known(system, CARDAN_INCONSISTENT) &&
              !cd_conditioning_is_known(system, CARDAN_NO_MEMORY));
        p.run.data->settings.near_singular = false;
    }
    parallelogram_close(&p);
}

int main(void)
{
    static const char* const tracking[] = {"reduction", "order-n", "augmented", "regularized"};
    for (int i = 0; i < 4; ++i) {
        RUN(test_crossing(tracking[i], uniform, 0.3, 0.5));
        RUN(test_crossing(tracking[i], uniform, 0.37, 0.55));
        RUN(test_crossing(tracking[i], accelerated, 0.3, 0.6));
        RUN(test_crossing(tracking[i], backward, 0.1, 0.4));
        RUN(test_on_constraints(tracking[i]));
    }
    // in maximal coordinates pivots are small, and directions are tracked, within 0.1 rad only
    RUN(test_crossing("lagrange", uniform, 0.33, 0.43));
    RUN(test_crossing("lagrange", backward, 0.3, 0.4));
    RUN(test_on_constraints("lagrange"));
    RUN(test_known());
    return test_end();
}
