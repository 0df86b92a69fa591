// SPDX-License-Identifier: BSD-3-Clause
// Mobility of a point for users, and the grab of a point.
//
// Values of a grab that are not given are chosen from the mobility W: the point shows the mass m = 1 / (largest
// eigenvalue of W) in the direction in which it moves most easily; k = m w^2, c = 2 m w there are an oscillator of
// frequency w with critical damping. So mechanisms of any mass respond alike.
#include "core/check_arguments.h"
#include "dynamics/forces.h"
#include "dynamics/inputs/point_mobility.h"
#include "dynamics/rank/robust_solve.h"
#include "dynamics/state.h"
#include "explain/explain.h"
#include "math/finite.h"
#include "math/pi.h"

#include <cardan/interact.h>
#include <math.h>

static const double grab_frequency   = 2 * CD_PI * 2.5; // [rad/s] w
static const double force_in_weights = 20;              // default of the largest force
static const double standard_gravity = 9.80665;         // [m/s^2]
static const double immobile = 1e-9; // a point whose mobility is less, times the mass of all bodies, cannot move

static void to_link_frame(const cd_link_frame* body, const double point[3], double at_link[3])
{
    const vec3 p = v3_add(v3_const(body->p), m3_mul(m3_const(body->R), v3_const(point)));
    at_link[0] = p.x, at_link[1] = p.y, at_link[2] = p.z;
}

// Mobility at the state; the factor is that of the accelerations there.
static cardan_status mobility(cardan_data* d, int link, const double point[3], double W[9], cardan_report* report)
{
    cd_failure    failure;
    cardan_status status = CARDAN_OK;
    if (!d->valid.factor || d->blocked.rows_not_stored)
        status = cd_accelerate_robust(d, d->scratch.impulse, NULL, &failure);
    if (status != CARDAN_OK) return report ? cd_explain_acceleration(d, &failure, report) : status;
    status = cd_point_mobility(d, link, point, W);
    if (status == CARDAN_OK) return CARDAN_OK;
    return cardan_fail(report, status, CARDAN_CODE_SOLVE_NOT_CONVERGED, cardan_location_none(),
                       "at t = %g s '%s' cannot solve for the mobility of a point of '%s': %s", d->t,
                       d->formulation->name, d->m->view.name, cardan_status_text(status));
}

static cardan_status fail_without_formulation(const cardan_data* d, cardan_report* report)
{
    return cardan_fail(report, CARDAN_BAD_USAGE, CARDAN_CODE_INVALID_ARGUMENT, cardan_location_none(),
                       "the data of '%s' have no formulation", d->m->view.name);
}

cardan_status cardan_point_mobility(cardan_data* d, int body, const double point[3], double W[9], cardan_report* report)
{
    double at_link[3];
    CD_REQUIRE_POINTER(d, "data", report);
    CD_REQUIRE_INDEX(body, d->m->nbody, "body", report);
    CD_REQUIRE_POINTER(point, "point", report);
    CD_REQUIRE_POINTER(W, "W", report);
    if (!cd_all_finite(3, point)) return cd_fail_not_finite(report, __func__, "point");
    if (!d->formulation) return fail_without_formulation(d, report);
    to_link_frame(&d->m->body[body], point, at_link);
    return mobility(d, d->m->body[body].link, at_link, W, report);
}

static double total_mass(const cardan_model* m)
{
    double mass = 0;
    for (int i = 0; i < m->nlink; ++i) mass += m->link[i].m;
    return mass;
}

static double default_max_force(const cardan_model* m)
{
    const double* g       = m->view.gravity;
    const double  gravity = sqrt(g[0] * g[0] + g[1] * g[1] + g[2] * g[2]), mass = total_mass(m);
    return mass > 0 ? force_in_weights * mass * (gravity > 0 ? gravity : standard_gravity) : INFINITY;
}

// Choose the stiffness and damping that are not given.
static cardan_status choose_values(cardan_data* d, cd_grab* g, cardan_report* report)
{
    double W[9];
    if (g->stiffness > 0 && g->damping > 0) return CARDAN_OK;
    const cardan_status status = mobility(d, g->link, g->point, W, report);
    if (status != CARDAN_OK) return status;
    const double eigenvalue = cd_largest_eigenvalue_3x3(W), total = total_mass(d->m);
    const double mass = eigenvalue * total > immobile || (total == 0 && eigenvalue > 0) ? 1 / eigenvalue : total;
    if (g->stiffness == 0) g->stiffness = mass * grab_frequency * grab_frequency;
    if (g->damping == 0) g->damping = 2 * sqrt(g->stiffness * mass);
    return CARDAN_OK;
}

