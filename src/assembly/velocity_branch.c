// SPDX-License-Identifier: BSD-3-Clause
// Velocities at a singular configuration. There rows are dependent that are independent elsewhere, lambda'J = 0, and
// of all velocities with J v = -c_t only those start a motion for which accelerations exist, J a = gamma(v):
//
//   g(v) = lambda'gamma(v) = 0      for all lambda in the null space of J'
//
// These quadratic equations have as solutions the velocity branches that meet at the configuration: its tangent cone,
// to second order. For rows that are redundant everywhere g is identically zero. With v = v0 + B z, v0 the
// first-order velocities and B a basis of the free changes, Newton's method with minimum-norm steps finds solutions
// from several starts; since g is quadratic, its derivatives are exact central differences. The solution nearest to
// the start values is chosen. Zero velocities start no motion either if a driver function has an acceleration there,
// as of a piston at its dead centre: then the speed that corresponds to this acceleration is the scale of the
// velocities, and of a motion and its opposite, which are equally near, one is chosen. docs/theory/assembly.md (3).
#include "assembly/assembly_problem.h"
#include "assembly/assembly_tolerances.h"
#include "dynamics/rows/constraint_update.h"
#include "dynamics/state.h"

#include "math/lapack.h"

#include <math.h>
#include <string.h>

static const double max_operations = 1e8;
enum { MAX_FREE = 24, MAX_NULL = 48, MAX_ITERATIONS = 60 };

typedef struct branch_problem {
    cd_assembly* a;
    int          nrow, height; // rows of J; rows of all velocity equations
    double *     J, *scale, *sigma, *left_singular, *right_singular, *work;
    double *     v0, *v;      // (nv)
    double       speed_scale; // in units
    int          nnull, nfree;
    double*      lambda;     // (nnull x nrow)
    double*      free_basis; // (nfree x nv) unscaled velocities
    double       z[MAX_FREE], g[MAX_NULL], G[MAX_NULL * MAX_FREE], K[MAX_NULL * MAX_NULL], w[MAX_NULL];
} branch_problem;

static void layout(branch_problem* b, cd_arena* arena)
{
    const size_t nv = (size_t)b->a->d->m->nv, nrow = (size_t)b->nrow, height = (size_t)b->height;
    CD_ARENA_ARRAY(arena, b->J, height * nv);
    CD_ARENA_ARRAY(arena, b->scale, nrow);
    CD_ARENA_ARRAY(arena, b->sigma, height);
    CD_ARENA_ARRAY(arena, b->left_singular, nrow * nrow);
    CD_ARENA_ARRAY(arena, b->right_singular, (nv + 2) * nv);
    CD_ARENA_ARRAY(arena, b->work, cd_lapack_svd_work(b->height, (int)nv) + cd_lapack_svd_work(b->nrow, (int)nv));
    CD_ARENA_ARRAY(arena, b->v0, nv);
    CD_ARENA_ARRAY(arena, b->v, nv);
    CD_ARENA_ARRAY(arena, b->lambda, MAX_NULL * nrow);
    CD_ARENA_ARRAY(arena, b->free_basis, MAX_FREE * nv);
}

static void set_velocities(branch_problem* b, const double* v) { cd_data_set_velocity(b->a->d, v); }

// Compute g at v. Returns its infinity norm relative to its terms.
static double branch_residual(branch_problem* b, const double* v, double* g)
{
    const cardan_data* d    = b->a->d;
    double             most = 0;
    set_velocities(b, v);
    cd_update_rows(b->a->d);
    for (int k = 0; k < b->nnull; ++k) {
        double terms = 0;
        g[k]         = 0;
        for (int i = 0; i < b->nrow; ++i) {
            const double term = b->lambda[k * b->nrow + i] * d->solve.gamma[i];
            g[k] += term;
            terms += fabs(term);
        }
        most = fmax(most, fabs(g[k]) / fmax(terms, b->speed_scale * b->speed_scale));
    }
    return most;
}

// Left null vectors of J with all velocities free: accelerations are free whatever velocities are fixed.
static bool find_left_null_space(branch_problem* b)
{
    const int nv = b->a->d->m->nv, most = b->nrow < nv ? b->nrow : nv;
    cd_scaled_jacobian(b->a->d, b->J, b->scale);
    if (!cd_lapack_svd(b->nrow, nv, b->J, b->sigma, b->left_singular, NULL, b->work)) return false;
    int rank = 0;
    while (rank < most && b->sigma[rank] > cd_branch_rank_tolerance * fmax(1, b->sigma[0])) ++rank;
    b->nnull = b->nrow - rank;
    if (b->nnull < 1 || b->nnull > MAX_NULL) return false;
    for (int k = 0; k < b->nnull; ++k)
        for (int i = 0; i < b->nrow; ++i)
            b->lambda[k * b->nrow + i] = b->left_singular[i * b->nrow + rank + k] * b->scale[i];
    return true;
}

