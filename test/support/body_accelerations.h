// SPDX-License-Identifier: BSD-3-Clause
// Accelerations of the bodies of a mechanism by one formulation at the state of given data, and the relative difference
// of two such solutions.
#pragma once

#include <cardan/cardan.h>

#include <math.h>
#include <stddef.h>

enum { MOST_BODIES = 16 };

typedef struct body_solution {
    cardan_status status;
    double        error;
    cardan_motion body[MOST_BODIES];
} body_solution;

static inline body_solution solve_bodies(const cardan_description* d, int formulation, cardan_tree_policy policy,
                                         cardan_data* at, cardan_report* report)
{
    body_solution x    = {.error = NAN};
    cardan_model* m    = NULL;
    cardan_data*  data = NULL;
    double        a[6 * MOST_BODIES];
    x.status = cardan_model_compile(d, policy, &m, NULL);
    if (x.status == CARDAN_OK) x.status = cardan_data_create(m, formulation, &data, NULL);
    if (x.status == CARDAN_OK) x.status = cardan_data_copy_state(at, data);
    if (x.status == CARDAN_OK) x.status = cardan_data_accelerate(data, a, NULL, report);
    if (x.status == CARDAN_OK) {
        x.error = cardan_data_residual_norm(data, a);
        cardan_data_body_motions(data, a, x.body);
    }
    cardan_data_destroy(data);
    cardan_model_destroy(m);
    return x;
}

// Largest difference of an acceleration, relative to the largest acceleration of y (at least 1).
static inline double relative_difference(const body_solution* x, const body_solution* y, int nbody)
{
    double difference = 0, scale = 1;
    for (int b = 0; b < nbody; ++b)
        for (int i = 0; i < 3; ++i) {
            difference = fmax(difference, fmax(fabs(x->body[b].a[i] - y->body[b].a[i]),
                                               fabs(x->body[b].alpha[i] - y->body[b].alpha[i])));
            scale      = fmax(scale, fmax(fabs(y->body[b].a[i]), fabs(y->body[b].alpha[i])));
        }
    return difference / scale;
}
