// SPDX-License-Identifier: BSD-3-Clause
// Lists of reactions, transmissions and driver efforts of a model instance.
#include "cli/report/reaction_list.h"

#include "cli/report/text_table.h"
#include "cli/support/messages.h"
#include "core/memory.h"
#include "draw/scene.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char* const point_name[] = {"first", "second", "centre", "origin"};

const char* cd_reaction_point_name(int i)
{
    return i >= 0 && i < (int)(sizeof point_name / sizeof *point_name) ? point_name[i] : NULL;
}

static cd_reaction_point point_of(const char* name)
{
    for (int i = 0; name && cd_reaction_point_name(i); ++i)
        if (strcmp(name, point_name[i]) == 0) return (cd_reaction_point)i;
    return CD_POINT_FIRST;
}

// Index of a constraint of the description by its name, or -1.
static int find_constraint(const cardan_description_view* view, const char* name)
{
    for (int i = 0; i < view->nconstraint; ++i)
        if (strcmp(view->constraint[i].name, name) == 0) return i;
    return -1;
}

bool cd_reaction_list_open(cd_reaction_list* r, const cd_model_instance* c)
{
    const int njoint = c->model_view.njoint, nconstraint = cardan_data_marker_constraint_count(c->data);
    *r = (cd_reaction_list){.nwrench = njoint + nconstraint, .ntransmission = cardan_data_transmission_count(c->data)};
    r->count                           = r->nwrench + r->ntransmission;
    r->entry                           = cd_allocate((size_t)r->count + 1, sizeof *r->entry);
    r->wrench                          = cd_allocate((size_t)r->nwrench + 1, sizeof *r->wrench);
    r->transmission                    = cd_allocate((size_t)r->ntransmission + 1, sizeof *r->transmission);
    const cardan_description_view view = cardan_description_get_view(cardan_model_description(c->model));
    r->point                           = point_of(c->reaction_point);
    r->constraint                      = cd_allocate((size_t)nconstraint + 1, sizeof *r->constraint);
    r->body                            = cd_allocate((size_t)view.nbody + 1, sizeof *r->body);
    if (!r->entry || !r->wrench || !r->transmission || !r->constraint || !r->body)
        return cd_reaction_list_close(r), false;
    for (int i = 0; i < nconstraint; ++i)
        r->constraint[i] = find_constraint(&view, cardan_data_marker_constraint_name(c->data, i));
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
    free(r->constraint);
    free(r->body);
    *r = (cd_reaction_list){0};
}

// World position of a point of a body, given in the body frame; of ground for body < 0.
static cd_xyz world_point(const cd_reaction_list* r, const cardan_description_view* view, int body, const double p[3])
{
    if (body < 0) return xyz_of(p);
    const cardan_pose pose = cd_body_frame_pose(&view->body[body], &r->body[body]);
    return xyz_transform(&pose, xyz_of(p));
}

// Point of a reaction that acts on `body`, between two points given in the frames of two bodies.
static cd_xyz reaction_point(const cd_reaction_list* r, int body, cd_xyz second)
{
    if (r->point == CD_POINT_SECOND) return second;
    if (r->point == CD_POINT_CENTRE && body >= 0) return xyz_of(r->body[body].p);
    return (cd_xyz){0, 0, 0};
}

// Torque about `to` in place of `from`: t + (from - to) x f.
static void move_torque(cardan_reaction* wrench, cd_xyz from, cd_xyz to)
{
    const cd_xyz more = xyz_cross(xyz_sub(from, to), xyz_of(wrench->force));
    wrench->torque[0] += more.x;
    wrench->torque[1] += more.y;
    wrench->torque[2] += more.z;
}

static cd_xyz marker_point(const cd_reaction_list* r, const cardan_description_view* view, int marker)
{
    return marker < 0 ? (cd_xyz){0, 0, 0}
                      : world_point(r, view, view->marker[marker].body, view->marker[marker].pose.p);
}

// Refer the torques of all reactions to the point of the list.
static void move_reactions(cd_reaction_list* r, cardan_data* data, const double* a, int njoint)
{
    const cardan_description_view view = cardan_description_get_view(cardan_model_description(cardan_data_model(data)));
    cardan_data_body_motions(data, a, r->body);
    for (int i = 0; i < njoint && i < view.njoint; ++i) {
        const cardan_joint* j      = &view.joint[i];
        const cd_xyz        first  = world_point(r, &view, j->first_body, j->frame_first.p);
        const cd_xyz        second = world_point(r, &view, j->second_body, j->frame_second.p);
        move_torque(&r->wrench[i], first, reaction_point(r, j->second_body, second));
    }
    for (int i = njoint; i < r->nwrench; ++i) {
        if (r->constraint[i - njoint] < 0) continue;
        const int*   marker = view.constraint[r->constraint[i - njoint]].marker;
        const int    body   = marker[0] < 0 ? CARDAN_GROUND : view.marker[marker[0]].body;
        const cd_xyz second = marker_point(r, &view, marker[1]);
        move_torque(&r->wrench[i], marker_point(r, &view, marker[0]), reaction_point(r, body, second));
    }
}

bool cd_reaction_list_update(cd_reaction_list* r, cardan_data* data, const double* a)
{
    const int njoint = cardan_model_get_view(cardan_data_model(data)).njoint;
    if (cd_report_if_no_memory(cardan_data_all_reactions(data, a, r->wrench, r->wrench + njoint, r->transmission)) !=
        CARDAN_OK)
        return false;
    if (r->point != CD_POINT_FIRST) move_reactions(r, data, a, njoint);
    return true;
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
        cd_text_table_add(&table, "%s", cd_rounded_text(e.effort[i], cd_largest_value(e.count, e.effort, 0)).text);
        cd_text_table_add(&table, "%s%s", d.unit, e.unique[i] ? "" : "  (not unique)");
    }
    cd_text_table_print(&table);
    cd_driver_effort_list_close(&e);
}
