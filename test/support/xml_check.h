// SPDX-License-Identifier: BSD-3-Clause
// Check of XML texts: tags are balanced, attributes are quoted and unique, text is escaped, no attribute contains nan
// or inf.
#pragma once

#include <ctype.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

// Number of characters before the first of `stops`. strcspn is not used: some library functions first measure the whole
// remaining text, which takes quadratic time.
static inline size_t xml_run(const char* at, const char* stops)
{
    size_t n = 0;
    for (; at[n]; ++n)
        for (const char* s = stops; *s; ++s)
            if (at[n] == *s) return n;
    return n;
}

static inline bool xml_begins(const char* at, const char* part)
{
    for (; *part; ++part, ++at)
        if (*at != *part) return false;
    return true;
}

static inline int xml_count(const char* text, const char* part)
{
    int count = 0;
    for (; *text; ++text) count += xml_begins(text, part);
    return count;
}

// Read the attributes of a start tag from `at`. Returns the character behind them ('/' or '>'), NULL if they are wrong.
static inline const char* xml_attributes(const char* at)
{
    char seen[32][32];
    int  count = 0;
    for (;;) {
        while (isspace((unsigned char)*at)) ++at;
        if (*at == '>' || *at == '/') return at;
        const size_t n = xml_run(at, "= \n>");
        if (n == 0 || n >= sizeof seen[0] || count == 32 || at[n] != '=' || at[n + 1] != '"') return NULL;
        memcpy(seen[count], at, n);
        seen[count][n] = '\0';
        for (int i = 0; i < count; ++i)
            if (strcmp(seen[i], seen[count]) == 0) return NULL;
        ++count;
        at += n + 2;
        const size_t length = xml_run(at, "\"<");
        if (at[length] != '"') return NULL;
        for (size_t i = 0; i + 3 <= length; ++i)
            if (xml_begins(at + i, "nan") || xml_begins(at + i, "inf")) return NULL;
        at += length + 1;
    }
}

// Returns "" for a well-formed document, else a description of the first error.
static inline const char* xml_problem(const char* text)
{
    static char problem[160];
    char        stack[64][24];
    int         depth = 0, roots = 0;
    problem[0] = '\0';
    for (const char* at = text; at && *at;) {
        if (*at != '<') {
            static const char* const entity[] = {"&lt;", "&gt;", "&amp;", "&quot;"};
            bool                     known    = *at != '&' && *at != '>';
            for (int i = 0; i < 4; ++i) known |= xml_begins(at, entity[i]);
            if (!known || (depth == 0 && !isspace((unsigned char)*at))) {
                snprintf(problem, sizeof problem, "stray text: %.60s", at);
                return problem;
            }
            ++at;
            continue;
        }
        const bool   closing = at[1] == '/';
        const char*  name    = at + 1 + closing;
        const size_t n       = xml_run(name, " />\n");
        const char*  end     = closing ? name + n : xml_attributes(name + n);
        bool         good    = end && n > 0 && n < sizeof stack[0];
        if (good && closing)
            good = *end == '>' && depth > 0 && strlen(stack[depth - 1]) == n && xml_begins(name, stack[depth - 1]);
        if (good && closing) --depth;
        if (good && !closing && *end == '>') {
            good = depth < 64;
            if (good) snprintf(stack[depth++], sizeof stack[0], "%.*s", (int)n, name);
            roots += depth == 1;
        }
        if (good && *end == '/') good = *++end == '>';
        if (!good) {
            snprintf(problem, sizeof problem, "bad tag: %.100s", at);
            return problem;
        }
        at = end + 1;
    }
    if (!text || depth != 0 || roots != 1) snprintf(problem, sizeof problem, "%d tags open, %d roots", depth, roots);
    return problem;
}
