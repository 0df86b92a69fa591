// SPDX-License-Identifier: BSD-3-Clause
// Operations of one evaluation, counted by running the formulation itself on counting numbers. Constraint rows are
// counted by themselves (count_rows.c); the formulation gets them as plain numbers. Compiled for counted numbers
// (CMakeLists.txt).
#include "dynamics/count_rows.h"
#include "core/arguments.h"
#include "dynamics/plain_rows.h"
#include "formulation/formulation.h"

#include <stdlib.h>
#include <string.h>

typedef struct counting {
    cd_kinematics k;
    real *        q, *v, *c, *r, *a, *gamma, *lambda;
    cd_row_block* block;
    cd_plain_set  set;
    cd_rows       rows;
    void*         work;
    cardan_data*  plain;
    cd_arena      arena, work_arena;
} counting;

static void layout(const cardan_model* m, cd_arena* arena, counting* n)
{
    const int nrow = n->set.nrow, nblock = n->set.nblock;
    cd_kinematics_layout(m, arena, &n->k);
    CD_TAKE(arena, n->q, m->nq);
    CD_TAKE(arena, n->v, m->nv);
    CD_TAKE(arena, n->c, m->nv);
    CD_TAKE(arena, n->r, m->nv);
    CD_TAKE(arena, n->a, m->nv);
    CD_TAKE(arena, n->gamma, nrow);
    CD_TAKE(arena, n->lambda, nrow);
    CD_TAKE(arena, n->block, nblock);
    n->rows = (cd_rows){.nrow       = nrow,
                        .nblock     = nblock,
                        .block      = n->block,
                        .gap        = n->set.gap,
                        .wide       = n->set.wide,
                        .misfit     = n->set.misfit,
                        .doubt      = n->set.doubt,
                        .sharp      = n->set.sharp,
                        .compliance = n->set.compliance,
                        .terms      = n->set.terms,
                        .enough     = n->set.enough,
                        .open       = n->set.open};
    for (int i = 0; i < nblock; ++i) {
        const cd_plain_block p = cd_plain_block_at(n->plain, i);
        cd_row_block         b = {.row = p.row, .nrow = p.nrow, .nv = p.nv};
        b.nend                 = p.nend;
        if (p.nv > 0) CD_TAKE(arena, b.v, p.nv);
        if (p.nv > 0) CD_TAKE(arena, b.J, p.nrow * p.nv);
        CD_TAKE(arena, b.link, p.nend);
        CD_TAKE(arena, b.G, p.nrow * p.nend);
        if (!n->block) continue;
        if (p.nv > 0) memcpy(b.v, p.v, (size_t)p.nv * sizeof *b.v);
        memcpy(b.link, p.link, (size_t)p.nend * sizeof *b.link);
        n->block[i] = b;
    }
}

// What was added to the tally since the last phase ended.
static cardan_tally phase(const cardan_tally* tally, cardan_tally* before)
{
    const cardan_tally now = *tally, then = *before;
    *before = now;
    return (cardan_tally){now.mul - then.mul, now.add - then.add, now.div - then.div, now.sqrt - then.sqrt,
                          now.trig - then.trig};
}

typedef struct watching {
    const cardan_tally* tally;
    cardan_tally        before;
    cardan_operations*  out;
} watching;

// A step that is done in two parts is counted as one.
static void watch(void* watcher, const char* step)
{
    watching*          w   = watcher;
    cardan_operations* out = w->out;
    const cardan_tally t   = phase(w->tally, &w->before);
    int                i   = 0;
    while (i < out->nstep && strcmp(out->step[i].name, step) != 0) ++i;
    if (i == CARDAN_STEP_MAX) return;
    if (i == out->nstep) out->step[out->nstep++].name = step;
    cardan_tally* sum = &out->step[i].tally;
    *sum = (cardan_tally){sum->mul + t.mul, sum->add + t.add, sum->div + t.div, sum->sqrt + t.sqrt, sum->trig + t.trig};
}

