// SPDX-License-Identifier: BSD-3-Clause
// Optimal control: sizes and optimum of paper 003, derivatives against differences, closed forms, and what is said when
// nothing works.
#include "sentences.h"
#include "task_transcriptions.h"

#include <stdlib.h>

// ---- paper 003, Table 3

static void sizes(void)
{
    // Hessians of forms that keep accelerations: the paper has 185 less, which nothing explains
    static const int expected[6][4] = {{8812, 8427, 72435, 39206}, {8812, 8427, 72435, 39206},
                                       {6412, 6027, 62519, 35286}, {8812, 8427, 69635, 35206},
                                       {6412, 6027, 62519, 35286}, {8812, 8427, 69635, 35206}};
    cardan_task*     task           = load_reach();
    for (int f = 0; task && f < 6; ++f) {
        cardan_ocp* plan =
            plan_of(task, (cardan_optimize_options){.dynamics_form = forms[f], .layout = "full", .build_only = true});
        CHECK(plan);
        if (!plan) continue;
        const cardan_ocp_view v = cardan_ocp_get_view(plan);
        CHECK(v.nunknown == expected[f][0]);
        CHECK(v.nconstraint == expected[f][1]);
        CHECK(v.jacobian_nonzeros == expected[f][2]);
        CHECK(v.hessian_nonzeros == expected[f][3]);
        cardan_ocp_destroy(plan);
    }
    cardan_task_destroy(task);
}

// Where the arm ends and what it does first: SPEC of the example point.
static void optimum(void)
{
    static const double q_end[6]   = {1.570796, .4192703, -.7338985, 1.100026, 0, -.7853982},
                        u_first[4] = {-1.835702, -19.5384, -5.724326, -1.417775};
    cardan_task* task              = load_reach();
    cardan_ocp*  plan              = plan_of(task, (cardan_optimize_options){0});
    CHECK(plan);
    if (plan) {
        double q_off, v_off;
        CHECK(cardan_ocp_solve(plan, &report) == CARDAN_OK);
        const cardan_ocp_view v = cardan_ocp_get_view(plan);
        CHECK_NEAR(v.objective, 28881463.8964, 1e-9); // test/data/optimize/references.json
        CHECK(v.iterations <= 40);
        CHECK(v.violation < 1e-7);
        for (int i = 0; i < 6; ++i) CHECK_NEAR(v.q[(v.nsample - 1) * 6 + i], q_end[i], 2e-6);
        for (int i = 0; i < 4; ++i) CHECK_NEAR(v.effort[i], u_first[i], 2e-5);
        CHECK(cardan_ocp_verify(plan, &q_off, &v_off, &report) == CARDAN_OK);
        CHECK(q_off < 1e-6);
        CHECK(v_off < 1e-5);
        CHECK(cardan_ocp_solve(plan, &report) == CARDAN_OK); // from its own end: nothing is left to do
        CHECK(cardan_ocp_get_view(plan).iterations < v.iterations / 2);
        CHECK_NEAR(cardan_ocp_get_view(plan).objective, v.objective, 1e-9);
    }
    cardan_ocp_destroy(plan);
    cardan_task_destroy(task);
}

// All forms in both layouts are one problem.
static void forms_agree(void)
{
    cardan_task* task  = load_reach();
    double       first = 0;
    for (int f = 0; task && f < 6; ++f)
        for (int full = 0; full < 2; ++full) {
            cardan_ocp* plan = plan_of(task, (cardan_optimize_options){.dynamics_form = forms[f],
                                                                       .layout        = full ? "full" : "condensed",
                                                                       .intervals     = 8,
                                                                       .degree        = 2});
            CHECK(plan && cardan_ocp_solve(plan, &report) == CARDAN_OK);
            if (plan && first == 0) first = cardan_ocp_get_view(plan).objective;
            if (plan) CHECK_NEAR(cardan_ocp_get_view(plan).objective, first, 1e-7);
            cardan_ocp_destroy(plan);
        }
    cardan_task_destroy(task);
}

// ---- closed forms

