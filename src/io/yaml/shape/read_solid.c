// SPDX-License-Identifier: BSD-3-Clause
// Bodies given by a uniform solid. Inertias of mass 1 about the centre:
//
//   rod, cylinder of length L, radius r, direction d   (L^2/12 + r^2/4) (1 - d d') + r^2/2 d d'
//   box a, b, c                                        diag(b^2 + c^2, c^2 + a^2, a^2 + b^2) / 12
//   sphere of radius r                                 2/5 r^2
//   ellipsoid a, b, c                                  diag(b^2 + c^2, c^2 + a^2, a^2 + b^2) / 5
//   torus of radius R, tube r, axis d                  (R^2/2 + 5/8 r^2) (1 - d d') + (R^2 + 3/4 r^2) d d'
//   capsule of length L, radius r, direction d         with the fraction m = L/(L + 4/3 r) of the cylinder, along d
//                                                      (m/2 + 2/5 (1 - m)) r^2, across d
//                                                      m (L^2/12 + r^2/4) + (1 - m) (2/5 r^2 + L^2/4 + 3/8 L r)
//   mesh, hull                                         read_mesh.c
#include "io/yaml/read_model.h"

#include "io/io_tolerances.h"
#include "math/pi.h"
#include "math/quaternion.h"

#include <math.h>
#include <string.h>

static bool check_not_negative(const cd_model_element* e, const char* what, double value)
{
    return value >= 0 || cd_element_fail(e, NULL, "the %s is negative (%g)", what, value);
}

// Set inertia and pose of a solid of revolution about the direction d.
static void set_revolution(cd_parametric* l, const double d[3], double across, double along, cd_solid* solid)
{
    double R[3][3];
    for (int i = 0; i < 3; ++i)
        for (int k = 0; k < 3; ++k)
            solid->inertia[i][k] = par_add(l, par_mul(l, across, par_sub(l, (i == k), par_mul(l, d[i], d[k]))),
                                           par_mul(l, par_mul(l, along, d[i]), d[k]));
    cd_rotation_z_to_axis(NULL, d, R);
    q4_of_matrix((const double*)R, solid->shape.pose.q);
}

static void set_cylinder(cd_parametric* l, const double d[3], double L, double r, cd_solid* solid)
{
    const double rr = par_mul(l, r, r), across = par_add(l, par_div(l, par_mul(l, L, L), 12), par_div(l, rr, 4)),
                 along = par_div(l, rr, 2);
    solid->volume      = par_mul(l, par_mul(l, par_mul(l, CD_PI, r), r), L);
    solid->shape       = (cardan_shape){.kind = CARDAN_SHAPE_ROD, .size = {L, r}};
    set_revolution(l, d, across, along, solid);
}

static bool rod_ends(const cd_model_element* e, const cd_frame* base, double a[3], double b[3])
{
    const cd_yaml* rod = cd_yaml_get(e->node, "rod");
    if (rod->has_error || rod->count != 2) return false;
    const bool first = cd_read_position(e, rod->entry[0].value, base, a);
    return cd_read_position(e, rod->entry[1].value, base, b) && first;
}

bool cd_rod_centre(const cd_model_element* e, const cd_frame* base, double world[3])
{
    double a[3], b[3];
    if (!rod_ends(e, base, a, b)) return false;
    for (int i = 0; i < 3; ++i)
        world[i] = par_mul(cd_element_parametric(e), 0.5, par_add(cd_element_parametric(e), a[i], b[i]));
    return true;
}

static bool read_rod(const cd_model_element* e, const cd_frame* body, const cd_frame* base, cd_solid* solid)
{
    double a[3], b[3], d[3], radius = 0, L = 0, scale = 0;
    if (!rod_ends(e, base, a, b) || !cd_read_number_key(e, "radius", &radius) ||
        !check_not_negative(e, "radius", radius))
        return false;
    cd_parametric* l    = cd_element_parametric(e);
    const double   u[3] = {par_sub(l, b[0], a[0]), par_sub(l, b[1], a[1]), par_sub(l, b[2], a[2])};
    for (int i = 0; i < 3; ++i) {
        solid->centre[i] = par_mul(l, 0.5, par_add(l, a[i], b[i]));
        d[i]             = par_add_product(l, par_add_product(l, par_mul(l, body->R[0][i], u[0]), body->R[1][i], u[1]),
                                           body->R[2][i], u[2]);
        L                = par_add_product(l, L, d[i], d[i]);
        scale            = fmax(scale, fmax(fabs(a[i]), fabs(b[i])));
    }
    L = par_sqrt(l, L);
    if (L <= cd_same_point_tolerance * scale || L == 0)
        return cd_element_fail(e, cd_yaml_get(e->node, "rod"), "the rod has no length: its two ends are the same");
    for (int i = 0; i < 3; ++i) d[i] = par_div(l, d[i], L);
    set_cylinder(l, d, L, radius, solid);
    solid->has_centre = true;
    return true;
}

