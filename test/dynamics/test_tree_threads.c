// SPDX-License-Identifier: BSD-3-Clause
// Branches of a tree on any number of threads: accelerations are bitwise equal, with and without loops, and equal those
// of the articulated-body algorithm.
#include "random_tree.h"
#include "test.h"

#include <cardan/cardan.h>
#include <stdlib.h>

enum { LINKS = 8191, OUTER = 2047 }; // OUTER: links whose grandchildren are leaves end here

// A binary tree; with loops, a spherical joint between two leaves of every second grandparent.
static cardan_description* binary_tree(bool loops)
{
    cardan_report       report = {0};
    cardan_description* d      = NULL;
    dice                k      = {3};
    CHECK(cardan_family_generate("tree", LINKS, NULL, &d, &report) == CARDAN_OK);
    for (int g = OUTER - 1024; d && loops && g < OUTER; g += 2) {
        char name[24];
        snprintf(name, sizeof name, "ball%d", g);
        cardan_joint j = cardan_joint_default(name, "spherical", 4 * g + 3, 4 * g + 6);
        j.frame_first  = random_pose(&k);
        j.frame_second = random_pose(&k);
        cardan_description_add_joint(d, &j);
    }
    return d;
}

static double* accelerate(const cardan_model* m, const char* formulation, int threads)
{
    const cardan_model_view view   = cardan_model_get_view(m);
    cardan_report           report = {0};
    cardan_data*            data   = NULL;
    double*                 q      = calloc((size_t)(view.nq + 2 * view.nv), sizeof *q);
    double *                v = q + view.nq, *a = v + view.nv;
    dice                    k = {11};
    random_state(&k, m, q, v);
    CHECK(cardan_data_create(m, cardan_formulation_find(formulation), &data, &report) == CARDAN_OK);
    CHECK(cardan_data_set_threads(data, threads, &report) == CARDAN_OK);
    cardan_data_set_state(data, 0, q, v, NULL);
    CHECK(cardan_data_accelerate(data, a, NULL, &report) == CARDAN_OK);
    CHECK(cardan_data_residual_norm(data, a) < 1e-9);
    memmove(q, a, (size_t)view.nv * sizeof *q);
    cardan_data_destroy(data);
    return q;
}

static void test_same_bits(const char* formulation, bool loops)
{
    cardan_description* d = binary_tree(loops);
    cardan_model*       m = NULL;
    CHECK(cardan_model_compile(d, CARDAN_TREE_BREADTH_FIRST, &m, NULL) == CARDAN_OK);
    const int nv  = cardan_model_get_view(m).nv;
    double *  one = accelerate(m, formulation, 1), *other = accelerate(m, "order-n", 1);
    double    difference = 0, largest = 1;
    for (int i = 0; i < nv; ++i) {
        difference = fmax(difference, fabs(one[i] - other[i]));
        largest    = fmax(largest, fabs(other[i]));
    }
    CHECK(difference < 1e-9 * largest);
    free(other);
    for (int threads = 2; threads <= 4; ++threads) {
        other = accelerate(m, formulation, threads);
        CHECK(memcmp(one, other, (size_t)nv * sizeof *one) == 0);
        free(other);
    }
    free(one);
    cardan_model_destroy(m);
    cardan_description_destroy(d);
}

int main(void)
{
    RUN(test_same_bits("cholesky", false));
    RUN(test_same_bits("augmented", false));
    RUN(test_same_bits("augmented", true));
    RUN(test_same_bits("augmented-last", true));
    return test_end();
}
