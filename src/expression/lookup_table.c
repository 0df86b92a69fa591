// SPDX-License-Identifier: BSD-3-Clause
// Tables: y over strictly increasing x, extrapolated linearly with the derivatives at the ends.
//
//   linear   y = y_k + d_k t,  t = x - x_k,  d_k = (y_{k+1} - y_k)/h_k,  h_k = x_{k+1} - x_k
//   cubic,   y = y_k + t (m_k + t (c_2 + t c_3))
//   spline   c_2 = (3 d_k - 2 m_k - m_{k+1})/h_k,  c_3 = (m_k + m_{k+1} - 2 d_k)/h_k^2
//
// The derivatives m_k of `cubic` make the cubic monotone wherever the points are: 0 at a local extremum, else the
// weighted harmonic mean of the neighbouring d (Fritsch and Butland 1984); one-sided three-point formulas at the ends,
// limited likewise. Those of `spline` make the second derivative continuous, with one cubic over the first two and the
// last two intervals (not-a-knot; de Boor 1978, IV):
//
//   h_k m_{k-1} + 2 (h_{k-1} + h_k) m_k + h_{k-1} m_{k+1} = 3 (h_k d_{k-1} + h_{k-1} d_k)
//   h_1 m_0 + (h_0 + h_1) m_1 = ((3 h_0 + 2 h_1) h_1 d_0 + h_0^2 d_1)/(h_0 + h_1), at the other end likewise
//
// At a point the derivatives are those of the interval to its right.
#include "expression/graph_internal.h"

#include "core/memory.h"

#include <stdlib.h>
#include <string.h>

static double secant(const cd_table* t, int k) { return (t->y[k + 1] - t->y[k]) / (t->x[k + 1] - t->x[k]); }

// Derivative at an end with intervals h0, h1 and secants d0, d1, counted from that end.
static double end_slope(double h0, double h1, double d0, double d1)
{
    const double m = ((2 * h0 + h1) * d0 - h0 * d1) / (h0 + h1);
    if (m * d0 <= 0) return 0;
    return d0 * d1 <= 0 && fabs(m) > 3 * fabs(d0) ? 3 * d0 : m;
}

static void monotone_cubic_slopes(cd_table* t)
{
    const int n = t->count;
    for (int k = 1; k < n - 1; ++k) {
        const double h0 = t->x[k] - t->x[k - 1], h1 = t->x[k + 1] - t->x[k];
        const double d0 = secant(t, k - 1), d1 = secant(t, k);
        const double w0 = 2 * h1 + h0, w1 = h1 + 2 * h0;
        t->slope[k] = (d0 > 0 && d1 > 0) || (d0 < 0 && d1 < 0) ? (w0 + w1) / (w0 / d0 + w1 / d1) : 0;
    }
    const double h0 = t->x[1] - t->x[0], h1 = t->x[2] - t->x[1];
    const double g0 = t->x[n - 1] - t->x[n - 2], g1 = t->x[n - 2] - t->x[n - 3];
    t->slope[0]     = end_slope(h0, h1, secant(t, 0), secant(t, 1));
    t->slope[n - 1] = end_slope(g0, g1, secant(t, n - 2), secant(t, n - 3));
}

// Three points: the parabola through them.
static void parabola_slopes(cd_table* t)
{
    const double h0 = t->x[1] - t->x[0], h1 = t->x[2] - t->x[1], d0 = secant(t, 0), d1 = secant(t, 1),
                 second_difference = (d1 - d0) / (h0 + h1);
    t->slope[0]                    = d0 - h0 * second_difference;
    t->slope[1]                    = d0 + h0 * second_difference;
    t->slope[2]                    = d1 + h1 * second_difference;
}

// Gaussian elimination and back substitution; `upper` (count) is scratch. The system is diagonally dominant except for
// its ends, where elimination gives h_0 + h_1 > 0 and its mirror image.
static void spline_slopes(cd_table* t, double* upper)
{
    const int n = t->count;
    if (n == 3) {
        parabola_slopes(t);
        return;
    }
    const double* x  = t->x;
    const double  h0 = x[1] - x[0], h1 = x[2] - x[1], g0 = x[n - 1] - x[n - 2], g1 = x[n - 2] - x[n - 3];
    upper[0]    = (h0 + h1) / h1;
    t->slope[0] = ((3 * h0 + 2 * h1) * h1 * secant(t, 0) + h0 * h0 * secant(t, 1)) / ((h0 + h1) * h1);
    for (int k = 1; k < n - 1; ++k) {
        const double a = x[k] - x[k - 1], b = x[k + 1] - x[k], pivot = 2 * (a + b) - b * upper[k - 1];
        upper[k]    = a / pivot;
        t->slope[k] = (3 * (b * secant(t, k - 1) + a * secant(t, k)) - b * t->slope[k - 1]) / pivot;
    }
    const double end = ((3 * g0 + 2 * g1) * g1 * secant(t, n - 2) + g0 * g0 * secant(t, n - 3)) / (g0 + g1);
    t->slope[n - 1]  = (end - (g0 + g1) * t->slope[n - 2]) / (g1 - (g0 + g1) * upper[n - 2]);
    for (int k = n - 2; k >= 0; --k) t->slope[k] -= upper[k] * t->slope[k + 1];
}

