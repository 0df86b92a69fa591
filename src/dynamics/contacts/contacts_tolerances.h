// SPDX-License-Identifier: BSD-3-Clause
// Tolerances of contacts in the dynamics.
#pragma once

// Velocity relative to the velocity scale up to which the direction of slip is that of the state, not that of the velocity: at
// the start of sliding friction turns the velocity u_t at the rate mu g/|u_t|, and explicit methods take steps of its inverse.
// It is the speed at which sliding ends (cd_contact_stop_speed).
static const double cd_slip_direction_velocity = 1e-7;
// Acceleration of a contact relative to the largest term of its rows that counts as zero in the choice of states: round-off of
// the solution of the cone law.
static const double cd_contact_acceleration_zero = 1e-9;
// The same of a force times the mobility of its row.
static const double cd_contact_force_zero = 1e-10;
// Residual of the rows of closed contacts relative to the terms of their accelerations: larger ones are a failure.
static const double cd_contact_state_residual = 1e-7;
// Tolerance of the cone law, relative to the velocity or acceleration scale.
static const double cd_cone_law_tolerance = 1e-11;
// Impacts slower than this fraction of the fastest so far are inelastic, unless the settings give a speed.
static const double cd_slow_impact = 1e-6;
// [sizes of the scene] Gap of closed contacts after a correction.
static const double cd_gap_tolerance = 1e-13;
// A correction of gaps or velocities that is not reduced to this fraction by a step has converged or stalls.
static const double cd_correction_progress = 0.5;
// Mobility of a contact row relative to that without constraints: a smaller one is round-off of a row that the constraints
// hold. Mass ratios of bodies in a mechanism reach 1e6 and more.
static const double cd_immobile_row = 1e-12;
// Cosine of the angle between a sliding velocity and the opposite of the direction of slip, above which the velocity has
// passed zero and reversed: the direction of the state remains until the event.
static const double cd_turned_direction = 0.5;
// Change of the level of friction by load in an iteration, relative to the largest level: converged.
static const double cd_load_convergence = 1e-13;
// Velocity of closed contacts after a correction, relative to the velocity scale: round-off.
static const double cd_contact_velocity_zero = 1e-16;
// Residual of an impact law relative to the velocities: larger ones are not accepted.
static const double cd_impact_residual = 1e-6;
