// SPDX-License-Identifier: BSD-3-Clause
// QR with column pivoting (Golub and Van Loan, Matrix Computations, 4th ed., section 5.4) of J', columns of unit
// length: rows whose diagonal entry of R vanishes repeat others. Turning is measured in a length of the mechanism, so
// that nothing depends on units.
#include "formulation/row_rank.h"

#include "math/lapack.h"

#include <math.h>

static const double vanishing = 1e-3;  // of the largest row of a constraint
static const double nothing   = 1e-12; // of a row: what is left of one that repeats others
static const double of_gap    = 100;   // and beside the constraints, where such rows differ by the gap
static const double at_most   = 1e-2;
static const double closed    = 1e-10; // what is left of rows by gaps that are rounding
enum { MOST_ENTRIES = 250000 };        // of J

void cd_row_rank_layout(cd_row_rank* rank, const cardan_model* m, const cd_rows* rows, cd_arena* arena)
{
    const int most = m->nv > rows->nrow ? m->nv : rows->nrow;
    rank->room     = rows->nrow > 0 && (double)m->nv * rows->nrow <= MOST_ENTRIES;
    if (!rank->room) return;
    CD_TAKE(arena, rank->A, (size_t)m->nv * (size_t)rows->nrow);
    CD_TAKE(arena, rank->tau, most);
    CD_TAKE(arena, rank->work, cd_lapack_qr_work(m->nv, rows->nrow));
    CD_TAKE(arena, rank->pivot, most);
    CD_TAKE(arena, rank->null, m->nv + rows->nrow);
}

// Whether a velocity moves; else it turns.
static bool moves(const cardan_model* m, int v)
{
    const cd_link* link = &m->link[m->v_link[v]];
    return link->motion == CD_SLIDE || (link->nv == 6 && v - link->v < 3);
}

// Mean lever of rows that both move and turn.
static double length_of(const cardan_model* m, const cd_rows* rows)
{
    double move = 0, turn = 0;
    for (int c = 0; c < rows->nblock; ++c) {
        const cd_row_block* b = &rows->block[c];
        for (int i = 0; i < b->nrow; ++i) {
            double of[2] = {0, 0};
            for (int j = 0; j < b->nv; ++j) {
                const double J = r_value(b->J[i * b->nv + j]);
                of[moves(m, b->v[j])] += J * J;
            }
            if (!(of[1] > 0)) continue;
            move += of[1];
            turn += of[0];
        }
    }
    return turn > 0 ? sqrt(turn / move) : 1;
}

// 1 / size of each row of a block; one that is about to vanish stays small, or its rounding would be a row.
static void measure_rows(const cardan_model* m, const cd_rows* rows, const cd_row_block* b, double length, double* over)
{
    double largest = 0;
    for (int i = 0; i < b->nrow; ++i) {
        over[i] = 0;
        for (int j = 0; j < b->nv; ++j) {
            const double J = r_value(b->J[i * b->nv + j]) / (moves(m, b->v[j]) ? 1 : length);
            over[i] += J * J;
        }
        over[i] = sqrt(over[i]);
        largest = fmax(largest, over[i]);
    }
    for (int i = 0; i < b->nrow; ++i)
        over[i] = !(largest > 0) || cd_is_misfit(rows, over[i], largest) ? 0 : 1 / fmax(over[i], vanishing * largest);
}

static void fill_block(cd_row_rank* rank, const cardan_model* m, const cd_rows* rows, const cd_row_block* b,
                       double length)
{
    double over[6]; // no constraint has more rows
    measure_rows(m, rows, b, length, over);
    for (int i = 0; i < b->nrow; ++i) {
        if (cd_compliance(rows, b->row + i) > 0) continue; // it yields, and repeats nothing
        double* column = rank->A + (size_t)(b->row + i) * (size_t)m->nv;
        for (int j = 0; j < b->nv; ++j)
            column[b->v[j]] += r_value(b->J[i * b->nv + j]) * over[i] / (moves(m, b->v[j]) ? 1 : length);
    }
}

bool cd_row_rank_rule(cd_row_rank* rank, const cardan_model* m, const cd_rows* rows)
{
    if (!rank->room) return false;
    const double length = length_of(m, rows),
                 left   = fmax(nothing, fmin(of_gap * fmax(rows->gap, rows->misfit), at_most));
    for (int i = 0; i < m->nv * rows->nrow; ++i) rank->A[i] = 0;
    for (int c = 0; c < rows->nblock; ++c) fill_block(rank, m, rows, &rows->block[c], length);
    if (!cd_lapack_qr(m->nv, rows->nrow, rank->A, rank->pivot, rank->tau, rank->work)) return false;
    for (int i = 0; i < rows->nrow; ++i) {
        const int  row          = rank->pivot[i];
        const bool repeats      = i >= m->nv || fabs(rank->A[(size_t)i * (size_t)(m->nv + 1)]) < left;
        rank->null[m->nv + row] = repeats && !(cd_compliance(rows, row) > 0);
    }
    return true;
}

bool cd_row_rank_settles(const cd_row_rank* rank, const cardan_model* m, const cd_rows* rows)
{
    bool repeats = false;
    for (int i = 0; i < rows->nrow; ++i) repeats = repeats || rank->null[m->nv + i];
    return !repeats || of_gap * rows->gap <= closed;
}
