// SPDX-License-Identifier: BSD-3-Clause
// Suspension studies against closed forms of trailing arms, parallel wishbones and a beam axle; bushings in
// equilibrium, dead points; wheel loads and wheel rates against derivatives of the energy.
#include "sentences.h"
#include "suspension_models.h"

// ---- trailing arms with an anti-roll bar

static const char arms[] =
    "cardan: 1\n"
    "gravity: [0, 0, 0]\n"
    "templates:\n"
    "  side:\n"
    "    points: {pivot: [0, 0.5, 0.35], wheel: [-0.4, 0.7, 0.3]}\n"
    "    bodies: {arm: {at: wheel, mass: 10, inertia: [1, 1, 1]}}\n"
    "    markers: {hub: {on: arm, at: wheel}}\n"
    "    joints: {pivot: {revolute: [ground, arm], at: pivot, axis: y, spring: {stiffness: 5000, rest: -0.2}}}\n"
    "use: {L: {side: {}}, R: {side: {}, mirror: y}}\n"
    "forces:\n"
    "  bar: {torsion: [{on: L.arm, orientation: {x: z, z: y}}, {on: R.arm, orientation: {x: z, z: y}}], stiffness: "
    "800}\n"
    "suspension:\n"
    "  travel: [-0.12, 0.1]\n"
    "  wheels: {L: {hub: L.hub, radius: 0.3, spring: L.pivot}, R: {hub: R.hub, radius: 0.3, spring: R.pivot}}\n";

typedef struct arm {
    double q, x, ratio, load, rate;
} arm;

// q: sin(q - phi) = (z - d)/r; F = (k (q - reference) + bar (q - other))/(r cos).
static arm arm_at(double z, double q_other, double share)
{
    const double r = hypot(0.4, 0.05), phi = atan2(0.05, 0.4), k = 5000, bar = 800, reference = -0.2;
    const double angle = asin((z - 0.05) / r), q = angle + phi, lever = r * cos(angle),
                 torque     = k * (q - reference) + bar * (q - q_other);
    const double derivative = (k + bar * share) / lever + torque * r * sin(angle) / (lever * lever); // dF/dq
    return (arm){q, -lever, 1 / lever, torque / lever, derivative / lever};
}

static void trailing_arms(void)
{
    scene s;
    OPEN(&s, open_text(&s, arms));
    const cardan_suspension_sweep* p = sweep(&s, CARDAN_SWEEP_PARALLEL);
    CHECK(p->npoint == 41 && !p->low.locked && !p->high.locked);
    CHECK_NEAR(p->point[0].position, -0.12, 1e-15);
    CHECK_NEAR(p->point[p->design_point].position, 0, 1e-15);
    for (int i = 0; i < p->npoint; ++i) {
        const double              z  = p->point[i].position;
        const arm                 a0 = arm_at(0, 0, 0), a = arm_at(z, arm_at(z, 0, 0).q, 0);
        const cardan_wheel_state* w = &p->point[i].wheel[0];
        CHECK_NEAR(w->camber, 0, 1e-12);
        CHECK_NEAR(w->toe, 0, 1e-12);
        CHECK_NEAR(w->track_change, 0, 1e-12);
        CHECK_NEAR(w->wheelbase_change, a.x - a0.x, 1e-11);
        CHECK_NEAR(w->spring_length, a.q, 1e-10);
        CHECK_NEAR(w->spring_ratio, a.ratio, 1e-10);
        CHECK_NEAR(w->vertical_force, a.load, 1e-9);
        CHECK_NEAR(w->wheel_rate, a.rate, 1e-6);
        CHECK_NEAR(w->roll_centre, 0, 1e-12);                                  // on the ground
        CHECK_NEAR(w->drive_angle, asin((z - 0.05) / hypot(0.4, 0.05)), 1e-9); // perpendicular to the arm
        CHECK(p->point[i].max_violation < 1e-10 && isnan(w->caster));
    }
    const cardan_suspension_sweep* o = sweep(&s, CARDAN_SWEEP_SINGLE);
    for (int i = 0; i < o->npoint; ++i) {
        const arm right = arm_at(0, arm_at(o->point[i].position, 0, 0).q, 0), left = arm_at(o->point[i].position, 0, 1);
        CHECK_NEAR(o->point[i].wheel[0].vertical_force, left.load, 1e-9);
        CHECK_NEAR(o->point[i].wheel[0].wheel_rate, left.rate, 1e-6);
        CHECK_NEAR(o->point[i].wheel[1].vertical_force, right.load, 1e-9);
    }
    CHECK(!cardan_suspension_study_has_sweep(s.study, CARDAN_SWEEP_STEERING));
    close_scene(&s);
}

