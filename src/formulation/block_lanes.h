// SPDX-License-Identifier: BSD-3-Clause
// A column of a small block, 1 to 6 rows, as the processor holds it: plain numbers in a vector of four and one of two,
// others one by one. The number of rows is a constant wherever these are called, so that what is not there costs
// nothing. Lanes beyond the rows hold zeros.
//
// In memory a column takes r_lanes(rows) numbers, and so does a piece of a vector; read_rows and write_rows are for
// pieces that take as many as they have rows.
#pragma once

#include "math/lanes.h"
#include "math/largest.h"

#include <math.h>

#define CD_KERNEL static inline __attribute__((always_inline))
#if defined __clang__ || !defined CD_VECTORS
#define CD_UNROLL // does so by itself, and warns where it is asked to; other numbers are not for speed
#else
#define CD_UNROLL _Pragma("GCC unroll 8")
#endif

#ifdef CD_VECTORS

typedef struct strip {
    four a;
    two  b;
} strip;

CD_KERNEL void strip_clear(strip* x) { *x = (strip){{0}, {0}}; }

CD_KERNEL void strip_read(strip* x, const real* p, int r)
{
    *x = (strip){{0}, {0}};
    if (r == 1)
        x->a = (four){p[0]};
    else if (r == 2)
        x->a = (four){p[0], p[1]};
    else
        x->a = *(const loose_four*)p;
    if (r > 4) x->b = *(const loose_two*)(p + 4);
}

CD_KERNEL void strip_write(const strip* x, real* p, int r)
{
    if (r == 1)
        p[0] = x->a[0];
    else if (r == 2)
        *(loose_two*)p = (two){x->a[0], x->a[1]};
    else
        *(loose_four*)p = x->a;
    if (r > 4) *(loose_two*)(p + 4) = x->b;
}

CD_KERNEL void strip_make(strip* x, const real* e, int r)
{
    x->a = (four){e[0], r > 1 ? e[1] : 0, r > 2 ? e[2] : 0, r > 3 ? e[3] : 0};
    x->b = (two){r > 4 ? e[4] : 0, r > 5 ? e[5] : 0};
}

CD_KERNEL void strip_part(const strip* x, real* e, int r)
{
    for (int i = 0; i < r; ++i) e[i] = i < 4 ? x->a[i] : x->b[i - 4];
}

// x -= z w
CD_KERNEL void strip_drop(strip* x, const strip* z, real w, int from, int r)
{
    (void)from;
    x->a -= z->a * w;
    if (r > 4) x->b -= z->b * w;
}

// x += z w
CD_KERNEL void strip_lift(strip* x, const strip* z, real w, int r)
{
    x->a += z->a * w;
    if (r > 4) x->b += z->b * w;
}

// x = z w
CD_KERNEL void strip_times(strip* x, const strip* z, real w, int r)
{
    *x = (strip){z->a * w, {0}};
    if (r > 4) x->b = z->b * w;
}

// x = z / d, 1/d at hand
CD_KERNEL void strip_over(strip* x, const strip* z, real inverse, int r) { strip_times(x, z, inverse, r); }

CD_KERNEL void strip_subtract(strip* x, const strip* z, int r)
{
    x->a -= z->a;
    if (r > 4) x->b -= z->b;
}

// x = z / d, entry by entry
CD_KERNEL void strip_over_each(strip* x, const strip* inverse, int r)
{
    x->a *= inverse->a;
    if (r > 4) x->b *= inverse->b;
}

// most = max(most, |x|), entry by entry; and the largest entry of it.
typedef long long four_bits __attribute__((vector_size(32)));
typedef long long two_bits __attribute__((vector_size(16)));
CD_KERNEL void    strip_largest(strip* most, const strip* x, int r)
{
    const four      size   = (four)((four_bits)x->a & 0x7fffffffffffffffLL);
    const four_bits beyond = size > most->a;
    most->a                = (four)((beyond & (four_bits)size) | (~beyond & (four_bits)most->a));
    if (r <= 4) return;
    const two      rest = (two)((two_bits)x->b & 0x7fffffffffffffffLL);
    const two_bits over = rest > most->b;
    most->b             = (two)((over & (two_bits)rest) | (~over & (two_bits)most->b));
}

