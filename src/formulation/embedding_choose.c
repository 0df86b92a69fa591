// SPDX-License-Identifier: BSD-3-Clause
// Which coordinates of a cluster follow the others: Gauss elimination of its rows with a search for the pivot in what
// is left, columns scaled by 1/sqrt(M(k,k)) so that heavy coordinates stay independent, rows to size 1. Of all that are
// not much smaller than the largest the pivot is taken whose coordinate shares its constraints with the fewest: a rack
// that two loops share ties them together if it is dependent. Rows that are left without a pivot repeat others.
//
// From the choice follow the pieces, and the pattern of N'M N with its fill.
#include "core/sets.h"
#include "formulation/embedding.h"

#include <math.h>
#include <string.h>

static const double vanishing   = 1e-3; // of the largest row of a constraint
static const double cancelling  = 1e-6; // of the terms of a row: what is less is rounding from 1e-15 of them on
static const double near_enough = 0.1;  // of the largest pivot
static const double lightest    = 1e-6; // of the heaviest coordinate of a cluster

// ---- pivots

static double mass_of(const cardan_model* m, const cd_rows* rows, const cd_embedded* E, int x)
{
    return r_value(cd_embedding_entry(m, rows, E, x, 0));
}

static void scale_columns(const cardan_model* m, const cd_rows* rows, cd_embedded* E, const cd_cluster* k)
{
    double heaviest = 0;
    for (int i = 0; i < k->n; ++i) heaviest = fmax(heaviest, mass_of(m, rows, E, E->member[k->first + i]));
    for (int i = 0; i < k->n; ++i) {
        const int    x    = E->member[k->first + i];
        const double mass = fmax(mass_of(m, rows, E, x), lightest * heaviest);
        E->scale[x]       = mass > 0 ? 1 / sqrt(mass) : 1;
        E->slot[x]        = i;
    }
}

// Size of the largest row of a constraint on twists, as it would be on one of its coordinates.
static double size_on_twists(const cd_embedded* E, const cd_row_block* b)
{
    double largest = 0, scale = 0;
    for (int i = 0; i < b->nrow * b->nend; ++i)
        largest = fmax(largest, r_value(v3_dot(b->G[i].a, b->G[i].a)) + r_value(v3_dot(b->G[i].l, b->G[i].l)));
    for (int j = 0; j < b->nv; ++j) scale = fmax(scale, E->scale[b->v[j]]);
    return sqrt(largest) * scale;
}

// Rows of a cluster in scaled coordinates. A row that is small beside the others of its constraint, or beside what its
// terms are, is about to vanish at this pose: it stays small, or its rounding errors would pass for an equation of its
// own.
static void fill_rows(const cd_rows* rows, cd_embedded* E, const cd_cluster* k)
{
    memset(E->A, 0, (size_t)k->nrow * (size_t)k->n * sizeof *E->A);
    for (int i = 0; i < k->nrow; ++i) {
        const int           row = E->row_of[k->row + i];
        const cd_row_block* b   = &rows->block[E->block_of[row]];
        double*             A   = E->A + (size_t)i * (size_t)k->n;
        double              sum = 0;
        for (int j = 0; j < b->nv; ++j)
            A[E->slot[b->v[j]]] = r_value(b->J[(row - b->row) * b->nv + j]) * E->scale[b->v[j]];
        if (E->extra[row] >= 0) A[E->slot[E->extra[row]]] = -E->scale[E->extra[row]];
        for (int j = 0; j < k->n; ++j) sum += A[j] * A[j];
        E->row_scale[row] = sqrt(sum);
    }
    for (int i = 0; i < k->nrow; ++i) { // sizes of the rows of a constraint stand together, and become scales together
        const int           row = E->row_of[k->row + i];
        const cd_row_block* b   = &rows->block[E->block_of[row]];
        if (row != b->row) continue;
        double largest = 0;
        for (int j = b->row; j < b->row + b->nrow; ++j) largest = fmax(largest, E->row_scale[j]);
        const double least = fmax(vanishing * largest, cancelling * size_on_twists(E, b));
        for (int j = b->row; j < b->row + b->nrow; ++j)
            E->row_scale[j] = !(least > 0)                                   ? 1
                              : cd_is_misfit(rows, E->row_scale[j], largest) ? 0
                                                                             : 1 / fmax(E->row_scale[j], least);
    }
    for (int i = 0; i < k->nrow; ++i)
        for (int j = 0; j < k->n; ++j)
            E->A[(size_t)i * (size_t)k->n + (size_t)j] *= E->row_scale[E->row_of[k->row + i]];
}

