// SPDX-License-Identifier: BSD-3-Clause
// Articulated bodies: M a = r in three sweeps without forming M. A joint of several coordinates is eliminated one
// motion column at a time, which is the block elimination in exact arithmetic and needs no small matrices.
//
//   factor, inward   U = IA S,  D = S'U + armature,  Ia = IA - U U'/D,    IA(parent) += Ia moved to the parent
//   solve, inward    u = r - S'p,                    p(parent) += (p + U u/D) moved to the parent
//   solve, outward   A = A(parent) moved to the link,  a = (u - U'A)/D,   A += S a
//
// The velocity terms are in r already (cd_inverse_dynamics at a = 0), so one factor serves many right sides.
// Paper 003, section 3.2.3 (explicit, order N). docs/theory/order-n.md.
#include "formulation/articulated.h"

#include "kinematics/motion.h"

#include <math.h>

// A pivot below this part of the link's inertia is no resistance but round-off.
//
// The inertia is taken against all turns, or all translations, which is more than rounding of the pivot can come from:
// a straight chain of n parallel hinges has an articulated inertia of n^3/3 about the axes that its hinges hold, and of
// one link about its own. Such a pivot is measured a second time, by the sizes of the terms that it is the sum of: the
// inertia of the link itself, and what its children add to this column, by their articulated and by their own inertias.
static const double null_pivot = 1e-13;

// Done for the next time as soon as a sum was read: a sweep of its own would cost long chains their time in memory.
static inline void start_sum(const cd_link* link, cd_articulated* w, int i)
{
    w->IA[i]   = joined_rigid((rigid){r_lift(link->m), v3_lift(link->h), s3_lift(link->I)});
    w->size[i] = (cd_span){0, 0};
}

void cd_articulated_layout(const cardan_model* m, cd_arena* arena, cd_articulated* w)
{
    CD_TAKE(arena, w->IA, m->nlink);
    CD_TAKE(arena, w->U, m->nv);
    CD_TAKE(arena, w->D, m->nv);
    CD_TAKE(arena, w->p, m->nlink);
    CD_TAKE(arena, w->size, m->nlink);
    CD_TAKE(arena, w->term, m->nv);
    w->lent = NULL;
    for (int i = 0; w->IA && i < m->nlink; ++i) start_sum(&m->link[i], w, i);
}

// What a column would meet if nothing had been eliminated: the measure of a pivot. Between the steps of a joint, where
// there is no inertia of its own, the measure is that of what it carries.
static inline double resistance(cd_span s, spatial S)
{
    const double turn =
        r_value(S.a.x) * r_value(S.a.x) + r_value(S.a.y) * r_value(S.a.y) + r_value(S.a.z) * r_value(S.a.z);
    const double move =
        r_value(S.l.x) * r_value(S.l.x) + r_value(S.l.y) * r_value(S.l.y) + r_value(S.l.z) * r_value(S.l.z);
    return turn * s.turn + move * s.move;
}

static inline cd_span span_of(const joined* I)
{
    return (cd_span){r_value(I->A.xx) + r_value(I->A.yy) + r_value(I->A.zz),
                     r_value(I->M.xx) + r_value(I->M.yy) + r_value(I->M.zz)};
}

static inline void carry_span(cd_span* parent, cd_span s, vec3 p)
{
    const double x = r_value(p.x), y = r_value(p.y), z = r_value(p.z);
    parent->turn += s.turn + (x * x + y * y + z * z) * s.move;
    parent->move += s.move;
}

static inline spatial column_times_inertia(const cd_link* link, const joined* I, spatial S)
{
    if (link->motion == CD_HINGE) return (spatial){v3(I->A.xz, I->A.yz, I->A.zz), m3_row_z(I->H)};
    if (link->motion == CD_SLIDE) return (spatial){m3_column_z(I->H), v3(I->M.xz, I->M.yz, I->M.zz)};
    return joined_mul(*I, S);
}

static inline real column_dot(const cd_link* link, spatial S, spatial F)
{
    return link->motion == CD_HINGE ? F.a.z : link->motion == CD_SLIDE ? F.l.z : sv_dot(S, F);
}

