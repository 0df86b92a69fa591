// SPDX-License-Identifier: BSD-3-Clause
#include "motion/chatter.h"

#include "dynamics/data.h"
#include "model/description.h"
#include "model/formula_text.h"
#include "motion/jump_times.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

enum { WINDOW = 400, OFTEN = WINDOW / 4, MOST = 64 }; // steps; changes; jumps that are watched
static const double stands  = 8e-5;                   // of the run: a window that comes no farther does not get on
static const double creeps  = 4e-8;                   // nor does one, whatever changes, where a jump is near
static const double at_jump = 1e-3;                   // of what its argument was: so near

// Steps end at jumps that time decides, and no motion is held there.
static void collect(cd_chatter* c, const cardan_model* m, cardan_expression root, int force, int state, bool* looks)
{
    cd_jump jump[MOST];
    if (root == CARDAN_NONE) return;
    const int n = cd_jumps(m->description->graph, root, MOST, jump);
    for (int i = 0; i < n && i < MOST && c->count < MOST; ++i) {
        bool of_time;
        if (cd_is_of_time(m, jump[i].node, looks, &of_time)) c->unknown = true;
        if (!jump[i].wraps && !of_time)
            c->at[c->count++] = (cd_jumping){.jump = jump[i], .force = force, .state = state};
    }
    if (n < 0) c->unknown = true; // no memory
}

bool cd_chatter_open(cd_chatter* c, const cardan_model* m)
{
    const cd_graph* graph = m->description->graph;
    cd_node         node[3 * MOST];
    bool*           looks = cd_allocate((size_t)m->view.nsignal + 1, sizeof *looks);
    *c                    = (cd_chatter){.at = cd_allocate(MOST, sizeof *c->at)};
    if (!c->at || !looks) {
        free(looks);
        cd_chatter_close(c);
        return false;
    }
    for (int i = 0; i < m->view.nforce; ++i)
        for (int k = 0; k < 3; ++k) collect(c, m, m->view.force[i].component[k], i, CARDAN_NONE, looks);
    for (int i = 0; i < m->view.nstate; ++i) collect(c, m, m->view.state[i].rate, CARDAN_NONE, i, looks);
    free(looks);
    if (c->count == 0 || c->unknown) {
        const bool good = !c->unknown;
        cd_chatter_close(c);
        return good;
    }
    for (int i = 0; i < c->count; ++i) {
        node[3 * i]     = c->at[i].jump.node;
        node[3 * i + 1] = c->at[i].jump.above;
        node[3 * i + 2] = c->at[i].jump.below;
    }
    c->tape         = cd_tape_create(graph, 3 * c->count, node);
    c->value        = cd_allocate(3 * (size_t)c->count, sizeof *c->value);
    c->work         = c->tape ? cd_allocate((size_t)cd_tape_work(c->tape) + 1, sizeof *c->work) : NULL;
    const bool good = c->tape && c->work && c->value;
    if (!good) cd_chatter_close(c);
    return good;
}

void cd_chatter_close(cd_chatter* c)
{
    if (c->tape) cd_tape_destroy(c->tape);
    free(c->at);
    free(c->work);
    free(c->value);
    *c = (cd_chatter){0};
}

// "force 'brake'" and where that stands.
static cardan_place name_user(const cd_jumping* j, const cardan_model* m, char* text, size_t size)
{
    const bool force = j->force != CARDAN_NONE;
    snprintf(text, size, "%s '%s'", force ? "force" : "state",
             force ? m->view.force[j->force].name : m->view.state[j->state].name);
    return force ? m->view.force[j->force].place : m->view.state[j->state].place;
}

// Whose formula it is, how it reads, and where.
static void describe(const cd_jumping* j, const cardan_model* m, char* user, size_t size, char formula[120],
                     cardan_place* place)
{
    char* text = cd_formula_text(m->description, j->jump.node);
    *place     = name_user(j, m, user, size);
    snprintf(formula, 120, "%.119s", text ? text : "a formula");
    free(text);
}

