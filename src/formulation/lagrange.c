// SPDX-License-Identifier: BSD-3-Clause
// Maximal coordinates: every body free, every joint a constraint, one block-sparse LDL' of
//
//   [ H  C' ] [ a      ]   [ f     ]      H = diag(m 1, J) per body, constant, at the mass centre, turns in body axes
//   [ C  -E ] [ lambda ] = [ gamma ]      E: compliance of the rows, none but for rotors
//
// Body pivots are positive, constraint pivots negative or null; a null pivot is a row that repeats others and gets no
// force. After the solve all rows are checked, so that rows that contradict each other are found.
//
// A body without inertia in some direction leans on its constraints: for those the equivalent system with H + rho C'C
// and f + rho C'gamma is factored, which has the same accelerations and multipliers and positive pivots wherever the
// motion is determined. A rotor leans with rho = 1 / E, which is all it does, and its force follows from the
// accelerations.
//
// Paper 000 (Tasora), equations 33 to 40, with the right side computed in (v, w) variables. docs/theory/lagrange.md.
#include "formulation/block_strength.h"
#include "formulation/flat_soft.h"
#include "formulation/lagrange.h"

#include <stdlib.h>
#include <string.h>

// ---- symbolic

static bool lacks_inertia(const cd_link* link)
{
    const double* I = link->I;
    if (!(link->m > 0)) return true;
    // smallest principal moment against the trace, by the sign of the determinant of I - e 1
    const double e = 1e-9 * (I[0] + I[1] + I[2]), x = I[0] - e, y = I[1] - e, z = I[2] - e;
    const double minor = x * y - I[3] * I[3];
    const double det   = x * (y * z - I[5] * I[5]) - I[3] * (I[3] * z - I[5] * I[4]) + I[4] * (I[3] * I[5] - y * I[4]);
    return !(x > 0 && minor > 0 && det > 0);
}

static void choose_rho(const cardan_model* m, cd_lagrange_work* w)
{
    double mass = 0, moment = 0;
    for (int i = 0; i < m->nlink; ++i) {
        mass += m->link[i].m / m->nlink;
        moment += (m->link[i].I[0] + m->link[i].I[1] + m->link[i].I[2]) / m->nlink;
    }
    w->rho_move = mass > 0 ? mass : 1;
    w->rho_turn = moment > 0 ? moment : w->rho_move;
}

// Most rows on one body; at least 6. -1 without memory.
static double crowd_of(const cardan_model* m, const cd_rows* rows)
{
    int* count = cd_allocate((size_t)m->nlink, sizeof *count);
    int  most  = count ? 6 : -1;
    for (int c = 0; count && c < rows->nblock; ++c) {
        int body[CD_BLOCK_BODIES];
        for (int k = cd_flat_bodies(&rows->block[c], body) - 1; k >= 0; --k) {
            count[body[k]] += rows->block[c].nrow;
            if (count[body[k]] > most) most = count[body[k]];
        }
    }
    free(count);
    return most;
}

static cardan_status analyse(const cardan_model* m, const cd_rows* rows, void* work, cardan_report* report)
{
    cd_lagrange_work* w       = work;
    bool*             leaning = cd_allocate((size_t)rows->nblock, sizeof *leaning);
    for (int c = 0; leaning && c < rows->nblock; ++c) {
        int body[CD_BLOCK_BODIES];
        for (int k = cd_flat_bodies(&rows->block[c], body) - 1; k >= 0; --k)
            leaning[c] |= lacks_inertia(&m->link[body[k]]);
        w->leans |= leaning[c];
    }
    w->crowd  = crowd_of(m, rows);
    bool good = leaning && w->crowd > 0 && cd_flat_analyse(&w->S, m->nlink, rows, leaning, false);
    if (good && cd_flat_wants_independence(&w->S)) {
        good = cd_flat_analyse(&w->aside, m->nlink, rows, leaning, true);
        cd_flat_soften(&w->S);
    }
    w->leaning     = leaning;
    w->nconstraint = rows->nblock;
    choose_rho(m, w);
    return good ? CARDAN_OK
                : cardan_fail(report, CARDAN_NO_MEMORY, CARDAN_CODE_OUT_OF_MEMORY, cardan_nowhere(),
                              "no memory to order the equations of '%s'", m->view.name);
}

