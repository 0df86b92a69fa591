// SPDX-License-Identifier: BSD-3-Clause
// Singular events of a parallelogram on given motions: passed at a known time, approached, passed twice within three
// points, left on another branch; names of its loop; stalled runs.
#include "prepared_parallelogram.h"

static const double PASSED = 0.6283; // [s]

enum { MOST_EVENTS = 16 };

typedef struct event_list {
    int          count;
    cardan_event event[MOST_EVENTS];
} event_list;

// Update at x, the end of a step from t_start, as the monitor of a run does.
static void update_at(parallelogram_run* p, double t_start, const cd_ode_state* x, event_list* list)
{
    cd_ode_system*      system = run_system(&p->run);
    cd_singular_events* events = run_singular_events(&p->run);
    cardan_status       status = cd_conditioning_at(system, x);
    if (p->run.data->settings.near_singular) status = cd_conditioning_on_constraints(system, x);
    CHECK(cd_conditioning_is_known(system, status));
    cd_singular_events_update(events, system, scripted_step(p, t_start), x);
    for (int i = 0; i < events->nevent && list->count < MOST_EVENTS; ++i) list->event[list->count++] = events->event[i];
}

// Steps that end at the n given times, with the states of an angle function.
static event_list events_of(parallelogram_run* p, angle_function angle, int n, const double* t)
{
    event_list list = {0};
    p->angle        = angle;
    for (int i = 0; i < n; ++i) {
        double       w;
        const double phi = angle(t[i], &w);
        set_parallelogram(p, t[i], phi, w, run_state(&p->run));
        update_at(p, t[i > 0 ? i - 1 : 0], run_state(&p->run), &list);
    }
    return list;
}

static void check_event(const event_list* list, int i, cardan_event_kind kind, double t, double tolerance)
{
    CHECK(i < list->count);
    if (i >= list->count) return;
    CHECK(list->event[i].kind == kind);
    CHECK_NEAR(list->event[i].t, t, tolerance);
    CHECK(names_parallelogram(list->event[i].description) && !list->event[i].names_several_loops);
}

static double passing(double t, double* w)
{
    *w = 1.5;
    return 1.5 * (t - PASSED);
}

// Passed once at PASSED, with long and with short steps. Where the sign is tracked the zero is located inside the step;
// elsewhere it is interpolated from three points.
static void test_passing(const char* formulation, double step, double tolerance)
{
    parallelogram_run p;
    if (parallelogram_open(&p, formulation, 0)) {
        double    t[400];
        const int n = (int)(1.4 / step);
        for (int i = 0; i < n; ++i) t[i] = i * step;
        const event_list list = events_of(&p, passing, n, t);
        if (list.count != 1) printf("%s, step %g: %d events\n", formulation, step, list.count);
        CHECK(list.count == 1);
        check_event(&list, 0, CARDAN_EVENT_SINGULAR, PASSED, tolerance);
        CHECK(list.event[0].value == 0);
    }
    parallelogram_close(&p);
}

static double turning_at(double distance, double t, double* w)
{
    const double u = t - PASSED;
    *w             = 2 * u;
    return distance + u * u;
}

static double approaching(double t, double* w) { return turning_at(0.004, t, w); }
static double staying_away(double t, double* w) { return turning_at(0.012, t, w); }
static double passing_twice(double t, double* w) { return turning_at(-0.006, t, w); }

// The motion reverses at phi = 0.004: a near-singular configuration, with sigma as computed there; none at 0.012.
static void test_approaching(void)
{
    static const double u[] = {-0.9, -0.7, -0.5, -0.3, -0.15, -0.03, 0.12, 0.3, 0.5, 0.8};
    double              t[10];
    parallelogram_run   p;
    for (int i = 0; i < 10; ++i) t[i] = PASSED + u[i];
    if (parallelogram_open(&p, "order-n", 0)) {
        const event_list list = events_of(&p, approaching, 10, t);
        CHECK(list.count == 1);
        check_event(&list, 0, CARDAN_EVENT_NEAR_SINGULAR, PASSED, 2e-3);
        set_parallelogram(&p, 9, 0.004, 1, run_state(&p.run));
        CHECK(cd_conditioning_at(run_system(&p.run), run_state(&p.run)) == CARDAN_OK);
        cd_conditioning_track_directions(run_system(&p.run));
        CHECK_NEAR(list.event[0].value / run_conditioning(&p.run)->tracked_sigma[0].sigma_min_rel, 1, 0.02);
    }
    parallelogram_close(&p);
    if (parallelogram_open(&p, "order-n", 0)) CHECK(events_of(&p, staying_away, 10, t).count == 0);
    parallelogram_close(&p);
}

