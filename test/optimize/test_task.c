// SPDX-License-Identifier: BSD-3-Clause
// Optimization tasks: tracking, efforts in formulas, moving markers, guesses from files, actuators; each on a cart
// whose optimal motion has a closed form.
#include "sentences.h"
#include "test.h"

#include "optimize/transcription/ocp.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static cardan_report report;

static cardan_task* load(const char* model, const char* sections)
{
    char         text[1600];
    cardan_task* task = NULL;
    snprintf(text, sizeof text, "cardan: 1\ntask: test\nmodel: %s\nintervals: 20\ndegree: 3\n%s", model, sections);
    cardan_report_clear(&report);
    if (cardan_task_load_text(text, CARDAN_SOURCE "/test/data/optimize/task.yaml", NULL, &task, &report) != CARDAN_OK)
        puts(report.count ? report.message[0].text : "the task was rejected without a message");
    return task;
}

static cardan_ocp* create_and_solve(cardan_task* task, cardan_optimize_options options)
{
    cardan_ocp* ocp = NULL;
    cardan_report_clear(&report);
    if (!task || cardan_ocp_create(task, &options, &ocp, &report) != CARDAN_OK ||
        cardan_ocp_solve(ocp, &report) != CARDAN_OK) {
        if (report.count) puts(report.message[0].text);
        cardan_ocp_destroy(ocp);
        return NULL;
    }
    return ocp;
}

static double cost_of(const char* sections)
{
    cardan_task* task = load("cart.yaml", sections);
    cardan_ocp*  ocp  = create_and_solve(task, (cardan_optimize_options){0});
    const double cost = ocp ? cardan_ocp_get_view(ocp).objective : NAN;
    cardan_ocp_destroy(ocp);
    cardan_task_destroy(task);
    return cost;
}

// One metre in one second from standstill to standstill: u is linear in time, and the integral of u^2 is 12; with
// constant u in N intervals it is 12/(1 - 1/N^2).
static void test_efforts_in_formulas(void)
{
    const char* const move = "horizon: 1\ncontrols: [rail]\nend: {q: 1, v: 0}\n";
    char              text[400];
    snprintf(text, sizeof text, "%scost: {effort: 1}\n", move);
    const double plain = cost_of(text);
    CHECK_NEAR(plain, 12 / (1 - 1.0 / 400), 1e-7);
    snprintf(text, sizeof text, "%scost: {integral: =effort(rail)^2}\n", move);
    CHECK_NEAR(cost_of(text), plain, 1e-7);
    // at most 5 N: a bound of the control and a bound of a formula give the same optimum
    snprintf(text, sizeof text,
             "horizon: 1\ncontrols: {rail: {bounds: [-5, 5]}}\nend: {q: 1, v: 0}\ncost: {effort: 1}\n");
    const double bounded = cost_of(text);
    snprintf(text, sizeof text, "%scost: {effort: 1}\npath: {values: [{value: =effort(rail), lower: -5, upper: 5}]}\n",
             move);
    CHECK_NEAR(cost_of(text), bounded, 1e-6);
    CHECK(bounded > plain * 1.001);
    // a cart of 1 kg: its acceleration equals the effort
    snprintf(text, sizeof text, "%scost: {integral: =a(rail)^2}\n", move);
    CHECK_NEAR(cost_of(text), plain, 1e-7);
    snprintf(text, sizeof text, "%scost: {effort: 1}\npath: {values: [{value: =a(rail), lower: -5, upper: 5}]}\n",
             move);
    CHECK_NEAR(cost_of(text), bounded, 1e-6);
}

// A cart that starts on the target trajectory follows it.
static void test_tracking(void)
{
    cardan_task* task = load("cart.yaml", "horizon: 2\ncontrols: [rail]\nstart: {q: 0, v: 1}\ncost: {effort: 1e-8, "
                                          "tracking: [{value: =q(rail), target: =sin(t), weight: 5}]}\n");
    cardan_ocp*  ocp  = create_and_solve(task, (cardan_optimize_options){0});
    CHECK(ocp);
    if (ocp) {
        const cardan_ocp_view v = cardan_ocp_get_view(ocp);
        for (int i = 0; i < v.nsample; ++i) CHECK(fabs(v.q[i] - sin(v.t[i])) < 2e-3);
        CHECK(v.objective < 1e-5);
    }
    cardan_ocp_destroy(ocp);
    cardan_task_destroy(task);
}

