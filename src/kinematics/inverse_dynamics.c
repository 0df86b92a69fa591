// SPDX-License-Identifier: BSD-3-Clause
// Inverse dynamics by recursive Newton-Euler in body axes. The matrix B = alpha~ + w~ w~ gives the acceleration of any
// point, a(r) = a + B r, and is shared by all terms that need one. Cost: O(nlink).
//
//   outward   w = R'wp + s         alpha = R'alphap + (R'wp) x s + sdot      s, u: relative angular and linear velocity
//             a = R'(ap + Bp p) + 2 (R'wp) x u + udot
//   link      f = m a + B h        n = h x a + axial(B J)                     J: integral of r r' = (tr I / 2) 1 - I
//   inward    tau = S'(n, f) + armature * qdd                                 fp += R f,  np += R n + p x (R f)
//
// Gravity enters as an upward acceleration of ground. Paper 003, section 3.2.1 (implicit form);
// docs/theory/implicit.md.
#include "kinematics/kinematics.h"
#include "kinematics/elementary_motion.h"

static inline mat3 acceleration_matrix(vec3 w, vec3 alpha)
{
    const real xx = r_mul(w.x, w.x), yy = r_mul(w.y, w.y), zz = r_mul(w.z, w.z);
    const real xy = r_mul(w.x, w.y), xz = r_mul(w.x, w.z), yz = r_mul(w.y, w.z);
    return (mat3){r_neg(r_add(yy, zz)), r_sub(xy, alpha.z),   r_add(xz, alpha.y),
                  r_add(xy, alpha.z),   r_neg(r_add(xx, zz)), r_sub(yz, alpha.x),
                  r_sub(xz, alpha.y),   r_add(yz, alpha.x),   r_neg(r_add(xx, yy))};
}

// Moment of inertia forces about the origin, without h x a: integral of r x B r = axial(B J)
static inline vec3 inertia_moment(sym3 J, mat3 B)
{
    const vec3 Jx = v3(J.xx, J.xy, J.xz), Jy = v3(J.xy, J.yy, J.yz), Jz = v3(J.xz, J.yz, J.zz);
    const vec3 Bx = v3(B.xx, B.xy, B.xz), By = v3(B.yx, B.yy, B.yz), Bz = v3(B.zx, B.zy, B.zz);
    return v3(r_sub(v3_dot(Bz, Jy), v3_dot(By, Jz)), r_sub(v3_dot(Bx, Jz), v3_dot(Bz, Jx)),
              r_sub(v3_dot(By, Jx), v3_dot(Bx, Jy)));
}

static inline void outward(const cd_link* link, const cd_kinematics* k, int i, const real* v, const real* a)
{
    const cd_link_motion* parent = &k->motion[link->parent];
    cd_link_motion*       self   = &k->motion[i];
    const frame           X      = k->X[i];
    const vec3            w      = m3_tmul(X.R, parent->w);
    const vec3            ap     = m3_tmul(X.R, v3_add(parent->a, m3_mul(parent->B, X.p)));
    vec3                  alpha  = m3_tmul(X.R, parent->alpha);

    if (link->motion == CD_REVOLUTE) {
        const real s = v[link->v];
        self->w      = v3(w.x, w.y, r_add(w.z, s));
        alpha =
            v3(r_add(alpha.x, r_mul(w.y, s)), r_sub(alpha.y, r_mul(w.x, s)), a ? r_add(alpha.z, a[link->v]) : alpha.z);
        self->a = ap;
    } else {
        const spatial rate   = joint_twist(link, k->S, v);
        const spatial change = a ? joint_twist(link, k->S, a) : sv_zero();
        self->w              = v3_add(w, rate.a);
        alpha                = v3_add(v3_add(alpha, v3_cross(w, rate.a)), change.a);
        self->a              = v3_add(v3_add(ap, v3_scale(r_const(2), v3_cross(w, rate.l))), change.l);
        if (link->motion == CD_FREE_REVERSED) self->a = v3_add(self->a, joint_bias_acceleration(link, k->S, v));
    }
    self->alpha = alpha;
    self->B     = acceleration_matrix(self->w, alpha);
}

static inline spatial newton_euler(const cd_link* link, const cd_link_motion* motion)
{
    const vec3 h = v3_const(link->h);
    return (spatial){v3_add(inertia_moment(s3_const(link->second_moment), motion->B), v3_cross(h, motion->a)),
                     v3_add(v3_scale(r_const(link->m), motion->a), m3_mul(motion->B, h))};
}

