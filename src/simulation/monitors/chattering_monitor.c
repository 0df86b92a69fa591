// SPDX-License-Identifier: BSD-3-Clause
#include "simulation/monitors/chattering_monitor.h"

#include "dynamics/data.h"
#include "dynamics/forces.h"
#include "model/description.h"
#include "model/formula_text.h"
#include "simulation/events/time_discontinuities.h"
#include "simulation/simulation.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

// Steps of a window; changes of side in it that count as chattering; number of functions monitored.
enum { WINDOW_STEPS = 400, CHATTERING_CHANGES = WINDOW_STEPS / 4, FUNCTIONS_MAX = 64 };

// Collect the switching functions of a formula. Steps end at discontinuities that depend on time only: these cannot
// chatter.
static void collect_functions(cd_chattering_monitor* c, const cardan_model* m, cardan_expression root, int force,
                              int state, bool* depends_on)
{
    cd_formula_discontinuity discontinuity[FUNCTIONS_MAX];
    if (root == CARDAN_NONE) return;
    const int n = cd_formula_discontinuities(m->description->graph, root, FUNCTIONS_MAX, discontinuity);
    for (int i = 0; i < n && i < FUNCTIONS_MAX && c->count < FUNCTIONS_MAX; ++i) {
        bool of_time;
        if (cd_depends_on_time_only(m, discontinuity[i].node, depends_on, &of_time)) c->out_of_memory = true;
        if (!discontinuity[i].is_modulo && !of_time)
            c->function[c->count++] =
                (cd_switching_function){.discontinuity = discontinuity[i], .force = force, .state = state};
    }
    if (n < 0) c->out_of_memory = true;
}

bool cd_chattering_monitor_open(cd_chattering_monitor* c, const cardan_model* m)
{
    const cd_graph* graph = m->description->graph;
    cd_node         node[3 * FUNCTIONS_MAX];
    bool*           depends_on = cd_allocate((size_t)m->view.nsignal + 1, sizeof *depends_on);
    *c                         = (cd_chattering_monitor){.function = cd_allocate(FUNCTIONS_MAX, sizeof *c->function)};
    if (!c->function || !depends_on) {
        free(depends_on);
        cd_chattering_monitor_close(c);
        return false;
    }
    for (int i = 0; i < m->view.nforce; ++i)
        for (int k = 0; k < 3; ++k) collect_functions(c, m, m->view.force[i].component[k], i, CARDAN_NONE, depends_on);
    for (int i = 0; i < m->view.nstate; ++i) collect_functions(c, m, m->view.state[i].rate, CARDAN_NONE, i, depends_on);
    free(depends_on);
    if (c->count == 0 || c->out_of_memory) {
        const bool good = !c->out_of_memory;
        cd_chattering_monitor_close(c);
        return good;
    }
    for (int i = 0; i < c->count; ++i) {
        node[3 * i]     = c->function[i].discontinuity.node;
        node[3 * i + 1] = c->function[i].discontinuity.above;
        node[3 * i + 2] = c->function[i].discontinuity.below;
    }
    c->tape         = cd_tape_create(graph, 3 * c->count, node);
    c->value        = cd_allocate(3 * (size_t)c->count, sizeof *c->value);
    c->work         = c->tape ? cd_allocate((size_t)cd_tape_work(c->tape) + 1, sizeof *c->work) : NULL;
    const bool good = c->tape && c->work && c->value;
    if (!good) cd_chattering_monitor_close(c);
    return good;
}

void cd_chattering_monitor_reset(cd_chattering_monitor* c)
{
    for (int i = 0; i < c->count; ++i) {
        const cd_switching_function* j = &c->function[i];
        c->function[i] =
            (cd_switching_function){.discontinuity = j->discontinuity, .force = j->force, .state = j->state};
    }
    c->window_steps = 0;
    c->has_values   = false;
}

void cd_chattering_monitor_close(cd_chattering_monitor* c)
{
    if (c->tape) cd_tape_destroy(c->tape);
    free(c->function);
    free(c->work);
    free(c->value);
    *c = (cd_chattering_monitor){0};
}

