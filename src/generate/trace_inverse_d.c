// SPDX-License-Identifier: BSD-3-Clause
// Derivatives of inverse dynamics over traced numbers: the recursion of kinematics/inverse_derivatives.c, written in
// frames that leave few operations.
//
// Every bone has its own: its axes, its origin, and the inertial frame that moves along with this origin at the
// instant. There it has no linear velocity, its column is a unit vector z, and
//
//   S1 = (w x z, 0),    S2 = (B z, a x z),    B = alpha~ + w~ w~, whose column z a hinge leaves alone
//
// Composite bodies carry mass, h, J (integral of r r') and G = integral of r (2 v)', l = integral of 2 v: N and the
// angular momentum of the runtime's recursion are its two halves, and B s = (tr(G) s - G's, -l x s),  B'S = tr(G) s - G
// s - S_l x l. With r the origin in the frame of the parent and u its velocity there, all in axes of the parent, to the
// parent go
//
//   l + 2 m u,    G + h (2u)' + r l',    J + h r' + r h' + m r r'
//   columns  p = K S,  m and d as forces,   t + 2 u x p_l          S(j)'m(i) = d tau(j) / d q(i),   S(j)'d(i) = d tau(j) / d v(i)
//
// and entries are  d tau(i) / d q(j) = p(i)'S2(j) + t(i)'S1(j),   d tau(i) / d v(j) = p(i)'(Sdot + S1)(j) + t(i)'S(j),
// j on the way from i. No velocity of the tree as a whole is left in them.
#include "generate/traced.h"

#include "expression/inside.h"
#include "kinematics/inverse_slopes.h"

#include <stdlib.h>

// A motion column with what derivatives need of it.
typedef struct column {
    spatial S, first, second, sum;
} column;

typedef struct composite {
    real    m;
    vec3    h, l;
    sym3    J;
    mat3    G;
    spatial F;
    vec3    u; // twice the velocity of the origin seen from the parent, axes of the parent
} composite;

// What a column of the composite does, carried inward.
typedef struct carried {
    spatial p, m, d;
    vec3    t;
} carried;

enum { NUMBERS = 21, WIDE = 4 }; // in it; columns from which on they stand in rows

// Columns of a bone and of all behind it stand side by side: those of the bone first, then branch after branch.
typedef struct span {
    int first, count;
} span;

typedef struct slope_trace {
    const tracing* t;
    traced_motion* motion; // (nbone), and [-1]
    composite*     body;   // (nbone)
    column*        column; // (nv)
    real *         tau_q, *tau_v, *M;
    span*          span;     // (nbone)
    carried*       at;       // (nv) as they stand, in the frame they have been carried to
    int*           which;    // (nv) column that stands there
    int*           piece;    // (nv) columns from there on that came together
    int*           count;    // (nv) work
    real*          lane;     // (nv) work
    int            bone;     // that is being left
    bool (*stands)[NUMBERS]; // (nbone) numbers of the only branch behind it that stand in rows already, with or without
                             // a sign
} slope_trace;

static const cd_bone* bone_of(const slope_trace* w, int i) { return &w->t->s->bone[i]; }

static const cd_link* link_of(const slope_trace* w, int i) { return &w->t->s->model->link[bone_of(w, i)->link]; }

static spatial sv_neg(spatial a) { return (spatial){v3_neg(a.a), v3_neg(a.l)}; }

// ---- outward: columns and bodies

// Rate of the origin by the joint itself, own axes.
static vec3 own_rate(const slope_trace* w, int i)
{
    const cd_bone* b    = bone_of(w, i);
    vec3           rate = v3_zero();
    for (int k = 0; k < b->nv; ++k) rate = v3_add_scaled(rate, w->t->v[b->v + k], w->t->bone[i].S[k].l);
    return rate;
}

