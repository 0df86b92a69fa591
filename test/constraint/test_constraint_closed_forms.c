// SPDX-License-Identifier: BSD-3-Clause
// Constraints in closed form: one small mechanism per type whose accelerations, multipliers or motor efforts are known.
#include "dynamics/data.h"
#include "dynamics/rows/constraint_update.h"
#include "yaml_text.h"

#include <cardan/cardan.h>

typedef struct solved_model {
    cardan_description* description;
    cardan_model*       model;
    cardan_data*        data;
    cardan_model_view   m;
    double              a[32], effort[16];
} solved_model;

// Model of a text with its accelerations at time t, at the start or at the state given.
static solved_model solve_at(const char* text, double t, const double* q, const double* v)
{
    solved_model  x      = {.description = yaml_load(text)};
    cardan_report report = {0};
    bool          good =
        x.description && cardan_model_compile(x.description, CARDAN_TREE_BREADTH_FIRST, &x.model, &report) == CARDAN_OK;
    good = good && cardan_data_create(x.model, cardan_formulation_find("dense"), &x.data, &report) == CARDAN_OK;
    if (good) {
        x.m = cardan_model_get_view(x.model);
        cardan_data_set_state(x.data, t, q ? q : x.m.q_start, v ? v : x.m.v_start, x.m.state_start);
        good = cardan_data_accelerate(x.data, x.a, NULL, &report) == CARDAN_OK;
        cardan_data_driver_efforts(x.data, x.a, x.effort, NULL);
        CHECK(cardan_data_residual_norm(x.data, x.a) < 1e-12);
        cd_update_rows(x.data);
        for (int i = 0; i < x.data->constraints.nrow; ++i) {
            CHECK_NEAR(x.data->constraints.value[i], 0, 1e-12);
            CHECK_NEAR(x.data->constraints.rate[i], 0, 1e-12);
        }
    }
    if (!good && report.count) printf("%s\n", report.message[0].text);
    CHECK(good);
    return x;
}

static solved_model solve(const char* text) { return solve_at(text, 0, NULL, NULL); }

static void close_model(solved_model* x)
{
    cardan_data_destroy(x->data);
    cardan_model_destroy(x->model);
    cardan_description_destroy(x->description);
}

#define HEAD "cardan: 1\ngravity: [0, 0, -9.81]\n"

// A ball on a rod of 2 m, 30 degrees from the vertical, at 3 m/s: tension m (g cos + v^2 / l), tangential acceleration
// -g sin.
static void test_distance(void)
{
    solved_model x = solve(HEAD "bodies: {ball: {at: [1, 0, =-sqrt(3)], mass: 4, inertia: [1, 1, 1]}}\n"
                                "joints: {j: {free: [ground, ball], start: {v: [=3*cos(pi/6), 0, 1.5, 0, 0, 0]}}}\n"
                                "constraints: {rod: {distance: [ball, ground]}}\n");
    const double c = sqrt(3) / 2, along = x.a[0] * 0.5 - x.a[2] * c, across = x.a[0] * c + x.a[2] * 0.5;
    CHECK_NEAR(across, -9.81 / 2, 1e-12);
    CHECK_NEAR(along, -9.0 / 2, 1e-12);
    CHECK_NEAR(x.data->solve.lambda[0], 4 * (9.81 * c + 9.0 / 2), 1e-12);
    close_model(&x);
    // a cylinder whose length grows by 0.5 t^2 m lifts 4 kg: 4 (g + 1) N
    x = solve(
        HEAD
        "bodies: {ball: {at: [0, 0, 1], mass: 4, inertia: [1, 1, 1]}}\n"
        "constraints: {rod: {distance: [ball, ground], law: =1+0.5*t^2}, line: {point_on_line: [ball, ground]}}\n");
    CHECK_NEAR(x.a[2], 1, 1e-12);
    CHECK_NEAR(x.effort[0], 4 * 10.81, 1e-12);
    CHECK_TEXT(cardan_data_driver_at(x.data, 0).unit, "N");
    close_model(&x);
}

