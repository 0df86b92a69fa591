// SPDX-License-Identifier: BSD-3-Clause
// Table of optional parts. CMake defines CD_HAS_<option> as 1 or 0 for this file.
#include "core/parts.h"

#include <stdio.h>
#include <string.h>

static const cardan_part table[] = {
#define CD_PART(option, name, package, summary) {name, package, summary, CD_HAS_##option},
#include "core/parts.def"
#undef CD_PART
};

enum { COUNT = sizeof table / sizeof *table };

int cardan_part_count(void) { return COUNT; }

cardan_part cardan_part_at(int i) { return i >= 0 && i < COUNT ? table[i] : (cardan_part){0}; }

int cardan_part_find(const char* name)
{
    for (int i = 0; name && i < COUNT; ++i)
        if (strcmp(table[i].name, name) == 0) return i;
    return -1;
}

const char* cd_part_missing(const char* name)
{
    const cardan_part part = cardan_part_at(cardan_part_find(name));
    return part.built ? NULL : part.name;
}

cardan_status cd_fail_missing_part(cardan_report* report, const char* part, cardan_location location, const char* what,
                                   ...)
{
    char    subject[240];
    va_list arguments;
    va_start(arguments, what);
    vsnprintf(subject, sizeof subject, what, arguments);
    va_end(arguments);
    return cardan_fail(report, CARDAN_UNSUPPORTED, CARDAN_CODE_NOT_IN_BUILD, location,
                       "%s is not in this build, because it needs %s: install the Debian package %s and build again",
                       subject, part, cardan_part_at(cardan_part_find(part)).package);
}
