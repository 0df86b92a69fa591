// SPDX-License-Identifier: BSD-3-Clause
// Escaping of external text, one function per language, based on one classification of characters.
#include "core/escape.h"

#include "core/utf8.h"

#include <stdio.h>
#include <string.h>

// ---- characters

typedef enum character_kind {
    KIND_PLAIN,
    KIND_LINE_SEPARATOR, // line feed, or another character that begins a new line
    KIND_CONTROL,        // C0, DEL, C1
    KIND_BIDIRECTIONAL,  // bidirectional formatting, byte order mark
    KIND_INVISIBLE,      // of no width, or of private use
    KIND_NONCHARACTER,   // code point that is not a character
    KIND_INVALID,        // a byte that is not UTF-8
} character_kind;

typedef struct character {
    character_kind kind;
    unsigned       code; // code point; of an invalid byte its value
    size_t         length;
} character;

static unsigned decode(const char* s, size_t n)
{
    const unsigned char* u = (const unsigned char*)s;
    if (n == 1) return u[0];
    unsigned code = u[0] & (0x7FU >> n);
    for (size_t i = 1; i < n; ++i) code = code << 6 | (u[i] & 0x3FU);
    return code;
}

static character_kind kind_of(unsigned c)
{
    if (c == '\n' || c == '\r' || c == 0x85 || c == 0x2028 || c == 0x2029) return KIND_LINE_SEPARATOR;
    if (c < 0x20 || (c >= 0x7F && c <= 0x9F)) return KIND_CONTROL;
    if (c == 0x61C || c == 0x200E || c == 0x200F || (c >= 0x202A && c <= 0x202E) || (c >= 0x2066 && c <= 0x2069) ||
        c == 0xFEFF)
        return KIND_BIDIRECTIONAL;
    if (c == 0xAD || c == 0x34F || c == 0x180E || c == 0x200B || (c >= 0x2060 && c <= 0x2065) ||
        (c >= 0x206A && c <= 0x206F) || (c >= 0xFFF9 && c <= 0xFFFB) || (c >= 0xE000 && c <= 0xF8FF) || c >= 0xE0000)
        return KIND_INVISIBLE;
    if ((c & 0xFFFE) == 0xFFFE || (c >= 0xFDD0 && c <= 0xFDEF)) return KIND_NONCHARACTER;
    return KIND_PLAIN;
}

static character next(const char* s, size_t size)
{
    const int n = cd_utf8_length(s, size);
    if (n == 0) return (character){KIND_INVALID, (unsigned char)*s, 1};
    const unsigned code = decode(s, (size_t)n);
    return (character){kind_of(code), code, (size_t)n};
}

// ---- names

enum { MAX_NAME_BYTES = 256 }; // longer names fit neither into messages nor, as keys, into YAML (1024 bytes)

static const char* find_flaw(const char* text, bool lines, char flaw[CD_FLAW_SIZE])
{
    static const char* const words[] = {[KIND_LINE_SEPARATOR] = "the line break",
                                        [KIND_CONTROL]        = "the control character",
                                        [KIND_BIDIRECTIONAL]  = "the invisible mark",
                                        [KIND_INVISIBLE]      = "the invisible character",
                                        [KIND_NONCHARACTER]   = "the Unicode noncharacter"};
    int                      number  = 1;
    for (size_t size = strlen(text); size > 0; ++number) {
        const character c = next(text, size);
        if (c.kind == KIND_INVALID)
            snprintf(flaw, CD_FLAW_SIZE, "the byte 0x%02X, which is not UTF-8, at character %d", c.code, number);
        else if (c.kind != KIND_PLAIN && !(lines && (c.code == '\n' || c.code == '\t')))
            snprintf(flaw, CD_FLAW_SIZE, "%s U+%04X at character %d", words[c.kind], c.code, number);
        else {
            text += c.length;
            size -= c.length;
            continue;
        }
        return flaw;
    }
    return NULL;
}

const char* cd_name_error(const char* name, char flaw[CD_FLAW_SIZE])
{
    const size_t n = strlen(name);
    if (n <= MAX_NAME_BYTES) return find_flaw(name, false, flaw);
    snprintf(flaw, CD_FLAW_SIZE, "%zu bytes, more than %d", n, MAX_NAME_BYTES);
    return flaw;
}

const char* cd_text_flaw(const char* text, char flaw[CD_FLAW_SIZE]) { return find_flaw(text, true, flaw); }

// ---- visible form

