// SPDX-License-Identifier: BSD-3-Clause
// Model file in memory: its trees and tables are kept with the description that was read from it, so that parameters can
// be changed without reading a file. All values are computed by the same functions as at reading, with the same bits.
#include "io/yaml/read_model.h"

#include "core/check_arguments.h"
#include "core/memory.h"
#include "core/number_locale.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void free_settings(int count, cardan_parameter_setting* setting)
{
    for (int i = 0; setting && i < count; ++i) {
        free((char*)setting[i].name);
        free((char*)setting[i].value);
    }
    free(setting);
}

// Copy settings, with room for `more` of them. NULL without memory.
static cardan_parameter_setting* copy_settings(int count, const cardan_parameter_setting* from, int more)
{
    cardan_parameter_setting* copy = cd_allocate((size_t)(count + more) + 1, sizeof *copy);
    bool                      good = copy != NULL;
    for (int i = 0; good && i < count; ++i) {
        copy[i] = (cardan_parameter_setting){cd_copy_string(from[i].name), cd_copy_string(from[i].value)};
        good    = copy[i].name && copy[i].value;
    }
    if (good) return copy;
    free_settings(count, copy);
    return NULL;
}

cd_model_source* cd_model_source_create(const cardan_load_options* options)
{
    cd_model_source* s = cd_allocate(1, sizeof *s);
    if (!s) return NULL;
    s->options = *options;
    s->setting = copy_settings(options->nsetting, options->setting, 0);
    s->input   = cd_allocate((size_t)options->ninput + 1, sizeof *s->input);
    bool good  = s->setting && s->input;
    for (int i = 0; good && i < options->ninput; ++i) good = (s->input[i] = cd_copy_string(options->input[i])) != NULL;
    s->options.setting = s->setting;
    s->options.input   = (const char* const*)s->input;
    if (good) return s;
    cd_model_source_destroy(s);
    return NULL;
}

void cd_model_source_destroy(cd_model_source* s)
{
    if (!s) return;
    for (int i = 0; s->input && i < s->options.ninput; ++i) free(s->input[i]);
    free(s->input);
    free_settings(s->options.nsetting, s->setting);
    for (cd_source_mesh* m = s->first_mesh; m; m = m->next) cd_mesh_release(&m->mesh);
    cd_pool_release(&s->pool);
    free(s);
}

void cd_model_source_drop_setting(cd_model_source* source, int setting)
{
    free((char*)source->setting[setting].name);
    free((char*)source->setting[setting].value);
    --source->options.nsetting;
    for (int i = setting; i < source->options.nsetting; ++i) source->setting[i] = source->setting[i + 1];
}

// Numbers of elements and nodes: they tell whether something was added to a description.
static void get_size(const cardan_description* d, int size[17])
{
    const int now[17] = {d->nbody,
                         d->njoint,
                         d->ncoupling,
                         d->nmarker,
                         d->nshape,
                         d->ntable,
                         d->nforce,
                         d->nconstraint,
                         d->nstate,
                         d->noutput,
                         d->nparameter,
                         d->nsignal,
                         cd_graph_size(d->graph),
                         d->suspension ? 1 : 0,
                         d->nmaterial,
                         d->nmaterial_pair,
                         d->ncontact_pair};
    memcpy(size, now, sizeof now);
}

static void destroy_source(void* source) { cd_model_source_destroy(source); }

void cd_model_source_attach(cd_model_source* source, cardan_description* description)
{
    get_size(description, source->size);
    description->source         = source;
    description->destroy_source = destroy_source;
}

// Forget errors and references of the last evaluation. Without recursion on the first entries, so that lists are not
// limited; nesting is limited by the reader of YAML.
static void reset_flags(cd_yaml* node)
{
    node->has_error = node->is_referenced = false;
    for (int i = 0; i < node->count; ++i) {
        if (node->entry[i].key) reset_flags(node->entry[i].key);
        if (node->entry[i].value) reset_flags(node->entry[i].value);
    }
}

// Set one parameter in a list of settings with room for another. Returns false without memory.
static bool set_one(int* count, cardan_parameter_setting* setting, const char* name, double value)
{
    char text[40];
    int  i = 0;
    snprintf(text, sizeof text, "%.17g", value);
    while (i < *count && strcmp(setting[i].name, name) != 0) ++i;
    if (i == *count) {
        setting[i] = (cardan_parameter_setting){cd_copy_string(name), NULL};
        if (!setting[i].name) return false;
        ++*count;
    }
    free((char*)setting[i].value);
    setting[i].value = cd_copy_string(text);
    return setting[i].value != NULL;
}

static cardan_status evaluate_again(cd_model_source* source, const cardan_load_options* options,
                                    cardan_description* description, cardan_report* report)
{
    cardan_description* fresh = NULL;
    for (cd_yaml_file* f = source->first_file; f; f = f->next) reset_flags(f->root);
    const cardan_status status = cd_model_source_evaluate(source, options, &fresh, report);
    if (status) return status;
    const cardan_description old = *description;
    *description                 = *fresh;
    *fresh                       = old;
    fresh->source                = NULL;
    cardan_description_destroy(fresh);
    cd_model_source_attach(source, description);
    return CARDAN_OK;
}

static cardan_status check_arguments(const cardan_description* d, int count, const char* const* name,
                                     const double* value, cardan_report* report)
{
    CD_REQUIRE_POINTER(d, "description", report);
    bool good = count >= 0 && (count == 0 || (name && value));
    for (int i = 0; good && i < count; ++i) good = name[i] && isfinite(value[i]);
    int now[17];
    if (!good)
        return cardan_fail(report, CARDAN_BAD_USAGE, CARDAN_CODE_INVALID_ARGUMENT, cardan_location_none(),
                           "a name of a parameter is NULL, a value is not finite, or their number is negative");
    if (!d->source)
        return cardan_fail(report, CARDAN_BAD_USAGE, CARDAN_CODE_INVALID_ARGUMENT, cardan_location_none(),
                           "the description '%s' was not loaded from a model file: it has no parameters to set",
                           d->name);
    get_size(d, now);
    if (memcmp(now, ((cd_model_source*)d->source)->size, sizeof now) != 0)
        return cardan_fail(report, CARDAN_BAD_USAGE, CARDAN_CODE_INVALID_ARGUMENT, cardan_location_none(),
                           "elements or formulas were added to '%s' after it was loaded; set its parameters before",
                           d->name);
    return CARDAN_OK;
}

cardan_status cardan_description_set_parameters(cardan_description* description, int count, const char* const* name,
                                                const double* value, cardan_report* report)
{
    cardan_status status = check_arguments(description, count, name, value, report);
    if (status) return status;
    cd_model_source*          source  = description->source;
    cardan_load_options       options = source->options;
    cardan_parameter_setting* setting = copy_settings(options.nsetting, source->setting, count);
    bool                      good    = setting != NULL;
    const locale_t            before  = cd_locale_enter();
    for (int i = 0; good && i < count; ++i) good = set_one(&options.nsetting, setting, name[i], value[i]);
    options.setting = setting;
    status          = good ? evaluate_again(source, &options, description, report)
                           : cardan_fail(report, CARDAN_NO_MEMORY, CARDAN_CODE_OUT_OF_MEMORY, cardan_location_none(),
                                         "out of memory");
    cd_locale_leave(before);
    if (status) {
        free_settings(options.nsetting, setting);
        return status;
    }
    free_settings(source->options.nsetting, source->setting);
    source->options = options;
    source->setting = setting;
    return CARDAN_OK;
}
