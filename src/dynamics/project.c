// SPDX-License-Identifier: BSD-3-Clause
// Projection onto the constraints in the mass metric, by the formulation's own solve. docs/theory/stabilization.md (2),
// (3):
//
//   positions    [ M J'; J 0 ] [ dx; y ] = [ 0; -c(q)    ],   q <- q (+) dx
//   velocities   [ M J'; J 0 ] [ dv; y ] = [ 0; -cdot(v) ],   v <- v + dv
//
// The factor may be one of an earlier state: a chord iteration, whose rate is the distance to that state. Where an
// iteration gains less than a digit the factor is made anew, and from there on it is Newton's method.
#include "dynamics/data.h"

#include "constraint/curve.h"
#include "core/arguments.h"
#include "math/largest.h"

#include <cardan/assemble.h>

#include <float.h>
#include <math.h>
#include <string.h>

static const double usual_tolerance = 1e-12;
static const double accepted = 100; // times the tolerance, where rounding or rows that depend on each other leave more
static const double small_change     = 1e-3; // what is left after it is its square
static const int    usual_iterations = 10;
static const double slow             = 0.1;  // an iteration that leaves more of the gap calls for a new factor
static const double stuck            = 0.5;  // with a new one: no progress
static const double tiny_rate        = 1e-6; // of the velocity: a gap that should take but a tiny change,
static const double weak             = 1e-2; // and not this much of it
static const double roundings        = 4;    // that a gap is made of
static const double of_misfit        = 1e3;  // times the misfit of rows
static const double together         = 1e-6; // a gap no larger than this is none to the eye

cardan_status cardan_closure_error(cardan_data* d, double* position, double* velocity)
{
    CD_REFUSE_NULL(d, "data", NULL);
    if (!d->parts.sketched || d->parts.open) cd_know_closure(d);
    if (position) *position = d->gap;
    if (velocity) *velocity = d->gap_rate;
    return CARDAN_OK;
}

// Constraint with the largest entry of x (nrow).
static const cd_constraint* worst_constraint(const cardan_data* d, const double* x)
{
    const cd_constraint* worst = &d->closure.constraint[0];
    double               most  = -1;
    for (int i = 0; i < d->closure.nconstraint; ++i) {
        const cd_constraint* c   = &d->closure.constraint[i];
        const double         gap = cd_largest(c->nrow, x + c->first_row);
        if (gap <= most) continue;
        most  = gap;
        worst = c;
    }
    return worst;
}

typedef struct projector {
    cardan_data* d;
    bool         velocities;
    double       tolerance;
    int          most;
    bool         keep_factor;
    int          iterations, factorizations;
    double       found, left;
    bool         doubted;  // the last correction, which was not made
    double       rounding; // of positions
} projector;

static double gap_of(const projector* p)
{
    double position, velocity;
    cd_gaps(p->d, &position, &velocity);
    return p->velocities ? velocity : position;
}

// The largest coordinate of a link, in units.
static double coordinate_of(const cardan_data* d, int link)
{
    const cd_link* l = &d->m->link[link];
    const double*  q = d->q + l->q;
    if (l->nv == 6) return fmax(cd_largest(3, q) / d->small, cd_largest(4, q + 3));
    return l->nv == 3 ? cd_largest(4, q) : fabs(q[0]) / (l->motion == CD_SLIDE ? d->small : 1);
}

// Positions are known to rounding of their size: coordinates where loops were first closed, and how far links are from
// each other.
static double rounding_of_positions(cardan_data* d)
{
    if (!(d->extent > 0)) {
        for (int i = 0; i < d->m->nlink; ++i)
            d->extent = fmax(d->extent, fmax(coordinate_of(d, i), cd_largest(3, d->m->mount[i].p) / d->small));
    }
    return roundings * DBL_EPSILON * d->extent;
}

static double allowed(const projector* p)
{
    if (!p->velocities) return fmax(p->tolerance, p->rounding);
    const double fastest = cd_largest_motion(p->d, p->d->v);
    return fmax(p->tolerance * fmax(1, fastest),
                p->d->m->policy == CARDAN_TREE_FLAT ? 0 : p->rounding * fastest); // there of angles, on arms as long
}

static void add(projector* p, double sign)
{
    cardan_data* d = p->d;
    for (int i = 0; i < d->m->nv; ++i) d->dx[i] *= sign;
    if (p->velocities) {
        for (int i = 0; i < d->m->nv; ++i) d->v[i] += d->dx[i];
        cd_set_velocity(d, d->v);
    } else {
        cardan_model_move(d->m, d->q, d->dx, d->q);
        cd_data_set(d, d->t, d->q, d->v, d->state);
    }
}

