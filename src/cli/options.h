// SPDX-License-Identifier: BSD-3-Clause
// Options of the command line. The parser and the help read the same table (options.def); each command lists the table
// entries that it accepts.
#pragma once

#include <cardan/io.h>
#include <stddef.h>

typedef enum cd_option_id {
#define OPTION(id, ...) CD_OPTION_##id,
#include "cli/options.def"
#undef OPTION
    CD_OPTION_COUNT
} cd_option_id;

typedef enum cd_argument_kind {
    CD_ARGUMENT_NONE,             // bool
    CD_ARGUMENT_TEXT,             // const char*
    CD_ARGUMENT_NUMBER,           // double, any value
    CD_ARGUMENT_POSITIVE,         // double > 0
    CD_ARGUMENT_POSITIVE_INTEGER, // int > 0
    CD_ARGUMENT_ASSIGNMENT,       // name=value, repeatable
} cd_argument_kind;

typedef struct cd_option {
    const char*      names;    // long names without "--", separated by blanks; the help prints the first
    char             letter;   // short name without "-"; 0: none
    const char*      argument; // name of the value in help texts, with unit; NULL for flags
    cd_argument_kind kind;
    size_t           field;        // offset in cd_options
    const char*      default_text; // default as printed by the help; "": not printed
    const char*      help;
} cd_option;

// Values of all options. Options that are not given are NaN (numbers), NULL (texts), 0 (counts) or false (flags).
typedef struct cd_options {
    int                       argc; // complete command line, for manifests
    const char* const*        argv;
    int                       noperand;
    const char**              operand;
    int                       nsetting;
    cardan_parameter_setting* setting;

    bool help, json, parts, quiet, strict, floating_base, force, draw, design, manual, logarithmic, logarithmic_x,
        nearest, equilibrium, single_precision, batch, sparse, no_regrouping, count, keep, pending, retry, sizes,
        table, no_open;
    const char *state, *checkpoint, *continue_from, *formulation, *integrator, *stabilization, *output, *columns, *view,
        *names, *abscissa, *title, *motion, *motors, *solve, *model_output, *sweeps, *form, *parameters, *jacobian,
        *hessian, *language, *plot, *over, *generated, *transcription, *layout, *guess, *units,
        *reaction_point, *html, *results, *ghost;
    double duration, output_interval, step, max_step, tolerance, time, width, height, scale, regularization,
        violation_tolerance, baumgarte_rate;
    int strobe, threads, mode, window, iterations, workers, case_number, intervals, degree, starts, seed, port;
} cd_options;

const cd_option* cd_option_at(cd_option_id id);

struct cd_command;

// Parse the arguments after the command name. Prints wrong usage to standard error, with a suggestion, and returns
// false.
bool cd_options_parse(const struct cd_command* command, int argc, const char* const* argv, cd_options* options);
// Check names, sizes and combinations of options before any file is read. Prints the error and returns false if an
// option is invalid.
bool cd_options_are_valid(const struct cd_command* command, const cd_options* options);
void cd_options_free(cd_options* options);

// Print the help of one command; print the overview of all commands.
void cd_help_command(const struct cd_command* command);
void cd_help_overview(void);
