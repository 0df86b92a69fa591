// SPDX-License-Identifier: BSD-3-Clause
// Optimal control: problem sizes and optimum of paper 003, closed forms, orders of convergence, loops, and messages for
// problems without a solution.
#include "sentences.h"
#include "task_transcriptions.h"

#include <stdlib.h>

// ---- paper 003, Table 3

static void test_sizes(void)
{
    // Hessians of forms that keep accelerations: the paper has 185 entries less, for an unknown reason
    static const int expected[6][4] = {{8812, 8427, 72435, 39206}, {8812, 8427, 72435, 39206},
                                       {6412, 6027, 62519, 35286}, {8812, 8427, 69635, 35206},
                                       {6412, 6027, 62519, 35286}, {8812, 8427, 69635, 35206}};
    cardan_task*     task           = load_reach();
    for (int f = 0; task && f < 6; ++f) {
        cardan_ocp* ocp = create_ocp(
            task, (cardan_optimize_options){.dynamics_form = forms[f], .layout = "full", .build_only = true});
        CHECK(ocp);
        if (!ocp) continue;
        const cardan_ocp_view v = cardan_ocp_get_view(ocp);
        CHECK(v.nunknown == expected[f][0]);
        CHECK(v.nconstraint == expected[f][1]);
        CHECK(v.jacobian_nonzeros == expected[f][2]);
        CHECK(v.hessian_nonzeros == expected[f][3]);
        cardan_ocp_destroy(ocp);
    }
    cardan_task_destroy(task);
}

// End position and first efforts of the arm: values of the specification.
static void test_optimum(void)
{
    static const double q_end[6]   = {1.570796, .4192703, -.7338985, 1.100026, 0, -.7853982},
                        u_first[4] = {-1.835702, -19.5384, -5.724326, -1.417775};
    cardan_task* task              = load_reach();
    cardan_ocp*  ocp               = create_ocp(task, (cardan_optimize_options){0});
    CHECK(ocp);
    if (ocp) {
        double q_error, v_error;
        CHECK(cardan_ocp_solve(ocp, &report) == CARDAN_OK);
        const cardan_ocp_view v = cardan_ocp_get_view(ocp);
        CHECK_NEAR(v.objective, 28881463.8964, 1e-9); // test/data/optimize/references.json
        CHECK(v.iterations <= 40);
        CHECK(v.violation < 1e-7);
        for (int i = 0; i < 6; ++i) CHECK_NEAR(v.q[(v.nsample - 1) * 6 + i], q_end[i], 2e-6);
        for (int i = 0; i < 4; ++i) CHECK_NEAR(v.effort[i], u_first[i], 2e-5);
        CHECK(cardan_ocp_verify(ocp, &q_error, &v_error, &report) == CARDAN_OK);
        CHECK(q_error < 1e-6);
        CHECK(v_error < 1e-5);
        CHECK(cardan_ocp_solve(ocp, &report) == CARDAN_OK); // starts at the optimum: few iterations
        CHECK(cardan_ocp_get_view(ocp).iterations < v.iterations / 2);
        CHECK_NEAR(cardan_ocp_get_view(ocp).objective, v.objective, 1e-9);
    }
    cardan_ocp_destroy(ocp);
    cardan_task_destroy(task);
}

// All forms in both layouts have the same optimum.
static void test_forms_agree(void)
{
    cardan_task* task  = load_reach();
    double       first = 0;
    for (int f = 0; task && f < 6; ++f)
        for (int full = 0; full < 2; ++full) {
            cardan_ocp* ocp = create_ocp(task, (cardan_optimize_options){.dynamics_form = forms[f],
                                                                         .layout        = full ? "full" : "condensed",
                                                                         .intervals     = 8,
                                                                         .degree        = 2});
            CHECK(ocp && cardan_ocp_solve(ocp, &report) == CARDAN_OK);
            if (ocp && first == 0) first = cardan_ocp_get_view(ocp).objective;
            if (ocp) CHECK_NEAR(cardan_ocp_get_view(ocp).objective, first, 1e-7);
            cardan_ocp_destroy(ocp);
        }
    cardan_task_destroy(task);
}

