// SPDX-License-Identifier: BSD-3-Clause
// Diagnosis of a model: loops, assembly, rank at the configuration and at nearby ones, redundant rows with
// reasons, suggested joints.
#include "diagnosis/diagnosis.h"
#include "assembly/assembly_tolerances.h"
#include "diagnosis/diagnosis_tolerances.h"

#include "core/check_arguments.h"
#include "diagnosis/findings.h"
#include "dynamics/rank/near_redundancy.h"
#include "dynamics/rows/constraint_update.h"
#include "dynamics/state.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static const double max_svd_cost      = 2e8; // nrow^2 nv: limit for singular values at one configuration
static const double max_sampling_cost = 3e7; // nrow^2 nv: limit for the rank at several configurations

// Public result with the data it refers to.
typedef struct diagnosis_record {
    cardan_diagnosis         diagnosis; // first member: cardan_diagnosis* points to diagnosis_record
    cardan_loop*             loop;
    cardan_extra_constraint* extra;
    cd_kinematic_loops       loops;
    cd_text                  configuration;
} diagnosis_record;

void cardan_diagnosis_destroy(cardan_diagnosis* diagnosis)
{
    diagnosis_record* r = (diagnosis_record*)diagnosis;
    if (!r) return;
    cd_kinematic_loops_free(&r->loops);
    cd_text_free(&r->configuration);
    free(r->loop);
    free(r->extra);
    free(r);
}

static const char* text_or_empty(const cd_text* text) { return text->data ? text->data : ""; }

static int coordinate_of(const cardan_model* m, const cd_constraint* c)
{
    if (!c->coupled || c->coupled->n != 1) return 0;
    const cd_coordinate* x = &c->coupled->coordinate[0];
    return x->joint >= 0 && m->joint_range[x->joint].nv > 1 ? x->axis_index + 1 : 0;
}

// Fill the table of constraints that do not belong to a joint.
static void fill_extra_constraints(const cardan_data* d, diagnosis_record* r)
{
    const int ncut = d->m->ncut;
    for (int i = ncut; i < d->constraints.nconstraint; ++i) {
        const cd_constraint*     c = &d->constraints.constraint[i];
        cardan_extra_constraint* t = &r->extra[r->diagnosis.nextra++];
        *t                         = (cardan_extra_constraint){.category  = c->category,
                                                               .name      = c->name,
                                                               .type      = c->type->name,
                                                               .nrow      = c->nrow,
                                                               .redundant = r->loops.extra[i - ncut].redundant};
        for (unsigned bits = c->driven_rows; bits; bits &= bits - 1) ++t->driven;
        t->coordinate = coordinate_of(d->m, c);
        r->diagnosis.driven += t->driven;
    }
}

static void fill_diagnosis(diagnosis_record* r)
{
    for (int l = 0; l < r->loops.nloop; ++l) {
        const cd_kinematic_loop* from = &r->loops.loop[l];
        r->loop[l]                    = (cardan_loop){.njoint           = from->njoint,
                                                      .joint            = from->joint,
                                                      .body             = from->body,
                                                      .closing_joint    = from->closing_joint,
                                                      .nrow             = from->nrow,
                                                      .redundant        = from->redundant,
                                                      .path             = text_or_empty(&from->path),
                                                      .reason           = text_or_empty(&from->reason),
                                                      .indeterminate    = text_or_empty(&from->indeterminate),
                                                      .suggested_joints = text_or_empty(&from->suggested_joints),
                                                      .nchange          = from->nchange,
                                                      .change           = from->change};
    }
    r->diagnosis.equations = r->loops.nrow;
    for (int i = 0; i < r->diagnosis.nextra; ++i) r->diagnosis.equations += r->extra[i].nrow;
    r->diagnosis.nloop                     = r->loops.nloop;
    r->diagnosis.nloop_total               = r->loops.total;
    r->diagnosis.loop                      = r->loop;
    r->diagnosis.configuration_description = text_or_empty(&r->configuration);
    r->diagnosis.extra                     = r->extra;
    r->diagnosis.indeterminate             = text_or_empty(&r->loops.indeterminate);
}

