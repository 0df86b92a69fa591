// SPDX-License-Identifier: BSD-3-Clause
// Self-stress: joint wrenches in equilibrium without load. It exists if constraints are redundant, and the reactions
// that it changes are not unique.
//
//   J'lambda = 0        multipliers of a self-stress: left singular vectors of J beyond its rank
//   W(joint, lambda)    its wrench in every joint (cd_compute_joint_wrenches), orthonormalized;
//                       moments divided by design_length
//
// docs/theory/redundancy.md (4), (5). J is scaled so that its rank does not depend on units: columns are per 1 rad or
// one design_length, and rows are divided by their effect on a body of that length, not by their norm in
// these coordinates (which may be round-off).
#include "dynamics/data.h"
#include "dynamics/dynamics_tolerances.h"
#include "dynamics/rows/constraint_update.h"
#include "dynamics/rows/jacobian_operator.h"
#include "dynamics/unit_scales.h"

#include "math/lapack.h"
#include "math/quaternion.h"

#include <math.h>
#include <string.h>

static void init_markers(const cardan_model* m, cd_link_frame* marker)
{
    for (int i = 0; i < m->nmarker; ++i) {
        marker[i].link = m->view.marker[i].body;
        q4_matrix(m->view.marker[i].pose.q, marker[i].R);
        memcpy(marker[i].p, m->view.marker[i].pose.p, sizeof marker[i].p);
    }
}

void cd_self_stress_layout(const cardan_model* m, int nrow, double operations, cd_arena* arena, cd_self_stress* s)
{
    s->first_other_row = 0;
    for (int i = 0; i < m->ncut; ++i) s->first_other_row += 6 - m->tree_range[m->cut[i]].nv;
    s->width          = 6 * m->njoint + nrow - s->first_other_row;
    const double rows = nrow, entries = rows * (m->nv + rows + s->width);
    s->affordable = entries <= cd_self_stress_entries_max && rows * rows * m->nv <= operations;
    CD_ARENA_ARRAY(arena, s->unique, m->njoint);
    CD_ARENA_ARRAY(arena, s->lambda, nrow);
    if (!s->affordable) return;
    const size_t n = (size_t)nrow;
    CD_ARENA_ARRAY(arena, s->J, n * (size_t)m->nv);
    CD_ARENA_ARRAY(arena, s->scale, n);
    CD_ARENA_ARRAY(arena, s->sigma, n);
    CD_ARENA_ARRAY(arena, s->left_singular, n * n);
    CD_ARENA_ARRAY(arena, s->work, nrow > 0 ? cd_lapack_svd_work(nrow, m->nv) : 0);
    CD_ARENA_ARRAY(arena, s->basis, n * (size_t)s->width);
}

void cd_reaction_work_layout(const cardan_model* m, int nrow, int system_rows, cd_arena* arena, cd_reaction_work* r)
{
    static const double one[9] = {1, 0, 0, 0, 1, 0, 0, 0, 1};
    cd_body_tree_layout(m, arena, &r->body_tree);
    CD_ARENA_ARRAY(arena, r->body_motion.pose, m->nbody + 1);
    CD_ARENA_ARRAY(arena, r->body_motion.velocity, m->nbody + 1);
    CD_ARENA_ARRAY(arena, r->marker, m->nmarker);
    CD_ARENA_ARRAY(arena, r->required_wrench, m->nbody);
    CD_ARENA_ARRAY(arena, r->joint_position, m->njoint);
    CD_ARENA_ARRAY(arena, r->joint_wrench, m->njoint);
    CD_ARENA_ARRAY(arena, r->lambda, nrow);
    CD_ARENA_ARRAY(arena, r->driver_rate, system_rows);
    CD_ARENA_ARRAY(arena, r->driver_response, m->nv);
    CD_ARENA_ARRAY(arena, r->effort, m->nv_joint);
    CD_ARENA_ARRAY(arena, r->limit.joint_wrench, m->njoint);
    CD_ARENA_ARRAY(arena, r->limit.marker_wrench, nrow);
    CD_ARENA_ARRAY(arena, r->limit.lambda, nrow);
    CD_ARENA_ARRAY(arena, r->limit.joint_unique, m->njoint);
    CD_ARENA_ARRAY(arena, r->limit.row_unique, nrow);
    cd_self_stress_layout(m, nrow, cd_self_stress_operations_max, arena, &r->self_stress);
    if (!r->required_wrench) return;
    *r->body_motion.pose++     = (frame){m3_const(one), v3_zero()};
    *r->body_motion.velocity++ = sv_zero();
    r->design_length           = cd_design_length(m);
    init_markers(m, r->marker);
}

