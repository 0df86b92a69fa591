// SPDX-License-Identifier: BSD-3-Clause
// The problem of assembly: which rows, which unknowns, in which units.
#include "dynamics/assembly.h"

#include "core/arguments.h"
#include "math/lapack.h"
#include "math/quaternion.h"

#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

static const double most_entries = 4e6;                  // of the least-squares matrix where it is dense
static const double most_few = 3e7, most_product = 1e10; // entries of A, and operations for A A', where rows are few

static const cardan_joint* described(const cardan_model* m, int j)
{
    return j < m->view.njoint ? &m->view.joint[j] : NULL;
}

cardan_pose cd_joint_drawn(const cardan_model* m, int j)
{
    const cardan_joint* joint  = &m->view.joint[j];
    const cardan_pose   none   = cardan_pose_default();
    const cardan_pose   first  = joint->first == CARDAN_GROUND ? none : m->view.body[joint->first].pose;
    const cardan_pose   second = joint->second == CARDAN_GROUND ? none : m->view.body[joint->second].pose;
    return pose_mul(pose_inverse(pose_mul(first, joint->frame_first)), pose_mul(second, joint->frame_second));
}

// The reader gives every free joint the place of its body in the design position: that is no wish of the user's.
static bool at_design(const cardan_model* m, int j)
{
    const cardan_joint* joint = &m->view.joint[j];
    if (strcmp(joint->type, "free") != 0) return false;
    const cardan_pose T   = cd_joint_drawn(m, j);
    double            off = 0;
    for (int k = 0; k < 3; ++k) off = fmax(off, fabs(T.p[k] - joint->start_q[k]));
    double along = 0;
    for (int k = 0; k < 4; ++k) along += T.q[k] * joint->start_q[3 + k];
    return off < 1e-12 && fabs(fabs(along) - 1) < 1e-12;
}

cardan_start cardan_start_of(const cardan_model* m, int j)
{
    cardan_start start = {CARDAN_HOLD_LOOSE, CARDAN_HOLD_LOOSE, {0}, {0}};
    if (!m || !cd_is_index(j, m->njoint)) return start;
    const cardan_joint* joint = described(m, j);
    const cardan_slot   slot  = m->slot[j];
    if (slot.nq > slot.nv) start.q[slot.nq - 4] = 1;
    if (!joint) {
        const int at = m->place[j].q;
        if (at >= 0)
            memcpy(start.q, at < m->nq ? m->q_start + at : m->q_measured + (at - m->nq),
                   (size_t)slot.nq * sizeof *start.q);
        return start;
    }
    const cardan_hold given = joint->start_guess ? CARDAN_HOLD_GUESS : CARDAN_HOLD_EXACT;
    if (joint->start_q_given) memcpy(start.q, joint->start_q, sizeof start.q);
    if (joint->start_v_given) memcpy(start.v, joint->start_v, sizeof start.v);
    if (joint->start_q_given && !at_design(m, j)) start.position = given;
    if (joint->start_v_given) start.velocity = given;
    return start;
}

// ---- cut joints with exact values

static bool is_held(const cd_assembly* a, int j)
{
    const cardan_model* m = a->d->m;
    return m->joint[j].cut && described(m, j) &&
           (a->start[j].position == CARDAN_HOLD_EXACT || a->start[j].velocity == CARDAN_HOLD_EXACT);
}

static void move_frame(cd_attached* at, cardan_pose T)
{
    cardan_pose F;
    memcpy(F.p, at->p, sizeof F.p);
    q4_of_matrix(at->R, F.q);
    F = pose_mul(F, T);
    q4_matrix(F.q, at->R);
    memcpy(at->p, F.p, sizeof F.p);
}

static cd_held_joint held_joint(const cd_assembly* a, int j)
{
    const cardan_model*  m     = a->d->m;
    const cd_joint_info* info  = &m->joint[j];
    const cardan_joint*  joint = described(m, j);
    cd_held_joint        h     = {.c = {.type  = &cd_constraint_lock,
                                        .what  = "joint",
                                        .name  = info->name,
                                        .place = joint->place,
                                        .joint = j,
                                        .nend  = 2}};
    const bool           hooke = strcmp(info->type->name, "universal") == 0;
    h.c.locks                  = 63u & ~(info->type->locks & (hooke ? 7u : 63u));
    h.c.end[0]                 = info->frame_first;
    h.c.end[1]                 = info->frame_second;
    for (unsigned bits = h.c.locks; bits; bits &= bits - 1) ++h.c.nrow;
    return h;
}

// ---- memory

