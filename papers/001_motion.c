// SPDX-License-Identifier: BSD-3-Clause
// Figs. 4.2 and 4.4 of paper 001 (Ascher, Lin): a falling square chain, and a net released from an inclined plane; one
// configuration every 0.2 s, from left to right and top to bottom.
//
//   001_motion OUTPUT MODELS [--small]      writes OUTPUT/001_motion.md, 001_motion_squares.svg and 001_motion_net.svg
#include "page.h"

#include "draw/svg.h"
#include "001_line_links.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { SNAPSHOTS = 12, COLUMNS = 4, CELL = 210, HEAD = 56 };

typedef struct figure {
    const char *name, *title;
    double      step, left, right, bottom, top; // visible range of a cell [m]
} figure;

// Parallel projection; space is viewed from the right and from above.
static void project(int d, const double* x, double* px, double* py)
{
    *px = d == 2 ? x[0] : x[0] - 0.55 * x[1];
    *py = d == 2 ? x[1] : x[2] - 0.3 * x[1];
}

static void draw_snapshot(cd_text* svg, const figure* f, const cd_line_links* c, const double* state, int at)
{
    const double x0 = CELL * (at % COLUMNS), y0 = HEAD + CELL * (at / COLUMNS), pad = 14;
    const double scale = fmin((CELL - 2 * pad) / (f->right - f->left), (CELL - 2 * pad - 14) / (f->top - f->bottom));
    char         word[32];
    snprintf(word, sizeof word, "t = %.1f s", 0.2 * at);
    cd_svg_text(svg, x0 + pad, y0 + 14, (cd_font){.size = 12, .colour = CD_COLOUR_SECONDARY}, word);
    for (int j = 0; j < c->n; ++j) {
        double from[3], a[2], b[2];
        for (int e = 0; e < c->d; ++e) from[e] = state[c->d * j + e] - state[c->n * c->d + c->d * j + e];
        project(c->d, from, &a[0], &a[1]);
        project(c->d, state + c->d * j, &b[0], &b[1]);
        cd_svg_line(svg, x0 + pad + scale * (a[0] - f->left), y0 + pad + 14 + scale * (f->top - a[1]),
                    x0 + pad + scale * (b[0] - f->left), y0 + pad + 14 + scale * (f->top - b[1]), cd_palette_colour(0),
                    1.6);
    }
}

// Draw snapshots of one run. *max_violation: largest closure or length violation at any snapshot.
static bool draw_snapshots(const char* folder, const figure* f, const cd_line_links* c, int snapshots,
                           double* max_violation)
{
    const cd_line_settings s     = {.midpoint       = true,
                                    .step           = f->step,
                                    .epsilon        = 5 * f->step,
                                    .alpha          = 10,
                                    .b1             = 10,
                                    .b2             = 25,
                                    .window         = 20,
                                    .max_iterations = 6,
                                    .tolerance      = 1e-9};
    double*                state = calloc((size_t)(4 * c->n * c->d), sizeof *state);
    cd_text                svg   = {0};
    bool                   good  = state != NULL;
    *max_violation               = 0;
    if (good) cd_line_start(c, state);
    cd_svg_begin(&svg, COLUMNS * CELL, HEAD + CELL * ((snapshots + COLUMNS - 1) / COLUMNS), f->title);
    cd_svg_text(&svg, 14, 30, (cd_font){.size = 17, .colour = CD_COLOUR_TEXT, .bold = true}, f->title);
    for (int i = 0; good && i < snapshots; ++i) {
        if (i > 0) {
            const cd_line_result r = cd_line_run(c, &s, 0.2, false, state);
            good                   = r.status == CARDAN_OK;
            *max_violation         = fmax(*max_violation, fmax(r.closure_violation, r.length_violation));
        }
        draw_snapshot(&svg, f, c, state, i);
    }
    cd_svg_end(&svg);
    char name[64];
    snprintf(name, sizeof name, "001_motion_%s.svg", f->name);
    good = page_draw(folder, name, &svg) && good;
    free(state);
    return good;
}

int main(int argc, char** argv)
{
    const bool   small   = argc == 4 && strcmp(argv[3], "--small") == 0;
    const figure squares = {"squares", "Square chain, every 0.2 s", 1e-3, -2.1, 2.3, -2.9, 0.3},
                 net     = {"net", "Net, every 0.2 s", 1e-3, -2.7, 6.9, -5.8, 0.4};
    cd_line_links c;
    double        violation[2];
    if (argc != 3 && !small) {
        fprintf(stderr, "usage: 001_motion OUTPUT MODELS [--small]\n");
        return 2;
    }
    fprintf(stderr, "  001_motion  square chain\n");
    if (!cd_line_squares(2, &c)) return 1;
    bool good = draw_snapshots(argv[1], &squares, &c, small ? 4 : SNAPSHOTS, &violation[0]);
    cd_line_release(&c);
    fprintf(stderr, "  001_motion  net\n");
    if (!cd_line_net(5, 5, 0.78539816339744831, &c)) return 1;
    good = draw_snapshots(argv[1], &net, &c, small ? 4 : SNAPSHOTS, &violation[1]) && good;
    cd_line_release(&c);
    FILE* page = page_create(argv[1], "001_motion.md");
    if (!page) return 1;
    fprintf(page,
            "Figs. 4.2 and 4.4: two squares that hang from one corner fall from standstill (the drawing and the number "
            "of links of the chain are missing in the available copy of the paper), and a net of 5 x 5 is released at "
            "45 degrees (angle and size are missing too). AlgI, explicit midpoint, h = 0.001 s, epsilon = 5 h, windows "
            "of 20 steps, alpha = 10/s, lengths by g'' + 10 g' + 25 g = 0. The motion passes configurations in which "
            "links of a square are collinear and the constraints are singular, without special treatment. Largest "
            "closure or length violation at any snapshot: %.1e m and %.1e m.\n\n"
            "![Fig. 4.2: square chain](001_motion_squares.svg)\n\n![Fig. 4.4: net](001_motion_net.svg)\n",
            violation[0], violation[1]);
    return fclose(page) == 0 && good ? 0 : 1;
}
