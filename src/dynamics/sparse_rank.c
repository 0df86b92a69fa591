// SPDX-License-Identifier: BSD-3-Clause
// Rank of mechanisms that are too large for singular values, by orthogonal elimination of one link after the other:
//
//   [ G ]            rows of constraints on the twists of links
//   [ T ] V = 0      rows of the joints of the tree: what a link may not do beside its parent, 6 - nv of them
//
//   rank J = rank [G; T] - rows of T
//
// because T has full rank and leaves V = X v. Every row is on two links or a few, however long the ways of the tree
// are. A link leaves with all rows on it: Householder reflections free all but as many as it has pivots from it, and
// these are rows on its neighbours, one element more (multifrontal QR: Duff and Reid 1983, Matstoms 1994). The link
// with the fewest neighbours goes first; ladders, nets of some width and rings so take a time linear in their size. A
// column of which nothing is left has no pivot (Heath 1982).
#include "dynamics/patient.h"

#include "dynamics/twist_front.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static const double most_operations = 6e9;
static const double at_once         = 1e7; // what a start may cost
enum { MOST_LINKS = 5000 };                // of such a start

// Rows on some links: value (rows x 6 nlink), column by column.
typedef struct element {
    int     nlink, rows;
    int*    link;
    double* value;
} element;

typedef struct list {
    int *item, count, capacity;
} list;

typedef struct entry {
    long degree;
    int  link;
} entry;

typedef struct graph {
    int            nlink, nelement, capacity, nheap, heap_capacity;
    element*       element;
    list*          of;     // (nlink) elements of a link, those that are gone among them
    long*          degree; // (nlink) links that it meets, those met twice counted twice; -1: gone
    int*           place;  // (nlink) in the front at hand
    entry*         heap;
    cd_front_tally tally;
    bool           released; // rows that follow laws of time are left out
    bool           good;
} graph;

// ---- the links with the fewest neighbours first

static bool before(entry a, entry b) { return a.degree < b.degree || (a.degree == b.degree && a.link < b.link); }

static void push(graph* g, int link)
{
    g->good = g->good && cd_grow((void**)&g->heap, &g->heap_capacity, g->nheap, sizeof *g->heap);
    if (!g->good) return;
    const entry e = {g->degree[link], link};
    int         i = g->nheap++;
    for (; i > 0 && before(e, g->heap[(i - 1) / 2]); i = (i - 1) / 2) g->heap[i] = g->heap[(i - 1) / 2];
    g->heap[i] = e;
}

static entry pop(graph* g)
{
    const entry top = g->heap[0], last = g->heap[--g->nheap];
    int         i = 0;
    for (int c = 1; c < g->nheap; c = 2 * i + 1) {
        if (c + 1 < g->nheap && before(g->heap[c + 1], g->heap[c])) ++c;
        if (!before(g->heap[c], last)) break;
        g->heap[i] = g->heap[c];
        i          = c;
    }
    if (g->nheap > 0) g->heap[i] = last;
    return top;
}

// ---- elements

static void clear(element* e)
{
    free(e->link);
    free(e->value);
    *e = (element){0};
}

// An element with room for its rows, all zero; NULL without memory.
static element* add_element(graph* g, int nlink, const int* link, int rows)
{
    g->good = g->good && cd_grow((void**)&g->element, &g->capacity, g->nelement, sizeof *g->element);
    if (!g->good) return NULL;
    element* e = &g->element[g->nelement];
    *e         = (element){.nlink = nlink,
                           .rows  = rows,
                           .link  = cd_allocate((size_t)nlink + 1, sizeof *e->link),
                           .value = cd_allocate(6 * (size_t)nlink * (size_t)rows + 1, sizeof *e->value)};
    g->good    = e->link && e->value;
    for (int k = 0; g->good && k < nlink; ++k) {
        list* of   = &g->of[link[k]];
        e->link[k] = link[k];
        g->good    = cd_grow((void**)&of->item, &of->capacity, of->count, sizeof *of->item);
        if (g->good) of->item[of->count++] = g->nelement;
        g->degree[link[k]] += nlink - 1;
    }
    ++g->nelement;
    return g->good ? e : NULL;
}

