// SPDX-License-Identifier: BSD-3-Clause
// Pictures of the mechanism: poses gathered during a run, drawn as SVG.
#include "cli/simulation.h"

#include "cli/files.h"
#include "cli/messages.h"
#include "core/memory.h"
#include "draw/draw_svg.h"
#include "math/quaternion.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

void cd_film_begin(cd_film* film, int nbody, int most, double start, double end)
{
    *film         = (cd_film){.nbody = nbody, .most = most, .start = start};
    film->spacing = most > 1 ? (end - start) / (most - 1) : INFINITY;
    film->pose    = cd_allocate((size_t)most + 1, sizeof *film->pose);
    film->failed  = !film->pose;
}

void cd_film_add(cd_film* film, const cardan_view* view, cardan_data* data, double t)
{
    if (film->failed || film->count >= film->most) return;
    if (film->count > 0 && t < film->start + (film->count - 1e-6) * film->spacing) return;
    cardan_motion* body = cd_allocate((size_t)film->nbody + 1, sizeof *body);
    cardan_pose*   pose = cd_allocate((size_t)film->nbody + 1, sizeof *pose);
    if (body && pose) {
        cardan_bodies(data, NULL, body);
        for (int i = 0; i < film->nbody; ++i) {
            double        R[9];
            const double* c = view->body[i].centre;
            q4_matrix(body[i].q, R);
            memcpy(pose[i].q, body[i].q, sizeof body[i].q);
            for (int k = 0; k < 3; ++k)
                pose[i].p[k] = body[i].p[k] - R[3 * k] * c[0] - R[3 * k + 1] * c[1] - R[3 * k + 2] * c[2];
        }
        film->pose[film->count++] = pose;
        film->last                = t;
    } else {
        free(pose);
        film->failed = true;
    }
    free(body);
}

void cd_film_free(cd_film* film)
{
    for (int i = 0; i < film->count; ++i) free(film->pose[i]);
    free(film->pose);
    *film = (cd_film){0};
}

// Names of views and of names are known to be among the choices.
static cd_draw_options picture_options(const cd_options* options)
{
    cd_draw_options draw = cd_draw_options_default();
    if (!isnan(options->width)) draw.width = options->width;
    if (!isnan(options->height)) draw.height = options->height;
    draw.title = options->title;
    if (options->look) cd_look_find(options->look, &draw.look);
    if (options->names) {
        const bool all   = strcmp(options->names, "all") == 0;
        draw.body_names  = all || strcmp(options->names, "bodies") == 0;
        draw.joint_names = all || strcmp(options->names, "joints") == 0;
    }
    return draw;
}

int cd_write_picture(const cd_mechanism* mechanism, const cd_film* film, const char* path, bool force)
{
    cd_draw_options draw   = picture_options(mechanism->options);
    cd_text         svg    = {0};
    cardan_report   report = {0};
    char            subtitle[64];
    if (film->count > 1) {
        snprintf(subtitle, sizeof subtitle, "t = %g ... %g s", film->start, film->last);
        draw.subtitle = subtitle;
    }
    if (film->caption) draw.subtitle = film->caption;
    const cardan_status status =
        cd_draw_svg(&mechanism->view, film->count, (const cardan_pose* const*)film->pose, &draw, &svg, &report);
    if (status != CARDAN_OK) {
        cd_text_free(&svg);
        return cd_say_failure(&report, status);
    }
    if (!mechanism->options->quiet) cd_say_report(&report);
    return cd_write_text(path, &svg, force);
}
