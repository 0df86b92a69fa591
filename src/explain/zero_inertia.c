// SPDX-License-Identifier: BSD-3-Clause
// Message about a motion without inertia. An elimination stops at one of its coordinates, which one depends on the
// elimination order; the motion itself does not. If the motion has a single coordinate, its joint is named; if
// several coordinates move, as the three of a spherical joint when a slender rod spins about its axis, the body that
// moves most and its axis of motion. If axes of one joint are (nearly) dependent, as in gimbal lock, this is reported
// instead of missing inertia.
#include "dynamics/rows/jacobian_operator.h"
#include "dynamics/state.h"
#include "explain/explain.h"
#include "explain/explain_tolerances.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

// "z", "-x", or the components of a direction in world axes.
static void name_direction(vec3 u, char* text, size_t size)
{
    const double c[3] = {u.x, u.y, u.z}, n = v3_length(u);
    for (int i = 0; i < 3; ++i)
        if (fabs(fabs(c[i]) - n) < cd_direction_component_roundoff * n) {
            snprintf(text, size, "%s%c", c[i] < 0 ? "-" : "", "xyz"[i]);
            return;
        }
    snprintf(text, size, "(%.3g, %.3g, %.3g)", c[0] / n, c[1] / n, c[2] / n);
}

// Direction without sign: the largest component is made positive, components of round-off size are set to zero.
static vec3 unsigned_direction(vec3 u)
{
    double c[3] = {u.x, u.y, u.z};
    int    big  = 0;
    for (int i = 1; i < 3; ++i)
        if (fabs(c[i]) > fabs(c[big]) + cd_direction_component_roundoff * v3_length(u)) big = i;
    const double sign = c[big] < 0 ? -1 : 1, least = cd_direction_component_roundoff * fabs(c[big]);
    for (int i = 0; i < 3; ++i) c[i] = fabs(c[i]) > least ? sign * c[i] : 0;
    return v3(c[0], c[1], c[2]);
}

static double max_speed(const spatial* T, int n, double length)
{
    double most = 0;
    for (int i = 0; i < n; ++i) most = fmax(most, v3_length(T[i].l) + length * v3_length(T[i].a));
    return most;
}

// Speed of the links due to velocity v of the motion x alone. unit_velocity (nv): zeros on entry and on return.
static double velocity_share(cardan_data* d, const double* x, int v, double* unit_velocity)
{
    unit_velocity[v]   = x[v];
    const double share = x[v] != 0 ? max_speed(cd_twists_of(d, unit_velocity), d->m->nlink, d->units.length_scale) : 0;
    unit_velocity[v]   = 0;
    return share;
}

// Velocity of a motion with a single coordinate, or CARDAN_NONE if it has several.
static int single_velocity(cardan_data* d, const double* x, double* unit_velocity)
{
    const int n    = d->m->nv;
    double    most = 0;
    int       big = CARDAN_NONE, count = 0;
    for (int v = 0; v < n; ++v) unit_velocity[v] = 0;
    for (int v = 0; v < n; ++v) {
        const double share = velocity_share(d, x, v, unit_velocity);
        if (share > most) {
            most = share;
            big  = v;
        }
    }
    for (int v = 0; v < n; ++v) count += velocity_share(d, x, v, unit_velocity) > cd_explained_motion_roundoff * most;
    return count == 1 ? big : CARDAN_NONE;
}

// Body that moves most, or CARDAN_NONE.
static int fastest_body(const cardan_data* d, const spatial* T)
{
    double most = cd_explained_motion_roundoff * max_speed(T, d->m->nlink, d->units.length_scale);
    int    body = CARDAN_NONE;
    for (int b = 0; b < d->m->view.nbody; ++b) {
        const int    link  = d->m->body[b].link;
        const double speed = link >= 0 ? max_speed(T + link, 1, d->units.length_scale) : 0;
        if (!(speed > most * (1 + cd_explained_motion_roundoff))) continue;
        most = speed;
        body = b;
    }
    return body;
}

// Motion of a body in words, and the inertia that is missing.
typedef struct motion_description {
    char        motion[96];
    const char* missing;
} motion_description;

