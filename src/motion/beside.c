// SPDX-License-Identifier: BSD-3-Clause
// A motion passes a singular pose smoothly, with bounded accelerations. What is not bounded is the noise: of a
// constraint c = s y rounding leaves a gap e, that is y = e/s, and in the time s/s' to the pose it makes an
// acceleration of the order e/s (s'/s)^2. Where a step would feel that, accelerations at the pose are interpolated
// between poses before and behind it, on the way that the motion takes,
//
//   x(u) = (q + u v + u^2 a/2, v + u a) put on the constraints,     a(u) at x(u),     a(0) by Lagrange's polynomial
//                                                                   through three firm poses on either side,
//
// which holds for any smooth way through the pose, also where poses of other loops lie on it: those are passed over.
// Whether that is better than the pose itself is seen: with A2, A4 and A6 from the nearest two, four and all six poses,
// the error of A6 is about |A6 - A4|^2 / |A4 - A2|, of T the best is taken, and the pose itself is left only where its
// accelerations differ by more than that. Poses beside have to be far firmer: where the motion does not leave the
// singular pose soon (it is slow, turns round there, or follows it) nothing is gained. docs/theory/singular.md (4).
#include "motion/beside.h"

#include "dynamics/data.h"
#include "math/largest.h"
#include "motion/system.h"

#include <cardan/assemble.h>

#include <float.h>
#include <math.h>
#include <string.h>

static const double felt    = 2;    // times the tolerance, of noise in a step of 1/|v|
static const double firmer  = 3;    // s beside, of that at the pose
static const double s_quiet = 1e-3; // firmer poses are without noise that counts
enum { FARTHEST = 5 };              // times T
static const double turns   = 10;   // [1/rad, 1/lengths] |a|/|v|^2: within 5T the way bends by half of itself
static const double suspect = 0.01; // s^2 of a start, by its pivots alone
static const double slowly  = 1e-3; // of the velocity that led there: its direction is about to be noise
static const double closed  = 1e-9; // [m, rad] of gaps: beyond the end of its reach no pose of a mechanism closes
static const double evident = 10;   // times the error of interpolation: noise, whatever was expected
static const double sure    = 3;    // times the error of interpolation: more is noise of the pose

// Accelerations, multipliers behind them, the power, and velocities. Multipliers may grow without bound towards the
// pose, what they do together does not; velocities are wanted where nothing integrates them.
static int wide_of(const cd_system* system) { return 2 * system->nv + system->data->system.nrow + 1; }
static int power_at(const cd_system* system) { return system->nv + system->data->system.nrow; }

void cd_beside_layout(cd_system* system, cd_arena* arena)
{
    cd_beside* b = &system->beside;
    CD_TAKE(arena, b->q, system->nq);
    CD_TAKE(arena, b->there, system->nq);
    CD_TAKE(arena, b->state, system->ns);
    double **const         each[] = {&b->v, &b->way, &b->along, &b->still, &b->entry},
                   **const wide[] = {&b->by[0], &b->by[1], &b->by[2], &b->best};
    for (int i = 0; i < 6; ++i) CD_TAKE(arena, b->beside[i], wide_of(system));
    b->nwrench   = system->data->m->njoint + cardan_constraint_count(system->data);
    b->nreaction = 6 * b->nwrench + system->data->rows.nrow;
    for (int i = 0; i < 6; ++i) CD_TAKE(arena, b->reaction[i], b->nreaction);
    CD_TAKE(arena, b->force_of, b->nreaction);
    for (size_t i = 0; i < sizeof wide / sizeof *wide; ++i) CD_TAKE(arena, *wide[i], wide_of(system));
    for (size_t i = 0; i < sizeof each / sizeof *each; ++i) CD_TAKE(arena, *each[i], system->nv);
}

// [1/s^2] What rounding makes of accelerations `a` where the smallest singular value is s and changes by `slope` [1/s].
static double noise_of(double s, double slope, double a) { return DBL_EPSILON * (slope * slope / s + a) / (s * s); }

