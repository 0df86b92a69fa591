// SPDX-License-Identifier: BSD-3-Clause
// Load a model, compile it and set its start state according to the options.
#include "cli/support/loaded_model.h"

#include "cli/support/messages.h"
#include "core/file.h"
#include "core/memory.h"
#include "core/text.h"
#include "dynamics/data.h"
#include "formulation/formulation.h"

#include <cardan/simulate.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static cardan_status read_state(const char* path, cd_json_document** document, cardan_report* report)
{
    char*         text   = NULL;
    size_t        length = 0;
    const bool    input  = strcmp(path, "-") == 0;
    cardan_status status = input ? cd_stdin_read(&text, &length, report) : cd_file_read(path, &text, &length, report);
    if (status == CARDAN_OK) status = cd_json_parse(text, length, input ? "standard input" : path, document, report);
    free(text);
    return status;
}

static const char* integrator_candidate(void* user, int i)
{
    (void)user;
    return i < cardan_integrator_count() ? cardan_integrator_name(i) : NULL;
}

static const char* formulation_candidate(void* user, int i)
{
    (void)user;
    return i < cardan_formulation_count() ? cardan_formulation_name(i) : NULL;
}

static const char* stabilization_candidate(void* user, int i)
{
    (void)user;
    return i < cardan_stabilization_count() ? cardan_stabilization_name(i) : NULL;
}

// "none, baumgarte, projection"
static void list_stabilizations(char* text, size_t size)
{
    size_t length = 0;
    for (int i = 0; i < cardan_stabilization_count() && length < size; ++i)
        length += (size_t)snprintf(text + length, size - length, "%s%s", i ? ", " : "", cardan_stabilization_name(i));
}

static cardan_status fail_unknown_setting(const char* what, const char* name, const char* suggestion,
                                          cardan_location location, cardan_report* report)
{
    return cardan_fail(report, CARDAN_BAD_INPUT, CARDAN_CODE_UNKNOWN_NAME, location,
                       "run: there is no %s '%s'%s%s%s; `cardan list %ss` lists them", what, name,
                       suggestion ? " (did you mean '" : "", suggestion ? suggestion : "", suggestion ? "'?)" : "",
                       what);
}

// Check the names of integrator, formulation and stabilization in the model file; the file reader has no access to
// their tables.
static cardan_status check_run_defaults(const cardan_run_defaults* defaults, cardan_report* report)
{
    cardan_status status = CARDAN_OK;
    if (!defaults) return status;
    if (defaults->integrator && cardan_integrator_find(defaults->integrator) == CARDAN_NONE)
        status = fail_unknown_setting("integrator", defaults->integrator,
                                      cd_nearest_name(defaults->integrator, integrator_candidate, NULL),
                                      defaults->integrator_location, report);
    if (defaults->formulation && !cd_formulation_is_auto(defaults->formulation) &&
        cardan_formulation_find(defaults->formulation) == CARDAN_NONE)
        status = fail_unknown_setting("formulation", defaults->formulation,
                                      cd_nearest_name(defaults->formulation, formulation_candidate, NULL),
                                      defaults->formulation_location, report);
    if (defaults->stabilization && cardan_stabilization_find(defaults->stabilization) == CARDAN_NONE) {
        char        names[200];
        const char* suggestion = cd_nearest_name(defaults->stabilization, stabilization_candidate, NULL);
        list_stabilizations(names, sizeof names);
        status = cardan_fail(report, CARDAN_BAD_INPUT, CARDAN_CODE_UNKNOWN_NAME, defaults->stabilization_location,
                             "run: there is no stabilization '%s'%s%s%s; available: %s", defaults->stabilization,
                             suggestion ? " (did you mean '" : "", suggestion ? suggestion : "",
                             suggestion ? "'?)" : "", names);
    }
    return status;
}

cardan_load_options cd_load_options(const cd_options* options)
{
    return (cardan_load_options){.nsetting      = options->nsetting,
                                 .setting       = options->setting,
                                 .strict        = options->strict,
                                 .floating_base = options->floating_base};
}

int cd_loaded_model_open(cd_loaded_model* mechanism, const cd_options* options)
{
    memset(mechanism, 0, sizeof *mechanism);
    mechanism->options = options;

    const cardan_load_options load = cd_load_options(options);
    cardan_status             status =
        cardan_description_load(options->operand[0], &load, &mechanism->description, &mechanism->report);
    if (status == CARDAN_OK)
        status = check_run_defaults(cardan_description_get_view(mechanism->description).run, &mechanism->report);
    if (status == CARDAN_OK && options->state)
        status = read_state(options->state, &mechanism->state, &mechanism->report);
    if (status == CARDAN_OK) {
        mechanism->view = cardan_description_get_view(mechanism->description);
        return CD_EXIT_DONE;
    }
    const int code = cd_report_failure(&mechanism->report, status);
    cd_loaded_model_close(mechanism);
    return code;
}

void cd_loaded_model_close(cd_loaded_model* mechanism)
{
    cd_json_destroy(mechanism->state);
    cardan_description_destroy(mechanism->description);
    mechanism->state       = NULL;
    mechanism->description = NULL;
}

