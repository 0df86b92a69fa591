// SPDX-License-Identifier: BSD-3-Clause
// Frame of the state that is shown: poses, coordinates, reactions, selected columns, energies.
#include "view/live/live_state.h"

#include "draw/scene.h"

#include <cardan/assemble.h>
#include <cardan/interact.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

static bool needs_efforts(const cd_live* live)
{
    if (!(live->flags & CD_VIEW_VALUES)) return false;
    for (int i = 0; i < live->ncolumn; ++i)
        if (live->model.column[live->column[i]].kind == CD_VALUE_DRIVE) return true;
    return false;
}

static void update_quantities(cd_live* live)
{
    cd_live_model* m       = &live->model;
    const bool     efforts = needs_efforts(live), reactions = live->flags & CD_VIEW_REACTIONS;
    cd_live_model_update(m);
    cardan_data_constraint_violation(m->data, &live->violation[0], &live->violation[1]);
    if (reactions) memset(m->reaction, 0, (size_t)m->model_view.njoint * sizeof *m->reaction);
    if ((!reactions && !efforts) || cardan_data_accelerate(m->data, m->a, NULL, NULL) != CARDAN_OK) return;
    if (reactions) cardan_data_reactions(m->data, m->a, m->reaction);
    if (efforts) cardan_data_driver_efforts(m->data, m->a, m->drive, NULL);
}

// Poses of the other motion at the same time. Returns whether there is one.
static bool update_ghost(cd_live* live)
{
    cd_live_model*           m = &live->aside;
    const cardan_model_view* v = &m->model_view;
    const double             t = live->model.t;
    if (live->ghost.count == 0 || t < cd_history_begin(&live->ghost, 0) || t > cd_history_end(&live->ghost, 0))
        return false;
    const double* entry = cd_history_at(&live->ghost, cd_history_find(&live->ghost, t));
    cardan_data_set_state(m->data, entry[0], entry + 1, entry + 1 + v->nq, entry + 1 + v->nq + v->nv);
    cd_live_model_update(m);
    return true;
}

// Flags of the blocks that were asked for and have content.
static int flags_of_frame(cd_live* live)
{
    int flags = live->flags & ~CD_VIEW_CONTACTS;
    if (!(flags & CD_VIEW_GHOST) || live->exact || !update_ghost(live)) flags &= ~CD_VIEW_GHOST;
    return flags;
}

static double grab_force(cd_live* live)
{
    double f[3] = {0};
    cardan_data_grab_force(live->model.data, 0, f, NULL);
    return sqrt(f[0] * f[0] + f[1] * f[1] + f[2] * f[2]);
}

static void store(cd_live* live, const cd_view_frame* f)
{
    const size_t size = cd_view_frame_size(f);
    pthread_mutex_lock(&live->lock);
    if (size > live->frame_capacity) {
        free(live->frame);
        live->frame          = malloc(size);
        live->frame_capacity = live->frame ? size : 0;
    }
    live->frame_length = live->frame ? size : 0;
    if (live->frame) cd_view_write_frame(f, live->frame);
    live->frame_is_new = live->frame != NULL;
    pthread_mutex_unlock(&live->lock);
    live->settings.notify(live->settings.user);
}

void cd_live_publish(cd_live* live)
{
    cd_live_model* m = &live->model;
    double         column[CD_VIEW_COLUMNS_MAX];
    update_quantities(live);
    const cardan_energies e         = cardan_data_energy(m->data);
    const double          energy[3] = {e.kinetic, e.potential, e.kinetic + e.potential};
    for (int i = 0; i < live->ncolumn; ++i) column[i] = cd_value_column_value(m, live->column[i], energy);
    live->energy[0] = e.kinetic;
    live->energy[1] = e.potential;
    cd_view_frame f = {.flags              = flags_of_frame(live),
                       .scene              = live->scene_id,
                       .number             = ++live->frame_number,
                       .grab_number        = live->grab[0].number,
                       .grab_force         = grab_force(live),
                       .t                  = m->t,
                       .position_violation = live->violation[0],
                       .velocity_violation = live->violation[1],
                       .singular_value     = live->sigma,
                       .rate               = live->rate,
                       .nbody              = m->view.nbody,
                       .ncoordinate        = m->model_view.nq_joint,
                       .njoint             = m->view.njoint,
                       .ncolumn            = live->ncolumn,
                       .pose               = m->pose,
                       .coordinate         = m->joint_q,
                       .reaction           = m->reaction,
                       .column             = column,
                       .ghost              = live->aside.pose};
    memcpy(f.centre, m->centre, sizeof f.centre);
    memcpy(f.energy, live->energy, sizeof f.energy);
    store(live, &f);
    live->changed = false;
}
