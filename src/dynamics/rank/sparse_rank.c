// SPDX-License-Identifier: BSD-3-Clause
// Rank of mechanisms that are too large for singular values, by orthogonal elimination of one link after the other:
//
//   [ G ]            constraint rows on the twists of links
//   [ T ] V = 0      rows of the tree joints: motions that a link cannot have relative to its parent, 6 - nv of them
//
//   rank J = rank [G; T] - rows of T
//
// because T has full rank and its solutions are V = X v. Every row depends on two or a few links, however long the
// paths of the tree are. A link is eliminated with all rows that depend on it: Householder reflections remove it from
// all but as many rows as it has pivots, and the remaining rows form a new element on its neighbours (multifrontal
// QR: Duff and Reid 1983, Matstoms 1994). The link with the fewest neighbours is eliminated first; ladders, nets of
// some width and rings take linear time. A column with negligible remaining norm has no pivot (Heath 1982).
#include "dynamics/dynamics_tolerances.h"
#include "dynamics/rank/constraint_rank.h"
#include "dynamics/rows/constraint_update.h"

#include "math/householder_front.h"
#include "math/min_heap.h"

#include <stdlib.h>
#include <string.h>

enum { MAX_START_LINKS = 5000 }; // limit at a start

// Element: rows on some links; value (rows x 6 nlink), column-major.
typedef struct element {
    int     nlink, rows;
    int*    link;
    double* value;
} element;

typedef struct int_list {
    int *item, count, capacity;
} int_list;

typedef struct elimination_graph {
    int                  nlink, nelement, capacity;
    element*             element;
    int_list*            elements_of_link; // (nlink) elements of a link, including eliminated ones
    long*                degree;           // (nlink) sum of neighbours over all elements; -1: eliminated
    int*                 front_position;   // (nlink) index in the current front, or -1
    cd_min_heap          heap;             // links by degree
    cd_householder_stats stats;
    bool                 drivers_released; // driven rows are ignored
    bool                 has_memory;
} elimination_graph;

static void push(elimination_graph* g, int link)
{
    g->has_memory = g->has_memory && cd_min_heap_push(&g->heap, g->degree[link], link);
}

// ---- elements

static void clear_element(element* e)
{
    free(e->link);
    free(e->value);
    *e = (element){0};
}

// Add an element with zero rows. Returns NULL if memory is exhausted.
static element* add_element(elimination_graph* g, int nlink, const int* link, int rows)
{
    g->has_memory = g->has_memory && cd_array_grow((void**)&g->element, &g->capacity, g->nelement, sizeof *g->element);
    if (!g->has_memory) return NULL;
    element* e    = &g->element[g->nelement];
    *e            = (element){.nlink = nlink,
                              .rows  = rows,
                              .link  = cd_allocate((size_t)nlink + 1, sizeof *e->link),
                              .value = cd_allocate(6 * (size_t)nlink * (size_t)rows + 1, sizeof *e->value)};
    g->has_memory = e->link && e->value;
    for (int k = 0; g->has_memory && k < nlink; ++k) {
        int_list* elements = &g->elements_of_link[link[k]];
        e->link[k]         = link[k];
        g->has_memory =
            cd_array_grow((void**)&elements->item, &elements->capacity, elements->count, sizeof *elements->item);
        if (g->has_memory) elements->item[elements->count++] = g->nelement;
        g->degree[link[k]] += nlink - 1;
    }
    ++g->nelement;
    return g->has_memory ? e : NULL;
}

static void put_row(element* e, int row, int column, vec3 a, vec3 l, double length)
{
    const double x[6] = {a.x, a.y, a.z, length * l.x, length * l.y, length * l.z};
    for (int k = 0; k < 6; ++k) e->value[(6 * column + k) * e->rows + row] += x[k];
}

