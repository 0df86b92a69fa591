// SPDX-License-Identifier: BSD-3-Clause
// Commands that solve at one pose say where it is singular.
#pragma once

#include "cli/mechanism.h"

// What was said when the case was opened, and what the doctor finds about its pose, as warnings; the state is kept.
// Nothing of mechanisms that are too large for that. `solves`: reactions are told, too.
void cd_singular_warn(const cd_case* c, bool solves, const cardan_report* opened, cardan_report* report);
// Whether rows that prescribe all motion do not do so where the data are: accelerations are not determined there. False
// where that is too much to compute.
bool cd_singular_driven(cardan_data* data);
// "warnings": [...] of a report.
void cd_json_warnings(cd_json* json, const cardan_report* report);
