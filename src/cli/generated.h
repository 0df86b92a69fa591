// SPDX-License-Identifier: BSD-3-Clause
// Generated code in a run: whether it is used, why, and what it gains.
#pragma once

#include "cli/mechanism.h"

#include <cardan/generate.h>
#include <cardan/simulate.h>

typedef struct cd_generated_use {
    bool                 used, asked; // asked: --generated always
    char                 reason[320]; // why, or why not
    cardan_library*      library;
    cardan_library_facts facts;
    cardan_library_gain  gain;
    double               predicted; // evaluations of the run without it, 0: not predicted
} cd_generated_use;

// Decides, makes it, has the data use it. What speaks against it is a warning where --generated always was said, else
// nothing but a reason.
void cd_generated_begin(cd_mechanism* mechanism, cd_case* c, const cardan_run* run, cd_generated_use* use);
void cd_generated_end(cd_case* c, cd_generated_use* use);

void cd_generated_words(const cd_generated_use* use, const cardan_summary* summary);
void cd_generated_json(cd_json* json, const cd_generated_use* use, const cardan_summary* summary);
