// SPDX-License-Identifier: BSD-3-Clause
// cardan run: simulate; results as CSV with a manifest, curves as SVG, a summary.
#include "cli/columns.h"
#include "cli/commands.h"
#include "cli/curves.h"
#include "cli/files.h"
#include "cli/messages.h"
#include "cli/print.h"
#include "cli/progress.h"
#include "cli/run_report.h"
#include "cli/simulation.h"
#include "core/memory.h"
#include "doctor/findings.h"

#include <cardan/kinematics.h>

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

// What the callbacks of the simulation work on.
typedef struct recorder {
    cd_run_outcome* outcome;
    cd_columns*     columns;
    cd_results*     results;
    cd_sample*      sample;
    cd_film         film;
    cd_progress     progress;
    cardan_status   status; // of writing
    cd_mechanism*   mechanism;
    bool            stop_noted;
} recorder;

// Formulas that give no number here: each is noted once.
static void note_doubts(recorder* r, cardan_data* data, double t)
{
    cardan_report*          report = &r->mechanism->report;
    const cardan_expression stop   = r->outcome->run->stop;
    cd_columns_doubt(r->columns, report);
    if (stop == CARDAN_NONE || r->stop_noted || isfinite(cardan_evaluate(data, stop))) return;
    r->stop_noted = true;
    cardan_note(report, CARDAN_CODE_NOT_FINITE, cardan_nowhere(),
                "the stop condition of the file is not a finite number at t = %g s", t);
}

static bool keep_row(void* user, cardan_data* data, const cardan_row* row)
{
    recorder*                r    = user;
    cd_run_outcome*          o    = r->outcome;
    const cardan_model_view* look = &o->c->look;
    o->t                          = row->t;
    memcpy(o->q, row->q, (size_t)look->nq * sizeof(double));
    memcpy(o->v, row->v, (size_t)look->nv * sizeof(double));
    memcpy(o->a, row->a, (size_t)look->nv * sizeof(double));
    if (look->nstate > 0) memcpy(o->state, row->state, (size_t)look->nstate * sizeof(double));
    if (r->film.most > 0) cd_film_add(&r->film, &o->mechanism->view, data, row->t);
    const double* value = cd_columns_row(r->columns, data, row);
    cd_sample_row(r->sample, value);
    note_doubts(r, data, row->t);
    if (r->results) r->status = cd_results_row(r->results, value);
    return r->status == CARDAN_OK && !cd_interrupted();
}

static void keep_event(void* user, cardan_data* data, const cardan_event* event)
{
    cd_run_outcome* o = ((recorder*)user)->outcome;
    (void)data;
    if (o->nevent >= CD_EVENTS_KEPT && (event->kind != CARDAN_EVENT_BRANCH || o->nevent >= 2 * CD_EVENTS_KEPT)) return;
    if (o->nevent == o->room) {
        const int     room = o->room > 0 ? 2 * o->room : 16;
        cardan_event* more = realloc(o->event, (size_t)room * sizeof *more);
        if (!more) cd_say_no_memory();
        if (!more) return;
        o->event = more;
        o->room  = room;
    }
    o->event[o->nevent++] = *event;
}

static bool keep_going(void* user, double t)
{
    recorder* r = user;
    cd_progress_show(&r->progress, t);
    return !cd_interrupted();
}

// ---- files

static void free_files(cd_run_files* files)
{
    free(files->csv);
    free(files->svg);
    free(files->picture);
}

// Whether the files may be written; before anything is computed.
static bool may_write(const cd_run_files* files, bool force)
{
    return (files->stream || cd_may_write(files->csv, force)) && (!files->svg || cd_may_write(files->svg, force)) &&
           (!files->picture || cd_may_write(files->picture, force));
}

static bool any_exists(const cd_run_files* files)
{
    return access(files->csv, F_OK) == 0 || access(files->svg, F_OK) == 0 ||
           (files->picture && access(files->picture, F_OK) == 0);
}

