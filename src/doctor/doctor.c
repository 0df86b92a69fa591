// SPDX-License-Identifier: BSD-3-Clause
// The whole examination: loops, closing, rank at the pose and at others nearby, what repeats and why, what can be done.
#include "doctor/doctor.h"

#include "core/arguments.h"
#include "doctor/findings.h"
#include "dynamics/misfit.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static const double most_here  = 2e8;  // nrow^2 nv: singular values at one pose
static const double most_tried = 3e7;  // rank at several poses
static const double several    = 10;   // times the largest: openings of all rows at poses nearby
static const double endured    = 1e-9; // relative to the mechanism, as assembly does, and runs go on from there

// What is handed out, and what it is made of.
typedef struct record {
    cardan_diagnosis diagnosis; // first: its address is the record's
    cardan_loop*     loop;
    cardan_tie*      tie;
    cd_loops         loops;
    cd_text          pose;
} record;

void cardan_diagnosis_destroy(cardan_diagnosis* diagnosis)
{
    record* r = (record*)diagnosis;
    if (!r) return;
    cd_loops_free(&r->loops);
    cd_text_free(&r->pose);
    free(r->loop);
    free(r->tie);
    free(r);
}

static const char* words(const cd_text* text) { return text->data ? text->data : ""; }

static int coordinate_of(const cardan_model* m, const cd_constraint* c)
{
    if (!c->coupled || c->coupled->n != 1) return 0;
    const cd_coordinate* x = &c->coupled->coordinate[0];
    return x->joint >= 0 && m->place[x->joint].nv > 1 ? x->axis_index + 1 : 0;
}

// Constraints beside the joints.
static void hand_out_ties(const cardan_data* d, record* r)
{
    const int ncut = d->m->ncut;
    for (int i = ncut; i < d->closure.nconstraint; ++i) {
        const cd_constraint* c = &d->closure.constraint[i];
        cardan_tie*          t = &r->tie[r->diagnosis.ntie++];
        *t                     = (cardan_tie){.what     = c->what,
                                              .name     = c->name,
                                              .type     = c->type->name,
                                              .rows     = c->nrow,
                                              .repeated = r->loops.tie[i - ncut].repeated};
        for (unsigned bits = c->driven; bits; bits &= bits - 1) ++t->driven;
        t->coordinate = coordinate_of(d->m, c);
        r->diagnosis.driven += t->driven;
    }
}

static void hand_out(record* r)
{
    for (int l = 0; l < r->loops.nloop; ++l) {
        const cd_loop* from = &r->loops.loop[l];
        r->loop[l]          = (cardan_loop){.njoint    = from->njoint,
                                            .joint     = from->joint,
                                            .body      = from->body,
                                            .closed_at = from->closed_at,
                                            .rows      = from->rows,
                                            .repeated  = from->repeated,
                                            .path      = words(&from->path),
                                            .reason    = words(&from->reason),
                                            .loose     = words(&from->loose),
                                            .repair    = words(&from->repair)};
    }
    r->diagnosis.equations = r->loops.rows;
    for (int i = 0; i < r->diagnosis.ntie; ++i) r->diagnosis.equations += r->tie[i].rows;
    r->diagnosis.nloop = r->loops.nloop;
    r->diagnosis.loops = r->loops.count;
    r->diagnosis.loop  = r->loop;
    r->diagnosis.pose  = words(&r->pose);
    r->diagnosis.tie   = r->tie;
    r->diagnosis.loose = words(&r->loops.loose);
}

// A sentence is not complete.
static bool words_failed(const record* r)
{
    bool failed = r->pose.failed || r->loops.loose.failed;
    for (int l = 0; l < r->loops.nloop; ++l) {
        const cd_loop* loop = &r->loops.loop[l];
        failed = failed || loop->path.failed || loop->reason.failed || loop->loose.failed || loop->repair.failed;
    }
    return failed;
}

