// SPDX-License-Identifier: BSD-3-Clause
// Walking through sections, in the order of the file: included files, repetitions turn by turn, uses of templates.
#include "io/read.h"

#include <ctype.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

static const long MOST_ELEMENTS = 5000000; // where the options do not say
enum { DEEPEST = 40 };                     // uses and repetitions inside each other

typedef struct walker {
    cd_reader*  reader;
    const char* sections;
    cd_visit*   visit; // NULL: count
} walker;

static const char named_sections[] = "tables points bodies markers joints couplings constraints forces states outputs";

static bool walk_block(const walker* w, const cd_level* level, cd_yaml* block);

// Repetition

// "i in 1..n" into its three parts.
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

static long most_elements(const cd_reader* r)
{
    return r->options->most_elements > 0 ? r->options->most_elements : MOST_ELEMENTS;
}

static const char* without_equal(const char* s)
{
    while (isspace((unsigned char)*s) || *s == '=') ++s;
    return s;
}

static bool repeat_range(const walker* w, const cd_level* level, cd_yaml* repeat, char* variable, size_t size,
                         double* low, double* high)
{
    char             from[200], to[200];
    cd_yaml*         node = cd_yaml_get(repeat, "for");
    const cd_element e    = {.reader = w->reader, .level = level, .node = repeat, .label = "repeat"};
    if (!node || node->broken) return false;
    if (!split_range(node->text, variable, from, to, size < sizeof from ? size : sizeof from))
        return cd_element_fail(&e, node, "'%s' is no range; write it as 'i in 1..n'", node->text);
    if (!cd_number_text(&e, node, without_equal(from), low) || !cd_number_text(&e, node, without_equal(to), high))
        return false;
    if (!cd_decided(&e, node, *low) || !cd_decided(&e, node, *high)) return false;
    if (*low != floor(*low) || *high != floor(*high))
        return cd_element_fail(&e, node, "a counter runs over whole numbers, not from %g to %g", *low, *high);
    const long most = most_elements(w->reader);
    if (*high - *low > 2.0 * (double)most)
        return cd_element_fail(&e, node, "%.0f turns are more than Cardan takes (%ld elements): is the range right?",
                               *high - *low + 1, most);
    return true;
}

static bool too_many(const walker* w, cd_yaml* at)
{
    const long most = most_elements(w->reader);
    if (w->reader->elements <= most) return false;
    if (!at->broken) cd_reader_fail(w->reader, at, "this repeats to more than %ld elements: is the range right?", most);
    at->broken = true;
    return true;
}

static bool walk_repeat(const walker* w, const cd_level* level, cd_yaml* repeat)
{
    char   variable[100];
    double low, high;
    if (repeat->broken) return true;
    if (level->depth >= DEEPEST) {
        repeat->broken = true;
        cd_reader_fail(w->reader, repeat, "repetitions and uses are nested more than %d deep", DEEPEST);
        return true;
    }
    if (!repeat_range(w, level, repeat, variable, sizeof variable, &low, &high)) return true;
    const char* kept = cd_pool_string(&w->reader->pool, variable, strlen(variable));
    if (!kept) return cd_reader_no_memory(w->reader);
    for (double i = low; i <= high; ++i) {
        cd_level turn = *level;
        turn.outer    = level;
        turn.template = NULL;
        turn.variable = kept;
        turn.value    = i;
        turn.kept     = NULL;
        turn.depth    = level->depth + 1;
        if (!w->visit && (++w->reader->elements, too_many(w, cd_yaml_get(repeat, "for")))) return false;
        if (!walk_block(w, &turn, repeat)) return false;
        if (repeat->broken) return true;
    }
    return true;
}

// Uses

// Parameters of a use: what it gives, then the defaults of the template.
static bool define_arguments(cd_reader* r, const cd_level* outside, const cd_level* inside, cd_yaml* given,
                             const cd_element* e)
{
    cd_yaml* with = cd_yaml_get(inside->template, "with");
    for (int i = 0; given->kind == CD_YAML_MAP && i < given->count; ++i) {
        cd_yaml* key = given->entry[i].key;
        if (!cd_yaml_get(with, key->text)) {
            cd_element_fail(e, key, "template '%s' has no parameter '%s'", e->section, key->text);
            continue;
        }
        cd_def* def =
            cd_define(r, CD_DEF_PARAMETER, inside, key, given->entry[i].value); // named inside, evaluated outside
        if (!def || !(def->level = cd_level_keep(r, outside))) return false;
    }
    for (int i = 0; with && with->kind == CD_YAML_MAP && i < with->count; ++i) {
        cd_yaml* key = with->entry[i].key;
        if (cd_yaml_get(given, key->text)) continue;
        if (with->entry[i].value->kind == CD_YAML_NOTHING)
            cd_element_fail(e, given, "template '%s' needs a value for '%s'", e->section, key->text);
        else if (!cd_define(r, CD_DEF_PARAMETER, inside, key, with->entry[i].value))
            return false;
    }
    return true;
}

