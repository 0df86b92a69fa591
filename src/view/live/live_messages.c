// SPDX-License-Identifier: BSD-3-Clause
// Texts of the live simulation for the clients: status, problems, events, history.
#include "view/live/live_state.h"

#include "core/json.h"
#include "core/memory.h"

#include <cardan/interact.h>
#include <cardan/version.h>
#include <ctype.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const double late_ratio = 0.8; // of the rate to the speed below which a simulation is late

void cd_live_queue(cd_live* live, cd_text* text)
{
    char* s = cd_text_detach(text);
    pthread_mutex_lock(&live->lock);
    if (s && live->ntext < CD_LIVE_TEXTS) {
        live->text[(live->first_text + live->ntext++) % CD_LIVE_TEXTS] = s;
        s                                                              = NULL;
    }
    pthread_mutex_unlock(&live->lock);
    free(s);
    live->settings.notify(live->settings.user);
}

static cd_json_writer begin(cd_text* text, const char* type)
{
    cd_json_writer json = cd_json_writer_to(text);
    cd_json_begin_object(&json, NULL);
    cd_json_string(&json, "type", type);
    return json;
}

static void finish(cd_live* live, cd_json_writer* json)
{
    cd_json_end(json);
    cd_live_queue(live, json->text);
}

static void write_vector(cd_json_writer* json, const char* key, const double p[3], const double origin[3])
{
    cd_json_numbers(json, key, 3, (const double[3]){p[0] - origin[0], p[1] - origin[1], p[2] - origin[2]});
}

static void write_grabs(const cd_live* live, cd_json_writer* json)
{
    static const double zero[3] = {0, 0, 0};
    cd_json_begin_array(json, "grabs");
    for (int i = 0; i < CD_VIEW_SLOTS; ++i) {
        const cd_live_grab* g    = &live->grab[i];
        double              f[3] = {0};
        if (!g->active) continue;
        cardan_data_grab_force(live->model.data, i, f, NULL);
        cd_json_begin_object(json, NULL);
        cd_json_integer(json, "slot", i);
        cd_json_integer(json, "body", g->at.body);
        write_vector(json, "point", g->at.point, zero);
        write_vector(json, "target", g->at.target, live->model.centre);
        cd_json_number(json, "force", sqrt(f[0] * f[0] + f[1] * f[1] + f[2] * f[2]));
        cd_json_end(json);
    }
    cd_json_end(json);
}

static void write_drives(const cd_live* live, cd_json_writer* json)
{
    static const char* const mode[] = {
        [CD_VIEW_VALUE] = "value", [CD_VIEW_RATE] = "rate", [CD_VIEW_FORMULA] = "formula"};
    cd_json_begin_array(json, "drives");
    for (int i = 0; i < live->drives.count; ++i) {
        const cd_live_input* input = &live->drives.item[i];
        cd_json_begin_object(json, NULL);
        cd_json_integer(json, "joint", input->joint);
        cd_json_integer(json, "axis", input->axis);
        cd_json_string(json, "mode", mode[input->input]);
        cd_json_number(json, "value", input->value);
        cd_json_string(json, "formula", input->formula ? input->text : NULL);
        cd_json_end(json);
    }
    cd_json_end(json);
}

static void write_animation(const cd_live* live, cd_json_writer* json)
{
    if (live->animation.index == CARDAN_NONE) {
        cd_json_null(json, "animation");
        return;
    }
    cd_json_begin_object(json, "animation");
    cd_json_string(json, "kind", live->animation.is_mode ? "mode" : "motion");
    cd_json_integer(json, "index", live->animation.index);
    cd_json_end(json);
}

// Why the simulation is slower than it should be, or null.
static void write_late(const cd_live* live, cd_json_writer* json)
{
    const cd_live_model* m    = &live->model;
    cd_text              text = {0};
    if (live->playing && !live->replay && live->rate > 0 && live->rate < late_ratio * live->speed)
        cd_text_format(&text,
                       "%.2g x real time: a step of %s with %s takes longer than the motion in it; a longer step, "
                       "semi-implicit-euler or another formulation may be faster",
                       live->rate, cardan_integrator_name(m->integrator), cardan_formulation_name(m->formulation));
    cd_json_string(json, "late", text.data);
    cd_text_free(&text);
}

