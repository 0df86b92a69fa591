// SPDX-License-Identifier: BSD-3-Clause
// Point model: one time point of the task as nodes of an expression graph, and the inputs that blocks bind.
//
// Orientations of spherical and free joints are a base quaternion, at the beginning of the interval, and a rotation
// from there, whose parameters are the unknowns of points. With p the quaternion of the rotation x by the Cayley map,
// smooth below half a revolution,
//
//   q = q_base p,   p = (1, x/2) / sqrt(1 + x'x/4),   dx/dt = w + x cross w / 2 + x (x'w) / 4
//
// with w the angular velocity in local axes.
//
// With a free horizon in the condensed layout, unknown velocities are h v and unknown accelerations h^2 a; the states
// of points are linear in them.
#pragma once

#include "generate/trace/traced_dynamics.h"
#include "optimize/nlp/block_nlp.h"
#include "optimize/transcription/loop_constraints.h"
#include "optimize/transcription/transcription_scheme.h"
#include "optimize/task/task.h"

typedef struct cd_ocp_dynamics_form {
    const char*      name;
    cd_dynamics_form trace;
    bool             substitutes_acceleration; // accelerations, if the layout has states at points
    const char*      summary;
} cd_ocp_dynamics_form;

const cd_ocp_dynamics_form* cd_ocp_dynamics_form_find(const char* name);
bool                        cd_ocp_dynamics_form_is_explicit(
                           const cd_ocp_dynamics_form* form); // it gives accelerations, not a residual of efforts

// Options of a point model.
typedef struct cd_point_model_options {
    const cd_ocp_dynamics_form* form;
    const cd_loop_constraints*  loops;
    int                         degree;
    bool                        substitutes_acceleration; // accelerations are not unknowns
    bool                        scaled_by_h;              // inputs v and a are h v and h^2 a
    bool time_in_intervals; // input time counts intervals, t = h time: with a free horizon, blocks then
                            // differ by a parameter, not by the coefficients of unknowns
    const double*
        residual_weight; // (n) scale of the rows of the dynamics to velocities: h (a - ...) of explicit forms,
    // h over the inertia at the start times efforts of other forms. Without it, accelerations, and efforts on heavy
    // bodies, would dominate conditions in sums of violations, and the line search would shorten its steps
} cd_point_model_options;

typedef struct cd_point_model {
    const cardan_task*     task;
    cd_point_model_options options;
    int                    n, nq, ns, nrotation_component,
        nrow; // velocities, coordinates, user states, rotation components, rows with multipliers
    cd_graph*       graph;
    cd_input_layout in; // q (nq, base quaternions), v, a, effort, state, time, then multipliers
    double*         sample;
    // first inputs of each kind, see below
    int lambda, h, own_coefficient, other_coefficient, other_state, quadrature_weight, previous_effort, next_state,
        rotation, rotation_rate, state_rate, loop_correction, z, w, ninput;
    cd_multiplier_count multipliers;
    // nodes
    cd_node *   q, *v, *a;           // coordinates (nq), velocities and accelerations (n) of the mechanism
    cd_node *   dynamics, *residual; // (n) dynamics of the form; residual, zero along motions
    cd_node*    acceleration;        // (n) inputs z in place of the result of an explicit form; else NULL
    cd_node *   F, *M;               // (n), (n x n) inverse dynamics that defines z, for derivatives; explicit forms
    cd_implicit implicit;
    cd_node *   signal, *state_rate_value, *rotation_rate_value; // signals of formulas; rates of states (ns); of
                                                                 // rotations (nrotation_component)
    cd_node *constraint_position, *constraint_velocity,
        *constraint_acceleration; // (nrow) constraint rows at three levels
    cd_node* J;                   // (nrow x n) constraint Jacobian
} cd_point_model;

// Create the point model. Inputs in addition to q, v, a, effort, state, time and multipliers: h [s]; own_coefficient,
// other_coefficient: coefficients of the state of this point and of `degree` others in the derivative of the
// interpolating polynomial; other_state (degree x (2n + ns)): those states; quadrature_weight; previous_effort (n):
// efforts of the previous interval; next_state (nq + n + ns): state at the end of the interval; rotation, rotation_rate
// (nrotation_component), state_rate (ns): of the point; loop_correction (2 nrow): at the end of the interval; z, w (n):
// accelerations of an explicit form, and adjoints in their derivatives.
cardan_status cd_point_model_create(const cardan_task* task, const cd_point_model_options* options,
                                    cd_point_model* model, cardan_report* report);
void          cd_point_model_release(cd_point_model* model);
// Copy a formula of the task to the graph, over the signals of the point. Returns CD_NO_NODE without memory.
cd_node cd_point_model_formula(cd_point_model* model, cardan_expression formula);
// Compute the quaternion (4) of base (4) rotated by x (3).
void cd_graph_cayley_rotate(cd_graph* graph, const cd_node* base, const cd_node* x, cd_node* q);