spatial cd_link_net_wrench(const cardan_model* m, const cd_kinematics* k, int i, const spatial* wrench)
{
    const spatial F = m->link[i].is_massless ? sv_zero() : newton_euler(&m->link[i], &k->motion[i]);
    return wrench ? (spatial){v3_sub(F.a, wrench->a), v3_sub(F.l, wrench->l)} : F;
}

// A free body about its mass centre: m (a - g) - F in world axes, I alpha + w x I w - n in body axes.
static inline void free_body_newton_euler(const cardan_model* m, const cd_link* link, mat3 R, const real* v,
                                          const real* a, const spatial* wrench, real* tau)
{
    const sym3 I = s3_const(link->I);
    const vec3 w = v3(v[3], v[4], v[5]), g = v3_const(m->view.gravity);
    vec3 f = v3_scale(r_const(link->m), a ? v3_sub(v3(a[0], a[1], a[2]), g) : v3_neg(g)), n = v3_cross(w, s3_mul(I, w));
    if (a) n = v3_add(n, s3_mul(I, v3(a[3], a[4], a[5])));
    if (wrench) {
        f = v3_sub(f, m3_mul(R, wrench->l));
        n = v3_sub(n, wrench->a);
    }
    tau[0] = f.x, tau[1] = f.y, tau[2] = f.z;
    tau[3] = n.x, tau[4] = n.y, tau[5] = n.z;
}

void cd_inverse_dynamics_free(const cardan_model* m, const cd_kinematics* k, const real* v, const spatial* wrench,
                              int from, int to, real* tau)
{
    for (int i = from; i < to; ++i) {
        const int u = m->link[i].v;
        free_body_newton_euler(m, &m->link[i], k->X[i].R, v + u, NULL, wrench ? &wrench[i] : NULL, tau + u);
    }
}

static void init_ground(const cardan_model* m, cd_kinematics* k)
{
    k->motion[-1] = (cd_link_motion){.w     = v3_zero(),
                                     .alpha = v3_zero(),
                                     .a     = v3_neg(v3_const(m->view.gravity)),
                                     .B     = acceleration_matrix(v3_zero(), v3_zero()),
                                     .n     = v3_zero(),
                                     .f     = v3_zero()};
}

static inline void link_newton_euler(const cd_link* link, const cd_kinematics* k, int i, const real* v, const real* a)
{
    outward(link, k, i, v, a);
    const spatial F = newton_euler(link, &k->motion[i]);
    k->motion[i].n  = F.a;
    k->motion[i].f  = F.l;
}

void cd_link_wrenches(const cardan_model* m, cd_kinematics* k, const real* v, int from, int to)
{
    if (from == 0) init_ground(m, k);
    for (int i = from; i < to; ++i) link_newton_euler(&m->link[i], k, i, v, NULL);
}

void cd_inverse_dynamics(const cardan_model* m, cd_kinematics* k, const real* v, const real* a, const spatial* wrench,
                         real* tau)
{
    init_ground(m, k);
    for (int i = 0; i < m->nlink; ++i) {
        const int u = m->link[i].v;
        if (cd_link_is_free(m, &m->link[i])) {
            free_body_newton_euler(m, &m->link[i], k->X[i].R, v + u, a ? a + u : NULL, wrench ? &wrench[i] : NULL,
                                   tau + u);
            continue;
        }
        link_newton_euler(&m->link[i], k, i, v, a);
        if (wrench) {
            k->motion[i].n = v3_sub(k->motion[i].n, wrench[i].a);
            k->motion[i].f = v3_sub(k->motion[i].f, wrench[i].l);
        }
    }
    for (int i = m->nlink - 1; i >= 0; --i) {
        const cd_link*        link   = &m->link[i];
        const cd_link_motion* motion = &k->motion[i];
        if (cd_link_is_free(m, link)) continue;
        cd_link_motion* parent = &k->motion[link->parent];
        joint_effort(link, k->S, motion->n, motion->f, tau);
        const vec3 f = m3_mul(k->X[i].R, motion->f);
        parent->f    = v3_add(parent->f, f);
        parent->n    = v3_add(parent->n, v3_add(m3_mul(k->X[i].R, motion->n), v3_cross(k->X[i].p, f)));
    }
    if (!a) return;
    for (int i = 0; i < m->nv; ++i)
        if (m->armature[i] != 0) tau[i] = r_add(tau[i], r_mul(r_const(m->armature[i]), a[i]));
}
