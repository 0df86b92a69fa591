// SPDX-License-Identifier: BSD-3-Clause
// The table of integrators and its public face.
#include "motion/integrator.h"

#include <string.h>

#define CD_INTEGRATOR(name) extern const cd_integrator cd_##name;
#include "motion/integrators.def"
#undef CD_INTEGRATOR

static const cd_integrator* const table[] = {
#define CD_INTEGRATOR(name) &cd_##name,
#include "motion/integrators.def"
#undef CD_INTEGRATOR
};

enum { COUNT = sizeof table / sizeof table[0] };

const cd_integrator* cd_integrator_at(int integrator)
{
    return integrator >= 0 && integrator < COUNT ? table[integrator] : NULL;
}

int         cardan_integrator_count(void) { return COUNT; }
const char* cardan_integrator_name(int integrator) { return table[integrator]->name; }
const char* cardan_integrator_summary(int integrator) { return table[integrator]->summary; }
const char* cardan_integrator_reference(int integrator) { return table[integrator]->reference; }
int         cardan_integrator_order(int integrator) { return table[integrator]->order; }
bool        cardan_integrator_adaptive(int integrator) { return table[integrator]->adaptive; }
bool        cardan_integrator_coarse(int integrator) { return table[integrator]->coarse; }
bool        cardan_integrator_rates(int integrator) { return table[integrator]->rates; }
bool        cardan_integrator_slopes(int integrator) { return table[integrator]->slopes; }
bool        cardan_integrator_equations(int integrator) { return table[integrator]->equations; }
bool        cardan_integrator_regularizes(int integrator) { return table[integrator]->regularizes; }

int cardan_integrator_find(const char* name)
{
    for (int i = 0; i < COUNT; ++i)
        if (strcmp(table[i]->name, name) == 0) return i;
    return CARDAN_NONE;
}
