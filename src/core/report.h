// SPDX-License-Identifier: BSD-3-Clause
// Messages of one report in another.
#pragma once

#include <cardan/status.h>

enum {
    CD_APPEND_NOTES    = 1 << CARDAN_NOTE,
    CD_APPEND_WARNINGS = 1 << CARDAN_WARNING,
    CD_APPEND_ERRORS   = 1 << CARDAN_ERROR,
    CD_APPEND_ALL      = CD_APPEND_NOTES | CD_APPEND_WARNINGS | CD_APPEND_ERRORS
};

// Appends the messages of `from` whose severity is in the set, within the limits of a report; what finds no room, there
// or here, is counted. `to` may be NULL.
void cd_report_append(cardan_report* to, const cardan_report* from, int severities);
