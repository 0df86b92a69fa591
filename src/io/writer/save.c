// SPDX-License-Identifier: BSD-3-Clause
// Writer of native model files: fully expanded, with numbers that read back to the same bits. The file is written
// completely or not at all (core/file.h).
#include "io/format.h"
#include "core/check_arguments.h"
#include "core/escape.h"
#include "core/file.h"
#include "core/number_locale.h"
#include "core/partial_file.h"
#include "io/writer/write_model.h"
#include "model/check/check_description.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

// Write the parameters as comments: their values are already contained in the numbers, so that changing
// them would have no effect.
static void write_parameters(cd_writer* w)
{
    if (w->view.nparameter > 0) cd_text_add(&w->text, "\n# computed with the parameters\n");
    for (int i = 0; i < w->view.nparameter; ++i) {
        cd_text_add(&w->text, "#   ");
        cd_escape_yaml_comment(&w->text, w->view.parameter[i].name);
        cd_text_add(&w->text, ": ");
        cd_write_number(w, w->view.parameter[i].value);
        cd_write_end_of_line(w);
    }
}

static void write_tables(cd_writer* w)
{
    if (w->view.ntable > 0) cd_write_heading(w, "tables");
    for (int i = 0; i < w->view.ntable; ++i) {
        const cardan_table* table = &w->view.table[i];
        cd_write_check_word(w, table->name);
        cd_write_item(w, table->name);
        cd_write_list(w, 2, "x", table->count, table->x);
        cd_write_list(w, 2, "y", table->count, table->y);
        if (table->interpolation != CARDAN_INTERPOLATION_LINEAR)
            cd_write_word(w, 2, "interpolation",
                          table->interpolation == CARDAN_INTERPOLATION_MONOTONE ? "cubic" : "spline");
    }
}

static void write_formula(cd_writer* w, int depth, const char* key, cardan_expression node)
{
    cd_write_key(w, depth, key);
    cd_text_add(&w->text, " ");
    cd_write_formula(w, node);
    cd_write_end_of_line(w);
}

static void write_states(cd_writer* w)
{
    if (w->view.nstate > 0) cd_write_heading(w, "states");
    for (int i = 0; i < w->view.nstate; ++i) {
        const cardan_user_state* state = &w->view.state[i];
        cd_write_check_word(w, state->name);
        cd_write_item(w, state->name);
        if (state->start != 0) cd_write_value(w, 2, "start", state->start);
        write_formula(w, 2, "rate", state->rate);
    }
}

static void write_outputs(cd_writer* w)
{
    if (w->view.noutput > 0) cd_write_heading(w, "outputs");
    for (int i = 0; i < w->view.noutput; ++i) {
        const cardan_output* output = &w->view.output[i];
        cd_write_item(w, output->name);
        write_formula(w, 2, "value", output->value);
        if (output->unit && *output->unit) cd_write_string(w, 2, "unit", output->unit);
    }
}

static void write_run(cd_writer* w)
{
    const cardan_run_defaults* run      = w->view.run;
    const double               values[] = {run->duration,       run->output_interval, run->step,
                                           run->tolerance,      run->regularization,  run->violation_tolerance,
                                           run->baumgarte_rate, run->window,          run->max_iterations};
    static const char* const   keys[]   = {"duration", "output", "step",   "tolerance", "epsilon",
                                           "gap",      "pull",   "window", "iterations"};
    enum { COUNT = sizeof values / sizeof *values };
    bool has_values = run->integrator || run->formulation || run->stabilization || run->stop_condition >= 0;
    for (int i = 0; i < COUNT; ++i) has_values |= values[i] != 0;
    if (!has_values) return;
    cd_write_heading(w, "run");
    for (int i = 0; i < COUNT; ++i)
        if (values[i] != 0) cd_write_value(w, 1, keys[i], values[i]);
    if (run->integrator) cd_write_word(w, 1, "integrator", run->integrator);
    if (run->formulation) cd_write_word(w, 1, "formulation", run->formulation);
    if (run->stabilization) cd_write_word(w, 1, "stabilization", run->stabilization);
    if (run->stop_condition >= 0) write_formula(w, 1, "stop", run->stop_condition);
}

