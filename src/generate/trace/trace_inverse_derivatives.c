// SPDX-License-Identifier: BSD-3-Clause
// Derivatives of inverse dynamics over traced numbers: the recursion of kinematics/inverse_derivatives.c, in frames
// that need few operations.
//
// Every link has its own frame: its axes, its origin, and the inertial system that momentarily moves with this
// origin. There the link has no linear velocity, its motion column is a unit vector z, and
//
//   S1 = (w x z, 0),    S2 = (B z, a x z),    B = alpha~ + w~ w~, whose column z a revolute joint does not change
//
// Composite bodies have mass, h, J (integral of r r') and G = integral of r (2 v)', l = integral of 2 v: N and the
// angular momentum of the recursion of the library are its two halves, and
//
//   B s = (tr(G) s - G's, -l x s),    B'S = tr(G) s - G s - S_l x l
//
// With r the origin in the frame of the parent and u its velocity there, both in axes of the parent, the transfer to
// the parent is
//
//   l + 2 m u,    G + h (2u)' + r l',    J + h r' + r h' + m r r'
//   columns  p = K S,  m and d as forces,   t + 2 u x p_l    S(j)'m(i) = d tau(j)/d q(i),  S(j)'d(i) = d tau(j)/d v(i)
//
// and the entries are  d tau(i)/d q(j) = p(i)'S2(j) + t(i)'S1(j),   d tau(i)/d v(j) = p(i)'(Sdot + S1)(j) + t(i)'S(j),
// j on the path from i to the root. They do not contain the velocity of the tree as a whole.
#include "generate/trace/traced_links.h"

#include "expression/graph_internal.h"
#include "kinematics/inverse_derivative_terms.h"

#include <stdlib.h>

// Motion column S and its products: S1, S2 and Sdot + S1.
typedef struct motion_column {
    spatial S, velocity_product, acceleration_product, velocity_sum_product;
} motion_column;

typedef struct composite {
    real    m;
    vec3    h, l;
    sym3    J;
    mat3    G;
    spatial F;
    vec3    twice_origin_velocity; // twice the velocity of the origin relative to the parent, axes of the parent
} composite;

// Column of a composite body, carried inward.
typedef struct carried_column {
    spatial p, m, d;
    vec3    t;
} carried_column;

enum {
    CARRIED_NUMBERS     = 21,
    MIN_GROUPED_COLUMNS = 4
}; // numbers of a carried column; columns from which on they form strips

// Range of the columns of a link and all its descendants: those of the link first, then branch after branch.
typedef struct column_range {
    int first, count;
} column_range;

typedef struct derivative_trace {
    const tracing*  t;
    traced_motion*  motion;         // (nlink), and [-1]
    composite*      link_composite; // (nlink)
    motion_column*  column;         // (nv)
    real *          tau_q, *tau_v, *M;
    column_range*   range;             // (nlink)
    carried_column* carried_columns;   // (nv) in the order of the ranges, in the frame that they have been carried to
    int*            column_index;      // (nv) column at this position
    int*            piece_length;      // (nv) columns from this position on that were carried together
    int*            group_size;        // (nv) scratch
    real*           lane;              // (nv) scratch
    int             link;              // link that is being left
    bool (*in_strip)[CARRIED_NUMBERS]; // (nlink) numbers of its only child branch that
                                       // already form strips, possibly negated
} derivative_trace;

static const cd_tree_link* tree_link_of(const derivative_trace* w, int i) { return &w->t->tree->link[i]; }

static const cd_link* model_link_of(const derivative_trace* w, int i)
{
    return &w->t->tree->model->link[tree_link_of(w, i)->model_link];
}

static spatial sv_neg(spatial a) { return (spatial){v3_neg(a.a), v3_neg(a.l)}; }

// ---- outward: columns and bodies

