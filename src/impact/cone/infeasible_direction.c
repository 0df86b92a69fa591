// SPDX-License-Identifier: BSD-3-Clause
// If no velocity of the system satisfies the inequalities, there are impulses z of the cones that change no velocity,
// W z = 0, with z.(q + w) < 0 (lemma of Farkas; Acary & Cadoux 2013: without such z the cone law has a solution). The
// solution of
//
//   minimize  x'(G + eps) x/2 + q'x   subject to  x in K
//
// grows like z/eps then. Its direction is checked.
#include "impact/cone/contact_work.h"

#include <math.h>

bool cd_has_infeasible_direction(cd_contact_work* work)
{
    const double     eps  = 1e-8;
    cd_cone_problem* cone = &work->cone;
    cd_states_work*  s    = work->states;
    const int        n = cone->n, limit = 80;
    double           norm = 0, product = 0, worst = 0;
    if (!cone->is_symmetric || n == 0) return false;
    for (int i = 0; i < n; ++i)
        for (int j = 0; j < n; ++j) s->H[(long)i * n + j] = cone->G[(long)i * n + j] + (i == j ? eps : 0);
    cd_cone_program(work, s->H, false);
    cd_interior_point_solve(&s->program, &s->interior, s->x, 1e-10, limit);
    for (int i = 0; i < n; ++i) norm += s->x[i] * s->x[i];
    norm = sqrt(norm);
    if (!isfinite(norm) || !(norm > 1e4)) return false;
    for (int i = 0; i < n; ++i) {
        double sum = 0;
        for (int j = 0; j < n; ++j) sum += cone->G[(long)i * n + j] * s->x[j];
        worst = fmax(worst, fabs(sum) / norm);
        product += cone->q[i] * s->x[i] / norm;
    }
    return worst < 1e-3 * -product; // the velocities of z are small against those that z forbids
}
