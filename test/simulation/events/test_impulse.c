// SPDX-License-Identifier: BSD-3-Clause
// Impulses against the balance of momentum: two masses that a coupler joins have the velocity of their common mass
// centre afterwards; a driver changes the velocity of its own mass and, through the coupling, of others.
#include "prepared_run.h"

#include "simulation/events/impulse.h"

static const char* const coupled = "cardan: 1\nname: coupled\ngravity: [0, 0, 0]\n"
                                   "bodies: {a: {mass: 2, at: [0, 0, 0]}, b: {mass: 3, at: [0, 1, 0]}}\n"
                                   "joints:\n"
                                   "  a: {prismatic: [ground, a], at: [0, 0, 0], axis: x}\n"
                                   "  b: {prismatic: [ground, b], at: [0, 1, 0], axis: x}\n"
                                   "constraints: {bar: {coupler: [a, b], factors: [1, %g]}}\n";

// Factors 1, -n: v_a = n v_b afterwards. M (v+ - v-) = J'p gives v_b = (n m_a v_a + m_b v_b) / (n^2 m_a + m_b).
static void test_coupled(const char* formulation, double n, double va, double vb)
{
    char         text[1024];
    prepared_run r;
    snprintf(text, sizeof text, coupled, -n);
    if (run_prepare(&r, describe_text(text), formulation, "dopri5", 1)) {
        cd_ode_system* system = run_system(&r);
        cd_ode_state*  x      = run_state(&r);
        const int      a = cardan_model_get_view(r.model).tree_range[0].v, b = 1 - a;
        double         gain = NAN;
        x->t                = 0.25;
        for (int i = 0; i < system->nq; ++i) x->q[i] = 0;
        x->z[a]              = va;
        x->z[b]              = vb;
        x->z[system->nz - 1] = 7; // work so far
        CHECK(cd_apply_impulse(system, x, &gain, &r.report) == CARDAN_OK);
        const double v = (2 * n * va + 3 * vb) / (2 * n * n + 3);
        CHECK_NEAR(x->z[a], n * v, 1e-14);
        CHECK_NEAR(x->z[b], v, 1e-14);
        CHECK_NEAR(x->q[a], 0, 1e-15);
        CHECK_NEAR(gain, (2 * n * n + 3) * v * v / 2 - (2 * va * va + 3 * vb * vb) / 2, 1e-13);
        CHECK(gain <= 1e-14);
        CHECK_NEAR(x->z[system->nz - 1], 7 + gain, 1e-14);
        CHECK(x->t == 0.25);
    }
    run_close(&r);
}

// The rate of the driver jumps from -1 to 1 at t = 0.4: at x, behind it, the driven mass of 2 kg moves at 1 and takes
// the other one, which is coupled to it, along. The driver does the work of the change of energy.
static void test_driver(double v_before)
{
    prepared_run r;
    if (run_prepare(&r,
                    describe_text("cardan: 1\nname: driven\ngravity: [0, 0, 0]\n"
                                  "bodies: {a: {mass: 2, at: [0, 0, 0]}, b: {mass: 3, at: [0, 1, 0]}}\n"
                                  "joints:\n"
                                  "  a: {prismatic: [ground, a], at: [0, 0, 0], axis: x, driver: \"=abs(t - 0.4)\"}\n"
                                  "  b: {prismatic: [ground, b], at: [0, 1, 0], axis: x}\n"
                                  "constraints: {bar: {coupler: [a, b], factors: [1, 2]}}\n"),
                    "dense", "dopri5", 1)) {
        cd_ode_system* system = run_system(&r);
        cd_ode_state*  x      = run_state(&r);
        const int      a = cardan_model_get_view(r.model).tree_range[0].v, b = 1 - a;
        double         gain = NAN;
        x->t                = nextafter(0.4, 1);
        x->q[a] = x->q[b]    = 0;
        x->z[a]              = v_before;
        x->z[b]              = -v_before / 2;
        x->z[system->nz - 1] = 0;
        CHECK(cd_apply_impulse(system, x, &gain, &r.report) == CARDAN_OK);
        CHECK_NEAR(x->z[a], 1, 1e-14);
        CHECK_NEAR(x->z[b], -0.5, 1e-14);
        CHECK_NEAR(gain, (1 - v_before * v_before) * (2 + 3 * 0.25) / 2, 1e-14);
        CHECK_NEAR(x->z[system->nz - 1], gain, 0);
    }
    run_close(&r);
}

// A rod of 1 m and 6 kg along x with the velocity (0, 2) is caught at its left end. The angular momentum about that end
// is constant.
static void test_caught_rod(const char* formulation)
{
    prepared_run r;
    if (run_prepare(&r,
                    describe_text("cardan: 1\nname: caught\ngravity: [0, 0, 0]\n"
                                  "bodies: {rod: {mass: 6, inertia: [1, 0.5, 0.5], at: [0, 0, 0]}}\n"
                                  "joints: {plane: {planar: [ground, rod], at: [0, 0, 0], axis: z}}\n"
                                  "constraints: {hold: {point_on_line: [{on: rod, at: [-0.5, 0, 0]}, "
                                  "{on: ground, at: [-0.5, 0, 0]}]}}\n"),
                    formulation, "dopri5", 1)) {
        cd_ode_system* system = run_system(&r);
        cd_ode_state*  x      = run_state(&r);
        double         gain   = NAN, q[4], v[4];
        x->t                  = 0;
        for (int i = 0; i < system->nq; ++i) x->q[i] = 0;
        for (int i = 0; i < system->nz; ++i) x->z[i] = 0;
        x->z[cardan_model_get_view(r.model).tree_range[0].v + 1] = 2;
        CHECK(cd_apply_impulse(system, x, &gain, &r.report) == CARDAN_OK);
        const double w = 6 * 2 * 0.5 / (0.5 + 6 * 0.25);
        CHECK(cardan_data_joint_state(r.data, 0, q, v) == CARDAN_OK);
        CHECK_NEAR(v[0], 0, 1e-14);
        CHECK_NEAR(v[1], w / 2, 1e-14);
        CHECK_NEAR(v[2], w, 1e-14);
        CHECK_NEAR(gain, (0.5 + 6 * 0.25) * w * w / 2 - 6 * 4 / 2.0, 1e-13);
    }
    run_close(&r);
}

int main(void)
{
    RUN(test_coupled("dense", 1, 4, 0));
    RUN(test_coupled("order-n", 1, -1, 5));
    RUN(test_coupled("reduction", 2, 3, -1));
    RUN(test_coupled("augmented", -0.5, 1, 1));
    RUN(test_coupled("embedding", 1, 2, 2)); // no change
    RUN(test_driver(-1));
    RUN(test_driver(-3));
    RUN(test_caught_rod("dense"));
    RUN(test_caught_rod("reduction"));
    return test_end();
}
