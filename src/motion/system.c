// SPDX-License-Identifier: BSD-3-Clause
#include "core/clock.h"
#include "motion/system.h"

#include "dynamics/data.h"
#include "math/largest.h"

#include <cardan/assemble.h>

#include <float.h>
#include <math.h>
#include <string.h>

static const double BEYOND   = 1e30;  // no coordinate, velocity or state of a mechanism gets there
static const double ENOUGH   = 1e-11; // left of the equations of motion: no step shows it
static const double OPEN     = 1e-11; // [m/s, rad/s] left of rates that the next step takes out
static const double FAR_OPEN = 1e-3;  // [m, rad] a gap that is closed before anything is computed
static const double NEAR     = 1e-7;  // the same where rows depend on each other
static const double SOFTENS  = 1e-12; // the same where rows soften with the square of the gap: less changes no motion
static const double FIRM     = 0.1;   // smallest singular value, of the largest so far: no singular pose is near
static const double CLOSED   = 1e-11; // [m, rad] gaps that change no acceleration by more than code may differ
static const double HARD     = 1e-2;  // firmness beyond which they do not

void cd_system_open(cd_system* system, cardan_data* data, const cardan_run* run)
{
    const cardan_model*     model = cardan_data_model(data);
    const cardan_model_view view  = cardan_model_look(model);
    *system           = (cd_system){.data = data, .model = model, .nq = view.nq, .nv = view.nv, .ns = view.nstate};
    system->loops     = data->rows.nrow > 0;
    system->nz        = view.nv + view.nstate + 1;
    system->n         = view.nv + system->nz;
    system->nrotation = cd_model_rotations(model, &system->rotation);
    system->said      = cardan_description_view(cardan_model_description(model));
    system->tolerance = run->tolerance;
    system->max_step  = run->max_step;
    system->begin     = run->start;
    system->end       = run->end;
    system->progress  = run->progress;
    system->user      = run->user;
    system->reached   = run->start;
}

void cd_system_layout(cd_system* system, cd_arena* arena)
{
    CD_TAKE(arena, system->q_floor, system->nq);
    CD_TAKE(arena, system->q_relative, system->nq);
    CD_TAKE(arena, system->z_floor, system->nz);
    CD_TAKE(arena, system->z_relative, system->nz);
    CD_TAKE(arena, system->q_of_v, system->nv);
    CD_TAKE(arena, system->z_first, system->nz);
    CD_TAKE(arena, system->z_last, system->nz);
    CD_TAKE(arena, system->quaternion, system->nrotation);
    CD_TAKE(arena, system->q, system->nq);
    CD_TAKE(arena, system->a, system->nv);
    CD_TAKE(arena, system->equations,
            system->data->generated_equations ? 3 * (system->nv + system->ns + 3 * system->data->rows.nrow) : 0);
}

void cd_point_layout(const cd_system* system, cd_arena* arena, cd_point* point)
{
    CD_TAKE(arena, point->q, system->nq);
    CD_TAKE(arena, point->z, system->nz);
}

void cd_point_copy(const cd_system* system, const cd_point* from, cd_point* to)
{
    to->t = from->t;
    memcpy(to->q, from->q, (size_t)system->nq * sizeof *to->q);
    memcpy(to->z, from->z, (size_t)system->nz * sizeof *to->z);
}

// Velocities first to last are components of one vector.
static void join(cd_system* system, int first, int last)
{
    for (int i = first; i <= last; ++i) {
        system->z_first[i] = first;
        system->z_last[i]  = last;
    }
}

