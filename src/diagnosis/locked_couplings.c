// SPDX-License-Identifier: BSD-3-Clause
// Couplings that together lock the joints they couple: two gears of different ratios between the same shafts, or a ring
// of gears whose ratios do not multiply to one. All their rows are independent. This is a warning, not an error,
// because standstill satisfies them, as in a truss; a driver function or start velocity that requires motion is an
// error. Couplings lock a velocity if its unit vector lies in the span of their rows.
#include "diagnosis/findings.h"
#include "diagnosis/diagnosis_tolerances.h"
#include "dynamics/rows/constraint_update.h"
#include "dynamics/rows/jacobian_operator.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { MAX_VELOCITIES = 1000 };

static bool is_coupling(const cd_constraint* c) { return c->coupled && c->driven_rows == 0; }

static bool is_locked(const cd_orthonormal_basis* span, int v)
{
    double sum = 0;
    for (int k = 0; k < span->count; ++k) sum += span->vector[k * span->n + v] * span->vector[k * span->n + v];
    return sum > 1 - cd_diagnosis_rank_tolerance;
}

// Add the rows of one coupling to the span. newly_locked (nv): velocities that this locks. Returns their number.
static int add_coupling(const cardan_data* d, int i, cd_orthonormal_basis* span, double* x, bool* locked,
                        bool* newly_locked)
{
    const cd_row_block b     = cd_joint_space_block(d, &d->constraints, i);
    int                count = 0;
    for (int row = 0; row < b.nrow; ++row) {
        double size = 0;
        for (int j = 0; j < b.nv; ++j) size = fmax(size, fabs(b.J[row * b.nv + j]));
        if (!(size > 0)) continue;
        memset(x, 0, (size_t)span->n * sizeof *x);
        for (int j = 0; j < b.nv; ++j) x[b.v[j]] = b.J[row * b.nv + j] / size;
        cd_orthonormal_basis_add(span, x, cd_diagnosis_rank_tolerance);
    }
    for (int v = 0; v < span->n; ++v) {
        newly_locked[v] = !locked[v] && is_locked(span, v);
        locked[v] |= newly_locked[v];
        count += newly_locked[v];
    }
    return count;
}

static bool involves_velocity(const cardan_data* d, int i, const bool* which)
{
    const cd_row_block b = cd_joint_space_block(d, &d->constraints, i);
    for (int j = 0; j < b.nv; ++j)
        if (which[b.v[j]]) return true;
    return false;
}

// Warn that the couplings up to `last` lock these velocities. Returns false if memory is exhausted.
static bool warn_lock(const cardan_data* d, int last, const bool* newly_locked, bool all, cardan_report* report)
{
    const cardan_model* m         = d->m;
    cd_text             couplings = {0}, joints = {0};
    int                 ncoupling = 0, njoint = 0, before = CARDAN_NONE;
    for (int i = 0; i <= last; ++i) {
        const cd_constraint* c = &d->constraints.constraint[i];
        if (is_coupling(c) && involves_velocity(d, i, newly_locked))
            cd_text_format(&couplings, "%s%s '%s'", ncoupling++ ? " and " : "", c->type->name, c->name);
    }
    for (int v = 0; v < m->nv; ++v) {
        int       local;
        const int j = newly_locked[v] ? cardan_model_joint_of_velocity(m, v, &local) : CARDAN_NONE;
        if (j == CARDAN_NONE || j == before) continue;
        cd_text_format(&joints, "%s'%s'", njoint++ ? " and " : "", m->joint[j].name);
        before = j;
    }
    const bool good = !couplings.failed && !joints.failed;
    if (ncoupling > 1 && good)
        cardan_warn(report, CARDAN_CODE_LOCKED_MECHANISM, d->constraints.constraint[last].location,
                    "%s together lock %s %s: their ratios are consistent only at zero velocity, so that %s cannot "
                    "move; remove one, or make the ratios consistent",
                    couplings.data, njoint == 1 ? "joint" : "joints", joints.data,
                    all           ? "this mechanism"
                    : njoint == 1 ? "it"
                                  : "they");
    cd_text_free(&couplings);
    cd_text_free(&joints);
    return good;
}

static cardan_status no_memory(const cardan_data* d, cardan_report* report)
{
    return cardan_fail(report, CARDAN_NO_MEMORY, CARDAN_CODE_OUT_OF_MEMORY, cardan_location_none(),
                       "out of memory while diagnosing '%s'", d->m->view.name);
}

// Check at the state of the data, in coordinates of the breadth-first tree. is_immobile: the
// whole mechanism cannot move.
static cardan_status check_locks(cardan_data* d, bool is_immobile, cardan_report* report)
{
    const int            nv = d->m->nv;
    cd_orthonormal_basis span;
    double*              x      = cd_allocate((size_t)nv + 1, sizeof *x);
    bool *               locked = cd_allocate((size_t)nv + 1, sizeof *locked),
         *newly_locked          = cd_allocate((size_t)nv + 1, sizeof *newly_locked);
    bool good                   = cd_orthonormal_basis_create(&span, nv) && x && locked && newly_locked;
    int  nlocked                = 0;
    cd_update_rows(d);
    for (int i = 0; good && i < d->constraints.nconstraint; ++i) {
        const int nnew =
            is_coupling(&d->constraints.constraint[i]) ? add_coupling(d, i, &span, x, locked, newly_locked) : 0;
        nlocked += nnew;
        if (nnew > 0) good = warn_lock(d, i, newly_locked, is_immobile || nlocked == nv, report);
    }
    cd_orthonormal_basis_free(&span);
    free(x), free(locked), free(newly_locked);
    return good ? CARDAN_OK : no_memory(d, report);
}

static bool has_several_couplings(const cardan_data* d)
{
    int count = 0;
    for (int i = 0; i < d->constraints.nconstraint; ++i) count += is_coupling(&d->constraints.constraint[i]);
    return count > 1;
}

cardan_status cd_report_locked_couplings(cd_rank_analysis* p, cardan_report* report)
{
    if (!has_several_couplings(p->d) || p->nv > MAX_VELOCITIES) return CARDAN_OK;
    cd_rank_analysis_compute(p, p->q_assembled);
    return check_locks(p->d, p->rank == p->nv, report);
}

cardan_status cd_warn_locked_couplings(cardan_data* d, cardan_report* report)
{
    cardan_model* model = NULL;
    cardan_data*  data  = NULL;
    if (!has_several_couplings(d) || d->m->njoint > MAX_VELOCITIES) return CARDAN_OK;
    cardan_status status = cardan_model_compile(d->m->description, CARDAN_TREE_BREADTH_FIRST, &model, NULL);
    const bool    small  = status == CARDAN_OK && model->nv <= MAX_VELOCITIES;
    if (small) status = cd_data_create_without_formulation(model, &data, NULL);
    if (small && status == CARDAN_OK) status = cardan_data_copy_state(d, data);
    if (status == CARDAN_NO_MEMORY)
        no_memory(d, report);
    else
        status = small && status == CARDAN_OK ? check_locks(data, false, report) : CARDAN_OK;
    cardan_data_destroy(data);
    cardan_model_destroy(model);
    return status;
}
