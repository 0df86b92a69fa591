// SPDX-License-Identifier: BSD-3-Clause
// cardan run: simulation; results as CSV with a manifest, curves as SVG, a summary.
#include "cli/report/column_statistics.h"
#include "cli/report/result_columns.h"
#include "cli/commands/commands.h"
#include "cli/report/result_curves.h"
#include "cli/support/output_files.h"
#include "cli/support/messages.h"
#include "cli/support/terminal_print.h"
#include "cli/support/progress.h"
#include "cli/report/run_report.h"
#include "cli/support/run_settings.h"
#include "cli/view/run_recording.h"
#include "core/memory.h"
#include "diagnosis/findings.h"
#include "io/results/result_units.h"

#include <cardan/kinematics.h>

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

// Data of the simulation callbacks.
typedef struct recorder {
    cd_run_outcome*      outcome;
    cd_columns*          columns;
    cd_results*          results;
    cd_plot_data*        plot_data;
    cd_unit_conversion   units;
    cd_column_statistics statistics; // --table
    cd_snapshots         snapshots;
    cd_run_recording     recording; // --html
    cd_progress          progress;
    cardan_status        write_status; // of the results file
    cd_loaded_model*     mechanism;
    bool                 stop_noted;
} recorder;

// Note formulas with non-finite values; each once.
static void note_non_finite(recorder* r, cardan_data* data, double t)
{
    cardan_report*          report = &r->mechanism->report;
    const cardan_expression stop   = r->outcome->run->stop_condition;
    cd_columns_note_non_finite(r->columns, report);
    if (stop == CARDAN_NONE || r->stop_noted || isfinite(cardan_data_evaluate_expression(data, stop))) return;
    r->stop_noted = true;
    cardan_note(report, CARDAN_CODE_NOT_FINITE, cardan_location_none(),
                "the stop condition of the file is not a finite number at t = %g s", t);
}

static bool on_sample(void* user, cardan_data* data, const cardan_sample* sample)
{
    recorder*                r    = user;
    cd_run_outcome*          o    = r->outcome;
    const cardan_model_view* view = &o->instance->model_view;
    o->t                          = sample->t;
    memcpy(o->q, sample->q, (size_t)view->nq * sizeof(double));
    memcpy(o->v, sample->v, (size_t)view->nv * sizeof(double));
    memcpy(o->a, sample->a, (size_t)view->nv * sizeof(double));
    if (view->nstate > 0) memcpy(o->state, sample->state, (size_t)view->nstate * sizeof(double));
    if (r->snapshots.count_max > 0) cd_snapshots_add(&r->snapshots, &o->mechanism->view, data, sample->t);
    cd_run_recording_sample(&r->recording, sample);
    const double* value = cd_unit_convert(&r->units, cd_columns_sample(r->columns, data, sample));
    cd_plot_data_add_sample(r->plot_data, value);
    if (r->statistics.ncolumn > 0) cd_column_statistics_add(&r->statistics, value);
    note_non_finite(r, data, sample->t);
    if (r->results) r->write_status = cd_results_write_sample(r->results, value);
    return r->write_status == CARDAN_OK && !cd_is_interrupted();
}

static void on_event(void* user, cardan_data* data, const cardan_event* event)
{
    recorder*       r = user;
    cd_run_outcome* o = r->outcome;
    (void)data;
    cd_run_recording_event(&r->recording, event);
    if (o->nevent >= CD_EVENTS_STORED_MAX &&
        (event->kind != CARDAN_EVENT_BRANCH_SWITCH || o->nevent >= 2 * CD_EVENTS_STORED_MAX))
        return;
    if (o->nevent == o->event_capacity) {
        const int     room = o->event_capacity > 0 ? 2 * o->event_capacity : 16;
        cardan_event* more = realloc(o->event, (size_t)room * sizeof *more);
        if (!more) cd_report_no_memory();
        if (!more) return;
        o->event          = more;
        o->event_capacity = room;
    }
    o->event[o->nevent++] = *event;
}

// True if the report has a message of this code.
static bool has_message(const cardan_report* report, cardan_code code)
{
    for (int i = 0; i < report->count; ++i)
        if (report->message[i].code == code) return true;
    return false;
}

// Show the progress, and at once the advice about a stiff motion: a stiff run may take long.
static bool on_progress(void* user, double t)
{
    recorder*      r      = user;
    cardan_report* report = &r->mechanism->report;
    if (!r->mechanism->options->quiet && has_message(report, CARDAN_CODE_STIFF)) {
        cd_progress_clear(&r->progress);
        cd_print_messages_of_code(report, CARDAN_CODE_STIFF);
    }
    cd_progress_show(&r->progress, t);
    return !cd_is_interrupted();
}

