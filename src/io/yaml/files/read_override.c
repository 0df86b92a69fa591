// SPDX-License-Identifier: BSD-3-Clause
// Sections `override`: changes of items of included files. They are merged into the trees of these files before the
// files are checked, innermost files first, so that the check and all readers see the changed items. A node keeps the
// file from which it comes, and with it units and location.
//
// Maps are merged key by key, as deep as the schema has keys; all other values are replaced. A map that describes
// another type, or an orientation, replaces the whole map.
#include "io/yaml/read_model.h"

#include <stdio.h>
#include <string.h>

bool cd_list_append(cd_reader* r, cd_yaml* list, cd_yaml_entry entry)
{
    if (list->count >= list->capacity) {
        list->capacity         = 2 * list->count + 4;
        cd_yaml_entry* entries = cd_pool_alloc(&r->source->pool, (size_t)list->capacity, sizeof *entries);
        if (!entries) return cd_reader_fail_no_memory(r);
        if (list->count > 0) memcpy(entries, list->entry, (size_t)list->count * sizeof *entries);
        list->entry = entries;
    }
    list->entry[list->count++] = entry;
    return true;
}

const cd_value_type* cd_entry_type(const cd_value_type* map, const char* key)
{
    if (map->map_value != CD_VALUE_NONE) return cd_value_type_at(map->map_value);
    const cd_key* known = map->section ? cd_key_find(map->section, key) : NULL;
    if (known) return cd_value_type_at(known->type);
    const cd_section* section = map->section ? cd_section_find(map->section) : NULL;
    return section && section->other_keys != CD_VALUE_NONE ? cd_value_type_at(section->other_keys) : NULL;
}

bool cd_file_includes(const cd_yaml_file* file, const cd_yaml_file* included)
{
    while (included->included_by && included != file) {
        included = included->included_by->file;
        if (included == file) return true;
    }
    return false;
}

static cd_yaml_entry* find_entry(const cd_yaml* map, const char* key)
{
    for (int i = 0; map && map->kind == CD_YAML_MAP && i < map->count; ++i)
        if (strcmp(map->entry[i].key->text, key) == 0) return &map->entry[i];
    return NULL;
}

// ---- merging

// Return the key that gives a map its type, such as `revolute`; NULL if it has none.
static const char* type_of(const char* section, const cd_yaml* map)
{
    for (int i = 0; i < map->count; ++i) {
        const cd_key* key = cd_key_find(section, map->entry[i].key->text);
        if (key && (key->applies_to[0] == '!' || key->applies_to[0] == '?')) return key->key;
        if (!key && strcmp(section, "use") == 0) return map->entry[i].key->text; // its template
    }
    return NULL;
}

static bool is_merged(const cd_value_type* type, const cd_yaml* target, const cd_yaml* change)
{
    if (target->kind != CD_YAML_MAP || change->kind != CD_YAML_MAP) return false;
    if (type->map_value != CD_VALUE_NONE) return true;
    if (!type->section || strcmp(type->section, "orientation") == 0) return false;
    const char *before = type_of(type->section, target), *after = type_of(type->section, change);
    return !before || !after || strcmp(before, after) == 0;
}

static const char* entry_name(void* user, int i)
{
    const cd_yaml* map = user;
    return map && map->kind == CD_YAML_MAP && i < map->count ? map->entry[i].key->text : NULL;
}

static void fail_missing(cd_reader* r, const cd_yaml* key, const char* section, const cd_yaml* known)
{
    const char* suggestion = cd_nearest_name(key->text, entry_name, (void*)known);
    if (suggestion)
        cd_reader_fail(r, key, "override: there is no '%s' in '%s' of the included files (did you mean '%s'?)",
                       key->text, section, suggestion);
    else
        cd_reader_fail(r, key, "override: there is no '%s' in '%s' of the included files", key->text, section);
}

static void remove_entry(cd_yaml* map, cd_yaml_entry* entry)
{
    const int after = map->count - (int)(entry - map->entry) - 1;
    memmove(entry, entry + 1, (size_t)after * sizeof *entry);
    --map->count;
}

static bool merge_map(cd_reader* r, const cd_value_type* type, cd_yaml* target, const cd_yaml* change,
                      const char* section);

// Change one entry of a map. A named element must exist; a key may be new.
static bool merge_entry(cd_reader* r, const cd_value_type* map_type, cd_yaml* map, const cd_yaml_entry* change,
                        const char* section)
{
    const cd_value_type* type  = cd_entry_type(map_type, change->key->text);
    cd_yaml_entry*       entry = find_entry(map, change->key->text);
    if (change->key->has_error || change->value->has_error) return true;
    if (!entry && map_type->map_value != CD_VALUE_NONE && map_type->id != CD_VALUE_ARGUMENTS)
        return fail_missing(r, change->key, section, map), true;
    if (change->value->kind == CD_YAML_NULL && !(type && type->may_be_null)) {
        if (entry) return remove_entry(map, entry), true;
        return fail_missing(r, change->key, section, map), true;
    }
    if (!entry) return cd_list_append(r, map, *change);
    if (type && is_merged(type, entry->value, change->value))
        return merge_map(r, type, entry->value, change->value, change->key->text);
    entry->value = change->value;
    return true;
}

