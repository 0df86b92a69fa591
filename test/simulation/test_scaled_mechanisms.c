// SPDX-License-Identifier: BSD-3-Clause
// Scaled mechanisms: lengths from 1e-9 m to 1e3 m and masses from 1e-20 kg to 1e6 kg, with gravity proportional to the
// length so that times are equal. Angles, velocities and the workspace limit of a driver with its message equal those
// of the mechanism of 1 m and 1 kg.
#include "analysis_models.h"
#include "sentences.h"

#include <math.h>

#define HEAD "cardan: 1\nname: sized\nparameters: {L: 1, M: 1, law: 0}\n"

static const char four_bar[] = HEAD "gravity: [0, =-9.81*L, 0]\n"
                                    "bodies:\n"
                                    "  crank: {rod: [[0, 0, 0], [0, =0.4*L, 0]], mass: =M}\n"
                                    "  coupler: {rod: [[0, =0.4*L, 0], [=L, =0.9*L, 0]], mass: =2*M}\n"
                                    "  rocker: {rod: [[=L, =0.9*L, 0], [=1.2*L, 0, 0]], mass: =3*M}\n"
                                    "joints:\n"
                                    "  A: {revolute: [ground, crank], at: [0, 0, 0], axis: z, start: {v: 1}}\n"
                                    "  B: {revolute: [crank, coupler], at: [0, =0.4*L, 0], axis: z}\n"
                                    "  C: {revolute: [coupler, rocker], at: [=L, =0.9*L, 0], axis: z}\n"
                                    "  D: {revolute: [rocker, ground], at: [=1.2*L, 0, 0], axis: z}\n";

// law 0: oscillation; 1: to the workspace limit at 0.7 s and beyond.
static const char slider_crank[] =
    HEAD "gravity: [0, 0, =-9.81*L]\n"
         "bodies:\n"
         "  a: {rod: [[0, 0, 0], [=0.6*L, =0.8*L, 0]], mass: =M}\n"
         "  b: {rod: [[=0.6*L, =0.8*L, 0], [=1.2*L, 0, 0]], mass: =M}\n"
         "  s: {at: [=1.2*L, 0, 0], mass: =M, inertia: [=1e-3*M*L^2, =1e-3*M*L^2, =1e-3*M*L^2]}\n"
         "joints:\n"
         "  A: {revolute: [ground, a], at: [0, 0, 0], axis: z}\n"
         "  B: {revolute: [a, b], at: [=0.6*L, =0.8*L, 0], axis: z}\n"
         "  C: {revolute: [b, s], at: [=1.2*L, 0, 0], axis: z}\n"
         "  P: {prismatic: [ground, s], at: [=1.2*L, 0, 0], axis: x, "
         "driver: \"=(1 - law)*0.3*L*sin(t) + law*0.8*L*t/0.7\"}\n";

// All axes intersect: the joints define no length.
#define INERTIA "inertia: [=0.1*M*L^2, =0.12*M*L^2, =0.15*M*L^2]}\n"
#define SPHERICAL(crank)                                                                                               \
    HEAD "gravity: [0, 0, =-9.81*L]\n"                                                                                 \
         "bodies:\n"                                                                                                   \
         "  one: {mass: =M, centre: [=0.862*L, =0.198*L, =0.282*L], " INERTIA                                          \
         "  two: {mass: =M, centre: [=0.353*L, =0.508*L, =0.674*L], " INERTIA                                          \
         "  three: {mass: =M, centre: [=-0.17*L, =0.781*L, =0.442*L], " INERTIA "joints:\n"                            \
         "  A: {revolute: [ground, one], at: [0, 0, 0], axis: x, " crank "}\n"                                         \
         "  B: {revolute: [one, two], at: [0, 0, 0], axis: [0.7243001433518, 0.3956869717073, 0.5646424733950]}\n"     \
         "  C: {revolute: [two, three], at: [0, 0, 0], axis: [-0.0181507141312, 0.6213449156708, 0.7833269096274]}\n"  \
         "  D: {revolute: [three, ground], at: [0, 0, 0], axis: [-0.3216744656, 0.9415725288519, 0.0998334166468]}\n"
static const char spherical[] = SPHERICAL("start: {v: 1}"), spherical_driven[] = SPHERICAL("driver: \"=0.3*sin(t)\"");

