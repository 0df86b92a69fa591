// SPDX-License-Identifier: BSD-3-Clause
// Functions of models, data, runs and analyses with invalid arguments: each returns an error and leaves its objects as
// they were.
#include "wrong_arguments.h"

// ---- model.h

static void test_model(fixture* f)
{
    const cardan_model* m = f->model;
    cardan_model*       model;
    double              q[30] = {0}, v[30] = {0};
    cardan_report       report = {0};
    BAD(cardan_model_compile(NULL, CARDAN_TREE_BREADTH_FIRST, &model, &report));
    NIL(model);
    check_report(&report, CARDAN_CODE_INVALID_ARGUMENT, "cardan_model_compile", "'description'");
    BAD(cardan_model_compile(NULL, CARDAN_TREE_AUTO, &model, NULL));
    BAD(cardan_model_compile(f->description, CARDAN_TREE_BREADTH_FIRST, NULL, NULL));
    BAD(cardan_model_compile(f->description, CARDAN_TREE_AUTO, NULL, NULL));
    BAD(cardan_model_compile(f->description, (cardan_tree_policy)77, &model, NULL));
    cardan_model_destroy(NULL);
    CHECK(cardan_model_get_view(NULL).nq == 0);
    NIL(cardan_model_description(NULL));
    NIL(cardan_model_joint_name(NULL, 0));
    NIL(cardan_model_joint_type(NULL, 0));
    NIL(cardan_model_q_unit(NULL, 0, 0));
    NIL(cardan_model_v_unit(NULL, 0, 0));
    NONE(cardan_model_joint_of_velocity(NULL, 0, NULL));
    for (int i = 0; i < BAD_INDICES; ++i) {
        NIL(cardan_model_joint_name(m, bad_index[i]));
        NIL(cardan_model_joint_type(m, bad_index[i]));
        NIL(cardan_model_q_unit(m, bad_index[i], 0));
        NIL(cardan_model_q_unit(m, 0, bad_index[i]));
        NIL(cardan_model_v_unit(m, bad_index[i], 0));
        NIL(cardan_model_v_unit(m, 0, bad_index[i]));
        NONE(cardan_model_joint_of_velocity(m, bad_index[i], NULL));
    }
    BAD(cardan_model_integrate_position(NULL, q, v, q));
    BAD(cardan_model_integrate_position(m, NULL, v, q));
    BAD(cardan_model_integrate_position(m, q, NULL, q));
    BAD(cardan_model_integrate_position(m, q, v, NULL));
    BAD(cardan_model_position_difference(NULL, q, q, v));
    BAD(cardan_model_position_difference(m, NULL, q, v));
    BAD(cardan_model_position_difference(m, q, NULL, v));
    BAD(cardan_model_position_difference(m, q, q, NULL));
    BAD(cardan_model_position_rate(NULL, q, v, q));
    BAD(cardan_model_position_rate(m, NULL, v, q));
    BAD(cardan_model_position_rate(m, q, NULL, q));
    BAD(cardan_model_position_rate(m, q, v, NULL));
    BAD(cardan_model_normalize_position(NULL, q));
    BAD(cardan_model_normalize_position(m, NULL));
    for (int i = 0; i < BAD_NUMBERS; ++i) {
        double other[30] = {0};
        v[0]             = not_finite[i];
        BAD(cardan_model_integrate_position(m, q, v, other));
        BAD(cardan_model_position_difference(m, v, q, other));
        BAD(cardan_model_position_rate(m, q, v, other));
        BAD(cardan_model_normalize_position(m, v));
    }
}

