// SPDX-License-Identifier: BSD-3-Clause
// With dependent coordinates chosen:
//
//   gear     J_D G = -J_I          piece by piece, J_D = L U with a search for the pivot in the column
//   embed    W = M N(:,j),  (N'M N)(i,j) = N(:,i)' W        column by column, only what is later than j
//   factor   N'M N = L D L'        fill as it was found with the choice
//
// Products with zeros and ones are not done: a coordinate is its own column of N, and a row feels few coordinates.
#include "formulation/embedding.h"

#include <math.h>

static const double null_motion = 1e-13;
static const double large       = 1e3; // of N, scaled: one coordinate moves that much more than the one that it follows
static const double weaker      = 0.01; // pivots shrink that much before the choice is looked at again;
static const double weaker_rows = 0.3; // where there are other rows to choose from, and constraints are closed, so that
                                       // these say the same (row_pivots.h)
static const double closed = 1e-10;

// ---- J_D = L U

static void fill_piece(const cd_rows* rows, cd_embedded* E, const cd_piece* p)
{
    real *lu = E->lu + p->lu, *gear = E->gear + p->gear;
    for (int i = 0; i < p->n * p->n; ++i) lu[i] = r_lift(0);
    for (int i = 0; i < p->n * p->ni; ++i) gear[i] = r_lift(0);
    for (int j = 0; j < p->ni; ++j) E->other[E->independent[p->free + j]] = j;
    for (int i = 0; i < p->n; ++i) {
        const int           row = E->chosen[p->first + i];
        const cd_row_block* b   = &rows->block[E->block_of[row]];
        for (int j = 0; j < b->nv + (E->extra[row] >= 0); ++j) {
            const int  x     = j < b->nv ? b->v[j] : E->extra[row];
            const real entry = j < b->nv ? b->J[(row - b->row) * b->nv + j] : r_lift(-1);
            if (E->piece_of[x] >= 0)
                lu[i * p->n + E->slot[x]] = entry;
            else
                gear[E->other[x] * p->n + i] = r_neg(entry);
        }
        E->swap[p->first + i] = i;
    }
}

static void swap_rows(int n, real* a, real* b)
{
    for (int i = 0; i < n; ++i) {
        const real x = a[i];
        a[i]         = b[i];
        b[i]         = x;
    }
}

static void take_pivot(cd_embedded* E, const cd_piece* p, int k)
{
    real*     lu   = E->lu + p->lu;
    int*      swap = E->swap + p->first;
    const int n    = p->n;
    int       best = k;
    double    most = -1;
    for (int i = k; i < n; ++i) {
        const double size = fabs(r_value(lu[i * n + k])) * E->row_scale[E->chosen[p->first + swap[i]]];
        if (size > most) most = size, best = i;
    }
    if (best != k) {
        const int row = swap[k];
        swap[k]       = swap[best];
        swap[best]    = row;
        swap_rows(n, lu + k * n, lu + best * n);
    }
    most *= E->scale[E->dependent[p->first + k]];
    if (!(most >= E->least)) {
        E->least     = most;
        E->least_row = E->chosen[p->first + swap[k]];
    }
}

// False where there is no pivot.
static bool factor_piece(cd_embedded* E, const cd_piece* p)
{
    real*     lu = E->lu + p->lu;
    const int n  = p->n;
    for (int k = 0; k < n; ++k) {
        take_pivot(E, p, k);
        real* pivot = lu + k * n;
        if (!(fabs(r_value(pivot[k])) > 0)) return false;
        pivot[k] = r_div(r_lift(1), pivot[k]);
        for (int i = k + 1; i < n; ++i) {
            real* row = lu + i * n;
            if (r_vanishes(row[k])) continue;
            row[k] = r_over(row[k], pivot[k]);
            for (int j = k + 1; j < n; ++j)
                if (!r_vanishes(pivot[j])) row[j] = r_sub(row[j], r_mul(row[k], pivot[j]));
        }
    }
    return true;
}

void cd_piece_solve(const cd_embedded* E, const cd_piece* p, const real* b, real* x)
{
    const real* lu = E->lu + p->lu;
    const int   n  = p->n;
    for (int k = 0; k < n; ++k) x[k] = b[E->swap[p->first + k]];
    for (int k = 0; k < n; ++k)
        for (int i = k + 1; !r_vanishes(x[k]) && i < n; ++i)
            if (!r_vanishes(lu[i * n + k])) x[i] = r_sub(x[i], r_mul(lu[i * n + k], x[k]));
    for (int k = n - 1; k >= 0; --k) {
        if (r_vanishes(x[k])) continue;
        x[k] = r_over(x[k], lu[k * n + k]);
        for (int i = 0; i < k; ++i)
            if (!r_vanishes(lu[i * n + k])) x[i] = r_sub(x[i], r_mul(lu[i * n + k], x[k]));
    }
}

