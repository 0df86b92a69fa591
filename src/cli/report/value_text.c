// SPDX-License-Identifier: BSD-3-Clause
// Numbers as short texts.
#include "cli/report/value_text.h"

#include "cli/cli_tolerances.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

// Remove leading zeros of the exponent: "1e-08" becomes "1e-8".
static void trim_exponent(char* text)
{
    char* e = strchr(text, 'e');
    if (!e) return;
    char* digits = e + 1 + (e[1] == '-' || e[1] == '+');
    while (digits[0] == '0' && digits[1]) memmove(digits, digits + 1, strlen(digits));
}

cd_value_text cd_five_digit_text(double value)
{
    cd_value_text word;
    snprintf(word.text, sizeof word.text, "%.5g", fabs(value) < 1e-300 ? 0.0 : value);
    trim_exponent(word.text);
    return word;
}

cd_value_text cd_rounded_text(double value, double largest)
{
    return cd_five_digit_text(fabs(value) <= cd_printed_round_off * largest ? 0 : value);
}

double cd_largest_value(int count, const double* value, double least)
{
    for (int i = 0; i < count; ++i)
        if (isfinite(value[i])) least = fmax(least, fabs(value[i]));
    return least;
}

cd_value_text cd_two_digit_text(double value)
{
    cd_value_text word;
    snprintf(word.text, sizeof word.text, "%.2g", value);
    trim_exponent(word.text);
    return word;
}

cd_value_text cd_duration_text(double seconds)
{
    cd_value_text word;
    if (seconds < 120)
        snprintf(word.text, sizeof word.text, "%.2g s", seconds);
    else if (seconds < 7200)
        snprintf(word.text, sizeof word.text, "%.0f min", seconds / 60);
    else if (seconds < 172800)
        snprintf(word.text, sizeof word.text, "%.0f h", seconds / 3600);
    else
        snprintf(word.text, sizeof word.text, "%.0f days", seconds / 86400);
    return word;
}

cd_value_text cd_count_text(long value)
{
    char          digits[32];
    cd_value_text word;
    const int     n = snprintf(digits, sizeof digits, "%ld", value);
    int           k = 0;
    for (int i = 0; i < n; ++i) {
        if (i > 0 && digits[i - 1] != '-' && (n - i) % 3 == 0) word.text[k++] = ',';
        word.text[k++] = digits[i];
    }
    word.text[k] = 0;
    return word;
}

cd_value_text cd_plural_text(long count, const char* one, const char* many)
{
    cd_value_text word;
    if (count == 0)
        snprintf(word.text, sizeof word.text, "no %.50s", many);
    else
        snprintf(word.text, sizeof word.text, "%.24s %.36s", cd_count_text(count).text, count == 1 ? one : many);
    return word;
}

cd_value_text cd_vector_text(int count, const double* value, double scale)
{
    cd_value_text word;
    double        largest = scale;
    for (int i = 0; i < count; ++i) largest = fmax(largest, fabs(value[i]));
    int n = snprintf(word.text, sizeof word.text, "[");
    for (int i = 0; i < count && n < (int)sizeof word.text - 16; ++i)
        n += snprintf(word.text + n, sizeof word.text - (size_t)n, "%s%.4g", i ? ", " : "",
                      fabs(value[i]) <= cd_printed_round_off * largest ? 0.0 : value[i]);
    snprintf(word.text + n, sizeof word.text - (size_t)n, "]");
    return word;
}
