// SPDX-License-Identifier: BSD-3-Clause
// Rows of one constraint along the ways of its ends.
//
//   J(row, v) = sum over ends of G . (twist of the end's link per unit of v)
//             = sum of (G.a + (p - pv) x G.l) . s + G.l . u          s, u: motion column of v in world axes, at pv
//
// In flat coordinates the columns of a body are (G.l, R'G.a).
#include "constraint/ways.h"

#include "constraint/closure.h"
#include "math/lanes.h"

#include <math.h>

// The ways of all ends to ground, walked from the ends inward; a pair of ends is done where its two ways meet.
typedef struct walk {
    int nend, at[CD_ENDS_MAX];
} walk;

// The last velocity on the way of a link to ground, or -1.
static int way_of(const cardan_model* m, int link) { return link < 0 ? -1 : m->link[link].v + m->link[link].nv - 1; }

static walk walk_begin(const cardan_model* m, const cd_constraint* c)
{
    walk w = {.nend = c->nend};
    for (int k = 0; k < c->nend; ++k) w.at[k] = way_of(m, cd_end_at(c, k)->link);
    return w;
}

static bool walk_on(const walk* w, int k) { return w->at[k] != w->at[k ^ 1]; }

// The deepest velocity that some pair still feels, or -1.
static int walk_next(const cardan_model* m, const walk* w)
{
    int deepest = -1;
    for (int k = 0; k < w->nend; ++k)
        if (walk_on(w, k) && w->at[k] >= 0 && (deepest < 0 || m->v_depth[w->at[k]] > m->v_depth[deepest]))
            deepest = w->at[k];
    return deepest;
}

// Which ends velocity v moves, as bits; they go on to the velocity before it.
static unsigned walk_step(const cardan_model* m, walk* w, int v)
{
    unsigned moved = 0;
    for (int k = 0; k < w->nend; ++k)
        if (walk_on(w, k) && w->at[k] == v) moved |= 1u << k;
    for (int k = 0; k < w->nend; ++k)
        if (moved >> k & 1) w->at[k] = m->v_parent[v];
    return moved;
}

static bool flat(const cardan_model* m) { return m->policy == CARDAN_TREE_FLAT; }

// Whether end k feels its link: not ground, and the other end of its pair is elsewhere.
static bool felt_end(const cd_constraint* c, int k)
{
    const int link = cd_end_at(c, k)->link;
    return link >= 0 && link != cd_end_at(c, k ^ 1)->link;
}

// Flat coordinates: the velocities of one body after the other.
static int flat_velocities(const cardan_model* m, const cd_constraint* c, int* list)
{
    int count = 0;
    for (int k = 0; k < c->nend; ++k) {
        bool known = !felt_end(c, k);
        for (int n = 0; n < k; ++n) known |= felt_end(c, n) && cd_end_at(c, n)->link == cd_end_at(c, k)->link;
        if (known) continue;
        const cd_link* link = &m->link[cd_end_at(c, k)->link];
        for (int i = 0; list && i < link->nv; ++i) list[count + i] = link->v + i;
        count += link->nv;
    }
    return count;
}

int cd_ways(const cardan_model* m, const cd_constraint* c, int* list)
{
    if (flat(m)) return flat_velocities(m, c, list);
    int  count = 0;
    walk w     = walk_begin(m, c);
    for (int v = walk_next(m, &w); v >= 0; v = walk_next(m, &w)) {
        if (list) list[count] = v;
        ++count;
        walk_step(m, &w, v);
    }
    return count;
}

static double extent(vec3 a) { return fabs(r_value(a.x)) + fabs(r_value(a.y)) + fabs(r_value(a.z)); }

static double reach_of(const cd_attached* end) { return fabs(end->p[0]) + fabs(end->p[1]) + fabs(end->p[2]); }

