// SPDX-License-Identifier: BSD-3-Clause
// Contacts that slide in given directions may have no solution, or several, where friction exceeds the limit of
// Painleve. Every one is closed, y_n = 0, or open, x_n = 0: all combinations of up to 8 contacts are tried, the closed
// ones first, and their signs are checked. The other elements are solved by the Newton method in each combination.
#include "impact/cone/contact_work.h"
#include "impact/cone/gauss_seidel.h"

#include <math.h>

enum { MAX_SLIDING = 8 };

static int list_sliding(const cd_contact_problem* problem, const cd_cone_problem* cone, int* list)
{
    int count = 0;
    for (int b = 0; b < cone->nblock; ++b) {
        if (problem->element[cone->block[b].element].kind != CD_ELEMENT_SLIDING) continue;
        if (count == MAX_SLIDING) return 0;
        list[count++] = b;
    }
    return count;
}

// x satisfies the signs of the combination, and the other elements were solved.
static bool try_combination(cd_contact_work* work, const int* list, int count, unsigned open, double tolerance,
                            int* solves, bool* is_solved)
{
    cd_cone_problem* cone  = &work->cone;
    bool             holds = true;
    for (int k = 0; k < count; ++k) {
        cd_cone_block* block = &cone->block[list[k]];
        block->equality      = open >> k & 1 ? -1 : block->first;
        block->normal        = -1;
    }
    for (int i = 0; i < cone->n; ++i) work->x[i] = 0;
    const double residual = cd_newton_polish_run(cone, &work->newton, work->x, tolerance, CD_POLISH_SOLVES, solves);
    *is_solved            = residual <= tolerance;
    cd_cone_velocity(cone, work->x, work->y);
    for (int k = 0; k < count; ++k) {
        cd_cone_block* block = &cone->block[list[k]];
        const int      row   = block->first;
        const double   sign  = open >> k & 1 ? work->y[row] : work->x[row];
        if (sign < -tolerance / block->size) holds = false;
        block->equality = -1;
        block->normal   = row;
    }
    return *is_solved && holds;
}

double cd_try_sliding_states(const cd_contact_problem* problem, cd_contact_work* work, double tolerance, int* solves,
                             bool* is_refuted)
{
    int       list[MAX_SLIDING];
    const int count = list_sliding(problem, &work->cone, list);
    *is_refuted     = count > 0;
    for (unsigned open = 0; count > 0 && open < 1u << count; ++open) {
        bool is_solved;
        if (try_combination(work, list, count, open, tolerance, solves, &is_solved)) {
            *is_refuted = false;
            cd_cone_velocity(&work->cone, work->x, work->y);
            return cd_cone_residual(&work->cone, work->x, work->y);
        }
        if (!is_solved && count < work->cone.nblock) *is_refuted = false; // the other elements may have a solution
    }
    return INFINITY;
}
