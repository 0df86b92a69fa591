// SPDX-License-Identifier: BSD-3-Clause
// Columns of results: available columns, selection by --columns, values at a sample.
#pragma once

#include "cli/support/loaded_model.h"
#include "io/results/results.h"

#include <cardan/simulate.h>

typedef struct cd_columns cd_columns;

// `list` is the argument of --columns, NULL for the default. Prints errors; returns NULL then.
cd_columns* cd_columns_create(const cd_model_instance* c, const char* list);
// Check that the names of outputs and states differ from those of all other columns. Errors go to the report.
cardan_status    cd_columns_check_names(const cd_model_instance* c, cardan_report* report);
void             cd_columns_destroy(cd_columns* columns);
int              cd_columns_count(const cd_columns* columns);
const cd_column* cd_columns_header(const cd_columns* columns); // (count) names and units
// (count) true for outputs of the model file
const bool* cd_columns_outputs(const cd_columns* columns);
// True if reactions are among the columns; name of the i-th joint or constraint whose reactions were not unique at some
// sample, NULL after the last.
bool        cd_columns_has_reactions(const cd_columns* columns);
const char* cd_columns_nonunique_reaction(const cd_columns* columns, int i);
// Name of the i-th driver whose efforts were not unique at some sample, NULL after the last.
const char* cd_columns_nonunique_driver(const cd_columns* columns, int i);
// Evaluate all columns (count) at a sample; sets `data` to its state. Valid until the next call.
const double* cd_columns_sample(cd_columns* columns, cardan_data* data, const cardan_sample* sample);

// Clear the columns of the last sample that depend on accelerations, where these are not available.
void cd_columns_clear_accelerations(cd_columns* columns);
// Note outputs of the last sample that are not finite; each output once, with its time.
void cd_columns_note_non_finite(cd_columns* columns, cardan_report* report);

// Help text of --columns.
#define CD_COLUMNS_HELP                                                                                                \
    "columns (--columns LIST): groups, or names with * and ?, separated by commas; `t` is always first\n"              \
    "  default             joints, drivers, controls, energy, outputs and states\n"                                    \
    "  joints              JOINT.q [rad, m] and JOINT.v of each joint, q1, q2 ... if there are\n"                      \
    "                      several; a quaternion is the last four of q, scalar first; its v is the\n"                  \
    "                      angular velocity in the axes of the joint frame on the second body\n"                       \
    "  drivers             NAME.drive [N m, N]: efforts of the drivers\n"                                              \
    "  controls            JOINT.control [N m, N]: efforts found by `cardan optimize`\n"                               \
    "  accelerations       JOINT.a\n"                                                                                  \
    "  efforts             JOINT.effort [N m, N]: springs, dampers, friction, stops, actuators\n"                      \
    "  reactions           JOINT.fx fy fz [N], JOINT.tx ty tz [N m]: force and torque of the joint on\n"               \
    "                      its second body, world axes, the torque about the joint position on its\n"                  \
    "                      first body; CONSTRAINT.fx ... on the body of its first marker, about this\n"                \
    "                      marker; --reaction-point selects another point; GEAR.transmitted1, 2 ...\n"                 \
    "                      [N m, N] along each coupled coordinate\n"                                                   \
    "  contacts            contact.A.B.normal [N]: sum of the normal forces of bodies that may touch;\n"               \
    "                      contact.A.B.friction [N]: magnitude of the friction force of B on A;\n"                     \
    "                      contact.A.B.points: number of points that touch; without impulses\n"                        \
    "  energy, work        energy.kinetic, energy.potential, energy.total [J]; energy.work of forces\n"                \
    "                      without potential\n"                                                                        \
    "  positions           BODY.x y z [m] of the mass centre in the world\n"                                           \
    "  orientations        BODY.qw qx qy qz: quaternion, body to world\n"                                              \
    "  velocities          BODY.vx vy vz [m/s], BODY.wx wy wz [rad/s], world axes\n"                                   \
    "  body-accelerations  BODY.ax ay az [m/s^2], BODY.alphax alphay alphaz [rad/s^2]\n"                               \
    "  bodies, all         the four groups of bodies; all columns\n"                                                   \
    "  outputs, states     outputs and states of the model file\n"                                                     \
    "  a pattern           'hand.*', '*.q', 'energy.total'"
