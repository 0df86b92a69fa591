// SPDX-License-Identifier: BSD-3-Clause
// Velocities at a singular pose. There rows depend on each other that do not elsewhere, lambda'J = 0, and of all
// velocities with J v = -c_t only those begin a motion that have accelerations too, J a = gamma(v):
//
//   g(v) = lambda'gamma(v) = 0      for all lambda of the null space of J'
//
// quadratic equations, whose solutions are the branches that meet in the pose: its cone of tangents, to second order.
// Where rows repeat each other in every pose g is zero along them. With v = v0 + B z, v0 the velocities of first order
// and B a basis of what is free, Newton's method by least changes finds solutions from several starts: g being
// quadratic its derivatives are exact differences. The one that is nearest to what was wished for is taken. Rest begins
// no motion either where a law asks for accelerations there, as of a piston at its dead centre: the speed that they ask
// for is then what velocities are measured by, and of a motion and its opposite, which are as near, one is taken.
// docs/theory/assembly.md (3).
#include "dynamics/assembly.h"

#include "math/lapack.h"

#include <math.h>
#include <string.h>

static const double null_value = 1e-6; // singular values of rows in units
static const double possible   = 1e-7; // |g| beside its terms
static const double solved     = 1e-12;
static const double rounding   = 1e-15;
static const double believed   = 1e3;  // change of velocities beside an error of g that it takes away
static const double different  = 1e-3; // of the speed
static const double slow       = 1e-3; // beside what accelerations ask for: at rest, laws at a turning point
static const double alike      = 1e-9; // of distances
static const double most_work  = 1e8;  // operations
enum { MOST_FREE = 24, MOST_NULL = 48, MOST_ITERATIONS = 60 };

typedef struct branching {
    cd_assembly* a;
    int          nrow, height; // of J; of all that velocities have to satisfy
    double *     J, *scale, *sigma, *left, *right, *work;
    double *     v0, *v; // (nv)
    double       speed;  // in units
    int          nnull, nfree;
    double*      lambda; // (nnull x nrow)
    double*      B;      // (nfree x nv) velocities in their own units
    double       z[MOST_FREE], g[MOST_NULL], G[MOST_NULL * MOST_FREE], K[MOST_NULL * MOST_NULL], w[MOST_NULL];
} branching;

static void layout(branching* b, cd_arena* arena)
{
    const size_t nv = (size_t)b->a->d->m->nv, nrow = (size_t)b->nrow, height = (size_t)b->height;
    CD_TAKE(arena, b->J, height * nv);
    CD_TAKE(arena, b->scale, nrow);
    CD_TAKE(arena, b->sigma, height);
    CD_TAKE(arena, b->left, nrow * nrow);
    CD_TAKE(arena, b->right, (nv + 2) * nv);
    CD_TAKE(arena, b->work, cd_lapack_svd_work(b->height, (int)nv) + cd_lapack_svd_work(b->nrow, (int)nv));
    CD_TAKE(arena, b->v0, nv);
    CD_TAKE(arena, b->v, nv);
    CD_TAKE(arena, b->lambda, MOST_NULL * nrow);
    CD_TAKE(arena, b->B, MOST_FREE * nv);
}

static void set(branching* b, const double* v) { cd_set_velocity(b->a->d, v); }

// g at v; the largest of them beside its terms.
static double equations(branching* b, const double* v, double* g)
{
    const cardan_data* d    = b->a->d;
    double             most = 0;
    set(b, v);
    cd_know_rows(b->a->d);
    for (int k = 0; k < b->nnull; ++k) {
        double terms = 0;
        g[k]         = 0;
        for (int i = 0; i < b->nrow; ++i) {
            const double term = b->lambda[k * b->nrow + i] * d->gamma[i];
            g[k] += term;
            terms += fabs(term);
        }
        most = fmax(most, fabs(g[k]) / fmax(terms, b->speed * b->speed));
    }
    return most;
}