static void write_status(const cd_live* live, cd_json_writer* json)
{
    const cd_live_model* m      = &live->model;
    const double         to     = cd_history_end(&live->history, m->t);
    const double         kept[] = {cd_history_begin(&live->history, m->t), fmax(to, live->restart_needed ? to : m->t)};
    cd_json_number(json, "t", m->t);
    cd_json_boolean(json, "playing", live->playing);
    cd_json_number(json, "speed", live->speed);
    cd_json_number(json, "rate", live->rate);
    cd_json_string(json, "integrator", cardan_integrator_name(m->integrator));
    cd_json_number(json, "step", m->step);
    cd_json_string(json, "formulation", cardan_formulation_name(m->formulation));
    cd_json_number(json, "energy_error", live->energy_error);
    cd_json_number(json, "position_violation", live->violation[0]);
    cd_json_number(json, "velocity_violation", live->violation[1]);
    cd_json_numbers(json, "history", 2, kept);
    cd_json_boolean(json, "live", !live->restart_needed || live->posed);
    cd_json_boolean(json, "replay", live->replay);
    cd_json_boolean(json, "ghost", live->ghost.count > 0);
    cd_json_integer(json, "frames", live->frame_number);
    cd_json_string(json, "ended", live->ended[0] ? live->ended : NULL);
    write_late(live, json);
    write_grabs(live, json);
    write_drives(live, json);
    write_animation(live, json);
}

void cd_live_send_status(cd_live* live)
{
    cd_text        text = {0};
    cd_json_writer json = begin(&text, "status");
    write_status(live, &json);
    cd_json_end(&json);
    char* copy = cd_copy_string(text.data);
    pthread_mutex_lock(&live->lock);
    free(live->status);
    live->status = copy;
    pthread_mutex_unlock(&live->lock);
    cd_live_queue(live, &text);
}

static const char* code_name(cardan_code code, char word[48])
{
    snprintf(word, 48, "%s", cardan_code_name(code));
    for (char* c = word; *c; ++c) *c = (char)tolower((unsigned char)*c);
    return word;
}

static void write_message(cd_json_writer* json, const cardan_message* message)
{
    static const char* const severity[] = {"note", "warning", "error"};
    const cardan_location    at         = cardan_message_location(message);
    char                     word[48];
    cd_json_begin_object(json, NULL);
    cd_json_string(json, "severity", severity[message->severity]);
    cd_json_string(json, "code", code_name(message->code, word));
    cd_json_string(json, "text", cardan_message_sentence(message));
    cd_json_string(json, "file", at.file);
    cd_json_integer(json, "line", at.line);
    cd_json_integer(json, "column", at.column);
    cd_json_end(json);
}

void cd_live_send_problem(cd_live* live, const cardan_report* report)
{
    cd_text        text = {0};
    cd_json_writer json = begin(&text, "problem");
    cd_json_begin_array(&json, "messages");
    for (int i = 0; report && i < report->count; ++i) write_message(&json, &report->message[i]);
    cd_json_end(&json);
    live->problem_shown = report != NULL;
    finish(live, &json);
}

void cd_live_send_limit(cd_live* live, int body, const cd_pose_result* result, cardan_status status)
{
    cd_text        text = {0}, sentence = {0};
    cd_json_writer json  = begin(&text, "limit");
    const int      joint = result->limit_joint;
    int            at    = body;
    if (status != CARDAN_OK) {
        cd_text_format(&sentence, "the mechanism cannot be moved from this configuration: %s",
                       cardan_status_text(status));
    } else if (joint != CARDAN_NONE) {
        cd_text_format(&sentence, "joint %s is at its limit; %.3g m or rad are left",
                       cardan_model_joint_name(live->model.model, joint), result->error);
        at = live->model.view.joint[joint].second_body;
    } else {
        cd_text_format(&sentence,
                       "the end of the workspace: the constraints let no point come nearer; %.3g m or rad are left",
                       result->error);
    }
    cd_json_string(&json, "text", sentence.data);
    cd_json_begin_array(&json, "bodies");
    if (at >= 0) cd_json_integer(&json, NULL, at);
    cd_json_end(&json);
    cd_text_free(&sentence);
    finish(live, &json);
}

