// SPDX-License-Identifier: BSD-3-Clause
// Positions, axes and orientations. Numbers are in a base, x_world = p + R x; the name of a point is
// a position in the world.
//
// In a mirrored level R is left-handed. A right-handed frame F in the base becomes R F S in the world,
// S = diag(sign) with det S = det R, which is right-handed again and, for F = 1 without rotation of the level, the
// identity: bodies keep their world axes.
#include "io/yaml/read_model.h"

#include "io/io_tolerances.h"
#include "model/parametric_pose.h"

#include <math.h>
#include <string.h>

const cd_frame cd_world_motion = {.R = {{1, 0, 0}, {0, 1, 0}, {0, 0, 1}}};

const cd_frame* cd_level_base(const cd_level* level) { return &level->placement->base; }

cd_frame cd_relative_base(const cd_level* level, const cd_frame* frame)
{
    cd_frame base       = *frame;
    base.coordinates_of = frame;
    for (int i = 0; i < 3; ++i)
        for (int k = 0; k < 3; ++k) base.R[i][k] *= level->placement->sign[k];
    return base;
}

static void to_world(cd_parametric* l, const cd_frame* base, const double x[3], double world[3])
{
    for (int i = 0; i < 3; ++i) {
        double sum = base->p[i];
        for (int k = 0; k < 3; ++k) sum = par_add_product(l, sum, base->R[i][k], x[k]);
        world[i] = sum;
    }
}

static void multiply(cd_parametric* l, double A[3][3], double B[3][3], double C[3][3])
{
    double result[3][3];
    for (int i = 0; i < 3; ++i)
        for (int k = 0; k < 3; ++k)
            result[i][k] = par_add_product(l, par_add_product(l, par_mul(l, A[i][0], B[0][k]), A[i][1], B[1][k]),
                                           A[i][2], B[2][k]);
    memcpy(C, result, sizeof result);
}

cd_frame cd_frame_from_base(cd_parametric* l, const cd_frame* base, const double world[3], double R[3][3],
                            const double sign[3])
{
    cd_frame frame = {.coordinates_of = NULL};
    memcpy(frame.p, world, sizeof frame.p);
    double B[3][3];
    memcpy(B, base->R, sizeof B);
    multiply(l, B, R, frame.R);
    for (int i = 0; i < 3; ++i)
        for (int k = 0; k < 3; ++k) frame.R[i][k] = frame.R[i][k] * sign[k] + 0.0;
    return frame;
}

// ---- positions

// Read a position that is derived from others, {between: [A, B], ratio: r} or {from: A, offset: d}.
static bool read_derived_position(const cd_model_element* e, const cd_yaml* node, const cd_frame* base, double world[3])
{
    const cd_yaml *between = cd_yaml_get(node, "between"), *from = cd_yaml_get(node, "from"),
                  *offset = cd_yaml_get(node, "offset"), *fraction = cd_yaml_get(node, "ratio");
    double a[3], b[3], ratio = 0.5;
    if (between) {
        if (between->has_error || !cd_read_position(e, between->entry[0].value, base, a) ||
            !cd_read_position(e, between->entry[1].value, base, b))
            return false;
        if (fraction && !cd_read_number(e, fraction, CD_UNIT_NONE, &ratio)) return false;
        for (int i = 0; i < 3; ++i)
            world[i] =
                par_add_product(cd_element_parametric(e), a[i], ratio, par_sub(cd_element_parametric(e), b[i], a[i]));
        return true;
    }
    if (!from || !offset || !cd_read_position(e, from, base, a) || !cd_read_numbers(e, offset, CD_UNIT_LENGTH, 3, b))
        return false;
    cd_frame offset_base = *base;
    memcpy(offset_base.p, a, sizeof a);
    to_world(cd_element_parametric(e), &offset_base, b, world);
    return true;
}

