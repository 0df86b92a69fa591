// SPDX-License-Identifier: BSD-3-Clause
// Lengths of a mechanism, which what is small is measured by. Differences of places that are the same are rounding of
// the places, and no length: axes that meet in one point leave the mass centres, then the radii of gyration.
#include "dynamics/data.h"

#include "math/largest.h"
#include "math/quaternion.h"

#include <cardan/assemble.h>
#include <math.h>

static const double rounding = 1e-12; // of coordinates in the description
static const double no_arm   = 1e-9;  // of the design: less than a drawing tells
static const double no_way   = 1e-6;  // of what a row feels of turns: none of ways

// Radius of gyration on average, about mass centres; 0 where no body has one.
static double gyration(const cardan_model* m)
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

// Where joint i, or a mass centre behind the joints, is in the design. far: coordinates it was summed from.
static void place_at(const cardan_model* m, int i, double p[3], double* far)
{
    const int         njoint = m->view.njoint, on = i < njoint ? m->view.joint[i].first : i - njoint;
    const double*     own = i < njoint ? m->view.joint[i].frame_first.p : m->view.body[on].centre;
    const cardan_pose T   = on == CARDAN_GROUND ? cardan_pose_default() : m->view.body[on].pose;
    pose_point(T, own, p);
    *far = fmax(*far, fmax(cd_largest(3, own), cd_largest(3, T.p)));
}

double cd_design_length(const cardan_model* m)
{
    double low[3] = {INFINITY, INFINITY, INFINITY}, high[3] = {-INFINITY, -INFINITY, -INFINITY}, extent = 0, far = 0;
    for (int i = 0; i < m->view.njoint + m->nbody; ++i) {
        double p[3];
        place_at(m, i, p, &far);
        for (int k = 0; k < 3; ++k) {
            low[k]  = fmin(low[k], p[k]);
            high[k] = fmax(high[k], p[k]);
        }
    }
    for (int k = 0; k < 3; ++k) extent = fmax(extent, high[k] - low[k]);
    if (!isfinite(extent) || !(extent > rounding * far)) extent = 2 * gyration(m);
    return extent > 0 ? extent / 2 : 1;
}

double cd_length_of(const cardan_data* d)
{
    const double design = d->reacting.length;
    double       most   = 0;
    for (int i = 0; i < d->m->nlink; ++i) most = fmax(most, cd_largest(3, d->m->mount[i].p));
    for (int i = 0; i < d->closure.nconstraint; ++i)
        for (int n = 0; n < d->closure.constraint[i].nend; ++n)
            most = fmax(most, cd_largest(3, cd_end_at(&d->closure.constraint[i], n)->p));
    if (most > no_arm * design) return most;
    return 2 * design > 1 ? 2 * design : fmin(1, 20 * design); // no arms: a metre, but where all is small
}

// ---- units

void cd_measure_velocities(cardan_data* d)
{
    for (int i = 0; d->over_v && i < d->m->nv; ++i)
        d->over_v[i] = v3_dot(d->k.S[i].a, d->k.S[i].a) > 0 ? 1 : 1 / d->small;
}

// Rows that feel ways are made of lengths; what they say of one length is 1.
void cd_measure_rows(cardan_data* d)
{
    for (int i = 0; i < d->closure.nconstraint; ++i) {
        const cd_constraint* c = &d->closure.constraint[i];
        for (int k = 0; k < c->nrow; ++k) {
            double way = 0, turn = 0;
            for (int n = 0; n < c->nend; ++n) {
                const spatial G = d->closure.equations[i].G[k * c->nend + n];
                way             = fmax(way, d->small * sqrt(v3_dot(G.l, G.l)));
                turn            = fmax(turn, sqrt(v3_dot(G.a, G.a)));
            }
            d->over_row[c->first_row + k] = way > no_way * turn && way < 1 ? 1 / way : 1;
        }
    }
    d->measured_rows = true;
}

double cd_largest_row(const cardan_data* d, int first, int n, const double* x)
{
    return d->over_row && d->measured_rows ? cd_largest_of(n, x, d->over_row + first) : cd_largest(n, x);
}

double cd_largest_motion(const cardan_data* d, const double* x)
{
    return d->over_v ? cd_largest_of(d->m->nv, x, d->over_v) : cd_largest(d->m->nv, x);
}

void cd_gaps(cardan_data* d, double* position, double* velocity)
{
    cardan_closure_error(d, NULL, NULL);
    if (position) *position = d->open;
    if (velocity) *velocity = d->open_rate;
}