// Massless rods and shoe: constraints alone determine some motions.
static const char scissor[] = HEAD "gravity: [0, 0, =-9.81*L]\n"
                                   "bodies:\n"
                                   "  u0: {rod: [[0, 0, 0], [=0.92*L, 0, =0.39*L]], mass: =M}\n"
                                   "  d0: {rod: [[=0.92*L, 0, 0], [0, 0, =0.39*L]], mass: =M}\n"
                                   "  foot: {at: [=0.92*L, 0, 0], mass: =0.5*M}\n"
                                   "  shoe: {at: [=0.92*L, 0, =0.39*L], mass: 0}\n"
                                   "  top: {at: [0, 0, =0.39*L], mass: =5*M, inertia: [=M*L^2, =M*L^2, =M*L^2]}\n"
                                   "joints:\n"
                                   "  A: {revolute: [ground, u0], at: [0, 0, 0], axis: y}\n"
                                   "  slide: {prismatic: [ground, foot], at: [=0.92*L, 0, 0], axis: x}\n"
                                   "  pin: {revolute: [foot, d0], at: [=0.92*L, 0, 0], axis: y}\n"
                                   "  mid: {revolute: [u0, d0], at: [=0.46*L, 0, =0.195*L], axis: y}\n"
                                   "  left: {revolute: [d0, top], at: [0, 0, =0.39*L], axis: y}\n"
                                   "  glide: {prismatic: [top, shoe], at: [=0.92*L, 0, =0.39*L], axis: x}\n"
                                   "  right: {revolute: [u0, shoe], at: [=0.92*L, 0, =0.39*L], axis: y}\n";

static const char sarrus[] = HEAD "gravity: [0, 0, =-9.81*L]\n"
                                  "bodies:\n"
                                  "  a1: {rod: [[=L, 0, 0], [=1.5*L, 0, =0.5*L]], radius: =0.02*L, mass: =M}\n"
                                  "  a2: {rod: [[=1.5*L, 0, =0.5*L], [=L, 0, =L]], radius: =0.02*L, mass: =M}\n"
                                  "  b1: {rod: [[0, =L, 0], [0, =1.5*L, =0.5*L]], radius: =0.02*L, mass: =M}\n"
                                  "  b2: {rod: [[0, =1.5*L, =0.5*L], [0, =L, =L]], radius: =0.02*L, mass: =M}\n"
                                  "  top: {at: [0, 0, =L], mass: =2*M, inertia: [=M*L^2, =M*L^2, =1.5*M*L^2]}\n"
                                  "joints:\n"
                                  "  A: {revolute: [ground, a1], at: [=L, 0, 0], axis: y}\n"
                                  "  A2: {revolute: [a1, a2], at: [=1.5*L, 0, =0.5*L], axis: y}\n"
                                  "  A3: {revolute: [a2, top], at: [=L, 0, =L], axis: y}\n"
                                  "  B1: {revolute: [ground, b1], at: [0, =L, 0], axis: x}\n"
                                  "  B2: {revolute: [b1, b2], at: [0, =1.5*L, =0.5*L], axis: x}\n"
                                  "  B3: {revolute: [b2, top], at: [0, =L, =L], axis: x}\n";

static const double lengths[] = {1e3, 1e-3, 1e-4, 1e-6, 1e-9}, masses[] = {1e6, 1, 1e-6, 1e-15, 1e-20};
enum { SIZES = sizeof lengths / sizeof *lengths };

static const char* const formulations[] = {"reduction", "lagrange", "dense", "order-n", "augmented", "embedding"};
enum { FORMULATIONS = sizeof formulations / sizeof *formulations };

// Result of a run: status, angle and velocity of joint A, last error.
typedef struct outcome {
    cardan_status      status;
    cardan_run_summary summary;
    double             q, v;
    cardan_message     error; // the last one; code 0: none
} outcome;

static outcome run_model(const char* text, const char* formulation, double L, double M, double law, double end,
                         bool kinematics)
{
    char    value[3][40];
    outcome out = {.status = CARDAN_BAD_INPUT, .q = NAN};
    snprintf(value[0], 40, "%.17g", L);
    snprintf(value[1], 40, "%.17g", M);
    snprintf(value[2], 40, "%.17g", law);
    const cardan_parameter_setting set[] = {
        {.name = "L", .value = value[0]}, {.name = "M", .value = value[1]}, {.name = "law", .value = value[2]}};
    scene s;
    if (scene_text(&s, text, formulation, 3, set)) {
        double              q[CARDAN_JOINT_VELOCITIES_MAX + 1], v[CARDAN_JOINT_VELOCITIES_MAX];
        cardan_run_settings run = cardan_run_default();
        run.end                 = end;
        run.output_interval     = end / 10;
        out.status = (kinematics ? cardan_kinematic_analysis : cardan_simulate)(s.data, &run, &out.summary, &s.report);
        cardan_data_joint_state(s.data, scene_joint(&s, "A"), q, v);
        out.q = q[0];
        out.v = v[0];
        for (int i = 0; i < s.report.count; ++i)
            if (s.report.message[i].severity == CARDAN_ERROR) out.error = s.report.message[i];
    }
    scene_close(&s);
    return out;
}

