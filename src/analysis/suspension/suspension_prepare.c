// SPDX-License-Identifier: BSD-3-Clause
// Preparation of a description for a suspension study: lock the chassis to ground, add a driver along the vehicle's
// vertical for every wheel centre and one for the steering, and find the velocities that are independent of them.
#include "analysis/suspension/suspension_study.h"
#include "analysis/analysis_tolerances.h"

#include "math/quaternion.h"
#include "model/description.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static cardan_pose body_pose(const cardan_suspension_study* s, int body)
{
    return body < 0 ? cardan_pose_default() : s->view.body[body].pose;
}

static cardan_pose marker_pose(const cardan_suspension_study* s, int marker)
{
    return pose_mul(body_pose(s, s->view.marker[marker].body), s->view.marker[marker].pose);
}

static cardan_status no_memory(cardan_report* report)
{
    return cardan_fail(report, CARDAN_NO_MEMORY, CARDAN_CODE_OUT_OF_MEMORY, cardan_location_none(),
                       "out of memory for the study");
}

static const char* chassis_name(const cardan_suspension_study* s)
{
    return s->suspension->chassis < 0 ? "ground" : s->view.body[s->suspension->chassis].name;
}

// Orientation of the vehicle axes as a quaternion.
static void vehicle_axes(const cardan_suspension_study* s, double q[4])
{
    const mat3 R = m3_columns(s->x, s->y, s->z);
    q4_of_matrix((const double[9]){R.xx, R.xy, R.xz, R.yx, R.yy, R.yz, R.zx, R.zy, R.zz}, q);
}

static cardan_status add_travel(cardan_suspension_study* s, int i, cardan_report* report)
{
    const cardan_wheel* w = &s->suspension->wheel[i];
    char                name[200];
    cardan_pose         pose = marker_pose(s, w->hub);
    vehicle_axes(s, pose.q);
    snprintf(name, sizeof name, "travel of %s", w->name);
    const cardan_marker reference = {.name     = name,
                                     .body     = s->suspension->chassis,
                                     .pose     = pose_mul(pose_inverse(body_pose(s, s->suspension->chassis)), pose),
                                     .location = w->location};
    cardan_constraint   c         = cardan_constraint_default(name, "lock");
    c.marker[0]                   = w->hub;
    c.marker[1]                   = cardan_description_add_marker(s->description, &reference);
    c.locked                      = 0;
    c.driver[2]                   = cardan_description_add_constant(s->description, 0);
    c.location                    = w->location;
    if (c.marker[1] == CARDAN_NONE || c.driver[2] < 0 ||
        cardan_description_add_constraint(s->description, &c) == CARDAN_NONE)
        return no_memory(report);
    s->view = cardan_description_get_view(s->description);
    return CARDAN_OK;
}

static cardan_status add_chassis(cardan_suspension_study* s, cardan_report* report)
{
    const int body = s->suspension->chassis;
    if (body < 0) return CARDAN_OK;
    cardan_constraint c = cardan_constraint_default("chassis lock", "lock");
    c.marker[0]         = cardan_description_find_marker(s->description, s->view.body[body].name);
    c.marker[1]         = cardan_description_find_marker(s->description, "ground");
    c.locked            = 63;
    c.reference         = s->view.body[body].pose;
    c.location          = s->suspension->location;
    return cardan_description_add_constraint(s->description, &c) == CARDAN_NONE ? no_memory(report) : CARDAN_OK;
}

// Return whether the model itself drives the joint; the study then uses this driver.
static bool is_driven(const cardan_suspension_study* s, int joint)
{
    const cardan_joint* j = &s->view.joint[joint];
    if (j->ndriver > 0 && j->driver[0] != CARDAN_NONE) return true;
    for (int i = 0; i < s->view.nconstraint; ++i)
        if (strcmp(s->view.constraint[i].type, "driver") == 0 && s->view.constraint[i].joint[0] == joint) return true;
    return false;
}

static cardan_status add_steering(cardan_suspension_study* s, cardan_report* report)
{
    const int joint = s->suspension->steering;
    if (joint == CARDAN_NONE || is_driven(s, joint)) return CARDAN_OK;
    cardan_constraint c = cardan_constraint_default("steering", "driver");
    c.njoint            = 1;
    c.joint[0]          = joint;
    c.axis[0]           = 0;
    c.driver[0]         = cardan_description_add_constant(s->description, 0);
    c.location          = s->suspension->location;
    return c.driver[0] < 0 || cardan_description_add_constraint(s->description, &c) == CARDAN_NONE ? no_memory(report)
                                                                                                   : CARDAN_OK;
}

