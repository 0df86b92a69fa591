// SPDX-License-Identifier: BSD-3-Clause
// Messages about invalid arguments.
#include "core/check_arguments.h"

cardan_status cd_fail_null(cardan_report* report, const char* function, const char* argument)
{
    return cardan_fail(report, CARDAN_BAD_USAGE, CARDAN_CODE_INVALID_ARGUMENT, cardan_location_none(),
                       "%s: the argument '%s' is NULL", function, argument);
}

cardan_status cd_fail_index(cardan_report* report, const char* function, const char* argument, int index, int count)
{
    if (count <= 0)
        return cardan_fail(report, CARDAN_BAD_USAGE, CARDAN_CODE_INVALID_ARGUMENT, cardan_location_none(),
                           "%s: the argument '%s' is %d, but the model has none", function, argument, index);
    return cardan_fail(report, CARDAN_BAD_USAGE, CARDAN_CODE_INVALID_ARGUMENT, cardan_location_none(),
                       "%s: the argument '%s' is %d, not 0 to %d", function, argument, index, count - 1);
}

cardan_status cd_fail_not_finite(cardan_report* report, const char* function, const char* argument)
{
    return cardan_fail(report, CARDAN_BAD_USAGE, CARDAN_CODE_INVALID_ARGUMENT, cardan_location_none(),
                       "%s: a number of the argument '%s' is not finite", function, argument);
}
