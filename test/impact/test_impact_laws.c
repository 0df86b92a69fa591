// SPDX-License-Identifier: BSD-3-Clause
// Impact laws against closed forms: Newton's cradle, wheel at a kerb, balls with friction, dropped rod, rocking block,
// slip that reverses or turns during an impact; energy of Newton's law.
#include "contact_bodies.h"
#include "impact/impact_law.h"
#include "test.h"

static test_contacts   scene;
static cd_arena        arena;
static cd_impact_work* work;
static double          p[60], u[60], restitution[20];
static bool            is_unique[20];

static cd_impact_solution solution = {.p = p, .u = u, .is_unique = is_unique};

static const double up[3] = {0, 0, 1}, right[3] = {1, 0, 0};

static void begin(void)
{
    double *W = scene.W, *q = scene.q;
    scene   = (test_contacts){0};
    scene.W = W, scene.q = q;
}

static cd_contact_status hit(int law, double e)
{
    test_contacts_assemble(&scene);
    memset(p, 0, sizeof p);
    for (int i = 0; i < scene.ncontact; ++i) restitution[i] = e;
    const double            energy  = test_contacts_energy(&scene);
    const cd_impact_problem problem = {scene.problem, restitution, energy};
    const cd_contact_status status  = cd_impact_solve(cd_impact_law_at(law), &problem, work, &solution, 1e-13);
    test_contacts_apply(&scene, p);
    const double change = test_contacts_energy(&scene) - energy;
    CHECK(fabs(change - solution.energy_change) < 1e-12 * energy);
    CHECK(change <= 1e-12 * energy);
    return status;
}

static void cradle(const double speed[3])
{
    begin();
    for (int i = 0; i < 3; ++i) test_contacts_add_body(&scene, 1, 1, 1, 1, i, 0, 0)->v[0] = speed[i];
    for (int i = 0; i < 2; ++i) test_contacts_add(&scene, i + 1, i, (double[3]){i + 0.5, 0, 0}, right, 0, 0, 3);
}

static void check_cradle(int law, double e, double v0, double v1, double v2)
{
    cradle((double[3]){1, 0, 0});
    CHECK(hit(law, e) == CD_CONTACT_SOLVED);
    CHECK_NEAR(scene.body[0].v[0], v0, 1e-13);
    CHECK_NEAR(scene.body[1].v[0], v1, 1e-13);
    CHECK_NEAR(scene.body[2].v[0], v2, 1e-13);
}

static void test_cradle(void)
{
    check_cradle(CD_IMPACT_LAW_newton, 1, -1. / 3, 2. / 3, 2. / 3);
    check_cradle(CD_IMPACT_LAW_poisson, 1, -1. / 3, 2. / 3, 2. / 3);
    check_cradle(CD_IMPACT_LAW_sequence, 1, 0, 0, 1);
    check_cradle(CD_IMPACT_LAW_sequence, 0.8, 0.091, 0.099, 0.81);
    check_cradle(CD_IMPACT_LAW_newton, 0, 1. / 3, 1. / 3, 1. / 3);
    check_cradle(CD_IMPACT_LAW_poisson, 0, 1. / 3, 1. / 3, 1. / 3);
    check_cradle(CD_IMPACT_LAW_energetic, 0, 1. / 3, 1. / 3, 1. / 3);
    CHECK(solution.is_replaced); // several contacts
    cradle((double[3]){1, 0, 0});
    CHECK(hit(CD_IMPACT_LAW_sequence, 0) == CD_CONTACT_SOLVED);
    for (int i = 0; i < 3; ++i) CHECK_NEAR(scene.body[i].v[0], 1. / 3, 2e-9); // ends where no approach exceeds 1e-9
}

static void test_two_bodies(void)
{
    for (int law = 0; law < CD_IMPACT_LAW_COUNT; ++law) {
        begin();
        test_contacts_add_body(&scene, 1, 1, 1, 1, 0, 0, 0)->v[0] = 2;
        test_contacts_add_body(&scene, 3, 1, 1, 1, 1, 0, 0)->v[0] = -1;
        test_contacts_add(&scene, 1, 0, (double[3]){0.5, 0, 0}, right, 0.3, 0.4, 3);
        CHECK(hit(law, 0.5) == CD_CONTACT_SOLVED);
        CHECK_NEAR(p[0], 3.375, 1e-13);
        CHECK_NEAR(scene.body[0].v[0], -1.375, 1e-13);
        CHECK_NEAR(scene.body[1].v[0], 0.125, 1e-13);
        CHECK(is_unique[0]);
    }
}

