// SPDX-License-Identifier: BSD-3-Clause
// Ticks and labels of axes at round numbers.
#pragma once

#include <stdbool.h>
#include <stddef.h>

// Largest number 1, 2 or 5 times a power of ten that is <= x; 0 for x <= 0.
double cd_nice_below(double x);
// Smallest such number >= x.
double cd_nice_above(double x);

enum { CD_TICKS_MIN = 3, CD_TICKS_MAX = 24 };

// Ticks of one axis from `low` to `high` (low < high): about `wanted`, at least CD_TICKS_MIN.
typedef struct cd_ticks {
    int    count;
    double value[CD_TICKS_MAX];
    char   text[CD_TICKS_MAX][24];
    double offset;   // subtracted from every label; 0: none
    int    exponent; // labels are in units of 10^exponent
} cd_ticks;

void cd_ticks_linear(cd_ticks* ticks, double low, double high, int wanted);
// Ticks at powers of ten: every n-th power if there are many, also 2 and 5 times a power if there is space, linear
// ticks within less than a decade. low, high > 0.
void cd_ticks_log(cd_ticks* ticks, double low, double high, int wanted);
// Common factor and offset of the labels as UTF-8 with superscripts, e.g. "x10^-3 + 19.62"; "" if there are none.
void cd_ticks_note(const cd_ticks* ticks, char* text, size_t size);
