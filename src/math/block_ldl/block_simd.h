// SPDX-License-Identifier: BSD-3-Clause
// A column of a small block, 1 to 6 rows, as a SIMD value: doubles in a vector of four and one of two, other number
// types one by one. The number of rows is a constant at every call, so that unused parts cost nothing. Lanes beyond the
// rows are zero.
//
// In memory a column takes r_padded_rows(rows) numbers, and so does a part of a padded vector; simd6_load_unpadded and
// simd6_store_unpadded are for parts that take exactly as many numbers as rows.
#pragma once

#include "math/simd_types.h"
#include "math/norm_inf.h"

#include <math.h>

#define CD_KERNEL static inline __attribute__((always_inline))
#if defined __clang__ || !defined CD_SIMD
#define CD_UNROLL // clang unrolls without a pragma and warns about it; other number types are not optimized
#else
#define CD_UNROLL _Pragma("GCC unroll 8")
#endif

#ifdef CD_SIMD

typedef struct simd6 {
    double4 a;
    double2 b;
} simd6;

CD_KERNEL void simd6_clear(simd6* x) { *x = (simd6){{0}, {0}}; }

CD_KERNEL void simd6_load(simd6* x, const real* p, int r)
{
    *x = (simd6){{0}, {0}};
    if (r == 1)
        x->a = (double4){p[0]};
    else if (r == 2)
        x->a = (double4){p[0], p[1]};
    else
        x->a = *(const double4_unaligned*)p;
    if (r > 4) x->b = *(const double2_unaligned*)(p + 4);
}

CD_KERNEL void simd6_store(const simd6* x, real* p, int r)
{
    if (r == 1)
        p[0] = x->a[0];
    else if (r == 2)
        *(double2_unaligned*)p = (double2){x->a[0], x->a[1]};
    else
        *(double4_unaligned*)p = x->a;
    if (r > 4) *(double2_unaligned*)(p + 4) = x->b;
}

CD_KERNEL void simd6_from_array(simd6* x, const real* e, int r)
{
    x->a = (double4){e[0], r > 1 ? e[1] : 0, r > 2 ? e[2] : 0, r > 3 ? e[3] : 0};
    x->b = (double2){r > 4 ? e[4] : 0, r > 5 ? e[5] : 0};
}

CD_KERNEL void simd6_to_array(const simd6* x, real* e, int r)
{
    for (int i = 0; i < r; ++i) e[i] = i < 4 ? x->a[i] : x->b[i - 4];
}

// x -= z w
CD_KERNEL void simd6_sub_scaled(simd6* x, const simd6* z, real w, int from, int r)
{
    (void)from;
    x->a -= z->a * w;
    if (r > 4) x->b -= z->b * w;
}

// x += z w
CD_KERNEL void simd6_add_scaled(simd6* x, const simd6* z, real w, int r)
{
    x->a += z->a * w;
    if (r > 4) x->b += z->b * w;
}

// x = z w
CD_KERNEL void simd6_scale(simd6* x, const simd6* z, real w, int r)
{
    *x = (simd6){z->a * w, {0}};
    if (r > 4) x->b = z->b * w;
}

// x = z / d, given 1/d
CD_KERNEL void simd6_scale_inverse(simd6* x, const simd6* z, real inverse, int r) { simd6_scale(x, z, inverse, r); }

CD_KERNEL void simd6_sub(simd6* x, const simd6* z, int r)
{
    x->a -= z->a;
    if (r > 4) x->b -= z->b;
}

// x = z / d, entry by entry
CD_KERNEL void simd6_mul_inverse(simd6* x, const simd6* inverse, int r)
{
    x->a *= inverse->a;
    if (r > 4) x->b *= inverse->b;
}

// max_abs = max(max_abs, |x|), elementwise.
typedef long long mask4 __attribute__((vector_size(32)));
typedef long long mask2 __attribute__((vector_size(16)));
CD_KERNEL void    simd6_max_abs(simd6* max_abs, const simd6* x, int r)
{
    const double4 size   = (double4)((mask4)x->a & 0x7fffffffffffffffLL);
    const mask4   beyond = size > max_abs->a;
    max_abs->a           = (double4)((beyond & (mask4)size) | (~beyond & (mask4)max_abs->a));
    if (r <= 4) return;
    const double2 high_size = (double2)((mask2)x->b & 0x7fffffffffffffffLL);
    const mask2   over      = high_size > max_abs->b;
    max_abs->b              = (double2)((over & (mask2)high_size) | (~over & (mask2)max_abs->b));
}

