// SPDX-License-Identifier: BSD-3-Clause
// Force elements and joint force elements by complex steps: the efforts of elements that store energy are its gradient
// to all digits, and their stored power is its rate; dampers dissipate. Formulas and tables: derivatives of every
// operation against those of the expression graph.
#include "complex_motion.h"
#include "constraint/link_twists.h"
#include "random_constraint.h"
#include "expression/formula_evaluation.h"
#include "force/force.h"
#include "force/joint_forces.h"

static const double digits = 1e-12;

typedef struct element {
    const cd_force_type* type; // NULL: joint force elements
    const cardan_force*  force;
} element;

static void energy_of(const element* x, const moved* s, real* energy, real* rate)
{
    const cd_force_input input = {s->m, &s->world, NULL};
    *energy = *rate = r_const(0);
    if (x->type)
        x->type->stored_energy(x->force, &input, energy, rate);
    else
        cd_joint_forces_stored_energy(s->m, s->q, s->v, NULL, energy, rate);
}

// Efforts (nv) along all velocities.
static void efforts_of(const element* x, const moved* s, real* effort)
{
    spatial              wrench[MOST_VELOCITIES];
    const cd_force_input input  = {s->m, &s->world, NULL};
    cd_force_effect      effect = {wrench + 1, effort, NULL};
    for (int i = 0; i <= s->m->nlink; ++i) wrench[i] = sv_zero();
    for (int i = 0; i < s->m->nv; ++i) effort[i] = r_const(0);
    if (x->type)
        x->type->apply(x->force, &input, &effect);
    else
        cd_joint_forces_apply(s->m, s->q, s->v, NULL, effort);
    if (x->type) cd_efforts_of_wrenches(s->m, &s->k, &s->world, wrench + 1, effort);
}

typedef struct errors {
    double gradient, rate, gain;
} errors;

static void compare(moved* s, const element* x, errors* worst)
{
    real   energy, rate, effort[MOST_VELOCITIES];
    double static_effort[MOST_VELOCITIES], v[MOST_VELOCITIES], size = 0, power = 0;
    memcpy(v, s->v0, sizeof v);
    memset(s->v0, 0, sizeof s->v0);
    moved_settle(s);
    efforts_of(x, s, effort);
    for (int i = 0; i < s->m->nv; ++i) {
        static_effort[i] = effort[i].re;
        size             = fmax(size, fabs(static_effort[i]));
    }
    for (int i = 0; i < s->m->nv; ++i) {
        double unit[MOST_VELOCITIES] = {0};
        unit[i]                      = 1;
        moved_to(s, unit, NULL, 0);
        energy_of(x, s, &energy, &rate);
        worst->gradient = off_by(worst->gradient, -slope(energy), static_effort[i], size);
    }
    memcpy(s->v0, v, sizeof v);
    moved_to(s, s->v0, NULL, 0);
    energy_of(x, s, &energy, &rate);
    efforts_of(x, s, effort);
    for (int i = 0; i < s->m->nv; ++i) power += effort[i].re * s->v0[i];
    worst->rate = off_by(worst->rate, rate.re, slope(energy), fabs(rate.re));
    worst->gain =
        fmax(worst->gain, (power + rate.re) / fmax(1, fabs(power))); // dampers dissipate, no element generates power
}

static double table_x[6] = {-3, -1, -0.2, 0.4, 1.5, 4}, table_y[6] = {-9, -4, -1, 0.5, 3, 14};

static cardan_force random_force(scene* s, const char* type, uint64_t seed)
{
    dice*        d = &s->dice;
    cardan_force f = cardan_force_default("element", type);
    f.marker[0]    = s->marker[dice_int(d, 2)];
    f.marker[1]    = s->marker[2 + dice_int(d, 2)];
    f.free_length  = dice_range(d, 0.1, 1);
    f.preload      = dice_range(d, -3, 3);
    for (int i = 0; i < 6; ++i) {
        f.stiffness[i] = dice_range(d, 1, 20);
        f.damping[i]   = dice_range(d, 0, 2);
    }
    if (strcmp(type, "spring") == 0 && seed % 2) {
        const cardan_table table = {.name  = "law",
                                    .count = 6,
                                    .x     = table_x,
                                    .y     = table_y,
                                    .interpolation =
                                        seed % 4 == 1 ? CARDAN_INTERPOLATION_MONOTONE : CARDAN_INTERPOLATION_SPLINE};
        f.force_table            = cardan_description_add_table(s->d, &table);
    }
    return f;
}

static void add_joint_forces(scene* s, cardan_axis_properties* axis)
{
    for (int i = 0; i < CARDAN_JOINT_VELOCITIES_MAX; ++i) {
        axis[i]                  = cardan_axis_properties_default();
        axis[i].stiffness        = dice_range(&s->dice, 1, 9);
        axis[i].spring_reference = dice_range(&s->dice, -1, 1);
        axis[i].damping          = dice_range(&s->dice, 0, 2);
        axis[i].friction_speed   = 0.1;
        axis[i].lower            = dice_range(&s->dice, -1, -0.2);
        axis[i].upper            = dice_range(&s->dice, 0.2, 1);
        axis[i].stop_stiffness   = dice_range(&s->dice, 0, 50);
        axis[i].friction_forward = axis[i].friction_backward = dice_range(&s->dice, 0, 1);
    }
}

