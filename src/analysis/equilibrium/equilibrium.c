// SPDX-License-Identifier: BSD-3-Clause
// Static equilibrium: r(p) = 0 (statics.h). Descent steps come first, so that a rough guess leads to the equilibrium at
// which a damped mechanism would stop:
//
//   K + K' = 2 V L V',   step = -V |L|^-1 V'r,  limited;  line search on the directional derivative r'step
//
// Like dynamic relaxation, the descent leaves saddle points and maxima; every step moves the centre. When the stiffness
// is positive and the step short, Newton's method with the exact derivative completes the search (newton_kinsol.c).
// Motions without force and stiffness do not change: steps have minimum norm. Motions with a force and without
// stiffness are followed with growing steps; if this does not end, there is no equilibrium.
#include "analysis/equilibrium/newton.h"
#include "analysis/analysis_tolerances.h"
#include "analysis/equilibration.h"
#include "analysis/equilibrium/contact_equilibrium.h"
#include "analysis/equilibrium/statics.h"
#include "analysis/motion_description.h"

#include "core/check_arguments.h"
#include "core/parts.h"
#include "math/lapack.h"
#include "math/norm_inf.h"
#include "model/reaction_signals.h"
#include "model/shape_bristles.h"

#include <cardan/analyse.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const double max_step = 0.3; // [rad, tangent.length] limit of a descent step
enum { DEFAULT_ITERATIONS = 500, MAX_CENTRES = 25, MAX_DRIFTS = 14 };

typedef struct equilibrium_search {
    cardan_data* d;
    cd_statics   s;
    double       tolerance;
    int          iterations, max_iterations;
    bool         used_descent;
    bool         out_of_memory;           // an allocation failed
    int          ndrift;                  // consecutive steps with a force and without stiffness
    int          nstraight;               // consecutive limited steps in the same direction
    double *     p, *r, *trial;           // (size)
    double *     K, *V, *eigenvalue;      // (size x size); eigenvectors by rows, eigenvalues
    double *     E, *eigenvalue_roundoff; // (size x size) bound of the round-off in K; (size) in the eigenvalues
    double *     work, *motion, *last, *scale;
    cd_arena     arena;
} equilibrium_search;

static void layout(equilibrium_search* h)
{
    const size_t most = (size_t)(h->d->m->nv + h->d->m->nstate) + 1;
    CD_ARENA_ARRAY(&h->arena, h->p, most);
    CD_ARENA_ARRAY(&h->arena, h->r, most);
    CD_ARENA_ARRAY(&h->arena, h->trial, most);
    CD_ARENA_ARRAY(&h->arena, h->K, most * most);
    CD_ARENA_ARRAY(&h->arena, h->V, most * most);
    CD_ARENA_ARRAY(&h->arena, h->eigenvalue, most);
    CD_ARENA_ARRAY(&h->arena, h->E, most * most);
    CD_ARENA_ARRAY(&h->arena, h->eigenvalue_roundoff, most);
    CD_ARENA_ARRAY(&h->arena, h->scale, 2 * most);
    CD_ARENA_ARRAY(&h->arena, h->motion, most * most);
    CD_ARENA_ARRAY(&h->arena, h->last, most);
    CD_ARENA_ARRAY(&h->arena, h->work, (size_t)cd_lapack_eigen_work((int)most));
}

static bool is_converged(const equilibrium_search* h)
{
    return cd_norm_inf(h->s.size, h->r) <= h->tolerance * h->s.force_scale;
}

// Make the state of the data the centre, set p = 0 and compute r. Returns false on failure.
static bool set_centre(equilibrium_search* h)
{
    if (!cd_statics_set_centre(&h->s)) return false;
    memset(h->p, 0, (size_t)h->s.size * sizeof *h->p);
    return cd_statics_residual(&h->s, h->p, h->r);
}