// Left null vectors of J, all velocities being free: accelerations are, whatever velocities are given.
static bool find_null(branching* b)
{
    const int nv = b->a->d->m->nv, most = b->nrow < nv ? b->nrow : nv;
    cd_scaled_rows(b->a->d, b->J, b->scale);
    if (!cd_lapack_svd(b->nrow, nv, b->J, b->sigma, b->left, NULL, b->work)) return false;
    int rank = 0;
    while (rank < most && b->sigma[rank] > null_value * fmax(1, b->sigma[0])) ++rank;
    b->nnull = b->nrow - rank;
    if (b->nnull < 1 || b->nnull > MOST_NULL) return false;
    for (int k = 0; k < b->nnull; ++k)
        for (int i = 0; i < b->nrow; ++i) b->lambda[k * b->nrow + i] = b->left[i * b->nrow + rank + k] * b->scale[i];
    return true;
}

// What velocities may change by, J dv = 0 with all that is exact: right null vectors of the rows in units.
static bool find_free(branching* b)
{
    cd_assembly* a  = b->a;
    const int    nv = a->d->m->nv, n = a->nfree;
    if (n < 1) return false;
    cd_assembly_jacobian(a);
    memset(b->J, 0, (size_t)b->height * (size_t)nv * sizeof *b->J);
    for (int i = 0; i < n; ++i) {
        memset(a->dq, 0, (size_t)n * sizeof *a->dq);
        a->dq[i] = 1;
        cd_assembly_apply(a, a->dq, a->trial);
        for (int k = 0; k < a->nrow; ++k) b->J[(size_t)k * (size_t)n + (size_t)i] = a->trial[k];
    }
    if (!cd_lapack_svd(b->height, n, b->J, b->sigma, NULL, b->right, b->work)) return false;
    int rank = 0;
    while (rank < n && b->sigma[rank] > null_value * fmax(1, b->sigma[0])) ++rank;
    b->nfree = n - rank;
    if (b->nfree < 1 || b->nfree > MOST_FREE) return false;
    for (int k = 0; k < b->nfree; ++k)
        for (int i = 0; i < n; ++i)
            b->B[k * nv + a->free[i]] =
                b->right[(size_t)(rank + k) * (size_t)n + (size_t)i] / (a->unit[a->free[i]] * a->firm[a->free[i]]);
    return true;
}

static void velocities_at(branching* b, const double* z)
{
    const int nv = b->a->d->m->nv;
    memcpy(b->v, b->v0, (size_t)nv * sizeof *b->v);
    for (int k = 0; k < b->nfree; ++k)
        for (int i = 0; i < nv; ++i) b->v[i] += z[k] * b->B[k * nv + i];
}

static void slopes(branching* b)
{
    double beside[MOST_NULL];
    for (int j = 0; j < b->nfree; ++j)
        for (int side = 0; side < 2; ++side) {
            const double z = b->z[j], h = side ? -b->speed : b->speed;
            b->z[j] = z + h;
            velocities_at(b, b->z);
            equations(b, b->v, beside);
            b->z[j] = z;
            for (int k = 0; k < b->nnull; ++k)
                b->G[k * b->nfree + j] = (side ? b->G[k * b->nfree + j] : 0) + beside[k] / (2 * h);
        }
}

// z -= G'(G G' + mu)^-1 g, mu being rounding: equations that repeat each other.
static bool step(branching* b)
{
    const int n = b->nnull, nfree = b->nfree;
    double    trace = 0;
    for (int i = 0; i < n; ++i)
        for (int k = 0; k <= i; ++k) {
            double sum = 0;
            for (int j = 0; j < nfree; ++j) sum += b->G[i * nfree + j] * b->G[k * nfree + j];
            b->K[i * n + k] = sum;
        }
    for (int i = 0; i < n; ++i) trace += b->K[i * n + i];
    if (!(trace > 0)) return false;
    for (int i = 0; i < n; ++i) b->K[i * n + i] += 1e-12 * trace;
    if (cd_lapack_cholesky(n, b->K, 0, NULL) != n) return false;
    memcpy(b->w, b->g, (size_t)n * sizeof *b->w);
    cd_lapack_cholesky_solve(n, b->K, b->w);
    for (int j = 0; j < nfree; ++j)
        for (int k = 0; k < n; ++k) b->z[j] -= b->G[k * nfree + j] * b->w[k];
    return true;
}