bool cd_read_position(const cd_model_element* e, const cd_yaml* node, const cd_frame* base, double world[3])
{
    double x[3];
    if (node->has_error) return false;
    if (node->kind == CD_YAML_SCALAR) {
        cd_definition* def = cd_resolve_reference(e, CD_DEFINITION_POINT, node, "point");
        if (!def) return e->node->has_error = true, false;
        if (!cd_evaluate_definition(e->reader, def)) return e->node->has_error = true, false;
        memcpy(world, def->x, sizeof def->x);
        return true;
    }
    if (node->kind == CD_YAML_MAP) return read_derived_position(e, node, base, world);
    if (!cd_read_numbers(e, node, CD_UNIT_LENGTH, 3, x)) return false;
    to_world(cd_element_parametric(e), base, x, world);
    return true;
}

bool cd_read_position_in_frame(const cd_model_element* e, const cd_yaml* node, const cd_frame* base,
                               const cd_frame* frame, double x[3])
{
    double world[3];
    if (base->coordinates_of == frame && node->kind == CD_YAML_LIST) {
        if (!cd_read_numbers(e, node, CD_UNIT_LENGTH, 3, x)) return false;
        for (int i = 0; i < 3; ++i) x[i] *= e->level->placement->sign[i];
        return true;
    }
    if (!cd_read_position(e, node, base, world)) return false;
    cd_world_to_frame(cd_element_parametric(e), frame, world, x);
    return true;
}

bool cd_evaluate_point(cd_reader* r, cd_definition* def)
{
    const cd_model_element e = {
        .reader = r, .level = def->level, .node = def->value, .section = "point", .label = "point", .name = def->name};
    if (def->value->has_error) return def->status = CD_DEFINITION_FAILED, false;
    if (!cd_definition_begin(r, def)) return def->status = CD_DEFINITION_FAILED, false;
    const cd_frame* base = cd_level_base(def->level);
    return cd_definition_end(r, def, cd_read_position(&e, def->value, base, def->x));
}

// ---- axes

static bool named_axis(const char* text, double axis[3])
{
    const double sign = text[0] == '-' ? -1 : 1;
    if (text[0] == '-' || text[0] == '+') ++text;
    if (strlen(text) != 1 || !strchr("xyz", text[0])) return false;
    axis[0] = axis[1] = axis[2] = 0;
    axis[text[0] - 'x']         = sign;
    return true;
}

static bool axis_through(const cd_model_element* e, const cd_yaml* node, const cd_frame* base, double axis[3])
{
    const cd_yaml *through = cd_yaml_get(node, "through"), *from = cd_yaml_get(node, "from"),
                  *to = cd_yaml_get(node, "to");
    double a[3], b[3];
    if (through && (through->has_error || through->count != 2)) return false;
    if (through) from = through->entry[0].value, to = through->entry[1].value;
    if (!from || !to || !cd_read_position(e, from, base, a) || !cd_read_position(e, to, base, b)) return false;
    double size = 0, scale = 0;
    for (int i = 0; i < 3; ++i) {
        axis[i] = 0;
        for (int k = 0; k < 3; ++k)
            axis[i] = par_add_product(cd_element_parametric(e), axis[i], base->R[k][i],
                                      par_sub(cd_element_parametric(e), b[k], a[k]));
        size  = fmax(size, fabs(b[i] - a[i]));
        scale = fmax(scale, fmax(fabs(a[i]), fabs(b[i])));
    }
    if (size <= cd_same_point_tolerance * scale)
        return cd_element_fail(e, node, "the two positions of this axis are the same");
    return true;
}

bool cd_read_direction(const cd_model_element* e, const cd_yaml* node, const cd_frame* base, double axis[3])
{
    if (node->has_error) return false;
    if (node->kind == CD_YAML_MAP) {
        if (!axis_through(e, node, base, axis)) return false;
    } else if (node->kind == CD_YAML_SCALAR) {
        const char* text = cd_substitute_counters(e, node);
        if (!text) return false;
        if (named_axis(text, axis) || named_axis(cd_resolve_argument_word(e, text), axis)) return true;
        return cd_element_fail(e, node, "'%s' is not an axis; write x, y, z, -x, -y, -z, [x, y, z] or {from: A, to: B}",
                               text);
    } else if (!cd_read_numbers(e, node, CD_UNIT_NONE, 3, axis)) {
        return false;
    }
    if (!cd_normalize_direction(cd_element_parametric(e), axis)) return cd_element_fail(e, node, "the axis is zero");
    return true;
}