// Their names. A report as JSON whose results nobody named leaves earlier results alone, and says so.
static int name_files(const cd_mechanism* mechanism, bool prescribed, cd_run_files* files)
{
    const cd_options* options = mechanism->options;
    const bool        draws   = options->draw || options->strobe > 0 || options->look || options->names;
    *files                    = (cd_run_files){.stream = cd_is_standard_output(options->output)};
    if (files->stream)
        files->csv = cd_copy_string("/dev/stdout");
    else
        files->csv = options->output ? cd_copy_string(options->output)
                                     : cd_result_path(mechanism->view.name, prescribed ? "-kinematics.csv" : ".csv");
    bool       good  = files->csv != NULL;
    const bool alone = files->stream || cd_is_device(files->csv);
    if (good && !alone) good = (files->svg = cd_results_sibling(files->csv, ".svg")) != NULL;
    if (good && !alone && draws) good = (files->picture = cd_results_sibling(files->csv, "-mechanism.svg")) != NULL;
    if (!good) return cd_say_no_memory();
    if (files->svg && strcmp(files->svg, files->csv) == 0)
        return cd_say_error(CARDAN_CODE_USAGE, "--output names the CSV file; its curves get the ending .svg"),
               CD_EXIT_USAGE;
    if (options->json && !options->output && !options->force && any_exists(files)) {
        if (!options->quiet)
            cd_print_error("note: '%s' exists and is left as it is; --force overwrites it\n", files->csv);
        free_files(files);
        *files = (cd_run_files){0};
    }
    return !files->csv || may_write(files, options->force) ? CD_EXIT_DONE : CD_EXIT_INPUT;
}

// ---- the run

static bool allocate_last(cd_run_outcome* o)
{
    const cardan_model_view* look = &o->c->look;
    o->q                          = cd_allocate((size_t)look->nq_all + 1, sizeof(double));
    o->v                          = cd_allocate((size_t)look->nv_all + 1, sizeof(double));
    o->a                          = cd_allocate((size_t)look->nv_all + 1, sizeof(double));
    o->state                      = cd_allocate((size_t)look->nstate + 1, sizeof(double));
    if (!o->q || !o->v || !o->a || !o->state) return false;
    memcpy(o->q, o->c->q, (size_t)look->nq * sizeof(double));
    memcpy(o->v, o->c->v, (size_t)look->nv * sizeof(double));
    return true;
}

// What is made from the results: manifest, curves, picture. Returns the exit code.
static int write_companions(cd_run_outcome* o, recorder* r, cardan_report* report)
{
    const cd_options* options = o->mechanism->options;
    if (!o->files->svg || o->summary.rows == 0) return CD_EXIT_DONE;
    cardan_status status = cd_run_manifest(o, report);
    int           code   = status == CARDAN_OK ? CD_EXIT_DONE : cd_say_failure(report, status);
    if (code == CD_EXIT_DONE && o->summary.rows > 1 && cd_columns_count(r->columns) > 1) {
        char subtitle[128];
        snprintf(subtitle, sizeof subtitle, "%s, %s", cardan_formulation_name(o->c->formulation),
                 o->prescribed ? "kinematics" : cardan_integrator_name(o->run->integrator));
        const cd_plot_run  run  = {.table = cd_sample_table(r->sample)};
        const cd_plot_wish wish = {.title = o->mechanism->view.name, .subtitle = subtitle};
        code                    = cd_write_curves(options, 1, &run, wish, o->files->svg, true);
        o->svg_written          = code == CD_EXIT_DONE;
    }
    if (!o->svg_written) unlink(o->files->svg); // that of an earlier run
    if (code == CD_EXIT_DONE && o->files->picture) {
        code               = cd_write_picture(o->mechanism, &r->film, o->files->picture, true);
        o->picture_written = code == CD_EXIT_DONE;
    }
    if (status != CARDAN_OK) cd_remove_sibling(o->files->csv, ".manifest.json");
    if (o->files->picture && !o->picture_written) unlink(o->files->picture);
    return code;
}

