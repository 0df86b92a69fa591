// SPDX-License-Identifier: BSD-3-Clause
// Bodies and markers in the world, and Jacobians of markers.
#include "dynamics/data.h"

#include "core/arguments.h"
#include "math/finite.h"
#include "math/quaternion.h"

#include <string.h>

static void put(double out[3], vec3 x)
{
    out[0] = x.x;
    out[1] = x.y;
    out[2] = x.z;
}

// Motion of a frame fixed to a link, at the point `local` of that frame.
static void motion_of(const cardan_data* d, const cd_attached* at, vec3 local, bool accelerated, cardan_motion* out)
{
    const frame   T = d->world.pose[at->link];
    const spatial V = d->world.velocity[at->link];
    const mat3    R = m3_mul_m3(T.R, m3_lift(at->R));
    const vec3    r = m3_mul(T.R, v3_add(v3_lift(at->p), m3_mul(m3_lift(at->R), local)));
    *out            = (cardan_motion){0};
    q4_of_matrix((const double[9]){R.xx, R.xy, R.xz, R.yx, R.yy, R.yz, R.zx, R.zy, R.zz}, out->q);
    put(out->p, v3_add(T.p, r));
    put(out->v, v3_add(V.l, v3_cross(V.a, r)));
    put(out->w, V.a);
    if (!accelerated) return;
    const spatial A = d->world.acceleration[at->link];
    put(out->a, v3_add(v3_add(A.l, v3_cross(A.a, r)), v3_cross(V.a, v3_cross(V.a, r))));
    put(out->alpha, A.a);
}

static void know(cardan_data* d, const double* a)
{
    cd_know_world(d);
    if (a) cd_world_accelerations(d->m, &d->k, d->v, a, &d->world);
}

// The same results whatever the accelerations are; the status says where they are not finite.
static cardan_status judge(const cardan_data* d, const double* a)
{
    return !a || cd_are_finite(d->m->nv, a) ? CARDAN_OK : CARDAN_BAD_USAGE;
}

cardan_status cardan_bodies(cardan_data* d, const double* a, cardan_motion* body)
{
    CD_REFUSE_NULL(d, "data", NULL);
    CD_REFUSE_NO_ARRAY(body, d->m->nbody, "body", NULL);
    know(d, a);
    for (int i = 0; i < d->m->nbody; ++i)
        motion_of(d, &d->m->body[i], v3_lift(d->m->view.body[i].centre), a != NULL, &body[i]);
    return judge(d, a);
}

cardan_status cardan_marker_motion(cardan_data* d, int marker, const double* a, cardan_motion* motion)
{
    CD_REFUSE_NULL(d, "data", NULL);
    CD_REFUSE_INDEX(marker, d->m->nmarker, "marker", NULL);
    CD_REFUSE_NULL(motion, "motion", NULL);
    know(d, a);
    motion_of(d, &d->m->marker[marker], v3_zero(), a != NULL, motion);
    return judge(d, a);
}

// Column of velocity v: the twist of its link per unit, carried to the marker's origin.
cardan_status cardan_marker_jacobian(cardan_data* d, int marker, double* J)
{
    CD_REFUSE_NULL(d, "data", NULL);
    CD_REFUSE_INDEX(marker, d->m->nmarker, "marker", NULL);
    CD_REFUSE_NO_ARRAY(J, d->m->nv, "J", NULL);
    const cardan_model* m  = d->m;
    const cd_attached*  at = &m->marker[marker];
    const int           n  = m->nv;
    cd_know_world(d);
    if (n > 0) memset(J, 0, 6 * (size_t)n * sizeof *J);
    if (at->link < 0) return CARDAN_OK;
    const vec3 p = v3_add(d->world.pose[at->link].p, m3_mul(d->world.pose[at->link].R, v3_lift(at->p)));
    for (int v = m->link[at->link].v + m->link[at->link].nv - 1; v >= 0; v = m->v_parent[v]) {
        const frame  T         = d->world.pose[m->v_link[v]];
        const vec3   s         = m3_mul(T.R, d->k.S[v].a);
        const vec3   u         = v3_add(m3_mul(T.R, d->k.S[v].l), v3_cross(s, v3_sub(p, T.p)));
        const double column[6] = {s.x, s.y, s.z, u.x, u.y, u.z};
        for (int i = 0; i < 6; ++i) J[i * n + v] = column[i];
    }
    return CARDAN_OK;
}
