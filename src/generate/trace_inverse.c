// SPDX-License-Identifier: BSD-3-Clause
// Inverse dynamics over traced numbers: the recursion of kinematics/inverse_dynamics.c with fewer operations to trace.
//
// B = alpha~ + w~ w~ is not formed anew on every bone. A joint about z leaves B z as it is, and B + B' = 2 (w w' -
// w.w):
//
//   hinge   w = Q'wp + z qd,   alpha_z = z.Q'alphap + qdd
//           column z of B  =  Q' Bp (Q z),     Bzx = 2 wx wz - Bxz,   Bzy = 2 wy wz - Byz
//           Bxx = -(wy^2 + wz^2),  Byy = -(wx^2 + wz^2),  Bxy, Byx = wx wy -+ alpha_z
//   here    f = m a + B h,     n = h x a + axial(B J),
//           n_z = Izz alpha_z + wx wy (Jxx - Jyy) + (wy^2 - wx^2) Jxy + Byz Jxz - Bxz Jyz
#include "generate/traced.h"

#include <stdlib.h>

static mat3 matrix_of(vec3 w, vec3 alpha)
{
    const real xx = r_mul(w.x, w.x), yy = r_mul(w.y, w.y), zz = r_mul(w.z, w.z);
    const real xy = r_mul(w.x, w.y), xz = r_mul(w.x, w.z), yz = r_mul(w.y, w.z);
    return (mat3){r_neg(r_add(yy, zz)), r_sub(xy, alpha.z),   r_add(xz, alpha.y),
                  r_add(xy, alpha.z),   r_neg(r_add(xx, zz)), r_sub(yz, alpha.x),
                  r_sub(xz, alpha.y),   r_add(yz, alpha.x),   r_neg(r_add(xx, yy))};
}