static bool read_box(const cd_model_element* e, cd_yaml* node, const cd_frame* body, cd_solid* solid)
{
    (void)body;
    cd_parametric* l = cd_element_parametric(e);
    double         size[3];
    if (!cd_read_numbers(e, node, CD_UNIT_LENGTH, 3, size)) return false;
    for (int i = 0; i < 3; ++i) {
        if (!check_not_negative(e, "length", size[i])) return false;
        const double u = size[(i + 1) % 3], v = size[(i + 2) % 3];
        solid->inertia[i][i] = par_div(l, par_add_product(l, par_mul(l, u, u), v, v), 12);
    }
    solid->volume = par_mul(l, par_mul(l, size[0], size[1]), size[2]);
    solid->shape =
        (cardan_shape){.kind = CARDAN_SHAPE_BOX, .pose = cardan_pose_default(), .size = {size[0], size[1], size[2]}};
    return true;
}

static bool read_sphere(const cd_model_element* e, cd_yaml* node, const cd_frame* body, cd_solid* solid)
{
    (void)body;
    cd_parametric* l = cd_element_parametric(e);
    double         r;
    if (!cd_read_number(e, node, CD_UNIT_LENGTH, &r) || !check_not_negative(e, "radius", r)) return false;
    for (int i = 0; i < 3; ++i) solid->inertia[i][i] = par_mul(l, par_mul(l, 0.4, r), r);
    solid->volume = par_mul(l, par_mul(l, par_mul(l, 4 * CD_PI / 3, r), r), r);
    solid->shape  = (cardan_shape){.kind = CARDAN_SHAPE_SPHERE, .pose = cardan_pose_default(), .size = {r}};
    return true;
}

static bool read_ellipsoid(const cd_model_element* e, cd_yaml* node, const cd_frame* body, cd_solid* solid)
{
    (void)body;
    cd_parametric* l = cd_element_parametric(e);
    double         a[3];
    if (!cd_read_numbers(e, node, CD_UNIT_LENGTH, 3, a)) return false;
    for (int i = 0; i < 3; ++i) {
        if (!check_not_negative(e, "semi-axis", a[i])) return false;
        const double u = a[(i + 1) % 3], v = a[(i + 2) % 3];
        solid->inertia[i][i] = par_div(l, par_add_product(l, par_mul(l, u, u), v, v), 5);
    }
    solid->volume = par_mul(l, par_mul(l, par_mul(l, 4 * CD_PI / 3, a[0]), a[1]), a[2]);
    solid->shape =
        (cardan_shape){.kind = CARDAN_SHAPE_ELLIPSOID, .pose = cardan_pose_default(), .size = {a[0], a[1], a[2]}};
    return true;
}

// Read two lengths and the axis, of body axes, of a solid of revolution with a section of its own.
static bool read_revolution(const cd_model_element* e, cd_yaml* node, const cd_frame* body, const char* section,
                            const char* const key[2], double size[2], double d[3])
{
    const cd_model_element c = {
        .reader = e->reader, .level = e->level, .node = node, .section = section, .label = e->label, .name = e->name};
    const cd_yaml* axis = cd_yaml_get(node, "axis");
    const cd_frame base = cd_relative_base(e->level, body);
    size[0] = size[1] = d[0] = d[1] = 0;
    d[2]                            = 1;
    if (node->has_error || !cd_read_number_key(&c, key[0], &size[0]) || !cd_read_number_key(&c, key[1], &size[1]))
        return e->node->has_error = true, false;
    for (int i = 0; i < 2; ++i)
        if (!check_not_negative(e, key[i], size[i])) return false;
    if (axis && !cd_read_direction(&c, axis, &base, d)) return false;
    for (int i = 0; i < 3; ++i) d[i] *= e->level->placement->sign[i];
    return true;
}

