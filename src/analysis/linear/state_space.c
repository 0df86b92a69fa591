// SPDX-License-Identifier: BSD-3-Clause
// Linear model in joint coordinates (linearization.h), with efforts u as inputs and the user's outputs h:
//
//   B = d(joint accelerations)/du,   C = dh/dx,   D = 0: outputs do not depend on accelerations
//   M = Tv^-T Tv^-1, w = Tv eta, since Nv'M Nv = 1;   K = -M A21,  damping = -M A22
#include "analysis/linear/linearization.h"
#include "analysis/motion_description.h"
#include "core/check_arguments.h"

#include <cardan/analyse.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { NAME_SIZE = 160 };

typedef struct state_space {
    cardan_linear_model public; // first member: cardan_linear_model* points to state_space
    cd_arena     arena;
    double *     A, *B, *C, *D, *mass, *damping, *stiffness;
    const char **name, **unit, **input, **input_unit, **output, **output_unit;
    char*        text; // (NAME_SIZE) each
} state_space;

typedef struct state_space_work {
    cardan_data*        d;
    cd_linearization    l;
    state_space*        s;
    int                 ninput, noutput;
    const cardan_motor* motor;
    double *            x, *a, *H; // scratch; (noutput x n) column major
    double*             effort;    // (nv_joint) saved external efforts
    spatial*            wrench;
} state_space_work;

static void layout(state_space_work* k, cd_arena* keep, cd_arena* scratch)
{
    const cardan_model* m = k->d->m;
    const size_t        n = (size_t)k->l.n, nw = (size_t)k->l.nw, all = (size_t)m->nv_joint, in = (size_t)k->ninput,
                 out = (size_t)k->noutput;
    state_space* s   = k->s;
    CD_ARENA_ARRAY(keep, s->A, n * n);
    CD_ARENA_ARRAY(keep, s->B, n * in);
    CD_ARENA_ARRAY(keep, s->C, out * n);
    CD_ARENA_ARRAY(keep, s->D, out * in);
    CD_ARENA_ARRAY(keep, s->mass, nw * nw);
    CD_ARENA_ARRAY(keep, s->damping, nw * nw);
    CD_ARENA_ARRAY(keep, s->stiffness, nw * nw);
    CD_ARENA_ARRAY(keep, s->name, n);
    CD_ARENA_ARRAY(keep, s->unit, n);
    CD_ARENA_ARRAY(keep, s->input, in);
    CD_ARENA_ARRAY(keep, s->input_unit, in);
    CD_ARENA_ARRAY(keep, s->output, out);
    CD_ARENA_ARRAY(keep, s->output_unit, out);
    CD_ARENA_ARRAY(keep, s->text, (n + in) * NAME_SIZE);
    CD_ARENA_ARRAY(scratch, k->x, all + in + 1);
    CD_ARENA_ARRAY(scratch, k->a, all);
    CD_ARENA_ARRAY(scratch, k->H, out * n);
    CD_ARENA_ARRAY(scratch, k->effort, all);
    CD_ARENA_ARRAY(scratch, k->wrench, (size_t)m->nbody);
}

// ---- names

static void name_coordinate(const cardan_model* m, int entry, bool velocity, char* text, const char** unit)
{
    static const char* const axis_name[] = {"x", "y", "z"};
    for (int j = 0; j < m->njoint; ++j) {
        const cardan_index_range range = m->joint_range[j];
        if (range.v < 0 || entry < range.v || entry >= range.v + range.nv) continue;
        const int   i           = entry - range.v;
        const char* name        = cardan_model_joint_name(m, j);
        const bool  is_rotation = cd_joint_velocity_is_rotation(m, j, i);
        *unit                   = velocity ? (is_rotation ? "rad/s" : "m/s") : is_rotation ? "rad" : "m";
        if (range.nv == 1)
            snprintf(text, NAME_SIZE, "%s.%s", name, velocity ? "v" : "q");
        else if (range.nq == range.nv)
            snprintf(text, NAME_SIZE, "%s.%s%d", name, velocity ? "v" : "q", i + 1);
        else if (velocity)
            snprintf(text, NAME_SIZE, "%s.%s%s", name, is_rotation ? "w" : "v", axis_name[i % 3]);
        else
            snprintf(text, NAME_SIZE, "%s.%s%s", name, is_rotation ? "rotation_" : "", axis_name[i % 3]);
        return;
    }
}

