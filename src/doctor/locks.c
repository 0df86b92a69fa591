// SPDX-License-Identifier: BSD-3-Clause
// Couplings that together leave the joints they couple no motion: two gears of different ratios between the same
// shafts, or a ring of gears whose ratios do not multiply to one. Every equation of theirs counts, and that is the
// doubt. It is no error, since rest satisfies them, as it does a truss; a law or a velocity at the start that asks for
// more is one. A velocity is locked by them if its unit vector lies in the span of their rows.
#include "doctor/findings.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static const double in_span = 1e-9;
enum { MOST_VELOCITIES = 1000 };

static bool couples(const cd_constraint* c) { return c->coupled && c->driven == 0; }

static bool is_locked(const cd_basis* span, int v)
{
    double sum = 0;
    for (int k = 0; k < span->count; ++k) sum += span->vector[k * span->n + v] * span->vector[k * span->n + v];
    return sum > 1 - in_span;
}

// Rows of one coupling added to the span of those before it. fresh (nv): velocities that this locks; returns how many.
static int add_coupling(const cardan_data* d, int i, cd_basis* span, double* x, bool* locked, bool* fresh)
{
    const cd_row_block b     = cd_way_of(d, &d->closure, i);
    int                count = 0;
    for (int row = 0; row < b.nrow; ++row) {
        double size = 0;
        for (int j = 0; j < b.nv; ++j) size = fmax(size, fabs(b.J[row * b.nv + j]));
        if (!(size > 0)) continue;
        memset(x, 0, (size_t)span->n * sizeof *x);
        for (int j = 0; j < b.nv; ++j) x[b.v[j]] = b.J[row * b.nv + j] / size;
        cd_basis_add(span, x, in_span);
    }
    for (int v = 0; v < span->n; ++v) {
        fresh[v] = !locked[v] && is_locked(span, v);
        locked[v] |= fresh[v];
        count += fresh[v];
    }
    return count;
}

static bool feels(const cardan_data* d, int i, const bool* which)
{
    const cd_row_block b = cd_way_of(d, &d->closure, i);
    for (int j = 0; j < b.nv; ++j)
        if (which[b.v[j]]) return true;
    return false;
}

// False without memory.
static bool tell(const cardan_data* d, int last, const bool* fresh, bool all, cardan_report* report)
{
    const cardan_model* m   = d->m;
    cd_text             who = {0}, what = {0};
    int                 nwho = 0, nwhat = 0, before = CARDAN_NONE;
    for (int i = 0; i <= last; ++i) {
        const cd_constraint* c = &d->closure.constraint[i];
        if (couples(c) && feels(d, i, fresh))
            cd_text_format(&who, "%s%s '%s'", nwho++ ? " and " : "", c->type->name, c->name);
    }
    for (int v = 0; v < m->nv; ++v) {
        int       local;
        const int j = fresh[v] ? cardan_model_joint_of_velocity(m, v, &local) : CARDAN_NONE;
        if (j == CARDAN_NONE || j == before) continue;
        cd_text_format(&what, "%s'%s'", nwhat++ ? " and " : "", m->joint[j].name);
        before = j;
    }
    const bool good = !who.failed && !what.failed;
    if (nwho > 1 && good)
        cardan_warn(report, CARDAN_CODE_LOCKED_MECHANISM, d->closure.constraint[last].place,
                    "%s together lock %s %s: their ratios contradict each other at every speed but zero, so that %s "
                    "can move; leave one out, or let their ratios agree",
                    who.data, nwhat == 1 ? "joint" : "joints", what.data,
                    all          ? "nothing in this mechanism"
                    : nwhat == 1 ? "it never"
                                 : "none of these");
    cd_text_free(&who);
    cd_text_free(&what);
    return good;
}

static cardan_status no_memory(const cardan_data* d, cardan_report* report)
{
    return cardan_fail(report, CARDAN_NO_MEMORY, CARDAN_CODE_OUT_OF_MEMORY, cardan_nowhere(),
                       "no memory to diagnose '%s'", d->m->view.name);
}

// At the state of the data, in coordinates of the shallow tree. still: nothing in the mechanism can move.
static cardan_status look(cardan_data* d, bool still, cardan_report* report)
{
    const int nv = d->m->nv;
    cd_basis  span;
    double*   x      = cd_allocate((size_t)nv + 1, sizeof *x);
    bool *    locked = cd_allocate((size_t)nv + 1, sizeof *locked), *fresh = cd_allocate((size_t)nv + 1, sizeof *fresh);
    bool      good = cd_basis_create(&span, nv) && x && locked && fresh;
    int       held = 0;
    cd_know_rows(d);
    for (int i = 0; good && i < d->closure.nconstraint; ++i) {
        const int more = couples(&d->closure.constraint[i]) ? add_coupling(d, i, &span, x, locked, fresh) : 0;
        held += more;
        if (more > 0) good = tell(d, i, fresh, still || held == nv, report);
    }
    cd_basis_free(&span);
    free(x), free(locked), free(fresh);
    return good ? CARDAN_OK : no_memory(d, report);
}

static bool has_couplings(const cardan_data* d)
{
    int count = 0;
    for (int i = 0; i < d->closure.nconstraint; ++i) count += couples(&d->closure.constraint[i]);
    return count > 1;
}

cardan_status cd_tell_locked(cd_patient* p, cardan_report* report)
{
    if (!has_couplings(p->d) || p->nv > MOST_VELOCITIES) return CARDAN_OK;
    cd_examine(p, p->closed);
    return look(p->d, p->rank == p->nv, report);
}

cardan_status cd_warn_locked(cardan_data* d, cardan_report* report)
{
    cardan_model* model = NULL;
    cardan_data*  data  = NULL;
    if (!has_couplings(d) || d->m->njoint > MOST_VELOCITIES) return CARDAN_OK;
    cardan_status status = cardan_model_compile(d->m->description, CARDAN_TREE_SHALLOW, &model, NULL);
    const bool    small  = status == CARDAN_OK && model->nv <= MOST_VELOCITIES;
    if (small) status = cd_data_create_bare(model, &data, NULL);
    if (small && status == CARDAN_OK) status = cardan_exchange(d, data);
    if (status == CARDAN_NO_MEMORY)
        no_memory(d, report);
    else
        status = small && status == CARDAN_OK ? look(data, false, report) : CARDAN_OK;
    cardan_data_destroy(data);
    cardan_model_destroy(model);
    return status;
}