static void pass_group(slope_trace* w, int i, int group, spatial* V, spatial* A)
{
    const cd_link* link = link_of(w, i);
    const spatial  V0 = *V, A0 = *A;
    spatial        dV = sv_zero(), dA = sv_zero();
    for (int v = link->v; v < link->v + link->nv; ++v) {
        if (cd_group_of(link, v) != group) continue;
        dV = sv_add_scaled(dV, w->t->v[v], w->column[v].S);
        if (w->t->a) dA = sv_add_scaled(dA, w->t->a[v], w->column[v].S);
    }
    *V                  = sv_add(V0, dV);
    *A                  = sv_add(sv_add(A0, dA), cd_cross_motion(V0, dV));
    const bool    fixed = cd_fixed_in_parent(link, group);
    const spatial u = fixed ? *V : V0, au = fixed ? *A : A0;
    for (int v = link->v; v < link->v + link->nv; ++v) {
        column* c = &w->column[v];
        if (cd_group_of(link, v) != group) continue;
        c->first  = cd_cross_motion(u, c->S);
        c->second = sv_add(cd_cross_motion(au, c->S), cd_cross_motion(u, c->first));
        c->sum    = cd_cross_motion(sv_add(V0, *V), c->S);
    }
}

// Any joint: velocity and acceleration of the parent in the frame of the bone, then one group of columns after the
// other.
static void any_columns(slope_trace* w, int i)
{
    const traced_bone*   b    = &w->t->bone[i];
    const traced_motion* p    = &w->motion[b->bone->parent];
    const vec3           rate = own_rate(w, i), w0 = vector_in(b, p->w);
    spatial              V = {w0, v3_neg(rate)};
    spatial A = {vector_in(b, p->alpha), v3_add(vector_in(b, v3_add(p->a, m3_mul(p->B, b->p))), v3_cross(w0, rate))};
    for (int k = 0; k < b->bone->nv; ++k) w->column[b->bone->v + k].S = b->S[k];
    pass_group(w, i, 0, &V, &A);
    if (b->bone->nv == 6) pass_group(w, i, 1, &V, &A);
}

static void columns(slope_trace* w, int i)
{
    const cd_bone*       b    = bone_of(w, i);
    const traced_motion* m    = &w->motion[i];
    column*              c    = &w->column[b->v];
    const vec3           none = v3_zero(), z = v3_unit(2), turn = v3_cross(m->w, z), bend = m3_column_z(m->B);
    const real           two = r_lift(2), zero = r_lift(0);
    const vec3           twice = v3(r_mul(two, m->w.y), r_neg(r_mul(two, m->w.x)), zero);
    if (b->motion == CD_HINGE)
        *c = (column){{z, none}, {turn, none}, {bend, v3_cross(m->a, z)}, {twice, none}};
    else if (b->motion == CD_SLIDE)
        *c = (column){{none, z}, {none, turn}, {none, bend}, {none, twice}};
    else
        any_columns(w, i);
    if (b->flipped) *c = (column){sv_neg(c->S), sv_neg(c->first), sv_neg(c->second), sv_neg(c->sum)};
}

static vec3 row_times(vec3 w, real x, real y, real z) { return v3_cross(w, v3(x, y, z)); }

// Twice the velocity of the origin.
static vec3 origin_rate(const slope_trace* w, int i)
{
    const traced_bone* b   = &w->t->bone[i];
    const real         two = r_lift(2);
    return v3_add(v3_cross(v3_scale(two, w->motion[b->bone->parent].w), b->p),
                  v3_scale(two, vector_out(b, own_rate(w, i))));
}

// The bone by itself.
static composite start(const slope_trace* w, int i)
{
    const traced_bone*   b = &w->t->bone[i];
    const traced_motion* m = &w->motion[i];
    const vec3           v = v3_scale(r_lift(2), m->w);
    const sym3           J = bone_J(b);
    const vec3           x = row_times(v, J.xx, J.xy, J.xz), y = row_times(v, J.xy, J.yy, J.yz),
               z = row_times(v, J.xz, J.yz, J.zz);
    composite c  = {.m = cd_bone_number(b, &b->bone->m),
                    .h = bone_h(b),
                    .J = J,
                    .G = {x.x, x.y, x.z, y.x, y.y, y.z, z.x, z.y, z.z},
                    .F = {m->n, m->f}};
    c.l          = v3_cross(v, c.h);
    return c;
}

// ---- inward: to the parent

static spatial force_out(const traced_bone* b, spatial F)
{
    const vec3 f = vector_out(b, F.l);
    return (spatial){v3_add(vector_out(b, F.a), v3_cross(b->p, f)), f};
}

