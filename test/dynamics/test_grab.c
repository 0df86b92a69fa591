// SPDX-License-Identifier: BSD-3-Clause
// Grab of a point: its force, the values that are chosen, its part in accelerations, reactions and exact derivatives,
// and the energy balance over twelve decades of mass with explicit and implicit integrators.
#include "fixture.h"

enum { MAX = 64 };

static bool open(fixture* f, const char* path, const char* formulation)
{
    const bool good = fixture_open(f, path, formulation, 0, NULL) &&
                      cardan_data_assemble(f->data, NULL, NULL, NULL, NULL, &f->report) == CARDAN_OK;
    CHECK(good);
    return good;
}

// Position of a point of a body in the world, by a grab without force.
static void position(cardan_data* d, int body, const double point[3], double p[3])
{
    cardan_grab g = {.body = body, .stiffness = 1, .damping = 1, .max_force = INFINITY};
    memcpy(g.point, point, sizeof g.point);
    CHECK(cardan_data_grab(d, &g, NULL) == CARDAN_OK);
    CHECK(cardan_data_grab_force(d, 0, NULL, p) == CARDAN_OK);
    CHECK(cardan_data_grab(d, NULL, NULL) == CARDAN_OK);
}

// A grab with its target off the point by (0.2, -0.1, 0.15).
static cardan_grab grab_at(cardan_data* d, int body)
{
    cardan_grab g = {.body = body, .point = {0.1, 0.05, -0.02}, .target_rate = {0.3, -0.2, 0.1}};
    position(d, body, g.point, g.target);
    g.target[0] += 0.2, g.target[1] -= 0.1, g.target[2] += 0.15;
    return g;
}

static double norm(const double f[3]) { return sqrt(f[0] * f[0] + f[1] * f[1] + f[2] * f[2]); }

// Force by the formula, limit, chosen values, release.
static void test_force(void)
{
    fixture f;
    double  F[3], p[3], W[9];
    if (!open(&f, "models/pendulum", "order-n")) return;
    cardan_grab g = grab_at(f.data, 0), given;
    position(f.data, 0, g.point, p);
    g.stiffness = 100, g.damping = 7, g.max_force = INFINITY;
    double q[4] = {0}, v[4] = {0};
    cardan_data_joint_motions(f.data, NULL, q, v, NULL);
    v[0] = 0;
    CHECK(cardan_data_set_state(f.data, 0, q, v, NULL) == CARDAN_OK);
    CHECK(cardan_data_grab(f.data, &g, NULL) == CARDAN_OK);
    CHECK(cardan_data_grab_force(f.data, 0, F, NULL) == CARDAN_OK);
    for (int i = 0; i < 3; ++i) CHECK_NEAR(F[i], 100 * (g.target[i] - p[i]) + 7 * g.target_rate[i], 1e-12);
    CHECK(cardan_data_set_state(f.data, 0.5, q, v, NULL) == CARDAN_OK); // the target moves on
    CHECK(cardan_data_grab_force(f.data, 0, F, NULL) == CARDAN_OK);
    for (int i = 0; i < 3; ++i)
        CHECK_NEAR(F[i], 100 * (g.target[i] + 0.5 * g.target_rate[i] - p[i]) + 7 * g.target_rate[i], 1e-12);
    CHECK(cardan_data_set_state(f.data, 0, q, v, NULL) == CARDAN_OK);

    // the limit: |F| < max_force, monotonic, nearly exact at half of it
    double last = 0;
    for (double k = 1; k < 1e9; k *= 3) {
        g.stiffness = k, g.damping = 1e-9, g.max_force = 5;
        CHECK(cardan_data_grab(f.data, &g, NULL) == CARDAN_OK &&
              cardan_data_grab_force(f.data, 0, F, NULL) == CARDAN_OK);
        CHECK(norm(F) <= 5 * (1 + 1e-12) && norm(F) >= last * (1 - 1e-12));
        const double free = k * norm((const double[]){0.2, -0.1, 0.15});
        if (free < 2.5) CHECK(norm(F) > 0.984 * free);
        last = norm(F);
    }
    CHECK_NEAR(last, 5, 1e-9);

    // chosen values: the mass shown where the point moves most easily, a frequency of 2.5 Hz, critical damping
    g.stiffness = g.damping = g.max_force = 0;
    CHECK(cardan_data_grab(f.data, &g, NULL) == CARDAN_OK && cardan_data_get_grab(f.data, 0, &given));
    CHECK(cardan_point_mobility(f.data, 0, g.point, W, NULL) == CARDAN_OK);
    const double trace = W[0] + W[4] + W[8], w = 2 * 3.14159265358979323846 * 2.5; // W of a pendulum has rank 1
    CHECK_NEAR(given.stiffness, w * w / trace, 1e-10);
    CHECK_NEAR(given.damping, 2 * w / trace, 1e-10);
    CHECK_NEAR(given.max_force / (20 * 9.81 * cardan_description_get_view(f.description).body[0].mass), 1, 1e-3);
    for (int i = 0; i < 3; ++i) CHECK_NEAR(given.point[i], g.point[i], 1e-14);

    const unsigned long revision = cardan_data_input_revision(f.data);
    CHECK(cardan_data_grab(f.data, NULL, NULL) == CARDAN_OK);
    CHECK(cardan_data_input_revision(f.data) != revision);
    CHECK(!cardan_data_get_grab(f.data, 0, &given));
    CHECK(cardan_data_grab_force(f.data, 0, F, p) == CARDAN_OK && norm(F) == 0);
    fixture_close(&f);
}

