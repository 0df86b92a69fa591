// SPDX-License-Identifier: BSD-3-Clause
// Coordinates of joints as functions of the poses of their two frames, with exact rates and rows whether the joint is
// closed or not.
//
//   way        c = u.d                       u fixed in end 0, d from end 0 to end 1
//              cdot = u.s                    s = v1 - v0 - w0 x d
//              cddot = u.(a1 - a0 - alpha0 x d - 2 w0 x s - w0 x (w0 x d))
//   angle      theta = 2 atan2(e3, e0)       e = conj(q0) q1: the twist about z
//              thetadot = g.(w1 - w0)        g = (z0 + z1) / (1 + z0.z1)
//   Hooke      thetadot = g.(w1 - w0)        g = (a - (a.b) b) / (1 - (a.b)^2), and with a and b exchanged
//              a: axis of the first angle, fixed in end 0; b: of the second, fixed in end 1
//
// Second derivatives are g.(alpha1 - alpha0) + gdot.(w1 - w0). Turns are counted: angles go on beyond pi.
#include "constraint/steps.h"

#include "math/rotation.h"
#include "model/description.h"

#include <string.h>

static const double turn = 6.28318530717958647692;

// Coordinates of joints

static bool is_angle(cd_coordinate_kind measure) { return measure >= CD_ANGLE_Z; }

static void unit(cd_ledger* l, const double a[3], double u[3])
{
    const double n = l_sqrt(l, l_dot(l, a, a));
    for (int i = 0; i < 3; ++i) u[i] = l_div(l, a[i], n);
}

// Elementary motion that owns velocity `axis` of a joint; *step its number.
static int step_of(const cd_joint_info* joint, int axis, int* within)
{
    int s = 0;
    while (s < joint->nstep - 1 && axis >= cd_motion_nv(joint->step[s].motion))
        axis -= cd_motion_nv(joint->step[s++].motion);
    *within = axis;
    return s;
}

// A step of a general joint is a link of the tree: its own frame relative to where its motion starts on its parent.
// Beside the tree it is measured with the others.
static bool general_step(const cd_prepare* p, int j, int step, cd_coordinate* c, cd_attached end[2])
{
    const cardan_model*  m     = p->m;
    const cd_joint_info* joint = &m->joint[j];
    if (joint->nlink != joint->nstep) {
        c->measure  = joint->step[step].motion == CD_SLIDE ? CD_STEP_WAY : CD_STEP_ANGLE;
        c->steps    = joint;
        c->measured = m->place[j].q;
        return true;
    }
    const int       i     = joint->first_link + (joint->reversed ? joint->nstep - 1 - step : step);
    const cd_mount* mount = &m->mount[i];
    end[0]                = (cd_attached){.link = m->link[i].parent};
    memcpy(end[0].R, mount->R, sizeof mount->R);
    memcpy(end[0].p, mount->p, sizeof mount->p);
    end[1]     = (cd_attached){.link = i, .R = {1, 0, 0, 0, 1, 0, 0, 0, 1}};
    c->measure = joint->step[step].motion == CD_SLIDE ? CD_WAY_Z : CD_ANGLE_Z;
    return true;
}

static cd_coordinate_kind measure_along(const double axis[3])
{
    return axis[0] != 0 ? CD_WAY_X : axis[1] != 0 ? CD_WAY_Y : CD_WAY_Z;
}

