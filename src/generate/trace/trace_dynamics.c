// SPDX-License-Identifier: BSD-3-Clause
// One time point for optimal control: the four forms of paper 003, section 3.2, with the forces of the model, the
// forces and rows of its constraints, and the signals that conditions and costs use. Constraint forces are wrenches on
// links. Rows at acceleration level are evaluated for links that accelerate with a: gamma is minus the residual J a -
// gamma at a = 0, so evaluated with a it is minus the whole residual.
#include "generate/trace/traced_dynamics.h"
#include "generate/trace/traced_mechanism.h"

#include "equation/applied_wrenches.h"
#include "force/signal_values.h"

#include <stdlib.h>

// r = Q + effort - ID(q, v, 0) with the wrenches of the model
static cardan_status applied_minus_bias(traced_mechanism* w)
{
    const cardan_status status = cd_traced_inverse_dynamics(&w->t, false, w->wrench, w->r);
    for (int i = 0; i < w->t.tree->nv; ++i) w->r[i] = r_sub(w->effort[i], w->r[i]);
    return status;
}

static cardan_status implicit_form(traced_mechanism* w)
{
    const cardan_status status = cd_traced_inverse_dynamics(&w->t, true, w->wrench, w->r);
    for (int i = 0; i < w->t.tree->nv; ++i) w->r[i] = r_sub(w->r[i], w->effort[i]);
    return status;
}

// M a - r
static cardan_status semi_explicit_form(traced_mechanism* w, real* M)
{
    const int     n      = w->t.tree->nv;
    cardan_status status = applied_minus_bias(w);
    if (status == CARDAN_OK) status = cd_traced_mass_matrix(&w->t, M);
    for (int i = 0; status == CARDAN_OK && i < n; ++i) {
        real sum = r_neg(w->r[i]);
        for (int j = 0; j < n; ++j) sum = r_add(sum, r_mul(*mass_at(M, n, i, j), traced_input(&w->t, w->t.in->a + j)));
        w->a[i] = sum;
    }
    for (int i = 0; i < n; ++i) w->r[i] = w->a[i];
    return status;
}

static cardan_status factored_form(traced_mechanism* w, real* M)
{
    cardan_status status = applied_minus_bias(w);
    if (status == CARDAN_OK) status = cd_traced_mass_matrix(&w->t, M);
    if (status != CARDAN_OK) return status;
    cd_traced_mass_factor(&w->t, M);
    cd_traced_mass_solve(&w->t, M, w->r);
    return CARDAN_OK;
}

static cardan_status articulated_form(traced_mechanism* w)
{
    cardan_status status = applied_minus_bias(w);
    if (status == CARDAN_OK) status = cd_traced_articulated_solve(&w->t, w->r, w->a);
    for (int i = 0; i < w->t.tree->nv; ++i) w->r[i] = w->a[i];
    return status;
}

static cardan_status trace_form_of(traced_mechanism* w, cd_dynamics_form form)
{
    const size_t n = (size_t)w->t.tree->nv;
    real*        M = cd_allocate(n * n + 1, sizeof *M);
    if (!M) return CARDAN_NO_MEMORY;
    cardan_status status = CARDAN_OK;
    switch (form) {
    case CD_DYNAMICS_IMPL:
        status = implicit_form(w);
        break;
    case CD_DYNAMICS_SEMI:
        status = semi_explicit_form(w, M);
        break;
    case CD_DYNAMICS_EXP1:
        status = factored_form(w, M);
        break;
    case CD_DYNAMICS_EXP2:
        status = articulated_form(w);
        break;
    }
    free(M);
    return status;
}

// ---- constraints

static bool has_rows(const traced_mechanism* w) { return w->constraints.nrow + w->rotors.nrow > 0; }

static void evaluate_rows(const cardan_model* m, traced_mechanism* w)
{
    if (!has_rows(w)) return;
    cd_constraint_set_evaluate_drivers(m, w->time, &w->constraints);
    cd_constraint_set_evaluate(&w->world, &w->constraints);
    cd_constraint_set_evaluate(&w->world, &w->rotors);
}

