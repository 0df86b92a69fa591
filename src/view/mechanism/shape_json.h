// SPDX-License-Identifier: BSD-3-Clause
// Shapes of the scene message that the page draws as they are, in the frame of their body.
#pragma once

#include "core/json.h"

#include <cardan/describe.h>

// Whether a shape is written by cd_shape_json; others are written as the primitives of a picture.
bool cd_shape_has_json(const cardan_shape* shape);
void cd_shape_json(cd_json_writer* json, const cardan_shape* shape);