static void name_all(state_space_work* k)
{
    const cardan_model*     m = k->d->m;
    const cd_linearization* l = &k->l;
    state_space*            s = k->s;
    for (int i = 0; i < l->n; ++i) {
        char* text = s->text + (size_t)i * NAME_SIZE;
        s->name[i] = text;
        if (i < l->np)
            name_coordinate(m, l->position_entry[i], false, text, &s->unit[i]);
        else if (i < l->np + l->nw)
            name_coordinate(m, l->velocity_entry[i - l->np], true, text, &s->unit[i]);
        else
            snprintf(text, NAME_SIZE, "%s", m->view.state[i - l->np - l->nw].name), s->unit[i] = "";
    }
    for (int i = 0; i < k->ninput; ++i) {
        const cardan_motor motor = k->motor[i];
        char*              text  = s->text + (size_t)(l->n + i) * NAME_SIZE;
        const char*        name  = cardan_model_joint_name(m, motor.joint);
        if (m->joint_range[motor.joint].nv == 1)
            snprintf(text, NAME_SIZE, "%s.effort", name);
        else
            snprintf(text, NAME_SIZE, "%s.effort%d", name, motor.axis + 1);
        s->input[i]      = text;
        s->input_unit[i] = cd_joint_velocity_is_rotation(m, motor.joint, motor.axis) ? "N m" : "N";
    }
    for (int i = 0; i < k->noutput; ++i) {
        const bool outputs_are_states = m->view.noutput == 0;
        s->output[i]                  = outputs_are_states ? s->name[i] : m->view.output[i].name;
        s->output_unit[i] = outputs_are_states ? s->unit[i] : m->view.output[i].unit ? m->view.output[i].unit : "";
    }
}

// ---- matrices

// Compute the columns of B as the change of accelerations by one unit of effort; exact, because
// accelerations are linear in efforts.
static cardan_status compute_input_responses(state_space_work* k, cardan_motors* motors, cardan_report* report)
{
    cardan_data*  d  = k->d;
    const size_t  in = (size_t)k->ninput, np = (size_t)k->l.np;
    cardan_status status = CARDAN_OK;
    for (size_t i = 0; i <= in && status == CARDAN_OK; ++i) { // last pass: no effort
        memset(k->x, 0, (in + 1) * sizeof *k->x);
        if (i < in) k->x[i] = 1;
        cardan_motors_apply(motors, k->x);
        status = cardan_data_accelerate(d, k->l.a, NULL, report);
        if (status != CARDAN_OK) break;
        cardan_data_joint_motions(d, k->l.a, NULL, NULL, k->a);
        for (int r = 0; r < k->l.nw; ++r) {
            double* row = k->s->B + (np + (size_t)r) * in;
            if (i < in)
                row[i] = k->a[k->l.velocity_entry[r]];
            else
                for (size_t j = 0; j < in; ++j) row[j] -= k->a[k->l.velocity_entry[r]];
        }
    }
    return status;
}

// Compute B; the external forces of the data are restored.
static cardan_status fill_B(state_space_work* k, cardan_report* report)
{
    cardan_data*   d      = k->d;
    cardan_motors* motors = NULL;
    if (k->ninput == 0) return CARDAN_OK;
    const bool had_external_forces = d->external.has_forces;
    memcpy(k->effort, d->external.effort, (size_t)d->m->nv_joint * sizeof *k->effort);
    memcpy(k->wrench, d->external.wrench, (size_t)d->m->nbody * sizeof *k->wrench);
    cardan_status status = cardan_motors_create(d, k->ninput, k->motor, &motors, report);
    if (status == CARDAN_OK) status = compute_input_responses(k, motors, report);
    cardan_motors_destroy(motors);
    memcpy(d->external.effort, k->effort, (size_t)d->m->nv_joint * sizeof *k->effort);
    memcpy(d->external.wrench, k->wrench, (size_t)d->m->nbody * sizeof *k->wrench);
    d->external.has_forces = had_external_forces;
    cd_linearization_set_state(&k->l, NULL);
    return status;
}

static bool fill_A_and_C(state_space_work* k)
{
    const size_t n = (size_t)k->l.n, out = (size_t)k->noutput;
    const bool   outputs_are_states = k->d->m->view.noutput == 0;
    if (!outputs_are_states && !cd_linearization_derivatives(&k->l, k->H)) return false;
    for (size_t i = 0; i < n; ++i)
        for (size_t j = 0; j < n; ++j) k->s->A[i * n + j] = k->l.A[j * n + i];
    for (size_t i = 0; i < out; ++i)
        for (size_t j = 0; j < n; ++j) k->s->C[i * n + j] = outputs_are_states ? i == j : k->H[j * out + i];
    return true;
}

