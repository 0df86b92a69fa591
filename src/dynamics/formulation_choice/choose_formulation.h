// SPDX-License-Identifier: BSD-3-Clause
// Selection of a formulation if none is named.
#pragma once

#include <cardan/dynamics.h>

// sparse: the integrator solves equations whose matrix is sparse in maximal coordinates and dense in joint
// coordinates.
cardan_status cd_choose_formulation(const cardan_description* description, bool sparse,
                                    cardan_formulation_choice* choice, cardan_report* report);