// Admissible changes of velocities, J dv = 0 with fixed values kept: right null vectors of the rows in units.
static bool find_free_basis(branch_problem* b)
{
    cd_assembly* a  = b->a;
    const int    nv = a->d->m->nv, n = a->nfree;
    if (n < 1) return false;
    cd_assembly_update_jacobian(a);
    memset(b->J, 0, (size_t)b->height * (size_t)nv * sizeof *b->J);
    for (int i = 0; i < n; ++i) {
        memset(a->dq, 0, (size_t)n * sizeof *a->dq);
        a->dq[i] = 1;
        cd_assembly_apply(a, a->dq, a->trial_residual);
        for (int k = 0; k < a->nrow; ++k) b->J[(size_t)k * (size_t)n + (size_t)i] = a->trial_residual[k];
    }
    if (!cd_lapack_svd(b->height, n, b->J, b->sigma, NULL, b->right_singular, b->work)) return false;
    int rank = 0;
    while (rank < n && b->sigma[rank] > cd_branch_rank_tolerance * fmax(1, b->sigma[0])) ++rank;
    b->nfree = n - rank;
    if (b->nfree < 1 || b->nfree > MAX_FREE) return false;
    for (int k = 0; k < b->nfree; ++k)
        for (int i = 0; i < n; ++i)
            b->free_basis[k * nv + a->free_velocity[i]] =
                b->right_singular[(size_t)(rank + k) * (size_t)n + (size_t)i] /
                (a->velocity_unit_inverse[a->free_velocity[i]] * a->weight[a->free_velocity[i]]);
    return true;
}

static void velocities_at(branch_problem* b, const double* z)
{
    const int nv = b->a->d->m->nv;
    memcpy(b->v, b->v0, (size_t)nv * sizeof *b->v);
    for (int k = 0; k < b->nfree; ++k)
        for (int i = 0; i < nv; ++i) b->v[i] += z[k] * b->free_basis[k * nv + i];
}

static void branch_jacobian(branch_problem* b)
{
    double shifted[MAX_NULL];
    for (int j = 0; j < b->nfree; ++j)
        for (int side = 0; side < 2; ++side) {
            const double z = b->z[j], h = side ? -b->speed_scale : b->speed_scale;
            b->z[j] = z + h;
            velocities_at(b, b->z);
            branch_residual(b, b->v, shifted);
            b->z[j] = z;
            for (int k = 0; k < b->nnull; ++k)
                b->G[k * b->nfree + j] = (side ? b->G[k * b->nfree + j] : 0) + shifted[k] / (2 * h);
        }
}

// z -= G'(G G' + mu)^-1 g, mu of round-off size because equations may be redundant.
static bool newton_step(branch_problem* b)
{
    const int n = b->nnull, nfree = b->nfree;
    double    trace = 0;
    for (int i = 0; i < n; ++i)
        for (int k = 0; k <= i; ++k) {
            double sum = 0;
            for (int j = 0; j < nfree; ++j) sum += b->G[i * nfree + j] * b->G[k * nfree + j];
            b->K[i * n + k] = sum;
        }
    for (int i = 0; i < n; ++i) trace += b->K[i * n + i];
    if (!(trace > 0)) return false;
    for (int i = 0; i < n; ++i) b->K[i * n + i] += cd_branch_gram_shift * trace;
    if (cd_lapack_cholesky(n, b->K, 0, NULL) != n) return false;
    memcpy(b->w, b->g, (size_t)n * sizeof *b->w);
    cd_lapack_cholesky_solve(n, b->K, b->w);
    for (int j = 0; j < nfree; ++j)
        for (int k = 0; k < n; ++k) b->z[j] -= b->G[k * nfree + j] * b->w[k];
    return true;
}

// Newton's method from b->z down to round-off: once it has converged, the iteration ends when the residual is not
// halved. Returns the residual.
static double newton_iterate(branch_problem* b)
{
    double last_residual = INFINITY, residual = INFINITY, z_saved[MAX_FREE];
    for (int i = 0; i < MAX_ITERATIONS; ++i) {
        velocities_at(b, b->z);
        residual = branch_residual(b, b->v, b->g);
        if (!isfinite(residual)) break;
        if (last_residual < cd_branch_newton_tolerance && !(residual < last_residual / 2)) {
            if (residual > last_residual) memcpy(b->z, z_saved, sizeof z_saved);
            residual = fmin(residual, last_residual);
            break;
        }
        last_residual = residual;
        memcpy(z_saved, b->z, sizeof z_saved);
        branch_jacobian(b);
        if (!newton_step(b)) break;
    }
    velocities_at(b, b->z);
    return residual;
}

