// SPDX-License-Identifier: BSD-3-Clause
// Materials, friction of pairs of materials, and the section `contacts`.
#include "io/yaml/read_model.h"

#include <math.h>
#include <string.h>

// Read a number that no input may determine. Unchanged if it is absent; false if it is below `lower` or above `upper`.
static bool read_bounded(const cd_model_element* e, const char* key, double lower, double upper, double* value)
{
    const cd_yaml* node = cd_yaml_get(e->node, key);
    if (!node) return true;
    if (!cd_read_number_key(e, key, value) || !cd_require_structural_constant(e, node, *value)) return false;
    if (*value >= lower && *value <= upper) return true;
    if (upper < INFINITY)
        return cd_element_fail(e, node, "'%s' must be between %g and %g, not %g", key, lower, upper, *value);
    return cd_element_fail(e, node, "'%s' is negative (%g)", key, *value);
}

static bool read_not_negative(const cd_model_element* e, const char* key, double* value)
{
    return read_bounded(e, key, 0, INFINITY, value);
}

bool cd_read_material(cd_reader* r, const cd_level* level, const char* section, cd_yaml_entry* entry)
{
    (void)section;
    cd_definition* def = cd_find_entry_definition(r, CD_DEFINITION_MATERIAL, level, entry);
    if (!def || entry->value->has_error) return r->status != CARDAN_NO_MEMORY;
    const cd_model_element e        = {.reader  = r,
                                       .level   = level,
                                       .node    = entry->value,
                                       .section = "material",
                                       .label   = "material",
                                       .name    = def->name};
    cardan_material        material = cardan_material_default(def->name);
    material.location               = cd_yaml_location(entry->key);
    if (!read_not_negative(&e, "young_modulus", &material.young_modulus) ||
        !read_bounded(&e, "poisson_ratio", -1, 0.5, &material.poisson_ratio))
        return r->status != CARDAN_NO_MEMORY;
    def->index  = cardan_description_add_material(r->description, &material);
    def->status = CD_DEFINITION_DONE;
    return def->index != CARDAN_NONE || cd_reader_fail_no_memory(r);
}

static bool read_mu(const cd_model_element* e, cardan_material_pair* pair)
{
    const cd_yaml* node = cd_yaml_get(e->node, "mu");
    double         mu[2];
    if (!node) return true;
    if (node->has_error) return false;
    if (node->kind == CD_YAML_LIST) {
        if (!cd_read_numbers(e, node, CD_UNIT_NONE, 2, mu)) return false;
    } else {
        if (!cd_read_number(e, node, CD_UNIT_NONE, &mu[0])) return false;
        mu[1] = mu[0];
    }
    for (int i = 0; i < 2; ++i) {
        if (!cd_require_structural_constant(e, node, mu[i])) return false;
        if (mu[i] < 0) return cd_element_fail(e, node, "the coefficient of friction is negative (%g)", mu[i]);
    }
    if (mu[0] < mu[1])
        return cd_element_fail(
            e, node, "the static coefficient, %g, is below the kinetic one, %g: write [static, kinetic]", mu[0], mu[1]);
    pair->static_friction  = mu[0];
    pair->kinetic_friction = mu[1];
    return true;
}

static bool read_compliance(const cd_model_element* e, cardan_contact_stiffness* c)
{
    const cd_yaml *exponent = cd_yaml_get(e->node, "exponent"), *speed = cd_yaml_get(e->node, "restitution_speed");
    if (!read_not_negative(e, "stiffness", &c->stiffness) || !read_not_negative(e, "exponent", &c->exponent) ||
        !read_not_negative(e, "damping", &c->damping) ||
        !read_not_negative(e, "restitution_speed", &c->restitution_speed))
        return false;
    if (exponent && c->exponent < 1)
        return cd_element_fail(e, exponent, "the exponent is %g; it must be at least 1", c->exponent);
    if (speed && cd_yaml_get(e->node, "damping"))
        return cd_element_fail(e, speed, "'damping' and 'restitution_speed' exclude each other");
    return true;
}

