// SPDX-License-Identifier: BSD-3-Clause
// Properties and destruction of tasks.
#include "optimize/task/task.h"

#include "core/memory.h"
#include "model/description.h"
#include "model/model.h"

#include <cardan/dynamics.h>
#include <stdlib.h>

void cardan_task_destroy(cardan_task* t)
{
    if (!t) return;
    cardan_model_destroy(t->model);
    cardan_description_destroy(t->description);
    double* const all[] = {t->q_lower, t->q_upper, t->v_lower, t->v_upper, t->q_guess_end, t->q_start, t->v_start};
    for (size_t i = 0; i < sizeof all / sizeof *all; ++i) free(all[i]);
    free(t->control);
    free(t->start.list);
    free(t->end.list);
    free(t->path.list);
    cd_name_table_destroy(t->strings);
    free(t);
}

bool cd_task_uses_acceleration(const cardan_task* t, cardan_expression formula)
{
    const cardan_description* d    = t->description;
    const cd_node             root = formula;
    bool* depends = formula == CARDAN_NONE ? NULL : cd_allocate((size_t)d->nsignal + 1, sizeof *depends);
    bool  found   = false;
    if (depends && cd_dependence(d->graph, 1, &root, d->nsignal, depends) == CARDAN_OK)
        for (int i = 0; i < d->nsignal; ++i)
            found = found || (depends[i] && d->signal[i].kind == CARDAN_SIGNAL_ACCELERATION);
    free(depends);
    return found;
}

const cardan_model* cardan_task_model(const cardan_task* t) { return t ? t->model : NULL; }

int cd_coordinate_of_velocity(const cardan_model* m, int v)
{
    int before = 0;
    for (int r = 0; r < m->nquaternion; ++r) {
        if (v >= m->quaternion_v[r] && v < m->quaternion_v[r] + 3) return -1 - (3 * r + v - m->quaternion_v[r]);
        before += m->quaternion_v[r] < v;
    }
    return v + before;
}

// Both formulations use the tree that tasks are compiled for.
int cardan_task_formulation(const cardan_task* t)
{
    if (!t) return CARDAN_NONE;
    return cardan_formulation_find(cardan_model_get_view(t->model).nconstraint > 0 ? "augmented" : "order-n");
}

const char* cardan_task_name(const cardan_task* t) { return t ? t->name : NULL; }
const char* cardan_task_model_path(const cardan_task* t) { return t ? t->model_path : NULL; }
