// SPDX-License-Identifier: BSD-3-Clause
// Rigid contacts by events during a run. Theory: docs/theory/contact.md.
//
// A contact is open, sticks or slips (cd_contact_mode); spinning and rolling friction stick or slip for themselves. Within a
// step the states are frozen, as joint stops are (events.h): the equations are smooth, and the step keeps the order of its
// method. dynamics/contacts computes accelerations by these states. Where a state ceases to be valid is an event function
// (contact_events.h):
//
//   touch     gap of a point that is not in contact, or of a limit, falls through 0
//   force     margin of the forces: p_n, mu_s p_n - |p_t| of a contact that sticks, moments likewise. Where forces are
//             not unique, it is that of the most favourable ones
//   speed     u_t.s of a contact that slips, s = direction at the start of the step; rates of spin and rolling likewise
//   feature   other features of the shapes touch
//
// At an event (contact_transition.c): contacts whose gap is closed join, impacts change velocities (contact_collision.c),
// gaps and velocities of closed contacts are corrected, and the acceleration problem, a complementarity problem over all
// closed contacts, gives their next states. Without a solution (Painleve) an impact without collision follows. Ever
// shorter flights end at their limit (contact_bounces.c). Every start of the integrator passes through a transition, so
// contact states need not be saved: they are found again.
//
// Between events gaps, u_n, and u_t of contacts that stick are corrected as constraints are (cd_contact_stabilize). Steps are
// limited so that no pair of shapes can pass through each other between two times at which gaps are computed
// (contact_step_limit.c). A run without rigid contacts has none of this: the monitor does not apply to it.
#pragma once

#include "contact/scene/contact_scene.h"
#include "simulation/ode/ode_system.h"

typedef struct cd_simulation cd_simulation;

// What limits the validity of the state of a contact.
typedef enum cd_contact_change {
    CD_CHANGE_NONE,
    CD_CHANGE_LIFT, // normal force
    CD_CHANGE_SLIP, // friction at its limit
    CD_CHANGE_SPIN,
    CD_CHANGE_ROLL,
} cd_contact_change;

typedef struct cd_contact_margin {
    double            value; // [N], [N m] of friction moments divided by their lever arm; negative: not valid
    int               contact;
    cd_contact_change change;
} cd_contact_margin;

// Impacts of one contact that follow each other.
typedef struct cd_bounces {
    int      pair; // -1: not used; axis contacts: -2 - index
    uint64_t key;
    double   t, flight, ratio; // [s] last impact, time since the impact before it; its ratio to the one before
    int impacts, shrinking; // number of impacts; number of successive flights that were shorter than their predecessor
} cd_bounces;

// State of a contact before a transition.
typedef struct cd_contact_before {
    long             id; // as of `released`
    cd_contact_state state;
} cd_contact_before;

typedef struct cd_contact_run {
    cd_simulation* s;
    cd_contact_set probe;    // contact points at a state inside a step
    int            capacity; // of contacts
    double*        a;        // (nv) accelerations
    double*        saved_v;  // (nv)
    cd_contact_state*
            at_start;  // (capacity) states with directions at the start of the step, in the order of the contacts
    bool*   begins;    // (capacity) contacts that slip slowly at the start of the step and do not become slower
    double* gap_floor; // (capacity) [m] gap of an open contact at the start of the step, if negative: round-off
    cd_contact_before* before; // (capacity)
    int                nbefore;
    cd_bounces*        bounces;     // (capacity)
    double             length;      // [m] scale of gaps
    double             speed_scale; // [m/s] of the mechanism: sqrt(g length)
    double             force_scale; // [N] largest contact force so far
    double             fastest;     // [m/s] largest approach speed so far
    double             step_limit;  // [s] from the end of the last step
    bool               is_settled;  // the states are those of settled_t
    double             settled_t;
    double             burst_t; // [s] first of the transitions that follow each other at once
    int                burst;   // their number
    long* released; // (capacity) contacts that open or slip in this transition: id of the record, axis: -2 - index
    int   nreleased;
    bool  reverses; // the event is that of a speed
    // statistics
    double accounted_t;  // [s] up to which losses and contact times are summed
    double contact_time; // [s] sum of durations of closed contacts
    double start_t;
} cd_contact_run;

// Transition at x, to which the data need not be set; x gets the velocities behind it. Contacts whose forces have at most the
// margin `limit` [N] open or slip. is_start: changes are not reported as events.
cardan_status cd_contact_transition(cd_contact_run* run, cd_ode_state* x, double limit, bool is_start);
// Event at x of this event function (contact_events.h).
cardan_status cd_contact_cross_event(cd_contact_run* run, int function, cd_ode_state* x);
// Keep what the event functions of the next step need; the data are at its start.
void cd_contact_begin_step(cd_contact_run* run);
// Correct x: gaps and velocities of closed contacts.
cardan_status cd_contact_stabilize(cd_contact_run* run, cd_ode_state* x, cardan_report* report);

// ---- contact_modes.c
// Set the mode of contact i; cd_contacts_changed follows.
void cd_contact_set_mode(cardan_data* d, int i, cd_contact_mode mode);
// Scale of velocities [m/s]: those below cd_contact_rest_speed of it are zero.
double cd_contact_speed_scale(const cd_contact_run* run);

// ---- contact_margin.c
// Least margin of the forces of the accelerations solved at the state of the data; value INFINITY: no contact is closed.
cd_contact_margin cd_contact_force_margin(cardan_data* d);
// Margin of one contact with these forces; INFINITY if it is open.
cd_contact_margin cd_contact_own_margin(cardan_data* d, int contact);

// ---- contact_collision.c
// Impact at all closed contacts at the state of the data, if one of them approaches; sets the data and x to the velocities
// behind it. *happened: velocities have jumped.
cardan_status cd_contact_run_impact(cd_contact_run* run, cd_ode_state* x, bool* happened);
// Impact without collision, where accelerations do not exist.
cardan_status cd_contact_run_jam(cd_contact_run* run, cd_ode_state* x);
// Set the modes of all closed contacts from their velocities behind an impact.
void cd_contact_modes_by_velocity(cd_contact_run* run);
void cd_contact_mode_by_velocity(cd_contact_run* run, int contact);

// ---- contact_bounces.c
// An approach of contact i at time t with this speed: whether it is to be inelastic. *ends: its bounces end, by their limit.
bool cd_bounces_add(cd_contact_run* run, int contact, double t, double speed, cd_bounces* ends);

// ---- contact_step_limit.c
double cd_contact_step_limit(cd_contact_run* run);

// ---- contact_start.c
// Refuse a start at which shapes overlap; the data are at the state.
cardan_status cd_contact_check_start(cd_contact_run* run);
// Refuse an integrator that cannot follow rigid contacts.
cardan_status cd_contact_check_integrator(const cardan_data* d, int integrator, cardan_report* report);

// ---- contact_text.c
// "'ball' and ground", "the stop of joint 'hinge'"
void            cd_contact_names(cardan_data* d, int contact, char* text, size_t size);
void            cd_contact_bodies(cardan_data* d, int contact, int body[2]);
cardan_location cd_contact_location(cardan_data* d, int contact);
