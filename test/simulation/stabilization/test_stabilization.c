// SPDX-License-Identifier: BSD-3-Clause
// Constraint violations along a run: the projection, and all stabilizations with all integrators.
#include "loop_models.h"
#include "sentences.h"
#include "random_tree.h"

#include "dynamics/data.h"
#include "dynamics/rows/constraint_update.h"
#include "dynamics/solve.h"
#include "simulation/stabilization/stabilization.h"

static const double pi = 3.14159265358979323846;

// ---- projection

enum { RING = 20 };

// A ring of bricks with spherical joints, free in space, closed at the last one; a regular polygon.
static cardan_description* ring(void)
{
    cardan_description* d = cardan_description_create("ring");
    double              p[RING][3];
    int                 body[RING];
    for (int i = 0; i < RING; ++i) {
        p[i][0] = 0.5 / sin(pi / RING) * cos(2 * pi * i / RING);
        p[i][1] = 0.5 / sin(pi / RING) * sin(2 * pi * i / RING);
        p[i][2] = 0;
    }
    for (int i = 0; i < RING; ++i) body[i] = loop_rod(d, (char[]){'b', (char)('a' + i), 0}, p[i], p[(i + 1) % RING], 1);
    for (int i = 0; i < RING; ++i) {
        const cardan_joint j = loop_joint(d, (char[]){'j', (char)('a' + i), 0}, "spherical", body[i],
                                          body[(i + 1) % RING], p[(i + 1) % RING], (const double[3]){0, 0, 1});
        cardan_description_add_joint(d, &j);
    }
    return d;
}

// One step of 1e-2 s, then single chord iterations with the factor of its start: each reduces the violation by a factor
// of 100 at least.
static void test_chord(const char* formulation, double speed)
{
    fixture f;
    if (loop_open(&f, ring(), formulation)) {
        const double h = 1e-2;
        double*      q = calloc((size_t)(f.m.nq + 4 * f.m.nv), sizeof *q);
        double *     v = q + f.m.nq, *a = v + f.m.nv, *dq = a + f.m.nv, *v1 = dq + f.m.nv;
        dice         d = {5};
        for (int i = 0; i < f.m.nv; ++i) v[i] = dice_range(&d, -speed, speed);
        cardan_data_set_state(f.data, 0, f.m.q_start, v, NULL);
        CHECK(cardan_data_project(f.data, NULL, q, v, NULL, &f.report) == CARDAN_OK);
        CHECK(cardan_data_accelerate(f.data, a, NULL, &f.report) == CARDAN_OK);
        for (int i = 0; i < f.m.nv; ++i) {
            dq[i] = h * v[i] + h * h / 2 * a[i];
            v1[i] = v[i] + h * a[i];
        }
        cardan_model_integrate_position(f.model, q, dq, q);
        cardan_data_set_state(f.data, h, q, v1, NULL);
        double before, after, rate_before = 0, rate_after;
        cardan_data_constraint_violation(f.data, &before, NULL);
        CHECK(before > 1e-10);
        const cardan_projection_options once = {.max_iterations = 1, .reuse_factor = true};
        for (int i = 0; i < 2; ++i) {
            cardan_data_project(f.data, &once, NULL, NULL, NULL, NULL);
            cardan_data_constraint_violation(f.data, &after, &rate_after);
            CHECK(after <= fmax(before / 100, 1e-14));
            if (i > 0) CHECK(rate_after <= fmax(rate_before / 100, 1e-13));
            if (test_broken) printf("    %g to %g, rates %g to %g\n", before, after, rate_before, rate_after);
            before      = after;
            rate_before = rate_after;
        }
        free(q);
    }
    fixture_close(&f);
}

