// SPDX-License-Identifier: BSD-3-Clause
// The formula is the output of a mechanism of its own with one body, so that it is parsed and evaluated as those of model
// files.
#include "view/mechanism/time_formula.h"

#include "core/memory.h"

#include <math.h>
#include <stdlib.h>

struct cd_time_formula {
    cardan_description* description;
    cardan_model*       model;
    cardan_data*        data;
};

static cardan_status describe(cd_time_formula* f, const char* formula, const cardan_description_view* parameters,
                              cardan_report* report)
{
    f->description = cardan_description_create("formula");
    if (!f->description) return CARDAN_NO_MEMORY;
    for (int i = 0; i < parameters->nparameter; ++i)
        if (cardan_description_add_parameter(f->description, &parameters->parameter[i]) == CARDAN_NONE)
            return CARDAN_NO_MEMORY;
    cardan_output       output = {.name = "formula"};
    const cardan_status status =
        cardan_description_parse(f->description, formula, cardan_location_none(), &output.value, report);
    if (status != CARDAN_OK) return status;
    cardan_body body         = cardan_body_default("body");
    body.mass                = 1;
    const int          index = cardan_description_add_body(f->description, &body);
    const cardan_joint joint = cardan_joint_default("joint", "prismatic", CARDAN_GROUND, index);
    const bool         added = index >= 0 && cardan_description_add_joint(f->description, &joint) >= 0 &&
                       cardan_description_add_output(f->description, &output) >= 0;
    return added ? CARDAN_OK : CARDAN_NO_MEMORY;
}

cardan_status cd_time_formula_create(const char* formula, const cardan_description_view* parameters,
                                     cd_time_formula** result, cardan_report* report)
{
    cd_time_formula* f = *result = cd_allocate(1, sizeof *f);
    cardan_status    status      = f ? describe(f, formula, parameters, report) : CARDAN_NO_MEMORY;
    const int        method      = cardan_formulation_find("order-n");
    if (status == CARDAN_OK)
        status = cardan_model_compile(f->description, cardan_formulation_tree_policy(method), &f->model, report);
    if (status == CARDAN_OK) status = cardan_data_create(f->model, method, &f->data, report);
    if (status == CARDAN_OK) return status;
    cd_time_formula_destroy(f);
    *result = NULL;
    return status;
}

void cd_time_formula_destroy(cd_time_formula* f)
{
    if (!f) return;
    cardan_data_destroy(f->data);
    cardan_model_destroy(f->model);
    cardan_description_destroy(f->description);
    free(f);
}

double cd_time_formula_value(cd_time_formula* f, double t)
{
    static const double none[1] = {0};
    double              value   = NAN;
    if (cardan_data_set_state(f->data, t, none, none, NULL) != CARDAN_OK) return NAN;
    cardan_data_evaluate_outputs(f->data, &value);
    return value;
}