void cd_loaded_model_warn(cd_loaded_model* mechanism)
{
    if (mechanism->report.no_memory) cd_report_no_memory();
    if (mechanism->options->quiet)
        cardan_report_clear(&mechanism->report);
    else
        cd_print_report(&mechanism->report);
}

static cardan_status set_start(cd_model_instance* c, cd_loaded_model* mechanism)
{
    const cardan_model_view* model_view = &c->model_view;
    c->q                                = cd_allocate((size_t)model_view->nq_joint + 1, sizeof *c->q);
    c->v                                = cd_allocate((size_t)model_view->nv_joint + 1, sizeof *c->v);
    c->a                                = cd_allocate((size_t)model_view->nv_joint + 1, sizeof *c->a);
    c->state                            = cd_allocate((size_t)model_view->nstate + 1, sizeof *c->state);
    c->start                            = cd_allocate((size_t)model_view->njoint + 1, sizeof *c->start);
    if (!c->q || !c->v || !c->a || !c->state || !c->start)
        return cardan_fail(&mechanism->report, CARDAN_NO_MEMORY, CARDAN_CODE_OUT_OF_MEMORY, cardan_location_none(),
                           "out of memory");
    memcpy(c->q, model_view->q_start, (size_t)model_view->nq * sizeof *c->q);
    memcpy(c->v, model_view->v_start, (size_t)model_view->nv * sizeof *c->v);
    if (model_view->nstate > 0)
        memcpy(c->state, model_view->state_start, (size_t)model_view->nstate * sizeof *c->state);
    for (int j = 0; j < model_view->njoint; ++j) c->start[j] = cardan_joint_start_default(c->model, j);
    c->t = isnan(mechanism->options->time) ? 0 : mechanism->options->time;

    cardan_status status = mechanism->state ? cd_state_file_apply(mechanism->state, c, &mechanism->report) : CARDAN_OK;
    if (status == CARDAN_OK && mechanism->state && isnan(mechanism->options->time))
        status = cd_state_file_time(mechanism->state, &c->t, &mechanism->report);
    if (status == CARDAN_OK) {
        cardan_model_normalize_position(c->model, c->q);
        status = cardan_data_set_state(c->data, c->t, c->q, c->v, c->state);
    }
    if (status == CARDAN_OK &&
        (model_view->nconstraint > 0 || model_view->nq_joint > model_view->nq)) // loops, or maximal coordinates
        status = cardan_data_assemble(c->data, c->start, NULL, NULL, &c->assembly, &mechanism->report);
    if (status == CARDAN_OK) cardan_data_joint_motions(c->data, NULL, c->q, c->v, NULL);
    return status;
}

void cd_note_unused_threads(cd_loaded_model* mechanism, int formulation)
{
    if (mechanism->options->threads < 2 || cd_formulation_at(formulation)->set_threads) return;
    cd_text names = {0};
    for (int i = 0; i < cd_formulation_count(); ++i)
        if (cd_formulation_at(i)->set_threads)
            cd_text_format(&names, "%s%s", names.length > 0 ? ", " : "", cd_formulation_at(i)->name);
    if (names.failed)
        cardan_fail(&mechanism->report, CARDAN_NO_MEMORY, CARDAN_CODE_OUT_OF_MEMORY, cardan_location_none(),
                    "out of memory");
    else
        cardan_note(&mechanism->report, CARDAN_CODE_THREADS_UNUSED, cardan_location_none(),
                    "%s uses one thread, --threads has no effect; formulations with several threads: %s",
                    cd_formulation_at(formulation)->name, names.data);
    cd_text_free(&names);
}

cardan_status cd_model_instance_open(cd_model_instance* c, cd_loaded_model* mechanism, int formulation)
{
    const bool without_formulation = formulation == CARDAN_NONE;
    memset(c, 0, sizeof *c);
    c->formulation       = formulation;
    c->reaction_point    = mechanism->options->reaction_point;
    cardan_status status = cardan_model_compile(mechanism->description,
                                                without_formulation ? CARDAN_TREE_BREADTH_FIRST
                                                                    : cardan_formulation_tree_policy(formulation),
                                                &c->model, &mechanism->report);
    if (status == CARDAN_OK) {
        c->model_view = cardan_model_get_view(c->model);
        status        = without_formulation ? cd_data_create_without_formulation(c->model, &c->data, &mechanism->report)
                                            : cardan_data_create(c->model, formulation, &c->data, &mechanism->report);
    }
    if (status == CARDAN_OK && mechanism->options->threads > 1)
        status = cardan_data_set_threads(c->data, mechanism->options->threads, &mechanism->report);
    if (status == CARDAN_OK) status = set_start(c, mechanism);
    if (status != CARDAN_OK) cd_model_instance_close(c);
    return status;
}

void cd_model_instance_close(cd_model_instance* c)
{
    cardan_data_destroy(c->data);
    cardan_model_destroy(c->model);
    free(c->q);
    free(c->v);
    free(c->a);
    free(c->state);
    free(c->start);
    memset(c, 0, sizeof *c);
}

const char* cd_effort_unit(const cardan_model* model, int joint, int i)
{
    return cd_joint_velocity_is_rotation(model, joint, i) ? "N m" : "N";
}
