// SPDX-License-Identifier: BSD-3-Clause
// Internals of the expression graph: nodes, tables, the arithmetic of every operation, and subgraphs.
#pragma once

#include "expression/graph.h"

#include <math.h>
#include <stdint.h>

// One node, 16 bytes. Two nodes are equal if their bytes are.
typedef struct cd_node_data {
    unsigned char  operation;
    unsigned char  derivative; // of a lookup: 0 value, 1 to 3 derivative
    unsigned short unused;     // zero
    int            c;          // third operand; of a constant: tag of its branch, 0: none
    union {
        int    operand[2]; // input: its index; lookup: argument, table
        double value;      // of a constant
    };
} cd_node_data;

// y over x with derivatives: at the points (cubic) or behind them (linear).
typedef struct cd_table {
    int     count;
    bool    is_cubic;
    double *x, *y, *slope, *integral; // one block, owned through x; integral: from the first point
    bool    is_borrowed;              // owned by another graph
} cd_table;

// A slot of the hash table. The stored hash avoids most comparisons with nodes.
typedef struct cd_hash_slot {
    int      node; // -1: free
    uint32_t hash;
} cd_hash_slot;

// End of a vector group in group_node; whether it belongs to a strip and follows the group before it, or precedes a
// node of an earlier one.
typedef struct cd_graph_vector_group {
    int     end;
    bool    in_strip, follows_previous;
    cd_node next; // or CD_NO_NODE
} cd_graph_vector_group;

struct cd_graph {
    cd_node_data* node_data;
    int           count, capacity;
    cd_hash_slot* slot;
    int           nslot;      // a power of two, at least twice the count
    bool          is_trace;   // a - b and b - a are one node
    int           max_nodes;  // limit of nodes
    bool          is_full;    // the limit was exceeded
    bool          has_failed; // an allocation failed

    bool                   vector_groups_enabled;
    int                    ncopy, ngroup, cgroup;
    cd_graph_vector_group* group;
    int                    ngroup_node, cgroup_node;
    cd_node*               group_node;

    bool pairs_enabled;
    int  npair, cpair;
    cd_node (*pair)[2];

    cd_node evaluation_order_start; // first node in the order of a recursion

    cd_table* table;
    int       ntable, ctable;
};

// Add a strip group directly before `next`, the first node of the strip so far: the strip grows at its front without
// being moved. Returns false if memory is exhausted.
bool cd_graph_prepend_strip_group(cd_graph* graph, cd_node next, int count, const cd_node* node);

// Borrow a table of another graph, which must outlive this one. Returns its index here, -1 if memory is exhausted.
int cd_graph_borrow_table(cd_graph* graph, const cd_graph* from, int table);

static inline const cd_node_data* cd_node_data_at(const cd_graph* graph, cd_node node)
{
    return &graph->node_data[node];
}

static inline bool cd_node_is(const cd_graph* graph, cd_node node, cd_operation operation)
{
    return graph->node_data[node].operation == operation;
}

static inline bool cd_node_is_branch_constant(const cd_graph* graph, cd_node node)
{
    return cd_node_is(graph, node, CD_CONSTANT) && graph->node_data[node].c != 0;
}

static inline int cd_node_data_operand(const cd_node_data* item, int i) { return i < 2 ? item->operand[i] : item->c; }

// Node with these bytes; created if there is none.
cd_node cd_graph_intern(cd_graph* graph, cd_node_data item);
// Node of an input if it exists, else CD_NO_NODE.
cd_node cd_graph_find_input(const cd_graph* graph, int index);

bool   cd_table_create(cd_table* table, int count, const double* x, const double* y, cd_interpolation kind);
void   cd_table_release(cd_table* table);
double cd_table_value(const cd_table* table, int derivative, double x);
double cd_table_integral(const cd_table* table, double x); // from the first point
int    cd_table_degree(const cd_table* table);             // higher derivatives are zero everywhere

