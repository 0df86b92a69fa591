// SPDX-License-Identifier: BSD-3-Clause
// Elimination front by front. A front is the form 1/2 V'W V over its unknowns V with pending rows R V = gamma; the
// motion of the link is that of its parent plus that of its joint, V(link) = V(parent) moved + S u. With h = W S, D =
// S'h + armature, phi = R S:
//
//   independent   no pending row depends on u:  u = (e - h'V) / D               W <- W - h h'/D
//   dependent     by row p:                     u = g0 - g'V,  g = R(p)/phi(p)  W <- W - g k' - k g',  k = h - D g / 2
//                                               R(i) <- R(i) - phi(i)/phi(p) R(p)
//   delayed       weak coupling only:           u is an unknown of the front until a row is eliminated with it or no
//                                               row depends on it
//
// W remains bitwise symmetric: in long ladders, where some directions have an inertia many orders of magnitude larger
// than others, round-off that differs above and below the diagonal grows from cell to cell.
//
// After that the link is eliminated, its parent is in slot 0, and the front is added to its parent front. Paper 004
// (Anderson, Critchley), equations 33 to 66, in the two-port form that is valid for moving bases and for any number of
// ports. docs/theory/reduction.md.
#include "formulation/formulation_tolerances.h"
#include "formulation/coordinate_reduction/fronts.h"

#include <math.h>
#include <string.h>

// A velocity before its elimination, with its couplings to the front and to the pending rows.
typedef struct pivot_candidate {
    int     v, scalar; // scalar of the front, or -1: a column of the link itself
    int     n;         // components of its motion column
    spatial S;
    real    D;
    int     pivot_row; // row with the largest coupling, or -1
    double  coupling;  // relative to the size of row and column
} pivot_candidate;

// Return whether pending row i has null coefficients except for the current velocity: a scalar of the front, or (-1)
// the only one of its link.
static bool is_row_exhausted(const cd_reduction_workspace* w, const cd_front* x, int i, int scalar)
{
    const bool grounded = x->p->parent < 0; // without its joint the link does not move
    if (scalar < 0 && !(grounded && x->p->nv == 1)) return false;
    for (int j = grounded ? 6 : 0; j < x->n; ++j)
        if ((scalar < 0 || j != x->n6 + scalar) &&
            cd_front_scaled_coefficient(w, x, x->R + i * x->stride, j) * w->row_weight[w->pending_row[i]] >
                w->null_row_tolerance)
            return false;
    return true;
}

// Find the pending row with the largest coupling. Off the constraints a redundant row is coupled to the last velocity
// by the violation: it is null.
int cd_front_find_pivot_row(const cd_reduction_workspace* w, const cd_front* x, double scale, int scalar,
                            double* max_coupling)
{
    const double weight = 1 / scale;
    int          best   = -1;
    for (int i = 0; i < x->nrow; ++i) {
        const double coupling = fabs(r_value(w->phi[i])) * w->row_weight[w->pending_row[i]] * weight;
        if (!(coupling > cd_front_coupling_roundoff) ||
            (coupling <= w->null_row_tolerance && is_row_exhausted(w, x, i, scalar)))
            w->phi[i] = r_const(0);
        else if (coupling > *max_coupling) {
            *max_coupling = coupling;
            best          = i;
        }
    }
    return best;
}

static pivot_candidate column_of_link(const cardan_model* m, const cd_reduction_workspace* w, const cd_front* x, int v)
{
    pivot_candidate c = {
        .v = v, .scalar = -1, .n = cd_front_ncolumn(m, x->p), .S = cd_front_motion_column(m, w, x->p, v)};
    const real s[6] = {c.S.a.x, c.S.a.y, c.S.a.z, c.S.l.x, c.S.l.y, c.S.l.z};
    for (int i = 0; i < x->n; ++i) {
        const real* row = x->W + i * x->stride;
        real        sum = r_mul(row[0], s[0]);
        for (int j = 1; j < c.n; ++j) sum = r_add(sum, r_mul(row[j], s[j]));
        w->h[i] = sum;
    }
    for (int i = 0; i < x->nrow; ++i) {
        const real* row = x->R + i * x->stride;
        real        sum = r_mul(row[0], s[0]);
        for (int j = 1; j < c.n; ++j) sum = r_add(sum, r_mul(row[j], s[j]));
        w->phi[i] = sum;
    }
    c.D = r_const(v < m->nv ? m->armature[v] : 0);
    for (int j = 0; j < c.n; ++j) c.D = r_add(c.D, r_mul(s[j], w->h[j]));
    c.pivot_row = cd_front_find_pivot_row(w, x, w->scale[c.v], c.scalar, &c.coupling);
    return c;
}

