// SPDX-License-Identifier: BSD-3-Clause
// Driver functions: prescribed motions of coordinates and markers as functions of time, with exact first and second
// derivatives.
#include "model/description.h"
#include "model/model.h"

#include <stdio.h>
#include <stdlib.h>

typedef struct driver_function {
    cd_node         node;
    const char *    category, *name;
    cardan_location location;
} driver_function;

// Number of driver functions; fills the list if one is given.
static int collect_drivers(const cardan_description_view* view, driver_function* list)
{
    int count = 0;
    for (int j = 0; j < view->njoint; ++j) {
        const cardan_joint* joint = &view->joint[j];
        for (int k = 0; k < joint->ndriver; ++k) {
            if (joint->driver[k] == CARDAN_NONE) continue;
            if (list) list[count] = (driver_function){joint->driver[k], "joint", joint->name, joint->location};
            ++count;
        }
    }
    for (int c = 0; c < view->nconstraint; ++c) {
        const cardan_constraint* constraint = &view->constraint[c];
        for (int k = 0; k < 6; ++k) {
            if (constraint->driver[k] == CARDAN_NONE) continue;
            if (list)
                list[count] =
                    (driver_function){constraint->driver[k], "constraint", constraint->name, constraint->location};
            ++count;
        }
    }
    return count;
}

// Description of a signal in words.
static void name_signal(const cardan_description_view* view, const cardan_signal* s, char* text, size_t size)
{
    switch (s->kind) {
    case CARDAN_SIGNAL_COORDINATE:
    case CARDAN_SIGNAL_SPEED:
        snprintf(text, size, "joint '%.60s'", view->joint[s->a].name);
        break;
    case CARDAN_SIGNAL_REACTION:
        snprintf(text, size, "the reaction of joint '%.60s'", view->joint[s->a].name);
        break;
    case CARDAN_SIGNAL_STATE:
        snprintf(text, size, "state '%.60s'", view->state[s->a].name);
        break;
    default:
        snprintf(text, size, "marker '%.60s'", s->a < 0 ? "ground" : view->marker[s->a].name);
    }
}

static cardan_status no_memory(const cardan_model* m, cardan_report* report)
{
    return cardan_fail(report, CARDAN_NO_MEMORY, CARDAN_CODE_OUT_OF_MEMORY, cardan_location_none(),
                       "out of memory for the driver functions of '%s'", m->view.name);
}

// Check that driver functions depend on no signal except time and parameters.
static cardan_status check_drivers(const cardan_model* m, const driver_function* list, bool* depends,
                                   cardan_report* report)
{
    cardan_status status = CARDAN_OK;
    for (int i = 0; i < m->ndriver_function; ++i) {
        if (cd_dependence(m->description->graph, 1, &list[i].node, m->view.nsignal, depends) != CARDAN_OK)
            return no_memory(m, report);
        for (int s = 0; s < m->view.nsignal; ++s) {
            if (!depends[s] || m->view.signal[s].kind == CARDAN_SIGNAL_TIME ||
                m->view.signal[s].kind == CARDAN_SIGNAL_PARAMETER)
                continue;
            char signal_text[100];
            name_signal(&m->view, &m->view.signal[s], signal_text, sizeof signal_text);
            status = cardan_fail(
                report, CARDAN_BAD_INPUT, CARDAN_CODE_DRIVER_DEPENDS_ON_STATE, list[i].location,
                "%s '%s': the driver function depends on %s, but may depend on t, parameters and tables only",
                list[i].category, list[i].name, signal_text);
            break;
        }
    }
    return status;
}

static bool compile_tape(cardan_model* m, const driver_function* list, cd_node* node)
{
    cd_graph* graph = m->description->graph;
    for (int i = 0; i < m->ndriver_function; ++i) {
        node[3 * i] = list[i].node;
        for (int k = 1; k < 3; ++k) {
            node[3 * i + k] =
                m->time_signal < 0 ? cd_constant(graph, 0) : cd_derivative(graph, node[3 * i + k - 1], m->time_signal);
            if (node[3 * i + k] == CD_NO_NODE) return false;
        }
    }
    m->driver_tape = cd_tape_create(graph, 3 * m->ndriver_function, node);
    return m->driver_tape != NULL;
}

cardan_status cd_compile_drivers(cardan_model* m, cardan_report* report)
{
    m->time_signal = CARDAN_NONE;
    for (int s = 0; s < m->view.nsignal; ++s)
        if (m->view.signal[s].kind == CARDAN_SIGNAL_TIME) m->time_signal = s;
    m->ndriver_function = collect_drivers(&m->view, NULL);
    for (int j = 0; j < m->view.njoint; ++j)
        for (int k = 0; k < m->view.joint[j].ndriver; ++k)
            m->njoint_driver += m->view.joint[j].driver[k] != CARDAN_NONE;
    if (m->ndriver_function == 0) return CARDAN_OK;

    driver_function* list    = cd_allocate((size_t)m->ndriver_function, sizeof *list);
    cd_node*         node    = cd_allocate(3 * (size_t)m->ndriver_function, sizeof *node);
    bool*            depends = cd_allocate((size_t)m->view.nsignal + 1, sizeof *depends);
    cardan_status    status  = CARDAN_NO_MEMORY;
    if (list && node && depends) {
        collect_drivers(&m->view, list);
        status = check_drivers(m, list, depends, report);
        if (status == CARDAN_OK && !compile_tape(m, list, node)) status = no_memory(m, report);
    } else {
        status = no_memory(m, report);
    }
    free(list);
    free(node);
    free(depends);
    return status;
}
