// SPDX-License-Identifier: BSD-3-Clause
// Columns of a sweep. One row of the table below per measure of a wheel.
#include "cli/sweep_table.h"

#include "core/memory.h"
#include "draw/plot_grid.h"

#include <math.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define DEGREES 57.29577951308232

enum { TRAVEL = 1, STEERING = 2, BOTH = 3 };

typedef struct measure {
    const char *name, *title, *unit;
    double      factor;
    size_t      field;
    int         shown; // in which pictures
} measure;

#define FIELD(name) offsetof(cardan_wheel_state, name)

static const measure measures[] = {
    {"steer", "steer angle", "deg", DEGREES, FIELD(steer), STEERING},
    {"camber", "camber", "deg", DEGREES, FIELD(camber), BOTH},
    {"toe", "toe-in", "deg", DEGREES, FIELD(toe), TRAVEL},
    {"caster", "caster", "deg", DEGREES, FIELD(caster), BOTH},
    {"inclination", "kingpin inclination", "deg", DEGREES, FIELD(inclination), BOTH},
    {"scrub", "scrub radius", "mm", 1e3, FIELD(scrub), BOTH},
    {"trail", "caster trail", "mm", 1e3, FIELD(trail), BOTH},
    {"track", "track change", "mm", 1e3, FIELD(track), BOTH},
    {"wheelbase", "wheelbase change", "mm", 1e3, FIELD(wheelbase), BOTH},
    {"load", "wheel load", "N", 1, FIELD(load), BOTH},
    {"rate", "wheel rate", "N/mm", 1e-3, FIELD(rate), TRAVEL},
    {"spring_ratio", "motion ratio, spring", "1", 1, FIELD(spring_ratio), TRAVEL},
    {"damper_ratio", "motion ratio, damper", "1", 1, FIELD(damper_ratio), TRAVEL},
    {"spring_length", "spring length", "mm", 1e3, FIELD(spring_length), 0},
    {"damper_length", "damper length", "mm", 1e3, FIELD(damper_length), 0},
    {"roll_centre", "roll centre height", "mm", 1e3, FIELD(roll_centre), TRAVEL},
    {"brake_angle", "support angle, brakes", "deg", DEGREES, FIELD(brake_angle), TRAVEL},
    {"drive_angle", "support angle, drive", "deg", DEGREES, FIELD(drive_angle), 0},
    {"camber_gain", "camber gain", "deg/m", DEGREES, FIELD(camber_gain), 0},
    {"toe_gain", "bump steer", "deg/m", DEGREES, FIELD(toe_gain), 0},
};
enum { MEASURES = sizeof measures / sizeof *measures, MORE = 6 };

static double value_of(const cardan_wheel_state* wheel, const measure* m)
{
    double value;
    memcpy(&value, (const char*)wheel + m->field, sizeof value);
    return m->factor * value;
}

// Torsion springs have angles for lengths.
static measure as_angle(const measure* m, const cardan_wheel_state* wheel)
{
    measure    other = *m;
    const bool turns = strncmp(m->name, "spring", 6) == 0 ? wheel->spring_turns
                                                          : strncmp(m->name, "damper", 6) == 0 && wheel->damper_turns;
    if (!turns) return other;
    const bool ratio = strstr(m->name, "ratio") != NULL;
    other.factor     = ratio ? 1 : DEGREES;
    other.unit       = ratio ? "rad/m" : "deg";
    return other;
}

// ---- columns

typedef struct filler {
    cd_sweep_table* table;
    size_t          used;
    size_t          room;
} filler;

// A new column; NULL where none of `value` is finite, which says that there is no such measure.
static void add(filler* f, const char* wheel, int number, const char* name, const char* title, const char* unit,
                bool shown, const double* value)
{
    cd_sweep_table* t     = f->table;
    bool            found = false;
    for (int i = 0; i < t->nrow; ++i) found |= isfinite(value[i]);
    if (!found) return;
    char* start = t->names + f->used;
    f->used += (size_t)snprintf(start, f->room - f->used, "%s%s%s", wheel, *wheel ? "." : "", name) + 1;
    t->column[t->ncolumn]  = (cd_column){start, unit};
    t->wheel[t->ncolumn]   = number;
    t->measure[t->ncolumn] = name;
    t->title[t->ncolumn]   = title;
    t->shown[t->ncolumn]   = shown;
    memcpy(t->value[t->ncolumn], value, (size_t)t->nrow * sizeof *value);
    ++t->ncolumn;
}

