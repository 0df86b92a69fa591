// SPDX-License-Identifier: BSD-3-Clause
// From result tables to panels: columns are selected by name and grouped by unit. Colours distinguish columns and
// dashes distinguish runs; colours distinguish runs if every panel has one column.
#include "draw/plot/plot_results.h"

#include "core/memory.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

// Column of the plot, common to all runs.
typedef struct series {
    const char *name, *unit;
    int         panel, index; // index among the series of its panel
} series;

typedef struct plot_selection {
    int                    nrun;
    const cd_plot_run*     run;
    const cd_plot_options* options;
    int                    nseries, series_capacity;
    series*                series;
    int                    npanel, panel_capacity;
    const char**           unit; // (npanel)
    int*                   size; // (npanel) number of series
    int                    size_capacity;
    int                    nomitted;
    bool                   failed;
} plot_selection;

// True if `name` matches a pattern with * as wildcard.
static bool matches_pattern(const char* pattern, const char* name)
{
    const char *star = NULL, *retry = NULL;
    while (*name) {
        if (*pattern == '*') {
            star  = pattern++;
            retry = name;
        } else if (*pattern == *name) {
            ++pattern;
            ++name;
        } else if (star) {
            pattern = star + 1;
            name    = ++retry;
        } else {
            return false;
        }
    }
    while (*pattern == '*') ++pattern;
    return *pattern == '\0';
}

static const char* x_name(const plot_selection* c, const cd_result_table* table)
{
    return c->options->x ? c->options->x : table->column[0].name;
}

static int find_panel(plot_selection* c, const char* unit)
{
    for (int i = 0; i < c->npanel; ++i)
        if (strcmp(c->unit[i], unit) == 0) return i;
    if (c->options->npattern == 0 && c->npanel == CD_PLOT_PANELS_MAX) return -1;
    if (!cd_array_grow((void**)&c->unit, &c->panel_capacity, c->npanel, sizeof *c->unit) ||
        !cd_array_grow((void**)&c->size, &c->size_capacity, c->npanel, sizeof *c->size)) {
        c->failed = true;
        return -1;
    }
    c->unit[c->npanel] = unit;
    c->size[c->npanel] = 0;
    return c->npanel++;
}

static void add_series(plot_selection* c, const cd_column* column)
{
    for (int i = 0; i < c->nseries; ++i)
        if (strcmp(c->series[i].name, column->name) == 0) return;
    const int panel = find_panel(c, column->unit);
    if (panel < 0 || (c->options->npattern == 0 && c->size[panel] == CD_PLOT_CURVES_MAX)) {
        ++c->nomitted;
        return;
    }
    if (!cd_array_grow((void**)&c->series, &c->series_capacity, c->nseries, sizeof *c->series)) {
        c->failed = true;
        return;
    }
    c->series[c->nseries++] = (series){column->name, column->unit, panel, c->size[panel]++};
}

static const char* candidate(void* user, int i)
{
    const cd_result_table* table = user;
    return i < table->ncolumn ? table->column[i].name : NULL;
}

enum { COLUMNS_LISTED = 8 };

static cardan_status fail_unknown_column(const plot_selection* c, const char* name, cardan_report* report)
{
    const char* suggestion = cd_nearest_name(name, candidate, (void*)(size_t)c->run[0].table);
    if (suggestion)
        return cardan_fail(report, CARDAN_BAD_INPUT, CARDAN_CODE_UNKNOWN_NAME, cardan_location_none(),
                           "there is no column '%s' (did you mean '%s'?)", name, suggestion);
    const cd_result_table* table = c->run[0].table;
    cd_text                names = {0};
    for (int i = 0; i < table->ncolumn && i < COLUMNS_LISTED; ++i)
        cd_text_format(&names, i ? ", %s" : "%s", table->column[i].name);
    if (table->ncolumn > COLUMNS_LISTED) cd_text_format(&names, " and %d more", table->ncolumn - COLUMNS_LISTED);
    const cardan_status status =
        names.failed
            ? CARDAN_NO_MEMORY
            : cardan_fail(report, CARDAN_BAD_INPUT, CARDAN_CODE_UNKNOWN_NAME, cardan_location_none(),
                          "there is no column '%s'; the columns are %s", name, names.data ? names.data : "none");
    cd_text_free(&names);
    return status;
}

