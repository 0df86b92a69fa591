// SPDX-License-Identifier: BSD-3-Clause
// A parallelogram of thin rods in the plane x, y: cranks of 1 m and a coupler of 2 m, 1 kg each, between ground pins at
// (0, 0) and (2, 0). On the parallelogram branch
//
//     5/6 w' = -g cos(angle)
//
// with the angle of its cranks; it is singular when the angle is a multiple of pi.
#pragma once

#include "planar_rods.h"

#include <cardan/cardan.h>
#include <math.h>
#include <string.h>

static const char* const every_formulation[] = {"reduction", "embedding",   "order-n", "dense",
                                                "augmented", "regularized", "lagrange"};
enum { EVERY_FORMULATION = sizeof every_formulation / sizeof *every_formulation };

// True if a description names the four joints of the loop.
static inline bool names_parallelogram(const char* description)
{
    return strstr(description, "d0") && strstr(description, "c0") && strstr(description, "b0") &&
           strstr(description, "a0");
}

// At an angle with cosine c and sine s, rotating at w.
static inline cardan_description* parallelogram_at(double c, double s, double w, double gravity)
{
    cardan_description* d = cardan_description_create("parallelogram");
    cardan_description_set_gravity(d, (const double[3]){0, -gravity, 0});
    const int crank = add_rod(d, "crank", 0, 1, 0, 0, c, s), coupler = add_rod(d, "coupler", 0, 1, c, s, 2, 0),
              rocker = add_rod(d, "rocker", 0, 1, 2, 0, c, s);
    add_hinge(d, "a", 0, CARDAN_GROUND, crank, 0, 0, 0, 0, w);
    add_hinge(d, "b", 0, crank, coupler, c, s, 0, 0, -w);
    add_hinge(d, "c", 0, coupler, rocker, 2, 0, c, s, w);
    add_hinge(d, "d", 0, CARDAN_GROUND, rocker, 2, 0, 0, 0, w);
    return d;
}

// Run of a description with a formulation; the description is destroyed.
static inline cardan_status run_description(cardan_description* d, const char* formulation,
                                            const cardan_run_settings* run, cardan_run_summary* summary)
{
    const int     index = cardan_formulation_find(formulation);
    cardan_model* m     = NULL;
    cardan_data*  data  = NULL;
    cardan_report report;
    cardan_report_clear(&report);
    cardan_status status = d ? CARDAN_OK : CARDAN_BAD_INPUT;
    if (!status) status = cardan_model_compile(d, cardan_formulation_tree_policy(index), &m, &report);
    if (!status) status = cardan_data_create(m, index, &data, &report);
    if (!status) status = cardan_simulate(data, run, summary, &report);
    cardan_data_destroy(data);
    cardan_model_destroy(m);
    cardan_description_destroy(d);
    return status;
}
