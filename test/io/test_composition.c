// SPDX-License-Identifier: BSD-3-Clause
// Composition of model files: settings of any value, items of included files that are overridden, included robots,
// derived positions, and intermediate formulas.
#include "sentences.h"
#include "yaml_text.h"

#include "model/description.h"

#define HEAD "cardan: 1\n"
#define ROD                                                                                                            \
    HEAD "parameters: {a: 1}\npoints: {A: [0, 0, 0], B: [=a, 0, 0]}\nbodies: {rod: {rod: [A, B], mass: 1}}\n"          \
         "joints: {elbow: {revolute: [ground, rod], at: A, axis: y}}\n"
#define ROBOT                                                                                                          \
    "<robot name='r'>\n<link name='base'/>\n<link name='arm'><inertial><origin xyz='0 0 0.5'/><mass value='2'/>"       \
    "<inertia ixx='1' iyy='1' izz='1' ixy='0' ixz='0' iyz='0'/></inertial></link>\n"                                   \
    "<joint name='j' type='revolute'><parent link='base'/><child link='arm'/><origin xyz='0.25 0 0'/>"                 \
    "<axis xyz='0 1 0'/><limit lower='-1' upper='1' effort='1' velocity='1'/></joint>\n</robot>\n"

static bool is_near(const double* value, double x, double y, double z)
{
    return fabs(value[0] - x) + fabs(value[1] - y) + fabs(value[2] - z) < 1e-14;
}

static const cardan_body* body_of(const cardan_description* d, const char* name)
{
    return &cardan_description_get_view(d).body[cardan_description_find_body(d, name)];
}
static const cardan_joint* joint_of(const cardan_description* d, const char* name)
{
    return &cardan_description_get_view(d).joint[cardan_description_find_joint(d, name)];
}

static cardan_description* load_set(const char* text, const char* name, const char* value)
{
    const cardan_parameter_setting setting = {name, value};
    const cardan_load_options      options = {.nsetting = 1, .setting = &setting};
    return yaml_load_with(text, &options);
}

// ---- settings

static void test_settings_of_values(void)
{
    cardan_description* d = load_set(ROD, "points.B", "[0, 0, 2]");
    CHECK(d && is_near(body_of(d, "rod")->pose.p, 0, 0, 1));
    cardan_description_destroy(d);
    d = load_set(ROD, "points.B.3", "=2*a");
    CHECK(d && is_near(body_of(d, "rod")->pose.p, 0.5, 0, 1));
    cardan_description_destroy(d);
    d = load_set(ROD, "bodies.rod.mass", "2.5");
    CHECK(d && body_of(d, "rod")->mass == 2.5);
    cardan_description_destroy(d);
    d = load_set(ROD, "joints.elbow.start.q", "0.3"); // keys that the file does not have are added
    CHECK(d && joint_of(d, "elbow")->start_q_given && joint_of(d, "elbow")->start_q[0] == 0.3);
    cardan_description_destroy(d);
    d = load_set(ROD, "run.duration", "3");
    CHECK(d && cardan_description_get_view(d).run->duration == 3);
    cardan_description_destroy(d);
    d = load_set(ROD, "parameters.a", "4");
    CHECK(d && is_near(body_of(d, "rod")->pose.p, 2, 0, 0));
    cardan_description_destroy(d);
    d = load_set(ROD "run: {output: 0.1}\n", "run.output", "0.2");
    CHECK(d && cardan_description_get_view(d).run->output_interval == 0.2);
    cardan_description_destroy(d);
}

