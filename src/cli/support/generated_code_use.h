// SPDX-License-Identifier: BSD-3-Clause
// Generated code in a run: whether it is used, why, and what it gains.
#pragma once

#include "cli/support/mechanism.h"

#include <cardan/generate.h>
#include <cardan/simulate.h>

typedef struct cd_generated_code_use {
    bool                         is_used, is_requested; // asked: --generated always
    char                         reason[320];           // why, or why not
    cardan_compiled_code*        library;
    cardan_compiled_code_info    facts;
    cardan_compiled_code_speedup gain;
    double                       predicted_evaluations; // evaluations of the run without it, 0: not predicted
} cd_generated_code_use;

// Decides, makes it, has the data use it. What speaks against it is a warning where --generated always was said, else
// nothing but a reason.
void cd_generated_begin(cd_mechanism* mechanism, cd_model_instance* c, const cardan_run* run,
                        cd_generated_code_use* use);
void cd_generated_end(cd_model_instance* c, cd_generated_code_use* use);

void cd_generated_print_summary(const cd_generated_code_use* use, const cardan_summary* summary);
void cd_generated_write_json(cd_json_writer* json, const cd_generated_code_use* use, const cardan_summary* summary);
