// SPDX-License-Identifier: BSD-3-Clause
// Schema of the task file (task_keys.def), for the reader, for editors and for the manual.
#pragma once

#include "core/text.h"

typedef struct cd_task_key {
    const char *section, *key;
    int         type;
    const char *unit, *default_text, *help;
} cd_task_key;

// Return key i of a section; NULL after the last.
const cd_task_key* cd_task_key_at(const char* section, int i);
const cd_task_key* cd_task_key_find(const char* section, const char* key);
// Label in messages: "a task", "cost".
const char* cd_task_section_label(const char* section);

void cd_task_schema_json(cd_text* text);   // JSON Schema, draft 7
void cd_task_schema_manual(cd_text* text); // docs/task-file.md
