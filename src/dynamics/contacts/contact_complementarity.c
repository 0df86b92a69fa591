// SPDX-License-Identifier: BSD-3-Clause
// States of the closed contacts from Coulomb's law for accelerations, at an event: contacts at rest satisfy the cone law
// with u' in place of u, contacts that slide have a fixed direction of friction (impact/contact_problem.h).
//
// Static and kinetic friction: contacts at rest are solved with the static coefficient; where u_t' is not zero, the
// contact slips, and the problem is solved again with its kinetic coefficient, which determines the direction. Moments
// of spinning and rolling friction in motion, and kinetic friction of joints, have a known direction; they are
// proportional to p_n and enter the right side, by a fixed-point iteration.
#include "dynamics/contacts/axis_loads.h"
#include "dynamics/contacts/contact_rows.h"
#include "dynamics/contacts/contacts_tolerances.h"
#include "dynamics/rank/robust_solve.h"
#include "math/norm_inf.h"

#include <math.h>
#include <string.h>

enum { LAG_ITERATIONS = 30, PASSES = 4 };

typedef cd_contact_choice choice;

static bool is_moving(double velocity, double tolerance) { return fabs(velocity) > tolerance; }

// What the velocities of the element decide.
static choice choose(const cd_contacts* c, int e, double tolerance)
{
    const cd_contact_element* element = &c->element[e];
    const double*             u       = c->velocity + element->row;
    choice                    x       = {.separates = element->kind != CD_ELEMENT_FRICTION && u[0] > tolerance};
    if (element->kind == CD_ELEMENT_FRICTION) x.slides = is_moving(u[0], tolerance);
    if (element->kind != CD_ELEMENT_POINT) return x;
    x.slides = is_moving(hypot(u[1], u[2]), tolerance);
    x.spins  = element->nrow == 6 && element->spinning > 0 && is_moving(u[3], tolerance);
    x.rolls  = element->nrow == 6 && element->rolling > 0 && is_moving(hypot(u[4], u[5]), tolerance);
    return x;
}

// The element of the law for the choice; false: it is not in the problem. Friction of a joint that slides is in the right
// side.
static bool law_element(cardan_data* d, int e, choice x, cd_contact_element* law)
{
    const cd_contacts* c     = d->contacts;
    const cd_contact*  point = cd_contacts_point(d, c->contact_of[e]);
    const double*      u     = c->velocity + c->element[e].row;
    *law                     = c->element[e];
    if (x.separates || (law->kind == CD_ELEMENT_FRICTION && x.slides)) return false;
    if (law->kind == CD_ELEMENT_FRICTION) {
        const cd_axis_contact* axis = cd_contacts_axis(d, c->contact_of[e]);
        const int              side = c->q0[law->row] < 0;
        law->bound                  = x.slipped ? axis->kinetic_friction[side] : axis->static_friction[side];
    }
    if (!point) return true;
    if (x.slides) {
        law->kind = CD_ELEMENT_SLIDING;
        law->nrow = 3;
        law->mu   = cd_contact_friction_at(point->properties, hypot(u[1], u[2]));
        cd_contact_slip_direction(c, point, u + 1, law->direction);
        return true;
    }
    law->mu = x.slipped ? cd_contact_friction_at(point->properties, 0) : point->properties->static_friction;
    if (x.spins) law->spinning = 0;
    if (x.rolls) law->rolling = 0;
    return true;
}

// Forces of known direction: moments of elements that spin or roll, kinetic friction of joints.
static void lagged_forces(cardan_data* d, const double* p, double* lag)
{
    const cd_contacts* c = d->contacts;
    memset(lag, 0, (size_t)c->nrow * sizeof *lag);
    for (int e = 0; e < c->nelement; ++e) {
        const cd_contact_element* element = &c->element[e];
        const cd_axis_contact*    axis    = cd_contacts_axis(d, c->contact_of[e]);
        const choice              x       = c->choice[e];
        const double*             u       = c->velocity + element->row;
        double*                   own     = lag + element->row;
        if (x.separates) continue;
        if (axis && x.slides) own[0] = u[0] > 0 ? -axis->kinetic_friction[0] : axis->kinetic_friction[1];
        if (x.spins) own[3] = -copysign(element->spinning * p[element->row], u[3]);
        if (!x.rolls) continue;
        const double roll = hypot(u[4], u[5]);
        for (int k = 4; k < 6; ++k) own[k] = -element->rolling * p[element->row] * u[k] / roll;
    }
}

// Largest change of the accelerations by a change of these forces.
static double lag_change(const cd_contacts* c)
{
    double change = 0;
    for (int r = 0; r < c->nrow; ++r)
        change = fmax(change, fabs(c->lag[r] - c->applied_lag[r]) * c->W[r * (c->nrow + 1)]);
    return change;
}

