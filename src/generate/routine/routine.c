// SPDX-License-Identifier: BSD-3-Clause
// Table of the routines, dimensions of their results, and their references by the runtime library.
#include "generate/routine/runtime_reference.h"

#include "constraint/constraint_set.h"
#include "dynamics/derivatives/state_jacobian.h"
#include "dynamics/energy.h"
#include "dynamics/rows/constraint_update.h"
#include "dynamics/rows/jacobian_operator.h"
#include "explain/explain.h"
#include "kinematics/composite_inertia.h"
#include "kinematics/inverse_derivatives.h"
#include "math/quaternion.h"

#include <cardan/derivatives.h>
#include <cardan/generate.h>

#include <math.h>
#include <stdlib.h>
#include <string.h>

int cd_result_count(const cd_routine_result* r) { return r->nonzero ? r->nnonzero : r->rows * r->columns; }

bool cd_has_return_code(int nresult, const cd_routine_result* result)
{
    return nresult > 0 && result[nresult - 1].is_return_code;
}

int cd_multiplier_count(const cardan_model* m) { return cd_constraint_row_count(m); }

static int impl_results(const cardan_model* m, cd_routine_result* r)
{
    r[0] = (cd_routine_result){"tau", "joint efforts", m->nv, 1, 0, NULL, false};
    return 1;
}

static int mass_results(const cardan_model* m, cd_routine_result* r)
{
    r[0] = (cd_routine_result){"M", "mass matrix, row by row", m->nv, m->nv, 0, NULL, false};
    return 1;
}

static int semi_results(const cardan_model* m, cd_routine_result* r)
{
    mass_results(m, r);
    r[1] = (cd_routine_result){"c", "efforts at a = 0", m->nv, 1, 0, NULL, false};
    return 2;
}

static int exp1_results(const cardan_model* m, cd_routine_result* r)
{
    r[0] = (cd_routine_result){"a", "accelerations", m->nv, 1, 0, NULL, false};
    return 1;
}

static int exp2_results(const cardan_model* m, cd_routine_result* r) { return exp1_results(m, r); }

// Reference of inverse dynamics and mass matrix: without forces of the model.
static cardan_status impl_reference(cd_runtime_reference* reference, const cd_input_layout* in, const double* x,
                                    double* all, cardan_report* report)
{
    cardan_data* d = reference->data;
    (void)report;
    cd_inverse_dynamics(d->m, &d->k, x + in->v, x + in->a, NULL, all);
    return CARDAN_OK;
}

static cardan_status mass_reference(cd_runtime_reference* reference, const cd_input_layout* in, const double* x,
                                    double* all, cardan_report* report)
{
    cardan_data* d = reference->data;
    (void)in, (void)x, (void)report;
    const size_t n = (size_t)d->m->nv;
    cd_mass_matrix_crba(d->m, &d->k, d->scratch.composite_inertia, all);
    for (size_t i = 0; i < n; ++i)
        for (size_t j = i + 1; j < n; ++j) all[i * n + j] = all[j * n + i];
    return CARDAN_OK;
}

static cardan_status semi_reference(cd_runtime_reference* reference, const cd_input_layout* in, const double* x,
                                    double* all, cardan_report* report)
{
    cardan_data* d = reference->data;
    cd_inverse_dynamics(d->m, &d->k, x + in->v, NULL, NULL, all + (size_t)d->m->nv * (size_t)d->m->nv);
    return mass_reference(reference, in, x, all, report);
}

static cardan_status exp1_reference(cd_runtime_reference* reference, const cd_input_layout* in, const double* x,
                                    double* all, cardan_report* report)
{
    cardan_data*  d = reference->data;
    cd_solve_info where;
    cd_inverse_dynamics(d->m, &d->k, x + in->v, NULL, NULL, d->solve.bias_effort);
    for (int i = 0; i < d->m->nv; ++i) d->solve.r[i] = x[in->effort + i] - d->solve.bias_effort[i];
    const cardan_status status = cd_articulated_factor(d->m, &d->k, &reference->articulated, &where);
    if (status != CARDAN_OK) {
        reference->massless_velocity = where.failed_velocity;
        return cd_fail_zero_inertia(d, where.failed_velocity, report);
    }
    cd_articulated_inward(d->m, &d->k, &reference->articulated, d->solve.r, d->solve.r);
    cd_articulated_outward(d->m, &d->k, &reference->articulated, d->solve.r, all);
    return CARDAN_OK;
}

