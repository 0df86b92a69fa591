// SPDX-License-Identifier: BSD-3-Clause
// Damped least squares in the metric of the mass matrix. A unit force e_k at one of n points causes accelerations
//   A_k = a(e_k) - a(0) = M_c^-1 J_p' e_k
// that satisfy the constraints (M_c^-1: inverse on the tangent space). With the mobility W = J_p A (3n x 3n) the step
//   dq = A (W + D)^-1 e
// moves the points by the errors e with the least kinetic energy; the diagonal D > 0 bounds dq where W is singular
// (Wampler 1986, Nakamura and Hanafusa 1986), and is smaller for points that stay. Projection onto the constraints follows
// each step. A step that passes a limit of a joint, or that the projection refuses, is halved.
#include "view/mechanism/pose.h"

#include "core/memory.h"
#include "draw/scene.h"
#include "math/dense_cholesky.h"

#include <cardan/assemble.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { ITERATIONS = 6, HALVINGS = 6, ROWS_MAX = 3 * CARDAN_GRABS_MAX };
static const double damping        = 1e-3; // D of the first point, relative to the trace of W
static const double damping_fixed  = 1e-6; // of the others
static const double immobile       = 1e-9; // mobility, times the mass of all bodies, below which a point does not move
static const double turn_max       = 0.5;  // [rad, length of the scene] largest change of a coordinate in a step
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

cardan_status cd_pose_respond(cd_live_model* m, double* a, cardan_report* report)
{
    const cardan_status status = cardan_data_set_external_forces(m->data, NULL, (const double(*)[6])m->wrench);
    return status == CARDAN_OK ? cardan_data_accelerate(m->data, a, NULL, report) : status;
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
    double *a0, *A[ROWS_MAX], *dq, *trial, *before;
} workspace;

// `nrow` accelerations.
static bool workspace_open(const cd_live_model* m, int nrow, workspace* w, double** memory)
{
    const size_t nv = (size_t)m->model_view.nv + 1, nq = (size_t)m->model_view.nq + 1;
    double*      p = *memory =
        cd_allocate(((size_t)nrow + 2) * nv + nq + (size_t)m->model_view.nq_joint + 1, sizeof(double));
    if (!p) return false;
    w->a0 = p;
    for (int i = 0; i < nrow; ++i) w->A[i] = p += nv;
    w->dq     = p += nv;
    w->trial  = p += nv;
    w->before = p + nq;
    return true;
}

// Points of the targets at the state, and their errors.
typedef struct point_state {
    double arm[CARDAN_GRABS_MAX][3], error[ROWS_MAX];
} point_state;

static double measure(cd_live_model* m, int n, const cd_pose_target* target, point_state* s)
{
    double p[3];
    cardan_data_body_motions(m->data, NULL, m->motion);
    for (int k = 0; k < n; ++k) {
        body_point(m, target[k].body, target[k].point, p, s->arm[k]);
        for (int i = 0; i < 3; ++i) s->error[3 * k + i] = target[k].target[i] - p[i];
    }
    const double* e = s->error;
    return sqrt(e[0] * e[0] + e[1] * e[1] + e[2] * e[2]);
}

// Accelerations and mobility of the points. `base` (3n): accelerations without forces on them.
static cardan_status mobility(cd_live_model* m, int n, const cd_pose_target* target, const point_state* s, workspace* w,
                              double* W, cardan_report* report)
{
    double        base[ROWS_MAX], moved[3];
    cardan_status status = cd_pose_respond(m, w->a0, report);
    for (int k = 0; k < n; ++k) point_acceleration(m, target[k].body, s->arm[k], w->a0, base + 3 * k);
    for (int c = 0; c < 3 * n && status == CARDAN_OK; ++c) {
        const double unit[3] = {c % 3 == 0, c % 3 == 1, c % 3 == 2};
        double*      wrench  = m->wrench[target[c / 3].body];
        cross(s->arm[c / 3], unit, wrench);
        memcpy(wrench + 3, unit, sizeof unit);
        status = cd_pose_respond(m, w->A[c], report);
        memset(wrench, 0, sizeof *m->wrench);
        for (int k = 0; k < n; ++k) {
            point_acceleration(m, target[k].body, s->arm[k], w->A[c], moved);
            for (int i = 0; i < 3; ++i) W[(3 * k + i) * 3 * n + c] = moved[i] - base[3 * k + i];
        }
        for (int i = 0; i < m->model_view.nv; ++i) w->A[c][i] -= w->a0[i];
    }
    cardan_data_set_external_forces(m->data, NULL, NULL);
    return status;
}