// Angles: 1 rad, whatever the number of turns. Lengths and speeds: their size, and 0.1 m (/s) at least, or the length
// of the mechanism where that is less. Speeds of one joint that follow each other are components of one velocity, in
// axes that do not turn with it; those of rotations turn with the body, and small ones beside its spin count by
// themselves.
static void scale_joint(cd_system* system, int joint, cardan_slot slot)
{
    const double length = fmin(0.1, system->data->length);
    int          first  = slot.v; // of the speeds before i
    for (int i = 0, iq = slot.q; i < slot.nv;) {
        const int v = slot.v + i;
        if (system->q_of_v[v] < CARDAN_NONE) {
            system->quaternion[CARDAN_NONE - 1 - system->q_of_v[v]] = iq;
            system->q_of_v[v]                                       = CARDAN_NONE;
            i += 3;
            iq += 4;
            first = slot.v + i;
            continue;
        }
        const bool angle       = strncmp(cardan_model_v_unit(system->model, joint, i), "rad", 3) == 0;
        system->q_of_v[v]      = iq;
        system->q_floor[iq]    = angle ? 1 : length;
        system->q_relative[iq] = angle ? 0 : 1;
        system->z_floor[v]     = angle ? 1 : length;
        if (angle)
            first = v + 1;
        else
            join(system, first, v);
        ++i;
        ++iq;
    }
}

void cd_system_scale(cd_system* system)
{
    const cardan_model_view view = cardan_model_look(system->model);
    for (int i = 0; i < system->nv; ++i) system->q_of_v[i] = CARDAN_NONE;
    for (int i = 0; i < system->nrotation; ++i) system->q_of_v[system->rotation[i]] = CARDAN_NONE - 1 - i; // a mark
    for (int i = 0; i < system->nq; ++i) {
        system->q_floor[i]    = 1;
        system->q_relative[i] = 0;
    }
    for (int i = 0; i < system->nz; ++i) {
        system->z_floor[i]    = i < system->nv ? 1 : 0.1;
        system->z_relative[i] = 1;
        join(system, i, i);
    }
    for (int j = 0; j < view.nslot; ++j)
        if (view.slot[j].v >= 0) scale_joint(system, j, view.slot[j]);
    // the work is only reported: a thousand times looser than the rest
    system->z_floor[system->nz - 1]    = 1000;
    system->z_relative[system->nz - 1] = 1000;
}

// Rounding of the value itself is no error of the method.
double cd_q_scale(const cd_system* system, int i, double size)
{
    return fmax(system->tolerance * (system->q_floor[i] + system->q_relative[i] * size), 10 * DBL_EPSILON * size);
}

double cd_z_scale(const cd_system* system, int i, double size)
{
    return fmax(system->tolerance * (system->z_floor[i] + system->z_relative[i] * size), 10 * DBL_EPSILON * size);
}

double cd_z_size(const cd_system* system, int i, const double* z)
{
    const int first = system->z_first[i], last = system->z_last[i];
    if (first == last) return fabs(z[i]);
    double sum = 0;
    for (int k = first; k <= last; ++k) sum += z[k] * z[k];
    return sqrt(sum);
}

static cardan_status trouble(cd_system* system, double t, int index, double value)
{
    system->trouble_t     = t;
    system->trouble       = index;
    system->trouble_value = value;
    return CARDAN_DIVERGED;
}

bool cd_is_bounded(int n, const double* x)
{
    int beyond = 0;
    for (int i = 0; i < n; ++i) beyond |= !(fabs(x[i]) < BEYOND);
    return !beyond;
}

// The largest value is blamed, or the first that is not a number.
cardan_status cd_system_sound(cd_system* system, double t, const double* q, const double* z)
{
    const int nq      = system->nq;
    int       worst   = CARDAN_NONE;
    double    largest = BEYOND;
    if (cd_is_bounded(nq, q) && cd_is_bounded(system->nz - 1, z)) return CARDAN_OK;
    for (int i = 0; i < nq + system->nz - 1; ++i) {
        const double value = fabs(i < nq ? q[i] : z[i - nq]);
        if (value < largest) continue;
        worst   = i;
        largest = value;
        if (isnan(value)) break;
    }
    return trouble(system, t, worst, worst < nq ? q[worst] : z[worst - nq]);
}

bool cd_system_go_on(cd_system* system)
{
    if (!system->progress || system->stopped) return !system->stopped;
    if (++system->since == 1) return true;
    const double now = cd_clock_wall();
    if (system->since == 2) system->asked = now;
    if (now - system->asked < 0.1) return true;
    system->since   = 0;
    system->stopped = !system->progress(system->user, system->reached);
    return !system->stopped;
}