static void test_check_state(fixture* f)
{
    double        x[30]  = {0};
    cardan_report report = {0};
    for (int i = 0; i < BAD_NUMBERS; ++i) {
        memcpy(x, f->m.q_start, (size_t)f->m.nq * sizeof *x);
        x[f->m.nq - 1] = not_finite[i];
        BAD(cardan_model_check_state(f->model, 0, x, f->m.v_start, NULL, &report));
        const bool maximal = cardan_formulation_tree_policy(cardan_data_formulation(f->data)) == CARDAN_TREE_MAXIMAL;
        check_report(&report, CARDAN_CODE_NOT_FINITE, maximal ? " 7 " : " 1 ", maximal ? "'rocker'" : "'D'");
        memcpy(x, f->m.v_start, (size_t)f->m.nv * sizeof *x);
        x[0] = not_finite[i];
        BAD(cardan_model_check_state(f->model, 0, f->m.q_start, x, NULL, &report));
        check_report(&report, CARDAN_CODE_NOT_FINITE, " 1 ", maximal ? "'crank'" : "'A'");
        BAD(cardan_model_check_state(f->model, not_finite[i], f->m.q_start, f->m.v_start, NULL, &report));
        check_report(&report, CARDAN_CODE_NOT_FINITE, "", "");
    }
    BAD(cardan_model_check_state(NULL, 0, NULL, NULL, NULL, NULL));
    CHECK(cardan_model_check_state(f->model, 0, NULL, NULL, NULL, NULL) == CARDAN_OK);
}

// ---- dynamics.h

static void test_formulations(fixture* f)
{
    cardan_data*              data;
    cardan_operation_counts   operations;
    cardan_formulation_choice choice;
    CHECK(cardan_formulation_count() > 0);
    for (int i = 0; i < BAD_INDICES; ++i) {
        if (bad_index[i] == CARDAN_FORMULATION_AUTO) continue;
        NIL(cardan_formulation_name(bad_index[i]));
        NIL(cardan_formulation_summary(bad_index[i]));
        NIL(cardan_formulation_citation(bad_index[i]));
        NOT(cardan_formulation_is_reference(bad_index[i]));
        NOT(cardan_formulation_is_exact(bad_index[i]));
        CHECK(cardan_formulation_tree_policy(bad_index[i]) == CARDAN_TREE_AUTO);
        BAD(cardan_data_create(f->model, bad_index[i], &data, NULL));
        NIL(data);
        BAD(cardan_model_count_operations(f->model, bad_index[i], f->m.q_start, f->m.v_start, &operations, NULL));
    }
    NONE(cardan_formulation_find(NULL));
    NONE(cardan_formulation_find("no such formulation"));
    BAD(cardan_formulation_choose(NULL, &choice, NULL));
    BAD(cardan_formulation_choose(f->description, NULL, NULL));
    BAD(cardan_formulation_choose_for_integrator(NULL, CARDAN_NONE, &choice, NULL));
    BAD(cardan_formulation_choose_for_integrator(f->description, CARDAN_NONE, NULL, NULL));
    BAD(cardan_formulation_choose_for_integrator(f->description, INT_MAX, &choice, NULL));
    BAD(cardan_formulation_choose_for_integrator(f->description, -7, &choice, NULL));
    BAD(cardan_data_create(NULL, 0, &data, NULL));
    BAD(cardan_data_create(NULL, CARDAN_FORMULATION_AUTO, &data, NULL));
    BAD(cardan_data_create(f->model, 0, NULL, NULL));
    cardan_data_destroy(NULL);
    NIL(cardan_data_model(NULL));
    NONE(cardan_data_formulation(NULL));
    const int g = cardan_data_formulation(f->data);
    BAD(cardan_model_count_operations(NULL, g, f->m.q_start, f->m.v_start, &operations, NULL));
    BAD(cardan_model_count_operations(f->model, g, NULL, f->m.v_start, &operations, NULL));
    BAD(cardan_model_count_operations(f->model, g, f->m.q_start, NULL, &operations, NULL));
    BAD(cardan_model_count_operations(f->model, g, f->m.q_start, f->m.v_start, NULL, NULL));
    double q[30];
    memcpy(q, f->m.q_start, (size_t)f->m.nq * sizeof *q);
    q[0] = NAN;
    BAD(cardan_model_count_operations(f->model, g, q, f->m.v_start, &operations, NULL));
}

