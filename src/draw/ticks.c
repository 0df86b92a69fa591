// SPDX-License-Identifier: BSD-3-Clause
// Ticks: spacings of 1, 2, 5 (2.5 if these give too few ticks) times a power of ten, labels with the fewest digits.
#include "draw/ticks.h"

#include "draw/draw_tolerances.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

// 10^n without the round-off of pow on some systems.
static double power_of_ten(int n)
{
    char   text[16];
    double value = 0;
    snprintf(text, sizeof text, "1e%d", n);
    sscanf(text, "%lf", &value);
    return value;
}

double cd_nice_below(double x)
{
    if (!(x > 0) || !isfinite(x)) return 0;
    const int    n    = (int)floor(log10(x) + cd_tick_value_tolerance);
    const double base = power_of_ten(n), slack = 1 + cd_tick_value_tolerance;
    return 5 * base <= x * slack ? 5 * base : 2 * base <= x * slack ? 2 * base : base;
}

double cd_nice_above(double x)
{
    const double below = cd_nice_below(x);
    if (below == 0 || below >= x * (1 - cd_tick_value_tolerance)) return below;
    const double lead = below / power_of_ten((int)floor(log10(below) + cd_tick_value_tolerance));
    return lead > 1.5 && lead < 3 ? 2.5 * below : 2 * below;
}

// Decimals that a multiple of `spacing` needs.
static int decimals_of(double spacing)
{
    int          n    = -(int)floor(log10(spacing) + cd_tick_value_tolerance);
    const double lead = spacing * power_of_ten(n);
    if (fabs(lead - nearbyint(lead)) > cd_tick_place_tolerance) ++n; // 2.5
    return n > 0 ? n : 0;
}

static double first_tick(double low, double spacing) { return ceil(low / spacing - cd_tick_place_tolerance); }

static double tick_count(double low, double high, double spacing)
{
    return floor(high / spacing + cd_tick_place_tolerance) - first_tick(low, spacing) + 1;
}

// Next smaller spacing: 5, 2.5, 2, 1, 0.5 ...
static double finer_spacing(double spacing)
{
    const double lead = spacing / power_of_ten((int)floor(log10(spacing) + cd_tick_value_tolerance));
    return lead > 2.2 && lead < 2.8 ? 0.8 * spacing : 0.5 * spacing;
}

// Choose a common factor and offset if plain labels would be long.
static void factor_labels(cd_ticks* t, double low, double high, double spacing)
{
    const double magnitude = fmax(fabs(low), fabs(high));
    t->offset              = 0;
    double largest         = magnitude;
    if (high - low < 1e-3 * magnitude) {
        t->offset = nearbyint(low / (10 * spacing)) * (10 * spacing);
        largest   = fmax(fabs(low - t->offset), fabs(high - t->offset));
    }
    const int n = (int)floor(log10(largest) + cd_tick_value_tolerance);
    t->exponent = n >= 5 || n <= -4 ? 3 * (int)floor(n / 3.0) : 0;
}

void cd_ticks_linear(cd_ticks* t, double low, double high, int wanted)
{
    *t             = (cd_ticks){0};
    double spacing = cd_nice_above((high - low) / (wanted > 1 ? wanted : 1));
    while (spacing > 0 && (high - low) / spacing > CD_TICKS_MAX - 2) spacing = cd_nice_above(1.5 * spacing);
    if (!(spacing > 0)) return;
    while (tick_count(low, high, spacing) < CD_TICKS_MIN) spacing = finer_spacing(spacing);
    factor_labels(t, low, high, spacing);
    const double first    = first_tick(low, spacing);
    const int    decimals = decimals_of(spacing / power_of_ten(t->exponent));
    for (int i = 0; i < CD_TICKS_MAX && (first + i) * spacing <= high + cd_tick_place_tolerance * spacing; ++i) {
        double value = (first + i) * spacing;
        if (fabs(value) < cd_tick_value_tolerance * spacing) value = 0;
        double shown = (value - t->offset) / power_of_ten(t->exponent);
        if (fabs(shown) < cd_tick_place_tolerance * spacing / power_of_ten(t->exponent)) shown = 0;
        t->value[i] = value;
        snprintf(t->text[i], sizeof t->text[i], "%s%.*f", shown < 0 ? "\u2212" : "", decimals, fabs(shown));
        t->count = i + 1;
    }
}

// Exponent in superscript digits.
static void superscript(int n, char* text, size_t size)
{
    static const char* const digit[] = {"\u2070", "\u00B9", "\u00B2", "\u00B3", "\u2074",
                                        "\u2075", "\u2076", "\u2077", "\u2078", "\u2079"};
    char                     plain[16];
    size_t                   used = 0;
    snprintf(plain, sizeof plain, "%d", n);
    text[0] = '\0';
    for (const char* c = plain; *c && used + 4 < size; ++c)
        used += (size_t)snprintf(text + used, size - used, "%s", *c == '-' ? "\u207B" : digit[*c - '0']);
}

static void add_log_tick(cd_ticks* t, double lead, int n, bool plain)
{
    if (t->count == CD_TICKS_MAX) return;
    char* text         = t->text[t->count];
    t->value[t->count] = lead * power_of_ten(n);
    if (plain) {
        snprintf(text, sizeof t->text[0], "%.6g", lead * power_of_ten(n));
    } else {
        char up[16];
        superscript(n, up, sizeof up);
        if (lead > 1)
            snprintf(text, sizeof t->text[0], "%.0f\u00B710%s", lead, up);
        else
            snprintf(text, sizeof t->text[0], "10%s", up);
    }
    ++t->count;
}

// Add every stride-th power of ten; `between`: also 2 and 5 times a power.
static void fill_log(cd_ticks* t, double low, double high, int stride, bool between)
{
    const int first = (int)floor(log10(low) + cd_tick_value_tolerance),
              last  = (int)ceil(log10(high) - cd_tick_value_tolerance);
    *t              = (cd_ticks){0};
    for (int n = first; n <= last; ++n) {
        if (n % stride != 0) continue;
        for (int k = 0; k < 3; ++k) {
            const double lead = k == 0 ? 1 : k == 1 ? 2 : 5, value = lead * power_of_ten(n);
            if ((k > 0 && !between) || value < low * (1 - cd_tick_value_tolerance) ||
                value > high * (1 + cd_tick_value_tolerance))
                continue;
            add_log_tick(t, lead, n, low > 0.99e-3 && high < 1.01e5);
        }
    }
}

void cd_ticks_log(cd_ticks* t, double low, double high, int wanted)
{
    const double decades = log10(high / low);
    int          stride  = (int)fmax(1, ceil(decades / wanted));
    fill_log(t, low, high, stride, 2 * decades < wanted);
    while (t->count < CD_TICKS_MIN && stride > 1) fill_log(t, low, high, --stride, false);
    if (t->count < CD_TICKS_MIN) fill_log(t, low, high, 1, true);
    if (t->count < CD_TICKS_MIN) cd_ticks_linear(t, low, high, wanted); // less than a decade
}

void cd_ticks_note(const cd_ticks* t, char* text, size_t size)
{
    char up[24];
    text[0] = '\0';
    superscript(t->exponent, up, sizeof up);
    if (t->exponent) snprintf(text, size, "\u00D710%s", up);
    const size_t used = strlen(text);
    if (t->offset != 0)
        snprintf(text + used, size - used, "%s%s %.10g", used ? " " : "", t->offset > 0 ? "+" : "\u2212",
                 fabs(t->offset));
}
