// SPDX-License-Identifier: BSD-3-Clause
// Results of `cardan check` as text and as JSON.
#include "cli/report/check_report.h"

#include "cli/contact/contact_start_report.h"
#include "cli/report/text_table.h"
#include "cli/support/messages.h"
#include "cli/support/terminal_print.h"
#include "cli/report/value_text.h"

#include <stdio.h>
#include <string.h>

// Write an integer, or null if it is not known.
static void write_integer_or_null(cd_json_writer* json, const char* key, bool known, int value)
{
    if (known)
        cd_json_integer(json, key, value);
    else
        cd_json_null(json, key);
}

void cd_check_write_json(const cd_loaded_model* mechanism, const cd_check_result* f, cd_text* text)
{
    const cardan_model* m     = f->model;
    const bool          known = f->diagnosis && f->diagnosis->rank_computed;
    const int           dof   = known ? f->diagnosis->dof : 0;
    cd_json_writer      json  = cd_json_writer_to(text);
    cd_json_begin_object(&json, NULL);
    cd_json_integer(&json, "bodies", m->nbody);
    cd_json_integer(&json, "joints", m->view.njoint);
    write_integer_or_null(&json, "dof", known, dof);
    cd_json_begin_object(&json, "tree");
    cd_json_integer(&json, "nq", m->nq);
    cd_json_integer(&json, "nv", m->nv);
    cd_json_integer(&json, "rows", f->closure_rows);
    write_integer_or_null(&json, "rank", known, m->nv - dof);
    cd_json_end(&json);
    cd_json_begin_object(&json, "maximal");
    cd_json_integer(&json, "nv", 6 * f->nmoving);
    cd_json_integer(&json, "rows", f->maximal_rows);
    write_integer_or_null(&json, "rank", known, 6 * f->nmoving - dof);
    cd_json_end(&json);
    cd_json_integer(&json, "loops", m->ncut);
    write_integer_or_null(&json, "redundant", known, f->closure_rows - (m->nv - dof));
    if (f->choice.formulation != CARDAN_NONE) {
        cd_json_begin_object(&json, "auto");
        cd_json_string(&json, "formulation", cardan_formulation_name(f->choice.formulation));
        cd_json_number(&json, "operations", f->choice.operations);
        cd_json_string(&json, "reason", f->choice.reason);
        cd_json_end(&json);
    } else
        cd_json_null(&json, "auto");
    cd_contact_check_write_json(&json, f->instance->data, &mechanism->view);
    cd_json_begin_array(&json, "messages");
    for (int i = 0; i < mechanism->report.count; ++i) cd_json_string(&json, NULL, mechanism->report.message[i].text);
    cd_check_write_loop_notes(f, &json);
    cd_json_end(&json);
    cd_json_end(&json);
}

static const char* body_name(const cardan_description_view* view, int body)
{
    return body == CARDAN_GROUND ? "ground" : view->body[body].name;
}

static void add_start_values(cd_text_table* table, int count, const double* value)
{
    if (count == 1)
        cd_text_table_add(table, "%s", cd_five_digit_text(value[0]).text);
    else
        cd_text_table_add(table, "%s", cd_vector_text(count, value, 0).text);
}

enum { JOINTS_SHOWN = 60 };

// Number of the loop that a joint closes, from 1 as in the printed list; 0: none.
static int loop_closed_by(const cd_check_result* f, int joint)
{
    for (int l = 0; f->diagnosis && l < f->diagnosis->nloop; ++l)
        if (f->diagnosis->loop[l].closing_joint == joint) return l + 1;
    return 0;
}

