// SPDX-License-Identifier: BSD-3-Clause
// Data of one simulation: laid out once, then only filled.
#include "dynamics/data.h"

#include "core/arguments.h"
#include "math/finite.h"
#include "math/largest.h"

#include <cardan/assemble.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void layout(const cardan_model* m, cd_arena* arena, cardan_data* d)
{
    cd_kinematics_layout(m, arena, &d->k);
    cd_world_layout(m, arena, &d->world);
    const bool ways = d->formulation && d->formulation->supports & CD_WAYS;
    cd_closure_layout(m, ways, arena, &d->closure);
    cd_rotors_layout(m, ways, arena, &d->rotors);
    cd_jacobian_layout(m, arena, d);
    cd_rotor_rows_layout(arena, d);
    cd_parts_layout(arena, d);
    cd_determined_layout(m, d->system.nrow, arena, &d->determined);
    CD_TAKE(arena, d->force, m->view.nforce);
    CD_TAKE(arena, d->left_out, m->view.nforce);
    CD_TAKE(arena, d->felt, m->nmeasured);
    CD_TAKE(arena, d->is_felt, m->njoint);
    CD_TAKE(arena, d->q, m->nq_all);
    CD_TAKE(arena, d->v, m->nv_all);
    d->closure.q = d->rotors.q = d->q;
    CD_TAKE(arena, d->state, m->nstate);
    CD_TAKE(arena, d->outer_effort, m->nv_all);
    CD_TAKE(arena, d->outer_wrench, m->nbody);
    CD_TAKE(arena, d->outer_law, 3 * m->nmotion);
    CD_TAKE(arena, d->outer, m->nmotion);
    CD_TAKE(arena, d->signal, m->view.nsignal);
    CD_TAKE(arena, d->rates, m->nrates);
    CD_TAKE(arena, d->scratch, fmax(cd_tape_work(m->rates), cd_tape_work(m->watched)));
    CD_TAKE(arena, d->effort, m->nv_all);
    CD_TAKE(arena, d->wrench, m->nlink);
    CD_TAKE(arena, d->c, m->nv);
    CD_TAKE(arena, d->r, m->nv);
    CD_TAKE(arena, d->x, m->nv);
    CD_TAKE(arena, d->rest, m->nv);
    CD_TAKE(arena, d->composite, m->nlink);
    CD_TAKE(arena, d->x_watched, m->nwatched);
    CD_TAKE(arena, d->gamma, d->system.nrow);
    CD_TAKE(arena, d->lambda, d->system.nrow);
    cd_losses_layout(m, &d->closure, d->system.nrow, arena, &d->losses);
    cd_reacting_layout(m, d->closure.nrow, d->system.nrow, arena, &d->reacting);
    CD_TAKE(arena, d->reacting.between, d->closure.nconstraint);
    CD_TAKE(arena, d->off, d->closure.nconstraint);
    CD_TAKE(arena, d->null_row, d->system.nrow);
    CD_TAKE(arena, d->s, d->system.nrow);
    CD_TAKE(arena, d->y, d->system.nrow);
    CD_TAKE(arena, d->dx, m->nv);
    CD_TAKE(arena, d->over_row, d->rows.nrow);
    CD_TAKE(arena, d->over_v, m->nv);
    cd_slips_layout(&d->closure, d->system.nrow, m->nv, arena, &d->slips);
    CD_TAKE(arena, d->state_rate, m->nstate + 1);
}

static cardan_status refuse_forces(const cardan_model* m, cardan_report* report)
{
    for (int i = 0; i < m->view.nforce; ++i) {
        const cardan_force*  force = &m->view.force[i];
        const cd_force_type* type  = cd_force_type_find(force->type);
        const int            j     = force->joint;
        if (!type)
            return cardan_fail(report, CARDAN_BAD_INPUT, CARDAN_CODE_UNKNOWN_NAME, force->place,
                               "force '%s': there is no force type '%s'", force->name, force->type);
        if (!type->joint) continue;
        if (j == CARDAN_NONE)
            return cardan_fail(report, CARDAN_BAD_INPUT, CARDAN_CODE_INVALID_VALUE, force->place,
                               "force '%s': it has no joint to act on", force->name);
        if (m->joint[j].nstep == 0 || force->axis < 0 || force->axis >= m->slot[j].nv)
            return cardan_fail(report, CARDAN_BAD_INPUT, CARDAN_CODE_INVALID_VALUE, force->place,
                               "force '%s': joint '%s' has no coordinate %d to act on", force->name, m->joint[j].name,
                               force->axis + 1);
    }
    return CARDAN_OK;
}

