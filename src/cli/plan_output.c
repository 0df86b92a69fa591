// SPDX-License-Identifier: BSD-3-Clause
// Rows of a plan: ends of intervals and the points between; some of them are shown in a strobe.
#include "cli/plan_output.h"

#include "cli/columns.h"
#include "cli/files.h"
#include "cli/messages.h"
#include "core/memory.h"

#include <stdlib.h>
#include <unistd.h>

enum { STROBE = 9 }; // instants of the picture unless --strobe says otherwise

cardan_status cd_plan_case_open(const cd_plan_outcome* o, cd_case* c, cardan_report* report)
{
    const cardan_model* model = cardan_task_model(o->task);
    *c                        = (cd_case){.model       = (cardan_model*)model,
                                          .look        = cardan_model_look(model),
                                          .formulation = cardan_task_formulation(o->task),
                                          .ncontrol    = o->view.ncontrol,
                                          .control     = o->view.control,
                                          .chosen      = o->view.effort};
    return cardan_data_create(model, c->formulation, &c->data, report);
}

void cd_plan_case_close(cd_case* c) { cardan_data_destroy(c->data); }

static cardan_status write_row(const cd_plan_outcome* o, cd_case* c, cd_columns* columns, cd_results* results,
                               cd_film* film, const cardan_view* view, int i)
{
    const size_t nq = (size_t)c->look.nq, nv = (size_t)c->look.nv, row = (size_t)i;
    cardan_row   r = {.t     = o->view.t[i],
                      .q     = o->view.q + row * nq,
                      .v     = o->view.v + row * nv,
                      .a     = o->view.a + row * nv,
                      .state = o->view.state + row * (size_t)c->look.nstate};
    c->chosen      = o->view.effort + row * nv;
    cardan_data_load(c->data, c->chosen, NULL);
    cardan_status status = cardan_data_set(c->data, r.t, r.q, r.v, r.state);
    if (status != CARDAN_OK) return status;
    r.energy = cardan_energy(c->data);
    if (film->most > 0) cd_film_add(film, view, c->data, r.t);
    if (film->failed) return CARDAN_NO_MEMORY;
    return cd_results_row(results, cd_columns_row(columns, c->data, &r));
}

static int write_rows(const cd_plan_outcome* o, cd_case* c, cd_columns* columns, cd_film* film, const cardan_view* view)
{
    cardan_report report  = {0};
    cd_results*   results = NULL;
    const char*   path    = o->files.stream ? "/dev/stdout" : o->files.csv;
    cardan_status status  = cd_results_create(path, cd_columns_count(columns), cd_columns_head(columns),
                                              o->options->force || o->files.stream, &results, &report);
    for (int i = 0; status == CARDAN_OK && i < o->view.nrow; ++i)
        status = write_row(o, c, columns, results, film, view, i);
    if (results && (status == CARDAN_OK || status == CARDAN_NO_FILE)) // of a row that failed closing says why
        status = cd_results_close(results, &report);
    else if (results)
        cd_results_discard(results);
    return status == CARDAN_OK ? CD_EXIT_DONE
                               : cd_say_not_written(&report, status, path, o->options->force || o->files.stream);
}

// The mechanism at instants of the motion, named as its task.
static int draw(const cd_plan_outcome* o, const cd_film* film, cardan_view view)
{
    cd_options options = *o->options;
    if (!options.title) options.title = cardan_task_name(o->task);
    const cd_mechanism mechanism = {.options = &options, .view = view};
    return cd_write_picture(&mechanism, film, o->files.picture, true);
}

int cd_plan_write(const cd_plan_outcome* o)
{
    cardan_report     report = {0};
    cd_case           c;
    cd_film           film   = {0};
    const cardan_view view   = cardan_description_view(cardan_model_description(cardan_task_model(o->task)));
    cardan_status     status = cd_plan_case_open(o, &c, &report);
    if (status == CARDAN_OK) status = cd_columns_check(&c, &report);
    int         code = status == CARDAN_OK ? CD_EXIT_DONE : cd_say_failure(&report, status);
    cd_columns* columns =
        code == CD_EXIT_DONE
            ? cd_columns_create(&c, o->options->columns ? o->options->columns : "default,accelerations,efforts")
            : NULL;
    if (code == CD_EXIT_DONE && !columns) code = CD_EXIT_USAGE;
    if (code == CD_EXIT_DONE && o->files.picture)
        cd_film_begin(&film, view.nbody, o->options->strobe > 0 ? o->options->strobe : STROBE, 0,
                      o->view.horizon * (1 - 1e-9));
    if (code == CD_EXIT_DONE) code = write_rows(o, &c, columns, &film, &view);
    if (code == CD_EXIT_DONE && o->files.csv &&
        (status = cardan_plan_save(o->plan, o->files.csv, &report)) != CARDAN_OK)
        code = cd_say_failure(&report, status);
    if (code == CD_EXIT_DONE && o->files.svg && (status = cd_plan_manifest(o, &report)) != CARDAN_OK)
        code = cd_say_failure(&report, status);
    if (code == CD_EXIT_DONE && o->files.svg) code = cd_plan_plot(o);
    if (code == CD_EXIT_DONE && o->files.picture) code = draw(o, &film, view);
    if (code != CD_EXIT_DONE && columns && o->files.svg)
        unlink(o->files.svg), unlink(o->files.picture); // those of an earlier motion
    cd_columns_destroy(columns);
    cd_film_free(&film);
    cd_plan_case_close(&c);
    return code;
}