// The grab acts like an external wrench of the same force: accelerations, reactions, power; with every formulation.
static void test_acts_like_wrench(const char* path)
{
    for (int k = 0; k < cardan_formulation_count(); ++k) {
        fixture         f;
        double          a[MAX], b[MAX], F[3], p[3], wrench[MAX][6] = {{0}};
        cardan_motion   motion[MAX];
        cardan_reaction grabbed[MAX], loaded[MAX];
        if (!fixture_open(&f, path, cardan_formulation_name(k), 0, NULL)) {
            fixture_close(&f);
            continue;
        }
        CHECK(cardan_data_assemble(f.data, NULL, NULL, NULL, NULL, &f.report) == CARDAN_OK);
        const int         body = f.m.nbody - 1;
        const cardan_grab g    = grab_at(f.data, body);
        CHECK(cardan_data_grab(f.data, &g, NULL) == CARDAN_OK);
        CHECK(cardan_data_accelerate(f.data, a, NULL, &f.report) == CARDAN_OK);
        CHECK(cardan_data_reactions(f.data, a, grabbed) == CARDAN_OK);
        const double power = cardan_data_energy(f.data).power;
        CHECK(cardan_data_residual_norm(f.data, a) < 1e-8 || f.m.nconstraint > 0);
        cardan_data_grab_force(f.data, 0, F, p);
        CHECK(norm(F) > 0);
        CHECK(cardan_data_grab(f.data, NULL, NULL) == CARDAN_OK);
        cardan_data_body_motions(f.data, NULL, motion);
        const double* c = motion[body].p;
        for (int i = 0; i < 3; ++i) {
            const int j = (i + 1) % 3, l = (i + 2) % 3;
            wrench[body][i]     = (p[j] - c[j]) * F[l] - (p[l] - c[l]) * F[j];
            wrench[body][3 + i] = F[i];
        }
        CHECK(cardan_data_set_external_forces(f.data, NULL, (const double(*)[6])wrench) == CARDAN_OK);
        CHECK(cardan_data_accelerate(f.data, b, NULL, &f.report) == CARDAN_OK);
        CHECK(cardan_data_reactions(f.data, b, loaded) == CARDAN_OK);
        double size = 1, force = norm(F);
        for (int i = 0; i < f.m.nv; ++i) size = fmax(size, fabs(b[i]));
        for (int i = 0; i < f.m.nv; ++i) CHECK(fabs(a[i] - b[i]) <= 1e-9 * size);
        for (int j = 0; j < f.m.njoint; ++j)
            for (int i = 0; i < 3; ++i) {
                force = fmax(force, fabs(loaded[j].force[i]));
                CHECK(fabs(grabbed[j].force[i] - loaded[j].force[i]) <= 1e-8 * force);
                CHECK(fabs(grabbed[j].torque[i] - loaded[j].torque[i]) <= 1e-8 * force);
            }
        CHECK_NEAR(power, cardan_data_energy(f.data).power, 1e-9 * fmax(1, size));
        fixture_close(&f);
    }
}

