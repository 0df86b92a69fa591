// SPDX-License-Identifier: BSD-3-Clause
// The assembly problem: rows, unknowns and units.
#include "assembly/assembly_problem.h"
#include "assembly/assembly_tolerances.h"

#include "core/check_arguments.h"
#include "dynamics/rows/constraint_update.h"
#include "dynamics/state.h"
#include "math/lapack.h"
#include "math/norm_inf.h"
#include "math/quaternion.h"

#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

static const double max_dense_entries   = 4e6; // of the dense least-squares matrix
static const double max_gram_entries    = 3e7,
                    max_gram_operations = 1e10; // entries of A, operations for A A', with few rows

static const cardan_joint* joint_description(const cardan_model* m, int j)
{
    return j < m->view.njoint ? &m->view.joint[j] : NULL;
}

// The reader gives every free joint the pose of its body in the design configuration: that is no start value of the
// user.
static bool start_is_design_pose(const cardan_model* m, int j)
{
    const cardan_joint* joint = &m->view.joint[j];
    if (strcmp(joint->type, "free") != 0) return false;
    const cardan_pose T          = cd_joint_design_pose(m, j);
    double            difference = 0;
    for (int k = 0; k < 3; ++k) difference = fmax(difference, fabs(T.p[k] - joint->start_q[k]));
    double cosine = 0;
    for (int k = 0; k < 4; ++k) cosine += T.q[k] * joint->start_q[3 + k];
    return difference < cd_design_pose_tolerance && fabs(fabs(cosine) - 1) < cd_design_pose_tolerance;
}

cardan_joint_start cardan_joint_start_default(const cardan_model* m, int j)
{
    cardan_joint_start start = {CARDAN_START_FREE, CARDAN_START_FREE, {0}, {0}};
    if (!m || !cd_is_index(j, m->njoint)) return start;
    const cardan_joint*      joint = joint_description(m, j);
    const cardan_index_range range = m->tree_range[j];
    if (range.nq > range.nv) start.q[range.nq - 4] = 1;
    if (!joint) {
        const int at = m->joint_range[j].q;
        if (at >= 0)
            memcpy(start.q, at < m->nq ? m->q_start + at : m->q_off_tree_start + (at - m->nq),
                   (size_t)range.nq * sizeof *start.q);
        return start;
    }
    const cardan_start_mode mode = joint->start_is_guess ? CARDAN_START_GUESS : CARDAN_START_FIXED;
    if (joint->start_q_given) memcpy(start.q, joint->start_q, sizeof start.q);
    if (joint->start_v_given) memcpy(start.v, joint->start_v, sizeof start.v);
    if (joint->start_q_given && !start_is_design_pose(m, j)) start.position_mode = mode;
    if (joint->start_v_given) start.velocity_mode = mode;
    return start;
}

// ---- cut joints with fixed values

static bool has_fixed_start(const cd_assembly* a, int j)
{
    const cardan_model* m = a->d->m;
    return m->joint[j].is_cut && joint_description(m, j) &&
           (a->start[j].position_mode == CARDAN_START_FIXED || a->start[j].velocity_mode == CARDAN_START_FIXED);
}

static void move_frame(cd_link_frame* at, cardan_pose T)
{
    cardan_pose F;
    memcpy(F.p, at->p, sizeof F.p);
    q4_of_matrix(at->R, F.q);
    F = pose_mul(F, T);
    q4_matrix(F.q, at->R);
    memcpy(at->p, F.p, sizeof F.p);
}

static cd_fixed_joint make_fixed_joint(const cd_assembly* a, int j)
{
    const cardan_model*      m     = a->d->m;
    const cd_compiled_joint* info  = &m->joint[j];
    const cardan_joint*      joint = joint_description(m, j);
    cd_fixed_joint           h     = {.c = {.type     = &cd_constraint_lock,
                                            .category = "joint",
                                            .name     = info->name,
                                            .location = joint->location,
                                            .joint    = j,
                                            .nend     = 2}};
    const bool               hooke = strcmp(info->type->name, "universal") == 0;
    h.c.locked                     = 63u & ~(info->type->locked & (hooke ? 7u : 63u));
    h.c.end[0]                     = info->frame_first;
    h.c.end[1]                     = info->frame_second;
    for (unsigned bits = h.c.locked; bits; bits &= bits - 1) ++h.c.nrow;
    return h;
}

