// SPDX-License-Identifier: BSD-3-Clause
// Length scale, length unit and design length of a mechanism, as units for tolerances. Differences of equal positions
// are round-off of the coordinates and no lengths: if all joint axes meet in one point, the mass centres are used, then
// the radii of gyration.

#include "dynamics/unit_scales.h"

#include "dynamics/dynamics_tolerances.h"
#include "math/norm_inf.h"
#include "math/quaternion.h"

#include <math.h>

// Mean radius of gyration about the mass centres [m]; 0 if no body has one.
static double mean_radius_of_gyration(const cardan_model* m)
{
    double sum = 0;
    int    n   = 0;
    for (int i = 0; i < m->nbody; ++i) {
        const cardan_body* body  = &m->view.body[i];
        const double       trace = body->inertia[0] + body->inertia[1] + body->inertia[2];
        if (!(body->mass > 0) || !(trace > 0)) continue;
        sum += sqrt(trace / (2 * body->mass));
        ++n;
    }
    return n > 0 ? sum / n : 0;
}

// Position of joint i, or of a mass centre behind the joints, in the design configuration. *coordinate_size: largest
// coordinate in the sum.
static void design_position(const cardan_model* m, int i, double p[3], double* coordinate_size)
{
    const int         njoint = m->view.njoint, on = i < njoint ? m->view.joint[i].first_body : i - njoint;
    const double*     local = i < njoint ? m->view.joint[i].frame_first.p : m->view.body[on].centre;
    const cardan_pose T     = on == CARDAN_GROUND ? cardan_pose_default() : m->view.body[on].pose;
    pose_point(T, local, p);
    *coordinate_size = fmax(*coordinate_size, fmax(cd_norm_inf(3, local), cd_norm_inf(3, T.p)));
}

double cd_design_length(const cardan_model* m)
{
    double low[3] = {INFINITY, INFINITY, INFINITY}, high[3] = {-INFINITY, -INFINITY, -INFINITY}, extent = 0,
           coordinate_size = 0;
    for (int i = 0; i < m->view.njoint + m->nbody; ++i) {
        double p[3];
        design_position(m, i, p, &coordinate_size);
        for (int k = 0; k < 3; ++k) {
            low[k]  = fmin(low[k], p[k]);
            high[k] = fmax(high[k], p[k]);
        }
    }
    for (int k = 0; k < 3; ++k) extent = fmax(extent, high[k] - low[k]);
    if (!isfinite(extent) || !(extent > cd_coordinate_roundoff * coordinate_size))
        extent = 2 * mean_radius_of_gyration(m);
    return extent > 0 ? extent / 2 : 1;
}

double cd_compute_length_scale(const cardan_data* d)
{
    const double design = d->reactions.design_length;
    double       most   = 0;
    for (int i = 0; i < d->m->nlink; ++i) most = fmax(most, cd_norm_inf(3, d->m->tree_transform[i].p));
    for (int i = 0; i < d->constraints.nconstraint; ++i)
        for (int n = 0; n < d->constraints.constraint[i].nend; ++n)
            most = fmax(most, cd_norm_inf(3, cd_constraint_end(&d->constraints.constraint[i], n)->p));
    if (most > cd_zero_length_ratio * design) return most;
    return 2 * design > 1 ? 2 * design : fmin(1, 20 * design); // no arms: 1 m, limited for small mechanisms
}

// ---- units

void cd_update_velocity_unit_inverse(cardan_data* d)
{
    for (int i = 0; d->units.velocity_unit_inverse && i < d->m->nv; ++i)
        d->units.velocity_unit_inverse[i] = v3_dot(d->k.S[i].a, d->k.S[i].a) > 0 ? 1 : 1 / d->units.length_unit;
}

// The scale of a row with a translational part is 1 / (its change per length unit), else 1.
void cd_update_row_unit_inverse(cardan_data* d)
{
    for (int i = 0; i < d->constraints.nconstraint; ++i) {
        const cd_constraint* c = &d->constraints.constraint[i];
        for (int k = 0; k < c->nrow; ++k) {
            double translation_size = 0, rotation_size = 0;
            for (int n = 0; n < c->nend; ++n) {
                const spatial G  = d->constraints.equations[i].G[k * c->nend + n];
                translation_size = fmax(translation_size, d->units.length_unit * sqrt(v3_dot(G.l, G.l)));
                rotation_size    = fmax(rotation_size, sqrt(v3_dot(G.a, G.a)));
            }
            d->units.row_unit_inverse[c->first_row + k] =
                translation_size > cd_min_row_translation_ratio * rotation_size && translation_size < 1
                    ? 1 / translation_size
                    : 1;
        }
    }
    d->history.row_units_known = true;
}

double cd_row_norm_inf(const cardan_data* d, int first, int n, const double* x)
{
    return d->units.row_unit_inverse && d->history.row_units_known
               ? cd_norm_inf_scaled(n, x, d->units.row_unit_inverse + first)
               : cd_norm_inf(n, x);
}

double cd_velocity_norm_inf(const cardan_data* d, const double* x)
{
    return d->units.velocity_unit_inverse ? cd_norm_inf_scaled(d->m->nv, x, d->units.velocity_unit_inverse)
                                          : cd_norm_inf(d->m->nv, x);
}
