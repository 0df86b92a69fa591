// SPDX-License-Identifier: BSD-3-Clause
// URDF links: mass, centre and inertia in the axes of the link, I = R I_inertial R', and shapes for pictures.
#include "io/inertia_validity.h"
#include "io/urdf/urdf.h"
#include "math/quaternion.h"
#include "math/spatial.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static void check_inertia(cd_urdf* u, int element, const char* link, const double inertia[6])
{
    const cd_inertia_validity s = cd_inertia_validate(inertia);
    if (!s.is_nonnegative)
        cd_urdf_fail(u, element, "link '%s': the inertia is not physical: its principal moment %.6g is negative", link,
                     s.min_moment);
    else if (!s.is_physical)
        cd_urdf_warn(
            u, element,
            "link '%s': the inertia is not physical: its largest principal moment exceeds the sum of the others "
            "by %.3g; the nearest physical value is ixx %.6g, iyy %.6g, izz %.6g, ixy %.6g, ixz %.6g, iyz %.6g",
            link, s.triangle_excess, s.nearest_physical[0], s.nearest_physical[1], s.nearest_physical[2],
            s.nearest_physical[3], s.nearest_physical[4], s.nearest_physical[5]);
}

static void read_inertia(cd_urdf* u, int element, const char* link, const cardan_pose* origin, double inertia[6])
{
    static const char* const names[] = {"ixx", "iyy", "izz", "ixy", "ixz", "iyz"};
    bool                     whole   = true;
    for (int i = 0; i < 6; ++i) whole &= cd_urdf_read_number(u, element, names[i], true, &inertia[i]);
    if (!whole) return;
    check_inertia(u, element, link, inertia);
    const double* q = origin->q;
    if (q[1] == 0 && q[2] == 0 && q[3] == 0) return;
    double R[9];
    q4_matrix(q, R);
    const sym3 rotated = s3_rotate(m3_const(R), s3_const(inertia));
    memcpy(inertia, (double[]){rotated.xx, rotated.yy, rotated.zz, rotated.xy, rotated.xz, rotated.yz},
           6 * sizeof *inertia);
}

static void read_inertial(cd_urdf* u, const urdf_link* link, cardan_body* body)
{
    const int inertial = cd_urdf_single_child(u, link->element, "inertial");
    if (inertial < 0) return;
    cardan_pose origin;
    cd_urdf_read_origin(u, inertial, &origin);
    memcpy(body->centre, origin.p, sizeof body->centre);

    const int mass = cd_urdf_single_child(u, inertial, "mass"), inertia = cd_urdf_single_child(u, inertial, "inertia");
    if (mass < 0)
        cd_urdf_fail(u, inertial, "link '%s': <inertial> has no <mass>", link->name);
    else if (cd_urdf_read_number(u, mass, "value", true, &body->mass) && body->mass < 0)
        cd_urdf_fail(u, mass, "link '%s': the mass %g is negative", link->name, body->mass);
    if (inertia < 0)
        cd_urdf_fail(u, inertial, "link '%s': <inertial> has no <inertia>", link->name);
    else
        read_inertia(u, inertia, link->name, &origin, body->inertia);
}

// Read sizes of a shape, which must not be negative.
static bool read_sizes(cd_urdf* u, int element, const char* attribute, int count, double* size)
{
    if (!cd_urdf_read_numbers(u, element, attribute, true, count, size)) return false;
    for (int i = 0; i < count; ++i)
        if (!(size[i] >= 0)) {
            cd_urdf_fail(u, element, "<%s>: %s is negative", cd_xml_at(u->xml, element)->name, attribute);
            return false;
        }
    return true;
}

