// SPDX-License-Identifier: BSD-3-Clause
// Static equilibrium against closed forms and minima of the potential energy, in tree and maximal coordinates;
// stability of the equilibrium; messages for mechanisms without equilibrium.
#include "sentences.h"
#include "analysis_models.h"

static const double g = 9.81, pi = 3.14159265358979323846;

static bool find(scene* s, const cardan_equilibrium_options* options, cardan_equilibrium* equilibrium)
{
    cardan_report_clear(&s->report);
    const bool good = cardan_equilibrium_solve(s->data, options, NULL, NULL, equilibrium, &s->report) == CARDAN_OK;
    if (!good) scene_tell(s);
    CHECK(good);
    return good;
}

// From any guess the equilibrium of a pendulum is the hanging one, stable with stiffness m g l/2; from a guess exactly
// at the top, or with the option `nearest`, it is the upper one, unstable.
static void test_pendulum(void)
{
    static const char* const guess[] = {"0.001", "0.5", "1.5707963267948966", "2.5",
                                        "3.1",   "-3",  "-1.5707963267948966"};
    for (int i = 0; i < 7; ++i) {
        scene                    s;
        cardan_equilibrium       equilibrium;
        cardan_parameter_setting start = {"q", guess[i]};
        if (scene_text(&s, scene_pendulum, "order-n", 1, &start) && find(&s, NULL, &equilibrium)) {
            CHECK_NEAR(scene_q(&s, "hinge"), 0, 1e-9);
            CHECK(equilibrium.stability == CARDAN_STABLE && equilibrium.dof == 1 && equilibrium.nneutral == 0);
            CHECK_NEAR(equilibrium.max_acceleration, 0, 1e-8);
            CHECK_NEAR(equilibrium.min_stiffness, 3 * g * 1, 1e-8); // m g l/2
        }
        scene_close(&s);
    }
    scene                    s;
    cardan_equilibrium       equilibrium;
    cardan_parameter_setting up = {"q", "pi"};
    if (scene_text(&s, scene_pendulum, "dense", 1, &up) && find(&s, NULL, &equilibrium)) {
        CHECK(equilibrium.stability == CARDAN_UNSTABLE && equilibrium.nunstable == 1);
        CHECK_TEXT(equilibrium.unstable_description, "'hinge'");
        CHECK_NEAR(scene_q(&s, "hinge"), pi, 1e-12);
    }
    scene_close(&s);
    cardan_parameter_setting         near    = {"q", "2.6"};
    const cardan_equilibrium_options nearest = {.nearest = true};
    if (scene_text(&s, scene_pendulum, "dense", 1, &near) && find(&s, &nearest, &equilibrium)) {
        CHECK_NEAR(scene_q(&s, "hinge"), pi, 1e-9);
        CHECK(equilibrium.stability == CARDAN_UNSTABLE);
    }
    scene_close(&s);
}

// m g l/2 sin q = k (rest - q): the root by bisection.
static void test_pendulum_spring(void)
{
    scene                          s;
    cardan_equilibrium             equilibrium;
    const cardan_parameter_setting set[] = {{"k", "40"}, {"rest", "1"}, {"q", "-2"}};
    double                         low = 0, high = 1;
    for (int i = 0; i < 100; ++i) {
        const double q = (low + high) / 2;
        if (3 * g * sin(q) - 40 * (1 - q) < 0)
            low = q;
        else
            high = q;
    }
    if (scene_text(&s, scene_pendulum, "cholesky", 3, set) && find(&s, NULL, &equilibrium)) {
        CHECK_NEAR(scene_q(&s, "hinge"), low, 1e-10);
        CHECK_NEAR(equilibrium.min_stiffness, 40 + 3 * g * cos(low), 1e-7);
    }
    scene_close(&s);
}