static void check_errors(const char* what, const errors* worst, int evaluations)
{
    printf("%-10s gradient %.1e, rate of the energy %.1e, gained %.1e; %d scenes\n", what, worst->gradient, worst->rate,
           worst->gain, evaluations);
    CHECK(worst->gradient <= digits);
    CHECK(worst->rate <= digits);
    CHECK(worst->gain <= digits);
    CHECK(evaluations > 40);
}

static void check_element(const cd_force_type* type)
{
    errors worst       = {0};
    int    evaluations = 0;
    for (uint64_t seed = 1; seed <= 60; ++seed) {
        static const cardan_tree_policy policy[3] = {CARDAN_TREE_BREADTH_FIRST, CARDAN_TREE_DEPTH_FIRST,
                                                     CARDAN_TREE_MAXIMAL};
        scene                           sc        = random_scene(seed, 0, seed % 3 < 2);
        const cardan_force              f         = random_force(&sc, type->name, seed);
        const element                   x         = {type, &f};
        cardan_model*                   m         = NULL;
        moved                           s;
        CHECK(cardan_description_add_force(sc.d, &f) == 0);
        if (cardan_model_compile(sc.d, policy[seed % 3], &m, NULL) == CARDAN_OK && moved_create(m, &s)) {
            moved_state(&s, seed);
            compare(&s, &x, &worst);
            moved_destroy(&s);
            ++evaluations;
        }
        cardan_model_destroy(m);
        cardan_description_destroy(sc.d);
    }
    check_errors(type->name, &worst, evaluations);
}

// Springs, dampers, friction and stops along all coordinates of a joint of each type, also of quaternions.
static void check_joint_forces(void)
{
    errors worst       = {0};
    int    evaluations = 0;
    for (uint64_t seed = 1; seed <= 60; ++seed) {
        scene                  sc = {.d = cardan_description_create("laws"), .dice = {seed}};
        cardan_axis_properties axis[CARDAN_JOINT_VELOCITIES_MAX];
        cardan_body            b = cardan_body_default("body");
        cardan_model*          m = NULL;
        moved                  s;
        bool                   plain;
        const element          x = {0};
        cardan_joint           j = random_joint(&sc.dice, "joint", CARDAN_GROUND, 0);
        add_joint_forces(&sc, axis);
        random_inertia(&sc.dice, &b);
        j.naxis = joint_velocities(&j, &plain);
        j.axis  = axis;
        cardan_description_add_body(sc.d, &b);
        cardan_description_add_joint(sc.d, &j);
        if (j.naxis > 0 && cardan_model_compile(sc.d, CARDAN_TREE_BREADTH_FIRST, &m, NULL) == CARDAN_OK &&
            moved_create(m, &s)) {
            moved_state(&s, seed);
            compare(&s, &x, &worst);
            moved_destroy(&s);
            ++evaluations;
        }
        cardan_model_destroy(m);
        cardan_description_destroy(sc.d);
    }
    check_errors("laws", &worst, evaluations);
}

// Every operation of the graph and tables at random values: derivatives of the tape by complex numbers against the tape
// of derivatives.
static void check_formulas(void)
{
    cd_graph*     g     = cd_graph_create();
    dice          d     = {5};
    double        worst = 0;
    const int     table = cd_graph_add_table(g, 6, table_x, table_y, CD_TABLE_SPLINE);
    cd_node       f[64];
    int           n = 0;
    const cd_node x = cd_input(g, 0), y = cd_input(g, 1), bound = cd_binary(g, CD_DIV, x, cd_constant(g, 4));
    for (int op = CD_ADD; op < CD_TABLE; ++op) {
        const bool within = op == CD_ASIN || op == CD_ACOS;
        if (cd_operation_operands((cd_operation)op) == 1) f[n++] = cd_unary(g, (cd_operation)op, within ? bound : x);
        if (cd_operation_operands((cd_operation)op) == 2) f[n++] = cd_binary(g, (cd_operation)op, x, y);
    }
    f[n++] = cd_if(g, cd_binary(g, CD_LESS, x, y), cd_binary(g, CD_MUL, x, x), cd_unary(g, CD_SIN, y));
    f[n++] = cd_binary(g, CD_POW, x, cd_constant(g, 3));
    for (int k = 0; k < 3; ++k) f[n++] = cd_table_lookup(g, table, x, k);
    for (int i = 0; i < n; ++i)
        for (int input = 0; input < 2; ++input) {
            const cd_node both[2] = {f[i], cd_derivative(g, f[i], input)};
            cd_tape*      tape    = cd_tape_create(g, 2, both);
            real          work[64], value[2];
            CHECK(cd_tape_work(tape) <= 64);
            for (int trial = 0; trial < 20; ++trial) {
                const double a = dice_range(&d, 0.1, 3), b = dice_range(&d, 0.1, 3);
                const real   at[2] = {{a, input == 0 ? eps : 0}, {b, input == 1 ? eps : 0}};
                cd_tape_run_real(tape, at, work, value);
                worst = off_by(worst, slope(value[0]), value[1].re, fabs(value[1].re));
            }
            cd_tape_destroy(tape);
        }
    printf("formulas   %d operations, %.1e\n", n, worst);
    CHECK(worst <= digits && n > 35);
    cd_graph_destroy(g);
}

int main(void)
{
    for (int i = 0; i < cd_force_type_count(); ++i)
        if (cd_force_type_at(i)->stored_energy) RUN(check_element(cd_force_type_at(i)));
    RUN(check_joint_forces());
    RUN(check_formulas());
    return test_end();
}
