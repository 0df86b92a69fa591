// SPDX-License-Identifier: BSD-3-Clause
// Fronts of one or two bodies in which no velocity waits: nearly all there are. The same elimination as front_factor.c,
// with loops of constant length that stay in vector registers. Of W are kept, as on the stack, the rows of slot 0 and
// of slot 1 its own block:
//
//   n = 6    P (6 x 6)              n = 12    P (6 x 12), Q (6 x 6)        what stands left of Q is the same as above it
//
// Columns of the link meet rows of slot 0 alone, h = S'P. Diagonal blocks stay symmetric to the last bit: in long
// ladders, where some directions are many orders of magnitude heavier than others, a rounding that differs would grow
// from cell to cell.
//
// A front where a velocity has to wait, or rows have to be thinned out, is left as it was found, to the general
// elimination.
#include "formulation/front.h"

#include <math.h>
#include <string.h>

#define CD_KERNEL static inline __attribute__((always_inline))

bool cd_front_is_narrow(const cd_reducing* w, int k)
{
    const cd_front_plan* p = &w->f.plan[k];
    if (w->learned || p->nslot > 2 || p->most_rows > CD_NARROW_ROWS) return false;
    for (int c = k - 1, left = p->nchild; left > 0; --left, c -= w->f.plan[c].size)
        if (w->mark[c].nsurvive > 0) return false;
    return true;
}

// A block (6 x 6, rows of `stride` numbers) of an update, added where the bodies of its rows and columns stand.
CD_KERNEL void add_block(real* W, int row, int column, const real* U, int stride, bool diagonal, int n)
{
    const bool turned = row > column, twice = row == column && !diagonal; // both bodies are one now
    real*      to     = row + column == 0 ? W : row + column == 2 ? W + 6 * n : W + 6;
    const int  length = row + column == 2 ? 6 : n;
    if (turned || twice)
        for (int i = 0; i < 6; ++i)
            for (int j = 0; j < 6; ++j) to[i * length + j] = r_add(to[i * length + j], U[j * stride + i]);
    if (!turned)
        for (int i = 0; i < 6; ++i)
            for (int j = 0; j < 6; ++j) to[i * length + j] = r_add(to[i * length + j], U[i * stride + j]);
}

// Rows of an update behind those that are open already.
CD_KERNEL void take_rows(cd_reducing* w, cd_front* x, const cd_front_plan* c, const real* U, const int* id, int nrow,
                         int n)
{
    const int* slot_to = w->f.slot_to + c->slot;
    for (int i = 0; i < nrow; ++i) {
        real row[12];
        for (int j = 0; j < n; ++j) row[j] = r_lift(0);
        for (int s = 0; s < c->nslot; ++s) {
            if (slot_to[s] < 0) continue;
            const bool again = s > 0 && slot_to[s] == slot_to[0]; // the parent was a port before
            for (int j = 0; j < 6; ++j) row[6 * slot_to[s] + j] = again ? r_add(row[6 * slot_to[s] + j], U[j]) : U[j];
            U += 6;
        }
        for (int j = 0; j < n; ++j) x->R[x->nrow * n + j] = row[j];
        w->open[x->nrow++] = id[i];
    }
}

