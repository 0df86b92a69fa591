// SPDX-License-Identifier: BSD-3-Clause
// Expression graph: hash-consed, simplified while it is built, with exact derivatives of any order. Contains formulas
// of users, their derivatives, and the traces of whole recursions.
//
// A node is an index; equal expressions are the same node; operands have smaller indices than the node, so that a loop
// over indices is a topological order and no function recurses.
#pragma once

#include <cardan/status.h>
#include <stddef.h>

typedef struct cd_graph cd_graph;
typedef int             cd_node;

enum { CD_NO_NODE = -1 };

// Operations: name, number of operands, text used by printers. New operations are added here only.
#define CD_OPERATION_LIST(X)                                                                                           \
    X(CONSTANT, 0, "")                                                                                                 \
    X(INPUT, 0, "")                                                                                                    \
    X(ADD, 2, "+")                                                                                                     \
    X(SUB, 2, "-")                                                                                                     \
    X(MUL, 2, "*")                                                                                                     \
    X(DIV, 2, "/")                                                                                                     \
    X(NEG, 1, "-")                                                                                                     \
    X(POW, 2, "pow")                                                                                                   \
    X(SQRT, 1, "sqrt")                                                                                                 \
    X(SIN, 1, "sin")                                                                                                   \
    X(COS, 1, "cos")                                                                                                   \
    X(TAN, 1, "tan")                                                                                                   \
    X(ASIN, 1, "asin")                                                                                                 \
    X(ACOS, 1, "acos")                                                                                                 \
    X(ATAN, 1, "atan")                                                                                                 \
    X(ATAN2, 2, "atan2")                                                                                               \
    X(SINH, 1, "sinh")                                                                                                 \
    X(COSH, 1, "cosh")                                                                                                 \
    X(TANH, 1, "tanh")                                                                                                 \
    X(EXP, 1, "exp")                                                                                                   \
    X(LOG, 1, "log")                                                                                                   \
    X(ABS, 1, "abs")                                                                                                   \
    X(SIGN, 1, "sign")                                                                                                 \
    X(FLOOR, 1, "floor")                                                                                               \
    X(CEIL, 1, "ceil")                                                                                                 \
    X(MIN, 2, "min")                                                                                                   \
    X(MAX, 2, "max")                                                                                                   \
    X(MOD, 2, "mod")                                                                                                   \
    X(LESS, 2, "<")                                                                                                    \
    X(LESS_EQUAL, 2, "<=")                                                                                             \
    X(EQUAL, 2, "==")                                                                                                  \
    X(AND, 2, "&&")                                                                                                    \
    X(OR, 2, "||")                                                                                                     \
    X(NOT, 1, "!")                                                                                                     \
    X(IF, 3, "if")                                                                                                     \
    X(TABLE, 1, "table")                                                                                               \
    X(COPY, 1, "copy")

typedef enum cd_operation {
#define CD_OPERATION_ENUM(name, operands, text) CD_##name,
    CD_OPERATION_LIST(CD_OPERATION_ENUM)
#undef CD_OPERATION_ENUM
} cd_operation;

cd_graph* cd_graph_create(void);
void      cd_graph_destroy(cd_graph* graph);
// A graph for traces, to be counted and printed as code: a - b and b - a share a node, with the sign applied outside,
// where it costs nothing.
cd_graph* cd_graph_create_traced(void);
int       cd_graph_size(const cd_graph* graph); // number of nodes
// Limit the number of nodes: further ones are CD_NO_NODE, as when memory is exhausted, and the graph is full.
void cd_graph_set_limit(cd_graph* graph, int max_nodes);
bool cd_graph_is_full(const cd_graph* graph);
// Whether a node, vector group, pair or table was not created for lack of memory since the graph was created.
bool cd_graph_has_failed(const cd_graph* graph);

// Logic: every value except 0 is true; comparisons and logic give 1 or 0. MOD has the sign of its second operand.
// Building: each function returns an existing node if there is one, and CD_NO_NODE only if memory is exhausted or if
// the graph is full (and for an operand CD_NO_NODE, so that errors propagate).
cd_node cd_constant(cd_graph* graph, double value);
cd_node cd_input(cd_graph* graph, int index);
cd_node cd_unary(cd_graph* graph, cd_operation operation, cd_node a);
cd_node cd_binary(cd_graph* graph, cd_operation operation, cd_node a, cd_node b);
cd_node cd_if(cd_graph* graph, cd_node condition, cd_node a, cd_node b);

typedef enum cd_interpolation { CD_TABLE_LINEAR, CD_TABLE_CUBIC, CD_TABLE_SPLINE } cd_interpolation;

