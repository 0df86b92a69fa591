// SPDX-License-Identifier: BSD-3-Clause
// Inverse dynamics of a recorded motion. As many recorded coordinates as the mechanism has degrees of freedom are
// driven, those with motors first; the driven motion satisfies the constraints exactly. At every sample the motors of
// the mechanism without these drivers get the efforts that produce its accelerations.
#include "cli/report/result_columns.h"
#include "cli/cli_tolerances.h"
#include "cli/commands/commands.h"
#include "cli/report/result_curves.h"
#include "cli/support/output_files.h"
#include "cli/report/manifest.h"
#include "cli/support/messages.h"
#include "cli/support/motor_list.h"
#include "cli/support/terminal_print.h"
#include "cli/support/progress.h"
#include "cli/support/recorded_motion.h"
#include "cli/support/singular_warnings.h"
#include "cli/report/value_text.h"
#include "core/memory.h"
#include "dynamics/data.h"
#include "dynamics/reactions/actuator_efforts.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { DOF_MAX = 1000 }; // computed

typedef struct inverse_run {
    cd_loaded_model*   mechanism;
    cd_model_instance  instance; // with its own forces and drivers only
    cd_motor_list      list;
    cardan_motors*     motors;
    cd_recorded_motion recording;
    int*               driven; // (ndriven) indices of recorded coordinates
    int                ndriven, first_driver;

    cardan_description* description; // with the added drivers
    cardan_model*       model;
    cardan_data*        data;

    cd_columns*   columns;
    int           ncolumn;
    cd_column*    header;
    char**        name; // (nmotor)
    double *      value, *effort, *a;
    cd_results*   results;
    cd_plot_data* plot_data;
    cd_progress   progress;
    char *        csv, *svg;
    bool          stream;
    int           nredundant;
    double        residual_max, acceleration_max, residual_max_time;
    double        singular_time; // [s] of the first sample at a singular configuration, or NAN
    cardan_status status;
} inverse_run;

// ---- driven coordinates

static bool is_motor(const inverse_run* w, cardan_motor coordinate)
{
    for (int i = 0; i < w->list.nmotor; ++i)
        if (w->list.motor[i].joint == coordinate.joint && w->list.motor[i].axis == coordinate.axis) return true;
    return false;
}

static cardan_status choose_driven(inverse_run* w)
{
    cardan_report* report = &w->mechanism->report;
    const int      n      = w->recording.ncoordinate;
    cardan_motor*  order  = cd_allocate((size_t)n, sizeof *order);
    int*           from   = cd_allocate((size_t)n, sizeof *from);
    bool*          chosen = cd_allocate((size_t)n, sizeof *chosen);
    cardan_motors* all    = NULL;
    w->driven             = cd_allocate((size_t)n, sizeof *w->driven);
    cardan_status status  = order && from && chosen && w->driven ? CARDAN_OK : CARDAN_NO_MEMORY;
    int           dof = 0, count = 0;
    for (int pass = 0; pass < 2 && status == CARDAN_OK; ++pass)
        for (int i = 0; i < n; ++i)
            if (is_motor(w, w->recording.coordinate[i]) == (pass == 0)) {
                order[count]  = w->recording.coordinate[i];
                from[count++] = i;
            }
    if (status == CARDAN_OK) status = cardan_motors_create(w->instance.data, n, order, &all, report);
    if (status == CARDAN_OK) status = cd_find_independent_motors(all, chosen);
    if (status == CARDAN_OK) status = cardan_data_degrees_of_freedom(w->instance.data, DOF_MAX, &dof, NULL, report);
    for (int i = 0; i < n && status == CARDAN_OK; ++i)
        if (chosen[i] && w->ndriven < dof) w->driven[w->ndriven++] = from[i];
    if (status == CARDAN_OK && w->ndriven < dof)
        status = cardan_fail(report, CARDAN_BAD_INPUT, CARDAN_CODE_MOTION_INCOMPLETE,
                             (cardan_location){.file = w->mechanism->options->motion},
                             "the recorded motion does not determine the motion of '%s': %d of its degrees of freedom "
                             "are recorded, and it has %s%d",
                             w->mechanism->view.name, w->ndriven, dof == DOF_MAX ? "at least " : "", dof);
    cardan_motors_destroy(all);
    free(order);
    free(from);
    free(chosen);
    return status;
}

