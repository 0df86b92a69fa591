// SPDX-License-Identifier: BSD-3-Clause
// Mechanisms of models/ against closed forms: the Stewart platform driven along a circle, Jansen's leg against its
// geometry at another crank angle, the vehicle on its posts against Newton's second law.
#include "fixture.h"

static bool run_until(fixture* f, double end, double tolerance)
{
    cardan_run_summary  summary;
    cardan_run_settings run = cardan_run_default();
    run.end = run.output_interval = end;
    run.tolerance                 = tolerance;
    const bool good               = cardan_simulate(f->data, &run, &summary, &f->report) == CARDAN_OK;
    if (!good && f->report.count) printf("%s\n", f->report.message[f->report.count - 1].text);
    CHECK(good);
    return good;
}

static void marker_position(const fixture* f, const char* marker, double p[3])
{
    cardan_motion m;
    cardan_data_marker_motion(f->data, cardan_description_find_marker(f->description, marker), NULL, &m);
    memcpy(p, m.p, sizeof m.p);
}

// The legs drive the platform along (r (cos wt - 1), r sin wt, 0) without rotation: the reactions of the spherical
// joints sum up to the force m (a - g) and zero moment about its centre.
static void test_stewart(const char* formulation)
{
    const double    r = 0.15, w = 2 * 3.14159265358979323846, t = 0.35, m = 20, height = 1.2;
    fixture         f;
    double          a[78];
    cardan_motion   body[13];
    cardan_reaction reaction[18];
    if (fixture_open(&f, "models/stewart", formulation, 0, NULL) && run_until(&f, t, 1e-9)) {
        CHECK(cardan_data_accelerate(f.data, a, NULL, &f.report) == CARDAN_OK);
        CHECK(cardan_data_reactions(f.data, a, reaction) == CARDAN_OK);
        cardan_data_body_motions(f.data, a, body);
        const cardan_motion* platform = &body[fixture_body(&f, "platform")];
        const double         c = cos(w * t), s = sin(w * t);
        const double         p[3] = {r * (c - 1), r * s, height}, acceleration[3] = {-r * w * w * c, -r * w * w * s, 0};
        double               sum[3] = {0}, moment[3] = {0};
        for (int i = 1; i <= 6; ++i) {
            char name[32];
            snprintf(name, sizeof name, "leg%d.ball", i);
            const cardan_reaction* ball = &reaction[fixture_joint(&f, name)];
            // pairs of spherical joints at 60, 180 and 300 degrees, 0.2 rad to both sides
            const double angle  = w / 6 * (2 * ((i + 1) / 2) - 1) + (i % 2 ? -0.2 : 0.2);
            const double arm[3] = {0.6 * cos(angle), 0.6 * sin(angle), 0};
            CHECK(ball->unique);
            for (int k = 0; k < 3; ++k) {
                const int x = (k + 1) % 3, y = (k + 2) % 3;
                sum[k] += ball->force[k];
                moment[k] += arm[x] * ball->force[y] - arm[y] * ball->force[x];
            }
        }
        for (int k = 0; k < 3; ++k) {
            CHECK_NEAR(platform->p[k], p[k], 1e-10);
            CHECK_NEAR(platform->a[k], acceleration[k], 1e-7);
            CHECK_NEAR(platform->q[1 + k], 0, 1e-10);
            CHECK_NEAR(sum[k], m * (acceleration[k] + (k == 2 ? 9.81 : 0)), 1e-6);
            CHECK_NEAR(moment[k], 0, 1e-6);
        }
    }
    fixture_close(&f);
}

// Positions of the feet after a rotation of the crank are those of the model assembled at the later crank angle.
static void test_strandbeest(const char* formulation)
{
    static const char* const feet[]   = {"left.foot", "right.foot"};
    const double             rotation = 2.7;
    fixture                  f, later;
    char                     phi[32];
    snprintf(phi, sizeof phi, "%.17g", 0.4 + rotation);
    if (fixture_open(&f, "models/strandbeest", formulation, 0, NULL) &&
        run_until(&f, rotation / 6.283185307179586, 1e-8))
        if (fixture_open(&later, "models/strandbeest", formulation, 1, &(cardan_parameter_setting){"phi", phi})) {
            for (int i = 0; i < 2; ++i) {
                double a[3], b[3];
                marker_position(&f, feet[i], a);
                marker_position(&later, feet[i], b);
                for (int k = 0; k < 3; ++k) CHECK_NEAR(a[k], b[k], 1e-11);
            }
            fixture_close(&later);
        }
    fixture_close(&f);
}

// The tyres are the only contacts of the vehicle: the sum of their loads is mass times (acceleration of the mass centre
// + g). A driver under a wheel carries the load and the plate, whose acceleration follows from the driver function:
// rise/2 (2 pi/T)^2 cos(2 pi (t - 0.3)/T), T = 0.2 s. Before the bump, which arrives at 0.3 s, the vehicle is at rest.
static void test_bump(const char* formulation)
{
    const double  t = 0.36, w = 2 * 3.14159265358979323846 / 0.2;
    fixture       f;
    double        a[108], output[11], effort[4];
    cardan_motion body[18];
    double        start[11];
    if (!fixture_open(&f, "models/hmmwv/bump.yaml", formulation, 0, NULL)) return;
    CHECK(run_until(&f, 1e-3, 1e-8));
    cardan_data_evaluate_outputs(f.data, start);
    CHECK(run_until(&f, 0.3, 1e-8));
    cardan_data_evaluate_outputs(f.data, output);
    for (int i = 0; i < 11; ++i) CHECK_NEAR(output[i], start[i], 1e-6 * fmax(0.1, fabs(start[i]))); // of a plot
    if (run_until(&f, t, 1e-8)) {
        const cardan_description_view view = cardan_description_get_view(f.description);
        CHECK(cardan_data_accelerate(f.data, a, NULL, &f.report) == CARDAN_OK);
        CHECK(view.noutput == 11 && cardan_data_driver_count(f.data) == 4);
        cardan_data_body_motions(f.data, a, body);
        cardan_data_evaluate_outputs(f.data, output);
        cardan_data_driver_efforts(f.data, a, effort, NULL);
        double force = 0, load = 0;
        for (int i = 0; i < view.nbody; ++i)
            if (!strstr(view.body[i].name, "plate")) force += view.body[i].mass * (body[i].a[2] + 9.81);
        for (int i = 0; i < view.noutput; ++i) {
            const char* name = view.output[i].name;
            if (!strstr(name, ".load")) continue;
            CHECK(output[i] > 1000);
            load += output[i];
            const double rise = name[0] == 'R' ? 0 : name[1] == 'L' ? 0.08 : 0.04;
            for (int k = 0; k < 4; ++k)
                if (strncmp(cardan_data_driver_at(f.data, k).name + 1, name, 2) == 0)
                    CHECK_NEAR(effort[k], output[i] + 50 * (9.81 + rise / 2 * w * w * cos(w * (t - 0.3))), 1e-5);
        }
        CHECK_NEAR(load, force, 1e-5);
    }
    fixture_close(&f);
}

int main(void)
{
    static const char* const formulations[] = {"dense", "lagrange"};
    for (int i = 0; i < 2; ++i) {
        RUN(test_stewart(formulations[i]));
        RUN(test_strandbeest(formulations[i]));
        RUN(test_bump(formulations[i]));
    }
    return test_end();
}
