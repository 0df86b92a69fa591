// SPDX-License-Identifier: BSD-3-Clause
// Sentences about events of a run.
#pragma once

#include <cardan/simulate.h>

typedef struct cd_event_text {
    char text[320];
} cd_event_text;

// "joint 'hinge' passes its upper limit"; empty for the stop condition.
cd_event_text cd_describe_event(const cardan_model* model, const cardan_event* event);
