// SPDX-License-Identifier: BSD-3-Clause
// Joints, bodies and reactions of a case in the forms that reports share.
#pragma once

#include "cli/support/mechanism.h"

// "joints": {name: {"q", "v", "a"}}, and "effort" where it is given. a and effort may be NULL.
void cd_write_joints_json(cd_json_writer* json, const cd_model_instance* c, const double* q, const double* v,
                          const double* a, const double* effort);
// "bodies": {name: {"p", "q", "v", "w", "a", "alpha"}}, in the world at the mass centre; a (nv) may be NULL. False
// without memory.
bool cd_write_bodies_json(cd_json_writer* json, const cd_model_instance* c, const double* a);
// "reactions": {name: {"force", "torque", "unique"}} of all joints that hold something. False without memory.
bool cd_write_reactions_json(cd_json_writer* json, const cd_model_instance* c,
                             const double* a); // of constraints and transmissions too, where there are some
// "drivers": {name: efforts}, and "drivers_not_unique" where some are not; nothing where there are none.
bool cd_write_drivers_json(cd_json_writer* json, const cd_model_instance* c);
// "states": {name: value}, where there are any.
void cd_write_states_json(cd_json_writer* json, const cd_model_instance* c, const double* state);

// The text on standard output, then freed; returns the exit code.
int cd_print_and_free_text(cd_text* text);

// Numbers for people.
typedef struct cd_value_text {
    char text[64];
} cd_value_text;

cd_value_text cd_five_digit_text(double value);                              // five digits, "0", "-1.25e-7"
cd_value_text cd_two_digit_text(double value);                               // two digits, for errors: "3.1e-10"
cd_value_text cd_count_text(long value);                                     // "4,812"
cd_value_text cd_duration_text(double seconds);                              // "40 s", "12 min", "3 h", "20 days"
cd_value_text cd_plural_text(long count, const char* one, const char* many); // "1 joint", "no joints", "3 joints"
// "[0, 0.5, -9.81]"; what is only rounding beside the largest of them, or beside `scale`, is 0.
cd_value_text cd_vector_text(int count, const double* value, double scale);
