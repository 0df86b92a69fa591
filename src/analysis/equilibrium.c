// SPDX-License-Identifier: BSD-3-Clause
// Static equilibrium: r(p) = 0 (statics.h). Downhill first, so that a rough guess leads to where the mechanism would
// come to rest:
//
//   K + K' = 2 V L V',   step = -V |L|^-1 V'r,  limited;  along it the slope r'step must not rise beyond what it was
//
// which leaves saddles and tops behind, as dynamic relaxation does; the centre moves with it. Where the stiffness has
// become positive and the step short, Newton's method with the true derivative ends it (kinsol.c). Motions that meet
// neither force nor stiffness stay where they are: steps have least norm. What meets a force and no stiffness is
// followed with growing steps; where that never ends nothing carries it.
#include "analysis/newton.h"
#include "analysis/scaling.h"
#include "analysis/statics.h"
#include "analysis/motion_words.h"

#include "core/arguments.h"
#include "math/lapack.h"

#include <cardan/analyse.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const double usual_tolerance = 1e-10;
static const double accepted        = 1e3;   // times the tolerance, where rounding leaves more
static const double step_most       = 0.3;   // [rad, lengths]
static const double step_newton     = 0.1;   // shorter ones are left to Newton's method
static const double null_state      = 1e-12; // of the largest: no effect of a state on rates
static const double rounding        = 4e-15; // of positions
static const double null_force      = 1e-6;  // of the forces at work: along such a motion it is none
enum { USUAL_ITERATIONS = 500, CENTRES = 25, DRIFTS = 14 };

typedef struct search {
    cardan_data* d;
    cd_statics   s;
    double       tolerance;
    int          iterations, most;
    bool         descended;
    bool         starved;       // memory ended on the way
    int          drifts;        // steps in a row that met no stiffness
    int          straight;      // steps in a row that were cut and went on as the last
    double *     p, *r, *trial; // (size)
    double *     K, *V, *value; // (size x size), eigenvectors by rows, eigenvalues
    double *     E, *none;      // (size x size) rounding in K; (size) and in the eigenvalues
    double *     work, *motion, *last, *scale;
    cd_arena     arena;
} search;

static void layout(search* h)
{
    const size_t most = (size_t)(h->d->m->nv + h->d->m->nstate) + 1;
    CD_TAKE(&h->arena, h->p, most);
    CD_TAKE(&h->arena, h->r, most);
    CD_TAKE(&h->arena, h->trial, most);
    CD_TAKE(&h->arena, h->K, most * most);
    CD_TAKE(&h->arena, h->V, most * most);
    CD_TAKE(&h->arena, h->value, most);
    CD_TAKE(&h->arena, h->E, most * most);
    CD_TAKE(&h->arena, h->none, most);
    CD_TAKE(&h->arena, h->scale, 2 * most);
    CD_TAKE(&h->arena, h->motion, most * most);
    CD_TAKE(&h->arena, h->last, most);
    CD_TAKE(&h->arena, h->work, (size_t)cd_lapack_eigen_work((int)most));
}

static double largest(int n, const double* x)
{
    double most = 0;
    for (int i = 0; i < n; ++i) most = fmax(most, fabs(x[i]));
    return most;
}

static bool at_rest(const search* h) { return largest(h->s.size, h->r) <= h->tolerance * h->s.force; }

// Centre at the state of the data, p = 0, r known.
static bool centre(search* h)
{
    if (!cd_statics_centre(&h->s)) return false;
    memset(h->p, 0, (size_t)h->s.size * sizeof *h->p);
    return cd_statics_residual(&h->s, h->p, h->r);
}

// Lengths of a step along its motions: [rad, lengths].
static double step_length(const search* h, const double* p)
{
    const cd_statics* s    = &h->s;
    double            most = 0;
    for (int i = 0; i < s->here.nv; ++i) {
        double sum = 0;
        for (int k = 0; k < s->n; ++k) sum += s->N0[(size_t)k * (size_t)s->here.nv + (size_t)i] * p[k];
        most = fmax(most, fabs(sum));
    }
    return most;
}

// ---- Newton's method

static bool residual(void* user, const double* p, double* r) { return cd_statics_residual(user, p, r); }