// ---- files

static void free_files(cd_run_files* files)
{
    free(files->csv);
    free(files->svg);
    free(files->picture);
}

// True if all files may be written; called before the simulation.
static bool can_write_files(const cd_run_files* files, bool force)
{
    return (files->stream || cd_can_write(files->csv, force)) && (!files->svg || cd_can_write(files->svg, force)) &&
           (!files->picture || cd_can_write(files->picture, force)) &&
           (!files->html || cd_can_write(files->html, force));
}

static bool any_exists(const cd_run_files* files)
{
    return access(files->csv, F_OK) == 0 || access(files->svg, F_OK) == 0 ||
           (files->picture && access(files->picture, F_OK) == 0);
}

// Set the file names. With --json and without --output existing results are not overwritten, which a note reports.
static int name_files(const cd_loaded_model* mechanism, bool prescribed, cd_run_files* files)
{
    const cd_options* options = mechanism->options;
    const bool        draws   = options->draw || options->strobe > 0 || options->view || options->names;
    *files                    = (cd_run_files){.stream = cd_is_standard_output(options->output), .html = options->html};
    if (files->stream)
        files->csv = cd_copy_string("/dev/stdout");
    else
        files->csv = options->output ? cd_copy_string(options->output)
                                     : cd_result_path(mechanism->view.name, prescribed ? "-kinematics.csv" : ".csv");
    bool       good  = files->csv != NULL;
    const bool alone = files->stream || cd_is_device(files->csv);
    if (good && !alone) good = (files->svg = cd_results_sibling_path(files->csv, ".svg")) != NULL;
    if (good && !alone && draws)
        good = (files->picture = cd_results_sibling_path(files->csv, "-mechanism.svg")) != NULL;
    if (!good) return cd_report_no_memory();
    if (files->svg && strcmp(files->svg, files->csv) == 0)
        return cd_report_error(CARDAN_CODE_USAGE, "--output must name the CSV file; the curves get the ending .svg"),
               CD_EXIT_USAGE;
    if (options->json && !options->output && !options->force && any_exists(files)) {
        if (!options->quiet)
            cd_print_error("note: '%s' exists and is not overwritten; --force overwrites it\n", files->csv);
        free_files(files);
        *files = (cd_run_files){.html = options->html};
        return !files->html || cd_can_write(files->html, false) ? CD_EXIT_DONE : CD_EXIT_INPUT;
    }
    return !files->csv || can_write_files(files, options->force) ? CD_EXIT_DONE : CD_EXIT_INPUT;
}

// ---- the run

static bool allocate_last_sample(cd_run_outcome* o)
{
    const cardan_model_view* view = &o->instance->model_view;
    o->q                          = cd_allocate((size_t)view->nq_joint + 1, sizeof(double));
    o->v                          = cd_allocate((size_t)view->nv_joint + 1, sizeof(double));
    o->a                          = cd_allocate((size_t)view->nv_joint + 1, sizeof(double));
    o->state                      = cd_allocate((size_t)view->nstate + 1, sizeof(double));
    if (!o->q || !o->v || !o->a || !o->state) return false;
    memcpy(o->q, o->instance->q, (size_t)view->nq * sizeof(double));
    memcpy(o->v, o->instance->v, (size_t)view->nv * sizeof(double));
    return true;
}

// Write manifest, curves and picture. Returns the exit code.
static int write_associated_files(cd_run_outcome* o, recorder* r, cardan_report* report)
{
    const cd_options* options = o->mechanism->options;
    if (!o->files->svg || o->summary.samples == 0) return CD_EXIT_DONE;
    cardan_status status = cd_run_write_manifest(o, report);
    int           code   = status == CARDAN_OK ? CD_EXIT_DONE : cd_report_failure(report, status);
    if (code == CD_EXIT_DONE && o->summary.samples > 1 && cd_columns_count(r->columns) > 1) {
        char subtitle[128];
        snprintf(subtitle, sizeof subtitle, "%s, %s", cardan_formulation_name(o->instance->formulation),
                 o->is_prescribed ? "kinematics" : cardan_integrator_name(o->run->integrator));
        const cd_plot_run     run          = {.table = cd_plot_data_table(r->plot_data)};
        const cd_plot_options plot_options = {.title    = o->mechanism->view.name,
                                              .subtitle = subtitle,
                                              .nomitted = cd_plot_data_omitted_count(r->plot_data),
                                              .is_noted = true};
        code                               = cd_write_curves_svg(options, 1, &run, plot_options, o->files->svg, true);
        o->svg_written                     = code == CD_EXIT_DONE;
        o->curves_omitted                  = cd_plot_data_omitted_count(r->plot_data);
    }
    if (!o->svg_written) unlink(o->files->svg); // of an earlier run
    if (code == CD_EXIT_DONE && o->files->picture) {
        code               = cd_write_mechanism_svg(o->mechanism, &r->snapshots, o->files->picture, true);
        o->picture_written = code == CD_EXIT_DONE;
    }
    if (status != CARDAN_OK) cd_remove_sibling(o->files->csv, ".manifest.json");
    if (o->files->picture && !o->picture_written) unlink(o->files->picture);
    return code;
}

