// SPDX-License-Identifier: BSD-3-Clause
// Constraint embedding at successive random configurations: the coordinate partitioning is reused or renewed, and the
// accelerations agree with `dense`. Also the formulation that `auto` selects.
#include "fixture.h"
#include "random_tree.h"

#include "dynamics/data.h"
#include "dynamics/solve.h"

// The same data at 40 distant configurations, so that the coordinate partitioning of one is invalid at the next.
static void test_configurations(const char* path)
{
    fixture e, d;
    int     compared = 0;
    if (fixture_open(&e, path, "embedding", 0, NULL) && fixture_open(&d, path, "dense", 0, NULL)) {
        for (uint64_t seed = 1; seed <= 40; ++seed) {
            double q[128], v[128], a[128], b[128], c[128], difference = 0, largest = 1;
            dice   k = {seed};
            random_state(&k, e.model, q, v);
            cardan_data_set_state(e.data, 0, q, v, NULL);
            cardan_data_set_state(d.data, 0, q, v, NULL);
            if (cardan_data_accelerate(d.data, b, NULL, NULL) != CARDAN_OK ||
                cardan_data_residual_norm(d.data, b) > 1e-11)
                continue;
            if (cardan_data_accelerate(e.data, a, NULL, NULL) == CARDAN_INCONSISTENT) continue;
            for (int i = 0; i < e.m.nv; ++i) {
                difference = fmax(difference, fabs(a[i] - b[i]));
                largest    = fmax(largest, fabs(b[i]));
            }
            CHECK(cardan_data_residual_norm(e.data, a) < 1e-9);
            CHECK(difference < 1e-7 * largest);
            // without multipliers: bit-identical accelerations
            cd_solve_info info = {0};
            CHECK(cd_solve_with_factor(e.data, e.data->solve.r, e.data->solve.gamma, c, NULL, &info) == CARDAN_OK);
            CHECK(memcmp(a, c, (size_t)e.m.nv * sizeof *a) == 0);
            ++compared;
        }
        CHECK(compared >= 20);
    }
    fixture_close(&e);
    fixture_close(&d);
}

static void test_choice(const char* path, const char* expected)
{
    fixture                   f;
    cardan_formulation_choice choice;
    if (fixture_open(&f, path, "dense", 0, NULL)) {
        CHECK(cardan_formulation_choose(f.description, &choice, &f.report) == CARDAN_OK);
        CHECK(choice.formulation >= 0 && !cardan_formulation_is_reference(choice.formulation) && choice.operations > 0);
        CHECK(strncmp(choice.reason, expected, strlen(expected)) == 0);
        CHECK(strcmp(cardan_formulation_name(choice.formulation), expected) == 0);
        CHECK(strstr(choice.reason, "operations per evaluation"));
    }
    fixture_close(&f);
}

int main(void)
{
    RUN(test_configurations("models/four_bar"));
    RUN(test_configurations("models/six_bar_moving"));
    RUN(test_configurations("models/stewart"));
    RUN(test_configurations("models/hmmwv"));
    RUN(test_choice("models/puma560", "cholesky"));
    RUN(test_choice("models/robots/talos", "order-n"));
    RUN(test_choice("models/stewart", "augmented"));
    return test_end();
}