// Rank at consistent poses near the closed one; the best is kept as the generic pose. Where laws of time drive
// everything, they are let go for that: at another time they are elsewhere too. False without memory.
static bool look_around(cd_patient* p, cardan_diagnosis* g)
{
    static const double size[] = {0.1, 0.03, 0.1, 0.02};
    const cardan_model* m      = p->d->m;
    double*             q      = malloc(((size_t)m->nq + 1) * sizeof *q);
    if (!q) return false;
    memcpy(p->generic, p->closed, (size_t)m->nq * sizeof *q);
    g->rank     = g->rank_here;
    g->poses    = 1;
    g->tried    = (double)p->nrow * p->nrow * p->nv <= most_tried;
    p->released = true;
    cd_examine(p, p->closed);
    const bool moves = p->rank < p->nv;
    for (int i = 0; g->tried && moves && i < (int)(sizeof size / sizeof *size); ++i) {
        p->released      = true;
        const bool found = cd_wander(p, p->closed, size[i], q);
        p->released      = false;
        if (!found || !cd_examine(p, q)) continue;
        ++g->poses;
        if (p->rank <= g->rank) continue;
        g->rank = p->rank;
        memcpy(p->generic, q, (size_t)m->nq * sizeof *q);
    }
    p->released = false;
    free(q);
    return true;
}

// Loops and their sentences at a pose of full rank.
static bool explain(cd_patient* p, const cardan_diagnosis* g, cd_loops* loops)
{
    cardan_data* d      = p->d;
    cd_arena     arena  = {0};
    cd_stress    stress = {0};
    cd_stress_layout(d->m, p->nrow, most_here, &arena, &stress);
    if (!cd_arena_reserve(&arena)) return false;
    cd_stress_layout(d->m, p->nrow, most_here, &arena, &stress);
    cd_data_set(d, p->t, p->generic, p->zero, p->state);
    stress.tolerance = cd_rank_tolerance(p);
    cd_find_stress(d, &stress);
    bool good = cd_loops_repeated(d, &stress, loops);
    for (int l = 0; good && l < loops->nloop; ++l) {
        good = cd_loop_alone(d, &loops->loop[l]);
        if (good) cd_loop_reason(d, loops, l, &loops->loop[l].reason);
    }
    good = good && cd_loops_loose(d, &stress, loops);
    if (good && !cd_shaky(g, p->nv)) good = cd_loops_repair(d, &stress, loops);
    cd_arena_release(&arena);
    return good;
}

static cardan_status examine(cd_patient* p, record* r, cardan_report* report)
{
    cardan_diagnosis* g      = &r->diagnosis;
    cardan_status     status = CARDAN_OK, found;
    const size_t      nq     = (size_t)p->d->m->nq * sizeof(double);
    memcpy(p->closed, p->q, nq);
    cd_openings(p, p->q, &g->gap, &g->turn, NULL);
    g->closes = cd_close(p, p->closed);
    cd_openings(p, p->closed, &g->gap_left, &g->turn_left, NULL);
    if (!g->closes && !(fmax(g->gap_left / p->d->reacting.length, g->turn_left) <= endured))
        return cd_tell_open(p, &r->loops, report);
    if (!g->closes) {
        if ((found = cd_tell_rounded(p, report)) != CARDAN_OK) return found;
        p->endured = several * fmax(g->gap_left / p->d->reacting.length, g->turn_left);
        g->closes  = true;
    }

    if (cd_misfit_find(p, p->closed) < 0)
        return cardan_fail(report, CARDAN_NO_MEMORY, CARDAN_CODE_OUT_OF_MEMORY, cardan_nowhere(),
                           "no memory to diagnose '%s'", p->d->m->view.name);
    if (!cd_examine(p, p->closed))
        return cardan_fail(report, CARDAN_DIVERGED, CARDAN_CODE_NOT_FINITE, cardan_nowhere(),
                           "the constraints of '%s' are not finite", p->d->m->view.name);
    g->counted   = true;
    g->rank_here = p->rank;
    if (!look_around(p, g))
        return cardan_fail(report, CARDAN_NO_MEMORY, CARDAN_CODE_OUT_OF_MEMORY, cardan_nowhere(),
                           "no memory to diagnose '%s'", p->d->m->view.name);
    g->dof       = p->nv - g->rank;
    g->redundant = g->rows - g->rank;
    g->shaky     = cd_shaky(g, p->nv);
    if (!explain(p, g, &r->loops) || words_failed(r))
        return cardan_fail(report, CARDAN_NO_MEMORY, CARDAN_CODE_OUT_OF_MEMORY, cardan_nowhere(),
                           "no memory to diagnose '%s'", p->d->m->view.name);

    cd_tell_closing(g, &r->pose);
    found = cd_tell_singular(p, g, &r->loops, &r->pose, report);
    if (found == CARDAN_NO_MEMORY) return found;
    if (found != CARDAN_OK) status = found;
    found = cd_tell_laws(p, report);
    if (found == CARDAN_NO_MEMORY) return found;
    if (found != CARDAN_OK) status = found;
    found = cd_tell_inertia(p, report);
    if (found == CARDAN_NO_MEMORY) return found;
    if (found != CARDAN_OK) status = found;
    found = cd_tell_locked(p, report);
    if (found != CARDAN_OK) status = found;
    cd_tell_idle(p, report);
    return status;
}

