// SPDX-License-Identifier: BSD-3-Clause
// Families of mechanisms of any size. A family is a model file with a parameter N; a member is the same file with other
// values in the lines of its parameters.
#include "io/families/family.h"

#include "core/check_arguments.h"
#include "core/text.h"
#include "io/format.h"

#include <cardan/family.h>
#include <stdlib.h>
#include <string.h>

static const cardan_family families[] = {
#define CD_FAMILY(name, size_unit, min_size, summary) {name, size_unit, min_size, summary},
#include "io/families/families.def"
#undef CD_FAMILY
};

enum { NFAMILY = sizeof families / sizeof *families, MAX_SIZE = 5000000 };

int                  cardan_family_count(void) { return NFAMILY; }
const cardan_family* cardan_family_at(int i) { return i >= 0 && i < NFAMILY ? &families[i] : NULL; }

int cardan_family_find(const char* name)
{
    for (int i = 0; name && i < NFAMILY; ++i)
        if (strcmp(families[i].name, name) == 0) return i;
    return CARDAN_NONE;
}

static const char* family_candidate(void* user, int i)
{
    (void)user;
    return i < NFAMILY ? families[i].name : NULL;
}

static const char* text_of(const char* name)
{
    const cd_family_text* t = cd_family_texts;
    while (t->name && strcmp(t->name, name) != 0) ++t;
    return t->text;
}

// Parsed line "  NAME: value  # comment" of the section `parameters:`.
typedef struct line {
    const char *begin, *end; // without the line break
    const char *name, *value, *after;
    size_t      name_length;
} line;

static line line_at(const char* s, bool parameters)
{
    line l = {.begin = s, .end = s + strcspn(s, "\n")};
    if (!parameters || strncmp(s, "  ", 2) != 0) return l;
    l.name        = s + 2;
    l.name_length = strcspn(l.name, ":\n");
    l.value       = l.name + l.name_length + 1;
    l.value += strspn(l.value, " ");
    l.after = strstr(l.value, " #");
    if (!l.after || l.after > l.end) l.after = l.end;
    while (l.after > l.value && l.after[-1] == ' ') --l.after;
    return l;
}

static bool has_name(const line* l, const char* name)
{
    return l->name && strlen(name) == l->name_length && strncmp(l->name, name, l->name_length) == 0;
}

// Write the value of a setting as YAML: a number unchanged, a formula with "=".
static void add_value(cd_text* out, const char* value)
{
    char* end = NULL;
    strtod(value, &end);
    const bool number = end != value && *end == '\0';
    cd_text_format(out, number ? "%s" : *value == '=' ? "\"%s\"" : "\"=%s\"", value);
}

static const cardan_parameter_setting* setting_of(const line* l, const cardan_load_options* options)
{
    const cardan_parameter_setting* found = NULL; // the last one has precedence
    for (int i = 0; options && i < options->nsetting; ++i)
        if (has_name(l, options->setting[i].name)) found = &options->setting[i];
    return found;
}

static void add_line(cd_text* out, const line* l, const cardan_family* family, int n,
                     const cardan_load_options* options)
{
    const cardan_parameter_setting* setting = setting_of(l, options);
    const bool                      size    = has_name(l, "N");
    if (strncmp(l->begin, "name: ", 6) == 0) {
        cd_text_format(out, "name: %s-%d\n", family->name, n);
        return;
    }
    const char* from = l->begin;
    if (size || setting) {
        cd_text_add_bytes(out, l->begin, (size_t)(l->value - l->begin));
        if (size)
            cd_text_format(out, "%d", n);
        else
            add_value(out, setting->value);
        from = l->after;
    }
    cd_text_add_bytes(out, from, (size_t)(l->end - from));
    cd_text_add(out, "\n");
}

static void add_command(cd_text* out, const cardan_family* family, int n, const cardan_load_options* options)
{
    cd_text_format(out, "# Made by: cardan make %s %d", family->name, n);
    for (int i = 0; options && i < options->nsetting; ++i)
        cd_text_format(out, " --set '%s=%s'", options->setting[i].name, options->setting[i].value);
    cd_text_add(out, "\n");
}

