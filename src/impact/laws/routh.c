// SPDX-License-Identifier: BSD-3-Clause
// The normal impulse p is the independent variable (Routh 1860; Batlle 1996; Stronge 1990). While the contact slips in
// the direction s of its tangential velocity a s,
//
//   dp_vec/dp = (1, -mu s),   du/dp = W (1, -mu s),   dwork/dp = u_n
//
// With dp = a dt and s = (cos phi, sin phi) the equations are regular up to the end of slip, a -> 0:
//
//   dphi/dt = s_perp.W_t (1, -mu s),   d(ln a)/dt = s.W_t (1, -mu s),   dp_vec/dt = a (1, -mu s),   dwork/dt = a u_n
//
// They are integrated by the method of Dormand and Prince; where phi is constant, and where the contact sticks, the
// velocities are linear in p and the phase has a closed form. Compression ends at u_n = 0, the impact where the work of
// the normal impulse is (1 - e^2) times that of compression.
//
// At a = 0: it sticks if |W_tt^-1 W_tn| <= mu, else it slips on in the direction s with W_tn - mu W_tt s = r s, r > 0.
#include "impact/laws/routh.h"

#include "impact/laws/runge_kutta_45.h"

#include <math.h>
#include <stdbool.h>

enum { MAX_STEPS = 100000 };

static const double end_of_slip    = 1e-14; // |u_t| relative to |u-|: below it the contact has stopped to slip
static const double straight       = 1e-15; // change of direction relative to W: below it, constant
static const double step_tolerance = 1e-13;

typedef enum routh_phase { COMPRESSION, RESTITUTION, FINISHED } routh_phase;

typedef struct routh {
    const double *   W, *u0;
    double           mu, e, speed, size; // |u-|, largest entry of W
    double           p[3], work;
    double           phi, log_a; // of slip
    routh_phase      phase;
    double           goal; // work at the end
    cd_routh_result* result;
} routh;

static double normal_velocity(const routh* r, const double* p)
{
    return r->u0[0] + r->W[0] * p[0] + r->W[1] * p[1] + r->W[2] * p[2];
}

// du/dp of the impulse (1, d)
static void velocity_rate(const routh* r, const double d[2], double rate[3])
{
    for (int i = 0; i < 3; ++i) rate[i] = r->W[3 * i] + r->W[3 * i + 1] * d[0] + r->W[3 * i + 2] * d[1];
}

static void slip_rate(const routh* r, double phi, double rate[3], double* along, double* across)
{
    const double s[2] = {cos(phi), sin(phi)}, d[2] = {-r->mu * s[0], -r->mu * s[1]};
    velocity_rate(r, d, rate);
    *along  = s[0] * rate[1] + s[1] * rate[2];
    *across = -s[1] * rate[1] + s[0] * rate[2];
}

// y = phi, ln a, p, work
static void slip_equations(const void* context, const double* y, double* dy)
{
    const routh* r = context;
    double       rate[3];
    const double a = exp(y[1]);
    slip_rate(r, y[0], rate, &dy[1], &dy[0]);
    dy[2] = a;
    dy[3] = -r->mu * cos(y[0]) * a;
    dy[4] = -r->mu * sin(y[0]) * a;
    dy[5] = a * normal_velocity(r, y + 2);
}

// Value that rises through zero at the end of the phase.
static double phase_end(const routh* r, const double* y)
{
    return r->phase == COMPRESSION ? normal_velocity(r, y + 2) / r->speed
                                   : (y[5] - r->goal) / fabs(r->result->compression);
}

static void finish_phase(routh* r)
{
    if (r->phase == COMPRESSION) {
        r->result->compression = r->work;
        r->goal                = (1 - r->e * r->e) * r->work;
        r->phase               = r->e > 0 ? RESTITUTION : FINISHED;
    } else {
        r->phase = FINISHED;
    }
}

static void take(routh* r, const double* y)
{
    r->phi   = y[0];
    r->log_a = y[1];
    for (int i = 0; i < 3; ++i) r->p[i] = y[2 + i];
    r->work = y[5];
}

// The step from y of length h crosses the end of the phase: shorten it by bisection and secants (Illinois).
static void end_phase_inside(routh* r, const double* y, double h)
{
    double low = 0, high = h, f_low = phase_end(r, y), next[6], error[6], f_high;
    cd_runge_kutta_45(6, slip_equations, r, y, h, next, error);
    f_high = phase_end(r, next);
    for (int i = 0; i < 100 && high - low > 1e-16 * h; ++i) {
        double middle = (low * f_high - high * f_low) / (f_high - f_low);
        if (!(middle > low && middle < high) || i % 3 == 2) middle = (low + high) / 2;
        cd_runge_kutta_45(6, slip_equations, r, y, middle, next, error);
        const double f = phase_end(r, next);
        if (f == 0) break;
        if (f < 0) {
            low = middle, f_low = f;
        } else {
            high = middle, f_high = f;
        }
    }
    take(r, next);
    finish_phase(r);
}

