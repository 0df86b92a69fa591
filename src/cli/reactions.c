// SPDX-License-Identifier: BSD-3-Clause
#include "cli/reactions.h"

#include "cli/grid.h"
#include "cli/messages.h"
#include "core/memory.h"

#include <stdio.h>
#include <stdlib.h>

bool cd_reactions_open(cd_reactions* r, const cd_case* c)
{
    const int njoint = c->look.njoint, nconstraint = cardan_constraint_count(c->data);
    *r        = (cd_reactions){.nwrench = njoint + nconstraint, .ntransmission = cardan_transmission_count(c->data)};
    r->count  = r->nwrench + r->ntransmission;
    r->one    = cd_allocate((size_t)r->count + 1, sizeof *r->one);
    r->wrench = cd_allocate((size_t)r->nwrench + 1, sizeof *r->wrench);
    r->transmission = cd_allocate((size_t)r->ntransmission + 1, sizeof *r->transmission);
    if (!r->one || !r->wrench || !r->transmission) return cd_reactions_close(r), false;
    for (int i = 0; i < r->nwrench; ++i)
        r->one[i] = (cd_reacting_one){.name   = i < njoint ? cardan_model_joint_name(c->model, i)
                                                           : cardan_constraint_name(c->data, i - njoint),
                                      .joint  = i < njoint,
                                      .wrench = &r->wrench[i]};
    for (int i = 0; i < r->ntransmission; ++i) {
        r->transmission[i] = cardan_transmission_at(c->data, i);
        r->one[r->nwrench + i] =
            (cd_reacting_one){.name = r->transmission[i].name, .transmission = &r->transmission[i]};
    }
    return true;
}

void cd_reactions_close(cd_reactions* r)
{
    free(r->one);
    free(r->wrench);
    free(r->transmission);
    *r = (cd_reactions){0};
}

bool cd_reactions_at(cd_reactions* r, cardan_data* data, const double* a)
{
    const int njoint = cardan_model_look(cardan_data_model(data)).njoint;
    return cd_heed_memory(cardan_reactions_of_all(data, a, r->wrench, r->wrench + njoint, r->transmission)) ==
           CARDAN_OK;
}

bool cd_reaction_unique(const cd_reacting_one* one)
{
    return one->wrench ? one->wrench->unique : one->transmission->unique;
}

cd_word cd_coordinate_word(const cd_case* c, const cardan_transmission* t, int k)
{
    cd_word     word;
    const char* name = cardan_model_joint_name(c->model, t->joint[k]);
    if (c->look.place[t->joint[k]].nv > 1)
        snprintf(word.text, sizeof word.text, "%.48s.%d", name, t->axis[k] + 1);
    else
        snprintf(word.text, sizeof word.text, "%.60s", name);
    return word;
}

bool cd_efforts_open(cd_efforts* e, const cd_case* c)
{
    *e        = (cd_efforts){.n = cardan_driver_count(c->data)};
    e->effort = cd_allocate((size_t)e->n + 1, sizeof *e->effort);
    e->unique = cd_allocate((size_t)e->n + 1, sizeof *e->unique);
    if (e->effort && e->unique) return true;
    cd_efforts_close(e);
    return false;
}

void cd_efforts_close(cd_efforts* e)
{
    free(e->effort);
    free(e->unique);
    *e = (cd_efforts){0};
}

void cd_print_drivers(const cd_case* c)
{
    cd_efforts e;
    cd_grid    grid = {.align = "lrl"};
    if (!cd_efforts_open(&e, c)) cd_say_no_memory();
    if (!e.effort) return;
    cardan_driver_efforts(c->data, c->a, e.effort, e.unique);
    cd_grid_add(&grid, "driver");
    cd_grid_add(&grid, "effort");
    cd_grid_add(&grid, "%s", "");
    for (int i = 0; i < e.n; ++i) {
        const cardan_driver d = cardan_driver_at(c->data, i);
        cd_grid_add(&grid, "%s", d.name);
        cd_grid_add(&grid, "%s", cd_number_word(e.effort[i]).text);
        cd_grid_add(&grid, "%s%s", d.unit, e.unique[i] ? "" : "  (not unique)");
    }
    cd_grid_print(&grid);
    cd_efforts_close(&e);
}