// A factor that is too old is replaced, a good one reused; a state on the constraints does not change.
static void test_factors(void)
{
    fixture f;
    if (fixture_open(&f, "models/four_bar", "dense", 0, NULL)) {
        double                   q[8], v[8], a[8];
        cardan_projection_result done;
        CHECK(cardan_data_assemble(f.data, NULL, q, v, NULL, &f.report) == CARDAN_OK);
        CHECK(cardan_data_accelerate(f.data, a, NULL, &f.report) == CARDAN_OK);
        CHECK(cardan_data_project(f.data, NULL, NULL, NULL, &done, &f.report) == CARDAN_OK);
        CHECK(done.position_iterations == 0 && done.velocity_iterations == 0 && done.factorizations == 0);
        q[0] += 1e-5; // near: the old factor converges
        cardan_data_set_state(f.data, 0, q, v, NULL);
        CHECK(cardan_data_project(f.data, NULL, NULL, NULL, &done, &f.report) == CARDAN_OK);
        CHECK(done.factorizations == 0 && done.position_iterations > 0 && done.position_violation_after <= 1e-12 &&
              done.velocity_violation_after <= 1e-12);
        q[0] += 0.4; // far: it does not
        cardan_data_set_state(f.data, 0, q, v, NULL);
        CHECK(cardan_data_project(f.data, NULL, NULL, NULL, &done, &f.report) == CARDAN_OK);
        CHECK(done.factorizations > 0 && done.position_violation_after <= 1e-12 &&
              done.velocity_violation_after <= 1e-12);
    }
    fixture_close(&f);
}

// M dx is a combination of the rows of J: the correction is the least in the mass metric.
static void test_mass_metric(void)
{
    fixture f;
    if (fixture_open(&f, "models/four_bar", "dense", 0, NULL)) {
        double q[8], v[8], moved[8], dq[8], M[9];
        CHECK(cardan_data_assemble(f.data, NULL, q, v, NULL, &f.report) == CARDAN_OK);
        for (int i = 0; i < 3; ++i) q[i] += 1e-6 * (i + 1);
        cardan_data_set_state(f.data, 0, q, v, NULL);
        cardan_data_mass_matrix(f.data, M);
        cd_update_rows(f.data);
        const cd_row_block* b       = &f.data->rows.block[0];
        double              free[3] = {0}; // the direction with J free = 0, from the velocities, which satisfy J v = 0
        for (int i = 0; i < 3; ++i) free[i] = v[i];
        CHECK(cardan_data_project(f.data, NULL, moved, NULL, NULL, &f.report) == CARDAN_OK);
        cardan_model_position_difference(f.model, q, moved, dq);
        double power = 0, size = 0;
        for (int i = 0; i < 3; ++i)
            for (int j = 0; j < 3; ++j) {
                power += free[i] * M[3 * i + j] * dq[j];
                size += fabs(free[i] * M[3 * i + j] * dq[j]);
            }
        CHECK(fabs(power) < 1e-4 * size && size > 1e-7 && b->nv == 3);
    }
    fixture_close(&f);
}

// A row and its right side times 1e-6: the same correction.
static void test_row_scaling(const char* formulation)
{
    fixture f;
    if (fixture_open(&f, "models/slider_crank", formulation, 0, NULL)) {
        cardan_data*  d  = f.data;
        double*       dx = calloc((size_t)(2 * f.m.nv), sizeof *dx);
        cd_solve_info where;
        CHECK(cardan_data_assemble(d, NULL, NULL, NULL, NULL, &f.report) == CARDAN_OK);
        for (int scaled = 0; scaled < 2; ++scaled) {
            cardan_data_set_state(d, 0, d->q, d->v, d->state);
            cd_update_rows(d);
            dice generator = {3};
            // a right side that the rows can satisfy: J times a motion
            for (int i = 0; i < f.m.nv; ++i) d->solve.correction[i] = dice_range(&generator, -1, 1);
            for (int c = 0; c < d->rows.nblock; ++c) {
                const cd_row_block* b = &d->rows.block[c];
                for (int i = 0; i < b->nrow; ++i) {
                    const double factor          = scaled && (b->row + i) % 2 == 0 ? 1e-6 : 1;
                    d->solve.row_rhs[b->row + i] = 0;
                    for (int j = 0; j < b->nv; ++j) {
                        b->J[i * b->nv + j] *= factor;
                        d->solve.row_rhs[b->row + i] += b->J[i * b->nv + j] * d->solve.correction[b->v[j]];
                    }
                }
            }
            CHECK(cd_update_factor(d, &where) == CARDAN_OK);
            CHECK(cd_solve_with_factor(d, d->scratch.zero_nv, d->solve.row_rhs, dx + scaled * f.m.nv,
                                       d->solve.correction_multiplier, &where) == CARDAN_OK);
        }
        for (int i = 0; i < f.m.nv; ++i) CHECK_NEAR(dx[f.m.nv + i], dx[i], 1e-8);
        free(dx);
    }
    fixture_close(&f);
}