// Add the wrenches of the multipliers to those of the forces.
static cardan_status add_constraint_forces(const cardan_model* m, const cd_traced_dynamics* out, traced_mechanism* w)
{
    if (out->nrow == 0) return CARDAN_OK;
    spatial* wrench = cd_allocate((size_t)m->nlink + 1, sizeof *wrench);
    if (!wrench) return CARDAN_NO_MEMORY;
    const int nrow = w->constraints.nrow + w->rotors.nrow;
    for (int i = 0; i < nrow; ++i) w->lambda[i] = r_const(0);
    for (int i = 0; i < out->nrow; ++i) w->lambda[out->row[i]] = traced_input(&w->t, out->first_multiplier + i);
    for (int i = 0; i < m->nlink; ++i) wrench[i] = sv_zero();
    cd_constraint_set_wrenches(&w->constraints, w->lambda, wrench);
    cd_constraint_set_wrenches(&w->rotors, w->lambda + w->constraints.nrow, wrench);
    cd_rotate_wrenches_to_links(m, &w->world, wrench);
    for (int i = 0; i < m->nlink; ++i) w->wrench[i] = sv_add(w->wrench[i], wrench[i]);
    free(wrench);
    return CARDAN_OK;
}

static bool row_has_position(const traced_mechanism* w, int row)
{
    const cd_constraint_set* set = &w->constraints;
    const int                i   = cd_constraint_of_row(set, row);
    return i != CARDAN_NONE && cd_constraint_row_is_holonomic(set, i, row - set->constraint[i].first_row);
}

static bool output_rows(const cardan_model* m, const cd_traced_dynamics* out, traced_mechanism* w)
{
    if (out->nrow == 0) return true;
    for (int i = 0; i < m->nv; ++i) w->a[i] = traced_input(&w->t, w->t.in->a + i);
    cd_world_accelerations(m, &w->k, w->v, w->a, &w->world);
    cd_constraint_set_gamma(&w->world, &w->constraints, w->gamma);
    cd_constraint_set_gamma(&w->world, &w->rotors, w->gamma + w->constraints.nrow);
    bool ok = true;
    for (int i = 0; ok && i < out->nrow; ++i) {
        const int  row = out->row[i], rotor = row - w->constraints.nrow;
        const real zero     = r_const(0);
        real       residual = r_neg(w->gamma[row]);
        if (rotor >= 0)
            residual = r_sub(
                residual, r_mul(r_div(r_const(1), r_const(w->rotors.constraint[rotor].parameter[0])), w->lambda[row]));
        ok = cd_tracing_output(&w->t, 1, rotor < 0 && row_has_position(w, row) ? &w->constraints.value[row] : &zero,
                               &out->position[i]) &&
             cd_tracing_output(&w->t, 1, rotor < 0 ? &w->constraints.rate[row] : &zero, &out->velocity[i]) &&
             cd_tracing_output(&w->t, 1, &residual, &out->acceleration[i]);
    }
    return ok;
}

static cardan_status output_signals(const cardan_model* m, const cd_traced_dynamics* out, traced_mechanism* w)
{
    const cardan_description_view view   = cardan_description_get_view(m->description);
    const cd_signal_input         source = {m, &w->world, w->time, w->q, w->v, w->state, w->effort};
    for (int i = 0; i < view.nsignal; ++i) {
        const cardan_signal* s     = &view.signal[i];
        const real           value = s->kind == CARDAN_SIGNAL_ACCELERATION
                                         ? traced_input(&w->t, w->t.in->a + m->tree_range[s->a].v + s->component)
                                         : cd_signal_value(&source, s);
        if (!cd_tracing_output(&w->t, 1, &value, &out->signal[i])) return CARDAN_NO_MEMORY;
    }
    return CARDAN_OK;
}

static cardan_status trace(const cardan_model* m, const cd_traced_dynamics* out, traced_mechanism* w)
{
    cd_traced_mechanism_set_inputs(m, w);
    cd_forward_kinematics(m, &w->k, w->q);
    cd_world_poses(m, &w->k, w->v, &w->world);
    cd_evaluate_off_tree_joints(m, &w->world, w->q, w->v);
    cardan_status status = output_signals(m, out, w);
    cd_traced_mechanism_forces(m, false, w);
    evaluate_rows(m, w);
    if (status == CARDAN_OK) status = add_constraint_forces(m, out, w);
    if (status == CARDAN_OK) status = trace_form_of(w, out->form);
    const bool written = status != CARDAN_OK ||
                         (cd_tracing_output(&w->t, m->nv, w->r, out->dynamics) &&
                          cd_tracing_output(&w->t, m->nstate, w->rates + m->nformula - m->nstate, out->state_rate) &&
                          output_rows(m, out, w));
    return written ? status : CARDAN_NO_MEMORY;
}

cardan_status cd_trace_dynamics(cd_graph* graph, const cd_link_tree* tree, const cd_input_layout* in,
                                cd_traced_dynamics* out)
{
    traced_mechanism w      = {0};
    cardan_status    status = cd_traced_mechanism_create(graph, tree, in, &w);
    if (status == CARDAN_OK) status = trace(tree->model, out, &w);
    cd_traced_mechanism_release(&w);
    return status;
}
