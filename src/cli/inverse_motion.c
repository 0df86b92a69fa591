// SPDX-License-Identifier: BSD-3-Clause
// Inverse analysis of a recorded motion. Of the coordinates that were recorded, as many as the mechanism has degrees of
// freedom are driven, those with motors first; so the motion is exactly one that the mechanism can make. At every row
// the motors of the mechanism without these drivers get the efforts that produce it.
#include "cli/columns.h"
#include "cli/commands.h"
#include "cli/curves.h"
#include "cli/files.h"
#include "cli/manifest.h"
#include "cli/messages.h"
#include "cli/motors.h"
#include "cli/print.h"
#include "cli/progress.h"
#include "cli/recording.h"
#include "cli/singular.h"
#include "cli/values.h"
#include "core/memory.h"
#include "dynamics/data.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { MOST_FREEDOM = 1000 }; // counted

typedef struct work {
    cd_mechanism*  mechanism;
    cd_case        c; // with its own forces and drivers only
    cd_motor_list  list;
    cardan_motors* motors;
    cd_recording   recording;
    int*           driven; // (ndriven) coordinates of the recording
    int            ndriven, first_driver;

    cardan_description* description; // with the drivers
    cardan_model*       model;
    cardan_data*        data;

    cd_columns*   columns;
    int           ncolumn;
    cd_column*    head;
    char**        name; // (motors)
    double *      value, *effort, *a;
    cd_results*   results;
    cd_sample*    sample;
    cd_progress   progress;
    char *        csv, *svg;
    bool          stream;
    int           loose;
    double        most_left, most_a, left_t;
    double        singular_t; // [s] of the first row at a singular pose, or NAN
    cardan_status status;
} work;

// ---- which coordinates are driven

static bool is_motor(const work* w, cardan_motor coordinate)
{
    for (int i = 0; i < w->list.n; ++i)
        if (w->list.motor[i].joint == coordinate.joint && w->list.motor[i].axis == coordinate.axis) return true;
    return false;
}

static cardan_status choose_driven(work* w)
{
    cardan_report* report = &w->mechanism->report;
    const int      n      = w->recording.n;
    cardan_motor*  order  = cd_allocate((size_t)n, sizeof *order);
    int*           from   = cd_allocate((size_t)n, sizeof *from);
    bool*          chosen = cd_allocate((size_t)n, sizeof *chosen);
    cardan_motors* all    = NULL;
    w->driven             = cd_allocate((size_t)n, sizeof *w->driven);
    cardan_status status  = order && from && chosen && w->driven ? CARDAN_OK : CARDAN_NO_MEMORY;
    int           freedom = 0, count = 0;
    for (int pass = 0; pass < 2 && status == CARDAN_OK; ++pass)
        for (int i = 0; i < n; ++i)
            if (is_motor(w, w->recording.coordinate[i]) == (pass == 0)) {
                order[count]  = w->recording.coordinate[i];
                from[count++] = i;
            }
    if (status == CARDAN_OK) status = cardan_motors_create(w->c.data, n, order, &all, report);
    if (status == CARDAN_OK) status = cd_motors_independent(all, chosen);
    if (status == CARDAN_OK) status = cardan_freedom(w->c.data, MOST_FREEDOM, &freedom, NULL, report);
    for (int i = 0; i < n && status == CARDAN_OK; ++i)
        if (chosen[i] && w->ndriven < freedom) w->driven[w->ndriven++] = from[i];
    if (status == CARDAN_OK && w->ndriven < freedom)
        status = cardan_fail(
            report, CARDAN_BAD_INPUT, CARDAN_CODE_MOTION_INCOMPLETE,
            (cardan_place){.file = w->mechanism->options->motion},
            "the motion does not say how '%s' moves: %d of its degrees of freedom are recorded, and it has %s%d",
            w->mechanism->view.name, w->ndriven, freedom == MOST_FREEDOM ? "at least " : "", freedom);
    cardan_motors_destroy(all);
    free(order);
    free(from);
    free(chosen);
    return status;
}