// A bead on a line and on a plane inclined by 30 degrees: g sin 30 along the slope.
static void test_line_and_plane(void)
{
    solved_model x = solve(
        HEAD
        "bodies: {bead: {mass: 2, inertia: [1, 2, 3]}}\n"
        "markers: {slope: {on: ground, orientation: {axis: y, angle: =pi/3}}}\n" // z is inclined by 30 degrees from x
        "constraints: {s: {point_on_line: [bead, slope]}}\n");
    CHECK_NEAR(x.a[0] * sin(M_PI / 3) + x.a[2] * 0.5, -9.81 / 2, 1e-12);
    CHECK_NEAR(x.a[0] * 0.5 - x.a[2] * sin(M_PI / 3), 0, 1e-12);
    close_model(&x);
    x = solve(HEAD "bodies: {bead: {mass: 2, inertia: [1, 2, 3]}}\n"
                   "markers: {slope: {on: ground, orientation: {axis: y, angle: =pi/6}}}\n"
                   "constraints: {s: {point_in_plane: [bead, slope]}}\n");
    CHECK_NEAR(x.a[0], 9.81 * sin(M_PI / 6) * cos(M_PI / 6), 1e-12);
    CHECK_NEAR(x.a[2], -9.81 * sin(M_PI / 6) * sin(M_PI / 6), 1e-12);
    CHECK_NEAR(x.a[1], 0, 1e-12);
    close_model(&x);
}

// A bead on the parabola z = x^2, exactly a B-spline of degree 2 with control points (-2, 4), (0, -4), (2, 4), at x = 1
// and xdot = 0.7: x'' = -2 x (g + 2 xdot^2) / (1 + 4 x^2). And on a quarter circle of radius 2, exactly a NURBS.
static void test_curve(void)
{
    solved_model x =
        solve(HEAD "bodies: {bead: {at: [1, 0, 1], mass: 3, inertia: [1, 1, 1]}}\n"
                   "joints: {j: {free: [ground, bead], start: {v: [0.7, 0, 1.4, 0, 0, 0]}}}\n"
                   "constraints: {c: {point_on_curve: [bead, ground], curve: {points: [[-2, 0, 4], [0, 0, -4], "
                   "[2, 0, 4]], degree: 2}}}\n");
    CHECK_NEAR(x.a[0], -2 * (9.81 + 2 * 0.49) / 5, 1e-11);
    CHECK_NEAR(x.a[2], 2 * 0.49 + 2 * x.a[0], 1e-11);
    close_model(&x);
    x = solve(HEAD "bodies: {bead: {at: [=2*cos(1), 0, =2*sin(1)], mass: 3, inertia: [1, 1, 1]}}\n"
                   "joints: {j: {free: [ground, bead], start: {v: [=-2*sin(1), 0, =2*cos(1), 0, 0, 0]}}}\n"
                   "constraints: {c: {point_on_curve: [bead, ground], curve: {points: [[2, 0, 0], [2, 0, 2], [0, 0, "
                   "2]], weights: [1, =sqrt(0.5), 1]}}}\n");
    CHECK_NEAR(x.a[0] * cos(1) + x.a[2] * sin(1), -2, 1e-11); // v^2 / r
    CHECK_NEAR(-x.a[0] * sin(1) + x.a[2] * cos(1), -9.81 * cos(1), 1e-11);
    close_model(&x);
}

// A marker that follows the parabola with u = t / 4 is at x = -2 + t, velocities 1 and 2 x, z'' = 2.
static void test_follow(void)
{
    const double q[7] = {-1.5, 0, 2.25, 1, 0, 0, 0}, v[6] = {1, 0, -3, 0, 0, 0};
    solved_model x =
        solve_at(HEAD "bodies: {bead: {mass: 3, inertia: [1, 1, 1]}}\n"
                      "joints: {j: {free: [ground, bead]}}\n"
                      "constraints: {c: {follow: [bead, ground], law: =t/4, curve: {points: [[-2, 0, 4], [0, "
                      "0, -4], [2, 0, 4]], degree: 2}}}\n",
                 0.5, q, v);
    CHECK_NEAR(x.a[0], 0, 1e-12);
    CHECK_NEAR(x.a[2], 2, 1e-12);
    CHECK(cardan_data_driver_count(x.data) == 3);
    CHECK_NEAR(x.effort[0], 0, 1e-11);
    CHECK_NEAR(x.effort[2], 3 * (2 + 9.81), 1e-12);
    CHECK_NEAR(cardan_data_energy(x.data).power, x.effort[2] * -3, 1e-11);
    close_model(&x);
}

