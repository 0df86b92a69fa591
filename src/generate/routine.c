// SPDX-License-Identifier: BSD-3-Clause
// The table of routines, the shapes of their results, and what the runtime computes in their place.
#include "generate/referee.h"

#include "constraint/closure.h"
#include "dynamics/state_slopes.h"
#include "kinematics/composite.h"
#include "kinematics/inverse_derivatives.h"
#include "math/quaternion.h"

#include <cardan/derivatives.h>
#include <cardan/generate.h>

#include <math.h>
#include <stdlib.h>
#include <string.h>

int cd_result_count(const cd_result* r) { return r->kept ? r->nkept : r->rows * r->columns; }

bool cd_tells(int nresult, const cd_result* result) { return nresult > 0 && result[nresult - 1].tells; }

int cd_multipliers(const cardan_model* m) { return cd_closure_rows(m); }

static int impl_results(const cardan_model* m, cd_result* r)
{
    r[0] = (cd_result){"tau", "efforts along the joints", m->nv, 1, 0, NULL, false};
    return 1;
}

static int mass_results(const cardan_model* m, cd_result* r)
{
    r[0] = (cd_result){"M", "mass matrix, row by row", m->nv, m->nv, 0, NULL, false};
    return 1;
}

static int semi_results(const cardan_model* m, cd_result* r)
{
    mass_results(m, r);
    r[1] = (cd_result){"c", "efforts at a = 0", m->nv, 1, 0, NULL, false};
    return 2;
}

static int exp1_results(const cardan_model* m, cd_result* r)
{
    r[0] = (cd_result){"a", "accelerations", m->nv, 1, 0, NULL, false};
    return 1;
}

static int exp2_results(const cardan_model* m, cd_result* r) { return exp1_results(m, r); }

// Plain inverse dynamics and mass matrix: no forces of the model.
static cardan_status impl_reference(cd_referee* referee, const cd_sources* in, const double* x, double* all,
                                    cardan_report* report)
{
    cardan_data* d = referee->data;
    (void)report;
    cd_inverse_dynamics(d->m, &d->k, x + in->v, x + in->a, NULL, all);
    return CARDAN_OK;
}

static cardan_status mass_reference(cd_referee* referee, const cd_sources* in, const double* x, double* all,
                                    cardan_report* report)
{
    cardan_data* d = referee->data;
    (void)in, (void)x, (void)report;
    const size_t n = (size_t)d->m->nv;
    cd_composite(d->m, &d->k, d->composite, all);
    for (size_t i = 0; i < n; ++i)
        for (size_t j = i + 1; j < n; ++j) all[i * n + j] = all[j * n + i];
    return CARDAN_OK;
}

static cardan_status semi_reference(cd_referee* referee, const cd_sources* in, const double* x, double* all,
                                    cardan_report* report)
{
    cardan_data* d = referee->data;
    cd_inverse_dynamics(d->m, &d->k, x + in->v, NULL, NULL, all + (size_t)d->m->nv * (size_t)d->m->nv);
    return mass_reference(referee, in, x, all, report);
}

static cardan_status exp1_reference(cd_referee* referee, const cd_sources* in, const double* x, double* all,
                                    cardan_report* report)
{
    cardan_data* d = referee->data;
    cd_where     where;
    cd_inverse_dynamics(d->m, &d->k, x + in->v, NULL, NULL, d->c);
    for (int i = 0; i < d->m->nv; ++i) d->r[i] = x[in->effort + i] - d->c[i];
    const cardan_status status = cd_articulated_factor(d->m, &d->k, &referee->articulated, &where);
    if (status != CARDAN_OK) {
        referee->loose = where.v;
        return cd_fail_singular(d, where.v, report);
    }
    cd_articulated_inward(d->m, &d->k, &referee->articulated, d->r, d->r);
    cd_articulated_outward(d->m, &d->k, &referee->articulated, d->r, all);
    return CARDAN_OK;
}

static cardan_status exp2_reference(cd_referee* referee, const cd_sources* in, const double* x, double* all,
                                    cardan_report* report)
{
    return exp1_reference(referee, in, x, all, report);
}

// What routines that eliminate rows return; nothing is lost where the library is asked.
static int add_lost(const cardan_model* m, cd_result* r, int n)
{
    if (!cd_has_rows(m)) return n;
    r[n] = (cd_result){"lost", "what is returned", 1, 1, 0, NULL, true};
    return n + 1;
}

static void not_lost(const cardan_model* m, double* to)
{
    if (cd_has_rows(m)) *to = 0;
}