// ---- closed forms

static double solve_cart(const char* sections, cardan_optimize_options options, cardan_ocp_view* view)
{
    char text[800];
    snprintf(text, sizeof text, "cardan: 1\ntask: cart\nmodel: cart.yaml\n%s", sections);
    cardan_task* task = load(text, "test/data/optimize");
    CHECK(task);
    if (!task) return puts(report.message[0].text), NAN;
    cardan_ocp* ocp = create_ocp(task, options);
    CHECK(ocp && cardan_ocp_solve(ocp, &report) == CARDAN_OK);
    const double cost = ocp ? cardan_ocp_get_view(ocp).objective : NAN;
    if (ocp && view) *view = cardan_ocp_get_view(ocp);
    cardan_ocp_destroy(ocp);
    cardan_task_destroy(task);
    return cost;
}

// From standstill to standstill over the distance d in time T with N constant forces: the least integral of u^2 is 12
// d^2 / (T^3 (1 - 1/N^2)).
static void test_least_effort(const char* transcription)
{
    for (int N = 4; N <= 16; N *= 2) {
        const double cost = solve_cart("horizon: 2\ncontrols: [rail]\nend: {q: 3, v: 0}\ncost: {effort: 1}\n",
                                       (cardan_optimize_options){.transcription = transcription, .intervals = N}, NULL);
        CHECK_NEAR(cost, 12 * 9.0 / (8 * (1 - 1.0 / (N * N))), 1e-7);
    }
}

// Minimum time over 2 m with a force of at most 2 N: T = 2 sqrt(d/u), bang-bang control.
static void test_least_time(void)
{
    cardan_ocp_view view = {0};
    const double    cost = solve_cart("horizon: [0.5, 10, 3]\nintervals: 10\ndegree: 2\ncontrols: {rail: {bounds: [-2, "
                                         "2]}}\nend: {q: 2, v: 0}\ncost: {time: 1}\n",
                                      (cardan_optimize_options){0}, &view);
    CHECK_NEAR(cost, 2, 1e-6);
    CHECK_NEAR(view.horizon, 2, 1e-6);
    CHECK_TEXT(view.layout, "condensed");
}

// Swing of the pole: the error at the end decreases with the order of the method.
static void test_order(const char* transcription, int degree, double least)
{
    static const char text[]   = "cardan: 1\ntask: swing\nmodel: cart_pole.yaml\nhorizon: 1.5\ncontrols: [rail]\nend: "
                                 "{q: {rail: 0.5}, v: 0}\ncost: {effort: 1, rate: 0.1}\n";
    cardan_task*      task     = load(text, "test/data/optimize");
    double            error[2] = {0};
    for (int i = 0; task && i < 2; ++i) {
        double      v;
        cardan_ocp* ocp = create_ocp(
            task, (cardan_optimize_options){.transcription = transcription, .degree = degree, .intervals = 8 << i});
        CHECK(ocp && cardan_ocp_solve(ocp, &report) == CARDAN_OK);
        if (ocp) CHECK(cardan_ocp_verify(ocp, &error[i], &v, &report) == CARDAN_OK);
        cardan_ocp_destroy(ocp);
    }
    CHECK(task && error[1] > 0);
    CHECK(log2(error[0] / error[1]) > least);
    CHECK(log2(error[0] / error[1]) < least + 2);
    cardan_task_destroy(task);
}

// ---- loops

static cardan_ocp* create_loop_ocp(const char* sections, cardan_optimize_options options)
{
    char text[800];
    snprintf(text, sizeof text,
             "cardan: 1\ntask: loop\nmodel: five_bar.yaml\nhorizon: 1\ncontrols: [a1, a2]\nstart: {v: 0}\n%s",
             sections);
    cardan_task* task = load(text, "test/data/optimize");
    return create_ocp(task, options);
}

static cardan_ocp* solve_loop(const char* sections, cardan_optimize_options options)
{
    cardan_ocp* ocp = create_loop_ocp(sections, options);
    CHECK(ocp && cardan_ocp_solve(ocp, &report) == CARDAN_OK);
    return ocp;
}