static void release(void* work)
{
    cd_lagrange_work* w = work;
    cd_flat_release(&w->S);
    cd_flat_release(&w->aside);
    free(w->leaning);
}

static void layout(const cardan_model* m, const cd_rows* rows, cd_arena* arena, void* work)
{
    cd_lagrange_work* w = work;
    cd_flat_layout(&w->S, m->nlink, arena);
    if (w->aside.F.nblock > 0) cd_flat_layout(&w->aside, m->nlink, arena);
    cd_row_rank_layout(&w->rank, m, rows, arena);
    CD_TAKE(arena, w->rho, rows->nrow);
    CD_TAKE(arena, w->y, w->S.F.nscalar);
    CD_TAKE(arena, w->left, w->S.F.nslot);
    CD_TAKE(arena, w->x, w->S.F.nscalar);
}

// ---- numeric

static const double doubtful = 1e-6;

// From the first row on that repeats others, or nearly so, the other order serves: true then, once.
static bool turn_about(const cardan_model* m, const cd_rows* rows, cd_lagrange_work* w, cardan_status status,
                       cd_where* where)
{
    if (w->aside.F.nblock == 0) return false;
    const cd_strength s = status == CARDAN_SINGULAR ? (cd_strength){0} : cd_block_strength(&w->S.F, m->nlink, rows);
    w->strength         = s;
    if (s.null == 0 && s.least >= doubtful) return false;
    cd_flat_release(&w->S);
    w->S     = w->aside;
    w->aside = (cd_flat_system){0};
    *where   = (cd_where){.v = CARDAN_NONE, .row = CARDAN_NONE};
    return true;
}

// Where pivots did not tell which rows repeat others, geometry does.
static void rule(const cardan_model* m, const cd_rows* rows, cd_lagrange_work* w)
{
    w->S.F.keeps = rows->held;
    w->S.F.ruled = rows->sharp > 0 && cd_row_rank_rule(&w->rank, m, rows) ? w->rank.null : NULL;
}

// The same where a row has a pivot of the wrong sign that is more than rounding by its own measure: true then.
static bool rule_after(const cardan_model* m, const cd_rows* rows, cd_lagrange_work* w, int bad)
{
    if (bad < m->nv || w->S.F.ruled || rows->reach || !cd_row_rank_rule(&w->rank, m, rows)) return false;
    w->S.F.ruled = w->rank.null;
    return true;
}

static cardan_status factor(const cardan_model* m, cd_kinematics* k, const cd_rows* rows, void* work, cd_where* where)
{
    cd_lagrange_work* w = work;
    rule(m, rows, w);
    int bad = cd_block_factor(&w->S.F, w->S.sign, cd_null_pivots(rows, cd_lagrange_null), w->threads);
    if (turn_about(m, rows, w, bad < 0 ? CARDAN_OK : CARDAN_SINGULAR, where)) {
        cd_lagrange_assemble(m, k, rows, work);
        return factor(m, k, rows, work, where);
    }
    if (rule_after(m, rows, w, bad)) {
        cd_lagrange_assemble(m, k, rows, work);
        bad = cd_block_factor(&w->S.F, w->S.sign, cd_null_pivots(rows, cd_lagrange_null), w->threads);
    }
    if (bad < 0) return CARDAN_OK;
    if (bad < m->nv)
        where->v = bad;
    else
        where->row = bad - m->nv;
    return CARDAN_SINGULAR;
}

static cd_strength strength(const cardan_model* m, const cd_rows* rows, const void* work)
{
    const cd_lagrange_work* w = work;
    return w->aside.F.nblock > 0 ? w->strength : cd_block_strength(&w->S.F, m->nlink, rows);
}

