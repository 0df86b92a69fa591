// SPDX-License-Identifier: BSD-3-Clause
// Accelerations where a singular pose is too near to be asked for them.
#pragma once

#include "core/memory.h"

#include <cardan/status.h>

typedef struct cd_ode_system cd_ode_system;

typedef struct cd_singular_limit {
    double  t, *q, *v, *state; // (nq, nv, ns) the pose
    double* q_node;            // (nq) the one beside it
    double* displacement;      // (nv) to it
    double*
        node_value[6]; // (nv, nrow, 1, nv) accelerations, multipliers, power, velocities at poses beside, before it and
                       // behind in turns, the nearest first,
    double        node_u[6], node_sigma[6]; // [s] where these are, and how firm
    double *      interpolant[3], *result;  // (nv, nrow, 1, nv) interpolated
    bool          valid;                    // `best` does, where the pose has no solution
    const double* direction;                // (nv) where poses beside lie, with
    const double* curvature;                // (nv) accelerations on the way there;
    bool          time_frozen;              // at the same time
    double*       last_acceleration;        // (nv) accelerations that were last well determined,
    double*       entry_velocity;           // (nv) velocities that led near the singular pose, or zeros
    double*       zero;                     // (nv) zeros: any smooth way will do, and noise is none
    bool          has_history;              // if there were some on this approach without a look beside,
    double        history_t, history_sigma; // when, and how firm the pose was
    double        applied_t;                // [s] when accelerations were last found beside
    double        result_u[6];              // [s] where the poses of `best` are,
    double        result_t;                 // [s] beside which pose; -INFINITY
    int           nwrench, nreaction; // of joints and constraints between markers; numbers in these, and multipliers
    double*       node_reaction[6];   // (nreaction) at these poses,
    double*       force_scale;        // (nreaction) so many N each
} cd_singular_limit;

void cd_singular_limit_layout(cd_ode_system* system, cd_arena* arena);
void cd_singular_limit_reset(cd_ode_system* system);
// At the start, where the data are: whether that is near a singular pose.
void cd_singular_limit_check_start(cd_ode_system* system);
// The data from a start that was looked at so, and is singular, to a pose beside it, on the way of its motion; false
// where that cannot be reached.
bool cd_singular_limit_leave_start(cd_ode_system* system);

// The state of the data is the pose; and the other way round.
void cd_singular_limit_save_state(cd_ode_system* system);
void cd_singular_limit_restore_state(cd_ode_system* system);

// Accelerations that are well determined.
void cd_singular_limit_record_acceleration(cd_ode_system* system, const double* a);

// The last accelerations were computed too near to a singular pose.
bool cd_singular_limit_is_needed(const cd_ode_system* system);

// Accelerations at the pose from others beside it, where they are well determined, into `best`, and multipliers behind
// them; false where there are none, or those of the pose itself, a (nv), are as good. The data are left at one of the
// poses beside.
bool cd_singular_limit_evaluate(cd_ode_system* system, const double* a);
// They are those of the data, which are back at the pose. Returns the power there [W].
double cd_singular_limit_apply(cd_ode_system* system, double* a);
// Velocities at the pose from those beside it, where accelerations were last found there; false where they were not.
bool cd_singular_limit_velocities(const cd_ode_system* system, double* v);

// a (nv, nrow, 1, nv) at the pose u [s] away on the way, where the data are left; false where there is no solution.
bool cd_singular_limit_evaluate_node(cd_ode_system* system, double u, double* a);
// Whether there are poses beside that of the time t, which was the last to be looked beside.
bool cd_singular_limit_has_nodes(const cd_ode_system* system, double t);

// s, of the firmest pose: rows are not told from such that depend on each other.
static const double cd_null_sigma = 1e-5;

// Reactions and efforts of drivers there from those at the poses beside it, where they are well determined: their
// limit, or NAN where they have no bound. Where there are no such poses, and drivers lead to one that is singular, by
// singular values below `zero` at least, they are not determined: NAN. False where they are those of the pose itself.
// The data, which are at the time t, may be left elsewhere.
bool cd_singular_limit_evaluate_reactions(cd_ode_system* system, double t, double zero);
// Nothing of them is known at the pose, where the data are and solved.
void cd_singular_limit_invalidate_reactions(cd_ode_system* system);
// They are those of the data, which are back at the pose and solved.
void cd_singular_limit_apply_reactions(cd_ode_system* system);
