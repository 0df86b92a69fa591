// SPDX-License-Identifier: BSD-3-Clause
// Warnings about singular configurations, for commands that solve at a single state.
#pragma once

#include "cli/support/loaded_model.h"

// Append the warnings of opening the instance, and those of cardan_diagnosis_create about a singular or near-singular
// configuration. Skips the diagnosis of models that are too large. `solves`: the warning also covers accelerations,
// reactions and efforts.
void cd_warn_singular_configuration(const cd_model_instance* c, bool solves, const cardan_report* open_messages,
                                    cardan_report* report);
// True if at least nv constraint rows do not determine all nv velocities at the state of `data`: the accelerations of a
// prescribed motion are not determined there. False if the singular values are too expensive to compute.
bool cd_prescribed_motion_is_singular(cardan_data* data);
// Write the messages of a report as "warnings": [...].
void cd_write_warnings_json(cd_json_writer* json, const cardan_report* report);
