// SPDX-License-Identifier: BSD-3-Clause
// What the runtime computes where routines are tested: data of the model, or of the model file read again with other
// parameters.
#include "generate/referee.h"

#include <cardan/assemble.h>

#include "kinematics/composite.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

// Data of a model, and what goes with them.
static cardan_status begin(const cardan_model* m, cd_referee* r, cardan_report* report)
{
    // The yardstick solves loops where it can; trees need no more than a linear one.
    const char*   solver = cardan_model_look(m).nconstraint == 0 ? "order-n" : m->nv <= 150 ? "dense" : "reduction";
    cardan_status status = cardan_data_create(m, cardan_formulation_find(solver), &r->data, report);
    if (status == CARDAN_UNSUPPORTED) status = cd_data_create_bare(m, &r->data, report);
    cd_articulated_layout(m, &r->arena, &r->articulated);
    CD_TAKE(&r->arena, r->open, m->nlaw);
    if (status == CARDAN_OK && !cd_arena_reserve(&r->arena)) status = CARDAN_NO_MEMORY;
    if (status == CARDAN_OK) {
        cd_articulated_layout(m, &r->arena, &r->articulated);
        CD_TAKE(&r->arena, r->open, m->nlaw);
    }
    return status;
}

static void end(cd_referee* r)
{
    cardan_data_destroy(r->data);
    cd_arena_release(&r->arena);
    cardan_model_destroy(r->model);
    cardan_description_destroy(r->description);
    r->data        = NULL;
    r->model       = NULL;
    r->description = NULL;
}

cardan_status cd_referee_create(const cardan_model* m, const cd_inputs* inputs, cd_referee** referee,
                                cardan_report* report)
{
    cd_referee* r = cd_allocate(1, sizeof *r);
    *referee      = NULL;
    if (!r) return CARDAN_NO_MEMORY;
    r->part              = 1;
    cardan_status status = begin(m, r, report);
    if (inputs && inputs->count > 0) {
        r->inputs = inputs;
        r->value  = cd_allocate((size_t)inputs->count, sizeof *r->value);
        if (r->value)
            memcpy(r->value, inputs->nominal, (size_t)inputs->count * sizeof *r->value);
        else
            status = CARDAN_NO_MEMORY;
    }
    if (status == CARDAN_OK)
        *referee = r;
    else
        cd_referee_destroy(r);
    return status;
}

void cd_referee_destroy(cd_referee* r)
{
    if (!r) return;
    end(r);
    free(r->value);
    free(r);
}

// Parameters of an input; the file is read again where they are others.
static cardan_status turn_to(cd_referee* r, const cd_sources* in, const double* x, cardan_report* report)
{
    if (!r->inputs || memcmp(r->value, x + in->p, (size_t)r->inputs->count * sizeof *x) == 0) return CARDAN_OK;
    end(r);
    memcpy(r->value, x + in->p, (size_t)r->inputs->count * sizeof *x);
    const cardan_status status = cd_inputs_load(r->inputs, r->value, false, &r->description, &r->model, report);
    return status == CARDAN_OK ? begin(r->model, r, report) : status;
}

// How far states are from the start, in their tangent space: where loops cannot be closed from there, nearer. Rotations
// about three axes go far, so that no entry of their matrices is zero, or one, at a state where pivots are chosen or
// results compared.
static const double reach[] = {1, 0.25, 0.05, 0.01}, slide = 0.2, turn = 1.5;

void cd_referee_near(cd_referee* r, double part) { r->part = part; }

void cd_referee_from_start(cd_referee* r, bool assembled) { r->assembled = assembled; }

