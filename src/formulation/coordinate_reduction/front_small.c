// SPDX-License-Identifier: BSD-3-Clause
// Fronts of one or two bodies without delayed velocities, which are nearly all fronts. The same elimination as
// front_factor.c, with loops of constant length that stay in vector registers. Of W the rows of slot 0 and the diagonal
// block of slot 1 are stored, as on the stack:
//
//   n = 6    P (6 x 6)              n = 12    P (6 x 12), Q (6 x 6)     left of Q: the transpose of the block above
//
// Columns of the link multiply rows of slot 0 only, h = S'P. Diagonal blocks remain bitwise symmetric: in long ladders,
// where some directions have an inertia many orders of magnitude larger than others, asymmetric round-off would grow
// from cell to cell.
//
// If a velocity has to be delayed, or dependent rows have to be removed, the front is restored and the general
// elimination treats it.
#include "formulation/formulation_tolerances.h"
#include "formulation/coordinate_reduction/fronts.h"

#include <math.h>
#include <string.h>

#define CD_KERNEL static inline __attribute__((always_inline))

bool cd_front_is_small(const cd_reduction_workspace* w, int k)
{
    const cd_front_symbolic* p = &w->fronts.symbolic[k];
    if (w->rank_updated || p->nslot > 2 || p->max_rows > CD_SMALL_FRONT_MAX_ROWS) return false;
    for (int c = k - 1, nchild_left = p->nchild; nchild_left > 0;
         --nchild_left, c -= w->fronts.symbolic[c].subtree_size)
        if (w->record[c].ndelayed > 0) return false;
    return true;
}

// Add a block (6 x 6, rows of `stride` numbers) of an update at the bodies of its rows and columns.
CD_KERNEL void add_update_block(real* W, int row, int column, const real* U, int stride, bool diagonal, int n)
{
    const bool is_transposed = row > column, is_merged = row == column && !diagonal; // both bodies are now the same
    real*      to     = row + column == 0 ? W : row + column == 2 ? W + 6 * n : W + 6;
    const int  length = row + column == 2 ? 6 : n;
    if (is_transposed || is_merged)
        for (int i = 0; i < 6; ++i)
            for (int j = 0; j < 6; ++j) to[i * length + j] = r_add(to[i * length + j], U[j * stride + i]);
    if (!is_transposed)
        for (int i = 0; i < 6; ++i)
            for (int j = 0; j < 6; ++j) to[i * length + j] = r_add(to[i * length + j], U[i * stride + j]);
}

// Append the rows of an update to the pending rows.
CD_KERNEL void add_update_rows(cd_reduction_workspace* w, cd_front* x, const cd_front_symbolic* c, const real* U,
                               const int* id, int nrow, int n)
{
    const int* slot_to = w->fronts.slot_target + c->first_slot;
    for (int i = 0; i < nrow; ++i) {
        real row[12];
        for (int j = 0; j < n; ++j) row[j] = r_const(0);
        for (int s = 0; s < c->nslot; ++s) {
            if (slot_to[s] < 0) continue;
            const bool again = s > 0 && slot_to[s] == slot_to[0]; // the parent was a port before
            for (int j = 0; j < 6; ++j) row[6 * slot_to[s] + j] = again ? r_add(row[6 * slot_to[s] + j], U[j]) : U[j];
            U += 6;
        }
        for (int j = 0; j < n; ++j) x->R[x->nrow * n + j] = row[j];
        w->pending_row[x->nrow++] = id[i];
    }
}

