// SPDX-License-Identifier: BSD-3-Clause
// Table of monitors: which ones apply to a run, and the precedence of their verdicts, with monitors that return given
// ones.
#include "prepared_run.h"

// ---- monitors that apply

static const char* const names[] = {
#define CD_MONITOR(name) #name,
#include "simulation/monitors/monitors.def"
#undef CD_MONITOR
};

static const cd_monitor* const table[] = {
#define CD_MONITOR(name) &cd_monitor_##name,
#include "simulation/monitors/monitors.def"
#undef CD_MONITOR
};

enum { MONITORS = sizeof table / sizeof *table };

// The monitors of a run are exactly those in the list, with spaces between names and at both ends.
static void check_applying(const char* text, const char* formulation, const char* integrator, const char* list)
{
    prepared_run r;
    if (run_prepare(&r, describe_text(text), formulation, integrator, 1))
        for (int i = 0; i < MONITORS; ++i) {
            char name[64];
            snprintf(name, sizeof name, " %s ", names[i]);
            const bool applies = run_monitor(&r, table[i]) != NULL;
            if (applies != (strstr(list, name) != NULL)) printf("monitor%s\n", name);
            CHECK(applies == (strstr(list, name) != NULL));
        }
    run_close(&r);
}

#define PENDULUM(force)                                                                                                \
    "cardan: 1\nname: pendulum\nbodies: {b: {mass: 1, inertia: [1, 1, 1], at: [0, 0, 0]}}\n"                           \
    "joints: {j: {revolute: [ground, b], at: [0, 0, 1], axis: x}}\n" force

static const char* const four_bar = "cardan: 1\nname: four bar\n"
                                    "bodies:\n"
                                    "  a: {rod: [[0, 0, 0], [0, 1, 0]], mass: 1}\n"
                                    "  b: {rod: [[0, 1, 0], [2, 2, 0]], mass: 1}\n"
                                    "  c: {rod: [[2, 0, 0], [2, 2, 0]], mass: 1}\n"
                                    "joints:\n"
                                    "  A: {revolute: [ground, a], at: [0, 0, 0], axis: z}\n"
                                    "  B: {revolute: [a, b], at: [0, 1, 0], axis: z}\n"
                                    "  C: {revolute: [b, c], at: [2, 2, 0], axis: z}\n"
                                    "  D: {revolute: [ground, c], at: [2, 0, 0], axis: z}\n";

static const char* const disc =
    "cardan: 1\nname: disc\nbodies: {d: {mass: 1, inertia: [0.2, 0.1, 0.1], at: [0, 0, 0.5]}}\n"
    "markers: {hub: {on: d, relative: d, orientation: {axis: y, angle: =pi/2}}}\n"
    "joints: {f: {free: [ground, d]}}\n"
    "constraints: {floor: {rolling: [hub, ground], radius: 0.5}}\n";

static void test_applying(void)
{
    check_applying(PENDULUM(""), "cholesky", "dopri5", " energy stiffness ");
    check_applying(PENDULUM("forces: {f: {actuator: j, effort: \"=-sign(v(j))\"}}\n"), "cholesky", "dopri5",
                   " energy stiffness chattering ");
    check_applying(four_bar, "reduction", "dopri5", " energy stiffness winding singularity ");
    check_applying(four_bar, "lagrange", "semi-implicit-euler", " energy winding singularity violation_growth ");
    check_applying(disc, "dense", "dopri5", " energy stiffness singularity direction ");
}

// ---- verdicts

// A monitor of the test: its verdict, step limit, and whether it accepts a state and explains a failure.
typedef struct fake_work {
    cd_verdict verdict;
    double     limit;
    bool       is_valid, explains;
    int        checked;
} fake_work;

