// SPDX-License-Identifier: BSD-3-Clause
// Axes, angles and motion columns of all bones, over traced numbers.
#include "generate/traced.h"

#include "model/description.h"

#include <math.h>
#include <stdlib.h>

static const double quarter = 1.57079632679489661923;

static turn no_turn(void) { return (turn){true, r_lift(0), r_lift(0), r_lift(1)}; }

// The turn by angle + constant; quarters of a turn are exact, unless parameters turn it.
static turn turn_of(real angle, double constant)
{
    const real   whole    = r_lift(constant);
    const double quarters = whole.graph ? 0 : nearbyint(constant / quarter), rest = constant - quarters * quarter;
    if (fabs(rest) > 1e-14) angle = r_add(angle, whole.graph ? whole : r_lift(rest));
    turn t = {false, angle, r_lift(0), r_lift(1)};
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
    t.none = r_is(t.s, 0) && r_is(t.c, 1);
    return t;
}

// The same with the angle of another turn before it.
typedef struct heading {
    real   angle;
    double constant;
} heading;

static void place_ball(const tracing* t, traced_bone* b)
{
    const bool  floating = b->bone->nv == 6, reversed = b->bone->motion >= CD_BALL_REVERSED;
    const real* q    = t->q + b->bone->q;
    const mat3  R    = m3_quaternion(q + (floating ? 3 : 0));
    spatial*    turn = b->S + (floating ? 3 : 0);
    const real  one  = r_lift(1);
    b->jointed       = true;
    b->ball          = reversed ? m3_transpose(R) : R;
    turn[0].a.x = turn[1].a.y = turn[2].a.z = one;
    if (reversed) {
        turn[0].a = v3_neg(m3_column_x(R));
        turn[1].a = v3_neg(m3_column_y(R));
        turn[2].a = v3_neg(m3_column_z(R));
    }
    if (!floating) return;
    const vec3 x = v3(q[0], q[1], q[2]);
    if (reversed) {
        b->p = v3_sub(b->p, vector_out(b, x));
        for (int i = 0; i < 3; ++i) turn[i].l = v3_cross(x, turn[i].a);
        b->S[0].l.x = b->S[1].l.y = b->S[2].l.z = r_lift(-1);
    } else {
        b->p      = v3_add(b->p, turn_out(b->before, b->fixed ? m3_mul(b->R0, x) : x));
        b->S[0].l = v3(R.xx, R.xy, R.xz);
        b->S[1].l = v3(R.yx, R.yy, R.yz);
        b->S[2].l = v3(R.zx, R.zy, R.zz);
    }
}

// Turns of a bone about its axis; `head` is that of its axes E against its frame, as an angle.
static void place_turns(const tracing* t, traced_bone* b, const traced_bone* parent, const heading* before,
                        heading* head, real angle)
{
    const cd_bone* bone  = b->bone;
    const bool     turns = bone->motion != CD_SLIDE;
    b->before            = parent ? parent->inside : no_turn();
    b->behind = b->inside = no_turn();
    b->fixed              = true;
    if (bone->parallel) {
        const heading sum = {turns ? r_add(before->angle, angle) : before->angle,
                             l_add(t->s->model->description->ledger, before->constant, bone->offset)};
        b->before = no_turn();
        b->fixed  = false;
        if (bone->axes == CD_AXES_SAME)
            *head = sum;
        else if (bone->axes == CD_AXES_OWN)
            b->behind = turn_of(sum.angle, sum.constant);
        else {
            b->behind = turn_of(before->angle, sum.constant);
            *head     = (heading){turns ? angle : r_lift(0), 0};
        }
    } else if (turns && bone->axes == CD_AXES_OWN) {
        b->behind = turn_of(angle, 0);
    } else if (turns) {
        *head = (heading){angle, 0};
    }
    b->inside = turn_of(head->angle, head->constant);
}

static bool is_one(const double R[9])
{
    for (int i = 0; i < 9; ++i)
        if (R[i] != (i % 4 == 0)) return false;
    return true;
}