static pivot_candidate column_of_scalar(const cd_reduction_workspace* w, const cd_front* x, int scalar)
{
    const int       at = x->n6 + scalar;
    pivot_candidate c  = {.v      = w->delayed_velocity[w->record[x->k].first_scalar + scalar],
                          .scalar = scalar,
                          .S      = sv_zero(),
                          .D      = x->W[at * x->stride + at]};
    for (int i = 0; i < x->n; ++i) w->h[i] = i == at ? r_const(0) : x->W[at * x->stride + i];
    for (int i = 0; i < x->nrow; ++i) w->phi[i] = x->R[i * x->stride + at];
    c.pivot_row = cd_front_find_pivot_row(w, x, w->scale[c.v], c.scalar, &c.coupling);
    return c;
}

// Record a stage on the stage_value, with its column and h.
static cd_elimination_stage* record_stage(cd_reduction_workspace* w, const cd_front* x, const pivot_candidate* c,
                                          cd_pivot_kind kind)
{
    const real            s[6]  = {c->S.a.x, c->S.a.y, c->S.a.z, c->S.l.x, c->S.l.y, c->S.l.z};
    cd_elimination_stage* stage = &w->stage[w->nstage++];
    *stage                      = (cd_elimination_stage){.v                  = c->v,
                                                         .kind               = (unsigned char)kind,
                                                         .ncolumn            = (unsigned char)c->n,
                                                         .scalar             = c->scalar,
                                                         .n                  = x->n,
                                                         .row                = -1,
                                                         .stage_value_offset = w->nstage_value,
                                                         .other_offset       = w->nother,
                                                         .D                  = c->D};
    memcpy(w->stage_value + w->nstage_value, s, (size_t)c->n * sizeof *s);
    memcpy(w->stage_value + w->nstage_value + c->n, w->h, (size_t)x->n * sizeof *w->h);
    w->nstage_value += (size_t)(c->n + x->n);
    return stage;
}

// Remove the unknown of a scalar: set all its couplings to zero.
static void clear_scalar(const cd_reduction_workspace* w, const cd_front* x, int scalar)
{
    const int at = x->n6 + scalar;
    for (int i = 0; i < x->n; ++i) x->W[at * x->stride + i] = x->W[i * x->stride + at] = r_const(0);
    for (int i = 0; i < x->nrow; ++i) x->R[i * x->stride + at] = r_const(0);
    w->is_passed_on[w->record[x->k].first_scalar + scalar] = false;
}

static void eliminate_independent(cd_reduction_workspace* w, const cd_front* x, const pivot_candidate* c)
{
    cd_elimination_stage* s = record_stage(w, x, c, CD_PIVOT_INDEPENDENT);
    s->D                    = r_div(r_const(1), c->D);
    w->growth               = fmax(w->growth, w->min_inertia[c->v] * r_value(s->D));
    const real root         = r_sqrt(s->D);
    for (int i = 0; i < x->n; ++i) w->h[i] = r_mul(w->h[i], root);
    for (int i = 0; i < x->n; ++i)
        for (int j = i; j < x->n; ++j) {
            const real update       = r_mul(w->h[i], w->h[j]);
            x->W[i * x->stride + j] = x->W[j * x->stride + i] = r_sub(x->W[i * x->stride + j], update);
        }
}

