// SPDX-License-Identifier: BSD-3-Clause
// The robots of models/robots: mass, mass centre and inertia about the origin at zero coordinates, against values
// computed from the published files by an independent program; joint frames coincide there.
#include "test.h"

#include "math/quaternion.h"

#include <cardan/io.h>
#include <cardan/model.h>

static const struct {
    const char* name;
    int         velocities;
    bool        floating;
    double      mass, centre[3], inertia[6];
} robots[] = {
    {"ur5",
     6,
     false,
     20.9939,
     {0.287306397334472, 0.064312980675339, 0.0713242606247307},
     {0.57955468378088, 4.11250914517317, 4.38381368627779, -0.485641827991269, -0.523244140718902,
      -0.118439520207443}},
    {"panda",
     9,
     false,
     17.451901,
     {0.0232205449619694, 0.00610707787411458, 0.606223754734341},
     {8.70795364235529, 8.74126369107358, 0.126429698872591, 0.0044281178568326, -0.343166390624831,
      -0.073538177619658}},
    {"anymal",
     12,
     true,
     30.475397462,
     {-0.00101802285573582, -0.000676295822406435, -0.0340538263104994},
     {1.27199866635021, 2.8705384051262, 2.72861908665067, -0.00149291709556047, -0.000976980397184683,
      -0.000761826379384569}},
    {"talos",
     32,
     true,
     90.272192,
     {-0.0240419396472606, 0.00122989492374304, -0.155237722379667},
     {18.7201602333223, 16.5634692227657, 2.77134627343438, 0.00541877646365004, -0.213025765095305,
      0.0039746015799393}},
    {"humanoid",
     29,
     true,
     130.8,
     {0.031605504587156, 0, 0.0413470948012232},
     {54.5295094, 54.2364894, 31.97586, 0, -1.302121, 0}},
};

static cardan_report report;

// Add mass, mass times mass centre, and inertia about the world origin in world axes of one body.
static void add_body(const cardan_body* body, double* m, double h[3], double I[6])
{
    static const int row[6] = {0, 1, 2, 0, 0, 1}, column[6] = {0, 1, 2, 1, 2, 2},
                     at[3][3] = {{0, 3, 4}, {3, 1, 5}, {4, 5, 2}};
    double c[3], R[9];
    pose_point(body->pose, body->centre, c);
    q4_matrix(body->pose.q, R);
    const double cc = c[0] * c[0] + c[1] * c[1] + c[2] * c[2];
    *m += body->mass;
    for (int i = 0; i < 3; ++i) h[i] += body->mass * c[i];
    for (int k = 0; k < 6; ++k) {
        for (int a = 0; a < 3; ++a)
            for (int b = 0; b < 3; ++b) I[k] += R[3 * row[k] + a] * body->inertia[at[a][b]] * R[3 * column[k] + b];
        I[k] += body->mass * ((row[k] == column[k] ? cc : 0) - c[row[k]] * c[column[k]]);
    }
}

static void check_joint(const cardan_description_view* view, const cardan_joint* j)
{
    const cardan_pose world = cardan_pose_default();
    const cardan_pose a     = pose_mul(j->first_body < 0 ? world : view->body[j->first_body].pose, j->frame_first);
    const cardan_pose b     = pose_mul(j->second_body < 0 ? world : view->body[j->second_body].pose, j->frame_second);
    const cardan_pose relative = pose_mul(pose_inverse(a), b);
    for (int i = 0; i < 3; ++i) CHECK_NEAR(relative.p[i], 0, 1e-14);
    for (int i = 1; i < 4; ++i) CHECK_NEAR(relative.q[i], 0, 1e-14);
}

static void test_robot(int k)
{
    char path[400];
    snprintf(path, sizeof path, "%s/models/robots/%s", CARDAN_SOURCE, robots[k].name);
    cardan_description* d = NULL;
    cardan_report_clear(&report);
    CHECK(cardan_description_load(path, NULL, &d, &report) == CARDAN_OK);
    if (!d) {
        printf("%s\n", report.count ? report.message[0].text : "");
        return;
    }
    const cardan_description_view view = cardan_description_get_view(d);
    double                        m = 0, h[3] = {0}, I[6] = {0};
    int                           velocities = 0, to_ground = 0, floating = 0;
    for (int i = 0; i < view.nbody; ++i) add_body(&view.body[i], &m, h, I);
    for (int i = 0; i < view.njoint; ++i) {
        check_joint(&view, &view.joint[i]);
        floating += strcmp(view.joint[i].type, "free") == 0;
        velocities += strcmp(view.joint[i].type, "fixed") != 0 && strcmp(view.joint[i].type, "free") != 0;
        to_ground += view.joint[i].first_body == CARDAN_GROUND;
    }
    CHECK(velocities == robots[k].velocities);
    CHECK(to_ground == 1 && floating == robots[k].floating);
    CHECK_NEAR(m, robots[k].mass, 1e-13);
    for (int i = 0; i < 3; ++i) CHECK_NEAR(h[i] / m, robots[k].centre[i], 1e-13);
    for (int i = 0; i < 6; ++i) CHECK_NEAR(I[i], robots[k].inertia[i], 1e-13);

    // a floating base has six additional velocities
    cardan_model* model = NULL;
    CHECK(cardan_model_compile(d, CARDAN_TREE_BREADTH_FIRST, &model, &report) == CARDAN_OK);
    if (model) CHECK(cardan_model_get_view(model).nv == robots[k].velocities + (robots[k].floating ? 6 : 0));
    cardan_model_destroy(model);
    cardan_description_destroy(d);
}

int main(void)
{
    for (int k = 0; k < (int)(sizeof robots / sizeof *robots); ++k) RUN(test_robot(k));
    return test_end();
}