// Solve from b->z. Returns false if there is no solution nearby, or only zero velocities.
static bool solve_branch(branch_problem* b)
{
    const double residual = newton_iterate(b);
    double       size     = 0;
    for (int v = 0; v < b->a->d->m->nv; ++v) size = fmax(size, fabs(b->v[v] * b->a->velocity_unit_inverse[v]));
    return residual < cd_branch_residual_tolerance && size > cd_min_branch_difference * b->speed_scale;
}

// Move a solution along its branch towards v0 as far as possible: remove the component of z along the branch and
// solve again.
static void move_along_branch(branch_problem* b)
{
    const int n = b->nnull, nfree            = b->nfree;
    double    z_saved[MAX_FREE], distance_sq = INFINITY;
    for (int i = 0; i < MAX_ITERATIONS; ++i) {
        double size = 0;
        for (int j = 0; j < nfree; ++j) size += b->z[j] * b->z[j];
        if (!(size < distance_sq * (1 - cd_branch_newton_tolerance))) break;
        distance_sq = size;
        memcpy(z_saved, b->z, sizeof z_saved);
        branch_jacobian(b);
        for (int k = 0; k < n; ++k) {
            b->g[k] = 0;
            for (int j = 0; j < nfree; ++j) b->g[k] -= b->G[k * nfree + j] * z_saved[j];
        }
        memset(b->z, 0, sizeof b->z);
        if (!newton_step(b) || !solve_branch(b)) break;
    }
    memcpy(b->z, z_saved, sizeof z_saved);
    velocities_at(b, b->z);
}

// Squared distance of v to the start values, in units.
static double distance_to_start_sq(branch_problem* b, const double* v)
{
    cd_assembly* a   = b->a;
    double       sum = 0;
    set_velocities(b, v);
    for (int i = 0; i < a->nfree; ++i)
        sum += pow((v[a->free_velocity[i]] - a->v_start[a->free_velocity[i]]) *
                       a->velocity_unit_inverse[a->free_velocity[i]] * a->weight[a->free_velocity[i]],
                   2);
    cd_assembly_target_errors(a, a->nearest_work);
    for (int i = 0; i < cd_assembly_count_targets(a); ++i) sum += a->nearest_work[i] * a->nearest_work[i];
    return sum;
}

// Velocity in which two motions differ most.
static int largest_difference(const cd_assembly* a, const double* v, const double* w, double* difference)
{
    int velocity = CARDAN_NONE;
    *difference  = 0;
    for (int i = 0; i < a->nfree; ++i) {
        const int    x   = a->free_velocity[i];
        const double now = fabs(v[x] - w[x]) * a->velocity_unit_inverse[x];
        if (now <= *difference) continue;
        *difference = now;
        velocity    = x;
    }
    return velocity;
}

// Of a motion and its opposite: whether the first significant velocity is positive.
static bool starts_forward(const branch_problem* b, const double* v)
{
    int i = 0;
    while (i < b->a->d->m->nv - 1 &&
           fabs(v[i] * b->a->velocity_unit_inverse[i]) < cd_min_branch_difference * b->speed_scale)
        ++i;
    return v[i] > 0;
}

// Keep a solution if it is the nearest, or the nearest different from that.
static void keep_two_nearest(branch_problem* b, double distance_sq, double best[2], double* const nearest_v[2])
{
    const size_t size = (size_t)b->a->d->m->nv * sizeof(double);
    double       difference;
    if (best[0] < INFINITY) {
        largest_difference(b->a, b->v, nearest_v[0], &difference);
        if (difference < cd_min_branch_difference * b->speed_scale) return;
    }
    const bool is_equally_near = fabs(distance_sq - best[0]) <= cd_equal_distance_tolerance * distance_sq;
    if (is_equally_near ? starts_forward(b, b->v) && !starts_forward(b, nearest_v[0]) : distance_sq < best[0]) {
        best[1] = best[0];
        best[0] = distance_sq;
        memcpy(nearest_v[1], nearest_v[0], size);
        memcpy(nearest_v[0], b->v, size);
    } else if (distance_sq < best[1]) {
        best[1] = distance_sq;
        memcpy(nearest_v[1], b->v, size);
    }
}

