// SPDX-License-Identifier: BSD-3-Clause
// Integers of a recording and their second differences in time,
//
//   d[k] = i[k] - 2 i[k-1] + i[k-2],   i[-1] = i[-2] = 0,
//
// which are small for smooth motions; low and high bytes are stored apart, because high bytes are nearly constant.
// A quaternion has three components: the largest one is left out. The index of the largest is kept until that component
// is below 1/2, so that the series jump rarely; components are then at most sqrt(3)/2.
#include "view/recording/recording.h"

#include "core/memory.h"

#include <math.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

enum { HEADER = 16 + 4 * 8, BITS_ROTATION_MAX = 15, BITS_COLUMN_MAX = 12, PER_BODY = 7 };

cd_recording_precision cd_recording_precision_of(int bits, double length)
{
    const int rotation = bits > BITS_ROTATION_MAX ? BITS_ROTATION_MAX : bits;
    const int column   = bits > BITS_COLUMN_MAX ? BITS_COLUMN_MAX : bits;
    return (cd_recording_precision){ldexp(length, -bits), ldexp(1, -rotation), 1 << column};
}

typedef struct encoder {
    const cd_recorded_series* s;
    cd_recording_precision    p;
    unsigned char *           low, *high; // next bytes
    int64_t*                  integer;    // (nframe) of one series
    int*                      largest;    // (nframe) component that is left out
    bool                      fits;
} encoder;

static double value_at(const encoder* e, int frame, int series)
{
    return e->s->value[(size_t)frame * (size_t)e->s->stride + (size_t)series];
}

// Store the second differences of e->integer. `modulo`: the reader takes the sums modulo 65536.
static void put_series(encoder* e, bool modulo)
{
    int64_t before = 0, last = 0;
    for (int k = 0; k < e->s->nframe; ++k) {
        const int64_t i = e->integer[k], d = i - 2 * last + before;
        if (!modulo && (d < INT16_MIN || d > INT16_MAX)) e->fits = false;
        *e->low++  = (unsigned char)(d & 0xFF);
        *e->high++ = (unsigned char)((d >> 8) & 0xFF);
        before     = last;
        last       = i;
    }
}

static void encode_position(encoder* e, int body, int axis)
{
    const int    series = PER_BODY * body + axis;
    const double origin = value_at(e, 0, series);
    for (int k = 0; k < e->s->nframe; ++k) {
        const double i = rint((value_at(e, k, series) - origin) / e->p.length);
        if (!(fabs(i) <= INT32_MAX)) e->fits = false;
        e->integer[k] = e->fits ? (int64_t)i : 0;
    }
    put_series(e, false);
}

static void choose_largest(encoder* e, int body)
{
    int largest = 0;
    for (int k = 0; k < e->s->nframe; ++k) {
        double q[4];
        for (int c = 0; c < 4; ++c) q[c] = fabs(value_at(e, k, PER_BODY * body + 3 + c));
        if (k == 0 || q[largest] < 0.5)
            for (int c = 0; c < 4; ++c)
                if (q[c] > q[largest]) largest = c;
        e->largest[k] = largest;
    }
}

static void encode_component(encoder* e, int body, int component)
{
    for (int k = 0; k < e->s->nframe; ++k) {
        const int    left_out = e->largest[k], c = component < left_out ? component : component + 1;
        const double sign = value_at(e, k, PER_BODY * body + 3 + left_out) < 0 ? -1 : 1;
        e->integer[k]     = (int64_t)rint(sign * value_at(e, k, PER_BODY * body + 3 + c) / e->p.rotation);
    }
    put_series(e, true);
}

static void encode_body(encoder* e, int body)
{
    for (int axis = 0; axis < 3; ++axis) encode_position(e, body, axis);
    choose_largest(e, body);
    for (int component = 0; component < 3; ++component) encode_component(e, body, component);
    for (int k = 0; k < e->s->nframe; ++k) e->integer[k] = e->largest[k];
    put_series(e, true);
}

// Lower value and width of the 65535 steps of a column.
static void column_range(const encoder* e, int column, double range[2])
{
    double lower = INFINITY, upper = -INFINITY;
    for (int k = 0; k < e->s->nframe; ++k) {
        const double x = value_at(e, k, PER_BODY * e->s->nbody + column);
        if (!isfinite(x)) continue;
        lower = fmin(lower, x);
        upper = fmax(upper, x);
    }
    range[0] = isfinite(lower) ? lower : 0;
    range[1] = range[0] + (upper > lower ? (upper - lower) * 65535 / (e->p.levels - 1) : 1);
}

static void encode_column(encoder* e, int column)
{
    double range[2];
    column_range(e, column, range);
    for (int k = 0; k < e->s->nframe; ++k) {
        const double x = value_at(e, k, PER_BODY * e->s->nbody + column);
        e->integer[k]  = isfinite(x) ? (int64_t)rint((x - range[0]) / (range[1] - range[0]) * 65535) : 0;
    }
    put_series(e, true);
}

// ---- header

static unsigned char* put_u32(unsigned char* b, uint32_t value)
{
    for (int i = 0; i < 4; ++i) b[i] = (unsigned char)(value >> (8 * i));
    return b + 4;
}

static unsigned char* put_f64(unsigned char* b, double value)
{
    uint64_t bits;
    memcpy(&bits, &value, sizeof bits);
    return put_u32(put_u32(b, (uint32_t)bits), (uint32_t)(bits >> 32));
}

static unsigned char* put_header(const encoder* e, unsigned char* b)
{
    const cd_recorded_series* s       = e->s;
    const double              scale[] = {s->start, s->interval, e->p.length, e->p.rotation};
    b = put_u32(put_u32(put_u32(put_u32(b, (uint32_t)s->nbody), (uint32_t)s->nframe), (uint32_t)s->ncolumn), 0);
    for (int i = 0; i < 4; ++i) b = put_f64(b, scale[i]);
    for (int i = 0; i < s->nbody; ++i)
        for (int axis = 0; axis < 3; ++axis) b = put_f64(b, s->nframe > 0 ? value_at(e, 0, PER_BODY * i + axis) : 0);
    for (int i = 0; i < s->ncolumn; ++i) {
        double range[2];
        column_range(e, i, range);
        b = put_f64(put_f64(b, range[0]), range[1]);
    }
    return b;
}

bool cd_recording_encode(const cd_recorded_series* s, cd_recording_precision precision, unsigned char** bytes,
                         size_t* length, bool* fits)
{
    const size_t per_frame = (size_t)(PER_BODY * s->nbody + s->ncolumn), n = (size_t)s->nframe * per_frame;
    const size_t header = HEADER + 24 * (size_t)s->nbody + 16 * (size_t)s->ncolumn;
    encoder      e      = {.s = s, .p = precision, .fits = true};
    *length             = header + 2 * n;
    *bytes              = malloc(*length);
    e.integer           = cd_allocate((size_t)s->nframe + 1, sizeof *e.integer);
    e.largest           = cd_allocate((size_t)s->nframe + 1, sizeof *e.largest);
    const bool good     = *bytes && e.integer && e.largest;
    if (good) {
        e.low  = put_header(&e, *bytes);
        e.high = e.low + n;
        for (int i = 0; i < s->nbody; ++i) encode_body(&e, i);
        for (int i = 0; i < s->ncolumn; ++i) encode_column(&e, i);
    }
    *fits = e.fits;
    free(e.integer);
    free(e.largest);
    return good;
}
