// SPDX-License-Identifier: BSD-3-Clause
#include "simulation/checkpoint_file.h"

#include "core/file.h"
#include "core/json.h"
#include "model/model.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { VERSION = 1, FIELDS_MAX = 64 };
static const double integer_max = 9e15; // doubles represent all smaller integers

// Numbers of the run under one key of the file.
typedef struct field {
    const char* key;
    double*     number; // (count), or NULL:
    long*       integer;
    int         count;
} field;

typedef struct field_list {
    field item[FIELDS_MAX];
    int   count;
} field_list;

static void add_numbers(field_list* list, const char* key, double* number, int count)
{
    list->item[list->count++] = (field){key, number, NULL, count};
}

static void add_integer(field_list* list, const char* key, long* integer)
{
    list->item[list->count++] = (field){key, NULL, integer, 1};
}

static void add_state(field_list* list, cd_simulation* s)
{
    cardan_data* d = s->system.data;
    add_numbers(list, "start", &s->run.start, 1);
    add_numbers(list, "t", &s->x.t, 1);
    add_numbers(list, "q", s->x.q, s->system.nq);
    add_numbers(list, "velocities_states_work", s->x.z, s->system.nz);
    add_numbers(list, "off_tree_q", d->q + d->m->nq, d->m->nq_joint - d->m->nq);
    add_numbers(list, "constraint_history", d->constraints.history,
                d->constraints.nconstraint * CD_CONSTRAINT_HISTORY_SIZE);
    add_numbers(list, "rotor_history", d->rotors.history, d->rotors.nconstraint * CD_CONSTRAINT_HISTORY_SIZE);
}

static void add_energy(field_list* list, cd_energy_monitor* e)
{
    add_numbers(list, "kinetic_max", &e->kinetic_max, 1);
    add_numbers(list, "potential_max", &e->potential_max, 1);
    add_numbers(list, "work_max", &e->work_max, 1);
    add_numbers(list, "energy_error_max", &e->error_max, 1);
    add_numbers(list, "energy_t", &e->last_t, 1);
    add_numbers(list, "energy_error", &e->last_error, 1);
    add_numbers(list, "energy_change_max", &e->change_max, 1);
    add_numbers(list, "energy_change_start", &e->change_start, 1);
    add_numbers(list, "energy_change_end", &e->change_end, 1);
}

static void add_statistics(field_list* list, cd_ode_statistics* c)
{
    add_integer(list, "evaluations", &c->evaluations);
    add_integer(list, "rejected_steps", &c->rejected_steps);
    add_integer(list, "generated_evaluations", &c->generated_evaluations);
    add_integer(list, "jacobians", &c->jacobians);
    add_integer(list, "generated_jacobians", &c->generated_jacobians);
    add_integer(list, "extra_steps", &c->extra_steps);
}

static void add_regularization(field_list* list, cardan_regularization_summary* r)
{
    add_integer(list, "windows", &r->windows);
    add_integer(list, "window_iterations", &r->iterations);
    add_integer(list, "windows_over_tolerance", &r->windows_over_tolerance);
    add_numbers(list, "max_mobility", &r->max_mobility, 1);
    add_numbers(list, "epsilon_stable_min", &r->epsilon_stable_min, 1);
    add_numbers(list, "violation_per_iteration", r->violation_per_iteration, CARDAN_WINDOW_ITERATIONS_REPORTED);
    add_numbers(list, "max_window_violation", &r->max_window_violation, 1);
    add_numbers(list, "max_window_violation_t", &r->max_window_violation_t, 1);
}

static void add_summary(field_list* list, cardan_run_summary* summary)
{
    add_integer(list, "samples", &summary->samples);
    add_integer(list, "events", &summary->events);
    add_integer(list, "steps", &summary->steps);
    add_numbers(list, "energy_start", &summary->energy_start, 1);
    add_numbers(list, "energy_end", &summary->energy_end, 1);
    add_numbers(list, "max_position_violation", &summary->max_position_violation, 1);
    add_numbers(list, "max_velocity_violation", &summary->max_velocity_violation, 1);
}

// All fields; their addresses change when the run begins anew.
static field_list fields_of(cd_simulation* s)
{
    field_list list = {0};
    add_state(&list, s);
    add_energy(&list, &s->energy);
    add_statistics(&list, &s->system.statistics);
    add_regularization(&list, &s->system.regularization.result);
    add_summary(&list, s->summary);
    return list;
}

