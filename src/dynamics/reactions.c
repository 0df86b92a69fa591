// SPDX-License-Identifier: BSD-3-Clause
// Reactions of the joints of the tree: one pass of inverse dynamics at the accelerations found gives the wrench F that each
// joint transmits; what its springs, motors and rotors account for is taken out.
//
//   F = C + sum over columns of d_j x_j,   S'C = 0     d_j: torque about the axis of a rotation, force along a slide
//
// C is the reaction; x solves S'd x = S'F.
#include "dynamics/data.h"

#include "math/lapack.h"

#include <math.h>
#include <string.h>

typedef struct columns {
    int     n;
    spatial S[CARDAN_JOINT_MAX], d[CARDAN_JOINT_MAX];  // world axes, at the place of the joint
} columns;

// Columns of a joint and the directions of its motors, at the point p.
static columns columns_of(const cardan_data* d, const cd_joint_info* joint, vec3 p)
{
    const cardan_model* m = d->m;
    columns             c = {0};
    for (int i = joint->first_link; i < joint->first_link + joint->nlink; ++i) {
        const cd_link* link = &m->link[i];
        const frame    T    = d->world.pose[i];
        for (int v = link->v; v < link->v + link->nv; ++v) {
            const vec3 s  = m3_mul(T.R, d->k.S[v].a), u = m3_mul(T.R, d->k.S[v].l);
            const bool turn = v3_dot(s, s) > 0;
            c.S[c.n] = (spatial){s, v3_add(u, v3_cross(s, v3_sub(p, T.p)))};
            c.d[c.n] = turn ? (spatial){s, v3_zero()} : (spatial){v3_zero(), u};
            ++c.n;
        }
    }
    return c;
}

// Take the motors' part out of F.
static spatial constraint_part(const columns* c, spatial F)
{
    enum { N = CARDAN_JOINT_MAX, WORK = 4 * N + (N + 1) * 32 + 64 };
    double A[N * N], x[N], work[WORK];
    int    pivot[N];
    for (int i = 0; i < c->n; ++i) {
        x[i] = sv_dot(c->S[i], F);
        for (int j = 0; j < c->n; ++j) A[j * c->n + i] = sv_dot(c->S[i], c->d[j]);
    }
    if (c->n > 0 && cd_lapack_least_squares(c->n, A, x, 1e-12, work, pivot) < 0) return F;
    for (int i = 0; i < c->n; ++i) F = sv_add_scaled(F, -x[i], c->d[i]);
    return F;
}

cardan_status cardan_reactions(cardan_data* d, const double* a, cardan_reaction* reaction)
{
    const cardan_model* m = d->m;
    cd_know_world(d);
    cd_know_forces(d);
    cd_inverse_dynamics(m, &d->k, d->v, a, d->pushed ? d->wrench : NULL, d->x);
    for (int j = 0; j < m->njoint; ++j) {
        const cd_joint_info* joint = &m->joint[j];
        reaction[j]                = (cardan_reaction){.unique = joint->nlink > 0};
        if (joint->nlink == 0) continue;
        const int          i    = joint->first_link + joint->nlink - 1;
        const cd_attached* at   = &joint->frame_first;
        const frame        T    = d->world.pose[i], P = d->world.pose[at->link];
        const vec3         p    = v3_add(P.p, m3_mul(P.R, v3_lift(at->p)));
        const vec3         f    = m3_mul(T.R, d->k.moving[i].f);
        const vec3         n    = v3_add(m3_mul(T.R, d->k.moving[i].n), v3_cross(v3_sub(T.p, p), f));
        const columns      c    = columns_of(d, joint, p);
        const spatial      C    = constraint_part(&c, (spatial){n, f});
        const double       sign = joint->reversed ? -1 : 1;
        const double       F[3] = {C.l.x, C.l.y, C.l.z}, N[3] = {C.a.x, C.a.y, C.a.z};
        for (int k = 0; k < 3; ++k) {
            reaction[j].force[k]  = sign * F[k];
            reaction[j].torque[k] = sign * N[k];
        }
    }
    return CARDAN_OK;
}
