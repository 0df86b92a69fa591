// SPDX-License-Identifier: BSD-3-Clause
// cardan check: what the mechanism is, in plain words.
#include "cli/commands.h"
#include "cli/grid.h"
#include "cli/messages.h"
#include "cli/values.h"
#include "core/memory.h"
#include "math/quaternion.h"
#include "model/model.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

// Sizes of the mechanism, as a tree and with every body on its own.
typedef struct facts {
    int    groups;    // moving bodies, welded ones counted as one
    int    rows;      // equations of all joints when every group is free: 6 - dof each
    int    cut_rows;  // of those that close loops
    int    depth;     // joints on the longest way to ground
    double mass, centre[3];
} facts;

static facts count_facts(const cardan_model* m)
{
    facts f     = {0};
    bool* seen  = cd_allocate((size_t)m->nlink + 1, sizeof *seen);
    int*  depth = cd_allocate((size_t)m->nlink + 1, sizeof *depth);
    for (int i = 0; seen && i < m->nbody; ++i) {
        const int link = m->body[i].link;
        if (link < 0 || seen[link]) continue;
        seen[link] = true;
        ++f.groups;
    }
    for (int i = 0; depth && i < m->nlink; ++i) {
        const int p = m->link[i].parent;
        depth[i]    = (p < 0 ? 0 : depth[p]) + (p < 0 || m->link[p].joint != m->link[i].joint);
        if (depth[i] > f.depth) f.depth = depth[i];
    }
    for (int j = 0; j < m->njoint; ++j) {
        const bool fixed = m->joint[j].nstep == 0, cut = m->joint[j].cut;
        if (fixed && !cut) continue;
        f.rows += 6 - m->slot[j].nv;
        if (cut) f.cut_rows += 6 - m->slot[j].nv;
    }
    free(seen);
    free(depth);
    return f;
}

// Total mass and its centre: at the start where there is data, else in the design position.
static void weigh(const cardan_view* view, cardan_data* data, facts* f)
{
    cardan_motion* body = cd_allocate((size_t)view->nbody + 1, sizeof *body);
    if (!body) return;
    if (data) cardan_bodies(data, NULL, body);
    for (int i = 0; i < view->nbody; ++i) {
        const cardan_body* b = &view->body[i];
        if (!data) {
            double R[9];
            q4_matrix(b->pose.q, R);
            for (int k = 0; k < 3; ++k)
                body[i].p[k] = b->pose.p[k] + R[3 * k] * b->centre[0] + R[3 * k + 1] * b->centre[1] + R[3 * k + 2] * b->centre[2];
        }
        f->mass += b->mass;
        for (int k = 0; k < 3; ++k) f->centre[k] += b->mass * body[i].p[k];
    }
    for (int k = 0; k < 3; ++k) f->centre[k] = f->mass > 0 ? f->centre[k] / f->mass : 0;
    free(body);
}

// A whole number, or null where it is not known yet.
static void write_known(cd_json* json, const char* key, bool known, int value)
{
    if (known) cd_json_integer(json, key, value);
    else cd_json_null(json, key);
}

static int print_json(const cd_mechanism* mechanism, const cardan_model* m, const facts* f)
{
    const bool tree = m->ncut == 0;
    cd_text    text = {0};
    cd_json    json = cd_json_to(&text);
    cd_json_object(&json, NULL);
    cd_json_integer(&json, "bodies", m->nbody);
    cd_json_integer(&json, "joints", m->view.njoint);
    write_known(&json, "dof", tree, m->nv);
    cd_json_object(&json, "tree");
    cd_json_integer(&json, "nq", m->nq);
    cd_json_integer(&json, "nv", m->nv);
    cd_json_integer(&json, "rows", f->cut_rows);
    write_known(&json, "rank", tree, 0);
    cd_json_end(&json);
    cd_json_object(&json, "flat");
    cd_json_integer(&json, "nv", 6 * f->groups);
    cd_json_integer(&json, "rows", f->rows);
    write_known(&json, "rank", tree, f->rows);
    cd_json_end(&json);
    cd_json_integer(&json, "loops", m->ncut);
    write_known(&json, "redundant", tree, 0);
    cd_json_array(&json, "messages");
    for (int i = 0; i < mechanism->report.count; ++i) cd_json_string(&json, NULL, mechanism->report.message[i].text);
    cd_json_end(&json);
    cd_json_end(&json);
    return cd_print_text(&text);
}

