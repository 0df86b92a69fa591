// SPDX-License-Identifier: BSD-3-Clause
// Use of generated code in a run: decision, reason, measured speedup.
#pragma once

#include "cli/support/loaded_model.h"

#include <cardan/generate.h>
#include <cardan/simulate.h>

typedef struct cd_generated_code_use {
    bool                         is_used, is_requested; // is_requested: --generated always
    char                         reason[320];           // reason for the decision
    cardan_compiled_code*        library;
    cardan_compiled_code_info    info;
    cardan_compiled_code_speedup speedup;
    double                       predicted_evaluations; // of the run without generated code; 0: not predicted
} cd_generated_code_use;

// Decide whether the run uses generated code, compile it and attach it to c->data. A reason against it is a warning
// with --generated always; otherwise it is only stored in `reason`.
void cd_generated_begin(cd_loaded_model* mechanism, cd_model_instance* c, const cardan_run_settings* run,
                        cd_generated_code_use* use);
void cd_generated_end(cd_model_instance* c, cd_generated_code_use* use);

void cd_generated_print_summary(const cd_generated_code_use* use, const cardan_run_summary* summary);
void cd_generated_write_json(cd_json_writer* json, const cd_generated_code_use* use, const cardan_run_summary* summary);
