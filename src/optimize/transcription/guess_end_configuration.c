// SPDX-License-Identifier: BSD-3-Clause
// End of the straight lines of the guess: the configuration nearest to that of the guess that satisfies the
// end conditions on positions, including those of markers and formulas. With their violations r and their
// Jacobian J by velocities,
//
//   d = -J^+ r        q <- q (+) d, within bounds, projected onto the loops
//
// by minimum-norm steps of limited length. If no such configuration is found, the end remains unchanged.
#include "optimize/transcription/ocp.h"

#include "core/memory.h"
#include "math/lapack.h"
#include "model/model.h"
#include "optimize/optimize_tolerances.h"
#include "optimize/transcription/loop_projection.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { MAX_ITERATIONS = 100 };

static const double max_step_length = 0.3; // [rad, m] limit of one step

typedef struct end_search {
    cardan_ocp*         ocp;
    cd_loop_projection* projection;
    const cd_nlp_block* block;
    int                 block_index, nrow, nactive; // of the end conditions; its rows; position rows
    int*                active;
    double*             x;                             // unknowns of the NLP; those of the end change
    double *            q, *v, *dq, *q_plus, *q_minus; // (nq), (n)
    double *            row, *jacobian, *A, *b, *work;
    int*                pivot;
} end_search;

static bool allocate_work(end_search* w)
{
    const size_t n = (size_t)w->ocp->n, nq = (size_t)w->ocp->nq, m = (size_t)w->nrow;
    w->x      = cd_allocate((size_t)w->ocp->nlp.n + 1, sizeof(double));
    w->q      = cd_allocate(3 * nq + 2 * n + 1, sizeof(double));
    w->row    = cd_allocate(m + m * (size_t)w->block->shape->nunknown + 1, sizeof(double));
    w->A      = cd_allocate(m * n + m + n + 1, sizeof(double));
    w->work   = cd_allocate((size_t)cd_lapack_least_squares_rectangular_work((int)m, (int)n) + 1, sizeof(double));
    w->pivot  = cd_allocate(n + 1, sizeof(int));
    w->active = cd_allocate(m + 1, sizeof(int));
    if (!w->x || !w->q || !w->row || !w->A || !w->work || !w->pivot || !w->active) return false;
    w->q_plus = w->q + nq, w->q_minus = w->q_plus + nq, w->v = w->q_minus + nq, w->dq = w->v + n;
    w->jacobian = w->row + m;
    w->b        = w->A + m * n;
    return true;
}

static void free_work(end_search* w)
{
    free(w->x), free(w->q), free(w->row), free(w->A), free(w->work), free(w->pivot), free(w->active);
}

// Return the coordinate of unknown u of the block, or -1.
static int coordinate_of(const end_search* w, int u)
{
    const int at = w->block->unknown[u] - cd_ocp_offset_x(w->ocp, w->ocp->N);
    return at >= 0 && at < w->ocp->nq ? at : -1;
}

static void evaluate_end(end_search* w)
{
    cd_ocp_set_state(w->ocp, w->x, w->ocp->N, -1, w->q, w->v, NULL);
    cd_block_nlp_evaluate_block(&w->ocp->nlp, w->block_index, w->x, w->row, w->jacobian);
}

// Choose the rows that are conditions on positions and depend on nothing else.
static void choose_rows(end_search* w)
{
    const cd_conditions* list  = &w->ocp->task->end;
    const int            width = w->block->shape->nunknown;
    w->nactive                 = 0;
    for (int i = 0; i < w->nrow && i < list->count; ++i) {
        bool is_position_row = list->list[i].kind == CD_CONDITION_Q || list->list[i].kind == CD_CONDITION_EXPRESSION;
        for (int u = 0; is_position_row && u < width; ++u)
            is_position_row = coordinate_of(w, u) >= 0 || w->jacobian[i * width + u] == 0;
        if (is_position_row) w->active[w->nactive++] = i;
    }
}

// Violation of row i; 0 within its bounds.
static double row_violation(const end_search* w, int i)
{
    const cd_block_nlp* p   = &w->ocp->nlp;
    const int           row = w->block->first_row + i;
    return w->row[i] - fmin(fmax(w->row[i], p->g_lower[row]), p->g_upper[row]);
}

