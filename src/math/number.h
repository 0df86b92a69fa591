// SPDX-License-Identifier: BSD-3-Clause
// The number the recursions are written in. Every file of src/kinematics, src/formulation, src/constraint, src/force
// and src/equation is compiled once per number type: `double` is the runtime, counted numbers tell what was executed,
// dual ones differentiate, complex ones do so in tests. A number type is one header that gives `real` and the
// operations below; nothing above this layer says + or * to a real.
//
//   real  r_lift(double)                a constant of the model
//   real  r_add r_sub r_mul r_div       (a, b)
//   real  r_over                        (a, 1/b)  a divided by a pivot whose inverse is at hand; counted as the
//                                                 division it stands for
//   real  r_neg r_sqrt r_tanh (a)       void r_sincos(a, &s, &c)         real r_atan2(y, x)
//   real  r_round(a)                    the nearest integer; constant wherever it has a derivative
//   real  r_pick(a, b, x, y)            x where a < b, else y: a choice that stays one in whatever is made of the
//                                       numbers
//   real  r_chain(f, fa, a, fb, b)      a function of a and b: its value, its derivatives; counted as a trigonometric
//                                       function
//   double r_value(real)                the value, for decisions at the state: pivots, signs, ends of iterations, what
//                                       series is good
//   bool  r_vanishes(a)                 zero, with everything that goes along with it
//   real  r_beyond(a, least)            a where its size exceeds `least`, else 0; a number that derives is never
//                                       nothing
//   bool  r_decides()                   such decisions may choose between formulas that give different values away from
//                                       the state; where not, all of them are computed and r_pick chooses
//   bool  r_derives()                   a number is more than its value: an iteration that has converged takes one step
//                                       more
//   int r_lanes(rows), r_from(row)      how long columns of small blocks are, and where work on them begins
//
// A decision at the state is right for the value and its derivatives there. Turns of angles, feet on curves and starts
// of iterations come in as numbers that were kept from the state before.
#pragma once

#if defined CD_COUNTED
#include "math/number_counted.h"
#elif defined CD_COMPLEX
#include "math/number_complex.h"
#elif defined CD_DUAL
#include "math/number_dual.h"
#elif defined CD_TRACED
#include "math/number_trace.h"
#else
#include "math/number_double.h"
#endif

// Functions written over `real` exist once per type and have other names in each; the list is made from the plain copy
// while building.
#ifdef CD_NUMBER_NAME
#include "number_names.h"
#endif

static inline real r_scale(double factor, real a) { return r_mul(r_const(factor), a); }
