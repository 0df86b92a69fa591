// SPDX-License-Identifier: BSD-3-Clause
// cardan view --html: simulate as `cardan run` does, with sixty samples a second, and write the motion as a page.
#include "cli/view/view_html.h"

#include "cli/commands/commands.h"
#include "cli/support/messages.h"
#include "cli/support/output_files.h"
#include "cli/support/progress.h"
#include "cli/support/run_settings.h"
#include "cli/support/terminal_print.h"
#include "cli/view/run_recording.h"

static const double frame_interval = 1.0 / 60; // [s]

typedef struct html_run {
    cd_run_recording recording;
    cd_progress      progress;
} html_run;

static bool on_sample(void* user, cardan_data* data, const cardan_sample* sample)
{
    html_run* h = user;
    (void)data;
    cd_run_recording_sample(&h->recording, sample);
    return !h->recording.failed && !cd_is_interrupted();
}

static void on_event(void* user, cardan_data* data, const cardan_event* event)
{
    (void)data;
    cd_run_recording_event(&((html_run*)user)->recording, event);
}

static bool on_progress(void* user, double t)
{
    cd_progress_show(&((html_run*)user)->progress, t);
    return !cd_is_interrupted();
}

static cardan_status record(cd_loaded_model* mechanism, cd_model_instance* c, cardan_run_settings* run, html_run* h)
{
    cardan_run_summary summary;
    cardan_status      status = cd_run_check_start(c, run->integrator, false, &mechanism->report);
    if (status == CARDAN_OK) status = cd_run_recording_open(&h->recording, mechanism, c, run, &mechanism->report);
    if (status != CARDAN_OK) return status;
    run->sample_callback   = on_sample;
    run->event_callback    = on_event;
    run->progress_callback = on_progress;
    run->user              = h;
    cd_catch_interrupts();
    cd_progress_begin(&h->progress, mechanism->view.name, run->start, run->end, mechanism->options->quiet);
    status = cardan_simulate(c->data, run, &summary, &mechanism->report);
    cd_progress_end(&h->progress);
    return status;
}

static int write(cd_loaded_model* mechanism, html_run* h, cardan_status simulated)
{
    const cd_options*   options = mechanism->options;
    const cardan_status status  = cd_run_recording_write(&h->recording, &mechanism->report);
    if (status != CARDAN_OK) return cd_report_write_failure(&mechanism->report, status, options->html, options->force);
    if (simulated != CARDAN_OK && simulated != CARDAN_STOPPED) return cd_report_failure(&mechanism->report, simulated);
    if (!options->quiet) cd_print_report(&mechanism->report);
    if (!options->quiet) cd_print("%s: %s\n", mechanism->view.name, options->html);
    return simulated == CARDAN_STOPPED ? CD_EXIT_STOPPED : CD_EXIT_DONE;
}

static int simulate(cd_loaded_model* mechanism, cd_model_instance* c)
{
    cardan_run_settings run;
    html_run            h    = {0};
    int                 code = cd_run_settings(mechanism, c, &run);
    if (code != CD_EXIT_DONE) return code;
    run.output_interval        = frame_interval;
    const cardan_status status = record(mechanism, c, &run, &h);
    // a run that fails is written up to its last sample
    code = h.recording.recording ? write(mechanism, &h, status) : cd_report_failure(&mechanism->report, status);
    cd_run_recording_close(&h.recording);
    return code;
}

int cd_view_html(const cd_options* options)
{
    cd_loaded_model mechanism;
    int             code = cd_can_write(options->html, options->force) ? CD_EXIT_DONE : CD_EXIT_INPUT;
    if (code == CD_EXIT_DONE) code = cd_loaded_model_open(&mechanism, options);
    if (code != CD_EXIT_DONE) return code;
    cd_loaded_model_warn(&mechanism);
    const int formulation = cd_select_formulation(&mechanism);
    if (formulation == CARDAN_NONE) {
        code = options->formulation ? CD_EXIT_USAGE : CD_EXIT_INPUT;
    } else {
        cd_model_instance   c;
        const cardan_status status = cd_model_instance_open(&c, &mechanism, formulation);
        code = status == CARDAN_OK ? simulate(&mechanism, &c) : cd_report_failure(&mechanism.report, status);
        cd_model_instance_close(&c);
    }
    cd_loaded_model_close(&mechanism);
    return code;
}
