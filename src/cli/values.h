// SPDX-License-Identifier: BSD-3-Clause
// Joints, bodies and reactions of a case in the forms that reports share.
#pragma once

#include "cli/mechanism.h"

// "joints": {name: {"q", "v", "a"}}, and "effort" where it is given. a and effort may be NULL.
void cd_json_joints(cd_json* json, const cd_case* c, const double* q, const double* v, const double* a,
                    const double* effort);
// "bodies": {name: {"p", "q", "v", "w", "a", "alpha"}}, in the world at the mass centre; a (nv) may be NULL. False
// without memory.
bool cd_json_bodies(cd_json* json, const cd_case* c, const double* a);
// "reactions": {name: {"force", "torque", "unique"}} of all joints that hold something. False without memory.
bool cd_json_reactions(cd_json* json, const cd_case* c,
                       const double* a); // of constraints and transmissions too, where there are some
// "drivers": {name: efforts}, and "drivers_not_unique" where some are not; nothing where there are none.
bool cd_json_drivers(cd_json* json, const cd_case* c);
// "states": {name: value}, where there are any.
void cd_json_states(cd_json* json, const cd_case* c, const double* state);

// The text on standard output, then freed; returns the exit code.
int cd_print_text(cd_text* text);

// Numbers for people.
typedef struct cd_word {
    char text[64];
} cd_word;

cd_word cd_number_word(double value);                             // five digits, "0", "-1.25e-7"
cd_word cd_small_word(double value);                              // two digits, for errors: "3.1e-10"
cd_word cd_count_word(long value);                                // "4,812"
cd_word cd_wait_word(double seconds);                             // "40 s", "12 min", "3 h", "20 days"
cd_word cd_plural(long count, const char* one, const char* many); // "1 joint", "no joints", "3 joints"
// "[0, 0.5, -9.81]"; what is only rounding beside the largest of them, or beside `scale`, is 0.
cd_word cd_vector_word(int count, const double* value, double scale);
