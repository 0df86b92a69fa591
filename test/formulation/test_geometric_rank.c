// SPDX-License-Identifier: BSD-3-Clause
// Redundant rows by geometric rank: their number follows from the mobility of the mechanism for any masses, in maximal
// coordinates and in tree coordinates, at assembled states and at states with a violation. Also a factorization with
// forced null pivots. References: mobility of the four-bar, and `dense`.
#include "dynamics/data.h"
#include "math/block_ldl/row_pivoting.h"
#include "formulation/safeguards/geometric_rank.h"
#include "test.h"
#include "yaml_text.h"

#include <cardan/assemble.h>
#include <cardan/cardan.h>

// Four-bar of hinges: 3 bodies, 4 x 5 rows, one degree of freedom, so that 20 - (18 - 1) = 3 rows are redundant.
static const char* const four_bar = "cardan: 1\n"
                                    "bodies:\n"
                                    "  a: {rod: [[0,0,0],[0,1,0]], radius: 0.05, mass: %g}\n"
                                    "  b: {rod: [[0,1,0],[2,1.5,0]], radius: 0.05, mass: %g}\n"
                                    "  c: {rod: [[2,1.5,0],[2,0,0]], radius: 0.05, mass: %g}\n"
                                    "joints:\n"
                                    "  A: {revolute: [ground, a], at: [0,0,0], axis: z}\n"
                                    "  B: {revolute: [a, b], at: [0,1,0], axis: z}\n"
                                    "  C: {revolute: [b, c], at: [2,1.5,0], axis: z}\n"
                                    "  D: {revolute: [ground, c], at: [2,0,0], axis: z}\n"
                                    "%s";

// Number of redundant rows of the mechanism in the coordinates of a formulation; *nrow: number of rows.
static int redundant_rows(const char* text, const char* formulation, int* nrow)
{
    const int           f     = cardan_formulation_find(formulation);
    cardan_description* d     = yaml_load(text);
    cardan_model*       m     = NULL;
    cardan_data*        data  = NULL;
    cd_arena            arena = {0};
    cd_geometric_rank   rank  = {0};
    int                 count = -1;
    double              a[64];
    CHECK(d && cardan_model_compile(d, cardan_formulation_tree_policy(f), &m, NULL) == CARDAN_OK &&
          cardan_data_create(m, f, &data, NULL) == CARDAN_OK &&
          cardan_data_accelerate(data, a, NULL, NULL) == CARDAN_OK);
    cd_geometric_rank_layout(&rank, m, &data->solver_rows, &arena);
    CHECK(cd_arena_reserve(&arena));
    cd_geometric_rank_layout(&rank, m, &data->solver_rows, &arena);
    const cd_problem problem = cd_problem_of(data);
    if (cd_geometric_rank_compute(&rank, &problem)) count = 0;
    for (int i = 0; count >= 0 && i < m->nv + data->solver_rows.nrow; ++i) {
        count += rank.is_redundant[i];
        CHECK(i >= m->nv || !rank.is_redundant[i]);
    }
    *nrow = data->solver_rows.nrow;
    cd_arena_release(&arena);
    cardan_data_destroy(data);
    cardan_model_destroy(m);
    cardan_description_destroy(d);
    return count;
}

static void test_four_bar(double lightest, const char* more, int added)
{
    char text[2048];
    int  maximal, tree;
    snprintf(text, sizeof text, four_bar, lightest, 1.0, 1 / lightest, more);
    CHECK(redundant_rows(text, "lagrange", &maximal) == 3 + added && maximal == 20 + added);
    CHECK(redundant_rows(text, "augmented", &tree) == 3 + added && tree == 5 + added);
}

static void test_mobility(void)
{
    test_four_bar(1, "", 0);
    test_four_bar(1e-6, "", 0);
    test_four_bar(1e-3, "  again: {revolute: [b, c], at: [2,1.5,0], axis: z}\n", 5);
}

// A relative pivot of 1e-14 is null by the pivot test; with forced null pivots only the forced one is null.
static void test_forced_null_pivots(void)
{
    static const bool     second[3] = {false, true, false};
    const cd_pivot_test   closed    = {1e-10, 0};
    const cd_row_pivoting given     = {
            .n = 3, .A = {{1}, {1, 1}, {1, 1, 1 + 1e-14}}, .size = {1, 1, 1}, .permutation = {0, 1, 2}};
    cd_row_pivoting p = given, q = given;
    q.forced_null = second;
    CHECK(cd_row_pivoting_factor_complete(&p, closed) < 0 && cd_row_pivoting_factor_complete(&q, closed) < 0);
    int null[2] = {0, 0};
    for (int i = 0; i < 3; ++i) {
        null[0] += p.inverse_pivot[i] == 0;
        null[1] += q.inverse_pivot[i] == 0;
        CHECK((q.inverse_pivot[i] == 0) == second[q.permutation[i]]);
    }
    CHECK(null[0] == 2 && null[1] == 1);
}

