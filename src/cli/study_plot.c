// SPDX-License-Identifier: BSD-3-Clause
// A column of a study as a picture: curves over one number that varies, one for each value of the others; or a map over
// two, the others at their first value.
#include "cli/files.h"
#include "cli/messages.h"
#include "cli/study_call.h"
#include "core/memory.h"
#include "draw/plot_map.h"
#include "draw/plot_svg.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { CURVES_MOST = 12 };

static const char* collected_at(void* user, int i)
{
    const cd_plan* plan = user;
    return i < plan->ncollect ? plan->collect[i].name : NULL;
}

static const char* numeric_at(void* user, int i)
{
    const cd_plan* plan = user;
    for (int k = 0; k < plan->nvariable; ++k)
        if (plan->variable[k].numeric && i-- == 0) return plan->variable[k].name;
    return NULL;
}

static int find_numeric(const cd_plan* plan, const char* name, size_t n)
{
    for (int k = 0; k < plan->nvariable; ++k)
        if (plan->variable[k].numeric && strlen(plan->variable[k].name) == n &&
            strncmp(plan->variable[k].name, name, n) == 0)
            return k;
    return -1;
}

// One or two variables: those of --over, else the first that are numbers. Returns how many; 0 after it was told.
static int choose_over(const cd_plan* plan, const char* over, int which[2])
{
    int n = 0;
    if (!over) {
        for (int k = 0; k < plan->nvariable && n < 2; ++k)
            if (plan->variable[k].numeric && plan->variable[k].count > 1) which[n++] = k;
        if (n == 0) cd_say_error(CARDAN_CODE_USAGE, "--plot: nothing that varies is a number");
        return n;
    }
    for (const char* p = over; *p; p += strcspn(p, ","), p += *p == ',') {
        const size_t length = strcspn(p, ",");
        char         name[128];
        snprintf(name, sizeof name, "%.*s", (int)length, p);
        if (n == 2) return cd_say_error(CARDAN_CODE_USAGE, "--over takes one or two names, not more"), 0;
        which[n] = find_numeric(plan, p, length);
        if (which[n++] < 0)
            return cd_say_unknown("number that varies", name, numeric_at, (void*)plan,
                                  "--over takes one or two of those under vary"),
                   0;
    }
    return n;
}

static double value_of(const cd_sweep* s, long k, int column)
{
    return cd_outcome_good(&s->outcome[k]) ? s->outcome[k].cell[column].number : NAN;
}

// "mass = 2, integrator = rk4": of a case, all that varies but what is drawn over, where it has more than one value.
static void rest_of(const cd_plan* plan, long number, int n, const int* which, cd_text* text)
{
    cd_text_add(text, "");
    for (int k = 0; k < plan->nvariable; ++k) {
        const cd_variable* v = &plan->variable[k];
        if (k == which[0] || (n > 1 && k == which[1]) || v->count < 2) continue;
        if (v->axis == plan->variable[which[0]].axis || (n > 1 && v->axis == plan->variable[which[1]].axis))
            continue; // goes along
        cd_text_format(text, text->length ? ", %s = %s" : "%s = %s", v->name, v->text[cd_plan_value(plan, number, v)]);
    }
}

typedef struct points {
    long    count;
    double *x, *y, *value;
    cd_text rest;
} points;

static void free_points(points* p)
{
    free(p->x);
    free(p->y);
    free(p->value);
    cd_text_free(&p->rest);
}

// Cases whose other variables are those of case `like`.
static bool gather(const cd_sweep* s, int n, const int* which, int column, long like, points* p)
{
    const cd_plan* plan = &s->plan;
    const size_t   all  = (size_t)plan->ncase + 1;
    *p                  = (points){.x     = cd_allocate(all, sizeof(double)),
                                   .y     = cd_allocate(all, sizeof(double)),
                                   .value = cd_allocate(all, sizeof(double))};
    rest_of(plan, like, n, which, &p->rest);
    if (!p->x || !p->y || !p->value || p->rest.failed) return false;
    for (long k = 0; k < plan->ncase; ++k) {
        bool same = true;
        for (int i = 0; i < plan->nvariable; ++i) {
            const cd_variable* v = &plan->variable[i];
            const bool         along =
                v->axis == plan->variable[which[0]].axis || (n > 1 && v->axis == plan->variable[which[1]].axis);
            same = same && (along || cd_plan_value(plan, k, v) == cd_plan_value(plan, like, v));
        }
        if (!same) continue;
        const cd_variable *x = &plan->variable[which[0]], *y = n > 1 ? &plan->variable[which[1]] : NULL;
        p->x[p->count]     = x->number[cd_plan_value(plan, k, x)];
        p->y[p->count]     = y ? y->number[cd_plan_value(plan, k, y)] : 0;
        p->value[p->count] = value_of(s, k, column);
        ++p->count;
    }
    return true;
}