// ---- parallel wishbones of equal length

// Closed form: angle theta of the arms above the horizontal, spring length and its derivative by theta.
static void parallel_wishbones(void)
{
    scene  s;
    char   text[4000];
    double l = 0.4, a = 0.2;
    snprintf(text, sizeof text, "%s%s", wishbones, wishbone_study);
    OPEN(&s, open_text(&s, text));
    const cardan_suspension_sweep* p = sweep(&s, CARDAN_SWEEP_PARALLEL);
    const double y0 = 0.05, z0 = 0.35, design_length = hypot(y0 - l / 2 * cos(a), z0 + l / 2 * sin(a));
    CHECK(p->npoint == 21);
    for (int i = 0; i < p->npoint; ++i) {
        const cardan_wheel_state* w = &p->point[i].wheel[0];
        const double theta = asin(p->point[i].position / l - sin(a)), y = l / 2 * cos(theta), z = l / 2 * sin(theta);
        const double length   = hypot(y0 - y, z0 - z);
        const double by_angle = ((y0 - y) * z - (z0 - z) * y) / length; // d length / d theta
        const double lever = l * cos(theta), ratio = -by_angle / lever;
        const double force = 40000 * (design_length - length) + 2500; // compression is positive
        CHECK_NEAR(w->camber, 0, 1e-11);
        CHECK_NEAR(w->toe, 0, 1e-11);
        CHECK_NEAR(w->caster, 0, 1e-11);
        CHECK_NEAR(w->kingpin_inclination, 0, 1e-11);
        CHECK_NEAR(w->scrub_radius, 0.1, 1e-11);
        CHECK_NEAR(w->trail, 0, 1e-11);
        CHECK_NEAR(w->track_change, l * (cos(theta) - cos(a)), 1e-11);
        CHECK_NEAR(w->spring_length, length, 1e-11);
        CHECK_NEAR(w->spring_ratio, ratio, 1e-10);
        CHECK_NEAR(w->vertical_force, force * ratio, 1e-9);
        // k MR^2, and the geometric term F dMR/dz by differences of the closed form
        double derivative = 0;
        for (int side = -1; side <= 1; side += 2) {
            const double t1 = asin((p->point[i].position + side * 1e-5) / l - sin(a)), y1 = l / 2 * cos(t1),
                         z1 = l / 2 * sin(t1);
            derivative += side * -((y0 - y1) * z1 - (z0 - z1) * y1) / hypot(y0 - y1, z0 - z1) / (l * cos(t1)) / 2e-5;
        }
        CHECK_NEAR(w->wheel_rate, 40000 * ratio * ratio + force * derivative, 1e-6);
        // the contact moves perpendicular to the arms: the line to the roll centre is parallel to them
        CHECK_NEAR(w->roll_centre, -(0.4 + l * cos(theta)) * tan(theta), 1e-9);
        CHECK(p->point[i].max_violation < 1e-10);
    }
    close_scene(&s);
}

static void dead_point(void)
{
    scene s;
    char  text[4000];
    snprintf(
        text, sizeof text,
        "%ssuspension:\n  travel: [-0.6, 0.6]\n  points: 25\n  wheels: {W: {hub: {on: carrier, at: W}, radius: 0.3}}\n",
        wishbones);
    OPEN(&s, open_text(&s, text));
    const cardan_suspension_sweep* p = sweep(&s, CARDAN_SWEEP_PARALLEL);
    CHECK(p->low.locked && p->high.locked);
    CHECK_NEAR(p->high.position, 0.4 * (1 + sin(0.2)), 1e-5);
    CHECK_NEAR(p->low.position, -0.4 * (1 - sin(0.2)), 1e-5);
    CHECK_TEXT_CASE(p->high.reason, "upper end", "");
    CHECK(p->point[0].position >= p->low.position && p->point[p->npoint - 1].position <= p->high.position &&
          p->npoint > 10);
    CHECK_NEAR(p->point[p->design_point].position, 0, 1e-15);
    close_scene(&s);
}

