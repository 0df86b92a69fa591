// SPDX-License-Identifier: BSD-3-Clause
// Starts at singular configurations: flat parallelograms of various lengths, speeds and weights. Velocities are
// assembled to rounding, every formulation computes accelerations, and a simulation with `regularized` moves like the
// crank.
#include "test.h"
#include "yaml_text.h"

#include <cardan/cardan.h>

static void write_model(char* text, size_t size, double crank, double coupler, double weight, double speed)
{
    snprintf(text, size,
             "cardan: 1\nname: flat\ngravity: [0, %.17g, 0]\n"
             "points: {A: [0, 0, 0], B: [%.17g, 0, 0], C: [%.17g, 0, 0], D: [%.17g, 0, 0]}\n"
             "bodies:\n"
             "  a: {rod: [A, B], mass: 1}\n"
             "  b: {rod: [B, C], mass: 2}\n"
             "  c: {rod: [C, D], mass: 1}\n"
             "joints:\n"
             "  A: {revolute: [ground, a], at: A, axis: z, start: {v: %.17g}}\n"
             "  B: {revolute: [a, b], at: B, axis: z}\n"
             "  C: {revolute: [b, c], at: C, axis: z}\n"
             "  D: {revolute: [c, ground], at: D, axis: z}\n",
             weight, crank, crank + coupler, coupler, speed);
}

static double rate(cardan_data* data, const cardan_description* d, const char* name)
{
    double q[7], v[6];
    cardan_data_joint_state(data, cardan_description_find_joint(d, name), q, v);
    return v[0];
}

static void test_formulation(const cardan_description* d, int formulation, double speed, bool runs)
{
    cardan_model* model = NULL;
    cardan_data*  data  = NULL;
    cardan_report report;
    double        a[64];
    cardan_report_clear(&report);
    CHECK(cardan_model_compile(d, cardan_formulation_tree_policy(formulation), &model, &report) == CARDAN_OK);
    if (cardan_data_create(model, formulation, &data, &report) == CARDAN_OK) {
        CHECK(cardan_data_assemble(data, NULL, NULL, NULL, NULL, &report) == CARDAN_OK);
        CHECK_NEAR(rate(data, d, "D") / speed, -1, 4e-15);
        CHECK_NEAR(rate(data, d, "B") / speed, -1, 4e-15);
        const cardan_status status = cardan_data_accelerate(data, a, NULL, &report);
        CHECK(status == CARDAN_OK);
        if (status) printf("    %s: %s\n", cardan_formulation_name(formulation), report.message[report.count - 1].text);
    }
    if (data && runs) {
        cardan_run_summary  s   = {0};
        cardan_run_settings run = cardan_run_default();
        run.end                 = 0.05;
        run.output_interval     = 0.05;
        CHECK(cardan_simulate(data, &run, &s, &report) == CARDAN_OK);
        CHECK_NEAR(s.t, 0.05, 1e-12);
    }
    cardan_data_destroy(data);
    cardan_model_destroy(model);
}

static void test_all(void)
{
    static const double crank[] = {0.3, 1, 1.7}, coupler[] = {0.7, 2, 3.1}, speed[] = {1, -0.4, 3, 0.017};
    for (int n = 0; n < 72 && !test_broken; ++n) {
        char         text[2000];
        const double v = speed[n % 4];
        write_model(text, sizeof text, crank[n / 4 % 3], coupler[n / 12 % 3], n / 36 ? -9.81 : 0, v);
        cardan_description* d = yaml_load(text);
        for (int f = 0; f < cardan_formulation_count(); ++f)
            if (cardan_formulation_is_exact(f))
                test_formulation(d, f, v, strcmp(cardan_formulation_name(f), "regularized") == 0);
        if (test_broken) printf("    flat parallelogram %d\n", n);
        cardan_description_destroy(d);
    }
}

int main(void)
{
    yaml_begin();
    RUN(test_all());
    yaml_end();
    return test_end();
}
