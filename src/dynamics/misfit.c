// SPDX-License-Identifier: BSD-3-Clause
// Misfits are looked for in the coordinates of the shallow tree, whatever solves, so that all take the same decision;
// whether there is anything to look for is told by one orthogonal elimination (sparse_rank.c). Beside a singular pose
// rows say little, too; but a little away from it they say more, and such rows must stay.
#include "dynamics/misfit.h"

#include "core/text.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static const double doubtful   = 1e-6;  // more than this is a row of its own
static const double seen       = 100;   // times a singular value: what eliminations leave of a column
static const double told_apart = 1e-7;  // by pivots, which are squares of it: less is their rounding
static const double rounding   = 5e-16; // a row of singular values
static const double most_tried = 3e7;   // nrow^2 nv
static const double several    = 100;   // times the misfit: gaps at poses nearby
static const double apart      = 10;    // times the misfit: what says more is a row of its own
static const double largest    = 1e-6;  // that formulations are told
static const double has_part   = 0.05;  // of the largest

enum { MOST_NAMES = 12 };

static double least_of(int nrow) { return rounding * nrow; }

// Joints that rows feel which have a part in the first singular value beyond the rank, and those that they close.
// Velocities of free bodies are of no joint.
static void mark_joints(const cd_patient* p, bool* in)
{
    const cardan_data* d    = p->d;
    double             most = 0;
    for (int i = 0; i < p->nrow; ++i) most = fmax(most, fabs(p->left[i * p->nrow + p->rank]));
    for (int c = 0; c < d->closure.nconstraint; ++c) {
        const cd_constraint* tie  = &d->closure.constraint[c];
        double               part = 0;
        for (int row = 0; row < tie->nrow; ++row)
            part = fmax(part, fabs(p->left[(tie->first_row + row) * p->nrow + p->rank]));
        if (!(part > has_part * most)) continue;
        const cd_row_block b = cd_way_of(d, &d->closure, c);
        for (int k = 0; k < b.nv; ++k) {
            int       local;
            const int joint = cardan_model_joint_of_velocity(d->m, b.v[k], &local);
            if (joint >= 0 && joint < d->m->njoint) in[joint] = true;
        }
        if (tie->joint != CARDAN_NONE) in[tie->joint] = true;
    }
}

// Size of the loops that have a part, of that of the mechanism: two pins a micrometre apart hold by levers of that
// length, and by all of it.
static double share_of_length(cd_patient* p, const bool* in)
{
    const cardan_model* m     = p->d->m;
    const vec3*         place = p->d->reacting.place;
    double              most  = 0;
    int                 first = 0;
    while (first < m->njoint - 1 && !in[first]) ++first;
    cd_know_bodies(p->d);
    for (int j = first; j < m->njoint; ++j) {
        const vec3 r = v3_sub(place[j], place[first]);
        if (in[j]) most = fmax(most, sqrt(v3_dot(r, r)));
    }
    const double share = most / p->d->reacting.length;
    return share > 1e-9 ? fmin(share, 1) : 1;
}

// Whether rows say as little at poses nearby as at q; misfit is then the most that they say.
static bool lasts(cd_patient* p, const double* q, double* there, double* misfit)
{
    static const double size[]  = {0.1, 0.03, 0.1};
    const int           rank    = p->rank;
    bool                lasting = false;
    for (int i = 0; i < (int)(sizeof size / sizeof *size); ++i) {
        if (!cd_wander(p, q, size[i], there) || !cd_examine(p, there)) continue;
        lasting = p->rank == rank;
        if (!lasting) break;
        *misfit = fmax(*misfit, p->sigma[rank]);
    }
    return lasting;
}

double cd_misfit_find(cd_patient* p, const double* q)
{
    const double endured  = p->endured;
    const bool   released = p->released;
    double*      there    = cd_allocate((size_t)p->d->m->nq + 1, sizeof *there);
    bool*        in       = cd_allocate((size_t)p->d->m->njoint + 1, sizeof *in);
    double       misfit   = there && in ? 0 : -1;
    p->released           = true;
    p->cut                = doubtful;
    if (misfit == 0 && cd_examine(p, q) && p->rank < p->most && p->sigma[p->rank] > least_of(p->nrow)) {
        misfit = p->sigma[p->rank];
        mark_joints(p, in);
        p->endured = fmax(endured, several * misfit);
        if (misfit > doubtful * share_of_length(p, in) || !lasts(p, q, there, &misfit)) misfit = 0;
    }
    free(there);
    free(in);
    cd_examine(p, q);
    p->released = released;
    p->cut      = misfit <= cd_misfit_most ? fmax(0, apart * misfit) : 0;
    p->endured  = misfit <= cd_misfit_most ? fmax(endured, several * misfit) : endured;
    return misfit;
}