// Velocity of the origin due to the joint, axes of the link.
static vec3 joint_origin_velocity(const derivative_trace* w, int i)
{
    const cd_tree_link* link = tree_link_of(w, i);
    vec3                rate = v3_zero();
    for (int k = 0; k < link->nv; ++k) rate = v3_add_scaled(rate, w->t->v[link->v + k], w->t->link[i].S[k].l);
    return rate;
}

static void add_column_group(derivative_trace* w, int i, int group, spatial* V, spatial* A)
{
    const cd_link* link = model_link_of(w, i);
    const spatial  V0 = *V, A0 = *A;
    spatial        dV = sv_zero(), dA = sv_zero();
    for (int v = link->v; v < link->v + link->nv; ++v) {
        if (cd_column_group(link, v) != group) continue;
        dV = sv_add_scaled(dV, w->t->v[v], w->column[v].S);
        if (w->t->a) dA = sv_add_scaled(dA, w->t->a[v], w->column[v].S);
    }
    *V                  = sv_add(V0, dV);
    *A                  = sv_add(sv_add(A0, dA), cd_cross_motion(V0, dV));
    const bool    fixed = cd_column_group_is_fixed_in_parent(link, group);
    const spatial u = fixed ? *V : V0, au = fixed ? *A : A0;
    for (int v = link->v; v < link->v + link->nv; ++v) {
        motion_column* c = &w->column[v];
        if (cd_column_group(link, v) != group) continue;
        c->velocity_product     = cd_cross_motion(u, c->S);
        c->acceleration_product = sv_add(cd_cross_motion(au, c->S), cd_cross_motion(u, c->velocity_product));
        c->velocity_sum_product = cd_cross_motion(sv_add(V0, *V), c->S);
    }
}

// Any joint: velocity and acceleration of the parent in the frame of the link, then one group of columns after the
// other.
static void general_columns(derivative_trace* w, int i)
{
    const traced_link*   b    = &w->t->link[i];
    const traced_motion* p    = &w->motion[b->link->parent];
    const vec3           rate = joint_origin_velocity(w, i), w0 = vector_from_parent(b, p->w);
    spatial              V = {w0, v3_neg(rate)};
    spatial              A = {vector_from_parent(b, p->alpha),
                              v3_add(vector_from_parent(b, v3_add(p->a, m3_mul(p->B, b->p))), v3_cross(w0, rate))};
    for (int k = 0; k < b->link->nv; ++k) w->column[b->link->v + k].S = b->S[k];
    add_column_group(w, i, 0, &V, &A);
    if (b->link->nv == 6) add_column_group(w, i, 1, &V, &A);
}

static void motion_columns(derivative_trace* w, int i)
{
    const cd_tree_link*  link = tree_link_of(w, i);
    const traced_motion* m    = &w->motion[i];
    motion_column*       c    = &w->column[link->v];
    const vec3           none = v3_zero(), z = v3_unit(2), axis_rate = v3_cross(m->w, z), B_column = m3_column_z(m->B);
    const real           two = r_const(2), zero = r_const(0);
    const vec3           twice = v3(r_mul(two, m->w.y), r_neg(r_mul(two, m->w.x)), zero);
    if (link->motion == CD_REVOLUTE)
        *c = (motion_column){{z, none}, {axis_rate, none}, {B_column, v3_cross(m->a, z)}, {twice, none}};
    else if (link->motion == CD_PRISMATIC)
        *c = (motion_column){{none, z}, {none, axis_rate}, {none, B_column}, {none, twice}};
    else
        general_columns(w, i);
    if (link->is_flipped)
        *c = (motion_column){sv_neg(c->S), sv_neg(c->velocity_product), sv_neg(c->acceleration_product),
                             sv_neg(c->velocity_sum_product)};
}

static vec3 cross_row(vec3 w, real x, real y, real z) { return v3_cross(w, v3(x, y, z)); }

