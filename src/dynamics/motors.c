// SPDX-License-Identifier: BSD-3-Clause
// Inverse dynamics with loops: efforts u of motors, along the columns of B, that produce accelerations a.
//
//   f = M a + c - Q            what must act beside the model's own forces
//   B u = f + J'lambda         what motors do not supply, constraints must
//
// P, the response of the constrained mechanism to forces (freedom.c), has the reactions J'lambda as its null space, so
// that lambda drops out: P (B u - f) = 0, and with G = B'P B, g = B'P f
//
//   G u = g,  of several u the shortest.       Left: P (B u - f), accelerations that no motor can produce
//
// G is the mobility that motors feel: column i is the acceleration of all motors under one unit of motor i. Its rank is
// the number of degrees of freedom that they reach, and is looked for where G has a unit diagonal, y = u / D:
//
//   D G D y = D g,   D = diag(G)^-1/2
//
// so that neither units nor masses of other motors decide on one. A motor whose mobility is rounding of what it would
// be without constraints, at a dead point, reaches nothing. u = D y + N z is the shortest where N, the null space of G,
// has no part in it.
#include "constraint/measure.h"
#include "dynamics/data.h"

#include "core/arguments.h"
#include "math/finite.h"
#include "math/lapack.h"

#include <cardan/kinematics.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

static const double rank_tolerance = 1e-10; // of a unit diagonal
static const double dead_point     = 1e-14; // of the mobility without constraints: rounding
static const double not_new        = 1e-9;  // of a unit diagonal: what a motor adds to those before it
static const double produced       = 1e-6;  // of the acceleration without motors: no more than that is left of it
static const double lost           = 1e-20; // of the energy of them all: rounding

struct cardan_motors {
    cardan_data*  d;
    int           n;
    cardan_motor* motor; // (n)
    cd_arena      arena;
    double *      B, *f, *r, *response; // (n x nv), (nv) each
    double*       felt;                 // (nv) P f
    double *      G, *g, *work;         // (n x n), (n)
    double *      D, *y, *value;        // (n) each
};

static void layout(cardan_motors* p)
{
    const size_t n = (size_t)p->n, nv = (size_t)p->d->m->nv;
    CD_TAKE(&p->arena, p->motor, n);
    CD_TAKE(&p->arena, p->B, n * nv);
    CD_TAKE(&p->arena, p->f, nv);
    CD_TAKE(&p->arena, p->r, nv);
    CD_TAKE(&p->arena, p->response, nv);
    CD_TAKE(&p->arena, p->G, n * n);
    CD_TAKE(&p->arena, p->g, n);
    CD_TAKE(&p->arena, p->felt, nv);
    CD_TAKE(&p->arena, p->D, n);
    CD_TAKE(&p->arena, p->y, n);
    CD_TAKE(&p->arena, p->value, n);
    CD_TAKE(&p->arena, p->work, cd_lapack_eigen_work(p->n));
}

static cardan_status refuse(const cardan_data* d, int n, const cardan_motor* motor, cardan_report* report)
{
    if (d->closure.nlossy > 0)
        return cardan_fail(report, CARDAN_UNSUPPORTED, CARDAN_CODE_NOT_SUPPORTED, cardan_nowhere(),
                           "'%s' has losses that depend on the load: which efforts produce a motion is not unique "
                           "there; drive the motion instead",
                           d->m->view.name);
    for (int i = 0; i < n; ++i) {
        const int j = motor[i].joint;
        if (j < 0 || j >= d->m->njoint)
            return cardan_fail(report, CARDAN_BAD_USAGE, CARDAN_CODE_INVALID_ARGUMENT, cardan_nowhere(),
                               "motor %d: there is no joint number %d", i + 1, j);
        if (motor[i].axis < 0 || motor[i].axis >= d->m->place[j].nv)
            return cardan_fail(report, CARDAN_BAD_USAGE, CARDAN_CODE_INVALID_ARGUMENT, cardan_nowhere(),
                               "joint '%s' has no coordinate %ld for a motor", d->m->joint[j].name,
                               (long)motor[i].axis + 1);
        for (int k = 0; k < i; ++k)
            if (motor[k].joint == j && motor[k].axis == motor[i].axis)
                return cardan_fail(report, CARDAN_BAD_USAGE, CARDAN_CODE_INVALID_ARGUMENT, cardan_nowhere(),
                                   "joint '%s' has two motors along coordinate %d", d->m->joint[j].name,
                                   motor[i].axis + 1);
    }
    return CARDAN_OK;
}

