// SPDX-License-Identifier: BSD-3-Clause
// Number type `real` of the recursions. Every file of src/kinematics, src/formulation, src/constraint, src/force and
// src/equation is compiled once per number type: `double` for the runtime, counted numbers for operation counts, dual
// numbers for derivatives, complex numbers for derivatives in tests, traced numbers for code generation. The header of
// a number type defines `real` and the operations below; code above this layer never applies + or * to a real.
//
//   real  r_const(double)               a constant of the model
//   real  r_add r_sub r_mul r_div       (a, b)
//   real  r_mul_inv                     (a, 1/b)  a divided by a pivot whose inverse is stored; counted as a division
//   real  r_neg r_sqrt r_tanh (a)       void r_sincos(a, &s, &c)         real r_atan2(y, x)
//   real  r_power(a, double n)          a^n for a > 0, or a = 0 and n >= 1
//   real  r_round(a)                    the nearest integer; its derivative is zero
//   real  r_select(a, b, x, y)          x if a < b, else y: a selection that stays one in traced code
//   real  r_chain(f, fa, a, fb, b)      a function of a and b by its value and derivatives; counted as a trigonometric
//                                       function
//   double r_value(real)                the value, for decisions at the state: pivots, signs, convergence, choice of a
//                                       series
//   bool  r_is_zero(a)                  zero, with all derivatives
//   real  r_flush_below(a, threshold)   a if |a| > threshold, else 0; numbers with derivatives are never flushed
//   bool  r_can_branch()                a decision at the state may select a formula that is valid only there; else all
//                                       formulas are computed and r_select chooses
//   bool  r_has_derivatives()           a number carries derivatives: a converged iteration makes one more step
//   int r_padded_rows(rows), r_first_row(row)   padded length of columns of small blocks, and first row of work on them
//
// A decision at the state is valid for the value and its derivatives there. Winding numbers, foot points on curves and
// start values of iterations are inputs that were saved at the state before.
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

// Functions over `real` exist once per number type under different names; the build generates the list of names from
// the double version.
#ifdef CD_NUMBER_NAME
#include "number_names.h"
#endif

static inline real r_scale(double factor, real a) { return r_mul(r_const(factor), a); }