static bool derivative(void* user, const double* p, double* K, double* E)
{
    if (!cd_statics_stiffness(user, p, K)) return false;
    cd_statics_rounding(user, K, E);
    return true;
}

// With new centres while it gains; the data are at the best point in any case.
static cardan_status newton(search* h)
{
    cd_statics* s    = &h->s;
    double      best = largest(s->size, h->r) / s->force;
    for (int i = 0; i < CENTRES && h->iterations < h->most; ++i) {
        const cd_newton     solver = {.n          = s->size,
                                      .user       = s,
                                      .residual   = residual,
                                      .derivative = derivative,
                                      .tolerance  = 1e-3 * h->tolerance * s->force,
                                      .longest    = step_most,
                                      .iterations = 8};
        const cardan_status status = cd_newton_solve(&solver, h->p, &h->iterations);
        if (status == CARDAN_NO_MEMORY) return status;
        if (!cd_statics_move(s, h->p) || !centre(h)) return CARDAN_NOT_CONVERGED;
        if (at_rest(h)) return CARDAN_OK;
        const double now = largest(s->size, h->r) / s->force;
        if (!(now < 0.9 * best)) return now <= accepted * h->tolerance ? CARDAN_OK : CARDAN_NOT_CONVERGED;
        best = now;
    }
    return CARDAN_NOT_CONVERGED;
}

// ---- descent

// (K + K')/2 of the motions alone, row and column i times scale[i]; its eigenvalues and vectors.
static bool find_values(search* h, const double* scale)
{
    const size_t n = (size_t)h->s.n, size = (size_t)h->s.size;
    for (size_t i = 0; i < n; ++i)
        for (size_t j = 0; j < n; ++j)
            h->V[i * n + j] = 0.5 * scale[i] * scale[j] * (h->K[i * size + j] + h->K[j * size + i]);
    return cd_lapack_symmetric((int)n, h->V, h->value, h->work);
}

// K and what rounding may have left in it.
static bool know_stiffness(search* h)
{
    if (!cd_statics_stiffness(&h->s, h->p, h->K)) return false;
    cd_statics_rounding(&h->s, h->K, h->E);
    return true;
}

// Eigenvalues and vectors of the stiffness, and of each what rounding may have left in it: |v|'E |v|.
static bool know_slopes(search* h)
{
    const size_t n = (size_t)h->s.n, size = (size_t)h->s.size;
    if (!know_stiffness(h)) return false;
    for (size_t i = 0; i < n; ++i) h->scale[i] = 1;
    if (!find_values(h, h->scale)) return false;
    for (size_t r = 0; r < n; ++r) {
        const double* v = h->V + r * n;
        h->none[r]      = 0;
        for (size_t i = 0; i < n; ++i)
            for (size_t j = 0; j < n; ++j) h->none[r] += fabs(v[i] * v[j]) * h->E[i * size + j];
    }
    return true;
}

// Steps that are cut and go on in the direction of the last grow: a long way is gone in few of them.
static void count_straight(search* h, bool cut)
{
    const cd_statics* s   = &h->s;
    double            dot = 0, old = 0, new = 0;
    for (int i = 0; i < s->here.nv; ++i) {
        double sum = 0;
        for (int k = 0; k < s->n; ++k) sum += s->N0[(size_t)k * (size_t)s->here.nv + (size_t)i] * h->trial[k];
        dot += sum * h->last[i];
        old += h->last[i] * h->last[i];
        new += sum* sum;
        h->last[i] = sum;
    }
    h->straight = cut && dot > 0.95 * sqrt(old * new) ? h->straight + 1 : 0;
}

// The step downhill into trial. *convex: no motion leads away; *drift: some motion meets a force and no stiffness.
static void downhill(search* h, bool* convex, bool* drift)
{
    const cd_statics* s = &h->s;
    const int         n = s->n;
    memset(h->trial, 0, (size_t)s->size * sizeof *h->trial);
    *convex = true;
    *drift  = false;
    for (int i = 0; i < n; ++i) {
        const double* v   = h->V + (size_t)i * (size_t)n;
        double        sum = 0;
        for (int k = 0; k < n; ++k) sum += v[k] * h->r[k];
        const double none  = h->none[i];
        const bool   loose = fabs(h->value[i]) <= none, pushed = fabs(sum) > null_force * s->force;
        *convex = *convex && h->value[i] >= -none;
        *drift  = *drift || (loose && pushed);
        if (loose && !pushed) continue;
        for (int k = 0; k < n; ++k) h->trial[k] -= sum / fmax(fabs(h->value[i]), none) * v[k];
    }
    const double length = step_length(h, h->trial);
    count_straight(h, length > step_most);
    const double limit = step_most * ldexp(1, *drift ? h->drifts : h->straight / 4);
    for (int k = 0; k < n && length > limit; ++k) h->trial[k] *= limit / length;
}