// Hanging chain of masses on springs: extension i = weight below / k.
static void test_hanging_chain(void)
{
    static const char chain[] =
        "cardan: 1\n"
        "bodies: {a: {mass: 2, at: [0, 0, -1]}, b: {mass: 3, at: [0, 0, -2]}, c: {mass: 5, at: [0, 0, -3]}}\n"
        "joints:\n"
        "  a: {prismatic: [ground, a], at: [0, 0, 0], axis: -z, spring: {stiffness: 1000, rest: 0}}\n"
        "  b: {prismatic: [a, b], at: [0, 0, 0], axis: -z, spring: {stiffness: 500, rest: 0}}\n"
        "  c: {prismatic: [b, c], at: [0, 0, 0], axis: -z, spring: {stiffness: 200, rest: 0}}\n";
    for (int maximal = 0; maximal < 2; ++maximal) {
        scene              s;
        cardan_equilibrium equilibrium;
        if (scene_text(&s, chain, maximal ? "lagrange" : "order-n", 0, NULL) && find(&s, NULL, &equilibrium)) {
            CHECK_NEAR(scene_q(&s, "a"), 10 * g / 1000, 1e-10);
            CHECK_NEAR(scene_q(&s, "b"), 8 * g / 500, 1e-10);
            CHECK_NEAR(scene_q(&s, "c"), 5 * g / 200, 1e-10);
            CHECK(equilibrium.stability == CARDAN_STABLE && equilibrium.dof == 3);
        }
        scene_close(&s);
    }
}

// Four-bar with a spring: the same crank angle in tree and maximal coordinates, and a minimum of the potential energy.
static void test_four_bar(void)
{
    static const char* const formulation[] = {"dense", "reduction", "augmented", "lagrange"};
    double                   crank         = 0;
    for (int i = 0; i < 4; ++i) {
        scene              s;
        cardan_equilibrium equilibrium;
        if (scene_text(&s, scene_four_bar, formulation[i], 0, NULL) && find(&s, NULL, &equilibrium)) {
            CHECK(equilibrium.dof == 1 && equilibrium.stability == CARDAN_STABLE);
            CHECK(equilibrium.residual < 1e-10 && equilibrium.max_acceleration < 1e-7);
            if (i == 0) crank = scene_q(&s, "A");
            CHECK_NEAR(scene_q(&s, "A"), crank, 1e-9);
            double violation;
            cardan_data_constraint_violation(s.data, &violation, NULL);
            CHECK(violation < 1e-11);
        }
        if (i == 0) {
            const double lowest = cardan_data_energy(s.data).potential, d = 1e-3;
            double       side[2];
            for (int k = 0; k < 2; ++k) {
                cardan_joint_start start[4];
                for (int j = 0; j < 4; ++j) {
                    double v[CARDAN_JOINT_VELOCITIES_MAX];
                    start[j] = (cardan_joint_start){.position_mode = j == 0 ? CARDAN_START_FIXED : CARDAN_START_GUESS};
                    cardan_data_joint_state(s.data, j, start[j].q, v);
                }
                start[0].q[0] = crank + (k ? d : -d);
                CHECK(cardan_data_assemble(s.data, start, NULL, NULL, NULL, &s.report) == CARDAN_OK);
                side[k] = cardan_data_energy(s.data).potential;
            }
            CHECK(side[0] > lowest && side[1] > lowest);
            CHECK_NEAR((side[1] - side[0]) / (2 * d), 0, 1e-3); // error by the third derivative
        }
        scene_close(&s);
    }
}

// Plate on three vertical springs: neutral along x and y and about z, lowered by m g/(3 k).
static void test_plate(void)
{
    static const char  plate[] = "cardan: 1\n"
                                 "bodies: {plate: {mass: 12, at: [0, 0, 1], inertia: [1, 1, 2]}}\n"
                                 "joints:\n"
                                 "  body: {free: [ground, plate], start: {q: [0, 0, 1.05, 1, 0.02, -0.03, 0]}}\n"
                                 "markers:\n"
                                 "  p: {on: plate, at: [1, 0, 1]}\n"
                                 "  q: {on: plate, at: [-0.5, 0.8660254037844386, 1]}\n"
                                 "  r: {on: plate, at: [-0.5, -0.8660254037844386, 1]}\n"
                                 "forces:\n"
                                 "  fp: {force: [0, 0, '=4000*(1 - z(p))'], on: p}\n"
                                 "  fq: {force: [0, 0, '=4000*(1 - z(q))'], on: q}\n"
                                 "  fr: {force: [0, 0, '=4000*(1 - z(r))'], on: r}\n";
    scene              s;
    cardan_equilibrium equilibrium;
    if (scene_text(&s, plate, "dense", 0, NULL) && find(&s, NULL, &equilibrium)) {
        double q[7], v[6];
        cardan_data_joint_state(s.data, scene_joint(&s, "body"), q, v);
        CHECK_NEAR(q[2], 1 - 12 * g / 12000, 1e-10);
        CHECK_NEAR(fabs(q[3]), 1, 1e-10);
        CHECK(equilibrium.stability == CARDAN_NEUTRAL && equilibrium.nneutral == 3 && equilibrium.dof == 6);
        CHECK_HAS(equilibrium.neutral_description, "'body' along x");
        CHECK_HAS(equilibrium.neutral_description, "'body' along y");
        CHECK_HAS(equilibrium.neutral_description, "'body' about z");
    }
    scene_close(&s);
}