// Passed forward and back between two points, at both of which s has the same sign: by the parabola.
static void test_passing_twice(void)
{
    static const double u[] = {-0.9, -0.7, -0.5, -0.3, -0.1, 0.11, 0.3, 0.5, 0.8};
    double              t[9];
    parallelogram_run   p;
    for (int i = 0; i < 9; ++i) t[i] = PASSED + u[i];
    if (parallelogram_open(&p, "order-n", 0)) {
        const event_list list = events_of(&p, passing_twice, 9, t);
        CHECK(list.count == 2);
        check_event(&list, 0, CARDAN_EVENT_SINGULAR, PASSED - sqrt(0.006), 3e-3);
        check_event(&list, 1, CARDAN_EVENT_SINGULAR, PASSED + sqrt(0.006), 3e-3);
    }
    parallelogram_close(&p);
}

// ---- branches

// Angles of the four joints at the crank angle phi: on the parallelogram branch or, with the joint of coupler and
// rocker reflected at the line from the crank's end to the rocker's pin, on the other one.
static void branch_angles(double phi, bool reflected, double angle[4])
{
    const double bx = cos(phi), by = sin(phi), ex = 2 - bx, ey = -by, along = (cos(phi) * ex + sin(phi) * ey);
    double       rx = cos(phi), ry = sin(phi); // from the rocker's pin to its end
    if (reflected) {
        rx = 2 * along * ex / (ex * ex + ey * ey) - cos(phi);
        ry = 2 * along * ey / (ex * ex + ey * ey) - sin(phi);
    }
    const double coupler = atan2(ry - by, 2 + rx - bx), rocker = atan2(ry, rx);
    angle[0] = phi - PARALLELOGRAM_DESIGN;
    angle[1] = coupler - angle[0];
    angle[2] = rocker - PARALLELOGRAM_DESIGN - coupler;
    angle[3] = rocker - PARALLELOGRAM_DESIGN;
}

// State at time t of the motion phi = t + c t^3.
static void set_branch(parallelogram_run* p, double t, double c, bool reflected, cd_ode_state* x)
{
    const double h = 1e-6, phi = t + c * t * t * t, w = 1 + 3 * c * t * t;
    double       angle[4], before[4], after[4], rate[4];
    branch_angles(phi, reflected, angle);
    branch_angles(phi - h, reflected, before);
    branch_angles(phi + h, reflected, after);
    for (int j = 0; j < 4; ++j) rate[j] = w * (after[j] - before[j]) / (2 * h);
    set_joint_angles(p, t, angle, rate, x);
}

static double unit_speed(double t, double* w)
{
    *w = 1;
    return t;
}

static double cubic(double t, double* w)
{
    *w = 1 + 3 * t * t;
    return t + t * t * t;
}

// From the parallelogram branch to the other one at phi = 0, at the crank speed 1 or along the cubic motion.
static int branch_switches(const char* formulation, angle_function angle, bool switches, bool reset_behind,
                           double* time)
{
    static const double t[] = {-0.9, -0.6, -0.4, -0.25, -0.15, -0.05, 0.01, 0.05, 0.15, 0.25, 0.4, 0.6};
    parallelogram_run   p;
    event_list          list  = {0};
    int                 count = 0;
    if (parallelogram_open(&p, formulation, 0)) {
        p.angle = angle;
        for (int i = 0; i < 12; ++i) {
            set_branch(&p, t[i], angle == cubic, switches && t[i] > 0, run_state(&p.run));
            update_at(&p, t[i > 0 ? i - 1 : 0], run_state(&p.run), &list);
            if (reset_behind && i == 6)
                cd_singular_events_reset(run_singular_events(&p.run), run_system(&p.run), run_state(&p.run));
        }
        for (int i = 0; i < list.count; ++i) {
            if (list.event[i].kind != CARDAN_EVENT_BRANCH_SWITCH) continue;
            *time = list.event[i].t;
            CHECK(names_parallelogram(list.event[i].description));
            ++count;
        }
    }
    parallelogram_close(&p);
    return count;
}

