// SPDX-License-Identifier: BSD-3-Clause
// Reactions against closed forms: frames, doors, welds, loops; and their independence of the spanning tree and of the
// cut joint.
#include "fixture.h"

#include "dynamics/data.h"

static cardan_reaction reaction[256];
static double          a[512];

static void update_reactions(fixture* f)
{
    CHECK(cardan_data_accelerate(f->data, a, NULL, &f->report) == CARDAN_OK);
    CHECK(cardan_data_reactions(f->data, a, reaction) == CARDAN_OK);
}

static void check_wrench(int j, const double force[3], const double torque[3], bool unique, double tolerance)
{
    for (int k = 0; k < 3; ++k) {
        CHECK_NEAR(reaction[j].force[k], force[k], tolerance);
        CHECK_NEAR(reaction[j].torque[k], torque[k], tolerance);
    }
    CHECK(reaction[j].unique == unique);
}

// The thrust of a symmetric arch at 45 degrees is half the weight of a bar; statically determinate.
static void test_arch(void)
{
    fixture f;
    if (!fixture_open(&f, "models/diagnosis/arch.yaml", "dense", 0, NULL)) return;
    update_reactions(&f);
    check_wrench(0, (double[]){15, 30, 0}, (double[]){0, 0, 0}, true, 1e-12);  // ground on left
    check_wrench(1, (double[]){15, 0, 0}, (double[]){0, 0, 0}, true, 1e-12);   // left on right
    check_wrench(2, (double[]){15, -30, 0}, (double[]){0, 0, 0}, true, 1e-12); // right on ground
    fixture_close(&f);
}

// The same arch with three hinges: forces in the plane are the same, those perpendicular to it are not unique.
static void test_plane_arch(void)
{
    fixture f;
    if (!fixture_open(&f, "models/diagnosis/arch.yaml", "dense", 0, NULL)) return;
    cardan_description_view view = cardan_description_get_view(f.description);
    for (int j = 1; j < 3; ++j) {
        ((cardan_joint*)&view.joint[j])->type        = "revolute";
        ((cardan_joint*)&view.joint[j])->nelementary = 0;
    }
    cardan_data_destroy(f.data);
    cardan_model_destroy(f.model);
    f.data  = NULL;
    f.model = NULL;
    CHECK(cardan_model_compile(f.description, CARDAN_TREE_BREADTH_FIRST, &f.model, &f.report) == CARDAN_OK);
    CHECK(cardan_data_create(f.model, cardan_formulation_find("dense"), &f.data, &f.report) == CARDAN_OK);
    update_reactions(&f);
    check_wrench(0, (double[]){15, 30, 0}, (double[]){0, 0, 0}, false, 1e-12);
    check_wrench(1, (double[]){15, 0, 0}, (double[]){0, 0, 0}, false, 1e-12);
    check_wrench(2, (double[]){15, -30, 0}, (double[]){0, 0, 0}, false, 1e-12);
    fixture_close(&f);
}

// Two hinges share the weight of a door and its tilting moment. Least norm: of all wrenches in balance, min 2 F^2 + 2
// (M / l)^2 with 1.6 F + 2 M = m g 0.45, l = half the extent of joints and mass centre, 0.8 m: F = M 0.8 / l^2.
static void test_door(void)
{
    fixture f;
    if (!fixture_open(&f, "models/diagnosis/door.yaml", "dense", 0, NULL)) return;
    update_reactions(&f);
    const double weight = 20 * 9.81, l = 0.8, M = weight * 0.45 / (1.6 * 0.8 / (l * l) + 2), F = 0.8 * M / (l * l);
    check_wrench(0, (double[]){-F, 0, weight / 2}, (double[]){0, -M, 0}, false, 1e-9);
    check_wrench(1, (double[]){F, 0, weight / 2}, (double[]){0, -M, 0}, false, 1e-9);
    fixture_close(&f);
}