static void test_settings_of_templates_and_files(void)
{
    static const char model[] =
        HEAD "templates: {t: {with: {m: 1}, bodies: {b: {mass: =m}}}}\nuse: {A: {t: }, B: {t: {m: 9}}}\n";
    cardan_description* d = load_set(model, "templates.t.with.m", "5");
    CHECK(d && body_of(d, "A.b")->mass == 5 && body_of(d, "B.b")->mass == 9);
    cardan_description_destroy(d);
    d = load_set(model, "use.B.t.m", "7");
    CHECK(d && body_of(d, "A.b")->mass == 1 && body_of(d, "B.b")->mass == 7);
    cardan_description_destroy(d);
    // a value of an included file is in its units; a name with a point is matched as a whole
    yaml_write("part.yaml", HEAD "units: {length: mm}\nbodies: {p.1: {at: [1, 0, 0], mass: 1}}\n");
    d = load_set(HEAD "include: part.yaml\n", "bodies.p.1.at", "[500, 0, 0]");
    CHECK(d && is_near(body_of(d, "p.1")->pose.p, 0.5, 0, 0));
    cardan_description_destroy(d);
    // a parameter has priority over a section with the same name
    d = load_set(HEAD "parameters: {gravity: 1}\nbodies: {b: {mass: =gravity}}\n", "gravity", "3");
    CHECK(d && body_of(d, "b")->mass == 3 && cardan_description_get_view(d).gravity[2] == -9.81);
    cardan_description_destroy(d);
    // and a use may have the name of a section
    d = load_set(HEAD "templates: {t: {with: {m: 1}, bodies: {b: {mass: =m}}}}\nuse: {points: {t: }}\n", "points.m",
                 "2");
    CHECK(d && body_of(d, "points.b")->mass == 2);
    cardan_description_destroy(d);
}

static void test_wrong_settings(void)
{
    static const struct {
        const char *text, *name, *value, *parts;
        cardan_code code;
    } wrong[] = {
        {ROD, "points.C", "[0, 0, 0]", "'points.C'|A, B", CARDAN_CODE_UNKNOWN_NAME},
        {ROD, "bodies.rid.mass", "1", "'bodies.rid.mass'|'bodies.rod.mass'", CARDAN_CODE_UNKNOWN_NAME},
        {ROD, "bodies.rod.mas", "1", "'bodies.rod.mass'", CARDAN_CODE_UNKNOWN_NAME},
        {ROD, "points.A.4", "1", "'points.A'|3", CARDAN_CODE_UNKNOWN_NAME},
        {ROD, "points.A.x", "1", "'points.A'|3", CARDAN_CODE_UNKNOWN_NAME},
        {ROD, "bodies.rod.mass.x", "1", "'bodies.rod.mass'", CARDAN_CODE_UNKNOWN_NAME},
        {ROD, "forces.f.effort", "1", "'forces'", CARDAN_CODE_UNKNOWN_NAME},
        {ROD, "include", "x.yaml", "'include'", CARDAN_CODE_UNKNOWN_NAME},
        {HEAD "templates: {t: {bodies: {b: {}}}}\nuse: {A: {t: }}\n", "bodies.A.b.mass", "1",
         "templates.t.bodies.b.mass", CARDAN_CODE_UNKNOWN_NAME},
        {ROD, "points.B", "[0, 0]", "--set points.B:1:1: error|'B'|2", CARDAN_CODE_MODEL_INVALID},
        {ROD, "points.B", "[", "--set points.B:", CARDAN_CODE_SYNTAX_ERROR},
        {ROD, "bodies.rod.mass", "=b", "--set bodies.rod.mass:1:2: error|'rod'|'b'", CARDAN_CODE_MODEL_INVALID},
        {ROD, "bodies.rod.mass", "", "--set bodies.rod.mass:1:1", CARDAN_CODE_FILE_FORMAT},
    };
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; ++i) {
        CHECK(load_set(wrong[i].text, wrong[i].name, wrong[i].value) == NULL && yaml_report.errors == 1);
        CHECK(yaml_report.message[yaml_report.count - 1].code == wrong[i].code);
        CHECK_CASE(&yaml_report, wrong[i].name, wrong[i].parts);
    }
}

// ---- overridden items

