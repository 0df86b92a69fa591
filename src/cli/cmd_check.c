// SPDX-License-Identifier: BSD-3-Clause
// cardan check: what the mechanism is, in plain words.
#include "cli/commands.h"
#include "cli/grid.h"
#include "cli/messages.h"
#include "cli/values.h"
#include "core/memory.h"
#include "math/quaternion.h"
#include "model/model.h"

#include <cardan/diagnose.h>

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

// Sizes of the mechanism, as a tree and with every body on its own.
typedef struct facts {
    int    groups;    // moving bodies, welded ones counted as one
    int    rows;      // equations of all joints when every group is free: 6 - dof each
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

static int print_json(const cd_mechanism* mechanism, const cardan_model* m, const facts* f, const cardan_diagnosis* g)
{
    const bool known = g->counted;
    cd_text    text  = {0};
    cd_json    json  = cd_json_to(&text);
    cd_json_object(&json, NULL);
    cd_json_integer(&json, "bodies", m->nbody);
    cd_json_integer(&json, "joints", m->view.njoint);
    write_known(&json, "dof", known, g->dof);
    cd_json_object(&json, "tree");
    cd_json_integer(&json, "nq", m->nq);
    cd_json_integer(&json, "nv", m->nv);
    cd_json_integer(&json, "rows", g->rows);
    write_known(&json, "rank", known, g->rank);
    cd_json_end(&json);
    cd_json_object(&json, "flat");
    cd_json_integer(&json, "nv", 6 * f->groups);
    cd_json_integer(&json, "rows", f->rows);
    write_known(&json, "rank", known, 6 * f->groups - g->dof);
    cd_json_end(&json);
    cd_json_integer(&json, "loops", g->loops);
    write_known(&json, "redundant", known, g->redundant);
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
    else cd_grid_add(grid, "%s", cd_vector_word(count, value).text);
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
        else cd_grid_add(&grid, "%s", m->joint[j].type->coordinates);
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

static const int margin = 11, width = 118;

// A paragraph beside its label, broken at spaces.
static void print_paragraph(const char* label, const char* text)
{
    int column = margin;
    printf("  %-*s", margin - 2, label);
    for (const char* word = text; *word;) {
        int length = 0;
        while (word[length] && word[length] != ' ') ++length;
        if (column > margin && column + length >= width) {
            printf("\n%*s", margin, "");
            column = margin;
        } else if (word != text) {
            putchar(' ');
            ++column;
        }
        printf("%.*s", length, word);
        column += length;
        word += length;
        while (*word == ' ') ++word;
    }
    printf("\n");
}

static void say_equations(const cardan_model* m, const cardan_loop* loop, cd_text* text)
{
    const char* closing = m->joint[loop->closed_at].name;
    cd_text_format(text, "%s adds %s, ", closing, cd_plural(loop->rows, "equation", "equations").text);
    if (loop->repeated == 0) {
        cd_text_add(text, loop->rows == 1 ? "and it counts." : "and all of them count.");
        return;
    }
    if (loop->repeated == loop->rows) cd_text_add(text, "all of them repeat what ");
    else cd_text_format(text, "%d of them repeat%s what ", loop->repeated, loop->repeated == 1 ? "s" : "");
    const int others = loop->njoint - 1;
    for (int i = 0, told = 0; i < loop->njoint; ++i) {
        if (loop->joint[i] == loop->closed_at) continue;
        ++told;
        if (others > 6 && told > 2 && told < others) continue;
        cd_text_format(text, "%s%s", told == 1 ? "" : others > 6 && told == others ? " ... " : told == others ? " and " : ", ", m->joint[loop->joint[i]].name);
    }
    cd_text_format(text, " already ensure%s: %s.", others == 1 ? "s" : "", loop->reason);
    if (loop->repeated == loop->rows) cd_text_add(text, " Solved without it.");
    else cd_text_format(text, " Solved with %d.", loop->rows - loop->repeated);
}

// The first loop with the same story, or the loop itself.
static int same_story(const cardan_diagnosis* g, int l)
{
    const cardan_loop* loop = &g->loop[l];
    for (int k = 0; k < l && loop->repeated > 0; ++k)
        if (g->loop[k].rows == loop->rows && g->loop[k].repeated == loop->repeated && strcmp(g->loop[k].reason, loop->reason) == 0) return k;
    return l;
}

static void print_loop(const cardan_model* m, const cardan_diagnosis* g, int l)
{
    const cardan_loop* loop = &g->loop[l];
    const int          like = same_story(g, l);
    cd_text            text = {0};
    cd_word            label;
    snprintf(label.text, sizeof label.text, "loop %d", l + 1);
    cd_text_format(&text, "%s, closed at %s", loop->path, m->joint[loop->closed_at].name);
    print_paragraph(label.text, text.data ? text.data : "");
    cd_text_free(&text);
    if (!g->counted) return;
    if (like < l) {
        cd_text_format(&text, "%s adds %s, %d of them repeat others as in loop %d", m->joint[loop->closed_at].name,
                       cd_plural(loop->rows, "equation", "equations").text, loop->repeated, like + 1);
        if (loop->repair[0]) cd_text_format(&text, "; to make its reactions unique %s", loop->repair);
        cd_text_add(&text, ".");
    } else {
        say_equations(m, loop, &text);
    }
    if (like == l && loop->loose[0]) {
        cd_text_format(&text, " %c%s are therefore not unique", loop->loose[0] - 'a' + 'A', loop->loose + 1);
        if (loop->repair[0]) cd_text_format(&text, "; to make them unique %s", loop->repair);
        cd_text_add(&text, ".");
    }
    print_paragraph("", text.data ? text.data : "");
    cd_text_free(&text);
}

enum { LOOPS_TOLD = 6 };

static void print_loops(const cardan_model* m, const cardan_diagnosis* g)
{
    for (int l = 0; l < g->nloop && l < LOOPS_TOLD; ++l)
        print_loop(m, g, l);
    if (g->loops > LOOPS_TOLD)
        printf("  ...      %s\n", cd_plural(g->loops - LOOPS_TOLD, "more loop", "more loops").text);
    if (g->counted && g->loops > 1)
        printf("  rows     %s in the coordinates of the tree, %d of them count, %s\n", cd_plural(g->rows, "equation", "equations").text, g->rank,
               g->redundant == 0 ? "none repeats others" : g->redundant == 1 ? "1 repeats others" : cd_plural(g->redundant, "repeats others", "repeat others").text);
    if (!g->counted && g->closes) print_paragraph("rows", "the mechanism is too large to count how many of its equations repeat others");
    if (g->pose[0]) print_paragraph("pose", g->pose);
}

static void print_words(const cd_mechanism* mechanism, const cardan_model* m, const facts* f, const cd_case* c, const cardan_diagnosis* g, bool regular)
{
    const int free_joints = m->njoint - m->view.njoint, welded = m->nbody - f->groups;
    printf("%s: %s, %s, %s", mechanism->view.name, cd_plural(f->groups, "moving body", "moving bodies").text,
           cd_plural(m->view.njoint, "joint", "joints").text, cd_plural(g->loops, "loop", "loops").text);
    if (g->counted) printf(", %s", cd_plural(g->dof, "degree of freedom", "degrees of freedom").text);
    printf("\n");
    print_loops(m, g);
    if (welded > 0)
        printf("  welded   %s to another or to ground, and named in results all the same\n",
               cd_plural(welded, "body is welded", "bodies are welded").text);
    if (free_joints > 0)
        printf("  free     nothing holds %s, which %s\n", free_joints == 1 ? m->joint[m->view.njoint].name : cd_plural(free_joints, "", "parts").text,
               free_joints == 1 ? "got a free joint of its name" : "got free joints named after their first bodies");
    printf("  tree     %s deep, %s and %s\n", cd_plural(f->depth, "joint", "joints").text,
           cd_plural(m->nq, "coordinate", "coordinates").text, cd_plural(m->nv, "velocity", "velocities").text);
    printf("  mass     %s kg, centre at %s m\n", cd_number_word(f->mass).text, cd_vector_word(3, f->centre).text);
    printf("  gravity  %s m/s^2\n", cd_vector_word(3, mechanism->view.gravity).text);
    if (m->view.nforce + m->nstate + m->view.noutput > 0)
        printf("  also     %s, %s, %s\n", cd_plural(m->view.nforce, "force element", "force elements").text,
               cd_plural(m->nstate, "state", "states").text, cd_plural(m->view.noutput, "output", "outputs").text);
    if (regular) printf("  start    every motion is resisted by an inertia\n");
    if (m->njoint > 0) {
        printf("\n");
        print_joints(m, c);
    }
}

// A tree is solved once at its start, which finds motions that nothing resists; loops are the doctor's business.
static cardan_status examine(cd_mechanism* mechanism, cd_case* c, cardan_diagnosis** g)
{
    cardan_status status = cardan_diagnose(c->data, g, &mechanism->report);
    if (status == CARDAN_OK && c->look.ncut == 0) status = cardan_accelerate(c->data, c->a, NULL, &mechanism->report);
    return status;
}

static int check(cd_mechanism* mechanism)
{
    cd_case             c      = {0};
    cardan_diagnosis*   g      = NULL;
    const cardan_report before = mechanism->report;
    cardan_status       status = cd_case_open(&c, mechanism, cardan_formulation_find("order-n"));
    if (status == CARDAN_UNSUPPORTED) {  // loops
        mechanism->report = before;
        status = cd_case_open(&c, mechanism, cardan_formulation_find("dense"));
    }
    if (status != CARDAN_OK) return cd_say_failure(&mechanism->report, status);

    facts sizes = count_facts(c.model);
    status      = examine(mechanism, &c, &g);
    weigh(&c.model->view, c.data, &sizes);

    int code = CD_EXIT_DONE;
    if (!g) code = cd_exit_code(status);
    else if (mechanism->options->json) code = print_json(mechanism, c.model, &sizes, g);
    else if (!mechanism->options->quiet) print_words(mechanism, c.model, &sizes, &c, g, status == CARDAN_OK);
    fflush(stdout);
    // what is wrong with the mechanism is a problem of the description
    if (g && status != CARDAN_OK) code = CD_EXIT_INPUT;
    if (!mechanism->options->json || status != CARDAN_OK) cd_say_report(&mechanism->report);
    cardan_diagnosis_destroy(g);
    cd_case_close(&c);
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
    .summary  = "what the mechanism is: loops, degrees of freedom, what repeats and why, in plain words",
    .text     = "Reads and compiles the model and says what it is: moving bodies, joints, loops, degrees of freedom by rank, mass, and\n"
                "what is doubtful in it. Of every loop it says which joint closes it, how many equations that adds, how many of them\n"
                "repeat others at every pose and why, which reactions are therefore not unique, and which other joints would make\n"
                "them so. Errors, with exit code 1: loops that cannot close, a singular start pose, laws of motion that contradict\n"
                "each other, a motion that nothing resists; each names joint and direction.\n"
                "With --json, `tree` has the joint coordinates of the tree and the equations that close its loops, `flat` what there is\n"
                "when every moving body has six velocities and every joint is a constraint; counts that cannot be made are null.",
    .examples = "cardan check models/four_bar             # in words\n"
                "cardan check car.yaml --strict --json    # for programs; doubtful input is an error\n",
    CD_OPTIONS(CD_OPTION_STATE, CD_OPTION_SET, CD_OPTION_STRICT, CD_OPTION_FLOATING, CD_OPTION_JSON, CD_OPTION_QUIET, CD_OPTION_HELP),
    .run = run,
};
