// SPDX-License-Identifier: BSD-3-Clause
// Check of a file against the schema: unknown keys, keys that do not apply to the type, missing keys,
// values of the wrong type.
#include "io/yaml/read_model.h"
#include "io/file_kind.h"

#include <stdio.h>
#include <string.h>

typedef struct check_context {
    cd_reader* reader;
    char       element[160]; // "joint 'A': ", or empty
} check_context;

static void check_value(const check_context* s, const cd_value_type* type, const char* key, cd_yaml* node);

static void fail_value(const check_context* s, cd_yaml* node, const char* key, const cd_value_type* type)
{
    char description[100];
    node->has_error = true;
    cd_reader_fail(s->reader, node, "%s'%s' must be %s, not %s", s->element, key, type->expected,
                   cd_yaml_describe(node, description, sizeof description));
}

// ---- keys

static const char* key_candidate(void* user, int i)
{
    const cd_key* key = cd_key_at(user, i);
    return key ? key->key : NULL;
}

static void fail_unknown_key(const check_context* s, const char* section, cd_yaml* key)
{
    const char* suggestion = cd_nearest_name(key->text, key_candidate, (void*)section);
    key->has_error         = true;
    if (suggestion) {
        cd_reader_fail(s->reader, key, "%sthere is no key '%s' here (did you mean '%s'?)", s->element, key->text,
                       suggestion);
        return;
    }
    cd_text known = {0};
    for (const cd_key* k = cd_key_next(section, NULL); k; k = cd_key_next(section, k))
        cd_text_format(&known, known.length ? ", %s" : "%s", k->key);
    cd_reader_fail(s->reader, key, "%sthere is no key '%s' here; keys are %s", s->element, key->text,
                   known.data ? known.data : "none");
    cd_text_free(&known);
}

// Check a key: a word, or in maps of pairs a pair [a, b].
static bool check_key(const check_context* s, bool pairs, cd_yaml* key)
{
    if ((key->count == 2) == pairs || key->has_error) return !key->has_error;
    key->has_error = true;
    return pairs ? cd_reader_fail(s->reader, key, "the key '%s' must be a pair, for example [%s, %s]", key->text,
                                  key->text, key->text)
                 : cd_reader_fail(s->reader, key,
                                  "a key must be a word; for a conditional in a formula write \"=if(c, a, b)\"");
}

static bool names_type(const cd_key* key) { return key->applies_to[0] == '!' || key->applies_to[0] == '?'; }

static const cd_key* find_type_key(const check_context* s, const char* section, const cd_yaml* map, bool* unknown)
{
    const cd_key* type = NULL;
    for (int i = 0; i < map->count; ++i) {
        cd_yaml*      at  = map->entry[i].key;
        const cd_key* key = cd_key_find(section, at->text);
        if (!key) *unknown = true;
        if (!key || !names_type(key)) continue;
        if (type) {
            cd_reader_fail(s->reader, at, "%s'%s' and '%s' exclude each other", s->element, type->key, key->key);
            map->entry[i].value->has_error = at->has_error = true;
        } else {
            type = key;
        }
    }
    return type;
}

static void fail_missing_type(const check_context* s, const char* section, cd_yaml* map)
{
    cd_text types = {0};
    int     count = 0;
    for (const cd_key* k = cd_key_next(section, NULL); k; k = cd_key_next(section, k))
        if (k->applies_to[0] == '!') cd_text_format(&types, count++ ? ", %s" : "%s", k->key);
    if (count) {
        cd_reader_fail(s->reader, map, "%sthe type is missing: use one of the keys %s", s->element,
                       types.data ? types.data : "");
        map->has_error = true;
    }
    cd_text_free(&types);
}

// Write "revolute, prismatic and screw" from words separated by spaces.
static const char* join_words(const char* words, char* buffer, size_t size)
{
    size_t n  = 0;
    buffer[0] = '\0';
    for (const char* s = words; *s && n + 8 < size; ++s) {
        if (*s != ' ')
            buffer[n++] = *s;
        else
            n += (size_t)snprintf(buffer + n, size - n, strchr(s + 1, ' ') ? ", " : " and ");
        buffer[n] = '\0';
    }
    return buffer;
}

static void check_applies(const check_context* s, const cd_section* section, const cd_key* type, const cd_key* key,
                          cd_yaml_entry* entry)
{
    char types[160];
    if (!key->applies_to[0] || names_type(key) || (type && cd_word_list_contains(type->key, key->applies_to))) return;
    entry->value->has_error = true;
    if (type)
        cd_reader_fail(s->reader, entry->key, "%s'%s' is allowed only with %s, not with %s", s->element, key->key,
                       join_words(key->applies_to, types, sizeof types), type->key);
    else if (strcmp(section->name, "body") == 0)
        cd_reader_fail(s->reader, entry->key, "%s'%s' is allowed only with %s", s->element, key->key,
                       join_words(key->applies_to, types, sizeof types));
}

// Return whether a key is probably misspelt, in a section where other keys are names: it is similar to a key of the
// schema and its value is neither a map nor null.
static bool is_misspelt_key(const char* section, const cd_yaml_entry* entry)
{
    return entry->value->kind != CD_YAML_MAP && entry->value->kind != CD_YAML_NULL &&
           cd_nearest_name(entry->key->text, key_candidate, (void*)section);
}

