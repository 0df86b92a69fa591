// SPDX-License-Identifier: BSD-3-Clause
// Inverse dynamics over traced numbers: the recursion of kinematics/inverse_dynamics.c with fewer operations.
//
// B = alpha~ + w~ w~ is not computed anew for every link. A joint about z does not change B z, and
// B + B' = 2 (w w' - w.w):
//
//   revolute   w = Q'wp + z qd,   alpha_z = z.Q'alphap + qdd
//              column z of B  =  Q' Bp (Q z),     Bzx = 2 wx wz - Bxz,   Bzy = 2 wy wz - Byz
//              Bxx = -(wy^2 + wz^2),  Byy = -(wx^2 + wz^2),  Bxy, Byx = wx wy -+ alpha_z
//   link       f = m a + B h,     n = h x a + axial(B J),
//              n_z = Izz alpha_z + wx wy (Jxx - Jyy) + (wy^2 - wx^2) Jxy + Byz Jxz - Bxz Jyz
#include "generate/trace/traced_links.h"

#include <stdlib.h>

static mat3 acceleration_matrix(vec3 w, vec3 alpha)
{
    const real xx = r_mul(w.x, w.x), yy = r_mul(w.y, w.y), zz = r_mul(w.z, w.z);
    const real xy = r_mul(w.x, w.y), xz = r_mul(w.x, w.z), yz = r_mul(w.y, w.z);
    return (mat3){r_neg(r_add(yy, zz)), r_sub(xy, alpha.z),   r_add(xz, alpha.y),
                  r_add(xy, alpha.z),   r_neg(r_add(xx, zz)), r_sub(yz, alpha.x),
                  r_sub(xz, alpha.y),   r_add(yz, alpha.x),   r_neg(r_add(xx, yy))};
}

// B and alpha from column z of B and alpha_z.
static void fill_acceleration_matrix(traced_motion* m, vec3 column, real alpha_z)
{
    const vec3 w  = m->w;
    const real xx = r_mul(w.x, w.x), yy = r_mul(w.y, w.y), zz = r_mul(w.z, w.z), xy = r_mul(w.x, w.y);
    const real xz = r_mul(w.x, w.z), yz = r_mul(w.y, w.z), two = r_const(2);
    m->B     = (mat3){r_neg(r_add(yy, zz)),
                      r_sub(xy, alpha_z),
                      column.x,
                      r_add(xy, alpha_z),
                      r_neg(r_add(xx, zz)),
                      column.y,
                      r_sub(r_mul(two, xz), column.x),
                      r_sub(r_mul(two, yz), column.y),
                      column.z};
    m->alpha = v3(r_sub(yz, column.y), r_sub(column.x, xz), alpha_z);
}

// B times a vector that is constant in the frame of the link. If x or y of the vector is zero, rotated columns of B are
// used, which need fewer operations.
static vec3 times_link_constant(const traced_link* b, mat3 B, vec3 c)
{
    if (!b || b->frame_rotation.is_identity || (!r_is_constant(c.x, 0) && !r_is_constant(c.y, 0)))
        return m3_mul(B, b ? z_rotate(b->frame_rotation, c) : c);
    const real one = r_const(1), zero = r_const(0);
    vec3       y = v3_scale(c.z, m3_column_z(B));
    if (!r_is_constant(c.x, 0))
        y = v3_add(y, v3_scale(c.x, m3_mul(B, z_rotate(b->frame_rotation, v3(one, zero, zero)))));
    if (!r_is_constant(c.y, 0))
        y = v3_add(y, v3_scale(c.y, m3_mul(B, z_rotate(b->frame_rotation, v3(zero, one, zero)))));
    return y;
}

static vec3 acceleration_at(const traced_link* b, const traced_link* parent, const traced_motion* m)
{
    if (b->link->motion == CD_REVOLUTE)
        return v3_add(m->a, times_link_constant(parent, m->B, link_vector(b, b->link->p)));
    return v3_add(m->a, m3_mul(m->B, b->p));
}

