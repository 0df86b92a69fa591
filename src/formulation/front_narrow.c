// SPDX-License-Identifier: BSD-3-Clause
// Fronts of one or two bodies in which no velocity waits: nearly all there are. The same elimination as front_factor.c, with loops of constant length
// that stay in vector registers. W stays symmetric to the last bit: what W(i,j) and W(j,i) become is made of the same products and sums. In long
// ladders, where some directions are many orders of magnitude heavier than others, a rounding that differs would grow from cell to cell.
//
// A front where a velocity has to wait, or rows have to be thinned out, is left as it was found, to the general elimination.
#include "formulation/front.h"

#include <math.h>
#include <string.h>

#define CD_KERNEL static inline __attribute__((always_inline))

bool cd_front_is_narrow(const cd_reducing* w, int k)
{
    if (w->learned || w->f.first_slot[k + 1] - w->f.first_slot[k] > 2 || w->f.most_rows[k] > CD_NARROW_ROWS) return false;
    for (int c = k - 1, left = w->f.nchild[k]; left > 0; --left, c -= w->f.size[c])
        if (w->nsurvive[c] > 0) return false;
    return true;
}

// Counted numbers do half of the work, since the other half is the same.
CD_KERNEL void mirror(real* W, int n)
{
    if (r_from(1) == 0) return;
    for (int i = 1; i < n; ++i)
        for (int j = 0; j < i; ++j) W[i * n + j] = W[j * n + i];
}

// Updates of the children, the last one first; they stay on the stack.
CD_KERNEL void take_updates(cd_reducing* w, cd_front* x, size_t top, int rows_below, int n)
{
    for (int c = x->k - 1, left = w->f.nchild[x->k]; left > 0; --left, c -= w->f.size[c]) {
        const int* slot_to = w->f.slot_to + w->f.first_slot[c];
        const int  nslot   = w->f.first_slot[c + 1] - w->f.first_slot[c], nrow = w->nopen[c], nu = 6 * w->f.left[c];
        top -= (size_t)((nu + nrow) * nu);
        rows_below -= nrow;
        const real* U = w->stack + top;
        for (int a = 0, ua = 0; a < nslot; ++a) {
            if (slot_to[a] < 0) continue;
            for (int b = 0, ub = 0; b < nslot; ++b) {
                if (slot_to[b] < 0) continue;
                for (int i = 0; i < 6; ++i) {
                    real* row = x->W + (6 * slot_to[a] + i) * n + 6 * slot_to[b];
                    for (int j = 0; j < 6; ++j) row[j] = r_add(row[j], U[(ua + i) * nu + ub + j]);
                }
                ub += 6;
            }
            ua += 6;
        }
        U += nu * nu;
        for (int i = 0; i < nrow; ++i, ++x->nrow, U += nu) {
            real* row        = x->R + x->nrow * n;
            w->open[x->nrow] = w->open_below[rows_below + i];
            for (int j = 0; j < n; ++j) row[j] = r_lift(0);
            for (int b = 0, ub = 0; b < nslot; ++b) {
                if (slot_to[b] < 0) continue;
                const bool again = b > 0 && slot_to[b] == slot_to[0];  // the parent was a port before
                for (int j = 0; j < 6; ++j) row[6 * slot_to[b] + j] = again ? r_add(row[6 * slot_to[b] + j], U[ub + j]) : U[ub + j];
                ub += 6;
            }
        }
    }
}

// h = W S, D = S'h + armature, phi = R S; of a hinge or slide three components are there.
CD_KERNEL real meet(const cardan_model* m, cd_reducing* w, const cd_front* x, int v, int n)
{
    const spatial S     = w->E[v];
    const int     kind  = w->f.nroot > 0 ? CD_FLOAT : m->link[x->link].motion, first = kind == CD_SLIDE ? 3 : 0, last = kind == CD_HINGE ? 3 : 6;
    const real    s[6]  = {S.a.x, S.a.y, S.a.z, S.l.x, S.l.y, S.l.z};
    real          h[12];
    for (int i = 0; i < n; ++i) h[i] = r_mul(x->W[first * n + i], s[first]);
    for (int j = first + 1; j < last; ++j)
        for (int i = 0; i < n; ++i) h[i] = r_add(h[i], r_mul(x->W[j * n + i], s[j]));
    for (int i = 0; i < n; ++i) w->h[i] = h[i];
    for (int i = 0; i < x->nrow; ++i) {
        const real* row = x->R + i * n;
        real        sum = r_mul(row[first], s[first]);
        for (int j = first + 1; j < last; ++j) sum = r_add(sum, r_mul(row[j], s[j]));
        w->phi[i] = sum;
    }
    real D = r_lift(v < m->nv ? m->armature[v] : 0);
    for (int j = first; j < last; ++j) D = r_add(D, r_mul(s[j], h[j]));
    return D;
}

