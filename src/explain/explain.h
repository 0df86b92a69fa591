// SPDX-License-Identifier: BSD-3-Clause
// Analysis of failed solutions: which constraints, body, driver or masses caused a failure, and its message. All
// functions return the status of the failure, or CARDAN_NO_MEMORY if memory ran out during the analysis.
#pragma once

#include "dynamics/data.h"
#include "dynamics/failure.h"

// Report a failure of cd_accelerate_robust.
cardan_status cd_explain_acceleration(cardan_data* d, const cd_failure* failure, cardan_report* report);
// Report constraints that could not be satisfied: constraint, time and violation.
cardan_status cd_fail_constraint_violation(cardan_data* d, bool velocity_level, cardan_status status,
                                           cardan_report* report);
// Report contacts whose forces cannot be solved for: bodies or joint, time and cause.
cardan_status cd_fail_contact(cardan_data* d, const cd_failure* failure, cardan_report* report);
// Report a motion without inertia: its joint and direction, or its body if several coordinates move. v: a velocity of
// the motion, reported if the motion is not found.
cardan_status cd_fail_zero_inertia(cardan_data* d, int v, cardan_report* report);
// Report a configuration that the integrator cannot reach because a motion without inertia is nearly undetermined
// there. Returns CARDAN_OK, without a report, if there is no such motion.
cardan_status cd_fail_undetermined_motion(cardan_data* d, double t, cardan_status status, cardan_report* report);
// Report inconsistent constraints; the formulation failed at `row`.
cardan_status cd_fail_inconsistent_constraints(cardan_data* d, int row, cardan_report* report);
// Test whether the violation of the state comes from inconsistent driver functions, and report it. nredundant: number
// of rows that are redundant in every configuration, or -1 if unknown; until time `from` the functions were
// consistent.
bool cd_report_inconsistent_drivers(cardan_data* d, int nredundant, double from, cardan_report* report);
// Report a mass ratio too large for double precision, when a solve fails although the constraints are consistent.
// Returns CARDAN_OK, without a report, if the ratio is acceptable.
cardan_status cd_fail_mass_ratio(const cardan_data* d, cardan_status status, cardan_report* report);

// Append "driver 'bore'" to text, after "and" if text is not empty.
void cd_append_constraint_name(const cd_constraint* c, char* text, size_t size, size_t* length);
// List the drivers in motion that are connected with constraint `constraint` (CARDAN_NONE: any) and supply the most
// power at the state solved last; near a configuration that cannot be passed, driver efforts grow without bound.
// Text: "driver of 'bore'", several joined by "and". Returns the constraint number of the first driver, or
// CARDAN_NONE.
int cd_drivers_by_power(const cardan_data* d, int constraint, char* text, size_t size);
// The same for the drivers at the workspace limit, whose rows keep a violation a little later; if there are none, the
// drivers of most power. Returns the source location of the driver, or none. *out_of_memory: set if memory ran out.
cardan_location cd_driver_limit_location(cardan_data* d, int constraint, char* text, size_t size, bool* out_of_memory);
// Report that drivers cannot be followed; cd_fail_explanation_memory: report that memory ran out during the analysis.
cardan_status cd_fail_explanation_memory(const cardan_data* d, cardan_report* report);
cardan_status cd_fail_driver_limit(cardan_data* d, cardan_status status, cardan_report* report);
