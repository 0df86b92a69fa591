// SPDX-License-Identifier: BSD-3-Clause
// Inside of kinds: while one is made.
#pragma once

#include "optimize/kind.h"

typedef struct making {
    cd_graph*          graph;
    cd_kind*           kind;
    int                nrow, ninput;
    const cd_node*     row;
    cd_node            objective;
    cd_multipliers     multipliers;
    const cd_implicit* implicit;
} making;

// Keeps the nodes and makes a tape of them.
bool cd_kind_function(making* k, cd_which which, int count, const cd_node* node);
// sigma f + lambda'g
cd_node cd_kind_lagrangian(making* k);
// Entries that are no constant zero: of slopes ((nrow + objective) x nvariable, overwritten), of curves (nvariable x
// nvariable, column major, lower triangle).
bool cd_kind_slopes(making* k, cd_node* all);
bool cd_kind_curves(making* k, cd_node* all);
// All functions, z replaced by what it is.
bool cd_kind_implicit(making* k);