// Files are completed whatever happened; then it is told.
static int finish(cd_mechanism* mechanism, cd_run_outcome* o, recorder* r, cardan_status status)
{
    const cd_options* options = mechanism->options;
    int               code    = CD_EXIT_DONE;
    if (r->film.failed || cd_end_code(CD_EXIT_DONE) != CD_EXIT_DONE) status = CARDAN_NO_MEMORY;
    const bool refused = o->summary.steps == 0 && (status == CARDAN_BAD_USAGE || status == CARDAN_UNSUPPORTED);
    if (refused || status == CARDAN_NO_MEMORY ||
        (o->summary.rows == 0 && status != CARDAN_OK && status != CARDAN_STOPPED)) {
        cd_results_discard(r->results);
        return cd_say_failure(&mechanism->report, status);
    }
    cardan_status closed = r->results ? cd_results_close(r->results, &mechanism->report) : CARDAN_OK;
    o->csv_written       = r->results && closed == CARDAN_OK;
    if (r->status != CARDAN_OK)
        status = r->status;
    else if (closed != CARDAN_OK)
        status = closed;
    o->summary.status = status;
    const bool told   = status != CARDAN_OK && status != CARDAN_STOPPED;
    if (told) {
        if (closed == CARDAN_OK)
            cd_say_failure(&mechanism->report, status);
        else
            cd_say_not_written(&mechanism->report, status, o->files->csv, options->force || o->files->stream);
        code = cd_run_exit(status, &o->summary);
    } else if (!options->quiet) {
        cd_say_report(&mechanism->report);
    }
    if (closed == CARDAN_OK) {
        const int companions = write_companions(o, r, &mechanism->report);
        if (code == CD_EXIT_DONE) code = companions;
    }
    if (options->json && !o->files->stream) {
        const int printed = cd_run_json(o);
        if (code == CD_EXIT_DONE) code = printed;
    } else if (!options->quiet && !o->files->stream) {
        cd_run_words(o);
    }
    return code == CD_EXIT_DONE && status == CARDAN_STOPPED ? CD_EXIT_STOPPED : code;
}

static int simulate(cd_mechanism* mechanism, cd_case* c, bool prescribed, const cd_run_files* files)
{
    const cd_options* options = mechanism->options;
    cardan_run        run;
    cd_run_outcome    o = {.mechanism = mechanism, .c = c, .run = &run, .files = files, .prescribed = prescribed};
    recorder          r = {.outcome = &o, .mechanism = mechanism};
    cd_generated_use  generated = {0};
    cardan_status     status;
    int               code = cd_run_settings(mechanism, c, &run);
    if (code != CD_EXIT_DONE) return code;

    if ((status = cd_columns_check(c, &mechanism->report)) != CARDAN_OK)
        return cd_say_failure(&mechanism->report, status);
    cd_limits_warn(c, &mechanism->report);
    if ((status = cd_warn_locked(c->data, &mechanism->report)) != CARDAN_OK)
        return cd_say_failure(&mechanism->report, status);
    cd_mechanism_warn(mechanism);

    code      = CD_EXIT_USAGE;
    r.columns = cd_columns_create(c, options->columns || !prescribed ? options->columns : "default,accelerations");
    o.columns = r.columns;
    if (r.columns) {
        code     = CD_EXIT_INPUT;
        r.sample = cd_sample_create(cd_columns_count(r.columns), cd_columns_head(r.columns));
        if (!r.sample || !allocate_last(&o))
            cd_say_no_memory();
        else if ((status = cd_run_can_start(c, run.integrator, prescribed, &mechanism->report)) != CARDAN_OK)
            code = cd_say_failure(&mechanism->report, status);
        else if (files->csv && (status = cd_results_create(files->csv, cd_columns_count(r.columns),
                                                           cd_columns_head(r.columns), options->force || files->stream,
                                                           &r.results, &mechanism->report)) != CARDAN_OK)
            code = cd_say_not_written(&mechanism->report, status, files->csv, options->force || files->stream);
        else {
            run.row      = keep_row;
            run.event    = keep_event;
            run.progress = keep_going;
            run.user     = &r;
            if (files->picture)
                cd_film_begin(&r.film, mechanism->view.nbody, options->strobe > 0 ? options->strobe : 1, run.start,
                              run.end);
            cd_note_interrupts(); // a compiler may run before the first step
            if (!prescribed) cd_generated_begin(mechanism, c, &run, &generated);
            o.generated = prescribed ? NULL : &generated;
            cd_progress_begin(&r.progress, mechanism->view.name, run.start, run.end, options->quiet);
            status = cd_end_code(CD_EXIT_DONE) != CD_EXIT_DONE ? CARDAN_NO_MEMORY
                     : prescribed ? cardan_kinematics(c->data, &run, &o.summary, &mechanism->report)
                                  : cardan_simulate(c->data, &run, &o.summary, &mechanism->report);
            cd_progress_end(&r.progress);
            code = finish(mechanism, &o, &r, status);
            cd_generated_end(c, &generated);
        }
    }
    cd_columns_destroy(r.columns);
    cd_sample_destroy(r.sample);
    cd_film_free(&r.film);
    free(o.q);
    free(o.v);
    free(o.a);
    free(o.state);
    free(o.event);
    return code;
}

