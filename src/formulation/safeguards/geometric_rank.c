// SPDX-License-Identifier: BSD-3-Clause
// QR with column pivoting (Golub and Van Loan, Matrix Computations, 4th ed., section 5.4) of J' with columns of unit
// length: rows whose diagonal entry of R vanishes are redundant. Rotations are multiplied by the mean lever arm of the
// rows, so that the result does not depend on units.
#include "formulation/formulation_tolerances.h"
#include "formulation/safeguards/geometric_rank.h"

#include "math/lapack.h"

#include <math.h>

enum { MAX_ENTRIES = 250000 }; // of J; larger systems are not treated

void cd_geometric_rank_layout(cd_geometric_rank* rank, const cardan_model* m, const cd_rows* rows, cd_arena* arena)
{
    const int most = m->nv > rows->nrow ? m->nv : rows->nrow;
    rank->fits     = rows->nrow > 0 && (double)m->nv * rows->nrow <= MAX_ENTRIES;
    if (!rank->fits) return;
    CD_ARENA_ARRAY(arena, rank->A, (size_t)m->nv * (size_t)rows->nrow);
    CD_ARENA_ARRAY(arena, rank->tau, most);
    CD_ARENA_ARRAY(arena, rank->work, cd_lapack_qr_work(m->nv, rows->nrow));
    CD_ARENA_ARRAY(arena, rank->pivot, most);
    CD_ARENA_ARRAY(arena, rank->is_redundant, m->nv + rows->nrow);
}

// Return true for a translational velocity, false for a rotational one.
static bool is_translation(const cardan_model* m, int v)
{
    const cd_link* link = &m->link[m->v_link[v]];
    return link->motion == CD_PRISMATIC || (link->nv == 6 && v - link->v < 3);
}

// Return the mean lever arm [m] of rows that act on translations and rotations; 1 if no row acts on both.
static double mean_lever(const cardan_model* m, const cd_rows* rows)
{
    double translational_sq = 0, rotational_sq = 0;
    for (int c = 0; c < rows->nblock; ++c) {
        const cd_row_block* b = &rows->block[c];
        for (int i = 0; i < b->nrow; ++i) {
            double of[2] = {0, 0};
            for (int j = 0; j < b->nv; ++j) {
                const double J = r_value(b->J[i * b->nv + j]);
                of[is_translation(m, b->v[j])] += J * J;
            }
            if (!(of[1] > 0)) continue;
            translational_sq += of[1];
            rotational_sq += of[0];
        }
    }
    return rotational_sq > 0 ? sqrt(rotational_sq / translational_sq) : 1;
}

// Compute 1 / norm of each row of a block. The scale of a nearly vanishing row is limited, because otherwise its
// round-off would count as a row.
static void row_scales(const cd_problem* p, const cd_row_block* b, double length, double* scale)
{
    const cardan_model* m       = p->m;
    double              largest = 0;
    for (int i = 0; i < b->nrow; ++i) {
        scale[i] = 0;
        for (int j = 0; j < b->nv; ++j) {
            const double J = r_value(b->J[i * b->nv + j]) / (is_translation(m, b->v[j]) ? 1 : length);
            scale[i] += J * J;
        }
        scale[i] = sqrt(scale[i]);
        largest  = fmax(largest, scale[i]);
    }
    for (int i = 0; i < b->nrow; ++i)
        scale[i] = !(largest > 0) || cd_is_redundancy_error(p->policy, scale[i], largest)
                       ? 0
                       : 1 / fmax(scale[i], cd_small_row_ratio * largest);
}

static void fill_block(cd_geometric_rank* rank, const cd_problem* p, const cd_row_block* b, double length)
{
    const cardan_model* m = p->m;
    double              scale[6]; // no constraint has more rows
    row_scales(p, b, length, scale);
    for (int i = 0; i < b->nrow; ++i) {
        if (cd_row_compliance(p->rows, b->row + i) > 0) continue; // compliant rows are never redundant
        double* column = rank->A + (size_t)(b->row + i) * (size_t)m->nv;
        for (int j = 0; j < b->nv; ++j)
            column[b->v[j]] += r_value(b->J[i * b->nv + j]) * scale[i] / (is_translation(m, b->v[j]) ? 1 : length);
    }
}

bool cd_geometric_rank_compute(cd_geometric_rank* rank, const cd_problem* p)
{
    const cardan_model* m    = p->m;
    const cd_rows*      rows = p->rows;
    if (!rank->fits) return false;
    const double length = mean_lever(m, rows),
                 tolerance =
                     fmax(cd_geometric_rank_tolerance,
                          fmin(cd_dependent_row_factor * fmax(p->policy->violation, p->policy->redundancy_error),
                               cd_geometric_rank_tolerance_max));
    for (int i = 0; i < m->nv * rows->nrow; ++i) rank->A[i] = 0;
    for (int c = 0; c < rows->nblock; ++c) fill_block(rank, p, &rows->block[c], length);
    if (!cd_lapack_qr(m->nv, rows->nrow, rank->A, rank->pivot, rank->tau, rank->work)) return false;
    for (int i = 0; i < rows->nrow; ++i) {
        const int  row                  = rank->pivot[i];
        const bool is_dependent         = i >= m->nv || fabs(rank->A[(size_t)i * (size_t)(m->nv + 1)]) < tolerance;
        rank->is_redundant[m->nv + row] = is_dependent && !(cd_row_compliance(rows, row) > 0);
    }
    return true;
}

bool cd_geometric_rank_is_decisive(const cd_geometric_rank* rank, const cd_problem* p)
{
    bool has_redundant_rows = false;
    for (int i = 0; i < p->rows->nrow; ++i) has_redundant_rows = has_redundant_rows || rank->is_redundant[p->m->nv + i];
    return !has_redundant_rows || cd_dependent_row_factor * p->policy->violation <= cd_decisive_rank_tolerance;
}
