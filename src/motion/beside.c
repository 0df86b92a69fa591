// SPDX-License-Identifier: BSD-3-Clause
// A motion passes a singular pose smoothly, with bounded accelerations. What is not bounded is the noise: with s, the smallest singular value of the rows, a
// gap e that rounding leaves of the constraints is an acceleration of the order e v^2/s^3, and at s = 0 rows say nothing. So at poses with s below
// s_near nobody asks for accelerations; they are interpolated between poses before and behind, on the way that the motion takes,
//
//   x(u) = (q + u v, v) put on the constraints,      a = [4 (a(x(T)) + a(x(-T))) - a(x(2T)) - a(x(-2T))] / 6 + O(T^4),
//
// which holds for any smooth way through the pose. T is as short as all four poses are firm. With x' the rate of the weak direction s is |x'| T there: the noise is e/s^3 and the
// error of interpolation s^4, in units of v^2, both some 1e-9 for s = 3e-3. Where the motion does not leave the singular pose (it turns round there, or follows it)
// nothing is gained, and the pose itself has to do. docs/theory/singular.md.
#include "motion/beside.h"

#include "dynamics/data.h"
#include "motion/system.h"

#include <math.h>
#include <string.h>

static const double way    = 0.02; // [rad, lengths] T |v|
static const double firmer = 3;

void cd_beside_layout(cd_system* system, cd_arena* arena)
{
    cd_beside* b = &system->beside;
    CD_TAKE(arena, b->q, system->nq);
    CD_TAKE(arena, b->there, system->nq);
    CD_TAKE(arena, b->state, system->ns);
    double** const each[] = {&b->v, &b->way, &b->a, &b->sum};
    for (size_t i = 0; i < sizeof each / sizeof *each; ++i) CD_TAKE(arena, *each[i], system->nv);
}

bool cd_beside_wanted(const cd_system* system) { return system->loops && system->firmness.value < pow(way / (1 + firmer), 2); }

// The fastest velocity [1/s], lengths measured by that of the mechanism.
static double fastest(const cd_system* system, const double* v)
{
    double most = 0;
    for (int i = 0; i < system->nv; ++i) most = fmax(most, fabs(v[i]) * (system->z_floor[i] < 1 ? 1 / cd_length_of(system->data) : 1));
    return most;
}

void cd_beside_begin(cd_system* system) { system->beside.last = -INFINITY; }

void cd_beside_keep(cd_system* system)
{
    const cardan_data* d = system->data;
    cd_beside*         b = &system->beside;
    if (!system->loops) return;
    b->t = d->t;
    memcpy(b->q, d->q, (size_t)system->nq * sizeof *b->q);
    memcpy(b->v, d->v, (size_t)system->nv * sizeof *b->v);
    if (system->ns) memcpy(b->state, d->state, (size_t)system->ns * sizeof *b->state);
}

void cd_beside_return(cd_system* system)
{
    const cd_beside* b = &system->beside;
    cardan_data_set(system->data, b->t, b->q, b->v, system->ns ? b->state : NULL);
}

// a at the pose u [s] away; false where that is not firm.
static bool accelerate_at(cd_system* system, double u)
{
    cardan_data* d = system->data;
    cd_beside*   b = &system->beside;
    for (int i = 0; i < system->nv; ++i) b->way[i] = u * b->v[i];
    cardan_model_move(system->model, b->q, b->way, b->there);
    if (cardan_data_set(d, b->t + u, b->there, b->v, system->ns ? b->state : NULL) || cd_approach(d)) return false;
    if (cardan_accelerate(d, b->a, NULL, NULL)) return false;
    cd_firmness_look(system);
    return true;
}

// The poses at +-T, +-2T, +-3T; false where one of them is not far firmer than s.
static bool interpolate(cd_system* system, double T, double s)
{
    static const double place[6] = {-1, 1, -2, 2, -3, 3}, weight[6] = {0.75, 0.75, -0.3, -0.3, 0.05, 0.05};
    cd_beside*          b     = &system->beside;
    memset(b->sum, 0, (size_t)system->nv * sizeof *b->sum);
    for (int n = 0; n < 6; ++n) {
        if (!accelerate_at(system, place[n] * T) || !(sqrt(system->firmness.value) > firmer * s)) return false;
        for (int i = 0; i < system->nv; ++i) b->sum[i] += weight[n] * b->a[i];
    }
    return true;
}

bool cd_beside_accelerate(cd_system* system, double* a)
{
    static const double length[] = {1, 0.7, 1.4};
    cd_beside*          b        = &system->beside;
    const double        fast = fastest(system, b->v), s = sqrt(system->firmness.value);
    if (!(fast > 0)) return false;
    for (size_t i = 0; i < sizeof length / sizeof *length; ++i) {
        if (!interpolate(system, length[i] * way / fast, s)) continue;
        memcpy(a, b->sum, (size_t)system->nv * sizeof *a);
        b->last = b->t;
        return true;
    }
    return false;
}