void cd_system_rate_of_rest(cd_system* system, double* rate)
{
    cardan_data* data = system->data;
    cd_know_forces(data);
    memcpy(rate, data->rates + 3 * data->m->view.nforce, (size_t)system->ns * sizeof *rate);
    rate[system->ns] = cd_power(data);
}

// q NULL: the end of a step, which was sound.
static cardan_status begin_evaluation(cd_system* system, double t, const double* q, const double* z)
{
    ++system->evaluations;
    const cardan_status status = !cd_system_go_on(system) ? CARDAN_STOPPED
                                 : q                      ? cd_system_sound(system, t, q, z)
                                                          : CARDAN_OK;
    if (!status) trouble(system, t, CARDAN_NONE, 0);
    return status;
}

cardan_status cd_system_reach(cd_system* system, double t, const double* q, const double* z)
{
    const cardan_status status = begin_evaluation(system, t, q, z);
    if (status) return status;
    const cardan_status reached = cd_data_reach(system->data, t, q, z, system->ns ? z + system->nv : NULL);
    return reached || !system->fills || system->data->near ? reached : cd_fill_velocities(system->data);
}

const double* cd_system_velocities(const cd_system* system, const double* z)
{
    return system->fills ? system->data->v : z;
}

bool cd_rows_disagree(const cd_system* system, cardan_status status)
{
    return status == CARDAN_INCONSISTENT || (status == CARDAN_NOT_CONVERGED && system->data->closure.nlossy == 0);
}

// No solution where there may be some beside: soft rows may leave a motion of the singular pose itself to nobody.
static bool has_none(const cd_system* system, cardan_status status)
{
    return cd_rows_disagree(system, status) || (status == CARDAN_SINGULAR && system->data->near);
}

// Whether no singular pose can be near at time t with velocities z. The smallest singular value s of the constraint
// rows, relative to its largest so far, is known at the time of the last look and changes by less than 2 |v| per unit
// of time (looks.c). Near singular poses the library takes measures against noise, as cd_approach and
// cd_beside_accelerate; generated code has none of them, and its pivots say nothing of s.
static bool is_far_from_singular(const cd_system* system, double t, const double* z)
{
    const cd_firmness* f = &system->firmness;
    double             s = sqrt(f->value);
    if (!system->loops) return true;
    if (f->fewest < 0) return false;
    for (int g = 0; f->followed && g < f->ngroup; ++g) s = fmin(s, f->seen[g].s);
    return s - 2 * fabs(t - f->t) * cd_fastest(system, z) > FIRM;
}

void cd_system_compare_code(cd_system* system, const double* a)
{
    cardan_data* d = system->data;
    if (!system->loops || !d->generated || d->rows.gap > CLOSED || !is_far_from_singular(system, d->t, d->v)) return;
    const double off = cd_generated_error(d, a);
    if (off <= system->code_off) return;
    system->code_off = off;
    system->code_t   = d->t;
}

// Accelerations where the data are; a look at the rows even where they contradict each other, as they do at singular
// poses.
static cardan_status accelerate(cd_system* system, double* rate)
{
    cardan_data* data          = system->data;
    data->system.enough        = ENOUGH;
    data->system.open          = OPEN * data->drag;
    const cardan_status status = cardan_accelerate(data, rate, system->ns ? rate + system->nv : NULL, NULL);
    const bool          held   = data->system.held;
    data->system.enough = data->system.open = 0;
    if (held && status) return status;
    if (!status || cd_rows_disagree(system, status)) cd_firmness_look(system);
    if (status == CARDAN_SINGULAR && data->near) system->firmness.value = 0; // it is the pose itself
    if (!status) cd_system_compare_code(system, rate);
    return held && data->near ? CARDAN_INCONSISTENT : status;
}

// Rows that are too weak to be put back by are too weak to be far off.
static cardan_status accelerate_near(cd_system* system, double* rate)
{
    const cardan_status status = cd_approach(system->data);
    return status && !cd_rows_disagree(system, status) ? status : accelerate(system, rate);
}

