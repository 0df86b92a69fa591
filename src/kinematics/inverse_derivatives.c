// SPDX-License-Identifier: BSD-3-Clause
// Exact derivatives of inverse dynamics by composite bodies, in the frame of the root (an inertial frame that coincides with it).
// Cost: that of the mass matrix, four times.
//
// A small motion along column j displaces everything behind it by the twist S(j). With u, a the velocity and acceleration of what
// is not displaced (the parent; or the link itself, where a column is fixed in the parent and does not follow),
//
//   S1 = u x S      S2 = a x S + u x S1          d S(k)    = S x S(k)
//                                                d V(k)    = S x V(k) + S1
//                                                d A(k)    = S x A(k) + S2 - V(k) x S1
//   d F(k) by q(j)  = S x* F(k) + I S2 + B S1    B = V x* I - I V x + (I V) x*
//   d F(k) by v(j)  = I (Sdot + S1) + B S        Sdot + S1 = (velocity before + velocity behind) x S
//
// so with composite I, B and F of the deeper one of i and j
//
//   d tau(i) / d q(j) = S(i)'(I S2 + B S1 + S(j) x* F)     the last term only where S(i) is not displaced along with j
//   d tau(i) / d v(j) = S(i)'(I (Sdot + S1) + B S)
//
// B of a rigid body with momentum (L, l) is (N - L~, 0; -2 l~, 0), N symmetric: nothing of it touches linear motion.
// After S. Singh, R. Russell, P. Wensing, Efficient analytical derivatives of rigid-body dynamics using spatial vector algebra (2022);
// columns fixed in the parent, and N, are ours. docs/theory/derivatives.md.
#include "kinematics/inverse_derivatives.h"

#include "kinematics/inverse_slopes.h"

typedef struct cd_carried {
    spatial V, A;  // velocity, acceleration, at the root's origin
    rigid   K;     // composite from here on
    sym3    N;
    spatial P, F;  // momentum, and force the parent exerts
} cd_carried;

typedef struct cd_carrier {
    spatial first, second;  // S1, S2
    spatial sum;            // Sdot + S1
} cd_carrier;

// N = W + W' - h v' - v h' + 2 (h.v) 1,  W = w~ I
static inline sym3 turning(rigid I, spatial V)
{
    const vec3 x = v3_cross(V.a, v3(I.I.xx, I.I.xy, I.I.xz)), y = v3_cross(V.a, v3(I.I.xy, I.I.yy, I.I.yz)), z = v3_cross(V.a, v3(I.I.xz, I.I.yz, I.I.zz));
    const vec3 h = I.h, v = V.l;
    const real two = r_lift(2), hx = r_mul(h.x, v.x), hy = r_mul(h.y, v.y), hz = r_mul(h.z, v.z);
    return (sym3){r_mul(two, r_add(x.x, r_add(hy, hz))),
                  r_mul(two, r_add(y.y, r_add(hx, hz))),
                  r_mul(two, r_add(z.z, r_add(hx, hy))),
                  r_sub(r_add(y.x, x.y), r_add(r_mul(h.x, v.y), r_mul(h.y, v.x))),
                  r_sub(r_add(z.x, x.z), r_add(r_mul(h.x, v.z), r_mul(h.z, v.x))),
                  r_sub(r_add(z.y, y.z), r_add(r_mul(h.y, v.z), r_mul(h.z, v.y)))};
}

// B S
static inline spatial turned(const cd_carried* c, vec3 s)
{
    return (spatial){v3_sub(s3_mul(c->N, s), v3_cross(c->P.a, s)), v3_scale(r_lift(-2), v3_cross(c->P.l, s))};
}

// angular part of B'S; there is no other
static inline vec3 turned_back(const cd_carried* c, spatial S)
{
    return v3_add(v3_add(s3_mul(c->N, S.a), v3_cross(c->P.a, S.a)), v3_scale(r_lift(-2), v3_cross(S.l, c->P.l)));
}

// ---- outward: velocities, accelerations, S1, S2

static void pass_group(const cd_link* link, int group, const spatial* S, const real* v, const real* a, cd_carried* c, cd_carrier* column)
{
    const spatial V  = c->V, A = c->A;
    spatial       dV = sv_zero(), dA = sv_zero();
    for (int i = link->v; i < link->v + link->nv; ++i) {
        if (cd_group_of(link, i) != group) continue;
        dV = sv_add_scaled(dV, v[i], S[i]);
        if (a) dA = sv_add_scaled(dA, a[i], S[i]);
    }
    c->V = sv_add(V, dV);
    c->A = sv_add(sv_add(A, dA), cd_cross_motion(V, dV));

    const spatial u = cd_fixed_in_parent(link, group) ? c->V : V, au = cd_fixed_in_parent(link, group) ? c->A : A;
    for (int i = link->v; i < link->v + link->nv; ++i) {
        if (cd_group_of(link, i) != group) continue;
        column[i].first  = cd_cross_motion(u, S[i]);
        column[i].second = sv_add(cd_cross_motion(au, S[i]), cd_cross_motion(u, column[i].first));
        column[i].sum    = cd_cross_motion(sv_add(V, c->V), S[i]);
    }
}

