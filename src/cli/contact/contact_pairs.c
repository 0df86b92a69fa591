// SPDX-License-Identifier: BSD-3-Clause
#include "cli/contact/contact_pairs.h"

#include "cli/cli_tolerances.h"
#include "cli/report/text_table.h"
#include "cli/report/value_text.h"
#include "core/memory.h"

#include <math.h>
#include <stdlib.h>

static const char* body_name(const cardan_description_view* view, int body)
{
    return body >= 0 && body < view->nbody ? view->body[body].name : "ground";
}

static cd_contact_pair_sum* find_or_add(cd_contact_pairs* pairs, const cardan_contact* c)
{
    for (int i = 0; i < pairs->n; ++i)
        if (pairs->pair[i].body[0] == c->body[0] && pairs->pair[i].body[1] == c->body[1]) return &pairs->pair[i];
    cd_contact_pair_sum* pair = &pairs->pair[pairs->n++];
    *pair = (cd_contact_pair_sum){.body = {c->body[0], c->body[1]}, .gap = c->gap, .is_unique = true};
    return pair;
}

static void add_contact(cd_contact_pairs* pairs, const cardan_contact* c)
{
    cd_contact_pair_sum* pair   = find_or_add(pairs, c);
    double               normal = 0, size = 0;
    for (int k = 0; k < 3; ++k) normal += c->force[k] * c->normal[k];
    for (int k = 0; k < 3; ++k) pair->tangential[k] += c->force[k] - normal * c->normal[k];
    for (int k = 0; k < 3; ++k) size += pair->tangential[k] * pair->tangential[k];
    pair->npoint += 1;
    pair->gap = fmin(pair->gap, c->gap);
    pair->normal += normal;
    pair->friction  = sqrt(size);
    pair->is_unique = pair->is_unique && c->is_unique;
}

bool cd_contact_pairs_collect(cardan_data* data, cd_contact_pairs* pairs)
{
    *pairs                  = (cd_contact_pairs){0};
    const int       n       = cardan_data_contacts(data, 0, NULL);
    cardan_contact* contact = cd_allocate((size_t)(n > 0 ? n : 0) + 1, sizeof *contact);
    pairs->pair             = cd_allocate((size_t)(n > 0 ? n : 0) + 1, sizeof *pairs->pair);
    const bool has_memory   = contact && pairs->pair;
    if (has_memory && n > 0) cardan_data_contacts(data, n, contact);
    for (int i = 0; has_memory && i < n; ++i)
        if (contact[i].phase != CARDAN_CONTACT_OPEN) add_contact(pairs, &contact[i]);
    free(contact);
    return has_memory;
}

void cd_contact_pairs_free(cd_contact_pairs* pairs) { free(pairs->pair); }

void cd_contact_pairs_print(const cd_contact_pairs* pairs, const cardan_description_view* view)
{
    static const char* const head[] = {"contact", "points", "normal force [N]", "friction [N]", "forces"};
    cd_text_table            table  = {.align = "lrrrl"};
    double                   scale  = 0;
    for (int i = 0; i < pairs->n; ++i) scale = fmax(scale, pairs->pair[i].normal);
    if (pairs->n == 0) return;
    for (int i = 0; i < 5; ++i) cd_text_table_add(&table, "%s", head[i]);
    for (int i = 0; i < pairs->n; ++i) {
        const cd_contact_pair_sum* p = &pairs->pair[i];
        cd_text_table_add(&table, "%s - %s", body_name(view, p->body[0]), body_name(view, p->body[1]));
        cd_text_table_add(&table, "%d", p->npoint);
        cd_text_table_add(&table, "%s", cd_five_digit_text(p->normal).text);
        cd_text_table_add(&table, "%s",
                          cd_five_digit_text(p->friction < cd_printed_friction_min * scale ? 0 : p->friction).text);
        cd_text_table_add(&table, "%s", p->is_unique ? "unique" : "not unique at single points");
    }
    cd_text_table_print(&table);
}

void cd_contact_pairs_write_json(cd_json_writer* json, const cd_contact_pairs* pairs,
                                 const cardan_description_view* view)
{
    if (pairs->n == 0) return;
    cd_json_begin_array(json, "contacts");
    for (int i = 0; i < pairs->n; ++i) {
        const cd_contact_pair_sum* p = &pairs->pair[i];
        cd_json_begin_object(json, NULL);
        cd_json_begin_array(json, "bodies");
        for (int k = 0; k < 2; ++k) cd_json_string(json, NULL, body_name(view, p->body[k]));
        cd_json_end(json);
        cd_json_integer(json, "points", p->npoint);
        cd_json_number(json, "normal_force", p->normal);
        cd_json_number(json, "friction", p->friction);
        cd_json_boolean(json, "unique", p->is_unique);
        cd_json_end(json);
    }
    cd_json_end(json);
}
