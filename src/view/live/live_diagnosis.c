// SPDX-License-Identifier: BSD-3-Clause
// Diagnosis for the page: the report of `cardan check --json`, loops with suggestions, free motions (the tangent space of
// the constraints) and modes.
#include "view/live/live_state.h"

#include "analysis/motion_description.h"
#include "analysis/tangent_space.h"
#include "core/json.h"
#include "core/memory.h"

#include <cardan/analyse.h>
#include <cardan/assemble.h>
#include <cardan/diagnose.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { SHAPES_MAX = 60, VELOCITIES_MAX = 600 };

void cd_live_free_shapes(cd_live* live)
{
    free(live->shapes.motion);
    free(live->shapes.mode);
    live->shapes = (cd_live_shapes){0};
}

static void write_indices(cd_json_writer* json, const char* key, int count, const int* index)
{
    cd_json_begin_array(json, key);
    for (int i = 0; i < count; ++i) cd_json_integer(json, NULL, index[i]);
    cd_json_end(json);
}

static void write_loops(cd_json_writer* json, const cardan_diagnosis* d)
{
    cd_json_begin_array(json, "loops");
    for (int i = 0; d && i < d->nloop; ++i) {
        const cardan_loop* loop = &d->loop[i];
        cd_json_begin_object(json, NULL);
        cd_json_string(json, "path", loop->path);
        write_indices(json, "joints", loop->njoint, loop->joint);
        write_indices(json, "bodies", loop->njoint, loop->body);
        cd_json_integer(json, "redundant", loop->redundant);
        cd_json_string(json, "reason", loop->reason);
        cd_json_string(json, "indeterminate", loop->indeterminate);
        cd_json_string(json, "suggestion", loop->nchange > 0 ? loop->suggested_joints : NULL);
        cd_json_end(json);
    }
    cd_json_end(json);
}

// ---- free motions

// Combine the columns of N (rows x count, column major) so that each one has the value 1 in a row where the others are
// zero (Gauss-Jordan elimination with complete pivoting).
static void separate_columns(int rows, int count, double* N)
{
    bool is_used[SHAPES_MAX] = {0};
    for (int step = 0; step < count; ++step) {
        int row = 0, column = CARDAN_NONE;
        for (int c = 0; c < count; ++c)
            for (int r = 0; !is_used[c] && r < rows; ++r)
                if (column == CARDAN_NONE || fabs(N[c * rows + r]) > 1.0001 * fabs(N[column * rows + row]))
                    column = c, row = r;
        const double pivot = N[column * rows + row];
        is_used[column]    = true;
        if (pivot == 0) return;
        for (int r = 0; r < rows; ++r) N[column * rows + r] /= pivot;
        for (int c = 0; c < count; ++c) {
            const double factor = N[c * rows + row];
            for (int r = 0; c != column && r < rows; ++r) N[c * rows + r] -= factor * N[column * rows + r];
        }
    }
}

static void find_motions(cd_live* live)
{
    cd_tangent_space t;
    cardan_data*     d  = live->aside.data;
    const int        nv = live->model.model_view.nv;
    if (nv > VELOCITIES_MAX || cd_tangent_space_create(d, &t, NULL) != CARDAN_OK) return;
    const int count     = cd_tangent_space_compute(&t, false) && t.nmotion < SHAPES_MAX ? t.nmotion : 0;
    live->shapes.motion = cd_allocate((size_t)count * (size_t)nv + 1, sizeof(double));
    if (live->shapes.motion) {
        live->shapes.nmotion = count;
        memcpy(live->shapes.motion, t.basis, (size_t)count * (size_t)nv * sizeof(double));
        separate_columns(nv, count, live->shapes.motion);
        for (int k = 0; k < count; ++k)
            for (int i = 0; i < nv; ++i) live->shapes.motion[k * nv + i] /= t.unit[i];
    }
    cd_tangent_space_release(&t);
}