// Exact derivatives of inverse dynamics against central differences, also near the limit of the force.
static void test_derivatives(const char* path, const char* formulation, double max_force)
{
    fixture             f;
    cardan_derivatives* w = NULL;
    static double       by_q[MAX * MAX], by_v[MAX * MAX];
    double              q[MAX], v[MAX], a[MAX], lo[MAX], hi[MAX], dq[MAX] = {0}, x[MAX];
    if (!open(&f, path, formulation)) return;
    const int   nv = f.m.nv;
    cardan_grab g  = grab_at(f.data, f.m.nbody - 1);
    g.max_force    = max_force;
    CHECK(cardan_data_grab(f.data, &g, NULL) == CARDAN_OK);
    memcpy(q, f.m.q_start, (size_t)f.m.nq * sizeof *q);
    for (int i = 0; i < nv; ++i) v[i] = 0.3 * cos(i + 1.0), a[i] = sin(3.0 * i);
    CHECK(cardan_derivatives_create(f.data, &w, &f.report) == CARDAN_OK);
    CHECK(cardan_data_set_state(f.data, 0.2, q, v, NULL) == CARDAN_OK);
    cardan_inverse_dynamics_jacobians jacobians = {.q = by_q, .v = by_v};
    CHECK(cardan_derivatives_of_inverse_dynamics(w, a, NULL, &jacobians, &f.report) == CARDAN_OK);
    double size = 1;
    for (int i = 0; i < nv * nv; ++i) size = fmax(size, fmax(fabs(by_q[i]), fabs(by_v[i])));
    for (int c = 0; c < nv; ++c)
        for (int level = 0; level < 2; ++level) {
            const double h = 1e-5;
            for (int side = -1; side <= 1; side += 2) {
                memcpy(x, v, sizeof x);
                if (level == 1) x[c] += side * h;
                dq[c] = level == 0 ? side * h : 0;
                double moved[MAX];
                CHECK(cardan_model_integrate_position(f.model, q, dq, moved) == CARDAN_OK);
                CHECK(cardan_data_set_state(f.data, 0.2, moved, x, NULL) == CARDAN_OK);
                CHECK(cardan_data_inverse_dynamics(f.data, a, side < 0 ? lo : hi) == CARDAN_OK);
            }
            dq[c] = 0;
            for (int r = 0; r < nv; ++r) {
                const double expected = (hi[r] - lo[r]) / (2 * h), found = (level == 0 ? by_q : by_v)[r * nv + c];
                CHECK(fabs(found - expected) <= 2e-8 * size);
            }
        }
    cardan_derivatives_destroy(w);
    fixture_close(&f);
}

// ---- energy

#define SCALED                                                                                                         \
    "cardan: 1\n"                                                                                                      \
    "name: grabbed\n"                                                                                                  \
    "parameters: {m: 1}\n"                                                                                             \
    "gravity: [0, -9.81, 0]\n"                                                                                         \
    "points: {A: [0, 0, 0], B: [0.3, 0.4, 0], C: [1.5, 1.2, 0], D: [1.4, 0, 0]}\n"                                     \
    "bodies:\n"                                                                                                        \
    "  crank:   {rod: [A, B], mass: =m}\n"                                                                             \
    "  coupler: {rod: [B, C], mass: =2*m}\n"                                                                           \
    "  rocker:  {rod: [C, D], mass: =1.5*m}\n"                                                                         \
    "joints:\n"                                                                                                        \
    "  a: {revolute: [ground, crank], at: A, axis: z}\n"                                                               \
    "  b: {revolute: [crank, coupler], at: B, axis: z}\n"                                                              \
    "  c: {revolute: [coupler, rocker], at: C, axis: z}\n"                                                             \
    "  d: {revolute: [ground, rocker], at: D, axis: z}\n"