// Vehicle: the sum of the tyre loads is its weight; the same height in tree and maximal coordinates; no accelerations.
static void test_vehicle(void)
{
    double height = 0;
    for (int maximal = 0; maximal < 2; ++maximal) {
        scene              s;
        cardan_equilibrium equilibrium;
        if (!scene_file(&s, "models/hmmwv", maximal ? "lagrange" : "dense")) continue;
        if (find(&s, NULL, &equilibrium)) {
            const cardan_description_view view = cardan_description_get_view(s.description);
            double                        value[32], load = 0, mass = 0;
            cardan_motion                 body[32];
            cardan_data_evaluate_outputs(s.data, value);
            for (int i = 0; i < view.noutput; ++i)
                if (strstr(view.output[i].name, ".load")) load += value[i];
            for (int i = 0; i < view.nbody; ++i) mass += view.body[i].mass;
            CHECK_NEAR(load, mass * g, 1e-9);
            CHECK(equilibrium.dof == 11 && equilibrium.nneutral == 3 && equilibrium.stability == CARDAN_NEUTRAL);
            CHECK_TEXT(equilibrium.neutral_description, "'body' along x, 'body' along y, 'body' about z");
            cardan_data_body_motions(s.data, NULL, body);
            if (!maximal) height = body[0].p[2];
            CHECK_NEAR(body[0].p[2], height, 1e-9);
            CHECK(equilibrium.max_acceleration < 1e-6);
        }
        scene_close(&s);
    }
}

// Bodies without equilibrium: a falling ball, a wheel with a constant torque; and a mass in equilibrium on a joint
// stop.
static void test_drifting(void)
{
    static const char falling[] = "cardan: 1\nbodies: {ball: {sphere: 0.1, mass: 1, at: [0, 0, 2]}, bar: {rod: [[3, 0, "
                                  "0], [4, 0, 0]], mass: 1}}\n"
                                  "joints: {hinge: {revolute: [ground, bar], at: [3, 0, 0], axis: y}}\n";
    static const char landing[] =
        "cardan: 1\nbodies: {ball: {sphere: 0.1, mass: 2, at: [0, 0, 7]}}\n"
        "joints: {drop: {prismatic: [ground, ball], at: [0, 0, 7], axis: z, limits: {lower: -7, stiffness: 1000}}}\n";
    static const char  driven_wheel[] = "cardan: 1\nbodies: {wheel: {mass: 1, inertia: [1, 1, 1]}}\njoints: {axle: "
                                        "{revolute: [ground, wheel], at: [0, 0, 0], axis: z}}\n"
                                        "forces: {motor: {actuator: axle, effort: 3}}\n";
    scene              s;
    cardan_equilibrium equilibrium;
    if (scene_text(&s, falling, "dense", 0, NULL)) {
        CHECK(cardan_equilibrium_solve(s.data, NULL, NULL, NULL, &equilibrium, &s.report) == CARDAN_NOT_CONVERGED);
        CHECK_CASE(&s.report, "falling ball", "'ball' along -z");
    }
    scene_close(&s);
    if (scene_text(&s, landing, "order-n", 0, NULL) && find(&s, NULL, &equilibrium))
        CHECK_NEAR(scene_q(&s, "drop"), -7 - 2 * g / 1000, 1e-10);
    scene_close(&s);
    if (scene_text(&s, driven_wheel, "order-n", 0, NULL)) {
        CHECK(cardan_equilibrium_solve(s.data, NULL, NULL, NULL, &equilibrium, &s.report) == CARDAN_NOT_CONVERGED);
        CHECK_CASE(&s.report, "driven wheel", "'wheel' about z");
    }
    scene_close(&s);
}

