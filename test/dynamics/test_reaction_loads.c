// SPDX-License-Identifier: BSD-3-Clause
// Forces that read reactions of joints: closed forms, residuals, energy, all formulations, and refusals.
#include "sentences.h"
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

// One effort as a signal, and as the number that the reactions of the solution give: the same accelerations.
static void check_consistent(const char* form, const char* effort, int joint, double factor, int* compared)
{
    for (int f = 0; f < cardan_formulation_count(); ++f) {
        char  text[2000], number[40];
        scene s, constant;
        snprintf(text, sizeof text, form, effort);
        const cardan_status status = open_scene(&s, text, f);
        if (status == CARDAN_OK && cardan_formulation_is_exact(f)) {
            const double* R = s.reaction[joint].force;
            snprintf(number, sizeof number, "%.17g", factor * sqrt(R[0] * R[0] + R[1] * R[1] + R[2] * R[2]));
            snprintf(text, sizeof text, form, number);
            CHECK(open_scene(&constant, text, f) == CARDAN_OK);
            const int nv = cardan_model_get_view(s.m).nv;
            for (int i = 0; i < nv; ++i) CHECK_NEAR(s.a[i], constant.a[i], 1e-9 * (1 + fabs(s.a[i])));
            CHECK(fabs(factor * R[2]) > 1e-3); // the friction is not zero
            ++*compared;
            close_scene(&constant);
        }
        close_scene(&s);
    }
}

// Friction in the bearing of a double pendulum, and in that of the crank of a spatial four-bar without redundancy.
static void test_bearing_friction(void)
{
    int trees = 0, loops = 0;
    check_consistent("cardan: 1\npoints: {A: [0, 0, 0], B: [1, 0, 0], C: [1.8, 0, 0]}\n"
                     "bodies: {upper: {rod: [A, B], mass: 1}, lower: {rod: [B, C], mass: 0.7}}\n"
                     "joints:\n  shoulder: {revolute: [ground, upper], at: A, axis: y, start: {q: 0.5, v: 1}}\n"
                     "  elbow: {revolute: [upper, lower], at: B, axis: y, start: {q: -1, v: 2}}\n"
                     "forces: {friction: {actuator: shoulder, effort: \"=%s\"}}\n",
                     "-0.02*reaction(shoulder)", 0, -0.02, &trees);
    check_consistent(
        "cardan: 1\npoints: {A: [0, 0, 0], B: [0, 0, 0.4], C: [1, 0.1, 0.9], D: [1, 0.1, 0]}\n"
        "bodies: {crank: {rod: [A, B], mass: 1}, coupler: {rod: [B, C], mass: 2}, rocker: {rod: [D, C], mass: 1}}\n"
        "joints:\n  A: {revolute: [ground, crank], at: A, axis: y, start: {v: 3}}\n"
        "  B: {spherical: [crank, coupler], at: B}\n  C: {universal: [coupler, rocker], at: C, axes: [x, y]}\n"
        "  D: {revolute: [ground, rocker], at: D, axis: y}\n"
        "forces: {friction: {actuator: A, effort: \"=%s\"}}\n",
        "-0.02*reaction(A)", 0, -0.02, &loops);
    CHECK(trees >= 6 && loops >= 4);
}

static void check_refused(const char* text, cardan_code code, const char* subject)
{
    scene s;
    CHECK(open_scene(&s, text, cardan_formulation_find("dense")) != CARDAN_OK);
    CHECK(s.report.count > 0);
    if (s.report.count > 0) CHECK_MESSAGE(&s.report.message[s.report.count - 1], code, subject);
    cardan_report_clear(&s.report);
    close_scene(&s);
}

static void test_refusals(void)
{
    check_refused(incline("-5*reaction(slid)"), CARDAN_CODE_MODEL_INVALID, "'slid'");
    check_refused(incline("-5*fx(slide, nowhere)"), CARDAN_CODE_MODEL_INVALID, "'nowhere'");
    check_refused(incline("-5*reaction(slide, x)"), CARDAN_CODE_MODEL_INVALID, "reaction(joint)");
    check_refused(incline("0\"}}\noutputs: {load: \"=reaction(slide)\"}\nstates: {s: {rate: \"0"),
                  CARDAN_CODE_EXPRESSION_INVALID, "'slide'");
    check_refused("cardan: 1\npoints: {A: [0, 0, 0], B: [0, 0, 1]}\n"
                  "bodies: {door: {mass: 3, inertia: [0.1, 0.1, 0.1], at: [0.5, 0, 0.5]}}\n"
                  "joints:\n  low: {revolute: [ground, door], at: A, axis: z, start: {v: 1}}\n"
                  "  high: {revolute: [ground, door], at: B, axis: z}\n"
                  "forces: {friction: {actuator: low, effort: \"=-0.01*reaction(high)\"}}\n",
                  CARDAN_CODE_REACTION_NOT_UNIQUE, "'high'");
    // the load N of a vertical force k N: |m g + k N| = N has no solution for k = 2, and two for k = -2
    check_refused(loaded("-2*reaction(slide)"), CARDAN_CODE_REACTION_NOT_SOLVED, "'press'");
    check_refused(loaded("2*reaction(slide)"), CARDAN_CODE_REACTION_NOT_SOLVED, "'press'");
}

int main(void)
{
    RUN(test_incline());
    RUN(test_bearing_friction());
    RUN(test_refusals());
    RUN(test_sentences("test_reaction_loads"));
    return test_end();
}
