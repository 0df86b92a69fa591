// SPDX-License-Identifier: BSD-3-Clause
// What moves least, measured by all joints alike: those with coordinates in the tree, y, and those that close loops,
// whose changes are S y. Which joint the tree cuts then makes no difference. docs/theory/assembly.md (2), (3):
//
//   min |y - y0|^2 + |S y - s0|^2   with A y = 0        y0, s0: the way back to what was wished for
//
// by conjugate gradients along the closed positions, P = 1 - A^+ A: as many iterations as there are free motions, at
// most.
#include "dynamics/assembly.h"

#include "constraint/measure.h"
#include "constraint/twists.h"
#include "math/quaternion.h"

#include <math.h>
#include <string.h>

enum { MOST_ITERATIONS = 100, MOST_OF_LARGE = 20, LARGE = 300 };

static const double gained       = 1e-13; // of the first gradient
static const double most_entries = 4e6;   // of S; beyond, joints that close loops do not count

static bool is_soft(const cd_assembly* a, int j)
{
    if (!a->d->m->joint[j].cut) return false;
    return a->released || (a->velocities ? a->start[j].velocity : a->start[j].position) != CARDAN_HOLD_EXACT;
}

static double unit_of(const cd_assembly* a, int j, int i)
{
    const cardan_hold hold = a->velocities ? a->start[j].velocity : a->start[j].position;
    const double      firm = hold == CARDAN_HOLD_GUESS && !a->released ? cd_firm_guess : 1;
    return firm * (strcmp(cardan_model_v_unit(a->d->m, j, i), "rad/s") == 0 ? 1 : 1 / a->length);
}

int cd_assembly_soft(const cd_assembly* a)
{
    int rows = 0;
    for (int j = 0; j < a->d->m->njoint; ++j) rows += is_soft(a, j) ? a->d->m->place[j].nv : 0;
    return (double)rows * a->d->m->nv <= most_entries ? rows : 0;
}

// From q to what was wished for, as velocities would go.
static void way(const cardan_slot place, const double* q, const double* wished, double* dv)
{
    const int plain = place.nq > place.nv ? place.nq - 4 : place.nq;
    for (int i = 0; i < plain; ++i) dv[i] = wished[i] - q[i];
    if (plain == place.nq) return;
    double back[4], turn[4];
    q4_conjugate(q + plain, back);
    q4_mul(back, wished + plain, turn);
    q4_log(turn, dv + plain);
}

double cd_assembly_wished(cd_assembly* a, double* s0)
{
    const cardan_model* m    = a->d->m;
    double              most = 0;
    if (cd_assembly_soft(a) == 0) return 0;
    for (int j = 0, row = 0; j < m->njoint; ++j) {
        double q[CARDAN_JOINT_MAX + 1] = {0}, v[CARDAN_JOINT_MAX] = {0}, dv[CARDAN_JOINT_MAX] = {0};
        if (!is_soft(a, j)) continue;
        cardan_joint_state(a->d, j, q, v);
        if (!a->velocities) way(m->place[j], q, a->start[j].q, dv);
        for (int i = 0; i < m->place[j].nv; ++i, ++row) {
            const double back = unit_of(a, j, i) * (a->velocities ? a->start[j].v[i] - v[i] : dv[i]);
            most              = fmax(most, fabs(back));
            if (s0) s0[row] = back;
        }
    }
    return most;
}

// How the velocities of joint j go with the twists of the two links that it joins: G, two per velocity.
static void rates_of_twists(cardan_data* d, int j, spatial* G)
{
    const cd_joint_info* joint   = &d->m->joint[j];
    const cardan_slot    place   = d->m->place[j];
    const int            link[2] = {joint->frame_first.link, joint->frame_second.link};
    spatial*             twist   = d->world.velocity;
    const spatial        was[2]  = {twist[link[0]], twist[link[1]]};
    for (int c = 0; c < 12; ++c) {
        double q[CARDAN_JOINT_MAX + 1], v[CARDAN_JOINT_MAX] = {0}, unit[6] = {0};
        cd_end end[2];
        unit[c % 6]    = 1;
        twist[link[0]] = sv_zero();
        twist[link[1]] = sv_zero();
        if (link[c / 6] >= 0)
            twist[link[c / 6]] = (spatial){v3(unit[0], unit[1], unit[2]), v3(unit[3], unit[4], unit[5])};
        memcpy(q, d->q + place.q, (size_t)place.nq * sizeof *q);
        cd_end_at_state(&joint->frame_first, &d->world, &end[0]);
        cd_end_at_state(&joint->frame_second, &d->world, &end[1]);
        cd_measure(joint, end, q, v);
        for (int i = 0; i < place.nv; ++i) (&G[2 * i + c / 6].a.x)[c % 6] = v[i];
    }
    twist[link[0]] = was[0];
    twist[link[1]] = was[1];
}

