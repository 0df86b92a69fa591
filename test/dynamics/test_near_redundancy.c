// SPDX-License-Identifier: BSD-3-Clause
// Mechanisms that are redundant up to the digits of their description: all formulations and the diagnosis take the same
// decision, or all report an undecidable rank. Near singular configurations, and with small lever arms, the rank is
// decided.
#include "dynamics/rank/near_redundancy.h"
#include "formulation/formulation.h"
#include "sentences.h"
#include "test.h"
#include "yaml_text.h"

#include "dynamics/data.h"

#include <cardan/assemble.h>
#include <cardan/cardan.h>
#include <cardan/diagnose.h>
#include <cardan/kinematics.h>
#include <cardan/simulate.h>

// One mechanism, assembled with one formulation.
typedef struct rig {
    cardan_description* description;
    cardan_model*       m;
    cardan_data*        d;
    cardan_report       report;
} rig;

static cardan_status open_rig(rig* r, const char* text, int formulation)
{
    *r = (rig){.description = yaml_load(text)};
    CHECK(r->description &&
          cardan_model_compile(r->description, cardan_formulation_tree_policy(formulation), &r->m, NULL) == 0);
    CHECK(r->m && cardan_data_create(r->m, formulation, &r->d, NULL) == CARDAN_OK);
    return r->d ? cardan_data_assemble(r->d, NULL, NULL, NULL, NULL, &r->report) : CARDAN_NO_MEMORY;
}

static void close_rig(rig* r)
{
    cardan_data_destroy(r->d);
    cardan_model_destroy(r->m);
    cardan_description_destroy(r->description);
}

static bool closes_loops(int f) { return cd_formulation_at(f)->properties & CD_SUPPORTS_REDUNDANT_ROWS; }
// Compliant rows are less accurate.
static double tolerance_of(int f) { return cd_formulation_at(f)->properties & CD_APPROXIMATE ? 1e-4 : 1e-8; }

// Acceleration of the first joint in all coordinates.
static double first_acceleration(rig* r)
{
    const cardan_model_view view  = cardan_model_get_view(r->m);
    double                  a[64] = {0}, q[64], v[64];
    CHECK(view.nv_joint < 64 && view.nq_joint < 64);
    if (cardan_data_accelerate(r->d, a, NULL, &r->report) != CARDAN_OK) return NAN;
    cardan_data_joint_motions(r->d, a, q, v, a);
    return a[r->m->joint_range[0].v];
}

static int dof_with(const char* text, const char* formulation)
{
    rig               r;
    cardan_diagnosis* g = NULL;
    CHECK(open_rig(&r, text, cardan_formulation_find(formulation)) == CARDAN_OK);
    cardan_diagnosis_create(r.d, &g, &r.report);
    const int dof = g ? g->dof : -1;
    cardan_diagnosis_destroy(g);
    close_rig(&r);
    return dof;
}

static int dof_of(const char* text) { return dof_with(text, "dense"); }

// All formulations compute the acceleration of the exact mechanism, without warnings.
static void check_equal(const char* text, const char* exact)
{
    CHECK(dof_of(text) == 1 && dof_with(text, "lagrange") == 1);
    for (int f = 0; f < cd_formulation_count(); ++f) {
        rig near, at;
        if (!closes_loops(f)) continue;
        CHECK(open_rig(&near, text, f) == CARDAN_OK && open_rig(&at, exact, f) == CARDAN_OK);
        const double a = first_acceleration(&near), b = first_acceleration(&at);
        if (!(fabs(a - b) <= tolerance_of(f) * fabs(b))) printf("    %s\n", cd_formulation_at(f)->name);
        CHECK(fabs(b) > 1e-3 && fabs(a - b) <= tolerance_of(f) * fabs(b));
        CHECK(near.report.count == 0);
        close_rig(&near);
        close_rig(&at);
    }
}

// No formulation computes accelerations, and all messages name the joints.
static void check_undecidable(const char* text, const char* joints)
{
    CHECK(dof_of(text) == 0);
    for (int f = 0; f < cd_formulation_count(); ++f) {
        rig r;
        if (!closes_loops(f)) continue;
        CHECK(open_rig(&r, text, f) == CARDAN_OK);
        CHECK(r.report.count == 1);
        CHECK_MESSAGE(&r.report.message[0], CARDAN_CODE_UNDECIDABLE_RANK, joints);
        CHECK(isnan(first_acceleration(&r)));
        CHECK(r.report.count == 2);
        CHECK_MESSAGE(&r.report.message[1], CARDAN_CODE_UNDECIDABLE_RANK, joints, "'model'");
        close_rig(&r);
    }
}

