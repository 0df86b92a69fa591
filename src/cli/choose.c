// SPDX-License-Identifier: BSD-3-Clause
// Which formulation solves a mechanism: the one that options or the file name, or the one the library chooses ("auto").
#include "cli/mechanism.h"

#include "cli/messages.h"

#include <cardan/simulate.h>

#include <string.h>

enum { DENSE_UP_TO = 150 }; // velocities, and 6 for each constraint

static const char* candidate(void* user, int i)
{
    (void)user;
    return i < cardan_formulation_count()    ? cardan_formulation_name(i)
           : i == cardan_formulation_count() ? "auto"
                                             : NULL;
}

int cd_formulation_named(const char* name)
{
    const int formulation = cardan_formulation_find(name);
    if (formulation < 0)
        cd_say_unknown("formulation", name, candidate, NULL, "`cardan list formulations` shows them");
    return formulation < 0 ? CARDAN_NONE : formulation;
}

bool cd_is_auto(const char* name) { return name && strcmp(name, "auto") == 0; }

// Does the formulation take the mechanism?
static bool takes(const cd_mechanism* mechanism, int formulation)
{
    cardan_model* model = NULL;
    cardan_data*  data  = NULL;
    cardan_status status =
        cardan_model_compile(mechanism->description, cardan_formulation_tree(formulation), &model, NULL);
    if (status == CARDAN_OK) status = cardan_data_create(model, formulation, &data, NULL);
    cardan_data_destroy(data);
    cardan_model_destroy(model);
    if (status == CARDAN_NO_MEMORY) cd_say_no_memory();
    return status == CARDAN_OK;
}

int cd_formulation_for_loops(const cd_mechanism* mechanism, const cardan_model_view* look)
{
    const int dense = cardan_formulation_find("dense"), flat = cardan_formulation_find("lagrange");
    return look->nv + 6.0 * look->nconstraint > DENSE_UP_TO && takes(mechanism, flat) ? flat : dense;
}

// Code is generated for joint coordinates: where it is asked for, those of free bodies would do without.
static int with_code(const cd_mechanism* mechanism, int formulation)
{
    const char* wish  = mechanism->options->generated;
    const int   joint = cardan_formulation_find("augmented");
    if (!wish || strcmp(wish, "always") != 0 || cardan_formulation_tree(formulation) != CARDAN_TREE_FLAT)
        return formulation;
    return takes(mechanism, joint) ? joint : formulation;
}

static int choose(const cd_mechanism* mechanism)
{
    cardan_choice choice;
    const char*         integrator = mechanism->options->integrator;
    const cardan_status status =
        integrator ? cardan_choose_formulation_for(mechanism->description, cardan_integrator_find(integrator), &choice, NULL)
                   : cardan_choose_formulation(mechanism->description, &choice, NULL);
    if (status == CARDAN_NO_MEMORY) return cd_say_no_memory(), CARDAN_NONE;
    return choice.formulation == CARDAN_NONE ? cardan_formulation_find("order-n")
                                             : with_code(mechanism, choice.formulation);
}

int cd_formulation_asked(const cd_mechanism* mechanism, int otherwise)
{
    const char* name = mechanism->options->formulation;
    if (!name) return otherwise;
    return cd_is_auto(name) ? choose(mechanism) : cd_formulation_named(name);
}

int cd_formulation_chosen(cd_mechanism* mechanism)
{
    const cardan_run_wish* wish = mechanism->view.run;
    if (mechanism->options->formulation) return cd_formulation_asked(mechanism, CARDAN_NONE);
    if (wish && wish->formulation && !cd_is_auto(wish->formulation)) return cd_formulation_named(wish->formulation);
    return choose(mechanism);
}
