// SPDX-License-Identifier: BSD-3-Clause
// A plan that is over: told in words, as JSON, and in the manifest beside its results.
#include "cli/manifest.h"
#include "cli/messages.h"
#include "cli/plan_output.h"
#include "cli/print.h"
#include "cli/values.h"
#include "io/format.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

void cd_plan_sizes(const cardan_plan_view* v, cd_json* json)
{
    cd_json_string(json, "form", v->form);
    cd_json_string(json, "transcription", v->transcription);
    cd_json_string(json, "layout", v->layout);
    cd_json_integer(json, "intervals", v->intervals);
    cd_json_integer(json, "degree", v->degree);
    cd_json_integer(json, "unknowns", v->unknowns);
    cd_json_integer(json, "rows", v->rows);
    cd_json_integer(json, "jacobian_nonzeros", v->jacobian);
    cd_json_integer(json, "hessian_nonzeros", v->hessian);
}

void cd_plan_sizes_words(const cardan_plan_view* v)
{
    cd_print("%s, %s, %s layout: %d unknowns, %d rows, %d entries in the Jacobian, %d in the Hessian\n", v->form,
             v->transcription, v->layout, v->unknowns, v->rows, v->jacobian, v->hessian);
}

static void print_minima(const cd_starts* s)
{
    char word[CD_WORD_LENGTH], cost[32];
    if (s->count <= 1) return;
    cd_print("  starts       %d guesses with seed %d ended at\n", s->count, s->seed);
    cd_print("    %-18s %6s  %-16s %s\n", "cost", "starts", "status", "first start");
    for (int i = 0; i < s->nminimum; ++i) {
        const cd_minimum* m = &s->minimum[i];
        snprintf(cost, sizeof cost, "%.10g", m->objective);
        cd_print("    %-18s %6d  %-16s %d", m->status == CARDAN_OK ? cost : "none", m->count,
                 cd_status_word(m->status, word), m->first);
        if (cd_minimum_is_kept(s, i)) cd_print(" (kept: start %d)", s->kept);
        cd_print("\n");
    }
}

void cd_plan_words(const cd_plan_outcome* o)
{
    const cardan_plan_view*  v = &o->view;
    const cardan_violations* w = &o->violations;
    if (o->status == CARDAN_OK)
        cd_print("%s: cost %.10g after %d iterations%s\n", cardan_task_name(o->task), v->objective, v->iterations,
                 v->warm ? " from a solution" : "");
    else
        cd_print("%s: no optimum; the best motion seen has cost %.10g after %d iterations\n", cardan_task_name(o->task),
                 v->objective, v->iterations);
    print_minima(&o->starts);
    cd_print("  horizon      %g s in %s\n", v->horizon, cd_plural(v->intervals, "interval", "intervals").text);
    cd_print("  violation    %s in the dynamics, %s in conditions, %s in bounds\n", cd_small_word(w->dynamics).text,
             cd_small_word(w->conditions).text, cd_small_word(w->bounds).text);
    cd_print("  time         %.2f s of the processor: %.2f s in %s functions and derivatives, %.2f s in the rest\n  ",
             v->seconds, v->seconds_functions, v->compiled ? "compiled" : "interpreted",
             v->seconds - v->seconds_functions);
    cd_plan_sizes_words(v);
    if (v->gap > 0) cd_print("  loops        closed to %.1e along the motion\n", v->gap);
    if (o->checked == CARDAN_OK)
        cd_print("  simulated    the same controls end %.2e off in q, %.2e in v\n", o->q_off, o->v_off);
    if (o->files.csv) cd_print("  written      %s   %s   %s\n", o->files.csv, o->files.svg, o->files.picture);
}

static void add_minima(const cd_starts* s, cd_json* json)
{
    char word[CD_WORD_LENGTH];
    if (s->count <= 1) return;
    cd_json_object(json, "starts");
    cd_json_integer(json, "count", s->count);
    cd_json_integer(json, "seed", s->seed);
    cd_json_integer(json, "kept", s->kept);
    cd_json_array(json, "minima");
    for (int i = 0; i < s->nminimum; ++i) {
        const cd_minimum* m = &s->minimum[i];
        cd_json_object(json, NULL);
        cd_json_number(json, "cost", m->objective);
        cd_json_integer(json, "starts", m->count);
        cd_json_string(json, "status", cd_status_word(m->status, word));
        cd_json_integer(json, "first", m->first);
        cd_json_boolean(json, "kept", cd_minimum_is_kept(s, i));
        cd_json_end(json);
    }
    cd_json_end(json);
    cd_json_end(json);
}

// State, accelerations and efforts at the last row.
static void add_end(const cd_plan_outcome* o, cd_json* json)
{
    cardan_report silent = {0};
    cd_case       c;
    if (o->view.nrow > 0 && cd_heed_memory(cd_plan_case_open(o, &c, &silent)) == CARDAN_OK) {
        const size_t  last = (size_t)o->view.nrow - 1, nq = (size_t)c.look.nq, nv = (size_t)c.look.nv;
        const double *q = o->view.q + last * nq, *v = o->view.v + last * nv, *a = o->view.a + last * nv,
                     *effort = o->view.effort + last * nv;
        cardan_data_load(c.data, effort, NULL);
        if (cardan_data_set(c.data, o->view.t[last], q, v, o->view.state + last * (size_t)c.look.nstate) == CARDAN_OK) {
            cd_json_object(json, "final");
            cd_json_number(json, "time", o->view.t[last]);
            cd_json_joints(json, &c, q, v, a, effort);
            cd_json_end(json);
        }
        cd_plan_case_close(&c);
    }
}