// Load the mechanism again and add drivers whose values cardan_data_set_driver sets.
static cardan_status build_driven(inverse_run* w)
{
    const cd_options*         options = w->mechanism->options;
    cardan_report*            report  = &w->mechanism->report;
    const cardan_load_options load    = {
           .nsetting = options->nsetting, .setting = options->setting, .floating_base = options->floating_base};
    cardan_report ignored = {0};
    cardan_status status  = cardan_description_load(options->operand[0], &load, &w->description, &ignored);
    for (int i = 0; i < w->ndriven && status == CARDAN_OK; ++i) {
        const cardan_motor at = w->recording.coordinate[w->driven[i]];
        cardan_constraint c = cardan_constraint_default(cardan_model_joint_name(w->instance.model, at.joint), "driver");
        c.njoint            = 1;
        c.joint[0]          = at.joint;
        c.axis[0]           = at.axis;
        c.driver[0]         = cardan_description_add_constant(w->description, 0);
        if (cardan_description_add_constraint(w->description, &c) < 0) status = CARDAN_NO_MEMORY;
    }
    if (status == CARDAN_OK)
        status = cardan_model_compile(w->description, cardan_formulation_tree_policy(w->instance.formulation),
                                      &w->model, report);
    if (status == CARDAN_OK) status = cardan_data_create(w->model, w->instance.formulation, &w->data, report);
    if (status != CARDAN_OK) return status;
    // the added drivers are the last constraints, but drivers of joints follow all constraints
    const int own   = cardan_data_driver_count(w->instance.data);
    w->first_driver = -1;
    for (int i = 0; i <= own && w->first_driver < 0; ++i) {
        const cardan_driver d  = cardan_data_driver_at(w->data, i);
        const cardan_motor  at = w->recording.coordinate[w->driven[0]];
        if (d.joint == at.joint && d.axis == at.axis) w->first_driver = i;
    }
    return w->first_driver < 0 ? CARDAN_UNSUPPORTED : CARDAN_OK;
}

static void set_drivers(void* user, cardan_data* data, double t)
{
    const inverse_run* w = user;
    for (int i = 0; i < w->ndriven; ++i) {
        double motion[3];
        cd_recorded_motion_evaluate(&w->recording, w->driven[i], t, motion);
        cardan_data_set_driver(data, w->first_driver + i, motion);
    }
}

// Assemble the first configuration: recorded values are guesses, driver values are fixed.
static cardan_status assemble(inverse_run* w)
{
    const cd_recorded_motion* r = &w->recording;
    for (int i = 0; i < r->ncoordinate; ++i) {
        cardan_joint_start* start = &w->instance.start[r->coordinate[i].joint];
        start->position_mode = start->velocity_mode = CARDAN_START_GUESS;
        start->q[r->coordinate[i].axis]             = r->q[i][0];
        start->v[r->coordinate[i].axis]             = r->v[i][0];
    }
    for (int j = 0; j < w->instance.model_view.njoint; ++j) {
        cardan_joint_start* start = &w->instance.start[j];
        if (start->position_mode == CARDAN_START_FIXED) start->position_mode = CARDAN_START_GUESS;
        if (start->velocity_mode == CARDAN_START_FIXED) start->velocity_mode = CARDAN_START_GUESS;
    }
    set_drivers(w, w->data, r->t[0]);
    cardan_data_set_state(w->data, r->t[0], w->instance.q, w->instance.v, w->instance.state);
    return cardan_data_assemble(w->data, w->instance.start, w->instance.q, w->instance.v, NULL, &w->mechanism->report);
}

// ---- results

static bool name_columns(inverse_run* w)
{
    const int        n    = cd_columns_count(w->columns);
    const cd_column* head = cd_columns_header(w->columns);
    w->ncolumn            = n + w->list.nmotor;
    w->header             = cd_allocate((size_t)w->ncolumn, sizeof *w->header);
    w->value              = cd_allocate((size_t)w->ncolumn, sizeof *w->value);
    w->name               = cd_allocate((size_t)w->list.nmotor, sizeof *w->name);
    w->effort             = cd_allocate((size_t)w->list.nmotor, sizeof *w->effort);
    w->a                  = cd_allocate((size_t)w->instance.model_view.nv_joint + 1, sizeof *w->a);
    if (!w->header || !w->value || !w->name || !w->effort || !w->a) return false;
    memcpy(w->header, head, (size_t)n * sizeof *head);
    for (int i = 0; i < w->list.nmotor; ++i) {
        const cardan_motor m    = w->list.motor[i];
        cd_text            text = {0};
        cd_text_format(&text, w->instance.model_view.joint_range[m.joint].nv > 1 ? "%s.motor%d" : "%s.motor",
                       cardan_model_joint_name(w->instance.model, m.joint), m.axis + 1);
        w->name[i]       = cd_text_detach(&text);
        w->header[n + i] = (cd_column){w->name[i], cd_effort_unit(w->instance.model, m.joint, m.axis)};
        if (!w->name[i]) return false;
    }
    return true;
}

