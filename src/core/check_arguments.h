// SPDX-License-Identifier: BSD-3-Clause
// Checks of arguments of public functions: an invalid argument gives CARDAN_BAD_USAGE and a message that names the
// function and the argument. Functions without a report pass NULL.
#pragma once

#include <cardan/status.h>

cardan_status cd_fail_null(cardan_report* report, const char* function, const char* argument);
cardan_status cd_fail_index(cardan_report* report, const char* function, const char* argument, int index, int count);
cardan_status cd_fail_not_finite(cardan_report* report, const char* function, const char* argument);

static inline bool cd_is_index(int index, int count) { return index >= 0 && index < count; }

// Return from the public function if a pointer is NULL. `name` is the name of the argument in the public header.
#define CD_REQUIRE_POINTER(pointer, name, report)                                                                      \
    do {                                                                                                               \
        if (!(pointer)) return cd_fail_null((report), __func__, (name));                                               \
    } while (0)

// Return from the public function if an array of `count` numbers is NULL; an empty array may be NULL.
#define CD_REQUIRE_ARRAY(array, count, name, report)                                                                   \
    do {                                                                                                               \
        if (!(array) && (count) > 0) return cd_fail_null((report), __func__, (name));                                  \
    } while (0)

// Return from the public function if an index is outside 0..count-1.
#define CD_REQUIRE_INDEX(index, count, name, report)                                                                   \
    do {                                                                                                               \
        if (!cd_is_index((index), (count))) return cd_fail_index((report), __func__, (name), (index), (count));        \
    } while (0)