// ---- memory

static void layout(cd_assembly* a, cd_arena* arena)
{
    const cardan_data*  d      = a->d;
    const cardan_model* m      = d->m;
    const size_t        height = (size_t)(d->constraints.nrow + a->nfixed_row + m->nv);
    spatial*            G;
    double*             h;
    a->nrow = d->constraints.nrow + a->nfixed_row;
    CD_ARENA_ARRAY(arena, a->fixed_joint, a->nfixed);
    CD_ARENA_ARRAY(arena, a->fixed_value, a->nfixed_row);
    CD_ARENA_ARRAY(arena, a->fixed_rate, a->nfixed_row);
    CD_ARENA_ARRAY(arena, h, a->nfixed_row);
    CD_ARENA_ARRAY(arena, G, 2 * a->nfixed_row);
    CD_ARENA_ARRAY(arena, a->free_velocity, m->nv);
    CD_ARENA_ARRAY(arena, a->free_column, m->nv);
    CD_ARENA_ARRAY(arena, a->velocity_unit_inverse, m->nv);
    CD_ARENA_ARRAY(arena, a->weight, m->nv);
    CD_ARENA_ARRAY(arena, a->row_unit, a->nrow);
    CD_ARENA_ARRAY(arena, a->c, a->nrow);
    CD_ARENA_ARRAY(arena, a->trial_residual, a->nrow);
    CD_ARENA_ARRAY(arena, a->q_start, m->nq);
    CD_ARENA_ARRAY(arena, a->q, m->nq);
    CD_ARENA_ARRAY(arena, a->q_trial, m->nq);
    CD_ARENA_ARRAY(arena, a->q_saved, m->nq);
    CD_ARENA_ARRAY(arena, a->v_start, m->nv);
    CD_ARENA_ARRAY(arena, a->y, m->nv);
    CD_ARENA_ARRAY(arena, a->dq, m->nv);
    CD_ARENA_ARRAY(arena, a->row_space_part, m->nv);
    CD_ARENA_ARRAY(arena, a->nearest_work, cd_assembly_target_work_size(a));
    CD_ARENA_ARRAY(arena, a->fixed_jacobian, (size_t)a->nfixed_row * (size_t)m->nv);
    const double rows = a->nrow, columns = m->nv;
    a->use_gram_matrix = columns > 100 && 2 * rows < columns && rows * columns <= max_gram_entries &&
                         rows * rows * columns <= max_gram_operations;
    a->use_gram_matrix =
        a->use_gram_matrix || ((double)height * columns > max_dense_entries && rows * columns <= max_gram_entries &&
                               rows * rows * columns <= max_gram_operations);
    a->dense = a->use_gram_matrix || (double)height * columns <= max_dense_entries;
    CD_ARENA_ARRAY(arena, a->A,
                   a->use_gram_matrix ? (size_t)a->nrow * (size_t)m->nv
                   : a->dense         ? height * (size_t)m->nv
                                      : 0);
    CD_ARENA_ARRAY(arena, a->gram, a->use_gram_matrix ? (size_t)a->nrow * (size_t)a->nrow : 0);
    CD_ARENA_ARRAY(arena, a->work,
                   a->dense && !a->use_gram_matrix ? cd_lapack_least_squares_rectangular_work((int)height, m->nv) : 0);
    CD_ARENA_ARRAY(arena, a->pivot, m->nv);
    CD_ARENA_ARRAY(arena, a->velocity_si, m->nv);
    CD_ARENA_ARRAY(arena, a->multiplier_si, d->constraints.nrow);
    CD_ARENA_ARRAY(arena, a->b, height);
    CD_ARENA_ARRAY(arena, a->r, height);
    CD_ARENA_ARRAY(arena, a->s, height);
    CD_ARENA_ARRAY(arena, a->p, height);
    if (!a->p) return;
    for (int j = 0, n = 0, row = 0; j < m->njoint; ++j) {
        if (!has_fixed_start(a, j)) continue;
        cd_fixed_joint* joint = &a->fixed_joint[n++];
        *joint                = make_fixed_joint(a, j);
        joint->c.first_row    = row;
        joint->e              = (cd_constraint_equations){
                         .value = a->fixed_value + row, .rate = a->fixed_rate + row, .h = h + row, .G = G + 2 * row};
        row += joint->c.nrow;
    }
}

