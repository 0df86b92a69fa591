// SPDX-License-Identifier: BSD-3-Clause
// All constraints of a model: made from the joints that are cut, evaluated at a state, turned into rows of J.
//
//   J(row, v) = sum over ends of G . (twist of the end's link per unit of v)
//             = sum of (G.a + (p - pv) x G.l) . s + G.l . u          s, u: motion column of v in world axes, at pv
//   gamma     = -(sum over ends of G . A at a = 0) - h
#include "constraint/closure.h"

#include <math.h>
#include <string.h>

static const double turn = 6.28318530717958647692;

cd_end cd_end_of(const cd_attached* at, const cd_world* world)
{
    const frame   T = world->pose[at->link];
    const spatial V = world->velocity[at->link];
    const vec3    r = m3_mul(T.R, v3_lift(at->p));
    return (cd_end){.T    = {m3_mul_m3(T.R, m3_lift(at->R)), v3_add(T.p, r)},
                    .r    = r,
                    .w    = V.a,
                    .v    = v3_add(V.l, v3_cross(V.a, r)),
                    .bias = v3_cross(V.a, v3_cross(V.a, r))};
}

// The lock that does what a joint does. Rows: translations, screw, rotations, Hooke.
static cd_constraint lock_of_joint(const cardan_model* m, int j)
{
    const cd_joint_info* joint = &m->joint[j];
    cd_constraint        c     = {.type = &cd_constraint_lock, .name = joint->name, .joint = j, .nend = 2, .locks = joint->type->locks};
    c.place                    = j < m->view.njoint ? m->view.joint[j].place : cardan_nowhere();
    c.end[0]                   = joint->frame_first;
    c.end[1]                   = joint->frame_second;
    c.hooke                    = strcmp(joint->type->name, "universal") == 0;
    c.screw                    = joint->nstep == 1 && joint->step[0].motion == CD_HELIX;
    if (c.hooke) {
        c.locks &= ~(unsigned)CD_LOCK_RZ;
        for (int i = 0; i < 2; ++i) {
            const double* a = joint->step[i].axis;
            const double  n = sqrt(a[0] * a[0] + a[1] * a[1] + a[2] * a[2]);
            for (int k = 0; k < 3; ++k) c.axis[i][k] = a[k] / n;
        }
    }
    if (c.screw) {
        c.locks &= ~(unsigned)CD_LOCK_Z;
        c.parameter[0] = joint->step[0].pitch;
    }
    for (unsigned bits = c.locks; bits; bits &= bits - 1) ++c.nrow;
    c.nrow += c.hooke + c.screw;
    return c;
}

cardan_status cd_closure_check(const cardan_model* m, cardan_report* report)
{
    for (int i = 0; i < m->ncut; ++i) {
        const cd_joint_info* joint = &m->joint[m->cut[i]];
        if (strcmp(joint->type->name, "general") == 0)
            return cardan_fail(report, CARDAN_UNSUPPORTED, m->view.joint[m->cut[i]].place,
                               "joint '%s' is a general joint and would have to close a loop: write it as simpler joints with bodies between them",
                               joint->name);
    }
    return CARDAN_OK;
}

int cd_closure_rows(const cardan_model* m)
{
    int rows = 0;
    for (int i = 0; i < m->ncut; ++i) rows += lock_of_joint(m, m->cut[i]).nrow;
    return rows;
}

// Velocities on the ways of the ends to ground that do not move all ends alike, in tree order from the ends inward.
static int felt_velocities(const cardan_model* m, const cd_constraint* c, int* list)
{
    int at[CD_ENDS_MAX], count = 0;
    for (int k = 0; k < c->nend; ++k) at[k] = c->end[k].link < 0 ? -1 : m->link[c->end[k].link].v + m->link[c->end[k].link].nv - 1;
    for (;;) {
        int  deepest = -1;
        bool same    = true;
        for (int k = 0; k < c->nend; ++k) {
            if (at[k] != at[0]) same = false;
            if (at[k] >= 0 && (deepest < 0 || m->v_depth[at[k]] > m->v_depth[deepest])) deepest = at[k];
        }
        if (same) return count;
        if (list) list[count] = deepest;
        ++count;
        for (int k = 0; k < c->nend; ++k)
            if (at[k] == deepest) at[k] = m->v_parent[deepest];
    }
}

