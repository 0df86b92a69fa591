// SPDX-License-Identifier: BSD-3-Clause
// QR with column pivoting (Golub and Van Loan, Matrix Computations, 4th ed., section 5.4) of J', columns of unit
// length: rows whose diagonal entry of R vanishes repeat others. Turning is measured in a length of the mechanism, so
// that nothing depends on units.
#include "formulation/robust/geometric_rank.h"

#include "math/lapack.h"

#include <math.h>

static const double small_row_ratio         = 1e-3;  // of the largest row of a constraint
static const double redundant_tolerance     = 1e-12; // of a row: what is left of one that repeats others
static const double violation_factor        = 100;   // and beside the constraints, where such rows differ by the gap
static const double max_redundant_tolerance = 1e-2;
static const double closed_tolerance        = 1e-10; // what is left of rows by gaps that are rounding
enum { MAX_ENTRIES = 250000 };                       // of J

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

// Whether a velocity moves; else it turns.
static bool is_translation(const cardan_model* m, int v)
{
    const cd_link* link = &m->link[m->v_link[v]];
    return link->motion == CD_SLIDE || (link->nv == 6 && v - link->v < 3);
}

// Mean lever of rows that both move and turn.
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

// 1 / size of each row of a block; one that is about to vanish stays small, or its rounding would be a row.
static void row_scales(const cardan_model* m, const cd_rows* rows, const cd_row_block* b, double length, double* scale)
{
    double largest = 0;
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
        scale[i] = !(largest > 0) || cd_is_redundancy_error(rows, scale[i], largest)
                       ? 0
                       : 1 / fmax(scale[i], small_row_ratio * largest);
}

static void fill_block(cd_geometric_rank* rank, const cardan_model* m, const cd_rows* rows, const cd_row_block* b,
                       double length)
{
    double scale[6]; // no constraint has more rows
    row_scales(m, rows, b, length, scale);
    for (int i = 0; i < b->nrow; ++i) {
        if (cd_row_compliance(rows, b->row + i) > 0) continue; // it yields, and repeats nothing
        double* column = rank->A + (size_t)(b->row + i) * (size_t)m->nv;
        for (int j = 0; j < b->nv; ++j)
            column[b->v[j]] += r_value(b->J[i * b->nv + j]) * scale[i] / (is_translation(m, b->v[j]) ? 1 : length);
    }
}

bool cd_geometric_rank_compute(cd_geometric_rank* rank, const cardan_model* m, const cd_rows* rows)
{
    if (!rank->fits) return false;
    const double length = mean_lever(m, rows),
                 tolerance =
                     fmax(redundant_tolerance, fmin(violation_factor * fmax(rows->violation, rows->redundancy_error),
                                                    max_redundant_tolerance));
    for (int i = 0; i < m->nv * rows->nrow; ++i) rank->A[i] = 0;
    for (int c = 0; c < rows->nblock; ++c) fill_block(rank, m, rows, &rows->block[c], length);
    if (!cd_lapack_qr(m->nv, rows->nrow, rank->A, rank->pivot, rank->tau, rank->work)) return false;
    for (int i = 0; i < rows->nrow; ++i) {
        const int  row                  = rank->pivot[i];
        const bool is_dependent         = i >= m->nv || fabs(rank->A[(size_t)i * (size_t)(m->nv + 1)]) < tolerance;
        rank->is_redundant[m->nv + row] = is_dependent && !(cd_row_compliance(rows, row) > 0);
    }
    return true;
}

bool cd_geometric_rank_is_decisive(const cd_geometric_rank* rank, const cardan_model* m, const cd_rows* rows)
{
    bool has_redundant_rows = false;
    for (int i = 0; i < rows->nrow; ++i) has_redundant_rows = has_redundant_rows || rank->is_redundant[m->nv + i];
    return !has_redundant_rows || violation_factor * rows->violation <= closed_tolerance;
}
