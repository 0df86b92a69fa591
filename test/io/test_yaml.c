// SPDX-License-Identifier: BSD-3-Clause
// Reader of model files: values of the description, number by number.
#include "yaml_text.h"

#include "math/quaternion.h"
#include "model/description.h"

#define HEAD "cardan: 1\n"

static const double pi = 3.14159265358979323846;

static cardan_description_view get_view(const cardan_description* d) { return cardan_description_get_view(d); }

static void check_numbers(int count, const double* value, const double* expected, int line)
{
    for (int i = 0; i < count; ++i) {
        if (fabs(value[i] - expected[i]) <= 1e-13 * fmax(1, fabs(expected[i]))) continue;
        printf("line %d: number %d is %.17g, not %.17g\n", line, i, value[i], expected[i]);
        CHECK(false);
    }
}
#define CHECK_NUMBERS(value, ...)                                                                                      \
    check_numbers((int)(sizeof(double[]){__VA_ARGS__} / sizeof(double)), value, (double[]){__VA_ARGS__}, __LINE__)

static const cardan_body* body_of(const cardan_description* d, const char* name)
{
    return &get_view(d).body[cardan_description_find_body(d, name)];
}
static const cardan_joint* joint_of(const cardan_description* d, const char* name)
{
    return &get_view(d).joint[cardan_description_find_joint(d, name)];
}
static const cardan_marker* marker_of(const cardan_description* d, const char* name)
{
    return &get_view(d).marker[cardan_description_find_marker(d, name)];
}

// Value of an expression whose inputs are all 1.
static double value_of(const cardan_description* d, cardan_expression expression)
{
    double ones[100], value = NAN;
    for (int i = 0; i < 100; ++i) ones[i] = 1;
    CHECK(cd_node_evaluate(d->graph, expression, ones, &value) == CARDAN_OK);
    return value;
}

// Four-bar with points, slender rods and a loop.
static void test_four_bar(void)
{
    cardan_description* d =
        yaml_load(HEAD "name: four-bar\ngravity: [0, -9.81, 0]\nparameters: {a: 1}\npoints:\n"
                       "  A: [0, 0, 0]\n  B: [=a*cos(pi/3), =a*sin(pi/3), 0]\n  C: [2.645, 1.355, 0]\n  D: [2, 0, 0]\n"
                       "bodies:\n  crank:   {rod: [A, B], mass: 1}\n  coupler: {rod: [B, C], mass: 2}\n  rocker:  "
                       "{rod: [C, D], mass: 1.5}\n"
                       "joints:\n  A: {revolute: [ground, crank], at: A, axis: z, start: {v: 1}}\n  B: {revolute: "
                       "[crank, coupler], at: B, axis: z}\n"
                       "  C: {revolute: [coupler, rocker], at: C, axis: z}\n  D: {revolute: [rocker, ground], at: D, "
                       "axis: z}\nrun: {duration: 10, output: 0.01}\n");
    const cardan_description_view v = get_view(d);
    CHECK_TEXT(v.name, "four-bar");
    CHECK(v.nbody == 3 && v.njoint == 4 && v.nshape == 3 && v.nparameter == 1 && yaml_report.count == 0);
    CHECK_NUMBERS(v.gravity, 0, -9.81, 0);
    CHECK_NUMBERS(v.body[0].pose.p, 0.25, sqrt(3) / 4, 0);
    CHECK_NUMBERS(v.body[0].centre, 0, 0, 0);
    // m L^2/12 (1 - d d'), d = (1/2, sqrt(3)/2, 0)
    CHECK_NUMBERS(v.body[0].inertia, 0.75 / 12, 0.25 / 12, 1.0 / 12, -sqrt(3) / 4 / 12, 0, 0);
    CHECK(v.shape[0].kind == CARDAN_SHAPE_ROD && v.shape[0].body == 0);
    CHECK_NUMBERS(v.shape[0].size, 1, 0);
    double z[3];
    q4_rotate(v.shape[0].pose.q, (double[]){0, 0, 1}, z);
    CHECK_NUMBERS(z, 0.5, sqrt(3) / 2, 0);
    CHECK(v.joint[3].first_body == 2 && v.joint[3].second_body == CARDAN_GROUND);
    CHECK_NUMBERS(v.joint[3].frame_first.p, 2 - 2.3225, -0.6775, 0);
    CHECK_NUMBERS(v.joint[3].frame_second.p, 2, 0, 0);
    CHECK_NUMBERS(v.joint[0].frame_first.q, 1, 0, 0, 0);
    CHECK(v.joint[0].start_v_given && !v.joint[0].start_q_given && v.joint[0].start_v[0] == 1);
    CHECK(v.run->duration == 10 && v.run->output_interval == 0.01 && v.run->stop_condition == CARDAN_NONE);
    CHECK(v.joint[0].location.line == 15 && v.joint[0].location.column == 3);
    CHECK_TEXT(v.joint[0].location.file, "model.yaml");
    cardan_description_destroy(d);
}

