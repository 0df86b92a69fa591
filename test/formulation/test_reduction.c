// SPDX-License-Identifier: BSD-3-Clause
// Recursive coordinate reduction: ladders against their closed form, rope ladders against other formulations, operation
// counts and memory linear in the number of cells, fused factorization against front-by-front elimination, disabled
// constraints.
#include "test.h"

#include "dynamics/data.h"
#include "formulation/coordinate_reduction/fronts.h"

#include <cardan/cardan.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct instance {
    cardan_description* d;
    cardan_model*       m;
    cardan_data*        data;
    double*             a;
    cardan_report       report;
} instance;

static void open_instance(instance* x, const char* family, int n, const char* formulation)
{
    const int f = cardan_formulation_find(formulation);
    *x          = (instance){0};
    CHECK(f >= 0);
    CHECK(cardan_family_generate(family, n, NULL, &x->d, &x->report) == CARDAN_OK);
    CHECK(cardan_model_compile(x->d, cardan_formulation_tree_policy(f), &x->m, &x->report) == CARDAN_OK);
    CHECK(cardan_data_create(x->m, f, &x->data, &x->report) == CARDAN_OK);
    x->a = calloc((size_t)x->m->nv + 1, sizeof *x->a);
}

// Accelerations at the start of the model. At the second call the redundant rows are known.
static cardan_status accelerate(instance* x)
{
    cardan_data_set_state(x->data, 0, x->m->q_start, x->m->v_start, x->m->state_start);
    return cardan_data_accelerate(x->data, x->a, NULL, &x->report);
}

static void close_instance(instance* x)
{
    free(x->a);
    cardan_data_destroy(x->data);
    cardan_model_destroy(x->m);
    cardan_description_destroy(x->d);
}

// Acceleration of coordinate i of a joint, in the spanning tree or off-tree.
static double acceleration_of(instance* x, const char* joint, int i)
{
    for (int j = 0; j < x->m->njoint; ++j) {
        if (strcmp(x->m->joint[j].name, joint) != 0) continue;
        double a[6];
        cardan_data_joint_acceleration(x->data, j, x->a, a);
        return a[i];
    }
    return NAN;
}

// Closed form q1'' = 2 tan(q2) q1' q2' - g C/A sin(q1)/cos(q2),  q2'' = -sin(q2) cos(q2) q1'^2 - g C/A cos(q1) sin(q2)
// with the parameters of the family.
static void test_ladder(int cells, const char* formulation)
{
    const double m = 1, l = 1, M = 0.3, h = 0.8, q1 = 0.4, q2 = 0.5, u1 = 0.6, u2 = -0.8, g = 9.81;
    const double A = (cells + 1) * m * l * l / 3 + cells * M * h * h, C = (cells + 1) * m * l / 2 + cells * M * h;
    const double a1  = 2 * tan(q2) * u1 * u2 - g * C / A * sin(q1) / cos(q2),
                 a2  = -sin(q2) * cos(q2) * u1 * u1 - g * C / A * cos(q1) * sin(q2);
    const int some[] = {0, 1, cells / 2, cells};
    instance  x;
    open_instance(&x, "ladder", cells, formulation);
    for (int again = 0; again < 2; ++again) {
        CHECK(accelerate(&x) == CARDAN_OK);
        for (size_t k = 0; k < sizeof some / sizeof *some; ++k) {
            char name[32];
            snprintf(name, sizeof name, "hang%d", some[k]);
            CHECK_NEAR(acceleration_of(&x, name, 0), a1, 1e-9);
            CHECK_NEAR(acceleration_of(&x, name, 1), a2, 1e-9);
        }
    }
    close_instance(&x);
}

static void total(const cardan_operation_counts* o, long* sum)
{
    const cardan_operation_count t[] = {o->kinematics, o->assembly, o->factor, o->solve};
    for (int i = 0; i < 5; ++i) sum[i] = 0;
    for (int k = 0; k < 4; ++k) {
        const long part[5] = {t[k].mul, t[k].add, t[k].div, t[k].sqrt, t[k].trig};
        for (int i = 0; i < 5; ++i) sum[i] += part[i];
    }
}

