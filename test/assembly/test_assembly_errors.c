// SPDX-License-Identifier: BSD-3-Clause
// Messages of failed assembly: violations as angles, all constraints that take part in a conflict, the time, the loop
// that cannot be closed, and the driver that cannot be satisfied.
#include "analysis_models.h"
#include "sentences.h"

#define BARS(c)                                                                                                        \
    "cardan: 1\nname: bars\nbodies:\n"                                                                                 \
    "  a: {rod: [[0, 0, 0], [1, 0, 0]], mass: 1, radius: 0.05}\n"                                                      \
    "  b: {rod: [[0, 1, 0], [1, 1, 0]], mass: 1, radius: 0.05}\n"                                                      \
    "joints:\n  A: {revolute: [ground, a], at: [0, 0, 0], axis: z}\n"                                                  \
    "  B: {revolute: [ground, b], at: [0, 1, 0], axis: z}\nconstraints:\n" c

#define SHORT(c, v)                                                                                                    \
    "cardan: 1\nname: short\nbodies:\n  a: {rod: [[0, 0, 0], [1, 0, 0]], mass: 1}\n"                                   \
    "  b: {rod: [[1, 0, 0], [1, 1, 0]], mass: 1}\njoints:\n"                                                           \
    "  A: {revolute: [ground, a], at: [0, 0, 0], axis: z" v "}\n  B: {revolute: [a, b], at: [1, 0, 0], axis: z}\n" c

// Three bars of a parallelogram, the last of another length.
#define BAR(length, start)                                                                                             \
    "cardan: 1\nname: bars\nbodies:\n  a: {rod: [[0, 0, 0], [0, 1, 0]], mass: 1}\n"                                    \
    "  b: {rod: [[1, 0, 0], [1, 1, 0]], mass: 1}\n  c: {rod: [[2, 0, 0], [2, " length ", 0]], mass: 1}\n"              \
    "  top: {rod: [[0, 1, 0], [2, 1, 0]], mass: 1}\njoints:\n"                                                         \
    "  A: {revolute: [ground, a], at: [0, 0, 0], axis: z" start "}\n"                                                  \
    "  B: {revolute: [ground, b], at: [1, 0, 0], axis: z}\n  C: {revolute: [ground, c], at: [2, 0, 0], axis: z}\n"     \
    "  D: {revolute: [a, top], at: [0, 1, 0], axis: z}\n  E: {revolute: [b, top], at: [1, 1, 0], axis: z}\n"           \
    "  F: {revolute: [top, c], at: [2, 1, 0], at_second: [0, =" length "/2, 0], axis: z}\n"

enum { TEXTS = 8 }; // texts that one message is checked for, at most

// Assembly at time t fails; its last message has the code and the texts, of which the last is NULL.
static void fails(const char* text, double t, cardan_code code, const char* const expected[TEXTS])
{
    scene s    = {0};
    bool  good = cardan_description_load_text(text, "scene.yaml", NULL, &s.description, &s.report) == CARDAN_OK;
    good = good && cardan_model_compile(s.description, CARDAN_TREE_BREADTH_FIRST, &s.model, &s.report) == CARDAN_OK;
    good = good && cardan_data_create(s.model, cardan_formulation_find("dense"), &s.data, &s.report) == CARDAN_OK;
    CHECK(good);
    if (good) {
        s.m = cardan_model_get_view(s.model);
        cardan_data_set_state(s.data, t, s.m.q_start, s.m.v_start, s.m.state_start);
        CHECK(cardan_data_assemble(s.data, NULL, NULL, NULL, NULL, &s.report) != CARDAN_OK);
    }
    CHECK(s.report.count > 0);
    if (s.report.count > 0) message_check(__FILE__, __LINE__, &s.report.message[s.report.count - 1], code, expected);
    scene_close(&s);
}

#define FAILS(text, t, code, ...) fails((text), (t), (code), (const char* const[TEXTS]){__VA_ARGS__})

static void test_angles(void)
{
    FAILS(BARS("  c: {parallel: [a, {on: b, orientation: {axis: x, angle: 1}}]}\n"), 0,
          CARDAN_CODE_INCONSISTENT_CONSTRAINTS, "constraint 'c'", "joints 'A', 'B'", " 1 rad");
    FAILS(BARS("  c: {parallel: [a, {on: b, orientation: {axis: x, angle: 3.14159265}}]}\n"), 0,
          CARDAN_CODE_INCONSISTENT_CONSTRAINTS, "constraint 'c'", " 3.14 rad");
    FAILS(BARS("  c: {lock: [a, ground], x: free, y: free, z: free, rx: =2}\n"), 0, CARDAN_CODE_DRIVER_INCONSISTENT,
          "driver of 'c'", "t = 0 s", " 2 rad", "constraint 'c'");
}

