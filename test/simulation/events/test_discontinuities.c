// SPDX-License-Identifier: BSD-3-Clause
// Times of discontinuities found before a run: of formulas of time with known times, of driver functions (velocity
// jumps, breakpoints), their merged list, and the queries of a run.
#include "prepared_run.h"

#include "model/description.h"
#include "simulation/events/time_discontinuities.h"

#include <float.h>

// A mass on a slide, with an effort and a user state; the effort of a second slide depends on the motion.
static bool open_slide(prepared_run* r, const char* effort, const char* rate)
{
    char text[1024];
    snprintf(text, sizeof text,
             "cardan: 1\nname: slide\ngravity: [0, 0, 0]\nparameters: {p: 0.25}\n"
             "tables: {ramp: {x: [0, 1, 2], y: [0, 3, 3]}}\n"
             "bodies: {mass: {mass: 1, at: [0, 0, 0]}}\n"
             "joints: {slide: {prismatic: [ground, mass], at: [0, 0, 0], axis: x}}\n"
             "forces: {push: {actuator: slide, effort: \"=%s\"}}\n"
             "states: {u: {start: 0, rate: \"=%s\"}}\n",
             effort, rate);
    return run_compile(r, describe_text(text), "cholesky");
}

// The discontinuities of an effort in [0, 1] are at the n given times: every interval contains its time and is wider by
// a few units of round-off only.
static void check_times(const char* effort, const char* rate, int n, const double* time)
{
    prepared_run      r;
    cd_time_interval* found = NULL;
    if (open_slide(&r, effort, rate)) {
        const int count = cd_find_time_discontinuities(r.data, 0, 1, 0.1, &found, &r.report);
        if (count != n) printf("%s: %d discontinuities instead of %d\n", effort, count, n);
        CHECK(count == n && r.report.count == 0);
        for (int i = 0; i < n && i < count; ++i) {
            CHECK(found[i].t_before <= time[i] && time[i] <= found[i].t_after && found[i].t_before < found[i].t_after);
            CHECK(found[i].t_after - found[i].t_before < 40 * DBL_EPSILON * fmax(time[i], 1e-3));
        }
        free(found);
    }
    run_close(&r);
}

static void test_times(void)
{
    check_times("floor(3*t)", "0", 3, (const double[]){1.0 / 3, 2.0 / 3, 1});
    check_times("ceil(2*t + 0.4)", "0", 2, (const double[]){0.3, 0.8});
    check_times("if(t < 0.503, 0, 10)", "0", 1, (const double[]){0.503});
    check_times("sign(t - 0.2)*sin(t)", "0", 1, (const double[]){0.2});
    check_times("mod(t, p)", "0", 4, (const double[]){0.25, 0.5, 0.75, 1});
    check_times("if(abs(t - 0.4) < 0.1, 1, 0)", "0", 2, (const double[]){0.3, 0.5});
    check_times("if(cos(10*t) > 0, 1, 0)", "0", 3, (const double[]){acos(-1) / 20, 3 * acos(-1) / 20, acos(-1) / 4});
    check_times("t", "if(t > 0.7, 1, 0)", 1, (const double[]){0.7}); // of a user state
    check_times("floor(2*t)", "if(t > 0.7, 1, 0)", 3, (const double[]){0.5, 0.7, 1});
}

// Kinks, and discontinuities that depend on the motion: none.
static void test_no_times(void)
{
    check_times("abs(t - 0.5)", "0", 0, NULL);
    check_times("max(t, 0.3)", "0", 0, NULL);
    check_times("ramp(t)", "0", 0, NULL);
    check_times("sign(v(slide))", "if(u > 0, 1, 0)", 0, NULL);
    check_times("if(t + q(slide) > 0.5, 1, 0)", "0", 0, NULL);
    check_times("floor(3*p)", "0", 0, NULL);
}

static bool depends_on_time_only(const prepared_run* r)
{
    bool      depends_on[64], only = false;
    const int node = r->model->view.force[0].component[0];
    CHECK(r->model->view.nsignal < 64);
    CHECK(cd_depends_on_time_only(r->model, node, depends_on, &only) == CARDAN_OK);
    return only;
}

static void test_dependence(void)
{
    static const struct {
        const char* effort;
        bool        only;
    } reference[] = {{"sin(p*t)", true}, {"t*v(slide)", false}, {"3*p", false}, {"q(slide)", false}, {"t + u", false}};
    for (size_t i = 0; i < sizeof reference / sizeof *reference; ++i) {
        prepared_run r;
        if (open_slide(&r, reference[i].effort, "t")) CHECK(depends_on_time_only(&r) == reference[i].only);
        run_close(&r);
    }
}

// ---- queries

