// SPDX-License-Identifier: BSD-3-Clause
// Picture of one column of a study: curves over one varied number, one curve per combination of the other variables; or
// a heat map over two, with the others at their first value.
#include "cli/support/output_files.h"
#include "cli/support/messages.h"
#include "cli/study/sweep_case.h"
#include "core/memory.h"
#include "draw/plot/plot_heat_map.h"
#include "draw/plot/plot_svg.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { CURVES_MAX = 12 };

static const char* collected_at(void* user, int i)
{
    const cd_parameter_study* study = user;
    return i < study->ncollect ? study->collect[i].name : NULL;
}

static const char* numeric_at(void* user, int i)
{
    const cd_parameter_study* study = user;
    for (int k = 0; k < study->nvariable; ++k)
        if (study->variable[k].is_numeric && i-- == 0) return study->variable[k].name;
    return NULL;
}

static int find_numeric(const cd_parameter_study* study, const char* name, size_t n)
{
    for (int k = 0; k < study->nvariable; ++k)
        if (study->variable[k].is_numeric && strlen(study->variable[k].name) == n &&
            strncmp(study->variable[k].name, name, n) == 0)
            return k;
    return -1;
}

// Select one or two variables: those of --over, else the first numeric ones. Returns their number; 0 after an error,
// which is already printed.
static int select_axes(const cd_parameter_study* study, const char* over, int which[2])
{
    int n = 0;
    if (!over) {
        for (int k = 0; k < study->nvariable && n < 2; ++k)
            if (study->variable[k].is_numeric && study->variable[k].count > 1) which[n++] = k;
        if (n == 0) cd_report_error(CARDAN_CODE_USAGE, "--plot needs a numeric variable under vary");
        return n;
    }
    for (const char* p = over; *p; p += strcspn(p, ","), p += *p == ',') {
        const size_t length = strcspn(p, ",");
        char         name[128];
        snprintf(name, sizeof name, "%.*s", (int)length, p);
        if (n == 2) return cd_report_error(CARDAN_CODE_USAGE, "--over takes at most two names"), 0;
        which[n] = find_numeric(study, p, length);
        if (which[n++] < 0)
            return cd_report_unknown_name("numeric variable", name, numeric_at, (void*)study,
                                          "--over takes one or two of those under vary"),
                   0;
    }
    return n;
}

static double value_of(const cd_study_job* s, long k, int column)
{
    return cd_case_outcome_is_ok(&s->outcome[k]) ? s->outcome[k].cell[column].number : NAN;
}

// Text "mass = 2, integrator = rk4" of a case: all variables with several values except those on the axes of the plot.
static void other_variables_text(const cd_parameter_study* study, long number, int n, const int* which, cd_text* text)
{
    cd_text_add(text, "");
    for (int k = 0; k < study->nvariable; ++k) {
        const cd_study_variable* v = &study->variable[k];
        if (k == which[0] || (n > 1 && k == which[1]) || v->count < 2) continue;
        if (v->axis == study->variable[which[0]].axis || (n > 1 && v->axis == study->variable[which[1]].axis))
            continue; // varies together with a plotted variable
        cd_text_format(text, text->length ? ", %s = %s" : "%s = %s", v->name,
                       v->text[cd_parameter_study_value_index(study, number, v)]);
    }
}

typedef struct point_set {
    long    count;
    double *x, *y, *value;
    cd_text label;
} point_set;

static void free_points(point_set* p)
{
    free(p->x);
    free(p->y);
    free(p->value);
    cd_text_free(&p->label);
}

// Gather the cases whose other variables have the values of case `reference_case`.
static bool gather_points(const cd_study_job* s, int n, const int* which, int column, long reference_case, point_set* p)
{
    const cd_parameter_study* study = &s->study;
    const size_t              all   = (size_t)study->ncase + 1;
    *p                              = (point_set){.x     = cd_allocate(all, sizeof(double)),
                                                  .y     = cd_allocate(all, sizeof(double)),
                                                  .value = cd_allocate(all, sizeof(double))};
    other_variables_text(study, reference_case, n, which, &p->label);
    if (!p->x || !p->y || !p->value || p->label.failed) return false;
    for (long k = 0; k < study->ncase; ++k) {
        bool same = true;
        for (int i = 0; i < study->nvariable; ++i) {
            const cd_study_variable* v = &study->variable[i];
            const bool               along =
                v->axis == study->variable[which[0]].axis || (n > 1 && v->axis == study->variable[which[1]].axis);
            same = same && (along || cd_parameter_study_value_index(study, k, v) ==
                                         cd_parameter_study_value_index(study, reference_case, v));
        }
        if (!same) continue;
        const cd_study_variable *x = &study->variable[which[0]], *y = n > 1 ? &study->variable[which[1]] : NULL;
        p->x[p->count]     = x->number[cd_parameter_study_value_index(study, k, x)];
        p->y[p->count]     = y ? y->number[cd_parameter_study_value_index(study, k, y)] : 0;
        p->value[p->count] = value_of(s, k, column);
        ++p->count;
    }
    return true;
}