static void destroy_loop_ocp(cardan_ocp* ocp)
{
    cardan_task* task = ocp ? ocp->task : NULL;
    cardan_ocp_destroy(ocp);
    cardan_task_destroy(task);
}

// With loops, all forms and layouts have the same optimum; the loops stay closed, and the simulation, which has its own
// stabilization, ends at the same state.
static void test_loops_agree(void)
{
    double first = 0;
    for (int f = 0; f < 6; ++f)
        for (int full = 0; full < 2; ++full) {
            double      q_error = 1, v_error = 1;
            cardan_ocp* ocp = solve_loop(
                "end: {markers: {tool: [1.1, 1.4, free]}, v: 0, a: 0}\ncost: {effort: 1, rate: 0.01}\n",
                (cardan_optimize_options){
                    .dynamics_form = forms[f], .layout = full ? "full" : "condensed", .intervals = 20, .degree = 3});
            if (ocp && first == 0) first = cardan_ocp_get_view(ocp).objective;
            if (ocp) {
                CHECK_NEAR(cardan_ocp_get_view(ocp).objective, first, 1e-8);
                CHECK(cardan_ocp_get_view(ocp).max_violation < 1e-6);
                CHECK(cardan_ocp_verify(ocp, &q_error, &v_error, &report) == CARDAN_OK);
            }
            CHECK(q_error < 2e-5);
            CHECK(v_error < 5e-4);
            destroy_loop_ocp(ocp);
        }
}

// Halved intervals: the same order as on trees.
static void test_loop_order(const char* transcription, int degree, double least)
{
    double error[2] = {0};
    for (int i = 0; i < 2; ++i) {
        double      v;
        cardan_ocp* ocp = solve_loop(
            "end: {markers: {tool: [1.1, 1.4, free]}, v: 0}\ncost: {effort: 1, rate: 0.01}\n",
            (cardan_optimize_options){.transcription = transcription, .degree = degree, .intervals = 8 << i});
        if (ocp) CHECK(cardan_ocp_verify(ocp, &error[i], &v, &report) == CARDAN_OK);
        destroy_loop_ocp(ocp);
    }
    CHECK(error[1] > 0);
    CHECK(log2(error[0] / error[1]) > least);
}

// A condition that contradicts the closed loops is named in the message, and the status is an error.
static void test_loop_contradiction(void)
{
    cardan_ocp* ocp = create_loop_ocp("end: {q: {a1: 0.2, a2: 0.1, b1: 2.5}, v: 0}\ncost: {effort: 1}\n",
                                      (cardan_optimize_options){.intervals = 6, .degree = 2});
    CHECK(ocp && cardan_ocp_solve(ocp, &report) == CARDAN_INCONSISTENT);
    CHECK(report.count > 0);
    if (report.count > 0) CHECK_CASE(&report, "end of a loop", "'b1'");
    destroy_loop_ocp(ocp);
}

// ---- orientations and states: all forms agree, and the simulation ends at the same state

static void test_orientations(void)
{
    double first = 0;
    for (int f = 0; f < 6; f += 3)
        for (int full = 0; full < 2; ++full) {
            double       q_error = 1, v_error = 1;
            cardan_task* task = load("cardan: 1\ntask: free\nmodel: floater.yaml\nhorizon: 1\ncontrols: [ball, hinge]\n"
                                     "end: {v: {hinge: 0}, q: {hinge: 0.5}}\ncost: {effort: 1, integral: '=lag^2'}\n",
                                     "test/data/optimize");
            cardan_ocp*  ocp  = create_ocp(task, (cardan_optimize_options){.dynamics_form = forms[f],
                                                                           .layout        = full ? "full" : "condensed",
                                                                           .intervals     = 20,
                                                                           .degree        = 3});
            CHECK(ocp && cardan_ocp_solve(ocp, &report) == CARDAN_OK);
            if (ocp && first == 0) first = cardan_ocp_get_view(ocp).objective;
            if (ocp) {
                CHECK_NEAR(cardan_ocp_get_view(ocp).objective, first, 1e-7);
                CHECK(cardan_ocp_verify(ocp, &q_error, &v_error, &report) == CARDAN_OK);
            }
            CHECK(q_error < 2e-5);
            CHECK(v_error < 5e-4);
            cardan_ocp_destroy(ocp);
            cardan_task_destroy(task);
        }
}

