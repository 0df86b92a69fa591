// SPDX-License-Identifier: BSD-3-Clause
// Columns of the viewer: coordinates and velocities of joints, outputs of the model, efforts of drivers, energies.
#include "view/mechanism/live_model.h"

#include "core/memory.h"

#include <stdio.h>
#include <string.h>

static void add(cd_live_model* m, cd_value_kind kind, int index, const char* unit, const char* name, const char* part,
                int number)
{
    cd_value_column* c = &m->column[m->ncolumn++];
    *c                 = (cd_value_column){.kind = kind, .index = index};
    snprintf(c->unit, sizeof c->unit, "%s", unit ? unit : "");
    if (number > 0)
        snprintf(c->name, sizeof c->name, "%s.%s%d", name, part, number);
    else
        snprintf(c->name, sizeof c->name, "%s%s%s", name, *part ? "." : "", part);
}

bool cd_value_columns_create(cd_live_model* m)
{
    static const char* const energy[] = {"kinetic", "potential", "total"};
    const cardan_model_view* v        = &m->model_view;
    const int                ndriver  = cardan_data_driver_count(m->data);
    m->column = cd_allocate((size_t)(v->nq_joint + v->nv_joint + m->view.noutput + ndriver) + 3, sizeof *m->column);
    m->drive  = cd_allocate((size_t)ndriver + 1, sizeof *m->drive);
    if (!m->column || !m->drive) return false;
    for (int j = 0; j < v->njoint; ++j) {
        const cardan_index_range r = v->joint_range[j];
        const char*              n = cardan_model_joint_name(m->model, j);
        for (int i = 0; r.q >= 0 && i < r.nq; ++i)
            add(m, CD_VALUE_Q, r.q + i, cardan_model_q_unit(m->model, j, i), n, "q", r.nq > 1 ? i + 1 : 0);
        for (int i = 0; r.v >= 0 && i < r.nv; ++i)
            add(m, CD_VALUE_V, r.v + i, cardan_model_v_unit(m->model, j, i), n, "v", r.nv > 1 ? i + 1 : 0);
    }
    for (int i = 0; i < m->view.noutput; ++i)
        add(m, CD_VALUE_OUTPUT, i, m->view.output[i].unit, m->view.output[i].name, "", 0);
    for (int i = 0; i < ndriver; ++i) {
        const cardan_driver driver = cardan_data_driver_at(m->data, i);
        const bool          single = driver.joint != CARDAN_NONE && v->joint_range[driver.joint].nv == 1;
        if (single) add(m, CD_VALUE_DRIVE, i, driver.unit, driver.name, "drive", 0);
    }
    for (int i = 0; i < 3; ++i) add(m, CD_VALUE_ENERGY, i, "J", "energy", energy[i], 0);
    return true;
}

int cd_value_column_find(const cd_live_model* m, const char* name)
{
    for (int i = 0; i < m->ncolumn; ++i)
        if (strcmp(m->column[i].name, name) == 0) return i;
    return CARDAN_NONE;
}

double cd_value_column_value(const cd_live_model* m, int column, const double energy[3])
{
    const cd_value_column* c = &m->column[column];
    return c->kind == CD_VALUE_Q        ? m->joint_q[c->index]
           : c->kind == CD_VALUE_V      ? m->joint_v[c->index]
           : c->kind == CD_VALUE_OUTPUT ? m->output[c->index]
           : c->kind == CD_VALUE_DRIVE  ? m->drive[c->index]
                                        : energy[c->index];
}
