// SPDX-License-Identifier: BSD-3-Clause
// Tolerances of violations scale with the rounding of positions: a four-bar of 1e6 m is closed as accurately as numbers
// permit, and so is a ring of 50,000 links, each of which adds the rounding of its rotation.
#include "test.h"
#include "yaml_text.h"

#include <cardan/cardan.h>
#include <math.h>
#include <stdlib.h>

static const char* const fourbar =
    "cardan: 1\n"
    "parameters: {s: 1e6, th: =pi/3, psi: 1.1}\n"
    "points:\n"
    "  A: [0, 0, 0]\n"
    "  B: [=s*cos(th), =s*sin(th), 0]\n"
    "  D: [=2*s, 0, 0]\n"
    "  C: [=2*s+1.8*s*cos(psi), =1.8*s*sin(psi), 0]\n"
    "bodies:\n"
    "  crank: {rod: [A, B], mass: 1}\n"
    "  coupler: {at: B, rod: [[0, 0, 0], [=2.2*s, 0, 0]], mass: 2}\n"
    "  rocker: {rod: [D, C], mass: 1.5}\n"
    "joints:\n"
    "  A: {revolute: [ground, crank], at: A, axis: z, start: {v: 3}}\n"
    "  B: {revolute: [crank, coupler], at: B, axis: z, start: {q: 0.1, guess: true}}\n"
    "  C: {revolute: [coupler, rocker], at: [=x(B)+2.2*s, =y(B), 0], axis: z, at_second: C}\n"
    "  D: {revolute: [ground, rocker], at: D, axis: z}\n";

static void test_large_four_bar(const char* formulation)
{
    cardan_description* d     = yaml_load(fourbar);
    const int           index = cardan_formulation_find(formulation);
    cardan_model*       m     = NULL;
    cardan_data*        data  = NULL;
    double              q[32], v[32];
    CHECK(cardan_model_compile(d, cardan_formulation_tree_policy(index), &m, NULL) == CARDAN_OK &&
          cardan_data_create(m, index, &data, NULL) == CARDAN_OK);
    CHECK(cardan_data_assemble(data, NULL, q, v, NULL, NULL) == CARDAN_OK);
    for (int n = 0; n < 20; ++n) {
        const int i = n % cardan_model_get_view(m).nq;
        q[i] += 1e-6 * fmax(1, fabs(q[i]));
        CHECK(cardan_data_set_state(data, 0, q, v, NULL) == CARDAN_OK);
        cardan_projection_result done;
        const cardan_status      status = cardan_data_project(data, NULL, q, v, &done, &yaml_report);
        if (status != CARDAN_OK) yaml_print();
        CHECK(status == CARDAN_OK);
        CHECK(done.position_violation_after < 1e-7 && done.velocity_violation_after < 1e-3);
    }
    cardan_data_destroy(data);
    cardan_model_destroy(m);
    cardan_description_destroy(d);
}

// A ring that is closed by its formulas does not move.
static void test_large_ring(void)
{
    cardan_description*    d     = NULL;
    cardan_model*          m     = NULL;
    cardan_data*           data  = NULL;
    cardan_assembly_result done  = {0};
    const int              index = cardan_formulation_find("reduction");
    CHECK(cardan_family_generate("ring", 50000, NULL, &d, &yaml_report) == CARDAN_OK);
    CHECK(cardan_model_compile(d, cardan_formulation_tree_policy(index), &m, NULL) == CARDAN_OK &&
          cardan_data_create(m, index, &data, NULL) == CARDAN_OK);
    CHECK(cardan_data_assemble(data, NULL, NULL, NULL, &done, &yaml_report) == CARDAN_OK);
    CHECK(done.iterations == 0);
    CHECK(done.position_violation_after < 1e-7 && done.velocity_violation_after < 1e-10);
    cardan_data_destroy(data);
    cardan_model_destroy(m);
    cardan_description_destroy(d);
}

int main(void)
{
    yaml_begin();
    RUN(test_large_four_bar("lagrange"));
    RUN(test_large_four_bar("augmented"));
    RUN(test_large_four_bar("reduction"));
    RUN(test_large_ring());
    yaml_end();
    return test_end();
}
