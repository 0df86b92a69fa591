// SPDX-License-Identifier: BSD-3-Clause
// Load the model again, with changed files or parameters. The state is kept by the names of the joints: it is the guess
// from which the new mechanism is assembled. If the new model has an error, the old one stays.
#include "view/live/live_state.h"

#include "core/json.h"

#include <cardan/assemble.h>
#include <stdlib.h>
#include <string.h>

static const double history_interval = 1.0 / 60; // [s]

static int find_joint(const cardan_model* model, int count, const char* name)
{
    for (int i = 0; i < count; ++i)
        if (strcmp(cardan_model_joint_name(model, i), name) == 0) return i;
    return CARDAN_NONE;
}

// Guess of the start of joint j of the new model from the old one.
static void transfer_joint(const cd_live_model* old, const cd_live_model* new, int j, cardan_joint_start* start)
{
    *start                     = cardan_joint_start_default(new->model, j);
    const int                o = find_joint(old->model, old->model_view.njoint, cardan_model_joint_name(new->model, j));
    const cardan_index_range n = new->model_view.joint_range[j];
    if (o == CARDAN_NONE) return;
    const cardan_index_range r = old->model_view.joint_range[o];
    if (r.q < 0 || r.nq != n.nq || r.nv != n.nv) return;
    start->position_mode = start->velocity_mode = CARDAN_START_GUESS;
    memcpy(start->q, old->joint_q + r.q, (size_t)r.nq * sizeof(double));
    memcpy(start->v, old->joint_v + r.v, (size_t)r.nv * sizeof(double));
}

static cardan_status transfer_state(cd_live_model* old, cd_live_model* new, cardan_report* report)
{
    const int           n     = new->model_view.njoint;
    cardan_joint_start* start = calloc((size_t)n + 1, sizeof *start);
    if (!start) return CARDAN_NO_MEMORY;
    cardan_data_joint_motions(old->data, NULL, old->joint_q, old->joint_v, NULL);
    for (int j = 0; j < n; ++j) transfer_joint(old, new, j, &start[j]);
    memcpy(new->state, new->model_view.state_start, (size_t) new->model_view.nstate * sizeof(double));
    cardan_status status = cardan_data_assemble(new->data, start, new->q, new->v, NULL, NULL);
    if (status == CARDAN_OK)
        status = cardan_simulation_restart(new->simulation, old->t, new->q, new->v, new->state, report);
    free(start);
    return status;
}

static void watch_files(cd_live* live)
{
    const cardan_description_view* v = &live->model.view;
    cd_file_watch_close(&live->watch);
    cd_file_watch_open(&live->watch);
    cd_file_watch_add(&live->watch, live->settings.options.path);
    const char* last = live->settings.options.path; // files of elements: included files
    for (int i = 0; i < v->nbody + v->njoint + v->nforce + v->nparameter; ++i) {
        const int   j = i - v->nbody, k = j - v->njoint, n = k - v->nforce;
        const char* file = j < 0   ? v->body[i].location.file
                           : k < 0 ? v->joint[j].location.file
                           : n < 0 ? v->force[k].location.file
                                   : v->parameter[n].location.file;
        if (!file || strcmp(file, last) == 0) continue;
        cd_file_watch_add(&live->watch, file);
        last = file;
    }
}

static void send_changes(cd_live* live, const cd_live_model* new)
{
    const cd_live_model* old  = &live->model;
    cd_text              text = {0};
    cd_json_writer       json = cd_json_writer_to(&text);
    cd_json_begin_object(&json, NULL);
    cd_json_string(&json, "type", "reloaded");
    cd_json_begin_array(&json, "changed");
    for (int i = 0; i < new->view.nparameter; ++i) {
        const cardan_parameter* p = &new->view.parameter[i];
        const int               o = cardan_description_find_parameter(old->description, p->name);
        if (o == CARDAN_NONE || old->view.parameter[o].value == p->value) continue;
        cd_json_begin_object(&json, NULL);
        cd_json_string(&json, "name", p->name);
        cd_json_number(&json, "before", old->view.parameter[o].value);
        cd_json_number(&json, "after", p->value);
        cd_json_end(&json);
    }
    cd_json_end(&json);
    cd_json_string(&json, "file", live->settings.options.path);
    cd_json_end(&json);
    cd_live_queue(live, &text);
}

