// SPDX-License-Identifier: BSD-3-Clause
// Helpers of test_arguments*.c: invalid arguments are NULL, NaN, infinity and indices that do not exist. Every public
// function must reject them by its result without a crash; the sanitized subset runs these tests too.
// test/project/check_install.sh checks that one of these tests calls each function of the headers.
#pragma once

#include "fixture.h"

#include <limits.h>

#define BAD(call) CHECK((call) == CARDAN_BAD_USAGE)
// any other status: the argument is rejected before or after a file is opened
#define WRONG(call) CHECK((call) != CARDAN_OK)
#define NONE(call) CHECK((call) == CARDAN_NONE)
#define NIL(call) CHECK((call) == NULL)
#define NOT(call) CHECK(!(call))
#define NAN_(call) CHECK(isnan(call))

static const int    bad_index[]  = {-1, -2, -100, INT_MIN, INT_MAX, 1000000};
static const double not_finite[] = {NAN, INFINITY, -INFINITY};
enum { BAD_INDICES = sizeof bad_index / sizeof *bad_index, BAD_NUMBERS = sizeof not_finite / sizeof *not_finite };

// The first message of the report has this code and contains both texts. Clear the report.
static inline void check_report(cardan_report* report, cardan_code code, const char* one, const char* other)
{
    CHECK(report->count > 0);
    if (report->count > 0) {
        CHECK_TEXT(cardan_code_name(report->message[0].code), cardan_code_name(code));
        CHECK_HAS(report->message[0].text, one);
        CHECK_HAS(report->message[0].text, other);
    }
    cardan_report_clear(report);
}
