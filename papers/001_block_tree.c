// SPDX-License-Identifier: BSD-3-Clause
// Inward sweep, from the last block to the first; M and f of a block include the terms of its children:
//
//   E = G M^-1 G',   e = G M^-1 f - b,     M(parent) += H'E^-1 H,   f(parent) -= H'E^-1 e
//
// Outward sweep:   l = E^-1 (e + H u(parent)),   u = M^-1 (f - G'l)
#include "001_block_tree.h"
#include "math/math_tolerances.h"

#include "math/dense_cholesky.h"

#include <string.h>

enum { BLOCK_MAX = CD_TREE_BLOCK_MAX };

void cd_block_tree_layout(cd_arena* arena, cd_block_tree* tree)
{
    CD_ARENA_ARRAY(arena, tree->L, tree->n * BLOCK_MAX * BLOCK_MAX);
    CD_ARENA_ARRAY(arena, tree->E, tree->n * BLOCK_MAX * BLOCK_MAX);
    CD_ARENA_ARRAY(arena, tree->g, tree->n * BLOCK_MAX);
}

// Factor one block and compute e.
static bool factor(const cd_tree_block* t, double* L, double* E, const double* g, double* e)
{
    double Y[BLOCK_MAX][BLOCK_MAX]; // M^-1 G', by columns
    if (dense_cholesky(t->nu, L, cd_block_tree_null_pivot, NULL) < t->nu) return false;
    for (int i = 0; i < t->nrow; ++i) {
        memcpy(Y[i], t->G + i * t->nu, (size_t)t->nu * sizeof(double));
        dense_cholesky_solve(t->nu, L, Y[i]);
    }
    for (int i = 0; i < t->nrow; ++i) {
        e[i] = -t->b[i];
        for (int k = 0; k < t->nu; ++k) e[i] += Y[i][k] * g[k];
        for (int j = 0; j <= i; ++j) {
            double sum = 0;
            for (int k = 0; k < t->nu; ++k) sum += t->G[i * t->nu + k] * Y[j][k];
            E[i * t->nrow + j] = sum;
        }
    }
    return dense_cholesky(t->nrow, E, cd_block_tree_null_pivot, NULL) == t->nrow;
}

// Add the terms of a block to its parent.
static void pass_inward(const cd_tree_block* t, const double* E, const double* e, int nu, double* L, double* g)
{
    double Y[BLOCK_MAX][BLOCK_MAX], y[BLOCK_MAX]; // E^-1 H by columns; E^-1 e
    memcpy(y, e, (size_t)t->nrow * sizeof(double));
    dense_cholesky_solve(t->nrow, E, y);
    for (int j = 0; j < nu; ++j) {
        for (int i = 0; i < t->nrow; ++i) Y[j][i] = t->H[i * nu + j];
        dense_cholesky_solve(t->nrow, E, Y[j]);
    }
    for (int i = 0; i < nu; ++i)
        for (int k = 0; k < t->nrow; ++k) {
            const double H = t->H[k * nu + i];
            g[i] -= H * y[k];
            for (int j = 0; j < nu; ++j) L[i * nu + j] += H * Y[j][k];
        }
}

static void pass_outward(cd_tree_block* t, const double* L, const double* E, const double* g, const double* e,
                         const cd_tree_block* parent)
{
    for (int i = 0; i < t->nrow; ++i) {
        t->lambda[i] = e[i];
        for (int k = 0; parent && k < parent->nu; ++k) t->lambda[i] += t->H[i * parent->nu + k] * parent->u[k];
    }
    dense_cholesky_solve(t->nrow, E, t->lambda);
    for (int k = 0; k < t->nu; ++k) {
        t->u[k] = g[k];
        for (int i = 0; i < t->nrow; ++i) t->u[k] -= t->G[i * t->nu + k] * t->lambda[i];
    }
    dense_cholesky_solve(t->nu, L, t->u);
}

bool cd_block_tree_solve(cd_block_tree* tree)
{
    for (int j = 0; j < tree->n; ++j) {
        const cd_tree_block* t = &tree->block[j];
        memcpy(tree->L + j * BLOCK_MAX * BLOCK_MAX, t->M, (size_t)(t->nu * t->nu) * sizeof(double));
        memcpy(tree->g + j * BLOCK_MAX, t->f, (size_t)t->nu * sizeof(double));
    }
    for (int j = tree->n - 1; j >= 0; --j) {
        cd_tree_block* t = &tree->block[j];
        if (!factor(t, tree->L + j * BLOCK_MAX * BLOCK_MAX, tree->E + j * BLOCK_MAX * BLOCK_MAX,
                    tree->g + j * BLOCK_MAX, t->lambda))
            return false;
        if (t->parent < 0) continue;
        pass_inward(t, tree->E + j * BLOCK_MAX * BLOCK_MAX, t->lambda, tree->block[t->parent].nu,
                    tree->L + t->parent * BLOCK_MAX * BLOCK_MAX, tree->g + t->parent * BLOCK_MAX);
    }
    for (int j = 0; j < tree->n; ++j) {
        cd_tree_block* t = &tree->block[j];
        double         e[BLOCK_MAX];
        memcpy(e, t->lambda, (size_t)t->nrow * sizeof(double));
        pass_outward(t, tree->L + j * BLOCK_MAX * BLOCK_MAX, tree->E + j * BLOCK_MAX * BLOCK_MAX,
                     tree->g + j * BLOCK_MAX, e, t->parent < 0 ? NULL : &tree->block[t->parent]);
    }
    return true;
}
