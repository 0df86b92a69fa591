// SPDX-License-Identifier: BSD-3-Clause
// Reference formulation: M from the Jacobians of all bodies without recursion, together with the constraint rows, and a
// rank-revealing least-squares solve by LAPACK. Slow, simple, and derived differently from all formulations that are
// compared with it.
//
//   [ M  J' ] [ a      ]   [ r     ]     M = sum over links of J(i)' I(i) J(i) + armature,  J(i): Jacobian of link i
//   [ J  -C ] [ lambda ] = [ gamma ]     C: compliance of the rows, nonzero only for rotors
//
// The system is scaled so that M has a unit diagonal and rows of J unit length, and the rank does not depend on units.
// With redundant rows the solution has the multipliers of least norm; the accelerations are unique nevertheless.
// docs/theory/dense.md.
//
// In long mechanisms M and r have lost digits; iterative refinement (iterative_refinement.h) follows as long as the
// residuals decrease.
#include "formulation/formulation_tolerances.h"
#include "formulation/safeguards/proximal_inertia.h"
#include "formulation/safeguards/iterative_refinement.h"
#include "model/characteristic_length.h"
#include "math/dense_cholesky.h"

enum { MAX_CORRECTIONS = 3 };

typedef struct dense_lapack_work {
    int      n;        // nv + nrow
    real*    K;        // (n x n) both triangles
    real*    A_scaled; // (n x n) copy, overwritten by the solve
    real*    b;        // (n)
    real*    scale;    // (n)
    spatial* F;        // (nv) I J, the columns of one link
    int*     path;     // (nv) velocities on the path to ground
    real*    work;     // of LAPACK
    int*     pivot;    // (n)
    int      rank;     // of the last solve

    real*         x; // (n) a and lambda
    cd_refinement refinement;
} dense_lapack_work;

static double memory_estimate(const cardan_model* m, const cd_rows* rows)
{
    return 2.0 * (m->nv + rows->nrow) * (m->nv + rows->nrow);
}

static void layout(const cardan_model* m, const cd_rows* rows, cd_arena* arena, void* work)
{
    dense_lapack_work* w = work;
    w->n                 = m->nv + rows->nrow;
    CD_ARENA_ARRAY(arena, w->K, (size_t)w->n * (size_t)w->n);
    CD_ARENA_ARRAY(arena, w->A_scaled, (size_t)w->n * (size_t)w->n);
    CD_ARENA_ARRAY(arena, w->b, w->n);
    CD_ARENA_ARRAY(arena, w->scale, w->n);
    CD_ARENA_ARRAY(arena, w->F, m->nv);
    CD_ARENA_ARRAY(arena, w->path, m->nv);
    CD_ARENA_ARRAY(arena, w->work, r_least_squares_work(w->n));
    CD_ARENA_ARRAY(arena, w->pivot, w->n);
    CD_ARENA_ARRAY(arena, w->x, w->n);
    cd_refinement_layout(m, rows, arena, &w->refinement);
}

static void add_link(const cardan_model* m, const cd_kinematics* k, dense_lapack_work* w, int i)
{
    const cd_link* link = &m->link[i];
    const rigid I = rigid_to_parent(k->root_pose[i], (rigid){r_const(link->m), v3_const(link->h), s3_const(link->I)});
    int         count = 0;
    for (int v = link->v + link->nv - 1; v >= 0; v = m->v_parent[v]) {
        w->F[count]      = rigid_mul(I, k->root_column[v]);
        w->path[count++] = v;
    }
    for (int a = 0; a < count; ++a)
        for (int b = 0; b < count; ++b) {
            real* entry = &w->K[w->path[a] * w->n + w->path[b]];
            *entry      = r_add(*entry, sv_dot(w->F[a], k->root_column[w->path[b]]));
        }
}

