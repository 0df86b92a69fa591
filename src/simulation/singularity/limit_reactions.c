// SPDX-License-Identifier: BSD-3-Clause
// Reactions and efforts of drivers at a row that falls on a singular pose. There rows depend on each other that do not
// elsewhere, and joints could carry more without load; what they do carry is what neighbouring poses lead to. With six
// poses u[n] on the way of the motion, three on either side, every wrench and effort is taken for
//
//   f(u) = c/(u - r) + a polynomial,     D(uf) - r D(f) = 0,     c = -D(f) (u[0] - r) ... (u[5] - r)
//
// D being the divided difference of order five, which no polynomial below is felt by; r, where the pose is, is that of
// all f together (least squares). Without a part c that can be told from rounding, f has a limit, by Lagrange's
// polynomial at u = 0. With one it grows without bound towards the pose, and f(0) is known where r is not too small to
// be told from none. Where the motion turns back at the pose f grows with 1/u^2, which is no such c: r is then nowhere
// near the row, and what does not settle without c has no bound. docs/theory/singular.md (5).
#include "simulation/singularity/limit_acceleration.h"

#include "dynamics/data.h"
#include "simulation/ode/ode_system.h"

#include <math.h>

static const double pole_tolerance        = 1e-5; // of f at poses beside: a part of c/(u - r) that is none of rounding
static const double negligible_fraction   = 1e-6; // of the largest f of all: nothing of it is told
static const double convergence_tolerance = 1e-3; // of f: by how much four and six poses may differ
static const double pole_distance_min = 1e-5; // [rad, lengths] of r: which side of the pose the row is on is not known
static const double pole_distance_max =
    0.5; // of the way to the nearest pose beside: a pole farther away is none of this pose
enum { NODES = 6 };

// Multipliers of joints that close loops are in their wrenches.
static void collect_reactions(const cd_ode_system* system, double* f)
{
    const cardan_data*      d = system->data;
    const cd_reaction_work* r = &d->reactions;
    const int               n = system->singular_limit.nwrench;
    for (int j = 0; j < n; ++j) {
        const spatial F = j < d->m->njoint ? r->joint_wrench[j] : cd_marker_constraint_wrench(d, j - d->m->njoint);
        const double  each[6] = {F.a.x, F.a.y, F.a.z, F.l.x, F.l.y, F.l.z};
        for (int k = 0; k < 6; ++k) f[6 * j + k] = each[k];
    }
    for (int i = 0; i < d->rows.nrow; ++i) f[6 * n + i] = i < r->self_stress.first_other_row ? 0 : r->lambda[i];
}

// How much of a force a moment or a multiplier is.
static void set_force_scales(const cd_ode_system* system, double* force_of)
{
    const cardan_data* d      = system->data;
    const double       length = d->reactions.design_length;
    const int          n      = 6 * system->singular_limit.nwrench;
    for (int i = 0; i < n; ++i) force_of[i] = i % 6 < 3 ? 1 / length : 1;
    for (int c = 0; c < d->constraints.nconstraint; ++c)
        for (int row = 0; row < d->constraints.constraint[c].nrow; ++row)
            force_of[n + d->constraints.constraint[c].first_row + row] = cd_row_wrench_norm(d, c, row) / length;
}

// What is unique at poses beside is unique here: more could be carried, but not by this motion.
static void store_uniqueness(cardan_data* d)
{
    cd_limit_reactions* limits = &d->reactions.limit;
    for (int j = 0; j < d->m->njoint; ++j) limits->joint_unique[j] = d->reactions.self_stress.unique[j];
    for (int c = 0; c < d->constraints.nconstraint; ++c)
        for (int row = 0; row < d->constraints.constraint[c].nrow; ++row) {
            double part[CD_ROWS_MAX] = {0};
            part[row]                = 1;
            limits->row_unique[d->constraints.constraint[c].first_row + row] =
                cd_multiplier_sum_is_unique(d, &d->constraints.constraint[c], row, part);
        }
}

static bool evaluate_nodes(cd_ode_system* system)
{
    cd_singular_limit* b = &system->singular_limit;
    for (int n = 0; n < NODES; ++n) {
        if (!cd_singular_limit_evaluate_node(system, b->result_u[n], b->interpolant[0])) return false;
        cd_compute_reactions(system->data, b->interpolant[0]);
        collect_reactions(system, b->node_reaction[n]);
    }
    set_force_scales(system, b->force_scale);
    store_uniqueness(system->data);
    return true;
}

// D(f), and D(u f) into *moved.
static double divided_difference(const cd_singular_limit* b, int i, double* D_uf)
{
    double sum = 0;
    *D_uf      = 0;
    for (int n = 0; n < NODES; ++n) {
        double part = b->node_reaction[n][i];
        for (int k = 0; k < NODES; ++k)
            if (k != n) part /= b->result_u[n] - b->result_u[k];
        sum += part;
        *D_uf += part * b->result_u[n];
    }
    return sum;
}

static double nearest_node_distance(const cd_singular_limit* b, double r)
{
    double least = INFINITY;
    for (int n = 0; n < NODES; ++n) least = fmin(least, fabs(b->result_u[n] - r));
    return least;
}

