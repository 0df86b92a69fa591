// SPDX-License-Identifier: BSD-3-Clause
// The model file as one table (schema.def). The reader checks files with it, and the JSON Schema and the reference
// manual are printed from it.
#pragma once

#include "core/text.h"

#include <stdbool.h>

typedef enum cd_scalar {
    CD_SCALAR_NONE,   // a scalar has no place here
    CD_SCALAR_NUMBER, // a number or =formula
    CD_SCALAR_INTEGER,
    CD_SCALAR_TEXT,
    CD_SCALAR_NAME,    // of something defined elsewhere
    CD_SCALAR_FORMULA, // a number or a =formula of time and motion
    CD_SCALAR_BOOL,
    CD_SCALAR_CHOICE, // one of `words`
    CD_SCALAR_ANY,
} cd_scalar;

typedef enum cd_value_type_id {
    CD_VALUE_NONE,
#define VALUE_TYPE(id, ...) CD_VALUE_##id,
#include "io/schema/schema.def"
} cd_value_type_id;

// What a value may look like: any of a scalar, a list, a map with known keys, a map of named things, nothing.
typedef struct cd_value_type {
    cd_value_type_id id;
    const char*      expected; // "a number or =formula"
    cd_scalar        scalar;
    const char*      choices;              // choices, between blanks
    int              min_count, max_count; // items of a list; 0, 0: no list
    cd_value_type_id item;
    const char*      section;   // keys of a map
    cd_value_type_id map_value; // values of a map of named things
    bool             may_be_null;
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
    const char*      label; // "joint": what messages call an element of it
    const char*      title; // in the manual
    const char*      prose;
    cd_value_type_id other_keys; // values of keys that are not in the table; CD_VALUE_NONE: there are none
} cd_section;

typedef struct cd_key {
    const char*      sections; // where it stands, between blanks
    const char*      key;
    cd_value_type_id type;
    cd_unit          unit;
    const char*
        applies_to; // "!": names the type, one is needed; "?": names the type, one at most; else the types it is for
    const char* default_text; // "!": required; "": none
    const char* help;
} cd_key;

const cd_value_type* cd_value_type_at(cd_value_type_id id);
int                  cd_value_type_count(void); // one past the last id
const cd_unit_entry* cd_unit_at(cd_unit unit);
const cd_section*    cd_section_find(const char* name);
const cd_section*    cd_section_at(int i); // NULL ends
const cd_key*        cd_key_next(const char*   section,
                                 const cd_key* key);        // after `key`, which is NULL for the first; NULL ends
const cd_key*        cd_key_at(const char* section, int i); // i-th key of a section; NULL ends
const cd_key*        cd_key_find(const char* section, const char* key);
bool                 cd_word_list_contains(const char* word, const char* words);

void cd_schema_json(cd_text* text);   // JSON Schema, draft 7
void cd_schema_manual(cd_text* text); // docs/model-file.md