static void fail_missing_key(const check_context* s, const char* section, cd_yaml* map, const char* key)
{
    if (strcmp(section, "top") == 0 && strcmp(key, "cardan") == 0)
        cd_reader_fail(s->reader, map,
                       "'cardan' is missing: a model file begins with the version of its language; write cardan: 1");
    else
        cd_reader_fail(s->reader, map, "%s'%s' is missing", s->element, key);
}

static void check_map(const check_context* s, const char* name, cd_yaml* map)
{
    const cd_section* section = cd_section_find(name);
    bool              unknown = false;
    const cd_key*     type    = find_type_key(s, name, map, &unknown);
    if (!type && !unknown) fail_missing_type(s, name, map);
    if (!type && unknown && cd_key_at(name, 0) && cd_key_at(name, 0)->applies_to[0] == '!') map->has_error = true;

    for (int i = 0; i < map->count; ++i) {
        cd_yaml_entry* entry = &map->entry[i];
        const cd_key*  key   = cd_key_find(name, entry->key->text);
        if (!check_key(s, false, entry->key)) continue;
        if (key) {
            check_applies(s, section, type, key, entry);
            check_value(s, cd_value_type_at(key->type), key->key, entry->value);
        } else if (section->other_keys != CD_VALUE_NONE && !is_misspelt_key(name, entry)) {
            check_value(s, cd_value_type_at(section->other_keys), entry->key->text, entry->value);
        } else {
            fail_unknown_key(s, name, entry->key);
        }
    }
    for (const cd_key* key = cd_key_next(name, NULL); key; key = cd_key_next(name, key)) {
        const bool required = key->default_text[0] == '!' &&
                              (!key->applies_to[0] || (type && cd_word_list_contains(type->key, key->applies_to)));
        if (required && !cd_yaml_get(map, key->key)) {
            fail_missing_key(s, name, map, key->key);
            map->has_error = true;
        }
    }
}

// ---- values

static void check_scalar(const check_context* s, const cd_value_type* type, const char* key, cd_yaml* node)
{
    const bool has_counter = strchr(node->text, '$') != NULL;
    if (type->scalar == CD_SCALAR_NONE)
        fail_value(s, node, key, type);
    else if (type->scalar == CD_SCALAR_CHOICE && !has_counter && !cd_word_list_contains(node->text, type->choices))
        fail_value(s, node, key, type);
    else if (type->scalar == CD_SCALAR_BOOL && !cd_word_list_contains(node->text, "true false yes no"))
        fail_value(s, node, key, type);
}

static void check_list(const check_context* s, const cd_value_type* type, const char* key, cd_yaml* node)
{
    if (type->max_count == 0 || node->count < type->min_count || node->count > type->max_count) {
        fail_value(s, node, key, type);
        return;
    }
    for (int i = 0; i < node->count; ++i) {
        check_value(s, cd_value_type_at(type->item), key, node->entry[i].value);
        if (node->entry[i].value->has_error) node->has_error = true;
    }
}

// Check a map of named elements; messages name the element.
static void check_each(const check_context* s, const cd_value_type* type, cd_yaml* node)
{
    const cd_value_type* each = cd_value_type_at(type->map_value);
    for (int i = 0; i < node->count; ++i) {
        if (!check_key(s, type->pair_keys, node->entry[i].key)) {
            node->entry[i].value->has_error = true;
            continue;
        }
        const char*       name    = node->entry[i].key->text;
        const cd_section* section = each->section ? cd_section_find(each->section) : NULL;
        check_context     inner   = {s->reader, ""};
        if (section)
            snprintf(inner.element, sizeof inner.element, "%s '%.100s': ", section->label, name);
        else
            memcpy(inner.element, s->element, sizeof inner.element);
        check_value(&inner, each, name, node->entry[i].value);
    }
}

// Check a value of any type.
static void check_value(const check_context* s, const cd_value_type* type, const char* key, cd_yaml* node)
{
    if (node->has_error) return;
    if (node->kind == CD_YAML_NULL && !type->may_be_null) {
        cd_reader_fail(s->reader, node, "%s'%s' has no value; it must be %s", s->element, key, type->expected);
        node->has_error = true;
    } else if (node->kind == CD_YAML_SCALAR) {
        check_scalar(s, type, key, node);
    } else if (node->kind == CD_YAML_LIST) {
        check_list(s, type, key, node);
    } else if (node->kind == CD_YAML_MAP && type->section) {
        check_map(s, type->section, node);
    } else if (node->kind == CD_YAML_MAP && type->map_value != CD_VALUE_NONE) {
        check_each(s, type, node);
    } else if (node->kind == CD_YAML_MAP) {
        fail_value(s, node, key, type);
    }
}

void cd_check_model_file(cd_reader* r, cd_yaml_file* file)
{
    const check_context s = {r, ""};
    if (file->root->kind != CD_YAML_MAP) {
        file->root->has_error = true;
        cd_reader_fail(r, file->root,
                       "a model file must be a map of sections such as 'cardan: 1', 'bodies:', 'joints:'");
        return;
    }
    const char* kind_error = cd_file_kind_error(file->root, CD_FILE_MODEL);
    if (kind_error) {
        cd_reader_fail(r, file->root, "%s", kind_error);
        file->root->has_error = true;
        return;
    }
    check_map(&s, "top", file->root);
    file->root->has_error = false; // a missing key does not prevent reading of the other sections
}
