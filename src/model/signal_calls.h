// SPDX-License-Identifier: BSD-3-Clause
// Function calls in formulas that return signals: the table signal_calls.def, and two for tasks only.
#pragma once

#include <cardan/describe.h>

#include <stdbool.h>

typedef enum cd_signal_argument_kind { CD_OF_JOINT, CD_OF_MARKER, CD_OF_TWO_MARKERS, CD_OF_REACTION } cd_signal_argument_kind;

typedef struct cd_signal_call {
    const char*             name;
    cardan_signal_kind      kind;
    int                     component;
    cd_signal_argument_kind arguments;
    int                     min_arguments, max_arguments;
    const char*             signature;
} cd_signal_call;

// NULL after the last; those of tasks are the last.
const cd_signal_call* cd_signal_call_at(int i, bool tasks);
const cd_signal_call* cd_signal_call_find(const char* name, bool tasks);
int                   cd_signal_call_count(bool tasks);