// ---- errors

static void check_rejected(const char* sections, const char* location, const char* parts)
{
    char text[800];
    snprintf(text, sizeof text, "cardan: 1\ntask: wrong\nmodel: cart_pole.yaml\n%s", sections);
    cardan_task* task = load(text, "test/data/optimize");
    CHECK(!task);
    CHECK(report.count > 0);
    CHECK_HAS(report.message[0].text, location);
    CHECK_CASE(&report, sections, parts);
    cardan_task_destroy(task);
}

static void check_loop_rejected(const char* sections, const char* parts)
{
    char text[800];
    snprintf(text, sizeof text, "cardan: 1\ntask: wrong\nmodel: five_bar.yaml\n%s", sections);
    cardan_task* task = load(text, "test/data/optimize");
    CHECK(!task);
    CHECK(report.count > 0);
    CHECK_CASE(&report, sections, parts);
    cardan_task_destroy(task);
}

static void test_errors(void)
{
    // one of the joints must not be a control
    check_loop_rejected("horizon: 1\ncontrols: [a1, b1, e, b2, a2]\ncost: {effort: 1}\n", "");

    cardan_task* task =
        load("cardan: 1\ntask: orientation\nmodel: floater.yaml\nhorizon: 1\ncontrols: [ball]\nend: {q: "
             "{ball: [0, 0, 2.5]}}\ncost: {effort: 1}\n",
             "test/data/optimize");
    CHECK(!task && report.count > 0);
    if (report.count > 0) CHECK_CASE(&report, "orientation", "task.yaml:6:24: error|'ball'|2 sin(angle/2)");
    cardan_task_destroy(task);
    task = load(
        "cardan: 1\ntask: orientation\nmodel: floater.yaml\nhorizon: 1\ncontrols: [ball]\npath: {q: {ball: [[-1, 1], "
        "0, 0]}}\ncost: {effort: 1}\n",
        "test/data/optimize");
    CHECK(!task && report.count > 0);
    CHECK_CASE(&report, "bounds of an orientation", "");
    cardan_task_destroy(task);
    check_rejected("controls: [rail]\ncost: {effort: 1}\n", "task.yaml:1:1", "");
    check_rejected("horizon: -1\n", "task.yaml:4:10", "");
    check_rejected("horizon: 1\ncontrols: [rial]\ncost: {effort: 1}\n", "task.yaml:5:12", "'rial'|'rail'");
    check_rejected("horizon: 1\ncost: {effort: 1}\n", "task.yaml:1:1", "");
    check_rejected("horizon: 1\ncontrols: [rail]\ncosts: {effort: 1}\n", "task.yaml:6:1", "'cost'");
    check_rejected("horizon: 1\ncontrols: [rail]\n", "task.yaml:1:1", "");
    check_rejected("horizon: 1\ncontrols: {rail: {bounds: [3, -3]}}\ncost: {effort: 1}\n", "task.yaml:5:27", "");
    check_rejected("horizon: 1\ncontrols: [rail]\ncost: {effort: 1}\nend: {q: {rail: 5}}\n", "task.yaml:7:17", "");
    check_rejected("horizon: 1\ncontrols: [rail]\ncost: {effort: 1}\nend: {markers: {tap: [0, 0, 0]}}\n",
                   "task.yaml:7:17", "'tap'|'tip'");
    check_rejected("horizon: 1\ncontrols: [rail]\ncost: {integral: =q(rial)}\n", "task.yaml:6:", "rial");
    check_rejected("horizon: 1\ncontrols: [rail]\ncost: {effort: {hinge: 1}}\n", "task.yaml:6:", "");
    check_rejected("horizon: 1\nform: exp3\n", "task.yaml:5:7", "'exp3'");
    check_rejected("horizon: =1/0\n", "task.yaml:4:", "");
}

