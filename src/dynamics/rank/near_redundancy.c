// SPDX-License-Identifier: BSD-3-Clause
// The redundancy error is computed in the coordinates of the breadth-first tree, independent of the formulation, so
// that all formulations use the same decision; one orthogonal elimination (sparse_rank.c) determines whether it must
// be computed. Near a singular configuration singular values are small, too; but they grow with the distance from it,
// and such rows must be kept.
#include "dynamics/rank/near_redundancy.h"

#include "core/text.h"
#include "dynamics/dynamics_tolerances.h"
#include "dynamics/rows/jacobian_operator.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { MAX_NAMES = 12 };

static double roundoff_level(int nrow) { return cd_sigma_roundoff_per_row * nrow; }

// Mark the joints of rows with a significant share in the first singular vector beyond the rank, and the joints that
// they close. Velocities of free bodies belong to no joint.
static void mark_joints(const cd_rank_analysis* p, bool* is_involved)
{
    const cardan_data* d    = p->d;
    double             most = 0;
    for (int i = 0; i < p->nrow; ++i) most = fmax(most, fabs(p->left_singular[i * p->nrow + p->rank]));
    for (int c = 0; c < d->constraints.nconstraint; ++c) {
        const cd_constraint* constraint = &d->constraints.constraint[c];
        double               part       = 0;
        for (int row = 0; row < constraint->nrow; ++row)
            part = fmax(part, fabs(p->left_singular[(constraint->first_row + row) * p->nrow + p->rank]));
        if (!(part > cd_significant_row_share * most)) continue;
        const cd_row_block b = cd_joint_space_block(d, &d->constraints, c);
        for (int k = 0; k < b.nv; ++k) {
            int       local;
            const int joint = cardan_model_joint_of_velocity(d->m, b.v[k], &local);
            if (joint >= 0 && joint < d->m->njoint) is_involved[joint] = true;
        }
        if (constraint->joint != CARDAN_NONE) is_involved[constraint->joint] = true;
    }
}

// Size of the involved loops relative to the mechanism: two pins a micrometre apart constrain with a lever arm of
// that length.
static double loop_size_ratio(cd_rank_analysis* p, const bool* is_involved)
{
    const cardan_model* m              = p->d->m;
    const vec3*         joint_position = p->d->reactions.joint_position;
    double              most           = 0;
    int                 first          = 0;
    while (first < m->njoint - 1 && !is_involved[first]) ++first;
    cd_update_body_motions(p->d);
    for (int j = first; j < m->njoint; ++j) {
        const vec3 r = v3_sub(joint_position[j], joint_position[first]);
        if (is_involved[j]) most = fmax(most, sqrt(v3_dot(r, r)));
    }
    const double share = most / p->d->reactions.design_length;
    return share > cd_zero_length_ratio ? fmin(share, 1) : 1;
}

// Whether the rank at configurations nearby is the same as at q; redundancy_error then becomes the largest singular
// value found.
static bool persists_nearby(cd_rank_analysis* p, const double* q, double* q_nearby, double* redundancy_error)
{
    static const double size[]   = {0.1, 0.03, 0.1};
    const int           rank     = p->rank;
    bool                persists = false;
    for (int i = 0; i < (int)(sizeof size / sizeof *size); ++i) {
        if (!cd_rank_analysis_find_nearby(p, q, size[i], q_nearby) || !cd_rank_analysis_compute(p, q_nearby)) continue;
        persists = p->rank == rank;
        if (!persists) break;
        *redundancy_error = fmax(*redundancy_error, p->sigma[rank]);
    }
    return persists;
}

double cd_find_redundancy_error(cd_rank_analysis* p, const double* q)
{
    const double violation_tolerance = p->violation_tolerance;
    const bool   drivers_released    = p->drivers_released;
    double*      q_nearby            = cd_allocate((size_t)p->d->m->nq + 1, sizeof *q_nearby);
    bool*        is_involved         = cd_allocate((size_t)p->d->m->njoint + 1, sizeof *is_involved);
    double       redundancy_error    = q_nearby && is_involved ? 0 : -1;
    p->drivers_released              = true;
    p->rank_cutoff                   = cd_independent_sigma;
    if (redundancy_error == 0 && cd_rank_analysis_compute(p, q) && p->rank < p->max_rank &&
        p->sigma[p->rank] > roundoff_level(p->nrow)) {
        redundancy_error = p->sigma[p->rank];
        mark_joints(p, is_involved);
        p->violation_tolerance = fmax(violation_tolerance, cd_redundancy_nearby_factor * redundancy_error);
        if (redundancy_error > cd_independent_sigma * loop_size_ratio(p, is_involved) ||
            !persists_nearby(p, q, q_nearby, &redundancy_error))
            redundancy_error = 0;
    }
    free(q_nearby);
    free(is_involved);
    cd_rank_analysis_compute(p, q);
    p->drivers_released = drivers_released;
    p->rank_cutoff =
        redundancy_error <= cd_max_redundancy_error ? fmax(0, cd_redundancy_cutoff_factor * redundancy_error) : 0;
    p->violation_tolerance = redundancy_error <= cd_max_redundancy_error
                                 ? fmax(violation_tolerance, cd_redundancy_nearby_factor * redundancy_error)
                                 : violation_tolerance;
    return redundancy_error;
}

