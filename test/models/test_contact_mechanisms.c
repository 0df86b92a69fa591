// SPDX-License-Identifier: BSD-3-Clause
// Mechanisms with contacts against closed forms, by several formulations: Newton's cradle, rocking block, five-bar on the
// floor, gripper, Geneva drive, ratchet, woodpecker, walker.
#include "contact_models.h"

static const double pi = 3.14159265358979323846;
static contact_run  r;

// Complete elliptic integral of the first kind, by the arithmetic-geometric mean.
static double elliptic_K(double k)
{
    double a = 1, b = sqrt(1 - k * k);
    for (int i = 0; i < 30; ++i) {
        const double mean = 0.5 * (a + b);
        b                 = sqrt(a * b);
        a                 = mean;
    }
    return pi / (2 * a);
}

// The last ball rises as high as the first was lifted, half a period of a pendulum after the release; then back.
static void test_cradle(const char* formulation)
{
    const double lift = 0.5, l = 0.2, radius = 0.02,
                 T = 4 * elliptic_K(sin(lift / 2)) * sqrt((l * l + 0.4 * radius * radius) / (g * l));
    for (int half = 1; half <= 2; ++half) {
        if (contact_run_until(&r, "models/newtons_cradle", formulation, NULL, NULL, half * T / 2)) {
            for (int i = 0; i < 5; ++i) {
                const char name[] = {'b', 'a', 'l', 'l', (char)('1' + i), 0};
                CHECK_NEAR(body_angle(&r, name, 1), half == 1 && i == 4 ? -lift : half == 2 && i == 0 ? lift : 0, 1e-8);
            }
            CHECK_NEAR(contact_run_event_of(&r, CARDAN_EVENT_IMPACT, 0)->t, T / 4, 1e-9);
            CHECK(r.summary.energy_error < 1e-9);
        }
        fixture_close(&r.f);
    }
}

// Amplitude after an impact: cos(alpha - tilt') - cos(alpha) = ratio^2 (cos(alpha - tilt) - cos(alpha)),
// ratio = 1 - 1.5 sin^2(alpha).
static double rate_at(double tilt, double alpha, double tilt0)
{
    const double R = sqrt(0.01 + 0.25); // half diagonal; p^2 = 3 g/(4 R)
    return sqrt(2 * 0.75 * g / R * (cos(alpha - tilt) - cos(alpha - tilt0)) * -1);
}

static void largest_height(contact_run* run, const cardan_sample* s)
{
    (void)s;
    double p[3];
    body_position(run, "block", p);
    run->observed[run->nevent > 0 && p[0] < 0] = fmax(run->observed[run->nevent > 0 && p[0] < 0], p[2]);
}

static void test_rocking_block(const char* formulation)
{
    const double alpha = atan(0.2), tilt0 = 0.1, ratio = 1 - 1.5 * sin(alpha) * sin(alpha), R = sqrt(0.26);
    // time of the first impact: integral of dtilt/rate from 0 to tilt0 with tilt = tilt0 (1 - s^2)
    double time = 0;
    for (int i = 0, n = 20000; i < n; ++i) {
        const double s = (i + 0.5) / n;
        time += 2 * tilt0 * s / rate_at(tilt0 * (1 - s * s), alpha, tilt0) / n;
    }
    const double speed = rate_at(0, alpha, tilt0);
    const double next  = alpha - acos(cos(alpha) + ratio * ratio * (cos(alpha - tilt0) - cos(alpha)));
    r.at_sample        = largest_height;
    r.observed[0] = r.observed[1] = 0;
    if (contact_run_until(&r, "models/rocking_block", formulation, NULL, NULL, 1.2)) {
        const cardan_event* impact = contact_run_event_of(&r, CARDAN_EVENT_IMPACT, 0);
        CHECK_NEAR(impact->t, time, 1e-7);
        CHECK_NEAR(impact->value, 0.5 * 10 * 4.0 / 3 * R * R * speed * speed * (1 - ratio * ratio),
                   1e-7); // lost energy
        CHECK_NEAR(impact->speed, speed * 0.2, 1e-8);
        CHECK_NEAR(r.observed[1], R * cos(alpha - next), 2e-6); // highest centre on the other edge, at samples
        CHECK(contact_run_count(&r, CARDAN_EVENT_SLIP) == 0);
    }
    r.at_sample = NULL;
    fixture_close(&r.f);
}

// ---- five-bar: one degree of freedom by symmetry

typedef struct five_bar {
    double z, dz, inertia, potential; // of the ball, dz/dphi; T = inertia/2 phi'^2
} five_bar;

static five_bar five_bar_at(double phi)
{
    const double l = 0.4, L = 0.8, half = 0.2 + l * cos(phi), dhalf = -l * sin(phi);
    const double B = l * sin(phi), dB = l * cos(phi), depth = sqrt(L * L - half * half);
    five_bar     k;
    k.z               = B - depth;
    k.dz              = dB + half * dhalf / depth;
    const double turn = dhalf / depth, x = dhalf / 2, z = (dB + k.dz) / 2; // of the outer rod
    k.inertia   = 2 * l * l / 3 + 2 * 0.8 * (x * x + z * z + L * L / 12 * turn * turn) + 0.3 * k.dz * k.dz;
    k.potential = g * (2 * B / 2 + 2 * 0.8 * (B + k.z) / 2 + 0.3 * k.z);
    return k;
}

