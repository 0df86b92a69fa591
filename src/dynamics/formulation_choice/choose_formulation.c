// SPDX-License-Identifier: BSD-3-Clause
// Selects the formulation of a mechanism if none is named: the one with the least estimated time per evaluation, from
// the operations counted at the start configuration times the measured time per operation of the formulation
// (cd_formulation.time_per_operation).
//
//   trees    Cholesky along the tree costs the sum of squared depths, articulated bodies a constant per joint
//   loops    embedding costs cubes of small clusters, augmented squared depths and cuts, order-n its cuts, reduction
//            the size of its fronts; maximal coordinates are linear with the largest constant
//
// The operations are those of a whole evaluation, constraint rows included. The choice must stay cheap: formulations
// are counted in the order of an estimate from sizes and depth, and expensive ones only while the estimate can be
// lower than the cheapest count so far; linear ones up to some thousand bodies. For larger mechanisms nothing is
// counted: if the fronts of the reduction stay narrow, according to its symbolic phase, reduction is chosen (1.6 to 9
// times faster than maximal coordinates at 16,384 cells of all families with narrow fronts), else maximal
// coordinates, whose elimination order needs no tree. If an integrator solves equations with a matrix that is sparse
// in maximal coordinates and dense in joint coordinates, and the latter are not much fewer, maximal coordinates are
// chosen. A formulation that does not support the mechanism, or fails at its start, is skipped; if memory is exhausted
// nothing is chosen, because the result would depend on the memory available.
#include "dynamics/formulation_choice/choose_formulation.h"

#include "core/check_arguments.h"
#include "dynamics/dynamics_tolerances.h"
#include "dynamics/formulation_choice/formulation_candidates.h"
#include "dynamics/data.h"
#include "dynamics/state.h"
#include "formulation/coordinate_reduction/fronts.h"
#include "model/model.h"

#include <cardan/assemble.h>
#include <cardan/dynamics.h>
#include <stdio.h>
#include <string.h>

enum { SMALL_SYSTEM = 150 };                          // size: velocities + 6 constraints
static const int max_counted_size[2] = {20000, 2000}; // linear formulations are counted: trees, loops

enum { MAX_REPORTED = 3 };

// "12,345"
static int format_count(char* text, size_t size, double value)
{
    const long v = (long)(value + 0.5);
    if (v >= 1000000) return snprintf(text, size, "%ld,%03ld,%03ld", v / 1000000, v / 1000 % 1000, v % 1000);
    return v >= 1000 ? snprintf(text, size, "%ld,%03ld", v / 1000, v % 1000) : snprintf(text, size, "%ld", v);
}

// Explain why formulations with fewer operations are not chosen: their time per operation relative to the chosen one,
// divisions included.
static void describe_time_per_operation(const cd_formulation_candidate* found, int n, char* text, size_t size)
{
    const double time_per_operation = found[0].cost / found[0].counted_operations;
    size_t       at                 = 0;
    for (int i = 1; i < n && i <= MAX_REPORTED && at < size; ++i) {
        if (!(found[i].counted_operations < found[0].counted_operations)) continue;
        const int more = snprintf(text + at, size - at,
                                  at == 0 ? "; an operation of %s takes %.2g times as long" : ", of %s %.2g times",
                                  cd_formulation_at(found[i].formulation)->name,
                                  found[i].cost / found[i].counted_operations / time_per_operation);
        if (more > 0) at += (size_t)more;
    }
}

// List the formulations that were not counted because of the cost of counting.
static void describe_uncounted(const cd_formulation_candidate* uncounted, int nuncounted, char* text, size_t size)
{
    size_t at = 0;
    for (int i = 0; i < nuncounted && at < size; ++i) {
        const int more =
            snprintf(text + at, size - at, "%s%s", at > 0 ? " and " : "; not counted because of their size: ",
                     cd_formulation_at(uncounted[i].formulation)->name);
        if (more > 0) at += (size_t)more;
    }
}

static void describe_choice(const cd_formulation_candidate* found, int n, cardan_formulation_choice* choice)
{
    char   number[40];
    size_t at = 0;
    for (int i = 0; i < n && i <= MAX_REPORTED && at < sizeof choice->reason; ++i) {
        format_count(number, sizeof number, found[i].counted_operations);
        const int more = snprintf(choice->reason + at, sizeof choice->reason - at,
                                  i == 0   ? "%s, %s operations per evaluation"
                                  : i == 1 ? "; %s %s"
                                           : ", %s %s",
                                  cd_formulation_at(found[i].formulation)->name, number);
        if (more > 0) at += (size_t)more;
    }
    if (at < sizeof choice->reason)
        describe_time_per_operation(found, n, choice->reason + at, sizeof choice->reason - at);
}