// Read the shape of one <visual> or <collision>. Returns false if its kind is not supported. `store`: files of meshes are
// read too, into `mesh`.
static bool read_shape(cd_urdf* u, int element, bool store, cardan_shape* shape, cd_mesh* mesh)
{
    cd_urdf_read_origin(u, element, &shape->pose);
    const int geometry = cd_urdf_single_child(u, element, "geometry");
    if (geometry < 0) {
        cd_urdf_fail(u, element, "<%s> has no <geometry>", cd_xml_at(u->xml, element)->name);
        return false;
    }
    int e;
    if ((e = cd_urdf_single_child(u, geometry, "box")) >= 0) {
        shape->kind = CARDAN_SHAPE_BOX;
        return read_sizes(u, e, "size", 3, shape->size);
    }
    if ((e = cd_urdf_single_child(u, geometry, "cylinder")) >= 0) {
        shape->kind       = CARDAN_SHAPE_ROD;
        const bool length = read_sizes(u, e, "length", 1, &shape->size[0]),
                   radius = read_sizes(u, e, "radius", 1, &shape->size[1]);
        return length && radius;
    }
    if ((e = cd_urdf_single_child(u, geometry, "sphere")) >= 0) {
        shape->kind = CARDAN_SHAPE_SPHERE;
        memcpy(shape->pose.q, cardan_pose_default().q, sizeof shape->pose.q);
        return read_sizes(u, e, "radius", 1, &shape->size[0]);
    }
    if ((e = cd_urdf_single_child(u, geometry, "mesh")) >= 0) return cd_urdf_read_mesh(u, e, store, shape, mesh);
    return false;
}

// Add the visual or collision shapes of a link. Returns the number of shapes of a supported kind.
static int add_shapes(cd_urdf* u, int link, const char* kind, bool store, const char* material)
{
    int count = 0;
    for (int e = cd_xml_child(u->xml, u->link[link].element, kind); e >= 0; e = cd_xml_next(u->xml, e, kind)) {
        cardan_shape shape = cardan_shape_default(link, CARDAN_SHAPE_BOX);
        shape.material     = material;
        shape.location     = cd_xml_at(u->xml, e)->location;
        cd_xml_get_attribute(u->xml, e, "name");
        cd_mesh mesh = {0};
        if (read_shape(u, e, store, &shape, &mesh)) {
            ++count;
            if (store && !u->nerror && cardan_description_add_shape(u->description, &shape) < 0) u->no_memory = true;
        }
        cd_mesh_release(&mesh);
        free((char*)shape.file);
    }
    return count;
}

// Warn once for all collision shapes of the file, at the first of them.
static void warn_of_collisions(cd_urdf* u)
{
    int first = -1, count = 0;
    for (int i = 0; i < u->nlink; ++i)
        for (int e = cd_xml_child(u->xml, u->link[i].element, "collision"); e >= 0;
             e     = cd_xml_next(u->xml, e, "collision")) {
            if (first < 0 || e < first) first = e;
            ++count;
        }
    if (count > 0)
        cardan_warn(
            u->report, CARDAN_CODE_CONTACT_NOT_COMPUTED, cd_xml_at(u->xml, first)->location,
            "contact is not computed: %d collision shape%s no effect; 'contacts: {collision_shapes: MATERIAL}' in a "
            "model file that includes this file lets them touch",
            count, count == 1 ? " has" : "s have");
}

// Shapes that touch are the collision shapes, and are drawn instead of the visual ones. Else the visual shapes are drawn,
// or the collision shapes of a link that has no supported visual shape.
static void add_shapes_of_link(cd_urdf* u, int link)
{
    const char* material = u->options->collision_material;
    if (material) {
        const int ncollision = add_shapes(u, link, "collision", true, material);
        add_shapes(u, link, "visual", ncollision == 0, NULL);
    } else {
        const int nvisual = add_shapes(u, link, "visual", true, NULL);
        add_shapes(u, link, "collision", nvisual == 0, NULL);
    }
}

void cd_urdf_add_links(cd_urdf* u)
{
    for (int i = 0; i < u->nlink && !u->no_memory; ++i) {
        const urdf_link* link = &u->link[i];
        cardan_body      body = cardan_body_default(link->name);
        body.pose             = link->pose;
        body.location         = cd_xml_at(u->xml, link->element)->location;
        read_inertial(u, link, &body);
        if (cardan_description_add_body(u->description, &body) < 0) u->no_memory = true;
        add_shapes_of_link(u, i);
    }
    if (!u->nerror) cd_urdf_warn_of_meshes(u);
    if (!u->nerror && !u->options->collision_material) warn_of_collisions(u);
}
