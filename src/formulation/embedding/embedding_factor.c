// SPDX-License-Identifier: BSD-3-Clause
// Factorization for a given partition:
//
//   influence  J_D G = -J_I          by dependent block, J_D = L U with partial pivoting
//   embed      W = M N(:,j),  (N'M N)(i,j) = N(:,i)' W        column by column, only positions later than j
//   factor     N'M N = L D L'        fill-in as determined with the partition
//
// Products with zeros and ones are skipped: an independent coordinate is a unit column of N, and a row acts on few
// coordinates.
#include "formulation/formulation_tolerances.h"
#include "formulation/embedding/embedding.h"

#include <math.h>

// ---- J_D = L U

static void fill_dependent_block(const cd_rows* rows, cd_embedding_work* E, const cd_dependent_block* p)
{
    real *lu = E->lu + p->lu_offset, *G = E->influence + p->influence_offset;
    for (int i = 0; i < p->n * p->n; ++i) lu[i] = r_const(0);
    for (int i = 0; i < p->n * p->nindependent; ++i) G[i] = r_const(0);
    for (int j = 0; j < p->nindependent; ++j) E->scratch_flag[E->independent[p->first_independent + j]] = j;
    for (int i = 0; i < p->n; ++i) {
        const int           row = E->pivot_row[p->first_dependent + i];
        const cd_row_block* b   = &rows->block[E->block_of[row]];
        for (int j = 0; j < b->nv + (E->rotor_of_row[row] >= 0); ++j) {
            const int  x     = j < b->nv ? b->v[j] : E->rotor_of_row[row];
            const real entry = j < b->nv ? b->J[(row - b->row) * b->nv + j] : r_const(-1);
            if (E->dependent_block_of[x] >= 0)
                lu[i * p->n + E->index_in_block[x]] = entry;
            else
                G[E->scratch_flag[x] * p->n + i] = r_neg(entry);
        }
        E->row_permutation[p->first_dependent + i] = i;
    }
}

static void swap_rows(int n, real* a, real* b)
{
    for (int i = 0; i < n; ++i) {
        const real x = a[i];
        a[i]         = b[i];
        b[i]         = x;
    }
}

static void select_pivot_row(cd_embedding_work* E, const cd_dependent_block* p, int k)
{
    real*     lu          = E->lu + p->lu_offset;
    int*      permutation = E->row_permutation + p->first_dependent;
    const int n           = p->n;
    int       best        = k;
    double    max_size    = -1;
    for (int i = k; i < n; ++i) {
        const double size =
            fabs(r_value(lu[i * n + k])) * E->row_scale[E->pivot_row[p->first_dependent + permutation[i]]];
        if (size > max_size) max_size = size, best = i;
    }
    if (best != k) {
        const int row     = permutation[k];
        permutation[k]    = permutation[best];
        permutation[best] = row;
        swap_rows(n, lu + k * n, lu + best * n);
    }
    max_size *= E->scale[E->dependent[p->first_dependent + k]];
    if (!(max_size >= E->min_pivot)) {
        E->min_pivot     = max_size;
        E->min_pivot_row = E->pivot_row[p->first_dependent + permutation[k]];
    }
}

// Returns false without a pivot.
static bool factor_dependent_block(cd_embedding_work* E, const cd_dependent_block* p)
{
    real*     lu = E->lu + p->lu_offset;
    const int n  = p->n;
    for (int k = 0; k < n; ++k) {
        select_pivot_row(E, p, k);
        real* pivot = lu + k * n;
        if (!(fabs(r_value(pivot[k])) > 0)) return false;
        pivot[k] = r_div(r_const(1), pivot[k]);
        for (int i = k + 1; i < n; ++i) {
            real* row = lu + i * n;
            if (r_is_zero(row[k])) continue;
            row[k] = r_mul_inv(row[k], pivot[k]);
            for (int j = k + 1; j < n; ++j)
                if (!r_is_zero(pivot[j])) row[j] = r_sub(row[j], r_mul(row[k], pivot[j]));
        }
    }
    return true;
}