static double solve_cart(const char* rest, cardan_optimize_options options, cardan_ocp_view* view)
{
    char text[800];
    snprintf(text, sizeof text, "cardan: 1\ntask: cart\nmodel: cart.yaml\n%s", rest);
    cardan_task* task = load(text, "test/data/optimize");
    CHECK(task);
    if (!task) return puts(report.message[0].text), NAN;
    cardan_ocp* plan = plan_of(task, options);
    CHECK(plan && cardan_ocp_solve(plan, &report) == CARDAN_OK);
    const double cost = plan ? cardan_ocp_get_view(plan).objective : NAN;
    if (plan && view) *view = cardan_ocp_get_view(plan);
    cardan_ocp_destroy(plan);
    cardan_task_destroy(task);
    return cost;
}

// From rest to rest over d in T with N constant forces: the least integral of u^2 is 12 d^2 / (T^3 (1 - 1/N^2)).
static void least_effort(const char* transcription)
{
    for (int N = 4; N <= 16; N *= 2) {
        const double cost = solve_cart("horizon: 2\ncontrols: [rail]\nend: {q: 3, v: 0}\ncost: {effort: 1}\n",
                                       (cardan_optimize_options){.transcription = transcription, .intervals = N}, NULL);
        CHECK_NEAR(cost, 12 * 9.0 / (8 * (1 - 1.0 / (N * N))), 1e-7);
    }
}

// As fast as a force of at most 2 N can move it over 2 m: T = 2 sqrt(d/u), bang and bang.
static void least_time(void)
{
    cardan_ocp_view view = {0};
    const double    cost = solve_cart("horizon: [0.5, 10, 3]\nintervals: 10\ndegree: 2\ncontrols: {rail: {bounds: [-2, "
                                         "2]}}\nend: {q: 2, v: 0}\ncost: {time: 1}\n",
                                      (cardan_optimize_options){0}, &view);
    CHECK_NEAR(cost, 2, 1e-6);
    CHECK_NEAR(view.horizon, 2, 1e-6);
    CHECK_TEXT(view.layout, "condensed");
}

// A swing of the pole: the error of the end falls with the order of the points.
static void order(const char* transcription, int degree, double least)
{
    static const char text[] = "cardan: 1\ntask: swing\nmodel: cart_pole.yaml\nhorizon: 1.5\ncontrols: [rail]\nend: "
                               "{q: {rail: 0.5}, v: 0}\ncost: {effort: 1, rate: 0.1}\n";
    cardan_task*      task   = load(text, "test/data/optimize");
    double            off[2] = {0};
    for (int i = 0; task && i < 2; ++i) {
        double      v;
        cardan_ocp* plan = plan_of(
            task, (cardan_optimize_options){.transcription = transcription, .degree = degree, .intervals = 8 << i});
        CHECK(plan && cardan_ocp_solve(plan, &report) == CARDAN_OK);
        if (plan) CHECK(cardan_ocp_verify(plan, &off[i], &v, &report) == CARDAN_OK);
        cardan_ocp_destroy(plan);
    }
    CHECK(task && off[1] > 0);
    CHECK(log2(off[0] / off[1]) > least);
    CHECK(log2(off[0] / off[1]) < least + 2);
    cardan_task_destroy(task);
}

// ---- loops

static cardan_ocp* plan_loop(const char* rest, cardan_optimize_options options)
{
    char text[800];
    snprintf(text, sizeof text,
             "cardan: 1\ntask: loop\nmodel: five_bar.yaml\nhorizon: 1\ncontrols: [a1, a2]\nstart: {v: 0}\n%s", rest);
    cardan_task* task = load(text, "test/data/optimize");
    return plan_of(task, options);
}

static cardan_ocp* solve_loop(const char* rest, cardan_optimize_options options)
{
    cardan_ocp* plan = plan_loop(rest, options);
    CHECK(plan && cardan_ocp_solve(plan, &report) == CARDAN_OK);
    return plan;
}

static void end_loop(cardan_ocp* plan)
{
    cardan_task* task = plan ? plan->task : NULL;
    cardan_ocp_destroy(plan);
    cardan_task_destroy(task);
}

// All forms and layouts are one problem with loops too; loops stay closed, and the runtime, which closes them its own
// way, ends where the plan does.
static void loops_agree(void)
{
    double first = 0;
    for (int f = 0; f < 6; ++f)
        for (int full = 0; full < 2; ++full) {
            double      q_off = 1, v_off = 1;
            cardan_ocp* plan = solve_loop(
                "end: {markers: {tool: [1.1, 1.4, free]}, v: 0, a: 0}\ncost: {effort: 1, rate: 0.01}\n",
                (cardan_optimize_options){
                    .dynamics_form = forms[f], .layout = full ? "full" : "condensed", .intervals = 20, .degree = 3});
            if (plan && first == 0) first = cardan_ocp_get_view(plan).objective;
            if (plan) {
                CHECK_NEAR(cardan_ocp_get_view(plan).objective, first, 1e-8);
                CHECK(cardan_ocp_get_view(plan).max_violation < 1e-6);
                CHECK(cardan_ocp_verify(plan, &q_off, &v_off, &report) == CARDAN_OK);
            }
            CHECK(q_off < 2e-5);
            CHECK(v_off < 5e-4);
            end_loop(plan);
        }
}

