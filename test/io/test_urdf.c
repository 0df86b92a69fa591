// SPDX-License-Identifier: BSD-3-Clause
// URDF reader: numbers of a small arm computed by hand, every message, and mutated files.
#include "core/text.h"
#include "sentences.h"
#include "test.h"

#include <cardan/io.h>
#include <stdint.h>
#include <stdlib.h>
#include <unistd.h>

#define ARM CARDAN_SOURCE "/test/data/urdf/arm.urdf"

static cardan_report report;

static cardan_description* load(const char* path, bool strict, bool floating)
{
    cardan_load_options options = cardan_load_options_default();
    cardan_description* d       = NULL;
    options.strict              = strict;
    options.floating_base       = floating;
    cardan_report_clear(&report);
    const cardan_status status = cardan_description_load(path, &options, &d, &report);
    CHECK((status == CARDAN_OK) == (d != NULL));
    CHECK((status == CARDAN_OK) == (report.errors == 0));
    return d;
}

static void check_numbers(const double* value, int count, const double* expected)
{
    for (int i = 0; i < count; ++i) CHECK_NEAR(value[i], expected[i], 1e-15);
}

#define CHECK_ALL(value, count, ...) check_numbers(value, count, (const double[]){__VA_ARGS__})

static const cardan_body* body(const cardan_description* d, const char* name)
{
    const int i = cardan_description_find_body(d, name);
    CHECK(i >= 0);
    return &cardan_description_get_view(d).body[i < 0 ? 0 : i];
}

static const cardan_joint* joint(const cardan_description* d, const char* name)
{
    const int i = cardan_description_find_joint(d, name);
    CHECK(i >= 0);
    return &cardan_description_get_view(d).joint[i < 0 ? 0 : i];
}

// Coordinates outside of the frame of a vector x in the frame.
static void apply(cardan_pose pose, const double x[3], double y[3])
{
    const double *q = pose.q, w = q[0];
    const double  c[3] = {q[2] * x[2] - q[3] * x[1] + w * x[0], q[3] * x[0] - q[1] * x[2] + w * x[1],
                          q[1] * x[1] - q[2] * x[0] + w * x[2]};
    for (int i = 0; i < 3; ++i) {
        const int j = (i + 1) % 3, k = (i + 2) % 3;
        y[i] = pose.p[i] + x[i] + 2 * (q[1 + j] * c[k] - q[1 + k] * c[j]);
    }
}

// At q = 0, the joint frames on both bodies coincide in the world.
static void check_frames_coincide(const cardan_description* d, const cardan_joint* j)
{
    static const double           probe[4][3] = {{0, 0, 0}, {1, 0, 0}, {0, 1, 0}, {0, 0, 1}};
    const cardan_description_view view        = cardan_description_get_view(d);
    for (int i = 0; i < 4; ++i) {
        double first[3], second[3];
        apply(j->frame_first, probe[i], first);
        if (j->first_body >= 0) apply(view.body[j->first_body].pose, (double[]){first[0], first[1], first[2]}, first);
        apply(j->frame_second, probe[i], second);
        if (j->second_body >= 0)
            apply(view.body[j->second_body].pose, (double[]){second[0], second[1], second[2]}, second);
        for (int k = 0; k < 3; ++k) CHECK_NEAR(first[k], second[k], 1e-14);
    }
}

