// SPDX-License-Identifier: BSD-3-Clause
// Report of `cardan optimize`: text summary, JSON, and manifest of the results.
#include "cli/report/manifest.h"
#include "cli/support/messages.h"
#include "cli/report/ocp_output.h"
#include "cli/support/terminal_print.h"
#include "cli/report/report_values.h"
#include "cli/report/value_text.h"
#include "io/format.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

void cd_ocp_write_sizes_json(const cardan_ocp_view* v, cd_json_writer* json)
{
    cd_json_string(json, "form", v->dynamics_form);
    cd_json_string(json, "transcription", v->transcription);
    cd_json_string(json, "layout", v->layout);
    cd_json_integer(json, "intervals", v->intervals);
    cd_json_integer(json, "degree", v->degree);
    cd_json_integer(json, "unknowns", v->nunknown);
    cd_json_integer(json, "constraints", v->nconstraint);
    cd_json_integer(json, "jacobian_nonzeros", v->jacobian_nonzeros);
    cd_json_integer(json, "hessian_nonzeros", v->hessian_nonzeros);
}

void cd_ocp_print_sizes(const cardan_ocp_view* v)
{
    cd_print("%s, %s, %s layout: %d unknowns, %d constraints, %d entries in the Jacobian, %d in the Hessian\n",
             v->dynamics_form, v->transcription, v->layout, v->nunknown, v->nconstraint, v->jacobian_nonzeros,
             v->hessian_nonzeros);
}

static void print_minima(const cd_multistart* s)
{
    char word[CD_WORD_LENGTH], cost[32];
    if (s->count <= 1) return;
    cd_print("  starts       %d guesses with seed %d, results:\n", s->count, s->seed);
    cd_print("    %-18s %6s  %-16s %s\n", "cost", "starts", "status", "first start");
    for (int i = 0; i < s->nminimum; ++i) {
        const cd_local_minimum* m = &s->minimum[i];
        snprintf(cost, sizeof cost, "%.10g", m->objective);
        cd_print("    %-18s %6d  %-16s %d", m->status == CARDAN_OK ? cost : "none", m->count,
                 cd_status_json_name(m->status, word), m->first);
        if (cd_local_minimum_is_selected(s, i)) cd_print(" (selected: start %d)", s->selected);
        cd_print("\n");
    }
}

void cd_ocp_print_summary(const cd_ocp_outcome* o)
{
    const cardan_ocp_view*              v = &o->view;
    const cardan_ocp_violation_summary* w = &o->violations;
    if (o->status == CARDAN_OK)
        cd_print("%s: cost %.10g after %d iterations%s\n", cardan_task_name(o->task), v->objective, v->iterations,
                 v->warm_started ? " from a previous solution" : "");
    else
        cd_print("%s: no optimum; the best motion found has cost %.10g after %d iterations\n",
                 cardan_task_name(o->task), v->objective, v->iterations);
    print_minima(&o->multistart);
    cd_print("  horizon      %g s in %s\n", v->horizon, cd_plural_text(v->intervals, "interval", "intervals").text);
    cd_print("  violation    %s in the dynamics, %s in conditions, %s in bounds\n", cd_two_digit_text(w->dynamics).text,
             cd_two_digit_text(w->conditions).text, cd_two_digit_text(w->bounds).text);
    cd_print("  time         %.2f s of CPU time: %.2f s in %s functions and derivatives, %.2f s in the solver\n  ",
             v->cpu_time, v->cpu_time_functions, v->is_compiled ? "compiled" : "interpreted",
             v->cpu_time - v->cpu_time_functions);
    cd_ocp_print_sizes(v);
    if (v->max_violation > 0) cd_print("  loops        constraint violation %.1e along the motion\n", v->max_violation);
    if (o->simulation_status == CARDAN_OK)
        cd_print("  simulated    final error with the same controls: %.2e in q, %.2e in v\n", o->q_error, o->v_error);
    if (o->files.csv) cd_print("  written      %s   %s   %s\n", o->files.csv, o->files.svg, o->files.picture);
}