// Twice the velocity of the origin relative to the parent, axes of the parent.
static vec3 twice_origin_velocity(const derivative_trace* w, int i)
{
    const traced_link* b   = &w->t->link[i];
    const real         two = r_const(2);
    return v3_add(v3_cross(v3_scale(two, w->motion[b->link->parent].w), b->p),
                  v3_scale(two, vector_to_parent(b, joint_origin_velocity(w, i))));
}

// Composite of the link alone.
static composite single_link_composite(const derivative_trace* w, int i)
{
    const traced_link*   b = &w->t->link[i];
    const traced_motion* m = &w->motion[i];
    const vec3           v = v3_scale(r_const(2), m->w);
    const sym3           J = link_second_moment(b);
    const vec3           x = cross_row(v, J.xx, J.xy, J.xz), y = cross_row(v, J.xy, J.yy, J.yz),
               z = cross_row(v, J.xz, J.yz, J.zz);
    composite c  = {.m = cd_link_constant(b, &b->link->m),
                    .h = link_first_moment(b),
                    .J = J,
                    .G = {x.x, x.y, x.z, y.x, y.y, y.z, z.x, z.y, z.z},
                    .F = {m->n, m->f}};
    c.l          = v3_cross(v, c.h);
    return c;
}

// ---- inward: to the parent

static spatial force_to_parent(const traced_link* b, spatial F)
{
    const vec3 f = vector_to_parent(b, F.l);
    return (spatial){v3_add(vector_to_parent(b, F.a), v3_cross(b->p, f)), f};
}

static mat3 add_outer(mat3 A, vec3 a, vec3 b) { return m3_sub_outer(A, v3_neg(a), b); }

static composite composite_to_parent(const traced_link* b, const composite* c)
{
    const vec3 r = b->p, h = vector_to_parent(b, c->h),
               l   = v3_add_scaled(vector_to_parent(b, c->l), c->m, c->twice_origin_velocity);
    const vec3 k   = v3_add_scaled(h, c->m, r); // first moments about the origin of the parent
    const real two = r_const(2);
    sym3       J   = symmetric_to_parent(b, c->J);
    if (r_is_constant(c->m, 0)) {
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
                       .G = add_outer(add_outer(matrix_to_parent(b, c->G), h, c->twice_origin_velocity), r, l),
                       .F = force_to_parent(b, c->F)};
}

static void add_composite(composite* p, composite c)
{
    p->m = r_add(p->m, c.m);
    p->h = v3_add(p->h, c.h);
    p->l = v3_add(p->l, c.l);
    p->J = s3_add(p->J, c.J);
    p->G = m3_add(p->G, c.G);
    p->F = sv_add(p->F, c.F);
}

// ---- columns of composites, and their entries with all columns on the path to the root

static spatial inertia_times(const composite* c, spatial S)
{
    const sym3 J = c->J;
    const sym3 I = {r_add(J.yy, J.zz), r_add(J.xx, J.zz), r_add(J.xx, J.yy), r_neg(J.xy), r_neg(J.xz), r_neg(J.yz)};
    return rigid_mul((rigid){c->m, c->h, I}, S);
}

// tr(G) 1 - G
static mat3 trace_minus(mat3 G)
{
    return (mat3){r_add(G.yy, G.zz), r_neg(G.xy), r_neg(G.xz), r_neg(G.yx),      r_add(G.xx, G.zz),
                  r_neg(G.yz),       r_neg(G.zx), r_neg(G.zy), r_add(G.xx, G.yy)};
}

static spatial momentum_times_rotation(const composite* c, vec3 s)
{
    return (spatial){m3_tmul(trace_minus(c->G), s), v3_cross(s, c->l)};
}

#define MARK_PAIRED(w, i, x) cd_mark_paired((w)->t, i, sizeof(x) / sizeof(real), (const real*)(const void*)&(x))