// Halving the interval: the order that the points have on trees.
static void loop_order(const char* transcription, int degree, double least)
{
    double off[2] = {0};
    for (int i = 0; i < 2; ++i) {
        double      v;
        cardan_ocp* plan = solve_loop(
            "end: {markers: {tool: [1.1, 1.4, free]}, v: 0}\ncost: {effort: 1, rate: 0.01}\n",
            (cardan_optimize_options){.transcription = transcription, .degree = degree, .intervals = 8 << i});
        if (plan) CHECK(cardan_ocp_verify(plan, &off[i], &v, &report) == CARDAN_OK);
        end_loop(plan);
    }
    CHECK(off[1] > 0);
    CHECK(log2(off[0] / off[1]) > least);
}

// What contradicts closed loops is named, and no success.
static void loop_contradiction(void)
{
    cardan_ocp* plan = plan_loop("end: {q: {a1: 0.2, a2: 0.1, b1: 2.5}, v: 0}\ncost: {effort: 1}\n",
                                 (cardan_optimize_options){.intervals = 6, .degree = 2});
    CHECK(plan && cardan_ocp_solve(plan, &report) == CARDAN_INCONSISTENT);
    CHECK(report.count > 0);
    if (report.count > 0) CHECK_CASE(&report, "end of a loop", "'b1'");
    end_loop(plan);
}

// ---- orientations and states: forms agree, and the runtime ends where the plan does

static void floating(void)
{
    double first = 0;
    for (int f = 0; f < 6; f += 3)
        for (int full = 0; full < 2; ++full) {
            double       q_off = 1, v_off = 1;
            cardan_task* task = load("cardan: 1\ntask: free\nmodel: floater.yaml\nhorizon: 1\ncontrols: [ball, hinge]\n"
                                     "end: {v: {hinge: 0}, q: {hinge: 0.5}}\ncost: {effort: 1, integral: '=lag^2'}\n",
                                     "test/data/optimize");
            cardan_ocp*  plan = plan_of(task, (cardan_optimize_options){.dynamics_form = forms[f],
                                                                        .layout        = full ? "full" : "condensed",
                                                                        .intervals     = 20,
                                                                        .degree        = 3});
            CHECK(plan && cardan_ocp_solve(plan, &report) == CARDAN_OK);
            if (plan && first == 0) first = cardan_ocp_get_view(plan).objective;
            if (plan) {
                CHECK_NEAR(cardan_ocp_get_view(plan).objective, first, 1e-7);
                CHECK(cardan_ocp_verify(plan, &q_off, &v_off, &report) == CARDAN_OK);
            }
            CHECK(q_off < 2e-5);
            CHECK(v_off < 5e-4);
            cardan_ocp_destroy(plan);
            cardan_task_destroy(task);
        }
}

// ---- what is wrong

static void refused(const char* rest, const char* location, const char* parts)
{
    char text[800];
    snprintf(text, sizeof text, "cardan: 1\ntask: wrong\nmodel: cart_pole.yaml\n%s", rest);
    cardan_task* task = load(text, "test/data/optimize");
    CHECK(!task);
    CHECK(report.count > 0);
    CHECK_HAS(report.message[0].text, location);
    CHECK_CASE(&report, rest, parts);
    cardan_task_destroy(task);
}

static void refused_loop(const char* rest, const char* parts)
{
    char text[800];
    snprintf(text, sizeof text, "cardan: 1\ntask: wrong\nmodel: five_bar.yaml\n%s", rest);
    cardan_task* task = load(text, "test/data/optimize");
    CHECK(!task);
    CHECK(report.count > 0);
    CHECK_CASE(&report, rest, parts);
    cardan_task_destroy(task);
}

