// SPDX-License-Identifier: BSD-3-Clause
// Trim: values of tunables for which the start is an equilibrium. Closed forms with as many values as motions, fewer
// and more; a loop; the tunables of the vehicle.
#include "sentences.h"
#include "analysis_models.h"

static const double g = 9.81;

// Model text or file with tunables that are set by name.
typedef struct variant {
    const char*        text;
    const char*        path;
    int                n;
    const char* const* name;
} variant;

static cardan_status create_variant(void* user, const double* value, cardan_description** description,
                                    cardan_report* report)
{
    const variant* v = user;
    char           file[1024];
    snprintf(file, sizeof file, "%s/%s", CARDAN_SOURCE, v->path ? v->path : "");
    const cardan_status status = v->text
                                     ? cardan_description_load_text(v->text, "scene.yaml", NULL, description, report)
                                     : cardan_description_load(file, NULL, description, report);
    for (int i = 0; i < v->n && status == CARDAN_OK; ++i)
        CHECK(cardan_description_set_tunable(*description, v->name[i], value[i]));
    return status;
}

// Horizontal bar on a vertical spring at its end, k (L - L0) = m g/2, and a hinge spring, m g l/2.
static const char bar[] =
    "cardan: 1\n"
    "bodies: {bar: {rod: [[0, 0, 0], [2, 0, 0]], mass: 6}}\n"
    "joints: {hinge: {revolute: [ground, bar], at: [0, 0, 0], axis: y, spring: {stiffness: 500, rest: 0}}}\n"
    "forces: {coil: {spring: [{on: ground, at: [2, 0, 3]}, {on: bar, at: [2, 0, 0]}], stiffness: 1000, length: 2.5}}\n";

static void test_closed_form(void)
{
    static const char* const name[]     = {"coil.length", "coil.preload", "hinge.rest"};
    const double             expected[] = {3 - 0.001 * 6 * g / 2, 6 * g / 2 - 500, 0};
    for (int i = 0; i < 3; ++i) {
        variant       v     = {.text = bar, .n = 1, .name = &name[i]};
        double        value = i == 0 ? 2.5 : 0;
        cardan_trim   b;
        cardan_report report = {0};
        CHECK(cardan_trim_solve(create_variant, &v, cardan_formulation_find("order-n"), 0, 1, &value, &b, &report) ==
              CARDAN_OK);
        // hinge: its torque 500 rest balances (m g - 2 * 500), gravity minus spring, about y; a positive angle lowers
        // the bar
        if (i < 2)
            CHECK_NEAR(value, expected[i], 1e-9);
        else
            CHECK_NEAR(500 * value, -(6 * g * 1 - 500 * 2), 1e-8);
        CHECK(b.rank == 1 && b.residual_after < 1e-10 && b.residual_before > 0.1);
    }
}

// Two values for one motion: equilibrium with rank 1.
static void test_too_many(void)
{
    static const char* const name[]   = {"coil.length", "coil.preload"};
    variant                  v        = {.text = bar, .n = 2, .name = name};
    double                   value[2] = {2.5, 0};
    cardan_trim              b;
    CHECK(cardan_trim_solve(create_variant, &v, cardan_formulation_find("dense"), 0, 2, value, &b, NULL) == CARDAN_OK);
    CHECK(b.rank == 1 && b.residual_after < 1e-10);
    CHECK_NEAR(value[1] + 1000 * (3 - value[0]), 6 * g / 2, 1e-9);
}

// Stiffness and free length of one spring over many decades: equilibrium with the smallest relative change of both
// values (condition of Lagrange), independent of units.
static void test_smallest_change(void)
{
    static const char* const name[] = {"c.stiffness", "c.length"};
    for (double k0 = 1e-3; k0 < 2e9; k0 *= 100) {
        char text[600];
        snprintf(text, sizeof text,
                 "cardan: 1\nbodies: {m: {mass: %.17g, at: [0, 0, 0.3]}}\n"
                 "joints: {s: {prismatic: [ground, m], at: [0, 0, 0.3], axis: z}}\n"
                 "forces: {c: {spring: [{on: ground, at: [0, 0, 0.8]}, m], stiffness: %.17g, length: 0.56}}\n",
                 k0 * 35 / 45000, k0);
        variant     v        = {.text = text, .n = 2, .name = name};
        double      value[2] = {k0, 0.56};
        cardan_trim b;
        CHECK(cardan_trim_solve(create_variant, &v, cardan_formulation_find("order-n"), 0, 2, value, &b, NULL) ==
              CARDAN_OK);
        CHECK(b.rank == 1 && b.residual_after < 1e-10 && b.residual_description[0] == 0);
        CHECK_NEAR(value[0] * (0.5 - value[1]), k0 * 35 / 45000 * g, 1e-9);
        const double a[2] = {value[0] / k0 - 1, value[1] / 0.56 - 1}, n[2] = {(0.5 - value[1]) * k0, -value[0] * 0.56};
        CHECK(fabs(a[0] * n[1] - a[1] * n[0]) < 1e-5 * hypot(a[0], a[1]) * hypot(n[0], n[1]));
        CHECK(fabs(a[0]) < 0.01 && fabs(a[1]) < 0.2);
    }
}

