// SPDX-License-Identifier: BSD-3-Clause
// Joint-space rows of one constraint along the paths of its ends.
//
//   J(row, v) = sum over ends of G . (twist of the end's link per unit of v)
//             = sum of (G.a + (p - pv) x G.l) . s + G.l . u          s, u: motion column of v in world axes, at pv
//
// In maximal coordinates the columns of a body are (G.l, R'G.a).
#include "constraint/joint_space_rows.h"
#include "constraint/constraint_tolerances.h"

#include "constraint/constraint_set.h"
#include "math/simd_types.h"

#include <math.h>

// Traversal of the paths of all ends to ground, from the ends inward; a pair of ends is done where its two paths meet.
typedef struct path_walk {
    int nend, velocity[CD_CONSTRAINT_ENDS_MAX];
} path_walk;

// Last velocity on the path of a link to ground, or -1.
static int last_velocity_of(const cardan_model* m, int link)
{
    return link < 0 ? -1 : m->link[link].v + m->link[link].nv - 1;
}

static path_walk path_begin(const cardan_model* m, const cd_constraint* c)
{
    path_walk w = {.nend = c->nend};
    for (int k = 0; k < c->nend; ++k) w.velocity[k] = last_velocity_of(m, cd_constraint_end(c, k)->link);
    return w;
}

static bool are_paths_separate(const path_walk* w, int k) { return w->velocity[k] != w->velocity[k ^ 1]; }

// Deepest velocity that still moves a pair, or -1.
static int path_next(const cardan_model* m, const path_walk* w)
{
    int deepest = -1;
    for (int k = 0; k < w->nend; ++k)
        if (are_paths_separate(w, k) && w->velocity[k] >= 0 &&
            (deepest < 0 || m->v_depth[w->velocity[k]] > m->v_depth[deepest]))
            deepest = w->velocity[k];
    return deepest;
}

// Bit mask of the ends that velocity v moves; these ends advance to the velocity before it.
static unsigned path_advance(const cardan_model* m, path_walk* w, int v)
{
    unsigned moved_ends = 0;
    for (int k = 0; k < w->nend; ++k)
        if (are_paths_separate(w, k) && w->velocity[k] == v) moved_ends |= 1u << k;
    for (int k = 0; k < w->nend; ++k)
        if (moved_ends >> k & 1) w->velocity[k] = m->v_parent[v];
    return moved_ends;
}

static bool is_maximal(const cardan_model* m) { return m->policy == CARDAN_TREE_MAXIMAL; }

// Whether end k contributes: its link is not ground, and differs from that of the other end of its pair.
static bool is_end_coupled(const cd_constraint* c, int k)
{
    const int link = cd_constraint_end(c, k)->link;
    return link >= 0 && link != cd_constraint_end(c, k ^ 1)->link;
}

// Maximal coordinates: the velocities of one body after the other.
static int maximal_velocities(const cardan_model* m, const cd_constraint* c, int* list)
{
    int count = 0;
    for (int k = 0; k < c->nend; ++k) {
        bool is_listed = !is_end_coupled(c, k);
        for (int n = 0; n < k; ++n)
            is_listed |= is_end_coupled(c, n) && cd_constraint_end(c, n)->link == cd_constraint_end(c, k)->link;
        if (is_listed) continue;
        const cd_link* link = &m->link[cd_constraint_end(c, k)->link];
        for (int i = 0; list && i < link->nv; ++i) list[count + i] = link->v + i;
        count += link->nv;
    }
    return count;
}

int cd_joint_space_velocities(const cardan_model* m, const cd_constraint* c, int* list)
{
    if (is_maximal(m)) return maximal_velocities(m, c, list);
    int       count = 0;
    path_walk w     = path_begin(m, c);
    for (int v = path_next(m, &w); v >= 0; v = path_next(m, &w)) {
        if (list) list[count] = v;
        ++count;
        path_advance(m, &w, v);
    }
    return count;
}

static double norm_1(vec3 a) { return fabs(r_value(a.x)) + fabs(r_value(a.y)) + fabs(r_value(a.z)); }

