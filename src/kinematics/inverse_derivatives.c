// SPDX-License-Identifier: BSD-3-Clause
// Exact derivatives of inverse dynamics by composite bodies, in the frame of the root (an inertial frame that coincides
// with it). Cost: four times that of the mass matrix.
//
// A small motion along column j displaces all links outboard of it by the twist S(j). With u, a the velocity and
// acceleration of the undisplaced side (the parent; or the link itself, if the column is fixed in the parent),
//
//   S1 = u x S      S2 = a x S + u x S1          d S(k)    = S x S(k)
//                                                d V(k)    = S x V(k) + S1
//                                                d A(k)    = S x A(k) + S2 - V(k) x S1
//   d F(k) by q(j)  = S x* F(k) + I S2 + B S1    B = V x* I - I V x + (I V) x*
//   d F(k) by v(j)  = I (Sdot + S1) + B S        Sdot + S1 = (velocity inboard + velocity outboard) x S
//
// so with composite I, B and F of the deeper one of i and j
//
//   d tau(i) / d q(j) = S(i)'(I S2 + B S1 + S(j) x* F)     the last term only if S(i) is not displaced along with j
//   d tau(i) / d v(j) = S(i)'(I (Sdot + S1) + B S)
//
// B of a rigid body with momentum (L, l) is (N - L~, 0; -2 l~, 0), N symmetric: its columns of linear motion are zero.
// After S. Singh, R. Russell, P. Wensing, Efficient analytical derivatives of rigid-body dynamics using spatial vector
// algebra (2022); columns fixed in the parent, and N, are additions of Cardan. docs/theory/derivatives.md.
#include "kinematics/inverse_derivatives.h"

#include "kinematics/inverse_derivative_terms.h"

// Four numbers processed alike: a SIMD vector for double, if the compiler supports it.
#if defined __GNUC__ && !defined CD_NUMBER_NAME
typedef double                   real4 __attribute__((vector_size(4 * sizeof(double)), aligned(sizeof(double))));
#define REAL4(a) (a)
#define REAL4_OF(a, b, c, d)                                                                                           \
    {                                                                                                                  \
        a, b, c, d                                                                                                     \
    }
static inline void sum_of_products(const real4* a, const real4* b, real4* sum)
{
    *sum = a[0] * b[0];
    for (int i = 1; i < 6; ++i) *sum += a[i] * b[i];
}
#else
typedef struct real4 {
    real x[4];
} real4;
#define REAL4(a) (a).x
#define REAL4_OF(a, b, c, d)                                                                                           \
    {                                                                                                                  \
        {                                                                                                              \
            a, b, c, d                                                                                                 \
        }                                                                                                              \
    }
static inline void sum_of_products(const real4* a, const real4* b, real4* sum)
{
    for (int k = 0; k < 4; ++k) {
        sum->x[k] = r_mul(a[0].x[k], b[0].x[k]);
        for (int i = 1; i < 6; ++i) sum->x[k] = r_add(sum->x[k], r_mul(a[i].x[k], b[i].x[k]));
    }
}
#endif

typedef struct cd_link_derivative_terms {
    spatial V, A; // velocity, acceleration, at the root's origin
    rigid   K;    // composite inertia of the subtree
    sym3    N;
    spatial P, F; // momentum, and force that the parent exerts
} cd_link_derivative_terms;

typedef struct cd_column_derivative_terms {
    spatial S1, S2;
    spatial Sdot_plus_S1;
    real4   lane[6];       // S2, S, Sdot + S1, S as lanes: the four entries of a pair are computed at once
    real    angular[3][2]; // angular parts of S1, S
} cd_column_derivative_terms;

// Products of a column with which the entries of its predecessors are formed: p, dF/dq, p, dF/dv as lanes; angular
// terms.
typedef struct column_products {
    spatial p;
    real4   lane[6];
    real    angular[3];
} column_products;

// N = W + W' - h v' - v h' + 2 (h.v) 1,  W = w~ I
static inline sym3 gyroscopic_matrix(rigid I, spatial V)
{
    const vec3 x = v3_cross(V.a, v3(I.I.xx, I.I.xy, I.I.xz)), y = v3_cross(V.a, v3(I.I.xy, I.I.yy, I.I.yz)),
               z = v3_cross(V.a, v3(I.I.xz, I.I.yz, I.I.zz));
    const vec3 h = I.h, v = V.l;
    const real two = r_const(2), hx = r_mul(h.x, v.x), hy = r_mul(h.y, v.y), hz = r_mul(h.z, v.z);
    return (sym3){r_mul(two, r_add(x.x, r_add(hy, hz))),
                  r_mul(two, r_add(y.y, r_add(hx, hz))),
                  r_mul(two, r_add(z.z, r_add(hx, hy))),
                  r_sub(r_add(y.x, x.y), r_add(r_mul(h.x, v.y), r_mul(h.y, v.x))),
                  r_sub(r_add(z.x, x.z), r_add(r_mul(h.x, v.z), r_mul(h.z, v.x))),
                  r_sub(r_add(z.y, y.z), r_add(r_mul(h.y, v.z), r_mul(h.z, v.y)))};
}