// Remainder with the sign of b: a - b floor(a/b), exact.
static inline double cd_modulo(double a, double b)
{
    const double r = fmod(a, b);
    return r != 0 && (r < 0) != (b < 0) ? r + b : r;
}

// Value of an operation that needs neither input nor table. Every value except 0 is true; comparisons give 1 or 0.
static inline double cd_operation_value(cd_operation operation, double a, double b, double c)
{
    switch (operation) {
    case CD_ADD:
        return a + b;
    case CD_SUB:
        return a - b;
    case CD_MUL:
        return a * b;
    case CD_DIV:
        return a / b;
    case CD_NEG:
        return -a;
    case CD_POW:
        return pow(a, b);
    case CD_SQRT:
        return sqrt(a);
    case CD_SIN:
        return sin(a);
    case CD_COS:
        return cos(a);
    case CD_TAN:
        return tan(a);
    case CD_ASIN:
        return asin(a);
    case CD_ACOS:
        return acos(a);
    case CD_ATAN:
        return atan(a);
    case CD_ATAN2:
        return atan2(a + 0.0, b + 0.0); // + 0.0 removes -0: the sign of a zero would decide between -pi and pi
    case CD_SINH:
        return sinh(a);
    case CD_COSH:
        return cosh(a);
    case CD_TANH:
        return tanh(a);
    case CD_EXP:
        return exp(a);
    case CD_LOG:
        return log(a);
    case CD_ABS:
        return fabs(a);
    case CD_SIGN:
        return (double)((a > 0) - (a < 0));
    case CD_FLOOR:
        return floor(a);
    case CD_CEIL:
        return ceil(a);
    case CD_MIN:
        return b < a ? b : a;
    case CD_MAX:
        return a < b ? b : a;
    case CD_MOD:
        return cd_modulo(a, b);
    case CD_LESS:
        return a < b;
    case CD_LESS_EQUAL:
        return a <= b;
    case CD_EQUAL:
        return a == b;
    case CD_AND:
        return a != 0 && b != 0;
    case CD_OR:
        return a != 0 || b != 0;
    case CD_NOT:
        return a == 0;
    case CD_IF:
        return a != 0 ? b : c;
    case CD_COPY:
        return a;
    case CD_CONSTANT:
    case CD_INPUT:
    case CD_TABLE:
        break;
    }
    return 0;
}

// Subgraph: all nodes that some nodes depend on, operands first, each once. The cost depends on the size of the
// subgraph, not on that of the graph.
typedef struct cd_subgraph_entry {
    cd_node node;
    int     operand[3]; // positions in the list, -1: none
} cd_subgraph_entry;

typedef struct cd_subgraph {
    cd_subgraph_entry* entry;
    int                count, capacity;
    int*               slot; // hash table from nodes to positions
    int                nslot;
} cd_subgraph;

bool cd_subgraph_collect(cd_subgraph* subgraph, const cd_graph* graph, int nroot,
                         const cd_node* root);                    // false if memory is exhausted
int  cd_subgraph_find(const cd_subgraph* subgraph, cd_node node); // position, or -1
void cd_subgraph_release(cd_subgraph* subgraph);

// Rate of a node from those of its operands, by positions in the list.
cd_node cd_node_forward_rate(cd_graph* graph, const cd_subgraph_entry* at, const cd_node* rate, cd_node zero);

// Instructions of a tape over slots of one array (tape.c).
typedef struct cd_instruction {
    short operation;
    short derivative; // of a lookup
    int   result;
    int   operand[3]; // slots; unused ones repeat the first, so that all three may be read; lookup: slot, table
} cd_instruction;

typedef struct cd_input_slot {
    int input, slot;
} cd_input_slot;

struct cd_tape {
    const cd_graph* graph; // its tables are read while running
    cd_instruction* code;
    double*         constant;
    cd_input_slot*  input;
    int*            output; // slots, -1: no node, gives 0
    int             ncode, nconstant, ninput, noutput, nslot;
};