static double max_violation(const end_search* w)
{
    double most = 0;
    for (int k = 0; k < w->nactive; ++k) most = fmax(most, fabs(row_violation(w, w->active[k])));
    return most;
}

// Compute the Jacobian by velocities: dq/dv by central differences for quaternions, exact for all others.
static void velocity_jacobian(end_search* w)
{
    const double difference_step = 1e-4;
    const int    width = w->block->shape->nunknown, n = w->ocp->n;
    for (int v = 0; v < n; ++v) {
        for (int i = 0; i < n; ++i) w->dq[i] = i == v ? difference_step : 0;
        cardan_model_integrate_position(w->ocp->task->model, w->q, w->dq, w->q_plus);
        w->dq[v] = -difference_step;
        cardan_model_integrate_position(w->ocp->task->model, w->q, w->dq, w->q_minus);
        for (int k = 0; k < w->nactive; ++k) {
            double sum = 0;
            for (int u = 0; u < width; ++u) {
                const int c = coordinate_of(w, u);
                if (c >= 0)
                    sum +=
                        w->jacobian[w->active[k] * width + u] * (w->q_plus[c] - w->q_minus[c]) / (2 * difference_step);
            }
            w->A[v * w->nactive + k] = sum;
        }
    }
}

static bool newton_step(end_search* w)
{
    const cardan_ocp* p    = w->ocp;
    double            most = 0;
    velocity_jacobian(w);
    for (int k = 0; k < w->nactive; ++k) w->b[k] = -row_violation(w, w->active[k]);
    if (cd_lapack_least_squares_rectangular(w->nactive, p->n, w->A, w->b, cd_condition_rank_tolerance, w->work,
                                            w->pivot) <= 0)
        return false;
    for (int i = 0; i < p->n; ++i) most = fmax(most, fabs(w->b[i]));
    if (!isfinite(most)) return false;
    for (int i = 0; i < p->n; ++i) w->dq[i] = w->b[i] * (most > max_step_length ? max_step_length / most : 1);
    cardan_model_integrate_position(p->task->model, w->q, w->dq, w->q_plus);
    memcpy(w->q, w->q_plus, (size_t)p->nq * sizeof *w->q);
    for (int i = 0; i < p->n; ++i)
        if (p->q_of_v[i] >= 0)
            w->q[p->q_of_v[i]] = fmin(fmax(w->q[p->q_of_v[i]], p->task->q_lower[i]), p->task->q_upper[i]);
    cd_loop_projection_project(w->projection, p->h * p->N, w->q, w->v);
    memset(w->v, 0, (size_t)p->n * sizeof *w->v);
    return true;
}

cardan_status cd_ocp_guess_satisfy_end_conditions(cardan_ocp* p, cd_loop_projection* projection)
{
    end_search w = {.ocp = p, .projection = projection};
    for (int i = 0; p->end_function && i < p->nlp.nblock; ++i)
        if (p->nlp.block[i].function == p->end_function) w.block = &p->nlp.block[i], w.block_index = i;
    if (!w.block || w.block->function->nrow == 0) return CARDAN_OK;
    w.nrow          = w.block->function->nrow;
    const bool good = allocate_work(&w);
    if (good) {
        memcpy(w.x, p->nlp.x_start, (size_t)p->nlp.n * sizeof *w.x);
        memcpy(w.q, p->q_last, (size_t)p->nq * sizeof *w.q);
        evaluate_end(&w);
        choose_rows(&w);
        for (int i = 0;
             i < MAX_ITERATIONS && w.nactive > 0 && max_violation(&w) > cd_feasibility_tolerance && newton_step(&w);
             ++i)
            evaluate_end(&w);
        if (w.nactive > 0 && max_violation(&w) <= cd_feasibility_tolerance)
            memcpy(p->q_last, w.q, (size_t)p->nq * sizeof *w.q);
    }
    free_work(&w);
    return good ? CARDAN_OK : CARDAN_NO_MEMORY;
}