static double slope(const search* h, const double* r)
{
    double sum = 0;
    for (int k = 0; k < h->s.n; ++k) sum += r[k] * h->trial[k];
    return sum;
}

// Along trial: as far as the slope does not turn against it more than it went with it. False where nothing helps.
static bool go(search* h)
{
    const double before = slope(h, h->r);
    double       part = 1, low = 0, slope_low = before;
    for (int i = 0; i < 30; ++i) {
        for (int k = 0; k < h->s.size; ++k) h->p[k] = part * h->trial[k];
        const bool   known = cd_statics_residual(&h->s, h->p, h->r);
        const double now   = known ? slope(h, h->r) : INFINITY;
        if (known && now <= 0.8 * fabs(before)) return true;
        const double guess = known ? low + (part - low) * slope_low / (slope_low - now) : low;
        part               = fmin(fmax(guess, low + 0.1 * (part - low)), low + 0.5 * (part - low));
        if (part < 1e-12) break;
    }
    return false;
}

// States go where their rates vanish while the mechanism is held.
static void settle_states(search* h)
{
    const int n = h->s.n, nz = h->s.nz, size = h->s.size;
    if (nz == 0) return;
    double* A     = h->V; // (nz x nz) column major; the eigenvectors are done with
    double* work  = cd_allocate((size_t)cd_lapack_rectangle_work(nz, nz), sizeof *work);
    int*    pivot = cd_allocate((size_t)nz, sizeof *pivot);
    for (int j = 0; j < nz; ++j)
        for (int i = 0; i < nz; ++i)
            A[(size_t)j * (size_t)nz + (size_t)i] = h->K[(size_t)(n + j) * (size_t)size + (size_t)(n + i)];
    for (int i = 0; i < nz; ++i) h->motion[i] = -h->r[n + i];
    h->starved = h->starved || !work || !pivot;
    if (work && pivot && cd_lapack_rectangle(nz, nz, A, h->motion, null_state, work, pivot) > 0)
        for (int i = 0; i < nz; ++i) h->trial[n + i] = h->motion[i];
    free(work);
    free(pivot);
}

// The motion that is pushed and meets no stiffness, told.
static cardan_status fail_falling(search* h, cardan_report* report)
{
    cd_statics* s = &h->s;
    const int   n = s->n, nv = s->here.nv;
    double      push = 0, size = 0;
    memset(h->trial, 0, (size_t)s->size * sizeof *h->trial);
    for (int i = 0; i < n; ++i) {
        const double* v   = h->V + (size_t)i * (size_t)n;
        double        sum = 0;
        for (int k = 0; k < n; ++k) sum += v[k] * h->r[k];
        if (fabs(h->value[i]) > h->none[i]) continue;
        for (int k = 0; k < n; ++k) h->trial[k] -= sum * v[k];
        push += sum * sum;
    }
    push = sqrt(push);
    if (push <= null_force * s->force) downhill(h, &(bool){false}, &(bool){false});
    for (int i = 0; i < nv; ++i) {
        double sum = 0;
        for (int k = 0; k < n; ++k) sum += s->N0[(size_t)k * (size_t)nv + (size_t)i] * h->trial[k];
        h->motion[i] = sum / s->here.unit[i];
        size         = fmax(size, fabs(sum));
    }
    for (int i = 0; i < nv && size > 0; ++i) h->motion[i] /= size;
    char who[200] = "", joint[200] = "";
    if (!cd_mover_name(h->d, h->motion, who, sizeof who) ||
        !cd_motion_names(h->d, 1, h->motion, s->here.length, joint, sizeof joint))
        return CARDAN_NO_MEMORY;
    return cardan_fail(report, CARDAN_NOT_CONVERGED, CARDAN_CODE_NO_EQUILIBRIUM, cardan_nowhere(),
                       "'%s' has no equilibrium: nothing carries %s; a force is left there that no stiffness resists, "
                       "however far it goes (joint %s)",
                       h->d->m->view.name, who, joint);
}

