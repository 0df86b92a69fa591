// SPDX-License-Identifier: BSD-3-Clause
// The formulations of the library by number and name.
#include "core/check_arguments.h"
#include "formulation/formulation.h"

#include <string.h>

int         cardan_formulation_count(void) { return cd_formulation_count(); }
static bool is_formulation(int i) { return cd_is_index(i, cd_formulation_count()); }

const char* cardan_formulation_name(int i)
{
    return is_formulation(i) ? cd_formulation_at(i)->name : i == CARDAN_FORMULATION_AUTO ? "auto" : NULL;
}
const char* cardan_formulation_summary(int i) { return is_formulation(i) ? cd_formulation_at(i)->summary : NULL; }
const char* cardan_formulation_citation(int i) { return is_formulation(i) ? cd_formulation_at(i)->citation : NULL; }
bool        cardan_formulation_is_reference(int i)
{
    return is_formulation(i) && cd_formulation_at(i)->properties & CD_REFERENCE_IMPLEMENTATION;
}
bool cardan_formulation_is_exact(int i)
{
    return is_formulation(i) && !(cd_formulation_at(i)->properties & CD_APPROXIMATE);
}
cardan_tree_policy cardan_formulation_tree_policy(int i)
{
    return is_formulation(i) ? cd_formulation_at(i)->tree_policy : CARDAN_TREE_AUTO;
}

int cardan_formulation_find(const char* name)
{
    if (!name) return CARDAN_NONE;
    if (strcmp(name, "auto") == 0) return CARDAN_FORMULATION_AUTO;
    for (int i = 0; i < cd_formulation_count(); ++i)
        if (strcmp(cd_formulation_at(i)->name, name) == 0) return i;
    return CARDAN_NONE;
}
