// SPDX-License-Identifier: BSD-3-Clause
// Joints, bodies and reactions of a model instance as JSON; numbers as short texts.
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

// Print the text to standard output and free it. Returns the exit code.
int cd_print_and_free_text(cd_text* text);

// Short text of a number.
typedef struct cd_value_text {
    char text[64];
} cd_value_text;

cd_value_text cd_five_digit_text(double value);                              // five digits, "0", "-1.25e-7"
cd_value_text cd_two_digit_text(double value);                               // two digits, for errors: "3.1e-10"
cd_value_text cd_count_text(long value);                                     // "4,812"
cd_value_text cd_duration_text(double seconds);                              // "40 s", "12 min", "3 h", "20 days"
cd_value_text cd_plural_text(long count, const char* one, const char* many); // "1 joint", "no joints", "3 joints"
// "[0, 0.5, -9.81]"; components at the round-off level of the largest component, or of `scale`, are printed as 0.
cd_value_text cd_vector_text(int count, const double* value, double scale);