// ---- orientations

static bool from_matrix(const cd_model_element* e, const cd_yaml* node, double R[3][3])
{
    double q[4], back[3][3];
    for (int i = 0; i < 3; ++i) {
        if (node->entry[i].value->kind != CD_YAML_LIST)
            return cd_element_fail(e, node, "a quaternion has four numbers, a matrix three rows of three");
        if (!cd_read_numbers(e, node->entry[i].value, CD_UNIT_NONE, 3, R[i])) return false;
    }
    double error = 0;
    for (int i = 0; i < 3; ++i)
        for (int k = 0; k < 3; ++k)
            error = fmax(error, fabs(R[0][i] * R[0][k] + R[1][i] * R[1][k] + R[2][i] * R[2][k] - (i == k)));
    cd_parametric* l = cd_element_parametric(e);
    double         c[3];
    par_cross(NULL, R[0], R[1], c);
    if (!(error < cd_rotation_matrix_tolerance))
        return cd_element_fail(
            e, node, "this matrix is not a rotation: its rows are not perpendicular or not of length 1 (error %.2g)",
            error);
    if (c[0] * R[2][0] + c[1] * R[2][1] + c[2] * R[2][2] < 0)
        return cd_element_fail(e, node, "this matrix is a reflection, not a rotation (its determinant is -1)");
    if (error < cd_exact_rotation_tolerance && !par_any_parametric(l, 9, (const double*)R)) return true;
    par_q4_of_matrix(l, (const double*)R, q);
    cd_rotation_of_quaternion(l, q, back);
    memcpy(R, back, sizeof back);
    return true;
}

static bool from_quaternion(const cd_model_element* e, const cd_yaml* node, double R[3][3])
{
    double q[4];
    for (int i = 0; i < 4; ++i)
        if (node->entry[i].value->kind != CD_YAML_SCALAR)
            return cd_element_fail(e, node, "a quaternion has four numbers, a matrix three rows of three");
    if (!cd_read_numbers(e, node, CD_UNIT_NONE, 4, q)) return false;
    if (q[0] == 0 && q[1] == 0 && q[2] == 0 && q[3] == 0)
        return cd_element_fail(e, node, "the quaternion is zero; it must not be zero");
    cd_rotation_of_quaternion(cd_element_parametric(e), q, R);
    return true;
}

// Columns from two of the three axes: the first in the order z, x, y is kept exactly.
static bool from_axes(const cd_model_element* e, const cd_yaml* node, const cd_frame* base, double R[3][3])
{
    static const char* const names[3] = {"x", "y", "z"};
    static const int         order[3] = {2, 0, 1};
    double                   column[3][3];
    int                      given[3], count = 0;
    for (int i = 0; i < 3; ++i) {
        const cd_yaml* axis = cd_yaml_get(node, names[order[i]]);
        if (axis && !cd_read_direction(e, axis, base, column[order[i]])) return false;
        if (axis) given[count++] = order[i];
    }
    if (count != 2)
        return cd_element_fail(e, node, "an orientation requires two of x, y, z, or axis and angle, or rpy");
    cd_parametric* l = cd_element_parametric(e);
    const int      a = given[0], b = given[1], c = 3 - a - b;
    const double   dot = par_dot(l, column[a], column[b]);
    for (int i = 0; i < 3; ++i) column[b][i] = par_sub(l, column[b][i], par_mul(l, dot, column[a][i]));
    if (fabs(dot) > 1 - cd_parallel_axes_tolerance || !cd_normalize_direction(l, column[b]))
        return cd_element_fail(e, node, "%s and %s are parallel", names[a], names[b]);
    par_cross(l, column[(c + 1) % 3], column[(c + 2) % 3], column[c]);
    for (int i = 0; i < 3; ++i)
        for (int k = 0; k < 3; ++k) R[i][k] = column[k][i];
    return true;
}

