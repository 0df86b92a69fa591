// SPDX-License-Identifier: BSD-3-Clause
// Slopes by forward differentiation: the equations are evaluated on dual numbers, CD_DIRECTIONS columns at a time. An evaluation on dual
// numbers costs some eight plain ones, so a column costs about as much as a difference would, and has all its digits.
#include "dynamics/dual_slopes.h"

#include "math/quaternion.h"

struct cd_dual {
    cd_equation_set set;
    real*           value;  // (n)
    bool            begun;
};

void cd_dual_layout(const cardan_model* m, cd_arena* arena, cd_dual** dual)
{
    cd_equation_set measured = {0};
    CD_TAKE(arena, *dual, 1);
    cd_equation_set* set = *dual ? &(*dual)->set : &measured;
    real*            value;
    cd_equation_set_layout(m, arena, set);
    CD_TAKE(arena, value, m->nv + m->nstate + 3 * set->closure.nrow);
    if (*dual) (*dual)->value = value;
}

// Lane `lane` of the coordinates that velocity v moves: q' at the velocity 1.
static void seed_position(const cardan_model* m, const double* q, int v, int lane, real* to)
{
    const cd_link* link  = &m->link[m->v_link[v]];
    const int      plain = link->nv == 1 ? 1 : link->nv - 3, i = v - link->v;
    if (i < plain) {
        to[link->q + i].x[lane] = 1;
        return;
    }
    double rate[4], half[4] = {0, 0, 0, 0};
    half[1 + i - plain] = 0.5;
    q4_mul(q + link->q + plain, half, rate);
    for (int k = 0; k < 4; ++k) to[link->q + plain + k].x[lane] = rate[k];
}

static void lift(int n, const double* from, real* to)
{
    for (int i = 0; i < n; ++i) to[i] = r_lift(from[i]);
}

// Where column number `column` of all goes.
static double* place(const cardan_model* m, int n, int column, double* by_q, double* by_v, double* by_s)
{
    if (column < m->nv) return by_q + (size_t)column * (size_t)n;
    if (column < 2 * m->nv) return by_v + (size_t)(column - m->nv) * (size_t)n;
    return by_s + (size_t)(column - 2 * m->nv) * (size_t)n;
}

static void seed(const cardan_model* m, const cd_dual_state* x, int first, int count, cd_equation_set* e)
{
    lift(m->nq_all, x->q, e->q);
    lift(m->nv, x->v, e->v);
    lift(m->nstate, x->s, e->s);
    for (int i = 0; i < count; ++i) {
        const int column = first + i, lane = 1 + i;
        if (column < m->nv) seed_position(m, x->q, column, lane, e->q);
        else if (column < 2 * m->nv) e->v[column - m->nv].x[lane] = 1;
        else e->s[column - 2 * m->nv].x[lane] = 1;
    }
}

void cd_dual_slopes(const cardan_model* m, const cd_given* given, const cd_dual_state* x, cd_dual* dual, double* by_q, double* by_v, double* by_s)
{
    cd_equation_set* e     = &dual->set;
    const int        total = 2 * m->nv + m->nstate, n = m->nv + m->nstate + 3 * e->closure.nrow;
    if (!dual->begun) cd_equation_set_begin(m, e);
    dual->begun = true;
    lift(m->nv, x->a, e->a);
    lift(e->closure.nrow, x->lambda, e->lambda);
    for (int first = 0; first < total; first += CD_DIRECTIONS) {
        const int count = total - first < CD_DIRECTIONS ? total - first : CD_DIRECTIONS;
        seed(m, x, first, count, e);
        cd_equation_set_evaluate(m, given, e, dual->value);
        for (int i = 0; i < count; ++i) {
            double* to = place(m, n, first + i, by_q, by_v, by_s);
            for (int row = 0; row < n; ++row) to[row] = dual->value[row].x[1 + i];
        }
    }
}
