// SPDX-License-Identifier: BSD-3-Clause
// Ladders of any length (paper 004, section 4.3): accelerations of every formulation against the closed form up to 1000
// cells; motions that do not depend on the length if the rungs are at the centre of percussion of the rails; scaled
// rows and duplicate rows.
#include "loop_models.h"
#include "random_tree.h"

#include "dynamics/data.h"
#include "dynamics/rows/constraint_update.h"
#include "dynamics/rows/jacobian_operator.h"
#include "dynamics/solve.h"

static bool supports_loops(const char* formulation)
{
    fixture    f;
    const bool supported = fixture_open(&f, "models/four_bar", formulation, 0, NULL);
    fixture_close(&f);
    return supported;
}

static bool open_ladder(fixture* f, int cells, const char* depth, const char* formulation)
{
    const cardan_parameter_setting setting     = {"h", depth};
    cardan_load_options            options     = cardan_load_options_default();
    cardan_description*            description = NULL;
    options.nsetting                           = depth ? 1 : 0;
    options.setting                            = &setting;
    CHECK(cardan_family_generate("ladder", cells, &options, &description, NULL) == CARDAN_OK);
    return loop_open(f, description, formulation);
}

// A = (L+1) m l^2/3 + L M h^2,  C = (L+1) m l/2 + L M h,  w2 = g C/A
static void test_closed_form(int L, const char* formulation)
{
    const double A = (L + 1) / 3.0 + 0.3 * 0.64 * L, C = (L + 1) / 2.0 + 0.3 * 0.8 * L, w2 = 9.81 * C / A;
    const double roll  = 2 * tan(0.5) * 0.6 * -0.8 - w2 * sin(0.4) / cos(0.5),
                 swing = -sin(0.5) * cos(0.5) * 0.36 - w2 * cos(0.4) * sin(0.5);
    fixture f;
    if (open_ladder(&f, L, NULL, formulation)) {
        double* a = calloc((size_t)f.m.nv, sizeof *a);
        double  top[2], worst = 0, error = INFINITY;
        cardan_data_set_state(f.data, 0, f.m.q_start, f.m.v_start, NULL);
        CHECK(cardan_data_accelerate(f.data, a, NULL, &f.report) == CARDAN_OK);
        for (int j = 0; j <= L; ++j) { // the rails' joints come first
            cardan_data_joint_acceleration(f.data, j, a, top);
            worst = fmax(worst, fmax(fabs(top[0] - roll), fabs(top[1] - swing)));
        }
        error = cardan_data_residual_norm(f.data, a);
        CHECK(worst < 1e-9 && error < 1e-9);
        if (test_broken)
            printf("    %s, %d cells: error of accelerations %g, residual %g\n", formulation, L, worst, error);
        free(a);
    }
    fixture_close(&f);
}

static double end_q[2], end_v[2];

static bool keep_sample(void* user, cardan_data* data, const cardan_sample* row)
{
    (void)user, (void)row;
    cardan_data_joint_state(data, 0, end_q, end_v);
    return true;
}

static void swing(int cells, const char* formulation, const char* stabilization, double x[4])
{
    fixture f;
    if (open_ladder(&f, cells, "2/3", formulation)) {
        cardan_run_summary  summary;
        cardan_run_settings run = cardan_run_default();
        run.tolerance           = 1e-11;
        run.output_interval = run.end = 1;
        run.stabilization             = cardan_stabilization_find(stabilization);
        run.sample_callback           = keep_sample;
        CHECK(cardan_simulate(f.data, &run, &summary, &f.report) == CARDAN_OK);
    }
    fixture_close(&f);
    memcpy(x, end_q, sizeof end_q);
    memcpy(x + 2, end_v, sizeof end_v);
}

static void test_length_independent(const char* formulation, const char* stabilization)
{
    static const int cells[] = {3, 12};
    double           first[4], x[4];
    swing(1, formulation, stabilization, first);
    for (int k = 0; k < 2; ++k) {
        swing(cells[k], formulation, stabilization, x);
        for (int i = 0; i < 4; ++i) CHECK_NEAR(x[i], first[i], 1e-8);
    }
    CHECK(fabs(first[0] - 0.4) > 0.05);
}

