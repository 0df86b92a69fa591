// SPDX-License-Identifier: BSD-3-Clause
// Report of a run as text, JSON and manifest.
#include "cli/report/run_report.h"

#include "cli/contact/contact_report.h"
#include "cli/report/manifest.h"
#include "cli/support/messages.h"
#include "cli/support/terminal_print.h"
#include "cli/report/report_values.h"
#include "cli/report/value_text.h"
#include "core/memory.h"
#include "simulation/events/event_text.h"
#include "simulation/simulation_settings.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static double tolerance_used(const cardan_run_settings* run)
{
    return run->tolerance > 0 ? run->tolerance : cardan_integrator_is_low_order(run->integrator) ? 1e-5 : 1e-8;
}

// "dopri5 1e-8" or "rk4, step 0.001 s"
static cd_value_text method_text(const cardan_run_settings* run)
{
    cd_value_text word;
    const char*   name = cardan_integrator_name(run->integrator);
    if (cardan_integrator_is_adaptive(run->integrator))
        snprintf(word.text, sizeof word.text, "%s %.12s", name, cd_five_digit_text(tolerance_used(run)).text);
    else
        snprintf(word.text, sizeof word.text, "%s, step %.4g s", name, cd_fixed_step_length(run));
    return word;
}

static void print_events(const cd_run_outcome* o)
{
    long nprinted = 0;
    for (int i = 0; i < o->nevent; ++i) {
        const cd_event_text w = cd_describe_event(o->instance->model, &o->event[i]);
        if (i >= CD_EVENTS_PRINTED_MAX && o->event[i].kind != CARDAN_EVENT_BRANCH_SWITCH) continue;
        if (*w.text) cd_print("  t = %-9.6g %s\n", o->event[i].t, w.text);
        ++nprinted;
    }
    const long more = o->summary.events - nprinted;
    if (more > 0) cd_print("  and %s more\n", cd_plural_text(more, "event", "events").text);
}

static void write_events(cd_json_writer* json, const cd_run_outcome* o)
{
    static const char* const kind[CARDAN_EVENT_JAM + 1] = {"limit",          "stop",
                                                           "singular",       "near singular",
                                                           "branch switch",  "violation limit",
                                                           "drift growth",   "corner",
                                                           "end of curve",   "impact",
                                                           "end of bounces", "touch",
                                                           "lift",           "slip",
                                                           "stick",          "jam"};
    cd_json_integer(json, "event_count", o->summary.events); // may exceed the number of listed events
    cd_json_begin_array(json, "events");
    for (int i = 0; i < o->nevent; ++i) {
        const cd_event_text w = cd_describe_event(o->instance->model, &o->event[i]);
        cd_json_begin_object(json, NULL);
        cd_json_number(json, "time", o->event[i].t);
        cd_json_string(json, "kind", kind[o->event[i].kind]);
        if (*w.text) cd_json_string(json, "text", w.text);
        cd_json_end(json);
    }
    cd_json_end(json);
}

typedef const char* name_function(const cd_columns* columns, int i);

static void write_names(cd_json_writer* json, const char* key, const cd_columns* columns, name_function* name)
{
    cd_json_begin_array(json, key);
    for (int i = 0; name(columns, i); ++i) cd_json_string(json, NULL, name(columns, i));
    cd_json_end(json);
}

// Write the names of joints, constraints and drivers whose reactions or efforts are not unique (least norm is given).
static void write_nonunique(cd_json_writer* json, const cd_run_outcome* o)
{
    if (cd_columns_has_reactions(o->columns))
        write_names(json, "reactions_not_unique", o->columns, cd_columns_nonunique_reaction);
    if (cd_columns_nonunique_driver(o->columns, 0))
        write_names(json, "drivers_not_unique", o->columns, cd_columns_nonunique_driver);
}

static char* nonunique_names(const cd_columns* columns, name_function* name)
{
    cd_text text = {0};
    for (int i = 0; name(columns, i); ++i) cd_text_format(&text, "%s%s", i > 0 ? ", " : "", name(columns, i));
    if (!name(columns, 0)) cd_text_add(&text, "none");
    if (text.failed) cd_report_no_memory();
    return cd_text_detach(&text);
}

static void print_nonunique_drivers(const cd_run_outcome* o)
{
    if (!cd_columns_nonunique_driver(o->columns, 0)) return;
    char* names = nonunique_names(o->columns, cd_columns_nonunique_driver);
    if (names) cd_print("  efforts of redundant drivers are not unique, those of least norm are given: %s\n", names);
    free(names);
}

