// SPDX-License-Identifier: BSD-3-Clause
// Selection of the formulation: named by an option or the model file, or selected by the library ("auto").
#include "cli/support/loaded_model.h"

#include "cli/support/messages.h"

#include <cardan/simulate.h>

#include <string.h>

enum { DENSE_SIZE_MAX = 150 }; // velocities + 6 per constraint

static const char* candidate(void* user, int i)
{
    (void)user;
    return i < cardan_formulation_count()    ? cardan_formulation_name(i)
           : i == cardan_formulation_count() ? "auto"
                                             : NULL;
}

int cd_formulation_by_name(const char* name)
{
    const int formulation = cardan_formulation_find(name);
    if (formulation < 0)
        cd_report_unknown_name("formulation", name, candidate, NULL, "`cardan list formulations` lists them");
    return formulation < 0 ? CARDAN_NONE : formulation;
}

bool cd_formulation_is_auto(const char* name) { return name && strcmp(name, "auto") == 0; }

// True if the formulation supports the mechanism.
static bool supports_mechanism(const cd_loaded_model* mechanism, int formulation)
{
    cardan_model* model = NULL;
    cardan_data*  data  = NULL;
    cardan_status status =
        cardan_model_compile(mechanism->description, cardan_formulation_tree_policy(formulation), &model, NULL);
    if (status == CARDAN_OK) status = cardan_data_create(model, formulation, &data, NULL);
    cardan_data_destroy(data);
    cardan_model_destroy(model);
    if (status == CARDAN_NO_MEMORY) cd_report_no_memory();
    return status == CARDAN_OK;
}

int cd_formulation_for_loops(const cd_loaded_model* mechanism, const cardan_model_view* view)
{
    const int dense = cardan_formulation_find("dense"), maximal = cardan_formulation_find("lagrange");
    return view->nv + 6.0 * view->nconstraint > DENSE_SIZE_MAX && supports_mechanism(mechanism, maximal) ? maximal
                                                                                                         : dense;
}

// Code is generated for joint coordinates only: with --generated always, replace maximal coordinates by `augmented`.
static int prefer_joint_coordinates(const cd_loaded_model* mechanism, int formulation)
{
    const char* generated = mechanism->options->generated;
    const int   joint     = cardan_formulation_find("augmented");
    if (!generated || strcmp(generated, "always") != 0 ||
        cardan_formulation_tree_policy(formulation) != CARDAN_TREE_MAXIMAL)
        return formulation;
    return supports_mechanism(mechanism, joint) ? joint : formulation;
}

static int select_automatically(const cd_loaded_model* mechanism)
{
    cardan_formulation_choice choice;
    const char*               integrator = mechanism->options->integrator;
    const cardan_status       status =
        integrator ? cardan_formulation_choose_for_integrator(mechanism->description,
                                                                    cardan_integrator_find(integrator), &choice, NULL)
                         : cardan_formulation_choose(mechanism->description, &choice, NULL);
    if (status == CARDAN_NO_MEMORY) return cd_report_no_memory(), CARDAN_NONE;
    return choice.formulation == CARDAN_NONE ? cardan_formulation_find("order-n")
                                             : prefer_joint_coordinates(mechanism, choice.formulation);
}

int cd_formulation_from_options(const cd_loaded_model* mechanism, int otherwise)
{
    const char* name = mechanism->options->formulation;
    if (!name) return otherwise;
    return cd_formulation_is_auto(name) ? select_automatically(mechanism) : cd_formulation_by_name(name);
}

int cd_select_formulation(cd_loaded_model* mechanism)
{
    const cardan_run_defaults* defaults = mechanism->view.run;
    if (mechanism->options->formulation) return cd_formulation_from_options(mechanism, CARDAN_NONE);
    if (defaults && defaults->formulation && !cd_formulation_is_auto(defaults->formulation))
        return cd_formulation_by_name(defaults->formulation);
    return select_automatically(mechanism);
}
