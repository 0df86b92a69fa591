// SPDX-License-Identifier: BSD-3-Clause
#include "impact/cone/cone_problem.h"

#include "impact/active_columns.h"
#include "impact/cone/cone_projection.h"
#include "impact/impact_tolerances.h"

#include <math.h>

void cd_cone_problem_layout(cd_arena* arena, int max_rows, int max_elements, cd_cone_problem* cone)
{
    CD_ARENA_ARRAY(arena, cone->G, (size_t)max_rows * (size_t)max_rows);
    CD_ARENA_ARRAY(arena, cone->q, max_rows);
    CD_ARENA_ARRAY(arena, cone->block, max_rows);
    CD_ARENA_ARRAY(arena, cone->set, CD_CONE_MAX_SETS * max_elements);
    CD_ARENA_ARRAY(arena, cone->row, max_rows);
    CD_ARENA_ARRAY(arena, cone->scale, max_rows);
    CD_ARENA_ARRAY(arena, cone->row_scale, max_rows);
}

static int add_row(cd_cone_problem* cone, const cd_contact_problem* problem, int element, int row)
{
    cone->row[cone->n]       = row;
    cone->row_scale[cone->n] = cd_contact_row_scale(problem, element, row);
    return cone->n++;
}

static cd_cone_block* add_block(cd_cone_problem* cone, int element)
{
    cd_cone_block* block = &cone->block[cone->nblock++];
    *block               = (cd_cone_block){element, -1, -1, cone->n, 0, cone->nset, 0, 0};
    return block;
}

static void add_set(cd_cone_problem* cone, const cd_contact_problem* problem, cd_cone_block* block, int row, int nrow,
                    double coefficient, double bound)
{
    if (!(coefficient > 0) && !(bound > 0)) return;
    const int first         = add_row(cone, problem, block->element, row);
    cone->set[cone->nset++] = (cd_friction_set){first, nrow, block->normal, coefficient, bound};
    for (int k = 1; k < nrow; ++k) add_row(cone, problem, block->element, row + k);
    ++block->nset;
}

// Coefficients and bounds keep their units here; see scale_sets.
static void add_element(cd_cone_problem* cone, const cd_contact_problem* problem, int element)
{
    const cd_contact_element* e = &problem->element[element];
    if (e->kind == CD_ELEMENT_BILATERAL) {
        for (int k = 0; k < e->nrow; ++k) {
            cd_cone_block* equality = add_block(cone, element);
            equality->equality      = add_row(cone, problem, element, e->row + k);
        }
        return;
    }
    cd_cone_block* block = add_block(cone, element);
    if (e->kind == CD_ELEMENT_FRICTION) {
        add_set(cone, problem, block, e->row, 1, 0, e->bound);
        return;
    }
    block->normal = add_row(cone, problem, element, e->row);
    if (e->kind != CD_ELEMENT_POINT) return;
    add_set(cone, problem, block, e->row + 1, 2, e->mu, e->mu * e->preload);
    if (e->nrow < 6) return;
    add_set(cone, problem, block, e->row + 3, 1, e->spinning, e->spinning * e->preload);
    add_set(cone, problem, block, e->row + 4, 2, e->rolling, e->rolling * e->preload);
}

// Largest sqrt(d) of rows of forces; of all rows if there is none.
static double largest_scale(const cd_cone_problem* cone, const cd_contact_problem* problem)
{
    double forces = 0, all = 0;
    for (int b = 0; b < cone->nblock; ++b) {
        const int                 row  = cone->block[b].normal;
        const cd_contact_element* e    = &problem->element[cone->block[b].element];
        const bool                line = e->kind == CD_ELEMENT_POINT || e->kind == CD_ELEMENT_SLIDING;
        if (row >= 0 && line) forces = fmax(forces, cone->row_scale[row]);
    }
    for (int i = 0; i < cone->n; ++i) all = fmax(all, cone->row_scale[i]);
    return forces > 0 ? forces : all > 0 ? all : 1;
}