static void write_motion(const char* path, double duration)
{
    FILE* f = fopen(path, "w");
    CHECK(f);
    if (!f) return;
    fprintf(f, "t [s],rail.q [m],rail.v [m/s],rail.a [m/s^2],rail.control [N]\n");
    for (int i = 0; i <= 40; ++i) {
        const double s = i / 40.0, T = duration;
        fprintf(f, "%.17g,%.17g,%.17g,%.17g,%.17g\n", s * T, s * s, 2 * s / T, 2 / (T * T), 2 / (T * T));
    }
    fclose(f);
}

// Results as initial guess are scaled to the horizon; as tracking target they are reproduced.
static void test_files(void)
{
    char      path[] = "/tmp/cardan-test-XXXXXX", sections[600];
    const int handle = mkstemp(path);
    CHECK(handle >= 0);
    if (handle < 0) return;
    close(handle);
    write_motion(path, 2);
    snprintf(sections, sizeof sections,
             "horizon: 1\ncontrols: [rail]\nend: {q: 1}\ncost: {effort: 1}\nguess: {file: %s}\n", path);
    cardan_task* task = load("cart.yaml", sections);
    cardan_ocp*  ocp  = NULL;
    CHECK(task && cardan_ocp_create(task, NULL, &ocp, &report) == CARDAN_OK);
    if (ocp) {
        const double* x = ocp->nlp.x_start;
        CHECK_NEAR(x[cd_ocp_offset_x(ocp, 10)], 0.25, 1e-12);
        CHECK_NEAR(x[cd_ocp_offset_v(ocp, 10)], 1, 1e-12); // twice the velocity of the file
        CHECK_NEAR(x[cd_ocp_offset_u(ocp, 10)], 0.5, 1e-12);
        CHECK_NEAR(x[cd_ocp_offset_point(ocp, 3, 1) + ocp->offset_a], 2, 1e-12);
    }
    cardan_ocp_destroy(ocp);
    cardan_task_destroy(task);
    snprintf(sections, sizeof sections, "horizon: 2\ncontrols: [rail]\ncost: {effort: 1e-9, tracking: [{file: %s}]}\n",
             path);
    task = load("cart.yaml", sections);
    ocp  = create_and_solve(task, (cardan_optimize_options){0});
    CHECK(ocp);
    if (ocp) CHECK_NEAR(cardan_ocp_get_view(ocp).q[cardan_ocp_get_view(ocp).nsample - 1], 1, 1e-4);
    cardan_ocp_destroy(ocp);
    cardan_task_destroy(task);
    remove(path);
}

// A marker with prescribed end velocity, and a bound on a marker along the path.
static void test_markers(void)
{
    cardan_task* task = load(
        "cart_pole.yaml",
        "horizon: 1\ncontrols: [rail]\nend: {markers: {tip: {position: [0.4, 0, free], velocity: [0.3, free, free]}}}\n"
        "path: {markers: {cart: [[-0.5, 0.5], free, free]}}\ncost: {effort: 1}\n");
    cardan_ocp* ocp = create_and_solve(task, (cardan_optimize_options){0});
    CHECK(ocp);
    if (ocp) {
        const cardan_ocp_view v = cardan_ocp_get_view(ocp);
        const double *        q = v.q + 2 * (v.nsample - 1), *w = v.v + 2 * (v.nsample - 1);
        CHECK_NEAR(q[0] - sin(q[1]), 0.4, 1e-7); // the tip is one metre below the cart; rotation about y
        CHECK_NEAR(w[0] - cos(q[1]) * w[1], 0.3, 1e-7);
        for (int i = 0; i < v.nsample; ++i) CHECK(fabs(v.q[2 * i]) < 0.5 + 1e-6);
    }
    cardan_ocp_destroy(ocp);
    cardan_task_destroy(task);
}

// The largest violation is reported with its description and line.
static void test_largest_violation(void)
{
    cardan_task* task =
        load("cart.yaml", "horizon: 1\ncontrols: {rail: {bounds: [-1, 1]}}\nend: {q: 5, v: 0}\ncost: {effort: 1}\n");
    cardan_ocp* ocp = NULL;
    CHECK(task && cardan_ocp_create(task, NULL, &ocp, &report) == CARDAN_OK);
    if (ocp) {
        CHECK(cardan_ocp_solve(ocp, &report) == CARDAN_NOT_CONVERGED);
        const cardan_ocp_violation_summary v = cardan_ocp_violations(ocp);
        CHECK(v.worst.size > 1e-3 && v.conditions >= v.worst.size);
        CHECK(v.worst.location.line == 8);
        CHECK_SENTENCE(v.worst.description, "'rail'");
    }
    cardan_ocp_destroy(ocp);
    cardan_task_destroy(task);
}