static cardan_status exp2_reference(cd_runtime_reference* reference, const cd_input_layout* in, const double* x,
                                    double* all, cardan_report* report)
{
    return exp1_reference(reference, in, x, all, report);
}

// Add the return code to the results of routines that eliminate rows. Its reference is 0: the reference is evaluated at
// valid states only.
static int add_return_code(const cardan_model* m, cd_routine_result* r, int n)
{
    if (!cd_has_constraint_rows(m)) return n;
    r[n] = (cd_routine_result){"invalid", "return code", 1, 1, 0, NULL, true};
    return n + 1;
}

static void set_valid(const cardan_model* m, double* to)
{
    if (cd_has_constraint_rows(m)) *to = 0;
}

static int motion_results(const cardan_model* m, cd_routine_result* r)
{
    r[0] = (cd_routine_result){"a", "accelerations", m->nv, 1, 0, NULL, false};
    r[1] = (cd_routine_result){"state_rate", "rates of the user states", m->nstate, 1, 0, NULL, false};
    return add_return_code(m, r, m->nstate > 0 ? 2 : 1);
}

static cardan_status motion_reference(cd_runtime_reference* reference, const cd_input_layout* in, const double* x,
                                      double* all, cardan_report* report)
{
    cardan_data* d = reference->data;
    if (!d->formulation) return CARDAN_UNSUPPORTED;
    cardan_data_set_external_forces(d, x + in->effort, NULL);
    const cardan_status status = cardan_data_accelerate(d, all, all + d->m->nv, report);
    cardan_data_set_external_forces(d, NULL, NULL);
    set_valid(d->m, all + d->m->nv + d->m->nstate);
    return status;
}

static int rate_results(const cardan_model* m, cd_routine_result* r)
{
    r[0] = (cd_routine_result){"a", "accelerations", m->nv, 1, 0, NULL, false};
    r[1] = (cd_routine_result){"state_rate", "rates of the user states", m->nstate, 1, 0, NULL, false};
    r[2] = (cd_routine_result){"power", "power of forces without potential", 1, 1, 0, NULL, false};
    return add_return_code(m, r, 3);
}

static cardan_status rate_reference(cd_runtime_reference* reference, const cd_input_layout* in, const double* x,
                                    double* all, cardan_report* report)
{
    cardan_data* d = reference->data;
    if (!d->formulation) return CARDAN_UNSUPPORTED;
    cardan_data_set_external_forces(d, x + in->effort, NULL);
    d->settings.frozen_stops   = reference->inactive_stops;
    const cardan_status status = cardan_data_accelerate(d, all, all + d->m->nv, report);
    if (status == CARDAN_OK) all[d->m->nv + d->m->nstate] = cd_nonconservative_power(d);
    d->settings.frozen_stops = NULL;
    cardan_data_set_external_forces(d, NULL, NULL);
    set_valid(d->m, all + d->m->nv + d->m->nstate + 1);
    return status;
}

static int energy_results(const cardan_model* m, cd_routine_result* r)
{
    (void)m;
    r[0] = (cd_routine_result){"kinetic", "kinetic energy", 1, 1, 0, NULL, false};
    r[1] = (cd_routine_result){"potential", "potential energy of gravity and springs", 1, 1, 0, NULL, false};
    return 2;
}

static cardan_status energy_reference(cd_runtime_reference* reference, const cd_input_layout* in, const double* x,
                                      double* all, cardan_report* report)
{
    cardan_data* d = reference->data;
    (void)in, (void)x, (void)report;
    d->settings.frozen_stops = reference->inactive_stops;
    d->valid.forces          = false;
    const cardan_energies e  = cardan_data_energy(d);
    d->settings.frozen_stops = NULL;
    d->valid.forces          = false;
    all[0]                   = e.kinetic;
    all[1]                   = e.potential;
    return CARDAN_OK;
}

