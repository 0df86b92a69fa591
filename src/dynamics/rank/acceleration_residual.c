// SPDX-License-Identifier: BSD-3-Clause
// Residual J a - gamma of the rows, with the scales it is compared with. A satisfied row has the round-off of its
// terms,
//
//   |gamma|,  |G A| of its ends
//
// but these may be round-off themselves: at standstill under gravity the accelerations result from forces that
// cancel. The quantities that cancelled before have their own sizes,
//
//   |A(a = 0)| + w^2 |arm|     of links, the terms of gamma                     (cd_constraint_set_gamma_scale)
//   |v|^2 / length             centripetal accelerations of points
//   |r| / inertia              accelerations without constraint forces
//   |r| / inertia of others    of motions without inertia: constraints determine them, independent of the forces,
//                              except for the round-off of the small inertia that the elimination adds
//                              (formulation/safeguards/proximal_inertia.h); used if the residual is much larger
//                              than gamma
//   |lambda| J^2 / inertia     acceleration due to the row's own constraint force: light bodies between large forces;
//                              with a smaller factor, and not for compliant rows, whose forces are proportional to
//                              their residuals
//
// All in units of rows and velocities, radians and lengths. No scale is absolute: driver functions of a micrometre
// per second are inconsistent in the same way as those of a metre per second.
#include "dynamics/rank/acceleration_residual.h"

#include "dynamics/dynamics_tolerances.h"
#include "dynamics/forces.h"
#include "dynamics/rows/constraint_update.h"
#include "dynamics/rows/jacobian_operator.h"
#include "dynamics/unit_scales.h"
#include "formulation/safeguards/proximal_inertia.h"
#include "math/norm_inf.h"

#include <math.h>

// Largest acceleration due to efforts alone: each divided by the inertia of its velocity.
static double unconstrained_acceleration(cardan_data* d)
{
    double most = 0;
    cd_update_rhs(d);
    for (int v = 0; v < d->m->nv; ++v)
        if (d->m->inertia_scale[v] > 0)
            most = cd_max(most, fabs(d->solve.r[v]) / d->m->inertia_scale[v] *
                                    (d->units.velocity_unit_inverse ? d->units.velocity_unit_inverse[v] : 1));
    return most;
}

// The same for rotations and translations without inertia, divided by the inertia scale of the other velocities.
static double proximal_acceleration(const cardan_data* d)
{
    double most[2]     = {0};
    int    velocity[2] = {0};
    for (int v = 0; v < d->m->nv; ++v) {
        const int is_rotation = v3_dot(d->k.S[v].a, d->k.S[v].a) > 0;
        if (d->m->inertia_scale[v] > d->m->inertia_roundoff[v] || !(fabs(d->solve.r[v]) > most[is_rotation])) continue;
        most[is_rotation]     = fabs(d->solve.r[v]);
        velocity[is_rotation] = v;
    }
    for (int k = 0; k < 2; ++k)
        if (most[k] > 0) most[k] /= cd_proximal_inertia_scale(d->m, velocity[k]) * (k == 0 ? d->units.length_unit : 1);
    return cd_max(most[0], most[1]);
}

static double row_scale_at(const cardan_data* d, int row)
{
    return d->units.row_unit_inverse ? d->units.row_unit_inverse[row] : 1;
}

static double gamma_term_scale(cardan_data* d)
{
    cd_update_gamma_scale(d);
    if (!d->units.row_unit_inverse || d->rows.nrow == 0) return d->rows.gamma_scale;
    cd_world_accelerations(d->m, &d->k, d->v, d->scratch.zero_nv, &d->world);
    return cd_constraint_set_gamma_scale(&d->world, &d->constraints, d->units.row_unit_inverse);
}

static double constraint_force_acceleration(const cardan_data* d)
{
    double most = 0;
    if (d->formulation->properties & CD_APPROXIMATE) return 0;
    for (int c = 0; c < d->constraints.nconstraint; ++c) {
        const cd_row_block b = cd_joint_space_block(d, &d->constraints, c);
        for (int i = 0; i < b.nrow; ++i) {
            double mobility = 0;
            for (int j = 0; j < b.nv; ++j)
                if (d->m->inertia_scale[b.v[j]] > 0)
                    mobility += b.J[i * b.nv + j] * b.J[i * b.nv + j] / d->m->inertia_scale[b.v[j]];
            most = cd_max(most, mobility * fabs(d->solve.lambda[b.row + i]) * row_scale_at(d, b.row + i));
        }
    }
    return isfinite(most) ? most : 0;
}

cd_acceleration_residual cd_compute_acceleration_residual(cardan_data* d, const double* a, double tolerance)
{
    const spatial*           A        = cd_twists_of(d, a);
    cd_acceleration_residual residual = {.row = CARDAN_NONE};
    for (int c = 0; c < d->rows.nblock; ++c) {
        const cd_row_block* b = &d->rows.block[c];
        for (int i = 0; i < b->nrow; ++i) {
            const double scale = row_scale_at(d, b->row + i);
            double       sum   = -d->solve.gamma[b->row + i] * scale;
            residual.rhs_max   = cd_max(residual.rhs_max, fabs(sum));
            for (int n = 0; n < b->nend; ++n) {
                const double term = sv_dot(b->G[i * b->nend + n], A[b->link[n]]) * scale;
                sum += term;
                residual.term_scale = cd_max(residual.term_scale, fabs(term));
            }
            if (fabs(sum) > residual.max_residual) residual.row = b->row + i;
            residual.max_residual = cd_max(residual.max_residual, fabs(sum));
        }
    }
    residual.term_scale = cd_max(residual.term_scale, residual.rhs_max);
    if (!(residual.max_residual > tolerance * residual.term_scale)) return residual;
    const double max_speed   = cd_velocity_norm_inf(d, d->v),
                 centripetal = max_speed * max_speed * fmax(1, d->units.length_unit / d->units.length_scale);
    residual.cancelled_scale = cd_max(cd_max(cd_max(gamma_term_scale(d), centripetal), unconstrained_acceleration(d)),
                                      cd_constraint_force_share * constraint_force_acceleration(d));
    if (cd_residual_exceeds_rhs(&residual))
        residual.cancelled_scale =
            cd_max(residual.cancelled_scale, cd_proximal_acceleration_factor * proximal_acceleration(d));
    return residual;
}

bool cd_residual_exceeds_rhs(const cd_acceleration_residual* residual)
{
    return residual->max_residual > cd_max_inconsistent_residual * residual->rhs_max;
}

double cd_relative_residual(const cd_acceleration_residual* residual, double cancelled_share)
{
    const double size = cd_max(residual->term_scale, cancelled_share * residual->cancelled_scale);
    return residual->max_residual > 0 ? residual->max_residual / size : 0;
}
