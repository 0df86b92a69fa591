// SPDX-License-Identifier: BSD-3-Clause
// J a - gamma against the size of its terms: rows that no force can satisfy contradict others (paper 000, section 5).
#include "formulation/row_check.h"

#include <math.h>

static const double contradiction = 1e-7, rounding = 1e-12;

cardan_status cd_check_rows(const cd_rows* rows, const real* a, const real* gamma, double free, cd_where* where)
{
    double largest = 0, worst = 0;
    for (int c = 0; c < rows->nblock; ++c) {
        const cd_row_block* b = &rows->block[c];
        for (int i = 0; i < b->nrow; ++i) {
            if (cd_compliance(rows, b->row + i) > 0) continue;  // its force follows
            double sum = -r_value(gamma[b->row + i]);
            largest    = fmax(largest, fabs(sum));
            for (int j = 0; j < b->nv; ++j) {
                const double term = r_value(b->J[i * b->nv + j]) * r_value(a[b->v[j]]);
                sum += term;
                largest = fmax(largest, fabs(term));
            }
            if (!(fabs(sum) <= worst)) {
                worst      = fabs(sum);
                where->row = b->row + i;
            }
        }
    }
    return worst <= fmax(contradiction * largest, rounding * fmax(free, rows->terms)) ? CARDAN_OK : CARDAN_INCONSISTENT;
}

double cd_free_acceleration(const cardan_model* m, const real* r)
{
    double free = 0;
    for (int v = 0; v < m->nv; ++v)
        if (m->resistance[v] > 0) free = fmax(free, fabs(r_value(r[v])) / m->resistance[v]);
    return free;
}