static void write_motions(cd_live* live, cd_json_writer* json)
{
    const int nv   = live->model.model_view.nv;
    double*   copy = cd_allocate((size_t)nv + 1, sizeof *copy);
    cd_json_begin_array(json, "motions");
    for (int i = 0; copy && i < live->shapes.nmotion; ++i) {
        char text[400];
        memcpy(copy, live->shapes.motion + (size_t)i * (size_t)nv, (size_t)nv * sizeof *copy);
        if (!cd_describe_motions(live->aside.data, 1, copy, live->model.length, text, sizeof text)) break;
        cd_json_begin_object(json, NULL);
        cd_json_string(json, "text", text);
        cd_json_end(json);
    }
    cd_json_end(json);
    free(copy);
}

// ---- modes

static bool keep_mode(cd_live* live, const cardan_mode* mode)
{
    const size_t nv = (size_t)live->model.model_view.nv;
    double*      to = live->shapes.mode + 2 * nv * (size_t)live->shapes.nmode;
    if (mode->kind == CARDAN_MODE_NEUTRAL || live->shapes.nmode == SHAPES_MAX) return false;
    memcpy(to, mode->tangent_real, nv * sizeof *to);
    memcpy(to + nv, mode->tangent_imaginary, nv * sizeof *to);
    ++live->shapes.nmode;
    return true;
}

static void write_modes(cd_live* live, cd_json_writer* json)
{
    cardan_modes* modes = NULL;
    const int     nv    = live->model.model_view.nv;
    live->shapes.mode   = cd_allocate(2 * SHAPES_MAX * ((size_t)nv + 1), sizeof(double));
    cd_json_begin_array(json, "modes");
    if (live->shapes.mode && nv <= VELOCITIES_MAX) cardan_modes_create(live->aside.data, &modes, NULL);
    for (int i = 0; modes && i < modes->count; ++i) {
        const cardan_mode* mode = &modes->mode[i];
        if (!keep_mode(live, mode)) continue;
        cd_json_begin_object(json, NULL);
        cd_json_number(json, "frequency", mode->frequency);
        cd_json_number(json, "damping", mode->damping_ratio);
        cd_json_string(json, "text", mode->description);
        cd_json_end(json);
    }
    cd_json_end(json);
    cardan_modes_destroy(modes);
}

// ---- the message

cardan_diagnosis* cd_live_find_loops(cd_live* live)
{
    cardan_description* description = NULL;
    cardan_model*       model       = NULL;
    cardan_data*        data        = NULL;
    cardan_diagnosis*   d           = NULL;
    const int           dense       = cardan_formulation_find("dense");
    cardan_status       status      = cd_live_load(&live->settings.options, &description, NULL);
    if (status == CARDAN_OK) status = cardan_model_compile(description, CARDAN_TREE_BREADTH_FIRST, &model, NULL);
    if (status == CARDAN_OK) status = cardan_data_create(model, dense, &data, NULL);
    if (status == CARDAN_OK) {
        cardan_data_assemble(data, NULL, NULL, NULL, NULL, NULL); // loops that cannot be closed are described as well
        cardan_diagnosis_create(data, &d, NULL);
    }
    cardan_data_destroy(data);
    cardan_model_destroy(model);
    cardan_description_destroy(description);
    return d;
}

void cd_live_diagnose(cd_live* live)
{
    cd_live_model* m    = &live->model;
    cd_text        text = {0}, report = {0}, rest = {0};
    cd_json_writer json = cd_json_writer_to(&rest);
    cd_live_end_animation(live);
    cd_live_end_exact(live);
    cd_live_free_shapes(live);
    cardan_data_set_state(live->aside.data, m->t, m->q, m->v, m->state);
    cardan_diagnosis* d = cd_live_find_loops(live);
    cd_json_begin_object(&json, NULL);
    write_loops(&json, d);
    cardan_diagnosis_destroy(d);
    memset(m->a, 0, (size_t)m->model_view.nv * sizeof *m->a); // free motions and modes are those at rest
    cardan_data_set_state(live->aside.data, m->t, m->q, m->a, m->state);
    find_motions(live);
    write_motions(live, &json);
    write_modes(live, &json);
    cd_json_end(&json);
    live->settings.check(live->settings.user, &live->settings.options, &report);
    if (!rest.failed && !report.failed)
        cd_text_format(&text, "{\"type\": \"diagnosis\", \"report\": %s, %s", report.data ? report.data : "null",
                       rest.data + 1);
    cd_text_free(&report);
    cd_text_free(&rest);
    cd_live_queue(live, &text);
}