// Return whether an allocation failed in a text.
static bool texts_failed(const diagnosis_record* r)
{
    bool failed = r->configuration.failed || r->loops.indeterminate.failed;
    for (int l = 0; l < r->loops.nloop; ++l) {
        const cd_kinematic_loop* loop = &r->loops.loop[l];
        failed = failed || loop->path.failed || loop->reason.failed || loop->indeterminate.failed ||
                 loop->suggested_joints.failed;
    }
    return failed;
}

// Compute the rank at consistent configurations near the assembled one; the one of largest rank becomes q_generic.
// Drivers are released for this search: if they fix all motions, their values at other times lead to such
// configurations. Returns false if memory is exhausted.
static bool sample_nearby(cd_rank_analysis* p, cardan_diagnosis* g)
{
    static const double size[] = {0.1, 0.03, 0.1, 0.02};
    const cardan_model* m      = p->d->m;
    double*             q      = malloc(((size_t)m->nq + 1) * sizeof *q);
    if (!q) return false;
    memcpy(p->q_generic, p->q_assembled, (size_t)m->nq * sizeof *q);
    g->rank               = g->rank_at_state;
    g->nconfiguration     = 1;
    g->neighbours_sampled = (double)p->nrow * p->nrow * p->nv <= max_sampling_cost;
    p->drivers_released   = true;
    cd_rank_analysis_compute(p, p->q_assembled);
    const bool is_mobile = p->rank < p->nv;
    for (int i = 0; g->neighbours_sampled && is_mobile && i < (int)(sizeof size / sizeof *size); ++i) {
        p->drivers_released = true;
        const bool found    = cd_rank_analysis_find_nearby(p, p->q_assembled, size[i], q);
        p->drivers_released = false;
        if (!found || !cd_rank_analysis_compute(p, q)) continue;
        ++g->nconfiguration;
        if (p->rank <= g->rank) continue;
        g->rank = p->rank;
        memcpy(p->q_generic, q, (size_t)m->nq * sizeof *q);
    }
    p->drivers_released = false;
    free(q);
    return true;
}

// Analyse and describe the loops in the generic configuration. Returns false if memory is exhausted.
static bool describe_loops(cd_rank_analysis* p, const cardan_diagnosis* g, cd_kinematic_loops* loops)
{
    cardan_data*   d      = p->d;
    cd_arena       arena  = {0};
    cd_self_stress stress = {0};
    cd_self_stress_layout(d->m, p->nrow, max_svd_cost, &arena, &stress);
    if (!cd_arena_reserve(&arena)) return false;
    cd_self_stress_layout(d->m, p->nrow, max_svd_cost, &arena, &stress);
    cd_data_set_state(d, p->t, p->q_generic, p->zero_nv, p->state);
    stress.rank_tolerance = cd_rank_analysis_tolerance(p);
    cd_find_self_stress(d, &stress);
    bool good = cd_kinematic_loops_count_redundant(d, &stress, loops);
    for (int l = 0; good && l < loops->nloop; ++l) {
        good = cd_kinematic_loop_rank(d, &loops->loop[l]);
        if (good) cd_describe_loop_redundancy(d, loops, l, &loops->loop[l].reason);
    }
    good = good && cd_describe_indeterminacy(d, &stress, loops);
    if (good && !cd_is_infinitesimally_mobile(g, p->nv)) good = cd_suggest_joints(d, &stress, loops);
    cd_arena_release(&arena);
    return good;
}

