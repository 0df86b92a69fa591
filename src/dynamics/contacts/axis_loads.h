// SPDX-License-Identifier: BSD-3-Clause
// Dry friction of joints by their load (axis_loads.c).
#pragma once

#include "dynamics/contacts/contacts.h"

// Compute the loads at accelerations a and the multipliers and contact forces stored in the data, and the levels of friction
// from them. Returns the largest change of a level, relative to the largest level.
double cd_axis_loads_update(struct cardan_data* d, const double* a);
enum { CD_LOAD_ITERATIONS = 100 };
