// SPDX-License-Identifier: BSD-3-Clause
// Assembly of a front: the inertia of its link, the updates of its child fronts, and the rows that enter in it. All in
// world axes, each body at its own origin, so that the transform to a parent is a shift without rotation.
#include "formulation/coordinate_reduction/fronts.h"

#include <math.h>

static int    max_int(int a, int b) { return a > b ? a : b; }
static size_t max_size(size_t a, size_t b) { return a > b ? a : b; }

// Return sizes sufficient for both orders.
static cd_fronts max_of_both_orders(const cd_fronts* a, const cd_fronts* b)
{
    return (cd_fronts){.n                = max_int(a->n, b->n),
                       .nroot            = max_int(a->nroot, b->nroot),
                       .max_unknowns     = max_int(a->max_unknowns, b->max_unknowns),
                       .max_pending_rows = max_int(a->max_pending_rows, b->max_pending_rows),
                       .stack_size       = max_size(a->stack_size, b->stack_size),
                       .stage_value_size = max_size(a->stage_value_size, b->stage_value_size)};
}

// Set the scales of motion columns by their kind, and of the rows of ground.
static void set_column_scales(const cardan_model* m, cd_reduction_workspace* w, int nv, int nroot)
{
    for (int i = 0; i < m->nlink; ++i) {
        const cd_link* link = &m->link[i];
        for (int j = 0; j < link->nv; ++j) {
            const bool is_translation = link->motion == CD_PRISMATIC || (link->nv == 6 && j < 3);
            w->scale[link->v + j]     = is_translation             ? 1
                                        : link->motion == CD_SCREW ? hypot(w->length, m->tree_transform[i].pitch)
                                                                   : w->length;
        }
    }
    for (int v = m->nv; v < nv; ++v) w->scale[v] = (v - m->nv) % 6 < 3 ? w->length : 1;
    for (int i = 0; i < 6 * nroot; ++i) w->row_weight[w->nrow + i] = i % 6 < 3 ? w->length : 1;
}

void cd_reduction_layout(const cardan_model* m, const cd_rows* rows, cd_arena* arena, cd_reduction_workspace* w)
{
    const cd_fronts both = max_of_both_orders(&w->fronts, &w->alternate), *f = &both;
    const int       nv = m->nv + 6 * f->nroot, nrow = rows->nrow + 6 * f->nroot;
    w->nrow = rows->nrow;
    CD_ARENA_ARRAY(arena, w->own_pose, m->nlink);
    CD_ARENA_ARRAY(arena, w->scale, nv);
    CD_ARENA_ARRAY(arena, w->row_weight, nrow);
    CD_ARENA_ARRAY(arena, w->min_inertia, nv);
    CD_ARENA_ARRAY(arena, w->inertia_bound, f->n);
    CD_ARENA_ARRAY(arena, w->redundant, nrow);
    CD_ARENA_ARRAY(arena, w->stage, 2 * nv);
    CD_ARENA_ARRAY(arena, w->record, f->n + 1);
    CD_ARENA_ARRAY(arena, w->stage_value, f->stage_value_size);
    CD_ARENA_ARRAY(arena, w->other, f->stage_value_size);
    CD_ARENA_ARRAY(arena, w->delayed_velocity, (size_t)nv * (CD_FRONT_MAX_DELAYED + 1));
    CD_ARENA_ARRAY(arena, w->is_passed_on, (size_t)nv * (CD_FRONT_MAX_DELAYED + 1));
    CD_ARENA_ARRAY(arena, w->W, (size_t)f->max_unknowns * (size_t)f->max_unknowns);
    CD_ARENA_ARRAY(arena, w->R, (size_t)f->max_pending_rows * (size_t)f->max_unknowns);
    CD_ARENA_ARRAY(arena, w->row_copy, (size_t)f->max_pending_rows * (size_t)f->max_unknowns);
    CD_ARENA_ARRAY(arena, w->h, f->max_unknowns);
    CD_ARENA_ARRAY(arena, w->unknown_target, f->max_unknowns);
    CD_ARENA_ARRAY(arena, w->phi, f->max_pending_rows);
    CD_ARENA_ARRAY(arena, w->pending_row, f->max_pending_rows);
    CD_ARENA_ARRAY(arena, w->stacked_row, nrow);
    CD_ARENA_ARRAY(arena, w->stack, f->stack_size);
    CD_ARENA_ARRAY(arena, w->force, f->stack_size + (size_t)f->max_unknowns);
    CD_ARENA_ARRAY(arena, w->row_rhs, nrow);
    CD_ARENA_ARRAY(arena, w->root_acceleration, 6 * f->nroot);
    CD_ARENA_ARRAY(arena, w->ground_multiplier, 6 * f->nroot);
    CD_ARENA_ARRAY(arena, w->A, f->n + 1);
    if (w->A) *w->A++ = sv_zero();
    CD_ARENA_ARRAY(arena, w->row_response, rows->nblock + 1);
    cd_reduction_refine_layout(m, rows, f->n, arena, w);
    if (w->scale) set_column_scales(m, w, nv, f->nroot);
}

