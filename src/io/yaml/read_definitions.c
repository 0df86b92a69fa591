// SPDX-License-Identifier: BSD-3-Clause
// Names: defined with the prefix of the template use that contains them, resolved from the inner level outward. A
// definition is evaluated when its value is first needed, by the function of its kind.
#include "io/yaml/read_model.h"

#include "core/escape.h"
#include "core/memory.h"

#include <ctype.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

enum { MAX_NAME = 512 }; // length of a name with its prefixes

const cd_level* cd_level_persist(cd_reader* r, const cd_level* level)
{
    if (level->persistent) return level->persistent;
    cd_level* copy = cd_pool_alloc(&r->pool, 1, sizeof *copy);
    if (!copy) {
        cd_reader_fail_no_memory(r);
        return NULL;
    }
    *copy = *level;
    if (level->outer && !(copy->outer = cd_level_persist(r, level->outer))) return NULL;
    copy->persistent               = copy;
    ((cd_level*)level)->persistent = copy;
    return copy;
}

// ---- counters $i and $(i-1)

// Evaluate the counter or formula that begins after a '$'; *end is the text after it.
static bool counter_value(const cd_model_element* e, const cd_yaml* node, const char* s, const char** end,
                          double* value)
{
    char   formula[MAX_NAME];
    size_t n = 0;
    if (*s == '(') {
        int open = 0;
        do {
            open += (s[n] == '(') - (s[n] == ')');
        } while (s[n++] && open > 0);
        if (open != 0) return cd_element_fail(e, node, "'$(' is not closed in '%s'", node->text);
    } else {
        while (isalnum((unsigned char)s[n]) || s[n] == '_') ++n;
        if (n == 0)
            return cd_element_fail(e, node, "'$' must be followed by a counter or by (formula) in '%s'", node->text);
    }
    if (n >= sizeof formula) return cd_element_fail(e, node, "this formula after '$' is too long");
    memcpy(formula, s, n);
    formula[n] = '\0';
    *end       = s + n;
    for (const cd_level* l = e->level; l->variable; l = l->outer)
        if (strcmp(l->variable, formula) == 0) return *value = l->counter, true;
    return cd_evaluate_number_formula(e, node, formula, value) && cd_require_structural_constant(e, node, *value);
}

const char* cd_substitute_counters(const cd_model_element* e, const cd_yaml* node)
{
    const char* dollar = strchr(node->text, '$');
    if (!dollar) return node->text;
    char        buffer[4096];
    size_t      n = 0;
    const char* s = node->text;
    while (*s && n + 32 < sizeof buffer) {
        if (*s != '$') {
            buffer[n++] = *s++;
            continue;
        }
        double value;
        if (!counter_value(e, node, s + 1, &s, &value)) return NULL;
        if (value != floor(value) || fabs(value) > 1e15) {
            cd_element_fail(e, node, "'%s': the value after $ must be a whole number, not %g", node->text, value);
            return NULL;
        }
        n += (size_t)snprintf(buffer + n, sizeof buffer - n, "%.0f", value + 0.0);
    }
    if (*s) {
        cd_element_fail(e, node, "this text is too long");
        return NULL;
    }
    const char* copy = cd_pool_string(&e->reader->pool, buffer, n);
    if (!copy) cd_reader_fail_no_memory(e->reader);
    return copy;
}

// ---- definition

static const char* kind_text(const cd_definition* def)
{
    static const char* const texts[] = {"parameter", "table", "point", "marker", "joint",    "force", "constraint",
                                        "state",     "value", "value", "output", "template", "use",   "material"};
    return def->is_body ? "body" : texts[def->kind];
}

static bool qualify_name(char* buffer, const char* prefix, const char* name)
{
    return snprintf(buffer, MAX_NAME, "%s%s", prefix, name) < MAX_NAME;
}

