// SPDX-License-Identifier: BSD-3-Clause
// Joint coordinates as functions of the poses of their two frames, with exact rates and rows whether the joint
// equations are satisfied or not.
//
//   translation c = u.d                       u fixed in end 0, d from end 0 to end 1
//               cdot = u.s                    s = v1 - v0 - w0 x d
//               cddot = u.(a1 - a0 - alpha0 x d - 2 w0 x s - w0 x (w0 x d))
//   angle       theta = 2 atan2(e3, e0)       e = conj(q0) q1: the twist about z
//               thetadot = g.(w1 - w0)        g = (z0 + z1) / (1 + z0.z1)
//   universal   thetadot = g.(w1 - w0)        g = (a - (a.b) b) / (1 - (a.b)^2), and with a and b exchanged
//               a: axis of the first angle, fixed in end 0; b: of the second, fixed in end 1
//
// Second derivatives are g.(alpha1 - alpha0) + gdot.(w1 - w0). Winding numbers continue angles beyond pi.
#include "constraint/joint_chain.h"

#include "math/rotation.h"
#include "model/description.h"

#include <string.h>

// ---- coordinates of joints

static bool is_angle(cd_coordinate_kind kind) { return kind >= CD_ANGLE_Z; }

static void normalize(cd_parametric* parametric, const double a[3], double u[3])
{
    const double n = par_sqrt(parametric, par_dot(parametric, a, a));
    for (int i = 0; i < 3; ++i) u[i] = par_div(parametric, a[i], n);
}

// Elementary joint that has velocity `axis` of a joint; *local_index: index of the velocity in it.
static int elementary_joint_of_axis(const cd_compiled_joint* joint, int axis, int* local_index)
{
    int s = 0;
    while (s < joint->nelementary - 1 && axis >= cd_motion_nv(joint->elementary[s].motion))
        axis -= cd_motion_nv(joint->elementary[s++].motion);
    *local_index = axis;
    return s;
}

// An elementary joint of a general joint in the tree is a link: the coordinate is between its frame and its tree
// transform on the parent. Off the tree it is computed together with the others of its joint.
static bool general_joint_coordinate(const cd_constraint_builder* p, int j, int element, cd_coordinate* c,
                                     cd_link_frame end[2])
{
    const cardan_model*      m     = p->m;
    const cd_compiled_joint* joint = &m->joint[j];
    if (joint->nlink != joint->nelementary) {
        c->kind = joint->elementary[element].motion == CD_PRISMATIC ? CD_GENERAL_TRANSLATION : CD_GENERAL_ANGLE;
        c->general_joint = joint;
        c->q_joint       = m->joint_range[j].q;
        return true;
    }
    const int                i = joint->first_link + (joint->is_reversed ? joint->nelementary - 1 - element : element);
    const cd_tree_transform* transform = &m->tree_transform[i];
    end[0]                             = (cd_link_frame){.link = m->link[i].parent};
    memcpy(end[0].R, transform->R, sizeof transform->R);
    memcpy(end[0].p, transform->p, sizeof transform->p);
    end[1]  = (cd_link_frame){.link = i, .R = {1, 0, 0, 0, 1, 0, 0, 0, 1}};
    c->kind = joint->elementary[element].motion == CD_PRISMATIC ? CD_TRANSLATION_Z : CD_ANGLE_Z;
    return true;
}

static cd_coordinate_kind translation_kind(const double axis[3])
{
    return axis[0] != 0 ? CD_TRANSLATION_X : axis[1] != 0 ? CD_TRANSLATION_Y : CD_TRANSLATION_Z;
}

