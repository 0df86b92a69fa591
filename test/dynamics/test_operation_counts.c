// SPDX-License-Identifier: BSD-3-Clause
// Operation counts of constraint rows: none in a tree; those of a rod between two free bodies in closed form; exactly
// linear in the length of a chain of loops.
#include "fixture.h"
#include "test.h"

static cardan_operation_counts counted(const cardan_description* d, cardan_tree_policy policy, const char* formulation)
{
    cardan_operation_counts o      = {0};
    cardan_report           report = {0};
    cardan_model*           m      = NULL;
    CHECK(cardan_model_compile(d, policy, &m, &report) == CARDAN_OK);
    if (!m) return o;
    const cardan_model_view view = cardan_model_get_view(m);
    CHECK(cardan_model_count_operations(m, cardan_formulation_find(formulation), view.q_start, view.v_start, &o,
                                        &report) == CARDAN_OK);
    if (report.count) printf("%s\n", report.message[0].text);
    cardan_model_destroy(m);
    return o;
}

static void add_ball(cardan_description* d, const char* name, double x)
{
    cardan_body b = cardan_body_default(name);
    b.mass        = 1;
    b.pose.p[0]   = x;
    for (int i = 0; i < 3; ++i) b.inertia[i] = 1;
    cardan_description_add_body(d, &b);
}

// Maximal coordinates. World: R w of each body, 9 products. Ends: R r and R times a frame (36), w x r and w x (w x r)
// (12). The rod: |d|^2 3, d/|d| 3, u.v 3, v.v 3, its square 1, u.bias 3, r x u 12; in body axes R'(r x u), 18.
static void test_rod(void)
{
    cardan_description* d = cardan_description_create("rod");
    add_ball(d, "a", 0);
    add_ball(d, "b", 1);
    const cardan_marker m[2] = {{.name = "on a", .body = 0, .pose = {.q = {1}, .p = {0, 0.1, 0}}},
                                {.name = "on b", .body = 1, .pose = {.q = {1}, .p = {0, 0.2, 0}}}};
    cardan_constraint   c    = cardan_constraint_default("rod", "distance");
    for (int i = 0; i < 2; ++i) c.marker[i] = cardan_description_add_marker(d, &m[i]);
    c.length = 1.2;
    CHECK(cardan_description_add_constraint(d, &c) == 0);
    const cardan_operation_count rows = counted(d, CARDAN_TREE_MAXIMAL, "lagrange").constraints;
    CHECK(rows.mul == 2 * (9 + 36 + 12) + 28 + 18);
    CHECK(rows.div == 2 && rows.sqrt == 1 && rows.trig == 0);
    printf("rod: %ld products, %ld sums, %ld divisions\n", rows.mul, rows.add, rows.div);
    cardan_description_destroy(d);
}

static void test_tree(void)
{
    cardan_description* d = cardan_description_create("tree");
    add_ball(d, "a", 0);
    const cardan_operation_count rows = counted(d, CARDAN_TREE_BREADTH_FIRST, "cholesky").constraints;
    CHECK(rows.mul == 0 && rows.add == 0);
    cardan_description_destroy(d);
}

// A chain of bodies with spherical joints, each body with a rod to the second body before it.
static cardan_description* lattice(int n)
{
    cardan_description* d = cardan_description_create("lattice");
    char                name[32];
    for (int i = 0; i < n; ++i) {
        snprintf(name, sizeof name, "b%d", i);
        add_ball(d, name, i);
        snprintf(name, sizeof name, "j%d", i);
        cardan_joint j     = cardan_joint_default(name, "spherical", i - 1, i);
        j.frame_first.p[0] = i > 0 ? 1 : 0;
        cardan_description_add_joint(d, &j);
    }
    for (int i = 2; i < n; ++i) {
        snprintf(name, sizeof name, "rod%d", i);
        cardan_constraint c = cardan_constraint_default(name, "distance");
        for (int k = 0; k < 2; ++k) {
            char marker[32];
            snprintf(marker, sizeof marker, "m%d_%d", i, k);
            const cardan_marker m = {.name = marker, .body = i - 2 * k, .pose = {.q = {1}, .p = {0, 0.3, 0.1}}};
            c.marker[k]           = cardan_description_add_marker(d, &m);
        }
        c.length = 2;
        cardan_description_add_constraint(d, &c);
    }
    return d;
}

static void test_linear(const char* formulation, cardan_tree_policy policy)
{
    long mul[3], add[3];
    for (int i = 0; i < 3; ++i) {
        cardan_description*           d = lattice(6 + 4 * i);
        const cardan_operation_counts o = counted(d, policy, formulation);
        mul[i]                          = o.constraints.mul;
        add[i]                          = o.constraints.add;
        cardan_description_destroy(d);
    }
    printf("lattice, %s: %ld products per body\n", formulation, (mul[1] - mul[0]) / 4);
    CHECK(mul[0] > 0 && mul[1] - mul[0] == mul[2] - mul[1] && add[1] - add[0] == add[2] - add[1]);
}

int main(void)
{
    RUN(test_tree());
    RUN(test_rod());
    RUN(test_linear("lagrange", CARDAN_TREE_MAXIMAL));
    RUN(test_linear("augmented", CARDAN_TREE_BREADTH_FIRST));
    return test_end();
}