// Complete the files, whatever the status, then print the report. Returns the exit code.
static int finish(cd_loaded_model* mechanism, cd_run_outcome* o, recorder* r, cardan_status status)
{
    const cd_options* options = mechanism->options;
    int               code    = CD_EXIT_DONE;
    if (r->snapshots.failed || cd_final_exit_code(CD_EXIT_DONE) != CD_EXIT_DONE) status = CARDAN_NO_MEMORY;
    const bool refused = o->summary.steps == 0 && (status == CARDAN_BAD_USAGE || status == CARDAN_UNSUPPORTED);
    if (refused || status == CARDAN_NO_MEMORY ||
        (o->summary.samples == 0 && status != CARDAN_OK && status != CARDAN_STOPPED)) {
        cd_results_discard(r->results);
        return cd_report_failure(&mechanism->report, status);
    }
    cardan_status closed = r->results ? cd_results_close(r->results, &mechanism->report) : CARDAN_OK;
    o->csv_written       = r->results && closed == CARDAN_OK;
    if (r->write_status != CARDAN_OK)
        status = r->write_status;
    else if (closed != CARDAN_OK)
        status = closed;
    o->summary.status     = status;
    const bool has_failed = status != CARDAN_OK && status != CARDAN_STOPPED;
    if (has_failed) {
        if (closed == CARDAN_OK)
            cd_report_failure(&mechanism->report, status);
        else
            cd_report_write_failure(&mechanism->report, status, o->files->csv, options->force || o->files->stream);
        code = cd_run_exit_code(status, &o->summary);
    } else if (!options->quiet) {
        cd_print_report(&mechanism->report);
    }
    if (closed == CARDAN_OK) {
        const int companions = write_associated_files(o, r, &mechanism->report);
        if (code == CD_EXIT_DONE) code = companions;
    }
    const cardan_status recorded = cd_run_recording_write(&r->recording, &mechanism->report);
    if (recorded != CARDAN_OK) {
        const int failed = cd_report_write_failure(&mechanism->report, recorded, options->html, options->force);
        if (code == CD_EXIT_DONE) code = failed;
    }
    if (options->json && !o->files->stream) {
        const int printed = cd_run_print_json(o);
        if (code == CD_EXIT_DONE) code = printed;
    } else if (!options->quiet && !o->files->stream) {
        cd_run_print_summary(o);
    }
    if (options->table && !options->json && !o->files->stream && o->summary.samples > 0)
        cd_column_statistics_print(&r->statistics, r->units.column);
    return code == CD_EXIT_DONE && status == CARDAN_STOPPED ? CD_EXIT_STOPPED : code;
}

// Simulate and save the state at times that divide the run evenly. A run that continues from one of these states has the
// same bits as this one.
static cardan_status simulate_with_checkpoints(cardan_data* data, const cardan_run_settings* run, const char* path,
                                               cardan_run_summary* summary, cardan_report* report)
{
    enum { CHECKPOINTS = 10 };
    cardan_simulation* simulation = NULL;
    if (!path) return cardan_simulate(data, run, summary, report);
    cardan_status status = cardan_simulation_open(data, run, &simulation, report);
    *summary             = (cardan_run_summary){.status = status, .t = run->start};
    if (status) return status;
    for (int k = 1; k <= CHECKPOINTS && !status; ++k) {
        const double t = k < CHECKPOINTS ? run->start + (run->end - run->start) / CHECKPOINTS * k : run->end;
        if (t <= cardan_simulation_summary(simulation)->t && k < CHECKPOINTS)
            continue; // before the state continued from
        status = cardan_simulation_advance(simulation, t, report);
        if (!status) status = cardan_simulation_save(simulation, path, report);
    }
    const cardan_status closed = cardan_simulation_close(simulation, summary, report);
    return status ? status : closed;
}