// Name of an invalid member, or NULL.
static const char* invalid_member(const cardan_grab* g)
{
    if (!cd_all_finite(3, g->point)) return "point";
    if (!cd_all_finite(3, g->target)) return "target";
    if (!cd_all_finite(3, g->target_rate)) return "target_rate";
    if (!(g->stiffness >= 0 && isfinite(g->stiffness))) return "stiffness";
    if (!(g->damping >= 0 && isfinite(g->damping))) return "damping";
    return g->max_force >= 0 ? NULL : "max_force";
}

// Set a slot; an inactive grab releases it.
static void set_grab(cardan_data* d, int slot, const cd_grab* grab)
{
    d->external.grab[slot] = *grab;
    d->external.ngrab      = CARDAN_GRABS_MAX;
    while (d->external.ngrab > 0 && !d->external.grab[d->external.ngrab - 1].active) --d->external.ngrab;
    ++d->external.input_revision;
    d->valid.forces = d->valid.solution = d->reactions.limit.valid = false;
}

cardan_status cardan_data_release_grab(cardan_data* d, int slot, cardan_report* report)
{
    CD_REQUIRE_POINTER(d, "data", report);
    CD_REQUIRE_INDEX(slot, CARDAN_GRABS_MAX, "slot", report);
    if (d->external.grab[slot].active) set_grab(d, slot, &(cd_grab){0});
    return CARDAN_OK;
}

cardan_status cardan_data_grab(cardan_data* d, const cardan_grab* grab, cardan_report* report)
{
    CD_REQUIRE_POINTER(d, "data", report);
    if (!grab) {
        for (int i = 0; i < CARDAN_GRABS_MAX; ++i)
            if (d->external.grab[i].active) set_grab(d, i, &(cd_grab){0});
        return CARDAN_OK;
    }
    CD_REQUIRE_INDEX(grab->slot, CARDAN_GRABS_MAX, "grab->slot", report);
    CD_REQUIRE_INDEX(grab->body, d->m->nbody, "grab->body", report);
    const char* invalid = invalid_member(grab);
    if (invalid)
        return cardan_fail(report, CARDAN_BAD_USAGE, CARDAN_CODE_INVALID_ARGUMENT, cardan_location_none(),
                           "the grab of body '%s' has an invalid value: '%s' is negative or not finite",
                           d->m->view.body[grab->body].name, invalid);
    if (!d->formulation) return fail_without_formulation(d, report);
    cd_grab g = {.active    = true,
                 .body      = grab->body,
                 .link      = d->m->body[grab->body].link,
                 .t_start   = d->t,
                 .stiffness = grab->stiffness,
                 .damping   = grab->damping,
                 .max_force = grab->max_force > 0 ? grab->max_force : default_max_force(d->m)};
    to_link_frame(&d->m->body[grab->body], grab->point, g.point);
    for (int i = 0; i < 3; ++i) g.target[i] = grab->target[i], g.target_rate[i] = grab->target_rate[i];
    const cardan_status status = choose_values(d, &g, report);
    if (status == CARDAN_OK) set_grab(d, grab->slot, &g);
    return status;
}

cardan_status cardan_data_grab_force(cardan_data* d, int slot, double force[3], double point[3])
{
    CD_REQUIRE_POINTER(d, "data", NULL);
    CD_REQUIRE_INDEX(slot, CARDAN_GRABS_MAX, "slot", NULL);
    cd_grab_load load = {v3_zero(), v3_zero()};
    if (d->external.grab[slot].active) {
        cd_update_world(d);
        load = cd_grab_evaluate(&d->external.grab[slot], d->t, &d->world);
    }
    if (force) force[0] = load.force.x, force[1] = load.force.y, force[2] = load.force.z;
    if (point) point[0] = load.point.x, point[1] = load.point.y, point[2] = load.point.z;
    return CARDAN_OK;
}

bool cardan_data_get_grab(const cardan_data* d, int slot, cardan_grab* grab)
{
    if (!d || !grab || slot < 0 || slot >= CARDAN_GRABS_MAX || !d->external.grab[slot].active) return false;
    const cd_grab*       g    = &d->external.grab[slot];
    const cd_link_frame* body = &d->m->body[g->body];
    const vec3           p    = m3_tmul(m3_const(body->R), v3_sub(v3_const(g->point), v3_const(body->p)));
    *grab                     = (cardan_grab){.body      = g->body,
                                              .point     = {p.x, p.y, p.z},
                                              .stiffness = g->stiffness,
                                              .damping   = g->damping,
                                              .max_force = g->max_force,
                                              .slot      = slot};
    for (int i = 0; i < 3; ++i) {
        grab->target[i]      = g->target[i] + (d->t - g->t_start) * g->target_rate[i];
        grab->target_rate[i] = g->target_rate[i];
    }
    return true;
}
