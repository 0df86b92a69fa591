// SPDX-License-Identifier: BSD-3-Clause
// Summary of a run.
#include "cli/run_report.h"

#include "cli/manifest.h"
#include "cli/messages.h"
#include "cli/print.h"
#include "cli/values.h"
#include "core/memory.h"
#include "motion/settings.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static double tolerance_used(const cardan_run* run)
{
    return run->tolerance > 0 ? run->tolerance : cardan_integrator_coarse(run->integrator) ? 1e-5 : 1e-8;
}

// "dopri5 1e-8" or "rk4, step 0.001 s"
static cd_word method(const cardan_run* run)
{
    cd_word     word;
    const char* name = cardan_integrator_name(run->integrator);
    if (cardan_integrator_adaptive(run->integrator))
        snprintf(word.text, sizeof word.text, "%s %.12s", name, cd_number_word(tolerance_used(run)).text);
    else
        snprintf(word.text, sizeof word.text, "%s, step %.4g s", name, cd_step_used(run));
    return word;
}

typedef struct event_words {
    char text[320];
} event_words;

// "joint 'hinge' passes its upper limit"; empty for the stop condition, which has a line of its own.
static event_words words_of(const cd_run_outcome* o, const cardan_event* e)
{
    event_words w       = {0};
    const char* turn    = e->entering ? "passes its" : "comes back from its";
    const char* side    = e->upper ? "upper" : "lower";
    const bool  several = e->several;
    if (e->kind == CARDAN_EVENT_SINGULAR)
        snprintf(w.text, sizeof w.text, "%s %s a singular pose", e->where, several ? "pass" : "passes");
    if (e->kind == CARDAN_EVENT_NEARLY_SINGULAR)
        snprintf(w.text, sizeof w.text, "%s %s close to a singular pose (%.1g), reactions are large there", e->where,
                 several ? "come" : "comes", e->value);
    if (e->kind == CARDAN_EVENT_BRANCH)
        snprintf(w.text, sizeof w.text, "%s %s into another branch", e->where, several ? "turn" : "turns");
    if (e->kind == CARDAN_EVENT_OPENING)
        snprintf(w.text, sizeof w.text,
                 "%s: gaps of %.2g m or rad, and growing from step to step: the step is too long", e->where, e->value);
    if (e->kind == CARDAN_EVENT_GAP)
        snprintf(w.text, sizeof w.text, "%s: a window leaves a gap of %.2g, more than was asked for", e->where,
                 e->value);
    if (e->kind == CARDAN_EVENT_CORNER)
        snprintf(w.text, sizeof w.text, "%s: velocities jump, %.4g J %s", e->where, fabs(e->value),
                 e->value < 0 ? "are put in" : "are lost");
    if (e->kind == CARDAN_EVENT_CURVE_END)
        snprintf(w.text, sizeof w.text, "%s%s", e->where, e->entering ? ", and goes on straight" : "");
    if (e->kind != CARDAN_EVENT_LIMIT) return w;
    const char* name = cardan_model_joint_name(o->c->model, e->joint);
    if (o->c->look.slot[e->joint].nq > 1)
        snprintf(w.text, sizeof w.text, "joint '%s', coordinate %d, %s %s limit", name, e->coordinate + 1, turn, side);
    else
        snprintf(w.text, sizeof w.text, "joint '%s' %s %s limit", name, turn, side);
    return w;
}

static void print_events(const cd_run_outcome* o)
{
    long told = 0;
    for (int i = 0; i < o->nevent; ++i) {
        const event_words w = words_of(o, &o->event[i]);
        if (i >= CD_EVENTS_PRINTED && o->event[i].kind != CARDAN_EVENT_BRANCH) continue;
        if (*w.text) cd_print("  t = %-9.6g %s\n", o->event[i].t, w.text);
        ++told;
    }
    const long more = o->summary.events - told;
    if (more > 0) cd_print("  and %s more\n", cd_plural(more, "event", "events").text);
}

static void write_events(cd_json* json, const cd_run_outcome* o)
{
    static const char* const kind[CARDAN_EVENT_CURVE_END + 1] = {
        "limit", "stop", "singular", "nearly singular", "branch", "gap", "opening", "corner", "end of curve"};
    cd_json_integer(json, "event_count", o->summary.events); // more than are listed where there are very many
    cd_json_array(json, "events");
    for (int i = 0; i < o->nevent; ++i) {
        const event_words w = words_of(o, &o->event[i]);
        cd_json_object(json, NULL);
        cd_json_number(json, "time", o->event[i].t);
        cd_json_string(json, "kind", kind[o->event[i].kind]);
        if (*w.text) cd_json_string(json, "text", w.text);
        cd_json_end(json);
    }
    cd_json_end(json);
}

typedef const char* name_function(const cd_columns* columns, int i);

static void write_names(cd_json* json, const char* key, const cd_columns* columns, name_function* name)
{
    cd_json_array(json, key);
    for (int i = 0; name(columns, i); ++i) cd_json_string(json, NULL, name(columns, i));
    cd_json_end(json);
}

