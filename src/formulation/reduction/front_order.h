// SPDX-License-Identifier: BSD-3-Clause
// The order in which links leave, and whom each one meets then (front_order.c). Used by front_symbolic.c alone.
#pragma once

#include "formulation/reduction/fronts.h"

// A set of links, unordered.
typedef struct cd_link_set {
    int* item;
    int  count, capacity;
} cd_link_set;

// Links that can leave next, in lists by level, lowest first. Levels change while a link waits: it moves to another
// list.
typedef struct cd_link_queue {
    int  n;
    int *first, *next, *previous, *level; // level -1: not in the queue
    int  min_level;
} cd_link_queue;

typedef struct cd_front_order {
    const int*    parent;             // (n) parents
    cd_link_set*  adjacent;           // (n) bodies that a link meets
    int*          nchild;             // (n) not gone yet
    int *         position, *link_at; // (n) order of leaving; who left k-th
    cd_link_set*  slots;              // (n) bodies of the front of a link, as it left
    int*          depth_rank;         // (n) links of a lower one leave first, or NULL: those of least ports
    int *         mark, stamp; // (n) members of a set are marked with the number of the round in which it is looked at
    cd_link_queue queue;
} cd_front_order;

bool cd_front_order_create(cd_front_order* o, int n);
void cd_front_order_release(cd_front_order* o, int n);
// Links of f leave, by least ports or deepest first; f->work is what that costs. It is given up, with f->work infinite,
// where that is more than `most`.
bool cd_front_order_compute(cd_front_order* o, const cd_rows* rows, cd_fronts* f, bool deepest_first,
                            double max_operations);
