// SPDX-License-Identifier: BSD-3-Clause
// URDF links: mass, centre and inertia in the link's axes, I = R I_inertial R', and the simple shapes of the picture.
#include "io/urdf.h"
#include "math/quaternion.h"
#include "math/spatial.h"

#include <math.h>
#include <string.h>

// One Jacobi rotation that makes S[p][q] zero.
static void jacobi(double S[3][3], int p, int q)
{
    if (S[p][q] == 0) return;
    const double theta = (S[q][q] - S[p][p]) / (2 * S[p][q]);
    const double t     = (theta < 0 ? -1 : 1) / (fabs(theta) + sqrt(theta * theta + 1));
    const double c = 1 / sqrt(t * t + 1), s = t * c;
    const int    r  = 3 - p - q;
    const double pq = S[p][q], rp = S[r][p], rq = S[r][q];
    S[p][p] -= t * pq;
    S[q][q] += t * pq;
    S[p][q] = S[q][p] = 0;
    S[r][p] = S[p][r] = c * rp - s * rq;
    S[r][q] = S[q][r] = s * rp + c * rq;
}

// Principal moments, ascending.
static void principal_moments(const double inertia[6], double moment[3])
{
    double S[3][3] = {{inertia[0], inertia[3], inertia[4]},
                      {inertia[3], inertia[1], inertia[5]},
                      {inertia[4], inertia[5], inertia[2]}};
    for (int sweep = 0; sweep < 12; ++sweep) {
        jacobi(S, 0, 1);
        jacobi(S, 0, 2);
        jacobi(S, 1, 2);
    }
    const double m[3] = {S[0][0], S[1][1], S[2][2]};
    memcpy(moment, m, sizeof m);
    for (int i = 0; i < 2; ++i)
        for (int j = 0; j < 2; ++j)
            if (moment[j] > moment[j + 1]) {
                const double larger = moment[j];
                moment[j]           = moment[j + 1];
                moment[j + 1]       = larger;
            }
}

// Principal moments A <= B <= C of a body fulfil A >= 0 and A + B >= C; rounding in the file is tolerated.
static void check_inertia(cd_urdf* u, int element, const char* link, const double inertia[6])
{
    double m[3];
    principal_moments(inertia, m);
    const double size = fmax(fabs(m[0]), fabs(m[2]));
    if (!(m[0] >= -1e-9 * size)) {
        cd_urdf_fail(u, element,
                     "link '%s': the inertia has a negative principal moment, %.4g (the others are %.4g and %.4g)",
                     link, m[0], m[1], m[2]);
    } else if (m[0] + m[1] < m[2] * (1 - 1e-6)) {
        const double d = (m[2] - m[0] - m[1]) / 3;
        cd_urdf_doubt(
            u, element,
            "link '%s': no body has the principal moments %.4g, %.4g and %.4g, one exceeds the sum of the others; "
            "the nearest sound ones are %.4g, %.4g and %.4g",
            link, m[0], m[1], m[2], m[0] + d, m[1] + d, m[2] - d);
    }
}

static void read_inertia(cd_urdf* u, int element, const char* link, const cardan_pose* origin, double inertia[6])
{
    static const char* const names[] = {"ixx", "iyy", "izz", "ixy", "ixz", "iyz"};
    bool                     whole   = true;
    for (int i = 0; i < 6; ++i) whole &= cd_urdf_number(u, element, names[i], true, &inertia[i]);
    if (!whole) return;
    check_inertia(u, element, link, inertia);
    const double* q = origin->q;
    if (q[1] == 0 && q[2] == 0 && q[3] == 0) return;
    double R[9];
    q4_matrix(q, R);
    const sym3 turned = s3_rotate(m3_lift(R), s3_lift(inertia));
    memcpy(inertia, (double[]){turned.xx, turned.yy, turned.zz, turned.xy, turned.xz, turned.yz}, 6 * sizeof *inertia);
}