static void assemble(const cd_problem* p, void* work)
{
    const cardan_model* m    = p->m;
    const cd_rows*      rows = p->rows;
    dense_lapack_work*  w    = work;
    cd_root_frame_poses(m, p->k);
    for (int i = 0; i < w->n * w->n; ++i) w->K[i] = r_const(0);
    for (int i = 0; i < m->nlink; ++i)
        if (!m->link[i].is_massless) add_link(m, p->k, w, i);
    for (int v = 0; v < m->nv; ++v) w->K[v * w->n + v] = r_add(w->K[v * w->n + v], r_const(m->armature[v]));
    for (int i = 0; i < rows->nrow; ++i) w->K[(m->nv + i) * (w->n + 1)] = r_const(-cd_row_compliance(rows, i));
    for (int c = 0; c < rows->nblock; ++c) {
        const cd_row_block* b = &rows->block[c];
        for (int i = 0; i < b->nrow; ++i)
            for (int j = 0; j < b->nv; ++j) {
                const int row              = m->nv + b->row + i;
                w->K[row * w->n + b->v[j]] = w->K[b->v[j] * w->n + row] = b->J[i * b->nv + j];
            }
    }
}

static double largest_of(vec3 x) { return fmax(fabs(r_value(x.x)), fmax(fabs(r_value(x.y)), fabs(r_value(x.z)))); }

// Return the unit of a row by its coefficients: rotations, or translations times the characteristic length.
static double row_unit(const cd_row_block* b, int row, double length)
{
    double unit = 0;
    for (int n = 0; n < b->nend; ++n) {
        const spatial G = b->G[row * b->nend + n];
        unit            = fmax(unit, fmax(largest_of(G.a), largest_of(G.l) * length));
    }
    return unit > 0 ? unit : 1;
}

// Scale the rows of one constraint to unit length. A row that is small relative to the others is about to vanish at
// this configuration: its scale is limited, because otherwise its round-off would count as an independent equation.
static void scale_block(const cd_problem* p, const cd_row_block* b, dense_lapack_work* w)
{
    const cardan_model* m       = p->m;
    const double        length  = cd_characteristic_length(m);
    double              largest = 0;
    for (int i = m->nv + b->row; i < m->nv + b->row + b->nrow; ++i) {
        real sum = r_const(cd_row_compliance(p->rows, i - m->nv));
        for (int v = 0; v < m->nv; ++v) {
            const real J = r_mul(w->K[i * w->n + v], w->scale[v]);
            sum          = r_add(sum, r_mul(J, J));
        }
        w->scale[i] = r_sqrt(sum);
        largest     = fmax(largest, r_value(w->scale[i]) / row_unit(b, i - m->nv - b->row, length));
    }
    for (int i = m->nv + b->row; i < m->nv + b->row + b->nrow; ++i) {
        const double unit = row_unit(b, i - m->nv - b->row, length);
        const double size = r_value(w->scale[i]), min_size = cd_small_row_ratio * largest * unit;
        if (!(largest > 0))
            w->scale[i] = r_const(1);
        else if (cd_is_redundancy_error(p->policy, size / unit, largest))
            w->scale[i] = r_const(0);
        else
            w->scale[i] = size > min_size ? r_div(r_const(1), w->scale[i]) : r_const(1 / min_size);
    }
}

// Return whether a diagonal entry of M is round-off: so is then its column, whose entries are at most the square roots
// of products of diagonal ones.
static bool is_null_inertia(const cardan_model* m, const dense_lapack_work* w, int v)
{
    return !(r_value(w->K[v * (w->n + 1)]) > fmax(cd_massless_pivot * m->inertia_scale[v], m->inertia_roundoff[v]));
}

// Return whether M, scaled to a unit diagonal, has a motion without inertia. Operates on values only and does not
// change the solve. A_scaled is scratch.
static bool is_mass_singular(const cardan_model* m, dense_lapack_work* w)
{
    real* const L = w->A_scaled;
    for (int i = 0; i < m->nv; ++i) {
        for (int j = 0; j <= i; ++j) {
            double sum = r_value(w->K[i * w->n + j]) * r_value(w->scale[i]) * r_value(w->scale[j]);
            for (int k = 0; k < j; ++k) sum -= r_value(L[i * w->n + k]) * r_value(L[j * w->n + k]);
            if (i == j && !(sum > cd_dense_rank_tolerance)) return true;
            L[i * w->n + j] = r_const(i == j ? sqrt(sum) : sum / r_value(L[j * w->n + j]));
        }
    }
    return false;
}