static void scale_sets(cd_cone_problem* cone)
{
    for (int k = 0; k < cone->nset; ++k) {
        cd_friction_set* set = &cone->set[k];
        if (set->normal >= 0) set->coefficient *= cone->row_scale[set->row] / cone->row_scale[set->normal];
        set->bound /= cone->scale[set->row];
    }
}

static void fill_matrix(cd_cone_problem* cone, const cd_contact_problem* problem)
{
    const int n = cone->n;
    for (int i = 0; i < n; ++i) {
        const double* W = problem->W + (long)cone->row[i] * problem->nrow;
        for (int j = 0; j < n; ++j)
            cone->G[(long)i * n + j] = W[cone->row[j]] / (cone->row_scale[i] * cone->row_scale[j]);
    }
    for (int b = 0; b < cone->nblock; ++b) {
        const cd_contact_element* e = &problem->element[cone->block[b].element];
        const int                 j = cone->block[b].normal;
        if (e->kind != CD_ELEMENT_SLIDING || !(e->mu > 0)) continue;
        cone->is_symmetric = false;
        for (int i = 0; i < n; ++i) {
            const double* W = problem->W + (long)cone->row[i] * problem->nrow;
            cone->G[(long)i * n + j] -= e->mu * (W[e->row + 1] * e->direction[0] + W[e->row + 2] * e->direction[1]) /
                                        (cone->row_scale[i] * cone->row_scale[j]);
        }
    }
}

void cd_cone_problem_reduce(const cd_contact_problem* problem, cd_cone_problem* cone)
{
    cone->n = cone->nblock = cone->nset = 0;
    cone->is_symmetric                  = true;
    for (int e = 0; e < problem->nelement; ++e) add_element(cone, problem, e);
    const double largest = largest_scale(cone, problem), v = problem->velocity_scale;
    for (int i = 0; i < cone->n; ++i) {
        cone->scale[i] = v / (cone->row_scale[i] * largest);
        cone->q[i]     = problem->q[cone->row[i]] / (cone->row_scale[i] / largest * v);
    }
    for (int b = 0; b < cone->nblock; ++b) {
        cd_cone_block* block = &cone->block[b];
        const int      end   = b + 1 < cone->nblock ? cone->block[b + 1].first : cone->n;
        block->nrow          = end - block->first;
        block->size          = block->nrow > 0 ? cone->row_scale[block->first] / largest : 0;
        if (block->normal >= 0) cone->q[block->normal] += problem->element[block->element].shift / (block->size * v);
    }
    scale_sets(cone);
    fill_matrix(cone, problem);
}

void cd_cone_problem_expand(const cd_cone_problem* cone, const cd_contact_problem* problem, const double* x, double* p)
{
    for (int i = 0; i < problem->nrow; ++i) p[i] = 0;
    for (int i = 0; i < cone->n; ++i) p[cone->row[i]] = cone->scale[i] * x[i];
    for (int i = 0; i < problem->nelement; ++i) {
        const cd_contact_element* e = &problem->element[i];
        if (e->kind != CD_ELEMENT_SLIDING) continue;
        for (int k = 0; k < 2; ++k) p[e->row + 1 + k] = -e->mu * p[e->row] * e->direction[k];
    }
}

void cd_cone_problem_restrict(const cd_cone_problem* cone, const double* p, double* x)
{
    for (int i = 0; i < cone->n; ++i) x[i] = p[cone->row[i]] / cone->scale[i];
}

void cd_cone_velocity(const cd_cone_problem* cone, const double* x, double* y)
{
    for (int i = 0; i < cone->n; ++i) {
        const double* G   = cone->G + (long)i * cone->n;
        double        sum = cone->q[i];
        for (int j = 0; j < cone->n; ++j) sum += G[j] * x[j];
        y[i] = sum;
    }
}

double cd_cone_residual(const cd_cone_problem* cone, const double* x, const double* y)
{
    double worst = 0;
    for (int i = 0; i < cone->n; ++i)
        if (!isfinite(y[i])) return INFINITY;
    for (int b = 0; b < cone->nblock; ++b) {
        const cd_cone_block* block    = &cone->block[b];
        const double         residual = block->size * cd_cone_block_residual(cone, block, x, y);
        worst                         = fmax(worst, residual);
    }
    return worst;
}