// From b->z as far down as rounding lets it: solved, an iteration that does not halve what is left is the last. What is
// left.
static double iterate(branching* b)
{
    double last = INFINITY, left = INFINITY, kept[MOST_FREE];
    for (int i = 0; i < MOST_ITERATIONS; ++i) {
        velocities_at(b, b->z);
        left = equations(b, b->v, b->g);
        if (!isfinite(left)) break;
        if (last < solved && !(left < last / 2)) {
            if (left > last) memcpy(b->z, kept, sizeof kept);
            left = fmin(left, last);
            break;
        }
        last = left;
        memcpy(kept, b->z, sizeof kept);
        slopes(b);
        if (!step(b)) break;
    }
    velocities_at(b, b->z);
    return left;
}

// From b->z to a solution; false where there is none near, or only rest.
static bool solve(branching* b)
{
    const double left = iterate(b);
    double       size = 0;
    for (int v = 0; v < b->a->d->m->nv; ++v) size = fmax(size, fabs(b->v[v] * b->a->unit[v]));
    return left < possible && size > different * b->speed;
}

// From a solution along its branch towards v0, as far as that goes: z less its part along the branch, and solved again.
static void slide(branching* b)
{
    const int n = b->nnull, nfree  = b->nfree;
    double    kept[MOST_FREE], far = INFINITY;
    for (int i = 0; i < MOST_ITERATIONS; ++i) {
        double size = 0;
        for (int j = 0; j < nfree; ++j) size += b->z[j] * b->z[j];
        if (!(size < far * (1 - solved))) break;
        far = size;
        memcpy(kept, b->z, sizeof kept);
        slopes(b);
        for (int k = 0; k < n; ++k) {
            b->g[k] = 0;
            for (int j = 0; j < nfree; ++j) b->g[k] -= b->G[k * nfree + j] * kept[j];
        }
        memset(b->z, 0, sizeof b->z);
        if (!step(b) || !solve(b)) break;
    }
    memcpy(b->z, kept, sizeof kept);
    velocities_at(b, b->z);
}

// How far v is from what was wished for, in units, squared.
static double distance(branching* b, const double* v)
{
    cd_assembly* a   = b->a;
    double       sum = 0;
    set(b, v);
    for (int i = 0; i < a->nfree; ++i)
        sum += pow((v[a->free[i]] - a->v0[a->free[i]]) * a->unit[a->free[i]] * a->firm[a->free[i]], 2);
    cd_assembly_wished(a, a->nearest);
    for (int i = 0; i < cd_assembly_soft(a); ++i) sum += a->nearest[i] * a->nearest[i];
    return sum;
}

// The coordinate by which two motions differ most.
static int apart(const cd_assembly* a, const double* v, const double* w, double* by)
{
    int at = CARDAN_NONE;
    *by    = 0;
    for (int i = 0; i < a->nfree; ++i) {
        const int    x   = a->free[i];
        const double now = fabs(v[x] - w[x]) * a->unit[x];
        if (now <= *by) continue;
        *by = now;
        at  = x;
    }
    return at;
}

// Of a motion and its opposite the one that begins with a positive velocity.
static bool is_forward(const branching* b, const double* v)
{
    int i = 0;
    while (i < b->a->d->m->nv - 1 && fabs(v[i] * b->a->unit[i]) < different * b->speed) ++i;
    return v[i] > 0;
}

// A solution among those kept: the nearest, and the next that differs from it.
static void keep(branching* b, double far, double best[2], double* const kept[2])
{
    const size_t size = (size_t)b->a->d->m->nv * sizeof(double);
    double       by;
    if (best[0] < INFINITY) {
        apart(b->a, b->v, kept[0], &by);
        if (by < different * b->speed) return;
    }
    const bool as_near = fabs(far - best[0]) <= alike * far;
    if (as_near ? is_forward(b, b->v) && !is_forward(b, kept[0]) : far < best[0]) {
        best[1] = best[0];
        best[0] = far;
        memcpy(kept[1], kept[0], size);
        memcpy(kept[0], b->v, size);
    } else if (far < best[1]) {
        best[1] = far;
        memcpy(kept[1], b->v, size);
    }
}

