// SPDX-License-Identifier: BSD-3-Clause
// Motors of `cardan inverse`: which joints they act on, and a recorded motion that they must produce.
#pragma once

#include "cli/mechanism.h"

#include <cardan/kinematics.h>

typedef struct cd_motor_list {
    int           n;
    cardan_motor* motor; // (n)
} cd_motor_list;

// --motors, else the joints that actuators of the model act on. What is wrong is told; returns the exit code.
int  cd_motors_chosen(const cd_mechanism* mechanism, const cd_case* c, cd_motor_list* list);
void cd_motors_free(cd_motor_list* list);
// The sentence where motors cannot produce the accelerations: `left` remain.
cardan_status cd_motors_too_few(const cd_case* c, double t, double left, cardan_report* report);

// Efforts of the motors over the motion of --motion, as CSV and curves; returns the exit code.
int cd_inverse_motion(cd_mechanism* mechanism, int formulation);