void cd_dependent_block_solve(const cd_embedding_work* E, const cd_dependent_block* p, const real* b, real* x)
{
    const real* lu = E->lu + p->lu_offset;
    const int   n  = p->n;
    for (int k = 0; k < n; ++k) x[k] = b[E->row_permutation[p->first_dependent + k]];
    for (int k = 0; k < n; ++k)
        for (int i = k + 1; !r_is_zero(x[k]) && i < n; ++i)
            if (!r_is_zero(lu[i * n + k])) x[i] = r_sub(x[i], r_mul(lu[i * n + k], x[k]));
    for (int k = n - 1; k >= 0; --k) {
        if (r_is_zero(x[k])) continue;
        x[k] = r_mul_inv(x[k], lu[k * n + k]);
        for (int i = 0; i < k; ++i)
            if (!r_is_zero(lu[i * n + k])) x[i] = r_sub(x[i], r_mul(lu[i * n + k], x[k]));
    }
}

void cd_dependent_block_solve_transposed(const cd_embedding_work* E, const cd_dependent_block* p, real* f, real* lambda)
{
    const real* lu = E->lu + p->lu_offset;
    const int   n  = p->n;
    for (int k = 0; k < n; ++k) {
        f[k] = r_mul_inv(f[k], lu[k * n + k]);
        for (int i = k + 1; i < n; ++i)
            if (!r_is_zero(lu[k * n + i])) f[i] = r_sub(f[i], r_mul(lu[k * n + i], f[k]));
    }
    for (int k = n - 1; k >= 0; --k) {
        for (int i = 0; i < k; ++i)
            if (!r_is_zero(lu[k * n + i])) f[i] = r_sub(f[i], r_mul(lu[k * n + i], f[k]));
        lambda[E->pivot_row[p->first_dependent + E->row_permutation[p->first_dependent + k]]] = f[k];
    }
}

// ---- G, and test of the partition

static double compute_influence(cd_embedding_work* E, const cd_dependent_block* p)
{
    double max_influence = 0;
    for (int j = 0; j < p->nindependent; ++j) {
        real*        column = E->influence + p->influence_offset + j * p->n;
        const double unit   = E->scale[E->independent[p->first_independent + j]];
        cd_dependent_block_solve(E, p, column, E->W);
        for (int i = 0; i < p->n; ++i) {
            column[i] = E->W[i];
            max_influence =
                fmax(max_influence, fabs(r_value(column[i])) / E->scale[E->dependent[p->first_dependent + i]] * unit);
        }
    }
    return max_influence;
}

// Return the residual of a redundant row on the independent coordinates, relative to its size: null, if it still is
// redundant.
static double redundant_row_residual(const cd_rows* rows, cd_embedding_work* E, int row)
{
    const cd_row_block* b            = &rows->block[E->block_of[row]];
    double              max_residual = 0;
    for (int j = 0; j < b->nv; ++j) {
        const double J = r_value(b->J[(row - b->row) * b->nv + j]) * E->row_scale[row];
        const int    x = b->v[j];
        if (E->dependent_block_of[x] < 0) {
            E->x[x] = r_const(r_value(E->x[x]) + J);
            continue;
        }
        const cd_dependent_block* p = &E->dependent_block[E->dependent_block_of[x]];
        for (int i = 0; i < p->nindependent; ++i) {
            const int z = E->independent[p->first_independent + i];
            E->x[z] =
                r_const(r_value(E->x[z]) +
                        J * r_value(E->influence[p->influence_offset + (size_t)(i * p->n + E->index_in_block[x])]));
        }
    }
    for (int j = 0; j < b->nv; ++j) {
        const int                 x = b->v[j];
        const cd_dependent_block* p =
            E->dependent_block_of[x] < 0 ? NULL : &E->dependent_block[E->dependent_block_of[x]];
        for (int i = 0; i < (p ? p->nindependent : 1); ++i) {
            const int z  = p ? E->independent[p->first_independent + i] : x;
            max_residual = fmax(max_residual, fabs(r_value(E->x[z])) * E->scale[z]);
            E->x[z]      = r_const(0);
        }
    }
    return max_residual;
}