static bool on_sample(void* user, cardan_data* data, const cardan_sample* sample)
{
    inverse_run*   w      = user;
    cardan_report* report = &w->mechanism->report;
    double         residual;
    const bool     unknown = cd_prescribed_motion_is_singular(data);
    if (unknown && isnan(w->singular_time)) w->singular_time = sample->t;
    cardan_data_set_state(w->instance.data, sample->t, sample->q, sample->v, sample->state);
    cardan_data_set_external_forces(w->instance.data, NULL, NULL);
    w->status = cardan_motors_efforts(w->motors, sample->a, w->effort, &w->nredundant, &residual, report);
    if (w->status != CARDAN_OK) return false;
    for (int v = 0; v < w->instance.model_view.nv && !unknown; ++v)
        w->acceleration_max = fmax(w->acceleration_max, fabs(sample->a[v]));
    if (residual > w->residual_max && !unknown) w->residual_max = residual, w->residual_max_time = sample->t;
    cardan_motors_apply(w->motors, w->effort);
    w->status = cardan_data_accelerate(w->instance.data, w->a, NULL, report);
    if (w->status != CARDAN_OK) return false;
    cardan_sample own_sample = *sample;
    own_sample.a             = w->a;
    own_sample.energy        = cardan_data_energy(w->instance.data);
    const double* part       = cd_columns_sample(w->columns, w->instance.data, &own_sample);
    if (unknown) cd_columns_clear_accelerations(w->columns);
    for (int i = 0; i < w->list.nmotor && unknown; ++i) w->effort[i] = NAN;
    memcpy(w->value, part, (size_t)cd_columns_count(w->columns) * sizeof *part);
    memcpy(w->value + cd_columns_count(w->columns), w->effort, (size_t)w->list.nmotor * sizeof *part);
    cd_plot_data_add_sample(w->plot_data, w->value);
    w->status = cd_results_write_sample(w->results, w->value);
    return w->status == CARDAN_OK && !cd_is_interrupted();
}

static bool on_progress(void* user, double t)
{
    inverse_run* w = user;
    cd_progress_show(&w->progress, t);
    return !cd_is_interrupted();
}

static int name_files(inverse_run* w)
{
    const cd_options* options = w->mechanism->options;
    w->stream                 = cd_is_standard_output(options->output);
    if (w->stream)
        w->csv = cd_copy_string("/dev/stdout");
    else
        w->csv =
            options->output ? cd_copy_string(options->output) : cd_result_path(w->mechanism->view.name, "-inverse.csv");
    if (!w->csv || (!w->stream && !(w->svg = cd_results_sibling_path(w->csv, ".svg")))) return cd_report_no_memory();
    if (w->stream || (cd_can_write(w->csv, options->force) && cd_can_write(w->svg, options->force)))
        return CD_EXIT_DONE;
    return CD_EXIT_INPUT;
}

static int report_outcome(inverse_run* w, const cardan_run_summary* summary)
{
    const cd_options* options = w->mechanism->options;
    if (options->json && !w->stream) {
        cd_text        text = {0};
        cd_json_writer json = cd_json_writer_to(&text);
        cd_json_begin_object(&json, NULL);
        cd_json_string(&json, "status", "ok");
        cd_json_number(&json, "time", summary->t);
        cd_json_integer(&json, "samples", summary->samples);
        cd_json_integer(&json, "motors", w->list.nmotor);
        cd_json_integer(&json, "redundant_motors", w->nredundant);
        cd_json_number(&json, "residual_acceleration", w->residual_max);
        cd_json_string(&json, "csv", w->csv);
        cd_json_end(&json);
        return cd_print_and_free_text(&text);
    }
    if (options->quiet || w->stream) return CD_EXIT_DONE;
    cd_print("%s: %g s of motion, %s\n", w->mechanism->view.name, summary->t - w->recording.t[0],
             cd_plural_text(w->list.nmotor, "motor", "motors").text);
    if (w->nredundant > 0)
        cd_print("  %s more than the %d required: the efforts of least norm are given\n",
                 cd_plural_text(w->nredundant, "motor", "motors").text, w->list.nmotor - w->nredundant);
    cd_print("  %s (%s)", w->csv, cd_plural_text(summary->samples, "sample", "samples").text);
    if (summary->samples > 1) cd_print("   %s", w->svg);
    cd_print("\n");
    return CD_EXIT_DONE;
}

