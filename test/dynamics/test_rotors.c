// SPDX-License-Identifier: BSD-3-Clause
// Rotors of off-tree joints: random trees with rotors in maximal coordinates against the tree; a rotor as the only
// inertia; energy, mass matrix, inverse dynamics, operation counts.
#include "dynamics/data.h"
#include "random_tree.h"
#include "test.h"

enum { MAX_VELOCITIES = 128 };

typedef struct instance {
    cardan_model* m;
    cardan_data*  d;
    double        a[MAX_VELOCITIES];
    cardan_status status;
} instance;

static instance create(const cardan_description* description, cardan_tree_policy policy, const char* formulation,
                       cardan_data* from)
{
    instance s = {0};
    s.status   = cardan_model_compile(description, policy, &s.m, NULL);
    if (s.status == CARDAN_OK) s.status = cardan_data_create(s.m, cardan_formulation_find(formulation), &s.d, NULL);
    if (s.status == CARDAN_OK && from) s.status = cardan_data_copy_state(from, s.d);
    return s;
}

static void destroy(instance* s)
{
    cardan_data_destroy(s->d);
    cardan_model_destroy(s->m);
}

static double largest_difference(const double* x, const double* y, int n)
{
    double most = 0, size = 1;
    for (int i = 0; i < n; ++i) most = fmax(most, fabs(x[i] - y[i])), size = fmax(size, fabs(x[i]));
    return most / size;
}

// v'M v / 2 and ID(a) = -J'lambda, with rotors of off-tree joints.
static void check_inverse(instance* s, double kinetic)
{
    static double M[MAX_VELOCITIES * MAX_VELOCITIES], x[MAX_VELOCITIES];
    const int     n   = s->m->nv;
    double        sum = 0, size = 1;
    cardan_data_mass_matrix(s->d, M);
    for (int i = 0; i < n; ++i)
        for (int j = 0; j < n; ++j) sum += s->d->v[i] * M[i * n + j] * s->d->v[j] / 2;
    CHECK_NEAR(sum, kinetic, 1e-11 * (1 + kinetic));
    cardan_data_inverse_dynamics(s->d, s->a, x);
    for (int c = 0; c < s->d->rows.nblock; ++c) {
        const cd_row_block* b = &s->d->rows.block[c];
        for (int i = 0; i < b->nrow; ++i)
            for (int j = 0; j < b->nv; ++j) {
                x[b->v[j]] += b->J[i * b->nv + j] * s->d->solve.lambda[b->row + i];
                size = fmax(size, fabs(s->d->solve.lambda[b->row + i]));
            }
    }
    double most = 0;
    for (int i = 0; i < n; ++i) most = fmax(most, fabs(x[i]));
    CHECK(most < 1e-10 * size);
}

// Difference of two formulations in the same coordinates: the accuracy at ill-conditioned states.
static double reference_accuracy(const cardan_description* d, const instance* tree)
{
    instance     s          = create(d, CARDAN_TREE_BREADTH_FIRST, "order-n", tree->d);
    const double difference = s.d && cardan_data_accelerate(s.d, s.a, NULL, NULL) == CARDAN_OK
                                  ? largest_difference(s.a, tree->a, s.m->nv)
                                  : 0;
    destroy(&s);
    return difference;
}

