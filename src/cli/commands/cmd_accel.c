// SPDX-License-Identifier: BSD-3-Clause
// cardan accel: accelerations and reactions at one state, by one formulation or all.
#include "cli/commands/commands.h"
#include "cli/cli_tolerances.h"
#include "cli/report/text_table.h"
#include "cli/support/messages.h"
#include "cli/support/terminal_print.h"
#include "cli/report/reaction_list.h"
#include "cli/support/singular_warnings.h"
#include "cli/report/report_values.h"
#include "cli/report/value_text.h"
#include "core/memory.h"
#include "dynamics/rows/curve_domain.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

// Solution by one formulation; errors are in the report of the mechanism.
typedef struct solution {
    cd_model_instance instance;
    cardan_status     status;
    double            residual;
} solution;

static solution solve(cd_loaded_model* mechanism, int formulation, cardan_report* warnings)
{
    solution s = {.residual = NAN};
    s.status   = cd_model_instance_open(&s.instance, mechanism, formulation);
    if (s.status != CARDAN_OK) return s;
    if (warnings) cd_warn_singular_configuration(&s.instance, true, &mechanism->report, warnings);
    if (warnings) cd_warn_beyond_curve_end(s.instance.data, NULL, warnings);
    s.status = cardan_data_accelerate(s.instance.data, s.instance.a, NULL, &mechanism->report);
    if (s.status == CARDAN_OK) s.residual = cardan_data_residual_norm(s.instance.data, s.instance.a);
    if (s.status == CARDAN_OK)
        cardan_data_joint_motions(s.instance.data, s.instance.a, s.instance.q, s.instance.v, s.instance.a);
    return s;
}

static bool write_json(cd_json_writer* json, const solution* s, int formulation)
{
    char       word[CD_WORD_LENGTH];
    bool       good  = true;
    const bool known = s->status == CARDAN_OK;
    cd_json_begin_object(json, NULL);
    cd_json_string(json, "formulation", cardan_formulation_name(formulation));
    cd_json_string(json, "status", cd_status_json_name(s->status, word));
    cd_json_number(json, "residual", s->residual);
    if (known) {
        cd_write_joints_json(json, &s->instance, s->instance.q, s->instance.v, s->instance.a, NULL);
        good = cd_write_bodies_json(json, &s->instance, s->instance.a) &&
               cd_write_reactions_json(json, &s->instance, s->instance.a) && cd_write_drivers_json(json, &s->instance);
    } else {
        static const char* const part[] = {"joints", "bodies", "reactions"};
        for (int i = 0; i < 3; ++i) {
            cd_json_begin_object(json, part[i]);
            cd_json_end(json);
        }
    }
    cd_json_end(json);
    return good;
}

static void print_joints(const cd_model_instance* c)
{
    cd_text_table                 table   = {.align = "lrrrl"};
    static const char* const      head[]  = {"joint", "q", "v", "a", ""};
    const cardan_description_view view    = cardan_description_get_view(cardan_model_description(c->model));
    const double                  q_scale = cd_largest_value(c->model_view.nq_joint, c->q, 1);
    const double                  v_scale = cd_largest_value(c->model_view.nv_joint, c->v, 1);
    const double a_scale = cd_largest_value(c->model_view.nv_joint, c->a, cd_largest_value(3, view.gravity, 1));
    for (int i = 0; i < 5; ++i) cd_text_table_add(&table, "%s", head[i]);
    for (int j = 0; j < c->model_view.njoint; ++j) {
        const cardan_index_range s = c->model_view.joint_range[j];
        for (int i = 0; s.q >= 0 && i < s.nq; ++i) {
            const bool moves = i < s.nv;
            cd_text_table_add(&table, "%s", i == 0 ? cardan_model_joint_name(c->model, j) : "");
            cd_text_table_add(&table, "%s", cd_rounded_text(c->q[s.q + i], q_scale).text);
            cd_text_table_add(&table, "%s", moves ? cd_rounded_text(c->v[s.v + i], v_scale).text : "");
            cd_text_table_add(&table, "%s", moves ? cd_rounded_text(c->a[s.v + i], a_scale).text : "");
            const char* unit = cardan_model_q_unit(c->model, j, i);
            if (moves)
                cd_text_table_add(&table, "%s, %s, %s^2", unit, cardan_model_v_unit(c->model, j, i),
                                  cardan_model_v_unit(c->model, j, i));
            else
                cd_text_table_add(&table, "%s", unit);
        }
    }
    cd_text_table_print(&table);
}

