// SPDX-License-Identifier: BSD-3-Clause
// Test fixture: a model file of the repository, loaded, compiled for one formulation, with its data.
#pragma once

#include "test.h"

#include <cardan/cardan.h>
#include <stdlib.h>

typedef struct fixture {
    cardan_description* description;
    cardan_model*       model;
    cardan_data*        data;
    cardan_model_view   m;
    cardan_report       report;
    cardan_status       status; // of the last call
} fixture;

static inline bool fixture_open(fixture* f, const char* path, const char* formulation, int nsetting,
                                const cardan_parameter_setting* setting)
{
    char file[1024];
    *f = (fixture){0};
    snprintf(file, sizeof file, "%s/%s", CARDAN_SOURCE, path);
    cardan_load_options options = cardan_load_options_default();
    options.nsetting            = nsetting;
    options.setting             = setting;
    const int index             = cardan_formulation_find(formulation);
    bool      good              = cardan_description_load(file, &options, &f->description, &f->report) == CARDAN_OK;
    good = good && cardan_model_compile(f->description, cardan_formulation_tree_policy(index), &f->model, &f->report) ==
                       CARDAN_OK;
    f->status = good ? cardan_data_create(f->model, index, &f->data, &f->report) : CARDAN_BAD_INPUT;
    if (good) f->m = cardan_model_get_view(f->model);
    if (f->status == CARDAN_UNSUPPORTED && f->m.nconstraint > 0)
        return false; // the model has constraint rows and the formulation does not support them
    good = f->status == CARDAN_OK;
    for (int i = 0; i < f->report.count && !good; ++i) printf("%s\n", f->report.message[i].text);
    CHECK(good);
    return good;
}

static inline void fixture_close(fixture* f)
{
    cardan_data_destroy(f->data);
    cardan_model_destroy(f->model);
    cardan_description_destroy(f->description);
}

// Index of the joint or body with this name; a missing name fails the test.
static inline int fixture_joint(const fixture* f, const char* name)
{
    for (int i = 0; i < f->m.njoint; ++i)
        if (strcmp(cardan_model_joint_name(f->model, i), name) == 0) return i;
    printf("there is no joint '%s'\n", name);
    CHECK(false);
    return 0;
}

static inline int fixture_body(const fixture* f, const char* name)
{
    const cardan_description_view view = cardan_description_get_view(f->description);
    for (int i = 0; i < view.nbody; ++i)
        if (strcmp(view.body[i].name, name) == 0) return i;
    printf("there is no body '%s'\n", name);
    CHECK(false);
    return 0;
}
