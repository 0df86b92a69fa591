// SPDX-License-Identifier: BSD-3-Clause
// Independence of the spanning tree. Random mechanisms with loops in motion, with springs, dampers and drivers on tree
// joints and on cut joints: joints described in another order, breadth-first and depth-first trees and every
// formulation give the same accelerations of all bodies and the same reactions where these are unique.
#include "loop_models.h"
#include "random_tree.h"

#include "dynamics/data.h"

enum { BODIES = 9, JOINTS = 13, ORDERS = 3 };

typedef struct mechanism {
    int                    nbody, njoint;
    cardan_body            body[BODIES];
    cardan_joint           joint[JOINTS];
    char                   name[BODIES + JOINTS][16];
    cardan_axis_properties axis[JOINTS][6];
    int                    driven; // joint, or CARDAN_NONE
} mechanism;

static const struct {
    const char* type;
    int         nv;
} joint_types[] = {{"revolute", 1},    {"spherical", 3}, {"universal", 2},
                   {"cylindrical", 2}, {"prismatic", 1}, {"planar", 3}};

// Joint between two bodies at a random frame of the design configuration, in which the loops are closed.
static void random_joint_between(dice* d, mechanism* n, int first, int second)
{
    const int     k = n->njoint++, kind = dice_int(d, 6);
    const bool    swap = dice_unit(d) < 0.5;
    const int     one = swap ? second : first, two = swap ? first : second;
    cardan_joint* j = &n->joint[k];
    snprintf(n->name[BODIES + k], sizeof n->name[0], "joint%d", k);
    *j                  = cardan_joint_default(n->name[BODIES + k], joint_types[kind].type, one, two);
    const cardan_pose T = random_pose(d), ground = cardan_pose_default();
    j->frame_first  = pose_mul(pose_inverse(one < 0 ? ground : n->body[one].pose), T);
    j->frame_second = pose_mul(pose_inverse(two < 0 ? ground : n->body[two].pose), T);
    if (strcmp(j->type, "universal") == 0) {
        j->nelementary           = 2;
        j->elementary[0].axis[0] = j->elementary[1].axis[1] = 1;
    }
    j->naxis = joint_types[kind].nv;
    j->axis  = n->axis[k];
    for (int i = 0; i < j->naxis; ++i) {
        n->axis[k][i]                  = cardan_axis_properties_default();
        n->axis[k][i].damping          = dice_range(d, 0, 2);
        n->axis[k][i].stiffness        = joint_types[kind].nv < 3 ? dice_range(d, 0, 20) : 0;
        n->axis[k][i].spring_reference = dice_range(d, -1, 1);
    }
}

static void random_loop_mechanism(uint64_t seed, mechanism* n)
{
    dice d = {seed};
    *n     = (mechanism){.nbody = 4 + dice_int(&d, BODIES - 3), .driven = CARDAN_NONE};
    for (int i = 0; i < n->nbody; ++i) {
        snprintf(n->name[i], sizeof n->name[0], "body%d", i);
        n->body[i]      = cardan_body_default(n->name[i]);
        n->body[i].pose = random_pose(&d);
        random_inertia(&d, &n->body[i]);
        n->body[i].mass = fmax(n->body[i].mass, 0.1);
    }
    for (int i = 0; i < n->nbody; ++i) random_joint_between(&d, n, dice_int(&d, i + 1) - 1, i);
    for (int i = 0, loops = 1 + dice_int(&d, 3); i < loops; ++i) {
        const int a = dice_int(&d, n->nbody), b = dice_int(&d, n->nbody + 1) - 1;
        if (a != b) random_joint_between(&d, n, b, a);
    }
    if (dice_unit(&d) < 0.4)
        for (int k = 0; k < n->njoint; ++k)
            if (strcmp(n->joint[k].type, "revolute") == 0) n->driven = k;
}