// The same, but what is no number stays: its bits are beyond those of all magnitudes.
CD_KERNEL void strip_largest_or_none(strip* most, const strip* x, int r)
{
    const four_bits size = (four_bits)x->a & 0x7fffffffffffffffLL, beyond = size > (four_bits)most->a;
    most->a = (four)((beyond & size) | (~beyond & (four_bits)most->a));
    if (r <= 4) return;
    const two_bits rest = (two_bits)x->b & 0x7fffffffffffffffLL, over = rest > (two_bits)most->b;
    most->b = (two)((over & rest) | (~over & (two_bits)most->b));
}

// Sum of products z y, still apart.
typedef strip  sum_apart;
CD_KERNEL void sum_clear(sum_apart* sum) { strip_clear(sum); }
CD_KERNEL void sum_products(sum_apart* sum, const strip* z, const strip* y, int r)
{
    sum->a += z->a * y->a;
    if (r > 4) sum->b += z->b * y->b;
}
CD_KERNEL two sum_half(const sum_apart* sum)
{
    return (two){sum->a[0], sum->a[1]} + ((two){sum->a[2], sum->a[3]} + sum->b);
}
// Halves of two sums, side by side.
CD_KERNEL four sum_halves(const sum_apart* x, const sum_apart* y)
{
    const four first = {x->a[0], x->a[1], y->a[0], y->a[1]}, second = {x->a[2], x->a[3], y->a[2], y->a[3]};
    return first + (second + (four){x->b[0], x->b[1], y->b[0], y->b[1]});
}
// x = r sums, each the same whatever r is.
CD_KERNEL void sum_totals(strip* x, const sum_apart* sum, int r)
{
    static const sum_apart none;
    strip_clear(x);
    if (r == 1) {
        const two a = sum_half(&sum[0]);
        x->a[0]     = a[0] + a[1];
    } else if (r == 2) {
        const two a = sum_half(&sum[0]), b = sum_half(&sum[1]), c = (two){a[0], b[0]} + (two){a[1], b[1]};
        x->a = (four){c[0], c[1]};
    } else {
        const four a = sum_halves(&sum[0], &sum[2]), b = sum_halves(&sum[1], r > 3 ? &sum[3] : &none);
        x->a = (four){a[0], b[0], a[2], b[2]} + (four){a[1], b[1], a[3], b[3]};
    }
    if (r == 5) {
        const two a = sum_half(&sum[4]);
        x->b[0]     = a[0] + a[1];
    } else if (r == 6) {
        const two a = sum_half(&sum[4]), b = sum_half(&sum[5]);
        x->b = (two){a[0], b[0]} + (two){a[1], b[1]};
    }
}

// x = z'y of r strips of six entries.
CD_KERNEL void strip_dots(strip* x, const strip* z, const strip* y, int r)
{
    sum_apart sum[6];
    CD_UNROLL for (int i = 0; i < r; ++i) sum[i] = (sum_apart){z[i].a * y->a, z[i].b * y->b};
    sum_totals(x, sum, r);
}

// A piece of a vector that stands without lanes.
CD_KERNEL void strip_read_rows(strip* x, const real* p, int r)
{
    if (r == 4)
        *x = (strip){*(const loose_four*)p, {0}};
    else if (r == 5)
        *x = (strip){*(const loose_four*)p, {p[4], 0}};
    else if (r == 6)
        *x = (strip){*(const loose_four*)p, *(const loose_two*)(p + 4)};
    else
        strip_make(x, p, r);
}

CD_KERNEL void strip_write_rows(const strip* x, real* p, int r)
{
    if (r > 3)
        *(loose_four*)p = x->a;
    else if (r > 1)
        *(loose_two*)p = (two){x->a[0], x->a[1]};
    if (r == 1 || r == 3) p[r - 1] = x->a[r - 1];
    if (r == 5)
        p[4] = x->b[0];
    else if (r == 6)
        *(loose_two*)(p + 4) = x->b;
}

