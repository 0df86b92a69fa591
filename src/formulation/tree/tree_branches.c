// SPDX-License-Identifier: BSD-3-Clause
// Partition a tree into branches of similar operation counts and the velocities inboard of them. The partition depends
// on the model alone, never on the number of threads.
#include "formulation/formulation_tolerances.h"
#include "formulation/tree/tree_factor.h"

#include <stdlib.h>

// Enough branches for an even distribution over a few threads, few enough that the cost of starting one is negligible.
enum { NBRANCH_TARGET = 32 };

static double velocity_operations(const cardan_model* m, int v) { return 0.5 * m->v_depth[v] * (m->v_depth[v] - 1.0); }

// Assign a branch to every velocity, or -1: inboard of all branches. A branch begins at the first velocity, from the
// root outward, with a sufficiently small operation count outboard of it.
static int assign_branches(const cardan_model* m, double* work, int* branch)
{
    double sum = 0;
    int    n   = 0;
    for (int i = m->nv - 1; i >= 0; --i) {
        const int v = m->v_order[i];
        work[v] += velocity_operations(m, v);
        sum += velocity_operations(m, v);
        if (m->v_parent[v] >= 0) work[m->v_parent[v]] += work[v];
    }
    if (sum < cd_tree_min_work_for_threads) return 0;
    for (int i = 0; i < m->nv; ++i) {
        const int v = m->v_order[i], parent = m->v_parent[v];
        branch[v] = parent >= 0 && branch[parent] >= 0 ? branch[parent] : work[v] <= sum / NBRANCH_TARGET ? n++ : -1;
    }
    return n;
}

static bool list_branches(const cardan_model* m, cd_branches* B, const int* branch, int n)
{
    B->memory[0] = B->start = cd_allocate((size_t)n + 2, sizeof *B->start);
    B->memory[1] = B->v = cd_allocate((size_t)m->nv + 1, sizeof *B->v);
    B->memory[2] = B->parent = cd_allocate((size_t)n + 1, sizeof *B->parent);
    B->memory[3] = B->sum_offset = cd_allocate((size_t)n + 1, sizeof *B->sum_offset);
    if (!B->start || !B->v || !B->parent || !B->sum_offset) return false;
    for (int v = 0; v < m->nv; ++v) ++B->start[(branch[v] < 0 ? n : branch[v]) + 1];
    for (int b = 0; b < n; ++b) B->start[b + 1] += B->start[b];
    int* next = cd_allocate((size_t)n + 1, sizeof *next);
    if (!next) return false;
    for (int b = 0; b <= n; ++b) next[b] = B->start[b];
    for (int i = m->nv - 1; i >= 0; --i) {
        const int v = m->v_order[i], b = branch[v] < 0 ? n : branch[v];
        B->v[next[b]++] = v;
        if (b == n || (m->v_parent[v] >= 0 && branch[m->v_parent[v]] == b)) continue;
        const size_t depth = m->v_parent[v] >= 0 ? (size_t)m->v_depth[m->v_parent[v]] : 0;
        B->parent[b]       = m->v_parent[v];
        B->sum_offset[b]   = B->nsum;
        B->nsum += depth * (depth + 1) / 2;
    }
    free(next);
    B->nbranch = n;
    return true;
}

bool cd_branches_analyse(const cardan_model* m, cd_branches* B)
{
    double* work   = cd_allocate((size_t)m->nv + 1, sizeof *work);
    int*    branch = cd_allocate((size_t)m->nv + 1, sizeof *branch);
    bool    good   = work && branch;
    if (good) {
        const int n = assign_branches(m, work, branch);
        if (n > 1) good = list_branches(m, B, branch, n);
    }
    free(work), free(branch);
    return good;
}

void cd_branches_release(cd_branches* B)
{
    for (size_t i = 0; i < sizeof B->memory / sizeof *B->memory; ++i) free(B->memory[i]);
}

void cd_branches_layout(cd_branches* B, cd_arena* arena)
{
    CD_ARENA_ARRAY(arena, B->sum, B->nsum);
    CD_ARENA_ARRAY(arena, B->bad_velocity, B->nbranch);
}
