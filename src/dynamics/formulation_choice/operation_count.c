// SPDX-License-Identifier: BSD-3-Clause
// Operations of one evaluation, counted by running the formulation on counting numbers. Constraint rows are counted
// separately (operation_count_rows.c); the formulation gets their values from plain data. Compiled with counting
// numbers as type real (CMakeLists.txt).
#include "dynamics/formulation_choice/operation_count_rows.h"
#include "core/check_arguments.h"
#include "dynamics/formulation_choice/double_rows.h"
#include "formulation/formulation.h"

#include <stdlib.h>
#include <string.h>

typedef struct count_work {
    cd_kinematics     k;
    real *            q, *v, *c, *r, *a, *gamma, *lambda;
    cd_row_block*     block;
    cd_double_row_set plain_rows;
    cd_rows           rows;
    void*             work;
    cardan_data*      plain_data;
    cd_arena          arena, work_arena;
} count_work;

static void layout(const cardan_model* m, cd_arena* arena, count_work* n)
{
    const int nrow = n->plain_rows.nrow, nblock = n->plain_rows.nblock;
    cd_kinematics_layout(m, arena, &n->k);
    CD_ARENA_ARRAY(arena, n->q, m->nq);
    CD_ARENA_ARRAY(arena, n->v, m->nv);
    CD_ARENA_ARRAY(arena, n->c, m->nv);
    CD_ARENA_ARRAY(arena, n->r, m->nv);
    CD_ARENA_ARRAY(arena, n->a, m->nv);
    CD_ARENA_ARRAY(arena, n->gamma, nrow);
    CD_ARENA_ARRAY(arena, n->lambda, nrow);
    CD_ARENA_ARRAY(arena, n->block, nblock);
    n->rows = (cd_rows){.nrow        = nrow,
                        .nblock      = nblock,
                        .block       = n->block,
                        .compliance  = n->plain_rows.compliance,
                        .gamma_scale = n->plain_rows.gamma_scale};
    for (int i = 0; i < nblock; ++i) {
        const cd_double_row_block p = cd_double_block_at(n->plain_data, i);
        cd_row_block              b = {.row = p.row, .nrow = p.nrow, .nv = p.nv};
        b.nend                      = p.nend;
        if (p.nv > 0) CD_ARENA_ARRAY(arena, b.v, p.nv);
        if (p.nv > 0) CD_ARENA_ARRAY(arena, b.J, p.nrow * p.nv);
        CD_ARENA_ARRAY(arena, b.link, p.nend);
        CD_ARENA_ARRAY(arena, b.G, p.nrow * p.nend);
        if (!n->block) continue;
        if (p.nv > 0) memcpy(b.v, p.v, (size_t)p.nv * sizeof *b.v);
        memcpy(b.link, p.link, (size_t)p.nend * sizeof *b.link);
        n->block[i] = b;
    }
}

// Operations since the end of the last phase.
static cardan_operation_count phase_operations(const cardan_operation_count* tally, cardan_operation_count* before)
{
    const cardan_operation_count now = *tally, then = *before;
    *before = now;
    return (cardan_operation_count){now.mul - then.mul, now.add - then.add, now.div - then.div, now.sqrt - then.sqrt,
                                    now.trig - then.trig};
}

typedef struct stage_recorder {
    const cardan_operation_count* tally;
    cardan_operation_count        before;
    cardan_operation_counts*      operations;
} stage_recorder;

// Stages of the same name are counted as one.
static void record_stage(void* context, const char* stage)
{
    stage_recorder*              recorder   = context;
    cardan_operation_counts*     operations = recorder->operations;
    const cardan_operation_count t          = phase_operations(recorder->tally, &recorder->before);
    int                          i          = 0;
    while (i < operations->nstage && strcmp(operations->stage[i].name, stage) != 0) ++i;
    if (i == CARDAN_STAGE_MAX) return;
    if (i == operations->nstage) operations->stage[operations->nstage++].name = stage;
    cardan_operation_count* sum = &operations->stage[i].count;
    *sum = (cardan_operation_count){sum->mul + t.mul, sum->add + t.add, sum->div + t.div, sum->sqrt + t.sqrt,
                                    sum->trig + t.trig};
}