static const char* body_name(const cardan_view* view, int body) { return body == CARDAN_GROUND ? "ground" : view->body[body].name; }

static void add_start(cd_grid* grid, int count, const double* value)
{
    if (count == 1) cd_grid_add(grid, "%s", cd_number_word(value[0]).text);
    else cd_grid_add(grid, "%s", cd_vector_word(count, value, 0).text);
}

static void print_joints(const cardan_model* m, const cd_case* c)
{
    cd_grid grid = {.align = "llllll"};
    static const char* const head[] = {"joint", "type", "between", "coordinates", "q at start", "v at start"};
    for (int i = 0; i < 6; ++i) cd_grid_add(&grid, "%s", head[i]);
    for (int j = 0; j < m->njoint; ++j) {
        const cardan_slot* s = &m->slot[j];
        cd_grid_add(&grid, "%s", m->joint[j].name);
        cd_grid_add(&grid, "%s", m->joint[j].type->name);
        if (j < m->view.njoint)
            cd_grid_add(&grid, "%s - %s", body_name(&m->view, m->view.joint[j].first), body_name(&m->view, m->view.joint[j].second));
        else cd_grid_add(&grid, "ground - %s (added: nothing holds it)", m->joint[j].name);
        if (m->joint[j].cut) cd_grid_add(&grid, "closes a loop");
        else if (s->nv == 0) cd_grid_add(&grid, "none, welded");
        else cd_grid_add(&grid, "%.*s", (int)strcspn(m->joint[j].type->coordinates, ";"), m->joint[j].type->coordinates);
        if (s->q < 0) {
            cd_grid_add(&grid, "%s", "");
            cd_grid_add(&grid, "%s", "");
        } else {
            add_start(&grid, s->nq, (c->q ? c->q : m->q_start) + s->q);
            add_start(&grid, s->nv, (c->v ? c->v : m->v_start) + s->v);
        }
    }
    cd_grid_print(&grid);
}

// Force elements, states and outputs, where there are any.
static void print_extras(const cardan_model* m)
{
    const struct { int count; const char *one, *many; } extra[] = {
        {m->view.nforce, "force element", "force elements"},
        {m->nstate, "state", "states"},
        {m->view.noutput, "output", "outputs"},
        {m->view.ncoupling, "coupling (not solved yet: free)", "couplings (not solved yet: free)"},
    };
    bool any = false;
    for (int i = 0; i < 4; ++i) {
        if (extra[i].count == 0) continue;
        printf("%s%s", any ? ", " : "  also     ", cd_plural(extra[i].count, extra[i].one, extra[i].many).text);
        any = true;
    }
    if (any) printf("\n");
}

static void print_words(const cd_mechanism* mechanism, const cardan_model* m, const facts* f, const cd_case* c, bool regular)
{
    const int free_joints = m->njoint - m->view.njoint, welded = m->nbody - f->groups;
    printf("%s: %s, %s, %s", mechanism->view.name, cd_plural(f->groups, "moving body", "moving bodies").text,
           cd_plural(m->view.njoint, "joint", "joints").text, cd_plural(m->ncut, "loop", "loops").text);
    if (m->ncut == 0) printf(", %s", cd_plural(m->nv, "degree of freedom", "degrees of freedom").text);
    printf("\n");
    if (welded > 0)
        printf("  welded   %s to another or to ground, and named in results all the same\n",
               cd_plural(welded, "body is welded", "bodies are welded").text);
    if (free_joints > 0)
        printf("  free     nothing holds %s, which %s\n", free_joints == 1 ? m->joint[m->view.njoint].name : cd_plural(free_joints, "", "parts").text,
               free_joints == 1 ? "got a free joint of its name" : "got free joints named after their first bodies");
    printf("  tree     %s deep, %s and %s\n", cd_plural(f->depth, "joint", "joints").text,
           cd_plural(m->nq, "coordinate", "coordinates").text, cd_plural(m->nv, "velocity", "velocities").text);
    printf("  mass     %s kg, centre at %s m\n", cd_number_word(f->mass).text, cd_vector_word(3, f->centre, 0).text);
    printf("  gravity  %s m/s^2\n", cd_vector_word(3, mechanism->view.gravity, 0).text);
    print_extras(m);
    if (c->data && regular) printf("  start    every motion is resisted by an inertia\n");
    if (m->njoint > 0) {
        printf("\n");
        print_joints(m, c);
    }
}

