// SPDX-License-Identifier: BSD-3-Clause
// Vectors of four or two doubles as the processor holds them, loaded and stored without alignment. And real3: three
// numbers of any type processed alike; for double the lanes of a vector, whose fourth lane is unused.
#pragma once

#include "math/spatial.h"

#ifdef CD_SIMD

#pragma GCC diagnostic ignored                                                                                         \
    "-Wpsabi" // how vectors are passed between files depends on the processor; here they never are

typedef double    double4 __attribute__((vector_size(32)));
typedef double    double2 __attribute__((vector_size(16)));
typedef double    double4_unaligned __attribute__((vector_size(32), aligned(8), may_alias));
typedef double    double2_unaligned __attribute__((vector_size(16), aligned(8), may_alias));
typedef long long mask4 __attribute__((vector_size(32))); // result of a comparison

typedef double real3 __attribute__((vector_size(32), aligned(8)));

static inline real3 real3_add(real3 a, real3 b) { return a + b; }
static inline real3 real3_sub(real3 a, real3 b) { return a - b; }
static inline real3 real3_mul(real3 a, real3 b) { return a * b; }
static inline real3 real3_scale(real s, real3 a) { return a * s; }
static inline real3 real3_all(real s) { return (double4){s, s, s, s}; }
static inline real  real3_sum(real3 a) { return a[0] + a[1] + a[2]; }
static inline real  real3_at(real3 a, int i) { return a[i]; }

#else

typedef vec3 real3;

static inline real3 real3_add(real3 a, real3 b) { return v3_add(a, b); }
static inline real3 real3_sub(real3 a, real3 b) { return v3_sub(a, b); }
static inline real3 real3_mul(real3 a, real3 b) { return v3(r_mul(a.x, b.x), r_mul(a.y, b.y), r_mul(a.z, b.z)); }
static inline real3 real3_scale(real s, real3 a) { return v3_scale(s, a); }
static inline real3 real3_all(real s) { return v3(s, s, s); }
static inline real  real3_sum(real3 a) { return r_add(r_add(a.x, a.y), a.z); }
static inline real  real3_at(real3 a, int i) { return v3_component(a, i); }

#endif

// Three vectors: their x, their y, their z. For a matrix: its rows, each with the entries of the three columns.
typedef struct vec3x3 {
    real3 x, y, z;
} vec3x3;

static inline vec3 vec3x3_at(const vec3x3* u, int i)
{
    return v3(real3_at(u->x, i), real3_at(u->y, i), real3_at(u->z, i));
}

static inline mat3 vec3x3_matrix(const vec3x3* u)
{
    return m3_columns(vec3x3_at(u, 0), vec3x3_at(u, 1), vec3x3_at(u, 2));
}

static inline vec3x3 vec3x3_columns(mat3 A)
{
#ifdef CD_SIMD
    return (vec3x3){(double4){A.xx, A.xy, A.xz}, (double4){A.yx, A.yy, A.yz}, (double4){A.zx, A.zy, A.zz}};
#else
    return (vec3x3){v3(A.xx, A.xy, A.xz), v3(A.yx, A.yy, A.yz), v3(A.zx, A.zy, A.zz)};
#endif
}

// u . a
static inline real3 vec3x3_dot(const vec3x3* u, vec3 a)
{
    return real3_add(real3_add(real3_scale(a.x, u->x), real3_scale(a.y, u->y)), real3_scale(a.z, u->z));
}

// u x a
static inline vec3x3 vec3x3_cross(const vec3x3* u, vec3 a)
{
    return (vec3x3){real3_sub(real3_scale(a.z, u->y), real3_scale(a.y, u->z)),
                    real3_sub(real3_scale(a.x, u->z), real3_scale(a.z, u->x)),
                    real3_sub(real3_scale(a.y, u->x), real3_scale(a.x, u->y))};
}

// s u + w
static inline vec3x3 vec3x3_add_scaled(const vec3x3* w, real s, const vec3x3* u)
{
    return (vec3x3){real3_add(real3_scale(s, u->x), w->x), real3_add(real3_scale(s, u->y), w->y),
                    real3_add(real3_scale(s, u->z), w->z)};
}

static inline vec3x3 vec3x3_neg(const vec3x3* u)
{
    const real3 zero = real3_all(r_const(0));
    return (vec3x3){real3_sub(zero, u->x), real3_sub(zero, u->y), real3_sub(zero, u->z)};
}