// Whether a formulation that is not counted supports the mechanism.
static cardan_status check_supported(cardan_model* const model[3], int formulation)
{
    cardan_data*        data   = NULL;
    const cardan_model* m      = formulation == CARDAN_NONE ? NULL : model[cd_formulation_at(formulation)->tree_policy];
    const cardan_status status = m ? cardan_data_create(m, formulation, &data, NULL) : CARDAN_UNSUPPORTED;
    cardan_data_destroy(data);
    return status;
}

// Whether reduction supports the mechanism and its fronts are narrow.
static cardan_status has_narrow_fronts(const cardan_model* m, int formulation, bool* is_narrow)
{
    cardan_data*        data   = NULL;
    const cardan_status status = m ? cardan_data_create(m, formulation, &data, NULL) : CARDAN_UNSUPPORTED;
    *is_narrow                 = status == CARDAN_OK &&
                 cd_reduction_operation_count(data->formulation, data->formulation_work) < cd_narrow_front_work * m->nv;
    cardan_data_destroy(data);
    return status;
}

// Choose without counts: the mechanism is too large, or no formulation solves its start, in which case the reference
// formulation gives the most informative error. Returns CARDAN_NO_MEMORY or CARDAN_OK.
static cardan_status choose_by_size(const cardan_description* description, cardan_model* model[3], bool loops, int size,
                                    cardan_formulation_choice* choice)
{
    const bool is_uncounted = size > max_counted_size[loops], is_large = size > SMALL_SYSTEM;
    const int  reduction = cardan_formulation_find("reduction");
    bool       fronts    = false;
    if (is_uncounted && loops &&
        has_narrow_fronts(model[CARDAN_TREE_BREADTH_FIRST], reduction, &fronts) == CARDAN_NO_MEMORY)
        return CARDAN_NO_MEMORY;
    if (fronts) {
        choice->formulation = reduction;
    } else {
        if (loops && !model[CARDAN_TREE_MAXIMAL] &&
            cardan_model_compile(description, CARDAN_TREE_MAXIMAL, &model[CARDAN_TREE_MAXIMAL], NULL) ==
                CARDAN_NO_MEMORY)
            return CARDAN_NO_MEMORY;
        const int           formulation = cardan_formulation_find(!loops ? "order-n" : is_large ? "lagrange" : "dense");
        const cardan_status status      = check_supported(model, formulation);
        if (status == CARDAN_NO_MEMORY) return status;
        choice->formulation = status == CARDAN_OK ? formulation : cardan_formulation_find(loops ? "dense" : "order-n");
    }
    const char* name = cd_formulation_at(choice->formulation)->name;
    if (is_uncounted)
        snprintf(choice->reason, sizeof choice->reason,
                 "%s, by the structure of the mechanism; too large to count operations", name);
    else
        snprintf(choice->reason, sizeof choice->reason,
                 "%s; no formulation solves the start state, so operations are not counted", name);
    return CARDAN_OK;
}

// Assembled start, at which `compare` counts, too; NULL: use the start as described. Returns CARDAN_NO_MEMORY or
// CARDAN_OK.
static cardan_status assemble_start(const cardan_model* m, int size, cardan_data** start)
{
    enum { MAX_ASSEMBLED_SIZE = 600 };
    const cardan_model_view view = cardan_model_get_view(m);
    *start                       = NULL;
    if (size > MAX_ASSEMBLED_SIZE) return CARDAN_OK;
    cardan_status status = cd_data_create_without_formulation(m, start, NULL);
    if (status == CARDAN_OK) status = cd_data_set_state(*start, 0, view.q_start, view.v_start, NULL);
    if (status == CARDAN_OK) status = cardan_data_assemble(*start, NULL, NULL, NULL, NULL, NULL);
    if (status == CARDAN_OK) return status;
    cardan_data_destroy(*start);
    *start = NULL;
    return status == CARDAN_NO_MEMORY ? status : CARDAN_OK;
}

enum { MIN_SPARSE_VELOCITIES = 60 }; // velocities in maximal coordinates above which a sparse matrix pays