static void test_bodies(void)
{
    cardan_description* d = load(ARM, false, false);
    if (!d) return;
    const cardan_description_view view = cardan_description_get_view(d);
    CHECK_TEXT(view.name, "test arm");
    CHECK(view.nbody == 9 && view.njoint == 9 && view.ncoupling == 2);
    CHECK_ALL(view.gravity, 3, 0, 0, -9.81);

    CHECK_NEAR(body(d, "base")->mass, 4, 0);
    CHECK_ALL(body(d, "base")->centre, 3, 0, 0, 0.05);
    CHECK_ALL(body(d, "base")->pose.p, 3, 0, 0, 0);
    CHECK_NEAR(body(d, "lower")->mass, 0, 0);
    CHECK(body(d, "lower")->location.line == 36 && body(d, "lower")->location.column == 3);

    // R = Rz(90 deg): x' = -y, y' = x: Ixx' = Iyy, Iyy' = Ixx, Ixy' = -Ixy, Ixz' = -Iyz, Iyz' = Ixz
    const cardan_body* arm = body(d, "upper arm");
    CHECK_ALL(arm->centre, 3, 0.1, 0.2, 0.3);
    CHECK_ALL(arm->inertia, 6, 0.2, 0.1, 0.25, -0.01, -0.03, 0.02);

    // shoulder: 90 degrees about x, 0.1 up; elbow 0.5 along its y, which is the world's z; lift 0.3 along z = world -y
    CHECK_ALL(arm->pose.p, 3, 0, 0, 0.1);
    CHECK_ALL(arm->pose.q, 4, sqrt(0.5), sqrt(0.5), 0, 0);
    CHECK_ALL(body(d, "lower")->pose.p, 3, 0, 0, 0.6);
    CHECK_ALL(body(d, "slide")->pose.p, 3, 0, -0.3, 0.6);
    CHECK_ALL(body(d, "ball")->pose.p, 3, 1, 2, 3);
    cardan_description_destroy(d);
}

static void test_rpy(void) // R = Rz(0.3) Ry(0.2) Rx(0.1), element by element
{
    cardan_description* d = load(ARM, false, false);
    if (!d) return;
    const double      s1 = sin(0.1), c1 = cos(0.1), s2 = sin(0.2), c2 = cos(0.2), s3 = sin(0.3), c3 = cos(0.3);
    double            x[3], y[3], z[3];
    const cardan_pose frame = joint(d, "flange")->frame_first;
    apply(frame, (double[]){1, 0, 0}, x);
    apply(frame, (double[]){0, 1, 0}, y);
    apply(frame, (double[]){0, 0, 1}, z);
    CHECK_ALL(x, 3, c3 * c2, s3 * c2, -s2);
    CHECK_ALL(y, 3, c3 * s2 * s1 - s3 * c1, s3 * s2 * s1 + c3 * c1, c2 * s1);
    CHECK_ALL(z, 3, c3 * s2 * c1 + s3 * s1, s3 * s2 * c1 - c3 * s1, c2 * c1);
    cardan_description_destroy(d);
}

static void test_joints(void)
{
    static const struct {
        const char *name, *type;
        double      axis[3];
    } rows[] = {
        {"shoulder", "revolute", {0, 0, 1}},  {"elbow", "revolute", {0, 1, 0}},  {"lift", "prismatic", {1, 0, 0}},
        {"spin", "revolute", {0.6, 0, -0.8}}, {"flange", "fixed", {0, 0, 1}},    {"table", "planar", {0, -1, 0}},
        {"toss", "free", {0, 0, 1}},          {"grip", "prismatic", {-1, 0, 0}}, {"base_on_ground", "fixed", {0, 0, 1}},
    };
    cardan_description* d = load(ARM, false, false);
    if (!d) return;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; ++i) {
        const cardan_joint* j = joint(d, rows[i].name);
        double              z[3];
        CHECK_TEXT(j->type, rows[i].type);
        CHECK_ALL(j->frame_second.p, 3, 0, 0, 0);
        apply(j->frame_second, (double[]){0, 0, 1}, z);
        check_numbers(z, 3, rows[i].axis);
        check_frames_coincide(d, j);
    }
    CHECK(joint(d, "base_on_ground")->first_body == CARDAN_GROUND);
    CHECK(joint(d, "elbow")->first_body == cardan_description_find_body(d, "upper arm") &&
          joint(d, "elbow")->second_body == cardan_description_find_body(d, "lower"));
    CHECK(joint(d, "shoulder")->location.line == 44 && joint(d, "shoulder")->location.column == 3); // of the '<'

    const cardan_joint* shoulder = joint(d, "shoulder");
    CHECK(shoulder->naxis == 1);
    CHECK(shoulder->axis->lower == -1.5 && shoulder->axis->upper == 2.5 && shoulder->axis->damping == 0.3);
    CHECK(shoulder->axis->friction_forward == 0.7 && shoulder->axis->friction_backward == 0.7 &&
          shoulder->axis->stop_stiffness == 0);
    CHECK(joint(d, "elbow")->naxis == 0 && joint(d, "grip")->naxis == 0);

    const cardan_coupling* c = cardan_description_get_view(d).coupling;
    CHECK(c[0].joint == cardan_description_find_joint(d, "spin") &&
          c[0].other == cardan_description_find_joint(d, "elbow"));
    CHECK(c[0].factor == -2 && c[0].offset == 0.25 && c[0].location.line == 71);
    CHECK(c[1].joint == cardan_description_find_joint(d, "grip") &&
          c[1].other == cardan_description_find_joint(d, "lift") && c[1].factor == 1);
    cardan_description_destroy(d);
}

