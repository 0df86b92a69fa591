// SPDX-License-Identifier: BSD-3-Clause
// The lock: as every joint type it has six rows minus the degrees of freedom of the joint and is satisfied by the
// joint; all 64 masks; its measured values.
#include "dynamics/data.h"
#include "dynamics/rows/constraint_update.h"
#include "random_tree.h"
#include "sentences.h"
#include "test.h"

// Random trees in maximal coordinates: every joint is a lock, satisfied at every state of the tree, velocities
// included.
static void test_joints(void)
{
    static double q[300], v[300];
    int           seen[16] = {0}, singular = 0;
    double        violation = 0, velocity_violation = 0;
    for (uint64_t seed = 1; seed <= 300; ++seed) {
        cardan_description* d    = random_tree(seed);
        cardan_model *      tree = NULL, *maximal = NULL;
        cardan_data *       a = NULL, *b = NULL;
        cardan_report       report = {0};
        CHECK(cardan_model_compile(d, CARDAN_TREE_BREADTH_FIRST, &tree, &report) == CARDAN_OK);
        CHECK(cardan_data_create(tree, cardan_formulation_find("dense"), &a, &report) == CARDAN_OK);
        cardan_model_compile(d, CARDAN_TREE_MAXIMAL, &maximal, &report);
        CHECK(maximal && cardan_data_create(maximal, cardan_formulation_find("dense"), &b, &report) == CARDAN_OK);
        if (b) {
            dice k = {seed + 5};
            random_state(&k, tree, q, v);
            cardan_data_set_state(a, 0, q, v, NULL);
            CHECK(cardan_data_copy_state(a, b) == CARDAN_OK);
            cd_update_rows(b);
            singular += b->constraints.singular_constraint != CARDAN_NONE; // more than three translations
            for (int i = 0; b->constraints.singular_constraint == CARDAN_NONE && i < b->constraints.nconstraint; ++i) {
                const cd_constraint*     c = &b->constraints.constraint[i];
                const cd_compiled_joint* j = &maximal->joint[c->joint];
                int                      t = 0;
                while (cd_joint_type_at(t) != j->type) ++t;
                ++seen[t];
                CHECK(c->nrow == 6 - maximal->tree_range[c->joint].nv && c->nholonomic == c->nrow);
                for (int r = c->first_row; r < c->first_row + c->nrow; ++r) {
                    violation          = fmax(violation, fabs(b->constraints.value[r]));
                    velocity_violation = fmax(velocity_violation, fabs(b->constraints.rate[r]));
                }
            }
        }
        cardan_data_destroy(a);
        cardan_data_destroy(b);
        cardan_model_destroy(tree);
        cardan_model_destroy(maximal);
        cardan_description_destroy(d);
    }
    printf("joints in maximal coordinates: violation %.1e, velocity violation %.1e\n", violation, velocity_violation);
    CHECK(violation < 1e-12 && velocity_violation < 1e-11);
    CHECK(singular < 30);
    for (int t = 0; t < cd_joint_type_count(); ++t) {
        const char* name = cd_joint_type_at(t)->name;
        CHECK(strcmp(name, "fixed") == 0 || strcmp(name, "free") == 0 || seen[t] > 10);
    }
}

typedef struct bench {
    cardan_description* d;
    cardan_model*       m;
    cardan_data*        data;
} bench;

// One free body and a lock to ground; functions: driver function of each motion, or NULL.
static bench reference_bench(unsigned locked, cardan_pose reference_pose, const char* const functions[6])
{
    bench         x      = {.d = cardan_description_create("bench")};
    bool          driven = false;
    cardan_body   b      = cardan_body_default("b");
    cardan_report r      = {0};
    b.mass               = 1;
    b.inertia[0] = b.inertia[1] = b.inertia[2] = 1;
    cardan_description_add_body(x.d, &b);
    cardan_constraint c = cardan_constraint_default("lock", "lock");
    c.marker[0]         = cardan_description_find_marker(x.d, "b");
    c.locked            = locked;
    c.reference         = reference_pose;
    for (int i = 0; i < 6; ++i) {
        if (!functions[i]) continue;
        cardan_description_parse(x.d, functions[i], cardan_location_none(), &c.driver[i], &r);
        driven = true;
    }
    cardan_description_add_constraint(x.d, &c);
    CHECK(cardan_model_compile(x.d, CARDAN_TREE_BREADTH_FIRST, &x.m, &r) == CARDAN_OK);
    CHECK((cardan_data_create(x.m, cardan_formulation_find("dense"), &x.data, &r) == CARDAN_OK) == (locked || driven));
    if (!x.data) CHECK_MESSAGE(&r.message[0], CARDAN_CODE_CONSTRAINT_INVALID, "constraint 'lock'");
    return x;
}

static bench lock_bench(unsigned locked, const char* driver_z, const char* driver_rz)
{
    return reference_bench(locked, cardan_pose_default(), (const char* const[6]){[2] = driver_z, [5] = driver_rz});
}

static void close_bench(bench* x)
{
    cardan_data_destroy(x->data);
    cardan_model_destroy(x->m);
    cardan_description_destroy(x->d);
}

