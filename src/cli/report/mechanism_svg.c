// SPDX-License-Identifier: BSD-3-Clause
// Pictures of the mechanism: body poses stored during a run, drawn as SVG.
#include "cli/support/run_settings.h"

#include "cli/cli_tolerances.h"
#include "cli/support/output_files.h"
#include "cli/support/messages.h"
#include "core/memory.h"
#include "draw/draw_mechanism.h"
#include "math/quaternion.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

void cd_snapshots_begin(cd_snapshots* snapshots, int nbody, int count_max, double start, double end)
{
    *snapshots           = (cd_snapshots){.nbody = nbody, .count_max = count_max, .start = start};
    snapshots->spacing   = count_max > 1 ? (end - start) / (count_max - 1) : INFINITY;
    snapshots->body_pose = cd_allocate((size_t)count_max + 1, sizeof *snapshots->body_pose);
    snapshots->failed    = !snapshots->body_pose;
}

void cd_snapshots_add(cd_snapshots* snapshots, const cardan_description_view* view, cardan_data* data, double t)
{
    if (snapshots->failed || snapshots->count >= snapshots->count_max) return;
    if (snapshots->count > 0 &&
        t < snapshots->start + (snapshots->count - cd_snapshot_time_tolerance) * snapshots->spacing)
        return;
    cardan_motion* body = cd_allocate((size_t)snapshots->nbody + 1, sizeof *body);
    cardan_pose*   pose = cd_allocate((size_t)snapshots->nbody + 1, sizeof *pose);
    if (body && pose) {
        cardan_data_body_motions(data, NULL, body);
        for (int i = 0; i < snapshots->nbody; ++i) {
            double        R[9];
            const double* c = view->body[i].centre;
            q4_matrix(body[i].q, R);
            memcpy(pose[i].q, body[i].q, sizeof body[i].q);
            for (int k = 0; k < 3; ++k)
                pose[i].p[k] = body[i].p[k] - R[3 * k] * c[0] - R[3 * k + 1] * c[1] - R[3 * k + 2] * c[2];
        }
        snapshots->body_pose[snapshots->count++] = pose;
        snapshots->last_time                     = t;
    } else {
        free(pose);
        snapshots->failed = true;
    }
    free(body);
}

void cd_snapshots_free(cd_snapshots* snapshots)
{
    for (int i = 0; i < snapshots->count; ++i) free(snapshots->body_pose[i]);
    free(snapshots->body_pose);
    *snapshots = (cd_snapshots){0};
}

// Drawing options from the command line; the names of views and labels are already validated.
static cd_draw_options draw_options_of(const cd_options* options)
{
    cd_draw_options draw = cd_draw_options_default();
    draw.fits_page       = isnan(options->width) && isnan(options->height);
    if (!isnan(options->width)) draw.width = options->width;
    if (!isnan(options->height)) draw.height = options->height;
    draw.title = options->title;
    if (options->view) cd_view_choice_find(options->view, &draw.view_choice);
    if (options->names) {
        const bool all   = strcmp(options->names, "all") == 0;
        draw.body_names  = all || strcmp(options->names, "bodies") == 0;
        draw.joint_names = all || strcmp(options->names, "joints") == 0;
    }
    return draw;
}

int cd_write_mechanism_svg(const cd_loaded_model* mechanism, const cd_snapshots* snapshots, const char* path,
                           bool force)
{
    cd_draw_options draw   = draw_options_of(mechanism->options);
    cd_text         svg    = {0};
    cardan_report   report = {0};
    char            subtitle[64];
    if (snapshots->count > 1) {
        snprintf(subtitle, sizeof subtitle, "t = %g ... %g s", snapshots->start, snapshots->last_time);
        draw.subtitle = subtitle;
    }
    if (snapshots->caption) draw.subtitle = snapshots->caption;
    const cardan_status status = cd_draw_mechanism_svg(
        &mechanism->view, snapshots->count, (const cardan_pose* const*)snapshots->body_pose, &draw, &svg, &report);
    if (status != CARDAN_OK) {
        cd_text_free(&svg);
        return cd_report_failure(&report, status);
    }
    if (!mechanism->options->quiet) cd_print_report(&report);
    return cd_write_text(path, &svg, force);
}
