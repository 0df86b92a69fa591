// SPDX-License-Identifier: BSD-3-Clause
// Straight-line programs: what some outputs of a graph need, in an order that keeps few values alive, each value that
// is used more than once with a name, and cut into parts where a compiler would choke.
#pragma once

#include "expression/graph_internal.h"

#include <cardan/dynamics.h>

// One line: a value that gets a name, or an output that gets its value.
typedef struct cd_program_line {
    int position; // position in the reach
    int output;   // or -1
    int part;
    int angle;      // or -1: an angle whose sine and cosine are computed with all others
    int group;      // or -1: all of a pack
    int output_run; // outputs from `output` on that stand side by side in a pack, one mostly
} cd_program_line;

// What becomes of a value.
typedef struct cd_program_value {
    int  use_count;
    int  temporary; // temporary, -1: written where it is used
    int  slot;      // in the memory that parts share, -1: local to its part
    int  part, last_part;
    int  angle;        // sine or cosine of this angle, computed with all others; -1: no
    bool is_early;     // needs inputs and arithmetic only
    bool feeds_angle;  // an angle needs it
    int  group, lane;  // of a pack, or -1
    bool inside_group; // inside of what computes a pack: never named
} cd_program_value;

// Values that one loop computes; their places are side by side.
typedef struct cd_vector_group {
    int  count, *position; // positions, -1: nobody wants it
    int  slot, last_line;  // place of the first; the last line that touches it
    int  lane_a, lane_b;   // two lanes that are wanted
    bool is_copy;          // values come from anywhere, one line each
    // rows: the first pack of it, the one that must be written before, the first place; in the first pack: places in
    // all, and up to where they are written and read by loops
    int strip, predecessor, offset, strip_length, written_end, read_end, strip_base;
    int strip_front; // in the first pack: places before it that packs were put at later
    int stale_end; // in the first pack: places behind the row have numbers of rows before it up to here, which are as good
                   // as zeros
    bool has_more_groups; // in the first pack: it is not alone
    bool is_padded;       // loops go on to a multiple of four places, whatever is there
    bool starts_strip;    // it is written first, and zeros behind the row with it
    bool is_pair;         // two values that are computed alike from any others (paired_values.c)
    int  part, last_part;
    bool is_part_local; // twins that only their part needs
    int  direct_output; // output that its first place goes to at once, the others behind it; -1: none
} cd_vector_group;

// Two numbers that a loop over twins needs side by side, put there before a line.
typedef struct cd_gather {
    int line, part, position[2], slot;
} cd_gather;

typedef struct cd_program {
    const cd_graph*        graph;
    cd_subgraph            subgraph;
    cd_program_value*      value; // (reach.count)
    cd_program_line*       line;
    int                    nline, ntemporary, npart, nslot, noutput, nangle;
    cd_vector_group*       group;
    int                    ngroup, group_capacity, ngroup_slot; // packs, and the numbers their memory has
    cd_gather*             gather;
    int                    ngather, gather_capacity;
    int*                   nlocal_slot; // (npart) numbers in the memory of a part
    bool                   output_runs, reduce_live;
    int*                   order;           // (reach.count) positions as they are computed
    int*                   output_position; // (noutput) of the outputs in the reach
    cardan_operation_count operations;      // of the code
    int                    equations;       // lines that compute
} cd_program;

// Values are inlined up to so many operations; parts have so many lines.
typedef struct cd_program_options {
    int  max_line_operations, max_part_lines;
    int  max_whole_lines; // routines up to so many lines are one part
    bool vector_groups;   // loops where the graph has packs
    bool output_runs;     // outputs that follow each other in loops
    // what leaves no more values alive is computed as soon as it can be (live_value_order.c), and what is read once, but long
    // after, has a name if it stands for several values
    bool reduce_live;
    bool precompute_angles; // sines and cosines of what is known at once are computed together, ahead of the rest
} cd_program_options;

cardan_status cd_program_make(cd_program* program, const cd_graph* graph, int noutput, const cd_node* output,
                              cd_program_options options);
// The order of everything; `loop`: there is none, because packs need each other (program_order.c).
bool cd_program_order(cd_program* program, bool* is_cyclic);
// Another order, from one, without packs (live_value_order.c).
bool cd_program_reduce_live(const cd_program* program, const int* order, int* new_order);
// Packs of the graph that this program can compute in loops, the order of everything, and their memory (vector_groups.c).
bool cd_vector_groups_find(cd_program* program);
bool cd_vector_groups_allocate(cd_program* program);
// Twins of the graph as packs of two; angles of twins next to each other; places of those that only one part needs, and
// what is to be gathered for them (paired_values.c).
bool cd_paired_values_find(cd_program* program);
bool cd_paired_values_allocate(cd_program* program);
// What lanes 0 and 1 of a loop over twins read here. CD_PAIR_NESTED: operands decide.
typedef enum cd_pair_kind { CD_PAIR_SAME, CD_PAIR_GROUP, CD_PAIR_ANGLE, CD_PAIR_NESTED, CD_PAIR_GATHER } cd_pair_kind;
cd_pair_kind cd_pair_classify(const cd_program* program, int a, int b);
void         cd_program_release(cd_program* program);
