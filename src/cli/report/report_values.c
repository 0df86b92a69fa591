// SPDX-License-Identifier: BSD-3-Clause
// Values of a model instance as JSON.
#include "cli/report/report_values.h"

#include "cli/report/reaction_list.h"
#include "core/memory.h"

#include <stdlib.h>
#include <string.h>

void cd_write_joints_json(cd_json_writer* json, const cd_model_instance* c, const double* q, const double* v,
                          const double* a, const double* effort)
{
    cd_json_begin_object(json, "joints");
    for (int j = 0; j < c->model_view.njoint; ++j) {
        const cardan_index_range range = c->model_view.joint_range[j];
        const int                nq = range.q < 0 ? 0 : range.nq, nv = range.q < 0 ? 0 : range.nv;
        cd_json_begin_object(json, cardan_model_joint_name(c->model, j));
        cd_json_numbers(json, "q", nq, nq ? q + range.q : q);
        cd_json_numbers(json, "v", nv, nv ? v + range.v : v);
        if (a) cd_json_numbers(json, "a", nv, nv ? a + range.v : a);
        if (effort) cd_json_numbers(json, "effort", nv, nv ? effort + range.v : effort);
        cd_json_end(json);
    }
    cd_json_end(json);
}

bool cd_write_bodies_json(cd_json_writer* json, const cd_model_instance* c, const double* a)
{
    const cardan_description_view view = cardan_description_get_view(cardan_model_description(c->model));
    cardan_motion*                body = cd_allocate((size_t)view.nbody + 1, sizeof *body);
    if (!body) return false;
    cardan_data_body_motions(c->data, a, body);
    cd_json_begin_object(json, "bodies");
    for (int i = 0; i < view.nbody; ++i) {
        cd_json_begin_object(json, view.body[i].name);
        cd_json_numbers(json, "p", 3, body[i].p);
        cd_json_numbers(json, "q", 4, body[i].q);
        cd_json_numbers(json, "v", 3, body[i].v);
        cd_json_numbers(json, "w", 3, body[i].w);
        if (a) cd_json_numbers(json, "a", 3, body[i].a);
        if (a) cd_json_numbers(json, "alpha", 3, body[i].alpha);
        cd_json_end(json);
    }
    cd_json_end(json);
    free(body);
    return true;
}

static void write_wrench(cd_json_writer* json, const cd_reaction_entry* one)
{
    cd_json_begin_object(json, one->name);
    cd_json_numbers(json, "force", 3, one->wrench->force);
    cd_json_numbers(json, "torque", 3, one->wrench->torque);
    cd_json_boolean(json, "unique", one->wrench->unique);
    cd_json_end(json);
}

static void write_transmission(cd_json_writer* json, const cd_model_instance* c, const cardan_transmission* t)
{
    cd_json_begin_object(json, t->name);
    cd_json_begin_array(json, "coordinates");
    for (int k = 0; k < t->n; ++k) cd_json_string(json, NULL, cd_coordinate_text(c, t, k).text);
    cd_json_end(json);
    cd_json_numbers(json, "effort", t->n, t->effort);
    cd_json_begin_array(json, "unit");
    for (int k = 0; k < t->n; ++k) cd_json_string(json, NULL, t->unit[k]);
    cd_json_end(json);
    cd_json_boolean(json, "unique", t->unique);
    cd_json_end(json);
}

bool cd_write_reactions_json(cd_json_writer* json, const cd_model_instance* c, const double* a)
{
    cd_reaction_list r;
    const int        njoint = c->model_view.njoint;
    if (!cd_reaction_list_open(&r, c)) return false;
    const bool known = cd_reaction_list_update(&r, c->data, a);
    cd_json_begin_object(json, "reactions");
    for (int i = 0; known && i < njoint; ++i) write_wrench(json, &r.entry[i]);
    cd_json_end(json);
    if (r.nwrench > njoint) {
        cd_json_begin_object(json, "constraint_reactions");
        for (int i = njoint; known && i < r.nwrench; ++i) write_wrench(json, &r.entry[i]);
        cd_json_end(json);
    }
    if (r.ntransmission > 0) {
        cd_json_begin_object(json, "transmissions");
        for (int i = 0; known && i < r.ntransmission; ++i) write_transmission(json, c, &r.transmission[i]);
        cd_json_end(json);
    }
    cd_reaction_list_close(&r);
    return true;
}

// Write the names of drivers with non-unique efforts (those of least norm are given); a driver of several motions once.
static void write_nonunique_drivers(cd_json_writer* json, const cd_model_instance* c, const cd_driver_effort_list* e)
{
    const char* last          = "";
    bool        any_nonunique = false;
    for (int i = 0; i < e->count; ++i) any_nonunique = any_nonunique || !e->unique[i];
    if (!any_nonunique) return;
    cd_json_begin_array(json, "drivers_not_unique");
    for (int i = 0; i < e->count; ++i) {
        const char* name = cardan_data_driver_at(c->data, i).name;
        if (e->unique[i] || strcmp(name, last) == 0) continue;
        cd_json_string(json, NULL, name);
        last = name;
    }
    cd_json_end(json);
}

// One list per driver: a driver of a marker along a curve has three efforts.
bool cd_write_drivers_json(cd_json_writer* json, const cd_model_instance* c)
{
    cd_driver_effort_list e;
    if (!cd_driver_effort_list_open(&e, c)) return false;
    cardan_data_driver_efforts(c->data, c->a, e.effort, e.unique);
    if (e.count > 0) cd_json_begin_object(json, "drivers");
    for (int i = 0; i < e.count;) {
        const char* name  = cardan_data_driver_at(c->data, i).name;
        int         count = 1;
        while (i + count < e.count && strcmp(cardan_data_driver_at(c->data, i + count).name, name) == 0) ++count;
        cd_json_numbers(json, name, count, e.effort + i);
        i += count;
    }
    if (e.count > 0) cd_json_end(json);
    write_nonunique_drivers(json, c, &e);
    cd_driver_effort_list_close(&e);
    return true;
}

void cd_write_states_json(cd_json_writer* json, const cd_model_instance* c, const double* state)
{
    const cardan_description_view view = cardan_description_get_view(cardan_model_description(c->model));
    if (view.nstate == 0) return;
    cd_json_begin_object(json, "states");
    for (int i = 0; i < view.nstate; ++i) cd_json_number(json, view.state[i].name, state[i]);
    cd_json_end(json);
}
