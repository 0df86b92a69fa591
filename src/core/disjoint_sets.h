// SPDX-License-Identifier: BSD-3-Clause
// Disjoint-set forest: set[i] is the parent of i; the root of a set is its own parent.
#pragma once

// Root of the set of i, with path halving. Tarjan 1975, J. ACM 22(2).
static inline int cd_disjoint_set_root(int* set, int i)
{
    while (set[i] != i) i = set[i] = set[set[i]];
    return i;
}
