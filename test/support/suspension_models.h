// SPDX-License-Identifier: BSD-3-Clause
// Suspension studies from texts and files, and the model text of a suspension with parallel wishbones of equal length.
#pragma once

#include "fixture.h"

typedef struct scene {
    cardan_description*      description;
    cardan_suspension_study* study;
    cardan_suspension_sweep* sweep[CARDAN_SWEEP_KIND_COUNT];
    cardan_report            report;
} scene;

static inline cardan_status open_text(scene* s, const char* text)
{
    char name[1024];
    *s = (scene){0};
    snprintf(name, sizeof name, "%s/models/hmmwv/inline.yaml", CARDAN_SOURCE);
    cardan_status status = cardan_description_load_text(text, name, NULL, &s->description, &s->report);
    if (status == CARDAN_OK)
        status = cardan_suspension_study_create(s->description, CARDAN_TREE_BREADTH_FIRST, &s->study, &s->report);
    return status;
}

static inline cardan_status open_file(scene* s, const char* path, cardan_tree_policy policy)
{
    char file[1024];
    *s = (scene){0};
    snprintf(file, sizeof file, "%s/%s", CARDAN_SOURCE, path);
    cardan_status status = cardan_description_load(file, NULL, &s->description, &s->report);
    if (status == CARDAN_OK) status = cardan_suspension_study_create(s->description, policy, &s->study, &s->report);
    return status;
}

static inline void show(const scene* s)
{
    for (int i = 0; i < s->report.count; ++i) printf("%s\n", s->report.message[i].text);
}

static inline const cardan_suspension_sweep* sweep(scene* s, cardan_suspension_sweep_kind kind)
{
    if (!s->sweep[kind] && cardan_suspension_study_sweep(s->study, kind, &s->sweep[kind], &s->report) != CARDAN_OK) {
        show(s);
        CHECK(false);
    }
    return s->sweep[kind];
}

static inline void close_scene(scene* s)
{
    for (int k = 0; k < CARDAN_SWEEP_KIND_COUNT; ++k) cardan_suspension_sweep_destroy(s->sweep[k]);
    cardan_suspension_study_destroy(s->study);
    cardan_description_destroy(s->description);
}

#define OPEN(s, call)                                                                                                  \
    if ((call) != CARDAN_OK) {                                                                                         \
        show(s);                                                                                                       \
        CHECK(false);                                                                                                  \
        close_scene(s);                                                                                                \
        return;                                                                                                        \
    }

// ---- parallel wishbones of equal length

static const char wishbones[] =
    "cardan: 1\n"
    "gravity: [0, 0, 0]\n"
    "parameters: {l: 0.4, a: 0.2}\n"
    "points:\n"
    "  A: [0, 0.3, 0.2]\n"
    "  B: [0, =0.3 + l*cos(a), =0.2 - l*sin(a)]\n"
    "  C: [0, 0.3, 0.5]\n"
    "  D: [0, =0.3 + l*cos(a), =0.5 - l*sin(a)]\n"
    "  E: [-0.1, 0.3, 0.3]\n"
    "  F: [-0.1, =0.3 + l*cos(a), =0.3 - l*sin(a)]\n"
    "  W: [0, =0.4 + l*cos(a), =0.3 - l*sin(a)]\n"
    "  S: {between: [A, B]}\n"
    "bodies:\n"
    "  lower: {rod: [A, B], mass: 3}\n"
    "  upper: {rod: [C, D], mass: 2}\n"
    "  carrier: {at: W, mass: 20, inertia: [1, 1, 1]}\n"
    "joints:\n"
    "  lower: {revolute: [ground, lower], at: A, axis: x}\n"
    "  upper: {revolute: [ground, upper], at: C, axis: x}\n"
    "  B: {spherical: [lower, carrier], at: B}\n"
    "  D: {spherical: [upper, carrier], at: D}\n"
    "constraints:\n"
    "  rod: {distance: [{on: ground, at: E}, {on: carrier, at: F}]}\n"
    "forces:\n"
    "  coil: {spring: [{on: ground, at: [0, 0.35, 0.55]}, {on: lower, at: S}], stiffness: 40000, preload: -2500}\n";

static const char wishbone_study[] = "suspension:\n"
                                     "  travel: [-0.1, 0.1]\n"
                                     "  points: 21\n"
                                     "  wheels: {W: {hub: {on: carrier, at: W}, radius: 0.3, spring: coil, kingpin: "
                                     "[{on: carrier, at: B}, {on: carrier, at: D}]}}\n";
