// SPDX-License-Identifier: BSD-3-Clause
// cardan accel: accelerations and reactions of one state, by one formulation or by all.
#include "cli/commands.h"
#include "cli/grid.h"
#include "cli/messages.h"
#include "cli/print.h"
#include "cli/reactions.h"
#include "cli/singular.h"
#include "cli/values.h"
#include "core/memory.h"
#include "dynamics/curve_ends.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

// One formulation solved; what failed is in the report of the mechanism.
typedef struct solved {
    cd_case       c;
    cardan_status status;
    double        residual;
} solved;

static solved solve(cd_mechanism* mechanism, int formulation, cardan_report* pose)
{
    solved s = {.residual = NAN};
    s.status = cd_case_open(&s.c, mechanism, formulation);
    if (s.status != CARDAN_OK) return s;
    if (pose) cd_singular_warn(&s.c, true, &mechanism->report, pose);
    if (pose) cd_warn_beyond(s.c.data, NULL, pose);
    s.status = cardan_accelerate(s.c.data, s.c.a, NULL, &mechanism->report);
    if (s.status == CARDAN_OK) s.residual = cardan_equation_error(s.c.data, s.c.a);
    if (s.status == CARDAN_OK) cardan_joint_values(s.c.data, s.c.a, s.c.q, s.c.v, s.c.a);
    return s;
}

static bool write_json(cd_json* json, const solved* s, int formulation)
{
    char       word[CD_WORD_LENGTH];
    bool       good  = true;
    const bool known = s->status == CARDAN_OK;
    cd_json_object(json, NULL);
    cd_json_string(json, "formulation", cardan_formulation_name(formulation));
    cd_json_string(json, "status", cd_status_word(s->status, word));
    cd_json_number(json, "residual", s->residual);
    if (known) {
        cd_json_joints(json, &s->c, s->c.q, s->c.v, s->c.a, NULL);
        good = cd_json_bodies(json, &s->c, s->c.a) && cd_json_reactions(json, &s->c, s->c.a) &&
               cd_json_drivers(json, &s->c);
    } else {
        static const char* const part[] = {"joints", "bodies", "reactions"};
        for (int i = 0; i < 3; ++i) {
            cd_json_object(json, part[i]);
            cd_json_end(json);
        }
    }
    cd_json_end(json);
    return good;
}

static void print_joints(const cd_case* c)
{
    cd_grid                  grid   = {.align = "lrrrl"};
    static const char* const head[] = {"joint", "q", "v", "a", ""};
    for (int i = 0; i < 5; ++i) cd_grid_add(&grid, "%s", head[i]);
    for (int j = 0; j < c->look.njoint; ++j) {
        const cardan_slot s = c->look.place[j];
        for (int i = 0; s.q >= 0 && i < s.nq; ++i) {
            const bool moves = i < s.nv;
            cd_grid_add(&grid, "%s", i == 0 ? cardan_model_joint_name(c->model, j) : "");
            cd_grid_add(&grid, "%s", cd_number_word(c->q[s.q + i]).text);
            cd_grid_add(&grid, "%s", moves ? cd_number_word(c->v[s.v + i]).text : "");
            cd_grid_add(&grid, "%s", moves ? cd_number_word(c->a[s.v + i]).text : "");
            const char* unit = cardan_model_q_unit(c->model, j, i);
            if (moves)
                cd_grid_add(&grid, "%s, %s, %s^2", unit, cardan_model_v_unit(c->model, j, i),
                            cardan_model_v_unit(c->model, j, i));
            else
                cd_grid_add(&grid, "%s", unit);
        }
    }
    cd_grid_print(&grid);
}

