// SPDX-License-Identifier: BSD-3-Clause
// Commands that solve at one pose say where it is singular.
#pragma once

#include "cli/support/mechanism.h"

// What was said when the case was opened, and what the doctor finds about its pose, as warnings; the state is kept.
// Nothing of mechanisms that are too large for that. `solves`: reactions are told, too.
void cd_warn_singular_configuration(const cd_model_instance* c, bool solves, const cardan_report* open_messages,
                                    cardan_report* report);
// Whether rows that prescribe all motion do not do so where the data are: accelerations are not determined there. False
// where that is too much to compute.
bool cd_prescribed_motion_is_singular(cardan_data* data);
// "warnings": [...] of a report.
void cd_write_warnings_json(cd_json_writer* json, const cardan_report* report);