// From v0 and from both sides of it in every free direction, near and far: of a quadratic equation every root is found
// from beyond it.
static bool search(branching* b, cd_branch* found)
{
    const int     nv      = b->a->d->m->nv;
    double* const kept[2] = {b->right, b->right + nv};
    double        best[2] = {INFINITY, INFINITY}, by;
    for (int start = 0; start <= 4 * b->nfree; ++start) {
        const double far = start % 4 < 2 ? b->speed : 10 * b->speed;
        memset(b->z, 0, sizeof b->z);
        if (start > 0) b->z[(start - 1) / 4] = start % 2 ? far : -far;
        if (!solve(b)) continue;
        slide(b);
        keep(b, distance(b, b->v), best, kept);
    }
    if (!(best[0] < INFINITY)) return false;
    memcpy(b->v, kept[0], (size_t)nv * sizeof *b->v);
    *found = (cd_branch){.velocity = CARDAN_NONE};
    if (best[1] < INFINITY) {
        found->velocity = apart(b->a, kept[0], kept[1], &by);
        found->taken    = kept[0][found->velocity];
        found->other    = kept[1][found->velocity];
    }
    return true;
}

// The row that carries most of the first set that v does not satisfy.
static int row_of(const branching* b)
{
    int row = 0, worst = 0;
    for (int k = 1; k < b->nnull; ++k)
        if (fabs(b->g[k]) > fabs(b->g[worst])) worst = k;
    for (int i = 1; i < b->nrow; ++i)
        if (fabs(b->lambda[worst * b->nrow + i] / b->scale[i]) > fabs(b->lambda[worst * b->nrow + row] / b->scale[row]))
            row = i;
    return row;
}

// Velocities that are those of a branch but for an error: to rounding, into b->v0. Where rows repeat each other in
// every pose g is rounding and so are its slopes: no change that is large beside the error is believed.
static void polish(branching* b, double left)
{
    double by;
    memset(b->z, 0, sizeof b->z);
    if (!(left > rounding) || !find_free(b) || !(iterate(b) < left)) return;
    apart(b->a, b->v, b->v0, &by);
    if (by <= believed * left * b->speed) memcpy(b->v0, b->v, (size_t)b->a->d->m->nv * sizeof *b->v0);
}

// What accelerations that rows ask for make a speed of: v^2 = gamma, in units.
static double speed_asked(const branching* b)
{
    double most = 0;
    cd_know_rows(b->a->d);
    for (int i = 0; i < b->nrow; ++i) most = fmax(most, fabs(b->scale[i] * b->a->d->gamma[i]));
    return sqrt(most);
}

static bool find_branch(branching* b, cd_branch* found)
{
    const cd_assembly* a = b->a;
    for (int v = 0; v < a->d->m->nv; ++v) b->speed = fmax(b->speed, fabs(b->v0[v] * a->unit[v]));
    if ((!(b->speed > 0) && a->d->closure.ndriving == 0) || !find_null(b)) return false;
    const double asked = speed_asked(b);
    const bool   rests = b->speed < slow * asked;
    if (rests) b->speed = asked;
    if (!(b->speed > 0)) return false;
    const double left = equations(b, b->v0, b->g);
    if (left < possible) {
        if (!rests) polish(b, left);
        return false;
    }
    const int row = row_of(b);
    if (!find_free(b) || !search(b, found)) return false;
    found->row = row;
    return true;
}

bool cd_assembly_branch(cd_assembly* a, cd_branch* found, bool* moved)
{
    const double rows = a->d->closure.nrow, nv = a->d->m->nv;
    branching    b     = {.a = a, .nrow = a->d->closure.nrow, .height = a->nrow > a->d->m->nv ? a->nrow : a->d->m->nv};
    cd_arena     arena = {0};
    *moved             = false;
    if (!a->dense || rows < 1 || (rows + nv) * (rows + nv) * nv > most_work) return true;
    layout(&b, &arena);
    if (!cd_arena_reserve(&arena)) return false;
    layout(&b, &arena);
    memcpy(b.v0, a->d->v, (size_t)nv * sizeof *b.v0);
    *moved = find_branch(&b, found);
    set(&b, *moved ? b.v : b.v0);
    cd_arena_release(&arena);
    return true;
}