// Write the whole file; the command is inserted before the first line that is not a comment.
static void add_file(cd_text* out, const cardan_family* family, int n, const cardan_load_options* options)
{
    bool head = true, parameters = false;
    for (const char* s = text_of(family->name); s && *s;) {
        const line l = line_at(s, parameters);
        if (head && *l.begin != '#') {
            add_command(out, family, n, options);
            head = false;
        }
        if (strncmp(l.begin, "  ", 2) != 0) parameters = strncmp(l.begin, "parameters:", 11) == 0;
        add_line(out, &l, family, n, options);
        s = *l.end ? l.end + 1 : l.end;
    }
}

// Return whether the family has this parameter, other than N.
static bool has_parameter(const char* text, const char* name)
{
    bool parameters = false;
    for (const char* s = text; s && *s;) {
        const line l = line_at(s, parameters);
        if (has_name(&l, name)) return strcmp(name, "N") != 0;
        if (strncmp(l.begin, "  ", 2) != 0) parameters = strncmp(l.begin, "parameters:", 11) == 0;
        s = *l.end ? l.end + 1 : l.end;
    }
    return false;
}

static cardan_status check(const char* name, int n, const cardan_load_options* options, cardan_report* report)
{
    const int f = cardan_family_find(name);
    if (f == CARDAN_NONE) {
        const char* suggestion = cd_nearest_name(name, family_candidate, NULL);
        return cardan_fail(report, CARDAN_BAD_INPUT, CARDAN_CODE_UNKNOWN_NAME, cardan_location_none(),
                           "there is no family '%s'%s%s%s", name, suggestion ? " (did you mean '" : "",
                           suggestion ? suggestion : "", suggestion ? "'?)" : "");
    }
    if (n < families[f].min_size || n > MAX_SIZE)
        return cardan_fail(report, CARDAN_BAD_INPUT, CARDAN_CODE_INVALID_VALUE, cardan_location_none(),
                           "the family '%s' has %d to %d %s, not %d", name, families[f].min_size, MAX_SIZE,
                           families[f].size_unit, n);
    for (int i = 0; options && i < options->nsetting; ++i) {
        const char* set = options->setting[i].name;
        if (strcmp(set, "N") == 0)
            return cardan_fail(report, CARDAN_BAD_INPUT, CARDAN_CODE_INVALID_VALUE, cardan_location_none(),
                               "the size N of the family '%s' is already given; remove it from the settings", name);
        if (!has_parameter(text_of(name), set))
            return cardan_fail(report, CARDAN_BAD_INPUT, CARDAN_CODE_UNKNOWN_NAME, cardan_location_none(),
                               "the family '%s' has no parameter '%s'", name, set);
    }
    return CARDAN_OK;
}

cardan_status cardan_family_generate_text(const char* family, int n, const cardan_load_options* options, char** text,
                                          cardan_report* report)
{
    CD_REQUIRE_POINTER(text, "text", report);
    *text = NULL;
    CD_REQUIRE_POINTER(family, "family", report);
    const cardan_status options_status = cd_load_options_check(options, report);
    if (options_status != CARDAN_OK) return options_status;
    const cardan_status status = check(family, n, options, report);
    if (status != CARDAN_OK) return status;
    cd_text out = {0};
    add_file(&out, &families[cardan_family_find(family)], n, options);
    *text = cd_text_detach(&out);
    return *text ? CARDAN_OK
                 : cardan_fail(report, CARDAN_NO_MEMORY, CARDAN_CODE_OUT_OF_MEMORY, cardan_location_none(),
                               "out of memory");
}

cardan_status cardan_family_generate(const char* family, int n, const cardan_load_options* options,
                                     cardan_description** description, cardan_report* report)
{
    CD_REQUIRE_POINTER(description, "description", report);
    char*         text   = NULL;
    cardan_status status = cardan_family_generate_text(family, n, options, &text, report);
    *description         = NULL;
    if (status == CARDAN_OK) {
        cardan_load_options plain = options ? *options : cardan_load_options_default();
        plain.nsetting            = 0; // they are in the text
        status                    = cardan_description_load_text(text, family, &plain, description, report);
    }
    free(text);
    return status;
}
