// SPDX-License-Identifier: BSD-3-Clause
// JSON parser (RFC 8259): one pass, explicit stack of bounded depth, location of every value. Nodes and strings are
// stored in two blocks whose sizes are counted before parsing, so that pointers stay valid.
#include "core/json.h"

#include "core/escape.h"
#include "core/number_locale.h"
#include "core/memory.h"
#include "core/utf8.h"

#include <ctype.h>
#include <math.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

struct cd_json_document {
    char*                file;
    cd_json_node*        node; // the first is the root
    char*                strings;
    const cd_json_node** slot;  // hash of (object, key); a power of two
    const cd_json_node** owner; // object of each slot
    size_t               slots;
};

typedef struct parser {
    const char *      at, *end;
    const char*       column_base; // position on this line with known column
    int               line, column;
    int               depth;
    cd_json_node*     parent[CD_JSON_DEPTH];
    cd_json_node*     last[CD_JSON_DEPTH]; // last child of each
    cd_json_document* document;
    size_t            nnode;
    char*             string; // unused part of the strings
    cardan_report*    report;
} parser;

// Columns count characters, not bytes; counting continues from the last requested position.
static cardan_location location_at(parser* p, const char* at)
{
    int column = p->column;
    for (const char* c = p->column_base; c < at; ++c) column += ((unsigned char)*c & 0xC0) != 0x80;
    if (at >= p->column_base) {
        p->column_base = at;
        p->column      = column;
    } else {
        for (const char* c = at; c < p->column_base; ++c) column -= ((unsigned char)*c & 0xC0) != 0x80;
    }
    return (cardan_location){p->document->file, p->line, column};
}

// Short description of the character at the parser position, for messages.
static const char* describe_character(const parser* p, char text[16])
{
    if (p->at >= p->end) return "the end of the file";
    const unsigned char c = (unsigned char)*p->at;
    const int           n = cd_utf8_length(p->at, (size_t)(p->end - p->at));
    if (c == '\0') return "a zero byte";
    if (n == 0) return "bytes that are not UTF-8";
    if (c < 0x20 || c == 0x7F) return "a control character";
    text[0] = '\'';
    memcpy(text + 1, p->at, (size_t)n);
    memcpy(text + 1 + n, "'", 2);
    return text;
}

#define FAIL_AT(p, at, ...)                                                                                            \
    cardan_fail((p)->report, CARDAN_BAD_INPUT, CARDAN_CODE_SYNTAX_ERROR, location_at((p), (at)), __VA_ARGS__)

static void skip_space(parser* p)
{
    for (; p->at < p->end; ++p->at) {
        if (*p->at == '\n') {
            ++p->line;
            p->column_base = p->at + 1;
            p->column      = 1;
        } else if (*p->at != ' ' && *p->at != '\t' && *p->at != '\r') {
            return;
        }
    }
}

static bool hex4(const parser* p, const char* at, unsigned* value)
{
    if (p->end - at < 4) return false;
    *value = 0;
    for (int i = 0; i < 4; ++i) {
        const int c = (unsigned char)at[i];
        if (!isxdigit(c)) return false;
        *value = *value * 16 + (unsigned)(isdigit(c) ? c - '0' : tolower(c) - 'a' + 10);
    }
    return true;
}

// Parse an escape; `at` points to the backslash.
static cardan_status parse_escape(parser* p)
{
    static const char from[] = "\"\\/bfnrt", to[] = "\"\\/\b\f\n\r\t";
    const char        c      = p->at + 1 < p->end ? p->at[1] : '\0';
    const char*       simple = c ? strchr(from, c) : NULL;
    if (simple) {
        *p->string++ = to[simple - from];
        p->at += 2;
        return CARDAN_OK;
    }
    if (c != 'u') return FAIL_AT(p, p->at, "unknown escape in a string; a backslash itself is written \\\\");
    unsigned code = 0, low = 0;
    if (!hex4(p, p->at + 2, &code)) return FAIL_AT(p, p->at, "\\u must be followed by four hexadecimal digits");
    int used = 6;
    if (code >= 0xD800 && code < 0xDC00 && p->end - p->at >= 12 && p->at[6] == '\\' && p->at[7] == 'u' &&
        hex4(p, p->at + 8, &low) && low >= 0xDC00 && low < 0xE000) {
        code = 0x10000 + ((code - 0xD800) << 10) + (low - 0xDC00);
        used = 12;
    }
    if (code >= 0xD800 && code < 0xE000) return FAIL_AT(p, p->at, "\\u%04x is half of a surrogate pair", code);
    if (code == 0) return FAIL_AT(p, p->at, "\\u0000 is not allowed in a string");
    p->string += cd_utf8_encode(code, p->string);
    p->at += used;
    return CARDAN_OK;
}

