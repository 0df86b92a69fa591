// SPDX-License-Identifier: BSD-3-Clause
// Where what was decided at the sample state does not hold any more. Embedding decides there which rows of J get
// pivots, in which order, and which repeat others:
//
//   J_D = L U                pivots p of rows, scaled: how far dependent coordinates follow the others
//   N'M N = L D L'           d = D / diagonal before elimination: digits that motions with large gears leave
//   J_k w = 0,  w = N z      rows without pivots still repeat the others: z is one motion in general position
//
// Errors of accelerations are some rounding / (min p min d): measured between states of all mechanisms of models/ where
// a pivot changes its sign, they were 6e-9 of the largest at most where that product is above 1e-7, and reached 1e-8
// below. Beside closed loops rows repeat each other up to the gap, as the null test of the runtime has it.
//
// Nothing of this depends on velocities and loads, so that it judges derivatives as well. Other formulations, of which
// no derivatives are made, are judged by what they leave (trace_left.c).
#include "generate/whole.h"

#include "formulation/embedding.h"

#include <math.h>
#include <stdlib.h>

typedef struct limits {
    double product; // of least pivots
    double repeats; // what rows that repeat others may leave, of their size
    double left;    // of all equations
} limits;

static const limits of_double = {1e-7, 1e-8, 3e-10}, of_float = {1e-4, 1e-3, 1e-3};
enum { ANYWHERE = 3 };                            // states where identities are tried
static const double nothing = 1e-11;              // of the size of a row
static const double beside = 10, farthest = 1e-2; // so many gaps, but no more, they may leave too

static real size_of(real a) { return r_apply(CD_ABS, a, fabs(r_value(a))); }

// The largest so far, and the constraint that it belongs to.
typedef struct largest {
    real size, whose;
} largest;

static void meet(largest* most, real size, int constraint)
{
    most->whose = r_pick(most->size, size, r_folded(constraint), most->whose);
    most->size  = r_operation(CD_MAX, most->size, size, fmax(r_value(most->size), r_value(size)));
}

// 1/p of all rows that have pivots, 1 at least.
static largest weakest_row(const cd_embedded* E)
{
    largest most = {r_folded(1), r_folded(1)};
    for (int i = 0; i < E->npiece; ++i) {
        const cd_piece* p = &E->piece[i];
        for (int k = 0; k < p->n; ++k) {
            const int  row  = E->chosen[p->first + E->swap[p->first + k]];
            const real over = size_of(E->lu[p->lu + (size_t)(k * p->n + k)]);
            const real unit = r_folded(1 / (E->row_scale[row] * E->scale[E->dependent[p->first + k]]));
            meet(&most, r_mul(over, unit), E->block_of[row] + 1);
        }
    }
    return most;
}

// 1/d of all motions that rows tie together, 1 at least; nothing is taken from what is eliminated first.
static real weakest_motion(const cd_graph* graph, const cd_embedded* E)
{
    largest most = {r_folded(1), r_folded(0)};
    for (int i = 0; i < E->nz; ++i) {
        const real over = E->z_value[E->z_start[i]], before = E->diagonal[i];
        if (E->cluster[E->in[E->z[i]]].nrow == 0) continue;
        if (over.graph && over.node >= 0 && cd_node_operation(graph, over.node) == CD_DIV && before.graph &&
            cd_node_operand(graph, over.node, 1) == before.node)
            continue;
        meet(&most, r_mul(size_of(over), before), 0);
    }
    return most.size;
}

// w = N z. Numbers of z are those of a generator, in units of the scales.
static void move(const cd_embedded* E, real* w)
{
    unsigned long seed = 7;
    for (int x = 0; x < E->ncoordinate; ++x) {
        seed            = seed * 48271UL % 2147483647UL;
        const bool tied = E->cluster[E->in[x]].nrow > 0 && E->piece_of[x] < 0;
        w[x]            = r_folded(tied ? E->scale[x] * (0.5 + (double)seed / 2147483647.0) : 0);
    }
    for (int i = 0; i < E->npiece; ++i) {
        const cd_piece* p = &E->piece[i];
        for (int j = 0; j < p->ni; ++j)
            for (int k = 0; k < p->n; ++k) {
                real* to = &w[E->dependent[p->first + k]];
                *to      = r_add(*to, r_mul(E->gear[p->gear + (size_t)(j * p->n + k)], w[E->independent[p->free + j]]));
            }
    }
}

// What row k leaves of a motion, of the size of the row.
static real remainder_of(const whole* w, const cd_embedded* E, int row, const real* x)
{
    const cd_row_block* b   = &w->rows.block[E->block_of[row]];
    real                sum = E->extra[row] >= 0 ? r_neg(x[E->extra[row]]) : r_folded(0);
    for (int j = 0; j < b->nv; ++j) sum = r_add(sum, r_mul(b->J[(row - b->row) * b->nv + j], x[b->v[j]]));
    return r_mul(size_of(sum), r_folded(E->row_scale[row]));
}

