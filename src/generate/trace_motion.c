// SPDX-License-Identifier: BSD-3-Clause
// Accelerations, rates of states and power, and energies of a whole mechanism, as generated routines.
#include "generate/routine.h"
#include "generate/whole.h"

#include "constraint/sources.h"

// What finds its place by an iteration, from where it was last, has as many steps as the state asks for, on whatever
// piece of a curve: a trace has those of one state.
static bool is_searched(const cd_constraint* c)
{
    bool searched = c->curve || c->steps;
    for (int i = 0; c->coupled && i < c->coupled->n; ++i) searched = searched || c->coupled->coordinate[i].steps;
    return searched;
}

cardan_status cd_motion_allows(const cardan_model* m, cardan_report* report)
{
    cd_constraint c;
    for (cd_source source = cd_source_begin(m); cd_source_next(m, &source, &c);)
        if (is_searched(&c))
            return cardan_fail(report, CARDAN_UNSUPPORTED, CARDAN_CODE_FORM_UNAVAILABLE, c.place,
                               c.curve ? "%s '%s': where on its curve a point is, and on which of its pieces, is "
                                         "looked for at every state: that is not generated"
                                       : "%s '%s' depends on coordinates of a general joint that closes a loop, which "
                                         "are looked for at every state: that is not generated",
                               c.what, c.name);
        else if (c.lossy)
            return cardan_fail(
                report, CARDAN_UNSUPPORTED, CARDAN_CODE_FORM_UNAVAILABLE, c.place,
                "%s '%s' loses by its load, in one of two ways that the sign of the load decides after every solve: "
                "that is not generated; with an efficiency and a back_efficiency of 1 it is",
                c.what, c.name);
    return CARDAN_OK;
}

// What counts turns of joints that are not in the tree depends on the past.
cardan_status cd_rate_allows(const cardan_model* m, cardan_report* report)
{
    const cardan_status status = cd_motion_allows(m, report);
    if (status != CARDAN_OK) return status;
    if (m->policy == CARDAN_TREE_FLAT)
        return cardan_fail(report, CARDAN_UNSUPPORTED, CARDAN_CODE_FORM_UNAVAILABLE, cardan_nowhere(),
                           "'%s' is compiled for flat coordinates, which are not generated", m->view.name);
    bool watched = cd_laws_push(m, true);
    for (int i = 0; i < m->view.nsignal; ++i)
        watched =
            watched || (m->view.signal[i].kind == CARDAN_SIGNAL_COORDINATE && m->place[m->view.signal[i].a].q >= m->nq);
    if (!watched) return CARDAN_OK;
    return cardan_fail(
        report, CARDAN_UNSUPPORTED, CARDAN_CODE_FORM_UNAVAILABLE, cardan_nowhere(),
        "forces of '%s' depend on joints that close loops, whose turns a run counts: that is not generated",
        m->view.name);
}

bool cd_has_rows(const cardan_model* m) { return cd_closure_rows(m) + cd_rotors_count(m) > 0; }

int cd_motion_ways(const cardan_model* m) { return cd_has_rows(m) ? cd_formulation_rows() : 2; }
int cd_motion_d_ways(const cardan_model* m) { return cd_has_rows(m) ? cd_formulation_rows() : 1; }

// Kinetic energy, rotors included, and potential energy of gravity and springs.
static cardan_status give_energy(const cardan_model* m, whole* w, cd_node* output)
{
    real kinetic = r_lift(0), stored = r_lift(0), rate = r_lift(0);
    for (int i = 0; i < m->nlink; ++i) {
        const cd_link* link = &m->link[i];
        const frame    T    = w->world.pose[i];
        const spatial  V    = {m3_tmul(T.R, w->world.velocity[i].a), m3_tmul(T.R, w->world.velocity[i].l)};
        const rigid    I    = {r_lift(link->m), v3_lift(link->h), s3_lift(link->I)};
        kinetic             = r_add(kinetic, r_times(0.5, sv_dot(V, rigid_mul(I, V))));
        stored              = r_sub(stored, v3_dot(v3_lift(m->view.gravity),
                                                   v3_add_scaled(m3_mul(T.R, v3_lift(link->h)), r_lift(link->m), T.p)));
    }
    for (int i = 0; i < m->nv; ++i)
        kinetic = r_add(kinetic, r_mul(r_times(0.5, r_lift(m->armature[i])), r_mul(w->v[i], w->v[i])));
    for (int i = 0; i < w->rotors.nconstraint; ++i)
        kinetic = r_add(kinetic, r_mul(r_times(0.5, r_lift(w->rotors.constraint[i].parameter[0])),
                                       r_mul(w->rotors.rate[i], w->rotors.rate[i])));
    cd_laws_store(m, w->q, w->v, w->open, &stored, &rate);
    for (int i = 0; i < m->view.nforce; ++i) {
        const cd_force_input input = {m, &w->world, w->rates + 3 * i};
        real                 e     = r_lift(0);
        if (w->type[i]->store) w->type[i]->store(&m->view.force[i], &input, &e, &rate);
        stored = r_add(stored, e);
    }
    return cd_tracing_give(&w->t, 1, &kinetic, output) && cd_tracing_give(&w->t, 1, &stored, output + 1)
               ? CARDAN_OK
               : CARDAN_NO_MEMORY;
}