static int motion_results(const cardan_model* m, cd_result* r)
{
    r[0] = (cd_result){"a", "accelerations", m->nv, 1, 0, NULL, false};
    r[1] = (cd_result){"state_rate", "rates of the states", m->nstate, 1, 0, NULL, false};
    return add_lost(m, r, m->nstate > 0 ? 2 : 1);
}

static cardan_status motion_reference(cd_referee* referee, const cd_sources* in, const double* x, double* all,
                                      cardan_report* report)
{
    cardan_data* d = referee->data;
    if (!d->formulation) return CARDAN_UNSUPPORTED;
    cardan_data_load(d, x + in->effort, NULL);
    const cardan_status status = cardan_accelerate(d, all, all + d->m->nv, report);
    cardan_data_load(d, NULL, NULL);
    not_lost(d->m, all + d->m->nv + d->m->nstate);
    return status;
}

static int rate_results(const cardan_model* m, cd_result* r)
{
    r[0] = (cd_result){"a", "accelerations", m->nv, 1, 0, NULL, false};
    r[1] = (cd_result){"state_rate", "rates of the states", m->nstate, 1, 0, NULL, false};
    r[2] = (cd_result){"power", "of forces that have no potential", 1, 1, 0, NULL, false};
    return add_lost(m, r, 3);
}

static cardan_status rate_reference(cd_referee* referee, const cd_sources* in, const double* x, double* all,
                                    cardan_report* report)
{
    cardan_data* d = referee->data;
    if (!d->formulation) return CARDAN_UNSUPPORTED;
    cardan_data_load(d, x + in->effort, NULL);
    d->held                    = referee->open;
    const cardan_status status = cardan_accelerate(d, all, all + d->m->nv, report);
    if (status == CARDAN_OK) all[d->m->nv + d->m->nstate] = cd_power(d);
    d->held = NULL;
    cardan_data_load(d, NULL, NULL);
    not_lost(d->m, all + d->m->nv + d->m->nstate + 1);
    return status;
}

static int energy_results(const cardan_model* m, cd_result* r)
{
    (void)m;
    r[0] = (cd_result){"kinetic", "kinetic energy", 1, 1, 0, NULL, false};
    r[1] = (cd_result){"potential", "of gravity and springs", 1, 1, 0, NULL, false};
    return 2;
}

static cardan_status energy_reference(cd_referee* referee, const cd_sources* in, const double* x, double* all,
                                      cardan_report* report)
{
    cardan_data* d = referee->data;
    (void)in, (void)x, (void)report;
    d->held                 = referee->open;
    d->forces_known         = false;
    const cardan_energies e = cardan_energy(d);
    d->held                 = NULL;
    d->forces_known         = false;
    all[0]                  = e.kinetic;
    all[1]                  = e.potential;
    return CARDAN_OK;
}

cardan_status cd_markers_allow(const cardan_model* m, cardan_report* report)
{
    return m->nmarker > 0 ? CARDAN_OK
                          : cardan_fail(report, CARDAN_UNSUPPORTED, CARDAN_CODE_NOT_SUPPORTED, cardan_nowhere(),
                                        "'%s' has no markers", m->view.name);
}

static int markers_results(const cardan_model* m, cd_result* r)
{
    r[0] = (cd_result){"pose", "rotation row by row, then position, of each marker", m->nmarker, 12, 0, NULL, false};
    r[1] = (cd_result){"velocity", "angular, then linear, world axes", m->nmarker, 6, 0, NULL, false};
    r[2] = (cd_result){"jacobian", "velocities over v, six rows a marker", 6 * m->nmarker, m->nv, 0, NULL, false};
    return 3;
}

static cardan_status markers_reference(cd_referee* referee, const cd_sources* in, const double* x, double* all,
                                       cardan_report* report)
{
    cardan_data*        d = referee->data;
    const cardan_model* m = d->m;
    (void)in, (void)x, (void)report;
    double *pose = all, *velocity = all + 12 * m->nmarker, *J = velocity + 6 * m->nmarker;
    for (int i = 0; i < m->nmarker; ++i) {
        cardan_motion motion;
        cardan_marker_motion(d, i, NULL, &motion);
        cardan_marker_jacobian(d, i, J + (size_t)i * 6 * (size_t)m->nv);
        q4_matrix(motion.q, pose + 12 * i);
        memcpy(pose + 12 * i + 9, motion.p, sizeof motion.p);
        memcpy(velocity + 6 * i, motion.w, sizeof motion.w);
        memcpy(velocity + 6 * i + 3, motion.v, sizeof motion.v);
    }
    return CARDAN_OK;
}