static cardan_status write_manifest(const inverse_run* w, cardan_status status, const cardan_run_settings* run,
                                    const cardan_run_summary* summary)
{
    const cd_options* options = w->mechanism->options;
    char              word[CD_WORD_LENGTH];
    cd_manifest       m;
    cd_manifest_begin(&m, w->mechanism, 16);
    cd_manifest_add(&m, cd_manifest_text("settings.formulation", cardan_formulation_name(w->instance.formulation)));
    cd_manifest_add(&m, cd_manifest_text("settings.analysis", "inverse dynamics"));
    cd_manifest_add(&m, cd_manifest_text("settings.motion", options->motion));
    if (options->motors) cd_manifest_add(&m, cd_manifest_text("settings.motors", options->motors));
    cd_manifest_add(&m, cd_manifest_number("settings.start", run->start));
    cd_manifest_add(&m, cd_manifest_number("settings.end", run->end));
    cd_manifest_add(&m, cd_manifest_number("settings.output_interval", run->output_interval));
    cd_manifest_add(&m, cd_manifest_text("outcome.status", cd_status_json_name(status, word)));
    cd_manifest_add(&m, cd_manifest_number("outcome.time", summary->t));
    cd_manifest_add(&m, cd_manifest_integer("outcome.samples", summary->samples));
    cd_manifest_add(&m, cd_manifest_integer("outcome.motors", w->list.nmotor));
    cd_manifest_add(&m, cd_manifest_integer("outcome.redundant_motors", w->nredundant));
    cd_manifest_add(&m, cd_manifest_number("outcome.residual_acceleration", w->residual_max));
    return cd_manifest_end(&m, w->csv, &w->mechanism->report);
}

static int finish(inverse_run* w, cardan_status status, const cardan_run_settings* run,
                  const cardan_run_summary* summary)
{
    cardan_report* report = &w->mechanism->report;
    if (status == CARDAN_STOPPED && w->status != CARDAN_OK) status = w->status;
    if (status == CARDAN_OK && w->residual_max > cd_unproduced_acceleration_tolerance * w->acceleration_max)
        status = cd_fail_too_few_motors(&w->instance, w->residual_max_time, w->residual_max, report);
    if (summary->samples == 0 || status == CARDAN_BAD_INPUT) {
        cd_results_discard(w->results);
        return cd_report_failure(report, status);
    }
    cardan_status closed = cd_results_close(w->results, report);
    if (closed != CARDAN_OK)
        return cd_report_write_failure(report, closed, w->csv, w->mechanism->options->force || w->stream);
    if (!w->stream && (closed = write_manifest(w, status, run, summary)) != CARDAN_OK) {
        cd_remove_sibling(w->csv, ".manifest.json"); // files of an earlier run
        cd_remove_sibling(w->csv, ".svg");
        return cd_report_failure(report, closed);
    }
    if (status != CARDAN_OK && status != CARDAN_STOPPED) return cd_report_failure(report, status), CD_EXIT_NUMERICAL;
    if (!isnan(w->singular_time))
        cardan_warn(report, CARDAN_CODE_SINGULAR_VALUES_OMITTED, cardan_location_none(),
                    "at t = %g s, a singular configuration, the recorded coordinates determine neither accelerations "
                    "nor efforts; "
                    "their cells are empty in rows at singular configurations",
                    w->singular_time);
    if (!w->mechanism->options->quiet) cd_print_report(report);
    int code = CD_EXIT_DONE;
    if (w->svg && summary->samples > 1) {
        const cd_plot_run     plot_run     = {.table = cd_plot_data_table(w->plot_data)};
        const cd_plot_options plot_options = {.title = w->mechanism->view.name, .subtitle = "inverse dynamics"};
        code = cd_write_curves_svg(w->mechanism->options, 1, &plot_run, plot_options, w->svg, true);
        if (code != CD_EXIT_DONE) unlink(w->svg); // file of an earlier run
    }
    if (code == CD_EXIT_DONE) code = report_outcome(w, summary);
    return code == CD_EXIT_DONE && status == CARDAN_STOPPED ? CD_EXIT_STOPPED : code;
}

