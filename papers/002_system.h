// SPDX-License-Identifier: BSD-3-Clause
// Augmented system of paper 002, [M J'; J 0] x = b, for general solvers: full matrix, row major.
#pragma once

#include <stdbool.h>

typedef struct paper_matrix {
    int     n;
    double* K; // (n x n) both triangles
    double* b; // (n)
} paper_matrix;

// Operations of Gauss elimination without use of symmetry or zeros, counted during execution: factorization, forward
// and back substitution. x (n) receives the solution. Returns false if a pivot is zero.
typedef struct paper_gauss {
    long add[3], mul[3], div[3];
} paper_gauss;
bool paper_gauss_count(const paper_matrix* s, double* x, paper_gauss* count);

// One solve including factorization; x (n) receives the solution. LAPACK dgesv and dsysv; KLU of SuiteSparse with
// precomputed order and pivots, as in the paper with the Harwell subroutines; KLU is absent if the program was built
// without it.
typedef struct paper_solver {
    const char* name;    // of the method in the paper
    const char* by;      // implementation used here
    double      printed; // [us] Table 4
    void* (*open)(const paper_matrix* s);
    bool (*solve)(void* work, const paper_matrix* s, double* x);
    void (*close)(void* work);
} paper_solver;

int                 paper_solver_count(void);
const paper_solver* paper_solver_at(int i);
