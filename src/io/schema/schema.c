// SPDX-License-Identifier: BSD-3-Clause
// Lookup in the schema.
#include "io/schema/schema.h"

#include <string.h>

static const cd_value_type value_types[] = {
    {0},
#define VALUE_TYPE(name, sentence, ...) {.id = CD_VALUE_##name, .expected = sentence, __VA_ARGS__},
#include "io/schema/schema.def"
};

static const cd_unit_entry units[] = {
#define UNIT(id, length, angle, mass, text) {length, angle, mass, text},
#include "io/schema/schema.def"
};

static const cd_section sections[] = {
#define SECTION(name, label, title, other_keys, prose) {name, label, title, prose, CD_VALUE_##other_keys},
#include "io/schema/schema.def"
};

static const cd_key keys[] = {
#define KEY(section, key, type, unit, applies_to, default_text, help)                                                  \
    {section, key, CD_VALUE_##type, CD_UNIT_##unit, applies_to, default_text, help},
#include "io/schema/schema.def"
};

enum { SECTIONS = sizeof sections / sizeof *sections, KEYS = sizeof keys / sizeof *keys };

bool cd_word_list_contains(const char* word, const char* words)
{
    const size_t n = strlen(word);
    for (const char* s = words; n && s; s = (s = strchr(s, ' ')) ? s + 1 : NULL)
        if (strncmp(s, word, n) == 0 && (s[n] == ' ' || s[n] == '\0')) return true;
    return false;
}

const cd_value_type* cd_value_type_at(cd_value_type_id id) { return &value_types[id]; }
int                  cd_value_type_count(void) { return (int)(sizeof value_types / sizeof *value_types); }
const cd_unit_entry* cd_unit_at(cd_unit unit) { return &units[unit]; }
const cd_section*    cd_section_at(int i) { return i < SECTIONS ? &sections[i] : NULL; }

const cd_section* cd_section_find(const char* name)
{
    for (int i = 0; i < SECTIONS; ++i)
        if (strcmp(sections[i].name, name) == 0) return &sections[i];
    return NULL;
}

const cd_key* cd_key_next(const char* section, const cd_key* key)
{
    for (key = key ? key + 1 : keys; key < keys + KEYS; ++key)
        if (cd_word_list_contains(section, key->sections)) return key;
    return NULL;
}

const cd_key* cd_key_at(const char* section, int i)
{
    const cd_key* key = cd_key_next(section, NULL);
    while (key && i-- > 0) key = cd_key_next(section, key);
    return key;
}

const cd_key* cd_key_find(const char* section, const char* key)
{
    for (int k = 0; k < KEYS; ++k)
        if (strcmp(keys[k].key, key) == 0 && cd_word_list_contains(section, keys[k].sections)) return &keys[k];
    return NULL;
}
