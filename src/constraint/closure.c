// SPDX-License-Identifier: BSD-3-Clause
// All constraints of a model, evaluated at a state and turned into rows of J.
//
//   J(row, v) = sum over ends of G . (twist of the end's link per unit of v)
//             = sum of (G.a + (p - pv) x G.l) . s + G.l . u          s, u: motion column of v in world axes, at pv
//   gamma     = -(sum over ends of G . A at a = 0) - h
//
// In flat coordinates the columns of a body are (G.l, R'G.a), and A = 0 at a = 0.
#include "constraint/closure.h"

#include "constraint/sources.h"

#include <string.h>

cardan_status cd_closure_check(const cardan_model* m, cardan_report* report)
{
    cardan_status status = CARDAN_OK;
    cd_constraint c;
    for (cd_source source = cd_source_begin(m); cd_source_next(m, &source, &c);) {
        if (!source.why[0]) continue;
        const bool joint = c.joint != CARDAN_NONE;
        status = cardan_fail(report, joint ? CARDAN_UNSUPPORTED : CARDAN_BAD_INPUT, c.place, "%s '%s'%s %s", c.what,
                             c.name, joint ? "" : ":", source.why);
    }
    return status;
}

int cd_closure_count(const cardan_model* m)
{
    int           count = 0;
    cd_constraint c;
    for (cd_source source = cd_source_begin(m); cd_source_next(m, &source, &c);) ++count;
    return count;
}

int cd_closure_rows(const cardan_model* m)
{
    int           rows = 0;
    cd_constraint c;
    for (cd_source source = cd_source_begin(m); cd_source_next(m, &source, &c);) rows += c.nrow;
    return rows;
}

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

// Velocities on the ways of the ends that do not move both ends of every pair alike.
static int felt_velocities(const cardan_model* m, const cd_constraint* c, int* list)
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

static void lay_constraint(const cardan_model* m, cd_arena* arena, cd_constraint* c, int i, cd_closure* closure)
{
    cd_row_block b = {.row = closure->nrow, .nrow = c->nrow, .nv = felt_velocities(m, c, NULL), .nend = c->nend};
    cd_equations e = {0};
    cd_coupled*  k = NULL;
    c->first_row   = closure->nrow;
    if (c->coupled) CD_TAKE(arena, k, 1);
    CD_TAKE(arena, e.G, c->nrow * c->nend);
    CD_TAKE(arena, b.v, b.nv);
    CD_TAKE(arena, b.J, c->nrow * b.nv);
    CD_TAKE(arena, b.link, c->nend);
    closure->nrow += c->nrow;
    closure->nlossy += c->lossy;
    if (!closure->constraint) return;
    felt_velocities(m, c, b.v);
    for (int n = 0; n < c->nend; ++n) b.link[n] = cd_end_at(c, n)->link;
    b.G = e.G;
    if (k) {
        *k         = *c->coupled;
        c->coupled = k;
    }
    closure->constraint[i] = *c;
    closure->block[i]      = b;
    closure->equations[i]  = e;
}

void cd_closure_begin(cd_closure* closure)
{
    memset(closure->memory, 0, (size_t)closure->nconstraint * CD_MEMORY * sizeof *closure->memory);
    for (int i = 0; i < closure->nconstraint; ++i) {
        const cd_constraint* c      = &closure->constraint[i];
        double*              memory = closure->memory + i * CD_MEMORY;
        memory[0]                   = c->start;
        for (int n = 0; c->coupled && n < c->coupled->n; ++n) memory[n] = c->coupled->coordinate[n].start;
    }
}

static void lay_all(const cardan_model* m, cd_arena* arena, cd_source source, int count, cd_closure* closure)
{
    closure->nconstraint = count;
    closure->nrow        = 0;
    closure->nlossy      = 0;
    closure->singular    = CARDAN_NONE;
    CD_TAKE(arena, closure->constraint, closure->nconstraint);
    CD_TAKE(arena, closure->equations, closure->nconstraint);
    CD_TAKE(arena, closure->memory, closure->nconstraint * CD_MEMORY);
    CD_TAKE(arena, closure->block, closure->nconstraint);
    int           i = 0;
    cd_constraint c;
    for (; cd_source_next(m, &source, &c); ++i)
        lay_constraint(m, arena, &c, i, closure);
    CD_TAKE(arena, closure->value, closure->nrow);
    CD_TAKE(arena, closure->rate, closure->nrow);
    CD_TAKE(arena, closure->h, closure->nrow);
    CD_TAKE(arena, closure->law, 3 * m->nmotion);
    CD_TAKE(arena, closure->law_input, m->nmotion ? m->view.nsignal : 0);
    CD_TAKE(arena, closure->law_work, m->nmotion ? cd_tape_work(m->motion) : 0);
    if (!closure->constraint) return;
    cd_closure_begin(closure);
    for (i = 0; i < closure->nconstraint; ++i) {
        const int row               = closure->constraint[i].first_row;
        closure->equations[i].value = closure->value + row;
        closure->equations[i].rate  = closure->rate + row;
        closure->equations[i].h     = closure->h + row;
    }
}

