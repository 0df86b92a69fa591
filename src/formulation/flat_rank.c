// SPDX-License-Identifier: BSD-3-Clause
// QR with column pivoting (Golub and Van Loan, Matrix Computations, 4th ed., section 5.4) of
//
//   C'    columns are rows of unit length: those whose diagonal entry of R vanishes repeat others;
//   C Z   Z: motions of bodies that have no inertia. H n = 0 and C n = 0 have no solution but 0 where its columns are
//         independent.
//
// Turning is measured in a length of the mechanism, so that nothing depends on units.
#include "formulation/flat_rank.h"

#include "math/lapack.h"

#include <math.h>
#include <stdlib.h>

static const double repeats   = 1e-12; // of a row: what is left of one that repeats others
static const double vanishing = 1e-3;  // of the largest row of a constraint
static const double none      = 1e-9;  // of the largest moment of inertia
enum { MOST_ENTRIES = 250000 };        // of C

static int largest_work(const cardan_model* m, const cd_rows* rows)
{
    const int one = cd_lapack_qr_work(m->nv, rows->nrow), two = cd_lapack_qr_work(rows->nrow, m->nv);
    return one > two ? one : two;
}

static void add_bare(cd_flat_rank* rank, int body, const double* n, int from)
{
    cd_bare_motion* b = &rank->bare[rank->nbare++];
    *b                = (cd_bare_motion){.body = body};
    for (int k = 0; k < 3; ++k) b->n[from + k] = n[k];
}

static void find_bare(cd_flat_rank* rank, int body, const cd_link* link)
{
    static const double axis[3][3] = {{1, 0, 0}, {0, 1, 0}, {0, 0, 1}};
    const double*       I          = link->I;
    double              A[9]       = {I[0], I[3], I[4], I[3], I[1], I[5], I[4], I[5], I[2]}, moment[3], work[1024];
    for (int k = 0; k < 3 && !(link->m > 0); ++k) add_bare(rank, body, axis[k], 0);
    if (!cd_lapack_symmetric(3, A, moment, work)) return;
    for (int k = 0; k < 3; ++k)
        if (!(moment[k] > none * (I[0] + I[1] + I[2]))) add_bare(rank, body, A + 3 * k, 3);
}

bool cd_flat_rank_analyse(cd_flat_rank* rank, const cardan_model* m, const cd_rows* rows)
{
    rank->room = rows->nrow > 0 && (double)m->nv * rows->nrow <= MOST_ENTRIES;
    if (!rank->room) return true;
    rank->bare = cd_allocate(6 * (size_t)m->nlink, sizeof *rank->bare);
    for (int i = 0; rank->bare && i < m->nlink; ++i) find_bare(rank, i, &m->link[i]);
    return rank->bare;
}

void cd_flat_rank_layout(cd_flat_rank* rank, const cardan_model* m, const cd_rows* rows, cd_arena* arena)
{
    if (!rank->room) return;
    const int most = m->nv > rows->nrow ? m->nv : rows->nrow;
    CD_TAKE(arena, rank->A, (size_t)m->nv * (size_t)rows->nrow);
    CD_TAKE(arena, rank->tau, most);
    CD_TAKE(arena, rank->work, largest_work(m, rows));
    CD_TAKE(arena, rank->pivot, most);
    CD_TAKE(arena, rank->null, m->nv + rows->nrow);
}

void cd_flat_rank_release(cd_flat_rank* rank) { free(rank->bare); }

// Mean lever of rows that both move and turn, squared.
static double square_of_length(const cd_rows* rows)
{
    double move = 0, turn = 0;
    for (int c = 0; c < rows->nblock; ++c) {
        const cd_row_block* b = &rows->block[c];
        for (int i = 0; i < b->nrow; ++i) {
            double of[2] = {0, 0};
            for (int j = 0; j < b->nv; ++j) {
                const double J = r_value(b->J[i * b->nv + j]);
                of[b->v[j] % 6 >= 3] += J * J;
            }
            if (!(of[0] > 0)) continue;
            move += of[0];
            turn += of[1];
        }
    }
    return turn > 0 ? turn / move : 1;
}