void cd_piece_solve_transposed(const cd_embedded* E, const cd_piece* p, real* f, real* lambda)
{
    const real* lu = E->lu + p->lu;
    const int   n  = p->n;
    for (int k = 0; k < n; ++k) {
        f[k] = r_over(f[k], lu[k * n + k]);
        for (int i = k + 1; i < n; ++i)
            if (!r_vanishes(lu[k * n + i])) f[i] = r_sub(f[i], r_mul(lu[k * n + i], f[k]));
    }
    for (int k = n - 1; k >= 0; --k) {
        for (int i = 0; i < k; ++i)
            if (!r_vanishes(lu[k * n + i])) f[i] = r_sub(f[i], r_mul(lu[k * n + i], f[k]));
        lambda[E->chosen[p->first + E->swap[p->first + k]]] = f[k];
    }
}

// ---- G, and whether the choice is still good

static double gear_piece(cd_embedded* E, const cd_piece* p)
{
    double worst = 0;
    for (int j = 0; j < p->ni; ++j) {
        real*        column = E->gear + p->gear + j * p->n;
        const double unit   = E->scale[E->independent[p->free + j]];
        cd_piece_solve(E, p, column, E->W);
        for (int i = 0; i < p->n; ++i) {
            column[i] = E->W[i];
            worst     = fmax(worst, fabs(r_value(column[i])) / E->scale[E->dependent[p->first + i]] * unit);
        }
    }
    return worst;
}

// What a row that got no pivot leaves of the independent coordinates, relative to its size: none, if it still repeats
// others.
static double remainder_of(const cd_rows* rows, cd_embedded* E, int row)
{
    const cd_row_block* b    = &rows->block[E->block_of[row]];
    double              most = 0;
    for (int j = 0; j < b->nv; ++j) {
        const double J = r_value(b->J[(row - b->row) * b->nv + j]) * E->row_scale[row];
        const int    x = b->v[j];
        if (E->piece_of[x] < 0) {
            E->x[x] = r_lift(r_value(E->x[x]) + J);
            continue;
        }
        const cd_piece* p = &E->piece[E->piece_of[x]];
        for (int i = 0; i < p->ni; ++i) {
            const int z = E->independent[p->free + i];
            E->x[z]     = r_lift(r_value(E->x[z]) + J * r_value(E->gear[p->gear + (size_t)(i * p->n + E->slot[x])]));
        }
    }
    for (int j = 0; j < b->nv; ++j) {
        const int       x = b->v[j];
        const cd_piece* p = E->piece_of[x] < 0 ? NULL : &E->piece[E->piece_of[x]];
        for (int i = 0; i < (p ? p->ni : 1); ++i) {
            const int z = p ? E->independent[p->free + i] : x;
            most        = fmax(most, fabs(r_value(E->x[z])) * E->scale[z]);
            E->x[z]     = r_lift(0);
        }
    }
    return most;
}

bool cd_embedding_gear(const cd_rows* rows, cd_embedded* E, double tolerance)
{
    const bool fresh = E->worst < 0;
    double     worst = 0;
    E->least         = 1;
    E->least_row     = CARDAN_NONE;
    for (int i = 0; i < E->npiece; ++i) {
        fill_piece(rows, E, &E->piece[i]);
        if (!factor_piece(E, &E->piece[i])) return false;
        worst = fmax(worst, gear_piece(E, &E->piece[i]));
    }
    for (int x = 0; x < E->ncoordinate && E->nnull > 0; ++x) E->x[x] = r_lift(0);
    if (fresh) {
        E->worst        = worst;
        E->chosen_least = E->least;
        return true;
    }
    for (int i = 0; i < E->nnull; ++i)
        if (remainder_of(rows, E, E->null_row[i]) > 10 * tolerance) return false;
    const double part = E->nnull > 0 && rows->gap <= closed ? weaker_rows : weaker;
    return worst <= fmax(large, 10 * E->worst) && E->least > fmax(tolerance, part * E->chosen_least);
}

// ---- N'M N

static inline void add_to(cd_embedded* E, int x, real value, int* touched)
{
    if (!E->mark[x]) {
        E->mark[x]            = 1;
        E->list[(*touched)++] = x;
        E->W[x]               = value;
    } else
        E->W[x] = r_add(E->W[x], value);
}

// N(x, z) of what follows z, in E->x; E->other says what does: 0 nothing, 1 itself, 2 geared.
static void spread_column(cd_embedded* E, const cd_cluster* k, int z)
{
    for (int n = 0; n < k->n; ++n) {
        const int x = E->member[k->first + n];
        E->other[x] = x == z;
    }
    for (int i = E->first_user[z]; i < E->first_user[z + 1]; ++i) {
        const cd_piece* p = &E->piece[E->user[i].piece];
        for (int j = 0; j < p->n; ++j) {
            const int x = E->dependent[p->first + j];
            E->x[x]     = E->gear[p->gear + (size_t)(E->user[i].at * p->n + j)];
            E->other[x] = r_vanishes(E->x[x]) ? 0 : 2;
        }
    }
}