// Rotors that lean have their forces from the accelerations.
static cardan_status at_once(const cardan_model* m, cd_kinematics* k, const cd_rows* rows, void* work, const real* r,
                             const real* gamma, real* a, real* lambda, cd_where* where, const real* s, real* dx)
{
    cd_lagrange_work* w     = work;
    const bool        apart = w->leans && rows->compliance;
    const bool        all   = apart || rows->sharp > 0; // are asked for first
    w->taken                = rows->reach && w->S.kept && !all;
    if (w->taken) rows->reach->take = cd_lagrange_take, rows->reach->taker = w;
    if (rows->reach && (all || w->threads)) cd_reach_all(rows->reach, rows->nblock, m->nlink);
    rule(m, rows, w);
    if (!apart) {
        cardan_status status = cd_lagrange_at_once(m, k, rows, work, r, gamma, a, lambda, where, s, dx);
        if (turn_about(m, rows, w, status, where)) {
            if (w->taken) rows->reach->ask_all(rows->reach);
            w->taken = false;
            status   = cd_lagrange_at_once(m, k, rows, work, r, gamma, a, lambda, where, s, dx);
        }
        if (status == CARDAN_SINGULAR && where->row >= 0 && rule_after(m, rows, w, m->nv + where->row)) {
            where->row = CARDAN_NONE;
            status     = cd_lagrange_at_once(m, k, rows, work, r, gamma, a, lambda, where, s, dx);
        }
        if (rows->reach) rows->reach->take = NULL;
        w->taken = false;
        return status;
    }
    cd_lagrange_assemble(m, k, rows, work);
    const cardan_status status = factor(m, k, rows, work, where);
    return status ? status : cd_lagrange_solve_and_change(m, rows, work, r, gamma, a, lambda, where, s, dx);
}

static void share(void* work, cd_threads* threads) { ((cd_lagrange_work*)work)->threads = threads; }

static bool sparse(const cardan_model* m, const cd_rows* rows, const void* work, long* multiplications, long* nonzeros)
{
    const cd_block_ldl* F     = &((const cd_lagrange_work*)work)->S.F;
    int*                order = cd_allocate((size_t)F->nblock, sizeof *order);
    bool(*product)[3]         = cd_allocate((size_t)m->nlink, sizeof *product);
    cd_flat_counts counts     = {0};
    for (int k = 0; order && k < F->nblock; ++k) order[k] = F->column[k].block;
    for (int i = 0; product && i < m->nlink; ++i)
        for (int k = 0; k < 3; ++k) product[i][k] = m->link[i].I[3 + k] != 0;
    const bool good = order && product &&
                      cd_flat_count(m->nlink, rows, (const bool(*)[3])product, ((const cd_lagrange_work*)work)->leaning,
                                    order, &counts);
    *multiplications = counts.multiplications;
    *nonzeros        = counts.nonzeros;
    free(order), free(product);
    return good;
}

static void pivots(const cardan_model* m, const cd_rows* rows, const void* work, bool* null, double* ratio)
{
    const cd_block_ldl* F = &((const cd_lagrange_work*)work)->S.F;
    memcpy(null, F->null + m->nv, (size_t)rows->nrow * sizeof *null);
    *ratio = cd_block_ratio(F);
}

const cd_formulation cd_lagrange = {
    .name             = "lagrange",
    .summary          = "maximal coordinates, every joint a constraint, block-sparse LDL'",
    .reference        = "Tasora, an optimized Lagrangian-multiplier approach for interactive multibody simulation",
    .supports         = CD_TREE | CD_LOOPS | CD_REDUNDANT | CD_WAYS | CD_KEEN | CD_HOLDS,
    .tree             = CARDAN_TREE_FLAT,
    .pace             = {0, 0.48},
    .work_size        = sizeof(cd_lagrange_work),
    .analyse          = analyse,
    .release          = release,
    .layout           = layout,
    .assemble         = cd_lagrange_assemble,
    .factor           = factor,
    .solve            = cd_lagrange_solve,
    .change           = cd_lagrange_change,
    .solve_and_change = cd_lagrange_solve_and_change,
    .at_once          = at_once,
    .share            = share,
    .sparse           = sparse,
    .pivots           = pivots,
    .strength         = strength,
};