static cardan_status fail_states(search* h, cardan_report* report)
{
    int worst = 0;
    for (int i = 1; i < h->s.nz; ++i)
        if (fabs(h->r[h->s.n + i]) > fabs(h->r[h->s.n + worst])) worst = i;
    const cardan_state* state = &h->d->m->view.state[worst];
    return cardan_fail(report, CARDAN_NOT_CONVERGED, CARDAN_CODE_NO_EQUILIBRIUM, state->place,
                       "'%s' has no equilibrium: state '%s' keeps changing at %.3g per second", h->d->m->view.name,
                       state->name, -h->r[h->s.n + worst] / h->s.force * h->s.rate_size[worst]);
}

static cardan_status fail_search(search* h, cardan_report* report)
{
    int worst = 0;
    for (int i = 1; i < h->s.n; ++i)
        if (fabs(h->r[i]) > fabs(h->r[worst])) worst = i;
    if (h->s.nz > 0 && largest(h->s.n, h->r) < largest(h->s.nz, h->r + h->s.n)) return fail_states(h, report);
    const int nv = h->s.here.nv;
    for (int i = 0; i < nv; ++i) h->motion[i] = h->s.N0[(size_t)worst * (size_t)nv + (size_t)i] / h->s.here.unit[i];
    char who[200] = "some motion";
    if (h->s.n > 0 && !cd_motion_names(h->d, 1, h->motion, h->s.here.length, who, sizeof who)) return CARDAN_NO_MEMORY;
    return cardan_fail(
        report, CARDAN_NOT_CONVERGED, CARDAN_CODE_NO_EQUILIBRIUM, cardan_nowhere(),
        "no equilibrium of '%s' was found in %d iterations: forces of %.2g of those at work are left, most along %s; "
        "forces that jump or only rub cannot be balanced, and start values nearer to the equilibrium help",
        h->d->m->view.name, h->iterations, largest(h->s.n, h->r) / h->s.force, who);
}

static cardan_status descend(search* h, cardan_report* report)
{
    h->descended = true;
    int attempts = 0;
    while (h->iterations < h->most) {
        bool convex, drift;
        ++h->iterations;
        if (!know_slopes(h)) return fail_search(h, report);
        downhill(h, &convex, &drift);
        h->drifts = drift ? h->drifts + 1 : 0;
        if (h->drifts > DRIFTS || h->straight > 4 * DRIFTS) return fail_falling(h, report);
        if (convex && !drift && step_length(h, h->trial) < step_newton && attempts < 5) {
            ++attempts;
            const cardan_status status = newton(h);
            if (status == CARDAN_OK || status == CARDAN_NO_MEMORY) return status;
            continue;
        }
        settle_states(h);
        if (h->starved) return CARDAN_NO_MEMORY;
        if (!go(h)) return drift ? fail_falling(h, report) : fail_search(h, report);
        if (!centre(h)) return fail_search(h, report);
        if (at_rest(h)) return CARDAN_OK;
    }
    return largest(h->s.size, h->r) <= accepted * h->tolerance * h->s.force ? CARDAN_OK : fail_search(h, report);
}

// ---- what was found

// Motions whose stiffness lies between two bounds, as words.
static int name_motions(search* h, double from, double to, char* words, size_t size)
{
    const int n = h->s.n, nv = h->s.here.nv;
    int       count = 0;
    for (int i = 0; i < n; ++i) {
        if (!(h->value[i] > from && h->value[i] <= to)) continue;
        for (int k = 0; k < nv; ++k) {
            double sum = 0;
            for (int l = 0; l < n; ++l)
                sum +=
                    h->s.N0[(size_t)l * (size_t)nv + (size_t)k] * h->scale[l] * h->V[(size_t)i * (size_t)n + (size_t)l];
            h->motion[(size_t)count * (size_t)nv + (size_t)k] = sum / h->s.here.unit[k];
        }
        ++count;
    }
    if (count > 0 && !cd_motion_names(h->d, count, h->motion, h->s.here.length, words, size)) h->starved = true;
    return count;
}