// Solve the n elements of the law, with the forces `applied_lag` in the right side; c->p: all forces.
static cd_contact_status solve_with_lag(cd_contacts* c, int n)
{
    const double* lag = c->applied_lag;
    memcpy(c->q, c->q0, (size_t)c->nrow * sizeof *c->q);
    for (int r = 0; r < c->nrow; ++r)
        for (int k = 0; k < c->nrow; ++k) c->q[r] += c->W[r * c->nrow + k] * lag[k];
    const cd_contact_problem problem  = {c->nrow, n, c->W, c->q, c->law_element, c->scale};
    cd_contact_solution      solution = {.p = c->p, .u = c->u, .is_unique = c->law_unique};
    const cd_contact_status  status   = cd_contact_solve(&problem, c->cone_work, &solution, cd_cone_law_tolerance);
    c->residual                       = solution.residual;
    return status;
}

// Solve the law for the choices. c->p: forces, with those of known direction; c->u: accelerations.
static cd_contact_status solve_law(cardan_data* d)
{
    cd_contacts*      c      = d->contacts;
    cd_contact_status status = CD_CONTACT_SOLVED;
    int               n      = 0;
    for (int e = 0; e < c->nelement; ++e) {
        c->law_of[e] = CARDAN_NONE;
        if (law_element(d, e, c->choice[e], &c->law_element[n])) c->law_of[e] = n++;
    }
    memset(c->p, 0, (size_t)c->nrow * sizeof *c->p);
    lagged_forces(d, c->p, c->applied_lag);
    for (int i = 0; i < LAG_ITERATIONS; ++i) {
        status = solve_with_lag(c, n);
        lagged_forces(d, c->p, c->lag);
        const bool settled = !(lag_change(c) > cd_cone_law_tolerance * c->scale);
        if (settled || status == CD_CONTACT_INFEASIBLE || i + 1 == LAG_ITERATIONS) break;
        memcpy(c->applied_lag, c->lag, (size_t)c->nrow * sizeof *c->lag);
    }
    for (int r = 0; r < c->nrow; ++r) c->p[r] += c->applied_lag[r];
    for (int e = 0; e < c->nelement; ++e) c->is_unique[e] = c->law_of[e] == CARDAN_NONE || c->law_unique[c->law_of[e]];
    return status;
}

// Whether the friction of a point at rest is at its limit, or its acceleration shows that it slips. Friction of redundant
// points may be at the limit of single ones without slip.
static bool begins_to_slip(const cd_contacts* c, int e, double mu)
{
    const int     r = c->element[e].row;
    const double *p = c->p + r, *u = c->u + r;
    const double  friction = hypot(p[1], p[2]);
    return hypot(u[1], u[2]) > cd_contact_acceleration_zero * c->scale ||
           (c->is_unique[e] && mu > 0 && p[0] > 0 && friction >= mu * p[0] * (1 - cd_contact_acceleration_zero));
}

static void to_world(const cd_contact* c, double t1, double t2, double x[3])
{
    for (int i = 0; i < 3; ++i) x[i] = t1 * c->tangent[0][i] + t2 * c->tangent[1][i];
}

// Direction of an acceleration, or opposite to the friction at its limit, or of the first tangent.
static void slip_direction(const double* u, const double* p, double zero, double direction[2])
{
    const double a = hypot(u[0], u[1]), f = hypot(p[0], p[1]);
    for (int k = 0; k < 2; ++k) direction[k] = a > zero ? u[k] / a : f > 0 ? -p[k] / f : k == 0;
}

static void set_point_state(const cd_contacts* c, int e, cd_contact* point)
{
    const int         r = c->element[e].row;
    const double *    u = c->velocity + r, *a = c->u + r, *p = c->p + r, zero = cd_contact_acceleration_zero * c->scale;
    const choice      x = c->choice[e];
    double            direction[2];
    cd_contact_state* s      = &point->state;
    const bool        loaded = p[0] * c->W[r * (c->nrow + 1)] > cd_contact_force_zero * c->scale;
    if (x.separates || (!loaded && a[0] > zero)) {
        s->mode = CD_CONTACT_OPEN;
        return;
    }
    s->mode = x.slides || x.slipped || !(point->properties->static_friction > 0) ? CD_CONTACT_SLIP : CD_CONTACT_STICK;
    if (x.slides)
        cd_contact_slip_direction(c, point, u + 1, direction);
    else
        slip_direction(a + 1, p + 1, zero, direction);
    if (s->mode == CD_CONTACT_SLIP) to_world(point, direction[0], direction[1], s->direction);
    if (c->element[e].nrow < 6) return;
    const double spin_limit = point->properties->spinning * p[0] * (1 - cd_contact_acceleration_zero),
                 roll_limit = point->properties->rolling * p[0] * (1 - cd_contact_acceleration_zero);
    s->spins                = x.spins || fabs(p[3]) >= spin_limit;
    s->rolls                = x.rolls || hypot(p[4], p[5]) >= roll_limit;
    s->spin_direction       = x.spins ? copysign(1, u[3]) : fabs(a[3]) > zero ? copysign(1, a[3]) : -copysign(1, p[3]);
    if (x.rolls) {
        const double size = hypot(u[4], u[5]);
        to_world(point, u[4] / size, u[5] / size, s->roll_direction);
    } else {
        slip_direction(a + 4, p + 4, zero, direction);
        to_world(point, direction[0], direction[1], s->roll_direction);
    }
}