// Exactly linear: 2L additional cells cost twice as much as L additional cells.
static void test_operations(const char* family, int cells)
{
    long      n[3][5];
    const int f = cardan_formulation_find("reduction");
    for (int k = 0; k < 3; ++k) {
        cardan_operation_counts o;
        instance                x;
        open_instance(&x, family, cells << k, "reduction");
        CHECK(cardan_model_count_operations(x.m, f, x.m->q_start, x.m->v_start, &o, &x.report) == CARDAN_OK);
        total(&o, n[k]);
        close_instance(&x);
    }
    for (int i = 0; i < 5; ++i) CHECK(n[2][i] - n[1][i] == 2 * (n[1][i] - n[0][i]));
    CHECK(n[1][0] > n[0][0]);
}

static double bytes_of(const char* family, int cells)
{
    instance x;
    open_instance(&x, family, cells, "reduction");
    const double size = (double)(x.data->memory.arena.size + x.data->memory.work_arena.size);
    close_instance(&x);
    return size;
}

static void test_memory(const char* family) { CHECK(bytes_of(family, 4000) < 4.05 * bytes_of(family, 1000)); }

// Comparison with a formulation without fronts.
static void test_rope_ladder(const char* family, int cells, const char* formulation)
{
    instance x, y;
    double   difference = 0, size = 0;
    open_instance(&x, family, cells, "reduction");
    open_instance(&y, family, cells, formulation);
    CHECK(accelerate(&x) == CARDAN_OK && accelerate(&x) == CARDAN_OK && accelerate(&y) == CARDAN_OK);
    CHECK(x.m->nv == y.m->nv);
    for (int i = 0; i < x.m->nv; ++i) {
        difference = fmax(difference, fabs(x.a[i] - y.a[i]));
        size       = fmax(size, fabs(y.a[i]));
    }
    CHECK(difference < 1e-9 * size);
    CHECK(cardan_data_residual_norm(x.data, x.a) < 1e-11);
    close_instance(&x);
    close_instance(&y);
}

// The first factorization searches redundant rows front by front; later ones fuse small fronts.
static void test_fused(const char* family, int cells)
{
    instance x;
    open_instance(&x, family, cells, "reduction");
    CHECK(accelerate(&x) == CARDAN_OK);
    double* before = malloc((size_t)x.m->nv * sizeof *before);
    memcpy(before, x.a, (size_t)x.m->nv * sizeof *before);
    CHECK(accelerate(&x) == CARDAN_OK);
    for (int i = 0; i < x.m->nv; ++i) CHECK_NEAR(x.a[i], before[i], 1e-9 * fmax(1, fabs(before[i])));
    free(before);
    close_instance(&x);
}

// Elimination from the tips inward and from ground outward: the same accelerations, front by front and fused.
static void test_outward(const char* family, int cells)
{
    instance x;
    open_instance(&x, family, cells, "reduction");
    CHECK(accelerate(&x) == CARDAN_OK);
    cd_reduction_workspace* w      = x.data->formulation_work;
    double*                 before = malloc((size_t)x.m->nv * sizeof *before);
    double                  size   = 1;
    const int               nroot  = w->fronts.nroot;
    memcpy(before, x.a, (size_t)x.m->nv * sizeof *before);
    for (int i = 0; i < x.m->nv; ++i) size = fmax(size, fabs(before[i]));
    cd_reduction_swap_order(w);
    w->history.rank_known = false;
    for (int round = 0; round < 2; ++round) {
        CHECK(accelerate(&x) == CARDAN_OK);
        for (int i = 0; i < x.m->nv; ++i) CHECK_NEAR(x.a[i] / size, before[i] / size, 1e-9);
        CHECK(cardan_data_residual_norm(x.data, x.a) < 1e-11);
    }
    CHECK((w->fronts.nroot > 0) == (nroot == 0));
    free(before);
    close_instance(&x);
}