static void test_forms(void)
{
    cardan_description* d =
        yaml_load(HEAD "bodies:\n"
                       "  rod: {rod: [[0, 0, 0], [0, 0, 2]], radius: 0.5, density: 3}\n"
                       "  box: {box: [1, 2, 3], mass: 12, at: [1, 1, 1]}\n"
                       "  ball: {sphere: 2, density: 1}\n"
                       "  can: {cylinder: {radius: 1, length: 6, axis: x}, mass: 4}\n"
                       "  nothing:\n"
                       "  point: {mass: 1, centre: [1, 2, 3]}\n"
                       "  framed: {mass: 1, at: [1, 0, 0], orientation: {axis: z, angle: =pi/2}, centre: [1, 0, 0], "
                       "inertia: [1, 2, 3, 0.1, 0.2, 0.3]}\n"
                       "  rotated: {mass: 1, inertia: [1, 2, 2.5], inertia_axes: {axis: z, angle: =pi/2}}\n");
    CHECK_NEAR(body_of(d, "rod")->mass, 3 * pi * 0.25 * 2, 1e-14);
    const double m = body_of(d, "rod")->mass;
    CHECK_NUMBERS(body_of(d, "rod")->inertia, m * (4.0 / 12 + 0.25 / 4), m * (4.0 / 12 + 0.25 / 4), m * 0.25 / 2, 0, 0,
                  0);
    CHECK_NUMBERS(body_of(d, "rod")->pose.p, 0, 0, 1);
    CHECK_NUMBERS(body_of(d, "box")->inertia, 13, 10, 5, 0, 0, 0);
    CHECK_NEAR(body_of(d, "ball")->mass, 32 * pi / 3, 1e-14);
    CHECK_NUMBERS(body_of(d, "ball")->inertia, 32 * pi / 3 * 1.6, 32 * pi / 3 * 1.6, 32 * pi / 3 * 1.6, 0, 0, 0);
    CHECK_NUMBERS(body_of(d, "can")->inertia, 2, 13, 13, 0, 0, 0);
    CHECK(body_of(d, "nothing")->mass == 0);
    CHECK_NUMBERS(body_of(d, "point")->pose.p, 1, 2, 3);
    CHECK_NUMBERS(body_of(d, "point")->centre, 0, 0, 0);
    CHECK_NUMBERS(body_of(d, "framed")->pose.q, sqrt(0.5), 0, 0, sqrt(0.5));
    CHECK_NUMBERS(body_of(d, "framed")->centre, 1, 0, 0);
    CHECK_NUMBERS(body_of(d, "framed")->inertia, 1, 2, 3, 0.1, 0.2, 0.3);
    CHECK_NUMBERS(body_of(d, "rotated")->inertia, 2, 1, 2.5, 0, 0, 0);
    cardan_description_destroy(d);
}

// A rotation of 90 degrees about z in every notation.
static void test_orientations(void)
{
    static const char* const notation[] = {
        "[1, 0, 0, 1]",
        "{axis: z, angle: 90}",
        "{axis: -z, angle: -90}",
        "{rpy: [0, 0, 90]}",
        "{x: y, y: -x}",
        "{x: [0, 3, 0.0], z: z}",
        "{z: {from: [0, 0, 1], to: A}, x: {through: [A, B]}}",
        "[[0, -1, 0], [1, 0, 0], [0, 0, 1]]",
        "{z: z, x: [0, 1, 5]}",
    };
    for (size_t i = 0; i < sizeof notation / sizeof *notation; ++i) {
        char text[400];
        snprintf(text, sizeof text,
                 HEAD "units: {angle: deg}\npoints: {A: [0, 0, 2], B: [0, 1, 2]}\nbodies: {b: {orientation: %s}, c: "
                      "{centre: A}, e: {centre: B}}\n",
                 notation[i]);
        cardan_description* d = yaml_load(text);
        if (d) CHECK_NUMBERS(body_of(d, "b")->pose.q, sqrt(0.5), 0, 0, sqrt(0.5));
        cardan_description_destroy(d);
    }
    cardan_description* d = yaml_load(HEAD "bodies: {b: {orientation: {rpy: [0.1, 0.2, 0.3]}}}\n");
    double              x[3];
    q4_rotate(body_of(d, "b")->pose.q, (double[]){1, 0, 0}, x); // Rz Ry Rx x = Rz Ry x
    CHECK_NUMBERS(x, cos(0.3) * cos(0.2), sin(0.3) * cos(0.2), -sin(0.2));
    cardan_description_destroy(d);
}

