// SPDX-License-Identifier: BSD-3-Clause
// Visit of sections in the order of the file: included files, repetitions pass by pass, uses of templates.
#include "io/yaml/read_model.h"

#include <ctype.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

static const long max_elements_default = 5000000; // if the options have none
enum {
    MAX_DEPTH    = 40, // of nested uses and repetitions
    USE_ELEMENTS = 50  // a use of a template needs about as much memory as this number of elements
};

typedef struct visitor {
    cd_reader*          reader;
    const char*         sections;
    cd_element_visitor* visit; // NULL: count only
} visitor;

static const char named_sections[] =
    "tables points bodies ground materials friction markers joints couplings constraints forces states values outputs";

static bool visit_block(const visitor* w, const cd_level* level, cd_yaml* block);

// ---- repetitions

// Split "i in 1..n" into its three parts.
static bool split_range(const char* text, char* variable, char* low, char* high, size_t size)
{
    const char* s = text;
    size_t      n = 0;
    while (isspace((unsigned char)*s)) ++s;
    while ((isalnum((unsigned char)*s) || *s == '_') && n + 1 < size) variable[n++] = *s++;
    variable[n] = '\0';
    while (isspace((unsigned char)*s)) ++s;
    const char* dots = strstr(s, "..");
    if (n == 0 || isdigit((unsigned char)variable[0]) || strncmp(s, "in", 2) != 0 || !isspace((unsigned char)s[2]) ||
        !dots)
        return false;
    s += 3;
    if ((size_t)(dots - s) >= size || strlen(dots + 2) >= size) return false;
    memcpy(low, s, (size_t)(dots - s));
    low[dots - s] = '\0';
    snprintf(high, size, "%s", dots + 2);
    return low[0] && high[0];
}

static long max_elements(const cd_reader* r)
{
    return r->options->max_elements > 0 ? r->options->max_elements : max_elements_default;
}

static const char* without_equal(const char* s)
{
    while (isspace((unsigned char)*s) || *s == '=') ++s;
    return s;
}

static bool repeat_range(const visitor* w, const cd_level* level, cd_yaml* repeat, char* variable, size_t size,
                         double* low, double* high)
{
    char                   from[200], to[200];
    cd_yaml*               node = cd_yaml_get(repeat, "for");
    const cd_model_element e    = {.reader = w->reader, .level = level, .node = repeat, .label = "repeat"};
    if (!node || node->has_error) return false;
    if (!split_range(node->text, variable, from, to, size < sizeof from ? size : sizeof from))
        return cd_element_fail(&e, node, "'%s' is not a range; write 'i in 1..n'", node->text);
    if (!cd_evaluate_number_formula(&e, node, without_equal(from), low) ||
        !cd_evaluate_number_formula(&e, node, without_equal(to), high))
        return false;
    if (!cd_require_structural_constant(&e, node, *low) || !cd_require_structural_constant(&e, node, *high))
        return false;
    if (*low != floor(*low) || *high != floor(*high))
        return cd_element_fail(&e, node, "the range of a counter must be whole numbers, not %g to %g", *low, *high);
    const long most = max_elements(w->reader);
    if (*high - *low > 2.0 * (double)most)
        return cd_element_fail(&e, node, "%.0f repetitions exceed the limit of %ld elements; check the range",
                               *high - *low + 1, most);
    return true;
}

static bool exceeds_element_limit(const visitor* w, cd_yaml* at)
{
    const long most = max_elements(w->reader);
    if (w->reader->nelement <= most) return false;
    if (!at->has_error)
        cd_reader_fail(w->reader, at, "the repetitions create more than the limit of %ld elements; check the range",
                       most);
    at->has_error = true;
    return true;
}

