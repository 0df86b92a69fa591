// SPDX-License-Identifier: BSD-3-Clause
// Stiffness of the contact of two elastic bodies with curved surfaces (hertz.c).
#pragma once

typedef struct cd_elastic_constants {
    double young_modulus, poisson_ratio; // [Pa], [-]
} cd_elastic_constants;

// k [N/m^1.5] in F = k d^1.5. curvature [1/m]: largest and smallest relative curvature, sums over both surfaces, both
// positive. A rigid surface: infinite modulus.
double cd_hertz_stiffness(const cd_elastic_constants material[2], const double curvature[2]);