// Guesses of all joints there, and of their velocities; beside `from`, or where it is NULL beside what the file says,
// loops open.
static void begin_beside(const cardan_model* m, const double* from, const double* v, double part, double* move,
                         double* q, cardan_start* start)
{
    for (int j = 0; j < m->njoint; ++j) {
        const cardan_slot slot = m->slot[j];
        start[j]               = cardan_start_of(m, j);
        if (slot.q < 0) continue;
        memcpy(q + slot.q, from ? from + slot.q : start[j].q, (size_t)slot.nq * sizeof *q);
        for (int i = 0; i < slot.nv; ++i)
            move[slot.v + i] = part * v[slot.v + i] * (slot.nq > slot.nv && i >= slot.nv - 3 ? turn : slide);
    }
    cardan_model_normalize(m, q);
    cardan_model_move(m, q, move, q);
    for (int j = 0; j < m->njoint; ++j) {
        const cardan_slot slot = m->slot[j];
        if (slot.q < 0) continue;
        start[j].position = start[j].velocity = CARDAN_HOLD_GUESS;
        memcpy(start[j].q, q + slot.q, (size_t)slot.nq * sizeof *q);
        memcpy(start[j].v, v + slot.v, (size_t)slot.nv * sizeof *v);
    }
}

cardan_status cd_referee_close(cd_referee* r, const cd_sources* in, double* x, cardan_report* report)
{
    cardan_status status = turn_to(r, in, x, report);
    if (status != CARDAN_OK) return status;
    const cardan_model* m = r->data->m;
    if (cardan_model_look(m).nconstraint == 0) return CARDAN_OK;
    cardan_start* start = cd_allocate((size_t)m->njoint + 1, sizeof *start);
    double*       move  = cd_allocate(3 * (size_t)(m->nq + m->nv) + 1, sizeof *move);
    double *      q = move + m->nv, *v = q + m->nq, *from = v + m->nv;
    status = start && move ? CARDAN_INCONSISTENT : CARDAN_NO_MEMORY;
    if (status != CARDAN_NO_MEMORY) memcpy(v, x + in->v, (size_t)m->nv * sizeof *v);
    if (status != CARDAN_NO_MEMORY && r->assembled) {
        cd_data_set(r->data, x[in->time], x + in->q, v, x + in->state);
        if (cardan_assemble(r->data, NULL, from, x + in->v, NULL, NULL) != CARDAN_OK) from = NULL;
    } else
        from = NULL;
    for (size_t i = 0; status != CARDAN_OK && status != CARDAN_NO_MEMORY && i <= sizeof reach / sizeof *reach; ++i) {
        const bool again = i < sizeof reach / sizeof *reach;
        if (again) begin_beside(m, from, v, reach[i] * r->part, move, q, start);
        cd_data_set(r->data, x[in->time], x + in->q, v, x + in->state);
        status = cardan_assemble(r->data, again ? start : NULL, x + in->q, x + in->v, NULL, again ? NULL : report);
    }
    free(start), free(move);
    return status;
}

cardan_status cd_referee_set(cd_referee* r, const cd_sources* in, const double* x)
{
    const cardan_status status = turn_to(r, in, x, NULL);
    r->loose                   = -1;
    return status != CARDAN_OK ? status : cd_data_set(r->data, x[in->time], x + in->q, x + in->v, x + in->state);
}

int cd_referee_loose(const cd_referee* r) { return r->loose; }

cardan_status cd_referee_alone(cd_referee* r, const cd_sources* in, int ninput, const double* input, double* size)
{
    const size_t  n      = (size_t)r->data->m->nv;
    cardan_status status = CARDAN_OK;
    *size                = 0;
    double* M            = cd_allocate(n * n + 1, sizeof *M);
    if (!M) return CARDAN_NO_MEMORY;
    for (int k = 0; status == CARDAN_OK && k < ninput; ++k) {
        const double* x      = input + (size_t)k * (size_t)in->count;
        double        weight = 0, sum = 0;
        status = cd_referee_set(r, in, x);
        if (status != CARDAN_OK) break;
        cardan_data* d = r->data;
        cd_composite(d->m, &d->k, d->composite, M);
        cd_inverse_dynamics(d->m, &d->k, x + in->v, NULL, NULL, d->c);
        for (size_t i = 0; i < n; ++i) {
            const double force = x[in->effort + (int)i] - d->c[i], inertia = M[i * n + i];
            if (!(inertia > 0)) continue;
            sum += force * force / inertia;
            weight += inertia;
        }
        if (weight > 0) *size = fmax(*size, sqrt(sum / weight));
    }
    free(M);
    return status;
}