static bool visit_repeat(const visitor* w, const cd_level* level, cd_yaml* repeat)
{
    char   variable[100];
    double low, high;
    if (repeat->has_error) return true;
    if (level->depth >= MAX_DEPTH) {
        repeat->has_error = true;
        cd_reader_fail(w->reader, repeat, "repetitions and uses are nested deeper than %d levels", MAX_DEPTH);
        return true;
    }
    if (!repeat_range(w, level, repeat, variable, sizeof variable, &low, &high)) return true;
    const char* name = cd_pool_string(&w->reader->pool, variable, strlen(variable));
    if (!name) return cd_reader_fail_no_memory(w->reader);
    for (double i = low; i <= high; ++i) {
        cd_level iteration   = *level;
        iteration.outer      = level;
        iteration.template   = NULL;
        iteration.variable   = name;
        iteration.counter    = i;
        iteration.persistent = NULL;
        iteration.depth      = level->depth + 1;
        if (!w->visit && (++w->reader->nelement, exceeds_element_limit(w, cd_yaml_get(repeat, "for")))) return false;
        if (!visit_block(w, &iteration, repeat)) return false;
        if (repeat->has_error) return true;
    }
    return true;
}

// ---- uses of templates

// Define the parameters of a use: its arguments, then the defaults of the template.
static bool define_arguments(cd_reader* r, const cd_level* outside, const cd_level* inside, cd_yaml* given,
                             const cd_model_element* e)
{
    cd_yaml* with = cd_yaml_get(inside->template, "with");
    for (int i = 0; given->kind == CD_YAML_MAP && i < given->count; ++i) {
        cd_yaml* key = given->entry[i].key;
        if (!cd_yaml_get(with, key->text)) {
            cd_element_fail(e, key, "template '%s' has no parameter '%s'", e->section, key->text);
            continue;
        }
        cd_definition* def =
            cd_define(r, CD_DEFINITION_PARAMETER, inside, key, given->entry[i].value); // named at the inner level,
        // evaluated at the outer level
        if (!def || !(def->level = cd_level_persist(r, outside))) return false;
    }
    for (int i = 0; with && with->kind == CD_YAML_MAP && i < with->count; ++i) {
        cd_yaml* key = with->entry[i].key;
        if (cd_yaml_get(given, key->text)) continue;
        if (with->entry[i].value->kind == CD_YAML_NULL)
            cd_element_fail(e, given, "template '%s' requires a value for '%s'", e->section, key->text);
        else if (!cd_define(r, CD_DEFINITION_PARAMETER, inside, key, with->entry[i].value))
            return false;
    }
    return true;
}

// Define positions that are passed as parameters as points.
static bool define_point_arguments(cd_reader* r, const cd_level* inside)
{
    cd_definitions* defs = &r->defs[CD_DEFINITION_PARAMETER];
    for (int i = defs->count - 1; i >= 0 && strncmp(defs->list[i]->name, inside->prefix, strlen(inside->prefix)) == 0;
         --i) {
        cd_definition* parameter = defs->list[i];
        if (parameter->value->kind != CD_YAML_LIST && parameter->value->kind != CD_YAML_MAP) continue;
        cd_definition* point = cd_define(r, CD_DEFINITION_POINT, inside, parameter->key, parameter->value);
        if (!point) return false;
        point->level                  = parameter->level;
        parameter->key->is_referenced = true;
    }
    return true;
}

static bool read_use_placement(const cd_model_element* e, cd_placement* placement)
{
    const cd_level*     level       = e->level;
    const cd_placement* outer       = level->placement;
    const cd_yaml*      at          = cd_yaml_get(e->node, "at");
    const cd_yaml*      orientation = cd_yaml_get(e->node, "orientation");
    const cd_yaml*      mirror      = cd_yaml_get(e->node, "mirror");
    double              R[3][3]     = {{1, 0, 0}, {0, 1, 0}, {0, 0, 1}};
    const double        signs[3]    = {1, 1, 1};
    double              p[3];
    memcpy(p, outer->base.p, sizeof p);
    if (at && !cd_read_position(e, at, &outer->base, p)) return false;
    if (orientation && !cd_read_orientation(e, orientation, &outer->base, R)) return false;
    *placement =
        (cd_placement){.sign = {outer->sign[0], outer->sign[1], outer->sign[2]}, .is_mirrored = outer->is_mirrored};
    placement->base = cd_frame_from_base(cd_element_parametric(e), &outer->base, p, R, signs);
    const int plane = mirror && mirror->kind == CD_YAML_SCALAR && !mirror->has_error ? mirror->text[0] - 'x' : -1;
    if (plane < 0 || plane > 2) return true;
    placement->sign[plane] = -placement->sign[plane];
    placement->is_mirrored = !placement->is_mirrored;
    for (int i = 0; i < 3; ++i) placement->base.R[i][plane] = -placement->base.R[i][plane];
    return true;
}