static cardan_status run_evaluation(const cardan_model* m, const cd_formulation* f, count_work* n,
                                    cardan_operation_count* tally, cardan_operation_counts* out)
{
    stage_recorder         recorder = {.tally = tally, .operations = out};
    cd_solve_info          info     = {.stage_done = record_stage, .stage_context = &recorder};
    cardan_operation_count before   = {0};
    cardan_status          status   = CARDAN_OK;
    cd_forward_kinematics(m, &n->k, n->q);
    out->kinematics = phase_operations(tally, &before);
    if (n->plain_data)
        status =
            cd_count_row_operations(m, &n->k, n->plain_data, f->properties & CD_NEEDS_JOINT_SPACE_JACOBIAN, n->q, n->v);
    out->constraints = phase_operations(tally, &before);
    if (status != CARDAN_OK) return status;

    const bool takes_link_wrenches = cd_uses_link_wrenches(f, m, &n->rows);
    if (takes_link_wrenches)
        cd_link_wrenches(m, &n->k, n->v, 0, m->nlink);
    else
        cd_inverse_dynamics(m, &n->k, n->v, f->properties & CD_IS_RESIDUAL ? n->a : NULL, NULL, n->c);
    for (int i = 0; !takes_link_wrenches && i < m->nv; ++i) n->r[i] = r_sub(n->a[i], n->c[i]);
    if (f->properties & CD_IS_RESIDUAL) {
        out->assembly = phase_operations(tally, &before);
        return CARDAN_OK;
    }
    const cd_problem     problem     = {m, &n->k, &n->rows, &n->plain_rows.policy};
    const cd_right_sides right_sides = {.r = n->r, .gamma = n->gamma, .effort = n->a};
    if (f->assemble) f->assemble(&problem, n->work);
    out->assembly   = phase_operations(tally, &before);
    recorder.before = before;
    status          = f->factor(&problem, n->work, &info);
    out->factor     = phase_operations(tally, &before);
    if (status == CARDAN_OK)
        status = f->solve(&problem, n->work, &right_sides, &(cd_solution){.a = n->a, .lambda = n->lambda}, &info);
    out->solve = phase_operations(tally, &before);
    if (status != CARDAN_OK || !(f->properties & CD_MULTIPLIERS_OPTIONAL) || n->rows.nrow == 0) return status;
    status                               = f->solve(&problem, n->work, &right_sides, &(cd_solution){.a = n->a}, &info);
    const cardan_operation_count without = phase_operations(tally, &before), with = out->solve;
    out->multipliers = (cardan_operation_count){with.mul - without.mul, with.add - without.add, with.div - without.div,
                                                with.sqrt - without.sqrt, with.trig - without.trig};
    return status;
}

// Constraint rows of the model at the state, from plain data; a tree has none.
static cardan_status find_rows(const cardan_model* m, int formulation, const double* q, const double* v, count_work* n,
                               cardan_report* report)
{
    if (cardan_model_get_view(m).nconstraint == 0) return CARDAN_OK;
    const cardan_status status = cardan_data_create(m, formulation, &n->plain_data, report);
    if (status != CARDAN_OK) return status;
    cardan_data_set_state(n->plain_data, 0, q, v, NULL);
    n->plain_rows = cd_double_rows(n->plain_data);
    return CARDAN_OK;
}

static void fill_inputs(const cardan_model* m, count_work* n, const double* q, const double* v,
                        cardan_operation_count* tally)
{
    for (int i = 0; i < m->nq; ++i) n->q[i] = (real){q[i], tally};
    for (int i = 0; i < m->nv; ++i) {
        n->v[i] = (real){v[i], tally};
        n->a[i] = (real){0, tally};
    }
    for (int i = 0; i < n->rows.nrow; ++i) n->gamma[i] = (real){n->plain_rows.gamma[i], tally};
    for (int i = 0; i < n->rows.nblock; ++i) {
        const cd_double_row_block p = cd_double_block_at(n->plain_data, i);
        for (int k = 0; k < p.nrow * p.nv; ++k) n->block[i].J[k] = (real){p.J[k], tally};
        for (int k = 0; k < 6 * p.nrow * p.nend; ++k) (&n->block[i].G->a.x)[k] = (real){p.G[k], tally};
    }
}

