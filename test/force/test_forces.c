// SPDX-License-Identifier: BSD-3-Clause
// Force elements between two free bodies: action equals reaction (momentum is constant), stored energy is conserved
// (energy changes by the power of dampers only), and values of simple cases.
#include "force/rotation_vector_moment.h"
#include "random_tree.h"
#include "test.h"

typedef struct pair {
    cardan_description* description;
    cardan_model*       model;
    cardan_data*        data;
    double              q[16], v[16], a[16];
    dice                dice;
} pair;

static void open_pair(pair* p, uint64_t seed)
{
    const double none[3] = {0, 0, 0};
    *p                   = (pair){.description = cardan_description_create("pair"), .dice = {seed}};
    cardan_description_set_gravity(p->description, none);
    for (int i = 0; i < 2; ++i) {
        cardan_body b = cardan_body_default(i ? "b" : "a");
        random_inertia(&p->dice, &b);
        cardan_description_add_body(p->description, &b);
        const cardan_marker m = {.name = i ? "mb" : "ma", .body = i, .pose = random_pose(&p->dice)};
        cardan_description_add_marker(p->description, &m);
    }
}

static cardan_force between(const pair* p, const char* type)
{
    cardan_force f = cardan_force_default("f", type);
    f.marker[0]    = cardan_description_find_marker(p->description, "ma");
    f.marker[1]    = cardan_description_find_marker(p->description, "mb");
    return f;
}

static void finish_pair(pair* p, const cardan_force* f)
{
    cardan_description_add_force(p->description, f);
    CHECK(cardan_model_compile(p->description, CARDAN_TREE_BREADTH_FIRST, &p->model, NULL) == CARDAN_OK);
    CHECK(cardan_data_create(p->model, cardan_formulation_find("order-n"), &p->data, NULL) == CARDAN_OK);
    random_state(&p->dice, p->model, p->q, p->v);
    cardan_data_set_state(p->data, 0, p->q, p->v, NULL);
}

static void close_pair(pair* p)
{
    cardan_data_destroy(p->data);
    cardan_model_destroy(p->model);
    cardan_description_destroy(p->description);
}

typedef struct totals {
    double energy, linear[3], angular[3];
} totals;

static totals totals_at(pair* p, double h)
{
    double x[16], q[16], v[16];
    totals t;
    for (int i = 0; i < 12; ++i) {
        x[i] = h * p->v[i] + h * h / 2 * p->a[i];
        v[i] = p->v[i] + h * p->a[i];
    }
    cardan_model_integrate_position(p->model, p->q, x, q);
    cardan_data_set_state(p->data, 0, q, v, NULL);
    const cardan_energies e = cardan_data_energy(p->data);
    t.energy                = e.kinetic + e.potential;
    cardan_data_momentum(p->data, t.linear, t.angular);
    return t;
}

static void check_balance(pair* p, bool dissipates)
{
    const double h = 1e-5;
    CHECK(cardan_data_accelerate(p->data, p->a, NULL, NULL) == CARDAN_OK);
    const cardan_energies now                  = cardan_data_energy(p->data);
    double                largest_acceleration = 0;
    for (int i = 0; i < 12; ++i) largest_acceleration = fmax(largest_acceleration, fabs(p->a[i]));
    CHECK(largest_acceleration > 0.1); // the element exerts a force
    if (dissipates)
        CHECK(now.power < -1e-3);
    else
        CHECK_NEAR(now.power, 0, 1e-12);
    const totals before = totals_at(p, -h), after = totals_at(p, h);
    CHECK_NEAR((after.energy - before.energy) / (2 * h), now.power, 2e-6 * (1 + largest_acceleration));
    for (int i = 0; i < 3; ++i) {
        CHECK_NEAR((after.linear[i] - before.linear[i]) / (2 * h), 0, 1e-6 * (1 + largest_acceleration));
        CHECK_NEAR((after.angular[i] - before.angular[i]) / (2 * h), 0, 1e-6 * (1 + largest_acceleration));
    }
}

