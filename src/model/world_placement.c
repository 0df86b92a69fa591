// SPDX-License-Identifier: BSD-3-Clause
// Joints and markers placed by points and axes in the world, at the design configuration of the bodies.
#include "math/finite.h"
#include "model/description.h"
#include "model/frame_placement.h"

#include <string.h>

// Frame at a point of the world with z along the axis; with the axes of the world if it is NULL. Returns false if a
// number is not finite or the axis is zero.
static bool frame_at(const double point[3], const double axis[3], cd_frame* frame)
{
    double z[3];
    *frame = (cd_frame){.R = {{1, 0, 0}, {0, 1, 0}, {0, 0, 1}}};
    if (!point || !cd_all_finite(3, point) || (axis && !cd_all_finite(3, axis))) return false;
    memcpy(frame->p, point, sizeof frame->p);
    if (!axis) return true;
    memcpy(z, axis, sizeof z);
    if (!cd_normalize_direction(NULL, z)) return false;
    cd_rotation_z_to_axis(NULL, z, frame->R);
    return true;
}

// Pose of a frame on a body. Returns false if there is no such body.
static bool pose_on_body(const cardan_description* d, int body, const cd_frame* frame, cardan_pose* pose)
{
    if (body < CARDAN_GROUND || body >= d->nbody) return false;
    const cardan_pose world      = cardan_pose_default();
    const cd_frame    body_frame = cd_frame_of_pose(body == CARDAN_GROUND ? &world : &d->body[body].pose);
    *pose                        = cd_relative_pose(NULL, &body_frame, frame);
    return true;
}

cardan_joint cardan_joint_at(const cardan_description* d, const char* name, const char* type, int first, int second,
                             const double point[3], const double axis[3])
{
    cardan_joint joint = cardan_joint_default(name, type, first, second);
    cd_frame     frame;
    if (!d || !frame_at(point, axis, &frame) || !pose_on_body(d, first, &frame, &joint.frame_first) ||
        !pose_on_body(d, second, &frame, &joint.frame_second))
        return (cardan_joint){0};
    return joint;
}

cardan_marker cardan_marker_at(const cardan_description* d, const char* name, int body, const double point[3],
                               const double axis[3])
{
    cardan_marker marker = {.name = name, .body = body};
    cd_frame      frame;
    if (!d || !frame_at(point, axis, &frame) || !pose_on_body(d, body, &frame, &marker.pose)) return (cardan_marker){0};
    return marker;
}
