// SPDX-License-Identifier: BSD-3-Clause
// Damped least squares in the metric of the mass matrix. A unit force e_k at the point causes accelerations
//   A_k = a(e_k) - a(0) = M_c^-1 J_p' e_k
// that satisfy the constraints (M_c^-1: inverse on the tangent space). With the mobility W = J_p A (3 x 3) the step
//   dq = A (W + mu I)^-1 e
// moves the point by the error e with the least kinetic energy; mu > 0 bounds dq where W is singular (Wampler 1986,
// Nakamura and Hanafusa 1986). Projection onto the constraints follows each step. A step that passes a limit of a
// joint, or that the projection refuses, is halved.
#include "view/live/pose.h"

#include "core/memory.h"
#include "draw/scene.h"

#include <cardan/assemble.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { ITERATIONS = 6, HALVINGS = 6 };
static const double damping        = 1e-3; // mu, relative to the trace of W
static const double step_max       = 0.15; // [length of the scene, rad] longest motion of the target per iteration
static const double limit_accuracy = 1e-9; // [rad, m] by which a limit may be exceeded

static cardan_status set_at_rest(cd_live_model* m, const double* q)
{
    memset(m->v, 0, (size_t)m->model_view.nv * sizeof *m->v);
    return cardan_data_set_state(m->data, m->t, q, m->v, m->state);
}

static void body_point(cd_live_model* m, int body, const double point[3], double p[3], double arm[3])
{
    const cardan_motion* b = &m->motion[body];
    double               r[3], c[3];
    for (int i = 0; i < 3; ++i) r[i] = point[i] - m->view.body[body].centre[i];
    const double *u = b->q + 1, s = b->q[0];
    for (int i = 0; i < 3; ++i) c[i] = 2 * (u[(i + 1) % 3] * r[(i + 2) % 3] - u[(i + 2) % 3] * r[(i + 1) % 3]);
    for (int i = 0; i < 3; ++i) {
        arm[i] = r[i] + s * c[i] + u[(i + 1) % 3] * c[(i + 2) % 3] - u[(i + 2) % 3] * c[(i + 1) % 3];
        p[i]   = b->p[i] + arm[i];
    }
}

static void cross(const double a[3], const double b[3], double c[3])
{
    for (int i = 0; i < 3; ++i) c[i] = a[(i + 1) % 3] * b[(i + 2) % 3] - a[(i + 2) % 3] * b[(i + 1) % 3];
}

// First joint of one coordinate beyond a limit, or CARDAN_NONE.
static int beyond_limit(cd_live_model* m, const double* before)
{
    cardan_data_joint_motions(m->data, NULL, m->joint_q, NULL, NULL);
    for (int j = 0; j < m->view.njoint; ++j) {
        const cardan_joint*      joint = &m->view.joint[j];
        const cardan_index_range r     = m->model_view.joint_range[j];
        for (int k = 0; r.q >= 0 && r.nq == r.nv && k < r.nq && k < joint->naxis; ++k) {
            const double q = m->joint_q[r.q + k], old = before[r.q + k];
            if (q > fmax(joint->axis[k].upper, old) + limit_accuracy) return j;
            if (q < fmin(joint->axis[k].lower, old) - limit_accuracy) return j;
        }
    }
    return CARDAN_NONE;
}

// Move along dq, halved until constraints and limits are satisfied. `trial` (nq), `before` (nq_joint). Returns whether
// the mechanism moved.
static bool move(cd_live_model* m, double* dq, double* trial, const double* before, cd_pose_result* result)
{
    const int nv = m->model_view.nv;
    for (int halving = 0; halving < HALVINGS; ++halving) {
        cardan_status status = cardan_model_integrate_position(m->model, m->q, dq, trial);
        if (status == CARDAN_OK) status = set_at_rest(m, trial);
        if (status == CARDAN_OK && m->model_view.nconstraint > 0)
            status = cardan_data_project(m->data, NULL, trial, NULL, NULL, NULL);
        if (status == CARDAN_OK) {
            const int joint = beyond_limit(m, before);
            if (joint == CARDAN_NONE) {
                memcpy(m->q, trial, (size_t)m->model_view.nq * sizeof *m->q);
                return true;
            }
            result->limit_joint = joint;
        }
        for (int i = 0; i < nv; ++i) dq[i] /= 2;
    }
    set_at_rest(m, m->q);
    return false;
}

