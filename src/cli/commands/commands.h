// SPDX-License-Identifier: BSD-3-Clause
// Table of commands: each command has one file cmd_<name>.c and one entry in commands.def.
#pragma once

#include "cli/options.h"

// Exit codes of the process.
enum {
    CD_EXIT_DONE      = 0,
    CD_EXIT_INPUT     = 1,   // error in the input; the message gives its location
    CD_EXIT_USAGE     = 2,   // wrong usage of the command line
    CD_EXIT_NUMERICAL = 3,   // numerical failure
    CD_EXIT_STOPPED   = 130, // interrupted (Ctrl-C); the results up to then are complete
};

typedef struct cd_command {
    const char* name;
    const char* operands;                           // operands as printed in the usage line, e.g. "MODEL"
    int         noperand_min, noperand_max;         // allowed number of operands
    const char* summary;                            // one line for the overview
    const char* text;                               // description in the help
    const char* examples;                           // lines "call # purpose"
    const char* part;                               // optional part that it needs (cardan_part); NULL: none
    const char* units;                              // units of the output; NULL: SI and radians
    bool        writes_models, writes_states;       // output in the input format: --output may name the input
    bool        writes_pictures, needs_output_file; // pictures next to --output; --output must be a regular file
    int         noption;
    const cd_option_id* option;
    int (*run)(const cd_options* options);
} cd_command;

int               cd_command_count(void);
const cd_command* cd_command_at(int i); // NULL outside the table
const cd_command* cd_command_find(const char* name);
const char*       cd_command_suggestion(const char* name); // most similar name, or NULL
// Part that the command needs and this build has not; NULL: none.
const char* cd_command_missing_part(const cd_command* command);
// Lists of `cardan list`. cd_list_name returns the name of list i, NULL after the last. cd_list_print prints one line
// per entry of the list; returns false if no list has this name.
const char* cd_list_name(int i);
bool        cd_list_print(const char* name);

#define CD_OPTIONS(...)                                                                                                \
    .option  = (const cd_option_id[]){__VA_ARGS__},                                                                    \
    .noption = (int)(sizeof((cd_option_id[]){__VA_ARGS__}) / sizeof(cd_option_id))