// B S
static inline spatial apply_B(const cd_link_derivative_terms* c, vec3 s)
{
    return (spatial){v3_sub(s3_mul(c->N, s), v3_cross(c->P.a, s)), v3_scale(r_const(-2), v3_cross(c->P.l, s))};
}

// angular part of B'S; the linear part is zero
static inline vec3 apply_B_transposed(const cd_link_derivative_terms* c, spatial S)
{
    return v3_add(v3_add(s3_mul(c->N, S.a), v3_cross(c->P.a, S.a)), v3_scale(r_const(-2), v3_cross(S.l, c->P.l)));
}

static inline void store_lanes(real4* lane, spatial a, spatial b, spatial c, spatial d)
{
    lane[0] = (real4)REAL4_OF(a.a.x, b.a.x, c.a.x, d.a.x);
    lane[1] = (real4)REAL4_OF(a.a.y, b.a.y, c.a.y, d.a.y);
    lane[2] = (real4)REAL4_OF(a.a.z, b.a.z, c.a.z, d.a.z);
    lane[3] = (real4)REAL4_OF(a.l.x, b.l.x, c.l.x, d.l.x);
    lane[4] = (real4)REAL4_OF(a.l.y, b.l.y, c.l.y, d.l.y);
    lane[5] = (real4)REAL4_OF(a.l.z, b.l.z, c.l.z, d.l.z);
}

// ---- outward: velocities, accelerations, S1, S2

static inline void store_column_lanes(cd_column_derivative_terms* c, spatial S)
{
    const vec3 first = c->S1.a, s = S.a;
    store_lanes(c->lane, c->S2, S, c->Sdot_plus_S1, S);
    c->angular[0][0] = first.x, c->angular[1][0] = first.y, c->angular[2][0] = first.z;
    c->angular[0][1] = s.x, c->angular[1][1] = s.y, c->angular[2][1] = s.z;
}

static void outward_group(const cd_link* link, int group, const spatial* S, const real* v, const real* a,
                          cd_link_derivative_terms* c, cd_column_derivative_terms* column)
{
    const spatial V = c->V, A = c->A;
    spatial       dV = sv_zero(), dA = sv_zero();
    for (int i = link->v; i < link->v + link->nv; ++i) {
        if (cd_column_group(link, i) != group) continue;
        dV = sv_add_scaled(dV, v[i], S[i]);
        if (a) dA = sv_add_scaled(dA, a[i], S[i]);
    }
    c->V = sv_add(V, dV);
    c->A = sv_add(sv_add(A, dA), cd_cross_motion(V, dV));

    const spatial u  = cd_column_group_is_fixed_in_parent(link, group) ? c->V : V,
                  au = cd_column_group_is_fixed_in_parent(link, group) ? c->A : A;
    for (int i = link->v; i < link->v + link->nv; ++i) {
        if (cd_column_group(link, i) != group) continue;
        column[i].S1           = cd_cross_motion(u, S[i]);
        column[i].S2           = sv_add(cd_cross_motion(au, S[i]), cd_cross_motion(u, column[i].S1));
        column[i].Sdot_plus_S1 = cd_cross_motion(sv_add(V, c->V), S[i]);
        store_column_lanes(&column[i], S[i]);
    }
}

// Joint with one column: its velocity is along S, so that Sdot + S1 = 2 S1.
static void outward_single(int i, const spatial* S, const real* v, const real* a, cd_link_derivative_terms* c,
                           cd_column_derivative_terms* column)
{
    cd_column_derivative_terms* at = &column[i];
    at->S1                         = cd_cross_motion(c->V, S[i]);
    at->S2                         = sv_add(cd_cross_motion(c->A, S[i]), cd_cross_motion(c->V, at->S1));
    at->Sdot_plus_S1               = sv_scale(r_const(2), at->S1);
    c->V                           = sv_add_scaled(c->V, v[i], S[i]);
    c->A                           = sv_add_scaled(c->A, v[i], at->S1);
    if (a) c->A = sv_add_scaled(c->A, a[i], S[i]);
    store_column_lanes(at, S[i]);
}

static void outward(const cardan_model* m, const cd_kinematics* k, int i, const real* v, const real* a,
                    const spatial* wrench, cd_inverse_derivatives* d)
{
    const cd_link*            link = &m->link[i];
    cd_link_derivative_terms* c    = &d->link[i];
    if (link->parent >= 0) {
        c->V = d->link[link->parent].V;
        c->A = d->link[link->parent].A;
    } else {
        c->V = sv_zero();
        c->A = (spatial){v3_zero(), m3_tmul(k->X[i].R, v3_neg(v3_const(m->view.gravity)))};
    }
    if (link->nv == 1)
        outward_single(link->v, k->root_column, v, a, c, d->column);
    else
        outward_group(link, 0, k->root_column, v, a, c, d->column);
    if (cd_has_two_column_groups(link)) outward_group(link, 1, k->root_column, v, a, c, d->column);

    const rigid I = {r_const(link->m), v3_const(link->h), s3_const(link->I)};
    c->K          = link->parent < 0 || link->is_massless ? I : rigid_to_parent(k->root_pose[i], I);
    c->N          = gyroscopic_matrix(c->K, c->V);
    c->P          = rigid_mul(c->K, c->V);
    c->F          = sv_add(rigid_mul(c->K, c->A), cd_cross_force(c->V, c->P));
    if (wrench) c->F = sv_add_scaled(c->F, r_const(-1), sv_force_to_parent(k->root_pose[i], wrench[i]));
}

