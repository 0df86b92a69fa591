// SPDX-License-Identifier: BSD-3-Clause
// Block tree systems in redundant coordinates. Block j has unknowns u(j) and a constraint to its parent p(j) < j; all
// equations
//
//   M(j) u(j) + G(j)'l(j) + sum over children k of H(k)'l(k) = f(j)
//   G(j) u(j) + H(j) u(p(j)) = b(j)
//
// are solved in one sweep to the root and one back, in O(n). M(j) is symmetric positive definite, G(j) has full row
// rank; matrices are row major, M with both triangles. Paper 001 (Ascher, Lin), equations 2.8 to 2.12.
#pragma once

#include "core/memory.h"

#include <stdbool.h>

enum { CD_TREE_BLOCK_MAX = 12 }; // maximum of unknowns, and of rows, of one block

typedef struct cd_tree_block {
    int     parent; // or -1: ground, which does not move; H is then not used
    int     nu, nrow;
    double *M, *G, *H;  // (nu x nu), (nrow x nu), (nrow x nu of the parent)
    double *f, *b;      // (nu), (nrow)
    double *u, *lambda; // (nu), (nrow) solution
} cd_tree_block;

typedef struct cd_block_tree {
    int            n;
    cd_tree_block* block;
    double *       L, *E, *g; // per block: factors of M and of G M^-1 G' with terms of children; right-hand side
} cd_block_tree;

void cd_block_tree_layout(cd_arena* arena, cd_block_tree* tree);
// Solve. Returns false if some M or G M^-1 G' is not positive definite.
bool cd_block_tree_solve(cd_block_tree* tree);
