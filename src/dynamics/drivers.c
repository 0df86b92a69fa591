// SPDX-License-Identifier: BSD-3-Clause
// What drivers must exert. The force of a row is -G'lambda; a driver's row is 1 along the motion it drives, so its
// effort is -lambda, and its power -lambda times the rate of its law.
#include "dynamics/data.h"

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
    for (int c = 0; c < d->closure.nconstraint; ++c)
        for (unsigned bits = d->closure.constraint[c].driven; bits; bits &= bits - 1) ++count;
    return count;
}

// A row on rotations alone is a torque.
static bool is_torque(const cd_constraint* c, int row)
{
    if (c->coupled) return c->coupled->coordinate[0].measure >= CD_ANGLE_Z;
    int translations = 0;
    for (int i = 0; i < 3; ++i) translations += (c->locks >> i & 1) != 0;
    return c->type == &cd_constraint_lock && row >= translations;
}

cardan_driver cardan_driver_at(const cardan_data* d, int i)
{
    int       number = 0;
    const int row    = find(d, i, &number);
    if (row < 0) return (cardan_driver){.name = "", .joint = CARDAN_NONE, .axis = CARDAN_NONE, .unit = ""};
    const cd_constraint* c = &d->closure.constraint[number];
    const cd_coupled*    k = c->coupled;
    return (cardan_driver){.name      = c->name,
                           .joint     = k ? k->coordinate[0].joint : CARDAN_NONE,
                           .axis      = k ? k->coordinate[0].axis_index : CARDAN_NONE,
                           .component = row,
                           .unit      = is_torque(c, row) ? "N m" : "N"};
}

void cardan_driver_efforts(const cardan_data* d, double* effort)
{
    int i = 0;
    for (int c = 0; c < d->closure.nconstraint; ++c)
        for (int row = 0; row < d->closure.constraint[c].nrow; ++row)
            if (d->closure.constraint[c].driven >> row & 1)
                effort[i++] = -d->lambda[d->closure.constraint[c].first_row + row];
}

// -lambda'(J v) of the driven rows: J v is what the law asks for, where the rows hold.
double cd_driver_power(const cardan_data* d)
{
    double power = 0;
    if (!d->solved) return 0;
    for (int i = 0; i < d->closure.nconstraint; ++i) {
        const cd_constraint* c = &d->closure.constraint[i];
        for (int row = 0; c->driven && row < c->nrow; ++row) {
            if (!(c->driven >> row & 1)) continue;
            for (int n = 0; n < c->nend; ++n)
                power -= d->lambda[c->first_row + row] *
                         sv_dot(d->closure.equations[i].G[row * c->nend + n], d->world.velocity[cd_end_at(c, n)->link]);
        }
    }
    return power;
}