// Places given as parameters are points.
static bool define_point_arguments(cd_reader* r, const cd_level* inside)
{
    cd_defs* defs = &r->defs[CD_DEF_PARAMETER];
    for (int i = defs->count - 1; i >= 0 && strncmp(defs->list[i]->name, inside->prefix, strlen(inside->prefix)) == 0;
         --i) {
        cd_def* parameter = defs->list[i];
        if (parameter->value->kind != CD_YAML_LIST) continue;
        cd_def* point = cd_define(r, CD_DEF_POINT, inside, parameter->key, parameter->value);
        if (!point) return false;
        point->level         = parameter->level;
        parameter->key->used = true;
    }
    return true;
}

static bool place_use(const cd_element* e, cd_placement* placement)
{
    const cd_level*     level    = e->level;
    const cd_placement* outer    = level->placement;
    const cd_yaml*      at       = cd_yaml_get(e->node, "at");
    const cd_yaml*      turn     = cd_yaml_get(e->node, "orientation");
    const cd_yaml*      mirror   = cd_yaml_get(e->node, "mirror");
    double              R[3][3]  = {{1, 0, 0}, {0, 1, 0}, {0, 0, 1}};
    const double        signs[3] = {1, 1, 1};
    double              p[3];
    memcpy(p, outer->base.p, sizeof p);
    if (at && !cd_position(e, at, &outer->base, p)) return false;
    if (turn && !cd_orientation(e, turn, &outer->base, R)) return false;
    *placement = (cd_placement){.sign = {outer->sign[0], outer->sign[1], outer->sign[2]}, .mirrored = outer->mirrored};
    placement->base = cd_frame_in(cd_ledger_at(e), &outer->base, p, R, signs);
    const int plane = mirror && mirror->kind == CD_YAML_SCALAR && !mirror->broken ? mirror->text[0] - 'x' : -1;
    if (plane < 0 || plane > 2) return true;
    placement->sign[plane] = -placement->sign[plane];
    placement->mirrored    = !placement->mirrored;
    for (int i = 0; i < 3; ++i) placement->base.R[i][plane] = -placement->base.R[i][plane];
    return true;
}

static const char* use_key(void* user, int i)
{
    (void)user;
    return cd_key_at("use", i) ? cd_key_at("use", i)->key : NULL;
}

// A key of a use that is neither known nor a template.
static void refuse_key(const cd_element* e, const cd_yaml* key)
{
    const char* near = cd_nearest(key->text, use_key, NULL);
    if (near)
        cd_element_fail(e, key, "there is no key '%s' here (did you mean '%s'?)", key->text, near);
    else
        cd_element_fail(e, key, "there is no key or template '%s'", key->text);
}

// The key of a use that names its template.
static cd_yaml_entry* template_entry(const cd_element* e)
{
    cd_yaml_entry *found = NULL, *stranger = NULL;
    for (int i = 0; i < e->node->count; ++i) {
        cd_yaml_entry* entry = &e->node->entry[i];
        if (entry->key->broken || cd_key_find("use", entry->key->text)) continue;
        if (!cd_find(e->reader, CD_DEF_TEMPLATE, e->level, entry->key->text))
            stranger = entry;
        else if (found)
            return cd_element_fail(e, entry->key, "it names two templates"), NULL;
        else
            found = entry;
    }
    if (found && stranger) return refuse_key(e, stranger->key), NULL;
    if (!found && !stranger) cd_element_fail(e, e->node, "it names no template: write {template: {...}}");
    return found ? found : stranger;
}