static size_t number_count(const field_list* list)
{
    size_t count = 0;
    for (int i = 0; i < list->count; ++i) count += (size_t)list->item[i].count;
    return count;
}

static void copy_from_run(const field_list* list, double* value)
{
    for (int i = 0; i < list->count; value += list->item[i++].count)
        for (int k = 0; k < list->item[i].count; ++k)
            value[k] = list->item[i].integer ? (double)list->item[i].integer[k] : list->item[i].number[k];
}

static void copy_to_run(const field_list* list, const double* value)
{
    for (int i = 0; i < list->count; value += list->item[i++].count)
        for (int k = 0; k < list->item[i].count; ++k)
            if (list->item[i].integer)
                list->item[i].integer[k] = (long)value[k];
            else
                list->item[i].number[k] = value[k];
}

// Index of the first sample behind t.
static long first_sample_after(const cardan_run_settings* run, double t)
{
    long k = (long)fmin(fmax(floor((t - run->start) / run->output_interval) - 1, 0), integer_max);
    while (k <= cd_last_sample(run) && cd_sample_time(run, k) <= t) ++k;
    return k;
}

// Begin anew at the state in `value`, without history of integrator, solver and monitors.
static cardan_status begin_at(cd_simulation* s, const double* value)
{
    s->run.start         = value[0];
    cardan_status status = cd_look_ahead_restart(s, value[1]);
    if (status) return s->advance.status = status;
    cd_simulation_reset(s);
    const field_list list = fields_of(s);
    copy_to_run(&list, value);
    s->output.next_sample             = first_sample_after(&s->run, s->x.t);
    s->summary->t                     = s->x.t;
    s->system.data->valid.state_stale = true;
    return s->advance.status          = cd_simulation_continue(s);
}

static cardan_status fail_no_memory(cd_simulation* s)
{
    return cardan_fail(s->report, CARDAN_NO_MEMORY, CARDAN_CODE_OUT_OF_MEMORY, cardan_location_none(),
                       "out of memory for the checkpoint");
}

// ---- writing

static void write_document(const cd_simulation* s, const field_list* list, const double* value, cd_text* text)
{
    cd_json_writer json = cd_json_writer_to(text);
    cd_json_begin_object(&json, NULL);
    cd_json_integer(&json, "cardan_checkpoint", VERSION);
    cd_json_string(&json, "model", s->system.model->view.name);
    cd_json_string(&json, "formulation", s->system.data->formulation->name);
    cd_json_string(&json, "integrator", cardan_integrator_name(s->run.integrator));
    for (int i = 0; i < list->count; value += list->item[i++].count)
        cd_json_numbers(&json, list->item[i].key, list->item[i].count, value);
    cd_json_end(&json);
    cd_text_add(text, "\n");
}

cardan_status cd_checkpoint_file_write(cd_simulation* s, const char* path)
{
    const field_list list  = fields_of(s);
    double*          value = cd_allocate(number_count(&list), sizeof *value);
    cd_text          text  = {0};
    if (!value) return fail_no_memory(s);
    copy_from_run(&list, value);
    write_document(s, &list, value, &text);
    cardan_status status =
        text.failed ? fail_no_memory(s) : cd_file_write(path, text.data, text.length, true, s->report);
    const cardan_status begun = begin_at(s, value);
    free(value);
    cd_text_free(&text);
    return begun ? begun : status;
}

// ---- reading

typedef struct checkpoint_reader {
    const cd_json_document* document;
    const char*             path;
    cardan_report*          report;
} checkpoint_reader;

static cardan_location location_of(const checkpoint_reader* r, const cd_json_node* node)
{
    return node ? cd_json_location(r->document, node) : (cardan_location){.file = r->path};
}

// The file must name the same model, formulation and integrator.
static cardan_status check_name(const checkpoint_reader* r, const char* key, const char* expected)
{
    const cd_json_node* node  = cd_json_find(r->document, cd_json_root(r->document), key);
    const char*         found = node && node->kind == CD_JSON_STRING ? node->string : "";
    if (strcmp(found, expected) == 0) return CARDAN_OK;
    return cardan_fail(r->report, CARDAN_BAD_INPUT, CARDAN_CODE_CHECKPOINT_INVALID, location_of(r, node),
                       "the checkpoint is of the %s '%s', not of '%s'", key, found, expected);
}

