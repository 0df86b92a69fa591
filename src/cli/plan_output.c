// SPDX-License-Identifier: BSD-3-Clause
// Rows of a plan: ends of intervals and the points between.
#include "cli/plan_output.h"

#include "cli/messages.h"
#include "core/memory.h"
#include "core/text.h"
#include "io/results.h"

#include <cardan/dynamics.h>
#include <stdlib.h>
#include <string.h>

typedef struct sheet {
    const cardan_model*     model;
    cardan_model_view       look;
    cardan_view             described;
    const cardan_plan_view* plan;
    int                     ncolumn;
    cd_column*              column;
    char**                  name;
    double*                 value;
} sheet;

static const char* const sort[] = {"q", "v", "a", "effort"};

static const char* unit_of(const sheet* s, int j, int i, int kind)
{
    if (kind == 0) return cardan_model_q_unit(s->model, j, i);
    const bool turns = strcmp(cardan_model_q_unit(s->model, j, i), "rad") == 0;
    if (kind == 1) return cardan_model_v_unit(s->model, j, i);
    if (kind == 2) return turns ? "rad/s^2" : "m/s^2";
    return turns ? "N m" : "N";
}

static bool add(sheet* s, const char* joint, const char* what, int number, const char* unit)
{
    cd_text text = {0};
    if (joint) cd_text_format(&text, number > 0 ? "%s.%s%d" : "%s.%s", joint, what, number);
    else cd_text_add(&text, what);
    char* name                = cd_text_take(&text);
    s->name[s->ncolumn]       = name;
    s->column[s->ncolumn++]   = (cd_column){name, unit};
    return name != NULL;
}

static bool make_columns(sheet* s)
{
    const size_t most = 2 + 4 * (size_t)s->look.nv + (size_t)s->described.noutput;
    s->column         = cd_allocate(most, sizeof *s->column);
    s->name           = cd_allocate(most, sizeof *s->name);
    s->value          = cd_allocate(most, sizeof *s->value);
    bool ok           = s->column && s->name && s->value && add(s, NULL, "t", 0, "s");
    for (int j = 0; ok && j < s->look.njoint; ++j)
        for (int kind = 0; kind < 4; ++kind)
            for (int i = 0; ok && i < s->look.slot[j].nv; ++i)
                ok = add(s, cardan_model_joint_name(s->model, j), sort[kind], s->look.slot[j].nv > 1 ? i + 1 : 0, unit_of(s, j, i, kind));
    for (int i = 0; ok && i < s->described.noutput; ++i) ok = add(s, NULL, s->described.output[i].name, 0, s->described.output[i].unit);
    return ok;
}

static cardan_status write_row(const sheet* s, cardan_data* data, cd_results* results, int row)
{
    const size_t  n      = (size_t)s->look.nv, at = (size_t)row * n;
    const double* from[] = {s->plan->q + at, s->plan->v + at, s->plan->a + at, s->plan->effort + at};
    int           c      = 0;
    s->value[c++]        = s->plan->t[row];
    for (int j = 0; j < s->look.njoint; ++j)
        for (int kind = 0; kind < 4; ++kind)
            for (int i = 0; i < s->look.slot[j].nv; ++i) s->value[c++] = from[kind][s->look.slot[j].v + i];
    cardan_data_load(data, from[3], NULL);
    const cardan_status status = cardan_data_set(data, s->plan->t[row], from[0], from[1], s->look.state_start);
    for (int i = 0; i < s->described.noutput; ++i) s->value[c++] = cardan_evaluate(data, s->described.output[i].value);
    return status == CARDAN_OK ? cd_results_row(results, s->value) : status;
}

int cd_plan_write(const cardan_task* task, const cardan_plan_view* view, const char* path, bool force, cardan_report* report)
{
    sheet         s       = {.model = cardan_task_model(task), .plan = view};
    cd_results*   results = NULL;
    cardan_data*  data    = NULL;
    s.look                = cardan_model_look(s.model);
    s.described           = cardan_description_view(cardan_model_description(s.model));
    cardan_status status  = make_columns(&s) ? cardan_data_create(s.model, cardan_formulation_find("order-n"), &data, report) : CARDAN_NO_MEMORY;
    if (status == CARDAN_OK) status = cd_results_create(path, s.ncolumn, s.column, force, &results, report);
    for (int i = 0; status == CARDAN_OK && i < view->nrow; ++i) status = write_row(&s, data, results, i);
    if (status == CARDAN_OK) status = cd_results_close(results, report);
    else cd_results_discard(results);
    cardan_data_destroy(data);
    for (int i = 0; s.name && i < s.ncolumn; ++i) free(s.name[i]);
    free(s.name);
    free(s.column);
    free(s.value);
    return status == CARDAN_OK ? CD_EXIT_DONE : cd_say_failure(report, status);
}
