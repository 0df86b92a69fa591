// SPDX-License-Identifier: BSD-3-Clause
// Values of a variable: a list, a range, or random numbers.
//
// A random number is a function of seed, variable name and index only (a counter through the mixer of SplitMix64:
// Steele, Lea, Flood 2014), so it depends neither on the order of cases nor on other variables. Random numbers are
// rounded to 12 digits, because functions of the C library may differ in the last bit between machines.
#include "study/parameter_study_reader.h"

#include "core/number_locale.h"
#include "io/schema/schema.h"

#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static uint64_t mix(uint64_t x)
{
    x = (x ^ (x >> 30)) * 0xBF58476D1CE4E5B9u;
    x = (x ^ (x >> 27)) * 0x94D049BB133111EBu;
    return x ^ (x >> 31);
}

static uint64_t random_bits(long long seed, const char* name, uint64_t k)
{
    uint64_t key = 0xCBF29CE484222325u; // FNV-1a
    for (; *name; ++name) key = (key ^ (unsigned char)*name) * 0x100000001B3u;
    key = mix(key ^ mix((uint64_t)seed + 0x9E3779B97F4A7C15u));
    return mix(key + (k + 1) * 0x9E3779B97F4A7C15u);
}

static double random_unit(long long seed, const char* name, uint64_t k)
{
    return ((double)(random_bits(seed, name, k) >> 11) + 0.5) * 0x1p-53;
}

double cd_random_uniform(long long seed, const char* name, long k) { return random_unit(seed, name, (uint64_t)k); }

// Box-Muller transform: sqrt(-2 ln u1) cos(2 pi u2)
double cd_random_normal(long long seed, const char* name, long k)
{
    const double u1 = random_unit(seed, name, 2 * (uint64_t)k), u2 = random_unit(seed, name, 2 * (uint64_t)k + 1);
    return sqrt(-2 * log(u1)) * cos(6.283185307179586 * u2);
}

static bool allocate(cd_study_reader* r, const cd_yaml* at, long long count, cd_study_variable* v)
{
    if (count > CD_CASES_MAX)
        return cd_study_reader_fail(r, at, "%lld values are more than the limit of %d", count, CD_CASES_MAX);
    v->count  = (int)count;
    v->text   = cd_pool_alloc(&r->study->pool, (size_t)count, sizeof *v->text);
    v->number = cd_pool_alloc(&r->study->pool, (size_t)count, sizeof *v->number);
    return (v->text && v->number) || cd_study_reader_fail(r, at, "out of memory");
}

// Store a computed value with its shortest exact text.
static bool put_value(cd_study_reader* r, cd_study_variable* v, int i, double value)
{
    cd_text text = {0};
    cd_text_number(&text, value);
    v->number[i] = value;
    v->text[i]   = text.failed ? NULL : cd_pool_string(&r->study->pool, text.data, text.length);
    cd_text_free(&text);
    return v->text[i] != NULL;
}

static bool read_list(cd_study_reader* r, const cd_yaml* node, cd_study_variable* v)
{
    if (node->count == 0) return cd_study_reader_fail(r, node, "'%s' has no values", v->name);
    if (!allocate(r, node, node->count, v)) return false;
    for (int i = 0; i < node->count; ++i) {
        const cd_yaml* item = node->entry[i].value;
        char           seen[100];
        if (item->kind != CD_YAML_SCALAR)
            return cd_study_reader_fail(r, item, "'%s': a value must be a number, a =formula or a word, not %s",
                                        v->name, cd_yaml_describe(item, seen, sizeof seen));
        v->text[i]   = item->text;
        v->number[i] = NAN;
        if (item->text[0] == '=') {
            double value;
            if (!cd_study_reader_number(r, item, v->name, &value) || !put_value(r, v, i, value)) return false;
        } else if (!item->is_quoted) {
            cd_parse_finite_number(item->text, &v->number[i]);
        }
    }
    return true;
}

static bool read_spacing(cd_study_reader* r, const cd_yaml* node, bool* log)
{
    const cd_yaml* spacing = cd_yaml_get(node, "spacing");
    *log                   = spacing && strncmp(spacing->text, "log", 3) == 0;
    if (!spacing || strcmp(spacing->text, "linear") == 0 || strcmp(spacing->text, "logarithmic") == 0) return true;
    return cd_study_reader_fail(r, spacing, "spacing must be linear or logarithmic, not '%s'", spacing->text);
}

// Number of values of a range with a step; the last value exceeds `to` at most by round-off.
static bool count_range(cd_study_reader* r, const cd_yaml* node, double from, double to, long long* count)
{
    double step;
    if (!cd_study_reader_number(r, node, "step", &step)) return false;
    const double steps = (to - from) / step;
    if (!(steps >= 0) || !(steps < CD_CASES_MAX))
        return cd_study_reader_fail(r, node, "a step of %g does not lead from %g to %g", step, from, to);
    *count = (long long)floor(steps + 1e-9) + 1;
    return true;
}

