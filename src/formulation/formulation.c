// SPDX-License-Identifier: BSD-3-Clause
#include "formulation/formulation.h"

#define CD_FORMULATION(name) extern const cd_formulation cd_##name;
#include "formulation/formulations.def"
#undef CD_FORMULATION

static const cd_formulation* const table[] = {
#define CD_FORMULATION(name) &cd_##name,
#include "formulation/formulations.def"
#undef CD_FORMULATION
};

int                   cd_formulation_count(void) { return (int)(sizeof table / sizeof *table); }
const cd_formulation* cd_formulation_at(int i) { return table[i]; }