static void test_override(void)
{
    yaml_write("part.yaml",
               ROD "run: {duration: 1, output: 0.1}\ntemplates: {t: {with: {m: 1}, bodies: {b: {mass: =m}}}}\n"
                   "use: {U: {t: {m: 3}}}\n");
    cardan_description* d = yaml_load(
        HEAD "units: {length: mm}\ninclude: part.yaml\noverride:\n  parameters: {a: 2}\n  bodies: {rod: {mass: 4}}\n"
             "  points: {A: [0, 0, 500]}\n  joints: {elbow: {start: {v: 1}}}\n  run: {duration: 7}\n"
             "  templates: {t: {bodies: {b: {centre: [100, 0, 0]}}}}\n");
    // the length of the rod is in the unit of each file: B = [2 m, 0, 0], A = [0, 0, 500 mm]
    CHECK(d && is_near(body_of(d, "rod")->pose.p, 1, 0, 0.25) && body_of(d, "rod")->mass == 4);
    CHECK(d && joint_of(d, "elbow")->start_v[0] == 1 && strcmp(joint_of(d, "elbow")->type, "revolute") == 0);
    CHECK(d && cardan_description_get_view(d).run->duration == 7 &&
          cardan_description_get_view(d).run->output_interval == 0.1);
    CHECK(d && body_of(d, "U.b")->mass == 3 && is_near(body_of(d, "U.b")->pose.p, 0.1, 0, 0));
    cardan_description_destroy(d);
    // another type replaces the item; a key without value is removed; use replaces an argument
    d = yaml_load(HEAD "include: part.yaml\noverride:\n  joints: {elbow: {prismatic: [ground, rod], at: B, axis: x}}\n"
                       "  run: {output: }\n  use: {U: {t: {m: 5}}}\n");
    CHECK(d && strcmp(joint_of(d, "elbow")->type, "prismatic") == 0 && body_of(d, "U.b")->mass == 5);
    CHECK(d && cardan_description_get_view(d).run->output_interval == 0);
    cardan_description_destroy(d);
    // overrides of files in between come first, and those of the outer file and settings after them
    yaml_write("middle.yaml", HEAD "include: part.yaml\noverride: {bodies: {rod: {mass: 4, radius: 0.1}}}\n");
    d = yaml_load(HEAD "include: middle.yaml\noverride: {bodies: {rod: {mass: 6}}}\n");
    CHECK(d && body_of(d, "rod")->mass == 6 && body_of(d, "rod")->inertia[0] > 0);
    cardan_description_destroy(d);
    d = load_set(HEAD "include: middle.yaml\noverride: {bodies: {rod: {mass: 6}}}\n", "bodies.rod.mass", "8");
    CHECK(d && body_of(d, "rod")->mass == 8 && body_of(d, "rod")->inertia[0] > 0);
    cardan_description_destroy(d);
}

static void test_wrong_overrides(void)
{
    static const struct {
        const char *text, *parts;
    } wrong[] = {
        {"include: part.yaml\nbodies: {rod: {mass: 2}}\n", "model.yaml:3:10: error|'rod'|part.yaml:4"},
        {"include: part.yaml\noverride: {bodies: {rid: {mass: 2}}}\n", "model.yaml:3:21: error|'rid'|'rod'"},
        {"include: part.yaml\noverride: {pints: {A: 1}}\n", "model.yaml:3:12: error|'pints'|'points'"},
        {"include: part.yaml\noverride: {couplings: []}\n", "model.yaml:3:12: error|'couplings'"},
        {"include: part.yaml\noverride: {gravity: [0, 0, 0]}\n", "model.yaml:3:12: error|'gravity'"},
        {"include: part.yaml\noverride: {bodies: {rod: {mas: 2}}}\n", "model.yaml:3:27: error|'rod'|'mas'|'mass'"},
        {"include: part.yaml\noverride: {bodies: 3}\n", "model.yaml:3:20: error|'bodies'"},
        {"include: part.yaml\noverride: 3\n", "model.yaml:3:1: error|'override'"},
        {"include: part.yaml\nbodies: {b: {}}\noverride: {bodies: {b: {mass: 1}}}\n", "model.yaml:4:21: error|'b'|3"},
        {"bodies: {b: {}}\noverride: {bodies: {b: {mass: 1}}}\n", "model.yaml:3:1: error|'override'"},
        {"include: part.yaml\noverride: {points: {A: }}\n", "part.yaml:4:22: error|'A'"},
    };
    yaml_write("part.yaml", ROD);
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; ++i) {
        char text[400];
        snprintf(text, sizeof text, HEAD "%s", wrong[i].text);
        CHECK(yaml_load_with(text, NULL) == NULL);
        CHECK(yaml_report.message[0].code == CARDAN_CODE_MODEL_INVALID);
        CHECK_CASE(&yaml_report, wrong[i].text, wrong[i].parts);
    }
}