// Slender rods with nearly zero inertia about their axes: the rows are independent but nearly redundant in the metric
// of the masses.
static const char slender[] = "cardan: 1\n"
                              "gravity: [0, -9.81, 1]\n"
                              "bodies:\n"
                              "  crank:   {rod: [[0, 0, 0], [0.5, 0.866, 0]], mass: 1}\n"
                              "  coupler: {rod: [[0.5, 0.866, 0], [2.645, 1.355, 0]], mass: 2}\n"
                              "  rocker:  {rod: [[2.645, 1.355, 0], [2, 0, 0]], mass: 1.5}\n"
                              "  wheel: {mass: 0.5, at: [2, 0, 0.3], inertia: [0.01, 0.01, 0.02]}\n"
                              "  shoe: {mass: 0.4, at: [3, 1, 0], inertia: [0.001, 0.001, 0.001]}\n"
                              "joints:\n"
                              "  A: {revolute: [ground, crank], at: [0, 0, 0], axis: z, start: {v: 1}}\n"
                              "  B: {spherical: [crank, coupler], at: [0.5, 0.866, 0]}\n"
                              "  C: {universal: [coupler, rocker], at: [2.645, 1.355, 0], axes: [x, z]}\n"
                              "  D: {revolute: [rocker, ground], at: [2, 0, 0], axis: z}\n"
                              "  W: {revolute: [ground, wheel], at: [2, 0, 0.3], axis: z, damping: 0.1}\n"
                              "  S: {prismatic: [ground, shoe], at: [3, 1, 0], axis: [1, 0.2, 0]}\n"
                              "constraints:\n"
                              "  mesh: {gear: [A, W], teeth: [20, 35]}\n"
                              "  rod: {distance: [{on: rocker, at: [2.645, 1.355, 0]}, shoe]}\n";

// Accelerations after a displacement `by` of the assembled start along velocity number `along`. Returns the number of
// velocities, 0 on failure.
static int accelerate_displaced(const cardan_model* m, const char* formulation, int along, double by, double* a)
{
    cardan_data* data = NULL;
    double       q[64], v[64], dq[64] = {0}, moved[64];
    const int    nv = cardan_model_get_view(m).nv;
    dq[along]       = by;
    bool good       = cardan_data_create(m, cardan_formulation_find(formulation), &data, NULL) == CARDAN_OK &&
                cardan_data_assemble(data, NULL, q, v, NULL, NULL) == CARDAN_OK;
    if (good) cardan_model_integrate_position(m, q, dq, moved);
    good = good && cardan_data_set_state(data, 0, moved, v, NULL) == CARDAN_OK &&
           cardan_data_accelerate(data, a, NULL, NULL) == CARDAN_OK;
    cardan_data_destroy(data);
    return good ? nv : 0;
}

// At states with a violation, nearly redundant rows are distinguished from redundant ones: all formulations agree.
static void test_displaced(double displacement)
{
    static const char* const others[] = {"augmented", "order-n", "embedding", "reduction"};
    cardan_description*      d        = yaml_load(slender);
    cardan_model*            m        = NULL;
    double                   a[64], b[64];
    CHECK(d && cardan_model_compile(d, CARDAN_TREE_BREADTH_FIRST, &m, NULL) == CARDAN_OK);
    for (int along = 0; m && along < cardan_model_get_view(m).nv; ++along) {
        const int nv = accelerate_displaced(m, "dense", along, displacement, a);
        CHECK(nv > 0);
        for (int f = 0; f < 4; ++f) {
            double difference = 0, largest = 0;
            CHECK(accelerate_displaced(m, others[f], along, displacement, b) == nv);
            for (int i = 0; i < nv; ++i) {
                difference = fmax(difference, fabs(a[i] - b[i]));
                largest    = fmax(largest, fabs(a[i]));
            }
            CHECK(difference < 1e-10 * largest);
        }
    }
    cardan_model_destroy(m);
    cardan_description_destroy(d);
}

int main(void)
{
    yaml_begin();
    RUN(test_mobility());
    RUN(test_displaced(1e-6));
    RUN(test_displaced(1e-4));
    RUN(test_displaced(1e-3));
    RUN(test_forced_null_pivots());
    yaml_end();
    return test_end();
}