// Add the motions that link i cannot have relative to its parent.
static void add_joint(elimination_graph* g, const cardan_data* d, int i)
{
    const cd_link* link   = &d->m->link[i];
    const int      two[2] = {i, link->parent}, locked = 6 - link->nv;
    const double   length  = d->reactions.design_length;
    const frame    T       = d->world.pose[i];
    double         S[6][6] = {0}, locks[6][6];
    if (locked == 0) return;
    for (int v = 0; v < link->nv; ++v) {
        const spatial s    = d->k.S[link->v + v];
        const double  x[6] = {s.a.x, s.a.y, s.a.z, s.l.x / length, s.l.y / length, s.l.z / length};
        memcpy(S[v], x, sizeof x);
    }
    cd_orthonormal_complement(link->nv, S, locks);
    element* e = add_element(g, link->parent < 0 ? 1 : 2, two, locked);
    for (int row = 0; e && row < locked; ++row) {
        const vec3 a = m3_mul(T.R, v3_const(locks[row])),
                   l = v3_scale(1 / length, m3_mul(T.R, v3_const(locks[row] + 3)));
        put_row(e, row, 0, a, l, length);
        if (link->parent < 0) continue;
        const vec3 from_parent = v3_sub(T.p, d->world.pose[link->parent].p);
        put_row(e, row, 1, v3_scale(-1, v3_add(a, v3_cross(from_parent, l))), v3_scale(-1, l), length);
    }
}

static void add_constraint(elimination_graph* g, const cardan_data* d, int i)
{
    const cd_row_block* b = &d->constraints.block[i];
    int                 link[2 * CD_ROW_BLOCK_BODIES_MAX], column[2 * CD_ROW_BLOCK_BODIES_MAX], count = 0;
    for (int n = 0; n < b->nend; ++n) {
        column[n] = -1;
        for (int k = 0; k < count; ++k)
            if (link[k] == b->link[n]) column[n] = k;
        if (column[n] >= 0 || b->link[n] < 0) continue;
        column[n]     = count;
        link[count++] = b->link[n];
    }
    element* e = add_element(g, count, link, b->nrow);
    for (int row = 0; e && row < b->nrow; ++row) {
        if (g->drivers_released && d->constraints.constraint[i].driven_rows >> row & 1) continue;
        const double size = cd_row_wrench_norm(d, i, row), scale = size > 0 ? 1 / size : 1;
        for (int n = 0; n < b->nend; ++n) {
            const spatial G = b->G[row * b->nend + n];
            if (column[n] >= 0)
                put_row(e, row, column[n], v3_scale(scale, G.a), v3_scale(scale, G.l), d->reactions.design_length);
        }
    }
}

// ---- elimination

// List the links of the front of `link`, itself first, and count its rows.
static int gather_links(elimination_graph* g, int link, int_list* front, int* rows)
{
    front->count            = 0;
    *rows                   = 0;
    g->front_position[link] = -1;
    for (int k = -1; k < g->elements_of_link[link].count; ++k) {
        const element* e = k < 0 ? NULL : &g->element[g->elements_of_link[link].item[k]];
        if (e) *rows += e->rows;
        for (int n = 0; n < (e ? e->nlink : 1); ++n) {
            const int other = e ? e->link[n] : link;
            if (g->front_position[other] >= 0) continue;
            g->has_memory = g->has_memory &&
                            cd_array_grow((void**)&front->item, &front->capacity, front->count, sizeof *front->item);
            if (!g->has_memory) return 0;
            g->front_position[other]    = front->count;
            front->item[front->count++] = other;
        }
    }
    return front->count;
}

// Gather the elements of a link in one matrix (rows x 6 links of the front) and remove them.
static double* gather_rows(elimination_graph* g, int link, int nlink, int rows)
{
    double* A     = cd_allocate(6 * (size_t)nlink * (size_t)rows + 1, sizeof *A);
    int     at    = 0;
    g->has_memory = A != NULL;
    for (int k = 0; A && k < g->elements_of_link[link].count; ++k) {
        element* e = &g->element[g->elements_of_link[link].item[k]];
        for (int n = 0; n < e->nlink; ++n) {
            for (int c = 0; c < 6; ++c)
                memcpy(A + (size_t)(6 * g->front_position[e->link[n]] + c) * (size_t)rows + at,
                       e->value + (size_t)(6 * n + c) * (size_t)e->rows, (size_t)e->rows * sizeof *A);
            g->degree[e->link[n]] -= e->nlink - 1;
        }
        at += e->rows;
        clear_element(e);
    }
    return A;
}