static void test_data(fixture* f)
{
    cardan_data*  d = f->data;
    double        q[30], v[30], a[30] = {0};
    cardan_report report = {0};
    int           row[4];
    memcpy(q, f->m.q_start, (size_t)f->m.nq * sizeof *q);
    memcpy(v, f->m.v_start, (size_t)f->m.nv * sizeof *v);
    BAD(cardan_data_set_state(NULL, 0, q, v, NULL));
    BAD(cardan_data_set_state(d, 0, NULL, v, NULL));
    BAD(cardan_data_set_state(d, 0, q, NULL, NULL));
    CHECK(cardan_data_set_state(d, 0, q, v, NULL) == CARDAN_OK);
    CHECK(cardan_data_accelerate(d, a, NULL, NULL) == CARDAN_OK);
    const double before = a[0];
    for (int i = 0; i < BAD_NUMBERS; ++i) {
        const double q0 = q[0], v0 = v[f->m.nv - 1];
        q[0] = not_finite[i];
        BAD(cardan_data_set_state(d, 0, q, v, NULL));
        q[0]           = q0;
        v[f->m.nv - 1] = not_finite[i];
        BAD(cardan_data_set_state(d, 0, q, v, NULL));
        BAD(cardan_data_set_external_forces(d, v, NULL));
        v[f->m.nv - 1] = v0;
        BAD(cardan_data_set_state(d, not_finite[i], q, v, NULL));
    }
    // rejected calls have not changed the data
    CHECK(cardan_data_accelerate(d, a, NULL, NULL) == CARDAN_OK);
    CHECK_NEAR(a[0], before, 1e-9);
    BAD(cardan_data_accelerate(NULL, a, NULL, &report));
    check_report(&report, CARDAN_CODE_INVALID_ARGUMENT, "cardan_data_accelerate", "'data'");
    BAD(cardan_data_accelerate(d, NULL, NULL, &report));
    check_report(&report, CARDAN_CODE_INVALID_ARGUMENT, "cardan_data_accelerate", "'a'");
    BAD(cardan_data_copy_state(NULL, d));
    BAD(cardan_data_copy_state(d, NULL));
    BAD(cardan_data_set_threads(NULL, 1, NULL));
    BAD(cardan_data_set_threads(d, 0, NULL));
    BAD(cardan_data_set_threads(d, -1, NULL));
    BAD(cardan_data_set_threads(d, INT_MAX, NULL));
    BAD(cardan_data_enable_constraint(NULL, "A", true, NULL));
    BAD(cardan_data_enable_constraint(d, NULL, true, NULL));
    BAD(cardan_data_enable_constraint(d, "no such", true, NULL));
    CHECK(cardan_data_redundant_rows(NULL, 4, row, NULL) == -1);
    CHECK(cardan_data_redundant_rows(d, 4, NULL, NULL) == -1);
    CHECK(cardan_data_redundant_rows(d, -1, NULL, NULL) >= -1);
    BAD(cardan_data_set_external_forces(NULL, NULL, NULL));
    const double wrench[10][6] = {{NAN}};
    BAD(cardan_data_set_external_forces(d, NULL, wrench));
}

