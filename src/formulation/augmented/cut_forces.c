// SPDX-License-Identifier: BSD-3-Clause
#include "formulation/augmented/cut_forces.h"

#include <stdlib.h>

static int compare_int_descending(const void* a, const void* b) { return *(const int*)b - *(const int*)a; }

// Find all velocities on the paths to ground from those that a cut acts on, outboard first; returns their number.
// `order_index` (nv): position of a velocity in v_order. `is_visited` (nv) is false before and after.
static int find_path(const cardan_model* m, const cd_row_block* b, const int* order_index, bool* is_visited, int* path)
{
    int n = 0;
    for (int j = 0; j < b->nv; ++j)
        for (int v = b->v[j]; v >= 0 && !is_visited[v]; v = m->v_parent[v]) {
            is_visited[v] = true;
            path[n++]     = order_index[v];
        }
    qsort(path, (size_t)n, sizeof *path, compare_int_descending);
    for (int j = 0; j < n; ++j) {
        path[j]             = m->v_order[path[j]];
        is_visited[path[j]] = false;
    }
    return n;
}

// Find the columns of the cut's own rows along its paths. `at` (nv) is scratch.
static void find_columns(const cd_row_block* b, int n, const int* path, int* column, int* at)
{
    for (int j = 0; j < n; ++j) at[path[j]] = CARDAN_NONE;
    for (int j = 0; j < b->nv; ++j) at[b->v[j]] = j;
    for (int j = 0; j < n; ++j) column[j] = at[path[j]];
}

static bool find_paths(const cardan_model* m, const cd_rows* rows, cd_cuts* w)
{
    int*  order_index = cd_allocate((size_t)m->nv, sizeof(int));
    int*  path        = cd_allocate((size_t)m->nv, sizeof(int));
    int*  at          = cd_allocate((size_t)m->nv, sizeof(int));
    bool* is_visited  = cd_allocate((size_t)m->nv, sizeof(bool));
    w->ncut           = rows->nblock;
    w->path_start     = cd_allocate((size_t)w->ncut + 1, sizeof(int));
    bool good         = order_index && path && at && is_visited && w->path_start;
    for (int i = 0; good && i < m->nv; ++i) order_index[m->v_order[i]] = i;
    for (int c = 0; good && c < w->ncut; ++c)
        w->path_start[c + 1] = w->path_start[c] + find_path(m, &rows->block[c], order_index, is_visited, path);
    const size_t n   = good ? (size_t)w->path_start[w->ncut] : 0;
    w->path_velocity = cd_allocate(n, sizeof(int));
    w->path_column   = cd_allocate(n, sizeof(int));
    good             = good && w->path_velocity && w->path_column;
    for (int c = 0; good && c < w->ncut; ++c) {
        int* to = w->path_velocity + w->path_start[c];
        find_columns(&rows->block[c], find_path(m, &rows->block[c], order_index, is_visited, to), to,
                     w->path_column + w->path_start[c], at);
    }
    free(order_index), free(path), free(at), free(is_visited);
    return good;
}

// List the same entries by velocity.
static bool list_entries_by_velocity(const cardan_model* m, cd_cuts* w)
{
    const int n       = w->path_start[w->ncut];
    int*      next    = cd_allocate((size_t)m->nv, sizeof(int));
    w->velocity_start = cd_allocate((size_t)m->nv + 1, sizeof(int));
    w->velocity_entry = cd_allocate((size_t)n, sizeof(int));
    w->entry_cut      = cd_allocate((size_t)n, sizeof(int));
    const bool good   = next && w->velocity_start && w->velocity_entry && w->entry_cut;
    for (int e = 0; good && e < n; ++e) ++w->velocity_start[w->path_velocity[e] + 1];
    for (int v = 0; good && v < m->nv; ++v) w->velocity_start[v + 1] += next[v] = w->velocity_start[v];
    for (int c = 0; good && c < w->ncut; ++c)
        for (int e = w->path_start[c]; e < w->path_start[c + 1]; ++e) {
            w->entry_cut[e]                                = c;
            w->velocity_entry[next[w->path_velocity[e]]++] = e;
        }
    free(next);
    return good;
}

// Lay out N: its rows begin at the first cut that shares a velocity.
static bool layout_N(const cd_rows* rows, cd_cuts* w)
{
    w->N        = (cd_skyline){.n            = rows->nrow,
                               .first_column = cd_allocate((size_t)rows->nrow, sizeof(int)),
                               .row_offset   = cd_allocate((size_t)rows->nrow, sizeof(size_t))};
    w->T_offset = cd_allocate((size_t)w->path_start[w->ncut], sizeof(size_t));
    if (!w->N.first_column || !w->N.row_offset || !w->T_offset) return false;
    for (int c = 0; c < w->ncut; ++c) {
        const cd_row_block* b     = &rows->block[c];
        int                 first = b->row;
        for (int e = w->path_start[c]; e < w->path_start[c + 1]; ++e) {
            const int other = rows->block[w->entry_cut[w->velocity_entry[w->velocity_start[w->path_velocity[e]]]]].row;
            if (other < first) first = other;
            w->T_offset[e] = w->nT;
            w->nT += (size_t)b->nrow;
        }
        for (int i = 0; i < b->nrow; ++i) w->N.first_column[b->row + i] = first;
    }
    cd_skyline_set_offsets(&w->N);
    return true;
}

