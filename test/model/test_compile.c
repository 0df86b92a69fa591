// SPDX-License-Identifier: BSD-3-Clause
// Compilation of descriptions: invalid ones are rejected with a message, and the description is not changed.
#include "model/description.h"
#include "sentences.h"
#include "test.h"

#include <cardan/cardan.h>

typedef struct parts {
    cardan_body            body;
    cardan_joint           joint;
    cardan_axis_properties axis[2];
    cardan_marker          marker;
    cardan_force           force;
    double                 gravity[3];
} parts;

static cardan_description* describe(const parts* p)
{
    cardan_description* d = cardan_description_create("mechanism");
    cardan_description_set_gravity(d, p->gravity);
    cardan_description_add_body(d, &p->body);
    cardan_description_add_joint(d, &p->joint);
    cardan_description_add_marker(d, &p->marker);
    cardan_description_add_force(d, &p->force);
    return d;
}

static parts valid_parts(void)
{
    parts p           = {.body   = cardan_body_default("b"),
                         .joint  = cardan_joint_default("j", "revolute", CARDAN_GROUND, 0),
                         .axis   = {cardan_axis_properties_default(), cardan_axis_properties_default()},
                         .marker = {.name = "m", .body = 0, .pose = cardan_pose_default()},
                         .force  = cardan_force_default("f", "spring")};
    p.body.mass       = 1;
    p.body.inertia[0] = p.body.inertia[1] = p.body.inertia[2] = 1;
    return p;
}

static void check_rejected(const parts* p, const char* change, const char* names)
{
    cardan_description* d      = describe(p);
    cardan_model*       m      = NULL;
    cardan_report       report = {0};
    CHECK(cardan_model_compile(d, CARDAN_TREE_BREADTH_FIRST, &m, &report) == CARDAN_BAD_INPUT);
    CHECK(!m);
    CHECK(report.errors == 1);
    CHECK_CASE(&report, change, names);
    cardan_description_destroy(d);
}

// Several threads may compile a description at the same time, so compilation must not add nodes to its graph.
static void test_valid(void)
{
    const parts         p    = valid_parts();
    cardan_description* d    = describe(&p);
    cardan_model*       m    = NULL;
    const int           size = cd_graph_size(d->graph);
    CHECK(cardan_model_compile(d, CARDAN_TREE_BREADTH_FIRST, &m, NULL) == CARDAN_OK);
    CHECK(cd_graph_size(d->graph) == size);
    cardan_model_destroy(m);
    cardan_description_destroy(d);
}

