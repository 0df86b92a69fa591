// SPDX-License-Identifier: BSD-3-Clause
// Error scales: the components of one velocity vector share the magnitude of the vector, so that the steps of a body on
// a circle do not depend on its position on the circle.
#include "fixture.h"
#include "test.h"

#include "dynamics/data.h"
#include "simulation/ode/state_vector.h"
#include "simulation/ode/ode_system.h"

#include <string.h>

typedef struct units {
    fixture       f;
    cd_arena      arena;
    cd_ode_system system;
    double        y[64], weight[64];
} units;

static bool open_units(units* u, const char* path, const char* formulation)
{
    memset(u, 0, sizeof *u);
    if (!fixture_open(&u->f, path, formulation, 0, NULL)) return false;
    const cardan_run_settings run = cardan_run_default();
    cd_ode_system_init(&u->system, u->f.data, &run);
    cd_ode_system_layout(&u->system, &u->arena);
    if (!cd_arena_reserve(&u->arena)) return false;
    cd_ode_system_layout(&u->system, &u->arena);
    cd_ode_system_set_error_scales(&u->system);
    return u->system.nq + u->system.nz <= 64;
}

static void close_units(units* u)
{
    cd_arena_release(&u->arena);
    fixture_close(&u->f);
}

// A free body at every phase of a circle at 20 m/s. Angular velocities are in body axes: their components are scaled
// separately.
static void test_free_body(void)
{
    units u;
    CHECK(open_units(&u, "models/double_pendulum", "lagrange"));
    const int nq = u.system.nq, v = 0, w = u.system.quaternion_v[0];
    CHECK(u.system.nquaternion == 2 && w == 3);
    double unit = 0;
    for (int k = 0; k < 8; ++k) {
        const double phase = M_PI / 4 * k;
        double*      z     = u.y + nq;
        memset(u.y, 0, sizeof u.y);
        z[v]     = 20 * cos(phase);
        z[v + 2] = 20 * sin(phase);
        z[w]     = 7 * sin(phase);
        z[w + 1] = 7 * cos(phase);
        cd_state_vector_error_weights(&u.system, u.y, u.weight);
        for (int i = 0; i < 3; ++i) {
            CHECK_NEAR(cd_z_magnitude(&u.system, v + i, z), 20, 1e-12);
            CHECK(cd_z_magnitude(&u.system, w + i, z) == fabs(z[w + i]));
            if (k == 0 && i == 0) unit = u.weight[nq + v];
            CHECK_NEAR(u.weight[nq + v + i], unit, 1e-12 * unit);
        }
        CHECK(cd_z_magnitude(&u.system, 6, z) == 0); // another body, without velocity
    }
    close_units(&u);
}

// Velocities of joints with one degree of freedom are scaled separately.
static void test_tree(void)
{
    units u;
    CHECK(open_units(&u, "models/double_pendulum", "order-n"));
    const double z[3] = {3, -4, 0};
    CHECK(u.system.nv == 2 && cd_z_magnitude(&u.system, 0, z) == 3 && cd_z_magnitude(&u.system, 1, z) == 4);
    close_units(&u);
}

int main(void)
{
    RUN(test_free_body());
    RUN(test_tree());
    return test_end();
}