// Name the owner, for example "force 'brake'", and return its location.
static cardan_location name_owner(const cd_switching_function* j, const cardan_model* m, char* text, size_t size)
{
    const bool force = j->force != CARDAN_NONE;
    snprintf(text, size, "%s '%s'", force ? "force" : "state",
             force ? m->view.force[j->force].name : m->view.state[j->state].name);
    return force ? m->view.force[j->force].location : m->view.state[j->state].location;
}

// Describe the owner of the formula, its text, and its location.
static void describe_function(const cd_switching_function* j, const cardan_model* m, char* owner, size_t size,
                              char formula[120], cardan_location* location)
{
    char* text = cd_formula_text(m->description, j->discontinuity.node);
    *location  = name_owner(j, m, owner, size);
    snprintf(formula, 120, "%.119s", text ? text : "a formula");
    free(text);
}

static const char advice[] = "if it models dry friction, give the joint a 'friction', or use a steep function instead "
                             "of a discontinuous one, such as tanh(v/0.001) for sign(v)";

static cardan_status fail_chattering(const cd_switching_function* j, const cd_ode_system* system, double t, double step,
                                     cardan_report* report)
{
    char            owner[160], formula[120];
    cardan_location location;
    describe_function(j, system->model, owner, sizeof owner, formula, &location);
    return cardan_fail(
        report, CARDAN_STEP_TOO_SMALL, CARDAN_CODE_CHATTERING, location,
        "%s: at t = %.9g s the run makes no progress: %s chatters there, and steps have shrunk to %.2g s; %s", owner, t,
        formula, step, advice);
}

// Switching function nearest to its discontinuity, among those that are near.
static const cd_switching_function* nearest_function(const cd_chattering_monitor* c)
{
    const cd_switching_function* found = NULL;
    for (int i = 0; i < c->count; ++i) {
        const cd_switching_function* j = &c->function[i];
        if (j->distance > cd_near_switch_fraction * j->distance_max) continue;
        if (!found || j->distance * found->distance_max < found->distance * j->distance_max) found = j;
    }
    return found;
}

static void update_function(cd_switching_function* j, const double* value, bool has_value)
{
    if (has_value && value[0] != j->value) ++j->nchange;
    j->value        = value[0];
    j->distance     = fabs(value[1] - (j->discontinuity.at_integers ? round(value[1]) : value[2]));
    j->distance_max = fmax(j->distance_max, j->distance);
}

static void update_functions(cd_chattering_monitor* c, const cd_ode_system* system, double t)
{
    cardan_data* d = system->data;
    cd_evaluate_signals(d, d->forces.signal);
    cd_tape_run(c->tape, d->forces.signal, c->work, c->value);
    for (int i = 0; i < c->count; ++i) update_function(&c->function[i], c->value + 3 * i, c->has_values);
    if (!c->has_values) c->window_start = t;
    c->has_values = true;
}

cardan_status cd_chattering_monitor_check(cd_chattering_monitor* c, cd_ode_system* system, bool adaptive, double t,
                                          cardan_report* report)
{
    if (c->count == 0) return CARDAN_OK;
    update_functions(c, system, t);
    if (++c->window_steps < WINDOW_STEPS) return CARDAN_OK;

    const double                 travel = t - c->window_start, run = system->settings.span;
    const cd_switching_function* stalled =
        adaptive && travel < cd_chattering_slow_fraction * run ? nearest_function(c) : NULL;
    for (int i = 0; i < c->count; ++i) {
        cd_switching_function* j = &c->function[i];
        if (j->nchange >= CHATTERING_CHANGES && !j->chattering)
            j->chattering = true, j->chattering_since = c->window_start;
        if (j->nchange >= CHATTERING_CHANGES && adaptive && travel < cd_chattering_stalled_fraction * run) stalled = j;
        j->nchange = 0;
    }
    c->window_steps = 0;
    c->window_start = t;
    return stalled ? fail_chattering(stalled, system, t, travel / WINDOW_STEPS, report) : CARDAN_OK;
}

