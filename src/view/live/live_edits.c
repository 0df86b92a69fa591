// SPDX-License-Identifier: BSD-3-Clause
// Changes that the page makes in memory: values of parameters, points, types of joints. They are settings as those of the
// option --set; the lines of the files that have to be changed to keep them are sent to the page.
#include "view/live/live_state.h"

#include "core/json.h"
#include "core/text.h"
#include "view/live/file_line.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void free_setting(const cardan_parameter_setting* setting)
{
    free((char*)(size_t)setting->name);
    free((char*)(size_t)setting->value);
}

void cd_live_free_settings(cd_live* live, int from)
{
    for (int i = from; i < live->nsetting; ++i)
        if (live->owned[i]) free_setting(&live->setting[i]);
    if (live->nsetting > from) live->nsetting = from;
}

// ---- lines of files

typedef struct edited_line {
    cardan_location at;
    const char*     key; // that the value follows
} edited_line;

// Where the value of a setting stands.
static bool locate(const cardan_description_view* v, const char* name, edited_line* line)
{
    for (int i = 0; i < v->nparameter; ++i)
        if (strcmp(v->parameter[i].name, name) == 0)
            return *line = (edited_line){v->parameter[i].location, v->parameter[i].name}, true;
    for (int i = 0; strncmp(name, "points.", 7) == 0 && i < v->npoint; ++i)
        if (strcmp(v->point[i].name, name + 7) == 0)
            return *line = (edited_line){v->point[i].location, v->point[i].name}, true;
    return false;
}

static void write_file_line(cd_json_writer* json, const char* file, cd_file_line* text)
{
    cd_json_begin_object(json, NULL);
    cd_json_string(json, "file", file);
    cd_json_integer(json, "line", text->line);
    cd_json_string(json, "before", text->before);
    cd_json_string(json, "after", text->after);
    cd_json_end(json);
    cd_file_line_free(text);
}

static void write_line(cd_live* live, cd_json_writer* json, const cardan_parameter_setting* setting)
{
    edited_line  line;
    cd_file_line text;
    if (!locate(&live->model.view, setting->name, &line) || !line.at.file) return;
    if (cd_file_line_replace(line.at.file, line.at.line, line.key, setting->value, &text))
        write_file_line(json, line.at.file, &text);
}

// The type of a joint is a key of its entry. Types that were repaired before are found under the type in the file.
static void write_repair(cd_live* live, cd_json_writer* json, const cd_joint_repair* repair)
{
    static const char* const types[] = {"revolute", "prismatic", "screw", "universal", "cylindrical"};
    const int                joint   = cardan_description_find_joint(live->model.description, repair->joint);
    const cardan_location    at      = joint < 0 ? cardan_location_none() : live->model.view.joint[joint].location;
    for (size_t i = 0; at.file && i < sizeof types / sizeof *types; ++i) {
        cd_file_line text;
        if (!cd_file_line_rename(at.file, at.line, types[i], repair->type, &text)) continue;
        write_file_line(json, at.file, &text);
        return;
    }
}

static void send_lines(cd_live* live)
{
    cd_text        text = {0};
    cd_json_writer json = cd_json_writer_to(&text);
    cd_json_begin_object(&json, NULL);
    cd_json_string(&json, "type", "lines");
    cd_json_begin_array(&json, "lines");
    for (int i = 0; i < live->nsetting; ++i)
        if (live->owned[i]) write_line(live, &json, &live->setting[i]);
    for (int i = 0; i < live->nrepair; ++i) write_repair(live, &json, &live->repair[i]);
    cd_json_end(&json);
    cd_json_begin_array(&json, "settings");
    for (int i = 0; i < live->nsetting; ++i) {
        cd_text setting = {0};
        if (live->owned[i]) cd_text_format(&setting, "%s=%s", live->setting[i].name, live->setting[i].value);
        if (setting.data) cd_json_string(&json, NULL, setting.data);
        cd_text_free(&setting);
    }
    cd_json_end(&json);
    cd_json_end(&json);
    cd_live_queue(live, &text);
}

// ---- settings

// Add a setting or replace one. Returns false if there is no room or memory.
static bool set(cd_live* live, const char* name, const char* value)
{
    int i = 0;
    while (i < live->nsetting && strcmp(live->setting[i].name, name) != 0) ++i;
    if (i == CD_LIVE_SETTINGS_MAX) return false;
    cardan_parameter_setting new = {cd_copy_string(name), cd_copy_string(value)};
    if (!new.name || !new.value) return free_setting(&new), false;
    if (i < live->nsetting && live->owned[i]) free_setting(&live->setting[i]);
    live->setting[i] = new;
    live->owned[i]   = true;
    if (i == live->nsetting) ++live->nsetting;
    return true;
}

// Settings before a change, to go back to if the model cannot be loaded with it.
typedef struct kept_settings {
    int                      count, nrepair;
    cd_joint_repair          repair[CD_LIVE_REPAIRS_MAX];
    cardan_parameter_setting setting[CD_LIVE_SETTINGS_MAX];
    bool                     owned[CD_LIVE_SETTINGS_MAX];
} kept_settings;

