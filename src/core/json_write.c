// SPDX-License-Identifier: BSD-3-Clause
// JSON writer: commas, indentation, escapes (RFC 8259).
#include "core/json.h"

#include "core/escape.h"
#include "core/number_locale.h"

#include <math.h>
#include <stdio.h>

cd_json_writer cd_json_writer_to(cd_text* text) { return (cd_json_writer){.text = text}; }

static void indent(cd_json_writer* json)
{
    cd_text_add(json->text, "\n");
    for (int i = 0; i < json->depth; ++i) cd_text_add(json->text, "  ");
}

// Write what precedes a value: comma, line break, key.
static void begin_value(cd_json_writer* json, const char* key)
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

static void end_value(cd_json_writer* json)
{
    if (json->depth == 0) cd_text_add(json->text, "\n");
}

static void begin_container(cd_json_writer* json, const char* key, const char* opening, char closing)
{
    begin_value(json, key);
    if (json->depth == CD_JSON_DEPTH) {
        json->text->failed = true;
        return;
    }
    cd_text_add(json->text, opening);
    json->closing[json->depth] = closing;
    json->empty[json->depth++] = true;
}

void cd_json_begin_object(cd_json_writer* json, const char* key) { begin_container(json, key, "{", '}'); }
void cd_json_begin_array(cd_json_writer* json, const char* key) { begin_container(json, key, "[", ']'); }

void cd_json_end(cd_json_writer* json)
{
    if (json->depth == 0) return;
    const bool empty = json->empty[--json->depth];
    if (!empty) indent(json);
    cd_text_add_bytes(json->text, &json->closing[json->depth], 1);
    end_value(json);
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

void cd_json_number(cd_json_writer* json, const char* key, double value)
{
    begin_value(json, key);
    write_number(json->text, value);
    end_value(json);
}

void cd_json_integer(cd_json_writer* json, const char* key, long long value)
{
    begin_value(json, key);
    cd_text_format(json->text, "%lld", value);
    end_value(json);
}

void cd_json_boolean(cd_json_writer* json, const char* key, bool value)
{
    begin_value(json, key);
    cd_text_add(json->text, value ? "true" : "false");
    end_value(json);
}

void cd_json_string(cd_json_writer* json, const char* key, const char* value)
{
    begin_value(json, key);
    if (value)
        cd_escape_json_string(json->text, value);
    else
        cd_text_add(json->text, "null");
    end_value(json);
}

void cd_json_null(cd_json_writer* json, const char* key) { cd_json_string(json, key, NULL); }

void cd_json_numbers(cd_json_writer* json, const char* key, int count, const double* value)
{
    begin_value(json, key);
    cd_text_add(json->text, "[");
    for (int i = 0; i < count; ++i) {
        if (i) cd_text_add(json->text, ", ");
        write_number(json->text, value[i]);
    }
    cd_text_add(json->text, "]");
    end_value(json);
}