void cd_note_chattering(cd_chattering_monitor* c, const cd_ode_system* system, cardan_report* report)
{
    if (c->count == 0) return;
    if (!c->has_values) update_functions(c, system, system->data->t);
    const cd_switching_function* j = nearest_function(c);
    if (!j) return;
    char            owner[160], formula[120];
    cardan_location location;
    describe_function(j, system->model, owner, sizeof owner, formula, &location);
    cardan_note(report, CARDAN_CODE_CHATTERING, location, "%s: %s is discontinuous there; %s", owner, formula, advice);
}

void cd_warn_chattering(const cd_chattering_monitor* c, const cd_ode_system* system, cardan_report* report)
{
    for (int i = 0; i < c->count; ++i) {
        const cd_switching_function* j = &c->function[i];
        if (!j->chattering) continue;
        char            owner[160], formula[120];
        cardan_location location;
        describe_function(j, system->model, owner, sizeof owner, formula, &location);
        cardan_warn(report, CARDAN_CODE_CHATTERING, location,
                    "%s: from about t = %.4g s on %s chatters from step to step, which no step size resolves; %s",
                    owner, j->chattering_since, formula, advice);
        return;
    }
}

// ---- monitor

static bool has_discontinuity(const cardan_model* m, cardan_expression root)
{
    cd_formula_discontinuity discontinuity[FUNCTIONS_MAX];
    return root != CARDAN_NONE &&
           cd_formula_discontinuities(m->description->graph, root, FUNCTIONS_MAX, discontinuity) != 0;
}

static bool applies(const cd_simulation* s)
{
    const cardan_model* m     = s->system.model;
    bool                found = false;
    if (s->is_prescribed) return false;
    for (int i = 0; i < m->view.nforce && !found; ++i)
        for (int k = 0; k < 3 && !found; ++k) found = has_discontinuity(m, m->view.force[i].component[k]);
    for (int i = 0; i < m->view.nstate && !found; ++i) found = has_discontinuity(m, m->view.state[i].rate);
    return found;
}

static cardan_status start(cd_simulation* s, void* work, cd_start_reason reason)
{
    cd_chattering_monitor* c = work;
    if (reason != CD_START_MEMORY) return CARDAN_OK;
    if (c->is_open)
        cd_chattering_monitor_reset(c);
    else if (!cd_chattering_monitor_open(c, s->system.model))
        return CARDAN_NO_MEMORY;
    c->is_open = true;
    return CARDAN_OK;
}

// Check the switching functions, also at times of discontinuities.
static cd_verdict check_step(cd_simulation* s, void* work)
{
    cd_chattering_monitor* c = work;
    if (c->count == 0 || s->summary->stop_condition_met) return CD_VERDICT_CONTINUE;
    if (cd_set_state_reported(s, &s->x)) return CD_VERDICT_ABORT;
    s->step.status = cd_chattering_monitor_check(c, &s->system, s->integrator->is_adaptive, s->x.t, s->report);
    return s->step.status ? CD_VERDICT_ABORT : CD_VERDICT_CONTINUE;
}

static bool explain(cd_simulation* s, void* work, cd_explanation kind, cardan_status status)
{
    if (kind == CD_EXPLAIN_NOTE && status == CARDAN_STEP_TOO_SMALL) cd_note_chattering(work, &s->system, s->report);
    return false;
}

static cardan_status finish(cd_simulation* s, void* work, cardan_status status)
{
    if (!status) cd_warn_chattering(work, &s->system, s->report);
    cd_chattering_monitor_close(work);
    return status;
}

const cd_monitor cd_monitor_chattering = {
    .applies     = applies,
    .work_size   = sizeof(cd_chattering_monitor),
    .owns_memory = true,
    .start       = start,
    .check       = {[CD_PHASE_OUTPUT] = check_step},
    .explain     = explain,
    .finish      = finish,
};