static void outward(const cardan_model* m, const cd_kinematics* k, int i, const real* v, const real* a, const spatial* wrench, cd_inverse_derivatives* d)
{
    const cd_link* link = &m->link[i];
    cd_carried*    c    = &d->link[i];
    if (link->parent >= 0) {
        c->V = d->link[link->parent].V;
        c->A = d->link[link->parent].A;
    } else {
        c->V = sv_zero();
        c->A = (spatial){v3_zero(), m3_tmul(k->X[i].R, v3_neg(v3_lift(m->view.gravity)))};
    }
    pass_group(link, 0, k->column, v, a, c, d->column);
    if (cd_splits(link)) pass_group(link, 1, k->column, v, a, c, d->column);

    const rigid I = {r_lift(link->m), v3_lift(link->h), s3_lift(link->I)};
    c->K          = link->parent < 0 || link->bare ? I : rigid_out(k->root[i], I);
    c->N          = turning(c->K, c->V);
    c->P          = rigid_mul(c->K, c->V);
    c->F          = sv_add(rigid_mul(c->K, c->A), cd_cross_force(c->V, c->P));
    if (wrench) c->F = sv_add_scaled(c->F, r_lift(-1), sv_force_out(k->root[i], wrench[i]));
}

// ---- inward: composites, and the entries of a column with all before it

static void entries(const cardan_model* m, const cd_kinematics* k, const cd_link* link, int v, const cd_carried* c, cd_inverse_derivatives* d)
{
    const spatial     S      = k->column[v];
    const cd_carrier* column = d->column;
    const spatial     p      = rigid_mul(c->K, S);
    const vec3        t      = turned_back(c, S);
    const spatial     moved  = sv_add(rigid_mul(c->K, column[v].second), turned(c, column[v].first.a));
    const spatial     led    = cd_cross_force(S, c->F);
    const spatial     driven = sv_add(rigid_mul(c->K, column[v].sum), turned(c, S.a));
    const int         start  = d->start[v];

    for (int u = v, s = start; u >= 0; u = m->v_parent[u], ++s) {
        const spatial Su   = k->column[u];
        const bool    here = u >= link->v && u < link->v + link->nv;
        d->a[s]    = sv_dot(p, Su);
        d->v[s]    = r_add(sv_dot(p, column[u].sum), v3_dot(t, Su.a));
        d->v_up[s] = sv_dot(Su, driven);
        d->q[s]    = r_add(sv_dot(p, column[u].second), v3_dot(t, column[u].first.a));
        d->q_up[s] = sv_dot(Su, moved);
        if (here && !cd_displaced(link, v, u)) d->q[s] = r_add(d->q[s], sv_dot(S, cd_cross_force(Su, c->F)));
        if (!here || !cd_displaced(link, u, v)) d->q_up[s] = r_add(d->q_up[s], sv_dot(Su, led));
    }
    if (m->armature[v] != 0) d->a[start] = r_add(d->a[start], r_lift(m->armature[v]));
}

void cd_inverse_derivatives_layout(const cardan_model* m, cd_arena* arena, cd_inverse_derivatives* d)
{
    double n = 0;
    for (int v = 0; v < m->nv; ++v) n += m->v_depth[v];
    CD_TAKE(arena, d->start, m->nv);
    CD_TAKE(arena, d->q, n);
    CD_TAKE(arena, d->q_up, n);
    CD_TAKE(arena, d->v, n);
    CD_TAKE(arena, d->v_up, n);
    CD_TAKE(arena, d->a, n);
    CD_TAKE(arena, d->link, m->nlink);
    CD_TAKE(arena, d->column, m->nv);
    if (!d->start) return;
    for (int v = 0, next = 0; v < m->nv; next += m->v_depth[v], ++v) d->start[v] = next;
}

void cd_inverse_derivatives_of(const cardan_model* m, const cd_kinematics* k, const real* v, const real* a, const spatial* wrench,
                               cd_inverse_derivatives* d)
{
    for (int i = 0; i < m->nlink; ++i) outward(m, k, i, v, a, wrench, d);
    for (int i = m->nlink - 1; i >= 0; --i) {
        const cd_link*    link = &m->link[i];
        const cd_carried* c    = &d->link[i];
        for (int u = link->v; u < link->v + link->nv; ++u) entries(m, k, link, u, c, d);
        if (link->parent < 0) continue;
        cd_carried* parent = &d->link[link->parent];
        parent->K          = rigid_add(parent->K, c->K);
        parent->N          = s3_add(parent->N, c->N);
        parent->P          = sv_add(parent->P, c->P);
        parent->F          = sv_add(parent->F, c->F);
    }
}