// ---- inward: composite bodies, and the entries of a column with all its predecessors

static inline void multiply_column(const column_products* w, const cd_column_derivative_terms* c, spatial S, int s,
                                   cd_inverse_derivatives* d)
{
    real  angular_part[2];
    real4 all;
    sum_of_products(w->lane, c->lane, &all);
    for (int k = 0; k < 2; ++k)
        angular_part[k] = r_add(r_add(r_mul(w->angular[0], c->angular[0][k]), r_mul(w->angular[1], c->angular[1][k])),
                                r_mul(w->angular[2], c->angular[2][k]));
    d->q[s]            = r_add(REAL4(all)[0], angular_part[0]);
    d->q_transposed[s] = REAL4(all)[1];
    d->v[s]            = r_add(REAL4(all)[2], angular_part[1]);
    d->v_transposed[s] = REAL4(all)[3];
    d->a[s]            = sv_dot(w->p, S);
}

static void column_entries(const cardan_model* m, const cd_kinematics* k, const cd_link* link, int v,
                           const cd_link_derivative_terms* c, cd_inverse_derivatives* d)
{
    const spatial                     S         = k->root_column[v];
    const cd_column_derivative_terms* column    = d->column;
    const spatial                     p         = rigid_mul(c->K, S);
    const vec3                        t         = apply_B_transposed(c, S);
    const spatial                     dF_dq     = sv_add(rigid_mul(c->K, column[v].S2), apply_B(c, column[v].S1.a));
    const spatial                     S_cross_F = cd_cross_force(S, c->F);
    const spatial                     dF_dv     = sv_add(rigid_mul(c->K, column[v].Sdot_plus_S1), apply_B(c, S.a));
    const int                         start     = d->start[v];

    column_products w = {.p = p, .angular = {t.x, t.y, t.z}};
    store_lanes(w.lane, p, dF_dq, p, dF_dv);
    int u = v, s = start;
    for (; u >= link->v && u < link->v + link->nv; u = m->v_parent[u], ++s) {
        const spatial Su = k->root_column[u];
        multiply_column(&w, &column[u], Su, s, d);
        if (!cd_is_column_displaced(link, v, u)) d->q[s] = r_add(d->q[s], sv_dot(S, cd_cross_force(Su, c->F)));
        if (!cd_is_column_displaced(link, u, v)) d->q_transposed[s] = r_add(d->q_transposed[s], sv_dot(Su, S_cross_F));
    }
    store_lanes(w.lane, p, sv_add(dF_dq, S_cross_F), p, dF_dv); // columns inboard of the joint are not displaced
    for (; u >= 0; u = m->v_parent[u], ++s) multiply_column(&w, &column[u], k->root_column[u], s, d);
    if (m->armature[v] != 0) d->a[start] = r_add(d->a[start], r_const(m->armature[v]));
}

void cd_inverse_derivatives_layout(const cardan_model* m, cd_arena* arena, cd_inverse_derivatives* d)
{
    double n = 0;
    for (int v = 0; v < m->nv; ++v) n += m->v_depth[v];
    CD_ARENA_ARRAY(arena, d->start, m->nv);
    CD_ARENA_ARRAY(arena, d->q, n);
    CD_ARENA_ARRAY(arena, d->q_transposed, n);
    CD_ARENA_ARRAY(arena, d->v, n);
    CD_ARENA_ARRAY(arena, d->v_transposed, n);
    CD_ARENA_ARRAY(arena, d->a, n);
    CD_ARENA_ARRAY(arena, d->link, m->nlink);
    CD_ARENA_ARRAY(arena, d->column, m->nv);
    if (!d->start) return;
    for (int v = 0, next = 0; v < m->nv; next += m->v_depth[v], ++v) d->start[v] = next;
}

void cd_inverse_derivatives_evaluate(const cardan_model* m, const cd_kinematics* k, const real* v, const real* a,
                                     const spatial* wrench, cd_inverse_derivatives* d)
{
    for (int i = 0; i < m->nlink; ++i) outward(m, k, i, v, a, wrench, d);
    for (int i = m->nlink - 1; i >= 0; --i) {
        const cd_link*                  link = &m->link[i];
        const cd_link_derivative_terms* c    = &d->link[i];
        for (int u = link->v; u < link->v + link->nv; ++u) column_entries(m, k, link, u, c, d);
        if (link->parent < 0) continue;
        cd_link_derivative_terms* parent = &d->link[link->parent];
        parent->K                        = rigid_add(parent->K, c->K);
        parent->N                        = s3_add(parent->N, c->N);
        parent->P                        = sv_add(parent->P, c->P);
        parent->F                        = sv_add(parent->F, c->F);
    }
}
