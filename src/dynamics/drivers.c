// SPDX-License-Identifier: BSD-3-Clause
// What drivers must exert. The force of rows is -G'lambda, and a law x moves the rows of its constraint by -dc / dx, so
// that its effort is -lambda'(-dc / dx), and its power that times the rate of the law. Most laws move one row, theirs,
// by 1; a law of rotation moves all rotations of its lock (cd_moved_by).
//
// Where drivers repeat each other or other constraints, lambda is one choice of many, and efforts are taken from that
// of least norm which reactions are taken from too (reactions.c): the two balance. Whether that can be is seen without
// singular values. The efforts are unique where no self-stress, J'z = 0, has a part in drivers, z'dc/dx = 0 for all z;
// that is where every rate of the drivers can be had, J x = s for all s that laws could ask for. A solution for one s
// of no special direction is one for all, since those s that have one are a space.
#include "dynamics/data.h"
#include "core/arguments.h"
#include "math/finite.h"

#include <cardan/kinematics.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

// Row of the i-th driver within its constraint; *constraint its number. -1 where there are fewer.
static int find(const cardan_data* d, int i, int* constraint)
{
    for (int c = 0; c < d->closure.nconstraint; ++c)
        for (int row = 0; row < d->closure.constraint[c].nrow; ++row)
            if (d->closure.constraint[c].driven >> row & 1 && i-- == 0) {
                *constraint = c;
                return row;
            }
    return -1;
}

int cardan_driver_count(const cardan_data* d)
{
    int count = 0;
    for (int c = 0; d && c < d->closure.nconstraint; ++c)
        for (unsigned bits = d->closure.constraint[c].driven; bits; bits &= bits - 1) ++count;
    return count;
}

// A row on rotations alone is a torque.
bool cd_row_is_torque(const cd_constraint* c, int row)
{
    if (c->coupled) return c->coupled->coordinate[0].measure >= CD_ANGLE_Z;
    int translations = 0;
    for (int i = 0; i < 3; ++i) translations += (c->locks >> i & 1) != 0;
    return c->type == &cd_constraint_lock && row >= translations;
}

cardan_driver cardan_driver_at(const cardan_data* d, int i)
{
    int       number = 0;
    const int row    = d && i >= 0 ? find(d, i, &number) : -1;
    if (row < 0) return (cardan_driver){.name = "", .joint = CARDAN_NONE, .axis = CARDAN_NONE, .unit = ""};
    const cd_constraint* c = &d->closure.constraint[number];
    const cd_coupled*    k = c->coupled;
    return (cardan_driver){.name      = c->name,
                           .joint     = k ? k->coordinate[0].joint : CARDAN_NONE,
                           .axis      = k ? k->coordinate[0].axis_index : CARDAN_NONE,
                           .component = row,
                           .unit      = cd_row_is_torque(c, row) ? "N m" : "N"};
}

// By how much the law of a driven row moves each row of its constraint.
static void moved_by(const cardan_data* d, int constraint, int row, double part[CD_ROWS_MAX])
{
    const cd_constraint* c      = &d->closure.constraint[constraint];
    const cd_end         end[2] = {cd_end_of(&c->end[0], &d->world), cd_end_of(&c->end[1], &d->world)};
    const cd_moment      now    = {.law = d->closure.law};
    cd_moved_by(c, end, &now, &d->closure.equations[constraint], row, part);
}

static double effort_of(const cardan_data* d, int constraint, int row, const double* lambda)
{
    const cd_constraint* c = &d->closure.constraint[constraint];
    double               part[CD_ROWS_MAX], effort = 0;
    moved_by(d, constraint, row, part);
    for (int i = 0; i < c->nrow; ++i)
        if (part[i] != 0) effort -= part[i] * lambda[c->first_row + i];
    return effort;
}

static bool is_unique(const cardan_data* d, int constraint, int row)
{
    double part[CD_ROWS_MAX];
    moved_by(d, constraint, row, part);
    return cd_rows_are_unique(d, &d->closure.constraint[constraint], row, part);
}