// r, or 0 where all f are polynomials, INFINITY where it is nowhere near the row.
static double fit_pole(const cd_ode_system* system)
{
    const cd_singular_limit* b   = &system->singular_limit;
    double                   sum = 0, weighted_sum = 0;
    for (int i = 0; i < system->singular_limit.nreaction; ++i) {
        double       D_uf;
        const double D_f = divided_difference(b, i, &D_uf), w = b->force_scale[i] * b->force_scale[i];
        sum += w * D_f * D_f;
        weighted_sum += w * D_f * D_uf;
    }
    const double r = sum > 0 ? weighted_sum / sum : 0;
    return fabs(r) < pole_distance_max * nearest_node_distance(b, 0) ? r : INFINITY;
}

// c of f number i.
static double pole_residue(const cd_singular_limit* b, int i, double r)
{
    double D_uf, c = -divided_difference(b, i, &D_uf);
    for (int n = 0; n < NODES; ++n) c *= b->result_u[n] - r;
    return c;
}

// Largest f number i less c/(u - r) at poses beside.
static double largest_at_nodes(const cd_singular_limit* b, int i, double c, double r)
{
    double most = 0;
    for (int n = 0; n < NODES; ++n) most = fmax(most, fabs(b->node_reaction[n][i] - c / (b->result_u[n] - r)));
    return most;
}

// The polynomial at u = 0, from the nearest `count` poses.
static double interpolate_at_zero(const cd_singular_limit* b, int i, double c, double r, int count)
{
    double sum = 0;
    for (int n = 0; n < count; ++n) {
        double part = b->node_reaction[n][i] - c / (b->result_u[n] - r);
        for (int k = 0; k < count; ++k)
            if (k != n) part *= b->result_u[k] / (b->result_u[k] - b->result_u[n]);
        sum += part;
    }
    return sum;
}

// f number i at the row, NAN where that has no bound; `slight`: what of it is nothing.
static double limit_value(const cd_ode_system* system, int i, double r, double negligible)
{
    const cd_singular_limit* b       = &system->singular_limit;
    const double             residue = isfinite(r) ? pole_residue(b, i, r) : 0, size = largest_at_nodes(b, i, 0, 0);
    const bool               pole =
        residue != 0 && fabs(residue) > (pole_tolerance * size + negligible) * nearest_node_distance(b, r);
    const double c = pole ? residue : 0, value = interpolate_at_zero(b, i, c, r, NODES);
    if (!(fabs(value - interpolate_at_zero(b, i, c, r, NODES - 2)) <=
          convergence_tolerance * largest_at_nodes(b, i, c, r) + negligible))
        return NAN;
    if (!pole) return value;
    return fabs(r) * cd_velocity_scale(system, b->direction) > pole_distance_min ? value - c / r : NAN;
}

// Where f number i goes.
static double* limit_target(const cd_ode_system* system, int i)
{
    cd_limit_reactions* limits = &system->data->reactions.limit;
    const int           n = system->singular_limit.nwrench, njoint = system->data->m->njoint;
    if (i >= 6 * n) return &limits->lambda[i - 6 * n];
    spatial*      F    = i / 6 < njoint ? &limits->joint_wrench[i / 6] : &limits->marker_wrench[i / 6 - njoint];
    vec3*         part = i % 6 < 3 ? &F->a : &F->l;
    double* const to[] = {&part->x, &part->y, &part->z};
    return to[i % 3];
}

static bool compute_limits(cd_ode_system* system)
{
    cd_singular_limit* b       = &system->singular_limit;
    const int          count   = b->nreaction;
    double             largest = 0;
    if (!evaluate_nodes(system)) return false;
    for (int i = 0; i < count; ++i) largest = fmax(largest, b->force_scale[i] * largest_at_nodes(b, i, 0, 0));
    if (!isfinite(largest)) return false;
    const double r = fit_pole(system);
    for (int i = 0; i < count; ++i)
        *limit_target(system, i) =
            limit_value(system, i, r, b->force_scale[i] > 0 ? negligible_fraction * largest / b->force_scale[i] : 0);
    return true;
}

// A pose at which laws let the motion stay has nothing beside it that would tell.
static bool is_driven_singular(const cd_ode_system* system, double zero)
{
    const cardan_data* d = system->data;
    return system->has_constraints && d->constraints.ndriven > 0 && d->near_singular &&
           sqrt(system->conditioning.sigma_min_sq_rel) < fmax(cd_null_sigma, zero);
}

static void set_undetermined(cd_ode_system* system)
{
    const cardan_data*        d      = system->data;
    const cd_limit_reactions* limits = &d->reactions.limit;
    for (int i = 0; i < system->singular_limit.nreaction; ++i) *limit_target(system, i) = NAN;
    for (int j = 0; j < d->m->njoint; ++j) limits->joint_unique[j] = true;
    for (int i = 0; i < d->rows.nrow; ++i) limits->row_unique[i] = true;
}

bool cd_singular_limit_evaluate_reactions(cd_ode_system* system, double t, double zero)
{
    const bool is_singular   = is_driven_singular(system, zero);
    const bool is_standstill = is_singular && cd_drivers_are_at_standstill(system->data, true);
    if (!is_standstill && cd_singular_limit_has_nodes(system, t) && compute_limits(system)) return true;
    if (is_singular) set_undetermined(system);
    return is_singular;
}

void cd_singular_limit_apply_reactions(cd_ode_system* system)
{
    system->data->reactions.limit.valid = system->data->solution_valid;
}

void cd_singular_limit_invalidate_reactions(cd_ode_system* system)
{
    set_undetermined(system);
    cd_singular_limit_apply_reactions(system);
}
