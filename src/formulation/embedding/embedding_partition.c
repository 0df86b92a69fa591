// SPDX-License-Identifier: BSD-3-Clause
// Choice of the dependent coordinates of a cluster: Gauss elimination of its rows with complete pivoting, columns
// scaled by 1/sqrt(M(k,k)) so that coordinates with large inertia remain independent, rows scaled to size 1. Among all
// entries not much smaller than the largest, the pivot is the one whose coordinate shares its constraints with the
// fewest others: a rack that two loops share couples them if it is dependent. Rows without a pivot are redundant.
//
// The partition determines the dependent blocks and the pattern of N'M N with its fill-in.
#include "core/disjoint_sets.h"
#include "formulation/formulation_tolerances.h"
#include "formulation/embedding/embedding.h"

#include <math.h>
#include <string.h>

// ---- pivots

static double diagonal_inertia(const cardan_model* m, const cd_rows* rows, const cd_embedding_work* E, int x)
{
    return r_value(cd_embedding_entry(m, rows, E, x, 0));
}

static void scale_columns(const cardan_model* m, const cd_rows* rows, cd_embedding_work* E, const cd_cluster* k)
{
    double max_inertia = 0;
    for (int i = 0; i < k->n; ++i)
        max_inertia = fmax(max_inertia, diagonal_inertia(m, rows, E, E->member[k->first + i]));
    for (int i = 0; i < k->n; ++i) {
        const int    x       = E->member[k->first + i];
        const double mass    = fmax(diagonal_inertia(m, rows, E, x), cd_min_inertia_ratio * max_inertia);
        E->scale[x]          = mass > 0 ? 1 / sqrt(mass) : 1;
        E->index_in_block[x] = i;
    }
}

// Return the size of the largest row of a constraint on twists, scaled like its coordinate with the largest scale.
static double twist_size_bound(const cd_embedding_work* E, const cd_row_block* b)
{
    double largest = 0, scale = 0;
    for (int i = 0; i < b->nrow * b->nend; ++i)
        largest = fmax(largest, r_value(v3_dot(b->G[i].a, b->G[i].a)) + r_value(v3_dot(b->G[i].l, b->G[i].l)));
    for (int j = 0; j < b->nv; ++j) scale = fmax(scale, E->scale[b->v[j]]);
    return sqrt(largest) * scale;
}

// Fill the rows of a cluster in scaled coordinates. A row that is small relative to the others of its constraint, or to
// its terms, is about to vanish at this configuration: its scale is limited, because otherwise its round-off would
// count as an independent equation.
static void fill_rows(const cd_problem* p, cd_embedding_work* E, const cd_cluster* k)
{
    const cd_rows* rows = p->rows;
    memset(E->A, 0, (size_t)k->nrow * (size_t)k->n * sizeof *E->A);
    for (int i = 0; i < k->nrow; ++i) {
        const int           row = E->row_of[k->first_row + i];
        const cd_row_block* b   = &rows->block[E->block_of[row]];
        double*             A   = E->A + (size_t)i * (size_t)k->n;
        double              sum = 0;
        for (int j = 0; j < b->nv; ++j)
            A[E->index_in_block[b->v[j]]] = r_value(b->J[(row - b->row) * b->nv + j]) * E->scale[b->v[j]];
        if (E->rotor_of_row[row] >= 0) A[E->index_in_block[E->rotor_of_row[row]]] = -E->scale[E->rotor_of_row[row]];
        for (int j = 0; j < k->n; ++j) sum += A[j] * A[j];
        E->row_scale[row] = sqrt(sum);
    }
    for (int i = 0; i < k->nrow; ++i) { // the rows of a constraint are scaled together
        const int           row = E->row_of[k->first_row + i];
        const cd_row_block* b   = &rows->block[E->block_of[row]];
        if (row != b->row) continue;
        double largest = 0;
        for (int j = b->row; j < b->row + b->nrow; ++j) largest = fmax(largest, E->row_scale[j]);
        const double least = fmax(cd_small_row_ratio * largest, cd_cancelled_row_ratio * twist_size_bound(E, b));
        for (int j = b->row; j < b->row + b->nrow; ++j)
            E->row_scale[j] = !(least > 0) ? 1
                              : cd_is_redundancy_error(p->policy, E->row_scale[j], largest)
                                  ? 0
                                  : 1 / fmax(E->row_scale[j], least);
    }
    for (int i = 0; i < k->nrow; ++i)
        for (int j = 0; j < k->n; ++j)
            E->A[(size_t)i * (size_t)k->n + (size_t)j] *= E->row_scale[E->row_of[k->first_row + i]];
}