// |T|'|I||T|
static double absolute_form(const joined* I, spatial T)
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

static cd_span own_span(const cd_link* link) { return (cd_span){link->I[0] + link->I[1] + link->I[2], 3 * link->m}; }

// What link i, of articulated inertia I before its own columns are eliminated, adds to the pivots of its parent: T is a
// column of the parent as a motion of the link.
static void carry_terms(const cardan_model* m, const cd_kinematics* k, int i, const joined* I, cd_articulated* w)
{
    const cd_link *link = &m->link[i], *parent = &m->link[link->parent];
    for (int v = parent->v; !parent->bare && v < parent->v + parent->nv; ++v) {
        const spatial T = sv_motion_in(k->X[i], k->S[v]);
        w->term[v] += absolute_form(I, T) + resistance(own_span(link), T);
    }
}

// Whether D is what rounding leaves.
static inline bool is_null(const cd_link* link, double D, cd_span size, spatial S, bool again, double terms)
{
    if (D > null_pivot * resistance(size, S)) return false;
    return !again || link->bare || !(D > null_pivot * (resistance(own_span(link), S) + terms));
}

// again: with terms.
static inline cardan_status factor(const cardan_model* m, const cd_kinematics* k, cd_articulated* w, bool again,
                                   cd_where* where)
{
    for (int i = m->nlink - 1; i >= 0; --i) {
        const cd_link* link = &m->link[i];
        joined         I    = w->IA[i];
        const cd_span  size = link->bare ? w->size[i] : span_of(&I);
        start_sum(link, w, i);
        if (again && link->parent >= 0) carry_terms(m, k, i, &I, w);
        for (int v = link->v + link->nv - 1; v >= link->v; --v) {
            const spatial U     = column_times_inertia(link, &I, k->S[v]);
            real          D     = column_dot(link, k->S[v], U);
            const double  added = m->armature[v] + (w->lent ? w->lent[v] : 0);
            if (added != 0) D = r_add(D, r_lift(added));
            const double terms = again ? w->term[v] : 0;
            if (again) w->term[v] = 0;
            if (is_null(link, r_value(D), size, k->S[v], again, terms)) {
                where->v = v;
                for (int j = 0; j < i; ++j) start_sum(&m->link[j], w, j);
                for (int u = 0; again && u < m->nv; ++u) w->term[u] = 0;
                return CARDAN_SINGULAR;
            }
            w->U[v] = U;
            w->D[v] = r_div(r_lift(1), D);
            I       = joined_sub_outer(I, U, sv_scale(w->D[v], U));
        }
        if (link->parent < 0) continue;
        if (m->link[link->parent].bare) carry_span(&w->size[link->parent], size, k->X[i].p);
        const bool hinge = link->motion == CD_HINGE && m->armature[link->v] == 0 && !(w->lent && w->lent[link->v] > 0);
        w->IA[link->parent] =
            joined_add(w->IA[link->parent], hinge ? joined_out_hinge(k->X[i], I) : joined_out(k->X[i], I));
    }
    return CARDAN_OK;
}

cardan_status cd_articulated_factor(const cardan_model* m, const cd_kinematics* k, cd_articulated* w, cd_where* where)
{
    const cardan_status status = factor(m, k, w, false, where);
    return status == CARDAN_SINGULAR && !m->link[m->v_link[where->v]].bare ? factor(m, k, w, true, where) : status;
}

// The columns of one link, outermost first: force p on the link, efforts u along its columns.
static inline spatial pass_inward(const cd_link* link, const cd_kinematics* k, const cd_articulated* w, spatial p,
                                  int v, real* u)
{
    *u = r_sub(*u, column_dot(link, k->S[v], p));
    return sv_add_scaled(p, r_mul(*u, w->D[v]), w->U[v]);
}

// p (nlink) holds loads of the links.
static void sweep_inward(const cardan_model* m, const cd_kinematics* k, cd_articulated* w, const real* r, real* u)
{
    for (int i = m->nlink - 1; i >= 0; --i) {
        const cd_link* link = &m->link[i];
        spatial        p    = w->p[i];
        for (int v = link->v + link->nv - 1; v >= link->v; --v) {
            u[v] = r[v];
            p    = pass_inward(link, k, w, p, v, &u[v]);
        }
        if (link->parent >= 0) w->p[link->parent] = sv_add(w->p[link->parent], sv_force_out(k->X[i], p));
    }
}