static cardan_status draw_heat_map(const cd_study_job* s, const cd_options* options, const int* which, int column,
                                   cd_text* svg, cardan_report* report)
{
    point_set     p;
    cardan_status status = CARDAN_NO_MEMORY;
    if (gather_points(s, 2, which, column, 0, &p)) {
        const cd_heat_map map = {.title    = options->title ? options->title : s->study.name,
                                 .subtitle = p.label.data,
                                 .x_name   = s->study.variable[which[0]].name,
                                 .y_name   = s->study.variable[which[1]].name,
                                 .name     = s->study.collect[column].name,
                                 .unit     = cd_study_table_unit(&s->study, s->outcome, column),
                                 .count    = p.count,
                                 .x        = p.x,
                                 .y        = p.y,
                                 .value    = p.value,
                                 .x_log    = options->logarithmic_x,
                                 .log      = options->logarithmic,
                                 .width    = isnan(options->width) ? 0 : options->width,
                                 .height   = isnan(options->height) ? 0 : options->height};
        status                = cd_heat_map_svg(&map, svg, report);
    }
    free_points(&p);
    return status;
}

static void sort_points(point_set* p) // by x; insertion sort, few points
{
    for (long i = 1; i < p->count; ++i)
        for (long k = i; k > 0 && p->x[k - 1] > p->x[k]; --k) {
            const double x = p->x[k], v = p->value[k];
            p->x[k]         = p->x[k - 1];
            p->value[k]     = p->value[k - 1];
            p->x[k - 1]     = x;
            p->value[k - 1] = v;
        }
}

// Draw one curve per case whose index along the plotted axis is 0.
static cardan_status draw_curves(const cd_study_job* s, const cd_options* options, const int* which, int column,
                                 cd_text* svg, cardan_report* report)
{
    const cd_study_variable* x = &s->study.variable[which[0]];
    point_set                p[CURVES_MAX];
    cd_curve                 curve[CURVES_MAX];
    int                      n      = 0;
    long                     more   = 0;
    cardan_status            status = CARDAN_OK;
    for (long k = 0; k < s->study.ncase && status == CARDAN_OK; ++k) {
        if (cd_parameter_study_value_index(&s->study, k, x) != 0) continue;
        if (n == CURVES_MAX) {
            ++more;
            continue;
        }
        if (!gather_points(s, 1, which, column, k, &p[n])) status = CARDAN_NO_MEMORY;
        sort_points(&p[n]);
        curve[n] = (cd_curve){.name         = p[n].label.length ? p[n].label.data : NULL,
                              .count        = p[n].count,
                              .x            = p[n].x,
                              .y            = p[n].value,
                              .colour       = n,
                              .dash         = n / 7,
                              .shows_points = true};
        ++n;
    }
    if (more > 0)
        cardan_note(report, CARDAN_CODE_CURVES_OMITTED, cardan_location_none(), "%ld of %ld curves are not drawn", more,
                    more + n);
    const cd_panel panel = {.name   = s->study.collect[column].name,
                            .unit   = cd_study_table_unit(&s->study, s->outcome, column),
                            .log    = options->logarithmic,
                            .ncurve = n,
                            .curve  = curve};
    const cd_plot  plot  = {.title  = options->title ? options->title : s->study.name,
                            .x_name = x->name,
                            .x_log  = options->logarithmic_x,
                            .npanel = 1,
                            .panel  = &panel,
                            .width  = isnan(options->width) ? 0 : options->width,
                            .height = isnan(options->height) ? 0 : options->height};
    if (status == CARDAN_OK) status = cd_plot_svg(&plot, svg, report);
    for (int i = 0; i < n; ++i) free_points(&p[i]);
    return status;
}

int cd_study_plot(const cd_study_job* s, const cd_options* options, const char* path)
{
    cardan_report report = {0};
    cd_text       svg    = {0};
    int           which[2], column = 0;
    while (column < s->study.ncollect && strcmp(s->study.collect[column].name, options->plot) != 0) ++column;
    if (column == s->study.ncollect)
        return cd_report_unknown_name("column", options->plot, collected_at, (void*)&s->study,
                                      "--plot takes one of those under collect");
    const int n = select_axes(&s->study, options->over, which);
    if (n == 0) return CD_EXIT_USAGE;
    const cardan_status status = (n == 1 ? draw_curves : draw_heat_map)(s, options, which, column, &svg, &report);
    const int           code   = cd_report_failure(&report, status);
    if (code != CD_EXIT_DONE) return cd_text_free(&svg), code;
    return cd_write_text(path, &svg, true);
}
