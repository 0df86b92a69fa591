// SPDX-License-Identifier: BSD-3-Clause
// Schema of the model file (schema.def). The reader checks files with it; the JSON Schema and the reference
// manual are generated from it.
#pragma once

#include "core/text.h"

#include <stdbool.h>

typedef enum cd_scalar {
    CD_SCALAR_NONE,   // no scalar allowed
    CD_SCALAR_NUMBER, // number or =formula
    CD_SCALAR_INTEGER,
    CD_SCALAR_TEXT,
    CD_SCALAR_NAME,    // name of another element
    CD_SCALAR_FORMULA, // number or =formula of time and motion
    CD_SCALAR_BOOL,
    CD_SCALAR_CHOICE, // one of `choices`
    CD_SCALAR_ANY,
} cd_scalar;

typedef enum cd_value_type_id {
    CD_VALUE_NONE,
#define VALUE_TYPE(id, ...) CD_VALUE_##id,
#include "io/schema/schema.def"
} cd_value_type_id;

// Allowed values: any of a scalar, a list, a map with known keys, a map of named elements, null.
typedef struct cd_value_type {
    cd_value_type_id id;
    const char*      expected; // "a number or =formula"
    cd_scalar        scalar;
    const char*      choices;              // separated by spaces
    int              min_count, max_count; // items of a list; 0, 0: no list
    cd_value_type_id item;
    const char*      section;   // keys of a map
    cd_value_type_id map_value; // values of a map of named elements
    bool             may_be_null;
    bool             pair_keys; // keys of the map are pairs [a, b]
} cd_value_type;

typedef enum cd_unit {
#define UNIT(id, ...) CD_UNIT_##id,
#include "io/schema/schema.def"
    CD_UNIT_COUNT
} cd_unit;

// SI value = file value * length^a angle^b mass^c
typedef struct cd_unit_entry {
    int         length, angle, mass;
    const char* text;
} cd_unit_entry;

typedef struct cd_section {
    const char*      name;
    const char*      label; // name of an element in messages: "joint"
    const char*      title; // in the manual
    const char*      prose;
    cd_value_type_id other_keys; // values of keys that are not in the table; CD_VALUE_NONE: not allowed
} cd_section;

typedef struct cd_key {
    const char*      sections; // sections that have the key, separated by spaces
    const char*      key;
    cd_value_type_id type;
    cd_unit          unit;
    const char*
        applies_to; // "!": type key, exactly one required; "?": type key, at most one; else the types it applies to
    const char* default_text; // "!": required; "": none
    const char* help;
} cd_key;

const cd_value_type* cd_value_type_at(cd_value_type_id id);
int                  cd_value_type_count(void); // last id + 1
const cd_unit_entry* cd_unit_at(cd_unit unit);
const cd_section*    cd_section_find(const char* name);
const cd_section*    cd_section_at(int i); // NULL after the last
const cd_key*        cd_key_next(const char*   section,
                                 const cd_key* key);        // next after `key`, NULL: first; NULL after the last
const cd_key*        cd_key_at(const char* section, int i); // key i of a section; NULL after the last
const cd_key*        cd_key_find(const char* section, const char* key);
bool                 cd_word_list_contains(const char* word, const char* words);

void cd_schema_json(cd_text* text);   // JSON Schema, draft 7
void cd_schema_manual(cd_text* text); // docs/model-file.md