// Every second row and its right side scaled by 1e-4: the same accelerations.
static void test_scaled(const char* path, const char* formulation)
{
    fixture f;
    if (fixture_open(&f, path, formulation, 0, NULL)) {
        cardan_data*  d = f.data;
        double*       a = calloc((size_t)(4 * f.m.nv), sizeof *a);
        double *      x = a + 2 * f.m.nv, *r = x + f.m.nv;
        cd_solve_info info = {.failed_velocity = CARDAN_NONE, .failed_row = CARDAN_NONE};
        dice          k    = {3};
        CHECK(cardan_data_assemble(d, NULL, NULL, NULL, NULL, &f.report) == CARDAN_OK);
        for (int i = 0; i < f.m.nv; ++i) x[i] = dice_range(&k, -1, 1), r[i] = dice_range(&k, -5, 5);
        for (int scaled = 0; scaled < 2; ++scaled) {
            cardan_data_set_state(d, 0, d->q, d->v, d->state);
            cd_update_rows(d);
            cd_jacobian_times(d, &d->rows, x, d->solve.row_rhs); // a consistent right side
            for (int c = 0; c < d->rows.nblock; ++c) {
                const cd_row_block* b = &d->rows.block[c];
                for (int i = 0; i < b->nrow; ++i) {
                    const double factor = scaled && (b->row + i) % 2 == 0 ? 1e-4 : 1;
                    d->solve.row_rhs[b->row + i] *= factor;
                    for (int j = 0; j < b->nv; ++j) b->J[i * b->nv + j] *= factor;
                    for (int n = 0; n < b->nend; ++n) {
                        b->G[i * b->nend + n].a = v3_scale(factor, b->G[i * b->nend + n].a);
                        b->G[i * b->nend + n].l = v3_scale(factor, b->G[i * b->nend + n].l);
                    }
                }
            }
            CHECK(cd_update_factor(d, &info) == CARDAN_OK);
            CHECK(cd_solve_with_factor(d, r, d->solve.row_rhs, a + scaled * f.m.nv, d->solve.correction_multiplier,
                                       &info) == CARDAN_OK);
        }
        double size = 1;
        for (int i = 0; i < f.m.nv; ++i) size = fmax(size, fabs(a[i]));
        for (int i = 0; i < f.m.nv; ++i) CHECK_NEAR(a[f.m.nv + i] / size, a[i] / size, 1e-8);
        if (test_broken) printf("    %s %s\n", path, formulation);
        free(a);
    }
    fixture_close(&f);
}

// The closing joint of a four-bar once, twice and three times: the same accelerations.
static void test_duplicates(const char* formulation)
{
    static const four_bar bar = {1, 2.2, 1.5, 2, 1.0471975511965976, 1, 1};
    double                a[3][4];
    for (int times = 1; times <= 3; ++times) {
        cardan_joint        joint[4];
        cardan_description* d = four_bar_describe(&bar, joint);
        fixture             f;
        joint[0].start_v_given = true;
        joint[0].start_v[0]    = 1.3;
        for (int i = 0; i < 4; ++i) cardan_description_add_joint(d, &joint[i]);
        for (int i = 1; i < times; ++i) {
            cardan_joint again = joint[2];
            again.name         = i == 1 ? "C again" : "C once more";
            cardan_description_add_joint(d, &again);
        }
        if (loop_open(&f, d, formulation)) {
            double x[32];
            CHECK(cardan_data_assemble(f.data, NULL, NULL, NULL, NULL, &f.report) == CARDAN_OK);
            CHECK(cardan_data_accelerate(f.data, x, NULL, &f.report) == CARDAN_OK);
            for (int i = 0; i < 4; ++i) cardan_data_joint_acceleration(f.data, i, x, &a[times - 1][i]);
            CHECK(cardan_data_residual_norm(f.data, x) < 1e-10);
        }
        fixture_close(&f);
    }
    for (int i = 0; i < 4; ++i) {
        CHECK_NEAR(a[1][i], a[0][i], 1e-10);
        CHECK_NEAR(a[2][i], a[0][i], 1e-10);
    }
    CHECK(fabs(a[0][0]) > 1);
}

// Formulations that factor a ladder as one dense matrix, with cost cubic in the number of loops.
static bool cubic(const char* formulation)
{
    return strstr(formulation, "dense") || strcmp(formulation, "embedding") == 0;
}

int main(void)
{
    static const char* const models[] = {"models/four_bar", "models/five_bar_redundant", "models/six_bar_moving",
                                         "models/ladder_slider", "models/slider_crank"};
    for (int i = 0; i < cardan_formulation_count(); ++i) {
        const char* name = cardan_formulation_name(i);
        if (!cardan_formulation_is_exact(i) || !supports_loops(name)) continue;
        for (int L = 10; L <= (cubic(name) ? 10 : 1000); L *= 10) RUN(test_closed_form(L, name));
        for (size_t k = 0; k < sizeof models / sizeof *models; ++k) RUN(test_scaled(models[k], name));
        RUN(test_duplicates(name));
    }
    RUN(test_length_independent("reduction", "velocity"));
    RUN(test_length_independent("reduction", "projection"));
    RUN(test_length_independent("lagrange", "projection"));
    return test_end();
}