typedef struct outcome {
    double q, error, work, force;
} outcome;

static bool keep_last(void* user, cardan_data* data, const cardan_sample* sample)
{
    outcome* x = user;
    double   F[3], q[8], v[8];
    cardan_data_grab_force(data, 0, F, NULL);
    cardan_data_joint_state(data, 0, q, v);
    x->q     = q[0];
    x->work  = sample->work;
    x->force = fmax(x->force, norm(F));
    return true;
}

static outcome run_grab(const char* mass, const char* formulation, const char* integrator, double step)
{
    cardan_description*            description = NULL;
    cardan_model*                  model       = NULL;
    cardan_data*                   data        = NULL;
    cardan_report                  report      = {0};
    outcome                        x           = {0};
    cardan_run_summary             summary     = {0};
    const cardan_parameter_setting setting     = {"m", mass};
    cardan_load_options            options     = cardan_load_options_default();
    options.nsetting                           = 1;
    options.setting                            = &setting;
    const int index                            = cardan_formulation_find(formulation);
    CHECK(cardan_description_load_text(SCALED, "grabbed.yaml", &options, &description, &report) == CARDAN_OK);
    CHECK(cardan_model_compile(description, cardan_formulation_tree_policy(index), &model, &report) == CARDAN_OK);
    CHECK(cardan_data_create(model, index, &data, &report) == CARDAN_OK);
    const cardan_grab g = {.body = 1, .point = {0.1, 0, 0}, .target = {0.9, 1.6, 0.2}, .target_rate = {0.4, -0.5, 0}};
    CHECK(cardan_data_grab(data, &g, &report) == CARDAN_OK);
    cardan_run_settings run    = cardan_run_default();
    run.end                    = 1;
    run.integrator             = cardan_integrator_find(integrator);
    run.step                   = step;
    run.tolerance              = cardan_integrator_is_low_order(run.integrator) ? 1e-6 : 1e-10;
    run.sample_callback        = keep_last;
    run.user                   = &x;
    const cardan_status status = cardan_simulate(data, &run, &summary, &report);
    if (status != CARDAN_OK)
        for (int i = 0; i < report.count; ++i) printf("%s: %s\n", integrator, report.message[i].text);
    CHECK(status == CARDAN_OK);
    x.error = summary.energy_error;
    cardan_data_destroy(data);
    cardan_model_destroy(model);
    cardan_description_destroy(description);
    return x;
}

// The motion does not depend on the mass, and the work is proportional to it.
static void test_energy_over_masses(void)
{
    static const char* const masses[] = {"1e-6", "1e-4", "1e-2", "1", "1e2", "1e4", "1e6"};
    const outcome            unit     = run_grab("1", "order-n", "dopri5", 0);
    CHECK(fabs(unit.work) > 0.1);
    for (int i = 0; i < (int)(sizeof masses / sizeof *masses); ++i) {
        const outcome x = run_grab(masses[i], "order-n", "dopri5", 0);
        const double  m = strtod(masses[i], NULL);
        CHECK(x.error < 1e-8);
        CHECK_NEAR(x.q, unit.q, 1e-7);
        CHECK_NEAR(x.work / m, unit.work, 1e-6);
        CHECK_NEAR(x.force / m, unit.force, 1e-6);
        if (x.error >= 1e-8) printf("mass %s: energy error %g\n", masses[i], x.error);
    }
}

