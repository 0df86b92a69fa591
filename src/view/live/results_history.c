// SPDX-License-Identifier: BSD-3-Clause
// States of a results file of `cardan run`: coordinates and velocities of the joints of the spanning tree. The hash of the
// model file in the manifest of the results is compared with that of the model that is shown.
#include "view/live/live_state.h"

#include "core/file.h"
#include "core/json.h"
#include "core/memory.h"
#include "io/results/result_units.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

// Columns of coordinates (nq) and velocities (nv) in the table.
typedef struct state_columns {
    int *q, *v;
} state_columns;

static int find(const cd_result_table* table, const char* joint, const char* what, int i, int count)
{
    char name[CD_VIEW_NAME_SIZE + 8];
    if (count > 1)
        snprintf(name, sizeof name, "%s.%s%d", joint, what, i + 1);
    else
        snprintf(name, sizeof name, "%s.%s", joint, what);
    return cd_result_table_find_column(table, name);
}

static cardan_status fail_column(const char* path, const char* joint, cardan_report* report)
{
    return cardan_fail(
        report, CARDAN_BAD_INPUT, CARDAN_CODE_STATUS_ONLY, (cardan_location){.file = path},
        "the results have no coordinates of joint '%s'; `cardan run` writes them with the columns joints", joint);
}

static cardan_status find_columns(const cd_result_table* table, const cd_live_model* m, const char* path,
                                  const state_columns* columns, cardan_report* report)
{
    for (int j = 0; j < m->model_view.njoint; ++j) {
        const cardan_index_range r    = m->model_view.tree_range[j];
        const char*              name = cardan_model_joint_name(m->model, j);
        for (int i = 0; r.q >= 0 && i < r.nq; ++i)
            if ((columns->q[r.q + i] = find(table, name, "q", i, r.nq)) < 0) return fail_column(path, name, report);
        for (int i = 0; r.v >= 0 && i < r.nv; ++i) columns->v[r.v + i] = find(table, name, "v", i, r.nv);
    }
    return CARDAN_OK;
}

static void fill(cd_history* history, const cd_live_model* m, const cd_result_table* table,
                 const state_columns* columns, int t)
{
    const cardan_model_view* v = &m->model_view;
    for (long k = 0; k < table->nsample; ++k) {
        double* entry = cd_history_add(history, table->value[t][k]);
        if (!entry) continue;
        for (int i = 0; i < v->nq; ++i) entry[i] = table->value[columns->q[i]][k];
        for (int i = 0; i < v->nv; ++i) entry[v->nq + i] = columns->v[i] < 0 ? 0 : table->value[columns->v[i]][k];
        for (int i = 0; i < v->nstate; ++i) entry[v->nq + v->nv + i] = v->state_start[i];
        entry[v->nq + v->nv + v->nstate] = 1;
    }
}

// Warn if the manifest next to the results has another hash of the model file.
static void check_model(const char* results, const char* model, cardan_report* report)
{
    char *            path = cd_results_sibling_path(results, ".manifest.json"), *text = NULL, digest[65];
    size_t            length;
    cd_json_document* document = NULL;
    if (path && cd_file_read(path, &text, &length, NULL) == CARDAN_OK &&
        cd_json_parse(text, length, path, &document, NULL) == CARDAN_OK &&
        cd_file_content_hash(model, digest, NULL) == CARDAN_OK) {
        const cd_json_node* object = cd_json_find(document, cd_json_root(document), "model");
        const cd_json_node* hash   = object ? cd_json_find(document, object, "sha256") : NULL;
        if (hash && hash->kind == CD_JSON_STRING && strcmp(hash->string, digest) != 0)
            cardan_warn(report, CARDAN_CODE_MODEL_NOTE, (cardan_location){.file = results},
                        "these results are those of another version of the model file");
    }
    cd_json_destroy(document);
    free(text);
    free(path);
}

cardan_status cd_history_read_results(cd_history* history, cd_live_model* m, const char* model, const char* path,
                                      cardan_report* report)
{
    cd_result_table* table  = NULL;
    cardan_status    status = cd_result_table_read(path, &table, report);
    if (status != CARDAN_OK) return status;
    cd_result_table_to_si(table);
    const int     t = cd_result_table_find_column(table, "t");
    state_columns columns;
    columns.q = cd_allocate((size_t)(m->model_view.nq + m->model_view.nv) + 1, sizeof *columns.q);
    if (columns.q) columns.v = columns.q + m->model_view.nq;
    if (!columns.q)
        status = CARDAN_NO_MEMORY;
    else if (t < 0)
        status = cardan_fail(report, CARDAN_BAD_INPUT, CARDAN_CODE_STATUS_ONLY, (cardan_location){.file = path},
                             "the results have no column t");
    else
        status = find_columns(table, m, path, &columns, report);
    if (status == CARDAN_OK) {
        check_model(path, model, report);
        fill(history, m, table, &columns, t);
    }
    free(columns.q);
    cd_result_table_destroy(table);
    return status;
}