// The mechanism does not move; with or without warning.
static void check_immobile(const char* text, int warnings)
{
    CHECK(dof_of(text) == 0);
    for (int f = 0; f < cd_formulation_count(); ++f) {
        rig r;
        if (!closes_loops(f) || cd_formulation_at(f)->properties & CD_APPROXIMATE) continue;
        CHECK(open_rig(&r, text, f) == CARDAN_OK);
        CHECK(r.report.count == warnings);
        CHECK(fabs(first_acceleration(&r)) < 1e-7);
        close_rig(&r);
    }
}

// ---- a four-bar whose joint C is tilted by e, in lengths of `size`

static const char* tilted_with(double e, double size, const char* more)
{
    static char text[2][1200];
    static int  buffer;
    buffer = !buffer;
    snprintf(
        text[buffer], sizeof text[buffer],
        "cardan: 1\ngravity: [0, -9.81, 0]\nparameters: {l: %.17g}\n"
        "points: {A: [0, 0, 0], B: [0, =0.4*l, 0], C: [=l, =0.9*l, 0], D: [=1.2*l, 0, 0]}\n"
        "bodies:\n  crank: {rod: [A, B], mass: 1}\n  coup: {rod: [B, C], mass: 1}\n  rock: {rod: [C, D], mass: 1}\n"
        "joints:\n  A: {revolute: [ground, crank], at: A, axis: z%s}\n  B: {revolute: [crank, coup], at: B, axis: z}\n"
        "  C: {revolute: [coup, rock], at: C, axis: [%.17g, 0, 1]}\n  D: {revolute: [rock, ground], at: D, axis: z}\n",
        size, more, e);
    return text[buffer];
}

static const char* tilted(double e, double size) { return tilted_with(e, size, ""); }

static void test_tilted(double size)
{
    static const double same[] = {1e-15, 2e-14, 1e-12, 1e-10, 1e-9, 3e-9}, grey[] = {1e-8, 3e-8, 1e-7};
    for (int i = 0; i < 6; ++i) check_equal(tilted(same[i], size), tilted(0, size));
    for (int i = 0; i < 3; ++i) check_undecidable(tilted(grey[i], size), "'A', 'B', 'C', 'D'");
}

static void test_rigid(void)
{
    check_immobile(tilted(1e-6, 1), 1);
    check_immobile(tilted(1e-4, 1), 0);
    check_immobile(tilted(1e-3, 1), 0);
}

// ---- Bricard mechanism of six hinges, with a limited number of digits

static const char* bricard(int digits)
{
    static const double place[6][3] = {{0, 0, 0},
                                       {-0.1736481776669303, 0.9848077530122080, 0},
                                       {-0.2101383127306031, 1.1917535925942100, 0.9776716675462859},
                                       {-1.1736481776669303, 0.9848077530122084, 0.8079007641202843},
                                       {-1.2101383127306033, 0, 0.9776716675462858},
                                       {-1, 0, 0}};
    static const double axis[6][3]  = {{0, 0, 1},
                                       {0.9848077530122080, 0.1736481776669303, 0},
                                       {0.1697709034260013, -0.9628186380999563, 0.2101383127306031},
                                       {-0.2069458395820019, 0.1736481776669304, 0.9628186380999563},
                                       {0.9776716675462858, 0, 0.2101383127306030},
                                       {0, -1, 0}};
    static char         text[2][3000];
    static int          buffer;
    char*               at = text[buffer = !buffer];
    at += sprintf(at, "cardan: 1\npoints:\n");
    for (int i = 0; i < 6; ++i)
        at += sprintf(at, "  P%d: [%.*f, %.*f, %.*f]\n", i, digits, place[i][0], digits, place[i][1], digits,
                      place[i][2]);
    at += sprintf(at, "bodies:\n");
    for (int i = 0; i < 5; ++i) at += sprintf(at, "  b%d: {rod: [P%d, P%d], radius: 0.02, mass: 1}\n", i, i, i + 1);
    at += sprintf(at, "joints:\n");
    for (int i = 0; i < 6; ++i) {
        char first[16] = "ground", second[16] = "ground";
        if (i > 0) sprintf(first, "b%d", i - 1);
        if (i < 5) sprintf(second, "b%d", i);
        at += sprintf(at, "  J%d: {revolute: [%s, %s], at: P%d, axis: [%.*f, %.*f, %.*f]}\n", i, first, second, i,
                      digits, axis[i][0], digits, axis[i][1], digits, axis[i][2]);
    }
    return text[buffer];
}