bool cd_embedding_factor_constraints(const cd_problem* p, cd_embedding_work* E, double tolerance)
{
    const cd_rows* rows          = p->rows;
    const bool     is_first      = E->max_influence < 0;
    double         max_influence = 0;
    E->min_pivot                 = 1;
    E->min_pivot_row             = CARDAN_NONE;
    for (int i = 0; i < E->ndependent_block; ++i) {
        fill_dependent_block(rows, E, &E->dependent_block[i]);
        if (!factor_dependent_block(E, &E->dependent_block[i])) return false;
        max_influence = fmax(max_influence, compute_influence(E, &E->dependent_block[i]));
    }
    for (int x = 0; x < E->ncoordinate && E->nnull > 0; ++x) E->x[x] = r_const(0);
    if (is_first) {
        E->max_influence          = max_influence;
        E->min_pivot_at_partition = E->min_pivot;
        return true;
    }
    for (int i = 0; i < E->nnull; ++i)
        if (redundant_row_residual(rows, E, E->null_row[i]) > cd_redundant_residual_factor * tolerance) return false;
    const double repartition = E->nnull > 0 && p->policy->violation <= cd_equivalent_rows_violation
                                   ? cd_repartition_pivot_ratio_redundant
                                   : cd_repartition_pivot_ratio;
    return max_influence <= fmax(cd_influence_max, cd_influence_growth_max * E->max_influence) &&
           E->min_pivot > fmax(tolerance, repartition * E->min_pivot_at_partition);
}

// ---- N'M N

static inline void add_to(cd_embedding_work* E, int x, real value, int* touched)
{
    if (!E->mark[x]) {
        E->mark[x]            = 1;
        E->list[(*touched)++] = x;
        E->W[x]               = value;
    } else
        E->W[x] = r_add(E->W[x], value);
}

// Scatter N(x, z) to E->x; E->scratch_flag: 0 zero, 1 unit entry of z itself, 2 dependent.
static void scatter_column(cd_embedding_work* E, const cd_cluster* k, int z)
{
    for (int n = 0; n < k->n; ++n) {
        const int x        = E->member[k->first + n];
        E->scratch_flag[x] = x == z;
    }
    for (int i = E->first_user[z]; i < E->first_user[z + 1]; ++i) {
        const cd_dependent_block* p = &E->dependent_block[E->user[i].dependent_block];
        for (int j = 0; j < p->n; ++j) {
            const int x        = E->dependent[p->first_dependent + j];
            E->x[x]            = E->influence[p->influence_offset + (size_t)(E->user[i].column * p->n + j)];
            E->scratch_flag[x] = r_is_zero(E->x[x]) ? 0 : 2;
        }
    }
}

// Compute W = M N(:,z); returns the number of its entries, listed in E->list.
static int times_column(const cardan_model* m, const cd_rows* rows, cd_embedding_work* E, const cd_cluster* k, int i)
{
    int touched = 0;
    for (int n = 0; n < k->n; ++n) {
        const int w = E->member[k->first + n], length = cd_embedding_row_length(m, w), nown = E->nown[w];
        const int weight_kind = E->scratch_flag[w];
        for (int s = 0; s < (weight_kind ? length : nown); ++s) {
            const int  u = cd_embedding_column(m, E, w, s);
            const real M = cd_embedding_entry(m, rows, E, w, s);
            if (weight_kind && E->order[u] >= i) add_to(E, u, weight_kind == 1 ? M : r_mul(M, E->x[w]), &touched);
            if (s == 0 || s >= nown || !E->scratch_flag[u] || E->order[w] < i) continue;
            add_to(E, w, E->scratch_flag[u] == 1 ? M : r_mul(M, E->x[u]), &touched);
        }
    }
    return touched;
}