// 1 / length of each row of a block; one that is about to vanish stays small, or its rounding would be a row.
static void measure_rows(const cd_row_block* b, double square, double* over)
{
    double largest = 0;
    for (int i = 0; i < b->nrow; ++i) {
        over[i] = 0;
        for (int j = 0; j < b->nv; ++j) {
            const double J = r_value(b->J[i * b->nv + j]);
            over[i] += b->v[j] % 6 < 3 ? J * J : J * J / square;
        }
        over[i] = sqrt(over[i]);
        largest = fmax(largest, over[i]);
    }
    for (int i = 0; i < b->nrow; ++i) over[i] = largest > 0 ? 1 / fmax(over[i], vanishing * largest) : 0;
}

bool cd_flat_rank_rule(cd_flat_rank* rank, const cardan_model* m, const cd_rows* rows)
{
    if (!rank->room) return false;
    const double square = square_of_length(rows), length = sqrt(square);
    for (int i = 0; i < m->nv * rows->nrow; ++i) rank->A[i] = 0;
    for (int i = 0; i < m->nv + rows->nrow; ++i) rank->null[i] = false;
    for (int c = 0; c < rows->nblock; ++c) {
        const cd_row_block* b = &rows->block[c];
        double              over[6];
        measure_rows(b, square, over);
        for (int i = 0; i < b->nrow; ++i) {
            if (cd_compliance(rows, b->row + i) > 0) continue; // it yields, and repeats nothing
            double* column = rank->A + (size_t)(b->row + i) * (size_t)m->nv;
            for (int j = 0; j < b->nv; ++j)
                column[b->v[j]] = r_value(b->J[i * b->nv + j]) * over[i] / (b->v[j] % 6 < 3 ? 1 : length);
        }
    }
    if (!cd_lapack_qr(m->nv, rows->nrow, rank->A, rank->pivot, rank->tau, rank->work)) return false;
    for (int i = 0; i < rows->nrow; ++i) {
        const int row = rank->pivot[i];
        rank->null[m->nv + row] =
            !(cd_compliance(rows, row) > 0) && (i >= m->nv || fabs(rank->A[(size_t)i * (size_t)(m->nv + 1)]) < repeats);
    }
    return true;
}

static double along(const cd_row_block* b, int i, const cd_bare_motion* n, double length)
{
    double sum = 0;
    for (int j = 0; j < b->nv; ++j) {
        const int v = b->v[j];
        if (v / 6 == n->body) sum += r_value(b->J[i * b->nv + j]) * n->n[v % 6] / (v % 6 < 3 ? 1 : length);
    }
    return sum;
}

static int velocity_of(const cd_bare_motion* n)
{
    int most = 0;
    for (int k = 1; k < 6; ++k)
        if (fabs(n->n[k]) > fabs(n->n[most])) most = k;
    return 6 * n->body + most;
}

int cd_flat_rank_undetermined(cd_flat_rank* rank, const cardan_model* m, const cd_rows* rows)
{
    if (!rank->room || rank->nbare == 0) return CARDAN_NONE;
    const double square = square_of_length(rows), length = sqrt(square);
    const int    n = rows->nrow;
    (void)m;
    for (int i = 0; i < n * rank->nbare; ++i) rank->A[i] = 0;
    for (int c = 0; c < rows->nblock; ++c) {
        const cd_row_block* b = &rows->block[c];
        double              over[6];
        measure_rows(b, square, over);
        for (int i = 0; i < b->nrow; ++i)
            for (int k = 0; k < rank->nbare; ++k)
                rank->A[k * n + b->row + i] = over[i] * along(b, i, &rank->bare[k], length);
    }
    if (!cd_lapack_qr(n, rank->nbare, rank->A, rank->pivot, rank->tau, rank->work)) return CARDAN_NONE;
    for (int k = 0; k < rank->nbare; ++k)
        if (k >= n || fabs(rank->A[k * (n + 1)]) < repeats) return velocity_of(&rank->bare[rank->pivot[k]]);
    return CARDAN_NONE;
}
