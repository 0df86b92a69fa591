// SPDX-License-Identifier: BSD-3-Clause
// Columns of a suspension sweep. The table below has one entry per measure of a wheel.
#include "cli/report/suspension_table.h"

#include "core/memory.h"
#include "draw/plot/plot_grid.h"

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
    int         plotted_in; // plots with this measure
} measure;

#define FIELD(name) offsetof(cardan_wheel_state, name)

static const measure measures[] = {
    {"steer", "steer angle", "deg", DEGREES, FIELD(steer), STEERING},
    {"camber", "camber", "deg", DEGREES, FIELD(camber), BOTH},
    {"toe", "toe-in", "deg", DEGREES, FIELD(toe), TRAVEL},
    {"caster", "caster", "deg", DEGREES, FIELD(caster), BOTH},
    {"inclination", "kingpin inclination", "deg", DEGREES, FIELD(kingpin_inclination), BOTH},
    {"scrub", "scrub radius", "mm", 1e3, FIELD(scrub_radius), BOTH},
    {"trail", "caster trail", "mm", 1e3, FIELD(trail), BOTH},
    {"track", "track change", "mm", 1e3, FIELD(track_change), BOTH},
    {"wheelbase", "wheelbase change", "mm", 1e3, FIELD(wheelbase_change), BOTH},
    {"load", "wheel load", "N", 1, FIELD(vertical_force), BOTH},
    {"rate", "wheel rate", "N/mm", 1e-3, FIELD(wheel_rate), TRAVEL},
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
enum { MEASURES = sizeof measures / sizeof *measures, AXLE_COLUMNS = 6 };

static double value_of(const cardan_wheel_state* wheel, const measure* m)
{
    double value;
    memcpy(&value, (const char*)wheel + m->field, sizeof value);
    return m->factor * value;
}

// Torsional springs and dampers have angles instead of lengths.
static measure as_angle(const measure* m, const cardan_wheel_state* wheel)
{
    measure    other    = *m;
    const bool is_angle = strncmp(m->name, "spring", 6) == 0
                              ? wheel->spring_is_torsional
                              : strncmp(m->name, "damper", 6) == 0 && wheel->damper_is_torsional;
    if (!is_angle) return other;
    const bool ratio = strstr(m->name, "ratio") != NULL;
    other.factor     = ratio ? 1 : DEGREES;
    other.unit       = ratio ? "rad/m" : "deg";
    return other;
}

// ---- columns

typedef struct column_writer {
    cd_suspension_table* table;
    size_t               used;
    size_t               capacity;
} column_writer;

// Add a column, unless no value is finite: then the wheel has no such measure.
static void add_column(column_writer* f, const char* wheel, int number, const char* name, const char* title,
                       const char* unit, bool shown, const double* value)
{
    cd_suspension_table* t     = f->table;
    bool                 found = false;
    for (int i = 0; i < t->npoint; ++i) found |= isfinite(value[i]);
    if (!found) return;
    char* start = t->names + f->used;
    f->used += (size_t)snprintf(start, f->capacity - f->used, "%s%s%s", wheel, *wheel ? "." : "", name) + 1;
    t->column[t->ncolumn]     = (cd_column){start, unit};
    t->wheel[t->ncolumn]      = number;
    t->measure[t->ncolumn]    = name;
    t->title[t->ncolumn]      = title;
    t->is_plotted[t->ncolumn] = shown;
    memcpy(t->value[t->ncolumn], value, (size_t)t->npoint * sizeof *value);
    ++t->ncolumn;
}

static bool allocate_columns(const cardan_suspension* u, cd_suspension_table* t, column_writer* f)
{
    const size_t n       = (size_t)(u->nwheel * (MEASURES + 1) + AXLE_COLUMNS);
    size_t       longest = 40;
    for (int i = 0; i < u->nwheel; ++i)
        longest = strlen(u->wheel[i].name) + 40 > longest ? strlen(u->wheel[i].name) + 40 : longest;
    t->column     = cd_allocate(n, sizeof *t->column);
    t->value      = cd_allocate(n, sizeof *t->value);
    t->wheel      = cd_allocate(n, sizeof *t->wheel);
    t->measure    = cd_allocate(n, sizeof *t->measure);
    t->title      = cd_allocate(n, sizeof *t->title);
    t->is_plotted = cd_allocate(n, sizeof *t->is_plotted);
    t->names      = cd_allocate(n, longest);
    double* all   = cd_allocate(n * (size_t)t->npoint, sizeof *all);
    if (!t->column || !t->value || !t->wheel || !t->measure || !t->title || !t->is_plotted || !t->names || !all) {
        free(all);
        return false;
    }
    for (size_t i = 0; i < n; ++i) t->value[i] = all + i * (size_t)t->npoint;
    *f = (column_writer){.table = t, .capacity = n * longest};
    return true;
}

static void add_wheels(column_writer* f, const cardan_suspension* u, const cardan_suspension_sweep* sweep,
                       double* value)
{
    const int picture = sweep->kind == CARDAN_SWEEP_STEERING ? STEERING : TRAVEL;
    for (int w = 0; w < u->nwheel; ++w) {
        for (int i = 0; i < sweep->npoint; ++i) value[i] = 1e3 * sweep->point[i].wheel[w].travel;
        add_column(f, u->wheel[w].name, w, "travel", "travel", "mm", false, value);
        for (int k = 0; k < MEASURES; ++k) {
            const measure m = as_angle(&measures[k], &sweep->point[0].wheel[w]);
            for (int i = 0; i < sweep->npoint; ++i) value[i] = value_of(&sweep->point[i].wheel[w], &m);
            add_column(f, u->wheel[w].name, w, m.name, m.title, m.unit, m.plotted_in & picture, value);
        }
    }
}

bool cd_suspension_table_create(const cardan_suspension_study* study, const cardan_suspension_sweep* sweep,
                                bool steering_is_angle, cd_suspension_table* table)
{
    const cardan_suspension* u        = cardan_suspension_study_suspension(study);
    const bool               steering = sweep->kind == CARDAN_SWEEP_STEERING;
    column_writer            f;
    *table        = (cd_suspension_table){.npoint = sweep->npoint};
    double* value = cd_allocate((size_t)sweep->npoint, sizeof *value);
    if (!value || !allocate_columns(u, table, &f)) {
        free(value);
        cd_suspension_table_free(table);
        return false;
    }
    for (int i = 0; i < sweep->npoint; ++i)
        value[i] = sweep->point[i].position * (steering && steering_is_angle ? DEGREES : 1e3);
    add_column(&f, "", -1, steering ? "steering_travel" : "travel", "", steering && steering_is_angle ? "deg" : "mm",
               false, value);
    add_wheels(&f, u, sweep, value);
    for (int i = 0; i < sweep->npoint; ++i) value[i] = 1e3 * sweep->point[i].roll_centre_y;
    add_column(&f, "axle", -1, "roll_centre_y", "roll centre, to the left", "mm", sweep->kind == CARDAN_SWEEP_OPPOSITE,
               value);
    for (int i = 0; i < sweep->npoint; ++i) value[i] = 1e3 * sweep->point[i].roll_centre_z;
    add_column(&f, "axle", -1, "roll_centre_z", "roll centre, height", "mm", sweep->kind == CARDAN_SWEEP_OPPOSITE,
               value);
    for (int i = 0; i < sweep->npoint; ++i) value[i] = 100 * sweep->point[i].ackermann;
    add_column(&f, "axle", -1, "ackermann", "Ackermann", "%", true, value);
    for (int i = 0; i < sweep->npoint; ++i) value[i] = sweep->point[i].energy;
    add_column(&f, "", -1, "energy", "energy", "J", false, value);
    for (int i = 0; i < sweep->npoint; ++i) value[i] = sweep->point[i].max_violation;
    add_column(&f, "", -1, "max_violation", "constraint violation", "m or rad", false, value);
    free(value);
    return true;
}

void cd_suspension_table_free(cd_suspension_table* t)
{
    if (t->value) free(t->value[0]);
    free(t->value);
    free(t->column);
    free(t->wheel);
    free(t->measure);
    free(t->title);
    free(t->is_plotted);
    free(t->names);
    *t = (cd_suspension_table){0};
}

// ---- files

cardan_status cd_suspension_table_write_csv(const cd_suspension_table* t, const char* path, bool replace,
                                            cardan_report* report)
{
    cd_results*   results = NULL;
    double*       values  = cd_allocate((size_t)t->ncolumn, sizeof *values);
    cardan_status status =
        values ? cd_results_create(path, t->ncolumn, t->column, replace, &results, report) : CARDAN_NO_MEMORY;
    for (int i = 0; i < t->npoint && status == CARDAN_OK; ++i) {
        for (int c = 0; c < t->ncolumn; ++c) values[c] = t->value[c][i];
        status = cd_results_write_sample(results, values);
    }
    free(values);
    // after a write error, closing reports the reason
    if (status == CARDAN_OK || (results && status == CARDAN_FILE_ERROR)) return cd_results_close(results, report);
    if (results) cd_results_discard(results);
    return status;
}

// Make one panel per measure with one curve per wheel, also if the curves of both sides coincide up to the sign.
static int make_panels(const cd_suspension_table* t, const cardan_suspension* u, cd_panel* panel, cd_curve* curve)
{
    int npanel = 0, ncurve = 0;
    for (int c = 1; c < t->ncolumn; ++c) {
        if (!t->is_plotted[c]) continue;
        bool before = false;
        for (int k = 1; k < c; ++k) before |= t->is_plotted[k] && strcmp(t->measure[k], t->measure[c]) == 0;
        if (before) continue;
        panel[npanel] = (cd_panel){.name  = t->title[c],
                                   .unit  = strcmp(t->column[c].unit, "1") == 0 ? "" : t->column[c].unit,
                                   .curve = curve + ncurve};
        for (int k = c; k < t->ncolumn; ++k) {
            if (!t->is_plotted[k] || strcmp(t->measure[k], t->measure[c]) != 0) continue;
            const int wheel = t->wheel[k] < 0 ? u->nwheel : t->wheel[k];
            curve[ncurve++] = (cd_curve){.count  = t->npoint,
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

cardan_status cd_suspension_table_draw(const cd_suspension_table* t, const cardan_suspension_study* study,
                                       const char* title, const char* kind, cd_text* svg, cardan_report* report)
{
    const cardan_suspension* u      = cardan_suspension_study_suspension(study);
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
        status             = cd_plot_small_multiples(&plot, 4, svg, report);
    }
    free(panel);
    free(curve);
    free(key);
    return status;
}