static void layout(cd_assembly* a, cd_arena* arena)
{
    const cardan_data*  d      = a->d;
    const cardan_model* m      = d->m;
    const size_t        height = (size_t)(d->closure.nrow + a->nheld_row + m->nv);
    spatial*            G;
    double*             h;
    a->nrow = d->closure.nrow + a->nheld_row;
    CD_TAKE(arena, a->held, a->nheld);
    CD_TAKE(arena, a->value, a->nheld_row);
    CD_TAKE(arena, a->rate, a->nheld_row);
    CD_TAKE(arena, h, a->nheld_row);
    CD_TAKE(arena, G, 2 * a->nheld_row);
    CD_TAKE(arena, a->free, m->nv);
    CD_TAKE(arena, a->column, m->nv);
    CD_TAKE(arena, a->unit, m->nv);
    CD_TAKE(arena, a->firm, m->nv);
    CD_TAKE(arena, a->row_unit, a->nrow);
    CD_TAKE(arena, a->c, a->nrow);
    CD_TAKE(arena, a->trial, a->nrow);
    CD_TAKE(arena, a->q0, m->nq);
    CD_TAKE(arena, a->q, m->nq);
    CD_TAKE(arena, a->q1, m->nq);
    CD_TAKE(arena, a->kept, m->nq);
    CD_TAKE(arena, a->v0, m->nv);
    CD_TAKE(arena, a->y, m->nv);
    CD_TAKE(arena, a->dq, m->nv);
    CD_TAKE(arena, a->across, m->nv);
    CD_TAKE(arena, a->nearest, cd_assembly_nearest_room(a));
    CD_TAKE(arena, a->H, (size_t)a->nheld_row * (size_t)m->nv);
    const double rows = a->nrow, columns = m->nv;
    a->few = columns > 100 && 2 * rows < columns && rows * columns <= most_few && rows * rows * columns <= most_product;
    a->few = a->few || ((double)height * columns > most_entries && rows * columns <= most_few &&
                        rows * rows * columns <= most_product);
    a->dense = a->few || (double)height * columns <= most_entries;
    CD_TAKE(arena, a->A, a->few ? (size_t)a->nrow * (size_t)m->nv : a->dense ? height * (size_t)m->nv : 0);
    CD_TAKE(arena, a->K, a->few ? (size_t)a->nrow * (size_t)a->nrow : 0);
    CD_TAKE(arena, a->work, a->dense && !a->few ? cd_lapack_rectangle_work((int)height, m->nv) : 0);
    CD_TAKE(arena, a->pivot, m->nv);
    CD_TAKE(arena, a->moved, m->nv);
    CD_TAKE(arena, a->pushed, d->closure.nrow);
    CD_TAKE(arena, a->b, height);
    CD_TAKE(arena, a->r, height);
    CD_TAKE(arena, a->s, height);
    CD_TAKE(arena, a->p, height);
    if (!a->p) return;
    for (int j = 0, n = 0, row = 0; j < m->njoint; ++j) {
        if (!is_held(a, j)) continue;
        cd_held_joint* joint = &a->held[n++];
        *joint               = held_joint(a, j);
        joint->c.first_row   = row;
        joint->e = (cd_equations){.value = a->value + row, .rate = a->rate + row, .h = h + row, .G = G + 2 * row};
        row += joint->c.nrow;
    }
}

double cd_assembly_rounding(cardan_data* d)
{
    double far = 0;
    cd_know_world(d);
    for (int i = 0; i < d->m->nlink; ++i) far = fmax(far, v3_dot(d->world.pose[i].p, d->world.pose[i].p));
    return fmax(8, d->m->depth) * DBL_EPSILON * sqrt(far);
}

bool cd_assembly_open(cd_assembly* a, cardan_data* d, const cardan_start* start)
{
    const cardan_model* m = d->m;
    *a                    = (cd_assembly){.d = d, .length = d->length};
    a->start              = cd_allocate((size_t)m->njoint + 1, sizeof *a->start);
    if (!a->start) return false;
    for (int j = 0; j < m->njoint; ++j) a->start[j] = start ? start[j] : cardan_start_of(m, j);
    for (int j = 0; j < m->njoint; ++j) {
        if (!is_held(a, j)) continue;
        ++a->nheld;
        a->nheld_row += held_joint(a, j).c.nrow;
    }
    layout(a, &a->arena);
    if (!cd_arena_reserve(&a->arena)) return false;
    layout(a, &a->arena);
    for (int j = 0; j < m->njoint; ++j) {
        const cardan_slot slot = m->slot[j];
        if (slot.q < 0) continue;
        memcpy(a->q0 + slot.q, a->start[j].q, (size_t)slot.nq * sizeof *a->q0);
        memcpy(a->v0 + slot.v, a->start[j].v, (size_t)slot.nv * sizeof *a->v0);
    }
    cd_data_set(d, d->t, a->q0, a->v0, d->state);
    memcpy(a->q0, d->q, (size_t)m->nq * sizeof *a->q0);
    a->rounding = cd_assembly_rounding(d) / a->length;
    return true;
}

