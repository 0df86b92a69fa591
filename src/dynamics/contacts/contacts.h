// SPDX-License-Identifier: BSD-3-Clause
// Rigid contacts in the equations of motion, with given states. Theory: docs/theory/contact.md.
//
//   M a + J'lambda - Jc'p = r,   J a = gamma,   u' = Jc a - gamma_c,     p by the states of the contacts:
//
//   open   p = 0                     stick  u' = 0                slip   u_n' = 0,  p_t = -mu(|u_t|) p_n s
//
// The formulation factors the bilateral rows J only. Contacts enter by their Delassus matrix W = Jc X (formulation/
// delassus.h): a = a_0 + X'p, u' = W p + Jc a_0 - gamma_c. Redundant contact rows are decided in this small dense problem (least
// norm), never by the formulation. A model without contacts has d->contacts NULL.
//
// Contacts are numbered 0 .. count - 1: first the contact points of the set (contact/scene), then limits of joints that are
// rigid stops, then joints with dry friction that sticks. Limits and joint friction are always listed; points come and go with
// cd_contacts_search. The caller sets the states; cd_accelerate then applies them.
#pragma once

#include "constraint/constraint_set.h"
#include "contact/scene/contact_scene.h"
#include "dynamics/contacts/rigid_contacts.h"
#include "formulation/delassus.h"
#include "impact/contact_solve.h"
#include "impact/contact_states.h"
#include "impact/impact_law.h"

#include <cardan/dynamics.h>

struct cardan_data;

// A unilateral limit, or dry friction, of a joint coordinate x.
typedef struct cd_axis_contact {
    cd_contact_element_kind kind; // CD_ELEMENT_LIMIT, CD_ELEMENT_FRICTION
    int                     joint, axis;
    int                     row;                    // of the axis rows (cd_contacts.axes)
    int                     side;                   // LIMIT: +1 upper, -1 lower limit; u = -side x'
    double                  limit;                  // LIMIT [m, rad]
    double                  restitution;            // LIMIT
    double static_friction[2], kinetic_friction[2]; // FRICTION [N, N m] for x' > 0, x' < 0; with the part by load
    double load;                                    // FRICTION [N] reaction force of the joint
    // state
    double          gap, rate; // LIMIT: distance to the limit; u: rate of the gap, or x' of friction
    cd_contact_mode mode;
    double          direction; // FRICTION that slips: sign of x'
    double          force;     // along u, of the last solve: LIMIT >= 0; FRICTION: on the joint
    double          impulse;
} cd_axis_contact;

enum { CD_CONTACT_ROWS_MAX = 6 };

// Results for one contact at the state, rows (n, t1, t2) or (n, t1, t2, spin, roll1, roll2); one row of limits and friction.
typedef struct cd_contact_motion {
    cd_contact_element_kind kind; // CD_ELEMENT_POINT, CD_ELEMENT_LIMIT, CD_ELEMENT_FRICTION
    int                     nrow;
    double                  gap;                           // [m] or [rad]; 0 for friction
    double                  velocity[CD_CONTACT_ROWS_MAX]; // u
    // after accelerations, zeros for open contacts
    double acceleration[CD_CONTACT_ROWS_MAX]; // u'
    double force[CD_CONTACT_ROWS_MAX];        // p
    bool   is_unique;                         // the force is determined
} cd_contact_motion;

// How an element enters the law of accelerations, by its velocities and the last solution (contact_complementarity.c).
typedef struct cd_contact_choice {
    bool separates, slides, spins, rolls; // u_n > 0; u_t, spin, rolling rate not zero
    bool slipped;                         // at rest, but the law with the static coefficient does not hold it
} cd_contact_choice;

// Memory and results of contact problems. Elements: the closed contacts in their order, with their rows.
typedef struct cd_contacts {
    cd_contact_set    set;
    cd_constraint_set axes; // rows of the coordinates with limits or friction
    int               naxis;
    cd_axis_contact*  axis;

    // Scale of relative velocities [m/s], of tolerances and of the direction of slip: the largest at contacts so far. The caller
    // may raise it.
    double velocity_scale;
    double fastest_approach; // [m/s] in impacts so far

    // what belongs to the state
    bool geometry_valid, open_geometry_valid, rows_valid, velocity_valid, delassus_valid, forces_valid;

    // rows of the closed contacts
    int                 nrow, nelement, row_capacity, element_capacity;
    bool                overflow;   // more closed contacts than their problem has room for
    int*                contact_of; // (nelement) contact of each element
    cd_contact_element* element;
    cd_element_state*   element_state;   // by the states of the contacts
    cd_row_block*       block;           // (nelement)
    spatial*            G;               // (row_capacity x 2)
    int *               link, *v;        // (element_capacity x 2), (element_capacity x nv)
    double*             J;               // (row_capacity x nv)
    double *            bias, *velocity; // (row_capacity) u' = Jc a + bias, u = Jc v
    double*             W;               // (nrow x nrow) Delassus matrix

    // rows whose responses are computed (contact_response.c)
    int              nbasis, nbasis_block;
    cd_row_block*    basis;                      // (nbasis_block)
    cd_delassus_work delassus;                   // responses and matrix of these rows
    int *            basis_of, *rows_of_links;   // (nelement) block of the element
    bool*            is_combined;                // (nelement) the block is the twist of its links
    double *         T, *basis_J, *basis_vector; // (row_capacity x 6), (row_capacity x nv), (row_capacity)

    double *            q, *p, *u;               // (row_capacity) u = W p + q
    bool*               is_unique;               // (nelement)
    double              residual;                // of the last problem, inconsistency of the last states
    double              scale;                   // of the accelerations in it [m/s^2]
    int                 determinant;             // of the last states: negative in Painleve's configurations
    cd_contact_choice*  choice;                  // (element_capacity)
    cd_contact_element* law_element;             // (3 x element_capacity) elements of the law, or rows of a correction
    int*                law_of;                  // (element_capacity) element of the law, or CARDAN_NONE
    bool*               law_unique;              // (element_capacity)
    cd_element_state*   free_state;              // (3 x element_capacity) zeros
    double *            q0, *lag, *applied_lag;  // (row_capacity) right side, and forces of known direction in it
    double*             acceleration;            // (nv)
    bool                has_load_friction;       // friction of a joint depends on its load
    double *free_acceleration, *free_multiplier; // (nv), (solver_rows.nrow) without contacts, kept in that iteration
    cd_states_work*  states_work;
    cd_contact_work* cone_work;
    cd_impact_work*  impact_work;
    double*          restitution; // (nelement)
} cd_contacts;

