// SPDX-License-Identifier: BSD-3-Clause
// Arguments that nothing can be computed with, for test_arguments*.c: NULL, NaN and infinity, indices that do not
// exist. Every public function refuses them by its result, and none crashes; the sanitized subset runs these tests too.
// test/project/check_install.sh checks that each function of the headers is called in one of them.
#pragma once

#include "fixture.h"

#include <limits.h>

#define BAD(call) CHECK((call) == CARDAN_BAD_USAGE)
#define WRONG(call) CHECK((call) != CARDAN_OK) // by other statuses too: the input is wrong, there is no file
#define NONE(call) CHECK((call) == CARDAN_NONE)
#define NIL(call) CHECK((call) == NULL)
#define NOT(call) CHECK(!(call))
#define NAN_(call) CHECK(isnan(call))

static const int    off[]        = {-1, -2, -100, INT_MIN, INT_MAX, 1000000};
static const double not_finite[] = {NAN, INFINITY, -INFINITY};
enum { OFF = sizeof off / sizeof *off, BAD_NUMBERS = sizeof not_finite / sizeof *not_finite };

// A sentence of the report names all of it.
static inline void check_says(cardan_report* report, const char* one, const char* other)
{
    CHECK(report->count > 0);
    if (report->count > 0) {
        CHECK_HAS(report->message[0].text, one);
        CHECK_HAS(report->message[0].text, other);
    }
    cardan_report_clear(report);
}
