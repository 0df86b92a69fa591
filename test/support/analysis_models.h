// SPDX-License-Identifier: BSD-3-Clause
// Model texts of the tests of analyses, and functions that load, compile and assemble a model from a text or a file.
#pragma once

#include "test.h"

#include <cardan/cardan.h>
#include <stdlib.h>

typedef struct scene {
    cardan_description* description;
    cardan_model*       model;
    cardan_data*        data;
    cardan_model_view   m;
    cardan_report       report;
} scene;

static inline void scene_tell(const scene* s)
{
    for (int i = 0; i < s->report.count; ++i) printf("    %s\n", s->report.message[i].text);
}

static inline bool scene_ready(scene* s, const char* formulation)
{
    const int index = cardan_formulation_find(formulation);
    bool      good =
        cardan_model_compile(s->description, cardan_formulation_tree_policy(index), &s->model, &s->report) == CARDAN_OK;
    good = good && cardan_data_create(s->model, index, &s->data, &s->report) == CARDAN_OK;
    if (good) s->m = cardan_model_get_view(s->model);
    good = good && cardan_data_assemble(s->data, NULL, NULL, NULL, NULL, &s->report) == CARDAN_OK;
    if (!good) scene_tell(s);
    CHECK(good);
    return good;
}

static inline bool scene_text(scene* s, const char* text, const char* formulation, int nsetting,
                              const cardan_parameter_setting* setting)
{
    *s                          = (scene){0};
    cardan_load_options options = cardan_load_options_default();
    options.nsetting            = nsetting;
    options.setting             = setting;
    const bool good =
        cardan_description_load_text(text, "scene.yaml", &options, &s->description, &s->report) == CARDAN_OK;
    if (!good) scene_tell(s);
    CHECK(good);
    return good && scene_ready(s, formulation);
}

static inline bool scene_file(scene* s, const char* path, const char* formulation)
{
    char file[1024];
    *s = (scene){0};
    snprintf(file, sizeof file, "%s/%s", CARDAN_SOURCE, path);
    const bool good = cardan_description_load(file, NULL, &s->description, &s->report) == CARDAN_OK;
    if (!good) scene_tell(s);
    CHECK(good);
    return good && scene_ready(s, formulation);
}

static inline void scene_close(scene* s)
{
    cardan_data_destroy(s->data);
    cardan_model_destroy(s->model);
    cardan_description_destroy(s->description);
}

static inline int scene_joint(const scene* s, const char* name)
{
    for (int j = 0; j < s->m.njoint; ++j)
        if (strcmp(cardan_model_joint_name(s->model, j), name) == 0) return j;
    printf("there is no joint '%s'\n", name);
    CHECK(false);
    return 0;
}

// First coordinate of a joint.
static inline double scene_q(const scene* s, const char* name)
{
    double q[CARDAN_JOINT_VELOCITIES_MAX + 1] = {0}, v[CARDAN_JOINT_VELOCITIES_MAX] = {0};
    cardan_data_joint_state(s->data, scene_joint(s, name), q, v);
    return q[0];
}

// Rod of mass m and length l on a hinge about y; it hangs vertically at q = 0.
static const char scene_pendulum[] = "cardan: 1\n"
                                     "name: rod\n"
                                     "parameters: {l: 2, m: 3, q: 1, c: 0, k: 0, rest: 0}\n"
                                     "bodies:\n"
                                     "  bar: {rod: [[0, 0, 0], [0, 0, =-l]], mass: =m}\n"
                                     "joints:\n"
                                     "  hinge: {revolute: [ground, bar], at: [0, 0, 0], axis: y, start: {q: =q}, "
                                     "damping: =c, spring: {stiffness: =k, rest: =rest}}\n";

// Planar four-bar with a spring across: one loop, one degree of freedom.
static const char scene_four_bar[] =
    "cardan: 1\n"
    "name: sprung four-bar\n"
    "parameters: {k: 300, l: 1.2, c: 0}\n"
    "gravity: [0, -9.81, 0]\n"
    "bodies:\n"
    "  crank: {rod: [[0, 0, 0], [0.5, 0.8, 0]], mass: 1}\n"
    "  coupler: {rod: [[0.5, 0.8, 0], [2.2, 1.4, 0]], mass: 2}\n"
    "  rocker: {rod: [[2.2, 1.4, 0], [2, 0, 0]], mass: 1.5}\n"
    "joints:\n"
    "  A: {revolute: [ground, crank], at: [0, 0, 0], axis: z, damping: =c}\n"
    "  B: {revolute: [crank, coupler], at: [0.5, 0.8, 0], axis: z}\n"
    "  C: {revolute: [coupler, rocker], at: [2.2, 1.4, 0], axis: z}\n"
    "  D: {revolute: [rocker, ground], at: [2, 0, 0], axis: z}\n"
    "forces:\n"
    "  coil: {spring: [{on: ground, at: [2, 0, 0]}, {on: crank, at: [0.5, 0.8, 0]}], stiffness: =k, length: =l}\n";

// Ziegler's column: two bars with masses 2 and 1 at their ends, springs at their joints, and a follower force along the
// second bar. The critical force of flutter is (7/2 - sqrt 2) k/l = 2.0858.
static const char scene_ziegler[] = "cardan: 1\n"
                                    "name: column\n"
                                    "gravity: [0, 0, 0]\n"
                                    "parameters: {P: 1}\n"
                                    "bodies: {lower: {mass: 2, at: [0, 0, 1]}, upper: {mass: 1, at: [0, 0, 2]}}\n"
                                    "joints:\n"
                                    "  foot: {revolute: [ground, lower], at: [0, 0, 0], axis: y, spring: 1}\n"
                                    "  knee: {revolute: [lower, upper], at: [0, 0, 1], axis: y, spring: 1}\n"
                                    "forces:\n"
                                    "  push: {force: [0, 0, =-P], on: upper, in: upper}\n";
