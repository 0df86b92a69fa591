// SPDX-License-Identifier: BSD-3-Clause
// Exact derivatives of inverse dynamics by composite bodies, in the frame of the root (an inertial frame that coincides
// with it). Cost: that of the mass matrix, four times.
//
// A small motion along column j displaces everything behind it by the twist S(j). With u, a the velocity and
// acceleration of what is not displaced (the parent; or the link itself, where a column is fixed in the parent and does
// not follow),
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
// After S. Singh, R. Russell, P. Wensing, Efficient analytical derivatives of rigid-body dynamics using spatial vector
// algebra (2022); columns fixed in the parent, and N, are ours. docs/theory/derivatives.md.
#include "kinematics/inverse_derivatives.h"

#include "kinematics/inverse_slopes.h"

// Four numbers side by side: a vector of the processor where numbers are plain and the compiler has them.
#if defined __GNUC__ && !defined CD_NAMED
typedef double                   quad __attribute__((vector_size(4 * sizeof(double)), aligned(sizeof(double))));
#define QUAD(a) (a)
#define QUAD_OF(a, b, c, d)                                                                                            \
    {                                                                                                                  \
        a, b, c, d                                                                                                     \
    }
static inline void sum_of_products(const quad* a, const quad* b, quad* sum)
{
    *sum = a[0] * b[0];
    for (int i = 1; i < 6; ++i) *sum += a[i] * b[i];
}
#else
typedef struct quad {
    real x[4];
} quad;
#define QUAD(a) (a).x
#define QUAD_OF(a, b, c, d)                                                                                            \
    {                                                                                                                  \
        {                                                                                                              \
            a, b, c, d                                                                                                 \
        }                                                                                                              \
    }
static inline void sum_of_products(const quad* a, const quad* b, quad* sum)
{
    for (int k = 0; k < 4; ++k) {
        sum->x[k] = r_mul(a[0].x[k], b[0].x[k]);
        for (int i = 1; i < 6; ++i) sum->x[k] = r_add(sum->x[k], r_mul(a[i].x[k], b[i].x[k]));
    }
}
#endif

typedef struct cd_carried {
    spatial V, A; // velocity, acceleration, at the root's origin
    rigid   K;    // composite from here on
    sym3    N;
    spatial P, F; // momentum, and force the parent exerts
} cd_carried;

typedef struct cd_carrier {
    spatial first, second; // S1, S2
    spatial sum;           // Sdot + S1
    quad    lane[6];       // S2, S, Sdot + S1, S side by side: the four entries of a pair are computed at once
    real    turn[3][2];    // angular parts of S1, S
} cd_carrier;

// What a column meets those before it with: p, moved, p, driven side by side; t.
typedef struct meeting {
    spatial p;
    quad    lane[6];
    real    turn[3];
} meeting;

// N = W + W' - h v' - v h' + 2 (h.v) 1,  W = w~ I
static inline sym3 turning(rigid I, spatial V)
{
    const vec3 x = v3_cross(V.a, v3(I.I.xx, I.I.xy, I.I.xz)), y = v3_cross(V.a, v3(I.I.xy, I.I.yy, I.I.yz)),
               z = v3_cross(V.a, v3(I.I.xz, I.I.yz, I.I.zz));
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

static inline void put(quad* lane, spatial a, spatial b, spatial c, spatial d)
{
    lane[0] = (quad)QUAD_OF(a.a.x, b.a.x, c.a.x, d.a.x);
    lane[1] = (quad)QUAD_OF(a.a.y, b.a.y, c.a.y, d.a.y);
    lane[2] = (quad)QUAD_OF(a.a.z, b.a.z, c.a.z, d.a.z);
    lane[3] = (quad)QUAD_OF(a.l.x, b.l.x, c.l.x, d.l.x);
    lane[4] = (quad)QUAD_OF(a.l.y, b.l.y, c.l.y, d.l.y);
    lane[5] = (quad)QUAD_OF(a.l.z, b.l.z, c.l.z, d.l.z);
}

// ---- outward: velocities, accelerations, S1, S2

static inline void spread(cd_carrier* c, spatial S)
{
    const vec3 first = c->first.a, s = S.a;
    put(c->lane, c->second, S, c->sum, S);
    c->turn[0][0] = first.x, c->turn[1][0] = first.y, c->turn[2][0] = first.z;
    c->turn[0][1] = s.x, c->turn[1][1] = s.y, c->turn[2][1] = s.z;
}

static void pass_group(const cd_link* link, int group, const spatial* S, const real* v, const real* a, cd_carried* c,
                       cd_carrier* column)
{
    const spatial V = c->V, A = c->A;
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
        spread(&column[i], S[i]);
    }
}

