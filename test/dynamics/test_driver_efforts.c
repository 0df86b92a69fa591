// SPDX-License-Identifier: BSD-3-Clause
// Efforts of drivers: those of redundant drivers balance the reactions, are equal for all formulations, and are
// reported as not unique; inconsistent accelerations of drivers are an error that names the drivers.
#include "analysis_models.h"
#include "sentences.h"

static const char* const formulations[] = {"dense",   "lagrange",  "augmented", "augmented-last",
                                           "order-n", "reduction", "embedding"};
enum { FORMULATIONS = sizeof formulations / sizeof *formulations };

#define FOUR_BAR(a, d)                                                                                                 \
    "cardan: 1\n"                                                                                                      \
    "name: four bar\n"                                                                                                 \
    "gravity: [0, -9.81, 0]\n"                                                                                         \
    "points: {A: [0, 0, 0], B: [0.3, 0.4, 0], C: [1.5, 1.2, 0], D: [1.4, 0, 0]}\n"                                     \
    "bodies:\n"                                                                                                        \
    "  crank:   {rod: [A, B], mass: 1}\n"                                                                              \
    "  coupler: {rod: [B, C], mass: 2}\n"                                                                              \
    "  rocker:  {rod: [C, D], mass: 1.5}\n"                                                                            \
    "joints:\n"                                                                                                        \
    "  a: {revolute: [ground, crank], at: A, axis: z" a "}\n"                                                          \
    "  b: {revolute: [crank, coupler], at: B, axis: z}\n"                                                              \
    "  c: {revolute: [coupler, rocker], at: C, axis: z}\n"                                                             \
    "  d: {revolute: [ground, rocker], at: D, axis: z" d "}\n"

typedef struct efforts {
    double          effort[4];
    bool            unique[4];
    cardan_reaction reaction[4];
} efforts;

// At standstill, fixed by the drivers.
static bool solve(const char* text, const char* formulation, efforts* x)
{
    scene      s;
    double     a[64] = {0};
    const bool good =
        scene_text(&s, text, formulation, 0, NULL) && cardan_data_accelerate(s.data, a, NULL, &s.report) == CARDAN_OK;
    if (!good) scene_tell(&s);
    CHECK(good);
    if (good) {
        cardan_data_driver_efforts(s.data, a, x->effort, x->unique);
        CHECK(cardan_data_reactions(s.data, a, x->reaction) == CARDAN_OK);
    }
    scene_close(&s);
    return good;
}

// Moments of crank and rocker about their pivots, by the forces of the coupler at (0.3, 0.4) and (1.5, 1.2).
static void test_balance(void)
{
    const double g     = 9.81;
    efforts      first = {0};
    for (int f = 0; f < FORMULATIONS; ++f) {
        efforts x;
        if (!solve(FOUR_BAR(", driver: =0", ", driver: =0*t"), formulations[f], &x)) continue;
        const double *b = x.reaction[1].force, *c = x.reaction[2].force; // on the coupler, on the rocker
        CHECK_NEAR(x.effort[0], 0.3 * b[1] - 0.4 * b[0] + 0.15 * g, 1e-9);
        CHECK_NEAR(x.effort[1], -(0.1 * c[1] - 1.2 * c[0]) + 0.05 * 1.5 * g, 1e-9);
        CHECK(!x.unique[0] && !x.unique[1]);
        if (f == 0) first = x;
        for (int i = 0; i < 2; ++i) CHECK_NEAR(x.effort[i], first.effort[i], 1e-9);
        for (int i = 0; i < 2; ++i) CHECK_NEAR(b[i], first.reaction[1].force[i], 1e-9);
    }
}

// One driver: its effort is unique, by virtual work of the weights.
static void test_one_driver(void)
{
    double both = 0;
    for (int f = 0; f < FORMULATIONS; ++f) {
        efforts x;
        if (!solve(FOUR_BAR(", driver: =0", ""), formulations[f], &x)) continue;
        CHECK(x.unique[0]);
        CHECK(!x.reaction[0].unique); // perpendicular to the plane
        if (f == 0) both = x.effort[0];
        CHECK_NEAR(x.effort[0], both, 1e-9);
    }
    // at a unit rate of the crank, coupler and rocker rotate at w and wr: -0.4 - 0.8 w = -1.2 wr, 0.3 + 1.2 w = 0.1 wr
    const double wr = 0.3 / 1.7, w = (0.1 * wr - 0.3) / 1.2;
    CHECK_NEAR(-0.4 - 0.8 * w, -1.2 * wr, 1e-12);
    CHECK_NEAR(both, 9.81 * (1 * 0.15 + 2 * (0.3 + 0.6 * w) + 1.5 * 0.05 * wr), 1e-9);
}

// Two drivers of one joint have equal efforts.
static void test_two_drivers_of_one_joint(void)
{
    for (int f = 0; f < FORMULATIONS; ++f) {
        efforts x;
        if (!solve("cardan: 1\nname: twice\nbodies:\n  p: {rod: [[0, 0, 0], [1, 0, 0]], mass: 1}\njoints:\n"
                   "  h: {revolute: [ground, p], at: [0, 0, 0], axis: y, driver: =0}\nconstraints:\n  second: {driver: "
                   "h, law: =0*t}\n",
                   formulations[f], &x))
            continue;
        for (int i = 0; i < 2; ++i) CHECK_NEAR(x.effort[i], -9.81 / 4, 1e-9);
        CHECK(!x.unique[0] && !x.unique[1]);
    }
}