static void fill_second_order(state_space_work* k)
{
    const size_t n = (size_t)k->l.n, np = (size_t)k->l.np, nw = (size_t)k->l.nw;
    state_space* s = k->s;
    if (np != nw) return;
    for (size_t i = 0; i < nw; ++i)
        for (size_t j = 0; j < nw; ++j) {
            double sum = 0;
            for (size_t h = 0; h < nw; ++h)
                sum += k->l.inverse[(np + i) * n + np + h] * k->l.inverse[(np + j) * n + np + h];
            s->mass[i * nw + j] = sum;
        }
    for (size_t i = 0; i < nw; ++i)
        for (size_t j = 0; j < nw; ++j)
            for (size_t h = 0; h < nw; ++h) {
                s->stiffness[i * nw + j] -= s->mass[i * nw + h] * s->A[(np + h) * n + j];
                s->damping[i * nw + j] -= s->mass[i * nw + h] * s->A[(np + h) * n + np + j];
            }
}

static cardan_status fill(state_space_work* k, cardan_report* report)
{
    const char* name = k->d->m->view.name;
    if (!fill_A_and_C(k))
        return cardan_fail(report, CARDAN_NOT_CONVERGED, CARDAN_CODE_NOT_LINEARIZABLE, cardan_location_none(),
                           "the outputs of '%s' cannot be linearized at t = %g s", name, k->d->t);
    const cardan_status status = fill_B(k, report);
    if (status != CARDAN_OK) return status;
    fill_second_order(k);
    name_all(k);
    state_space* s               = k->s;
    const bool   is_second_order = k->l.np == k->l.nw;
    s->public                    = (cardan_linear_model){.n           = k->l.n,
                                                         .ninput      = k->ninput,
                                                         .noutput     = k->noutput,
                                                         .nposition   = k->l.np,
                                                         .nvelocity   = k->l.nw,
                                                         .nstate      = k->l.nz,
                                                         .A           = s->A,
                                                         .B           = s->B,
                                                         .C           = s->C,
                                                         .D           = s->D,
                                                         .mass        = is_second_order ? s->mass : NULL,
                                                         .damping     = is_second_order ? s->damping : NULL,
                                                         .stiffness   = is_second_order ? s->stiffness : NULL,
                                                         .state       = s->name,
                                                         .state_unit  = s->unit,
                                                         .input       = s->input,
                                                         .input_unit  = s->input_unit,
                                                         .output      = s->output,
                                                         .output_unit = s->output_unit};
    return CARDAN_OK;
}

cardan_status cardan_linear_model_create(cardan_data* d, int ninput, const cardan_motor* motor,
                                         cardan_linear_model** linear, cardan_report* report)
{
    CD_REQUIRE_POINTER(linear, "linear", report);
    *linear = NULL;
    CD_REQUIRE_POINTER(d, "data", report);
    CD_REQUIRE_ARRAY(motor, ninput, "motor", report);
    if (ninput < 0 || ninput > d->m->nv_joint)
        return cardan_fail(report, CARDAN_BAD_USAGE, CARDAN_CODE_INVALID_ARGUMENT, cardan_location_none(),
                           "%d inputs are invalid: '%s' has %d joint coordinates", ninput, d->m->view.name,
                           d->m->nv_joint);
    state_space_work k      = {.d = d, .ninput = ninput, .motor = motor};
    cardan_status    status = cd_linearization_create(d, &k.l, report);
    if (status != CARDAN_OK) return status;
    cd_arena scratch = {0};
    k.noutput        = d->m->view.noutput > 0 ? d->m->view.noutput : k.l.n;
    k.s              = cd_allocate(1, sizeof *k.s);
    status           = CARDAN_NO_MEMORY;
    if (k.s) {
        layout(&k, &k.s->arena, &scratch);
        if (cd_arena_reserve(&k.s->arena) && cd_arena_reserve(&scratch)) {
            layout(&k, &k.s->arena, &scratch);
            status = fill(&k, report);
        }
    }
    if (status == CARDAN_NO_MEMORY)
        cardan_fail(report, status, CARDAN_CODE_OUT_OF_MEMORY, cardan_location_none(),
                    "out of memory while linearizing '%s'", d->m->view.name);
    if (status == CARDAN_OK)
        *linear = &k.s->public;
    else
        cardan_linear_model_destroy((cardan_linear_model*)k.s);
    cd_arena_release(&scratch);
    cd_linearization_release(&k.l);
    return status;
}

void cardan_linear_model_destroy(cardan_linear_model* linear)
{
    state_space* s = (state_space*)linear;
    if (!s) return;
    cd_arena_release(&s->arena);
    free(s);
}
