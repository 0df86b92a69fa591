// SPDX-License-Identifier: BSD-3-Clause
// One instant of the task as nodes of one graph, and the inputs that blocks bind.
//
// Orientations of joints that turn about all axes are a base, the quaternion at the beginning of the interval, and a
// turn from there, which is what points have unknowns for. With p the quaternion of the turn x, Cayley's map, smooth
// everywhere below half a turn,
//
//   q = q_base p,   p = (1, x/2) / sqrt(1 + x'x/4),   dx/dt = w + x cross w / 2 + x (x'w) / 4
//
// with w the angular velocity in local axes.
//
// With a free horizon in the condensed layout unknown velocities are h v and unknown accelerations h^2 a, in which
// states of points are linear.
#pragma once

#include "generate/stage.h"
#include "optimize/chain.h"
#include "optimize/loops.h"
#include "optimize/scheme.h"
#include "optimize/task.h"

typedef struct cd_optimize_form {
    const char*   name;
    cd_stage_form trace;
    bool          substitutes; // accelerations, where the layout has states at points
    const char*   summary;
} cd_optimize_form;

const cd_optimize_form* cd_optimize_form_at(int i);
const cd_optimize_form* cd_optimize_form_find(const char* name);
bool cd_optimize_form_explicit(const cd_optimize_form* form); // it gives accelerations, not efforts that are left over

// What the instant is made for.
typedef struct cd_instant_wish {
    const cd_optimize_form* form;
    const cd_ties*          loops;
    int                     degree;
    bool                    substituted; // accelerations are no unknowns
    bool                    scaled;      // inputs v and a are h v and h^2 a
    bool counted; // input time counts intervals, t = h time: with a free horizon blocks then differ by a setting, not
                  // by what unknowns count
    const double*
        weight; // (n) of rows of the dynamics: what they change in velocities, h (a - ...) of explicit forms, and h
                // over the inertia at the start times efforts of others. Else accelerations, and efforts on heavy
                // bodies, would outweigh conditions in every sum of violations, and the search would shorten its steps
} cd_instant_wish;

typedef struct cd_instant {
    const cardan_task* task;
    cd_instant_wish    wish;
    int                n, nq, ns, nturn,
        nrow; // velocities, coordinates, states, components of turns, constraint rows with multipliers
    cd_graph*  graph;
    cd_sources in; // q (nq, of turns the base), v, a, effort, state, time, then multipliers
    double*    sample;
    // first inputs of each sort, see below
    int            lambda, h, own, others, other, weight, before, next, turn, turn_rate, state_rate, push, z, w, ninput;
    cd_multipliers multipliers;
    // nodes
    cd_node *   q, *v, *a;           // coordinates (nq), velocities and accelerations (n) as the mechanism has them
    cd_node *   dynamics, *residual; // (n) as the form gives it; zero along motions
    cd_node*    acceleration;        // (n) inputs z that stand for what an explicit form gives; else NULL
    cd_node *   F, *M;               // (n), (n x n) inverse dynamics that defines z, for derivatives; explicit forms
    cd_implicit implicit;
    cd_node *   signal, *rate, *turning;       // of formulas; of states (ns); of turns (nturn)
    cd_node *   position, *velocity, *closing; // (nrow) constraint rows at three levels
    cd_node*    J;                             // (nrow x n) rows on velocities
} cd_instant;

// Inputs beside q, v, a, effort, state, time and multipliers: h [s]; own, others: coefficients of this point's state
// and of `degree` others in the derivative of the interpolating polynomial; other (degree x (2n + ns)): those states;
// weight: of a quadrature; before (n): efforts of the interval before; next (nq + n + ns): state at the end of the
// interval; turn, turn_rate (nturn), state_rate (ns): of the point; push (2 nrow): what closes loops at the end of the
// interval; z, w (n): accelerations of an explicit form, and adjoints in their derivatives.
cardan_status cd_instant_create(const cardan_task* task, const cd_instant_wish* wish, cd_instant* instant,
                                cardan_report* report);
void          cd_instant_release(cd_instant* instant);
// A formula of the task over the nodes of the instant.
cd_node cd_instant_formula(cd_instant* instant, cardan_expression formula);
// Quaternion (4) of base (4) turned by x (3).
void cd_turned(cd_graph* graph, const cd_node* base, const cd_node* x, cd_node* q);
