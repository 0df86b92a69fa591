// SPDX-License-Identifier: BSD-3-Clause
// Tolerances of generated code, [-] unless a unit is given: relative to the largest expected result of a routine, to a
// row or to the size of numbers. Steps of finite differences and displacements of test states are defined where they
// are used; limits of validity per number format: trace/trace_validity.c.
#pragma once

#include <float.h>

// ---- traces

// Number relative to the largest of its vector or tensor, or deviation of an entry of a rotation matrix from -1, 0, 1: a
// smaller one is round-off of the description, which would cost operations.
static const double cd_constant_roundoff = 1e-15;
// Deviation of a direction cosine from 1 or -1, [rad] of an angle from a multiple of pi/2: parallel axes. Round-off of
// products of two rotations.
static const double cd_parallel_axis_tolerance = 1e-14;
// Value of a row that is tested at several states: a smaller one is an identity and is not computed.
static const double cd_identity_tolerance = 1e-11;
// Tolerance of redundant rows per violation, and its upper bound: off the constraints, redundant rows differ by the
// violation, as in the pivot test of the library.
static const double cd_validity_violation_factor = 10, cd_validity_max_tolerance = 1e-2;
// Difference between a trace and the library at the trace state: a method of tracing with a larger one is not used.
static const double cd_method_tolerance = 1e-6;

// ---- comparison with the library

// Difference between a trace and the library at the test states: no code is written above it.
static const double cd_trace_tolerance = 1e-7;
// Difference between derivatives and finite differences of the library, whose own error is some 1e-8.
static const double cd_derivative_tolerance = 1e-6;
// Round-off of results in finite differences.
static const double cd_result_roundoff = 100 * DBL_EPSILON;
// Difference of two Jacobians relative to the largest entry: a smaller one is round-off, not another normal part.
static const double cd_negligible_jacobian_difference = 1e-9;
// Remaining norm of a row after orthogonalization relative to its norm: a smaller one is dependent.
static const double cd_dependent_row_tolerance = 1e-8;

// ---- scales and tolerances of self-tests

// Smallest scale of accelerations relative to those of the joints without constraints; of derivatives of efforts
// relative to the efforts, whose terms may cancel.
static const double cd_min_acceleration_scale = 1e-2, cd_min_effort_scale = 1e-6;
// Tolerance of results below that scale, relative to it: double and single precision.
static const double cd_small_result_tolerance = 1e-9, cd_small_result_tolerance_float = 0.1;
// Tolerance of self-tests: double and single precision.
static const double cd_selftest_tolerance = 1e-12, cd_selftest_tolerance_float = 1e-4;
// Upper bound of the tolerance of self-tests that is derived from the error of a trace in single precision; a larger
// error is reported.
static const double cd_selftest_max_tolerance_float = 1e-2;
