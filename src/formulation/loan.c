// SPDX-License-Identifier: BSD-3-Clause
// Loans of inertia; loan.h says what for.
#include "formulation/loan.h"

#include <math.h>

static const double part       = 1e-7;  // of the inertia behind a velocity
static const double enough     = 1e-14; // change of the last iteration, relative
static const double determined = 1e-12; // what is left of a motion that is, squared
static const double stays      = 0.8;   // what an iteration leaves of one that is not, squared
enum { MOST_ITERATIONS = 30 };

void cd_loan_layout(const cardan_model* m, const cd_rows* rows, cd_arena* arena, cd_loan* loan)
{
    CD_TAKE(arena, loan->lent, m->nv);
    CD_TAKE(arena, loan->r, m->nv);
    CD_TAKE(arena, loan->before, m->nv);
    CD_TAKE(arena, loan->gamma, rows->nrow);
    CD_TAKE(arena, loan->lambda, rows->nrow);
    for (int v = 0; loan->lent && v < m->nv; ++v) loan->lent[v] = 0;
    loan->any = false;
}

static bool slides(const cd_link* link, int v)
{
    return link->motion == CD_SLIDE || (link->nv == 6 && v - link->v < 3);
}

// Inertia behind a velocity, or where there is none but rounding what others of its kind have: mean of those, and of
// all where there are none.
double cd_loan_size(const cardan_model* m, int v)
{
    if (m->resistance[v] > m->lost[v]) return m->resistance[v];
    double    sum[2] = {0}, all = 0;
    int       count[2] = {0}, n = 0;
    const int kind = slides(&m->link[m->v_link[v]], v);
    for (int u = 0; u < m->nv; ++u) {
        if (!(m->resistance[u] > 0)) continue;
        const int other = slides(&m->link[m->v_link[u]], u);
        sum[other] += m->resistance[u];
        all += m->resistance[u];
        ++count[other];
        ++n;
    }
    return count[kind] > 0 ? sum[kind] / count[kind] : n > 0 ? all / n : 1;
}

bool cd_loan_take(const cardan_model* m, const cd_rows* rows, cd_loan* loan, int v)
{
    if (rows->nrow == 0 || v < 0 || loan->lent[v] > 0) return false;
    loan->lent[v] = part * cd_loan_size(m, v);
    loan->any     = true;
    return true;
}

void cd_loan_solve(const cardan_model* m, const cd_kinematics* k, const cd_rows* rows, const cd_loan* loan,
                   cd_solve_once once, void* work, const real* r, const real* gamma, real* a, real* lambda)
{
    if (!loan->any) {
        once(m, k, rows, work, r, gamma, a, lambda);
        return;
    }
    for (int v = 0; v < m->nv; ++v) loan->before[v] = r_lift(0);
    for (int n = 0; n < MOST_ITERATIONS; ++n) {
        double change = 0, size = 0;
        for (int v = 0; v < m->nv; ++v)
            loan->r[v] = loan->lent[v] > 0 ? r_add(r[v], r_mul(r_lift(loan->lent[v]), loan->before[v])) : r[v];
        once(m, k, rows, work, loan->r, gamma, a, lambda);
        for (int v = 0; v < m->nv; ++v) {
            if (loan->lent[v] > 0) change = fmax(change, fabs(r_value(a[v]) - r_value(loan->before[v])));
            size            = fmax(size, fabs(r_value(a[v])));
            loan->before[v] = a[v];
        }
        if (!(change > enough * size)) return;
    }
}

// What the loan moves: sum of E a^2; and the velocity that has most of it.
static double moved(const cardan_model* m, const cd_loan* loan, const real* a, int* worst)
{
    double sum = 0, most = 0;
    for (int v = 0; v < m->nv; ++v) {
        const double here = loan->lent[v] * r_value(a[v]) * r_value(a[v]);
        sum += here;
        if (!(here > most)) continue;
        most   = here;
        *worst = v;
    }
    return sum;
}

// From a motion of all that was lent to, as general as any: of what is determined hardly anything is left, the rest
// stays.
int cd_loan_undetermined(const cardan_model* m, const cd_kinematics* k, const cd_rows* rows, const cd_loan* loan,
                         cd_solve_once once, void* work, real* a)
{
    int worst = CARDAN_NONE;
    if (!loan->any) return CARDAN_NONE;
    for (int v = 0; v < m->nv; ++v)
        a[v] = r_lift(loan->lent[v] > 0 ? (1 + 0.5 * sin(1.7 * v)) / sqrt(loan->lent[v]) : 0);
    for (int i = 0; i < rows->nrow; ++i) loan->gamma[i] = r_lift(0);
    const double begun = moved(m, loan, a, &worst);
    double       left  = begun;
    for (int n = 0; n < MOST_ITERATIONS; ++n) {
        const double before = left;
        for (int v = 0; v < m->nv; ++v) loan->r[v] = r_mul(r_lift(loan->lent[v]), a[v]);
        once(m, k, rows, work, loan->r, loan->gamma, a, loan->lambda);
        left = moved(m, loan, a, &worst);
        if (left < determined * begun) return CARDAN_NONE;
        if (n > 0 && !(left < stays * before)) return worst;
    }
    return CARDAN_NONE;
}