static bool name_allowed(cd_reader* r, cd_definition_kind kind, const cd_yaml* key, const char* name)
{
    char flaw[CD_FLAW_SIZE];
    if (!name[0]) return cd_reader_fail(r, key, "the name is missing");
    if (name[0] == '=' || strchr(name, '"')) return cd_reader_fail(r, key, "'%s' cannot be a name", name);
    if (cd_name_error(name, flaw))
        return cd_reader_fail(r, key, "'%.100s' cannot be a name: it contains %s", name, flaw);
    if (kind == CD_DEFINITION_FRAME && strcmp(name, "ground") == 0)
        return cd_reader_fail(r, key, "'%s' is a predefined name and cannot be defined", name);
    if (kind != CD_DEFINITION_PARAMETER && kind != CD_DEFINITION_STATE && kind != CD_DEFINITION_VALUE &&
        kind != CD_DEFINITION_TABLE)
        return true;
    if (strcmp(name, "t") == 0 || strcmp(name, "pi") == 0)
        return cd_reader_fail(r, key, "'%s' is a predefined name in formulas; use another name", name);
    for (const cd_function_entry* f = cd_function_entries(); kind == CD_DEFINITION_TABLE && f->name; ++f)
        if (strcmp(f->name, name) == 0)
            return cd_reader_fail(r, key, "'%s' is the name of a function; use another name", name);
    const char* s = name;
    if (isalpha((unsigned char)*s) || *s == '_')
        while (isalnum((unsigned char)*s) || *s == '_' || *s == '.') ++s;
    if (*s)
        return cd_reader_fail(
            r, key, "'%s' cannot be used in formulas: a name must be a letter followed by letters, digits and _", name);
    return true;
}

static bool defined_twice(cd_reader* r, const cd_definition* def, const cd_yaml* key, const char* full)
{
    if (strcmp(def->key->file->path, key->file->path) == 0)
        return cd_reader_fail(r, key, "%s '%s' is defined twice, first in line %d", kind_text(def), full,
                              def->key->line);
    return cd_reader_fail(r, key, "%s '%s' is defined twice, first in %s:%d", kind_text(def), full,
                          def->key->file->path, def->key->line);
}

cd_definition* cd_find_qualified(cd_reader* r, cd_definition_kind kind, const char* full)
{
    const int i = cd_name_table_find(r->defs[kind].names, full);
    return i < 0 ? NULL : r->defs[kind].list[i];
}

cd_definition* cd_define_qualified(cd_reader* r, cd_definition_kind kind, const cd_level* level, cd_yaml* key,
                                   cd_yaml* value, const char* full)
{
    cd_definitions* defs = &r->defs[kind];
    cd_definition*  def  = cd_pool_alloc(&r->pool, 1, sizeof *def);
    const cd_level* kept = cd_level_persist(r, level);
    if (!def || !kept || !cd_array_grow((void**)&defs->list, &defs->capacity, defs->count, sizeof(cd_definition*)))
        return cd_reader_fail_no_memory(r), NULL;
    *def = (cd_definition){.key = key, .value = value, .level = kept, .kind = kind, .index = CARDAN_NONE};
    if (!(def->name = cd_name_table_add(defs->names, full, defs->count))) return cd_reader_fail_no_memory(r), NULL;
    defs->list[defs->count++] = def;
    def->input                = -1;
    for (int i = 0; kind == CD_DEFINITION_PARAMETER && i < r->options->ninput; ++i)
        if (strcmp(r->options->input[i], full) == 0) def->input = i;
    for (int i = 0; kind == CD_DEFINITION_PARAMETER && i < r->options->nsetting; ++i) {
        if (strcmp(r->options->setting[i].name, full) != 0) continue;
        def->setting       = r->options->setting[i].value;
        r->setting_used[i] = true;
    }
    return def;
}

cd_definition* cd_define(cd_reader* r, cd_definition_kind kind, const cd_level* level, cd_yaml* key, cd_yaml* value)
{
    char                   full[MAX_NAME];
    const cd_model_element e    = {.reader = r, .level = level, .node = value};
    const char*            name = key->has_error ? NULL : cd_substitute_counters(&e, key);
    if (!name || !name_allowed(r, kind, key, name)) return key->has_error = value->has_error = true, NULL;
    if (!qualify_name(full, level->prefix, name)) return cd_reader_fail(r, key, "this name is too long"), NULL;
    const cd_definition* known = cd_find_qualified(r, kind, full);
    if (known) {
        defined_twice(r, known, key, full);
        key->has_error = value->has_error = true;
        return NULL;
    }
    return cd_define_qualified(r, kind, level, key, value, full);
}

// ---- lookup

static bool is_name_argument(const cd_definition* def)
{
    const cd_yaml* v = def->value;
    double         number;
    return !def->setting && v->kind == CD_YAML_SCALAR && v->text[0] != '=' && !cd_parse_plain_number(v->text, &number);
}

