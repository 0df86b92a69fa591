// SPDX-License-Identifier: BSD-3-Clause
// Maximal coordinates: every body free, every joint a constraint, one block-sparse LDL' of
//
//   [ M  J' ] [ a      ]   [ r     ]      M = diag(m 1, I) per body, constant, at the mass centre, in body axes
//   [ J  -C ] [ lambda ] = [ gamma ]      C: compliance of the rows, nonzero only for rotors
//
// Body pivots are positive, constraint pivots negative or null; a row with a null pivot is redundant and gets no
// multiplier. All rows are checked after the solve, which detects inconsistent rows.
//
// The constraints of a body with singular inertia get a penalty term: the equivalent system with M + rho J'J and r +
// rho J'gamma is factored, which has the same accelerations and multipliers and positive pivots wherever the motion is
// determined. A rotor has the penalty rho = 1 / C, which is its complete effect, and its multiplier follows from the
// accelerations.
//
// Paper 000 (Tasora), equations 33 to 40, with the right side computed in (v, w) variables. docs/theory/lagrange.md.
#include "formulation/safeguards/block_conditioning.h"
#include "formulation/maximal/kkt_quasidefinite.h"
#include "formulation/maximal/lagrange.h"

#include <stdlib.h>
#include <string.h>

// ---- symbolic

static bool has_singular_inertia(const cd_link* link)
{
    const double* I = link->I;
    if (!(link->m > 0)) return true;
    // compare the smallest principal moment with the trace, by the sign of the determinant of I - e 1
    const double e = cd_singular_moment_ratio * (I[0] + I[1] + I[2]), x = I[0] - e, y = I[1] - e, z = I[2] - e;
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
    w->rho_translation = mass > 0 ? mass : 1;
    w->rho_rotation    = moment > 0 ? moment : w->rho_translation;
}

// Return the largest number of rows on one body, at least 6; -1 if memory is exhausted.
static double find_max_rows_per_body(const cardan_model* m, const cd_rows* rows)
{
    int* count    = cd_allocate((size_t)m->nlink, sizeof *count);
    int  max_rows = count ? 6 : -1;
    for (int c = 0; count && c < rows->nblock; ++c) {
        int body[CD_ROW_BLOCK_BODIES_MAX];
        for (int k = cd_kkt_bodies_of(&rows->block[c], body) - 1; k >= 0; --k) {
            count[body[k]] += rows->block[c].nrow;
            if (count[body[k]] > max_rows) max_rows = count[body[k]];
        }
    }
    free(count);
    return max_rows;
}

static cardan_status analyse(const cardan_model* m, const cd_rows* rows, void* work, cardan_report* report)
{
    cd_lagrange_work* w            = work;
    bool*             is_penalized = cd_allocate((size_t)rows->nblock, sizeof *is_penalized);
    for (int c = 0; is_penalized && c < rows->nblock; ++c) {
        int body[CD_ROW_BLOCK_BODIES_MAX];
        for (int k = cd_kkt_bodies_of(&rows->block[c], body) - 1; k >= 0; --k)
            is_penalized[c] |= has_singular_inertia(&m->link[body[k]]);
        w->has_penalty |= is_penalized[c];
    }
    w->max_rows_per_body = find_max_rows_per_body(m, rows);
    bool good = is_penalized && w->max_rows_per_body > 0 && cd_kkt_analyse(&w->S, m->nlink, rows, is_penalized, false);
    if (good && cd_kkt_needs_independent_rows(&w->S)) {
        good = cd_kkt_analyse(&w->alternate, m->nlink, rows, is_penalized, true);
        cd_kkt_make_quasidefinite(&w->S);
    }
    w->is_penalized = is_penalized;
    w->nconstraint  = rows->nblock;
    choose_rho(m, w);
    return good ? CARDAN_OK
                : cardan_fail(report, CARDAN_NO_MEMORY, CARDAN_CODE_OUT_OF_MEMORY, cardan_location_none(),
                              "out of memory while ordering the equations of '%s'", m->view.name);
}

static void release(void* work)
{
    cd_lagrange_work* w = work;
    cd_kkt_release(&w->S);
    cd_kkt_release(&w->alternate);
    free(w->is_penalized);
}

static void layout(const cardan_model* m, const cd_rows* rows, cd_arena* arena, void* work)
{
    cd_lagrange_work* w = work;
    cd_kkt_layout(&w->S, m->nlink, arena);
    if (w->alternate.F.nblock > 0) cd_kkt_layout(&w->alternate, m->nlink, arena);
    cd_geometric_rank_layout(&w->rank, m, rows, arena);
    CD_ARENA_ARRAY(arena, w->rho, rows->nrow);
    CD_ARENA_ARRAY(arena, w->y, w->S.F.nscalar);
    CD_ARENA_ARRAY(arena, w->residual, w->S.F.npadded);
    CD_ARENA_ARRAY(arena, w->x, w->S.F.nscalar);
}

