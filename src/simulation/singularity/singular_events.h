// SPDX-License-Identifier: BSD-3-Clause
// Singular poses on the way, and whether the motion stayed on its branch.
#pragma once

#include "simulation/integrators/integrator.h"

typedef struct cd_sigma_point {
    double t, sigma; // singular value relative to the largest so far
    int    row;
    int    sign; // changed since the look before (-1), or not (1), or unknown (0)
} cd_sigma_point;

enum { CD_SIGMA_POINTS = 4 };

// Of one group of loops (cd_conditioning).
typedef struct cd_sigma_history {
    cd_sigma_point point[CD_SIGMA_POINTS]; // the last ones, at the ends of steps
    int            count;
    int            sign;              // since the last look that was not at zero
    bool           reported;          // of this approach
    double         crossing_t;        // [s] last, at s = 0
    double         regular_sigma_max; // the largest singular value when it was last far from zero
} cd_sigma_history;

// The last step, and a state inside it.
typedef struct cd_step_interior {
    const cd_integrator* integrator;
    void*                work;      // of the integrator
    double               t_start;   // [s] where it began
    cd_ode_state*        state;     // where it was last looked at
    double               violation; // [m, rad] that it leaves, where the method endures gaps
} cd_step_interior;

typedef struct cd_singular_events {
    cd_sigma_history* history; // (groups)
    cardan_event*     event;   // (2 groups + 1) of the last look
    int               nevent;
    bool              description_valid; // `where` is of this approach
    cd_ode_state      state;             // inside the last step

    // from the last firm pose to the next
    enum { CD_PHASE_REGULAR, CD_PHASE_NEAR_SINGULAR, CD_PHASE_LEAVING } phase;
    double         t[2];                                 // [s] ends of the last two steps
    double *       v[2], *acceleration_before, *v_after; // (nv) velocities there, rate before, velocities after
    double         t_before, t_after;
    double*        v_before;
    cd_sigma_point smallest;          // on the way
    double         velocity_bend_max; // largest bend of the velocity there, from look to look
    double         violation_max;     // and largest gap

    // how it gets on
    double longest_step;         // [s] step so far
    double progress_t;           // [s] last time at which it did,
    long   progress_evaluations; // evaluations

    int *   via_joint, *queue, *body_group; // (bodies + 1) to name loops
    bool*   is_stressed;                    // (joints)
    double* q_saved;                        // (nq)
    char    description[160];               // the last singular pose
    bool    several;                        // `where` names several loops
} cd_singular_events;

void cd_singular_events_layout(const cd_ode_system* system, cd_arena* arena, cd_singular_events* p);

// The loops that lose rank at the singular pose near the state of the data, in words: the same whatever solves. It is
// passed `ahead` [s] of that state. Where that cannot be told: the loop of this row. False where no loop loses rank
// there. The data are left at another state.
bool cd_name_singular_loops(const cd_singular_events* p, const cd_ode_system* system, double ahead, int row, char* text,
                            size_t size, bool* several);

// Whether joints lead from one side of joint j back to the other.
bool cd_joint_is_on_loop(const cd_singular_events* p, const cd_ode_system* system, int j);

// Whether the last accelerations were near a singular pose.
bool cd_is_near_singular(const cd_ode_system* system);

// Whether steps near a singular pose lead nowhere: thousands of evaluations for a part of one step. After every step.
bool cd_singular_events_is_stalled(cd_singular_events* p, const cd_ode_system* system, double from, double t);

// At the end x of the step, or inside it, after accelerations there: events since the last look, in the order of time.
// in.at is not needed.
void cd_singular_events_update(cd_singular_events* p, cd_ode_system* system, cd_step_interior in,
                               const cd_ode_state* x);

// Velocities have jumped at x, and for a reason: what comes is compared with what follows from them.
void cd_singular_events_reset(cd_singular_events* p, const cd_ode_system* system, const cd_ode_state* x);

// ---- singular_location.c

// How firm the pose x is.
cardan_status cd_conditioning_at(cd_ode_system* system, const cd_ode_state* x);
// The same at the nearest pose on the constraints: beside them none is singular.
cardan_status cd_conditioning_on_constraints(cd_ode_system* system, const cd_ode_state* x);
// At a singular pose itself rows contradict each other: that is a look, too.
bool cd_conditioning_is_known(const cd_ode_system* system, cardan_status status);
// Where s of a group passes zero between two looks, of which the last one was `behind`: the least s that is found, its
// time, and the state there in in.at.
double cd_singular_crossing_locate(cd_ode_system* system, cd_step_interior in, int group, cd_sigma_point first,
                                   cd_sigma_point last, double* t);