static cardan_status prepare(const cardan_model* m, const cd_formulation* f, count_work* n, cardan_report* report)
{
    layout(m, &n->arena, n);
    n->work = cd_allocate(1, f->work_size);
    if (!n->work || !cd_arena_reserve(&n->arena)) return CARDAN_NO_MEMORY;
    layout(m, &n->arena, n);
    if (f->properties & CD_IS_RESIDUAL) return CARDAN_OK; // a residual needs no matrix
    if (f->memory_estimate && f->memory_estimate(m, &n->rows) > cd_max_matrix_entries)
        return cardan_fail(report, CARDAN_UNSUPPORTED, CARDAN_CODE_MODEL_TOO_LARGE, cardan_location_none(),
                           "'%s' is too large for '%s': its operations cannot be counted", m->view.name, f->name);
    const cardan_status status = f->analyse ? f->analyse(m, &n->rows, n->work, report) : CARDAN_OK;
    if (status != CARDAN_OK) return status;
    f->layout(m, &n->rows, &n->work_arena, n->work);
    if (!cd_arena_reserve(&n->work_arena)) return CARDAN_NO_MEMORY;
    f->layout(m, &n->rows, &n->work_arena, n->work);
    return CARDAN_OK;
}

cardan_status cardan_model_count_operations(const cardan_model* m, int formulation, const double* q, const double* v,
                                            cardan_operation_counts* operations, cardan_report* report)
{
    CD_REQUIRE_POINTER(operations, "operations", report);
    *operations = (cardan_operation_counts){0};
    CD_REQUIRE_POINTER(m, "model", report);
    CD_REQUIRE_ARRAY(q, m->nq, "q", report);
    CD_REQUIRE_ARRAY(v, m->nv, "v", report);
    const cardan_status good = cardan_model_check_state(m, 0, q, v, NULL, report);
    if (good != CARDAN_OK) return good;
    if (formulation == CARDAN_FORMULATION_AUTO) formulation = m->chosen_formulation;
    if (formulation < 0 || formulation >= cd_formulation_count())
        return cardan_fail(report, CARDAN_BAD_USAGE, CARDAN_CODE_INVALID_ARGUMENT, cardan_location_none(),
                           "there is no formulation number %d", formulation);
    const cd_formulation*  f      = cd_formulation_at(formulation);
    count_work             n      = {0};
    cardan_operation_count tally  = {0};
    cardan_status          status = find_rows(m, formulation, q, v, &n, report);
    if (status == CARDAN_OK) status = prepare(m, f, &n, report);
    if (status == CARDAN_NO_MEMORY)
        cardan_fail(report, status, CARDAN_CODE_OUT_OF_MEMORY, cardan_location_none(),
                    "out of memory while counting the operations of '%s'", f->name);
    if (status == CARDAN_OK) {
        fill_inputs(m, &n, q, v, &tally);
        status = run_evaluation(m, f, &n, &tally, operations);
        // count the second evaluation: rank decisions made once, at first, are no part of an evaluation
        if (status == CARDAN_OK && n.rows.nrow > 0) {
            tally       = (cardan_operation_count){0};
            *operations = (cardan_operation_counts){0};
            fill_inputs(m, &n, q, v, &tally);
            status = run_evaluation(m, f, &n, &tally, operations);
        }
        if (status == CARDAN_OK && f->count_scalar_cost &&
            !f->count_scalar_cost(m, &n.rows, n.work, &operations->sparse_mul, &operations->sparse_nonzeros))
            status = CARDAN_NO_MEMORY;
        if (status != CARDAN_OK)
            cardan_fail(report, status, CARDAN_CODE_SOLVE_NOT_CONVERGED, cardan_location_none(),
                        "the operations of '%s' cannot be counted at this state of '%s': %s", f->name, m->view.name,
                        cardan_status_text(status));
    }
    if (n.work && f->release) f->release(n.work);
    cardan_data_destroy(n.plain_data);
    cd_arena_release(&n.arena);
    cd_arena_release(&n.work_arena);
    free(n.work);
    return status;
}
