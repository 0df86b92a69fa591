// SPDX-License-Identifier: BSD-3-Clause
// Every integrator of integrators.def on motions with an independent reference: fixed-step methods must show their
// order, adaptive ones an error proportional to the tolerance; quaternions keep unit length; energy and work balance. A
// new entry of integrators.def is tested without a change of this file.
#include "motion_models.h"

typedef struct problem {
    const char* name;
    void (*build)(rig* r);
    void (*rate)(const double* x, double* dx); // the same motion as first-order equations: x = [q, v, states]
    int n;
} problem;

static void build_pendulum(rig* r) { rig_add_pendulum(r, NULL, 1.2, 0.7); }

static void pendulum_rate(const double* x, double* dx)
{
    dx[0] = x[1];
    dx[1] = -gravity * sin(x[0]) / 1.5;
}

static void build_tumbler(rig* r) { rig_add_tumbler(r, (const double[]){0.3, 4, 0.2}); }

// Euler's equations for inertias 1, 2, 3 and q' = q (0, w) / 2
static void tumbler_rate(const double* x, double* dx)
{
    const double *q = x, *w = x + 4;
    dx[0] = -(q[1] * w[0] + q[2] * w[1] + q[3] * w[2]) / 2;
    dx[1] = (q[0] * w[0] + q[2] * w[2] - q[3] * w[1]) / 2;
    dx[2] = (q[0] * w[1] + q[3] * w[0] - q[1] * w[2]) / 2;
    dx[3] = (q[0] * w[2] + q[1] * w[1] - q[2] * w[0]) / 2;
    dx[4] = (2 - 3) * w[1] * w[2] / 1;
    dx[5] = (3 - 1) * w[2] * w[0] / 2;
    dx[6] = (1 - 2) * w[0] * w[1] / 3;
}

// A filter of the motion of a damped pendulum, and an independent oscillator.
static void build_states(rig* r)
{
    cardan_axis_properties axis = cardan_axis_properties_default();
    axis.damping                = 0.8;
    rig_add_pendulum(r, &axis, 1.2, 0.7);
    const int filter = rig_state(r, "filter", 0.5);
    const int swing  = rig_state(r, "swing", 1);
    cardan_description_set_state_rate(r->description, filter, rig_formula(r, "4*(q(hinge) - filter)"));
    cardan_description_set_state_rate(r->description, swing, rig_formula(r, "3*cos(3*t)*swing"));
}

static void states_rate(const double* x, double* dx)
{
    const double t = x[4];
    dx[0]          = x[1];
    dx[1]          = (-gravity * sin(x[0]) - 0.8 * x[1]) / 1.5;
    dx[2]          = 4 * (x[0] - x[2]);
    dx[3]          = 3 * cos(3 * t) * x[3];
    dx[4]          = 1;
}

// Thrown with rotation: the mass centre is in free fall, Euler's equations determine the rotation.
static void build_thrown(rig* r)
{
    cardan_body body = cardan_body_default("brick");
    body.mass        = 2;
    for (int i = 0; i < 3; ++i) body.inertia[i] = i + 1;
    const int    brick  = cardan_description_add_body(r->description, &body);
    cardan_joint joint  = cardan_joint_default("flight", "free", CARDAN_GROUND, brick);
    const double v[6]   = {3, 5, -1, 0.3, 4, 0.2};
    joint.start_v_given = true;
    memcpy(joint.start_v, v, sizeof v);
    cardan_description_add_joint(r->description, &joint);
}

static void thrown_rate(const double* x, double* dx)
{
    double rotation[7], rate[7];
    memcpy(rotation, x + 3, 4 * sizeof *x);
    memcpy(rotation + 4, x + 10, 3 * sizeof *x);
    tumbler_rate(rotation, rate);
    for (int i = 0; i < 3; ++i) {
        dx[i]      = x[7 + i];
        dx[7 + i]  = i == 1 ? -gravity : 0;
        dx[10 + i] = rate[4 + i];
    }
    memcpy(dx + 3, rate, 4 * sizeof *x);
}

