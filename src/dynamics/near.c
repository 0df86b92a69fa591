// SPDX-License-Identifier: BSD-3-Clause
// Onto the constraints near a singular pose. There rows are about to depend on each other, with a singular value s of
// the order of the distance to the pose, and two branches of the motion meet. A gap c moves the state by c/s, and that
// is to be believed only as long as it is small beside the distance,
//
//   c/s << s:    rows with s^2 <= 10 |c| are left alone, s^2 relative to the largest in the run
//
// or the state may land on the other branch. As the gap shrinks the rows come back one by one. Newton's method, a new
// factor for every iteration, to the last digit: what is left of a gap, divided by s^2, is what turns the motion from
// its branch. docs/theory/singular.md.
#include "dynamics/data.h"

#include <cardan/assemble.h>

#include <float.h>
#include <math.h>

enum { MOST = 10 };

static double gap_of(cardan_data* d, bool velocities)
{
    double position, velocity;
    cd_gaps(d, &position, &velocity);
    return velocities ? velocity : position;
}

static void move(cardan_data* d, bool velocities, double sign)
{
    for (int i = 0; i < d->m->nv; ++i) d->dx[i] *= sign;
    if (velocities) {
        for (int i = 0; i < d->m->nv; ++i) d->v[i] += d->dx[i];
        cd_set_velocity(d, d->v);
    } else {
        cardan_model_move(d->m, d->q, d->dx, d->q);
        cd_data_set(d, d->t, d->q, d->v, d->state);
    }
}

static cardan_status correct(cardan_data* d, bool velocities)
{
    cd_where where = {.v = CARDAN_NONE, .row = CARDAN_NONE};
    cd_know_rows(d);
    const double* c = velocities ? d->closure.rate : d->closure.value;
    for (int i = 0; i < d->rows.nrow; ++i) d->s[i] = -c[i];
    for (int i = d->rows.nrow; i < d->system.nrow; ++i) d->s[i] = 0;
    d->system.doubt      = fmin(1e-4, 10 * d->rows.gap) * (d->firmest > 0 ? fmin(1, d->firmest) : 1);
    cardan_status status = cd_know_factor(d, &where);
    if (status == CARDAN_OK)
        status = d->formulation->solve(d->m, &d->k, &d->system, d->work, d->rest, d->s, d->dx, d->y, &where);
    if (!velocities && (status == CARDAN_OK || status == CARDAN_INCONSISTENT)) cd_let_slip(d, d->s, d->dx);
    d->system.doubt = 0;
    return status == CARDAN_INCONSISTENT ? CARDAN_OK : status;
}

static cardan_status iterate(cardan_data* d, bool velocities)
{
    double       gap     = gap_of(d, velocities);
    const double fastest = velocities ? fmax(1, cd_largest_motion(d, d->v)) : 1;
    for (int i = 0; i < MOST && gap > 2 * DBL_EPSILON * fastest; ++i) {
        const cardan_status status = correct(d, velocities);
        if (status != CARDAN_OK) return status;
        if (velocities && !cd_velocity_believable(d, gap)) break;
        move(d, velocities, 1);
        const double next = gap_of(d, velocities);
        if (!(next < gap)) {
            move(d, velocities, -1);
            break;
        }
        if (next > 0.5 * gap) break;
        gap = next;
    }
    return CARDAN_OK;
}

cardan_status cd_approach(cardan_data* d)
{
    if (d->rows.nrow == 0) return CARDAN_OK;
    cd_parts_complete(d);
    cardan_status status = iterate(d, false);
    if (status == CARDAN_OK) status = iterate(d, true);
    return status;
}
