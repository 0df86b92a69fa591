// SPDX-License-Identifier: BSD-3-Clause
// Table of integrators and its public functions.
#include "simulation/integrators/integrator.h"

#include <string.h>

#define CD_INTEGRATOR(name) extern const cd_integrator cd_##name;
#include "simulation/integrators/integrators.def"
#undef CD_INTEGRATOR

static const cd_integrator* const table[] = {
#define CD_INTEGRATOR(name) &cd_##name,
#include "simulation/integrators/integrators.def"
#undef CD_INTEGRATOR
};

enum { COUNT = sizeof table / sizeof table[0] };

const cd_integrator* cd_integrator_at(int integrator)
{
    return integrator >= 0 && integrator < COUNT ? table[integrator] : NULL;
}

static bool is_known(int i) { return i >= 0 && i < COUNT; }

int         cardan_integrator_count(void) { return COUNT; }
const char* cardan_integrator_name(int i) { return is_known(i) ? table[i]->name : NULL; }
const char* cardan_integrator_summary(int i) { return is_known(i) ? table[i]->summary : NULL; }
const char* cardan_integrator_citation(int i) { return is_known(i) ? table[i]->citation : NULL; }
int         cardan_integrator_order(int i) { return is_known(i) ? table[i]->order : 0; }
bool        cardan_integrator_is_adaptive(int i) { return is_known(i) ? table[i]->is_adaptive : false; }
bool        cardan_integrator_is_low_order(int i) { return is_known(i) ? table[i]->is_low_order : false; }
bool        cardan_integrator_uses_rhs(int i) { return is_known(i) ? table[i]->uses_rhs : false; }
bool        cardan_integrator_uses_rhs_jacobian(int i) { return is_known(i) ? table[i]->uses_rhs_jacobian : false; }
bool        cardan_integrator_uses_residual(int i) { return is_known(i) ? table[i]->uses_residual : false; }
const char* cardan_integrator_missing_part(int i) { return is_known(i) ? table[i]->missing_part : NULL; }
bool        cardan_integrator_is_regularized(int i) { return is_known(i) ? table[i]->is_regularized : false; }

int cardan_integrator_find(const char* name)
{
    for (int i = 0; name && i < COUNT; ++i)
        if (strcmp(table[i]->name, name) == 0) return i;
    return CARDAN_NONE;
}
