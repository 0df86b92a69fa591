// SPDX-License-Identifier: BSD-3-Clause
// Stabilization at velocity level: velocities satisfy the constraints to rounding in every evaluation, positions drift
// by the error of the method only. All integrators, all formulations that support loops, with quaternions, drivers,
// rolling and redundant loops.
#include "loop_models.h"

#include "dynamics/data.h"
#include "simulation/integrators/integrator.h"

// ---- the four-bar of the specification: four relative angles and a massless copy of ground at the end of the chain,
// welded to ground

static int bar(cardan_description* d, const char* name, double length, double mass)
{
    cardan_body b = cardan_body_default(name);
    b.mass        = mass;
    b.centre[0]   = length / 2;
    b.inertia[1] = b.inertia[2] = mass * length * length / 12;
    return cardan_description_add_body(d, &b);
}

static cardan_description* phantom_four_bar(void)
{
    static const char* const name[]   = {"A", "B", "C", "D"};
    static const double      q[]      = {1.047197551, -0.823453144, -2.239152867, 2.015408460};
    static const double      u[]      = {1, -1.045698033954, 0.668751716400, -0.623053682446};
    static const double      length[] = {0, 1, 2.2, 1.5};
    cardan_description*      d        = cardan_description_create("four-bar");
    cardan_description_set_gravity(d, (const double[3]){0, -9.81, 0});
    int body[5] = {CARDAN_GROUND, bar(d, "crank", 1, 1), bar(d, "coupler", 2.2, 2), bar(d, "rocker", 1.5, 1.5),
                   bar(d, "phantom", 0, 0)};
    for (int i = 0; i < 4; ++i) {
        cardan_joint j     = cardan_joint_default(name[i], "revolute", body[i], body[i + 1]);
        j.frame_first.p[0] = length[i];
        j.start_q_given = j.start_v_given = true;
        j.start_q[0]                      = q[i];
        j.start_v[0]                      = u[i];
        cardan_description_add_joint(d, &j);
    }
    const cardan_marker end   = {.name = "end", .body = body[4], .pose = cardan_pose_default()};
    cardan_marker       pivot = {.name = "pivot", .body = CARDAN_GROUND, .pose = cardan_pose_default()};
    pivot.pose.p[0]           = 2;
    cardan_constraint weld    = cardan_constraint_default("weld", "lock");
    weld.marker[0]            = cardan_description_add_marker(d, &end);
    weld.marker[1]            = cardan_description_add_marker(d, &pivot);
    weld.locked               = 63;
    cardan_description_add_constraint(d, &weld);
    return d;
}

typedef struct record {
    int    body;
    double violation[4]; // [m] distance of rocker and pivot at t = 1, 2, 5, 10 s
    double largest_violation, largest_velocity_violation;
} record;

static bool keep_sample(void* user, cardan_data* data, const cardan_sample* sample)
{
    static const double when[4] = {1, 2, 5, 10};
    record*             w       = user;
    cardan_motion       m[4];
    double              rate;
    cardan_data_body_motions(data, NULL, m);
    const double violation = hypot(m[w->body].p[0] - 2, m[w->body].p[1]);
    cardan_data_constraint_violation(data, NULL, &rate);
    w->largest_violation          = fmax(w->largest_violation, violation);
    w->largest_velocity_violation = fmax(w->largest_velocity_violation, rate);
    for (int i = 0; i < 4; ++i)
        if (fabs(sample->t - when[i]) < 1e-9) w->violation[i] = violation;
    return true;
}

static record run_phantom(const char* formulation, const char* stabilization, double step)
{
    fixture f;
    record  w = {.body = 3};
    if (loop_open(&f, phantom_four_bar(), formulation)) {
        cardan_run_summary  summary;
        cardan_run_settings run = cardan_run_default();
        run.integrator          = cardan_integrator_find("rk4");
        run.stabilization       = cardan_stabilization_find(stabilization);
        run.end                 = 10;
        run.step                = step;
        run.output_interval     = 0.01;
        run.q                   = f.m.q_start;
        run.v                   = f.m.v_start;
        run.sample_callback     = keep_sample;
        run.user                = &w;
        CHECK(cardan_simulate(f.data, &run, &summary, &f.report) == CARDAN_OK);
        for (int i = 0; i < f.report.count; ++i) printf("%s\n", f.report.message[i].text);
    }
    fixture_close(&f);
    return w;
}

// Values of the specification: accelerations only 2.2e-5, 1.1e-4, 5.6e-4, 2.3e-3 and growing; velocities 3.5e-7,
// 2.2e-7, 1.1e-7, 2.6e-7 and bounded, there with the crank velocity kept, here with the least correction; projection:
// none.
static void test_drift(const char* formulation)
{
    static const double none[4] = {2.2e-5, 1.1e-4, 5.6e-4, 2.3e-3}, velocity[4] = {2.5e-7, 1.2e-7, 2.4e-7, 5.1e-7};
    const record        a = run_phantom(formulation, "none", 0.01), v = run_phantom(formulation, "velocity", 0.01),
                 p = run_phantom(formulation, "projection", 0.01);
    for (int i = 0; i < 4; ++i) {
        CHECK(fabs(a.violation[i] - none[i]) < 0.05 * none[i]);
        CHECK(fabs(v.violation[i] - velocity[i]) < 0.1 * velocity[i]);
        CHECK(p.violation[i] < 1e-11);
    }
    CHECK(v.largest_violation < 2e-6 && v.largest_velocity_violation < 2e-14);
    CHECK(a.largest_velocity_violation > 1e-5);
    // of order four in the step
    const record half = run_phantom(formulation, "velocity", 0.005);
    CHECK(half.largest_violation < v.largest_violation / 8 && half.largest_velocity_violation < 2e-14);
    if (test_broken)
        printf("    %s: violation %g, velocity violation %g, with half the step %g\n", formulation, v.largest_violation,
               v.largest_velocity_violation, half.largest_violation);
}

