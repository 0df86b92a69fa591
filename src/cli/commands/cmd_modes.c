// SPDX-License-Identifier: BSD-3-Clause
// cardan modes: natural frequencies, damping and mode shapes as table and JSON; one mode as a picture.
#include "cli/support/operating_point.h"
#include "cli/cli_tolerances.h"
#include "cli/commands/commands.h"
#include "cli/support/output_files.h"
#include "cli/report/text_table.h"
#include "cli/support/messages.h"
#include "cli/support/terminal_print.h"
#include "cli/support/run_settings.h"
#include "cli/report/value_text.h"
#include "core/memory.h"
#include "math/pi.h"

#include <cardan/analyse.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

extern const cd_command cd_command_modes;

static const char* mode_kind_text(const cardan_mode* mode)
{
    if (mode->kind == CARDAN_MODE_NEUTRAL) return "neutral";
    if (mode->kind == CARDAN_MODE_DECAY) return mode->is_unstable ? "growth" : "decay";
    return mode->is_unstable ? "growing oscillation" : "oscillation";
}

// Frequencies that differ by round-off only must have the same text.
static cd_value_text frequency_text(const cardan_mode* mode)
{
    cd_value_text word = {""};
    if (mode->kind == CARDAN_MODE_OSCILLATION) snprintf(word.text, sizeof word.text, "%.5g", mode->frequency);
    return word;
}

static cd_value_text damping_text(const cardan_mode* mode)
{
    cd_value_text word = {""};
    if (mode->kind == CARDAN_MODE_OSCILLATION)
        snprintf(word.text, sizeof word.text, "%.4f",
                 fabs(mode->damping_ratio) < cd_printed_damping_min ? 0 : mode->damping_ratio);
    return word;
}

static cd_value_text time_constant_text(const cardan_mode* mode)
{
    cd_value_text word = {""};
    if (isfinite(mode->time_constant) &&
        (mode->kind == CARDAN_MODE_DECAY || fabs(mode->damping_ratio) >= cd_printed_damping_min))
        snprintf(word.text, sizeof word.text, "%.4g", mode->time_constant);
    return word;
}

static void print_summary(const cd_loaded_model* mechanism, const cd_model_instance* c, const cardan_modes* modes)
{
    cd_print("%s at t = %g s: %s of %s", mechanism->view.name, c->t, cd_plural_text(modes->count, "mode", "modes").text,
             cd_plural_text(modes->nvelocity, "motion", "motions").text);
    if (modes->nstate > 0) cd_print(" and %s", cd_plural_text(modes->nstate, "state", "states").text);
    cd_print("%s\n", modes->nunstable > 0 ? ", UNSTABLE" : "");
    cd_text_table            mode_table = {.align = "rlrrrl"};
    static const char* const head[]     = {
            "mode", "", "frequency [Hz]", "damping", "time constant [s]", "share of kinetic energy"};
    for (int i = 0; i < 6; ++i) cd_text_table_add(&mode_table, "%s", head[i]);
    for (int i = 0; i < modes->count; ++i) {
        const cardan_mode* mode = &modes->mode[i];
        cd_text_table_add(&mode_table, "%d", i + 1);
        cd_text_table_add(&mode_table, "%s", mode_kind_text(mode));
        cd_text_table_add(&mode_table, "%s", frequency_text(mode).text);
        cd_text_table_add(&mode_table, "%s", damping_text(mode).text);
        cd_text_table_add(&mode_table, "%s", time_constant_text(mode).text);
        cd_text_table_add(&mode_table, "%s", mode->description);
    }
    cd_text_table_print(&mode_table);
}

static void json_mode(cd_json_writer* json, const cd_model_instance* c, const cardan_mode* mode)
{
    cd_json_begin_object(json, NULL);
    cd_json_string(json, "kind",
                   mode->kind == CARDAN_MODE_NEUTRAL ? "neutral"
                   : mode->kind == CARDAN_MODE_DECAY ? "decay"
                                                     : "oscillation");
    cd_json_boolean(json, "unstable", mode->is_unstable);
    cd_json_number(json, "real", mode->real);
    cd_json_number(json, "imaginary", mode->imaginary);
    cd_json_number(json, "frequency", mode->frequency);
    cd_json_number(json, "natural_frequency", mode->natural_frequency);
    cd_json_number(json, "damping", mode->damping_ratio);
    cd_json_number(json, "time_constant", mode->time_constant);
    cd_json_string(json, "energy", mode->description);
    cd_json_begin_object(json, "joints");
    for (int j = 0; j < c->model_view.njoint; ++j) {
        const cardan_index_range range = c->model_view.joint_range[j];
        if (range.v < 0 || range.nv == 0) continue;
        cd_json_begin_object(json, cardan_model_joint_name(c->model, j));
        cd_json_numbers(json, "real", range.nv, mode->joint_real + range.v);
        cd_json_numbers(json, "imaginary", range.nv, mode->joint_imaginary + range.v);
        cd_json_end(json);
    }
    cd_json_end(json);
    cd_json_end(json);
}

