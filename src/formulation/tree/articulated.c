// SPDX-License-Identifier: BSD-3-Clause
// Articulated-body algorithm: M a = r in three sweeps without forming M. A joint with several coordinates is eliminated
// one motion column at a time, which equals the block elimination in exact arithmetic and needs no small matrices.
//
//   factor, inward   U = IA S,  D = S'U + armature,  Ia = IA - U U'/D,    IA(parent) += Ia moved to the parent
//   solve, inward    u = r - S'p,                    p(parent) += (p + U u/D) moved to the parent
//   solve, outward   A = A(parent) moved to the link,  a = (u - U'A)/D,   A += S a
//
// The velocity terms are in r already (cd_inverse_dynamics at a = 0), so one factor serves many right sides.
// Paper 003, section 3.2.3 (explicit, order N). docs/theory/order-n.md.
#include "formulation/formulation_tolerances.h"
#include "formulation/tree/articulated.h"

#include "kinematics/elementary_motion.h"

#include <math.h>

// Reset for the next factorization as soon as the sum is read: a separate sweep would cost memory traffic in long
// chains.
static inline void reset_inertia(const cd_link* link, cd_articulated* w, int i)
{
    w->IA[i]           = articulated_of_rigid((rigid){r_const(link->m), v3_const(link->h), s3_const(link->I)});
    w->inertia_size[i] = (cd_inertia_size){0, 0};
}

void cd_articulated_layout(const cardan_model* m, cd_arena* arena, cd_articulated* w)
{
    CD_ARENA_ARRAY(arena, w->IA, m->nlink);
    CD_ARENA_ARRAY(arena, w->U, m->nv);
    CD_ARENA_ARRAY(arena, w->D, m->nv);
    CD_ARENA_ARRAY(arena, w->p, m->nlink);
    CD_ARENA_ARRAY(arena, w->inertia_size, m->nlink);
    CD_ARENA_ARRAY(arena, w->pivot_terms, m->nv);
    w->added_inertia = NULL;
    for (int i = 0; w->IA && i < m->nlink; ++i) reset_inertia(&m->link[i], w, i);
}

// Return the inertia along a column before any elimination, the scale of its pivot. For massless links between the
// elementary joints of one joint, s is the size of the outboard inertia.
static inline double inertia_along(cd_inertia_size s, spatial S)
{
    const double angular_sq =
        r_value(S.a.x) * r_value(S.a.x) + r_value(S.a.y) * r_value(S.a.y) + r_value(S.a.z) * r_value(S.a.z);
    const double linear_sq =
        r_value(S.l.x) * r_value(S.l.x) + r_value(S.l.y) * r_value(S.l.y) + r_value(S.l.z) * r_value(S.l.z);
    return angular_sq * s.rotational + linear_sq * s.translational;
}

static inline cd_inertia_size inertia_size_of(const articulated_inertia* I)
{
    return (cd_inertia_size){r_value(I->A.xx) + r_value(I->A.yy) + r_value(I->A.zz),
                             r_value(I->M.xx) + r_value(I->M.yy) + r_value(I->M.zz)};
}

static inline void add_shifted_size(cd_inertia_size* parent, cd_inertia_size s, vec3 p)
{
    const double x = r_value(p.x), y = r_value(p.y), z = r_value(p.z);
    parent->rotational += s.rotational + (x * x + y * y + z * z) * s.translational;
    parent->translational += s.translational;
}

static inline spatial column_times_inertia(const cd_link* link, const articulated_inertia* I, spatial S)
{
    if (link->motion == CD_REVOLUTE) return (spatial){v3(I->A.xz, I->A.yz, I->A.zz), m3_row_z(I->H)};
    if (link->motion == CD_PRISMATIC) return (spatial){m3_column_z(I->H), v3(I->M.xz, I->M.yz, I->M.zz)};
    return articulated_mul(*I, S);
}

static inline real column_dot(const cd_link* link, spatial S, spatial F)
{
    return link->motion == CD_REVOLUTE ? F.a.z : link->motion == CD_PRISMATIC ? F.l.z : sv_dot(S, F);
}

// |T|'|I||T|
static double absolute_form(const articulated_inertia* I, spatial T)
{
    const double x[6]    = {fabs(r_value(T.a.x)), fabs(r_value(T.a.y)), fabs(r_value(T.a.z)),
                            fabs(r_value(T.l.x)), fabs(r_value(T.l.y)), fabs(r_value(T.l.z))};
    const sym3   both[2] = {I->A, I->M};
    double       sum     = 0;
    for (int i = 0; i < 2; ++i) {
        const double *y = x + 3 * i, xx = r_value(both[i].xx), yy = r_value(both[i].yy), zz = r_value(both[i].zz),
                     xy = r_value(both[i].xy), xz = r_value(both[i].xz), yz = r_value(both[i].yz);
        sum += fabs(xx) * y[0] * y[0] + fabs(yy) * y[1] * y[1] + fabs(zz) * y[2] * y[2] +
               2 * (fabs(xy) * y[0] * y[1] + fabs(xz) * y[0] * y[2] + fabs(yz) * y[1] * y[2]);
    }
    const vec3 f[3] = {m3_mul(I->H, v3_unit(0)), m3_mul(I->H, v3_unit(1)), m3_mul(I->H, v3_unit(2))};
    for (int i = 0; i < 3; ++i)
        sum +=
            2 * x[3 + i] * (fabs(r_value(f[i].x)) * x[0] + fabs(r_value(f[i].y)) * x[1] + fabs(r_value(f[i].z)) * x[2]);
    return sum;
}