bool cd_rate_of(const cd_prepare* p, int j, int axis, cd_coordinate* c, cd_attached end[2])
{
    const cardan_model* m = p->m;
    if (j < 0 || j >= m->view.njoint) return cd_refuse(p, "there is no joint number %d", j);
    const cd_joint_info* joint = &m->joint[j];
    const cardan_slot*   slot  = &m->slot[j];
    if (slot->nv == 0) return cd_refuse(p, "joint '%s' is fixed and has no coordinate", joint->name);
    if (axis < 0 || axis >= slot->nv)
        return cd_refuse(p, "joint '%s' has coordinates 1 to %d, not %d", joint->name, slot->nv, axis + 1);
    int        within;
    const int  step     = step_of(joint, axis, &within);
    const int  motion   = (int)joint->step[step].motion;
    const bool floating = motion == CD_FLOAT && within < 3;
    *c                  = (cd_coordinate){
                         .joint = j, .axis_index = axis, .q = slot->q < 0 || slot->q >= m->nq ? CARDAN_NONE : slot->q + axis};
    end[0] = joint->frame_first;
    end[1] = joint->frame_second;
    if (m->view.joint[j].start_q_given) c->start = m->view.joint[j].start_q[axis];
    if (strcmp(joint->type->name, "general") == 0) return general_step(p, j, step, c, end);
    if (strcmp(joint->type->name, "universal") == 0) {
        c->measure = step == 0 ? CD_HOOKE_FIRST : CD_HOOKE_SECOND;
        for (int i = 0; i < 2; ++i) unit(m->description->ledger, joint->step[i].axis, c->axis[i]);
        return true;
    }
    c->measure = motion >= CD_BALL && !floating ? (cd_coordinate_kind)(CD_SPIN_X + within % 3)
                 : floating                     ? (cd_coordinate_kind)(CD_WAY_X + within)
                 : motion == CD_SLIDE           ? measure_along(joint->step[step].axis)
                                                : CD_ANGLE_Z;
    return true;
}

bool cd_coordinate_of(const cd_prepare* p, int j, int axis, cd_coordinate* c, cd_attached end[2])
{
    if (!cd_rate_of(p, j, axis, c, end)) return false;
    if (c->measure < CD_SPIN_X) return true;
    return cd_refuse(
        p, "coordinate %d of joint '%s' belongs to a rotation about three axes and is no angle of its own: use a lock",
        axis + 1, p->m->joint[j].name);
}

// Rows

static real near_turn(real angle, real near)
{
    return r_add(angle, r_times(turn, r_round(r_times(1 / turn, r_sub(near, angle)))));
}

cd_scalar_row cd_row_along(const cd_end end[2], vec3 u)
{
    const cd_apart apart = cd_apart_of(end);
    return cd_row_toward(end, &apart, u);
}

// A row on relative rotation.
static cd_scalar_row row_about(const cd_end end[2], real value, vec3 g, vec3 gdot)
{
    const vec3 w = v3_sub(end[1].w, end[0].w);
    return (cd_scalar_row){
        .value = value, .rate = v3_dot(g, w), .h = v3_dot(gdot, w), .G = {{v3_neg(g), v3_zero()}, {g, v3_zero()}}};
}

cd_scalar_row cd_row_angle(const cd_end end[2], real near)
{
    const vec3 z0 = m3_column_z(end[0].T.R), z1 = m3_column_z(end[1].T.R);
    const vec3 z0dot = v3_cross(end[0].w, z0), z1dot = v3_cross(end[1].w, z1);
    const real n = r_add(r_lift(1), v3_dot(z0, z1)), ndot = r_add(v3_dot(z0dot, z1), v3_dot(z0, z1dot));
    const vec3 g     = v3_over(v3_add(z0, z1), n);
    const vec3 gdot  = v3_over(v3_add_scaled(v3_add(z0dot, z1dot), r_neg(ndot), g), n);
    const real angle = twist_about(m3_between(end[0].T.R, end[1].T.R), v3_unit(2));
    return row_about(end, near_turn(angle, near), g, gdot);
}

