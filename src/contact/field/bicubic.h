// SPDX-License-Identifier: BSD-3-Clause
// Bicubic interpolation of a height field with the slopes of Catmull and Rom: (z_{i+1} - z_{i-1})/(2 h). Beyond the border the
// samples are continued linearly.
#pragma once

#include "contact/field/height_field.h"

// Height and derivatives in the cell (i, j) at u, v in [0, 1].
void cd_bicubic_evaluate(const cd_height_field* f, int i, int j, double u, double v, cd_height* h);
// Bernstein coefficients of the cell (4 x 4).
void cd_bicubic_bernstein(const cd_height_field* f, int i, int j, double b[16]);
