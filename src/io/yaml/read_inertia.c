// SPDX-License-Identifier: BSD-3-Clause
// Inertias: conversion between six values and matrix, and their validity.
#include "io/inertia_validity.h"
#include "io/yaml/read_model.h"

#include <string.h>

void cd_inertia_to_matrix(const double I[6], double M[3][3])
{
    const double m[3][3] = {{I[0], I[3], I[4]}, {I[3], I[1], I[5]}, {I[4], I[5], I[2]}};
    memcpy(M, m, sizeof m);
}

void cd_inertia_from_matrix(double M[3][3], double I[6])
{
    const double six[6] = {M[0][0], M[1][1], M[2][2], M[0][1], M[0][2], M[1][2]};
    memcpy(I, six, sizeof six);
}

bool cd_inertia_check(const cd_model_element* e, const cd_yaml* at, double factor, const double I[6])
{
    const cd_inertia_validity s = cd_inertia_validate(I);
    if (!s.is_nonnegative)
        return cd_element_fail(e, at, "the inertia is not physical: its principal moment %.6g is negative",
                               s.min_moment / factor);
    const cd_yaml* check  = cd_yaml_get(e->node, "inertia_check");
    bool           wanted = true;
    if (check && !cd_read_boolean(e, check, &wanted)) return false;
    if (s.is_physical || !wanted) return true;
    const double* n = s.nearest_physical;
    return cd_element_warn(
        e, at,
        "the inertia is not physical: its largest principal moment exceeds the sum of the others by %.3g; the nearest "
        "physical value is [%.6g, %.6g, %.6g, %.6g, %.6g, %.6g]",
        s.triangle_excess / factor, n[0] / factor, n[1] / factor, n[2] / factor, n[3] / factor, n[4] / factor,
        n[5] / factor);
}
