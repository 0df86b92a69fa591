// SPDX-License-Identifier: BSD-3-Clause
// Whether results will have the columns that a study collects, before any case is run. What varies may change the
// mechanism, so columns are looked for at the values as they are and at the first and last of each parameter; where the
// formulation is chosen, which may change coordinates, nothing is said.
#include "cli/columns.h"
#include "cli/messages.h"
#include "cli/plan_output.h"
#include "cli/study_call.h"

#include "core/memory.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static bool add_names(const cd_case* c, cd_names* names)
{
    cd_columns* k  = cd_columns_create(c, "all");
    bool        ok = k != NULL;
    for (int i = 0; ok && i < cd_columns_count(k); ++i) {
        const char* name = cd_columns_head(k)[i].name;
        if (cd_names_find(names, name) < 0) ok = cd_names_add(names, name, 0) != NULL;
    }
    if (!ok) cd_say_no_memory();
    cd_columns_destroy(k);
    return ok;
}

static bool names_of_model(const cd_options* options, cd_names* names)
{
    cd_mechanism mechanism;
    cd_case      c  = {0};
    bool         ok = cd_mechanism_open(&mechanism, options) == CD_EXIT_DONE;
    if (!ok) return false;
    ok = cd_heed_memory(cd_case_open(&c, &mechanism, CARDAN_NONE)) == CARDAN_OK && add_names(&c, names);
    cd_case_close(&c);
    cd_mechanism_close(&mechanism);
    return ok;
}

// JOINT.control is there where JOINT.effort is; which of them are controls is not looked at.
static bool names_of_task(const cd_options* options, cd_names* names)
{
    cardan_report             silent = {0};
    cd_case                   c      = {0};
    cardan_task*              task   = NULL;
    const cardan_load_options load   = {.nsetting = options->nsetting, .setting = options->setting};
    bool ok                 = cd_heed_memory(cardan_task_load(options->operand[0], &load, &task, &silent)) == CARDAN_OK;
    const cd_plan_outcome o = {.options = options, .task = task};
    ok = ok && cd_heed_memory(cd_plan_case_open(&o, &c, &silent)) == CARDAN_OK && add_names(&c, names);
    cd_plan_case_close(&c);
    cardan_task_destroy(task);
    for (int i = 0, n = cd_names_count(names); ok && i < n; ++i) {
        char        control[300];
        const char* name = cd_names_at(names, i);
        const char* end  = strstr(name, ".effort");
        if (!end || strlen(name) > 200) continue;
        snprintf(control, sizeof control, "%.*s.control%s", (int)(end - name), name, end + strlen(".effort"));
        if (cd_names_find(names, control) < 0) ok = cd_names_add(names, control, 0) != NULL;
    }
    return ok;
}

// Names at the settings of the study, and one more.
static bool look(const cd_sweep* s, const cardan_setting* more, cd_names* names)
{
    const cd_plan*  plan    = &s->plan;
    cardan_setting* setting = cd_allocate((size_t)plan->nset + 2, sizeof *setting);
    const char*     operand = plan->operand;
    bool            ok      = setting != NULL;
    if (!ok) cd_say_no_memory();
    for (int i = 0; ok && i < plan->nset; ++i) setting[i] = (cardan_setting){plan->set[i].name, plan->set[i].value};
    if (ok && more) setting[plan->nset] = *more;
    const cd_options options = {
        .operand = &operand, .noperand = 1, .nsetting = plan->nset + (more != NULL), .setting = setting, .quiet = true};
    ok = ok && (strcmp(plan->command, "optimize") == 0 ? names_of_task : names_of_model)(&options, names);
    free(setting);
    return ok;
}

static bool chosen(const cd_plan* plan, const char* option)
{
    for (int i = 0; i < plan->noption; ++i)
        if (strcmp(plan->option[i].name, option) == 0) return true;
    for (int i = 0; i < plan->nvariable; ++i)
        if (plan->variable[i].option && strcmp(plan->variable[i].name, option) == 0) return true;
    return false;
}

static const char* name_at(void* user, int i) { return cd_names_at(user, i); }

static bool missing(const cd_sweep* s, const cd_names* names)
{
    for (int i = 0; i < s->plan.ncollect; ++i)
        if (s->plan.collect[i].kind >= CD_COLLECT_START && cd_names_find(names, s->plan.collect[i].of) < 0) return true;
    return false;
}

bool cd_sweep_check_columns(cd_sweep* s)
{
    const cd_plan* plan = &s->plan;
    const bool     runs = strcmp(plan->command, "run") == 0 || strcmp(plan->command, "optimize") == 0;
    if (!runs || !cd_plan_wants_results(plan) || chosen(plan, "formulation")) return true;
    cd_names* names = cd_names_create();
    if (!names) cd_say_no_memory();
    bool known = names && cd_names_add(names, "t", 0) && look(s, NULL, names), good = true;
    for (int i = 0; known && i < plan->nvariable && missing(s, names); ++i) {
        const cd_variable* v    = &plan->variable[i];
        const char*        name = strncmp(v->name, "set.", 4) == 0 ? v->name + 4 : v->name;
        for (int end = 0; !v->option && known && end < 2; ++end)
            known = look(s, &(cardan_setting){name, v->text[end * (v->count - 1)]}, names);
    }
    for (int i = 0; known && i < plan->ncollect; ++i) {
        const cd_collect* c = &plan->collect[i];
        if (c->kind < CD_COLLECT_START || cd_names_find(names, c->of) >= 0) continue;
        const char* near = cd_nearest(c->of, name_at, names);
        good             = false;
        if (near)
            cardan_fail(&s->report, CARDAN_BAD_INPUT, CARDAN_CODE_UNKNOWN_NAME, c->place,
                        "results of `cardan %s` have no column '%s' (did you mean '%s'?)", plan->command, c->of, near);
        else
            cardan_fail(&s->report, CARDAN_BAD_INPUT, CARDAN_CODE_UNKNOWN_NAME, c->place,
                        "results of `cardan %s` have no column '%s'; its --help says which there are", plan->command,
                        c->of);
    }
    cd_names_destroy(names);
    return good;
}