static void test_cannot_project(void)
{
    const four_bar      bar = {1, 2.2, 1.5, 2, pi / 3, 1, 1};
    cardan_joint        joint[4];
    cardan_description* description = four_bar_describe(&bar, joint);
    joint[3].frame_second.p[0]      = 10;
    for (int i = 0; i < 4; ++i) cardan_description_add_joint(description, &joint[i]);
    fixture f;
    if (loop_open(&f, description, "dense")) {
        cardan_data_set_state(f.data, 0.25, f.m.q_start, f.m.v_start, NULL);
        CHECK(cardan_data_project(f.data, NULL, NULL, NULL, NULL, &f.report) == CARDAN_NOT_CONVERGED);
        CHECK_MESSAGE(&f.report.message[0], CARDAN_CODE_PROJECTION_FAILED, "joint 'C'", "t = 0.25 s", "7.85 m");
    }
    fixture_close(&f);
}

// ---- simulations

typedef struct record {
    double violation[4]; // at t = 1, 2, 5, 10 s
    int    crank;        // its coordinate
    double angle;        // at the end
} record;

static bool keep_sample(void* user, cardan_data* data, const cardan_sample* row)
{
    static const double when[4] = {1, 2, 5, 10};
    record*             w       = user;
    for (int i = 0; i < 4; ++i)
        if (fabs(row->t - when[i]) < 1e-9) cardan_data_constraint_violation(data, &w->violation[i], NULL);
    double q[1], v[1];
    cardan_data_joint_state(data, 0, q, v);
    w->angle = q[0];
    return true;
}

static cardan_run_summary run_four_bar(const char* formulation, const char* integrator, const char* stabilization,
                                       double end, double step, record* w)
{
    fixture            f;
    cardan_run_summary summary = {.status = CARDAN_BAD_INPUT};
    if (fixture_open(&f, "models/four_bar", formulation, 0, NULL)) {
        cardan_run_settings run = cardan_run_default();
        run.integrator          = cardan_integrator_find(integrator);
        run.stabilization       = stabilization ? cardan_stabilization_find(stabilization) : CARDAN_NONE;
        run.end                 = end;
        run.step                = step;
        run.output_interval     = 0.1;
        run.sample_callback     = keep_sample;
        run.user                = w;
        CHECK(cardan_simulate(f.data, &run, &summary, &f.report) == CARDAN_OK);
        for (int i = 0; i < f.report.count; ++i) printf("%s\n", f.report.message[i].text);
    }
    fixture_close(&f);
    return summary;
}

// Default settings, 10 s: violations below 1e-10, energy error of the size of the tolerance.
static void test_default(const char* formulation)
{
    record                   w = {0};
    const cardan_run_summary s = run_four_bar(formulation, "dopri5", NULL, 10, 0, &w);
    CHECK(s.max_position_violation <= 1e-10 && s.max_velocity_violation <= 1e-10);
    CHECK(s.energy_error < 1e-7);
    CHECK_NEAR(s.t, 10, 1e-12);
}