bool cd_coordinate_init_velocity(const cd_constraint_builder* p, int j, int axis, cd_coordinate* c,
                                 cd_link_frame end[2])
{
    const cardan_model* m = p->m;
    if (j < 0 || j >= m->view.njoint) return cd_constraint_fail(p, "there is no joint number %d", j);
    const cd_compiled_joint*  joint = &m->joint[j];
    const cardan_index_range* range = &m->tree_range[j];
    if (range->nv == 0) return cd_constraint_fail(p, "joint '%s' is fixed and has no coordinate", joint->name);
    if (axis < 0 || axis >= range->nv)
        return cd_constraint_fail(p, "joint '%s' has coordinates 1 to %d, not %d", joint->name, range->nv, axis + 1);
    int        within;
    const int  element        = elementary_joint_of_axis(joint, axis, &within);
    const int  motion         = (int)joint->elementary[element].motion;
    const bool is_translation = motion == CD_FREE && within < 3;
    const bool in_tree        = range->q >= 0 && range->q < m->nq;
    *c     = (cd_coordinate){.joint = j, .axis_index = axis, .q_tree = in_tree ? range->q + axis : CARDAN_NONE};
    end[0] = joint->frame_first;
    end[1] = joint->frame_second;
    if (m->view.joint[j].start_q_given) c->start_angle = m->view.joint[j].start_q[axis];
    if (strcmp(joint->type->name, "general") == 0) return general_joint_coordinate(p, j, element, c, end);
    if (strcmp(joint->type->name, "universal") == 0) {
        c->kind = element == 0 ? CD_UNIVERSAL_FIRST_ANGLE : CD_UNIVERSAL_SECOND_ANGLE;
        for (int i = 0; i < 2; ++i) normalize(m->description->parametric, joint->elementary[i].axis, c->axis[i]);
        return true;
    }
    c->kind = motion >= CD_SPHERICAL && !is_translation ? (cd_coordinate_kind)(CD_ANGULAR_VELOCITY_X + within % 3)
              : is_translation                          ? (cd_coordinate_kind)(CD_TRANSLATION_X + within)
              : motion == CD_PRISMATIC                  ? translation_kind(joint->elementary[element].axis)
                                                        : CD_ANGLE_Z;
    return true;
}

bool cd_coordinate_init(const cd_constraint_builder* p, int j, int axis, cd_coordinate* c, cd_link_frame end[2])
{
    if (!cd_coordinate_init_velocity(p, j, axis, c, end)) return false;
    if (c->kind < CD_ANGULAR_VELOCITY_X) return true;
    return cd_constraint_fail(
        p, "coordinate %d of joint '%s' is part of a rotation about three axes and is not an angle: use a lock",
        axis + 1, p->m->joint[j].name);
}

// ---- rows

cd_scalar_row cd_translation_row(const cd_end_state end[2], vec3 u)
{
    const cd_relative_motion motion = cd_relative_motion_of(end);
    return cd_translation_row_of(end, &motion, u);
}

// Row on the relative rotation.
static cd_scalar_row rotation_row(const cd_end_state end[2], real value, vec3 g, vec3 gdot)
{
    const vec3 w = v3_sub(end[1].w, end[0].w);
    return (cd_scalar_row){
        .value = value, .rate = v3_dot(g, w), .h = v3_dot(gdot, w), .G = {{v3_neg(g), v3_zero()}, {g, v3_zero()}}};
}

cd_scalar_row cd_angle_row(const cd_end_state end[2], real previous_angle)
{
    const vec3 z0 = m3_column_z(end[0].T.R), z1 = m3_column_z(end[1].T.R);
    const vec3 z0dot = v3_cross(end[0].w, z0), z1dot = v3_cross(end[1].w, z1);
    const real n = r_add(r_const(1), v3_dot(z0, z1)), ndot = r_add(v3_dot(z0dot, z1), v3_dot(z0, z1dot));
    const vec3 g     = v3_div(v3_add(z0, z1), n);
    const vec3 gdot  = v3_div(v3_add_scaled(v3_add(z0dot, z1dot), r_neg(ndot), g), n);
    const real angle = swing_twist_angle(m3_relative(end[0].T.R, end[1].T.R), v3_unit(2));
    return rotation_row(end, nearest_winding(angle, previous_angle), g, gdot);
}

// Angle about a of end 0 from the direction of b of end 1 in the reference pose (`second`: about b, of a).
static cd_scalar_row universal_angle_row(const cd_coordinate* c, const cd_end_state end[2], bool second, real previous)
{
    const vec3 a = m3_mul(end[0].T.R, v3_const(c->axis[0])), b = m3_mul(end[1].T.R, v3_const(c->axis[1]));
    const vec3 adot = v3_cross(end[0].w, a), bdot = v3_cross(end[1].w, b);
    const vec3 reference = second ? m3_mul(end[1].T.R, v3_const(c->axis[0])) : m3_mul(end[0].T.R, v3_const(c->axis[1]));
    const vec3 about = second ? b : a, other = second ? a : b;
    const real sine   = v3_dot(about, v3_cross(reference, other));
    const real cosine = r_sub(v3_dot(reference, other), r_mul(v3_dot(about, reference), v3_dot(about, other)));
    const real angle  = r_atan2(sine, cosine);
    const real cosab = v3_dot(a, b), rate = r_add(v3_dot(adot, b), v3_dot(a, bdot)),
               s2       = r_sub(r_const(1), r_mul(cosab, cosab));
    const vec3 aboutdot = second ? bdot : adot, otherdot = second ? adot : bdot;
    const vec3 g    = v3_div(v3_add_scaled(about, r_neg(cosab), other), s2);
    vec3       gdot = v3_add_scaled(v3_add_scaled(aboutdot, r_neg(rate), other), r_neg(cosab), otherdot);
    gdot            = v3_div(v3_add_scaled(gdot, r_scale(2, r_mul(cosab, rate)), g), s2);
    return rotation_row(end, nearest_winding(second ? r_neg(angle) : angle, previous), g, gdot);
}