#else

typedef struct strip {
    real e[6];
} strip;

CD_KERNEL void strip_read(strip* x, const real* p, int r)
{
    for (int i = 0; i < r; ++i) x->e[i] = p[i];
}

CD_KERNEL void strip_write(const strip* x, real* p, int r)
{
    for (int i = 0; i < r; ++i) p[i] = x->e[i];
}

CD_KERNEL void strip_make(strip* x, const real* e, int r) { strip_read(x, e, r); }
CD_KERNEL void strip_part(const strip* x, real* e, int r) { strip_write(x, e, r); }

CD_KERNEL void strip_drop(strip* x, const strip* z, real w, int from, int r)
{
    for (int i = from; i < r; ++i) x->e[i] = r_sub(x->e[i], r_mul(z->e[i], w));
}

CD_KERNEL void strip_lift(strip* x, const strip* z, real w, int r)
{
    for (int i = 0; i < r; ++i) x->e[i] = r_add(x->e[i], r_mul(z->e[i], w));
}

CD_KERNEL void strip_times(strip* x, const strip* z, real w, int r)
{
    for (int i = 0; i < r; ++i) x->e[i] = r_mul(z->e[i], w);
}

CD_KERNEL void strip_over(strip* x, const strip* z, real inverse, int r)
{
    for (int i = 0; i < r; ++i) x->e[i] = r_over(z->e[i], inverse);
}

CD_KERNEL void strip_subtract(strip* x, const strip* z, int r)
{
    for (int i = 0; i < r; ++i) x->e[i] = r_sub(x->e[i], z->e[i]);
}

CD_KERNEL void strip_over_each(strip* x, const strip* inverse, int r)
{
    for (int i = 0; i < r; ++i) x->e[i] = r_over(x->e[i], inverse->e[i]);
}

CD_KERNEL void strip_clear(strip* x)
{
    for (int i = 0; i < 6; ++i) x->e[i] = r_lift(0);
}

CD_KERNEL void strip_largest(strip* most, const strip* x, int r)
{
    for (int i = 0; i < r; ++i)
        if (fabs(r_value(x->e[i])) > r_value(most->e[i])) most->e[i] = r_lift(fabs(r_value(x->e[i])));
}

CD_KERNEL void strip_largest_or_none(strip* most, const strip* x, int r)
{
    for (int i = 0; i < r; ++i) most->e[i] = r_lift(cd_larger_or_none(r_value(most->e[i]), fabs(r_value(x->e[i]))));
}

typedef real   sum_apart;
CD_KERNEL void sum_clear(sum_apart* sum) { *sum = r_lift(0); }
CD_KERNEL void sum_products(sum_apart* sum, const strip* z, const strip* y, int r)
{
    for (int i = 0; i < r; ++i) *sum = r_add(*sum, r_mul(z->e[i], y->e[i]));
}
CD_KERNEL void sum_totals(strip* x, const sum_apart* sum, int r) { strip_make(x, sum, r); }

CD_KERNEL real strip_dot(const strip* z, const strip* y)
{
    real e[6];
    for (int i = 0; i < 6; ++i) e[i] = r_mul(z->e[i], y->e[i]);
    return r_add(r_add(r_add(e[0], e[1]), r_add(e[2], e[3])), r_add(e[4], e[5]));
}

CD_KERNEL void strip_dots(strip* x, const strip* z, const strip* y, int r)
{
    for (int i = 0; i < r; ++i) x->e[i] = strip_dot(&z[i], y);
}

// A piece of a vector that stands without lanes.
CD_KERNEL void strip_read_rows(strip* x, const real* p, int r) { strip_make(x, p, r); }
CD_KERNEL void strip_write_rows(const strip* x, real* p, int r) { strip_part(x, p, r); }

#endif