// Find the next pivot in the remaining rows and columns. Returns false if all remaining entries are null. `row`: 1 for
// rows already used.
static bool find_pivot(const cd_embedding_work* E, const cd_cluster* k, const char* column, const int* row,
                       double tolerance, int* i_best, int* j_best)
{
    double largest = 0, best = 0;
    int    nneighbour = 0;
    for (int i = 0; i < k->nrow; ++i)
        for (int j = 0; !row[i] && j < k->n; ++j)
            if (!column[j]) largest = fmax(largest, fabs(E->A[i * k->n + j]));
    if (!(largest > tolerance)) return false;
    *i_best = -1;
    for (int i = 0; i < k->nrow; ++i)
        for (int j = 0; !row[i] && j < k->n; ++j) {
            const double size = fabs(E->A[i * k->n + j]);
            if (column[j] || size < cd_embedding_pivot_threshold * largest) continue;
            const int own_nneighbour = E->nneighbour[E->member[k->first + j]];
            if (*i_best >= 0 && (own_nneighbour > nneighbour || (own_nneighbour == nneighbour && size <= best)))
                continue;
            *i_best = i, *j_best = j;
            best = size, nneighbour = own_nneighbour;
        }
    return true;
}

// Choose pairs of a row and a dependent coordinate; returns their number.
static int choose_pairs(const cd_problem* problem, cd_embedding_work* E, const cd_cluster* k, double tolerance)
{
    char* column = E->mark;
    int * row = E->list, n = 0, p = 0, q = 0;
    fill_rows(problem, E, k);
    memset(column, 0, (size_t)k->n);
    memset(row, 0, (size_t)k->nrow * sizeof *row);
    while (n < k->max_dependent && find_pivot(E, k, column, row, tolerance, &p, &q)) {
        const double* pivot = E->A + (size_t)p * (size_t)k->n;
        row[p] = 1, column[q] = 1;
        for (int i = 0; i < k->nrow; ++i) {
            double*      A = E->A + (size_t)i * (size_t)k->n;
            const double l = A[q] / pivot[q];
            if (row[i] || l == 0) continue;
            for (int j = 0; j < k->n; ++j)
                if (!column[j]) A[j] -= l * pivot[j];
        }
        E->pivot_row[k->first_dependent + n] = E->row_of[k->first_row + p];
        E->dependent[k->first_dependent + n] = E->member[k->first + q];
        ++n;
    }
    for (int i = 0; i < k->nrow; ++i)
        if (!row[i]) E->null_row[E->nnull++] = E->row_of[k->first_row + i];
    return n;
}

// ---- dependent blocks

// Unite coupled pairs. dependent_block_of holds the pair of a coordinate, or -1.
static void unite_coupled_pairs(const cd_rows* rows, const cd_embedding_work* E, const cd_cluster* k, int n, int* set,
                                int* count)
{
    for (int i = 0; i < n; ++i) set[i] = i, count[i] = 0;
    for (int i = 0; i < n; ++i) {
        const int           row = E->pivot_row[k->first_dependent + i];
        const cd_row_block* b   = &rows->block[E->block_of[row]];
        for (int j = 0; j < b->nv + (E->rotor_of_row[row] >= 0); ++j) {
            const int x = j < b->nv ? b->v[j] : E->rotor_of_row[row], pair = E->dependent_block_of[x];
            if (pair < 0) continue;
            ++count[pair];
            const int a = cd_disjoint_set_root(set, i), c = cd_disjoint_set_root(set, pair);
            if (a != c) set[a > c ? a : c] = a > c ? c : a;
        }
    }
}