CD_KERNEL void free_velocity(cd_reducing* w, const cd_front* x, const cd_step_taken* step, int n)
{
    const real root = r_sqrt(step->D);
    real       l[12];
    for (int i = 0; i < n; ++i) l[i] = r_mul(w->h[i], root);
    for (int i = 0; i < n; ++i)
        for (int j = r_from(i); j < n; ++j) x->W[i * n + j] = r_sub(x->W[i * n + j], r_mul(l[i], l[j]));
    mirror(x->W, n);
}

CD_KERNEL void gear_velocity(cd_reducing* w, const cd_front* x, const cd_step_taken* step, real* tape, int pivot, int n)
{
    const real half = r_mul(r_lift(0.5), step->D);
    real       g[12], h[12];
    for (int i = 0; i < n; ++i) g[i] = r_mul(x->R[pivot * n + i], step->phi);
    for (int i = 0; i < n; ++i) h[i] = r_sub(w->h[i], r_mul(half, g[i]));
    for (int i = 0; i < n; ++i) tape[i] = g[i];
    for (int i = 0; i < n; ++i)
        for (int j = r_from(i); j < n; ++j) x->W[i * n + j] = r_sub(x->W[i * n + j], r_add(r_mul(g[i], h[j]), r_mul(h[i], g[j])));
    mirror(x->W, n);
}

// Row `pivot` is taken from the others that feel the velocity; the last row takes its place.
CD_KERNEL void use_up(cd_reducing* w, cd_front* x, cd_step_taken* step, int pivot, int n)
{
    const real* p = x->R + pivot * n;
    for (int i = 0; i < x->nrow; ++i) {
        if (i == pivot || r_value(w->phi[i]) == 0) continue;
        real*      row = x->R + i * n;
        const real f   = r_mul(w->phi[i], step->phi);
        for (int j = 0; j < n; ++j) row[j] = r_sub(row[j], r_mul(f, p[j]));
        w->tape[w->ntape++]   = f;
        w->other[w->nother++] = w->open[i];
        ++step->nother;
    }
    --x->nrow;
    w->open[pivot] = w->open[x->nrow];
    for (int j = 0; j < n; ++j) x->R[pivot * n + j] = x->R[x->nrow * n + j];
}

// False where the velocity has to wait.
CD_KERNEL bool eliminate(const cardan_model* m, cd_reducing* w, cd_front* x, int v, int n, cardan_status* status)
{
    const real D    = meet(m, w, x, v, n);
    double     felt = 0;
    const int  best = cd_front_judge(w, x, v, &felt);
    if (best >= 0 && !(felt > cd_felt_strongly)) return false;
    if (best < 0 && !(r_value(D) > w->least[v])) return *status = CARDAN_SINGULAR, true;
    cd_step_taken* step = &w->step[w->nstep++];
    real*          tape = w->tape + w->ntape;
    *step = (cd_step_taken){.v = v, .kind = best < 0 ? CD_FREE : CD_GEARED, .scalar = -1, .n = n, .row = -1, .tape = w->ntape, .other = w->nother};
    for (int i = 0; i < n; ++i) tape[i] = w->h[i];
    w->ntape += (size_t)n;
    if (best < 0) {
        step->D = r_div(r_lift(1), D);
        w->heaviest = fmax(w->heaviest, w->least[v] * r_value(step->D));
        free_velocity(w, x, step, n);
        return true;
    }
    step->D   = D;
    step->phi = r_div(r_lift(1), w->phi[best]);
    step->row = w->open[best];
    if (felt < w->weakest && step->row < w->nrow) {
        w->weakest     = felt;
        w->weakest_row = step->row;
    }
    w->ntape += (size_t)n;
    gear_velocity(w, x, step, tape + n, best, n);
    use_up(w, x, step, best, n);
    return true;
}

