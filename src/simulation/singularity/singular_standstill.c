// SPDX-License-Identifier: BSD-3-Clause
// A motion that passes a singular configuration is continued by its velocity, and one that reverses there by its
// acceleration. If the drivers have neither, or start there, both branches are solutions, and round-off selects one.
//
// Whether a start is singular is decided at configurations that the drivers reach later: fewer of their rows are
// dependent.
#include "assembly/assembly_problem.h"
#include "simulation/singularity/singular_standstill.h"

#include "dynamics/data.h"
#include "dynamics/reactions/driver_efforts.h"
#include "dynamics/rows/constraint_update.h"
#include "dynamics/rows/joint_coordinates.h"
#include "dynamics/state.h"
#include "dynamics/winding_numbers.h"
#include "math/lapack.h"
#include "simulation/simulation_errors.h"
#include "simulation/simulation_tolerances.h"

#include <cardan/assemble.h>
#include <math.h>
#include <string.h>

// Largest joint speed on a loop; of all velocities if no joint is on a loop.
static double loop_speed(const cd_singular_events* events, cd_ode_system* system)
{
    cardan_data* d       = system->data;
    double       largest = 0, q[CARDAN_JOINT_VELOCITIES_MAX + 1], v[CARDAN_JOINT_VELOCITIES_MAX];
    bool         any     = false;
    for (int j = 0; j < system->description.njoint && j < d->m->njoint; ++j) {
        if (!cd_joint_is_on_loop(events, system, j)) continue;
        any = true;
        cardan_data_joint_state(d, j, q, v);
        for (int i = 0; i < d->m->tree_range[j].nv; ++i) {
            const bool is_rotation = strcmp(cardan_model_v_unit(d->m, j, i), "rad/s") == 0;
            largest                = fmax(largest, fabs(v[i]) / (is_rotation ? 1 : d->units.length_scale));
        }
    }
    return any ? largest : cd_velocity_scale(system, d->v);
}

static bool can_be_standstill(const cd_ode_system* system)
{
    const cardan_data* d    = system->data;
    const double       size = d->rows.nrow + d->m->nv;
    return system->has_constraints && d->constraints.ndriven > 0 &&
           size * size * d->m->nv <= cd_standstill_operations_max;
}

void cd_singular_standstill_layout(const cd_ode_system* system, cd_arena* arena, cd_singular_standstill* standstill)
{
    const cardan_data*   d    = system->data;
    cd_standstill_probe* p    = &standstill->probe;
    const int            nrow = d->rows.nrow, nv = d->m->nv;
    if (!can_be_standstill(system)) return;
    CD_ARENA_ARRAY(arena, p->start, d->m->njoint);
    CD_ARENA_ARRAY(arena, p->J, (size_t)nrow * (size_t)nv);
    CD_ARENA_ARRAY(arena, p->scale, nrow);
    CD_ARENA_ARRAY(arena, p->sigma, nrow + nv);
    CD_ARENA_ARRAY(arena, p->work, cd_lapack_svd_work(nrow, nv));
    cd_winding_numbers_layout(d, arena, &p->winding);
}

// Rank of the constraint rows at the state of the data; -1 if unknown.
static int constraint_rank(cd_ode_system* system, const cd_standstill_probe* p)
{
    cardan_data* d    = system->data;
    const int    nrow = d->rows.nrow, nv = d->m->nv, rank_max = nrow < nv ? nrow : nv;
    int          rank = 0;
    cd_update_rows(d);
    cd_scaled_jacobian(d, p->J, p->scale);
    if (!cd_lapack_svd(nrow, nv, p->J, p->sigma, NULL, NULL, p->work)) return -1;
    while (rank < rank_max && p->sigma[rank] > cd_standstill_null_sigma * fmax(1, p->sigma[0])) ++rank;
    return rank;
}

