// SPDX-License-Identifier: BSD-3-Clause
// cardan check: structure and diagnosis of the mechanism.
#include "cli/check/check_mechanism.h"
#include "cli/commands/commands.h"
#include "cli/support/messages.h"
#include "cli/support/terminal_print.h"

#include <stdio.h>

static int check(cd_loaded_model* mechanism)
{
    const cd_options*  options = mechanism->options;
    cd_mechanism_check c;
    cd_text            text   = {0};
    cardan_status      status = cd_check_mechanism(mechanism, &c);
    int                code   = cd_exit_code(status);
    if (!c.model || status == CARDAN_NO_MEMORY) cd_report_failure(&mechanism->report, status);
    if (c.can_report && options->json) {
        cd_check_write_json(mechanism, &c.result, &text);
        code = cd_print_and_free_text(&text);
    } else if (c.can_report && !options->quiet) {
        cd_check_print_summary(mechanism, &c.result);
    }
    fflush(stdout);
    // a defect of the mechanism is an error of the input
    if (status != CARDAN_OK) code = c.can_report ? CD_EXIT_INPUT : cd_exit_code(status);
    if (c.model && (!options->json || status != CARDAN_OK)) cd_print_report(&mechanism->report);
    cd_mechanism_check_free(&c);
    return code;
}

static int run(const cd_options* options)
{
    cd_loaded_model mechanism;
    int             code = cd_loaded_model_open(&mechanism, options);
    if (code != CD_EXIT_DONE) return code;
    code = check(&mechanism);
    cd_loaded_model_close(&mechanism);
    return code;
}

const cd_command cd_command_check = {
    .name         = "check",
    .operands     = "MODEL",
    .noperand_min = 1,
    .noperand_max = 1,
    .summary      = "structure and diagnosis: loops, degrees of freedom, redundant equations and their reasons",
    .text         = "Reads and compiles the model and prints its structure: moving bodies, joints, loops,\n"
                    "degrees of freedom by rank, mass, and warnings. For every loop it prints which joint\n"
                    "closes it, how many equations that adds, how many of them are redundant at every\n"
                    "configuration and why, which reactions are therefore not unique, and which other joints\n"
                    "would make them unique. Errors, with exit code 1: loops that cannot be closed, a singular\n"
                    "start configuration, inconsistent drivers, a motion without inertia. Each message names\n"
                    "the joint. Of shapes that touch it prints the law and, for every pair of bodies that touch\n"
                    "at the start, the contact points, the overlap and whether forces are unique. With\n"
                    "--json, `bodies` and `joints` count those of the file, including welded\n"
                    "bodies; `tree` has the joint coordinates of the spanning tree with the loop-closure\n"
                    "equations, and `maximal` the sizes in maximal coordinates (six velocities per moving body,\n"
                    "every joint a constraint); counts that cannot be determined are null.",
    .examples     = "cardan check models/four_bar             # as text\n"
                    "cardan check car.yaml --strict --json    # for programs; warnings are errors\n",
    CD_OPTIONS(CD_OPTION_STATE, CD_OPTION_SET, CD_OPTION_STRICT, CD_OPTION_FLOATING, CD_OPTION_JSON, CD_OPTION_QUIET,
               CD_OPTION_HELP),
    .run = run,
};