// Add the updates of the children, the last one first; they remain on the stack.
CD_KERNEL void add_updates(cd_reduction_workspace* w, cd_front* x, int n)
{
    const int size           = n == 12 ? 108 : 36;
    size_t    top            = w->stack_top;
    int       rows_below     = w->nstacked_row;
    bool      is_initialized = false;
    for (int k = x->k - 1, nchild_left = x->p->nchild; nchild_left > 0;
         --nchild_left, k -= w->fronts.symbolic[k].subtree_size) {
        const cd_front_symbolic* c       = &w->fronts.symbolic[k];
        const int*               slot_to = w->fronts.slot_target + c->first_slot;
        const int                nrow = w->record[k].npending, nu = 6 * c->nupdate_body;
        top -= cd_packed_size(nu) + (size_t)(nrow * nu);
        rows_below -= nrow;
        const real* U = w->stack + top;
        if (c->is_identity_map && !is_initialized) {
            for (int i = 0; i < size; ++i) x->W[i] = U[i];
            U += size;
        } else if (c->is_identity_map) {
            for (int i = 0; i < size; ++i) x->W[i] = r_add(x->W[i], U[i]);
            U += size;
        } else {
            for (int i = 0; !is_initialized && i < size; ++i) x->W[i] = r_const(0);
            for (int a = 0, ua = 0; a < c->nslot; ++a) {
                if (slot_to[a] < 0) continue;
                for (int b = a, ub = 0; b < c->nslot; ++b) {
                    if (slot_to[b] < 0) continue;
                    add_update_block(x->W, slot_to[a], slot_to[b], U + ub, nu - ua, a == b, n);
                    ub += 6;
                }
                U += 6 * (nu - ua);
                ua += 6;
            }
        }
        is_initialized = true;
        if (c->is_identity_map) {
            for (int i = 0; i < nrow * n; ++i) x->R[x->nrow * n + i] = U[i];
            for (int i = 0; i < nrow; ++i) w->pending_row[x->nrow++] = w->stacked_row[rows_below + i];
        } else
            add_update_rows(w, x, c, U, w->stacked_row + rows_below, nrow, n);
    }
    for (int i = 0; !is_initialized && i < size; ++i) x->W[i] = r_const(0);
}

// h = S'W, D = S'h + armature, phi = R S.
CD_KERNEL real project_column(cd_reduction_workspace* w, const cd_front* x, const real* s, int ns, double armature,
                              real* h, int n)
{
    for (int i = 0; i < n; ++i) h[i] = r_mul(x->W[i], s[0]);
    for (int j = 1; j < ns; ++j)
        for (int i = 0; i < n; ++i) h[i] = r_add(h[i], r_mul(x->W[j * n + i], s[j]));
    for (int i = 0; i < x->nrow; ++i) {
        const real* row = x->R + i * n;
        real        sum = r_mul(row[0], s[0]);
        for (int j = 1; j < ns; ++j) sum = r_add(sum, r_mul(row[j], s[j]));
        w->phi[i] = sum;
    }
    real D = r_const(armature);
    for (int j = 0; j < ns; ++j) D = r_add(D, r_mul(s[j], h[j]));
    return D;
}

// W <- W - l l'
CD_KERNEL void subtract_rank_one(real* W, const real* l, int n)
{
    for (int i = 0; i < 6; ++i)
        for (int j = r_first_row(i); j < n; ++j) W[i * n + j] = r_sub(W[i * n + j], r_mul(l[i], l[j]));
    real* Q = W + 6 * n;
    for (int i = 0; n == 12 && i < 6; ++i)
        for (int j = r_first_row(i); j < 6; ++j) Q[i * 6 + j] = r_sub(Q[i * 6 + j], r_mul(l[6 + i], l[6 + j]));
}

// W <- W - g h' - h g'
CD_KERNEL void subtract_rank_two(real* W, const real* g, const real* h, int n)
{
    for (int i = 0; i < 6; ++i)
        for (int j = r_first_row(i); j < n; ++j)
            W[i * n + j] = r_sub(W[i * n + j], r_add(r_mul(g[i], h[j]), r_mul(h[i], g[j])));
    real* Q = W + 6 * n;
    for (int i = 0; n == 12 && i < 6; ++i)
        for (int j = r_first_row(i); j < 6; ++j)
            Q[i * 6 + j] = r_sub(Q[i * 6 + j], r_add(r_mul(g[6 + i], h[6 + j]), r_mul(h[6 + i], g[6 + j])));
}