static void test_exact_axes(void) // coordinate axes give quaternions without round-off
{
    cardan_description* d = load(ARM, false, false);
    if (!d) return;
    static const char* const names[] = {"elbow", "lift", "table", "grip", "shoulder"};
    for (size_t i = 0; i < sizeof names / sizeof *names; ++i) {
        const double* q = joint(d, names[i])->frame_second.q;
        for (int k = 0; k < 4; ++k) CHECK(2 * q[k] == rint(2 * q[k]));
        CHECK(q[0] * q[0] + q[1] * q[1] + q[2] * q[2] + q[3] * q[3] == 1);
    }
    cardan_description_destroy(d);
}

static void test_shapes(void)
{
    cardan_description* d = load(ARM, false, false);
    if (!d) return;
    const cardan_description_view view = cardan_description_get_view(d);
    CHECK(view.nshape == 3);
    if (view.nshape == 3) {
        CHECK(view.shape[0].kind == CARDAN_SHAPE_BOX && view.shape[0].body == cardan_description_find_body(d, "base"));
        CHECK_ALL(view.shape[0].size, 3, 0.2, 0.2, 0.1);
        CHECK(view.shape[1].kind == CARDAN_SHAPE_ROD &&
              view.shape[1].body == cardan_description_find_body(d, "upper arm"));
        CHECK_ALL(view.shape[1].size, 2, 0.5, 0.04);
        CHECK_ALL(view.shape[1].pose.p, 3, 0, 0, 0.25);
        CHECK_ALL(view.shape[1].pose.q, 4, sqrt(0.5), 0, sqrt(0.5), 0);
        CHECK(view.shape[2].kind == CARDAN_SHAPE_SPHERE && view.shape[2].size[0] == 0.1);
    }
    cardan_description_destroy(d);
}

static void test_floating_base(void)
{
    cardan_description* d = load(ARM, false, true);
    if (!d) return;
    CHECK(cardan_description_find_joint(d, "base_on_ground") == CARDAN_NONE);
    CHECK(cardan_description_get_view(d).njoint == 9);
    const int root = cardan_description_find_joint(d, "base");
    CHECK(root >= 0);
    if (root >= 0) {
        const cardan_joint* j = &cardan_description_get_view(d).joint[root];
        CHECK_TEXT(j->type, "free");
        CHECK(j->first_body == CARDAN_GROUND && j->second_body == cardan_description_find_body(d, "base"));
    }
    cardan_description_destroy(d);
}

static void test_notes(void) // every ignored element is reported exactly once
{
    static const char* const expected[] = {
        "arm.urdf:28:17: warning|2|package://upper.dae",
        "arm.urdf:16:5: warning|2",
        "arm.urdf:51:5: note|3",
        "arm.urdf:77:5: note|<axis>",
        "arm.urdf:5:3: note|<material>|<robot>",
        "arm.urdf:14:7: note|<material>|<visual>",
        "arm.urdf:34:5: note|<contact>|<link>",
        "arm.urdf:52:5: note|'extra:colour'|<dynamics>",
        "arm.urdf:53:5: note|<safety_controller>|<joint>",
        "arm.urdf:96:3: note|<transmission>|<robot>",
        "arm.urdf:97:3: note|<gazebo>|<robot>|2",
    };
    const int           count = sizeof expected / sizeof *expected;
    cardan_description* d     = load(ARM, false, false);
    CHECK(report.count == count);
    for (int i = 0; i < count && i < report.count; ++i) {
        CHECK(sentence_has_parts(report.message[i].text, expected[i]));
        CHECK_CASE(&report, "arm.urdf", expected[i]);
    }
    cardan_description_destroy(d);
}