// Write \n, \x1b, \u202e or \U0001fffe; return the number of bytes.
static size_t write_escape(character c, char out[CD_VISIBLE_SIZE])
{
    int n;
    if (c.kind != KIND_INVALID && (c.code == '\n' || c.code == '\r' || c.code == '\t'))
        n = snprintf(out, CD_VISIBLE_SIZE, "\\%c", c.code == '\n' ? 'n' : c.code == '\r' ? 'r' : 't');
    else if (c.kind == KIND_INVALID || c.code < 0x80)
        n = snprintf(out, CD_VISIBLE_SIZE, "\\x%02x", c.code);
    else if (c.code < 0x10000)
        n = snprintf(out, CD_VISIBLE_SIZE, "\\u%04x", c.code);
    else
        n = snprintf(out, CD_VISIBLE_SIZE, "\\U%08x", c.code);
    return (size_t)n;
}

size_t cd_visible_character(const char* s, size_t size, char out[CD_VISIBLE_SIZE], size_t* n)
{
    const character c = next(s, size);
    if (c.kind == KIND_PLAIN)
        memcpy(out, s, *n = c.length);
    else
        *n = write_escape(c, out);
    return c.length;
}

size_t cd_visible_text(char* out, size_t size, const char* s)
{
    size_t written = 0;
    if (size == 0) return 0;
    for (size_t remaining = strlen(s); remaining > 0;) {
        char         form[CD_VISIBLE_SIZE];
        size_t       n;
        const size_t used = cd_visible_character(s, remaining, form, &n);
        if (written + n >= size) break;
        memcpy(out + written, form, n);
        written += n;
        s += used;
        remaining -= used;
    }
    out[written] = '\0';
    return written;
}

// Write the character at `at` by the rules of a language; the text begins at `start`.
typedef void escape_rule(cd_text* text, character c, const char* start, const char* at);

static void apply(cd_text* text, const char* s, escape_rule* write)
{
    const char* start = s;
    for (size_t size = strlen(s); size > 0;) {
        const character c = next(s, size);
        write(text, c, start, s);
        s += c.length;
        size -= c.length;
    }
}

static void visible(cd_text* text, character c, const char* start, const char* at)
{
    char out[CD_VISIBLE_SIZE];
    (void)start;
    if (c.kind == KIND_PLAIN)
        cd_text_add_bytes(text, at, c.length);
    else
        cd_text_add_bytes(text, out, write_escape(c, out));
}

// ---- comments

// Escape backslash (line splicing), ?? (trigraph of a backslash) and * (end or begin of a comment).
static void c_comment(cd_text* text, character c, const char* start, const char* at)
{
    if (c.code == '\\' || c.code == '*' || (c.code == '?' && at > start && at[-1] == '?'))
        cd_text_format(text, "\\x%02x", c.code);
    else
        visible(text, c, start, at);
}

// "coding:" or "coding=" in the first two lines of a file would set its encoding.
static void python_comment(cd_text* text, character c, const char* start, const char* at)
{
    if ((c.code == ':' || c.code == '=') && at - start >= 6 && memcmp(at - 6, "coding", 6) == 0)
        cd_text_format(text, "\\x%02x", c.code);
    else
        visible(text, c, start, at);
}

void cd_escape_c_comment(cd_text* text, const char* s) { apply(text, s, c_comment); }
void cd_escape_python_comment(cd_text* text, const char* s) { apply(text, s, python_comment); }
void cd_escape_octave_comment(cd_text* text, const char* s) { apply(text, s, visible); }
void cd_escape_yaml_comment(cd_text* text, const char* s) { apply(text, s, visible); }

// ---- strings

static void in_quotes(cd_text* text, const char* s, escape_rule* write)
{
    cd_text_add(text, "\"");
    apply(text, s, write);
    cd_text_add(text, "\"");
}

// Octal escapes end after three digits; ? is escaped because of trigraphs.
static void c_string(cd_text* text, character c, const char* start, const char* at)
{
    (void)start;
    if (c.code == '"' || c.code == '\\' || c.code == '?')
        cd_text_format(text, "\\%c", (int)c.code);
    else if (c.kind == KIND_PLAIN)
        cd_text_add_bytes(text, at, c.length);
    else
        for (size_t i = 0; i < c.length; ++i) cd_text_format(text, "\\%03o", (unsigned)(unsigned char)at[i]);
}

static void python_string(cd_text* text, character c, const char* start, const char* at)
{
    if (c.kind == KIND_INVALID)
        cd_text_format(text, "\\udc%02x", c.code);
    else if (c.code == '"' || c.code == '\\')
        cd_text_format(text, "\\%c", (int)c.code);
    else
        visible(text, c, start, at); // its escapes are those of Python
}