static void read_inertial(cd_urdf* u, const urdf_link* link, cardan_body* body)
{
    const int inertial = cd_urdf_only(u, link->element, "inertial");
    if (inertial < 0) return;
    cardan_pose origin;
    cd_urdf_origin(u, inertial, &origin);
    memcpy(body->centre, origin.p, sizeof body->centre);

    const int mass = cd_urdf_only(u, inertial, "mass"), inertia = cd_urdf_only(u, inertial, "inertia");
    if (mass < 0)
        cd_urdf_fail(u, inertial, "link '%s': <inertial> has no <mass>", link->name);
    else if (cd_urdf_number(u, mass, "value", true, &body->mass) && body->mass < 0)
        cd_urdf_fail(u, mass, "link '%s': the mass %g is negative", link->name, body->mass);
    if (inertia < 0)
        cd_urdf_fail(u, inertial, "link '%s': <inertial> has no <inertia>", link->name);
    else
        read_inertia(u, inertia, link->name, &origin, body->inertia);
}

// Sizes of a shape must be positive.
static bool sizes(cd_urdf* u, int element, const char* attribute, int count, double* size)
{
    if (!cd_urdf_numbers(u, element, attribute, true, count, size)) return false;
    for (int i = 0; i < count; ++i)
        if (!(size[i] >= 0)) {
            cd_urdf_fail(u, element, "<%s>: %s is negative", cd_xml_at(u->xml, element)->name, attribute);
            return false;
        }
    return true;
}

// The shape of one <visual> or <collision>. False if it is none that Cardan keeps.
static bool read_shape(cd_urdf* u, int element, cardan_shape* shape)
{
    cd_urdf_origin(u, element, &shape->pose);
    const int geometry = cd_urdf_only(u, element, "geometry");
    if (geometry < 0) {
        cd_urdf_fail(u, element, "<%s> has no <geometry>", cd_xml_at(u->xml, element)->name);
        return false;
    }
    int e;
    if ((e = cd_urdf_only(u, geometry, "box")) >= 0) {
        shape->kind = CARDAN_SHAPE_BOX;
        return sizes(u, e, "size", 3, shape->size);
    }
    if ((e = cd_urdf_only(u, geometry, "cylinder")) >= 0) {
        shape->kind       = CARDAN_SHAPE_ROD;
        const bool length = sizes(u, e, "length", 1, &shape->size[0]),
                   radius = sizes(u, e, "radius", 1, &shape->size[1]);
        return length && radius;
    }
    if ((e = cd_urdf_only(u, geometry, "sphere")) >= 0) {
        shape->kind = CARDAN_SHAPE_SPHERE;
        memcpy(shape->pose.q, cardan_pose_default().q, sizeof shape->pose.q);
        return sizes(u, e, "radius", 1, &shape->size[0]);
    }
    if ((e = cd_urdf_only(u, geometry, "mesh")) >= 0) {
        cd_element* mesh = cd_xml_at(u->xml, e);
        for (int i = 0; i < mesh->nattribute; ++i) mesh->attribute[i].used = true;
        cd_urdf_remark(u, e, "a mesh is not read; boxes, cylinders and spheres are");
    }
    return false;
}

// What is seen stands for the body, and where nothing simple is seen what it collides with. Returns the number of
// shapes.
static int add_shapes(cd_urdf* u, int link, const char* kind, bool keep)
{
    int count = 0;
    for (int e = cd_xml_child(u->xml, u->link[link].element, kind); e >= 0; e = cd_xml_next(u->xml, e, kind)) {
        cardan_shape shape = {.body = link};
        cd_xml_attribute(u->xml, e, "name");
        if (!read_shape(u, e, &shape)) continue;
        ++count;
        if (keep && !u->errors && cardan_add_shape(u->description, &shape) < 0) u->no_memory = true;
    }
    return count;
}

void cd_urdf_add_links(cd_urdf* u)
{
    for (int i = 0; i < u->nlink && !u->no_memory; ++i) {
        const urdf_link* link = &u->link[i];
        cardan_body      body = cardan_body_default(link->name);
        body.pose             = link->pose;
        body.place            = cd_xml_at(u->xml, link->element)->place;
        read_inertial(u, link, &body);
        if (cardan_add_body(u->description, &body) < 0) u->no_memory = true;
        const int seen = add_shapes(u, i, "visual", true);
        add_shapes(u, i, "collision", seen == 0);
    }
}