// Noise counts where steps of about 1/|v| would feel it. How fast s changes is told by the last pose at which
// accelerations were good, whichever side of the singular pose it was.
bool cd_beside_wanted(const cd_system* system)
{
    const cd_beside* b = &system->beside;
    if (!system->loops) return false;
    const double s = sqrt(system->firmness.value), fast = cd_fastest(system, system->data->v),
                 past = fabs(system->data->t - b->known_t);
    const double slope =
        b->knows && past > 0 ? fmin(s + b->known_s, fmax(2 * fabs(s - b->known_s), fast * past)) / past : fast;
    const double a = b->knows ? cd_fastest(system, b->along) : 0;
    return s == 0 || noise_of(s, slope, a) > felt * system->tolerance * fmax(fast * fast, a);
}

void cd_beside_begin(cd_system* system)
{
    system->beside.last = system->beside.best_t = -INFINITY;
    system->beside.knows                        = false;
    for (int i = 0; system->loops && i < system->nv; ++i) system->beside.still[i] = system->beside.entry[i] = 0;
}

void cd_beside_learn(cd_system* system, const double* a)
{
    cd_beside* b    = &system->beside;
    const bool knew = b->knows;
    b->knows        = system->loops && system->data->near;
    if (!b->knows) return;
    if (!knew) memcpy(b->entry, system->data->v, (size_t)system->nv * sizeof *b->entry);
    b->known_t = system->data->t;
    b->known_s = sqrt(system->firmness.value);
    memcpy(b->along, a, (size_t)system->nv * sizeof *a);
}

void cd_beside_keep(cd_system* system)
{
    const cardan_data* d = system->data;
    cd_beside*         b = &system->beside;
    if (!system->loops) return;
    b->t = d->t;
    memcpy(b->q, d->q, (size_t)system->nq * sizeof *b->q);
    memcpy(b->v, d->v, (size_t)system->nv * sizeof *b->v);
    if (system->ns) memcpy(b->state, d->state, (size_t)system->ns * sizeof *b->state);
}

void cd_beside_return(cd_system* system)
{
    const cd_beside* b = &system->beside;
    cd_data_set(system->data, b->t, b->q, b->v, system->ns ? b->state : NULL);
}

bool cd_beside_go(cd_system* system, double u, double* a)
{
    cardan_data* d = system->data;
    cd_beside*   b = &system->beside;
    double       gap, rate;
    for (int i = 0; i < system->nv; ++i) b->way[i] = u * (b->toward[i] + u / 2 * b->bend[i]);
    cardan_model_move(system->model, b->q, b->way, b->there);
    for (int i = 0; i < system->nv; ++i) b->way[i] = b->v[i] + u * b->bend[i];
    if (cd_data_set(d, b->waits ? b->t : b->t + u, b->there, b->way, system->ns ? b->state : NULL) ||
        cd_approach(d))
        return false;
    cd_gaps(d, &gap, &rate);
    if (!(gap < closed) || !(rate < closed * fmax(1, cd_largest_motion(d, d->v))) ||
        cardan_accelerate(d, a, NULL, NULL))
        return false;
    cd_firmness_look(system);
    memcpy(a + system->nv, d->lambda, (size_t)d->system.nrow * sizeof *a);
    a[power_at(system)] = cd_power(d);
    memcpy(a + power_at(system) + 1, d->v, (size_t)system->nv * sizeof *a);
    return true;
}

static double distance(int n, const double* a, const double* b)
{
    double most = 0;
    for (int i = 0; i < n; ++i) most = fmax(most, fabs(a[i] - b[i]));
    return most;
}

// The next pose on one side, T, 2T ... away, that is far firmer than s: poses of other loops may lie between. False
// where there is none.
static bool find_firm(cd_system* system, double T, double s, int* place, int node)
{
    cd_beside* b = &system->beside;
    while (++*place <= FARTHEST) {
        b->u[node] = (node % 2 ? 1 : -1) * *place * T;
        if (!cd_beside_go(system, b->u[node], b->beside[node])) continue;
        b->s[node] = sqrt(system->firmness.value);
        if (b->s[node] > s) return true;
    }
    return false;
}

// Lagrange's weight at u = 0 of node i, of n.
static double weight_of(const double* u, int n, int i)
{
    double weight = 1;
    for (int k = 0; k < n; ++k)
        if (k != i) weight *= u[k] / (u[k] - u[i]);
    return weight;
}

