// SPDX-License-Identifier: BSD-3-Clause
// Elimination order of the links, and the bodies coupled to each at its elimination (front_order.c). Used by
// front_symbolic.c only.
#pragma once

#include "formulation/coordinate_reduction/fronts.h"

// A set of links, unordered.
typedef struct cd_link_set {
    int* item;
    int  count, capacity;
} cd_link_set;

// Links that can be eliminated next, in lists by level, lowest first. When the level of a link in the queue changes, it
// moves to another list.
typedef struct cd_link_queue {
    int  n;
    int *first, *next, *previous, *level; // level -1: not in the queue
    int  min_level;
} cd_link_queue;

typedef struct cd_front_order {
    const int*    parent;             // (n) parents
    cd_link_set*  adjacent;           // (n) bodies coupled to a link
    int*          nchild;             // (n) children not yet eliminated
    int *         position, *link_at; // (n) elimination order; link eliminated k-th
    cd_link_set*  slots;              // (n) bodies of the front of a link at its elimination
    int*          depth_rank;         // (n) links of lower rank are eliminated first, or NULL: those with fewest ports
    int *         mark, stamp;        // (n) members of a set are marked with the number of the current pass
    cd_link_queue queue;
} cd_front_order;

bool cd_front_order_create(cd_front_order* o, int n);
void cd_front_order_release(cd_front_order* o, int n);
// Eliminate the links of f, fewest ports first or deepest first; f->operations is the cost. Stops with infinite
// f->operations if the cost exceeds `max_operations`. Returns false if memory is exhausted.
bool cd_front_order_compute(cd_front_order* o, const cd_rows* rows, cd_fronts* f, bool deepest_first,
                            double max_operations);