// Updates of the children, the last one first; they stay on the stack.
CD_KERNEL void take_updates(cd_reducing* w, cd_front* x, int n)
{
    const int size       = n == 12 ? 108 : 36;
    size_t    top        = w->top;
    int       rows_below = w->rows_below;
    bool      begun      = false;
    for (int k = x->k - 1, left = x->p->nchild; left > 0; --left, k -= w->f.plan[k].size) {
        const cd_front_plan* c       = &w->f.plan[k];
        const int*           slot_to = w->f.slot_to + c->slot;
        const int            nrow = w->mark[k].nopen, nu = 6 * c->left;
        top -= cd_packed_size(nu) + (size_t)(nrow * nu);
        rows_below -= nrow;
        const real* U = w->stack + top;
        if (c->straight && !begun) {
            for (int i = 0; i < size; ++i) x->W[i] = U[i];
            U += size;
        } else if (c->straight) {
            for (int i = 0; i < size; ++i) x->W[i] = r_add(x->W[i], U[i]);
            U += size;
        } else {
            for (int i = 0; !begun && i < size; ++i) x->W[i] = r_lift(0);
            for (int a = 0, ua = 0; a < c->nslot; ++a) {
                if (slot_to[a] < 0) continue;
                for (int b = a, ub = 0; b < c->nslot; ++b) {
                    if (slot_to[b] < 0) continue;
                    add_block(x->W, slot_to[a], slot_to[b], U + ub, nu - ua, a == b, n);
                    ub += 6;
                }
                U += 6 * (nu - ua);
                ua += 6;
            }
        }
        begun = true;
        if (c->straight) {
            for (int i = 0; i < nrow * n; ++i) x->R[x->nrow * n + i] = U[i];
            for (int i = 0; i < nrow; ++i) w->open[x->nrow++] = w->open_below[rows_below + i];
        } else
            take_rows(w, x, c, U, w->open_below + rows_below, nrow, n);
    }
    for (int i = 0; !begun && i < size; ++i) x->W[i] = r_lift(0);
}

// h = S'W, D = S'h + armature, phi = R S.
CD_KERNEL real meet(cd_reducing* w, const cd_front* x, const real* s, int ns, double armature, real* h, int n)
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
    real D = r_lift(armature);
    for (int j = 0; j < ns; ++j) D = r_add(D, r_mul(s[j], h[j]));
    return D;
}

// W <- W - l l'
CD_KERNEL void subtract_square(real* W, const real* l, int n)
{
    for (int i = 0; i < 6; ++i)
        for (int j = r_from(i); j < n; ++j) W[i * n + j] = r_sub(W[i * n + j], r_mul(l[i], l[j]));
    real* Q = W + 6 * n;
    for (int i = 0; n == 12 && i < 6; ++i)
        for (int j = r_from(i); j < 6; ++j) Q[i * 6 + j] = r_sub(Q[i * 6 + j], r_mul(l[6 + i], l[6 + j]));
}

// W <- W - g h' - h g'
CD_KERNEL void subtract_products(real* W, const real* g, const real* h, int n)
{
    for (int i = 0; i < 6; ++i)
        for (int j = r_from(i); j < n; ++j)
            W[i * n + j] = r_sub(W[i * n + j], r_add(r_mul(g[i], h[j]), r_mul(h[i], g[j])));
    real* Q = W + 6 * n;
    for (int i = 0; n == 12 && i < 6; ++i)
        for (int j = r_from(i); j < 6; ++j)
            Q[i * 6 + j] = r_sub(Q[i * 6 + j], r_add(r_mul(g[6 + i], h[6 + j]), r_mul(h[6 + i], g[6 + j])));
}

// The upper halves of the diagonal blocks are what counts.
CD_KERNEL void mirror(real* W, int n)
{
    real* Q = W + 6 * n;
    for (int i = 1; i < 6; ++i)
        for (int j = 0; j < i; ++j) W[i * n + j] = W[j * n + i];
    for (int i = 1; n == 12 && i < 6; ++i)
        for (int j = 0; j < i; ++j) Q[i * 6 + j] = Q[j * 6 + i];
}