// ---- messages

static char scratch[256];

static void write_scratch(const char* text, size_t length)
{
    FILE* file = fopen(scratch, "wb");
    CHECK(file != NULL);
    if (!file) return;
    CHECK(fwrite(text, 1, length, file) == length);
    fclose(file);
}

#define ROBOT(inside) "<robot name='r'>\n" inside "</robot>\n"
#define LINKS(n) "<link name='a'/>\n<link name='b'/>\n" n
#define JOINT(type, inside) "<joint name='j' type='" type "'><parent link='a'/><child link='b'/>" inside "</joint>\n"
#define INERTIA(xx, yy, zz) "<inertia ixx='" xx "' iyy='" yy "' izz='" zz "' ixy='0' ixz='0' iyz='0'/>"
#define BODY(inside) "<link name='a'><inertial>" inside "</inertial></link>\n"

static const struct {
    const char *text, *parts; // of the message
    int         errors;
} wrong[] = {
    {"", "", 1},
    {" ", "1:2: error|'<'", 1},
    {"<robot name='r'>\n<link name='a'>\n</robot>", "3:9: error|2", 1},
    {"<!DOCTYPE robot><robot name='r'/>", "", 1},
    {"<sdf/>", "1:1: error", 1},
    {"<robot name='r' xmlns:xacro='x'>\n <xacro:property name='p'/></robot>", "2:2: error", 1},
    {"<robot name='r'/>", "1:1: error", 1},
    {ROBOT("<link/>\n"), "2:1: error|'name'", 1},
    {ROBOT("<link name='a'/>\n  <link name='a'/>\n"), "3:3: error|'a'|2", 1},
    {ROBOT(LINKS("<joint type='fixed'/>\n")), "4:1: error|'name'", 1},
    {ROBOT(LINKS(JOINT("fixed", "") JOINT("fixed", ""))), "5:1: error|'j'|4", 1},
    {ROBOT(LINKS("<joint name='j'><parent link='a'/><child link='b'/></joint>\n")), "4:1: error|'type'", 1},
    {ROBOT(LINKS(JOINT("revolut", ""))), "4:1: error|'j'|'revolut'|'revolute'", 1},
    {ROBOT(LINKS(JOINT("hexapod", ""))), "4:1: error|'j'|'hexapod'", 1},
    {ROBOT(LINKS("<joint name='j' type='fixed'>\n<child link='b'/></joint>\n")), "4:1: error|'j'", 1},
    {ROBOT(LINKS("<joint name='j' type='fixed'>\n<parent link='a'/></joint>\n")), "4:1: error|'j'", 1},
    {ROBOT(LINKS("<joint name='j' type='fixed'><parent/><child link='b'/></joint>\n")), "4:30: error|'link'", 1},
    {ROBOT(
         "<link name='base'/>\n<joint name='j' type='fixed'><parent link='bace'/>\n <child link='zzzzzz'/></joint>\n"),
     "3:30: error|'j'|'bace'|'base'|2", 2},
    {ROBOT("<link name='a'/>\n<joint name='j' type='fixed'><parent link='a'/>\n <child link='zzzzzz'/></joint>\n"),
     "4:2: error|'j'|'zzzzzz'", 1},
    {ROBOT(LINKS(JOINT("fixed", "") "<joint name='k' type='fixed'><parent link='a'/><child link='b'/></joint>\n")),
     "5:1: error|'b'|'j'|4|'k'", 1},
    {ROBOT(LINKS(JOINT("fixed", "") "<joint name='k' type='fixed'><parent link='b'/><child link='a'/></joint>\n")),
     "5:1: error|'a'|'b'", 1},
    {ROBOT("<link name='r'/>" LINKS(
         JOINT("fixed", "") "<joint name='k' type='fixed'><parent link='b'/><child link='a'/></joint>\n")),
     "5:1: error|'a'|'b'", 1},
    {ROBOT("<link name='a'/>\n<joint name='j' type='fixed'><parent link='a'/><child link='a'/></joint>\n"),
     "3:1: error|'a'", 1},
    {ROBOT(LINKS("")), "3:1: error|'a'|2|'b'", 1},
    {ROBOT(LINKS(JOINT("fixed", "\n<origin xyz='0 0'/>"))), "5:1: error|0|3", 1},
    {ROBOT(LINKS(JOINT("fixed", "\n<origin rpy='0 0 0 0'/>"))), "5:1: error|0|3", 1},
    {ROBOT(LINKS(JOINT("fixed", "\n<origin rpy='0 nan 0'/>"))), "5:1: error|0|3", 1},
    {ROBOT(LINKS(JOINT("fixed", "\n<origin/> <origin/>"))), "5:11: error|5", 1},
    {ROBOT("<link name='c'/>" LINKS(
         JOINT("fixed", "<origin xyz='1e308 0 0'/>") "<joint name='k' type='fixed'><parent link='c'/><child "
                                                     "link='a'/><origin xyz='1e308 0 0'/></joint>\n")),
     "4:1: error|'j'|'b'", 1},
    {ROBOT(LINKS(JOINT("continuous", "\n<axis xyz='0 0 0'/>"))), "5:1: error|'j'", 1},
    {ROBOT(LINKS(JOINT("continuous", "\n<axis/>"))), "5:1: error|'xyz'", 1},
    {ROBOT(LINKS(JOINT("revolute", "\n<limit lower='1' upper='0.5'/>"))), "5:1: error|'j'|1|0.5", 1},
    {ROBOT(LINKS(JOINT("revolute", "\n<limit lower='0x1p3' upper='9'/>"))), "5:1: error|0", 1},
    {ROBOT(LINKS(JOINT("revolute", "\n<limit lower='1e999' upper='9'/>"))), "5:1: error|1e999", 1},
    {ROBOT(LINKS(JOINT("continuous", "\n<dynamics damping='-1'/>"))), "5:1: error|'j'|-1", 1},
    {ROBOT(LINKS(JOINT("continuous", "\n<dynamics friction='-2'/>"))), "5:1: error|'j'|-2", 1},
    {ROBOT(LINKS(JOINT("continuous", "\n<mimic/>"))), "5:1: error|'joint'", 1},
    {ROBOT(LINKS(JOINT("continuous", "\n<mimic joint='j'/>"))), "5:1: error|'j'", 1},
    {ROBOT(LINKS(JOINT("continuous", "\n<mimic joint='elbow'/>"))), "5:1: error|'j'|'elbow'", 1},
    {ROBOT("<link name='c'/>" LINKS(
         JOINT("continuous", "\n<mimic joint='elbo'/>") "<joint name='elbow' type='continuous'><parent "
                                                        "link='b'/><child link='c'/></joint>\n")),
     "5:1: error|'j'|'elbo'|'elbow'", 1},
    {ROBOT("<link name='c'/>" LINKS(
         JOINT("continuous",
               "\n<mimic joint='k'/>") "<joint name='k' type='fixed'><parent link='b'/><child link='c'/></joint>\n")),
     "5:1: error|'j'|'k'", 1},
    {ROBOT(BODY("<mass value='1'/>")), "2:16: error|'a'", 1},
    {ROBOT(BODY(INERTIA("1", "1", "1"))), "2:16: error|'a'", 1},
    {ROBOT(BODY("<mass/>" INERTIA("1", "1", "1"))), "2:26: error|'value'", 1},
    {ROBOT(BODY("<mass value='-1'/>" INERTIA("1", "1", "1"))), "2:26: error|'a'|-1", 1},
    {ROBOT(BODY("<mass value='1'/><inertia ixx='1'/>")), "2:43: error|'iyy'", 5},
    {ROBOT(BODY("<mass value='1'/>" INERTIA("-1", "2", "2"))), "2:43: error|'a'|-1", 1},
    {ROBOT("<link name='a'><visual/></link>\n"), "2:16: error", 1},
    {ROBOT("<link name='a'><collision><geometry><box size='1 1 -1'/></geometry></collision></link>\n"), "2:37: error",
     1},
    {ROBOT("<link name='a'><visual><geometry><cylinder length='1'/></geometry></visual></link>\n"),
     "2:34: error|'radius'", 1},
};

