// SPDX-License-Identifier: BSD-3-Clause
// Columns of results: what can be written about a mechanism, what of it was asked for, and its values at a row.
#pragma once

#include "cli/support/mechanism.h"
#include "io/results/results.h"

#include <cardan/simulate.h>

typedef struct cd_columns cd_columns;

// `list` as typed after --columns, NULL for the default. What is wrong is told; NULL then.
cd_columns* cd_columns_create(const cd_model_instance* c, const char* list);
// Whether every output and state has a name of its own among the columns; else the report says where.
cardan_status    cd_columns_check_names(const cd_model_instance* c, cardan_report* report);
void             cd_columns_destroy(cd_columns* columns);
int              cd_columns_count(const cd_columns* columns);
const cd_column* cd_columns_header(const cd_columns* columns); // (count) names and units
// Values of a row, (count); `data` is set to its state. Valid until the next row.
// Whether reactions are among them; and the i-th joint or constraint whose reactions were not unique at some row, NULL
// behind the last.
bool        cd_columns_has_reactions(const cd_columns* columns);
const char* cd_columns_nonunique_reaction(const cd_columns* columns, int i);
// The i-th driver whose efforts were not unique at some row that has them, NULL behind the last.
const char*   cd_columns_nonunique_driver(const cd_columns* columns, int i);
const double* cd_columns_sample(cd_columns* columns, cardan_data* data, const cardan_sample* sample);

// What of the last row follows of accelerations, unknown there: empty.
void cd_columns_clear_accelerations(cd_columns* columns);
// Notes outputs of the last row that are not finite; each once, with its time.
void cd_columns_note_non_finite(cd_columns* columns, cardan_report* report);

// What can be asked for, as a part of --help.
#define CD_COLUMNS_HELP                                                                                                \
    "columns (--columns LIST): words or names with * and ?, comma between; `t` always comes first\n"                   \
    "  default             joints, drivers, controls, energy, outputs and states\n"                                    \
    "  joints              JOINT.q [rad, m] and JOINT.v of each joint, q1, q2 ... where there are\n"                   \
    "                      several; a quaternion is the last four of q, scalar first, and its v the\n"                 \
    "                      angular velocity in the axes of the joint frame on the second body\n"                       \
    "  drivers             NAME.drive [N m, N]: what motors exert that drive a motion\n"                               \
    "  controls            JOINT.control [N m, N]: efforts that `cardan optimize` chose\n"                             \
    "  accelerations       JOINT.a\n"                                                                                  \
    "  efforts             JOINT.effort [N m, N]: springs, dampers, friction, stops, actuators\n"                      \
    "  reactions           JOINT.fx fy fz [N], JOINT.tx ty tz [N m]: what the joint exerts on its\n"                   \
    "                      second body, world axes; CONSTRAINT.fx ... on the body of its first marker;\n"              \
    "                      GEAR.transmitted1, 2 ... [N m, N] along each coordinate that it couples\n"                  \
    "  energy, work        energy.kinetic, energy.potential, energy.total [J]; energy.work of what\n"                  \
    "                      has no potential\n"                                                                         \
    "  positions           BODY.x y z [m] of the mass centre in the world\n"                                           \
    "  orientations        BODY.qw qx qy qz: quaternion, body to world\n"                                              \
    "  velocities          BODY.vx vy vz [m/s], BODY.wx wy wz [rad/s], world axes\n"                                   \
    "  body-accelerations  BODY.ax ay az [m/s^2], BODY.alphax alphay alphaz [rad/s^2]\n"                               \
    "  bodies, all         all four of bodies; everything\n"                                                           \
    "  outputs, states     what the model file names\n"                                                                \
    "  a pattern           'hand.*', '*.q', 'energy.total'"