// Read a number; null is one that is not defined. Histories are revolutions and parameters of curves.
static bool read_number(const field* f, const cd_json_node* node, double* value)
{
    *value = node->kind == CD_JSON_NULL ? NAN : node->number;
    if (f->integer) return node->kind == CD_JSON_NUMBER && *value >= 0 && *value <= integer_max;
    return node->kind == CD_JSON_NULL || (node->kind == CD_JSON_NUMBER && fabs(*value) <= cd_value_max);
}

static cardan_status read_field(const checkpoint_reader* r, const field* f, double* value)
{
    const cd_json_node* array = cd_json_find(r->document, cd_json_root(r->document), f->key);
    if (!array || array->kind != CD_JSON_ARRAY || array->count != f->count)
        return cardan_fail(r->report, CARDAN_BAD_INPUT, CARDAN_CODE_CHECKPOINT_INVALID, location_of(r, array),
                           "'%s' of the checkpoint must be an array of %d numbers, as many as the model has", f->key,
                           f->count);
    for (const cd_json_node* node = array->first; node; node = node->next)
        if (!read_number(f, node, value++))
            return cardan_fail(r->report, CARDAN_BAD_INPUT, CARDAN_CODE_CHECKPOINT_INVALID, location_of(r, node),
                               "'%s' of the checkpoint has an entry that is not a number in its range", f->key);
    return CARDAN_OK;
}

static cardan_status read_document(const checkpoint_reader* r, const cd_simulation* s, const field_list* list,
                                   double* value)
{
    const cd_json_node* version = cd_json_find(r->document, cd_json_root(r->document), "cardan_checkpoint");
    if (!version || version->kind != CD_JSON_NUMBER || version->number != VERSION)
        return cardan_fail(r->report, CARDAN_BAD_INPUT, CARDAN_CODE_CHECKPOINT_INVALID, location_of(r, version),
                           "the file is not a checkpoint of a run: 'cardan_checkpoint' must be %d", VERSION);
    cardan_status status = check_name(r, "model", s->system.model->view.name);
    if (!status) status = check_name(r, "formulation", s->system.data->formulation->name);
    if (!status) status = check_name(r, "integrator", cardan_integrator_name(s->run.integrator));
    for (int i = 0; i < list->count && !status; value += list->item[i++].count)
        status = read_field(r, &list->item[i], value);
    return status;
}

// Times and state must be finite, and inside the run. value: start, t, q, z, ...
static cardan_status check_values(const checkpoint_reader* r, const cd_simulation* s, const double* value)
{
    for (int i = 0; i < 2 + s->system.nq + s->system.nz; ++i)
        if (!isfinite(value[i]))
            return cardan_fail(r->report, CARDAN_BAD_INPUT, CARDAN_CODE_CHECKPOINT_INVALID, location_of(r, NULL),
                               "the state of the checkpoint is not finite");
    if (value[0] <= value[1] && value[1] <= s->look_ahead.t_end_given) return CARDAN_OK;
    return cardan_fail(r->report, CARDAN_BAD_INPUT, CARDAN_CODE_CHECKPOINT_INVALID, location_of(r, NULL),
                       "the checkpoint is at t = %.9g s, but the run ends at %.9g s: give a longer duration", value[1],
                       s->look_ahead.t_end_given);
}

cardan_status cd_checkpoint_file_read(cd_simulation* s, const char* path)
{
    const field_list  list     = fields_of(s);
    double*           value    = cd_allocate(number_count(&list), sizeof *value);
    char*             data     = NULL;
    size_t            length   = 0;
    cd_json_document* document = NULL;
    cardan_status     status   = value ? cd_file_read(path, &data, &length, s->report) : fail_no_memory(s);
    if (!status) status = cd_json_parse(data, length, path, &document, s->report);
    const checkpoint_reader reader = {document, path, s->report};
    if (!status) status = read_document(&reader, s, &list, value);
    if (!status) status = check_values(&reader, s, value);
    if (!status) status = begin_at(s, value);
    cd_json_destroy(document);
    free(data);
    free(value);
    return status;
}
