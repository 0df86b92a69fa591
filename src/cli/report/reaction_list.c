// SPDX-License-Identifier: BSD-3-Clause
// Lists of reactions, transmissions and driver efforts of a model instance.
#include "cli/report/reaction_list.h"

#include "cli/report/text_table.h"
#include "cli/support/messages.h"
#include "core/memory.h"

#include <stdio.h>
#include <stdlib.h>

bool cd_reaction_list_open(cd_reaction_list* r, const cd_model_instance* c)
{
    const int njoint = c->model_view.njoint, nconstraint = cardan_data_marker_constraint_count(c->data);
    *r = (cd_reaction_list){.nwrench = njoint + nconstraint, .ntransmission = cardan_data_transmission_count(c->data)};
    r->count        = r->nwrench + r->ntransmission;
    r->entry        = cd_allocate((size_t)r->count + 1, sizeof *r->entry);
    r->wrench       = cd_allocate((size_t)r->nwrench + 1, sizeof *r->wrench);
    r->transmission = cd_allocate((size_t)r->ntransmission + 1, sizeof *r->transmission);
    if (!r->entry || !r->wrench || !r->transmission) return cd_reaction_list_close(r), false;
    for (int i = 0; i < r->nwrench; ++i)
        r->entry[i] = (cd_reaction_entry){.name     = i < njoint ? cardan_model_joint_name(c->model, i)
                                                                 : cardan_data_marker_constraint_name(c->data, i - njoint),
                                          .is_joint = i < njoint,
                                          .wrench   = &r->wrench[i]};
    for (int i = 0; i < r->ntransmission; ++i) {
        r->transmission[i] = cardan_data_transmission_at(c->data, i);
        r->entry[r->nwrench + i] =
            (cd_reaction_entry){.name = r->transmission[i].name, .transmission = &r->transmission[i]};
    }
    return true;
}

void cd_reaction_list_close(cd_reaction_list* r)
{
    free(r->entry);
    free(r->wrench);
    free(r->transmission);
    *r = (cd_reaction_list){0};
}

bool cd_reaction_list_update(cd_reaction_list* r, cardan_data* data, const double* a)
{
    const int njoint = cardan_model_get_view(cardan_data_model(data)).njoint;
    return cd_report_if_no_memory(cardan_data_all_reactions(data, a, r->wrench, r->wrench + njoint, r->transmission)) ==
           CARDAN_OK;
}

bool cd_reaction_is_unique(const cd_reaction_entry* one)
{
    return one->wrench ? one->wrench->unique : one->transmission->unique;
}

cd_value_text cd_coordinate_text(const cd_model_instance* c, const cardan_transmission* t, int k)
{
    cd_value_text word;
    const char*   name = cardan_model_joint_name(c->model, t->joint[k]);
    if (c->model_view.joint_range[t->joint[k]].nv > 1)
        snprintf(word.text, sizeof word.text, "%.48s.%d", name, t->axis[k] + 1);
    else
        snprintf(word.text, sizeof word.text, "%.60s", name);
    return word;
}

bool cd_driver_effort_list_open(cd_driver_effort_list* e, const cd_model_instance* c)
{
    *e        = (cd_driver_effort_list){.count = cardan_data_driver_count(c->data)};
    e->effort = cd_allocate((size_t)e->count + 1, sizeof *e->effort);
    e->unique = cd_allocate((size_t)e->count + 1, sizeof *e->unique);
    if (e->effort && e->unique) return true;
    cd_driver_effort_list_close(e);
    return false;
}

void cd_driver_effort_list_close(cd_driver_effort_list* e)
{
    free(e->effort);
    free(e->unique);
    *e = (cd_driver_effort_list){0};
}

void cd_print_driver_efforts(const cd_model_instance* c)
{
    cd_driver_effort_list e;
    cd_text_table         table = {.align = "lrl"};
    if (!cd_driver_effort_list_open(&e, c)) cd_report_no_memory();
    if (!e.effort) return;
    cardan_data_driver_efforts(c->data, c->a, e.effort, e.unique);
    cd_text_table_add(&table, "driver");
    cd_text_table_add(&table, "effort");
    cd_text_table_add(&table, "%s", "");
    for (int i = 0; i < e.count; ++i) {
        const cardan_driver d = cardan_data_driver_at(c->data, i);
        cd_text_table_add(&table, "%s", d.name);
        cd_text_table_add(&table, "%s", cd_five_digit_text(e.effort[i]).text);
        cd_text_table_add(&table, "%s%s", d.unit, e.unique[i] ? "" : "  (not unique)");
    }
    cd_text_table_print(&table);
    cd_driver_effort_list_close(&e);
}