static double arm_norm_1(const cd_link_frame* end) { return fabs(end->p[0]) + fabs(end->p[1]) + fabs(end->p[2]); }

// G (on the twist of the link of end n) times the motion column of velocity v at the link's origin.
static real row_entry(const cd_kinematics* k, const cd_world_motion* world, const cardan_model* m, int v,
                      const cd_constraint* c, int n, spatial G)
{
    const cd_link_frame *end = cd_constraint_end(c, n), *other = cd_constraint_end(c, n ^ 1);
    const frame          T = world->pose[m->v_link[v]];
    const vec3 s = m3_mul(T.R, k->S[v].a), u = m3_mul(T.R, k->S[v].l), d = v3_sub(world->pose[end->link].p, T.p);
    const real x = r_add(v3_dot(v3_add(G.a, v3_cross(d, G.l)), s), v3_dot(G.l, u));
    // entries that are only round-off are set to zero: a row that no velocity moves must have norm zero. G.a is also a
    // sum, with the arm of the end; and an end at the origin of its link is there up to the round-off of the position
    // of the other end
    const double arm        = norm_1(d) + arm_norm_1(end) + arm_norm_1(other);
    const double term_scale = (norm_1(G.a) + arm * norm_1(G.l)) * norm_1(s) + norm_1(G.l) * norm_1(u);
    return r_flush_below(x, cd_row_entry_roundoff * term_scale);
}

// A row on the six velocities of a free body; its squared norm. Components that are only round-off of the others of
// their kind are set to zero.
#ifdef CD_SIMD

// All components at once; the fourth lanes are unused.
typedef struct axes {
    double4 x, y, z; // rows of R
} axes;

static inline void read_axes(const frame* T, axes* R)
{
    R->x = *(const double4_unaligned*)&T->R.xx;
    R->y = *(const double4_unaligned*)&T->R.yx;
    R->z = *(const double4_unaligned*)&T->R.zx;
}

static inline double body_row(const axes* R, const spatial* G, real* J)
{
    const double4 t = *(const double4_unaligned*)&G->a.x, g = *(const double4_unaligned*)&G->a.z,
                  l = {g[1], g[2], g[3], g[3]};
    const double4 m = l * l, t2 = t * t, a = R->x * G->a.x + R->y * G->a.y + R->z * G->a.z, n = a * a;
    const double2 sum            = (double2){m[0], t2[0]} + (double2){m[1], t2[1]} + (double2){m[2], t2[2]},
                  least          = sum * cd_row_component_roundoff_sq;
    const double4 angular_row    = (double4)((mask4)a & (n > least[1]));
    *(double4_unaligned*)J       = (double4)((mask4)l & (m > least[0]));
    *(double2_unaligned*)(J + 3) = (double2){angular_row[0], angular_row[1]};
    J[5]                         = angular_row[2];
    return sum[0] + sum[1];
}

#else

typedef mat3 axes;

static inline void read_axes(const frame* T, axes* R) { *R = T->R; }

static inline double norm_sq(vec3 a)
{
    return r_value(a.x) * r_value(a.x) + r_value(a.y) * r_value(a.y) + r_value(a.z) * r_value(a.z);
}

static inline double body_row(const axes* R, const spatial* G, real* J)
{
    const vec3   l = G->l, a = m3_tmul(*R, G->a);
    const double linear_sq = norm_sq(l), angular_row = norm_sq(a);
    const real   x[6] = {l.x, l.y, l.z, a.x, a.y, a.z};
    for (int i = 0; i < 6; ++i)
        J[i] = r_flush_below(x[i], sqrt(cd_row_component_roundoff_sq * (i < 3 ? linear_sq : angular_row)));
    return linear_sq + angular_row;
}

#endif

// The usual case of two ends: bodies in the order of the ends.
static void maximal_pair_rows(const cd_world_motion* world, const cd_row_block* b, double* row_norm_sq)
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
            row_norm_sq[row] =
                body_row(&R0, &G[2 * row], J + row * 12) + body_row(&R1, &G[2 * row + 1], J + row * 12 + 6);
    else
        for (int row = 0; row < nrow; ++row)
            row_norm_sq[row] =
                first ? body_row(&R0, &G[2 * row], J + row * nv) : body_row(&R1, &G[2 * row + 1], J + row * nv);
}