static int impl_d_results(const cardan_model* m, cd_result* r)
{
    r[0] = (cd_result){"tau_q", "d tau / d q, row by row", m->nv, m->nv, 0, NULL, false};
    r[1] = (cd_result){"tau_v", "d tau / d v", m->nv, m->nv, 0, NULL, false};
    r[2] = (cd_result){"tau_a", "d tau / d a, the mass matrix", m->nv, m->nv, 0, NULL, false};
    return 3;
}

static cardan_status impl_d_reference(cd_referee* referee, const cd_sources* in, const double* x, double* all,
                                      cardan_report* report)
{
    (void)report;
    cardan_data*           d = referee->data;
    const cardan_model*    m = d->m;
    const size_t           n = (size_t)m->nv, nn = n * n;
    cd_inverse_derivatives w;
    cd_arena               arena = {0};
    for (int pass = 0; pass < 2; ++pass) {
        cd_inverse_derivatives_layout(m, &arena, &w);
        if (pass == 0 && !cd_arena_reserve(&arena)) return CARDAN_NO_MEMORY;
    }
    cd_reference_poses(m, &d->k);
    cd_inverse_derivatives_of(m, &d->k, x + in->v, x + in->a, NULL, &w);
    memset(all, 0, 3 * nn * sizeof *all);
    for (int r = 0; r < m->nv; ++r) {
        int e = w.start[r];
        for (int u = r; u >= 0; u = m->v_parent[u], ++e) {
            const size_t here = (size_t)r * n + (size_t)u, there = (size_t)u * n + (size_t)r;
            all[there] = w.q_up[e], all[nn + there] = w.v_up[e];
            all[here] = w.q[e], all[nn + here] = w.v[e];
            all[2 * nn + here] = all[2 * nn + there] = w.a[e];
        }
    }
    cd_arena_release(&arena);
    return CARDAN_OK;
}

static int impl_j_results(const cardan_model* m, cd_result* r)
{
    impl_d_results(m, r);
    return 2;
}

static cardan_status impl_j_reference(cd_referee* referee, const cd_sources* in, const double* x, double* all,
                                      cardan_report* report)
{
    const size_t  nn     = (size_t)referee->data->m->nv * (size_t)referee->data->m->nv;
    double*       three  = cd_allocate(3 * nn + 1, sizeof *three);
    cardan_status status = three ? impl_d_reference(referee, in, x, three, report) : CARDAN_NO_MEMORY;
    if (status == CARDAN_OK) memcpy(all, three, 2 * nn * sizeof *all);
    free(three);
    return status;
}

static int exp1_d_results(const cardan_model* m, cd_result* r)
{
    r[0] = (cd_result){"a", "accelerations", m->nv, 1, 0, NULL, false};
    r[1] = (cd_result){"a_q", "d a / d q, row by row", m->nv, m->nv, 0, NULL, false};
    r[2] = (cd_result){"a_v", "d a / d v", m->nv, m->nv, 0, NULL, false};
    r[3] = (cd_result){"a_effort", "d a / d effort", m->nv, m->nv, 0, NULL, false};
    return 4;
}

// Column j of T, or of one where there is none, solved with the factor of the referee into column j of X; negative.
static void exp1_column(cd_referee* referee, const double* T, size_t j, double* X)
{
    cardan_data* d = referee->data;
    const size_t n = (size_t)d->m->nv;
    for (size_t i = 0; i < n; ++i) d->r[i] = T ? -T[i * n + j] : i == j;
    cd_articulated_inward(d->m, &d->k, &referee->articulated, d->r, d->r);
    cd_articulated_outward(d->m, &d->k, &referee->articulated, d->r, d->x);
    for (size_t i = 0; i < n; ++i) X[i * n + j] = d->x[i];
}

static cardan_status exp1_d_reference(cd_referee* referee, const cd_sources* in, const double* x, double* all,
                                      cardan_report* report)
{
    const size_t  n = (size_t)referee->data->m->nv, nn = n * n;
    double*       tau    = cd_allocate(3 * nn + 1, sizeof *tau);
    double*       at     = cd_allocate((size_t)in->count, sizeof *at);
    cardan_status status = tau && at ? exp1_reference(referee, in, x, all, report) : CARDAN_NO_MEMORY;
    if (status == CARDAN_OK) {
        memcpy(at, x, (size_t)in->count * sizeof *at);
        memcpy(at + in->a, all, n * sizeof *at);
        status = impl_d_reference(referee, in, at, tau, report);
    }
    for (size_t j = 0; status == CARDAN_OK && j < n; ++j) {
        exp1_column(referee, tau, j, all + n);
        exp1_column(referee, tau + nn, j, all + n + nn);
        exp1_column(referee, NULL, j, all + n + 2 * nn);
    }
    free(tau), free(at);
    return status;
}