static void test_messages(void)
{
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; ++i) {
        write_scratch(wrong[i].text, strlen(wrong[i].text));
        cardan_description* d = load(scratch, false, false);
        CHECK(d == NULL);
        CHECK(report.errors == wrong[i].errors);
        CHECK(strncmp(report.message[0].text, scratch, strlen(scratch)) == 0);
        CHECK_CASE(&report, wrong[i].text, wrong[i].parts);
        cardan_description_destroy(d);
    }
}

// Warnings that are errors with the option `strict`.
static const struct {
    const char *text, *parts; // of the message
} doubtful[] = {
    {ROBOT(BODY("<mass value='1'/>" INERTIA("1", "1", "5"))), "'a'|3|2|4|0"},
    {ROBOT(LINKS(JOINT("prismatic", ""))), "'j'"},
    {"<robot><link name='a'/></robot>", "'robot'"},
};

static void test_strict(void)
{
    for (size_t i = 0; i < sizeof doubtful / sizeof *doubtful; ++i) {
        write_scratch(doubtful[i].text, strlen(doubtful[i].text));
        cardan_description* d = load(scratch, false, false);
        CHECK(d != NULL && report.count == 1 && report.message[0].severity == CARDAN_WARNING);
        CHECK_CASE(&report, doubtful[i].text, doubtful[i].parts);
        cardan_description_destroy(d);
        d = load(scratch, true, false);
        CHECK(d == NULL && report.errors == 1);
        CHECK_CASE(&report, doubtful[i].text, doubtful[i].parts);
        cardan_description_destroy(d);
    }
}