// G (on the twist of the link of end n) times the motion column of velocity v carried to the link's origin.
static real along(const cd_kinematics* k, const cd_world* world, const cardan_model* m, int v, const cd_constraint* c,
                  int n, spatial G)
{
    const cd_attached *end = cd_end_at(c, n), *other = cd_end_at(c, n ^ 1);
    const frame        T = world->pose[m->v_link[v]];
    const vec3 s = m3_mul(T.R, k->S[v].a), u = m3_mul(T.R, k->S[v].l), d = v3_sub(world->pose[end->link].p, T.p);
    const real x = r_add(v3_dot(v3_add(G.a, v3_cross(d, G.l)), s), v3_dot(G.l, u));
    // what is nothing but rounding is nothing: a row that no velocity moves must have no length. G.a was a sum too,
    // with the arm of the end; and an end at the origin of its link is there up to the rounding of where the other one
    // is
    const double arm   = extent(d) + reach_of(end) + reach_of(other);
    const double terms = (extent(G.a) + arm * extent(G.l)) * extent(s) + extent(G.l) * extent(u);
    return r_beyond(x, 1e-14 * terms);
}

// A row on the six velocities of a free body; the square of its length. Components that are nothing but rounding beside
// the others of their kind are nothing.
static const double rounding = 3e-28; // of squares

#ifdef CD_VECTORS

// All components at once. The fourth lanes belong to something else and are never looked at.
typedef struct axes {
    four x, y, z; // rows of R
} axes;

static inline void read_axes(const frame* T, axes* R)
{
    R->x = *(const loose_four*)&T->R.xx;
    R->y = *(const loose_four*)&T->R.yx;
    R->z = *(const loose_four*)&T->R.zx;
}

static inline double on_body(const axes* R, const spatial* G, real* J)
{
    const four t = *(const loose_four*)&G->a.x, g = *(const loose_four*)&G->a.z, l = {g[1], g[2], g[3], g[3]};
    const four m = l * l, t2 = t * t, a = R->x * G->a.x + R->y * G->a.y + R->z * G->a.z, n = a * a;
    const two  sum = (two){m[0], t2[0]} + (two){m[1], t2[1]} + (two){m[2], t2[2]}, least = sum * rounding;
    const four turn      = (four)((four_bits)a & (n > least[1]));
    *(loose_four*)J      = (four)((four_bits)l & (m > least[0]));
    *(loose_two*)(J + 3) = (two){turn[0], turn[1]};
    J[5]                 = turn[2];
    return sum[0] + sum[1];
}

#else

typedef mat3 axes;

static inline void read_axes(const frame* T, axes* R) { *R = T->R; }

static inline double square_of(vec3 a)
{
    return r_value(a.x) * r_value(a.x) + r_value(a.y) * r_value(a.y) + r_value(a.z) * r_value(a.z);
}

static inline double on_body(const axes* R, const spatial* G, real* J)
{
    const vec3   l = G->l, a = m3_tmul(*R, G->a);
    const double move = square_of(l), turn = square_of(a);
    const real   x[6] = {l.x, l.y, l.z, a.x, a.y, a.z};
    for (int i = 0; i < 6; ++i) J[i] = r_beyond(x[i], sqrt(rounding * (i < 3 ? move : turn)));
    return move + turn;
}

#endif

// Two ends, nearly always: bodies stand in the order of the ends.
static void flat_pair(const cd_world* world, const cd_row_block* b, double* square)
{
    const spatial* G    = b->G;
    real*          J    = b->J;
    const int      nrow = b->nrow, nv = b->nv;
    const bool     first = b->link[0] >= 0, second = b->link[1] >= 0;
    axes           R0, R1;
    read_axes(&world->pose[b->link[0]], &R0);
    read_axes(&world->pose[b->link[1]], &R1);
    if (first && second)
        for (int row = 0; row < nrow; ++row)
            square[row] = on_body(&R0, &G[2 * row], J + row * 12) + on_body(&R1, &G[2 * row + 1], J + row * 12 + 6);
    else
        for (int row = 0; row < nrow; ++row)
            square[row] = first ? on_body(&R0, &G[2 * row], J + row * nv) : on_body(&R1, &G[2 * row + 1], J + row * nv);
}