static void test_random_trees(void)
{
    double worst    = 0;
    int    compared = 0, rotors = 0, vague = 0;
    for (uint64_t seed = 1; seed <= 300; ++seed) {
        cardan_description* d    = random_tree(seed);
        instance            tree = create(d, CARDAN_TREE_BREADTH_FIRST, "dense", NULL), maximal = {0};
        double              q[MAX_VELOCITIES], v[MAX_VELOCITIES];
        dice                k = {seed + 3};
        CHECK(tree.status == CARDAN_OK);
        random_state(&k, tree.m, q, v);
        cardan_data_set_state(tree.d, 0, q, v, NULL);
        tree.status = cardan_data_accelerate(tree.d, tree.a, NULL, NULL);
        maximal     = create(d, CARDAN_TREE_MAXIMAL, "lagrange", tree.d);
        CHECK(maximal.status == CARDAN_OK);
        if (maximal.status == CARDAN_OK) maximal.status = cardan_data_accelerate(maximal.d, maximal.a, NULL, NULL);
        // states that maximal coordinates refuse: elementary joints with the same motion and rotors; the tree has a
        // solution there, but the poses do not determine the coordinates
        if (tree.status == CARDAN_OK && maximal.status == CARDAN_OK) {
            cardan_motion   x[16], y[16];
            cardan_reaction f[16], g[16];
            cardan_data_body_motions(tree.d, tree.a, x);
            cardan_data_body_motions(maximal.d, maximal.a, y);
            cardan_data_reactions(tree.d, tree.a, f);
            cardan_data_reactions(maximal.d, maximal.a, g);
            double difference = 0, reaction_difference = 0;
            for (int b = 0; b < tree.m->nbody; ++b)
                difference = fmax(difference, fmax(largest_difference(x[b].a, y[b].a, 3),
                                                   largest_difference(x[b].alpha, y[b].alpha, 3)));
            for (int j = 0; j < tree.m->view.njoint; ++j)
                reaction_difference = fmax(reaction_difference, fmax(largest_difference(f[j].force, g[j].force, 3),
                                                                     largest_difference(f[j].torque, g[j].torque, 3)));
            const double kinetic = cardan_data_energy(tree.d).kinetic;
            CHECK_NEAR(cardan_data_energy(maximal.d).kinetic, kinetic, 1e-10 * (1 + kinetic));
            const double accuracy = difference < 1e-9 ? 0 : reference_accuracy(d, &tree);
            vague += accuracy > 0;
            CHECK(difference < fmax(1e-9, 10 * accuracy));
            CHECK(reaction_difference < fmax(1e-7, 10 * accuracy)); // directions of motors may nearly be dependent
            worst = fmax(worst, accuracy > 0 ? 0 : difference);
            rotors += maximal.d->rotors.nrow;
            ++compared;
            CHECK(cardan_data_residual_norm(maximal.d, maximal.a) < 1e-9);
            if (seed % 10 == 0) check_inverse(&maximal, kinetic);
        }
        destroy(&maximal);
        destroy(&tree);
        cardan_description_destroy(d);
    }
    printf("random trees in maximal coordinates: %d compared, %d rotors, difference %.1e, %d ill-conditioned\n",
           compared, rotors, worst, vague);
    CHECK(vague <= 4 && compared > 250 && rotors > 200);
}

// A wheel without inertia on a hinge with a rotor: alpha = torque / armature.
static void test_massless_wheel(void)
{
    cardan_description*    d               = cardan_description_create("wheel");
    cardan_body            b               = cardan_body_default("wheel");
    cardan_axis_properties axis_properties = cardan_axis_properties_default();
    axis_properties.armature               = 0.25;
    axis_properties.stiffness              = 3;
    axis_properties.spring_reference       = 1;
    b.mass                                 = 0;
    for (int i = 0; i < 6; ++i) b.inertia[i] = 0;
    cardan_description_add_body(d, &b);
    cardan_joint j = cardan_joint_default("axle", "revolute", CARDAN_GROUND, 0);
    j.naxis        = 1;
    j.axis         = &axis_properties;
    cardan_description_add_joint(d, &j);
    instance s = create(d, CARDAN_TREE_MAXIMAL, "lagrange", NULL);
    CHECK(s.status == CARDAN_OK);
    if (s.d) {
        double                  joint_a[6];
        cardan_operation_counts operations;
        CHECK(cardan_data_accelerate(s.d, s.a, NULL, NULL) == CARDAN_OK);
        cardan_data_joint_acceleration(s.d, 0, s.a, joint_a);
        CHECK_NEAR(joint_a[0], 3 / 0.25, 1e-12);
        CHECK(cardan_model_count_operations(s.m, cardan_formulation_find("lagrange"), s.d->q, s.d->v, &operations,
                                            NULL) == CARDAN_OK);
    }
    destroy(&s);
    cardan_description_destroy(d);
}

int main(void)
{
    RUN(test_random_trees());
    RUN(test_massless_wheel());
    return test_end();
}