// ---- bushings in equilibrium

// Two springs in series along the travel, the body between them in equilibrium: k1 k2/(k1 + k2).
static void in_series(void)
{
    scene s;
    OPEN(&s, open_text(&s, "cardan: 1\n"
                           "bodies:\n"
                           "  between: {at: [0, 0.7, 0.5], mass: 2, inertia: [1, 1, 1]}\n"
                           "  carrier: {at: [0, 0.7, 0.3], mass: 10, inertia: [1, 1, 1]}\n"
                           "joints:\n"
                           "  upper: {prismatic: [ground, between], at: [0, 0.7, 0.5], axis: z}\n"
                           "  lower: {prismatic: [between, carrier], at: [0, 0.7, 0.3], axis: z}\n"
                           "forces:\n"
                           "  mount: {bushing: [between, {on: ground, at: [0, 0.7, 0.5]}], stiffness: [0, 0, 90000]}\n"
                           "  coil: {spring: [between, carrier], stiffness: 30000, preload: -1000}\n"
                           "suspension:\n"
                           "  wheels: {W: {hub: carrier, radius: 0.3, spring: coil}}\n"));
    const cardan_suspension_sweep* p = sweep(&s, CARDAN_SWEEP_PARALLEL);
    for (int i = 0; i < p->npoint; ++i) {
        // 90000 u + 2 g = force of the coil on the middle body = 1000 + 30000 (z - u)
        const double u    = (1000 - 2 * 9.81 + 30000 * p->point[i].position) / 120000,
                     coil = 1000 + 30000 * (p->point[i].position - u);
        CHECK_NEAR(p->point[i].wheel[0].vertical_force, coil + 10 * 9.81, 1e-9);
        CHECK_NEAR(p->point[i].wheel[0].wheel_rate, 22500, 1e-7);
        CHECK_NEAR(p->point[i].wheel[0].spring_ratio, 0.75, 1e-8);
    }
    close_scene(&s);
}

// Wheel load and wheel rate are the first and second derivatives of the energy by travel, here by finite differences
// over sweep points.
static void check_energy(const cardan_suspension_sweep* p)
{
    double scale = 0;
    for (int i = 0; i < p->npoint; ++i)
        for (int k = 0; k < p->nwheel; ++k) scale = fmax(scale, fabs(p->point[i].wheel[k].vertical_force));
    for (int i = 2; i + 2 < p->npoint; ++i) {
        const double h          = p->point[i + 1].position - p->point[i].position,
                     derivative = (8 * (p->point[i + 1].energy - p->point[i - 1].energy) - p->point[i + 2].energy +
                                   p->point[i - 2].energy) /
                                  (12 * h);
        double load = 0;
        if (fabs(p->point[i + 2].position - p->point[i].position - 2 * h) > 1e-12 ||
            fabs(p->point[i].position - p->point[i - 2].position - 2 * h) > 1e-12)
            continue;
        for (int k = 0; k < p->nwheel; ++k) {
            const double share = p->point[i].position != 0 ? p->point[i].wheel[k].travel / p->point[i].position
                                                           : p->point[i + 1].wheel[k].travel / p->point[i + 1].position;
            const double force =
                (8 * (p->point[i + 1].wheel[k].vertical_force - p->point[i - 1].wheel[k].vertical_force) -
                 p->point[i + 2].wheel[k].vertical_force + p->point[i - 2].wheel[k].vertical_force) /
                (12 * h);
            load += share * p->point[i].wheel[k].vertical_force;
            if (share != 0) CHECK_NEAR(p->point[i].wheel[k].wheel_rate, force / share, 3e-5);
        }
        CHECK(fabs(load - derivative) < 1e-5 * scale);
    }
}