static cd_inertia_size own_inertia_size(const cd_link* link)
{
    return (cd_inertia_size){link->I[0] + link->I[1] + link->I[2], 3 * link->m};
}

// Add the terms that link i, with articulated inertia I before its own columns are eliminated, contributes to the
// pivots of its parent: T is a column of the parent as a motion of the link.
static void add_pivot_terms(const cardan_model* m, const cd_kinematics* k, int i, const articulated_inertia* I,
                            cd_articulated* w)
{
    const cd_link *link = &m->link[i], *parent = &m->link[link->parent];
    for (int v = parent->v; !parent->is_massless && v < parent->v + parent->nv; ++v) {
        const spatial T = sv_motion_to_child(k->X[i], k->S[v]);
        w->pivot_terms[v] += absolute_form(I, T) + inertia_along(own_inertia_size(link), T);
    }
}

// Return whether D is round-off: below cd_massless_pivot times the inertia of the link.
//
// The inertia of the first test is that of all rotations, or all translations, which overestimates the round-off of the
// pivot: a straight chain of n parallel revolute joints has an articulated inertia of n^3/3 about the axes
// perpendicular to its joints, and of one link about the joint axis. A pivot that fails is tested again with the sizes
// of its summands: the inertia of the link itself, and what its children add to this column with their articulated and
// their own inertias.
static inline bool is_null_pivot(const cd_link* link, double D, cd_inertia_size size, spatial S, bool with_terms,
                                 double terms)
{
    if (D > cd_massless_pivot * inertia_along(size, S)) return false;
    return !with_terms || link->is_massless ||
           !(D > cd_massless_pivot * (inertia_along(own_inertia_size(link), S) + terms));
}

// with_terms: second attempt, with the sizes of the summands of pivots.
static inline cardan_status factor(const cardan_model* m, const cd_kinematics* k, cd_articulated* w, bool with_terms,
                                   cd_solve_info* info)
{
    for (int i = m->nlink - 1; i >= 0; --i) {
        const cd_link*        link = &m->link[i];
        articulated_inertia   I    = w->IA[i];
        const cd_inertia_size size = link->is_massless ? w->inertia_size[i] : inertia_size_of(&I);
        reset_inertia(link, w, i);
        if (with_terms && link->parent >= 0) add_pivot_terms(m, k, i, &I, w);
        for (int v = link->v + link->nv - 1; v >= link->v; --v) {
            const spatial U     = column_times_inertia(link, &I, k->S[v]);
            real          D     = column_dot(link, k->S[v], U);
            const double  added = m->armature[v] + (w->added_inertia ? w->added_inertia[v] : 0);
            if (added != 0) D = r_add(D, r_const(added));
            const double terms = with_terms ? w->pivot_terms[v] : 0;
            if (with_terms) w->pivot_terms[v] = 0;
            if (is_null_pivot(link, r_value(D), size, k->S[v], with_terms, terms)) {
                info->failed_velocity = v;
                for (int j = 0; j < i; ++j) reset_inertia(&m->link[j], w, j);
                for (int u = 0; with_terms && u < m->nv; ++u) w->pivot_terms[u] = 0;
                return CARDAN_SINGULAR;
            }
            w->U[v] = U;
            w->D[v] = r_div(r_const(1), D);
            I       = articulated_sub_outer(I, U, sv_scale(w->D[v], U));
        }
        if (link->parent < 0) continue;
        if (m->link[link->parent].is_massless) add_shifted_size(&w->inertia_size[link->parent], size, k->X[i].p);
        const bool hinge = link->motion == CD_REVOLUTE && m->armature[link->v] == 0 &&
                           !(w->added_inertia && w->added_inertia[link->v] > 0);
        w->IA[link->parent] = articulated_add(w->IA[link->parent], hinge ? articulated_to_parent_hinge(k->X[i], I)
                                                                         : articulated_to_parent(k->X[i], I));
    }
    return CARDAN_OK;
}

cardan_status cd_articulated_factor(const cardan_model* m, const cd_kinematics* k, cd_articulated* w,
                                    cd_solve_info* info)
{
    const cardan_status status = factor(m, k, w, false, info);
    return status == CARDAN_SINGULAR && !m->link[m->v_link[info->failed_velocity]].is_massless
               ? factor(m, k, w, true, info)
               : status;
}

