// SPDX-License-Identifier: BSD-3-Clause
// Slopes and curvatures of a profile at its samples: derivatives of the polynomial of degree 6 through the seven
// nearest samples, in units of the spacing at the place s = 0 .. 6 among them. Near the ends of a profile that is not
// periodic the seven samples are the first or the last ones.
#include "contact/field/height_field.h"

enum { NODES = 7 };

// Derivatives of order 1 and 2 at the node s: weights by differentiating the polynomials of Lagrange,
//   l_k'(s) = sum_m 1/(k - m) prod_{j != m} (s - j)/(k - j),   l_k''(s) likewise with two factors left out.
static void node_weights(int s, double first[NODES], double second[NODES])
{
    for (int k = 0; k < NODES; ++k) {
        first[k] = second[k] = 0;
        for (int m = 0; m < NODES; ++m) {
            if (m == k) continue;
            double product = 1.0 / (k - m);
            for (int j = 0; j < NODES; ++j)
                if (j != k && j != m) product *= (double)(s - j) / (k - j);
            first[k] += product;
            for (int q = 0; q < NODES; ++q) {
                if (q == k || q == m) continue;
                product = 1.0 / ((k - m) * (k - q));
                for (int j = 0; j < NODES; ++j)
                    if (j != k && j != m && j != q) product *= (double)(s - j) / (k - j);
                second[k] += product;
            }
        }
    }
}

void cd_profile_derivatives(const cd_field_description* d, double* slope, double* curvature)
{
    const int n = d->nx, period = n - 1;
    double    first[NODES][NODES], second[NODES][NODES];
    for (int s = 0; s < NODES; ++s) node_weights(s, first[s], second[s]);
    for (int i = 0; i < n; ++i) {
        int start = i - NODES / 2;
        if (!d->periodic) start = start < 0 ? 0 : start > n - NODES ? n - NODES : start;
        slope[i] = curvature[i] = 0;
        for (int k = 0; k < NODES; ++k) {
            const double z = d->z[d->periodic ? (start + k + 2 * period) % period : start + k] - d->z[i];
            slope[i] += first[i - start][k] * z / d->dx;
            curvature[i] += second[i - start][k] * z / (d->dx * d->dx);
        }
    }
}
