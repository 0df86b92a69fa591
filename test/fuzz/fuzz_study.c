// SPDX-License-Identifier: BSD-3-Clause
// Reader of study files (`cardan sweep`), and the values of the first and last case.
#include "fuzz.h"

#include "study/plan.h"

int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size)
{
    cardan_report report = {0};
    cd_plan       plan;
    if (cd_plan_read(fuzz_file(data, size), &plan, &report) == CARDAN_OK)
        for (int i = 0; i < plan.nvariable; ++i) {
            const cd_variable* v = &plan.variable[i];
            if (cd_plan_value(&plan, 0, v) < 0 || cd_plan_value(&plan, plan.ncase - 1, v) < 0) __builtin_trap();
        }
    cd_plan_free(&plan);
    return 0;
}