static void test_results(fixture* f)
{
    cardan_data*    d     = f->data;
    double          a[30] = {0}, out[1000], nan[30];
    cardan_motion   motion[10];
    cardan_reaction reaction[10];
    for (int i = 0; i < 30; ++i) nan[i] = NAN;
    BAD(cardan_data_inverse_dynamics(NULL, a, out));
    BAD(cardan_data_inverse_dynamics(d, NULL, out));
    BAD(cardan_data_inverse_dynamics(d, a, NULL));
    BAD(cardan_data_inverse_dynamics(d, nan, out));
    BAD(cardan_data_residual(NULL, a, out));
    BAD(cardan_data_residual(d, NULL, out));
    BAD(cardan_data_residual(d, a, NULL));
    BAD(cardan_data_residual(d, nan, out));
    BAD(cardan_data_mass_matrix(NULL, out));
    BAD(cardan_data_mass_matrix(d, NULL));
    BAD(cardan_data_joint_efforts(NULL, out));
    BAD(cardan_data_joint_efforts(d, NULL));
    NAN_(cardan_data_residual_norm(NULL, a));
    NAN_(cardan_data_residual_norm(d, NULL));
    CHECK(cardan_data_contacts(NULL, 0, NULL) == -1 && cardan_data_contacts(d, -1, NULL) == -1);
    CHECK(cardan_data_contacts(d, 1, NULL) == -1 && cardan_data_contacts(d, 0, NULL) == 0);
    BAD(cardan_data_joint_motions(NULL, a, out, out, out));
    BAD(cardan_data_joint_motions(d, nan, NULL, NULL, out));
    BAD(cardan_data_joint_state(NULL, 0, out, out));
    BAD(cardan_data_joint_acceleration(NULL, 0, a, out));
    BAD(cardan_data_joint_acceleration(d, 0, NULL, out));
    BAD(cardan_data_joint_acceleration(d, 0, a, NULL));
    BAD(cardan_data_joint_acceleration(d, 0, nan, out));
    BAD(cardan_data_body_motions(NULL, a, motion));
    BAD(cardan_data_body_motions(d, a, NULL));
    BAD(cardan_data_body_motions(d, nan, motion));
    BAD(cardan_data_marker_motion(NULL, 0, a, motion));
    BAD(cardan_data_marker_motion(d, 0, a, NULL));
    BAD(cardan_data_marker_motion(d, 0, nan, motion));
    BAD(cardan_data_marker_jacobian(NULL, 0, out));
    BAD(cardan_data_marker_jacobian(d, 0, NULL));
    for (int i = 0; i < BAD_INDICES; ++i) {
        BAD(cardan_data_joint_state(d, bad_index[i], out, out));
        BAD(cardan_data_joint_acceleration(d, bad_index[i], a, out));
        BAD(cardan_data_marker_motion(d, bad_index[i], a, motion));
        BAD(cardan_data_marker_jacobian(d, bad_index[i], out));
        NAN_(cardan_data_evaluate_expression(d, bad_index[i]));
        CHECK_TEXT(cardan_data_marker_constraint_name(d, bad_index[i]), "");
        CHECK(cardan_data_transmission_at(d, bad_index[i]).n == 0);
        NONE(cardan_data_driver_at(d, bad_index[i]).joint);
        BAD(cardan_data_set_driver(d, bad_index[i], (double[3]){0}));
    }
    NAN_(cardan_data_evaluate_expression(NULL, 0));
    NAN_(cardan_data_energy(NULL).kinetic);
    BAD(cardan_data_momentum(NULL, out, out));
    CHECK(cardan_data_momentum(d, NULL, NULL) == CARDAN_OK);
    BAD(cardan_data_reactions(NULL, a, reaction));
    BAD(cardan_data_reactions(d, NULL, reaction));
    BAD(cardan_data_reactions(d, a, NULL));
    BAD(cardan_data_reactions(d, nan, reaction));
    CHECK(cardan_data_marker_constraint_count(NULL) == 0);
    CHECK_TEXT(cardan_data_marker_constraint_name(NULL, 0), "");
    BAD(cardan_data_marker_constraint_reactions(NULL, a, reaction));
    BAD(cardan_data_marker_constraint_reactions(d, NULL, reaction));
    BAD(cardan_data_marker_constraint_reactions(d, nan, reaction));
    CHECK(cardan_data_transmission_count(NULL) == 0);
    CHECK(cardan_data_transmission_at(NULL, 0).n == 0);
    BAD(cardan_data_all_reactions(NULL, a, reaction, NULL, NULL));
    BAD(cardan_data_all_reactions(d, NULL, reaction, NULL, NULL));
    CHECK(cardan_data_driver_count(NULL) == 0);
    NONE(cardan_data_driver_at(NULL, 0).joint);
    BAD(cardan_data_driver_efforts(NULL, a, out, NULL));
    BAD(cardan_data_evaluate_outputs(NULL, out));
    BAD(cardan_data_set_driver(NULL, 0, out));
}

// ---- interact.h

