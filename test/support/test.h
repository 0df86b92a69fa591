// SPDX-License-Identifier: BSD-3-Clause
// Test programs: main calls RUN for every test function, test functions call CHECK macros, and main ends with
// `return test_end();`.
#pragma once

#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

static int         test_passed, test_failed, test_skipped; // number of test functions
static bool        test_broken;                            // a check of the current test function has failed
static const char* test_missing_part;                      // that the current test function needs; NULL: none

#ifdef TEST_MISSING_PARTS // a build without all parts: the linker passes reports of missing parts through this function
#include <cardan/status.h>

cardan_status __wrap_cd_fail_missing_part(cardan_report* report, const char* part, cardan_location location,
                                          const char* what, ...);
__attribute__((weak)) cardan_status __wrap_cd_fail_missing_part(cardan_report* report, const char* part,
                                                                cardan_location location, const char* what, ...)
{
    test_missing_part = part;
    return cardan_fail(report, CARDAN_UNSUPPORTED, CARDAN_CODE_NOT_IN_BUILD, location, "%s", what);
}
#endif

#define CHECK(condition)                                                                                               \
    do {                                                                                                               \
        if (!(condition)) {                                                                                            \
            printf("%s:%d: not true: %s\n", __FILE__, __LINE__, #condition);                                           \
            test_broken = true;                                                                                        \
        }                                                                                                              \
    } while (0)

// |value - expected| <= tolerance * max(1, |expected|); NaN fails.
#define CHECK_NEAR(value, expected, tolerance)                                                                         \
    do {                                                                                                               \
        const double test_v = (value), test_e = (expected);                                                            \
        if (!(fabs(test_v - test_e) <= (tolerance)*fmax(1, fabs(test_e)))) {                                           \
            printf("%s:%d: %s is %.17g, not %.17g (off by %.3g)\n", __FILE__, __LINE__, #value, test_v, test_e,        \
                   fabs(test_v - test_e));                                                                             \
            test_broken = true;                                                                                        \
        }                                                                                                              \
    } while (0)

#define CHECK_TEXT(value, expected)                                                                                    \
    do {                                                                                                               \
        const char *test_v = (value), *test_e = (expected);                                                            \
        if (!test_v || strcmp(test_v, test_e) != 0) {                                                                  \
            printf("%s:%d: %s is \"%s\", not \"%s\"\n", __FILE__, __LINE__, #value, test_v ? test_v : "(null)",        \
                   test_e);                                                                                            \
            test_broken = true;                                                                                        \
        }                                                                                                              \
    } while (0)

// The text contains the part; for files and generated code (messages: sentences.h).
#define CHECK_HAS(text, part)                                                                                          \
    do {                                                                                                               \
        const char *test_v = (text), *test_p = (part);                                                                 \
        if (!test_v || !strstr(test_v, test_p)) {                                                                      \
            printf("%s:%d: \"%s\" is not in \"%s\"\n", __FILE__, __LINE__, test_p, test_v ? test_v : "(null)");        \
            test_broken = true;                                                                                        \
        }                                                                                                              \
    } while (0)

// End a test function that needs an optional part, by its name in cardan_part, if it is not in this build.
#define NEEDS_PART(name)                                                                                               \
    do {                                                                                                               \
        if (cardan_part_at(cardan_part_find(name)).built) break;                                                       \
        test_missing_part = (name);                                                                                    \
        test_broken       = true;                                                                                      \
        return;                                                                                                        \
    } while (0)

// Run a test function. One that fails after it asked for a part that is not in this build is skipped.
#define RUN(call)                                                                                                      \
    do {                                                                                                               \
        test_broken       = false;                                                                                     \
        test_missing_part = NULL;                                                                                      \
        call;                                                                                                          \
        if (test_broken && test_missing_part)                                                                          \
            printf("skipped: %s needs %s\n", #call, test_missing_part);                                                \
        else if (test_broken)                                                                                          \
            printf("failed: %s\n", #call);                                                                             \
        ++*(!test_broken ? &test_passed : test_missing_part ? &test_skipped : &test_failed);                           \
        fflush(stdout);                                                                                                \
    } while (0)

static inline int test_end(void)
{
    printf("%d passed, %d failed\n", test_passed, test_failed);
    return test_failed != 0 ? 1 : test_skipped > 0 && test_passed == 0 ? 77 : 0;
}
