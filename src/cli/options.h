// SPDX-License-Identifier: BSD-3-Clause
// Options of the command line. One table (options.def) serves the parser and the help, so that they cannot disagree;
// a command lists which rows it takes.
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
    CD_ARGUMENT_NUMBER,           // double, any
    CD_ARGUMENT_POSITIVE,         // double, above zero
    CD_ARGUMENT_POSITIVE_INTEGER, // int, above zero
    CD_ARGUMENT_ASSIGNMENT,       // name=value, may be repeated
} cd_argument_kind;

typedef struct cd_option {
    const char*      names;    // as typed after "--"; the first is the one that is shown
    char             letter;   // as typed after "-"; 0: none
    const char*      argument; // what follows, with its unit; NULL for flags
    cd_argument_kind kind;
    size_t           field;        // in cd_options
    const char*      default_text; // what holds without it; "": nothing to say
    const char*      help;
} cd_option;

// Everything that can be said on the command line. Numbers that were not given are NaN, words NULL, counts 0.
typedef struct cd_options {
    int                       argc; // the whole command line, for manifests
    const char* const*        argv;
    int                       noperand;
    const char**              operand;
    int                       nsetting;
    cardan_parameter_setting* setting;

    bool help, json, quiet, strict, floating_base, force, draw, design, manual, logarithmic, logarithmic_x, nearest,
        equilibrium, single_precision, batch, sparse, no_regrouping, count, keep, pending, retry, sizes;
    const char *state, *formulation, *integrator, *stabilization, *output, *columns, *view, *names, *abscissa, *title,
        *motion, *motors, *solve, *model_output, *sweeps, *form, *parameters, *jacobian, *hessian, *language, *plot,
        *over, *generated, *transcription, *layout, *guess;
    double duration, output_interval, step, max_step, tolerance, time, width, height, scale, regularization,
        violation_tolerance, baumgarte_rate;
    int strobe, threads, mode, window, iterations, workers, case_number, intervals, degree, starts, seed;
} cd_options;

const cd_option* cd_option_at(cd_option_id id);

struct cd_command;

// Reads the arguments behind the command's name. Wrong usage is told on stderr, with a suggestion; false then.
bool cd_options_parse(const struct cd_command* command, int argc, const char* const* argv, cd_options* options);
// Whether what they say can be meant; else it is told. Nothing is read or computed for it.
bool cd_options_are_valid(const struct cd_command* command, const cd_options* options);
void cd_options_free(cd_options* options);

// The help of one command, and the overview of all.
void cd_help_command(const struct cd_command* command);
void cd_help_overview(void);