static void test_interact(void)
{
    fixture      f;
    double       W[9], F[3];
    const double point[3] = {0};
    cardan_grab  grab     = {.body = 0};
    if (!fixture_open(&f, "models/four_bar", "dense", 0, NULL)) return;
    BAD(cardan_point_mobility(NULL, 0, point, W, NULL));
    BAD(cardan_point_mobility(f.data, 0, NULL, W, NULL));
    BAD(cardan_point_mobility(f.data, 0, point, NULL, NULL));
    BAD(cardan_data_grab(NULL, &grab, NULL));
    BAD(cardan_data_release_grab(NULL, 0, NULL));
    BAD(cardan_data_grab_force(NULL, 0, F, NULL));
    NOT(cardan_data_get_grab(NULL, 0, &grab));
    NOT(cardan_data_get_grab(f.data, 0, &grab)); // nothing is grabbed
    CHECK(cardan_data_input_revision(NULL) == 0);
    BAD(cardan_description_make_drivable(NULL, 0, 0, NULL));
    BAD(cardan_data_drive_joint(NULL, 0, 0, 0, NULL));
    BAD(cardan_data_release_joint(NULL, 0, 0, NULL));
    for (int i = 0; i < BAD_INDICES; ++i) {
        grab.body = bad_index[i];
        BAD(cardan_point_mobility(f.data, bad_index[i], point, W, NULL));
        BAD(cardan_data_grab(f.data, &grab, NULL));
        BAD(cardan_data_release_grab(f.data, bad_index[i], NULL));
        BAD(cardan_data_drive_joint(f.data, bad_index[i], 0, 0, NULL));
        BAD(cardan_data_drive_joint(f.data, 0, bad_index[i], 0, NULL));
        BAD(cardan_data_release_joint(f.data, bad_index[i], 0, NULL));
        BAD(cardan_data_release_joint(f.data, 0, bad_index[i], NULL));
        BAD(cardan_description_make_drivable(f.description, 0, bad_index[i], NULL));
        if (bad_index[i] != CARDAN_NONE) BAD(cardan_description_make_drivable(f.description, bad_index[i], 0, NULL));
    }
    for (int i = 0; i < BAD_NUMBERS; ++i) {
        BAD(cardan_point_mobility(f.data, 0, (double[3]){0, not_finite[i], 0}, W, NULL));
        grab = (cardan_grab){.target = {not_finite[i]}};
        BAD(cardan_data_grab(f.data, &grab, NULL));
        BAD(cardan_data_drive_joint(f.data, 0, 0, not_finite[i], NULL));
    }
    fixture_close(&f);
}

static void test_drivers(void)
{
    fixture f;
    double  a[30] = {0}, nan[30] = {NAN}, effort[2];
    if (!fixture_open(&f, "models/driven_slider", "dense", 0, NULL)) return;
    CHECK(cardan_data_driver_count(f.data) == 1);
    BAD(cardan_data_driver_efforts(f.data, a, NULL, NULL));
    BAD(cardan_data_driver_efforts(f.data, NULL, effort, NULL));
    BAD(cardan_data_driver_efforts(f.data, nan, effort, NULL));
    for (int i = 0; i < BAD_NUMBERS; ++i) BAD(cardan_data_set_driver(f.data, 0, (double[3]){0, not_finite[i], 0}));
    BAD(cardan_data_set_driver(f.data, 1, (double[3]){0}));
    fixture_close(&f);
}

// ---- assemble.h, derivatives.h, diagnose.h, kinematics.h, analyse.h

static void test_assembly(fixture* f)
{
    cardan_data*       d = f->data;
    double             position, velocity;
    cardan_report      report = {0};
    cardan_joint_start start[10];
    CHECK(f->m.njoint <= 10);
    BAD(cardan_data_constraint_violation(NULL, &position, &velocity));
    CHECK(cardan_data_constraint_violation(d, NULL, NULL) == CARDAN_OK);
    BAD(cardan_data_project(NULL, NULL, NULL, NULL, NULL, NULL));
    BAD(cardan_data_project(d, &(cardan_projection_options){.position_tolerance = NAN}, NULL, NULL, NULL, NULL));
    BAD(cardan_data_assemble(NULL, NULL, NULL, NULL, NULL, NULL));
    for (int i = 0; i < f->m.njoint; ++i) start[i] = cardan_joint_start_default(f->model, i);
    start[1].q[0] = NAN;
    BAD(cardan_data_assemble(d, start, NULL, NULL, NULL, &report));
    check_report(&report, CARDAN_CODE_INVALID_ARGUMENT, "'B'", "");
    for (int i = 0; i < BAD_INDICES; ++i)
        CHECK(cardan_joint_start_default(f->model, bad_index[i]).position_mode == CARDAN_START_FREE);
    CHECK(cardan_joint_start_default(NULL, 0).position_mode == CARDAN_START_FREE);
}