cardan_status cardan_motors_create(cardan_data* d, int n, const cardan_motor* motor, cardan_motors** motors,
                                   cardan_report* report)
{
    CD_REFUSE_NULL(motors, "motors", report);
    *motors = NULL;
    CD_REFUSE_NULL(d, "data", report);
    CD_REFUSE_NO_ARRAY(motor, n, "motor", report);
    if (n < 0 || n > d->m->nv_all)
        return cardan_fail(report, CARDAN_BAD_USAGE, CARDAN_CODE_INVALID_ARGUMENT, cardan_nowhere(),
                           "%d motors cannot be placed: '%s' has %d joint coordinates", n, d->m->view.name,
                           d->m->nv_all);
    const cardan_status status = refuse(d, n, motor, report);
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
    return cardan_fail(report, CARDAN_NO_MEMORY, CARDAN_CODE_OUT_OF_MEMORY, cardan_nowhere(),
                       "no memory for the motors of '%s'", d->m->view.name);
}

void cardan_motors_destroy(cardan_motors* p)
{
    if (!p) return;
    cd_arena_release(&p->arena);
    free(p);
}

// Efforts (nv) of a wrench F, at the point `at` in world axes, on a link: added with this sign.
static void push(const cardan_data* d, int link, vec3 at, spatial F, double sign, double* effort)
{
    const cardan_model* m = d->m;
    for (int v = link < 0 ? -1 : m->link[link].v + m->link[link].nv - 1; v >= 0; v = m->v_parent[v]) {
        const frame T = d->world.pose[m->v_link[v]];
        const vec3  s = m3_mul(T.R, d->k.S[v].a), u = m3_mul(T.R, d->k.S[v].l),
                   moment = v3_add(F.a, v3_cross(v3_sub(at, T.p), F.l));
        effort[v] += sign * (v3_dot(moment, s) + v3_dot(F.l, u));
    }
}

// One unit of effort along the coordinate, as efforts (nv).
static void column_of(cardan_data* d, cardan_motor motor, double* b)
{
    const cardan_model*  m                      = d->m;
    const cd_joint_info* joint                  = &m->joint[motor.joint];
    const cardan_slot    place                  = m->place[motor.joint];
    double               unit[CARDAN_JOINT_MAX] = {0};
    memset(b, 0, (size_t)m->nv * sizeof *b);
    if (place.v < m->nv) {
        b[place.v + motor.axis] = 1;
        return;
    }
    cd_know_measured(d);
    unit[motor.axis]    = 1;
    const cd_end end[2] = {cd_end_of(&joint->frame_first, &d->world), cd_end_of(&joint->frame_second, &d->world)};
    const cd_joint_columns columns = cd_joint_columns_at(joint, end, d->q + place.q);
    const spatial          F       = cd_joint_wrench(&columns, unit);
    push(d, joint->frame_second.link, end[1].T.p, F, 1, b);
    push(d, joint->frame_first.link, end[1].T.p, F, -1, b);
}

static double dot(int n, const double* x, const double* y)
{
    double sum = 0;
    for (int i = 0; i < n; ++i) sum += x[i] * y[i];
    return sum;
}

// What the model's own actuators exert along motor i, whose place it takes.
static double own_effort(const cardan_data* d, cardan_motor motor)
{
    double sum = 0;
    for (int i = 0; i < d->m->view.nforce; ++i) {
        const cardan_force* f = &d->m->view.force[i];
        if (strcmp(f->type, "actuator") == 0 && f->joint == motor.joint && f->axis == motor.axis)
            sum += fmin(fmax(d->rates[3 * i], f->lower), f->upper);
    }
    return sum;
}