// Without stabilization the violation grows (2.2e-5, 1.1e-4, 5.6e-4, 2.3e-3 m in the coordinates of the specification,
// with rk4 and steps of 10 ms); with stabilization it does not.
static void test_violation_growth(void)
{
    record none = {0}, kept = {0}, pulled = {0};
    run_four_bar("dense", "rk4", "none", 10, 0.01, &none);
    run_four_bar("dense", "rk4", "projection", 10, 0.01, &kept);
    run_four_bar("dense", "rk4", "baumgarte", 10, 0.01, &pulled);
    CHECK(none.violation[0] < none.violation[1] && none.violation[1] < none.violation[2] &&
          none.violation[2] < none.violation[3]);
    CHECK(none.violation[0] > 5e-6 && none.violation[0] < 1e-4);
    CHECK(none.violation[3] > 5e-4 && none.violation[3] < 1e-2);
    for (int i = 0; i < 4; ++i) CHECK(kept.violation[i] <= 1e-10 && pulled.violation[i] < 1e-4);
    if (test_broken)
        for (int i = 0; i < 4; ++i)
            printf("    none %g, projection %g, baumgarte %g\n", none.violation[i], kept.violation[i],
                   pulled.violation[i]);
}

// All integrators with all stabilizations, 2 s: the same crank angle, violations below the bound of the stabilization.
static void test_all(const char* formulation)
{
    record best = {0};
    run_four_bar(formulation, "dopri5", "projection", 2, 0, &best);
    for (int i = 0; i < cardan_integrator_count(); ++i) {
        if (cardan_integrator_is_regularized(i)) continue; // uses none of them
        if (cardan_integrator_is_low_order(i)) continue;   // nor do these; see test_generalized_alpha.c
        const int    order     = cardan_integrator_order(i);
        const double allowance = order == 1 ? 0.05 : order == 2 ? 1e-4 : 1e-5;
        double       drift     = 0;
        for (int s = cardan_stabilization_count() - 1; s >= 0; --s) {
            record                   w       = {0};
            const char*              name    = cardan_stabilization_name(s);
            const cardan_run_summary summary = run_four_bar(formulation, cardan_integrator_name(i), name, 2, 0, &w);
            CHECK_NEAR(w.angle, best.angle, strcmp(name, "baumgarte") == 0 ? 10 * allowance : allowance);
            if (strcmp(name, "none") == 0)
                drift = summary.max_position_violation;
            else if (strcmp(name, "baumgarte") == 0)
                CHECK(summary.max_position_violation < 10 * drift);
            else if (strcmp(name, "velocity") == 0)
                CHECK(summary.max_velocity_violation <= 1e-13 && summary.max_position_violation < fmax(drift, 1e-7));
            else
                CHECK(summary.max_position_violation <= 1e-10 && summary.max_velocity_violation <= 1e-9);
            if (test_broken) {
                printf("    %s %s: angle %g, violation %g %g, drift %g\n", cardan_integrator_name(i), name, w.angle,
                       summary.max_position_violation, summary.max_velocity_violation, drift);
                return;
            }
        }
    }
}

// The cranks of a parallelogram move as one pendulum for all redundant loops.
static void test_parallelogram(const char* formulation)
{
    fixture f;
    if (fixture_open(&f, "models/parallelogram", formulation, 0, NULL)) {
        double*       a = calloc((size_t)f.m.nv, sizeof *a);
        cardan_motion body[4];
        CHECK(cardan_data_assemble(f.data, NULL, NULL, NULL, NULL, &f.report) == CARDAN_OK);
        CHECK(cardan_data_accelerate(f.data, a, NULL, &f.report) == CARDAN_OK);
        cardan_data_body_motions(f.data, a, body);
        for (int i = 0; i < 3; ++i) CHECK_NEAR(body[i].alpha[2], -9.0 / 8 * 9.81 / 0.5 * sin(0.4), 1e-10);
        CHECK_NEAR(body[3].alpha[2], 0, 1e-10);
        free(a);
        cardan_run_settings run = cardan_run_default();
        run.end                 = 5;
        cardan_run_summary s;
        CHECK(cardan_simulate(f.data, &run, &s, &f.report) == CARDAN_OK);
        CHECK(s.max_position_violation <= 1e-10 && s.max_velocity_violation <= 1e-10 && s.energy_error < 1e-6);
    }
    fixture_close(&f);
}