static void print_bodies(const cd_case* c)
{
    const cardan_view view = cardan_description_view(cardan_model_description(c->model));
    cardan_motion*    body = cd_allocate((size_t)view.nbody + 1, sizeof *body);
    if (!body) cd_say_no_memory();
    if (!body) return;
    cardan_bodies(c->data, c->a, body);
    cd_grid                  grid   = {.align = "lllll"};
    static const char* const head[] = {"body", "mass centre [m]", "velocity [m/s]", "acceleration [m/s^2]",
                                       "angular acceleration [rad/s^2]"};
    for (int i = 0; i < 5; ++i) cd_grid_add(&grid, "%s", head[i]);
    for (int i = 0; i < view.nbody; ++i) {
        cd_grid_add(&grid, "%s", view.body[i].name);
        cd_grid_add(&grid, "%s", cd_vector_word(3, body[i].p, 0).text);
        cd_grid_add(&grid, "%s", cd_vector_word(3, body[i].v, 0).text);
        cd_grid_add(&grid, "%s", cd_vector_word(3, body[i].a, 0).text);
        cd_grid_add(&grid, "%s", cd_vector_word(3, body[i].alpha, 0).text);
    }
    cd_print("\n");
    cd_grid_print(&grid);
    free(body);
}

static void add_reaction(cd_grid* grid, const cd_reacting_one* one)
{
    const double* f     = one->wrench->force;
    const double  scale = fmax(fmax(fabs(f[0]), fabs(f[1])), fabs(f[2]));
    cd_grid_add(grid, "%s", one->name);
    cd_grid_add(grid, "%s", cd_vector_word(3, f, 0).text);
    cd_grid_add(grid, "%s%s", cd_vector_word(3, one->wrench->torque, scale).text,
                one->wrench->unique ? "" : "  (not unique)");
}

// Efforts of gears and their like along each of their coordinates.
static void print_transmissions(const cd_case* c, const cd_reactions* r)
{
    cd_grid                  grid   = {.align = "llrl"};
    static const char* const head[] = {"transmission", "along", "effort", ""};
    if (r->ntransmission == 0) return;
    for (int i = 0; i < 4; ++i) cd_grid_add(&grid, "%s", head[i]);
    for (int i = 0; i < r->ntransmission; ++i)
        for (int k = 0; k < r->transmission[i].n; ++k) {
            const cardan_transmission* t = &r->transmission[i];
            cd_grid_add(&grid, "%s", k == 0 ? t->name : "");
            cd_grid_add(&grid, "%s", cd_coordinate_word(c, t, k).text);
            cd_grid_add(&grid, "%s", cd_number_word(t->effort[k]).text);
            cd_grid_add(&grid, "%s%s", t->unit[k], t->unique ? "" : "  (not unique)");
        }
    cd_print("\n");
    cd_grid_print(&grid);
}

// Of joints on their second body, of constraints between markers on the body of the first one.
static void print_reactions(const cd_case* c)
{
    cd_reactions r;
    if (!cd_reactions_open(&r, c)) {
        cd_say_no_memory();
        return;
    }
    if (r.count > 0 && cd_reactions_at(&r, c->data, c->a)) {
        cd_grid grid = {.align = "lll"};
        cd_grid_add(&grid, "reaction");
        cd_grid_add(&grid, "force [N]");
        cd_grid_add(&grid, "torque [N m]");
        for (int i = 0; i < r.nwrench; ++i) add_reaction(&grid, &r.one[i]);
        cd_print("\n");
        cd_grid_print(&grid);
        print_transmissions(c, &r);
    }
    cd_reactions_close(&r);
}

static void print_drivers(const cd_case* c)
{
    if (cardan_driver_count(c->data) == 0) return;
    cd_print("\n");
    cd_print_drivers(c);
}

// In words: the first in full, the others by how well they satisfy the equations.
static void print_words(const cd_mechanism* mechanism, const solved* s, int formulation, bool full)
{
    char word[CD_WORD_LENGTH];
    if (s->status != CARDAN_OK && s->c.data)
        cd_print("%s at t = %g s by %s: not solved, %s\n", mechanism->view.name, s->c.t,
                 cardan_formulation_name(formulation), cd_status_word(s->status, word));
    if (s->status != CARDAN_OK) return; // why is told as an error or a note
    cd_print("%s at t = %g s by %s: equations satisfied to %s\n", mechanism->view.name, s->c.t,
             cardan_formulation_name(formulation), cd_small_word(s->residual).text);
    if (!full) return;
    print_joints(&s->c);
    print_bodies(&s->c);
    print_reactions(&s->c);
    print_drivers(&s->c);
    cd_print("\n");
}

