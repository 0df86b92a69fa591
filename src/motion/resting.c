// SPDX-License-Identifier: BSD-3-Clause
// A motion that passes a singular pose keeps its velocity, and one that turns back there its acceleration. Where laws
// have neither, or begin there, both branches are motions of the mechanism, and rounding takes one of them.
//
// Whether a start is singular is told by poses that the laws ask for later: fewer of their rows depend on each other.
#include "motion/resting.h"

#include "dynamics/data.h"
#include "dynamics/turns.h"
#include "math/lapack.h"
#include "motion/failure.h"

#include <cardan/assemble.h>
#include <math.h>
#include <string.h>

static const double left       = 10;   // times s of a singular pose: it is another one
static const double slow       = 1e-3; // of the velocity that led there
static const double still      = 1e-9; // [rad/s, lengths/s]
static const double null_value = 1e-6; // singular values of rows in units
static const double most_work  = 1e8;  // operations

// The fastest joint on a loop; of all where loops are none of joints.
static double speed_of_loops(const cd_passage* p, cd_system* system)
{
    cardan_data* d    = system->data;
    double       most = 0, q[CARDAN_JOINT_MAX + 1], v[CARDAN_JOINT_MAX];
    bool         any  = false;
    for (int j = 0; j < system->said.njoint && j < d->m->njoint; ++j) {
        if (!cd_passage_on_loop(p, system, j)) continue;
        any = true;
        cardan_joint_state(d, j, q, v);
        for (int i = 0; i < d->m->slot[j].nv; ++i) {
            const bool turns = strcmp(cardan_model_v_unit(d->m, j, i), "rad/s") == 0;
            most             = fmax(most, fabs(v[i]) / (turns ? 1 : d->length));
        }
    }
    return any ? most : cd_fastest(system, d->v);
}

static bool may_rest(const cd_system* system)
{
    const cardan_data* d    = system->data;
    const double       size = d->rows.nrow + d->m->nv;
    return system->loops && d->closure.ndriving > 0 && size * size * d->m->nv <= most_work;
}

void cd_rest_layout(const cd_system* system, cd_arena* arena, cd_resting* r)
{
    const cardan_data* d    = system->data;
    cd_rest_probe*     p    = &r->probe;
    const int          nrow = d->rows.nrow, nv = d->m->nv;
    if (!may_rest(system)) return;
    CD_TAKE(arena, p->start, d->m->njoint);
    CD_TAKE(arena, p->J, (size_t)nrow * (size_t)nv);
    CD_TAKE(arena, p->scale, nrow);
    CD_TAKE(arena, p->sigma, nrow + nv);
    CD_TAKE(arena, p->work, cd_lapack_svd_work(nrow, nv));
    cd_turns_layout(d, arena, &p->turns);
}

// How many independent rows there are where the data are; -1 where that cannot be told.
static int rank_of(cd_system* system, const cd_rest_probe* p)
{
    cardan_data* d    = system->data;
    const int    nrow = d->rows.nrow, nv = d->m->nv, most = nrow < nv ? nrow : nv;
    int          rank = 0;
    cd_know_rows(d);
    cd_scaled_rows(d, p->J, p->scale);
    if (!cd_lapack_svd(nrow, nv, p->J, p->sigma, NULL, NULL, p->work)) return -1;
    while (rank < most && p->sigma[rank] > null_value * fmax(1, p->sigma[0])) ++rank;
    return rank;
}

// At the pose that the laws ask for at time t, near the start.
static int rank_later(cd_system* system, double t, const cd_rest_probe* p)
{
    cardan_data*     d = system->data;
    const cd_beside* b = &system->beside;
    cd_beside_return(system);
    for (int j = 0; j < d->m->njoint; ++j) cardan_joint_state(d, j, p->start[j].q, p->start[j].v);
    const bool good = !cd_data_set(d, t, b->q, b->v, system->ns ? b->state : NULL) && !cd_assemble_near(d, p->start);
    return good ? rank_of(system, p) : -1;
}

static bool is_singular(cd_system* system, const cd_rest_probe* p)
{
    static const double part[] = {0.03, 0.3, 0.9}; // of the time to come
    const double        from   = system->data->t;
    const int           here   = rank_of(system, p);
    bool                found  = false;
    if (here < 0 || here == system->data->rows.nrow) return false;
    for (size_t i = 0; i < sizeof part / sizeof *part && !found; ++i)
        found = rank_later(system, from + part[i] * (system->end - from), p) > here;
    return found;
}

bool cd_rest_begin(cd_resting* r, const cd_passage* passage, cd_system* system)
{
    cardan_data* d = system->data;
    *r             = (cd_resting){.row = CARDAN_NONE, .probe = r->probe};
    if (!may_rest(system) || !cd_laws_rest(d, false) || speed_of_loops(passage, system) > still) return false;
    cd_beside_keep(system);
    cd_know_measured(d);
    cd_turns_keep(d, &r->probe.turns);
    r->rests = is_singular(system, &r->probe);
    r->t     = system->beside.t;
    cd_turns_return(&r->probe.turns, d);
    cd_beside_return(system);
    return r->rests;
}

static void tell(cd_resting* r, const cd_passage* p, cd_system* system, const cd_point* x, cardan_report* report)
{
    char where[160];
    cd_passage_name(p, system, r->t - x->t, r->row, where, sizeof where, NULL);
    cd_data_set(system->data, x->t, x->q, x->z, system->ns ? x->z + system->nv : NULL);
    cd_warn_rest(r->t, where, report);
}

void cd_rest_look(cd_resting* r, const cd_passage* p, cd_system* system, const cd_point* x, double zero,
                  cardan_report* report)
{
    cardan_data*       d = system->data;
    const cd_firmness* f = &system->firmness;
    if (!system->loops || d->closure.ndriving == 0 || d->t != x->t || f->t != x->t) return;
    const double s = sqrt(f->value), singular = fmax(cd_null_part, zero);
    if (!r->rests && !(d->near && s < singular)) return;
    if (r->rests && s >= left * singular && !cd_laws_rest(d, false)) {
        tell(r, p, system, x, report);
        r->rests = false;
    } else if (cd_laws_rest(d, true) && (r->rests || d->near) &&
               speed_of_loops(p, system) <= slow * cd_fastest(system, system->beside.entry) + still)
        *r = (cd_resting){true, x->t, f->row, r->probe};
}
