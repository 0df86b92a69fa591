// SPDX-License-Identifier: BSD-3-Clause
// Schema as JSON Schema (draft 7), for completion and validation in editors.
//
// Every value type is a definition "type.NAME", every section a definition of its own name. Keys that contain '$',
// which `repeat` replaces, are ordinary names.
#include "io/schema/schema.h"

#include "core/escape.h"

#include <string.h>

static const char* value_type_name(cd_value_type_id id)
{
    static const char* const names[] = {
        "none",
#define VALUE_TYPE(id, ...) #id,
#include "io/schema/schema.def"
    };
    return names[id];
}

static void reference(cd_text* text, cd_value_type_id id)
{
    cd_text_format(text, "{\"$ref\": \"#/definitions/type.%s\"}", value_type_name(id));
}

static void add_choices(cd_text* text, const char* words)
{
    cd_text_add(text, "{\"enum\": [");
    for (const char* s = words; *s;) {
        const size_t n = strcspn(s, " ");
        cd_text_format(text, "%s\"%.*s\"", s == words ? "" : ", ", (int)n, s);
        s += n;
        while (*s == ' ') ++s;
    }
    cd_text_add(text, "]}");
}

static void add_scalar(cd_text* text, const cd_value_type* type)
{
    switch (type->scalar) {
    case CD_SCALAR_NONE:
        break;
    case CD_SCALAR_NUMBER:
    case CD_SCALAR_INTEGER:
    case CD_SCALAR_FORMULA:
        cd_text_add(text, "{\"type\": \"number\"}, {\"type\": \"string\", \"pattern\": \"^=|[$]\"}");
        break;
    case CD_SCALAR_TEXT:
        cd_text_add(text, "{\"type\": [\"string\", \"number\"]}");
        break;
    case CD_SCALAR_NAME:
        cd_text_add(text, "{\"type\": [\"string\", \"number\"]}");
        break;
    case CD_SCALAR_BOOL:
        cd_text_add(text, "{\"type\": \"boolean\"}");
        break;
    case CD_SCALAR_CHOICE:
        add_choices(text, type->choices);
        break;
    case CD_SCALAR_ANY:
        cd_text_add(text, "{\"type\": [\"string\", \"number\", \"boolean\"]}");
        break;
    }
}

static void add_value_type(cd_text* text, const cd_value_type* type)
{
    const char* before = "";
    cd_text_add(text, "{\"description\": ");
    cd_escape_json_string(text, type->expected);
    cd_text_add(text, ", \"anyOf\": [");
    if (type->scalar != CD_SCALAR_NONE) {
        add_scalar(text, type);
        before = ", ";
    }
    if (type->max_count > 0) {
        cd_text_format(text, "%s{\"type\": \"array\", \"minItems\": %d, \"maxItems\": %d, \"items\": ", before,
                       type->min_count, type->max_count);
        reference(text, type->item);
        cd_text_add(text, "}");
        before = ", ";
    }
    if (type->section) cd_text_format(text, "%s{\"$ref\": \"#/definitions/%s\"}", before, type->section);
    if (type->map_value != CD_VALUE_NONE) {
        cd_text_format(text, "%s{\"type\": \"object\", \"additionalProperties\": ", before);
        reference(text, type->map_value);
        cd_text_add(text, "}");
    }
    if (type->may_be_null) cd_text_add(text, ", {\"type\": \"null\"}");
    cd_text_add(text, "]}");
}

static void add_key(cd_text* text, const cd_key* key)
{
    const char* unit = cd_unit_at(key->unit)->text;
    cd_escape_json_string(text, key->key);
    cd_text_add(text, ": {\"description\": ");
    cd_text help = {0};
    cd_text_add(&help, key->help);
    if (*unit) cd_text_format(&help, " [%s]", unit);
    if (key->default_text[0] && key->default_text[0] != '!') cd_text_format(&help, " Default: %s.", key->default_text);
    cd_escape_json_string(text, help.failed ? "" : help.data);
    text->failed = text->failed || help.failed;
    cd_text_free(&help);
    cd_text_add(text, ", \"allOf\": ["); // draft 7 ignores everything next to a $ref
    reference(text, key->type);
    cd_text_add(text, "]}");
}

// Write "required": keys without conditions; "oneOf": the type keys.
static void add_needed(cd_text* text, const char* section)
{
    int count = 0;
    for (const cd_key* key = cd_key_next(section, NULL); key; key = cd_key_next(section, key)) {
        if (key->default_text[0] != '!' || key->applies_to[0]) continue;
        cd_text_format(text, count++ ? ", \"%s\"" : ",\n      \"required\": [\"%s\"", key->key);
    }
    if (count) cd_text_add(text, "]");
    count = 0;
    for (const cd_key* key = cd_key_next(section, NULL); key; key = cd_key_next(section, key)) {
        if (key->applies_to[0] == '!')
            cd_text_format(text, "%s{\"required\": [\"%s\"]}", count++ ? ", " : ",\n      \"oneOf\": [", key->key);
    }
    if (count) cd_text_add(text, "]");
}

static void add_section(cd_text* text, const cd_section* section, const char* indent)
{
    cd_text_format(text, "%s\"type\": \"object\",\n%s\"additionalProperties\": ", indent, indent);
    if (section->other_keys != CD_VALUE_NONE)
        reference(text, section->other_keys);
    else
        cd_text_add(text, "false");
    cd_text_format(text, ",\n%s\"properties\": {", indent);
    const char* before = "";
    for (const cd_key* key = cd_key_next(section->name, NULL); key;
         key = cd_key_next(section->name, key), before = ",") {
        cd_text_format(text, "%s\n%s  ", before, indent);
        add_key(text, key);
    }
    cd_text_format(text, "\n%s}", indent);
    add_needed(text, section->name);
}

void cd_schema_json(cd_text* text)
{
    cd_text_add(
        text, "{\n  \"$schema\": \"http://json-schema.org/draft-07/schema#\",\n  \"title\": \"Cardan model file\",\n");
    add_section(text, cd_section_find("top"), "  ");
    cd_text_add(text, ",\n  \"definitions\": {");
    const char* before = "\n";
    for (int i = 0; cd_section_at(i); ++i) {
        if (strcmp(cd_section_at(i)->name, "top") == 0) continue;
        cd_text_format(text, "%s    \"%s\": {\n", before, cd_section_at(i)->name);
        add_section(text, cd_section_at(i), "      ");
        cd_text_add(text, "\n    }");
        before = ",\n";
    }
    for (int i = 1; i < cd_value_type_count(); ++i) {
        cd_text_format(text, ",\n    \"type.%s\": ", value_type_name((cd_value_type_id)i));
        add_value_type(text, cd_value_type_at((cd_value_type_id)i));
    }
    cd_text_add(text, "\n  }\n}\n");
}