const char* cd_template_argument_name(cd_reader* r, const cd_level* level, const char* name, const cd_level** outside)
{
    char           full[MAX_NAME];
    cd_definition* def = level->template && qualify_name(full, level->prefix, name)
                             ? cd_find_qualified(r, CD_DEFINITION_PARAMETER, full)
                             : NULL;
    if (!def || !is_name_argument(def)) return NULL;
    def->value->is_referenced = def->key->is_referenced = true;
    *outside                                            = def->level;
    const cd_model_element e                            = {
                                   .reader = r, .level = def->level, .node = def->value, .label = "parameter", .name = def->name};
    return cd_substitute_counters(&e, def->value);
}

const char* cd_resolve_argument_word(const cd_model_element* e, const char* word)
{
    for (const cd_level* l = e->level; l;) {
        const cd_level* outside = l;
        const char*     alias   = l->template ? cd_template_argument_name(e->reader, l, word, &outside) : NULL;
        if (alias) word = alias;
        l = outside == l ? l->outer : outside;
    }
    return word;
}

cd_definition* cd_find_definition(cd_reader* r, cd_definition_kind kind, const cd_level* level, const char* name)
{
    char full[MAX_NAME];
    for (const cd_level* l = level; l; l = l->outer) {
        if (l->outer && !l->template) continue; // a repetition has no names of its own
        const cd_level* outside = l;
        const char* alias = kind == CD_DEFINITION_PARAMETER ? NULL : cd_template_argument_name(r, l, name, &outside);
        if (alias && outside != l)
            return cd_find_definition(r, kind, outside, alias); // argument of the use: resolved at the outer level
        if (alias) name = alias;
        cd_definition* def = qualify_name(full, l->prefix, name) ? cd_find_qualified(r, kind, full) : NULL;
        if (def) return def;
    }
    // world is ground, unless an element (e.g. a link of a robot) has this name
    return kind == CD_DEFINITION_FRAME && strcmp(name, "world") == 0 ? cd_find_qualified(r, kind, "ground") : NULL;
}

bool cd_find_parameter_or_counter(cd_reader* r, const cd_level* level, const char* name, cd_definition** parameter,
                                  double* value)
{
    char full[MAX_NAME];
    *parameter = NULL;
    for (const cd_level* l = level; l; l = l->outer) {
        if (l->variable && strcmp(l->variable, name) == 0) return *value = l->counter, true;
        if (l->variable || !qualify_name(full, l->prefix, name)) continue;
        if ((*parameter = cd_find_qualified(r, CD_DEFINITION_PARAMETER, full))) return true;
    }
    return false;
}

typedef struct candidate_list {
    cd_reader*         reader;
    cd_definition_kind kind;
    const cd_level*    level;
} candidate_list;

// Return name i as it would be written at this level.
static const char* candidate(void* user, int i)
{
    const candidate_list* c    = user;
    const cd_definitions* defs = &c->reader->defs[c->kind];
    if (i >= defs->count) return NULL;
    const size_t n = strlen(c->level->prefix);
    return strncmp(defs->list[i]->name, c->level->prefix, n) == 0 ? defs->list[i]->name + n : defs->list[i]->name;
}

const char* cd_suggest_name(cd_reader* r, cd_definition_kind kind, const cd_level* level, const cd_yaml* from,
                            const char* name, char* buffer, size_t size)
{
    candidate_list c          = {r, kind, level};
    const char*    suggestion = cd_reader_report_is_full(r) ? NULL : cd_nearest_name(name, candidate, &c);
    cd_definition* def        = suggestion ? cd_find_definition(r, kind, level, suggestion) : NULL;
    buffer[0]                 = '\0';
    if (!def) return buffer;
    const cd_yaml* key = def->key;
    if (!key->line)
        snprintf(buffer, size, " (did you mean '%s'?)", suggestion);
    else if (key->file == from->file)
        snprintf(buffer, size, " (did you mean '%s', line %d?)", suggestion, key->line);
    else
        snprintf(buffer, size, " (did you mean '%s', %s:%d?)", suggestion, key->file->path, key->line);
    return buffer;
}