// Angle about a of end 0 from where b of end 1 points to at rest (`second`: about b, of a).
static cd_scalar_row row_hooke(const cd_coordinate* c, const cd_end end[2], bool second, real near)
{
    const vec3 a = m3_mul(end[0].T.R, v3_lift(c->axis[0])), b = m3_mul(end[1].T.R, v3_lift(c->axis[1]));
    const vec3 adot = v3_cross(end[0].w, a), bdot = v3_cross(end[1].w, b);
    const vec3 rest  = second ? m3_mul(end[1].T.R, v3_lift(c->axis[0])) : m3_mul(end[0].T.R, v3_lift(c->axis[1]));
    const vec3 about = second ? b : a, other = second ? a : b;
    const real sine   = v3_dot(about, v3_cross(rest, other));
    const real cosine = r_sub(v3_dot(rest, other), r_mul(v3_dot(about, rest), v3_dot(about, other)));
    const real angle  = r_atan2(sine, cosine);
    const real cosab = v3_dot(a, b), rate = r_add(v3_dot(adot, b), v3_dot(a, bdot)),
               s2       = r_sub(r_lift(1), r_mul(cosab, cosab));
    const vec3 aboutdot = second ? bdot : adot, otherdot = second ? adot : bdot;
    const vec3 g    = v3_over(v3_add_scaled(about, r_neg(cosab), other), s2);
    vec3       gdot = v3_add_scaled(v3_add_scaled(aboutdot, r_neg(rate), other), r_neg(cosab), otherdot);
    gdot            = v3_over(v3_add_scaled(gdot, r_times(2, r_mul(cosab, rate)), g), s2);
    return row_about(end, near_turn(second ? r_neg(angle) : angle, near), g, gdot);
}

// x.(w1 - w0), x fixed in end 1
static cd_scalar_row row_spin(const cd_end end[2], vec3 x)
{
    return row_about(end, r_lift(0), x, v3_cross(end[1].w, x));
}

static cd_scalar_row row_step(const cd_coordinate* c, const cd_end end[2], const cd_moment* now)
{
    cd_sequence s;
    real*       q = now->q + c->measured;
    cd_sequence_look(c->steps, end, q, NULL, &s);
    memcpy(q, s.q, (size_t)s.n * sizeof *q);
    *now->singular |= s.singular;
    return cd_sequence_row(&s, end, s.along[c->axis_index], s.q[c->axis_index]);
}

cd_scalar_row cd_row_coordinate(const cd_coordinate* c, const cd_end end[2], const cd_moment* now, real near)
{
    switch (c->measure) {
    case CD_WAY_X:
        return cd_row_along(end, m3_column_x(end[0].T.R));
    case CD_WAY_Y:
        return cd_row_along(end, m3_column_y(end[0].T.R));
    case CD_WAY_Z:
        return cd_row_along(end, m3_column_z(end[0].T.R));
    case CD_STEP_WAY:
    case CD_STEP_ANGLE:
        return row_step(c, end, now);
    case CD_ANGLE_Z:
        return cd_row_angle(end, near);
    case CD_SPIN_X:
        return row_spin(end, m3_column_x(end[1].T.R));
    case CD_SPIN_Y:
        return row_spin(end, m3_column_y(end[1].T.R));
    case CD_SPIN_Z:
        return row_spin(end, m3_column_z(end[1].T.R));
    case CD_HOOKE_FIRST:
        return row_hooke(c, end, false, near);
    case CD_HOOKE_SECOND:
        return row_hooke(c, end, true, near);
    }
    return row_about(end, r_lift(0), v3_zero(), v3_zero());
}

void cd_evaluate_coordinates(const cd_constraint* c, const cd_end* end, const cd_moment* now, cd_equations* e)
{
    const cd_coupled*   k   = c->coupled;
    const cd_law_values law = cd_law_of(c, now, 0);
    e->value[0]             = r_neg(r_add(r_lift(k->offset), law.x));
    e->rate[0]              = r_neg(law.v);
    e->h[0]                 = r_neg(law.a);
    for (int i = 0; i < k->n; ++i) {
        const cd_coordinate* x    = &k->coordinate[i];
        const bool           told = x->q != CARDAN_NONE;
        const real           f    = r_lift(k->factor[i]);
        const cd_scalar_row  row  = cd_row_coordinate(x, end + 2 * i, now, told ? now->q[x->q] : now->memory[i]);
        if (is_angle(x->measure)) now->memory[i] = row.value;
        e->value[0] = r_add(e->value[0], r_mul(f, row.value));
        e->rate[0]  = r_add(e->rate[0], r_mul(f, row.rate));
        e->h[0]     = r_add(e->h[0], r_mul(f, row.h));
        for (int n = 0; n < 2; ++n) e->G[2 * i + n] = sv_scale(f, row.G[n]);
    }
}