static void add_files(const cd_plan_outcome* o, cd_json* json)
{
    if (!o->files.csv) return;
    cd_json_object(json, "files");
    cd_json_string(json, "results", o->files.csv);
    if (o->files.svg) cd_json_string(json, "curves", o->files.svg);
    if (o->files.picture) cd_json_string(json, "mechanism", o->files.picture);
    cd_json_end(json);
}

int cd_plan_json(const cd_plan_outcome* o)
{
    const cardan_plan_view* v    = &o->view;
    cd_text                 text = {0};
    cd_json                 json = cd_json_to(&text);
    char                    word[CD_WORD_LENGTH];
    cd_json_object(&json, NULL);
    cd_json_string(&json, "task", cardan_task_name(o->task));
    cd_json_string(&json, "status", cd_status_word(o->status, word));
    cd_plan_sizes(v, &json);
    cd_json_integer(&json, "iterations", v->iterations);
    cd_json_number(&json, "cost", v->objective);
    cd_json_number(&json, "horizon", v->horizon);
    cd_json_number(&json, "violation", v->violation);
    cd_json_object(&json, "violations");
    cd_json_number(&json, "dynamics", o->violations.dynamics);
    cd_json_number(&json, "conditions", o->violations.conditions);
    cd_json_number(&json, "bounds", o->violations.bounds);
    cd_json_end(&json);
    cd_json_number(&json, "seconds", v->seconds);
    cd_json_number(&json, "seconds_functions", v->seconds_functions);
    cd_json_boolean(&json, "compiled", v->compiled);
    cd_json_boolean(&json, "warm", v->warm);
    if (v->gap > 0) cd_json_number(&json, "loop_gap", v->gap);
    cd_json_number(&json, "seconds_rest", v->seconds - v->seconds_functions);
    cd_json_number(&json, "seconds_per_iteration", v->iterations > 0 ? v->seconds / v->iterations : v->seconds);
    if (o->checked == CARDAN_OK) {
        cd_json_number(&json, "simulated_q_off", o->q_off);
        cd_json_number(&json, "simulated_v_off", o->v_off);
    }
    add_minima(&o->starts, &json);
    add_end(o, &json);
    add_files(o, &json);
    cd_json_end(&json);
    cd_say_reported();
    return cd_print_text(&text);
}

enum { FACTS_MOST = 24 };

cardan_status cd_plan_manifest(const cd_plan_outcome* o, cardan_report* report)
{
    const cardan_plan_view* v = &o->view;
    const cardan_model*     m = cardan_task_model(o->task);
    char                    word[CD_WORD_LENGTH], digest[65];
    cd_manifest             f;
    char*                   file = cd_model_path(cardan_task_model_path(o->task));
    cd_manifest_begin_of(&f, o->options, "task", cardan_task_name(o->task), o->options->operand[0], FACTS_MOST);
    cd_manifest_add(&f, cd_fact_text("model.name", cardan_description_view(cardan_model_description(m)).name));
    cd_manifest_add(&f, cd_fact_text("model.file", file));
    const cardan_status hashed = file ? cd_content_hash(file, digest, NULL) : CARDAN_NO_MEMORY;
    cd_manifest_add(&f, cd_fact_text("model.sha256", hashed == CARDAN_OK ? digest : NULL));
    f.failed = f.failed || hashed == CARDAN_NO_MEMORY;
    cd_manifest_add(&f, cd_fact_text("settings.form", v->form));
    cd_manifest_add(&f, cd_fact_text("settings.transcription", v->transcription));
    cd_manifest_add(&f, cd_fact_text("settings.layout", v->layout));
    cd_manifest_add(&f, cd_fact_integer("settings.intervals", v->intervals));
    cd_manifest_add(&f, cd_fact_integer("settings.degree", v->degree));
    if (o->starts.count > 1) {
        cd_manifest_add(&f, cd_fact_integer("settings.starts", o->starts.count));
        cd_manifest_add(&f, cd_fact_integer("settings.seed", o->starts.seed));
        cd_manifest_add(&f, cd_fact_integer("outcome.start", o->starts.kept));
    }
    cd_manifest_add(&f, cd_fact_text("outcome.status", cd_status_word(o->status, word)));
    cd_manifest_add(&f, cd_fact_number("outcome.cost", v->objective));
    cd_manifest_add(&f, cd_fact_number("outcome.horizon", v->horizon));
    cd_manifest_add(&f, cd_fact_integer("outcome.iterations", v->iterations));
    cd_manifest_add(&f, cd_fact_number("outcome.violation", v->violation));
    cd_manifest_add(&f, cd_fact_number("outcome.simulated_q_off", o->checked == CARDAN_OK ? o->q_off : (double)NAN));
    cd_manifest_add(&f, cd_fact_number("outcome.simulated_v_off", o->checked == CARDAN_OK ? o->v_off : (double)NAN));
    cd_manifest_add(&f, cd_fact_integer("outcome.rows", v->nrow));
    cd_manifest_add(&f, cd_fact_number("outcome.wall_s", v->seconds));
    const cardan_status status = cd_manifest_end(&f, o->files.csv, report);
    free(file);
    return status;
}
