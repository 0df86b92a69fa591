// SPDX-License-Identifier: BSD-3-Clause
#include "impact/active_columns.h"

#include <math.h>

void cd_active_columns_layout(cd_arena* arena, int max_rows, cd_active_columns* columns)
{
    CD_ARENA_ARRAY(arena, columns->column, max_rows);
    CD_ARENA_ARRAY(arena, columns->p0, max_rows);
}

static double diagonal(const cd_contact_problem* problem, int row)
{
    return problem->W[(long)row * problem->nrow + row];
}

double cd_contact_row_scale(const cd_contact_problem* problem, int element, int row)
{
    const cd_contact_element* e = &problem->element[element];
    double                    d = diagonal(problem, row);
    if (e->kind == CD_ELEMENT_POINT || e->kind == CD_ELEMENT_SLIDING) {
        const int local = row - e->row;
        if (local < 3)
            d = (diagonal(problem, e->row) + diagonal(problem, e->row + 1) + diagonal(problem, e->row + 2)) / 3;
        else if (local > 3)
            d = (diagonal(problem, e->row + 4) + diagonal(problem, e->row + 5)) / 2;
    }
    return d > 0 ? sqrt(d) : 1;
}

void cd_active_columns_clear(cd_active_columns* columns, const cd_contact_problem* problem)
{
    columns->count        = 0;
    columns->is_symmetric = true;
    for (int i = 0; i < problem->nrow; ++i) columns->p0[i] = 0;
}

void cd_active_columns_add(cd_active_columns* columns, const cd_contact_problem* problem, int element, int row)
{
    cd_active_column* c = &columns->column[columns->count++];
    c->element          = element;
    c->nentry           = 1;
    c->row[0]           = row;
    c->weight           = 1 / cd_contact_row_scale(problem, element, row);
    c->value[0]         = c->weight;
}

void cd_active_columns_extend(cd_active_columns* columns, int row, double ratio)
{
    cd_active_column* c   = &columns->column[columns->count - 1];
    c->row[c->nentry]     = row;
    c->value[c->nentry++] = c->value[0] * ratio;
    columns->is_symmetric = false;
}

void cd_active_columns_finish(cd_active_columns* columns, const cd_contact_problem* problem)
{
    cd_active_column* c      = &columns->column[columns->count - 1];
    double            square = 0;
    if (c->nentry == 1) return;
    for (int i = 0; i < c->nentry; ++i) {
        const double y = c->value[i] * cd_contact_row_scale(problem, c->element, c->row[i]);
        square += y * y;
    }
    for (int i = 0; i < c->nentry; ++i) c->value[i] /= sqrt(square);
}

// Row of W times column of B.
static double row_times_column(const cd_contact_problem* problem, int row, const cd_active_column* c)
{
    const double* W   = problem->W + (long)row * problem->nrow;
    double        sum = W[c->row[0]] * c->value[0];
    for (int i = 1; i < c->nentry; ++i) sum += W[c->row[i]] * c->value[i];
    return sum;
}

// The same where every column has one entry.
static void single_gram(const cd_active_columns* columns, const cd_contact_problem* problem, double* A)
{
    const int n = columns->count;
    for (int i = 0; i < n; ++i) {
        const cd_active_column* a     = &columns->column[i];
        const double*           W     = problem->W + (long)a->row[0] * problem->nrow;
        const double            value = a->value[0];
        for (int j = 0; j <= i; ++j)
            A[i * n + j] = A[j * n + i] = value * W[columns->column[j].row[0]] * columns->column[j].value[0];
    }
}

void cd_active_columns_gram(const cd_active_columns* columns, const cd_contact_problem* problem, double* A)
{
    const int n = columns->count;
    if (columns->is_symmetric) {
        single_gram(columns, problem, A);
        return;
    }
    for (int i = 0; i < n; ++i) {
        const cd_active_column* a = &columns->column[i];
        for (int j = 0; j <= i; ++j) {
            double sum = 0;
            for (int k = 0; k < a->nentry; ++k)
                sum += a->value[k] * row_times_column(problem, a->row[k], &columns->column[j]);
            A[i * n + j] = A[j * n + i] = sum;
        }
    }
}

void cd_active_columns_matrix(const cd_active_columns* columns, const cd_contact_problem* problem, double* A)
{
    const int n = columns->count;
    for (int j = 0; j < n; ++j)
        for (int i = 0; i < n; ++i)
            A[j * n + i] =
                columns->column[i].weight * row_times_column(problem, columns->column[i].row[0], &columns->column[j]);
}

void cd_active_columns_expand(const cd_active_columns* columns, const double* y, double* p)
{
    for (int j = 0; j < columns->count; ++j) {
        const cd_active_column* c = &columns->column[j];
        for (int k = 0; k < c->nentry; ++k) p[c->row[k]] += c->value[k] * y[j];
    }
}

void cd_active_columns_restrict(const cd_active_columns* columns, const cd_contact_problem* problem, const double* p,
                                double* y)
{
    for (int j = 0; j < columns->count; ++j) {
        const cd_active_column* c = &columns->column[j];
        y[j]                      = 0;
        for (int k = 0; k < c->nentry; ++k) {
            const double scale = cd_contact_row_scale(problem, c->element, c->row[k]);
            y[j] += c->value[k] * scale * scale * (p[c->row[k]] - columns->p0[c->row[k]]);
        }
    }
}