// Every mask: translations are displacements, a rotation by phi about the axis u gives 2 sin(phi/2) u; motions that are
// not locked have no row.
static void test_masks(void)
{
    const double phi = 0.7, u[3] = {2.0 / 7, 3.0 / 7, 6.0 / 7};
    const double q[7] = {0.1, -0.2, 0.3, cos(phi / 2), sin(phi / 2) * u[0], sin(phi / 2) * u[1], sin(phi / 2) * u[2]},
                 v[6] = {0};
    const double expected[6] = {
        0.1, -0.2, 0.3, 2 * sin(phi / 2) * u[0], 2 * sin(phi / 2) * u[1], 2 * sin(phi / 2) * u[2]};
    for (unsigned mask = 0; mask < 64; ++mask) {
        bench x   = lock_bench(mask, NULL, NULL);
        int   row = 0;
        if (x.data) {
            cardan_data_set_state(x.data, 0, q, v, NULL);
            cd_update_rows(x.data);
            for (int i = 0; i < 6; ++i)
                if (mask >> i & 1) CHECK_NEAR(x.data->constraints.value[row++], expected[i], 1e-15);
            CHECK(x.data->constraints.nrow == row && cardan_data_driver_count(x.data) == 0);
        }
        close_bench(&x);
    }
}

// Driver functions: driven motions are rows, too, for every mask, and their values vanish where the driver function is
// satisfied; also after ten revolutions.
static void test_driver_functions(void)
{
    bench x = lock_bench(1 | 2 | 8 | 16, "0.5*t", "10*t");
    if (x.data) {
        CHECK(x.data->constraints.nrow == 6 && x.data->constraints.constraint[0].driven_rows == (1u << 2 | 1u << 5) &&
              cardan_data_driver_count(x.data) == 2);
        for (int i = 0; i <= 100; ++i) {
            const double t = 0.07 * i, q[7] = {0, 0, 0.5 * t, cos(5 * t), 0, 0, sin(5 * t)},
                         v[6] = {0, 0, 0.5, 0, 0, 10};
            cardan_data_set_state(x.data, t, q, v, NULL);
            cd_update_rows(x.data);
            for (int r = 0; r < 6; ++r) {
                CHECK_NEAR(x.data->constraints.value[r], 0, 1e-13);
                CHECK_NEAR(x.data->constraints.rate[r], 0, 1e-13);
            }
        }
    }
    close_bench(&x);
}

static void product(const double a[4], const double b[4], double c[4])
{
    const double x[4] = {
        a[0] * b[0] - a[1] * b[1] - a[2] * b[2] - a[3] * b[3], a[0] * b[1] + a[1] * b[0] + a[2] * b[3] - a[3] * b[2],
        a[0] * b[2] + a[2] * b[0] + a[3] * b[1] - a[1] * b[3], a[0] * b[3] + a[3] * b[0] + a[1] * b[2] - a[2] * b[1]};
    memcpy(c, x, sizeof x);
}

// R <- R times the rotation about axis i.
static void rotate_about(double q[4], int i, double angle)
{
    double rotation[4] = {cos(angle / 2)};
    rotation[1 + i]    = sin(angle / 2);
    product(q, rotation, q);
}

static double largest_violation(bench* x, double t, const double* q)
{
    const double v[6]  = {0};
    double       worst = 0;
    cardan_data_set_state(x->data, t, q, v, NULL);
    cd_update_rows(x->data);
    for (int i = 0; i < x->data->constraints.nrow; ++i) worst = fmax(worst, fabs(x->data->constraints.value[i]));
    return worst;
}

// Any reference pose: p = reference + driven translations, R = driven and free rotations times the reference rotation;
// translations and rotations are independent. Each motion in turn is free with any value; the others are driven.
static void test_reference_pose(void)
{
    static const char* const driver_functions[6] = {"0.3*t", "t^2", "-0.7*t", "0.5*t", "-t^2", "1.1*t"};
    dice                     k                   = {11};
    for (int round = 0; round < 60; ++round) {
        const int         free_motion = round % 6;
        const double      t = dice_range(&k, 0, 2), amount = dice_range(&k, -2, 2);
        double            motion[6] = {0.3 * t, t * t, -0.7 * t, 0.5 * t, -t * t, 1.1 * t}, q[7] = {[3] = 1};
        const char*       functions[6];
        const cardan_pose reference_pose = random_pose(&k);
        memcpy(functions, driver_functions, sizeof functions);
        functions[free_motion] = NULL;
        motion[free_motion]    = amount;
        bench x                = reference_bench(0, reference_pose, functions);
        for (int i = 0; i < 3; ++i) q[i] = reference_pose.p[i] + motion[i];
        for (int i = 3; i < 6; ++i) // the free rotation is about its axis, rotated by all driver functions
            if (i != free_motion) rotate_about(q + 3, i - 3, motion[i]);
        if (free_motion >= 3) rotate_about(q + 3, free_motion - 3, amount);
        product(q + 3, reference_pose.q, q + 3);
        CHECK(x.data && largest_violation(&x, t, q) < 1e-13);
        q[free_motion < 3 ? (free_motion + 1) % 3 : 0] += 0.1; // a translation that is not free
        CHECK_NEAR(largest_violation(&x, t, q), 0.1, 1e-13);
        close_bench(&x);
    }
}

// A reversed hinge violates its lock: its axes are parallel with opposite directions.
static void test_reversed_hinge(void)
{
    bench x = lock_bench(8 | 16, NULL, NULL);
    if (x.data) {
        const double q[7] = {0, 0, 0, 0, 1, 0, 0}, v[6] = {0}; // half a revolution about x
        cardan_data_set_state(x.data, 0, q, v, NULL);
        cd_update_rows(x.data);
        CHECK_NEAR(hypot(x.data->constraints.value[0], x.data->constraints.value[1]), 2, 1e-15);
    }
    close_bench(&x);
}

int main(void)
{
    RUN(test_joints());
    RUN(test_masks());
    RUN(test_driver_functions());
    RUN(test_reference_pose());
    RUN(test_reversed_hinge());
    RUN(test_sentences("test_lock"));
    return test_end();
}
