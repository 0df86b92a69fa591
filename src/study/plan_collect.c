// SPDX-License-Identifier: BSD-3-Clause
// The key `collect`: which numbers of each case become columns of the table.
#include "study/plan_read.h"

#include <string.h>

static const struct {
    const char*     key;
    cd_collect_kind kind;
} of_results[] = {
    {"start", CD_COLLECT_START},     {"final", CD_COLLECT_FINAL}, {"minimum", CD_COLLECT_MINIMUM},
    {"maximum", CD_COLLECT_MAXIMUM}, {"mean", CD_COLLECT_MEAN},   {"value", CD_COLLECT_AT},
    {"event", CD_COLLECT_EVENT},
};

enum { NKIND = sizeof of_results / sizeof *of_results };

static bool read_map(cd_plan_reader* r, const cd_yaml* node, cd_collect* c)
{
    const cd_yaml *found = NULL, *at = cd_yaml_get(node, "at");
    if (!cd_plan_keys(r, node, "collect")) return false;
    for (int i = 0; i < NKIND; ++i) {
        const cd_yaml* value = cd_yaml_get(node, of_results[i].key);
        if (value && found)
            return cd_plan_mistake(r, value, "'%s' collects one thing; give the other a name of its own", c->name);
        if (!value) continue;
        found   = value;
        c->kind = of_results[i].kind;
    }
    if (!found)
        return cd_plan_mistake(r, node,
                               "'%s': say what is collected, {final: COLUMN}, {maximum: COLUMN}, {value: COLUMN, at: "
                               "TIME}, {event: KIND} ...",
                               c->name);
    if (found->kind != CD_YAML_SCALAR)
        return cd_plan_mistake(r, found,
                               c->kind == CD_COLLECT_EVENT ? "'%s': an event is named by its kind, or its number"
                                                           : "'%s': one column of the results is named here",
                               c->name);
    if ((c->kind == CD_COLLECT_AT) != (at != NULL))
        return cd_plan_mistake(r, at ? at : found,
                               at ? "'%s': a time goes with value, {value: COLUMN, at: TIME}"
                                  : "'%s': value needs a time, {value: COLUMN, at: TIME}; final is that at the end",
                               c->name);
    c->of = found->text;
    return !at || cd_plan_number(r, at, "at", &c->t);
}

static bool read_scalar(const cd_yaml* node, cd_collect* c)
{
    c->kind = strcmp(node->text, "wall") == 0 ? CD_COLLECT_WALL : CD_COLLECT_REPORT;
    c->of   = node->text;
    return true;
}

static bool read_one(cd_plan_reader* r, const cd_yaml* key, const cd_yaml* value, cd_collect* c)
{
    char           seen[100];
    const cd_yaml* at = key ? key : value;
    *c                = (cd_collect){.name = at->text, .place = cd_yaml_place(at)};
    if (value->kind == CD_YAML_SCALAR) return read_scalar(value, c);
    if (key && value->kind == CD_YAML_MAP) return read_map(r, value, c);
    return cd_plan_mistake(
        r, value, "%s is collected as {final: COLUMN} or the like, or as the path of a value in the report, not %s",
        key ? key->text : "a column without a name", cd_yaml_describe(value, seen, sizeof seen));
}

bool cd_plan_collect(cd_plan_reader* r, const cd_yaml* node)
{
    static const char* const ours[] = {"case", "status", "reason"};
    cd_plan*                 plan   = r->plan;
    bool                     good   = true;
    if ((node->kind != CD_YAML_MAP && node->kind != CD_YAML_LIST) || node->count == 0)
        return cd_plan_mistake(r, node,
                               "collect names the columns of the table, {drift: energy.drift, end: {final: COLUMN}}");
    plan->collect = cd_pool_take(&plan->pool, (size_t)node->count, sizeof *plan->collect);
    if (!plan->collect) return cd_plan_mistake(r, node, "out of memory");
    for (int i = 0; i < node->count; ++i) {
        const cd_yaml_entry* e = &node->entry[i];
        cd_collect*          c = &plan->collect[plan->ncollect];
        if (!read_one(r, e->key, e->value, c)) {
            good = false;
            continue;
        }
        const cd_yaml* at = e->key ? e->key : e->value;
        for (int k = 0; k < 3; ++k)
            if (strcmp(ours[k], c->name) == 0)
                good = cd_plan_mistake(r, at, "every table has a column '%s' already; give this one another name",
                                       c->name);
        for (int k = 0; k < plan->nvariable; ++k)
            if (plan->variable[k].name && strcmp(plan->variable[k].name, c->name) == 0)
                good = cd_plan_mistake(r, at, "'%s' is the name of what varies; give this column another one", c->name);
        for (int k = 0; k < plan->ncollect; ++k)
            if (strcmp(plan->collect[k].name, c->name) == 0)
                good = cd_plan_mistake(r, at, "'%s' is collected twice", c->name);
        ++plan->ncollect;
    }
    return good;
}