static cardan_status parse_string(parser* p, const char** string)
{
    const char* start = p->at++;
    *string           = p->string;
    while (p->at < p->end && *p->at != '"') {
        const unsigned char c = (unsigned char)*p->at;
        if (c == '\n') return FAIL_AT(p, start, "this string is not closed on its line");
        if (c < 0x20) return FAIL_AT(p, p->at, "a control character in a string must be written \\u%04x", c);
        if (c == '\\') {
            const cardan_status status = parse_escape(p);
            if (status != CARDAN_OK) return status;
            continue;
        }
        const int n = cd_utf8_length(p->at, (size_t)(p->end - p->at));
        if (n == 0) return FAIL_AT(p, p->at, "this string is not valid UTF-8");
        memcpy(p->string, p->at, (size_t)n);
        p->string += n;
        p->at += n;
    }
    if (p->at >= p->end) return FAIL_AT(p, start, "this string is not closed");
    ++p->at;
    *p->string++ = '\0';
    return CARDAN_OK;
}

static const char* skip_digits(const parser* p, const char* at)
{
    while (at < p->end && isdigit((unsigned char)*at)) ++at;
    return at;
}

static cardan_status parse_number(parser* p, double* value)
{
    const char *start = p->at, *at = p->at;
    if (*at == '-') ++at;
    const char* whole = at;
    at                = skip_digits(p, at);
    if (at == whole) return FAIL_AT(p, start, "'-' must be followed by a digit");
    if (*whole == '0' && at - whole > 1) return FAIL_AT(p, start, "a number must not begin with 0");
    if (at < p->end && *at == '.') {
        const char* fraction = ++at;
        at                   = skip_digits(p, at);
        if (at == fraction) return FAIL_AT(p, start, "a decimal point must be followed by a digit");
    }
    if (at < p->end && (*at == 'e' || *at == 'E')) {
        ++at;
        if (at < p->end && (*at == '+' || *at == '-')) ++at;
        const char* exponent = at;
        at                   = skip_digits(p, at);
        if (at == exponent) return FAIL_AT(p, start, "an exponent must have a digit");
    }
    *value = strtod(start, NULL);
    p->at  = at;
    return isfinite(*value) ? CARDAN_OK : FAIL_AT(p, start, "this number is too large");
}

static bool match_word(parser* p, const char* name)
{
    const size_t n = strlen(name);
    if ((size_t)(p->end - p->at) < n || memcmp(p->at, name, n) != 0) return false;
    p->at += n;
    return true;
}

static cardan_status fail_unknown_value(parser* p)
{
    char        text[16];
    const char* c = p->at;
    if (c < p->end && (*c == '}' || *c == ']'))
        return FAIL_AT(p, c, "a value is missing before %s", describe_character(p, text));
    if (match_word(p, "NaN") || match_word(p, "nan") || match_word(p, "Infinity") || match_word(p, "inf"))
        return FAIL_AT(p, c, "JSON has no numbers that are not finite; omit the value");
    if (c < p->end && (*c == '/' || *c == '#')) return FAIL_AT(p, c, "JSON has no comments");
    if (c < p->end && *c == '\'') return FAIL_AT(p, c, "a string must be in double quotes");
    return FAIL_AT(p, c, "expected a value, found %s", describe_character(p, text));
}

// Parse one scalar value, or the opening bracket of a container.
static cardan_status parse_value(parser* p, cd_json_node* node)
{
    const cardan_location location = location_at(p, p->at);
    node->line                     = location.line;
    node->column                   = location.column;
    const char c                   = p->at < p->end ? *p->at : '\0';
    if (c == '{' || c == '[') {
        if (p->depth == CD_JSON_DEPTH) return FAIL_AT(p, p->at, "nested deeper than %d levels", CD_JSON_DEPTH);
        node->kind          = c == '{' ? CD_JSON_OBJECT : CD_JSON_ARRAY;
        p->parent[p->depth] = node;
        p->last[p->depth++] = NULL;
        ++p->at;
        return CARDAN_OK;
    }
    if (c == '"') {
        node->kind = CD_JSON_STRING;
        return parse_string(p, &node->string);
    }
    if (c == '-' || isdigit((unsigned char)c)) {
        node->kind = CD_JSON_NUMBER;
        return parse_number(p, &node->number);
    }
    if (match_word(p, "null")) return CARDAN_OK;
    node->kind = CD_JSON_BOOLEAN;
    if (match_word(p, "true")) return node->number = 1, CARDAN_OK;
    if (match_word(p, "false")) return CARDAN_OK;
    return fail_unknown_value(p);
}

