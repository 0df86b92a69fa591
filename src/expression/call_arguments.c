// SPDX-License-Identifier: BSD-3-Clause
// Arguments as source text: their end, and splitting at commas.
#include "expression/call_arguments.h"

#include "expression/builtin_functions.h"

#include <ctype.h>
#include <string.h>

int cd_call_arguments_end(const char* text, int parenthesis)
{
    int depth = 0;
    for (int at = parenthesis; text[at]; ++at) {
        if (text[at] == '"' || text[at] == '\'') {
            const char* close = strchr(text + at + 1, text[at]);
            if (!close) return -1;
            at = (int)(close - text);
        } else if (text[at] == '(')
            ++depth;
        else if (text[at] == ')' && --depth == 0)
            return at;
    }
    return -1;
}

static char* trim(char* from, char* to)
{
    while (from < to && isspace((unsigned char)*from)) ++from;
    while (to > from && isspace((unsigned char)to[-1])) --to;
    const bool quoted =
        to - from > 1 && (*from == '"' || *from == '\'') && memchr(from + 1, *from, (size_t)(to - from - 1)) == to - 1;
    if (quoted) {
        ++from;
        --to;
    }
    *to = '\0';
    return from;
}

int cd_call_arguments_split(char* text, const char** argument)
{
    int         count = 0, depth = 0;
    char        quote = 0;
    char*       start = text;
    char* const end   = text + strlen(text);
    for (char* at = text; at <= end; ++at) {
        const char c = *at;
        if (at == end || (c == ',' && depth == 0 && !quote)) {
            if (count == CD_CALL_ARGUMENTS_MAX) return -1;
            argument[count++] = trim(start, at);
            start             = at + 1;
        } else if (quote)
            quote = c == quote ? 0 : quote;
        else if (c == '"' || c == '\'')
            quote = c;
        else
            depth += (c == '(') - (c == ')');
    }
    return count == 1 && !*argument[0] ? 0 : count;
}