// Fail if a hub is fixed, directly or by welds, to a body that is locked.
static cardan_status check_hubs(const cardan_suspension_study* s, cardan_report* report)
{
    cardan_model* m       = NULL;
    const int     chassis = s->suspension->chassis;
    cardan_status status  = cardan_model_compile(s->description, CARDAN_TREE_BREADTH_FIRST, &m, report);
    for (int i = 0; i < s->suspension->nwheel && status == CARDAN_OK; ++i) {
        const cardan_wheel* w    = &s->suspension->wheel[i];
        const int           link = m->marker[w->hub].link;
        if (link >= 0 && (chassis < 0 || link != m->body[chassis].link)) continue;
        status = cardan_fail(report, CARDAN_BAD_INPUT, CARDAN_CODE_SUSPENSION_INVALID, w->location,
                             "wheel '%s' cannot move: its hub '%s' is fixed to '%s', which is locked", w->name,
                             s->view.marker[w->hub].name, link < 0 ? "ground" : chassis_name(s));
    }
    cardan_model_destroy(m);
    return status;
}

static vec3 unit_vector(vec3 a) { return v3_scale(1 / sqrt(v3_dot(a, a)), a); }

// Fail if a wheel axis deviates too much from the vehicle's y, or if the kingpin has no direction.
static cardan_status check_wheels(const cardan_suspension_study* s, cardan_report* report)
{
    for (int i = 0; i < s->suspension->nwheel; ++i) {
        const cardan_wheel* w     = &s->suspension->wheel[i];
        const double        angle = acos(fmin(1, fabs(v3_dot(unit_vector(v3_const(w->axis)), s->y))));
        if (angle > cd_max_spin_axis_angle)
            return cardan_fail(report, CARDAN_BAD_INPUT, CARDAN_CODE_SUSPENSION_INVALID, w->location,
                               "wheel '%s' does not roll forward: its spin axis deviates by %.3g deg from the "
                               "vehicle's y; correct its `axis`",
                               w->name, angle * 180 / acos(-1.0));
        if (w->kingpin[0] == CARDAN_NONE) continue;
        const vec3 between =
            v3_sub(v3_const(marker_pose(s, w->kingpin[1]).p), v3_const(marker_pose(s, w->kingpin[0]).p));
        if (!(v3_dot(between, between) > cd_kingpin_distance_sq * w->radius * w->radius))
            return cardan_fail(report, CARDAN_BAD_INPUT, CARDAN_CODE_SUSPENSION_INVALID, w->location,
                               "wheel '%s': both ends of its kingpin, '%s' and '%s', are at the same point", w->name,
                               s->view.marker[w->kingpin[0]].name, s->view.marker[w->kingpin[1]].name);
    }
    return CARDAN_OK;
}

cardan_status cd_suspension_add_constraints(cardan_suspension_study* s, cardan_report* report)
{
    cardan_status status = check_hubs(s, report);
    if (status == CARDAN_OK) status = check_wheels(s, report);
    for (int i = 0; i < s->suspension->nwheel && status == CARDAN_OK; ++i) status = add_travel(s, i, report);
    if (status == CARDAN_OK) status = add_chassis(s, report);
    if (status == CARDAN_OK) status = add_steering(s, report);
    s->view = cardan_description_get_view(s->description);
    return status;
}

// ---- drivers in the data

static void find_driver(const cardan_suspension_study* s, const char* name, int joint, int* driver, int* row)
{
    const cd_constraint_set* constraints = &s->data->constraints;
    for (int i = 0; i < cardan_data_driver_count(s->data); ++i) {
        const cardan_driver d = cardan_data_driver_at(s->data, i);
        if (name ? strcmp(d.name, name) != 0 : d.joint != joint) continue;
        *driver = i;
        for (int c = 0; c < constraints->nconstraint; ++c)
            if (constraints->constraint[c].name == d.name && constraints->constraint[c].driven_rows)
                *row = constraints->constraint[c].first_row + d.component;
    }
}

