// SPDX-License-Identifier: BSD-3-Clause
// Self-stress: sets of joint wrenches that hold each other without any load. They exist where constraints repeat each
// other, and whatever they reach is not unique.
//
//   J'lambda = 0        the multipliers of a self-stress: left singular vectors of J beyond its rank
//   W(joint, lambda)    the wrench it puts into every joint (cd_carry), orthonormalized; moments are divided by length
//
// docs/theory/redundancy.md (4), (5). J is scaled so that its rank does not depend on units: columns are 1 rad or one
// length of the mechanism, and rows have the size of what they do to a body of that length, not of what is left of them
// in these coordinates (which may be rounding).
#include "dynamics/data.h"

#include "math/lapack.h"
#include "math/quaternion.h"

#include <math.h>
#include <string.h>

static const double rank_tolerance  = 1e-9;
static const double together        = 10;  // singular values within this factor vanish at the same pose
static const double most_entries    = 2e8; // of all arrays here
static const double most_operations = 1e8; // nrow^2 nv, where it may be asked for at every step

static void place_markers(const cardan_model* m, cd_attached* marker)
{
    for (int i = 0; i < m->nmarker; ++i) {
        marker[i].link = m->view.marker[i].body;
        q4_matrix(m->view.marker[i].pose.q, marker[i].R);
        memcpy(marker[i].p, m->view.marker[i].pose.p, sizeof marker[i].p);
    }
}

void cd_stress_layout(const cardan_model* m, int nrow, double operations, cd_arena* arena, cd_stress* s)
{
    s->first_other = 0;
    for (int i = 0; i < m->ncut; ++i) s->first_other += 6 - m->slot[m->cut[i]].nv;
    s->width          = 6 * m->njoint + nrow - s->first_other;
    const double rows = nrow, entries = rows * (m->nv + rows + s->width);
    s->affordable = entries <= most_entries && rows * rows * m->nv <= operations;
    CD_TAKE(arena, s->unique, m->njoint);
    CD_TAKE(arena, s->lambda, nrow);
    if (!s->affordable) return;
    const size_t n = (size_t)nrow;
    CD_TAKE(arena, s->J, n * (size_t)m->nv);
    CD_TAKE(arena, s->scale, n);
    CD_TAKE(arena, s->sigma, n);
    CD_TAKE(arena, s->left, n * n);
    CD_TAKE(arena, s->work, nrow > 0 ? cd_lapack_svd_work(nrow, m->nv) : 0);
    CD_TAKE(arena, s->set, n * (size_t)s->width);
}

void cd_reacting_layout(const cardan_model* m, int nrow, int system_rows, cd_arena* arena, cd_reacting* r)
{
    static const double one[9] = {1, 0, 0, 0, 1, 0, 0, 0, 1};
    cd_body_tree_layout(m, arena, &r->tree);
    CD_TAKE(arena, r->body.pose, m->nbody + 1);
    CD_TAKE(arena, r->body.velocity, m->nbody + 1);
    CD_TAKE(arena, r->marker, m->nmarker);
    CD_TAKE(arena, r->load, m->nbody);
    CD_TAKE(arena, r->place, m->njoint);
    CD_TAKE(arena, r->carried, m->njoint);
    CD_TAKE(arena, r->lambda, nrow);
    CD_TAKE(arena, r->rate, system_rows);
    CD_TAKE(arena, r->answer, m->nv);
    CD_TAKE(arena, r->effort, m->nv_all);
    CD_TAKE(arena, r->given.carried, m->njoint);
    CD_TAKE(arena, r->given.between, nrow);
    CD_TAKE(arena, r->given.lambda, nrow);
    CD_TAKE(arena, r->given.unique, m->njoint);
    CD_TAKE(arena, r->given.row_unique, nrow);
    cd_stress_layout(m, nrow, most_operations, arena, &r->stress);
    if (!r->load) return;
    *r->body.pose++     = (frame){m3_lift(one), v3_zero()};
    *r->body.velocity++ = sv_zero();
    r->length           = cd_design_length(m);
    place_markers(m, r->marker);
}

// Size of a row: of its wrenches about the markers, where forces count with the length of the mechanism.
double cd_row_size(const cardan_data* d, int constraint, int row)
{
    const cd_constraint* c      = &d->closure.constraint[constraint];
    const double         length = d->reacting.length;
    double               sum    = 0;
    for (int k = 0; k < c->nend; ++k) {
        const spatial G = d->closure.equations[constraint].G[row * c->nend + k];
        const vec3    r = m3_mul(d->world.pose[cd_end_at(c, k)->link].R, v3_lift(cd_end_at(c, k)->p)),
                   n    = v3_sub(G.a, v3_cross(r, G.l));
        sum += v3_dot(n, n) + length * length * v3_dot(G.l, G.l);
    }
    return sqrt(sum);
}

void cd_scaled_rows(cardan_data* d, double* J, double* scale)
{
    const cardan_model* m = d->m;
    cd_know_rows(d);
    memset(J, 0, (size_t)d->rows.nrow * (size_t)m->nv * sizeof *J);
    for (int i = 0; i < d->closure.nconstraint; ++i) {
        const cd_row_block b = cd_way_of(d, &d->closure, i);
        for (int row = 0; row < b.nrow; ++row) {
            const double size  = cd_row_size(d, i, row);
            scale[b.row + row] = size > 0 ? 1 / size : 1;
            for (int column = 0; column < b.nv; ++column) {
                const int    v               = b.v[column];
                const vec3   s               = d->k.S[v].a;
                const double unit            = v3_dot(s, s) > 0 ? 1 : d->reacting.length;
                J[(b.row + row) * m->nv + v] = b.J[row * b.nv + column] * unit * scale[b.row + row];
            }
        }
    }
}

