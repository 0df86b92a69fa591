// SPDX-License-Identifier: BSD-3-Clause
// Choice of the formulation for CARDAN_FORMULATION_AUTO (automatic_formulation.c).
#pragma once

#include "model/model.h"

// Resolve CARDAN_FORMULATION_AUTO to the formulation chosen for a model.
cardan_status cd_resolve_automatic_formulation(const cardan_model* model, int* formulation, cardan_report* report);