// What the accelerations of laws by themselves ask of their rows: s (nrow of the system).
static void asked(const cardan_data* d, double* s)
{
    for (int i = 0; i < d->system.nrow; ++i) s[i] = 0;
    for (int k = 0; k < d->closure.ndriving; ++k) {
        const cd_constraint* c = &d->closure.constraint[d->closure.driving[k]];
        for (int row = 0; row < c->nrow; ++row) {
            double part[CD_ROWS_MAX];
            if (!(c->driven >> row & 1) || d->off[d->closure.driving[k]]) continue;
            const double x = d->closure.law[3 * cd_law_of_row(c, row) + 2];
            moved_by(d, d->closure.driving[k], row, part);
            for (int i = 0; i < c->nrow; ++i) s[c->first_row + i] += part[i] * x;
        }
    }
}

bool cd_law_accelerations(cardan_data* d, double* a)
{
    cd_where where = {.v = CARDAN_NONE, .row = CARDAN_NONE};
    if (d->closure.ndriving == 0 || cd_know_factor(d, &where) != CARDAN_OK) return false;
    asked(d, d->reacting.rate);
    return cd_least_change(d, d->reacting.rate, a) == CARDAN_OK;
}

static const double rest = 1e-9; // [rad/s, lengths/s, and these per s] of laws

bool cd_laws_rest(cardan_data* d, bool lasting)
{
    cd_know_rows(d);
    for (int k = 0; k < d->closure.ndriving; ++k) {
        const cd_constraint* c = &d->closure.constraint[d->closure.driving[k]];
        for (int row = 0; row < c->nrow; ++row) {
            if (!(c->driven >> row & 1) || d->off[d->closure.driving[k]]) continue;
            const double* law = d->closure.law + (ptrdiff_t)3 * cd_law_of_row(c, row);
            const double  most =
                rest * fmin(1, d->length) / d->small / (d->over_row ? d->over_row[c->first_row + row] : 1);
            if (!(fabs(law[1]) <= most) || (lasting && !(fabs(law[2]) <= most))) return false;
        }
    }
    return true;
}

static const double reached = 1e-6; // part of a rate that may be missed, where a solve is not refined

// Whether the drivers can all go their own ways at the state.
static bool independent(cardan_data* d)
{
    double * s = d->reacting.rate, *x = d->reacting.answer;
    cd_where where = {.v = CARDAN_NONE, .row = CARDAN_NONE};
    if (cd_know_factor(d, &where) != CARDAN_OK) return false;
    for (int i = 0; i < d->system.nrow; ++i) s[i] = 0;
    for (int k = 0, n = 0; k < d->closure.ndriving; ++k) {
        const cd_constraint* c = &d->closure.constraint[d->closure.driving[k]];
        for (int row = 0; row < c->nrow; ++row) {
            double part[CD_ROWS_MAX];
            if (!(c->driven >> row & 1) || d->off[d->closure.driving[k]]) continue;
            const double rate = 1 + 0.37 * sin(1.0 + n++);
            moved_by(d, d->closure.driving[k], row, part);
            for (int i = 0; i < c->nrow; ++i) s[c->first_row + i] += part[i] * rate;
        }
    }
    if (cd_least_change(d, s, x) != CARDAN_OK) return false;
    cd_jacobian_times(d, &d->rows, x, d->reacting.lambda);
    for (int i = 0; i < d->rows.nrow; ++i)
        if (!(fabs(d->reacting.lambda[i] - s[i]) <= reached)) return false;
    return true;
}

cardan_status cardan_driver_efforts(cardan_data* d, const double* a, double* effort, bool* unique)
{
    CD_REFUSE_NULL(d, "data", NULL);
    if (d->closure.ndriving == 0) return CARDAN_OK;
    CD_REFUSE_NULL(effort, "effort", NULL);
    CD_REFUSE_NO_ARRAY(a, d->m->nv, "a", NULL);
    if (!cd_are_finite(d->m->nv, a)) return CARDAN_BAD_USAGE;
    const bool    free   = !d->reacting.given.known && independent(d);
    const double* lambda = free ? d->lambda : d->reacting.lambda;
    int           i      = 0;
    if (!free) cd_react(d, a);
    for (int c = 0; c < d->closure.nconstraint; ++c)
        for (int row = 0; row < d->closure.constraint[c].nrow; ++row) {
            if (!(d->closure.constraint[c].driven >> row & 1)) continue;
            effort[i] = effort_of(d, c, row, lambda);
            if (unique) unique[i] = free || is_unique(d, c, row);
            ++i;
        }
    return CARDAN_OK;
}