// Too large for singular values: rank at this pose only, and each loop by itself.
static cardan_status examine_large(cardan_data* d, record* r, cardan_report* report)
{
    cardan_diagnosis* g    = &r->diagnosis;
    bool              good = true;
    cd_know_bodies(d);
    cd_know_rows(d);
    for (int i = 0; i < d->closure.nconstraint; ++i) {
        double gap, turn;
        cd_constraint_opening(d, i, &gap, &turn);
        g->gap = g->gap_left = fmax(g->gap, gap);
        g->turn = g->turn_left = fmax(g->turn, turn);
    }
    if (!cd_sparse_rank(d, &g->rank_here, &g->counted))
        return cardan_fail(report, CARDAN_NO_MEMORY, CARDAN_CODE_OUT_OF_MEMORY, cardan_nowhere(),
                           "no memory to diagnose '%s'", d->m->view.name);
    if (!g->counted) return CARDAN_OK;
    g->rank      = g->rank_here;
    g->dof       = d->m->nv - g->rank;
    g->redundant = g->rows - g->rank;
    for (int l = 0; good && l < r->loops.nloop; ++l) {
        cd_loop* loop  = &r->loops.loop[l];
        good           = cd_loop_alone(d, loop);
        loop->repeated = loop->own;
        if (good) cd_loop_reason(d, &r->loops, l, &loop->reason);
        if (good && loop->own > 0) good = cd_loop_loose(d, loop, &loop->loose);
    }
    cd_tell_closing(g, &r->pose);
    cd_text_add(&r->pose, "; too large to compare with poses nearby");
    return good ? CARDAN_OK
                : cardan_fail(report, CARDAN_NO_MEMORY, CARDAN_CODE_OUT_OF_MEMORY, cardan_nowhere(),
                              "no memory to diagnose '%s'", d->m->view.name);
}

cardan_status cardan_diagnose(cardan_data* d, cardan_diagnosis** diagnosis, cardan_report* report)
{
    CD_REFUSE_NULL(diagnosis, "diagnosis", report);
    *diagnosis = NULL;
    CD_REFUSE_NULL(d, "data", report);
    record* r = cd_allocate(1, sizeof *r);
    if (r) r->loop = cd_allocate(CD_LOOPS_MOST, sizeof *r->loop);
    if (r) r->tie = cd_allocate((size_t)(d->closure.nconstraint - d->m->ncut) + 1, sizeof *r->tie);
    if (!r || !r->loop || !r->tie) {
        cardan_diagnosis_destroy((cardan_diagnosis*)r);
        return cardan_fail(report, CARDAN_NO_MEMORY, CARDAN_CODE_OUT_OF_MEMORY, cardan_nowhere(),
                           "no memory to diagnose '%s'", d->m->view.name);
    }
    cardan_diagnosis* g = &r->diagnosis;
    *g                  = (cardan_diagnosis){
                         .rows = d->rows.nrow, .rank = -1, .rank_here = -1, .dof = -1, .redundant = -1, .closes = true};
    cardan_status status = cd_loops_find(d, &r->loops, report);
    if (status == CARDAN_OK && d->rows.nrow == 0) {
        g->counted = true;
        g->rank = g->rank_here = g->redundant = 0;
        g->dof                                = d->m->nv;
    } else if (status == CARDAN_OK && (double)g->rows * g->rows * d->m->nv <= most_here) {
        cd_patient p;
        if (!cd_patient_admit(&p, d, report))
            status = CARDAN_NO_MEMORY;
        else
            status = examine(&p, r, report);
        cd_patient_dismiss(&p);
    } else if (status == CARDAN_OK) {
        status = examine_large(d, r, report);
    }
    if (status != CARDAN_NO_MEMORY && words_failed(r))
        status = cardan_fail(report, CARDAN_NO_MEMORY, CARDAN_CODE_OUT_OF_MEMORY, cardan_nowhere(),
                             "no memory to diagnose '%s'", d->m->view.name);
    if (status == CARDAN_NO_MEMORY) { // no part of a diagnosis
        cardan_diagnosis_destroy(g);
        return status;
    }
    hand_out_ties(d, r);
    hand_out(r);
    *diagnosis = g;
    return status;
}