// Forces that have a potential have a symmetric stiffness.
static bool symmetric(const search* h)
{
    const size_t size = (size_t)h->s.size, n = (size_t)h->s.n;
    for (size_t i = 0; i < n; ++i)
        for (size_t j = 0; j < i; ++j) {
            const double own = sqrt(fabs(h->K[i * size + i] * h->K[j * size + j])),
                         odd = fabs(h->K[i * size + j] - h->K[j * size + i]);
            if (odd > 1e-6 * (own + h->s.force) + h->E[i * size + j] + h->E[j * size + i]) return false;
        }
    return true;
}

// Words of the modes that are neutral, or unstable.
static void tell_modes(const cardan_modes* modes, bool neutral, char* words, size_t size)
{
    size_t used = 0;
    words[0]    = 0;
    for (int i = 0; i < modes->count && used < size; ++i)
        if (neutral ? modes->mode[i].kind == CARDAN_MODE_NEUTRAL : modes->mode[i].unstable)
            used += (size_t)snprintf(words + used, size - used, "%s%s", used > 0 ? "; " : "", modes->mode[i].words);
}

// Controllers and forces that follow: only the motion itself tells what leads away.
static void judge_by_modes(search* h, cardan_rest* rest)
{
    cardan_modes*       modes  = NULL;
    const cardan_status status = cardan_modes_find(h->d, &modes, NULL);
    h->starved                 = h->starved || status == CARDAN_NO_MEMORY;
    if (status != CARDAN_OK) return;
    rest->unstable = modes->unstable;
    rest->neutral  = 0;
    for (int i = 0; i < modes->count; ++i) rest->neutral += modes->mode[i].kind == CARDAN_MODE_NEUTRAL;
    if (rest->neutral == 0) rest->neutral_words[0] = 0;
    if (rest->neutral > 0 && rest->neutral_words[0] == 0)
        tell_modes(modes, true, rest->neutral_words, sizeof rest->neutral_words);
    tell_modes(modes, false, rest->unstable_words, sizeof rest->unstable_words);
    rest->stability = rest->unstable > 0 ? CARDAN_UNSTABLE : rest->neutral > 0 ? CARDAN_NEUTRAL : CARDAN_STABLE;
    cardan_modes_destroy(modes);
}

// A singular pose allows motions at first order that it does not allow: their stiffness means nothing.
static void doubt(const search* h, int free, int left, cardan_rest* rest, cardan_report* report)
{
    rest->stability = CARDAN_NEUTRAL;
    rest->neutral = rest->unstable = 0;
    rest->neutral_words[0] = rest->unstable_words[0] = 0;
    cardan_warn(report, CARDAN_CODE_SINGULAR_EQUILIBRIUM, cardan_nowhere(),
                "the equilibrium of '%s' is a singular pose: %d motion%s possible at first order, beside it %d; "
                "whether it is stable is not told",
                h->d->m->view.name, free, free == 1 ? " is" : "s are", left);
}

// Stiffness for the judgement: scaled so that what rounding may have left in it is 1, residual forces included. Signs
// stay what they are (Sylvester), and soft motions beside stiff ones are told as well as if they were alone.
static bool scale_stiffness(search* h)
{
    const size_t n = (size_t)h->s.n, size = (size_t)h->s.size;
    const double left = largest(h->s.n, h->r);
    for (size_t i = 0; i < n; ++i)
        for (size_t j = 0; j < n; ++j) h->V[i * n + j] = left + fmax(h->E[i * size + j], h->E[j * size + i]);
    cd_scale_rounding((int)n, h->V, h->scale, h->scale + n);
    for (size_t i = 0; i < n; ++i) h->scale[i] = sqrt(h->scale[i] * h->scale[n + i]);
    return find_values(h, h->scale);
}