// Wrenches of all joints for lambda alone, moments divided by the length; then what the other rows exert.
static void wrenches_of(cardan_data* d, const cd_stress* stress, const double* lambda, double* W)
{
    cd_reacting* r = &d->reacting;
    for (int i = 0; i < d->m->nbody; ++i) r->load[i] = sv_zero();
    cd_carry(d, lambda);
    for (int j = 0; j < d->m->njoint; ++j) {
        const vec3   n = v3_scale(1 / r->length, r->carried[j].a), f = r->carried[j].l;
        const double set[6] = {n.x, n.y, n.z, f.x, f.y, f.z};
        memcpy(W + 6 * j, set, sizeof set);
    }
    for (int i = stress->first_other; i < d->rows.nrow; ++i)
        W[6 * d->m->njoint + i - stress->first_other] = lambda[i] / (stress->scale[i] * r->length);
}

static double dot(int n, const double* a, const double* b)
{
    double sum = 0;
    for (int i = 0; i < n; ++i) sum += a[i] * b[i];
    return sum;
}

// Gram-Schmidt, twice; a set that depends on the earlier ones is dropped.
static void add_set(cd_stress* stress, int n)
{
    double*      W    = stress->set + (size_t)stress->nset * (size_t)n;
    const double size = sqrt(dot(n, W, W));
    for (int pass = 0; pass < 2; ++pass)
        for (int s = 0; s < stress->nset; ++s) {
            const double* Q    = stress->set + (size_t)s * (size_t)n;
            const double  part = dot(n, W, Q);
            for (int i = 0; i < n; ++i) W[i] -= part * Q[i];
        }
    const double rest = sqrt(dot(n, W, W));
    if (!(rest > 1e-9 * size) || !(rest > 0)) return;
    for (int i = 0; i < n; ++i) W[i] /= rest;
    ++stress->nset;
}

// Too large for a rank: what constraints could reach at all is called not unique.
static void doubt_all(cardan_data* d, cd_stress* stress)
{
    cd_reacting* r = &d->reacting;
    for (int i = 0; i < d->rows.nrow; ++i) stress->lambda[i] = 1 + 0.37 * sin(1.0 + i);
    for (int i = 0; i < d->m->nbody; ++i) r->load[i] = sv_zero();
    cd_carry(d, stress->lambda);
    for (int j = 0; j < d->m->njoint; ++j) stress->unique[j] = sv_dot(r->carried[j], r->carried[j]) == 0;
}

static bool decompose(cardan_data* d, cd_stress* stress)
{
    cd_scaled_rows(d, stress->J, stress->scale);
    return cd_lapack_svd(d->rows.nrow, d->m->nv, stress->J, stress->sigma, stress->left, NULL, stress->work);
}

int cd_rank_of_rows(cardan_data* d, cd_stress* stress)
{
    const int most = d->rows.nrow < d->m->nv ? d->rows.nrow : d->m->nv;
    int       rank = 0;
    cd_know_bodies(d);
    if (!decompose(d, stress)) return -1;
    const double tolerance = stress->tolerance > 0 ? stress->tolerance : rank_tolerance;
    while (rank < most && stress->sigma[rank] > tolerance * fmax(1, stress->sigma[0])) ++rank;
    return rank;
}

// Sets of the left singular vectors `from` to `to` - 1.
static void add_sets(cardan_data* d, cd_stress* stress, int from, int to)
{
    const int nrow = d->rows.nrow;
    for (int s = from; s < to; ++s) {
        for (int i = 0; i < nrow; ++i) stress->lambda[i] = stress->left[i * nrow + s] * stress->scale[i];
        wrenches_of(d, stress, stress->lambda, stress->set + (size_t)stress->nset * (size_t)stress->width);
        add_set(stress, stress->width);
    }
}

double cd_find_weak_stress(cardan_data* d, int repeated, cd_stress* stress)
{
    const int nrow = d->rows.nrow, most = nrow < d->m->nv ? nrow : d->m->nv, last = nrow - repeated - 1;
    stress->nset = 0;
    if (last < 0 || !stress->affordable) return 1;
    cd_know_bodies(d);
    if (!decompose(d, stress)) return 1;
    const double weakest = last < most ? stress->sigma[last] : 0;
    int          first   = last;
    while (first > 0 && (first - 1 >= most || stress->sigma[first - 1] <= together * weakest)) --first;
    add_sets(d, stress, first, last + 1);
    return weakest;
}

void cd_find_stress(cardan_data* d, cd_stress* stress)
{
    const int nrow = d->rows.nrow, n = stress->width;
    stress->nset = 0;
    for (int j = 0; j < d->m->njoint; ++j) stress->unique[j] = true;
    if (nrow == 0) return;
    cd_know_bodies(d);
    cd_know_rows(d);
    if (!stress->affordable) {
        doubt_all(d, stress);
        return;
    }
    const int rank = cd_rank_of_rows(d, stress);
    if (rank < 0) return;
    add_sets(d, stress, rank, nrow);
    for (int s = 0; s < stress->nset; ++s)
        for (int j = 0; j < d->m->njoint; ++j) {
            const double* Q = stress->set + (size_t)s * (size_t)n + 6 * j;
            if (dot(6, Q, Q) > 1e-14) stress->unique[j] = false;
        }
}
