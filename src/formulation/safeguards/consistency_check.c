// SPDX-License-Identifier: BSD-3-Clause
// Compare J a - gamma with the size of its terms: rows that no constraint force can satisfy contradict others (paper
// 000, section 5).
#include "formulation/formulation_tolerances.h"
#include "formulation/safeguards/consistency_check.h"

#include <math.h>

// Rows are inconsistent above a tolerance relative to the largest term of J a - gamma, unless the residual is round-off
// of the free accelerations or of the terms of the rows' own multipliers.
static cardan_status classify_residual(const cd_problem* p, double max_residual, double max_term,
                                       double free_acceleration, double own_force_term)
{
    const double roundoff = fmax(cd_free_acceleration_roundoff * fmax(free_acceleration, p->rows->gamma_scale),
                                 cd_own_force_roundoff * own_force_term);
    return max_residual <=
                   fmax(cd_redundant_row_tolerance(p->policy, cd_inconsistent_row_residual) * max_term, roundoff)
               ? CARDAN_OK
               : CARDAN_INCONSISTENT;
}

// Return max |J a - gamma|, its row, and the largest term.
static double largest_row_residual(const cd_rows* rows, const real* a, const real* gamma, double* largest, int* row)
{
    double max_residual = 0;
    *largest            = 0;
    for (int c = 0; c < rows->nblock; ++c) {
        const cd_row_block* b = &rows->block[c];
        for (int i = 0; i < b->nrow; ++i) {
            if (cd_row_compliance(rows, b->row + i) > 0) continue; // a compliant row has a residual by definition
            double sum = -r_value(gamma[b->row + i]);
            *largest   = fmax(*largest, fabs(sum));
            for (int j = 0; j < b->nv; ++j) {
                const double term = r_value(b->J[i * b->nv + j]) * r_value(a[b->v[j]]);
                sum += term;
                *largest = fmax(*largest, fabs(term));
            }
            if (!(fabs(sum) <= max_residual)) {
                max_residual = fabs(sum);
                *row         = b->row + i;
            }
        }
    }
    return max_residual;
}

cardan_status cd_check_consistency(const cd_problem* p, const real* a, const real* gamma, double free_acceleration,
                                   double own_force_term, cd_solve_info* info)
{
    double       largest;
    const double max_residual = largest_row_residual(p->rows, a, gamma, &largest, &info->failed_row);
    info->residual            = max_residual;
    return classify_residual(p, max_residual, largest, free_acceleration, own_force_term);
}

bool cd_rows_are_satisfied(const cd_rows* rows, const real* a, const real* gamma, double free_acceleration)
{
    double       largest;
    int          row;
    const double max_residual = largest_row_residual(rows, a, gamma, &largest, &row);
    return max_residual <= fmax(cd_satisfied_row_residual * largest, cd_free_acceleration_roundoff * free_acceleration);
}

static double value_of(spatial G, spatial A)
{
    return r_value(G.a.x) * r_value(A.a.x) + r_value(G.a.y) * r_value(A.a.y) + r_value(G.a.z) * r_value(A.a.z) +
           r_value(G.l.x) * r_value(A.l.x) + r_value(G.l.y) * r_value(A.l.y) + r_value(G.l.z) * r_value(A.l.z);
}

// Blocks by which memory is prefetched, and number of blocks from which prefetching is used.
enum { PREFETCH_DISTANCE = 8, PREFETCH_MIN_BLOCKS = 400 };

// Prefetch the rows of a later block, and the motions of the links of a nearer one.
static inline __attribute__((always_inline)) void prefetch_block(const cd_row_block* b, const spatial* A)
{
    const cd_row_block *next = b + PREFETCH_DISTANCE, *soon = b + PREFETCH_DISTANCE / 2;
    for (int i = 0; i < next->nrow * next->nend; ++i) __builtin_prefetch(&next->G[i]);
    for (int n = 0; n < soon->nend; ++n) __builtin_prefetch(&A[soon->link[n]]);
}

cardan_status cd_check_consistency_on_twists(const cd_problem* p, const spatial* A, const real* gamma,
                                             double free_acceleration, cd_solve_info* info)
{
    const cd_rows* rows    = p->rows;
    double         largest = 0, max_residual = 0;
    const int      nprefetch = rows->nblock > PREFETCH_MIN_BLOCKS ? rows->nblock - PREFETCH_DISTANCE : 0;
    for (int c = 0; c < rows->nblock; ++c) {
        const cd_row_block* b = &rows->block[c];
        if (c < nprefetch) prefetch_block(b, A);
        for (int i = 0; i < b->nrow; ++i) {
            if (cd_row_compliance(rows, b->row + i) > 0) continue;
            double sum = -r_value(gamma[b->row + i]);
            largest    = fmax(largest, fabs(sum));
            for (int n = 0; n < b->nend; ++n) {
                const double term = value_of(b->G[i * b->nend + n], A[b->link[n]]);
                sum += term;
                largest = fmax(largest, fabs(term));
            }
            if (!(fabs(sum) <= max_residual)) {
                max_residual     = fabs(sum);
                info->failed_row = b->row + i;
            }
        }
    }
    info->residual = max_residual;
    info->residual_checked =
        max_residual <= cd_redundant_row_tolerance(p->policy, cd_inconsistent_row_residual) * largest;
    return classify_residual(p, max_residual, largest, free_acceleration, 0);
}

double cd_free_acceleration_scale(const cardan_model* m, const real* r)
{
    double free_acceleration = 0, massless_force = 0, inertia_sum = 0;
    int    ninertia = 0;
    for (int v = 0; v < m->nv; ++v) {
        const double force = fabs(r_value(r[v]));
        if (m->inertia_scale[v] > 0) {
            free_acceleration = fmax(free_acceleration, force / m->inertia_scale[v]);
            inertia_sum += m->inertia_scale[v];
            ++ninertia;
        } else
            massless_force = fmax(massless_force, force);
    }
    // constraints transmit the force on a motion without inertia to others
    return massless_force > 0 && ninertia > 0 ? fmax(free_acceleration, massless_force * ninertia / inertia_sum)
                                              : free_acceleration;
}
