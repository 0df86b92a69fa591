// SPDX-License-Identifier: BSD-3-Clause
// Settings of paths: "bodies.rod.mass", "points.B", "joints.elbow.start.q", "couplings.1.factor", "run.duration". A
// value is YAML and replaces the value at the path in the file that contains it, before the files are checked. Items of
// lists are numbered from 1; names with points are matched as a whole, longest first. A key of the schema that is not
// in the file is added; named elements must exist. All other settings are those of parameters (read_definitions.c).
#include "io/yaml/read_model.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

// Walk along a path.
typedef struct path_walk {
    cd_yaml*             node; // reached so far
    const cd_value_type* type;
    const char*          rest; // path that remains; "": `node` is the value
    cd_yaml**            slot; // where `node` is referred to
} path_walk;

// Return the length of a path's beginning that equals `name` and ends there or at a point; 0 if it does not.
static size_t matched_length(const char* path, const char* name)
{
    const size_t n = strlen(name);
    return n > 0 && strncmp(path, name, n) == 0 && (path[n] == '\0' || path[n] == '.') ? n : 0;
}

static const char* after_point(const char* rest) { return rest + (*rest == '.'); }

// Descend to the entry of a map or list that the path names. Returns false if there is none.
static bool descend(path_walk* w)
{
    cd_yaml_entry* found  = NULL;
    size_t         length = 0;
    char*          end;
    if (w->node->kind == CD_YAML_LIST) {
        const long index = strtol(w->rest, &end, 10);
        if (end == w->rest || (*end && *end != '.') || index < 1 || index > w->node->count) return false;
        found  = &w->node->entry[index - 1];
        length = (size_t)(end - w->rest);
    }
    for (int i = 0; w->node->kind == CD_YAML_MAP && i < w->node->count; ++i) {
        const size_t n = matched_length(w->rest, w->node->entry[i].key->text);
        if (n <= length) continue;
        length = n;
        found  = &w->node->entry[i];
    }
    if (!found) return false;
    if (w->node->kind == CD_YAML_LIST)
        w->type = w->type && w->type->item != CD_VALUE_NONE ? cd_value_type_at(w->type->item) : NULL;
    else
        w->type = w->type ? cd_entry_type(w->type, found->key->text) : NULL;
    w->slot = &found->value;
    w->node = found->value;
    w->rest = after_point(w->rest + length);
    return true;
}

static const cd_value_type top = {.section = "top"};

static path_walk walk(cd_yaml_file* file, const char* path)
{
    path_walk w = {.node = file->root, .type = &top, .rest = path, .slot = &file->root};
    while (*w.rest && descend(&w)) continue;
    return w;
}

// Return the key of the schema with which the rest of the path begins; NULL if there is none.
static const cd_key* key_at_rest(const path_walk* w)
{
    const bool map = w->type && w->type->section && (w->node->kind == CD_YAML_MAP || w->node->kind == CD_YAML_NULL);
    for (const cd_key* key = map ? cd_key_next(w->type->section, NULL) : NULL; key;
         key               = cd_key_next(w->type->section, key))
        if (matched_length(w->rest, key->key)) return key;
    return NULL;
}

// Add the keys of the schema that the rest of the path names. Returns false without memory.
static bool add_keys(cd_reader* r, path_walk* w)
{
    const cd_key* key;
    while (*w->rest && (key = key_at_rest(w))) {
        cd_yaml *name  = cd_pool_alloc(&r->source->pool, 1, sizeof *name),
                *value = cd_pool_alloc(&r->source->pool, 1, sizeof *value);
        if (!name || !value) return cd_reader_fail_no_memory(r);
        *name         = (cd_yaml){.kind   = CD_YAML_SCALAR,
                                  .text   = key->key,
                                  .file   = w->node->file,
                                  .line   = w->node->line,
                                  .column = w->node->column};
        *value        = (cd_yaml){.kind = CD_YAML_NULL, .text = "", .file = name->file, .line = name->line};
        w->node->kind = CD_YAML_MAP;
        if (!cd_list_append(r, w->node, (cd_yaml_entry){name, value})) return false;
        w->rest = after_point(w->rest + strlen(key->key));
        w->slot = &w->node->entry[w->node->count - 1].value;
        w->node = value;
        w->type = cd_value_type_at(key->type);
    }
    return true;
}

// Return whether all of the rest are keys of the schema, each in the section of the one before.
static bool can_add_keys(path_walk w)
{
    const cd_yaml empty = {.kind = CD_YAML_NULL};
    const cd_key* key;
    while (*w.rest && (key = key_at_rest(&w))) {
        w.rest = after_point(w.rest + strlen(key->key));
        w.type = cd_value_type_at(key->type);
        w.node = (cd_yaml*)&empty;
    }
    return !*w.rest;
}

// ---- messages

static const char* known_name(void* user, int i)
{
    const path_walk* w       = user;
    const bool       section = w->type && w->type->section;
    if (w->node->kind == CD_YAML_MAP && i < w->node->count) return w->node->entry[i].key->text;
    const cd_key* key =
        section ? cd_key_at(w->type->section, i - (w->node->kind == CD_YAML_MAP ? w->node->count : 0)) : NULL;
    return key ? key->key : NULL;
}

