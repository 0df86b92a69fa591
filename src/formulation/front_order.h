// SPDX-License-Identifier: BSD-3-Clause
// The order in which links leave, and whom each one meets then (front_order.c). Used by front_symbolic.c alone.
#pragma once

#include "formulation/front.h"

// A set of links, unordered.
typedef struct cd_link_set {
    int* item;
    int  count, capacity;
} cd_link_set;

// Links that can leave next, in lists by level, lowest first. Levels change while a link waits: it moves to another
// list.
typedef struct cd_leaving {
    int  n;
    int *first, *next, *before, *level; // level -1: not in the queue
    int  least;
} cd_leaving;

typedef struct cd_front_order {
    const int*   up;          // (n) parents
    cd_link_set* met;         // (n) bodies that a link meets
    int*         children;    // (n) not gone yet
    int *        when, *who;  // (n) order of leaving; who left k-th
    cd_link_set* slots;       // (n) bodies of the front of a link, as it left
    int*         rank;        // (n) links of a lower one leave first, or NULL: those of least ports
    int *        mark, round; // (n) members of a set are marked with the number of the round in which it is looked at
    cd_leaving   q;
} cd_front_order;

bool cd_front_order_create(cd_front_order* o, int n);
void cd_front_order_release(cd_front_order* o, int n);
// Links of f leave, by least ports or deepest first; f->work is what that costs. It is given up, with f->work infinite,
// where that is more than `most`.
bool cd_front_order_links(cd_front_order* o, const cd_rows* rows, cd_fronts* f, bool deepest, double most);