// Find the drivers of the wheels and of the steering, the side and the outward spin axis of each wheel in the hub
// frame, and the centre plane of the vehicle: between left and right wheels, else at y = 0 of the world.
cardan_status cd_suspension_find_drivers(cardan_suspension_study* s, cardan_report* report)
{
    double side_sum[2] = {0, 0};
    int    count[2]    = {0, 0};
    (void)report;
    for (int i = 0; i < s->suspension->nwheel; ++i) {
        const cardan_wheel* w = &s->suspension->wheel[i];
        char                name[200];
        snprintf(name, sizeof name, "travel of %s", w->name);
        find_driver(s, name, CARDAN_NONE, &s->wheel[i].driver, &s->wheel[i].row);
        const cardan_pose pose = marker_pose(s, w->hub);
        const double      y    = v3_dot(v3_const(pose.p), s->y);
        double            conjugate[4], axis[3];
        s->wheel[i].side = y >= 0 ? 1 : -1;
        count[y >= 0] += 1;
        side_sum[y >= 0] += y;
        const vec3   spin       = unit_vector(v3_const(w->axis));
        const double sign       = v3_dot(spin, s->y) * s->wheel[i].side < 0 ? -1 : 1;
        const double outward[3] = {sign * spin.x, sign * spin.y, sign * spin.z};
        q4_conjugate(pose.q, conjugate);
        q4_rotate(conjugate, outward, axis);
        s->wheel[i].spin_axis = v3_const(axis);
    }
    if (count[0] > 0 && count[1] > 0) s->centre_y = (side_sum[0] / count[0] + side_sum[1] / count[1]) / 2;
    if (s->suspension->steering != CARDAN_NONE)
        find_driver(s, NULL, s->suspension->steering, &s->steering_driver, &s->steering_row);
    return CARDAN_OK;
}

void cd_suspension_disable_tyres(cardan_suspension_study* s)
{
    for (int i = 0; i < s->suspension->nwheel; ++i)
        if (s->suspension->wheel[i].tyre >= 0) s->data->settings.is_force_disabled[s->suspension->wheel[i].tyre] = true;
}

// ---- ignored velocities

static int root(int* parent, int i)
{
    while (parent[i] != i) i = parent[i] = parent[parent[i]];
    return i;
}

// Merge the sets of two connected bodies (union-find); chassis and ground do not connect, because they are fixed.
static void connect_bodies(const cardan_suspension_study* s, int* parent, int a, int b)
{
    const int chassis = s->suspension->chassis;
    if (a < 0 || b < 0 || a == chassis || b == chassis) return;
    parent[root(parent, a)] = root(parent, b);
}

static void connect_all(const cardan_suspension_study* s, int* parent)
{
    const cardan_description_view* v = &s->view;
    const cd_constraint_set*       c = &s->data->constraints;
    for (int i = 0; i < v->njoint; ++i) connect_bodies(s, parent, v->joint[i].first_body, v->joint[i].second_body);
    for (int i = 0; i < c->nconstraint; ++i)
        for (int k = 1; k < c->constraint[i].nend; ++k)
            connect_bodies(s, parent, cd_constraint_body(&c->constraint[i], 0),
                           cd_constraint_body(&c->constraint[i], k));
    for (int i = 0; i < v->nforce; ++i) {
        const int *m = v->force[i].marker, j = v->force[i].joint;
        if (m[0] >= 0 && m[1] >= 0) connect_bodies(s, parent, v->marker[m[0]].body, v->marker[m[1]].body);
        if (j >= 0) connect_bodies(s, parent, v->joint[j].first_body, v->joint[j].second_body);
    }
}

// Return the body that moves with velocity v, or ground.
static int body_of_velocity(const cardan_suspension_study* s, int v)
{
    int       local;
    const int j = cardan_model_joint_of_velocity(s->model, v, &local), chassis = s->suspension->chassis;
    if (j < 0) return CARDAN_GROUND;
    if (j >= s->view.njoint) return cardan_description_find_body(s->description, s->model->joint[j].name);
    const cardan_joint* joint = &s->view.joint[j];
    return joint->second_body >= 0 && joint->second_body != chassis ? joint->second_body : joint->first_body;
}

bool cd_suspension_find_ignored(cardan_suspension_study* s)
{
    const int nbody = s->view.nbody, steering = s->suspension->steering;
    int*      parent      = cd_allocate((size_t)nbody + 1, sizeof *parent);
    bool*     is_relevant = cd_allocate((size_t)nbody + 1, sizeof *is_relevant);
    for (int i = 0; parent && i < nbody; ++i) parent[i] = i;
    if (parent && is_relevant) {
        connect_all(s, parent);
        for (int i = 0; i < s->suspension->nwheel; ++i)
            is_relevant[root(parent, s->view.marker[s->suspension->wheel[i].hub].body)] = true;
        const int ends[2] = {steering < 0 ? -1 : s->view.joint[steering].first_body,
                             steering < 0 ? -1 : s->view.joint[steering].second_body};
        for (int k = 0; k < 2; ++k)
            if (ends[k] >= 0 && ends[k] != s->suspension->chassis) is_relevant[root(parent, ends[k])] = true;
        for (int v = 0; v < s->model->nv; ++v) {
            const int body   = body_of_velocity(s, v);
            s->is_ignored[v] = body >= 0 && body != s->suspension->chassis && !is_relevant[root(parent, body)];
        }
    }
    const bool good = parent && is_relevant;
    free(parent);
    free(is_relevant);
    return good;
}