static void test_queries(void)
{
    cd_discontinuity_time        item[] = {{0.1, 0.2, false}, {0.4, 0.5, true}, {0.7, 0.8, false}};
    const cd_discontinuity_times list = {item, 3}, none = {0};
    CHECK(cd_discontinuity_step_limit(&list, 0) == 0.1);
    CHECK(cd_discontinuity_step_limit(&list, 0.1) == 0.2); // inside: its end
    CHECK(cd_discontinuity_step_limit(&list, 0.15) == 0.2);
    CHECK(cd_discontinuity_step_limit(&list, 0.2) == 0.4);
    CHECK(cd_discontinuity_step_limit(&list, 0.75) == 0.8);
    CHECK(isinf(cd_discontinuity_step_limit(&list, 0.8)) && isinf(cd_discontinuity_step_limit(&none, 0)));
    CHECK(cd_discontinuity_time_after(&list, 0.05) == 0.05);
    CHECK(cd_discontinuity_time_after(&list, 0.4) == 0.5 && cd_discontinuity_time_after(&list, 0.45) == 0.5);
    CHECK(cd_discontinuity_time_after(&list, 0.5) == 0.5);
    CHECK(cd_discontinuity_time_before(&list, 0.5) == 0.4 && cd_discontinuity_time_before(&list, 0.45) == 0.45);
    CHECK(cd_discontinuity_time_before(&list, 0.2) == 0.1 && cd_discontinuity_time_before(&none, 0.2) == 0.2);
}

static void check_cross(const cd_discontinuity_times* list, double min_step, double t, cd_discontinuity_kind kind,
                        double after)
{
    CHECK(cd_discontinuity_cross(list, min_step, &t) == kind);
    CHECK(t == after);
}

static void test_crossing(void)
{
    cd_discontinuity_time        item[] = {{0.1, 0.2, false}, {0.4, 0.5, true}, {0.50001, 0.8, false}};
    const cd_discontinuity_times list   = {item, 3};
    check_cross(&list, 1e-12, 0.05, CD_DISCONTINUITY_NONE, 0.05);
    check_cross(&list, 1e-12, 0.1, CD_DISCONTINUITY_ACCELERATION, 0.2);
    check_cross(&list, 1e-12, 0.1 - 63e-12, CD_DISCONTINUITY_ACCELERATION, 0.2); // equal up to round-off
    check_cross(&list, 1e-12, 0.1 - 66e-12, CD_DISCONTINUITY_NONE, 0.1 - 66e-12);
    check_cross(&list, 1e-12, 0.2, CD_DISCONTINUITY_NONE, 0.2); // already behind
    check_cross(&list, 1e-12, 0.4, CD_DISCONTINUITY_VELOCITY, 0.5);
    check_cross(&list, 1e-6, 0.4, CD_DISCONTINUITY_VELOCITY, 0.8); // both, by one crossing
    check_cross(&list, 1e-12, 0.6, CD_DISCONTINUITY_ACCELERATION, 0.8);
}

// ---- driver functions

// A driven slide with a pushed one.
static bool open_driven(prepared_run* r, const char* law, const char* effort)
{
    char text[1024];
    snprintf(text, sizeof text,
             "cardan: 1\nname: driven\ngravity: [0, 0, 0]\n"
             "bodies: {a: {mass: 1, at: [0, 0, 0]}, b: {mass: 1, at: [0, 1, 0]}}\n"
             "joints: {a: {prismatic: [ground, a], at: [0, 0, 0], axis: x, driver: \"=%s\"},\n"
             "  b: {prismatic: [ground, b], at: [0, 1, 0], axis: x}}\n"
             "forces: {push: {actuator: b, effort: \"=%s\"}}\n",
             law, effort);
    return run_compile(r, describe_text(text), "dense");
}

static cardan_run_settings run_of_one_second(void)
{
    cardan_run_settings run = cardan_run_default();
    run.end                 = 1;
    run.output_interval     = 0.1;
    return run;
}

