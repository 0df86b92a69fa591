// SPDX-License-Identifier: BSD-3-Clause
#include "model/signal_calls.h"

#include <stddef.h>
#include <string.h>

static const cd_signal_call calls[] = {
#define CD_SIGNAL(name, kind, component, arguments, least, most, signature, summary)                                   \
    {name, CARDAN_SIGNAL_##kind, component, CD_##arguments, least, most, signature},
#include "model/signal_calls.def"
#undef CD_SIGNAL
    {"effort", CARDAN_SIGNAL_EFFORT, 0, CD_OF_JOINT, 1, 2, "effort(joint) or effort(joint, i)"}, // tasks only
    {"a", CARDAN_SIGNAL_ACCELERATION, 0, CD_OF_JOINT, 1, 2, "a(joint) or a(joint, i)"},
};

enum { NCALL = sizeof calls / sizeof *calls, NTASK_CALL = 2 };

int cd_signal_call_count(bool tasks) { return tasks ? NCALL : NCALL - NTASK_CALL; }

const cd_signal_call* cd_signal_call_at(int i, bool tasks)
{
    return i >= 0 && i < cd_signal_call_count(tasks) ? &calls[i] : NULL;
}

const cd_signal_call* cd_signal_call_find(const char* name, bool tasks)
{
    for (int i = 0; i < cd_signal_call_count(tasks); ++i)
        if (strcmp(calls[i].name, name) == 0) return &calls[i];
    return NULL;
}
