// SPDX-License-Identifier: BSD-3-Clause
// Round numbers for axes and scales.
#pragma once

#include <stdbool.h>
#include <stddef.h>

// The largest of 1, 2, 5 times a power of ten that is not above x; 0 for x that is not positive.
double cd_nice_below(double x);
// The smallest that is not below x.
double cd_nice_above(double x);

enum { CD_TICKS_MIN = 3, CD_TICKS_MAX = 24 };

// Ticks of one axis from `low` to `high` (low < high), about `wanted` of them and never fewer than CD_TICKS_MIN.
typedef struct cd_ticks {
    int    count;
    double value[CD_TICKS_MAX];
    char   text[CD_TICKS_MAX][24];
    double offset;   // taken off every label; 0: nothing
    int    exponent; // labels are to be multiplied by 10^exponent
} cd_ticks;

void cd_ticks_linear(cd_ticks* ticks, double low, double high, int wanted);
// Powers of ten (or every second, third ... of them; 2 and 5 between where there is room;
// any round numbers in less than a decade). low, high positive.
void cd_ticks_log(cd_ticks* ticks, double low, double high, int wanted);
// "x10^-3 + 19.62" as UTF-8 with raised digits, "" where labels mean what they say.
void cd_ticks_note(const cd_ticks* ticks, char* text, size_t size);