// ---- numeric

static bool may_use_alternate(const cd_lagrange_work* w)
{
    return w->alternate.F.nblock > 0 && !w->history.uses_alternate;
}

static void exchange_orders(cd_lagrange_work* w)
{
    const cd_kkt_system S = w->S;
    w->S                  = w->alternate;
    w->alternate          = S;
}

// Switch to the alternate order, until a reset, at the first row that is redundant or nearly so. Returns true then.
static bool switch_to_alternate(const cd_problem* p, cd_lagrange_work* w, cardan_status status, cd_solve_info* info)
{
    if (!may_use_alternate(w)) return false;
    const cd_pivot_conditioning s =
        status == CARDAN_SINGULAR ? (cd_pivot_conditioning){0} : cd_block_conditioning(&w->S.F, p->m->nlink, p->rows);
    w->history.conditioning = s;
    if (s.nnull == 0 && s.min_pivot_rel >= cd_alternate_order_pivot_sq) return false;
    exchange_orders(w);
    w->history.uses_alternate = true;
    *info                     = (cd_solve_info){.failed_velocity = CARDAN_NONE, .failed_row = CARDAN_NONE};
    return true;
}

// Set forced null pivots from the geometric rank where pivots do not determine redundant rows.
static void apply_geometric_rank(const cd_problem* p, cd_lagrange_work* w)
{
    w->S.F.freeze_null = p->policy->rank == CD_RANK_FROZEN;
    w->S.F.forced_null =
        p->policy->rank == CD_RANK_BY_GEOMETRY && cd_geometric_rank_compute(&w->rank, p) ? w->rank.is_redundant : NULL;
}

// The same if a row has a pivot of the wrong sign that exceeds round-off relative to its own scale. Returns true then.
static bool apply_geometric_rank_after(const cd_problem* p, cd_lagrange_work* w, int bad)
{
    if (bad < p->m->nv || w->S.F.forced_null || p->rows->stream || !cd_geometric_rank_compute(&w->rank, p))
        return false;
    w->S.F.forced_null = w->rank.is_redundant;
    return true;
}

void cd_lagrange_report_pivots(const cd_problem* p, const cd_lagrange_work* w, cd_solve_info* info)
{
    info->conditioning =
        may_use_alternate(w) ? w->history.conditioning : cd_block_conditioning(&w->S.F, p->m->nlink, p->rows);
}

static int factor_matrix(const cd_problem* p, cd_lagrange_work* w)
{
    return cd_block_factor(&w->S.F, w->S.sign, cd_pivot_test_of(p->policy, cd_null_row_pivot_sq), w->threads);
}

static cardan_status factor(const cd_problem* p, void* work, cd_solve_info* info)
{
    cd_lagrange_work* w = work;
    apply_geometric_rank(p, w);
    int bad = factor_matrix(p, w);
    if (switch_to_alternate(p, w, bad < 0 ? CARDAN_OK : CARDAN_SINGULAR, info)) {
        cd_lagrange_assemble(p, work);
        return factor(p, work, info);
    }
    if (apply_geometric_rank_after(p, w, bad)) {
        cd_lagrange_assemble(p, work);
        bad = factor_matrix(p, w);
    }
    cd_lagrange_report_pivots(p, w, info);
    if (bad < 0) return CARDAN_OK;
    if (bad < p->m->nv)
        info->failed_velocity = bad;
    else
        info->failed_row = bad - p->m->nv;
    return CARDAN_SINGULAR;
}

static cardan_status factor_and_solve_fused(const cd_problem* p, cd_lagrange_work* w, const cd_right_sides* rhs,
                                            const cd_solution* x, cd_solve_info* info)
{
    cardan_status status = cd_lagrange_factor_and_solve(p, w, rhs, x, info);
    if (switch_to_alternate(p, w, status, info)) {
        if (w->rows_stored_in_matrix) p->rows->stream->request_all(p->rows->stream);
        w->rows_stored_in_matrix = false;
        status                   = cd_lagrange_factor_and_solve(p, w, rhs, x, info);
    }
    if (status == CARDAN_SINGULAR && info->failed_row >= 0 &&
        apply_geometric_rank_after(p, w, p->m->nv + info->failed_row)) {
        info->failed_row = CARDAN_NONE;
        status           = cd_lagrange_factor_and_solve(p, w, rhs, x, info);
    }
    cd_lagrange_report_pivots(p, w, info);
    return status;
}