static void set_axis_state(const cd_contacts* c, int e, cd_axis_contact* axis)
{
    const choice x = c->choice[e];
    const int    r = c->element[e].row;
    const double a = c->u[r], p = c->p[r], zero = cd_contact_acceleration_zero * c->scale;
    if (axis->kind == CD_ELEMENT_LIMIT) {
        const bool loaded = p * c->W[r * (c->nrow + 1)] > cd_contact_force_zero * c->scale;
        axis->mode        = x.separates || (!loaded && a > zero) ? CD_CONTACT_OPEN : CD_CONTACT_STICK;
        return;
    }
    axis->mode      = x.slides || x.slipped ? CD_CONTACT_SLIP : CD_CONTACT_STICK;
    axis->direction = x.slides ? copysign(1, c->velocity[r]) : fabs(a) > zero ? copysign(1, a) : -copysign(1, p);
}

// Whether an element at rest leaves it, by the last solution.
static bool leaves_rest(cardan_data* d, int e)
{
    const cd_contacts*        c       = d->contacts;
    const cd_contact_element* element = &c->element[e];
    const cd_contact*         point   = cd_contacts_point(d, c->contact_of[e]);
    if (point) return begins_to_slip(c, e, point->properties->static_friction);
    return element->kind == CD_ELEMENT_FRICTION && fabs(c->u[element->row]) > cd_contact_acceleration_zero * c->scale;
}

// Solve with the static coefficients, then again with the kinetic ones where contacts begin to slip.
static cd_contact_status solve_states(cardan_data* d)
{
    cd_contacts*      c       = d->contacts;
    choice*           x       = c->choice;
    cd_contact_status status  = CD_CONTACT_SOLVED;
    bool              changed = true;
    for (int pass = 0; changed && pass < PASSES; ++pass) {
        changed = false;
        status  = solve_law(d);
        if (status == CD_CONTACT_INFEASIBLE) return status;
        for (int e = 0; e < c->nelement; ++e) {
            if (x[e].separates || x[e].slides || x[e].slipped || !leaves_rest(d, e)) continue;
            x[e].slipped = changed = true;
        }
    }
    return status;
}

// Accelerations without contacts.
static cardan_status accelerate_without(cardan_data* d, double* a)
{
    cd_failure         failure;
    cd_contacts* const contacts = d->contacts;
    d->contacts                 = NULL;
    const cardan_status status  = cd_accelerate_robust(d, a, NULL, &failure);
    d->contacts                 = contacts;
    return status;
}

static void set_states(cardan_data* d)
{
    cd_contacts* c = d->contacts;
    for (int e = 0; e < c->nelement; ++e) {
        cd_contact* point = cd_contacts_point(d, c->contact_of[e]);
        if (point)
            set_point_state(c, e, point);
        else
            set_axis_state(c, e, cd_contacts_axis(d, c->contact_of[e]));
    }
}

// Solve for the forces of the closed contacts, again while friction by load changes, and add their effect to a.
static cardan_status solve_and_apply(cardan_data* d, double velocity_tolerance, double* a, cd_contact_status* problem)
{
    cd_contacts* c = d->contacts;
    cd_contacts_keep_free(d, a);
    for (int i = 0; i < CD_LOAD_ITERATIONS; ++i) {
        cd_contacts_restore_free(d, a);
        cd_contacts_set_right_side(d, a);
        memcpy(c->q0, c->q, (size_t)c->nrow * sizeof *c->q);
        for (int e = 0; e < c->nelement; ++e) c->choice[e] = choose(c, e, velocity_tolerance);
        *problem = solve_states(d);
        if (*problem == CD_CONTACT_INFEASIBLE) return CARDAN_OK;
        c->forces_valid = true;
        cd_contacts_store(d, c->p, false);
        cd_contacts_apply(d, c->p, a);
        if (!c->has_load_friction || !(cd_axis_loads_update(d, a) > cd_load_convergence)) break;
    }
    return CARDAN_OK;
}

cardan_status cd_contact_complementarity(cardan_data* d, double velocity_tolerance, double* a,
                                         cd_contact_status* problem)
{
    cd_contacts* c       = d->contacts;
    double*      result  = a ? a : c->acceleration;
    *problem             = CD_CONTACT_SOLVED;
    cardan_status status = accelerate_without(d, result);
    if (status != CARDAN_OK || !c) return status;
    cd_contacts_update_rows(d);
    if (c->overflow) return CARDAN_UNSUPPORTED;
    if (c->nelement > 0) status = cd_contacts_update_delassus(d);
    if (status != CARDAN_OK || c->nelement == 0) return status;
    status = solve_and_apply(d, velocity_tolerance, result, problem);
    if (*problem == CD_CONTACT_INFEASIBLE || status != CARDAN_OK) return status;
    set_states(d);
    cd_contacts_changed(d);
    return CARDAN_OK;
}