// Eliminate a link; returns the number of its pivots.
static int eliminate_link(elimination_graph* g, int link, int_list* front)
{
    int       rows;
    const int nlink = gather_links(g, link, front, &rows);
    double*   A     = g->has_memory ? gather_rows(g, link, nlink, rows) : NULL;
    if (!A) return 0;
    const int columns = 6 * nlink, rank = cd_householder_triangularize(rows, columns, A, 6, &g->stats);
    const int nremaining = cd_householder_compress(rows, columns, rank, A, 6, &g->stats);
    g->degree[link]      = -1;
    if (nremaining > 0 && nlink > 1) {
        element* e = add_element(g, nlink - 1, front->item + 1, nremaining);
        for (int c = 6; e && c < columns; ++c)
            memcpy(e->value + (size_t)(c - 6) * (size_t)nremaining, A + (size_t)c * (size_t)rows + rank,
                   (size_t)nremaining * sizeof *A);
    }
    for (int k = 0; k < nlink; ++k) {
        g->front_position[front->item[k]] = -1;
        if (k > 0) push(g, front->item[k]);
    }
    free(A);
    free(g->elements_of_link[link].item);
    g->elements_of_link[link] = (int_list){0};
    return rank;
}

static bool init_graph(elimination_graph* g, const cardan_data* d)
{
    g->nlink            = d->m->nlink;
    g->elements_of_link = cd_allocate((size_t)g->nlink + 1, sizeof *g->elements_of_link);
    g->degree           = cd_allocate((size_t)g->nlink + 1, sizeof *g->degree);
    g->front_position   = cd_allocate((size_t)g->nlink + 1, sizeof *g->front_position);
    g->has_memory       = g->elements_of_link && g->degree && g->front_position;
    for (int i = 0; g->has_memory && i < g->nlink; ++i) g->front_position[i] = -1;
    for (int i = 0; g->has_memory && i < g->nlink; ++i) add_joint(g, d, i);
    for (int i = 0; g->has_memory && i < d->constraints.nconstraint; ++i) add_constraint(g, d, i);
    for (int i = 0; g->has_memory && i < g->nlink; ++i) push(g, i);
    return g->has_memory;
}

static void destroy_graph(elimination_graph* g)
{
    for (int i = 0; i < g->nelement; ++i) clear_element(&g->element[i]);
    for (int i = 0; g->elements_of_link && i < g->nlink; ++i) free(g->elements_of_link[i].item);
    free(g->element);
    free(g->elements_of_link);
    free(g->degree);
    free(g->front_position);
    free(g->heap.entry);
}

// Eliminate all links, until the operation limit is reached or, with until_doubtful, a doubtful column is found.
static bool eliminate_links(elimination_graph* g, cardan_data* d, double operation_limit, bool until_doubtful,
                            int* rank)
{
    int_list front = {0};
    cd_update_body_motions(d);
    cd_update_rows(d);
    *rank = d->m->nv - 6 * d->m->nlink;
    init_graph(g, d);
    while (g->has_memory && g->heap.count > 0 && !(until_doubtful && g->stats.is_doubtful)) {
        const cd_heap_entry e = cd_min_heap_pop(&g->heap);
        if (g->degree[e.item] != e.key) continue; // outdated entry, or the link is eliminated
        *rank += eliminate_link(g, e.item, &front);
        g->has_memory = g->has_memory && g->stats.operations <= operation_limit;
    }
    destroy_graph(g);
    free(front.item);
    return g->has_memory;
}

bool cd_sparse_rank(cardan_data* d, int* rank, bool* rank_computed)
{
    elimination_graph g = {0};
    *rank_computed      = eliminate_links(&g, d, cd_sparse_rank_operations_max, false, rank);
    return *rank_computed || g.stats.operations > cd_sparse_rank_operations_max;
}

bool cd_has_nearly_dependent_rows(cardan_data* d, double min_column, double max_column, bool* is_doubtful)
{
    elimination_graph g = {.stats = {.doubtful_min = min_column, .doubtful_max = max_column}, .drivers_released = true};
    int               rank;
    *is_doubtful = false;
    if (d->m->nlink > MAX_START_LINKS) return true;
    const bool done = eliminate_links(&g, d, cd_sparse_rank_start_operations_max, true, &rank);
    *is_doubtful    = g.stats.is_doubtful;
    return done || g.stats.operations > cd_sparse_rank_start_operations_max;
}