static int follow_motion(inverse_run* w)
{
    const cd_options*   options = w->mechanism->options;
    cardan_report*      report  = &w->mechanism->report;
    cardan_run_summary  summary;
    cardan_run_settings run      = cardan_run_default();
    run.start                    = w->recording.t[0];
    run.end                      = w->recording.t[w->recording.nsample - 1];
    run.output_interval          = !isnan(options->output_interval) ? options->output_interval
                                                                    : (run.end - run.start) / (double)(w->recording.nsample - 1);
    run.q                        = w->instance.q;
    run.v                        = w->instance.v;
    run.state                    = w->instance.model_view.nstate > 0 ? w->instance.state : NULL;
    run.sample_callback          = on_sample;
    run.progress_callback        = on_progress;
    run.driver_callback          = set_drivers;
    run.user                     = w;
    const bool          replaces = options->force || w->stream;
    const cardan_status created  = cd_results_create(w->csv, w->ncolumn, w->header, replaces, &w->results, report);
    if (created != CARDAN_OK) return cd_report_write_failure(report, created, w->csv, replaces);
    cd_progress_begin(&w->progress, w->mechanism->view.name, run.start, run.end, options->quiet);
    const cardan_status status = cardan_kinematic_analysis(w->data, &run, &summary, report);
    cd_progress_end(&w->progress);
    return finish(w, status, &run, &summary);
}

static int prepare(inverse_run* w)
{
    cd_loaded_model* mechanism = w->mechanism;
    int              code      = cd_motor_list_select(mechanism, &w->instance, &w->list);
    if (code != CD_EXIT_DONE) return code;
    cardan_status status =
        cd_recorded_motion_open(mechanism->options->motion, &w->instance, &w->recording, &mechanism->report);
    if (status == CARDAN_OK) status = choose_driven(w);
    if (status == CARDAN_OK && w->list.nmotor == 0) // no motors given: use the driven coordinates
        for (int i = 0; i < w->ndriven; ++i) w->list.motor[w->list.nmotor++] = w->recording.coordinate[w->driven[i]];
    if (status == CARDAN_OK)
        status = cardan_motors_create(w->instance.data, w->list.nmotor, w->list.motor, &w->motors, &mechanism->report);
    if (status == CARDAN_OK) status = build_driven(w);
    if (status == CARDAN_OK) status = assemble(w);
    if (status != CARDAN_OK) return cd_report_failure(&mechanism->report, status);
    w->columns = cd_columns_create(&w->instance,
                                   mechanism->options->columns ? mechanism->options->columns : "joints,accelerations");
    if (!w->columns) return CD_EXIT_USAGE;
    const bool memory = name_columns(w) && (w->plot_data = cd_plot_data_create(w->ncolumn, w->header, NULL));
    return memory ? name_files(w) : cd_report_no_memory();
}

static void destroy_run(inverse_run* w)
{
    for (int i = 0; w->name && i < w->list.nmotor; ++i) free(w->name[i]);
    cd_columns_destroy(w->columns);
    cd_plot_data_destroy(w->plot_data);
    cardan_motors_destroy(w->motors);
    cardan_data_destroy(w->data);
    cardan_model_destroy(w->model);
    cardan_description_destroy(w->description);
    cd_recorded_motion_close(&w->recording);
    cd_motor_list_free(&w->list);
    free(w->driven), free(w->header), free(w->name), free(w->value), free(w->effort), free(w->a), free(w->csv),
        free(w->svg);
}

int cd_inverse_motion(cd_loaded_model* mechanism, int formulation)
{
    inverse_run         w      = {.mechanism = mechanism, .singular_time = NAN};
    const cardan_status status = cd_model_instance_open(&w.instance, mechanism, formulation);
    if (status != CARDAN_OK) return cd_report_failure(&mechanism->report, status);
    int code = prepare(&w);
    if (code == CD_EXIT_DONE) code = follow_motion(&w);
    destroy_run(&w);
    cd_model_instance_close(&w.instance);
    return code;
}