// The mechanism once more, with drivers whose laws come from outside.
static cardan_status build_driven(work* w)
{
    const cd_options*         options = w->mechanism->options;
    cardan_report*            report  = &w->mechanism->report;
    const cardan_load_options load    = {
           .nsetting = options->nsetting, .setting = options->setting, .floating_base = options->floating_base};
    cardan_report again  = {0};
    cardan_status status = cardan_load(options->operand[0], &load, &w->description, &again);
    for (int i = 0; i < w->ndriven && status == CARDAN_OK; ++i) {
        const cardan_motor at = w->recording.coordinate[w->driven[i]];
        cardan_constraint  c  = cardan_constraint_default(cardan_model_joint_name(w->c.model, at.joint), "driver");
        c.njoint              = 1;
        c.joint[0]            = at.joint;
        c.axis[0]             = at.axis;
        c.law[0]              = cardan_constant(w->description, 0);
        if (cardan_add_constraint(w->description, &c) < 0) status = CARDAN_NO_MEMORY;
    }
    if (status == CARDAN_OK)
        status = cardan_model_compile(w->description, cardan_formulation_tree(w->c.formulation), &w->model, report);
    if (status == CARDAN_OK) status = cardan_data_create(w->model, w->c.formulation, &w->data, report);
    if (status != CARDAN_OK) return status;
    // the drivers added are the last constraints, but drivers of joints come behind all constraints
    const int own   = cardan_driver_count(w->c.data);
    w->first_driver = -1;
    for (int i = 0; i <= own && w->first_driver < 0; ++i) {
        const cardan_driver d  = cardan_driver_at(w->data, i);
        const cardan_motor  at = w->recording.coordinate[w->driven[0]];
        if (d.joint == at.joint && d.axis == at.axis) w->first_driver = i;
    }
    return w->first_driver < 0 ? CARDAN_UNSUPPORTED : CARDAN_OK;
}

static void drive(void* user, cardan_data* data, double t)
{
    const work* w = user;
    for (int i = 0; i < w->ndriven; ++i) {
        double law[3];
        cd_recording_at(&w->recording, w->driven[i], t, law);
        cardan_data_drive(data, w->first_driver + i, law);
    }
}

// The recorded pose is the guess; the drivers are exact.
static cardan_status assemble(work* w)
{
    const cd_recording* r = &w->recording;
    for (int i = 0; i < r->n; ++i) {
        cardan_start* start = &w->c.start[r->coordinate[i].joint];
        start->position = start->velocity = CARDAN_HOLD_GUESS;
        start->q[r->coordinate[i].axis]   = r->q[i][0];
        start->v[r->coordinate[i].axis]   = r->v[i][0];
    }
    for (int j = 0; j < w->c.look.njoint; ++j) {
        cardan_start* start = &w->c.start[j];
        if (start->position == CARDAN_HOLD_EXACT) start->position = CARDAN_HOLD_GUESS;
        if (start->velocity == CARDAN_HOLD_EXACT) start->velocity = CARDAN_HOLD_GUESS;
    }
    drive(w, w->data, r->t[0]);
    cardan_data_set(w->data, r->t[0], w->c.q, w->c.v, w->c.state);
    return cardan_assemble(w->data, w->c.start, w->c.q, w->c.v, NULL, &w->mechanism->report);
}

// ---- results

static bool name_columns(work* w)
{
    const int        n    = cd_columns_count(w->columns);
    const cd_column* head = cd_columns_head(w->columns);
    w->ncolumn            = n + w->list.n;
    w->head               = cd_allocate((size_t)w->ncolumn, sizeof *w->head);
    w->value              = cd_allocate((size_t)w->ncolumn, sizeof *w->value);
    w->name               = cd_allocate((size_t)w->list.n, sizeof *w->name);
    w->effort             = cd_allocate((size_t)w->list.n, sizeof *w->effort);
    w->a                  = cd_allocate((size_t)w->c.look.nv_all + 1, sizeof *w->a);
    if (!w->head || !w->value || !w->name || !w->effort || !w->a) return false;
    memcpy(w->head, head, (size_t)n * sizeof *head);
    for (int i = 0; i < w->list.n; ++i) {
        const cardan_motor m    = w->list.motor[i];
        cd_text            text = {0};
        cd_text_format(&text, w->c.look.place[m.joint].nv > 1 ? "%s.motor%d" : "%s.motor",
                       cardan_model_joint_name(w->c.model, m.joint), m.axis + 1);
        w->name[i]     = cd_text_take(&text);
        w->head[n + i] = (cd_column){
            w->name[i], strcmp(cardan_model_v_unit(w->c.model, m.joint, m.axis), "rad/s") == 0 ? "N m" : "N"};
        if (!w->name[i]) return false;
    }
    return true;
}

