// SPDX-License-Identifier: BSD-3-Clause
// J a - gamma beside what it is made of. A row that holds leaves the rounding of its terms,
//
//   |gamma|,  |G A| of its ends
//
// but these may be rounding themselves: at rest under weight accelerations are what is left of forces that balance.
// What cancelled there has sizes of its own,
//
//   |A(a = 0)| + w^2 |arm|     of links, which gamma is summed from           (cd_closure_terms)
//   |v|^2 / length             of points that move across, of which the rest cancels
//   |r| / inertia              accelerations without constraint forces
//   |r| / inertia of others    of motions that have none: constraints determine them, whatever the forces are, but for
//                              the rounding of the little inertia that eliminations lend them (formulation/loan.h);
//                              where rows miss far more than they ask for
//   |lambda| J^2 / inertia     what a row sees of its own force: light bodies between strong forces; with fewer digits
//                              lost, and not of soft rows, whose forces are their errors
//
// All in units of rows and velocities, radians and lengths. No size is absolute: laws of a micrometre per second
// contradict each other as those of a metre per second do.
#include "dynamics/row_error.h"

#include "formulation/loan.h"
#include "math/largest.h"

#include <math.h>

// Accelerations that efforts alone would give: each against the inertia behind its velocity.
static double freed(cardan_data* d)
{
    double most = 0;
    cd_know_right_side(d);
    for (int v = 0; v < d->m->nv; ++v)
        if (d->m->resistance[v] > 0)
            most = cd_larger(most, fabs(d->r[v]) / d->m->resistance[v] * (d->over_v ? d->over_v[v] : 1));
    return most;
}

// The same of motions without inertia, rotations and translations, beside those that have one.
static double lent(const cardan_data* d)
{
    double most[2]  = {0};
    int    where[2] = {0};
    for (int v = 0; v < d->m->nv; ++v) {
        const int turns = v3_dot(d->k.S[v].a, d->k.S[v].a) > 0;
        if (d->m->resistance[v] > d->m->lost[v] || !(fabs(d->r[v]) > most[turns])) continue;
        most[turns]  = fabs(d->r[v]);
        where[turns] = v;
    }
    for (int k = 0; k < 2; ++k)
        if (most[k] > 0) most[k] /= cd_loan_size(d->m, where[k]) * (k == 0 ? d->small : 1);
    return cd_larger(most[0], most[1]);
}

static double over_row(const cardan_data* d, int row) { return d->over_row ? d->over_row[row] : 1; }

static double summed(cardan_data* d)
{
    cd_know_terms(d);
    if (!d->over_row || d->rows.nrow == 0) return d->rows.terms;
    cd_world_accelerations(d->m, &d->k, d->v, d->rest, &d->world);
    return cd_closure_terms(&d->world, &d->closure, d->over_row);
}

static const double far_beyond = 1e3, of_forces = 1e-4, of_loans = 1e4;

static double forced(const cardan_data* d)
{
    double most = 0;
    if (d->formulation->supports & CD_ROUGH) return 0;
    for (int c = 0; c < d->closure.nconstraint; ++c) {
        const cd_row_block b = cd_way_of(d, &d->closure, c);
        for (int i = 0; i < b.nrow; ++i) {
            double mobility = 0;
            for (int j = 0; j < b.nv; ++j)
                if (d->m->resistance[b.v[j]] > 0)
                    mobility += b.J[i * b.nv + j] * b.J[i * b.nv + j] / d->m->resistance[b.v[j]];
            most = cd_larger(most, mobility * fabs(d->lambda[b.row + i]) * over_row(d, b.row + i));
        }
    }
    return isfinite(most) ? most : 0;
}

cd_row_miss cd_rows_missed(cardan_data* d, const double* a, double part)
{
    const spatial* A    = cd_twists_of(d, a);
    cd_row_miss    miss = {.row = CARDAN_NONE};
    for (int c = 0; c < d->rows.nblock; ++c) {
        const cd_row_block* b = &d->rows.block[c];
        for (int i = 0; i < b->nrow; ++i) {
            const double over = over_row(d, b->row + i);
            double       sum  = -d->gamma[b->row + i] * over;
            miss.asked        = cd_larger(miss.asked, fabs(sum));
            for (int n = 0; n < b->nend; ++n) {
                const double term = sv_dot(b->G[i * b->nend + n], A[b->link[n]]) * over;
                sum += term;
                miss.terms = cd_larger(miss.terms, fabs(term));
            }
            if (fabs(sum) > miss.error) miss.row = b->row + i;
            miss.error = cd_larger(miss.error, fabs(sum));
        }
    }
    miss.terms = cd_larger(miss.terms, miss.asked);
    if (!(miss.error > part * miss.terms)) return miss;
    const double fastest = cd_largest_motion(d, d->v), across = fastest * fastest * fmax(1, d->small / d->length);
    miss.rounding = cd_larger(cd_larger(cd_larger(summed(d), across), freed(d)), of_forces * forced(d));
    if (cd_unasked(&miss)) miss.rounding = cd_larger(miss.rounding, of_loans * lent(d));
    return miss;
}

bool cd_unasked(const cd_row_miss* miss) { return miss->error > far_beyond * miss->asked; }

double cd_missed(const cd_row_miss* miss, double part)
{
    const double size = cd_larger(miss->terms, part * miss->rounding);
    return miss->error > 0 ? miss->error / size : 0;
}
