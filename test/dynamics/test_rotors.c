// SPDX-License-Identifier: BSD-3-Clause
// Rotors of joints that have no coordinates in the model: random trees with rotors in flat coordinates against the
// tree; a rotor that alone resists; energy, mass matrix, inverse dynamics, operations.
#include "dynamics/data.h"
#include "random_tree.h"
#include "test.h"

enum { MOST = 128 };

typedef struct sim {
    cardan_model* m;
    cardan_data*  d;
    double        a[MOST];
    cardan_status status;
} sim;

static sim make(const cardan_description* description, cardan_tree_policy policy, const char* formulation,
                cardan_data* from)
{
    sim s    = {0};
    s.status = cardan_model_compile(description, policy, &s.m, NULL);
    if (s.status == CARDAN_OK) s.status = cardan_data_create(s.m, cardan_formulation_find(formulation), &s.d, NULL);
    if (s.status == CARDAN_OK && from) s.status = cardan_data_copy_state(from, s.d);
    return s;
}

static void drop(sim* s)
{
    cardan_data_destroy(s->d);
    cardan_model_destroy(s->m);
}

static double apart(const double* x, const double* y, int n)
{
    double most = 0, size = 1;
    for (int i = 0; i < n; ++i) most = fmax(most, fabs(x[i] - y[i])), size = fmax(size, fabs(x[i]));
    return most / size;
}

// v'M v / 2 and ID(a) = -J'lambda, with rotors beside the tree.
static void check_inverse(sim* s, double kinetic)
{
    static double M[MOST * MOST], x[MOST];
    const int     n   = s->m->nv;
    double        sum = 0, size = 1;
    cardan_mass_matrix(s->d, M);
    for (int i = 0; i < n; ++i)
        for (int j = 0; j < n; ++j) sum += s->d->v[i] * M[i * n + j] * s->d->v[j] / 2;
    CHECK_NEAR(sum, kinetic, 1e-11 * (1 + kinetic));
    cardan_inverse_dynamics(s->d, s->a, x);
    for (int c = 0; c < s->d->rows.nblock; ++c) {
        const cd_row_block* b = &s->d->rows.block[c];
        for (int i = 0; i < b->nrow; ++i)
            for (int j = 0; j < b->nv; ++j) {
                x[b->v[j]] += b->J[i * b->nv + j] * s->d->lambda[b->row + i];
                size = fmax(size, fabs(s->d->lambda[b->row + i]));
            }
    }
    double most = 0;
    for (int i = 0; i < n; ++i) most = fmax(most, fabs(x[i]));
    CHECK(most < 1e-10 * size);
}

// How far two formulations in the same coordinates are apart: badly conditioned states have no more digits.
static double yardstick_doubt(const cardan_description* d, const sim* tree)
{
    sim          s   = make(d, CARDAN_TREE_BREADTH_FIRST, "order-n", tree->d);
    const double off = s.d && cardan_accelerate(s.d, s.a, NULL, NULL) == CARDAN_OK ? apart(s.a, tree->a, s.m->nv) : 0;
    drop(&s);
    return off;
}

