// SPDX-License-Identifier: BSD-3-Clause
// Statistics of columns. Root mean square over time: RMS^2 = 1/T int x^2 dt, by the trapezoidal rule.
#include "cli/report/column_statistics.h"

#include "cli/cli_tolerances.h"
#include "cli/report/text_table.h"
#include "cli/report/value_text.h"
#include "core/memory.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

bool cd_column_statistics_open(cd_column_statistics* s, int ncolumn)
{
    double** const array[] = {&s->minimum, &s->maximum, &s->integral, &s->duration, &s->last};
    bool           good    = true;
    *s                     = (cd_column_statistics){.ncolumn = ncolumn};
    for (int i = 0; i < 5; ++i) good = (*array[i] = cd_allocate((size_t)ncolumn + 1, sizeof(double))) && good;
    return good;
}

void cd_column_statistics_free(cd_column_statistics* s)
{
    free(s->minimum);
    free(s->maximum);
    free(s->integral);
    free(s->duration);
    free(s->last);
    *s = (cd_column_statistics){0};
}

void cd_column_statistics_add(cd_column_statistics* s, const double* value)
{
    const double dt = s->nsample > 0 ? value[0] - s->last[0] : 0;
    for (int i = 0; i < s->ncolumn; ++i) {
        const double x = value[i], y = s->last[i];
        if (s->nsample == 0) s->minimum[i] = INFINITY, s->maximum[i] = -INFINITY;
        if (isfinite(x)) {
            s->minimum[i] = fmin(s->minimum[i], x);
            s->maximum[i] = fmax(s->maximum[i], x);
        }
        if (isfinite(x) && isfinite(y)) {
            s->integral[i] += (x * x + y * y) / 2 * dt;
            s->duration[i] += dt;
        }
    }
    memcpy(s->last, value, (size_t)s->ncolumn * sizeof *value);
    ++s->nsample;
}

// Largest absolute value of the columns of one unit; for torques also of forces, with a lever of 1 m.
static double largest_of_unit(const cd_column_statistics* s, const cd_column* column, const char* unit)
{
    const size_t n       = strlen(unit);
    const size_t force   = n > 2 && strcmp(unit + n - 2, " m") == 0 ? n - 2 : 0;
    double       largest = 0;
    for (int i = 1; i < s->ncolumn; ++i) {
        const char* u       = column[i].unit ? column[i].unit : "";
        const bool  matches = strcmp(u, unit) == 0 || (force > 0 && strlen(u) == force && strncmp(u, unit, force) == 0);
        if (matches && isfinite(s->minimum[i])) largest = fmax(largest, fmax(fabs(s->minimum[i]), fabs(s->maximum[i])));
    }
    return largest;
}

static void add_value(cd_text_table* table, double value, double largest)
{
    cd_text_table_add(table, "%s", isfinite(value) ? cd_rounded_text(value, largest).text : "-");
}

void cd_column_statistics_print(const cd_column_statistics* s, const cd_column* column)
{
    static const char* const head[] = {"column", "unit", "minimum", "maximum", "RMS"};
    cd_text_table            table  = {.align = "llrrr"};
    for (int i = 0; i < 5; ++i) cd_text_table_add(&table, "%s", head[i]);
    for (int i = 1; i < s->ncolumn; ++i) {
        const char*  unit    = column[i].unit ? column[i].unit : "";
        const double largest = largest_of_unit(s, column, unit);
        const double rms     = s->duration[i] > 0 ? sqrt(s->integral[i] / s->duration[i])
                               : s->nsample > 0   ? fabs(s->last[i])
                                                  : NAN;
        cd_text_table_add(&table, "%s", column[i].name);
        cd_text_table_add(&table, "%s", unit);
        add_value(&table, s->minimum[i], largest);
        add_value(&table, s->maximum[i], largest);
        add_value(&table, rms, largest);
    }
    cd_text_table_print(&table);
}
