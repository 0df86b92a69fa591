// SPDX-License-Identifier: BSD-3-Clause
// Clusters of coordinates: the coordinates on which one constraint acts are in one cluster, together with all
// coordinates between them and their common ancestor, so that clusters form a tree along the tree of links.
#include "core/disjoint_sets.h"
#include "formulation/embedding/embedding.h"

#include <stdlib.h>

// ---- disjoint sets

static bool unite(int* set, int x, int y)
{
    const int a = cd_disjoint_set_root(set, x), b = cd_disjoint_set_root(set, y);
    if (a == b) return false;
    if (a < b)
        set[b] = a;
    else
        set[a] = b;
    return true;
}

// Return the outermost velocity on both paths to ground, or -1.
static int common_ancestor(const cardan_model* m, int x, int y)
{
    while (x != y) {
        if (x < 0 || y < 0) return -1;
        if (m->v_depth[x] >= m->v_depth[y])
            x = m->v_parent[x];
        else
            y = m->v_parent[y];
    }
    return x;
}

static void unite_constraints(const cd_rows* rows, const cd_embedding_work* E, int* set)
{
    for (int c = 0; c < rows->nblock; ++c) {
        const cd_row_block* b     = &rows->block[c];
        int                 first = b->nv > 0 ? b->v[0] : -1;
        for (int j = 1; j < b->nv; ++j) unite(set, first, b->v[j]);
        for (int i = b->row; i < b->row + b->nrow; ++i) {
            if (E->rotor_of_row[i] < 0) continue;
            if (first >= 0)
                unite(set, first, E->rotor_of_row[i]);
            else
                first = E->rotor_of_row[i];
        }
    }
}

// Add the coordinates between the members of a cluster and their common ancestor. This may unite clusters; repeat until
// nothing changes.
static void complete_clusters(const cardan_model* m, int* set, int* top)
{
    for (int v = 0; v < m->nv; ++v) top[v] = -2;
    for (int v = 0; v < m->nv; ++v) {
        int* t = &top[cd_disjoint_set_root(set, v)];
        *t     = *t == -2 ? v : common_ancestor(m, *t, v);
    }
    for (bool again = true; again;) {
        again = false;
        for (int v = 0; v < m->nv; ++v)
            for (int u = v; u != top[cd_disjoint_set_root(set, v)]; u = m->v_parent[u]) {
                const int a = top[cd_disjoint_set_root(set, v)], b = top[cd_disjoint_set_root(set, u)];
                if (!unite(set, v, u)) continue;
                top[cd_disjoint_set_root(set, v)] = common_ancestor(m, a, b);
                again                             = true;
            }
    }
}

// Number the clusters, outboard first: by the innermost member, in tree order.
static int number_clusters(const cardan_model* m, const cd_embedding_work* E, int* set, int* number)
{
    int n = 0;
    for (int x = 0; x < E->ncoordinate; ++x) number[x] = -1;
    for (int i = 0; i < E->ncoordinate; ++i) {
        const int x = i < m->nv ? m->v_order[i] : i, root = cd_disjoint_set_root(set, x);
        if (number[root] < 0) number[root] = n++;
    }
    for (int x = 0; x < E->ncoordinate; ++x) E->cluster_of[x] = n - 1 - number[cd_disjoint_set_root(set, x)];
    return n;
}

static void list_members(const cardan_model* m, cd_embedding_work* E)
{
    for (int x = 0; x < E->ncoordinate; ++x) ++E->cluster[E->cluster_of[x]].n;
    for (int c = 1; c < E->ncluster; ++c) E->cluster[c].first = E->cluster[c - 1].first + E->cluster[c - 1].n;
    for (int c = 0; c < E->ncluster; ++c) E->cluster[c].n = 0, E->cluster[c].parent = -1;
    for (int i = E->ncoordinate - 1; i >= 0; --i) {
        const int   x                = i < m->nv ? m->v_order[i] : i;
        cd_cluster* c                = &E->cluster[E->cluster_of[x]];
        E->member[c->first + c->n++] = x;
        E->nown[x]                   = 1;
        if (x >= m->nv) continue;
        int u = m->v_parent[x];
        for (; u >= 0 && E->cluster_of[u] == E->cluster_of[x]; u = m->v_parent[u]) ++E->nown[x];
        if (u >= 0) c->parent = E->cluster_of[u];
    }
}