// ---- velocity projection in every evaluation

static const cd_formulation* original; // the formulation that `exaggerate` replaces

static cardan_status exaggerate(const cd_problem* problem, void* work, const cd_right_sides* right_sides,
                                const cd_solution* solution, cd_solve_info* info)
{
    const cardan_status status = original->solve(problem, work, right_sides, solution, info);
    for (int i = 0; !right_sides->r && i < problem->m->nv; ++i) solution->dx[i] *= 3;
    return status;
}

// A first correction that increases the velocity violation is undone, and the second one is solved for the violation of
// the velocities before it.
static void test_second_velocity_correction(void)
{
    fixture f;
    if (fixture_open(&f, "models/four_bar", "reduction", 0, NULL)) {
        cardan_data*   d = f.data;
        double         a[16], rate;
        cd_formulation far = *d->formulation;
        original           = d->formulation;
        far.solve          = exaggerate;
        CHECK(original->properties & CD_SOLVES_CORRECTION);
        CHECK(cardan_data_assemble(d, NULL, NULL, NULL, NULL, &f.report) == CARDAN_OK);
        d->v[0] += 0.1;
        cardan_data_set_state(d, 0, d->q, d->v, d->state);
        CHECK(cardan_data_accelerate(d, a, NULL, &f.report) == CARDAN_OK);
        cardan_data_constraint_violation(d, NULL, &rate);
        CHECK(rate > 0.01);
        d->formulation = &far;
        CHECK(cd_project_velocities_exactly(d) == CARDAN_OK);
        d->formulation = original;
        cardan_data_constraint_violation(d, NULL, &rate);
        CHECK(rate < 1e-13);
    }
    fixture_close(&f);
}

// ---- sizes

// A matrix with too many entries is refused with an error before anything is allocated.
static void test_too_large(void)
{
    static cardan_model     m;
    static cardan_data      d;
    static cardan_report    report;
    const cd_stabilization *partitioning = cd_stabilization_at(cardan_stabilization_find("partitioning")),
                           *projection   = cd_stabilization_at(cardan_stabilization_find("projection"));
    m.nv                                 = 60000;
    m.view.name                          = "net";
    d.m                                  = &m;
    d.rows.nrow                          = 40000;
    CHECK(cd_stabilization_supports(projection, &d, &report) == CARDAN_OK && report.count == 0);
    CHECK(cd_stabilization_supports(partitioning, &d, &report) == CARDAN_UNSUPPORTED);
    CHECK_MESSAGE(&report.message[0], CARDAN_CODE_MODEL_TOO_LARGE, "'partitioning'", "3.6e+09", "'net'");
    m.nv        = 4000;
    d.rows.nrow = 3000;
    CHECK(cd_stabilization_supports(partitioning, &d, &report) == CARDAN_OK);
}

int main(void)
{
    static const char* const formulations[] = {"dense", "lagrange"};
    RUN(test_factors());
    RUN(test_mass_metric());
    RUN(test_cannot_project());
    RUN(test_violation_growth());
    RUN(test_second_velocity_correction());
    RUN(test_too_large());
    for (int i = 0; i < 2; ++i) {
        RUN(test_chord(formulations[i], i == 0 ? 0.1 : 0.3)); // relative velocities of 20 joints in a row add up
        RUN(test_row_scaling(formulations[i]));
        RUN(test_default(formulations[i]));
        RUN(test_parallelogram(formulations[i]));
        RUN(test_all(formulations[i]));
    }
    RUN(test_sentences("test_stabilization"));
    return test_end();
}