static int print_json(const cd_model_instance* c, const cardan_modes* modes)
{
    cd_text        text = {0};
    cd_json_writer json = cd_json_writer_to(&text);
    cd_json_begin_object(&json, NULL);
    cd_json_string(&json, "status", "ok");
    cd_json_number(&json, "time", c->t);
    cd_json_integer(&json, "positions", modes->nposition);
    cd_json_integer(&json, "velocities", modes->nvelocity);
    cd_json_integer(&json, "states", modes->nstate);
    cd_json_integer(&json, "unstable", modes->nunstable);
    cd_json_number(&json, "speed", modes->max_velocity);
    cd_json_number(&json, "acceleration", modes->max_acceleration);
    cd_json_begin_array(&json, "modes");
    for (int i = 0; i < modes->count; ++i) json_mode(&json, c, &modes->mode[i]);
    cd_json_end(&json);
    cd_json_end(&json);
    return cd_print_and_free_text(&text);
}

// ---- picture

// Size: diagonal of the bounding box of mass centres and ground frames of joints; displacement: largest displacement of
// a mass centre per unit of the mode.
static bool measure_mode(const cd_loaded_model* mechanism, cd_model_instance* c, const cardan_mode* mode, double* size,
                         double* displacement)
{
    const int      nbody  = mechanism->view.nbody;
    cardan_motion* body   = cd_allocate((size_t)nbody + 1, sizeof *body);
    double         low[3] = {INFINITY, INFINITY, INFINITY}, high[3] = {-INFINITY, -INFINITY, -INFINITY};
    if (!body) return false;
    *displacement = *size = 0;
    for (int p = 0; p < 2; ++p) {
        cardan_data_set_state(c->data, c->t, c->q, p == 0 ? mode->tangent_real : mode->tangent_imaginary, c->state);
        cardan_data_body_motions(c->data, NULL, body);
        for (int b = 0; b < nbody; ++b) {
            *displacement = fmax(*displacement, sqrt(body[b].v[0] * body[b].v[0] + body[b].v[1] * body[b].v[1] +
                                                     body[b].v[2] * body[b].v[2]));
            for (int k = 0; k < 3; ++k) low[k] = fmin(low[k], body[b].p[k]), high[k] = fmax(high[k], body[b].p[k]);
        }
    }
    for (int j = 0; j < mechanism->view.njoint; ++j)
        for (int k = 0; k < 3 && mechanism->view.joint[j].first_body == CARDAN_GROUND; ++k) {
            low[k]  = fmin(low[k], mechanism->view.joint[j].frame_first.p[k]);
            high[k] = fmax(high[k], mechanism->view.joint[j].frame_first.p[k]);
        }
    *size = hypot(hypot(high[0] - low[0], high[1] - low[1]), high[2] - low[2]);
    free(body);
    return true;
}

// Scale at which mass centres move by a sixth of the size, and angles by at most 0.5 rad.
static double default_scale(double size, double displacement)
{
    const double scale_max = 0.5;
    return displacement > 0 && size > 0 ? fmin(scale_max, size / 6 / displacement) : scale_max;
}

// Snapshots of the mode at several phases, the last at its largest amplitude.
static int make_snapshots(cd_loaded_model* mechanism, cd_model_instance* c, const cardan_mode* mode,
                          cd_snapshots* snapshots)
{
    const cd_options* options   = mechanism->options;
    const int         nsnapshot = options->strobe > 0 ? options->strobe : 7, nv = c->model_view.nv;
    double            size, displacement;
    double *dq = cd_allocate((size_t)nv + 1, sizeof *dq), *q = cd_allocate((size_t)c->model_view.nq + 1, sizeof *q),
           *v          = cd_allocate((size_t)nv + 1, sizeof *v);
    bool         good  = dq && q && v && measure_mode(mechanism, c, mode, &size, &displacement);
    const double scale = !good ? 0 : isnan(options->scale) ? default_scale(size, displacement) : options->scale;
    cd_snapshots_begin(snapshots, mechanism->view.nbody, nsnapshot, 0, nsnapshot - 1);
    for (int i = 0; i < nsnapshot && good && !snapshots->failed; ++i) {
        const double phase = nsnapshot > 1 ? CD_PI * (1 - (double)i / (nsnapshot - 1)) : 0;
        for (int k = 0; k < nv; ++k)
            dq[k] = scale * (mode->tangent_real[k] * cos(phase) - mode->tangent_imaginary[k] * sin(phase));
        cardan_model_integrate_position(c->model, c->q, dq, q);
        cardan_data_set_state(c->data, c->t, q, v, c->state);
        if (c->model_view.nconstraint > 0) cardan_data_project(c->data, NULL, NULL, NULL, NULL, NULL);
        cd_snapshots_add(snapshots, &mechanism->view, c->data, i);
    }
    free(dq);
    free(q);
    free(v);
    if (good && !snapshots->failed) return CD_EXIT_DONE;
    cd_report_no_memory();
    return CD_EXIT_INPUT;
}

