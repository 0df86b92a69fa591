// SPDX-License-Identifier: BSD-3-Clause
// Equilibria that rigid contacts hold, against statics: weight and moments are balanced by forces inside the cones of
// friction; blocks slide above the angle of friction and tip above atan(width/height); messages for starts that do not rest.
#include "sentences.h"
#include "analysis_models.h"

static const double g = 9.81;

enum { POINTS_MAX = 16 };

// A block on a plane that is inclined by `slope` about y.
static const char block[] = "cardan: 1\n"
                            "name: block on an incline\n"
                            "parameters: {slope: 0, mu: 0.5, width: 0.4, height: 0.2, lift: 0}\n"
                            "materials: {wood: {}, stone: {}}\n"
                            "friction: {[wood, stone]: {mu: [=mu, =0.8*mu]}}\n"
                            "ground: {shape: {plane: 4, normal: [=sin(slope), 0, =cos(slope)], material: stone}}\n"
                            "bodies:\n"
                            "  block:\n"
                            "    box: [=width, 0.2, =height]\n"
                            "    rounding: 0\n"
                            "    mass: 3\n"
                            "    at: [=(height/2+lift)*sin(slope), 0, =(height/2+lift)*cos(slope)]\n"
                            "    orientation: {axis: y, angle: =slope}\n"
                            "    material: wood\n";

static cardan_status solve(scene* s, cardan_equilibrium* equilibrium)
{
    cardan_report_clear(&s->report);
    return cardan_equilibrium_solve(s->data, NULL, NULL, NULL, equilibrium, &s->report);
}

static void cross(const double a[3], const double b[3], double c[3])
{
    for (int k = 0; k < 3; ++k) c[k] = a[(k + 1) % 3] * b[(k + 2) % 3] - a[(k + 2) % 3] * b[(k + 1) % 3];
}

// The contact forces on the only body balance its weight, with moments about its mass centre, and satisfy Coulomb's law.
static void check_balance(scene* s, double mass, double mu, int points)
{
    cardan_contact c[POINTS_MAX];
    cardan_motion  body;
    const int      n        = cardan_data_contacts(s->data, POINTS_MAX, c);
    double         force[3] = {0}, moment[3] = {0};
    int            closed = 0;
    cardan_data_body_motions(s->data, NULL, &body);
    for (int i = 0; i < n && i < POINTS_MAX; ++i) {
        const double side = c[i].body[0] == 0 ? 1 : -1;
        double       r[3], f[3], t[3], normal = 0, all = 0;
        for (int k = 0; k < 3; ++k) {
            f[k] = side * c[i].force[k];
            r[k] = c[i].point[k] - body.p[k];
            normal += c[i].force[k] * c[i].normal[k];
            all += f[k] * f[k];
        }
        cross(r, f, t);
        for (int k = 0; k < 3; ++k) force[k] += f[k], moment[k] += t[k];
        closed += c[i].phase != CARDAN_CONTACT_OPEN;
        CHECK(normal >= -1e-9 * mass * g);
        CHECK(sqrt(fmax(0, all - normal * normal)) <= mu * normal + 1e-7 * mass * g);
    }
    CHECK(closed == points);
    for (int k = 0; k < 3; ++k) {
        CHECK_NEAR(force[k], k == 2 ? mass * g : 0, 1e-9 * mass * g);
        CHECK_NEAR(moment[k], 0, 1e-9 * mass * g);
    }
}

static void check_refused(scene* s, const char* name)
{
    cardan_equilibrium equilibrium;
    CHECK(solve(s, &equilibrium) == CARDAN_NOT_CONVERGED);
    CHECK(!equilibrium.is_held_by_contacts);
    CHECK(s->report.count >= 1 && s->report.message[0].code == CARDAN_CODE_NO_EQUILIBRIUM);
    CHECK_SENTENCE(s->report.message[0].text, name);
}

static void check_held(scene* s, double mass, double mu, int points)
{
    cardan_equilibrium equilibrium;
    const bool         good = solve(s, &equilibrium) == CARDAN_OK;
    if (!good) scene_tell(s);
    CHECK(good && equilibrium.is_held_by_contacts);
    CHECK(equilibrium.dof == 6 && equilibrium.max_acceleration < 1e-7);
    if (good) check_balance(s, mass, mu, points);
}

static void try_block(double slope, double mu, double width, double height, bool is_held)
{
    static const char* const formulation[] = {"dense", "order-n", "lagrange"};
    char                     text[4][40];
    const double             value[4] = {slope, mu, width, height};
    for (int i = 0; i < 4; ++i) snprintf(text[i], sizeof text[i], "%.17g", value[i]);
    const cardan_parameter_setting set[] = {
        {"slope", text[0]}, {"mu", text[1]}, {"width", text[2]}, {"height", text[3]}};
    for (int f = 0; f < 3; ++f) {
        scene s;
        if (scene_text(&s, block, formulation[f], 4, set)) {
            if (is_held)
                check_held(&s, 3, mu, 4);
            else
                check_refused(&s, "'block'");
        }
        scene_close(&s);
    }
}

// The block slides where tan(slope) > mu; the static coefficient decides, not the kinetic one.
static void test_slide(void)
{
    const double limit = atan(0.5), tiny = 1e-4;
    try_block(0, 0.5, 0.4, 0.2, true);
    try_block(0, 0, 0.4, 0.2, true);
    try_block(limit - tiny, 0.5, 0.4, 0.2, true);
    try_block(limit + tiny, 0.5, 0.4, 0.2, false);
    try_block(-limit + tiny, 0.5, 0.4, 0.2, true);
    try_block(-limit - tiny, 0.5, 0.4, 0.2, false);
}

