// SPDX-License-Identifier: BSD-3-Clause
// Mass matrix by composite bodies over traced numbers, and the solution of M a = r by its factorization along the tree
// without fill-in.
//
//   K(i) = I(i) + sum over children of K moved to i,   F = K S(v),   M(v, u) = S(u)'F carried inward
//   M = L'D L, outermost velocities first: only velocities on one path to the root are coupled
//
// Recursion of kinematics/composite_inertia.c; factorization of formulation/tree/cholesky.c.
#include "generate/trace/traced_links.h"

#include <stdlib.h>

typedef struct composite {
    real m;
    vec3 h;
    sym3 I;
} composite;

// Inertia from the integral of r r': I = tr(J) 1 - J; the trace is the same before and after the rotation.
static composite composite_of(const traced_link* b)
{
    const sym3    J  = link_second_moment(b);
    const double* c  = b->link->J;
    const real    zz = cd_link_constant(b, &c[2]);
    const sym3    I  = {r_add(J.yy, zz), r_add(J.xx, zz), r_add(cd_link_constant(b, &c[0]), cd_link_constant(b, &c[1])),
                        r_neg(J.xy),     r_neg(J.xz),     r_neg(J.yz)};
    return (composite){cd_link_constant(b, &b->link->m), link_first_moment(b), I};
}

static composite composite_to_parent(const traced_link* b, composite K)
{
    const vec3 g = vector_to_parent(b, K.h), p = b->p, h = v3_add_scaled(g, K.m, p), k = v3_add(g, h);
    const real kx = r_mul(k.x, p.x), ky = r_mul(k.y, p.y), kz = r_mul(k.z, p.z);
    const sym3 S = symmetric_to_parent(b, K.I);
    return (composite){K.m,
                       h,
                       {r_add(S.xx, r_add(ky, kz)), r_add(S.yy, r_add(kx, kz)), r_add(S.zz, r_add(kx, ky)),
                        r_sub(S.xy, r_add(r_mul(g.x, p.y), r_mul(h.y, p.x))),
                        r_sub(S.xz, r_add(r_mul(g.x, p.z), r_mul(h.z, p.x))),
                        r_sub(S.yz, r_add(r_mul(g.y, p.z), r_mul(h.z, p.y)))}};
}

static composite add_composites(composite a, composite b)
{
    return (composite){r_add(a.m, b.m), v3_add(a.h, b.h), s3_add(a.I, b.I)};
}

static spatial composite_mul(composite K, spatial S)
{
    return (spatial){v3_add(s3_mul(K.I, S.a), v3_cross(K.h, S.l)), v3_sub(v3_scale(K.m, S.l), v3_cross(K.h, S.a))};
}

static real project_on_axis(const traced_link* b, int i, spatial F)
{
    const real e = sv_dot(b->S[i], F);
    return b->link->is_flipped ? r_neg(e) : e;
}

// Column of v: the wrench that accelerates it, projected on the motion columns on the path to the root.
static void mass_column(const tracing* t, int i, int local, spatial F, real* M)
{
    const cd_link_tree* tree = t->tree;
    const int           v    = tree->link[i].v + local;
    for (int u = 0; u <= local; ++u) *mass_at(M, tree->nv, v, tree->link[i].v + u) = project_on_axis(&t->link[i], u, F);
    for (int j = i; tree->link[j].parent >= 0;) {
        const traced_link* b = &t->link[j];
        const vec3         f = vector_to_parent(b, F.l);
        F                    = (spatial){v3_add(vector_to_parent(b, F.a), v3_cross(b->p, f)), f};
        j                    = tree->link[j].parent;
        for (int u = 0; u < tree->link[j].nv; ++u)
            *mass_at(M, tree->nv, v, tree->link[j].v + u) = project_on_axis(&t->link[j], u, F);
    }
    if (tree->armature[v] != 0)
        *mass_at(M, tree->nv, v, v) = r_add(*mass_at(M, tree->nv, v, v), r_const(tree->armature[v]));
}

