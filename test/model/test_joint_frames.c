// SPDX-License-Identifier: BSD-3-Clause
// Velocities of spherical and free joints whose frames are turned in both bodies, and whose bodies are turned in the
// world. The angular velocity v is that of the joint frame on the second body relative to that on the first, in the
// axes of the joint frame on the second body. Here it is measured from orientations of markers alone, by differences in
// time, and compared with v: in tree coordinates, in maximal coordinates, and with joints that the tree passes from
// their second body to their first.
#include "math/quaternion.h"
#include "test.h"

#include <cardan/cardan.h>
#include <stdlib.h>

enum { JOINTS = 2, ROWS = 3 };
static const double h = 1e-3; // time between rows

// Unit quaternion of a rotation vector.
static void turned(double x, double y, double z, double q[4]) { q4_exp((double[3]){x, y, z}, q); }

typedef struct scene {
    cardan_description* description;
    cardan_model*       model;
    cardan_data*        data;
    int                 nrow, marker[JOINTS][2]; // of the joint frames on the first and on the second body
    cardan_pose         relative[ROWS][JOINTS];  // second frame in the first
    double              v[ROWS][JOINTS][6], q[ROWS][JOINTS][7];
    double              body[JOINTS][3]; // angular velocity at row 1 in the axes of the second body
} scene;

static const double start_v[2][JOINTS][6] = {{{0.9, -0.4, 1.3}, {-0.7, 1.1, 0.5}},
                                             {{0.3, -0.2, 0.1, 0.9, -0.4, 1.3}, {0.2, 0.5, -0.3, -0.7, 1.1, 0.5}}};

static int add_frame(scene* s, const char* name, int body, const cardan_pose* pose)
{
    const cardan_marker marker = {.name = name, .body = body, .pose = *pose};
    return cardan_description_add_marker(s->description, &marker);
}

// Ground - one - other. Spheres whose mass centres are in the joints' point: without gravity every body keeps its
// angular velocity.
static void describe(scene* s, bool is_free, bool reversed)
{
    int before     = CARDAN_GROUND;
    s->description = cardan_description_create("turned frames");
    cardan_description_set_gravity(s->description, (double[3]){0, 0, 0});
    for (int i = 0; i < JOINTS; ++i) {
        static const char* const name[JOINTS]   = {"one", "other"};
        static const char* const end[JOINTS][2] = {{"one first", "one second"}, {"other first", "other second"}};
        cardan_body              b              = cardan_body_default(name[i]);
        b.mass                                  = 1 + i;
        b.inertia[0] = b.inertia[1] = b.inertia[2] = 0.3 + 0.1 * i;
        turned(0.4 + i, -0.8, 0.3, b.pose.q);
        const int    body = cardan_description_add_body(s->description, &b);
        cardan_joint j    = cardan_joint_default(i == 0 ? "shoulder" : "elbow", is_free ? "free" : "spherical",
                                              reversed ? body : before, reversed ? before : body);
        turned(0.7, 0.5 - i, 1.1, j.frame_first.q);
        turned(-0.6, 1.2, 0.8 + i, j.frame_second.q);
        j.start_q_given = j.start_v_given = true;
        turned(0.2, 0.3 + i, -0.5, j.start_q + (is_free ? 3 : 0));
        memcpy(j.start_v, start_v[is_free][i], sizeof j.start_v);
        cardan_description_add_joint(s->description, &j);
        s->marker[i][0] = add_frame(s, end[i][0], j.first, &j.frame_first);
        s->marker[i][1] = add_frame(s, end[i][1], j.second, &j.frame_second);
        before          = body;
    }
}

static bool take_row(void* user, cardan_data* data, const cardan_sample* row)
{
    scene* s = user;
    (void)row;
    for (int i = 0; i < JOINTS && s->nrow < ROWS; ++i) {
        cardan_motion m[2];
        for (int k = 0; k < 2; ++k) CHECK(cardan_marker_motion(data, s->marker[i][k], NULL, &m[k]) == CARDAN_OK);
        cardan_pose first = {.p = {m[0].p[0], m[0].p[1], m[0].p[2]}}, second = {.p = {m[1].p[0], m[1].p[1], m[1].p[2]}};
        memcpy(first.q, m[0].q, sizeof first.q);
        memcpy(second.q, m[1].q, sizeof second.q);
        s->relative[s->nrow][i] = pose_mul(pose_inverse(first), second);
        CHECK(cardan_joint_state(data, i, s->q[s->nrow][i], s->v[s->nrow][i]) == CARDAN_OK);
    }
    ++s->nrow;
    return true;
}

// Angular velocity in the axes of the frame, from its orientations before and after.
static void differentiate(const double before[4], const double after[4], double w[3])
{
    double back[4], turn[4];
    q4_conjugate(before, back);
    q4_mul(back, after, turn);
    q4_log(turn, w);
    for (int k = 0; k < 3; ++k) w[k] /= 2 * h;
}