void cd_closure_layout(const cardan_model* m, cd_arena* arena, cd_closure* closure)
{
    lay_all(m, arena, cd_source_begin(m), cd_closure_count(m), closure);
}

int cd_rotors_count(const cardan_model* m)
{
    int           count = 0;
    cd_constraint c;
    for (cd_source source = cd_source_rotors(m); cd_source_next(m, &source, &c);) ++count;
    return count;
}

void cd_rotors_layout(const cardan_model* m, cd_arena* arena, cd_closure* rotors)
{
    lay_all(m, arena, cd_source_rotors(m), cd_rotors_count(m), rotors);
}

void cd_closure_time(const cardan_model* m, double t, cd_closure* closure)
{
    if (m->nmotion == 0) return;
    if (m->time_signal >= 0) closure->law_input[m->time_signal] = t;
    cd_tape_run(m->motion, closure->law_input, closure->law_work, closure->law);
}

void cd_closure_evaluate(const cd_world* world, cd_closure* closure)
{
    closure->singular = CARDAN_NONE;
    for (int i = 0; i < closure->nconstraint; ++i) {
        const cd_constraint* c   = &closure->constraint[i];
        bool                 singular = false;
        const cd_moment      now = {closure->law, closure->q, closure->memory + i * CD_MEMORY, &singular};
        cd_end               end[CD_ENDS_MAX];
        for (int k = 0; k < c->nend; ++k) end[k] = cd_end_of(cd_end_at(c, k), world);
        c->type->evaluate(c, end, &now, &closure->equations[i]);
        if (singular && closure->singular == CARDAN_NONE) closure->singular = i;
    }
}

static double extent(vec3 a) { return fabs(a.x) + fabs(a.y) + fabs(a.z); }

// G (on the twist of a link) times the motion column of velocity v carried to the link's origin.
static double along(const cd_kinematics* k, const cd_world* world, const cardan_model* m, int v, int link, spatial G)
{
    const frame  T = world->pose[m->v_link[v]];
    const vec3   s = m3_mul(T.R, k->S[v].a), u = m3_mul(T.R, k->S[v].l), d = v3_sub(world->pose[link].p, T.p);
    const double x = v3_dot(v3_add(G.a, v3_cross(d, G.l)), s) + v3_dot(G.l, u);
    // what is nothing but rounding is nothing: a row that no velocity moves must have no length
    const double terms = (extent(G.a) + extent(d) * extent(G.l)) * extent(s) + extent(G.l) * extent(u);
    return fabs(x) > 1e-14 * terms ? x : 0;
}

// Components that are nothing but rounding beside the others are nothing.
static vec3 plain(vec3 a)
{
    const double least = 1e-14 * extent(a);
    return v3(fabs(a.x) > least ? a.x : 0, fabs(a.y) > least ? a.y : 0, fabs(a.z) > least ? a.z : 0);
}

// Rows of one constraint on free bodies. The block alone is looked at, not the constraint: sweeps over many wait for memory.
static void flat_rows(const cardan_model* m, const cd_world* world, const cd_row_block* b)
{
    int filled = 0; // columns that hold something already
    for (int n = 0; n < b->nend; ++n) {
        const int link = b->link[n];
        if (link < 0 || link == b->link[n ^ 1]) continue;
        const mat3 R      = world->pose[link].R;
        const int  v      = m->link[link].v;
        int        column = 0;
        while (b->v[column] != v) column += 6;
        for (int row = 0; row < b->nrow; ++row) {
            const spatial G = b->G[row * b->nend + n];
            const vec3    l = plain(G.l), a = plain(m3_tmul(R, G.a));
            double*       J = b->J + row * b->nv + column;
            if (column >= filled) {
                J[0] = l.x, J[1] = l.y, J[2] = l.z, J[3] = a.x, J[4] = a.y, J[5] = a.z;
            } else {
                J[0] += l.x, J[1] += l.y, J[2] += l.z, J[3] += a.x, J[4] += a.y, J[5] += a.z;
            }
        }
        if (column >= filled) filled = column + 6;
    }
}