int cd_run_command(const cd_options* options, bool prescribed)
{
    cd_mechanism mechanism;
    int          code = cd_mechanism_open(&mechanism, options);
    if (code != CD_EXIT_DONE) return code;
    cd_mechanism_warn(&mechanism);
    cd_run_files files       = {0};
    const int    formulation = cd_formulation_chosen(&mechanism);
    if (formulation == CARDAN_NONE)
        code = options->formulation ? CD_EXIT_USAGE : CD_EXIT_INPUT;
    else
        code = name_files(&mechanism, prescribed, &files);
    if (code == CD_EXIT_DONE) {
        cd_case c;
        cd_threads_note(&mechanism, formulation);
        const cardan_status status = cd_case_open(&c, &mechanism, formulation);
        code                       = status == CARDAN_OK ? simulate(&mechanism, &c, prescribed, &files)
                                                         : cd_say_failure(&mechanism.report, status);
        cd_case_close(&c);
    }
    free_files(&files);
    cd_mechanism_close(&mechanism);
    return code;
}

static int run(const cd_options* options) { return cd_run_command(options, false); }

const cd_command cd_command_run = {
    .name         = "run",
    .operands     = "MODEL",
    .least        = 1,
    .most         = 1,
    .summary      = "simulate: results as CSV, curves as SVG, a summary with the energy drift",
    .text         = "Simulates the mechanism from its start and writes\n"
                    "  results/NAME.csv            a row every --interval seconds, names and units in the first line\n"
                    "  results/NAME.svg            its curves, one panel per unit\n"
                    "  results/NAME.manifest.json  what produced them\n"
                    "Files that exist are not overwritten without --force (with --json alone they are left as\n"
                    "they are). Ctrl-C ends the run and leaves complete files. MODEL is a model file, a URDF\n"
                    "file, or a folder that holds a model file of its own name. Without --formulation operations\n"
                    "are counted and the one that should be fastest is taken; `cardan check` says which, and why.\n"
                    "The energy drift is the largest change of the energy that no force explains, relative to the\n"
                    "largest kinetic energy.\n"
                    "Loops that the start leaves open are closed first (see `cardan assemble`) and kept closed by\n"
                    "--stabilization; the closure is the largest gap of a loop at any row.\n"
                    "\n" CD_COLUMNS_HELP,
    .examples     = "cardan run models/pendulum                                  # as the file says\n"
                    "cardan run models/door -d 20 --set width=0.7 --force        # longer, with a parameter changed\n"
                    "cardan run arm.yaml -i cvode-bdf --tolerance 1e-10          # another integrator\n"
                    "cardan run arm.yaml -c 'default,reactions,hand.*'           # more columns\n"
                    "cardan run arm.yaml --json > end.json                       # the end, and everything about the run\n"
                    "cardan run arm.yaml --state end.json -o results/arm-2.csv   # go on from there\n",
    .draws_beside = true,
    CD_OPTIONS(CD_OPTION_DURATION, CD_OPTION_INTERVAL, CD_OPTION_FORMULATION, CD_OPTION_GENERATED, CD_OPTION_THREADS,
               CD_OPTION_INTEGRATOR, CD_OPTION_STABILIZATION, CD_OPTION_TOLERANCE, CD_OPTION_STEP, CD_OPTION_MAX_STEP,
               CD_OPTION_EPSILON, CD_OPTION_WINDOW, CD_OPTION_ITERATIONS, CD_OPTION_GAP, CD_OPTION_PULL, CD_OPTION_SET,
               CD_OPTION_STATE, CD_OPTION_START_TIME, CD_OPTION_COLUMNS, CD_OPTION_RUN_OUTPUT, CD_OPTION_FORCE,
               CD_OPTION_DRAW_TOO, CD_OPTION_STROBE_TOO, CD_OPTION_LOOK, CD_OPTION_NAMES, CD_OPTION_STRICT,
               CD_OPTION_FLOATING, CD_OPTION_JSON, CD_OPTION_QUIET, CD_OPTION_HELP),
    .run = run,
};