// A joint of one column: what it adds to the velocity is along S, so that Sdot + S1 = 2 S1.
static void pass_one(int i, const spatial* S, const real* v, const real* a, cd_carried* c, cd_carrier* column)
{
    cd_carrier* at = &column[i];
    at->first      = cd_cross_motion(c->V, S[i]);
    at->second     = sv_add(cd_cross_motion(c->A, S[i]), cd_cross_motion(c->V, at->first));
    at->sum        = sv_scale(r_lift(2), at->first);
    c->V           = sv_add_scaled(c->V, v[i], S[i]);
    c->A           = sv_add_scaled(c->A, v[i], at->first);
    if (a) c->A = sv_add_scaled(c->A, a[i], S[i]);
    spread(at, S[i]);
}

static void outward(const cardan_model* m, const cd_kinematics* k, int i, const real* v, const real* a,
                    const spatial* wrench, cd_inverse_derivatives* d)
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
    if (link->nv == 1)
        pass_one(link->v, k->column, v, a, c, d->column);
    else
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

static inline void meet(const meeting* w, const cd_carrier* c, spatial S, int s, cd_inverse_derivatives* d)
{
    real turn[2];
    quad all;
    sum_of_products(w->lane, c->lane, &all);
    for (int k = 0; k < 2; ++k)
        turn[k] = r_add(r_add(r_mul(w->turn[0], c->turn[0][k]), r_mul(w->turn[1], c->turn[1][k])),
                        r_mul(w->turn[2], c->turn[2][k]));
    d->q[s]    = r_add(QUAD(all)[0], turn[0]);
    d->q_up[s] = QUAD(all)[1];
    d->v[s]    = r_add(QUAD(all)[2], turn[1]);
    d->v_up[s] = QUAD(all)[3];
    d->a[s]    = sv_dot(w->p, S);
}

static void entries(const cardan_model* m, const cd_kinematics* k, const cd_link* link, int v, const cd_carried* c,
                    cd_inverse_derivatives* d)
{
    const spatial     S      = k->column[v];
    const cd_carrier* column = d->column;
    const spatial     p      = rigid_mul(c->K, S);
    const vec3        t      = turned_back(c, S);
    const spatial     moved  = sv_add(rigid_mul(c->K, column[v].second), turned(c, column[v].first.a));
    const spatial     led    = cd_cross_force(S, c->F);
    const spatial     driven = sv_add(rigid_mul(c->K, column[v].sum), turned(c, S.a));
    const int         start  = d->start[v];

    meeting w = {.p = p, .turn = {t.x, t.y, t.z}};
    put(w.lane, p, moved, p, driven);
    int u = v, s = start;
    for (; u >= link->v && u < link->v + link->nv; u = m->v_parent[u], ++s) {
        const spatial Su = k->column[u];
        meet(&w, &column[u], Su, s, d);
        if (!cd_displaced(link, v, u)) d->q[s] = r_add(d->q[s], sv_dot(S, cd_cross_force(Su, c->F)));
        if (!cd_displaced(link, u, v)) d->q_up[s] = r_add(d->q_up[s], sv_dot(Su, led));
    }
    put(w.lane, p, sv_add(moved, led), p, driven); // those before the joint are not displaced
    for (; u >= 0; u = m->v_parent[u], ++s) meet(&w, &column[u], k->column[u], s, d);
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

void cd_inverse_derivatives_of(const cardan_model* m, const cd_kinematics* k, const real* v, const real* a,
                               const spatial* wrench, cd_inverse_derivatives* d)
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