// ---- robots

static void test_included_robot(void)
{
    yaml_write("robot.urdf", ROBOT);
    cardan_description* d = yaml_load(
        HEAD "include: robot.urdf\noverride: {bodies: {arm: {mass: 5}}}\nforces: {motor: {actuator: j, effort: 1}}\n"
             "bodies: {tool: {mass: 1, at: [0, 0, 1], relative: arm}}\njoints: {grip: {fixed: [arm, tool]}}\n");
    CHECK(d && body_of(d, "arm")->mass == 5 && is_near(body_of(d, "arm")->centre, 0, 0, 0.5));
    CHECK(d && is_near(body_of(d, "arm")->pose.p, 0.25, 0, 0) && is_near(body_of(d, "tool")->pose.p, 0.25, 0, 1));
    CHECK(d && strcmp(joint_of(d, "j")->location.file, "robot.urdf") == 0 && joint_of(d, "j")->location.line == 4);
    cardan_description_destroy(d);
    // a template gives the robot a prefix and a place
    d = yaml_load(HEAD "templates: {robot: {include: robot.urdf, markers: {tip: {on: arm, at: [0.25, 0, 1]}}}}\n"
                       "use: {left: {robot: , at: [0, 1, 0]}, right: {robot: , at: [0, -1, 0]}}\n");
    CHECK(d && is_near(body_of(d, "left.arm")->pose.p, 0.25, 1, 0) && body_of(d, "right.arm")->mass == 2);
    CHECK(d && cardan_description_find_joint(d, "right.j") >= 0 && cardan_description_find_joint(d, "j") < 0);
    cardan_description_destroy(d);
    // settings of the robot itself
    const cardan_parameter_setting setting = {"bodies.arm.mass", "7"};
    const cardan_load_options      options = {.nsetting = 1, .setting = &setting};
    CHECK(cardan_description_load("robot.urdf", &options, &d, &yaml_report) == CARDAN_OK &&
          body_of(d, "arm")->mass == 7);
    CHECK(d && strcmp(cardan_description_get_view(d).name, "r") == 0);
    cardan_description_destroy(d);
}

static void test_wrong_robots(void)
{
    yaml_write("robot.urdf", ROBOT);
    yaml_write("wrong.urdf", "<robot name='r'>\n<link/>\n</robot>\n");
    CHECK(yaml_load_with(HEAD "include: missing.urdf\n", NULL) == NULL && yaml_report.errors == 1);
    CHECK_CASE(&yaml_report, "missing robot", "model.yaml:2:10: error|'missing.urdf'");
    CHECK(yaml_load_with(HEAD "include: wrong.urdf\n", NULL) == NULL && yaml_report.errors == 1);
    CHECK_CASE(&yaml_report, "wrong robot", "wrong.urdf:2");
    CHECK(yaml_load_with(HEAD "include: robot.urdf\nbodies: {arm: {}}\n", NULL) == NULL);
    CHECK_CASE(&yaml_report, "body of a robot", "model.yaml:3:10: error|'arm'|robot.urdf:3");
}

// ---- positions and formulas

