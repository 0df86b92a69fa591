// SPDX-License-Identifier: BSD-3-Clause
// Locate the zero of a singular value s between two points at which its sign differs: by false position (Illinois;
// Dowell, Jarratt 1971, BIT 11) with evaluations inside the step. s with its sign is smooth, so a few evaluations
// converge. At the distance d from a singular configuration s = sqrt(x^2 + d^2), and its singular vector reverses
// where x changes its sign: then d is found.
#include "simulation/singularity/singular_events.h"

#include "dynamics/data.h"
#include "dynamics/projection/near_singular_projection.h"
#include "dynamics/state.h"
#include "simulation/simulation_tolerances.h"

#include <math.h>

enum { MAX_ITERATIONS = 40 };

cardan_status cd_conditioning_at(cd_ode_system* system, const cd_ode_state* x)
{
    cardan_status status = cd_data_set_ode_state(system, x);
    if (!status) status = cardan_data_accelerate(system->data, system->a, NULL, NULL);
    if (!status || cd_constraints_inconsistent(system, status)) cd_conditioning_update(system);
    if (!status) cd_compare_generated_code(system, system->a);
    return status;
}

cardan_status cd_conditioning_on_constraints(cd_ode_system* system, const cd_ode_state* x)
{
    cardan_data*  d      = system->data;
    cardan_status status = cd_data_set_ode_state(system, x);
    if (!status) status = cd_project_near_singular(d);
    if (!status) status = cardan_data_accelerate(d, system->a, NULL, NULL);
    if (!status || cd_constraints_inconsistent(system, status)) cd_conditioning_update(system);
    return status;
}

bool cd_conditioning_is_known(const cd_ode_system* system, cardan_status status)
{
    return !status || (cd_constraints_inconsistent(system, status) && system->data->settings.near_singular);
}

// Tracked sigma of the group at time t, on the constraints: off them no configuration is singular. Returns false if
// it is unknown.
static bool tracked_sigma_at(cd_ode_system* system, cd_step_interior in, double t, int group, cd_tracked_sigma* tracked)
{
    if (in.integrator->dense_output(system, in.work, t, in.state) ||
        !cd_conditioning_is_known(system, cd_conditioning_on_constraints(system, in.state)))
        return false;
    cd_conditioning_track_directions(system);
    *tracked = system->conditioning.tracked_sigma[group];
    return true;
}

// Bracket of the zero, with the sign of s; last: the end that was replaced last.
typedef struct bracket {
    double t[2], s[2];
    int    last;
} bracket;

// If a direction cannot be compared with the previous one, return the side whose sign makes the slopes on both sides
// more equal.
static int likely_side(const bracket* b, double t, double s)
{
    double asymmetry[2];
    for (int end = 0; end < 2; ++end) {
        const double sigma = end ? -s : s, slope_before = (b->s[0] - sigma) / (t - b->t[0]),
                     slope_after = (sigma - b->s[1]) / (b->t[1] - t);
        asymmetry[end]           = fabs(slope_before - slope_after);
    }
    return asymmetry[1] < asymmetry[0];
}

// Illinois: the value at an end that stays is halved.
static void shrink_bracket(bracket* b, int end, double t, double s)
{
    if (end == b->last) b->s[1 - end] /= 2;
    b->t[end] = t;
    b->s[end] = end ? -s : s;
    b->last   = end;
}

double cd_singular_crossing_locate(cd_ode_system* system, cd_step_interior in, int group, cd_sigma_point first,
                                   cd_sigma_point last, double* t)
{
    const double duration       = last.t - first.t;
    bracket      b              = {{first.t, last.t}, {first.sigma, -last.sigma}, -1};
    double       smallest_sigma = fmin(first.sigma, last.sigma);
    int          end            = 1;
    *t                          = first.sigma < last.sigma ? first.t : last.t;
    for (int i = 0; i < MAX_ITERATIONS && smallest_sigma > cd_located_sigma &&
                    b.t[1] - b.t[0] > cd_crossing_time_tolerance * duration;
         ++i) {
        const double     t_new = (b.t[0] * b.s[1] - b.t[1] * b.s[0]) / (b.s[1] - b.s[0]);
        cd_tracked_sigma tracked;
        if (!(t_new > b.t[0] && t_new < b.t[1]) ||
            !tracked_sigma_at(system, in, fmax(in.t_start, t_new), group, &tracked))
            break;
        end = tracked.sign == 0 ? likely_side(&b, t_new, tracked.sigma_min_rel) : tracked.sign < 0 ? 1 - end : end;
        shrink_bracket(&b, end, t_new, tracked.sigma_min_rel);
        if (tracked.sigma_min_rel < smallest_sigma) {
            smallest_sigma = tracked.sigma_min_rel;
            *t             = t_new;
        }
    }
    in.integrator->dense_output(system, in.work, fmax(in.t_start, *t), in.state);
    return smallest_sigma;
}
