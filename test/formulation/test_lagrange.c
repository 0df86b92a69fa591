// SPDX-License-Identifier: BSD-3-Clause
// Formulation lagrange on models: number and indices of redundant rows (four-bar: 3, ladder: 2 per cell), constraints
// enabled and disabled without a new elimination order, bit-identical results with several threads, block and scalar
// operation counts of a factorization.
#include "dynamics/data.h"
#include "loop_models.h"
#include "model_folders.h"

static const four_bar linkage = {.a = 1, .b = 2.2, .c = 1.5, .d = 2, .crank = 1.0471975511965976, .side = 1, .size = 1};

// Linkage with its first `count` joints.
static cardan_description* linkage_of(int count)
{
    cardan_joint        joint[4];
    cardan_description* d = four_bar_describe(&linkage, joint);
    for (int i = 0; i < count; ++i) cardan_description_add_joint(d, &joint[i]);
    return d;
}

static void set_start(fixture* f)
{
    CHECK(cardan_data_set_state(f->data, 0, f->m.q_start, f->m.v_start, NULL) == CARDAN_OK);
}

static void test_redundant_rows_of_four_bar(void)
{
    fixture f;
    int     row[8];
    double  ratio;
    if (loop_open(&f, linkage_of(4), "lagrange")) {
        set_start(&f);
        CHECK(cardan_data_redundant_rows(f.data, 8, row, &ratio) == 3);
        for (int i = 0; i < 3; ++i) CHECK(row[i] >= 0 && row[i] < 20 && (i == 0 || row[i] > row[i - 1]));
        CHECK(ratio > 1 && ratio < 1e6);
    }
    fixture_close(&f);
    if (loop_open(&f, linkage_of(3), "lagrange")) {
        set_start(&f);
        CHECK(cardan_data_redundant_rows(f.data, 8, row, NULL) == 0);
    }
    fixture_close(&f);
}

static void test_redundant_rows_of_ladder(const char* cells, int count)
{
    fixture                        f;
    const cardan_parameter_setting setting = {"cells", cells};
    if (fixture_open(&f, "models/diagnosis/ladder.yaml", "lagrange", 1, &setting)) {
        set_start(&f);
        CHECK_NEAR(cardan_data_redundant_rows(f.data, 0, NULL, NULL), count, 0);
    }
    fixture_close(&f);
}

// Assumption of solve and consistency check: the velocities of a constraint are groups of six consecutive velocities of
// a body, also for massless and welded bodies.
static void check_jacobian_blocks(const char* path)
{
    fixture f;
    if (fixture_open(&f, path, "lagrange", 0, NULL)) {
        const cardan_data* d = f.data;
        for (int c = 0; c < d->rows.nblock; ++c) {
            const cd_row_block* b = &d->rows.block[c];
            CHECK(b->nv % 6 == 0);
            for (int j = 0; j < b->nv; ++j) CHECK(b->v[j] == b->v[j - j % 6] + j % 6 && b->v[j - j % 6] % 6 == 0);
        }
    }
    fixture_close(&f);
}

static void test_jacobian_blocks(void)
{
    static model_folders models;
    collect_models(&models, "models");
    CHECK(models.count > 40);
    for (int i = 0; i < models.count; ++i)
        if (!lacks_hulls(models.path[i])) check_jacobian_blocks(models.path[i]);
    check_jacobian_blocks("models/diagnosis/welded_twice.yaml");
    check_jacobian_blocks("models/diagnosis/frame.yaml");
}

static void accelerations(fixture* f, double* a, int n)
{
    CHECK(f->m.nv == n);
    CHECK(cardan_data_accelerate(f->data, a, NULL, &f->report) == CARDAN_OK);
}

// With joint `name` disabled the accelerations are those of the linkage without it (a triple pendulum); enabled again,
// they are bit-identical to those before.
static void test_switch(const char* formulation, const char* name, int without)
{
    fixture f, g;
    double  a[18], b[18], c[18];
    if (loop_open(&f, linkage_of(4), formulation) && loop_open(&g, linkage_of(without), formulation)) {
        double v[18];
        for (int i = 0; i < 18; ++i) v[i] = 0;
        CHECK(cardan_data_set_state(f.data, 0, f.m.q_start, v, NULL) == CARDAN_OK);
        CHECK(cardan_data_set_state(g.data, 0, g.m.q_start, v, NULL) == CARDAN_OK);
        accelerations(&f, a, 18);
        accelerations(&g, b, 18);
        double difference = 0;
        for (int i = 0; i < 18; ++i) difference = fmax(difference, fabs(a[i] - b[i]));
        CHECK(difference > 0.1);
        CHECK(cardan_data_enable_constraint(f.data, name, false, &f.report) == CARDAN_OK);
        accelerations(&f, c, 18);
        for (int i = 0; i < 18; ++i) CHECK_NEAR(c[i], b[i], 1e-10);
        CHECK(cardan_data_redundant_rows(f.data, 0, NULL, NULL) == 0);
        CHECK(cardan_data_enable_constraint(f.data, name, true, &f.report) == CARDAN_OK);
        accelerations(&f, c, 18);
        CHECK(memcmp(a, c, sizeof a) == 0);
        CHECK(cardan_data_enable_constraint(f.data, "nothing", true, &f.report) == CARDAN_BAD_USAGE);
        CHECK_HAS(f.report.message[f.report.count - 1].text, "'nothing'");
        CHECK(cardan_data_set_threads(f.data, 0, &f.report) == CARDAN_BAD_USAGE);
        CHECK(cardan_data_set_threads(f.data, 3, &f.report) == CARDAN_OK);
        CHECK(cardan_data_set_state(f.data, 0, f.m.q_start, v, NULL) == CARDAN_OK);
        accelerations(&f, c, 18);
        CHECK(memcmp(a, c, sizeof a) == 0);
        fixture_close(&g);
    }
    fixture_close(&f);
}

static void test_both_counts(void)
{
    fixture                 f;
    cardan_operation_counts o;
    if (loop_open(&f, linkage_of(4), "lagrange")) {
        CHECK(cardan_model_count_operations(f.model, cardan_formulation_find("lagrange"), f.m.q_start, f.m.v_start, &o,
                                            &f.report) == CARDAN_OK);
        CHECK(o.sparse_mul > 100 && o.sparse_mul < o.factor.mul);
        CHECK(o.sparse_nonzeros > 50 && o.sparse_nonzeros < 38 * 37 / 2);
    }
    fixture_close(&f);
}

int main(void)
{
    RUN(test_jacobian_blocks());
    RUN(test_redundant_rows_of_four_bar());
    RUN(test_redundant_rows_of_ladder("1", 2));
    RUN(test_redundant_rows_of_ladder("3", 6));
    RUN(test_redundant_rows_of_ladder("10", 20));
    RUN(test_switch("lagrange", "D", 3));
    RUN(test_both_counts());
    return test_end();
}
