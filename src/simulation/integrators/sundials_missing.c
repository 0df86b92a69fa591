// SPDX-License-Identifier: BSD-3-Clause
// Integrators of SUNDIALS in a build without it: entries of the table without functions. A run with one of them is
// refused when its settings are completed.
#include "simulation/integrators/integrator.h"

const cd_integrator cd_cvode_adams = {
    .name         = "cvode-adams",
    .summary      = "Adams methods of order 1 to 12, variable step (SUNDIALS); for smooth motion",
    .citation     = "Hindmarsh et al. 2005, ACM TOMS 31(3)",
    .missing_part = "SUNDIALS",
    .is_adaptive  = true,
};

const cd_integrator cd_cvode_bdf = {
    .name         = "cvode-bdf",
    .summary      = "backward differentiation of order 1 to 5, variable step (SUNDIALS); for stiff forces",
    .citation     = "Hindmarsh et al. 2005, ACM TOMS 31(3)",
    .missing_part = "SUNDIALS",
    .is_adaptive  = true,
};

const cd_integrator cd_ida = {
    .name    = "ida",
    .summary = "backward differentiation of the implicit residual, loops in the stabilized index-2 form; variable step "
               "and order (SUNDIALS)",
    .citation     = "Hindmarsh et al. 2005, ACM TOMS 31(3)",
    .missing_part = "SUNDIALS",
    .is_adaptive  = true,
};