// List the independent coordinates on which the rows of a dependent block act.
static void list_independent(const cd_rows* rows, cd_embedding_work* E, cd_dependent_block* p)
{
    memset(E->mark, 0, (size_t)E->ncoordinate);
    for (int i = 0; i < p->n; ++i) {
        const int           row = E->pivot_row[p->first_dependent + i];
        const cd_row_block* b   = &rows->block[E->block_of[row]];
        for (int j = 0; j < b->nv + (E->rotor_of_row[row] >= 0); ++j) {
            const int x = j < b->nv ? b->v[j] : E->rotor_of_row[row];
            if (E->dependent_block_of[x] >= 0 || E->mark[x]) continue;
            E->mark[x]                                               = 1;
            E->independent[p->first_independent + p->nindependent++] = x;
            ++E->head[x];
        }
    }
}

// Form the dependent blocks of a cluster. Coordinates with few rows come first: fewer eliminations.
static void form_dependent_blocks(const cd_rows* rows, cd_embedding_work* E, cd_cluster* k, int n)
{
    int *set = E->list, *count = E->scratch_flag, *pair = E->list + n, *row = E->scratch_flag + n, done = 0;
    for (int i = 0; i < n; ++i) E->dependent_block_of[E->dependent[k->first_dependent + i]] = i;
    unite_coupled_pairs(rows, E, k, n, set, count);
    for (int i = 0; i < n; ++i)
        pair[i] = E->dependent[k->first_dependent + i], row[i] = E->pivot_row[k->first_dependent + i];
    size_t    lu = k->lu_offset, influence_offset = k->influence_offset;
    const int first = E->ndependent_block;
    for (int root = 0; root < n; ++root) {
        if (cd_disjoint_set_root(set, root) != root) continue;
        cd_dependent_block* p = &E->dependent_block[E->ndependent_block++];
        *p                    = (cd_dependent_block){.first_dependent   = k->first_dependent + done,
                                                     .first_independent = (int)influence_offset,
                                                     .lu_offset         = lu,
                                                     .influence_offset  = influence_offset};
        for (int i = root; i < n; ++i) {
            if (cd_disjoint_set_root(set, i) != root) continue;
            int at = p->n++;
            for (; at > 0 && count[E->index_in_block[E->dependent[p->first_dependent + at - 1]]] > count[i]; --at)
                E->dependent[p->first_dependent + at] = E->dependent[p->first_dependent + at - 1];
            E->dependent[p->first_dependent + at]       = pair[i];
            E->index_in_block[pair[i]]                  = i;
            E->pivot_row[p->first_dependent + p->n - 1] = row[i];
        }
        done += p->n;
        lu += (size_t)p->n * (size_t)p->n;
        influence_offset += (size_t)p->n * (size_t)k->n;
    }
    for (int i = first; i < E->ndependent_block; ++i)
        for (int j = 0; j < E->dependent_block[i].n; ++j) {
            E->dependent_block_of[E->dependent[E->dependent_block[i].first_dependent + j]] = i;
            E->index_in_block[E->dependent[E->dependent_block[i].first_dependent + j]]     = j;
        }
    for (int i = first; i < E->ndependent_block; ++i) list_independent(rows, E, &E->dependent_block[i]);
}

// List the dependent blocks by the coordinates they follow; E->head holds their numbers.
static void list_users(cd_embedding_work* E)
{
    E->first_user[0] = 0;
    for (int x = 0; x < E->ncoordinate; ++x) {
        E->first_user[x + 1] = E->first_user[x] + E->head[x];
        E->list[x]           = E->first_user[x];
    }
    for (int i = 0; i < E->ndependent_block; ++i)
        for (int j = 0; j < E->dependent_block[i].nindependent; ++j)
            E->user[E->list[E->independent[E->dependent_block[i].first_independent + j]]++] = (cd_dependent_use){i, j};
}

// ---- the pattern of N'M N

// Order the independent coordinates cluster by cluster; inside, those shared by several dependent blocks come last.
static void order_independent(cd_embedding_work* E)
{
    E->nz = 0;
    for (int c = 0; c < E->ncluster; ++c) {
        cd_cluster* k = &E->cluster[c];
        k->z          = E->nz;
        for (int i = 0; i < k->n; ++i) {
            const int x = E->member[k->first + i];
            if (E->dependent_block_of[x] >= 0) continue;
            int at = E->nz++;
            for (; at > k->z && E->head[E->z[at - 1]] > E->head[x]; --at) E->z[at] = E->z[at - 1];
            E->z[at] = x;
        }
        k->nz = E->nz - k->z;
    }
    for (int i = 0; i < E->nz; ++i) E->order[E->z[i]] = i;
    for (int i = 0; i < E->ndependent_block; ++i) {
        const cd_dependent_block* p    = &E->dependent_block[i];
        int                       last = -1;
        for (int j = 0; j < p->nindependent; ++j)
            if (E->order[E->independent[p->first_independent + j]] > last)
                last = E->order[E->independent[p->first_independent + j]];
        for (int j = 0; j < p->n; ++j) E->order[E->dependent[p->first_dependent + j]] = last;
    }
}