// Velocity jumps at known times, and the merged list: a force that jumps at the same time is one discontinuity.
static void test_velocity_jumps(void)
{
    prepared_run        r;
    cd_driver_domain    domain = {0};
    cardan_run_settings run    = run_of_one_second();
    if (open_driven(&r, "abs(t - 0.4) + max(0, t - 0.75)", "if(t < 0.4, 0, 1) + if(t < 0.6, 0, 1)")) {
        CHECK(cd_driver_domain_find(&domain, r.data, &run, NULL) == CARDAN_OK);
        CHECK(!domain.has_breakpoint && run.end == 1 && domain.nvelocity_jump == 2);
        static const double time[] = {0.4, 0.75};
        for (int i = 0; i < 2 && i < domain.nvelocity_jump; ++i) {
            CHECK_NEAR(domain.velocity_jump[i].t_before, time[i], 1e-12);
            CHECK(domain.velocity_jump[i].t_before < domain.velocity_jump[i].t_after);
            CHECK_NEAR(domain.velocity_jump[i].t_after, time[i], 1e-12);
        }
        cd_discontinuity_times list;
        CHECK(cd_discontinuity_times_find(&list, &domain, r.data, &run, NULL) == CARDAN_OK);
        CHECK(list.count == 3);
        for (int i = 0; i < list.count; ++i) {
            CHECK_NEAR(list.item[i].before, ((const double[]){0.4, 0.6, 0.75})[i % 3], 1e-12);
            CHECK(list.item[i].before < list.item[i].after && list.item[i].velocity_jumps == (i != 1));
        }
        cd_discontinuity_times_release(&list);
        CHECK(list.count == 0 && !list.item);
        cd_driver_domain_release(&domain);
    }
    run_close(&r);
}

// The run ends just before the breakpoint, and failures in the last thousandth are attributed to the driver.
static void check_breakpoint(const char* law, double time)
{
    prepared_run        r;
    cd_driver_domain    domain = {0};
    cardan_run_settings run    = run_of_one_second();
    if (open_driven(&r, law, "0")) {
        CHECK(cd_driver_domain_find(&domain, r.data, &run, NULL) == CARDAN_OK);
        CHECK(domain.has_breakpoint && run.end == domain.breakpoint.t_before);
        CHECK_NEAR(run.end, time, 1e-9);
        CHECK(run.end <= time && domain.breakpoint.t_after >= time);
        CHECK_NEAR(domain.near_interval, 1e-3, 1e-15);
        CHECK(cd_driver_domain_is_near_end(&domain, time - 0.9e-3) &&
              !cd_driver_domain_is_near_end(&domain, time - 1.1e-3));
        cardan_report report = {0};
        CHECK(!cd_driver_domain_report_failure(&domain, r.data, 0.1, CARDAN_STEP_TOO_SMALL, &report));
        CHECK(!cd_driver_domain_report_failure(&domain, r.data, time, CARDAN_NO_MEMORY, &report));
        CHECK(report.count == 0);
        CHECK(cd_driver_domain_report_failure(&domain, r.data, time, CARDAN_STEP_TOO_SMALL, &report));
        CHECK(report.count == 1);
        CHECK(cd_driver_domain_final_status(&domain, r.data, CARDAN_OK, true, NULL) == CARDAN_OK);
        CHECK(cd_driver_domain_final_status(&domain, r.data, CARDAN_SINGULAR, false, NULL) == CARDAN_SINGULAR);
        CHECK(cd_driver_domain_final_status(&domain, r.data, CARDAN_OK, false, NULL) == CARDAN_NOT_CONVERGED);
        cd_driver_domain_release(&domain);
    }
    run_close(&r);
}

static void test_breakpoints(void)
{
    check_breakpoint("floor(t + 0.7)", 0.3);      // the value jumps
    check_breakpoint("log(0.8 - t)", 0.8);        // not finite
    check_breakpoint("if(t < 0.55, t, 2)", 0.55); // the value jumps
    prepared_run        r;
    cd_driver_domain    domain = {0};
    cardan_run_settings run    = run_of_one_second();
    cardan_report       report = {0};
    if (open_driven(&r, "sqrt(t - 0.2)", "0")) { // at the start
        CHECK(cd_driver_domain_find(&domain, r.data, &run, &report) == CARDAN_BAD_INPUT && report.count == 1);
        cd_driver_domain_release(&domain);
    }
    run_close(&r);
    if (open_driven(&r, "sin(t)", "0")) {
        CHECK(cd_driver_domain_find(&domain, r.data, &run, &report) == CARDAN_OK);
        CHECK(!domain.has_breakpoint && domain.nvelocity_jump == 0 && run.end == 1);
        CHECK(!cd_driver_domain_is_near_end(&domain, 1));
        CHECK(cd_driver_domain_final_status(&domain, r.data, CARDAN_OK, false, NULL) == CARDAN_OK);
        cd_driver_domain_release(&domain);
    }
    run_close(&r);
}

static void test_warning(void)
{
    cardan_report report = {0};
    cd_warn_impulse_near_singular(0.5, &report);
    CHECK(report.count == 1 && report.message[0].code == CARDAN_CODE_DRIVER_VELOCITY_DISCONTINUITY);
}

int main(void)
{
    RUN(test_times());
    RUN(test_no_times());
    RUN(test_dependence());
    RUN(test_queries());
    RUN(test_crossing());
    RUN(test_velocity_jumps());
    RUN(test_breakpoints());
    RUN(test_warning());
    return test_end();
}