// Joints in another order; order 0 is the original one.
static cardan_description* describe(const mechanism* n, int order, uint64_t seed)
{
    cardan_description* d                   = cardan_description_create("mechanism");
    dice                generator           = {seed + 1000 * (uint64_t)order};
    int                 permutation[JOINTS] = {0};
    cardan_description_set_gravity(d, (const double[3]){1, -2, -9.81});
    for (int i = 0; i < n->nbody; ++i) cardan_description_add_body(d, &n->body[i]);
    for (int i = 0; i < n->njoint; ++i) {
        const int k    = order == 0 ? i : dice_int(&generator, i + 1);
        permutation[i] = permutation[k];
        permutation[k] = i;
    }
    for (int i = 0; i < n->njoint; ++i) {
        cardan_joint      j      = n->joint[permutation[i]];
        cardan_expression driver = CARDAN_NONE;
        if (permutation[i] == n->driven) {
            CHECK(cardan_description_parse(d, "0.3*t + 0.4*t^2", cardan_location_none(), &driver, NULL) == CARDAN_OK);
            j.ndriver = 1;
            j.driver  = &driver;
        }
        cardan_description_add_joint(d, &j);
    }
    return d;
}

// Velocities of all joints in the original order for a random motion that satisfies the constraints.
static bool random_motion(const mechanism* n, uint64_t seed, double v[JOINTS][6])
{
    fixture f;
    bool    good = loop_open(&f, describe(n, 0, seed), "dense");
    if (good) {
        double x[64], q[8];
        dice   d = {seed + 7};
        for (int i = 0; i < f.m.nv; ++i) x[i] = dice_range(&d, -1, 1);
        cardan_data_set_state(f.data, 0, f.m.q_start, x, NULL);
        good = cardan_data_project(f.data, NULL, NULL, NULL, NULL, NULL) == CARDAN_OK;
        for (int j = 0; j < n->njoint; ++j) cardan_data_joint_state(f.data, j, q, v[j]);
    }
    fixture_close(&f);
    return good;
}

typedef struct solution {
    cardan_status   status;
    double          error;
    cardan_motion   body[BODIES];
    cardan_reaction reaction[JOINTS];
    int             cut; // bits: cut joints
} solution;

static int original_index(const mechanism* n, const char* name)
{
    int k = 0;
    while (k < n->njoint && strcmp(n->joint[k].name, name) != 0) ++k;
    return k;
}

// Set the state joint by joint in a tree of the description and copy it to the data of the formulation.
static solution solve(const mechanism* n, const cardan_description* d, int formulation, cardan_tree_policy policy,
                      double v[JOINTS][6])
{
    solution        x    = {.error = NAN};
    cardan_model *  tree = NULL, *m = NULL;
    cardan_data *   from = NULL, *data = NULL;
    cardan_reaction reaction[JOINTS];
    double          a[6 * BODIES], start[64] = {0};
    x.status = cardan_model_compile(d, policy == CARDAN_TREE_MAXIMAL ? CARDAN_TREE_BREADTH_FIRST : policy, &tree, NULL);
    if (x.status == CARDAN_OK) x.status = cardan_data_create(tree, cardan_formulation_find("dense"), &from, NULL);
    if (x.status == CARDAN_OK) x.status = cardan_model_compile(d, policy, &m, NULL);
    if (x.status == CARDAN_OK) x.status = cardan_data_create(m, formulation, &data, NULL);
    if (x.status == CARDAN_OK) {
        const cardan_model_view view = cardan_model_get_view(tree);
        for (int j = 0; j < view.njoint; ++j) {
            const int k = original_index(n, cardan_model_joint_name(tree, j));
            if (view.tree_range[j].v < 0)
                x.cut |= 1 << k;
            else
                memcpy(start + view.tree_range[j].v, v[k], (size_t)view.tree_range[j].nv * sizeof *start);
        }
        cardan_data_set_state(from, 0, view.q_start, start, NULL);
        x.status = cardan_data_copy_state(from, data);
    }
    if (x.status == CARDAN_OK) x.status = cardan_data_accelerate(data, a, NULL, NULL);
    if (x.status == CARDAN_OK) {
        x.error = cardan_data_residual_norm(data, a);
        cardan_data_body_motions(data, a, x.body);
        CHECK(cardan_data_reactions(data, a, reaction) == CARDAN_OK);
        for (int j = 0; j < n->njoint; ++j) x.reaction[original_index(n, cardan_model_joint_name(m, j))] = reaction[j];
    }
    cardan_data_destroy(from);
    cardan_data_destroy(data);
    cardan_model_destroy(tree);
    cardan_model_destroy(m);
    return x;
}

