// SPDX-License-Identifier: BSD-3-Clause
// Expression graph: hash-consed, simplified while it is built, with exact derivatives of any order.
// Holds what users write in formulas, their derivatives, and later the traces of whole recursions.
//
// A node is an index; equal expressions are the same node; operands have smaller indices than the node,
// so a plain loop over indices is a topological order and nothing recurses on the stack.
#pragma once

#include <cardan/status.h>
#include <stddef.h>

typedef struct cd_graph cd_graph;
typedef int             cd_node;

enum { CD_NO_NODE = -1 };

// Operations: name, number of operands, text used by printers. Rows are added here only.
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
// A graph for traces, to be counted and printed as code: a - b and b - a share a node, with the sign outside, where it
// costs nothing.
cd_graph* cd_graph_create_traced(void);
int       cd_graph_size(const cd_graph* graph); // number of nodes
// No more nodes than this: further ones are CD_NO_NODE, as without memory, and the graph is full.
void cd_graph_set_limit(cd_graph* graph, int max_nodes);
bool cd_graph_is_full(const cd_graph* graph);
// Whether a node, pack, pair of twins or table was not made for want of memory since the graph was created.
bool cd_graph_has_failed(const cd_graph* graph);

// Truth is being different from 0; comparisons and logic give 1 or 0. MOD has the sign of its second operand.
// Building. Each returns an existing node where there is one, CD_NO_NODE only without memory or room
// (and for an operand that is CD_NO_NODE, so that errors pass through).
cd_node cd_constant(cd_graph* graph, double value);
cd_node cd_input(cd_graph* graph, int index);
cd_node cd_unary(cd_graph* graph, cd_operation operation, cd_node a);
cd_node cd_binary(cd_graph* graph, cd_operation operation, cd_node a, cd_node b);
cd_node cd_if(cd_graph* graph, cd_node condition, cd_node a, cd_node b);

typedef enum cd_interpolation { CD_TABLE_LINEAR, CD_TABLE_CUBIC, CD_TABLE_SPLINE } cd_interpolation;

// Tables live in the graph: y over x, linear, cubic (monotone piecewise cubic, C1) or spline (C2), continued with the
// end slopes. Copies. Returns the table's index, -1 without memory. cd_table_lookup with derivative 1, 2 gives slopes and
// second derivatives.
int cd_graph_add_table(cd_graph* graph, int count, const double* x, const double* y, cd_interpolation kind);
// Value of a table at x: derivative 0, 1, 2, ..., or -1 for the integral from its first point.
double  cd_graph_table_value(const cd_graph* graph, int table, int derivative, double x);
cd_node cd_table_lookup(cd_graph* graph, int table, cd_node a, int derivative);

// Packs: several nodes that are computed alike, of numbers that stand side by side, so that printed code may compute
// them in one loop. A held number is that number; nothing is simplified across it, and no two are the same node. Where
// packs are not allowed it is the number itself.
enum { CD_VECTOR_GROUP_MAX = 128 };
void    cd_graph_enable_vector_groups(cd_graph* graph);
bool    cd_graph_has_vector_groups(const cd_graph* graph);
cd_node cd_copy_node(cd_graph* graph, cd_node a);
bool    cd_graph_add_vector_group(cd_graph* graph, int count, const cd_node* node); // false without memory
// The first pack of a row, or one whose places stand right behind those of the pack before it: a row may be read as one
// pack. Loops over packs of rows may go on to a multiple of four places.
bool cd_graph_add_strip_group(cd_graph* graph, bool first, int count, const cd_node* node);

// Twins: pairs of nodes that are computed alike from other numbers, as left and right limbs are, so that printed code
// may compute both in one loop. Their constants are constants of a side: `tag` keeps them apart from others of the same
// value, and nothing is simplified by what that value is.
void    cd_graph_enable_pairs(cd_graph* graph);
bool    cd_graph_has_pairs(const cd_graph* graph);
cd_node cd_branch_constant(cd_graph* graph, double value, int tag);
bool cd_graph_add_pairs(cd_graph* graph, int count, const cd_node* one, const cd_node* other); // false without memory

// Nodes from here on are made in an order that is good for computing them as well: recursions do so, whose steps follow
// each other.
void    cd_graph_mark_evaluation_order(cd_graph* graph);
cd_node cd_graph_evaluation_order_start(const cd_graph* graph); // 0: nowhere

// Looking.
cd_operation cd_node_operation(const cd_graph* graph, cd_node node);
cd_node      cd_node_operand(const cd_graph* graph, cd_node node, int i);
double       cd_node_value(const cd_graph* graph, cd_node node); // of a constant
int          cd_node_index(const cd_graph* graph, cd_node node); // of an input, or the table of a lookup
bool         cd_node_is_constant(const cd_graph* graph, cd_node node, double* value);
int          cd_operation_operands(cd_operation operation);
const char*  cd_operation_text(cd_operation operation);

// d node / d input, exact; apply twice for second derivatives. Forward, shared subterms differentiated once.
cd_node cd_derivative(cd_graph* graph, cd_node node, int input);
// d node / d each of `count` inputs at once by one reverse sweep; gradient[i] is a node (a zero constant where
// independent).
cardan_status cd_gradient(cd_graph* graph, cd_node node, int count, const int* input, cd_node* gradient);
// What a direction does to one input: its rate, as a node.
typedef struct cd_seed {
    int     input;
    cd_node rate;
} cd_seed;

// Rates of many nodes along many directions, forward, what the nodes need collected once: direction d has the seeds
// first[d] .. first[d+1]-1, and rate[d * nnode + i] is that of node i (a zero constant where it does not depend on
// them).
cardan_status cd_directional_derivatives(cd_graph* graph, int nnode, const cd_node* node, int ndirection,
                                         const int* first, const cd_seed* seed, cd_node* rate);
// Which inputs (0..count-1) the nodes depend on.
cardan_status cd_dependence(const cd_graph* graph, int nnode, const cd_node* node, int count, bool* depends);

// Infix text of a node, to be freed by the caller. Inputs are named by `name`, tables too, asked for as -1 - table;
// where it is or gives NULL they are called x0, x1, ... and table0, table1, ... Written out in full: shared terms
// repeat, and what is longer than some 65,000 characters ends in " ...".
char* cd_node_text(const cd_graph* graph, cd_node node, const char* (*name)(void* user, int input), void* user);

// A tape: the nodes some outputs need, in order, dead code left out, slots reused. Constant once made; run by many
// threads. It reads the graph's tables, so the graph must outlive it. An output that is CD_NO_NODE gives 0.
typedef struct cd_tape cd_tape;

cd_tape* cd_tape_create(const cd_graph* graph, int noutput, const cd_node* output); // NULL without memory
void     cd_tape_destroy(cd_tape* tape);
int      cd_tape_work(const cd_tape* tape); // doubles of scratch one run needs
void     cd_tape_run(const cd_tape* tape, const double* input, double* work, double* output);
// The same with everything rounded to floats.
void cd_tape_run_single(const cd_tape* tape, const double* input, double* work, double* output);

// Evaluate one node that needs no input (or with inputs given); allocates, for use while reading.
cardan_status cd_node_evaluate(const cd_graph* graph, cd_node node, const double* input, double* value);