// "order-n, reduction and lagrange": what takes loops and is not there for comparison alone.
static const char* list_for_loops(char* text, size_t size)
{
    int count = 0, told = 0;
    for (int i = 0; i < cd_formulation_rows(); ++i)
        count += (cd_formulation_at(i)->supports & (CD_LOOPS | CD_BASELINE)) == CD_LOOPS;
    text[0] = 0;
    for (int i = 0; i < cd_formulation_rows(); ++i) {
        const cd_formulation* f  = cd_formulation_at(i);
        const size_t          at = strlen(text);
        if ((f->supports & (CD_LOOPS | CD_BASELINE)) != CD_LOOPS) continue;
        snprintf(text + at, size - at, "%s'%s'", told == 0 ? "" : told == count - 1 ? " and " : ", ", f->name);
        ++told;
    }
    return text;
}

static cardan_status refuse(const cardan_model* m, const cd_formulation* f, cardan_report* report)
{
    char names[200];
    if (f->tree == CARDAN_TREE_FLAT && m->policy != CARDAN_TREE_FLAT)
        return cardan_fail(report, CARDAN_UNSUPPORTED, CARDAN_CODE_TREE_MISMATCH, cardan_nowhere(),
                           "the formulation '%s' wants flat coordinates: compile '%s' with the tree that "
                           "cardan_formulation_tree gives",
                           f->name, m->view.name);
    if (m->ncut > 0 && !(f->supports & CD_LOOPS))
        return cardan_fail(report, CARDAN_UNSUPPORTED, CARDAN_CODE_LOOPS_NOT_SUPPORTED, cardan_nowhere(),
                           "'%s' has %d loop%s, and the formulation '%s' takes trees only; %s take loops, and "
                           "'auto' chooses one of them",
                           m->view.name, m->ncut, m->ncut == 1 ? "" : "s", f->name,
                           list_for_loops(names, sizeof names));
    if (cd_closure_count(m) > 0 && !(f->supports & CD_LOOPS))
        return cardan_fail(report, CARDAN_UNSUPPORTED, CARDAN_CODE_LOOPS_NOT_SUPPORTED, cardan_nowhere(),
                           "'%s' has constraints, couplings or drivers, and the formulation '%s' takes trees only; %s "
                           "take constraints, and 'auto' chooses one of them",
                           m->view.name, f->name, list_for_loops(names, sizeof names));
    cardan_status status = refuse_forces(m, report);
    if (status == CARDAN_OK) status = cd_closure_check(m, report);
    if (status != CARDAN_OK) return status;
    const int     nrotor = cd_rotors_count(m);
    const cd_rows rows   = {.nrow = cd_closure_rows(m) + nrotor, .nblock = cd_closure_count(m) + nrotor};
    if (f->appetite && f->appetite(m, &rows) > cd_most_entries)
        return cardan_fail(report, CARDAN_UNSUPPORTED, CARDAN_CODE_MODEL_TOO_LARGE, cardan_nowhere(),
                           "the formulation '%s' would need a matrix of %.2g entries for '%s': use order-n", f->name,
                           f->appetite(m, &rows), m->view.name);
    return CARDAN_OK;
}

// Memory of the data, then the symbolic phase of the formulation, then its memory.
static cardan_status furnish(cardan_data* d, cardan_report* report)
{
    const cardan_model*   m = d->m;
    const cd_formulation* f = d->formulation;
    layout(m, &d->arena, d);
    if (!cd_arena_reserve(&d->arena)) return CARDAN_NO_MEMORY;
    layout(m, &d->arena, d);
    if (!f) return CARDAN_OK;

    d->work = cd_allocate(1, f->work_size);
    if (!d->work) return CARDAN_NO_MEMORY;
    const cardan_status status = f->analyse ? f->analyse(m, &d->system, d->work, report) : CARDAN_OK;
    if (status != CARDAN_OK) return status;
    f->layout(m, &d->system, &d->work_arena, d->work);
    if (!cd_arena_reserve(&d->work_arena)) return CARDAN_NO_MEMORY;
    f->layout(m, &d->system, &d->work_arena, d->work);
    return CARDAN_OK;
}