static void add_minima(const cd_multistart* s, cd_json_writer* json)
{
    char word[CD_WORD_LENGTH];
    if (s->count <= 1) return;
    cd_json_begin_object(json, "starts");
    cd_json_integer(json, "count", s->count);
    cd_json_integer(json, "seed", s->seed);
    cd_json_integer(json, "kept", s->selected);
    cd_json_begin_array(json, "minima");
    for (int i = 0; i < s->nminimum; ++i) {
        const cd_local_minimum* m = &s->minimum[i];
        cd_json_begin_object(json, NULL);
        cd_json_number(json, "cost", m->objective);
        cd_json_integer(json, "starts", m->count);
        cd_json_string(json, "status", cd_status_json_name(m->status, word));
        cd_json_integer(json, "first", m->first);
        cd_json_boolean(json, "kept", cd_local_minimum_is_selected(s, i));
        cd_json_end(json);
    }
    cd_json_end(json);
    cd_json_end(json);
}

// Add state, accelerations and efforts at the last sample.
static void add_final_state(const cd_ocp_outcome* o, cd_json_writer* json)
{
    cardan_report     ignored = {0};
    cd_model_instance c;
    if (o->view.nsample > 0 && cd_report_if_no_memory(cd_ocp_instance_open(o, &c, &ignored)) == CARDAN_OK) {
        const size_t  last = (size_t)o->view.nsample - 1, nq = (size_t)c.model_view.nq, nv = (size_t)c.model_view.nv;
        const double *q = o->view.q + last * nq, *v = o->view.v + last * nv, *a = o->view.a + last * nv,
                     *effort = o->view.effort + last * nv;
        cardan_data_set_external_forces(c.data, effort, NULL);
        if (cardan_data_set_state(c.data, o->view.t[last], q, v, o->view.state + last * (size_t)c.model_view.nstate) ==
            CARDAN_OK) {
            cd_json_begin_object(json, "final");
            cd_json_number(json, "time", o->view.t[last]);
            cd_write_joints_json(json, &c, q, v, a, effort);
            cd_json_end(json);
        }
        cd_ocp_instance_close(&c);
    }
}

static void add_files(const cd_ocp_outcome* o, cd_json_writer* json)
{
    if (!o->files.csv) return;
    cd_json_begin_object(json, "files");
    cd_json_string(json, "results", o->files.csv);
    if (o->files.svg) cd_json_string(json, "curves", o->files.svg);
    if (o->files.picture) cd_json_string(json, "mechanism", o->files.picture);
    cd_json_end(json);
}

int cd_ocp_print_json(const cd_ocp_outcome* o)
{
    const cardan_ocp_view* v    = &o->view;
    cd_text                text = {0};
    cd_json_writer         json = cd_json_writer_to(&text);
    char                   word[CD_WORD_LENGTH];
    cd_json_begin_object(&json, NULL);
    cd_json_string(&json, "task", cardan_task_name(o->task));
    cd_json_string(&json, "status", cd_status_json_name(o->status, word));
    cd_ocp_write_sizes_json(v, &json);
    cd_json_integer(&json, "iterations", v->iterations);
    cd_json_number(&json, "cost", v->objective);
    cd_json_number(&json, "horizon", v->horizon);
    cd_json_number(&json, "violation", v->violation);
    cd_json_begin_object(&json, "violations");
    cd_json_number(&json, "dynamics", o->violations.dynamics);
    cd_json_number(&json, "conditions", o->violations.conditions);
    cd_json_number(&json, "bounds", o->violations.bounds);
    cd_json_end(&json);
    cd_json_number(&json, "seconds", v->cpu_time);
    cd_json_number(&json, "seconds_functions", v->cpu_time_functions);
    cd_json_boolean(&json, "compiled", v->is_compiled);
    cd_json_boolean(&json, "warm_started", v->warm_started);
    if (v->max_violation > 0) cd_json_number(&json, "loop_violation", v->max_violation);
    cd_json_number(&json, "seconds_other", v->cpu_time - v->cpu_time_functions);
    cd_json_number(&json, "seconds_per_iteration", v->iterations > 0 ? v->cpu_time / v->iterations : v->cpu_time);
    if (o->simulation_status == CARDAN_OK) {
        cd_json_number(&json, "simulated_q_error", o->q_error);
        cd_json_number(&json, "simulated_v_error", o->v_error);
    }
    add_minima(&o->multistart, &json);
    add_final_state(o, &json);
    add_files(o, &json);
    cd_json_end(&json);
    cd_mark_report_printed();
    return cd_print_and_free_text(&text);
}