// Multipliers of penalized rotors follow from the accelerations, after a separate solve.
static cardan_status factor_and_solve(const cd_problem* p, void* work, const cd_right_sides* rhs, const cd_solution* x,
                                      cd_solve_info* info)
{
    cd_lagrange_work* w                    = work;
    cd_row_stream*    stream               = p->rows->stream;
    const bool        needs_separate_solve = w->has_penalty && p->rows->compliance;
    const bool needs_all_rows = needs_separate_solve || p->policy->rank == CD_RANK_BY_GEOMETRY; // requested first
    w->rows_stored_in_matrix  = stream && w->S.jacobian_is_recoverable && !needs_all_rows;
    if (w->rows_stored_in_matrix) stream->sink = cd_lagrange_store_rows, stream->sink_context = w;
    if (stream && (needs_all_rows || w->threads)) cd_row_stream_require_all(stream, p->rows->nblock, p->m->nlink);
    if (needs_separate_solve) {
        cd_lagrange_assemble(p, work);
        const cardan_status status = factor(p, work, info);
        return status ? status : cd_lagrange_solve(p, work, rhs, x, info);
    }
    apply_geometric_rank(p, w);
    const cardan_status status = factor_and_solve_fused(p, w, rhs, x, info);
    if (stream) stream->sink = NULL;
    w->rows_stored_in_matrix = false;
    return status;
}

static void reset(const cardan_model* m, void* work)
{
    (void)m;
    cd_lagrange_work* w = work;
    if (w->history.uses_alternate) exchange_orders(w);
    w->history = (cd_lagrange_history){0};
    cd_block_reset_pivots(&w->S.F);
    if (w->alternate.F.nblock > 0) cd_block_reset_pivots(&w->alternate.F);
}

static void set_threads(void* work, cd_threads* threads) { ((cd_lagrange_work*)work)->threads = threads; }

static bool count_scalar_cost(const cardan_model* m, const cd_rows* rows, const void* work, long* multiplications,
                              long* nonzeros)
{
    const cd_block_ldl* F     = &((const cd_lagrange_work*)work)->S.F;
    int*                order = cd_allocate((size_t)F->nblock, sizeof *order);
    bool(*product)[3]         = cd_allocate((size_t)m->nlink, sizeof *product);
    cd_kkt_scalar_cost counts = {0};
    for (int k = 0; order && k < F->nblock; ++k) order[k] = F->column[k].block;
    for (int i = 0; product && i < m->nlink; ++i)
        for (int k = 0; k < 3; ++k) product[i][k] = m->link[i].I[3 + k] != 0;
    const bool good = order && product &&
                      cd_kkt_count_scalar_cost(m->nlink, rows, (const bool(*)[3])product,
                                               ((const cd_lagrange_work*)work)->is_penalized, order, &counts);
    *multiplications = counts.multiplications;
    *nonzeros        = counts.nonzeros;
    free(order), free(product);
    return good;
}

static void pivots(const cd_problem* p, const void* work, bool* null, double* ratio)
{
    const cd_block_ldl* F = &((const cd_lagrange_work*)work)->S.F;
    memcpy(null, F->is_null + p->m->nv, (size_t)p->rows->nrow * sizeof *null);
    *ratio = cd_block_pivot_ratio(F);
}

const cd_formulation cd_lagrange = {
    .name       = "lagrange",
    .summary    = "maximal coordinates, every joint a constraint, block-sparse LDL'",
    .citation   = "Tasora, an optimized Lagrangian-multiplier approach for interactive multibody simulation",
    .properties = CD_SUPPORTS_TREES | CD_SUPPORTS_LOOPS | CD_SUPPORTS_REDUNDANT_ROWS | CD_NEEDS_JOINT_SPACE_JACOBIAN |
                  CD_GEOMETRIC_RANK_PERSISTENT | CD_CAN_FREEZE_RANK | CD_REPORTS_PIVOTS | CD_SOLVES_CORRECTION |
                  CD_CORRECTION_WITH_ACCELERATIONS,
    .tree_policy        = CARDAN_TREE_MAXIMAL,
    .time_per_operation = {0, 0.48},
    .work_size          = sizeof(cd_lagrange_work),
    .analyse            = analyse,
    .release            = release,
    .layout             = layout,
    .reset              = reset,
    .assemble           = cd_lagrange_assemble,
    .factor             = factor,
    .solve              = cd_lagrange_solve,
    .factor_and_solve   = factor_and_solve,
    .set_threads        = set_threads,
    .count_scalar_cost  = count_scalar_cost,
    .pivots             = pivots,
};