// Add the relative motion of a spherical or free joint.
static void ball_or_free_motion(const tracing* t, const traced_link* b, bool accelerated, vec3 w0, vec3 alpha0,
                                traced_motion* m)
{
    const real* v              = t->v + b->link->v;
    spatial     joint_velocity = sv_zero(), joint_acceleration = sv_zero();
    for (int i = 0; i < b->link->nv; ++i) {
        joint_velocity = sv_add_scaled(joint_velocity, v[i], b->S[i]);
        if (accelerated) joint_acceleration = sv_add_scaled(joint_acceleration, t->a[b->link->v + i], b->S[i]);
    }
    m->w     = v3_add(w0, joint_velocity.a);
    m->alpha = v3_add(v3_add(alpha0, v3_cross(w0, joint_velocity.a)), joint_acceleration.a);
    m->a     = v3_add(v3_add(m->a, v3_scale(r_const(2), v3_cross(w0, joint_velocity.l))), joint_acceleration.l);
    m->B     = acceleration_matrix(m->w, m->alpha);
    if (b->link->motion != CD_FREE_REVERSED) return;
    vec3 Rw = v3_zero(), xRw = v3_zero();
    for (int i = 3; i < 6; ++i) {
        Rw  = v3_add_scaled(Rw, r_neg(v[i]), b->S[i].a);
        xRw = v3_add_scaled(xRw, r_neg(v[i]), b->S[i].l);
    }
    m->a = v3_add(m->a, v3_add(v3_scale(r_const(2), v3_cross(Rw, v3(v[0], v[1], v[2]))), v3_cross(Rw, xRw)));
}

static void outward(const tracing* t, int i, bool accelerated, const traced_motion* parent, traced_motion* m)
{
    const traced_link*  b           = &t->link[i];
    const cd_tree_link* link        = b->link;
    const traced_link*  parent_link = link->parent >= 0 ? &t->link[link->parent] : NULL;
    const vec3          w0          = vector_from_parent(b, parent->w);
    m->a                            = vector_from_parent(b, acceleration_at(b, parent_link, parent));
    if (link->motion >= CD_SPHERICAL) {
        ball_or_free_motion(t, b, accelerated, w0, vector_from_parent(b, parent->alpha), m);
        return;
    }
    const real qd = t->v[link->v], qdd = accelerated ? t->a[link->v] : r_const(0), zero = r_const(0);
    const bool is_rotation        = link->motion != CD_PRISMATIC;
    const real axial_velocity     = link->motion == CD_REVOLUTE    ? zero
                                    : link->motion == CD_PRISMATIC ? qd
                                                                   : r_mul(cd_link_constant(b, &link->pitch), qd);
    const real axial_acceleration = link->motion == CD_REVOLUTE    ? zero
                                    : link->motion == CD_PRISMATIC ? qdd
                                                                   : r_mul(cd_link_constant(b, &link->pitch), qdd);
    m->w                          = is_rotation ? v3(w0.x, w0.y, r_add(w0.z, qd)) : w0;

    const vec3 e =
        v3(cd_link_constant(b, &link->R[2]), cd_link_constant(b, &link->R[5]), cd_link_constant(b, &link->R[8]));
    const vec3 column = vector_from_parent(b, times_link_constant(parent_link, parent->B, e));
    real       alpha  = v3_dot(parent->alpha, parent_link ? z_rotate(parent_link->frame_rotation, e) : e);
    if (is_rotation) alpha = r_add(alpha, qdd);
    fill_acceleration_matrix(m, column, alpha);
    if (!is_rotation && !b->has_tree_rotation && b->rotation_before.is_identity && b->rotation_after.is_identity)
        m->B = parent->B, m->alpha = parent->alpha;
    // 2 w0 x (0, 0, axial_velocity)
    const real twice = r_mul(r_const(2), axial_velocity);
    m->a = v3(r_add(m->a.x, r_mul(twice, w0.y)), r_sub(m->a.y, r_mul(twice, w0.x)), r_add(m->a.z, axial_acceleration));
}