static void test_derivatives(fixture* f)
{
    cardan_derivatives*                     w;
    const cardan_inverse_dynamics_jacobians inverse = {0};
    const cardan_forward_dynamics_jacobians forward = {0};
    double                                  a[30] = {0}, nan[30] = {NAN};
    BAD(cardan_derivatives_create(NULL, &w, NULL));
    NIL(w);
    BAD(cardan_derivatives_create(f->data, NULL, NULL));
    cardan_derivatives_destroy(NULL);
    CHECK(cardan_derivatives_create(f->data, &w, NULL) == CARDAN_OK);
    BAD(cardan_derivatives_of_inverse_dynamics(NULL, a, NULL, &inverse, NULL));
    BAD(cardan_derivatives_of_inverse_dynamics(w, NULL, NULL, &inverse, NULL));
    BAD(cardan_derivatives_of_inverse_dynamics(w, a, NULL, NULL, NULL));
    BAD(cardan_derivatives_of_inverse_dynamics(w, nan, NULL, &inverse, NULL));
    BAD(cardan_derivatives_of_inverse_dynamics(w, a, nan, &inverse, NULL));
    BAD(cardan_derivatives_of_forward_dynamics(NULL, a, &forward, NULL));
    BAD(cardan_derivatives_of_forward_dynamics(w, a, NULL, NULL));
    CHECK(cardan_data_constraint_row_count(NULL) == 0);
    BAD(cardan_data_constraint_multipliers(NULL, a));
    BAD(cardan_data_constraint_multipliers(f->data, NULL));
    cardan_derivatives_destroy(w);
}

static bool unreachable_sample(void* user, cardan_data* data, const cardan_sample* sample)
{
    (void)user, (void)data, (void)sample;
    CHECK(false);
    return false;
}

static void test_runs(fixture* f)
{
    cardan_run_settings run = cardan_run_default();
    cardan_run_summary  summary;
    cardan_report       report = {0};
    double              x[30];
    run.sample_callback = unreachable_sample;
    BAD(cardan_simulate(NULL, &run, &summary, NULL));
    BAD(cardan_simulate(f->data, NULL, &summary, NULL));
    BAD(cardan_kinematic_analysis(NULL, &run, &summary, NULL));
    BAD(cardan_kinematic_analysis(f->data, NULL, &summary, NULL));
    CHECK(summary.status == CARDAN_BAD_USAGE);
    for (int i = 0; i < BAD_NUMBERS; ++i) {
        memcpy(x, f->m.q_start, (size_t)f->m.nq * sizeof *x);
        x[0]  = not_finite[i];
        run.q = x;
        WRONG(cardan_simulate(f->data, &run, &summary, &report));
        check_report(&report, CARDAN_CODE_INVALID_VALUE, "'", "");
        BAD(cardan_kinematic_analysis(f->data, &run, NULL, &report));
        check_report(&report, CARDAN_CODE_NOT_FINITE, " 1 ", "");
        run.q                  = NULL;
        double* const number[] = {&run.start,         &run.end,       &run.output_interval,
                                  &run.step,          &run.tolerance, &run.baumgarte_rate,
                                  &run.regularization};
        for (size_t k = 0; k < sizeof number / sizeof *number; ++k) {
            const double kept = *number[k];
            *number[k]        = not_finite[i];
            BAD(cardan_simulate(f->data, &run, NULL, NULL));
            *number[k] = kept;
        }
    }
    run.max_step = NAN;
    BAD(cardan_simulate(f->data, &run, NULL, NULL));
    run.max_step = 0;
    for (int i = 0; i < BAD_INDICES; ++i) {
        cardan_run_settings other = run;
        if (bad_index[i] == CARDAN_NONE) continue;
        other.integrator = bad_index[i];
        BAD(cardan_simulate(f->data, &other, NULL, NULL));
        other               = run;
        other.stabilization = bad_index[i];
        BAD(cardan_simulate(f->data, &other, NULL, NULL));
        other                = run;
        other.stop_condition = bad_index[i];
        BAD(cardan_simulate(f->data, &other, NULL, NULL));
        BAD(cardan_kinematic_analysis(f->data, &other, NULL, NULL));
    }
}