// b'diag(M)^-1 b, which is less than b'M^-1 b.
static double mobility_without_constraints(const cardan_model* m, const double* b)
{
    double sum = 0;
    for (int v = 0; v < m->nv; ++v)
        if (m->resistance[v] > 0) sum += b[v] * b[v] / m->resistance[v];
    return sum;
}

// G and g, D; symmetric up to rounding.
static cardan_status gather(cardan_motors* p, const double* a)
{
    const int     n = p->n, nv = p->d->m->nv;
    cardan_status status = CARDAN_OK;
    for (int i = 0; i < n; ++i) column_of(p->d, p->motor[i], p->B + (size_t)i * (size_t)nv);
    for (int i = 0; i < n && status == CARDAN_OK; ++i) {
        status = cd_respond(p->d, p->B + (size_t)i * (size_t)nv, p->response);
        for (int k = 0; k < n; ++k) p->G[k * n + i] = dot(nv, p->B + (size_t)k * (size_t)nv, p->response);
    }
    cardan_inverse(p->d, a, p->f);
    for (int i = 0; i < n; ++i) {
        const double own = own_effort(p->d, p->motor[i]);
        for (int v = 0; v < nv; ++v) p->f[v] += own * p->B[(size_t)i * (size_t)nv + (size_t)v];
    }
    if (status == CARDAN_OK) status = cd_respond(p->d, p->f, p->felt);
    for (int k = 0; k < n; ++k) {
        const double* b = p->B + (size_t)k * (size_t)nv;
        const bool    reaches =
            p->G[k * n + k] > 0 && p->G[k * n + k] > dead_point * mobility_without_constraints(p->d->m, b);
        p->g[k] = dot(nv, b, p->felt);
        p->D[k] = reaches ? 1 / sqrt(p->G[k * n + k]) : 0;
    }
    return status;
}

// x'M x, what rounding is measured in: light bodies beside heavy ones are moved by the rounding of large forces.
static double energy_of(cardan_motors* p, const double* x)
{
    cd_mass_times(p->d, x, p->r);
    return dot(p->d->m->nv, x, p->r);
}

// P (B u - f), the largest; zero where it is rounding, or nothing beside a and P f.
static cardan_status find_left(cardan_motors* p, const double* a, const double* effort, double* left)
{
    const int nv = p->d->m->nv;
    for (int v = 0; v < nv; ++v) {
        p->r[v] = -p->f[v];
        for (int i = 0; i < p->n; ++i) p->r[v] += p->B[(size_t)i * (size_t)nv + (size_t)v] * effort[i];
    }
    const cardan_status status = cd_respond(p->d, p->r, p->response);
    *left                      = 0;
    const double without       = mobility_without_constraints(p->d->m, p->f); // f answered by no constraint
    if (status != CARDAN_OK || energy_of(p, p->response) <= lost * fmax(energy_of(p, p->felt), without)) return status;
    for (int v = 0; v < nv; ++v)
        if (!(fabs(p->response[v]) <= produced * (fabs(a[v]) + fabs(p->felt[v]))))
            *left = fmax(*left, fabs(p->response[v]));
    return status;
}