static size_t slot_of(const cd_json_document* d, const cd_json_node* object, const char* key)
{
    uint64_t hash = 14695981039346656037u ^ (uint64_t)(object - d->node) * 0x9E3779B97F4A7C15u;
    for (const char* c = key; *c; ++c) hash = (hash ^ (unsigned char)*c) * 1099511628211u;
    size_t i = (size_t)(hash ^ hash >> 32) & (d->slots - 1);
    while (d->slot[i] && (d->owner[i] != object || strcmp(d->slot[i]->key, key) != 0)) i = (i + 1) & (d->slots - 1);
    return i;
}

// Parse "key": before the value of a member.
static cardan_status parse_key(parser* p, cd_json_node* object, cd_json_node* node)
{
    char        text[16];
    const char* start = p->at;
    if (p->at >= p->end || *p->at != '"')
        return FAIL_AT(p, p->at, "expected a name in double quotes, found %s", describe_character(p, text));
    const cardan_location location = location_at(p, start);
    cardan_status         status   = parse_string(p, &node->key);
    if (status != CARDAN_OK) return status;
    node->key_line   = location.line;
    node->key_column = location.column;
    char flaw[CD_FLAW_SIZE];
    if (cd_name_error(node->key, flaw))
        return FAIL_AT(p, start, "this name contains %s; use printable characters only", flaw);

    const size_t slot = slot_of(p->document, object, node->key);
    if (p->document->slot[slot])
        return FAIL_AT(p, start, "repeated name '%s', first on line %d", node->key, p->document->slot[slot]->key_line);
    p->document->slot[slot]  = node;
    p->document->owner[slot] = object;
    skip_space(p);
    if (p->at >= p->end || *p->at != ':')
        return FAIL_AT(p, p->at, "expected ':' after a name, found %s", describe_character(p, text));
    ++p->at;
    skip_space(p);
    return CARDAN_OK;
}

static cd_json_node* add_child(parser* p)
{
    cd_json_node* parent = p->parent[p->depth - 1];
    cd_json_node* node   = &p->document->node[p->nnode++];
    if (p->last[p->depth - 1])
        p->last[p->depth - 1]->next = node;
    else
        parent->first = node;
    p->last[p->depth - 1] = node;
    ++parent->count;
    return node;
}

// Parse one token group inside the innermost container: close it, or read its next member.
static cardan_status parse_inside(parser* p)
{
    char          text[16];
    cd_json_node* parent  = p->parent[p->depth - 1];
    const bool    object  = parent->kind == CD_JSON_OBJECT;
    const char    closing = object ? '}' : ']';
    skip_space(p);
    if (p->at < p->end && *p->at == closing) {
        ++p->at;
        --p->depth;
        return CARDAN_OK;
    }
    if (parent->count > 0) {
        if (p->at >= p->end || *p->at != ',')
            return FAIL_AT(p, p->at, "expected ',' or '%c', found %s", closing, describe_character(p, text));
        const char*           comma    = p->at++;
        const cardan_location location = location_at(p, comma);
        skip_space(p);
        if (p->at < p->end && *p->at == closing)
            return cardan_fail(p->report, CARDAN_BAD_INPUT, CARDAN_CODE_SYNTAX_ERROR, location,
                               "a comma before '%c' is not allowed", closing);
    }
    cd_json_node* node = add_child(p);
    if (object) {
        const cardan_status status = parse_key(p, parent, node);
        if (status != CARDAN_OK) return status;
    }
    return parse_value(p, node);
}

static cardan_status parse_all(parser* p)
{
    char text[16];
    if (p->end - p->at >= 3 && memcmp(p->at, "\xEF\xBB\xBF", 3) == 0) p->column_base = p->at += 3;
    skip_space(p);
    if (p->at >= p->end) return FAIL_AT(p, p->at, "the file is empty");
    p->nnode             = 1;
    cardan_status status = parse_value(p, &p->document->node[0]);
    while (status == CARDAN_OK && p->depth > 0) status = parse_inside(p);
    if (status != CARDAN_OK) return status;
    skip_space(p);
    return p->at < p->end ? FAIL_AT(p, p->at, "expected the end of the file, found %s", describe_character(p, text))
                          : CARDAN_OK;
}

