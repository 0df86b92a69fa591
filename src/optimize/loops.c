// SPDX-License-Identifier: BSD-3-Clause
// Rows are chosen by QR with pivots (analysis/tangent.h) at a closed state beside the start: at the start itself rows
// may meet by chance. Conditions are compared with rows by Gram and Schmidt, since what they fix is one velocity each.
#include "optimize/loops.h"

#include "analysis/tangent.h"
#include "core/memory.h"
#include "dynamics/data.h"

#include <cardan/assemble.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

static const double aside = 0.05; // [rad, m] beside the start
static const double alike = 1e-6; // what is left of a unit vector that others span

// A closed state beside the start where there is one, else the start closed.
static cardan_status go_aside(const cardan_task* task, cardan_data* d, cd_tangent* t, cardan_report* report)
{
    const cardan_model* m  = task->model;
    const size_t        nq = (size_t)m->nq, nv = (size_t)m->nv;
    double*             q = cd_allocate(2 * nq + 2 * nv + 1, sizeof *q);
    double *            v = q ? q + nq : NULL, *step = q ? v + nv : NULL, *moved = q ? step + nv : NULL;
    cardan_status       status = q ? cd_data_set(d, 0, m->q_start, m->v_start, m->state_start) : CARDAN_NO_MEMORY;
    if (status == CARDAN_OK) status = cardan_assemble(d, NULL, q, v, NULL, report);
    if (status == CARDAN_OK) {
        for (size_t i = 0; i < nv; ++i) step[i] = aside * sin(1 + 2.3 * (double)i);
        cardan_model_move(m, q, step, moved);
        status = cd_data_set(d, 0, moved, v, m->state_start);
        if (status == CARDAN_OK && !cd_tangent_close(t)) status = cd_data_set(d, 0, q, v, m->state_start);
    }
    free(q);
    return status;
}

static int constraint_of(const cd_closure* c, int row)
{
    int i = 0;
    while (row >= c->constraint[i].first_row + c->constraint[i].nrow) ++i;
    return i;
}

static bool take_rows(const cd_tangent* t, cd_ties* l)
{
    const cd_closure* closure = &t->d->closure;
    const int         nrotor  = cd_rotors_count(t->d->m);
    bool*             counts  = cd_allocate((size_t)t->nrow + 1, sizeof *counts);
    l->row                    = cd_allocate((size_t)(t->rank + nrotor) + 1, sizeof *l->row);
    l->position               = cd_allocate((size_t)t->rank + 1, sizeof *l->position);
    const bool ok             = counts && l->row && l->position;
    for (int i = 0; ok && i < t->rank; ++i) counts[t->pivot[i]] = true;
    for (int row = 0; ok && row < t->nrow; ++row) {
        if (!counts[row]) continue;
        const int c             = constraint_of(closure, row);
        l->position[l->nclosed] = cd_closure_has_position(closure, c, row - closure->constraint[c].first_row);
        l->nposition += l->position[l->nclosed];
        l->row[l->nclosed++] = row;
    }
    l->nrow = l->nclosed;
    for (int i = 0; ok && i < nrotor; ++i) l->row[l->nrow++] = t->nrow + i;
    free(counts);
    return ok;
}

static cardan_status with_data(const cardan_task* task, cardan_data** d, cd_tangent* t, cardan_report* report)
{
    const cardan_status status = cardan_data_create(task->model, cardan_task_formulation(task), d, report);
    return status == CARDAN_OK ? cd_tangent_create(*d, t, report) : status;
}