void cd_begin_turns(cardan_data* d)
{
    const cardan_model* m = d->m;
    memcpy(d->q + m->nq, m->q_measured, (size_t)(m->nq_all - m->nq) * sizeof *d->q);
    cd_closure_begin(&d->closure);
    cd_closure_begin(&d->rotors);
    d->renew = true;
}

static cardan_status create(const cardan_model* m, const cd_formulation* f, int formulation, cardan_data** data,
                            cardan_report* report)
{
    cardan_data*  d    = cd_allocate(1, sizeof *d);
    cardan_status made = CARDAN_NO_MEMORY;
    if (d) {
        d->m                 = m;
        d->formulation       = f;
        d->formulation_index = formulation;
        made                 = furnish(d, report);
    }
    if (made != CARDAN_OK) {
        cardan_data_destroy(d);
        return made == CARDAN_NO_MEMORY
                   ? cardan_fail(report, made, CARDAN_CODE_OUT_OF_MEMORY, cardan_nowhere(),
                                 "no memory to simulate '%s' with '%s'", m->view.name, f ? f->name : "no formulation")
                   : made;
    }
    for (int i = 0; i < m->view.nforce; ++i) d->force[i] = cd_force_type_find(m->view.force[i].type);
    d->measured_act = cd_laws_push(m, true);
    cd_find_felt(d);
    cd_find_between(d);
    d->length = cd_length_of(d);
    d->small  = fmin(1, 10 * d->length);
    if (d->small == 1) d->over_row = d->over_v = NULL;
    cd_begin_turns(d);
    cd_data_set(d, 0, m->q_start, m->v_start, m->state_start);
    cd_measure_velocities(d);
    *data = d;
    return CARDAN_OK;
}

cardan_status cardan_data_create(const cardan_model* m, int formulation, cardan_data** data, cardan_report* report)
{
    CD_REFUSE_NULL(data, "data", report);
    *data = NULL;
    CD_REFUSE_NULL(m, "model", report);
    if (formulation == CARDAN_AUTO) {
        const cardan_status chosen = cd_formulation_automatic(m, &formulation, report);
        if (chosen != CARDAN_OK) return chosen;
    }
    if (formulation < 0 || formulation >= cd_formulation_rows())
        return cardan_fail(report, CARDAN_BAD_USAGE, CARDAN_CODE_INVALID_ARGUMENT, cardan_nowhere(),
                           "there is no formulation number %d", formulation);
    const cd_formulation* f      = cd_formulation_at(formulation);
    const cardan_status   status = refuse(m, f, report);
    return status == CARDAN_OK ? create(m, f, formulation, data, report) : status;
}

cardan_status cd_data_create_bare(const cardan_model* m, cardan_data** data, cardan_report* report)
{
    *data                      = NULL;
    const cardan_status status = cd_closure_check(m, report);
    return status == CARDAN_OK ? create(m, NULL, CARDAN_NONE, data, report) : status;
}

void cardan_data_destroy(cardan_data* d)
{
    if (!d) return;
    if (d->work && d->formulation->release) d->formulation->release(d->work);
    cd_threads_destroy(d->threads);
    cd_arena_release(&d->arena);
    cd_arena_release(&d->work_arena);
    free(d->work);
    free(d->torn);
    free(d);
}

const cardan_model* cardan_data_model(const cardan_data* d) { return d ? d->m : NULL; }
int                 cardan_data_formulation(const cardan_data* d) { return d ? d->formulation_index : CARDAN_NONE; }

void cd_set_time(cardan_data* d, double t, const double* state)
{
    const cardan_model* m = d->m;
    d->t                  = t;
    if (state && state != d->state && m->nstate > 0) memcpy(d->state, state, (size_t)m->nstate * sizeof *state);
    d->renew   = false;
    d->k.world = NULL;
    cd_closure_time(m, t, &d->closure);
    for (int i = 0; i < m->nmotion; ++i)
        if (d->outer[i]) memcpy(d->closure.law + 3 * i, d->outer_law + 3 * i, 3 * sizeof(double));
    d->world_known = d->measured_known = d->felt_known = d->forces_known = d->closure_known = d->rows_known =
        d->gamma_known = d->factored = d->solved = d->reacting.given.known = false;
}