// Mark the independent coordinates that coordinate x depends on, from position z on.
static void mark_independent_of(cd_embedding_work* E, int x, int z)
{
    if (E->order[x] < z) return;
    if (E->dependent_block_of[x] < 0) {
        E->mark[E->order[x]] = 1;
        return;
    }
    const cd_dependent_block* p = &E->dependent_block[E->dependent_block_of[x]];
    for (int j = 0; j < p->nindependent; ++j) {
        const int i = E->order[E->independent[p->first_independent + j]];
        if (i >= z) E->mark[i] = 1;
    }
}

static void mark_column(const cardan_model* m, cd_embedding_work* E, const cd_cluster* k, int i)
{
    const int z = E->z[i];
    for (int n = 0; n < k->n; ++n) E->scratch_flag[E->member[k->first + n]] = E->member[k->first + n] == z;
    for (int u = E->first_user[z]; u < E->first_user[z + 1]; ++u) {
        const cd_dependent_block* p = &E->dependent_block[E->user[u].dependent_block];
        for (int j = 0; j < p->n; ++j) E->scratch_flag[E->dependent[p->first_dependent + j]] = 1;
    }
    for (int n = 0; n < k->n; ++n) {
        const int w = E->member[k->first + n], length = cd_embedding_row_length(m, w);
        for (int s = 0; s < length; ++s) {
            const int u = cd_embedding_column(m, E, w, s);
            if (s < E->nown[w] && E->scratch_flag[u]) mark_independent_of(E, w, i);
            if (E->scratch_flag[w]) mark_independent_of(E, u, i);
        }
    }
    E->mark[i] = 1;
}

// Compute the pattern column by column: its own entries, and those of the columns whose first entry below the diagonal
// it is.
static void find_pattern(const cardan_model* m, cd_embedding_work* E)
{
    size_t n     = 0;
    int *  first = E->head, *next = E->list;
    for (int i = 0; i < E->nz; ++i) first[i] = -1;
    memset(E->mark, 0, (size_t)E->ncoordinate);
    for (int c = 0; c < E->ncluster; ++c)
        for (int i = E->cluster[c].z; i < E->cluster[c].z + E->cluster[c].nz; ++i) {
            mark_column(m, E, &E->cluster[c], i);
            for (int child = first[i]; child >= 0; child = next[child])
                for (size_t e = E->z_start[child] + 1; e < E->z_start[child + 1]; ++e) E->mark[E->z_row[e]] = 1;
            E->z_start[i] = n;
            for (int k = c; k >= 0; k = E->cluster[k].parent)
                for (int j = k == c ? i : E->cluster[k].z; j < E->cluster[k].z + E->cluster[k].nz; ++j) {
                    if (E->mark[j]) E->z_row[n++] = j;
                    E->mark[j] = 0;
                }
            E->z_start[i + 1] = n;
            if (n - E->z_start[i] < 2) continue;
            const int parent = E->z_row[E->z_start[i] + 1];
            next[i]          = first[parent];
            first[parent]    = i;
        }
}

void cd_embedding_partition(const cd_problem* p, cd_embedding_work* E, double tolerance)
{
    const cardan_model* m    = p->m;
    const cd_rows*      rows = p->rows;
    E->ndependent_block = E->nnull = 0;
    for (int x = 0; x < E->ncoordinate; ++x) E->dependent_block_of[x] = -1, E->head[x] = 0;
    for (int c = 0; c < E->ncluster; ++c) {
        cd_cluster* k = &E->cluster[c];
        if (k->nrow == 0) continue;
        scale_columns(m, rows, E, k);
        const int n = choose_pairs(p, E, k, tolerance);
        form_dependent_blocks(rows, E, k, n);
    }
    list_users(E);
    order_independent(E);
    find_pattern(m, E);
    E->is_partitioned = true;
    E->max_influence  = -1;
}