cardan_status cd_ties_create(const cardan_task* task, cd_ties* l, cardan_report* report)
{
    *l = (cd_ties){.nv = task->model->nv};
    if (cardan_model_look(task->model).nconstraint + cd_rotors_count(task->model) == 0) return CARDAN_OK;
    cardan_data*  d      = NULL;
    cd_tangent    t      = {0};
    cardan_status status = with_data(task, &d, &t, report);
    if (status == CARDAN_OK) status = go_aside(task, d, &t, report);
    if (status == CARDAN_OK && !cd_tangent_at(&t, false))
        status = cardan_fail(report, CARDAN_SINGULAR, CARDAN_CODE_TASK_UNDEFINED, task->place,
                             "constraints of '%s' have no finite rows at its start", task->model->view.name);
    if (status == CARDAN_OK && !take_rows(&t, l)) status = CARDAN_NO_MEMORY;
    cd_tangent_release(&t);
    cardan_data_destroy(d);
    return status;
}

void cd_ties_release(cd_ties* l)
{
    free(l->row);
    free(l->position);
}

// ---- conditions

// Orthonormal vectors (n); takes x (n) among them where it is none of their combinations.
typedef struct span {
    int     n, count;
    double* basis; // (n x n)
} span;

static bool span_takes(span* s, double* x)
{
    double before = 0, left = 0;
    for (int i = 0; i < s->n; ++i) before += x[i] * x[i];
    for (int pass = 0; pass < 2; ++pass)
        for (int k = 0; k < s->count; ++k) {
            double dot = 0;
            for (int i = 0; i < s->n; ++i) dot += s->basis[k * s->n + i] * x[i];
            for (int i = 0; i < s->n; ++i) x[i] -= dot * s->basis[k * s->n + i];
        }
    for (int i = 0; i < s->n; ++i) left += x[i] * x[i];
    if (s->count >= s->n || !(left > alike * alike * before)) return false;
    for (int i = 0; i < s->n; ++i) s->basis[s->count * s->n + i] = x[i] / sqrt(left);
    ++s->count;
    return true;
}

// Rows of the level that a condition is on.
static void span_rows(const cd_ties* l, cardan_data* d, bool positions, double* x, span* s)
{
    s->count = 0;
    for (int i = 0; i < l->nclosed; ++i) {
        if (positions && !l->position[i]) continue;
        const int          c = constraint_of(&d->closure, l->row[i]);
        const cd_row_block b = cd_way_of(d, &d->closure, c);
        memset(x, 0, (size_t)s->n * sizeof *x);
        for (int j = 0; j < b.nv; ++j) x[b.v[j]] = b.J[(l->row[i] - b.row) * b.nv + j];
        span_takes(s, x);
    }
}

static void compare(const cd_ties* l, cardan_data* d, const cd_conditions* list, double* x, span* s, bool* repeats)
{
    for (int on = CD_ON_Q; on <= CD_ON_A; ++on) {
        span_rows(l, d, on == CD_ON_Q, x, s);
        for (int c = 0; c < list->count; ++c) {
            const cd_condition* at = &list->list[c];
            if ((int)at->on != on || at->lower != at->upper) continue;
            memset(x, 0, (size_t)s->n * sizeof *x);
            x[at->index] = 1;
            repeats[c]   = !span_takes(s, x);
        }
    }
}

cardan_status cd_repeated_conditions(const cardan_task* task, const cd_ties* l, const double* q,
                                     const cd_conditions* list, bool* repeats)
{
    memset(repeats, 0, (size_t)list->count * sizeof *repeats);
    if (l->nclosed == 0) return CARDAN_OK;
    const size_t  n = (size_t)l->nv;
    span          s = {.n = l->nv, .basis = cd_allocate(n * n + 1, sizeof(double))};
    double*       x = cd_allocate(n + 1, sizeof *x);
    cardan_data*  d = NULL;
    cardan_status status =
        s.basis && x ? cardan_data_create(task->model, cardan_task_formulation(task), &d, NULL) : CARDAN_NO_MEMORY;
    if (status == CARDAN_OK) status = cd_data_set(d, 0, q, x, task->model->state_start);
    if (status == CARDAN_OK) {
        cd_know_rows(d);
        compare(l, d, list, x, &s, repeats);
    }
    cardan_data_destroy(d);
    free(s.basis);
    free(x);
    return status;
}