cardan_status cd_trace_energy(cd_graph* graph, const cd_skeleton* s, const cd_sources* in, int way, cd_node* output)
{
    (void)way;
    whole               w      = {0};
    const cardan_model* m      = s->model;
    cardan_status       status = cd_tracing_begin(&w.t, graph, s, in);
    cd_whole_layout(m, true, &w);
    if (status == CARDAN_OK && !cd_arena_reserve(&w.arena)) status = CARDAN_NO_MEMORY;
    if (status == CARDAN_OK) {
        cd_whole_layout(m, true, &w);
        cd_whole_inputs(m, &w);
        cd_place(m, &w.k, w.q);
        cd_world_poses(m, &w.k, w.v, &w.world);
        cd_whole_forces(m, true, &w);
        if (w.rotors.nrow > 0) cd_closure_evaluate(&w.world, &w.rotors);
        status = give_energy(m, &w, output);
    }
    cd_arena_release(&w.arena);
    cd_tracing_end(&w.t);
    return status;
}

// Power of drivers: -lambda'(J v) of the rows that they move.
static real driver_power(const whole* w)
{
    real power = r_lift(0);
    for (int i = 0; i < w->closure.nconstraint; ++i) {
        const cd_constraint* c = &w->closure.constraint[i];
        for (int row = 0; c->driven && row < c->nrow; ++row)
            for (int n = 0; cd_moved_rows(c) >> row & 1 && n < c->nend; ++n)
                power = r_sub(power,
                              r_mul(w->lambda[c->first_row + row], sv_dot(w->closure.equations[i].G[row * c->nend + n],
                                                                          w->world.velocity[cd_end_at(c, n)->link])));
    }
    return power;
}

// Accelerations and rates of states, with the power of a run where it is wanted, and with rows whether they are lost.
static cardan_status trace_whole(cd_graph* graph, const cd_skeleton* s, const cd_sources* in, int way, bool running,
                                 cd_node* output)
{
    whole               w      = {0};
    solver              solve  = {0};
    const cardan_model* m      = s->model;
    real                lost   = r_lift(0);
    cardan_status       status = cd_whole_begin(graph, s, in, way, way == 1, running, &w, &solve);
    if (status == CARDAN_OK) status = cd_whole_lost(m, &w, &solve, &lost);
    if (running) w.power = status == CARDAN_OK ? r_add(w.power, driver_power(&w)) : w.power;
    const bool given = status == CARDAN_OK && cd_tracing_give(&w.t, m->nv, w.a, output) &&
                       cd_tracing_give(&w.t, m->nstate, w.rates + m->nrates - m->nstate, output + m->nv) &&
                       (!running || cd_tracing_give(&w.t, 1, &w.power, output + m->nv + m->nstate)) &&
                       (!solve.f || cd_tracing_give(&w.t, 1, &lost, output + m->nv + m->nstate + running));
    if (status == CARDAN_OK && !given) status = CARDAN_NO_MEMORY;
    return cd_whole_end(&w, &solve, status);
}

cardan_status cd_trace_motion(cd_graph* graph, const cd_skeleton* s, const cd_sources* in, int way, cd_node* output)
{
    return trace_whole(graph, s, in, way, false, output);
}

cardan_status cd_trace_rate(cd_graph* graph, const cd_skeleton* s, const cd_sources* in, int way, cd_node* output)
{
    return trace_whole(graph, s, in, way, true, output);
}