// z stays vertical: the body rotates about z only; an orientation constraint permits no rotation.
static void test_parallel_and_orientation(void)
{
    solved_model x = solve(HEAD "bodies: {top: {mass: 2, inertia: [1, 2, 4]}}\n"
                                "forces: {t: {torque: [5, 6, 8], on: top}}\n"
                                "constraints: {p: {parallel: [top, ground]}}\n");
    CHECK_NEAR(x.a[5], 2, 1e-12);
    CHECK_NEAR(x.a[3], 0, 1e-12);
    CHECK_NEAR(x.a[2], -9.81, 1e-12);
    close_model(&x);
    x = solve(HEAD "bodies: {top: {mass: 2, inertia: [1, 2, 4], at: [1, 2, 3], orientation: {axis: x, angle: 0.3}}}\n"
                   "forces: {t: {torque: [5, 6, 8], on: top}}\n"
                   "constraints: {p: {orientation: [top, ground]}}\n");
    for (int i = 3; i < 6; ++i) CHECK_NEAR(x.a[i], 0, 1e-12);
    CHECK_NEAR(x.data->solve.lambda[2], 8, 1e-11);
    close_model(&x);
}

#define WHEELS                                                                                                         \
    HEAD "bodies: {a: {mass: 1, inertia: [1, 1, 2]}, b: {at: [1, 0, 0], mass: 1, inertia: [1, 1, 12]}, c: {mass: 3, "  \
         "inertia: [1, 1, 1]}}\n"                                                                                      \
         "joints: {a: {revolute: [ground, a], at: [0, 0, 0], axis: z}, b: {revolute: [ground, b], at: [1, 0, 0], "     \
         "axis: z}, "                                                                                                  \
         "c: {prismatic: [ground, c], at: [0, 0, 0], axis: x}}\n"                                                      \
         "forces: {motor: {actuator: a, effort: 7}}\n"

// 20 and 40 teeth: the second wheel rotates half as fast in the opposite direction; inertia 2 + 12/4 = 5 at the first.
static void test_gear(void)
{
    solved_model x = solve(WHEELS "constraints: {g: {gear: [a, b], teeth: [20, 40]}}\n");
    CHECK_NEAR(x.a[0], 7.0 / 5, 1e-12);
    CHECK_NEAR(x.a[1], -7.0 / 10, 1e-12);
    close_model(&x);
    x = solve(WHEELS "constraints: {g: {gear: [a, b], teeth: [20, 40], internal: true}}\n");
    CHECK_NEAR(x.a[1], 7.0 / 10, 1e-12);
    close_model(&x);
    x = solve(WHEELS "constraints: {g: {gear: [a, b], ratio: 2}}\n");
    CHECK_NEAR(x.a[1], 7.0 / 10, 1e-12);
    close_model(&x);
    x = solve(WHEELS "constraints: {g: {belt: [a, b], radii: [0.1, 0.2]}}\n");
    CHECK_NEAR(x.a[1], 7.0 / 10, 1e-12);
    close_model(&x);
    x = solve(WHEELS "couplings: [{joint: b, to: a, factor: 0.5}]\n");
    CHECK_NEAR(x.a[0], 7.0 / 5, 1e-12);
    CHECK_NEAR(x.a[1], 7.0 / 10, 1e-12);
    close_model(&x);
    x = solve(WHEELS "constraints: {g: {belt: [a, b], radii: [0.1, 0.2], crossed: true}, again: {gear: [a, b], teeth: "
                     "[10, 20]}, once: {coupler: [a, b], factors: [1e-6, 2e-6]}}\n");
    CHECK_NEAR(x.a[0], 7.0 / 5, 1e-11); // the same relation three times, once in other units
    CHECK_NEAR(x.a[1], -7.0 / 10, 1e-11);
    close_model(&x);
}