cardan_status cardan_data_set(cardan_data* d, double t, const double* q, const double* v, const double* state)
{
    CD_REFUSE_NULL(d, "data", NULL);
    CD_REFUSE_NO_ARRAY(q, d->m->nq, "q", NULL);
    CD_REFUSE_NO_ARRAY(v, d->m->nv, "v", NULL);
    const cardan_status status = cardan_model_check_state(d->m, t, q, v, state, NULL);
    return status == CARDAN_OK ? cd_data_set(d, t, q, v, state) : status;
}

cardan_status cd_data_set(cardan_data* d, double t, const double* q, const double* v, const double* state)
{
    const cardan_model* m = d->m;
    if (q != d->q && m->nq > 0) memcpy(d->q, q, (size_t)m->nq * sizeof *q);
    if (v != d->v && m->nv > 0) memcpy(d->v, v, (size_t)m->nv * sizeof *v);
    cd_model_normalize(m, d->q);
    cd_place(m, &d->k, d->q);
    cd_set_time(d, t, state);
    d->parts.open = d->parts.sketched = d->parts.bare = false;
    return CARDAN_OK;
}

static bool same(int n, const double* a, const double* b) { return n == 0 || memcmp(a, b, (size_t)n * sizeof *a) == 0; }

cardan_status cd_data_reach(cardan_data* d, double t, const double* q, const double* v, const double* state)
{
    const cardan_model* m = d->m;
    if (!d->renew && d->t == t && q != d->q && v != d->v && same(m->nq, q, d->q) && same(m->nv, v, d->v) &&
        (!state || same(m->nstate, state, d->state)))
        return CARDAN_OK;
    return cd_data_set(d, t, q, v, state);
}

void cd_set_velocity(cardan_data* d, const double* v)
{
    if (v != d->v) memcpy(d->v, v, (size_t)d->m->nv * sizeof *v);
    d->world_known = d->measured_known = d->felt_known = d->forces_known = d->closure_known = d->gamma_known =
        d->solved = d->reacting.given.known = false; // J is of the position
}

void cd_know_world(cardan_data* d)
{
    if (d->parts.bare && !d->parts.open) {
        cd_place(d->m, &d->k, d->q);
        d->parts.bare = false;
    }
    if (d->world_known) return;
    cd_world_poses(d->m, &d->k, d->v, &d->world);
    d->k.world     = d->world.pose;
    d->world_known = true;
}

// Rows too, where somebody will want them, and what gamma begins with, where there are accelerations at a = 0 to make
// it from.
static bool know_closure(cardan_data* d, bool rows, bool gamma)
{
    if (!d->parts.open) cd_parts_complete(d);
    if (d->closure_known || d->system.nrow == 0) return false;
    cd_know_world(d);
    if (rows && !d->rows_known) {
        cd_closure_rows_too(d->m, &d->k, &d->world, &d->closure, gamma ? d->gamma : NULL);
        cd_closure_rows_too(d->m, &d->k, &d->world, &d->rotors, gamma ? d->gamma + d->rows.nrow : NULL);
    } else {
        cd_closure_evaluate(&d->world, &d->closure);
        cd_closure_evaluate(&d->world, &d->rotors);
        rows = false;
    }
    if (d->some_off) cd_silence_values(d);
    d->gap           = cd_largest(d->rows.nrow, d->closure.value);
    d->gap_rate      = cd_largest(d->rows.nrow, d->closure.rate);
    d->closure_known = true;
    if (d->over_row && !d->measured_rows) cd_measure_rows(d);
    d->open      = d->over_row ? cd_largest_row(d, 0, d->rows.nrow, d->closure.value) : d->gap;
    d->open_rate = d->over_row ? cd_largest_row(d, 0, d->rows.nrow, d->closure.rate) : d->gap_rate;
    if (!rows) return false;
    d->rows.gap   = d->open;
    d->rows.wide  = d->gap;
    d->rows_known = true;
    return gamma;
}

void cd_know_closure(cardan_data* d) { know_closure(d, false, false); }
void cd_know_closure_and_rows(cardan_data* d) { know_closure(d, true, false); }

