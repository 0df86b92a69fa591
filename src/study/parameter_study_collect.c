// SPDX-License-Identifier: BSD-3-Clause
// Reader of the key `collect`: values of each case that become columns of the table.
#include "study/parameter_study_reader.h"

#include <string.h>

static const struct {
    const char*     key;
    cd_collect_kind kind;
} collect_keys[] = {
    {"start", CD_COLLECT_START},     {"final", CD_COLLECT_FINAL}, {"minimum", CD_COLLECT_MINIMUM},
    {"maximum", CD_COLLECT_MAXIMUM}, {"mean", CD_COLLECT_MEAN},   {"value", CD_COLLECT_VALUE_AT_TIME},
    {"event", CD_COLLECT_EVENT},
};

enum { NKIND = sizeof collect_keys / sizeof *collect_keys };

static bool read_map(cd_study_reader* r, const cd_yaml* node, cd_collected_value* c)
{
    const cd_yaml *found = NULL, *at = cd_yaml_get(node, "at");
    if (!cd_study_reader_check_keys(r, node, "collect")) return false;
    for (int i = 0; i < NKIND; ++i) {
        const cd_yaml* value = cd_yaml_get(node, collect_keys[i].key);
        if (value && found)
            return cd_study_reader_fail(r, value, "'%s' must collect one value; use another name for the second",
                                        c->name);
        if (!value) continue;
        found   = value;
        c->kind = collect_keys[i].kind;
    }
    if (!found)
        return cd_study_reader_fail(
            r, node,
            "'%s': the value to collect is missing: {final: COLUMN}, {maximum: COLUMN}, {value: COLUMN, at: "
            "TIME}, {event: KIND} ...",
            c->name);
    if (found->kind != CD_YAML_SCALAR)
        return cd_study_reader_fail(r, found,
                                    c->kind == CD_COLLECT_EVENT
                                        ? "'%s': event must be the kind or number of an event"
                                        : "'%s': the value must be the name of one column of the results",
                                    c->name);
    if ((c->kind == CD_COLLECT_VALUE_AT_TIME) != (at != NULL))
        return cd_study_reader_fail(
            r, at ? at : found,
            at ? "'%s': at is allowed only with value, {value: COLUMN, at: TIME}"
               : "'%s': value requires a time, {value: COLUMN, at: TIME}; use final for the value at the end",
            c->name);
    c->source = found->text;
    return !at || cd_study_reader_number(r, at, "at", &c->time);
}

static bool read_scalar(const cd_yaml* node, cd_collected_value* c)
{
    c->kind   = strcmp(node->text, "wall") == 0 ? CD_COLLECT_WALL_TIME : CD_COLLECT_REPORT;
    c->source = node->text;
    return true;
}

static bool read_entry(cd_study_reader* r, const cd_yaml* key, const cd_yaml* value, cd_collected_value* c)
{
    char           seen[100];
    const cd_yaml* at = key ? key : value;
    *c                = (cd_collected_value){.name = at->text, .location = cd_yaml_location(at)};
    if (value->kind == CD_YAML_SCALAR) return read_scalar(value, c);
    if (key && value->kind == CD_YAML_MAP) return read_map(r, value, c);
    return cd_study_reader_fail(r, value,
                                "%s must be {final: COLUMN} or similar, or the path of a value in the report, not %s",
                                key ? key->text : "a column without name", cd_yaml_describe(value, seen, sizeof seen));
}

bool cd_study_reader_collect(cd_study_reader* r, const cd_yaml* node)
{
    static const char* const reserved[] = {"case", "status", "reason"};
    cd_parameter_study*      study      = r->study;
    bool                     good       = true;
    if ((node->kind != CD_YAML_MAP && node->kind != CD_YAML_LIST) || node->count == 0)
        return cd_study_reader_fail(
            r, node, "collect must be a map of columns to values, {drift: energy.error, end: {final: COLUMN}}");
    study->collect = cd_pool_alloc(&study->pool, (size_t)node->count, sizeof *study->collect);
    if (!study->collect) return cd_study_reader_fail(r, node, "out of memory");
    for (int i = 0; i < node->count; ++i) {
        const cd_yaml_entry* e = &node->entry[i];
        cd_collected_value*  c = &study->collect[study->ncollect];
        if (!read_entry(r, e->key, e->value, c)) {
            good = false;
            continue;
        }
        const cd_yaml* at = e->key ? e->key : e->value;
        for (int k = 0; k < 3; ++k)
            if (strcmp(reserved[k], c->name) == 0)
                good = cd_study_reader_fail(r, at, "the column name '%s' is reserved; use another name", c->name);
        for (int k = 0; k < study->nvariable; ++k)
            if (study->variable[k].name && strcmp(study->variable[k].name, c->name) == 0)
                good = cd_study_reader_fail(r, at, "'%s' is already a name under vary; use another name", c->name);
        for (int k = 0; k < study->ncollect; ++k)
            if (strcmp(study->collect[k].name, c->name) == 0)
                good = cd_study_reader_fail(r, at, "'%s' is collected twice", c->name);
        ++study->ncollect;
    }
    return good;
}