static void test_spring(uint64_t seed, bool damped)
{
    pair p;
    open_pair(&p, seed);
    cardan_force f = between(&p, "spring");
    f.stiffness[0] = 30;
    f.damping[0]   = damped ? 4 : 0;
    f.free_length  = 0.4;
    f.preload      = 2;
    finish_pair(&p, &f);
    check_balance(&p, damped);
    close_pair(&p);
}

static void test_spring_table(uint64_t seed, cardan_interpolation interpolation)
{
    static const double x[] = {-1, -0.2, 0, 0.5, 2, 5}, y[] = {-40, -2, 0, 3, 40, 60};
    pair                p;
    open_pair(&p, seed);
    const cardan_table table = {.name = "law", .count = 6, .x = x, .y = y, .interpolation = interpolation};
    cardan_force       f     = between(&p, "spring");
    f.force_table            = cardan_description_add_table(p.description, &table);
    f.free_length            = 0.4;
    finish_pair(&p, &f);
    check_balance(&p, false);
    close_pair(&p);
}

static void test_damper_table(uint64_t seed)
{
    static const double x[] = {-9, 0, 9}, y[] = {-30, 0, 50};
    pair                p;
    open_pair(&p, seed);
    const cardan_table table = {.name = "damper", .count = 3, .x = x, .y = y};
    cardan_force       f     = between(&p, "spring");
    f.damper_table           = cardan_description_add_table(p.description, &table);
    finish_pair(&p, &f);
    check_balance(&p, true);
    close_pair(&p);
}

// Near zero rotation a series continues the matrix of the gradient: 1 - t^2/12 perpendicular to the axis on both sides.
static void test_small_rotations(void)
{
    for (double t = 0.99e-3; t < 1.02e-3; t += 0.02e-3) {
        const vec3 x = rotation_vector_moment(v3(t, 0, 0), v3(0, 1, 0), 1);
        CHECK_NEAR(x.y, 1 - t * t / 12, 1e-13);
        CHECK_NEAR(x.z, t / 2, 1e-13);
    }
}

// External wrenches act at the mass centres and remain if another state is set.
static void test_external_wrench(uint64_t seed)
{
    static const double load[2][6] = {{1, 2, -3, 4, -5, 6}, {0.5, 0, 2, -1, 3, 2}};
    pair                p;
    cardan_motion       body[2];
    double              force[3] = {0}, moment[3] = {0};
    const double        h = 1e-5;
    open_pair(&p, seed);
    cardan_force none = between(&p, "spring");
    finish_pair(&p, &none);
    cardan_data_set_external_forces(p.data, NULL, load);
    random_state(&p.dice, p.model, p.q, p.v);
    cardan_data_set_state(p.data, 0, p.q, p.v, NULL);
    CHECK(cardan_data_accelerate(p.data, p.a, NULL, NULL) == CARDAN_OK);
    cardan_data_body_motions(p.data, NULL, body);
    for (int b = 0; b < 2; ++b)
        for (int i = 0; i < 3; ++i) {
            const int j = (i + 1) % 3, k = (i + 2) % 3;
            force[i] += load[b][i + 3];
            moment[i] += load[b][i] + body[b].p[j] * load[b][k + 3] - body[b].p[k] * load[b][j + 3];
        }
    const double power  = cardan_data_energy(p.data).power;
    const totals before = totals_at(&p, -h), after = totals_at(&p, h);
    for (int i = 0; i < 3; ++i) {
        CHECK_NEAR((after.linear[i] - before.linear[i]) / (2 * h), force[i], 1e-5);
        CHECK_NEAR((after.angular[i] - before.angular[i]) / (2 * h), moment[i], 1e-5);
    }
    CHECK_NEAR((after.energy - before.energy) / (2 * h), power, 1e-4);
    close_pair(&p);
}

static void test_bushing(uint64_t seed, bool damped)
{
    pair p;
    open_pair(&p, seed);
    cardan_force f = between(&p, "bushing");
    for (int i = 0; i < 6; ++i) {
        f.stiffness[i] = 5 + 3 * i;
        f.damping[i]   = damped ? 1 + i : 0;
    }
    finish_pair(&p, &f);
    check_balance(&p, damped);
    close_pair(&p);
}

