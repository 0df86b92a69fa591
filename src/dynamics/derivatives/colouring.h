// SPDX-License-Identifier: BSD-3-Clause
// Colouring of the columns of the state Jacobian. In maximal coordinates a body occurs in its own equations, in those
// of bodies that share a force element or a constraint with it, and in the equations of these constraints. Bodies
// without a common equation get the same colour and are differentiated at once, so that the whole Jacobian costs as
// many evaluations as there are colours, independent of the number of bodies.
#pragma once

#include "core/memory.h"
#include <cardan/dynamics.h>

typedef struct cd_colouring {
    int  ncolour; // 0: no colouring, one column at a time
    int* colour;  // (nlink)
    int* start;   // (nlink + 1) first entry of each link in row
    int* row;     // rows of (r, g, c, c', c'') with nonzeros in the columns of a link
} cd_colouring;

// Compute the colouring; none unless the coordinates are maximal. Without memory the reservation of the arena fails
// during its measuring pass; in the second pass the colouring is left out, and the Jacobian is the same.
void cd_colouring_layout(const cardan_data* d, cd_arena* arena, cd_colouring* colouring);