static int draw(cd_loaded_model* mechanism, cd_model_instance* c, const cardan_modes* modes)
{
    const cd_options* options = mechanism->options;
    const int         number  = options->mode;
    if (number > modes->count) {
        cd_report_error(CARDAN_CODE_USAGE, "'%s' has %d modes; --draw %d is not one of them", mechanism->view.name,
                        modes->count, number);
        return CD_EXIT_USAGE;
    }
    const cardan_mode* mode      = &modes->mode[number - 1];
    cd_snapshots       snapshots = {0};
    char               caption[100], ending[40];
    if (mode->kind == CARDAN_MODE_OSCILLATION)
        snprintf(caption, sizeof caption, "mode %d, %.4g Hz", number, mode->frequency);
    else
        snprintf(caption, sizeof caption, "mode %d, %s", number, mode_kind_text(mode));
    snprintf(ending, sizeof ending, "-mode-%d.svg", number);
    char* path = options->output ? cd_copy_string(options->output) : cd_result_path(mechanism->view.name, ending);
    int   code = path ? CD_EXIT_DONE : cd_report_no_memory();
    if (code == CD_EXIT_DONE && !cd_is_standard_output(path) && !cd_can_write(path, options->force))
        code = CD_EXIT_INPUT;
    if (code == CD_EXIT_DONE) code = make_snapshots(mechanism, c, mode, &snapshots);
    snapshots.caption = caption;
    if (code == CD_EXIT_DONE) code = cd_write_mechanism_svg(mechanism, &snapshots, path, options->force);
    if (code == CD_EXIT_DONE && !options->json && !options->quiet && !cd_is_standard_output(path))
        cd_print("mode %d: %s\n", number, path);
    free(path);
    cd_snapshots_free(&snapshots);
    return code;
}

static int run(const cd_options* options)
{
    cd_loaded_model   mechanism;
    cd_model_instance c;
    cardan_modes*     modes = NULL;
    if (!options->mode && (options->output || options->strobe || !isnan(options->scale)))
        return cd_report_usage_error(&cd_command_modes,
                                     "--output, --strobe and --scale require --draw N, the mode to draw");
    int code = cd_operating_point_open(&mechanism, &c, options);
    if (code != CD_EXIT_DONE) return code;
    const int nmode_max = 2 * c.model_view.nv + c.model_view.nstate;
    if (options->mode > nmode_max) {
        cd_report_error(CARDAN_CODE_USAGE, "'%s' has at most %s; --draw %d is not one of them", mechanism.view.name,
                        cd_plural_text(nmode_max, "mode", "modes").text, options->mode);
        cd_model_instance_close(&c);
        cd_loaded_model_close(&mechanism);
        return CD_EXIT_USAGE;
    }
    const cardan_status status = cardan_modes_create(c.data, &modes, &mechanism.report);
    if (status != CARDAN_OK) {
        code = cd_report_failure(&mechanism.report, status);
    } else {
        cd_operating_point_warn(&mechanism, modes->max_velocity, modes->max_acceleration);
        const bool table = !options->quiet && !(options->mode && cd_is_standard_output(options->output));
        if (options->json)
            code = print_json(&c, modes);
        else if (table)
            print_summary(&mechanism, &c, modes);
        if (code == CD_EXIT_DONE && options->mode) code = draw(&mechanism, &c, modes);
    }
    cardan_modes_destroy(modes);
    cd_model_instance_close(&c);
    cd_loaded_model_close(&mechanism);
    return code;
}

const cd_command cd_command_modes = {
    .name         = "modes",
    .operands     = "MODEL",
    .noperand_min = 1,
    .noperand_max = 1,
    .summary      = "natural frequencies, damping and mode shapes, at the start or at the equilibrium",
    .text         = "Linearizes the mechanism about its start, or about an equilibrium, and prints its modes:\n"
                    "neutral modes (without restoring force) first, then by increasing natural frequency. For each\n"
                    "mode: frequency, damping ratio, time constant (decay or growth by a factor e), and the\n"
                    "bodies with most of its kinetic energy, with direction of translation or axis of rotation.\n"
                    "If the start has velocities, the modes are those of the equations linearized at this\n"
                    "state.",
    .examples     = "cardan modes models/hmmwv --equilibrium                    # heave, pitch, roll, wheel hop\n"
                    "cardan modes models/double_pendulum --equilibrium --draw 2 # results/double-pendulum-mode-2.svg\n"
                    "cardan modes car.yaml --state equilibrium.json --json      # with shapes of all joints\n",
    CD_OPTIONS(CD_OPTION_EQUILIBRIUM, CD_OPTION_NEAREST, CD_OPTION_MODE, CD_OPTION_PHASES, CD_OPTION_SCALE,
               CD_OPTION_VIEW, CD_OPTION_NAMES, CD_OPTION_WIDTH, CD_OPTION_HEIGHT, CD_OPTION_TITLE,
               CD_OPTION_MODE_OUTPUT, CD_OPTION_FORCE, CD_OPTION_FORMULATION, CD_OPTION_STATE, CD_OPTION_TIME,
               CD_OPTION_SET, CD_OPTION_STRICT, CD_OPTION_FLOATING, CD_OPTION_JSON, CD_OPTION_QUIET, CD_OPTION_HELP),
    .run = run,
};
