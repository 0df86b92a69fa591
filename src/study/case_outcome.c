// SPDX-License-Identifier: BSD-3-Clause
// Collected values of one case, from the printed report (JSON) and the results file (CSV).
//
// In a path such as energy.error or final.joints.hinge.q[1], points separate names of members and [1] is the first item
// of a list; names may contain points. Extrema are taken over the samples; values between samples are interpolated
// linearly; a mean is the integral by the trapezoidal rule divided by the duration. Columns of the curves of `cardan
// suspension` are SWEEP.COLUMN; their abscissa takes the place of the time.
#include "study/case_outcome.h"

#include "core/json.h"
#include "io/results/results.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

bool cd_case_outcome_is_ok(const cd_case_outcome* o) { return o->is_done && o->status && strcmp(o->status, "ok") == 0; }

void cd_case_outcome_fail(cd_case_outcome* o, const char* status, const char* format, ...)
{
    char    sentence[CARDAN_MESSAGE_LENGTH];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(sentence, sizeof sentence, format, arguments);
    va_end(arguments);
    free(o->status);
    free(o->reason);
    o->status = cd_copy_string(status);
    o->reason = cd_copy_string(sentence);
    if (o->reason) return;
    free(o->status);
    o->status = NULL; // memory is exhausted
}

static bool fail_memory(cd_case_outcome* o)
{
    cd_case_outcome_fail(o, "no_memory", "%s", cardan_status_text(CARDAN_NO_MEMORY));
    return false;
}

void cd_case_outcome_free(cd_case_outcome* o, int ncell)
{
    for (int i = 0; o->cell && i < ncell; ++i) {
        free(o->cell[i].text);
        free(o->cell[i].unit);
    }
    free(o->cell);
    free(o->status);
    free(o->reason);
    *o = (cd_case_outcome){0};
}

// Extract the sentence of the first line with an error, "file:5:3: error: sentence [code]" or "cardan run: sentence
// [code]", else the first line.
void cd_extract_error_text(const char* text, char sentence[CARDAN_MESSAGE_LENGTH])
{
    const char* mark = strstr(text, "error: ");
    const char* from = mark ? mark + strlen("error: ") : text;
    if (!mark && strncmp(from, "cardan ", 7) == 0 && strstr(from, ": ")) from = strstr(from, ": ") + 2;
    int length = (int)strcspn(from, "\r\n");
    if (length > 0 && from[length - 1] == ']') { // remove the code in brackets
        int begin = length - 1;
        while (begin > 0 && from[begin] != '[') --begin;
        if (begin > 1 && from[begin - 1] == ' ') length = begin - 1;
    }
    snprintf(sentence, CARDAN_MESSAGE_LENGTH, "%.*s", length, from);
}

// ---- report

// Find the node of a path; with `leaf` only a single value, no object or list.
static const cd_json_node* find_path(const cd_json_node* node, const char* path, bool leaf)
{
    if (!*path) return leaf && (node->kind == CD_JSON_OBJECT || node->kind == CD_JSON_ARRAY) ? NULL : node;
    if (*path == '.') ++path;
    if (*path == '[') {
        char*      end   = NULL;
        const long index = strtol(path + 1, &end, 10);
        if (node->kind != CD_JSON_ARRAY || *end != ']' || index < 1 || index > node->count) return NULL;
        const cd_json_node* item = node->first;
        for (long i = 1; i < index; ++i) item = item->next;
        return find_path(item, end + 1, leaf);
    }
    if (node->kind != CD_JSON_OBJECT) return NULL;
    for (const cd_json_node* member = node->first; member; member = member->next) {
        const size_t n = strlen(member->key);
        if (n == 0 || strncmp(path, member->key, n) != 0 || (path[n] && path[n] != '.' && path[n] != '[')) continue;
        const cd_json_node* found = find_path(member, path + n, leaf);
        if (found) return found;
    }
    return NULL;
}

enum { PATHS_MAX = 2000 };