void cd_assembly_end(cd_assembly* a)
{
    cd_arena_release(&a->arena);
    free(a->start);
}

// ---- rows and unknowns

bool cd_assembly_counts(const cd_assembly* a, const cd_held_joint* h)
{
    const cardan_start start = a->start[h->c.joint];
    return !a->released && (a->velocities ? start.velocity : start.position) == CARDAN_HOLD_EXACT;
}

static void evaluate(cd_assembly* a)
{
    cd_know_rows(a->d);
    for (int i = 0; i < a->nheld; ++i) {
        cd_held_joint* h = &a->held[i];
        cd_end         end[2];
        for (int n = 0; n < 2; ++n) end[n] = cd_end_of(&h->c.end[n], &a->d->world);
        h->c.type->evaluate(&h->c, end, 0, &h->e);
    }
}

// Size of a row: what it says of a turn by 1 rad or a way of one length.
static double size_of(const cd_assembly* a, int nend, const spatial* G)
{
    double sum = 0;
    for (int n = 0; n < nend; ++n) sum += v3_dot(G[n].a, G[n].a) + a->length * a->length * v3_dot(G[n].l, G[n].l);
    return sum > 0 ? sqrt(sum) : 1;
}

static void measure_rows(cd_assembly* a)
{
    const cd_closure* closure = &a->d->closure;
    evaluate(a);
    for (int i = 0; i < closure->nconstraint; ++i) {
        const cd_constraint* c = &closure->constraint[i];
        for (int k = 0; k < c->nrow; ++k)
            a->row_unit[c->first_row + k] = size_of(a, c->nend, closure->equations[i].G + k * c->nend);
    }
    for (int i = 0; i < a->nheld; ++i)
        for (int k = 0; k < a->held[i].c.nrow; ++k)
            a->row_unit[closure->nrow + a->held[i].c.first_row + k] = size_of(a, 2, a->held[i].e.G + 2 * k);
}

// At the level of velocities the frame stands where the joint is now, so that rates of the lock are those of the joint.
static void place_held(cd_assembly* a, cd_held_joint* h)
{
    const cd_joint_info* info = &a->d->m->joint[h->c.joint];
    double               q[CARDAN_JOINT_MAX + 1], v[CARDAN_JOINT_MAX];
    cardan_joint_state(a->d, h->c.joint, q, v);
    h->c.end[0] = info->frame_first;
    move_frame(&h->c.end[0], cd_joint_pose(info, a->velocities ? q : a->start[h->c.joint].q));
    cd_joint_twist(info, q, a->start[h->c.joint].v, h->twist);
}

void cd_assembly_choose(cd_assembly* a, bool velocities, bool released)
{
    const cardan_model* m = a->d->m;
    a->velocities         = velocities;
    a->released           = released;
    a->nfree              = 0;
    for (int i = 0; i < a->nheld; ++i) place_held(a, &a->held[i]);
    for (int v = 0; v < m->nv; ++v) {
        a->column[v] = -1;
        int               local;
        const int         j = cardan_model_joint_of_velocity(m, v, &local);
        const cardan_hold hold =
            j < m->njoint ? (velocities ? a->start[j].velocity : a->start[j].position) : CARDAN_HOLD_LOOSE;
        const spatial S = a->d->k.S[v];
        a->unit[v]      = v3_dot(S.a, S.a) > 0 ? 1 : 1 / a->length;
        a->firm[v]      = hold == CARDAN_HOLD_GUESS && !released ? cd_firm_guess : 1;
        if (!released && hold == CARDAN_HOLD_EXACT) continue;
        a->column[v]        = a->nfree;
        a->free[a->nfree++] = v;
    }
    measure_rows(a);
}

double cd_assembly_residual(cd_assembly* a, double* c)
{
    const cd_closure* closure = &a->d->closure;
    double            most    = 0;
    evaluate(a);
    for (int i = 0; i < closure->nrow; ++i)
        c[i] = (a->velocities ? closure->rate[i] : closure->value[i]) / a->row_unit[i]; // no value: 0
    for (int i = 0; i < a->nheld; ++i) {
        const cd_held_joint* h = &a->held[i];
        for (int k = 0, bit = 0; k < h->c.nrow; ++k, ++bit) {
            while (!(h->c.locks & (1u << bit))) ++bit;
            const int    row    = closure->nrow + h->c.first_row + k;
            const double wanted = h->twist[bit < 3 ? 3 + bit : bit - 3]; // locks: translations, then rotations
            c[row]              = !cd_assembly_counts(a, h)
                                      ? 0
                                      : (a->velocities ? h->e.rate[k] - wanted : h->e.value[k]) / a->row_unit[row];
        }
    }
    for (int i = 0; i < a->nrow; ++i)
        if (!(fabs(c[i]) <= most)) most = fabs(c[i]);
    return most;
}