static void note_loops(cd_mechanism* mechanism, const cardan_model* m)
{
    for (int i = 0; i < m->ncut; ++i)
        cardan_warn(&mechanism->report, m->view.joint[m->cut[i]].place,
                    "joint '%s' closes a loop: this version describes and draws mechanisms with loops, but solves trees only",
                    m->joint[m->cut[i]].name);
}

static int check(cd_mechanism* mechanism)
{
    cd_case       c     = {0};
    cardan_model* model = NULL;
    const int     f     = cardan_formulation_find("order-n");
    cardan_status status = cardan_model_compile(mechanism->description, cardan_formulation_tree(f), &model, &mechanism->report);
    if (status != CARDAN_OK) return cd_say_failure(&mechanism->report, status);

    facts sizes = count_facts(model);
    if (model->ncut > 0) note_loops(mechanism, model);
    else status = cd_case_open(&c, mechanism, f);
    const bool opened = status == CARDAN_OK;
    if (opened && c.data) status = cardan_accelerate(c.data, c.a, NULL, &mechanism->report);
    weigh(&model->view, c.data, &sizes);

    int code = CD_EXIT_DONE;
    if (!opened) code = cd_exit_code(status);
    else if (mechanism->options->json) code = print_json(mechanism, model, &sizes);
    else if (!mechanism->options->quiet) print_words(mechanism, model, &sizes, &c, status == CARDAN_OK);
    fflush(stdout);
    // a motion that nothing resists is a problem of the description
    if (opened && status != CARDAN_OK) code = CD_EXIT_INPUT;
    if (!mechanism->options->json || status != CARDAN_OK) cd_say_report(&mechanism->report);
    cd_case_close(&c);
    cardan_model_destroy(model);
    return code;
}

static int run(const cd_options* options)
{
    cd_mechanism mechanism;
    int          code = cd_mechanism_open(&mechanism, options);
    if (code != CD_EXIT_DONE) return code;
    code = check(&mechanism);
    cd_mechanism_close(&mechanism);
    return code;
}

const cd_command cd_command_check = {
    .name     = "check",
    .operands = "MODEL",
    .least    = 1,
    .most     = 1,
    .summary  = "what the mechanism is: bodies, joints, degrees of freedom, in plain words",
    .text     = "Reads and compiles the model and says what it is: moving bodies, joints, loops, degrees of freedom, mass, what is\n"
                "doubtful in it, and whether every motion is resisted by an inertia at the start. A motion that nothing resists\n"
                "is an error and names the joint and the direction.\n"
                "With --json, `tree` has the joint coordinates of the tree and `flat` what there is when every moving body has six\n"
                "velocities and every joint is a constraint; values that need constraint solving are null where there are loops.",
    .examples = "cardan check models/double_pendulum      # in words\n"
                "cardan check car.yaml --strict --json    # for programs; doubtful input is an error\n",
    CD_OPTIONS(CD_OPTION_STATE, CD_OPTION_SET, CD_OPTION_STRICT, CD_OPTION_FLOATING, CD_OPTION_JSON, CD_OPTION_QUIET, CD_OPTION_HELP),
    .run = run,
};