static void eliminate_dependent(cd_reduction_workspace* w, cd_front* x, const pivot_candidate* c, int pivot)
{
    cd_elimination_stage* s  = record_stage(w, x, c, CD_PIVOT_DEPENDENT);
    const int             at = c->scalar < 0 ? -1 : x->n6 + c->scalar;
    real*                 g  = w->stage_value + w->nstage_value;
    s->row                   = w->pending_row[pivot];
    ++w->ndependent;
    if (c->coupling < w->min_coupling && s->row < w->nrow) {
        w->min_coupling     = c->coupling;
        w->min_coupling_row = s->row;
    }
    s->inverse_phi = r_div(r_const(1), w->phi[pivot]);
    w->nstage_value += (size_t)x->n;
    for (int i = 0; i < x->n; ++i) g[i] = i == at ? r_const(0) : r_mul(x->R[pivot * x->stride + i], s->inverse_phi);
    const real half = r_mul(r_const(0.5), c->D);
    for (int i = 0; i < x->n; ++i) w->h[i] = r_sub(w->h[i], r_mul(half, g[i]));
    for (int i = 0; i < x->n; ++i)
        for (int j = i; j < x->n; ++j) {
            const real update       = r_add(r_mul(g[i], w->h[j]), r_mul(w->h[i], g[j]));
            x->W[i * x->stride + j] = x->W[j * x->stride + i] = r_sub(x->W[i * x->stride + j], update);
        }
    cd_front_eliminate_row(w, x, s, pivot, x->R + pivot * x->stride, x->n, x->stride);
}

static void delay_velocity(cd_reduction_workspace* w, cd_front* x, const pivot_candidate* c)
{
    const int       at   = x->n;
    pivot_candidate here = *c;
    here.scalar          = x->nscalar;
    record_stage(w, x, &here, CD_PIVOT_DELAYED);
    for (int i = 0; i < x->n; ++i) x->W[at * x->stride + i] = x->W[i * x->stride + at] = w->h[i];
    x->W[at * x->stride + at] = c->D;
    for (int i = 0; i < x->nrow; ++i) x->R[i * x->stride + at] = w->phi[i];
    w->is_passed_on[w->ndelayed_velocity]       = true;
    w->delayed_velocity[w->ndelayed_velocity++] = c->v;
    ++x->nscalar;
    ++x->n;
}

static bool has_inertia(const cd_reduction_workspace* w, const pivot_candidate* c)
{
    return r_value(c->D) > w->min_inertia[c->v];
}

double cd_front_min_inertia(const cd_inertia_bound* e, spatial S)
{
    const double sum = fabs(r_value(S.a.x)) * e->sqrt_diagonal[0] + fabs(r_value(S.a.y)) * e->sqrt_diagonal[1] +
                       fabs(r_value(S.a.z)) * e->sqrt_diagonal[2] + fabs(r_value(S.l.x)) * e->sqrt_diagonal[3] +
                       fabs(r_value(S.l.y)) * e->sqrt_diagonal[4] + fabs(r_value(S.l.z)) * e->sqrt_diagonal[5];
    return cd_massless_pivot * sum * sum;
}

// Return the bound with respect to the parent, at the distance d.
static cd_inertia_bound shifted_bound(const cd_inertia_bound* e, vec3 d)
{
    const double *a = e->sqrt_diagonal, *l = e->sqrt_diagonal + 3, x = fabs(r_value(d.x)), y = fabs(r_value(d.y)),
                 z = fabs(r_value(d.z));
    return (cd_inertia_bound){
        {a[0] + y * l[2] + z * l[1], a[1] + z * l[0] + x * l[2], a[2] + x * l[1] + y * l[0], l[0], l[1], l[2]}};
}

// Return the scale of pivots: the inertia along a velocity of the link before any elimination in its front. For
// massless links between the elementary joints of one joint it is that of the outboard links, or of what eliminated
// rows have added. The link's own inertia counts in every direction, because its rotation to world axes leaves
// round-off.
cd_inertia_bound cd_front_inertia_bound(const cardan_model* m, cd_reduction_workspace* w, const cd_front* x, vec3 d)
{
    const cd_link* link           = x->p->link < m->nlink ? &m->link[x->p->link] : NULL;
    const bool     is_reversed    = cd_front_is_reversed(x->p),
               is_parent_massless = x->p->parent >= 0 && m->link[x->p->parent].is_massless;
    cd_inertia_bound size;
    if (link && !link->is_massless) {
        const double rotational = link->I[0] + link->I[1] + link->I[2];
        for (int j = 0; j < 6; ++j) {
            const double own = j < 3 ? rotational : link->m, all = r_value(x->W[j * (x->stride + 1)]);
            size.sqrt_diagonal[j] = sqrt(all > own ? all : own);
        }
    } else {
        size = is_reversed ? shifted_bound(&w->inertia_bound[x->p->link], d) : w->inertia_bound[x->p->link];
        for (int j = 0; j < 6; ++j)
            size.sqrt_diagonal[j] = fmax(size.sqrt_diagonal[j], sqrt(fmax(0, r_value(x->W[j * (x->stride + 1)]))));
    }
    if (is_parent_massless) {
        const cd_inertia_bound at_parent = is_reversed ? size : shifted_bound(&size, d);
        double*                sum       = w->inertia_bound[x->p->parent].sqrt_diagonal;
        for (int j = 0; j < 6; ++j)
            sum[j] = sqrt(sum[j] * sum[j] + at_parent.sqrt_diagonal[j] * at_parent.sqrt_diagonal[j]);
    }
    return size;
}

