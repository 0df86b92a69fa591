// SPDX-License-Identifier: BSD-3-Clause
// cardan linearize: linear state-space model A, B, C, D about an operating point.
#include "cli/support/operating_point.h"
#include "cli/cli_tolerances.h"
#include "cli/commands/commands.h"
#include "cli/support/output_files.h"
#include "cli/report/text_table.h"
#include "cli/support/messages.h"
#include "cli/support/motor_list.h"
#include "cli/support/terminal_print.h"
#include "cli/report/report_values.h"
#include "cli/report/value_text.h"
#include "core/escape.h"

#include <cardan/analyse.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

// Matrix with names of rows and columns.
typedef struct matrix {
    const char*        name;
    int                rows, columns;
    const double*      entry;
    const char *const *row, *const *column;
} matrix;

static int list_matrices(const cardan_linear_model* l, matrix list[4])
{
    list[0] = (matrix){"A", l->n, l->n, l->A, l->state, l->state};
    list[1] = (matrix){"B", l->n, l->ninput, l->B, l->state, l->input};
    list[2] = (matrix){"C", l->noutput, l->n, l->C, l->output, l->state};
    list[3] = (matrix){"D", l->noutput, l->ninput, l->D, l->output, l->input};
    return 4;
}

// Entry (i, j); 0 if it is round-off relative to the largest entry of its row.
static double rounded_entry(const matrix* m, int i, int j)
{
    double largest = 0;
    for (int k = 0; k < m->columns; ++k) largest = fmax(largest, fabs(m->entry[i * m->columns + k]));
    const double x = m->entry[i * m->columns + j];
    return fabs(x) <= cd_printed_entry_min * fmax(1, largest) ? 0 : x;
}

static void print_matrix(const matrix* m)
{
    enum { COLUMNS_MAX = 12 };
    if (m->rows == 0 || m->columns == 0) return;
    if (m->columns > COLUMNS_MAX) {
        cd_print("%s: %d x %d, see --json or --output\n", m->name, m->rows, m->columns);
        return;
    }
    char align[COLUMNS_MAX + 2] = "l";
    memset(align + 1, 'r', (size_t)m->columns);
    cd_text_table table = {.align = align};
    cd_text_table_add(&table, "%s", m->name);
    for (int j = 0; j < m->columns; ++j) cd_text_table_add(&table, "%s", m->column[j]);
    for (int i = 0; i < m->rows; ++i) {
        cd_text_table_add(&table, "%s", m->row[i]);
        for (int j = 0; j < m->columns; ++j)
            cd_text_table_add(&table, "%s", cd_five_digit_text(rounded_entry(m, i, j)).text);
    }
    cd_text_table_print(&table);
}

static void print_summary(const cd_loaded_model* mechanism, const cd_model_instance* c, const cardan_linear_model* l)
{
    matrix    list[4];
    const int count = list_matrices(l, list);
    cd_print("%s at t = %g s: linear model of %s, %s, %s\n", mechanism->view.name, c->t,
             cd_plural_text(l->n, "state", "states").text, cd_plural_text(l->ninput, "input", "inputs").text,
             cd_plural_text(l->noutput, "output", "outputs").text);
    if (l->ninput == 0) cd_print("no inputs: --motors names joints with inputs\n");
    for (int i = 0; i < count - 1; ++i) // D is zero: outputs do not depend on accelerations
        if (i != 2 || mechanism->view.noutput > 0) print_matrix(&list[i]);
}

static void json_names(cd_json_writer* json, const char* key, int n, const char* const* name)
{
    cd_json_begin_array(json, key);
    for (int i = 0; i < n; ++i) cd_json_string(json, NULL, name[i]);
    cd_json_end(json);
}

static void json_matrix(cd_json_writer* json, const char* key, int rows, int columns, const double* entry)
{
    cd_json_begin_array(json, key);
    for (int i = 0; i < rows; ++i) cd_json_numbers(json, NULL, columns, entry + (size_t)i * (size_t)columns);
    cd_json_end(json);
}

static cd_text json_text(const cd_model_instance* c, const cardan_linear_model* l)
{
    cd_text        text = {0};
    cd_json_writer json = cd_json_writer_to(&text);
    matrix         list[4];
    cd_json_begin_object(&json, NULL);
    cd_json_string(&json, "status", "ok");
    cd_json_number(&json, "time", c->t);
    json_names(&json, "states", l->n, l->state);
    json_names(&json, "state_units", l->n, l->state_unit);
    json_names(&json, "inputs", l->ninput, l->input);
    json_names(&json, "input_units", l->ninput, l->input_unit);
    json_names(&json, "outputs", l->noutput, l->output);
    json_names(&json, "output_units", l->noutput, l->output_unit);
    for (int i = 0, count = list_matrices(l, list); i < count; ++i)
        json_matrix(&json, list[i].name, list[i].rows, list[i].columns, list[i].entry);
    if (l->mass) {
        json_matrix(&json, "mass", l->nvelocity, l->nvelocity, l->mass);
        json_matrix(&json, "damping", l->nvelocity, l->nvelocity, l->damping);
        json_matrix(&json, "stiffness", l->nvelocity, l->nvelocity, l->stiffness);
    }
    cd_json_begin_object(&json, "state");
    cd_write_joints_json(&json, c, c->q, c->v, NULL, NULL);
    cd_write_states_json(&json, c, c->state);
    cd_json_end(&json);
    cd_json_end(&json);
    return text;
}

