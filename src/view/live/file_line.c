// SPDX-License-Identifier: BSD-3-Clause
// The value of a key in YAML text: up to a comma, a closing bracket of an outer level, a comment or the end of the line.
#include "view/live/file_line.h"

#include "core/file.h"
#include "core/text.h"

#include <stdlib.h>
#include <string.h>

static const char* next_line(const char* line)
{
    const char* end = strchr(line, '\n');
    return end ? end + 1 : NULL;
}

static size_t indentation(const char* line) { return strspn(line, " "); }

static bool is_blank_or_comment(const char* line)
{
    const char c = line[indentation(line)];
    return c == '\n' || c == '\r' || c == 0 || c == '#';
}

// Begin of the value behind "key:" in a line, or NULL.
static const char* find_value(const char* line, const char* key)
{
    const size_t n   = strlen(key);
    const char*  end = line + strcspn(line, "\n");
    for (const char* p = line; p + n < end; ++p) {
        const char  before = p > line ? p[-1] : ' ', quote = before == '"' || before == '\'' ? before : 0;
        const char* after = p + n + (quote != 0);
        if (strncmp(p, key, n) != 0 || !strchr(" {,\"'", before) || (quote && p[n] != quote)) continue;
        if (*after == ':' && (after[1] == ' ' || after[1] == '\n')) return after + 1 + strspn(after + 1, " ");
    }
    return NULL;
}

static size_t value_length(const char* value)
{
    int    depth = 0;
    size_t n     = 0;
    for (char quote = 0; value[n] && value[n] != '\n'; ++n) {
        const char c = value[n];
        if (quote) {
            if (c == quote) quote = 0;
        } else if (c == '"' || c == '\'') {
            quote = c;
        } else if (c == '[' || c == '{') {
            ++depth;
        } else if (c == ']' || c == '}') {
            if (--depth < 0) break;
        } else if ((c == ',' && depth == 0) || (c == '#' && n > 0 && value[n - 1] == ' ')) {
            break;
        }
    }
    while (n > 0 && (value[n - 1] == ' ' || value[n - 1] == '\r')) --n;
    return n;
}

// Line with the `length` bytes at `old` replaced.
static bool replace(const char* line, const char* old, size_t length, const char* value, cd_file_line* result)
{
    cd_text      before = {0}, after = {0};
    const size_t n = strcspn(line, "\r\n"), head = (size_t)(old - line);
    cd_text_add_bytes(&before, line, n);
    cd_text_add_bytes(&after, line, head);
    cd_text_add(&after, value);
    cd_text_add_bytes(&after, old + length, n - head - length);
    result->before = cd_text_detach(&before);
    result->after  = cd_text_detach(&after);
    if (result->before && result->after) return true;
    cd_file_line_free(result);
    return false;
}

// Line with the key, and its value; *result has the number of the line. NULL if there is none.
static const char* find_line(const char* text, int line, const char* key, const char** value, cd_file_line* result)
{
    const char* p = text;
    *result       = (cd_file_line){.line = 1};
    while (p && result->line < line) p = next_line(p), ++result->line;
    const size_t outer = p ? indentation(p) : 0;
    *value             = p ? find_value(p, key) : NULL;
    while (p && !*value && (p = next_line(p)) != NULL && (is_blank_or_comment(p) || indentation(p) > outer)) {
        ++result->line;
        *value = find_value(p, key);
    }
    return *value && **value != '\n' ? p : NULL;
}

bool cd_file_line_replace(const char* path, int line, const char* key, const char* value, cd_file_line* result)
{
    char*       text = NULL;
    const char* old;
    size_t      length;
    if (line < 1 || cd_file_read(path, &text, &length, NULL) != CARDAN_OK) return false;
    const char* found = find_line(text, line, key, &old, result);
    const bool  good  = found && replace(found, old, value_length(old), value, result);
    free(text);
    return good;
}

// Remove the entry "axis" from a line in flow style.
static void remove_axis(char* line)
{
    char* value = (char*)(size_t)find_value(line, "axis");
    char* begin = value;
    if (!value) return;
    while (begin > line && *begin != ',') --begin;
    if (*begin != ',') return;
    const char* end = value + value_length(value);
    memmove(begin, end, strlen(end) + 1);
}

bool cd_file_line_rename(const char* path, int line, const char* key, const char* name, cd_file_line* result)
{
    char*       text = NULL;
    const char* value;
    size_t      length;
    if (line < 1 || cd_file_read(path, &text, &length, NULL) != CARDAN_OK) return false;
    const char* found = find_line(text, line, key, &value, result);
    const char* old   = value;
    while (found && old > found && strncmp(old, key, strlen(key)) != 0) --old;
    const bool good = found && replace(found, old, strlen(key), name, result);
    if (good && strcmp(name, "spherical") == 0) remove_axis(result->after);
    free(text);
    return good;
}

void cd_file_line_free(cd_file_line* line)
{
    free(line->before);
    free(line->after);
    *line = (cd_file_line){0};
}
