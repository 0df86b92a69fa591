// SPDX-License-Identifier: BSD-3-Clause
// Convex hulls of points in a build without Qhull: not available.
#include "contact/shape/hull.h"

#include <stddef.h>

bool cd_hull_is_available(void) { return false; }

cd_hull* cd_hull_create(int n, const double* point, double rounding, const char** reason)
{
    (void)n, (void)point, (void)rounding;
    *reason = "convex hulls are not in this build, because they need Qhull; install the Debian package libqhull-dev "
              "and build "
              "again";
    return NULL;
}
