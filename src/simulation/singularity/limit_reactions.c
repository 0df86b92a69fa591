// SPDX-License-Identifier: BSD-3-Clause
// Reactions and driver efforts at a sample at a singular configuration. Rows are dependent there that are independent
// elsewhere, and a self-stress exists; the actual reactions are the limit of those at neighbouring configurations.
// With six nodes u[n] along the motion, three on either side, every wrench and effort is represented as
//
//   f(u) = c/(u - r) + a polynomial,     D(uf) - r D(f) = 0,     c = -D(f) (u[0] - r) ... (u[5] - r)
//
// D is the divided difference of order five, which vanishes for polynomials of lower degree; r, the time of the
// singular configuration, is common to all f (least squares). If c cannot be distinguished from round-off, f has a
// limit, by the Lagrange polynomial at u = 0. Otherwise f is unbounded towards the singular configuration, and f(0)
// is known only if r can be distinguished from zero. If the motion reverses at the singular configuration, f grows
// with 1/u^2, which is no such pole: r is then far from the sample, and an f that does not converge without c is
// unbounded. docs/theory/singular.md (5).
#include "simulation/singularity/limit_acceleration.h"

#include "dynamics/data.h"
#include "dynamics/reactions/driver_efforts.h"
#include "simulation/ode/ode_system.h"
#include "simulation/simulation_tolerances.h"

#include <math.h>

enum { NODES = 6 };

// Collect wrenches and multipliers; multipliers of loop-closing joints are in their wrenches.
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

// Scales that convert moments and multipliers to forces.
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

// Store which reactions are unique at the nodes: those are unique here too, although a self-stress exists.
static void store_uniqueness(cardan_data* d)
{
    cd_limit_reactions* limits = &d->reactions.limit;
    for (int j = 0; j < d->m->njoint; ++j) limits->joint_unique[j] = d->reactions.self_stress.unique[j];
    for (int c = 0; c < d->constraints.nconstraint; ++c)
        for (int row = 0; row < d->constraints.constraint[c].nrow; ++row) {
            double part[CD_CONSTRAINT_ROWS_MAX] = {0};
            part[row]                           = 1;
            limits->row_unique[d->constraints.constraint[c].first_row + row] =
                cd_multiplier_sum_is_unique(d, &d->constraints.constraint[c], row, part);
        }
}

static bool evaluate_nodes(cd_ode_system* system)
{
    cd_singular_limit* limit = &system->singular_limit;
    for (int n = 0; n < NODES; ++n) {
        if (!cd_singular_limit_evaluate_node(system, limit->result_u[n], limit->interpolant[0])) return false;
        cd_compute_reactions(system->data, limit->interpolant[0]);
        collect_reactions(system, limit->node_reaction[n]);
    }
    set_force_scales(system, limit->force_scale);
    store_uniqueness(system->data);
    return true;
}

// Compute D(f), and D(u f) into *D_uf.
static double divided_difference(const cd_singular_limit* limit, int i, double* D_uf)
{
    double sum = 0;
    *D_uf      = 0;
    for (int n = 0; n < NODES; ++n) {
        double part = limit->node_reaction[n][i];
        for (int k = 0; k < NODES; ++k)
            if (k != n) part /= limit->result_u[n] - limit->result_u[k];
        sum += part;
        *D_uf += part * limit->result_u[n];
    }
    return sum;
}

static double nearest_node_distance(const cd_singular_limit* limit, double r)
{
    double smallest = INFINITY;
    for (int n = 0; n < NODES; ++n) smallest = fmin(smallest, fabs(limit->result_u[n] - r));
    return smallest;
}