cardan_status cd_least_change(cardan_data* d, const double* s, double* dx)
{
    const cd_formulation* f      = d->formulation;
    cardan_status         status = CARDAN_OK;
    cd_where              where  = {.v = CARDAN_NONE, .row = CARDAN_NONE};
    if (f->change)
        f->change(d->m, &d->system, d->work, s, dx);
    else
        status = f->solve(d->m, &d->k, &d->system, d->work, d->rest, s, dx, d->y, &where);
    if (status != CARDAN_OK && status != CARDAN_INCONSISTENT) return status;
    return isfinite(cd_largest(d->m->nv, dx)) ? CARDAN_OK : CARDAN_DIVERGED;
}

// dx: J dx = -c. What is left of c is seen at the next state: gaps of rows that depend on each other never agree fully.
static cardan_status least_change(cardan_data* d, bool velocities)
{
    const double* c = velocities ? d->closure.rate : d->closure.value;
    cd_know_closure(d);
    for (int i = 0; i < d->rows.nrow; ++i) d->s[i] = -c[i];
    for (int i = d->rows.nrow; i < d->system.nrow; ++i) d->s[i] = 0;
    const cardan_status status = cd_least_change(d, d->s, d->dx);
    if (status == CARDAN_OK && !velocities) cd_let_slip(d, d->s, d->dx);
    return status;
}

// At a singular pose a gap c of rows with singular value s asks for a change c/s. Of velocities c is what errors y of
// positions make of v, c = y v, and s is no better known than y: the change is believed while it is small beside v.
bool cd_velocity_believable(const cardan_data* d, double gap)
{
    const double fast = fmax(1, cd_largest_motion(d, d->v));
    return gap > tiny_rate * fast || cd_largest_motion(d, d->dx) <= weak * fast;
}

// One correction with the factor that is there, or a new one.
static cardan_status correct(projector* p, bool anew, double gap)
{
    cardan_data* d     = p->d;
    cd_where     where = {.v = CARDAN_NONE, .row = CARDAN_NONE};
    if (anew || !d->factor_held) {
        const cardan_status status = cd_know_factor(d, &where);
        if (status != CARDAN_OK) return status;
        ++p->factorizations;
    }
    const cardan_status status = least_change(d, p->velocities);
    if (status != CARDAN_OK) return status;
    p->doubted = p->velocities && !cd_velocity_believable(d, gap);
    if (p->doubted) return CARDAN_OK;
    add(p, 1);
    ++p->iterations;
    return CARDAN_OK;
}

// On a singular pose positions close to rounding with errors y of its root, and rates c = y v are left that no change
// of velocities takes out, the rows being null.
static bool is_blurred(const projector* p)
{
    return p->velocities && p->left <= roundings * sqrt(DBL_EPSILON) * cd_largest_motion(p->d, p->d->v);
}

// Rows that repeat others but for a misfit of the description stay open by it, and by more where those that close them
// are weak.
static bool is_misfit(const projector* p)
{
    return p->left <= of_misfit * p->d->rows.misfit * (p->velocities ? cd_largest_motion(p->d, p->d->v) : 1);
}

static cardan_status iterate(projector* p)
{
    double gap  = gap_of(p);
    bool   anew = p->d->factored; // the factor is of this very state
    p->found    = gap;
    for (int i = 0; gap > allowed(p) && i < p->most; ++i) {
        const bool          fresh  = anew || !p->d->factor_held;
        const cardan_status status = correct(p, anew && !p->d->factored, gap);
        if (status != CARDAN_OK) return status;
        if (p->doubted && !fresh) {
            anew = true;
            continue;
        }
        if (p->doubted) break;
        const double next = gap_of(p);
        if (!(next < gap)) add(p, -1); // worse than nothing
        if (fresh && !(next < stuck * gap)) {
            p->left = fmin(next, gap);
            return p->left <= accepted * allowed(p) || is_blurred(p) || is_misfit(p) ? CARDAN_OK : CARDAN_NOT_CONVERGED;
        }
        anew = !p->keep_factor && (fresh || !(next < slow * gap));
        if (next < gap) gap = next;
    }
    p->left = gap;
    return p->doubted || gap <= accepted * allowed(p) || is_misfit(p) ? CARDAN_OK : CARDAN_NOT_CONVERGED;
}

// Newton's method leaves the square of the change, and so little beside what the next step opens that nobody looks at
// it; after a large change somebody does.
bool cd_close_in_passing(cardan_data* d, double* q, double* v)
{
    projector position  = {.d         = d,
                           .tolerance = usual_tolerance,
                           .most      = usual_iterations,
                           .rounding  = rounding_of_positions(d)},
              velocity  = position;
    velocity.velocities = true;
    if (!d->factored) return false;
    if (v && gap_of(&velocity) > allowed(&velocity)) {
        const size_t size = (size_t)d->m->nv * sizeof *d->dx;
        if (d->dx_known) memcpy(d->x, d->dx, size);
        if (least_change(d, true) != CARDAN_OK) return false;
        for (int i = 0; i < d->m->nv; ++i) v[i] += d->dx[i];
        if (d->dx_known) memcpy(d->dx, d->x, size);
    }
    if (gap_of(&position) <= allowed(&position)) return true;
    // rows that all got a force leave nothing open
    const bool slips = d->closure.nslip > 0 && !(d->formulation->strength && d->strength.null == 0);
    if ((!d->dx_known || slips) && least_change(d, false) != CARDAN_OK) return false;
    const double change = cd_largest_motion(d, d->dx);
    if (!isfinite(change)) return false;
    cardan_model_move(d->m, q, d->dx, q);
    if (change <= small_change) return true;
    cd_data_set(d, d->t, q, d->v, d->state);
    if (iterate(&position) != CARDAN_OK) return false;
    memcpy(q, d->q, (size_t)d->m->nq * sizeof *q);
    return true;
}