// Bodies welded in a row on a rotating hinge: each weld carries weight and centripetal force of the bodies beyond it.
static void test_weld(void)
{
    cardan_report       report = {0};
    cardan_description* d      = cardan_description_create("arm");
    const double        w      = 3;
    int                 body[3];
    cardan_description_set_gravity(d, (double[]){0, 0, -10});
    for (int i = 0; i < 3; ++i) {
        char        name[16];
        cardan_body b;
        snprintf(name, sizeof name, "b%d", i);
        b           = cardan_body_default(name);
        b.mass      = 1 + i;
        b.pose.p[0] = 1 + i;
        for (int k = 0; k < 3; ++k) b.inertia[k] = 0.1;
        body[i] = cardan_description_add_body(d, &b);
    }
    // the middle one is on the hinge; one weld is described from the outer body to the inner
    cardan_joint hinge      = cardan_joint_default("hinge", "revolute", CARDAN_GROUND, body[1]);
    hinge.frame_second.p[0] = -2;
    hinge.start_v_given     = true;
    hinge.start_v[0]        = w;
    cardan_joint in         = cardan_joint_default("in", "fixed", body[0], body[1]);
    in.frame_second.p[0]    = -1;
    cardan_joint out        = cardan_joint_default("out", "fixed", body[1], body[2]);
    out.frame_first.p[0]    = 0.5;
    out.frame_second.p[0]   = -0.5;
    cardan_joint welded     = cardan_joint_default(
            "anchor", "fixed", CARDAN_GROUND,
            cardan_description_add_body(d, &(cardan_body){.name = "post", .mass = 7, .pose = cardan_pose_default()}));
    cardan_description_add_joint(d, &hinge);
    cardan_description_add_joint(d, &in);
    cardan_description_add_joint(d, &out);
    cardan_description_add_joint(d, &welded);
    // a force between two bodies of the welded arm acts through one weld only
    cardan_marker m0    = {.name = "m0", .body = body[1], .pose = cardan_pose_default()},
                  m1    = {.name = "m1", .body = body[2], .pose = cardan_pose_default()};
    cardan_force spring = cardan_force_default("spring", "spring");
    spring.marker[0]    = cardan_description_add_marker(d, &m0);
    spring.marker[1]    = cardan_description_add_marker(d, &m1);
    spring.preload      = 11;
    spring.free_length  = 1;
    cardan_description_add_force(d, &spring);

    fixture f = {.description = d};
    CHECK(cardan_model_compile(d, CARDAN_TREE_BREADTH_FIRST, &f.model, &report) == CARDAN_OK);
    CHECK(cardan_data_create(f.model, cardan_formulation_find("order-n"), &f.data, &report) == CARDAN_OK);
    update_reactions(&f);
    // outer weld on b2 at 2.5: its centre is 0.5 beyond; the spring pulls it inward with 11 N
    check_wrench(2, (double[]){-3 * 3 * w * w + 11, 0, 30}, (double[]){0, -15, 0}, true, 1e-12);
    // inner weld on b1 at x = 1, from b0 of mass 1: b1 carries b0
    check_wrench(1, (double[]){1 * 1 * w * w, 0, -10}, (double[]){0, 0, 0}, true, 1e-12);
    // hinge: all forces; moment of the weights about the hinge
    check_wrench(0, (double[]){-(1 * 1 + 2 * 2 + 3 * 3) * w * w, 0, 60}, (double[]){0, -(1 * 10 + 2 * 20 + 3 * 30), 0},
                 true, 1e-12);
    check_wrench(3, (double[]){0, 0, 70}, (double[]){0, 0, 0}, true, 1e-12);

    // an external wrench on the outer body only
    double load[4][6] = {0};
    load[2][4]        = 5; // along y, at its mass centre
    cardan_data_set_external_forces(f.data, NULL, (const double(*)[6])load);
    update_reactions(&f);
    const double alpha = 15 / (1 * 1 + 2 * 4 + 3 * 9 + 0.3);
    CHECK_NEAR(a[0], alpha, 1e-12);
    CHECK_NEAR(reaction[2].force[1], 3 * 3 * alpha - 5, 1e-12);
    CHECK_NEAR(reaction[2].torque[2], 0.1 * alpha + 0.5 * (9 * alpha - 5), 1e-12);
    fixture_close(&f);
}

// Newton and Euler for every body: reactions and weight.
static double balance(fixture* f)
{
    static cardan_motion          body[64];
    const cardan_description_view view  = cardan_description_get_view(f->description);
    double                        worst = 0;
    cardan_data_body_motions(f->data, a, body);
    for (int b = 0; b < view.nbody; ++b) {
        double residual[3];
        for (int k = 0; k < 3; ++k) residual[k] = view.body[b].mass * (body[b].a[k] - view.gravity[k]);
        for (int j = 0; j < view.njoint; ++j)
            for (int k = 0; k < 3; ++k) {
                if (view.joint[j].second_body == b) residual[k] -= reaction[j].force[k];
                if (view.joint[j].first_body == b) residual[k] += reaction[j].force[k];
            }
        for (int k = 0; k < 3; ++k) worst = fmax(worst, fabs(residual[k]));
    }
    return worst;
}

