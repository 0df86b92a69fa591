// SPDX-License-Identifier: BSD-3-Clause
// The four forms of the equations of motion of a tree, as nodes. Paper 003, section 3.2.
#include "generate/routine/routine.h"
#include "generate/trace/traced_links.h"

#include <stdlib.h>

// Arrays of a form.
typedef struct form_work {
    tracing t;
    real *  c, *a, *M;
} form_work;

static cardan_status begin_form(form_work* f, cd_graph* graph, const cd_link_tree* tree, const cd_input_layout* in,
                                bool dense)
{
    const size_t  n      = (size_t)tree->nv;
    cardan_status status = cd_tracing_begin(&f->t, graph, tree, in);
    f->c                 = cd_allocate(n + 1, sizeof *f->c);
    f->a                 = cd_allocate(n + 1, sizeof *f->a);
    f->M                 = dense ? cd_allocate(n * n + 1, sizeof *f->M) : NULL;
    return f->c && f->a && (f->M || !dense) ? status : CARDAN_NO_MEMORY;
}

static cardan_status end_form(form_work* f, cardan_status status)
{
    free(f->M);
    free(f->a);
    free(f->c);
    cd_tracing_end(&f->t);
    return status;
}

static cardan_status output_vector(form_work* f, cardan_status status, const real* x, cd_node* output)
{
    return status == CARDAN_OK && !cd_tracing_output(&f->t, f->t.tree->nv, x, output) ? CARDAN_NO_MEMORY : status;
}

static cardan_status output_mass_matrix(form_work* f, cardan_status status, cd_node* output)
{
    const int n = f->t.tree->nv;
    for (int i = 0; status == CARDAN_OK && i < n; ++i)
        for (int j = 0; j < n; ++j)
            if (!cd_tracing_output(&f->t, 1, mass_at(f->M, n, i, j), output++)) status = CARDAN_NO_MEMORY;
    return status;
}

// c = effort - ID(q, v, 0)
static cardan_status effort_minus_bias(form_work* f)
{
    const cardan_status status = cd_traced_inverse_dynamics(&f->t, false, NULL, f->c);
    for (int i = 0; i < f->t.tree->nv; ++i) f->c[i] = r_sub(traced_input(&f->t, f->t.in->effort + i), f->c[i]);
    return status;
}

cardan_status cd_trace_impl(cd_graph* graph, const cd_link_tree* tree, const cd_input_layout* in, int method,
                            cd_node* output)
{
    (void)method;
    form_work     f;
    cardan_status status = begin_form(&f, graph, tree, in, false);
    if (status == CARDAN_OK) status = cd_traced_inverse_dynamics(&f.t, true, NULL, f.c);
    return end_form(&f, output_vector(&f, status, f.c, output));
}

cardan_status cd_trace_mass(cd_graph* graph, const cd_link_tree* tree, const cd_input_layout* in, int method,
                            cd_node* output)
{
    (void)method;
    form_work     f;
    cardan_status status = begin_form(&f, graph, tree, in, true);
    if (status == CARDAN_OK) status = cd_traced_mass_matrix(&f.t, f.M);
    return end_form(&f, output_mass_matrix(&f, status, output));
}

cardan_status cd_trace_semi(cd_graph* graph, const cd_link_tree* tree, const cd_input_layout* in, int method,
                            cd_node* output)
{
    (void)method;
    form_work     f;
    cardan_status status = begin_form(&f, graph, tree, in, true);
    if (status == CARDAN_OK) status = cd_traced_inverse_dynamics(&f.t, false, NULL, f.c);
    if (status == CARDAN_OK) status = cd_traced_mass_matrix(&f.t, f.M);
    status = output_mass_matrix(&f, status, output);
    return end_form(&f, output_vector(&f, status, f.c, output + (size_t)tree->nv * (size_t)tree->nv));
}

cardan_status cd_trace_exp1(cd_graph* graph, const cd_link_tree* tree, const cd_input_layout* in, int method,
                            cd_node* output)
{
    (void)method;
    form_work     f;
    cardan_status status = begin_form(&f, graph, tree, in, true);
    if (status == CARDAN_OK) status = effort_minus_bias(&f);
    if (status == CARDAN_OK) status = cd_traced_mass_matrix(&f.t, f.M);
    if (status == CARDAN_OK) {
        cd_traced_mass_factor(&f.t, f.M);
        cd_traced_mass_solve(&f.t, f.M, f.c);
    }
    return end_form(&f, output_vector(&f, status, f.c, output));
}

cardan_status cd_trace_exp2(cd_graph* graph, const cd_link_tree* tree, const cd_input_layout* in, int method,
                            cd_node* output)
{
    (void)method;
    form_work     f;
    cardan_status status = begin_form(&f, graph, tree, in, false);
    if (status == CARDAN_OK) status = effort_minus_bias(&f);
    if (status == CARDAN_OK) status = cd_traced_articulated_solve(&f.t, f.c, f.a);
    return end_form(&f, output_vector(&f, status, f.a, output));
}