// Torque, and force with reaction: internal, so that momentum is constant; without potential, so that their power is
// the whole change of energy.
static void test_internal_load(uint64_t seed, const char* type)
{
    pair p;
    open_pair(&p, seed);
    cardan_force f = between(&p, type);
    f.frame        = f.marker[1];
    for (int i = 0; i < 3; ++i) f.component[i] = cardan_description_add_constant(p.description, 1.5 - i);
    finish_pair(&p, &f);
    CHECK(cardan_data_accelerate(p.data, p.a, NULL, NULL) == CARDAN_OK);
    const double          h   = 1e-5;
    const cardan_energies now = cardan_data_energy(p.data);
    CHECK(fabs(now.power) > 1e-3);
    const totals before = totals_at(&p, -h), after = totals_at(&p, h);
    CHECK_NEAR((after.energy - before.energy) / (2 * h), now.power, 1e-4);
    for (int i = 0; i < 3; ++i) {
        CHECK_NEAR((after.linear[i] - before.linear[i]) / (2 * h), 0, 1e-4);
        CHECK_NEAR((after.angular[i] - before.angular[i]) / (2 * h), 0, 1e-4);
    }
    close_pair(&p);
}

// One hinge about z with inertia 2: acceleration = effort / 2.
static double hinge_motion(const cardan_axis_properties* joint_force, const cardan_force* force, double q, double v,
                           cardan_energies* energies)
{
    cardan_description* d       = cardan_description_create("hinge");
    cardan_body         b       = cardan_body_default("b");
    double              a       = NAN;
    const double        none[3] = {0, 0, 0};
    cardan_description_set_gravity(d, none);
    b.inertia[2] = 2;
    cardan_description_add_body(d, &b);
    cardan_joint j = cardan_joint_default("j", "revolute", CARDAN_GROUND, 0);
    j.naxis        = joint_force ? 1 : 0;
    j.axis         = joint_force;
    cardan_description_add_joint(d, &j);
    if (force) {
        cardan_force f = *force;
        f.component[0] = cardan_description_add_constant(d, 10);
        cardan_description_add_force(d, &f);
    }
    cardan_model* m    = NULL;
    cardan_data*  data = NULL;
    CHECK(cardan_model_compile(d, CARDAN_TREE_BREADTH_FIRST, &m, NULL) == CARDAN_OK);
    CHECK(cardan_data_create(m, cardan_formulation_find("cholesky"), &data, NULL) == CARDAN_OK);
    cardan_data_set_state(data, 0, &q, &v, NULL);
    CHECK(cardan_data_accelerate(data, &a, NULL, NULL) == CARDAN_OK);
    *energies = cardan_data_energy(data);
    cardan_data_destroy(data);
    cardan_model_destroy(m);
    cardan_description_destroy(d);
    return a;
}

static double hinge_acceleration(const cardan_axis_properties* joint_force, const cardan_force* force, double q,
                                 double v)
{
    cardan_energies e;
    return hinge_motion(joint_force, force, q, v, &e);
}

