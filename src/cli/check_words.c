// SPDX-License-Identifier: BSD-3-Clause
// What a mechanism is, in words and as JSON.
#include "cli/check.h"

#include "cli/grid.h"
#include "cli/messages.h"
#include "cli/print.h"
#include "cli/values.h"

#include <stdio.h>
#include <string.h>

// A whole number, or null where it is not known.
static void write_known(cd_json* json, const char* key, bool known, int value)
{
    if (known)
        cd_json_integer(json, key, value);
    else
        cd_json_null(json, key);
}

int cd_check_json(const cd_mechanism* mechanism, const cd_facts* f)
{
    const cardan_model* m     = f->m;
    const bool          known = f->g && f->g->counted;
    const int           dof   = known ? f->g->dof : 0;
    cd_text             text  = {0};
    cd_json             json  = cd_json_to(&text);
    cd_json_object(&json, NULL);
    cd_json_integer(&json, "bodies", m->nbody);
    cd_json_integer(&json, "joints", m->view.njoint);
    write_known(&json, "dof", known, dof);
    cd_json_object(&json, "tree");
    cd_json_integer(&json, "nq", m->nq);
    cd_json_integer(&json, "nv", m->nv);
    cd_json_integer(&json, "rows", f->rows);
    write_known(&json, "rank", known, m->nv - dof);
    cd_json_end(&json);
    cd_json_object(&json, "flat");
    cd_json_integer(&json, "nv", 6 * f->groups);
    cd_json_integer(&json, "rows", f->flat_rows);
    write_known(&json, "rank", known, 6 * f->groups - dof);
    cd_json_end(&json);
    cd_json_integer(&json, "loops", m->ncut);
    write_known(&json, "redundant", known, f->rows - (m->nv - dof));
    if (f->choice.formulation != CARDAN_NONE) {
        cd_json_object(&json, "auto");
        cd_json_string(&json, "formulation", cardan_formulation_name(f->choice.formulation));
        cd_json_number(&json, "operations", f->choice.operations);
        cd_json_string(&json, "reason", f->choice.reason);
        cd_json_end(&json);
    } else
        cd_json_null(&json, "auto");
    cd_json_array(&json, "messages");
    for (int i = 0; i < mechanism->report.count; ++i) cd_json_string(&json, NULL, mechanism->report.message[i].text);
    cd_check_loop_notes(f, &json);
    cd_json_end(&json);
    cd_json_end(&json);
    return cd_print_text(&text);
}

static const char* body_name(const cardan_view* view, int body)
{
    return body == CARDAN_GROUND ? "ground" : view->body[body].name;
}

static void add_start(cd_grid* grid, int count, const double* value)
{
    if (count == 1)
        cd_grid_add(grid, "%s", cd_number_word(value[0]).text);
    else
        cd_grid_add(grid, "%s", cd_vector_word(count, value, 0).text);
}

enum { JOINTS_SHOWN = 60 };

// The loop that a joint closes, as the paragraphs above count them, from 1; 0: none. Without a diagnosis joints that
// the tree cuts close some.
static int loop_closed_by(const cd_facts* f, int joint)
{
    for (int l = 0; f->g && l < f->g->nloop; ++l)
        if (f->g->loop[l].closed_at == joint) return l + 1;
    return 0;
}