static bool merge_map(cd_reader* r, const cd_value_type* type, cd_yaml* target, const cd_yaml* change,
                      const char* section)
{
    for (int i = 0; i < change->count; ++i)
        if (!merge_entry(r, type, target, &change->entry[i], section)) return false;
    return true;
}

// ---- sections

// Find the map of the included files that contains an entry; NULL if there is none. *nearest: a map of this section.
static cd_yaml* find_target(const cd_reader* r, const cd_yaml_file* from, const char* section, const char* key,
                            cd_yaml** nearest)
{
    for (cd_yaml_file* f = r->source->first_file; f; f = f->next) {
        if (!f->root || !cd_file_includes(from, f)) continue;
        cd_yaml* map = section ? cd_yaml_get(f->root, section) : f->root;
        if (map && map->kind == CD_YAML_MAP && nearest && !*nearest) *nearest = map;
        if (find_entry(map, key)) return map;
    }
    return NULL;
}

// Change the named elements of a section, each in the file that defines it.
static bool override_elements(cd_reader* r, const cd_yaml_file* from, const cd_value_type* type,
                              const cd_yaml_entry* section)
{
    const cd_yaml* changes = section->value;
    for (int i = 0; changes->kind == CD_YAML_MAP && i < changes->count; ++i) {
        const cd_yaml_entry* change  = &changes->entry[i];
        cd_yaml*             nearest = NULL;
        cd_yaml*             map     = find_target(r, from, section->key->text, change->key->text, &nearest);
        const cd_yaml*       own     = cd_yaml_get(cd_yaml_get(from->root, section->key->text), change->key->text);
        if (map) {
            if (!merge_entry(r, type, map, change, section->key->text)) return false;
        } else if (own) {
            cd_reader_fail(r, change->key, "override: '%s' is defined in this file, in line %d; change it there",
                           change->key->text, own->line);
        } else {
            fail_missing(r, change->key, section->key->text, nearest);
        }
    }
    if (changes->kind == CD_YAML_LIST || changes->kind == CD_YAML_SCALAR)
        cd_reader_fail(r, changes, "override: '%s' must be %s", section->key->text, type->expected);
    return true;
}

static const char* top_key(void* user, int i)
{
    (void)user;
    return cd_key_at("top", i) ? cd_key_at("top", i)->key : NULL;
}

static bool override_section(cd_reader* r, const cd_yaml_file* from, const cd_yaml_entry* section)
{
    static const char    fixed[] = "cardan name description units include override couplings repeat";
    const char*          name    = section->key->text;
    const cd_key*        key     = cd_key_find("top", name);
    const cd_value_type* type    = key ? cd_value_type_at(key->type) : NULL;
    if (!key) {
        const char* suggestion = cd_nearest_name(name, top_key, NULL);
        return cd_reader_fail(r, section->key, "override: there is no section '%s'%s%s%s", name,
                              suggestion ? " (did you mean '" : "", suggestion ? suggestion : "",
                              suggestion ? "'?)" : ""),
               true;
    }
    if (cd_word_list_contains(name, fixed))
        return cd_reader_fail(r, section->key, "override: '%s' has no named items and cannot be changed", name), true;
    if (type->map_value != CD_VALUE_NONE) return override_elements(r, from, type, section);
    cd_yaml* root = find_target(r, from, NULL, name, NULL);
    if (!root)
        return cd_reader_fail(r, section->key, "override: the included files have no '%s'; write it without override",
                              name),
               true;
    return merge_entry(r, &(cd_value_type){.section = "top"}, root, section, name);
}

static bool apply(cd_reader* r, cd_yaml_file* file)
{
    cd_yaml_entry* found = find_entry(file->root, "override");
    if (!found) return true;
    const cd_yaml_entry override = *found;
    remove_entry(file->root, found);
    if (override.value->kind != CD_YAML_MAP)
        return cd_reader_fail(r, override.key, "'override' must be a map {section: {item: ...}}"), true;
    if (!cd_yaml_get(file->root, "include"))
        return cd_reader_fail(r, override.key,
                              "'override' changes items of included files, but this file includes none"),
               true;
    for (int i = 0; i < override.value->count; ++i)
        if (!override_section(r, file, &override.value->entry[i])) return false;
    return true;
}

bool cd_apply_overrides(cd_reader* r)
{
    int count = 0;
    for (cd_yaml_file* f = r->source->first_file; f; f = f->next) ++count;
    for (int i = count - 1; i >= 0; --i) { // an included file follows the file that includes it
        cd_yaml_file* f = r->source->first_file;
        for (int k = 0; k < i; ++k) f = f->next;
        if (f->root && f->root->kind == CD_YAML_MAP && !apply(r, f)) return false;
    }
    return true;
}