// Poses in the world, relative to a body, relative to a chain of bodies in any order, and by points.
static void test_placement(void)
{
    cardan_description* d = yaml_load(
        HEAD "points: {P: [5, 5, 5]}\nbodies:\n"
             "  c: {relative: b, at: [1, 0, 0], orientation: {axis: z, angle: =pi/2}, mass: 1, centre: P}\n"
             "  b: {relative: a, at: [1, 0, 0], orientation: {axis: z, angle: =pi/2}}\n"
             "  a: {at: [10, 0, 0], orientation: {axis: z, angle: =pi/2}}\n"
             "markers:\n  m: {on: a, at: [10, 2, 3]}\n  n: {on: a, relative: a, at: [2, 0, 3]}\n  o: {on: b, relative: "
             "n, at: [0, 0, 1]}\n  p: {on: ground, at: P}\n"
             "joints:\n  one: {revolute: [a, b], at: [1, 0, 0], relative: a, axis: y}\n  two: {revolute: [b, c], at: "
             "[9, 1, 0], axis: -x}\n"
             "  off: {revolute: [ground, c], at: [1, 2, 3], axis: x, at_second: [4, 5, 6], axis_second: [0, 2, 0]}\n");
    CHECK_NUMBERS(body_of(d, "b")->pose.p, 10, 1, 0);
    CHECK_NUMBERS(body_of(d, "b")->pose.q, 0, 0, 0, 1);
    CHECK_NUMBERS(body_of(d, "c")->pose.p, 9, 1, 0);
    CHECK_NUMBERS(body_of(d, "c")->centre, -4, -4, 5); // (-4, 4, 5) rotated back by 270 degrees
    CHECK_NUMBERS(marker_of(d, "m")->pose.p, 2, 0, 3);
    CHECK_NUMBERS(marker_of(d, "n")->pose.p, 2, 0, 3);
    CHECK_NUMBERS(marker_of(d, "o")->pose.p, 0, -1, 4);
    CHECK(marker_of(d, "p")->body == CARDAN_GROUND);
    CHECK_NUMBERS(marker_of(d, "p")->pose.p, 5, 5, 5);
    CHECK_NUMBERS(joint_of(d, "one")->frame_first.p, 1, 0, 0);
    CHECK_NUMBERS(joint_of(d, "one")->frame_second.p, 0, 0, 0);
    double z[3];
    q4_rotate(joint_of(d, "one")->frame_first.q, (double[]){0, 0, 1}, z);
    CHECK_NUMBERS(z, 0, 1, 0);
    q4_rotate(joint_of(d, "one")->frame_second.q, (double[]){0, 0, 1}, z);
    CHECK_NUMBERS(z, 1, 0, 0);
    q4_rotate(joint_of(d, "two")->frame_first.q, (double[]){0, 0, 1}, z);
    CHECK_NUMBERS(z, 1, 0, 0);
    CHECK_NUMBERS(joint_of(d, "off")->frame_first.p, 1, 2, 3);
    CHECK_NUMBERS(joint_of(d, "off")->frame_second.p, 4, 5, 6);
    q4_rotate(joint_of(d, "off")->frame_second.q, (double[]){0, 0, 1}, z);
    CHECK_NUMBERS(z, 0, 1, 0);
    cardan_description_destroy(d);
}