static void yaml_string(cd_text* text, character c, const char* start, const char* at)
{
    if (c.kind == KIND_INVALID)
        cd_text_add(text, "\xEF\xBF\xBD");
    else if (c.code == '"' || c.code == '\\')
        cd_text_format(text, "\\%c", (int)c.code);
    else
        visible(text, c, start, at); // its escapes are those of YAML
}

static void json_string(cd_text* text, character c, const char* start, const char* at)
{
    (void)start;
    if (c.kind == KIND_INVALID)
        cd_text_add(text, "\xEF\xBF\xBD");
    else if (c.code == '"' || c.code == '\\')
        cd_text_format(text, "\\%c", (int)c.code);
    else if (c.kind == KIND_PLAIN)
        cd_text_add_bytes(text, at, c.length);
    else if (c.code == '\n' || c.code == '\r' || c.code == '\t')
        cd_text_add(text, c.code == '\n' ? "\\n" : c.code == '\r' ? "\\r" : "\\t");
    else if (c.code < 0x10000)
        cd_text_format(text, "\\u%04x", c.code);
    else
        cd_text_format(text, "\\u%04x\\u%04x", 0xD7C0 + (c.code >> 10), 0xDC00 + (c.code & 0x3FF));
}

void cd_escape_c_string(cd_text* text, const char* s) { in_quotes(text, s, c_string); }
void cd_escape_python_string(cd_text* text, const char* s) { in_quotes(text, s, python_string); }
void cd_escape_yaml_string(cd_text* text, const char* s) { in_quotes(text, s, yaml_string); }
void cd_escape_json_string(cd_text* text, const char* s) { in_quotes(text, s, json_string); }

// Single-quoted strings have one escape, ''; other characters are concatenated as numbers.
static void octave_string(cd_text* text, character c, const char* start, const char* at)
{
    (void)start;
    if (c.kind == KIND_PLAIN) {
        cd_text_add_bytes(text, at, c.length);
        if (c.code == '\'') cd_text_add(text, "'");
        return;
    }
    cd_text_add(text, "', char([");
    for (size_t i = 0; i < c.length; ++i) cd_text_format(text, i ? " %u" : "%u", (unsigned)(unsigned char)at[i]);
    cd_text_add(text, "]), '");
}

void cd_escape_octave_string(cd_text* text, const char* s)
{
    char       flaw[CD_FLAW_SIZE];
    const bool pieces = find_flaw(s, false, flaw) != NULL;
    cd_text_add(text, pieces ? "['" : "'");
    apply(text, s, octave_string);
    cd_text_add(text, pieces ? "']" : "'");
}

// ---- documents and tables

static void xml(cd_text* text, character c, const char* start, const char* at)
{
    const char* const entity = c.code == '<'    ? "&lt;"
                               : c.code == '>'  ? "&gt;"
                               : c.code == '&'  ? "&amp;"
                               : c.code == '"'  ? "&quot;"
                               : c.code == '\'' ? "&apos;"
                                                : NULL;
    if (entity)
        cd_text_add(text, entity);
    else
        visible(text, c, start, at);
}

void cd_escape_xml(cd_text* text, const char* s) { apply(text, s, xml); }

// Whether a spreadsheet would evaluate the text as a formula, after leading apostrophes.
static bool is_formula(const char* s) { return s[strspn(s, "'")] && strchr("=+-@", s[strspn(s, "'")]); }

static void csv(cd_text* text, character c, const char* start, const char* at)
{
    if (c.code == '"') cd_text_add(text, "\"");
    visible(text, c, start, at);
}

void cd_escape_csv(cd_text* text, const char* s)
{
    const bool number = !s[strspn(s, "0123456789.eE+-")], formula = is_formula(s) && !number;
    const bool quotes = s[strcspn(s, ",;\"#")] || *s == ' ' || (*s && s[strlen(s) - 1] == ' ') || formula;
    if (quotes) cd_text_add(text, "\"");
    if (formula) cd_text_add(text, "'");
    apply(text, s, csv);
    if (quotes) cd_text_add(text, "\"");
}

const char* cd_unescape_csv(const char* field) { return *field == '\'' && is_formula(field) ? field + 1 : field; }

static void markdown(cd_text* text, character c, const char* start, const char* at)
{
    if (c.code == '|') cd_text_add(text, "\\");
    visible(text, c, start, at);
}

void cd_escape_markdown_cell(cd_text* text, const char* s) { apply(text, s, markdown); }