// Accelerations due to one wrench on one or two bodies: `a` (nv) minus those without it, `a0`.
static cardan_status respond(cd_live_model* m, const double* a0, double* a, cardan_report* report)
{
    cardan_status status = cardan_data_set_external_forces(m->data, NULL, (const double(*)[6])m->wrench);
    if (status == CARDAN_OK) status = cardan_data_accelerate(m->data, a, NULL, report);
    for (int i = 0; a0 && i < m->model_view.nv; ++i) a[i] -= a0[i];
    return status;
}

static void solve3(double W[3][3], const double e[3], double x[3])
{
    double c[3][3];
    for (int i = 0; i < 3; ++i) cross(W[(i + 1) % 3], W[(i + 2) % 3], c[i]); // rows of the cofactor matrix
    const double det = W[0][0] * c[0][0] + W[0][1] * c[0][1] + W[0][2] * c[0][2];
    for (int i = 0; i < 3; ++i) x[i] = det != 0 ? (c[0][i] * e[0] + c[1][i] * e[1] + c[2][i] * e[2]) / det : 0;
}

// Accelerations of a point at rest due to accelerations `a` of the model, minus those without.
static void point_acceleration(cd_live_model* m, int body, const double arm[3], const double* a, double out[3])
{
    double alpha[3];
    cardan_data_body_motions(m->data, a, m->motion);
    cross(m->motion[body].alpha, arm, alpha);
    for (int i = 0; i < 3; ++i) out[i] = m->motion[body].a[i] + alpha[i];
}

typedef struct workspace {
    double *a0, *A[3], *dq, *trial, *before;
} workspace;

static bool workspace_open(const cd_live_model* m, workspace* w, double** memory)
{
    const size_t nv = (size_t)m->model_view.nv + 1, nq = (size_t)m->model_view.nq + 1;
    double*      p = *memory = cd_allocate(5 * nv + nq + (size_t)m->model_view.nq_joint + 1, sizeof(double));
    if (!p) return false;
    *w = (workspace){p, {p + nv, p + 2 * nv, p + 3 * nv}, p + 4 * nv, p + 5 * nv, p + 5 * nv + nq};
    return true;
}

static cardan_status point_step(cd_live_model* m, int body, const double arm[3], const double e[3], workspace* w,
                                cardan_report* report)
{
    double        W[3][3], base[3], x[3];
    cardan_status status = respond(m, NULL, w->a0, report);
    point_acceleration(m, body, arm, w->a0, base);
    for (int k = 0; k < 3 && status == CARDAN_OK; ++k) {
        double unit[3] = {k == 0, k == 1, k == 2}, column[3];
        cross(arm, unit, m->wrench[body]);
        memcpy(m->wrench[body] + 3, unit, sizeof unit);
        status = respond(m, NULL, w->A[k], report);
        memset(m->wrench[body], 0, sizeof m->wrench[body]);
        point_acceleration(m, body, arm, w->A[k], column);
        for (int i = 0; i < 3; ++i) W[i][k] = column[i] - base[i];
        for (int i = 0; i < m->model_view.nv; ++i) w->A[k][i] -= w->a0[i];
    }
    cardan_data_set_external_forces(m->data, NULL, NULL);
    if (status != CARDAN_OK) return status;
    const double mu = damping * (W[0][0] + W[1][1] + W[2][2]) + 1e-300;
    for (int i = 0; i < 3; ++i) W[i][i] += mu;
    solve3(W, e, x);
    for (int i = 0; i < m->model_view.nv; ++i) w->dq[i] = w->A[0][i] * x[0] + w->A[1][i] * x[1] + w->A[2][i] * x[2];
    return CARDAN_OK;
}