static int simulate(cd_loaded_model* mechanism, cd_model_instance* c, bool prescribed, const cd_run_files* files)
{
    const cd_options*   options = mechanism->options;
    cardan_run_settings run;
    cd_run_outcome      o = {
             .mechanism = mechanism, .instance = c, .run = &run, .files = files, .is_prescribed = prescribed};
    recorder              r         = {.outcome = &o, .mechanism = mechanism};
    cd_generated_code_use generated = {0};
    cardan_status         status;
    int                   code = cd_run_settings(mechanism, c, &run);
    if (code != CD_EXIT_DONE) return code;

    if ((status = cd_columns_check_names(c, &mechanism->report)) != CARDAN_OK)
        return cd_report_failure(&mechanism->report, status);
    cd_warn_start_beyond_limits(c, &mechanism->report);
    if ((status = cd_warn_locked_couplings(c->data, &mechanism->report)) != CARDAN_OK)
        return cd_report_failure(&mechanism->report, status);
    cd_loaded_model_warn(mechanism);

    code      = CD_EXIT_USAGE;
    r.columns = cd_columns_create(c, options->columns || !prescribed ? options->columns : "default,accelerations");
    o.columns = r.columns;
    if (r.columns) {
        code               = CD_EXIT_INPUT;
        const int  ncolumn = cd_columns_count(r.columns);
        const bool memory  = !options->table || cd_column_statistics_open(&r.statistics, ncolumn);
        status             = cd_unit_conversion_open(&r.units, ncolumn, cd_columns_header(r.columns), options->units,
                                                     &mechanism->report);
        if (status == CARDAN_OK)
            r.plot_data = cd_plot_data_create(ncolumn, r.units.column, cd_columns_outputs(r.columns));
        if (status != CARDAN_OK)
            code = cd_report_failure(&mechanism->report, status);
        else if (!memory || !r.plot_data || !allocate_last_sample(&o))
            cd_report_no_memory();
        else if ((status = cd_run_check_start(c, run.integrator, prescribed, &mechanism->report)) != CARDAN_OK ||
                 (status = cd_run_recording_open(&r.recording, mechanism, c, &run, &mechanism->report)) != CARDAN_OK)
            code = cd_report_failure(&mechanism->report, status);
        else if (files->csv &&
                 (status = cd_results_create(files->csv, ncolumn, r.units.column, options->force || files->stream,
                                             &r.results, &mechanism->report)) != CARDAN_OK)
            code = cd_report_write_failure(&mechanism->report, status, files->csv, options->force || files->stream);
        else {
            run.sample_callback   = on_sample;
            run.event_callback    = on_event;
            run.progress_callback = on_progress;
            run.user              = &r;
            run.checkpoint        = options->continue_from;
            if (files->picture)
                cd_snapshots_begin(&r.snapshots, mechanism->view.nbody, options->strobe > 0 ? options->strobe : 1,
                                   run.start, run.end);
            cd_catch_interrupts(); // the compiler may run before the first step
            if (!prescribed) cd_generated_begin(mechanism, c, &run, &generated);
            o.generated = prescribed ? NULL : &generated;
            cd_progress_begin(&r.progress, mechanism->view.name, run.start, run.end, options->quiet);
            status = cd_final_exit_code(CD_EXIT_DONE) != CD_EXIT_DONE ? CARDAN_NO_MEMORY
                     : prescribed ? cardan_kinematic_analysis(c->data, &run, &o.summary, &mechanism->report)
                                  : simulate_with_checkpoints(c->data, &run, options->checkpoint, &o.summary,
                                                              &mechanism->report);
            cd_progress_end(&r.progress);
            code = finish(mechanism, &o, &r, status);
            cd_generated_end(c, &generated);
        }
    }
    cd_columns_destroy(r.columns);
    cd_plot_data_destroy(r.plot_data);
    cd_unit_conversion_free(&r.units);
    cd_column_statistics_free(&r.statistics);
    cd_snapshots_free(&r.snapshots);
    cd_run_recording_close(&r.recording);
    free(o.q);
    free(o.v);
    free(o.a);
    free(o.state);
    free(o.event);
    return code;
}

