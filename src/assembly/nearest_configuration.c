// SPDX-License-Identifier: BSD-3-Clause
// Minimum change from the start, measured by all joints alike: joints with tree coordinates, y, and cut joints, whose
// changes are S y. So the result does not depend on the choice of cut joints. docs/theory/assembly.md (2), (3):
//
//   min |y - y0|^2 + |S y - s0|^2   with A y = 0        y0, s0: displacement to the start values
//
// by conjugate gradients in the null space of A, P = 1 - A^+ A: at most as many iterations as there are degrees of
// freedom.
#include "assembly/assembly_problem.h"
#include "assembly/assembly_tolerances.h"

#include "constraint/joint_state.h"
#include "constraint/link_twists.h"
#include "dynamics/rows/joint_coordinates.h"
#include "math/dot_product.h"
#include "math/quaternion.h"

#include <math.h>
#include <string.h>

enum { MAX_ITERATIONS = 100, MAX_ITERATIONS_LARGE = 20, LARGE_SYSTEM = 300 };

static const double max_target_entries = 4e6; // of S; above this limit cut joints are ignored

static bool has_target(const cd_assembly* a, int j) { return a->d->m->joint[j].is_cut && !cd_assembly_is_fixed(a, j); }

static double target_scale(const cd_assembly* a, int j, int i)
{
    const cardan_start_mode mode   = cd_assembly_start_mode(a, j);
    const double            weight = mode == CARDAN_START_GUESS && !a->fixed_released ? cd_guess_weight : 1;
    return weight * (cd_joint_velocity_is_rotation(a->d->m, j, i) ? 1 : 1 / a->length_scale);
}

int cd_assembly_count_targets(const cd_assembly* a)
{
    int rows = 0;
    for (int j = 0; j < a->d->m->njoint; ++j) rows += has_target(a, j) ? a->d->m->joint_range[j].nv : 0;
    return (double)rows * a->d->m->nv <= max_target_entries ? rows : 0;
}

// Displacement from q to the target, as a velocity over unit time.
static void displacement_to(const cardan_index_range range, const double* q, const double* target, double* dv)
{
    const int nplain = range.nq > range.nv ? range.nq - 4 : range.nq;
    for (int i = 0; i < nplain; ++i) dv[i] = target[i] - q[i];
    if (nplain == range.nq) return;
    double inverse[4], rotation[4];
    q4_conjugate(q + nplain, inverse);
    q4_mul(inverse, target + nplain, rotation);
    q4_log(rotation, dv + nplain);
}

double cd_assembly_target_errors(cd_assembly* a, double* s0)
{
    const cardan_model* m    = a->d->m;
    double              most = 0;
    if (cd_assembly_count_targets(a) == 0) return 0;
    for (int j = 0, row = 0; j < m->njoint; ++j) {
        double q[CARDAN_JOINT_VELOCITIES_MAX + 1] = {0}, v[CARDAN_JOINT_VELOCITIES_MAX] = {0},
                                               dv[CARDAN_JOINT_VELOCITIES_MAX] = {0};
        if (!has_target(a, j)) continue;
        cardan_data_joint_state(a->d, j, q, v);
        if (!a->velocity_level) displacement_to(m->joint_range[j], q, a->start[j].q, dv);
        for (int i = 0; i < m->joint_range[j].nv; ++i, ++row) {
            const double target_error = target_scale(a, j, i) * (a->velocity_level ? a->start[j].v[i] - v[i] : dv[i]);
            most                      = fmax(most, fabs(target_error));
            if (s0) s0[row] = target_error;
        }
    }
    return most;
}

// Jacobian G of the velocities of joint j by the twists of its two links, two entries per velocity.
static void joint_rates_of_twists(cardan_data* d, int j, spatial* G)
{
    const cd_compiled_joint* joint          = &d->m->joint[j];
    const cardan_index_range range          = d->m->joint_range[j];
    const int                link[2]        = {joint->frame_first.link, joint->frame_second.link};
    spatial*                 twist          = d->world.velocity;
    const spatial            saved_twist[2] = {twist[link[0]], twist[link[1]]};
    for (int c = 0; c < 12; ++c) {
        double       q[CARDAN_JOINT_VELOCITIES_MAX + 1], v[CARDAN_JOINT_VELOCITIES_MAX] = {0}, unit[6] = {0};
        cd_end_state end[2];
        unit[c % 6]    = 1;
        twist[link[0]] = sv_zero();
        twist[link[1]] = sv_zero();
        if (link[c / 6] >= 0)
            twist[link[c / 6]] = (spatial){v3(unit[0], unit[1], unit[2]), v3(unit[3], unit[4], unit[5])};
        memcpy(q, d->q + range.q, (size_t)range.nq * sizeof *q);
        cd_end_state_evaluate(&joint->frame_first, &d->world, &end[0]);
        cd_end_state_evaluate(&joint->frame_second, &d->world, &end[1]);
        cd_joint_state_from_frames(joint, end, q, v);
        for (int i = 0; i < range.nv; ++i) (&G[2 * i + c / 6].a.x)[c % 6] = v[i];
    }
    twist[link[0]] = saved_twist[0];
    twist[link[1]] = saved_twist[1];
}

