// SPDX-License-Identifier: BSD-3-Clause
// Inverse dynamics with loops: efforts u of motors, along the columns of B, that produce accelerations a.
//
//   f = M a + c - Q            forces required in addition to those of the model
//   B u = f + J'lambda         constraint forces balance the remainder
//
// P, the response of the constrained mechanism to forces (degrees_of_freedom.c), has the reactions J'lambda as its
// null space, so that lambda is eliminated: P (B u - f) = 0, and with G = B'P B, g = B'P f
//
//   G u = g,  minimum-norm u.       Residual: P (B u - f), accelerations that no motor can produce
//
// G is the mobility of the motors: column i is the acceleration of all motors under one unit of motor i. Its rank is
// the number of degrees of freedom that the motors control. It is determined after scaling G to a unit diagonal,
// y = u / D:
//
//   D G D y = D g,   D = diag(G)^-1/2
//
// so that it depends neither on units nor on the masses at other motors. A motor whose mobility is round-off of its
// mobility without constraints, at a dead point, controls nothing. u = D y + N z has minimum norm if it is orthogonal
// to N, the null space of G.
#include "dynamics/reactions/actuator_efforts.h"

#include "constraint/joint_state.h"

#include "core/check_arguments.h"
#include "dynamics/dynamics_tolerances.h"
#include "dynamics/forces.h"
#include "dynamics/reactions/degrees_of_freedom.h"
#include "dynamics/rows/joint_coordinates.h"
#include "math/finite.h"
#include "math/lapack.h"

#include <cardan/kinematics.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

struct cardan_motors {
    cardan_data*  d;
    int           n;
    cardan_motor* motor; // (n)
    cd_arena      arena;
    double *      B, *f, *r, *response; // (n x nv), (nv) each
    double*       free_response;        // (nv) P f
    double *      G, *g, *work;         // (n x n), (n)
    double *      D, *y, *eigenvalue;   // (n) each
};

static void layout(cardan_motors* p)
{
    const size_t n = (size_t)p->n, nv = (size_t)p->d->m->nv;
    CD_ARENA_ARRAY(&p->arena, p->motor, n);
    CD_ARENA_ARRAY(&p->arena, p->B, n * nv);
    CD_ARENA_ARRAY(&p->arena, p->f, nv);
    CD_ARENA_ARRAY(&p->arena, p->r, nv);
    CD_ARENA_ARRAY(&p->arena, p->response, nv);
    CD_ARENA_ARRAY(&p->arena, p->G, n * n);
    CD_ARENA_ARRAY(&p->arena, p->g, n);
    CD_ARENA_ARRAY(&p->arena, p->free_response, nv);
    CD_ARENA_ARRAY(&p->arena, p->D, n);
    CD_ARENA_ARRAY(&p->arena, p->y, n);
    CD_ARENA_ARRAY(&p->arena, p->eigenvalue, n);
    CD_ARENA_ARRAY(&p->arena, p->work, cd_lapack_eigen_work(p->n));
}

static cardan_status check_motors(const cardan_data* d, int n, const cardan_motor* motor, cardan_report* report)
{
    if (cd_has_load_dependent_forces(d))
        return cardan_fail(report, CARDAN_UNSUPPORTED, CARDAN_CODE_NOT_SUPPORTED, cardan_location_none(),
                           "'%s' has losses that depend on the load: the efforts that produce a motion are not unique; "
                           "use drivers instead",
                           d->m->view.name);
    for (int i = 0; i < n; ++i) {
        const int j = motor[i].joint;
        if (j < 0 || j >= d->m->njoint)
            return cardan_fail(report, CARDAN_BAD_USAGE, CARDAN_CODE_INVALID_ARGUMENT, cardan_location_none(),
                               "motor %d: there is no joint number %d", i + 1, j);
        if (motor[i].axis < 0 || motor[i].axis >= d->m->joint_range[j].nv)
            return cardan_fail(report, CARDAN_BAD_USAGE, CARDAN_CODE_INVALID_ARGUMENT, cardan_location_none(),
                               "joint '%s' has no coordinate %ld for a motor", d->m->joint[j].name,
                               (long)motor[i].axis + 1);
        for (int k = 0; k < i; ++k)
            if (motor[k].joint == j && motor[k].axis == motor[i].axis)
                return cardan_fail(report, CARDAN_BAD_USAGE, CARDAN_CODE_INVALID_ARGUMENT, cardan_location_none(),
                                   "joint '%s' has two motors along coordinate %d", d->m->joint[j].name,
                                   motor[i].axis + 1);
    }
    return CARDAN_OK;
}