cardan_status cd_markers_check_model(const cardan_model* m, cardan_report* report)
{
    return m->nmarker > 0 ? CARDAN_OK
                          : cardan_fail(report, CARDAN_UNSUPPORTED, CARDAN_CODE_NOT_SUPPORTED, cardan_location_none(),
                                        "'%s' has no markers", m->view.name);
}

static int markers_results(const cardan_model* m, cd_routine_result* r)
{
    r[0] = (cd_routine_result){
        "pose", "rotation matrix row by row, then position, of each marker", m->nmarker, 12, 0, NULL, false};
    r[1] = (cd_routine_result){"velocity", "angular, then linear velocity, world axes", m->nmarker, 6, 0, NULL, false};
    r[2] = (cd_routine_result){
        "jacobian", "derivatives of velocity by v, six rows per marker", 6 * m->nmarker, m->nv, 0, NULL, false};
    return 3;
}

static cardan_status markers_reference(cd_runtime_reference* reference, const cd_input_layout* in, const double* x,
                                       double* all, cardan_report* report)
{
    cardan_data*        d = reference->data;
    const cardan_model* m = d->m;
    (void)in, (void)x, (void)report;
    double *pose = all, *velocity = all + 12 * m->nmarker, *J = velocity + 6 * m->nmarker;
    for (int i = 0; i < m->nmarker; ++i) {
        cardan_motion motion;
        cardan_data_marker_motion(d, i, NULL, &motion);
        cardan_data_marker_jacobian(d, i, J + (size_t)i * 6 * (size_t)m->nv);
        q4_matrix(motion.q, pose + 12 * i);
        memcpy(pose + 12 * i + 9, motion.p, sizeof motion.p);
        memcpy(velocity + 6 * i, motion.w, sizeof motion.w);
        memcpy(velocity + 6 * i + 3, motion.v, sizeof motion.v);
    }
    return CARDAN_OK;
}

static int impl_d_results(const cardan_model* m, cd_routine_result* r)
{
    r[0] = (cd_routine_result){"tau_q", "d tau / d q, row by row", m->nv, m->nv, 0, NULL, false};
    r[1] = (cd_routine_result){"tau_v", "d tau / d v", m->nv, m->nv, 0, NULL, false};
    r[2] = (cd_routine_result){"tau_a", "d tau / d a, the mass matrix", m->nv, m->nv, 0, NULL, false};
    return 3;
}

static cardan_status impl_d_reference(cd_runtime_reference* reference, const cd_input_layout* in, const double* x,
                                      double* all, cardan_report* report)
{
    (void)report;
    cardan_data*           d = reference->data;
    const cardan_model*    m = d->m;
    const size_t           n = (size_t)m->nv, nn = n * n;
    cd_inverse_derivatives w;
    cd_arena               arena = {0};
    for (int pass = 0; pass < 2; ++pass) {
        cd_inverse_derivatives_layout(m, &arena, &w);
        if (pass == 0 && !cd_arena_reserve(&arena)) return CARDAN_NO_MEMORY;
    }
    cd_root_frame_poses(m, &d->k);
    cd_inverse_derivatives_evaluate(m, &d->k, x + in->v, x + in->a, NULL, &w);
    memset(all, 0, 3 * nn * sizeof *all);
    for (int r = 0; r < m->nv; ++r) {
        int e = w.start[r];
        for (int u = r; u >= 0; u = m->v_parent[u], ++e) {
            const size_t here = (size_t)r * n + (size_t)u, there = (size_t)u * n + (size_t)r;
            all[there] = w.q_transposed[e], all[nn + there] = w.v_transposed[e];
            all[here] = w.q[e], all[nn + here] = w.v[e];
            all[2 * nn + here] = all[2 * nn + there] = w.a[e];
        }
    }
    cd_arena_release(&arena);
    return CARDAN_OK;
}

static int impl_j_results(const cardan_model* m, cd_routine_result* r)
{
    impl_d_results(m, r);
    return 2;
}

static cardan_status impl_j_reference(cd_runtime_reference* reference, const cd_input_layout* in, const double* x,
                                      double* all, cardan_report* report)
{
    const size_t  nn     = (size_t)reference->data->m->nv * (size_t)reference->data->m->nv;
    double*       full   = cd_allocate(3 * nn + 1, sizeof *full);
    cardan_status status = full ? impl_d_reference(reference, in, x, full, report) : CARDAN_NO_MEMORY;
    if (status == CARDAN_OK) memcpy(all, full, 2 * nn * sizeof *all);
    free(full);
    return status;
}