CD_KERNEL void gear(cd_reducing* w, cd_front* x, cd_step_taken* step, const real* h, int pivot, double felt, int n)
{
    const real half = r_mul(r_lift(0.5), step->D);
    real*      tape = w->tape + w->ntape;
    real       p[12], g[12], k[12];
    step->phi = r_div(r_lift(1), w->phi[pivot]);
    step->row = w->open[pivot];
    ++w->ngeared;
    if (felt < w->weakest && step->row < w->nrow) {
        w->weakest     = felt;
        w->weakest_row = step->row;
    }
    for (int i = 0; i < n; ++i) p[i] = x->R[pivot * n + i];
    for (int i = 0; i < n; ++i) g[i] = r_mul(p[i], step->phi);
    for (int i = 0; i < n; ++i) k[i] = r_sub(h[i], r_mul(half, g[i]));
    for (int i = 0; i < n; ++i) tape[i] = g[i];
    w->ntape += (size_t)n;
    subtract_products(x->W, g, k, n);
    mirror(x->W, n);
    cd_front_use_up(w, x, step, pivot, p, n, n);
}

// False where the velocity has to wait.
CD_KERNEL bool eliminate(const cardan_model* m, cd_reducing* w, cd_front* x, const cd_extent* size, int v, int n,
                         cardan_status* status)
{
    const int     ns   = cd_front_ncolumn(m, x->p);
    const spatial S    = cd_front_column(m, w, x->p, v);
    const real    s[6] = {S.a.x, S.a.y, S.a.z, S.l.x, S.l.y, S.l.z};
    real          h[12];
    const double  armature = x->p->armed && v < m->nv ? m->armature[v] : 0;
    const real    D        = ns == 3 ? meet(w, x, s, 3, armature, h, n) : meet(w, x, s, 6, armature, h, n);
    double        felt     = 0;
    const double  scale    = ns == 3 ? w->length : w->scale[v]; // what only turns need not be looked up
    const int     best     = x->nrow > 0 ? cd_front_judge(w, x, scale, -1, &felt) : -1;
    const double  least    = cd_front_along(size, S);
    if (best >= 0 && !(felt > cd_felt_strongly)) return false;
    if (best < 0 && !(r_value(D) > least)) return *status = CARDAN_SINGULAR, true;
    cd_step_taken* step = &w->step[w->nstep++];
    real*          tape = w->tape + w->ntape;
    *step               = (cd_step_taken){.v       = v,
                                          .kind    = best < 0 ? CD_FREE : CD_GEARED,
                                          .ncolumn = (unsigned char)ns,
                                          .scalar  = -1,
                                          .n       = n,
                                          .row     = -1,
                                          .tape    = w->ntape,
                                          .other   = w->nother,
                                          .D       = D};
    for (int i = 0; i < ns; ++i) tape[i] = s[i];
    for (int i = 0; i < n; ++i) tape[ns + i] = h[i];
    w->ntape += (size_t)(ns + n);
    if (best >= 0) {
        gear(w, x, step, h, best, felt, n);
        return true;
    }
    step->D         = r_div(r_lift(1), D);
    w->heaviest     = fmax(w->heaviest, least * r_value(step->D));
    const real root = r_sqrt(step->D);
    real       l[12];
    for (int i = 0; i < n; ++i) l[i] = r_mul(h[i], root);
    subtract_square(x->W, l, n);
    if (r_from(1) > 0) mirror(x->W, n); // counted numbers do half of the work
    return true;
}

// V(link) = V(parent) moved by d, right and left, on slot 0.
CD_KERNEL void pass(const cd_front* x, vec3 d, int n)
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

// Rows that have nothing left to say about the bodies from slot `from` on are dropped.
CD_KERNEL void drop_rows(cd_reducing* w, cd_front* x, int from, int n)
{
    for (int i = x->nrow - 1; i >= 0; --i) {
        const real* row  = x->R + i * n;
        double      turn = 0, move = 0;
        for (int s = 6 * from; s < n; s += 6)
            for (int j = 0; j < 3; ++j) {
                turn += fabs(r_value(row[s + j]));
                move += fabs(r_value(row[s + j + 3]));
            }
        if ((turn / w->length + move) * w->row_weight[w->open[i]] > w->vanished) continue;
        --x->nrow;
        w->open[i] = w->open[x->nrow];
        for (int j = 0; j < n; ++j) x->R[i * n + j] = x->R[x->nrow * n + j];
    }
}

