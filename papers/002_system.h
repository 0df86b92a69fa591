// SPDX-License-Identifier: BSD-3-Clause
// The augmented system of paper 002, [M J'; J 0] x = b, for general solvers: full matrix, row-major.
#pragma once

#include <stdbool.h>

typedef struct paper_matrix {
    int     n;
    double* K; // (n x n) both triangles
    double* b; // (n)
} paper_matrix;

// Count the executed operations of Gauss elimination, which uses neither symmetry nor zeros: factorization, forward and
// back substitution. x (n) becomes the solution. Returns false if a pivot is zero.
typedef struct paper_gauss {
    long add[3], mul[3], div[3];
} paper_gauss;
bool paper_gauss_count(const paper_matrix* s, double* x, paper_gauss* count);

// One solve including the factorization; x (n) becomes the solution. LAPACK's dgesv and dsysv; KLU of SuiteSparse with
// order and pivots determined in advance, as in the paper with the Harwell routine, if the program is built with it.
typedef struct paper_solver {
    const char* name;    // name of the method in the paper
    const char* by;      // routine that is used here
    double      printed; // [us] Table 4
    void* (*open)(const paper_matrix* s);
    bool (*solve)(void* work, const paper_matrix* s, double* x);
    void (*close)(void* work);
} paper_solver;

int                 paper_solver_count(void);
const paper_solver* paper_solver_at(int i);
