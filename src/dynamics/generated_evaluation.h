// SPDX-License-Identifier: BSD-3-Clause
// Generated code in place of the formulation (generated_evaluation.c).
#pragma once

#include "dynamics/data.h"

// Whether generated code computes the same as cd_accelerate with the present settings of the data.
bool cd_can_use_generated_rhs(const cardan_data* d);
bool cd_can_use_generated_residual(const cardan_data* d); // the same for the residual
// Compare the generated residual with that of the library at the state, for a = 0 and lambda = 0. Returns the largest
// difference relative to the largest entry. Scratch: 3 (nv + nstate + 3 nrow).
double cd_generated_residual_error(cardan_data* d, double* scratch);
// Compare the generated accelerations with a at the state. Returns the largest difference relative to the largest
// entry of a, or 0 if the generated code does not apply.
double cd_generated_rhs_error(cardan_data* d, const double* a);
// Compare generated accelerations with those of the library at the state. Where large terms cancel, as forces of
// stiff springs do, both contain amplified round-off: a difference counts as at most 1e-8 if a relative perturbation
// of 1e-13 of the state changes the accelerations by a tenth of it or more.
double cd_compare_generated_accelerations(cardan_data* d, const double* a, const double* generated);