// Write the whole text. Returns false if memory is exhausted, or with w->unsupported if a model file cannot
// represent the description.
static bool write_all(const cardan_description* description, bool canonical, cd_writer* w)
{
    *w = (cd_writer){
        .description = description, .view = cardan_description_get_view(description), .canonical = canonical};
    const locale_t before = cd_locale_enter();
    cd_text_add(&w->text, "cardan: 1\n");
    cd_write_string(w, 0, "name", w->view.name);
    cd_write_list(w, 0, "gravity", 3, w->view.gravity);
    write_parameters(w);
    write_tables(w);
    cd_write_materials(w);
    cd_write_bodies(w);
    cd_write_joints(w);
    cd_write_constraints(w);
    cd_write_contacts(w);
    write_states(w);
    cd_write_forces(w);
    write_outputs(w);
    write_run(w);
    cd_write_suspension(w);
    cd_locale_leave(before);
    const bool ok = !w->text.failed && !w->unsupported[0];
    if (!ok) cd_text_free(&w->text);
    return ok;
}

char* cardan_description_save_text(const cardan_description* description)
{
    cd_writer w;
    if (!description || cd_check_references(description, NULL) != CARDAN_OK) return NULL;
    return write_all(description, false, &w) ? cd_text_detach(&w.text) : NULL;
}

cardan_status cd_save_text(const cardan_description* description, char** text, cardan_report* report)
{
    cd_writer w;
    *text = write_all(description, false, &w) ? cd_text_detach(&w.text) : NULL;
    if (*text) return CARDAN_OK;
    if (!w.unsupported[0]) return CARDAN_NO_MEMORY;
    return cardan_fail(report, CARDAN_BAD_INPUT, CARDAN_CODE_MODEL_NOT_WRITABLE, cardan_location_none(),
                       "'%s' cannot be written as a model file: it contains %s", description->name, w.unsupported);
}

cardan_status cd_save_canonical_text(const cardan_description* description, char** text, cardan_report* report)
{
    cd_writer w;
    *text = write_all(description, true, &w) ? cd_text_detach(&w.text) : NULL;
    if (*text) return CARDAN_OK;
    if (!w.unsupported[0]) return CARDAN_NO_MEMORY;
    return cardan_fail(report, CARDAN_UNSUPPORTED, CARDAN_CODE_MODEL_NOT_WRITABLE, cardan_location_none(),
                       "'%s' has no canonical text: it contains %s", description->name, w.unsupported);
}

// Write a file to an existing folder; folders are not created, because the name may be mistyped.
static cardan_status write_file(const char* path, const cd_text* text, cardan_report* report)
{
    const int folder = cd_folder_open(path);
    if (folder < 0 && (errno == ENOENT || errno == ENOTDIR))
        return cardan_fail(report, cd_file_status(errno), CARDAN_CODE_FILE_NOT_WRITABLE,
                           (cardan_location){.file = path}, "the file cannot be written: %s", strerror(errno));
    if (folder >= 0) close(folder);
    return cd_file_write(path, text->data, text->length, true, report);
}

cardan_status cardan_description_save(const cardan_description* description, const char* path, cardan_report* report)
{
    if (!path || !*path)
        return cardan_fail(report, CARDAN_BAD_USAGE, CARDAN_CODE_INVALID_ARGUMENT, cardan_location_none(),
                           "the path of the file is missing");
    CD_REQUIRE_POINTER(description, "description", report);
    if (cd_check_references(description, report) != CARDAN_OK) return CARDAN_BAD_INPUT;
    const cardan_location location = {.file = path};
    const cd_format*      format   = cd_format_from_path(path);
    if (!format || !cd_format_is_native(format))
        return cardan_fail(report, CARDAN_BAD_USAGE, CARDAN_CODE_FILE_FORMAT, location,
                           "the extension of a model file must be .yaml or .yml");
    cd_writer w;
    if (!write_all(description, false, &w) && w.unsupported[0])
        return cardan_fail(report, CARDAN_BAD_INPUT, CARDAN_CODE_MODEL_NOT_WRITABLE, location,
                           "the description cannot be written as a model file: it contains %s", w.unsupported);
    if (!w.text.data)
        return cardan_fail(report, CARDAN_NO_MEMORY, CARDAN_CODE_OUT_OF_MEMORY, location, "out of memory");
    const cardan_status status = write_file(path, &w.text, report);
    cd_text_free(&w.text);
    return status;
}
