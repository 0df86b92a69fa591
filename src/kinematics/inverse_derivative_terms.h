// SPDX-License-Identifier: BSD-3-Clause
// Terms of the derivatives of inverse dynamics that do not depend on the frame: spatial cross products, and the rule
// which columns of a joint displace each other. For kinematics/inverse_derivatives.c and
// generate/trace/trace_inverse_derivatives.c.
#pragma once

#include "math/spatial.h"
#include "model/model.h"

static inline spatial cd_cross_motion(spatial V, spatial S)
{
    return (spatial){v3_cross(V.a, S.a), v3_add(v3_cross(V.a, S.l), v3_cross(V.l, S.a))};
}

static inline spatial cd_cross_force(spatial V, spatial F)
{
    return (spatial){v3_add(v3_cross(V.a, F.a), v3_cross(V.l, F.l)), v3_cross(V.a, F.l)};
}

// ---- column groups

// A free joint has two groups of columns: position and rotation. Reversed, the rotation comes first, about axes of
// the parent.
static inline bool cd_has_two_column_groups(const cd_link* link) { return link->nv == 6; }
static inline int  cd_column_group(const cd_link* link, int v)
{
    const int half = cd_has_two_column_groups(link) && v >= link->v + 3;
    return link->motion == CD_FREE_REVERSED ? 1 - half : half;
}
static inline bool cd_column_group_is_fixed_in_parent(const cd_link* link, int group)
{
    return group == 0 && (link->motion == CD_SPHERICAL_REVERSED || link->motion == CD_FREE_REVERSED);
}
// Whether column i is displaced by a motion along column j of the same link.
static inline bool cd_is_column_displaced(const cd_link* link, int i, int j)
{
    const int gi = cd_column_group(link, i), gj = cd_column_group(link, j);
    return gi > gj || (gi == gj && !cd_column_group_is_fixed_in_parent(link, gi));
}
