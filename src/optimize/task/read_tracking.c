// SPDX-License-Identifier: BSD-3-Clause
// Tracking terms: sum of weight (value - target)^2 in the integral cost. Targets are formulas of time, or splines
// through columns of a results file.
#include "optimize/task/read_task.h"

#include "io/results/result_units.h"
#include "model/description.h"

#include <stdio.h>
#include <string.h>

static bool add_term(cd_task_reader* r, const cd_yaml* at, double weight, cd_node value, cd_node target)
{
    cd_graph*     g         = r->task->description->graph;
    const cd_node deviation = cd_binary(g, CD_SUB, value, target);
    const cd_node term      = cd_binary(g, CD_MUL, cd_constant(g, weight), cd_binary(g, CD_MUL, deviation, deviation));
    cd_node*      sum       = &r->task->cost_integral;
    *sum                    = *sum == CARDAN_NONE ? term : cd_binary(g, CD_ADD, *sum, term);
    return (deviation >= 0 && term >= 0 && *sum >= 0) || cd_task_fail(r, at, "out of memory");
}

// Find the expression of a results column: JOINT.q is q(JOINT), JOINT.v2 is v(JOINT, 2); else an output of the model.
static bool expression_of_column(cd_task_reader* r, const cd_yaml* at, const char* column, cd_node* value)
{
    cardan_description* d   = r->task->description;
    const char*         dot = strrchr(column, '.');
    char                text[300];
    for (int i = 0; i < d->noutput; ++i)
        if (strcmp(d->output[i].name, column) == 0) return *value = d->output[i].value, true;
    if (!dot || (dot[1] != 'q' && dot[1] != 'v') || strspn(dot + 2, "0123456789") != strlen(dot + 2))
        return cd_task_fail(
            r, at, "column '%s' cannot be tracked: it is neither q or v of a joint nor an output of the model", column);
    snprintf(text, sizeof text, dot[2] ? "%c('%.*s', %s)" : "%c('%.*s')", dot[1],
             (int)(dot - column < 200 ? dot - column : 200), column, dot + 2);
    if (cardan_description_parse(d, text, cd_yaml_location(at), value, r->report) == CARDAN_OK) return true;
    r->failed = true;
    return false;
}

static bool track_column(cd_task_reader* r, const cd_yaml* at, const cd_result_table* table, const char* column,
                         double weight)
{
    cardan_description* d     = r->task->description;
    const int           index = cd_result_table_find_column(table, column), t = cd_result_table_find_column(table, "t");
    cd_node             value;
    if (index < 0) return cd_task_fail(r, at, "the results have no column '%s'", column);
    for (long i = 1; i < table->nsample; ++i)
        if (!(table->value[t][i] > table->value[t][i - 1]))
            return cd_task_fail(r, at, "times of the results do not increase at row %ld", i + 1);
    if (!expression_of_column(r, at, column, &value)) return false;
    const int spline =
        cd_graph_add_table(d->graph, (int)table->nsample, table->value[t], table->value[index], CD_TABLE_SPLINE);
    const cd_node time = cd_signal_node(d, (cardan_signal){CARDAN_SIGNAL_TIME, CARDAN_NONE, CARDAN_NONE, 0});
    return spline >= 0 ? add_term(r, at, weight, value, cd_table_lookup(d->graph, spline, time, 0))
                       : cd_task_fail(r, at, "out of memory");
}

// Track the named columns; all columns JOINT.q without names.
static bool track_columns(cd_task_reader* r, const cd_yaml* file, const cd_yaml* columns, const cd_result_table* table,
                          double weight)
{
    if (cd_result_table_find_column(table, "t") < 0 || table->nsample < 3)
        return cd_task_fail(r, file, "'%s' needs a column t and at least three rows", file->text);
    if (columns && columns->kind != CD_YAML_LIST)
        return cd_task_fail(r, columns, "columns is a list of names, [hinge.q, tip]");
    bool good = true;
    for (int i = 0; columns && i < columns->count; ++i) {
        const cd_yaml* name = columns->entry[i].value;
        good                = (name->kind == CD_YAML_SCALAR ? track_column(r, name, table, name->text, weight)
                                                            : cd_task_fail(r, name, "expected the name of a column")) &&
               good;
    }
    int found = 0;
    for (int i = 0; !columns && i < table->ncolumn; ++i) {
        const char* dot = strrchr(table->column[i].name, '.');
        if (!dot || strcmp(dot, ".q") != 0) continue;
        if (!track_column(r, file, table, table->column[i].name, weight)) return false;
        ++found;
    }
    return columns ? good
                   : found > 0 ||
                         cd_task_fail(r, file, "'%s' has no columns JOINT.q; name the tracked columns by `columns`",
                                      file->text);
}

static bool track_file(cd_task_reader* r, const cd_yaml* file, const cd_yaml* columns, double weight)
{
    cd_result_table* table = NULL;
    if (file->kind != CD_YAML_SCALAR) return cd_task_fail(r, file, "file must be the path of a results file");
    const char* path = cd_task_resolve_path(r, file);
    if (!path || cd_result_table_read(path, &table, r->report) != CARDAN_OK) {
        cardan_note(r->report, CARDAN_CODE_TASK_NOTE, cd_yaml_location(file), "the task tracks this file");
        return r->failed = true, false;
    }
    cd_result_table_to_si(table);
    const bool good = track_columns(r, file, columns, table, weight);
    cd_result_table_destroy(table);
    return good;
}

static bool read_tracking_term(cd_task_reader* r, const cd_yaml* one)
{
    if (!cd_task_check_keys(r, one, "tracking", NULL)) return false;
    const cd_yaml *value = cd_yaml_get(one, "value"), *target = cd_yaml_get(one, "target"),
                  *file = cd_yaml_get(one, "file"), *weight = cd_yaml_get(one, "weight"),
                  *columns = cd_yaml_get(one, "columns");
    double            w    = 1;
    cardan_expression tracked, reference = cd_constant(r->task->description->graph, 0);
    if (weight && !cd_task_read_number(r, weight, &w)) return false;
    if (w < 0) return cd_task_fail(r, weight, "a weight must not be negative");
    if (!value == !file)
        return cd_task_fail(r, one, "a tracking term needs either value and target, or file and columns");
    if (file) return track_file(r, file, columns, w);
    if (columns) return cd_task_fail(r, columns, "columns requires file");
    return cd_task_read_formula(r, value, &tracked) && (!target || cd_task_read_formula(r, target, &reference)) &&
           add_term(r, one, w, tracked, reference);
}

bool cd_task_read_tracking(cd_task_reader* r, const cd_yaml* node)
{
    bool good = true;
    if (node->kind != CD_YAML_LIST)
        return cd_task_fail(
            r, node, "tracking is a list of {value: =formula, target: =formula, weight: 1} or {file: results.csv}");
    for (int e = 0; e < node->count; ++e) good = read_tracking_term(r, node->entry[e].value) && good;
    return good;
}
