// SPDX-License-Identifier: BSD-3-Clause
// Which bodies of a model file touch: joints, common points, lists; warnings of shapes that touch nothing; pairs of
// materials without entry.
#include "yaml_text.h"

#include "contact/scene/contact_scene.h"

#include <cardan/dynamics.h>

#define HEAD                                                                                                           \
    "cardan: 1\nmaterials: {m: {}, n: {}}\nfriction: {[m, m]: {}}\nbodies: {a: {sphere: 0.1, mass: 1, at: [1, 0, 0], " \
    "material: m}, b: {sphere: 0.1, mass: 1, at: [0, 1, 0], material: m}}\n"
#define GROUND "ground: {shape: {plane: 1, material: m}}\n"

static cardan_report report;

// Number of pairs of shapes that may touch; -1: the model is refused.
static int pair_count(const char* text)
{
    cardan_description* d = yaml_load(text);
    cardan_model*       m = NULL;
    cardan_report_clear(&report);
    const cardan_status status = cardan_model_compile(d, CARDAN_TREE_BREADTH_FIRST, &m, &report);
    const int           count  = status != CARDAN_OK ? -1 : m->contact_scene ? m->contact_scene->npair : 0;
    cardan_model_destroy(m);
    cardan_description_destroy(d);
    return count;
}

#define JOINTS(type)                                                                                                   \
    "joints: {p: {" type ": [ground, a], at: [0, 0, 0], axis: z}, q: {" type ": [ground, b], at: [0, 0, 0], axis: "    \
                                                                             "z}}\n"

static void test_joints(void)
{
    CHECK(pair_count(HEAD GROUND) == 3 && report.count == 0);
    CHECK(pair_count(HEAD GROUND "joints: {p: {free: [ground, a]}}\n") == 3); // a free joint connects nothing
    CHECK(pair_count(HEAD GROUND "joints: {p: {revolute: [ground, a], at: [0, 0, 0], axis: z}}\n") == 2);
    // pivots at one point hold the two bodies; guides that pass through one point do not
    CHECK(pair_count(HEAD JOINTS("revolute")) == 0);
    CHECK(pair_count(HEAD JOINTS("planar")) == 1 && report.count == 0);
    CHECK(pair_count(HEAD JOINTS("prismatic")) == 1);
    CHECK(pair_count(HEAD JOINTS("cylindrical")) == 1);
}

static void test_lists(void)
{
    CHECK(pair_count(HEAD JOINTS("revolute") "contacts: {also: [[a, b]]}\n") == 1 && report.count == 0);
    CHECK(pair_count(HEAD GROUND JOINTS("planar") "contacts: {also: [[ground, a], [ground, b]]}\n") == 3);
    CHECK(pair_count(HEAD GROUND "contacts: {pairs: [[b, a]]}\n") == 1 && report.count == 0);
    CHECK(pair_count(HEAD GROUND "contacts: {ignore: [[b, a], [ground, b]]}\n") == 1);
}

static void test_warnings(void)
{
    CHECK(pair_count(HEAD JOINTS("revolute")) == 0 && report.count == 2);
    CHECK(report.message[0].code == CARDAN_CODE_MODEL_DOUBTFUL && report.message[0].severity == CARDAN_WARNING);
    CHECK(report.message[0].location.line == 4);
    CHECK_HAS(report.message[0].text, "'a'");
    CHECK_HAS(report.message[1].text, "'b'");
    CHECK(pair_count(HEAD JOINTS("revolute") "contacts: {pairs: []}\n") == 0 && report.count == 0);
}

static void test_materials(void)
{
    CHECK(pair_count(HEAD "ground: {shape: {plane: 1, material: n}}\n") == -1 && report.errors == 1);
    CHECK_HAS(report.message[0].text, "[n, m]");
    CHECK_HAS(report.message[0].text, "'ground'");
    CHECK_HAS(report.message[0].text, "'a'");
    CHECK(pair_count(
              HEAD "ground: {shape: {plane: 1, material: n}}\ncontacts: {ignore: [[a, ground], [b, ground]]}\n") == 1);
}

int main(void)
{
    yaml_begin();
    RUN(test_joints());
    RUN(test_lists());
    RUN(test_warnings());
    RUN(test_materials());
    yaml_end();
    return test_end();
}