static int exp1_d_results(const cardan_model* m, cd_routine_result* r)
{
    r[0] = (cd_routine_result){"a", "accelerations", m->nv, 1, 0, NULL, false};
    r[1] = (cd_routine_result){"a_q", "d a / d q, row by row", m->nv, m->nv, 0, NULL, false};
    r[2] = (cd_routine_result){"a_v", "d a / d v", m->nv, m->nv, 0, NULL, false};
    r[3] = (cd_routine_result){"a_effort", "d a / d effort", m->nv, m->nv, 0, NULL, false};
    return 4;
}

// X(:,j) = -M^-1 T(:,j), or M^-1 e_j if T is NULL, with the articulated-body factorization of the reference.
static void solve_column(cd_runtime_reference* reference, const double* T, size_t j, double* X)
{
    cardan_data* d = reference->data;
    const size_t n = (size_t)d->m->nv;
    for (size_t i = 0; i < n; ++i) d->solve.r[i] = T ? -T[i * n + j] : i == j;
    cd_articulated_inward(d->m, &d->k, &reference->articulated, d->solve.r, d->solve.r);
    cd_articulated_outward(d->m, &d->k, &reference->articulated, d->solve.r, d->scratch.nv);
    for (size_t i = 0; i < n; ++i) X[i * n + j] = d->scratch.nv[i];
}

static cardan_status exp1_d_reference(cd_runtime_reference* reference, const cd_input_layout* in, const double* x,
                                      double* all, cardan_report* report)
{
    const size_t  n = (size_t)reference->data->m->nv, nn = n * n;
    double*       tau    = cd_allocate(3 * nn + 1, sizeof *tau);
    double*       at     = cd_allocate((size_t)in->count, sizeof *at);
    cardan_status status = tau && at ? exp1_reference(reference, in, x, all, report) : CARDAN_NO_MEMORY;
    if (status == CARDAN_OK) {
        memcpy(at, x, (size_t)in->count * sizeof *at);
        memcpy(at + in->a, all, n * sizeof *at);
        status = impl_d_reference(reference, in, at, tau, report);
    }
    for (size_t j = 0; status == CARDAN_OK && j < n; ++j) {
        solve_column(reference, tau, j, all + n);
        solve_column(reference, tau + nn, j, all + n + nn);
        solve_column(reference, NULL, j, all + n + 2 * nn);
    }
    free(tau), free(at);
    return status;
}

static int motion_d_results(const cardan_model* m, cd_routine_result* r)
{
    r[0] = (cd_routine_result){"a_q", "d a / d q, row by row", m->nv, m->nv, 0, NULL, false};
    r[1] = (cd_routine_result){"a_v", "d a / d v", m->nv, m->nv, 0, NULL, false};
    r[2] = (cd_routine_result){"a_effort", "d a / d effort", m->nv, m->nv, 0, NULL, false};
    if (m->nstate == 0) return add_return_code(m, r, 3);
    r[3] = (cd_routine_result){"a_state", "d a / d state", m->nv, m->nstate, 0, NULL, false};
    r[4] = (cd_routine_result){"rate_q", "d state_rate / d q", m->nstate, m->nv, 0, NULL, false};
    r[5] = (cd_routine_result){"rate_v", "d state_rate / d v", m->nstate, m->nv, 0, NULL, false};
    r[6] = (cd_routine_result){"rate_state", "d state_rate / d state", m->nstate, m->nstate, 0, NULL, false};
    return add_return_code(m, r, 7);
}