static void print_regularized(const cardan_regularization_summary* r)
{
    if (r->windows == 0 || r->violation_per_iteration[0] == 0) return;
    cd_print("  %.3g iterations per window; largest constraint violation added by a window after each:",
             (double)r->iterations / (double)r->windows);
    for (int i = 0; i < CARDAN_WINDOW_ITERATIONS_REPORTED; ++i)
        cd_print(" %s", cd_two_digit_text(r->violation_per_iteration[i]).text);
    cd_print("\n");
    if (r->windows_over_tolerance > 0)
        cd_print("  %ld of %ld windows exceed the violation tolerance, with violations up to %s\n",
                 r->windows_over_tolerance, r->windows, cd_two_digit_text(r->max_window_violation).text);
}

static void write_regularized(cd_json_writer* json, const cardan_regularization_summary* r)
{
    if (r->windows == 0) return;
    cd_json_begin_object(json, "regularized");
    cd_json_integer(json, "windows", r->windows);
    cd_json_integer(json, "iterations", r->iterations);
    cd_json_number(json, "mobility", r->max_mobility);
    cd_json_number(json, "epsilon_stable_min", r->epsilon_stable_min);
    cd_json_integer(json, "windows_over_tolerance", r->windows_over_tolerance);
    cd_json_begin_array(json, "violation_per_iteration");
    for (int i = 0; i < CARDAN_WINDOW_ITERATIONS_REPORTED; ++i)
        cd_json_number(json, NULL, r->violation_per_iteration[i]);
    cd_json_end(json);
    cd_json_end(json);
}

void cd_run_print_summary(const cd_run_outcome* o)
{
    const cardan_run_summary* s = &o->summary;
    cd_print("%s: %g s in %s (%s, %s), %.3g s\n", o->mechanism->view.name, s->t - o->run->start,
             cd_plural_text(s->steps, "step", "steps").text, cardan_formulation_name(o->instance->formulation),
             o->is_prescribed ? "kinematics" : method_text(o->run).text, s->wall_time);
    print_events(o);
    if (s->stop_condition_met) cd_print("  ended at t = %g s by the stop condition of the file\n", s->t);
    if (s->status == CARDAN_STOPPED)
        cd_print("  interrupted at t = %g s of %g s; the files are complete up to there\n", s->t, o->run->end);
    if (o->generated) cd_generated_print_summary(o->generated, s);
    print_regularized(&s->regularization);
    cd_contact_print_summary(&s->contacts, &o->mechanism->view);
    print_nonunique_drivers(o);
    if (!o->is_prescribed) cd_print("  energy error %s ", cd_two_digit_text(s->energy_error).text);
    if (o->instance->model_view.nconstraint > 0)
        cd_print("  constraint violation %s m or rad", cd_two_digit_text(s->max_position_violation).text);
    if (o->csv_written && !o->files->stream)
        cd_print("   %s (%s)", o->files->csv, cd_plural_text(s->samples, "sample", "samples").text);
    if (o->svg_written) cd_print("   %s", o->files->svg);
    if (o->picture_written) cd_print("   %s", o->files->picture);
    cd_print("\n");
    if (o->svg_written && o->curves_omitted > 0)
        cd_print("  %s shows no curves of %s; --columns selects others\n", o->files->svg,
                 cd_plural_text(o->curves_omitted, "column", "columns").text);
}

int cd_run_print_json(const cd_run_outcome* o)
{
    const cardan_run_summary* s    = &o->summary;
    cd_text                   text = {0};
    cd_json_writer            json = cd_json_writer_to(&text);
    char                      word[CD_WORD_LENGTH];
    cd_json_begin_object(&json, NULL);
    cd_json_number(&json, "time", s->t);
    cd_json_integer(&json, "steps", s->steps);
    cd_json_string(&json, "status", cd_status_json_name(s->status, word));
    cd_json_begin_object(&json, "energy");
    cd_json_number(&json, "start", s->energy_start);
    cd_json_number(&json, "end", s->energy_end);
    if (!o->is_prescribed) cd_json_number(&json, "error", s->energy_error);
    cd_json_end(&json);
    cd_json_begin_object(&json, "constraint_violation");
    cd_json_number(&json, "position", s->max_position_violation);
    cd_json_number(&json, "velocity", s->max_velocity_violation);
    cd_json_end(&json);
    write_regularized(&json, &s->regularization);
    cd_contact_write_json(&json, &s->contacts, &o->mechanism->view);
    if (o->generated) cd_generated_write_json(&json, o->generated, s);
    cd_json_number(&json, "wall_s", s->wall_time);
    write_events(&json, o);
    write_nonunique(&json, o);
    cd_json_begin_object(&json, "final");
    cd_json_number(&json, "time", o->t);
    cardan_data_set_state(o->instance->data, o->t, o->q, o->v, o->state);
    cardan_data_joint_motions(o->instance->data, o->a, o->q, o->v, o->a);
    cd_write_joints_json(&json, o->instance, o->q, o->v, o->a, NULL);
    if (!cd_write_bodies_json(&json, o->instance, o->a)) text.failed = true;
    cd_write_states_json(&json, o->instance, o->state);
    cd_json_end(&json);
    cd_json_end(&json);
    return cd_print_and_free_text(&text);
}

