// SPDX-License-Identifier: BSD-3-Clause
// The lock: relative pose of two markers; each of its six motions is locked, follows a law of time, or is free. It
// closes every joint type. Paper 000, section 2.
//
//   translation i   c = u.d - x(t)          u: axis i of end 0, d: from end 0 to end 1 (coordinate.c)
//   rotation i      c = 2 e_i               (e0, e) = conj(q0 qt) q1, kept with e0 >= 0
//                   cdot = g.w              w = R1'(w1 - w0 - wt),  g = e0 1_i + 1_i x e
//                   cddot = g.(R1'(alpha1 - alpha0 - alphat + w1 x (w0 + wt))) + gdot.w
//   Hooke           c = a0.a1 - design      cdot = (a0 x a1).(w0 - w1)
//   screw           c = z.d - pitch theta   theta: angle about z, turns counted
//
// qt, wt, alphat: how the laws of rotation turn end 0 before it is compared: about x, then the new y, then the new z.
// Quaternions, not products of axes, so that a hinge cannot close upside down.
#include "constraint/constraint.h"
#include "math/rotation.h"

static const unsigned translations[3] = {CD_LOCK_X, CD_LOCK_Y, CD_LOCK_Z};
static const unsigned rotations[3]    = {CD_LOCK_RX, CD_LOCK_RY, CD_LOCK_RZ};

static int translation_rows(const cd_constraint* c, const cd_end* end, const cd_moment* now, cd_equations* e)
{
    const cd_apart apart = cd_apart_of(end);
    int            row   = 0;
    for (int i = 0; i < 3; ++i) {
        if (!(c->locks & translations[i])) continue;
        cd_scalar_row r = cd_row_toward(end, &apart, m3_column(end[0].T.R, i));
        if (c->law[i]) {
            const cd_law_values law = cd_law_of(c, now, i);
            cd_row_less(&r, law.x, law.v, law.a);
        }
        cd_row_put(&r, row++, e);
    }
    return row;
}

// End 0 as the laws turn it, and the angular acceleration they add to that of the body.
typedef struct target {
    mat3 R;
    vec3 w, added;
} target;

static target turned(const cd_constraint* c, const cd_end* end, const cd_moment* now)
{
    target t = {end[0].T.R, end[0].w, v3_zero()};
    for (int i = 0; i < 3; ++i) {
        if (!c->law[3 + i]) continue;
        const cd_law_values law  = cd_law_of(c, now, 3 + i);
        const vec3          axis = m3_column(t.R, i), w = v3_scale(law.v, axis);
        t.added                  = v3_add_scaled(v3_add(t.added, v3_cross(t.w, w)), law.a, axis);
        t.w                      = v3_add(t.w, w);
        t.R                      = m3_mul_m3(t.R, m3_turn(v3_unit(i), law.x));
    }
    return t;
}

// e0 1_i + 1_i x e
static vec3 about(int i, real e0, vec3 e)
{
    return i == 0 ? v3(e0, r_neg(e.z), e.y) : i == 1 ? v3(e.z, e0, r_neg(e.x)) : v3(r_neg(e.y), e.x, e0);
}

static int rotation_rows(const cd_constraint* c, const cd_end* end, const cd_moment* now, int row, cd_equations* e)
{
    const target t = turned(c, end, now);
    const mat3   R = end[1].T.R;
    real         q[4];
    quaternion_of(m3_between(t.R, R), q);
    const vec3 v = v3(q[1], q[2], q[3]), w = m3_tmul(R, v3_sub(end[1].w, t.w));
    const vec3 bias    = m3_tmul(R, v3_sub(v3_cross(end[1].w, t.w), t.added));
    const real e0_rate = r_times(-0.5, v3_dot(v, w));
    const vec3 v_rate  = v3_scale(r_lift(0.5), v3_add_scaled(v3_cross(v, w), q[0], w));
    for (int i = 0; i < 3; ++i) {
        if (!(c->locks & rotations[i])) continue;
        const vec3 g = about(i, q[0], v), world = m3_mul(R, g);
        e->value[row]     = r_times(2, q[i + 1]);
        e->rate[row]      = v3_dot(g, w);
        e->G[2 * row]     = (spatial){v3_neg(world), v3_zero()};
        e->G[2 * row + 1] = (spatial){world, v3_zero()};
        e->h[row]         = r_add(v3_dot(g, bias), v3_dot(about(i, e0_rate, v_rate), w));
        ++row;
    }
    return row;
}