static const double agreed = 1e-6; // accelerations of bodies, relative

// What formulations have found so far, when several are asked.
typedef struct found {
    int            nbody;
    cardan_motion *first, *body; // of the first that is exact, and of another
    int            by;           // that first, or CARDAN_NONE
    int            shown;        // solved, exact or not
    int            nfailed;
    cardan_report* failed; // what they said, and
    cardan_status* status;
} found;

static bool found_begin(found* x, const cd_mechanism* mechanism, int count)
{
    *x        = (found){.nbody = mechanism->view.nbody, .by = CARDAN_NONE};
    x->first  = cd_allocate((size_t)x->nbody + 1, sizeof *x->first);
    x->body   = cd_allocate((size_t)x->nbody + 1, sizeof *x->body);
    x->failed = cd_allocate((size_t)count, sizeof *x->failed);
    x->status = cd_allocate((size_t)count, sizeof *x->status);
    return x->first && x->body && x->failed && x->status;
}

static void found_end(found* x) { free(x->first), free(x->body), free(x->failed), free(x->status); }

static double apart(const found* x)
{
    double difference = 0, scale = 1;
    for (int b = 0; b < x->nbody; ++b)
        for (int i = 0; i < 3; ++i) {
            difference = fmax(difference, fmax(fabs(x->body[b].a[i] - x->first[b].a[i]),
                                               fabs(x->body[b].alpha[i] - x->first[b].alpha[i])));
            scale      = fmax(scale, fmax(fabs(x->first[b].a[i]), fabs(x->first[b].alpha[i])));
        }
    return difference / scale;
}

// Whoever is exact finds the same; false where it does not.
static bool found_agrees(found* x, const solved* s, int formulation)
{
    if (s->status != CARDAN_OK || !cardan_formulation_is_exact(formulation)) return true;
    cardan_bodies(s->c.data, s->c.a, x->by == CARDAN_NONE ? x->first : x->body);
    if (x->by == CARDAN_NONE) x->by = formulation;
    if (x->by == formulation || apart(x) <= agreed) return true;
    cd_say_error(CARDAN_CODE_FORMULATIONS_DISAGREE, "accelerations by '%s' and by '%s' differ by %.2g",
                 cardan_formulation_name(formulation), cardan_formulation_name(x->by), apart(x));
    return false;
}

// Among several, one that does not take the mechanism is no failure as long as another solves it: what it says is a
// note.
static int found_failures(found* x)
{
    int code = CD_EXIT_DONE;
    for (int i = 0; i < x->nfailed; ++i) {
        if (x->by != CARDAN_NONE) {
            cd_say_notes(&x->failed[i]);
            continue;
        }
        if (i > 0 && x->status[i] == CARDAN_SINGULAR && x->status[i - 1] == CARDAN_SINGULAR)
            continue; // each would say it in its own order
        const int this = cd_say_failure(&x->failed[i], x->status[i]);
        if (code == CD_EXIT_DONE) code = this;
    }
    return code == CD_EXIT_DONE && x->shown == 0 ? CD_EXIT_INPUT : code;
}