static void test_joints(void)
{
    cardan_description* d = yaml_load(
        HEAD "bodies: {a: , b: , c: , d: , e: , f: , g: {at: [1, 2, 3], orientation: [0, 1, 0, 0]}}\njoints:\n"
             "  r: {revolute: [ground, a], at: [0, 0, 0], axis: x, limits: [-1, .inf], damping: 0.1, friction: 0.2, "
             "armature: 0.3, spring: 5}\n"
             "  c: {cylindrical: [a, b], at: [0, 0, 0], axis: z, start: {q: [1, 2], v: [3, 4], guess: true},\n"
             "      spring: {stiffness: [1, 2], rest: [3, 4]}, friction: {forward: [1, 2], backward: [3, 4], speed: "
             "[0.1, 0.2]}}\n"
             "  s: {screw: [b, c], at: [0, 0, 0], axis: z, pitch: 0.5}\n"
             "  u: {universal: [c, d], at: [0, 0, 0], axes: [z, [0, -2, 0]], limits: [[-1, 1], [-2, 2]]}\n"
             "  g: {general: [d, e], at: [0, 0, 0], steps: [{rotate: x}, {translate: [0, 3, 4]}], limits: {lower: [-1, "
             "-2], upper: [1, 2], stiffness: [3, 4], damping: [5, 6]}}\n"
             "  b: {spherical: [e, f], at: [1, 1, 1], start: {q: [2, 0, 0, 0], v: [1, 2, 3]}}\n"
             "  f: {free: [ground, g], start: {v: [1, 2, 3, 4, 5, 6]}}\n"
             "couplings: [{joint: r, to: s, factor: 2, offset: 0.1}]\n");
    const cardan_joint* j = joint_of(d, "r");
    CHECK(j->naxis == 1 && j->axis[0].lower == -1 && j->axis[0].upper == INFINITY && j->axis[0].damping == 0.1 &&
          j->axis[0].armature == 0.3);
    CHECK(j->axis[0].friction_forward == 0.2 && j->axis[0].friction_backward == 0.2 &&
          j->axis[0].friction_speed == 1e-3 && j->axis[0].stiffness == 5);
    j = joint_of(d, "c");
    CHECK(j->naxis == 2 && j->start_is_guess && j->start_q[1] == 2 && j->start_v[0] == 3);
    CHECK(j->axis[1].stiffness == 2 && j->axis[1].spring_reference == 4 && j->axis[1].friction_forward == 2 &&
          j->axis[0].friction_backward == 3 && j->axis[1].friction_speed == 0.2);
    CHECK_NEAR(joint_of(d, "s")->pitch, 0.5 / (2 * pi), 1e-15);
    j = joint_of(d, "u");
    CHECK(j->nelementary == 2 && !j->elementary[0].is_translation && j->axis[1].lower == -2);
    CHECK_NUMBERS(j->elementary[0].axis, 0, 0, 1);
    CHECK_NUMBERS(j->elementary[1].axis, 0, -1, 0);
    j = joint_of(d, "g");
    CHECK(j->nelementary == 2 && !j->elementary[0].is_translation && j->elementary[1].is_translation &&
          j->axis[1].stop_stiffness == 4 && j->axis[0].stop_damping == 5);
    CHECK_NUMBERS(j->elementary[1].axis, 0, 0.6, 0.8);
    CHECK_NUMBERS(joint_of(d, "b")->start_q, 1, 0, 0, 0);
    CHECK_NUMBERS(joint_of(d, "b")->start_v, 1, 2, 3);
    j = joint_of(d, "f");
    CHECK(j->start_q_given);
    CHECK_NUMBERS(j->start_q, 1, 2, 3, 0, 1, 0, 0);
    CHECK_NUMBERS(j->frame_first.p, 0, 0, 0);
    CHECK_NUMBERS(j->start_v, 1, 2, 3, 4, 5, 6);
    const cardan_coupling* c = get_view(d).coupling;
    CHECK(get_view(d).ncoupling == 1 && c->factor == 2 && c->offset == 0.1 && c->joint == 0 && c->other == 2);
    cardan_description_destroy(d);
}