static bool from_map(const cd_model_element* e, const cd_yaml* node, const cd_frame* base, double R[3][3])
{
    const cd_yaml *axis = cd_yaml_get(node, "axis"), *angle = cd_yaml_get(node, "angle"),
                  *rpy  = cd_yaml_get(node, "rpy");
    const bool     axes = cd_yaml_get(node, "x") || cd_yaml_get(node, "y") || cd_yaml_get(node, "z");
    cd_parametric* l    = cd_element_parametric(e);
    double         a[3], rotation_angle;
    if (axes && (axis || rpy))
        return cd_element_fail(e, node,
                               "an orientation is defined by axes, by axis and angle or by rpy; use only one of them");
    if (axis) {
        if (!angle || !cd_read_direction(e, axis, base, a) || !cd_read_number(e, angle, CD_UNIT_ANGLE, &rotation_angle))
            return false;
        const double half = par_div(l, rotation_angle, 2), sine = par_sin(l, half);
        double       q[4] = {par_cos(l, half), par_mul(l, sine, a[0]), par_mul(l, sine, a[1]), par_mul(l, sine, a[2])};
        cd_rotation_of_quaternion(l, q, R);
        return true;
    }
    if (rpy) {
        if (!cd_read_numbers(e, rpy, CD_UNIT_ANGLE, 3, a)) return false;
        double half_rotation[3][4] = {{0}}, q[4];
        for (int i = 0; i < 3; ++i)
            half_rotation[i][0]     = par_cos(l, par_div(l, a[i], 2)),
            half_rotation[i][i + 1] = par_sin(l, par_div(l, a[i], 2));
        par_q4_mul(l, half_rotation[2], half_rotation[1], q);
        par_q4_mul(l, q, half_rotation[0], q);
        cd_rotation_of_quaternion(l, q, R);
        return true;
    }
    return from_axes(e, node, base, R);
}

bool cd_read_orientation(const cd_model_element* e, const cd_yaml* node, const cd_frame* base, double R[3][3])
{
    if (node->has_error) return false;
    if (node->kind == CD_YAML_MAP) return from_map(e, node, base, R);
    if (node->kind == CD_YAML_LIST && node->count == 4) return from_quaternion(e, node, R);
    if (node->kind == CD_YAML_LIST && node->count == 3) return from_matrix(e, node, R);
    return false;
}

cardan_pose cd_read_pose_on_body(const cd_model_element* e, const cd_yaml* at, const cd_yaml* orientation,
                                 const cd_frame* base, const cd_frame* body, const cd_frame* frame)
{
    const cd_placement* placement = e->level->placement;
    cardan_pose         pose      = cd_relative_pose(cd_element_parametric(e), body, frame);
    double              q[4];
    if (base->coordinates_of != body) return pose;
    if (!orientation) pose.q[0] = 1, pose.q[1] = pose.q[2] = pose.q[3] = 0;
    if (at && at->kind == CD_YAML_LIST) cd_read_position_in_frame(e, at, base, body, pose.p);
    if (orientation && orientation->kind == CD_YAML_LIST && orientation->count == 4 &&
        cd_read_numbers(e, orientation, CD_UNIT_NONE, 4, q)) {
        // S R(w, v) S is the rotation (w, det S * S v)
        cd_normalize_quaternion(cd_element_parametric(e), q);
        pose.q[0] = q[0];
        for (int i = 0; i < 3; ++i)
            pose.q[i + 1] = (placement->is_mirrored ? -1 : 1) * placement->sign[i] * q[i + 1] + 0.0;
    }
    return pose;
}
