// SPDX-License-Identifier: BSD-3-Clause
// Suspension studies: create a study, solve for its design configuration and check it there.
#include "analysis/suspension/suspension_study.h"
#include "analysis/analysis_tolerances.h"

#include "core/check_arguments.h"
#include "dynamics/state.h"
#include "math/quaternion.h"
#include "model/check/check_description.h"
#include "model/reaction_signals.h"

#include <cardan/kinematics.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

const cardan_suspension* cardan_suspension_study_suspension(const cardan_suspension_study* s)
{
    return s ? s->suspension : NULL;
}
int cardan_suspension_study_wheel_side(const cardan_suspension_study* s, int wheel)
{
    return s && cd_is_index(wheel, s->suspension->nwheel) ? s->wheel[wheel].side : 0;
}

void cardan_suspension_study_destroy(cardan_suspension_study* s)
{
    if (!s) return;
    cd_quasi_static_destroy(s->equilibrium);
    cardan_data_destroy(s->data);
    cardan_model_destroy(s->model);
    void* const all[] = {s->is_ignored, s->wheel, s->q, s->q_design, s->driver_motion, s->motion, s->marker_jacobian};
    for (size_t i = 0; i < sizeof all / sizeof *all; ++i) free(all[i]);
    free(s);
}

bool cd_suspension_solve(cardan_suspension_study* s, const double* value, double max_distance, double* moved)
{
    for (int i = 0; i < s->ndriver; ++i) {
        const bool   wheel           = i < s->suspension->nwheel;
        const double driver_value[3] = {value[i], 0, 0};
        cardan_data_set_driver(s->data, wheel ? s->wheel[i].driver : s->steering_driver, driver_value);
    }
    return cd_quasi_static_solve(s->equilibrium, s->q, max_distance, moved);
}

void cd_suspension_compute_tangents(cardan_suspension_study* s)
{
    double unfollowed;
    for (int i = 0; i < s->ndriver; ++i)
        cd_quasi_static_tangent(s->equilibrium, i < s->suspension->nwheel ? s->wheel[i].row : s->steering_row,
                                s->driver_motion + (size_t)i * (size_t)s->model->nv, &unfollowed);
}

// A joint with one axis is more informative than a spherical joint, so it is preferred if it moves.
const char* cd_suspension_fastest_joint(cardan_suspension_study* s, const double* t)
{
    cardan_data* d       = s->data;
    double       most[2] = {-1, cd_carrier_motion_tolerance}, q[CARDAN_JOINT_VELOCITIES_MAX + 1],
           v[CARDAN_JOINT_VELOCITIES_MAX];
    int best[2] = {0, -1};
    cd_data_set_velocity(d, t);
    for (int j = 0; j < s->model->njoint; ++j) {
        if (s->model->joint_range[j].q < 0) continue;
        cardan_data_joint_state(d, j, q, v);
        const int is_single_axis = s->model->joint_range[j].nv == 1;
        for (int i = 0; i < s->model->joint_range[j].nv; ++i) {
            const bool   is_rotation = cd_joint_velocity_is_rotation(s->model, j, i);
            const double speed       = fabs(v[i]) / (is_rotation ? 1 : d->units.length_scale);
            if (speed <= most[is_single_axis] * cd_tie_factor) continue;
            most[is_single_axis] = speed;
            best[is_single_axis] = j;
        }
    }
    cd_data_set_velocity(d, d->scratch.zero_nv);
    return cardan_model_joint_name(s->model, best[1] >= 0 ? best[1] : best[0]);
}

// ---- checks in the design configuration

static const char* chassis_name(const cardan_suspension_study* s)
{
    return s->suspension->chassis < 0 ? "ground" : s->view.body[s->suspension->chassis].name;
}

