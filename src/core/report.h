// SPDX-License-Identifier: BSD-3-Clause
// Messages of one report in another.
#pragma once

#include <cardan/status.h>

enum {
    CD_TAKE_NOTES    = 1 << CARDAN_NOTE,
    CD_TAKE_WARNINGS = 1 << CARDAN_WARNING,
    CD_TAKE_ERRORS   = 1 << CARDAN_ERROR,
    CD_TAKE_ALL      = CD_TAKE_NOTES | CD_TAKE_WARNINGS | CD_TAKE_ERRORS
};

// Appends the messages of `from` whose severity is in the set, within the limits of a report; what finds no room, there
// or here, is counted. `to` may be NULL.
void cd_report_append(cardan_report* to, const cardan_report* from, int severities);
