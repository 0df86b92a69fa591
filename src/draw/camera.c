// SPDX-License-Identifier: BSD-3-Clause
// Cameras: front, side and top view about the vertical, isometric view between them, or normal to the plane of motion.
#include "draw/camera.h"

#include "draw/draw_tolerances.h"
#include "core/memory.h"
#include "draw/scene.h"

#include <stdlib.h>
#include <string.h>

static const char* const view_names[] = {"auto", "isometric", "front", "side", "top", "three"};

const char* cd_view_choice_name(int choice)
{
    return choice >= 0 && choice < (int)(sizeof view_names / sizeof *view_names) ? view_names[choice] : NULL;
}

bool cd_view_choice_find(const char* name, cd_view_choice* choice)
{
    for (int i = 0; cd_view_choice_name(i); ++i)
        if (strcmp(name, cd_view_choice_name(i)) == 0) return *choice = (cd_view_choice)i, true;
    return false;
}

// World axis nearest to a direction, with its sign.
static cd_xyz nearest_axis(cd_xyz d)
{
    const double x = fabs(d.x), y = fabs(d.y), z = fabs(d.z);
    if (z >= x && z >= y) return (cd_xyz){0, 0, copysign(1, d.z)};
    if (y >= x) return (cd_xyz){0, copysign(1, d.y), 0};
    return (cd_xyz){copysign(1, d.x), 0, 0};
}

static cd_xyz vertical_direction(const cardan_description_view* view)
{
    const cd_xyz g = xyz_of(view->gravity);
    return xyz_length(g) > 0 && xyz_finite(g) ? nearest_axis(xyz_scale(-1, g)) : (cd_xyz){0, 0, 1};
}

static cd_camera front(cd_xyz up)
{
    const cd_xyz right = up.x != 0 ? (cd_xyz){0, 1, 0} : (cd_xyz){1, 0, 0};
    return (cd_camera){.right = right, .up = up, .toward = xyz_cross(right, up), .title = "front"};
}

static cd_camera side(cd_xyz up)
{
    const cd_camera f = front(up);
    return (cd_camera){.right = xyz_scale(-1, f.toward), .up = up, .toward = f.right, .title = "side"};
}

static cd_camera top(cd_xyz up)
{
    const cd_camera f = front(up);
    return (cd_camera){.right = f.right, .up = xyz_scale(-1, f.toward), .toward = up, .title = "top"};
}

static cd_camera isometric(cd_xyz up)
{
    const cd_camera f      = front(up);
    const cd_xyz    toward = xyz_unit(xyz_add(xyz_add(f.right, f.toward), up));
    const cd_xyz    right  = xyz_unit(xyz_cross(up, toward));
    return (cd_camera){
        .right = right, .up = xyz_cross(toward, right), .toward = toward, .title = "isometric", .isometric = true};
}

// Camera normal to a plane: the vertical is up in the picture if possible, and `right` has a positive component along
// its dominant world axis.
static cd_camera normal_to_plane(cd_xyz normal, cd_xyz up)
{
    cd_xyz v = xyz_add_scaled(up, -xyz_dot(up, normal), normal);
    if (xyz_length(v) < 0.1) v = fabs(normal.y) < 0.9 ? (cd_xyz){0, 1, 0} : (cd_xyz){0, 0, 1};
    v                  = xyz_unit(xyz_add_scaled(v, -xyz_dot(v, normal), normal));
    cd_xyz       right = xyz_cross(v, normal);
    const cd_xyz axis  = nearest_axis(right);
    const double sign  = axis.x + axis.y + axis.z;
    right              = xyz_scale(sign, right);
    return (cd_camera){.right = right, .up = v, .toward = xyz_scale(sign, normal), .title = "in the plane of motion"};
}

// World direction of the z axis of a joint.
static cd_xyz axis_of(const cardan_joint* joint, const cardan_pose* pose)
{
    const cd_xyz z = xyz_rotate(joint->frame_first.q, (cd_xyz){0, 0, 1});
    return joint->first_body < 0 ? z : xyz_rotate(pose[joint->first_body].q, z);
}

static bool is_parallel(cd_xyz a, cd_xyz b) { return xyz_length(xyz_cross(a, b)) < cd_planar_axis_tolerance; }
static bool is_perpendicular(cd_xyz a, cd_xyz b) { return fabs(xyz_dot(a, b)) < cd_planar_axis_tolerance; }