static void check_unsolvable(const char* sections, cardan_status expected, const char* parts)
{
    char text[800];
    snprintf(text, sizeof text, "cardan: 1\ntask: unsolvable\nmodel: cart.yaml\nintervals: 10\n%s", sections);
    cardan_task* task = load(text, "test/data/optimize");
    cardan_ocp*  ocp  = create_ocp(task, (cardan_optimize_options){0});
    CHECK(ocp);
    if (ocp) {
        CHECK(cardan_ocp_solve(ocp, &report) == expected);
        CHECK(report.count > 0);
        CHECK_CASE(&report, sections, parts);
    }
    cardan_ocp_destroy(ocp);
    cardan_task_destroy(task);
}

static void test_unsolvable(void)
{
    check_unsolvable("horizon: 1\ncontrols: {rail: {bounds: [-1, 1]}}\nend: {q: 5, v: 0}\ncost: {effort: 1}\n",
                     CARDAN_NOT_CONVERGED, "");
    check_unsolvable("horizon: 1\ncontrols: [rail]\ncost: {final: =-q(rail)}\n", CARDAN_NOT_FINITE, "");
}

// A ball falls, bounces on a compliant floor and is pushed to a target on the way: the simulation with the library's contacts
// follows the optimum.
static void test_contact(void)
{
    cardan_task* task = load("cardan: 1\ntask: throw\nmodel: bouncer.yaml\nhorizon: 0.6\nintervals: 80\ndegree: 3\n"
                             "controls: [rail]\nstart: {q: {height: 0.3}}\nend: {q: {rail: 1}, v: {rail: 0}}\n"
                             "cost: {effort: 1}\n",
                             "test/data/optimize");
    cardan_ocp*  ocp  = create_ocp(task, (cardan_optimize_options){0});
    CHECK(ocp);
    if (ocp) {
        double q_error, v_error, lowest = 1;
        CHECK(cardan_ocp_solve(ocp, &report) == CARDAN_OK);
        const cardan_ocp_view v = cardan_ocp_get_view(ocp);
        for (int i = 0; i < v.nsample; ++i) lowest = fmin(lowest, v.q[3 * i + 1]);
        CHECK(lowest < -0.05);                               // it touched
        CHECK(v.q[3 * (v.nsample - 1) + 1] > lowest + 0.05); // and bounced
        CHECK(v.q[3 * (v.nsample - 1) + 2] != 0);            // with friction
        CHECK(cardan_ocp_verify(ocp, &q_error, &v_error, &report) == CARDAN_OK);
        CHECK(q_error < 2e-5);
        CHECK(v_error < 2e-4);
    }
    cardan_ocp_destroy(ocp);
    cardan_task_destroy(task);
}

// What cannot be expressed by formulas is refused with the reason.
static void test_contacts_refused(void)
{
    static const char* const task =
        "cardan: 1\ntask: throw\nmodel: bouncer_refused.yaml\nhorizon: 0.6\ncontrols: [rail]\n"
        "cost: {effort: 1}\n";
    CHECK(!load(task, "test/data/optimize"));
    CHECK_HAS(report.message[0].text, "'ground' (plane) and 'block' (cylinder)");
}

int main(void)
{
    RUN(test_sizes());
    RUN(test_optimum());
    RUN(test_forms_agree());
    RUN(test_least_effort("radau"));
    RUN(test_least_effort("gauss"));
    RUN(test_least_effort("rk4"));
    RUN(test_least_time());
    RUN(test_order("radau", 2, 2.5));
    RUN(test_order("gauss", 2, 3.5));
    RUN(test_order("rk4", 4, 3.5));
    RUN(test_loops_agree());
    RUN(test_loop_order("radau", 2, 2.5));
    RUN(test_loop_order("gauss", 2, 3.5));
    RUN(test_loop_order("rk4", 4, 3.5));
    RUN(test_loop_contradiction());
    RUN(test_orientations());
    RUN(test_errors());
    RUN(test_unsolvable());
    RUN(test_sentences("test_optimize"));
    RUN(test_contact());
    RUN(test_contacts_refused());
    return test_end();
}
