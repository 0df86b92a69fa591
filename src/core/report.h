// SPDX-License-Identifier: BSD-3-Clause
// Appending one report to another.
#pragma once

#include <cardan/status.h>

enum {
    CD_APPEND_NOTES    = 1 << CARDAN_NOTE,
    CD_APPEND_WARNINGS = 1 << CARDAN_WARNING,
    CD_APPEND_ERRORS   = 1 << CARDAN_ERROR,
    CD_APPEND_ALL      = CD_APPEND_NOTES | CD_APPEND_WARNINGS | CD_APPEND_ERRORS
};

// Append the messages of `from` whose severity is in the set, within the limits of a report; messages dropped in `from`
// or here are counted. `to` may be NULL.
void cd_report_append(cardan_report* to, const cardan_report* from, int severities);