static void print_bodies(const cd_model_instance* c)
{
    const cardan_description_view view = cardan_description_get_view(cardan_model_description(c->model));
    cardan_motion*                body = cd_allocate((size_t)view.nbody + 1, sizeof *body);
    if (!body) cd_report_no_memory();
    if (!body) return;
    cardan_data_body_motions(c->data, c->a, body);
    cd_text_table            table  = {.align = "lllll"};
    static const char* const head[] = {"body", "mass centre [m]", "velocity [m/s]", "acceleration [m/s^2]",
                                       "angular acceleration [rad/s^2]"};
    for (int i = 0; i < 5; ++i) cd_text_table_add(&table, "%s", head[i]);
    double p = 1, v = 1, a = cd_largest_value(3, view.gravity, 1), alpha = a;
    for (int i = 0; i < view.nbody; ++i) {
        p     = cd_largest_value(3, body[i].p, p);
        v     = cd_largest_value(3, body[i].v, v);
        a     = cd_largest_value(3, body[i].a, a);
        alpha = cd_largest_value(3, body[i].alpha, alpha);
    }
    for (int i = 0; i < view.nbody; ++i) {
        cd_text_table_add(&table, "%s", view.body[i].name);
        cd_text_table_add(&table, "%s", cd_vector_text(3, body[i].p, p).text);
        cd_text_table_add(&table, "%s", cd_vector_text(3, body[i].v, v).text);
        cd_text_table_add(&table, "%s", cd_vector_text(3, body[i].a, a).text);
        cd_text_table_add(&table, "%s", cd_vector_text(3, body[i].alpha, alpha).text);
    }
    cd_print("\n");
    cd_text_table_print(&table);
    free(body);
}

// `scale`: the largest force [N] of all reactions.
static void add_reaction(cd_text_table* table, const cd_reaction_entry* one, double scale)
{
    cd_text_table_add(table, "%s", one->name);
    cd_text_table_add(table, "%s", cd_vector_text(3, one->wrench->force, scale).text);
    cd_text_table_add(table, "%s%s", cd_vector_text(3, one->wrench->torque, scale).text,
                      one->wrench->unique ? "" : "  (not unique)");
}

// Print the efforts of transmissions along their coordinates.
static void print_transmissions(const cd_model_instance* c, const cd_reaction_list* r)
{
    cd_text_table            table  = {.align = "llrl"};
    static const char* const head[] = {"transmission", "coordinate", "effort", ""};
    if (r->ntransmission == 0) return;
    for (int i = 0; i < 4; ++i) cd_text_table_add(&table, "%s", head[i]);
    for (int i = 0; i < r->ntransmission; ++i)
        for (int k = 0; k < r->transmission[i].n; ++k) {
            const cardan_transmission* t = &r->transmission[i];
            cd_text_table_add(&table, "%s", k == 0 ? t->name : "");
            cd_text_table_add(&table, "%s", cd_coordinate_text(c, t, k).text);
            cd_text_table_add(&table, "%s", cd_five_digit_text(t->effort[k]).text);
            cd_text_table_add(&table, "%s%s", t->unit[k], t->unique ? "" : "  (not unique)");
        }
    cd_print("\n");
    cd_text_table_print(&table);
}

// Print the wrenches: of joints on their second body, of constraints between markers on the body of the first marker.
static void print_reactions(const cd_model_instance* c)
{
    cd_reaction_list r;
    if (!cd_reaction_list_open(&r, c)) {
        cd_report_no_memory();
        return;
    }
    if (r.count > 0 && cd_reaction_list_update(&r, c->data, c->a)) {
        cd_text_table table = {.align = "lll"};
        cd_text_table_add(&table, "reaction");
        cd_text_table_add(&table, "force [N]");
        cd_text_table_add(&table, "torque [N m]");
        double scale = 0;
        for (int i = 0; i < r.nwrench; ++i) scale = cd_largest_value(3, r.wrench[i].force, scale);
        for (int i = 0; i < r.nwrench; ++i) add_reaction(&table, &r.entry[i], scale);
        cd_print("\n");
        cd_text_table_print(&table);
        print_transmissions(c, &r);
    }
    cd_reaction_list_close(&r);
}

static void print_drivers(const cd_model_instance* c)
{
    if (cardan_data_driver_count(c->data) == 0) return;
    cd_print("\n");
    cd_print_driver_efforts(c);
}