// A message of this severity has the location and all parts of "part|part|...".
static bool has_message(cardan_severity severity, const char* location, const char* parts)
{
    for (int i = 0; i < report.count; ++i) {
        const cardan_message* m = &report.message[i];
        if (m->severity == severity && strstr(m->text, location) && sentence_has_parts(m->text, parts)) {
            text_case_check(__FILE__, __LINE__, cardan_message_sentence(m), cardan_code_name(m->code), parts);
            return true;
        }
    }
    printf("no message has %s %s\n", location, parts);
    return false;
}

// Every error of a task is reported with its location.
static void test_all_errors(void)
{
    static const char text[] =
        "cardan: 1\ntask: test\nmodel: cart_pole.yaml\nparameters: {t: 3, b: =c}\nhorizon: 1\nintervals: "
        "100001\ndegree: 13\nform: exp1o\ncontrols: [rial]\n"
        "end: {q: {rail: 1, pivto: 1}, markers: {tpi: [0, 0, 0]}, values: [{value: =q(rail), equal: 1, lower: 0}]}\n"
        "cost: {effort: {rail: 1}, integral: =q(ral), tracking: [{file: no.csv}]}\nguess: {q: {rial: 1}}\n";
    static const char* const expected[][2] = {{"task.yaml:4:14", "'t'"},
                                              {"task.yaml:4:24", "'c'"},
                                              {"task.yaml:6:12", "1|100000"},
                                              {"task.yaml:7:9", "1|12|13"},
                                              {"task.yaml:8:7", "'exp1-o'"},
                                              {"task.yaml:9:12", "'rail'"},
                                              {"task.yaml:10:20", "'pivto'"},
                                              {"task.yaml:10:41", "'tip'"},
                                              {"task.yaml:10:92", ""},
                                              {"task.yaml:11:40", "'ral'"},
                                              {"no.csv", ""},
                                              {"task.yaml:12:13", "'rail'"}};
    enum { EXPECTED = sizeof expected / sizeof *expected };
    cardan_task* task = NULL;
    cardan_report_clear(&report);
    CHECK(cardan_task_load_text(text, CARDAN_SOURCE "/test/data/optimize/task.yaml", NULL, &task, &report) ==
          CARDAN_BAD_INPUT);
    CHECK(report.errors == EXPECTED);
    for (int i = 0; i < EXPECTED; ++i) CHECK(has_message(CARDAN_ERROR, expected[i][0], expected[i][1]));
    CHECK(has_message(CARDAN_NOTE, "task.yaml:11:", ""));
}

// A cost that no motion changes is reported as a warning.
static void test_constant_costs(void)
{
    cardan_task_destroy(load("cart.yaml", "horizon: 1\ncontrols: [rail]\ncost: {}\n"));
    CHECK(has_message(CARDAN_WARNING, "task.yaml:8:7", ""));
    cardan_task_destroy(load("cart.yaml", "horizon: 1\ncontrols: [rail]\ncost: {time: 1}\n"));
    CHECK(has_message(CARDAN_WARNING, "task.yaml:8:7", ""));
    cardan_task_destroy(load("cart.yaml", "horizon: 1\ncontrols: [rail]\ncost: {time: 1, effort: 1}\n"));
    CHECK(has_message(CARDAN_WARNING, "task.yaml:8:14", ""));
    cardan_task_destroy(load("cart.yaml", "horizon: [1, 2]\ncontrols: [rail]\ncost: {time: 1}\n"));
    CHECK(report.count == 0);
}

// A formula that is undefined is reported with its line and time.
static void test_undefined(const char* sections, const char* location, const char* parts)
{
    cardan_task* task = load("cart.yaml", sections);
    cardan_ocp*  ocp  = NULL;
    CHECK(task && cardan_ocp_create(task, NULL, &ocp, &report) == CARDAN_OK);
    if (ocp) CHECK(cardan_ocp_solve(ocp, &report) == CARDAN_NOT_FINITE);
    CHECK(has_message(CARDAN_NOTE, location, parts));
    cardan_ocp_destroy(ocp);
    cardan_task_destroy(task);
}

static void test_invalid_option(const cardan_optimize_options* o, const char* parts)
{
    cardan_task* task = load("cart.yaml", "horizon: 1\ncontrols: [rail]\nend: {q: 1, v: 0}\ncost: {effort: 1}\n");
    cardan_ocp*  ocp  = NULL;
    CHECK(task && cardan_ocp_create(task, o, &ocp, &report) == CARDAN_BAD_USAGE);
    CHECK(has_message(CARDAN_ERROR, "", parts));
    cardan_ocp_destroy(ocp);
    cardan_task_destroy(task);
}

