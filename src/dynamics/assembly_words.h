// SPDX-License-Identifier: BSD-3-Clause
// Sentences of assembly: which joints, by how much, at what time.
#pragma once

#include "dynamics/assembly.h"

enum { CD_NAMES = 300 };

typedef struct cd_names {
    char text[CD_NAMES];
    int  length, count;
} cd_names;

// A constraint that is open, and by how much in all its directions.
typedef struct cd_gap {
    const cd_constraint* c;
    double               size;
    const char*          unit;
} cd_gap;

// Joints that a gear, a rod or a driver feels.
cd_names cd_felt_words(const cardan_model* m, const cd_constraint* c);
// Joints around the loop: out to the first end, the joint that closes it, and back from the other end.
cd_names cd_loop_words(const cardan_model* m, const cd_constraint* c);
// Joints with exact values in the loop.
cd_names cd_exact_words(const cd_assembly* a, const cd_constraint* c);
// Drivers that take part where nothing can be closed.
cd_names cd_pulling_drivers(const cd_assembly* a, const cd_constraint** first);
// How far a constraint is open; the one that is open most.
cd_gap cd_gap_of(const cd_assembly* a, int constraint);
cd_gap cd_widest_gap(const cd_assembly* a);

// What drivers ask for cannot be: named with the widest gap.
cardan_status cd_fail_driven(const cd_assembly* a, cd_gap g, cd_names who, const cd_constraint* first,
                             cardan_report* report);
// Nothing closes. `blamed`: this gap is left where all others close.
cardan_status cd_fail_open(const cd_assembly* a, cd_gap g, bool blamed, cardan_report* report);
// Exact values are in the way. `rigid`: let go they leave a pose where nothing can move.
cardan_status cd_fail_contradiction(const cd_assembly* a, cd_gap g, bool rigid, cardan_report* report);
// A drawing with a gap that was closed, and then nothing moves: an error, or a warning.
cardan_status cd_tell_rigid(const cd_assembly* a, cd_gap g, bool error, cardan_report* report);

// Of loops that pull against each other at the least gap the one that is to blame, and its gap where all others are
// closed (assembly_blame.c). False where that cannot be told; all else is as before.
bool cd_blame(cd_assembly* a, cd_gap* g);