static double relative_difference(const mechanism* n, const solution* x, const solution* y)
{
    double difference = 0, scale = 1, force = 1;
    for (int b = 0; b < n->nbody; ++b)
        for (int i = 0; i < 3; ++i) {
            difference = fmax(difference, fmax(fabs(x->body[b].a[i] - y->body[b].a[i]),
                                               fabs(x->body[b].alpha[i] - y->body[b].alpha[i])));
            scale      = fmax(scale, fmax(fabs(y->body[b].a[i]), fabs(y->body[b].alpha[i])));
        }
    difference /= scale;
    for (int j = 0; j < n->njoint; ++j)
        for (int i = 0; i < 3; ++i)
            force = fmax(force, fmax(fabs(y->reaction[j].force[i]), fabs(y->reaction[j].torque[i])));
    for (int j = 0; j < n->njoint; ++j) {
        if (x->reaction[j].unique != y->reaction[j].unique) return 1;
        for (int i = 0; i < 3 && y->reaction[j].unique; ++i) {
            difference = fmax(difference, fabs(x->reaction[j].force[i] - y->reaction[j].force[i]) / force);
            difference = fmax(difference, fabs(x->reaction[j].torque[i] - y->reaction[j].torque[i]) / force);
        }
    }
    return difference;
}

typedef struct statistics {
    int solved, trees, compared, rejected, bad;
} statistics;

// Formulations that treat null pivots of J M^-1 J' as redundant rows and reject states where such a pivot is
// undecidable; the others never reject a state.
static bool may_reject(const char* formulation)
{
    return strcmp(formulation, "order-n") == 0 || strncmp(formulation, "augmented", 9) == 0;
}

static void check_one(const mechanism* n, const cardan_description* d, int f, cardan_tree_policy policy,
                      double v[JOINTS][6], const solution* reference, uint64_t seed, statistics* t)
{
    const solution x = solve(n, d, f, policy, v);
    if (x.status == CARDAN_UNSUPPORTED) return;
    t->trees += x.cut != reference->cut;
    if (may_reject(cardan_formulation_name(f)) && (x.status == CARDAN_INCONSISTENT || x.status == CARDAN_SINGULAR)) {
        ++t->rejected;
        return;
    }
    ++t->compared;
    const bool agrees = x.status == CARDAN_OK && x.error < 1e-9 && relative_difference(n, &x, reference) < 1e-9;
    if (!agrees)
        printf("seed %llu, %s, policy %d: %s, equations %.2g, agreement %.2g\n", (unsigned long long)seed,
               cardan_formulation_name(f), (int)policy, cardan_status_name(x.status), x.error,
               x.status == CARDAN_OK ? relative_difference(n, &x, reference) : NAN);
    t->bad += !agrees;
}

static void check_mechanism(uint64_t seed, statistics* t)
{
    mechanism n;
    double    v[JOINTS][6];
    random_loop_mechanism(seed, &n);
    if (!random_motion(&n, seed, v)) return; // the loops do not allow the driver motion
    cardan_description* first     = describe(&n, 0, seed);
    const solution      reference = solve(&n, first, cardan_formulation_find("dense"), CARDAN_TREE_BREADTH_FIRST, v);
    cardan_description_destroy(first);
    if (reference.status != CARDAN_OK || !(reference.error < 1e-10)) return;
    ++t->solved;
    for (int order = 0; order < ORDERS; ++order) {
        cardan_description* d = describe(&n, order, seed);
        for (int f = 0; f < cardan_formulation_count(); ++f) {
            if (!cardan_formulation_is_exact(f)) continue;
            const cardan_tree_policy policy = cardan_formulation_tree_policy(f);
            check_one(&n, d, f, policy, v, &reference, seed, t);
            if (policy != CARDAN_TREE_MAXIMAL) check_one(&n, d, f, CARDAN_TREE_DEPTH_FIRST, v, &reference, seed, t);
        }
        cardan_description_destroy(d);
    }
}

static void test_random(void)
{
    statistics t = {0};
    for (uint64_t seed = 1; seed <= 150; ++seed) check_mechanism(seed, &t);
    printf("150 mechanisms: %d assembled, %d solutions compared, %d of them in other trees, %d disagree, %d rejected\n",
           t.solved, t.compared, t.trees, t.bad, t.rejected);
    CHECK(t.solved > 100 && t.trees > t.compared / 4);
    CHECK(t.rejected <= 60);
    CHECK(t.bad == 0);
}

int main(void)
{
    RUN(test_random());
    return test_end();
}