static int write_csv(const matrix* m, const char* path, bool force)
{
    char        name[4096];
    cd_text     text  = {0};
    const char* point = strrchr(path, '.');
    snprintf(name, sizeof name, "%.*s-%s%s", (int)(point - path), path, m->name, point);
    for (int j = 0; j < m->columns; ++j) {
        if (j) cd_text_add(&text, ",");
        cd_escape_csv(&text, m->column[j]);
    }
    cd_text_add(&text, "\n");
    for (int i = 0; i < m->rows; ++i) {
        for (int j = 0; j < m->columns; ++j)
            cd_text_format(&text, "%s%.17g", j ? "," : "", m->entry[i * m->columns + j]);
        cd_text_add(&text, "\n");
    }
    return cd_write_text(name, &text, force);
}

static int write_files(const cd_model_instance* c, const cardan_linear_model* l, const cd_options* options)
{
    const char* point = strrchr(options->output, '.');
    matrix      list[4];
    int         code = CD_EXIT_DONE;
    if (point && strcmp(point, ".csv") == 0) {
        for (int i = 0, count = list_matrices(l, list); i < count && code == CD_EXIT_DONE; ++i)
            code = write_csv(&list[i], options->output, options->force);
        return code;
    }
    cd_text text = json_text(c, l);
    return cd_write_text(options->output, &text, options->force);
}

static int report(const cd_loaded_model* mechanism, const cd_model_instance* c, const cardan_linear_model* l)
{
    const cd_options* options = mechanism->options;
    int               code    = options->output ? write_files(c, l, options) : CD_EXIT_DONE;
    if (code != CD_EXIT_DONE) return code;
    if (options->json) {
        cd_text text = json_text(c, l);
        return cd_print_and_free_text(&text);
    }
    if (!options->quiet && !cd_is_standard_output(options->output)) print_summary(mechanism, c, l);
    return code;
}

// Compute velocities and accelerations of the operating point for the notes.
static void warn_about_state(cd_loaded_model* mechanism, const cd_model_instance* c)
{
    double speed = 0, acceleration = 0;
    if (cd_report_if_no_memory(cardan_data_accelerate(c->data, c->a, NULL, NULL)) != CARDAN_OK) return;
    for (int i = 0; i < c->model_view.nv; ++i)
        speed = fmax(speed, fabs(c->v[i])), acceleration = fmax(acceleration, fabs(c->a[i]));
    cd_operating_point_warn(mechanism, speed, acceleration);
}

extern const cd_command cd_command_linearize;

// Check the ending of the file name, which selects the format.
static bool has_known_ending(const char* path)
{
    const char* point = path ? strrchr(path, '.') : NULL;
    return !path || cd_is_standard_output(path) ||
           (point && (strcmp(point, ".json") == 0 || strcmp(point, ".csv") == 0));
}

static int run(const cd_options* options)
{
    cd_loaded_model mechanism;
    if (!has_known_ending(options->output))
        return cd_report_usage_error(
            &cd_command_linearize,
            "--output '%s' must end in .json (all matrices in one file) or .csv (one file per matrix)",
            options->output);
    cd_model_instance    c;
    cd_motor_list        list   = {0};
    cardan_linear_model* linear = NULL;
    int                  code   = cd_operating_point_open(&mechanism, &c, options);
    if (code != CD_EXIT_DONE) return code;
    code = cd_motor_list_select(&mechanism, &c, &list);
    if (code == CD_EXIT_DONE) {
        const cardan_status status =
            cardan_linear_model_create(c.data, list.nmotor, list.motor, &linear, &mechanism.report);
        if (status == CARDAN_OK) {
            warn_about_state(&mechanism, &c);
            code = report(&mechanism, &c, linear);
        } else {
            code = cd_report_failure(&mechanism.report, status);
        }
    }
    cardan_linear_model_destroy(linear);
    cd_motor_list_free(&list);
    cd_model_instance_close(&c);
    cd_loaded_model_close(&mechanism);
    return code;
}

const cd_command cd_command_linearize = {
    .name         = "linearize",
    .operands     = "MODEL",
    .noperand_min = 1,
    .noperand_max = 1,
    .summary      = "linear model A, B, C, D about a state, for control design",
    .text         = "Linearizes the mechanism about its start, or about its equilibrium: d(dx)/dt = A dx + B\n"
                    "du, dy = C dx + D du. The states are independent joint coordinates, their velocities, and\n"
                    "the states of the model file; with loops, the coordinates of the first joints of the file\n"
                    "that determine all others. The inputs are efforts of motors, the outputs those of the\n"
                    "model file (without outputs, its states). Rotations of ball and free joints are small\n"
                    "rotation vectors in fixed axes.",
    .examples     = "cardan linearize cart.yaml --motors drive                  # matrices as text\n"
                    "cardan linearize cart.yaml --motors drive -o cart.json     # all matrices in one file\n"
                    "cardan linearize arm.yaml --equilibrium -o arm.csv         # arm-A.csv, arm-B.csv, ...\n",
    CD_OPTIONS(CD_OPTION_INPUTS, CD_OPTION_EQUILIBRIUM, CD_OPTION_NEAREST, CD_OPTION_LINEAR_OUTPUT, CD_OPTION_FORCE,
               CD_OPTION_FORMULATION, CD_OPTION_STATE, CD_OPTION_TIME, CD_OPTION_SET, CD_OPTION_STRICT,
               CD_OPTION_FLOATING, CD_OPTION_JSON, CD_OPTION_QUIET, CD_OPTION_HELP),
    .run = run,
};