// Straight spatial rails cannot rotate against each other: in the inward order their inertia in this direction grows
// with the cube of the cells, beyond the precision of double.
static void test_long_rails(void)
{
    instance x, y;
    open_instance(&x, "rope-ladder-spatial", 30, "lagrange");
    open_instance(&y, "rope-ladder-spatial", 5000, "reduction");
    CHECK(accelerate(&x) == CARDAN_OK && accelerate(&y) == CARDAN_OK);
    for (int j = 0; j < 8; ++j) {
        double a[2];
        cardan_data_joint_acceleration(x.data, j, x.a, &a[0]);
        cardan_data_joint_acceleration(y.data, j, y.a, &a[1]);
        CHECK_NEAR(a[1], a[0], 1e-9 * fabs(a[0]));
    }
    CHECK(((cd_reduction_workspace*)y.data->formulation_work)->fronts.nroot == 2);
    CHECK(cardan_data_residual_norm(y.data, y.a) < 1e-11);
    close_instance(&x);
    close_instance(&y);
}

// The elimination order does not depend on the length and no refinement is needed: a front that is not exactly
// symmetric would lose digits from cell to cell.
static void test_same_elimination(const char* family, int nroot)
{
    static const int cells[] = {64, 8192};
    for (int i = 0; i < 2; ++i) {
        instance x;
        open_instance(&x, family, cells[i], "reduction");
        CHECK(accelerate(&x) == CARDAN_OK && accelerate(&x) == CARDAN_OK);
        const cd_reduction_workspace* w = x.data->formulation_work;
        CHECK(w->fronts.nroot == nroot && !w->history.needs_refinement);
        CHECK(cardan_data_residual_norm(x.data, x.a) < 1e-11);
        close_instance(&x);
    }
}

// Front sizes: those of a net do not grow with its size, the hub of a star without loops gets a small front, and the
// analysis stops at the given limit of operations.
static void test_fronts(void)
{
    instance x, y, z;
    open_instance(&x, "net", 10, "reduction");
    open_instance(&y, "net", 60, "reduction");
    open_instance(&z, "star", 3000, "reduction");
    const cd_reduction_workspace *a = x.data->formulation_work, *b = y.data->formulation_work,
                                 *c = z.data->formulation_work;
    CHECK(a->fronts.max_unknowns == b->fronts.max_unknowns &&
          a->fronts.max_pending_rows == b->fronts.max_pending_rows && a->fronts.stack_size == b->fronts.stack_size);
    CHECK(b->fronts.operations < 7 * a->fronts.operations && c->fronts.max_unknowns < 30);
    CHECK(accelerate(&y) == CARDAN_OK && cardan_data_residual_norm(y.data, y.a) < 1e-11);
    cd_fronts f;
    CHECK(cd_fronts_analyse(y.m, &y.data->solver_rows, 0.5 * b->fronts.operations, &f) && isinf(f.operations));
    cd_fronts_release(&f);
    close_instance(&x);
    close_instance(&y);
    close_instance(&z);
}

// The accuracy near ground does not depend on the length, as it would if efforts were sums over all outboard bodies.
static void test_digits(const char* family)
{
    instance x, y;
    open_instance(&x, family, 40, "reduction");
    open_instance(&y, family, 4000, "reduction");
    CHECK(accelerate(&x) == CARDAN_OK && accelerate(&y) == CARDAN_OK);
    for (int j = 0; j < 16; ++j) {
        double a[2];
        cardan_data_joint_acceleration(x.data, j, x.a, &a[0]);
        cardan_data_joint_acceleration(y.data, j, y.a, &a[1]);
        CHECK_NEAR(a[1], a[0], 1e-8);
    }
    close_instance(&x);
    close_instance(&y);
}

