// SPDX-License-Identifier: BSD-3-Clause
// The number the recursions are written in. Every file of src/kinematics and src/formulation is compiled once per
// number type: `double` is the runtime, counted numbers tell what was executed. A number type is one header that gives
// `real` and the dozen operations below; nothing above this layer says + or * to a real.
//
//   real  r_lift(double)                a constant of the model
//   real  r_add r_sub r_mul r_div       (a, b)
//   real  r_over                        (a, 1/b)  a divided by a pivot whose inverse is at hand; counted as the division it stands for
//   real  r_neg r_sqrt (a)              void r_sincos(a, &s, &c)
//   double r_value(real)                the value, for tests of pivots only
//   int r_lanes(rows), r_from(row)      how long columns of small blocks are, and where work on them begins
#pragma once

#if defined CD_COUNTED
#include "math/number_counted.h"
#else
#include "math/number_double.h"
#endif

// Functions written over `real` exist once per type and have other names in each; the list is made from the plain copy while building.
#ifdef CD_NAMED
#include "number_names.h"
#endif