static void square_rows(const cd_row_block* b, double* square)
{
    for (int row = 0; row < b->nrow; ++row) {
        square[row] = 0;
        for (int j = 0; j < b->nv; ++j) square[row] += r_value(b->J[row * b->nv + j]) * r_value(b->J[row * b->nv + j]);
    }
}

// Rows of one constraint on free bodies. The block alone is looked at, not the constraint: sweeps over many wait for
// memory.
static void flat_rows(const cardan_model* m, const cd_world* world, const cd_row_block* b, double* square)
{
    int filled = 0; // columns that hold something already
    if (b->nend == 2 && b->link[0] != b->link[1]) {
        flat_pair(world, b, square);
        return;
    }
    for (int n = 0; n < b->nend; ++n) {
        const int link = b->link[n];
        if (link < 0 || link == b->link[n ^ 1]) continue;
        const int v      = m->link[link].v;
        int       column = 0;
        axes      R;
        read_axes(&world->pose[link], &R);
        while (b->v[column] != v) column += 6;
        for (int row = 0; row < b->nrow; ++row) {
            real  x[6];
            real* J = b->J + row * b->nv + column;
            on_body(&R, &b->G[row * b->nend + n], x);
            for (int i = 0; i < 6; ++i) J[i] = column >= filled ? x[i] : r_add(J[i], x[i]);
        }
        if (column >= filled) filled = column + 6;
    }
    square_rows(b, square);
}

// Rows of one constraint on the joints of a tree.
static void tree_rows(const cardan_model* m, const cd_kinematics* k, const cd_world* world, const cd_constraint* c,
                      const cd_row_block* b)
{
    walk w = walk_begin(m, c);
    for (int column = 0; column < b->nv; ++column) {
        const int      v     = b->v[column];
        const unsigned moved = walk_step(m, &w, v);
        for (int row = 0; row < c->nrow; ++row) {
            real sum = r_lift(0);
            for (int n = 0; n < c->nend; ++n)
                if (moved >> n & 1) sum = r_add(sum, along(k, world, m, v, c, n, b->G[row * c->nend + n]));
            b->J[row * b->nv + column] = sum;
        }
    }
}

void cd_way_rows(const cardan_model* m, const cd_kinematics* k, const cd_world* world, const cd_constraint* c,
                 const cd_row_block* b, double* square)
{
    if (flat(m)) {
        flat_rows(m, world, b, square);
        return;
    }
    tree_rows(m, k, world, c, b);
    square_rows(b, square);
}

// On the six velocities of a free body.
static void push_body(const cardan_model* m, const cd_world* world, int link, const spatial* G, real force,
                      real* effort)
{
    axes  R;
    real  J[6];
    real* on = effort + m->link[link].v;
    read_axes(&world->pose[link], &R);
    on_body(&R, G, J);
    for (int i = 0; i < 6; ++i) on[i] = r_add(on[i], r_mul(force, J[i]));
}

void cd_closure_push(const cardan_model* m, const cd_kinematics* k, const cd_world* world, const cd_closure* closure,
                     int constraint, int coordinate, real force, real* effort)
{
    const cd_constraint* c = &closure->constraint[constraint];
    const spatial*       G = closure->equations[constraint].G; // one row
    const real           F = r_div(force, r_lift(c->coupled->factor[coordinate]));
    for (int n = 2 * coordinate; flat(m) && n < 2 * coordinate + 2; ++n)
        if (felt_end(c, n)) push_body(m, world, cd_end_at(c, n)->link, &G[n], F, effort);
    if (flat(m)) return;
    walk w = walk_begin(m, c);
    for (int v = walk_next(m, &w); v >= 0; v = walk_next(m, &w)) {
        const unsigned moved = walk_step(m, &w, v);
        for (int n = 2 * coordinate; n < 2 * coordinate + 2; ++n)
            if (moved >> n & 1) effort[v] = r_add(effort[v], r_mul(F, along(k, world, m, v, c, n, G[n])));
    }
}