// Joints, constraints and drivers whose reactions and efforts are those of least norm among many.
static void write_loose(cd_json* json, const cd_run_outcome* o)
{
    if (cd_columns_react(o->columns)) write_names(json, "reactions_not_unique", o->columns, cd_columns_loose);
    if (cd_columns_loose_driver(o->columns, 0))
        write_names(json, "drivers_not_unique", o->columns, cd_columns_loose_driver);
}

static char* loose_words(const cd_columns* columns, name_function* name)
{
    cd_text text = {0};
    for (int i = 0; name(columns, i); ++i) cd_text_format(&text, "%s%s", i > 0 ? ", " : "", name(columns, i));
    if (!name(columns, 0)) cd_text_add(&text, "none");
    if (text.failed) cd_say_no_memory();
    return cd_text_take(&text);
}

static void print_loose_drivers(const cd_run_outcome* o)
{
    if (!cd_columns_loose_driver(o->columns, 0)) return;
    char* names = loose_words(o->columns, cd_columns_loose_driver);
    if (names)
        cd_print("  efforts of drivers that repeat others are not unique, those of least norm are told: %s\n", names);
    free(names);
}

static void print_regularized(const cardan_regularized* r)
{
    if (r->windows == 0 || r->left[0] == 0) return;
    cd_print("  %.3g iterations per window; largest gap that a window adds after each:",
             (double)r->iterations / (double)r->windows);
    for (int i = 0; i < CARDAN_ITERATIONS; ++i) cd_print(" %s", cd_small_word(r->left[i]).text);
    cd_print("\n");
    if (r->missed > 0)
        cd_print("  %ld of %ld windows leave more than the gap that was asked for, up to %s\n", r->missed, r->windows,
                 cd_small_word(r->missed_gap).text);
}

static void write_regularized(cd_json* json, const cardan_regularized* r)
{
    if (r->windows == 0) return;
    cd_json_object(json, "regularized");
    cd_json_integer(json, "windows", r->windows);
    cd_json_integer(json, "iterations", r->iterations);
    cd_json_number(json, "mobility", r->mobility);
    cd_json_number(json, "least_epsilon", r->least);
    cd_json_integer(json, "windows_missed", r->missed);
    cd_json_array(json, "gap_by_iteration");
    for (int i = 0; i < CARDAN_ITERATIONS; ++i) cd_json_number(json, NULL, r->left[i]);
    cd_json_end(json);
    cd_json_end(json);
}

void cd_run_words(const cd_run_outcome* o)
{
    const cardan_summary* s = &o->summary;
    cd_print("%s: %g s in %s (%s, %s), %.3g s\n", o->mechanism->view.name, s->t - o->run->start,
             cd_plural(s->steps, "step", "steps").text, cardan_formulation_name(o->c->formulation),
             o->prescribed ? "kinematics" : method(o->run).text, s->wall);
    print_events(o);
    if (s->stop_met) cd_print("  ended at t = %g s, where the stop condition of the file was met\n", s->t);
    if (s->status == CARDAN_STOPPED)
        cd_print("  interrupted at t = %g s of %g s; the files are complete up to there\n", s->t, o->run->end);
    if (o->generated) cd_generated_words(o->generated, s);
    print_regularized(&s->regularized);
    print_loose_drivers(o);
    if (!o->prescribed) cd_print("  energy drift %s ", cd_small_word(s->energy_drift).text);
    if (o->c->look.nconstraint > 0) cd_print("  closure %s m or rad", cd_small_word(s->closure_position).text);
    if (o->csv_written && !o->files->stream)
        cd_print("   %s (%s)", o->files->csv, cd_plural(s->rows, "row", "rows").text);
    if (o->svg_written) cd_print("   %s", o->files->svg);
    if (o->picture_written) cd_print("   %s", o->files->picture);
    cd_print("\n");
}

int cd_run_json(const cd_run_outcome* o)
{
    const cardan_summary* s    = &o->summary;
    cd_text               text = {0};
    cd_json               json = cd_json_to(&text);
    char                  word[CD_WORD_LENGTH];
    cd_json_object(&json, NULL);
    cd_json_number(&json, "time", s->t);
    cd_json_integer(&json, "steps", s->steps);
    cd_json_string(&json, "status", cd_status_word(s->status, word));
    cd_json_object(&json, "energy");
    cd_json_number(&json, "start", s->energy_start);
    cd_json_number(&json, "end", s->energy_end);
    if (!o->prescribed) cd_json_number(&json, "drift", s->energy_drift);
    cd_json_end(&json);
    cd_json_object(&json, "constraint");
    cd_json_number(&json, "position", s->closure_position);
    cd_json_number(&json, "velocity", s->closure_velocity);
    cd_json_end(&json);
    write_regularized(&json, &s->regularized);
    if (o->generated) cd_generated_json(&json, o->generated, s);
    cd_json_number(&json, "wall_s", s->wall);
    write_events(&json, o);
    write_loose(&json, o);
    cd_json_object(&json, "final");
    cd_json_number(&json, "time", o->t);
    cardan_data_set(o->c->data, o->t, o->q, o->v, o->state);
    cardan_joint_values(o->c->data, o->a, o->q, o->v, o->a);
    cd_json_joints(&json, o->c, o->q, o->v, o->a, NULL);
    if (!cd_json_bodies(&json, o->c, o->a)) text.failed = true;
    cd_json_states(&json, o->c, o->state);
    cd_json_end(&json);
    cd_json_end(&json);
    return cd_print_text(&text);
}