// Copy the upper halves of the diagonal blocks to the lower ones.
CD_KERNEL void symmetrize(real* W, int n)
{
    real* Q = W + 6 * n;
    for (int i = 1; i < 6; ++i)
        for (int j = 0; j < i; ++j) W[i * n + j] = W[j * n + i];
    for (int i = 1; n == 12 && i < 6; ++i)
        for (int j = 0; j < i; ++j) Q[i * 6 + j] = Q[j * 6 + i];
}

CD_KERNEL void eliminate_dependent(cd_reduction_workspace* w, cd_front* x, cd_elimination_stage* stage, const real* h,
                                   int pivot, double coupling, int n)
{
    const real half        = r_mul(r_const(0.5), stage->D);
    real*      stage_value = w->stage_value + w->nstage_value;
    real       p[12], g[12], k[12];
    stage->inverse_phi = r_div(r_const(1), w->phi[pivot]);
    stage->row         = w->pending_row[pivot];
    ++w->ndependent;
    if (coupling < w->min_coupling && stage->row < w->nrow) {
        w->min_coupling     = coupling;
        w->min_coupling_row = stage->row;
    }
    for (int i = 0; i < n; ++i) p[i] = x->R[pivot * n + i];
    for (int i = 0; i < n; ++i) g[i] = r_mul(p[i], stage->inverse_phi);
    for (int i = 0; i < n; ++i) k[i] = r_sub(h[i], r_mul(half, g[i]));
    for (int i = 0; i < n; ++i) stage_value[i] = g[i];
    w->nstage_value += (size_t)n;
    subtract_rank_two(x->W, g, k, n);
    symmetrize(x->W, n);
    cd_front_eliminate_row(w, x, stage, pivot, p, n, n);
}

// Eliminate one velocity. Returns false if it has to be delayed.
CD_KERNEL bool eliminate_velocity(const cardan_model* m, cd_reduction_workspace* w, cd_front* x,
                                  const cd_inertia_bound* size, int v, int n, cardan_status* status)
{
    const int     ns   = cd_front_ncolumn(m, x->p);
    const spatial S    = cd_front_motion_column(m, w, x->p, v);
    const real    s[6] = {S.a.x, S.a.y, S.a.z, S.l.x, S.l.y, S.l.z};
    real          h[12];
    const double  armature = x->p->has_armature && v < m->nv ? m->armature[v] : 0;
    const real    D = ns == 3 ? project_column(w, x, s, 3, armature, h, n) : project_column(w, x, s, 6, armature, h, n);
    double        coupling    = 0;
    const double  scale       = ns == 3 ? w->length : w->scale[v]; // without a memory access for pure rotations
    const int     best        = x->nrow > 0 ? cd_front_find_pivot_row(w, x, scale, -1, &coupling) : -1;
    const double  min_inertia = cd_front_min_inertia(size, S);
    if (best >= 0 && !(coupling > cd_front_pivot_threshold)) return false;
    if (best < 0 && !(r_value(D) > min_inertia)) return *status = CARDAN_SINGULAR, true;
    const unsigned char   kind        = best < 0 ? CD_PIVOT_INDEPENDENT : CD_PIVOT_DEPENDENT;
    cd_elimination_stage* stage       = &w->stage[w->nstage++];
    real*                 stage_value = w->stage_value + w->nstage_value;
    *stage                            = (cd_elimination_stage){.v                  = v,
                                                               .kind               = kind,
                                                               .ncolumn            = (unsigned char)ns,
                                                               .scalar             = -1,
                                                               .n                  = n,
                                                               .row                = -1,
                                                               .stage_value_offset = w->nstage_value,
                                                               .other_offset       = w->nother,
                                                               .D                  = D};
    for (int i = 0; i < ns; ++i) stage_value[i] = s[i];
    for (int i = 0; i < n; ++i) stage_value[ns + i] = h[i];
    w->nstage_value += (size_t)(ns + n);
    if (best >= 0) {
        eliminate_dependent(w, x, stage, h, best, coupling, n);
        return true;
    }
    stage->D        = r_div(r_const(1), D);
    w->growth       = fmax(w->growth, min_inertia * r_value(stage->D));
    const real root = r_sqrt(stage->D);
    real       l[12];
    for (int i = 0; i < n; ++i) l[i] = r_mul(h[i], root);
    subtract_rank_one(x->W, l, n);
    if (r_first_row(1) > 0) symmetrize(x->W, n); // counting numbers compute only one half
    return true;
}