static double five_bar_gap(double phi, void* user)
{
    (void)user;
    return five_bar_at(phi).z - (-0.78 + 0.03);
}

static void test_five_bar(const char* formulation)
{
    const double   phi = find_root(five_bar_gap, NULL, 0.2, -0.9), e = 0.5;
    const five_bar start = five_bar_at(0.2), floor = five_bar_at(phi);
    const double   energy = start.potential - floor.potential, speed = floor.dz * sqrt(2 * energy / floor.inertia);
    CHECK(energy > 1 && speed > 0.5);
    if (contact_run_until(&r, "models/five_bar_drop", formulation, NULL, NULL, 1)) {
        double energy_left = energy;
        for (int k = 0; k < 3; ++k) { // the motion between impacts conserves energy
            const cardan_event* impact = contact_run_event_of(&r, CARDAN_EVENT_IMPACT, k);
            CHECK_NEAR(impact->speed, speed * pow(e, k), 1e-7);
            CHECK_NEAR(impact->value, energy_left * (1 - e * e), 1e-6);
            CHECK_NEAR(impact->impulse, (1 + e) * pow(e, k) * speed * floor.inertia / (floor.dz * floor.dz), 1e-6);
            energy_left *= e * e;
        }
        CHECK(r.summary.max_position_violation < 1e-8);
    }
    fixture_close(&r.f);
}

// ---- gripper: the box follows if 2 mu F >= m (g + a) for the largest acceleration of the lift
static void test_gripper(const char* formulation, const char* force, bool lifted)
{
    if (contact_run_until(&r, "models/gripper", formulation, "force", force, 1.2)) {
        double p[3];
        body_position(&r, "box", p);
        if (lifted) {
            CHECK_NEAR(p[2] - 0.05, 0.05 - g / 20000, 1e-9);
            CHECK_NEAR(p[0], 0, 1e-10);
            CHECK(contact_run_count(&r, CARDAN_EVENT_SLIP) == 0);
        } else {
            CHECK_NEAR(p[2], 0.05, 1e-10);
            CHECK(contact_run_count(&r, CARDAN_EVENT_SLIP) > 0);
        }
    }
    fixture_close(&r.f);
}

// ---- Geneva drive: in a slot tan(wheel) = -sin(crank)/(c/R - cos(crank)), crank from the line of the axes
static void compare_geneva(contact_run* run, const cardan_sample* s)
{
    const double turns = floor(s->t + 1e-12), crank = 2 * pi * (s->t - turns) - pi; // -pi, pi: away from the wheel
    const double moved = fabs(crank) <= pi / 4 ? -atan2(sin(crank), sqrt(2) - cos(crank))
                         : crank > 0           ? -pi / 4
                                               : pi / 4;
    const double angle = -turns * pi / 2 - pi / 4 + moved;
    run->observed[0]   = fmax(run->observed[0], fabs(remainder(body_angle(run, "wheel", 2) - angle, 2 * pi)));
}

static void test_geneva(const char* formulation)
{
    r.at_sample   = compare_geneva;
    r.observed[0] = 0;
    if (contact_run_until(&r, "models/geneva", formulation, NULL, NULL, 2))
        // clearance over the least distance c (1 - sin(pi/4)) of the pin from the axis of the wheel
        CHECK(r.observed[0] < 2e-4 / 0.02929 * 1.01 && r.observed[0] > 1e-4);
    r.at_sample = NULL;
    fixture_close(&r.f);
}

// ---- ratchet: at rest on the pawl, whole teeth after every cycle
static double ratchet_angle(const char* formulation, double t)
{
    double angle = NAN;
    if (contact_run_until(&r, "models/ratchet", formulation, NULL, NULL, t)) {
        angle = body_angle(&r, "wheel", 2);
        CHECK_NEAR(body_motion(&r, "wheel", NULL).w[2], 0, 1e-9);
    }
    fixture_close(&r.f);
    return angle;
}

static void test_ratchet(const char* formulation)
{
    NEEDS_PART("Qhull");
    const double first = ratchet_angle(formulation, 0.45), tooth = pi / 6;
    CHECK(fabs(first) < 0.01);
    CHECK_NEAR(ratchet_angle(formulation, 1.45) - first, tooth, 1e-9);
    CHECK_NEAR(ratchet_angle(formulation, 2.45) - first, 2 * tooth, 1e-9);
}

// ---- woodpecker: four pecks repeat; the sleeve never moves up
static void compare_height(contact_run* run, const cardan_sample* s)
{
    (void)s;
    double p[3];
    body_position(run, "sleeve", p);
    run->observed[1] = fmax(run->observed[1], p[2] - run->observed[0]);
    run->observed[0] = p[2];
}