static void test_contradiction(void)
{
    for (int f = 0; f < FORMULATIONS; ++f) {
        scene  s;
        double a[64];
        if (scene_text(&s, FOUR_BAR(", driver: =0.5*t^2", ", driver: =0.5*t^2"), formulations[f], 0, NULL)) {
            CHECK(cardan_data_accelerate(s.data, a, NULL, &s.report) == CARDAN_INCONSISTENT);
            CHECK_MESSAGE(&s.report.message[s.report.count - 1], CARDAN_CODE_DRIVER_INCONSISTENT, "t = 0 s",
                          "driver of 'a'", "driver of 'd'");
        }
        scene_close(&s);
    }
}

#define SLOW(gravity, a, d)                                                                                            \
    "cardan: 1\n"                                                                                                      \
    "name: slow\n"                                                                                                     \
    "gravity: [0, " gravity ", 0]\n"                                                                                   \
    "points: {A: [0, 0, 0], B: [0, 1, 0], C: [2, 1.5, 0], D: [2, 0, 0]}\n"                                             \
    "bodies:\n"                                                                                                        \
    "  ab: {rod: [A, B], mass: 1}\n"                                                                                   \
    "  bc: {rod: [B, C], mass: 1}\n"                                                                                   \
    "  cd: {rod: [C, D], mass: 1}\n"                                                                                   \
    "joints:\n"                                                                                                        \
    "  a: {revolute: [ground, ab], at: A, axis: z, driver: " a "}\n"                                                   \
    "  b: {revolute: [ab, bc], at: B, axis: z}\n"                                                                      \
    "  c: {revolute: [bc, cd], at: C, axis: z}\n"                                                                      \
    "  d: {revolute: [ground, cd], at: D, axis: z, driver: " d "}\n"

// Assembly and accelerations; residual of the equations.
static cardan_status accelerations_of(scene* s, const char* text, const char* formulation, double* residual)
{
    const int     index  = cardan_formulation_find(formulation);
    double        a[64]  = {0};
    cardan_status status = CARDAN_OK;
    *s                   = (scene){0};
    CHECK(cardan_description_load_text(text, "scene.yaml", NULL, &s->description, &s->report) == CARDAN_OK);
    CHECK(cardan_model_compile(s->description, cardan_formulation_tree_policy(index), &s->model, &s->report) ==
          CARDAN_OK);
    CHECK(cardan_data_create(s->model, index, &s->data, &s->report) == CARDAN_OK);
    status = cardan_data_assemble(s->data, NULL, NULL, NULL, NULL, &s->report);
    if (status == CARDAN_OK) status = cardan_data_accelerate(s->data, a, NULL, &s->report);
    if (status == CARDAN_OK && residual) *residual = cardan_data_residual_norm(s->data, a);
    return status;
}

// Slow driver functions: inconsistent accelerations and velocities are errors, with and without gravity. Standstill
// under gravity is no error, nor are driver functions that are consistent up to the rounding of their formulas (w_a :
// w_d = 1.5 : 1 where both cranks are upright).
static void test_slow_drivers(void)
{
    static const char* const accelerations[2] = {"driver of 'a'", "driver of 'd'"};
    static const char* const velocities[2]    = {"drivers of 'a', 'd'", " m/s"};
    const struct {
        const char*        text;
        const char* const* expected; // texts of the message
    } refused[]                     = {{SLOW("0", "=1e-6*t^2", "=-1e-6*t^2"), accelerations},
                                       {SLOW("0", "=1e-12*t^2", "=-1e-12*t^2"), accelerations},
                                       {SLOW("-9.81", "=1e-6*t^2", "=-1e-6*t^2"), accelerations},
                                       {SLOW("0", "=1e-9*t", "=-1e-9*t"), velocities},
                                       {SLOW("0", "=1e-13*t", "=-1e-13*t"), velocities}};
    static const char* const fine[] = {SLOW("-9.81", "=0", "=0*t"), SLOW("0", "=1.5e-9*t^2", "=1e-9*t^2"),
                                       SLOW("-9.81", "=1.5e-9*t^2", "=1e-9*t^2"),
                                       SLOW("-9.81", "=0.3*(cos(4*t)-1)", "=0.2*(sin(4*t+pi/2)-1)")};
    for (int f = 0; f < FORMULATIONS; ++f) {
        for (size_t i = 0; i < sizeof refused / sizeof *refused; ++i) {
            scene s;
            CHECK(accelerations_of(&s, refused[i].text, formulations[f], NULL) == CARDAN_INCONSISTENT);
            if (s.report.count > 0)
                CHECK_MESSAGE(&s.report.message[s.report.count - 1], CARDAN_CODE_DRIVER_INCONSISTENT,
                              refused[i].expected[0], refused[i].expected[1]);
            scene_close(&s);
        }
        for (size_t i = 0; i < sizeof fine / sizeof *fine; ++i) {
            scene      s;
            double     residual;
            const bool good = accelerations_of(&s, fine[i], formulations[f], &residual) == CARDAN_OK;
            CHECK(good);
            if (good) CHECK(residual < 1e-12);
            if (!good) scene_tell(&s);
            scene_close(&s);
        }
    }
}

int main(void)
{
    RUN(test_balance());
    RUN(test_one_driver());
    RUN(test_two_drivers_of_one_joint());
    RUN(test_contradiction());
    RUN(test_slow_drivers());
    RUN(test_sentences("test_driver_efforts"));
    return test_end();
}