int cd_run_command(const cd_options* options, bool prescribed)
{
    cd_loaded_model mechanism;
    int             code = cd_loaded_model_open(&mechanism, options);
    if (code != CD_EXIT_DONE) return code;
    cd_loaded_model_warn(&mechanism);
    cd_run_files files       = {0};
    const int    formulation = cd_select_formulation(&mechanism);
    if (formulation == CARDAN_NONE)
        code = options->formulation ? CD_EXIT_USAGE : CD_EXIT_INPUT;
    else
        code = name_files(&mechanism, prescribed, &files);
    if (code == CD_EXIT_DONE) {
        cd_model_instance c;
        cd_note_unused_threads(&mechanism, formulation);
        const cardan_status status = cd_model_instance_open(&c, &mechanism, formulation);
        code                       = status == CARDAN_OK ? simulate(&mechanism, &c, prescribed, &files)
                                                         : cd_report_failure(&mechanism.report, status);
        cd_model_instance_close(&c);
    }
    free_files(&files);
    cd_loaded_model_close(&mechanism);
    return code;
}

static int run(const cd_options* options) { return cd_run_command(options, false); }

const cd_command cd_command_run = {
    .name         = "run",
    .operands     = "MODEL",
    .noperand_min = 1,
    .noperand_max = 1,
    .summary      = "simulate: results as CSV, curves as SVG, summary with energy error",
    .text =
        "Simulates the mechanism from its start and writes\n"
        "  results/NAME.csv            a sample every --output-interval seconds, names and units in the first line\n"
        "  results/NAME.svg            its curves, one panel per unit\n"
        "  results/NAME.manifest.json  model, settings and outcome\n"
        "Existing files are overwritten only with --force (with --json and without --output they\n"
        "are kept, and no files are written). Ctrl-C ends the run; the files are complete up to\n"
        "that time. MODEL is a model file, a URDF file, or a folder with a model file of the same\n"
        "name. Without --formulation, the formulation with the least estimated time by operation\n"
        "counts is used; `cardan check` prints which one, and why. The energy error is max |E -\n"
        "E_start - W| / max kinetic energy over the output samples, W the work of forces without\n"
        "potential. Constraint violations of the start are removed first (see `cardan assemble`);\n"
        "--stabilization limits them during the run. The constraint violation of the summary is the\n"
        "maximum over the output samples.\n"
        "\n" CD_COLUMNS_HELP,
    .examples        = "cardan run models/pendulum                                  # settings of the file\n"
                       "cardan run models/door -d 20 --set width=0.7 --force        # other duration and parameter\n"
                       "cardan run arm.yaml -i cvode-bdf --tolerance 1e-10          # another integrator\n"
                       "cardan run arm.yaml -c 'default,reactions,hand.*'           # more columns\n"
                       "cardan run arm.yaml --json > end.json                       # report with final state\n"
                       "cardan run arm.yaml --state end.json -o results/arm-2.csv   # continue from there\n"
                       "cardan run arm.yaml --html arm.html                         # page that plays the motion\n"
                       "cardan run arm.yaml -d 100 --checkpoint arm.checkpoint      # save the state ten times\n"
                       "cardan run arm.yaml -d 100 --continue arm.checkpoint        # after it was stopped\n",
    .writes_pictures = true,
    CD_OPTIONS(CD_OPTION_DURATION, CD_OPTION_OUTPUT_INTERVAL, CD_OPTION_FORMULATION, CD_OPTION_GENERATED,
               CD_OPTION_THREADS, CD_OPTION_INTEGRATOR, CD_OPTION_STABILIZATION, CD_OPTION_TOLERANCE, CD_OPTION_STEP,
               CD_OPTION_MAX_STEP, CD_OPTION_REGULARIZATION, CD_OPTION_WINDOW, CD_OPTION_ITERATIONS,
               CD_OPTION_VIOLATION_TOLERANCE, CD_OPTION_BAUMGARTE_RATE, CD_OPTION_SET, CD_OPTION_STATE,
               CD_OPTION_START_TIME, CD_OPTION_CHECKPOINT, CD_OPTION_CONTINUE, CD_OPTION_COLUMNS, CD_OPTION_UNITS,
               CD_OPTION_TABLE, CD_OPTION_REACTION_POINT, CD_OPTION_RUN_OUTPUT, CD_OPTION_FORCE, CD_OPTION_RUN_DRAW,
               CD_OPTION_RUN_STROBE, CD_OPTION_VIEW, CD_OPTION_NAMES, CD_OPTION_HTML, CD_OPTION_STRICT,
               CD_OPTION_FLOATING, CD_OPTION_JSON, CD_OPTION_QUIET, CD_OPTION_HELP),
    .run = run,
};