static const problem problems[] = {
    {"pendulum", build_pendulum, pendulum_rate, 2},
    {"tumbling body", build_tumbler, tumbler_rate, 7},
    {"states", build_states, states_rate, 5},
    {"thrown body", build_thrown, thrown_rate, 13},
};

enum { PROBLEMS = sizeof problems / sizeof problems[0] };

static const double END = 1.5;

enum { MOST_INTEGRATORS = 32 };
static int compared[MOST_INTEGRATORS]; // runs of an integrator compared with the reference

// Reference: classical Runge-Kutta with 10,000 steps, exact to 1e-13.
static void solve_reference(const problem* p, double* x)
{
    const int    steps = 10000;
    const double h     = END / steps;
    double       k[4][16], y[16];
    for (int s = 0; s < steps; ++s) {
        p->rate(x, k[0]);
        for (int j = 1; j < 4; ++j) {
            for (int i = 0; i < p->n; ++i) y[i] = x[i] + (j < 3 ? h / 2 : h) * k[j - 1][i];
            p->rate(y, k[j]);
        }
        for (int i = 0; i < p->n; ++i) x[i] += h / 6 * (k[0][i] + 2 * k[1][i] + 2 * k[2][i] + k[3][i]);
    }
}

// Largest difference of coordinates (tangent space), velocities and states to the reference.
static double distance(const rig* r, const final_sample* f, const double* x)
{
    double dq[16], largest = 0;
    cardan_model_position_difference(r->model, f->q, x, dq);
    for (int i = 0; i < f->nv; ++i) largest = fmax(largest, fmax(fabs(dq[i]), fabs(f->v[i] - x[f->nq + i])));
    for (int i = 0; i < f->ns; ++i) largest = fmax(largest, fabs(f->state[i] - x[f->nq + f->nv + i]));
    return largest;
}

static double error_of(rig* r, const problem* p, const cardan_run_settings* run, cardan_run_summary* summary)
{
    const cardan_model_view view  = cardan_model_get_view(r->model);
    double                  x[16] = {0};
    memcpy(x, view.q_start, (size_t)view.nq * sizeof *x);
    memcpy(x + view.nq, view.v_start, (size_t)view.nv * sizeof *x);
    if (view.nstate) memcpy(x + view.nq + view.nv, view.state_start, (size_t)view.nstate * sizeof *x);
    solve_reference(p, x);

    final_sample        last = {0};
    cardan_run_settings own  = *run;
    own.sample_callback      = keep_final;
    own.user                 = &last;
    CHECK(cardan_simulate(r->data, &own, summary, &r->report) == CARDAN_OK);
    CHECK(last.t == END);
    ++compared[run->integrator];
    return distance(r, &last, x);
}

static cardan_run_settings run_of(int integrator)
{
    cardan_run_settings run = cardan_run_default();
    run.integrator          = integrator;
    run.end                 = END;
    run.output_interval     = 0.1;
    return run;
}

// error(h) / error(h/2) = 2^order
static void test_order(int integrator, const problem* p)
{
    rig r = rig_begin(p->name);
    p->build(&r);
    rig_end(&r);
    const int           order = cardan_integrator_order(integrator);
    cardan_run_settings run   = run_of(integrator);
    cardan_run_summary  summary;
    run.step            = order > 2 ? 0.02 : 0.002;
    const double coarse = error_of(&r, p, &run, &summary);
    run.step /= 2;
    const double fine = error_of(&r, p, &run, &summary);
    const double seen = log2(coarse / fine);
    if (fabs(seen - order) > 0.25) printf("%s, %s: order %.2f\n", cardan_integrator_name(integrator), p->name, seen);
    CHECK(fabs(seen - order) <= 0.25);
    rig_free(&r);
}

