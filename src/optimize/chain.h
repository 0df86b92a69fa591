// SPDX-License-Identifier: BSD-3-Clause
// A nonlinear program as a chain of blocks: minimise the sum of f_b(x), subject to lower <= g_b(x) <= upper, x bounded.
//
// A kind is a function of some inputs, with exact first and second derivatives; a block is a kind at its place in the chain: which
// unknowns its inputs are combinations of, which rows are its own. All intervals have the same blocks, shifted, and blocks know their
// interval: a solver that eliminates interval by interval finds its structure here, a general one gets triplets from it. Where the entries of
// a block go is known before the first evaluation.
#pragma once

#include "generate/functions.h"

// Entries of the derivatives of a kind: row and variable of the Jacobian, pairs of variables of the Hessian.
typedef struct cd_entry {
    int row, column;
} cd_entry;

// Functions of a kind: rows, then the objective where it has one; entries of the Jacobian, then of the gradient; entries of the Hessian of
// sigma f + lambda'g.
typedef enum cd_which { CD_VALUE, CD_SLOPE, CD_CURVE, CD_DERIVATIVES } cd_which;

typedef struct cd_function {
    int      count;
    cd_node* node;   // (count)
    long     size;   // operations, about
    cd_tape* tape;
    cd_batch batch;  // compiled, or NULL
} cd_function;

typedef struct cd_kind {
    const char* name;
    int         index;     // in the chain
    int         group;     // blocks that are evaluated at once: 1 on tapes
    int         nvariable, nsetting, nrow, njacobian, ngradient, nhessian;
    int*        variable;  // (nvariable) inputs of the graph that are unknowns; ascending
    int*        setting;   // (nsetting) other inputs that it reads
    cd_entry*   jacobian;  // rows, columns: places in `variable`
    int*        gradient;  // (ngradient) places in `variable`, of the objective
    cd_entry*   hessian;   // lower triangle over `variable`
    cd_function function[CD_DERIVATIVES];
} cd_kind;

// Inputs beside those of the stage: multipliers of the rows and of the objective, which curves take.
typedef struct cd_multipliers {
    int sigma, lambda;  // first; as many as the kind with most rows has
} cd_multipliers;

// Accelerations z as inputs of functions, with what they are and the inverse dynamics that defines them: F(y, z) = 0.
typedef struct cd_implicit {
    int            n, z, w;      // how many; first inputs, and inputs that nothing else uses
    const cd_node *value, *F;    // (n)
    const cd_node* M;            // (n x n) dF/dz, symmetric, without z
} cd_implicit;

// `row` (nrow) and `objective` (or CD_NO_NODE) are nodes; inputs flagged in `unknown` (ninput) are differentiated.
cd_kind* cd_kind_create(cd_graph* graph, const char* name, int nrow, const cd_node* row, cd_node objective, int ninput, const bool* unknown,
                        cd_multipliers multipliers, const cd_implicit* implicit);  // the last may be NULL; NULL without memory
void     cd_kind_destroy(cd_kind* kind);

// An input is value + sum of coefficient * x[unknown].
typedef struct cd_term {
    int    unknown;
    double coefficient;
} cd_term;

// What inputs are at one place of the chain, while blocks are added.
typedef struct cd_binding {
    int      ninput;
    double*  value;          // (ninput)
    int *    first, *count;  // (ninput) of their terms
    cd_term* term;
    int      nterm, cterm;
    bool     failed;
} cd_binding;

bool cd_binding_create(cd_binding* binding, int ninput);
void cd_binding_release(cd_binding* binding);
void cd_bind_value(cd_binding* binding, int input, double value);                      // forgets its terms
void cd_bind_unknown(cd_binding* binding, int input, int unknown, double coefficient); // the same, then one term
void cd_bind_none(cd_binding* binding, int input);                                     // zero, then no term yet
void cd_bind_more(cd_binding* binding, int input, int unknown, double coefficient);    // adds a term to those bound last

typedef struct cd_block {
    const cd_kind* kind;
    int            interval;  // N: what stands at the end
    int            row;       // its first
    double*        value;     // of settings, then what variables are beside their terms
    int*           first;     // (nvariable + 1) into `term`
    cd_term*       term;
    int *          jacobian, *hessian;  // where entries go, term by term
} cd_block;

typedef struct cd_chain {
    int         ninput, n, m, nkind, nblock, cblock, njacobian, nhessian, cjacobian, chessian;
    cd_kind**   kind;  // owned
    int         ckind;
    cd_block*   block;
    int *       member, *first;                 // blocks by kinds: (nblock), (nkind + 1)
    double *    x_lower, *x_upper, *x_start;  // (n)
    double *    g_lower, *g_upper;            // (m)
    int         cm;
    cd_entry *  jacobian, *hessian;  // the triplets
    cd_multipliers multipliers;
    cd_functions* code;                 // compiled functions, or NULL
    double *    input, *work, *output;  // scratch of one evaluation
    double      seconds;                // spent in functions and derivatives
    long        evaluations;
    double      entries;                // of derivatives, term by term; beyond what can be numbered the program is too large
} cd_chain;

bool cd_chain_begin(cd_chain* p, int ninput, int nunknown, cd_multipliers multipliers);
bool cd_chain_own(cd_chain* p, cd_kind* kind);
// Rows of the block get these bounds (NULL: zero).
bool cd_chain_add(cd_chain* p, const cd_kind* kind, int interval, const cd_binding* binding, const double* lower, const double* upper);
bool cd_chain_end(cd_chain* p);  // pattern and scratch
bool cd_chain_too_large(const cd_chain* p);  // why adding failed
bool cd_chain_group(cd_chain* p, int group);  // scratch for so many blocks at once
void cd_chain_release(cd_chain* p);

// compile.c: functions as compiled code instead of tapes, where that pays or whether it does or not. Where there is no compiler tapes stay, which is noted. The
// start of the program must be set: results are compared there.
typedef enum cd_compile_wish { CD_COMPILE_AUTO, CD_COMPILE_ALWAYS, CD_COMPILE_NEVER } cd_compile_wish;

cardan_status cd_chain_compile(cd_chain* p, const cd_graph* graph, cd_compile_wish wish, cardan_place place, cardan_report* report);

// Where something has no finite value or slope at x: the block, and its row, or nrow for its objective. False where all is finite.
bool   cd_chain_undefined(cd_chain* p, const double* x, int* block, int* row);
double cd_chain_objective(cd_chain* p, const double* x);
void   cd_chain_gradient(cd_chain* p, const double* x, double* gradient);
void   cd_chain_rows(cd_chain* p, const double* x, double* g);
void   cd_chain_jacobian(cd_chain* p, const double* x, double* value);
void   cd_chain_hessian(cd_chain* p, const double* x, double sigma, const double* lambda, double* value);
