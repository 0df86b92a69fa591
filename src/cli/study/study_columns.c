// SPDX-License-Identifier: BSD-3-Clause
// Check that the results have the columns that a study collects, before any case runs. Varied parameters may change the
// mechanism, so the columns are determined with the fixed settings and at the first and last value of each parameter.
// If the study sets the formulation, which may change the coordinates, nothing is checked.
#include "cli/report/result_columns.h"
#include "cli/support/messages.h"
#include "cli/report/ocp_output.h"
#include "cli/study/sweep_case.h"

#include "core/memory.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static bool add_names(const cd_model_instance* c, cd_name_table* names)
{
    cd_columns* k  = cd_columns_create(c, "all");
    bool        ok = k != NULL;
    for (int i = 0; ok && i < cd_columns_count(k); ++i) {
        const char* name = cd_columns_header(k)[i].name;
        if (cd_name_table_find(names, name) < 0) ok = cd_name_table_add(names, name, 0) != NULL;
    }
    if (!ok) cd_report_no_memory();
    cd_columns_destroy(k);
    return ok;
}

static bool names_of_model(const cd_options* options, cd_name_table* names)
{
    cd_loaded_model   mechanism;
    cd_model_instance c  = {0};
    bool              ok = cd_loaded_model_open(&mechanism, options) == CD_EXIT_DONE;
    if (!ok) return false;
    ok = cd_report_if_no_memory(cd_model_instance_open(&c, &mechanism, CARDAN_NONE)) == CARDAN_OK &&
         add_names(&c, names);
    cd_model_instance_close(&c);
    cd_loaded_model_close(&mechanism);
    return ok;
}

// Add the columns of a task. JOINT.control is accepted wherever JOINT.effort exists, without checking which joints have
// controls.
static bool names_of_task(const cd_options* options, cd_name_table* names)
{
    cardan_report             ignored = {0};
    cd_model_instance         c       = {0};
    cardan_task*              task    = NULL;
    const cardan_load_options load    = {.nsetting = options->nsetting, .setting = options->setting};
    bool ok = cd_report_if_no_memory(cardan_task_load(options->operand[0], &load, &task, &ignored)) == CARDAN_OK;
    const cd_ocp_outcome o = {.options = options, .task = task};
    ok = ok && cd_report_if_no_memory(cd_ocp_instance_open(&o, &c, &ignored)) == CARDAN_OK && add_names(&c, names);
    cd_ocp_instance_close(&c);
    cardan_task_destroy(task);
    for (int i = 0, n = cd_name_table_count(names); ok && i < n; ++i) {
        char        control[300];
        const char* name = cd_name_table_at(names, i);
        const char* end  = strstr(name, ".effort");
        if (!end || strlen(name) > 200) continue;
        snprintf(control, sizeof control, "%.*s.control%s", (int)(end - name), name, end + strlen(".effort"));
        if (cd_name_table_find(names, control) < 0) ok = cd_name_table_add(names, control, 0) != NULL;
    }
    return ok;
}

// Collect the column names with the settings of the study and one more setting.
static bool collect_names(const cd_study_job* s, const cardan_parameter_setting* more, cd_name_table* names)
{
    const cd_parameter_study* study   = &s->study;
    cardan_parameter_setting* setting = cd_allocate((size_t)study->nset + 2, sizeof *setting);
    const char*               operand = study->operand;
    bool                      ok      = setting != NULL;
    if (!ok) cd_report_no_memory();
    for (int i = 0; ok && i < study->nset; ++i)
        setting[i] = (cardan_parameter_setting){study->set[i].name, study->set[i].value};
    if (ok && more) setting[study->nset] = *more;
    const cd_options options = {.operand  = &operand,
                                .noperand = 1,
                                .nsetting = study->nset + (more != NULL),
                                .setting  = setting,
                                .quiet    = true};
    ok = ok && (strcmp(study->command, "optimize") == 0 ? names_of_task : names_of_model)(&options, names);
    free(setting);
    return ok;
}

static bool is_option_given(const cd_parameter_study* study, const char* option)
{
    for (int i = 0; i < study->noption; ++i)
        if (strcmp(study->option[i].name, option) == 0) return true;
    for (int i = 0; i < study->nvariable; ++i)
        if (study->variable[i].is_option && strcmp(study->variable[i].name, option) == 0) return true;
    return false;
}

static const char* name_at(void* user, int i) { return cd_name_table_at(user, i); }

static bool has_missing_column(const cd_study_job* s, const cd_name_table* names)
{
    for (int i = 0; i < s->study.ncollect; ++i)
        if (s->study.collect[i].kind >= CD_COLLECT_START && cd_name_table_find(names, s->study.collect[i].source) < 0)
            return true;
    return false;
}

bool cd_study_check_columns(cd_study_job* s)
{
    const cd_parameter_study* study = &s->study;
    const bool                runs  = strcmp(study->command, "run") == 0 || strcmp(study->command, "optimize") == 0;
    if (!runs || !cd_parameter_study_needs_results(study) || is_option_given(study, "formulation")) return true;
    cd_name_table* names = cd_name_table_create();
    if (!names) cd_report_no_memory();
    bool names_known = names && cd_name_table_add(names, "t", 0) && collect_names(s, NULL, names), good = true;
    for (int i = 0; names_known && i < study->nvariable && has_missing_column(s, names); ++i) {
        const cd_study_variable* v    = &study->variable[i];
        const char*              name = strncmp(v->name, "set.", 4) == 0 ? v->name + 4 : v->name;
        for (int end = 0; !v->is_option && names_known && end < 2; ++end)
            names_known = collect_names(s, &(cardan_parameter_setting){name, v->text[end * (v->count - 1)]}, names);
    }
    for (int i = 0; names_known && i < study->ncollect; ++i) {
        const cd_collected_value* c = &study->collect[i];
        if (c->kind < CD_COLLECT_START || cd_name_table_find(names, c->source) >= 0) continue;
        const char* suggestion = cd_nearest_name(c->source, name_at, names);
        good                   = false;
        if (suggestion)
            cardan_fail(&s->report, CARDAN_BAD_INPUT, CARDAN_CODE_UNKNOWN_NAME, c->location,
                        "results of `cardan %s` have no column '%s' (did you mean '%s'?)", study->command, c->source,
                        suggestion);
        else
            cardan_fail(&s->report, CARDAN_BAD_INPUT, CARDAN_CODE_UNKNOWN_NAME, c->location,
                        "results of `cardan %s` have no column '%s'; its --help lists the columns", study->command,
                        c->source);
    }
    cd_name_table_destroy(names);
    return good;
}