static motion_description describe_motion(const cardan_data* d, spatial T)
{
    const bool is_rotation = d->units.length_scale * v3_length(T.a) > cd_explained_motion_roundoff * v3_length(T.l);
    char       direction[64];
    motion_description description = {.missing = is_rotation ? "an inertia about this axis" : "a mass"};
    name_direction(unsigned_direction(is_rotation ? T.a : T.l), direction, sizeof direction);
    snprintf(description.motion, sizeof description.motion, "%s %s",
             is_rotation ? "rotation about" : "translation along", direction);
    return description;
}

static cardan_status fail_body(cardan_data* d, int body, spatial T, cardan_report* report)
{
    const cardan_body*       b           = &d->m->view.body[body];
    const motion_description description = describe_motion(d, T);
    return cardan_fail(
        report, CARDAN_SINGULAR, CARDAN_CODE_ZERO_INERTIA, b->location,
        "body '%s': at t = %g s no inertia or constraint acts on its %s; give it %s, or a joint that constrains it",
        b->name, d->t, description.motion, description.missing);
}

static cardan_status fail_velocity(cardan_data* d, int v, cardan_report* report)
{
    const cardan_model* m = d->m;
    int                 local;
    char                direction[64];
    const int           j = cardan_model_joint_of_velocity(m, v, &local);
    cd_update_world(d);
    const spatial S           = d->k.S[v];
    const bool    is_rotation = v3_dot(S.a, S.a) > 0;
    name_direction(m3_mul(d->world.pose[m->v_link[v]].R, is_rotation ? S.a : S.l), direction, sizeof direction);
    const int body = j >= m->view.njoint ? cardan_description_find_body(m->description, m->joint[j].name) : CARDAN_NONE;
    const cardan_location location = body >= 0 ? m->view.body[body].location : cardan_location_none();
    if (j >= m->view.njoint && j < m->njoint) // free joint added for a body, with the body's name
        return cardan_fail(report, CARDAN_SINGULAR, CARDAN_CODE_ZERO_INERTIA, location,
                           "body '%s' is free, and at t = %g s no inertia or constraint acts on its %s %s; give it %s, "
                           "or a joint that constrains it",
                           m->joint[j].name, d->t, is_rotation ? "rotation about" : "translation along", direction,
                           is_rotation ? "an inertia about this axis" : "a mass");
    if (j >= m->njoint)
        return cardan_fail(report, CARDAN_SINGULAR, CARDAN_CODE_ZERO_INERTIA, location,
                           "body '%s': at t = %g s no inertia or constraint acts on its %s %s", m->joint[j].name, d->t,
                           is_rotation ? "rotation about" : "translation along", direction);
    return cardan_fail(report, CARDAN_SINGULAR, CARDAN_CODE_ZERO_INERTIA,
                       j < m->view.njoint ? m->view.joint[j].location : cardan_location_none(),
                       "joint '%s', coordinate %d: at t = %g s no inertia or constraint acts on its %s %s; give the "
                       "bodies that it moves %s, or the joint an armature",
                       m->joint[j].name, local + 1, d->t, is_rotation ? "rotation about" : "translation along",
                       direction, is_rotation ? "an inertia about this axis" : "a mass");
}

static cardan_status fail_gimbal_lock(cardan_data* d, const char* what, const char* name, cardan_location location,
                                      cardan_report* report)
{
    return cardan_fail(
        report, CARDAN_SINGULAR, CARDAN_CODE_ZERO_INERTIA, location,
        "%s '%s': at t = %g s axes of the joint are linearly dependent, as in gimbal lock, so that its coordinates are "
        "not determined; start at another configuration, or use a joint type without successive axes",
        what, name, d->t);
}

static cardan_status fail_no_memory(const cardan_data* d, cardan_report* report)
{
    return cardan_fail(report, CARDAN_NO_MEMORY, CARDAN_CODE_OUT_OF_MEMORY, cardan_location_none(),
                       "out of memory while finding motions without inertia in '%s'", d->m->view.name);
}