static const char* use_key(void* user, int i)
{
    (void)user;
    return cd_key_at("use", i) ? cd_key_at("use", i)->key : NULL;
}

// Report a key of a use that is neither known nor a template.
static void fail_use_key(const cd_model_element* e, const cd_yaml* key)
{
    const char* suggestion = cd_nearest_name(key->text, use_key, NULL);
    if (suggestion)
        cd_element_fail(e, key, "there is no key '%s' here (did you mean '%s'?)", key->text, suggestion);
    else
        cd_element_fail(e, key, "there is no key or template '%s'", key->text);
}

// Return the entry of a use that names its template.
static cd_yaml_entry* template_entry(const cd_model_element* e)
{
    cd_yaml_entry *found = NULL, *unknown = NULL;
    for (int i = 0; i < e->node->count; ++i) {
        cd_yaml_entry* entry = &e->node->entry[i];
        if (entry->key->has_error || cd_key_find("use", entry->key->text)) continue;
        if (!cd_find_definition(e->reader, CD_DEFINITION_TEMPLATE, e->level, entry->key->text))
            unknown = entry;
        else if (found)
            return cd_element_fail(e, entry->key, "it has two templates; use one"), NULL;
        else
            found = entry;
    }
    if (found && unknown) return fail_use_key(e, unknown->key), NULL;
    if (!found && !unknown) cd_element_fail(e, e->node, "the template is missing: write {template: {...}}");
    return found ? found : unknown;
}

static bool create_template_level(cd_reader* r, cd_definition* use, const cd_model_element* e)
{
    cd_yaml_entry* entry = template_entry(e);
    if (!entry) return false;
    cd_definition* template = cd_resolve_reference(e, CD_DEFINITION_TEMPLATE, entry->key, "template");
    if (!template || template->value->kind != CD_YAML_MAP) return false;
    for (const cd_level* l = e->level; l; l = l->outer)
        if (l->template == template->value)
            return cd_element_fail(e, entry->key, "template '%s' uses itself", template->name);
    if (e->level->depth >= MAX_DEPTH)
        return cd_element_fail(e, entry->key, "repetitions and uses are nested deeper than %d levels", MAX_DEPTH);

    cd_level*     inside    = cd_pool_alloc(&r->pool, 1, sizeof *inside);
    cd_placement* placement = cd_pool_alloc(&r->pool, 1, sizeof *placement);
    char*         prefix    = cd_pool_alloc(&r->pool, strlen(use->name) + 2, 1);
    if (!inside || !placement || !prefix) return cd_reader_fail_no_memory(r);
    sprintf(prefix, "%s.", use->name);
    *inside = (cd_level){.outer      = use->level,
                         .template   = template->value,
                         .prefix     = prefix,
                         .placement  = placement,
                         .persistent = inside,
                         .depth      = e->level->depth + 1};
    if (!read_use_placement(e, placement)) return false;
    const cd_model_element argument_element = {
        .reader = r, .level = e->level, .node = e->node, .section = template->name, .label = "use", .name = use->name};
    if (!define_arguments(r, e->level, inside, entry->value, &argument_element) || !define_point_arguments(r, inside))
        return false;
    cd_yaml* parameters = cd_yaml_get(template->value, "parameters");
    for (int i = 0; parameters && parameters->kind == CD_YAML_MAP && i < parameters->count; ++i)
        if (!cd_define(r, CD_DEFINITION_PARAMETER, inside, parameters->entry[i].key, parameters->entry[i].value))
            return false;
    use->template_level = inside;
    return true;
}