cardan_status cd_traced_mass_matrix(const tracing* t, real* M)
{
    const cd_link_tree* tree = t->tree;
    composite*          K    = cd_allocate((size_t)tree->nlink + 1, sizeof *K);
    if (!K) return CARDAN_NO_MEMORY;
    for (size_t i = 0; i < (size_t)tree->nv * (size_t)tree->nv; ++i) M[i] = r_const(0);
    for (int k = 0; k < 2 * tree->nlink && !cd_graph_is_full(t->graph); ++k) {
        const int           i    = t->euler_tour[k] >= 0 ? t->euler_tour[k] : ~t->euler_tour[k];
        const cd_tree_link* link = &tree->link[i];
        if (t->euler_tour[k] >= 0) {
            K[i] = (composite){r_const(0), v3_zero(), symmetric_zero()};
            continue;
        }
        K[i] = add_composites(composite_of(&t->link[i]), K[i]);
        if (link->parent >= 0) {
            composite* P = &K[link->parent];
            *P           = add_composites(*P, composite_to_parent(&t->link[i], K[i]));
        }
        for (int l = 0; l < link->nv; ++l) {
            spatial S = t->link[i].S[l];
            if (link->is_flipped) S = (spatial){v3_neg(S.a), v3_neg(S.l)};
            mass_column(t, i, l, composite_mul(K[i], S), M);
        }
    }
    free(K);
    return cd_graph_is_full(t->graph) ? CARDAN_NO_MEMORY : CARDAN_OK;
}

// Eliminate along the paths to the root, outermost velocities first: row v of M becomes row v of L, with 1/d on the
// diagonal.
void cd_traced_mass_factor(const tracing* t, real* M)
{
    const cardan_model* m = t->tree->model;
    const int           n = t->tree->nv;
    for (int k = n - 1; k >= 0 && !cd_graph_is_full(t->graph); --k) {
        const int  v       = m->v_order[k];
        const real inverse = r_div(r_const(1), *mass_at(M, n, v, v));
        for (int i = m->v_parent[v]; i >= 0; i = m->v_parent[i]) {
            const real z = *mass_at(M, n, v, i), l = r_mul(z, inverse);
            for (int j = i; j >= 0; j = m->v_parent[j])
                *mass_at(M, n, i, j) = r_sub(*mass_at(M, n, i, j), r_mul(l, *mass_at(M, n, v, j)));
            *mass_at(M, n, v, i) = l;
        }
        *mass_at(M, n, v, v) = inverse;
    }
}

enum { MAX_SUM_TERMS = 6 }; // terms of the sum of one loop

// X = M^-1 X for `count` columns side by side, row by row; each row is a vector group.
void cd_traced_mass_solve_columns(const tracing* t, const real* M, int count, real* X)
{
    const cardan_model* m = t->tree->model;
    const int           n = t->tree->nv;
    const size_t        N = (size_t)count;
    real*               L = (real*)M;
    for (int k = 2 * n - 1; k >= 0; --k) {
        // inward first: subtract row v from the rows on its path; then outward: subtract the rows on its path from row
        // v
        const bool inward = k >= n;
        const int  v      = inward ? m->v_order[k - n] : m->v_order[n - 1 - k];
        real*      x      = X + (size_t)v * N;
        int        terms  = 1;
        r_vector_group(t->graph, count, x);
        for (int j = 0; j < count && !inward; ++j) x[j] = r_mul(x[j], *mass_at(L, n, v, v));
        for (int i = m->v_parent[v]; i >= 0; i = m->v_parent[i]) {
            real* y = X + (size_t)i * N;
            for (int j = 0; j < count && inward; ++j) y[j] = r_sub(y[j], r_mul(*mass_at(L, n, v, i), x[j]));
            for (int j = 0; j < count && !inward; ++j) x[j] = r_sub(x[j], r_mul(*mass_at(L, n, v, i), y[j]));
            if (inward)
                r_vector_group(t->graph, count, y);
            else if (++terms % MAX_SUM_TERMS == 0)
                r_vector_group(t->graph, count, x);
        }
        if (!inward) r_vector_group(t->graph, count, x);
    }
}

// x = M^-1 x
void cd_traced_mass_solve(const tracing* t, const real* M, real* x)
{
    const cardan_model* m = t->tree->model;
    const int           n = t->tree->nv;
    real*               L = (real*)M;
    for (int k = n - 1; k >= 0; --k) {
        const int v = m->v_order[k];
        for (int i = m->v_parent[v]; i >= 0; i = m->v_parent[i]) x[i] = r_sub(x[i], r_mul(*mass_at(L, n, v, i), x[v]));
    }
    for (int k = 0; k < n; ++k) {
        const int v = m->v_order[k];
        x[v]        = r_mul(x[v], *mass_at(L, n, v, v));
        for (int i = m->v_parent[v]; i >= 0; i = m->v_parent[i]) x[v] = r_sub(x[v], r_mul(*mass_at(L, n, v, i), x[i]));
    }
}