cardan_status cardan_motors_create(cardan_data* d, int n, const cardan_motor* motor, cardan_motors** motors,
                                   cardan_report* report)
{
    CD_REQUIRE_POINTER(motors, "motors", report);
    *motors = NULL;
    CD_REQUIRE_POINTER(d, "data", report);
    CD_REQUIRE_ARRAY(motor, n, "motor", report);
    if (n < 0 || n > d->m->nv_joint)
        return cardan_fail(report, CARDAN_BAD_USAGE, CARDAN_CODE_INVALID_ARGUMENT, cardan_location_none(),
                           "%d motors are too many: '%s' has %d joint coordinates", n, d->m->view.name, d->m->nv_joint);
    const cardan_status status = check_motors(d, n, motor, report);
    if (status != CARDAN_OK) return status;
    cardan_motors* p = cd_allocate(1, sizeof *p);
    if (p) {
        p->d = d;
        p->n = n;
        layout(p);
        if (cd_arena_reserve(&p->arena)) {
            layout(p);
            if (n > 0) memcpy(p->motor, motor, (size_t)n * sizeof *motor);
            *motors = p;
            return CARDAN_OK;
        }
    }
    cardan_motors_destroy(p);
    return cardan_fail(report, CARDAN_NO_MEMORY, CARDAN_CODE_OUT_OF_MEMORY, cardan_location_none(),
                       "out of memory for the motors of '%s'", d->m->view.name);
}

void cardan_motors_destroy(cardan_motors* p)
{
    if (!p) return;
    cd_arena_release(&p->arena);
    free(p);
}

// Add the efforts (nv) of a wrench F, at `point` in world axes, on a link, with this sign.
static void add_wrench_effort(const cardan_data* d, int link, vec3 point, spatial F, double sign, double* effort)
{
    const cardan_model* m = d->m;
    for (int v = link < 0 ? -1 : m->link[link].v + m->link[link].nv - 1; v >= 0; v = m->v_parent[v]) {
        const frame T = d->world.pose[m->v_link[v]];
        const vec3  s = m3_mul(T.R, d->k.S[v].a), u = m3_mul(T.R, d->k.S[v].l),
                   moment = v3_add(F.a, v3_cross(v3_sub(point, T.p), F.l));
        effort[v] += sign * (v3_dot(moment, s) + v3_dot(F.l, u));
    }
}

// Efforts (nv) of a unit effort along the coordinate of a motor.
static void motor_column(cardan_data* d, cardan_motor motor, double* b)
{
    const cardan_model*      m                                 = d->m;
    const cd_compiled_joint* joint                             = &m->joint[motor.joint];
    const cardan_index_range range                             = m->joint_range[motor.joint];
    double                   unit[CARDAN_JOINT_VELOCITIES_MAX] = {0};
    memset(b, 0, (size_t)m->nv * sizeof *b);
    if (range.v < m->nv) {
        b[range.v + motor.axis] = 1;
        return;
    }
    cd_update_off_tree_joints(d);
    unit[motor.axis]               = 1;
    const cd_end_state     end[2]  = {cd_end_state_of(&joint->frame_first, &d->world),
                                      cd_end_state_of(&joint->frame_second, &d->world)};
    const cd_joint_columns columns = cd_joint_columns_at(joint, end, d->q + range.q);
    const spatial          F       = cd_joint_wrench(&columns, unit);
    add_wrench_effort(d, joint->frame_second.link, end[1].T.p, F, 1, b);
    add_wrench_effort(d, joint->frame_first.link, end[1].T.p, F, -1, b);
}

static double dot(int n, const double* x, const double* y)
{
    double sum = 0;
    for (int i = 0; i < n; ++i) sum += x[i] * y[i];
    return sum;
}

// Effort of the model's actuators along a motor, which replaces them.
static double model_actuator_effort(const cardan_data* d, cardan_motor motor)
{
    double sum = 0;
    for (int i = 0; i < d->m->view.nforce; ++i) {
        const cardan_force* f = &d->m->view.force[i];
        if (strcmp(f->type, "actuator") == 0 && f->joint == motor.joint && f->axis == motor.axis)
            sum += fmin(fmax(d->forces.formula_value[3 * i], f->lower), f->upper);
    }
    return sum;
}

