// SPDX-License-Identifier: BSD-3-Clause
// Table of shapes, and what follows from their descriptors.
#include "contact/shape/shape.h"

#include <stddef.h>

#define CD_SHAPE(NAME, name) extern const cd_shape_type cd_shape_##name;
#include "contact/shapes.def"
#undef CD_SHAPE

static const cd_shape_type* const shape_types[] = {
#define CD_SHAPE(NAME, name) &cd_shape_##name,
#include "contact/shapes.def"
#undef CD_SHAPE
};

const cd_shape_type* cd_shape_type_of(const cd_shape_geometry* g) { return shape_types[g->kind]; }
const cd_shape_type* cd_shape_type_at(int kind) { return shape_types[kind]; }

int cd_shape_type_find(const char* name)
{
    for (int i = 0; i < CD_SHAPE_KINDS; ++i)
        if (strcmp(shape_types[i]->name, name) == 0) return i;
    return -1;
}

const char* cd_shape_check(const cd_shape_geometry* g)
{
    const cd_shape_type* type = cd_shape_type_of(g);
    for (int i = 0; i < 3 && type->size_name[i]; ++i)
        if (!(g->size[i] >= 0 && g->size[i] < INFINITY)) return "its sizes must be positive and finite";
    if (!(g->rounding >= 0 && g->rounding < INFINITY)) return "its rounding must not be negative";
    if (g->rounding > 0 && !type->can_round) return "this shape has no rounding";
    return type->check ? type->check(g) : NULL;
}

// Box in the frame of the shape, with its radius.
static void local_box(const cd_shape_geometry* g, d3* lower, d3* upper)
{
    const cd_shape_type* type = cd_shape_type_of(g);
    uint32_t             feature;
    const double         offset = type->offset(g);
    if (type->box) {
        type->box(g, lower, upper);
        return;
    }
    for (int i = 0; i < 3; ++i) {
        lower->e[i] = type->support(g, d3_neg(d3_axis(i)), &feature).e[i] - offset;
        upper->e[i] = type->support(g, d3_axis(i), &feature).e[i] + offset;
    }
}

void cd_shape_bounds(const cd_shape_geometry* g, const cd_shape_pose* pose, double lower[3], double upper[3])
{
    const cd_shape_type* type = cd_shape_type_of(g);
    uint32_t             feature;
    d3                   low, high;
    if (!type->bounded) {
        for (int i = 0; i < 3; ++i) lower[i] = -INFINITY, upper[i] = INFINITY;
    } else if (type->support) {
        const double offset = type->offset(g);
        for (int i = 0; i < 3; ++i) {
            const d3 axis = {{pose->R[3 * i], pose->R[3 * i + 1], pose->R[3 * i + 2]}}; // world axis i in the shape
            lower[i]      = pose->p[i] + d3_dot(axis, type->support(g, d3_neg(axis), &feature)) - offset;
            upper[i]      = pose->p[i] + d3_dot(axis, type->support(g, axis, &feature)) + offset;
        }
    } else {
        local_box(g, &low, &high);
        if (!isfinite(d3_norm(low)) || !isfinite(d3_norm(high))) { // a field that is continued without end
            for (int i = 0; i < 3; ++i) lower[i] = -INFINITY, upper[i] = INFINITY;
            return;
        }
        const d3 middle = d3_scale(0.5, d3_add(low, high)), half = d3_scale(0.5, d3_sub(high, low));
        const d3 centre = d3_add(d3_rotate(pose->R, middle), d3_of(pose->p));
        for (int i = 0; i < 3; ++i) {
            double reach = 0;
            for (int j = 0; j < 3; ++j) reach += fabs(pose->R[3 * i + j]) * half.e[j];
            lower[i] = centre.e[i] - reach, upper[i] = centre.e[i] + reach;
        }
    }
}

double cd_shape_bounding_radius(const cd_shape_geometry* g)
{
    d3 low, high;
    if (!cd_shape_type_of(g)->bounded) return INFINITY;
    local_box(g, &low, &high);
    for (int i = 0; i < 3; ++i) high.e[i] = fmax(fabs(low.e[i]), fabs(high.e[i]));
    return d3_norm(high);
}

double cd_shape_length(const cd_shape_geometry* g)
{
    d3 low, high;
    if (!cd_shape_type_of(g)->bounded) return 0;
    local_box(g, &low, &high);
    high = d3_sub(high, low);
    return fmax(high.e[0], fmax(high.e[1], high.e[2]));
}