// Normal of the plane of motion: axis of the first rotation. Returns false if rotations are not parallel or a joint
// moves in space; *slide is the axis of a prismatic joint.
static bool find_plane_normal(const cardan_description_view* view, const cardan_pose* pose, bool* found, cd_xyz* normal,
                              cd_xyz* slide)
{
    for (int i = 0; i < view->njoint; ++i) {
        const cd_joint_symbol symbol      = cd_joint_symbol_of_type(view->joint[i].type);
        const cd_xyz          axis        = axis_of(&view->joint[i], pose);
        const bool            is_rotation = symbol == CD_SYMBOL_REVOLUTE || symbol == CD_SYMBOL_PLANAR;
        if (symbol == CD_SYMBOL_FIXED) continue;
        if (symbol == CD_SYMBOL_PRISMATIC)
            *slide = axis;
        else if (!is_rotation)
            return false;
        else if (!*found)
            *normal = axis, *found = true;
        else if (!is_parallel(axis, *normal))
            return false;
    }
    return true;
}

// *all: every body has a joint; a body without joint moves in space. Returns CARDAN_NO_MEMORY or CARDAN_OK.
static cardan_status all_bodies_have_joints(const cardan_description_view* view, bool* all)
{
    int   count     = 0;
    bool* has_joint = cd_allocate((size_t)view->nbody, sizeof *has_joint);
    if (!has_joint) return CARDAN_NO_MEMORY;
    for (int i = 0; i < 2 * view->njoint; ++i) {
        const cardan_joint* j    = &view->joint[i / 2];
        const int           body = i % 2 ? j->second_body : j->first_body;
        if (body < 0 || has_joint[body]) continue;
        has_joint[body] = true;
        ++count;
    }
    free(has_joint);
    *all = view->nbody > 0 && count == view->nbody;
    return CARDAN_OK;
}

// True if all joints move in one plane, with its normal.
static bool joints_in_plane(const cardan_description_view* view, const cardan_pose* pose, cd_xyz* normal)
{
    bool   found = false;
    cd_xyz slide = {0, 0, 0};
    if (!find_plane_normal(view, pose, &found, normal, &slide)) return false;
    if (!found && xyz_length(slide) == 0) return false;
    if (!found) {
        // only prismatic joints: the plane of one of them and the vertical
        const cd_xyz up = vertical_direction(view), across = xyz_cross(slide, up);
        *normal = xyz_length(across) > 0.1 ? xyz_unit(across) : front(up).toward;
    }
    for (int i = 0; i < view->njoint; ++i)
        if (cd_joint_symbol_of_type(view->joint[i].type) == CD_SYMBOL_PRISMATIC &&
            !is_perpendicular(axis_of(&view->joint[i], pose), *normal))
            return false;
    return true;
}

cardan_status cd_plane_of_motion(const cardan_description_view* view, const cardan_pose* pose, cd_xyz* normal,
                                 bool* planar)
{
    const cardan_status status = all_bodies_have_joints(view, planar);
    *planar                    = status == CARDAN_OK && *planar && joints_in_plane(view, pose, normal);
    return status;
}

int cd_cameras_create(const cardan_description_view* view, const cardan_pose* pose, cd_view_choice choice,
                      cd_camera camera[4])
{
    const cd_xyz up = vertical_direction(view);
    cd_xyz       normal;
    bool         planar = false;
    switch (choice) {
    case CD_VIEW_AUTO:
        if (cd_plane_of_motion(view, pose, &normal, &planar) != CARDAN_OK) return 0;
        camera[0] = planar ? normal_to_plane(normal, up) : isometric(up);
        return 1;
    case CD_VIEW_ISOMETRIC:
        camera[0] = isometric(up);
        return 1;
    case CD_VIEW_FRONT:
        camera[0] = front(up);
        return 1;
    case CD_VIEW_SIDE:
        camera[0] = side(up);
        return 1;
    case CD_VIEW_TOP:
        camera[0] = top(up);
        return 1;
    case CD_VIEW_THREE:
        break;
    }
    // third-angle projection: top view above the front view, side view to its right
    camera[0] = top(up);
    camera[1] = isometric(up);
    camera[2] = front(up);
    camera[3] = side(up);
    return 4;
}