static cardan_status run(const cardan_model* m, const cd_formulation* f, counting* n, cardan_tally* tally,
                         cardan_operations* out)
{
    watching      w      = {.tally = tally, .out = out};
    cd_where      where  = {.watch = watch, .watcher = &w};
    cardan_tally  before = {0};
    cardan_status status = CARDAN_OK;
    cd_place(m, &n->k, n->q);
    out->kinematics = phase(tally, &before);
    if (n->plain) status = cd_count_rows(m, &n->k, n->plain, f->supports & CD_WAYS, n->q, n->v);
    out->rows = phase(tally, &before);
    if (status != CARDAN_OK) return status;

    const bool loads = cd_takes_loads(f, m, &n->rows);
    if (loads)
        cd_link_loads(m, &n->k, n->v, 0, m->nlink);
    else
        cd_inverse_dynamics(m, &n->k, n->v, f->supports & CD_RESIDUAL ? n->a : NULL, NULL, n->c);
    for (int i = 0; !loads && i < m->nv; ++i) n->r[i] = r_sub(n->a[i], n->c[i]);
    if (f->supports & CD_RESIDUAL) {
        out->assembly = phase(tally, &before);
        return CARDAN_OK;
    }
    if (f->assemble) status = f->assemble(m, &n->k, &n->rows, n->work);
    out->assembly = phase(tally, &before);
    w.before      = before;
    if (status == CARDAN_OK) status = f->factor(m, &n->k, &n->rows, n->work, &where);
    out->factor = phase(tally, &before);
    if (status == CARDAN_OK && f->split) f->split(m, &n->k, n->work, n->a, NULL);
    if (status == CARDAN_OK) status = f->solve(m, &n->k, &n->rows, n->work, n->r, n->gamma, n->a, n->lambda, &where);
    out->solve = phase(tally, &before);
    if (status != CARDAN_OK || !(f->supports & CD_SPARES) || n->rows.nrow == 0) return status;
    status                     = f->solve(m, &n->k, &n->rows, n->work, n->r, n->gamma, n->a, NULL, &where);
    const cardan_tally without = phase(tally, &before), with = out->solve;
    out->multipliers = (cardan_tally){with.mul - without.mul, with.add - without.add, with.div - without.div,
                                      with.sqrt - without.sqrt, with.trig - without.trig};
    return status;
}

// Constraint rows of the model at the state, by a plain simulation; a tree has none and needs none.
static cardan_status find_rows(const cardan_model* m, int formulation, const double* q, const double* v, counting* n,
                               cardan_report* report)
{
    if (cardan_model_look(m).nconstraint == 0) return CARDAN_OK;
    const cardan_status status = cardan_data_create(m, formulation, &n->plain, report);
    if (status != CARDAN_OK) return status;
    cardan_data_set(n->plain, 0, q, v, NULL);
    n->set = cd_plain_rows(n->plain);
    return CARDAN_OK;
}

static void fill(const cardan_model* m, counting* n, const double* q, const double* v, cardan_tally* tally)
{
    for (int i = 0; i < m->nq; ++i) n->q[i] = (real){q[i], tally};
    for (int i = 0; i < m->nv; ++i) {
        n->v[i] = (real){v[i], tally};
        n->a[i] = (real){0, tally};
    }
    for (int i = 0; i < n->rows.nrow; ++i) n->gamma[i] = (real){n->set.gamma[i], tally};
    for (int i = 0; i < n->rows.nblock; ++i) {
        const cd_plain_block p = cd_plain_block_at(n->plain, i);
        for (int k = 0; k < p.nrow * p.nv; ++k) n->block[i].J[k] = (real){p.J[k], tally};
        for (int k = 0; k < 6 * p.nrow * p.nend; ++k) (&n->block[i].G->a.x)[k] = (real){p.G[k], tally};
    }
}

