// SPDX-License-Identifier: BSD-3-Clause
// Automatic choice of the formulation: by operation counts of small mechanisms, by the structure of the loops of large
// ones.
#include "sentences.h"
#include "test.h"

#include <cardan/cardan.h>
#include <string.h>

static void test_choice(const char* family, int n, const char* formulation, bool counted)
{
    cardan_report             report = {0};
    cardan_description*       d      = NULL;
    cardan_formulation_choice choice;
    CHECK(cardan_family_generate(family, n, NULL, &d, &report) == CARDAN_OK);
    CHECK(cardan_formulation_choose(d, &choice, &report) == CARDAN_OK);
    CHECK(choice.formulation == cardan_formulation_find(formulation));
    CHECK(strncmp(choice.reason, formulation, strlen(formulation)) == 0);
    CHECK(counted == (choice.operations > 0));
    CHECK_SENTENCE(choice.reason, formulation);
    cardan_description_destroy(d);
}

// A Cardan shaft without gravity: accelerations at its start are rounding errors, and redundant rows differ by them.
// Its operations are counted.
static void test_shaft(void)
{
    static const char* const text =
        "cardan: 1\nname: shaft\ngravity: [0, 0, 0]\nparameters: {b: 0.6}\nbodies:\n"
        "  inp: {at: [-0.5, 0, 0], mass: 1, inertia: [0.2, 0.1, 0.1]}\n"
        "  out: {at: [=0.5*cos(b), =0.5*sin(b), 0], mass: 1, inertia: [0.05, 0.07, 0.07], orientation: {axis: z, "
        "angle: =b}}\n"
        "joints:\n"
        "  a: {revolute: [ground, inp], at: [-0.5, 0, 0], axis: x, start: {v: 3}}\n"
        "  h: {universal: [inp, out], at: [0, 0, 0], axes: [z, [\"=-sin(b)\", =cos(b), 0]]}\n"
        "  c: {revolute: [ground, out], at: [=0.5*cos(b), =0.5*sin(b), 0], axis: [=cos(b), =sin(b), 0]}\n";
    cardan_report             report = {0};
    cardan_description*       d      = NULL;
    cardan_formulation_choice choice = {0};
    CHECK(cardan_description_load_text(text, "shaft.yaml", NULL, &d, &report) == CARDAN_OK);
    CHECK(cardan_formulation_choose(d, &choice, &report) == CARDAN_OK);
    CHECK(choice.formulation != cardan_formulation_find("dense"));
    static const char* const counted[] = {"augmented", "order-n", "reduction", "embedding"};
    for (int i = 0; i < 4; ++i) CHECK_SENTENCE(choice.reason, counted[i]);
    cardan_description_destroy(d);
}

// Free bodies between bushings: a sparse matrix if the integrator uses one, else a tree of free joints.
static void test_sparse(void)
{
    NEEDS_PART("KLU");
    cardan_report             report   = {0};
    cardan_description*       d        = NULL;
    cardan_formulation_choice choice   = {0};
    const int                 lagrange = cardan_formulation_find("lagrange");
    CHECK(cardan_family_generate("bushing-chain", 32, NULL, &d, &report) == CARDAN_OK); // the family proposes ida
    CHECK(cardan_formulation_choose(d, &choice, &report) == CARDAN_OK && choice.formulation == lagrange);
    CHECK_SENTENCE(choice.reason, "lagrange");
    CHECK(cardan_formulation_choose_for_integrator(d, cardan_integrator_find("dopri5"), &choice, &report) == CARDAN_OK);
    CHECK(choice.formulation != lagrange && choice.operations > 0);
    cardan_description_destroy(d);
    CHECK(cardan_family_generate("rope-ladder", 16, NULL, &d, &report) == CARDAN_OK); // few joint velocities
    CHECK(cardan_formulation_choose_for_integrator(d, cardan_integrator_find("ida"), &choice, &report) == CARDAN_OK);
    CHECK(choice.formulation != lagrange);
    cardan_description_destroy(d);
}

int main(void)
{
    RUN(test_shaft());
    RUN(test_sparse());
    RUN(test_choice("chain", 1000, "order-n", true));
    RUN(test_choice("tree", 63, "cholesky", true));
    RUN(test_choice("star", 8000, "order-n", false));
    RUN(test_choice("arc", 400, "reduction", true));
    RUN(test_choice("arc", 4000, "reduction", false));
    RUN(test_choice("ring", 2000, "reduction", false));
    RUN(test_choice("ladder", 1000, "reduction", false));
    RUN(test_choice("rope-ladder", 1000, "reduction", false));
    RUN(test_choice("rope-ladder-spatial", 1000, "reduction", false));
    RUN(test_choice("square-chain", 500, "reduction", false));
    RUN(test_choice("net", 100, "reduction", false));
    RUN(test_sentences("test_automatic_formulation"));
    return test_end();
}