bool cd_read_material_pair(cd_reader* r, const cd_level* level, const char* section, cd_yaml_entry* entry)
{
    (void)section;
    if (entry->key->has_error || entry->value->has_error || entry->key->count != 2) return true;
    const cd_model_element e = {.reader  = r,
                                .level   = level,
                                .node    = entry->value,
                                .section = "material_pair",
                                .label   = "friction of",
                                .name    = entry->key->text};
    const cd_definition*   side[2];
    cardan_material_pair   pair = cardan_material_pair_default(CARDAN_NONE, CARDAN_NONE);
    pair.location               = cd_yaml_location(entry->key);
    for (int i = 0; i < 2; ++i) {
        side[i] = cd_resolve_reference(&e, CD_DEFINITION_MATERIAL, entry->key->entry[i].value, "material");
        if (!side[i] || side[i]->index < 0) return r->status != CARDAN_NO_MEMORY;
        pair.material[i] = side[i]->index;
    }
    for (int i = 0; i < r->description->nmaterial_pair; ++i) {
        const cardan_material_pair* p = &r->description->material_pair[i];
        if ((p->material[0] == pair.material[0] && p->material[1] == pair.material[1]) ||
            (p->material[0] == pair.material[1] && p->material[1] == pair.material[0])) {
            cd_element_fail(&e, entry->key, "this pair is defined twice, first in line %d", p->location.line);
            return true;
        }
    }
    if (!read_mu(&e, &pair) || !read_not_negative(&e, "stribeck_speed", &pair.stribeck_speed) ||
        !read_not_negative(&e, "rolling", &pair.rolling_friction) ||
        !read_not_negative(&e, "spinning", &pair.spinning_friction) ||
        !read_bounded(&e, "restitution", 0, 1, &pair.restitution) || !read_compliance(&e, &pair.compliance))
        return r->status != CARDAN_NO_MEMORY;
    return cardan_description_add_material_pair(r->description, &pair) != CARDAN_NONE || cd_reader_fail_no_memory(r);
}

// ---- contacts

// Index of a choice in a list of words; 0 if the key is absent.
static int read_choice(const cd_model_element* e, const char* key, int count, const char* const* word)
{
    const cd_yaml* node = cd_yaml_get(e->node, key);
    for (int i = 0; node && i < count; ++i)
        if (strcmp(node->text, word[i]) == 0) return i;
    return 0;
}

static bool read_pairs(const cd_model_element* e, const char* key, bool ignored)
{
    const cd_yaml* list = cd_yaml_get(e->node, key);
    if (!list) return true;
    if (list->has_error) return false;
    for (int i = 0; i < list->count; ++i) {
        const cd_yaml*      item = list->entry[i].value;
        cardan_contact_pair pair = {.ignored = ignored, .location = cd_yaml_location(item)};
        cd_definition*      body[2];
        for (int k = 0; k < 2; ++k) {
            if (!cd_read_body_reference(e, item->entry[k].value, &body[k])) return false;
            pair.body[k] = body[k]->index;
        }
        if (body[0] == body[1]) return cd_element_fail(e, item, "'%s' cannot touch itself", body[0]->name);
        if (cardan_description_add_contact_pair(e->reader->description, &pair) == CARDAN_NONE)
            return cd_reader_fail_no_memory(e->reader);
    }
    return true;
}

static bool read_settings(const cd_model_element* e, cardan_contact_settings* s)
{
    static const char* const law[]      = {"rigid", "compliant"};
    static const char* const impact[]   = {"automatic", "newton", "poisson", "energetic", "sequence"};
    static const char* const friction[] = {"regularized", "brush"};
    s->law                              = (cardan_contact_law)read_choice(e, "law", 2, law);
    s->impact                           = (cardan_impact_law)read_choice(e, "impact", 5, impact);
    s->compliant_friction               = (cardan_compliant_friction)read_choice(e, "friction", 2, friction);
    s->listed_pairs_only                = cd_yaml_get(e->node, "pairs") != NULL;
    return read_bounded(e, "restitution", 0, 1, &s->restitution) &&
           read_not_negative(e, "inelastic_speed", &s->restitution_speed) &&
           read_not_negative(e, "margin", &s->margin) && read_compliance(e, &s->compliance) &&
           read_not_negative(e, "friction_speed", &s->friction_speed) &&
           read_not_negative(e, "tangential_stiffness", &s->tangential_stiffness) &&
           read_not_negative(e, "tangential_damping", &s->tangential_damping);
}

bool cd_read_contacts(cd_reader* r, cd_yaml* node)
{
    const cd_model_element  e = {.reader = r, .level = r->root_level, .node = node, .section = "contacts"};
    cardan_contact_settings s = cardan_contact_settings_default();
    s.location                = cd_yaml_location(node);
    if (node->has_error || !read_settings(&e, &s)) return false;
    const cd_yaml* collision = cd_yaml_get(node, "collision_shapes"); // read_files.c
    if (collision && !cd_resolve_reference(&e, CD_DEFINITION_MATERIAL, collision, "material")) return false;
    if (!read_pairs(&e, "pairs", false) || !read_pairs(&e, "also", false) || !read_pairs(&e, "ignore", true))
        return false;
    return cardan_description_set_contact_settings(r->description, &s) == CARDAN_OK || cd_reader_fail_no_memory(r);
}