static bool furnish(const cardan_suspension* u, cd_sweep_table* t, filler* f)
{
    const size_t n       = (size_t)(u->nwheel * (MEASURES + 1) + MORE);
    size_t       longest = 40;
    for (int i = 0; i < u->nwheel; ++i)
        longest = strlen(u->wheel[i].name) + 40 > longest ? strlen(u->wheel[i].name) + 40 : longest;
    t->column   = cd_allocate(n, sizeof *t->column);
    t->value    = cd_allocate(n, sizeof *t->value);
    t->wheel    = cd_allocate(n, sizeof *t->wheel);
    t->measure  = cd_allocate(n, sizeof *t->measure);
    t->title    = cd_allocate(n, sizeof *t->title);
    t->shown    = cd_allocate(n, sizeof *t->shown);
    t->names    = cd_allocate(n, longest);
    double* all = cd_allocate(n * (size_t)t->nrow, sizeof *all);
    if (!t->column || !t->value || !t->wheel || !t->measure || !t->title || !t->shown || !t->names || !all) {
        free(all);
        return false;
    }
    for (size_t i = 0; i < n; ++i) t->value[i] = all + i * (size_t)t->nrow;
    *f = (filler){.table = t, .room = n * longest};
    return true;
}

static void add_wheels(filler* f, const cardan_suspension* u, const cardan_sweep* sweep, double* value)
{
    const int picture = sweep->kind == CARDAN_SWEEP_STEERING ? STEERING : TRAVEL;
    for (int w = 0; w < u->nwheel; ++w) {
        for (int i = 0; i < sweep->nrow; ++i) value[i] = 1e3 * sweep->row[i].wheel[w].travel;
        add(f, u->wheel[w].name, w, "travel", "travel", "mm", false, value);
        for (int k = 0; k < MEASURES; ++k) {
            const measure m = as_angle(&measures[k], &sweep->row[0].wheel[w]);
            for (int i = 0; i < sweep->nrow; ++i) value[i] = value_of(&sweep->row[i].wheel[w], &m);
            add(f, u->wheel[w].name, w, m.name, m.title, m.unit, m.shown & picture, value);
        }
    }
}

bool cd_sweep_table_make(const cardan_study* study, const cardan_sweep* sweep, bool turns, cd_sweep_table* table)
{
    const cardan_suspension* u        = cardan_study_look(study);
    const bool               steering = sweep->kind == CARDAN_SWEEP_STEERING;
    filler                   f;
    *table        = (cd_sweep_table){.nrow = sweep->nrow};
    double* value = cd_allocate((size_t)sweep->nrow, sizeof *value);
    if (!value || !furnish(u, table, &f)) {
        free(value);
        cd_sweep_table_free(table);
        return false;
    }
    for (int i = 0; i < sweep->nrow; ++i) value[i] = sweep->row[i].at * (steering && turns ? DEGREES : 1e3);
    add(&f, "", -1, steering ? "stroke" : "travel", "", steering && turns ? "deg" : "mm", false, value);
    add_wheels(&f, u, sweep, value);
    for (int i = 0; i < sweep->nrow; ++i) value[i] = 1e3 * sweep->row[i].roll_y;
    add(&f, "axle", -1, "roll_centre_y", "roll centre, to the left", "mm", sweep->kind == CARDAN_SWEEP_OPPOSITE, value);
    for (int i = 0; i < sweep->nrow; ++i) value[i] = 1e3 * sweep->row[i].roll_z;
    add(&f, "axle", -1, "roll_centre_z", "roll centre, height", "mm", sweep->kind == CARDAN_SWEEP_OPPOSITE, value);
    for (int i = 0; i < sweep->nrow; ++i) value[i] = 100 * sweep->row[i].ackermann;
    add(&f, "axle", -1, "ackermann", "Ackermann", "%", true, value);
    for (int i = 0; i < sweep->nrow; ++i) value[i] = sweep->row[i].energy;
    add(&f, "", -1, "energy", "energy", "J", false, value);
    for (int i = 0; i < sweep->nrow; ++i) value[i] = sweep->row[i].closure;
    add(&f, "", -1, "closure", "closure", "m or rad", false, value);
    free(value);
    return true;
}