static void errors(void)
{
    refused_loop("horizon: 1\ncontrols: [a1, b1, e, b2, a2]\ncost: {effort: 1}\n", ""); // one of them must

    cardan_task* task = load("cardan: 1\ntask: turn\nmodel: floater.yaml\nhorizon: 1\ncontrols: [ball]\nend: {q: "
                             "{ball: [0, 0, 2.5]}}\ncost: {effort: 1}\n",
                             "test/data/optimize");
    CHECK(!task && report.count > 0);
    if (report.count > 0) CHECK_CASE(&report, "orientation", "task.yaml:6:24: error|'ball'|2 sin(angle/2)");
    cardan_task_destroy(task);
    task = load("cardan: 1\ntask: turn\nmodel: floater.yaml\nhorizon: 1\ncontrols: [ball]\npath: {q: {ball: [[-1, 1], "
                "0, 0]}}\ncost: {effort: 1}\n",
                "test/data/optimize");
    CHECK(!task && report.count > 0);
    CHECK_CASE(&report, "bounds of an orientation", "");
    cardan_task_destroy(task);
    refused("controls: [rail]\ncost: {effort: 1}\n", "task.yaml:1:1", "");
    refused("horizon: -1\n", "task.yaml:4:10", "");
    refused("horizon: 1\ncontrols: [rial]\ncost: {effort: 1}\n", "task.yaml:5:12", "'rial'|'rail'");
    refused("horizon: 1\ncost: {effort: 1}\n", "task.yaml:1:1", "");
    refused("horizon: 1\ncontrols: [rail]\ncosts: {effort: 1}\n", "task.yaml:6:1", "'cost'");
    refused("horizon: 1\ncontrols: [rail]\n", "task.yaml:1:1", "");
    refused("horizon: 1\ncontrols: {rail: {bounds: [3, -3]}}\ncost: {effort: 1}\n", "task.yaml:5:27", "");
    refused("horizon: 1\ncontrols: [rail]\ncost: {effort: 1}\nend: {q: {rail: 5}}\n", "task.yaml:7:17", "");
    refused("horizon: 1\ncontrols: [rail]\ncost: {effort: 1}\nend: {markers: {tap: [0, 0, 0]}}\n", "task.yaml:7:17",
            "'tap'|'tip'");
    refused("horizon: 1\ncontrols: [rail]\ncost: {integral: =q(rial)}\n", "task.yaml:6:", "rial");
    refused("horizon: 1\ncontrols: [rail]\ncost: {effort: {hinge: 1}}\n", "task.yaml:6:", "");
    refused("horizon: 1\nform: exp3\n", "task.yaml:5:7", "'exp3'");
    refused("horizon: =1/0\n", "task.yaml:4:", "");
}

static void unsolvable(const char* rest, cardan_status expected, const char* parts)
{
    char text[800];
    snprintf(text, sizeof text, "cardan: 1\ntask: hopeless\nmodel: cart.yaml\nintervals: 10\n%s", rest);
    cardan_task* task = load(text, "test/data/optimize");
    cardan_ocp*  plan = plan_of(task, (cardan_optimize_options){0});
    CHECK(plan);
    if (plan) {
        CHECK(cardan_ocp_solve(plan, &report) == expected);
        CHECK(report.count > 0);
        CHECK_CASE(&report, rest, parts);
    }
    cardan_ocp_destroy(plan);
    cardan_task_destroy(task);
}

static void failures(void)
{
    unsolvable("horizon: 1\ncontrols: {rail: {bounds: [-1, 1]}}\nend: {q: 5, v: 0}\ncost: {effort: 1}\n",
               CARDAN_NOT_CONVERGED, "");
    unsolvable("horizon: 1\ncontrols: [rail]\ncost: {final: =-q(rail)}\n", CARDAN_DIVERGED, "");
}

int main(void)
{
    RUN(sizes());
    RUN(optimum());
    RUN(forms_agree());
    RUN(least_effort("radau"));
    RUN(least_effort("gauss"));
    RUN(least_effort("rk4"));
    RUN(least_time());
    RUN(order("radau", 2, 2.5));
    RUN(order("gauss", 2, 3.5));
    RUN(order("rk4", 4, 3.5));
    RUN(loops_agree());
    RUN(loop_order("radau", 2, 2.5));
    RUN(loop_order("gauss", 2, 3.5));
    RUN(loop_order("rk4", 4, 3.5));
    RUN(loop_contradiction());
    RUN(floating());
    RUN(errors());
    RUN(failures());
    RUN(test_sentences("test_optimize"));
    return test_end();
}