// Beam axle on two bushings: wheel rate k in parallel travel, k (distance of bushings / track)^2 in roll.
static void beam_axle(void)
{
    scene s;
    OPEN(&s, open_text(&s, "cardan: 1\n"
                           "gravity: [0, 0, 0]\n"
                           "bodies: {beam: {at: [0, 0, 0.3], mass: 80, inertia: [20, 1, 20]}}\n"
                           "markers: {L: {on: beam, at: [0, 0.8, 0.3]}, R: {on: beam, at: [0, -0.8, 0.3]}}\n"
                           "forces:\n"
                           "  left: {bushing: [{on: beam, at: [0, 0.5, 0.3]}, {on: ground, at: [0, 0.5, 0.3]}], "
                           "stiffness: [2e6, 1e6, 30000, 100, 5000, 100]}\n"
                           "  right: {bushing: [{on: beam, at: [0, -0.5, 0.3]}, {on: ground, at: [0, -0.5, 0.3]}], "
                           "stiffness: [2e6, 1e6, 30000, 100, 5000, 100]}\n"
                           "suspension:\n"
                           "  travel: [-0.06, 0.06]\n"
                           "  points: 25\n"
                           "  wheels: {L: {hub: L, radius: 0.3}, R: {hub: R, radius: 0.3}}\n"));
    const cardan_suspension_sweep *p = sweep(&s, CARDAN_SWEEP_PARALLEL), *o = sweep(&s, CARDAN_SWEEP_OPPOSITE);
    for (int i = 0; i < p->npoint; ++i) {
        CHECK_NEAR(p->point[i].wheel[0].wheel_rate, 30000, 1e-7);
        CHECK_NEAR(p->point[i].wheel[0].vertical_force, 30000 * p->point[i].position, 1e-8);
        CHECK_NEAR(p->point[i].wheel[1].camber, 0, 1e-10);
        // the wheel planes rotate with the beam: left wheel up, top of the right wheel outward
        CHECK_NEAR(o->point[i].wheel[0].camber, -asin(o->point[i].position / 0.8), 1e-9);
        CHECK_NEAR(o->point[i].wheel[1].camber, asin(o->point[i].position / 0.8), 1e-9);
        CHECK(o->point[i].max_violation < 1e-10);
    }
    // in roll the rotational stiffness of both bushings about x contributes
    CHECK_NEAR(o->point[o->design_point].wheel[0].wheel_rate, 30000 * 0.5 * 0.5 / 0.64 + 100 / 0.64, 1e-7);
    check_energy(o);
    check_energy(sweep(&s, CARDAN_SWEEP_SINGLE));
    close_scene(&s);
}

// Wishbones on bushings converge to wishbones on hinges with growing stiffness k: the difference decreases as 1/k.
static void stiff_bushings(void)
{
    scene  hinge;
    char   text[6000];
    double difference[2];
    snprintf(text, sizeof text, "%s%s", wishbones, wishbone_study);
    OPEN(&hinge, open_text(&hinge, text));
    const cardan_suspension_sweep* h = sweep(&hinge, CARDAN_SWEEP_PARALLEL);
    for (int n = 0; n < 2; ++n) {
        scene       s;
        const char* k        = n ? "1e8" : "1e7";
        const char* at       = strstr(wishbones, "  lower: {revolute: ");
        const char* line_end = strchr(at, '\n') + 1;
        snprintf(text, sizeof text,
                 "%.*s%s  mount: {bushing: [{on: lower, at: A}, {on: ground, at: A}], stiffness: [%s, %s, %s, 0, %s, "
                 "%s]}\n%s",
                 (int)(at - wishbones), wishbones, line_end, k, k, k, n ? "1e6" : "1e5", n ? "1e6" : "1e5",
                 wishbone_study);
        OPEN(&s, open_text(&s, text));
        const cardan_suspension_sweep* p = sweep(&s, CARDAN_SWEEP_PARALLEL);
        check_energy(p);
        difference[n] = 0;
        for (int i = 0; i < p->npoint; ++i) {
            difference[n] =
                fmax(difference[n], fabs(p->point[i].wheel[0].track_change - h->point[i].wheel[0].track_change));
            CHECK_NEAR(p->point[i].wheel[0].wheel_rate, h->point[i].wheel[0].wheel_rate, n ? 2e-3 : 2e-2);
            CHECK(p->point[i].max_violation < 1e-10);
        }
        close_scene(&s);
    }
    CHECK(difference[0] > 1e-7 && difference[0] < 1e-2);
    CHECK_NEAR(difference[1] / difference[0], 0.1, 0.02);
    close_scene(&hinge);
}