static void test_disabled_constraint(void)
{
    instance x, y;
    open_instance(&x, "rope-ladder-spatial", 5, "reduction");
    open_instance(&y, "rope-ladder-spatial", 5, "augmented");
    CHECK(accelerate(&x) == CARDAN_OK);
    const double closed = x.a[0];
    CHECK(cardan_data_enable_constraint(x.data, "pin3", false, &x.report) == CARDAN_OK &&
          cardan_data_enable_constraint(y.data, "pin3", false, &y.report) == CARDAN_OK);
    CHECK(accelerate(&x) == CARDAN_OK && accelerate(&y) == CARDAN_OK);
    for (int i = 0; i < x.m->nv; ++i) CHECK_NEAR(x.a[i], y.a[i], 1e-9 * fmax(1, fabs(y.a[i])));
    CHECK(fabs(x.a[0] - closed) > 1e-3);
    CHECK(cardan_data_enable_constraint(x.data, "pin3", true, &x.report) == CARDAN_OK);
    CHECK(accelerate(&x) == CARDAN_OK);
    CHECK_NEAR(x.a[0], closed, 1e-9);
    close_instance(&x);
    close_instance(&y);
}

// The workspace of another formulation is not read as that of reduction, even if the name is equal.
static void test_operation_count(void)
{
    instance x;
    open_instance(&x, "ladder", 10, "reduction");
    if (x.data) {
        const cd_formulation* own       = x.data->formulation;
        const cd_formulation  same_name = {.name = own->name};
        CHECK(cd_reduction_operation_count(own, x.data->formulation_work) > 0 &&
              isfinite(cd_reduction_operation_count(own, x.data->formulation_work)));
        CHECK(isinf(cd_reduction_operation_count(&same_name, NULL)));
        for (int i = 0; i < cd_formulation_count(); ++i)
            if (cd_formulation_at(i) != own) CHECK(isinf(cd_reduction_operation_count(cd_formulation_at(i), NULL)));
    }
    close_instance(&x);
}

int main(void)
{
    static const char* const formulations[] = {"reduction", "augmented", "order-n", "lagrange", "dense"};
    for (size_t f = 0; f < sizeof formulations / sizeof *formulations; ++f) {
        RUN(test_ladder(1, formulations[f]));
        RUN(test_ladder(10, formulations[f]));
        if (strcmp(formulations[f], "dense") != 0) RUN(test_ladder(100, formulations[f]));
        if (strcmp(formulations[f], "dense") != 0) RUN(test_ladder(1000, formulations[f]));
    }
    static const char* const families[] = {"ladder", "rope-ladder", "rope-ladder-spatial"};
    for (size_t f = 0; f < sizeof families / sizeof *families; ++f) {
        RUN(test_operations(families[f], 8));
        RUN(test_operations(families[f], 64));
        RUN(test_memory(families[f]));
        RUN(test_fused(families[f], 20));
    }
    RUN(test_fused("arc", 40));
    RUN(test_operation_count());
    RUN(test_rope_ladder("rope-ladder", 50, "augmented"));
    RUN(test_rope_ladder("rope-ladder-spatial", 20, "augmented"));
    RUN(test_rope_ladder("rope-ladder-spatial", 150, "order-n"));
    RUN(test_rope_ladder("arc", 100, "order-n"));
    RUN(test_disabled_constraint());
    RUN(test_outward("rope-ladder-spatial", 20));
    RUN(test_outward("rope-ladder-spatial", 60));
    RUN(test_outward("rope-ladder", 40));
    RUN(test_outward("ladder", 30));
    RUN(test_outward("ladder-slider", 12));
    RUN(test_outward("net", 5));
    RUN(test_outward("arc", 50));
    RUN(test_outward("ring", 12));
    RUN(test_outward("n-four-bar", 7));
    RUN(test_long_rails());
    RUN(test_fronts());
    RUN(test_same_elimination("rope-ladder", 0));
    RUN(test_same_elimination("rope-ladder-spatial", 2));
    RUN(test_digits("rope-ladder"));
    RUN(test_digits("rope-ladder-spatial"));
    return test_end();
}