// W = M N(:,z); returns how many entries it has, listed in E->list.
static int times_column(const cardan_model* m, const cd_rows* rows, cd_embedded* E, const cd_cluster* k, int i)
{
    int touched = 0;
    for (int n = 0; n < k->n; ++n) {
        const int w = E->member[k->first + n], length = cd_embedding_length(m, w), own = E->own[w];
        const int on = E->other[w];
        for (int s = 0; s < (on ? length : own); ++s) {
            const int  u = cd_embedding_column(m, E, w, s);
            const real M = cd_embedding_entry(m, rows, E, w, s);
            if (on && E->order[u] >= i) add_to(E, u, on == 1 ? M : r_mul(M, E->x[w]), &touched);
            if (s == 0 || s >= own || !E->other[u] || E->order[w] < i) continue;
            add_to(E, w, E->other[u] == 1 ? M : r_mul(M, E->x[u]), &touched);
        }
    }
    return touched;
}

static inline void add_entry(cd_embedded* E, int i, real value)
{
    real* entry = &E->z_value[E->where[i]];
    *entry      = E->mark[E->z[i]] & 2 ? r_add(*entry, value) : value;
    E->mark[E->z[i]] |= 2;
}

static void embed_column(const cardan_model* m, const cd_rows* rows, cd_embedded* E, const cd_cluster* k, int i)
{
    spread_column(E, k, E->z[i]);
    const int touched = times_column(m, rows, E, k, i);
    for (size_t e = E->z_start[i]; e < E->z_start[i + 1]; ++e) {
        E->where[E->z_row[e]] = e;
        E->z_value[e]         = r_lift(0);
    }
    for (int t = 0; t < touched; ++t) {
        const int x = E->list[t];
        if (E->piece_of[x] < 0) {
            add_entry(E, E->order[x], E->W[x]);
            continue;
        }
        const cd_piece* p = &E->piece[E->piece_of[x]];
        for (int j = 0; j < p->ni; ++j) {
            const int  to = E->order[E->independent[p->free + j]];
            const real g  = E->gear[p->gear + (size_t)(j * p->n + E->slot[x])];
            if (to >= i && !r_vanishes(g)) add_entry(E, to, r_mul(g, E->W[x]));
        }
    }
    for (int t = 0; t < touched; ++t) E->mark[E->list[t]] = 0;
    for (size_t e = E->z_start[i]; e < E->z_start[i + 1]; ++e) E->mark[E->z[E->z_row[e]]] = 0;
}

// What a coordinate was taken to weigh when it was chosen: a little of the heaviest that loops tie it to, at least.
// Gears that should be none are rounding, and move that one.
static double behind(const cd_embedded* E, int z) { return E->scale[z] > 0 ? 1 / (E->scale[z] * E->scale[z]) : 0; }

// Returns the coordinate whose pivot is no resistance, or CARDAN_NONE.
static int eliminate(const cardan_model* m, cd_embedded* E)
{
    for (int i = 0; i < E->nz; ++i) {
        const size_t start = E->z_start[i], end = E->z_start[i + 1];
        const int    z = E->z[i];
        const double least =
            null_motion * fmax(r_value(E->diagonal[i]), fmax(behind(E, z), z < m->nv ? m->resistance[z] : 0));
        if (!(r_value(E->z_value[start]) > least)) return z;
        const real one_over_D = r_div(r_lift(1), E->z_value[start]);
        for (size_t e = start + 1; e < end; ++e) {
            const real l = r_over(E->z_value[e], one_over_D);
            size_t     t = E->z_start[E->z_row[e]];
            for (size_t f = e; f < end; ++f, ++t) {
                while (E->z_row[t] != E->z_row[f]) ++t;
                E->z_value[t] = r_sub(E->z_value[t], r_mul(l, E->z_value[f]));
            }
            E->z_value[e] = l;
        }
        E->z_value[start] = one_over_D;
    }
    return CARDAN_NONE;
}

int cd_embedding_factor(const cardan_model* m, const cd_rows* rows, cd_embedded* E)
{
    for (int x = 0; x < E->ncoordinate; ++x) E->mark[x] = 0;
    for (int c = 0; c < E->ncluster; ++c)
        for (int i = E->cluster[c].z; i < E->cluster[c].z + E->cluster[c].nz; ++i) {
            embed_column(m, rows, E, &E->cluster[c], i);
            E->diagonal[i] = E->z_value[E->z_start[i]];
        }
    return eliminate(m, E);
}