static void hooke_row(const cd_constraint* c, const cd_end* end, int row, cd_equations* e)
{
    const vec3 a0 = m3_mul(end[0].T.R, v3_lift(c->axis[0])), a1 = m3_mul(end[1].T.R, v3_lift(c->axis[1]));
    const vec3 n = v3_cross(a0, a1), w = v3_sub(end[0].w, end[1].w);
    const vec3 rate   = v3_add(v3_cross(v3_cross(end[0].w, a0), a1), v3_cross(a0, v3_cross(end[1].w, a1)));
    e->value[row]     = r_sub(v3_dot(a0, a1), v3_dot(v3_lift(c->axis[0]), v3_lift(c->axis[1])));
    e->rate[row]      = v3_dot(n, w);
    e->G[2 * row]     = (spatial){n, v3_zero()};
    e->G[2 * row + 1] = (spatial){v3_neg(n), v3_zero()};
    e->h[row]         = v3_dot(rate, w);
}

static void screw_row(const cd_constraint* c, const cd_end* end, const cd_moment* now, int row, cd_equations* e)
{
    const real          pitch = r_lift(c->parameter[0]);
    const cd_scalar_row angle = cd_row_angle(end, now->memory[0]);
    cd_scalar_row       r     = cd_row_along(end, m3_column_z(end[0].T.R));
    now->memory[0]            = angle.value;
    cd_row_less(&r, r_mul(pitch, angle.value), r_mul(pitch, angle.rate), r_mul(pitch, angle.h));
    for (int k = 0; k < 2; ++k) r.G[k] = sv_add_scaled(r.G[k], r_neg(pitch), angle.G[k]);
    cd_row_put(&r, row, e);
}

void cd_evaluate_lock(const cd_constraint* c, const cd_end* end, const cd_moment* now, cd_equations* e)
{
    int row = c->locks & (CD_LOCK_X | CD_LOCK_Y | CD_LOCK_Z) ? translation_rows(c, end, now, e) : 0;
    if (c->screw) screw_row(c, end, now, row++, e);
    if (c->locks & (CD_LOCK_RX | CD_LOCK_RY | CD_LOCK_RZ)) row = rotation_rows(c, end, now, row, e);
    if (c->hooke) hooke_row(c, end, row++, e);
}

void cd_take_locks(unsigned locks, cd_constraint* c)
{
    c->locks = locks;
    c->nrow  = 0;
    for (unsigned bits = locks; bits; bits &= bits - 1) ++c->nrow;
    c->nposition = c->nrow;
}

static bool prepare(const cd_prepare* p, cd_constraint* c)
{
    unsigned locks = p->described->locked & 63u;
    if (!cd_take_markers(p, c)) return false;
    cd_take_rest(p, c);
    for (int i = 0, row = 0; i < 6; ++i) {
        if (cd_take_law(p, i, c)) {
            locks |= 1u << i;
            c->driven |= 1u << row;
        }
        row += (locks & 1u << i) != 0;
    }
    if (locks == 0) return cd_refuse(p, "all its motions are free, so it holds nothing");
    cd_take_locks(locks, c);
    return true;
}

const cd_constraint_type cd_constraint_lock = {
    .name     = "lock",
    .summary  = "relative pose of two markers, each of its six motions locked, driven by a law of time, or free",
    .fields   = "markers, locked motions, laws, rest pose",
    .prepare  = prepare,
    .evaluate = cd_evaluate_lock,
};