// Print a summary: results of the first solution, of further ones only the residual.
static void print_summary(const cd_loaded_model* mechanism, const solution* s, int formulation, bool full)
{
    char word[CD_WORD_LENGTH];
    if (s->status != CARDAN_OK && s->instance.data)
        cd_print("%s at t = %g s by %s: not solved, %s\n", mechanism->view.name, s->instance.t,
                 cardan_formulation_name(formulation), cd_status_json_name(s->status, word));
    if (s->status != CARDAN_OK) return; // reported as an error or a note
    cd_print("%s at t = %g s by %s: relative residual %s\n", mechanism->view.name, s->instance.t,
             cardan_formulation_name(formulation), cd_two_digit_text(s->residual).text);
    if (!full) return;
    print_joints(&s->instance);
    print_bodies(&s->instance);
    print_reactions(&s->instance);
    print_drivers(&s->instance);
    cd_print("\n");
}

// Comparison of the formulations solved so far.
typedef struct agreement_check {
    int            nbody;
    cardan_motion *reference, *body;      // motions by the first exact formulation, and by the current one
    int            reference_formulation; // first exact formulation, or CARDAN_NONE
    int            nsolved;               // formulations that solved, exact or not
    int            nfailed;
    cardan_report* failure; // messages of the formulations that failed
    cardan_status* status;
} agreement_check;

static bool agreement_begin(agreement_check* x, const cd_loaded_model* mechanism, int count)
{
    *x           = (agreement_check){.nbody = mechanism->view.nbody, .reference_formulation = CARDAN_NONE};
    x->reference = cd_allocate((size_t)x->nbody + 1, sizeof *x->reference);
    x->body      = cd_allocate((size_t)x->nbody + 1, sizeof *x->body);
    x->failure   = cd_allocate((size_t)count, sizeof *x->failure);
    x->status    = cd_allocate((size_t)count, sizeof *x->status);
    return x->reference && x->body && x->failure && x->status;
}

static void agreement_end(agreement_check* x) { free(x->reference), free(x->body), free(x->failure), free(x->status); }

static double relative_difference(const agreement_check* x)
{
    double difference = 0, scale = 1;
    for (int b = 0; b < x->nbody; ++b)
        for (int i = 0; i < 3; ++i) {
            difference = fmax(difference, fmax(fabs(x->body[b].a[i] - x->reference[b].a[i]),
                                               fabs(x->body[b].alpha[i] - x->reference[b].alpha[i])));
            scale      = fmax(scale, fmax(fabs(x->reference[b].a[i]), fabs(x->reference[b].alpha[i])));
        }
    return difference / scale;
}

// Compare an exact formulation with the first exact one. Prints an error and returns false if the accelerations differ.
static bool agreement_test(agreement_check* x, const solution* s, int formulation)
{
    if (s->status != CARDAN_OK || !cardan_formulation_is_exact(formulation)) return true;
    cardan_data_body_motions(s->instance.data, s->instance.a,
                             x->reference_formulation == CARDAN_NONE ? x->reference : x->body);
    if (x->reference_formulation == CARDAN_NONE) x->reference_formulation = formulation;
    if (x->reference_formulation == formulation || relative_difference(x) <= cd_agreement_tolerance) return true;
    cd_report_error(CARDAN_CODE_FORMULATIONS_DISAGREE, "accelerations by '%s' and by '%s' differ by %.2g",
                    cardan_formulation_name(formulation), cardan_formulation_name(x->reference_formulation),
                    relative_difference(x));
    return false;
}

// Report the formulations that failed: as notes if another exact formulation solved the equations, else as errors.
static int report_failures(agreement_check* x)
{
    int code = CD_EXIT_DONE;
    for (int i = 0; i < x->nfailed; ++i) {
        if (x->reference_formulation != CARDAN_NONE) {
            cd_print_report_as_notes(&x->failure[i]);
            continue;
        }
        if (i > 0 && x->status[i] == CARDAN_SINGULAR && x->status[i - 1] == CARDAN_SINGULAR)
            continue; // repeats the error of the previous formulation
        const int failure_code = cd_report_failure(&x->failure[i], x->status[i]);
        if (code == CD_EXIT_DONE) code = failure_code;
    }
    return code == CD_EXIT_DONE && x->nsolved == 0 ? CD_EXIT_INPUT : code;
}