// Rates of the joints that close loops by the velocities that may change; S by columns.
static void measure(cd_assembly* a, int nsoft, double* x, double* S)
{
    cardan_data*        d = a->d;
    const cardan_model* m = d->m;
    cd_know_measured(d);
    for (int j = 0, row = 0; j < m->njoint; ++j) {
        const int first = m->joint[j].frame_first.link, second = m->joint[j].frame_second.link;
        spatial   G[2 * CARDAN_JOINT_MAX];
        if (!is_soft(a, j)) continue;
        rates_of_twists(d, j, G);
        for (int i = 0; i < m->place[j].nv; ++i, ++row) {
            for (int l = 0; l < m->nlink; ++l) d->twist[l] = sv_zero();
            d->twist[first]  = G[2 * i];
            d->twist[second] = sv_add(d->twist[second], G[2 * i + 1]);
            memset(x, 0, (size_t)m->nv * sizeof *x);
            cd_efforts_of_wrenches(m, &d->k, &d->world, d->twist, x);
            d->twist[-1] = sv_zero();
            for (int k = 0; k < a->nfree; ++k) {
                const int u                                = a->free[k];
                S[(size_t)k * (size_t)nsoft + (size_t)row] = unit_of(a, j, i) * x[u] / (a->unit[u] * a->firm[u]);
            }
        }
    }
}

static double dot(int n, const double* x, const double* y)
{
    double sum = 0;
    for (int i = 0; i < n; ++i) sum += x[i] * y[i];
    return sum;
}

// x - A^+ A x
static bool along(cd_assembly* a, double* x)
{
    cd_assembly_apply(a, x, a->trial);
    if (!cd_assembly_least(a, 0, a->trial, a->across)) return false;
    for (int i = 0; i < a->nfree; ++i) x[i] -= a->across[i];
    return true;
}

// w = x + S'(S x)
static void weigh(int n, int nsoft, const double* S, const double* x, double* s, double* w)
{
    for (int row = 0; row < nsoft; ++row) s[row] = 0;
    for (int k = 0; k < n; ++k)
        for (int row = 0; row < nsoft; ++row) s[row] += S[(size_t)k * (size_t)nsoft + (size_t)row] * x[k];
    for (int k = 0; k < n; ++k) w[k] = x[k] + dot(nsoft, S + (size_t)k * (size_t)nsoft, s);
}

size_t cd_assembly_nearest_room(const cd_assembly* a)
{
    const cardan_model* m    = a->d->m;
    int                 rows = 0;
    for (int j = 0; j < m->njoint; ++j) rows += m->joint[j].cut ? m->place[j].nv : 0;
    return (size_t)fmin((double)rows * m->nv, most_entries) + 4 * (size_t)m->nv + 2 * (size_t)rows;
}

bool cd_assembly_nearest(cd_assembly* a, double* y)
{
    const int n = a->nfree, nsoft = cd_assembly_soft(a), most = n > LARGE ? MOST_OF_LARGE : MOST_ITERATIONS;
    double *  S = a->nearest, *r = S + (size_t)n * (size_t)nsoft, *p = r + n, *w = p + n, *s0 = w + n, *s = s0 + nsoft,
           *x = s + nsoft;
    if (nsoft > 0) measure(a, nsoft, x, S);
    cd_assembly_wished(a, s0);
    cd_assembly_jacobian(a);
    for (int k = 0; k < n; ++k) r[k] = y[k] + dot(nsoft, S + (size_t)k * (size_t)nsoft, s0);
    bool good = along(a, r);
    memcpy(p, r, (size_t)n * sizeof *p);
    memset(y, 0, (size_t)n * sizeof *y);
    double gamma = dot(n, r, r), first = gamma;
    for (int i = 0; good && i < most && gamma > gained * gained * first; ++i) {
        weigh(n, nsoft, S, p, s, w);
        const double curve = dot(n, p, w);
        if (!(curve > 0)) break;
        const double alpha = gamma / curve;
        for (int k = 0; k < n; ++k) y[k] += alpha * p[k], r[k] -= alpha * w[k];
        good              = along(a, r);
        const double next = dot(n, r, r);
        for (int k = 0; k < n; ++k) p[k] = r[k] + next / gamma * p[k];
        gamma = next;
    }
    return good;
}
