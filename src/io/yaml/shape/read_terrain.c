// SPDX-License-Identifier: BSD-3-Clause
// Shapes of ground: planes, height fields and profiles. Their axes are z = the normal of the plane, x and y = those of the
// grid. At a level with signs S a point x of the frame is S x: if z is reversed, the frame is turned by half a turn about
// x, and rows and columns are reversed as the remaining signs require.
#include "io/yaml/shape/heights.h"

#include <stdlib.h>
#include <string.h>

bool cd_read_two_lengths(const cd_model_element* e, const char* key, double value[2])
{
    const cd_yaml* node = cd_yaml_get(e->node, key);
    if (!node || node->has_error) return false;
    if (node->kind == CD_YAML_LIST) {
        if (!cd_read_numbers(e, node, CD_UNIT_LENGTH, 2, value)) return false;
    } else {
        if (!cd_read_number(e, node, CD_UNIT_LENGTH, &value[0])) return false;
        value[1] = value[0];
    }
    for (int i = 0; i < 2; ++i)
        if (!(value[i] > 0))
            return cd_element_fail(e, node, "'%s' must be positive, not %g", key, value[i]);
        else if (!cd_require_structural_constant(e, node, value[i]))
            return false;
    return true;
}

// Read the pose by `at` and `orientation`, or `normal`; with z reversed, turned about x.
static bool read_pose(const cd_model_element* e, const cd_frame* base, const cd_frame* body, cardan_pose* pose)
{
    const cd_yaml *orientation = cd_yaml_get(e->node, "orientation"), *normal = cd_yaml_get(e->node, "normal"),
                  *at  = cd_yaml_get(e->node, "at");
    const double* sign = e->level->placement->sign;
    double        d[3], R[3][3], p[3];
    cd_frame      frame;
    if (orientation && normal) return cd_element_fail(e, normal, "'normal' and 'orientation' exclude each other");
    if (normal) {
        memcpy(p, base->p, sizeof p);
        if (at && !cd_read_position(e, at, base, p)) return false;
        if (!cd_read_direction(e, normal, base, d)) return false;
        cd_rotation_z_to_axis(NULL, d, R);
        frame = cd_frame_from_base(cd_element_parametric(e), base, p, R, sign);
        *pose = cd_relative_pose(cd_element_parametric(e), body, &frame);
    } else {
        if (!cd_read_frame(e, base, base->p, &frame)) return false;
        *pose = cd_read_pose_on_body(e, at, orientation, base, body, &frame);
    }
    if (sign[2] < 0) { // q (0, 1, 0, 0)
        const double q[4] = {-pose->q[1], pose->q[0], pose->q[3], -pose->q[2]};
        memcpy(pose->q, q, sizeof q);
    }
    return true;
}

bool cd_read_plane(const cd_model_element* e, const cd_frame* base, const cd_frame* body, cardan_shape* shape)
{
    *shape = (cardan_shape){.kind = CARDAN_SHAPE_PLANE};
    return cd_read_two_lengths(e, "plane", shape->size) && read_pose(e, base, body, &shape->pose);
}

// ---- height fields

// Copy the heights to the pool; reverse columns, rows as the signs require.
static const double* place_heights(cd_reader* r, const cd_heights* h, bool reverse_x, bool reverse_y)
{
    double* z = cd_pool_alloc(&r->pool, (size_t)h->nx * (size_t)h->ny, sizeof *z);
    for (int j = 0; z && j < h->ny; ++j)
        for (int i = 0; i < h->nx; ++i) {
            const int from_i = reverse_x ? h->nx - 1 - i : i, from_j = reverse_y ? h->ny - 1 - j : j;
            z[i + h->nx * j] = h->z[from_i + h->nx * from_j];
        }
    return z;
}

// Read step and, of a profile, width into the spacing.
static bool read_spacing(const cd_model_element* e, bool profile, double spacing[2])
{
    double width[2];
    if (!cd_read_two_lengths(e, "step", spacing)) return false;
    if (!profile) return true;
    if (cd_yaml_get(e->node, "step")->kind == CD_YAML_LIST)
        return cd_element_fail(e, cd_yaml_get(e->node, "step"), "the step of a profile is one number");
    if (!cd_read_two_lengths(e, "width", width)) return false;
    spacing[1] = width[0];
    return true;
}

bool cd_read_height_field(const cd_model_element* e, const cd_frame* base, const cd_frame* body, cardan_shape* shape)
{
    const bool     profile       = cd_yaml_get(e->node, "profile") != NULL;
    const cd_yaml* interpolation = cd_yaml_get(e->node, "interpolation");
    const double*  sign          = e->level->placement->sign;
    cd_heights     h             = {0};
    *shape                       = (cardan_shape){.kind = CARDAN_SHAPE_HEIGHT_FIELD};
    cardan_height_grid* f        = &shape->field;
    bool                ok       = read_spacing(e, profile, f->spacing) && read_pose(e, base, body, &shape->pose) &&
              cd_read_heights(e, profile, f->spacing, &h);
    if (ok) {
        f->nx     = h.nx;
        f->ny     = h.ny;
        f->smooth = interpolation && strcmp(interpolation->text, "smooth") == 0;
        f->height = place_heights(e->reader, &h, sign[0] < 0, sign[1] * sign[2] < 0);
        ok        = f->height || cd_reader_fail_no_memory(e->reader);
    }
    free(h.z);
    return ok;
}