static int motion_d_results(const cardan_model* m, cd_result* r)
{
    r[0] = (cd_result){"a_q", "d a / d q, row by row", m->nv, m->nv, 0, NULL, false};
    r[1] = (cd_result){"a_v", "d a / d v", m->nv, m->nv, 0, NULL, false};
    r[2] = (cd_result){"a_effort", "d a / d effort", m->nv, m->nv, 0, NULL, false};
    if (m->nstate == 0) return add_lost(m, r, 3);
    r[3] = (cd_result){"a_state", "d a / d state", m->nv, m->nstate, 0, NULL, false};
    r[4] = (cd_result){"rate_q", "d state_rate / d q", m->nstate, m->nv, 0, NULL, false};
    r[5] = (cd_result){"rate_v", "d state_rate / d v", m->nstate, m->nv, 0, NULL, false};
    r[6] = (cd_result){"rate_state", "d state_rate / d state", m->nstate, m->nstate, 0, NULL, false};
    return add_lost(m, r, 7);
}

static int rate_d_results(const cardan_model* m, cd_result* r)
{
    r[0] = (cd_result){"a_q", "d a / d q, row by row", m->nv, m->nv, 0, NULL, false};
    r[1] = (cd_result){"a_v", "d a / d v", m->nv, m->nv, 0, NULL, false};
    r[2] = (cd_result){"a_state", "d a / d state", m->nv, m->nstate, 0, NULL, false};
    r[3] = (cd_result){"rate_q", "d state_rate / d q", m->nstate, m->nv, 0, NULL, false};
    r[4] = (cd_result){"rate_v", "d state_rate / d v", m->nstate, m->nv, 0, NULL, false};
    r[5] = (cd_result){"rate_state", "d state_rate / d state", m->nstate, m->nstate, 0, NULL, false};
    return add_lost(m, r, 6);
}

static void dense_rows(cardan_data* d, double* J)
{
    const size_t nv = (size_t)d->m->nv;
    cd_know_rows(d);
    memset(J, 0, nv * (size_t)d->rows.nrow * sizeof *J);
    for (int c = 0; c < d->closure.nconstraint; ++c) {
        const cd_row_block b = cd_way_of(d, &d->closure, c);
        for (int i = 0; i < b.nrow; ++i)
            for (int k = 0; k < b.nv; ++k) J[(size_t)(b.row + i) * nv + (size_t)b.v[k]] = b.J[i * b.nv + k];
    }
}

static cardan_status whole_slopes(cd_referee* referee, const cd_sources* in, const double* x, bool running, double* all,
                                  cardan_report* report)
{
    cardan_data* d = referee->data;
    const size_t n = (size_t)d->m->nv, nn = n * n, ns = (size_t)d->m->nstate;
    double*      g = all + (running ? 2 : 3) * nn;
    if (!d->formulation) return CARDAN_UNSUPPORTED;
    cardan_derivatives* w      = NULL;
    cardan_status       status = cardan_derivatives_create(d, &w, report);
    if (status != CARDAN_OK) return status;
    const cardan_forward_slopes slopes = {.a_q        = all,
                                          .a_v        = all + nn,
                                          .a_effort   = running ? NULL : all + 2 * nn,
                                          .a_state    = ns ? g : NULL,
                                          .rate_q     = ns ? g + n * ns : NULL,
                                          .rate_v     = ns ? g + 2 * n * ns : NULL,
                                          .rate_state = ns ? g + 3 * n * ns : NULL};
    cardan_data_load(d, x + in->effort, NULL);
    d->held = running ? referee->open : NULL;
    status  = cardan_forward_derivatives(w, NULL, &slopes, report);
    d->held = NULL;
    cardan_data_load(d, NULL, NULL);
    cardan_derivatives_destroy(w);
    not_lost(d->m, g + 3 * n * ns + ns * ns);
    return status;
}

static cardan_status motion_d_reference(cd_referee* referee, const cd_sources* in, const double* x, double* all,
                                        cardan_report* report)
{
    return whole_slopes(referee, in, x, false, all, report);
}

static cardan_status rate_d_reference(cd_referee* referee, const cd_sources* in, const double* x, double* all,
                                      cardan_report* report)
{
    return whole_slopes(referee, in, x, true, all, report);
}