// Rack of 3 kg on a pinion of 0.5 m: 2 + 3/4 kg m^2; along z its weight acts, too.
static void test_rack(void)
{
    solved_model x = solve(WHEELS "constraints: {r: {rack_pinion: [a, c], radius: 0.5}}\n");
    CHECK_NEAR(x.a[0], 7 / 2.75, 1e-12);
    CHECK_NEAR(x.a[2], 3.5 / 2.75, 1e-12);
    close_model(&x);
}

// Differential: 2 c = a + b with an inertia of 6 at the cage: two degrees of freedom. a'' and b'' from Lagrange's
// equations (2 + 6/4) a'' + 6/4 b'' = 7, 6/4 a'' + (12 + 6/4) b'' = 0.
static void test_differential(void)
{
    solved_model x =
        solve(HEAD "bodies: {a: {mass: 1, inertia: [1, 1, 2]}, b: {at: [1, 0, 0], mass: 1, inertia: [1, 1, "
                   "12]}, c: {mass: 3, inertia: [1, 1, 6]}}\n"
                   "joints: {a: {revolute: [ground, a], at: [0, 0, 0], axis: z}, b: {revolute: [ground, b], "
                   "at: [1, 0, 0], axis: z}, "
                   "c: {revolute: [ground, c], at: [0, 0, 0], axis: z}}\n"
                   "forces: {motor: {actuator: a, effort: 7}}\n"
                   "constraints: {d: {coupler: [a, b, c], factors: [1, 1, -2]}}\n");
    const double det = 3.5 * 13.5 - 1.5 * 1.5;
    CHECK_NEAR(x.a[0], 7 * 13.5 / det, 1e-12);
    CHECK_NEAR(x.a[1], -7 * 1.5 / det, 1e-12);
    CHECK_NEAR(x.a[2], (x.a[0] + x.a[1]) / 2, 1e-12);
    close_model(&x);
}

