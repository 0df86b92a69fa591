// SPDX-License-Identifier: BSD-3-Clause
// Accelerations, rates of states and power, and energies of a whole mechanism, as generated routines.
#include "generate/routine/routine.h"
#include "generate/trace/contact_check.h"
#include "generate/trace/traced_mechanism.h"

#include "constraint/constraint_sources.h"
#include "dynamics/contacts/rigid_contacts.h"
#include "model/reaction_signals.h"

// True for constraints that are evaluated by an iteration from the previous foot point or coordinates. Its number of
// iterations and its curve segment depend on the state; a trace would contain those of one state only.
static bool needs_iteration(const cd_constraint* c)
{
    bool iterative = c->curve || c->general_joint;
    for (int i = 0; c->coupled && i < c->coupled->n; ++i)
        iterative = iterative || c->coupled->coordinate[i].general_joint;
    return iterative;
}

cardan_status cd_motion_check_model(const cardan_model* m, cardan_report* report)
{
    cd_constraint c;
    for (cd_constraint_source source = cd_constraint_source_begin(m); cd_constraint_source_next(m, &source, &c);)
        if (needs_iteration(&c))
            return cardan_fail(report, CARDAN_UNSUPPORTED, CARDAN_CODE_FORM_UNAVAILABLE, c.location,
                               c.curve ? "%s '%s': the foot point on its curve and its segment are found by iteration "
                                         "at every state, which generated code does not support"
                                       : "%s '%s' depends on coordinates of a general joint that closes a loop, found "
                                         "by iteration at every state, which generated code does not support",
                               c.category, c.name);
        else if (c.has_losses)
            return cardan_fail(report, CARDAN_UNSUPPORTED, CARDAN_CODE_FORM_UNAVAILABLE, c.location,
                               "%s '%s' has losses that depend on the sign of its load, known only after each solve, "
                               "which generated code does not support; set efficiency and back_efficiency to 1",
                               c.category, c.name);
    cardan_status status =
        cd_refuse_rigid_contacts(m, "whose states change in a run, which generated code does not support", report);
    if (status == CARDAN_OK) status = cd_check_traced_contacts(m, "generated code", report);
    return status == CARDAN_OK
               ? cd_refuse_reaction_signals(
                     m, "found by iteration at every state, which generated code does not support", report)
               : status;
}

cardan_status cd_energy_check_model(const cardan_model* m, cardan_report* report)
{
    return cd_check_traced_contacts(m, "generated code", report);
}

// Forces that depend on the winding of off-tree joints depend on the history and are not generated.
cardan_status cd_rate_check_model(const cardan_model* m, cardan_report* report)
{
    const cardan_status status = cd_motion_check_model(m, report);
    if (status != CARDAN_OK) return status;
    if (m->policy == CARDAN_TREE_MAXIMAL)
        return cardan_fail(report, CARDAN_UNSUPPORTED, CARDAN_CODE_FORM_UNAVAILABLE, cardan_location_none(),
                           "'%s' is compiled for maximal coordinates, which generated code does not support",
                           m->view.name);
    if (m->contact_scene)
        return cardan_fail(
            report, CARDAN_UNSUPPORTED, CARDAN_CODE_FORM_UNAVAILABLE, m->view.contact_settings->location,
            "'%s' has contacts: a run locates the events at which they begin and end, which generated code "
            "does not support",
            m->view.name);
    bool counts_winding = cd_joint_forces_active(m, true);
    for (int i = 0; i < m->view.nsignal; ++i)
        counts_winding = counts_winding || (m->view.signal[i].kind == CARDAN_SIGNAL_COORDINATE &&
                                            m->joint_range[m->view.signal[i].a].q >= m->nq);
    if (!counts_winding) return CARDAN_OK;
    return cardan_fail(report, CARDAN_UNSUPPORTED, CARDAN_CODE_FORM_UNAVAILABLE, cardan_location_none(),
                       "forces of '%s' depend on joints that close loops, whose revolutions a run counts, which "
                       "generated code does not support",
                       m->view.name);
}

int cd_motion_method_count(const cardan_model* m) { return cd_has_constraint_rows(m) ? cd_formulation_count() : 2; }
int cd_motion_derivatives_method_count(const cardan_model* m)
{
    return cd_has_constraint_rows(m) ? cd_formulation_count() : 1;
}