// Find an undetermined motion, M n = 0 and J n = 0: the columns of velocities are dependent. Returns one of its
// velocities, or CARDAN_NONE. Undetermined multipliers do not count.
static int find_undetermined_velocity(const cardan_model* m, dense_lapack_work* w)
{
    const int n = w->n;
    if (!r_has_lapack() || !is_mass_singular(m, w)) return CARDAN_NONE;
    for (int i = 0; i < n; ++i) {
        const bool null = i < m->nv && is_null_inertia(m, w, i);
        w->b[i]         = r_const(0);
        for (int j = 0; j < n; ++j) {
            const bool is_dropped  = i >= m->nv || (j < m->nv && (null || is_null_inertia(m, w, j)));
            w->A_scaled[i * n + j] = is_dropped ? r_const(0) : r_mul(r_mul(w->K[i * n + j], w->scale[i]), w->scale[j]);
        }
    }
    const int rank = r_least_squares(n, w->A_scaled, w->b, cd_dense_rank_tolerance, w->work, w->pivot);
    for (int i = rank; rank >= 0 && rank < m->nv && i < n; ++i)
        if (r_dependent_column(w->pivot, i) < m->nv) return r_dependent_column(w->pivot, i);
    return CARDAN_NONE;
}

// Scale M to a unit diagonal, or to the inertia scale of other velocities where it is null; scale rows of J to unit
// length in those units. Without loops a velocity without inertia is an error.
static cardan_status factor(const cd_problem* p, void* work, cd_solve_info* info)
{
    const cardan_model* m    = p->m;
    const cd_rows*      rows = p->rows;
    dense_lapack_work*  w    = work;
    for (int v = 0; v < m->nv; ++v) {
        const real diagonal = w->K[v * w->n + v];
        const bool positive = !is_null_inertia(m, w, v);
        if (!positive && rows->nrow == 0) {
            info->failed_velocity = v;
            return CARDAN_SINGULAR;
        }
        w->scale[v] =
            positive ? r_div(r_const(1), r_sqrt(diagonal)) : r_const(1 / sqrt(cd_proximal_inertia_scale(m, v)));
    }
    for (int i = 0; i < rows->nblock; ++i) scale_block(p, &rows->block[i], w);
    info->failed_velocity = rows->nrow > 0 ? find_undetermined_velocity(m, w) : CARDAN_NONE;
    return info->failed_velocity == CARDAN_NONE ? CARDAN_OK : CARDAN_SINGULAR;
}

// x = K^+ s. Returns the rank, or a negative number if the result is NaN.
static int solve_scaled(const cd_solve_policy* policy, dense_lapack_work* w, const real* s, real* x)
{
    const int n = w->n;
    for (int i = 0; i < n; ++i) {
        x[i] = r_mul(s[i], w->scale[i]);
        for (int j = 0; j < n; ++j) w->A_scaled[i * n + j] = r_mul(r_mul(w->K[i * n + j], w->scale[i]), w->scale[j]);
    }
    const int rank =
        r_least_squares(n, w->A_scaled, x, cd_pivot_tolerance(policy, cd_dense_rank_tolerance), w->work, w->pivot);
    for (int i = 0; i < n; ++i) x[i] = r_mul(x[i], w->scale[i]);
    return rank;
}

// Residuals relative to the right side, of the equations of motion and of the rows separately: near singular
// configurations multipliers are large, and their round-off in the former must not hide improvements of the latter.
typedef struct residual_norms {
    double motion, rows;
} residual_norms;

