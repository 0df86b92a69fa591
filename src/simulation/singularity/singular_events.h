// SPDX-License-Identifier: BSD-3-Clause
// Singular configurations passed by a run, and branch switches of the motion.
#pragma once

#include "simulation/integrators/integrator.h"

typedef struct cd_sigma_point {
    double t, sigma; // relative to its running maximum
    int    row;
    int    sign; // compared with the point before: changed (-1), the same (1), unknown (0)
} cd_sigma_point;

enum { CD_SIGMA_POINTS = 4 };

// History of one group of coupled loops (cd_conditioning).
typedef struct cd_sigma_history {
    cd_sigma_point point[CD_SIGMA_POINTS]; // the last ones, at ends of steps
    int            count;
    int            sign;              // since the last point with sigma != 0
    bool           reported;          // event of this approach is reported
    double         crossing_t;        // [s] last crossing of sigma = 0
    double         regular_sigma_max; // running maximum of sigma when it was last far from zero
} cd_sigma_history;

// The last step, and a state inside it.
typedef struct cd_step_interior {
    const cd_integrator* integrator;
    void*                work;
    double               t_start;   // [s] start of the step
    cd_ode_state*        state;     // state of the last evaluation inside
    double               violation; // [m, rad] violation that the method tolerates
} cd_step_interior;

typedef struct cd_singular_events {
    cd_sigma_history* history; // (groups)
    cardan_event*     event;   // (2 groups + 1) of the last update
    int               nevent;
    bool              description_valid; // `description` belongs to this approach
    cd_ode_state      state;             // inside the last step

    // from the last well-conditioned configuration to the next
    enum { CD_PHASE_REGULAR, CD_PHASE_NEAR_SINGULAR, CD_PHASE_LEAVING } phase;
    double         t[2];                                 // [s] ends of the last two steps
    double *       v[2], *acceleration_before, *v_after; // (nv) velocities there, acceleration before, velocities after
    double         t_before, t_after;
    double*        v_before;
    cd_sigma_point smallest;          // point of smallest sigma
    double         velocity_bend_max; // largest bend of the velocity between updates
    double         violation_max;     // largest violation

    // progress of the run
    double longest_step;         // [s] so far
    double progress_t;           // [s] last time at which the run advanced,
    long   progress_evaluations; // and evaluations then

    int *   via_joint, *queue, *body_group; // (bodies + 1) to name loops
    bool*   is_stressed;                    // (joints)
    double* q_saved;                        // (nq)
    char    description[160];               // of the last singular configuration
    bool    names_several_loops;            // `description` names several loops
} cd_singular_events;

void cd_singular_events_layout(const cd_ode_system* system, cd_arena* arena, cd_singular_events* events);

// Name the loops that lose rank at the singular configuration near the state of the data, independently of the
// formulation. It is passed `ahead` [s] after that state. If the rank analysis fails, name the loop of `row`. Returns
// false if no loop loses rank there. Changes the state of the data.
bool cd_name_singular_loops(const cd_singular_events* events, const cd_ode_system* system, double ahead, int row,
                            char* text, size_t size, bool* several);

// Return whether joint j is part of a closed loop.
bool cd_joint_is_on_loop(const cd_singular_events* events, const cd_ode_system* system, int j);

// Return whether the last accelerations were near a singular configuration.
bool cd_is_near_singular(const cd_ode_system* system);

// Return whether the run is stalled near a singular configuration: thousands of evaluations for a fraction of one
// step. Call after every step.
bool cd_singular_events_is_stalled(cd_singular_events* events, const cd_ode_system* system, double from, double t);

// Update at the end x of a step, or inside it, after accelerations there: collect events since the last update in
// order of time. in.state is not needed.
void cd_singular_events_update(cd_singular_events* events, cd_ode_system* system, cd_step_interior in,
                               const cd_ode_state* x);

// Reset at x after a velocity jump: later velocities are compared with those after the jump.
void cd_singular_events_reset(cd_singular_events* events, const cd_ode_system* system, const cd_ode_state* x);

// ---- singular_location.c

// Compute the conditioning at x.
cardan_status cd_conditioning_at(cd_ode_system* system, const cd_ode_state* x);
// Compute the conditioning at the nearest configuration on the constraints: off the constraints none is singular.
cardan_status cd_conditioning_on_constraints(cd_ode_system* system, const cd_ode_state* x);
// Return whether the conditioning is known: also if the rows are inconsistent, as at a singular configuration.
bool cd_conditioning_is_known(const cd_ode_system* system, cardan_status status);
// Locate the zero of sigma of a group between two points, the last of which is behind it: returns the smallest sigma
// found, its time, and the state there in in.state.
double cd_singular_crossing_locate(cd_ode_system* system, cd_step_interior in, int group, cd_sigma_point first,
                                   cd_sigma_point last, double* t);