static int solve_each(cd_loaded_model* mechanism, int first, int last, agreement_check* x, cd_json_writer* json,
                      cardan_report* warnings)
{
    const bool as_json   = mechanism->options->json;
    bool       diagnosed = false;
    int        code      = CD_EXIT_DONE;
    for (int f = first; f <= last; ++f) {
        solution s = solve(mechanism, f, diagnosed ? NULL : warnings);
        if (s.status == CARDAN_NO_MEMORY) {
            cd_model_instance_close(&s.instance);
            return cd_report_failure(&mechanism->report, s.status);
        }
        diagnosed = diagnosed || s.instance.data;
        if (s.status == CARDAN_BAD_INPUT)
            return cd_report_failure(&mechanism->report, s.status); // the input is invalid for all formulations
        if (as_json && !write_json(json, &s, f)) json->text->failed = true;
        if (!as_json && !mechanism->options->quiet && (first != last || s.status == CARDAN_OK))
            print_summary(mechanism, &s, f, x->nsolved == 0);
        if (!agreement_test(x, &s, f)) code = CD_EXIT_NUMERICAL;
        x->nsolved += s.status == CARDAN_OK;
        if (s.status == CARDAN_UNSUPPORTED && first != last)
            cd_print_report_as_notes(&mechanism->report);
        else if (s.status != CARDAN_OK) {
            x->failure[x->nfailed]  = mechanism->report;
            x->status[x->nfailed++] = s.status;
            cardan_report_clear(&mechanism->report);
        }
        cd_model_instance_close(&s.instance);
    }
    const int failed = report_failures(x);
    return code == CD_EXIT_DONE ? failed : code;
}

// Solve by all selected formulations. Returns the exit code of the first failure if none solves the equations.
static int solve_all(cd_loaded_model* mechanism, int first, int last)
{
    cd_text         text = {0};
    cd_json_writer  json = cd_json_writer_to(&text);
    agreement_check x;
    cardan_report   warnings = {0}; // of the state
    if (mechanism->options->json) {
        cd_json_begin_object(&json, NULL);
        cd_json_begin_array(&json, "results");
    }
    const bool good = agreement_begin(&x, mechanism, last - first + 1);
    const int  code = good ? solve_each(mechanism, first, last, &x, &json, &warnings)
                           : cd_report_failure(&mechanism->report, CARDAN_NO_MEMORY);
    agreement_end(&x);
    if (mechanism->options->json) {
        cd_json_end(&json);
        cd_write_warnings_json(&json, &warnings);
        cd_json_end(&json);
    }
    if (!mechanism->options->quiet) cd_print_report(&warnings);
    if (code != CD_EXIT_DONE && x.nsolved == 0 && x.nfailed == 0) {
        cd_text_free(&text);
        return code;
    }
    const int printed = cd_print_and_free_text(&text);
    return code == CD_EXIT_DONE ? printed : code;
}

static int run(const cd_options* options)
{
    const bool all = options->formulation && strcmp(options->formulation, "all") == 0;
    if (options->formulation && !all && !cd_formulation_is_auto(options->formulation) &&
        cd_formulation_by_name(options->formulation) == CARDAN_NONE)
        return CD_EXIT_USAGE;
    cd_loaded_model mechanism;
    int             code = cd_loaded_model_open(&mechanism, options);
    if (code != CD_EXIT_DONE) return code;
    cd_loaded_model_warn(&mechanism);
    const int first = all ? 0 : cd_select_formulation(&mechanism);
    code            = first == CARDAN_NONE ? CD_EXIT_INPUT
                                           : solve_all(&mechanism, first, all ? cardan_formulation_count() - 1 : first);
    cd_loaded_model_close(&mechanism);
    return code;
}

const cd_command cd_command_accel = {
    .name         = "accel",
    .operands     = "MODEL",
    .noperand_min = 1,
    .noperand_max = 1,
    .summary      = "accelerations and reactions at one state, by one formulation or all",
    .text         = "Solves the equations of motion once, at the start values of the model file or at those of\n"
                    "--state, and prints the residual (largest |ID - Q|, relative to the largest term). Motions\n"
                    "of bodies are those of the mass centres in world axes. A reaction is force and torque of\n"
                    "the joint on its second body, at the joint position on the first body, world axes, without\n"
                    "springs and motors of the joint.",
    .examples     = "cardan accel models/pendulum                          # as text\n"
                    "cardan accel models/pendulum --formulation all --json # all formulations, for programs\n"
                    "cardan accel arm.yaml --state state.json              # at another state\n",
    CD_OPTIONS(CD_OPTION_FORMULATION_ALL, CD_OPTION_THREADS, CD_OPTION_STATE, CD_OPTION_TIME, CD_OPTION_SET,
               CD_OPTION_REACTION_POINT, CD_OPTION_STRICT, CD_OPTION_FLOATING, CD_OPTION_JSON, CD_OPTION_QUIET,
               CD_OPTION_HELP),
    .run = run,
};
