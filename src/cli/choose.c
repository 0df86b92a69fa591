// SPDX-License-Identifier: BSD-3-Clause
// Which formulation solves a mechanism when nobody says: the one with the fewest operations. Cholesky along the tree
// costs the sum of squared depths, articulated bodies a constant per joint; which is less is counted, not guessed.
// Loops are solved densely while they are few, for the yardstick tells most about what is wrong; beyond, by maximal
// coordinates, whose cost is linear.
#include "cli/mechanism.h"

#include "cli/messages.h"

enum {
    COUNTED_UP_TO = 2000, // velocities; beyond, order-n without counting
    DENSE_UP_TO   = 150,  // velocities, and 6 for each constraint
};

static const char* candidate(void* user, int i)
{
    (void)user;
    return i < cardan_formulation_count() ? cardan_formulation_name(i) : NULL;
}

int cd_formulation_named(const char* name)
{
    const int formulation = cardan_formulation_find(name);
    if (formulation == CARDAN_NONE)
        cd_say_unknown("formulation", name, candidate, NULL, "`cardan list formulations` shows them");
    return formulation;
}

// A division or a square root takes as long as some ten multiplications.
static double weight(const cardan_operations* o)
{
    const cardan_tally* const phase[] = {&o->kinematics, &o->assembly, &o->factor, &o->solve};
    double                    sum     = 0;
    for (int i = 0; i < 4; ++i)
        sum += (double)(phase[i]->mul + phase[i]->add) + 10 * (double)(phase[i]->div + phase[i]->sqrt);
    return sum;
}

// Operations of one evaluation at the start, or -1 where they cannot or need not be counted.
static double cost(const cd_mechanism* mechanism, int formulation, cardan_model_view* size)
{
    cardan_model*     model = NULL;
    cardan_operations operations;
    double            sum = -1;
    if (cardan_model_compile(mechanism->description, cardan_formulation_tree(formulation), &model, NULL) != CARDAN_OK)
        return -1;
    const cardan_model_view look = cardan_model_look(model);
    *size                        = look;
    if (look.nv < COUNTED_UP_TO && look.nconstraint == 0 &&
        cardan_count(model, formulation, look.q_start, look.v_start, &operations, NULL) == CARDAN_OK)
        sum = weight(&operations);
    cardan_model_destroy(model);
    return sum;
}

// Does the formulation take the mechanism?
static bool takes(const cd_mechanism* mechanism, int formulation)
{
    cardan_model* model = NULL;
    cardan_data*  data  = NULL;
    const bool    good  = cardan_model_compile(mechanism->description, cardan_formulation_tree(formulation), &model, NULL) == CARDAN_OK &&
                      cardan_data_create(model, formulation, &data, NULL) == CARDAN_OK;
    cardan_data_destroy(data);
    cardan_model_destroy(model);
    return good;
}

int cd_formulation_for_loops(const cd_mechanism* mechanism, const cardan_model_view* look)
{
    const int dense = cardan_formulation_find("dense"), flat = cardan_formulation_find("lagrange");
    return look->nv + 6.0 * look->nconstraint > DENSE_UP_TO && takes(mechanism, flat) ? flat : dense;
}

int cd_formulation_chosen(cd_mechanism* mechanism)
{
    if (mechanism->options->formulation) return cd_formulation_named(mechanism->options->formulation);
    if (mechanism->view.run && mechanism->view.run->formulation)
        return cd_formulation_named(mechanism->view.run->formulation);

    const int         deep = cardan_formulation_find("order-n"), shallow = cardan_formulation_find("cholesky");
    cardan_model_view size      = {0};
    const double      cost_deep = cost(mechanism, deep, &size);
    if (size.nconstraint > 0) return cd_formulation_for_loops(mechanism, &size);
    if (cost_deep < 0) return deep;
    const double cost_shallow = cost(mechanism, shallow, &size);
    return cost_shallow >= 0 && cost_shallow < cost_deep ? shallow : deep;
}