enum { FACTS_MOST = 32 };

typedef struct cd_event_fact {
    char key[CD_WORD_LENGTH], text[352];
} cd_event_fact;

// events.1: "t = 0.708449 s: the loop of ... passes a singular pose"
static void add_events(const cd_run_outcome* o, cd_event_fact* name, cd_manifest* m)
{
    for (int i = 0; i < o->nevent; ++i) {
        const event_words w = words_of(o, &o->event[i]);
        snprintf(name[i].key, sizeof name[i].key, "events.%d", i + 1);
        snprintf(name[i].text, sizeof name[i].text, "t = %.9g s: %s", o->event[i].t,
                 *w.text ? w.text : "the stop condition is met");
        cd_manifest_add(m, cd_fact_text(name[i].key, name[i].text));
    }
}

static void add_settings(const cd_run_outcome* o, cd_manifest* m)
{
    const bool adaptive = cardan_integrator_adaptive(o->run->integrator);
    cd_manifest_add(m, cd_fact_text("settings.formulation", cardan_formulation_name(o->c->formulation)));
    if (o->prescribed) {
        cd_manifest_add(m, cd_fact_text("settings.analysis", "kinematics"));
    } else {
        cd_manifest_add(m, cd_fact_text("settings.integrator", cardan_integrator_name(o->run->integrator)));
        cd_manifest_add(m, adaptive ? cd_fact_number("settings.tolerance", tolerance_used(o->run))
                                    : cd_fact_number("settings.step", cd_step_used(o->run)));
        if (o->c->look.nconstraint > 0)
            cd_manifest_add(m,
                            cd_fact_text("settings.stabilization", cardan_stabilization_name(o->run->stabilization)));
    }
    cd_manifest_add(m, cd_fact_number("settings.start", o->run->start));
    cd_manifest_add(m, cd_fact_number("settings.end", o->run->end));
    cd_manifest_add(m, cd_fact_number("settings.interval", o->run->output));
}

cardan_status cd_run_manifest(const cd_run_outcome* o, cardan_report* report)
{
    const cardan_summary* s      = &o->summary;
    cd_event_fact*        events = cd_allocate((size_t)o->nevent + 1, sizeof *events);
    char                  word[CD_WORD_LENGTH];
    cd_manifest           m;
    if (!events)
        return cardan_fail(report, CARDAN_NO_MEMORY, CARDAN_CODE_OUT_OF_MEMORY, cardan_nowhere(),
                           "no memory for the manifest");
    cd_manifest_begin(&m, o->mechanism, FACTS_MOST + o->nevent);
    add_settings(o, &m);
    cd_manifest_add(&m, cd_fact_text("outcome.status", cd_status_word(s->status, word)));
    cd_manifest_add(&m, cd_fact_number("outcome.time", s->t));
    cd_manifest_add(&m, cd_fact_integer("outcome.steps", s->steps));
    cd_manifest_add(&m, cd_fact_integer("outcome.rejected", s->rejected));
    cd_manifest_add(&m, cd_fact_integer("outcome.evaluations", s->evaluations));
    cd_manifest_add(&m, cd_fact_integer("outcome.rows", s->rows));
    cd_manifest_add(&m, cd_fact_integer("outcome.events", s->events));
    if (!o->prescribed) cd_manifest_add(&m, cd_fact_number("outcome.energy_drift", s->energy_drift));
    if (o->c->look.nconstraint > 0) {
        cd_manifest_add(&m, cd_fact_number("outcome.closure_position", s->closure_position));
        cd_manifest_add(&m, cd_fact_number("outcome.closure_velocity", s->closure_velocity));
    }
    cd_manifest_add(&m, cd_fact_number("outcome.wall_s", s->wall));
    if (o->generated) cd_manifest_add(&m, cd_fact_integer("outcome.generated", s->generated));
    char* loose   = cd_columns_react(o->columns) ? loose_words(o->columns, cd_columns_loose) : NULL;
    char* drivers = cd_columns_loose_driver(o->columns, 0) ? loose_words(o->columns, cd_columns_loose_driver) : NULL;
    if (loose) cd_manifest_add(&m, cd_fact_text("reactions.not_unique", loose));
    if (drivers) cd_manifest_add(&m, cd_fact_text("drivers.not_unique", drivers));
    add_events(o, events, &m);
    if (cd_end_code(CD_EXIT_DONE) != CD_EXIT_DONE) m.failed = true; // no memory for one of these
    const cardan_status status = cd_manifest_end(&m, o->files->csv, report);
    free(loose);
    free(drivers);
    free(events);
    return status;
}
