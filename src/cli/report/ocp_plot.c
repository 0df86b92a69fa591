// SPDX-License-Identifier: BSD-3-Clause
// Curves of an OCP solution: positions, velocities and efforts of joints over time, with separate panels for rotations
// and translations. Efforts are drawn piecewise constant, as they are in each interval. After Fig. 8 of paper 003.
#include "cli/report/ocp_output.h"

#include "cli/support/output_files.h"
#include "cli/support/messages.h"
#include "core/memory.h"
#include "draw/plot/plot_svg.h"
#include "model/model.h"

#include <stdio.h>
#include <stdlib.h>

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

static bool is_control(const plot_builder* plot, int v)
{
    for (int i = 0; i < plot->outcome->view.ncontrol; ++i)
        if (plot->outcome->view.control[i] == v) return true;
    return false;
}

static double* take_memory(plot_builder* plot, size_t n)
{
    double* at = plot->memory + plot->used;
    plot->used += n;
    return at;
}

// Add the curve of one coordinate over all samples.
static void add_curve(plot_builder* plot, const double* from, int stride, int index, int style)
{
    const int n = plot->outcome->view.nsample;
    double*   y = take_memory(plot, (size_t)n);
    for (int i = 0; i < n; ++i) y[i] = from[(size_t)i * (size_t)stride + (size_t)index];
    plot->curve[plot->ncurve++] =
        (cd_curve){.count = n, .x = plot->outcome->view.t, .y = y, .colour = style, .dash = style / 7};
}

// Add a piecewise constant curve: each value holds until the next sample.
static void add_piecewise_constant(plot_builder* plot, const double* from, int stride, int index, int style)
{
    const int n = plot->outcome->view.nsample;
    double *  x = take_memory(plot, 2 * (size_t)n), *y = take_memory(plot, 2 * (size_t)n);
    int       count = 0;
    for (int i = 0; i + 1 < n; ++i)
        for (int end = 0; end < 2; ++end) {
            x[count]   = plot->outcome->view.t[i + end];
            y[count++] = from[(size_t)i * (size_t)stride + (size_t)index];
        }
    plot->curve[plot->ncurve++] = (cd_curve){.count = count, .x = x, .y = y, .colour = style, .dash = style / 7};
}

static void add_panel(plot_builder* plot, int kind, bool rotations)
{
    static const char* const title[KINDS]            = {"positions", "velocities", "efforts"};
    static const char* const unit[KINDS][UNIT_KINDS] = {{"m", "rad"}, {"m/s", "rad/s"}, {"N", "N m"}};
    const cardan_ocp_view*   v                       = &plot->outcome->view;
    const int                first                   = plot->ncurve;
    int                      style                   = 0;
    for (int j = 0; j < plot->model_view.njoint; ++j) {
        const cardan_index_range* range = &plot->model_view.tree_range[j];
        for (int i = 0; range->v >= 0 && i < range->nv; ++i, ++style) {
            if (cd_joint_velocity_is_rotation(plot->model, j, i) != rotations ||
                (kind == 2 && !is_control(plot, range->v + i)))
                continue;
            if (kind == 0 && range->nq == range->nv) add_curve(plot, v->q, plot->model_view.nq, range->q + i, style);
            if (kind == 1) add_curve(plot, v->v, plot->model_view.nv, range->v + i, style);
            if (kind == 2) add_piecewise_constant(plot, v->effort, plot->model_view.nv, range->v + i, style);
        }
    }
    if (plot->ncurve > first)
        plot->panel[plot->npanel++] = (cd_panel){.name   = title[kind],
                                                 .unit   = unit[kind][rotations],
                                                 .ncurve = plot->ncurve - first,
                                                 .curve  = plot->curve + first};
}

static void add_keys(plot_builder* plot)
{
    for (int j = 0; j < plot->model_view.njoint; ++j) {
        const cardan_index_range* range = &plot->model_view.tree_range[j];
        for (int i = 0; range->v >= 0 && i < range->nv; ++i, ++plot->nkey) {
            snprintf(plot->name[plot->nkey], sizeof *plot->name, range->nv > 1 ? "%s %d" : "%s",
                     cardan_model_joint_name(plot->model, j), i + 1);
            plot->key[plot->nkey] = (cd_plot_key){plot->name[plot->nkey], plot->nkey, plot->nkey / 7};
        }
    }
}

int cd_ocp_write_plot(const cd_ocp_outcome* o)
{
    plot_builder  plot   = {.outcome = o, .model = cardan_task_model(o->task)};
    cardan_report report = {0};
    cd_text       svg    = {0};
    char          subtitle[160];
    plot.model_view = cardan_model_get_view(plot.model);
    const size_t n = (size_t)plot.model_view.nv + 1, nsample = (size_t)o->view.nsample + 1;
    plot.key             = cd_allocate(n, sizeof *plot.key);
    plot.name            = cd_allocate(n, sizeof *plot.name);
    plot.curve           = cd_allocate(KINDS * n, sizeof *plot.curve);
    plot.memory          = cd_allocate(6 * n * nsample, sizeof *plot.memory);
    cardan_status status = CARDAN_NO_MEMORY;
    if (plot.key && plot.name && plot.curve && plot.memory) {
        for (int kind = 0; kind < KINDS; ++kind)
            for (int rotations = 1; rotations >= 0; --rotations) add_panel(&plot, kind, rotations);
        add_keys(&plot);
        snprintf(subtitle, sizeof subtitle, "%s, %s, cost %.7g", o->view.dynamics_form, o->view.transcription,
                 o->view.objective);
        const cd_plot svg_plot = {.title    = o->options->title ? o->options->title : cardan_task_name(o->task),
                                  .subtitle = subtitle,
                                  .x_name   = "t",
                                  .x_unit   = "s",
                                  .npanel   = plot.npanel,
                                  .nkey     = plot.nkey,
                                  .panel    = plot.panel,
                                  .key      = plot.key};
        status                 = cd_plot_svg(&svg_plot, &svg, &report);
    }
    free(plot.key);
    free(plot.name);
    free(plot.curve);
    free(plot.memory);
    if (status == CARDAN_OK) return cd_write_text(o->files.svg, &svg, true);
    cd_text_free(&svg);
    return cd_report_failure(&report, status);
}