static residual_norms compute_residual(const cd_problem* p, const dense_lapack_work* w, const cd_right_sides* rhs)
{
    const int      nv       = p->m->nv;
    residual_norms residual = {0, 0};
    double         size     = 0;
    cd_refinement_compute_residual(p, &w->refinement, rhs->gamma, w->x, w->x + nv);
    for (int i = 0; i < w->n; ++i) {
        const double scale = r_value(w->scale[i]);
        double*      norm  = i < nv ? &residual.motion : &residual.rows;
        *norm              = fmax(*norm, fabs(r_value(w->refinement.residual[i])) * scale);
        size               = fmax(size, fabs(r_value(i < nv ? rhs->r[i] : rhs->gamma[i - nv])) * scale);
    }
    return size > 0 ? (residual_norms){residual.motion / size, residual.rows / size} : (residual_norms){0, 0};
}

static void refine(const cd_problem* p, dense_lapack_work* w, const cd_right_sides* rhs)
{
    residual_norms residual = compute_residual(p, w, rhs);
    for (int n = 0; n < MAX_CORRECTIONS && fmax(residual.motion, residual.rows) > cd_dense_residual_tolerance; ++n) {
        const residual_norms before = residual;
        if (solve_scaled(p->policy, w, w->refinement.residual, w->b) != w->rank) return;
        for (int i = 0; i < w->n; ++i) w->x[i] = r_add(w->x[i], w->b[i]);
        residual = compute_residual(p, w, rhs);
        if (residual.rows < cd_useful_residual_reduction * before.rows ||
            (residual.motion < cd_useful_residual_reduction * before.motion && residual.rows <= before.rows))
            continue;
        for (int i = 0; residual.rows + residual.motion > before.rows + before.motion && i < w->n; ++i)
            w->x[i] = r_sub(w->x[i], w->b[i]);
        return;
    }
}

// Reciprocal condition of the whole system, in which no single row is identified.
static cd_pivot_conditioning conditioning(const cd_problem* p, const dense_lapack_work* w)
{
    if (w->rank < 1 || p->rows->nrow == 0)
        return (cd_pivot_conditioning){.min_pivot_rel = 1, .min_pivot_row = CARDAN_NONE};
    return (cd_pivot_conditioning){.min_pivot_rel = r_rcond(w->n, w->rank, w->A_scaled, w->work, w->pivot),
                                   .min_pivot_row = CARDAN_NONE,
                                   .nnull         = w->n - w->rank};
}

static cardan_status solve(const cd_problem* p, void* work, const cd_right_sides* rhs, const cd_solution* x,
                           cd_solve_info* info)
{
    const int          nv = p->m->nv;
    dense_lapack_work* w  = work;
    cd_refinement_begin(&w->refinement, rhs);
    for (int i = 0; i < w->n; ++i) w->b[i] = i < nv ? rhs->r[i] : rhs->gamma[i - nv];
    w->rank = solve_scaled(p->policy, w, w->b, w->x);
    if (w->rank < 0) return CARDAN_NOT_FINITE;
    if (w->rank < w->n && p->rows->nrow == 0) {
        info->failed_velocity = r_dependent_column(w->pivot, w->rank);
        return CARDAN_SINGULAR;
    }
    if (cd_refinement_is_possible(p, &w->refinement)) refine(p, w, rhs);
    for (int v = 0; v < nv; ++v) x->a[v] = w->x[v];
    for (int i = 0; i < p->rows->nrow; ++i) x->lambda[i] = w->x[nv + i];
    info->conditioning = conditioning(p, w);
    return CARDAN_OK;
}

const cd_formulation cd_dense = {
    .name       = "dense",
    .summary    = "mass matrix from all Jacobians, rank-revealing dense solve; the reference",
    .citation   = "LAPACK dgelsy",
    .properties = CD_SUPPORTS_TREES | CD_SUPPORTS_LOOPS | CD_SUPPORTS_REDUNDANT_ROWS | CD_NEEDS_JOINT_SPACE_JACOBIAN |
                  CD_DENSE_COST | CD_REPORTS_PIVOTS,
    .tree_policy        = CARDAN_TREE_BREADTH_FIRST,
    .time_per_operation = {0, 1},
    .work_size          = sizeof(dense_lapack_work),
    .memory_estimate    = memory_estimate,
    .layout             = layout,
    .assemble           = assemble,
    .factor             = factor,
    .solve              = solve,
};