cardan_status cd_pose_point(cd_live_model* m, int body, const double point[3], const double target[3],
                            cd_pose_result* result, cardan_report* report)
{
    workspace w;
    double *  memory, p[3], arm[3], e[3];
    *result = (cd_pose_result){INFINITY, CARDAN_NONE};
    if (!workspace_open(m, &w, &memory)) return CARDAN_NO_MEMORY;
    memset(m->wrench, 0, (size_t)m->view.nbody * sizeof *m->wrench);
    cardan_status status = set_at_rest(m, m->q);
    for (int iteration = 0; iteration < ITERATIONS && status == CARDAN_OK; ++iteration) {
        cardan_data_body_motions(m->data, NULL, m->motion);
        cardan_data_joint_motions(m->data, NULL, w.before, NULL, NULL);
        body_point(m, body, point, p, arm);
        double error = 0;
        for (int i = 0; i < 3; ++i) e[i] = target[i] - p[i];
        error = sqrt(e[0] * e[0] + e[1] * e[1] + e[2] * e[2]);
        if (error < 1e-9 * m->length || error > result->error * 0.999) {
            result->error = fmin(error, result->error);
            break;
        }
        result->error      = error;
        const double scale = fmin(1, step_max * m->length / error);
        for (int i = 0; i < 3; ++i) e[i] *= scale;
        status = point_step(m, body, arm, e, &w, report);
        if (status == CARDAN_OK && !move(m, w.dq, w.trial, w.before, result)) break;
    }
    free(memory);
    return status;
}

// Unit effort along the coordinate of a joint of one coordinate, as wrenches on its two bodies.
static void unit_effort(cd_live_model* m, int joint)
{
    const cardan_joint* j           = &m->view.joint[joint];
    const bool          translation = strcmp(cardan_model_v_unit(m->model, joint, 0), "m/s") == 0;
    const int           first       = j->first_body;
    cardan_pose         world       = {.q = {1, 0, 0, 0}};
    const cardan_pose   frame       = pose_compose(first < 0 ? &world : &m->pose[first], &j->frame_first);
    const cd_xyz        z           = xyz_rotate(frame.q, (cd_xyz){0, 0, 1});
    const double        axis[3]     = {z.x, z.y, z.z};
    for (int side = 0; side < 2; ++side) {
        const int body = side ? j->second_body : first;
        if (body < 0) continue;
        const double sign = side ? 1 : -1;
        double       arm[3], moment[3];
        for (int i = 0; i < 3; ++i) arm[i] = frame.p[i] - m->motion[body].p[i];
        cross(arm, axis, moment);
        for (int i = 0; i < 3; ++i) {
            m->wrench[body][i] += sign * (translation ? moment[i] : axis[i]);
            m->wrench[body][3 + i] += translation ? sign * axis[i] : 0;
        }
    }
}

cardan_status cd_pose_coordinate(cd_live_model* m, int joint, double value, cd_pose_result* result,
                                 cardan_report* report)
{
    workspace w;
    double*   memory;
    *result = (cd_pose_result){INFINITY, CARDAN_NONE};
    if (!workspace_open(m, &w, &memory)) return CARDAN_NO_MEMORY;
    const bool    rotation = strcmp(cardan_model_q_unit(m->model, joint, 0), "rad") == 0;
    const double  longest  = step_max * (rotation ? 1 : m->length);
    cardan_status status   = set_at_rest(m, m->q);
    for (int iteration = 0; iteration < 4 * ITERATIONS && status == CARDAN_OK; ++iteration) {
        double q, rate, base;
        cardan_data_body_motions(m->data, NULL, m->motion);
        cardan_data_joint_motions(m->data, NULL, w.before, NULL, NULL);
        for (int i = 0; i < m->view.nbody; ++i) m->pose[i] = cd_body_frame_pose(&m->view.body[i], &m->motion[i]);
        cardan_data_joint_state(m->data, joint, &q, NULL);
        const double error = fabs(value - q);
        if (error < 1e-9 || error > result->error * 0.9999) {
            result->error = fmin(error, result->error);
            break;
        }
        result->error = error;
        memset(m->wrench, 0, (size_t)m->view.nbody * sizeof *m->wrench);
        status = respond(m, NULL, w.a0, report);
        if (status == CARDAN_OK) cardan_data_joint_acceleration(m->data, joint, w.a0, &base);
        unit_effort(m, joint);
        if (status == CARDAN_OK) status = respond(m, NULL, w.A[0], report);
        if (status == CARDAN_OK) cardan_data_joint_acceleration(m->data, joint, w.A[0], &rate);
        cardan_data_set_external_forces(m->data, NULL, NULL);
        if (status != CARDAN_OK || !(fabs(rate - base) > 1e-12)) break;
        const double step = fmax(-longest, fmin(longest, value - q)) / (rate - base);
        for (int i = 0; i < m->model_view.nv; ++i) w.dq[i] = (w.A[0][i] - w.a0[i]) * step;
        if (!move(m, w.dq, w.trial, w.before, result)) break;
    }
    free(memory);
    return status;
}
