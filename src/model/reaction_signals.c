// SPDX-License-Identifier: BSD-3-Clause
// Formulas that read reactions of joints. A reaction depends on the accelerations, which depend on the forces: it is
// solved together with the accelerations (dynamics/reactions/reaction_loads.c). Only force components and state rates
// take part in this solution; other formulas are evaluated at states without accelerations.
#include "model/reaction_signals.h"

#include "core/memory.h"
#include "model/description.h"

#include <stdlib.h>

static bool add_reader(cardan_model* m, int reader, cd_node node, bool* depends)
{
    if (node == CARDAN_NONE) return true;
    if (cd_dependence(m->description->graph, 1, &node, m->view.nsignal, depends) != CARDAN_OK) return false;
    for (int s = 0; s < m->view.nsignal; ++s) {
        bool is_new = depends[s] && m->view.signal[s].kind == CARDAN_SIGNAL_REACTION;
        for (int k = 0; k < m->nreaction_signal; ++k) is_new = is_new && m->reaction_signal[k] != s;
        if (!is_new) continue;
        m->reaction_signal[m->nreaction_signal]   = s;
        m->reaction_reader[m->nreaction_signal++] = reader;
    }
    return true;
}

static bool add_readers(cardan_model* m, bool* depends)
{
    bool ok = true;
    for (int i = 0; i < m->view.nforce; ++i)
        for (int k = 0; k < 3 && ok; ++k) ok = add_reader(m, i, m->view.force[i].component[k], depends);
    for (int i = 0; i < m->view.nstate && ok; ++i)
        ok = add_reader(m, m->view.nforce + i, m->view.state[i].rate, depends);
    return ok;
}

// Report an output or stop condition that depends on a reaction.
static cardan_status refuse_output(const cardan_model* m, const char* name, cardan_location location, cd_node node,
                                   bool* depends, cardan_report* report)
{
    if (node == CARDAN_NONE) return CARDAN_OK;
    if (cd_dependence(m->description->graph, 1, &node, m->view.nsignal, depends) != CARDAN_OK) return CARDAN_NO_MEMORY;
    for (int s = 0; s < m->view.nsignal; ++s)
        if (depends[s] && m->view.signal[s].kind == CARDAN_SIGNAL_REACTION)
            return cardan_fail(report, CARDAN_BAD_INPUT, CARDAN_CODE_EXPRESSION_INVALID, location,
                               "%s%s%s reads the reaction of joint '%s', which is known only together with the "
                               "accelerations: forces and rates of states may read it; the results contain it in the "
                               "columns 'reactions'",
                               name ? "output '" : "the stop condition", name ? name : "", name ? "'" : "",
                               m->view.joint[m->view.signal[s].a].name);
    return CARDAN_OK;
}

cardan_status cd_compile_reaction_signals(cardan_model* m, cardan_report* report)
{
    bool*         depends = cd_allocate((size_t)m->view.nsignal + 1, sizeof *depends);
    cardan_status status  = depends ? CARDAN_OK : CARDAN_NO_MEMORY;
    m->nreaction_signal   = 0;
    if (!status && !add_readers(m, depends)) status = CARDAN_NO_MEMORY;
    for (int i = 0; !status && i < m->view.noutput; ++i)
        status = refuse_output(m, m->view.output[i].name, m->view.output[i].location, m->view.output[i].value, depends,
                               report);
    if (!status) status = refuse_output(m, NULL, cardan_location_none(), m->view.run->stop_condition, depends, report);
    free(depends);
    if (status != CARDAN_NO_MEMORY) return status;
    return cardan_fail(report, CARDAN_NO_MEMORY, CARDAN_CODE_OUT_OF_MEMORY, cardan_location_none(),
                       "out of memory for the formulas of '%s'", m->view.name);
}

cd_reaction_reader cd_reader_of_reaction(const cardan_model* m, int k)
{
    const int i = m->reaction_reader[k];
    if (i < m->view.nforce) return (cd_reaction_reader){"force", m->view.force[i].name, m->view.force[i].location};
    const cardan_user_state* state = &m->view.state[i - m->view.nforce];
    return (cd_reaction_reader){"state", state->name, state->location};
}

cardan_status cd_refuse_reaction_signals(const cardan_model* m, const char* reason, cardan_report* report)
{
    if (m->nreaction_signal == 0) return CARDAN_OK;
    const cd_reaction_reader reader = cd_reader_of_reaction(m, 0);
    return cardan_fail(report, CARDAN_UNSUPPORTED, CARDAN_CODE_NOT_SUPPORTED, reader.location,
                       "%s '%s' reads the reaction of joint '%s', %s", reader.category, reader.name,
                       m->view.joint[m->view.signal[m->reaction_signal[0]].a].name, reason);
}