static bool read_range(cd_study_reader* r, const cd_yaml* node, cd_study_variable* v)
{
    const cd_yaml *first = cd_yaml_get(node, "from"), *last = cd_yaml_get(node, "to"),
                  *count_node = cd_yaml_get(node, "count"), *step_node = cd_yaml_get(node, "step");
    double    from, to, spacing = 0;
    long long count = 0;
    bool      log;
    if (!first || !last)
        return cd_study_reader_fail(r, node, "'%s': a range requires both ends, {from: 1, to: 2, count: 5}", v->name);
    if (!count_node == !step_node)
        return cd_study_reader_fail(r, node, "'%s': a range requires either count or step", v->name);
    if (!cd_study_reader_number(r, first, "from", &from) || !cd_study_reader_number(r, last, "to", &to) ||
        !read_spacing(r, node, &log))
        return false;
    if (count_node && !cd_study_reader_integer(r, count_node, "count", 1, &count)) return false;
    if (log && step_node) return cd_study_reader_fail(r, step_node, "logarithmic spacing requires count, not step");
    if (log && !(from * to > 0))
        return cd_study_reader_fail(r, first, "logarithmic spacing requires two ends of the same sign, not %g and %g",
                                    from, to);
    if (count == 1 && from != to)
        return cd_study_reader_fail(r, count_node,
                                    "'%s': count must be 2 or more, because the range has two different ends", v->name);
    if (step_node &&
        (!count_range(r, step_node, from, to, &count) || !cd_study_reader_number(r, step_node, "step", &spacing)))
        return false;
    if (!allocate(r, node, count, v)) return false;
    for (int i = 0; i < v->count; ++i) {
        const double part = v->count > 1 ? (double)i / (v->count - 1) : 0;
        double value = step_node ? from + i * spacing : log ? from * pow(to / from, part) : from + part * (to - from);
        if (!step_node && i == v->count - 1) value = to;
        char text[40]; // 12 digits: 0.3 instead of 0.30000000000000004
        snprintf(text, sizeof text, "%.12g", value);
        const double round = strtod(text, NULL);
        if (!put_value(r, v, i, i == 0 ? from : !step_node && i == v->count - 1 ? to : round)) return false;
    }
    return true;
}

static bool read_random(cd_study_reader* r, const cd_yaml* node, const cd_yaml* distribution, bool normal,
                        cd_study_variable* v)
{
    const cd_yaml *number = cd_yaml_get(node, "count"), *own = cd_yaml_get(node, "seed");
    long long      count = 0, seed = r->seed;
    double         a, b;
    if (distribution->kind != CD_YAML_LIST || distribution->count != 2)
        return cd_study_reader_fail(r, distribution, "'%s': %s", v->name,
                                    normal ? "normal must be [mean, deviation]" : "uniform must be [lowest, highest]");
    if (!number)
        return cd_study_reader_fail(r, node, "'%s': the number of samples is missing, for example count: 20", v->name);
    if (!cd_study_reader_number(r, distribution->entry[0].value, v->name, &a) ||
        !cd_study_reader_number(r, distribution->entry[1].value, v->name, &b))
        return false;
    if (!cd_study_reader_integer(r, number, "count", 1, &count) ||
        (own && !cd_study_reader_integer(r, own, "seed", 0, &seed)))
        return false;
    if (normal && !(b >= 0))
        return cd_study_reader_fail(r, distribution->entry[1].value, "'%s': the deviation must not be negative",
                                    v->name);
    if (!normal && !(a <= b))
        return cd_study_reader_fail(r, distribution, "'%s': the lowest value %g is above the highest value %g", v->name,
                                    a, b);
    if (!allocate(r, node, count, v)) return false;
    for (int i = 0; i < v->count; ++i) {
        char text[40];
        snprintf(text, sizeof text, "%.12g",
                 normal ? a + b * cd_random_normal(seed, v->name, i)
                        : a + (b - a) * cd_random_uniform(seed, v->name, i));
        if (!put_value(r, v, i, strtod(text, NULL))) return false;
    }
    return true;
}

static bool read_map(cd_study_reader* r, const cd_yaml* node, cd_study_variable* v)
{
    const cd_yaml *uniform = cd_yaml_get(node, "uniform"), *normal = cd_yaml_get(node, "normal");
    if (!cd_study_reader_check_keys(r, node, "values")) return false;
    if (uniform && normal)
        return cd_study_reader_fail(r, normal, "'%s' must have one distribution, uniform or normal", v->name);
    const char* const allowed_keys = uniform || normal ? "count seed uniform normal" : "from to count step spacing";
    for (int i = 0; i < node->count; ++i)
        if (!cd_word_list_contains(node->entry[i].key->text, allowed_keys))
            return cd_study_reader_fail(r, node->entry[i].key, "'%s' is not allowed for %s", node->entry[i].key->text,
                                        uniform || normal ? "random values" : "a range");
    return uniform || normal ? read_random(r, node, normal ? normal : uniform, normal != NULL, v)
                             : read_range(r, node, v);
}

bool cd_study_reader_values(cd_study_reader* r, const cd_yaml* key, const cd_yaml* node, cd_study_variable* v)
{
    char seen[100];
    bool good;
    v->name               = key->text;
    v->location           = cd_yaml_location(key);
    const locale_t before = cd_locale_enter();
    if (node->kind == CD_YAML_LIST)
        good = read_list(r, node, v);
    else if (node->kind == CD_YAML_MAP)
        good = read_map(r, node, v);
    else
        good = cd_study_reader_fail(
            r, node, "'%s' must be a list of values, {from, to, count} or {uniform: [a, b], count}, not %s%s", v->name,
            cd_yaml_describe(node, seen, sizeof seen),
            node->kind == CD_YAML_SCALAR ? "; put constant values under set or options" : "");
    cd_locale_leave(before);
    v->is_numeric = good;
    for (int i = 0; good && i < v->count; ++i) v->is_numeric = v->is_numeric && !isnan(v->number[i]);
    return good;
}