// [rad, tangent.length] Largest component of a step p in units.
static double step_length(const equilibrium_search* h, const double* p)
{
    const cd_statics* s    = &h->s;
    double            most = 0;
    for (int i = 0; i < s->tangent.nv; ++i) {
        double sum = 0;
        for (int k = 0; k < s->nmotion; ++k) sum += s->basis0[(size_t)k * (size_t)s->tangent.nv + (size_t)i] * p[k];
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

// Run Newton's method, with a new centre after each run, as long as the residual decreases. The
// data end at the best point.
static cardan_status solve_by_newton(equilibrium_search* h)
{
    cd_statics* s    = &h->s;
    double      best = cd_norm_inf(s->size, h->r) / s->force_scale;
    for (int i = 0; i < MAX_CENTRES && h->iterations < h->max_iterations; ++i) {
        const cd_newton_problem solver = {.n         = s->size,
                                          .user      = s,
                                          .residual  = residual,
                                          .jacobian  = derivative,
                                          .tolerance = cd_equilibrium_newton_factor * h->tolerance * s->force_scale,
                                          .max_step  = max_step,
                                          .max_iterations = 8};
        const cardan_status     status = cd_newton_solve(&solver, h->p, &h->iterations);
        if (status == CARDAN_NO_MEMORY) return status;
        if (!cd_statics_set_state(s, h->p) || !set_centre(h)) return CARDAN_NOT_CONVERGED;
        if (is_converged(h)) return CARDAN_OK;
        const double now = cd_norm_inf(s->size, h->r) / s->force_scale;
        if (!(now < 0.9 * best))
            return now <= cd_equilibrium_accepted_factor * h->tolerance ? CARDAN_OK : CARDAN_NOT_CONVERGED;
        best = now;
    }
    return CARDAN_NOT_CONVERGED;
}

// ---- descent

// Eigenvalues and eigenvectors of the motion block of (K + K')/2, row and column i multiplied by scale[i].
static bool compute_eigenvalues(equilibrium_search* h, const double* scale)
{
    const size_t n = (size_t)h->s.nmotion, size = (size_t)h->s.size;
    for (size_t i = 0; i < n; ++i)
        for (size_t j = 0; j < n; ++j)
            h->V[i * n + j] = 0.5 * scale[i] * scale[j] * (h->K[i * size + j] + h->K[j * size + i]);
    return cd_lapack_symmetric_eigen((int)n, h->V, h->eigenvalue, h->work);
}

// Compute K and the bound E of its round-off.
static bool update_stiffness(equilibrium_search* h)
{
    if (!cd_statics_stiffness(&h->s, h->p, h->K)) return false;
    cd_statics_rounding(&h->s, h->K, h->E);
    return true;
}

// Compute eigenvalues and eigenvectors of the stiffness, and the bound |v|'E |v| of the round-off of each eigenvalue.
static bool update_eigenvalues(equilibrium_search* h)
{
    const size_t n = (size_t)h->s.nmotion, size = (size_t)h->s.size;
    if (!update_stiffness(h)) return false;
    for (size_t i = 0; i < n; ++i) h->scale[i] = 1;
    if (!compute_eigenvalues(h, h->scale)) return false;
    for (size_t r = 0; r < n; ++r) {
        const double* v           = h->V + r * n;
        h->eigenvalue_roundoff[r] = 0;
        for (size_t i = 0; i < n; ++i)
            for (size_t j = 0; j < n; ++j) h->eigenvalue_roundoff[r] += fabs(v[i] * v[j]) * h->E[i * size + j];
    }
    return true;
}

// Count consecutive limited steps in the same direction; the step limit grows with the count, to cover long distances.
static void count_straight(equilibrium_search* h, bool cut)
{
    const cd_statics* s   = &h->s;
    double            dot = 0, old = 0, new = 0;
    for (int i = 0; i < s->tangent.nv; ++i) {
        double sum = 0;
        for (int k = 0; k < s->nmotion; ++k)
            sum += s->basis0[(size_t)k * (size_t)s->tangent.nv + (size_t)i] * h->trial[k];
        dot += sum * h->last[i];
        old += h->last[i] * h->last[i];
        new += sum* sum;
        h->last[i] = sum;
    }
    h->nstraight = cut && dot > 0.95 * sqrt(old * new) ? h->nstraight + 1 : 0;
}

// Compute the descent step into trial. *is_convex: no eigenvalue is negative; *is_drifting: some motion has
// a force and no stiffness.
static void descent_direction(equilibrium_search* h, bool* is_convex, bool* is_drifting)
{
    const cd_statics* s = &h->s;
    const int         n = s->nmotion;
    memset(h->trial, 0, (size_t)s->size * sizeof *h->trial);
    *is_convex   = true;
    *is_drifting = false;
    for (int i = 0; i < n; ++i) {
        const double* v   = h->V + (size_t)i * (size_t)n;
        double        sum = 0;
        for (int k = 0; k < n; ++k) sum += v[k] * h->r[k];
        const double roundoff         = h->eigenvalue_roundoff[i];
        const bool   has_no_stiffness = fabs(h->eigenvalue[i]) <= roundoff,
                   has_force          = fabs(sum) > cd_negligible_force * s->force_scale;
        *is_convex                    = *is_convex && h->eigenvalue[i] >= -roundoff;
        *is_drifting                  = *is_drifting || (has_no_stiffness && has_force);
        if (has_no_stiffness && !has_force) continue;
        for (int k = 0; k < n; ++k) h->trial[k] -= sum / fmax(fabs(h->eigenvalue[i]), roundoff) * v[k];
    }
    const double length = step_length(h, h->trial);
    count_straight(h, length > max_step);
    const double limit = max_step * ldexp(1, *is_drifting ? h->ndrift : h->nstraight / 4);
    for (int k = 0; k < n && length > limit; ++k) h->trial[k] *= limit / length;
}

static double directional_derivative(const equilibrium_search* h, const double* r)
{
    double sum = 0;
    for (int k = 0; k < h->s.nmotion; ++k) sum += r[k] * h->trial[k];
    return sum;
}

// Shorten the step until the directional derivative does not exceed 0.8 times its start value. Returns
// false if no step length does.
static bool line_search(equilibrium_search* h)
{
    const double before = directional_derivative(h, h->r);
    double       part   = 1;
    for (int i = 0; i < 30; ++i) {
        for (int k = 0; k < h->s.size; ++k) h->p[k] = part * h->trial[k];
        const bool   known = cd_statics_residual(&h->s, h->p, h->r);
        const double now   = known ? directional_derivative(h, h->r) : INFINITY;
        if (known && now <= 0.8 * fabs(before)) return true;
        const double guess = known ? part * before / (before - now) : 0;
        part               = fmin(fmax(guess, 0.1 * part), 0.5 * part);
        if (part < cd_line_search_min_part) break;
    }
    return false;
}

// Set the step of the user states to the Newton step for which their rates vanish at fixed positions.
static void solve_states(equilibrium_search* h)
{
    const int n = h->s.nmotion, nz = h->s.nz, size = h->s.size;
    if (nz == 0) return;
    double* A     = h->V; // (nz x nz) column major; the eigenvectors are no longer needed
    double* work  = cd_allocate((size_t)cd_lapack_least_squares_rectangular_work(nz, nz), sizeof *work);
    int*    pivot = cd_allocate((size_t)nz, sizeof *pivot);
    for (int j = 0; j < nz; ++j)
        for (int i = 0; i < nz; ++i)
            A[(size_t)j * (size_t)nz + (size_t)i] = h->K[(size_t)(n + j) * (size_t)size + (size_t)(n + i)];
    for (int i = 0; i < nz; ++i) h->motion[i] = -h->r[n + i];
    h->out_of_memory = h->out_of_memory || !work || !pivot;
    if (work && pivot &&
        cd_lapack_least_squares_rectangular(nz, nz, A, h->motion, cd_state_rank_tolerance, work, pivot) > 0)
        for (int i = 0; i < nz; ++i) h->trial[n + i] = h->motion[i];
    free(work);
    free(pivot);
}

// Fail with the motion that has a force and no stiffness.
static cardan_status fail_unsupported_motion(equilibrium_search* h, cardan_report* report)
{
    cd_statics* s = &h->s;
    const int   n = s->nmotion, nv = s->tangent.nv;
    double      force = 0, size = 0;
    memset(h->trial, 0, (size_t)s->size * sizeof *h->trial);
    for (int i = 0; i < n; ++i) {
        const double* v   = h->V + (size_t)i * (size_t)n;
        double        sum = 0;
        for (int k = 0; k < n; ++k) sum += v[k] * h->r[k];
        if (fabs(h->eigenvalue[i]) > h->eigenvalue_roundoff[i]) continue;
        for (int k = 0; k < n; ++k) h->trial[k] -= sum * v[k];
        force += sum * sum;
    }
    force = sqrt(force);
    if (force <= cd_negligible_force * s->force_scale) descent_direction(h, &(bool){false}, &(bool){false});
    for (int i = 0; i < nv; ++i) {
        double sum = 0;
        for (int k = 0; k < n; ++k) sum += s->basis0[(size_t)k * (size_t)nv + (size_t)i] * h->trial[k];
        h->motion[i] = sum / s->tangent.unit[i];
        size         = fmax(size, fabs(sum));
    }
    for (int i = 0; i < nv && size > 0; ++i) h->motion[i] /= size;
    char body[200] = "", joint[200] = "";
    if (!cd_describe_dominant_body(h->d, h->motion, body, sizeof body) ||
        !cd_describe_motions(h->d, 1, h->motion, s->tangent.length, joint, sizeof joint))
        return CARDAN_NO_MEMORY;
    return cardan_fail(report, CARDAN_NOT_CONVERGED, CARDAN_CODE_NO_EQUILIBRIUM, cardan_location_none(),
                       "'%s' has no equilibrium: nothing supports %s; a force remains there that no stiffness "
                       "balances, at any displacement (joint %s)",
                       h->d->m->view.name, body, joint);
}

static cardan_status fail_states(equilibrium_search* h, cardan_report* report)
{
    int worst = 0;
    for (int i = 1; i < h->s.nz; ++i)
        if (fabs(h->r[h->s.nmotion + i]) > fabs(h->r[h->s.nmotion + worst])) worst = i;
    const cardan_user_state* state = &h->d->m->view.state[worst];
    return cardan_fail(report, CARDAN_NOT_CONVERGED, CARDAN_CODE_NO_EQUILIBRIUM, state->location,
                       "'%s' has no equilibrium: state '%s' changes at a constant rate of %.3g per second",
                       h->d->m->view.name, state->name,
                       -h->r[h->s.nmotion + worst] / h->s.force_scale * h->s.rate_scale[worst]);
}

static cardan_status fail_search(equilibrium_search* h, cardan_report* report)
{
    int worst = 0;
    for (int i = 1; i < h->s.nmotion; ++i)
        if (fabs(h->r[i]) > fabs(h->r[worst])) worst = i;
    if (h->s.nz > 0 && cd_norm_inf(h->s.nmotion, h->r) < cd_norm_inf(h->s.nz, h->r + h->s.nmotion))
        return fail_states(h, report);
    const int nv = h->s.tangent.nv;
    for (int i = 0; i < nv; ++i)
        h->motion[i] = h->s.basis0[(size_t)worst * (size_t)nv + (size_t)i] / h->s.tangent.unit[i];
    char motion_text[200] = "some motion";
    if (h->s.nmotion > 0 &&
        !cd_describe_motions(h->d, 1, h->motion, h->s.tangent.length, motion_text, sizeof motion_text))
        return CARDAN_NO_MEMORY;
    return cardan_fail(report, CARDAN_NOT_CONVERGED, CARDAN_CODE_NO_EQUILIBRIUM, cardan_location_none(),
                       "no equilibrium of '%s' was found in %d iterations: a residual of %.2g of the force scale "
                       "remains, largest along %s; discontinuous or purely frictional forces cannot be balanced; use "
                       "start values nearer to the equilibrium",
                       h->d->m->view.name, h->iterations, cd_norm_inf(h->s.nmotion, h->r) / h->s.force_scale,
                       motion_text);
}

static cardan_status descend(equilibrium_search* h, cardan_report* report)
{
    h->used_descent = true;
    int attempts    = 0;
    while (h->iterations < h->max_iterations) {
        bool is_convex, is_drifting;
        ++h->iterations;
        if (!update_eigenvalues(h)) return fail_search(h, report);
        descent_direction(h, &is_convex, &is_drifting);
        h->ndrift = is_drifting ? h->ndrift + 1 : 0;
        if (h->ndrift > MAX_DRIFTS || h->nstraight > 4 * MAX_DRIFTS) return fail_unsupported_motion(h, report);
        if (is_convex && !is_drifting && step_length(h, h->trial) < cd_equilibrium_newton_step && attempts < 5) {
            ++attempts;
            const cardan_status status = solve_by_newton(h);
            if (status == CARDAN_OK || status == CARDAN_NO_MEMORY) return status;
            continue;
        }
        solve_states(h);
        if (h->out_of_memory) return CARDAN_NO_MEMORY;
        if (!line_search(h)) return is_drifting ? fail_unsupported_motion(h, report) : fail_search(h, report);
        if (!set_centre(h)) return fail_search(h, report);
        if (is_converged(h)) return CARDAN_OK;
    }
    return cd_norm_inf(h->s.size, h->r) <= cd_equilibrium_accepted_factor * h->tolerance * h->s.force_scale
               ? CARDAN_OK
               : fail_search(h, report);
}

// ---- classification of the equilibrium

// Describe the motions whose stiffness lies in (from, to]. Returns their number.
static int describe_motions_between(equilibrium_search* h, double from, double to, char* text, size_t size)
{
    const int n = h->s.nmotion, nv = h->s.tangent.nv;
    int       count = 0;
    for (int i = 0; i < n; ++i) {
        if (!(h->eigenvalue[i] > from && h->eigenvalue[i] <= to)) continue;
        for (int k = 0; k < nv; ++k) {
            double sum = 0;
            for (int l = 0; l < n; ++l)
                sum += h->s.basis0[(size_t)l * (size_t)nv + (size_t)k] * h->scale[l] *
                       h->V[(size_t)i * (size_t)n + (size_t)l];
            h->motion[(size_t)count * (size_t)nv + (size_t)k] = sum / h->s.tangent.unit[k];
        }
        ++count;
    }
    if (count > 0 && !cd_describe_motions(h->d, count, h->motion, h->s.tangent.length, text, size))
        h->out_of_memory = true;
    return count;
}

// Return whether the stiffness is symmetric, as it is for forces with a potential.
static bool is_symmetric(const equilibrium_search* h)
{
    const size_t size = (size_t)h->s.size, n = (size_t)h->s.nmotion;
    for (size_t i = 0; i < n; ++i)
        for (size_t j = 0; j < i; ++j) {
            const double scale     = sqrt(fabs(h->K[i * size + i] * h->K[j * size + j])),
                         asymmetry = fabs(h->K[i * size + j] - h->K[j * size + i]);
            if (asymmetry >
                cd_stiffness_asymmetry * (scale + h->s.force_scale) + h->E[i * size + j] + h->E[j * size + i])
                return false;
        }
    return true;
}

// Append the descriptions of the neutral modes, or of the unstable ones.
static void describe_modes(const cardan_modes* modes, bool neutral, char* text, size_t size)
{
    size_t used = 0;
    text[0]     = 0;
    for (int i = 0; i < modes->count && used < size; ++i)
        if (neutral ? modes->mode[i].kind == CARDAN_MODE_NEUTRAL : modes->mode[i].is_unstable)
            used +=
                (size_t)snprintf(text + used, size - used, "%s%s", used > 0 ? "; " : "", modes->mode[i].description);
}

// Classify by the eigenvalues of the linearized motion: with controllers or follower forces the stiffness alone
// does not decide stability.
static void classify_by_modes(equilibrium_search* h, cardan_equilibrium* equilibrium)
{
    cardan_modes*       modes  = NULL;
    const cardan_status status = cardan_modes_create(h->d, &modes, NULL);
    h->out_of_memory           = h->out_of_memory || status == CARDAN_NO_MEMORY;
    if (status != CARDAN_OK) return;
    equilibrium->nunstable = modes->nunstable;
    equilibrium->nneutral  = 0;
    for (int i = 0; i < modes->count; ++i) equilibrium->nneutral += modes->mode[i].kind == CARDAN_MODE_NEUTRAL;
    if (equilibrium->nneutral == 0) equilibrium->neutral_description[0] = 0;
    if (equilibrium->nneutral > 0 && equilibrium->neutral_description[0] == 0)
        describe_modes(modes, true, equilibrium->neutral_description, sizeof equilibrium->neutral_description);
    describe_modes(modes, false, equilibrium->unstable_description, sizeof equilibrium->unstable_description);
    equilibrium->stability = equilibrium->nunstable > 0  ? CARDAN_UNSTABLE
                             : equilibrium->nneutral > 0 ? CARDAN_NEUTRAL
                                                         : CARDAN_STABLE;
    cardan_modes_destroy(modes);
}

// Warn that the equilibrium is a singular configuration: its tangent space contains motions that are not admissible at
// finite size, so their stiffness is meaningless.
static void warn_singular(const equilibrium_search* h, int dof_at_state, int dof_nearby,
                          cardan_equilibrium* equilibrium, cardan_report* report)
{
    equilibrium->stability = CARDAN_NEUTRAL;
    equilibrium->nneutral = equilibrium->nunstable = 0;
    equilibrium->neutral_description[0] = equilibrium->unstable_description[0] = 0;
    cardan_warn(report, CARDAN_CODE_SINGULAR_EQUILIBRIUM, cardan_location_none(),
                "the equilibrium of '%s' is a singular configuration: %d motion%s possible at first order, nearby %d; "
                "its stability is not determined",
                h->d->m->view.name, dof_at_state, dof_at_state == 1 ? " is" : "s are", dof_nearby);
}

// Scale the stiffness so that the bound of its round-off, plus the largest residual force, is 1, and compute its
// eigenvalues. The signs of the eigenvalues do not change (Sylvester), and soft motions are classified as accurately
// next to stiff ones as alone.
static bool scale_stiffness(equilibrium_search* h)
{
    const size_t n = (size_t)h->s.nmotion, size = (size_t)h->s.size;
    const double largest_residual = cd_norm_inf(h->s.nmotion, h->r);
    for (size_t i = 0; i < n; ++i)
        for (size_t j = 0; j < n; ++j)
            h->V[i * n + j] = largest_residual + fmax(h->E[i * size + j], h->E[j * size + i]);
    cd_equilibrate((int)n, h->V, h->scale, h->scale + n);
    for (size_t i = 0; i < n; ++i) h->scale[i] = sqrt(h->scale[i] * h->scale[n + i]);
    return compute_eigenvalues(h, h->scale);
}

static cardan_status classify(equilibrium_search* h, cardan_equilibrium* equilibrium, cardan_report* report)
{
    cardan_data* d = h->d;
    if (!update_eigenvalues(h)) return fail_search(h, report);
    cd_statics_residual(&h->s, h->p, h->r);
    const double tolerance = sqrt((double)h->s.nmotion + 1), least = h->s.nmotion > 0 ? h->eigenvalue[0] : 0;
    if (!scale_stiffness(h)) return fail_search(h, report);
    equilibrium->dof           = h->s.nmotion;
    equilibrium->residual      = cd_norm_inf(h->s.size, h->r) / h->s.force_scale;
    equilibrium->force_scale   = h->s.force_scale;
    equilibrium->min_stiffness = least;
    equilibrium->nunstable     = describe_motions_between(h, -INFINITY, -tolerance, equilibrium->unstable_description,
                                                          sizeof equilibrium->unstable_description);
    equilibrium->nneutral      = describe_motions_between(h, -tolerance, tolerance, equilibrium->neutral_description,
                                                          sizeof equilibrium->neutral_description);
    equilibrium->stability     = equilibrium->nunstable > 0  ? CARDAN_UNSTABLE
                                 : equilibrium->nneutral > 0 ? CARDAN_NEUTRAL
                                                             : CARDAN_STABLE;
    equilibrium->iterations    = h->iterations;
    equilibrium->evaluations   = h->s.evaluations;
    equilibrium->used_descent  = h->used_descent;

    const bool potential          = h->s.nz == 0 && is_symmetric(h);
    const bool solved             = cardan_data_accelerate(d, h->motion, NULL, NULL) == CARDAN_OK;
    equilibrium->max_acceleration = solved ? cd_norm_inf(d->m->nv, h->motion) : NAN;
    const int nweak =
        cd_tangent_space_compute(&h->s.tangent, false) ? cd_tangent_space_near_singular(&h->s.tangent) : 0;
    const int dof_at_state = h->s.nmotion + nweak, dof_nearby = h->s.nmotion - (h->s.max_rank_nearby - h->s.rank);
    equilibrium->is_singular = dof_at_state > dof_nearby;
    if (equilibrium->is_singular)
        warn_singular(h, dof_at_state, dof_nearby, equilibrium, report);
    else if (solved && !potential)
        classify_by_modes(h, equilibrium);
    return h->out_of_memory ? CARDAN_NO_MEMORY : CARDAN_OK;
}

// Return whether all residual forces are below the round-off of springs in balance; then raise
// force_scale to their stiffness.
static bool is_unloaded(equilibrium_search* h)
{
    const size_t size           = (size_t)h->s.size;
    double       position_scale = 1, most = 0;
    if (!update_eigenvalues(h)) return false;
    for (int i = 0; i < h->d->m->nq; ++i) position_scale = fmax(position_scale, fabs(h->d->q[i]) / h->s.tangent.length);
    for (size_t i = 0; i < size; ++i) {
        double sum = 0;
        for (size_t j = 0; j < size; ++j) sum += fabs(h->K[j * size + i]);
        if (fabs(h->r[i]) > cd_position_roundoff * position_scale * sum) return false;
        most = fmax(most, sum);
    }
    h->s.force_scale = fmax(h->s.force_scale, most);
    return true;
}

static cardan_status find_equilibrium(equilibrium_search* h, const cardan_equilibrium_options* options,
                                      cardan_report* report)
{
    if (is_converged(h) || is_unloaded(h)) return CARDAN_OK;
    if (options->nearest || h->s.nz > 0) {
        const cardan_status status = solve_by_newton(h);
        if (status != CARDAN_NOT_CONVERGED) return status;
    }
    return descend(h, report);
}

// Rigid contacts that hold the start; else the search, without contacts.
static cardan_status find_and_classify(equilibrium_search* h, const cardan_equilibrium_options* options,
                                       cardan_equilibrium* equilibrium, cardan_report* report)
{
    bool holds;
    if (!set_centre(h)) return cd_statics_fail(&h->s, report);
    cardan_status status = cd_equilibrium_by_contacts(&h->s, h->r, &holds, equilibrium, report);
    if (status != CARDAN_OK || holds) return status;
    status = find_equilibrium(h, options, report);
    if (status == CARDAN_OK) status = classify(h, equilibrium, report);
    if (status == CARDAN_NOT_CONVERGED) cd_equilibrium_note_open(&h->s, report);
    return status == CARDAN_OK ? cd_equilibrium_check_open(&h->s, report) : status;
}

cardan_status cardan_equilibrium_solve(cardan_data* d, const cardan_equilibrium_options* options, double* q,
                                       double* state, cardan_equilibrium* equilibrium, cardan_report* report)
{
    const cardan_equilibrium_options defaults = {0};
    cardan_equilibrium               unused;
    if (!options) options = &defaults;
    if (!equilibrium) equilibrium = &unused;
    *equilibrium = (cardan_equilibrium){0};
    CD_REQUIRE_POINTER(d, "data", report);
    if (isnan(options->force_tolerance)) return cd_fail_not_finite(report, __func__, "options");
    if (cd_refuse_bristles(d->m, "whose deflections at rest depend on the motion before", report) != CARDAN_OK ||
        cd_refuse_reaction_signals(d->m, "which the solver for equilibria does not support", report) != CARDAN_OK)
        return CARDAN_UNSUPPORTED;
    if (cd_part_missing("SUNDIALS"))
        return cd_fail_missing_part(report, "SUNDIALS", cardan_location_none(), "the solver for equilibria");
    equilibrium_search h = {
        .d              = d,
        .tolerance      = options->force_tolerance > 0 ? options->force_tolerance : cd_equilibrium_force_tolerance,
        .max_iterations = options->max_iterations > 0 ? options->max_iterations : DEFAULT_ITERATIONS};
    cardan_status status = cd_statics_create(d, &h.s, report);
    if (status != CARDAN_OK) return status;
    layout(&h);
    if (cd_arena_reserve(&h.arena)) {
        layout(&h);
        status = find_and_classify(&h, options, equilibrium, report);
    } else {
        status = CARDAN_NO_MEMORY;
    }
    if (status == CARDAN_NO_MEMORY)
        cardan_fail(report, status, CARDAN_CODE_OUT_OF_MEMORY, cardan_location_none(),
                    "out of memory for the equilibrium of '%s'", d->m->view.name);
    if (q) memcpy(q, d->q, (size_t)d->m->nq * sizeof *q);
    if (state && d->m->nstate > 0) memcpy(state, d->state, (size_t)d->m->nstate * sizeof *state);
    cd_arena_release(&h.arena);
    cd_statics_release(&h.s);
    return status;
}
