// SPDX-License-Identifier: BSD-3-Clause
// Operations of one evaluation, counted by running the formulation itself on counting numbers.
#define CD_COUNTED

#include "formulation/formulation.h"

#include <stdlib.h>

static const cd_rows no_rows = {0};

typedef struct counting {
    cd_kinematics k;
    real *        q, *v, *c, *r, *a;
    void*         work;
} counting;

static void layout(const cardan_model* m, const cd_formulation* f, cd_arena* arena, counting* n)
{
    cd_kinematics_layout(m, arena, &n->k);
    CD_TAKE(arena, n->q, m->nq);
    CD_TAKE(arena, n->v, m->nv);
    CD_TAKE(arena, n->c, m->nv);
    CD_TAKE(arena, n->r, m->nv);
    CD_TAKE(arena, n->a, m->nv);
    if (!(f->supports & CD_RESIDUAL)) f->layout(m, &no_rows, arena, n->work);  // a residual needs no matrix
}

// What was added to the tally since the last phase ended.
static cardan_tally phase(const cardan_tally* tally, cardan_tally* before)
{
    const cardan_tally now = *tally, then = *before;
    *before = now;
    return (cardan_tally){now.mul - then.mul, now.add - then.add, now.div - then.div, now.sqrt - then.sqrt, now.trig - then.trig};
}

static cardan_status run(const cardan_model* m, const cd_formulation* f, counting* n, cardan_tally* tally, cardan_operations* out)
{
    cd_where      where  = {0};
    cardan_tally  before = {0};
    cardan_status status = CARDAN_OK;
    *out                 = (cardan_operations){0};
    cd_place(m, &n->k, n->q);
    out->kinematics = phase(tally, &before);

    cd_inverse_dynamics(m, &n->k, n->v, f->supports & CD_RESIDUAL ? n->a : NULL, NULL, n->c);
    for (int i = 0; i < m->nv; ++i) n->r[i] = r_sub(n->a[i], n->c[i]);
    if (f->supports & CD_RESIDUAL) {
        out->assembly = phase(tally, &before);
        return CARDAN_OK;
    }
    if (f->assemble) status = f->assemble(m, &n->k, &no_rows, n->work);
    out->assembly = phase(tally, &before);
    if (status == CARDAN_OK) status = f->factor(m, &n->k, &no_rows, n->work, &where);
    out->factor = phase(tally, &before);
    if (status == CARDAN_OK) status = f->solve(m, &n->k, &no_rows, n->work, n->r, NULL, n->a, NULL, &where);
    out->solve = phase(tally, &before);
    return status;
}

cardan_status cardan_count(const cardan_model* m, int formulation, const double* q, const double* v, cardan_operations* operations,
                           cardan_report* report)
{
    const cd_formulation* f     = cd_formulation_at(formulation);
    counting              n     = {.work = cd_allocate(1, f->work_size)};
    cd_arena              arena = {0};
    cardan_tally          tally = {0};
    if (n.work) layout(m, f, &arena, &n);
    if (!n.work || !cd_arena_reserve(&arena)) {
        free(n.work);
        return cardan_fail(report, CARDAN_NO_MEMORY, cardan_nowhere(), "no memory to count the operations of '%s'", f->name);
    }
    layout(m, f, &arena, &n);
    for (int i = 0; i < m->nq; ++i) n.q[i] = (real){q[i], &tally};
    for (int i = 0; i < m->nv; ++i) {
        n.v[i] = (real){v[i], &tally};
        n.a[i] = (real){0, &tally};
    }
    const cardan_status status = run(m, f, &n, &tally, operations);
    cd_arena_release(&arena);
    free(n.work);
    return status;
}