// Without patterns: outputs and states of the user first, whose names contain no point (`tip_x`), then columns of the
// elements (`hinge.q`).
static void select_all(plot_selection* c)
{
    for (int of_element = 0; of_element < 2; ++of_element)
        for (int r = 0; r < c->nrun; ++r) {
            const cd_result_table* t = c->run[r].table;
            for (int i = 0; i < t->ncolumn; ++i)
                if ((strchr(t->column[i].name, '.') != NULL) == of_element &&
                    strcmp(t->column[i].name, x_name(c, t)) != 0)
                    add_series(c, &t->column[i]);
        }
}

static cardan_status select_pattern(plot_selection* c, const char* pattern, cardan_report* report)
{
    bool found = false;
    for (int r = 0; r < c->nrun; ++r) {
        const cd_result_table* t = c->run[r].table;
        for (int i = 0; i < t->ncolumn; ++i) {
            if (!matches_pattern(pattern, t->column[i].name)) continue;
            found = true;
            if (strcmp(t->column[i].name, x_name(c, t)) != 0 || strcmp(pattern, x_name(c, t)) == 0)
                add_series(c, &t->column[i]);
        }
    }
    return found ? CARDAN_OK : fail_unknown_column(c, pattern, report);
}

static cardan_status select_series(plot_selection* c, cardan_report* report)
{
    cardan_status status = CARDAN_OK;
    for (int r = 0; r < c->nrun; ++r)
        if (c->run[r].table->nsample == 0)
            cardan_warn(report, CARDAN_CODE_NOTHING_TO_DRAW, cardan_location_none(), "%s has no samples",
                        c->run[r].name);
    if (c->options->x && cd_result_table_find_column(c->run[0].table, c->options->x) < 0)
        return fail_unknown_column(c, c->options->x, report);
    if (c->options->npattern == 0) select_all(c);
    for (int i = 0; i < c->options->npattern && status != CARDAN_NO_MEMORY; ++i) {
        const cardan_status found = select_pattern(c, c->options->pattern[i], report);
        if (found != CARDAN_OK) status = found;
    }
    if (c->failed || status == CARDAN_NO_MEMORY)
        return cardan_fail(report, CARDAN_NO_MEMORY, CARDAN_CODE_OUT_OF_MEMORY, cardan_location_none(),
                           "out of memory for the plot");
    if (status == CARDAN_OK && c->nseries == 0)
        status = cardan_fail(report, CARDAN_BAD_INPUT, CARDAN_CODE_NOTHING_TO_DRAW, cardan_location_none(),
                             "'%s' is the only column: there is nothing to plot over it", x_name(c, c->run[0].table));
    if (c->nomitted && !c->options->is_noted)
        cardan_note(report, CARDAN_CODE_CURVES_OMITTED, cardan_location_none(),
                    "%d columns are shown and %d are omitted; name the columns to show", c->nseries, c->nomitted);
    return status;
}

// Name of the quantity measured in a unit, for axis titles.
static const char* quantity(const char* unit)
{
    static const char* const table[][2] = {
        {"rad", "angle"},
        {"deg", "angle"},
        {"m", "position"},
        {"rad/s", "angular velocity"},
        {"m/s", "velocity"},
        {"rad/s^2", "angular acceleration"},
        {"m/s^2", "acceleration"},
        {"N", "force"},
        {"N m", "torque"},
        {"J", "energy"},
        {"W", "power"},
        {"s", "time"},
        {"kg m/s", "momentum"},
        {"kg m^2/s", "angular momentum"},
    };
    for (size_t i = 0; i < sizeof table / sizeof *table; ++i)
        if (strcmp(unit, table[i][0]) == 0) return table[i][1];
    return NULL;
}