static cardan_status check_drivers_followed(cardan_suspension_study* s, cardan_report* report)
{
    for (int i = 0; i < s->ndriver; ++i) {
        const bool wheel = i < s->suspension->nwheel;
        double     unfollowed;
        cd_quasi_static_tangent(s->equilibrium, wheel ? s->wheel[i].row : s->steering_row, s->motion, &unfollowed);
        if (unfollowed < cd_follow_tolerance) continue;
        if (!wheel)
            return cardan_fail(report, CARDAN_BAD_INPUT, CARDAN_CODE_SUSPENSION_INVALID, s->suspension->location,
                               "joint '%s' cannot steer: it cannot move while the wheel centres keep their heights",
                               s->view.joint[s->suspension->steering].name);
        const cardan_wheel* w = &s->suspension->wheel[i];
        return cardan_fail(report, CARDAN_BAD_INPUT, CARDAN_CODE_SUSPENSION_INVALID, w->location,
                           "wheel '%s' cannot move: the joints do not allow '%s' to rise relative to '%s' while the "
                           "other wheels and the steering are locked",
                           w->name, s->view.body[s->view.marker[w->hub].body].name, chassis_name(s));
    }
    return CARDAN_OK;
}

// Fail if a carrier is not constrained: joints and springs may leave only the spin of the wheel undetermined. The
// stiffness by weight and preload alone is of the order of the forces and does not count.
static cardan_status check_carriers_constrained(cardan_suspension_study* s, cardan_report* report)
{
    const cd_quasi_static* equilibrium = s->equilibrium;
    for (int k = 0; k < equilibrium->nfree; ++k) {
        if (equilibrium->stiffness_value[k] > cd_spring_stiffness_tolerance * equilibrium->force_scale) continue;
        cd_quasi_static_free_motion(equilibrium, k, s->motion);
        for (int i = 0; i < s->suspension->nwheel; ++i) {
            const cardan_wheel*   w    = &s->suspension->wheel[i];
            const spatial         V    = cd_suspension_marker_twist(s, w->hub, s->motion);
            const cd_marker_state m    = cd_marker_state_of(s->model, &s->data->world, w->hub);
            const vec3            a    = m3_mul(m.R, s->wheel[i].spin_axis);
            const vec3            tilt = v3_add_scaled(V.a, -v3_dot(V.a, a), a);
            if (sqrt(v3_dot(tilt, tilt)) < cd_carrier_motion_tolerance &&
                sqrt(v3_dot(V.l, V.l)) < cd_carrier_motion_tolerance)
                continue;
            return cardan_fail(
                report, CARDAN_BAD_INPUT, CARDAN_CODE_SUSPENSION_INVALID, w->location,
                "the carrier '%s' of wheel '%s' is not fully constrained: with the travel of the wheels%s given it can "
                "still move, most at joint '%s'; constrain it by a joint, a rod or a bushing%s",
                s->view.body[s->view.marker[w->hub].body].name, w->name,
                s->suspension->steering < 0 ? "" : " and the steering", cd_suspension_fastest_joint(s, s->motion),
                s->suspension->steering < 0 ? ", or name its steering joint with 'steering'" : "");
        }
    }
    return CARDAN_OK;
}

static cardan_status solve_design_position(cardan_suspension_study* s, cardan_report* report)
{
    double* value = cd_allocate((size_t)s->ndriver + 1, sizeof *value);
    double  moved;
    if (!value)
        return cardan_fail(report, CARDAN_NO_MEMORY, CARDAN_CODE_OUT_OF_MEMORY, cardan_location_none(),
                           "out of memory for the study");
    memcpy(s->q, s->model->q_start, (size_t)s->model->nq * sizeof *s->q);
    const bool found = cd_suspension_solve(s, value, 100, &moved);
    free(value);
    if (!found)
        return cardan_fail(report, CARDAN_NOT_CONVERGED, CARDAN_CODE_ASSEMBLY_FAILED, s->suspension->location,
                           "the design configuration of '%s' cannot be found: with the chassis locked and the wheels "
                           "at their heights the loops cannot be closed, or the bushings have no equilibrium",
                           s->view.name);
    memcpy(s->q_design, s->q, (size_t)s->model->nq * sizeof *s->q);
    return CARDAN_OK;
}

// ---- creation

