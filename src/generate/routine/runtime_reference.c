// SPDX-License-Identifier: BSD-3-Clause
// Reference for the tests of routines: the runtime library with data of the model, or of the model file loaded again
// with other parameters.
#include "generate/routine/runtime_reference.h"

#include <cardan/assemble.h>

#include "dynamics/state.h"
#include "kinematics/composite_inertia.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

// Create the data of a model and the workspace of the reference.
static cardan_status begin_data(const cardan_model* m, cd_runtime_reference* r, cardan_report* report)
{
    // With constraints, the dense formulation for small models, else reduction; trees need order-n only.
    const char*   solver = cardan_model_get_view(m).nconstraint == 0 ? "order-n" : m->nv <= 150 ? "dense" : "reduction";
    cardan_status status = cardan_data_create(m, cardan_formulation_find(solver), &r->data, report);
    if (status == CARDAN_UNSUPPORTED) status = cd_data_create_without_formulation(m, &r->data, report);
    cd_articulated_layout(m, &r->arena, &r->articulated);
    CD_ARENA_ARRAY(&r->arena, r->inactive_stops, m->njoint_force);
    if (status == CARDAN_OK && !cd_arena_reserve(&r->arena)) status = CARDAN_NO_MEMORY;
    if (status == CARDAN_OK) {
        cd_articulated_layout(m, &r->arena, &r->articulated);
        CD_ARENA_ARRAY(&r->arena, r->inactive_stops, m->njoint_force);
    }
    return status;
}

static void release_data(cd_runtime_reference* r)
{
    cardan_data_destroy(r->data);
    cd_arena_release(&r->arena);
    cardan_model_destroy(r->own_model);
    cardan_description_destroy(r->description);
    r->data        = NULL;
    r->own_model   = NULL;
    r->description = NULL;
}

cardan_status cd_runtime_reference_create(const cardan_model* m, const cd_parameter_arguments* parameters,
                                          cd_runtime_reference** reference, cardan_report* report)
{
    cd_runtime_reference* r = cd_allocate(1, sizeof *r);
    *reference              = NULL;
    if (!r) return CARDAN_NO_MEMORY;
    r->start_distance    = 1;
    cardan_status status = begin_data(m, r, report);
    if (parameters && parameters->count > 0) {
        r->parameters      = parameters;
        r->parameter_value = cd_allocate((size_t)parameters->count, sizeof *r->parameter_value);
        if (r->parameter_value)
            memcpy(r->parameter_value, parameters->nominal, (size_t)parameters->count * sizeof *r->parameter_value);
        else
            status = CARDAN_NO_MEMORY;
    }
    if (status == CARDAN_OK)
        *reference = r;
    else
        cd_runtime_reference_destroy(r);
    return status;
}

void cd_runtime_reference_destroy(cd_runtime_reference* r)
{
    if (!r) return;
    release_data(r);
    free(r->parameter_value);
    free(r);
}

// Set the parameters of an input; if they differ from the current ones, load the model file again.
static cardan_status set_parameters(cd_runtime_reference* r, const cd_input_layout* in, const double* x,
                                    cardan_report* report)
{
    if (!r->parameters || memcmp(r->parameter_value, x + in->p, (size_t)r->parameters->count * sizeof *x) == 0)
        return CARDAN_OK;
    release_data(r);
    memcpy(r->parameter_value, x + in->p, (size_t)r->parameters->count * sizeof *x);
    const cardan_status status =
        cd_parameter_arguments_load(r->parameters, r->parameter_value, false, &r->description, &r->own_model, report);
    return status == CARDAN_OK ? begin_data(r->own_model, r, report) : status;
}

// Relative distances from the start, tried in turn until the loops close, and displacements in the tangent space: of
// joints [rad, m] and of spherical rotations [rad]. Spherical rotations are large, so that no entry of a rotation
// matrix is near 0 or 1 at a state where pivots are chosen or results are compared.
static const double distance_factors[] = {1, 0.25, 0.05, 0.01}, joint_displacement = 0.2, ball_rotation = 1.5;

void cd_runtime_reference_set_distance(cd_runtime_reference* r, double distance) { r->start_distance = distance; }

void cd_runtime_reference_set_assembled_start(cd_runtime_reference* r, bool assembled)
{
    r->assembled_start = assembled;
}