static mat3 add_outer(mat3 A, vec3 a, vec3 b) { return m3_sub_outer(A, v3_neg(a), b); }

static composite composite_out(const traced_bone* b, const composite* c)
{
    const vec3 r = b->p, h = vector_out(b, c->h), l = v3_add_scaled(vector_out(b, c->l), c->m, c->u);
    const vec3 k   = v3_add_scaled(h, c->m, r); // first moments about the parent's origin
    const real two = r_lift(2);
    sym3       J   = symmetric_out(b, c->J);
    if (r_is(c->m, 0)) {
        const vec3 d = v3_scale(two, r);
        J            = (sym3){
                       r_add(J.xx, r_mul(d.x, h.x)), r_add(J.yy, r_mul(d.y, h.y)), r_add(J.zz, r_mul(d.z, h.z)), J.xy, J.xz, J.yz};
    } else {
        const vec3 s = v3_add(h, k);
        J            = (sym3){
                       r_add(J.xx, r_mul(s.x, r.x)), r_add(J.yy, r_mul(s.y, r.y)), r_add(J.zz, r_mul(s.z, r.z)), J.xy, J.xz, J.yz};
    }
    J.xy = r_add(J.xy, r_add(r_mul(h.x, r.y), r_mul(r.x, k.y)));
    J.xz = r_add(J.xz, r_add(r_mul(h.x, r.z), r_mul(r.x, k.z)));
    J.yz = r_add(J.yz, r_add(r_mul(h.y, r.z), r_mul(r.y, k.z)));
    return (composite){.m = c->m,
                       .h = k,
                       .l = l,
                       .J = J,
                       .G = add_outer(add_outer(matrix_out(b, c->G), h, c->u), r, l),
                       .F = force_out(b, c->F)};
}

static void join(composite* p, composite c)
{
    p->m = r_add(p->m, c.m);
    p->h = v3_add(p->h, c.h);
    p->l = v3_add(p->l, c.l);
    p->J = s3_add(p->J, c.J);
    p->G = m3_add(p->G, c.G);
    p->F = sv_add(p->F, c.F);
}

// ---- columns of composites, and their entries with all before them

static spatial inertia_times(const composite* c, spatial S)
{
    const sym3 J = c->J;
    const sym3 I = {r_add(J.yy, J.zz), r_add(J.xx, J.zz), r_add(J.xx, J.yy), r_neg(J.xy), r_neg(J.xz), r_neg(J.yz)};
    return rigid_mul((rigid){c->m, c->h, I}, S);
}

// tr(G) 1 - G
static mat3 rest(mat3 G)
{
    return (mat3){r_add(G.yy, G.zz), r_neg(G.xy), r_neg(G.xz), r_neg(G.yx),      r_add(G.xx, G.zz),
                  r_neg(G.yz),       r_neg(G.zx), r_neg(G.zy), r_add(G.xx, G.yy)};
}

static spatial turned(const composite* c, vec3 s) { return (spatial){m3_tmul(rest(c->G), s), v3_cross(s, c->l)}; }

#define MARK(w, i, x) cd_mark((w)->t, i, sizeof(x) / sizeof(real), (const real*)(const void*)&(x))

static void give(slope_trace* w, int v, int u, const carried* c)
{
    const size_t  n = (size_t)w->t->s->nv, down = (size_t)v * n + (size_t)u, up = (size_t)u * n + (size_t)v;
    const column* at = &w->column[u];
    if (w->M) w->M[down] = w->M[up] = sv_dot(at->S, c->p);
    if (!w->tau_q) return;
    w->tau_v[up]        = sv_dot(at->S, c->d);
    w->tau_q[up]        = sv_dot(at->S, c->m);
    w->tau_v[down]      = r_add(sv_dot(c->p, at->sum), v3_dot(c->t, at->S.a));
    w->tau_q[down]      = r_add(sv_dot(c->p, at->second), v3_dot(c->t, at->first.a));
    const real entry[4] = {w->tau_v[up], w->tau_q[up], w->tau_v[down], w->tau_q[down]};
    cd_mark(w->t, w->bone, 4, entry);
}