static frame compose_frames(frame T, frame X) { return (frame){m3_mul_m3(T.R, X.R), v3_add(T.p, m3_mul(T.R, X.p))}; }

void cd_reduction_set_poses(const cardan_model* m, const cd_kinematics* k, cd_reduction_workspace* w)
{
    w->k    = k;
    w->pose = k->world_pose;
    if (k->world_pose) return;
    for (int i = 0; i < m->nlink; ++i)
        w->own_pose[i] = m->link[i].parent < 0 ? k->X[i] : compose_frames(w->own_pose[m->link[i].parent], k->X[i]);
    w->pose = w->own_pose;
}

void cd_front_add_inertia(const cd_link* link, mat3 R, real* W, int stride)
{
    if (link->is_massless) return;
    const sym3 I       = s3_rotate(R, s3_const(link->I));
    const vec3 h       = m3_mul(R, v3_const(link->h));
    const real A[3][3] = {{I.xx, I.xy, I.xz}, {I.xy, I.yy, I.yz}, {I.xz, I.yz, I.zz}};
    const real H[3][3] = {
        {r_const(0), r_neg(h.z), h.y}, {h.z, r_const(0), r_neg(h.x)}, {r_neg(h.y), h.x, r_const(0)}}; // n = I w + h x v
    for (int i = 0; i < 3; ++i) {
        real *a = W + i * stride, *l = W + (i + 3) * stride;
        for (int j = 0; j < 3; ++j) {
            a[j]     = r_add(a[j], A[i][j]);
            a[j + 3] = r_add(a[j + 3], H[i][j]);
            l[j]     = r_add(l[j], H[j][i]);
        }
        l[i + 3] = r_add(l[i + 3], r_const(link->m));
    }
}

// Map the unknowns of an update of front c (n6 of bodies, ns scalars) to unknowns of front x.
static void map_unknowns(const cd_reduction_workspace* w, const cd_front_symbolic* c, int n6, int ns, const cd_front* x,
                         int* to)
{
    const int* slot_to = w->fronts.slot_target + c->first_slot;
    int        i       = 0;
    for (int s = 0; i < n6; ++s) {
        if (slot_to[s] < 0) continue;
        for (int j = 0; j < 6; ++j) to[i++] = 6 * slot_to[s] + j;
    }
    for (int j = 0; j < ns; ++j) to[i++] = x->n6 + x->nscalar + j;
}

static void add_to(const cd_front* x, int i, int j, real value)
{
    real* entry = &x->W[i * x->stride + j];
    *entry      = r_add(*entry, value);
}

// Add the update of front c from the top of the stack.
static void add_update(cd_reduction_workspace* w, int c, cd_front* x)
{
    const cd_front_record* record = &w->record[c];
    const int n6 = 6 * w->fronts.symbolic[c].nupdate_body, ns = record->ndelayed, n = n6 + ns, nrow = record->npending;
    w->stack_top -= cd_packed_size(n) + (size_t)(nrow * n);
    w->nstacked_row -= nrow;
    map_unknowns(w, &w->fronts.symbolic[c], n6, ns, x, w->unknown_target);
    const real* U = w->stack + w->stack_top;
    for (int i = 0; i < n; ++i) {
        const int from = cd_packed_row_begin(i);
        for (int j = from; j < n; ++j, ++U) {
            add_to(x, w->unknown_target[i], w->unknown_target[j], *U);
            if (j >= from + 6) add_to(x, w->unknown_target[j], w->unknown_target[i], *U);
        }
    }
    for (int i = 0; i < nrow; ++i, ++x->nrow) {
        real* row               = x->R + x->nrow * x->stride;
        w->pending_row[x->nrow] = w->stacked_row[w->nstacked_row + i];
        for (int j = 0; j < x->stride; ++j) row[j] = r_const(0);
        for (int j = 0; j < n; ++j) row[w->unknown_target[j]] = r_add(row[w->unknown_target[j]], U[i * n + j]);
    }
    for (int s = record->first_scalar; s < record[1].first_scalar; ++s)
        if (w->is_passed_on[s]) {
            w->is_passed_on[w->ndelayed_velocity]       = true;
            w->delayed_velocity[w->ndelayed_velocity++] = w->delayed_velocity[s];
            ++x->nscalar;
        }
    x->n = x->n6 + x->nscalar;
}