// Millimetres, degrees and grams against SI.
static void test_units(void)
{
    cardan_description* d =
        yaml_load(HEAD "units: {length: mm, angle: deg, mass: g}\ngravity: [0, 0, -9810]\nparameters: {n: 2}\npoints: "
                       "{A: [1000, 0, 0]}\n"
                       "bodies:\n  b: {at: [1000, =n, 0], mass: 5, inertia: [1e6, 1e6, 1e6], centre: [1, 0, 0]}\n  c: "
                       "{box: [10, 10, 10], density: 0.008}\n"
                       "joints:\n  r: {revolute: [ground, b], at: A, axis: z, start: {q: 90, v: 180}, limits: [-45, "
                       "45], spring: {stiffness: 2, rest: 30}, damping: 1, armature: 1000000, friction: 0.5}\n"
                       "  p: {prismatic: [b, c], at: A, axis: z, start: {q: 10, v: 20}, limits: [-1, 1], spring: "
                       "{stiffness: 2, rest: 3}, damping: 1, armature: 1000}\n"
                       "  s: {screw: [ground, c], at: A, axis: z, pitch: 4}\n"
                       "forces:\n  k: {spring: [b, c], stiffness: 3, damping: 4, length: 50, preload: 7}\n  t: "
                       "{torsion: [b, c], stiffness: 3, angle: 90}\n"
                       "  u: {bushing: [b, c], stiffness: [1, 1, 1, 1, 1, 1]}\n  f: {on: b, force: [1, =2*n, 3]}\n"
                       "outputs: {x: =x(b)}\n");
    const cardan_description_view v = get_view(d);
    CHECK_NUMBERS(v.gravity, 0, 0, -9.81);
    CHECK_NUMBERS(v.body[0].pose.p, 1, 0.002, 0);
    CHECK_NUMBERS(v.body[0].centre, 0.001, 0, 0);
    CHECK_NEAR(v.body[0].mass, 0.005, 1e-15);
    CHECK_NEAR(v.body[0].inertia[0], 1e-3, 1e-15);
    CHECK_NEAR(v.body[1].mass, 0.008, 1e-15); // 0.008 g/mm^3 = 8 g/cm^3, 1 cm^3
    const cardan_joint* r = joint_of(d, "r");
    CHECK_NEAR(r->start_q[0], pi / 2, 1e-15);
    CHECK_NEAR(r->start_v[0], pi, 1e-15);
    CHECK_NEAR(r->axis[0].upper, pi / 4, 1e-15);
    CHECK_NEAR(r->axis[0].stiffness, 2 * 180 / pi, 1e-14);
    CHECK_NEAR(r->axis[0].spring_reference, pi / 6, 1e-15);
    CHECK_NEAR(r->axis[0].damping, 180 / pi, 1e-14);
    CHECK_NEAR(r->axis[0].armature, 1e-3, 1e-15);
    CHECK(r->axis[0].friction_forward == 0.5);
    const cardan_joint* p = joint_of(d, "p");
    CHECK_NEAR(p->start_q[0], 0.01, 1e-15);
    CHECK_NEAR(p->start_v[0], 0.02, 1e-15);
    CHECK_NEAR(p->axis[0].lower, -0.001, 1e-15);
    CHECK_NEAR(p->axis[0].stiffness, 2000, 1e-12);
    CHECK_NEAR(p->axis[0].armature, 1, 1e-15);
    CHECK_NEAR(joint_of(d, "s")->pitch, 0.004 / (2 * pi), 1e-15);
    CHECK_NEAR(v.force[0].stiffness[0], 3000, 1e-12);
    CHECK_NEAR(v.force[0].damping[0], 4000, 1e-12);
    CHECK_NEAR(v.force[0].free_length, 0.05, 1e-15);
    CHECK(v.force[0].preload == 7);
    CHECK_NEAR(v.force[1].stiffness[0], 3 * 180 / pi, 1e-12);
    CHECK_NEAR(v.force[1].free_length, pi / 2, 1e-15);
    CHECK_NEAR(v.force[2].stiffness[2], 1000, 1e-12);
    CHECK_NEAR(v.force[2].stiffness[3], 180 / pi, 1e-12);
    CHECK(value_of(d, v.force[3].component[1]) == 4);
    CHECK(value_of(d, v.output[0].value) == 1);
    cardan_description_destroy(d);
}

