// SPDX-License-Identifier: BSD-3-Clause
// Cell of a bicubic height field: z(u, v) = sum over its 4 x 4 samples of w_k(u) w_l(v) z_kl with the weights of cubic
// convolution
//
//     w = ( -u + 2 u^2 - u^3,  2 - 5 u^2 + 3 u^3,  u + 4 u^2 - 3 u^3,  -u^2 + u^3 ) / 2
//
// Keys, Cubic convolution interpolation for digital image processing, IEEE Trans. ASSP 29, 1981.
#include "contact/field/bicubic.h"

// Sample with linear continuation beyond the border.
static double sample_in_row(const double* row, int n, int i)
{
    if (i < 0) return 2 * row[0] - row[1];
    if (i >= n) return 2 * row[n - 1] - row[n - 2];
    return row[i];
}

static void samples(const cd_height_field* f, int i, int j, double z[4][4])
{
    const int nx = f->d.nx, ny = f->d.ny;
    for (int l = 0; l < 4; ++l) {
        const int row = j - 1 + l, near = row < 0 ? 0 : row >= ny ? ny - 1 : row, next = row < 0 ? 1 : ny - 2;
        for (int k = 0; k < 4; ++k) {
            z[l][k] = sample_in_row(f->d.z + (size_t)near * (size_t)nx, nx, i - 1 + k);
            if (row < 0 || row >= ny)
                z[l][k] = 2 * z[l][k] - sample_in_row(f->d.z + (size_t)next * (size_t)nx, nx, i - 1 + k);
        }
    }
}

static void weights(double u, double w[3][4]) // value, first and second derivative
{
    const double u2 = u * u, u3 = u2 * u;
    w[0][0] = 0.5 * (-u + 2 * u2 - u3), w[0][1] = 0.5 * (2 - 5 * u2 + 3 * u3);
    w[0][2] = 0.5 * (u + 4 * u2 - 3 * u3), w[0][3] = 0.5 * (u3 - u2);
    w[1][0] = 0.5 * (-1 + 4 * u - 3 * u2), w[1][1] = 0.5 * (-10 * u + 9 * u2);
    w[1][2] = 0.5 * (1 + 8 * u - 9 * u2), w[1][3] = 0.5 * (3 * u2 - 2 * u);
    w[2][0] = 2 - 3 * u, w[2][1] = 9 * u - 5;
    w[2][2] = 4 - 9 * u, w[2][3] = 3 * u - 1;
}

static double combine(double z[4][4], const double a[4], const double b[4])
{
    double sum = 0;
    for (int l = 0; l < 4; ++l) sum += b[l] * (a[0] * z[l][0] + a[1] * z[l][1] + a[2] * z[l][2] + a[3] * z[l][3]);
    return sum;
}

void cd_bicubic_evaluate(const cd_height_field* f, int i, int j, double u, double v, cd_height* h)
{
    double       z[4][4], a[3][4], b[3][4];
    const double dx = f->d.dx, dy = f->d.dy;
    samples(f, i, j, z);
    weights(u, a);
    weights(v, b);
    *h = (cd_height){.z  = combine(z, a[0], b[0]),
                     .x  = combine(z, a[1], b[0]) / dx,
                     .y  = combine(z, a[0], b[1]) / dy,
                     .xx = combine(z, a[2], b[0]) / (dx * dx),
                     .xy = combine(z, a[1], b[1]) / (dx * dy),
                     .yy = combine(z, a[0], b[2]) / (dy * dy)};
}

static void bernstein(const double p[4], double b[4])
{
    b[0] = p[1], b[1] = p[1] + (p[2] - p[0]) / 6, b[2] = p[2] - (p[3] - p[1]) / 6, b[3] = p[2];
}

void cd_bicubic_bernstein(const cd_height_field* f, int i, int j, double b[16])
{
    double z[4][4], rows[4][4];
    samples(f, i, j, z);
    for (int l = 0; l < 4; ++l) bernstein(z[l], rows[l]);
    for (int k = 0; k < 4; ++k) {
        const double column[4] = {rows[0][k], rows[1][k], rows[2][k], rows[3][k]};
        double       c[4];
        bernstein(column, c);
        for (int l = 0; l < 4; ++l) b[4 * l + k] = c[l];
    }
}
