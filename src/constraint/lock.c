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
// The ends of a lock in a model file stand so that its rest pose is zero, ways and rotations each by themselves
// (cd_take_rest): p = rest + ways, R = rotations times that of rest. Those of joints are the frames of the joint.
//
// qt, wt, alphat: how the laws of rotation turn end 0 before it is compared: about x, then the new y, then the new z.
// Where further laws turn on, or other rotations are free, a law moves all rows of rotation, also those of locked ones,
// by -g.axis per radian (cd_moved_by).
// Quaternions, not products of axes, so that a hinge cannot close upside down.
#include "constraint/constraint.h"
#include "math/rotation.h"

static const unsigned translations[3] = {CD_LOCK_X, CD_LOCK_Y, CD_LOCK_Z};

// The law of motion i taken off a row.
static void follow_law(const cd_constraint* c, const cd_moment* now, int i, int row, cd_equations* e)
{
    const cd_law_values law = cd_law_of(c, now, i);
    e->value[row]           = r_sub(e->value[row], law.x);
    e->rate[row]            = r_sub(e->rate[row], law.v);
    e->h[row]               = r_sub(e->h[row], law.a);
}

// Rows of three motions, side by side as they are computed.
typedef struct three_rows {
    triple  value, rate, h;
    abreast turn[2], move; // on the rotations of both ends; on the translation of end 1, the opposite on that of end 0
} three_rows;

static inline void put_row(const three_rows* r, int i, int row, cd_equations* e)
{
    const vec3 move   = abreast_at(&r->move, i);
    e->value[row]     = t3_at(r->value, i);
    e->rate[row]      = t3_at(r->rate, i);
    e->h[row]         = t3_at(r->h, i);
    e->G[2 * row]     = (spatial){abreast_at(&r->turn[0], i), v3_neg(move)};
    e->G[2 * row + 1] = (spatial){abreast_at(&r->turn[1], i), move};
}

static int translation_rows(const cd_constraint* c, const cd_end* end, const cd_moment* now, cd_equations* e)
{
    const cd_apart   apart = cd_apart_of(end);
    const abreast*   u     = &end[0].axes;
    const three_rows r     = {.value = abreast_dot(u, apart.d),
                              .rate  = abreast_dot(u, apart.s),
                              .h     = abreast_dot(u, apart.h),
                              .turn  = {abreast_cross(u, v3_add(end[0].r, apart.d)), abreast_cross(u, v3_neg(end[1].r))},
                              .move  = *u};
    int              row   = 0;
    if (c->locks & CD_LOCK_X) put_row(&r, 0, row++, e);
    if (c->locks & CD_LOCK_Y) put_row(&r, 1, row++, e);
    if (c->locks & CD_LOCK_Z) put_row(&r, 2, row++, e);
    for (int i = 0, k = 0; c->follows && i < 3; k += (c->locks & translations[i]) != 0, ++i)
        if (c->law[i]) follow_law(c, now, i, k, e);
    return row;
}

// End 0 as the laws turn it, and the angular acceleration they add to that of the body.
typedef struct target {
    mat3 R;
    vec3 w, added;
    vec3 axis[3]; // that each of the laws turns about
} target;

static target turned(const cd_constraint* c, const cd_end* end, const cd_moment* now)
{
    target t = {end[0].T.R, end[0].w, v3_zero(), {v3_zero(), v3_zero(), v3_zero()}};
    for (int i = 0; i < 3; ++i) {
        if (!c->law[3 + i]) continue;
        const cd_law_values law  = cd_law_of(c, now, 3 + i);
        const vec3          axis = m3_column(t.R, i), w = v3_scale(law.v, axis);
        t.axis[i] = axis;
        t.added   = v3_add_scaled(v3_add(t.added, v3_cross(t.w, w)), law.a, axis);
        t.w       = v3_add(t.w, w);
        t.R       = m3_mul_m3(t.R, m3_turn(v3_unit(i), law.x));
    }
    return t;
}

// (e0, e) of the turn from one set of axes to the other, e in the world.
typedef struct between {
    real e0;
    vec3 e;
} between;

static between between_matrices(mat3 R0, mat3 R1)
{
    real q[4];
    quaternion_of(m3_between(R0, R1), q);
    return (between){q[0], m3_mul(R1, v3(q[1], q[2], q[3]))};
}