// ---- creation: contacts.c. A model without rigid contacts has d->contacts NULL.
// Lay out the members of *c; call it twice, to measure and to assign, then cd_contacts_init.
void cd_contacts_layout(const cardan_model* m, const cd_rows* rows, cd_arena* arena, cd_contacts* c);
void cd_contacts_init(struct cardan_data* d);
// The state of the data changed: its positions, or its velocities only.
static inline void cd_contacts_invalidate(cd_contacts* c, bool velocities_only)
{
    c->velocity_valid = c->forces_valid = false;
    if (velocities_only) return;
    c->geometry_valid = c->open_geometry_valid = c->rows_valid = c->delassus_valid = false;
}

// ---- geometry and velocities
// Find the contact points at the state (cd_contact_set_search); the number and order of contacts change. margin 0: chosen.
void cd_contacts_search(struct cardan_data* d, double margin);
int  cd_contacts_count(const struct cardan_data* d); // 0 without contacts
// The record of contact i, if it is a point (else NULL), or an axis contact (else NULL).
cd_contact*      cd_contacts_point(struct cardan_data* d, int i);
cd_axis_contact* cd_contacts_axis(struct cardan_data* d, int i);
cd_contact_mode  cd_contacts_mode(const struct cardan_data* d, int i);
// Set the state of contact i; of an axis contact the mode, and with SLIP the sign of direction[0].
void cd_contacts_set_state(struct cardan_data* d, int i, const cd_contact_state* state);
// Mark the states as changed: call it after states were set.
void cd_contacts_changed(struct cardan_data* d);
// Gap and relative velocity of contact i, open or closed, at the state; number and order of contacts remain.
cd_contact_motion cd_contacts_velocity(struct cardan_data* d, int i);
// The same, with force and acceleration of the last accelerations.
cd_contact_motion cd_contacts_motion(struct cardan_data* d, int i);
// Coefficient of friction while sliding with this speed.
double cd_contact_friction_at(const cd_contact_properties* p, double speed);

// ---- accelerations
// After accelerations a and multipliers without contacts were solved: apply the closed contacts by their states. Called by
// cd_accelerate_robust. CARDAN_NOT_CONVERGED: no force satisfies the states (Painleve's configuration).
cardan_status cd_contacts_accelerate(struct cardan_data* d, double* a);
// Add the wrenches of contact forces on links (world axes, at the origins of links).
void cd_contacts_add_wrenches(struct cardan_data* d, spatial* wrench);
// x (nv) -= Jc'p of the last accelerations.
void cd_contacts_subtract_efforts(const struct cardan_data* d, double* x);
// Power of the contact forces on the mechanism [W]: negative by friction.
double cd_contacts_power(struct cardan_data* d);

// ---- events
// Solve the acceleration problem over all closed contacts by Coulomb's law and set their states: contacts at rest (|u_t| <=
// tolerance) open, stick or begin to slip; those that slip keep their direction, or open. Contacts with u_n > tolerance open.
// a (nv; or NULL): the accelerations. *problem: CD_CONTACT_INFEASIBLE: Painleve's configuration, states are not changed.
cardan_status cd_contact_complementarity(struct cardan_data* d, double velocity_tolerance, double* a,
                                         cd_contact_status* problem);

typedef struct cd_contact_impact_result {
    cd_contact_status status;
    double            energy_lost;      // [J]
    double            largest_approach; // [m/s] largest u_n- of approach
    double            residual;         // of the law [m/s]
    double            restitution;      // factor that was applied to e so that energy does not rise; 1: none
    cardan_impact_law law;              // that was used
    int               iterations;       // of the law
    bool              is_unique;        // all impulses
} cd_contact_impact_result;
// Velocities after an impact at all contacts that are not open (states STICK or SLIP; the caller closes those that touch):
// sets v of the data, and `impulse` of the records. inelastic: restitution 0. States are not changed.
cardan_status cd_contact_impact(struct cardan_data* d, cardan_impact_law law, bool inelastic,
                                cd_contact_impact_result* result);

// Correct the state: gaps of closed contacts to zero, with the constraints, in the mass metric; then u_n, and u_t of contacts that
// stick. Redundant contacts share what contradicts. *gap, *velocity: largest that remain. The state of the data is changed.
cardan_status cd_contact_correct(struct cardan_data* d, double* gap, double* velocity);