static bool keep_row(void* user, cardan_data* data, const cardan_row* row)
{
    work*          w      = user;
    cardan_report* report = &w->mechanism->report;
    double         left;
    const bool     unknown = cd_singular_driven(data);
    if (unknown && isnan(w->singular_t)) w->singular_t = row->t;
    cardan_data_set(w->c.data, row->t, row->q, row->v, row->state);
    cardan_data_load(w->c.data, NULL, NULL);
    w->status = cardan_motor_efforts(w->motors, row->a, w->effort, &w->loose, &left, report);
    if (w->status != CARDAN_OK) return false;
    for (int v = 0; v < w->c.look.nv && !unknown; ++v) w->most_a = fmax(w->most_a, fabs(row->a[v]));
    if (left > w->most_left && !unknown) w->most_left = left, w->left_t = row->t;
    cardan_motors_load(w->motors, w->effort);
    w->status = cardan_accelerate(w->c.data, w->a, NULL, report);
    if (w->status != CARDAN_OK) return false;
    cardan_row own     = *row;
    own.a              = w->a;
    own.energy         = cardan_energy(w->c.data);
    const double* part = cd_columns_row(w->columns, w->c.data, &own);
    if (unknown) cd_columns_forget(w->columns);
    for (int i = 0; i < w->list.n && unknown; ++i) w->effort[i] = NAN;
    memcpy(w->value, part, (size_t)cd_columns_count(w->columns) * sizeof *part);
    memcpy(w->value + cd_columns_count(w->columns), w->effort, (size_t)w->list.n * sizeof *part);
    cd_sample_row(w->sample, w->value);
    w->status = cd_results_row(w->results, w->value);
    return w->status == CARDAN_OK && !cd_interrupted();
}

static bool keep_going(void* user, double t)
{
    work* w = user;
    cd_progress_show(&w->progress, t);
    return !cd_interrupted();
}

static int name_files(work* w)
{
    const cd_options* options = w->mechanism->options;
    w->stream                 = cd_is_standard_output(options->output);
    if (w->stream)
        w->csv = cd_copy_string("/dev/stdout");
    else
        w->csv =
            options->output ? cd_copy_string(options->output) : cd_result_path(w->mechanism->view.name, "-inverse.csv");
    if (!w->csv || (!w->stream && !(w->svg = cd_results_sibling(w->csv, ".svg")))) return cd_say_no_memory();
    if (w->stream || (cd_may_write(w->csv, options->force) && cd_may_write(w->svg, options->force)))
        return CD_EXIT_DONE;
    return CD_EXIT_INPUT;
}

static int tell(work* w, const cardan_summary* summary)
{
    const cd_options* options = w->mechanism->options;
    if (options->json && !w->stream) {
        cd_text text = {0};
        cd_json json = cd_json_to(&text);
        cd_json_object(&json, NULL);
        cd_json_string(&json, "status", "ok");
        cd_json_number(&json, "time", summary->t);
        cd_json_integer(&json, "rows", summary->rows);
        cd_json_integer(&json, "motors", w->list.n);
        cd_json_integer(&json, "motors_beyond_need", w->loose);
        cd_json_number(&json, "left", w->most_left);
        cd_json_string(&json, "csv", w->csv);
        cd_json_end(&json);
        return cd_print_text(&text);
    }
    if (options->quiet || w->stream) return CD_EXIT_DONE;
    cd_print("%s: %g s of motion, %s\n", w->mechanism->view.name, summary->t - w->recording.t[0],
             cd_plural(w->list.n, "motor", "motors").text);
    if (w->loose > 0)
        cd_print("  %s more than the %d needed: of all efforts that do it those of least norm are told\n",
                 cd_plural(w->loose, "motor", "motors").text, w->list.n - w->loose);
    cd_print("  %s (%s)", w->csv, cd_plural(summary->rows, "row", "rows").text);
    if (summary->rows > 1) cd_print("   %s", w->svg);
    cd_print("\n");
    return CD_EXIT_DONE;
}