static void list_rows(const cd_rows* rows, cd_embedding_work* E)
{
    for (int pass = 0; pass < 2; ++pass) {
        for (int c = 0; c < rows->nblock; ++c) {
            const cd_row_block* b = &rows->block[c];
            for (int i = b->row; i < b->row + b->nrow; ++i) {
                cd_cluster* to = &E->cluster[b->nv > 0                 ? E->cluster_of[b->v[0]]
                                             : E->rotor_of_row[i] >= 0 ? E->cluster_of[E->rotor_of_row[i]]
                                                                       : 0];
                E->block_of[i] = c;
                if (pass == 1) E->row_of[to->first_row + to->nrow] = i;
                ++to->nrow;
            }
        }
        for (int c = 0; pass == 0 && c < E->ncluster; ++c) {
            E->cluster[c].first_row     = c > 0 ? E->cluster[c - 1].first_row + E->cluster[c - 1].max_dependent : 0;
            E->cluster[c].max_dependent = E->cluster[c].nrow; // number of rows, until the second pass has run
            E->cluster[c].nrow          = 0;
        }
    }
}

// Compute the storage for every possible partition.
static double measure_storage(cd_embedding_work* E)
{
    double max_entries = 0;
    for (int c = 0; c < E->ncluster; ++c) {
        cd_cluster* k     = &E->cluster[c];
        double      above = k->n;
        for (int p = k->parent; p >= 0; p = E->cluster[p].parent) above += E->cluster[p].n;
        max_entries += k->n * above;
        k->max_dependent    = k->nrow < k->n ? k->nrow : k->n;
        k->lu_offset        = E->nlu;
        k->influence_offset = E->ninfluence;
        k->first_dependent  = E->ndependent;
        E->nlu += (size_t)k->max_dependent * (size_t)k->max_dependent;
        E->ninfluence += (size_t)k->max_dependent * (size_t)k->n;
        E->ndependent += k->max_dependent;
        if (k->nrow > 0 && k->n > E->max_members) E->max_members = k->n;
        if (k->nrow > E->max_rows) E->max_rows = k->nrow;
    }
    E->nz_max = max_entries < cd_max_matrix_entries ? (size_t)max_entries : 0;
    return max_entries + (double)E->nlu + (double)E->ninfluence;
}

// Count the coordinates that share a constraint with each coordinate: those with few neighbours are better dependent
// coordinates, because they couple less.
static bool count_neighbours(const cd_rows* rows, cd_embedding_work* E)
{
    const int n     = E->ncoordinate;
    int       total = 0;
    for (int c = 0; c < rows->nblock; ++c) total += rows->block[c].nv;
    int* first = cd_allocate((size_t)n + 2, sizeof(int));
    int* user  = cd_allocate((size_t)total + 1, sizeof(int));
    int* seen  = cd_allocate((size_t)n + 1, sizeof(int));
    if (first && user && seen) {
        for (int c = 0; c < rows->nblock; ++c)
            for (int j = 0; j < rows->block[c].nv; ++j) ++first[rows->block[c].v[j] + 2];
        for (int x = 0; x < n; ++x) first[x + 2] += first[x + 1];
        for (int c = 0; c < rows->nblock; ++c)
            for (int j = 0; j < rows->block[c].nv; ++j) user[first[rows->block[c].v[j] + 1]++] = c;
        for (int x = 0; x < n; ++x)
            for (int u = first[x]; u < first[x + 1]; ++u)
                for (int j = 0; j < rows->block[user[u]].nv; ++j) {
                    const int y = rows->block[user[u]].v[j];
                    E->nneighbour[x] += seen[y] != x + 1;
                    seen[y] = x + 1;
                }
    }
    const bool good = first && user && seen;
    free(first), free(user), free(seen);
    return good;
}

static bool allocate_array(cd_embedding_work* E, int i, int n, int** array)
{
    E->memory[i] = *array = cd_allocate((size_t)n + 1, sizeof(int));
    return *array;
}

static bool find_rotors(const cardan_model* m, const cd_rows* rows, cd_embedding_work* E)
{
    for (int i = 0; i < rows->nrow; ++i) E->nrotor += cd_row_compliance(rows, i) > 0;
    E->ncoordinate = m->nv + E->nrotor;
    if (!allocate_array(E, 0, rows->nrow, &E->rotor_of_row) || !allocate_array(E, 1, E->nrotor, &E->row_of_rotor))
        return false;
    for (int i = 0, n = 0; i < rows->nrow; ++i) {
        E->rotor_of_row[i] = cd_row_compliance(rows, i) > 0 ? m->nv + n : -1;
        if (E->rotor_of_row[i] >= 0) E->row_of_rotor[n++] = i;
    }
    return true;
}