static void set_entries(derivative_trace* w, int v, int u, const carried_column* c)
{
    const size_t         n = (size_t)w->t->tree->nv, down = (size_t)v * n + (size_t)u, up = (size_t)u * n + (size_t)v;
    const motion_column* at = &w->column[u];
    if (w->M) w->M[down] = w->M[up] = sv_dot(at->S, c->p);
    if (!w->tau_q) return;
    w->tau_v[up]        = sv_dot(at->S, c->d);
    w->tau_q[up]        = sv_dot(at->S, c->m);
    w->tau_v[down]      = r_add(sv_dot(c->p, at->velocity_sum_product), v3_dot(c->t, at->S.a));
    w->tau_q[down]      = r_add(sv_dot(c->p, at->acceleration_product), v3_dot(c->t, at->velocity_product.a));
    const real entry[4] = {w->tau_v[up], w->tau_q[up], w->tau_v[down], w->tau_q[down]};
    cd_mark_paired(w->t, w->link, 4, entry);
}

// Entries of column v with the columns of its own joint, some of which are displaced by it.
static void set_own_entries(derivative_trace* w, const cd_link* link, int v, const carried_column* c,
                            spatial displaced_force, spatial F)
{
    const size_t n = (size_t)w->t->tree->nv;
    for (int u = link->v; u <= v; ++u) {
        const motion_column* at = &w->column[u];
        set_entries(w, v, u, c);
        if (!w->tau_q) continue;
        real *down = &w->tau_q[(size_t)v * n + (size_t)u], *up = &w->tau_q[(size_t)u * n + (size_t)v];
        if (u == v)
            up = down;
        else if (!cd_is_column_displaced(link, v, u))
            *down = r_add(*down, sv_dot(w->column[v].S, cd_cross_force(at->S, F)));
        if (!cd_is_column_displaced(link, u, v)) *up = r_add(*up, sv_dot(at->S, displaced_force));
    }
}

static void carry_to_parent(const derivative_trace* w, int i, carried_column* c)
{
    const traced_link* b = &w->t->link[i];
    c->p                 = force_to_parent(b, c->p);
    c->m                 = force_to_parent(b, c->m);
    c->d                 = force_to_parent(b, c->d);
    c->t = v3_add(vector_to_parent(b, c->t), v3_cross(w->link_composite[i].twice_origin_velocity, c->p.l));
}

// ---- strips of columns, with vector groups: one strip per number of the carried columns

static real* carried_number(carried_column* c, int k)
{
    vec3* const of[CARRIED_NUMBERS / 3] = {&c->p.l, &c->m.l, &c->d.l, &c->t, &c->p.a, &c->m.a, &c->d.a};
    return k % 3 == 0 ? &of[k / 3]->x : k % 3 == 1 ? &of[k / 3]->y : &of[k / 3]->z;
}

// Node without its sign; constants have none.
static cd_node without_sign(const cd_graph* graph, real a)
{
    if (a.node == CD_NO_NODE) return CD_NO_NODE;
    return cd_node_operation(graph, a.node) == CD_NEG ? cd_node_operand(graph, a.node, 0) : a.node;
}

static bool occurs_in(const cd_graph* graph, real a, int n, carried_column* c)
{
    for (int l = 0; l < n; ++l)
        if (without_sign(graph, *carried_number(c, l)) == without_sign(graph, a)) return true;
    return false;
}

// Mark numbers that carrying only permutes or negates: they already form strips, which others may join. All other moved
// or negated numbers are copied, because strips contain plain values. `all`: copy all numbers, which enter a strip here
// for the first time.
static void copy_moved(const derivative_trace* w, carried_column* before, carried_column* c, bool all, bool* in_strip)
{
    cd_graph* graph = w->t->graph;
    for (int k = 0; k < CARRIED_NUMBERS; ++k) {
        const bool moved = occurs_in(graph, *carried_number(c, k), CARRIED_NUMBERS, before);
        if (in_strip) in_strip[k] = moved && !occurs_in(graph, *carried_number(c, k), k, c);
        if (in_strip && in_strip[k]) continue;
        if (all || moved || without_sign(graph, *carried_number(c, k)) != carried_number(c, k)->node)
            *carried_number(c, k) = r_copy(graph, *carried_number(c, k));
    }
}

