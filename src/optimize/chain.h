// SPDX-License-Identifier: BSD-3-Clause
// A nonlinear program as a chain of blocks: minimise the sum of f_b(x), subject to lower <= g_b(x) <= upper, x bounded.
//
// A kind is a function of some inputs, with exact first and second derivatives; a block is a kind at its place in the
// chain: which unknowns its inputs are combinations of, which rows are its own. All intervals have the same blocks,
// shifted, and blocks know their interval: a solver that eliminates interval by interval finds its structure here, a
// general one gets triplets from it. Where the entries of a block go is known before the first evaluation.
#pragma once

#include "optimize/shape.h"

typedef struct cd_block {
    const cd_kind*  kind;
    const cd_shape* shape;
    int             interval; // N: what stands at the end
    int             row;      // its first
    double*         value;    // of settings, then what variables are beside their terms
    int*            unknown;  // (nunknown of the shape) of the program
    int             jacobian; // where its entries begin, in the order of the shape: rows are its own
    int             hessian;  // likewise, and how far from there each goes: others have some of them too
    const int*      step;     // (entries of the shape) owned by the chain; blocks of a shape that go alike share them
} cd_block;

enum { CD_GROUP = 16 }; // blocks that are evaluated at once, at most

typedef struct cd_chain {
    int            ninput, n, m, nkind, nblock, cblock, njacobian, nhessian, cjacobian, chessian;
    cd_kind**      kind; // owned
    int            ckind;
    cd_block*      block;
    cd_shapes      shapes;
    int**          step; // owned, see blocks
    int            nstep, cstep;
    int *          member, *first; // blocks by kinds, those of a shape one after the other: (nblock), (nkind + 1)
    double *       x_lower, *x_upper, *x_start; // (n)
    double *       g_lower, *g_upper;           // (m)
    int            cm;
    cd_entry *     jacobian, *hessian; // the triplets
    cd_multipliers multipliers;
    cd_functions*  code;                          // compiled functions, or NULL
    double *       input, *work, *output, *local; // scratch of one evaluation
    double         seconds;                       // spent in functions and derivatives
    double         entries; // of derivatives, term by term; beyond what can be numbered the program is too large
} cd_chain;

bool cd_chain_begin(cd_chain* p, int ninput, int nunknown, cd_multipliers multipliers);
bool cd_chain_own(cd_chain* p, cd_kind* kind);
// Rows of the block get these bounds (NULL: zero).
bool cd_chain_add(cd_chain* p, const cd_kind* kind, int interval, const cd_binding* binding, const double* lower,
                  const double* upper);
bool cd_chain_end(cd_chain* p);              // pattern and scratch
bool cd_chain_too_large(const cd_chain* p);  // why adding failed
bool cd_chain_group(cd_chain* p, int group); // scratch for so many blocks at once
void cd_chain_release(cd_chain* p);

// compile.c: functions as compiled code instead of tapes, where that pays or whether it does or not. Where there is no
// compiler tapes stay, which is noted. The start of the program must be set: results are compared there.
typedef enum cd_compile_wish { CD_COMPILE_AUTO, CD_COMPILE_ALWAYS, CD_COMPILE_NEVER } cd_compile_wish;

cardan_status cd_chain_compile(cd_chain* p, const cd_graph* graph, cd_compile_wish wish, cardan_place place,
                               cardan_report* report);

// Rows (nrow) of one block and their slopes by its unknowns, (nrow x nunknown of its shape).
void cd_chain_look(cd_chain* p, int block, const double* x, double* row, double* slope);
// Where something has no finite value or slope at x: the block, and its row, or nrow for its objective. False where all
// is finite.
bool   cd_chain_undefined(cd_chain* p, const double* x, int* block, int* row);
double cd_chain_objective(cd_chain* p, const double* x);
void   cd_chain_gradient(cd_chain* p, const double* x, double* gradient);
void   cd_chain_rows(cd_chain* p, const double* x, double* g);
void   cd_chain_jacobian(cd_chain* p, const double* x, double* value);
void   cd_chain_hessian(cd_chain* p, const double* x, double sigma, const double* lambda, double* value);
