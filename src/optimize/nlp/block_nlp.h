// SPDX-License-Identifier: BSD-3-Clause
// Nonlinear program of blocks: minimize the sum of f_b(x), subject to lower <= g_b(x) <= upper, x bounded.
//
// A block function has exact first and second derivatives by its inputs; a block is a block function at a point of the
// transcription: its inputs are linear combinations of unknowns, and it has its own rows. All intervals have the same
// blocks, shifted, and every block stores its interval: a solver that eliminates interval by interval can use this
// structure, a general solver gets triplets. The positions of all entries are determined before the first evaluation.
#pragma once

#include "optimize/nlp/block_shape.h"

typedef struct cd_nlp_block {
    const cd_block_function* function;
    const cd_block_shape*    shape;
    int                      interval;       // N: block at the end
    int                      first_row;      // first of its rows
    double*                  value;          // values of the parameters, then constant parts of the variables
    int*                     unknown;        // (nunknown of the shape) unknowns of the NLP
    int                      first_jacobian; // first entry, in the order of the shape
    int                      first_hessian;  // first entry; entries are shared between blocks, hence the offsets
    const int* hessian_offset; // (entries of the shape) owned by the NLP; blocks of a shape share it if they are equal
} cd_nlp_block;

enum { CD_BLOCK_GROUP_MAX = 16 }; // largest number of blocks evaluated at once

typedef struct cd_block_nlp {
    int ninput, n, m, nfunction, nblock, block_capacity, njacobian, nhessian, jacobian_capacity, hessian_capacity;
    cd_block_function** function; // owned
    int                 function_capacity;
    cd_nlp_block*       block;
    cd_block_shapes     shapes;
    int**               hessian_offset; // owned, see cd_nlp_block
    int                 nhessian_offset, hessian_offset_capacity;
    int *               sorted_block,
        *first_of_function; // blocks by function, those of a shape consecutive: (nblock), (nfunction + 1)
    double *               x_lower, *x_upper, *x_start; // (n)
    double *               g_lower, *g_upper;           // (m)
    int                    row_capacity;
    cd_sparse_entry *      jacobian, *hessian; // triplet pattern
    cd_multiplier_count    multipliers;
    cd_compiled_functions* compiled_code;                 // compiled functions, or NULL
    double *               input, *work, *output, *local; // scratch of one evaluation
    double                 cpu_time;                      // [s] in functions and derivatives
    double entry_count; // number of terms of all derivatives; if it exceeds the index range, the NLP is too large
} cd_block_nlp;

bool cd_block_nlp_begin(cd_block_nlp* p, int ninput, int nunknown, cd_multiplier_count multipliers);
bool cd_block_nlp_add_function(cd_block_nlp* p, cd_block_function* function);
// Add a block; its rows get these bounds (NULL: zero).
bool cd_block_nlp_add_block(cd_block_nlp* p, const cd_block_function* function, int interval, const cd_binding* binding,
                            const double* lower, const double* upper);
bool cd_block_nlp_end(cd_block_nlp* p);                       // create pattern and scratch
bool cd_block_nlp_is_too_large(const cd_block_nlp* p);        // reason why adding failed
bool cd_block_nlp_set_group_size(cd_block_nlp* p, int group); // allocate scratch for a group of blocks
void cd_block_nlp_release(cd_block_nlp* p);

// nlp_compile.c: replace tapes by compiled code, if that saves time or always. Without a compiler the tapes remain,
// with a note. x_start must be set: results are compared near it.
typedef enum cd_compile_mode { CD_COMPILE_AUTO, CD_COMPILE_ALWAYS, CD_COMPILE_NEVER } cd_compile_mode;

cardan_status cd_block_nlp_compile(cd_block_nlp* p, const cd_graph* graph, cd_compile_mode mode,
                                   cardan_location location, cardan_report* report);

// Evaluate the rows (nrow) of one block and their Jacobian by its unknowns, (nrow x nunknown of its shape).
void cd_block_nlp_evaluate_block(cd_block_nlp* p, int block, const double* x, double* row, double* block_jacobian);
// Find a value or derivative at x that is not finite: its block, and its row, nrow for the objective. Returns
// false if all are finite.
bool   cd_block_nlp_find_nonfinite(cd_block_nlp* p, const double* x, int* block, int* row);
double cd_block_nlp_objective(cd_block_nlp* p, const double* x);
void   cd_block_nlp_gradient(cd_block_nlp* p, const double* x, double* gradient);
void   cd_block_nlp_constraints(cd_block_nlp* p, const double* x, double* g);
void   cd_block_nlp_jacobian(cd_block_nlp* p, const double* x, double* value);
void   cd_block_nlp_hessian(cd_block_nlp* p, const double* x, double sigma, const double* lambda, double* value);
