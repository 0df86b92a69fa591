// SPDX-License-Identifier: BSD-3-Clause
// Numbers as short texts.
#pragma once

// Short text of a number.
typedef struct cd_value_text {
    char text[64];
} cd_value_text;

cd_value_text cd_five_digit_text(double value);                              // five digits, "0", "-1.25e-7"
cd_value_text cd_two_digit_text(double value);                               // two digits, for errors: "3.1e-10"
cd_value_text cd_count_text(long value);                                     // "4,812"
cd_value_text cd_duration_text(double seconds);                              // "40 s", "12 min", "3 h", "20 days"
cd_value_text cd_plural_text(long count, const char* one, const char* many); // "1 joint", "no joints", "3 joints"
// Five digits; values that are round-off next to `largest` are "0".
cd_value_text cd_rounded_text(double value, double largest);
// Largest absolute value, at least `least`; values that are not finite are ignored.
double cd_largest_value(int count, const double* value, double least);
// "[0, 0.5, -9.81]"; components at the round-off level of the largest component, or of `scale`, are printed as 0.
cd_value_text cd_vector_text(int count, const double* value, double scale);
