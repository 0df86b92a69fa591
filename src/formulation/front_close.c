// SPDX-License-Identifier: BSD-3-Clause
// What a front leaves when its link is gone: the parent in slot 0, rows that still say something, packed on the stack.
#include "formulation/front.h"

#include <math.h>
#include <string.h>

static void move_row(real* row, vec3 d)
{
    const vec3 c = v3_cross(d, v3(row[3], row[4], row[5]));
    row[0] = r_add(row[0], c.x), row[1] = r_add(row[1], c.y), row[2] = r_add(row[2], c.z);
}

// V(link) = V(parent) moved by d:  v = v(parent) - d x w.  Right, then left, on the unknowns of slot 0.
void cd_front_pass(const cd_front* x, vec3 d)
{
    if (x->p->up < 0) return;
    const int n = x->stride;
    for (int i = 0; i < x->nrow; ++i) move_row(x->R + i * n, d);
    real *a = x->W, *l = x->W + 3 * n;
    for (int j = 0; j < x->n; ++j) {
        const vec3 c = v3_cross(d, v3(l[j], l[n + j], l[2 * n + j]));
        a[j]         = r_add(a[j], c.x);
        a[n + j]     = r_add(a[n + j], c.y);
        a[2 * n + j] = r_add(a[2 * n + j], c.z);
    }
    for (int i = 0; i < 3; ++i) move_row(a + i * n, d);
    for (int i = 1; i < x->n; ++i)
        for (int j = 0; j < (i < 3 ? i : 3); ++j) a[i * n + j] = a[j * n + i];
}

double cd_front_left(const cd_reducing* w, const cd_front* x, const real* row, int from)
{
    const double c = fabs(r_value(row[from]));
    if (from >= x->n6) return c / w->scale[w->scalar[w->mark[x->k].scalar + from - x->n6]];
    return from % 6 < 3 ? c / w->length : c;
}

// Rows that have nothing left to say are dropped: they repeat others.
static void drop_rows(cd_reducing* w, cd_front* x, int n, const int* from)
{
    for (int i = x->nrow - 1; i >= 0; --i) {
        double most = 0;
        for (int j = 0; j < n; ++j) most = fmax(most, cd_front_left(w, x, x->R + i * x->stride, from[j]));
        if (most * w->row_weight[w->open[i]] > w->vanished) continue;
        if (w->learned) w->idle[w->open[i]] = true;
        --x->nrow;
        w->open[i] = w->open[x->nrow];
        memmove(x->R + i * x->stride, x->R + x->nrow * x->stride, (size_t)x->stride * sizeof *x->R);
    }
}

// More open rows than unknowns depend on each other: elimination on a copy tells which can go.
static void thin_rows(cd_reducing* w, cd_front* x, int n, const int* from)
{
    int   left = x->nrow;
    real* C    = w->copy;
    for (int i = 0; i < x->nrow; ++i)
        for (int j = 0; j < n; ++j) {
            const real* row = x->R + i * x->stride;
            C[i * n + j]    = r_lift(cd_front_left(w, x, row, from[j]) * (r_value(row[from[j]]) < 0 ? -1 : 1) *
                                     w->row_weight[w->open[i]]);
        }
    for (int done = 0; done < left; ++done) {
        int row = done, at = 0;
        for (int i = done; i < left; ++i)
            for (int j = 0; j < n; ++j)
                if (fabs(r_value(C[i * n + j])) > fabs(r_value(C[row * n + at]))) row = i, at = j;
        if (!(fabs(r_value(C[row * n + at])) > w->vanished)) {
            for (int i = done; i < left; ++i)
                if (w->learned) w->idle[w->open[i]] = true;
            x->nrow = done;
            return;
        }
        for (int j = 0; row != done && j < n; ++j) {
            const real c    = C[row * n + j];
            C[row * n + j]  = C[done * n + j];
            C[done * n + j] = c;
        }
        for (int j = 0; row != done && j < x->n; ++j) {
            const real c               = x->R[row * x->stride + j];
            x->R[row * x->stride + j]  = x->R[done * x->stride + j];
            x->R[done * x->stride + j] = c;
        }
        const int id  = w->open[row];
        w->open[row]  = w->open[done];
        w->open[done] = id;
        for (int i = done + 1; i < left; ++i) {
            const real f = r_div(C[i * n + at], C[done * n + at]);
            for (int j = 0; j < n; ++j)
                C[i * n + j] = j == at ? r_lift(0) : r_sub(C[i * n + j], r_mul(f, C[done * n + j]));
        }
    }
}

// What is left goes on the stack: unknowns that are still there, packed.
void cd_front_close(cd_reducing* w, cd_front* x)
{
    int            n    = 0;
    int*           from = w->to;
    cd_front_mark* mark = &w->mark[x->k];
    for (int s = 0; s < x->p->nslot; ++s)
        for (int j = 0; w->f.slot_to[x->p->slot + s] >= 0 && j < 6; ++j) from[n++] = 6 * s + j;
    mark->nsurvive = 0;
    for (int s = 0; s < x->nscalar; ++s)
        if (w->survives[mark->scalar + s]) {
            from[n++] = x->n6 + s;
            ++mark->nsurvive;
        }
    drop_rows(w, x, n, from);
    if (x->nrow > 0 && (w->learned || x->nrow > n)) thin_rows(w, x, n, from);
    real* U = w->stack + w->top;
    for (int i = 0; i < n; ++i)
        for (int j = cd_packed_from(i); j < n; ++j) *U++ = x->W[from[i] * x->stride + from[j]];
    for (int i = 0; i < x->nrow; ++i) {
        w->open_below[w->rows_below++] = w->open[i];
        for (int j = 0; j < n; ++j) *U++ = x->R[i * x->stride + from[j]];
    }
    mark->nopen = x->nrow;
    w->top += cd_packed_size(n) + (size_t)(x->nrow * n);
}