// u of least norm with G u = g into `effort`; the rank, or -1 where something is not finite. Row i of G becomes the
// i-th eigenvector of D G D, from the lowest on; motors that reach nothing have a one there, and do nothing.
static int solve(cardan_motors* p, double* effort)
{
    const int n    = p->n;
    int       rank = n, idle = 0;
    for (int i = 0; i < n; ++i) {
        p->y[i] = 0;
        if (!(p->D[i] > 0)) ++idle;
        for (int k = 0; k <= i; ++k)
            p->G[i * n + k] = p->G[k * n + i] = 0.5 * (p->G[i * n + k] + p->G[k * n + i]) * p->D[i] * p->D[k];
    }
    for (int i = 0; i < n; ++i)
        if (!(p->D[i] > 0)) p->G[i * n + i] = 1;
    if (!cd_lapack_symmetric(n, p->G, p->value, p->work)) return -1;
    while (rank > 0 && !(p->value[n - rank] > rank_tolerance * p->value[n - 1])) --rank;
    for (int k = n - rank; k < n; ++k) {
        double part = 0;
        for (int i = 0; i < n; ++i) part += p->G[k * n + i] * p->D[i] * p->g[i];
        for (int i = 0; i < n; ++i) p->y[i] += part / p->value[k] * p->G[k * n + i];
    }
    for (int i = 0; i < n; ++i) effort[i] = p->D[i] * p->y[i];
    for (int k = 0; k < n - rank; ++k) { // N = D Z, orthonormal by Gram and Schmidt, twice
        double* z = p->G + k * n;
        for (int i = 0; i < n; ++i) z[i] = fabs(z[i]) > rank_tolerance ? z[i] * p->D[i] : 0; // less is rounding
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
    return rank - idle;
}

// Cholesky of G in the order of the motors: those that reach nothing new have no pivot.
cardan_status cd_motors_independent(cardan_motors* p, bool* chosen)
{
    const int n = p->n;
    memset(p->r, 0, (size_t)p->d->m->nv * sizeof *p->r);
    const cardan_status status = gather(p, p->r);
    for (int i = 0; i < n && status == CARDAN_OK; ++i) {
        double pivot = p->G[i * n + i];
        for (int k = 0; k < i; ++k) {
            double sum = p->G[i * n + k];
            for (int l = 0; l < k; ++l) sum -= p->G[i * n + l] * p->G[k * n + l];
            p->G[i * n + k] = chosen[k] ? sum / p->G[k * n + k] : 0;
            pivot -= p->G[i * n + k] * p->G[i * n + k];
        }
        chosen[i]       = p->D[i] > 0 && pivot > not_new * p->G[i * n + i];
        p->G[i * n + i] = sqrt(fmax(pivot, 0));
    }
    return status;
}

cardan_status cardan_motor_efforts(cardan_motors* p, const double* a, double* effort, int* loose, double* left,
                                   cardan_report* report)
{
    CD_REFUSE_NULL(p, "motors", report);
    CD_REFUSE_NO_ARRAY(a, p->d->m->nv, "a", report);
    CD_REFUSE_NO_ARRAY(effort, p->n, "effort", report);
    if (!cd_are_finite(p->d->m->nv, a)) return cd_fail_not_finite(report, __func__, "a");
    cardan_data*  d      = p->d;
    cardan_status status = gather(p, a);
    int           rank   = 0;
    if (status == CARDAN_OK && p->n > 0) {
        rank = solve(p, effort);
        if (rank < 0) status = CARDAN_DIVERGED;
    }
    if (status == CARDAN_OK && left) status = find_left(p, a, effort, left);
    if (loose) *loose = p->n - rank;
    if (status == CARDAN_OK) return status;
    return cardan_fail(report, status, CARDAN_CODE_SOLVE_NOT_CONVERGED, cardan_nowhere(),
                       "at t = %.9g s no efforts can be found for '%s': %s", d->t, d->m->view.name,
                       cardan_status_text(status));
}

cardan_status cardan_motors_load(cardan_motors* p, const double* effort)
{
    CD_REFUSE_NULL(p, "motors", NULL);
    CD_REFUSE_NO_ARRAY(effort, p->n, "effort", NULL);
    if (!cd_are_finite(p->n, effort)) return CARDAN_BAD_USAGE;
    cardan_data* d = p->d;
    cardan_data_load(d, NULL, NULL);
    cd_know_forces(d);
    for (int i = 0; i < p->n; ++i)
        d->outer_effort[d->m->place[p->motor[i].joint].v + p->motor[i].axis] = effort[i] - own_effort(d, p->motor[i]);
    d->loaded       = true;
    d->forces_known = false;
    return CARDAN_OK;
}