// Beside the constraints by so much that rows are softer than they should be. At the bound accelerations jump, by the
// bound times what gaps do to them: it has to be far below any tolerance, or steps feel the jump and errors do not
// follow the tolerance. Where nobody puts them back the motion is
// that beside them, as long as no row is weak there. What pulls gaps back has to see them.
static bool softened(const cd_system* system)
{
    cardan_data* data = system->data;
    double       gap  = 0;
    if (data->rows.nrow > 0 && data->pull == 0 && data->formulation->supports & CD_SOFTENS &&
        !(system->adrift && system->firmness.fewest >= 0 && system->firmness.value > HARD))
        cd_gaps(data, &gap, NULL);
    return gap > SOFTENS;
}

// The rate there. That a singular pose is near may be seen only by the accelerations.
static cardan_status rate_here(cd_system* system, double* rate)
{
    cardan_data* data   = system->data;
    const int    known  = system->nv + system->ns;
    const bool   before = data->near;
    const bool   apart  = before || softened(system);
    double       power  = NAN; // not known yet
    if (apart) cd_beside_keep(system);
    cardan_status status = apart ? accelerate_near(system, rate) : accelerate(system, rate);
    if (data->near && !before) {
        if (!apart) cd_beside_keep(system);
        status = accelerate_near(system, rate);
    }
    if (data->near && cd_beside_wanted(system) && (!status || has_none(system, status))) {
        bool found = cd_beside_accelerate(system, rate);
        cd_beside_return(system);
        data->near                = true;
        const cardan_status again = accelerate_near(system, rate); // the factor and the firmness are those of the pose
        found |=
            system->beside.serves && has_none(system, again); // by rounding: the first time it may have had a solution
        if (found) power = cd_beside_take(system, rate);
        status = found ? CARDAN_OK : status ? status : again;
    } else if (!status)
        cd_beside_learn(system, rate);
    if (status && status != CARDAN_DIVERGED) return status;
    rate[known] = isnan(power) ? cd_power(data) : power;
    if (cd_is_bounded(system->nz, rate)) return status;
    for (int i = 0; i < system->nz; ++i)
        if (!isfinite(rate[i])) return trouble(system, data->t, i < known ? system->nq + i : CARDAN_NONE, rate[i]);
    return status;
}

cardan_status cd_system_rate(cd_system* system, double t, const double* q, const double* z, double* rate)
{
    cardan_status status = cd_system_reach(system, t, q, z);
    if (!status) status = rate_here(system, rate);
    if (!status && system->settle > 0)
        for (int i = 0; i < system->nv; ++i) rate[i] += system->settle * (system->data->v[i] - z[i]);
    return status;
}

// What generated code gives is taken unless it is no number: why, the formulation can say.
cardan_status cd_system_rate_alone(cd_system* system, double t, const double* q, const double* z, double* rate)
{
    cardan_data* d     = system->data;
    const int    known = system->nv + system->ns;
    if (system->fills || !cd_generated_serves(d) || !is_far_from_singular(system, t, z))
        return cd_system_rate(system, t, q, z, rate);
    const cardan_status status = cd_system_go_on(system) ? cd_system_sound(system, t, q, z) : CARDAN_STOPPED;
    if (status) return status;
    if (q != system->q && system->nrotation > 0) {
        memcpy(system->q, q, (size_t)system->nq * sizeof *q);
        cardan_model_normalize(system->model, system->q);
        q = system->q;
    }
    d->generated(q, z, d->outer_effort, z + system->nv, t, rate, rate + system->nv, rate + known);
    if (!cd_is_bounded(system->nz, rate)) return cd_system_rate(system, t, q, z, rate);
    ++system->evaluations;
    ++system->generated;
    return CARDAN_OK;
}

// [ M J'; J 0 ] [ dv; y ] = [ 0; -cdot ] is linear, so that dv / h may come with the accelerations: gamma - cdot / h.
// The point is changed by the order of the error of a step, and so are accelerations: after the step that is one order
// more.
static cardan_status rate_closing(cd_system* system, double h, cd_point* x, double* rate, bool hold);