// Worm 40:1, efficiency 0.7, with 2 kg m^2 at the worm and 12 at the wheel. The worm drives: 2 w1' = 7 - lambda, 12 w2'
// = 0.7 * 40 lambda.
static void test_worm(void)
{
    const double q[3] = {0}, v[3] = {4, 0.1, 0};
    solved_model x = solve_at(
        WHEELS "constraints: {w: {worm: [a, b], ratio: 40, efficiency: 0.7, back_efficiency: 0.4}}\n", 0, q, v);
    CHECK_NEAR(x.a[0], 7 / (2 + 12 / (1600 * 0.7)), 1e-12);
    CHECK_NEAR(x.a[1], x.a[0] / 40, 1e-12);
    const double loss = 12 * x.a[1] / 0.7 * 0.3 * 0.1; // 0.3 of the power of the worm, times the speed of the wheel
    CHECK_NEAR(cardan_data_energy(x.data).power, 7 * 4 - loss, 1e-11);
    double again[3];
    cardan_data_accelerate(x.data, again, NULL, NULL); // losses do not accumulate
    CHECK_NEAR(again[0], x.a[0], 1e-14);
    close_model(&x);
    // 700 N m at the wheel drive the worm: 12 w2' = 700 + 40 lambda, 2 w1' = -0.4 lambda
    x = solve_at(HEAD "bodies: {a: {mass: 1, inertia: [1, 1, 2]}, b: {at: [1, 0, 0], mass: 1, inertia: [1, 1, 12]}}\n"
                      "joints: {a: {revolute: [ground, a], at: [0, 0, 0], axis: z}, b: {revolute: [ground, b], at: [1, "
                      "0, 0], axis: z}}\n"
                      "forces: {load: {actuator: b, effort: 700}}\n"
                      "constraints: {w: {worm: [a, b], ratio: 40, efficiency: 0.7, back_efficiency: 0.4}}\n",
                 0, q, v);
    const double lambda = -700 / (40 + 12 * 0.4 / 80);
    CHECK_NEAR(x.a[0], -0.4 * lambda / 2, 1e-12);
    CHECK_NEAR(x.data->solve.lambda[0], lambda, 1e-12);
    close_model(&x);
    // self-locking: a rotating worm loaded by the wheel ends in creep, here below the speed
    x = solve_at(HEAD "bodies: {a: {mass: 1, inertia: [1, 1, 2]}, b: {at: [1, 0, 0], mass: 1, inertia: [1, 1, 12]}}\n"
                      "joints: {a: {revolute: [ground, a], at: [0, 0, 0], axis: z}, b: {revolute: [ground, b], at: [1, "
                      "0, 0], axis: z}}\n"
                      "forces: {load: {actuator: b, effort: 700}}\n"
                      "constraints: {w: {worm: [a, b], ratio: 40, efficiency: 0.4, back_efficiency: -0.5}}\n",
                 0, q, v);
    CHECK(x.a[0] < 0);
    const double creeping[3] = {1e-3 * atanh(1 / 1.5), 1e-3 * atanh(1 / 1.5) / 40, 0};
    cardan_data_set_state(x.data, 0, q, creeping, NULL);
    cardan_data_accelerate(x.data, x.a, NULL, NULL);
    CHECK_NEAR(x.a[0], 0, 1e-10);
    close_model(&x);
    // at the limit of self-locking it accelerates slower and slower: at 7 times the speed 1 - tanh 7 of the load
    // remains
    x = solve_at(HEAD "bodies: {a: {mass: 1, inertia: [1, 1, 2]}, b: {at: [1, 0, 0], mass: 1, inertia: [1, 1, 12]}}\n"
                      "joints: {a: {revolute: [ground, a], at: [0, 0, 0], axis: z}, b: {revolute: [ground, b], at: [1, "
                      "0, 0], axis: z}}\n"
                      "forces: {load: {actuator: b, effort: 700}}\n"
                      "constraints: {w: {worm: [a, b], ratio: 40, efficiency: 0.4, back_efficiency: 0}}\n",
                 0, q, (const double[3]){7e-3, 7e-3 / 40, 0});
    CHECK_NEAR(x.a[0] * 1e5, 1e5 * (700.0 / 40) * (1 - tanh(7)) / (2 + 12.0 / 1600 * (1 - tanh(7))), 1e-6);
    close_model(&x);
}

// Down a plane of 30 degrees: a sphere with 5/7, a disc with 2/3 of g sin.
static void test_rolling(void)
{
    solved_model x    = solve(HEAD "bodies: {ball: {mass: 5, sphere: 0.2, at: [=0.2*sin(pi/6), 0, =0.2*cos(pi/6)]}}\n"
                                      "markers: {slope: {on: ground, orientation: {axis: y, angle: =pi/6}}}\n"
                                      "constraints: {r: {rolling: [ball, slope], radius: 0.2, shape: sphere}}\n");
    const double down = x.a[0] * cos(M_PI / 6) - x.a[2] * sin(M_PI / 6);
    CHECK_NEAR(down, 5.0 / 7 * 9.81 / 2, 1e-12);
    close_model(&x);
    x = solve(HEAD "bodies: {disc: {mass: 5, cylinder: {radius: 0.2, length: 0, axis: y}, at: [=0.2*sin(pi/6), 0, "
                   "=0.2*cos(pi/6)]}}\n"
                   "markers: {slope: {on: ground, orientation: {axis: y, angle: =pi/6}}, hub: {on: disc, relative: "
                   "disc, orientation: {axis: x, angle: =-pi/2}}}\n"
                   "constraints: {r: {rolling: [hub, slope], radius: 0.2}}\n");
    CHECK_NEAR(x.a[0] * cos(M_PI / 6) - x.a[2] * sin(M_PI / 6), 2.0 / 3 * 9.81 / 2, 1e-12);
    CHECK_NEAR(x.a[4] * 0.2, 2.0 / 3 * 9.81 / 2, 1e-12);
    close_model(&x);
}

