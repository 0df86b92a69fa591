// SPDX-License-Identifier: BSD-3-Clause
// Heights of grids and profiles.
#pragma once

#include "io/yaml/read_model.h"

typedef struct cd_heights {
    int     nx, ny, capacity;
    double* z; // (nx x ny) allocated; the caller frees it, also after an error
} cd_heights;

// Read the value of `height_field` or `profile`: a list, a file or a formula over `size`, whose spacing is adjusted.
bool cd_read_heights(const cd_model_element* e, bool profile, double spacing[2], cd_heights* h);

// read_terrain.c: one or two positive lengths.
bool cd_read_two_lengths(const cd_model_element* e, const char* key, double value[2]);