// Reserve memory: every value follows the start, '[', '{' or ',', and every member has a ':', so that counting these
// characters bounds both numbers.
static bool reserve(cd_json_document* d, const char* text, size_t length, const char* file)
{
    size_t nodes = 1, members = 1;
    for (size_t i = 0; i < length; ++i) {
        nodes += text[i] == '[' || text[i] == '{' || text[i] == ',';
        members += text[i] == ':';
    }
    d->slots = 2;
    while (d->slots < 2 * members) d->slots *= 2;
    d->file    = cd_copy_string(file);
    d->node    = cd_allocate(nodes, sizeof *d->node);
    d->strings = cd_allocate(length + 1, 1);
    d->slot    = cd_allocate(d->slots, sizeof *d->slot);
    d->owner   = cd_allocate(d->slots, sizeof *d->owner);
    return (d->file || !file) && d->node && d->strings && d->slot && d->owner;
}

cardan_status cd_json_parse(const char* text, size_t length, const char* file, cd_json_document** document,
                            cardan_report* report)
{
    *document           = NULL;
    cd_json_document* d = cd_allocate(1, sizeof *d);
    if (!d || !reserve(d, text, length, file)) {
        cd_json_destroy(d);
        return cardan_fail(report, CARDAN_NO_MEMORY, CARDAN_CODE_OUT_OF_MEMORY, cardan_location_none(),
                           "out of memory while reading %s", file ? file : "JSON");
    }
    parser              p      = {.at          = text,
                                  .end         = text + length,
                                  .column_base = text,
                                  .line        = 1,
                                  .column      = 1,
                                  .document    = d,
                                  .string      = d->strings,
                                  .report      = report};
    const locale_t      before = cd_locale_enter();
    const cardan_status status = parse_all(&p);
    cd_locale_leave(before);
    if (status == CARDAN_OK)
        *document = d;
    else
        cd_json_destroy(d);
    return status;
}

void cd_json_destroy(cd_json_document* d)
{
    if (!d) return;
    free(d->file);
    free(d->node);
    free(d->strings);
    free(d->slot);
    free(d->owner);
    free(d);
}

const cd_json_node* cd_json_root(const cd_json_document* d) { return d->node; }

const cd_json_node* cd_json_find(const cd_json_document* d, const cd_json_node* object, const char* key)
{
    return object && object->kind == CD_JSON_OBJECT ? d->slot[slot_of(d, object, key)] : NULL;
}

cardan_location cd_json_location(const cd_json_document* d, const cd_json_node* node)
{
    return (cardan_location){d->file, node->line, node->column};
}

cardan_location cd_json_key_location(const cd_json_document* d, const cd_json_node* node)
{
    return node->key ? (cardan_location){d->file, node->key_line, node->key_column} : cd_json_location(d, node);
}

const char* cd_json_kind_text(cd_json_kind kind)
{
    static const char* const text[] = {"null", "true or false", "a number", "a string", "an array", "an object"};
    return text[kind];
}

cardan_status cd_json_read_numbers(const cd_json_document* d, const cd_json_node* node, const char* what, int count,
                                   double* value, cardan_report* report)
{
    if (count == 1 && node->kind == CD_JSON_NUMBER) return value[0] = node->number, CARDAN_OK;
    const cardan_location location = cd_json_location(d, node);
    if (node->kind != CD_JSON_ARRAY)
        return cardan_fail(report, CARDAN_BAD_INPUT, CARDAN_CODE_SYNTAX_ERROR, location,
                           "%s: expected an array of %d number%s, found %s", what, count, count == 1 ? "" : "s",
                           cd_json_kind_text(node->kind));
    if (node->count != count)
        return cardan_fail(report, CARDAN_BAD_INPUT, CARDAN_CODE_SYNTAX_ERROR, location,
                           "%s: expected %d number%s, found %d", what, count, count == 1 ? "" : "s", node->count);
    for (const cd_json_node* item = node->first; item; item = item->next) {
        if (item->kind != CD_JSON_NUMBER)
            return cardan_fail(report, CARDAN_BAD_INPUT, CARDAN_CODE_SYNTAX_ERROR, cd_json_location(d, item),
                               "%s: expected a number, found %s", what, cd_json_kind_text(item->kind));
        *value++ = item->number;
    }
    return CARDAN_OK;
}