static void test_joint_forces(void)
{
    cardan_axis_properties joint_force = cardan_axis_properties_default();
    joint_force.stiffness              = 6;
    joint_force.spring_reference       = 0.5;
    CHECK_NEAR(hinge_acceleration(&joint_force, NULL, 0.7, 0), -0.6, 1e-14);
    joint_force         = cardan_axis_properties_default();
    joint_force.damping = 4;
    CHECK_NEAR(hinge_acceleration(&joint_force, NULL, 0, 3), -6, 1e-14);
    joint_force                   = cardan_axis_properties_default();
    joint_force.friction_forward  = 5;
    joint_force.friction_backward = 3;
    CHECK_NEAR(hinge_acceleration(&joint_force, NULL, 0, 1), -2.5, 1e-14);
    CHECK_NEAR(hinge_acceleration(&joint_force, NULL, 0, -1), 1.5, 1e-14);
    CHECK_NEAR(hinge_acceleration(&joint_force, NULL, 0, 0), 0, 1e-14);
    joint_force                = cardan_axis_properties_default();
    joint_force.upper          = 1;
    joint_force.stop_stiffness = 100;
    joint_force.stop_damping   = 10;
    CHECK_NEAR(hinge_acceleration(&joint_force, NULL, 0.9, 1), 0, 1e-14);
    CHECK_NEAR(hinge_acceleration(&joint_force, NULL, 1.1, 1), -10, 1e-12);
    CHECK_NEAR(hinge_acceleration(&joint_force, NULL, 1.1, -5), 0, 1e-12); // a stop exerts no tensile force
    joint_force.lower = -0.5;
    cardan_energies e;
    CHECK_NEAR(hinge_motion(&joint_force, NULL, -0.6, -1, &e), 10, 1e-12);
    CHECK_NEAR(e.potential, 0.5, 1e-12);
    CHECK_NEAR(e.power, -10, 1e-12);
    CHECK_NEAR(hinge_acceleration(&joint_force, NULL, -0.6, 5), 0, 1e-12);
    joint_force          = cardan_axis_properties_default();
    joint_force.armature = 3;
    cardan_force f       = cardan_force_default("motor", "actuator");
    f.joint              = 0;
    f.axis               = 0;
    CHECK_NEAR(hinge_acceleration(&joint_force, &f, 0, 0), 2, 1e-14);
    f.upper = 4;
    CHECK_NEAR(hinge_acceleration(NULL, &f, 0, 0), 2, 1e-14);
    f.upper = INFINITY;
    f.lower = 12;
    CHECK_NEAR(hinge_acceleration(NULL, &f, 0, 0), 6, 1e-14);
}

// A rotational spring about the hinge: T = -(preload + k (q - free) + c v), stored energy preload (q - free) + k (q -
// free)^2 / 2.
static void test_torsion(void)
{
    cardan_force    f = cardan_force_default("coil", "torsion");
    cardan_energies e;
    f.marker[0]    = 1; // the frame of the body; 0 is ground
    f.stiffness[0] = 6;
    f.damping[0]   = 0.5;
    f.free_length  = 0.2;
    f.preload      = 1;
    CHECK_NEAR(hinge_motion(NULL, &f, 0.7, 3, &e), -2.75, 1e-14);
    CHECK_NEAR(e.potential, 1.25, 1e-14);
    CHECK_NEAR(e.power, -4.5, 1e-13);
    f.marker[1] = 1; // reversed: the coordinate of the spring is -q
    f.marker[0] = 0;
    CHECK_NEAR(hinge_motion(NULL, &f, -0.7, -3, &e), 2.75, 1e-14);
}

// A spherical joint with unequal springs: the effort is the gradient of the energy.
static void test_spherical_spring(uint64_t seed)
{
    cardan_description*    d = cardan_description_create("ball");
    dice                   r = {seed};
    cardan_body            b = cardan_body_default("b");
    cardan_axis_properties joint_force[3];
    random_inertia(&r, &b);
    cardan_description_add_body(d, &b);
    cardan_joint j = cardan_joint_default("j", "spherical", seed % 2 ? CARDAN_GROUND : 0, seed % 2 ? 0 : CARDAN_GROUND);
    for (int i = 0; i < 3; ++i) {
        joint_force[i]           = cardan_axis_properties_default();
        joint_force[i].stiffness = 2 + 5 * i;
    }
    j.naxis = 3;
    j.axis  = joint_force;
    cardan_description_add_joint(d, &j);
    cardan_model* m    = NULL;
    cardan_data*  data = NULL;
    double        q[4], v[3], a[3], x[3], q2[4], v2[3], e[2];
    const double  h = 1e-5;
    CHECK(cardan_model_compile(d, CARDAN_TREE_BREADTH_FIRST, &m, NULL) == CARDAN_OK);
    CHECK(cardan_data_create(m, cardan_formulation_find("order-n"), &data, NULL) == CARDAN_OK);
    random_state(&r, m, q, v);
    cardan_data_set_state(data, 0, q, v, NULL);
    CHECK(cardan_data_accelerate(data, a, NULL, NULL) == CARDAN_OK);
    for (int s = 0; s < 2; ++s) {
        const double t = s ? h : -h;
        for (int i = 0; i < 3; ++i) {
            x[i]  = t * v[i] + t * t / 2 * a[i];
            v2[i] = v[i] + t * a[i];
        }
        cardan_model_integrate_position(m, q, x, q2);
        cardan_data_set_state(data, 0, q2, v2, NULL);
        const cardan_energies now = cardan_data_energy(data);
        e[s]                      = now.kinetic + now.potential;
        CHECK_NEAR(now.power, 0, 1e-10);
    }
    CHECK_NEAR((e[1] - e[0]) / (2 * h), 0, 1e-4);
    cardan_data_destroy(data);
    cardan_model_destroy(m);
    cardan_description_destroy(d);
}