// The next pivot in rows and columns that are not taken yet; false if all that is left is null. `row`: 1 where a row is
// taken.
static bool find_pivot(const cd_embedded* E, const cd_cluster* k, const char* column, const int* row, double tolerance,
                       int* i_best, int* j_best)
{
    double largest = 0, best = 0;
    int    reach = 0;
    for (int i = 0; i < k->nrow; ++i)
        for (int j = 0; !row[i] && j < k->n; ++j)
            if (!column[j]) largest = fmax(largest, fabs(E->A[i * k->n + j]));
    if (!(largest > tolerance)) return false;
    *i_best = -1;
    for (int i = 0; i < k->nrow; ++i)
        for (int j = 0; !row[i] && j < k->n; ++j) {
            const double size = fabs(E->A[i * k->n + j]);
            if (column[j] || size < near_enough * largest) continue;
            const int own = E->reach[E->member[k->first + j]];
            if (*i_best >= 0 && (own > reach || (own == reach && size <= best))) continue;
            *i_best = i, *j_best = j;
            best = size, reach = own;
        }
    return true;
}

// Pairs of rows and coordinates that depend on the others; returns how many.
static int choose_pairs(const cd_rows* rows, cd_embedded* E, const cd_cluster* k, double tolerance)
{
    char* column = E->mark;
    int * row = E->list, n = 0, p = 0, q = 0;
    fill_rows(rows, E, k);
    memset(column, 0, (size_t)k->n);
    memset(row, 0, (size_t)k->nrow * sizeof *row);
    while (n < k->dependent && find_pivot(E, k, column, row, tolerance, &p, &q)) {
        const double* pivot = E->A + (size_t)p * (size_t)k->n;
        row[p] = 1, column[q] = 1;
        for (int i = 0; i < k->nrow; ++i) {
            double*      A = E->A + (size_t)i * (size_t)k->n;
            const double l = A[q] / pivot[q];
            if (row[i] || l == 0) continue;
            for (int j = 0; j < k->n; ++j)
                if (!column[j]) A[j] -= l * pivot[j];
        }
        E->chosen[k->piece + n]    = E->row_of[k->row + p];
        E->dependent[k->piece + n] = E->member[k->first + q];
        ++n;
    }
    for (int i = 0; i < k->nrow; ++i)
        if (!row[i]) E->null_row[E->nnull++] = E->row_of[k->row + i];
    return n;
}

// ---- pieces

// Pairs that hang together. `pair` of a coordinate: its pair, or -1.
static void unite_pairs(const cd_rows* rows, const cd_embedded* E, const cd_cluster* k, int n, int* set, int* count)
{
    for (int i = 0; i < n; ++i) set[i] = i, count[i] = 0;
    for (int i = 0; i < n; ++i) {
        const int           row = E->chosen[k->piece + i];
        const cd_row_block* b   = &rows->block[E->block_of[row]];
        for (int j = 0; j < b->nv + (E->extra[row] >= 0); ++j) {
            const int x = j < b->nv ? b->v[j] : E->extra[row], pair = E->piece_of[x];
            if (pair < 0) continue;
            ++count[pair];
            const int a = cd_root_of(set, i), c = cd_root_of(set, pair);
            if (a != c) set[a > c ? a : c] = a > c ? c : a;
        }
    }
}

