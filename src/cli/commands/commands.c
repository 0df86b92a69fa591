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

// Names that other programs use for a command.
static const char* const synonym[][2] = {
    {"simulate", "run"},         {"simulation", "run"},   {"sim", "run"},
    {"integrate", "run"},        {"dynamics", "run"},     {"solve", "run"},
    {"validate", "check"},       {"lint", "check"},       {"info", "check"},
    {"diagnose", "check"},       {"view", "draw"},        {"show", "draw"},
    {"render", "draw"},          {"picture", "draw"},     {"graph", "plot"},
    {"curves", "plot"},          {"forward", "accel"},    {"close", "assemble"},
    {"export", "generate"},      {"codegen", "generate"}, {"code", "generate"},
    {"study", "sweep"},          {"batch", "sweep"},      {"eigenvalues", "modes"},
    {"vibration", "modes"},      {"modal", "modes"},      {"static", "equilibrium"},
    {"statics", "equilibrium"},  {"trim", "equilibrium"}, {"linear", "linearize"},
    {"optimise", "optimize"},    {"control", "optimize"}, {"inverse-dynamics", "inverse"},
    {"kinematic", "kinematics"}, {"import", "convert"},   {"new", "make"},
};

const char* cd_command_suggestion(const char* name)
{
    for (size_t i = 0; i < sizeof synonym / sizeof *synonym; ++i)
        if (strcmp(name, synonym[i][0]) == 0) return synonym[i][1];
    return cd_nearest_name(name, candidate, NULL);
}