static void sum_row_squares(const cd_row_block* b, double* row_norm_sq)
{
    for (int row = 0; row < b->nrow; ++row) {
        row_norm_sq[row] = 0;
        for (int j = 0; j < b->nv; ++j)
            row_norm_sq[row] += r_value(b->J[row * b->nv + j]) * r_value(b->J[row * b->nv + j]);
    }
}

// Rows of one constraint on free bodies. Reads only the block, not the constraint: sweeps are limited by memory.
static void maximal_rows(const cardan_model* m, const cd_world_motion* world, const cd_row_block* b,
                         double* row_norm_sq)
{
    int filled = 0; // columns already used
    if (b->nend == 2 && b->link[0] != b->link[1]) {
        maximal_pair_rows(world, b, row_norm_sq);
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
            body_row(&R, &b->G[row * b->nend + n], x);
            for (int i = 0; i < 6; ++i) J[i] = column >= filled ? x[i] : r_add(J[i], x[i]);
        }
        if (column >= filled) filled = column + 6;
    }
    sum_row_squares(b, row_norm_sq);
}

// Rows of one constraint on the joints of a tree.
static void tree_rows(const cardan_model* m, const cd_kinematics* k, const cd_world_motion* world,
                      const cd_constraint* c, const cd_row_block* b)
{
    path_walk w = path_begin(m, c);
    for (int column = 0; column < b->nv; ++column) {
        const int      v          = b->v[column];
        const unsigned moved_ends = path_advance(m, &w, v);
        for (int row = 0; row < c->nrow; ++row) {
            real sum = r_const(0);
            for (int n = 0; n < c->nend; ++n)
                if (moved_ends >> n & 1) sum = r_add(sum, row_entry(k, world, m, v, c, n, b->G[row * c->nend + n]));
            b->J[row * b->nv + column] = sum;
        }
    }
}

void cd_joint_space_rows(const cardan_model* m, const cd_kinematics* k, const cd_world_motion* world,
                         const cd_constraint* c, const cd_row_block* b, double* row_norm_sq)
{
    if (is_maximal(m)) {
        maximal_rows(m, world, b, row_norm_sq);
        return;
    }
    tree_rows(m, k, world, c, b);
    sum_row_squares(b, row_norm_sq);
}

// Effort on the six velocities of a free body.
static void add_body_effort(const cardan_model* m, const cd_world_motion* world, int link, const spatial* G, real force,
                            real* effort)
{
    axes  R;
    real  J[6];
    real* on = effort + m->link[link].v;
    read_axes(&world->pose[link], &R);
    body_row(&R, G, J);
    for (int i = 0; i < 6; ++i) on[i] = r_add(on[i], r_mul(force, J[i]));
}

void cd_coupled_add_effort(const cardan_model* m, const cd_kinematics* k, const cd_world_motion* world,
                           const cd_constraint_set* constraints, int constraint, int coordinate, real force,
                           real* effort)
{
    const cd_constraint* c = &constraints->constraint[constraint];
    const spatial*       G = constraints->equations[constraint].G; // one row
    const real           F = r_div(force, r_const(c->coupled->factor[coordinate]));
    for (int n = 2 * coordinate; is_maximal(m) && n < 2 * coordinate + 2; ++n)
        if (is_end_coupled(c, n)) add_body_effort(m, world, cd_constraint_end(c, n)->link, &G[n], F, effort);
    if (is_maximal(m)) return;
    path_walk w = path_begin(m, c);
    for (int v = path_next(m, &w); v >= 0; v = path_next(m, &w)) {
        const unsigned moved_ends = path_advance(m, &w, v);
        for (int n = 2 * coordinate; n < 2 * coordinate + 2; ++n)
            if (moved_ends >> n & 1) effort[v] = r_add(effort[v], r_mul(F, row_entry(k, world, m, v, c, n, G[n])));
    }
}