static void inertia_forces(const traced_link* b, traced_motion* m)
{
    const vec3 h = link_first_moment(b);
    const sym3 J = link_second_moment(b);
    const mat3 B = m->B;
    m->f =
        v3_add(v3_scale(cd_link_constant(b, &b->link->m), m->a), times_link_constant(b, B, link_vector(b, b->link->h)));
    const real in_plane = r_add(cd_link_constant(b, &b->link->J[0]), cd_link_constant(b, &b->link->J[1]));
    const real wx = m->w.x, wy = m->w.y;
    vec3       n;
    n.x  = r_add(r_add(r_mul(B.zx, J.xy), r_mul(B.zy, J.yy)),
                 r_sub(r_mul(B.zz, J.yz), r_add(r_add(r_mul(B.yx, J.xz), r_mul(B.yy, J.yz)), r_mul(B.yz, J.zz))));
    n.y  = r_sub(r_add(r_add(r_mul(B.xx, J.xz), r_mul(B.xy, J.yz)), r_mul(B.xz, J.zz)),
                 r_add(r_add(r_mul(B.zx, J.xx), r_mul(B.zy, J.xy)), r_mul(B.zz, J.xz)));
    n.z  = r_add(r_add(r_mul(in_plane, m->alpha.z), r_mul(r_mul(wx, wy), r_sub(J.xx, J.yy))),
                 r_add(r_mul(r_sub(r_mul(wy, wy), r_mul(wx, wx)), J.xy), r_sub(r_mul(B.yz, J.xz), r_mul(B.xz, J.yz))));
    m->n = v3_add(n, v3_cross(h, m->a));
}

static void joint_efforts(const traced_link* b, const traced_motion* m, real* tau)
{
    const cd_tree_link* link = b->link;
    for (int i = 0; i < link->nv; ++i) {
        const real e     = sv_dot(b->S[i], (spatial){m->n, m->f});
        tau[link->v + i] = link->is_flipped ? r_neg(e) : e;
    }
}

// Rotate a vector from the frame of the model link to the axes of the traced link.
static vec3 from_link(const traced_link* b, vec3 a)
{
    return z_rotate(b->frame_rotation, b->link->is_flipped ? v3(a.x, r_neg(a.y), r_neg(a.z)) : a);
}

traced_motion cd_traced_ground_motion(const tracing* t)
{
    return (traced_motion){.w     = v3_zero(),
                           .alpha = v3_zero(),
                           .a     = v3_neg(v3_const(t->tree->gravity)),
                           .B     = acceleration_matrix(v3_zero(), v3_zero()),
                           .n     = v3_zero(),
                           .f     = v3_zero()};
}

void cd_traced_link_motion(const tracing* t, int i, bool accelerated, traced_motion* m)
{
    outward(t, i, accelerated, &m[t->tree->link[i].parent], &m[i]);
    inertia_forces(&t->link[i], &m[i]);
}

cardan_status cd_traced_inverse_dynamics(const tracing* t, bool accelerated, const spatial* wrench, real* tau)
{
    const cd_link_tree* tree    = t->tree;
    traced_motion*      storage = cd_allocate((size_t)tree->nlink + 1, sizeof *storage);
    if (!storage) return CARDAN_NO_MEMORY;
    traced_motion* m = storage + 1;
    m[-1]            = cd_traced_ground_motion(t);
    for (int k = 0; k < 2 * tree->nlink; ++k) {
        const bool         enters = t->euler_tour[k] >= 0;
        const int          i      = enters ? t->euler_tour[k] : ~t->euler_tour[k];
        const traced_link* b      = &t->link[i];
        if (enters) {
            cd_traced_link_motion(t, i, accelerated, m);
            if (!wrench) continue;
            m[i].n = v3_sub(m[i].n, from_link(b, wrench[tree->link[i].model_link].a));
            m[i].f = v3_sub(m[i].f, from_link(b, wrench[tree->link[i].model_link].l));
            continue;
        }
        traced_motion* parent = &m[tree->link[i].parent];
        joint_efforts(b, &m[i], tau);
        const vec3 f = vector_to_parent(b, m[i].f);
        parent->f    = v3_add(parent->f, f);
        parent->n    = v3_add(parent->n, v3_add(vector_to_parent(b, m[i].n), v3_cross(b->p, f)));
    }
    for (int i = 0; accelerated && i < tree->nv; ++i)
        if (tree->armature[i] != 0)
            tau[i] = r_add(tau[i], r_mul(r_const(tree->armature[i]), traced_input(t, t->in->a + i)));
    free(storage);
    return CARDAN_OK;
}
