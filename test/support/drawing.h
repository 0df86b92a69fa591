// SPDX-License-Identifier: BSD-3-Clause
// Mechanisms for tests of pictures, and elements of their SVG.
#pragma once

#include "draw/draw_mechanism.h"
#include "sentences.h"
#include "xml_check.h"

#include <stdlib.h>

static const cardan_pose identity = {{0, 0, 0}, {1, 0, 0, 0}};
// rotations that map the z axis of a joint frame to x, y, z of the world
static const double about_x[4] = {0.70710678118654752, 0, 0.70710678118654752, 0};
static const double about_y[4] = {0.70710678118654752, -0.70710678118654752, 0, 0};
static const double about_z[4] = {1, 0, 0, 0};

static cardan_report report;

static inline cardan_body make_body(const char* name, double x, double y, double z)
{
    return (cardan_body){.name = name, .pose = identity, .mass = 1, .centre = {x, y, z}};
}

// In the design configuration the body frames equal the world frame, so a joint has the same frame on both bodies.
static inline cardan_joint make_joint(const char* name, const char* type, int first, int second, double x, double y,
                                      double z, const double axis[4])
{
    const cardan_pose frame = {{x, y, z}, {axis[0], axis[1], axis[2], axis[3]}};
    return (cardan_joint){.name         = name,
                          .type         = type,
                          .first_body   = first,
                          .second_body  = second,
                          .frame_first  = frame,
                          .frame_second = frame};
}

static inline char* draw(const cardan_description_view* view, int nsnapshot, const cardan_pose* const* pose,
                         cd_view_choice view_choice)
{
    cd_text         svg     = {0};
    cd_draw_options options = cd_draw_options_default();
    options.view_choice     = view_choice;
    options.fits_page       = false;
    cardan_report_clear(&report);
    const cardan_status status = cd_draw_mechanism_svg(view, nsnapshot, pose, &options, &svg, &report);
    char*               text   = cd_text_detach(&svg);
    CHECK(status == CARDAN_OK);
    CHECK_TEXT(xml_problem(text), "");
    return text;
}

// Values of attributes of the n-th element that begins with `tag`.
static inline bool element_numbers(const char* svg, const char* tag, int n, const char* const* attribute, int count,
                                   double* value)
{
    for (const char* at = strstr(svg, tag); at; at = strstr(at + 1, tag)) {
        if (n-- > 0) continue;
        for (int i = 0; i < count; ++i) {
            const char* found = strstr(at, attribute[i]);
            if (!found || found > strchr(at, '>')) return false;
            value[i] = strtod(found + strlen(attribute[i]), NULL);
        }
        return true;
    }
    return false;
}

static const char* const line_ends[] = {" x1=\"", " y1=\"", " x2=\"", " y2=\""};
static const char* const circle[]    = {" cx=\"", " cy=\"", " r=\""};