static void check_scaled(const char* text, double end, bool kinematics, double tolerance)
{
    const outcome one = run_model(text, "reduction", 1, 1, 0, end, kinematics);
    CHECK(one.status == CARDAN_OK);
    for (int f = 0; f < FORMULATIONS; ++f)
        for (int i = 0; i < SIZES; ++i) {
            const double  M   = masses[(i + f) % SIZES];
            const outcome out = run_model(text, formulations[f], lengths[i], M, 0, end, kinematics);
            const bool    fits =
                out.status == CARDAN_OK && fabs(out.q - one.q) <= tolerance && fabs(out.v - one.v) <= tolerance * 100;
            CHECK(fits);
            if (!fits)
                printf("    %s, %g m, %g kg: %s, off by %.2g and %.2g, %s\n", formulations[f], lengths[i], M,
                       cardan_status_name(out.status), out.q - one.q, out.v - one.v, out.error.text);
        }
}

static void test_four_bar(void) { check_scaled(four_bar, 0.8, false, 1e-6); }
static void test_slider_crank(void) { check_scaled(slider_crank, 1, false, 1e-6); }
static void test_slider_crank_kinematics(void) { check_scaled(slider_crank, 1, true, 1e-10); }
static void test_spherical(void) { check_scaled(spherical, 1, false, 1e-5); }
static void test_spherical_kinematics(void) { check_scaled(spherical_driven, 1, true, 1e-10); }
static void test_scissor(void) { check_scaled(scissor, 0.2, false, 1e-6); }
static void test_sarrus(void) { check_scaled(sarrus, 0.3, false, 1e-6); }

static void check_workspace_limit(const char* formulation, int i, bool kinematics)
{
    const outcome out   = run_model(slider_crank, formulation, lengths[i], masses[i], 1, 1, kinematics);
    const char*   at    = strstr(out.error.text, "t = ");
    const bool    limit = at && fabs(atof(at + strlen("t = ")) - 0.7) < 1e-6;
    CHECK(out.status && limit);
    CHECK_MESSAGE(&out.error, CARDAN_CODE_DRIVER_LIMIT, "driver of 'P'");
    if (!limit)
        printf("    %s, %g m: %s, %s\n", formulation, lengths[i], cardan_status_name(out.status), out.error.text);
}

static void test_workspace_limit(void)
{
    for (int i = 0; i < SIZES; ++i) {
        check_workspace_limit("reduction", i, false);
        for (int f = 0; f < FORMULATIONS; ++f) check_workspace_limit(formulations[f], i, true);
    }
    for (int f = 1; f < FORMULATIONS; ++f) check_workspace_limit(formulations[f], 3, false);
}

// Dead centre of a four-bar whose crank and coupler have no mass: the motion of the crank is undetermined.
static void test_massless_links(void)
{
    static const char text[] = HEAD "gravity: [0, =-9.81*L, 0]\n"
                                    "bodies: {crank: {mass: 0}, coupler: {mass: 0}, rocker: {mass: =2*M, centre: [=L, "
                                    "=0.9*L, 0]}}\n"
                                    "joints:\n"
                                    "  A: {revolute: [ground, crank], at: [0, 0, 0], axis: z}\n"
                                    "  B: {revolute: [crank, coupler], at: [0, =0.4*L, 0], axis: z}\n"
                                    "  C: {revolute: [coupler, rocker], at: [=L, =0.9*L, 0], axis: z}\n"
                                    "  D: {revolute: [rocker, ground], at: [=1.2*L, 0, 0], axis: z}\n";
    const outcome     out    = run_model(text, "reduction", 1, 1, 0, 1, false);
    CHECK(out.status == CARDAN_STEP_TOO_SMALL);
    CHECK_MESSAGE(&out.error, CARDAN_CODE_ZERO_INERTIA, "body 'crank'", "t = 0.65956", " z");
}

int main(void)
{
    RUN(test_four_bar());
    RUN(test_slider_crank());
    RUN(test_slider_crank_kinematics());
    RUN(test_spherical());
    RUN(test_spherical_kinematics());
    RUN(test_scissor());
    RUN(test_sarrus());
    RUN(test_workspace_limit());
    RUN(test_massless_links());
    RUN(test_sentences("test_scaled_mechanisms"));
    return test_end();
}