// Return the square of the size of a row on the twist of a link.
static double row_size_sq(spatial G, double per_length)
{
    const double a = r_value(v3_dot(G.a, G.a)), l = r_value(v3_dot(G.l, G.l));
    return a * per_length * per_length + l;
}

// Write the coefficients of row i of a block on the unknowns of the front, and its weight.
static void write_row(cd_reduction_workspace* w, const cd_row_block* b, const int* slot, int i, const cd_front* x,
                      real* row)
{
    double size = 0;
    for (int j = 0; j < x->stride; ++j) row[j] = r_const(0);
    for (int n = 0; n < b->nend; ++n) {
        const spatial G = b->G[i * b->nend + n];
        if (slot[n] < 0) continue; // ground does not move, and its arm is the distance from the world origin
        const double own = row_size_sq(G, 1 / w->length);
        if (own > size) size = own;
        const real c[6] = {G.a.x, G.a.y, G.a.z, G.l.x, G.l.y, G.l.z};
        for (int j = 0; j < 6; ++j) row[6 * slot[n] + j] = r_add(row[6 * slot[n] + j], c[j]);
    }
    w->row_weight[b->row + i] = size > 0 ? 1 / sqrt(size) : 0;
}

// Add a compliant row, which is an inertia and no pending row.
static void add_compliant_row(const cd_front* x, real* row, double compliance)
{
    const real root = r_const(sqrt(1 / compliance));
    for (int s = 0; s < x->n6; ++s) row[s] = r_mul(row[s], root);
    for (int s = 0; s < x->n6; ++s) {
        real* W = x->is_packed && s >= 6 ? x->W + 6 * x->stride + 6 * (s - 7) : x->W + s * x->stride;
        for (int j = x->is_packed ? cd_packed_row_begin(s) : 0; j < x->n6; ++j)
            W[j] = r_add(W[j], r_mul(row[s], row[j]));
    }
}

// Add the rows of the constraints that enter in this front.
void cd_front_add_rows(const cd_rows* rows, cd_reduction_workspace* w, cd_front* x)
{
    for (int q = x->p->first_block; q < x->p->first_block + x->p->nblock; ++q) {
        const int           block = w->fronts.block[q];
        const cd_row_block* b     = &rows->block[block];
        const int*          slot  = w->fronts.end_slot + w->fronts.first_end[block];
        for (int i = 0; i < b->nrow; ++i) {
            const double compliance = cd_row_compliance(rows, b->row + i);
            real*        row        = x->R + x->nrow * x->stride;
            if (compliance == 0 && w->redundant[b->row + i] && !w->rank_updated) continue;
            write_row(w, b, slot, i, x, row);
            if (compliance == 0)
                w->pending_row[x->nrow++] = b->row + i;
            else
                add_compliant_row(x, row, compliance);
        }
    }
}

// Assemble front k. Eliminated fronts leave their updates on the stack in their order, so that the children of a front
// are on top, the last one first.
void cd_front_assemble(const cardan_model* m, const cd_rows* rows, cd_reduction_workspace* w, int k, cd_front* x)
{
    const cd_front_symbolic* p = &w->fronts.symbolic[k];
    *x        = (cd_front){.k = k, .p = p, .n6 = 6 * p->nslot, .n = 6 * p->nslot, .W = w->W, .R = w->R};
    x->stride = x->n6 + p->nv;
    for (int c = k - 1, nchild_left = p->nchild; nchild_left > 0;
         --nchild_left, c -= w->fronts.symbolic[c].subtree_size)
        x->stride += w->record[c].ndelayed;
    for (int i = 0; i < x->stride * x->stride; ++i) x->W[i] = r_const(0);
    w->record[k].first_scalar = w->ndelayed_velocity;
    if (p->link < m->nlink)
        cd_front_add_inertia(&m->link[p->link], w->pose[p->link].R, x->W, x->stride);
    else
        cd_front_add_ground_rows(w, x, p->link - m->nlink);
    for (int c = k - 1, nchild_left = p->nchild; nchild_left > 0;
         --nchild_left, c -= w->fronts.symbolic[c].subtree_size)
        add_update(w, c, x);
    cd_front_add_rows(rows, w, x);
}