// Slip with a direction that turns, until the phase ends or slip does (returns true).
static bool slip_turning(routh* r)
{
    const double scale[6] = {
        1, 1, r->speed / r->size, r->speed / r->size, r->speed / r->size, r->speed * r->speed / r->size};
    double       y[6] = {r->phi, r->log_a, r->p[0], r->p[1], r->p[2], r->work}, h = 0.01 / r->size, next[6], error[6];
    const double last = log(end_of_slip * r->speed);
    while (r->result->steps < MAX_STEPS) {
        double worst = 0;
        cd_runge_kutta_45(6, slip_equations, r, y, h, next, error);
        ++r->result->steps;
        for (int i = 0; i < 6; ++i) worst = fmax(worst, fabs(error[i]) / scale[i]);
        const double factor = fmin(4, fmax(0.2, 0.9 * pow(step_tolerance / fmax(worst, 1e-300), 0.2)));
        if (!(worst <= step_tolerance)) {
            h *= isfinite(factor) ? factor : 0.2;
            continue;
        }
        if (phase_end(r, next) >= 0) {
            end_phase_inside(r, y, h);
            return false;
        }
        for (int i = 0; i < 6; ++i) y[i] = next[i];
        h *= factor;
        if (y[1] < last) break;
    }
    take(r, y);
    return true;
}

// Impulses (1, d) while the velocities are linear in p, at most `longest`; returns true if that is reached before the
// phase ends.
static bool go_straight(routh* r, const double d[2], double longest)
{
    double rate[3], length;
    velocity_rate(r, d, rate);
    const double u = normal_velocity(r, r->p), k = rate[0];
    if (r->phase == COMPRESSION) {
        length = k > 0 ? fmax(0, -u / k) : INFINITY;
    } else {
        const double missing = r->goal - r->work, root = u * u + 2 * k * missing;
        length = root >= 0 && u + sqrt(root) > 0 ? 2 * missing / (u + sqrt(root)) : INFINITY;
    }
    const bool is_longest = longest < length;
    if (is_longest) length = longest;
    r->p[0] += length;
    for (int i = 0; i < 2; ++i) r->p[1 + i] += d[i] * length;
    r->work += u * length + k * length * length / 2;
    if (!is_longest) finish_phase(r);
    return is_longest;
}

// Direction in which a contact without tangential velocity begins to slip: s = (r + mu W_tt)^-1 W_tn, |s| = 1. The norm
// decreases in r > 0.
static void direction_of_slip(const routh* r, double s[2])
{
    const double* W   = r->W;
    double        low = 0, high = hypot(W[3], W[6]);
    for (int i = 0; i < 200; ++i) {
        const double x = (low + high) / 2, a = x + r->mu * W[4], b = r->mu * W[5], c = x + r->mu * W[8];
        const double determinant = a * c - b * b;
        s[0]                     = (c * W[3] - b * W[6]) / determinant;
        s[1]                     = (a * W[6] - b * W[3]) / determinant;
        const double norm        = hypot(s[0], s[1]);
        if (norm > 1)
            low = x;
        else
            high = x;
        if (norm == 1 || !(x > low || x < high)) break;
    }
    const double norm = hypot(s[0], s[1]);
    s[0] /= norm;
    s[1] /= norm;
}

// The tangential velocity is zero: to the end.
static void stick_or_slip_on(routh* r)
{
    const double* W           = r->W;
    const double  determinant = W[4] * W[8] - W[5] * W[5], tiny = 1e-14 * (W[4] + W[8]) * (W[4] + W[8]);
    double        d[2] = {0, 0};
    if (determinant > tiny) {
        d[0] = -(W[8] * W[3] - W[5] * W[6]) / determinant;
        d[1] = -(W[4] * W[6] - W[5] * W[3]) / determinant;
    } else if (W[4] + W[8] > 0) { // moves in one direction only
        d[0] = -W[3] / (W[4] + W[8]);
        d[1] = -W[6] / (W[4] + W[8]);
    }
    if (!(hypot(d[0], d[1]) <= r->mu)) {
        double s[2];
        direction_of_slip(r, s);
        d[0] = -r->mu * s[0];
        d[1] = -r->mu * s[1];
    }
    while (r->phase != FINISHED) go_straight(r, d, INFINITY);
}

// Slip from the velocity u_t != 0; returns true if it ends before the impact.
static bool slip(routh* r)
{
    while (r->phase != FINISHED) {
        double       rate[3], along, across;
        const double a = exp(r->log_a);
        slip_rate(r, r->phi, rate, &along, &across);
        if (fabs(across) > straight * r->size) {
            if (slip_turning(r)) return true;
            continue;
        }
        const double d[2] = {-r->mu * cos(r->phi), -r->mu * sin(r->phi)}, before = r->p[0];
        if (go_straight(r, d, along < 0 ? -a / along : INFINITY)) return true;
        r->log_a = log(fmax(a + along * (r->p[0] - before), 1e-300));
    }
    return false;
}

cd_routh_result cd_routh_impact(const double W[9], const double u[3], double mu, double e)
{
    cd_routh_result result = {0};
    routh           r      = {.W = W, .u0 = u, .mu = mu, .e = e, .phase = COMPRESSION, .result = &result};
    const double    a      = hypot(u[1], u[2]);
    r.speed                = sqrt(u[0] * u[0] + a * a);
    for (int i = 0; i < 9; ++i) r.size = fmax(r.size, fabs(W[i]));
    if (!(u[0] < 0) || !(r.size > 0)) return result;
    const double none[2]     = {0, 0};
    bool         has_stopped = !(a > end_of_slip * r.speed);
    if (!(mu > 0)) {
        while (r.phase != FINISHED) go_straight(&r, none, INFINITY);
        has_stopped = false;
    } else if (!has_stopped) {
        r.phi       = atan2(u[2], u[1]);
        r.log_a     = log(a);
        has_stopped = slip(&r);
    }
    if (has_stopped) stick_or_slip_on(&r);
    for (int i = 0; i < 3; ++i) result.p[i] = r.p[i];
    result.restitution = r.work - result.compression;
    return result;
}
