// SPDX-License-Identifier: BSD-3-Clause
// KKT systems in maximal coordinates, built without a model: bodies, joints between them, random configuration.
#pragma once

#include "formulation/maximal/kkt_system.h"

// System of a family, in row blocks as the formulation lagrange receives them.
typedef struct flat {
    int           nbody, njoint, capacity;
    cd_row_block* block; // (njoint)
    cd_rows       rows;
    double*       inertia; // (nbody x 4) mass, principal moments
} flat;

typedef struct flat_family {
    const char* name;
    void (*make)(flat* f, int n);
} flat_family;

extern const flat_family flat_families[];
extern const int         flat_family_count;

flat flat_make(const flat_family* family, int n);
void flat_free(flat* f);
// Assemble the matrix in the memory of the factor.
void flat_assemble(const flat* f, cd_kkt_system* S);
