// SPDX-License-Identifier: BSD-3-Clause
// Velocities of spherical and free joints whose frames are rotated on both bodies, with rotated bodies. The angular
// velocity v is that of the joint frame on the second body relative to that on the first, in the axes of the joint
// frame on the second body. The test differentiates the orientations of markers by time and compares v with the result:
// in tree coordinates, in maximal coordinates, and with joints that the tree passes from their second body to their
// first.
#include "math/quaternion.h"
#include "test.h"

#include <cardan/cardan.h>
#include <stdlib.h>

enum { JOINTS = 2, SAMPLES = 3 };
static const double h = 1e-3; // [s] output interval

// Unit quaternion of a rotation vector.
static void rotation(double x, double y, double z, double q[4]) { q4_exp((double[3]){x, y, z}, q); }

typedef struct test_case {
    cardan_description* description;
    cardan_model*       model;
    cardan_data*        data;
    int                 nsample, marker[JOINTS][2]; // markers of the joint frames on the first and the second body
    cardan_pose         relative[SAMPLES][JOINTS];  // second frame in the first
    double              v[SAMPLES][JOINTS][6], q[SAMPLES][JOINTS][7];
    double              body[JOINTS][3]; // angular velocity at sample 1 in the axes of the second body
} test_case;

static const double start_v[2][JOINTS][6] = {{{0.9, -0.4, 1.3}, {-0.7, 1.1, 0.5}},
                                             {{0.3, -0.2, 0.1, 0.9, -0.4, 1.3}, {0.2, 0.5, -0.3, -0.7, 1.1, 0.5}}};

static int add_frame(test_case* s, const char* name, int body, const cardan_pose* pose)
{
    const cardan_marker marker = {.name = name, .body = body, .pose = *pose};
    return cardan_description_add_marker(s->description, &marker);
}

// Ground - one - other. Bodies with isotropic inertia and mass centres at the joints: without gravity every body has a
// constant angular velocity.
static void describe(test_case* s, bool is_free, bool reversed)
{
    int before     = CARDAN_GROUND;
    s->description = cardan_description_create("rotated frames");
    cardan_description_set_gravity(s->description, (double[3]){0, 0, 0});
    for (int i = 0; i < JOINTS; ++i) {
        static const char* const name[JOINTS]   = {"one", "other"};
        static const char* const end[JOINTS][2] = {{"one first", "one second"}, {"other first", "other second"}};
        cardan_body              b              = cardan_body_default(name[i]);
        b.mass                                  = 1 + i;
        b.inertia[0] = b.inertia[1] = b.inertia[2] = 0.3 + 0.1 * i;
        rotation(0.4 + i, -0.8, 0.3, b.pose.q);
        const int    body = cardan_description_add_body(s->description, &b);
        cardan_joint j    = cardan_joint_default(i == 0 ? "shoulder" : "elbow", is_free ? "free" : "spherical",
                                              reversed ? body : before, reversed ? before : body);
        rotation(0.7, 0.5 - i, 1.1, j.frame_first.q);
        rotation(-0.6, 1.2, 0.8 + i, j.frame_second.q);
        j.start_q_given = j.start_v_given = true;
        rotation(0.2, 0.3 + i, -0.5, j.start_q + (is_free ? 3 : 0));
        memcpy(j.start_v, start_v[is_free][i], sizeof j.start_v);
        cardan_description_add_joint(s->description, &j);
        s->marker[i][0] = add_frame(s, end[i][0], j.first_body, &j.frame_first);
        s->marker[i][1] = add_frame(s, end[i][1], j.second_body, &j.frame_second);
        before          = body;
    }
}

static bool record_sample(void* user, cardan_data* data, const cardan_sample* sample)
{
    test_case* s = user;
    (void)sample;
    for (int i = 0; i < JOINTS && s->nsample < SAMPLES; ++i) {
        cardan_motion m[2];
        for (int k = 0; k < 2; ++k) CHECK(cardan_data_marker_motion(data, s->marker[i][k], NULL, &m[k]) == CARDAN_OK);
        cardan_pose first = {.p = {m[0].p[0], m[0].p[1], m[0].p[2]}}, second = {.p = {m[1].p[0], m[1].p[1], m[1].p[2]}};
        memcpy(first.q, m[0].q, sizeof first.q);
        memcpy(second.q, m[1].q, sizeof second.q);
        s->relative[s->nsample][i] = pose_mul(pose_inverse(first), second);
        CHECK(cardan_data_joint_state(data, i, s->q[s->nsample][i], s->v[s->nsample][i]) == CARDAN_OK);
    }
    ++s->nsample;
    return true;
}

// Angular velocity in the axes of the frame, from its orientations before and after.
static void differentiate(const double before[4], const double after[4], double w[3])
{
    double inverse[4], relative_rotation[4];
    q4_conjugate(before, inverse);
    q4_mul(inverse, after, relative_rotation);
    q4_log(relative_rotation, w);
    for (int k = 0; k < 3; ++k) w[k] /= 2 * h;
}

