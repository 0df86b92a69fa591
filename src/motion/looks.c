// SPDX-License-Identifier: BSD-3-Clause
// Looks at a run that has loops, beside its steps: how firm poses are, inside long steps too, so that directions can be
// followed from look to look and no singular pose is missed; gaps that windows leave, and those that grow from step to
// step. And rows that may fall on singular poses: accelerations there are found with the care that steps take.
#include "motion/simulation.h"

#include <cardan/assemble.h>
#include <float.h>
#include <math.h>
#include <string.h>

static const double between_looks = 0.3;            // [rad, lengths] that nothing moves by between two looks
static const double firm          = 0.1;            // of the firmest pose: rows between such looks are on firm ground
static const double beside        = 0.1;            // s: a singular pose may be within a short step
static const double afar          = 0.3;            // s: no window from there on leads across a singular pose
static const double gapes         = 1e-9;           // [m, rad] strength.c takes less for closed
static const double narrow        = 1e-3;           // [m, rad] gaps that make no firm pose of a singular one
static const double softens       = 1e-8;           // [m, rad] gaps that soft rows do not see through
static const double reaches       = 4;              // times |v|: change of s, relative to the largest so far
enum { MOST_LOOKS = 16, APART = 8, SEPARATE = 32 }; // inside a step

cardan_status cd_simulation_set(simulation* s, const cd_point* x)
{
    const cd_system* system = &s->system;
    return cd_data_reach(system->data, x->t, x->q, x->z, system->ns ? x->z + system->nv : NULL);
}

// Windows leave gaps behind the first row.
bool cd_may_be_weak(const simulation* s)
{
    const bool gapes = s->integrator->regularizes && s->summary->rows > 0;
    return s->system.loops && !gapes && s->weakest < firm;
}

cardan_status cd_look_at(simulation* s, const cd_point* x) { return cd_system_look(&s->system, x); }

void cd_look_at_start(simulation* s)
{
    if (s->system.loops && !cd_simulation_set(s, &s->x)) cd_beside_start(&s->system);
}

void cd_leave_start(simulation* s)
{
    if (!s->system.loops || !s->system.data->near) return;
    if (s->integrator->regularizes) { // it looks for itself
        cd_firmness_begin(&s->system);
        cd_beside_begin(&s->system);
        cd_look_at(s, &s->x);
    } else
        cd_stand_in_enter(s, CARDAN_OK);
}

// Windows leave gaps, which mean nothing near singular poses: there no formulation has an answer that is better than
// the multipliers of the motion.
static cardan_status accelerate_gaping(simulation* s, const cd_point* x)
{
    cd_system*          system = &s->system;
    const cardan_status status = cd_look_at(s, x);
    if (status) return status;
    const bool weak = system->firmness.value < firm ||
                      (system->data->formulation->supports & CD_SOFTENS && system->data->rows.gap > softens);
    return weak ? s->integrator->accelerate(system, s->work, system->a) : CARDAN_OK;
}

static cardan_status accelerate_row(simulation* s, cd_point* x)
{
    cd_system*    system = &s->system;
    cardan_status status = CARDAN_OK;
    if (!cd_may_be_weak(s)) {
        if (system->loops && s->integrator->regularizes) return accelerate_gaping(s, x);
        status = cd_simulation_set(s, x);
        return status ? status : cardan_accelerate(system->data, system->a, NULL, NULL);
    }
    status = cd_look_at(s, x);
    if (!system->data->near) return status;
    status            = cd_system_rate(system, x->t, x->q, x->z, s->rate);
    const bool reacts = !status && cd_beside_react(system, x->t, sqrt(system->tolerance));
    if (reacts) status = cd_system_rate(system, x->t, x->q, x->z, s->rate);
    if (status) return status;
    memcpy(system->a, s->rate, (size_t)system->nv * sizeof *system->a);
    memcpy(x->q, system->data->q, (size_t)system->nq * sizeof *x->q);
    memcpy(x->z, system->data->v, (size_t)system->nv * sizeof *x->z);
    if (cd_beside_velocities(system, x->z)) {
        cd_set_velocity(system->data, x->z);
        system->data->solved = true; // multipliers are from beside, too
    }
    if (reacts) cd_beside_give(system);
    return CARDAN_OK;
}