static cardan_status diagnose_small(cd_rank_analysis* p, diagnosis_record* r, cardan_report* report)
{
    cardan_diagnosis* g      = &r->diagnosis;
    cardan_status     status = CARDAN_OK, found;
    const size_t      nq     = (size_t)p->d->m->nq * sizeof(double);
    memcpy(p->q_assembled, p->q, nq);
    cd_rank_analysis_violations(p, p->q, &g->translation_violation, &g->rotation_violation, NULL);
    g->assemblable = cd_rank_analysis_assemble(p, p->q_assembled);
    cd_rank_analysis_violations(p, p->q_assembled, &g->translation_violation_after, &g->rotation_violation_after, NULL);
    if (!g->assemblable && !(fmax(g->translation_violation_after / p->d->reactions.design_length,
                                  g->rotation_violation_after) <= cd_assembly_violation_tolerance))
        return cd_report_not_assemblable(p, &r->loops, report);
    if (!g->assemblable) {
        if ((found = cd_report_small_violation(p, report)) != CARDAN_OK) return found;
        p->violation_tolerance =
            cd_nearby_violation_factor *
            fmax(g->translation_violation_after / p->d->reactions.design_length, g->rotation_violation_after);
        g->assemblable = true;
    }

    if (cd_find_redundancy_error(p, p->q_assembled) < 0)
        return cardan_fail(report, CARDAN_NO_MEMORY, CARDAN_CODE_OUT_OF_MEMORY, cardan_location_none(),
                           "out of memory while diagnosing '%s'", p->d->m->view.name);
    if (!cd_rank_analysis_compute(p, p->q_assembled))
        return cardan_fail(report, CARDAN_NOT_FINITE, CARDAN_CODE_NOT_FINITE, cardan_location_none(),
                           "the constraints of '%s' are not finite", p->d->m->view.name);
    g->rank_computed = true;
    g->rank_at_state = p->rank;
    if (!sample_nearby(p, g))
        return cardan_fail(report, CARDAN_NO_MEMORY, CARDAN_CODE_OUT_OF_MEMORY, cardan_location_none(),
                           "out of memory while diagnosing '%s'", p->d->m->view.name);
    g->dof                    = p->nv - g->rank;
    g->redundant              = g->nrow - g->rank;
    g->infinitesimally_mobile = cd_is_infinitesimally_mobile(g, p->nv);
    if (!describe_loops(p, g, &r->loops) || texts_failed(r))
        return cardan_fail(report, CARDAN_NO_MEMORY, CARDAN_CODE_OUT_OF_MEMORY, cardan_location_none(),
                           "out of memory while diagnosing '%s'", p->d->m->view.name);

    cd_describe_violation(g, &r->configuration);
    found = cd_report_singular(p, g, &r->loops, &r->configuration, report);
    if (found == CARDAN_NO_MEMORY) return found;
    if (found != CARDAN_OK) status = found;
    found = cd_report_driver_conflicts(p, report);
    if (found == CARDAN_NO_MEMORY) return found;
    if (found != CARDAN_OK) status = found;
    found = cd_report_zero_inertia(p, report);
    if (found == CARDAN_NO_MEMORY) return found;
    if (found != CARDAN_OK) status = found;
    found = cd_report_locked_couplings(p, report);
    if (found != CARDAN_OK) status = found;
    cd_report_idle_motions(p, report);
    return status;
}

