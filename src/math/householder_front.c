// SPDX-License-Identifier: BSD-3-Clause
// Householder reflections 1 - 2 u u'/(u'u), u = x + sign(x1) |x| e1 (Golub and Van Loan, section 5.1). Rows enter with
// unit norm, so that remaining norms of columns and rows are compared with absolute tolerances.
#include "math/householder_front.h"
#include "math/math_tolerances.h"

#include <math.h>
#include <stddef.h>
#include <string.h>

// Reflect the columns right of `column` so that `column` has one entry from row `top` on. Returns false, without a
// change, if its remaining norm is zero.
static bool reflect_column(int rows, int columns, double* A, int column, int top, cd_householder_stats* stats)
{
    double* x   = A + (size_t)column * (size_t)rows;
    double  sum = 0;
    for (int i = top; i < rows; ++i) sum += x[i] * x[i];
    const double norm = sqrt(sum);
    stats->is_doubtful |= norm > stats->doubtful_min && norm < stats->doubtful_max;
    if (!(norm > cd_zero_column_norm)) return false;
    const double first = x[top], head = first + copysign(norm, first), square = sum + fabs(first) * norm; // u'u / 2
    x[top] = head;
    for (int c = column + 1; c < columns; ++c) {
        double* y   = A + (size_t)c * (size_t)rows;
        double  dot = 0;
        for (int i = top; i < rows; ++i) dot += x[i] * y[i];
        const double f = dot / square;
        for (int i = top; i < rows; ++i) y[i] -= f * x[i];
    }
    x[top] = -copysign(norm, first);
    for (int i = top + 1; i < rows; ++i) x[i] = 0;
    return true;
}

static int triangularize(int rows, int columns, double* A, int from, int to, int top, cd_householder_stats* stats)
{
    int rank = 0;
    for (int c = from; c < to && top + rank < rows; ++c) {
        stats->operations += 4.0 * (columns - c) * (rows - top - rank);
        if (reflect_column(rows, columns, A, c, top + rank, stats)) ++rank;
    }
    return rank;
}

int cd_householder_triangularize(int rows, int columns, double* A, int lead, cd_householder_stats* stats)
{
    return triangularize(rows, columns, A, 0, lead, 0, stats);
}

int cd_householder_compress(int rows, int columns, int first, double* A, int lead, cd_householder_stats* stats)
{
    // compress only if there are more rows than columns; other rows wait for the front in which they lead
    if (rows - first <= columns - lead) return rows - first;
    return triangularize(rows, columns, A, lead, columns, first, stats);
}

void cd_orthonormal_complement(int n, double in[6][6], double out[6][6])
{
    int count = n;
    for (int k = 0; k < n; ++k) { // Gram-Schmidt, twice
        for (int pass = 0; pass < 2; ++pass)
            for (int j = 0; j < k; ++j) {
                double dot = 0;
                for (int i = 0; i < 6; ++i) dot += in[j][i] * in[k][i];
                for (int i = 0; i < 6; ++i) in[k][i] -= dot * in[j][i];
            }
        double sum = 0;
        for (int i = 0; i < 6; ++i) sum += in[k][i] * in[k][i];
        for (int i = 0; i < 6; ++i) in[k][i] /= sqrt(sum);
    }
    // repeatedly add the unit vector with the longest remainder
    for (; count < 6; ++count) {
        double best[6] = {0}, most = 0;
        for (int unit = 0; unit < 6; ++unit) {
            double x[6] = {0}, sum = 0;
            x[unit] = 1;
            for (int pass = 0; pass < 2; ++pass)
                for (int j = 0; j < count; ++j) {
                    const double* b   = j < n ? in[j] : out[j - n];
                    double        dot = 0;
                    for (int i = 0; i < 6; ++i) dot += b[i] * x[i];
                    for (int i = 0; i < 6; ++i) x[i] -= dot * b[i];
                }
            for (int i = 0; i < 6; ++i) sum += x[i] * x[i];
            if (sum <= most) continue;
            most = sum;
            memcpy(best, x, sizeof best);
        }
        for (int i = 0; i < 6; ++i) out[count - n][i] = best[i] / sqrt(most);
    }
}
