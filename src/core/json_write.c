// SPDX-License-Identifier: BSD-3-Clause
// JSON writer: commas, indents, escapes (RFC 8259).
#include "core/json.h"

#include "core/locale.h"
#include "core/utf8.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

cd_json cd_json_to(cd_text* text) { return (cd_json){.text = text}; }

static void write_escaped(cd_text* text, const char* s)
{
    cd_text_add(text, "\"");
    for (size_t left = strlen(s); left > 0;) {
        const unsigned char c = (unsigned char)*s;
        const int           n = cd_utf8_length(s, left);
        if (n == 0)
            cd_text_add(text, "\xEF\xBF\xBD");
        else if (c == '"' || c == '\\')
            cd_text_format(text, "\\%c", c);
        else if (c == '\n')
            cd_text_add(text, "\\n");
        else if (c == '\t')
            cd_text_add(text, "\\t");
        else if (c == '\r')
            cd_text_add(text, "\\r");
        else if (c < 0x20 || c == 0x7F)
            cd_text_format(text, "\\u%04x", c);
        else
            cd_text_add_bytes(text, s, (size_t)n);
        const size_t used = n ? (size_t)n : 1;
        s += used;
        left -= used;
    }
    cd_text_add(text, "\"");
}

static void indent(cd_json* json)
{
    cd_text_add(json->text, "\n");
    for (int i = 0; i < json->depth; ++i) cd_text_add(json->text, "  ");
}

// What stands before a value: the comma after the one before, a new line, the key.
static void before(cd_json* json, const char* key)
{
    if (json->depth > 0) {
        if (!json->empty[json->depth - 1]) cd_text_add(json->text, ",");
        json->empty[json->depth - 1] = false;
        indent(json);
    }
    if (key) {
        write_escaped(json->text, key);
        cd_text_add(json->text, ": ");
    }
}

static void after(cd_json* json)
{
    if (json->depth == 0) cd_text_add(json->text, "\n");
}

static void begin(cd_json* json, const char* key, const char* opening, char closing)
{
    before(json, key);
    if (json->depth == CD_JSON_DEPTH) {
        json->text->failed = true;
        return;
    }
    cd_text_add(json->text, opening);
    json->open[json->depth]    = closing;
    json->empty[json->depth++] = true;
}

void cd_json_object(cd_json* json, const char* key) { begin(json, key, "{", '}'); }
void cd_json_array(cd_json* json, const char* key) { begin(json, key, "[", ']'); }

void cd_json_end(cd_json* json)
{
    if (json->depth == 0) return;
    const bool empty = json->empty[--json->depth];
    if (!empty) indent(json);
    cd_text_add_bytes(json->text, &json->open[json->depth], 1);
    after(json);
}

static void write_number(cd_text* text, double value)
{
    if (!isfinite(value)) {
        cd_text_add(text, "null");
        return;
    }
    const locale_t before = cd_locale_enter();
    cd_text_format(text, "%.17g", value);
    cd_locale_leave(before);
}

void cd_json_number(cd_json* json, const char* key, double value)
{
    before(json, key);
    write_number(json->text, value);
    after(json);
}

void cd_json_integer(cd_json* json, const char* key, long long value)
{
    before(json, key);
    cd_text_format(json->text, "%lld", value);
    after(json);
}

void cd_json_boolean(cd_json* json, const char* key, bool value)
{
    before(json, key);
    cd_text_add(json->text, value ? "true" : "false");
    after(json);
}

void cd_json_string(cd_json* json, const char* key, const char* value)
{
    before(json, key);
    if (value)
        write_escaped(json->text, value);
    else
        cd_text_add(json->text, "null");
    after(json);
}

void cd_json_null(cd_json* json, const char* key) { cd_json_string(json, key, NULL); }

void cd_json_numbers(cd_json* json, const char* key, int count, const double* value)
{
    before(json, key);
    cd_text_add(json->text, "[");
    for (int i = 0; i < count; ++i) {
        if (i) cd_text_add(json->text, ", ");
        write_number(json->text, value[i]);
    }
    cd_text_add(json->text, "]");
    after(json);
}