// V(link) = V(parent) moved by d, applied right and left, to slot 0.
CD_KERNEL void shift_to_parent(const cd_front* x, vec3 d, int n)
{
    for (int i = 0; i < x->nrow; ++i) {
        real*      row = x->R + i * n;
        const vec3 c   = v3_cross(d, v3(row[3], row[4], row[5]));
        row[0] = r_add(row[0], c.x), row[1] = r_add(row[1], c.y), row[2] = r_add(row[2], c.z);
    }
    real *a = x->W, *l = x->W + 3 * n;
    for (int j = 0; j < n; ++j) {
        const vec3 c = v3_cross(d, v3(l[j], l[n + j], l[2 * n + j]));
        a[j]         = r_add(a[j], c.x);
        a[n + j]     = r_add(a[n + j], c.y);
        a[2 * n + j] = r_add(a[2 * n + j], c.z);
    }
    for (int i = 0; i < 3; ++i) {
        real*      row = a + i * n;
        const vec3 c   = v3_cross(d, v3(row[3], row[4], row[5]));
        row[0] = r_add(row[0], c.x), row[1] = r_add(row[1], c.y), row[2] = r_add(row[2], c.z);
    }
    a[n] = a[1], a[2 * n] = a[2], a[2 * n + 1] = a[n + 2];
    for (int i = 0; i < 3; ++i)
        for (int j = 0; j < 3; ++j) l[i * n + j] = a[j * n + 3 + i];
}

// Remove rows whose coefficients for the bodies from slot `from` on are null.
CD_KERNEL void drop_null_rows(cd_reduction_workspace* w, cd_front* x, int from, int n)
{
    for (int i = x->nrow - 1; i >= 0; --i) {
        const real* row     = x->R + i * n;
        double      angular = 0, linear = 0;
        for (int s = 6 * from; s < n; s += 6)
            for (int j = 0; j < 3; ++j) {
                angular += fabs(r_value(row[s + j]));
                linear += fabs(r_value(row[s + j + 3]));
            }
        if ((angular / w->length + linear) * w->row_weight[w->pending_row[i]] > w->null_row_tolerance) continue;
        --x->nrow;
        w->pending_row[i] = w->pending_row[x->nrow];
        for (int j = 0; j < n; ++j) x->R[i * n + j] = x->R[x->nrow * n + j];
    }
}