// Kinetic energy, rotors included, and potential energy of gravity and springs.
static cardan_status output_energy(const cardan_model* m, traced_mechanism* w, cd_node* output)
{
    real kinetic = r_const(0), potential = r_const(0), rate = r_const(0);
    for (int i = 0; i < m->nlink; ++i) {
        const cd_link* link = &m->link[i];
        const frame    T    = w->world.pose[i];
        const spatial  V    = {m3_tmul(T.R, w->world.velocity[i].a), m3_tmul(T.R, w->world.velocity[i].l)};
        const rigid    I    = {r_const(link->m), v3_const(link->h), s3_const(link->I)};
        kinetic             = r_add(kinetic, r_scale(0.5, sv_dot(V, rigid_mul(I, V))));
        potential           = r_sub(potential, v3_dot(v3_const(m->view.gravity),
                                                      v3_add_scaled(m3_mul(T.R, v3_const(link->h)), r_const(link->m), T.p)));
    }
    for (int i = 0; i < m->nv; ++i)
        kinetic = r_add(kinetic, r_mul(r_scale(0.5, r_const(m->armature[i])), r_mul(w->v[i], w->v[i])));
    for (int i = 0; i < w->rotors.nconstraint; ++i)
        kinetic = r_add(kinetic, r_mul(r_scale(0.5, r_const(w->rotors.constraint[i].parameter[0])),
                                       r_mul(w->rotors.rate[i], w->rotors.rate[i])));
    cd_joint_forces_stored_energy(m, w->q, w->v, w->inactive_stops, &potential, &rate);
    for (int i = 0; i < m->view.nforce; ++i) {
        const cd_force_input input = {m, &w->world, w->rates + 3 * i};
        real                 e     = r_const(0);
        if (w->force_type[i]->stored_energy) w->force_type[i]->stored_energy(&m->view.force[i], &input, &e, &rate);
        potential = r_add(potential, e);
    }
    potential = r_add(potential, w->contacts.stored_energy);
    return cd_tracing_output(&w->t, 1, &kinetic, output) && cd_tracing_output(&w->t, 1, &potential, output + 1)
               ? CARDAN_OK
               : CARDAN_NO_MEMORY;
}

cardan_status cd_trace_energy(cd_graph* graph, const cd_link_tree* tree, const cd_input_layout* in, int method,
                              cd_node* output)
{
    (void)method;
    traced_mechanism    w      = {0};
    const cardan_model* m      = tree->model;
    cardan_status       status = cd_traced_mechanism_create(graph, tree, in, &w);
    if (status == CARDAN_OK) {
        cd_traced_mechanism_set_inputs(m, &w);
        cd_forward_kinematics(m, &w.k, w.q);
        cd_world_poses(m, &w.k, w.v, &w.world);
        cd_traced_mechanism_forces(m, true, &w);
        if (w.rotors.nrow > 0) cd_constraint_set_evaluate(&w.world, &w.rotors);
        status = output_energy(m, &w, output);
    }
    cd_traced_mechanism_release(&w);
    return status;
}

// Power of the drivers: -lambda'(J v) over driven rows.
static real driver_power(const traced_mechanism* w)
{
    real power = r_const(0);
    for (int i = 0; i < w->constraints.nconstraint; ++i) {
        const cd_constraint* c = &w->constraints.constraint[i];
        for (int row = 0; c->driven_rows && row < c->nrow; ++row)
            for (int n = 0; cd_driven_row_mask(c) >> row & 1 && n < c->nend; ++n)
                power = r_sub(power, r_mul(w->lambda[c->first_row + row],
                                           sv_dot(w->constraints.equations[i].G[row * c->nend + n],
                                                  w->world.velocity[cd_constraint_end(c, n)->link])));
    }
    return power;
}

// Trace accelerations and rates of states; for a run also the power; with constraint rows also the return code.
static cardan_status trace_accelerations(cd_graph* graph, const cd_link_tree* tree, const cd_input_layout* in,
                                         int method, bool for_run, cd_node* output)
{
    traced_mechanism    w       = {0};
    traced_solver       solve   = {0};
    const cardan_model* m       = tree->model;
    real                invalid = r_const(0);
    cardan_status status = cd_traced_mechanism_accelerate(graph, tree, in, method, method == 1, for_run, &w, &solve);
    if (status == CARDAN_OK) status = cd_traced_mechanism_validity(m, &w, &solve, &invalid);
    if (for_run) w.power = status == CARDAN_OK ? r_add(w.power, driver_power(&w)) : w.power;
    const bool done = status == CARDAN_OK && cd_tracing_output(&w.t, m->nv, w.a, output) &&
                      cd_tracing_output(&w.t, m->nstate, w.rates + m->nformula - m->nstate, output + m->nv) &&
                      (!for_run || cd_tracing_output(&w.t, 1, &w.power, output + m->nv + m->nstate)) &&
                      (!solve.f || cd_tracing_output(&w.t, 1, &invalid, output + m->nv + m->nstate + for_run));
    if (status == CARDAN_OK && !done) status = CARDAN_NO_MEMORY;
    return cd_traced_mechanism_end(&w, &solve, status);
}

cardan_status cd_trace_motion(cd_graph* graph, const cd_link_tree* tree, const cd_input_layout* in, int method,
                              cd_node* output)
{
    return trace_accelerations(graph, tree, in, method, false, output);
}

cardan_status cd_trace_rate(cd_graph* graph, const cd_link_tree* tree, const cd_input_layout* in, int method,
                            cd_node* output)
{
    return trace_accelerations(graph, tree, in, method, true, output);
}
