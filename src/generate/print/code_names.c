// SPDX-License-Identifier: BSD-3-Clause
// Names of files and prefixes: letters, digits and _. A name that is reserved in the language, because the printed file
// imports a module or calls a function of that name, gets the suffix "_model". The comparison ignores case, because
// some file systems do.
#include "core/memory.h"
#include "generate/print/syntax.h"

#include <string.h>
#include <strings.h>

// ASCII letters in every locale.
static bool is_letter(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z'); }
static bool is_identifier_character(char c) { return is_letter(c) || (c >= '0' && c <= '9'); }

// Copy letters and digits; replace every other sequence of characters by one _.
static void write_identifier(const char* requested, char* name)
{
    char* to = name;
    if (!is_letter(*requested)) *to++ = 'm';
    for (; *requested; ++requested)
        if (is_identifier_character(*requested) || to == name || to[-1] != '_')
            *to++ = is_identifier_character(*requested) ? *requested : '_';
    while (to > name + 1 && to[-1] == '_') *--to = 0;
}

static bool has_word(const char* line, const char* word)
{
    const size_t n = strlen(word);
    for (size_t length; *line; line += length + (line[length] != 0)) {
        length = strcspn(line, " ");
        if (length == n && strncasecmp(line, word, n) == 0) return true;
    }
    return false;
}

// True for names of routines, of their derivatives and of their tables.
static bool is_routine_name(const char* name)
{
    for (int i = 0; i < cd_routine_count(); ++i) {
        const char*  routine = cd_routine_at(i)->name;
        const size_t n       = strlen(routine);
        if (strncasecmp(name, routine, n) != 0) continue;
        if (name[n] == 0 || strncasecmp(name + n, "_sparse_", 8) == 0 || strncasecmp(name + n, "_table", 6) == 0)
            return true;
    }
    return false;
}

static bool is_reserved(const cd_language* language, const char* name)
{
    for (const char* const* line = language->reserved_words; *line; ++line)
        if (has_word(*line, name)) return true;
    return language->has_bare_names && is_routine_name(name);
}

char* cd_make_identifier(const cd_language* language, const char* requested, bool* is_reserved_name)
{
    static const char suffix[] = "_model";
    char*             name     = cd_allocate(strlen(requested) + sizeof suffix + 2, 1);
    if (!name) return NULL;
    write_identifier(requested, name);
    *is_reserved_name = is_reserved(language, name);
    if (*is_reserved_name) strcat(name, suffix);
    return name;
}
