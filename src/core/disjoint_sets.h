// SPDX-License-Identifier: BSD-3-Clause
// Disjoint sets of numbers: every member points towards the root of its set, which points to itself.
#pragma once

// The root of the set that i is in; ways to it are halved. Tarjan 1975, J. ACM 22(2).
static inline int cd_disjoint_set_root(int* set, int i)
{
    while (set[i] != i) i = set[i] = set[set[i]];
    return i;
}