static bool make_inside(cd_reader* r, cd_def* use, const cd_element* e)
{
    cd_yaml_entry* entry = template_entry(e);
    if (!entry) return false;
    cd_def* template = cd_refer(e, CD_DEF_TEMPLATE, entry->key, "template");
    if (!template || template->value->kind != CD_YAML_MAP) return false;
    for (const cd_level* l = e->level; l; l = l->outer)
        if (l->template == template->value)
            return cd_element_fail(e, entry->key, "template '%s' uses itself", template->name);
    if (e->level->depth >= DEEPEST)
        return cd_element_fail(e, entry->key, "repetitions and uses are nested more than %d deep", DEEPEST);

    cd_level*     inside    = cd_pool_take(&r->pool, 1, sizeof *inside);
    cd_placement* placement = cd_pool_take(&r->pool, 1, sizeof *placement);
    char*         prefix    = cd_pool_take(&r->pool, strlen(use->name) + 2, 1);
    if (!inside || !placement || !prefix) return cd_reader_no_memory(r);
    sprintf(prefix, "%s.", use->name);
    *inside = (cd_level){.outer     = use->level,
                         .template  = template->value,
                         .prefix    = prefix,
                         .placement = placement,
                         .kept      = inside,
                         .depth     = e->level->depth + 1};
    if (!place_use(e, placement)) return false;
    const cd_element naming = {
        .reader = r, .level = e->level, .node = e->node, .section = template->name, .label = "use", .name = use->name};
    if (!define_arguments(r, e->level, inside, entry->value, &naming) || !define_point_arguments(r, inside))
        return false;
    cd_yaml* parameters = cd_yaml_get(template->value, "parameters");
    for (int i = 0; parameters && parameters->kind == CD_YAML_MAP && i < parameters->count; ++i)
        if (!cd_define(r, CD_DEF_PARAMETER, inside, parameters->entry[i].key, parameters->entry[i].value)) return false;
    use->inside = inside;
    return true;
}

static bool walk_use(const walker* w, const cd_level* level, cd_yaml_entry* entry)
{
    cd_reader* r = w->reader;
    if (entry->value->broken || entry->value->kind != CD_YAML_MAP) return true;
    cd_def* use;
    if (!w->visit) {
        use = cd_define(r, CD_DEF_USE, level, entry->key, entry->value);
        if (!use) return r->status != CARDAN_NO_MEMORY;
        const cd_element e = {
            .reader = r, .level = level, .node = entry->value, .section = "use", .label = "use", .name = use->name};
        make_inside(r, use, &e);
        ++r->elements;
    } else {
        const cd_element e    = {.reader = r, .level = level, .node = entry->value, .section = "use"};
        const char*      name = cd_substitute(&e, entry->key);
        char             full[512];
        if (!name || snprintf(full, sizeof full, "%s%s", level->prefix, name) >= (int)sizeof full) return true;
        use = cd_find_full(r, CD_DEF_USE, full);
    }
    if (!use || !use->inside) return true;
    return walk_block(w, use->inside, (cd_yaml*)use->inside->template);
}

// Blocks

static bool walk_section(const walker* w, const cd_level* level, const char* section, cd_yaml* node)
{
    if (!w->visit) {
        w->reader->elements += node->count;
        return !too_many(w, node);
    }
    for (int i = 0; i < node->count; ++i)
        if (!w->visit(w->reader, level, section, &node->entry[i])) return false;
    return true;
}

// The files that one node, or each item of a list, asks for.
static bool walk_files(const walker* w, const cd_level* level, const cd_yaml* include)
{
    bool ok = true;
    for (int i = 0; ok && i < include->count; ++i) ok = walk_files(w, level, include->entry[i].value);
    for (cd_yaml_file* f = w->reader->file; ok && f; f = f->next)
        if (f->included == include && f->root) ok = walk_block(w, level, f->root);
    return ok;
}

static bool walk_block(const walker* w, const cd_level* level, cd_yaml* block)
{
    for (int i = 0; i < block->count; ++i) {
        const char* key  = block->entry[i].key->text;
        cd_yaml*    node = block->entry[i].value;
        bool        ok   = true;
        if (node->broken) continue;
        if (strcmp(key, "include") == 0 && !level->outer) {
            ok = walk_files(w, level, node);
        } else if (strcmp(key, "repeat") == 0 && node->kind == CD_YAML_LIST) {
            for (int k = 0; ok && k < node->count; ++k)
                if (node->entry[k].value->kind == CD_YAML_MAP) ok = walk_repeat(w, level, node->entry[k].value);
        } else if (strcmp(key, "use") == 0 && node->kind == CD_YAML_MAP) {
            for (int k = 0; ok && k < node->count; ++k) ok = walk_use(w, level, &node->entry[k]);
        } else if (cd_word_in(key, w->sections) && (node->kind == CD_YAML_MAP || node->kind == CD_YAML_LIST)) {
            ok = walk_section(w, level, key, node);
        }
        if (!ok) return false;
    }
    return true;
}

bool cd_walk(cd_reader* r, const char* sections, cd_visit* visit)
{
    const walker w = {r, sections, visit};
    return walk_block(&w, r->top, r->file->root) && r->status != CARDAN_NO_MEMORY;
}

bool cd_walk_count(cd_reader* r)
{
    const walker w = {r, named_sections, NULL};
    return walk_block(&w, r->top, r->file->root);
}