static void name_joints(const cd_patient* p, cd_text* text)
{
    const cardan_model* m     = p->d->m;
    bool*               in    = cd_allocate((size_t)m->njoint + 1, sizeof *in);
    int                 count = 0;
    if (!in) text->failed = true;
    if (in) mark_joints(p, in);
    for (int j = 0; in && j < m->njoint && count < MOST_NAMES; ++j)
        if (in[j]) cd_text_format(text, "%s'%.60s'", count++ > 0 ? ", " : "", m->joint[j].name);
    if (count == MOST_NAMES) cd_text_add(text, ", ...");
    free(in);
}

// False without memory.
static bool tell(const cd_patient* p, double misfit, cardan_data* d, cardan_report* report)
{
    cd_text text = {0};
    if (!(misfit > cd_misfit_most)) return true;
    cd_text_add(&text, "constraints round joints ");
    name_joints(p, &text);
    cd_text_format(&text, " repeat each other at every pose, but only up to %.1g of their size", misfit);
    const bool good = !text.failed;
    if (good)
        cardan_warn(report, CARDAN_CODE_UNDECIDABLE_RANK, cardan_nowhere(),
                    "%s, which is neither repeated nor independent: write axes and places there exactly, or with all "
                    "digits, or apart by much more",
                    text.data);
    if (good && misfit <= told_apart) d->torn = cd_text_take(&text);
    cd_text_free(&text);
    return good;
}

// The state of d in a shallow tree of its own.
static cardan_status copy(cardan_data* d, cardan_model** model, cardan_data** data)
{
    cardan_status status = cardan_model_compile(d->m->description, CARDAN_TREE_SHALLOW, model, NULL);
    if (status == CARDAN_OK) status = cd_data_create_bare(*model, data, NULL);
    if (status != CARDAN_OK) return status;
    memcpy((*data)->outer, d->outer, (size_t)(*model)->nmotion * sizeof *d->outer);
    memcpy((*data)->outer_law, d->outer_law, 3 * (size_t)(*model)->nmotion * sizeof *d->outer_law);
    return cardan_exchange(d, *data);
}

// The misfit at the state of d, which is not that of a large mechanism; below zero without memory.
static double look(cardan_data* d, cardan_report* report)
{
    cardan_model* model  = NULL;
    cardan_data*  data   = NULL;
    cd_patient    p      = {0};
    cardan_status status = copy(d, &model, &data);
    double        misfit = status == CARDAN_NO_MEMORY ? -1 : 0;
    if (status == CARDAN_OK && (double)data->rows.nrow * data->rows.nrow * model->nv <= most_tried) {
        misfit = cd_patient_admit(&p, data, NULL) ? cd_misfit_find(&p, p.q) : -1;
        if (!tell(&p, misfit, d, report)) misfit = -1;
        cd_patient_dismiss(&p);
    }
    cardan_data_destroy(data);
    cardan_model_destroy(model);
    return misfit;
}

cardan_status cd_misfit_take(cardan_data* d, cardan_report* report)
{
    const double length = d->reacting.length;
    double       misfit = 0;
    bool         some   = false;
    d->rows.misfit = d->system.misfit = 0;
    free(d->torn);
    d->torn = NULL;
    if (d->rows.nrow == 0 || d->some_off) return CARDAN_OK;
    if (!cd_rows_doubtful(d, least_of(d->rows.nrow), seen * doubtful, &some)) misfit = -1;
    if (some) misfit = look(d, report);
    if (misfit < 0)
        return cardan_fail(report, CARDAN_NO_MEMORY, CARDAN_CODE_OUT_OF_MEMORY, cardan_nowhere(),
                           "no memory to assemble '%s'", d->m->view.name);
    if (misfit <= cd_misfit_most)
        d->rows.misfit = d->system.misfit = fmin(largest, misfit * fmax(length, 1 / length)); // rows may be in any unit
    return CARDAN_OK;
}