static void test_valid_inertias(void) // round-off in files is accepted: a rod, a plate, a point
{
    static const char* const texts[] = {ROBOT(BODY("<mass value='1'/>" INERTIA("0", "1", "1"))),
                                        ROBOT(BODY("<mass value='1'/>" INERTIA("1", "1", "2"))),
                                        ROBOT(BODY("<mass value='1'/>" INERTIA("0.333333", "0.333333", "0.6666665"))),
                                        ROBOT(BODY("<mass value='0'/>" INERTIA("0", "0", "0")))};
    for (size_t i = 0; i < sizeof texts / sizeof *texts; ++i) {
        write_scratch(texts[i], strlen(texts[i]));
        cardan_description* d = load(scratch, true, false);
        CHECK(d != NULL && report.count == 0);
        cardan_description_destroy(d);
    }
}

static void test_collisions(void) // one warning per file, also with the option `strict`; none without shapes
{
    const char* shape = "<collision><geometry><box size='1 1 1'/></geometry></collision>\n";
    char        text[1000];
    for (int count = 0; count < 4; ++count) {
        int n = snprintf(text, sizeof text, "<robot name='r'>\n<link name='a'>\n");
        for (int i = 0; i < count; ++i) n += snprintf(text + n, sizeof text - (size_t)n, "%s", shape);
        n += snprintf(text + n, sizeof text - (size_t)n, "</link></robot>\n");
        write_scratch(text, (size_t)n);
        cardan_description* d = load(scratch, true, false);
        CHECK(d && report.errors == 0 && report.count == (count > 0));
        char parts[40];
        snprintf(parts, sizeof parts, ":3:1: warning| %d ", count);
        if (count > 0) CHECK_CASE(&report, count == 1 ? "one collision" : "collisions", parts);
        cardan_description_destroy(d);
    }
}