double cd_row_wrench_norm(const cardan_data* d, int constraint, int row)
{
    const cd_constraint* c      = &d->constraints.constraint[constraint];
    const double         length = d->reactions.design_length;
    double               sum    = 0;
    for (int k = 0; k < c->nend; ++k) {
        const spatial G = d->constraints.equations[constraint].G[row * c->nend + k];
        const vec3    r = m3_mul(d->world.pose[cd_constraint_end(c, k)->link].R, v3_const(cd_constraint_end(c, k)->p)),
                   n    = v3_sub(G.a, v3_cross(r, G.l));
        sum += v3_dot(n, n) + length * length * v3_dot(G.l, G.l);
    }
    return sqrt(sum);
}

void cd_scaled_jacobian(cardan_data* d, double* J, double* scale)
{
    const cardan_model* m = d->m;
    cd_update_rows(d);
    memset(J, 0, (size_t)d->rows.nrow * (size_t)m->nv * sizeof *J);
    for (int i = 0; i < d->constraints.nconstraint; ++i) {
        const cd_row_block b = cd_joint_space_block(d, &d->constraints, i);
        for (int row = 0; row < b.nrow; ++row) {
            const double size  = cd_row_wrench_norm(d, i, row);
            scale[b.row + row] = size > 0 ? 1 / size : 1;
            for (int column = 0; column < b.nv; ++column) {
                const int    v               = b.v[column];
                const vec3   s               = d->k.S[v].a;
                const double unit            = v3_dot(s, s) > 0 ? 1 : d->reactions.design_length;
                J[(b.row + row) * m->nv + v] = b.J[row * b.nv + column] * unit * scale[b.row + row];
            }
        }
    }
}

// Wrenches of all joints due to lambda alone, moments divided by design_length; then the forces of the other rows.
static void joint_wrenches_of(cardan_data* d, const cd_self_stress* stress, const double* lambda, double* W)
{
    cd_reaction_work* r = &d->reactions;
    for (int i = 0; i < d->m->nbody; ++i) r->required_wrench[i] = sv_zero();
    cd_compute_joint_wrenches(d, lambda);
    for (int j = 0; j < d->m->njoint; ++j) {
        const vec3   n = v3_scale(1 / r->design_length, r->joint_wrench[j].a), f = r->joint_wrench[j].l;
        const double set[6] = {n.x, n.y, n.z, f.x, f.y, f.z};
        memcpy(W + 6 * j, set, sizeof set);
    }
    for (int i = stress->first_other_row; i < d->rows.nrow; ++i)
        W[6 * d->m->njoint + i - stress->first_other_row] = lambda[i] / (stress->scale[i] * r->design_length);
}

static double dot(int n, const double* a, const double* b)
{
    double sum = 0;
    for (int i = 0; i < n; ++i) sum += a[i] * b[i];
    return sum;
}

// Gram-Schmidt, twice; a dependent vector is dropped.
static void add_basis_vector(cd_self_stress* stress, int n)
{
    double*      W    = stress->basis + (size_t)stress->nbasis * (size_t)n;
    const double size = sqrt(dot(n, W, W));
    for (int pass = 0; pass < 2; ++pass)
        for (int s = 0; s < stress->nbasis; ++s) {
            const double* Q    = stress->basis + (size_t)s * (size_t)n;
            const double  part = dot(n, W, Q);
            for (int i = 0; i < n; ++i) W[i] -= part * Q[i];
        }
    const double remaining = sqrt(dot(n, W, W));
    if (!(remaining > cd_self_stress_independence * size) || !(remaining > 0)) return;
    for (int i = 0; i < n; ++i) W[i] /= remaining;
    ++stress->nbasis;
}