static void test_derived_positions(void)
{
    cardan_description* d = yaml_load(
        HEAD
        "points: {A: [0, 0, 0], B: [4, 0, 0]}\n"
        "bodies:\n  b: {mass: 1, at: {between: [A, B], ratio: 0.25}, centre: {between: [A, {from: B, offset: [0, 0, "
        "2]}]},\n"
        "      shape: {line: [{between: [A, B]}, A]}}\n  c: {rod: [{between: [A, B], ratio: =1/4}, B], mass: 1}\n"
        "joints: {j: {revolute: [ground, b], at: {between: [A, B]}, axis: {from: A, to: {from: A, offset: [0, 0, "
        "1]}}}}\n"
        "markers: {m: {on: b, at: {between: [A, [0, 2, 0]]}, relative: c}}\n"
        "templates: {t: {with: {P: }, bodies: {b: {at: P}}}}\nuse: {U: {t: {P: {between: [A, B], ratio: 0.75}}}}\n");
    CHECK(d && is_near(body_of(d, "b")->pose.p, 1, 0, 0) && is_near(body_of(d, "b")->centre, 1, 0, 1));
    CHECK(d && is_near(body_of(d, "c")->pose.p, 2.5, 0, 0) && is_near(body_of(d, "U.b")->pose.p, 3, 0, 0));
    CHECK(d && is_near(joint_of(d, "j")->frame_first.p, 2, 0, 0));
    // A is in the world, [0, 2, 0] in the frame of c at [2.5, 0, 0]: their middle is [1.25, 1, 0]
    const int m = d ? cardan_description_find_marker(d, "m") : -1;
    CHECK(m >= 0 && is_near(cardan_description_get_view(d).marker[m].pose.p, 0.25, 1, 0));
    cardan_description_destroy(d);
    CHECK(yaml_load_with(HEAD "bodies: {b: {at: {betwen: [[0, 0, 0], [1, 0, 0]]}}}\n", NULL) == NULL);
    CHECK_CASE(&yaml_report, "betwen", "model.yaml:2:19: error|'betwen'|'between'");
    CHECK(yaml_load_with(HEAD "bodies: {b: {at: {from: [0, 0, 0]}}}\n", NULL) == NULL);
    CHECK_CASE(&yaml_report, "from without offset", "model.yaml:2:18: error|'offset'");
}

// Value of an output, with all signals equal to 2.
static double output_value(const cardan_description* d, const char* name)
{
    const cardan_description_view v = cardan_description_get_view(d);
    double                        two[100], value = NAN;
    for (int i = 0; i < 100; ++i) two[i] = 2;
    for (int i = 0; i < v.noutput; ++i)
        if (strcmp(v.output[i].name, name) == 0)
            CHECK(cd_node_evaluate(d->graph, v.output[i].value, two, &value) == CARDAN_OK);
    return value;
}

static void test_values(void)
{
    cardan_description* d = yaml_load(
        ROD
        "values: {slip: =2*rate + n, rate: =v(elbow), n: =a*3, three: 3}\nstates: {s: {rate: =slip}}\n"
        "forces: {f: {actuator: elbow, effort: =-double}}\noutputs: {double: =2*slip, a: =a, e: =double + s + three}\n"
        "markers: {m: {on: rod, at: [=n, 0, 0]}}\nrun: {stop: =double - 3}\n"
        "templates: {t: {values: {w: =u*10}, outputs: {w: =w, x: =U.w}, parameters: {u: 2}}}\nuse: {U: {t: }}\n"
        "repeat: [{for: i in 1..n, values: {r$i: =i*slip}, outputs: {o$i: =r$i}}]\n");
    // v = s = 2: slip = 2*2 + 3 = 7
    CHECK(d && output_value(d, "double") == 14 && output_value(d, "e") == 19 && output_value(d, "a") == 1);
    CHECK(d && output_value(d, "U.w") == 20 && output_value(d, "U.x") == 20);
    CHECK(d && output_value(d, "o3") == 21 && cardan_description_get_view(d).noutput == 8);
    const int m = d ? cardan_description_find_marker(d, "m") : -1;
    CHECK(m >= 0 && is_near(cardan_description_get_view(d).marker[m].pose.p, 2.5, 0, 0));
    // the written file contains the formulas without the names of values, and has the same meaning
    char*               text  = d ? cardan_description_save_text(d) : NULL;
    cardan_description* again = text ? yaml_load(text) : NULL;
    char*               twice = again ? cardan_description_save_text(again) : NULL;
    CHECK(text && twice && strcmp(strstr(text, "\nbodies"), strstr(twice, "\nbodies")) == 0 && !strstr(text, "slip"));
    free(text);
    free(twice);
    cardan_description_destroy(again);
    cardan_description_destroy(d);
}