static void check_joint(const scene* s, int i, bool is_free)
{
    const int at = is_free ? 3 : 0;
    double    w[3], own[4], in_body[3], off = 0;
    differentiate(s->relative[0][i].q, s->relative[2][i].q, w);
    for (int k = 0; k < 3; ++k) CHECK_NEAR(s->v[1][i][at + k], w[k], 1e-5);
    for (int k = 0; is_free && k < 3; ++k)
        CHECK_NEAR(s->v[1][i][k], (s->relative[2][i].p[k] - s->relative[0][i].p[k]) / (2 * h), 1e-5);
    for (int k = 0; k < at + 3; ++k) CHECK_NEAR(s->v[0][i][k], start_v[is_free][i][k], 1e-12);
    // the coordinates are the pose of the second frame in the first, but for the sign of a quaternion
    double along = 0;
    for (int k = 0; k < 4; ++k) along += s->q[1][i][at + k] * s->relative[1][i].q[k];
    CHECK_NEAR(fabs(along), 1, 1e-12);
    // the axes of the second body would give other components
    const cardan_joint* j = &cardan_description_get_view(s->description).joint[i];
    memcpy(own, j->frame_second.q, sizeof own);
    q4_rotate(own, w, in_body);
    for (int k = 0; k < 3; ++k) off = fmax(off, fabs(in_body[k] - w[k]));
    CHECK(off > 0.1);
}

static void test_frames(const char* formulation, bool is_free, bool reversed)
{
    scene         s      = {0};
    cardan_report report = {0};
    const int     f      = cardan_formulation_find(formulation);
    describe(&s, is_free, reversed);
    CHECK(cardan_model_compile(s.description, cardan_formulation_tree_policy(f), &s.model, &report) == CARDAN_OK);
    CHECK(cardan_data_create(s.model, f, &s.data, &report) == CARDAN_OK);
    cardan_run     run = cardan_run_default();
    cardan_summary summary;
    run.end             = 2 * h;
    run.output_interval = h;
    run.tolerance       = 1e-12;
    run.sample_callback = take_row;
    run.user            = &s;
    CHECK(cardan_simulate(s.data, &run, &summary, &report) == CARDAN_OK);
    CHECK(s.nrow == ROWS);
    for (int i = 0; i < report.count; ++i) printf("%s\n", report.message[i].text);
    for (int i = 0; i < JOINTS && s.nrow == ROWS; ++i) check_joint(&s, i, is_free);
    cardan_data_destroy(s.data);
    cardan_model_destroy(s.model);
    cardan_description_destroy(s.description);
}

// A state taken from tree to maximal coordinates and back keeps the velocities of joints.
static void test_exchange(bool is_free, bool reversed)
{
    scene         s      = {0};
    cardan_report report = {0};
    cardan_model* flat   = NULL;
    cardan_data * there = NULL, *back = NULL;
    const int     tree = cardan_formulation_find("order-n"), maximal = cardan_formulation_find("lagrange");
    describe(&s, is_free, reversed);
    CHECK(cardan_model_compile(s.description, cardan_formulation_tree_policy(tree), &s.model, &report) == CARDAN_OK);
    CHECK(cardan_model_compile(s.description, cardan_formulation_tree_policy(maximal), &flat, &report) == CARDAN_OK);
    CHECK(cardan_data_create(s.model, tree, &s.data, &report) == CARDAN_OK);
    CHECK(cardan_data_create(s.model, tree, &back, &report) == CARDAN_OK);
    CHECK(cardan_data_create(flat, maximal, &there, &report) == CARDAN_OK);
    const cardan_model_view m = cardan_model_get_view(s.model);
    double                  v[12], q[14];
    for (int i = 0; i < m.nv; ++i) v[i] = sin(1.0 + 2 * i);
    memcpy(q, m.q_start, (size_t)m.nq * sizeof *q);
    CHECK(cardan_data_set_state(s.data, 0, q, v, NULL) == CARDAN_OK);
    CHECK(cardan_data_copy_state(s.data, there) == CARDAN_OK && cardan_data_copy_state(there, back) == CARDAN_OK);
    for (int j = 0; j < JOINTS; ++j) {
        double qj[3][7], vj[3][6];
        cardan_joint_state(s.data, j, qj[0], vj[0]);
        cardan_joint_state(there, j, qj[1], vj[1]);
        cardan_joint_state(back, j, qj[2], vj[2]);
        for (int k = 0; k < m.tree_range[j].nv; ++k) {
            CHECK_NEAR(vj[1][k], vj[0][k], 1e-12);
            CHECK_NEAR(vj[2][k], vj[0][k], 1e-12);
        }
    }
    cardan_data_destroy(there);
    cardan_data_destroy(back);
    cardan_data_destroy(s.data);
    cardan_model_destroy(flat);
    cardan_model_destroy(s.model);
    cardan_description_destroy(s.description);
}

int main(void)
{
    static const char* const formulation[] = {"order-n", "cholesky", "reduction", "lagrange", "auto"};
    for (size_t f = 0; f < sizeof formulation / sizeof *formulation; ++f)
        for (int kind = 0; kind < 4; ++kind) RUN(test_frames(formulation[f], kind & 1, kind & 2));
    for (int kind = 0; kind < 4; ++kind) RUN(test_exchange(kind & 1, kind & 2));
    return test_end();
}