// Whether one axis of the joint is linearly dependent on the others, up to round-off, by Gram-Schmidt
// orthogonalization. unit_velocity (nv): zeros on entry and on return.
static bool axes_are_dependent(cardan_data* d, int j, double* unit_velocity)
{
    const cardan_model* m = d->m;
    const int           n = m->tree_range[j].nv, v = m->tree_range[j].v;
    spatial             basis[CARDAN_JOINT_VELOCITIES_MAX];
    bool                dependent = false;
    for (int i = 0; v >= 0 && i < n && !dependent; ++i) {
        unit_velocity[v + i] = 1;
        spatial T            = cd_twists_of(d, unit_velocity)[m->v_link[v + n - 1]];
        unit_velocity[v + i] = 0;
        T.a                  = v3_scale(d->units.length_scale, T.a);
        const double size    = sqrt(sv_dot(T, T));
        for (int k = 0; k < 2 * i; ++k) {
            const double part = sv_dot(T, basis[k % i]);
            T.a               = v3_sub(T.a, v3_scale(part, basis[k % i].a));
            T.l               = v3_sub(T.l, v3_scale(part, basis[k % i].l));
        }
        const double remaining = sqrt(sv_dot(T, T));
        dependent              = !(remaining > cd_explained_motion_roundoff * size);
        basis[i]               = (spatial){v3_scale(1 / remaining, T.a), v3_scale(1 / remaining, T.l)};
    }
    return dependent;
}

// Joint of velocity v if it has dependent axes, or CARDAN_NONE.
static int joint_with_dependent_axes(cardan_data* d, int v, double* unit_velocity)
{
    int       local;
    const int j = cardan_model_joint_of_velocity(d->m, v, &local);
    cd_update_world(d);
    return j < d->m->view.njoint && axes_are_dependent(d, j, unit_velocity) ? j : CARDAN_NONE;
}

cardan_status cd_fail_zero_inertia(cardan_data* d, int v, cardan_report* report)
{
    const cardan_model* m = d->m;
    if (d->constraints.singular_constraint != CARDAN_NONE) {
        const cd_constraint* c = &d->constraints.constraint[d->constraints.singular_constraint];
        return fail_gimbal_lock(d, c->category, c->name, c->location, report);
    }
    if (v < 0 || v >= m->nv)
        return cardan_fail(report, CARDAN_SINGULAR, CARDAN_CODE_ZERO_INERTIA, cardan_location_none(),
                           "at t = %g s some motion of '%s' has no inertia", d->t, m->view.name);
    double* x = calloc(2 * (size_t)m->nv, sizeof *x);
    if (!x) return fail_no_memory(d, report);
    const int dependent_joint = joint_with_dependent_axes(d, v, x);
    if (dependent_joint != CARDAN_NONE) {
        free(x);
        return fail_gimbal_lock(d, "joint", m->joint[dependent_joint].name, m->view.joint[dependent_joint].location,
                                report);
    }
    const bool found = cd_find_undetermined_motion(d, 0, x);
    if (!found && cd_find_undetermined_velocity(d) == CARDAN_NONE && cd_fail_mass_ratio(d, CARDAN_SINGULAR, report)) {
        free(x);
        return CARDAN_SINGULAR;
    }
    const int velocity = found ? single_velocity(d, x, x + m->nv) : v;
    spatial   T        = {v3_zero(), v3_zero()};
    int       body     = CARDAN_NONE;
    if (velocity == CARDAN_NONE) {
        const spatial* twist = cd_twists_of(d, x);
        body                 = fastest_body(d, twist);
        if (body != CARDAN_NONE) T = twist[m->body[body].link];
    }
    free(x);
    return body == CARDAN_NONE ? fail_velocity(d, velocity == CARDAN_NONE ? v : velocity, report)
                               : fail_body(d, body, T, report);
}

cardan_status cd_fail_undetermined_motion(cardan_data* d, double t, cardan_status status, cardan_report* report)
{
    double* x = d->solve.undetermined.needed ? malloc(((size_t)d->m->nv + 1) * sizeof *x) : NULL;
    if (!x && d->solve.undetermined.needed) return fail_no_memory(d, report);
    bool found = x && cd_find_undetermined_motion(d, cd_nearly_undetermined_pivot, x);
    if (found) {
        const spatial* twist = cd_twists_of(d, x);
        const int      body  = fastest_body(d, twist);
        found                = body != CARDAN_NONE;
        if (found) {
            const motion_description description = describe_motion(d, twist[d->m->body[body].link]);
            cardan_fail(report, status, CARDAN_CODE_ZERO_INERTIA, d->m->view.body[body].location,
                        "body '%s': at t = %.9g s almost no inertia or constraint acts on its %s, and no step is small "
                        "enough; give it %s",
                        d->m->view.body[body].name, t, description.motion, description.missing);
        }
    }
    free(x);
    return found ? status : CARDAN_OK;
}