static void pull_gaps(const cardan_data* d, int n, const double* value, const double* rate, double* gamma)
{
    const double drag = 2 * d->pull + d->drag, pull = d->pull * d->pull;
    for (int i = 0; drag > 0 && i < n; ++i) gamma[i] -= drag * rate[i] + pull * value[i];
}

// Free bodies have no accelerations at a = 0.
void cd_gamma_some(cardan_data* d, int first, int n, const cd_equations* some)
{
    for (int i = 0; i < n; ++i) d->gamma[first + i] = -some->h[i];
    pull_gaps(d, n, some->value, some->rate, d->gamma + first);
}

// at_rest: accelerations in the world are those at a = 0 already; begun: gamma is there but for gaps.
static void know_gamma(cardan_data* d, bool at_rest, bool begun)
{
    const cd_world* world = d->m->policy == CARDAN_TREE_FLAT ? NULL : &d->world;
    if (world && !at_rest) cd_world_accelerations(d->m, &d->k, d->v, d->rest, &d->world);
    if (!begun) {
        cd_closure_gamma(world, &d->closure, d->gamma);
        cd_closure_gamma(world, &d->rotors, d->gamma + d->rows.nrow);
    }
    pull_gaps(d, d->rows.nrow, d->closure.value, d->closure.rate, d->gamma);
    d->rows.terms = d->system.terms = 0;
    d->gamma_known                  = true;
}

void cd_know_terms(cardan_data* d)
{
    if (d->rows.terms > 0 || d->rows.nrow == 0) return;
    cd_world_accelerations(d->m, &d->k, d->v, d->rest, &d->world);
    d->rows.terms = d->system.terms = cd_closure_terms(&d->world, &d->closure, NULL);
}

static void know_rows(cardan_data* d, bool at_rest)
{
    if (d->system.nrow == 0) return;
    const bool known = d->rows_known && d->gamma_known;
    const bool begun = know_closure(d, true, at_rest);
    if (!d->rows_known) {
        cd_closure_jacobian(d->m, &d->k, &d->world, &d->closure);
        cd_closure_jacobian(d->m, &d->k, &d->world, &d->rotors);
        d->rows.gap   = d->open;
        d->rows.wide  = d->gap;
        d->rows_known = true;
    }
    if (!d->gamma_known) know_gamma(d, at_rest, begun);
    if (d->some_off) cd_silence_rows(d);
    if (!known) cd_silence_faint(d);
}

void cd_know_rows(cardan_data* d) { know_rows(d, false); }

enum { LINKS_AT_HAND = 16 }; // they stay in the nearest memory from one look at them to the next

void cd_know_loads_and_rows(cardan_data* d)
{
    const cardan_model* m     = d->m;
    const bool          world = !d->world_known, rest = !d->gamma_known;
    for (int from = 0, to; from < m->nlink; from = to) {
        to = from + LINKS_AT_HAND < m->nlink ? from + LINKS_AT_HAND : m->nlink;
        if (world) cd_world_some(m, &d->k, d->v, &d->world, from, to);
        cd_link_loads(m, &d->k, d->v, from, to);
        if (rest) cd_world_accelerations_some(m, &d->k, d->v, d->rest, &d->world, from, to);
    }
    d->k.world     = d->world.pose;
    d->world_known = d->loads_apart = true;
    know_rows(d, rest);
    cd_know_forces(d);
}

cardan_status cardan_data_load(cardan_data* d, const double* effort, const double (*wrench)[6])
{
    CD_REFUSE_NULL(d, "data", NULL);
    const cardan_model* m = d->m;
    if ((effort && !cd_are_finite(m->nv, effort)) || (wrench && !cd_are_finite(6 * m->nbody, wrench[0])))
        return CARDAN_BAD_USAGE;
    d->loaded       = effort || wrench;
    d->forces_known = d->solved = d->reacting.given.known = false;
    memset(d->outer_effort, 0, (size_t)m->nv_all * sizeof *d->outer_effort);
    if (effort) memcpy(d->outer_effort, effort, (size_t)m->nv * sizeof *effort);
    for (int i = 0; i < m->nbody; ++i)
        d->outer_wrench[i] = wrench ? (spatial){v3_lift(wrench[i]), v3_lift(wrench[i] + 3)} : sv_zero();
    return CARDAN_OK;
}