// With enough friction it tips where its mass centre is outside its base.
static void test_tip(void)
{
    const double limit = atan(0.1 / 0.8), tiny = 1e-4;
    try_block(limit - tiny, 2, 0.1, 0.8, true);
    try_block(limit + tiny, 2, 0.1, 0.8, false);
}

// The forces at the four corners are not unique, that of a ball is.
static void test_uniqueness(void)
{
    static const char ball[] =
        "cardan: 1\n"
        "name: ball\n"
        "parameters: {slope: 0}\n"
        "materials: {wood: {}}\n"
        "friction: {[wood, wood]: {mu: 0.5}}\n"
        "ground: {shape: {plane: 4, normal: [=sin(slope), 0, =cos(slope)], material: wood}}\n"
        "bodies:\n"
        "  ball: {sphere: 0.5, mass: 2, at: [=0.5*sin(slope), 0, =0.5*cos(slope)], material: wood}\n";
    const cardan_parameter_setting inclined = {"slope", "0.01"};
    cardan_contact                 c[POINTS_MAX];
    scene                          s;
    if (scene_text(&s, block, "dense", 0, NULL)) {
        check_held(&s, 3, 0.5, 4);
        CHECK(cardan_data_contacts(s.data, POINTS_MAX, c) == 4);
        for (int i = 0; i < 4; ++i) CHECK(!c[i].is_unique);
    }
    scene_close(&s);
    if (scene_text(&s, ball, "dense", 0, NULL)) {
        check_held(&s, 2, 0.5, 1);
        CHECK(cardan_data_contacts(s.data, POINTS_MAX, c) == 1 && c[0].is_unique);
    }
    scene_close(&s);
    if (scene_text(&s, ball, "dense", 1, &inclined)) check_refused(&s, "'ball'"); // it rolls
    scene_close(&s);
}

// A rod on a hinge leans on the floor without friction: moments about the hinge give half its weight there.
static void test_lean(void)
{
    static const char  rod[] = "cardan: 1\n"
                               "name: leaning rod\n"
                               "materials: {wood: {}, ice: {}}\n"
                               "contacts: {also: [[ground, rod]]}\n"
                               "friction: {[wood, ice]: {mu: 0}}\n"
                               "ground: {shape: {plane: 4, material: ice}}\n"
                               "bodies:\n"
                               "  rod:\n"
                               "    rod: [[0, 0, 1.1], [2, 0, 0.1]]\n"
                               "    mass: 3\n"
                               "    shape: {sphere: 0.1, at: [2, 0, 0.1], material: wood}\n"
                               "joints: {hinge: {revolute: [ground, rod], at: [0, 0, 1.1], axis: y}}\n";
    cardan_equilibrium equilibrium;
    cardan_contact     c[POINTS_MAX];
    scene              s;
    if (scene_text(&s, rod, "dense", 0, NULL)) {
        const bool good = solve(&s, &equilibrium) == CARDAN_OK;
        if (!good) scene_tell(&s);
        CHECK(good && equilibrium.is_held_by_contacts && equilibrium.dof == 1);
        CHECK(cardan_data_contacts(s.data, POINTS_MAX, c) == 1 && c[0].is_unique);
        CHECK_NEAR(fabs(c[0].force[2]), 0.5 * 3 * g, 1e-9);
        CHECK_NEAR(hypot(c[0].force[0], c[0].force[1]), 0, 1e-9);
    }
    scene_close(&s);
}

// A ball on a spring: above the floor the equilibrium is that without contacts; below it is refused. Without the spring
// nothing holds it, and a start that overlaps is refused.
static void test_open(void)
{
    static const char              ball[] = "cardan: 1\n"
                                            "name: hanging ball\n"
                                            "parameters: {k: 100, z: 1}\n"
                                            "materials: {wood: {}}\n"
                                            "contacts: {also: [[ground, ball]]}\n"
                                            "friction: {[wood, wood]: {mu: 0.5}}\n"
                                            "ground: {shape: {plane: 4, material: wood}}\n"
                                            "bodies:\n"
                                            "  ball: {sphere: 0.1, mass: 2, at: [0, 0, 1], material: wood}\n"
                                            "joints:\n"
                                            "  rail: {prismatic: [ground, ball], at: [0, 0, 1], axis: z, start: {q: =z-1}, "
                                            "spring: =k}\n";
    const cardan_parameter_setting soft = {"k", "10"}, none = {"k", "0"}, low = {"z", "0.05"};
    cardan_equilibrium             equilibrium;
    scene                          s;
    if (scene_text(&s, ball, "dense", 0, NULL)) {
        CHECK(solve(&s, &equilibrium) == CARDAN_OK && !equilibrium.is_held_by_contacts);
        CHECK(equilibrium.stability == CARDAN_STABLE);
        CHECK_NEAR(scene_q(&s, "rail"), -2 * g / 100, 1e-9);
    }
    scene_close(&s);
    if (scene_text(&s, ball, "dense", 1, &soft)) check_refused(&s, "'ball'");
    scene_close(&s);
    if (scene_text(&s, ball, "dense", 1, &none)) {
        check_refused(&s, "'ball'");
        CHECK(s.report.count == 2);
        CHECK_SENTENCE(s.report.message[1].text, "--state");
    }
    scene_close(&s);
    if (scene_text(&s, ball, "dense", 1, &low)) check_refused(&s, "0.05 m");
    scene_close(&s);
}

int main(void)
{
    RUN(test_slide());
    RUN(test_tip());
    RUN(test_uniqueness());
    RUN(test_lean());
    RUN(test_open());
    RUN(test_sentences("test_equilibrium_contacts"));
    return test_end();
}
