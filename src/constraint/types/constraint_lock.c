// SPDX-License-Identifier: BSD-3-Clause
// Lock: relative pose of two markers; each of its six motions is locked, driven or free. It represents every joint type
// as a constraint. Paper 000, section 2.
//
//   translation i   c = u.d - x(t)          u: axis i of end 0, d: from end 0 to end 1 (coordinate_rows.c)
//   rotation i      c = 2 e_i               (e0, e) = conj(q0 qt) q1, kept with e0 >= 0
//                   cdot = g.w              w = R1'(w1 - w0 - wt),  g = e0 1_i + 1_i x e
//                   cddot = g.(R1'(alpha1 - alpha0 - alphat + w1 x (w0 + wt))) + gdot.w
//   universal       c = a0.a1 - design      cdot = (a0 x a1).(w0 - w1)
//   screw           c = z.d - pitch theta   theta: angle about z, with winding number
//
// The ends of a lock in a model file are placed so that its reference pose is zero, for translations and rotations
// separately (cd_constraint_init_reference): p = reference + translations, R = rotations times that of the reference.
// Those of joints are the joint frames.
//
// qt, wt, alphat: driven frame, i.e. the rotation of end 0 by the driver functions before the comparison: about x, then
// the new y, then the new z. If further rotations are driven or free, a driver changes all rotation rows, also locked
// ones, by -g.axis per radian (cd_driver_sensitivity). Quaternions instead of products of axes exclude the solution of
// a revolute joint rotated by pi.
#include "constraint/constraint.h"
#include "math/rotation.h"

static const unsigned translation_bits[3] = {CD_LOCK_X, CD_LOCK_Y, CD_LOCK_Z};

// Subtract the driver function of motion i from a row.
static void subtract_driver(const cd_constraint* c, const cd_constraint_context* context, int i, int row,
                            cd_constraint_equations* e)
{
    const cd_driver_values driver = cd_driver_values_of(c, context, i);
    e->value[row]                 = r_sub(e->value[row], driver.x);
    e->rate[row]                  = r_sub(e->rate[row], driver.v);
    e->h[row]                     = r_sub(e->h[row], driver.a);
}

// Rows of three motions, componentwise as they are computed.
typedef struct three_rows {
    real3  value, rate, h;
    vec3x3 angular[2],
        linear; // on the rotations of both ends; on the translation of end 1, the opposite on that of end 0
} three_rows;

static inline void store_row(const three_rows* r, int i, int row, cd_constraint_equations* e)
{
    const vec3 move   = vec3x3_at(&r->linear, i);
    e->value[row]     = real3_at(r->value, i);
    e->rate[row]      = real3_at(r->rate, i);
    e->h[row]         = real3_at(r->h, i);
    e->G[2 * row]     = (spatial){vec3x3_at(&r->angular[0], i), v3_neg(move)};
    e->G[2 * row + 1] = (spatial){vec3x3_at(&r->angular[1], i), move};
}

static int translation_rows(const cd_constraint* c, const cd_end_state* end, const cd_constraint_context* context,
                            cd_constraint_equations* e)
{
    const cd_relative_motion motion = cd_relative_motion_of(end);
    const vec3x3*            u      = &end[0].axes;
    const three_rows         r      = {.value = vec3x3_dot(u, motion.d),
                                       .rate  = vec3x3_dot(u, motion.s),
                                       .h     = vec3x3_dot(u, motion.h),
                                       .angular = {vec3x3_cross(u, v3_add(end[0].r, motion.d)), vec3x3_cross(u, v3_neg(end[1].r))},
                                       .linear = *u};
    int                      row    = 0;
    if (c->locked & CD_LOCK_X) store_row(&r, 0, row++, e);
    if (c->locked & CD_LOCK_Y) store_row(&r, 1, row++, e);
    if (c->locked & CD_LOCK_Z) store_row(&r, 2, row++, e);
    for (int i = 0, k = 0; c->has_driver && i < 3; k += (c->locked & translation_bits[i]) != 0, ++i)
        if (c->driver_number[i]) subtract_driver(c, context, i, k, e);
    return row;
}

// Driven frame: end 0 rotated by the driver functions, and the angular acceleration they add to that of the body.
typedef struct driven_frame {
    mat3 R;
    vec3 w, alpha_added;
    vec3 axis[3]; // rotation axis of each driver
} driven_frame;

