// SPDX-License-Identifier: BSD-3-Clause
// Bodies given by their form, solid and uniform. Inertias of mass 1 about the centre:
//
//   rod, cylinder of length L, radius r, direction d   (L^2/12 + r^2/4) (1 - d d') + r^2/2 d d'
//   box a, b, c                                        diag(b^2 + c^2, c^2 + a^2, a^2 + b^2) / 12
//   sphere of radius r                                 2/5 r^2
#include "io/read.h"

#include "math/quaternion.h"

#include <math.h>
#include <string.h>

static const double pi = 3.14159265358979323846;

static bool not_negative(const cd_element* e, const char* what, double value)
{
    return value >= 0 || cd_element_fail(e, NULL, "its %s is negative (%g)", what, value);
}

static void round_form(cd_ledger* l, const double d[3], double L, double r, cd_form* form)
{
    const double rr = l_mul(l, r, r), across = l_add(l, l_div(l, l_mul(l, L, L), 12), l_div(l, rr, 4)),
                 along = l_div(l, rr, 2);
    double R[3][3];
    for (int i = 0; i < 3; ++i)
        for (int k = 0; k < 3; ++k)
            form->inertia[i][k] = l_add(l, l_mul(l, across, l_sub(l, (i == k), l_mul(l, d[i], d[k]))),
                                        l_mul(l, l_mul(l, along, d[i]), d[k]));
    form->volume = l_mul(l, l_mul(l, l_mul(l, pi, r), r), L);
    form->shape  = (cardan_shape){.kind = CARDAN_SHAPE_ROD, .size = {L, r}};
    cd_z_to(NULL, d, R);
    q4_of_matrix((const double*)R, form->shape.pose.q);
}

static bool rod_ends(const cd_element* e, const cd_frame* base, double a[3], double b[3])
{
    const cd_yaml* rod = cd_yaml_get(e->node, "rod");
    if (rod->broken || rod->count != 2) return false;
    const bool first = cd_position(e, rod->entry[0].value, base, a);
    return cd_position(e, rod->entry[1].value, base, b) && first;
}

bool cd_rod_centre(const cd_element* e, const cd_frame* base, double world[3])
{
    double a[3], b[3];
    if (!rod_ends(e, base, a, b)) return false;
    for (int i = 0; i < 3; ++i) world[i] = l_mul(cd_ledger_at(e), 0.5, l_add(cd_ledger_at(e), a[i], b[i]));
    return true;
}

static bool rod(const cd_element* e, const cd_frame* body, const cd_frame* base, cd_form* form)
{
    double a[3], b[3], d[3], radius = 0, L = 0, scale = 0;
    if (!rod_ends(e, base, a, b) || !cd_get_number(e, "radius", &radius) || !not_negative(e, "radius", radius))
        return false;
    cd_ledger*   l    = cd_ledger_at(e);
    const double u[3] = {l_sub(l, b[0], a[0]), l_sub(l, b[1], a[1]), l_sub(l, b[2], a[2])};
    for (int i = 0; i < 3; ++i) {
        form->centre[i] = l_mul(l, 0.5, l_add(l, a[i], b[i]));
        d[i]            = l_more(l, l_more(l, l_mul(l, body->R[0][i], u[0]), body->R[1][i], u[1]), body->R[2][i], u[2]);
        L               = l_more(l, L, d[i], d[i]);
        scale           = fmax(scale, fmax(fabs(a[i]), fabs(b[i])));
    }
    L = l_sqrt(l, L);
    if (L <= 1e-12 * scale || L == 0)
        return cd_element_fail(e, cd_yaml_get(e->node, "rod"), "the rod has no length: its two ends are the same");
    for (int i = 0; i < 3; ++i) d[i] = l_div(l, d[i], L);
    round_form(l, d, L, radius, form);
    return true;
}

static bool box(const cd_element* e, const cd_yaml* node, cd_form* form)
{
    cd_ledger* l = cd_ledger_at(e);
    double     size[3];
    if (!cd_numbers(e, node, CD_UNIT_LENGTH, 3, size)) return false;
    for (int i = 0; i < 3; ++i) {
        if (!not_negative(e, "length", size[i])) return false;
        const double u = size[(i + 1) % 3], v = size[(i + 2) % 3];
        form->inertia[i][i] = l_div(l, l_more(l, l_mul(l, u, u), v, v), 12);
    }
    form->volume = l_mul(l, l_mul(l, size[0], size[1]), size[2]);
    form->shape =
        (cardan_shape){.kind = CARDAN_SHAPE_BOX, .pose = cardan_pose_default(), .size = {size[0], size[1], size[2]}};
    return true;
}

static bool sphere(const cd_element* e, const cd_yaml* node, cd_form* form)
{
    cd_ledger* l = cd_ledger_at(e);
    double     r;
    if (!cd_number(e, node, CD_UNIT_LENGTH, &r) || !not_negative(e, "radius", r)) return false;
    for (int i = 0; i < 3; ++i) form->inertia[i][i] = l_mul(l, l_mul(l, 0.4, r), r);
    form->volume = l_mul(l, l_mul(l, l_mul(l, 4 * pi / 3, r), r), r);
    form->shape  = (cardan_shape){.kind = CARDAN_SHAPE_SPHERE, .pose = cardan_pose_default(), .size = {r}};
    return true;
}

static bool cylinder(const cd_element* e, cd_yaml* node, const cd_frame* body, cd_form* form)
{
    const cd_element c    = {.reader  = e->reader,
                             .level   = e->level,
                             .node    = node,
                             .section = "cylinder",
                             .label   = e->label,
                             .name    = e->name};
    const cd_yaml*   axis = cd_yaml_get(node, "axis");
    const cd_frame   base = cd_relative_base(e->level, body);
    double           L = 0, r = 0, d[3] = {0, 0, 1};
    if (node->broken || !cd_get_number(&c, "length", &L) || !cd_get_number(&c, "radius", &r))
        return e->node->broken = true, false;
    if (!not_negative(e, "radius", r) || !not_negative(e, "length", L)) return false;
    if (axis && !cd_axis(&c, axis, &base, d)) return false;
    for (int i = 0; i < 3; ++i) d[i] *= e->level->placement->sign[i];
    round_form(cd_ledger_at(e), d, L, r, form);
    return true;
}

bool cd_read_form(const cd_element* e, const cd_frame* body, const cd_frame* base, cd_form* form)
{
    static const char* const keys[] = {"rod", "box", "sphere", "cylinder"};
    cd_yaml*                 node   = NULL;
    *form                           = (cd_form){0};
    for (int i = 0; i < 4 && !node; ++i)
        if ((node = cd_yaml_get(e->node, keys[i]))) form->key = keys[i];
    if (!node) return true;
    if (node->broken) return false;
    switch (form->key[0]) {
    case 'r':
        return rod(e, body, base, form);
    case 'b':
        return box(e, node, form);
    case 's':
        return sphere(e, node, form);
    default:
        return cylinder(e, node, body, form);
    }
}
