// SPDX-License-Identifier: BSD-3-Clause
// Laws of motion at times, and where they break inside a window (law_moments.c).
#pragma once

#include "dynamics/law_breaks.h"

enum { CD_LAW_HALVINGS = 60 };
static const double cd_unseen = 1e-9; // rad or m, and its part of the value: jumps below are rounding

// Value, rate and acceleration.
typedef struct cd_law_moment {
    double t, x[3];
} cd_law_moment;

// All laws at a time; one of them, there and anywhere; all (nmotion).
void          cd_laws_at(cardan_data* d, double t);
cd_law_moment cd_moment_of(const cardan_data* d, int law, double t);
cd_law_moment cd_moment_at(cardan_data* d, int law, double t);
void          cd_moments_at(cardan_data* d, double t, cd_law_moment* x);
// First of value, rate and acceleration that is no finite number, or 3.
int cd_not_finite(const cd_law_moment* x);
// The first break of value (0) or rate (1) in a window, by the moments (nmotion) at its ends. Laws that others give are
// theirs.
bool cd_breaks_within(cardan_data* d, int order, const cd_law_moment* a, const cd_law_moment* b, cd_law_break* first);

// Whose law it is, and which row of it; units of a value, rate or acceleration.
const cd_constraint* cd_law_owner(const cardan_data* d, int law, int* row);
const char*          cd_law_unit(const cd_constraint* c, int row, int order);
