// SPDX-License-Identifier: BSD-3-Clause
// Where straight lines end: the pose nearest to that of the guess which meets the end conditions on positions, those of
// markers and formulas among them. With r what they are missed by and J their slopes along velocities,
//
//   d = -J^+ r        q <- q moved by d, inside of bounds, loops closed
//
// of least size, in steps that turn no joint far. Where no such pose is found the end stays as it was.
#include "optimize/plan.h"

#include "core/memory.h"
#include "math/lapack.h"
#include "model/model.h"
#include "optimize/closer.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { STEPS_MOST = 100 };

static const double farthest = 0.3;  // [rad, m] of one step
static const double reached  = 1e-6; // [m, rad]
static const double depends  = 1e-3; // slopes of rows that say the same as others, beside the largest

typedef struct reaching {
    cardan_plan*    p;
    cd_closer*      closer;
    const cd_block* block;
    int             number, nrow, nused; // of the block; its rows; those on positions alone
    int*            used;
    double*         x;                           // unknowns of the program; those of its end are moved
    double *        q, *v, *move, *forth, *back; // (nq), (n)
    double *        row, *slope, *A, *b, *work;
    int*            pivot;
} reaching;

static bool make_room(reaching* w)
{
    const size_t n = (size_t)w->p->n, nq = (size_t)w->p->nq, m = (size_t)w->nrow;
    w->x     = cd_allocate((size_t)w->p->program.n + 1, sizeof(double));
    w->q     = cd_allocate(3 * nq + 2 * n + 1, sizeof(double));
    w->row   = cd_allocate(m + m * (size_t)w->block->shape->nunknown + 1, sizeof(double));
    w->A     = cd_allocate(m * n + m + n + 1, sizeof(double));
    w->work  = cd_allocate((size_t)cd_lapack_rectangle_work((int)m, (int)n) + 1, sizeof(double));
    w->pivot = cd_allocate(n + 1, sizeof(int));
    w->used  = cd_allocate(m + 1, sizeof(int));
    if (!w->x || !w->q || !w->row || !w->A || !w->work || !w->pivot || !w->used) return false;
    w->forth = w->q + nq, w->back = w->forth + nq, w->v = w->back + nq, w->move = w->v + n;
    w->slope = w->row + m;
    w->b     = w->A + m * n;
    return true;
}

static void free_room(reaching* w)
{
    free(w->x), free(w->q), free(w->row), free(w->A), free(w->work), free(w->pivot), free(w->used);
}

// The coordinate that an unknown of the block is, or -1.
static int coordinate_of(const reaching* w, int u)
{
    const int at = w->block->unknown[u] - cd_at_x(w->p, w->p->N);
    return at >= 0 && at < w->p->nq ? at : -1;
}

static void look(reaching* w)
{
    cd_plan_set_state(w->p, w->x, w->p->N, -1, w->q, w->v, NULL);
    cd_chain_look(&w->p->program, w->number, w->x, w->row, w->slope);
}

// Rows that are conditions on positions and look at nothing else.
static void choose_rows(reaching* w)
{
    const cd_conditions* list = &w->p->task->end;
    const int            wide = w->block->shape->nunknown;
    w->nused                  = 0;
    for (int i = 0; i < w->nrow && i < list->count; ++i) {
        bool on = list->list[i].on == CD_ON_Q || list->list[i].on == CD_ON_VALUE;
        for (int u = 0; on && u < wide; ++u) on = coordinate_of(w, u) >= 0 || w->slope[i * wide + u] == 0;
        if (on) w->used[w->nused++] = i;
    }
}

// What row i is missed by; 0 inside of its bounds.
static double missed_by(const reaching* w, int i)
{
    const cd_chain* p   = &w->p->program;
    const int       row = w->block->row + i;
    return w->row[i] - fmin(fmax(w->row[i], p->g_lower[row]), p->g_upper[row]);
}

static double largest_missed(const reaching* w)
{
    double most = 0;
    for (int k = 0; k < w->nused; ++k) most = fmax(most, fabs(missed_by(w, w->used[k])));
    return most;
}

// Slopes along velocities: dq/dv of turns by differences, exact for all others.
static void slopes_along(reaching* w)
{
    const double tiny = 1e-4;
    const int    wide = w->block->shape->nunknown, n = w->p->n;
    for (int v = 0; v < n; ++v) {
        for (int i = 0; i < n; ++i) w->move[i] = i == v ? tiny : 0;
        cardan_model_move(w->p->task->model, w->q, w->move, w->forth);
        w->move[v] = -tiny;
        cardan_model_move(w->p->task->model, w->q, w->move, w->back);
        for (int k = 0; k < w->nused; ++k) {
            double sum = 0;
            for (int u = 0; u < wide; ++u) {
                const int c = coordinate_of(w, u);
                if (c >= 0) sum += w->slope[w->used[k] * wide + u] * (w->forth[c] - w->back[c]) / (2 * tiny);
            }
            w->A[v * w->nused + k] = sum;
        }
    }
}

static bool step(reaching* w)
{
    const cardan_plan* p    = w->p;
    double             most = 0;
    slopes_along(w);
    for (int k = 0; k < w->nused; ++k) w->b[k] = -missed_by(w, w->used[k]);
    if (cd_lapack_rectangle(w->nused, p->n, w->A, w->b, depends, w->work, w->pivot) <= 0) return false;
    for (int i = 0; i < p->n; ++i) most = fmax(most, fabs(w->b[i]));
    if (!isfinite(most)) return false;
    for (int i = 0; i < p->n; ++i) w->move[i] = w->b[i] * (most > farthest ? farthest / most : 1);
    cardan_model_move(p->task->model, w->q, w->move, w->forth);
    memcpy(w->q, w->forth, (size_t)p->nq * sizeof *w->q);
    for (int i = 0; i < p->n; ++i)
        if (p->q_of_v[i] >= 0)
            w->q[p->q_of_v[i]] = fmin(fmax(w->q[p->q_of_v[i]], p->task->q_lower[i]), p->task->q_upper[i]);
    cd_closer_close(w->closer, p->h * p->N, w->q, w->v);
    memset(w->v, 0, (size_t)p->n * sizeof *w->v);
    return true;
}

cardan_status cd_guess_reach(cardan_plan* p, cd_closer* closer)
{
    reaching w = {.p = p, .closer = closer};
    for (int i = 0; p->at_end && i < p->program.nblock; ++i)
        if (p->program.block[i].kind == p->at_end) w.block = &p->program.block[i], w.number = i;
    if (!w.block || w.block->kind->nrow == 0) return CARDAN_OK;
    w.nrow          = w.block->kind->nrow;
    const bool room = make_room(&w);
    if (room) {
        memcpy(w.x, p->program.x_start, (size_t)p->program.n * sizeof *w.x);
        memcpy(w.q, p->q_last, (size_t)p->nq * sizeof *w.q);
        look(&w);
        choose_rows(&w);
        for (int i = 0; i < STEPS_MOST && w.nused > 0 && largest_missed(&w) > reached && step(&w); ++i) look(&w);
        if (w.nused > 0 && largest_missed(&w) <= reached) memcpy(p->q_last, w.q, (size_t)p->nq * sizeof *w.q);
    }
    free_room(&w);
    return room ? CARDAN_OK : CARDAN_NO_MEMORY;
}