// Entries of column v with those of its own joint, of which some are displaced along with it and some are not.
static void give_own(slope_trace* w, const cd_link* link, int v, const carried* c, spatial led, spatial F)
{
    const size_t n = (size_t)w->t->s->nv;
    for (int u = link->v; u <= v; ++u) {
        const column* at = &w->column[u];
        give(w, v, u, c);
        if (!w->tau_q) continue;
        real *down = &w->tau_q[(size_t)v * n + (size_t)u], *up = &w->tau_q[(size_t)u * n + (size_t)v];
        if (u == v)
            up = down;
        else if (!cd_displaced(link, v, u))
            *down = r_add(*down, sv_dot(w->column[v].S, cd_cross_force(at->S, F)));
        if (!cd_displaced(link, u, v)) *up = r_add(*up, sv_dot(at->S, led));
    }
}

static void carry(const slope_trace* w, int i, carried* c)
{
    const traced_bone* b = &w->t->bone[i];
    c->p                 = force_out(b, c->p);
    c->m                 = force_out(b, c->m);
    c->d                 = force_out(b, c->d);
    c->t                 = v3_add(vector_out(b, c->t), v3_cross(w->body[i].u, c->p.l));
}

// ---- columns side by side, where packs are allowed: rows of one number of all of them

static real* number(carried* c, int k)
{
    vec3* const of[NUMBERS / 3] = {&c->p.l, &c->m.l, &c->d.l, &c->t, &c->p.a, &c->m.a, &c->d.a};
    return k % 3 == 0 ? &of[k / 3]->x : k % 3 == 1 ? &of[k / 3]->y : &of[k / 3]->z;
}

// Numbers that are known have no node.
static cd_node without_sign(const cd_graph* graph, real a)
{
    if (a.node == CD_NO_NODE) return CD_NO_NODE;
    return cd_node_operation(graph, a.node) == CD_NEG ? cd_node_operand(graph, a.node, 0) : a.node;
}

static bool is_one_of(const cd_graph* graph, real a, int n, carried* c)
{
    for (int l = 0; l < n; ++l)
        if (without_sign(graph, *number(c, l)) == without_sign(graph, a)) return true;
    return false;
}

// Numbers that only change their places or have a sign stand in rows already, which others may join; or else they are
// held: rows have values, signs and all. So are `all` that enter a row here.
static void hold_moved(const slope_trace* w, carried* before, carried* c, bool all, bool* stands)
{
    cd_graph* graph = w->t->graph;
    for (int k = 0; k < NUMBERS; ++k) {
        const bool moved = is_one_of(graph, *number(c, k), NUMBERS, before);
        if (stands) stands[k] = moved && !is_one_of(graph, *number(c, k), k, c);
        if (stands && stands[k]) continue;
        if (all || moved || without_sign(graph, *number(c, k)) != number(c, k)->node)
            *number(c, k) = r_hold(graph, *number(c, k));
    }
}

// n numbers from `lane` on as packs of a row, of which none is too wide.
static int add_packs(int n, int npack, int* count)
{
    for (; n > 0; n -= CD_WIDEST_PACK) count[npack++] = n < CD_WIDEST_PACK ? n : CD_WIDEST_PACK;
    return npack;
}

// Numbers of the bone's own columns before those that stand in a row already; all have a sign, or none.
static void join_row(const slope_trace* w, int own, const real* lane)
{
    cd_graph* graph = w->t->graph;
    cd_node   node[6];
    for (int l = 0; l < own; ++l) node[l] = without_sign(graph, lane[l]);
    (void)cd_pack_before(graph, without_sign(graph, lane[own]), own, node);
}

static void make_rows(slope_trace* w, int i)
{
    const span s   = w->span[i];
    const int  own = bone_of(w, i)->nv, first = bone_of(w, i)->parent < 0 ? own : 0; // of a root nobody wants its own
    int        npack = add_packs(own - first, 0, w->count);
    for (int k = s.first + own; k < s.first + s.count; k += w->piece[k])
        npack = add_packs(w->piece[k], npack, w->count);
    for (int k = 0; k < NUMBERS; ++k) {
        for (int l = first; l < s.count; ++l) w->lane[l - first] = *number(&w->at[s.first + l], k);
        if (!w->stands[i][k])
            r_row(w->t->graph, npack, w->count, w->lane);
        else if (first < own)
            join_row(w, own - first, w->lane);
    }
}