void cd_closure_layout(const cardan_model* m, cd_arena* arena, cd_closure* closure)
{
    closure->nconstraint = m->ncut;
    closure->nrow        = 0;
    CD_TAKE(arena, closure->constraint, m->ncut);
    CD_TAKE(arena, closure->equations, m->ncut);
    CD_TAKE(arena, closure->angle, m->ncut);
    CD_TAKE(arena, closure->block, m->ncut);
    for (int i = 0; i < m->ncut; ++i) {
        cd_constraint c = lock_of_joint(m, m->cut[i]);
        cd_row_block  b = {.row = closure->nrow, .nrow = c.nrow, .nv = felt_velocities(m, &c, NULL)};
        cd_equations  e = {0};
        c.first_row     = closure->nrow;
        CD_TAKE(arena, e.G, c.nrow * c.nend);
        CD_TAKE(arena, b.v, b.nv);
        CD_TAKE(arena, b.J, c.nrow * b.nv);
        closure->nrow += c.nrow;
        if (!closure->constraint) continue;
        felt_velocities(m, &c, b.v);
        closure->constraint[i] = c;
        closure->block[i]      = b;
        closure->equations[i]  = e;
    }
    CD_TAKE(arena, closure->value, closure->nrow);
    CD_TAKE(arena, closure->rate, closure->nrow);
    CD_TAKE(arena, closure->h, closure->nrow);
    if (!closure->constraint) return;
    for (int i = 0; i < m->ncut; ++i) {
        const int row                = closure->constraint[i].first_row;
        closure->equations[i].value = closure->value + row;
        closure->equations[i].rate  = closure->rate + row;
        closure->equations[i].h     = closure->h + row;
    }
}

void cd_closure_evaluate(const cd_world* world, cd_closure* closure)
{
    for (int i = 0; i < closure->nconstraint; ++i) {
        const cd_constraint* c = &closure->constraint[i];
        cd_end               end[CD_ENDS_MAX];
        for (int k = 0; k < c->nend; ++k) end[k] = cd_end_of(&c->end[k], world);
        if (c->screw) {
            const double angle = cd_relative_angle(end);
            closure->angle[i]  = angle + turn * round((closure->angle[i] - angle) / turn);
        }
        c->type->evaluate(c, end, closure->angle[i], &closure->equations[i]);
    }
}

void cd_closure_jacobian(const cardan_model* m, const cd_kinematics* k, const cd_world* world, cd_closure* closure)
{
    for (int i = 0; i < closure->nconstraint; ++i) {
        const cd_constraint* c = &closure->constraint[i];
        const cd_row_block*  b = &closure->block[i];
        int                  next[CD_ENDS_MAX];
        for (int n = 0; n < c->nend; ++n) next[n] = c->end[n].link < 0 ? -1 : m->link[c->end[n].link].v + m->link[c->end[n].link].nv - 1;
        for (int column = 0; column < b->nv; ++column) {
            const int   v = b->v[column];
            const frame T = world->pose[m->v_link[v]];
            const vec3  s = m3_mul(T.R, k->S[v].a), u = m3_mul(T.R, k->S[v].l);
            for (int row = 0; row < c->nrow; ++row) b->J[row * b->nv + column] = 0;
            for (int n = 0; n < c->nend; ++n) {
                if (next[n] != v) continue;  // not on this end's way
                next[n]      = m->v_parent[v];
                const vec3 d = v3_sub(world->pose[c->end[n].link].p, T.p);
                for (int row = 0; row < c->nrow; ++row) {
                    const spatial G = closure->equations[i].G[row * c->nend + n];
                    b->J[row * b->nv + column] += v3_dot(v3_add(G.a, v3_cross(d, G.l)), s) + v3_dot(G.l, u);
                }
            }
        }
    }
}

void cd_closure_gamma(const cd_world* world, const cd_closure* closure, double* gamma)
{
    for (int i = 0; i < closure->nconstraint; ++i) {
        const cd_constraint* c = &closure->constraint[i];
        for (int row = 0; row < c->nrow; ++row) {
            double sum = closure->h[c->first_row + row];
            for (int n = 0; n < c->nend; ++n) sum += sv_dot(closure->equations[i].G[row * c->nend + n], world->acceleration[c->end[n].link]);
            gamma[c->first_row + row] = -sum;
        }
    }
}
