// SPDX-License-Identifier: BSD-3-Clause
// Trees of blocks in redundant coordinates. Block j has its own unknowns u(j) and a constraint to its father f(j) < j,
// and all
//
//   M(j) u(j) + G(j)'l(j) + sum over sons k of H(k)'l(k) = f(j)
//   G(j) u(j) + H(j) u(f(j)) = b(j)
//
// are solved in one sweep to the root and one back, at a cost per block that does not depend on their number. M(j) is
// symmetric positive definite, G(j) has full row rank; matrices are row major, M whole. Paper 001 (Ascher, Lin),
// equations 2.8 to 2.12.
#pragma once

#include "core/memory.h"

#include <stdbool.h>

enum { CD_TREE_BLOCK_MAX = 12 }; // unknowns, and rows, of one block

typedef struct cd_tree_block {
    int     parent; // or -1: ground, which does not move; H is not looked at
    int     nu, nrow;
    double *M, *G, *H;  // (nu x nu), (nrow x nu), (nrow x nu of the father)
    double *f, *b;      // (nu), (nrow)
    double *u, *lambda; // (nu), (nrow) the answer
} cd_tree_block;

typedef struct cd_block_tree {
    int            n;
    cd_tree_block* block;
    double *       L, *E, *g; // per block: factors of M and of G M^-1 G' with what the sons added; right side
} cd_block_tree;

void cd_block_tree_layout(cd_arena* arena, cd_block_tree* tree);
// False where some M or G M^-1 G' is not positive definite.
bool cd_block_tree_solve(cd_block_tree* tree);
