// SPDX-License-Identifier: BSD-3-Clause
// The table of commands.
#include "cli/commands/commands.h"
#include "core/parts.h"

#include "core/text.h"

#include <string.h>

#define COMMAND(name) extern const cd_command cd_command_##name;
#include "cli/commands/commands.def"
#undef COMMAND

static const cd_command* const commands[] = {
#define COMMAND(name) &cd_command_##name,
#include "cli/commands/commands.def"
#undef COMMAND
};

enum { NCOMMAND = sizeof commands / sizeof *commands };

int               cd_command_count(void) { return NCOMMAND; }
const cd_command* cd_command_at(int i) { return i >= 0 && i < NCOMMAND ? commands[i] : NULL; }

const char* cd_command_missing_part(const cd_command* command)
{
    return command->part ? cd_part_missing(command->part) : NULL;
}

const cd_command* cd_command_find(const char* name)
{
    for (int i = 0; i < NCOMMAND; ++i)
        if (strcmp(commands[i]->name, name) == 0) return commands[i];
    return NULL;
}

static const char* candidate(void* user, int i)
{
    (void)user;
    return i < NCOMMAND ? commands[i]->name : NULL;
}

const char* cd_command_suggestion(const char* name) { return cd_nearest_name(name, candidate, NULL); }