// Explicit and implicit integrators agree.
static void test_integrators(void)
{
    static const struct {
        const char *integrator, *formulation;
        double      step, q_error, energy_error;
    } cases[] = {
        {"rk4", "augmented", 1e-3, 1e-7, 1e-7},
        {"cvode-adams", "lagrange", 0, 1e-6, 1e-6},
        {"cvode-bdf", "order-n", 0, 1e-6, 1e-6},
        {"cvode-bdf", "lagrange", 0, 1e-6, 1e-6},
        {"ida", "order-n", 0, 1e-5, 1e-5},
        {"ida", "lagrange", 0, 1e-5, 1e-5},
        {"generalized-alpha", "order-n", 1e-3, 1e-4, 1e-3},
        {"generalized-alpha", "lagrange", 1e-3, 1e-4, 1e-3},
        {"hht", "reduction", 1e-3, 1e-3, 1e-2},
    };
    const outcome exact = run_grab("1", "embedding", "dopri5", 0);
    for (int i = 0; i < (int)(sizeof cases / sizeof *cases); ++i)
        for (int mass = i % 2; mass < (cases[i].step > 0 ? i % 2 + 1 : 2); ++mass) {
            const outcome x = run_grab(mass ? "1e-6" : "1e6", cases[i].formulation, cases[i].integrator, cases[i].step);
            const bool    good = fabs(x.q - exact.q) <= cases[i].q_error && x.error <= cases[i].energy_error;
            if (!good)
                printf("%s, %s: q off by %g, energy error %g\n", cases[i].integrator, cases[i].formulation,
                       x.q - exact.q, x.error);
            CHECK(good);
        }
}

// Many bodies in maximal coordinates: sparse Jacobians.
static void test_sparse_jacobian(void)
{
    double q[2] = {0};
    for (int k = 0; k < 2; ++k) {
        const cardan_parameter_setting setting = {"N", "12"};
        const cardan_grab              g       = {.body = 3, .point = {0, 0.1, 0}, .target = {4, 1.5, 0}};
        fixture                        f;
        outcome                        x       = {0};
        cardan_run_summary             summary = {0};
        if (!fixture_open(&f, "models/n_four_bar", k ? "lagrange" : "order-n", 1, &setting)) return;
        CHECK(cardan_data_grab(f.data, &g, &f.report) == CARDAN_OK);
        cardan_run_settings run = cardan_run_default();
        run.end                 = 0.5;
        run.integrator          = cardan_integrator_find(k ? "ida" : "dopri5");
        run.sample_callback     = keep_last;
        run.user                = &x;
        CHECK(cardan_simulate(f.data, &run, &summary, &f.report) == CARDAN_OK);
        CHECK(summary.energy_error < 1e-5);
        q[k] = x.q;
        fixture_close(&f);
    }
    CHECK_NEAR(q[0], q[1], 1e-5);
}

// ---- arguments