static bool keep(const cd_live* live, kept_settings* kept)
{
    kept->count   = live->nsetting;
    kept->nrepair = live->nrepair;
    memcpy(kept->repair, live->repair, sizeof kept->repair);
    for (int i = 0; i < live->nsetting; ++i) {
        kept->owned[i]   = live->owned[i];
        kept->setting[i] = live->setting[i];
        if (!live->owned[i]) continue;
        kept->setting[i].name  = cd_copy_string(live->setting[i].name);
        kept->setting[i].value = cd_copy_string(live->setting[i].value);
        if (!kept->setting[i].name || !kept->setting[i].value) return false;
    }
    return true;
}

static void restore(cd_live* live, kept_settings* kept)
{
    cd_live_free_settings(live, 0);
    memcpy(live->setting, kept->setting, sizeof kept->setting);
    memcpy(live->owned, kept->owned, sizeof kept->owned);
    memcpy(live->repair, kept->repair, sizeof kept->repair);
    live->nrepair  = kept->nrepair;
    live->nsetting = kept->count;
    kept->count    = 0;
}

static void free_kept(kept_settings* kept)
{
    for (int i = 0; i < kept->count; ++i)
        if (kept->owned[i]) free_setting(&kept->setting[i]);
    free(kept);
}

// Load the model with changed settings; go back if that fails.
static void load(cd_live* live, bool changed, kept_settings* kept)
{
    const cardan_status status = changed ? cd_live_reload(live, true) : CARDAN_NO_MEMORY;
    if (status == CARDAN_OK) {
        send_lines(live);
    } else {
        if (live->report.count == 0)
            cardan_fail(&live->report, status, CARDAN_CODE_STATUS_ONLY, cardan_location_none(), "%s",
                        cardan_status_text(status));
        cd_live_send_problem(live, &live->report);
        restore(live, kept);
    }
    free_kept(kept);
}

static kept_settings* begin_change(cd_live* live)
{
    kept_settings* kept = calloc(1, sizeof *kept);
    cardan_report_clear(&live->report);
    if (!kept || keep(live, kept)) return kept;
    free_kept(kept);
    return NULL;
}

static void change(cd_live* live, const char* name, const char* value)
{
    kept_settings* kept = begin_change(live);
    if (kept) load(live, set(live, name, value), kept);
}

void cd_live_set_parameter(cd_live* live, const char* name, double value)
{
    char text[32];
    snprintf(text, sizeof text, "%.17g", value);
    change(live, name, text);
}

void cd_live_set_point(cd_live* live, const char* name, const double position[3])
{
    cd_text path = {0}, value = {0};
    cd_text_format(&path, "points.%s", name);
    cd_text_add(&value, "[");
    for (int i = 0; i < 3; ++i) {
        if (i > 0) cd_text_add(&value, ", ");
        cd_text_number(&value, position[i]);
    }
    cd_text_add(&value, "]");
    if (!path.failed && !value.failed) change(live, path.data, value.data);
    cd_text_free(&path);
    cd_text_free(&value);
}

void cd_live_revert(cd_live* live)
{
    kept_settings* kept = begin_change(live);
    if (!kept) return;
    int count = 0;
    for (int i = 0; i < live->nsetting; ++i) {
        if (live->owned[i])
            free_setting(&live->setting[i]);
        else
            live->setting[count++] = live->setting[i];
    }
    live->nsetting = count;
    live->nrepair  = 0;
    memset(live->owned, 0, CD_LIVE_SETTINGS_MAX * sizeof *live->owned);
    load(live, true, kept);
}

// Add the changes of a suggestion. Returns false if there is none, or no room.
static bool add_repairs(cd_live* live, const cardan_loop* loop)
{
    if (live->nrepair + loop->nchange > CD_LIVE_REPAIRS_MAX) return false;
    for (int i = 0; i < loop->nchange; ++i) {
        cd_joint_repair* repair = &live->repair[live->nrepair++];
        snprintf(repair->joint, sizeof repair->joint, "%s", live->model.view.joint[loop->change[i].joint].name);
        snprintf(repair->type, sizeof repair->type, "%s", loop->change[i].type);
    }
    return loop->nchange > 0;
}

void cd_live_repair(cd_live* live, int loop)
{
    kept_settings* kept = begin_change(live);
    if (!kept) return;
    cardan_diagnosis* d    = cd_live_find_loops(live);
    const bool        good = d && loop < d->nloop && add_repairs(live, &d->loop[loop]);
    cardan_diagnosis_destroy(d);
    if (!good)
        cardan_fail(&live->report, CARDAN_UNSUPPORTED, CARDAN_CODE_STATUS_ONLY, cardan_location_none(),
                    "there is no repair of loop %d that changes only types of joints", loop + 1);
    load(live, good, kept);
}
