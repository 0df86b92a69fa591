// SPDX-License-Identifier: BSD-3-Clause
// Lengths that decide about the results of a pair of convex shapes.
#include "contact/contact_tolerances.h"
#include "contact/convex/convex.h"

double cd_pair_length(const cd_pair* p)
{
    const double a = cd_shape_length(p->A), b = cd_shape_length(p->B);
    return fmin(a, b);
}

// Round-off of positions counts where one shape is much larger than the other one.
double cd_pair_accuracy(const cd_pair* p)
{
    const double large = fmax(cd_shape_length(p->A), cd_shape_length(p->B));
    return cd_nearest_accuracy * cd_pair_length(p) + cd_position_roundoff * large;
}

double cd_pair_touch(const cd_pair* p) { return cd_touch_distance / cd_nearest_accuracy * cd_pair_accuracy(p); }