static void place_bone(tracing* t, int i, heading* heads)
{
    traced_bone*   b      = &t->bone[i];
    const cd_bone* bone   = &t->s->bone[i];
    traced_bone*   parent = bone->parent >= 0 ? &t->bone[bone->parent] : NULL;
    const heading  none   = {r_lift(0), 0};
    heads[i]              = none;
    b->bone               = bone;
    b->graph              = t->graph;
    b->like               = t->twin[i] >= 0 ? &t->s->bone[t->twin[i]] : NULL;
    b->second             = t->twin[i] >= 0 && t->twin[i] < i;
    b->tag                = 64 * (b->second ? t->twin[i] : i) + 1;
    b->R0                 = bone_matrix(b, bone->R);
    for (int k = 0; k < 6; ++k) b->S[k] = sv_zero();
    b->p = parent ? turn_out(parent->inside, bone_vector(b, bone->p)) : bone_vector(b, bone->p);

    if (bone->motion >= CD_BALL) {
        b->before = parent ? parent->inside : no_turn();
        b->behind = b->inside = no_turn();
        b->fixed              = !is_one(bone->R);
        place_ball(t, b);
        return;
    }
    const real q = bone->flipped ? r_neg(t->q[bone->q]) : t->q[bone->q];
    place_turns(t, b, parent, parent ? &heads[bone->parent] : &none, &heads[i], q);
    if (b->fixed && is_one(bone->R)) b->fixed = false;
    // z is z in all axes of the bone
    if (bone->motion != CD_SLIDE) b->S[0].a.z = r_lift(1);
    if (bone->motion == CD_SLIDE) b->S[0].l.z = r_lift(1);
    if (bone->motion == CD_HELIX) b->S[0].l.z = cd_bone_number(b, &bone->pitch);
    if (bone->motion == CD_HINGE) return;
    const vec3 z = vector_out(b, v3(r_lift(0), r_lift(0), r_lift(1)));
    b->p         = v3_add_scaled(b->p, bone->motion == CD_HELIX ? r_mul(cd_bone_number(b, &bone->pitch), q) : q, z);
}

static void layout(tracing* t)
{
    CD_TAKE(&t->arena, t->q, t->s->nq);
    CD_TAKE(&t->arena, t->v, t->s->nv);
    CD_TAKE(&t->arena, t->a, t->s->nv);
    CD_TAKE(&t->arena, t->bone, t->s->nbone);
    CD_TAKE(&t->arena, t->step, 2 * t->s->nbone);
    CD_TAKE(&t->arena, t->twin, t->s->nbone);
}

// Branch after branch, so that little waits for the rest of the tree. `work`: (2 nbone) the first child and the next
// one of the same parent.
static void walk_around(tracing* t, int* work)
{
    const cd_bone* bone  = t->s->bone;
    const int      n     = t->s->nbone;
    int *          first = work, *next = work + n, at = 0, root = -1;
    for (int i = 0; i < n; ++i) first[i] = -1;
    for (int i = n - 1; i >= 0; --i) {
        int* list = bone[i].parent < 0 ? &root : &first[bone[i].parent];
        next[i]   = *list;
        *list     = i;
    }
    for (int i = root; i >= 0;) {
        t->step[at++] = i;
        while (first[i] >= 0) t->step[at++] = i = first[i];
        while (i >= 0 && next[i] < 0) t->step[at++] = ~i, i = bone[i].parent;
        if (i >= 0) t->step[at++] = ~i, i = next[i];
    }
}

static void inputs(tracing* t, int first, int n, real* x)
{
    for (int i = 0; i < n; ++i) x[i] = traced_input(t, first + i);
}

cardan_status cd_tracing_begin(tracing* t, cd_graph* graph, const cd_skeleton* s, const cd_sources* in)
{
    *t = (tracing){.graph = graph, .s = s, .in = in};
    layout(t);
    heading* heads = cd_allocate((size_t)s->nbone + 1, sizeof *heads);
    int*     work  = cd_allocate(2 * (size_t)s->nbone + 1, sizeof *work);
    if (!heads || !work || !cd_arena_reserve(&t->arena)) {
        free(heads), free(work);
        return CARDAN_NO_MEMORY;
    }
    layout(t);
    walk_around(t, work);
    for (int i = 0; i < s->nbone; ++i) t->twin[i] = -1;
    if (cd_graph_twins(graph)) {
        cd_find_twins(s, t->twin);
        t->marks = cd_marks_create();
    }
    inputs(t, in->q, s->nq, t->q);
    inputs(t, in->v, s->nv, t->v);
    inputs(t, in->a, s->nv, t->a);
    for (int i = 0; i < s->nbone; ++i) {
        place_bone(t, i, heads);
        const cd_bone* b = &s->bone[i];
        if (!b->flipped) continue;
        t->v[b->v] = r_neg(t->v[b->v]);
        t->a[b->v] = r_neg(t->a[b->v]);
    }
    free(heads), free(work);
    cd_graph_order_from_here(graph);
    return CARDAN_OK;
}

void cd_tracing_end(tracing* t)
{
    cd_pair_twins(t);
    cd_marks_destroy(t->marks);
    cd_arena_release(&t->arena);
}

bool cd_tracing_give(tracing* t, int n, const real* x, cd_node* node)
{
    for (int i = 0; i < n; ++i) {
        node[i] = r_node(t->graph, x[i]);
        if (node[i] < 0) return false;
    }
    return true;
}