enum { FACTS_MAX = 32 };

typedef struct event_entry {
    char key[CD_WORD_LENGTH], text[352];
} event_entry;

// Add the entries events.1, ...: "t = 0.708449 s: the loop of ... passes a singular configuration".
static void add_events(const cd_run_outcome* o, event_entry* name, cd_manifest* m)
{
    for (int i = 0; i < o->nevent; ++i) {
        const cd_event_text w = cd_describe_event(o->instance->model, &o->event[i]);
        snprintf(name[i].key, sizeof name[i].key, "events.%d", i + 1);
        snprintf(name[i].text, sizeof name[i].text, "t = %.9g s: %s", o->event[i].t,
                 *w.text ? w.text : "the stop condition is met");
        cd_manifest_add(m, cd_manifest_text(name[i].key, name[i].text));
    }
}

static void add_settings(const cd_run_outcome* o, cd_manifest* m)
{
    const bool adaptive = cardan_integrator_is_adaptive(o->run->integrator);
    cd_manifest_add(m, cd_manifest_text("settings.formulation", cardan_formulation_name(o->instance->formulation)));
    if (o->is_prescribed) {
        cd_manifest_add(m, cd_manifest_text("settings.analysis", "kinematics"));
    } else {
        cd_manifest_add(m, cd_manifest_text("settings.integrator", cardan_integrator_name(o->run->integrator)));
        cd_manifest_add(m, adaptive ? cd_manifest_number("settings.tolerance", tolerance_used(o->run))
                                    : cd_manifest_number("settings.step", cd_fixed_step_length(o->run)));
        if (o->instance->model_view.nconstraint > 0)
            cd_manifest_add(
                m, cd_manifest_text("settings.stabilization", cardan_stabilization_name(o->run->stabilization)));
    }
    cd_manifest_add(m, cd_manifest_number("settings.start", o->run->start));
    cd_manifest_add(m, cd_manifest_number("settings.end", o->run->end));
    cd_manifest_add(m, cd_manifest_number("settings.output_interval", o->run->output_interval));
}

cardan_status cd_run_write_manifest(const cd_run_outcome* o, cardan_report* report)
{
    const cardan_run_summary* s      = &o->summary;
    event_entry*              events = cd_allocate((size_t)o->nevent + 1, sizeof *events);
    char                      word[CD_WORD_LENGTH];
    cd_manifest               m;
    if (!events)
        return cardan_fail(report, CARDAN_NO_MEMORY, CARDAN_CODE_OUT_OF_MEMORY, cardan_location_none(),
                           "out of memory");
    cd_manifest_begin(&m, o->mechanism, FACTS_MAX + o->nevent);
    add_settings(o, &m);
    cd_manifest_add(&m, cd_manifest_text("outcome.status", cd_status_json_name(s->status, word)));
    cd_manifest_add(&m, cd_manifest_number("outcome.time", s->t));
    cd_manifest_add(&m, cd_manifest_integer("outcome.steps", s->steps));
    cd_manifest_add(&m, cd_manifest_integer("outcome.rejected", s->rejected_steps));
    cd_manifest_add(&m, cd_manifest_integer("outcome.evaluations", s->evaluations));
    cd_manifest_add(&m, cd_manifest_integer("outcome.samples", s->samples));
    cd_manifest_add(&m, cd_manifest_integer("outcome.events", s->events));
    if (!o->is_prescribed) cd_manifest_add(&m, cd_manifest_number("outcome.energy_error", s->energy_error));
    if (o->instance->model_view.nconstraint > 0) {
        cd_manifest_add(&m, cd_manifest_number("outcome.max_position_violation", s->max_position_violation));
        cd_manifest_add(&m, cd_manifest_number("outcome.max_velocity_violation", s->max_velocity_violation));
    }
    cd_manifest_add(&m, cd_manifest_number("outcome.wall_s", s->wall_time));
    if (o->generated) cd_manifest_add(&m, cd_manifest_integer("outcome.generated", s->generated_evaluations));
    char* nonunique =
        cd_columns_has_reactions(o->columns) ? nonunique_names(o->columns, cd_columns_nonunique_reaction) : NULL;
    char* drivers =
        cd_columns_nonunique_driver(o->columns, 0) ? nonunique_names(o->columns, cd_columns_nonunique_driver) : NULL;
    if (nonunique) cd_manifest_add(&m, cd_manifest_text("reactions.not_unique", nonunique));
    if (drivers) cd_manifest_add(&m, cd_manifest_text("drivers.not_unique", drivers));
    add_events(o, events, &m);
    if (cd_final_exit_code(CD_EXIT_DONE) != CD_EXIT_DONE) m.failed = true; // memory of one of the texts is exhausted
    const cardan_status status = cd_manifest_end(&m, o->files->csv, report);
    free(nonunique);
    free(drivers);
    free(events);
    return status;
}