static void test_bricard(void)
{
    for (int digits = 9; digits < 14; ++digits) check_equal(bricard(digits), bricard(16));
    for (int digits = 7; digits < 9; ++digits) check_undecidable(bricard(digits), "'J0', 'J1', 'J2', 'J3', 'J4', 'J5'");
}

// ---- simulations end like that of the exact mechanism

static bool keep_first(void* user, cardan_data* d, const cardan_sample* sample)
{
    double q[64], v[64];
    (void)sample;
    cardan_data_joint_motions(d, NULL, q, v, NULL);
    *(double*)user = q[cardan_data_model(d)->joint_range[0].q];
    return true;
}

static double first_angle(const char* text, int f)
{
    rig                 r;
    cardan_run_summary  summary;
    double              last = NAN;
    cardan_run_settings run  = cardan_run_default();
    run.end                  = 1;
    run.sample_callback      = keep_first;
    run.user                 = &last;
    CHECK(open_rig(&r, text, f) == CARDAN_OK);
    CHECK(cardan_simulate(r.d, &run, &summary, &r.report) == CARDAN_OK);
    close_rig(&r);
    return last;
}

static void test_runs(void)
{
    const double from = first_angle(tilted(0, 1), cardan_formulation_find("augmented"));
    CHECK(fabs(from) > 0.1);
    for (int f = 0; f < cd_formulation_count(); ++f)
        if (closes_loops(f) && !(cd_formulation_at(f)->properties & CD_APPROXIMATE))
            CHECK_NEAR(first_angle(tilted(3e-10, 1), f), from, 1e-5);
}

// A driver moves it as if no joint were tilted.
static void test_driven(void)
{
    const char* text = tilted_with(3e-10, 1, ", driver: =3*t");
    for (int f = 0; f < cd_formulation_count(); ++f) {
        rig                 r;
        cardan_run_summary  summary;
        double              last = NAN;
        cardan_run_settings run  = cardan_run_default();
        if (!closes_loops(f) || cd_formulation_at(f)->properties & CD_APPROXIMATE) continue;
        run.end             = 2;
        run.sample_callback = keep_first;
        run.user            = &last;
        CHECK(open_rig(&r, text, f) == CARDAN_OK && r.d->policy.redundancy_error > 0);
        CHECK(cardan_kinematic_analysis(r.d, &run, &summary, &r.report) == CARDAN_OK);
        CHECK_NEAR(last, 6, 1e-9);
        CHECK(r.report.count == 0);
        close_rig(&r);
    }
}

// ---- no redundancy error

static void expect_none(const char* text)
{
    for (int f = 0; f < cd_formulation_count(); ++f) {
        rig r;
        if (!closes_loops(f)) continue;
        CHECK(open_rig(&r, text, f) == CARDAN_OK);
        CHECK(!(r.d->policy.redundancy_error > 1e-13) && !r.d->settings.undecidable_rank_message &&
              r.report.count == 0);
        close_rig(&r);
    }
}

// A parallelogram 1e-8 and 1e-10 rad before its flat configuration.
static void test_near_singular(void)
{
    for (int i = 0; i < 2; ++i) {
        char text[1200];
        snprintf(text, sizeof text,
                 "cardan: 1\nparameters: {x: %g}\n"
                 "points: {A: [0, 0, 0], B: [=cos(x), =sin(x), 0], C: [=2+cos(x), =sin(x), 0], D: [2, 0, 0]}\n"
                 "bodies: {a: {rod: [A, B], mass: 1}, b: {rod: [B, C], mass: 1}, c: {rod: [C, D], mass: 1}}\n"
                 "joints:\n  A: {revolute: [ground, a], at: A, axis: z}\n  B: {revolute: [a, b], at: B, axis: z}\n"
                 "  C: {revolute: [b, c], at: C, axis: z}\n  D: {revolute: [c, ground], at: D, axis: z}\n",
                 i ? 1e-8 : 1e-10);
        expect_none(text);
    }
}

