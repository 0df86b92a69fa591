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
#include "motion/beside.h"

#include "dynamics/data.h"
#include "motion/system.h"

#include <math.h>

static const double told   = 1e-5; // of f at poses beside: a part of c/(u - r) that is none of rounding
static const double faint  = 1e-6; // of the largest f of all: nothing of it is told
static const double settle = 1e-3; // of f: by how much four and six poses may differ
static const double within = 1e-5; // [rad, lengths] of r: which side of the pose the row is on is not known
static const double aside  = 0.5;  // of the way to the nearest pose beside: a pole farther away is none of this pose
enum { NODES = 6 };

// Multipliers of joints that close loops are in their wrenches.
static void gather(const cd_system* system, double* f)
{
    const cardan_data* d = system->data;
    const cd_reacting* r = &d->reacting;
    const int          n = system->beside.nwrench;
    for (int j = 0; j < n; ++j) {
        const spatial F       = j < d->m->njoint ? r->carried[j] : cd_constraint_wrench(d, j - d->m->njoint);
        const double  each[6] = {F.a.x, F.a.y, F.a.z, F.l.x, F.l.y, F.l.z};
        for (int k = 0; k < 6; ++k) f[6 * j + k] = each[k];
    }
    for (int i = 0; i < d->rows.nrow; ++i) f[6 * n + i] = i < r->stress.first_other ? 0 : r->lambda[i];
}

// How much of a force a moment or a multiplier is.
static void weigh(const cd_system* system, double* force_of)
{
    const cardan_data* d      = system->data;
    const double       length = d->reacting.length;
    const int          n      = 6 * system->beside.nwrench;
    for (int i = 0; i < n; ++i) force_of[i] = i % 6 < 3 ? 1 / length : 1;
    for (int c = 0; c < d->closure.nconstraint; ++c)
        for (int row = 0; row < d->closure.constraint[c].nrow; ++row)
            force_of[n + d->closure.constraint[c].first_row + row] = cd_row_size(d, c, row) / length;
}

// What is unique at poses beside is unique here: more could be carried, but not by this motion.
static void keep_unique(cardan_data* d)
{
    cd_limits* given = &d->reacting.given;
    for (int j = 0; j < d->m->njoint; ++j) given->unique[j] = d->reacting.stress.unique[j];
    for (int c = 0; c < d->closure.nconstraint; ++c)
        for (int row = 0; row < d->closure.constraint[c].nrow; ++row) {
            double part[CD_ROWS_MAX] = {0};
            part[row]                = 1;
            given->row_unique[d->closure.constraint[c].first_row + row] =
                cd_rows_are_unique(d, &d->closure.constraint[c], row, part);
        }
}

static bool visit(cd_system* system)
{
    cd_beside* b = &system->beside;
    for (int n = 0; n < NODES; ++n) {
        if (!cd_beside_go(system, b->best_u[n], b->by[0])) return false;
        cd_react(system->data, b->by[0]);
        gather(system, b->reaction[n]);
    }
    weigh(system, b->force_of);
    keep_unique(system->data);
    return true;
}

// D(f), and D(u f) into *moved.
static double difference(const cd_beside* b, int i, double* moved)
{
    double sum = 0;
    *moved     = 0;
    for (int n = 0; n < NODES; ++n) {
        double part = b->reaction[n][i];
        for (int k = 0; k < NODES; ++k)
            if (k != n) part /= b->best_u[n] - b->best_u[k];
        sum += part;
        *moved += part * b->best_u[n];
    }
    return sum;
}

static double nearest_to(const cd_beside* b, double r)
{
    double least = INFINITY;
    for (int n = 0; n < NODES; ++n) least = fmin(least, fabs(b->best_u[n] - r));
    return least;
}

// r, or 0 where all f are polynomials, INFINITY where it is nowhere near the row.
static double pole_of(const cd_system* system)
{
    const cd_beside* b   = &system->beside;
    double           sum = 0, along = 0;
    for (int i = 0; i < system->beside.nreaction; ++i) {
        double       moved;
        const double own = difference(b, i, &moved), w = b->force_of[i] * b->force_of[i];
        sum += w * own * own;
        along += w * own * moved;
    }
    const double r = sum > 0 ? along / sum : 0;
    return fabs(r) < aside * nearest_to(b, 0) ? r : INFINITY;
}