// The error is at most a hundred tolerances, and decreases with the tolerance.
static void test_tolerance(int integrator, const problem* p)
{
    rig r = rig_begin(p->name);
    p->build(&r);
    rig_end(&r);
    cardan_run_settings run = run_of(integrator);
    cardan_run_summary  summary;
    double              error[4];
    for (int i = 0; i < 4; ++i) {
        run.tolerance = pow(10, -4 - 2 * i);
        error[i]      = error_of(&r, p, &run, &summary);
        if (!(error[i] <= 100 * run.tolerance))
            printf("%s, %s: error %.2g for %.0e\n", cardan_integrator_name(integrator), p->name, error[i],
                   run.tolerance);
        CHECK(error[i] <= 100 * run.tolerance);
        CHECK(i == 0 || error[i] < error[i - 1]);
    }
    CHECK(error[3] < 2e-3 * error[1]);
    CHECK(error[3] < 1e-3 * error[0]);
    rig_free(&r);
}

static bool check_unit(void* user, cardan_data* data, const cardan_sample* sample)
{
    (void)data;
    const double* q       = sample->q;
    double*       largest = user;
    *largest              = fmax(*largest, fabs(q[0] * q[0] + q[1] * q[1] + q[2] * q[2] + q[3] * q[3] - 1));
    return true;
}

// After sixteen revolutions the quaternion has unit length.
static void test_quaternion(int integrator)
{
    rig r = rig_begin("tumbler");
    rig_add_tumbler(&r, (const double[]){0.01, 10, 0.01});
    rig_end(&r);
    cardan_run_settings run = run_of(integrator);
    run.end                 = 10;
    run.step                = cardan_integrator_order(integrator) == 1 ? 1e-4 : 1e-3;
    double largest          = 0;
    run.sample_callback     = check_unit;
    run.user                = &largest;
    cardan_run_summary summary;
    CHECK(cardan_simulate(r.data, &run, &summary, &r.report) == CARDAN_OK);
    CHECK(summary.samples == 101);
    CHECK(largest < 1e-14);
    rig_free(&r);
}

// E - E_start - W stays small with a damper.
static void test_balance(int integrator)
{
    rig r = rig_begin("damped");
    build_states(&r);
    rig_end(&r);
    cardan_run_settings run = run_of(integrator);
    run.step                = 1e-4;
    run.tolerance           = 1e-8;
    cardan_run_summary summary;
    CHECK(cardan_simulate(r.data, &run, &summary, &r.report) == CARDAN_OK);
    CHECK(summary.energy_end < summary.energy_start - 1);
    CHECK(summary.energy_error < (cardan_integrator_order(integrator) == 1 ? 1e-2 : 1e-6));
    CHECK(summary.energy_error > 0);
    rig_free(&r);
}

static void test_names(int integrator)
{
    CHECK(cardan_integrator_find(cardan_integrator_name(integrator)) == integrator);
    CHECK(strlen(cardan_integrator_summary(integrator)) > 10);
    CHECK(strlen(cardan_integrator_citation(integrator)) > 10);
    CHECK(cardan_integrator_is_adaptive(integrator) == (cardan_integrator_order(integrator) == 0));
}

// Four problems each: two steps, or four tolerances.
static void test_comparisons(void)
{
    CHECK(cardan_integrator_count() >= 12 && cardan_integrator_count() <= MOST_INTEGRATORS);
    for (int i = 0; i < cardan_integrator_count(); ++i)
        CHECK(compared[i] == (cardan_integrator_is_adaptive(i) ? 4 : 2) * PROBLEMS);
}

int main(void)
{
    for (int i = 0; i < cardan_integrator_count(); ++i) {
        RUN(test_names(i));
        for (int p = 0; p < PROBLEMS; ++p) {
            if (cardan_integrator_is_adaptive(i))
                RUN(test_tolerance(i, &problems[p]));
            else
                RUN(test_order(i, &problems[p]));
        }
        RUN(test_quaternion(i));
        RUN(test_balance(i));
    }
    RUN(test_comparisons());
    CHECK(cardan_integrator_find("leapfrog") == CARDAN_NONE);
    return test_end();
}