// Eliminate the velocities of the link, outboard first. A joint that is traversed backwards has its origin at the
// parent.
static cardan_status eliminate_link(const cardan_model* m, cd_reduction_workspace* w, cd_front* x, cd_solve_info* info)
{
    const vec3 d           = cd_front_parent_offset(m, w, x->p);
    real*      stage_value = w->stage_value + w->nstage_value;
    stage_value[0] = d.x, stage_value[1] = d.y, stage_value[2] = d.z;
    w->nstage_value += 3;
    if (cd_front_is_reversed(x->p)) cd_front_shift_to_parent(x, d);
    const cd_inertia_bound size = cd_front_inertia_bound(m, w, x, d);
    for (int v = x->p->v + x->p->nv - 1; v >= x->p->v; --v) {
        const pivot_candidate c = column_of_link(m, w, x, v);
        w->min_inertia[v]       = cd_front_min_inertia(&size, c.S);
        if (c.pivot_row < 0 && !has_inertia(w, &c)) return info->failed_velocity = v, CARDAN_SINGULAR;
        if (c.pivot_row < 0)
            eliminate_independent(w, x, &c);
        else if (c.coupling > cd_front_pivot_threshold)
            eliminate_dependent(w, x, &c, c.pivot_row);
        else
            delay_velocity(w, x, &c);
    }
    return CARDAN_OK;
}

static void eliminate_scalar(cd_reduction_workspace* w, cd_front* x, const pivot_candidate* c)
{
    if (c->pivot_row < 0)
        eliminate_independent(w, x, c);
    else
        eliminate_dependent(w, x, c, c->pivot_row);
    clear_scalar(w, x, c->scalar);
}

// Eliminate scalars on which no row depends any more, and those with a strong coupling to some row. If the front has no
// parent front, or too many scalars remain, eliminate the one with the largest coupling next.
static cardan_status eliminate_scalars(cd_reduction_workspace* w, cd_front* x, int max_remaining, cd_solve_info* info)
{
    for (;;) {
        int    nremaining = 0, best = -1;
        double max_coupling   = 0;
        bool   has_eliminated = false;
        for (int s = 0; s < x->nscalar; ++s) {
            if (!w->is_passed_on[w->record[x->k].first_scalar + s]) continue;
            const pivot_candidate c = column_of_scalar(w, x, s);
            if (c.pivot_row < 0 ? has_inertia(w, &c) : c.coupling > cd_front_pivot_threshold) {
                eliminate_scalar(w, x, &c);
                has_eliminated = true;
            } else if (c.pivot_row < 0) {
                return info->failed_velocity = c.v, CARDAN_SINGULAR;
            } else {
                ++nremaining;
                if (c.coupling > max_coupling) {
                    max_coupling = c.coupling;
                    best         = s;
                }
            }
        }
        if (has_eliminated) continue;
        if (nremaining <= max_remaining) return CARDAN_OK;
        const pivot_candidate c = column_of_scalar(w, x, best);
        eliminate_scalar(w, x, &c);
    }
}

// Return whether front k fits the workspace, which has room for the velocities of each front and a limited number of
// delayed ones.
static bool fits_workspace(const cd_reduction_workspace* w, int k)
{
    const cd_front_symbolic* p       = &w->fronts.symbolic[k];
    int                      nscalar = 0;
    for (int c = k - 1, nchild_left = p->nchild; nchild_left > 0;
         --nchild_left, c -= w->fronts.symbolic[c].subtree_size)
        nscalar += w->record[c].ndelayed;
    const int    stride = 6 * p->nslot + p->nv + nscalar;
    const size_t tape_needed =
        (size_t)(p->nv + nscalar) * (size_t)(2 * stride + p->max_rows) + (size_t)(p->nv * (stride + 6) + 3);
    return stride <= w->fronts.max_unknowns && w->nstage_value + tape_needed <= w->fronts.stage_value_size;
}