enum { FACTS_MAX = 24 };

cardan_status cd_ocp_write_manifest(const cd_ocp_outcome* o, cardan_report* report)
{
    const cardan_ocp_view* v = &o->view;
    const cardan_model*    m = cardan_task_model(o->task);
    char                   word[CD_WORD_LENGTH], digest[65];
    cd_manifest            f;
    char*                  file = cd_find_model_file(cardan_task_model_path(o->task));
    cd_manifest_begin_of(&f, o->options, "task", cardan_task_name(o->task), o->options->operand[0], FACTS_MAX);
    cd_manifest_add(&f, cd_manifest_text("model.name", cardan_description_get_view(cardan_model_description(m)).name));
    cd_manifest_add(&f, cd_manifest_text("model.file", file));
    const cardan_status hashed = file ? cd_file_content_hash(file, digest, NULL) : CARDAN_NO_MEMORY;
    cd_manifest_add(&f, cd_manifest_text("model.sha256", hashed == CARDAN_OK ? digest : NULL));
    f.failed = f.failed || hashed == CARDAN_NO_MEMORY;
    cd_manifest_add(&f, cd_manifest_text("settings.form", v->dynamics_form));
    cd_manifest_add(&f, cd_manifest_text("settings.transcription", v->transcription));
    cd_manifest_add(&f, cd_manifest_text("settings.layout", v->layout));
    cd_manifest_add(&f, cd_manifest_integer("settings.intervals", v->intervals));
    cd_manifest_add(&f, cd_manifest_integer("settings.degree", v->degree));
    if (o->multistart.count > 1) {
        cd_manifest_add(&f, cd_manifest_integer("settings.starts", o->multistart.count));
        cd_manifest_add(&f, cd_manifest_integer("settings.seed", o->multistart.seed));
        cd_manifest_add(&f, cd_manifest_integer("outcome.start", o->multistart.selected));
    }
    cd_manifest_add(&f, cd_manifest_text("outcome.status", cd_status_json_name(o->status, word)));
    cd_manifest_add(&f, cd_manifest_number("outcome.cost", v->objective));
    cd_manifest_add(&f, cd_manifest_number("outcome.horizon", v->horizon));
    cd_manifest_add(&f, cd_manifest_integer("outcome.iterations", v->iterations));
    cd_manifest_add(&f, cd_manifest_number("outcome.violation", v->violation));
    cd_manifest_add(&f, cd_manifest_number("outcome.simulated_q_error",
                                           o->simulation_status == CARDAN_OK ? o->q_error : (double)NAN));
    cd_manifest_add(&f, cd_manifest_number("outcome.simulated_v_error",
                                           o->simulation_status == CARDAN_OK ? o->v_error : (double)NAN));
    cd_manifest_add(&f, cd_manifest_integer("outcome.samples", v->nsample));
    cd_manifest_add(&f, cd_manifest_number("outcome.wall_s", v->cpu_time));
    const cardan_status status = cd_manifest_end(&f, o->files.csv, report);
    free(file);
    return status;
}
