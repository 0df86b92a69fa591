// SPDX-License-Identifier: BSD-3-Clause
// JSON writer: commas, indents, escapes (RFC 8259).
#include "core/json.h"

#include "core/escape.h"
#include "core/locale.h"

#include <math.h>
#include <stdio.h>

cd_json cd_json_to(cd_text* text) { return (cd_json){.text = text}; }

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
        cd_escape_json_string(json->text, key);
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
        cd_escape_json_string(json->text, value);
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