// User states: a controller with integral part has its equilibrium at the target for any load; a state with constant
// rate has none.
static void test_states(void)
{
    static const char integral[] =
        "cardan: 1\nbodies: {bar: {rod: [[0, 0, 0], [1, 0, 0]], mass: 2}}\n"
        "joints: {hinge: {revolute: [ground, bar], at: [0, 0, 0], axis: y, start: {q: 0.4}}}\n"
        "states: {sum: {start: 0, rate: =q(hinge) - 0.3}}\n"
        "forces: {motor: {actuator: hinge, effort: =-50*(q(hinge) - 0.3) - 5*v(hinge) - 20*sum}}\n";
    static const char clock[] =
        "cardan: 1\nbodies: {bar: {rod: [[0, 0, 0], [1, 0, 0]], mass: 2}}\n"
        "joints: {hinge: {revolute: [ground, bar], at: [0, 0, 0], axis: y}}\nstates: {hand: {start: 0, rate: 2}}\n";
    scene              s;
    cardan_equilibrium equilibrium;
    double             state = 0;
    if (scene_text(&s, integral, "order-n", 0, NULL)) {
        CHECK(cardan_equilibrium_solve(s.data, NULL, NULL, &state, &equilibrium, &s.report) == CARDAN_OK);
        CHECK_NEAR(scene_q(&s, "hinge"), 0.3, 1e-9);
        CHECK(equilibrium.stability == CARDAN_STABLE);
        CHECK_NEAR(20 * state, 2 * g * 0.5 * cos(0.3),
                   1e-8); // a positive angle about y lowers the bar: the torque of gravity is positive
    }
    scene_close(&s);
    if (scene_text(&s, clock, "order-n", 0, NULL)) {
        CHECK(cardan_equilibrium_solve(s.data, NULL, NULL, NULL, &equilibrium, &s.report) == CARDAN_NOT_CONVERGED);
        CHECK_CASE(&s.report, "clock", "'hand'|2 ");
    }
    scene_close(&s);
}

// Driven coordinates keep their values at the time of the state; the pendulum on the driven cart hangs vertically.
static void test_driven(void)
{
    static const char  driven[] = "cardan: 1\nbodies: {cart: {mass: 1}, bob: {rod: [[0, 0, 0], [0, 0, -1]], mass: 1}}\n"
                                  "joints: {rail: {prismatic: [ground, cart], at: [0, 0, 0], axis: x, driver: =3*t}, "
                                  "pin: {revolute: [cart, bob], at: [0, 0, 0], axis: y, start: {q: 0.7}}}\n";
    scene              s;
    cardan_equilibrium equilibrium;
    if (scene_text(&s, driven, "dense", 0, NULL)) {
        double q[2] = {6, 0.7}, v[2] = {3, 0}, effort;
        cardan_data_set_state(s.data, 2, q, v, NULL);
        if (find(&s, NULL, &equilibrium)) {
            CHECK(equilibrium.dof == 1);
            CHECK_NEAR(scene_q(&s, "rail"), 6, 1e-12);
            CHECK_NEAR(scene_q(&s, "pin"), 0, 1e-9);
            cardan_data_driver_efforts(s.data, (const double[2]){0, 0}, &effort, NULL);
            CHECK_NEAR(effort, 0, 1e-8);
        }
    }
    scene_close(&s);
}

// Statics without mass: a massless slider between two springs.
static void test_massless(void)
{
    static const char massless[] =
        "cardan: 1\nbodies: {knot: {mass: 0}, weight: {mass: 1, at: [0, 0, -1]}}\n"
        "joints: {upper: {prismatic: [ground, knot], at: [0, 0, 0], axis: -z, spring: {stiffness: 300, rest: 0}}, "
        "lower: {prismatic: [knot, weight], at: [0, 0, 0], axis: -z, spring: {stiffness: 100, rest: 0}}}\n";
    static const char  knot[] = "cardan: 1\nbodies: {knot: {mass: 0}}\njoints: {slide: {prismatic: [ground, knot], at: "
                                "[0, 0, 0], axis: x, spring: {stiffness: 100, rest: 0.2}}}\n";
    scene              s;
    cardan_equilibrium equilibrium;
    if (scene_text(&s, massless, "dense", 0, NULL) && find(&s, NULL, &equilibrium)) {
        CHECK_NEAR(scene_q(&s, "upper"), g / 300, 1e-10);
        CHECK_NEAR(scene_q(&s, "lower"), g / 100, 1e-10);
    }
    scene_close(&s);
    if (scene_text(&s, knot, "dense", 0, NULL) && find(&s, NULL, &equilibrium)) {
        CHECK_NEAR(scene_q(&s, "slide"), 0.2, 1e-10);
        CHECK(isnan(equilibrium.max_acceleration));
    }
    scene_close(&s);
}

