// SPDX-License-Identifier: BSD-3-Clause
// Every formulation that supports loops, on random mechanisms: trees of all joint types with added joints that close
// loops, and long ladders. Accelerations of the bodies against those of `dense` (random) and `lagrange` (ladders). The
// state need not satisfy the added joints: J a = gamma has a unique solution at any state. New entries of
// formulations.def are tested without a change of this file.
#include "body_accelerations.h"
#include "comparison_counts.h"
#include "random_tree.h"
#include "test.h"

#include <stdlib.h>

static const char* random_type(dice* d)
{
    static const char* const types[] = {"revolute", "prismatic", "cylindrical", "screw",  "universal",
                                        "planar",   "spherical", "free",        "general"};
    return types[dice_int(d, 9)];
}

// One to five elementary joints: at most two rotations and three translations with axes far from parallel, so that
// they are well-conditioned.
static void random_elementary_joints(dice* d, cardan_joint* j)
{
    j->nelementary = 1 + dice_int(d, 5);
    for (int i = 0, slides = 0; i < j->nelementary; ++i) {
        j->elementary[i].is_translation = (dice_unit(d) < 0.4 && slides < 3) || i - slides == 2;
        slides += j->elementary[i].is_translation;
        const int principal = j->elementary[i].is_translation ? slides - 1 : i - slides;
        for (int k = 0; k < 3; ++k) j->elementary[i].axis[k] = (k == principal) + dice_range(d, -0.3, 0.3);
    }
}

static cardan_description* random_net(uint64_t seed, int* nloop)
{
    dice                d   = {seed};
    cardan_description* net = cardan_description_create("random net");
    const int           n   = 2 + dice_int(&d, 8);
    char                name[24];
    for (int i = 0; i < n; ++i) {
        snprintf(name, sizeof name, "body%d", i);
        cardan_body b = cardan_body_default(name);
        b.pose        = random_pose(&d);
        random_inertia(&d, &b);
        cardan_description_add_body(net, &b);
    }
    *nloop = 1 + dice_int(&d, 2);
    for (int i = 0; i < n + *nloop; ++i) {
        snprintf(name, sizeof name, "joint%d", i);
        const int    second = i < n ? i : dice_int(&d, n), first = i < n ? dice_int(&d, i + 1) - 1 : second - 1;
        const bool   swap = dice_unit(&d) < 0.4;
        cardan_joint j    = cardan_joint_default(name, i < n ? random_type(&d) : "spherical", swap ? second : first,
                                              swap ? first : second);
        j.frame_first     = random_pose(&d);
        j.frame_second    = random_pose(&d);
        j.pitch           = 0.1;
        if (strcmp(j.type, "general") == 0) random_elementary_joints(&d, &j);
        cardan_description_add_joint(net, &j);
    }
    return net;
}

// Check one mechanism. Returns false if a formulation differs; *solved counts mechanisms with a solution.
static bool check_net(uint64_t seed, int* solved, comparison_counts* counts)
{
    int                 nloop;
    cardan_description* net = random_net(seed, &nloop);
    const int           n = cardan_description_get_view(net).nbody, dense = cardan_formulation_find("dense");
    cardan_model*       m    = NULL;
    cardan_data*        tree = NULL;
    bool                good = cardan_model_compile(net, CARDAN_TREE_BREADTH_FIRST, &m, NULL) == CARDAN_OK &&
                cardan_data_create(m, dense, &tree, NULL) == CARDAN_OK;
    if (good) {
        double q[128], v[128];
        dice   d = {seed + 1};
        random_state(&d, m, q, v);
        cardan_data_set_state(tree, 0, q, v, NULL);
        const body_solution reference = solve_bodies(net, dense, CARDAN_TREE_BREADTH_FIRST, tree, NULL);
        // with more independent rows than degrees of freedom there is no solution
        const bool comparable = reference.status == CARDAN_OK && reference.error < 1e-9;
        *solved += comparable;
        for (int f = 0; comparable && f < cardan_formulation_count(); ++f) {
            if (!cardan_formulation_is_exact(f)) continue;
            count_required(counts, f, true);
            const body_solution x = solve_bodies(net, f, cardan_formulation_tree_policy(f), tree, NULL);
            if (x.status == CARDAN_UNSUPPORTED) continue;
            count_compared(counts, f);
            const double tolerance =
                cardan_formulation_is_reference(f) ? 1e-8 : 1e-9; // reference implementations do not refine
            const bool agrees =
                x.status == CARDAN_OK && relative_difference(&x, &reference, n) < tolerance && x.error < 1e-9;
            if (!agrees)
                printf("seed %llu, %s: %s, difference %.2g, residual %.2g\n", (unsigned long long)seed,
                       cardan_formulation_name(f), cardan_status_name(x.status), relative_difference(&x, &reference, n),
                       x.error);
            good &= agrees;
        }
    }
    cardan_data_destroy(tree);
    cardan_model_destroy(m);
    cardan_description_destroy(net);
    return good;
}