// V(link) = V(parent) moved by d, right and left, on slot 0.
CD_KERNEL void pass(const cd_front* x, vec3 d, int n)
{
    for (int i = 0; i < n + x->nrow; ++i) {
        real*      row = i < n ? x->W + i * n : x->R + (i - n) * n;
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
    a[n] = a[1], a[2 * n] = a[2], a[2 * n + 1] = a[n + 2];
}

// Rows that have nothing left to say about the bodies from slot `from` on are dropped.
CD_KERNEL void drop_rows(cd_reducing* w, cd_front* x, int from, int n)
{
    for (int i = x->nrow - 1; i >= 0; --i) {
        const real* row = x->R + i * n;
        double      turn = 0, move = 0;
        for (int s = 6 * from; s < n; s += 6)
            for (int j = 0; j < 3; ++j) {
                turn += fabs(r_value(row[s + j]));
                move += fabs(r_value(row[s + j + 3]));
            }
        if (turn / w->length + move > cd_row_vanished * w->row_scale[w->open[i]]) continue;
        --x->nrow;
        w->open[i] = w->open[x->nrow];
        for (int j = 0; j < n; ++j) x->R[i * n + j] = x->R[x->nrow * n + j];
    }
}

CD_KERNEL bool close(cd_reducing* w, cd_front* x, size_t* top, int* rows_below, size_t taken, int rows_taken, bool root, int n)
{
    const int from = root ? 6 : 0, left = n - from;
    drop_rows(w, x, from / 6, n);
    if (x->nrow > left) return false;
    *top -= taken;
    *rows_below -= rows_taken;
    real* U = w->stack + *top;
    for (int i = from; i < n; ++i)
        for (int j = from; j < n; ++j) *U++ = x->W[i * n + j];
    for (int i = 0; i < x->nrow; ++i) {
        w->open_below[(*rows_below)++] = w->open[i];
        for (int j = from; j < n; ++j) *U++ = x->R[i * n + j];
    }
    w->nopen[x->k]    = x->nrow;
    w->nsurvive[x->k] = 0;
    *top += (size_t)((left + x->nrow) * left);
    return true;
}

CD_KERNEL bool reduce(const cardan_model* m, const cd_rows* rows, cd_reducing* w, cd_front* x, size_t* top, int* rows_below, cd_where* where,
                      cardan_status* status, int n)
{
    const int      up = w->f.up[x->link], first = w->f.v[x->link];
    size_t         taken = 0;
    int            rows_taken = 0;
    for (int c = x->k - 1, left = w->f.nchild[x->k]; left > 0; --left, c -= w->f.size[c]) {
        taken += (size_t)((6 * w->f.left[c] + w->nopen[c]) * 6 * w->f.left[c]);
        rows_taken += w->nopen[c];
    }
    for (int i = 0; i < n * n; ++i) x->W[i] = r_lift(0);
    if (x->link < m->nlink) cd_front_inertia(&m->link[x->link], w->pose[x->link].R, x);
    else cd_front_hold(w, x, x->link - m->nlink);
    take_updates(w, x, *top, *rows_below, n);
    cd_front_rows(rows, w, x);
    cd_front_measure(m, w, x);
    for (int v = first + w->f.nv[x->link] - 1; v >= first; --v) {
        if (!eliminate(m, w, x, v, n, status)) return false;
        if (*status != CARDAN_OK) return where->v = v, true;
    }
    if (up >= 0) pass(x, v3_sub(w->pose[x->link].p, w->pose[up].p), n);
    return close(w, x, top, rows_below, taken, rows_taken, up < 0, n);
}

bool cd_front_narrow(const cardan_model* m, const cd_rows* rows, cd_reducing* w, int k, size_t* top, int* rows_below, cd_where* where,
                     cardan_status* status)
{
    const int    nslot = w->f.first_slot[k + 1] - w->f.first_slot[k], nstep = w->nstep;
    const size_t ntape = w->ntape, nother = w->nother;
    const int    link  = w->f.link[k], up = w->f.up[link];
    const double weakest     = w->weakest;
    const int    weakest_row = w->weakest_row;
    const cd_extent carried = up >= 0 ? w->span[up] : (cd_extent){{0}};
    cd_front x = {.k = k, .link = link, .n6 = 6 * nslot, .n = 6 * nslot, .stride = 6 * nslot, .W = w->W, .R = w->R};
    w->first_scalar[k] = w->first_scalar[k + 1] = w->nscalar;
    w->first_step[k]   = w->nstep;
    const bool done = nslot == 1 ? reduce(m, rows, w, &x, top, rows_below, where, status, 6) : reduce(m, rows, w, &x, top, rows_below, where, status, 12);
    if (!done) {
        w->nstep = nstep, w->ntape = ntape, w->nother = nother;
        w->weakest = weakest, w->weakest_row = weakest_row;
        if (up >= 0) w->span[up] = carried;
        return false;
    }
    w->first_step[k + 1] = w->nstep;
    return true;
}