static void linear_slopes(cd_table* t)
{
    for (int k = 0; k + 1 < t->count; ++k) t->slope[k] = secant(t, k);
    if (t->count > 1) t->slope[t->count - 1] = t->slope[t->count - 2];
}

// Integral over interval k (or the extrapolation beyond an end) from its start to its start + t.
static double integral_within(const cd_table* table, int k, double t)
{
    const double y = table->y[k], m = table->slope[k];
    if (!table->is_cubic || k == table->count - 1) return t * (y + t * m / 2);
    const double h = table->x[k + 1] - table->x[k], d = secant(table, k), n = table->slope[k + 1];
    const double c2 = (3 * d - 2 * m - n) / h, c3 = (m + n - 2 * d) / (h * h);
    return t * (y + t * (m / 2 + t * (c2 / 3 + t * c3 / 4)));
}

bool cd_table_create(cd_table* table, int count, const double* x, const double* y, cd_interpolation kind)
{
    const size_t n     = (size_t)count;
    double*      block = cd_allocate(n, 4 * sizeof *block);
    if (!block) return false;
    *table =
        (cd_table){count, kind != CD_TABLE_LINEAR && count > 2, block, block + n, block + 2 * n, block + 3 * n, false};
    memcpy(table->x, x, n * sizeof *x);
    memcpy(table->y, y, n * sizeof *y);
    if (!table->is_cubic)
        linear_slopes(table);
    else if (kind == CD_TABLE_SPLINE)
        spline_slopes(table, table->integral);
    else
        monotone_cubic_slopes(table);
    table->integral[0] = 0;
    for (int k = 0; k + 1 < count; ++k)
        table->integral[k + 1] = table->integral[k] + integral_within(table, k, x[k + 1] - x[k]);
    return true;
}

void cd_table_release(cd_table* table) { free(table->x); }

int cd_table_degree(const cd_table* table) { return table->is_cubic ? 3 : table->count > 1 ? 1 : 0; }

// Last point at or before x, for x between the ends.
static int interval(const cd_table* table, double x)
{
    int low = 0, high = table->count - 1;
    while (high - low > 1) {
        const int middle = low + (high - low) / 2;
        if (table->x[middle] <= x)
            low = middle;
        else
            high = middle;
    }
    return low;
}

static double linear_value(double y, double slope, double t, int derivative)
{
    return derivative == 0 ? y + slope * t : derivative == 1 ? slope : 0;
}

double cd_table_value(const cd_table* table, int derivative, double x)
{
    const int last = table->count - 1;
    if (x < table->x[0] || last == 0) return linear_value(table->y[0], table->slope[0], x - table->x[0], derivative);
    if (x >= table->x[last]) return linear_value(table->y[last], table->slope[last], x - table->x[last], derivative);

    const int    k = interval(table, x);
    const double t = x - table->x[k], m = table->slope[k];
    if (!table->is_cubic) return linear_value(table->y[k], m, t, derivative);

    const double h = table->x[k + 1] - table->x[k], d = secant(table, k), n = table->slope[k + 1];
    const double c2 = (3 * d - 2 * m - n) / h, c3 = (m + n - 2 * d) / (h * h);
    switch (derivative) {
    case 0:
        return table->y[k] + t * (m + t * (c2 + t * c3));
    case 1:
        return m + t * (2 * c2 + t * 3 * c3);
    case 2:
        return 2 * c2 + 6 * c3 * t;
    case 3:
        return 6 * c3;
    default:
        return 0;
    }
}

double cd_table_integral(const cd_table* table, double x)
{
    const int    last   = table->count - 1;
    const double before = x - table->x[0];
    if (before < 0) return before * (table->y[0] + before * table->slope[0] / 2);
    const int k = x >= table->x[last] ? last : interval(table, x);
    return table->integral[k] + integral_within(table, k, x - table->x[k]);
}

double cd_graph_table_value(const cd_graph* graph, int table, int derivative, double x)
{
    return derivative < 0 ? cd_table_integral(&graph->table[table], x)
                          : cd_table_value(&graph->table[table], derivative, x);
}
