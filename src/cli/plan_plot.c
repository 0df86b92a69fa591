// SPDX-License-Identifier: BSD-3-Clause
// Curves of a plan: positions, velocities and efforts of joints over time, rotations and translations apart. Efforts
// are constant in an interval and drawn so. After Fig. 8 of paper 003.
#include "cli/plan_output.h"

#include "cli/files.h"
#include "cli/messages.h"
#include "core/memory.h"
#include "draw/plot_svg.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { KINDS = 3, SORTS = 2 };

typedef struct drawing {
    const cd_plan_outcome* o;
    const cardan_model*    model;
    cardan_model_view      look;
    cd_panel               panel[KINDS * SORTS];
    cd_plot_key*           key;
    char (*name)[96];
    cd_curve* curve;
    double*   memory;
    size_t    used;
    int       npanel, ncurve, nkey;
} drawing;

static bool turns(const drawing* d, int j, int i) { return strcmp(cardan_model_v_unit(d->model, j, i), "rad/s") == 0; }

static bool driven(const drawing* d, int v)
{
    for (int i = 0; i < d->o->view.ncontrol; ++i)
        if (d->o->view.control[i] == v) return true;
    return false;
}

static double* take(drawing* d, size_t n)
{
    double* at = d->memory + d->used;
    d->used += n;
    return at;
}

// Value of one coordinate at all rows.
static void add_curve(drawing* d, const double* from, int stride, int index, int style)
{
    const int n = d->o->view.nrow;
    double*   y = take(d, (size_t)n);
    for (int i = 0; i < n; ++i) y[i] = from[(size_t)i * (size_t)stride + (size_t)index];
    d->curve[d->ncurve++] = (cd_curve){.count = n, .x = d->o->view.t, .y = y, .colour = style, .dash = style / 7};
}

// The same, held from each row to the next.
static void add_steps(drawing* d, const double* from, int stride, int index, int style)
{
    const int n = d->o->view.nrow;
    double *  x = take(d, 2 * (size_t)n), *y = take(d, 2 * (size_t)n);
    int       count = 0;
    for (int i = 0; i + 1 < n; ++i)
        for (int end = 0; end < 2; ++end) {
            x[count]   = d->o->view.t[i + end];
            y[count++] = from[(size_t)i * (size_t)stride + (size_t)index];
        }
    d->curve[d->ncurve++] = (cd_curve){.count = count, .x = x, .y = y, .colour = style, .dash = style / 7};
}

static void add_panel(drawing* d, int kind, bool rotations)
{
    static const char* const title[KINDS]       = {"positions", "velocities", "efforts"};
    static const char* const unit[KINDS][SORTS] = {{"m", "rad"}, {"m/s", "rad/s"}, {"N", "N m"}};
    const cardan_plan_view*  v                  = &d->o->view;
    const int                first              = d->ncurve;
    int                      style              = 0;
    for (int j = 0; j < d->look.njoint; ++j) {
        const cardan_slot* slot = &d->look.slot[j];
        for (int i = 0; slot->v >= 0 && i < slot->nv; ++i, ++style) {
            if (turns(d, j, i) != rotations || (kind == 2 && !driven(d, slot->v + i))) continue;
            if (kind == 0 && slot->nq == slot->nv) add_curve(d, v->q, d->look.nq, slot->q + i, style);
            if (kind == 1) add_curve(d, v->v, d->look.nv, slot->v + i, style);
            if (kind == 2) add_steps(d, v->effort, d->look.nv, slot->v + i, style);
        }
    }
    if (d->ncurve > first)
        d->panel[d->npanel++] = (cd_panel){
            .name = title[kind], .unit = unit[kind][rotations], .ncurve = d->ncurve - first, .curve = d->curve + first};
}

static void add_keys(drawing* d)
{
    for (int j = 0; j < d->look.njoint; ++j) {
        const cardan_slot* slot = &d->look.slot[j];
        for (int i = 0; slot->v >= 0 && i < slot->nv; ++i, ++d->nkey) {
            snprintf(d->name[d->nkey], sizeof *d->name, slot->nv > 1 ? "%s %d" : "%s",
                     cardan_model_joint_name(d->model, j), i + 1);
            d->key[d->nkey] = (cd_plot_key){d->name[d->nkey], d->nkey, d->nkey / 7};
        }
    }
}

int cd_plan_plot(const cd_plan_outcome* o)
{
    drawing       d      = {.o = o, .model = cardan_task_model(o->task)};
    cardan_report report = {0};
    cd_text       svg    = {0};
    char          subtitle[160];
    d.look         = cardan_model_look(d.model);
    const size_t n = (size_t)d.look.nv + 1, rows = (size_t)o->view.nrow + 1;
    d.key                = cd_allocate(n, sizeof *d.key);
    d.name               = cd_allocate(n, sizeof *d.name);
    d.curve              = cd_allocate(KINDS * n, sizeof *d.curve);
    d.memory             = cd_allocate(6 * n * rows, sizeof *d.memory);
    cardan_status status = CARDAN_NO_MEMORY;
    if (d.key && d.name && d.curve && d.memory) {
        for (int kind = 0; kind < KINDS; ++kind)
            for (int rotations = 1; rotations >= 0; --rotations) add_panel(&d, kind, rotations);
        add_keys(&d);
        snprintf(subtitle, sizeof subtitle, "%s, %s, cost %.7g", o->view.form, o->view.transcription,
                 o->view.objective);
        const cd_plot plot = {.title    = o->options->title ? o->options->title : cardan_task_name(o->task),
                              .subtitle = subtitle,
                              .x_name   = "t",
                              .x_unit   = "s",
                              .npanel   = d.npanel,
                              .nkey     = d.nkey,
                              .panel    = d.panel,
                              .key      = d.key};
        status             = cd_plot_svg(&plot, &svg, &report);
    }
    free(d.key);
    free(d.name);
    free(d.curve);
    free(d.memory);
    if (status == CARDAN_OK) return cd_write_text(o->files.svg, &svg, true);
    cd_text_free(&svg);
    return cd_say_failure(&report, status);
}