// Rolling wheel against a kerb, on the ground: pivots about the edge.
static void test_wheel_at_kerb(void)
{
    const double R = 0.34, step = 0.05, J = 0.9 * R * R, d = sqrt(R * R - (R - step) * (R - step));
    for (int law = 0; law < 3; ++law) {
        begin();
        test_body* wheel = test_contacts_add_body(&scene, 1, 0.5 * J, J, 0.5 * J, 0, 0, R);
        wheel->v[0] = 1.5, wheel->v[4] = 1.5 / R;
        test_contacts_add(&scene, 0, -1, (double[3]){d, 0, step}, (double[3]){-d / R, 0, (R - step) / R}, 5, 0, 3);
        if (law != CD_IMPACT_LAW_energetic) test_contacts_add(&scene, 0, -1, (double[3]){0, 0, 0}, up, 5, 0, 3);
        CHECK(hit(law, 0) == CD_CONTACT_SOLVED);
        CHECK_NEAR(hypot(wheel->v[0], wheel->v[2]), 1.3839009287925697, 1e-12);
        CHECK_NEAR(wheel->v[4] * R, 1.3839009287925697, 1e-12);
        CHECK(u[0] > -1e-13 && (law == CD_IMPACT_LAW_energetic || u[3] > 0));
    }
}

// Solid sphere that hits the ground obliquely: slips to the end, or rolls after the impact.
static void test_oblique_ball(void)
{
    const double R = 0.1, m = 0.2, J = 0.4 * m * R * R, e = 0.6, vz = 2;
    for (int law = 0; law < CD_IMPACT_LAW_COUNT; ++law)
        for (int direction = 0; direction < 16; ++direction)
            for (int slips = 0; slips < 2; ++slips) {
                const double angle = direction * acos(-1.0) / 8, mu = 0.2, limit = 3.5 * mu * (1 + e) * vz;
                const double vt = limit * (slips ? 1.1 : 0.9);
                begin();
                test_body* ball = test_contacts_add_body(&scene, m, J, J, J, 0, 0, R);
                ball->v[0] = vt * cos(angle), ball->v[1] = vt * sin(angle), ball->v[2] = -vz;
                test_contacts_add(&scene, 0, -1, (double[3]){0, 0, 0}, up, mu, 0.7, 3);
                CHECK(hit(law, e) == CD_CONTACT_SOLVED);
                const double after = slips ? vt - mu * (1 + e) * vz : vt * 5 / 7;
                CHECK_NEAR(ball->v[0] * cos(angle) + ball->v[1] * sin(angle), after, 1e-12);
                CHECK_NEAR(-ball->v[0] * sin(angle) + ball->v[1] * cos(angle), 0, 1e-12);
                CHECK_NEAR(ball->v[2], e * vz, 1e-12);
            }
}

// Two equal balls, one at rest, cut angle 40 degrees: the tangential impulse throws the second ball off the line of
// centres.
static void test_throw(void)
{
    const double R = 0.03, m = 0.17, J = 0.4 * m * R * R, e = 0.9, v = 1.3, cut = 40 * acos(-1.0) / 180;
    for (int law = 0; law < CD_IMPACT_LAW_COUNT; ++law)
        for (int slips = 0; slips < 2; ++slips) {
            const double mu     = slips ? 0.05 : 0.5;
            const double normal = (1 + e) / 2 * m * v * cos(cut), tangential = fmin(mu * normal, m * v * sin(cut) / 7);
            begin();
            test_body* cue    = test_contacts_add_body(&scene, m, J, J, J, -R, 0, 0);
            test_body* object = test_contacts_add_body(&scene, m, J, J, J, R, 0, 0);
            cue->v[0] = v * cos(cut), cue->v[1] = v * sin(cut);
            test_contacts_add(&scene, 1, 0, (double[3]){0, 0, 0}, right, mu, 1.1, 3);
            CHECK(hit(law, e) == CD_CONTACT_SOLVED);
            CHECK_NEAR(atan2(object->v[1], object->v[0]), atan2(tangential, normal), 1e-12);
            CHECK_NEAR(object->v[0], normal / m, 1e-12);
            CHECK_NEAR(object->v[5], -tangential * R / J, 1e-11);
        }
}

// Rod of length 1 at 45 degrees, dropped on its lower tip.
static void drop_rod(int law, double mu, double e, double vx, double vy, double w)
{
    const double c = sqrt(0.5) / 2;
    begin();
    test_body* rod = test_contacts_add_body(&scene, 1, 1, 1. / 12, 1, c, 0, c);
    rod->v[2]      = -1;
    test_contacts_add(&scene, 0, -1, (double[3]){0, 0, 0}, up, mu, 0, 3);
    CHECK(hit(law, e) == CD_CONTACT_SOLVED);
    CHECK_NEAR(rod->v[0], vx, 1e-13);
    CHECK_NEAR(rod->v[2], vy, 1e-13);
    CHECK_NEAR(rod->v[4], -w, 1e-13); // anticlockwise in the x-z plane is about -y
}