static const char advice[] = "where it is friction that holds what it has stopped, give the joint a 'friction', or "
                             "write a law that is steep instead of one that jumps, such as tanh(v/0.001) for sign(v)";

static cardan_status fail(const cd_jumping* j, const cd_system* system, double t, double step, cardan_report* report)
{
    char         user[160], formula[120];
    cardan_place place;
    describe(j, system->model, user, sizeof user, formula, &place);
    return cardan_fail(report, CARDAN_STEP_TOO_SMALL, CARDAN_CODE_CHATTERING, place,
                       "%s: at t = %.9g s the motion does not get on: %s jumps to and fro there, and steps are down "
                       "to %.2g s; %s",
                       user, t, formula, step, advice);
}

// The jump that is nearest to where it changes, of those that are near.
static const cd_jumping* nearest(const cd_chatter* c)
{
    const cd_jumping* found = NULL;
    for (int i = 0; i < c->count; ++i) {
        const cd_jumping* j = &c->at[i];
        if (j->apart > at_jump * j->largest) continue;
        if (!found || j->apart * found->largest < found->apart * j->largest) found = j;
    }
    return found;
}

static void look_at(cd_jumping* j, const double* value, bool begun)
{
    if (begun && value[0] != j->side) ++j->changes;
    j->side    = value[0];
    j->apart   = fabs(value[1] - (j->jump.whole ? round(value[1]) : value[2]));
    j->largest = fmax(j->largest, j->apart);
}

static void look_at_all(cd_chatter* c, const cd_system* system, double t)
{
    cardan_data* d = system->data;
    cd_signals(d, d->signal);
    cd_tape_run(c->tape, d->signal, c->work, c->value);
    for (int i = 0; i < c->count; ++i) look_at(&c->at[i], c->value + 3 * i, c->begun);
    if (!c->begun) c->since = t;
    c->begun = true;
}

cardan_status cd_chatter_look(cd_chatter* c, cd_system* system, bool adaptive, double t, cardan_report* report)
{
    if (c->count == 0) return CARDAN_OK;
    look_at_all(c, system, t);
    if (++c->steps < WINDOW) return CARDAN_OK;

    const double      way = t - c->since, run = system->end - system->begin;
    const cd_jumping* stuck = adaptive && way < creeps * run ? nearest(c) : NULL;
    for (int i = 0; i < c->count; ++i) {
        cd_jumping* j = &c->at[i];
        if (j->changes >= OFTEN && !j->restless) j->restless = true, j->restless_since = c->since;
        if (j->changes >= OFTEN && adaptive && way < stands * run) stuck = j;
        j->changes = 0;
    }
    c->steps = 0;
    c->since = t;
    return stuck ? fail(stuck, system, t, way / WINDOW, report) : CARDAN_OK;
}

void cd_chatter_note(cd_chatter* c, const cd_system* system, cardan_report* report)
{
    if (c->count == 0) return;
    if (!c->begun) look_at_all(c, system, system->data->t);
    const cd_jumping* j = nearest(c);
    if (!j) return;
    char         user[160], formula[120];
    cardan_place place;
    describe(j, system->model, user, sizeof user, formula, &place);
    cardan_note(report, CARDAN_CODE_CHATTERING, place, "%s: %s jumps there; %s", user, formula, advice);
}

void cd_chatter_warn(const cd_chatter* c, const cd_system* system, cardan_report* report)
{
    for (int i = 0; i < c->count; ++i) {
        const cd_jumping* j = &c->at[i];
        if (!j->restless) continue;
        char         user[160], formula[120];
        cardan_place place;
        describe(j, system->model, user, sizeof user, formula, &place);
        cardan_warn(report, CARDAN_CODE_CHATTERING, place,
                    "%s: from about t = %.4g s on %s jumps to and fro from step to step, which no step resolves; %s",
                    user, j->restless_since, formula, advice);
        return;
    }
}
