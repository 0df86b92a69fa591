// SPDX-License-Identifier: BSD-3-Clause
// Internal functions of the writer of native model files.
#pragma once

#include "core/text.h"
#include "model/description.h"

typedef struct cd_writer {
    const cardan_description* description;
    cardan_description_view   view;
    cd_text                   text;
    char                      unsupported[200]; // what a model file cannot represent; empty: nothing
    bool                      canonical;        // text is a cache key: names are unrestricted
} cd_writer;

// Write a key on a new line, indented by two spaces per level: "    mass: ". The value follows.
void cd_write_key(cd_writer* w, int depth, const char* key);
void cd_write_item(cd_writer* w, const char* name); // name of a user's element: "  upper_arm:"
void cd_write_end_of_line(cd_writer* w);

// Record what a model file cannot represent, as end of "it contains ..."; the first record is kept.
void cd_write_unsupported(cd_writer* w, const char* format, ...) __attribute__((format(printf, 2, 3)));
// Check names: frames may have any name except those of the world; names used in formulas consist of
// letters, digits, _ and points.
void cd_write_check_frame(cd_writer* w, const char* name);
void cd_write_check_word(cd_writer* w, const char* name);

// Values, in a block or in a list.
void cd_write_name(cd_writer* w, const char* name);                  // quoted if YAML requires it
void cd_write_number(cd_writer* w, double value);                    // reads back to the same bits
void cd_write_numbers(cd_writer* w, int count, const double* value); // [a, b, c]
void cd_write_quaternion(cd_writer* w, const double q[4]);           // -0 as 0: readers compose orientations
void cd_write_formula(cd_writer* w, cardan_expression node);

// Complete lines.
void cd_write_heading(cd_writer* w, const char* section);
void cd_write_value(cd_writer* w, int depth, const char* key, double value);
void cd_write_word(cd_writer* w, int depth, const char* key, const char* name);
void cd_write_string(cd_writer* w, int depth, const char* key, const char* text); // printable
void cd_write_list(cd_writer* w, int depth, const char* key, int count, const double* value);
void cd_write_orientation(cd_writer* w, int depth, const char* key, const double q[4]);

bool cd_write_is_rotated(const cardan_pose* pose);                       // write_shapes.c
void cd_write_shape(cd_writer* w, int depth, const cardan_shape* shape); // item of a list

const char* cd_write_body_name(const cd_writer* w, int body);
const char* cd_write_marker_name(const cd_writer* w, int marker);

// Sections, each written only if it is not empty.
void cd_write_bodies(cd_writer* w);
void cd_write_joints(cd_writer* w);
void cd_write_constraints(cd_writer* w);
void cd_write_drivers(cd_writer* w, const cardan_joint* joint); // key `driver` of one joint
void cd_write_forces(cd_writer* w);
void cd_write_suspension(cd_writer* w);
void cd_write_materials(cd_writer* w); // materials and friction
void cd_write_contacts(cd_writer* w);