// Append the sizes of the vector groups of n lanes, each at most CD_VECTOR_GROUP_MAX; returns their number.
static int append_group_sizes(int n, int ngroup, int* count)
{
    for (; n > 0; n -= CD_VECTOR_GROUP_MAX) count[ngroup++] = n < CD_VECTOR_GROUP_MAX ? n : CD_VECTOR_GROUP_MAX;
    return ngroup;
}

// Prepend the numbers of the own columns of a link to an existing strip; all are negated, or none.
static void prepend_to_strip(const derivative_trace* w, int own, const real* lane)
{
    cd_graph* graph = w->t->graph;
    cd_node   node[6];
    for (int l = 0; l < own; ++l) node[l] = without_sign(graph, lane[l]);
    (void)cd_graph_prepend_strip_group(graph, without_sign(graph, lane[own]), own, node);
}

static void make_strips(derivative_trace* w, int i)
{
    const column_range s   = w->range[i];
    const int          own = tree_link_of(w, i)->nv,
              first = tree_link_of(w, i)->parent < 0 ? own : 0; // the own columns of a root are not carried further
    int ngroup      = append_group_sizes(own - first, 0, w->group_size);
    for (int k = s.first + own; k < s.first + s.count; k += w->piece_length[k])
        ngroup = append_group_sizes(w->piece_length[k], ngroup, w->group_size);
    for (int k = 0; k < CARRIED_NUMBERS; ++k) {
        for (int l = first; l < s.count; ++l) w->lane[l - first] = *carried_number(&w->carried_columns[s.first + l], k);
        if (!w->in_strip[i][k])
            r_strip(w->t->graph, ngroup, w->group_size, w->lane);
        else if (first < own)
            prepend_to_strip(w, own - first, w->lane);
    }
}

static bool is_grouped(const derivative_trace* w, int i)
{
    return i >= 0 && cd_graph_has_vector_groups(w->t->graph) && w->range[i].count >= MIN_GROUPED_COLUMNS;
}

// Entries of all columns of the descendants of link i with its column u, as strips.
static void set_descendant_entries(derivative_trace* w, int i, int u)
{
    const size_t n   = (size_t)w->t->tree->nv;
    const int    own = tree_link_of(w, i)->nv, first = w->range[i].first + own, count = w->range[i].count - own,
              ngroup  = append_group_sizes(count, 0, w->group_size);
    real* const of[5] = {w->tau_q, w->tau_v, w->tau_q, w->tau_v, w->M};
    for (int k = 0; k < count; ++k) set_entries(w, w->column_index[first + k], u, &w->carried_columns[first + k]);
    for (int l = 0; l < 5 && is_grouped(w, i); ++l) {
        for (int k = 0; of[l] && k < count; ++k) {
            const size_t v = (size_t)w->column_index[first + k];
            w->lane[k]     = of[l][l < 2 ? v * n + (size_t)u : (size_t)u * n + v];
        }
        if (of[l]) r_strip(w->t->graph, ngroup, w->group_size, w->lane);
    }
}

// ---- links

// Copy a number of a column of link i; with the sign outside of the copy if the strip that it joins is negated.
static real copy_own(const derivative_trace* w, int i, int k, real a)
{
    cd_graph*       graph       = w->t->graph;
    carried_column* next        = &w->carried_columns[w->range[i].first + tree_link_of(w, i)->nv];
    const bool      joins_strip = w->in_strip[i][k] && carried_number(next, k)->node >= 0;
    const bool      is_negative = joins_strip && cd_node_operation(graph, carried_number(next, k)->node) == CD_NEG;
    return is_negative ? r_neg(r_copy(graph, r_neg(a))) : r_copy(graph, a);
}