static cardan_status close_behind(cd_system* system, double h, cd_point* x, double* rate, bool firm,
                                  cardan_status status)
{
    cardan_data* d = system->data;
    if (!status && cd_close_in_passing(d, x->q, h > 0 ? NULL : x->z)) return status;
    if (status && (status != CARDAN_INCONSISTENT || !firm)) return status;
    system->careful = true;
    cardan_project(d, NULL, x->q, x->z, NULL, NULL);
    return cd_system_rate(system, x->t, x->q, x->z, rate);
}

// gamma is that of this step alone.
static cardan_status rate_for_step(cd_system* system, double h, double* rate, bool firm, bool beside)
{
    cardan_data* d             = system->data;
    d->firm                    = firm;
    d->beside                  = beside;
    d->drag                    = h > 0 ? 1 / h : 0;
    d->gamma_known             = d->gamma_known && !(h > 0);
    const cardan_status status = rate_here(system, rate);
    d->firm                    = false;
    d->beside                  = false;
    d->drag                    = 0;
    d->gamma_known             = d->gamma_known && !(h > 0);
    return status;
}

// Rows that depend on each other do so where they are closed.
static bool is_firm(const cd_system* system) { return system->firmness.fewest == 0 && !system->careful; }

// Which rows repeat others cannot be told beside the constraints: they are held to be those that did where loops were
// closed, as long as the others are firm and these follow them. Not where drivers work: closing would be part of it.
static bool can_hold(const cd_system* system)
{
    const cardan_data* d = system->data;
    return system->firmness.told && d->factor_held && !system->careful && !d->keen && d->closure.nlossy == 0 &&
           system->model->nmotion == 0 && d->formulation->supports & CD_HOLDS;
}

// The same state once more, by rows that are looked at themselves.
static cardan_status rate_anew(cd_system* system, double h, cd_point* x, double* rate)
{
    cd_parts_forget(system->data);
    system->data->factored = false;
    return rate_closing(system, h, x, rate, false);
}

// In large mechanisms everything about a part is computed while the solve passes over it, as long as gaps turn out to
// be small.
static cardan_status rate_in_parts(cd_system* system, double h, cd_point* x, double* rate)
{
    cardan_data*  d      = system->data;
    double        gap    = 0;
    const bool    held   = !is_firm(system);
    cardan_status status = begin_evaluation(system, x->t, NULL, NULL);
    if (status) return status;
    cd_parts_set(d, x->t, x->q, x->z, system->ns ? x->z + system->nv : NULL);
    d->system.held = held;
    status         = rate_for_step(system, h, rate, true, true);
    d->system.held = false;
    cd_gaps(d, &gap, NULL);
    system->gap     = gap;
    const bool anew = gap > FAR_OPEN || (held && status == CARDAN_INCONSISTENT);
    status          = anew ? rate_anew(system, h, x, rate) : close_behind(system, h, x, rate, true, status);
    cd_parts_forget(d);
    return status;
}

cardan_status cd_system_rate_closing(cd_system* system, double h, cd_point* x, double* rate)
{
    if (!system->passing && !system->fills) return cd_system_rate_alone(system, x->t, x->q, x->z, rate);
    const bool held = h > 0 && !system->fills && !system->data->near && can_hold(system);
    if (h > 0 && (is_firm(system) || held) && !system->fills && !system->data->near && cd_parts_serve(system->data))
        return rate_in_parts(system, h, x, rate);
    return rate_closing(system, h, x, rate, held);
}

static cardan_status rate_closing(cd_system* system, double h, cd_point* x, double* rate, bool hold)
{
    cardan_data*  d      = system->data;
    double        gap    = 0;
    cardan_status status = cd_system_reach(system, x->t, x->q, x->z);
    if (status) return status;
    if (system->fills) {
        status = rate_here(system, rate);
        memcpy(x->z, d->v, (size_t)system->nv * sizeof *x->z);
        return status;
    }
    if (d->near) return rate_here(system, rate);

    cd_know_closure_and_rows(d);
    cd_gaps(d, &gap, NULL);
    system->gap      = gap;
    const bool held  = hold && !is_firm(system) && gap <= FAR_OPEN;
    const bool firm  = is_firm(system) || held;
    const bool lossy = d->closure.nlossy > 0; // losses go with the true multipliers
    if (gap > (firm ? FAR_OPEN : NEAR)) cardan_project(d, NULL, x->q, x->z, NULL, NULL);
    d->system.held = held;
    status         = rate_for_step(system, lossy || !firm ? 0 : h, rate, firm, gap > 0 && firm);
    d->system.held = false;
    if (held && status == CARDAN_INCONSISTENT) return rate_anew(system, h, x, rate);
    return close_behind(system, lossy || !firm ? 0 : h, x, rate, firm, status);
}