// Eliminate one column of a link, outermost first: force p on the link, effort u along the column.
static inline spatial pass_inward(const cd_link* link, const cd_kinematics* k, const cd_articulated* w, spatial p,
                                  int v, real* u)
{
    *u = r_sub(*u, column_dot(link, k->S[v], p));
    return sv_add_scaled(p, r_mul(*u, w->D[v]), w->U[v]);
}

// Sweep inward. On entry p (nlink) holds the wrenches of the links.
static void sweep_inward(const cardan_model* m, const cd_kinematics* k, cd_articulated* w, const real* r, real* u)
{
    for (int i = m->nlink - 1; i >= 0; --i) {
        const cd_link* link = &m->link[i];
        spatial        p    = w->p[i];
        for (int v = link->v + link->nv - 1; v >= link->v; --v) {
            u[v] = r[v];
            p    = pass_inward(link, k, w, p, v, &u[v]);
        }
        if (link->parent >= 0) w->p[link->parent] = sv_add(w->p[link->parent], sv_force_to_parent(k->X[i], p));
    }
}

void cd_articulated_inward(const cardan_model* m, const cd_kinematics* k, cd_articulated* w, const real* r, real* u)
{
    for (int i = 0; i < m->nlink; ++i) w->p[i] = sv_zero();
    sweep_inward(m, k, w, r, u);
}

void cd_articulated_inward_wrenches(const cardan_model* m, const cd_kinematics* k, cd_articulated* w,
                                    const real* effort, const spatial* wrench, real* u)
{
    for (int i = 0; i < m->nlink; ++i) w->p[i] = cd_link_net_wrench(m, k, i, wrench ? &wrench[i] : NULL);
    sweep_inward(m, k, w, effort, u);
}

void cd_articulated_inward_path(const cardan_model* m, const cd_kinematics* k, cd_articulated* w, int n, const int* v,
                                real* u)
{
    for (int s = 0; s < n; ++s) w->p[m->v_link[v[s]]] = sv_zero();
    for (int s = 0; s < n; ++s) {
        const int      i    = m->v_link[v[s]];
        const cd_link* link = &m->link[i];
        w->p[i]             = pass_inward(link, k, w, w->p[i], v[s], &u[s]);
        if (v[s] == link->v && link->parent >= 0)
            w->p[link->parent] = sv_add(w->p[link->parent], sv_force_to_parent(k->X[i], w->p[i]));
    }
}

void cd_articulated_outward(const cardan_model* m, const cd_kinematics* k, cd_articulated* w, const real* u, real* a)
{
    for (int i = 0; i < m->nlink; ++i) {
        const cd_link* link = &m->link[i];
        spatial        A    = link->parent < 0 ? sv_zero() : sv_motion_to_child(k->X[i], w->p[link->parent]);
        for (int v = link->v; v < link->v + link->nv; ++v) {
            a[v] = r_mul(r_sub(u[v], sv_dot(w->U[v], A)), w->D[v]);
            if (link->motion == CD_REVOLUTE)
                A.a.z = r_add(A.a.z, a[v]);
            else if (link->motion == CD_PRISMATIC)
                A.l.z = r_add(A.l.z, a[v]);
            else
                A = sv_add_scaled(A, a[v], k->S[v]);
        }
        w->p[i] = A;
    }
}

static spatial swap_angular_linear(spatial a) { return (spatial){a.l, a.a}; }

// Outward, with K = 1 - S U'/D, column by column: O = K O(parent, moved to the link) K' + S S'/D.
void cd_articulated_mobility(const cardan_model* m, const cd_kinematics* k, const cd_articulated* w,
                             articulated_inertia* mobility)
{
    for (int i = 0; i < m->nlink; ++i) {
        const cd_link*      link = &m->link[i];
        articulated_inertia O    = {0};
        // With linear and angular parts exchanged, the shift of an inertia by the inverse transform shifts a mobility.
        if (link->parent >= 0) {
            const frame X = k->X[i];
            O = articulated_to_parent((frame){m3_transpose(X.R), v3_neg(m3_tmul(X.R, X.p))}, mobility[link->parent]);
        }
        for (int v = link->v; v < link->v + link->nv; ++v) {
            const spatial S = swap_angular_linear(k->S[v]), U = swap_angular_linear(w->U[v]), y = articulated_mul(O, U);
            const real    D = w->D[v];
            // O - D (S y' + y S') + (D + D^2 U'y) S S' = O - S z' - z S' with z = D y - (D + D^2 U'y)/2 S
            const real    half = r_mul(r_const(0.5), r_add(D, r_mul(r_mul(D, D), sv_dot(U, y))));
            const spatial z    = sv_add_scaled(sv_scale(D, y), r_neg(half), S);
            const spatial sum  = sv_add(S, z),
                          difference =
                              sv_add_scaled(S, r_const(-1), z); // S z' + z S' = (sum sum' - difference difference') / 2
            O = articulated_sub_outer(O, sv_scale(r_const(0.5), sum), sum);
            O = articulated_sub_outer(O, sv_scale(r_const(-0.5), difference), difference);
        }
        mobility[i] = O;
    }
}