static void energies(void)
{
    static const char* const models[] = {"models/hmmwv/front_axle.yaml", "models/hmmwv/rear_axle.yaml",
                                         "models/macpherson", "models/trailing_arm"};
    for (int m = 0; m < 4; ++m) {
        scene s;
        OPEN(&s, open_file(&s, models[m], CARDAN_TREE_BREADTH_FIRST));
        check_energy(sweep(&s, CARDAN_SWEEP_PARALLEL));
        check_energy(sweep(&s, CARDAN_SWEEP_OPPOSITE));
        check_energy(sweep(&s, CARDAN_SWEEP_SINGLE));
        close_scene(&s);
    }
}

// Wheel on a very stiff spring that acts as an arm: the wheel moves on a circle, and load and rate are those of a rigid
// arm.
static void stiff_arm(double stiffness)
{
    char text[1200];
    snprintf(text, sizeof text,
             "cardan: 1\n"
             "bodies: {h: {mass: 20, at: [-0.4, 0.7, 0.3], inertia: [0.1, 0.1, 0.1]}}\n"
             "joints: {p: {general: [ground, h], at: [-0.4, 0.7, 0.3], steps: [{translate: x}, {translate: z}]}}\n"
             "forces:\n"
             "  arm: {spring: [h, {on: ground, at: [0, 0.7, 0.35]}], stiffness: %.17g}\n"
             "  coil: {spring: [{on: ground, at: [-0.4, 0.7, 0.7]}, h], stiffness: 30000, length: 0.5}\n"
             "suspension: {wheels: {L: {hub: h, radius: 0.3, spring: coil}}, travel: [-0.05, 0.05], points: 5}\n",
             stiffness);
    scene s;
    OPEN(&s, open_text(&s, text));
    const cardan_suspension_sweep* p = sweep(&s, CARDAN_SWEEP_PARALLEL);
    for (int i = 0; i < p->npoint; ++i) {
        const double z = 0.3 + p->point[i].position, x = -sqrt(0.16 + 0.0025 - (z - 0.35) * (z - 0.35));
        const double x1 = -(z - 0.35) / x, x2 = -(1 + x1 * x1) / x, d = hypot(x + 0.4, z - 0.7);
        const double d1 = ((x + 0.4) * x1 + z - 0.7) / d, d2 = (x1 * x1 + (x + 0.4) * x2 + 1 - d1 * d1) / d;
        CHECK_NEAR(p->point[i].wheel[0].vertical_force, 20 * 9.81 + 30000 * (d - 0.5) * d1, 1e6 / stiffness + 1e-6);
        CHECK_NEAR(p->point[i].wheel[0].wheel_rate, 30000 * (d1 * d1 + (d - 0.5) * d2), 1e6 / stiffness + 1e-6);
    }
    close_scene(&s);
}

static void stiff_arms(void)
{
    for (double stiffness = 1e8; stiffness < 2e14; stiffness *= 10) stiff_arm(stiffness);
}

// ---- invalid wheels

static void invalid_wheel(const char* wheel, const char* parts)
{
    static char text[2000];
    scene       s;
    snprintf(
        text, sizeof text,
        "cardan: 1\n"
        "bodies: {arm: {at: [-0.4, 0.7, 0.3], mass: 10, inertia: [1, 1, 1]}}\n"
        "joints: {pivot: {revolute: [ground, arm], at: [0, 0.5, 0.35], axis: y}}\n"
        "suspension: {travel: [-0.1, 0.1], wheels: {L: {hub: {on: arm, at: [-0.4, 0.7, 0.3]}, radius: 0.3, %s}}}\n",
        wheel);
    CHECK(open_text(&s, text) == CARDAN_BAD_INPUT);
    CHECK_CASE(&s.report, wheel, parts);
    close_scene(&s);
}

int main(void)
{
    RUN(invalid_wheel("axis: z", "'L'|90 deg"));
    RUN(invalid_wheel("axis: x", "'L'|90 deg"));
    RUN(invalid_wheel("kingpin: [{on: arm, at: [-0.4, 0.6, 0.3]}, {on: arm, at: [-0.4, 0.6, 0.3]}]", "'L'"));
    RUN(trailing_arms());
    RUN(parallel_wishbones());
    RUN(dead_point());
    RUN(in_series());
    RUN(beam_axle());
    RUN(stiff_bushings());
    RUN(stiff_arms());
    RUN(energies());
    RUN(test_sentences("test_suspension"));
    return test_end();
}