// b'diag(M)^-1 b, an estimate of b'M^-1 b; a lower bound if b has a single nonzero.
static double mobility_without_constraints(const cardan_model* m, const double* b)
{
    double sum = 0;
    for (int v = 0; v < m->nv; ++v)
        if (m->inertia_scale[v] > 0) sum += b[v] * b[v] / m->inertia_scale[v];
    return sum;
}

// Compute G, g and D; G is symmetric up to round-off.
static cardan_status assemble_mobility(cardan_motors* p, const double* a)
{
    const int     n = p->n, nv = p->d->m->nv;
    cardan_status status = CARDAN_OK;
    for (int i = 0; i < n; ++i) motor_column(p->d, p->motor[i], p->B + (size_t)i * (size_t)nv);
    for (int i = 0; i < n && status == CARDAN_OK; ++i) {
        status = cd_constrained_response(p->d, p->B + (size_t)i * (size_t)nv, p->response);
        for (int k = 0; k < n; ++k) p->G[k * n + i] = dot(nv, p->B + (size_t)k * (size_t)nv, p->response);
    }
    cardan_data_inverse_dynamics(p->d, a, p->f);
    for (int i = 0; i < n; ++i) {
        const double model_effort = model_actuator_effort(p->d, p->motor[i]);
        for (int v = 0; v < nv; ++v) p->f[v] += model_effort * p->B[(size_t)i * (size_t)nv + (size_t)v];
    }
    if (status == CARDAN_OK) status = cd_constrained_response(p->d, p->f, p->free_response);
    for (int k = 0; k < n; ++k) {
        const double* b = p->B + (size_t)k * (size_t)nv;
        const bool    has_mobility =
            p->G[k * n + k] > 0 && p->G[k * n + k] > cd_dead_point_mobility * mobility_without_constraints(p->d->m, b);
        p->g[k] = dot(nv, b, p->free_response);
        p->D[k] = has_mobility ? 1 / sqrt(p->G[k * n + k]) : 0;
    }
    return status;
}

// x'M x, the norm in which round-off is measured: round-off of large forces moves light bodies near heavy ones.
static double mass_norm_sq(cardan_motors* p, const double* x)
{
    cd_mass_matrix_times(p->d, x, p->r);
    return dot(p->d->m->nv, x, p->r);
}

// Largest entry of P (B u - f); zero if it is round-off, or negligible against a and P f.
static cardan_status find_residual(cardan_motors* p, const double* a, const double* effort, double* residual)
{
    const int nv = p->d->m->nv;
    for (int v = 0; v < nv; ++v) {
        p->r[v] = -p->f[v];
        for (int i = 0; i < p->n; ++i) p->r[v] += p->B[(size_t)i * (size_t)nv + (size_t)v] * effort[i];
    }
    const cardan_status status        = cd_constrained_response(p->d, p->r, p->response);
    *residual                         = 0;
    const double unconstrained_energy = mobility_without_constraints(p->d->m, p->f); // f without constraints
    if (status != CARDAN_OK ||
        mass_norm_sq(p, p->response) <=
            cd_motor_residual_roundoff_sq * fmax(mass_norm_sq(p, p->free_response), unconstrained_energy))
        return status;
    for (int v = 0; v < nv; ++v)
        if (!(fabs(p->response[v]) <= cd_motor_residual_tolerance * (fabs(a[v]) + fabs(p->free_response[v]))))
            *residual = fmax(*residual, fabs(p->response[v]));
    return status;
}

