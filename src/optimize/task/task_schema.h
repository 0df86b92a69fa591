// SPDX-License-Identifier: BSD-3-Clause
// The task file as one table (task_keys.def): for its reader, for editors, for the manual.
#pragma once

#include "core/text.h"

typedef struct cd_task_key {
    const char *section, *key;
    int         type;
    const char *unit, *default_text, *help;
} cd_task_key;

// i-th key of a section; NULL behind the last.
const cd_task_key* cd_task_key_at(const char* section, int i);
const cd_task_key* cd_task_key_find(const char* section, const char* key);
// What messages call it: "a task", "cost".
const char* cd_task_section_label(const char* section);

void cd_task_schema_json(cd_text* text);   // JSON Schema, draft 7
void cd_task_schema_manual(cd_text* text); // docs/task-file.md
