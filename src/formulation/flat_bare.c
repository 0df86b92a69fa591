// SPDX-License-Identifier: BSD-3-Clause
// H n = 0 and C n = 0 have no solution but 0 where the columns of C Z are independent, Z: motions without inertia, body
// by body. By QR with column pivoting (row_rank.h).
#include "formulation/flat_bare.h"

#include "math/lapack.h"

#include <math.h>
#include <stdlib.h>

static const double none = 1e-9; // of the largest moment of inertia

static void add(cd_flat_bare* bare, int body, const double* n, int from)
{
    cd_bare_motion* b = &bare->motion[bare->n++];
    *b                = (cd_bare_motion){.body = body};
    for (int k = 0; k < 3; ++k) b->n[from + k] = n[k];
}

static void find(cd_flat_bare* bare, int body, const cd_link* link)
{
    static const double axis[3][3] = {{1, 0, 0}, {0, 1, 0}, {0, 0, 1}};
    const double*       I          = link->I;
    double              A[9]       = {I[0], I[3], I[4], I[3], I[1], I[5], I[4], I[5], I[2]}, moment[3], work[1024];
    for (int k = 0; k < 3 && !(link->m > 0); ++k) add(bare, body, axis[k], 0);
    if (!cd_lapack_symmetric(3, A, moment, work)) return;
    for (int k = 0; k < 3; ++k)
        if (!(moment[k] > none * (I[0] + I[1] + I[2]))) add(bare, body, A + 3 * k, 3);
}

bool cd_flat_bare_find(cd_flat_bare* bare, const cardan_model* m)
{
    bare->n      = 0;
    bare->motion = cd_allocate(6 * (size_t)m->nlink, sizeof *bare->motion);
    for (int i = 0; bare->motion && i < m->nlink; ++i) find(bare, i, &m->link[i]);
    return bare->motion;
}

void cd_flat_bare_release(cd_flat_bare* bare) { free(bare->motion); }

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

int cd_flat_bare_undetermined(const cd_flat_bare* bare, cd_row_rank* rank, const cardan_model* m, const cd_rows* rows)
{
    if (!rank->room || bare->n == 0) return CARDAN_NONE;
    const double length = cd_rank_length(m, rows);
    const int    n      = rows->nrow;
    for (int c = 0; c < rows->nblock; ++c) {
        const cd_row_block* b = &rows->block[c];
        double              over[6];
        cd_rank_sizes(m, b, length, over);
        for (int i = 0; i < b->nrow; ++i)
            for (int k = 0; k < bare->n; ++k)
                rank->A[k * n + b->row + i] = over[i] * along(b, i, &bare->motion[k], length);
    }
    if (!cd_lapack_qr(n, bare->n, rank->A, rank->pivot, rank->tau, rank->work)) return CARDAN_NONE;
    for (int k = 0; k < bare->n; ++k)
        if (k >= n || fabs(rank->A[k * (n + 1)]) < cd_rank_nothing) return velocity_of(&bare->motion[rank->pivot[k]]);
    return CARDAN_NONE;
}