double cd_position_violation_roundoff(cardan_data* d)
{
    double max_distance_sq = 0;
    cd_update_world(d);
    for (int i = 0; i < d->m->nlink; ++i)
        max_distance_sq = fmax(max_distance_sq, v3_dot(d->world.pose[i].p, d->world.pose[i].p));
    return fmax(8, d->m->depth) * DBL_EPSILON * sqrt(max_distance_sq);
}

bool cd_assembly_init(cd_assembly* a, cardan_data* d, const cardan_joint_start* start)
{
    const cardan_model* m = d->m;
    *a                    = (cd_assembly){.d = d, .length_scale = d->units.length_scale};
    a->start              = cd_allocate((size_t)m->njoint + 1, sizeof *a->start);
    if (!a->start) return false;
    for (int j = 0; j < m->njoint; ++j) a->start[j] = start ? start[j] : cardan_joint_start_default(m, j);
    for (int j = 0; j < m->njoint; ++j) {
        if (!has_fixed_start(a, j)) continue;
        ++a->nfixed;
        a->nfixed_row += make_fixed_joint(a, j).c.nrow;
    }
    layout(a, &a->arena);
    if (!cd_arena_reserve(&a->arena)) return false;
    layout(a, &a->arena);
    for (int j = 0; j < m->njoint; ++j) {
        const cardan_index_range range = m->tree_range[j];
        if (range.q < 0) continue;
        memcpy(a->q_start + range.q, a->start[j].q, (size_t)range.nq * sizeof *a->q_start);
        memcpy(a->v_start + range.v, a->start[j].v, (size_t)range.nv * sizeof *a->v_start);
    }
    cd_data_set_state(d, d->t, a->q_start, a->v_start, d->state);
    memcpy(a->q_start, d->q, (size_t)m->nq * sizeof *a->q_start);
    a->violation_roundoff = cd_position_violation_roundoff(d) / a->length_scale;
    return true;
}

void cd_assembly_destroy(cd_assembly* a)
{
    cd_arena_release(&a->arena);
    free(a->start);
}

// ---- rows and unknowns

static void evaluate_rows(cd_assembly* a)
{
    cd_update_rows(a->d);
    for (int i = 0; i < a->nfixed; ++i) {
        cd_fixed_joint* h = &a->fixed_joint[i];
        cd_end_state    end[2];
        for (int n = 0; n < 2; ++n) end[n] = cd_end_state_of(&h->c.end[n], &a->d->world);
        h->c.type->evaluate(&h->c, end, 0, &h->e);
    }
}

// Norm of a row: its change per rotation by 1 rad or translation by one length.
static double row_size(const cd_assembly* a, int nend, const spatial* G)
{
    double sum = 0;
    for (int n = 0; n < nend; ++n)
        sum += v3_dot(G[n].a, G[n].a) + a->length_scale * a->length_scale * v3_dot(G[n].l, G[n].l);
    return sum > 0 ? sqrt(sum) : 1;
}

static void update_row_units(cd_assembly* a)
{
    const cd_constraint_set* constraints = &a->d->constraints;
    evaluate_rows(a);
    for (int i = 0; i < constraints->nconstraint; ++i) {
        const cd_constraint* c = &constraints->constraint[i];
        for (int k = 0; k < c->nrow; ++k)
            a->row_unit[c->first_row + k] = row_size(a, c->nend, constraints->equations[i].G + k * c->nend);
    }
    for (int i = 0; i < a->nfixed; ++i)
        for (int k = 0; k < a->fixed_joint[i].c.nrow; ++k)
            a->row_unit[constraints->nrow + a->fixed_joint[i].c.first_row + k] =
                row_size(a, 2, a->fixed_joint[i].e.G + 2 * k);
}