void cd_live_send_columns(cd_live* live)
{
    cd_text        text = {0};
    cd_json_writer json = begin(&text, "columns");
    cd_json_begin_array(&json, "names");
    for (int i = 0; i < live->ncolumn; ++i) cd_json_string(&json, NULL, live->model.column[live->column[i]].name);
    cd_json_end(&json);
    cd_json_begin_array(&json, "units");
    for (int i = 0; i < live->ncolumn; ++i) cd_json_string(&json, NULL, live->model.column[live->column[i]].unit);
    cd_json_end(&json);
    finish(live, &json);
}

// Values of the selected columns at a past state, with the second data: those of the simulation stay as they are.
static void values_at(cd_live* live, const double* entry, double* value)
{
    cd_live_model*           m = &live->aside;
    const cardan_model_view* v = &m->model_view;
    cardan_data_set_state(m->data, entry[0], entry + 1, entry + 1 + v->nq, entry + 1 + v->nq + v->nv);
    cd_live_model_update(m);
    const cardan_energies e         = cardan_data_energy(m->data);
    const double          energy[3] = {e.kinetic, e.potential, e.kinetic + e.potential};
    for (int i = 0; i < live->ncolumn; ++i) value[i] = cd_value_column_value(m, live->column[i], energy);
}

void cd_live_send_history(cd_live* live, const cd_view_message* message)
{
    const cd_history* h     = &live->history;
    const int         first = cd_history_find(h, message->value[0]), last = cd_history_find(h, message->value[1]);
    const int         n     = first < 0 || last < first ? 0 : last - first + 1;
    const int         count = n < message->count ? n : message->count, k = live->ncolumn;
    double*           table = cd_allocate((size_t)(count + 1) * (size_t)(k + 1), sizeof *table);
    if (!table) return;
    double* value = table + (size_t)count * (size_t)(k + 1); // one row: columns
    for (int i = 0; i < count; ++i) {
        const double* entry = cd_history_at(h, first + (count > 1 ? (int)((long)i * (n - 1) / (count - 1)) : 0));
        table[i]            = entry[0];
        values_at(live, entry, value);
        for (int c = 0; c < k; ++c) table[(c + 1) * count + i] = value[c];
    }
    cd_text        text = {0};
    cd_json_writer json = begin(&text, "history");
    cd_json_numbers(&json, "t", count, table);
    cd_json_begin_array(&json, "values");
    for (int c = 0; c < k; ++c) cd_json_numbers(&json, NULL, count, table + (c + 1) * count);
    cd_json_end(&json);
    free(table);
    finish(live, &json);
}

static char* hello(const cd_live* live)
{
    cd_text        text = {0};
    cd_json_writer json = cd_json_writer_to(&text);
    cd_json_begin_object(&json, NULL);
    cd_json_string(&json, "type", "hello");
    cd_json_integer(&json, "protocol", 1);
    cd_json_string(&json, "version", cardan_version());
    cd_json_string(&json, "model", live->model.view.name);
    cd_json_string(&json, "file", live->settings.options.path);
    cd_json_begin_array(&json, "integrators");
    for (int i = 0; i < cardan_integrator_count(); ++i)
        if (!cardan_integrator_missing_part(i)) cd_json_string(&json, NULL, cardan_integrator_name(i));
    cd_json_end(&json);
    cd_json_begin_array(&json, "formulations");
    for (int i = 0; i < cardan_formulation_count(); ++i) cd_json_string(&json, NULL, cardan_formulation_name(i));
    cd_json_end(&json);
    cd_json_end(&json);
    return cd_text_detach(&text);
}

bool cd_live_send_scene(cd_live* live)
{
    cd_text text = {0};
    if (cd_view_scene(&live->model, live->scene_id, &text, NULL) != CARDAN_OK) return cd_text_free(&text), false;
    char *copy = cd_copy_string(text.data), *first = hello(live);
    pthread_mutex_lock(&live->lock);
    free(live->hello);
    free(live->scene);
    live->hello   = first;
    live->scene   = copy;
    live->nbody   = live->model.view.nbody;
    live->njoint  = live->model.view.njoint;
    live->nmarker = live->model.view.nmarker;
    pthread_mutex_unlock(&live->lock);
    cd_live_queue(live, &text);
    return copy != NULL;
}