static void put_row(element* e, int row, int place, vec3 a, vec3 l, double length)
{
    const double x[6] = {a.x, a.y, a.z, length * l.x, length * l.y, length * l.z};
    for (int k = 0; k < 6; ++k) e->value[(6 * place + k) * e->rows + row] += x[k];
}

// What link i may not do beside its parent.
static void add_joint(graph* g, const cardan_data* d, int i)
{
    const cd_link* link   = &d->m->link[i];
    const int      two[2] = {i, link->parent}, locked = 6 - link->nv;
    const double   length  = d->reacting.length;
    const frame    T       = d->world.pose[i];
    double         S[6][6] = {0}, locks[6][6];
    if (locked == 0) return;
    for (int v = 0; v < link->nv; ++v) {
        const spatial s    = d->k.S[link->v + v];
        const double  x[6] = {s.a.x, s.a.y, s.a.z, s.l.x / length, s.l.y / length, s.l.z / length};
        memcpy(S[v], x, sizeof x);
    }
    cd_front_complement(link->nv, S, locks);
    element* e = add_element(g, link->parent < 0 ? 1 : 2, two, locked);
    for (int row = 0; e && row < locked; ++row) {
        const vec3 a = m3_mul(T.R, v3_lift(locks[row])), l = v3_scale(1 / length, m3_mul(T.R, v3_lift(locks[row] + 3)));
        put_row(e, row, 0, a, l, length);
        if (link->parent < 0) continue;
        const vec3 from_parent = v3_sub(T.p, d->world.pose[link->parent].p);
        put_row(e, row, 1, v3_scale(-1, v3_add(a, v3_cross(from_parent, l))), v3_scale(-1, l), length);
    }
}

static void add_constraint(graph* g, const cardan_data* d, int i)
{
    const cd_row_block* b = &d->closure.block[i];
    int                 link[2 * CD_BLOCK_BODIES], place[2 * CD_BLOCK_BODIES], count = 0;
    for (int n = 0; n < b->nend; ++n) {
        place[n] = -1;
        for (int k = 0; k < count; ++k)
            if (link[k] == b->link[n]) place[n] = k;
        if (place[n] >= 0 || b->link[n] < 0) continue;
        place[n]      = count;
        link[count++] = b->link[n];
    }
    element* e = add_element(g, count, link, b->nrow);
    for (int row = 0; e && row < b->nrow; ++row) {
        if (g->released && d->closure.constraint[i].driven >> row & 1) continue;
        const double size = cd_row_size(d, i, row), scale = size > 0 ? 1 / size : 1;
        for (int n = 0; n < b->nend; ++n) {
            const spatial G = b->G[row * b->nend + n];
            if (place[n] >= 0)
                put_row(e, row, place[n], v3_scale(scale, G.a), v3_scale(scale, G.l), d->reacting.length);
        }
    }
}

// ---- elimination

// Links of the front of `link`, itself first, and how many rows it has.
static int gather_links(graph* g, int link, list* front, int* rows)
{
    front->count   = 0;
    *rows          = 0;
    g->place[link] = -1;
    for (int k = -1; k < g->of[link].count; ++k) {
        const element* e = k < 0 ? NULL : &g->element[g->of[link].item[k]];
        if (e) *rows += e->rows;
        for (int n = 0; n < (e ? e->nlink : 1); ++n) {
            const int other = e ? e->link[n] : link;
            if (g->place[other] >= 0) continue;
            g->good = g->good && cd_grow((void**)&front->item, &front->capacity, front->count, sizeof *front->item);
            if (!g->good) return 0;
            g->place[other]             = front->count;
            front->item[front->count++] = other;
        }
    }
    return front->count;
}