static void test_dropped_rod(void)
{
    for (int law = 0; law < CD_IMPACT_LAW_COUNT; ++law) {
        drop_rod(law, 0, 0, 0, -0.6, -1.697056274847714);
        drop_rod(law, 0, 0.5, 0, -0.4, -2.545584412271571);
        drop_rod(law, 0.61, 0, 0.375, -0.375, -1.0606601717798212);
    }
}

// Housner's block lands on its second corner: ratio of rates 1 - 3/2 sin^2 alpha.
static void test_rocking_block(void)
{
    const double b = 0.1, h = 0.5, J = (b * b + h * h) / 3, rate = 0.7;
    for (int law = 0; law < 2; ++law) {
        begin();
        test_body* block = test_contacts_add_body(&scene, 1, 1, J, 1, 0, 0, h);
        block->v[4] = -rate, block->v[0] = -rate * h, block->v[2] = -rate * b; // about the corner at x = b
        test_contacts_add(&scene, 0, -1, (double[3]){b, 0, 0}, up, 10, 0, 3);
        test_contacts_add(&scene, 0, -1, (double[3]){-b, 0, 0}, up, 10, 0, 3);
        CHECK(hit(law, 0) == CD_CONTACT_SOLVED);
        CHECK_NEAR(block->v[4] / -rate, 0.9423076923076923, 1e-12);
        CHECK(u[0] > 0.01 && fabs(u[3]) < 1e-13); // the old corner lifts, the new one stays
    }
}

// Planar impact with the energetic law, phase by phase: slip, its end, reversal or stick.
static void planar_impact(const double W[3], const double start[2], double mu, double e, double impulse[2])
{
    double u_n = start[0], u_t = start[1], p_n = 0, p_t = 0, work_n = 0, goal = 0;
    bool   expands = false;
    for (int phase = 0; phase < 6; ++phase) {
        double d = u_t > 0 ? -mu : u_t < 0 ? mu : -W[1] / W[2];
        if (u_t == 0 && fabs(d) > mu) d = d > 0 ? mu : -mu;
        const double k = W[0] + W[1] * d, r = W[1] + W[2] * d;
        double       length =
            !expands ? (k > 0 ? -u_n / k : INFINITY) : (-u_n + sqrt(u_n * u_n + 2 * k * (goal - work_n))) / k;
        if (!(length >= 0)) length = INFINITY;
        const bool stops = u_t != 0 && r * u_t < 0 && -u_t / r < length;
        if (stops) length = -u_t / r;
        p_n += length;
        p_t += d * length;
        work_n += u_n * length + k * length * length / 2;
        u_n += k * length;
        u_t = stops ? 0 : u_t + r * length;
        if (fabs(r) < 1e-14) u_t = 0;
        if (stops) continue;
        if (expands) break;
        expands = true;
        goal    = (1 - e * e) * work_n;
        u_n     = 0;
    }
    impulse[0] = p_n;
    impulse[1] = p_t;
}

static void test_planar_slip(void)
{
    int reversals = 0, sticks = 0, slips = 0;
    for (int i = 0; i < 400; ++i) {
        const double theta = 0.2 + 0.003 * i, mu = 0.05 + 0.002 * i, e = (i % 11) / 10.0;
        begin();
        test_body* rod = test_contacts_add_body(&scene, 1, 1, 1. / 12, 1, 0.5 * cos(theta), 0, 0.5 * sin(theta));
        rod->v[2]      = -1;
        rod->v[0]      = 0.6 * sin(1.7 * i);
        test_contacts_add(&scene, 0, -1, (double[3]){0, 0, 0}, up, mu, 0, 3);
        test_contacts_assemble(&scene);
        // tangent that lies in the x-z plane
        const double c = scene.jacobian[1][0][0], s = scene.jacobian[2][0][0];
        const double W[3]     = {scene.W[0], c * scene.W[1] + s * scene.W[2],
                                 c * c * scene.W[4] + 2 * c * s * scene.W[5] + s * s * scene.W[8]};
        const double start[2] = {scene.q[0], c * scene.q[1] + s * scene.q[2]};
        double       expected[2];
        planar_impact(W, start, mu, e, expected);
        CHECK(hit(CD_IMPACT_LAW_energetic, e) == CD_CONTACT_SOLVED);
        CHECK_NEAR(p[0], expected[0], 1e-12);
        CHECK_NEAR(c * p[1] + s * p[2], expected[1], 1e-12);
        const double after = c * u[1] + s * u[2];
        reversals += after * start[1] < -1e-9;
        sticks += fabs(after) < 1e-12;
        slips += after * start[1] > 1e-9;
    }
    CHECK(reversals > 10 && sticks > 10 && slips > 10);
}