// Forces of several grabs add up; a slot is released without a change of the others.
static void test_slots(void)
{
    fixture     f;
    double      a[4][MAX], F[3];
    cardan_grab given;
    if (!open(&f, "models/double_pendulum", "order-n")) return;
    const cardan_grab first  = grab_at(f.data, 0);
    cardan_grab       second = grab_at(f.data, 1);
    second.slot              = CARDAN_GRABS_MAX - 1;
    for (int i = 0; i < 4; ++i) { // bit 0: first grab, bit 1: second
        CHECK(cardan_data_grab(f.data, NULL, NULL) == CARDAN_OK);
        if (i & 1) CHECK(cardan_data_grab(f.data, &first, NULL) == CARDAN_OK);
        if (i & 2) CHECK(cardan_data_grab(f.data, &second, NULL) == CARDAN_OK);
        CHECK(cardan_data_accelerate(f.data, a[i], NULL, NULL) == CARDAN_OK);
    }
    for (int i = 0; i < f.m.nv; ++i) {
        CHECK(a[1][i] != a[0][i] && a[2][i] != a[0][i]);
        CHECK_NEAR(a[3][i], a[1][i] + a[2][i] - a[0][i], 1e-9 * (1 + fabs(a[3][i])));
    }
    const unsigned long revision = cardan_data_input_revision(f.data);
    CHECK(cardan_data_release_grab(f.data, 3, NULL) == CARDAN_OK && cardan_data_input_revision(f.data) == revision);
    CHECK(cardan_data_release_grab(f.data, 0, NULL) == CARDAN_OK && cardan_data_input_revision(f.data) > revision);
    CHECK(!cardan_data_get_grab(f.data, 0, &given) && cardan_data_get_grab(f.data, second.slot, &given));
    CHECK(given.slot == second.slot && given.body == 1);
    CHECK(cardan_data_grab_force(f.data, 0, F, NULL) == CARDAN_OK && norm(F) == 0);
    CHECK(cardan_data_accelerate(f.data, a[1], NULL, NULL) == CARDAN_OK && a[1][0] == a[2][0] && a[1][1] == a[2][1]);
    CHECK(cardan_data_release_grab(f.data, CARDAN_GRABS_MAX, NULL) == CARDAN_BAD_USAGE);
    CHECK(cardan_data_release_grab(NULL, 0, NULL) == CARDAN_BAD_USAGE);
    CHECK(cardan_data_grab_force(f.data, -1, F, NULL) == CARDAN_BAD_USAGE);
    fixture_close(&f);
}

static void test_arguments(void)
{
    fixture f;
    if (!open(&f, "models/four_bar", "order-n")) return;
    const cardan_grab good = {.body = 0};
    CHECK(cardan_data_grab(f.data, &good, &f.report) == CARDAN_OK);
    const unsigned long revision = cardan_data_input_revision(f.data);
    cardan_grab         g        = good;
    CHECK(cardan_data_grab(NULL, &good, &f.report) == CARDAN_BAD_USAGE);
    g.body = -1;
    CHECK(cardan_data_grab(f.data, &g, &f.report) == CARDAN_BAD_USAGE);
    g.body = f.m.nbody;
    CHECK(cardan_data_grab(f.data, &g, &f.report) == CARDAN_BAD_USAGE);
    double* const member[] = {g.point, g.target + 1, g.target_rate + 2, &g.stiffness, &g.damping, &g.max_force};
    for (int i = 0; i < 6; ++i) {
        g          = good;
        *member[i] = NAN;
        CHECK(cardan_data_grab(f.data, &g, &f.report) == CARDAN_BAD_USAGE);
        *member[i] = i < 3 ? INFINITY : -1;
        CHECK(cardan_data_grab(f.data, &g, &f.report) == CARDAN_BAD_USAGE);
    }
    CHECK(cardan_data_input_revision(f.data) == revision); // without a change
    CHECK(cardan_data_grab_force(NULL, 0, NULL, NULL) == CARDAN_BAD_USAGE);
    CHECK(!cardan_data_get_grab(NULL, 0, &g) && !cardan_data_get_grab(f.data, 0, NULL));
    CHECK(cardan_data_input_revision(NULL) == 0);
    fixture_close(&f);
}

int main(void)
{
    RUN(test_force());
    RUN(test_acts_like_wrench("models/double_pendulum"));
    RUN(test_acts_like_wrench("models/four_bar"));
    RUN(test_acts_like_wrench("models/free_body"));
    RUN(test_derivatives("models/double_pendulum", "order-n", INFINITY));
    RUN(test_derivatives("models/double_pendulum", "order-n", 1));
    RUN(test_derivatives("models/puma560", "cholesky", 0));
    RUN(test_derivatives("models/free_body", "order-n", 2));
    RUN(test_derivatives("models/four_bar", "order-n", 5));
    RUN(test_derivatives("models/four_bar", "lagrange", 5));
    RUN(test_energy_over_masses());
    RUN(test_integrators());
    RUN(test_sparse_jacobian());
    RUN(test_slots());
    RUN(test_arguments());
    return test_end();
}
