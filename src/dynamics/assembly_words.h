// SPDX-License-Identifier: BSD-3-Clause
// Sentences of assembly: which joints, by how much, at what time.
#pragma once

#include "dynamics/assembly.h"

enum { CD_WORDS = 300 };

typedef struct cd_words {
    char text[CD_WORDS];
    int  length, count;
} cd_words;

// A constraint that is open, and by how much in all its directions.
typedef struct cd_gap {
    const cd_constraint* c;
    double               size;
    const char*          unit;
} cd_gap;

// " at t = 0.5 s"
typedef struct cd_time_words {
    char text[40];
} cd_time_words;

cd_time_words cd_when(const cd_assembly* a);
// Joints that a gear, a rod or a driver feels.
cd_words cd_felt_words(const cardan_model* m, const cd_constraint* c);
// Joints around the loop: out to the first end, the joint that closes it, and back from the other end.
cd_words cd_loop_words(const cardan_model* m, const cd_constraint* c);
// Joints with exact values in the loop.
cd_words cd_exact_words(const cd_assembly* a, const cd_constraint* c);
// Drivers that take part where nothing can be closed.
cd_words cd_pulling_drivers(const cd_assembly* a, const cd_constraint** first);
// The constraint that is open most.
cd_gap cd_widest_gap(const cd_assembly* a);

// What drivers ask for cannot be: named with the widest gap.
cardan_status cd_fail_driven(const cd_assembly* a, cd_gap g, cd_words who, const cd_constraint* first,
                             cardan_report* report);
cardan_status cd_fail_open(const cd_assembly* a, cd_gap g, cardan_report* report);
cardan_status cd_fail_contradiction(const cd_assembly* a, cd_gap g, cardan_report* report);
