// SPDX-License-Identifier: BSD-3-Clause
// Motions that neither inertia nor constraints determine: a slender rod between two spherical joints rotates freely
// about its axis, for all masses of the other bodies; a universal joint at one end prevents it. The result follows
// changes of the constraints.
#include "dynamics/data.h"
#include "dynamics/rows/constraint_update.h"
#include "test.h"
#include "yaml_text.h"

#include <cardan/cardan.h>

// A platform on a slide, connected to ground by a rod.
static const char* const platform = "cardan: 1\n"
                                    "bodies:\n"
                                    "  r: {rod: [[0, 0, 0], [1, 0.3, 0.2]], mass: %g}\n"
                                    "  s: {at: [1, 0.3, 0.2], mass: 1, inertia: [0.1, 0.1, 0.1]}\n"
                                    "joints:\n"
                                    "  A: {%s: [ground, r], at: [0, 0, 0]%s}\n"
                                    "  B: {spherical: [r, s], at: [1, 0.3, 0.2]}\n"
                                    "  C: {cylindrical: [ground, s], at: [1, 0.3, 0.2], axis: [0, 1, 1]}\n"
                                    "constraints:\n"
                                    "  hold: {orientation: [ground, r]}\n";

static void expect(const char* formulation, double mass, const char* joint, const char* axes, bool enabled,
                   bool determined)
{
    char          text[2048];
    const int     f = cardan_formulation_find(formulation);
    cardan_model* m = NULL;
    cardan_data*  x = NULL;
    double        a[64];
    snprintf(text, sizeof text, platform, mass, joint, axes);
    cardan_description* d = yaml_load(text);
    CHECK(d && cardan_model_compile(d, cardan_formulation_tree_policy(f), &m, NULL) == CARDAN_OK &&
          cardan_data_create(m, f, &x, NULL) == CARDAN_OK);
    CHECK(cardan_data_enable_constraint(x, "hold", enabled, NULL) == CARDAN_OK);
    cd_update_rows(x);
    const int v = cd_find_undetermined_velocity(x);
    CHECK((v == CARDAN_NONE) == determined);
    CHECK(v == CARDAN_NONE || x->history.all_motions_determined == false);
    CHECK(cardan_data_accelerate(x, a, NULL, NULL) == (determined ? CARDAN_OK : CARDAN_SINGULAR));
    if (determined && enabled) { // the result is valid for these constraints only
        CHECK(cardan_data_enable_constraint(x, "hold", false, NULL) == CARDAN_OK);
        const cardan_status without = cardan_data_accelerate(x, a, NULL, NULL);
        CHECK(without == (*axes ? CARDAN_OK : CARDAN_SINGULAR));
    }
    cardan_data_destroy(x);
    cardan_model_destroy(m);
    cardan_description_destroy(d);
}

static void test_rods(void)
{
    static const char* const formulation[] = {"order-n", "augmented", "embedding", "reduction", "dense", "lagrange"};
    for (int f = 0; f < 6; ++f)
        for (double mass = 1e-4; mass < 1e5; mass *= 1e4) {
            expect(formulation[f], mass, "spherical", "", false, false);
            expect(formulation[f], mass, "universal", ", axes: [y, z]", false, true);
            expect(formulation[f], mass, "spherical", "", true, true);
        }
}

int main(void)
{
    yaml_begin();
    RUN(test_rods());
    yaml_end();
    return test_end();
}
