// SPDX-License-Identifier: BSD-3-Clause
// Forces that read reactions of joints: closed forms, residuals, energy, all formulations, and refusals.
#include "test.h"

#include <cardan/cardan.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

typedef struct scene {
    cardan_description* d;
    cardan_model*       m;
    cardan_data*        data;
    cardan_report       report;
    double              a[64];
    cardan_reaction     reaction[8];
} scene;

static cardan_status open_scene(scene* s, const char* text, int formulation)
{
    *s                   = (scene){0};
    cardan_status status = cardan_description_load_text(text, "scene.yaml", NULL, &s->d, &s->report);
    if (!status) status = cardan_model_compile(s->d, cardan_formulation_tree_policy(formulation), &s->m, &s->report);
    if (!status) status = cardan_data_create(s->m, formulation, &s->data, &s->report);
    if (status) return status;
    const cardan_model_view view = cardan_model_get_view(s->m);
    status                       = cardan_data_set_state(s->data, 0, view.q_start, view.v_start, view.state_start);
    if (!status) status = cardan_data_accelerate(s->data, s->a, NULL, &s->report);
    if (!status) status = cardan_data_reactions(s->data, s->a, s->reaction);
    return status;
}

static void close_scene(scene* s)
{
    cardan_data_destroy(s->data);
    cardan_model_destroy(s->m);
    cardan_description_destroy(s->d);
}

// Text of the block with this friction force.
static const char* incline(const char* effort)
{
    static char text[1000];
    snprintf(
        text, sizeof text,
        "cardan: 1\nparameters: {slope: 0.5, mu: 0.2}\npoints: {A: [0, 0, 0]}\n"
        "bodies: {block: {mass: 3, inertia: [0.1, 0.1, 0.1], at: A}}\n"
        "joints: {slide: {prismatic: [ground, block], at: A, axis: [=cos(slope), 0, =-sin(slope)], start: {v: 1}}}\n"
        "forces: {friction: {actuator: slide, effort: \"=%s\"}}\n",
        effort);
    return text;
}

// Text of a block on a horizontal guide with this vertical force.
static const char* loaded(const char* force)
{
    static char text[1000];
    snprintf(text, sizeof text,
             "cardan: 1\npoints: {A: [0, 0, 0]}\nbodies: {block: {mass: 3, inertia: [0.1, 0.1, 0.1], at: A}}\n"
             "joints: {slide: {prismatic: [ground, block], at: A, axis: x}}\n"
             "forces: {press: {force: [0, 0, \"=%s\"], on: block}}\n",
             force);
    return text;
}

// a = g (sin s - mu cos s) for every formulation, by magnitude and by components.
static void test_incline(void)
{
    const char* const effort[] = {"-mu*reaction(slide)", "-mu*sqrt(fx(slide)^2 + fy(slide)^2 + fz(slide)^2)",
                                  "-mu*fz(slide)/cos(slope)"};
    const double      expected = 9.81 * (sin(0.5) - 0.2 * cos(0.5));
    int               tried    = 0;
    for (int f = 0; f < cardan_formulation_count(); ++f)
        for (int i = 0; i < 3; ++i) {
            scene               s;
            const cardan_status status = open_scene(&s, incline(effort[i]), f);
            if (status == CARDAN_OK && cardan_model_get_view(s.m).nv == 1) {
                ++tried;
                CHECK_NEAR(s.a[0], expected, cardan_formulation_is_exact(f) ? 1e-10 : 1e-5);
                CHECK_NEAR(hypot(s.reaction[0].force[0], s.reaction[0].force[2]), 3 * 9.81 * cos(0.5),
                           cardan_formulation_is_exact(f) ? 1e-9 : 1e-4);
            }
            close_scene(&s);
        }
    CHECK(tried >= 12);
}

// Errors: code and a part of the message.
static void check_refused(const char* text, const char* part)
{
    scene               s;
    const cardan_status status = open_scene(&s, text, cardan_formulation_find("dense"));
    CHECK(status != CARDAN_OK);
    bool found = false;
    for (int i = 0; i < s.report.count; ++i) found = found || strstr(s.report.message[i].text, part);
    if (!found && s.report.count > 0) fprintf(stderr, "%s\n", s.report.message[0].text);
    CHECK(found);
    cardan_report_clear(&s.report);
    close_scene(&s);
}

static void test_refusals(void)
{
    check_refused(incline("-5*reaction(slid)"), "there is no joint 'slid'");
    check_refused(incline("-5*fx(slide, nowhere)"), "there is no marker");
    check_refused("cardan: 1\npoints: {A: [0, 0, 0], B: [0, 0, 1]}\n"
                  "bodies: {door: {mass: 3, inertia: [0.1, 0.1, 0.1], at: [0.5, 0, 0.5]}}\n"
                  "joints:\n  low: {revolute: [ground, door], at: A, axis: z, start: {v: 1}}\n"
                  "  high: {revolute: [ground, door], at: B, axis: z}\n"
                  "forces: {friction: {actuator: low, effort: \"=-0.01*reaction(high)\"}}\n",
                  "reads the reaction of joint 'high', which is not unique");
    // the load N of a vertical force k N: |m g + k N| = N has no solution for k = 2, and two for k = -2
    check_refused(loaded("-2*reaction(slide)"), "finds no load");
    check_refused(loaded("2*reaction(slide)"), "several loads");
    check_refused(incline("0\"}}\noutputs: {load: \"=reaction(slide)\"}\nstates: {s: {rate: \"0"),
                  "reads the reaction of joint 'slide'");
    check_refused(incline("-5*reaction(slide, x)"), "write reaction(joint)");
}

int main(void)
{
    RUN(test_incline());
    RUN(test_refusals());
    return test_end();
}
