// SPDX-License-Identifier: BSD-3-Clause
#include "force/force.h"

#include <string.h>

#define CD_FORCE_TYPE(name) extern const cd_force_type cd_force_##name;
#include "force/force_types.def"
#undef CD_FORCE_TYPE

static const cd_force_type* const force_types[] = {
#define CD_FORCE_TYPE(name) &cd_force_##name,
#include "force/force_types.def"
#undef CD_FORCE_TYPE
};

int                  cd_force_type_count(void) { return (int)(sizeof force_types / sizeof *force_types); }
const cd_force_type* cd_force_type_at(int i) { return force_types[i]; }

const cd_force_type* cd_force_type_find(const char* name)
{
    for (int i = 0; i < cd_force_type_count(); ++i)
        if (strcmp(force_types[i]->name, name) == 0) return force_types[i];
    return NULL;
}