// Name the template of a use, of which the path "bodies.FL.upper.mass" names an element.
static bool explain_use(const cd_reader* r, const char* path, cd_text* text)
{
    const int   section = (int)strcspn(path, ".");
    const char* element = after_point(path + section);
    for (const cd_yaml_file* f = r->source->first_file; f; f = f->next) {
        const cd_yaml* uses = cd_yaml_get(f->root, "use");
        for (int i = 0; uses && uses->kind == CD_YAML_MAP && i < uses->count; ++i) {
            const cd_yaml* use = uses->entry[i].value;
            const size_t   n   = matched_length(element, uses->entry[i].key->text);
            for (int k = 0; n > 0 && use->kind == CD_YAML_MAP && k < use->count; ++k) {
                if (cd_key_find("use", use->entry[k].key->text)) continue;
                cd_text_format(text, "; elements of the use '%s' are those of its template: set templates.%s.%.*s.%s",
                               uses->entry[i].key->text, use->entry[k].key->text, section, path,
                               after_point(element + n));
                return true;
            }
        }
    }
    return false;
}

// Compose the message for a path that does not exist; `w` is the longest walk along it.
static const char* explain_path(cd_reader* r, const char* path, path_walk* w)
{
    enum { NAMES_SHOWN = 12 };
    const int reached = (int)(w->rest - path) - (w->rest > path);
    const int length  = (int)strcspn(w->rest, ".");
    char      word[100];
    cd_text   text = {0};
    snprintf(word, sizeof word, "%.*s", length, w->rest);
    const char* suggestion = cd_nearest_name(word, known_name, w);
    cd_text_format(&text, "there is no '%s' to set", path);
    const bool of_use = explain_use(r, path, &text);
    if (!of_use && w->node->kind == CD_YAML_LIST) {
        cd_text_format(&text, ": '%.*s' is a list of %d items, numbered from 1", reached, path, w->node->count);
    } else if (!of_use && !known_name(w, 0)) {
        cd_text_format(&text, ": '%.*s' has no parts with names", reached, path);
    } else if (!of_use && reached == 0) {
        cd_text_format(&text, ": the file has no section '%s'", word);
    } else if (!of_use && suggestion) {
        cd_text_format(&text, " (did you mean '%.*s.%s%s'?)", reached, path, suggestion, w->rest + length);
    } else if (!of_use) {
        cd_text_format(&text, "; '%.*s' has ", reached, path);
        for (int i = 0; i < NAMES_SHOWN && known_name(w, i); ++i)
            cd_text_format(&text, i ? ", %s" : "%s", known_name(w, i));
        if (known_name(w, NAMES_SHOWN)) cd_text_add(&text, " and others");
    }
    const char* kept = text.failed ? NULL : cd_pool_string(&r->pool, text.data, text.length);
    cd_text_free(&text);
    if (!kept) cd_reader_fail_no_memory(r);
    return kept;
}

// ---- settings

static bool is_parameter(const cd_reader* r, const char* name)
{
    for (const cd_yaml_file* f = r->source->first_file; f; f = f->next)
        if (cd_yaml_get(cd_yaml_get(f->root, "parameters"), name)) return true;
    return false;
}

// Return whether a name begins with a section of the model file.
static bool is_path(const char* name)
{
    for (const cd_key* key = cd_key_next("top", NULL); key; key = cd_key_next("top", key))
        if (matched_length(name, key->key)) return true;
    return false;
}

// Find the file that contains a path; else the file with most of it, the first if it is the same in several.
static path_walk find_path(const cd_reader* r, const char* path)
{
    const bool one_file = matched_length(path, "units") || matched_length(path, "name");
    path_walk  best     = walk(r->source->first_file, path);
    for (cd_yaml_file* f = r->source->first_file->next; f && !one_file && *best.rest; f = f->next) {
        if (!f->root || f->root->kind != CD_YAML_MAP) continue;
        const path_walk w = walk(f, path);
        if (strlen(w.rest) < strlen(best.rest)) best = w;
    }
    return best;
}

// Read the value of a setting as YAML. Returns NULL after a report.
static cd_yaml* read_value(cd_reader* r, int setting, const cd_yaml_file* origin)
{
    cd_yaml_file* file = &r->setting_file[setting];
    const size_t  size = strlen(r->options->setting[setting].name) + sizeof "--set ";
    char*         path = cd_pool_alloc(&r->source->pool, size, 1);
    const char*   text = r->options->setting[setting].value;
    const char*   kept = cd_pool_string(&r->source->pool, text, strlen(text));
    if (!path || !kept) return cd_reader_fail_no_memory(r), NULL;
    snprintf(path, size, "--set %s", r->options->setting[setting].name);
    *file                      = (cd_yaml_file){.path = path, .text = kept, .origin = origin};
    const cardan_status status = cd_yaml_read(&r->source->pool, file, r->report, &r->nerror);
    if (r->nerror > 0 && r->status == CARDAN_OK) r->status = CARDAN_BAD_INPUT;
    if (status == CARDAN_NO_MEMORY) cd_reader_fail_no_memory(r);
    return file->root;
}

static bool apply(cd_reader* r, int setting)
{
    const char* name = r->options->setting[setting].name;
    if (!is_path(name) || is_parameter(r, name)) return true;
    path_walk w = find_path(r, name);
    if (matched_length(name, "include") || matched_length(name, "cardan") || !*name) {
        r->setting_error[setting] = "'include' and 'cardan' cannot be set";
        return true;
    }
    if (*w.rest && !can_add_keys(w)) return (r->setting_error[setting] = explain_path(r, name, &w)) != NULL;
    if (!add_keys(r, &w)) return false;
    r->setting_used[setting] = true;
    cd_yaml* value           = read_value(r, setting, w.node->file->origin ? w.node->file->origin : w.node->file);
    if (!value) return r->status != CARDAN_NO_MEMORY;
    *w.slot = value;
    return true;
}

bool cd_apply_settings(cd_reader* r)
{
    if (r->source->first_file->root->kind != CD_YAML_MAP) return true;
    for (int i = 0; i < r->options->nsetting; ++i)
        if (!apply(r, i)) return false;
    return true;
}