// 4 e0 e is the sum of the cross products of the axes, 4 e0^2 - 1 of their products: good where e0 is not small.
static inline between between_axes(const abreast* u, const abreast* v)
{
    const real trace = t3_sum(t3_add(t3_add(t3_mul(u->x, v->x), t3_mul(u->y, v->y)), t3_mul(u->z, v->z)));
    if (!r_decides() || !(r_value(trace) > 0)) return between_matrices(abreast_matrix(u), abreast_matrix(v));
    const vec3 x    = v3(t3_sum(t3_sub(t3_mul(u->y, v->z), t3_mul(u->z, v->y))),
                         t3_sum(t3_sub(t3_mul(u->z, v->x), t3_mul(u->x, v->z))),
                         t3_sum(t3_sub(t3_mul(u->x, v->y), t3_mul(u->y, v->x))));
    const real root = r_sqrt(r_add(r_lift(1), trace)), e0 = r_times(0.5, root);
    const vec3 e    = v3_scale(r_div(r_lift(0.5), root), x);
    const real unit = unit_factor(r_add(r_mul(e0, e0), v3_dot(e, e)));
    return (between){r_mul(unit, e0), v3_scale(unit, e)};
}

// In the world, where e and the axes of end 1 are R1 e and R1 1_i: g.w = e0 w_i + (1_i x e).w, and likewise with the
// rates of e0 and e, whose part along w is nothing to w.
static int rotation_rows(const cd_constraint* c, const cd_end* end, const cd_moment* now, int row, cd_equations* e)
{
    const abreast* v  = &end[1].axes;
    abreast        u  = end[0].axes;
    vec3           w0 = end[0].w, added = v3_zero();
    if (c->follows && (c->law[3] | c->law[4] | c->law[5])) {
        const target t = turned(c, end, now);
        u              = abreast_columns(t.R);
        w0             = t.w;
        added          = t.added;
    }
    const between    q = between_axes(&u, v);
    const vec3       w = v3_sub(end[1].w, w0), bias = v3_sub(v3_cross(end[1].w, w0), added);
    const vec3       k = v3_scale(r_lift(0.5), v3_add_scaled(v3_cross(v3_cross(q.e, w), w), r_neg(v3_dot(q.e, w)), w));
    const abreast    across = abreast_cross(v, q.e), g = abreast_add_scaled(&across, q.e0, v);
    const triple     none = t3_all(r_lift(0));
    const three_rows r    = {.value = t3_scale(r_lift(2), abreast_dot(v, q.e)),
                             .rate  = abreast_dot(&g, w),
                             .h     = t3_add(abreast_dot(&g, bias), abreast_dot(v, k)),
                             .turn  = {abreast_neg(&g), g},
                             .move  = {none, none, none}};
    if (c->locks & CD_LOCK_RX) put_row(&r, 0, row++, e);
    if (c->locks & CD_LOCK_RY) put_row(&r, 1, row++, e);
    if (c->locks & CD_LOCK_RZ) put_row(&r, 2, row++, e);
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

// Rows of a lock's rotations stand behind those of its translations.
static int first_rotation(const cd_constraint* c)
{
    int row = c->screw;
    for (int i = 0; i < 3; ++i) row += (c->locks & translations[i]) != 0;
    return row;
}

unsigned cd_moved_rows(const cd_constraint* c)
{
    const bool turns = c->type == &cd_constraint_lock && (c->law[3] | c->law[4] | c->law[5]);
    return turns ? c->driven | ((1u << c->nrow) - 1) >> first_rotation(c) << first_rotation(c) : c->driven;
}

void cd_moved_by(const cd_constraint* c, const cd_end* end, const cd_moment* now, const cd_equations* e, int row,
                 real* part)
{
    for (int i = 0; i < c->nrow; ++i) part[i] = r_lift(i == row);
    if (c->type != &cd_constraint_lock || row < first_rotation(c)) return;
    const target t = turned(c, end, now);
    int          i = 0;
    for (int k = first_rotation(c); !(c->locks >> (3 + i) & 1) || k++ < row;) ++i;
    for (int k = first_rotation(c); k < c->nrow; ++k) part[k] = v3_dot(e->G[2 * k + 1].a, t.axis[i]);
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