static void check_joint(const test_case* s, int i, bool is_free)
{
    const int at = is_free ? 3 : 0;
    double    w[3], frame_rotation[4], in_body[3], difference = 0;
    differentiate(s->relative[0][i].q, s->relative[2][i].q, w);
    for (int k = 0; k < 3; ++k) CHECK_NEAR(s->v[1][i][at + k], w[k], 1e-5);
    for (int k = 0; is_free && k < 3; ++k)
        CHECK_NEAR(s->v[1][i][k], (s->relative[2][i].p[k] - s->relative[0][i].p[k]) / (2 * h), 1e-5);
    for (int k = 0; k < at + 3; ++k) CHECK_NEAR(s->v[0][i][k], start_v[is_free][i][k], 1e-12);
    // the coordinates are the pose of the second frame in the first, except for the sign of the quaternion
    double cosine = 0;
    for (int k = 0; k < 4; ++k) cosine += s->q[1][i][at + k] * s->relative[1][i].q[k];
    CHECK_NEAR(fabs(cosine), 1, 1e-12);
    // in the axes of the second body, the components are different
    const cardan_joint* j = &cardan_description_get_view(s->description).joint[i];
    memcpy(frame_rotation, j->frame_second.q, sizeof frame_rotation);
    q4_rotate(frame_rotation, w, in_body);
    for (int k = 0; k < 3; ++k) difference = fmax(difference, fabs(in_body[k] - w[k]));
    CHECK(difference > 0.1);
}

static void test_frames(const char* formulation, bool is_free, bool reversed)
{
    test_case     s      = {0};
    cardan_report report = {0};
    const int     f      = cardan_formulation_find(formulation);
    describe(&s, is_free, reversed);
    CHECK(cardan_model_compile(s.description, cardan_formulation_tree_policy(f), &s.model, &report) == CARDAN_OK);
    CHECK(cardan_data_create(s.model, f, &s.data, &report) == CARDAN_OK);
    cardan_run_settings run = cardan_run_default();
    cardan_run_summary  summary;
    run.end             = 2 * h;
    run.output_interval = h;
    run.tolerance       = 1e-12;
    run.sample_callback = record_sample;
    run.user            = &s;
    CHECK(cardan_simulate(s.data, &run, &summary, &report) == CARDAN_OK);
    CHECK(s.nsample == SAMPLES);
    for (int i = 0; i < report.count; ++i) printf("%s\n", report.message[i].text);
    for (int i = 0; i < JOINTS && s.nsample == SAMPLES; ++i) check_joint(&s, i, is_free);
    cardan_data_destroy(s.data);
    cardan_model_destroy(s.model);
    cardan_description_destroy(s.description);
}

// Copying a state from tree to maximal coordinates and back preserves joint velocities.
static void test_exchange(bool is_free, bool reversed)
{
    test_case     s             = {0};
    cardan_report report        = {0};
    cardan_model* maximal_model = NULL;
    cardan_data * maximal_data = NULL, *returned_data = NULL;
    const int     tree = cardan_formulation_find("order-n"), maximal = cardan_formulation_find("lagrange");
    describe(&s, is_free, reversed);
    CHECK(cardan_model_compile(s.description, cardan_formulation_tree_policy(tree), &s.model, &report) == CARDAN_OK);
    CHECK(cardan_model_compile(s.description, cardan_formulation_tree_policy(maximal), &maximal_model, &report) ==
          CARDAN_OK);
    CHECK(cardan_data_create(s.model, tree, &s.data, &report) == CARDAN_OK);
    CHECK(cardan_data_create(s.model, tree, &returned_data, &report) == CARDAN_OK);
    CHECK(cardan_data_create(maximal_model, maximal, &maximal_data, &report) == CARDAN_OK);
    const cardan_model_view m = cardan_model_get_view(s.model);
    double                  v[12], q[14];
    for (int i = 0; i < m.nv; ++i) v[i] = sin(1.0 + 2 * i);
    memcpy(q, m.q_start, (size_t)m.nq * sizeof *q);
    CHECK(cardan_data_set_state(s.data, 0, q, v, NULL) == CARDAN_OK);
    CHECK(cardan_data_copy_state(s.data, maximal_data) == CARDAN_OK &&
          cardan_data_copy_state(maximal_data, returned_data) == CARDAN_OK);
    for (int j = 0; j < JOINTS; ++j) {
        double qj[3][7], vj[3][6];
        cardan_data_joint_state(s.data, j, qj[0], vj[0]);
        cardan_data_joint_state(maximal_data, j, qj[1], vj[1]);
        cardan_data_joint_state(returned_data, j, qj[2], vj[2]);
        for (int k = 0; k < m.tree_range[j].nv; ++k) {
            CHECK_NEAR(vj[1][k], vj[0][k], 1e-12);
            CHECK_NEAR(vj[2][k], vj[0][k], 1e-12);
        }
    }
    cardan_data_destroy(maximal_data);
    cardan_data_destroy(returned_data);
    cardan_data_destroy(s.data);
    cardan_model_destroy(maximal_model);
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
