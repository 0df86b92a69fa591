// SPDX-License-Identifier: BSD-3-Clause
// Chattering on synthetic sequences of states: how often the side of a switching function changes in a window of 400
// steps, and how far the window advances in time. The run lasts 10 s: 8e-4 s and 4e-7 s are the limits of a window.
#include "prepared_run.h"

#include "simulation/monitors/chattering_monitor.h"

enum { WINDOW = 400 };

// Of the run, if it has discontinuous formulas.
static cd_chattering_monitor* run_chattering(const prepared_run* r) { return run_monitor(r, &cd_monitor_chattering); }

static bool open_slide(prepared_run* r, const char* effort)
{
    char text[1024];
    snprintf(text, sizeof text,
             "cardan: 1\nname: slide\ngravity: [0, 0, 0]\n"
             "bodies: {mass: {mass: 1, at: [0, 0, 0]}}\n"
             "joints: {slide: {prismatic: [ground, mass], at: [0, 0, 0], axis: x}}\n"
             "forces: {brake: {actuator: slide, effort: \"=%s\"}}\n",
             effort);
    return run_prepare(r, describe_text(text), "cholesky", "dopri5", 10);
}

// End a step at t with this coordinate and velocity.
static cardan_status end_step(prepared_run* r, bool adaptive, double t, double q, double v)
{
    CHECK(cardan_data_set_state(r->data, t, &q, &v, NULL) == CARDAN_OK);
    return cd_chattering_monitor_check(run_chattering(r), run_system(r), adaptive, t, &r->report);
}

static bool is_chattering(prepared_run* r) { return run_chattering(r)->function[0].chattering; }

static void test_functions(void)
{
    static const struct {
        const char* effort;
        int         count;
    } reference[] = {{"-sign(v(slide))", 1},  {"if(q(slide) > 0.3, 1, 0) - sign(v(slide))", 2},
                     {"floor(q(slide))", 1},  {"if(t > 1, 1, 0)", 0},
                     {"mod(q(slide), 1)", 0}, {"abs(v(slide))", 0}};
    for (size_t i = 0; i < sizeof reference / sizeof *reference; ++i) {
        prepared_run r;
        if (open_slide(&r, reference[i].effort)) {
            cd_chattering_monitor* c = run_chattering(&r);
            CHECK(c ? c->count == reference[i].count : reference[i].count == 0);
            CHECK(reference[i].count > 0 || !c || end_step(&r, true, 0, 0, 0) == CARDAN_OK);
        }
        run_close(&r);
    }
}

// A velocity with `changes` changes of side in a window of fixed steps.
static void check_changes(int changes, bool chatters)
{
    prepared_run r;
    if (open_slide(&r, "-sign(v(slide))")) {
        double v = 0.1;
        for (int i = 0; i < 2 * WINDOW; ++i) {
            if (i >= WINDOW && i < WINDOW + changes) v = -v;
            CHECK(end_step(&r, false, 1 + 1e-3 * i, 0, v) == CARDAN_OK);
            CHECK(i == 2 * WINDOW - 1 || !is_chattering(&r));
        }
        CHECK(is_chattering(&r) == chatters);
        cd_warn_chattering(run_chattering(&r), run_system(&r), &r.report);
        CHECK(messages_with(&r.report, CARDAN_CODE_CHATTERING) == chatters);
        if (chatters) {
            CHECK_NEAR(run_chattering(&r)->function[0].chattering_since, 1 + 1e-3 * (WINDOW - 1), 1e-12);
            CHECK(strstr(r.report.message[0].text, "'brake'") && strstr(r.report.message[0].text, "sign("));
        }
    }
    run_close(&r);
}

static void test_changes(void)
{
    check_changes(0, false);
    check_changes(99, false);
    check_changes(100, true);
    check_changes(400, true);
}

// Index of the step that fails, in two windows of steps of length h with the velocities v(i), or -1.
static int failing_step(const char* effort, double h, double (*q)(int i), double (*v)(int i))
{
    prepared_run r;
    int          found = -1;
    if (open_slide(&r, effort))
        for (int i = 0; i < 2 * WINDOW && found < 0; ++i) {
            const cardan_status status = end_step(&r, true, 2 + h * i, q(i), v(i));
            CHECK(status == CARDAN_OK || status == CARDAN_STEP_TOO_SMALL);
            CHECK(messages_with(&r.report, CARDAN_CODE_CHATTERING) == (status != CARDAN_OK));
            if (status) found = i;
        }
    run_close(&r);
    return found;
}

static double zero(int i) { return (void)i, 0; }
static double alternating(int i) { return i % 2 ? -1e-6 : 1e-6; }
static double seldom(int i) { return i / 10 % 2 ? -1e-6 : 1e-6; } // 40 changes in a window
static double stopping(int i) { return i == 0 ? 1 : 0.9e-3; }     // near v = 0, on one side
static double not_stopping(int i) { return i == 0 ? 1 : 1.1e-3; } // not near
static double before_two(int i) { return i == 0 ? 1.5 : 1.9996; } // near the integer 2: 0.0004 of 0.5

static void test_stalled(void)
{
    const char* const friction = "-sign(v(slide))";
    CHECK(failing_step(friction, 1.9e-6, zero, alternating) == WINDOW - 1); // 7.6e-4 s
    CHECK(failing_step(friction, 2.1e-6, zero, alternating) == -1);         // 8.4e-4 s: it advances
    CHECK(failing_step(friction, 1.9e-6, zero, seldom) == -1);
    CHECK(failing_step(friction, 0.9e-9, zero, stopping) == WINDOW - 1); // 3.6e-7 s, without a change of side
    CHECK(failing_step(friction, 1.1e-9, zero, stopping) == -1);
    CHECK(failing_step(friction, 0.9e-9, zero, not_stopping) == -1);
    CHECK(failing_step("floor(q(slide))", 0.9e-9, before_two, zero) == WINDOW - 1);
    CHECK(failing_step("floor(q(slide) + 0.25)", 0.9e-9, before_two, zero) == -1);
}

// A note where a run failed, only near a discontinuity.
static void test_note(void)
{
    prepared_run r;
    if (open_slide(&r, "-sign(v(slide))")) {
        end_step(&r, true, 0, 0, 1);
        cd_note_chattering(run_chattering(&r), run_system(&r), &r.report);
        CHECK(r.report.count == 0);
        end_step(&r, true, 0.1, 0, 1e-5);
        cd_note_chattering(run_chattering(&r), run_system(&r), &r.report);
        CHECK(r.report.count == 1 && r.report.message[0].severity == CARDAN_NOTE &&
              r.report.message[0].code == CARDAN_CODE_CHATTERING);
    }
    run_close(&r);
}

int main(void)
{
    RUN(test_functions());
    RUN(test_changes());
    RUN(test_stalled());
    RUN(test_note());
    return test_end();
}