// -lambda'(J v) of the rows that laws move: J v is what they ask for, where the rows hold. Whatever lambda is chosen,
// its sum is the same: other rows do not move, so that a self-stress, J'z = 0, has no power in these.
double cd_driver_power(const cardan_data* d)
{
    double power = 0;
    if (!d->solved) return 0;
    for (int k = 0; k < d->closure.ndriving; ++k) {
        const int            i = d->closure.driving[k];
        const cd_constraint* c = &d->closure.constraint[i];
        for (int row = 0; row < c->nrow; ++row) {
            if (!(cd_moved_rows(c) >> row & 1)) continue;
            for (int n = 0; n < c->nend; ++n)
                power -= d->lambda[c->first_row + row] *
                         sv_dot(d->closure.equations[i].G[row * c->nend + n], d->world.velocity[cd_end_at(c, n)->link]);
        }
    }
    return power;
}

// Which law of motion row `row` of a constraint follows, or -1. Locks have one per motion, the others one in all.
int cd_law_of_row(const cd_constraint* c, int row)
{
    int n = 0;
    if (c->type == &cd_constraint_lock)
        for (unsigned bits = c->locks; n < 5 && (!(bits >> n & 1) || row-- > 0);) ++n;
    return c->law[n] - 1;
}

cardan_status cardan_data_drive(cardan_data* d, int i, const double law[3])
{
    CD_REFUSE_NULL(d, "data", NULL);
    int       number = 0;
    const int row    = i >= 0 ? find(d, i, &number) : -1;
    if (row < 0 || (law && !cd_are_finite(3, law))) return CARDAN_BAD_USAGE;
    const int n = cd_law_of_row(&d->closure.constraint[number], row);
    d->outer[n] = law != NULL;
    if (law) memcpy(d->outer_law + 3 * n, law, 3 * sizeof *law);
    d->renew = true;
    return CARDAN_OK;
}

// Power that a driver puts in, where its law moves or sets out; -1 where it stands still.
static double demand(const cardan_data* d, int constraint)
{
    const cd_constraint* c    = &d->closure.constraint[constraint];
    double               most = -1;
    for (int row = 0; row < c->nrow; ++row) {
        if (!(c->driven >> row & 1)) continue;
        const double *law  = d->closure.law + 3 * cd_law_of_row(c, row),
                     power = fabs(law[1] * effort_of(d, constraint, row, d->lambda));
        if (law[1] != 0)
            most = fmax(most, isfinite(power) ? power : INFINITY);
        else if (law[2] != 0)
            most = fmax(most, 0);
    }
    return most;
}

static bool touches(const cardan_data* d, int constraint, const double* mark)
{
    const cd_row_block b = cd_way_of(d, &d->closure, constraint);
    for (int j = 0; j < b.nv; ++j)
        if (mark[b.v[j]] > 0) return true;
    return false;
}

static bool some_demand(const cardan_data* d)
{
    for (int i = 0; i < d->closure.nconstraint; ++i)
        if (demand(d, i) >= 0) return true;
    return false;
}

// Marks the velocities that constraint number `from` has to do with, through whatever others; all where it is
// CARDAN_NONE.
static void mark_connected(const cardan_data* d, int from, double* mark)
{
    for (int i = 0; i < d->m->nv; ++i) mark[i] = from == CARDAN_NONE;
    if (from == CARDAN_NONE) return;
    const cd_row_block first = cd_way_of(d, &d->closure, from);
    for (int j = 0; j < first.nv; ++j) mark[first.v[j]] = 1;
    for (bool more = true; more;) {
        more = false;
        for (int i = 0; i < d->rows.nblock; ++i) {
            if (!touches(d, i, mark)) continue;
            const cd_row_block b = cd_way_of(d, &d->closure, i);
            for (int j = 0; j < b.nv; ++j) {
                more         = more || mark[b.v[j]] == 0;
                mark[b.v[j]] = 1;
            }
        }
    }
}

