// SPDX-License-Identifier: BSD-3-Clause
// CARDAN_FORMULATION_AUTO: models and data for the formulation that cardan_formulation_choose selects. The choice is made when
// the model is compiled, because the spanning tree depends on it, and is stored in the model.
#include "dynamics/formulation_choice/automatic_formulation.h"

#include "contact/scene/contact_scene.h"
#include "core/check_arguments.h"
#include "formulation/formulation.h"
#include "model/model.h"

#include <cardan/dynamics.h>

static cardan_status compile_with_contacts(const cardan_description* description, cardan_tree_policy policy,
                                           cardan_model** model, cardan_report* report)
{
    cardan_status status = cd_model_compile(description, policy, model, report);
    if (status != CARDAN_OK) return status;
    (*model)->destroy_contact_scene = cd_contact_scene_destroy;
    status                          = cd_contact_scene_create(*model, &(*model)->contact_scene, report);
    if (status == CARDAN_OK) return CARDAN_OK;
    cardan_model_destroy(*model);
    *model = NULL;
    return status;
}

cardan_status cardan_model_compile(const cardan_description* description, cardan_tree_policy policy,
                                   cardan_model** model, cardan_report* report)
{
    CD_REQUIRE_POINTER(model, "model", report);
    *model = NULL;
    CD_REQUIRE_POINTER(description, "description", report);
    CD_REQUIRE_INDEX((int)policy, CARDAN_TREE_AUTO + 1, "policy", report);
    if (policy != CARDAN_TREE_AUTO) return compile_with_contacts(description, policy, model, report);
    cardan_formulation_choice choice;
    cardan_status             status = cardan_formulation_choose(description, &choice, report);
    if (status == CARDAN_OK)
        status = compile_with_contacts(description, cardan_formulation_tree_policy(choice.formulation), model, report);
    if (status == CARDAN_OK) (*model)->chosen_formulation = choice.formulation;
    return status;
}

// A model compiled with an explicit tree policy: the chosen formulation must support that tree.
cardan_status cd_resolve_automatic_formulation(const cardan_model* m, int* formulation, cardan_report* report)
{
    cardan_formulation_choice choice = {.formulation = m->chosen_formulation};
    if (choice.formulation == CARDAN_NONE) {
        const cardan_status status = cardan_formulation_choose(m->description, &choice, report);
        if (status != CARDAN_OK) return status;
    }
    const cd_formulation* f = cd_formulation_at(choice.formulation);
    if ((f->tree_policy == CARDAN_TREE_MAXIMAL) != (m->policy == CARDAN_TREE_MAXIMAL))
        return cardan_fail(report, CARDAN_BAD_USAGE, CARDAN_CODE_TREE_MISMATCH, cardan_location_none(),
                           "'auto' chooses the formulation '%s' for '%s', which needs another spanning tree than that "
                           "of the compiled model: compile with CARDAN_TREE_AUTO",
                           f->name, m->view.name);
    *formulation = choice.formulation;
    return CARDAN_OK;
}
