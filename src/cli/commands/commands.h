// SPDX-License-Identifier: BSD-3-Clause
// Commands: one file cmd_<name>.c and one entry of commands.def each.
#pragma once

#include "cli/options.h"

// What the program returns.
enum {
    CD_EXIT_DONE      = 0,
    CD_EXIT_INPUT     = 1,   // a problem in the input, said where
    CD_EXIT_USAGE     = 2,   // wrong usage
    CD_EXIT_NUMERICAL = 3,   // a numerical failure
    CD_EXIT_STOPPED   = 130, // Ctrl-C; results so far are complete
};

typedef struct cd_command {
    const char* name;
    const char* operands;                           // "MODEL", as shown in the usage line
    int         noperand_min, noperand_max;         // how many of them
    const char* summary;                            // one line
    const char* text;                               // what it does
    const char* examples;                           // lines: the call, "#", what it is for
    const char* units;                              // of what it writes; NULL: SI and radians
    bool        writes_models, writes_states;       // --output may name what is read: it is of the same kind
    bool        writes_pictures, needs_output_file; // pictures beside --output; others, so that it must be a file
    int         noption;
    const cd_option_id* option;
    int (*run)(const cd_options* options);
} cd_command;

int               cd_command_count(void);
const cd_command* cd_command_at(int i); // NULL outside of the table
const cd_command* cd_command_find(const char* name);
const char*       cd_command_suggestion(const char* name); // the most alike, or NULL
// The lists of `cardan list`: their names, NULL after the last; and one of them, a line for each entry. false: there is
// none of that name.
const char* cd_list_name(int i);
bool        cd_list_print(const char* name);

#define CD_OPTIONS(...)                                                                                                \
    .option  = (const cd_option_id[]){__VA_ARGS__},                                                                    \
    .noption = (int)(sizeof((cd_option_id[]){__VA_ARGS__}) / sizeof(cd_option_id))