int cd_demanding(const cardan_data* d, int near, char* text, size_t size)
{
    double most   = -1;
    int    first  = CARDAN_NONE;
    size_t length = 0;
    if (!some_demand(d)) return first;
    mark_connected(d, near, d->x);
    for (int i = 0; i < d->closure.nconstraint; ++i)
        if (touches(d, i, d->x)) most = fmax(most, demand(d, i));
    for (int i = 0; i < d->closure.nconstraint && most >= 0; ++i) {
        const cd_constraint* c = &d->closure.constraint[i];
        if (!touches(d, i, d->x) || demand(d, i) < fmax(0, 0.01 * most)) continue;
        if (length + 100 < size)
            length += (size_t)snprintf(text + length, size - length, "%s%s '%.50s'", first >= 0 ? " and " : "", c->what,
                                       c->name);
        if (first < 0) first = i;
    }
    return first;
}

// The state of the data in the coordinates of the shallow tree, by the yardstick; NULL where that is too large.
static cardan_data* yardstick(cardan_data* d, cardan_model** other)
{
    enum { DENSE_UP_TO = 600 };
    cardan_data* dense = NULL;
    const bool   small = d->m->nv + d->rows.nrow <= DENSE_UP_TO, own = d->m->policy == CARDAN_TREE_SHALLOW;
    *other = NULL;
    if (!small) return NULL;
    cardan_status status = own ? CARDAN_OK : cardan_model_compile(d->m->description, CARDAN_TREE_SHALLOW, other, NULL);
    if (status == CARDAN_OK)
        status = cardan_data_create(own ? d->m : *other, cardan_formulation_find("dense"), &dense, NULL);
    d->starved = d->starved || status == CARDAN_NO_MEMORY;
    if (status != CARDAN_OK) return NULL;
    memcpy(dense->outer, d->outer, (size_t)d->m->nmotion * sizeof *d->outer);
    memcpy(dense->outer_law, d->outer_law, 3 * (size_t)d->m->nmotion * sizeof *d->outer_law);
    if (cardan_exchange(d, dense) == CARDAN_OK) return dense;
    cardan_data_destroy(dense);
    return NULL;
}

// Where no gap stays, by power: multipliers near a pose that cannot be passed are as good as the pivots of a
// formulation; the yardstick's are the same for all of them.
cardan_place cd_beyond(cardan_data* d, int near, char* text, size_t size)
{
    cardan_model* other = NULL;
    cardan_data*  dense = yardstick(d, &other);
    int           i     = dense ? cd_pulling(dense, text, size) : CARDAN_NONE;
    if (dense && i == CARDAN_NONE && near == CARDAN_NONE) {
        double* a = cd_allocate((size_t)dense->m->nv + 1, sizeof *a);
        if (a) (void)cardan_accelerate(dense, a, NULL, NULL);
        if (a) i = cd_demanding(dense, near, text, size);
        d->starved = d->starved || !a;
        free(a);
    }
    d->starved         = d->starved || (dense && dense->starved);
    cardan_place place = i != CARDAN_NONE ? dense->closure.constraint[i].place : cardan_nowhere();
    if (i == CARDAN_NONE && (i = cd_demanding(d, near, text, size)) != CARDAN_NONE)
        place = d->closure.constraint[i].place;
    cardan_data_destroy(dense);
    cardan_model_destroy(other);
    return place;
}

cardan_status cd_fail_starved(cardan_data* d, cardan_report* report)
{
    d->starved = false;
    return cardan_fail(report, CARDAN_NO_MEMORY, CARDAN_CODE_OUT_OF_MEMORY, cardan_nowhere(),
                       "no memory to tell why the motion of '%s' failed", d->m->view.name);
}

cardan_status cd_fail_demand(cardan_data* d, cardan_status status, cardan_report* report)
{
    char               who[300] = "the motion";
    const cardan_place place    = cd_beyond(d, CARDAN_NONE, who, sizeof who);
    if (d->starved) return cd_fail_starved(d, report);
    return cardan_fail(report, status, CARDAN_CODE_DRIVER_LIMIT, place,
                       "%s cannot be followed beyond t = %.7g s: no pose nearby satisfies the law and the joints of "
                       "'%s'; the mechanism is at the "
                       "end of its reach there, or drivers contradict each other",
                       who, d->t, d->m->view.name);
}