// From three poses on either side into by[2]; by[0] and by[1] are from the nearest two and four of them. How they
// approach each other tells the error; it is infinite where there are not enough poses with singular values above s.
static double interpolate(cd_system* system, double T, double s)
{
    cd_beside* b        = &system->beside;
    int        place[2] = {0, 0};
    if (!(T > 0)) return INFINITY;
    for (int n = 0; n < 6; ++n)
        if (!find_firm(system, T, s, &place[n % 2], n)) return INFINITY;
    for (int k = 0; k < 3; ++k) {
        memset(b->by[k], 0, (size_t)wide_of(system) * sizeof *b->by[k]);
        for (int n = 0; n < 2 * k + 2; ++n) {
            const double weight = weight_of(b->u, 2 * k + 2, n);
            for (int i = 0; i < wide_of(system); ++i) b->by[k][i] += weight * b->beside[n][i];
        }
    }
    const double first = distance(system->nv, b->by[0], b->by[1]), second = distance(system->nv, b->by[1], b->by[2]);
    return second < first ? second * second / first : second;
}

// How fast s changes beside.
static double slope_of(const cd_beside* b)
{
    double slope = 0;
    for (int n = 0; n < 6; ++n) slope = fmax(slope, b->s[n] / fabs(b->u[n]));
    return slope;
}

// [s] The time of a way: |v| T, or |v| T + |a| T^2/2 where laws lead the motion back within it.
static double reach_of(const cd_system* system, double way)
{
    const cd_beside* b    = &system->beside;
    const double     pace = cd_fastest(system, b->toward), bend = cd_fastest(system, b->bend);
    return !(pace > 0 || bend > 0)      ? 0
           : turns * pace * pace < bend ? 2 * way / (pace + sqrt(pace * pace + 2 * bend * way))
                                        : way / pace;
}

// The best of several T, with singular values above s beside; its error, and how fast s changes there.
static double best_of(cd_system* system, double s, double* slope)
{
    static const double way[] = {0.02, 0.01, 0.005}; // [rad, lengths] T |v|
    cd_beside*          b     = &system->beside;
    const double        fast = cd_fastest(system, b->v), pace = cd_fastest(system, b->toward);
    const double        enough = felt * system->tolerance * fmax(fast * fast, cd_fastest(system, b->bend));
    double              least  = INFINITY;
    *slope                     = 0;
    for (size_t i = 0; (pace > 0 || !b->waits) && i < sizeof way / sizeof *way && least > enough; ++i) {
        const double error = interpolate(system, reach_of(system, way[i]), s);
        if (!(error < least)) continue;
        least  = error;
        *slope = slope_of(b) * (b->waits ? fast / pace : 1);
        memcpy(b->best, b->by[2], (size_t)wide_of(system) * sizeof *b->best);
        memcpy(b->best_u, b->u, sizeof b->u);
    }
    return least;
}

static double best_beside(cd_system* system, double here, double* slope)
{
    const double s     = firmer * here;
    double       least = best_of(system, fmax(s, s_quiet), slope);
    if (!(least < INFINITY) && s < s_quiet) least = best_of(system, s, slope);
    return least;
}

// Where the motion comes to rest it turns round within the way to poses beside, and would find them on one side alone,
// or nowhere. What is wanted is a smooth way through the pose on its branch, at whatever speed: along the velocity, and
// where there is next to none, along the one that led there, the time standing still.
static double best_slow(cd_system* system, double here, double* slope)
{
    cd_beside*   b    = &system->beside;
    const double fast = cd_fastest(system, b->v), led = cd_fastest(system, b->entry);
    double       least = INFINITY;
    b->waits           = true;
    b->bend            = b->still;
    b->toward          = b->v;
    if (fast > slowly * led) least = best_beside(system, here, slope);
    b->toward = b->entry;
    if (!(least < INFINITY)) least = best_beside(system, here, slope);
    return least;
}

