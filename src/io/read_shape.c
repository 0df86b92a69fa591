// SPDX-License-Identifier: BSD-3-Clause
// Pictures of bodies. Poses are in the body frame; numbers are in `base`, as those of the body are.
#include "io/read.h"

#include "math/quaternion.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

typedef struct painter {
    cd_element      e;
    cd_def*         body;
    const cd_frame* base;
    const double*   centre; // mass centre, body frame
} painter;

static bool add(const painter* p, cardan_shape* shape)
{
    shape->body = p->body->index;
    return cardan_add_shape(p->e.reader->description, shape) != CARDAN_NONE || cd_reader_no_memory(p->e.reader);
}

static bool paint_line(const painter* p, const cd_yaml* line)
{
    double* points = calloc((size_t)line->count, 3 * sizeof *points);
    if (!points) return cd_reader_no_memory(p->e.reader);
    bool ok = true;
    for (int i = 0; i < line->count && ok; ++i)
        ok = cd_position_on(&p->e, line->entry[i].value, p->base, p->body->frame, points + 3 * i);
    cardan_shape shape = {
        .kind = CARDAN_SHAPE_POINTS, .pose = cardan_pose_default(), .npoint = line->count, .point = points};
    ok = ok && add(p, &shape);
    free(points);
    return ok;
}

// Place and turn of a box, sphere or cylinder: S L S in body axes, S = diag(sign) of the level.
static bool place(const painter* p, cardan_shape* shape)
{
    const cd_yaml *at = cd_yaml_get(p->e.node, "at"), *orientation = cd_yaml_get(p->e.node, "orientation");
    memcpy(shape->pose.p, p->centre, sizeof shape->pose.p);
    if (at && !cd_position_on(&p->e, at, p->base, p->body->frame, shape->pose.p)) return false;
    if (!orientation) return true;
    const cd_frame own = cd_relative_base(p->e.level, p->body->frame);
    double         L[3][3];
    if (!cd_orientation(&p->e, orientation, &own, L)) return false;
    const cd_frame    frame = cd_frame_in(cd_ledger_at(&p->e), &own, own.p, L, p->e.level->placement->sign);
    const cardan_pose turn  = cd_pose_on(&p->e, NULL, orientation, &own, p->body->frame, &frame);
    q4_mul(turn.q, shape->pose.q, shape->pose.q);
    return true;
}

static bool paint(const painter* p)
{
    const cd_yaml* line = cd_yaml_get(p->e.node, "line");
    cd_form        form;
    if (p->e.node->broken || p->e.node->kind != CD_YAML_MAP) return false;
    if (line) return !line->broken && paint_line(p, line);
    if (!cd_read_form(&p->e, p->body->frame, p->base, &form) || !form.key) return false;
    if (form.key[0] == 'r')
        cd_into_frame(cd_ledger_at(&p->e), p->body->frame, form.centre, form.shape.pose.p);
    else if (!place(p, &form.shape))
        return false;
    return add(p, &form.shape);
}

bool cd_read_shapes(const cd_element* e, cd_def* body, const cd_frame* base, const double centre[3])
{
    cd_yaml* node = cd_yaml_get(e->node, "shape");
    bool     ok   = !node->broken;
    for (int i = 0; ok && i < (node->kind == CD_YAML_LIST ? node->count : 1); ++i) {
        painter p   = {.e = *e, .body = body, .base = base, .centre = centre};
        p.e.node    = node->kind == CD_YAML_LIST ? node->entry[i].value : node;
        p.e.section = "shape";
        ok          = paint(&p);
    }
    return ok;
}