static void test_random_trees(void)
{
    double worst    = 0;
    int    compared = 0, rotors = 0, vague = 0;
    for (uint64_t seed = 1; seed <= 300; ++seed) {
        cardan_description* d    = random_tree(seed);
        sim                 tree = make(d, CARDAN_TREE_BREADTH_FIRST, "dense", NULL), flat = {0};
        double              q[MOST], v[MOST];
        dice                k = {seed + 3};
        CHECK(tree.status == CARDAN_OK);
        random_state(&k, tree.m, q, v);
        cardan_data_set_state(tree.d, 0, q, v, NULL);
        tree.status = cardan_accelerate(tree.d, tree.a, NULL, NULL);
        flat        = make(d, CARDAN_TREE_MAXIMAL, "lagrange", tree.d);
        CHECK(flat.status == CARDAN_OK);
        if (flat.status == CARDAN_OK) flat.status = cardan_accelerate(flat.d, flat.a, NULL, NULL);
        // where flat coordinates are refused: rotors resist where steps of a joint move alike: there the tree has an
        // answer, but the pose does not tell the coordinates
        if (tree.status == CARDAN_OK && flat.status == CARDAN_OK) {
            cardan_motion   x[16], y[16];
            cardan_reaction f[16], g[16];
            cardan_body_motions(tree.d, tree.a, x);
            cardan_body_motions(flat.d, flat.a, y);
            cardan_reactions(tree.d, tree.a, f);
            cardan_reactions(flat.d, flat.a, g);
            double off = 0, off_reactions = 0;
            for (int b = 0; b < tree.m->nbody; ++b)
                off = fmax(off, fmax(apart(x[b].a, y[b].a, 3), apart(x[b].alpha, y[b].alpha, 3)));
            for (int j = 0; j < tree.m->view.njoint; ++j)
                off_reactions =
                    fmax(off_reactions, fmax(apart(f[j].force, g[j].force, 3), apart(f[j].torque, g[j].torque, 3)));
            const double kinetic = cardan_energy(tree.d).kinetic;
            CHECK_NEAR(cardan_energy(flat.d).kinetic, kinetic, 1e-10 * (1 + kinetic));
            const double doubt = off < 1e-9 ? 0 : yardstick_doubt(d, &tree);
            vague += doubt > 0;
            CHECK(off < fmax(1e-9, 10 * doubt));
            CHECK(off_reactions < fmax(1e-7, 10 * doubt)); // motors' directions may nearly depend on each other
            worst = fmax(worst, doubt > 0 ? 0 : off);
            rotors += flat.d->rotors.nrow;
            ++compared;
            CHECK(cardan_residual_norm(flat.d, flat.a) < 1e-9);
            if (seed % 10 == 0) check_inverse(&flat, kinetic);
        }
        drop(&flat);
        drop(&tree);
        cardan_description_destroy(d);
    }
    printf("random trees in flat coordinates: %d compared, %d rotors, apart by %.1e, %d badly conditioned\n", compared,
           rotors, worst, vague);
    CHECK(vague <= 4 && compared > 250 && rotors > 200);
}

// A wheel without any inertia of its own on a hinge: its rotor alone resists. alpha = torque / armature.
static void test_bare_wheel(void)
{
    cardan_description* d   = cardan_description_create("wheel");
    cardan_body         b   = cardan_body_default("wheel");
    cardan_axis         law = cardan_axis_default();
    law.armature            = 0.25;
    law.stiffness           = 3;
    law.spring_reference    = 1;
    b.mass                  = 0;
    for (int i = 0; i < 6; ++i) b.inertia[i] = 0;
    cardan_description_add_body(d, &b);
    cardan_joint j = cardan_joint_default("axle", "revolute", CARDAN_GROUND, 0);
    j.naxis        = 1;
    j.axis         = &law;
    cardan_description_add_joint(d, &j);
    sim s = make(d, CARDAN_TREE_MAXIMAL, "lagrange", NULL);
    CHECK(s.status == CARDAN_OK);
    if (s.d) {
        double            joint_a[6];
        cardan_operations operations;
        CHECK(cardan_accelerate(s.d, s.a, NULL, NULL) == CARDAN_OK);
        cardan_joint_acceleration(s.d, 0, s.a, joint_a);
        CHECK_NEAR(joint_a[0], 3 / 0.25, 1e-12);
        CHECK(cardan_count_operations(s.m, cardan_formulation_find("lagrange"), s.d->q, s.d->v, &operations, NULL) ==
              CARDAN_OK);
    }
    drop(&s);
    cardan_description_destroy(d);
}

int main(void)
{
    RUN(test_random_trees());
    RUN(test_bare_wheel());
    return test_end();
}