// ---- all integrators, formulations and types of constraints

typedef struct scene {
    const char*                     path;
    const cardan_parameter_setting* setting;
    double                          end;                // [s]
    bool                            has_redundant_rows; // spatial loops with redundant rows
} scene;

static const cardan_parameter_setting cells    = {"n", "3"};
static const scene                    scenes[] = {
                       {"models/four_bar", NULL, 2, false},
                       {"models/six_bar_moving", NULL, 1, true},
                       {"models/five_bar_redundant", NULL, 1, false},
                       {"models/stewart", NULL, 0.5, false},
                       {"models/rolling_disc", NULL, 1, false},
                       {"models/slider_crank", NULL, 1, false},
                       {"models/ladder", &cells, 1, true},
                       {"models/ladder_free", NULL, 0.5, true},
                       {"models/parallelogram", NULL, 1, false},
                       {"models/driven_slider", NULL, 1, false},
                       {"models/gear_pair", NULL, 1, false},
                       {"models/andrews_squeezer", NULL, 0.03, false},
};

enum { MAX_BODIES = 16 };

typedef struct velocity_record {
    double        rate, speed;
    cardan_motion last[MAX_BODIES];
} velocity_record;

static bool keep_velocity(void* user, cardan_data* data, const cardan_sample* sample)
{
    velocity_record* f = user;
    double           rate;
    cardan_data_constraint_violation(data, NULL, &rate);
    f->rate = fmax(f->rate, rate);
    cardan_data_body_motions(data, NULL, f->last);
    for (int i = 0; i < cardan_model_get_view(cardan_data_model(data)).nv; ++i)
        f->speed = fmax(f->speed, fabs(sample->v[i]));
    return true;
}

static cardan_run_settings run_scene(const scene* s, const char* integrator, const char* stabilization,
                                     velocity_record* w)
{
    cardan_run_settings run = cardan_run_default();
    run.integrator          = cardan_integrator_find(integrator);
    run.stabilization       = cardan_stabilization_find(stabilization);
    run.end                 = s->end;
    run.output_interval     = s->end / 50;
    run.sample_callback     = keep_velocity;
    run.user                = w;
    return run;
}

// The same motion as with projection; velocities to rounding.
static void test_scene(const scene* s, const char* formulation, const char* integrator)
{
    fixture         f, reference;
    velocity_record w = {.speed = 1}, p = {.speed = 1};
    const int       set = s->setting ? 1 : 0;
    if (fixture_open(&f, s->path, formulation, set, s->setting) &&
        fixture_open(&reference, s->path, "dense", set, s->setting)) {
        cardan_run_summary        summary, projected;
        const cardan_run_settings run   = run_scene(s, integrator, "velocity", &w),
                                  other = run_scene(s, "dopri5", "projection", &p);
        const int  nbody                = cardan_description_get_view(f.description).nbody;
        const bool adaptive             = cardan_integrator_is_adaptive(run.integrator);
        CHECK(nbody <= MAX_BODIES);
        CHECK(cardan_simulate(reference.data, &other, &projected, NULL) == CARDAN_OK);
        CHECK(cardan_simulate(f.data, &run, &summary, &f.report) == CARDAN_OK);
        for (int i = 0; i < f.report.count; ++i) printf("%s: %s\n", s->path, f.report.message[i].text);
        // rows that are redundant on the constraints contradict each other off them, in proportion to the drift
        CHECK(w.rate <= fmax(1e-13, s->has_redundant_rows ? 10 * summary.max_position_violation : 0) * w.speed);
        CHECK(!adaptive || summary.max_position_violation < 3e-7);
        for (int i = 0; i < nbody && adaptive; ++i)
            for (int k = 0; k < 3; ++k) {
                CHECK_NEAR(w.last[i].p[k], p.last[i].p[k], 2e-6);
                CHECK_NEAR(w.last[i].v[k], p.last[i].v[k], 2e-5);
                CHECK_NEAR(w.last[i].w[k], p.last[i].w[k], 2e-5);
            }
        if (test_broken)
            printf("    %s %s %s: violation %g, velocity violation %g, speed %g\n", s->path, formulation, integrator,
                   summary.max_position_violation, w.rate, w.speed);
    }
    fixture_close(&f);
    fixture_close(&reference);
}

static bool supports_loops(const char* formulation)
{
    fixture    f;
    const bool takes = fixture_open(&f, "models/four_bar", formulation, 0, NULL);
    fixture_close(&f);
    return takes;
}

int main(void)
{
    RUN(test_drift("dense"));
    RUN(test_drift("reduction"));
    RUN(test_drift("regularized"));
    for (int i = 0; i < cardan_formulation_count(); ++i) {
        const char* name = cardan_formulation_name(i);
        if (!cardan_formulation_is_exact(i) || !supports_loops(name)) continue;
        for (size_t s = 0; s < sizeof scenes / sizeof *scenes; ++s) RUN(test_scene(&scenes[s], name, "dopri5"));
        for (int k = 0; k < cardan_integrator_count(); ++k)
            if (!cardan_integrator_is_regularized(k) && !cardan_integrator_is_low_order(k))
                RUN(test_scene(&scenes[0], name, cardan_integrator_name(k)));
    }
    return test_end();
}