// Paths of all values in the report, for suggestions. Returns false if memory is exhausted.
static bool gather_paths(const cd_json_node* node, const char* path, cd_name_table* names)
{
    int  index = 0;
    bool good  = true;
    if (cd_name_table_count(names) > PATHS_MAX) return true;
    if (node->kind != CD_JSON_OBJECT && node->kind != CD_JSON_ARRAY) return cd_name_table_add(names, path, 0) != NULL;
    for (const cd_json_node* item = node->first; good && item; item = item->next) {
        cd_text text = {0};
        if (node->kind == CD_JSON_ARRAY)
            cd_text_format(&text, "%s[%d]", path, ++index);
        else
            cd_text_format(&text, *path ? "%s.%s" : "%s%s", path, item->key);
        good = !text.failed && gather_paths(item, text.data, names);
        cd_text_free(&text);
    }
    return good;
}

static const char* path_at(void* user, int i)
{
    const cd_name_table* names = user;
    return i < cd_name_table_count(names) ? cd_name_table_at(names, i) : NULL;
}

static void fail_path(cd_case_outcome* o, const cd_parameter_study* study, const cd_collected_value* c,
                      const cd_json_node* root, const cd_json_node* found)
{
    cd_name_table* names      = cd_name_table_create();
    const bool     listed     = names && gather_paths(root, "", names);
    const char*    suggestion = listed ? cd_nearest_name(c->source, path_at, names) : NULL;
    if (!listed)
        fail_memory(o);
    else if (found)
        cd_case_outcome_fail(o, "no_value", "'%s' of the report of `cardan %s` is %s, not a single value", c->source,
                             study->command, cd_json_kind_text(found->kind));
    else if (suggestion)
        cd_case_outcome_fail(o, "no_value", "the report of `cardan %s` has no '%s' (did you mean '%s'?)",
                             study->command, c->source, suggestion);
    else
        cd_case_outcome_fail(o, "no_value", "the report of `cardan %s` has no '%s'; option --json prints the report",
                             study->command, c->source);
    cd_name_table_destroy(names);
}

static bool collect_value(cd_case_outcome* o, const cd_parameter_study* study, const cd_collected_value* c,
                          const cd_json_node* root, cd_study_cell* cell)
{
    const cd_json_node* found = find_path(root, c->source, true);
    if (found && found->kind == CD_JSON_STRING)
        cell->text = cd_copy_string(found->string);
    else if (found && (found->kind == CD_JSON_NUMBER || found->kind == CD_JSON_BOOLEAN))
        cell->number = found->number;
    else if (!found)
        return fail_path(o, study, c, root, find_path(root, c->source, false)), false;
    if (found->kind == CD_JSON_STRING && !cell->text) return fail_memory(o);
    return true;
}

static bool set_unit(cd_case_outcome* o, cd_study_cell* cell, const char* unit)
{
    if (!unit) return true;
    cell->unit = cd_copy_string(unit);
    return cell->unit ? true : fail_memory(o);
}

// Time of the first event of a kind, or of event number n; empty if there is no such event.
static bool collect_event(cd_case_outcome* o, const cd_collected_value* c, const cd_json_node* root,
                          cd_study_cell* cell)
{
    const cd_json_node* events       = find_path(root, "events", false);
    char*               end          = NULL;
    const long          event_number = strtol(c->source, &end, 10);
    long                number       = 0;
    for (const cd_json_node* e = events && events->kind == CD_JSON_ARRAY ? events->first : NULL; e; e = e->next) {
        const cd_json_node *kind = find_path(e, "kind", true), *time = find_path(e, "time", true);
        ++number;
        if (!kind || !time || kind->kind != CD_JSON_STRING) continue;
        if (*end ? strcmp(kind->string, c->source) != 0 : number != event_number) continue;
        cell->number = time->number;
        return set_unit(o, cell, "s");
    }
    return true;
}

// ---- results

static double value_at(const double* t, const double* x, long n, double t_query)
{
    if (!(t_query >= t[0]) || !(t_query <= t[n - 1])) return NAN;
    long k = 0;
    while (k < n - 1 && t[k + 1] < t_query) ++k;
    if (k == n - 1 || t[k + 1] == t[k]) return x[k];
    return x[k] + (x[k + 1] - x[k]) * (t_query - t[k]) / (t[k + 1] - t[k]);
}

