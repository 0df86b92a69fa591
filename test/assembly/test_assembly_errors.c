// SPDX-License-Identifier: BSD-3-Clause
// What assembly says where nothing closes: angles, not chords or cosines; all constraints that pull against each other;
// the time; the loop that is to blame; the driver whose law no motion follows.
#include "analysis_models.h"

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

// The sentence at time t.
static void says(const char* text, double t, const char* expected)
{
    scene s    = {0};
    bool  good = cardan_load_text(text, "scene.yaml", NULL, &s.description, &s.report) == CARDAN_OK;
    good = good && cardan_model_compile(s.description, CARDAN_TREE_BREADTH_FIRST, &s.model, &s.report) == CARDAN_OK;
    good = good && cardan_data_create(s.model, cardan_formulation_find("dense"), &s.data, &s.report) == CARDAN_OK;
    CHECK(good);
    if (good) {
        s.m = cardan_model_get_view(s.model);
        cardan_data_set_state(s.data, t, s.m.q_start, s.m.v_start, s.m.state_start);
        CHECK(cardan_assemble(s.data, NULL, NULL, NULL, NULL, &s.report) != CARDAN_OK);
    }
    CHECK(s.report.count > 0);
    if (s.report.count > 0) CHECK_HAS(s.report.message[s.report.count - 1].text, expected);
    scene_close(&s);
}

static void test_angles(void)
{
    says(BARS("  c: {parallel: [a, {on: b, orientation: {axis: x, angle: 1}}]}\n"), 0,
         "constraint 'c' cannot be satisfied by joints 'A', 'B': 1 rad remain");
    says(BARS("  c: {parallel: [a, {on: b, orientation: {axis: x, angle: 3.14159265}}]}\n"), 0, ": 3.14 rad remain");
    says(
        BARS("  c: {lock: [a, ground], x: free, y: free, z: free, rx: =2}\n"), 0,
        "at t = 0 s the driver of 'c' asks for positions that the joints and the other constraints do not allow: 2 rad "
        "remain at constraint 'c'");
}

static void test_both(void)
{
    says(BARS("  c: {coupler: [A, B], factors: [1, -1]}\n  d: {coupler: [A, B], factors: [1, -1], offset: 0.1}\n"), 0,
         "constraint 'c' and constraint 'd' cannot be satisfied together by joints 'A', 'B': 0.05 rad remain at 'c'");
    says(BARS("  c: {distance: [{on: a, at: [1, 0, 0]}, {on: b, at: [1, 1, 0]}], length: 1}\n"
              "  d: {distance: [{on: a, at: [1, 0, 0]}, {on: b, at: [1, 1, 0]}], length: 1.001}\n"),
         0, "constraint 'c' and constraint 'd' cannot be satisfied together by joints 'A', 'B': 0.0005 m remain");
}

static void test_time(void)
{
    const char* const far =
        SHORT("constraints:\n  c: {distance: [{on: b, at: [1, 1, 0]}, {on: ground, at: [5, 0, 0]}], "
              "length: 1}\n",
              "");
    says(far, 0, "constraint 'c' cannot be satisfied by joints 'A', 'B': 2 m remain");
    says(far, 1.5, ": 2 m remain at t = 1.5 s");
    says(SHORT("  C: {revolute: [b, ground], at: [1, 1, 0], axis: z}\n", ", start: {v: 1}"), 0.5,
         "joint 'A' cannot have its exact start velocity: ");
    says(SHORT("  C: {revolute: [b, ground], at: [1, 1, 0], axis: z}\n", ", start: {v: 1}"), 0.5,
         " at t = 0.5 s; correct it");
}

// The loop that was drawn open is to blame, not the one that the least gap shows widest open, whatever the start is.
static void test_blame(void)
{
    const char* const rigid =
        "nothing of 'bars' can move: as drawn joint 'F' is open by 0.05 m, and in the pose that "
        "closes it at t = 0 s no degree of freedom is left; correct the lengths and places in the "
        "loop of joints 'A', 'D', 'F', 'C'";
    const char* const open =
        "the loop of joints 'A', 'D', 'F', 'C' could not be closed: a gap of 0.05 m remains at 'F' "
        "at t = 0 s where all others are closed";
    says(BAR("1.05", ""), 0, rigid);
    says(BAR("1.05", ", start: {v: 1}"), 0, rigid);
    says(BAR("1.05", ", start: {v: 1, guess: true}"), 0, rigid);
    says(BAR("1.05", ", driver: =t"), 0, open);
    says(BAR("1.05", ", driver: =0.4 + t"), 0, open);
    says(BAR("1.05", ", start: {q: 0.3}"), 0, open);
}

// A truss with a rough drawing was not meant to move: no error.
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
        CHECK(cardan_assemble(s.data, NULL, NULL, NULL, NULL, &s.report) == CARDAN_OK);
        CHECK(s.report.count > 0);
        if (s.report.count > 0) CHECK_HAS(s.report.message[0].text, "warning: nothing of 'truss' can move");
    }
    scene_close(&s);
}

// A law that leaves its start faster than numbers reach.
static void test_driver(void)
{
    scene      s;
    cardan_run run = cardan_run_default();
    if (scene_text(&s, BARS("  c: {driver: A, law: =1e300*t^2}\n"), "dense", 0, NULL)) {
        cardan_summary summary;
        CHECK(cardan_simulate(s.data, &run, &summary, &s.report) != CARDAN_OK);
        CHECK_HAS(s.report.message[s.report.count - 1].text, "constraint 'c' cannot be followed beyond t = 0 s");
    }
    scene_close(&s);
}

int main(void)
{
    RUN(test_angles());
    RUN(test_both());
    RUN(test_time());
    RUN(test_blame());
    RUN(test_truss());
    RUN(test_driver());
    return test_end();
}