static cardan_status draw_map(const cd_sweep* s, const cd_options* options, const int* which, int column, cd_text* svg,
                              cardan_report* report)
{
    points        p;
    cardan_status status = CARDAN_NO_MEMORY;
    if (gather(s, 2, which, column, 0, &p)) {
        const cd_map map = {.title    = options->title ? options->title : s->plan.name,
                            .subtitle = p.rest.data,
                            .x_name   = s->plan.variable[which[0]].name,
                            .y_name   = s->plan.variable[which[1]].name,
                            .name     = s->plan.collect[column].name,
                            .unit     = cd_table_unit(&s->plan, s->outcome, column),
                            .count    = p.count,
                            .x        = p.x,
                            .y        = p.y,
                            .value    = p.value,
                            .x_log    = options->logarithmic_x,
                            .log      = options->logarithmic,
                            .width    = isnan(options->width) ? 0 : options->width,
                            .height   = isnan(options->height) ? 0 : options->height};
        status           = cd_map_svg(&map, svg, report);
    }
    free_points(&p);
    return status;
}

static void sort_points(points* p) // by x; few of them
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

// Cases that are the first of a curve: their index along the axis that is drawn over is 0.
static cardan_status draw_curves(const cd_sweep* s, const cd_options* options, const int* which, int column,
                                 cd_text* svg, cardan_report* report)
{
    const cd_variable* x = &s->plan.variable[which[0]];
    points             p[CURVES_MOST];
    cd_curve           curve[CURVES_MOST];
    int                n      = 0;
    long               more   = 0;
    cardan_status      status = CARDAN_OK;
    for (long k = 0; k < s->plan.ncase && status == CARDAN_OK; ++k) {
        if (cd_plan_value(&s->plan, k, x) != 0) continue;
        if (n == CURVES_MOST) {
            ++more;
            continue;
        }
        if (!gather(s, 1, which, column, k, &p[n])) status = CARDAN_NO_MEMORY;
        sort_points(&p[n]);
        curve[n] = (cd_curve){.name   = p[n].rest.length ? p[n].rest.data : NULL,
                              .count  = p[n].count,
                              .x      = p[n].x,
                              .y      = p[n].value,
                              .colour = n,
                              .dash   = n / 7,
                              .points = true};
        ++n;
    }
    if (more > 0)
        cardan_note(report, CARDAN_CODE_CURVES_OMITTED, cardan_nowhere(), "%ld of %ld curves are not drawn", more,
                    more + n);
    const cd_panel panel = {.name   = s->plan.collect[column].name,
                            .unit   = cd_table_unit(&s->plan, s->outcome, column),
                            .log    = options->logarithmic,
                            .ncurve = n,
                            .curve  = curve};
    const cd_plot  plot  = {.title  = options->title ? options->title : s->plan.name,
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

int cd_sweep_plot(const cd_sweep* s, const cd_options* options, const char* path)
{
    cardan_report report = {0};
    cd_text       svg    = {0};
    int           which[2], column = 0;
    while (column < s->plan.ncollect && strcmp(s->plan.collect[column].name, options->plot) != 0) ++column;
    if (column == s->plan.ncollect)
        return cd_say_unknown("column", options->plot, collected_at, (void*)&s->plan,
                              "--plot takes one of those under collect");
    const int n = choose_over(&s->plan, options->over, which);
    if (n == 0) return CD_EXIT_USAGE;
    const cardan_status status = (n == 1 ? draw_curves : draw_map)(s, options, which, column, &svg, &report);
    const int           code   = cd_say_failure(&report, status);
    if (code != CD_EXIT_DONE) return cd_text_free(&svg), code;
    return cd_write_text(path, &svg, true);
}