// Columns that are selected are kept by name.
static void keep_columns(cd_live* live, const cd_live_model* new)
{
    int count = 0;
    for (int i = 0; i < live->ncolumn; ++i) {
        const int column = cd_value_column_find(new, live->model.column[live->column[i]].name);
        if (column != CARDAN_NONE) live->column[count++] = column;
    }
    live->ncolumn = count;
}

// The data of the second model are its own.
static void close_aside(cd_live_model* aside)
{
    cardan_data* data = aside->data;
    cd_live_model_close(aside);
    cardan_data_destroy(data);
}

void cd_live_close_model(cd_live* live)
{
    cd_live_end_exact(live);
    cd_live_free_shapes(live);
    free(live->animation.start);
    live->animation = (cd_live_animation){.index = CARDAN_NONE};
    close_aside(&live->aside);
    cd_live_model_close(&live->model);
    cd_history_close(&live->history);
    cd_history_close(&live->ghost);
}

static cardan_status open_aside(cd_live_model* aside, const cd_live_model* model, cardan_report* report)
{
    cardan_data*  data;
    cardan_status status = cardan_data_create(model->model, model->formulation, &data, report);
    if (status != CARDAN_OK) return status;
    status = cd_live_model_borrow(aside, model->description, model->model, data, report);
    if (status != CARDAN_OK) cardan_data_destroy(data);
    return status;
}

static void begin_state(cd_live* live)
{
    live->marker    = CARDAN_NONE;
    live->animation = (cd_live_animation){.index = CARDAN_NONE};
    for (int i = 0; i < CD_VIEW_SLOTS; ++i) live->grab[i].active = false;
    live->ended[0] = 0;
    live->nmark    = 0;
    live->replay = live->restart_needed = live->posed = false;
    cd_live_begin_energies(live);
    cd_live_take_sample(live);
    cd_live_apply_inputs(live, true);
    cd_live_set_clock(live);
}

// Take the new model. What was before is kept by names or closed.
static cardan_status install(cd_live* live, cd_live_model* new)
{
    cd_history               history = {0}, ghost = {0};
    cd_live_model            aside  = {0};
    const cardan_model_view* v      = &new->model_view;
    const int                size   = v->nq + v->nv + v->nstate + 1;
    cardan_status            status = open_aside(&aside, new, &live->report);
    if (status == CARDAN_OK &&
        (!cd_history_open(&history, size, history_interval) || !cd_history_open(&ghost, size, history_interval)))
        status = CARDAN_NO_MEMORY;
    if (status != CARDAN_OK) {
        close_aside(&aside);
        cd_history_close(&history);
        cd_history_close(&ghost);
        return status;
    }
    if (live->model.description) {
        keep_columns(live, new);
        send_changes(live, new);
        cd_live_move_inputs(live, new);
    }
    cd_live_close_model(live);
    live->model    = *new;
    live->aside    = aside;
    live->history  = history;
    live->ghost    = ghost;
    live->scene_id = (live->scene_id + 1) & 0xFFFF;
    begin_state(live);
    watch_files(live);
    cd_live_publish(live); // poses of the scene
    cd_live_send_scene(live);
    cd_live_send_marks(live);
    live->changed = true;
    return CARDAN_OK;
}

cardan_status cd_live_reload(cd_live* live, bool keep_state)
{
    cd_live_model new;
    cardan_report_clear(&live->report);
    cd_live_end_animation(live);
    live->settings.options.load.nsetting = live->nsetting;
    live->settings.options.load.setting  = live->setting;
    live->settings.options.nrepair       = live->nrepair;
    live->settings.options.repair        = live->repair;
    cardan_status status                 = cd_live_model_open(&new, &live->settings.options, &live->report);
    if (status != CARDAN_OK) return status;
    if (keep_state && live->model.description && transfer_state(&live->model, &new, NULL) != CARDAN_OK)
        status = cardan_simulation_restart(new.simulation, live->model.t, NULL, NULL, NULL, &live->report);
    if (status == CARDAN_OK) status = install(live, &new);
    if (status != CARDAN_OK)
        cd_live_model_close(&new);
    else if (live->problem_shown)
        cd_live_send_problem(live, NULL);
    return status;
}