static inline void add_entry(cd_embedding_work* E, int i, real value)
{
    real* entry = &E->z_value[E->column_position[i]];
    *entry      = E->mark[E->z[i]] & 2 ? r_add(*entry, value) : value;
    E->mark[E->z[i]] |= 2;
}

static void embed_column(const cardan_model* m, const cd_rows* rows, cd_embedding_work* E, const cd_cluster* k, int i)
{
    scatter_column(E, k, E->z[i]);
    const int touched = times_column(m, rows, E, k, i);
    for (size_t e = E->z_start[i]; e < E->z_start[i + 1]; ++e) {
        E->column_position[E->z_row[e]] = e;
        E->z_value[e]                   = r_const(0);
    }
    for (int t = 0; t < touched; ++t) {
        const int x = E->list[t];
        if (E->dependent_block_of[x] < 0) {
            add_entry(E, E->order[x], E->W[x]);
            continue;
        }
        const cd_dependent_block* p = &E->dependent_block[E->dependent_block_of[x]];
        for (int j = 0; j < p->nindependent; ++j) {
            const int  to = E->order[E->independent[p->first_independent + j]];
            const real g  = E->influence[p->influence_offset + (size_t)(j * p->n + E->index_in_block[x])];
            if (to >= i && !r_is_zero(g)) add_entry(E, to, r_mul(g, E->W[x]));
        }
    }
    for (int t = 0; t < touched; ++t) E->mark[E->list[t]] = 0;
    for (size_t e = E->z_start[i]; e < E->z_start[i + 1]; ++e) E->mark[E->z[E->z_row[e]]] = 0;
}

// Return the inertia of a coordinate at the partition, at least a small fraction of the largest in its cluster:
// influence coefficients that are round-off move that inertia.
static double inertia_at_partition(const cd_embedding_work* E, int z)
{
    return E->scale[z] > 0 ? 1 / (E->scale[z] * E->scale[z]) : 0;
}

// Returns the coordinate whose pivot is round-off, or CARDAN_NONE.
static int eliminate(const cardan_model* m, cd_embedding_work* E)
{
    for (int i = 0; i < E->nz; ++i) {
        const size_t start = E->z_start[i], end = E->z_start[i + 1];
        const int    z = E->z[i];
        const double least =
            cd_massless_pivot *
            fmax(r_value(E->diagonal[i]), fmax(inertia_at_partition(E, z), z < m->nv ? m->inertia_scale[z] : 0));
        if (!(r_value(E->z_value[start]) > least)) return z;
        const real one_over_D = r_div(r_const(1), E->z_value[start]);
        for (size_t e = start + 1; e < end; ++e) {
            const real l = r_mul_inv(E->z_value[e], one_over_D);
            size_t     t = E->z_start[E->z_row[e]];
            for (size_t f = e; f < end; ++f, ++t) {
                while (E->z_row[t] != E->z_row[f]) ++t;
                E->z_value[t] = r_sub(E->z_value[t], r_mul(l, E->z_value[f]));
            }
            E->z_value[e] = l;
        }
        E->z_value[start] = one_over_D;
    }
    return CARDAN_NONE;
}

int cd_embedding_factor(const cardan_model* m, const cd_rows* rows, cd_embedding_work* E)
{
    for (int x = 0; x < E->ncoordinate; ++x) E->mark[x] = 0;
    for (int c = 0; c < E->ncluster; ++c)
        for (int i = E->cluster[c].z; i < E->cluster[c].z + E->cluster[c].nz; ++i) {
            embed_column(m, rows, E, &E->cluster[c], i);
            E->diagonal[i] = E->z_value[E->z_start[i]];
        }
    return eliminate(m, E);
}