// A simulation from the equilibrium stays there.
static void test_simulated_equilibrium(void)
{
    scene              s;
    cardan_equilibrium equilibrium;
    if (scene_text(&s, scene_four_bar, "dense", 0, NULL) && find(&s, NULL, &equilibrium)) {
        const double        crank = scene_q(&s, "A");
        double              q[8], v[8] = {0};
        cardan_run_settings run = cardan_run_default();
        cardan_run_summary  summary;
        cardan_equilibrium_solve(s.data, NULL, q, NULL, NULL, NULL);
        run.end             = 1;
        run.output_interval = 1;
        run.q               = q;
        run.v               = v;
        CHECK(cardan_simulate(s.data, &run, &summary, &s.report) == CARDAN_OK);
        CHECK_NEAR(scene_q(&s, "A"), crank, 1e-9);
    }
    scene_close(&s);
}

// Follower force (Ziegler's column): unstable above the critical force although all stiffnesses are positive.
static void test_follower(void)
{
    for (int i = 0; i < 2; ++i) {
        scene                          s;
        cardan_equilibrium             equilibrium;
        const cardan_parameter_setting push = {"P", i ? "2.2" : "2"};
        if (scene_text(&s, scene_ziegler, "order-n", 1, &push) && find(&s, NULL, &equilibrium)) {
            CHECK(equilibrium.stability == (i ? CARDAN_UNSTABLE : CARDAN_STABLE));
            CHECK(equilibrium.nunstable == i);
        }
        scene_close(&s);
    }
}

// A parallelogram that its spring pulls onto one line has its equilibrium in a singular configuration: this is
// reported, without a statement about stability.
static void test_singular(void)
{
    static const char parallelogram[] =
        "cardan: 1\nname: flat\ngravity: [0, 0, 0]\n"
        "bodies: {a: {rod: [[0, 0, 0], [0, 1, 0]], mass: 1}, b: {rod: [[2, 0, 0], [2, 1, 0]], mass: 1}, c: {rod: [[0, "
        "1, 0], [2, 1, 0]], mass: 1}}\n"
        "joints:\n"
        "  pa: {revolute: [ground, a], at: [0, 0, 0], axis: z, spring: {stiffness: 10, rest: -1.5707963267948966}}\n"
        "  pb: {revolute: [ground, b], at: [2, 0, 0], axis: z}\n"
        "  pc: {revolute: [a, c], at: [0, 1, 0], axis: z}\n"
        "  pd: {revolute: [b, c], at: [2, 1, 0], axis: z}\n";
    scene              s;
    cardan_equilibrium equilibrium;
    cardan_modes*      modes = NULL;
    if (scene_text(&s, parallelogram, "dense", 0, NULL) && find(&s, NULL, &equilibrium)) {
        CHECK_NEAR(scene_q(&s, "pa"), -1.5707963267948966, 1e-8);
        CHECK(equilibrium.is_singular && equilibrium.nunstable == 0);
        CHECK_CASE(&s.report, "parallelogram on one line", " 2 | 1");
        CHECK(cardan_modes_create(s.data, &modes, &s.report) == CARDAN_SINGULAR && modes == NULL);
        CHECK_MESSAGE(&s.report.message[s.report.count - 1], CARDAN_CODE_SINGULAR_CONFIGURATION, " 2 ", " 1");
    }
    scene_close(&s);
}

int main(void)
{
    RUN(test_pendulum());
    RUN(test_pendulum_spring());
    RUN(test_hanging_chain());
    RUN(test_four_bar());
    RUN(test_plate());
    RUN(test_vehicle());
    RUN(test_drifting());
    RUN(test_states());
    RUN(test_follower());
    RUN(test_driven());
    RUN(test_massless());
    RUN(test_singular());
    RUN(test_simulated_equilibrium());
    RUN(test_sentences("test_equilibrium"));
    return test_end();
}