static void test_forces(void)
{
    cardan_description* d = yaml_load(
        HEAD "bodies: {a: , b: {at: [3, 4, 0], orientation: {axis: z, angle: 0.5}}}\n"
             "joints: {j: {revolute: [ground, a], at: [0, 0, 0], axis: z}, u: {universal: [a, b], at: [0, 0, 0], axes: "
             "[x, y]}}\n"
             "tables: {T: {x: [0, 1], y: [0, 2]}}\nparameters: {c: 3}\n"
             "states: {s: {start: 2, rate: =-s + q(j)}}\n"
             "forces:\n  k: {spring: [a, b], force_table: T, damper_table: T}\n  t: {torsion: [b, a], stiffness: 2}\n"
             "  e: {spring: [{on: a, at: [1, 0, 0]}, {on: ground, at: [1, 2, 0]}], stiffness: =c}\n"
             "  f: {on: a, against: b, in: b, force: [=t, \"=c*q(u, 2)\", \"=T(0.5) + s\"]}\n"
             "  m: {actuator: u, coordinate: 2, effort: =-v(j), limits: [-5, 5]}\n"
             "outputs: {a: =vx(b) + c, d: {value: \"=distance(a, ground)\", unit: m}}\n"
             "run: {duration: 1, tolerance: 1e-6, integrator: rk4, formulation: dense, stop: =t - 0.5}\n");
    const cardan_description_view v = get_view(d);
    CHECK(v.nforce == 5 && v.force[0].force_table == 0 && v.force[0].damper_table == 0 &&
          v.force[0].marker[0] == cardan_description_find_marker(d, "a"));
    CHECK_NEAR(v.force[0].free_length, 5, 1e-15);
    CHECK_NEAR(v.force[1].free_length, 0.5, 1e-15);
    CHECK_NEAR(v.force[2].free_length, 2, 1e-15);
    CHECK(v.force[2].marker[0] == cardan_description_find_marker(d, "e.first") && v.force[2].stiffness[0] == 3 &&
          v.marker[v.force[2].marker[1]].body == CARDAN_GROUND);
    CHECK_NUMBERS(marker_of(d, "e.first")->pose.p, 1, 0, 0);
    CHECK(v.force[3].frame == cardan_description_find_marker(d, "b") &&
          v.force[3].marker[1] == cardan_description_find_marker(d, "b"));
    CHECK(value_of(d, v.force[3].component[1]) == 3 && value_of(d, v.force[3].component[2]) == 2);
    CHECK(v.force[4].joint == 1 && v.force[4].axis == 1 && v.force[4].lower == -5 &&
          value_of(d, v.force[4].component[0]) == -1);
    CHECK(v.nstate == 1 && v.state[0].start == 2 && value_of(d, v.state[0].rate) == 0);
    CHECK(value_of(d, v.output[0].value) == 4);
    CHECK_TEXT(v.output[1].unit, "m");
    CHECK_TEXT(v.run->integrator, "rk4");
    CHECK_TEXT(v.run->formulation, "dense");
    CHECK(v.run->tolerance == 1e-6 && value_of(d, v.run->stop_condition) == 0.5);
    cardan_description_destroy(d);
}

static void test_tables(void)
{
    yaml_write("curve.csv", "# measured\ntime; load [N]; \"speed\"\n0; 10; 1\n1; 20; 2\n2; 40; 3\n");
    yaml_write("plain.csv", "0 5\n1 6\n\n3 7\n");
    cardan_description* d =
        yaml_load(HEAD "parameters: {a: \"=load(0.5) + bare(2)\", k: 2}\n"
                       "tables:\n  load: {csv: curve.csv, columns: [time, \"load [N]\"], scale: [1, 0.1]}\n  bare: "
                       "{csv: plain.csv, interpolation: cubic}\n"
                       "  own: {x: [0, =k], y: [=a, 1]}\noutputs: {o: =own(0)*k + load(2) + bare(1)}\n");
    const cardan_description_view v = get_view(d);
    CHECK(v.ntable == 3 &&
          v.table[cardan_description_find_table(d, "bare")].interpolation == CARDAN_INTERPOLATION_MONOTONE);
    const cardan_table* load = &v.table[cardan_description_find_table(d, "load")];
    CHECK(load->count == 3);
    CHECK_NUMBERS(load->y, 1, 2, 4);
    CHECK_NUMBERS(v.table[cardan_description_find_table(d, "bare")].x, 0, 1, 3);
    CHECK(v.parameter[0].value > 1.5 + 6 && v.parameter[0].value < 1.5 + 7);
    CHECK_NEAR(value_of(d, v.output[0].value), 2 * v.parameter[0].value + 4 + 6, 1e-14);
    cardan_description_destroy(d);
}

