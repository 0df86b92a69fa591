// SPDX-License-Identifier: BSD-3-Clause
// The augmented system of paper 002, [M J'; J 0] x = b, as general solvers see it: full, row major.
#pragma once

#include <stdbool.h>

typedef struct paper_matrix {
    int     n;
    double* K; // (n x n) both triangles
    double* b; // (n)
} paper_matrix;

// Operations of Gauss elimination without regard to symmetry or zeros, counted while it runs: factorization, forward
// and back substitution. x (n) becomes the solution. False where a pivot is missing.
typedef struct paper_gauss {
    long add[3], mul[3], div[3];
} paper_gauss;
bool paper_gauss_count(const paper_matrix* s, double* x, paper_gauss* count);

// One solve each, factorization included; x (n) becomes the solution. LAPACK's dgesv and dsysv; KLU of SuiteSparse with
// its order and pivots found beforehand, as the paper does with the Harwell triple, or nothing where the program was
// built without it.
typedef struct paper_solver {
    const char* name;    // as the paper calls the method
    const char* by;      // what stands for it here
    double      printed; // [us] Table 4
    void* (*open)(const paper_matrix* s);
    bool (*solve)(void* work, const paper_matrix* s, double* x);
    void (*close)(void* work);
} paper_solver;

int                 paper_solver_count(void);
const paper_solver* paper_solver_at(int i);
