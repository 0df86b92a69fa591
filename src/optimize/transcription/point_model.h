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

#include "generate/trace/traced_dynamics.h"
#include "optimize/nlp/block_nlp.h"
#include "optimize/transcription/loop_constraints.h"
#include "optimize/transcription/transcription_scheme.h"
#include "optimize/task/task.h"

typedef struct cd_ocp_dynamics_form {
    const char*      name;
    cd_dynamics_form trace;
    bool             substitutes_acceleration; // accelerations, where the layout has states at points
    const char*      summary;
} cd_ocp_dynamics_form;

const cd_ocp_dynamics_form* cd_ocp_dynamics_form_at(int i);
const cd_ocp_dynamics_form* cd_ocp_dynamics_form_find(const char* name);
bool                        cd_ocp_dynamics_form_is_explicit(
                           const cd_ocp_dynamics_form* form); // it gives accelerations, not efforts that are left over

// What the instant is made for.
typedef struct cd_point_model_options {
    const cd_ocp_dynamics_form* form;
    const cd_loop_constraints*  loops;
    int                         degree;
    bool                        substitutes_acceleration; // accelerations are no unknowns
    bool                        scaled_by_h;              // inputs v and a are h v and h^2 a
    bool
        time_in_intervals; // input time counts intervals, t = h time: with a free horizon blocks then differ by a setting, not
                           // by what unknowns count
    const double*
        residual_weight; // (n) of rows of the dynamics: what they change in velocities, h (a - ...) of explicit forms, and h
        // over the inertia at the start times efforts of others. Else accelerations, and efforts on heavy
        // bodies, would outweigh conditions in every sum of violations, and the search would shorten its steps
} cd_point_model_options;

typedef struct cd_point_model {
    const cardan_task*     task;
    cd_point_model_options options;
    int                    n, nq, ns, nrotation_component,
        nrow; // velocities, coordinates, states, components of turns, constraint rows with multipliers
    cd_graph*       graph;
    cd_input_layout in; // q (nq, of turns the base), v, a, effort, state, time, then multipliers
    double*         sample;
    // first inputs of each sort, see below
    int lambda, h, own_coefficient, other_coefficient, other_state, quadrature_weight, previous_effort, next_state,
        rotation, rotation_rate, state_rate, loop_correction, z, w, ninput;
    cd_multiplier_count multipliers;
    // nodes
    cd_node *   q, *v, *a;           // coordinates (nq), velocities and accelerations (n) as the mechanism has them
    cd_node *   dynamics, *residual; // (n) as the form gives it; zero along motions
    cd_node*    acceleration;        // (n) inputs z that stand for what an explicit form gives; else NULL
    cd_node *   F, *M;               // (n), (n x n) inverse dynamics that defines z, for derivatives; explicit forms
    cd_implicit implicit;
    cd_node *   signal, *state_rate_value, *rotation_rate_value; // of formulas; of states (ns); of turns (nturn)
    cd_node *   constraint_position, *constraint_velocity,
        *constraint_acceleration; // (nrow) constraint rows at three levels
    cd_node* J;                   // (nrow x n) rows on velocities
} cd_point_model;

// Inputs beside q, v, a, effort, state, time and multipliers: h [s]; own, others: coefficients of this point's state
// and of `degree` others in the derivative of the interpolating polynomial; other (degree x (2n + ns)): those states;
// weight: of a quadrature; before (n): efforts of the interval before; next (nq + n + ns): state at the end of the
// interval; turn, turn_rate (nturn), state_rate (ns): of the point; push (2 nrow): what closes loops at the end of the
// interval; z, w (n): accelerations of an explicit form, and adjoints in their derivatives.
cardan_status cd_point_model_create(const cardan_task* task, const cd_point_model_options* options,
                                    cd_point_model* model, cardan_report* report);
void          cd_point_model_release(cd_point_model* model);
// A formula of the task over the nodes of the instant.
cd_node cd_point_model_formula(cd_point_model* model, cardan_expression formula);
// Quaternion (4) of base (4) turned by x (3).
void cd_graph_cayley_rotate(cd_graph* graph, const cd_node* base, const cd_node* x, cd_node* q);
