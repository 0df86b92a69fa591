// SPDX-License-Identifier: BSD-3-Clause
// Choice of the formulation of a run if the user names none: depends on what the integrator supports.
#include "dynamics/formulation_choice/choose_formulation.h"

#include "core/check_arguments.h"
#include "simulation/integrators/integrator.h"

#include <cardan/simulate.h>

cardan_status cardan_formulation_choose_for_integrator(const cardan_description* description, int integrator,
                                                       cardan_formulation_choice* choice, cardan_report* report)
{
    if (integrator != CARDAN_NONE) CD_REQUIRE_INDEX(integrator, cardan_integrator_count(), "integrator", report);
    return cd_choose_formulation(description,
                                 integrator != CARDAN_NONE && cd_integrator_at(integrator)->can_use_sparse_jacobian,
                                 choice, report);
}

cardan_status cardan_formulation_choose(const cardan_description* description, cardan_formulation_choice* choice,
                                        cardan_report* report)
{
    const cardan_run_defaults* defaults = cardan_description_get_view(description).run;
    const char*                name     = defaults ? defaults->integrator : NULL;
    return cardan_formulation_choose_for_integrator(description, name ? cardan_integrator_find(name) : CARDAN_NONE,
                                                    choice, report);
}
