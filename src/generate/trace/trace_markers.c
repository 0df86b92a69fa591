// SPDX-License-Identifier: BSD-3-Clause
// Kinematics of all markers over traced numbers: rotation and position, angular and linear velocity, and the Jacobian,
// whose column of velocity k is
//
//   [ s ; u + s x (p - o) ]      s, u: motion column in world axes at the origin o of its link, p: the marker
//
// The poses are evaluated by the functions of the runtime library, compiled for traced numbers.
#include "generate/routine/routine.h"
#include "generate/trace/traced_links.h"

#include "kinematics/world_motion.h"

#include <stdlib.h>

typedef struct marker_work {
    tracing         t;
    cd_kinematics   k;
    cd_world_motion world;
    real *          q, *v, *out;
    cd_arena        arena;
} marker_work;

static int output_count(const cardan_model* m) { return m->nmarker * (18 + 6 * m->nv); }

static void layout(const cardan_model* m, marker_work* w)
{
    cd_kinematics_layout(m, &w->arena, &w->k);
    cd_world_layout(m, &w->arena, &w->world);
    CD_ARENA_ARRAY(&w->arena, w->q, m->nq);
    CD_ARENA_ARRAY(&w->arena, w->v, m->nv);
    CD_ARENA_ARRAY(&w->arena, w->out, output_count(m));
}

static void store_vector(vec3 a, real* out)
{
    out[0] = a.x;
    out[1] = a.y;
    out[2] = a.z;
}

static void marker_jacobian(const cardan_model* m, const marker_work* w, int link, vec3 p, real* J)
{
    for (int v = link < 0 ? -1 : m->link[link].v + m->link[link].nv - 1; v >= 0; v = m->v_parent[v]) {
        const frame T = w->world.pose[m->v_link[v]];
        const vec3  s = m3_mul(T.R, w->k.S[v].a);
        const vec3  u = v3_add(m3_mul(T.R, w->k.S[v].l), v3_cross(s, v3_sub(p, T.p)));
        real        column[6];
        store_vector(s, column);
        store_vector(u, column + 3);
        for (int i = 0; i < 6; ++i) J[i * m->nv + v] = column[i];
    }
}

static void evaluate(const cardan_model* m, marker_work* w)
{
    real *pose = w->out, *velocity = pose + 12 * m->nmarker, *J = velocity + 6 * m->nmarker;
    for (int i = 0; i < output_count(m); ++i) w->out[i] = r_const(0);
    for (int i = 0; i < m->nmarker; ++i) {
        const cd_link_frame* at = &m->marker[i];
        const frame          T  = w->world.pose[at->link];
        const vec3           r = m3_mul(T.R, v3_const(at->p)), p = v3_add(T.p, r);
        const mat3           R = m3_mul_m3(T.R, m3_const(at->R));
        const spatial        V = w->world.velocity[at->link];
        store_vector((vec3){R.xx, R.xy, R.xz}, pose + 12 * i);
        store_vector((vec3){R.yx, R.yy, R.yz}, pose + 12 * i + 3);
        store_vector((vec3){R.zx, R.zy, R.zz}, pose + 12 * i + 6);
        store_vector(p, pose + 12 * i + 9);
        store_vector(V.a, velocity + 6 * i);
        store_vector(v3_add(V.l, v3_cross(V.a, r)), velocity + 6 * i + 3);
        marker_jacobian(m, w, at->link, p, J + (size_t)i * 6 * (size_t)m->nv);
    }
}

cardan_status cd_trace_markers(cd_graph* graph, const cd_link_tree* tree, const cd_input_layout* in, int method,
                               cd_node* output)
{
    (void)method;
    marker_work         w      = {0};
    const cardan_model* m      = tree->model;
    cardan_status       status = cd_tracing_begin(&w.t, graph, tree, in);
    layout(m, &w);
    if (status == CARDAN_OK && !cd_arena_reserve(&w.arena)) status = CARDAN_NO_MEMORY;
    if (status == CARDAN_OK) {
        layout(m, &w);
        for (int i = 0; i < m->nq; ++i) w.q[i] = traced_input(&w.t, in->q + i);
        for (int i = 0; i < m->nv; ++i) w.v[i] = traced_input(&w.t, in->v + i);
        cd_forward_kinematics(m, &w.k, w.q);
        cd_world_poses(m, &w.k, w.v, &w.world);
        evaluate(m, &w);
        if (!cd_tracing_output(&w.t, output_count(m), w.out, output)) status = CARDAN_NO_MEMORY;
    }
    cd_arena_release(&w.arena);
    cd_tracing_end(&w.t);
    return status;
}