static driven_frame driven_frame_of(const cd_constraint* c, const cd_end_state* end,
                                    const cd_constraint_context* context)
{
    driven_frame t = {end[0].T.R, end[0].w, v3_zero(), {v3_zero(), v3_zero(), v3_zero()}};
    for (int i = 0; i < 3; ++i) {
        if (!c->driver_number[3 + i]) continue;
        const cd_driver_values driver = cd_driver_values_of(c, context, 3 + i);
        const vec3             axis = m3_column(t.R, i), w = v3_scale(driver.v, axis);
        t.axis[i]     = axis;
        t.alpha_added = v3_add_scaled(v3_add(t.alpha_added, v3_cross(t.w, w)), driver.a, axis);
        t.w           = v3_add(t.w, w);
        t.R           = m3_mul_m3(t.R, m3_rotation(v3_unit(i), driver.x));
    }
    return t;
}

// (e0, e) of the rotation between two sets of axes, e in world axes.
typedef struct relative_quaternion {
    real e0;
    vec3 e;
} relative_quaternion;

static relative_quaternion relative_quaternion_of_matrices(mat3 R0, mat3 R1)
{
    real q[4];
    quaternion_of_matrix(m3_relative(R0, R1), q);
    return (relative_quaternion){q[0], m3_mul(R1, v3(q[1], q[2], q[3]))};
}

// 4 e0 e is the sum of the cross products of the axes, 4 e0^2 - 1 of their dot products: accurate if e0 is not small.
static inline relative_quaternion relative_quaternion_of_axes(const vec3x3* u, const vec3x3* v)
{
    const real trace =
        real3_sum(real3_add(real3_add(real3_mul(u->x, v->x), real3_mul(u->y, v->y)), real3_mul(u->z, v->z)));
    if (!r_can_branch() || !(r_value(trace) > 0))
        return relative_quaternion_of_matrices(vec3x3_matrix(u), vec3x3_matrix(v));
    const vec3 x    = v3(real3_sum(real3_sub(real3_mul(u->y, v->z), real3_mul(u->z, v->y))),
                         real3_sum(real3_sub(real3_mul(u->z, v->x), real3_mul(u->x, v->z))),
                         real3_sum(real3_sub(real3_mul(u->x, v->y), real3_mul(u->y, v->x))));
    const real root = r_sqrt(r_add(r_const(1), trace)), e0 = r_scale(0.5, root);
    const vec3 e    = v3_scale(r_div(r_const(0.5), root), x);
    const real unit = inverse_norm(r_add(r_mul(e0, e0), v3_dot(e, e)));
    return (relative_quaternion){r_mul(unit, e0), v3_scale(unit, e)};
}

// In world axes, where e and the axes of end 1 are R1 e and R1 1_i: g.w = e0 w_i + (1_i x e).w, and likewise with the
// rates of e0 and e, whose part along w vanishes in the product with w.
static int rotation_rows(const cd_constraint* c, const cd_end_state* end, const cd_constraint_context* context, int row,
                         cd_constraint_equations* e)
{
    const vec3x3* v  = &end[1].axes;
    vec3x3        u  = end[0].axes;
    vec3          w0 = end[0].w, alpha_added = v3_zero();
    if (c->has_driver && (c->driver_number[3] | c->driver_number[4] | c->driver_number[5])) {
        const driven_frame t = driven_frame_of(c, end, context);
        u                    = vec3x3_columns(t.R);
        w0                   = t.w;
        alpha_added          = t.alpha_added;
    }
    const relative_quaternion q = relative_quaternion_of_axes(&u, v);
    const vec3                w = v3_sub(end[1].w, w0), bias = v3_sub(v3_cross(end[1].w, w0), alpha_added);
    const vec3       k = v3_scale(r_const(0.5), v3_add_scaled(v3_cross(v3_cross(q.e, w), w), r_neg(v3_dot(q.e, w)), w));
    const vec3x3     across = vec3x3_cross(v, q.e), g = vec3x3_add_scaled(&across, q.e0, v);
    const real3      zero = real3_all(r_const(0));
    const three_rows r    = {.value   = real3_scale(r_const(2), vec3x3_dot(v, q.e)),
                             .rate    = vec3x3_dot(&g, w),
                             .h       = real3_add(vec3x3_dot(&g, bias), vec3x3_dot(v, k)),
                             .angular = {vec3x3_neg(&g), g},
                             .linear  = {zero, zero, zero}};
    if (c->locked & CD_LOCK_RX) store_row(&r, 0, row++, e);
    if (c->locked & CD_LOCK_RY) store_row(&r, 1, row++, e);
    if (c->locked & CD_LOCK_RZ) store_row(&r, 2, row++, e);
    return row;
}

