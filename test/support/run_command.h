// SPDX-License-Identifier: BSD-3-Clause
// Run a shell command from a test; a command that fails is printed with its exit code.
#pragma once

#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>

static bool run(const char* format, ...) __attribute__((format(printf, 1, 2)));
static bool run(const char* format, ...)
{
    char    command[2048];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(command, sizeof command, format, arguments);
    va_end(arguments);
    const int code = system(command);
    if (code != 0) printf("exit code %d: %s\n", code, command);
    return code == 0;
}