static cardan_status prepare(const cardan_model* m, const cd_formulation* f, counting* n, cardan_report* report)
{
    layout(m, &n->arena, n);
    n->work = cd_allocate(1, f->work_size);
    if (!n->work || !cd_arena_reserve(&n->arena)) return CARDAN_NO_MEMORY;
    layout(m, &n->arena, n);
    if (f->supports & CD_RESIDUAL) return CARDAN_OK; // a residual needs no matrix
    if (f->appetite && f->appetite(m, &n->rows) > cd_most_entries)
        return cardan_fail(report, CARDAN_UNSUPPORTED, CARDAN_CODE_MODEL_TOO_LARGE, cardan_nowhere(),
                           "'%s' is too large for '%s': its operations cannot be counted", m->view.name, f->name);
    const cardan_status status = f->analyse ? f->analyse(m, &n->rows, n->work, report) : CARDAN_OK;
    if (status != CARDAN_OK) return status;
    f->layout(m, &n->rows, &n->work_arena, n->work);
    if (!cd_arena_reserve(&n->work_arena)) return CARDAN_NO_MEMORY;
    f->layout(m, &n->rows, &n->work_arena, n->work);
    return CARDAN_OK;
}

cardan_status cardan_count(const cardan_model* m, int formulation, const double* q, const double* v,
                           cardan_operations* operations, cardan_report* report)
{
    CD_REFUSE_NULL(operations, "operations", report);
    *operations = (cardan_operations){0};
    CD_REFUSE_NULL(m, "model", report);
    CD_REFUSE_NO_ARRAY(q, m->nq, "q", report);
    CD_REFUSE_NO_ARRAY(v, m->nv, "v", report);
    const cardan_status good = cardan_model_check_state(m, 0, q, v, NULL, report);
    if (good != CARDAN_OK) return good;
    if (formulation == CARDAN_AUTO) formulation = m->chosen;
    if (formulation < 0 || formulation >= cd_formulation_rows())
        return cardan_fail(report, CARDAN_BAD_USAGE, CARDAN_CODE_INVALID_ARGUMENT, cardan_nowhere(),
                           "there is no formulation number %d", formulation);
    const cd_formulation* f      = cd_formulation_at(formulation);
    counting              n      = {0};
    cardan_tally          tally  = {0};
    cardan_status         status = find_rows(m, formulation, q, v, &n, report);
    if (status == CARDAN_OK) status = prepare(m, f, &n, report);
    if (status == CARDAN_NO_MEMORY)
        cardan_fail(report, status, CARDAN_CODE_OUT_OF_MEMORY, cardan_nowhere(),
                    "no memory to count the operations of '%s'", f->name);
    if (status == CARDAN_OK) {
        fill(m, &n, q, v, &tally);
        status = run(m, f, &n, &tally, operations);
        // what is looked for at first and then known, as rows that repeat others, is no part of an evaluation
        if (status == CARDAN_OK && n.rows.nrow > 0) {
            tally       = (cardan_tally){0};
            *operations = (cardan_operations){0};
            fill(m, &n, q, v, &tally);
            status = run(m, f, &n, &tally, operations);
        }
        if (status == CARDAN_OK && f->sparse &&
            !f->sparse(m, &n.rows, n.work, &operations->sparse_mul, &operations->sparse_nonzeros))
            status = CARDAN_NO_MEMORY;
        if (status != CARDAN_OK)
            cardan_fail(report, status, CARDAN_CODE_SOLVE_NOT_CONVERGED, cardan_nowhere(),
                        "the operations of '%s' cannot be counted at this state of '%s': %s", f->name, m->view.name,
                        cardan_status_text(status));
    }
    if (n.work && f->release) f->release(n.work);
    cardan_data_destroy(n.plain);
    cd_arena_release(&n.arena);
    cd_arena_release(&n.work_arena);
    free(n.work);
    return status;
}
