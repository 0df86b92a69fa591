// SPDX-License-Identifier: BSD-3-Clause
// Axes, angles and motion columns of all links, over traced numbers.
#include "generate/trace/traced_links.h"

#include "math/pi.h"
#include "model/description.h"

#include <math.h>
#include <stdlib.h>

static const double right_angle = CD_PI / 2;

static z_rotation identity_rotation(void) { return (z_rotation){true, r_const(0), r_const(0), r_const(1)}; }

// Rotation by angle + constant; multiples of pi/2 are exact, unless the constant depends on parameters.
static z_rotation rotation_by(real angle, double constant)
{
    const real   constant_angle = r_const(constant);
    const double quarters       = constant_angle.graph ? 0 : nearbyint(constant / right_angle),
                 offset_angle   = constant - quarters * right_angle;
    if (fabs(offset_angle) > 1e-14) angle = r_add(angle, constant_angle.graph ? constant_angle : r_const(offset_angle));
    z_rotation t = {false, angle, r_const(0), r_const(1)};
    r_sincos(angle, &t.s, &t.c);
    const real s = t.s, c = t.c;
    switch (((int)quarters % 4 + 4) % 4) {
    case 1:
        t.s = c, t.c = r_neg(s);
        break;
    case 2:
        t.s = r_neg(s), t.c = r_neg(c);
        break;
    case 3:
        t.s = r_neg(c), t.c = s;
        break;
    default:
        break;
    }
    t.is_identity = r_is_constant(t.s, 0) && r_is_constant(t.c, 1);
    return t;
}

// Angle of a rotation as the sum of a traced angle and a constant.
typedef struct axis_angle {
    real   angle;
    double constant;
} axis_angle;

static void set_ball_joint(const tracing* t, traced_link* b)
{
    const bool  floating = b->link->nv == 6, reversed = b->link->motion >= CD_SPHERICAL_REVERSED;
    const real* q               = t->q + b->link->q;
    const mat3  R               = m3_quaternion(q + (floating ? 3 : 0));
    spatial*    rotation_column = b->S + (floating ? 3 : 0);
    const real  one             = r_const(1);
    b->has_joint_rotation       = true;
    b->joint_rotation           = reversed ? m3_transpose(R) : R;
    rotation_column[0].a.x = rotation_column[1].a.y = rotation_column[2].a.z = one;
    if (reversed) {
        rotation_column[0].a = v3_neg(m3_column_x(R));
        rotation_column[1].a = v3_neg(m3_column_y(R));
        rotation_column[2].a = v3_neg(m3_column_z(R));
    }
    if (!floating) return;
    const vec3 x = v3(q[0], q[1], q[2]);
    if (reversed) {
        b->p = v3_sub(b->p, vector_to_parent(b, x));
        for (int i = 0; i < 3; ++i) rotation_column[i].l = v3_cross(x, rotation_column[i].a);
        b->S[0].l.x = b->S[1].l.y = b->S[2].l.z = r_const(-1);
    } else {
        b->p      = v3_add(b->p, z_rotate(b->rotation_before, b->has_tree_rotation ? m3_mul(b->R0, x) : x));
        b->S[0].l = v3(R.xx, R.xy, R.xz);
        b->S[1].l = v3(R.yx, R.yy, R.yz);
        b->S[2].l = v3(R.zx, R.zy, R.zz);
    }
}

// Set the rotations of a link about its axis; frame_angle is the angle between its axes E and its frame.
static void set_rotations(const tracing* t, traced_link* b, const traced_link* parent, const axis_angle* before,
                          axis_angle* frame_angle, real angle)
{
    const cd_tree_link* link        = b->link;
    const bool          is_rotation = link->motion != CD_PRISMATIC;
    b->rotation_before              = parent ? parent->frame_rotation : identity_rotation();
    b->rotation_after = b->frame_rotation = identity_rotation();
    b->has_tree_rotation                  = true;
    if (link->is_parallel) {
        const axis_angle sum = {
            is_rotation ? r_add(before->angle, angle) : before->angle,
            par_add(t->tree->model->description->parametric, before->constant, link->parallel_offset)};
        b->rotation_before   = identity_rotation();
        b->has_tree_rotation = false;
        if (link->axes == CD_AXES_PARENT)
            *frame_angle = sum;
        else if (link->axes == CD_AXES_OWN)
            b->rotation_after = rotation_by(sum.angle, sum.constant);
        else {
            b->rotation_after = rotation_by(before->angle, sum.constant);
            *frame_angle      = (axis_angle){is_rotation ? angle : r_const(0), 0};
        }
    } else if (is_rotation && link->axes == CD_AXES_OWN) {
        b->rotation_after = rotation_by(angle, 0);
    } else if (is_rotation) {
        *frame_angle = (axis_angle){angle, 0};
    }
    b->frame_rotation = rotation_by(frame_angle->angle, frame_angle->constant);
}

static bool is_identity_matrix(const double R[9])
{
    for (int i = 0; i < 9; ++i)
        if (R[i] != (i % 4 == 0)) return false;
    return true;
}