static void print_joints(const cd_check_result* f)
{
    static const char* const head[] = {"joint", "type", "between", "coordinates", "q at start", "v at start"};
    const cardan_model*      m      = f->model;
    cd_text_table            table  = {.align = "llllll"};
    for (int i = 0; i < 6; ++i) cd_text_table_add(&table, "%s", head[i]);
    const int shown = m->njoint > JOINTS_SHOWN + 1 ? JOINTS_SHOWN : m->njoint;
    for (int j = 0; j < shown; ++j) {
        const cardan_index_range* s    = &m->tree_range[j];
        const char*               what = m->joint[j].type->coordinates;
        cd_text_table_add(&table, "%s", m->joint[j].name);
        cd_text_table_add(&table, "%s", m->joint[j].type->name);
        if (j < m->view.njoint)
            cd_text_table_add(&table, "%s - %s", body_name(&m->view, m->view.joint[j].first_body),
                              body_name(&m->view, m->view.joint[j].second_body));
        else
            cd_text_table_add(&table, "ground - %s (added: not connected to ground)", m->joint[j].name);
        const int loop = loop_closed_by(f, j);
        if (loop > 0)
            cd_text_table_add(&table, "closes loop %d", loop);
        else if (m->joint[j].is_cut && (!f->diagnosis || f->diagnosis->nloop < f->diagnosis->nloop_total))
            cd_text_table_add(&table, "closes a loop");
        else if (s->nv == 0)
            cd_text_table_add(&table, "none, welded");
        else
            cd_text_table_add(&table, "%.*s", (int)strcspn(what, ";"), what);
        if (s->nv == 0 || (s->q < 0 && !f->instance->q)) {
            cd_text_table_add(&table, "%s", "");
            cd_text_table_add(&table, "%s", "");
        } else {
            const cardan_index_range at = f->instance->q ? f->instance->model_view.joint_range[j]
                                                         : *s; // the coordinates may differ from those of f->model
            add_start_values(&table, s->nq, (f->instance->q ? f->instance->q : m->q_start) + at.q);
            add_start_values(&table, s->nv, (f->instance->v ? f->instance->v : m->v_start) + at.v);
        }
    }
    cd_text_table_print(&table);
    if (shown < m->njoint) cd_print("  ... and %s more\n", cd_plural_text(m->njoint - shown, "joint", "joints").text);
}

// Print the numbers of force elements, states and outputs, if any.
static void print_element_counts(const cardan_model* m)
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
        cd_print("%s%s", any ? ", " : "  also     ", cd_plural_text(extra[i].count, extra[i].one, extra[i].many).text);
        any = true;
    }
    if (any) cd_print("\n");
}

void cd_check_print_summary(const cd_loaded_model* mechanism, const cd_check_result* f)
{
    const cardan_model* m     = f->model;
    const int           nfree = m->njoint - m->view.njoint, welded = m->nbody - f->nmoving;
    cd_print("%s: %s, %s, %s", mechanism->view.name, cd_plural_text(f->nmoving, "moving body", "moving bodies").text,
             cd_plural_text(m->view.njoint, "joint", "joints").text, cd_plural_text(m->ncut, "loop", "loops").text);
    if (f->diagnosis && f->diagnosis->driven > 0)
        cd_print(", %s", cd_plural_text(f->diagnosis->driven, "driven motion", "driven motions").text);
    if (f->diagnosis && f->diagnosis->rank_computed)
        cd_print(", %s%s%s", cd_plural_text(f->diagnosis->dof, "degree of freedom", "degrees of freedom").text,
                 f->diagnosis->driven > 0 ? " remaining" : "",
                 f->diagnosis->infinitesimally_mobile ? " at first order only" : "");
    cd_print("\n");
    if (welded > 0)
        cd_print("  welded   %s to another body or to ground; results include them\n",
                 cd_plural_text(welded, "body is welded", "bodies are welded").text);
    if (nfree == 1)
        cd_print("  free     %s is not connected to ground and gets a free joint of the same name\n",
                 m->joint[m->view.njoint].name);
    else if (nfree > 1)
        cd_print("  free     %d parts are not connected to ground and get free joints named after their first bodies\n",
                 nfree);
    if (f->diagnosis) cd_check_print_loops(f);
    if (m->nv == 0)
        cd_print("  tree     no moving bodies\n");
    else
        cd_print("  tree     depth %s; %s and %s\n", cd_plural_text(f->tree_depth, "joint", "joints").text,
                 cd_plural_text(m->nq, "coordinate", "coordinates").text,
                 cd_plural_text(m->nv, "velocity", "velocities").text);
    if (f->closure_rows > 0)
        cd_print("  maximal  %d velocities and %s in maximal coordinates (formulation lagrange)\n", 6 * f->nmoving,
                 cd_plural_text(f->maximal_rows, "equation", "equations").text);
    cd_print("  mass     %s kg, centre at %s m\n", cd_five_digit_text(f->mass).text,
             cd_vector_text(3, f->mass_centre, 0).text);
    cd_print("  gravity  %s m/s^2\n", cd_vector_text(3, mechanism->view.gravity, 0).text);
    if (f->choice.formulation != CARDAN_NONE) cd_print("  auto     %s\n", f->choice.reason);
    print_element_counts(m);
    cd_contact_check_print(f->instance->data, &mechanism->view);
    if (f->instance->data && f->is_regular && m->nv > 0) cd_print("  start    every motion has inertia\n");
    if (m->njoint > 0) {
        cd_print("\n");
        print_joints(f);
    }
}
