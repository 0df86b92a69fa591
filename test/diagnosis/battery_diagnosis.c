// SPDX-License-Identifier: BSD-3-Clause
// Diagnosis of random mechanisms whose loops are closed in the design configuration, with random axes, parallel axes,
// or axes through one point: counts and reactions must be equal for all spanning trees and maximal coordinates, and
// suggested joints must remove the redundancy.
#include "random_tree.h"
#include "suggestion.h"

#include "math/quaternion.h"

#include <cardan/diagnose.h>

enum { MAX_JOINTS = 16, POLICIES = 3 };

typedef enum style { ANY, PARALLEL, ONE_POINT, STYLES } style;

static cardan_pose joint_frame(dice* d, style s)
{
    cardan_pose T = random_pose(d);
    if (s == PARALLEL) {
        // about or along z of the world, rotated about it at random
        const double angle = 3 * dice_unit(d);
        const double q[4]  = {cos(angle / 2), 0, 0, sin(angle / 2)};
        memcpy(T.q, q, sizeof q);
    }
    if (s == ONE_POINT) {
        // z of the frame points to the origin: its position is somewhere along it
        const double z[3] = {0, 0, 0.5 + dice_unit(d)};
        q4_rotate(T.q, z, T.p);
    }
    return T;
}

static const char* random_type(dice* d, style s)
{
    static const char* const any[]      = {"revolute",  "revolute",  "revolute",  "cylindrical",
                                           "universal", "spherical", "prismatic", "fixed"};
    static const char* const parallel[] = {"revolute", "revolute", "revolute", "revolute", "planar", "cylindrical"};
    return s == ANY ? any[dice_int(d, 8)] : s == PARALLEL ? parallel[dice_int(d, 6)] : "revolute";
}

// A ring of bodies from ground to ground, and in some cases a second one across it.
static cardan_description* random_mechanism(uint64_t seed)
{
    dice                d = {seed};
    const style         s = (style)dice_int(&d, STYLES);
    cardan_description* m = cardan_description_create("random");
    const int           n = 2 + dice_int(&d, 4), across = dice_int(&d, 3);
    char                name[24];
    cardan_description_set_gravity(m, (double[]){3, -5, 7});
    for (int i = 0; i < n; ++i) {
        snprintf(name, sizeof name, "body%d", i);
        cardan_body b = cardan_body_default(name);
        b.pose        = random_pose(&d);
        random_inertia(&d, &b);
        cardan_description_add_body(m, &b);
    }
    const cardan_description_view view = cardan_description_get_view(m);
    for (int i = 0; i < n + 1 + across; ++i) {
        int first = i - 1, second = i < n ? i : CARDAN_GROUND;
        if (i > n) {
            second = dice_int(&d, n);
            first  = second - 1;
        }
        snprintf(name, sizeof name, "joint%d", i);
        const bool   swap = dice_unit(&d) < 0.4;
        cardan_joint j = cardan_joint_default(name, random_type(&d, s), swap ? second : first, swap ? first : second);
        const cardan_pose T = joint_frame(&d, s);
        j.frame_first  = j.first_body == CARDAN_GROUND ? T : pose_mul(pose_inverse(view.body[j.first_body].pose), T);
        j.frame_second = j.second_body == CARDAN_GROUND ? T : pose_mul(pose_inverse(view.body[j.second_body].pose), T);
        cardan_description_add_joint(m, &j);
    }
    return m;
}

typedef struct finding {
    cardan_status   status;
    int             dof, redundant, redundant_in_loops, loops;
    bool            has_suggestion; // every loop with redundant equations has suggested joint types
    char            suggestion[SUGGESTION_LENGTH];
    cardan_reaction reaction[MAX_JOINTS];
    bool            has_reactions;
} finding;

static finding diagnose(const cardan_description* description, cardan_tree_policy policy)
{
    finding           f      = {0};
    cardan_model*     m      = NULL;
    cardan_data*      data   = NULL;
    cardan_diagnosis* g      = NULL;
    cardan_report     report = {0};
    double            a[128];
    CHECK(cardan_model_compile(description, policy, &m, &report) == CARDAN_OK);
    CHECK(cardan_data_create(m, cardan_formulation_find("dense"), &data, &report) == CARDAN_OK);
    f.status         = cardan_diagnosis_create(data, &g, &report);
    f.dof            = g->dof;
    f.redundant      = g->redundant;
    f.loops          = g->nloop_total;
    f.has_suggestion = true;
    for (int l = 0; l < g->nloop; ++l) {
        f.redundant_in_loops += g->loop[l].redundant;
        char terms[SUGGESTION_LENGTH];
        suggestion_terms(description, g->loop[l].suggested_joints, terms);
        if (g->loop[l].redundant > 0 && !strchr(terms, ' ')) f.has_suggestion = false; // no joint with a new type
        CHECK((g->loop[l].redundant > 0) == (g->loop[l].reason[0] != 0));
        CHECK((g->loop[l].redundant > 0) == (g->loop[l].indeterminate[0] != 0));
        suggestion_add(f.suggestion, terms);
    }
    f.has_reactions = cardan_data_accelerate(data, a, NULL, NULL) == CARDAN_OK;
    if (f.has_reactions) cardan_data_reactions(data, a, f.reaction);
    cardan_diagnosis_destroy(g);
    cardan_data_destroy(data);
    cardan_model_destroy(m);
    return f;
}