static cardan_status write_manifest(const work* w, cardan_status status, const cardan_run* run,
                                    const cardan_summary* summary)
{
    const cd_options* options = w->mechanism->options;
    char              word[CD_WORD_LENGTH];
    cd_manifest       m;
    cd_manifest_begin(&m, w->mechanism, 16);
    cd_manifest_add(&m, cd_fact_text("settings.formulation", cardan_formulation_name(w->c.formulation)));
    cd_manifest_add(&m, cd_fact_text("settings.analysis", "inverse dynamics"));
    cd_manifest_add(&m, cd_fact_text("settings.motion", options->motion));
    if (options->motors) cd_manifest_add(&m, cd_fact_text("settings.motors", options->motors));
    cd_manifest_add(&m, cd_fact_number("settings.start", run->start));
    cd_manifest_add(&m, cd_fact_number("settings.end", run->end));
    cd_manifest_add(&m, cd_fact_number("settings.interval", run->output));
    cd_manifest_add(&m, cd_fact_text("outcome.status", cd_status_word(status, word)));
    cd_manifest_add(&m, cd_fact_number("outcome.time", summary->t));
    cd_manifest_add(&m, cd_fact_integer("outcome.rows", summary->rows));
    cd_manifest_add(&m, cd_fact_integer("outcome.motors", w->list.n));
    cd_manifest_add(&m, cd_fact_integer("outcome.motors_beyond_need", w->loose));
    cd_manifest_add(&m, cd_fact_number("outcome.left", w->most_left));
    return cd_manifest_end(&m, w->csv, &w->mechanism->report);
}

static int finish(work* w, cardan_status status, const cardan_run* run, const cardan_summary* summary)
{
    cardan_report* report = &w->mechanism->report;
    if (status == CARDAN_STOPPED && w->status != CARDAN_OK) status = w->status;
    if (status == CARDAN_OK && w->most_left > 1e-6 * w->most_a)
        status = cd_motors_too_few(&w->c, w->left_t, w->most_left, report);
    if (summary->rows == 0 || status == CARDAN_BAD_INPUT) {
        cd_results_discard(w->results);
        return cd_say_failure(report, status);
    }
    cardan_status closed = cd_results_close(w->results, report);
    if (closed != CARDAN_OK)
        return cd_say_not_written(report, closed, w->csv, w->mechanism->options->force || w->stream);
    if (!w->stream && (closed = write_manifest(w, status, run, summary)) != CARDAN_OK) {
        cd_remove_sibling(w->csv, ".manifest.json"); // those of an earlier run
        cd_remove_sibling(w->csv, ".svg");
        return cd_say_failure(report, closed);
    }
    if (status != CARDAN_OK && status != CARDAN_STOPPED) return cd_say_failure(report, status), CD_EXIT_NUMERICAL;
    if (!isnan(w->singular_t))
        cardan_warn(
            report, CARDAN_CODE_SINGULAR_VALUES_OMITTED, cardan_nowhere(),
            "at t = %g s, a singular pose, the recorded coordinates determine neither accelerations nor efforts, "
            "and cells of these are empty at rows that fall on such poses",
            w->singular_t);
    if (!w->mechanism->options->quiet) cd_say_report(report);
    int code = CD_EXIT_DONE;
    if (w->svg && summary->rows > 1) {
        const cd_plot_run  run  = {.table = cd_sample_table(w->sample)};
        const cd_plot_wish wish = {.title = w->mechanism->view.name, .subtitle = "inverse dynamics"};
        code                    = cd_write_curves(w->mechanism->options, 1, &run, wish, w->svg, true);
        if (code != CD_EXIT_DONE) unlink(w->svg); // that of an earlier run
    }
    if (code == CD_EXIT_DONE) code = tell(w, summary);
    return code == CD_EXIT_DONE && status == CARDAN_STOPPED ? CD_EXIT_STOPPED : code;
}