// The same, but NaN propagates: its bits compare greater than those of all magnitudes.
CD_KERNEL void simd6_max_abs_or_nan(simd6* max_abs, const simd6* x, int r)
{
    const mask4 size = (mask4)x->a & 0x7fffffffffffffffLL, beyond = size > (mask4)max_abs->a;
    max_abs->a = (double4)((beyond & size) | (~beyond & (mask4)max_abs->a));
    if (r <= 4) return;
    const mask2 high_size = (mask2)x->b & 0x7fffffffffffffffLL, over = high_size > (mask2)max_abs->b;
    max_abs->b = (double2)((over & high_size) | (~over & (mask2)max_abs->b));
}

// Sum of products z y by lanes, not yet reduced.
typedef simd6  simd6_sum;
CD_KERNEL void simd6_sum_clear(simd6_sum* sum) { simd6_clear(sum); }
CD_KERNEL void simd6_sum_add_products(simd6_sum* sum, const simd6* z, const simd6* y, int r)
{
    sum->a += z->a * y->a;
    if (r > 4) sum->b += z->b * y->b;
}
CD_KERNEL double2 simd6_sum_half(const simd6_sum* sum)
{
    return (double2){sum->a[0], sum->a[1]} + ((double2){sum->a[2], sum->a[3]} + sum->b);
}
// Halves of two sums in one vector.
CD_KERNEL double4 simd6_sum_halves(const simd6_sum* x, const simd6_sum* y)
{
    const double4 first = {x->a[0], x->a[1], y->a[0], y->a[1]}, second = {x->a[2], x->a[3], y->a[2], y->a[3]};
    return first + (second + (double4){x->b[0], x->b[1], y->b[0], y->b[1]});
}
// x = r reduced sums; the result of each is bitwise independent of r.
CD_KERNEL void simd6_sum_reduce(simd6* x, const simd6_sum* sum, int r)
{
    static const simd6_sum none;
    simd6_clear(x);
    if (r == 1) {
        const double2 a = simd6_sum_half(&sum[0]);
        x->a[0]         = a[0] + a[1];
    } else if (r == 2) {
        const double2 a = simd6_sum_half(&sum[0]), b = simd6_sum_half(&sum[1]),
                      c = (double2){a[0], b[0]} + (double2){a[1], b[1]};
        x->a            = (double4){c[0], c[1]};
    } else {
        const double4 a = simd6_sum_halves(&sum[0], &sum[2]), b = simd6_sum_halves(&sum[1], r > 3 ? &sum[3] : &none);
        x->a = (double4){a[0], b[0], a[2], b[2]} + (double4){a[1], b[1], a[3], b[3]};
    }
    if (r == 5) {
        const double2 a = simd6_sum_half(&sum[4]);
        x->b[0]         = a[0] + a[1];
    } else if (r == 6) {
        const double2 a = simd6_sum_half(&sum[4]), b = simd6_sum_half(&sum[5]);
        x->b = (double2){a[0], b[0]} + (double2){a[1], b[1]};
    }
}

// x = z'y of r columns of six entries.
CD_KERNEL void simd6_dots(simd6* x, const simd6* z, const simd6* y, int r)
{
    simd6_sum sum[6];
    CD_UNROLL for (int i = 0; i < r; ++i) sum[i] = (simd6_sum){z[i].a * y->a, z[i].b * y->b};
    simd6_sum_reduce(x, sum, r);
}

// Load and store a part of a vector without padding.
CD_KERNEL void simd6_load_unpadded(simd6* x, const real* p, int r)
{
    if (r == 4)
        *x = (simd6){*(const double4_unaligned*)p, {0}};
    else if (r == 5)
        *x = (simd6){*(const double4_unaligned*)p, {p[4], 0}};
    else if (r == 6)
        *x = (simd6){*(const double4_unaligned*)p, *(const double2_unaligned*)(p + 4)};
    else
        simd6_from_array(x, p, r);
}

