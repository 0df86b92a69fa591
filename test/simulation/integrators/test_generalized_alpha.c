// SPDX-License-Identifier: BSD-3-Clause
// Generalized-alpha and HHT on mechanisms with loops, redundant rows, drivers and rolling, in joint and in maximal
// coordinates: the end of the motion against dopri5, and order two.
#include "fixture.h"
#include "test.h"

static const char* const methods[] = {"generalized-alpha", "hht"};

typedef struct end_state {
    double q[128], v[128];
} end_state;

static bool keep(void* user, cardan_data* data, const cardan_sample* sample)
{
    end_state*              e = user;
    const cardan_model_view m = cardan_model_get_view(cardan_data_model(data));
    (void)sample;
    for (int j = 0, n = 0; j < m.njoint && n < 120; ++j) {
        double q[8] = {0}, v[8] = {0};
        cardan_data_joint_state(data, j, q, v);
        e->q[n]   = q[0];
        e->v[n++] = v[0];
    }
    return true;
}

static cardan_run_summary run_to(const char* path, const char* formulation, const char* integrator, double tolerance,
                                 double max_step, double end, end_state* e)
{
    fixture            f;
    cardan_run_summary summary = {0};
    *e                         = (end_state){0};
    if (fixture_open(&f, path, formulation, 0, NULL)) {
        cardan_run_settings run = cardan_run_default();
        run.integrator          = cardan_integrator_find(integrator);
        run.tolerance           = tolerance;
        run.max_step            = max_step;
        run.end = run.output_interval = end;
        run.sample_callback           = keep;
        run.user                      = e;
        CHECK(cardan_simulate(f.data, &run, &summary, &f.report) == CARDAN_OK);
        for (int i = 0; i < f.report.count && test_broken; ++i) printf("%s\n", f.report.message[i].text);
    }
    fixture_close(&f);
    return summary;
}

static double distance(const end_state* a, const end_state* b)
{
    double worst = 0;
    for (int i = 0; i < 120; ++i)
        worst = fmax(worst, fmax(fabs(a->q[i] - b->q[i]), fabs(a->v[i] - b->v[i]) / fmax(1, fabs(b->v[i]))));
    return worst;
}

static void test_model(const char* path, const char* formulation, const char* method, double end)
{
    end_state exact, seen;
    run_to(path, "dense", "dopri5", 1e-10, 0, end, &exact);
    const cardan_run_summary summary = run_to(path, formulation, method, 1e-5, 0, end, &seen);
    if (!(distance(&seen, &exact) < 1e-3))
        printf("%s %s %s: %.2g\n", path, formulation, method, distance(&seen, &exact));
    CHECK(distance(&seen, &exact) < 1e-3);
    CHECK(summary.max_position_violation < 1e-9 && summary.max_velocity_violation < 1e-8);
}

// With a tolerance that is always met, steps are max_step: half the step leaves a quarter of the error.
static void test_order(const char* method)
{
    end_state exact, coarse, fine;
    run_to("models/four_bar", "dense", "dopri5", 1e-11, 0, 0.5, &exact);
    run_to("models/four_bar", "dense", method, 0.1, 4e-3, 0.5, &coarse);
    run_to("models/four_bar", "dense", method, 0.1, 2e-3, 0.5, &fine);
    const double order = log2(distance(&coarse, &exact) / distance(&fine, &exact));
    if (!(fabs(order - 2) < 0.3)) printf("%s: order %.2f\n", method, order);
    CHECK(fabs(order - 2) < 0.3);
}

int main(void)
{
    for (int i = 0; i < 2; ++i) {
        RUN(test_model("models/four_bar", "dense", methods[i], 1));
        RUN(test_model("models/four_bar", "lagrange", methods[i], 1));
        RUN(test_model("models/hmmwv", "augmented", methods[i], 0.2));
        RUN(test_model("models/rolling_disc", "dense", methods[i], 0.5));
        RUN(test_model("models/five_bar_redundant", "dense", methods[i], 0.3));
        RUN(test_order(methods[i]));
    }
    RUN(test_model("models/driven_slider", "dense", methods[0], 0.3));
    return test_end();
}