// Diagnose a model too large for singular values: rank at this configuration only, and each loop alone.
static cardan_status diagnose_large(cardan_data* d, diagnosis_record* r, cardan_report* report)
{
    cardan_diagnosis* g    = &r->diagnosis;
    bool              good = true;
    cd_update_body_motions(d);
    cd_update_rows(d);
    for (int i = 0; i < d->constraints.nconstraint; ++i) {
        double translation, rotation;
        cd_split_constraint_violation(d, i, &translation, &rotation);
        g->translation_violation = g->translation_violation_after = fmax(g->translation_violation, translation);
        g->rotation_violation = g->rotation_violation_after = fmax(g->rotation_violation, rotation);
    }
    if (!cd_sparse_rank(d, &g->rank_at_state, &g->rank_computed))
        return cardan_fail(report, CARDAN_NO_MEMORY, CARDAN_CODE_OUT_OF_MEMORY, cardan_location_none(),
                           "out of memory while diagnosing '%s'", d->m->view.name);
    if (!g->rank_computed) return CARDAN_OK;
    g->rank      = g->rank_at_state;
    g->dof       = d->m->nv - g->rank;
    g->redundant = g->nrow - g->rank;
    for (int l = 0; good && l < r->loops.nloop; ++l) {
        cd_kinematic_loop* loop = &r->loops.loop[l];
        good                    = cd_kinematic_loop_rank(d, loop);
        loop->redundant         = loop->single_loop_redundant;
        if (good) cd_describe_loop_redundancy(d, &r->loops, l, &loop->reason);
        if (good && loop->single_loop_redundant > 0)
            good = cd_describe_loop_indeterminacy(d, loop, &loop->indeterminate);
    }
    cd_describe_violation(g, &r->configuration);
    cd_text_add(&r->configuration, "; too large to compare with configurations nearby");
    return good ? CARDAN_OK
                : cardan_fail(report, CARDAN_NO_MEMORY, CARDAN_CODE_OUT_OF_MEMORY, cardan_location_none(),
                              "out of memory while diagnosing '%s'", d->m->view.name);
}

cardan_status cardan_diagnosis_create(cardan_data* d, cardan_diagnosis** diagnosis, cardan_report* report)
{
    CD_REQUIRE_POINTER(diagnosis, "diagnosis", report);
    *diagnosis = NULL;
    CD_REQUIRE_POINTER(d, "data", report);
    diagnosis_record* r = cd_allocate(1, sizeof *r);
    if (r) r->loop = cd_allocate(CD_MAX_LOOPS, sizeof *r->loop);
    if (r) r->extra = cd_allocate((size_t)(d->constraints.nconstraint - d->m->ncut) + 1, sizeof *r->extra);
    if (!r || !r->loop || !r->extra) {
        cardan_diagnosis_destroy((cardan_diagnosis*)r);
        return cardan_fail(report, CARDAN_NO_MEMORY, CARDAN_CODE_OUT_OF_MEMORY, cardan_location_none(),
                           "out of memory while diagnosing '%s'", d->m->view.name);
    }
    cardan_diagnosis* g = &r->diagnosis;
    *g                  = (cardan_diagnosis){
                         .nrow = d->rows.nrow, .rank = -1, .rank_at_state = -1, .dof = -1, .redundant = -1, .assemblable = true};
    cardan_status status = cd_kinematic_loops_find(d, &r->loops, report);
    if (status == CARDAN_OK && d->rows.nrow == 0) {
        g->rank_computed = true;
        g->rank = g->rank_at_state = g->redundant = 0;
        g->dof                                    = d->m->nv;
    } else if (status == CARDAN_OK && (double)g->nrow * g->nrow * d->m->nv <= max_svd_cost) {
        cd_rank_analysis p;
        if (!cd_rank_analysis_init(&p, d, report))
            status = CARDAN_NO_MEMORY;
        else
            status = diagnose_small(&p, r, report);
        cd_rank_analysis_destroy(&p);
    } else if (status == CARDAN_OK) {
        status = diagnose_large(d, r, report);
    }
    if (status != CARDAN_NO_MEMORY && texts_failed(r))
        status = cardan_fail(report, CARDAN_NO_MEMORY, CARDAN_CODE_OUT_OF_MEMORY, cardan_location_none(),
                             "out of memory while diagnosing '%s'", d->m->view.name);
    if (status == CARDAN_NO_MEMORY) { // no partial diagnosis
        cardan_diagnosis_destroy(g);
        return status;
    }
    fill_extra_constraints(d, r);
    fill_diagnosis(r);
    *diagnosis = g;
    return status;
}