static void test_collisions_that_touch(void) // in place of the visual shapes, without warning
{
    const char* robot = "<robot name='r'>\n<link name='a'>"
                        "<visual><geometry><sphere radius='2'/></geometry></visual>"
                        "<collision><origin xyz='0 0 1'/><geometry><box size='1 2 3'/></geometry></collision></link>\n"
                        "<link name='b'><visual><geometry><sphere radius='4'/></geometry></visual></link>\n"
                        "<joint name='j' type='continuous'><parent link='a'/><child link='b'/></joint></robot>\n";
    char        model[600];
    const char* slash = strrchr(scratch, '/');
    write_scratch(robot, strlen(robot));
    snprintf(model, sizeof model,
             "cardan: 1\ninclude: %s\nmaterials: {rubber: {}}\nfriction: {[rubber, rubber]: {mu: 0.5}}\ncontacts: "
             "{collision_shapes: rubber}\n",
             slash ? slash + 1 : scratch);
    char path[400];
    snprintf(path, sizeof path, "%.*s/model.yaml", (int)(slash - scratch), scratch);
    cardan_description* d = NULL;
    cardan_report_clear(&report);
    CHECK(cardan_description_load_text(model, path, NULL, &d, &report) == CARDAN_OK && report.count == 0);
    for (int i = 0; i < report.count; ++i) printf("%s\n", report.message[i].text);
    const cardan_description_view v = cardan_description_get_view(d);
    CHECK(v.nshape == 2);
    if (v.nshape == 2) {
        CHECK(v.shape[0].kind == CARDAN_SHAPE_BOX && v.shape[0].size[1] == 2 && v.shape[0].pose.p[2] == 1);
        CHECK(v.shape[0].material && strcmp(v.shape[0].material, "rubber") == 0);
        CHECK(v.shape[1].kind == CARDAN_SHAPE_SPHERE && !v.shape[1].material);
    }
    cardan_description_destroy(d);
    memcpy(strstr(model, "shapes: rubber"), "shapes: rubbe ", 14); // an unknown material
    d = NULL;
    cardan_report_clear(&report);
    CHECK(cardan_description_load_text(model, path, NULL, &d, &report) == CARDAN_BAD_INPUT);
    CHECK_HAS(report.message[0].text, "'rubbe'");
    cardan_description_destroy(d);
}

static void test_attributes(void) // libxml2 needs quadratic time for many attributes of one element
{
    cd_text text = {0};
    cd_text_add(&text, "<robot name='a > b'>\n<!-- x='1' -->\n <link name='c'");
    for (int i = 0; i < 200000; ++i) cd_text_format(&text, " a%d='='", i);
    cd_text_add(&text, "/></robot>");
    write_scratch(text.data, text.length);
    CHECK(load(scratch, false, false) == NULL && report.errors == 1);
    CHECK_CASE(&report, "200,000 attributes", ":3:2: error|1000");
    cd_text_free(&text);
}

static void test_names(void) // 'world' is reserved; the joint of the root gets an unused name
{
    const char* text = ROBOT(
        "<link name='ground'/>\n<link name='b &amp; c'/>\n<link name='world'/>\n"
        "<joint name='ground_link_on_ground' type='fixed'><parent link='ground'/><child link='b &amp; c'/></joint>\n"
        "<joint name='j' type='fixed'><parent link='ground'/><child link='world'/></joint>\n");
    write_scratch(text, strlen(text));
    cardan_description* d = load(scratch, false, false);
    if (!d) return;
    CHECK(report.count == 2);
    CHECK_CASE(&report, "a link 'ground'", ":2:1: note|'ground'|'ground_link'");
    CHECK_CASE(&report, "a link 'world'", ":4:1: note|'world'|'world_link'");
    CHECK(cardan_description_find_body(d, "ground_link") == 0 && cardan_description_find_body(d, "b & c") == 1);
    CHECK(cardan_description_find_body(d, "world_link") == 2);
    CHECK(cardan_description_find_joint(d, "ground_link_on_ground_") == 2);
    cardan_description_destroy(d);
}