// Two pins constrain a body of 1 m at any distance of the pins.
static void test_small_lever_arms(void)
{
    for (int i = 0; i < 2; ++i) {
        char text[600];
        snprintf(
            text, sizeof text,
            "cardan: 1\npoints: {A: [0, 0, 0], B: [%g, 0, 0], C: [1, 0, 0]}\n"
            "bodies: {a: {rod: [A, C], mass: 1}}\n"
            "joints:\n  A: {revolute: [ground, a], at: A, axis: z}\n  B: {revolute: [ground, a], at: B, axis: z}\n",
            i ? 1e-6 : 1e-7);
        expect_none(text);
    }
}

// Three rotating bars, upright under gravity: the right sides of the rows are only their redundancy error, at more than
// one state.
static void test_rotating(void)
{
    static const char* const text =
        "cardan: 1\ngravity: [6.31977551, -7.50310186, 0]\nbodies:\n"
        "  top: {rod: [[-0.6442176872, 0.7648421873, 0], [0.7566231499, 2.206245999, 0]], mass: 3, radius: 0.02}\n"
        "  a: {rod: [[0, 0, 0], [-0.6442176872, 0.7648421873, 0]], mass: 1, radius: 0.02}\n"
        "  b: {rod: [[0.7004204186, 0.720701906, 0], [0.05620273132, 1.485544093, 0]], mass: 1, radius: 0.02}\n"
        "  c: {rod: [[1.400840837, 1.441403812, 0], [0.7566231499, 2.206245999, 0]], mass: 1, radius: 0.02}\n"
        "joints:\n"
        "  A: {revolute: [ground, a], at: [0, 0, 0], axis: z, start: {v: 1}}\n"
        "  D: {revolute: [a, top], at: [-0.6442176872, 0.7648421873, 0], axis: z}\n"
        "  B: {revolute: [ground, b], at: [0.7004204186, 0.720701906, 0], axis: z}\n"
        "  E: {revolute: [b, top], at: [0.05620273132, 1.485544093, 0], axis: z}\n"
        "  C: {revolute: [ground, c], at: [1.400840837, 1.441403812, 0], axis: z}\n"
        "  F: {revolute: [c, top], at: [0.7566231499, 2.206245999, 0], axis: z}\n";
    for (int f = 0; f < cd_formulation_count(); ++f) {
        rig r;
        if (!closes_loops(f)) continue;
        CHECK(open_rig(&r, text, f) == CARDAN_OK);
        const double a = first_acceleration(&r);
        if (!(fabs(a) <= 10 * tolerance_of(f))) printf("    %s %g\n", cd_formulation_at(f)->name, a);
        CHECK(fabs(a) <= 10 * tolerance_of(f));
        close_rig(&r);
    }
}

// Data that copy the state report the undecidable rank, too.
static void test_copied_state(void)
{
    static const char* const names[] = {"lagrange", "augmented", "reduction"};
    rig                      r;
    CHECK(open_rig(&r, tilted(3e-8, 1), cardan_formulation_find("dense")) == CARDAN_OK &&
          r.d->settings.undecidable_rank_message);
    for (int i = 0; i < 3; ++i) {
        const int f  = cardan_formulation_find(names[i]);
        rig       to = {.description = r.description};
        CHECK(cardan_model_compile(r.description, cardan_formulation_tree_policy(f), &to.m, NULL) == CARDAN_OK);
        CHECK(to.m && cardan_data_create(to.m, f, &to.d, NULL) == CARDAN_OK);
        if (!to.d) continue;
        CHECK(cardan_data_copy_state(r.d, to.d) == CARDAN_OK && cardan_data_copy_state(r.d, to.d) == CARDAN_OK);
        CHECK(isnan(first_acceleration(&to)));
        CHECK(to.report.count == 1);
        CHECK_MESSAGE(&to.report.message[0], CARDAN_CODE_UNDECIDABLE_RANK, "'A', 'B', 'C', 'D'");
        cardan_data_destroy(to.d);
        cardan_model_destroy(to.m);
    }
    close_rig(&r);
}

int main(void)
{
    yaml_begin();
    RUN(test_tilted(1));
    RUN(test_tilted(1e-2));
    RUN(test_tilted(1e-3));
    RUN(test_tilted(100));
    RUN(test_rigid());
    RUN(test_bricard());
    RUN(test_runs());
    RUN(test_driven());
    RUN(test_near_singular());
    RUN(test_small_lever_arms());
    RUN(test_rotating());
    RUN(test_copied_state());
    yaml_end();
    RUN(test_sentences("test_near_redundancy"));
    return test_end();
}