static void print_joints(const cd_facts* f)
{
    static const char* const head[] = {"joint", "type", "between", "coordinates", "q at start", "v at start"};
    const cardan_model*      m      = f->m;
    cd_grid                  grid   = {.align = "llllll"};
    for (int i = 0; i < 6; ++i) cd_grid_add(&grid, "%s", head[i]);
    const int shown = m->njoint > JOINTS_SHOWN + 1 ? JOINTS_SHOWN : m->njoint;
    for (int j = 0; j < shown; ++j) {
        const cardan_slot* s    = &m->slot[j];
        const char*        what = m->joint[j].type->coordinates;
        cd_grid_add(&grid, "%s", m->joint[j].name);
        cd_grid_add(&grid, "%s", m->joint[j].type->name);
        if (j < m->view.njoint)
            cd_grid_add(&grid, "%s - %s", body_name(&m->view, m->view.joint[j].first),
                        body_name(&m->view, m->view.joint[j].second));
        else
            cd_grid_add(&grid, "ground - %s (added: nothing holds it)", m->joint[j].name);
        const int loop = loop_closed_by(f, j);
        if (loop > 0)
            cd_grid_add(&grid, "closes loop %d", loop);
        else if (m->joint[j].cut && (!f->g || f->g->nloop < f->g->loops))
            cd_grid_add(&grid, "closes a loop");
        else if (s->nv == 0)
            cd_grid_add(&grid, "none, welded");
        else
            cd_grid_add(&grid, "%.*s", (int)strcspn(what, ";"), what);
        if (s->nv == 0 || (s->q < 0 && !f->c->q)) {
            cd_grid_add(&grid, "%s", "");
            cd_grid_add(&grid, "%s", "");
        } else {
            const cardan_slot at = f->c->q ? f->c->look.place[j] : *s; // coordinates may be others than the tree's
            add_start(&grid, s->nq, (f->c->q ? f->c->q : m->q_start) + at.q);
            add_start(&grid, s->nv, (f->c->v ? f->c->v : m->v_start) + at.v);
        }
    }
    cd_grid_print(&grid);
    if (shown < m->njoint) cd_print("  ... and %s more\n", cd_plural(m->njoint - shown, "joint", "joints").text);
}

// Force elements, states and outputs, where there are any.
static void print_extras(const cardan_model* m)
{
    const struct {
        int         count;
        const char *one, *many;
    } extra[] = {
        {m->view.nforce, "force element", "force elements"},
        {m->nstate, "state", "states"},
        {m->view.noutput, "output", "outputs"},
        {m->view.ncoupling, "coupling", "couplings"},
    };
    bool any = false;
    for (int i = 0; i < 4; ++i) {
        if (extra[i].count == 0) continue;
        cd_print("%s%s", any ? ", " : "  also     ", cd_plural(extra[i].count, extra[i].one, extra[i].many).text);
        any = true;
    }
    if (any) cd_print("\n");
}

void cd_check_words(const cd_mechanism* mechanism, const cd_facts* f)
{
    const cardan_model* m    = f->m;
    const int           free = m->njoint - m->view.njoint, welded = m->nbody - f->groups;
    cd_print("%s: %s, %s, %s", mechanism->view.name, cd_plural(f->groups, "moving body", "moving bodies").text,
             cd_plural(m->view.njoint, "joint", "joints").text, cd_plural(m->ncut, "loop", "loops").text);
    if (f->g && f->g->driven > 0) cd_print(", %s", cd_plural(f->g->driven, "driven motion", "driven motions").text);
    if (f->g && f->g->counted)
        cd_print(", %s%s%s", cd_plural(f->g->dof, "degree of freedom", "degrees of freedom").text,
                 f->g->driven > 0 ? " beside" : "", f->g->shaky ? " at first order only" : "");
    cd_print("\n");
    if (welded > 0)
        cd_print("  welded   %s to another or to ground, and named in results all the same\n",
                 cd_plural(welded, "body is welded", "bodies are welded").text);
    if (free == 1)
        cd_print("  free     nothing holds %s, which got a free joint of its name\n", m->joint[m->view.njoint].name);
    else if (free > 1)
        cd_print("  free     nothing holds %d parts, which got free joints named after their first bodies\n", free);
    if (f->g) cd_check_loops(f);
    if (m->nv == 0)
        cd_print("  tree     nothing moves\n");
    else
        cd_print("  tree     %s deep, %s and %s\n", cd_plural(f->depth, "joint", "joints").text,
                 cd_plural(m->nq, "coordinate", "coordinates").text, cd_plural(m->nv, "velocity", "velocities").text);
    if (f->rows > 0)
        cd_print("  flat     %d velocities and %s, every body by itself, as lagrange has it\n", 6 * f->groups,
                 cd_plural(f->flat_rows, "equation", "equations").text);
    cd_print("  mass     %s kg, centre at %s m\n", cd_number_word(f->mass).text, cd_vector_word(3, f->centre, 0).text);
    cd_print("  gravity  %s m/s^2\n", cd_vector_word(3, mechanism->view.gravity, 0).text);
    if (f->choice.formulation != CARDAN_NONE) cd_print("  auto     %s\n", f->choice.reason);
    print_extras(m);
    if (f->c->data && f->regular && m->nv > 0) cd_print("  start    every motion is resisted by an inertia\n");
    if (m->njoint > 0) {
        cd_print("\n");
        print_joints(f);
    }
}