// Breadth-first and depth-first trees cut different joints, maximal coordinates all of them; all reactions are equal,
// also those that are not unique.
static void test_tree(const char* path)
{
    static const cardan_tree_policy policy[] = {CARDAN_TREE_DEPTH_FIRST, CARDAN_TREE_MAXIMAL, CARDAN_TREE_MAXIMAL};
    static const char* const        name[]   = {"dense", "dense", "lagrange"};
    fixture                         f;
    cardan_reaction                 kept[64];
    if (!fixture_open(&f, path, "dense", 0, NULL)) return;
    update_reactions(&f);
    const int n = f.m.njoint;
    CHECK(balance(&f) < 1e-9);
    memcpy(kept, reaction, (size_t)n * sizeof *kept);
    for (int i = 0; i < 3; ++i) {
        cardan_data_destroy(f.data);
        cardan_model_destroy(f.model);
        f.data  = NULL;
        f.model = NULL;
        CHECK(cardan_model_compile(f.description, policy[i], &f.model, &f.report) == CARDAN_OK);
        CHECK(cardan_data_create(f.model, cardan_formulation_find(name[i]), &f.data, &f.report) == CARDAN_OK);
        update_reactions(&f);
        CHECK(balance(&f) < 1e-9);
        for (int j = 0; j < n; ++j) check_wrench(j, kept[j].force, kept[j].torque, kept[j].unique, 1e-9);
    }
    fixture_close(&f);
}

// Unique reactions: none on a planar loop of hinges, all of a spatial loop without redundancy.
static void test_unique(const char* path, int expected)
{
    fixture f;
    int     unique = 0;
    if (!fixture_open(&f, path, "dense", 0, NULL)) return;
    update_reactions(&f);
    for (int j = 0; j < f.m.njoint; ++j) unique += reaction[j].unique;
    CHECK(unique == expected);
    fixture_close(&f);
}

// A self-stress is in equilibrium without load on every body.
static void test_self_stress(void)
{
    fixture f;
    if (!fixture_open(&f, "models/diagnosis/ladder.yaml", "dense", 0, NULL)) return;
    update_reactions(&f);
    const cd_self_stress*         s    = &f.data->reactions.self_stress;
    const cardan_description_view view = cardan_description_get_view(f.description);
    CHECK(s->nbasis == 8);
    for (int k = 0; k < s->nbasis; ++k)
        for (int b = 0; b < view.nbody; ++b) {
            double sum[3] = {0};
            for (int j = 0; j < view.njoint; ++j)
                for (int i = 0; i < 3; ++i) {
                    const double force = s->basis[k * 6 * f.m.njoint + 6 * j + 3 + i];
                    sum[i] += view.joint[j].second_body == b ? force : view.joint[j].first_body == b ? -force : 0;
                }
            for (int i = 0; i < 3; ++i) CHECK_NEAR(sum[i], 0, 1e-12);
        }
    fixture_close(&f);
}

// Marker constraints are listed once, when the data are created: a search among all constraints at every sample would
// cost the square of their number.
static void test_marker_constraint_list(void)
{
    fixture f;
    if (!fixture_open(&f, "models/macpherson", "dense", 0, NULL)) return;
    cardan_data* d     = f.data;
    const int    count = cardan_data_marker_constraint_count(d), all = d->constraints.nconstraint;
    char         name[8][64];
    CHECK(count > 1 && count < all && count <= 8);
    for (int i = 0; i < count && i < 8; ++i)
        snprintf(name[i], sizeof name[i], "%s", cardan_data_marker_constraint_name(d, i));
    CHECK_HAS(name[0], "tie_rod");
    d->constraints.nconstraint = 0; // a search would find none
    CHECK(cardan_data_marker_constraint_count(d) == count);
    for (int i = 0; i < count && i < 8; ++i) CHECK_TEXT(cardan_data_marker_constraint_name(d, i), name[i]);
    CHECK_TEXT(cardan_data_marker_constraint_name(d, count), "");
    d->constraints.nconstraint = all;
    for (int i = 0, n = 0; n < all; ++n)
        if (d->constraints.constraint[n].joint == CARDAN_NONE && !d->constraints.constraint[n].coupled &&
            d->constraints.constraint[n].nend == 2)
            CHECK(d->reactions.marker_constraint[i++] == n);
    fixture_close(&f);
}

int main(void)
{
    RUN(test_arch());
    RUN(test_plane_arch());
    RUN(test_door());
    RUN(test_weld());
    RUN(test_tree("models/diagnosis/parallelogram.yaml"));
    RUN(test_tree("models/diagnosis/spherical.yaml"));
    RUN(test_tree("models/diagnosis/bennett.yaml"));
    RUN(test_tree("models/diagnosis/rssr.yaml"));
    RUN(test_tree("models/diagnosis/stewart.yaml"));
    RUN(test_tree("models/diagnosis/slider_crank.yaml"));
    RUN(test_tree("models/diagnosis/slides.yaml"));
    RUN(test_unique("models/four_bar", 0));
    RUN(test_unique("models/diagnosis/rssr.yaml", 4));
    RUN(test_unique("models/diagnosis/stewart.yaml", 18));
    RUN(test_unique("models/diagnosis/welded_twice.yaml", 1));
    RUN(test_unique("models/double_pendulum", 2));
    RUN(test_self_stress());
    RUN(test_marker_constraint_list());
    return test_end();
}
