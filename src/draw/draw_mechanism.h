// SPDX-License-Identifier: BSD-3-Clause
// The mechanism as an SVG picture: one view or several, at one instant or as a strobe of many.
#pragma once

#include "core/text.h"
#include "draw/camera.h"

typedef struct cd_draw_options {
    double         width, height; // [px]
    cd_view_choice view_choice;
    bool           body_names, joint_names;
    bool           annotations; // gravity, scale, axes
    const char*    title;       // NULL: the mechanism's name; "": none
    const char*    subtitle;    // beside the title, e.g. "t = 0 ... 2 s"; may be NULL
} cd_draw_options;

cd_draw_options cd_draw_options_default(void);

// Append the picture to `svg`. `pose` has `ninstant` rows of body poses (nbody each), oldest first; older ones fade.
// ninstant = 0: the design position. Instants that are not finite are left out with a warning.
cardan_status cd_draw_mechanism_svg(const cardan_view* view, int ninstant, const cardan_pose* const* pose,
                                    const cd_draw_options* options, cd_text* svg, cardan_report* report);