// A hanging rod: the hinge carries its weight; the torque of a motor is not part of the reaction.
static void test_reaction(void)
{
    cardan_description* d = cardan_description_create("rod");
    cardan_body         b = cardan_body_default("rod");
    b.mass                = 3;
    b.centre[0]           = 0.5;
    b.inertia[1] = b.inertia[2] = 0.25;
    cardan_description_add_body(d, &b);
    cardan_joint j = cardan_joint_default("hinge", "revolute", 0, CARDAN_GROUND); // ground is the second body
    q4_of_matrix((const double[9]){1, 0, 0, 0, 0, 1, 0, -1, 0}, j.frame_first.q); // axis y
    memcpy(j.frame_second.q, j.frame_first.q, sizeof j.frame_second.q);
    cardan_description_add_joint(d, &j);
    cardan_force f = cardan_force_default("motor", "actuator");
    f.joint        = 0;
    f.component[0] =
        cardan_description_add_constant(d, 3 * 9.81 * 0.5); // on ground relative to the rod: balances the rod
    cardan_description_add_force(d, &f);
    cardan_model*   m    = NULL;
    cardan_data*    data = NULL;
    cardan_reaction r[1];
    double          a[1];
    CHECK(cardan_model_compile(d, CARDAN_TREE_BREADTH_FIRST, &m, NULL) == CARDAN_OK);
    CHECK(cardan_data_create(m, cardan_formulation_find("cholesky"), &data, NULL) == CARDAN_OK);
    CHECK(cardan_data_accelerate(data, a, NULL, NULL) == CARDAN_OK);
    CHECK_NEAR(a[0], 0, 1e-12);
    cardan_data_reactions(data, a, r);
    CHECK(r[0].unique);
    CHECK_NEAR(r[0].force[2], -3 * 9.81, 1e-12); // the weight of the rod acts on ground
    for (int i = 0; i < 3; ++i) CHECK_NEAR(r[0].torque[i], 0, 1e-12);
    cardan_data_destroy(data);
    cardan_model_destroy(m);
    cardan_description_destroy(d);
}

int main(void)
{
    for (uint64_t seed = 1; seed <= 20; ++seed) {
        RUN(test_spring(seed, false));
        RUN(test_spring(seed, true));
        RUN(test_spring_table(seed, CARDAN_INTERPOLATION_LINEAR));
        RUN(test_spring_table(seed, CARDAN_INTERPOLATION_MONOTONE));
        RUN(test_damper_table(seed));
        RUN(test_external_wrench(seed));
        RUN(test_bushing(seed, false));
        RUN(test_bushing(seed, true));
        RUN(test_internal_load(seed, "force"));
        RUN(test_internal_load(seed, "torque"));
        RUN(test_spherical_spring(seed));
    }
    RUN(test_joint_forces());
    RUN(test_torsion());
    RUN(test_small_rotations());
    RUN(test_reaction());
    return test_end();
}