// Start from v0 and from both sides of it in every free direction, near and far: every root of a quadratic equation
// is found from beyond it.
static bool search_branches(branch_problem* b, cd_velocity_branch* found)
{
    const int     nv           = b->a->d->m->nv;
    double* const nearest_v[2] = {b->right_singular, b->right_singular + nv};
    double        best[2]      = {INFINITY, INFINITY}, difference;
    for (int start = 0; start <= 4 * b->nfree; ++start) {
        const double range = start % 4 < 2 ? b->speed_scale : 10 * b->speed_scale;
        memset(b->z, 0, sizeof b->z);
        if (start > 0) b->z[(start - 1) / 4] = start % 2 ? range : -range;
        if (!solve_branch(b)) continue;
        move_along_branch(b);
        keep_two_nearest(b, distance_to_start_sq(b, b->v), best, nearest_v);
    }
    if (!(best[0] < INFINITY)) return false;
    memcpy(b->v, nearest_v[0], (size_t)nv * sizeof *b->v);
    *found = (cd_velocity_branch){.velocity = CARDAN_NONE};
    if (best[1] < INFINITY) {
        found->velocity     = largest_difference(b->a, nearest_v[0], nearest_v[1], &difference);
        found->chosen_value = nearest_v[0][found->velocity];
        found->other_value  = nearest_v[1][found->velocity];
    }
    return true;
}

// Row with the largest share in the null vector of the largest |g|.
static int dominant_row(const branch_problem* b)
{
    int row = 0, worst = 0;
    for (int k = 1; k < b->nnull; ++k)
        if (fabs(b->g[k]) > fabs(b->g[worst])) worst = k;
    for (int i = 1; i < b->nrow; ++i)
        if (fabs(b->lambda[worst * b->nrow + i] / b->scale[i]) > fabs(b->lambda[worst * b->nrow + row] / b->scale[row]))
            row = i;
    return row;
}

// Refine velocities that belong to a branch up to an error, to round-off, into b->v0. For rows that are redundant
// everywhere g and its derivatives are round-off: changes that are large against the error are rejected.
static void refine_velocities(branch_problem* b, double residual)
{
    double difference;
    memset(b->z, 0, sizeof b->z);
    if (!(residual > cd_branch_residual_roundoff) || !find_free_basis(b) || !(newton_iterate(b) < residual)) return;
    largest_difference(b->a, b->v, b->v0, &difference);
    if (difference <= cd_max_branch_refinement * residual * b->speed_scale)
        memcpy(b->v0, b->v, (size_t)b->a->d->m->nv * sizeof *b->v0);
}

// Speed that corresponds to the accelerations of the rows: v^2 = gamma, in units.
static double speed_of_gamma(const branch_problem* b)
{
    double most = 0;
    cd_update_rows(b->a->d);
    for (int i = 0; i < b->nrow; ++i) most = fmax(most, fabs(b->scale[i] * b->a->d->solve.gamma[i]));
    return sqrt(most);
}

static bool find_branch(branch_problem* b, cd_velocity_branch* found)
{
    const cd_assembly* a = b->a;
    for (int v = 0; v < a->d->m->nv; ++v)
        b->speed_scale = fmax(b->speed_scale, fabs(b->v0[v] * a->velocity_unit_inverse[v]));
    if ((!(b->speed_scale > 0) && a->d->constraints.ndriven == 0) || !find_left_null_space(b)) return false;
    const double speed_of_drivers = speed_of_gamma(b);
    const bool   is_at_standstill = b->speed_scale < cd_branch_standstill_ratio * speed_of_drivers;
    if (is_at_standstill) b->speed_scale = speed_of_drivers;
    if (!(b->speed_scale > 0)) return false;
    const double residual = branch_residual(b, b->v0, b->g);
    if (residual < cd_branch_residual_tolerance) {
        if (!is_at_standstill) refine_velocities(b, residual);
        return false;
    }
    const int row = dominant_row(b);
    if (!find_free_basis(b) || !search_branches(b, found)) return false;
    found->row = row;
    return true;
}

bool cd_assembly_choose_branch(cd_assembly* a, cd_velocity_branch* found, bool* changed)
{
    const double   rows = a->d->constraints.nrow, nv = a->d->m->nv;
    branch_problem b = {
        .a = a, .nrow = a->d->constraints.nrow, .height = a->nrow > a->d->m->nv ? a->nrow : a->d->m->nv};
    cd_arena arena = {0};
    *changed       = false;
    if (!a->dense || rows < 1 || (rows + nv) * (rows + nv) * nv > max_operations) return true;
    layout(&b, &arena);
    if (!cd_arena_reserve(&arena)) return false;
    layout(&b, &arena);
    memcpy(b.v0, a->d->v, (size_t)nv * sizeof *b.v0);
    *changed = find_branch(&b, found);
    set_velocities(&b, *changed ? b.v : b.v0);
    cd_arena_release(&arena);
    return true;
}
