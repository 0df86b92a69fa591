// SPDX-License-Identifier: BSD-3-Clause
// Straight-line programs: the subgraph that some outputs of a graph need, in an order with few live values. Every value
// that is used more than once gets a temporary. Long programs are split into parts, because compilers need too much
// time or memory for very long functions.
#pragma once

#include "expression/graph_internal.h"

#include <cardan/dynamics.h>

// One line of the program: defines a temporary, an angle or a vector group, or assigns a value to an output.
typedef struct cd_program_line {
    int position; // position in the subgraph
    int output;   // output assigned, or -1
    int part;
    int angle;      // angle whose sine and cosine are computed together with all others, or -1
    int group;      // vector group computed by this line, or -1
    int output_run; // number of consecutive outputs from `output` on that are adjacent lanes of a group; mostly 1
} cd_program_line;

// Use and storage of one value of the subgraph.
typedef struct cd_program_value {
    int  use_count;
    int  temporary; // number of the temporary; -1: written inline where it is used
    int  slot;      // slot in the memory shared by the parts; -1: local to its part
    int  part, last_part;
    int  angle;        // angle of which this is the sine or cosine, computed together with all others; -1: none
    bool is_early;     // depends on inputs through additions, subtractions and multiplications only
    bool feeds_angle;  // is needed to compute an angle
    int  group, lane;  // vector group and lane in it; -1: none
    bool inside_group; // part of the expression of a vector group: never gets a temporary
} cd_program_value;

// Values that one loop computes, in adjacent slots.
typedef struct cd_vector_group {
    int  count, *position; // positions in the subgraph; -1: lane is not used
    int  slot, last_line;  // slot of the first lane; last line that reads or writes the group
    int  lane_a, lane_b;   // two lanes that are used
    bool is_copy;          // lanes are copies of unrelated values, one line each
    // Strips: head group, group that must be written before this one, offset in the strip. In the head group: length of
    // the strip in slots, ends of what loops write and read, slot of the first lane.
    int strip, predecessor, offset, strip_length, written_end, read_end, strip_base;
    int strip_front;      // in the head group: slots before it that were prepended later
    int stale_end;        // in the head group: end of the slots behind the strip that earlier strips have
                          // written; their finite values serve as padding like zeros
    bool has_more_groups; // in the head group: the strip has more than one group
    bool is_padded;       // loops run up to a multiple of four lanes; the lanes beyond `count` are padding
    bool starts_strip;    // first written group of its strip; its line also zeroes the slots behind the strip
    bool is_pair;         // pair: two values computed by the same operations (paired_values.c)
    int  part, last_part;
    bool is_part_local; // pair that only its own part reads
    int  direct_output; // output that lane 0 is written to directly, the other lanes behind it; -1: none
} cd_vector_group;

// Two values copied to adjacent slots before a line, because a loop over a pair reads them.
typedef struct cd_gather {
    int line, part, position[2], slot;
} cd_gather;

typedef struct cd_program {
    const cd_graph*        graph;
    cd_subgraph            subgraph;
    cd_program_value*      value; // (subgraph.count)
    cd_program_line*       line;
    int                    nline, ntemporary, npart, nslot, noutput, nangle;
    cd_vector_group*       group;
    int                    ngroup, group_capacity, ngroup_slot; // vector groups, and slots of their memory
    cd_gather*             gather;
    int                    ngather, gather_capacity;
    int*                   nlocal_slot; // (npart) slots of the local memory of each part
    bool                   output_runs, reduce_live;
    int*                   order;           // (subgraph.count) positions in the order of evaluation
    int*                   output_position; // (noutput) positions of the outputs in the subgraph
    cardan_operation_count operations;      // of the printed code
    int                    equations;       // number of lines that compute something
} cd_program;

// Limits: operations of an inlined expression, lines of a part.
typedef struct cd_program_options {
    int  max_line_operations, max_part_lines;
    int  max_whole_lines; // programs of at most this many lines are one part
    bool vector_groups;   // loops for the vector groups of the graph
    bool output_runs;     // loops for consecutive outputs
    // Evaluate a value as soon as this does not increase the number of live values (live_value_order.c), and give a
    // temporary to a value that is read once, but late, if this keeps one value live instead of several.
    bool reduce_live;
    bool precompute_angles; // compute all sines and cosines of early angles together before the other lines
} cd_program_options;

cardan_status cd_program_make(cd_program* program, const cd_graph* graph, int noutput, const cd_node* output,
                              cd_program_options options);
// Order all values (program_order.c). Sets is_cyclic if vector groups depend on each other, so that no order exists.
// Returns false if memory runs out.
bool cd_program_order(cd_program* program, bool* is_cyclic);
// Derive another order with fewer live values from `order`; without vector groups (live_value_order.c). Returns false
// if memory runs out.
bool cd_program_reduce_live(const cd_program* program, const int* order, int* new_order);
// Find the vector groups of the graph that this program computes in loops, and order all values; assign slots to the
// groups (vector_groups.c). Both return false if memory runs out.
bool cd_vector_groups_find(cd_program* program);
bool cd_vector_groups_allocate(cd_program* program);
// Make pairs of the graph vector groups of two lanes, with adjacent numbers for their angles; assign local slots to the
// pairs that only one part reads, and list the gathers (paired_values.c). Both return false if memory runs out.
bool cd_paired_values_find(cd_program* program);
bool cd_paired_values_allocate(cd_program* program);
// Operands that lanes 0 and 1 of a loop over a pair read. CD_PAIR_NESTED: classify the operands of both values in turn.
typedef enum cd_pair_kind { CD_PAIR_SAME, CD_PAIR_GROUP, CD_PAIR_ANGLE, CD_PAIR_NESTED, CD_PAIR_GATHER } cd_pair_kind;
cd_pair_kind cd_pair_classify(const cd_program* program, int a, int b);
void         cd_program_release(cd_program* program);