static void name_joints(const cd_rank_analysis* p, cd_text* text)
{
    const cardan_model* m           = p->d->m;
    bool*               is_involved = cd_allocate((size_t)m->njoint + 1, sizeof *is_involved);
    int                 count       = 0;
    if (!is_involved) text->failed = true;
    if (is_involved) mark_joints(p, is_involved);
    for (int j = 0; is_involved && j < m->njoint && count < MAX_NAMES; ++j)
        if (is_involved[j]) cd_text_format(text, "%s'%.60s'", count++ > 0 ? ", " : "", m->joint[j].name);
    if (count == MAX_NAMES) cd_text_add(text, ", ...");
    free(is_involved);
}

// Returns false if memory is exhausted.
static bool report_near_redundancy(const cd_rank_analysis* p, double redundancy_error, cardan_data* d,
                                   cardan_report* report)
{
    cd_text text = {0};
    if (!(redundancy_error > cd_max_redundancy_error)) return true;
    cd_text_add(&text, "constraints of joints ");
    name_joints(p, &text);
    cd_text_format(&text, " are redundant at every configuration, but only up to %.1g of their size", redundancy_error);
    const bool good = !text.failed;
    if (good)
        cardan_warn(report, CARDAN_CODE_UNDECIDABLE_RANK, cardan_location_none(),
                    "%s, so that they are neither redundant nor independent: write axes and positions there exactly, "
                    "with all digits, or make them clearly different",
                    text.data);
    if (good && redundancy_error <= cd_decidable_sigma) d->settings.undecidable_rank_message = cd_text_detach(&text);
    cd_text_free(&text);
    return good;
}

// Copy the state of d to new data in the breadth-first tree.
static cardan_status copy_to_breadth_first_tree(cardan_data* d, cardan_model** model, cardan_data** data)
{
    cardan_status status = cardan_model_compile(d->m->description, CARDAN_TREE_BREADTH_FIRST, model, NULL);
    if (status == CARDAN_OK) status = cd_data_create_without_formulation(*model, data, NULL);
    if (status != CARDAN_OK) return status;
    cd_copy_external_drivers(d, *data);
    return cardan_data_copy_state(d, *data);
}

// Compute the redundancy error at the state of d; 0 if the mechanism is too large. Returns a negative value without
// memory.
static double compute_redundancy_error(cardan_data* d, cardan_report* report)
{
    cardan_model*    model            = NULL;
    cardan_data*     data             = NULL;
    cd_rank_analysis p                = {0};
    cardan_status    status           = copy_to_breadth_first_tree(d, &model, &data);
    double           redundancy_error = status == CARDAN_NO_MEMORY ? -1 : 0;
    if (status == CARDAN_OK && (double)data->rows.nrow * data->rows.nrow * model->nv <= cd_redundancy_operations_max) {
        redundancy_error = cd_rank_analysis_init(&p, data, NULL) ? cd_find_redundancy_error(&p, p.q) : -1;
        if (!report_near_redundancy(&p, redundancy_error, d, report)) redundancy_error = -1;
        cd_rank_analysis_destroy(&p);
    }
    cardan_data_destroy(data);
    cardan_model_destroy(model);
    return redundancy_error;
}

// Whether a constraint is disabled, other than those of drivable coordinates.
static bool has_disabled_constraint(const cardan_data* d)
{
    for (int i = 0; d->settings.has_disabled_constraint && i < d->constraints.nconstraint; ++i)
        if (d->settings.is_constraint_disabled[i] && !cd_constraint_is_drivable(d, i)) return true;
    return false;
}

cardan_status cd_update_redundancy_error(cardan_data* d, cardan_report* report)
{
    const double length           = d->reactions.design_length;
    double       redundancy_error = 0;
    bool         is_doubtful      = false;
    d->policy.redundancy_error    = 0;
    free(d->settings.undecidable_rank_message);
    d->settings.undecidable_rank_message = NULL;
    if (d->rows.nrow == 0 || has_disabled_constraint(d)) return CARDAN_OK;
    if (!cd_has_nearly_dependent_rows(d, roundoff_level(d->rows.nrow),
                                      cd_elimination_sigma_factor * cd_independent_sigma, &is_doubtful))
        redundancy_error = -1;
    if (is_doubtful) redundancy_error = compute_redundancy_error(d, report);
    if (redundancy_error < 0)
        return cardan_fail(report, CARDAN_NO_MEMORY, CARDAN_CODE_OUT_OF_MEMORY, cardan_location_none(),
                           "out of memory while assembling '%s'", d->m->view.name);
    if (redundancy_error <= cd_max_redundancy_error) // the unit of a row is unknown
        d->policy.redundancy_error =
            fmin(cd_max_reported_redundancy_error, redundancy_error * fmax(length, 1 / length));
    return CARDAN_OK;
}
