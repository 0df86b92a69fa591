// SPDX-License-Identifier: BSD-3-Clause
// Contact forces of pairs of bodies. With the forces f_i of B on A and the normals n_i of the points that touch
//
//   normal = sum n_i.f_i,   friction = |sum (f_i - (n_i.f_i) n_i)|,
//
// so that friction forces that cancel within the pair do not count, and normal forces in opposite directions do.
#include "cli/contact/contact_loads.h"

#include "contact/scene/contact_scene.h"
#include "core/memory.h"
#include "core/text.h"

#include <limits.h>
#include <math.h>
#include <stdlib.h>

static int rank_of(int body) { return body == CARDAN_GROUND ? INT_MAX : body; }

static int compare_pairs(const void* first, const void* second)
{
    const cd_contact_load *a = first, *b = second;
    for (int i = 0; i < 2; ++i) {
        const int x = rank_of(a->body[i]), y = rank_of(b->body[i]);
        if (x != y) return x < y ? -1 : 1;
    }
    return 0;
}

// The pair of two bodies in the order of the list.
static cd_contact_load pair_of(const int body[2])
{
    const bool swapped = rank_of(body[1]) < rank_of(body[0]);
    return (cd_contact_load){.body = {body[swapped], body[!swapped]}};
}

static char* name_of(const cardan_description_view* view, const cd_contact_load* load)
{
    cd_text text = {0};
    cd_text_add(&text, "contact");
    for (int i = 0; i < 2; ++i)
        cd_text_format(&text, ".%s", load->body[i] == CARDAN_GROUND ? "ground" : view->body[load->body[i]].name);
    return cd_text_detach(&text);
}

bool cd_contact_load_list_open(cd_contact_load_list* l, const cd_model_instance* c)
{
    const cd_contact_scene*       s    = c->model->contact_scene;
    const cardan_description_view view = cardan_description_get_view(cardan_model_description(c->model));
    *l                                 = (cd_contact_load_list){0};
    if (!s) return true;
    l->capacity = s->capacity;
    l->load     = cd_allocate((size_t)s->npair + 1, sizeof *l->load);
    l->contact  = cd_allocate((size_t)s->capacity + 1, sizeof *l->contact);
    if (!l->load || !l->contact) return false;
    for (int i = 0; i < s->npair; ++i)
        l->load[i] = pair_of((int[]){s->shape[s->pair[i].shape[0]].body, s->shape[s->pair[i].shape[1]].body});
    qsort(l->load, (size_t)s->npair, sizeof *l->load, compare_pairs);
    for (int i = 0; i < s->npair; ++i) // several shapes of two bodies are one pair
        if (l->count == 0 || compare_pairs(&l->load[l->count - 1], &l->load[i]) != 0) l->load[l->count++] = l->load[i];
    for (int i = 0; i < l->count; ++i)
        if (!(l->load[i].name = name_of(&view, &l->load[i]))) return false;
    return true;
}

void cd_contact_load_list_close(cd_contact_load_list* l)
{
    for (int i = 0; i < l->count; ++i) free(l->load[i].name);
    free(l->load);
    free(l->contact);
    *l = (cd_contact_load_list){0};
}

// Add the points of a pair of bodies.
static void sum_points(cd_contact_load* load, int count, const cardan_contact* contact)
{
    double friction[3] = {0};
    load->normal = load->points = 0;
    for (int i = 0; i < count; ++i) {
        const cardan_contact* c    = &contact[i];
        const cd_contact_load pair = pair_of(c->body);
        if (c->phase == CARDAN_CONTACT_OPEN || compare_pairs(&pair, load) != 0) continue;
        const double sign = pair.body[0] == c->body[0] ? 1 : -1; // forces are those on A
        const double n    = c->normal[0] * c->force[0] + c->normal[1] * c->force[1] + c->normal[2] * c->force[2];
        for (int k = 0; k < 3; ++k) friction[k] += sign * (c->force[k] - n * c->normal[k]);
        load->normal += n;
        load->points += 1;
    }
    load->friction = sqrt(friction[0] * friction[0] + friction[1] * friction[1] + friction[2] * friction[2]);
}

void cd_contact_load_list_update(cd_contact_load_list* l, cardan_data* data)
{
    const int present = cardan_data_contacts(data, l->capacity, l->contact);
    const int count   = present < l->capacity ? present : l->capacity;
    for (int i = 0; i < l->count; ++i) sum_points(&l->load[i], count, l->contact);
}