static bool is_wide(const slope_trace* w, int i)
{
    return i >= 0 && cd_graph_packs(w->t->graph) && w->span[i].count >= WIDE;
}

// Entries of all columns behind bone i with its column u, as rows.
static void give_behind(slope_trace* w, int i, int u)
{
    const size_t n   = (size_t)w->t->s->nv;
    const int    own = bone_of(w, i)->nv, first = w->span[i].first + own, count = w->span[i].count - own,
              npack   = add_packs(count, 0, w->count);
    real* const of[5] = {w->tau_q, w->tau_v, w->tau_q, w->tau_v, w->M};
    for (int k = 0; k < count; ++k) give(w, w->which[first + k], u, &w->at[first + k]);
    for (int l = 0; l < 5 && is_wide(w, i); ++l) {
        for (int k = 0; of[l] && k < count; ++k) {
            const size_t v = (size_t)w->which[first + k];
            w->lane[k]     = of[l][l < 2 ? v * n + (size_t)u : (size_t)u * n + v];
        }
        if (of[l]) r_row(w->t->graph, npack, w->count, w->lane);
    }
}

// ---- bones

// A number of a column of bone i, with a sign outside where those behind have one in the row that it joins.
static real hold_own(const slope_trace* w, int i, int k, real a)
{
    cd_graph*  graph = w->t->graph;
    carried*   next  = &w->at[w->span[i].first + bone_of(w, i)->nv];
    const bool known = w->stands[i][k] && number(next, k)->node >= 0;
    const bool minus = known && cd_node_operation(graph, number(next, k)->node) == CD_NEG;
    return minus ? r_neg(r_hold(graph, r_neg(a))) : r_hold(graph, a);
}

static void give_column(slope_trace* w, int i, int v, carried* c)
{
    const composite* body = &w->body[i];
    const column*    at   = &w->column[v];
    const spatial    led  = cd_cross_force(at->S, body->F);
    c->p                  = inertia_times(body, at->S);
    c->t                  = v3_sub(m3_mul(rest(body->G), at->S.a), v3_cross(at->S.l, body->l));
    c->m                  = sv_add(inertia_times(body, at->second), turned(body, at->first.a));
    c->d                  = sv_add(inertia_times(body, at->sum), turned(body, at->S.a));
    give_own(w, link_of(w, i), v, c, led, body->F);
    c->m = sv_add(c->m, led);
    MARK(w, i, *c);
    for (int k = 0; k < NUMBERS && is_wide(w, i); ++k) *number(c, k) = hold_own(w, i, k, *number(c, k));
    const size_t diagonal = (size_t)v * (size_t)w->t->s->nv + (size_t)v;
    if (w->M && w->t->s->armature[v] != 0) w->M[diagonal] = r_add(w->M[diagonal], r_lift(w->t->s->armature[v]));
}

// Bone i with all behind it: its columns join theirs, entries are made, and all are carried to its parent.
static void leave(slope_trace* w, int i)
{
    const cd_bone* b     = bone_of(w, i);
    const span     s     = w->span[i];
    const bool     wide  = is_wide(w, i);
    composite      alone = start(w, i);
    w->bone              = i;
    join(&alone, w->body[i]);
    alone.u    = w->body[i].u;
    w->body[i] = alone;
    MARK(w, i, alone);
    for (int k = 0; k < b->nv; ++k) give_column(w, i, b->v + k, &w->at[s.first + k]);
    if (wide && (b->parent >= 0 || s.count > b->nv)) make_rows(w, i);
    for (int k = 0; k < b->nv && s.count > b->nv; ++k) give_behind(w, i, b->v + k);
    if (b->parent < 0) return;
    bool* const stands =
        wide && w->span[b->parent].count == s.count + bone_of(w, b->parent)->nv ? w->stands[b->parent] : NULL;
    for (int k = s.first; k < s.first + s.count; ++k) {
        carried before = w->at[k];
        carry(w, i, &w->at[k]);
        if (!wide) MARK(w, i, w->at[k]);
        if (wide || is_wide(w, b->parent)) hold_moved(w, &before, &w->at[k], !wide, stands);
    }
    if (s.count > 0) w->piece[s.first] = s.count;
    const composite out = composite_out(&w->t->bone[i], &w->body[i]);
    MARK(w, i, out);
    join(&w->body[b->parent], out);
}