static int equations_results(const cardan_model* m, cd_result* r)
{
    const int nrow = cd_closure_rows(m);
    r[0]           = (cd_result){"r", "what is left of the equations of motion", m->nv, 1, 0, NULL, false};
    r[1]           = (cd_result){"state_rate", "rates of the states", m->nstate, 1, 0, NULL, false};
    r[2]           = (cd_result){"c", "constraints", nrow, 1, 0, NULL, false};
    r[3]           = (cd_result){"c_rate", "their rates", nrow, 1, 0, NULL, false};
    r[4]           = (cd_result){"c_acceleration", "and accelerations", nrow, 1, 0, NULL, false};
    return 5;
}

static cardan_status equations_reference(cd_referee* referee, const cd_sources* in, const double* x, double* all,
                                         cardan_report* report)
{
    cardan_data* d  = referee->data;
    const int    nv = d->m->nv, ns = d->m->nstate, nrow = d->rows.nrow;
    double*      c = all + nv + ns;
    (void)report;
    cardan_data_load(d, x + in->effort, NULL);
    d->held              = referee->open;
    cardan_status status = cardan_residual(d, x + in->a, all);
    if (status == CARDAN_OK && ns) memcpy(all + nv, d->rates + 3 * d->m->view.nforce, (size_t)ns * sizeof *all);
    if (status == CARDAN_OK && nrow > 0) {
        cd_know_rows(d);
        cd_jacobian_transposed(d, &d->rows, x + in->multiplier, all);
        memcpy(c, d->closure.value, (size_t)nrow * sizeof *c);
        memcpy(c + nrow, d->closure.rate, (size_t)nrow * sizeof *c);
        cd_jacobian_times(d, &d->rows, x + in->a, c + 2 * nrow);
        for (int i = 0; i < nrow; ++i) c[2 * nrow + i] -= d->gamma[i];
    }
    d->held = NULL;
    cardan_data_load(d, NULL, NULL);
    return status;
}

static int equations_d_results(const cardan_model* m, cd_result* r)
{
    const int nrow = cd_closure_rows(m), n = m->nv + m->nstate + 3 * nrow;
    r[0] = (cd_result){
        "by_q", "a row per velocity: d (r, state_rate, c, c_rate, c_acceleration) / d q along it", m->nv, n, 0, NULL,
        false};
    r[1] = (cd_result){"by_v", "the same by v", m->nv, n, 0, NULL, false};
    r[2] = (cd_result){"by_state", "and by states", m->nstate, n, 0, NULL, false};
    r[3] = (cd_result){"M", "mass matrix, d r / d a", m->nv, m->nv, 0, NULL, false};
    r[4] = (cd_result){"J", "constraint rows, d c_acceleration / d a", nrow, m->nv, 0, NULL, false};
    return 5;
}

static cardan_status equations_d_reference(cd_referee* referee, const cd_sources* in, const double* x, double* all,
                                           cardan_report* report)
{
    cardan_data*    d  = referee->data;
    const size_t    nv = (size_t)d->m->nv, ns = (size_t)d->m->nstate, n = nv + ns + 3 * (size_t)d->rows.nrow;
    cd_arena        arena = {0};
    cd_state_slopes slopes;
    (void)report;
    for (int pass = 0; pass < 2; ++pass) {
        cd_state_slopes_layout(d, &arena, &slopes);
        if (pass == 0 && !cd_arena_reserve(&arena)) return CARDAN_NO_MEMORY;
    }
    cardan_data_load(d, x + in->effort, NULL);
    d->held = referee->open;
    cd_state_slopes_at(d, x + in->a, x + in->multiplier, &slopes, all, all + n * nv, all + 2 * n * nv);
    const cardan_status status = cardan_mass_matrix(d, all + n * (2 * nv + ns));
    dense_rows(d, all + n * (2 * nv + ns) + nv * nv);
    d->held = NULL;
    cardan_data_load(d, NULL, NULL);
    cd_arena_release(&arena);
    return status;
}

static int two_ways(const cardan_model* m) { return (void)m, 2; }

static int one_way(const cardan_model* m) { return (void)m, 1; }

static const cd_routine routines[] = {
#define CD_ROUTINE(form, name, takes, ways, allows, regroups, summary)                                                 \
    {#form, #name, summary, takes, regroups, allows, form##_results, ways, cd_trace_##form, form##_reference},
#include "generate/routines.def"
#undef CD_ROUTINE
};

int cd_routine_count(void) { return (int)(sizeof routines / sizeof *routines); }

const cd_routine* cd_routine_at(int i) { return i >= 0 && i < cd_routine_count() ? &routines[i] : NULL; }

const char* cardan_form_name(int i) { return cd_routine_at(i) ? cd_routine_at(i)->form : NULL; }
const char* cardan_form_summary(int i) { return cd_routine_at(i) ? cd_routine_at(i)->summary : NULL; }