// Parameters of all types, defaults, outer and inner names, nested uses.
static void test_templates(void)
{
    cardan_description* d = yaml_load(
        HEAD
        "parameters: {heavy: 5}\nbodies: {frame: {mass: 1}, hub: {mass: 2}}\n"
        "templates:\n  arm:\n    with: {m: 1, on: frame, at: [0, 0, 0], tilt: =m/2, dir: z}\n    parameters: {double: "
        "=2*m}\n"
        "    bodies: {link: {mass: =double, at: at}, hub: {mass: =tilt}}\n"
        "    joints: {pin: {revolute: [on, link], at: at, axis: dir}, weld: {fixed: [link, hub]}}\n    outputs: {turn: "
        "=q(pin)*m}\n"
        "  pair:\n    with: {m: }\n    use: {l: {arm: {m: =m}}, r: {arm: {m: =m + 1, on: hub}}}\n"
        "use:\n  one: {arm: }\n  two: {arm: {m: =heavy, on: ground, at: [1, 2, 3], dir: -z}}\n  both: {pair: {m: 7}, "
        "at: [0, 0, "
        "9]}\n"
        "outputs: {sum: =q(one.pin) + heavy + both.r.m}\n");
    CHECK(body_of(d, "one.link")->mass == 2 && body_of(d, "one.hub")->mass == 0.5);
    CHECK(body_of(d, "two.link")->mass == 10 && body_of(d, "two.hub")->mass == 2.5);
    CHECK_NUMBERS(body_of(d, "two.link")->pose.p, 1, 2, 3);
    CHECK(body_of(d, "both.l.link")->mass == 14 && body_of(d, "both.r.link")->mass == 16);
    CHECK_NUMBERS(body_of(d, "both.r.link")->pose.p, 0, 0, 9);
    CHECK_NUMBERS(joint_of(d, "one.pin")->frame_first.q, 1, 0, 0, 0);
    CHECK_NUMBERS(joint_of(d, "two.pin")->frame_first.q, 0, 1, 0, 0);
    CHECK(joint_of(d, "one.pin")->first_body == cardan_description_find_body(d, "frame") &&
          joint_of(d, "two.pin")->first_body == CARDAN_GROUND);
    CHECK(joint_of(d, "both.r.pin")->first_body == cardan_description_find_body(d, "hub"));
    CHECK(joint_of(d, "two.weld")->second_body == cardan_description_find_body(d, "two.hub"));
    const cardan_description_view v = get_view(d);
    CHECK(v.nparameter == 1 && v.noutput == 5);
    CHECK(value_of(d, v.output[1].value) == 5);
    CHECK_TEXT(v.output[1].name, "two.turn");
    CHECK(value_of(d, v.output[4].value) == 1 + 5 + 8);
    cardan_description_destroy(d);
}

static void test_repeat(void)
{
    cardan_description* d =
        yaml_load(HEAD "parameters: {n: 3}\nrepeat:\n"
                       "  - for: i in 1..n\n    points: {P$i: [=i, 0, 0]}\n    bodies: {b$i: {mass: =i^2, at: P$i}}\n"
                       "    repeat:\n      - for: k in i..n\n        markers: {m$i$k: {on: b$i, at: [=k, 0, 0]}}\n"
                       "  - for: i in 2..n\n    joints: {\"j$(i-1)\": {revolute: [\"b$(i-1)\", b$i], at: P$i, axis: "
                       "z}}\n    outputs: {o$i: \"=i*q(j$(i-1))\"}\n"
                       "  - for: i in 5..4\n    bodies: {never: {mass: 1}}\n"
                       "  - for: i in 1..2\n    use: {\"t$i\": {thing: {m: =i, below: b$i}}}\n"
                       "templates: {thing: {with: {m: 1, below: ground}, bodies: {x: {mass: =m}}, joints: {j: {fixed: "
                       "[below, x]}}}}\n");
    const cardan_description_view v = get_view(d);
    CHECK(v.nbody == 5 && v.njoint == 4 && v.noutput == 2);
    CHECK(body_of(d, "b3")->mass == 9 && body_of(d, "t2.x")->mass == 2);
    CHECK_NUMBERS(body_of(d, "b3")->pose.p, 3, 0, 0);
    CHECK_NUMBERS(marker_of(d, "m13")->pose.p, 2, 0, 0);
    CHECK(cardan_description_find_marker(d, "m33") >= 0 && cardan_description_find_marker(d, "m32") < 0);
    CHECK(joint_of(d, "j2")->first_body == 1 && joint_of(d, "j2")->second_body == 2 &&
          joint_of(d, "t2.j")->first_body == 1);
    CHECK(value_of(d, v.output[1].value) == 3);
    cardan_description_destroy(d);
}