// B and alpha from the column along the axis and what turns about it.
static void fill(traced_motion* m, vec3 column, real alpha_z)
{
    const vec3 w  = m->w;
    const real xx = r_mul(w.x, w.x), yy = r_mul(w.y, w.y), zz = r_mul(w.z, w.z), xy = r_mul(w.x, w.y);
    const real xz = r_mul(w.x, w.z), yz = r_mul(w.y, w.z), two = r_lift(2);
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

// B times a vector that is constant in the frame of the bone: by columns turned with it where only one of x and y
// counts.
static vec3 times_fixed(const traced_bone* b, mat3 B, vec3 c)
{
    if (!b || b->inside.none || (!r_is(c.x, 0) && !r_is(c.y, 0))) return m3_mul(B, b ? turn_out(b->inside, c) : c);
    const real one = r_lift(1), zero = r_lift(0);
    vec3       y = v3_scale(c.z, m3_column_z(B));
    if (!r_is(c.x, 0)) y = v3_add(y, v3_scale(c.x, m3_mul(B, turn_out(b->inside, v3(one, zero, zero)))));
    if (!r_is(c.y, 0)) y = v3_add(y, v3_scale(c.y, m3_mul(B, turn_out(b->inside, v3(zero, one, zero)))));
    return y;
}

static vec3 acceleration_at(const traced_bone* b, const traced_bone* parent, const traced_motion* m)
{
    if (b->bone->motion == CD_HINGE) return v3_add(m->a, times_fixed(parent, m->B, bone_vector(b, b->bone->p)));
    return v3_add(m->a, m3_mul(m->B, b->p));
}

// Relative motion of a ball or a floating joint.
static void loose(const tracing* t, const traced_bone* b, bool accelerated, vec3 w0, vec3 alpha0, traced_motion* m)
{
    const real* v    = t->v + b->bone->v;
    spatial     rate = sv_zero(), change = sv_zero();
    for (int i = 0; i < b->bone->nv; ++i) {
        rate = sv_add_scaled(rate, v[i], b->S[i]);
        if (accelerated) change = sv_add_scaled(change, t->a[b->bone->v + i], b->S[i]);
    }
    m->w     = v3_add(w0, rate.a);
    m->alpha = v3_add(v3_add(alpha0, v3_cross(w0, rate.a)), change.a);
    m->a     = v3_add(v3_add(m->a, v3_scale(r_lift(2), v3_cross(w0, rate.l))), change.l);
    m->B     = matrix_of(m->w, m->alpha);
    if (b->bone->motion != CD_FLOAT_REVERSED) return;
    vec3 Rw = v3_zero(), xRw = v3_zero();
    for (int i = 3; i < 6; ++i) {
        Rw  = v3_add_scaled(Rw, r_neg(v[i]), b->S[i].a);
        xRw = v3_add_scaled(xRw, r_neg(v[i]), b->S[i].l);
    }
    m->a = v3_add(m->a, v3_add(v3_scale(r_lift(2), v3_cross(Rw, v3(v[0], v[1], v[2]))), v3_cross(Rw, xRw)));
}

static void outward(const tracing* t, int i, bool accelerated, const traced_motion* parent, traced_motion* m)
{
    const traced_bone* b    = &t->bone[i];
    const cd_bone*     bone = b->bone;
    const traced_bone* up   = bone->parent >= 0 ? &t->bone[bone->parent] : NULL;
    const vec3         w0   = vector_in(b, parent->w);
    m->a                    = vector_in(b, acceleration_at(b, up, parent));
    if (bone->motion >= CD_BALL) {
        loose(t, b, accelerated, w0, vector_in(b, parent->alpha), m);
        return;
    }
    const real qd = t->v[bone->v], qdd = accelerated ? t->a[bone->v] : r_lift(0), zero = r_lift(0);
    const bool turns = bone->motion != CD_SLIDE;
    const real speed = bone->motion == CD_HINGE   ? zero
                       : bone->motion == CD_SLIDE ? qd
                                                  : r_mul(cd_bone_number(b, &bone->pitch), qd);
    const real rise  = bone->motion == CD_HINGE   ? zero
                       : bone->motion == CD_SLIDE ? qdd
                                                  : r_mul(cd_bone_number(b, &bone->pitch), qdd);
    m->w             = turns ? v3(w0.x, w0.y, r_add(w0.z, qd)) : w0;

    const vec3 e = v3(cd_bone_number(b, &bone->R[2]), cd_bone_number(b, &bone->R[5]), cd_bone_number(b, &bone->R[8]));
    const vec3 column = vector_in(b, times_fixed(up, parent->B, e));
    real       alpha  = v3_dot(parent->alpha, up ? turn_out(up->inside, e) : e);
    if (turns) alpha = r_add(alpha, qdd);
    fill(m, column, alpha);
    if (!turns && !b->fixed && b->before.none && b->behind.none) m->B = parent->B, m->alpha = parent->alpha;
    // 2 w0 x (0, 0, speed)
    const real twice = r_mul(r_lift(2), speed);
    m->a             = v3(r_add(m->a.x, r_mul(twice, w0.y)), r_sub(m->a.y, r_mul(twice, w0.x)), r_add(m->a.z, rise));
}

static void inertia_forces(const traced_bone* b, traced_motion* m)
{
    const vec3 h = bone_h(b);
    const sym3 J = bone_J(b);
    const mat3 B = m->B;
    m->f = v3_add(v3_scale(cd_bone_number(b, &b->bone->m), m->a), times_fixed(b, B, bone_vector(b, b->bone->h)));
    const real in_plane = r_add(cd_bone_number(b, &b->bone->J[0]), cd_bone_number(b, &b->bone->J[1]));
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

static void efforts(const traced_bone* b, const traced_motion* m, real* tau)
{
    const cd_bone* bone = b->bone;
    for (int i = 0; i < bone->nv; ++i) {
        const real e     = sv_dot(b->S[i], (spatial){m->n, m->f});
        tau[bone->v + i] = bone->flipped ? r_neg(e) : e;
    }
}

// From the axes of the link to those of the bone.
static vec3 from_link(const traced_bone* b, vec3 a)
{
    return turn_out(b->inside, b->bone->flipped ? v3(a.x, r_neg(a.y), r_neg(a.z)) : a);
}

traced_motion cd_traced_ground(const tracing* t)
{
    return (traced_motion){.w     = v3_zero(),
                           .alpha = v3_zero(),
                           .a     = v3_neg(v3_lift(t->s->gravity)),
                           .B     = matrix_of(v3_zero(), v3_zero()),
                           .n     = v3_zero(),
                           .f     = v3_zero()};
}

void cd_traced_motion(const tracing* t, int i, bool accelerated, traced_motion* m)
{
    outward(t, i, accelerated, &m[t->s->bone[i].parent], &m[i]);
    inertia_forces(&t->bone[i], &m[i]);
}

cardan_status cd_traced_inverse(const tracing* t, bool accelerated, const spatial* wrench, real* tau)
{
    const cd_skeleton* s     = t->s;
    traced_motion*     first = cd_allocate((size_t)s->nbone + 1, sizeof *first);
    if (!first) return CARDAN_NO_MEMORY;
    traced_motion* m = first + 1;
    m[-1]            = cd_traced_ground(t);
    for (int k = 0; k < 2 * s->nbone; ++k) {
        const bool         enters = t->step[k] >= 0;
        const int          i      = enters ? t->step[k] : ~t->step[k];
        const traced_bone* b      = &t->bone[i];
        if (enters) {
            cd_traced_motion(t, i, accelerated, m);
            if (!wrench) continue;
            m[i].n = v3_sub(m[i].n, from_link(b, wrench[s->bone[i].link].a));
            m[i].f = v3_sub(m[i].f, from_link(b, wrench[s->bone[i].link].l));
            continue;
        }
        traced_motion* parent = &m[s->bone[i].parent];
        efforts(b, &m[i], tau);
        const vec3 f = vector_out(b, m[i].f);
        parent->f    = v3_add(parent->f, f);
        parent->n    = v3_add(parent->n, v3_add(vector_out(b, m[i].n), v3_cross(b->p, f)));
    }
    for (int i = 0; accelerated && i < s->nv; ++i)
        if (s->armature[i] != 0) tau[i] = r_add(tau[i], r_mul(r_lift(s->armature[i]), traced_input(t, t->in->a + i)));
    free(first);
    return CARDAN_OK;
}