void cd_articulated_inward(const cardan_model* m, const cd_kinematics* k, cd_articulated* w, const real* r, real* u)
{
    for (int i = 0; i < m->nlink; ++i) w->p[i] = sv_zero();
    sweep_inward(m, k, w, r, u);
}

void cd_articulated_inward_loads(const cardan_model* m, const cd_kinematics* k, cd_articulated* w, const real* effort,
                                 const spatial* wrench, real* u)
{
    for (int i = 0; i < m->nlink; ++i) w->p[i] = cd_own_load(m, k, i, wrench ? &wrench[i] : NULL);
    sweep_inward(m, k, w, effort, u);
}

void cd_articulated_inward_along(const cardan_model* m, const cd_kinematics* k, cd_articulated* w, int n, const int* v,
                                 real* u)
{
    for (int s = 0; s < n; ++s) w->p[m->v_link[v[s]]] = sv_zero();
    for (int s = 0; s < n; ++s) {
        const int      i    = m->v_link[v[s]];
        const cd_link* link = &m->link[i];
        w->p[i]             = pass_inward(link, k, w, w->p[i], v[s], &u[s]);
        if (v[s] == link->v && link->parent >= 0)
            w->p[link->parent] = sv_add(w->p[link->parent], sv_force_out(k->X[i], w->p[i]));
    }
}

void cd_articulated_outward(const cardan_model* m, const cd_kinematics* k, cd_articulated* w, const real* u, real* a)
{
    for (int i = 0; i < m->nlink; ++i) {
        const cd_link* link = &m->link[i];
        spatial        A    = link->parent < 0 ? sv_zero() : sv_motion_in(k->X[i], w->p[link->parent]);
        for (int v = link->v; v < link->v + link->nv; ++v) {
            a[v] = r_mul(r_sub(u[v], sv_dot(w->U[v], A)), w->D[v]);
            if (link->motion == CD_HINGE)
                A.a.z = r_add(A.a.z, a[v]);
            else if (link->motion == CD_SLIDE)
                A.l.z = r_add(A.l.z, a[v]);
            else
                A = sv_add_scaled(A, a[v], k->S[v]);
        }
        w->p[i] = A;
    }
}

static spatial swapped(spatial a) { return (spatial){a.l, a.a}; }

// Outward, with K = 1 - S U'/D, column by column: O = K O(parent, moved to the link) K' + S S'/D.
void cd_articulated_mobility(const cardan_model* m, const cd_kinematics* k, const cd_articulated* w, joined* mobility)
{
    for (int i = 0; i < m->nlink; ++i) {
        const cd_link* link = &m->link[i];
        joined         O    = {0};
        if (link->parent >= 0) { // linear and angular motion change places: then what shifts an inertia shifts this,
                                 // and the way is that back
            const frame X = k->X[i];
            O             = joined_out((frame){m3_transpose(X.R), v3_neg(m3_tmul(X.R, X.p))}, mobility[link->parent]);
        }
        for (int v = link->v; v < link->v + link->nv; ++v) {
            const spatial S = swapped(k->S[v]), U = swapped(w->U[v]), y = joined_mul(O, U);
            const real    D = w->D[v];
            // O - D (S y' + y S') + (D + D^2 U'y) S S' = O - S z' - z S' with z = D y - (D + D^2 U'y)/2 S
            const real    half = r_mul(r_lift(0.5), r_add(D, r_mul(r_mul(D, D), sv_dot(U, y))));
            const spatial z    = sv_add_scaled(sv_scale(D, y), r_neg(half), S);
            const spatial sum  = sv_add(S, z),
                          difference =
                              sv_add_scaled(S, r_lift(-1), z); // S z' + z S' = (sum sum' - difference difference') / 2
            O = joined_sub_outer(O, sv_scale(r_lift(0.5), sum), sum);
            O = joined_sub_outer(O, sv_scale(r_lift(-0.5), difference), difference);
        }
        mobility[i] = O;
    }
}
