// SPDX-License-Identifier: BSD-3-Clause
#include "optimize/task/option_names.h"

#include "core/text.h"

#include <stdio.h>
#include <string.h>

const char* cd_layout_name(int i)
{
    static const char* const name[] = {"condensed", "full", NULL};
    return name[i];
}

const char* cd_compile_mode_name(int i)
{
    static const char* const name[] = {"auto", "always", "never", NULL};
    return name[i];
}

static const char* candidate(void* user, int i) { return (*(cd_option_name**)user)(i); }

bool cd_check_option_name(const char* what, const char* word, cd_option_name* at, char* message, size_t size)
{
    char   list[200];
    size_t used = 0;
    for (int i = 0; at(i); ++i)
        if (strcmp(at(i), word) == 0) return true;
    for (int i = 0; at(i) && used < sizeof list; ++i)
        used += (size_t)snprintf(list + used, sizeof list - used, "%s%s", i ? ", " : "", at(i));
    const char* suggestion = cd_nearest_name(word, candidate, &at);
    if (suggestion)
        snprintf(message, size, "there is no %s '%.60s' (did you mean '%s'?); expected one of %s", what, word,
                 suggestion, list);
    else
        snprintf(message, size, "there is no %s '%.60s'; expected one of %s", what, word, list);
    return false;
}