static void test_deep_chain(void) // a chain of 20,000 links is read without recursion
{
    enum { LINKS_OF_CHAIN = 20000 };
    char*  text = malloc(200u * LINKS_OF_CHAIN);
    size_t n    = 0;
    if (!text) return;
    n += (size_t)sprintf(text + n, "<robot name='chain'>");
    for (int i = LINKS_OF_CHAIN - 1; i >= 0; --i) {
        n += (size_t)sprintf(text + n, "<link name='l%d'/>\n", i);
        if (i > 0)
            n += (size_t)sprintf(text + n,
                                 "<joint name='j%d' type='continuous'><parent link='l%d'/><child link='l%d'/><origin "
                                 "xyz='0.5 0 0'/></joint>\n",
                                 i, i - 1, i);
    }
    n += (size_t)sprintf(text + n, "</robot>");
    write_scratch(text, n);
    free(text);
    cardan_description* d = load(scratch, false, false);
    if (!d) return;
    CHECK_ALL(body(d, "l19999")->pose.p, 3, 9999.5, 0, 0);
    cardan_description_destroy(d);
}

static uint64_t random_next(uint64_t* state)
{
    *state ^= *state << 13;
    *state ^= *state >> 7;
    return *state ^= *state << 17;
}

// Bytes changed, removed or copied from elsewhere in the file: the result is a description or a message.
static void test_mutations(void)
{
    FILE* file = fopen(ARM, "rb");
    CHECK(file != NULL);
    if (!file) return;
    static char  original[16384], text[32768];
    const size_t size  = fread(original, 1, sizeof original, file);
    uint64_t     state = 20240607;
    int          read  = 0;
    fclose(file);
    for (int round = 0; round < 1500; ++round) {
        size_t n = size;
        memcpy(text, original, size);
        const int changes = 1 + (int)(random_next(&state) % 4);
        for (int c = 0; c < changes; ++c) {
            const size_t at = random_next(&state) % n, from = random_next(&state) % size;
            size_t       length = 1 + random_next(&state) % 60;
            switch (random_next(&state) % 4) {
            case 0:
                text[at] = (char)(random_next(&state) & 0xff);
                break;
            case 1:
                text[at] = "<>\"'&/ 0-e."[random_next(&state) % 11];
                break;
            case 2:
                if (length > n - at) length = n - at;
                memmove(text + at, text + at + length, n - at - length);
                n -= length;
                break;
            default:
                if (length > size - from) length = size - from;
                memmove(text + at + length, text + at, n - at);
                memcpy(text + at, original + from, length);
                n += length;
            }
        }
        write_scratch(text, n);
        cardan_description* d = load(scratch, round % 2, round % 3 == 0);
        read += d != NULL;
        cardan_description_destroy(d);
    }
    CHECK(read > 50 && read < 1450); // some mutations are accepted, most are rejected
}

static void test_no_report(void) // without a report, the status is returned
{
    cardan_description* d = NULL;
    CHECK(cardan_description_load(ARM, NULL, &d, NULL) == CARDAN_OK && d);
    cardan_description_destroy(d);
    write_scratch("<robot>", 7);
    CHECK(cardan_description_load(scratch, NULL, &d, NULL) == CARDAN_BAD_INPUT && !d);
}

int main(void)
{
    snprintf(scratch, sizeof scratch, "%s/cardan_XXXXXX.urdf", P_tmpdir);
    const int open = mkstemps(scratch, 5);
    if (open >= 0) close(open);
    RUN(test_bodies());
    RUN(test_rpy());
    RUN(test_joints());
    RUN(test_exact_axes());
    RUN(test_shapes());
    RUN(test_floating_base());
    RUN(test_notes());
    RUN(test_collisions());
    RUN(test_collisions_that_touch());
    RUN(test_attributes());
    RUN(test_messages());
    RUN(test_strict());
    RUN(test_valid_inertias());
    RUN(test_names());
    RUN(test_deep_chain());
    RUN(test_mutations());
    RUN(test_no_report());
    remove(scratch);
    RUN(test_sentences("test_urdf"));
    return test_end();
}
