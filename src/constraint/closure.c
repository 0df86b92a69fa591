// SPDX-License-Identifier: BSD-3-Clause
// All constraints of a model: made from the joints that are cut, evaluated at a state, turned into rows of J.
//
//   J row = sum over ends of G . (twist of the link per unit of each velocity on its way to ground)
//   gamma = -(sum over ends of G . A at a = 0) - h
#include "constraint/constraint.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

cd_end cd_end_of(const cd_attached* at, const cd_world* world)
{
    const frame   T = world->pose[at->link];
    const spatial V = world->velocity[at->link];
    const vec3    r = m3_mul(T.R, v3_lift(at->p));
    return (cd_end){.T = {m3_mul_m3(T.R, m3_lift(at->R)), v3_add(T.p, r)}, .r = r, .w = V.a, .v = v3_add(V.l, v3_cross(V.a, r)), .bias = v3_cross(V.a, v3_cross(V.a, r))};
}

static vec3 unit(const double a[3])
{
    const double n = sqrt(a[0] * a[0] + a[1] * a[1] + a[2] * a[2]);
    return v3(a[0] / n, a[1] / n, a[2] / n);
}

// The lock that does what the joint does.
static cardan_status lock_of_joint(const cardan_model* m, int j, cd_constraint* c, cardan_report* report)
{
    const cd_joint_info* joint = &m->joint[j];
    *c = (cd_constraint){.type = &cd_constraint_lock, .name = joint->name, .joint = j, .nend = 2, .locks = joint->type->locks};
    c->place  = j < m->view.njoint ? m->view.joint[j].place : cardan_nowhere();
    c->end[0] = joint->frame_first;
    c->end[1] = joint->frame_second;
    if (strcmp(joint->type->name, "general") == 0)
        return cardan_fail(report, CARDAN_UNSUPPORTED, c->place, "joint '%s' is a general joint and would have to close a loop: write it as joints with bodies between them", joint->name);
    c->hooke = strcmp(joint->type->name, "universal") == 0;
    c->screw = joint->nstep == 1 && joint->step[0].motion == CD_HELIX;
    if (c->hooke)
        for (int i = 0; i < 2; ++i) c->axis[i] = unit(joint->step[i].axis);
    if (c->screw) {
        c->locks &= ~(unsigned)CD_LOCK_Z;
        c->parameter[0] = joint->step[0].pitch;
    }
    c->nrow = cd_lock_rows(c);
    return CARDAN_OK;
}

cardan_status cd_closure_create(const cardan_model* m, cd_closure* closure, cardan_report* report)
{
    *closure            = (cd_closure){.nconstraint = m->ncut};
    closure->constraint = cd_allocate((size_t)m->ncut, sizeof *closure->constraint);
    if (!closure->constraint) return cardan_fail(report, CARDAN_NO_MEMORY, cardan_nowhere(), "no memory for the constraints of '%s'", m->view.name);
    for (int i = 0; i < m->ncut; ++i) {
        const cardan_status status = lock_of_joint(m, m->cut[i], &closure->constraint[i], report);
        if (status != CARDAN_OK) return status;
        closure->constraint[i].first_row = closure->nrow;
        closure->nrow += closure->constraint[i].nrow;
    }
    closure->equations = cd_allocate((size_t)closure->nconstraint, sizeof *closure->equations);
    closure->value     = cd_allocate((size_t)closure->nrow, sizeof *closure->value);
    closure->rate      = cd_allocate((size_t)closure->nrow, sizeof *closure->rate);
    closure->angle     = cd_allocate((size_t)closure->nconstraint, sizeof *closure->angle);
    if (closure->equations && closure->value && closure->rate && closure->angle) return CARDAN_OK;
    return cardan_fail(report, CARDAN_NO_MEMORY, cardan_nowhere(), "no memory for the constraints of '%s'", m->view.name);
}

void cd_closure_destroy(cd_closure* closure)
{
    free(closure->constraint);
    free(closure->equations);
    free(closure->value);
    free(closure->rate);
    free(closure->angle);
    *closure = (cd_closure){0};
}

// The angle nearest to the last one among those that differ by whole turns.
static double unwind(double angle, double last) { return angle + 6.283185307179586 * round((last - angle) / 6.283185307179586); }

void cd_closure_evaluate(const cardan_model* m, const cd_world* world, cd_closure* closure)
{
    (void)m;
    for (int i = 0; i < closure->nconstraint; ++i) {
        const cd_constraint* c = &closure->constraint[i];
        cd_equations*        e = &closure->equations[i];
        cd_end               end[CD_ENDS_MAX];
        for (int k = 0; k < c->nend; ++k) end[k] = cd_end_of(&c->end[k], world);
        if (c->screw) closure->angle[i] = unwind(cd_relative_angle(end), closure->angle[i]);
        c->type->evaluate(c, end, &closure->angle[i], e);
        memcpy(closure->value + c->first_row, e->value, (size_t)c->nrow * sizeof(double));
        memcpy(closure->rate + c->first_row, e->rate, (size_t)c->nrow * sizeof(double));
    }
}

void cd_closure_gamma(const cd_world* world, const cd_closure* closure, double* gamma)
{
    for (int i = 0; i < closure->nconstraint; ++i) {
        const cd_constraint* c = &closure->constraint[i];
        const cd_equations*  e = &closure->equations[i];
        for (int row = 0; row < c->nrow; ++row) {
            double sum = e->h[row];
            for (int k = 0; k < c->nend; ++k) sum += sv_dot(e->G[row][k], world->acceleration[c->end[k].link]);
            gamma[c->first_row + row] = -sum;
        }
    }
}

void cd_closure_row(const cardan_model* m, const cd_kinematics* k, const cd_world* world, const cd_constraint* c, int row, const cd_equations* e, double* J)
{
    for (int n = 0; n < c->nend; ++n) {
        const int link = c->end[n].link;
        if (link < 0) continue;
        const spatial G = e->G[row][n];
        const vec3    p = world->pose[link].p;
        for (int v = m->link[link].v + m->link[link].nv - 1; v >= 0; v = m->v_parent[v]) {
            const frame T = world->pose[m->v_link[v]];
            const vec3  s = m3_mul(T.R, k->S[v].a), u = v3_add(m3_mul(T.R, k->S[v].l), v3_cross(s, v3_sub(p, T.p)));
            J[v] += v3_dot(G.a, s) + v3_dot(G.l, u);
        }
    }
}
