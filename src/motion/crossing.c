// SPDX-License-Identifier: BSD-3-Clause
// Where a singular value s passes zero between two looks at which its sign differs: by false position (Illinois;
// Dowell, Jarratt 1971, BIT 11) with looks inside the step. s is smooth with its sign, so a few looks bring it to zero.
// Beside a singular pose, at the distance d, it is sqrt(x^2 + d^2), and its direction turns round where x changes its
// sign: then d is found.
#include "motion/passage.h"

#include "dynamics/data.h"

#include <math.h>

static const double at_zero = 1e-6; // s
static const double apart   = 1e-6; // of the way between the looks: the time is known
enum { MOST = 40 };

cardan_status cd_system_look(cd_system* system, const cd_point* x)
{
    cardan_status status = cd_data_reach(system->data, x->t, x->q, x->z, system->ns ? x->z + system->nv : NULL);
    if (!status) status = cardan_accelerate(system->data, system->a, NULL, NULL);
    if (!status || cd_rows_disagree(system, status)) cd_firmness_look(system);
    if (!status) cd_system_compare_code(system, system->a);
    return status;
}

cardan_status cd_system_look_closed(cd_system* system, const cd_point* x)
{
    cardan_data*  d      = system->data;
    cardan_status status = cd_data_reach(d, x->t, x->q, x->z, system->ns ? x->z + system->nv : NULL);
    if (!status) status = cd_approach(d);
    if (!status) status = cardan_accelerate(d, system->a, NULL, NULL);
    if (!status || cd_rows_disagree(system, status)) cd_firmness_look(system);
    return status;
}

bool cd_has_looked(const cd_system* system, cardan_status status)
{
    return !status || (cd_rows_disagree(system, status) && system->data->near);
}

// What is seen of the group at time t, on the constraints: beside them no pose is singular. False where there is
// nothing to see.
static bool look_inside(cd_system* system, cd_within in, double t, int group, cd_seen* seen)
{
    if (in.integrator->inside(system, in.work, t, in.at) ||
        !cd_has_looked(system, cd_system_look_closed(system, in.at)))
        return false;
    cd_firmness_follow(system);
    *seen = system->firmness.seen[group];
    return true;
}

// The two ends of what holds the zero, with the sign of s; and which of them came last.
typedef struct bracket {
    double t[2], s[2];
    int    last;
} bracket;

// Where a direction cannot be compared with the last one the sign is that with which slopes on both sides fit better.
static int likely_end(const bracket* b, double t, double s)
{
    double misfit[2];
    for (int end = 0; end < 2; ++end) {
        const double now = end ? -s : s, left = (b->s[0] - now) / (t - b->t[0]),
                     right = (now - b->s[1]) / (b->t[1] - t);
        misfit[end]        = fabs(left - right);
    }
    return misfit[1] < misfit[0];
}

// Illinois: an end that stays counts half.
static void narrow(bracket* b, int end, double t, double s)
{
    if (end == b->last) b->s[1 - end] /= 2;
    b->t[end] = t;
    b->s[end] = end ? -s : s;
    b->last   = end;
}

double cd_crossing_find(cd_system* system, cd_within in, int group, cd_look before, cd_look behind, double* t)
{
    const double way   = behind.t - before.t;
    bracket      b     = {{before.t, behind.t}, {before.s, -behind.s}, -1};
    double       least = fmin(before.s, behind.s);
    int          end   = 1;
    *t                 = before.s < behind.s ? before.t : behind.t;
    for (int i = 0; i < MOST && least > at_zero && b.t[1] - b.t[0] > apart * way; ++i) {
        const double now = (b.t[0] * b.s[1] - b.t[1] * b.s[0]) / (b.s[1] - b.s[0]);
        cd_seen      seen;
        if (!(now > b.t[0] && now < b.t[1]) || !look_inside(system, in, fmax(in.from, now), group, &seen)) break;
        end = seen.sign == 0 ? likely_end(&b, now, seen.s) : seen.sign < 0 ? 1 - end : end;
        narrow(&b, end, now, seen.s);
        if (seen.s < least) {
            least = seen.s;
            *t    = now;
        }
    }
    in.integrator->inside(system, in.work, fmax(in.from, *t), in.at);
    return least;
}