static void universal_row(const cd_constraint* c, const cd_end_state* end, int row, cd_constraint_equations* e)
{
    const vec3 a0 = m3_mul(end[0].T.R, v3_const(c->axis[0])), a1 = m3_mul(end[1].T.R, v3_const(c->axis[1]));
    const vec3 n = v3_cross(a0, a1), w = v3_sub(end[0].w, end[1].w);
    const vec3 rate   = v3_add(v3_cross(v3_cross(end[0].w, a0), a1), v3_cross(a0, v3_cross(end[1].w, a1)));
    e->value[row]     = r_sub(v3_dot(a0, a1), v3_dot(v3_const(c->axis[0]), v3_const(c->axis[1])));
    e->rate[row]      = v3_dot(n, w);
    e->G[2 * row]     = (spatial){n, v3_zero()};
    e->G[2 * row + 1] = (spatial){v3_neg(n), v3_zero()};
    e->h[row]         = v3_dot(rate, w);
}

static void screw_row(const cd_constraint* c, const cd_end_state* end, const cd_constraint_context* context, int row,
                      cd_constraint_equations* e)
{
    const real          pitch = r_const(c->parameter[0]);
    const cd_scalar_row angle = cd_angle_row(end, context->history[0]);
    cd_scalar_row       r     = cd_translation_row(end, m3_column_z(end[0].T.R));
    context->history[0]       = angle.value;
    cd_scalar_row_subtract(&r, r_mul(pitch, angle.value), r_mul(pitch, angle.rate), r_mul(pitch, angle.h));
    for (int k = 0; k < 2; ++k) r.G[k] = sv_add_scaled(r.G[k], r_neg(pitch), angle.G[k]);
    cd_scalar_row_store(&r, row, e);
}

void cd_evaluate_lock(const cd_constraint* c, const cd_end_state* end, const cd_constraint_context* context,
                      cd_constraint_equations* e)
{
    int row = c->locked & (CD_LOCK_X | CD_LOCK_Y | CD_LOCK_Z) ? translation_rows(c, end, context, e) : 0;
    if (c->is_screw) screw_row(c, end, context, row++, e);
    if (c->locked & (CD_LOCK_RX | CD_LOCK_RY | CD_LOCK_RZ)) row = rotation_rows(c, end, context, row, e);
    if (c->is_universal_joint) universal_row(c, end, row++, e);
}

// First rotation row of a lock; rotations follow the translations.
static int first_rotation_row(const cd_constraint* c)
{
    int row = c->is_screw;
    for (int i = 0; i < 3; ++i) row += (c->locked & translation_bits[i]) != 0;
    return row;
}

unsigned cd_driven_row_mask(const cd_constraint* c)
{
    const bool drives_rotation =
        c->type == &cd_constraint_lock && (c->driver_number[3] | c->driver_number[4] | c->driver_number[5]);
    return drives_rotation ? c->driven_rows | ((1u << c->nrow) - 1) >> first_rotation_row(c) << first_rotation_row(c)
                           : c->driven_rows;
}

void cd_driver_sensitivity(const cd_constraint* c, const cd_end_state* end, const cd_constraint_context* context,
                           const cd_constraint_equations* e, int row, real* sensitivity)
{
    for (int i = 0; i < c->nrow; ++i) sensitivity[i] = r_const(i == row);
    if (c->type != &cd_constraint_lock || row < first_rotation_row(c)) return;
    const driven_frame t = driven_frame_of(c, end, context);
    int                i = 0;
    for (int k = first_rotation_row(c); !(c->locked >> (3 + i) & 1) || k++ < row;) ++i;
    for (int k = first_rotation_row(c); k < c->nrow; ++k) sensitivity[k] = v3_dot(e->G[2 * k + 1].a, t.axis[i]);
}

void cd_constraint_init_locks(unsigned locks, cd_constraint* c)
{
    c->locked = locks;
    c->nrow   = 0;
    for (unsigned bits = locks; bits; bits &= bits - 1) ++c->nrow;
    c->nholonomic = c->nrow;
}

static bool prepare(const cd_constraint_builder* p, cd_constraint* c)
{
    unsigned locks = p->definition->locked & 63u;
    if (!cd_constraint_init_markers(p, c)) return false;
    cd_constraint_init_reference(p, c);
    for (int i = 0, row = 0; i < 6; ++i) {
        if (cd_constraint_init_driver(p, i, c)) {
            locks |= 1u << i;
            c->driven_rows |= 1u << row;
        }
        row += (locks & 1u << i) != 0;
    }
    if (locks == 0) return cd_constraint_fail(p, "all its motions are free, so it constrains nothing");
    cd_constraint_init_locks(locks, c);
    return true;
}

const cd_constraint_type cd_constraint_lock = {
    .name     = "lock",
    .summary  = "relative pose of two markers, each of its six motions locked, driven by a function of time, or free",
    .fields   = "markers, locked motions, driver functions, reference pose",
    .prepare  = prepare,
    .evaluate = cd_evaluate_lock,
};
