// SPDX-License-Identifier: BSD-3-Clause
#include "generate/routine/test_states.h"

#include "core/memory.h"
#include "generate/routine/form_selection.h"
#include "generate/routine/parameter_arguments.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { TEST_STATES = 3, MAX_DRAWS = 28 };

static const double parameter_variation = 0.03; // [-] relative variation of parameters about their nominal values

// Uniform numbers in (-1, 1) of a multiplicative congruential generator (Lehmer, factor 48271), the same at every call.
static double random_number(unsigned long* seed)
{
    *seed = (*seed * 48271UL) % 2147483647UL;
    return 2.0 * (double)*seed / 2147483647.0 - 1;
}

// Relative distance of draw i from the start, and factor of its velocities. Draw 0 has the full distance. If results
// are not finite there, later draws are nearer, alternately with full and with reduced velocities, down to 1e-4.
static double draw_distance(int draw) { return ldexp(1, -(draw / 2)); }
static double draw_speed(int draw) { return draw % 2 ? draw_distance(draw) : 1; }

// Fill a state in general position near the start. Every draw differs in all numbers, so that not every draw lies on
// the same side of a discontinuity.
static void fill_state(const cardan_model* m, const cd_input_layout* in, int vector, int draw, double* x)
{
    const double  distance = draw_distance(draw), speed = draw_speed(draw);
    unsigned long seed = 17UL + 1009UL * (unsigned long)vector + 7919UL * (unsigned long)draw;
    for (int i = 0; i < in->count; ++i) {
        const double deviate = random_number(&seed);
        if (i < in->p || i >= in->p + in->np) x[i] = deviate;
    }
    for (int i = 0; i < m->nq; ++i) x[in->q + i] = m->q_start[i] + 0.7 * distance * x[in->q + i];
    for (int i = 0; i < m->nv; ++i) x[in->v + i] = (1 - speed) * m->v_start[i] + speed * x[in->v + i];
    for (int i = 0; i < m->nstate; ++i) x[in->state + i] = m->state_start[i] + distance * x[in->state + i];
    x[in->time] = distance * fabs(x[in->time]);
    cardan_model_normalize_position(m, x + in->q);
}

// Value of a parameter: nominal at test state 0, varied at the others and at the trace state, which must be in general
// position.
static double vary_parameter(double nominal, int vector, unsigned long* seed)
{
    const double deviate = random_number(seed);
    if (vector == 0) return nominal;
    return nominal != 0 ? nominal * (1 + parameter_variation * deviate) : parameter_variation * fabs(deviate);
}

bool cd_test_states_create(cd_code_unit* unit, int nweight)
{
    const cardan_model* m  = unit->model;
    cd_input_layout*    in = &unit->in;
    in->q                  = 0;
    in->v                  = m->nq;
    in->a                  = in->v + m->nv;
    in->effort             = in->a + m->nv;
    in->state              = in->effort + m->nv;
    in->time               = in->state + m->nstate;
    in->np                 = unit->parameters ? unit->parameters->count : 0;
    in->p                  = in->time + 1;
    in->weight             = nweight > 0 ? in->p + in->np : 0;
    in->nmultiplier        = cd_multiplier_count(m);
    in->multiplier         = in->nmultiplier > 0 ? in->p + in->np + nweight : 0;
    in->count              = in->p + in->np + nweight + in->nmultiplier;
    unit->ntest            = TEST_STATES;
    unit->test_input       = cd_allocate((size_t)in->count * (TEST_STATES + 1), sizeof *unit->test_input);
    if (!unit->test_input) return false;
    for (int k = 0; k <= TEST_STATES; ++k) fill_state(m, in, k, 0, unit->test_input + (size_t)k * (size_t)in->count);
    unsigned long seed = 4711;
    for (int k = 0; k <= TEST_STATES; ++k)
        for (int i = 0; i < in->np; ++i)
            unit->test_input[(size_t)k * (size_t)in->count + (size_t)(in->p + i)] =
                vary_parameter(unit->parameters->nominal[i], k, &seed);
    in->trace_input = unit->test_input + (size_t)TEST_STATES * (size_t)in->count;
    return true;
}

// Assemble x. If the drivers are too far from the start at its time, try again with earlier times, where they are
// nearer to the start.
static cardan_status assemble_state(const cd_code_unit* unit, cd_runtime_reference* reference, double* x,
                                    cardan_report* report)
{
    const cd_input_layout* in     = &unit->in;
    cardan_status          status = CARDAN_OK;
    for (int i = 0; i < 4; ++i) {
        status = cd_runtime_reference_assemble(reference, in, x, i < 3 ? NULL : report);
        if (status != CARDAN_NOT_CONVERGED && status != CARDAN_INCONSISTENT && status != CARDAN_SINGULAR) break;
        x[in->time] *= i < 2 ? 0.1 : 0;
        memcpy(x + in->q, unit->model->q_start, (size_t)unit->model->nq * sizeof *x);
    }
    return status;
}

// Draw state k. Pivots are chosen at the trace state, near the start and in general position (distance 0.1); they are
// tested still nearer (0.02) and farther away (1).
static cardan_status draw_state(const cd_code_unit* unit, cd_runtime_reference* reference, int k, int draw,
                                cardan_report* report)
{
    double*      x    = unit->test_input + (size_t)k * (size_t)unit->in.count;
    const double part = k == unit->ntest ? 0.1 : k == 0 ? 0.02 : 1;
    if (draw > 0) fill_state(unit->model, &unit->in, k, draw, x);
    cd_runtime_reference_set_distance(reference, part * draw_distance(draw) / draw_speed(draw));
    cd_runtime_reference_set_assembled_start(reference, draw > 0);
    return assemble_state(unit, reference, x, report);
}

cardan_status cd_test_states_assemble(const cd_code_unit* unit, cd_runtime_reference* reference, const char* forms,
                                      cardan_report* report)
{
    cardan_status status = CARDAN_OK;
    const size_t  size   = (size_t)unit->in.count * sizeof(double);
    double*       best   = cd_allocate((size_t)unit->in.count + 1, sizeof *best);
    if (!best) return CARDAN_NO_MEMORY;
    for (int k = 0; status == CARDAN_OK && k <= unit->ntest; ++k) {
        double* x  = unit->test_input + (size_t)k * (size_t)unit->in.count;
        status     = draw_state(unit, reference, k, 0, report);
        int fewest = status == CARDAN_OK ? cd_forms_count_not_finite(unit, reference, forms, x) : 0;
        if (fewest < 0) status = CARDAN_NO_MEMORY;
        memcpy(best, x, size);
        for (int draw = 1; status == CARDAN_OK && fewest > 0 && draw < MAX_DRAWS; ++draw) {
            const cardan_status drawn = draw_state(unit, reference, k, draw, NULL);
            const int count = drawn == CARDAN_OK ? cd_forms_count_not_finite(unit, reference, forms, x) : fewest;
            if (drawn == CARDAN_NO_MEMORY || count < 0) status = CARDAN_NO_MEMORY;
            if (count >= fewest || status != CARDAN_OK) continue;
            fewest = count;
            memcpy(best, x, size);
        }
        memcpy(x, best, size);
    }
    free(best);
    return status;
}