double cd_embedding_analyse(const cardan_model* m, const cd_rows* rows, cd_embedding_work* E)
{
    if (!find_rotors(m, rows, E)) return -1;
    const int n    = E->ncoordinate;
    int*      set  = cd_allocate((size_t)n + 1, sizeof(int));
    int*      next = cd_allocate((size_t)n + 1, sizeof(int));
    bool      good = set && next && allocate_array(E, 2, n, &E->cluster_of) && allocate_array(E, 3, n, &E->member) &&
                allocate_array(E, 4, n, &E->nown) && allocate_array(E, 5, rows->nrow, &E->row_of) &&
                allocate_array(E, 6, rows->nrow, &E->block_of) && allocate_array(E, 7, n, &E->nneighbour);
    if (good) {
        for (int x = 0; x < n; ++x) set[x] = x;
        unite_constraints(rows, E, set);
        complete_clusters(m, set, next);
        E->ncluster  = number_clusters(m, E, set, next);
        E->memory[8] = E->cluster = cd_allocate((size_t)E->ncluster + 1, sizeof *E->cluster);
        good                      = E->cluster;
    }
    free(set), free(next);
    if (!good || !count_neighbours(rows, E)) return -1;
    list_members(m, E);
    if (E->ncluster > 0) list_rows(rows, E);
    return measure_storage(E);
}

void cd_embedding_release(cd_embedding_work* E)
{
    for (size_t i = 0; i < sizeof E->memory / sizeof *E->memory; ++i) free(E->memory[i]);
}

void cd_embedding_layout(const cardan_model* m, const cd_rows* rows, cd_arena* arena, cd_embedding_work* E)
{
    const int n = E->ncoordinate;
    cd_tree_mass_layout(m, arena, &E->M);
    CD_ARENA_ARRAY(arena, E->dependent_block_of, n);
    CD_ARENA_ARRAY(arena, E->index_in_block, n);
    CD_ARENA_ARRAY(arena, E->dependent_block, E->ndependent);
    CD_ARENA_ARRAY(arena, E->dependent, E->ndependent);
    CD_ARENA_ARRAY(arena, E->pivot_row, E->ndependent);
    CD_ARENA_ARRAY(arena, E->row_permutation, E->ndependent);
    CD_ARENA_ARRAY(arena, E->independent, E->ninfluence);
    CD_ARENA_ARRAY(arena, E->null_row, rows->nrow);
    CD_ARENA_ARRAY(arena, E->row_scale, rows->nrow);
    CD_ARENA_ARRAY(arena, E->scale, n);
    CD_ARENA_ARRAY(arena, E->z, n);
    CD_ARENA_ARRAY(arena, E->order, n);
    CD_ARENA_ARRAY(arena, E->z_start, n + 1);
    CD_ARENA_ARRAY(arena, E->z_row, E->nz_max);
    CD_ARENA_ARRAY(arena, E->lu, E->nlu);
    CD_ARENA_ARRAY(arena, E->influence, E->ninfluence);
    CD_ARENA_ARRAY(arena, E->z_value, E->nz_max);
    CD_ARENA_ARRAY(arena, E->first_user, n + 1);
    CD_ARENA_ARRAY(arena, E->user, E->ninfluence);
    CD_ARENA_ARRAY(arena, E->diagonal, n);
    CD_ARENA_ARRAY(arena, E->W, n);
    CD_ARENA_ARRAY(arena, E->x, n);
    CD_ARENA_ARRAY(arena, E->c, n);
    CD_ARENA_ARRAY(arena, E->mark, n);
    CD_ARENA_ARRAY(arena, E->list, n + rows->nrow);
    CD_ARENA_ARRAY(arena, E->scratch_flag, n + rows->nrow);
    CD_ARENA_ARRAY(arena, E->head, n);
    CD_ARENA_ARRAY(arena, E->column_position, n);
    CD_ARENA_ARRAY(arena, E->A, (size_t)E->max_rows * (size_t)E->max_members);
}
