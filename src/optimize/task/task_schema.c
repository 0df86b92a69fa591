// SPDX-License-Identifier: BSD-3-Clause
// Schema of the task file as JSON Schema and as the reference manual.
#include "optimize/task/task_schema.h"

#include "core/escape.h"

#include <string.h>

typedef enum value_type_id {
#define TASK_VALUE_TYPE(id, ...) VALUE_##id,
#include "optimize/task/task_keys.def"
} value_type_id;

static const struct {
    const char *expected, *json;
} value_types[] = {
#define TASK_VALUE_TYPE(id, expected, json) {expected, json},
#include "optimize/task/task_keys.def"
};

static const struct section {
    const char *name, *label, *title, *prose;
} sections[] = {
#define TASK_SECTION(...) {__VA_ARGS__},
#include "optimize/task/task_keys.def"
};

static const cd_task_key keys[] = {
#define TASK_KEY(section, key, type, unit, default_text, help) {section, key, VALUE_##type, unit, default_text, help},
#include "optimize/task/task_keys.def"
};

enum { SECTIONS = sizeof sections / sizeof *sections, KEYS = sizeof keys / sizeof *keys };

const cd_task_key* cd_task_key_at(const char* section, int i)
{
    for (int k = 0; k < KEYS; ++k)
        if (strcmp(keys[k].section, section) == 0 && i-- == 0) return &keys[k];
    return NULL;
}

const cd_task_key* cd_task_key_find(const char* section, const char* key)
{
    for (int k = 0; k < KEYS; ++k)
        if (strcmp(keys[k].section, section) == 0 && strcmp(keys[k].key, key) == 0) return &keys[k];
    return NULL;
}

const char* cd_task_section_label(const char* section)
{
    for (int i = 0; i < SECTIONS; ++i)
        if (strcmp(sections[i].name, section) == 0) return sections[i].label;
    return section;
}

// ---- JSON Schema

static void add_key(cd_text* text, const cd_task_key* key)
{
    cd_text help = {0};
    cd_text_add(&help, key->help);
    if (*key->unit) cd_text_format(&help, " [%s]", key->unit);
    if (*key->default_text && *key->default_text != '!') cd_text_format(&help, "; default: %s", key->default_text);
    cd_escape_json_string(text, key->key);
    cd_text_add(text, ": {\"description\": ");
    cd_escape_json_string(text, help.failed || !help.data ? "" : help.data);
    text->failed = text->failed || help.failed;
    cd_text_format(text, ", \"anyOf\": [%s]}", value_types[key->type].json);
    cd_text_free(&help);
}

static void add_section(cd_text* text, const char* section, const char* indent)
{
    const char* before = "";
    int         needed = 0;
    cd_text_format(text, "%s\"type\": \"object\",\n%s\"additionalProperties\": false,\n%s\"properties\": {", indent,
                   indent, indent);
    for (int i = 0; cd_task_key_at(section, i); ++i, before = ",") {
        cd_text_format(text, "%s\n%s  ", before, indent);
        add_key(text, cd_task_key_at(section, i));
    }
    cd_text_format(text, "\n%s}", indent);
    for (int i = 0; cd_task_key_at(section, i); ++i)
        if (*cd_task_key_at(section, i)->default_text == '!')
            cd_text_format(text, needed++ ? ", \"%s\"" : ",\n      \"required\": [\"%s\"",
                           cd_task_key_at(section, i)->key);
    cd_text_add(text, needed ? "]\n" : "\n");
}

void cd_task_schema_json(cd_text* text)
{
    cd_text_add(text,
                "{\n  \"$schema\": \"http://json-schema.org/draft-07/schema#\",\n  \"title\": \"Cardan task file\",\n");
    add_section(text, "task", "  ");
    cd_text_add(text, "  ,\"definitions\": {\n");
    for (int i = 1; i < SECTIONS; ++i) {
        cd_text_format(text, "    \"%s\": {\n", sections[i].name);
        add_section(text, sections[i].name, "      ");
        cd_text_add(text, i + 1 < SECTIONS ? "    },\n" : "    }\n");
    }
    cd_text_add(text, "  }\n}\n");
}

// ---- manual

static const char opening[] =
    "# The task file\n"
    "\n"
    "<!-- Generated from src/optimize/task/task_keys.def; `cardan schema task --manual` prints it. -->\n"
    "\n"
    "A task describes an optimal-control problem of a model in a YAML file; [optimal control](optimize.md) shows how "
    "tasks are used. This page lists all keys; the same\n"
    "table checks task files, and as a JSON Schema (`cardan schema task`) it lets editors complete and check them. "
    "Units are SI and radians.\n"
    "\n"
    "A value that begins with `=` is a formula, as in [model files](model-file.md). Where a number is expected, "
    "formulas can use the parameters of task and model; elsewhere\n"
    "also the time `t`, coordinates `q(joint)`, velocities `v(joint)`, accelerations `a(joint)`, markers `x(tool)`, "
    "`vx(tool)`, ... and `effort(joint)`, the effort of a control.\n";

void cd_task_schema_manual(cd_text* text)
{
    cd_text_add(text, opening);
    for (int i = 0; i < SECTIONS; ++i) {
        cd_text_format(text, "\n## %s\n\n", sections[i].title);
        if (*sections[i].prose) cd_text_format(text, "%s\n\n", sections[i].prose);
        cd_text_add(text, "| key | value | unit | default | meaning |\n|---|---|---|---|---|\n");
        for (int k = 0; cd_task_key_at(sections[i].name, k); ++k) {
            const cd_task_key* key = cd_task_key_at(sections[i].name, k);
            cd_text_format(text, "| `%s` | ", key->key);
            cd_escape_markdown_cell(text, value_types[key->type].expected);
            cd_text_format(text, " | %s | %s | ", key->unit,
                           *key->default_text == '!' ? "required" : key->default_text);
            cd_escape_markdown_cell(text, key->help);
            cd_text_add(text, " |\n");
        }
    }
}
