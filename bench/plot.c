// SPDX-License-Identifier: BSD-3-Clause
// Time over the number of joints, both logarithmic: one colour for each quantity, Cardan solid, MuJoCo dashed; and the
// ratios.
#include "results.h"

#include "draw/plot/plot_svg.h"

#include <stdio.h>
#include <string.h>

static const quantity shown[] = {INVERSE, MASS, FACTOR, SOLVE, FORWARD};
enum { NSHOWN = sizeof shown / sizeof *shown, MOST = 32 };

typedef struct points {
    int    n;
    double x[MOST];
    double cardan[NSHOWN][MOST], mujoco[NSHOWN][MOST], ratio[NSHOWN][MOST];
} points;

static void collect(const race* r, int n, const char* family, points* p)
{
    p->n = 0;
    for (int i = 0; i < n && p->n < MOST; ++i) {
        if (strcmp(r[i].family, family) != 0) continue;
        p->x[p->n] = r[i].nv;
        for (int k = 0; k < NSHOWN; ++k) {
            p->cardan[k][p->n] = r[i].cardan[shown[k]].middle;
            p->mujoco[k][p->n] = r[i].mujoco[shown[k]].middle;
            p->ratio[k][p->n]  = r[i].ratio[shown[k]].middle;
        }
        ++p->n;
    }
}

bool results_plot(const race* r, int n, const char* family, const char* path)
{
    points   p;
    cd_curve time[2 * NSHOWN], ratio[NSHOWN];
    collect(r, n, family, &p);
    if (p.n < 2) return true;
    for (int k = 0; k < NSHOWN; ++k) {
        time[k] = (cd_curve){.name         = quantity_name[shown[k]],
                             .count        = p.n,
                             .x            = p.x,
                             .y            = p.cardan[k],
                             .colour       = k,
                             .shows_points = true};
        time[NSHOWN + k] =
            (cd_curve){.count = p.n, .x = p.x, .y = p.mujoco[k], .colour = k, .dash = 1, .shows_points = true};
        ratio[k] = (cd_curve){.count = p.n, .x = p.x, .y = p.ratio[k], .colour = k, .shows_points = true};
    }
    const cd_panel    panel[] = {{.name = "time", .unit = "us", .log = true, .ncurve = 2 * NSHOWN, .curve = time},
                                 {.name = "Cardan / MuJoCo", .log = true, .ncurve = NSHOWN, .curve = ratio}};
    const cd_plot_key key[]   = {{.name = "Cardan", .colour = -1, .dash = 0},
                                 {.name = "MuJoCo 2.2.2", .colour = -1, .dash = 1}};
    char              title[64];
    snprintf(title, sizeof title, strcmp(family, "tree") == 0 ? "Binary trees" : "Chains");
    const cd_plot plot    = {.title    = title,
                             .subtitle = "median time of one evaluation",
                             .x_name   = "joints",
                             .x_log    = true,
                             .npanel   = 2,
                             .panel    = panel,
                             .nkey     = 2,
                             .key      = key,
                             .height   = 720};
    cd_text       svg     = {0};
    const bool    fine    = cd_plot_svg(&plot, &svg, NULL) == CARDAN_OK && !svg.failed;
    FILE*         f       = fine ? fopen(path, "w") : NULL;
    const bool    written = f && fwrite(svg.data, 1, svg.length, f) == svg.length;
    const bool    closed  = f && fclose(f) == 0;
    cd_text_free(&svg);
    return written && closed;
}
