// SPDX-License-Identifier: BSD-3-Clause
// Table of a study: one row per case in their order, with number, varied values, collected values, status and reason.
#include "study/case_outcome.h"

#include "core/escape.h"
#include "core/json.h"
#include "core/number_locale.h"

#include <cardan/version.h>

#include <math.h>
#include <string.h>

const char* cd_study_table_unit(const cd_parameter_study* study, const cd_case_outcome* outcome, int column)
{
    for (long i = 0; i < study->ncase; ++i)
        if (cd_case_outcome_is_ok(&outcome[i]) && outcome[i].cell[column].unit && *outcome[i].cell[column].unit)
            return outcome[i].cell[column].unit;
    return "";
}

static void add_field(cd_text* text, const char* word)
{
    if (word) cd_escape_csv(text, word);
}

static void add_value(cd_text* text, double number, const char* word)
{
    if (word)
        add_field(text, word);
    else if (!isnan(number))
        cd_text_format(text, "%.17g", number);
}

void cd_study_table_write_csv(const cd_parameter_study* study, const cd_case_outcome* outcome, cd_text* text)
{
    const locale_t before = cd_locale_enter();
    cd_text_add(text, "case");
    for (int i = 0; i < study->nvariable; ++i) cd_text_add(text, ","), add_field(text, study->variable[i].name);
    for (int i = 0; i < study->ncollect; ++i) {
        const char* unit = cd_study_table_unit(study, outcome, i);
        cd_text     head = {0};
        cd_text_format(&head, *unit ? "%s [%s]" : "%s%s", study->collect[i].name, unit);
        cd_text_add(text, ",");
        add_field(text, head.data);
        text->failed |= head.failed;
        cd_text_free(&head);
    }
    cd_text_add(text, ",status,reason\n");
    for (long k = 0; k < study->ncase; ++k) {
        const cd_case_outcome* o = &outcome[k];
        cd_text_format(text, "%ld", k + 1);
        for (int i = 0; i < study->nvariable; ++i) {
            const cd_study_variable* v = &study->variable[i];
            cd_text_add(text, ",");
            add_field(text, v->text[cd_parameter_study_value_index(study, k, v)]);
        }
        for (int i = 0; i < study->ncollect; ++i) {
            cd_text_add(text, ",");
            if (cd_case_outcome_is_ok(o)) add_value(text, o->cell[i].number, o->cell[i].text);
        }
        cd_text_add(text, ",");
        add_field(text, o->is_done ? o->status : "not run");
        cd_text_add(text, ",");
        add_field(text, o->is_done ? o->reason : NULL);
        cd_text_add(text, "\n");
    }
    cd_locale_leave(before);
}

static void write_columns(cd_json_writer* json, const cd_parameter_study* study, const cd_case_outcome* outcome)
{
    cd_json_begin_array(json, "columns");
    for (int i = 0; i < study->nvariable + study->ncollect; ++i) {
        const bool varied = i < study->nvariable;
        cd_json_begin_object(json, NULL);
        cd_json_string(json, "name", varied ? study->variable[i].name : study->collect[i - study->nvariable].name);
        cd_json_string(json, "kind", varied ? "varied" : "collected");
        if (!varied) cd_json_string(json, "unit", cd_study_table_unit(study, outcome, i - study->nvariable));
        cd_json_end(json);
    }
    cd_json_end(json);
}

static void write_row(cd_json_writer* json, const cd_parameter_study* study, long k, const cd_case_outcome* o)
{
    cd_json_begin_object(json, NULL);
    cd_json_integer(json, "case", k + 1);
    for (int i = 0; i < study->nvariable; ++i) {
        const cd_study_variable* v = &study->variable[i];
        const int                n = cd_parameter_study_value_index(study, k, v);
        if (isnan(v->number[n]))
            cd_json_string(json, v->name, v->text[n]);
        else
            cd_json_number(json, v->name, v->number[n]);
    }
    for (int i = 0; i < study->ncollect; ++i) {
        const char* name = study->collect[i].name;
        if (!cd_case_outcome_is_ok(o))
            cd_json_null(json, name);
        else if (o->cell[i].text)
            cd_json_string(json, name, o->cell[i].text);
        else
            cd_json_number(json, name, o->cell[i].number);
    }
    cd_json_string(json, "status", o->is_done ? o->status : "not run");
    cd_json_string(json, "reason", o->is_done ? o->reason : NULL);
    cd_json_end(json);
}

void cd_study_table_write_json(const cd_parameter_study* study, const cd_case_outcome* outcome,
                               const cd_study_digest* digest, cd_text* text)
{
    cd_json_writer json = cd_json_writer_to(text);
    cd_json_begin_object(&json, NULL);
    cd_json_string(&json, "study", study->name);
    cd_json_string(&json, "command", study->command);
    cd_json_string(&json, "version", cardan_version());
    cd_json_string(&json, "sha256", digest->text);
    write_columns(&json, study, outcome);
    cd_json_begin_array(&json, "cases");
    for (long k = 0; k < study->ncase; ++k) write_row(&json, study, k, &outcome[k]);
    cd_json_end(&json);
    cd_json_end(&json);
}