// Rank at the configuration that the drivers prescribe at time t, near the start.
static int constraint_rank_at(cd_ode_system* system, double t, const cd_standstill_probe* p)
{
    cardan_data*             d     = system->data;
    const cd_singular_limit* limit = &system->singular_limit;
    cd_singular_limit_restore_state(system);
    for (int j = 0; j < d->m->njoint; ++j) cardan_data_joint_state(d, j, p->start[j].q, p->start[j].v);
    const bool assembled = !cd_data_set_state(d, t, limit->q, limit->v, system->ns ? limit->state : NULL) &&
                           !cd_assemble_locally(d, p->start);
    return assembled ? constraint_rank(system, p) : -1;
}

static bool is_start_singular(cd_ode_system* system, const cd_standstill_probe* p)
{
    static const double fraction[] = {0.03, 0.3, 0.9}; // of the remaining time
    const double        from       = system->data->t;
    const double        remaining  = fmin(system->settings.t_end - from, system->settings.span);
    const int           rank_start = constraint_rank(system, p);
    bool                found      = false;
    if (rank_start < 0 || rank_start == system->data->rows.nrow) return false;
    for (size_t i = 0; i < sizeof fraction / sizeof *fraction && !found; ++i)
        found = constraint_rank_at(system, from + fraction[i] * remaining, p) > rank_start;
    return found;
}

bool cd_singular_standstill_check_start(cd_singular_standstill* standstill, const cd_singular_events* events,
                                        cd_ode_system* system)
{
    cardan_data* d = system->data;
    *standstill    = (cd_singular_standstill){.row = CARDAN_NONE, .probe = standstill->probe};
    if (!can_be_standstill(system) || !cd_drivers_are_at_standstill(d, false) ||
        loop_speed(events, system) > cd_standstill_speed)
        return false;
    cd_singular_limit_save_state(system);
    cd_update_off_tree_joints(d);
    cd_winding_numbers_save(d, &standstill->probe.winding);
    standstill->is_standstill = is_start_singular(system, &standstill->probe);
    standstill->t             = system->singular_limit.t;
    cd_winding_numbers_restore(&standstill->probe.winding, d);
    cd_singular_limit_restore_state(system);
    return standstill->is_standstill;
}

static void warn_standstill(cd_singular_standstill* standstill, const cd_singular_events* events, cd_ode_system* system,
                            const cd_ode_state* x, cardan_report* report)
{
    char loops[160];
    cd_name_singular_loops(events, system, standstill->t - x->t, standstill->row, loops, sizeof loops, NULL);
    cd_data_set_state(system->data, x->t, x->q, x->z, cd_user_states(system, x->z));
    cd_warn_singular_standstill(standstill->t, loops, report);
}

void cd_singular_standstill_update(cd_singular_standstill* standstill, const cd_singular_events* events,
                                   cd_ode_system* system, const cd_ode_state* x, double zero, cardan_report* report)
{
    cardan_data*           d = system->data;
    const cd_conditioning* f = &system->conditioning;
    if (!system->has_constraints || d->constraints.ndriven == 0 || d->t != x->t || f->t != x->t) return;
    const double s = sqrt(f->sigma_min_sq_rel), singular = fmax(cd_null_sigma, zero);
    if (!standstill->is_standstill && !(d->settings.near_singular && s < singular)) return;
    if (standstill->is_standstill && s >= cd_leaving_sigma_ratio * singular &&
        !cd_drivers_are_at_standstill(d, false)) {
        warn_standstill(standstill, events, system, x, report);
        standstill->is_standstill = false;
    } else if (cd_drivers_are_at_standstill(d, true) && (standstill->is_standstill || d->settings.near_singular) &&
               loop_speed(events, system) <=
                   cd_slow_velocity_ratio * cd_velocity_scale(system, system->singular_limit.entry_velocity) +
                       cd_standstill_speed)
        *standstill = (cd_singular_standstill){true, x->t, f->row, standstill->probe};
}