static bool read_cylinder(const cd_model_element* e, cd_yaml* node, const cd_frame* body, cd_solid* solid)
{
    static const char* const keys[2] = {"length", "radius"};
    double                   size[2], d[3];
    if (!read_revolution(e, node, body, "cylinder", keys, size, d)) return false;
    set_cylinder(cd_element_parametric(e), d, size[0], size[1], solid);
    return true;
}

static bool read_capsule(const cd_model_element* e, cd_yaml* node, const cd_frame* body, cd_solid* solid)
{
    static const char* const keys[2] = {"length", "radius"};
    cd_parametric*           l       = cd_element_parametric(e);
    double                   size[2], d[3];
    if (!read_revolution(e, node, body, "capsule", keys, size, d)) return false;
    const double L = size[0], r = size[1], rr = par_mul(l, r, r), LL = par_mul(l, L, L);
    const double whole    = par_add(l, L, par_mul(l, 4.0 / 3, r)); // volume / (pi r^2)
    const double cylinder = whole == 0 ? 0 : par_div(l, L, whole), balls = par_sub(l, 1, cylinder);
    const double across_cylinder = par_add(l, par_div(l, LL, 12), par_div(l, rr, 4));
    const double across_balls =
        par_add(l, par_add(l, par_mul(l, 0.4, rr), par_div(l, LL, 4)), par_mul(l, par_mul(l, 0.375, L), r));
    const double across = par_add(l, par_mul(l, cylinder, across_cylinder), par_mul(l, balls, across_balls));
    const double along  = par_mul(l, rr, par_add(l, par_div(l, cylinder, 2), par_mul(l, 0.4, balls)));
    solid->volume       = par_mul(l, par_mul(l, CD_PI, rr), whole);
    solid->shape        = (cardan_shape){.kind = CARDAN_SHAPE_CAPSULE, .size = {L, r}};
    set_revolution(l, d, across, along, solid);
    return true;
}

static bool read_torus(const cd_model_element* e, cd_yaml* node, const cd_frame* body, cd_solid* solid)
{
    static const char* const keys[2] = {"radius", "tube"};
    cd_parametric*           l       = cd_element_parametric(e);
    double                   size[2], d[3];
    if (!read_revolution(e, node, body, "torus", keys, size, d)) return false;
    const double R = size[0], r = size[1], RR = par_mul(l, R, R), rr = par_mul(l, r, r);
    if (r > R) return cd_element_fail(e, node, "the radius of the tube (%g) exceeds that of the circle (%g)", r, R);
    solid->volume = par_mul(l, par_mul(l, 2 * CD_PI * CD_PI, R), rr);
    solid->shape  = (cardan_shape){.kind = CARDAN_SHAPE_TORUS, .size = {R, r}};
    set_revolution(l, d, par_add(l, par_div(l, RR, 2), par_mul(l, 0.625, rr)), par_add(l, RR, par_mul(l, 0.75, rr)),
                   solid);
    return true;
}

bool cd_read_solid(const cd_model_element* e, const cd_frame* body, const cd_frame* base, cd_solid* solid)
{
    static const struct {
        const char* key;
        bool (*read)(const cd_model_element* e, cd_yaml* node, const cd_frame* body, cd_solid* solid);
    } solids[] = {
        {"box", read_box},         {"sphere", read_sphere},       {"cylinder", read_cylinder},
        {"capsule", read_capsule}, {"ellipsoid", read_ellipsoid}, {"torus", read_torus},
    };
    static const char* const placed[] = {"rod", "mesh", "hull"}; // with a centre of their own
    *solid                            = (cd_solid){0};
    for (int i = 0; i < 3; ++i) {
        const cd_yaml* node = cd_yaml_get(e->node, placed[i]);
        if (!node) continue;
        solid->key = placed[i];
        return !node->has_error && (i == 0 ? read_rod(e, body, base, solid) : cd_read_mesh_solid(e, body, base, solid));
    }
    for (size_t i = 0; i < sizeof solids / sizeof *solids; ++i) {
        cd_yaml* node = cd_yaml_get(e->node, solids[i].key);
        if (!node) continue;
        solid->key = solids[i].key;
        return !node->has_error && solids[i].read(e, node, body, solid);
    }
    return true;
}