// Slip in space whose direction turns: against small steps of the classical method of Runge and Kutta in p_n.
static void slip_rates(const double* W, double mu, const double* velocity, double* rate)
{
    const double a = hypot(velocity[1], velocity[2]), d[3] = {1, -mu * velocity[1] / a, -mu * velocity[2] / a};
    for (int i = 0; i < 3; ++i) rate[i] = W[3 * i] * d[0] + W[3 * i + 1] * d[1] + W[3 * i + 2] * d[2];
}

static void test_turning_slip(void)
{
    const double W[9] = {2.1, 1.1, -0.2, 1.1, 3.0, 0.7, -0.2, 0.7, 1.4}, before[3] = {-1, 0.9, -1.1}, mu = 0.3;
    const cd_contact_element element = {.kind = CD_ELEMENT_POINT, .nrow = 3, .mu = mu};
    const double             e       = 0.7;
    const cd_impact_problem  problem = {{3, 1, W, before, &element, 1}, &e, 0};
    memset(p, 0, sizeof p);
    CHECK(cd_impact_solve(cd_impact_law_at(CD_IMPACT_LAW_energetic), &problem, work, &solution, 1e-13) ==
          CD_CONTACT_SOLVED);
    const int steps = 20000;
    double    v[3] = {before[0], before[1], before[2]}, work_n = 0, compression = 0;
    for (int n = 0; n < steps; ++n) { // the same normal impulse
        const double h = p[0] / steps;
        double       k[4][3], y[3];
        for (int stage = 0; stage < 4; ++stage) {
            const double part = stage == 0 ? 0 : stage == 3 ? h : h / 2;
            for (int i = 0; i < 3; ++i) y[i] = v[i] + (stage > 0 ? part * k[stage - 1][i] : 0);
            slip_rates(W, mu, y, k[stage]);
        }
        const double u_n = v[0];
        for (int i = 0; i < 3; ++i) v[i] += h / 6 * (k[0][i] + 2 * k[1][i] + 2 * k[2][i] + k[3][i]);
        const double part = u_n < 0 && v[0] > 0 ? h * u_n / (u_n - v[0]) : u_n < 0 ? h : 0;
        compression += u_n * part / 2 + (part == h ? v[0] * part / 2 : 0);
        work_n += (u_n + v[0]) * h / 2;
    }
    for (int i = 0; i < 3; ++i) CHECK_NEAR(u[i], v[i], 1e-10);
    CHECK_NEAR(work_n - compression, -e * e * compression, 1e-8);
    CHECK(hypot(v[1], v[2]) > 0.1);
    CHECK(fabs(atan2(v[2], v[1]) - atan2(before[2], before[1])) > 0.05); // it turned
}

// Newton's law may raise the energy of a rod that slips (Kane & Levinson): e is reduced to the largest one that does
// not.
static void test_energy_of_newton(void)
{
    int reduced = 0;
    for (int i = 0; i < 200; ++i) {
        const double theta = 0.3 + 0.006 * i;
        begin();
        test_body* rod = test_contacts_add_body(&scene, 1, 1, 1. / 12, 1, 0.5 * cos(theta), 0, 0.5 * sin(theta));
        rod->v[2] = -1, rod->v[0] = 1.5 * sin(1.3 * i);
        test_contacts_add(&scene, 0, -1, (double[3]){0, 0, 0}, up, 0.1 + 0.05 * (i % 17), 0, 3);
        CHECK(hit(CD_IMPACT_LAW_newton, 1) == CD_CONTACT_SOLVED);
        if (solution.restitution_factor == 1) continue;
        ++reduced;
        CHECK(solution.restitution_factor > 0 && fabs(solution.energy_change) < 1e-9);
    }
    CHECK(reduced > 10);
}

static void test_names(void)
{
    CHECK(cd_impact_law_find("poisson") == CD_IMPACT_LAW_poisson);
    CHECK(cd_impact_law_find("none") == -1);
    CHECK(!cd_impact_law_at(CD_IMPACT_LAW_COUNT));
}

int main(void)
{
    cd_impact_work_layout(&arena, 60, 20);
    if (!cd_arena_reserve(&arena)) return 1;
    work = cd_impact_work_layout(&arena, 60, 20);
    RUN(test_cradle());
    RUN(test_two_bodies());
    RUN(test_wheel_at_kerb());
    RUN(test_oblique_ball());
    RUN(test_throw());
    RUN(test_dropped_rod());
    RUN(test_rocking_block());
    RUN(test_planar_slip());
    RUN(test_turning_slip());
    RUN(test_energy_of_newton());
    RUN(test_names());
    test_contacts_release(&scene);
    cd_arena_release(&arena);
    return test_end();
}