// Independent coordinates that the rows of a piece feel.
static void list_independent(const cd_rows* rows, cd_embedded* E, cd_piece* p)
{
    memset(E->mark, 0, (size_t)E->ncoordinate);
    for (int i = 0; i < p->n; ++i) {
        const int           row = E->chosen[p->first + i];
        const cd_row_block* b   = &rows->block[E->block_of[row]];
        for (int j = 0; j < b->nv + (E->extra[row] >= 0); ++j) {
            const int x = j < b->nv ? b->v[j] : E->extra[row];
            if (E->piece_of[x] >= 0 || E->mark[x]) continue;
            E->mark[x]                        = 1;
            E->independent[p->free + p->ni++] = x;
            ++E->head[x];
        }
    }
}

// The pieces of a cluster. Coordinates that few rows feel go first in them: less is eliminated.
static void form_pieces(const cd_rows* rows, cd_embedded* E, cd_cluster* k, int n)
{
    int *set = E->list, *count = E->other, *pair = E->list + n, *row = E->other + n, done = 0;
    for (int i = 0; i < n; ++i) E->piece_of[E->dependent[k->piece + i]] = i;
    unite_pairs(rows, E, k, n, set, count);
    for (int i = 0; i < n; ++i) pair[i] = E->dependent[k->piece + i], row[i] = E->chosen[k->piece + i];
    size_t    lu = k->lu, gear = k->gear;
    const int first = E->npiece;
    for (int root = 0; root < n; ++root) {
        if (cd_root_of(set, root) != root) continue;
        cd_piece* p = &E->piece[E->npiece++];
        *p          = (cd_piece){.first = k->piece + done, .free = (int)gear, .lu = lu, .gear = gear};
        for (int i = root; i < n; ++i) {
            if (cd_root_of(set, i) != root) continue;
            int at = p->n++;
            for (; at > 0 && count[E->slot[E->dependent[p->first + at - 1]]] > count[i]; --at)
                E->dependent[p->first + at] = E->dependent[p->first + at - 1];
            E->dependent[p->first + at]    = pair[i];
            E->slot[pair[i]]               = i;
            E->chosen[p->first + p->n - 1] = row[i];
        }
        done += p->n;
        lu += (size_t)p->n * (size_t)p->n;
        gear += (size_t)p->n * (size_t)k->n;
    }
    for (int i = first; i < E->npiece; ++i)
        for (int j = 0; j < E->piece[i].n; ++j) {
            E->piece_of[E->dependent[E->piece[i].first + j]] = i;
            E->slot[E->dependent[E->piece[i].first + j]]     = j;
        }
    for (int i = first; i < E->npiece; ++i) list_independent(rows, E, &E->piece[i]);
}

// Pieces by the coordinates they follow; E->head says how many there are.
static void list_users(cd_embedded* E)
{
    E->first_user[0] = 0;
    for (int x = 0; x < E->ncoordinate; ++x) {
        E->first_user[x + 1] = E->first_user[x] + E->head[x];
        E->list[x]           = E->first_user[x];
    }
    for (int i = 0; i < E->npiece; ++i)
        for (int j = 0; j < E->piece[i].ni; ++j)
            E->user[E->list[E->independent[E->piece[i].free + j]]++] = (cd_user){i, j};
}

// ---- the pattern of N'M N

// Independent coordinates one after the other, cluster by cluster; inside, those that several pieces share go last.
static void order_independent(cd_embedded* E)
{
    E->nz = 0;
    for (int c = 0; c < E->ncluster; ++c) {
        cd_cluster* k = &E->cluster[c];
        k->z          = E->nz;
        for (int i = 0; i < k->n; ++i) {
            const int x = E->member[k->first + i];
            if (E->piece_of[x] >= 0) continue;
            int at = E->nz++;
            for (; at > k->z && E->head[E->z[at - 1]] > E->head[x]; --at) E->z[at] = E->z[at - 1];
            E->z[at] = x;
        }
        k->nz = E->nz - k->z;
    }
    for (int i = 0; i < E->nz; ++i) E->order[E->z[i]] = i;
    for (int i = 0; i < E->npiece; ++i) {
        const cd_piece* p    = &E->piece[i];
        int             last = -1;
        for (int j = 0; j < p->ni; ++j)
            if (E->order[E->independent[p->free + j]] > last) last = E->order[E->independent[p->free + j]];
        for (int j = 0; j < p->n; ++j) E->order[E->dependent[p->first + j]] = last;
    }
}

