// SPDX-License-Identifier: BSD-3-Clause
// Inside of the writer of native model files: the text, and the pieces it is made of.
#pragma once

#include "core/text.h"
#include "model/description.h"

typedef struct cd_writer {
    const cardan_description* description;
    cardan_view               view;
    cd_text                   text;
    char                      unsupported[200]; // what has no form in a model file; empty: nothing
    bool                      canonical;        // not to be read again: names may be anything
} cd_writer;

// A key, at a depth of two blanks per level, on a line of its own: "    mass: ". The value follows.
void cd_write_key(cd_writer* w, int depth, const char* key);
void cd_write_item(cd_writer* w, const char* name); // of something of the user's: "  upper_arm:"
void cd_write_end_of_line(cd_writer* w);            // of the line

// What a model file cannot say, as the end of a sentence "the description has ..."; the first is kept.
void cd_write_unsupported(cd_writer* w, const char* format, ...) __attribute__((format(printf, 2, 3)));
// Names of frames may be anything but the world; what stands bare in formulas is made of letters, digits, _ and points.
void cd_write_check_frame(cd_writer* w, const char* name);
void cd_write_check_word(cd_writer* w, const char* name);

// Values, as they may stand in a block or in a list.
void cd_write_name(cd_writer* w, const char* name);                  // in quotes where YAML needs them
void cd_write_number(cd_writer* w, double value);                    // reads back to the same bits
void cd_write_numbers(cd_writer* w, int count, const double* value); // [a, b, c]
void cd_write_quaternion(cd_writer* w, const double q[4]);           // -0 as 0: readers compose orientations
void cd_write_formula(cd_writer* w, cardan_expression node);

// Whole lines.
void cd_write_heading(cd_writer* w, const char* section);
void cd_write_value(cd_writer* w, int depth, const char* key, double value);
void cd_write_word(cd_writer* w, int depth, const char* key, const char* name);
void cd_write_string(cd_writer* w, int depth, const char* key, const char* text); // printable
void cd_write_list(cd_writer* w, int depth, const char* key, int count, const double* value);
void cd_write_orientation(cd_writer* w, int depth, const char* key, const double q[4]);

const char* cd_write_body_name(const cd_writer* w, int body);
const char* cd_write_marker_name(const cd_writer* w, int marker);

// Sections, each written only if it holds something.
void cd_write_bodies(cd_writer* w);
void cd_write_joints(cd_writer* w);
void cd_write_constraints(cd_writer* w);
void cd_write_drivers(cd_writer* w, const cardan_joint* joint); // the key of one joint
void cd_write_forces(cd_writer* w);
void cd_write_suspension(cd_writer* w);