// Compute r; 0 if all f are polynomials, INFINITY if it is far from the sample.
static double fit_pole(const cd_ode_system* system)
{
    const cd_singular_limit* limit = &system->singular_limit;
    double                   sum = 0, weighted_sum = 0;
    for (int i = 0; i < system->singular_limit.nreaction; ++i) {
        double       D_uf;
        const double D_f = divided_difference(limit, i, &D_uf), w = limit->force_scale[i] * limit->force_scale[i];
        sum += w * D_f * D_f;
        weighted_sum += w * D_f * D_uf;
    }
    const double r = sum > 0 ? weighted_sum / sum : 0;
    return fabs(r) < cd_pole_distance_max * nearest_node_distance(limit, 0) ? r : INFINITY;
}

// Compute c of f number i.
static double pole_residue(const cd_singular_limit* limit, int i, double r)
{
    double D_uf, c = -divided_difference(limit, i, &D_uf);
    for (int n = 0; n < NODES; ++n) c *= limit->result_u[n] - r;
    return c;
}

// Largest |f - c/(u - r)| of f number i at the nodes.
static double largest_at_nodes(const cd_singular_limit* limit, int i, double c, double r)
{
    double largest = 0;
    for (int n = 0; n < NODES; ++n)
        largest = fmax(largest, fabs(limit->node_reaction[n][i] - c / (limit->result_u[n] - r)));
    return largest;
}

// Value of the polynomial at u = 0, from the nearest `count` nodes.
static double interpolate_at_zero(const cd_singular_limit* limit, int i, double c, double r, int count)
{
    double sum = 0;
    for (int n = 0; n < count; ++n) {
        double part = limit->node_reaction[n][i] - c / (limit->result_u[n] - r);
        for (int k = 0; k < count; ++k)
            if (k != n) part *= limit->result_u[k] / (limit->result_u[k] - limit->result_u[n]);
        sum += part;
    }
    return sum;
}

// Value of f number i at the sample, NAN if unbounded; `negligible`: size of a negligible part.
static double limit_value(const cd_ode_system* system, int i, double r, double negligible)
{
    const cd_singular_limit* limit = &system->singular_limit;
    const double residue = isfinite(r) ? pole_residue(limit, i, r) : 0, size = largest_at_nodes(limit, i, 0, 0);
    const bool   pole =
        residue != 0 && fabs(residue) > (cd_pole_tolerance * size + negligible) * nearest_node_distance(limit, r);
    const double c = pole ? residue : 0, value = interpolate_at_zero(limit, i, c, r, NODES);
    if (!(fabs(value - interpolate_at_zero(limit, i, c, r, NODES - 2)) <=
          cd_reaction_convergence_tolerance * largest_at_nodes(limit, i, c, r) + negligible))
        return NAN;
    if (!pole) return value;
    return fabs(r) * cd_velocity_scale(system, limit->direction) > cd_pole_distance_min ? value - c / r : NAN;
}

// Address of f number i among the limit reactions.
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
    cd_singular_limit* limit   = &system->singular_limit;
    const int          count   = limit->nreaction;
    double             largest = 0;
    if (!evaluate_nodes(system)) return false;
    for (int i = 0; i < count; ++i) largest = fmax(largest, limit->force_scale[i] * largest_at_nodes(limit, i, 0, 0));
    if (!isfinite(largest)) return false;
    const double r = fit_pole(system);
    for (int i = 0; i < count; ++i)
        *limit_target(system, i) = limit_value(
            system, i, r,
            limit->force_scale[i] > 0 ? cd_negligible_reaction_fraction * largest / limit->force_scale[i] : 0);
    return true;
}

// Return whether drivers lead to a singular configuration; where they stop there, neighbouring states give no limit.
static bool is_driven_singular(const cd_ode_system* system, double zero)
{
    const cardan_data* d = system->data;
    return system->has_constraints && d->constraints.ndriven > 0 && d->settings.near_singular &&
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
    system->data->reactions.limit.valid = system->data->valid.solution;
}

void cd_singular_limit_invalidate_reactions(cd_ode_system* system)
{
    set_undetermined(system);
    cd_singular_limit_apply_reactions(system);
}