static bool visit_use(const visitor* w, const cd_level* level, cd_yaml_entry* entry)
{
    cd_reader* r = w->reader;
    if (entry->value->has_error || entry->value->kind != CD_YAML_MAP) return true;
    cd_definition* use;
    if (!w->visit) {
        use = cd_define(r, CD_DEFINITION_USE, level, entry->key, entry->value);
        if (!use) return r->status != CARDAN_NO_MEMORY;
        const cd_model_element e = {
            .reader = r, .level = level, .node = entry->value, .section = "use", .label = "use", .name = use->name};
        create_template_level(r, use, &e);
        r->nelement += USE_ELEMENTS;
        if (exceeds_element_limit(w, entry->value)) return false;
    } else {
        const cd_model_element e    = {.reader = r, .level = level, .node = entry->value, .section = "use"};
        const char*            name = cd_substitute_counters(&e, entry->key);
        char                   full[512];
        if (!name || snprintf(full, sizeof full, "%s%s", level->prefix, name) >= (int)sizeof full) return true;
        use = cd_find_qualified(r, CD_DEFINITION_USE, full);
    }
    if (!use || !use->template_level) return true;
    return visit_block(w, use->template_level, (cd_yaml*)use->template_level->template);
}

// ---- blocks

static bool visit_section(const visitor* w, const cd_level* level, const char* section, cd_yaml* node)
{
    if (!w->visit) {
        w->reader->nelement += node->count;
        return !exceeds_element_limit(w, node);
    }
    for (int i = 0; i < node->count; ++i)
        if (!w->visit(w->reader, level, section, &node->entry[i])) return false;
    return true;
}

// Visit the files that a node, or each item of a list, includes.
static bool visit_files(const visitor* w, const cd_level* level, const cd_yaml* include)
{
    bool ok = true;
    for (int i = 0; ok && i < include->count; ++i) ok = visit_files(w, level, include->entry[i].value);
    for (cd_yaml_file* f = w->reader->source->first_file; ok && f; f = f->next)
        if (f->included_by == include && f->root) ok = visit_block(w, level, f->root);
    return ok;
}

static bool visit_block(const visitor* w, const cd_level* level, cd_yaml* block)
{
    for (int i = 0; i < block->count; ++i) {
        const char* key  = block->entry[i].key->text;
        cd_yaml*    node = block->entry[i].value;
        bool        ok   = true;
        if (node->has_error) continue;
        if (strcmp(key, "include") == 0 && !level->outer) {
            ok = visit_files(w, level, node);
        } else if (strcmp(key, "repeat") == 0 && node->kind == CD_YAML_LIST) {
            for (int k = 0; ok && k < node->count; ++k)
                if (node->entry[k].value->kind == CD_YAML_MAP) ok = visit_repeat(w, level, node->entry[k].value);
        } else if (strcmp(key, "use") == 0 && node->kind == CD_YAML_MAP) {
            for (int k = 0; ok && k < node->count; ++k) ok = visit_use(w, level, &node->entry[k]);
        } else if (cd_word_list_contains(key, w->sections) &&
                   (node->kind == CD_YAML_MAP || node->kind == CD_YAML_LIST)) {
            ok = visit_section(w, level, key, node);
        }
        if (!ok) return false;
    }
    return true;
}

bool cd_visit_elements(cd_reader* r, const char* sections, cd_element_visitor* visit)
{
    const visitor w = {r, sections, visit};
    return visit_block(&w, r->root_level, r->source->first_file->root) && r->status != CARDAN_NO_MEMORY;
}

bool cd_count_elements(cd_reader* r)
{
    const visitor w = {r, named_sections, NULL};
    return visit_block(&w, r->root_level, r->source->first_file->root);
}
