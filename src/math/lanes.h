// SPDX-License-Identifier: BSD-3-Clause
// Plain numbers as the processor holds them: four or two in a vector, read from and written to any place. And three of
// any number side by side, with which the same is done: lanes of a vector where numbers are plain, whose fourth is
// nobody's.
#pragma once

#include "math/spatial.h"

#ifdef CD_VECTORS

#pragma GCC diagnostic ignored                                                                                         \
    "-Wpsabi" // how vectors are passed between files depends on the processor; here they never are

typedef double    four __attribute__((vector_size(32)));
typedef double    two __attribute__((vector_size(16)));
typedef double    loose_four __attribute__((vector_size(32), aligned(8), may_alias));
typedef double    loose_two __attribute__((vector_size(16), aligned(8), may_alias));
typedef long long four_bits __attribute__((vector_size(32))); // of a comparison

typedef double triple __attribute__((vector_size(32), aligned(8)));

static inline triple t3_add(triple a, triple b) { return a + b; }
static inline triple t3_sub(triple a, triple b) { return a - b; }
static inline triple t3_mul(triple a, triple b) { return a * b; }
static inline triple t3_scale(real s, triple a) { return a * s; }
static inline triple t3_all(real s) { return (four){s, s, s, s}; }
static inline real   t3_sum(triple a) { return a[0] + a[1] + a[2]; }
static inline real   t3_at(triple a, int i) { return a[i]; }

#else

typedef vec3 triple;

static inline triple t3_add(triple a, triple b) { return v3_add(a, b); }
static inline triple t3_sub(triple a, triple b) { return v3_sub(a, b); }
static inline triple t3_mul(triple a, triple b) { return v3(r_mul(a.x, b.x), r_mul(a.y, b.y), r_mul(a.z, b.z)); }
static inline triple t3_scale(real s, triple a) { return v3_scale(s, a); }
static inline triple t3_all(real s) { return v3(s, s, s); }
static inline real   t3_sum(triple a) { return r_add(r_add(a.x, a.y), a.z); }
static inline real   t3_at(triple a, int i) { return v3_component(a, i); }

#endif

// Three vectors side by side: their x, their y, their z. The rows of a matrix are its columns side by side.
typedef struct abreast {
    triple x, y, z;
} abreast;

static inline vec3 abreast_at(const abreast* u, int i) { return v3(t3_at(u->x, i), t3_at(u->y, i), t3_at(u->z, i)); }

static inline mat3 abreast_matrix(const abreast* u)
{
    return m3_columns(abreast_at(u, 0), abreast_at(u, 1), abreast_at(u, 2));
}

static inline abreast abreast_columns(mat3 A)
{
#ifdef CD_VECTORS
    return (abreast){(four){A.xx, A.xy, A.xz}, (four){A.yx, A.yy, A.yz}, (four){A.zx, A.zy, A.zz}};
#else
    return (abreast){v3(A.xx, A.xy, A.xz), v3(A.yx, A.yy, A.yz), v3(A.zx, A.zy, A.zz)};
#endif
}

// u . a
static inline triple abreast_dot(const abreast* u, vec3 a)
{
    return t3_add(t3_add(t3_scale(a.x, u->x), t3_scale(a.y, u->y)), t3_scale(a.z, u->z));
}

// u x a
static inline abreast abreast_cross(const abreast* u, vec3 a)
{
    return (abreast){t3_sub(t3_scale(a.z, u->y), t3_scale(a.y, u->z)), t3_sub(t3_scale(a.x, u->z), t3_scale(a.z, u->x)),
                     t3_sub(t3_scale(a.y, u->x), t3_scale(a.x, u->y))};
}

// s u + w
static inline abreast abreast_add_scaled(const abreast* w, real s, const abreast* u)
{
    return (abreast){t3_add(t3_scale(s, u->x), w->x), t3_add(t3_scale(s, u->y), w->y), t3_add(t3_scale(s, u->z), w->z)};
}

static inline abreast abreast_neg(const abreast* u)
{
    const triple zero = t3_all(r_lift(0));
    return (abreast){t3_sub(zero, u->x), t3_sub(zero, u->y), t3_sub(zero, u->z)};
}