// Marks the independent coordinates that coordinate x stands for, those from z on.
static void mark_behind(cd_embedded* E, int x, int z)
{
    if (E->order[x] < z) return;
    if (E->piece_of[x] < 0) {
        E->mark[E->order[x]] = 1;
        return;
    }
    const cd_piece* p = &E->piece[E->piece_of[x]];
    for (int j = 0; j < p->ni; ++j) {
        const int i = E->order[E->independent[p->free + j]];
        if (i >= z) E->mark[i] = 1;
    }
}

static void mark_column(const cardan_model* m, cd_embedded* E, const cd_cluster* k, int i)
{
    const int z = E->z[i];
    for (int n = 0; n < k->n; ++n) E->other[E->member[k->first + n]] = E->member[k->first + n] == z;
    for (int u = E->first_user[z]; u < E->first_user[z + 1]; ++u) {
        const cd_piece* p = &E->piece[E->user[u].piece];
        for (int j = 0; j < p->n; ++j) E->other[E->dependent[p->first + j]] = 1;
    }
    for (int n = 0; n < k->n; ++n) {
        const int w = E->member[k->first + n], length = cd_embedding_length(m, w);
        for (int s = 0; s < length; ++s) {
            const int u = cd_embedding_column(m, E, w, s);
            if (s < E->own[w] && E->other[u]) mark_behind(E, w, i);
            if (E->other[w]) mark_behind(E, u, i);
        }
    }
    E->mark[i] = 1;
}

// Column by column: its own entries, and those of the columns whose first entry below the diagonal it is.
static void find_pattern(const cardan_model* m, cd_embedded* E)
{
    size_t n     = 0;
    int *  first = E->head, *next = E->list;
    for (int i = 0; i < E->nz; ++i) first[i] = -1;
    memset(E->mark, 0, (size_t)E->ncoordinate);
    for (int c = 0; c < E->ncluster; ++c)
        for (int i = E->cluster[c].z; i < E->cluster[c].z + E->cluster[c].nz; ++i) {
            mark_column(m, E, &E->cluster[c], i);
            for (int child = first[i]; child >= 0; child = next[child])
                for (size_t e = E->z_start[child] + 1; e < E->z_start[child + 1]; ++e) E->mark[E->z_row[e]] = 1;
            E->z_start[i] = n;
            for (int k = c; k >= 0; k = E->cluster[k].parent)
                for (int j = k == c ? i : E->cluster[k].z; j < E->cluster[k].z + E->cluster[k].nz; ++j) {
                    if (E->mark[j]) E->z_row[n++] = j;
                    E->mark[j] = 0;
                }
            E->z_start[i + 1] = n;
            if (n - E->z_start[i] < 2) continue;
            const int parent = E->z_row[E->z_start[i] + 1];
            next[i]          = first[parent];
            first[parent]    = i;
        }
}

void cd_embedding_choose(const cardan_model* m, const cd_rows* rows, cd_embedded* E, double tolerance)
{
    E->npiece = E->nnull = 0;
    for (int x = 0; x < E->ncoordinate; ++x) E->piece_of[x] = -1, E->head[x] = 0;
    for (int c = 0; c < E->ncluster; ++c) {
        cd_cluster* k = &E->cluster[c];
        if (k->nrow == 0) continue;
        scale_columns(m, rows, E, k);
        const int n = choose_pairs(rows, E, k, tolerance);
        form_pieces(rows, E, k, n);
    }
    list_users(E);
    order_independent(E);
    find_pattern(m, E);
    E->is_chosen = true;
    E->worst     = -1;
}