// Compile the model in maximal coordinates if there is none; NULL if the mechanism has none. Returns CARDAN_NO_MEMORY
// or CARDAN_OK.
static cardan_status compile_maximal(const cardan_description* description, cardan_model* model[3])
{
    cardan_model**      maximal = &model[CARDAN_TREE_MAXIMAL];
    const cardan_status status =
        *maximal ? CARDAN_OK : cardan_model_compile(description, CARDAN_TREE_MAXIMAL, maximal, NULL);
    if (status != CARDAN_OK) *maximal = NULL;
    return status == CARDAN_NO_MEMORY ? status : CARDAN_OK;
}

// Choose lagrange if it makes the matrix of an integrator sparse and not much larger. Returns CARDAN_NO_MEMORY or
// CARDAN_OK.
static cardan_status choose_sparse(const cardan_description* description, cardan_model* model[3],
                                   cardan_formulation_choice* choice)
{
    const int     lagrange = cardan_formulation_find("lagrange");
    cardan_status status   = compile_maximal(description, model);
    if (status != CARDAN_OK || !model[CARDAN_TREE_MAXIMAL]) return status;
    const int nv_maximal = cardan_model_get_view(model[CARDAN_TREE_MAXIMAL]).nv,
              nv_tree    = cardan_model_get_view(model[CARDAN_TREE_BREADTH_FIRST]).nv;
    if (nv_maximal < MIN_SPARSE_VELOCITIES || nv_maximal > cd_max_maximal_velocity_ratio * nv_tree) return CARDAN_OK;
    status = check_supported(model, lagrange);
    if (status != CARDAN_OK) return status == CARDAN_NO_MEMORY ? status : CARDAN_OK;
    choice->formulation = lagrange;
    snprintf(
        choice->reason, sizeof choice->reason,
        "lagrange, whose %d velocities give a sparse Jacobian for the integrator; the %d of joints give a dense one",
        nv_maximal, nv_tree);
    return CARDAN_OK;
}

// Choose by counted operations, for mechanisms that are not too large. Returns CARDAN_NO_MEMORY or CARDAN_OK.
static cardan_status choose_cheapest(const cardan_description* description, cardan_model* model[3], int size,
                                     int nconstraint, cardan_formulation_choice* choice)
{
    cd_formulation_candidate found[CD_MAX_CANDIDATES];
    const bool               loops = nconstraint > 0;
    int                      n = 0, nuncounted = 0;
    cardan_data*             start  = NULL;
    cardan_status            status = loops ? compile_maximal(description, model) : CARDAN_OK;
    if (status == CARDAN_OK && loops) status = assemble_start(model[CARDAN_TREE_BREADTH_FIRST], size, &start);
    if (status == CARDAN_OK) status = cd_count_candidates(model, start, loops, nconstraint, found, &n, &nuncounted);
    cardan_data_destroy(start);
    if (status != CARDAN_OK || n == 0) return status;
    choice->formulation = found[0].formulation;
    choice->operations  = found[0].counted_operations;
    describe_choice(found, n, choice);
    const size_t at = strlen(choice->reason);
    describe_uncounted(found + n, nuncounted, choice->reason + at, sizeof choice->reason - at);
    return CARDAN_OK;
}

cardan_status cd_choose_formulation(const cardan_description* description, bool sparse,
                                    cardan_formulation_choice* choice, cardan_report* report)
{
    CD_REQUIRE_POINTER(choice, "choice", report);
    *choice = (cardan_formulation_choice){.formulation = CARDAN_NONE};
    CD_REQUIRE_POINTER(description, "description", report);
    cardan_model* models[3] = {NULL};
    cardan_status status =
        cardan_model_compile(description, CARDAN_TREE_BREADTH_FIRST, &models[CARDAN_TREE_BREADTH_FIRST], report);
    if (status != CARDAN_OK) return status;
    const cardan_model_view view  = cardan_model_get_view(models[CARDAN_TREE_BREADTH_FIRST]);
    const bool              loops = view.nconstraint > 0;
    const int               size  = view.nv + 6 * view.nconstraint;
    if (sparse) status = choose_sparse(description, models, choice);
    if (status == CARDAN_OK && choice->formulation == CARDAN_NONE && size <= max_counted_size[loops])
        status = choose_cheapest(description, models, size, view.nconstraint, choice);
    if (status == CARDAN_OK && choice->formulation == CARDAN_NONE)
        status = choose_by_size(description, models, loops, size, choice);
    for (int i = 0; i < 3; ++i) cardan_model_destroy(models[i]);
    if (status != CARDAN_NO_MEMORY) return CARDAN_OK;
    *choice = (cardan_formulation_choice){.formulation = CARDAN_NONE};
    return cardan_fail(report, status, CARDAN_CODE_OUT_OF_MEMORY, cardan_location_none(),
                       "out of memory while choosing a formulation");
}