static int rate_d_results(const cardan_model* m, cd_routine_result* r)
{
    r[0] = (cd_routine_result){"a_q", "d a / d q, row by row", m->nv, m->nv, 0, NULL, false};
    r[1] = (cd_routine_result){"a_v", "d a / d v", m->nv, m->nv, 0, NULL, false};
    r[2] = (cd_routine_result){"a_state", "d a / d state", m->nv, m->nstate, 0, NULL, false};
    r[3] = (cd_routine_result){"rate_q", "d state_rate / d q", m->nstate, m->nv, 0, NULL, false};
    r[4] = (cd_routine_result){"rate_v", "d state_rate / d v", m->nstate, m->nv, 0, NULL, false};
    r[5] = (cd_routine_result){"rate_state", "d state_rate / d state", m->nstate, m->nstate, 0, NULL, false};
    return add_return_code(m, r, 6);
}

static void dense_jacobian(cardan_data* d, double* J)
{
    const size_t nv = (size_t)d->m->nv;
    cd_update_rows(d);
    memset(J, 0, nv * (size_t)d->rows.nrow * sizeof *J);
    for (int c = 0; c < d->constraints.nconstraint; ++c) {
        const cd_row_block b = cd_joint_space_block(d, &d->constraints, c);
        for (int i = 0; i < b.nrow; ++i)
            for (int k = 0; k < b.nv; ++k) J[(size_t)(b.row + i) * nv + (size_t)b.v[k]] = b.J[i * b.nv + k];
    }
}

static cardan_status motion_derivatives(cd_runtime_reference* reference, const cd_input_layout* in, const double* x,
                                        bool for_run, double* all, cardan_report* report)
{
    cardan_data* d = reference->data;
    const size_t n = (size_t)d->m->nv, nn = n * n, ns = (size_t)d->m->nstate;
    double*      g = all + (for_run ? 2 : 3) * nn;
    if (!d->formulation) return CARDAN_UNSUPPORTED;
    cardan_derivatives* w      = NULL;
    cardan_status       status = cardan_derivatives_create(d, &w, report);
    if (status != CARDAN_OK) return status;
    const cardan_forward_dynamics_jacobians jacobians = {.a_q        = all,
                                                         .a_v        = all + nn,
                                                         .a_effort   = for_run ? NULL : all + 2 * nn,
                                                         .a_state    = ns ? g : NULL,
                                                         .rate_q     = ns ? g + n * ns : NULL,
                                                         .rate_v     = ns ? g + 2 * n * ns : NULL,
                                                         .rate_state = ns ? g + 3 * n * ns : NULL};
    cardan_data_set_external_forces(d, x + in->effort, NULL);
    d->settings.frozen_stops = for_run ? reference->inactive_stops : NULL;
    status                   = cardan_derivatives_of_forward_dynamics(w, NULL, &jacobians, report);
    d->settings.frozen_stops = NULL;
    cardan_data_set_external_forces(d, NULL, NULL);
    cardan_derivatives_destroy(w);
    set_valid(d->m, g + 3 * n * ns + ns * ns);
    return status;
}

static cardan_status motion_d_reference(cd_runtime_reference* reference, const cd_input_layout* in, const double* x,
                                        double* all, cardan_report* report)
{
    return motion_derivatives(reference, in, x, false, all, report);
}

static cardan_status rate_d_reference(cd_runtime_reference* reference, const cd_input_layout* in, const double* x,
                                      double* all, cardan_report* report)
{
    return motion_derivatives(reference, in, x, true, all, report);
}

static int equations_results(const cardan_model* m, cd_routine_result* r)
{
    const int nrow = cd_constraint_row_count(m);
    r[0]           = (cd_routine_result){"r", "residual of the equations of motion", m->nv, 1, 0, NULL, false};
    r[1]           = (cd_routine_result){"state_rate", "rates of the user states", m->nstate, 1, 0, NULL, false};
    r[2]           = (cd_routine_result){"c", "constraint violations", nrow, 1, 0, NULL, false};
    r[3]           = (cd_routine_result){"c_rate", "their rates", nrow, 1, 0, NULL, false};
    r[4]           = (cd_routine_result){"c_acceleration", "their accelerations", nrow, 1, 0, NULL, false};
    return 5;
}