// What is left goes where the updates of the children were.
CD_KERNEL bool close(cd_reducing* w, cd_front* x, int n)
{
    const int from = x->p->up < 0 ? 6 : 0, left = n - from;
    drop_rows(w, x, from / 6, n);
    if (x->nrow > left) return false;
    for (int k = x->k - 1, more = x->p->nchild; more > 0; --more, k -= w->f.plan[k].size) {
        const int nu = 6 * w->f.plan[k].left;
        w->top -= cd_packed_size(nu) + (size_t)(w->mark[k].nopen * nu);
        w->rows_below -= w->mark[k].nopen;
    }
    real*       U    = w->stack + w->top;
    const real* W    = x->W + from * n;
    const int   size = from == 0 ? (n == 12 ? 108 : 36) : n == 12 ? 36 : 0;
    for (int i = 0; i < size; ++i) U[i] = W[i];
    U += size;
    for (int i = 0; i < x->nrow; ++i) {
        w->open_below[w->rows_below++] = w->open[i];
        for (int j = from; j < n; ++j) *U++ = x->R[i * n + j];
    }
    w->mark[x->k].nopen    = x->nrow;
    w->mark[x->k].nsurvive = 0;
    w->top                 = (size_t)(U - w->stack);
    return true;
}

CD_KERNEL bool reduce(const cardan_model* m, const cd_rows* rows, cd_reducing* w, cd_front* x, cd_where* where,
                      cardan_status* status, int n)
{
    const cd_front_plan* p        = x->p;
    const bool           backward = cd_front_is_backward(p);
    const vec3           d        = cd_front_arm(m, w, p);
    real*                tape     = w->tape + w->ntape;
    tape[0] = d.x, tape[1] = d.y, tape[2] = d.z;
    w->ntape += 3;
    if (p->link >= m->nlink) cd_front_hold(w, x, p->link - m->nlink);
    take_updates(w, x, n);
    if (p->link < m->nlink) cd_front_inertia(&m->link[p->link], w->pose[p->link].R, x->W, n);
    if (p->nblock > 0) cd_front_rows(rows, w, x);
    if (backward) pass(x, d, n);
    const cd_extent size = cd_front_measure(m, w, x, d);
    for (int v = p->v + p->nv - 1; v >= p->v; --v) {
        if (!eliminate(m, w, x, &size, v, n, status)) return false;
        if (*status != CARDAN_OK) return where->v = v, true;
    }
    if (p->up >= 0 && !backward) pass(x, d, n);
    return close(w, x, n);
}

bool cd_front_narrow(const cardan_model* m, const cd_rows* rows, cd_reducing* w, int k, cd_where* where,
                     cardan_status* status)
{
    const cd_front_plan* p     = &w->f.plan[k];
    const int            nstep = w->nstep, ngeared = w->ngeared, weakest_row = w->weakest_row;
    const size_t         ntape = w->ntape, nother = w->nother;
    const double         weakest = w->weakest, heaviest = w->heaviest;
    const bool           carried = p->up >= 0 && m->link[p->up].bare;
    const cd_extent      span    = carried ? w->span[p->up] : (cd_extent){{0}};
    cd_front             x       = {.k      = k,
                                    .p      = p,
                                    .n6     = 6 * p->nslot,
                                    .n      = 6 * p->nslot,
                                    .stride = 6 * p->nslot,
                                    .packed = true,
                                    .W      = w->W,
                                    .R      = w->R};
    w->mark[k].scalar = w->mark[k + 1].scalar = w->nscalar;
    const bool done =
        p->nslot == 1 ? reduce(m, rows, w, &x, where, status, 6) : reduce(m, rows, w, &x, where, status, 12);
    if (done) return true;
    w->nstep = nstep, w->ngeared = ngeared, w->ntape = ntape, w->nother = nother;
    w->weakest = weakest, w->weakest_row = weakest_row, w->heaviest = heaviest;
    if (carried) w->span[p->up] = span;
    return false;
}