static int follow(work* w)
{
    const cd_options* options = w->mechanism->options;
    cardan_report*    report  = &w->mechanism->report;
    cardan_summary    summary;
    cardan_run        run = cardan_run_default();
    run.start             = w->recording.t[0];
    run.end               = w->recording.t[w->recording.nrow - 1];
    run.output =
        !isnan(options->interval) ? options->interval : (run.end - run.start) / (double)(w->recording.nrow - 1);
    run.q                        = w->c.q;
    run.v                        = w->c.v;
    run.state                    = w->c.look.nstate > 0 ? w->c.state : NULL;
    run.row                      = keep_row;
    run.progress                 = keep_going;
    run.drive                    = drive;
    run.user                     = w;
    const bool          replaces = options->force || w->stream;
    const cardan_status created  = cd_results_create(w->csv, w->ncolumn, w->head, replaces, &w->results, report);
    if (created != CARDAN_OK) return cd_say_not_written(report, created, w->csv, replaces);
    cd_progress_begin(&w->progress, w->mechanism->view.name, run.start, run.end, options->quiet);
    const cardan_status status = cardan_kinematics(w->data, &run, &summary, report);
    cd_progress_end(&w->progress);
    return finish(w, status, &run, &summary);
}

static int prepare(work* w)
{
    cd_mechanism* mechanism = w->mechanism;
    int           code      = cd_motors_chosen(mechanism, &w->c, &w->list);
    if (code != CD_EXIT_DONE) return code;
    cardan_status status = cd_recording_open(mechanism->options->motion, &w->c, &w->recording, &mechanism->report);
    if (status == CARDAN_OK) status = choose_driven(w);
    if (status == CARDAN_OK && w->list.n == 0) // nobody says where motors are: at what drives it
        for (int i = 0; i < w->ndriven; ++i) w->list.motor[w->list.n++] = w->recording.coordinate[w->driven[i]];
    if (status == CARDAN_OK)
        status = cardan_motors_create(w->c.data, w->list.n, w->list.motor, &w->motors, &mechanism->report);
    if (status == CARDAN_OK) status = build_driven(w);
    if (status == CARDAN_OK) status = assemble(w);
    if (status != CARDAN_OK) return cd_say_failure(&mechanism->report, status);
    w->columns =
        cd_columns_create(&w->c, mechanism->options->columns ? mechanism->options->columns : "joints,accelerations");
    if (!w->columns) return CD_EXIT_USAGE;
    const bool memory = name_columns(w) && (w->sample = cd_sample_create(w->ncolumn, w->head));
    return memory ? name_files(w) : cd_say_no_memory();
}

static void clean(work* w)
{
    for (int i = 0; w->name && i < w->list.n; ++i) free(w->name[i]);
    cd_columns_destroy(w->columns);
    cd_sample_destroy(w->sample);
    cardan_motors_destroy(w->motors);
    cardan_data_destroy(w->data);
    cardan_model_destroy(w->model);
    cardan_description_destroy(w->description);
    cd_recording_close(&w->recording);
    cd_motors_free(&w->list);
    free(w->driven), free(w->head), free(w->name), free(w->value), free(w->effort), free(w->a), free(w->csv),
        free(w->svg);
}

int cd_inverse_motion(cd_mechanism* mechanism, int formulation)
{
    work                w      = {.mechanism = mechanism, .singular_t = NAN};
    const cardan_status status = cd_case_open(&w.c, mechanism, formulation);
    if (status != CARDAN_OK) return cd_say_failure(&mechanism->report, status);
    int code = prepare(&w);
    if (code == CD_EXIT_DONE) code = follow(&w);
    clean(&w);
    cd_case_close(&w.c);
    return code;
}