// Resolve a name through template arguments: return the final name, the level in which it is looked up, and its node.
static const char* resolve_argument_name(cd_reader* r, const char* name, const cd_level** level, const cd_yaml** node)
{
    char full[MAX_NAME];
    for (const cd_level* l = *level; l;) {
        const cd_level* outside = l;
        const char*     alias   = l->template ? cd_template_argument_name(r, l, name, &outside) : NULL;
        if (alias && qualify_name(full, l->prefix, name)) {
            *node = cd_find_qualified(r, CD_DEFINITION_PARAMETER, full)->value;
            name  = alias;
        }
        if (outside != l) *level = outside;
        l = outside == l ? l->outer : outside;
    }
    return name;
}

cd_definition* cd_resolve_reference(const cd_model_element* e, cd_definition_kind kind, const cd_yaml* node,
                                    const char* what)
{
    char        suggestion[200];
    cd_reader*  r    = e->reader;
    const char* name = node->has_error || node->kind != CD_YAML_SCALAR ? NULL : cd_substitute_counters(e, node);
    if (!name) return NULL;
    cd_definition* def = cd_find_definition(r, kind, e->level, name);
    if (!def) {
        const cd_level* level = e->level;
        name                  = resolve_argument_name(r, name, &level, &node);
        const bool point      = kind == CD_DEFINITION_FRAME && cd_find_definition(r, CD_DEFINITION_POINT, level, name);
        if (point)
            cd_element_fail(e, node,
                            "'%s' is a point, which is not fixed to a body: define a marker {on: body, at: %s}", name,
                            name);
        else
            cd_element_fail(e, node, "there is no %s '%s'%s", what, name,
                            cd_suggest_name(r, kind, level, node, name, suggestion, sizeof suggestion));
        return NULL;
    }
    def->key->is_referenced = def->value->is_referenced = true;
    return def;
}

cd_definition* cd_find_entry_definition(cd_reader* r, cd_definition_kind kind, const cd_level* level,
                                        const cd_yaml_entry* entry)
{
    if (entry->key->has_error) return NULL;
    const cd_model_element e    = {.reader = r, .level = level, .node = entry->value};
    const char*            name = cd_substitute_counters(&e, entry->key);
    char                   full[1024];
    if (!name || snprintf(full, sizeof full, "%s%s", level->prefix, name) >= (int)sizeof full) return NULL;
    return cd_find_qualified(r, kind, full);
}

// ---- evaluation on demand

void cd_add_chain_link(cd_text* text, const cd_definition* first, const cd_definition* def)
{
    if (def->key->file == first->key->file)
        cd_text_format(text, "%s (line %d) -> ", def->name, def->key->line);
    else
        cd_text_format(text, "%s (%s:%d) -> ", def->name, def->key->file->path, def->key->line);
}

static bool fail_circular(cd_reader* r, const cd_definition* def)
{
    cd_text path = {0};
    int     i    = r->ndependency - 1;
    while (i > 0 && r->dependency_stack[i] != def) --i;
    for (; i < r->ndependency; ++i) cd_add_chain_link(&path, def, r->dependency_stack[i]);
    cd_text_add(&path, def->name);
    cd_reader_fail(r, def->value, "%s '%s' depends on itself: %s", kind_text(def), def->name,
                   path.failed ? "" : path.data);
    cd_text_free(&path);
    return false;
}

bool cd_definition_begin(cd_reader* r, cd_definition* def)
{
    if (def->status == CD_DEFINITION_IN_PROGRESS) return fail_circular(r, def);
    if (r->ndependency == sizeof r->dependency_stack / sizeof *r->dependency_stack)
        return cd_reader_fail(r, def->value, "definitions depend on each other over more than %d levels; reorder them",
                              r->ndependency);
    r->dependency_stack[r->ndependency++] = def;
    def->status                           = CD_DEFINITION_IN_PROGRESS;
    return true;
}

bool cd_definition_end(cd_reader* r, cd_definition* def, bool ok)
{
    --r->ndependency;
    def->status = ok ? CD_DEFINITION_DONE : CD_DEFINITION_FAILED;
    return ok;
}

bool cd_evaluate_definition(cd_reader* r, cd_definition* def)
{
    if (def->status == CD_DEFINITION_DONE || def->status == CD_DEFINITION_FAILED)
        return def->status == CD_DEFINITION_DONE;
    return r->evaluate[def->kind](r, def);
}