// At velocity level the frame follows the present joint position, so that rates of the lock are those of the joint.
static void set_fixed_joint_frame(cd_assembly* a, cd_fixed_joint* h)
{
    const cd_compiled_joint* info = &a->d->m->joint[h->c.joint];
    double                   q[CARDAN_JOINT_VELOCITIES_MAX + 1], v[CARDAN_JOINT_VELOCITIES_MAX];
    cardan_data_joint_state(a->d, h->c.joint, q, v);
    h->c.end[0] = info->frame_first;
    move_frame(&h->c.end[0], cd_joint_pose(info, a->velocity_level ? q : a->start[h->c.joint].q));
    cd_joint_twist(info, q, a->start[h->c.joint].v, h->target_twist);
}

void cd_assembly_set_unknowns(cd_assembly* a, bool velocity_level, bool fixed_released)
{
    const cardan_model* m = a->d->m;
    a->velocity_level     = velocity_level;
    a->fixed_released     = fixed_released;
    a->nfree              = 0;
    for (int i = 0; i < a->nfixed; ++i) set_fixed_joint_frame(a, &a->fixed_joint[i]);
    for (int v = 0; v < m->nv; ++v) {
        a->free_column[v] = -1;
        int                     local;
        const int               j    = cardan_model_joint_of_velocity(m, v, &local);
        const cardan_start_mode mode = j < m->njoint ? cd_assembly_start_mode(a, j) : CARDAN_START_FREE;
        a->velocity_unit_inverse[v]  = cd_velocity_is_rotation(m, v) ? 1 : 1 / a->length_scale;
        a->weight[v]                 = mode == CARDAN_START_GUESS && !fixed_released ? cd_guess_weight : 1;
        if (!fixed_released && mode == CARDAN_START_FIXED) continue;
        a->free_column[v]            = a->nfree;
        a->free_velocity[a->nfree++] = v;
    }
    update_row_units(a);
}

double cd_assembly_residual(cd_assembly* a, double* c)
{
    const cd_constraint_set* constraints = &a->d->constraints;
    double                   most        = 0;
    evaluate_rows(a);
    // The value of nonholonomic rows is 0.
    for (int i = 0; i < constraints->nrow; ++i)
        c[i] = (a->velocity_level ? constraints->rate[i] : constraints->value[i]) / a->row_unit[i];
    for (int i = 0; i < a->nfixed; ++i) {
        const cd_fixed_joint* h = &a->fixed_joint[i];
        for (int k = 0, bit = 0; k < h->c.nrow; ++k, ++bit) {
            while (!(h->c.locked & (1u << bit))) ++bit;
            const int    row = constraints->nrow + h->c.first_row + k;
            const double prescribed_rate =
                h->target_twist[bit < 3 ? 3 + bit : bit - 3]; // locks: translations, then rotations
            c[row] = !cd_assembly_is_fixed(a, h->c.joint)
                         ? 0
                         : (a->velocity_level ? h->e.rate[k] - prescribed_rate : h->e.value[k]) / a->row_unit[row];
        }
    }
    for (int i = 0; i < a->nrow; ++i)
        if (!(fabs(c[i]) <= most)) most = fabs(c[i]);
    return most;
}

static const double significant_share = 1e-3; // relative to the largest violation

bool cd_assembly_is_involved(const cd_assembly* a, int constraint, bool driven)
{
    const cd_constraint* c    = &a->d->constraints.constraint[constraint];
    const double         most = cd_norm_inf(a->nrow, a->c);
    for (int k = 0; k < c->nrow; ++k)
        if ((!driven || c->driven_rows >> k & 1) && fabs(a->c[c->first_row + k]) > significant_share * most)
            return true;
    return false;
}

bool cd_assembly_driver_is_involved(const cd_assembly* a, int constraint)
{
    return cd_assembly_is_involved(a, constraint, true);
}
