// SPDX-License-Identifier: BSD-3-Clause
// Scaling of tree formulations: operation counts of order-n and implicit are exactly linear in the length of a chain,
// those of cholesky follow from the depths of the tree; a chain of 100,000 joints is solved with a stack of 256 kB, so
// no function recurses along the tree.
#include "formulation/tree/tree_mass.h"
#include "sentences.h"
#include "test.h"

#include <cardan/cardan.h>
#include <stdlib.h>
#include <sys/resource.h>

// Links of 0.5 m along x, axes cycling z, y, x; `parent` gives the tree.
static cardan_description* family(int n, int (*parent)(int))
{
    static const double axis[3][3] = {{0, 0, 1}, {0, 1, 0}, {1, 0, 0}};
    cardan_description* d          = cardan_description_create("family");
    for (int i = 0; i < n; ++i) {
        char name[24];
        snprintf(name, sizeof name, "link%d", i);
        cardan_body b = cardan_body_default(name);
        b.mass        = 1 + (i * 7 % 11) / 11.0;
        b.centre[0]   = 0.25;
        b.inertia[0]  = b.mass * 0.0025;
        b.inertia[1] = b.inertia[2] = b.mass * (0.25 / 12 + 0.0025);
        cardan_description_add_body(d, &b);
        snprintf(name, sizeof name, "joint%d", i);
        const int    p = parent(i);
        cardan_joint j = cardan_joint_default(name, "general", p, i);
        j.nelementary  = 1;
        memcpy(j.elementary[0].axis, axis[i % 3], sizeof axis[0]);
        if (p >= 0) j.frame_first.p[0] = 0.5;
        if (p >= 0) j.frame_first.p[1] = parent(1) == parent(2) ? (i % 2 ? 0.1 : -0.1) : 0;
        cardan_description_add_joint(d, &j);
    }
    return d;
}

static int chain_parent(int i) { return i - 1; }
static int tree_parent(int i) { return i == 0 ? CARDAN_GROUND : (i - 1) / 2; }

static cardan_model* compiled(const cardan_description* d)
{
    cardan_model* m = NULL;
    CHECK(cardan_model_compile(d, CARDAN_TREE_BREADTH_FIRST, &m, NULL) == CARDAN_OK);
    return m;
}

static cardan_operation_counts operations(int n, const char* formulation)
{
    cardan_description*     d = family(n, chain_parent);
    cardan_model*           m = compiled(d);
    cardan_operation_counts o = {0};
    double*                 q = calloc((size_t)n, sizeof *q);
    CHECK(cardan_model_count_operations(m, cardan_formulation_find(formulation), q, q, &o, NULL) == CARDAN_OK);
    free(q);
    cardan_model_destroy(m);
    cardan_description_destroy(d);
    return o;
}

static long total_mul(cardan_operation_counts o)
{
    return o.kinematics.mul + o.assembly.mul + o.factor.mul + o.solve.mul;
}
static long total_add(cardan_operation_counts o)
{
    return o.kinematics.add + o.assembly.add + o.factor.add + o.solve.add;
}

// few, few + 10, many: chain lengths on the same side of the length above which order-n does not sum link wrenches.
static void test_operations_are_linear(const char* formulation, int few, int many)
{
    const cardan_operation_counts a = operations(few, formulation), b = operations(few + 10, formulation),
                                  c = operations(many, formulation);
    const long mul = total_mul(b) - total_mul(a), add = total_add(b) - total_add(a), tens = (many - few) / 10;
    printf("%s: %ld multiplications and %ld additions per joint of a chain\n", formulation, mul / 10, add / 10);
    CHECK(mul > 0 && mul % 10 == 0);
    CHECK(total_mul(c) == total_mul(a) + tens * mul);
    CHECK(total_add(c) == total_add(a) + tens * add);
}

// Factorization along the tree: for a velocity of depth d, d - 1 divisions by its pivot, one division for the inverse
// pivot, and d (d - 1) / 2 updates. Exact counts prove that there is no fill-in.
static void test_cholesky_has_no_fill_in(void)
{
    cardan_description*     d = family(2048, tree_parent);
    cardan_model*           m = compiled(d);
    double*                 q = calloc(2048, sizeof *q);
    cardan_operation_counts o;
    long                    mul = 0, div = 0, entries = 0;
    for (int i = 0; i < 2048; ++i) {
        long depth = 1;
        for (int p = i; tree_parent(p) >= 0; p = tree_parent(p)) ++depth;
        mul += depth * (depth - 1) / 2;
        div += depth;
        entries += depth;
    }
    CHECK(cardan_model_count_operations(m, cardan_formulation_find("cholesky"), q, q, &o, NULL) == CARDAN_OK);
    CHECK(o.factor.mul == mul);
    CHECK(o.factor.div == div);
    CHECK(cd_tree_mass_entries(m) == (double)entries);
    free(q);
    cardan_model_destroy(m);
    cardan_description_destroy(d);
}

