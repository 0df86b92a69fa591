// SPDX-License-Identifier: BSD-3-Clause
// Tolerances of contact problems, [-] unless a unit is given. Impulses are scaled by the diagonal of the Delassus
// matrix, velocities are relative to the velocity scale of the problem.
#pragma once

// Pivot of the scaled Delassus matrix of the active rows, whose diagonal is 1: a smaller one is null. Two points at a
// distance of 3e-6 of the size of a body have a pivot of this size; a sum of some hundred terms has an error of 1e-14.
static const double cd_impact_null_pivot = 1e-11;
// Component of a null vector of unit norm: a smaller one is round-off, and the impulse of its row is unique.
static const double cd_impact_null_component = 1e-8;
// Determinant of the matrix of sliding contacts, relative to the product of its pivots: below it, zero.
static const double cd_impact_singular_pivot = 1e-13;
// |C'u| relative to the largest |q|: above it, rows contradict each other.
static const double cd_impact_inconsistency = 1e-9;
// Diagonal of W relative to the largest: a smaller one is zero, the row cannot be moved by impulses.
static const double cd_impact_immobile_row = 1e-26;
// Relative velocity: above it, a contact slips or separates when the states of a solution are read.
static const double cd_impact_state_velocity = 1e-9;
// The same where states are tried: between these velocities, relative to the velocity scale, slip may be an error of
// the solution.
static const double cd_impact_coarse_velocity = 1e-6, cd_impact_fine_velocity = 1e-12;
// Slip after the first sweeps, relative to the velocity scale: up to it, contacts are tried as sticking.
static const double cd_impact_guess_velocity = 0.05;
// Velocity against an assumed state, relative to the velocity scale: above it, the state is wrong.
static const double cd_impact_consistent_velocity = 1e-8;
// Change of the impulses against the start values, relative to these: up to it, there is none.
static const double cd_impact_no_change = 1e-12;
// Residual of a solution that is exact up to round-off, relative to the velocity scale.
static const double cd_impact_roundoff = 1e-14;
// Round-off of a sum relative to the sum of the absolute values of its terms: some multiples of DBL_EPSILON. Residuals
// up to it are accepted unless they exceed the second value, relative to the velocity scale: impulses that large grow
// without bound, because there is no solution.
static const double cd_impact_sum_roundoff = 1e-15, cd_impact_most_roundoff = 1e-8;
// Violation of a cone by round-off of a projection onto the solutions, relative to the largest impulse.
static const double cd_impact_cone_roundoff = 1e-14;
// Kinetic energy after an impact relative to that before it: a rise up to it is round-off.
static const double cd_impact_energy_rise = 1e-12;
// Approach velocity relative to the velocity scale: a sequence of impacts ends where none is faster.
static const double cd_impact_sequence_approach = 1e-9;
