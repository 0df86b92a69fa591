// SPDX-License-Identifier: BSD-3-Clause
// Curves of an OCP solution: positions, velocities and efforts of joints over time, with separate panels for rotations
// and translations. Efforts are drawn piecewise constant, as they are in each interval. After Fig. 8 of paper 003.
#include "cli/report/ocp_output.h"

#include "cli/support/output_files.h"
#include "cli/support/messages.h"
#include "core/memory.h"
#include "draw/plot_svg.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { KINDS = 3, UNIT_KINDS = 2 };

typedef struct plot_builder {
    const cd_ocp_outcome* outcome;
    const cardan_model*   model;
    cardan_model_view     model_view;
    cd_panel              panel[KINDS * UNIT_KINDS];
    cd_plot_key*          key;
    char (*name)[96];
    cd_curve* curve;
    double*   memory;
    size_t    used;
    int       npanel, ncurve, nkey;
} plot_builder;

static bool is_rotation(const plot_builder* d, int j, int i)
{
    return strcmp(cardan_model_v_unit(d->model, j, i), "rad/s") == 0;
}

static bool is_control(const plot_builder* d, int v)
{
    for (int i = 0; i < d->outcome->view.ncontrol; ++i)
        if (d->outcome->view.control[i] == v) return true;
    return false;
}

static double* take_memory(plot_builder* d, size_t n)
{
    double* at = d->memory + d->used;
    d->used += n;
    return at;
}

// Add the curve of one coordinate over all samples.
static void add_curve(plot_builder* d, const double* from, int stride, int index, int style)
{
    const int n = d->outcome->view.nsample;
    double*   y = take_memory(d, (size_t)n);
    for (int i = 0; i < n; ++i) y[i] = from[(size_t)i * (size_t)stride + (size_t)index];
    d->curve[d->ncurve++] = (cd_curve){.count = n, .x = d->outcome->view.t, .y = y, .colour = style, .dash = style / 7};
}

// Add a piecewise constant curve: each value holds until the next sample.
static void add_piecewise_constant(plot_builder* d, const double* from, int stride, int index, int style)
{
    const int n = d->outcome->view.nsample;
    double *  x = take_memory(d, 2 * (size_t)n), *y = take_memory(d, 2 * (size_t)n);
    int       count = 0;
    for (int i = 0; i + 1 < n; ++i)
        for (int end = 0; end < 2; ++end) {
            x[count]   = d->outcome->view.t[i + end];
            y[count++] = from[(size_t)i * (size_t)stride + (size_t)index];
        }
    d->curve[d->ncurve++] = (cd_curve){.count = count, .x = x, .y = y, .colour = style, .dash = style / 7};
}

static void add_panel(plot_builder* d, int kind, bool rotations)
{
    static const char* const title[KINDS]            = {"positions", "velocities", "efforts"};
    static const char* const unit[KINDS][UNIT_KINDS] = {{"m", "rad"}, {"m/s", "rad/s"}, {"N", "N m"}};
    const cardan_ocp_view*   v                       = &d->outcome->view;
    const int                first                   = d->ncurve;
    int                      style                   = 0;
    for (int j = 0; j < d->model_view.njoint; ++j) {
        const cardan_index_range* range = &d->model_view.tree_range[j];
        for (int i = 0; range->v >= 0 && i < range->nv; ++i, ++style) {
            if (is_rotation(d, j, i) != rotations || (kind == 2 && !is_control(d, range->v + i))) continue;
            if (kind == 0 && range->nq == range->nv) add_curve(d, v->q, d->model_view.nq, range->q + i, style);
            if (kind == 1) add_curve(d, v->v, d->model_view.nv, range->v + i, style);
            if (kind == 2) add_piecewise_constant(d, v->effort, d->model_view.nv, range->v + i, style);
        }
    }
    if (d->ncurve > first)
        d->panel[d->npanel++] = (cd_panel){
            .name = title[kind], .unit = unit[kind][rotations], .ncurve = d->ncurve - first, .curve = d->curve + first};
}

static void add_keys(plot_builder* d)
{
    for (int j = 0; j < d->model_view.njoint; ++j) {
        const cardan_index_range* range = &d->model_view.tree_range[j];
        for (int i = 0; range->v >= 0 && i < range->nv; ++i, ++d->nkey) {
            snprintf(d->name[d->nkey], sizeof *d->name, range->nv > 1 ? "%s %d" : "%s",
                     cardan_model_joint_name(d->model, j), i + 1);
            d->key[d->nkey] = (cd_plot_key){d->name[d->nkey], d->nkey, d->nkey / 7};
        }
    }
}

int cd_ocp_write_plot(const cd_ocp_outcome* o)
{
    plot_builder  d      = {.outcome = o, .model = cardan_task_model(o->task)};
    cardan_report report = {0};
    cd_text       svg    = {0};
    char          subtitle[160];
    d.model_view   = cardan_model_get_view(d.model);
    const size_t n = (size_t)d.model_view.nv + 1, nsample = (size_t)o->view.nsample + 1;
    d.key                = cd_allocate(n, sizeof *d.key);
    d.name               = cd_allocate(n, sizeof *d.name);
    d.curve              = cd_allocate(KINDS * n, sizeof *d.curve);
    d.memory             = cd_allocate(6 * n * nsample, sizeof *d.memory);
    cardan_status status = CARDAN_NO_MEMORY;
    if (d.key && d.name && d.curve && d.memory) {
        for (int kind = 0; kind < KINDS; ++kind)
            for (int rotations = 1; rotations >= 0; --rotations) add_panel(&d, kind, rotations);
        add_keys(&d);
        snprintf(subtitle, sizeof subtitle, "%s, %s, cost %.7g", o->view.dynamics_form, o->view.transcription,
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
    return cd_report_failure(&report, status);
}