static void test_conflict(void)
{
    FAILS(BARS("  c: {coupler: [A, B], factors: [1, -1]}\n  d: {coupler: [A, B], factors: [1, -1], offset: 0.1}\n"), 0,
          CARDAN_CODE_INCONSISTENT_CONSTRAINTS, "constraint 'c'", "constraint 'd'", "joints 'A', 'B'", " 0.05 rad");
    FAILS(BARS("  c: {distance: [{on: a, at: [1, 0, 0]}, {on: b, at: [1, 1, 0]}], length: 1}\n"
               "  d: {distance: [{on: a, at: [1, 0, 0]}, {on: b, at: [1, 1, 0]}], length: 1.001}\n"),
          0, CARDAN_CODE_INCONSISTENT_CONSTRAINTS, "constraint 'c'", "constraint 'd'", "joints 'A', 'B'", " 0.0005 m");
}

static void test_time(void)
{
    const char* const far =
        SHORT("constraints:\n  c: {distance: [{on: b, at: [1, 1, 0]}, {on: ground, at: [5, 0, 0]}], "
              "length: 1}\n",
              "");
    FAILS(far, 0, CARDAN_CODE_INCONSISTENT_CONSTRAINTS, "constraint 'c'", "joints 'A', 'B'", " 2 m");
    FAILS(far, 1.5, CARDAN_CODE_INCONSISTENT_CONSTRAINTS, " 2 m", "t = 1.5 s");
    FAILS(SHORT("  C: {revolute: [b, ground], at: [1, 1, 0], axis: z}\n", ", start: {v: 1}"), 0.5,
          CARDAN_CODE_START_INCONSISTENT, "joint 'A'", " 1 m/s", "t = 0.5 s");
}

// The loop with a violation in the design configuration is reported, not the one with the largest violation of the
// least-squares solution, for all start values.
static void test_attribution(void)
{
    static const char* const loop[TEXTS]    = {"joints 'A', 'D', 'F', 'C'", "0.05 m", "t = 0 s"};
    static const char* const rigid[]        = {BAR("1.05", ""), BAR("1.05", ", start: {v: 1}"),
                                               BAR("1.05", ", start: {v: 1, guess: true}")};
    static const char* const not_closable[] = {BAR("1.05", ", driver: =t"), BAR("1.05", ", driver: =0.4 + t"),
                                               BAR("1.05", ", start: {q: 0.3}")};
    for (int i = 0; i < 3; ++i) {
        fails(rigid[i], 0, CARDAN_CODE_START_INCONSISTENT, loop);
        FAILS(rigid[i], 0, CARDAN_CODE_START_INCONSISTENT, "'bars'", "joint 'F'");
        fails(not_closable[i], 0, CARDAN_CODE_ASSEMBLY_FAILED, loop);
        FAILS(not_closable[i], 0, CARDAN_CODE_ASSEMBLY_FAILED, "at 'F'");
    }
}

// A truss with an inaccurate description is not meant to move: a warning, no error.
static void test_truss(void)
{
    scene s;
    if (scene_text(&s,
                   "cardan: 1\nname: truss\nbodies: {a: {rod: [[0, 0, 0], [0.5, 0, 1]], mass: 1},\n"
                   "         b: {rod: [[1, 0, 0], [0.5, 0, 1]], mass: 1}}\njoints:\n"
                   "  A: {revolute: [ground, a], at: [0, 0, 0], axis: y}\n"
                   "  B: {revolute: [ground, b], at: [1, 0, 0], axis: y}\n"
                   "  C: {revolute: [a, b], at: [0.5, 0, 1], at_second: [0, 0, 0.57], axis: y}\n",
                   "dense", 0, NULL)) {
        CHECK(cardan_data_assemble(s.data, NULL, NULL, NULL, NULL, &s.report) == CARDAN_OK);
        CHECK(s.report.count > 0);
        if (s.report.count > 0)
            CHECK_MESSAGE(&s.report.message[0], CARDAN_CODE_START_INCONSISTENT, "warning: ", "'truss'", "joint 'C'",
                          "0.26 m", "'A', 'C', 'B'");
    }
    scene_close(&s);
}

// A driver function that exceeds the range of numbers at once.
static void test_driver(void)
{
    scene               s;
    cardan_run_settings run = cardan_run_default();
    if (scene_text(&s, BARS("  c: {driver: A, law: =1e300*t^2}\n"), "dense", 0, NULL)) {
        cardan_run_summary summary;
        CHECK(cardan_simulate(s.data, &run, &summary, &s.report) != CARDAN_OK);
        CHECK_MESSAGE(&s.report.message[s.report.count - 1], CARDAN_CODE_DRIVER_LIMIT, "constraint 'c'", "t = 0 s",
                      "'bars'");
    }
    scene_close(&s);
}

int main(void)
{
    RUN(test_angles());
    RUN(test_conflict());
    RUN(test_time());
    RUN(test_attribution());
    RUN(test_truss());
    RUN(test_driver());
    RUN(test_sentences("test_assembly_errors"));
    return test_end();
}