// Sections are merged in the order of the files; every file has its own units.
static void test_include(void)
{
    yaml_write(
        "part.yaml", HEAD
        "name: a part\nunits: {length: mm}\nparameters: {depth: 3}\nbodies: {part: {mass: =wide, at: [1000, 0, 0]}}\n"
        "templates: {foot: {bodies: {f: {at: [500, =10*depth, 0]}}}}\n");
    cardan_description* d = yaml_load(HEAD "name: whole\nbodies: {first: {at: [1, 0, 0]}}\ninclude: "
                                           "[part.yaml]\nparameters: {wide: 2}\nuse: {A: {foot: }}\n");
    CHECK_TEXT(get_view(d).name, "whole");
    CHECK_TEXT(get_view(d).body[1].name, "part");
    CHECK_TEXT(get_view(d).body[1].location.file, "part.yaml");
    CHECK(body_of(d, "part")->mass == 2);
    CHECK_NUMBERS(body_of(d, "part")->pose.p, 1, 0, 0);
    CHECK_NUMBERS(body_of(d, "A.f")->pose.p, 0.5, 0.03, 0);
    cardan_description_destroy(d);
}

static void test_settings(void)
{
    static const cardan_parameter_setting settings[] = {{"a", "4"}, {"b", "=2*a"}, {"A.m", "3*a"}};
    const cardan_load_options             options    = {.nsetting = 3, .setting = settings};
    cardan_description*                   d =
        yaml_load_with(HEAD "parameters: {a: 1, b: 2, c: =a + b}\nbodies: {b: {mass: =c}}\ntemplates: {t: {with: {m: "
                            "1}, bodies: {b: {mass: =m}}}}\nuse: {A: {t: }}\n",
                       &options);
    CHECK(d != NULL);
    if (d) CHECK(body_of(d, "b")->mass == 12 && body_of(d, "A.b")->mass == 12 && get_view(d).parameter[2].value == 12);
    cardan_description_destroy(d);
}

// A saved description is read back with the same bits.
static void test_round_trip(void)
{
    char path[4096];
    snprintf(path, sizeof path,
             "cardan: 1\ngravity: [0.1, 0.2, 0.3]\ninclude: %s/test/data/yaml/limb.yaml\nuse: {A: {limb: }, B: {limb: "
             ", mirror: y, orientation: {rpy: [1, 2, 3]}}}\n",
             CARDAN_SOURCE);
    cardan_description* d     = yaml_load(path);
    char*               text  = d ? cardan_description_save_text(d) : NULL;
    cardan_description* again = text ? yaml_load(text) : NULL;
    char*               twice = again ? cardan_description_save_text(again) : NULL;
    CHECK(text && twice && strcmp(text, twice) == 0);
    if (again) {
        const cardan_description_view a = get_view(d), b = get_view(again);
        CHECK(a.nbody == b.nbody && a.njoint == b.njoint && a.nmarker == b.nmarker && a.nforce == b.nforce &&
              a.nshape == b.nshape);
        for (int i = 0; i < a.nbody; ++i)
            CHECK(memcmp(&a.body[i].pose, &b.body[i].pose, sizeof(cardan_pose)) == 0 &&
                  memcmp(a.body[i].inertia, b.body[i].inertia, sizeof a.body[i].inertia) == 0);
        for (int i = 0; i < a.njoint; ++i)
            CHECK(memcmp(&a.joint[i].frame_first, &b.joint[i].frame_first, 2 * sizeof(cardan_pose)) == 0);
    }
    free(text);
    free(twice);
    cardan_description_destroy(again);
    cardan_description_destroy(d);
}

static void test_unusual_notations(void)
{
    cardan_description* d = yaml_load("# a comment\r\ncardan: 1\r\nname: \"2\"\r\nbodies:\r\n  \"left arm\": {mass: "
                                      "1}\r\n  größe: {mass: 2}\r\noutputs: {o: \"=x('left arm') + x(größe)\"}\r\n");
    CHECK_TEXT(get_view(d).name, "2");
    CHECK(get_view(d).nbody == 2 && value_of(d, get_view(d).output[0].value) == 2);
    cardan_description_destroy(d);
    d = yaml_load("cardan: 1\n");
    CHECK_TEXT(get_view(d).name, "model");
    CHECK_NUMBERS(get_view(d).gravity, 0, 0, -9.81);
    cardan_description_destroy(d);
}

int main(void)
{
    yaml_begin();
    RUN(test_four_bar());
    RUN(test_forms());
    RUN(test_orientations());
    RUN(test_placement());
    RUN(test_joints());
    RUN(test_units());
    RUN(test_forces());
    RUN(test_tables());
    RUN(test_templates());
    RUN(test_repeat());
    RUN(test_include());
    RUN(test_settings());
    RUN(test_round_trip());
    RUN(test_unusual_notations());
    yaml_end();
    return test_end();
}