static void test_integrators(void)
{
    for (int i = 0; i < BAD_INDICES; ++i) {
        NIL(cardan_integrator_name(bad_index[i]));
        NIL(cardan_integrator_missing_part(bad_index[i]));
        NIL(cardan_integrator_summary(bad_index[i]));
        NIL(cardan_integrator_citation(bad_index[i]));
        CHECK(cardan_integrator_order(bad_index[i]) == 0);
        NOT(cardan_integrator_is_adaptive(bad_index[i]));
        NOT(cardan_integrator_is_low_order(bad_index[i]));
        NOT(cardan_integrator_uses_rhs(bad_index[i]));
        NOT(cardan_integrator_uses_rhs_jacobian(bad_index[i]));
        NOT(cardan_integrator_uses_residual(bad_index[i]));
        NOT(cardan_integrator_is_regularized(bad_index[i]));
        NIL(cardan_stabilization_name(bad_index[i]));
        NIL(cardan_stabilization_summary(bad_index[i]));
        NIL(cardan_stabilization_citation(bad_index[i]));
    }
    NONE(cardan_integrator_find(NULL));
    NONE(cardan_stabilization_find(NULL));
    CHECK(cardan_integrator_count() > 0 && cardan_stabilization_count() > 0);
}

static void test_motors(fixture* f)
{
    cardan_motors* motors;
    cardan_motor   motor = {0, 0};
    double         a[30] = {0}, nan[30] = {NAN}, effort[1];
    int            count;
    BAD(cardan_data_degrees_of_freedom(NULL, 1, &count, NULL, NULL));
    BAD(cardan_data_degrees_of_freedom(f->data, 1, NULL, NULL, NULL));
    CHECK(cardan_data_degrees_of_freedom(f->data, -1, &count, NULL, NULL) == CARDAN_OK && count == 0);
    BAD(cardan_motors_create(NULL, 1, &motor, &motors, NULL));
    NIL(motors);
    BAD(cardan_motors_create(f->data, 1, NULL, &motors, NULL));
    BAD(cardan_motors_create(f->data, 1, &motor, NULL, NULL));
    BAD(cardan_motors_create(f->data, -1, &motor, &motors, NULL));
    BAD(cardan_motors_create(f->data, INT_MAX, &motor, &motors, NULL));
    for (int i = 0; i < BAD_INDICES; ++i) {
        BAD(cardan_motors_create(f->data, 1, &(cardan_motor){bad_index[i], 0}, &motors, NULL));
        BAD(cardan_motors_create(f->data, 1, &(cardan_motor){0, bad_index[i]}, &motors, NULL));
    }
    cardan_motors_destroy(NULL);
    CHECK(cardan_motors_create(f->data, 1, &motor, &motors, NULL) == CARDAN_OK);
    BAD(cardan_motors_efforts(NULL, a, effort, NULL, NULL, NULL));
    BAD(cardan_motors_efforts(motors, NULL, effort, NULL, NULL, NULL));
    BAD(cardan_motors_efforts(motors, a, NULL, NULL, NULL, NULL));
    BAD(cardan_motors_efforts(motors, nan, effort, NULL, NULL, NULL));
    BAD(cardan_motors_apply(NULL, effort));
    BAD(cardan_motors_apply(motors, NULL));
    BAD(cardan_motors_apply(motors, nan));
    cardan_motors_destroy(motors);
}

static cardan_status describe_nothing(void* user, const double* value, cardan_description** description,
                                      cardan_report* report)
{
    (void)user, (void)value, (void)report;
    *description = NULL;
    return CARDAN_OK;
}