static double distance(const cardan_reaction* a, const cardan_reaction* b)
{
    double worst = 0;
    for (int k = 0; k < 3; ++k) {
        worst = fmax(worst, fabs(a->force[k] - b->force[k]) / fmax(1, fabs(a->force[k])));
        worst = fmax(worst, fabs(a->torque[k] - b->torque[k]) / fmax(1, fabs(a->torque[k])));
    }
    return worst;
}

typedef struct counts {
    int redundant, repaired, singular;
    int reactions[POLICIES]; // mechanisms whose reactions were compared
} counts;

static bool check_mechanism(uint64_t seed, counts* t)
{
    cardan_description* d      = random_mechanism(seed);
    const int           njoint = cardan_description_get_view(d).njoint;
    bool                good   = true;
    finding             f[POLICIES];
    for (int k = 0; k < POLICIES; ++k) f[k] = diagnose(d, (cardan_tree_policy)k);
    good = f[0].redundant_in_loops == f[0].redundant;
    for (int k = 1; k < POLICIES; ++k) {
        good &= f[k].status == f[0].status && f[k].dof == f[0].dof && f[k].redundant == f[0].redundant &&
                f[k].redundant_in_loops == f[0].redundant_in_loops;
        good &= strcmp(f[k].suggestion, f[0].suggestion) == 0 && f[k].has_reactions == f[0].has_reactions;
        for (int j = 0; j < njoint; ++j) {
            good &= f[k].reaction[j].unique == f[0].reaction[j].unique;
            good &= distance(&f[k].reaction[j], &f[0].reaction[j]) < 1e-6;
        }
    }
    for (int k = 0; k < POLICIES; ++k) t->reactions[k] += f[k].has_reactions;
    t->singular += f[0].status != CARDAN_OK;
    t->redundant += f[0].redundant > 0;
    if (f[0].redundant > 0 && f[0].has_suggestion) {
        suggestion_apply(d, f[0].suggestion);
        const finding after = diagnose(d, CARDAN_TREE_BREADTH_FIRST);
        ++t->repaired;
        good &= after.redundant == 0 && after.dof == f[0].dof;
        if (after.redundant != 0 || after.dof != f[0].dof)
            printf("seed %llu: '%s' leaves %d redundant, %d degrees of freedom instead of %d\n",
                   (unsigned long long)seed, f[0].suggestion, after.redundant, after.dof, f[0].dof);
    }
    if (!good) {
        printf("seed %llu:", (unsigned long long)seed);
        for (int k = 0; k < POLICIES; ++k) {
            double worst = 0;
            for (int j = 0; j < njoint; ++j) worst = fmax(worst, distance(&f[k].reaction[j], &f[0].reaction[j]));
            printf("  %s dof %d redundant %d repeated %d, reactions apart %.1g, %s;", cardan_status_name(f[k].status),
                   f[k].dof, f[k].redundant, f[k].redundant_in_loops, worst, f[k].suggestion);
        }
        printf("\n");
    }
    cardan_description_destroy(d);
    return good;
}

static void test_random_mechanisms(void)
{
    counts t   = {0};
    int    bad = 0;
    for (uint64_t seed = 1; seed <= 300; ++seed) bad += !check_mechanism(seed, &t);
    printf("random mechanisms, seeds 1 to 300: %d wrong, %d redundant, %d repaired, %d singular\n", bad, t.redundant,
           t.repaired, t.singular);
    CHECK(bad == 0);
    CHECK(t.redundant > 100);
    CHECK(t.repaired > 50);
    for (int k = 0; k < POLICIES; ++k) CHECK(t.reactions[k] == t.reactions[0] && t.reactions[k] > 200);
    if (test_broken) printf("    reactions of %d, %d, %d\n", t.reactions[0], t.reactions[1], t.reactions[2]);
}

int main(void)
{
    RUN(test_random_mechanisms());
    return test_end();
}
