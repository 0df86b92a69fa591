// SPDX-License-Identifier: BSD-3-Clause
// Parts of a native model file: names quoted if needed, numbers that read back to the same bits, and formulas printed
// from the expression graph.
#include "io/writer/write_model.h"

#include "core/escape.h"
#include "model/formula_text.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

void cd_write_unsupported(cd_writer* w, const char* format, ...)
{
    if (w->unsupported[0]) return;
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(w->unsupported, sizeof w->unsupported, format, arguments);
    va_end(arguments);
}

void cd_write_key(cd_writer* w, int depth, const char* key) { cd_text_format(&w->text, "%*s%s:", 2 * depth, "", key); }

void cd_write_item(cd_writer* w, const char* name)
{
    cd_text_add(&w->text, "  ");
    cd_write_name(w, name);
    cd_text_add(&w->text, ":\n");
}

void cd_write_end_of_line(cd_writer* w) { cd_text_add(&w->text, "\n"); }

static bool is_letter(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_'; }
static bool is_digit(char c) { return c >= '0' && c <= '9'; }

// Return whether a name needs no quotes: letters, digits and a few signs, beginning with a letter, and not a word that
// YAML reads as boolean or null.
static bool is_plain(const char* name)
{
    static const char* const words[] = {"true", "false", "yes", "no", "on", "off", "null", "y", "n", "nan", "inf"};
    if (!is_letter(name[0])) return false;
    for (const char* s = name; *s; ++s)
        if (!is_letter(*s) && !is_digit(*s) && !strchr(".-/", *s)) return false;
    for (size_t i = 0; i < sizeof words / sizeof *words; ++i)
        if (strcasecmp(name, words[i]) == 0) return false;
    return true;
}

static void write_scalar(cd_writer* w, const char* text)
{
    if (is_plain(text))
        cd_text_add(&w->text, text);
    else
        cd_escape_yaml_string(&w->text, text);
}

void cd_write_name(cd_writer* w, const char* name)
{
    char flaw[CD_FLAW_SIZE];
    if (!w->canonical && (!*name || *name == '=' || strpbrk(name, "$\"") || cd_name_error(name, flaw)))
        cd_write_unsupported(w, "a name that is not allowed in model files: '%s'", name);
    write_scalar(w, name);
}

void cd_write_check_frame(cd_writer* w, const char* name)
{
    if (!w->canonical && (strcmp(name, "ground") == 0 || strcmp(name, "world") == 0))
        cd_write_unsupported(w, "a body or marker with the reserved name '%s'", name);
}

void cd_write_check_word(cd_writer* w, const char* name)
{
    bool plain = is_letter(name[0]);
    for (const char* s = name; *s; ++s) plain &= is_letter(*s) || is_digit(*s) || *s == '.';
    if (!plain && !w->canonical)
        cd_write_unsupported(w, "a parameter, table or state whose name is not allowed in formulas: '%s'", name);
}

void cd_write_number(cd_writer* w, double value)
{
    if (isnan(value))
        cd_write_unsupported(w, "a value that is not a number (NaN)");
    else if (isinf(value))
        cd_text_add(&w->text, value < 0 ? "-.inf" : ".inf");
    else
        cd_text_number(&w->text, value);
}

void cd_write_numbers(cd_writer* w, int count, const double* value)
{
    cd_text_add(&w->text, "[");
    for (int i = 0; i < count; ++i) {
        if (i > 0) cd_text_add(&w->text, ", ");
        cd_write_number(w, value[i]);
    }
    cd_text_add(&w->text, "]");
}

void cd_write_quaternion(cd_writer* w, const double q[4])
{
    const double plain[4] = {q[0] + 0.0, q[1] + 0.0, q[2] + 0.0, q[3] + 0.0};
    cd_write_numbers(w, 4, plain);
}

void cd_write_heading(cd_writer* w, const char* section) { cd_text_format(&w->text, "\n%s:\n", section); }

void cd_write_value(cd_writer* w, int depth, const char* key, double value)
{
    cd_write_key(w, depth, key);
    cd_text_add(&w->text, " ");
    cd_write_number(w, value);
    cd_write_end_of_line(w);
}

void cd_write_word(cd_writer* w, int depth, const char* key, const char* name)
{
    cd_write_key(w, depth, key);
    cd_text_add(&w->text, " ");
    cd_write_name(w, name);
    cd_write_end_of_line(w);
}

void cd_write_string(cd_writer* w, int depth, const char* key, const char* text)
{
    char flaw[CD_FLAW_SIZE];
    if (!w->canonical && cd_name_error(text, flaw))
        cd_write_unsupported(w, "a %s that contains %s: '%s'", key, flaw, text);
    cd_write_key(w, depth, key);
    cd_text_add(&w->text, " ");
    write_scalar(w, text);
    cd_write_end_of_line(w);
}

void cd_write_list(cd_writer* w, int depth, const char* key, int count, const double* value)
{
    cd_write_key(w, depth, key);
    cd_text_add(&w->text, " ");
    cd_write_numbers(w, count, value);
    cd_write_end_of_line(w);
}

void cd_write_orientation(cd_writer* w, int depth, const char* key, const double q[4])
{
    cd_write_key(w, depth, key);
    cd_text_add(&w->text, " ");
    cd_write_quaternion(w, q);
    cd_write_end_of_line(w);
}

const char* cd_write_body_name(const cd_writer* w, int body) { return body < 0 ? "ground" : w->view.body[body].name; }
const char* cd_write_marker_name(const cd_writer* w, int marker)
{
    return marker < 0 ? "ground" : w->view.marker[marker].name;
}

// ---- formulas

void cd_write_formula(cd_writer* w, cardan_expression node)
{
    double value;
    if (node < 0 || cd_node_is_constant(w->description->graph, node, &value)) {
        cd_write_number(w, node < 0 ? 0 : value);
        return;
    }
    char* text = cd_formula_text(w->description, node);
    if (!text) {
        w->text.failed = true;
        return;
    }
    const size_t n = strlen(text);
    if (n > 4 && strcmp(text + n - 4, " ...") == 0) cd_write_unsupported(w, "a formula that is too long to be written");
    cd_text whole = {0};
    cd_text_format(&whole, "=%s", text);
    if (whole.failed)
        w->text.failed = true;
    else
        cd_escape_yaml_string(&w->text, whole.data);
    cd_text_free(&whole);
    free(text);
}
