// SPDX-License-Identifier: BSD-3-Clause
// Kinematics of all markers over traced numbers: rotation and position, angular and linear velocity, and the Jacobian,
// whose column of velocity k is
//
//   [ s ; u + s x (p - o) ]      s, u: motion of the joint in world axes at the origin o of its link, p: the marker
//
// Poses are the runtime's own functions, compiled for traced numbers.
#include "generate/routine.h"
#include "generate/traced.h"

#include "kinematics/world.h"

#include <stdlib.h>

typedef struct placed {
    tracing       t;
    cd_kinematics k;
    cd_world      world;
    real *        q, *v, *out;
    cd_arena      arena;
} placed;

static int outputs(const cardan_model* m) { return m->nmarker * (18 + 6 * m->nv); }

static void layout(const cardan_model* m, placed* w)
{
    cd_kinematics_layout(m, &w->arena, &w->k);
    cd_world_layout(m, &w->arena, &w->world);
    CD_TAKE(&w->arena, w->q, m->nq);
    CD_TAKE(&w->arena, w->v, m->nv);
    CD_TAKE(&w->arena, w->out, outputs(m));
}

static void put(vec3 a, real* out)
{
    out[0] = a.x;
    out[1] = a.y;
    out[2] = a.z;
}

static void jacobian(const cardan_model* m, const placed* w, int link, vec3 p, real* J)
{
    for (int v = link < 0 ? -1 : m->link[link].v + m->link[link].nv - 1; v >= 0; v = m->v_parent[v]) {
        const frame T = w->world.pose[m->v_link[v]];
        const vec3  s = m3_mul(T.R, w->k.S[v].a);
        const vec3  u = v3_add(m3_mul(T.R, w->k.S[v].l), v3_cross(s, v3_sub(p, T.p)));
        real        column[6];
        put(s, column);
        put(u, column + 3);
        for (int i = 0; i < 6; ++i) J[i * m->nv + v] = column[i];
    }
}

static void evaluate(const cardan_model* m, placed* w)
{
    real *pose = w->out, *velocity = pose + 12 * m->nmarker, *J = velocity + 6 * m->nmarker;
    for (int i = 0; i < outputs(m); ++i) w->out[i] = r_lift(0);
    for (int i = 0; i < m->nmarker; ++i) {
        const cd_attached* at = &m->marker[i];
        const frame        T  = w->world.pose[at->link];
        const vec3         r = m3_mul(T.R, v3_lift(at->p)), p = v3_add(T.p, r);
        const mat3         R = m3_mul_m3(T.R, m3_lift(at->R));
        const spatial      V = w->world.velocity[at->link];
        put((vec3){R.xx, R.xy, R.xz}, pose + 12 * i);
        put((vec3){R.yx, R.yy, R.yz}, pose + 12 * i + 3);
        put((vec3){R.zx, R.zy, R.zz}, pose + 12 * i + 6);
        put(p, pose + 12 * i + 9);
        put(V.a, velocity + 6 * i);
        put(v3_add(V.l, v3_cross(V.a, r)), velocity + 6 * i + 3);
        jacobian(m, w, at->link, p, J + (size_t)i * 6 * (size_t)m->nv);
    }
}

cardan_status cd_trace_markers(cd_graph* graph, const cd_skeleton* s, const cd_sources* in, int way, cd_node* output)
{
    (void)way;
    placed              w      = {0};
    const cardan_model* m      = s->model;
    cardan_status       status = cd_tracing_begin(&w.t, graph, s, in);
    layout(m, &w);
    if (status == CARDAN_OK && !cd_arena_reserve(&w.arena)) status = CARDAN_NO_MEMORY;
    if (status == CARDAN_OK) {
        layout(m, &w);
        for (int i = 0; i < m->nq; ++i) w.q[i] = traced_input(&w.t, in->q + i);
        for (int i = 0; i < m->nv; ++i) w.v[i] = traced_input(&w.t, in->v + i);
        cd_place(m, &w.k, w.q);
        cd_world_poses(m, &w.k, w.v, &w.world);
        evaluate(m, &w);
        if (!cd_tracing_give(&w.t, outputs(m), w.out, output)) status = CARDAN_NO_MEMORY;
    }
    cd_arena_release(&w.arena);
    cd_tracing_end(&w.t);
    return status;
}