static bool allocate_arrays(cardan_suspension_study* s)
{
    const size_t nv = (size_t)s->model->nv, nq = (size_t)s->model->nq;
    s->ndriver         = s->suspension->nwheel + (s->suspension->steering >= 0);
    s->is_ignored      = cd_allocate(nv + 1, sizeof *s->is_ignored);
    s->wheel           = cd_allocate((size_t)s->suspension->nwheel + 1, sizeof *s->wheel);
    s->q               = cd_allocate(nq + 1, sizeof *s->q);
    s->q_design        = cd_allocate(nq + 1, sizeof *s->q_design);
    s->driver_motion   = cd_allocate((size_t)(s->ndriver + 1) * nv, sizeof *s->driver_motion);
    s->motion          = cd_allocate(nv + 1, sizeof *s->motion);
    s->marker_jacobian = cd_allocate(6 * nv + 1, sizeof *s->marker_jacobian);
    return s->is_ignored && s->wheel && s->q && s->q_design && s->driver_motion && s->motion && s->marker_jacobian;
}

static cardan_status build_study(cardan_suspension_study* s, cardan_tree_policy policy, cardan_report* report)
{
    s->view       = cardan_description_get_view(s->description);
    s->suspension = s->view.suspension;
    if (!s->suspension)
        return cardan_fail(report, CARDAN_BAD_INPUT, CARDAN_CODE_SUSPENSION_INVALID, cardan_location_none(),
                           "'%s' has no section 'suspension', which names the wheels and their travel", s->view.name);
    s->x                 = v3_const(s->suspension->forward);
    s->z                 = v3_const(s->suspension->up);
    s->y                 = v3_cross(s->z, s->x);
    cardan_status status = cd_suspension_add_constraints(s, report);
    if (status == CARDAN_OK) status = cardan_model_compile(s->description, policy, &s->model, report);
    if (status == CARDAN_OK)
        status = cd_refuse_reaction_signals(s->model, "which suspension studies do not support", report);
    if (status == CARDAN_OK) status = cd_data_create_without_formulation(s->model, &s->data, report);
    if (status != CARDAN_OK) return status;
    if (!allocate_arrays(s) || !(s->equilibrium = cd_quasi_static_create(s->data, s->is_ignored)))
        return cardan_fail(report, CARDAN_NO_MEMORY, CARDAN_CODE_OUT_OF_MEMORY, cardan_location_none(),
                           "out of memory for the study of '%s'", s->view.name);
    cd_suspension_disable_tyres(s);
    if (!cd_suspension_find_ignored(s))
        return cardan_fail(report, CARDAN_NO_MEMORY, CARDAN_CODE_OUT_OF_MEMORY, cardan_location_none(),
                           "out of memory for the study of '%s'", s->view.name);
    status = cd_suspension_find_drivers(s, report);
    if (status == CARDAN_OK) status = solve_design_position(s, report);
    if (status == CARDAN_OK) status = check_drivers_followed(s, report);
    if (status == CARDAN_OK) status = check_carriers_constrained(s, report);
    if (status != CARDAN_OK) return status;
    cd_suspension_compute_tangents(s);
    for (int i = 0; i < s->suspension->nwheel; ++i) {
        s->wheel[i].design_contact = cd_suspension_contact_point(s, i);
        s->wheel[i].design_steer   = cd_suspension_measure_wheel(s, i, NULL, 0).steer;
    }
    return CARDAN_OK;
}

cardan_status cardan_suspension_study_create(cardan_description* description, cardan_tree_policy policy,
                                             cardan_suspension_study** study, cardan_report* report)
{
    CD_REQUIRE_POINTER(study, "study", report);
    *study = NULL;
    CD_REQUIRE_POINTER(description, "description", report);
    if (policy == CARDAN_TREE_AUTO) policy = CARDAN_TREE_BREADTH_FIRST;
    if (cd_check_references(description, report) != CARDAN_OK) return CARDAN_BAD_INPUT;
    cardan_suspension_study* s = cd_allocate(1, sizeof *s);
    if (!s)
        return cardan_fail(report, CARDAN_NO_MEMORY, CARDAN_CODE_OUT_OF_MEMORY, cardan_location_none(),
                           "out of memory for the study");
    s->description             = description;
    const cardan_status status = build_study(s, policy, report);
    if (status == CARDAN_OK)
        *study = s;
    else
        cardan_suspension_study_destroy(s);
    return status;
}
