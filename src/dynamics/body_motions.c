// SPDX-License-Identifier: BSD-3-Clause
// Motion of bodies and markers in world axes, and Jacobians of markers.
#include "dynamics/data.h"

#include "core/check_arguments.h"
#include "dynamics/state.h"
#include "math/finite.h"
#include "math/quaternion.h"

#include <string.h>

static void store_vector(double out[3], vec3 x)
{
    out[0] = x.x;
    out[1] = x.y;
    out[2] = x.z;
}

// Motion of a frame fixed to a link, at the point `local` of that frame.
static void frame_motion(const cardan_data* d, const cd_link_frame* at, vec3 local, bool accelerated,
                         cardan_motion* out)
{
    const frame   T = d->world.pose[at->link];
    const spatial V = d->world.velocity[at->link];
    const mat3    R = m3_mul_m3(T.R, m3_const(at->R));
    const vec3    r = m3_mul(T.R, v3_add(v3_const(at->p), m3_mul(m3_const(at->R), local)));
    *out            = (cardan_motion){0};
    q4_of_matrix((const double[9]){R.xx, R.xy, R.xz, R.yx, R.yy, R.yz, R.zx, R.zy, R.zz}, out->q);
    store_vector(out->p, v3_add(T.p, r));
    store_vector(out->v, v3_add(V.l, v3_cross(V.a, r)));
    store_vector(out->w, V.a);
    if (!accelerated) return;
    const spatial A = d->world.acceleration[at->link];
    store_vector(out->a, v3_add(v3_add(A.l, v3_cross(A.a, r)), v3_cross(V.a, v3_cross(V.a, r))));
    store_vector(out->alpha, A.a);
}

static void update_motion(cardan_data* d, const double* a)
{
    cd_update_world(d);
    if (a) cd_world_accelerations(d->m, &d->k, d->v, a, &d->world);
}

// CARDAN_BAD_USAGE if the accelerations are not finite; the results are stored in any case.
static cardan_status check_accelerations(const cardan_data* d, const double* a)
{
    return !a || cd_all_finite(d->m->nv, a) ? CARDAN_OK : CARDAN_BAD_USAGE;
}

cardan_status cardan_data_body_motions(cardan_data* d, const double* a, cardan_motion* body)
{
    CD_REQUIRE_POINTER(d, "data", NULL);
    CD_REQUIRE_ARRAY(body, d->m->nbody, "body", NULL);
    update_motion(d, a);
    for (int i = 0; i < d->m->nbody; ++i)
        frame_motion(d, &d->m->body[i], v3_const(d->m->view.body[i].centre), a != NULL, &body[i]);
    return check_accelerations(d, a);
}

cardan_status cardan_data_marker_motion(cardan_data* d, int marker, const double* a, cardan_motion* motion)
{
    CD_REQUIRE_POINTER(d, "data", NULL);
    CD_REQUIRE_INDEX(marker, d->m->nmarker, "marker", NULL);
    CD_REQUIRE_POINTER(motion, "motion", NULL);
    update_motion(d, a);
    frame_motion(d, &d->m->marker[marker], v3_zero(), a != NULL, motion);
    return check_accelerations(d, a);
}

// Column of velocity v: the unit twist of its link, moved to the marker origin.
cardan_status cardan_data_marker_jacobian(cardan_data* d, int marker, double* J)
{
    CD_REQUIRE_POINTER(d, "data", NULL);
    CD_REQUIRE_INDEX(marker, d->m->nmarker, "marker", NULL);
    CD_REQUIRE_ARRAY(J, d->m->nv, "J", NULL);
    const cardan_model*  m  = d->m;
    const cd_link_frame* at = &m->marker[marker];
    const int            n  = m->nv;
    cd_update_world(d);
    if (n > 0) memset(J, 0, 6 * (size_t)n * sizeof *J);
    if (at->link < 0) return CARDAN_OK;
    const vec3 p = v3_add(d->world.pose[at->link].p, m3_mul(d->world.pose[at->link].R, v3_const(at->p)));
    for (int v = m->link[at->link].v + m->link[at->link].nv - 1; v >= 0; v = m->v_parent[v]) {
        const frame  T         = d->world.pose[m->v_link[v]];
        const vec3   s         = m3_mul(T.R, d->k.S[v].a);
        const vec3   u         = v3_add(m3_mul(T.R, d->k.S[v].l), v3_cross(s, v3_sub(p, T.p)));
        const double column[6] = {s.x, s.y, s.z, u.x, u.y, u.z};
        for (int i = 0; i < 6; ++i) J[i * n + v] = column[i];
    }
    return CARDAN_OK;
}