static cardan_status judge(search* h, cardan_rest* rest, cardan_report* report)
{
    cardan_data* d = h->d;
    if (!know_slopes(h)) return fail_search(h, report);
    cd_statics_residual(&h->s, h->p, h->r);
    const double none = sqrt((double)h->s.n + 1), least = h->s.n > 0 ? h->value[0] : 0;
    if (!scale_stiffness(h)) return fail_search(h, report);
    rest->dof             = h->s.n;
    rest->residual        = largest(h->s.size, h->r) / h->s.force;
    rest->force           = h->s.force;
    rest->stiffness_least = least;
    rest->unstable        = name_motions(h, -INFINITY, -none, rest->unstable_words, sizeof rest->unstable_words);
    rest->neutral         = name_motions(h, -none, none, rest->neutral_words, sizeof rest->neutral_words);
    rest->stability       = rest->unstable > 0 ? CARDAN_UNSTABLE : rest->neutral > 0 ? CARDAN_NEUTRAL : CARDAN_STABLE;
    rest->iterations      = h->iterations;
    rest->evaluations     = h->s.evaluations;
    rest->descended       = h->descended;

    const bool potential = h->s.nz == 0 && symmetric(h);
    const bool solved    = cardan_accelerate(d, h->motion, NULL, NULL) == CARDAN_OK;
    rest->acceleration   = solved ? largest(d->m->nv, h->motion) : NAN;
    const int weak       = cd_tangent_at(&h->s.here, false) ? cd_tangent_weakly_held(&h->s.here) : 0;
    const int free = h->s.n + weak, left = h->s.n - (h->s.rank_near - h->s.rank);
    rest->singular = free > left;
    if (rest->singular)
        doubt(h, free, left, rest, report);
    else if (solved && !potential)
        judge_by_modes(h, rest);
    return h->starved ? CARDAN_NO_MEMORY : CARDAN_OK;
}

// Where nothing is at work, forces are what rounding leaves of springs, whose stiffness then tells what is small.
static bool nothing_at_work(search* h)
{
    const size_t size = (size_t)h->s.size;
    double       far = 1, most = 0;
    if (!know_slopes(h)) return false;
    for (int i = 0; i < h->d->m->nq; ++i) far = fmax(far, fabs(h->d->q[i]) / h->s.here.length);
    for (size_t i = 0; i < size; ++i) {
        double sum = 0;
        for (size_t j = 0; j < size; ++j) sum += fabs(h->K[j * size + i]);
        if (fabs(h->r[i]) > rounding * far * sum) return false;
        most = fmax(most, sum);
    }
    h->s.force = fmax(h->s.force, most);
    return true;
}

static cardan_status find(search* h, const cardan_rest_wish* wish, cardan_report* report)
{
    if (!centre(h)) return cd_statics_fail(&h->s, report);
    if (at_rest(h) || nothing_at_work(h)) return CARDAN_OK;
    if (wish->nearest || h->s.nz > 0) {
        const cardan_status status = newton(h);
        if (status != CARDAN_NOT_CONVERGED) return status;
    }
    return descend(h, report);
}

cardan_status cardan_rest_find(cardan_data* d, const cardan_rest_wish* wish, double* q, double* state,
                               cardan_rest* rest, cardan_report* report)
{
    const cardan_rest_wish usual = {0};
    cardan_rest            unused;
    if (!wish) wish = &usual;
    if (!rest) rest = &unused;
    *rest = (cardan_rest){0};
    CD_REFUSE_NULL(d, "data", report);
    if (isnan(wish->tolerance)) return cd_fail_not_finite(report, __func__, "wish");
    search        h      = {.d         = d,
                            .tolerance = wish->tolerance > 0 ? wish->tolerance : usual_tolerance,
                            .most      = wish->iterations > 0 ? wish->iterations : USUAL_ITERATIONS};
    cardan_status status = cd_statics_create(d, &h.s, report);
    if (status != CARDAN_OK) return status;
    layout(&h);
    if (cd_arena_reserve(&h.arena)) {
        layout(&h);
        status = find(&h, wish, report);
        if (status == CARDAN_OK) status = judge(&h, rest, report);
    } else {
        status = CARDAN_NO_MEMORY;
    }
    if (status == CARDAN_NO_MEMORY)
        cardan_fail(report, status, CARDAN_CODE_OUT_OF_MEMORY, cardan_nowhere(),
                    "no memory for the equilibrium of '%s'", d->m->view.name);
    if (q) memcpy(q, d->q, (size_t)d->m->nq * sizeof *q);
    if (state && d->m->nstate > 0) memcpy(state, d->state, (size_t)d->m->nstate * sizeof *state);
    cd_arena_release(&h.arena);
    cd_statics_release(&h.s);
    return status;
}