// Places of columns, parents first: `count` of their own, then what is behind them.
static void make_spans(slope_trace* w)
{
    const cd_skeleton* s    = w->t->s;
    int                next = 0;
    for (int i = s->nbone - 1; i >= 0; --i) {
        w->span[i].count += s->bone[i].nv;
        if (s->bone[i].parent >= 0) w->span[s->bone[i].parent].count += w->span[i].count;
    }
    for (int k = 0; k < 2 * s->nbone; ++k) {
        const int i = w->t->step[k];
        if (i < 0) continue;
        w->span[i].first = next;
        for (int l = 0; l < s->bone[i].nv; ++l) w->which[next++] = s->bone[i].v + l;
    }
}

static void enter(slope_trace* w, int i, bool accelerated)
{
    cd_traced_motion(w->t, i, accelerated, w->motion);
    columns(w, i);
    w->body[i] =
        (composite){r_lift(0), v3_zero(), v3_zero(), symmetric_zero(), matrix_zero(), sv_zero(), origin_rate(w, i)};
    MARK(w, i, w->motion[i]);
    MARK(w, i, w->body[i].u);
    for (int v = bone_of(w, i)->v; v < bone_of(w, i)->v + bone_of(w, i)->nv; ++v) MARK(w, i, w->column[v]);
}

// Around the tree, twins side by side, so that what is computed for both at once is wanted by both at once.
static void sweep(slope_trace* w, bool accelerated)
{
    const cd_skeleton* s = w->t->s;
    const size_t       n = (size_t)s->nv;
    for (size_t i = 0; i < n * n; ++i) {
        if (w->tau_q) w->tau_q[i] = w->tau_v[i] = r_lift(0);
        if (w->M) w->M[i] = r_lift(0);
    }
    w->motion[-1] = cd_traced_ground(w->t);
    for (int k = 0; k < 2 * s->nbone; ++k) {
        const bool enters = w->t->step[k] >= 0;
        const int  i = enters ? w->t->step[k] : ~w->t->step[k], other = w->t->twin[i];
        if (other >= 0 && other < i) continue;
        if (enters)
            enter(w, i, accelerated);
        else
            leave(w, i);
        if (other < 0) continue;
        if (enters)
            enter(w, other, accelerated);
        else
            leave(w, other);
    }
}

static void layout(slope_trace* w, cd_arena* arena, bool accelerated, tracing* at)
{
    const int nv = w->t->s->nv, nbone = w->t->s->nbone;
    CD_TAKE(arena, w->motion, nbone + 1);
    CD_TAKE(arena, w->body, nbone);
    CD_TAKE(arena, w->column, nv);
    CD_TAKE(arena, w->span, nbone);
    CD_TAKE(arena, w->at, nv);
    CD_TAKE(arena, w->which, nv);
    CD_TAKE(arena, w->piece, nv + 1);
    CD_TAKE(arena, w->count, nv + 1);
    CD_TAKE(arena, w->lane, nv + 1);
    CD_TAKE(arena, w->stands, nbone);
    if (accelerated) CD_TAKE(arena, at->a, nv);
}

cardan_status cd_traced_inverse_slopes(const tracing* t, const real* a, real* tau_q, real* tau_v, real* M)
{
    const cd_skeleton* s     = t->s;
    tracing            at    = *t;
    slope_trace        w     = {.t = &at, .tau_q = tau_q, .tau_v = tau_v, .M = M};
    cd_arena           arena = {0};
    at.a                     = NULL;
    layout(&w, &arena, a != NULL, &at);
    if (!cd_arena_reserve(&arena)) return CARDAN_NO_MEMORY;
    layout(&w, &arena, a != NULL, &at);
    ++w.motion; // ground stands before them
    for (int i = 0; a && i < s->nbone; ++i)
        for (int v = s->bone[i].v; v < s->bone[i].v + s->bone[i].nv; ++v)
            at.a[v] = s->bone[i].flipped ? r_neg(a[v]) : a[v];
    make_spans(&w);
    sweep(&w, a != NULL);
    cd_arena_release(&arena);
    return CARDAN_OK;
}