void cd_sweep_table_free(cd_sweep_table* t)
{
    if (t->value) free(t->value[0]);
    free(t->value);
    free(t->column);
    free(t->wheel);
    free(t->measure);
    free(t->title);
    free(t->shown);
    free(t->names);
    *t = (cd_sweep_table){0};
}

// ---- files

cardan_status cd_sweep_write_csv(const cd_sweep_table* t, const char* path, bool replace, cardan_report* report)
{
    cd_results*   results = NULL;
    double*       row     = cd_allocate((size_t)t->ncolumn, sizeof *row);
    cardan_status status =
        row ? cd_results_create(path, t->ncolumn, t->column, replace, &results, report) : CARDAN_NO_MEMORY;
    for (int i = 0; i < t->nrow && status == CARDAN_OK; ++i) {
        for (int c = 0; c < t->ncolumn; ++c) row[c] = t->value[c][i];
        status = cd_results_row(results, row);
    }
    free(row);
    // a row that could not be written: closing says why
    if (status == CARDAN_OK || (results && status == CARDAN_NO_FILE)) return cd_results_close(results, report);
    if (results) cd_results_discard(results);
    return status;
}

// Panels: one per measure, a curve per wheel. What differs between sides only in its sign or not at all still gets
// both.
static int make_panels(const cd_sweep_table* t, const cardan_suspension* u, cd_panel* panel, cd_curve* curve)
{
    int npanel = 0, ncurve = 0;
    for (int c = 1; c < t->ncolumn; ++c) {
        if (!t->shown[c]) continue;
        bool before = false;
        for (int k = 1; k < c; ++k) before |= t->shown[k] && strcmp(t->measure[k], t->measure[c]) == 0;
        if (before) continue;
        panel[npanel] = (cd_panel){.name  = t->title[c],
                                   .unit  = strcmp(t->column[c].unit, "1") == 0 ? "" : t->column[c].unit,
                                   .curve = curve + ncurve};
        for (int k = c; k < t->ncolumn; ++k) {
            if (!t->shown[k] || strcmp(t->measure[k], t->measure[c]) != 0) continue;
            const int wheel = t->wheel[k] < 0 ? u->nwheel : t->wheel[k];
            curve[ncurve++] = (cd_curve){.count  = t->nrow,
                                         .x      = t->value[0],
                                         .y      = t->value[k],
                                         .colour = t->wheel[k] < 0 ? 6 : wheel,
                                         .dash   = t->wheel[k] < 0 ? 0 : wheel % 4};
            ++panel[npanel].ncurve;
        }
        ++npanel;
    }
    return npanel;
}

cardan_status cd_sweep_draw(const cd_sweep_table* t, const cardan_study* study, const char* title, const char* kind,
                            cd_text* svg, cardan_report* report)
{
    const cardan_suspension* u      = cardan_study_look(study);
    cd_panel*                panel  = cd_allocate((size_t)t->ncolumn, sizeof *panel);
    cd_curve*                curve  = cd_allocate((size_t)t->ncolumn, sizeof *curve);
    cd_plot_key*             key    = cd_allocate((size_t)u->nwheel, sizeof *key);
    cardan_status            status = CARDAN_NO_MEMORY;
    if (panel && curve && key) {
        for (int i = 0; i < u->nwheel; ++i) key[i] = (cd_plot_key){u->wheel[i].name, i, i % 4};
        const cd_plot plot = {.title    = title,
                              .subtitle = kind,
                              .x_name   = t->column[0].name,
                              .x_unit   = t->column[0].unit,
                              .npanel   = make_panels(t, u, panel, curve),
                              .panel    = panel,
                              .nkey     = u->nwheel,
                              .key      = key};
        status             = cd_plot_grid(&plot, 4, svg, report);
    }
    free(panel);
    free(curve);
    free(key);
    return status;
}