static double total_mass(const cd_live_model* m)
{
    double mass = 0;
    for (int i = 0; i < m->view.nbody; ++i) mass += m->view.body[i].mass;
    return mass > 0 ? mass : 1;
}

// Scale a step in which a coordinate changes too much.
static void bound_step(const cd_live_model* m, double* dq)
{
    double largest = 0;
    for (int i = 0; i < m->model_view.nv; ++i) largest = fmax(largest, fabs(dq[i]));
    const double most = turn_max * fmax(1, m->length);
    for (int i = 0; i < m->model_view.nv && largest > most; ++i) dq[i] *= most / largest;
}

static cardan_status points_step(cd_live_model* m, int n, const cd_pose_target* target, point_state* s, workspace* w,
                                 cardan_report* report)
{
    double              W[ROWS_MAX * ROWS_MAX], trace = 0;
    const cardan_status status = mobility(m, n, target, s, w, W, report);
    const int           rows   = 3 * n;
    if (status != CARDAN_OK) return status;
    for (int i = 0; i < rows; ++i) {
        trace += W[i * rows + i];
        for (int k = 0; k < i; ++k)
            W[i * rows + k] = (W[i * rows + k] + W[k * rows + i]) / 2; // symmetric but for rounding
    }
    for (int i = 0; i < rows; ++i)
        W[i * rows + i] += (i < 3 ? damping : damping_fixed) * trace + immobile / total_mass(m);
    if (dense_cholesky(rows, W, 0, NULL) < rows) return CARDAN_SINGULAR;
    dense_cholesky_solve(rows, W, s->error);
    for (int i = 0; i < m->model_view.nv; ++i) {
        w->dq[i] = 0;
        for (int c = 0; c < rows; ++c) w->dq[i] += w->A[c][i] * s->error[c];
    }
    bound_step(m, w->dq);
    return CARDAN_OK;
}

// One step of the first point by at most `step_max` lengths of the scene. *goes_on: the error has decreased.
static cardan_status approach(cd_live_model* m, int n, const cd_pose_target* target, workspace* w,
                              cd_pose_result* result, bool* goes_on, cardan_report* report)
{
    point_state  s;
    const double error = measure(m, n, target, &s);
    cardan_data_joint_motions(m->data, NULL, w->before, NULL, NULL);
    *goes_on      = error >= 1e-9 * m->length && error <= result->error * 0.999;
    result->error = fmin(error, result->error);
    if (!*goes_on) return CARDAN_OK;
    const double scale = fmin(1, step_max * m->length / error);
    for (int i = 0; i < 3; ++i) s.error[i] *= scale;
    const cardan_status status = points_step(m, n, target, &s, w, report);
    if (status == CARDAN_OK) *goes_on = move(m, w->dq, w->trial, w->before, result);
    return status;
}

cardan_status cd_pose_points(cd_live_model* m, int n, const cd_pose_target* target, cd_pose_result* result,
                             cardan_report* report)
{
    workspace w;
    double*   memory;
    bool      goes_on = true;
    *result           = (cd_pose_result){INFINITY, CARDAN_NONE};
    if (!workspace_open(m, 3 * n, &w, &memory)) return CARDAN_NO_MEMORY;
    memset(m->wrench, 0, (size_t)m->view.nbody * sizeof *m->wrench);
    cardan_status status = set_at_rest(m, m->q);
    for (int iteration = 0; iteration < ITERATIONS && goes_on && status == CARDAN_OK; ++iteration)
        status = approach(m, n, target, &w, result, &goes_on, report);
    free(memory);
    return status;
}

void cd_pose_add_effort(cd_live_model* m, int joint, double effort)
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
        const double sign = side ? effort : -effort;
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
    if (!workspace_open(m, 1, &w, &memory)) return CARDAN_NO_MEMORY;
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
        status = cd_pose_respond(m, w.a0, report);
        if (status == CARDAN_OK) cardan_data_joint_acceleration(m->data, joint, w.a0, &base);
        cd_pose_add_effort(m, joint, 1);
        if (status == CARDAN_OK) status = cd_pose_respond(m, w.A[0], report);
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