static void test_units(void)
{
    cardan_description* d;
    CHECK(cardan_description_load_text(bar, "bar.yaml", NULL, &d, NULL) == CARDAN_OK);
    CHECK_TEXT(cardan_description_tunable_unit(d, "coil.length"), "m");
    CHECK_TEXT(cardan_description_tunable_unit(d, "coil.stiffness"), "N/m");
    CHECK_TEXT(cardan_description_tunable_unit(d, "hinge.rest"), "rad");
    CHECK_TEXT(cardan_description_tunable_unit(d, "hinge.stiffness"), "N m/rad");
    CHECK(cardan_description_tunable_unit(d, "coil.colour") == NULL);
    cardan_description_destroy(d);
}

// One value for two motions: the remaining residual is minimal and its motion is named; a value without effect: error.
static void test_too_few(void)
{
    static const char pair[] =
        "cardan: 1\n"
        "bodies: {a: {mass: 1}, b: {mass: 3, at: [1, 0, 0]}}\n"
        "joints: {ja: {prismatic: [ground, a], at: [0, 0, 0], axis: z, spring: 100}, jb: {prismatic: [ground, b], at: "
        "[1, 0, 0], axis: z, spring: 100}}\n"
        "forces: {tie: {spring: [{on: a, at: [0, 0, 0]}, {on: b, at: [1, 0, 0]}], stiffness: 50, length: 1}}\n";
    static const char* const name[] = {"ja.rest"};
    variant                  v      = {.text = pair, .n = 1, .name = name};
    double                   value  = 0;
    cardan_trim              b;
    CHECK(cardan_trim_solve(create_variant, &v, cardan_formulation_find("order-n"), 0, 1, &value, &b, NULL) ==
          CARDAN_OK);
    CHECK_NEAR(value, g / 100, 1e-8);
    CHECK(b.residual_after > 0.1 && b.rank == 1);
    CHECK_TEXT(b.residual_description, "'jb'");
    static const char* const none[] = {"tie.length"}; // perpendicular to both motions
    v.name                          = none;
    value                           = 1;
    CHECK(cardan_trim_solve(create_variant, &v, cardan_formulation_find("order-n"), 0, 1, &value, &b, NULL) ==
          CARDAN_NOT_CONVERGED);
    CHECK(b.rank == 0);
    CHECK_NEAR(value, 1, 0);
}

// Loop: free length of the spring for which the design configuration is an equilibrium, in tree and maximal
// coordinates.
static void test_loop(void)
{
    static const char* const name[] = {"coil.length"};
    double                   value[2];
    for (int maximal = 0; maximal < 2; ++maximal) {
        variant     v = {.text = scene_four_bar, .n = 1, .name = name};
        cardan_trim b;
        value[maximal] = 1.2;
        CHECK(cardan_trim_solve(create_variant, &v, cardan_formulation_find(maximal ? "lagrange" : "dense"), 0, 1,
                                &value[maximal], &b, NULL) == CARDAN_OK);
        CHECK(b.residual_after < 1e-10 && b.rank == 1);
    }
    CHECK_NEAR(value[1], value[0], 1e-9);
    scene s;
    if (scene_text(&s, scene_four_bar, "dense", 0, NULL)) { // zero accelerations at the trimmed start
        double a[4];
        CHECK(cardan_description_set_tunable(s.description, "coil.length", value[0]));
        cardan_model_destroy(s.model);
        cardan_data_destroy(s.data);
        s.model = NULL;
        s.data  = NULL;
        if (scene_ready(&s, "dense") && cardan_data_accelerate(s.data, a, NULL, NULL) == CARDAN_OK)
            CHECK_NEAR(a[0], 0, 1e-9);
    }
    scene_close(&s);
}

// Names, values and number of the tunables of the vehicle.
static void test_tunables(void)
{
    scene s;
    char  name[100];
    if (scene_file(&s, "models/hmmwv", "dense")) {
        double value = 0;
        CHECK(cardan_description_get_tunable(s.description, "FL.coil.length", &value));
        CHECK_NEAR(value, 0.339, 1e-12);
        CHECK(cardan_description_get_tunable(s.description, "RR.coil.stiffness", &value));
        CHECK_NEAR(value, 369149, 1e-12);
        CHECK(!cardan_description_get_tunable(s.description, "FL.tyre.length", &value));
        CHECK(cardan_description_tunable_count(s.description) == 8 * 3); // coils and shocks
        CHECK(cardan_description_tunable_name(s.description, 0, name, sizeof name));
        CHECK_TEXT(name, "FL.coil.length");
        CHECK(!cardan_description_tunable_name(s.description, 24, name, sizeof name));
    }
    scene_close(&s);
}

static void test_refused(void)
{
    variant       v        = {.text = "cardan: 1\nbodies: {a: {mass: x}}\n"};
    double        value[1] = {1};
    cardan_report report   = {0};
    CHECK(cardan_trim_solve(create_variant, &v, cardan_formulation_find("dense"), 0, 0, value, NULL, &report) ==
          CARDAN_BAD_USAGE);
    CHECK_CASE(&report, "no value", "1|200");
    cardan_report_clear(&report);
    CHECK(cardan_trim_solve(create_variant, &v, cardan_formulation_find("dense"), 0, 1, value, NULL, &report) ==
          CARDAN_BAD_INPUT);
    CHECK(report.errors > 0);
}

int main(void)
{
    RUN(test_closed_form());
    RUN(test_too_many());
    RUN(test_smallest_change());
    RUN(test_units());
    RUN(test_too_few());
    RUN(test_loop());
    RUN(test_tunables());
    RUN(test_refused());
    RUN(test_sentences("test_trim"));
    return test_end();
}