static void set_column(derivative_trace* w, int i, int v, carried_column* c)
{
    const composite*     body            = &w->link_composite[i];
    const motion_column* at              = &w->column[v];
    const spatial        displaced_force = cd_cross_force(at->S, body->F);
    c->p                                 = inertia_times(body, at->S);
    c->t                                 = v3_sub(m3_mul(trace_minus(body->G), at->S.a), v3_cross(at->S.l, body->l));
    c->m = sv_add(inertia_times(body, at->acceleration_product), momentum_times_rotation(body, at->velocity_product.a));
    c->d = sv_add(inertia_times(body, at->velocity_sum_product), momentum_times_rotation(body, at->S.a));
    set_own_entries(w, model_link_of(w, i), v, c, displaced_force, body->F);
    c->m = sv_add(c->m, displaced_force);
    MARK_PAIRED(w, i, *c);
    for (int k = 0; k < CARRIED_NUMBERS && is_grouped(w, i); ++k)
        *carried_number(c, k) = copy_own(w, i, k, *carried_number(c, k));
    const size_t diagonal = (size_t)v * (size_t)w->t->tree->nv + (size_t)v;
    if (w->M && w->t->tree->armature[v] != 0) w->M[diagonal] = r_add(w->M[diagonal], r_const(w->t->tree->armature[v]));
}

// Leave link i: compute its columns and their entries with those of its descendants, and carry all to the parent.
static void leave_link(derivative_trace* w, int i)
{
    const cd_tree_link* link    = tree_link_of(w, i);
    const column_range  s       = w->range[i];
    const bool          grouped = is_grouped(w, i);
    composite           body    = single_link_composite(w, i);
    w->link                     = i;
    add_composite(&body, w->link_composite[i]);
    body.twice_origin_velocity = w->link_composite[i].twice_origin_velocity;
    w->link_composite[i]       = body;
    MARK_PAIRED(w, i, body);
    for (int k = 0; k < link->nv; ++k) set_column(w, i, link->v + k, &w->carried_columns[s.first + k]);
    if (grouped && (link->parent >= 0 || s.count > link->nv)) make_strips(w, i);
    for (int k = 0; k < link->nv && s.count > link->nv; ++k) set_descendant_entries(w, i, link->v + k);
    if (link->parent < 0) return;
    bool* const in_strip = grouped && w->range[link->parent].count == s.count + tree_link_of(w, link->parent)->nv
                               ? w->in_strip[link->parent]
                               : NULL;
    for (int k = s.first; k < s.first + s.count; ++k) {
        carried_column before = w->carried_columns[k];
        carry_to_parent(w, i, &w->carried_columns[k]);
        if (!grouped) MARK_PAIRED(w, i, w->carried_columns[k]);
        if (grouped || is_grouped(w, link->parent)) copy_moved(w, &before, &w->carried_columns[k], !grouped, in_strip);
    }
    if (s.count > 0) w->piece_length[s.first] = s.count;
    const composite out = composite_to_parent(&w->t->link[i], &w->link_composite[i]);
    MARK_PAIRED(w, i, out);
    add_composite(&w->link_composite[link->parent], out);
}

// Assign the ranges of columns, parents first: the columns of a link, then those of its descendants.
static void assign_ranges(derivative_trace* w)
{
    const cd_link_tree* tree = w->t->tree;
    int                 next = 0;
    for (int i = tree->nlink - 1; i >= 0; --i) {
        w->range[i].count += tree->link[i].nv;
        if (tree->link[i].parent >= 0) w->range[tree->link[i].parent].count += w->range[i].count;
    }
    for (int k = 0; k < 2 * tree->nlink; ++k) {
        const int i = w->t->euler_tour[k];
        if (i < 0) continue;
        w->range[i].first = next;
        for (int l = 0; l < tree->link[i].nv; ++l) w->column_index[next++] = tree->link[i].v + l;
    }
}

