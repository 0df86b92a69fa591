// SPDX-License-Identifier: BSD-3-Clause
// Update of a front after the elimination of its link: the parent in slot 0 and the remaining non-null rows, packed on
// the stack.
#include "formulation/coordinate_reduction/fronts.h"

#include <math.h>
#include <string.h>

static void shift_row(real* row, vec3 d)
{
    const vec3 c = v3_cross(d, v3(row[3], row[4], row[5]));
    row[0] = r_add(row[0], c.x), row[1] = r_add(row[1], c.y), row[2] = r_add(row[2], c.z);
}

// V(link) = V(parent) moved by d:  v = v(parent) - d x w.  Applied right, then left, to the unknowns of slot 0.
void cd_front_shift_to_parent(const cd_front* x, vec3 d)
{
    if (x->p->parent < 0) return;
    const int n = x->stride;
    for (int i = 0; i < x->nrow; ++i) shift_row(x->R + i * n, d);
    real *a = x->W, *l = x->W + 3 * n;
    for (int j = 0; j < x->n; ++j) {
        const vec3 c = v3_cross(d, v3(l[j], l[n + j], l[2 * n + j]));
        a[j]         = r_add(a[j], c.x);
        a[n + j]     = r_add(a[n + j], c.y);
        a[2 * n + j] = r_add(a[2 * n + j], c.z);
    }
    for (int i = 0; i < 3; ++i) shift_row(a + i * n, d);
    for (int i = 1; i < x->n; ++i)
        for (int j = 0; j < (i < 3 ? i : 3); ++j) a[i * n + j] = a[j * n + i];
}

double cd_front_scaled_coefficient(const cd_reduction_workspace* w, const cd_front* x, const real* row, int from)
{
    const double c = fabs(r_value(row[from]));
    if (from >= x->n6) return c / w->scale[w->delayed_velocity[w->record[x->k].first_scalar + from - x->n6]];
    return from % 6 < 3 ? c / w->length : c;
}

// Remove rows whose coefficients are null: they are redundant.
static void drop_null_rows(cd_reduction_workspace* w, cd_front* x, int n, const int* from)
{
    for (int i = x->nrow - 1; i >= 0; --i) {
        double max_coefficient = 0;
        for (int j = 0; j < n; ++j)
            max_coefficient = fmax(max_coefficient, cd_front_scaled_coefficient(w, x, x->R + i * x->stride, from[j]));
        if (max_coefficient * w->row_weight[w->pending_row[i]] > w->null_row_tolerance) continue;
        if (w->rank_updated) w->redundant[w->pending_row[i]] = true;
        --x->nrow;
        w->pending_row[i] = w->pending_row[x->nrow];
        memmove(x->R + i * x->stride, x->R + x->nrow * x->stride, (size_t)x->stride * sizeof *x->R);
    }
}

// Remove linearly dependent rows, which exist if there are more pending rows than unknowns, by elimination on a copy.
static void drop_dependent_rows(cd_reduction_workspace* w, cd_front* x, int n, const int* from)
{
    int   nremaining = x->nrow;
    real* C          = w->row_copy;
    for (int i = 0; i < x->nrow; ++i)
        for (int j = 0; j < n; ++j) {
            const real* row = x->R + i * x->stride;
            C[i * n + j]    = r_const(cd_front_scaled_coefficient(w, x, row, from[j]) *
                                      (r_value(row[from[j]]) < 0 ? -1 : 1) * w->row_weight[w->pending_row[i]]);
        }
    for (int done = 0; done < nremaining; ++done) {
        int row = done, at = 0;
        for (int i = done; i < nremaining; ++i)
            for (int j = 0; j < n; ++j)
                if (fabs(r_value(C[i * n + j])) > fabs(r_value(C[row * n + at]))) row = i, at = j;
        if (!(fabs(r_value(C[row * n + at])) > w->null_row_tolerance)) {
            for (int i = done; i < nremaining; ++i)
                if (w->rank_updated) w->redundant[w->pending_row[i]] = true;
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
        const int id         = w->pending_row[row];
        w->pending_row[row]  = w->pending_row[done];
        w->pending_row[done] = id;
        for (int i = done + 1; i < nremaining; ++i) {
            const real f = r_div(C[i * n + at], C[done * n + at]);
            for (int j = 0; j < n; ++j)
                C[i * n + j] = j == at ? r_const(0) : r_sub(C[i * n + j], r_mul(f, C[done * n + j]));
        }
    }
}

// Push the update on the stack: the remaining unknowns, packed.
void cd_front_push_update(cd_reduction_workspace* w, cd_front* x)
{
    int              n            = 0;
    int*             kept_unknown = w->unknown_target;
    cd_front_record* record       = &w->record[x->k];
    for (int s = 0; s < x->p->nslot; ++s)
        for (int j = 0; w->fronts.slot_target[x->p->first_slot + s] >= 0 && j < 6; ++j) kept_unknown[n++] = 6 * s + j;
    record->ndelayed = 0;
    for (int s = 0; s < x->nscalar; ++s)
        if (w->is_passed_on[record->first_scalar + s]) {
            kept_unknown[n++] = x->n6 + s;
            ++record->ndelayed;
        }
    drop_null_rows(w, x, n, kept_unknown);
    if (x->nrow > 0 && (w->rank_updated || x->nrow > n)) drop_dependent_rows(w, x, n, kept_unknown);
    real* U = w->stack + w->stack_top;
    for (int i = 0; i < n; ++i)
        for (int j = cd_packed_row_begin(i); j < n; ++j) *U++ = x->W[kept_unknown[i] * x->stride + kept_unknown[j]];
    for (int i = 0; i < x->nrow; ++i) {
        w->stacked_row[w->nstacked_row++] = w->pending_row[i];
        for (int j = 0; j < n; ++j) *U++ = x->R[i * x->stride + kept_unknown[j]];
    }
    record->npending = x->nrow;
    w->stack_top += cd_packed_size(n) + (size_t)(x->nrow * n);
}