// Prefetch the data of front k: its link, its pose, the rows that enter.
CD_ALWAYS_INLINE void prefetch_front(const cardan_model* m, const cd_rows* rows, const cd_reduction_workspace* w, int k)
{
    if (k + CD_FRONT_PREFETCH_DISTANCE < w->fronts.n) {
        const cd_front_symbolic* next = &w->fronts.symbolic[k + CD_FRONT_PREFETCH_DISTANCE];
        for (int q = next->first_block; q < next->first_block + next->nblock; ++q) {
            cd_prefetch(&rows->block[w->fronts.block[q]], sizeof(cd_row_block));
            __builtin_prefetch(&w->fronts.first_end[w->fronts.block[q]]);
        }
        if (next->link >= m->nlink) return;
        cd_prefetch(&m->link[next->link], sizeof(cd_link));
        cd_prefetch(&w->pose[next->link], sizeof(frame));
    }
    if (k + 2 >= w->fronts.n) return;
    const cd_front_symbolic* soon = &w->fronts.symbolic[k + 2];
    for (int q = soon->first_block; q < soon->first_block + soon->nblock; ++q) {
        const cd_row_block* b = &rows->block[w->fronts.block[q]];
        cd_prefetch(b->G, (size_t)(b->nrow * b->nend) * sizeof *b->G);
        __builtin_prefetch(&w->fronts.end_slot[w->fronts.first_end[w->fronts.block[q]]]);
        __builtin_prefetch(&w->row_weight[b->row], 1);
        __builtin_prefetch(&w->redundant[b->row]);
    }
}

static cardan_status reduce_front(const cardan_model* m, const cd_rows* rows, cd_reduction_workspace* w, int k,
                                  cd_solve_info* info)
{
    cd_front      x;
    cardan_status status = CARDAN_OK;
    if (!fits_workspace(w, k)) return CARDAN_NO_MEMORY;
    if (cd_front_is_small(w, k) && cd_front_reduce_small(m, rows, w, k, info, &status)) return status;
    cd_front_assemble(m, rows, w, k, &x);
    status = eliminate_link(m, w, &x, info);
    if (status == CARDAN_OK) status = eliminate_scalars(w, &x, x.p->nupdate_body > 0 ? CD_FRONT_MAX_DELAYED : 0, info);
    if (status != CARDAN_OK) return status;
    w->record[k + 1].first_scalar = w->ndelayed_velocity;
    if (!cd_front_is_reversed(x.p)) cd_front_shift_to_parent(&x, cd_front_parent_offset(m, w, x.p));
    cd_front_push_update(w, &x);
    return CARDAN_OK;
}

cardan_status cd_reduction_factor(const cd_problem* p, cd_reduction_workspace* w, cd_solve_info* info)
{
    const cardan_model* m    = p->m;
    const cd_rows*      rows = p->rows;
    w->stack_top             = 0;
    w->nstage = w->ndelayed_velocity = w->ndependent = w->nstacked_row = 0;
    w->nstage_value = w->nother = 0;
    w->min_coupling             = 1;
    w->growth                   = 0;
    w->min_coupling_row         = -1;
    w->null_row_tolerance =
        fmax(cd_null_row_size, cd_front_violation_factor * sqrt(cd_rank_tolerance_off_constraint(p->policy)));
    if (w->rank_updated) memset(w->redundant, 0, (size_t)(w->nrow + 6 * w->fronts.nroot) * sizeof *w->redundant);
    for (int k = 0; k < w->fronts.n; ++k) {
        const int link                  = w->fronts.symbolic[k].link;
        w->record[k].first_stage        = w->nstage;
        w->record[k].stage_value_offset = w->nstage_value;
        prefetch_front(m, rows, w, k);
        const cardan_status status = reduce_front(m, rows, w, k, info);
        if (status != CARDAN_OK) {
            memset(w->inertia_bound, 0, (size_t)w->fronts.n * sizeof *w->inertia_bound);
            return status;
        }
        if (link < m->nlink && m->link[link].is_massless) w->inertia_bound[link] = (cd_inertia_bound){{0}};
    }
    w->record[w->fronts.n].first_stage = w->nstage;
    return CARDAN_OK;
}
