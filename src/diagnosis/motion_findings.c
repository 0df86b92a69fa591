// SPDX-License-Identifier: BSD-3-Clause
// Findings about motions: motions with zero inertia, and idle motions of one body that move no other body.
//
//   M + J'J        positive definite unless a motion has zero inertia and is not constrained
//   idle motion    twist that all joints of a body allow while all other bodies are at standstill
#include "diagnosis/findings.h"
#include "diagnosis/diagnosis_tolerances.h"
#include "explain/explain.h"

#include "math/dense_cholesky.h"
#include "math/lapack.h"

#include <math.h>
#include <stdlib.h>

enum { MAX_VELOCITIES = 800 };

static double velocity_unit(const cd_rank_analysis* p, int v)
{
    const vec3 s = p->d->k.S[v].a;
    return v3_dot(s, s) > 0 ? 1 : p->d->reactions.design_length;
}

// Scale a row to unit norm on velocities of unit inertia, so that the test does not depend on the units or
// the size of the mechanism.
static void normalize_row(cd_rank_analysis* p, int row, const double* unit, double lightest)
{
    const int n = p->nv;
    double *  J = p->J + (size_t)row * (size_t)n, before = 0, after = 0;
    for (int v = 0; v < n; ++v) {
        before += J[v] * J[v];
        J[v] *= unit[v] > 0 ? unit[v] / velocity_unit(p, v) : lightest;
        after += J[v] * J[v];
    }
    for (int v = 0; v < n; ++v) J[v] = before > cd_row_roundoff * cd_row_roundoff ? J[v] / sqrt(after) : 0;
}

cardan_status cd_report_zero_inertia(cd_rank_analysis* p, cardan_report* report)
{
    const int n = p->nv;
    if (n == 0 || n > MAX_VELOCITIES) return CARDAN_OK;
    double *M = malloc((size_t)n * (size_t)n * sizeof *M), *unit = p->y;
    if (!M)
        return cardan_fail(report, CARDAN_NO_MEMORY, CARDAN_CODE_OUT_OF_MEMORY, cardan_location_none(),
                           "out of memory while diagnosing '%s'", p->d->m->view.name);
    cd_rank_analysis_compute(p, p->q_assembled);
    cardan_data_mass_matrix(p->d, M);
    cd_scaled_jacobian(p->d, p->J, p->scale); // columns in radians and design lengths
    double lightest = 0;                      // largest unit; also used for velocities without inertia
    for (int v = 0; v < n; ++v) {
        unit[v]  = M[v * n + v] > 0 ? 1 / sqrt(M[v * n + v]) : 0;
        lightest = fmax(lightest, unit[v] / velocity_unit(p, v));
    }
    for (int i = 0; i < p->nrow; ++i) normalize_row(p, i, unit, lightest > 0 ? lightest : 1);
    for (int a = 0; a < n; ++a)
        for (int b = 0; b <= a; ++b) {
            double sum = M[a * n + b] * unit[a] * unit[b];
            for (int i = 0; i < p->nrow; ++i) sum += p->J[i * n + a] * p->J[i * n + b];
            M[a * n + b] = sum;
        }
    const int row = dense_cholesky(n, M, cd_unresisted_motion_tolerance, NULL);
    free(M);
    return row == n ? CARDAN_OK : cd_fail_zero_inertia(p->d, row, report);
}

// Append the wrenches that joint j resists as columns of A (6 x capacity), about the point c. Returns
// the new number of columns.
static int add_resisted_wrenches(cardan_data* d, int j, vec3 c, int count, int capacity, double* A)
{
    cd_joint_axis axis[CARDAN_JOINT_VELOCITIES_MAX];
    double        S[36], sigma[6], left[36], work[1024];
    const int     n = cd_joint_axes(d, j, axis), most = n < 6 ? n : 6;
    for (int k = 0; k < n; ++k) {
        double motion[6];
        cd_joint_axis_twist(&axis[k], c, d->reactions.design_length, motion);
        for (int a = 0; a < 6; ++a) S[a * n + k] = motion[a];
    }
    if (!cd_lapack_svd(6, n, S, sigma, left, NULL, work)) return count;
    int rank = 0;
    while (rank < most && sigma[rank] > cd_diagnosis_rank_tolerance) ++rank;
    for (int k = rank; k < 6 && count < capacity; ++k, ++count)
        for (int a = 0; a < 6; ++a) A[a * capacity + count] = left[6 * a + k];
    return count;
}

// Compute the idle motion of body b that all its joints allow, as (rotation, translation / length) at its first
// joint. Only for bodies between two others: with one neighbour the motion is a regular degree of freedom. Returns
// the number of such motions.
static int find_idle_motion(cardan_data* d, int b, double motion[6])
{
    enum { CAPACITY = 48 };
    const cardan_description_view* view            = &d->m->view;
    double                         A[6 * CAPACITY] = {0}, sigma[6], left[36], work[4096];
    int                            count = 0, joints = 0, neighbour = b;
    bool                           between = false;
    vec3                           c       = v3_zero();
    for (int j = 0; j < view->njoint; ++j) {
        if (view->joint[j].first_body != b && view->joint[j].second_body != b) continue;
        const int other = view->joint[j].first_body == b ? view->joint[j].second_body : view->joint[j].first_body;
        if (joints++ == 0) c = d->reactions.joint_position[j];
        between   = between || (neighbour != b && other != neighbour);
        neighbour = other;
        count     = add_resisted_wrenches(d, j, c, count, CAPACITY, A);
    }
    if (!between || !cd_lapack_svd(6, CAPACITY, A, sigma, left, NULL, work)) return 0;
    int rank = 0;
    while (rank < 6 && sigma[rank] > cd_diagnosis_rank_tolerance) ++rank;
    for (int a = 0; a < 6 && rank < 6; ++a) motion[a] = left[6 * a + rank];
    return 6 - rank;
}

static bool has_other_constraints(const cardan_data* d, int b)
{
    for (int i = 0; i < d->constraints.nconstraint; ++i) {
        const cd_constraint* c = &d->constraints.constraint[i];
        for (int k = 0; k < c->nend && c->joint == CARDAN_NONE; ++k)
            if (cd_constraint_body(c, k) == b) return true;
    }
    return false;
}

void cd_report_idle_motions(cd_rank_analysis* p, cardan_report* report)
{
    const cardan_description_view* view = &p->d->m->view;
    if ((double)view->nbody * view->njoint > 1e6) return;
    cd_rank_analysis_compute(p, p->q_assembled);
    cd_update_body_motions(p->d);
    for (int b = 0; b < view->nbody; ++b) {
        double motion[6];
        if (has_other_constraints(p->d, b) || find_idle_motion(p->d, b, motion) != 1) continue;
        const vec3 w = v3_const(motion), v = v3_const(motion + 3);
        const bool is_rotation = v3_dot(w, w) > cd_pure_translation_rotation_sq;
        cardan_note(report, CARDAN_CODE_FREE_BODY_MOTION, view->body[b].location,
                    "body '%s' can %s %s without moving another body: one degree of freedom belongs to it alone",
                    view->body[b].name, is_rotation ? "rotate about" : "translate along",
                    cd_describe_axis_direction(is_rotation ? w : v).text);
    }
}