static void set_link_frame(tracing* t, int i, axis_angle* frame_angle)
{
    traced_link*        b      = &t->link[i];
    const cd_tree_link* link   = &t->tree->link[i];
    traced_link*        parent = link->parent >= 0 ? &t->link[link->parent] : NULL;
    const axis_angle    none   = {r_const(0), 0};
    frame_angle[i]             = none;
    b->link                    = link;
    b->graph                   = t->graph;
    b->partner                 = t->partner[i] >= 0 ? &t->tree->link[t->partner[i]] : NULL;
    b->is_second               = t->partner[i] >= 0 && t->partner[i] < i;
    b->constant_tag            = 64 * (b->is_second ? t->partner[i] : i) + 1;
    b->R0                      = link_matrix(b, link->R);
    for (int k = 0; k < 6; ++k) b->S[k] = sv_zero();
    b->p = parent ? z_rotate(parent->frame_rotation, link_vector(b, link->p)) : link_vector(b, link->p);

    if (link->motion >= CD_SPHERICAL) {
        b->rotation_before = parent ? parent->frame_rotation : identity_rotation();
        b->rotation_after = b->frame_rotation = identity_rotation();
        b->has_tree_rotation                  = !is_identity_matrix(link->R);
        set_ball_joint(t, b);
        return;
    }
    const real q = link->is_flipped ? r_neg(t->q[link->q]) : t->q[link->q];
    set_rotations(t, b, parent, parent ? &frame_angle[link->parent] : &none, &frame_angle[i], q);
    if (b->has_tree_rotation && is_identity_matrix(link->R)) b->has_tree_rotation = false;
    // z is the same in all axes of the link
    if (link->motion != CD_PRISMATIC) b->S[0].a.z = r_const(1);
    if (link->motion == CD_PRISMATIC) b->S[0].l.z = r_const(1);
    if (link->motion == CD_SCREW) b->S[0].l.z = cd_link_constant(b, &link->pitch);
    if (link->motion == CD_REVOLUTE) return;
    const vec3 z = vector_to_parent(b, v3(r_const(0), r_const(0), r_const(1)));
    b->p         = v3_add_scaled(b->p, link->motion == CD_SCREW ? r_mul(cd_link_constant(b, &link->pitch), q) : q, z);
}

static void layout(tracing* t)
{
    CD_ARENA_ARRAY(&t->arena, t->q, t->tree->nq);
    CD_ARENA_ARRAY(&t->arena, t->v, t->tree->nv);
    CD_ARENA_ARRAY(&t->arena, t->a, t->tree->nv);
    CD_ARENA_ARRAY(&t->arena, t->link, t->tree->nlink);
    CD_ARENA_ARRAY(&t->arena, t->euler_tour, 2 * t->tree->nlink);
    CD_ARENA_ARRAY(&t->arena, t->partner, t->tree->nlink);
}

// Make the Euler tour of the tree: branch after branch, so that few values stay live. `work`: (2 nlink) first child,
// and next sibling.
static void make_euler_tour(tracing* t, int* work)
{
    const cd_tree_link* link  = t->tree->link;
    const int           n     = t->tree->nlink;
    int *               first = work, *next = work + n, at = 0, root = -1;
    for (int i = 0; i < n; ++i) first[i] = -1;
    for (int i = n - 1; i >= 0; --i) {
        int* list = link[i].parent < 0 ? &root : &first[link[i].parent];
        next[i]   = *list;
        *list     = i;
    }
    for (int i = root; i >= 0;) {
        t->euler_tour[at++] = i;
        while (first[i] >= 0) t->euler_tour[at++] = i = first[i];
        while (i >= 0 && next[i] < 0) t->euler_tour[at++] = ~i, i = link[i].parent;
        if (i >= 0) t->euler_tour[at++] = ~i, i = next[i];
    }
}

static void trace_inputs(tracing* t, int first, int n, real* x)
{
    for (int i = 0; i < n; ++i) x[i] = traced_input(t, first + i);
}

cardan_status cd_tracing_begin(tracing* t, cd_graph* graph, const cd_link_tree* tree, const cd_input_layout* in)
{
    *t = (tracing){.graph = graph, .tree = tree, .in = in};
    layout(t);
    axis_angle* frame_angle = cd_allocate((size_t)tree->nlink + 1, sizeof *frame_angle);
    int*        work        = cd_allocate(2 * (size_t)tree->nlink + 1, sizeof *work);
    if (!frame_angle || !work || !cd_arena_reserve(&t->arena)) {
        free(frame_angle), free(work);
        return CARDAN_NO_MEMORY;
    }
    layout(t);
    make_euler_tour(t, work);
    for (int i = 0; i < tree->nlink; ++i) t->partner[i] = -1;
    if (cd_graph_has_pairs(graph)) {
        cd_find_paired_branches(tree, t->partner);
        t->marks = cd_pair_marks_create();
    }
    trace_inputs(t, in->q, tree->nq, t->q);
    trace_inputs(t, in->v, tree->nv, t->v);
    trace_inputs(t, in->a, tree->nv, t->a);
    for (int i = 0; i < tree->nlink; ++i) {
        set_link_frame(t, i, frame_angle);
        const cd_tree_link* link = &tree->link[i];
        if (!link->is_flipped) continue;
        t->v[link->v] = r_neg(t->v[link->v]);
        t->a[link->v] = r_neg(t->a[link->v]);
    }
    free(frame_angle), free(work);
    cd_graph_mark_evaluation_order(graph);
    return CARDAN_OK;
}

void cd_tracing_end(tracing* t)
{
    cd_pair_marked(t);
    cd_pair_marks_destroy(t->marks);
    cd_arena_release(&t->arena);
}

bool cd_tracing_output(tracing* t, int n, const real* x, cd_node* node)
{
    for (int i = 0; i < n; ++i) {
        node[i] = r_node(t->graph, x[i]);
        if (node[i] < 0) return false;
    }
    return true;
}
