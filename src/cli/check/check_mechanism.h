// SPDX-License-Identifier: BSD-3-Clause
// Analysis of `cardan check`: structure, start state and diagnosis of a mechanism.
#pragma once

#include "cli/report/check_report.h"

typedef struct cd_mechanism_check {
    cd_check_result   result;
    cd_model_instance instance;
    cardan_model*     model;
    bool              can_report; // there is a result
} cd_mechanism_check;

// Check a loaded mechanism; findings go to its report. The caller frees the check in any case.
cardan_status cd_check_mechanism(cd_loaded_model* mechanism, cd_mechanism_check* check);
void          cd_mechanism_check_free(cd_mechanism_check* check);

// Report of `cardan check --json` of a description, which it destroys. Nothing is printed; nothing is added to `text` if
// there is no report.
void cd_check_json(const cd_options* options, cardan_description* description, cd_text* text);