static double mean_of(const double* t, const double* x, long n)
{
    double sum = 0;
    for (long k = 1; k < n; ++k) sum += (x[k] + x[k - 1]) / 2 * (t[k] - t[k - 1]);
    return n > 1 && t[n - 1] > t[0] ? sum / (t[n - 1] - t[0]) : x[0];
}

static double reduce_column(const cd_collected_value* c, const double* t, const double* x, long n)
{
    double minimum = INFINITY, maximum = -INFINITY;
    for (long k = 0; k < n; ++k) {
        minimum = fmin(minimum, x[k]);
        maximum = fmax(maximum, x[k]);
    }
    switch (c->kind) {
    case CD_COLLECT_START:
        return x[0];
    case CD_COLLECT_FINAL:
        return x[n - 1];
    case CD_COLLECT_MINIMUM:
        return isfinite(minimum) ? minimum : NAN;
    case CD_COLLECT_MAXIMUM:
        return isfinite(maximum) ? maximum : NAN;
    case CD_COLLECT_MEAN:
        return mean_of(t, x, n);
    case CD_COLLECT_VALUE_AT_TIME:
        return value_at(t, x, n, c->time);
    case CD_COLLECT_REPORT:
    case CD_COLLECT_WALL_TIME:
    case CD_COLLECT_EVENT:
        break;
    }
    return NAN;
}

// ---- curves of `cardan suspension`: report.sweeps.NAME.columns, a list per column; the first is the abscissa

// Find the member of `sweeps` that a source SWEEP.COLUMN names; *column is the rest. With one sweep the name may be
// missing.
static const cd_json_node* find_sweep(const cd_json_node* sweeps, const char* source, const char** column)
{
    for (const cd_json_node* one = sweeps->first; one; one = one->next) {
        const size_t n = strlen(one->key);
        if (strncmp(source, one->key, n) != 0 || source[n] != '.') continue;
        *column = source + n + 1;
        return one;
    }
    *column = source;
    return sweeps->count == 1 ? sweeps->first : NULL;
}

// Values of a list of numbers, NaN for others; the caller frees them.
static double* list_values(const cd_json_node* list)
{
    double* value = calloc((size_t)list->count + 1, sizeof *value);
    long    n     = 0;
    for (const cd_json_node* item = list->first; value && item; item = item->next)
        value[n++] = item->kind == CD_JSON_NUMBER ? item->number : NAN;
    return value;
}

static bool fail_sweep_column(cd_case_outcome* o, const cd_collected_value* c, const cd_json_node* sweeps,
                              const cd_json_node* columns)
{
    cd_name_table* names = cd_name_table_create();
    bool           good  = names != NULL;
    for (const cd_json_node* one = columns ? columns->first : sweeps->first; good && one; one = one->next)
        good = cd_name_table_add(names, one->key, 0) != NULL;
    const char* column = c->source;
    if (columns) find_sweep(sweeps, c->source, &column);
    const char* suggestion = good ? cd_nearest_name(column, path_at, names) : NULL;
    if (!good)
        fail_memory(o);
    else if (suggestion)
        cd_case_outcome_fail(o, "no_value", "the results have no column '%s' (did you mean '%s'?)", column, suggestion);
    else
        cd_case_outcome_fail(o, "no_value", "the results have no column '%s'; with several sweeps write SWEEP.COLUMN",
                             c->source);
    cd_name_table_destroy(names);
    return false;
}

