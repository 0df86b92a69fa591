// SPDX-License-Identifier: BSD-3-Clause
// Joints and markers placed by points and axes in the world: their frames are those of the model file with the same
// points, up to round-off of the orientations of the bodies, and coincide in the world.
#include "math/quaternion.h"
#include "test.h"

#include <cardan/io.h>

static const char text[] =
    "cardan: 1\n"
    "bodies:\n"
    "  upper: {at: [0.2, 0.1, 0.4], orientation: {axis: [1, 2, 3], angle: 0.7}, mass: 1, inertia: [1, 1, 1]}\n"
    "  lower: {at: [1.2, -0.3, 0.5], orientation: {rpy: [0.3, -0.4, 1.1]}, mass: 1, inertia: [1, 1, 1]}\n"
    "markers:\n"
    "  tip: {on: lower, at: [1.5, 0.25, -0.75], relative: ground}\n"
    "joints:\n"
    "  shoulder: {revolute: [ground, upper], at: [0.25, 0.5, 0.125], axis: [1, -2, 0.5]}\n"
    "  elbow: {cylindrical: [upper, lower], at: [1, 0.1, 0.3], axis: -z}\n"
    "  ball: {spherical: [ground, lower], at: [0.3, 0.4, 0.5]}\n";

static cardan_description* load(void)
{
    static cardan_report report;
    cardan_description*  d = NULL;
    if (cardan_description_load_text(text, "arm.yaml", NULL, &d, &report)) printf("%s\n", report.message[0].text);
    return d;
}

static void check_pose(cardan_pose a, cardan_pose b)
{
    for (int i = 0; i < 3; ++i) CHECK_NEAR(a.p[i], b.p[i], 1e-15);
    for (int i = 0; i < 4; ++i) CHECK_NEAR(a.q[i], b.q[i], 1e-15);
}

static void test_same_as_file(void)
{
    cardan_description* d = load();
    CHECK(d);
    if (!d) return;
    static const double           at[3][3]   = {{0.25, 0.5, 0.125}, {1, 0.1, 0.3}, {0.3, 0.4, 0.5}};
    static const double           axis[2][3] = {{1, -2, 0.5}, {0, 0, -1}};
    const cardan_description_view view       = cardan_description_get_view(d);
    for (int j = 0; j < 3; ++j) {
        const cardan_joint file = view.joint[j];
        const cardan_joint made =
            cardan_joint_at(d, file.name, file.type, file.first_body, file.second_body, at[j], j < 2 ? axis[j] : NULL);
        CHECK_TEXT(made.name, file.name);
        CHECK_TEXT(made.type, file.type);
        check_pose(made.frame_first, file.frame_first);
        check_pose(made.frame_second, file.frame_second);
    }
    const int           tip   = cardan_description_find_marker(d, "tip");
    const cardan_marker made  = cardan_marker_at(d, "tip", view.marker[tip].body, (double[]){1.5, 0.25, -0.75}, NULL);
    double              error = 0;
    for (int i = 0; i < 3; ++i) error = fmax(error, fabs(made.pose.p[i] - view.marker[tip].pose.p[i]));
    CHECK(error < 1e-15);
    cardan_description_destroy(d);
}

// The joint frame is at the point with z along the axis, seen from both bodies.
static void test_in_the_world(void)
{
    cardan_description* d = load();
    CHECK(d);
    if (!d) return;
    const double                  point[3] = {0.4, -0.2, 0.9}, axis[3] = {3, 4, 12};
    const cardan_description_view view  = cardan_description_get_view(d);
    const cardan_joint            joint = cardan_joint_at(d, "new", "revolute", 0, 1, point, axis);
    for (int end = 0; end < 2; ++end) {
        const cardan_pose body = view.body[end].pose, frame = end ? joint.frame_second : joint.frame_first;
        double            p[3], z[3], in_body[3];
        q4_rotate(body.q, frame.p, p);
        q4_rotate(frame.q, (double[]){0, 0, 1}, in_body);
        q4_rotate(body.q, in_body, z);
        for (int i = 0; i < 3; ++i) {
            CHECK_NEAR(p[i] + body.p[i], point[i], 1e-15);
            CHECK_NEAR(z[i], axis[i] / 13, 1e-15);
        }
    }
    CHECK(cardan_description_add_joint(d, &joint) == 3);
    cardan_description_destroy(d);
}

int main(void)
{
    RUN(test_same_as_file());
    RUN(test_in_the_world());
    return test_end();
}