// 100,000 joints with a stack of 256 kB: a recursion along the chain would overflow it.
static void test_long_chain(void)
{
    enum { N = 100000 };
    cardan_description* d    = family(N, chain_parent);
    cardan_model*       m    = compiled(d);
    cardan_data*        data = NULL;
    double *            q = calloc(N, sizeof *q), *v = calloc(N, sizeof *v), *a = calloc(N, sizeof *a);
    CHECK(cardan_data_create(m, cardan_formulation_find("order-n"), &data, NULL) == CARDAN_OK);
    for (int i = 0; i < N; ++i) {
        q[i] = 0.3 * sin(0.1 * i);
        v[i] = 0.01 * cos(0.2 * i);
    }
    cardan_data_set_state(data, 0, q, v, NULL);
    CHECK(cardan_data_accelerate(data, a, NULL, NULL) == CARDAN_OK);
    CHECK(cardan_data_residual_norm(data, a) < 1e-9);

    cardan_report report = {0};
    cardan_data*  none   = NULL;
    CHECK(cardan_data_create(m, cardan_formulation_find("semi"), &none, &report) == CARDAN_UNSUPPORTED);
    CHECK_CASE(&report, "semi", "order-n");
    free(q), free(v), free(a);
    cardan_data_destroy(data);
    cardan_model_destroy(m);
    cardan_description_destroy(d);
}

// Formulations that do not support the model report an error instead of an operation count.
static void test_count_unsupported(void)
{
    cardan_description*     d      = family(100000, chain_parent);
    cardan_model*           m      = compiled(d);
    cardan_report           report = {0};
    cardan_operation_counts o;
    double*                 q = calloc(100000, sizeof *q);
    CHECK(cardan_model_count_operations(m, 99, q, q, &o, &report) == CARDAN_BAD_USAGE);
    CHECK(cardan_model_count_operations(m, cardan_formulation_find("cholesky"), q, q, &o, &report) ==
          CARDAN_UNSUPPORTED);
    CHECK(cardan_model_count_operations(m, cardan_formulation_find("semi"), q, q, &o, &report) == CARDAN_UNSUPPORTED);
    CHECK(report.errors == 3);
    CHECK_CASE(&report, "operations", "'family'|'cholesky'");
    free(q);
    cardan_model_destroy(m);
    cardan_description_destroy(d);
}

// A chain with its base at 10 km from the origin has the accelerations of one at the origin.
static void test_far_from_the_origin(void)
{
    double a[2][3];
    for (int far = 0; far < 2; ++far) {
        cardan_description* d = cardan_description_create("far");
        for (int i = 0; i < 3; ++i) {
            cardan_body b = cardan_body_default(i == 0 ? "b0" : i == 1 ? "b1" : "b2");
            b.mass        = 1;
            b.centre[0]   = 0.25;
            b.inertia[1] = b.inertia[2] = 0.02;
            b.inertia[0]                = 0.001;
            cardan_description_add_body(d, &b);
            cardan_joint j          = cardan_joint_default(i == 0 ? "j0" : i == 1 ? "j1" : "j2", "general", i - 1, i);
            j.nelementary           = 1;
            j.elementary[0].axis[1] = 1;
            j.frame_first.p[0]      = i == 0 ? (far ? 1e4 : 0) : 0.5;
            j.start_q_given         = true;
            j.start_q[0]            = 0.3 + i;
            cardan_description_add_joint(d, &j);
        }
        cardan_model* m    = compiled(d);
        cardan_data*  data = NULL;
        CHECK(cardan_data_create(m, cardan_formulation_find(far ? "cholesky" : "order-n"), &data, NULL) == CARDAN_OK);
        CHECK(cardan_data_accelerate(data, a[far], NULL, NULL) == CARDAN_OK);
        cardan_data_destroy(data);
        cardan_model_destroy(m);
        cardan_description_destroy(d);
    }
    for (int i = 0; i < 3; ++i) CHECK_NEAR(a[1][i], a[0][i], 1e-13);
}

int main(void)
{
    const struct rlimit small = {256 * 1024, 256 * 1024};
    setrlimit(RLIMIT_STACK, &small);
    RUN(test_operations_are_linear("order-n", 10, 100));
    RUN(test_operations_are_linear("order-n", 110, 1000));
    RUN(test_operations_are_linear("implicit", 10, 100));
    RUN(test_operations_are_linear("implicit", 110, 1000));
    RUN(test_cholesky_has_no_fill_in());
    RUN(test_long_chain());
    RUN(test_count_unsupported());
    RUN(test_far_from_the_origin());
    RUN(test_sentences("test_tree_scaling"));
    return test_end();
}