static bool collect_sweep_column(cd_case_outcome* o, const cd_collected_value* c, const cd_json_node* sweeps,
                                 cd_study_cell* cell)
{
    const char*         name;
    const cd_json_node* sweep   = find_sweep(sweeps, c->source, &name);
    const cd_json_node* columns = sweep ? find_path(sweep, "columns", false) : NULL;
    const cd_json_node* list    = columns ? find_path(columns, name, false) : NULL;
    if (!list || list->kind != CD_JSON_ARRAY || list->count == 0) return fail_sweep_column(o, c, sweeps, columns);
    double *x = list_values(columns->first), *y = list_values(list);
    if (x && y) cell->number = reduce_column(c, x, y, list->count);
    const bool memory = x && y;
    free(x);
    free(y);
    if (!memory) return fail_memory(o);
    const cd_json_node *units = find_path(sweep, "units", false), *unit = units ? find_path(units, name, true) : NULL;
    if (!set_unit(o, cell, unit && unit->kind == CD_JSON_STRING ? unit->string : NULL)) return false;
    if (c->kind == CD_COLLECT_VALUE_AT_TIME && isnan(cell->number))
        return cd_case_outcome_fail(o, "no_value", "'%s': %g is outside the range of the sweep", c->name, c->time),
               false;
    return true;
}

static const char* column_at(void* user, int i)
{
    const cd_result_table* table = user;
    return i < table->ncolumn ? table->column[i].name : NULL;
}

static bool collect_column(cd_case_outcome* o, const cd_collected_value* c, const cd_result_table* table,
                           cd_study_cell* cell)
{
    const int column = table ? cd_result_table_find_column(table, c->source) : -1;
    if (column < 0) {
        const char* suggestion = table ? cd_nearest_name(c->source, column_at, (void*)table) : NULL;
        if (!table)
            cd_case_outcome_fail(o, "no_value", "'%s': the command wrote no readable results", c->name);
        else
            cd_case_outcome_fail(o, "no_value",
                                 suggestion ? "the results have no column '%s' (did you mean '%s'?)"
                                            : "the results have no column '%s'",
                                 c->source, suggestion);
        return false;
    }
    if (table->nsample == 0) return cd_case_outcome_fail(o, "no_value", "the results have no samples"), false;
    cell->number = reduce_column(c, table->value[0], table->value[column], table->nsample);
    if (!set_unit(o, cell, table->column[column].unit)) return false;
    if (c->kind == CD_COLLECT_VALUE_AT_TIME && isnan(cell->number))
        return cd_case_outcome_fail(o, "no_value", "'%s': t = %g s is outside the time range of the results", c->name,
                                    c->time),
               false;
    return true;
}

void cd_case_outcome_collect(cd_case_outcome* o, const cd_parameter_study* study, const char* report, size_t length,
                             const char* csv)
{
    cardan_report       words    = {0};
    cd_json_document*   document = NULL;
    cd_result_table*    table    = NULL;
    const cardan_status parsed   = cd_json_parse(report, length, "report", &document, &words);
    if (parsed != CARDAN_OK) {
        if (parsed == CARDAN_NO_MEMORY)
            fail_memory(o);
        else
            cd_case_outcome_fail(o, "no_report", "`cardan %s` printed no report", study->command);
        return;
    }
    const cd_json_node* sweeps = find_path(cd_json_root(document), "sweeps", false);
    if (sweeps && sweeps->kind != CD_JSON_OBJECT) sweeps = NULL;
    bool good = !csv || sweeps || !cd_parameter_study_needs_results(study) ||
                cd_result_table_read(csv, &table, &words) != CARDAN_NO_MEMORY;
    o->cell = calloc((size_t)study->ncollect + 1, sizeof *o->cell);
    good    = good && o->cell ? true : fail_memory(o);
    for (int i = 0; good && i < study->ncollect; ++i) {
        const cd_collected_value* c    = &study->collect[i];
        cd_study_cell*            cell = &o->cell[i];
        cell->number                   = NAN;
        if (c->kind == CD_COLLECT_WALL_TIME)
            cell->number = o->seconds, good = set_unit(o, cell, "s");
        else if (c->kind == CD_COLLECT_REPORT)
            good = collect_value(o, study, c, cd_json_root(document), cell);
        else if (c->kind == CD_COLLECT_EVENT)
            good = collect_event(o, c, cd_json_root(document), cell);
        else if (sweeps)
            good = collect_sweep_column(o, c, sweeps, cell);
        else
            good = collect_column(o, c, table, cell);
    }
    cd_result_table_destroy(table);
    cd_json_destroy(document);
}