static void test_wrong_values(void)
{
    static const struct {
        const char *text, *parts;
        int         errors;
    } wrong[] = {
        {"values: {a: =b + 1,\n  b: =c,\n  c: =a}\n",
         "model.yaml:2:13: error|'a'|a (line 2) -> b (line 3) -> c (line 4) -> a", 1},
        {"outputs: {p: =q,\n  q: =p}\n", "model.yaml:2:14: error|'p'|p (line 2) -> q (line 3) -> p", 1},
        {"values: {a: =b}\nparameters: {b: =a}\n", "'b'|b (line 3) -> a (line 2) -> b", 1},
        {"values: {a: =o}\noutputs: {o: =a}\n", "a (line 2) -> o (line 3) -> a", 1},
        {"values: {a: =t}\nparameters: {b: =a}\n", "model.yaml:2:14: error|'a'|'t'", 1},
        {"values: {a: =nowhere}\noutputs: {o: =a, p: =a}\n", "model.yaml:2:14: error|'a'|'nowhere'", 1},
        {"values: {slip: =1}\noutputs: {o: =slop}\n", "model.yaml:3:15: error|'slop'|'slip'", 1},
        {"values: {a: 1}\nparameters: {a: 2}\n", "model.yaml:2:10: error|'a'|3", 1},
        {"values: {a: 1}\nstates: {a: {rate: 1}}\n", "model.yaml:2:10: error|'a'|3", 1},
        {"values: {t: 1}\n", "model.yaml:2:10: error|'t'", 1},
        {"outputs: {o: =t}\nparameters: {b: =o}\n", "model.yaml:3:18: error|'o'", 1},
    };
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; ++i) {
        char text[400];
        snprintf(text, sizeof text, HEAD "%s", wrong[i].text);
        CHECK(yaml_load_with(text, NULL) == NULL && yaml_report.errors == wrong[i].errors);
        CHECK_CASE(&yaml_report, wrong[i].text, wrong[i].parts);
    }
    // a chain across files has the name of the other file
    yaml_write("part.yaml", HEAD "values: {b: =a}\n");
    CHECK(yaml_load_with(HEAD "include: part.yaml\nvalues: {a: =b}\n", NULL) == NULL);
    CHECK_CASE(&yaml_report, "chain across files", "part.yaml:2");
}

// Values that each use the one before twice: time and memory are linear in their number.
static void test_doubling_values(void)
{
    cd_text text = {0};
    cd_text_add(&text, HEAD "values:\n  c0: 1\n  v0: =t\n");
    for (int i = 1; i < 60; ++i)
        cd_text_format(&text, "  c%d: =(c%d + c%d)/2\n  v%d: =sin(v%d) + v%d\n", i, i - 1, i - 1, i, i - 1, i - 1);
    cd_text_add(&text, "parameters: {p: =c59}\noutputs: {o: =v59, p: =p}\n");
    cardan_description* d = yaml_load(text.data);
    CHECK(d && output_value(d, "p") == 1 && isfinite(output_value(d, "o")));
    cardan_description_destroy(d);
    cd_text_free(&text);
}

int main(void)
{
    yaml_begin();
    RUN(test_settings_of_values());
    RUN(test_settings_of_templates_and_files());
    RUN(test_wrong_settings());
    RUN(test_override());
    RUN(test_wrong_overrides());
    RUN(test_included_robot());
    RUN(test_wrong_robots());
    RUN(test_derived_positions());
    RUN(test_values());
    RUN(test_wrong_values());
    RUN(test_doubling_values());
    RUN(test_sentences("test_composition"));
    yaml_end();
    return test_end();
}