// Conditions on accelerations at both ends of a cart of 1 kg with constant efforts in intervals: they determine the
// efforts of the first and last interval.
static void test_accelerations(const char* form, const char* transcription, const char* layout)
{
    static const char* const conditions[] = {
        "start: {a: 2}\nend: {q: 1, v: 0, a: -1}\n",
        "start: {values: [{value: =a(rail), equal: 2}]}\nend: {q: 1, v: 0, values: "
        "[{value: '=2*a(rail)', equal: -2}]}\n"};
    for (int i = 0; i < 4; ++i) {
        char text[400];
        snprintf(text, sizeof text, "horizon: %s\ncontrols: [rail]\n%scost: {effort: 1}\n", i < 2 ? "1" : "[0.5, 1]",
                 conditions[i % 2]);
        cardan_task* task = load("cart.yaml", text);
        cardan_ocp*  ocp  = create_and_solve(
              task, (cardan_optimize_options){.dynamics_form = form, .transcription = transcription, .layout = layout});
        CHECK(ocp);
        if (ocp) {
            const cardan_ocp_view v = cardan_ocp_get_view(ocp);
            CHECK_NEAR(v.effort[0], 2, 1e-6);
            CHECK_NEAR(v.effort[v.nsample - 1], -1, 1e-6);
            CHECK_NEAR(v.q[v.nsample - 1], 1, 1e-8);
        }
        cardan_ocp_destroy(ocp);
        cardan_task_destroy(task);
    }
}

// A satellite of 144 kg with an arm: all forms need the same small number of iterations in spite of the large mass.
static void test_heavy_satellite(void)
{
    double first = 0;
    for (int f = 0; f < 4; ++f) {
        cardan_task* task =
            load(CARDAN_SOURCE "/models/satellite/satellite.yaml",
                 "horizon: 10\ncontrols: [shoulder, servo]\nstart: {v: 0, q: {hinge_l: 0, hinge_r: 0}}\n"
                 "end: {markers: {gripper: [1.2, 0.6, 1.2]}, v: {shoulder: [0, 0], elbow: 0}}\ncost: {effort: 1, rate: "
                 "1}\n");
        cardan_ocp* ocp = create_and_solve(task, (cardan_optimize_options){.dynamics_form = f % 2 ? "exp2-a" : "impl",
                                                                           .layout = f < 2 ? "condensed" : "full",
                                                                           .compiled_code = "never"});
        CHECK(ocp);
        if (ocp && first == 0) first = cardan_ocp_get_view(ocp).objective;
        if (ocp) CHECK_NEAR(cardan_ocp_get_view(ocp).objective, first, 1e-7);
        if (ocp) CHECK(cardan_ocp_get_view(ocp).iterations <= 25);
        cardan_ocp_destroy(ocp);
        cardan_task_destroy(task);
    }
}

int main(void)
{
    RUN(test_all_errors());
    RUN(test_constant_costs());
    RUN(test_undefined("horizon: 1\ncontrols: [rail]\ncost: {effort: 1, integral: =sqrt(q(rail)-1)}\n",
                       "task.yaml:8:29", "0|0.05 s"));
    RUN(test_undefined(
        "horizon: 1\ncontrols: [rail]\nend: {values: [{value: =log(q(rail)), lower: 0}]}\ncost: {effort: 1}\n",
        "task.yaml:8:16", ""));
    RUN(test_invalid_option(&(cardan_optimize_options){.compiled_code = "sometimes"}, ""));
    RUN(test_invalid_option(&(cardan_optimize_options){.dynamics_form = "exp3"}, ""));
    RUN(test_invalid_option(&(cardan_optimize_options){.layout = "ful"}, "'full'"));
    RUN(test_invalid_option(&(cardan_optimize_options){.degree = 13}, "12"));
    RUN(test_invalid_option(&(cardan_optimize_options){.intervals = 1000000}, "100000"));
    RUN(test_accelerations("impl", "radau", "condensed"));
    RUN(test_accelerations("exp1-o", "radau", "full"));
    RUN(test_accelerations("exp2-a", "gauss", "full"));
    RUN(test_accelerations("semi", "rk4", "condensed"));
    RUN(test_heavy_satellite());
    RUN(test_efforts_in_formulas());
    RUN(test_tracking());
    RUN(test_files());
    RUN(test_markers());
    RUN(test_largest_violation());
    RUN(test_sentences("test_task"));
    return test_end();
}