// The elements of a link as one matrix (rows x 6 links of the front); they are gone then.
static double* gather_rows(graph* g, int link, int nlink, int rows)
{
    double* A  = cd_allocate(6 * (size_t)nlink * (size_t)rows + 1, sizeof *A);
    int     at = 0;
    g->good    = A != NULL;
    for (int k = 0; A && k < g->of[link].count; ++k) {
        element* e = &g->element[g->of[link].item[k]];
        for (int n = 0; n < e->nlink; ++n) {
            for (int c = 0; c < 6; ++c)
                memcpy(A + (size_t)(6 * g->place[e->link[n]] + c) * (size_t)rows + at,
                       e->value + (size_t)(6 * n + c) * (size_t)e->rows, (size_t)e->rows * sizeof *A);
            g->degree[e->link[n]] -= e->nlink - 1;
        }
        at += e->rows;
        clear(e);
    }
    return A;
}

// `link` leaves; returns its pivots.
static int eliminate(graph* g, int link, list* front)
{
    int       rows;
    const int nlink = gather_links(g, link, front, &rows);
    double*   A     = g->good ? gather_rows(g, link, nlink, rows) : NULL;
    if (!A) return 0;
    const int columns = 6 * nlink, rank = cd_front_reflect(rows, columns, A, 6, &g->tally);
    const int left  = cd_front_compress(rows, columns, rank, A, 6, &g->tally);
    g->degree[link] = -1;
    if (left > 0 && nlink > 1) {
        element* e = add_element(g, nlink - 1, front->item + 1, left);
        for (int c = 6; e && c < columns; ++c)
            memcpy(e->value + (size_t)(c - 6) * (size_t)left, A + (size_t)c * (size_t)rows + rank,
                   (size_t)left * sizeof *A);
    }
    for (int k = 0; k < nlink; ++k) {
        g->place[front->item[k]] = -1;
        if (k > 0) push(g, front->item[k]);
    }
    free(A);
    free(g->of[link].item);
    g->of[link] = (list){0};
    return rank;
}

static bool open_graph(graph* g, const cardan_data* d)
{
    g->nlink  = d->m->nlink;
    g->of     = cd_allocate((size_t)g->nlink + 1, sizeof *g->of);
    g->degree = cd_allocate((size_t)g->nlink + 1, sizeof *g->degree);
    g->place  = cd_allocate((size_t)g->nlink + 1, sizeof *g->place);
    g->good   = g->of && g->degree && g->place;
    for (int i = 0; g->good && i < g->nlink; ++i) g->place[i] = -1;
    for (int i = 0; g->good && i < g->nlink; ++i) add_joint(g, d, i);
    for (int i = 0; g->good && i < d->closure.nconstraint; ++i) add_constraint(g, d, i);
    for (int i = 0; g->good && i < g->nlink; ++i) push(g, i);
    return g->good;
}

static void close_graph(graph* g)
{
    for (int i = 0; i < g->nelement; ++i) clear(&g->element[i]);
    for (int i = 0; g->of && i < g->nlink; ++i) free(g->of[i].item);
    free(g->element);
    free(g->of);
    free(g->degree);
    free(g->place);
    free(g->heap);
}

// Links leave one by one until that has cost too much, or what was looked for is found.
static bool eliminate_all(graph* g, cardan_data* d, double most, bool until_doubtful, int* rank)
{
    list front = {0};
    cd_know_bodies(d);
    cd_know_rows(d);
    *rank = d->m->nv - 6 * d->m->nlink;
    open_graph(g, d);
    while (g->good && g->nheap > 0 && !(until_doubtful && g->tally.doubtful)) {
        const entry e = pop(g);
        if (g->degree[e.link] != e.degree) continue; // it has changed since, or the link is gone
        *rank += eliminate(g, e.link, &front);
        g->good = g->good && g->tally.operations <= most;
    }
    close_graph(g);
    free(front.item);
    return g->good;
}

bool cd_sparse_rank(cardan_data* d, int* rank, bool* counted)
{
    graph g  = {0};
    *counted = eliminate_all(&g, d, most_operations, false, rank);
    return *counted || g.tally.operations > most_operations;
}

bool cd_rows_doubtful(cardan_data* d, double least, double most, bool* doubtful)
{
    graph g = {.tally = {.least = least, .most = most}, .released = true};
    int   rank;
    *doubtful = false;
    if (d->m->nlink > MOST_LINKS) return true;
    const bool done = eliminate_all(&g, d, at_once, true, &rank);
    *doubtful       = g.tally.doubtful;
    return done || g.tally.operations > at_once;
}
