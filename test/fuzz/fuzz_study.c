// SPDX-License-Identifier: BSD-3-Clause
// Fuzz target: reader of study files (`cardan sweep`), and the values of the first and last case.
#include "fuzz.h"

#include "study/parameter_study.h"

int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size)
{
    cardan_report      report = {0};
    cd_parameter_study plan;
    if (cd_parameter_study_read(fuzz_file(data, size), &plan, &report) == CARDAN_OK)
        for (int i = 0; i < plan.nvariable; ++i) {
            const cd_study_variable* v = &plan.variable[i];
            if (cd_parameter_study_value_index(&plan, 0, v) < 0 ||
                cd_parameter_study_value_index(&plan, plan.ncase - 1, v) < 0)
                __builtin_trap();
        }
    cd_parameter_study_free(&plan);
    return 0;
}