// Tables belong to the graph: y over x, linear, cubic (monotone piecewise cubic, C1) or spline (C2), extrapolated
// linearly with the derivatives at the ends. Copies x and y. Returns the index of the table, -1 if memory is exhausted.
// cd_table_lookup with derivative 1, 2 gives first and second derivatives.
int cd_graph_add_table(cd_graph* graph, int count, const double* x, const double* y, cd_interpolation kind);
// Value of a table at x: derivative 0, 1, 2, ..., or -1 for the integral from its first point.
double  cd_graph_table_value(const cd_graph* graph, int table, int derivative, double x);
cd_node cd_table_lookup(cd_graph* graph, int table, cd_node a, int derivative);

// Vector groups: nodes that are computed alike from adjacent numbers, so that printed code may compute them in one
// loop. A copy node equals its operand; no simplification crosses it, and no two copy nodes are the same node. If
// vector groups are disabled, it is the operand itself.
enum { CD_VECTOR_GROUP_MAX = 128 };
void    cd_graph_enable_vector_groups(cd_graph* graph);
bool    cd_graph_has_vector_groups(const cd_graph* graph);
cd_node cd_copy_node(cd_graph* graph, cd_node a);
bool    cd_graph_add_vector_group(cd_graph* graph, int count, const cd_node* node); // false if memory is exhausted
// Add the first group of a strip, or one that follows the group before it in memory: a strip may be read as one group.
// Loops over groups of strips may be extended to a multiple of four elements.
bool cd_graph_add_strip_group(cd_graph* graph, bool first, int count, const cd_node* node);

// Pairs: nodes of two branches that are computed alike from different numbers, as in left and right limbs, so that
// printed code may compute both in one loop. Their constants are branch constants: `tag` distinguishes them from others
// of the same value, and no simplification uses that value.
void    cd_graph_enable_pairs(cd_graph* graph);
bool    cd_graph_has_pairs(const cd_graph* graph);
cd_node cd_branch_constant(cd_graph* graph, double value, int tag);
// Returns false if memory is exhausted.
bool cd_graph_add_pairs(cd_graph* graph, int count, const cd_node* one, const cd_node* other);

// Mark that nodes from here on are created in a good evaluation order, as recursions do.
void    cd_graph_mark_evaluation_order(cd_graph* graph);
cd_node cd_graph_evaluation_order_start(const cd_graph* graph); // 0: none

// Read access.
cd_operation cd_node_operation(const cd_graph* graph, cd_node node);
cd_node      cd_node_operand(const cd_graph* graph, cd_node node, int i);
double       cd_node_value(const cd_graph* graph, cd_node node); // of a constant
int          cd_node_index(const cd_graph* graph, cd_node node); // of an input, or the table of a lookup
bool         cd_node_is_constant(const cd_graph* graph, cd_node node, double* value);
int          cd_operation_operands(cd_operation operation);
const char*  cd_operation_text(cd_operation operation);

// d node / d input, exact; apply twice for second derivatives. Forward mode; shared subterms are differentiated once.
cd_node cd_derivative(cd_graph* graph, cd_node node, int input);
// d node / d each of `count` inputs by one reverse sweep; gradient[i] is a node (constant zero if independent).
cardan_status cd_gradient(cd_graph* graph, cd_node node, int count, const int* input, cd_node* gradient);
// One component of a direction: rate of one input, as a node.
typedef struct cd_seed {
    int     input;
    cd_node rate;
} cd_seed;

// Directional derivatives of many nodes along many directions, forward mode, with the subgraph collected once:
// direction d has the seeds first[d] .. first[d+1]-1, and rate[d * nnode + i] is that of node i (constant zero if
// independent).
cardan_status cd_directional_derivatives(cd_graph* graph, int nnode, const cd_node* node, int ndirection,
                                         const int* first, const cd_seed* seed, cd_node* rate);
// Determine which inputs (0..count-1) the nodes depend on.
cardan_status cd_dependence(const cd_graph* graph, int nnode, const cd_node* node, int count, bool* depends);

// Infix text of a node; the caller frees it. `name` returns the names of inputs, and of tables as -1 - table; if it is
// NULL or returns NULL they are called x0, x1, ... and table0, table1, ... Shared terms are repeated, and a text longer
// than about 65,000 characters ends in " ...".
char* cd_node_text(const cd_graph* graph, cd_node node, const char* (*name)(void* user, int input), void* user);

// Tape: the nodes that some outputs depend on, in evaluation order, with reused slots. Constant after creation; may be
// run by many threads. It reads the tables of the graph, which must outlive it. An output CD_NO_NODE gives 0.
typedef struct cd_tape cd_tape;

cd_tape* cd_tape_create(const cd_graph* graph, int noutput, const cd_node* output); // NULL if memory is exhausted
void     cd_tape_destroy(cd_tape* tape);
int      cd_tape_work(const cd_tape* tape); // scratch size of one run, in doubles
void     cd_tape_run(const cd_tape* tape, const double* input, double* work, double* output);
// The same with all values rounded to float.
void cd_tape_run_single(const cd_tape* tape, const double* input, double* work, double* output);

// Evaluate one node without inputs (or with given ones); allocates, for use while reading files.
cardan_status cd_node_evaluate(const cd_graph* graph, cd_node node, const double* input, double* value);