static bool       always(const cd_simulation* s) { return s != NULL; }
static double     limit_of(const cd_simulation* s, const void* w) { return (void)s, ((const fake_work*)w)->limit; }
static cd_verdict verdict_of(cd_simulation* s, void* w)
{
    return (void)s, ++((fake_work*)w)->checked, ((fake_work*)w)->verdict;
}
static bool is_valid(cd_simulation* s, void* w, const cd_ode_state* x)
{
    return (void)s, (void)x, ((fake_work*)w)->is_valid;
}
static bool explains(cd_simulation* s, void* w, cd_explanation kind, cardan_status status)
{
    (void)s, (void)kind, (void)status;
    ++((fake_work*)w)->checked;
    return ((fake_work*)w)->explains;
}

static const cd_monitor fake = {.applies    = always,
                                .step_limit = limit_of,
                                .check      = {[CD_PHASE_STABILIZED] = verdict_of},
                                .is_valid   = is_valid,
                                .explain    = explains};

// Three fake monitors, and one without functions between them.
static void activate(cd_simulation* s, fake_work work[3])
{
    static const cd_monitor silent = {.applies = always};
    s->monitors                    = (cd_active_monitors){.count = 4, .monitor = {&fake, &silent, &fake, &fake}};
    s->monitors.work[0]            = &work[0];
    s->monitors.work[2]            = &work[1];
    s->monitors.work[3]            = &work[2];
}

static void check_verdicts(cd_verdict a, cd_verdict b, cd_verdict c, cd_verdict expected, int asked)
{
    fake_work     work[3] = {{.verdict = a}, {.verdict = b}, {.verdict = c}};
    cd_simulation s       = {0};
    activate(&s, work);
    CHECK(cd_monitors_check(&s, CD_PHASE_STABILIZED) == expected);
    CHECK(work[0].checked + work[1].checked + work[2].checked == asked);
    CHECK(cd_monitors_check(&s, CD_PHASE_TAKEN) == CD_VERDICT_CONTINUE); // none checks in this phase
}

// The first verdict that refuses the step holds; "fall back" holds if none refuses it.
static void test_verdicts(void)
{
    const cd_verdict go = CD_VERDICT_CONTINUE, fall_back = CD_VERDICT_FALL_BACK, shorten = CD_VERDICT_SHORTEN,
                     restart = CD_VERDICT_RESTART, end = CD_VERDICT_END, abort_run = CD_VERDICT_ABORT;
    check_verdicts(go, go, go, go, 3);
    check_verdicts(go, fall_back, go, fall_back, 3);
    check_verdicts(fall_back, go, shorten, shorten, 3);
    check_verdicts(shorten, abort_run, end, shorten, 1);
    check_verdicts(go, restart, abort_run, restart, 2);
    check_verdicts(go, end, shorten, end, 2);
    check_verdicts(abort_run, go, go, abort_run, 1);
}

static void test_limits_and_explanations(void)
{
    fake_work work[3] = {
        {.limit = 3, .is_valid = true}, {.limit = 0.5, .is_valid = true, .explains = true}, {.limit = 2}};
    cd_simulation s = {0};
    CHECK(isinf(cd_monitors_step_limit(&s)) && cd_monitors_accept_state(&s, &s.x));
    activate(&s, work);
    CHECK(cd_monitors_step_limit(&s) == 0.5);
    CHECK(!cd_monitors_accept_state(&s, &s.x));
    work[2].is_valid = true;
    CHECK(cd_monitors_accept_state(&s, &s.x));
    CHECK(cd_monitors_explain(&s, CD_EXPLAIN_FAILURE, CARDAN_SINGULAR));
    CHECK(work[0].checked == 1 && work[1].checked == 1 && work[2].checked == 0); // the first that explains it
    work[1].explains = false;
    CHECK(!cd_monitors_explain(&s, CD_EXPLAIN_FAILURE, CARDAN_SINGULAR));
}

int main(void)
{
    RUN(test_applying());
    RUN(test_verdicts());
    RUN(test_limits_and_explanations());
    return test_end();
}