static int solve_each(cd_mechanism* mechanism, int first, int last, found* x, cd_json* json, cardan_report* pose)
{
    const bool as_json = mechanism->options->json;
    bool       looked  = false;
    int        code    = CD_EXIT_DONE;
    for (int f = first; f <= last; ++f) {
        solved s = solve(mechanism, f, looked ? NULL : pose);
        if (s.status == CARDAN_NO_MEMORY) {
            cd_case_close(&s.c);
            return cd_say_failure(&mechanism->report, s.status);
        }
        looked = looked || s.c.data;
        if (s.status == CARDAN_BAD_INPUT)
            return cd_say_failure(&mechanism->report, s.status); // no formulation will like it
        if (as_json && !write_json(json, &s, f)) json->text->failed = true;
        if (!as_json && !mechanism->options->quiet && (first != last || s.status == CARDAN_OK))
            print_words(mechanism, &s, f, x->shown == 0);
        if (!found_agrees(x, &s, f)) code = CD_EXIT_NUMERICAL;
        x->shown += s.status == CARDAN_OK;
        if (s.status == CARDAN_UNSUPPORTED && first != last)
            cd_say_notes(&mechanism->report);
        else if (s.status != CARDAN_OK) {
            x->failed[x->nfailed]   = mechanism->report;
            x->status[x->nfailed++] = s.status;
            cardan_report_clear(&mechanism->report);
        }
        cd_case_close(&s.c);
    }
    const int failed = found_failures(x);
    return code == CD_EXIT_DONE ? failed : code;
}

// All formulations asked for; the code is that of the first failure where none solves it.
static int solve_all(cd_mechanism* mechanism, int first, int last)
{
    cd_text       text = {0};
    cd_json       json = cd_json_to(&text);
    found         x;
    cardan_report pose = {0}; // what is to be said of it
    if (mechanism->options->json) {
        cd_json_object(&json, NULL);
        cd_json_array(&json, "results");
    }
    const bool good = found_begin(&x, mechanism, last - first + 1);
    const int  code = good ? solve_each(mechanism, first, last, &x, &json, &pose)
                           : cd_say_failure(&mechanism->report, CARDAN_NO_MEMORY);
    found_end(&x);
    if (mechanism->options->json) {
        cd_json_end(&json);
        cd_json_warnings(&json, &pose);
        cd_json_end(&json);
    }
    if (!mechanism->options->quiet) cd_say_report(&pose);
    if (code != CD_EXIT_DONE && x.shown == 0 && x.nfailed == 0) {
        cd_text_free(&text);
        return code;
    }
    const int printed = cd_print_text(&text);
    return code == CD_EXIT_DONE ? printed : code;
}

static int run(const cd_options* options)
{
    const bool all = options->formulation && strcmp(options->formulation, "all") == 0;
    if (options->formulation && !all && !cd_is_auto(options->formulation) &&
        cd_formulation_named(options->formulation) == CARDAN_NONE)
        return CD_EXIT_USAGE;
    cd_mechanism mechanism;
    int          code = cd_mechanism_open(&mechanism, options);
    if (code != CD_EXIT_DONE) return code;
    cd_mechanism_warn(&mechanism);
    const int first = all ? 0 : cd_formulation_chosen(&mechanism);
    code            = first == CARDAN_NONE ? CD_EXIT_INPUT
                                           : solve_all(&mechanism, first, all ? cardan_formulation_count() - 1 : first);
    cd_mechanism_close(&mechanism);
    return code;
}

const cd_command cd_command_accel = {
    .name     = "accel",
    .operands = "MODEL",
    .least    = 1,
    .most     = 1,
    .summary  = "accelerations and reactions of one state, by one formulation or all",
    .text     = "Solves the equations of motion once, at the start values of the model file or at those of\n"
                "--state, and says how well they are satisfied (residual: the largest of |ID - Q|, relative\n"
                "to the largest term). Bodies are given in the world, at their mass centre. A reaction is\n"
                "what the joint exerts on its second body, at the joint's place on the first, world axes;\n"
                "springs and motors of the joint are not part of it.",
    .examples = "cardan accel models/pendulum                          # in words\n"
                "cardan accel models/pendulum --formulation all --json # all formulations, for programs\n"
                "cardan accel arm.yaml --state pose.json               # at another state\n",
    CD_OPTIONS(CD_OPTION_FORMULATION_ALL, CD_OPTION_THREADS, CD_OPTION_STATE, CD_OPTION_TIME, CD_OPTION_SET,
               CD_OPTION_STRICT, CD_OPTION_FLOATING, CD_OPTION_JSON, CD_OPTION_QUIET, CD_OPTION_HELP),
    .run = run,
};