void cd_system_pull(cd_system* system, double pull)
{
    system->data->gamma_known = system->data->gamma_known && system->data->pull == pull;
    system->data->pull        = pull;
}

static void cross(const double a[3], const double b[3], double c[3])
{
    c[0] = a[1] * b[2] - a[2] * b[1];
    c[1] = a[2] * b[0] - a[0] * b[2];
    c[2] = a[0] * b[1] - a[1] * b[0];
}

// theta' = w + theta x w / 2 + c theta x (theta x w); near zero c = 1/12 + phi^2/720 + phi^4/30240 + ...
static void dexpinv(const double theta[3], const double w[3], double rate[3])
{
    const double phi2 = theta[0] * theta[0] + theta[1] * theta[1] + theta[2] * theta[2];
    double       c    = 1.0 / 12 + phi2 * (1.0 / 720 + phi2 * (1.0 / 30240 + phi2 / 1209600));
    if (phi2 > 0.01) {
        const double half = sqrt(phi2) / 2;
        c                 = (1 - half / tan(half)) / phi2;
    }
    double first[3], second[3];
    cross(theta, w, first);
    cross(theta, first, second);
    for (int i = 0; i < 3; ++i) rate[i] = w[i] + first[i] / 2 + c * second[i];
}

static void turn(const cd_system* system, const double* y, const double* v, double* rate)
{
    memcpy(rate, v, (size_t)system->nv * sizeof *rate);
    for (int i = 0; i < system->nrotation; ++i) {
        const int k = system->rotation[i];
        dexpinv(y + k, v + k, rate + k);
    }
}

void cd_chart_turn(const cd_system* system, const double* y, double* rate) { turn(system, y, y + system->nv, rate); }

cardan_status cd_chart_rate(cd_system* system, double t, const double* q0, const double* y, double* rate)
{
    const int nv = system->nv;
    cardan_model_move(system->model, q0, y, system->q);
    const cardan_status status = cd_system_rate_alone(system, t, system->q, y + nv, rate + nv);
    if (!status) turn(system, y, cd_system_velocities(system, y + nv), rate);
    return status;
}

void cd_chart_leave(const cd_system* system, double t, const double* q0, const double* y, cd_point* point)
{
    point->t = t;
    cardan_model_move(system->model, q0, y, point->q);
    memcpy(point->z, y + system->nv, (size_t)system->nz * sizeof *point->z);
}

double cd_least_step(const cd_system* system, double t) { return 16 * DBL_EPSILON * fmax(fabs(t), fabs(system->end)); }

// Of free bodies, one after the other, it is known which velocities are lengths.
double cd_fastest(const cd_system* system, const double* v)
{
    const double unit    = 1 / system->data->length;
    double       most[6] = {0}, fastest = 0;
    for (int i = 0; system->model->in_order && i < system->nv; i += 6)
        for (int k = 0; k < 6; ++k) most[k] = cd_larger(most[k], fabs(v[i + k]));
    for (int k = 0; k < 6; ++k) fastest = cd_larger(fastest, k < 3 ? most[k] * unit : most[k]);
    for (int i = 0; !system->model->in_order && i < system->nv; ++i)
        fastest = cd_larger(fastest, fabs(v[i]) * (system->z_floor[i] < 1 ? unit : 1));
    return fastest;
}

double cd_rotation_bound(const cd_system* system, const double* z)
{
    double largest = 0;
    for (int i = 0; i < system->nrotation; ++i) {
        const double* w = z + system->rotation[i];
        largest         = cd_larger(largest, w[0] * w[0] + w[1] * w[1] + w[2] * w[2]);
    }
    return largest > 0 ? 2 / sqrt(largest) : INFINITY;
}