static double peck(int k) // time of the k-th impact of the beak
{
    for (int i = 0; i < r.nevent; ++i)
        if (r.event[i].kind == CARDAN_EVENT_IMPACT && strstr(r.event[i].description, "bird") && k-- == 0)
            return r.event[i].t;
    return NAN;
}

static void test_woodpecker(const char* formulation)
{
    r.at_sample   = compare_height;
    r.observed[0] = r.observed[1] = 0;
    if (contact_run_until(&r, "models/woodpecker", formulation, NULL, NULL, 4)) {
        CHECK_NEAR(peck(14) - peck(10), peck(10) - peck(6), 1e-3);
        CHECK_NEAR(peck(14) - peck(10), 0.881, 2e-3);
        CHECK(r.observed[1] < 1e-3); // no ascent
        CHECK_NEAR(r.observed[0] / 4, -0.34, 0.02);
        CHECK(r.summary.energy_error < 1e-6);
        const double fallen = -r.observed[0] * 0.0048 * g; // all energy goes to impacts and friction
        CHECK_NEAR(r.summary.contacts.impact_loss + r.summary.contacts.friction_loss, fallen, 0.05 * fallen);
    }
    r.at_sample = NULL;
    fixture_close(&r.f);
}

// ---- walker: the lowest foot rolls, dx = -(dx_foot + r dalpha)

// Foot relative to the crank axis, and direction from the knee to the foot, for an angle of the crank pin; metres.
static void leg_at(double pin, double foot[3])
{
    const double a = 38, b = 41.5, c = 39.3, d = 40.1, e = 55.8, f = 39.4, G = 36.7, h = 65.7, i = 49, j = 50, k = 61.9;
    const double A[2] = {-a, -7.8}, P[2] = {15 * cos(pin), 15 * sin(pin)}, R = hypot(P[0] - A[0], P[1] - A[1]);
    const double to_pin = atan2(P[1] - A[1], P[0] - A[0]);
    const double to_side =
        to_pin + acos((b * b + R * R - j * j) / (2 * b * R)) + acos((b * b + d * d - e * e) / (2 * b * d));
    const double to_knee = to_pin - acos((c * c + R * R - k * k) / (2 * c * R));
    const double S[2]    = {A[0] + d * cos(to_side), A[1] + d * sin(to_side)};
    const double K[2] = {A[0] + c * cos(to_knee), A[1] + c * sin(to_knee)}, s = hypot(S[0] - K[0], S[1] - K[1]);
    const double to_foot = atan2(S[1] - K[1], S[0] - K[0]) + acos((G * G + s * s - f * f) / (2 * G * s)) +
                           acos((G * G + i * i - h * h) / (2 * G * i));
    foot[0] = 1e-3 * (K[0] + i * cos(to_foot));
    foot[1] = 1e-3 * (K[1] + i * sin(to_foot));
    foot[2] = to_foot;
}

// The same of leg n of 4; even ones are mirrored.
static void foot_at(int n, double phi, double foot[3])
{
    const double pin[4] = {phi, pi - phi, phi + pi, -phi};
    leg_at(pin[n], foot);
    if (n % 2) foot[0] = -foot[0], foot[2] = -foot[2];
}

static double step_per_turn(void)
{
    enum { N = 20000 };
    double x = 0;
    for (int n = 0; n < N; ++n) {
        int    lowest = 0;
        double before[3], after[3], height = INFINITY;
        for (int k = 0; k < 4; ++k) {
            foot_at(k, 2 * pi * (n + 0.5) / N, before);
            if (before[1] < height) height = before[1], lowest = k;
        }
        foot_at(lowest, 2 * pi * n / N, before);
        foot_at(lowest, 2 * pi * (n + 1.0) / N, after);
        x -= after[0] - before[0] + 2e-3 * remainder(after[2] - before[2], 2 * pi);
    }
    return x;
}

static void test_walker(const char* formulation)
{
    double x[2] = {0}, p[3];
    for (int k = 0; k < 2; ++k) {
        if (contact_run_until(&r, "models/walker", formulation, NULL, NULL, k + 0.6)) {
            body_position(&r, "body", p);
            x[k] = p[0];
            CHECK(r.summary.contacts.contacts_mean > 0.98); // one foot stands
            CHECK(r.summary.max_position_violation < 1e-8);
        }
        fixture_close(&r.f);
    }
    CHECK_NEAR(x[1] - x[0], step_per_turn(), 1e-5);
    CHECK(step_per_turn() < -0.13);
}

int main(void)
{
    static const char* const formulations[] = {"lagrange", "reduction", "order-n", "dense"};
    for (size_t i = 0; i < sizeof formulations / sizeof *formulations; ++i) {
        RUN(test_cradle(formulations[i]));
        RUN(test_rocking_block(formulations[i]));
        RUN(test_five_bar(formulations[i]));
        RUN(test_gripper(formulations[i], "30", true));
        if (i < 2) RUN(test_gripper(formulations[i], "9", false));
        RUN(test_geneva(formulations[i]));
        RUN(test_ratchet(formulations[i]));
        if (i < 3) RUN(test_woodpecker(formulations[i]));
    }
    RUN(test_walker("lagrange"));
    RUN(test_walker("reduction"));
    return test_end();
}