cardan_status cd_fail_apart(cardan_data* d, bool velocities, cardan_status status, cardan_report* report)
{
    cd_know_closure(d);
    const double*        x    = velocities ? d->closure.rate : d->closure.value;
    const cd_constraint* c    = worst_constraint(d, x);
    const double         left = cd_largest(c->nrow, x + c->first_row);
    char                 who[300];
    const int            near   = (int)(c - d->closure.constraint);
    const int            driver = cd_demanding(d, near, who, sizeof who);
    const cardan_place   place  = driver == CARDAN_NONE ? cardan_nowhere()
                                  : report              ? cd_beyond(d, near, who, sizeof who)
                                                        : d->closure.constraint[driver].place;
    if (d->starved) return cd_fail_starved(d, report);
    if (driver != CARDAN_NONE)
        return cardan_fail(report, CARDAN_NOT_CONVERGED, CARDAN_CODE_DRIVER_LIMIT, place,
                           "%s cannot be followed at t = %.9g s: %.3g %s remain at %s '%s'; the mechanism is at the "
                           "end of its reach there, or "
                           "drivers contradict each other",
                           who, d->t, left, velocities ? "m/s or rad/s" : "m or rad", c->what, c->name);
    if (status != CARDAN_NOT_CONVERGED)
        return cardan_fail(
            report, status, CARDAN_CODE_PROJECTION_FAILED, c->place,
            "at t = %.9g s the loops of '%s' cannot be put back together, the gap is largest at %s '%s': %s", d->t,
            d->m->view.name, c->what, c->name, cardan_status_text(status));
    if (velocities && !c->curve && d->open <= together && cd_fail_masses(d, status, report)) return status;
    if (velocities)
        return cardan_fail(report, status, CARDAN_CODE_PROJECTION_FAILED, c->place,
                           "%s '%s': at t = %.9g s the velocities do not satisfy it, %.3g m/s or rad/s remain%s",
                           c->what, c->name, d->t, left,
                           c->curve && cd_curve_has_corner(c->curve, c->driven != 0)
                               ? "; its curve has corners, and no motion goes through one without a blow: give it a "
                                 "degree of 2 or more"
                               : "");
    return cardan_fail(report, status, CARDAN_CODE_PROJECTION_FAILED, c->place,
                       "%s '%s': at t = %.9g s it cannot be closed, a gap of %.3g m or rad remains", c->what, c->name,
                       d->t, left);
}

cardan_status cardan_project(cardan_data* d, const cardan_projection* how, double* q, double* v, cardan_projected* done,
                             cardan_report* report)
{
    const cardan_projection none = {0};
    CD_REFUSE_NULL(d, "data", report);
    if (!how) how = &none;
    if (isnan(how->position) || isnan(how->velocity)) return cd_fail_not_finite(report, __func__, "how");
    projector position  = {.d           = d,
                           .tolerance   = how->position > 0 ? how->position : usual_tolerance,
                           .most        = how->iterations > 0 ? how->iterations : usual_iterations,
                           .keep_factor = how->keep_factor};
    position.rounding   = d->rows.nrow > 0 ? rounding_of_positions(d) : 0;
    projector velocity  = position;
    velocity.velocities = true;
    velocity.tolerance  = how->velocity > 0 ? how->velocity : usual_tolerance;

    cardan_status status = CARDAN_OK;
    if (d->rows.nrow > 0) {
        status            = iterate(&position);
        const bool closed = status == CARDAN_OK;
        if (closed || status == CARDAN_NOT_CONVERGED) {
            const cardan_status then = iterate(&velocity);
            if (closed) status = then;
        }
        if (status != CARDAN_OK) cd_fail_apart(d, closed, status, report);
    }
    if (q) memcpy(q, d->q, (size_t)d->m->nq * sizeof *q);
    if (v) memcpy(v, d->v, (size_t)d->m->nv * sizeof *v);
    if (done)
        *done = (cardan_projected){.position            = position.found,
                                   .velocity            = velocity.found,
                                   .position_left       = position.left,
                                   .velocity_left       = velocity.left,
                                   .position_iterations = position.iterations,
                                   .velocity_iterations = velocity.iterations,
                                   .factorizations      = position.factorizations + velocity.factorizations};
    return status;
}
