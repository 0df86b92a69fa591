// SPDX-License-Identifier: BSD-3-Clause
// Which columns of the slopes may share a direction. In flat coordinates a body appears in its own equations, in those
// of bodies that share an element or a constraint with it, and in the equations of these constraints. Bodies that have
// no equation in common get one colour and are varied at once, so that all slopes cost as many evaluations as there are
// colours, however many bodies there are.
#pragma once

#include "core/memory.h"
#include <cardan/dynamics.h>

typedef struct cd_colouring {
    int  ncolour; // 0: none, every column goes alone
    int* colour;  // (nlink)
    int* start;   // (nlink + 1)
    int* row;     // rows of (r, g, c, c', c'') that the columns of a link have
} cd_colouring;

// Where coordinates are not flat there are no colours. Without memory while the arena measures, its reservation fails;
// afterwards there are no colours, and the slopes are the same.
void cd_colouring_layout(const cardan_data* d, cd_arena* arena, cd_colouring* colouring);