// x.(w1 - w0), x fixed in end 1
static cd_scalar_row angular_velocity_row(const cd_end_state end[2], vec3 x)
{
    return rotation_row(end, r_const(0), x, v3_cross(end[1].w, x));
}

static cd_scalar_row general_joint_row(const cd_coordinate* c, const cd_end_state end[2],
                                       const cd_constraint_context* context)
{
    cd_general_joint_state s;
    real*                  q = context->q + c->q_joint;
    cd_general_joint_evaluate(c->general_joint, end, q, NULL, &s);
    memcpy(q, s.q, (size_t)s.n * sizeof *q);
    *context->is_singular |= s.is_singular;
    return cd_general_joint_row(&s, end, s.coordinate_row[c->axis_index], s.q[c->axis_index]);
}

cd_scalar_row cd_coordinate_row(const cd_coordinate* c, const cd_end_state end[2], const cd_constraint_context* context,
                                real previous)
{
    switch (c->kind) {
    case CD_TRANSLATION_X:
        return cd_translation_row(end, m3_column_x(end[0].T.R));
    case CD_TRANSLATION_Y:
        return cd_translation_row(end, m3_column_y(end[0].T.R));
    case CD_TRANSLATION_Z:
        return cd_translation_row(end, m3_column_z(end[0].T.R));
    case CD_GENERAL_TRANSLATION:
    case CD_GENERAL_ANGLE:
        return general_joint_row(c, end, context);
    case CD_ANGLE_Z:
        return cd_angle_row(end, previous);
    case CD_ANGULAR_VELOCITY_X:
        return angular_velocity_row(end, m3_column_x(end[1].T.R));
    case CD_ANGULAR_VELOCITY_Y:
        return angular_velocity_row(end, m3_column_y(end[1].T.R));
    case CD_ANGULAR_VELOCITY_Z:
        return angular_velocity_row(end, m3_column_z(end[1].T.R));
    case CD_UNIVERSAL_FIRST_ANGLE:
        return universal_angle_row(c, end, false, previous);
    case CD_UNIVERSAL_SECOND_ANGLE:
        return universal_angle_row(c, end, true, previous);
    }
    return rotation_row(end, r_const(0), v3_zero(), v3_zero());
}

void cd_evaluate_coupled_coordinates(const cd_constraint* c, const cd_end_state* end,
                                     const cd_constraint_context* context, cd_constraint_equations* e)
{
    const cd_coupled_coordinates* k      = c->coupled;
    const cd_driver_values        driver = cd_driver_values_of(c, context, 0);
    e->value[0]                          = r_neg(r_add(r_const(k->offset), driver.x));
    e->rate[0]                           = r_neg(driver.v);
    e->h[0]                              = r_neg(driver.a);
    for (int i = 0; i < k->n; ++i) {
        const cd_coordinate* x                   = &k->coordinate[i];
        const bool           has_tree_coordinate = x->q_tree != CARDAN_NONE;
        const real           f                   = r_const(k->factor[i]);
        const cd_scalar_row  row                 = cd_coordinate_row(x, end + 2 * i, context,
                                                    has_tree_coordinate ? context->q[x->q_tree] : context->history[i]);
        if (is_angle(x->kind)) context->history[i] = row.value;
        e->value[0] = r_add(e->value[0], r_mul(f, row.value));
        e->rate[0]  = r_add(e->rate[0], r_mul(f, row.rate));
        e->h[0]     = r_add(e->h[0], r_mul(f, row.h));
        for (int n = 0; n < 2; ++n) e->G[2 * i + n] = sv_scale(f, row.G[n]);
    }
}