void cd_closure_jacobian(const cardan_model* m, const cd_kinematics* k, const cd_world* world, cd_closure* closure)
{
    for (int i = 0; i < closure->nconstraint; ++i) {
        const cd_row_block* b = &closure->block[i];
        if (flat(m)) {
            flat_rows(m, world, b);
            continue;
        }
        const cd_constraint* c = &closure->constraint[i];
        walk                 w = walk_begin(m, c);
        for (int column = 0; column < b->nv; ++column) {
            const int      v     = b->v[column];
            const unsigned moved = walk_step(m, &w, v);
            for (int row = 0; row < c->nrow; ++row) {
                double sum = 0;
                for (int n = 0; n < c->nend; ++n)
                    if (moved >> n & 1)
                        sum += along(k, world, m, v, cd_end_at(c, n)->link, closure->equations[i].G[row * c->nend + n]);
                b->J[row * b->nv + column] = sum;
            }
        }
    }
}

double cd_closure_speed(const cd_world* world, const cd_closure* closure, int constraint, int coordinate)
{
    const cd_constraint* c   = &closure->constraint[constraint];
    double               sum = 0;
    for (int n = 2 * coordinate; n < 2 * coordinate + 2; ++n)
        sum += sv_dot(closure->equations[constraint].G[n], world->velocity[cd_end_at(c, n)->link]);
    return sum / c->coupled->factor[coordinate];
}

void cd_closure_push(const cardan_model* m, const cd_kinematics* k, const cd_world* world, const cd_closure* closure,
                     int constraint, int coordinate, double force, double* effort)
{
    const cd_constraint* c = &closure->constraint[constraint];
    const spatial*       G = closure->equations[constraint].G; // one row
    walk                 w = walk_begin(m, c);
    for (int v = walk_next(m, &w); v >= 0; v = walk_next(m, &w)) {
        const unsigned moved = walk_step(m, &w, v);
        for (int n = 2 * coordinate; n < 2 * coordinate + 2; ++n)
            if (moved >> n & 1)
                effort[v] +=
                    force / c->coupled->factor[coordinate] * along(k, world, m, v, cd_end_at(c, n)->link, G[n]);
    }
}

bool cd_closure_has_position(const cd_closure* closure, int constraint, int row)
{
    return row < closure->constraint[constraint].nposition;
}

void cd_closure_wrenches(const cd_closure* closure, const double* lambda, spatial* wrench)
{
    for (int i = 0; i < closure->nconstraint; ++i) {
        const cd_constraint* c = &closure->constraint[i];
        for (int row = 0; row < c->nrow; ++row)
            for (int n = 0; n < c->nend; ++n)
                if (cd_end_at(c, n)->link >= 0)
                    wrench[cd_end_at(c, n)->link] =
                        sv_add_scaled(wrench[cd_end_at(c, n)->link], -lambda[c->first_row + row],
                                      closure->equations[i].G[row * c->nend + n]);
    }
}

static double length_of(vec3 a) { return sqrt(v3_dot(a, a)); }

// Size of what an end adds to gamma before it meets the other end: accelerations at a = 0, and those of rotation along its arm.
static double size_at_end(const cd_world* world, const cd_attached* end, spatial G)
{
    const vec3    w = world->velocity[end->link].a;
    const spatial A = world->acceleration[end->link];
    const double  turn = v3_dot(w, w), arm = length_of(v3_lift(end->p));
    return length_of(G.a) * (length_of(A.a) + turn) + length_of(G.l) * (length_of(A.l) + (length_of(A.a) + turn) * arm);
}

double cd_closure_terms(const cd_world* world, const cd_closure* closure)
{
    double terms = 0;
    for (int i = 0; i < closure->nconstraint; ++i) {
        const cd_constraint* c = &closure->constraint[i];
        for (int k = 0; k < c->nrow * c->nend; ++k) terms = fmax(terms, size_at_end(world, cd_end_at(c, k % c->nend), closure->equations[i].G[k]));
    }
    return terms;
}

void cd_closure_gamma(const cd_world* world, const cd_closure* closure, double* gamma)
{
    for (int i = 0; !world && i < closure->nrow; ++i) gamma[i] = -closure->h[i];
    if (!world) return;
    for (int i = 0; i < closure->nconstraint; ++i) {
        const cd_constraint* c = &closure->constraint[i];
        for (int row = 0; row < c->nrow; ++row) {
            double sum = closure->h[c->first_row + row];
            for (int n = 0; n < c->nend; ++n)
                sum += sv_dot(closure->equations[i].G[row * c->nend + n], world->acceleration[cd_end_at(c, n)->link]);
            gamma[c->first_row + row] = -sum;
        }
    }
}