bool cd_cuts_analyse(const cardan_model* m, const cd_rows* rows, cd_cuts* w)
{
    return find_paths(m, rows, w) && list_entries_by_velocity(m, w) && layout_N(rows, w);
}

void cd_cuts_release(cd_cuts* w)
{
    void* const all[] = {w->path_start, w->path_velocity,  w->path_column,  w->velocity_start, w->velocity_entry,
                         w->entry_cut,  w->N.first_column, w->N.row_offset, w->T_offset};
    for (size_t i = 0; i < sizeof all / sizeof *all; ++i) free(all[i]);
}

void cd_cuts_layout(cd_cuts* w, cd_arena* arena)
{
    cd_skyline_layout(&w->N, arena);
    CD_ARENA_ARRAY(arena, w->T, w->nT);
}

// N += t D^-1 t' of one velocity, for every pair of cuts whose paths contain it.
static void add_velocity(const cd_rows* rows, cd_cuts* w, int v, real one_over_D)
{
    for (int a = w->velocity_start[v]; a < w->velocity_start[v + 1]; ++a) {
        const cd_row_block* A  = &rows->block[w->entry_cut[w->velocity_entry[a]]];
        const real*         TA = w->T + w->T_offset[w->velocity_entry[a]];
        for (int i = 0; i < A->nrow; ++i) {
            const real f = r_mul_inv(TA[i], one_over_D);
            for (int b = w->velocity_start[v]; b <= a; ++b) {
                const cd_row_block* B   = &rows->block[w->entry_cut[w->velocity_entry[b]]];
                const real*         TB  = w->T + w->T_offset[w->velocity_entry[b]];
                real*               row = cd_skyline_at(&w->N, A->row + i, B->row);
                const int           end = b < a ? B->nrow : i + 1;
                for (int j = 0; j < end; ++j) row[j] = r_add(row[j], r_mul(f, TB[j]));
            }
        }
    }
}

void cd_cuts_assemble(const cd_rows* rows, cd_cuts* w, int nv, const real* one_over_D)
{
    cd_skyline_clear(&w->N);
    for (int v = 0; v < nv; ++v) add_velocity(rows, w, v, one_over_D[v]);
    for (int i = 0; rows->compliance && i < rows->nrow; ++i) {
        real* entry = cd_skyline_at(&w->N, i, i);
        *entry      = r_add(*entry, r_const(rows->compliance[i]));
    }
}

int cd_cuts_factor(const cd_problem* p, cd_skyline* N, double tolerance)
{
    const cd_rows* rows = p->rows;
    cd_skyline_factor_begin(N);
    for (int c = 0; c < rows->nblock; ++c) {
        const int bad =
            cd_skyline_factor_group(N, rows->block[c].row, rows->block[c].nrow, cd_pivot_test_of(p->policy, tolerance));
        if (bad >= 0) return bad;
    }
    return -1;
}

cd_pivot_conditioning cd_skyline_conditioning(const cd_skyline* N)
{
    return (cd_pivot_conditioning){
        .min_pivot_rel = N->min_pivot_rel, .min_pivot_row = N->min_pivot_row, .nnull = N->nnull};
}

double cd_cuts_form_rhs(const cd_rows* rows, const cd_cuts* w, const real* z, const real* gamma, real* lambda)
{
    double free_acceleration = 0;
    for (int c = 0; c < rows->nblock; ++c) {
        const cd_row_block* b = &rows->block[c];
        for (int i = 0; i < b->nrow; ++i) lambda[b->row + i] = r_neg(gamma[b->row + i]);
        for (int e = w->path_start[c]; e < w->path_start[c + 1]; ++e)
            for (int i = 0; i < b->nrow; ++i) {
                const real term    = r_mul(w->T[w->T_offset[e] + (size_t)i], z[w->path_velocity[e]]);
                lambda[b->row + i] = r_add(lambda[b->row + i], term);
                free_acceleration  = fmax(free_acceleration, fabs(r_value(term)));
            }
    }
    return free_acceleration;
}

void cd_cuts_apply_forces(const cd_rows* rows, const cd_cuts* w, const real* lambda, real* u)
{
    for (int c = 0; c < rows->nblock; ++c) {
        const cd_row_block* b = &rows->block[c];
        for (int e = w->path_start[c]; e < w->path_start[c + 1]; ++e)
            for (int i = 0; i < b->nrow; ++i)
                u[w->path_velocity[e]] =
                    r_sub(u[w->path_velocity[e]], r_mul(w->T[w->T_offset[e] + (size_t)i], lambda[b->row + i]));
    }
}