bool cd_beside_accelerate(cd_system* system, const double* a)
{
    const int    nv   = system->nv;
    cd_beside*   b    = &system->beside;
    const double here = sqrt(system->firmness.value), fast = cd_fastest(system, b->v);
    double       slope, least;
    b->waits  = false;
    b->toward = b->v;
    b->bend   = b->knows ? b->along : noise_of(here, fast, 0) > fast * fast ? b->still : a;
    if (turns * fast * fast < cd_fastest(system, b->bend) && system->data->closure.ndriving == 0)
        least = best_slow(system, here, &slope);
    else
        least = best_beside(system, here, &slope);
    b->best_t          = least < INFINITY ? b->t : -INFINITY;
    const double apart = distance(nv, b->best, a);
    b->serves          = least < noise_of(here, slope, cd_fastest(system, b->best)) || evident * least < apart;
    if (!b->serves) return false;
    const bool noise = here == 0 || apart > sure * least; // multipliers of rows that repeat others are any
    memcpy(b->along, noise ? b->best : a, (size_t)nv * sizeof *a);
    return noise;
}

double cd_beside_take(cd_system* system, double* a)
{
    const double* best  = system->beside.best;
    system->beside.last = system->beside.t;
    memcpy(a, best, (size_t)system->nv * sizeof *a);
    memcpy(system->data->lambda, best + system->nv, (size_t)system->data->system.nrow * sizeof *best);
    system->data->solved = true;
    return best[power_at(system)];
}

bool cd_beside_velocities(const cd_system* system, double* v)
{
    const bool found = system->loops && system->beside.last == system->data->t;
    if (found) memcpy(v, system->beside.best + power_at(system) + 1, (size_t)system->nv * sizeof *v);
    return found;
}

bool cd_beside_stands(const cd_system* system, double t)
{
    return system->loops && system->beside.t == t && system->beside.best_t == t;
}

bool cd_beside_leave(cd_system* system)
{
    static const double far[] = {0.1, -0.1, 0.03, -0.03}; // [rad, lengths]
    cd_beside*          b     = &system->beside;
    b->toward                 = cd_fastest(system, b->v) > 0 ? b->v : system->a;
    b->bend                   = b->still;
    b->waits                  = false;
    const double pace         = cd_fastest(system, b->toward);
    for (size_t i = 0; pace > 0 && i < sizeof far / sizeof *far; ++i)
        if (cd_beside_go(system, far[i] / pace, b->beside[0])) return true;
    return false;
}

// The square of a row on velocities, of turns and of lengths of the mechanism.
static double felt_square(const cardan_data* d, const cd_row_block* b, int row)
{
    double sum = 0;
    for (int j = 0; j < b->nv; ++j) {
        const vec3   axis = d->k.S[b->v[j]].a;
        const double felt = b->J[row * b->nv + j] * (v3_dot(axis, axis) > 0 ? 1 : d->reacting.length);
        sum += felt * felt;
    }
    return sum;
}

// A row on velocities that is next to nothing beside its wrenches, which no pivot shows. Free bodies feel all of it.
static bool some_vanish(const cardan_data* d)
{
    if (d->m->policy == CARDAN_TREE_FLAT || !d->closure.ways) return false;
    for (int c = 0; c < d->closure.nconstraint; ++c)
        for (int i = 0; i < d->closure.constraint[c].nrow; ++i) {
            const double size = cd_row_size(d, c, i);
            if (felt_square(d, &d->closure.block[c], i) < suspect * size * size) return true;
        }
    return false;
}

static cardan_status look_at_start(cd_system* system)
{
    const cardan_status status = cardan_accelerate(system->data, system->a, NULL, NULL);
    if (!status || cd_rows_disagree(system, status)) cd_firmness_look(system);
    return status;
}

// Nothing firmer than the start is known there: poses beside it, on the way of its motion, tell what is firm.
void cd_beside_start(cd_system* system)
{
    const cardan_status here = look_at_start(system);
    const cd_strength*  now  = &system->data->strength;
    const bool          weak = now->null > 0 || now->least < suspect || some_vanish(system->data);
    if (!system->data->formulation->strength || !weak || (here && !cd_rows_disagree(system, here))) return;
    cd_beside_keep(system);
    cd_firmness_begin(system);
    if (cd_beside_leave(system)) cd_firmness_follow(system);
    cd_beside_return(system);
    look_at_start(system);
    if (system->data->near) return;
    cd_firmness_begin(system); // it is as firm as any
    look_at_start(system);
}