static void enter_link(derivative_trace* w, int i, bool accelerated)
{
    cd_traced_link_motion(w->t, i, accelerated, w->motion);
    motion_columns(w, i);
    w->link_composite[i] = (composite){
        r_const(0), v3_zero(), v3_zero(), symmetric_zero(), matrix_zero(), sv_zero(), twice_origin_velocity(w, i)};
    MARK_PAIRED(w, i, w->motion[i]);
    MARK_PAIRED(w, i, w->link_composite[i].twice_origin_velocity);
    for (int v = tree_link_of(w, i)->v; v < tree_link_of(w, i)->v + tree_link_of(w, i)->nv; ++v)
        MARK_PAIRED(w, i, w->column[v]);
}

// Tour the tree, paired links together, so that both values of a pair are computed and used at the same time.
static void tour_tree(derivative_trace* w, bool accelerated)
{
    const cd_link_tree* tree = w->t->tree;
    const size_t        n    = (size_t)tree->nv;
    for (size_t i = 0; i < n * n; ++i) {
        if (w->tau_q) w->tau_q[i] = w->tau_v[i] = r_const(0);
        if (w->M) w->M[i] = r_const(0);
    }
    w->motion[-1] = cd_traced_ground_motion(w->t);
    for (int k = 0; k < 2 * tree->nlink; ++k) {
        const bool enters = w->t->euler_tour[k] >= 0;
        const int  i = enters ? w->t->euler_tour[k] : ~w->t->euler_tour[k], other = w->t->partner[i];
        if (other >= 0 && other < i) continue;
        if (enters)
            enter_link(w, i, accelerated);
        else
            leave_link(w, i);
        if (other < 0) continue;
        if (enters)
            enter_link(w, other, accelerated);
        else
            leave_link(w, other);
    }
}

static void layout(derivative_trace* w, cd_arena* arena, bool accelerated, tracing* at)
{
    const int nv = w->t->tree->nv, nlink = w->t->tree->nlink;
    CD_ARENA_ARRAY(arena, w->motion, nlink + 1);
    CD_ARENA_ARRAY(arena, w->link_composite, nlink);
    CD_ARENA_ARRAY(arena, w->column, nv);
    CD_ARENA_ARRAY(arena, w->range, nlink);
    CD_ARENA_ARRAY(arena, w->carried_columns, nv);
    CD_ARENA_ARRAY(arena, w->column_index, nv);
    CD_ARENA_ARRAY(arena, w->piece_length, nv + 1);
    CD_ARENA_ARRAY(arena, w->group_size, nv + 1);
    CD_ARENA_ARRAY(arena, w->lane, nv + 1);
    CD_ARENA_ARRAY(arena, w->in_strip, nlink);
    if (accelerated) CD_ARENA_ARRAY(arena, at->a, nv);
}

cardan_status cd_traced_inverse_derivatives(const tracing* t, const real* a, real* tau_q, real* tau_v, real* M)
{
    const cd_link_tree* tree  = t->tree;
    tracing             at    = *t;
    derivative_trace    w     = {.t = &at, .tau_q = tau_q, .tau_v = tau_v, .M = M};
    cd_arena            arena = {0};
    at.a                      = NULL;
    layout(&w, &arena, a != NULL, &at);
    if (!cd_arena_reserve(&arena)) return CARDAN_NO_MEMORY;
    layout(&w, &arena, a != NULL, &at);
    ++w.motion; // ground is element -1
    for (int i = 0; a && i < tree->nlink; ++i)
        for (int v = tree->link[i].v; v < tree->link[i].v + tree->link[i].nv; ++v)
            at.a[v] = tree->link[i].is_flipped ? r_neg(a[v]) : a[v];
    assign_ranges(&w);
    tour_tree(&w, a != NULL);
    cd_arena_release(&arena);
    return CARDAN_OK;
}
