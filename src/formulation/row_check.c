// SPDX-License-Identifier: BSD-3-Clause
// J a - gamma against the size of its terms: rows that no force can satisfy contradict others (paper 000, section 5).
#include "formulation/row_check.h"

#include <math.h>

static const double contradiction = 1e-7, rounding = 1e-12, rounding_of_forces = 1e-14, digits = 1e-12;

static cardan_status judge(const cd_rows* rows, double worst, double largest, double free, double forced)
{
    const double lost = fmax(rounding * fmax(free, rows->terms), rounding_of_forces * forced);
    return worst <= fmax(cd_missed_part(rows, contradiction) * largest, lost) ? CARDAN_OK : CARDAN_INCONSISTENT;
}

// max |J a - gamma|, its row, and the largest term.
static double miss(const cd_rows* rows, const real* a, const real* gamma, double* largest, int* row)
{
    double worst = 0;
    *largest     = 0;
    for (int c = 0; c < rows->nblock; ++c) {
        const cd_row_block* b = &rows->block[c];
        for (int i = 0; i < b->nrow; ++i) {
            if (cd_compliance(rows, b->row + i) > 0) continue; // its force follows
            double sum = -r_value(gamma[b->row + i]);
            *largest   = fmax(*largest, fabs(sum));
            for (int j = 0; j < b->nv; ++j) {
                const double term = r_value(b->J[i * b->nv + j]) * r_value(a[b->v[j]]);
                sum += term;
                *largest = fmax(*largest, fabs(term));
            }
            if (!(fabs(sum) <= worst)) {
                worst = fabs(sum);
                *row  = b->row + i;
            }
        }
    }
    return worst;
}

cardan_status cd_check_rows(const cd_rows* rows, const real* a, const real* gamma, double free, double forced,
                            cd_where* where)
{
    double       largest;
    const double worst = miss(rows, a, gamma, &largest, &where->row);
    return judge(rows, worst, largest, free, forced);
}

bool cd_rows_hold(const cd_rows* rows, const real* a, const real* gamma, double free)
{
    double       largest;
    int          row;
    const double worst = miss(rows, a, gamma, &largest, &row);
    return worst <= fmax(digits * largest, rounding * free);
}

static double value_of(spatial G, spatial A)
{
    return r_value(G.a.x) * r_value(A.a.x) + r_value(G.a.y) * r_value(A.a.y) + r_value(G.a.z) * r_value(A.a.z) +
           r_value(G.l.x) * r_value(A.l.x) + r_value(G.l.y) * r_value(A.l.y) + r_value(G.l.z) * r_value(A.l.z);
}

enum { AHEAD = 8, MANY = 400 }; // blocks by which memory is asked for before it is wanted, where there are many

// Rows of a block some places ahead, and of a nearer one the motions of its links.
static inline __attribute__((always_inline)) void look_ahead(const cd_row_block* b, const spatial* A)
{
    const cd_row_block *far = b + AHEAD, *near = b + AHEAD / 2;
    for (int i = 0; i < far->nrow * far->nend; ++i) __builtin_prefetch(&far->G[i]);
    for (int n = 0; n < near->nend; ++n) __builtin_prefetch(&A[near->link[n]]);
}

cardan_status cd_check_twists(const cd_rows* rows, const spatial* A, const real* gamma, double free, cd_where* where)
{
    double    largest = 0, worst = 0;
    const int asked = rows->nblock > MANY ? rows->nblock - AHEAD : 0;
    for (int c = 0; c < rows->nblock; ++c) {
        const cd_row_block* b = &rows->block[c];
        if (c < asked) look_ahead(b, A);
        for (int i = 0; i < b->nrow; ++i) {
            if (cd_compliance(rows, b->row + i) > 0) continue;
            double sum = -r_value(gamma[b->row + i]);
            largest    = fmax(largest, fabs(sum));
            for (int n = 0; n < b->nend; ++n) {
                const double term = value_of(b->G[i * b->nend + n], A[b->link[n]]);
                sum += term;
                largest = fmax(largest, fabs(term));
            }
            if (!(fabs(sum) <= worst)) {
                worst      = fabs(sum);
                where->row = b->row + i;
            }
        }
    }
    where->left = worst;
    where->sure = worst <= cd_missed_part(rows, contradiction) * largest;
    return judge(rows, worst, largest, free, 0);
}

double cd_free_acceleration(const cardan_model* m, const real* r)
{
    double free = 0;
    for (int v = 0; v < m->nv; ++v)
        if (m->resistance[v] > 0) free = fmax(free, fabs(r_value(r[v])) / m->resistance[v]);
    return free;
}
