// SPDX-License-Identifier: BSD-3-Clause
// Optional parts of the library: foreign libraries that a build may leave out (parts.def, CMakeLists.txt).
#pragma once

#include <cardan/status.h>
#include <cardan/version.h>

// Name of a part if it is not in this build; NULL if it is.
const char* cd_part_missing(const char* name);
// Report that `what` ("the integrator 'ida'") needs a part that is not in this build, with its package. Returns
// CARDAN_UNSUPPORTED.
cardan_status cd_fail_missing_part(cardan_report* report, const char* part, cardan_location location, const char* what,
                                   ...) __attribute__((format(printf, 4, 5)));