// c of f number i.
static double strength_of(const cd_beside* b, int i, double r)
{
    double moved, c = -difference(b, i, &moved);
    for (int n = 0; n < NODES; ++n) c *= b->best_u[n] - r;
    return c;
}

// Largest f number i less c/(u - r) at poses beside.
static double largest_of(const cd_beside* b, int i, double c, double r)
{
    double most = 0;
    for (int n = 0; n < NODES; ++n) most = fmax(most, fabs(b->reaction[n][i] - c / (b->best_u[n] - r)));
    return most;
}

// The polynomial at u = 0, from the nearest `count` poses.
static double at_row(const cd_beside* b, int i, double c, double r, int count)
{
    double sum = 0;
    for (int n = 0; n < count; ++n) {
        double part = b->reaction[n][i] - c / (b->best_u[n] - r);
        for (int k = 0; k < count; ++k)
            if (k != n) part *= b->best_u[k] / (b->best_u[k] - b->best_u[n]);
        sum += part;
    }
    return sum;
}

// f number i at the row, NAN where that has no bound; `slight`: what of it is nothing.
static double value_of(const cd_system* system, int i, double r, double slight)
{
    const cd_beside* b   = &system->beside;
    const double     own = isfinite(r) ? strength_of(b, i, r) : 0, size = largest_of(b, i, 0, 0);
    const bool       pole = own != 0 && fabs(own) > (told * size + slight) * nearest_to(b, r);
    const double     c = pole ? own : 0, value = at_row(b, i, c, r, NODES);
    if (!(fabs(value - at_row(b, i, c, r, NODES - 2)) <= settle * largest_of(b, i, c, r) + slight)) return NAN;
    if (!pole) return value;
    return fabs(r) * cd_fastest(system, b->toward) > within ? value - c / r : NAN;
}

// Where f number i goes.
static double* place_of(const cd_system* system, int i)
{
    cd_limits* given = &system->data->reacting.given;
    const int  n = system->beside.nwrench, njoint = system->data->m->njoint;
    if (i >= 6 * n) return &given->lambda[i - 6 * n];
    spatial*      F    = i / 6 < njoint ? &given->carried[i / 6] : &given->between[i / 6 - njoint];
    vec3*         half = i % 6 < 3 ? &F->a : &F->l;
    double* const to[] = {&half->x, &half->y, &half->z};
    return to[i % 3];
}

static bool react(cd_system* system)
{
    cd_beside* b     = &system->beside;
    const int  count = b->nreaction;
    double     most  = 0;
    if (!visit(system)) return false;
    for (int i = 0; i < count; ++i) most = fmax(most, b->force_of[i] * largest_of(b, i, 0, 0));
    if (!isfinite(most)) return false;
    const double r = pole_of(system);
    for (int i = 0; i < count; ++i)
        *place_of(system, i) = value_of(system, i, r, b->force_of[i] > 0 ? faint * most / b->force_of[i] : 0);
    return true;
}

// A pose at which laws let the motion stay has nothing beside it that would tell.
static bool is_null(const cd_system* system, double zero)
{
    const cardan_data* d = system->data;
    return system->loops && d->closure.ndriving > 0 && d->near &&
           sqrt(system->firmness.value) < fmax(cd_null_part, zero);
}

static void know_nothing(cd_system* system)
{
    const cardan_data* d     = system->data;
    const cd_limits*   given = &d->reacting.given;
    for (int i = 0; i < system->beside.nreaction; ++i) *place_of(system, i) = NAN;
    for (int j = 0; j < d->m->njoint; ++j) given->unique[j] = true;
    for (int i = 0; i < d->rows.nrow; ++i) given->row_unique[i] = true;
}

bool cd_beside_react(cd_system* system, double t, double zero)
{
    const bool null_here = is_null(system, zero);
    const bool rests     = null_here && cd_laws_rest(system->data, true);
    if (!rests && cd_beside_stands(system, t) && react(system)) return true;
    if (null_here) know_nothing(system);
    return null_here;
}

void cd_beside_give(cd_system* system) { system->data->reacting.given.known = system->data->solved; }

void cd_beside_doubt(cd_system* system)
{
    know_nothing(system);
    cd_beside_give(system);
}
