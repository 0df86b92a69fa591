// SPDX-License-Identifier: BSD-3-Clause
// Limit accelerations: accelerations at configurations too close to a singular one to solve for them.
#pragma once

#include "core/memory.h"

#include <cardan/status.h>

typedef struct cd_ode_system cd_ode_system;

typedef struct cd_singular_limit {
    double        t, *q, *v, *state; // (nq, nv, ns) state at which the limit is computed
    double*       q_node;            // (nq) interpolation node near it
    double*       displacement;      // (nv) displacement to the node
    double*       node_value[6];     // (nv, nrow, 1, nv) a, lambda, power, v at the nodes, alternately before and after
    double        node_u[6], node_sigma[6]; // [s] positions of the nodes along the motion, and their sigma_min_rel
    double *      interpolant[3], *result;  // (nv, nrow, 1, nv) interpolated values
    bool          valid;                    // `result` may replace a missing solution of the state itself
    const double* direction;                // (nv) direction in which the nodes lie, with
    const double* curvature;                // (nv) accelerations along that path,
    bool          time_frozen;              // at constant time
    double*       last_acceleration;        // (nv) last well-determined accelerations
    double*       entry_velocity;           // (nv) velocities at the approach of the singular configuration, or zeros
    double*       zero;                     // (nv) zeros, used as curvature instead of accelerations that are round-off
    bool          has_history;              // last_acceleration is from this approach, without interpolation,
    double        history_t, history_sigma; // [s] its time, and sigma there
    double        applied_t;                // [s] time of the last limit that was applied
    double        result_u[6];              // [s] nodes of `result`,
    double        result_t;                 // [s] its time; -INFINITY: none
    int           nwrench, nreaction; // wrenches of joints and marker constraints; numbers in these, and multipliers
    double*       node_reaction[6];   // (nreaction) reactions at the nodes
    double*       force_scale;        // (nreaction) factors that convert each to a force [N]
} cd_singular_limit;

void cd_singular_limit_layout(cd_ode_system* system, cd_arena* arena);
void cd_singular_limit_reset(cd_ode_system* system);
// Check at the start, at the state of the data, whether it is near a singular configuration.
void cd_singular_limit_check_start(cd_ode_system* system);
// Move the data from a start that was found singular to a node near it, along its motion. Returns false if no node
// can be reached.
bool cd_singular_limit_leave_start(cd_ode_system* system);

// Save the state of the data; restore it.
void cd_singular_limit_save_state(cd_ode_system* system);
void cd_singular_limit_restore_state(cd_ode_system* system);

// Record well-determined accelerations.
void cd_singular_limit_record_acceleration(cd_ode_system* system, const double* a);

// Return whether the last accelerations were computed too close to a singular configuration.
bool cd_singular_limit_is_needed(const cd_ode_system* system);

// Compute accelerations and multipliers at the saved state by interpolation through well-conditioned nodes near it,
// into `result`. Returns false if there are no nodes, or if the accelerations a (nv) of the state itself are as
// accurate. Leaves the data at one of the nodes.
bool cd_singular_limit_evaluate(cd_ode_system* system, const double* a);
// Copy the result to the data, which are back at the saved state. Returns the power there [W].
double cd_singular_limit_apply(cd_ode_system* system, double* a);
// Velocities at the state interpolated from those at the nodes of the last limit; false if there is none.
bool cd_singular_limit_velocities(const cd_ode_system* system, double* v);

// Compute a (nv, nrow, 1, nv) at the node u [s] along the motion, where the data stay; false if there is no solution.
bool cd_singular_limit_evaluate_node(cd_ode_system* system, double u, double* a);
// Return whether nodes near the state of time t, the last one interpolated, are available.
bool cd_singular_limit_has_nodes(const cd_ode_system* system, double t);

// Compute the limit of reactions and driver efforts from those at well-conditioned nodes; NAN where they are
// unbounded. Without nodes, at a singular configuration that drivers lead to (singular values below `zero` at least),
// they are undetermined: NAN. Returns false if those of the state itself are valid. May change the data, which are at
// the time t.
bool cd_singular_limit_evaluate_reactions(cd_ode_system* system, double t, double zero);
// Set the reactions of the data, which are at the solved state, to undetermined.
void cd_singular_limit_invalidate_reactions(cd_ode_system* system);
// Copy the limit reactions to the data, which are back at the solved state.
void cd_singular_limit_apply_reactions(cd_ode_system* system);