static bool rests_at_first(simulation* s, const cd_point* x)
{
    return s->summary->rows == 0 && !s->integrator->regularizes && !cd_simulation_set(s, x) &&
           cd_rest_begin(&s->resting, &s->passage, &s->system);
}

cardan_status cd_accelerate_row(simulation* s, cd_point* x)
{
    const bool          rests  = rests_at_first(s, x);
    const cardan_status status = accelerate_row(s, x);
    if (!status && rests) cd_beside_doubt(&s->system);
    return status;
}

static void tell(simulation* s, const cardan_event* event)
{
    ++s->summary->events;
    if (s->run.event) s->run.event(s->run.user, s->system.data, event);
}

// Windows that leave more than they were asked for: told where that begins.
static void look_at_window(simulation* s, double from)
{
    const cd_regularizing* r      = &s->system.regularizing;
    const bool             begins = r->missing && !s->missing;
    s->missing                    = r->missing;
    if (!begins) return;
    cardan_event event = {.kind       = CARDAN_EVENT_GAP,
                          .t          = from,
                          .joint      = CARDAN_NONE,
                          .coordinate = CARDAN_NONE,
                          .value      = r->result.missed_gap};
    cd_name_row(s->system.data, r->row, event.where, sizeof event.where);
    tell(s, &event);
}

// What was seen since the last look, x being where this one is. Pivots of fronts may be firm where directions are not,
// and of long steps both.
static void tell_passage(simulation* s, const cd_point* x, double from, double gap)
{
    cd_passage*        p = &s->passage;
    const cd_firmness* f = &s->system.firmness;
    s->weakest           = fmin(s->weakest, f->value);
    cd_passage_look(p, &s->system, (cd_within){s->integrator, s->work, from, NULL, gap}, x);
    for (int g = 0; g < f->ngroup && f->followed; ++g) s->weakest = fmin(s->weakest, f->seen[g].s * f->seen[g].s);
    cd_rest_look(&s->resting, p, &s->system, x, sqrt(s->system.tolerance), s->report);
    for (int i = 0; i < p->nevent; ++i) {
        const cardan_event* event = &p->event[i];
        tell(s, event);
        if (event->kind == CARDAN_EVENT_SINGULAR || event->kind == CARDAN_EVENT_NEARLY_SINGULAR) s->weakest = 0;
        if (event->kind == CARDAN_EVENT_BRANCH && !s->strayed) cd_warn_branch(event, s->report);
        s->strayed |= event->kind == CARDAN_EVENT_BRANCH;
    }
}

// Whether the step has asked for accelerations, and what follows directions still finds the factor of the last ones:
// what closes behind a step leaves one of another pose, and near a singular one they have little in common. A method
// that does not ask at the end of its steps is looked at there where that may be beyond a singular pose, which is to be
// found inside this step.
static bool seen_since(const simulation* s, double from)
{
    const cd_firmness* f = &s->system.firmness;
    if (f->t < s->x.t && f->value < fmax(beside * beside, pow(2 * s->fastest * (s->x.t - from), 2))) return false;
    return f->t >= from && (f->value > firm || f->factors == s->system.data->factors);
}

// How many looks a step of length h needs.
static int looks_in(const simulation* s, double h)
{
    return (int)fmax(1, fmin(MOST_LOOKS, ceil(h * s->fastest / between_looks)));
}

// Whether the step has seen a pose that is far from singular ones, gaps or not, and ends at none.
static bool is_firm(const simulation* s, double from)
{
    const cd_firmness* f = &s->system.firmness;
    if (s->integrator->regularizes || f->t < from || s->system.data->rows.gap > narrow) return false;
    return sqrt(f->value) - 2 * s->fastest * (s->x.t - from) > afar;
}