CD_KERNEL void simd6_store_unpadded(const simd6* x, real* p, int r)
{
    if (r > 3)
        *(double4_unaligned*)p = x->a;
    else if (r > 1)
        *(double2_unaligned*)p = (double2){x->a[0], x->a[1]};
    if (r == 1 || r == 3) p[r - 1] = x->a[r - 1];
    if (r == 5)
        p[4] = x->b[0];
    else if (r == 6)
        *(double2_unaligned*)(p + 4) = x->b;
}

#else

typedef struct simd6 {
    real e[6];
} simd6;

CD_KERNEL void simd6_load(simd6* x, const real* p, int r)
{
    for (int i = 0; i < r; ++i) x->e[i] = p[i];
}

CD_KERNEL void simd6_store(const simd6* x, real* p, int r)
{
    for (int i = 0; i < r; ++i) p[i] = x->e[i];
}

CD_KERNEL void simd6_from_array(simd6* x, const real* e, int r) { simd6_load(x, e, r); }
CD_KERNEL void simd6_to_array(const simd6* x, real* e, int r) { simd6_store(x, e, r); }

CD_KERNEL void simd6_sub_scaled(simd6* x, const simd6* z, real w, int from, int r)
{
    for (int i = from; i < r; ++i) x->e[i] = r_sub(x->e[i], r_mul(z->e[i], w));
}

CD_KERNEL void simd6_add_scaled(simd6* x, const simd6* z, real w, int r)
{
    for (int i = 0; i < r; ++i) x->e[i] = r_add(x->e[i], r_mul(z->e[i], w));
}

CD_KERNEL void simd6_scale(simd6* x, const simd6* z, real w, int r)
{
    for (int i = 0; i < r; ++i) x->e[i] = r_mul(z->e[i], w);
}

CD_KERNEL void simd6_scale_inverse(simd6* x, const simd6* z, real inverse, int r)
{
    for (int i = 0; i < r; ++i) x->e[i] = r_mul_inv(z->e[i], inverse);
}

CD_KERNEL void simd6_sub(simd6* x, const simd6* z, int r)
{
    for (int i = 0; i < r; ++i) x->e[i] = r_sub(x->e[i], z->e[i]);
}

CD_KERNEL void simd6_mul_inverse(simd6* x, const simd6* inverse, int r)
{
    for (int i = 0; i < r; ++i) x->e[i] = r_mul_inv(x->e[i], inverse->e[i]);
}

CD_KERNEL void simd6_clear(simd6* x)
{
    for (int i = 0; i < 6; ++i) x->e[i] = r_const(0);
}

CD_KERNEL void simd6_max_abs(simd6* max_abs, const simd6* x, int r)
{
    for (int i = 0; i < r; ++i)
        if (fabs(r_value(x->e[i])) > r_value(max_abs->e[i])) max_abs->e[i] = r_const(fabs(r_value(x->e[i])));
}

CD_KERNEL void simd6_max_abs_or_nan(simd6* max_abs, const simd6* x, int r)
{
    for (int i = 0; i < r; ++i)
        max_abs->e[i] = r_const(cd_max_propagate_nan(r_value(max_abs->e[i]), fabs(r_value(x->e[i]))));
}

typedef real   simd6_sum;
CD_KERNEL void simd6_sum_clear(simd6_sum* sum) { *sum = r_const(0); }
CD_KERNEL void simd6_sum_add_products(simd6_sum* sum, const simd6* z, const simd6* y, int r)
{
    for (int i = 0; i < r; ++i) *sum = r_add(*sum, r_mul(z->e[i], y->e[i]));
}
CD_KERNEL void simd6_sum_reduce(simd6* x, const simd6_sum* sum, int r) { simd6_from_array(x, sum, r); }

CD_KERNEL real simd6_dot(const simd6* z, const simd6* y)
{
    real e[6];
    for (int i = 0; i < 6; ++i) e[i] = r_mul(z->e[i], y->e[i]);
    return r_add(r_add(r_add(e[0], e[1]), r_add(e[2], e[3])), r_add(e[4], e[5]));
}

CD_KERNEL void simd6_dots(simd6* x, const simd6* z, const simd6* y, int r)
{
    for (int i = 0; i < r; ++i) x->e[i] = simd6_dot(&z[i], y);
}

// Load and store a part of a vector without padding.
CD_KERNEL void simd6_load_unpadded(simd6* x, const real* p, int r) { simd6_from_array(x, p, r); }
CD_KERNEL void simd6_store_unpadded(const simd6* x, real* p, int r) { simd6_to_array(x, p, r); }

#endif