static cardan_status equations_reference(cd_runtime_reference* reference, const cd_input_layout* in, const double* x,
                                         double* all, cardan_report* report)
{
    cardan_data* d  = reference->data;
    const int    nv = d->m->nv, ns = d->m->nstate, nrow = d->rows.nrow;
    double*      c = all + nv + ns;
    (void)report;
    cardan_data_set_external_forces(d, x + in->effort, NULL);
    d->settings.frozen_stops = reference->inactive_stops;
    cardan_status status     = cardan_data_residual(d, x + in->a, all);
    if (status == CARDAN_OK && ns)
        memcpy(all + nv, d->forces.formula_value + 3 * d->m->view.nforce, (size_t)ns * sizeof *all);
    if (status == CARDAN_OK && nrow > 0) {
        cd_update_rows(d);
        cd_add_jacobian_transposed_times(d, &d->rows, x + in->multiplier, all);
        memcpy(c, d->constraints.value, (size_t)nrow * sizeof *c);
        memcpy(c + nrow, d->constraints.rate, (size_t)nrow * sizeof *c);
        cd_jacobian_times(d, &d->rows, x + in->a, c + 2 * nrow);
        for (int i = 0; i < nrow; ++i) c[2 * nrow + i] -= d->solve.gamma[i];
    }
    d->settings.frozen_stops = NULL;
    cardan_data_set_external_forces(d, NULL, NULL);
    return status;
}

static int equations_d_results(const cardan_model* m, cd_routine_result* r)
{
    const int nrow = cd_constraint_row_count(m), n = m->nv + m->nstate + 3 * nrow;
    r[0] = (cd_routine_result){
        "by_q", "one row per velocity: d (r, state_rate, c, c_rate, c_acceleration) / d q along it", m->nv, n, 0, NULL,
        false};
    r[1] = (cd_routine_result){"by_v", "the same by v", m->nv, n, 0, NULL, false};
    r[2] = (cd_routine_result){"by_state", "the same by user states", m->nstate, n, 0, NULL, false};
    r[3] = (cd_routine_result){"M", "mass matrix, d r / d a", m->nv, m->nv, 0, NULL, false};
    r[4] = (cd_routine_result){"J", "constraint rows, d c_acceleration / d a", nrow, m->nv, 0, NULL, false};
    return 5;
}

static cardan_status equations_d_reference(cd_runtime_reference* reference, const cd_input_layout* in, const double* x,
                                           double* all, cardan_report* report)
{
    cardan_data*      d  = reference->data;
    const size_t      nv = (size_t)d->m->nv, ns = (size_t)d->m->nstate, n = nv + ns + 3 * (size_t)d->rows.nrow;
    cd_arena          arena = {0};
    cd_state_jacobian derivatives;
    (void)report;
    for (int pass = 0; pass < 2; ++pass) {
        cd_state_jacobian_layout(d, &arena, &derivatives);
        if (pass == 0 && !cd_arena_reserve(&arena)) return CARDAN_NO_MEMORY;
    }
    cardan_data_set_external_forces(d, x + in->effort, NULL);
    d->settings.frozen_stops = reference->inactive_stops;
    cd_state_jacobian_compute(d, x + in->a, x + in->multiplier, &derivatives, all, all + n * nv, all + 2 * n * nv);
    const cardan_status status = cardan_data_mass_matrix(d, all + n * (2 * nv + ns));
    dense_jacobian(d, all + n * (2 * nv + ns) + nv * nv);
    d->settings.frozen_stops = NULL;
    cardan_data_set_external_forces(d, NULL, NULL);
    cd_arena_release(&arena);
    return status;
}

static int two_methods(const cardan_model* m) { return (void)m, 2; }

static int one_method(const cardan_model* m) { return (void)m, 1; }

static const cd_routine routines[] = {
#define CD_ROUTINE(form, name, takes, ways, allows, regroups, summary)                                                 \
    {#form, #name, summary, takes, regroups, allows, form##_results, ways, cd_trace_##form, form##_reference},
#include "generate/routine/routines.def"
#undef CD_ROUTINE
};

int cd_routine_count(void) { return (int)(sizeof routines / sizeof *routines); }

const cd_routine* cd_routine_at(int i) { return i >= 0 && i < cd_routine_count() ? &routines[i] : NULL; }

const char* cardan_generate_form_name(int i) { return cd_routine_at(i) ? cd_routine_at(i)->form : NULL; }
const char* cardan_generate_form_summary(int i) { return cd_routine_at(i) ? cd_routine_at(i)->summary : NULL; }
