// SPDX-License-Identifier: BSD-3-Clause
// Text of directions, points, numbers and lists.
#include "diagnosis/diagnosis.h"
#include "diagnosis/diagnosis_tolerances.h"

#include "math/lapack.h"

#include <math.h>
#include <stdio.h>

static double round_small(double x) { return fabs(x) < cd_written_component ? 0 : x; }

cd_geometry_text cd_describe_axis_direction(vec3 u)
{
    cd_geometry_text word;
    double           c[3] = {u.x, u.y, u.z};
    const double     n    = sqrt(v3_dot(u, u));
    int              big  = 0;
    for (int i = 0; i < 3; ++i) {
        c[i] /= n;
        if (fabs(c[i]) > fabs(c[big]) + cd_same_direction_tolerance) big = i;
    }
    if (fabs(c[big]) > 1 - cd_same_direction_tolerance)
        snprintf(word.text, sizeof word.text, "%c", "xyz"[big]);
    else {
        const double sign = c[big] < 0 ? -1 : 1;
        snprintf(word.text, sizeof word.text, "(%.3g, %.3g, %.3g)", round_small(sign * c[0]), round_small(sign * c[1]),
                 round_small(sign * c[2]));
    }
    return word;
}

cd_geometry_text cd_describe_axis_in_parentheses(vec3 u)
{
    cd_geometry_text word = cd_describe_axis_direction(u);
    if (!word.text[1]) snprintf(word.text, sizeof word.text, "(%c)", cd_describe_axis_direction(u).text[0]);
    return word;
}

cd_geometry_text cd_describe_point(vec3 p)
{
    cd_geometry_text word;
    snprintf(word.text, sizeof word.text, "(%.4g, %.4g, %.4g)", round_small(p.x), round_small(p.y), round_small(p.z));
    return word;
}

const char* cd_number_in_words(int n, char word[16])
{
    static const char* const name[] = {"no",    "one",   "two",  "three", "four",   "five",  "six",
                                       "seven", "eight", "nine", "ten",   "eleven", "twelve"};
    if (n >= 0 && n <= 12) return name[n];
    snprintf(word, 16, "%d", n);
    return word;
}

void cd_text_add_joints(cd_text* text, const cardan_model* m, int count, const int* joint)
{
    for (int i = 0; i < count; ++i)
        cd_text_format(text, "%s%s", i == 0 ? "" : i == count - 1 ? " and " : ", ", m->joint[joint[i]].name);
}

int cd_spanned_directions(int count, const vec3* u, vec3 basis[3])
{
    double A[9] = {0}, sigma[3], left[9], work[512];
    // sum of u u': eigenvectors are the directions, eigenvalues their squared sizes
    for (int i = 0; i < count; ++i) {
        const double c[3] = {u[i].x, u[i].y, u[i].z};
        for (int a = 0; a < 3; ++a)
            for (int b = 0; b < 3; ++b) A[3 * a + b] += c[a] * c[b];
    }
    if (!cd_lapack_svd(3, 3, A, sigma, left, NULL, work)) return 0;
    int rank = 0;
    while (rank < 3 && sigma[rank] > cd_spanned_direction_sq) {
        basis[rank] = v3(left[rank], left[3 + rank], left[6 + rank]);
        ++rank;
    }
    return rank;
}
