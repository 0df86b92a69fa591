// SPDX-License-Identifier: BSD-3-Clause
// One instant of the task as nodes of one graph, and the inputs that blocks bind.
#pragma once

#include "generate/stage.h"
#include "optimize/chain.h"
#include "optimize/scheme.h"
#include "optimize/task.h"

typedef struct cd_optimize_form {
    const char*   name;
    cd_stage_form trace;
    bool          substitutes;  // accelerations, where the layout has states at points
    const char*   summary;
} cd_optimize_form;

const cd_optimize_form* cd_optimize_form_at(int i);
const cd_optimize_form* cd_optimize_form_find(const char* name);

typedef struct cd_instant {
    const cardan_task* task;
    cd_optimize_form   form;
    int                n;           // velocities
    cd_graph*          graph;
    cd_sources         in;          // q, v, a, effort, time
    double*            sample;
    int                h, own, others, other, weight, before, next, ninput;  // first inputs of each sort, see below
    cd_multipliers     multipliers;
    cd_node *          dynamics, *signal;
    cd_node *          residual, *acceleration;  // (n) zero along motions; a as a function of q, v, effort (explicit forms, else NULL)
} cd_instant;

// Inputs beside q, v, a, effort and time: h [s]; own, others: coefficients of this point's state and of `degree` others in the derivative of the
// interpolating polynomial; other (degree x 2n): those states; weight: of a quadrature; before (n): efforts of the interval before; next (2n): state at the
// end of the interval.
cardan_status cd_instant_create(const cardan_task* task, const cd_optimize_form* form, int degree, cd_instant* instant, cardan_report* report);
void          cd_instant_release(cd_instant* instant);
// A formula of the task over the nodes of the instant.
cd_node cd_instant_formula(cd_instant* instant, cardan_expression formula);
