// SPDX-License-Identifier: BSD-3-Clause
// Text: short decimal numbers, and the most similar name for suggestions.
#include "core/text.h"
#include "test.h"

#include <stdarg.h>
#include <stdlib.h>

// Linked with --wrap for vsnprintf (test/CMakeLists.txt), so that a call can fail as it does without memory.
int __real_vsnprintf(char* text, size_t size, const char* format, va_list arguments);
int __wrap_vsnprintf(char* text, size_t size, const char* format, va_list arguments);

static int failing; // number of the call that fails, counted down to 0; 0: none

int __wrap_vsnprintf(char* text, size_t size, const char* format, va_list arguments)
{
    const int n = __real_vsnprintf(text, size, format, arguments);
    if (failing == 0 || --failing > 0) return n;
    if (size > 1) text[1] = '\0'; // output stops after one character
    return -1;
}

// Formatting calls vsnprintf twice. If one call fails, the text is marked as failed and is neither returned nor
// extended.
static void test_formatting_fails(void)
{
    for (int call = 1; call <= 3; ++call) {
        cd_text text = {0};
        cd_text_add(&text, "begin ");
        failing = call;
        cd_text_format(&text, "%s of %d", "number", 12);
        failing = 0;
        CHECK(text.failed == (call < 3));
        CHECK_TEXT(text.data, call < 3 ? "begin " : "begin number of 12");
        cd_text_add(&text, " end");
        char* taken = cd_text_detach(&text);
        CHECK((taken == NULL) == (call < 3));
        if (taken) CHECK_TEXT(taken, "begin number of 12 end");
        free(taken);
    }
}

static void check_number(double value, const char* expected)
{
    cd_text text = {0};
    cd_text_number(&text, value);
    CHECK_TEXT(text.data, expected);
    CHECK(memcmp(&(double){strtod(text.data, NULL)}, &value, sizeof value) == 0);
    cd_text_free(&text);
}

static void test_numbers(void)
{
    check_number(0, "0");
    check_number(-0.0, "-0");
    check_number(20, "20");
    check_number(120, "120");
    check_number(-4000, "-4000");
    check_number(0.1, "0.1");
    check_number(0.0001, "0.0001");
    check_number(-0.00012345678901234567, "-0.00012345678901234567");
    check_number(0.00001, "1e-5");
    check_number(9.99e-5, "9.99e-5");
    check_number(1.0 / 3, "0.3333333333333333");
    check_number(0.1 + 0.2, "0.30000000000000004");
    check_number(1e14, "100000000000000");
    check_number(999999999999999, "999999999999999");
    check_number(123456789012345.6, "123456789012345.6");
    check_number(1e15, "1e15");
    check_number(1.5e300, "1.5e300");
    check_number(5e-324, "5e-324");
    check_number(1.7976931348623157e308, "1.7976931348623157e308");
    check_number(INFINITY, "inf");
}

static const char* word(void* user, int i) { return ((const char**)user)[i]; }

static void test_nearest(void)
{
    const char* words[] = {"sin", "cos", "stiffness", "Body", "damping", NULL};
    CHECK_TEXT(cd_nearest_name("sni", word, words), "sin");
    CHECK_TEXT(cd_nearest_name("cso", word, words), "cos");
    CHECK_TEXT(cd_nearest_name("stifnfess", word, words), "stiffness");
    CHECK_TEXT(cd_nearest_name("body", word, words), "Body");
    CHECK_TEXT(cd_nearest_name("dampng", word, words), "damping");
    CHECK(!cd_nearest_name("nis", word, words));
    CHECK(!cd_nearest_name("x", word, words));
    const char* close[] = {"ab", "ba", "abcd", NULL};
    CHECK_TEXT(cd_nearest_name("abdc", word, close), "abcd");
}

int main(void)
{
    RUN(test_numbers());
    RUN(test_nearest());
    RUN(test_formatting_fails());
    return test_end();
}