// Set guesses for positions and velocities of all joints, displaced from `from`, or, if it is NULL, from the start in
// the file, whose loops may be open.
static void set_start_guess(const cardan_model* m, const double* from, const double* v, double distance,
                            double* displacement, double* q, cardan_joint_start* start)
{
    for (int j = 0; j < m->njoint; ++j) {
        const cardan_index_range range = m->tree_range[j];
        start[j]                       = cardan_joint_start_default(m, j);
        if (range.q < 0) continue;
        memcpy(q + range.q, from ? from + range.q : start[j].q, (size_t)range.nq * sizeof *q);
        for (int i = 0; i < range.nv; ++i)
            displacement[range.v + i] = distance * v[range.v + i] *
                                        (range.nq > range.nv && i >= range.nv - 3 ? ball_rotation : joint_displacement);
    }
    cardan_model_normalize_position(m, q);
    cardan_model_integrate_position(m, q, displacement, q);
    for (int j = 0; j < m->njoint; ++j) {
        const cardan_index_range range = m->tree_range[j];
        if (range.q < 0) continue;
        start[j].position_mode = start[j].velocity_mode = CARDAN_START_GUESS;
        memcpy(start[j].q, q + range.q, (size_t)range.nq * sizeof *q);
        memcpy(start[j].v, v + range.v, (size_t)range.nv * sizeof *v);
    }
}

cardan_status cd_runtime_reference_assemble(cd_runtime_reference* r, const cd_input_layout* in, double* x,
                                            cardan_report* report)
{
    cardan_status status = set_parameters(r, in, x, report);
    if (status != CARDAN_OK) return status;
    const cardan_model* m = r->data->m;
    if (cardan_model_get_view(m).nconstraint == 0) return CARDAN_OK;
    cardan_joint_start* start        = cd_allocate((size_t)m->njoint + 1, sizeof *start);
    double*             displacement = cd_allocate(3 * (size_t)(m->nq + m->nv) + 1, sizeof *displacement);
    if (!start || !displacement) {
        free(start), free(displacement);
        return CARDAN_NO_MEMORY;
    }
    double *q = displacement + m->nv, *v = q + m->nq, *from = v + m->nv;
    status = CARDAN_INCONSISTENT;
    memcpy(v, x + in->v, (size_t)m->nv * sizeof *v);
    if (r->assembled_start) {
        cd_data_set_state(r->data, x[in->time], x + in->q, v, x + in->state);
        if (cardan_data_assemble(r->data, NULL, from, x + in->v, NULL, NULL) != CARDAN_OK) from = NULL;
    } else
        from = NULL;
    for (size_t i = 0;
         status != CARDAN_OK && status != CARDAN_NO_MEMORY && i <= sizeof distance_factors / sizeof *distance_factors;
         ++i) {
        const bool from_guess = i < sizeof distance_factors / sizeof *distance_factors;
        if (from_guess) set_start_guess(m, from, v, distance_factors[i] * r->start_distance, displacement, q, start);
        cd_data_set_state(r->data, x[in->time], x + in->q, v, x + in->state);
        status = cardan_data_assemble(r->data, from_guess ? start : NULL, x + in->q, x + in->v, NULL,
                                      from_guess ? NULL : report);
    }
    free(start), free(displacement);
    return status;
}

cardan_status cd_runtime_reference_set_state(cd_runtime_reference* r, const cd_input_layout* in, const double* x)
{
    const cardan_status status = set_parameters(r, in, x, NULL);
    r->massless_velocity       = -1;
    return status != CARDAN_OK ? status : cd_data_set_state(r->data, x[in->time], x + in->q, x + in->v, x + in->state);
}

int cd_runtime_reference_massless_velocity(const cd_runtime_reference* r) { return r->massless_velocity; }

cardan_status cd_runtime_reference_unconstrained_acceleration(cd_runtime_reference* r, const cd_input_layout* in,
                                                              int ninput, const double* input, double* size)
{
    const size_t  n      = (size_t)r->data->m->nv;
    cardan_status status = CARDAN_OK;
    *size                = 0;
    double* M            = cd_allocate(n * n + 1, sizeof *M);
    if (!M) return CARDAN_NO_MEMORY;
    for (int k = 0; status == CARDAN_OK && k < ninput; ++k) {
        const double* x      = input + (size_t)k * (size_t)in->count;
        double        weight = 0, sum = 0;
        status = cd_runtime_reference_set_state(r, in, x);
        if (status != CARDAN_OK) break;
        cardan_data* d = r->data;
        cd_mass_matrix_crba(d->m, &d->k, d->scratch.composite_inertia, M);
        cd_inverse_dynamics(d->m, &d->k, x + in->v, NULL, NULL, d->solve.bias_effort);
        for (size_t i = 0; i < n; ++i) {
            const double force = x[in->effort + (int)i] - d->solve.bias_effort[i], inertia = M[i * n + i];
            if (!(inertia > 0)) continue;
            sum += force * force / inertia;
            weight += inertia;
        }
        if (weight > 0) *size = fmax(*size, sqrt(sum / weight));
    }
    free(M);
    return status;
}