// Push the update in place of the updates of the children. Returns false if there are more rows than unknowns.
CD_KERNEL bool push_update(cd_reduction_workspace* w, cd_front* x, int n)
{
    const int from = x->p->parent < 0 ? 6 : 0, nremaining = n - from;
    drop_null_rows(w, x, from / 6, n);
    if (x->nrow > nremaining) return false;
    for (int k = x->k - 1, nchild_left = x->p->nchild; nchild_left > 0;
         --nchild_left, k -= w->fronts.symbolic[k].subtree_size) {
        const int nu = 6 * w->fronts.symbolic[k].nupdate_body;
        w->stack_top -= cd_packed_size(nu) + (size_t)(w->record[k].npending * nu);
        w->nstacked_row -= w->record[k].npending;
    }
    real*       U    = w->stack + w->stack_top;
    const real* W    = x->W + from * n;
    const int   size = from == 0 ? (n == 12 ? 108 : 36) : n == 12 ? 36 : 0;
    for (int i = 0; i < size; ++i) U[i] = W[i];
    U += size;
    for (int i = 0; i < x->nrow; ++i) {
        w->stacked_row[w->nstacked_row++] = w->pending_row[i];
        for (int j = from; j < n; ++j) *U++ = x->R[i * n + j];
    }
    w->record[x->k].npending = x->nrow;
    w->record[x->k].ndelayed = 0;
    w->stack_top             = (size_t)(U - w->stack);
    return true;
}

CD_KERNEL bool reduce_front(const cardan_model* m, const cd_rows* rows, cd_reduction_workspace* w, cd_front* x,
                            cd_solve_info* info, cardan_status* status, int n)
{
    const cd_front_symbolic* p           = x->p;
    const bool               is_reversed = cd_front_is_reversed(p);
    const vec3               d           = cd_front_parent_offset(m, w, p);
    real*                    stage_value = w->stage_value + w->nstage_value;
    stage_value[0] = d.x, stage_value[1] = d.y, stage_value[2] = d.z;
    w->nstage_value += 3;
    if (p->link >= m->nlink) cd_front_add_ground_rows(w, x, p->link - m->nlink);
    add_updates(w, x, n);
    if (p->link < m->nlink) cd_front_add_inertia(&m->link[p->link], w->pose[p->link].R, x->W, n);
    if (p->nblock > 0) cd_front_add_rows(rows, w, x);
    if (is_reversed) shift_to_parent(x, d, n);
    const cd_inertia_bound size = cd_front_inertia_bound(m, w, x, d);
    for (int v = p->v + p->nv - 1; v >= p->v; --v) {
        if (!eliminate_velocity(m, w, x, &size, v, n, status)) return false;
        if (*status != CARDAN_OK) return info->failed_velocity = v, true;
    }
    if (p->parent >= 0 && !is_reversed) shift_to_parent(x, d, n);
    return push_update(w, x, n);
}

bool cd_front_reduce_small(const cardan_model* m, const cd_rows* rows, cd_reduction_workspace* w, int k,
                           cd_solve_info* info, cardan_status* status)
{
    const cd_front_symbolic* p      = &w->fronts.symbolic[k];
    const int                nstage = w->nstage, ndependent = w->ndependent, min_coupling_row = w->min_coupling_row;
    const size_t             nstage_value = w->nstage_value, nother = w->nother;
    const double             min_coupling = w->min_coupling, growth = w->growth;
    const bool               is_parent_massless = p->parent >= 0 && m->link[p->parent].is_massless;
    const cd_inertia_bound   inertia_bound = is_parent_massless ? w->inertia_bound[p->parent] : (cd_inertia_bound){{0}};
    cd_front                 x             = {.k         = k,
                                              .p         = p,
                                              .n6        = 6 * p->nslot,
                                              .n         = 6 * p->nslot,
                                              .stride    = 6 * p->nslot,
                                              .is_packed = true,
                                              .W         = w->W,
                                              .R         = w->R};
    w->record[k].first_scalar = w->record[k + 1].first_scalar = w->ndelayed_velocity;
    const bool done =
        p->nslot == 1 ? reduce_front(m, rows, w, &x, info, status, 6) : reduce_front(m, rows, w, &x, info, status, 12);
    if (done) return true;
    w->nstage = nstage, w->ndependent = ndependent, w->nstage_value = nstage_value, w->nother = nother;
    w->min_coupling = min_coupling, w->min_coupling_row = min_coupling_row, w->growth = growth;
    if (is_parent_massless) w->inertia_bound[p->parent] = inertia_bound;
    return false;
}