static void test_random_nets(void)
{
    int               bad = 0, solved = 0;
    comparison_counts counts = {0};
    for (uint64_t seed = 1; seed <= 500; ++seed) bad += !check_net(seed, &solved, &counts);
    printf("random nets, seeds 1 to 500: %d have a solution, %d wrong\n", solved, bad);
    CHECK(solved > 200);
    check_comparisons(&counts, 9, solved);
    CHECK(bad == 0);
}

// Accelerations of the bodies of a family at its start.
static cardan_motion* solve_family(const char* family, int size, const char* formulation, int* n)
{
    cardan_description* d     = NULL;
    cardan_model*       m     = NULL;
    cardan_data*        data  = NULL;
    const int           index = cardan_formulation_find(formulation);
    cardan_motion*      body  = NULL;
    if (cardan_family_generate(family, size, NULL, &d, NULL) == CARDAN_OK &&
        cardan_model_compile(d, cardan_formulation_tree_policy(index), &m, NULL) == CARDAN_OK &&
        cardan_data_create(m, index, &data, NULL) == CARDAN_OK) {
        const cardan_model_view view = cardan_model_get_view(m);
        double*                 a    = calloc((size_t)view.nv + 1, sizeof *a);
        *n                           = cardan_description_get_view(d).nbody;
        body                         = calloc((size_t)*n + 1, sizeof *body);
        cardan_data_set_state(data, 0, view.q_start, view.v_start, view.state_start);
        CHECK(cardan_data_accelerate(data, a, NULL, NULL) == CARDAN_OK);
        cardan_data_body_motions(data, a, body);
        free(a);
    }
    CHECK(body != NULL);
    cardan_data_destroy(data);
    cardan_model_destroy(m);
    cardan_description_destroy(d);
    return body;
}

// Ladders of many cells, where sums over all cells lose the digits in which neighbouring cells differ: all formulations
// give the accelerations of `lagrange`.
static void test_long_ladders(const char* family, int size)
{
    static const char* const formulations[] = {"reduction", "augmented", "order-n", "dense", "regularized"};
    int                      n              = 0;
    cardan_motion*           reference_body = solve_family(family, size, "lagrange", &n);
    for (int f = 0; f < 5; ++f) {
        cardan_motion* body       = solve_family(family, size, formulations[f], &n);
        double         difference = 0, scale = 1;
        for (int b = 0; b < n; ++b)
            for (int i = 0; i < 3; ++i) {
                difference = fmax(difference, fmax(fabs(body[b].a[i] - reference_body[b].a[i]),
                                                   fabs(body[b].alpha[i] - reference_body[b].alpha[i])));
                scale      = fmax(scale, fmax(fabs(reference_body[b].a[i]), fabs(reference_body[b].alpha[i])));
            }
        CHECK(difference < 1e-11 * scale);
        if (!(difference < 1e-11 * scale))
            printf("    %s of %d, %s: %.2g\n", family, size, formulations[f], difference / scale);
        free(body);
    }
    free(reference_body);
}

int main(void)
{
    RUN(test_long_ladders("rope-ladder", 64));
    RUN(test_long_ladders("rope-ladder-spatial", 48));
    RUN(test_long_ladders("arc", 100));
    RUN(test_random_nets());
    return test_end();
}
