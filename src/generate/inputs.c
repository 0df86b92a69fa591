// SPDX-License-Identifier: BSD-3-Clause
// Parameters as arguments: their names, and the mechanism with other values of them.
#include "generate/inputs.h"

#include "constraint/closure.h"
#include "core/report.h"
#include "core/text.h"
#include "model/description.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static cardan_status no_memory(cardan_report* report)
{
    return cardan_fail(report, CARDAN_NO_MEMORY, CARDAN_CODE_OUT_OF_MEMORY, cardan_nowhere(), "out of memory");
}

// Those of templates (FL.stiffness) are known while the file is read, and not afterwards: false.
static bool find(const cardan_model* m, cd_inputs* in, int i)
{
    const int at   = cardan_find_parameter(m->description, in->name[i]);
    in->place[i]   = at == CARDAN_NONE ? (cardan_place){.file = in->path} : m->view.parameter[at].place;
    in->nominal[i] = at == CARDAN_NONE ? NAN : m->view.parameter[at].value;
    return at != CARDAN_NONE;
}

// Warnings and notes of the file were told when the model was read from it; errors are new.
static cardan_status tell_errors(cardan_report* report, const cardan_report* said, cardan_status status)
{
    if (status != CARDAN_OK) cd_report_append(report, said, CD_TAKE_ERRORS);
    return status;
}

// The file read as it is, with its parameters told.
static cardan_status ask_file(cd_inputs* in, cardan_report* report)
{
    cardan_load_options options     = in->load ? *in->load : cardan_load_options_default();
    cardan_description* description = NULL;
    options.ninput                  = in->count;
    options.input                   = in->name;
    cardan_report said;
    cardan_report_clear(&said);
    const cardan_status status = cardan_load(in->path, &options, &description, &said);
    for (int i = 0; status == CARDAN_OK && i < in->count; ++i)
        if (isnan(in->nominal[i])) in->nominal[i] = cd_ledger_values(description->ledger)[i];
    cardan_description_destroy(description);
    return tell_errors(report, &said, status);
}

cardan_status cd_inputs_create(const cardan_generate_options* options, const cardan_model* m, cd_inputs* in,
                               cardan_report* report)
{
    const char* list = options->parameters;
    *in              = (cd_inputs){.path = options->path, .load = options->load};
    if (!list || !*list) return CARDAN_OK;
    if (!options->path)
        return cardan_fail(report, CARDAN_BAD_USAGE, CARDAN_CODE_INVALID_OPTION, cardan_nowhere(),
                           "parameters are those of a model file, which must be named");
    size_t n = 1;
    for (const char* s = list; *s; ++s) n += *s == ',';
    in->text    = cd_copy_string(list);
    in->name    = cd_allocate(n, sizeof *in->name);
    in->nominal = cd_allocate(n, sizeof *in->nominal);
    in->place   = cd_allocate(n, sizeof *in->place);
    if (!in->text || !in->name || !in->nominal || !in->place) return no_memory(report);
    bool all = true;
    for (char *rest = in->text, *name; (name = strsep(&rest, ","));) {
        for (int k = 0; k < in->count; ++k)
            if (strcmp(in->name[k], name) == 0)
                return cardan_fail(report, CARDAN_BAD_USAGE, CARDAN_CODE_INVALID_OPTION, cardan_nowhere(),
                                   "parameter '%s' is named twice", name);
        in->name[in->count] = name;
        all                 = find(m, in, in->count++) && all;
    }
    const cardan_status status = all ? CARDAN_OK : ask_file(in, report);
    for (int i = 0; status == CARDAN_OK && i < in->count; ++i)
        if (!isfinite(in->nominal[i]))
            return cardan_fail(report, CARDAN_BAD_INPUT, CARDAN_CODE_PARAMETER_UNUSED, in->place[i],
                               "parameter '%s' is used by nothing", in->name[i]);
    return status;
}

void cd_inputs_release(cd_inputs* in)
{
    free(in->text);
    free((void*)in->name);
    free(in->nominal);
    free(in->place);
    *in = (cd_inputs){0};
}

cardan_status cd_inputs_load(const cd_inputs* in, const double* value, bool carried, cardan_description** description,
                             cardan_model** model, cardan_report* report)
{
    enum { DIGITS = 32 };
    cardan_load_options options = in->load ? *in->load : cardan_load_options_default();
    const int           before  = options.nsetting;
    cardan_report       said;
    cardan_report_clear(&said);
    cardan_setting* setting = cd_allocate((size_t)(before + in->count) + 1, sizeof *setting);
    char*           digits  = cd_allocate((size_t)in->count + 1, DIGITS);
    *description            = NULL;
    *model                  = NULL;
    cardan_status status    = setting && digits ? CARDAN_OK : no_memory(report);
    if (status == CARDAN_OK) {
        if (before > 0) memcpy(setting, options.setting, (size_t)before * sizeof *setting);
        for (int i = 0; i < in->count; ++i) {
            snprintf(digits + DIGITS * i, DIGITS, "%.17g", value[i]);
            setting[before + i] = (cardan_setting){in->name[i], digits + DIGITS * i};
        }
        options.setting  = setting;
        options.nsetting = before + in->count;
        options.ninput   = carried ? in->count : 0;
        options.input    = in->name;
        status           = cardan_load(in->path, &options, description, &said);
    }
    free(setting);
    free(digits);
    if (status == CARDAN_OK) status = cardan_model_compile(*description, CARDAN_TREE_SHALLOW, model, &said);
    return tell_errors(report, &said, status);
}

bool cd_same_shape(const cardan_model* a, const cardan_model* b)
{
    if (a->nlink != b->nlink || a->nq != b->nq || a->nv != b->nv || a->nstate != b->nstate ||
        a->nmarker != b->nmarker || a->njoint != b->njoint || a->ncut != b->ncut || a->nlaw != b->nlaw ||
        a->view.nforce != b->view.nforce || a->view.nconstraint != b->view.nconstraint ||
        cd_closure_rows(a) != cd_closure_rows(b))
        return false;
    for (int i = 0; i < a->nlink; ++i)
        if (a->link[i].parent != b->link[i].parent || a->link[i].motion != b->link[i].motion) return false;
    return true;
}
