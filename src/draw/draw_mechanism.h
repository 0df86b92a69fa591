// SPDX-License-Identifier: BSD-3-Clause
// Picture of the mechanism as SVG: one or several views, one configuration or several snapshots of a motion.
#pragma once

#include "core/text.h"
#include "draw/camera.h"

typedef struct cd_draw_options {
    double         width, height; // [px] page
    bool           fits_page;     // the page is made as narrow or as low as the mechanism
    cd_view_choice view_choice;
    bool           body_names, joint_names;
    bool           annotations; // gravity, scale bar, axes
    const char*    title;       // NULL: name of the mechanism; "": none
    const char*    subtitle;    // text next to the title, e.g. "t = 0 ... 2 s"; may be NULL
} cd_draw_options;

cd_draw_options cd_draw_options_default(void);

// Append the picture to `svg`. `pose` is an array (nsnapshot)(nbody) of body poses, oldest first; older snapshots are
// drawn fainter. nsnapshot = 0: the design configuration. Snapshots with non-finite poses are omitted with a warning.
cardan_status cd_draw_mechanism_svg(const cardan_description_view* view, int nsnapshot, const cardan_pose* const* pose,
                                    const cd_draw_options* options, cd_text* svg, cardan_report* report);