#define CHECK_REJECTED(change, names)                                                                                  \
    do {                                                                                                               \
        parts p = valid_parts();                                                                                       \
        change;                                                                                                        \
        check_rejected(&p, #change, names);                                                                            \
    } while (0)

static void test_numbers(void)
{
    CHECK_REJECTED(p.gravity[1] = NAN, "'mechanism'");
    CHECK_REJECTED(p.body.mass = -1, "'b'|-1 kg");
    CHECK_REJECTED(p.body.mass = 1e308, "'b'|1e+308 kg");
    CHECK_REJECTED(p.body.mass = 1e-308, "'b'|1e-60 kg|2");
    CHECK_REJECTED(p.body.inertia[0] = p.body.inertia[1] = p.body.inertia[2] = 1e-310, "'b'|1e-60 kg|2");
    CHECK_REJECTED(p.body.centre[0] = 1e300, "'b'|1e+60 m|2");
    CHECK_REJECTED(p.gravity[1] = 1e308, "'mechanism'");
    CHECK_REJECTED(p.body.inertia[3] = INFINITY, "'b'");
    CHECK_REJECTED(p.body.pose.q[0] = 2, "'b'");
    CHECK_REJECTED(p.joint.frame_first.q[0] = 0, "'j'");
    CHECK_REJECTED(p.joint.pitch = NAN, "'j'");
    CHECK_REJECTED(p.joint.start_q[0] = NAN, "'j'");
    CHECK_REJECTED(p.marker.pose.p[0] = NAN, "'m'");
}

static void test_indices(void)
{
    CHECK_REJECTED(p.joint.second_body = 1, "'j'|1");
    CHECK_REJECTED(p.joint.first_body = -2, "'j'|-2");
    CHECK_REJECTED(p.joint.first_body = 0, "'j'");
    CHECK_REJECTED(p.joint.type = "revolut", "'j'|'revolut'|'revolute'");
    CHECK_REJECTED(p.joint.type = NULL, "'j'");
    CHECK_REJECTED(p.marker.body = 7, "'m'|7");
    CHECK_REJECTED(p.force.marker[1] = 9, "'f'");
    CHECK_REJECTED(p.force.joint = 3, "'f'|3");
    CHECK_REJECTED(p.force.damper_table = 0, "'f'");
}

static void test_elementary_joints_and_axes(void)
{
    CHECK_REJECTED(p.joint.nelementary = 1, "'j'");
    CHECK_REJECTED((p.joint.type = "general", p.joint.nelementary = 7), "'j'|1|6|7");
    CHECK_REJECTED((p.joint.type = "general", p.joint.nelementary = 1), "'j'|1");
    CHECK_REJECTED((p.joint.type = "universal", p.joint.nelementary = 1), "'j'");
    CHECK_REJECTED((p.joint.naxis = 2, p.joint.axis = p.axis), "'j'|2|1");
    CHECK_REJECTED((p.joint.naxis = 1, p.joint.axis = p.axis, p.axis[0].armature = -1), "'j'|1|-1");
    CHECK_REJECTED((p.joint.naxis = 1, p.joint.axis = p.axis, p.axis[0].damping = NAN), "'j'|1");
    CHECK_REJECTED((p.joint.naxis = 1, p.joint.axis = p.axis, p.axis[0].lower = INFINITY, p.axis[0].upper = 1),
                   "'j'|1");
}

static void check_data_rejected(const parts* p, const char* names)
{
    cardan_description* d      = describe(p);
    cardan_model*       m      = NULL;
    cardan_data*        data   = NULL;
    cardan_report       report = {0};
    CHECK(cardan_model_compile(d, CARDAN_TREE_BREADTH_FIRST, &m, &report) == CARDAN_OK);
    CHECK(cardan_data_create(m, cardan_formulation_find("semi"), &data, &report) == CARDAN_BAD_INPUT);
    CHECK(!data && report.errors == 1);
    CHECK_CASE(&report, p->force.type, names);
    cardan_model_destroy(m);
    cardan_description_destroy(d);
}

// Force elements without a valid joint or axis are rejected when the data are created.
static void test_invalid_force_joint(void)
{
    parts p      = valid_parts();
    p.force.type = "actuator";
    check_data_rejected(&p, "'f'");
    p.force.joint = 0;
    p.force.axis  = 1;
    check_data_rejected(&p, "'f'|'j'|2");
    p.force.type = "motor";
    check_data_rejected(&p, "'f'|'motor'");
}

// Acceleration of a revolute joint under 1 N m; `two_joints`: two joints on one axis with a rotor each, one of them
// closes a loop.
static double rotor_acceleration(bool two_joints, double armature)
{
    parts p                    = valid_parts();
    p.joint.naxis              = 1;
    p.joint.axis               = p.axis;
    p.axis[0].armature         = armature;
    cardan_joint second        = p.joint;
    second.name                = "second";
    const double        effort = 1;
    double              a      = NAN;
    cardan_description* d      = describe(&p);
    cardan_model*       m      = NULL;
    cardan_data*        data   = NULL;
    if (two_joints) cardan_description_add_joint(d, &second);
    CHECK(cardan_model_compile(d, CARDAN_TREE_BREADTH_FIRST, &m, NULL) == CARDAN_OK);
    CHECK(cardan_data_create(m, cardan_formulation_find("dense"), &data, NULL) == CARDAN_OK);
    cardan_data_set_external_forces(data, &effort, NULL);
    CHECK(cardan_data_accelerate(data, &a, NULL, NULL) == CARDAN_OK);
    cardan_data_destroy(data);
    cardan_model_destroy(m);
    cardan_description_destroy(d);
    return a;
}

static void test_rotor_of_closing_joint(void)
{
    const double one = rotor_acceleration(false, 0.2);
    CHECK_NEAR(rotor_acceleration(true, 0.1), one, 1e-12 * fabs(one));
    CHECK(fabs(rotor_acceleration(false, 0.1) - one) > 1e-3 * fabs(one));
}

// A formulation in maximal coordinates rejects a model in tree coordinates.
static void test_wrong_tree(void)
{
    parts               p      = valid_parts();
    cardan_description* d      = describe(&p);
    cardan_model*       m      = NULL;
    cardan_data*        data   = NULL;
    cardan_report       report = {0};
    CHECK(cardan_model_compile(d, CARDAN_TREE_BREADTH_FIRST, &m, &report) == CARDAN_OK);
    CHECK(cardan_data_create(m, cardan_formulation_find("lagrange"), &data, &report) == CARDAN_UNSUPPORTED);
    CHECK_CASE(&report, "tree coordinates", "'lagrange'");
    cardan_model_destroy(m);
    cardan_description_destroy(d);
}

int main(void)
{
    RUN(test_valid());
    RUN(test_numbers());
    RUN(test_indices());
    RUN(test_elementary_joints_and_axes());
    RUN(test_invalid_force_joint());
    RUN(test_rotor_of_closing_joint());
    RUN(test_wrong_tree());
    RUN(test_sentences("test_compile"));
    return test_end();
}
