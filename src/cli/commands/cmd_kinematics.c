// SPDX-License-Identifier: BSD-3-Clause
// cardan kinematics: the motion that drivers prescribe, with driver efforts and reactions.
#include "cli/report/result_columns.h"
#include "cli/commands/commands.h"
#include "cli/report/run_report.h"

static int run(const cd_options* options) { return cd_run_command(options, true); }

const cd_command cd_command_kinematics = {
    .name         = "kinematics",
    .operands     = "MODEL",
    .noperand_min = 1,
    .noperand_max = 1,
    .summary      = "kinematic analysis of a completely driven mechanism: positions, velocities, efforts, reactions",
    .text         = "Kinematic analysis and inverse dynamics of a mechanism, with loops or without, whose\n"
                    "drivers prescribe all motion, without integration. At every sample, positions are found by\n"
                    "Newton's method from the previous sample; velocities, accelerations, driver efforts\n"
                    "(NAME.drive) and reactions follow exactly. Writes the files of `cardan run` as\n"
                    "results/NAME-kinematics.csv, .svg and .manifest.json. If degrees of freedom remain, an\n"
                    "error names a joint that is free to move: use `cardan run`. If the drivers leave the\n"
                    "workspace, or are inconsistent, an error names driver and time, and the results up to that\n"
                    "time are kept. Singular configurations on the path are reported as by `cardan run`.\n"
                    "Without --columns the results have default,accelerations.\n"
                    "\n" CD_COLUMNS_HELP,
    .examples = "cardan kinematics models/driven_slider                               # one revolution, motor torque\n"
                "cardan kinematics models/driven_slider -c drivers,reactions -o -     # CSV on standard output\n"
                "cardan kinematics robot.yaml -d 3 --output-interval 0.001 --draw --strobe 8 # with a picture\n",
    .writes_pictures = true,
    CD_OPTIONS(CD_OPTION_DURATION, CD_OPTION_OUTPUT_INTERVAL, CD_OPTION_FORMULATION, CD_OPTION_SET, CD_OPTION_STATE,
               CD_OPTION_START_TIME, CD_OPTION_COLUMNS, CD_OPTION_UNITS, CD_OPTION_TABLE, CD_OPTION_REACTION_POINT,
               CD_OPTION_RUN_OUTPUT, CD_OPTION_FORCE, CD_OPTION_RUN_DRAW, CD_OPTION_RUN_STROBE, CD_OPTION_VIEW,
               CD_OPTION_NAMES, CD_OPTION_STRICT, CD_OPTION_FLOATING, CD_OPTION_JSON, CD_OPTION_QUIET, CD_OPTION_HELP),
    .run = run,
};