static void test_branches(const char* formulation)
{
    double t = NAN;
    CHECK(branch_switches(formulation, unit_speed, false, false, &t) == 0);
    CHECK(branch_switches(formulation, cubic, false, false, &t) == 0); // the velocity bends smoothly
    CHECK(branch_switches(formulation, unit_speed, true, false, &t) == 1);
    CHECK(fabs(t) < 0.06); // the point of smallest sigma
    CHECK(branch_switches(formulation, unit_speed, true, true, &t) ==
          0); // compared with velocities behind the jump only
}

// ---- names

static bool name_loops(parallelogram_run* p, double first, double second, char* text, bool* several)
{
    text[0]  = 0;
    *several = false;
    set_two_parallelograms(p, 0, 1.4, 1.3, run_state(&p->run)); // regular: the number of redundant rows
    CHECK(cd_conditioning_at(run_system(&p->run), run_state(&p->run)) == CARDAN_OK);
    set_two_parallelograms(p, 0, first, second, run_state(&p->run));
    return cd_name_singular_loops(run_singular_events(&p->run), run_system(&p->run), 0, CARDAN_NONE, text, 160,
                                  several);
}

static void test_names(const char* formulation)
{
    parallelogram_run p;
    if (parallelogram_prepare(&p, two_parallelograms(), formulation, "dopri5", 10)) {
        char text[160];
        bool several;
        CHECK(name_loops(&p, 0, 0.8, text, &several));
        CHECK(names_parallelogram(text) && !strstr(text, "a1") && !several);
        CHECK(name_loops(&p, 0.8, 0, text, &several));
        CHECK(!strstr(text, "a0") && strstr(text, "a1") && strstr(text, "d1") && !strstr(text, "p0") && !several);
        CHECK(name_loops(&p, 0, 0, text, &several) && several);
        CHECK(!name_loops(&p, 0.8, 0.9, text, &several));
        for (int j = 0; j < 9; ++j)
            CHECK(cd_joint_is_on_loop(run_singular_events(&p.run), run_system(&p.run), j) == (j < 8));
    }
    parallelogram_close(&p);
}

// ---- progress

// Thousands of evaluations near a singular configuration for less than a tenth of the longest step.
static void test_stalled(void)
{
    parallelogram_run p;
    if (parallelogram_open(&p, "order-n", 0)) {
        cd_singular_events*  e      = run_singular_events(&p.run);
        const cd_ode_system* system = run_system(&p.run);
        long*                count  = run_evaluations(&p.run);
        double*              s_sq   = &run_conditioning(&p.run)->sigma_min_sq_rel;
        *s_sq                       = 0.0101;
        CHECK(!cd_is_near_singular(system));
        *count = 100;
        CHECK(!cd_singular_events_is_stalled(e, system, 0, 1)); // the longest step: 1 s
        *count += 3000;
        CHECK(!cd_singular_events_is_stalled(e, system, 1, 1.01)); // not near
        *s_sq = 0.0099;
        CHECK(cd_is_near_singular(system));
        *count += 2000;
        CHECK(!cd_singular_events_is_stalled(e, system, 1.01, 1.02));
        *count += 1;
        CHECK(cd_singular_events_is_stalled(e, system, 1.02, 1.03));
        CHECK(!cd_singular_events_is_stalled(e, system, 1.03, 1.12)); // more than 0.1 s since 1.01
        *count += 2001;
        CHECK(cd_singular_events_is_stalled(e, system, 1.12, 1.15));
    }
    parallelogram_close(&p);
}

int main(void)
{
    for (int i = 0; i < EVERY_FORMULATION; ++i) {
        const char* const name = every_formulation[i];
        RUN(test_passing(name, 0.071, strcmp(name, "lagrange") == 0 ? 1e-5 : 1e-6));
        RUN(test_passing(name, 0.013, 1e-6));
    }
    RUN(test_passing("augmented-dense", 0.071, 1e-3)); // its directions are not tracked
    RUN(test_passing("augmented-dense", 0.013, 1e-5));
    RUN(test_passing("augmented-last", 0.013, 1e-5));
    RUN(test_approaching());
    RUN(test_passing_twice());
    RUN(test_branches("order-n"));
    RUN(test_branches("reduction"));
    RUN(test_names("order-n"));
    RUN(test_names("reduction"));
    RUN(test_stalled());
    return test_end();
}