// Minimum-norm u with G u = g, into effort. Returns the rank, or -1 if a value is not finite. Row i of G becomes the
// i-th eigenvector of D G D in ascending order; motors without mobility have a one there and no effort.
static int solve_efforts(cardan_motors* p, double* effort)
{
    const int n    = p->n;
    int       rank = n, nwithout_mobility = 0;
    for (int i = 0; i < n; ++i) {
        p->y[i] = 0;
        if (!(p->D[i] > 0)) ++nwithout_mobility;
        for (int k = 0; k <= i; ++k)
            p->G[i * n + k] = p->G[k * n + i] = 0.5 * (p->G[i * n + k] + p->G[k * n + i]) * p->D[i] * p->D[k];
    }
    for (int i = 0; i < n; ++i)
        if (!(p->D[i] > 0)) p->G[i * n + i] = 1;
    if (!cd_lapack_symmetric_eigen(n, p->G, p->eigenvalue, p->work)) return -1;
    while (rank > 0 && !(p->eigenvalue[n - rank] > cd_motor_rank_tolerance * p->eigenvalue[n - 1])) --rank;
    for (int k = n - rank; k < n; ++k) {
        double part = 0;
        for (int i = 0; i < n; ++i) part += p->G[k * n + i] * p->D[i] * p->g[i];
        for (int i = 0; i < n; ++i) p->y[i] += part / p->eigenvalue[k] * p->G[k * n + i];
    }
    for (int i = 0; i < n; ++i) effort[i] = p->D[i] * p->y[i];
    for (int k = 0; k < n - rank; ++k) { // N = D Z, orthonormalized by Gram-Schmidt, twice
        double* z = p->G + k * n;
        for (int i = 0; i < n; ++i)
            z[i] = fabs(z[i]) > cd_motor_null_vector_roundoff ? z[i] * p->D[i] : 0; // less is round-off
        for (int l = 0; l < 2 * k; ++l) {
            const double* b   = p->G + l % k * n;
            const double  sum = dot(n, b, z);
            for (int i = 0; i < n; ++i) z[i] -= sum * b[i];
        }
        const double size = sqrt(dot(n, z, z));
        for (int i = 0; i < n; ++i) z[i] = size > 0 ? z[i] / size : 0;
        const double sum = dot(n, z, effort);
        for (int i = 0; i < n; ++i) effort[i] -= sum * z[i];
    }
    return rank - nwithout_mobility;
}

// Cholesky factorization of G in the order of the motors: dependent motors have no pivot.
cardan_status cd_find_independent_motors(cardan_motors* p, bool* chosen)
{
    const int n = p->n;
    memset(p->r, 0, (size_t)p->d->m->nv * sizeof *p->r);
    const cardan_status status = assemble_mobility(p, p->r);
    for (int i = 0; i < n && status == CARDAN_OK; ++i) {
        double pivot = p->G[i * n + i];
        for (int k = 0; k < i; ++k) {
            double sum = p->G[i * n + k];
            for (int l = 0; l < k; ++l) sum -= p->G[i * n + l] * p->G[k * n + l];
            p->G[i * n + k] = chosen[k] ? sum / p->G[k * n + k] : 0;
            pivot -= p->G[i * n + k] * p->G[i * n + k];
        }
        chosen[i]       = p->D[i] > 0 && pivot > cd_motor_independence_pivot * p->G[i * n + i];
        p->G[i * n + i] = sqrt(fmax(pivot, 0));
    }
    return status;
}

cardan_status cardan_motors_efforts(cardan_motors* p, const double* a, double* effort, int* redundant, double* residual,
                                    cardan_report* report)
{
    CD_REQUIRE_POINTER(p, "motors", report);
    CD_REQUIRE_ARRAY(a, p->d->m->nv, "a", report);
    CD_REQUIRE_ARRAY(effort, p->n, "effort", report);
    if (!cd_all_finite(p->d->m->nv, a)) return cd_fail_not_finite(report, __func__, "a");
    cardan_data*  d      = p->d;
    cardan_status status = assemble_mobility(p, a);
    int           rank   = 0;
    if (status == CARDAN_OK && p->n > 0) {
        rank = solve_efforts(p, effort);
        if (rank < 0) status = CARDAN_NOT_FINITE;
    }
    if (status == CARDAN_OK && residual) status = find_residual(p, a, effort, residual);
    if (redundant) *redundant = p->n - rank;
    if (status == CARDAN_OK) return status;
    return cardan_fail(report, status, CARDAN_CODE_SOLVE_NOT_CONVERGED, cardan_location_none(),
                       "at t = %.9g s the efforts of '%s' cannot be computed: %s", d->t, d->m->view.name,
                       cardan_status_text(status));
}

cardan_status cardan_motors_apply(cardan_motors* p, const double* effort)
{
    CD_REQUIRE_POINTER(p, "motors", NULL);
    CD_REQUIRE_ARRAY(effort, p->n, "effort", NULL);
    if (!cd_all_finite(p->n, effort)) return CARDAN_BAD_USAGE;
    cardan_data* d = p->d;
    cardan_data_set_external_forces(d, NULL, NULL);
    cd_update_forces(d);
    for (int i = 0; i < p->n; ++i)
        d->external.effort[d->m->joint_range[p->motor[i].joint].v + p->motor[i].axis] =
            effort[i] - model_actuator_effort(d, p->motor[i]);
    d->external.has_forces = true;
    d->valid.forces        = false;
    return CARDAN_OK;
}
