// SPDX-License-Identifier: BSD-3-Clause
// The four forms of the equations of motion of a tree, as nodes. Paper 003, section 3.2.
#include "generate/traced.h"

#include <stdlib.h>

int cd_form_outputs(const cd_skeleton* s, cd_form form)
{
    return form == CD_FORM_SEMI ? s->nv * (s->nv + 1) / 2 + s->nv : s->nv;
}

// M, lower triangle without what is zero by the tree; then c.
static bool give_semi(tracing* t, real* M, const real* c, cd_node* output)
{
    const int n  = t->s->nv;
    bool      ok = true;
    for (int i = 0; i < n; ++i) {
        ok = ok && tracing_give(t, i + 1, M + (size_t)i * (size_t)n, output);
        output += i + 1;
    }
    return ok && tracing_give(t, n, c, output);
}

static void efforts_left(const tracing* t, real* c)
{
    for (int i = 0; i < t->s->nv; ++i) c[i] = r_sub(traced_input(t, t->in->effort + i), c[i]);
}

cardan_status cd_trace_form(cd_graph* graph, const cd_skeleton* s, const cd_sources* in, cd_form form, cd_node* output)
{
    tracing       t;
    const size_t  n      = (size_t)s->nv;
    cardan_status status = tracing_begin(&t, graph, s, in);
    real*         c      = cd_allocate(n + 1, sizeof *c);
    real*         a      = cd_allocate(n + 1, sizeof *a);
    real*         M      = form == CD_FORM_SEMI || form == CD_FORM_EXP1 ? cd_allocate(n * n + 1, sizeof *M) : NULL;
    if (!c || !a || ((form == CD_FORM_SEMI || form == CD_FORM_EXP1) && !M)) status = CARDAN_NO_MEMORY;
    if (status == CARDAN_OK) status = traced_inverse(&t, form == CD_FORM_IMPL, c);
    if (status == CARDAN_OK && M) status = traced_mass(&t, M);
    if (status == CARDAN_OK && form >= CD_FORM_EXP1) efforts_left(&t, c);
    if (status == CARDAN_OK && form == CD_FORM_EXP1) {
        traced_factor(&t, M);
        traced_solve(&t, M, c);
    }
    if (status == CARDAN_OK && form == CD_FORM_EXP2) status = traced_articulated(&t, c, a);
    if (status == CARDAN_OK &&
        !(form == CD_FORM_SEMI ? give_semi(&t, M, c, output) : tracing_give(&t, s->nv, form == CD_FORM_EXP2 ? a : c, output)))
        status = CARDAN_NO_MEMORY;
    free(M);
    free(a);
    free(c);
    tracing_end(&t);
    return status;
}
