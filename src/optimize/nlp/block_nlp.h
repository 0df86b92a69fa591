// SPDX-License-Identifier: BSD-3-Clause
// A nonlinear program as a chain of blocks: minimise the sum of f_b(x), subject to lower <= g_b(x) <= upper, x bounded.
//
// A kind is a function of some inputs, with exact first and second derivatives; a block is a kind at its place in the
// chain: which unknowns its inputs are combinations of, which rows are its own. All intervals have the same blocks,
// shifted, and blocks know their interval: a solver that eliminates interval by interval finds its structure here, a
// general one gets triplets from it. Where the entries of a block go is known before the first evaluation.
#pragma once

#include "optimize/nlp/block_shape.h"

typedef struct cd_nlp_block {
    const cd_block_function* function;
    const cd_block_shape*    shape;
    int                      interval;       // N: what stands at the end
    int                      first_row;      // its first
    double*                  value;          // of settings, then what variables are beside their terms
    int*                     unknown;        // (nunknown of the shape) of the program
    int                      first_jacobian; // where its entries begin, in the order of the shape: rows are its own
    int                      first_hessian;  // likewise, and how far from there each goes: others have some of them too
    const int* hessian_offset; // (entries of the shape) owned by the chain; blocks of a shape that go alike share them
} cd_nlp_block;

enum { CD_BLOCK_GROUP_MAX = 16 }; // blocks that are evaluated at once, at most

typedef struct cd_block_nlp {
    int ninput, n, m, nfunction, nblock, block_capacity, njacobian, nhessian, jacobian_capacity, hessian_capacity;
    cd_block_function** function; // owned
    int                 function_capacity;
    cd_nlp_block*       block;
    cd_block_shapes     shapes;
    int**               hessian_offset; // owned, see blocks
    int                 nhessian_offset, hessian_offset_capacity;
    int *               sorted_block,
        *first_of_function; // blocks by kinds, those of a shape one after the other: (nblock), (nkind + 1)
    double *               x_lower, *x_upper, *x_start; // (n)
    double *               g_lower, *g_upper;           // (m)
    int                    row_capacity;
    cd_sparse_entry *      jacobian, *hessian; // the triplets
    cd_multiplier_count    multipliers;
    cd_compiled_functions* compiled_code;                 // compiled functions, or NULL
    double *               input, *work, *output, *local; // scratch of one evaluation
    double                 cpu_time;                      // spent in functions and derivatives
    double entry_count; // of derivatives, term by term; beyond what can be numbered the program is too large
} cd_block_nlp;

bool cd_block_nlp_begin(cd_block_nlp* p, int ninput, int nunknown, cd_multiplier_count multipliers);
bool cd_block_nlp_add_function(cd_block_nlp* p, cd_block_function* function);
// Rows of the block get these bounds (NULL: zero).
bool cd_block_nlp_add_block(cd_block_nlp* p, const cd_block_function* function, int interval, const cd_binding* binding,
                            const double* lower, const double* upper);
bool cd_block_nlp_end(cd_block_nlp* p);                       // pattern and scratch
bool cd_block_nlp_is_too_large(const cd_block_nlp* p);        // why adding failed
bool cd_block_nlp_set_group_size(cd_block_nlp* p, int group); // scratch for so many blocks at once
void cd_block_nlp_release(cd_block_nlp* p);

// compile.c: functions as compiled code instead of tapes, where that pays or whether it does or not. Where there is no
// compiler tapes stay, which is noted. The start of the program must be set: results are compared there.
typedef enum cd_compile_mode { CD_COMPILE_AUTO, CD_COMPILE_ALWAYS, CD_COMPILE_NEVER } cd_compile_mode;

cardan_status cd_block_nlp_compile(cd_block_nlp* p, const cd_graph* graph, cd_compile_mode mode,
                                   cardan_location location, cardan_report* report);

// Rows (nrow) of one block and their slopes by its unknowns, (nrow x nunknown of its shape).
void cd_block_nlp_evaluate_block(cd_block_nlp* p, int block, const double* x, double* row, double* block_jacobian);
// Where something has no finite value or slope at x: the block, and its row, or nrow for its objective. False where all
// is finite.
bool   cd_block_nlp_find_nonfinite(cd_block_nlp* p, const double* x, int* block, int* row);
double cd_block_nlp_objective(cd_block_nlp* p, const double* x);
void   cd_block_nlp_gradient(cd_block_nlp* p, const double* x, double* gradient);
void   cd_block_nlp_constraints(cd_block_nlp* p, const double* x, double* g);
void   cd_block_nlp_jacobian(cd_block_nlp* p, const double* x, double* value);
void   cd_block_nlp_hessian(cd_block_nlp* p, const double* x, double sigma, const double* lambda, double* value);