// States that gape, of windows and where nothing puts them back, make rows look independent that are not: looks are at
// the poses on the constraints that are nearest. Far from singular poses not every step is looked at: s changes by less
// than 2 |v|, and where it may have fallen below `afar` by the end of the next one it is looked at now.
static cardan_status look_beside_gaps(simulation* s, double from)
{
    cd_system*        system = &s->system;
    const double      h      = s->x.t - from;
    const int         n      = looks_in(s, h);
    const cd_firmness before = system->firmness;
    const bool        near   = system->data->near;
    double            gap, least;
    s->firm_way -= h * s->fastest;
    if (h * s->fastest < s->firm_way || is_firm(s, from)) return CARDAN_OK;
    cardan_status status = cd_simulation_set(s, &s->x);
    if (status) return status;
    cd_gaps(system->data, &gap, NULL);
    for (int i = 1; i <= n; ++i) {
        const cd_point* x = i < n ? &s->row_x : &s->x;
        status            = i < n ? s->integrator->inside(system, s->work, from + i * h / n, &s->row_x) : CARDAN_OK;
        if (status) return status;
        if (cd_has_looked(system, cd_system_look_closed(system, x))) tell_passage(s, x, from, fmax(gap, DBL_MIN));
    }
    least = sqrt(system->firmness.value);
    for (int g = 0; g < system->firmness.ngroup; ++g) least = fmin(least, system->firmness.seen[g].s);
    s->firm_way            = fmin(between_looks, (least - afar) / 2);
    system->firmness.value = before.value;
    system->data->near     = near;
    return cd_simulation_set(s, &s->x);
}

// Loops that joints tie together may pass their poses one soon after the other, and the weakest direction alone is
// followed: where one may be within the step there are looks between it and the next.
static int looks_between(const simulation* s, double h)
{
    const cd_firmness* f = &s->system.firmness;
    const int          n = looks_in(s, h);
    if (!f->followed || f->ngroup >= s->system.data->system.nblock - s->system.data->closure.ndriving) return n;
    double least = sqrt(f->value);
    for (int g = 0; g < f->ngroup; ++g) least = fmin(least, f->seen[g].s);
    if (!(least < reaches * s->fastest * h)) return n;
    return least * least < cd_near_part ? SEPARATE : APART;
}

// Near a singular pose on the constraints, which x is beside by the tolerance.
static cardan_status look_closely(simulation* s, const cd_point* x)
{
    const cardan_status status = cd_look_at(s, x);
    return s->system.data->near ? cd_system_look_closed(&s->system, x) : status;
}

// Methods that do not ask for accelerations are asked for them here.
cardan_status cd_look_into_step(simulation* s, double from)
{
    cd_system*   system = &s->system;
    const double h      = s->x.t - from;
    if (s->integrator->regularizes) {
        look_at_window(s, from);
        return look_beside_gaps(s, from);
    }
    if (!s->stabilization->correct && system->data->rows.gap > gapes) {
        s->weakest = system->firmness.value;
        return look_beside_gaps(s, from);
    }
    const bool seen = seen_since(s, from);
    s->weakest      = seen ? system->firmness.value : 1;
    const int n     = looks_between(s, h);
    for (int i = 1; i < n; ++i) {
        const cardan_status status = s->integrator->inside(system, s->work, from + i * h / n, &s->row_x);
        if (status) return status;
        if (cd_has_looked(system, look_closely(s, &s->row_x))) tell_passage(s, &s->row_x, from, 0);
    }
    if (n > 1 || !seen) {
        const cardan_status status = look_closely(s, &s->x);
        if (!cd_has_looked(system, status)) return seen ? CARDAN_OK : status;
    }
    tell_passage(s, &s->x, from, 0);
    return CARDAN_OK;
}

cardan_status cd_look_at_opening(simulation* s, double h)
{
    cd_system*   system = &s->system;
    cd_open_loop widest = {0};
    double       gap;
    if (!system->passing || cd_passage_within(system))
        return CARDAN_OK; // at singular poses gaps are wide for a step or two
    if (!cd_opening_look(&s->opening, system->gap, h, s->fastest, system->data->length / system->data->small))
        return CARDAN_OK;
    const cardan_status status = cd_simulation_set(s, &s->x);
    if (status) return status;
    cardan_closure_error(system->data, &gap, NULL);
    cd_look_open(system->data, gap, &widest);
    cardan_event event = {
        .kind = CARDAN_EVENT_OPENING, .t = s->x.t, .joint = CARDAN_NONE, .coordinate = CARDAN_NONE, .value = gap};
    memcpy(event.where, widest.where, sizeof event.where);
    tell(s, &event);
    cd_warn_opening(&event, s->run.step, s->report);
    return CARDAN_OK;
}
