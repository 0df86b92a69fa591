// SPDX-License-Identifier: BSD-3-Clause
// Parameters as arguments: their names, and the model with other values of them.
#include "generate/routine/parameter_arguments.h"

#include "constraint/constraint_set.h"
#include "core/report.h"
#include "core/text.h"
#include "model/description.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static cardan_status no_memory(cardan_report* report)
{
    return cardan_fail(report, CARDAN_NO_MEMORY, CARDAN_CODE_OUT_OF_MEMORY, cardan_location_none(), "out of memory");
}

// Find location and value of parameter i. Returns false for parameters of templates (FL.stiffness), which exist only
// while the file is loaded.
static bool find_parameter(const cardan_model* m, cd_parameter_arguments* in, int i)
{
    const int at    = cardan_description_find_parameter(m->description, in->name[i]);
    in->location[i] = at == CARDAN_NONE ? (cardan_location){.file = in->path} : m->view.parameter[at].location;
    in->nominal[i]  = at == CARDAN_NONE ? NAN : m->view.parameter[at].value;
    return at != CARDAN_NONE;
}

// Append errors only; warnings and notes of the file were reported when the model was loaded first.
static cardan_status report_errors(cardan_report* report, const cardan_report* messages, cardan_status status)
{
    if (status != CARDAN_OK) cd_report_append(report, messages, CD_APPEND_ERRORS);
    return status;
}

// Load the file with its own values, in order to find the nominal values of the parameters of templates.
static cardan_status read_nominal_values(cd_parameter_arguments* in, cardan_report* report)
{
    cardan_load_options options     = in->load_options ? *in->load_options : cardan_load_options_default();
    cardan_description* description = NULL;
    options.ninput                  = in->count;
    options.input                   = in->name;
    cardan_report messages;
    cardan_report_clear(&messages);
    const cardan_status status = cardan_description_load(in->path, &options, &description, &messages);
    for (int i = 0; status == CARDAN_OK && i < in->count; ++i)
        if (isnan(in->nominal[i])) in->nominal[i] = cd_parametric_input_values(description->parametric)[i];
    cardan_description_destroy(description);
    return report_errors(report, &messages, status);
}

cardan_status cd_parameter_arguments_create(const cardan_generate_options* options, const cardan_model* m,
                                            cd_parameter_arguments* in, cardan_report* report)
{
    const char* list = options->parameters;
    *in              = (cd_parameter_arguments){.path = options->path, .load_options = options->load};
    if (!list || !*list) return CARDAN_OK;
    if (!options->path)
        return cardan_fail(report, CARDAN_BAD_USAGE, CARDAN_CODE_INVALID_OPTION, cardan_location_none(),
                           "parameters require the path of a model file");
    size_t n = 1;
    for (const char* s = list; *s; ++s) n += *s == ',';
    in->text     = cd_copy_string(list);
    in->name     = cd_allocate(n, sizeof *in->name);
    in->nominal  = cd_allocate(n, sizeof *in->nominal);
    in->location = cd_allocate(n, sizeof *in->location);
    if (!in->text || !in->name || !in->nominal || !in->location) return no_memory(report);
    bool all = true;
    for (char *remaining = in->text, *name; (name = strsep(&remaining, ","));) {
        for (int k = 0; k < in->count; ++k)
            if (strcmp(in->name[k], name) == 0)
                return cardan_fail(report, CARDAN_BAD_USAGE, CARDAN_CODE_INVALID_OPTION, cardan_location_none(),
                                   "parameter '%s' is named twice", name);
        in->name[in->count] = name;
        all                 = find_parameter(m, in, in->count++) && all;
    }
    const cardan_status status = all ? CARDAN_OK : read_nominal_values(in, report);
    for (int i = 0; status == CARDAN_OK && i < in->count; ++i)
        if (!isfinite(in->nominal[i]))
            return cardan_fail(report, CARDAN_BAD_INPUT, CARDAN_CODE_PARAMETER_UNUSED, in->location[i],
                               "parameter '%s' is not used by the model", in->name[i]);
    return status;
}

void cd_parameter_arguments_release(cd_parameter_arguments* in)
{
    free(in->text);
    free((void*)in->name);
    free(in->nominal);
    free(in->location);
    *in = (cd_parameter_arguments){0};
}

cardan_status cd_parameter_arguments_load(const cd_parameter_arguments* in, const double* value, bool parametric,
                                          cardan_description** description, cardan_model** model, cardan_report* report)
{
    enum { DIGITS = 32 };
    cardan_load_options options = in->load_options ? *in->load_options : cardan_load_options_default();
    const int           before  = options.nsetting;
    cardan_report       messages;
    cardan_report_clear(&messages);
    cardan_parameter_setting* setting = cd_allocate((size_t)(before + in->count) + 1, sizeof *setting);
    char*                     digits  = cd_allocate((size_t)in->count + 1, DIGITS);
    *description                      = NULL;
    *model                            = NULL;
    cardan_status status              = setting && digits ? CARDAN_OK : no_memory(report);
    if (status == CARDAN_OK) {
        if (before > 0) memcpy(setting, options.setting, (size_t)before * sizeof *setting);
        for (int i = 0; i < in->count; ++i) {
            snprintf(digits + DIGITS * i, DIGITS, "%.17g", value[i]);
            setting[before + i] = (cardan_parameter_setting){in->name[i], digits + DIGITS * i};
        }
        options.setting  = setting;
        options.nsetting = before + in->count;
        options.ninput   = parametric ? in->count : 0;
        options.input    = in->name;
        status           = cardan_description_load(in->path, &options, description, &messages);
    }
    free(setting);
    free(digits);
    if (status == CARDAN_OK) status = cardan_model_compile(*description, CARDAN_TREE_BREADTH_FIRST, model, &messages);
    return report_errors(report, &messages, status);
}

bool cd_same_topology(const cardan_model* a, const cardan_model* b)
{
    if (a->nlink != b->nlink || a->nq != b->nq || a->nv != b->nv || a->nstate != b->nstate ||
        a->nmarker != b->nmarker || a->njoint != b->njoint || a->ncut != b->ncut ||
        a->njoint_force != b->njoint_force || a->view.nforce != b->view.nforce ||
        a->view.nconstraint != b->view.nconstraint || cd_constraint_row_count(a) != cd_constraint_row_count(b))
        return false;
    for (int i = 0; i < a->nlink; ++i)
        if (a->link[i].parent != b->link[i].parent || a->link[i].motion != b->link[i].motion) return false;
    return true;
}