// Steady motion of a thin disc rolling in a circle: radius r, inclined inward by th, its centre on a circle of radius R
// at the rate W. With I1 = m r^2 / 4 and I3 = m r^2 / 2 Euler's equations give g sin th = W^2 cos th (3/2 R + r sin th
// / 4); spin s = -W (R + r sin th) / r.
static void test_rolling_in_a_circle(void)
{
    const double r = 0.5, th = 0.4, R = 2, W = sqrt(9.81 * sin(th) / (cos(th) * (1.5 * R + r * sin(th) / 4)));
    char         text[2000];
    snprintf(text, sizeof text,
             HEAD "parameters: {r: %.17g, th: %.17g, R: %.17g, W: %.17g}\n"
                  "bodies: {disc: {mass: 3, cylinder: {radius: =r, length: 0, axis: x}, at: [=R, 0, =r*cos(th)], "
                  "orientation: {axis: y, angle: =-th}}}\n"
                  "markers: {hub: {on: disc, relative: disc, orientation: {axis: y, angle: =pi/2}}}\n"
                  "joints: {j: {free: [ground, disc], start: {v: [0, =R*W, 0, =-W*R/r, 0, =W*cos(th)]}}}\n"
                  "constraints: {c: {rolling: [hub, ground], radius: =r}}\n",
             r, th, R, W);
    solved_model x = solve(text);
    CHECK_NEAR(x.a[0], -W * W * R, 1e-12);
    CHECK_NEAR(x.a[1], 0, 1e-12);
    CHECK_NEAR(x.a[2], 0, 1e-12);
    CHECK_NEAR(x.a[3], 0, 1e-12);
    CHECK_NEAR(x.a[4], -W * W * (R + r * sin(th)) / r * cos(th), 1e-12);
    CHECK_NEAR(x.a[5], 0, 1e-12);
    CHECK(x.data->constraints.constraint[0].nholonomic == 1 && x.data->constraints.nrow == 3);
    close_model(&x);
}

// A driven pendulum: torque of the driver m l^2 q'' + m g l sin q. The same with a cut joint, and with a driver
// constraint.
static void test_driver(void)
{
    const double q[1] = {0.2 * sin(3 * 0.7)}, v[1] = {0.6 * cos(3 * 0.7)};
    solved_model x = solve_at(
        HEAD "bodies: {bob: {mass: 2, centre: [0, 0, -1.5]}}\n"
             "joints: {hinge: {revolute: [ground, bob], at: [0, 0, 0], axis: -y, driver: \"=0.2*sin(3*t)\"}}\n",
        0.7, q, v);
    const double qdd = -1.8 * sin(3 * 0.7), torque = 2 * 2.25 * qdd + 2 * 9.81 * 1.5 * sin(q[0]);
    CHECK_NEAR(x.a[0], qdd, 1e-13);
    CHECK_NEAR(x.effort[0], torque, 1e-12);
    const cardan_driver d = cardan_data_driver_at(x.data, 0);
    CHECK(cardan_data_driver_count(x.data) == 1 && d.joint == 0 && d.axis == 0);
    CHECK_TEXT(d.name, "hinge");
    CHECK_TEXT(d.unit, "N m");
    CHECK_NEAR(cardan_data_energy(x.data).power, torque * v[0], 1e-12);
    cardan_reaction r;
    cardan_data_reactions(x.data, x.a, &r); // the driver torque is not part of it
    CHECK_NEAR(r.torque[1], 0, 1e-12);
    close_model(&x);
    x = solve_at(HEAD "bodies: {bob: {mass: 2, centre: [0, 0, -1.5]}}\n"
                      "joints: {free: {free: [ground, bob], at: [0, 0, 0]}, hinge: {revolute: [ground, bob], at: [0, "
                      "0, 0], axis: -y, driver: 0}}\n",
                 0, NULL, NULL);
    CHECK(x.m.nv == 6 && x.m.ncut == 1);
    CHECK_NEAR(x.effort[0], 0, 1e-12);
    close_model(&x);
    x = solve_at(HEAD "bodies: {bob: {mass: 2, centre: [0, 0, -1.5]}}\n"
                      "joints: {hinge: {revolute: [ground, bob], at: [0, 0, 0], axis: -y}}\n"
                      "constraints: {motor: {driver: hinge, law: \"=0.2*sin(3*t)\"}}\n",
                 0.7, q, v);
    CHECK_NEAR(x.effort[0], torque, 1e-12);
    close_model(&x);
}