// Jacobian S of the cut-joint velocities by the free velocities, column-major.
static void fill_target_jacobian(cd_assembly* a, int ntarget, double* x, double* S)
{
    cardan_data*        d = a->d;
    const cardan_model* m = d->m;
    cd_update_off_tree_joints(d);
    for (int j = 0, row = 0; j < m->njoint; ++j) {
        const int first = m->joint[j].frame_first.link, second = m->joint[j].frame_second.link;
        spatial   G[2 * CARDAN_JOINT_VELOCITIES_MAX];
        if (!has_target(a, j)) continue;
        joint_rates_of_twists(d, j, G);
        for (int i = 0; i < m->joint_range[j].nv; ++i, ++row) {
            for (int l = 0; l < m->nlink; ++l) d->scratch.twist[l] = sv_zero();
            d->scratch.twist[first]  = G[2 * i];
            d->scratch.twist[second] = sv_add(d->scratch.twist[second], G[2 * i + 1]);
            memset(x, 0, (size_t)m->nv * sizeof *x);
            cd_efforts_of_wrenches(m, &d->k, &d->world, d->scratch.twist, x);
            d->scratch.twist[-1] = sv_zero();
            for (int k = 0; k < a->nfree; ++k) {
                const int u = a->free_velocity[k];
                S[(size_t)k * (size_t)ntarget + (size_t)row] =
                    target_scale(a, j, i) * x[u] / (a->velocity_unit_inverse[u] * a->weight[u]);
            }
        }
    }
}

// x - A^+ A x
static bool project_onto_null_space(cd_assembly* a, double* x)
{
    cd_assembly_apply(a, x, a->trial_residual);
    if (!cd_assembly_least_squares(a, 0, a->trial_residual, a->row_space_part)) return false;
    for (int i = 0; i < a->nfree; ++i) x[i] -= a->row_space_part[i];
    return true;
}

// w = x + S'(S x)
static void apply_metric(int n, int ntarget, const double* S, const double* x, double* s, double* w)
{
    for (int row = 0; row < ntarget; ++row) s[row] = 0;
    for (int k = 0; k < n; ++k)
        for (int row = 0; row < ntarget; ++row) s[row] += S[(size_t)k * (size_t)ntarget + (size_t)row] * x[k];
    for (int k = 0; k < n; ++k) w[k] = x[k] + cd_dot(ntarget, S + (size_t)k * (size_t)ntarget, s);
}

size_t cd_assembly_target_work_size(const cd_assembly* a)
{
    const cardan_model* m    = a->d->m;
    int                 rows = 0;
    for (int j = 0; j < m->njoint; ++j) rows += m->joint[j].is_cut ? m->joint_range[j].nv : 0;
    return (size_t)fmin((double)rows * m->nv, max_target_entries) + 4 * (size_t)m->nv + 2 * (size_t)rows;
}

bool cd_assembly_step_to_targets(cd_assembly* a, double* y)
{
    const int n = a->nfree, ntarget = cd_assembly_count_targets(a),
              max_iterations = n > LARGE_SYSTEM ? MAX_ITERATIONS_LARGE : MAX_ITERATIONS;
    double *S = a->nearest_work, *r = S + (size_t)n * (size_t)ntarget, *p = r + n, *w = p + n, *s0 = w + n,
           *s = s0 + ntarget, *x = s + ntarget;
    if (ntarget > 0) fill_target_jacobian(a, ntarget, x, S);
    cd_assembly_target_errors(a, s0);
    cd_assembly_update_jacobian(a);
    for (int k = 0; k < n; ++k) r[k] = y[k] + cd_dot(ntarget, S + (size_t)k * (size_t)ntarget, s0);
    bool has_solution = project_onto_null_space(a, r);
    memcpy(p, r, (size_t)n * sizeof *p);
    memset(y, 0, (size_t)n * sizeof *y);
    double gamma = cd_norm_sq(n, r), first = gamma;
    for (int i = 0; has_solution && i < max_iterations &&
                    gamma > cd_minimum_change_gradient_tolerance * cd_minimum_change_gradient_tolerance * first;
         ++i) {
        apply_metric(n, ntarget, S, p, s, w);
        const double curvature = cd_dot(n, p, w);
        if (!(curvature > 0)) break;
        const double alpha = gamma / curvature;
        for (int k = 0; k < n; ++k) y[k] += alpha * p[k], r[k] -= alpha * w[k];
        has_solution      = project_onto_null_space(a, r);
        const double next = cd_norm_sq(n, r);
        for (int k = 0; k < n; ++k) p[k] = r[k] + next / gamma * p[k];
        gamma = next;
    }
    return has_solution;
}