static real gap_of(const whole* w)
{
    real most = r_folded(0);
    for (int i = 0; i < w->closure.nrow; ++i) {
        const real size = size_of(w->closure.value[i]);
        most            = r_operation(CD_MAX, most, size, fmax(r_value(most), r_value(size)));
    }
    return most;
}

// What rows that repeat others may leave, where loops may be open.
static real beside_closed(const whole* w, double least)
{
    const real allowed = r_add(r_folded(least), r_mul(r_folded(beside), gap_of(w)));
    return r_operation(CD_MIN, allowed, r_folded(farthest), fmin(r_value(allowed), farthest));
}

static double scatter(unsigned long* seed)
{
    *seed = *seed * 48271UL % 2147483647UL;
    return 2.0 * (double)*seed / 2147483647.0 - 1;
}

// Inputs anywhere, loops open; parameters beside their values.
static void fill_inputs(const cd_sources* in, unsigned long* seed, double* x)
{
    for (int i = 0; i < in->count; ++i) {
        const bool given = i >= in->p && i < in->p + in->np;
        x[i]             = in->sample[i] * (given ? 1 + 0.03 * scatter(seed) : 1) + (given ? 0 : scatter(seed));
    }
}

// Rows that repeat others whatever the state, loops open or closed, as those out of the plane of a planar mechanism do:
// what they leave is zero, though not by its expression.
static cardan_status find_identities(const whole* w, int n, const real* left, bool* always)
{
    const cd_sources* in   = w->t.in;
    cd_node*          node = cd_allocate((size_t)n + 1, sizeof *node);
    for (int i = 0; node && i < n; ++i) node[i] = r_node(w->t.graph, left[i]), always[i] = true;
    cd_tape* tape = node ? cd_tape_create(w->t.graph, n, node) : NULL;
    double*  work = tape ? cd_allocate((size_t)cd_tape_work(tape) + (size_t)(n + in->count) + 1, sizeof *work) : NULL;
    unsigned long seed = 1009;
    for (int k = 0; work && k < ANYWHERE; ++k) {
        double *value = work + cd_tape_work(tape), *x = value + n;
        fill_inputs(in, &seed, x);
        cd_tape_run(tape, x, work, value);
        for (int i = 0; i < n; ++i) always[i] = always[i] && value[i] <= nothing;
    }
    const cardan_status status = work ? CARDAN_OK : CARDAN_NO_MEMORY;
    free(work), free(node);
    cd_tape_destroy(tape);
    return status;
}

// Rows that repeated others, and how much they may leave.
static cardan_status rows_that_part(const whole* w, const cd_embedded* E, double least, real* lost)
{
    const size_t  n      = (size_t)E->nnull;
    real*         x      = cd_allocate((size_t)E->ncoordinate + n + 1, sizeof *x);
    bool*         always = cd_allocate(n + 1, sizeof *always);
    largest       most   = {r_folded(0), r_folded(0)};
    cardan_status status = x && always ? CARDAN_OK : CARDAN_NO_MEMORY;
    if (status == CARDAN_OK) {
        real* left = x + E->ncoordinate;
        move(E, x);
        for (int i = 0; i < E->nnull; ++i) left[i] = remainder_of(w, E, E->null_row[i], x);
        status = find_identities(w, E->nnull, left, always);
        for (int i = 0; status == CARDAN_OK && i < E->nnull; ++i)
            if (!always[i]) meet(&most, left[i], E->block_of[E->null_row[i]] + 1);
    }
    if (most.size.graph) *lost = r_pick(most.size, beside_closed(w, least), *lost, most.whose);
    free(x), free(always);
    return status;
}

static cardan_status judge_embedding(const whole* w, const cd_embedded* E, limits limit, real* lost)
{
    const cardan_status status = E->nnull > 0 ? rows_that_part(w, E, limit.repeats, lost) : CARDAN_OK;
    const largest       row    = weakest_row(E);
    const real          worst  = r_mul(row.size, weakest_motion(w->t.graph, E));
    *lost                      = r_pick(worst, r_folded(1 / limit.product), *lost, row.whose);
    return status;
}

cardan_status cd_whole_lost(const cardan_model* m, whole* w, const solver* s, real* lost)
{
    const limits limit = w->t.in->single ? of_float : of_double;
    *lost              = r_folded(0);
    if (!s->f) return CARDAN_OK; // nothing of a tree is decided at a state
    if (cd_is_embedding(s->f)) return judge_embedding(w, s->work, limit, lost);
    real                square = r_folded(0);
    const cardan_status status = cd_whole_left(m, w, &square);
    const real          most   = beside_closed(w, limit.left);
    *lost                      = r_pick(square, r_mul(most, most), *lost, r_folded(w->rows.nblock + 1));
    return status;
}
