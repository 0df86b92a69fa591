// SPDX-License-Identifier: BSD-3-Clause
// Number of redundant rows of each loop: of a single loop, and of all loops together.
//
// Single loop: the twists of the joint axes of a loop are the columns of A (6 x axes); loop closure requires that their
// sum vanishes. A wrench w with A'w = 0 is a self-stress that is transmitted around the loop and that no joint
// relieves; there are 6 - rank A of them.
//
// All loops: self-stress vectors W (dynamics/reactions/self_stress.c). The rows of joint j that are redundant to those of
// earlier joints correspond to the self-stress vectors that involve j and no later joint, modulo those that do not
// involve j: one Gram-Schmidt orthogonalization from the last joint to the first. docs/theory/redundancy.md (3), (4).
#include "diagnosis/diagnosis.h"
#include "diagnosis/diagnosis_tolerances.h"

#include "math/lapack.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static void measure_loop(cardan_data* d, cd_kinematic_loop* loop)
{
    const vec3* joint_position = d->reactions.joint_position;
    loop->centre               = v3_zero();
    loop->length               = 0;
    loop->naxis                = 0;
    for (int i = 0; i < loop->njoint; ++i) {
        loop->centre = v3_add_scaled(loop->centre, 1.0 / loop->njoint, joint_position[loop->joint[i]]);
        loop->naxis += d->m->tree_range[loop->joint[i]].nv;
    }
    for (int i = 0; i < loop->njoint; ++i) {
        const vec3 r = v3_sub(joint_position[loop->joint[i]], loop->centre);
        loop->length = fmax(loop->length, sqrt(v3_dot(r, r)));
    }
    if (!(loop->length > cd_min_loop_length * d->reactions.design_length)) loop->length = d->reactions.design_length;
}

bool cd_kinematic_loop_rank(cardan_data* d, cd_kinematic_loop* loop)
{
    measure_loop(d, loop);
    const int n = loop->naxis, most = n < 6 ? n : 6;
    double*   A = malloc((6 * (size_t)n + (size_t)cd_lapack_svd_work(6, n)) * sizeof *A);
    double    left[36], sigma[6];
    if (!A) return false;
    int column = 0;
    for (int i = 0; i < loop->njoint; ++i) {
        cd_joint_axis axis[CARDAN_JOINT_VELOCITIES_MAX];
        const int     count = cd_joint_axes(d, loop->joint[i], axis);
        for (int k = 0; k < count; ++k, ++column) {
            double motion[6];
            cd_joint_axis_twist(&axis[k], loop->centre, loop->length, motion);
            for (int a = 0; a < 6; ++a) A[a * n + column] = motion[a];
        }
    }
    const bool good = cd_lapack_svd(6, n, A, sigma, left, NULL, A + 6 * n);
    int        rank = 0;
    while (good && rank < most && sigma[rank] > cd_diagnosis_rank_tolerance * fmax(1, sigma[0])) ++rank;
    loop->single_loop_redundant = 6 - rank;
    for (int i = rank; i < 6; ++i)
        for (int a = 0; a < 6; ++a) loop->wrench[i - rank][a] = left[6 * a + i];
    free(A);
    return good;
}

// Add the components of the self-stress vectors in one coordinate to the basis; returns whether
// they are independent of it.
static bool add_stress_coordinate(const cd_self_stress* stress, int coordinate, double* x, cd_orthonormal_basis* basis)
{
    for (int s = 0; s < stress->nbasis; ++s)
        x[s] = stress->basis[(size_t)s * (size_t)stress->width + (size_t)coordinate];
    return cd_orthonormal_basis_add(basis, x, cd_stress_independence) > cd_stress_independence;
}

bool cd_stress_of_later_joints(const cardan_model* m, const cd_self_stress* stress, const cd_kinematic_loops* loops,
                               int position, cd_orthonormal_basis* later)
{
    double* x = cd_allocate((size_t)stress->nbasis + 1, sizeof *x);
    if (!x) return false;
    for (int i = stress->width - 1; i >= 6 * m->njoint; --i) add_stress_coordinate(stress, i, x, later);
    for (int i = m->view.njoint - 1; i > position; --i)
        for (int k = 0; k < 6; ++k) add_stress_coordinate(stress, 6 * loops->joint_order[i] + k, x, later);
    free(x);
    return true;
}

bool cd_kinematic_loops_count_redundant(const cardan_data* d, const cd_self_stress* stress, cd_kinematic_loops* loops)
{
    const cardan_model*  m = d->m;
    cd_orthonormal_basis later;
    double*              x    = cd_allocate((size_t)stress->nbasis + 1, sizeof *x);
    const bool           good = cd_orthonormal_basis_create(&later, stress->nbasis) && x;
    // the dimension that a joint or constraint adds to the span of later ones is the number of its redundant rows
    for (int c = d->constraints.nconstraint - 1; good && c >= m->ncut; --c) {
        const cd_constraint* extra = &d->constraints.constraint[c];
        for (int row = 0; row < extra->nrow; ++row)
            loops->extra[c - m->ncut].redundant += add_stress_coordinate(
                stress, 6 * m->njoint + extra->first_row + row - stress->first_other_row, x, &later);
    }
    int l = loops->nloop - 1;
    for (int i = m->view.njoint - 1; good && i >= 0; --i) {
        while (l >= 0 && loops->loop[l].closing_position > i) --l;
        const bool closes_loop = l >= 0 && loops->loop[l].closing_position == i;
        for (int k = 0; k < 6; ++k)
            if (add_stress_coordinate(stress, 6 * loops->joint_order[i] + k, x, &later) && closes_loop)
                ++loops->loop[l].redundant;
    }
    cd_orthonormal_basis_free(&later);
    free(x);
    return good;
}
