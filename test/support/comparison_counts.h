// SPDX-License-Identifier: BSD-3-Clause
// Comparisons of a battery per formulation, against the number that the properties of the formulations require: one
// that refuses what it claims to support, or supports nothing, fails.
#pragma once

#include "formulation/formulation.h"
#include "test.h"

enum { MOST_FORMULATIONS = 32 };

typedef struct comparison_counts {
    int required[MOST_FORMULATIONS], compared[MOST_FORMULATIONS];
} comparison_counts;

// Return whether an exact formulation claims to solve mechanisms with or without constraint rows.
static inline bool claims_support(int formulation, bool has_rows)
{
    const unsigned properties = cd_formulation_at(formulation)->properties;
    return cardan_formulation_is_exact(formulation) && properties & (has_rows ? CD_SUPPORTS_LOOPS : CD_SUPPORTS_TREES);
}

static inline void count_required(comparison_counts* c, int formulation, bool has_rows)
{
    c->required[formulation] += claims_support(formulation, has_rows);
}

static inline void count_compared(comparison_counts* c, int formulation) { ++c->compared[formulation]; }

// Check that every formulation was compared as often as required, and at least `count` formulations at least `least`
// times.
static inline void check_comparisons(const comparison_counts* c, int count, int least)
{
    int enough = 0;
    CHECK(cardan_formulation_count() <= MOST_FORMULATIONS);
    for (int f = 0; f < cardan_formulation_count(); ++f) {
        enough += c->compared[f] >= least;
        CHECK(c->compared[f] == c->required[f]);
        if (c->compared[f] != c->required[f])
            printf("    %s: %d comparisons, %d required\n", cardan_formulation_name(f), c->compared[f], c->required[f]);
    }
    CHECK(enough >= count);
    if (enough < count) printf("    %d formulations have %d comparisons or more, not %d\n", enough, least, count);
}
