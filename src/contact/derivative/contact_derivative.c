// SPDX-License-Identifier: BSD-3-Clause
// Derivatives of a contact point with respect to the motions of its shapes: collects the local geometry of the features, and
// calls the function for nearest points or for points of a clipped face.
#include "contact/derivative/derivative.h"
#include "contact/derivative/part_triangle.h"

static void move_to_world(const cd_shape_pose* pose, cd_core_feature* f)
{
    f->origin = d3_add(d3_rotate(pose->R, f->origin), d3_of(pose->p));
    f->axis   = d3_rotate(pose->R, f->axis);
}

static bool is_part(uint32_t feature)
{
    const cd_feature_kind kind = cd_feature_kind_of(feature);
    return kind == CD_FEATURE_CLIP || kind == CD_FEATURE_CORNER;
}

static double length_of(const cd_shape_geometry* A, const cd_shape_geometry* B)
{
    const double a = cd_shape_length(A), b = cd_shape_length(B);
    return a > 0 && b > 0 ? fmin(a, b) : fmax(a, b);
}

bool cd_contact_derivative(const cd_shape_geometry* A, const cd_shape_pose* pose_A, const cd_shape_geometry* B,
                           const cd_shape_pose* pose_B, const cd_contact_point* point, cd_contact_rates* rates)
{
    cd_derivative_problem p         = {.n      = d3_of(point->normal),
                                       .centre = d3_scale(0.5, d3_add(d3_of(point->a), d3_of(point->b))),
                                       .gap    = point->gap,
                                       .length = length_of(A, B)};
    int                   reference = -1;
    cd_part_triangle      part[2];
    for (int i = 0; i < 2; ++i) {
        cd_derivative_end* end = &p.end[i];
        end->g                 = i == 0 ? A : B;
        end->pose              = i == 0 ? pose_A : pose_B;
        end->feature           = cd_contact_feature(point, i);
        end->offset            = cd_shape_type_of(end->g)->offset(end->g);
        end->point             = d3_of(i == 0 ? point->a : point->b);
        if (is_part(end->feature)) {
            if (reference >= 0) return false;
            reference = i;
            cd_part_to_triangle(end, &part[i]);
        } else {
            cd_shape_type_of(end->g)->feature(end->g, end->feature, &end->core);
            move_to_world(end->pose, &end->core);
        }
    }
    return reference >= 0 ? cd_clip_derivative(&p, reference, rates) : cd_nearest_derivative(&p, rates);
}