static void test_analyses(fixture* f)
{
    cardan_modes*        modes;
    cardan_linear_model* linear;
    cardan_diagnosis*    diagnosis;
    cardan_motor         motor    = {0, 0};
    double               value[1] = {0}, moment[30];
    char                 name[40];
    BAD(cardan_equilibrium_solve(NULL, NULL, NULL, NULL, NULL, NULL));
    BAD(cardan_equilibrium_solve(f->data, &(cardan_equilibrium_options){.force_tolerance = NAN}, NULL, NULL, NULL,
                                 NULL));
    BAD(cardan_data_static_residual(NULL, moment, NULL, NULL));
    BAD(cardan_data_static_residual(f->data, NULL, NULL, NULL));
    CHECK(cardan_description_tunable_count(NULL) == 0);
    NOT(cardan_description_tunable_name(NULL, 0, name, sizeof name));
    NOT(cardan_description_tunable_name(f->description, 0, NULL, 0));
    NOT(cardan_description_tunable_name(f->description, 0, name, -1));
    for (int i = 0; i < BAD_INDICES; ++i)
        NOT(cardan_description_tunable_name(f->description, bad_index[i], name, sizeof name));
    NOT(cardan_description_get_tunable(NULL, "x.length", value));
    NOT(cardan_description_get_tunable(f->description, NULL, value));
    NIL(cardan_description_tunable_unit(NULL, "x.length"));
    NIL(cardan_description_tunable_unit(f->description, NULL));
    NOT(cardan_description_set_tunable(NULL, "x.length", 1));
    NOT(cardan_description_set_tunable(f->description, NULL, 1));
    BAD(cardan_trim_solve(NULL, NULL, 0, 0, 1, value, NULL, NULL));
    BAD(cardan_trim_solve(describe_nothing, NULL, 0, 0, 1, NULL, NULL, NULL));
    BAD(cardan_trim_solve(describe_nothing, NULL, 0, 0, 1, value, NULL, NULL)); // the callback returns no description
    BAD(cardan_trim_solve(describe_nothing, NULL, 0, NAN, 1, value, NULL, NULL));
    BAD(cardan_trim_solve(describe_nothing, NULL, INT_MAX, 0, 1, value, NULL, NULL));
    BAD(cardan_trim_solve(describe_nothing, NULL, 0, 0, 1, (double[]){NAN}, NULL, NULL));
    BAD(cardan_trim_solve(describe_nothing, NULL, 0, 0, -1, value, NULL, NULL));
    BAD(cardan_modes_create(NULL, &modes, NULL));
    NIL(modes);
    BAD(cardan_modes_create(f->data, NULL, NULL));
    cardan_modes_destroy(NULL);
    BAD(cardan_linear_model_create(NULL, 0, NULL, &linear, NULL));
    NIL(linear);
    BAD(cardan_linear_model_create(f->data, 0, NULL, NULL, NULL));
    BAD(cardan_linear_model_create(f->data, 1, NULL, &linear, NULL));
    BAD(cardan_linear_model_create(f->data, -1, &motor, &linear, NULL));
    BAD(cardan_linear_model_create(f->data, INT_MAX, &motor, &linear, NULL));
    motor.joint = INT_MAX;
    BAD(cardan_linear_model_create(f->data, 1, &motor, &linear, NULL));
    cardan_linear_model_destroy(NULL);
    BAD(cardan_diagnosis_create(NULL, &diagnosis, NULL));
    NIL(diagnosis);
    BAD(cardan_diagnosis_create(f->data, NULL, NULL));
    cardan_diagnosis_destroy(NULL);
}

static void test_all_of(const char* formulation)
{
    fixture f;
    if (!fixture_open(&f, "models/four_bar", formulation, 0, NULL)) return;
    RUN(test_model(&f));
    RUN(test_check_state(&f));
    RUN(test_formulations(&f));
    RUN(test_data(&f));
    RUN(test_results(&f));
    RUN(test_assembly(&f));
    RUN(test_derivatives(&f));
    RUN(test_runs(&f));
    RUN(test_motors(&f));
    RUN(test_analyses(&f));
    fixture_close(&f);
}

int main(void)
{
    test_all_of("reduction");
    test_all_of("lagrange");
    RUN(test_drivers());
    RUN(test_interact());
    RUN(test_integrators());
    return test_end();
}
