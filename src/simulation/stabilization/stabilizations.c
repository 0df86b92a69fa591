// SPDX-License-Identifier: BSD-3-Clause
// Table of stabilizations and its public functions.
#include "simulation/stabilization/stabilization.h"

#include "dynamics/data.h"

#include <string.h>

#define CD_STABILIZATION(name) extern const cd_stabilization cd_stabilization_##name;
#include "simulation/stabilization/stabilizations.def"
#undef CD_STABILIZATION

static const cd_stabilization* const table[] = {
#define CD_STABILIZATION(name) &cd_stabilization_##name,
#include "simulation/stabilization/stabilizations.def"
#undef CD_STABILIZATION
};

enum { COUNT = sizeof table / sizeof table[0] };

const cd_stabilization* cd_stabilization_at(int i) { return i >= 0 && i < COUNT ? table[i] : NULL; }

int         cardan_stabilization_count(void) { return COUNT; }
const char* cardan_stabilization_name(int i) { return cd_stabilization_at(i) ? table[i]->name : NULL; }
const char* cardan_stabilization_summary(int i) { return cd_stabilization_at(i) ? table[i]->summary : NULL; }
const char* cardan_stabilization_citation(int i) { return cd_stabilization_at(i) ? table[i]->citation : NULL; }

int cardan_stabilization_find(const char* name)
{
    for (int i = 0; name && i < COUNT; ++i)
        if (strcmp(table[i]->name, name) == 0) return i;
    return CARDAN_NONE;
}

cardan_status cd_stabilization_supports(const cd_stabilization* s, const cardan_data* d, cardan_report* report)
{
    const double entries = s->matrix_entries ? s->matrix_entries(d) : 0;
    if (entries <= cd_max_matrix_entries) return CARDAN_OK;
    return cardan_fail(
        report, CARDAN_UNSUPPORTED, CARDAN_CODE_MODEL_TOO_LARGE, cardan_location_none(),
        "stabilization '%s' needs a matrix of %.2g entries for '%s', more than the limit of %.2g: use projection",
        s->name, entries, d->m->view.name, cd_max_matrix_entries);
}