// A shaking table by a lock: a body driven along x and z and about z; forces m (a + g), torque I z''.
static void test_driven_lock(void)
{
    const double t = 0.3, q[7] = {0.1 * sin(5 * t), 2, 0.05 * t * t, cos(t * t / 2), 0, 0, sin(t * t / 2)},
                 v[6] = {0.5 * cos(5 * t), 0, 0.1 * t, 0, 0, 2 * t};
    solved_model x =
        solve_at(HEAD "bodies: {table: {mass: 4, inertia: [1, 2, 3], at: [0, 2, 0]}}\n"
                      "joints: {j: {free: [ground, table]}}\n"
                      "markers: {foot: {on: ground, at: [0, 2, 0]}}\n"
                      "constraints: {shaker: {lock: [table, foot], x: =0.1*sin(5*t), z: =0.05*t^2, rz: =t^2}}\n",
                 t, q, v);
    CHECK_NEAR(x.a[0], -2.5 * sin(5 * t), 1e-12);
    CHECK_NEAR(x.a[5], 2, 1e-12);
    CHECK(cardan_data_driver_count(x.data) == 3);
    CHECK_NEAR(x.effort[0], -10 * sin(5 * t), 1e-11);
    CHECK_NEAR(x.effort[1], 4 * (9.81 + 0.1), 1e-11);
    CHECK_NEAR(x.effort[2], 6, 1e-11);
    CHECK_TEXT(cardan_data_driver_at(x.data, 2).unit, "N m");
    CHECK_TEXT(cardan_data_driver_at(x.data, 1).unit, "N");
    close_model(&x);
}

// The translation of a lock is the displacement of the first marker from its reference position for all rotations: a
// wheel with a free rotation rotates about its origin with torque / I, for any origin of the carrier and any reference
// pose. With its origin 0.5 m above its mass centre it is a pendulum: (torque - m g r sin) / (I + m r^2).
static void test_rotation_of_lock(void)
{
    static const char* const references[] = {"", ", rest: {at: [0.3, 0.2, 0]}"};
    for (int i = 0; i < 2; ++i) {
        char text[400];
        snprintf(text, sizeof text,
                 HEAD "bodies: {b: {at: [0.3, 0.2, 0], mass: 2, inertia: [0.1, 0.2, 0.15]}}\n"
                      "constraints: {pin: {lock: [b, ground], rz: free%s}}\n"
                      "forces: {m: {torque: [0, 0, 0.15], on: b}}\n",
                 references[i]);
        solved_model    x = solve(text);
        cardan_reaction r;
        CHECK_NEAR(x.a[0], 0, 1e-12);
        CHECK_NEAR(x.a[1], 0, 1e-12);
        CHECK_NEAR(x.a[5], 1, 1e-12);
        CHECK(cardan_data_marker_constraint_count(x.data) == 1 &&
              cardan_data_all_reactions(x.data, x.a, NULL, &r, NULL) == CARDAN_OK);
        CHECK_NEAR(r.force[2], 2 * 9.81, 1e-12); // at the first marker, where it has no moment
        for (int k = 0; k < 3; ++k) CHECK_NEAR(r.torque[k], 0, 1e-12);
        close_model(&x);
    }
    solved_model x =
        solve(HEAD "bodies: {b: {at: [3, 1, 2], mass: 2, centre: [0.3, 0, -0.4], inertia: [0.1, 0.2, 0.15]}}\n"
                   "constraints: {pin: {lock: [b, ground], ry: free}}\n");
    CHECK_NEAR(x.a[4], 2 * 9.81 * 0.3 / (0.2 + 2 * 0.25), 1e-12);
    close_model(&x);
}