// Make the curves panel by panel, in each panel series by series, in each series run by run. Returns their number.
static int make_curves(const plot_selection* c, cd_panel* panel, cd_curve* curve)
{
    bool single = true; // one series in every panel: colours distinguish runs
    int  made   = 0;
    for (int k = 0; k < c->npanel; ++k) single &= c->size[k] == 1;
    for (int k = 0; k < c->npanel; ++k) {
        const char* last_name = NULL;
        cd_panel*   p         = &panel[k];
        *p                    = (cd_panel){
                               .name = quantity(c->unit[k]), .unit = c->unit[k], .log = c->options->y_log, .curve = curve + made};
        for (int i = 0; i < c->nseries; ++i) {
            const series* s = &c->series[i];
            if (s->panel != k) continue;
            last_name  = s->name;
            bool named = c->size[k] == 1; // the axis title has the name
            for (int r = 0; r < c->nrun; ++r) {
                const cd_result_table* t = c->run[r].table;
                const int y = cd_result_table_find_column(t, s->name), x = cd_result_table_find_column(t, x_name(c, t));
                if (y < 0 || x < 0) continue;
                const bool by_colour = single && c->nrun > 1;
                curve[made++]        = (cd_curve){.name   = named ? NULL : s->name,
                                                  .count  = t->nsample,
                                                  .x      = t->value[x],
                                                  .y      = t->value[y],
                                                  .colour = by_colour ? r : s->index,
                                                  .dash   = by_colour     ? r / 7
                                                            : c->nrun > 1 ? r + s->index / 7
                                                                          : s->index / 7};
                named                = true;
                ++p->ncurve;
            }
        }
        if (c->size[k] == 1) p->name = last_name;
    }
    return made;
}

static void make_keys(const plot_selection* c, cd_plot_key* key)
{
    bool single = true;
    for (int k = 0; k < c->npanel; ++k) single &= c->size[k] == 1;
    for (int r = 0; r < c->nrun; ++r)
        key[r] = (cd_plot_key){.name = c->run[r].name, .colour = single ? r : -1, .dash = single ? r / 7 : r};
}

static cardan_status draw(const plot_selection* c, cd_text* svg, cardan_report* report)
{
    const cd_result_table* first = c->run[0].table;
    const int              x     = cd_result_table_find_column(first, x_name(c, first));
    cd_panel*              panel = cd_allocate((size_t)c->npanel, sizeof *panel);
    cd_curve*              curve = cd_allocate((size_t)c->nseries * (size_t)c->nrun, sizeof *curve);
    cd_plot_key*           key   = cd_allocate((size_t)c->nrun, sizeof *key);
    cardan_status          status;
    if (panel && curve && key) {
        make_curves(c, panel, curve);
        make_keys(c, key);
        char remark[160] = "";
        if (c->nomitted)
            snprintf(remark, sizeof remark, "%d of %d columns are not shown; --columns selects the columns",
                     c->nomitted, c->nseries + c->nomitted);
        const cd_plot_options* w    = c->options;
        const cd_plot          plot = {.title    = w->title,
                                       .subtitle = w->subtitle,
                                       .remark   = *remark ? remark : NULL,
                                       .x_name   = first->column[x].name,
                                       .x_unit   = first->column[x].unit,
                                       .x_log    = w->x_log,
                                       .npanel   = c->npanel,
                                       .nkey     = c->nrun > 1 ? c->nrun : 0,
                                       .panel    = panel,
                                       .key      = key,
                                       .width    = w->width,
                                       .height   = w->height};
        status                      = cd_plot_svg(&plot, svg, report);
    } else {
        status = cardan_fail(report, CARDAN_NO_MEMORY, CARDAN_CODE_OUT_OF_MEMORY, cardan_location_none(),
                             "out of memory for the plot");
    }
    free(panel);
    free(curve);
    free(key);
    return status;
}

cardan_status cd_plot_results(int nrun, const cd_plot_run* run, const cd_plot_options* options, cd_text* svg,
                              cardan_report* report)
{
    if (nrun < 1)
        return cardan_fail(report, CARDAN_BAD_USAGE, CARDAN_CODE_NOTHING_TO_DRAW, cardan_location_none(),
                           "the plot has no data");
    plot_selection c      = {.nrun = nrun, .run = run, .options = options, .nomitted = options->nomitted};
    cardan_status  status = select_series(&c, report);
    if (status == CARDAN_OK && c.failed)
        status = cardan_fail(report, CARDAN_NO_MEMORY, CARDAN_CODE_OUT_OF_MEMORY, cardan_location_none(),
                             "out of memory for the plot");
    if (status == CARDAN_OK) status = draw(&c, svg, report);
    free(c.series);
    free(c.unit);
    free(c.size);
    return status;
}
