// SPDX-License-Identifier: BSD-3-Clause
// Constraint rows in maximal coordinates without a model: families of graphs (which constraint connects which bodies)
// with random poses of the bodies. Rows act on the relative motion of their bodies only.
#pragma once

#include "formulation/maximal/kkt_system.h"
#include "math/quaternion.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

typedef struct family {
    int          nbody;
    cd_rows      rows;
    cd_row_block block[4096];
    double       position[4096][3]; // of a body, world axes
    double       rotation[4096][9]; // body axes in world axes, as columns
} family;

static inline double family_random(uint64_t* seed)
{
    *seed = *seed * 6364136223846793005u + 1442695040888963407u;
    return (double)(*seed >> 11) / 9007199254740992.0 - 0.5;
}

// Orthonormalize two vectors (Gram-Schmidt).
static inline void family_orthonormalize(double u[2][3])
{
    for (int i = 0; i < 2; ++i) {
        double along = 0, size = 0;
        for (int k = 0; i == 1 && k < 3; ++k) along += u[0][k] * u[1][k];
        for (int k = 0; k < 3; ++k) {
            u[i][k] -= along * u[0][k] * (i == 1);
            size += u[i][k] * u[i][k];
        }
        for (int k = 0; k < 3; ++k) u[i][k] /= sqrt(size);
    }
}

// Joint at a random point between bodies a and b (b < 0: ground): the points coincide (rows 0 to 2), no relative
// rotation about one or two directions (rows 3 and 4).
static inline void family_join(family* f, int a, int b, int nrow, uint64_t* seed)
{
    const int    nend = b < 0 ? 1 : 2, end[2] = {a, b};
    cd_row_block r = {.row = f->rows.nrow, .nrow = nrow, .nv = 6 * nend};
    r.v            = cd_allocate((size_t)r.nv, sizeof *r.v);
    r.J            = cd_allocate((size_t)(r.nv * nrow), sizeof *r.J);
    double point[3], u[2][3];
    for (int k = 0; k < 3; ++k) {
        point[k] = f->position[a][k] + family_random(seed);
        u[0][k]  = family_random(seed);
        u[1][k]  = family_random(seed);
    }
    family_orthonormalize(u);
    for (int e = 0; e < nend; ++e) {
        const double *p = f->position[end[e]], *R = f->rotation[end[e]];
        const double  sign = e ? -1 : 1, d[3] = {point[0] - p[0], point[1] - p[1], point[2] - p[2]};
        const double  cross[3][3] = {{0, d[2], -d[1]}, {-d[2], 0, d[0]}, {d[1], -d[0], 0}}; // w x d by rows
        for (int k = 0; k < 6; ++k) r.v[6 * e + k] = 6 * end[e] + k;
        for (int i = 0; i < nrow; ++i)
            for (int k = 0; k < 3; ++k) {
                if (i < 3) r.J[i * r.nv + 6 * e + k] = i == k ? sign : 0;
                for (int l = 0; l < 3; ++l)
                    r.J[i * r.nv + 6 * e + 3 + k] += sign * (i < 3 ? cross[i][l] : u[i - 3][l]) * R[3 * l + k];
            }
    }
    f->rows.nrow += nrow;
    f->block[f->rows.nblock++] = r;
    f->rows.block              = f->block;
}

static inline family* family_create(int nbody, uint64_t* seed)
{
    family* f = cd_allocate(1, sizeof *f);
    f->nbody  = nbody;
    for (int b = 0; b < nbody; ++b) {
        double q[4];
        for (int k = 0; k < 3; ++k) f->position[b][k] = 3 * family_random(seed);
        for (int k = 0; k < 4; ++k) q[k] = family_random(seed);
        q4_normalize(q);
        const double w = q[0], x = q[1], y = q[2], z = q[3];
        const double R[9] = {1 - 2 * (y * y + z * z), 2 * (x * y - w * z),     2 * (x * z + w * y),
                             2 * (x * y + w * z),     1 - 2 * (x * x + z * z), 2 * (y * z - w * x),
                             2 * (x * z - w * y),     2 * (y * z + w * x),     1 - 2 * (x * x + y * y)};
        memcpy(f->rotation[b], R, sizeof R);
    }
    return f;
}

static inline void family_destroy(family* f)
{
    for (int i = 0; i < f->rows.nblock; ++i) free(f->block[i].v), free(f->block[i].J);
    free(f);
}

static inline family* family_ring(int n)
{
    uint64_t seed = 7;
    family*  f    = family_create(n, &seed);
    for (int i = 0; i < n; ++i) family_join(f, i, (i + 1) % n, 3, &seed);
    return f;
}

static inline family* family_star(int n)
{
    uint64_t seed = 7;
    family*  f    = family_create(n, &seed);
    for (int i = 1; i < n; ++i) family_join(f, i, 0, 3, &seed);
    return f;
}

// Rails on universal joints (4 rows), rungs on revolute joints (5 rows).
static inline family* family_ladder(int cells)
{
    uint64_t seed = 7;
    family*  f    = family_create(2 * cells + 1, &seed);
    family_join(f, 0, -1, 4, &seed);
    for (int i = 1; i <= cells; ++i) {
        family_join(f, 2 * i - 1, 2 * (i - 1), 5, &seed);
        family_join(f, 2 * i, 2 * i - 1, 5, &seed);
        family_join(f, 2 * i, -1, 4, &seed);
    }
    return f;
}

// Tree with n/4 additional joints, some of them to ground.
static inline family* family_net(int n, uint64_t seed)
{
    family* f = family_create(n, &seed);
    for (int i = 0; i < n; ++i) {
        const int parent = (int)((family_random(&seed) + 0.5) * i) - (family_random(&seed) > 0.35);
        family_join(f, i, parent < i ? (parent < 0 ? -1 : parent) : i - 1, 3 + (int)(3 * (family_random(&seed) + 0.5)),
                    &seed);
    }
    for (int i = 0; i < n / 4; ++i) {
        const int a = (int)((family_random(&seed) + 0.5) * n), b = (int)((family_random(&seed) + 0.5) * (n + 1)) - 1;
        if (a != b) family_join(f, a, b, 1 + (int)(3 * (family_random(&seed) + 0.5)), &seed);
    }
    return f;
}
