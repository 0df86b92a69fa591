// SPDX-License-Identifier: BSD-3-Clause
// Joints, bodies and reactions of a model instance as JSON.
#pragma once

#include "cli/support/loaded_model.h"

// "joints": {name: {"q", "v", "a", "effort"}}; a and effort may be NULL and are then omitted.
void cd_write_joints_json(cd_json_writer* json, const cd_model_instance* c, const double* q, const double* v,
                          const double* a, const double* effort);
// "bodies": {name: {"p", "q", "v", "w", "a", "alpha"}} of the mass centres in world axes; a (nv) may be NULL. Returns
// false if memory is exhausted.
bool cd_write_bodies_json(cd_json_writer* json, const cd_model_instance* c, const double* a);
// "reactions": {name: {"force", "torque", "unique"}} of all joints with reactions. Returns false if memory is
// exhausted.
bool cd_write_reactions_json(cd_json_writer* json, const cd_model_instance* c,
                             const double* a); // also constraints and transmissions, if any
// "drivers": {name: efforts}, and "drivers_not_unique" if some are not unique; nothing for models without drivers.
bool cd_write_drivers_json(cd_json_writer* json, const cd_model_instance* c);
// "states": {name: value}, if the model has states.
void cd_write_states_json(cd_json_writer* json, const cd_model_instance* c, const double* state);