// Translation and rotation by driver functions, on an inclined carrier whose y is -x of the world: the origin follows
// the translation only, and the driver efforts are m a and I alpha.
static void test_driven_translation_and_rotation(void)
{
    const double t = 0.4, q[7] = {0.3, 0.2 + 0.3 * sin(t), 0.1, cos(t * t / 2), 0, 0, sin(t * t / 2)},
                 v[6] = {0, 0.3 * cos(t), 0, 0, 0, 2 * t};
    solved_model x =
        solve_at(HEAD "bodies: {b: {mass: 4, inertia: [1, 2, 3], at: [0.3, 0.2, 0.1]}}\n"
                      "joints: {j: {free: [ground, b]}}\n"
                      "markers: {foot: {on: ground, at: [1, 0, 0], orientation: {axis: z, angle: =pi/2}}}\n"
                      "constraints: {table: {lock: [b, foot], x: =0.3*sin(t), rz: =t^2}}\n",
                 t, q, v);
    CHECK_NEAR(x.a[0], 0, 1e-12);
    CHECK_NEAR(x.a[1], -0.3 * sin(t), 1e-12);
    CHECK_NEAR(x.a[5], 2, 1e-12);
    CHECK_NEAR(x.effort[0], -4 * 0.3 * sin(t), 1e-11);
    CHECK_NEAR(x.effort[1], 6, 1e-11);
    close_model(&x);
}

// Ten revolutions: the offset of a gear is satisfied by angles with their winding numbers.
static void test_winding_numbers(void)
{
    solved_model x =
        solve(HEAD "bodies: {a: {mass: 1, inertia: [1, 1, 2]}, b: {at: [1, 0, 0], mass: 1, inertia: [1, 1, 12]}}\n"
                   "joints: {a: {revolute: [ground, a], at: [0, 0, 0], axis: z, start: {q: 64}}, b: {revolute: "
                   "[ground, b], at: [1, 0, 0], axis: z, start: {q: 21}}}\n"
                   "constraints: {g: {gear: [a, b], ratio: 3, offset: 1}}\n");
    close_model(&x);
    // a cut screw that rotates step by step advances with every revolution
    x = solve(HEAD "bodies: {nut: {mass: 1, inertia: [1, 1, 1]}}\n"
                   "joints: {f: {free: [ground, nut], at: [0, 0, 0]}, s: {screw: [ground, nut], at: [0, 0, 0], axis: "
                   "z, pitch: 0.1}}\n");
    CHECK(x.m.ncut == 1);
    for (int i = 0; i <= 200; ++i) {
        const double angle = i * 0.2, q[7] = {0, 0, 0.1 * angle / (2 * M_PI), cos(angle / 2), 0, 0, sin(angle / 2)},
                     v[6] = {0};
        cardan_data_set_state(x.data, 0, q, v, NULL);
        cd_update_rows(x.data);
        CHECK_NEAR(x.data->constraints.value[2], 0, 1e-13);
    }
    close_model(&x);
}

int main(void)
{
    yaml_begin();
    RUN(test_distance());
    RUN(test_line_and_plane());
    RUN(test_curve());
    RUN(test_follow());
    RUN(test_parallel_and_orientation());
    RUN(test_gear());
    RUN(test_rack());
    RUN(test_differential());
    RUN(test_worm());
    RUN(test_rolling());
    RUN(test_rolling_in_a_circle());
    RUN(test_driver());
    RUN(test_driven_lock());
    RUN(test_rotation_of_lock());
    RUN(test_driven_translation_and_rotation());
    RUN(test_winding_numbers());
    yaml_end();
    return test_end();
}
