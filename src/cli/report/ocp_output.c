// SPDX-License-Identifier: BSD-3-Clause
// Samples of an OCP solution: ends of the intervals and collocation points; snapshots of some of them.
#include "cli/report/ocp_output.h"

#include "cli/report/result_columns.h"
#include "cli/support/output_files.h"
#include "cli/support/messages.h"
#include "core/memory.h"

#include <stdlib.h>
#include <unistd.h>

enum { SNAPSHOTS_DEFAULT = 9 }; // default of --strobe

cardan_status cd_ocp_instance_open(const cd_ocp_outcome* o, cd_model_instance* c, cardan_report* report)
{
    const cardan_model* model = cardan_task_model(o->task);
    *c                        = (cd_model_instance){.model          = (cardan_model*)model,
                                                    .model_view     = cardan_model_get_view(model),
                                                    .formulation    = cardan_task_formulation(o->task),
                                                    .ncontrol       = o->view.ncontrol,
                                                    .control        = o->view.control,
                                                    .control_effort = o->view.effort};
    return cardan_data_create(model, c->formulation, &c->data, report);
}

void cd_ocp_instance_close(cd_model_instance* c) { cardan_data_destroy(c->data); }

static cardan_status write_sample(const cd_ocp_outcome* o, cd_model_instance* c, cd_columns* columns,
                                  cd_results* results, cd_snapshots* snapshots, const cardan_description_view* view,
                                  int i)
{
    const size_t  nq = (size_t)c->model_view.nq, nv = (size_t)c->model_view.nv, index = (size_t)i;
    cardan_sample sample = {.t     = o->view.t[i],
                            .q     = o->view.q + index * nq,
                            .v     = o->view.v + index * nv,
                            .a     = o->view.a + index * nv,
                            .state = o->view.state + index * (size_t)c->model_view.nstate};
    c->control_effort    = o->view.effort + index * nv;
    cardan_data_set_external_forces(c->data, c->control_effort, NULL);
    cardan_status status = cardan_data_set_state(c->data, sample.t, sample.q, sample.v, sample.state);
    if (status != CARDAN_OK) return status;
    sample.energy = cardan_data_energy(c->data);
    if (snapshots->count_max > 0) cd_snapshots_add(snapshots, view, c->data, sample.t);
    if (snapshots->failed) return CARDAN_NO_MEMORY;
    return cd_results_write_sample(results, cd_columns_sample(columns, c->data, &sample));
}

static int write_samples(const cd_ocp_outcome* o, cd_model_instance* c, cd_columns* columns, cd_snapshots* snapshots,
                         const cardan_description_view* view)
{
    cardan_report report  = {0};
    cd_results*   results = NULL;
    const char*   path    = o->files.stream ? "/dev/stdout" : o->files.csv;
    cardan_status status  = cd_results_create(path, cd_columns_count(columns), cd_columns_header(columns),
                                              o->options->force || o->files.stream, &results, &report);
    for (int i = 0; status == CARDAN_OK && i < o->view.nsample; ++i)
        status = write_sample(o, c, columns, results, snapshots, view, i);
    if (results &&
        (status == CARDAN_OK || status == CARDAN_FILE_ERROR)) // after a write error, closing reports the reason
        status = cd_results_close(results, &report);
    else if (results)
        cd_results_discard(results);
    return status == CARDAN_OK ? CD_EXIT_DONE
                               : cd_report_write_failure(&report, status, path, o->options->force || o->files.stream);
}

// Draw the snapshots of the motion with the name of the task as title.
static int draw(const cd_ocp_outcome* o, const cd_snapshots* snapshots, cardan_description_view view)
{
    cd_options options = *o->options;
    if (!options.title) options.title = cardan_task_name(o->task);
    const cd_loaded_model mechanism = {.options = &options, .view = view};
    return cd_write_mechanism_svg(&mechanism, snapshots, o->files.picture, true);
}

int cd_ocp_write_files(const cd_ocp_outcome* o)
{
    cardan_report                 report = {0};
    cd_model_instance             c;
    cd_snapshots                  snapshots = {0};
    const cardan_description_view view =
        cardan_description_get_view(cardan_model_description(cardan_task_model(o->task)));
    cardan_status status = cd_ocp_instance_open(o, &c, &report);
    if (status == CARDAN_OK) status = cd_columns_check_names(&c, &report);
    int         code = status == CARDAN_OK ? CD_EXIT_DONE : cd_report_failure(&report, status);
    cd_columns* columns =
        code == CD_EXIT_DONE
            ? cd_columns_create(&c, o->options->columns ? o->options->columns : "default,accelerations,efforts")
            : NULL;
    if (code == CD_EXIT_DONE && !columns) code = CD_EXIT_USAGE;
    if (code == CD_EXIT_DONE && o->files.picture)
        cd_snapshots_begin(&snapshots, view.nbody, o->options->strobe > 0 ? o->options->strobe : SNAPSHOTS_DEFAULT, 0,
                           o->view.horizon * (1 - 1e-9));
    if (code == CD_EXIT_DONE) code = write_samples(o, &c, columns, &snapshots, &view);
    if (code == CD_EXIT_DONE && o->files.csv && (status = cardan_ocp_save(o->ocp, o->files.csv, &report)) != CARDAN_OK)
        code = cd_report_failure(&report, status);
    if (code == CD_EXIT_DONE && o->files.svg && (status = cd_ocp_write_manifest(o, &report)) != CARDAN_OK)
        code = cd_report_failure(&report, status);
    if (code == CD_EXIT_DONE && o->files.svg) code = cd_ocp_write_plot(o);
    if (code == CD_EXIT_DONE && o->files.picture) code = draw(o, &snapshots, view);
    if (code != CD_EXIT_DONE && columns && o->files.svg)
        unlink(o->files.svg), unlink(o->files.picture); // files of an earlier solution
    cd_columns_destroy(columns);
    cd_snapshots_free(&snapshots);
    cd_ocp_instance_close(&c);
    return code;
}