// Too large for a rank: every joint that some multiplier can load is marked as not unique.
static void mark_not_unique(cardan_data* d, cd_self_stress* stress)
{
    cd_reaction_work* r = &d->reactions;
    for (int i = 0; i < d->rows.nrow; ++i) stress->lambda[i] = 1 + 0.37 * sin(1.0 + i);
    for (int i = 0; i < d->m->nbody; ++i) r->required_wrench[i] = sv_zero();
    cd_compute_joint_wrenches(d, stress->lambda);
    for (int j = 0; j < d->m->njoint; ++j) stress->unique[j] = sv_dot(r->joint_wrench[j], r->joint_wrench[j]) == 0;
}

static bool compute_svd(cardan_data* d, cd_self_stress* stress)
{
    cd_scaled_jacobian(d, stress->J, stress->scale);
    return cd_lapack_svd(d->rows.nrow, d->m->nv, stress->J, stress->sigma, stress->left_singular, NULL, stress->work);
}

int cd_rank_of_rows(cardan_data* d, cd_self_stress* stress)
{
    const int most = d->rows.nrow < d->m->nv ? d->rows.nrow : d->m->nv;
    int       rank = 0;
    cd_update_body_motions(d);
    if (!compute_svd(d, stress)) return -1;
    const double tolerance = stress->rank_tolerance > 0 ? stress->rank_tolerance : cd_singular_value_tolerance;
    while (rank < most && stress->sigma[rank] > tolerance * fmax(1, stress->sigma[0])) ++rank;
    return rank;
}

// Add the self-stresses of the left singular vectors `from` to `to` - 1.
static void add_null_vectors(cardan_data* d, cd_self_stress* stress, int from, int to)
{
    const int nrow = d->rows.nrow;
    for (int s = from; s < to; ++s) {
        for (int i = 0; i < nrow; ++i) stress->lambda[i] = stress->left_singular[i * nrow + s] * stress->scale[i];
        joint_wrenches_of(d, stress, stress->lambda, stress->basis + (size_t)stress->nbasis * (size_t)stress->width);
        add_basis_vector(stress, stress->width);
    }
}

double cd_find_near_singular_stress(cardan_data* d, int nredundant, cd_self_stress* stress)
{
    const int nrow = d->rows.nrow, most = nrow < d->m->nv ? nrow : d->m->nv, last = nrow - nredundant - 1;
    stress->nbasis = 0;
    if (last < 0 || !stress->affordable) return 1;
    cd_update_body_motions(d);
    if (!compute_svd(d, stress)) return 1;
    const double smallest = last < most ? stress->sigma[last] : 0;
    int          first    = last;
    while (first > 0 && (first - 1 >= most || stress->sigma[first - 1] <= cd_same_singularity_ratio * smallest))
        --first;
    add_null_vectors(d, stress, first, last + 1);
    return smallest;
}

void cd_find_self_stress(cardan_data* d, cd_self_stress* stress)
{
    const int nrow = d->rows.nrow, n = stress->width;
    stress->nbasis = 0;
    for (int j = 0; j < d->m->njoint; ++j) stress->unique[j] = true;
    if (nrow == 0) return;
    cd_update_body_motions(d);
    cd_update_rows(d);
    if (!stress->affordable) {
        mark_not_unique(d, stress);
        return;
    }
    const int rank = cd_rank_of_rows(d, stress);
    if (rank < 0) return;
    add_null_vectors(d, stress, rank, nrow);
    for (int s = 0; s < stress->nbasis; ++s)
        for (int j = 0; j < d->m->njoint; ++j) {
            const double* Q = stress->basis + (size_t)s * (size_t)n + 6 * j;
            if (dot(6, Q, Q) > cd_self_stress_roundoff * cd_self_stress_roundoff) stress->unique[j] = false;
        }
}
