// SPDX-License-Identifier: BSD-3-Clause
// Columns of results. Every quantity has a buffer that is filled at each sample if one of its columns is selected; a
// column is a name, a unit and a pointer to its value in that buffer.
#include "cli/report/result_columns.h"

#include "cli/contact/contact_loads.h"
#include "cli/support/messages.h"
#include "cli/report/reaction_list.h"
#include "core/memory.h"
#include "core/text.h"
#include "model/model.h"

#include <fnmatch.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

// Groups of columns with their names in --columns; the default comprises the first groups.
typedef enum column_group {
    JOINTS,
    ENERGY,
    OUTPUTS,
    STATES,
    DRIVERS,
    CONTROLS,
    ACCELERATIONS,
    EFFORTS,
    REACTIONS,
    CONTACTS,
    POSITIONS,
    ORIENTATIONS,
    VELOCITIES,
    BODY_ACCELERATIONS,
    WORK,
    NGROUP
} column_group;

static const char* const group_name[NGROUP] = {
    "joints",  "energy",    "outputs",  "states",    "drivers",      "controls",   "accelerations",
    "efforts", "reactions", "contacts", "positions", "orientations", "velocities", "body-accelerations",
    "work"};

static const char* const group_alias[] = {"default", "bodies", "all", NULL};

typedef struct column_source {
    char*         name;
    const char*   unit;
    const double* source;
    column_group  group;
} column_source;

struct cd_columns {
    int            navailable, available_capacity;
    column_source* available;

    int            count;
    cd_column*     header;          // (count)
    const double** source;          // (count)
    double*        value;           // (count)
    column_group*  group;           // (count)
    bool*          is_output;       // (count)
    bool*          unbounded_noted; // (count) NaN at a singular configuration already noted
    bool           needs[NGROUP];

    const cd_model_instance* instance;
    cardan_description_view  view;
    double                   t;
    double *                 q, *v, *a, *effort, *state, *output, *control;
    cardan_motion*           body; // (nbody)
    cd_reaction_list         reactions;
    cd_driver_effort_list    driver_efforts;
    cd_contact_load_list     contacts;
    bool *                   reaction_nonunique, *driver_nonunique; // (count of each) at some sample
    double                   kinetic, potential, total, work;
    bool*                    output_noted; // (noutput) non-finite value already noted
    bool                     failed;
};

// ---- available columns

static void add_column(cd_columns* k, column_group group, const double* from, const char* unit, const char* owner,
                       const char* what, int number)
{
    cd_text name = {0};
    cd_text_add(&name, owner);
    if (*what) cd_text_format(&name, ".%s", what);
    if (number > 0) cd_text_format(&name, "%d", number);
    char* text = cd_text_detach(&name);
    if (!text || !cd_array_grow((void**)&k->available, &k->available_capacity, k->navailable, sizeof *k->available)) {
        free(text);
        k->failed = true;
        return;
    }
    k->available[k->navailable++] = (column_source){text, unit, from, group};
}

// Add NAME.fx ... of a joint or constraint, or NAME.transmitted1, ... of a transmission.
static void add_reaction(cd_columns* k, const cd_reaction_entry* one)
{
    static const char* const part[] = {"fx", "fy", "fz", "tx", "ty", "tz"};
    for (int n = 0; one->wrench && n < 3; ++n)
        add_column(k, REACTIONS, &one->wrench->force[n], "N", one->name, part[n], 0);
    for (int n = 0; one->wrench && n < 3; ++n)
        add_column(k, REACTIONS, &one->wrench->torque[n], "N m", one->name, part[3 + n], 0);
    for (int n = 0; one->transmission && n < one->transmission->n; ++n)
        add_column(k, REACTIONS, &one->transmission->effort[n], one->transmission->unit[n], one->name, "transmitted",
                   n + 1);
}

static void add_joint(cd_columns* k, int j)
{
    const cardan_model*      m     = k->instance->model;
    const cardan_index_range range = k->instance->model_view.joint_range[j];
    const char*              name  = cardan_model_joint_name(m, j);
    if (range.q >= 0) {
        for (int i = 0; i < range.nq; ++i)
            add_column(k, JOINTS, &k->q[range.q + i], cardan_model_q_unit(m, j, i), name, "q",
                       range.nq > 1 ? i + 1 : 0);
        for (int i = 0; i < range.nv; ++i)
            add_column(k, JOINTS, &k->v[range.v + i], cardan_model_v_unit(m, j, i), name, "v",
                       range.nv > 1 ? i + 1 : 0);
        for (int i = 0; i < range.nv; ++i) {
            const bool is_rotation = cd_joint_velocity_is_rotation(m, j, i);
            const int  number      = range.nv > 1 ? i + 1 : 0;
            add_column(k, ACCELERATIONS, &k->a[range.v + i], is_rotation ? "rad/s^2" : "m/s^2", name, "a", number);
            add_column(k, EFFORTS, &k->effort[range.v + i], cd_effort_unit(m, j, i), name, "effort", number);
        }
    }
    add_reaction(k, &k->reactions.entry[j]);
}

// Add NAME.drive, numbered if one driver prescribes several motions.
static void add_driver(cd_columns* k, int i, int count)
{
    const cardan_driver d     = cardan_data_driver_at(k->instance->data, i);
    int                 first = i, last = i;
    while (first > 0 && strcmp(cardan_data_driver_at(k->instance->data, first - 1).name, d.name) == 0) --first;
    while (last + 1 < count && strcmp(cardan_data_driver_at(k->instance->data, last + 1).name, d.name) == 0) ++last;
    add_column(k, DRIVERS, &k->driver_efforts.effort[i], d.unit, d.name, "drive", first == last ? 0 : i - first + 1);
}

// Add JOINT.control, numbered as the velocities of the joint.
static void add_control(cd_columns* k, int i)
{
    const cardan_model* m = k->instance->model;
    int                 local;
    const int           j = cardan_model_joint_of_velocity(m, k->instance->control[i], &local);
    add_column(k, CONTROLS, &k->control[i], cd_effort_unit(m, j, local), cardan_model_joint_name(m, j), "control",
               k->instance->model_view.tree_range[j].nv > 1 ? local + 1 : 0);
}

static void add_vector(cd_columns* k, column_group group, const double* from, const char* unit, const char* owner,
                       const char* prefix)
{
    for (int i = 0; i < 3; ++i) {
        char what[16];
        snprintf(what, sizeof what, "%s%c", prefix, "xyz"[i]);
        add_column(k, group, from + i, unit, owner, what, 0);
    }
}

static void add_body(cd_columns* k, int i)
{
    static const char* const part[] = {"qw", "qx", "qy", "qz"};
    const char*              name   = k->view.body[i].name;
    const cardan_motion*     b      = &k->body[i];
    add_vector(k, POSITIONS, b->p, "m", name, "");
    for (int n = 0; n < 4; ++n) add_column(k, ORIENTATIONS, &b->q[n], "1", name, part[n], 0);
    add_vector(k, VELOCITIES, b->v, "m/s", name, "v");
    add_vector(k, VELOCITIES, b->w, "rad/s", name, "w");
    add_vector(k, BODY_ACCELERATIONS, b->a, "m/s^2", name, "a");
    add_vector(k, BODY_ACCELERATIONS, b->alpha, "rad/s^2", name, "alpha");
}

static void add_contact(cd_columns* k, const cd_contact_load* load)
{
    add_column(k, CONTACTS, &load->normal, "N", load->name, "normal", 0);
    add_column(k, CONTACTS, &load->friction, "N", load->name, "friction", 0);
    add_column(k, CONTACTS, &load->points, "1", load->name, "points", 0);
}

static void add_all(cd_columns* k)
{
    for (int j = 0; j < k->instance->model_view.njoint; ++j) add_joint(k, j);
    for (int i = k->instance->model_view.njoint; i < k->reactions.count; ++i) add_reaction(k, &k->reactions.entry[i]);
    const int drivers = cardan_data_driver_count(k->instance->data);
    for (int i = 0; i < drivers; ++i) add_driver(k, i, drivers);
    for (int i = 0; i < k->instance->ncontrol; ++i) add_control(k, i);
    add_column(k, ENERGY, &k->kinetic, "J", "energy", "kinetic", 0);
    add_column(k, ENERGY, &k->potential, "J", "energy", "potential", 0);
    add_column(k, ENERGY, &k->total, "J", "energy", "total", 0);
    add_column(k, WORK, &k->work, "J", "energy", "work", 0);
    for (int i = 0; i < k->view.noutput; ++i)
        add_column(k, OUTPUTS, &k->output[i], k->view.output[i].unit, k->view.output[i].name, "", 0);
    for (int i = 0; i < k->view.nstate; ++i) add_column(k, STATES, &k->state[i], NULL, k->view.state[i].name, "", 0);
    for (int i = 0; i < k->contacts.count; ++i) add_contact(k, &k->contacts.load[i]);
    for (int i = 0; i < k->view.nbody; ++i) add_body(k, i);
}

// ---- selection

static bool group_matches(const char* word, column_group g)
{
    if (strcmp(word, "all") == 0) return true;
    if (strcmp(word, "default") == 0) return g <= CONTROLS;
    if (strcmp(word, "bodies") == 0) return g >= POSITIONS && g <= BODY_ACCELERATIONS;
    return strcmp(word, group_name[g]) == 0;
}

static bool is_group_name(const char* word)
{
    for (int g = 0; g < NGROUP; ++g)
        if (group_matches(word, (column_group)g)) return true;
    return false;
}

static const char* candidate(void* user, int i)
{
    const cd_columns* k = user;
    if (i < NGROUP) return group_name[i];
    if (i < NGROUP + 3) return group_alias[i - NGROUP];
    return i - NGROUP - 3 < k->navailable ? k->available[i - NGROUP - 3].name : NULL;
}

// Mark the columns that a word or pattern matches. Returns false if nothing matches and the word is no group name.
static bool mark_matching(const cd_columns* k, const char* word, bool* selected)
{
    const bool known = is_group_name(word);
    bool       any   = false;
    for (int i = 0; i < k->navailable; ++i) {
        const bool matches =
            known ? group_matches(word, k->available[i].group)
                  : strcmp(word, k->available[i].name) == 0 || fnmatch(word, k->available[i].name, 0) == 0;
        any         = any || matches;
        selected[i] = selected[i] || matches;
    }
    return any || known || strcmp(word, "t") == 0;
}

static bool mark_listed(cd_columns* k, const char* list, bool* selected)
{
    char* copy = cd_copy_string(list);
    bool  good = copy != NULL;
    if (!copy) cd_report_no_memory();
    char* remainder = copy;
    for (char* word; good && (word = strsep(&remainder, ","));) {
        word += strspn(word, " ");
        for (size_t n = strlen(word); n > 0 && word[n - 1] == ' ';) word[--n] = 0;
        if (*word && !mark_matching(k, word, selected)) {
            cd_report_unknown_name("column", word, candidate, k,
                                   "`cardan run --help` lists the groups and names of --columns");
            good = false;
        }
    }
    free(copy);
    return good;
}

// Select the marked columns, in the order of `add_all`, after t.
static bool select_columns(cd_columns* k, const bool* selected)
{
    k->count = 1;
    for (int i = 0; i < k->navailable; ++i) k->count += selected[i];
    k->header          = cd_allocate((size_t)k->count, sizeof *k->header);
    k->source          = cd_allocate((size_t)k->count, sizeof *k->source);
    k->value           = cd_allocate((size_t)k->count, sizeof *k->value);
    k->group           = cd_allocate((size_t)k->count, sizeof *k->group);
    k->is_output       = cd_allocate((size_t)k->count, sizeof *k->is_output);
    k->unbounded_noted = cd_allocate((size_t)k->count, sizeof *k->unbounded_noted);
    if (!k->header || !k->source || !k->value || !k->group || !k->is_output || !k->unbounded_noted) return false;
    k->header[0] = (cd_column){"t", "s"};
    k->source[0] = &k->t;
    k->group[0]  = NGROUP;
    for (int i = 0, n = 1; i < k->navailable; ++i) {
        if (!selected[i]) continue;
        k->header[n]                    = (cd_column){k->available[i].name, k->available[i].unit};
        k->group[n]                     = k->available[i].group;
        k->is_output[n]                 = k->available[i].group == OUTPUTS;
        k->source[n++]                  = k->available[i].source;
        k->needs[k->available[i].group] = true;
    }
    return true;
}

static bool allocate(cd_columns* k)
{
    const cardan_model_view* model_view = &k->instance->model_view;
    k->q                                = cd_allocate((size_t)model_view->nq_joint + 1, sizeof(double));
    k->v                                = cd_allocate((size_t)model_view->nv_joint + 1, sizeof(double));
    k->a                                = cd_allocate((size_t)model_view->nv_joint + 1, sizeof(double));
    k->effort                           = cd_allocate((size_t)model_view->nv_joint + 1, sizeof(double));
    k->state                            = cd_allocate((size_t)model_view->nstate + 1, sizeof(double));
    k->output                           = cd_allocate((size_t)k->view.noutput + 1, sizeof(double));
    k->output_noted                     = cd_allocate((size_t)k->view.noutput + 1, sizeof *k->output_noted);
    k->control                          = cd_allocate((size_t)k->instance->ncontrol + 1, sizeof(double));
    k->body                             = cd_allocate((size_t)k->view.nbody + 1, sizeof *k->body);
    if (!cd_reaction_list_open(&k->reactions, k->instance) ||
        !cd_driver_effort_list_open(&k->driver_efforts, k->instance) ||
        !cd_contact_load_list_open(&k->contacts, k->instance))
        return false;
    k->reaction_nonunique = cd_allocate((size_t)k->reactions.count + 1, sizeof *k->reaction_nonunique);
    k->driver_nonunique   = cd_allocate((size_t)k->driver_efforts.count + 1, sizeof *k->driver_nonunique);
    return k->q && k->v && k->a && k->effort && k->state && k->output && k->output_noted && k->control && k->body &&
           k->reaction_nonunique && k->driver_nonunique;
}

cd_columns* cd_columns_create(const cd_model_instance* c, const char* list)
{
    cd_columns* k = cd_allocate(1, sizeof *k);
    if (!k) return cd_report_no_memory(), NULL;
    k->instance = c;
    k->view     = cardan_description_get_view(cardan_model_description(c->model));
    bool memory = allocate(k);
    if (memory) add_all(k);
    bool* selected = cd_allocate((size_t)k->navailable + 1, sizeof *selected);
    memory         = memory && selected && !k->failed;
    bool good      = memory && mark_listed(k, list ? list : "default", selected);
    if (good) good = memory = select_columns(k, selected);
    if (!memory) cd_report_no_memory();
    free(selected);
    if (good) return k;
    cd_columns_destroy(k);
    return NULL;
}

// Find another column of the same name.
static const column_source* find_same_name(const cd_columns* k, const char* name, const double* own)
{
    for (int i = 0; i < k->navailable; ++i)
        if (k->available[i].source != own && strcmp(k->available[i].name, name) == 0) return &k->available[i];
    return NULL;
}

static cardan_status fail_duplicate_name(const cd_columns* k, const char* what, const char* name, const double* own,
                                         cardan_location location, cardan_report* report)
{
    const column_source* other = find_same_name(k, name, own);
    if (!other && strcmp(name, "t") != 0) return CARDAN_OK;
    return cardan_fail(report, CARDAN_BAD_INPUT, CARDAN_CODE_DUPLICATE_COLUMN, location,
                       "%s '%s': the results already have a column of this name%s; choose another name", what, name,
                       !other                    ? ", the time"
                       : other->group == OUTPUTS ? ", an output"
                       : other->group == STATES  ? ", a state"
                                                 : "");
}

cardan_status cd_columns_check_names(const cd_model_instance* c, cardan_report* report)
{
    const cardan_description_view view   = cardan_description_get_view(cardan_model_description(c->model));
    cardan_status                 status = CARDAN_OK;
    if (view.noutput == 0 && view.nstate == 0) return status;
    cd_columns* k = cd_columns_create(c, NULL);
    if (!k) return CARDAN_NO_MEMORY;
    for (int i = 0; i < view.noutput; ++i)
        if (fail_duplicate_name(k, "output", view.output[i].name, &k->output[i], view.output[i].location, report))
            status = CARDAN_BAD_INPUT;
    for (int i = 0; i < view.nstate; ++i)
        if (fail_duplicate_name(k, "state", view.state[i].name, &k->state[i], view.state[i].location, report))
            status = CARDAN_BAD_INPUT;
    cd_columns_destroy(k);
    return status;
}

// Note reactions and driver efforts that are unbounded or undetermined at a singular configuration; their cells are
// empty.
static void note_unbounded(cd_columns* k, cardan_report* report)
{
    cd_text names = {0};
    int     count = 0;
    for (int i = 0; i < k->count; ++i) {
        if ((k->group[i] != REACTIONS && k->group[i] != DRIVERS) || !isnan(k->value[i]) || k->unbounded_noted[i])
            continue;
        k->unbounded_noted[i] = true;
        cd_text_format(&names, "%s%s", count++ ? ", " : "", k->header[i].name);
    }
    if (count == 0) return;
    char* text = cd_text_detach(&names);
    if (!text)
        cardan_fail(report, CARDAN_NO_MEMORY, CARDAN_CODE_OUT_OF_MEMORY, cardan_location_none(), "out of memory");
    else
        cardan_note(report, CARDAN_CODE_SINGULAR_VALUES_OMITTED, cardan_location_none(),
                    "at t = %g s, a singular configuration, these reactions and efforts are unbounded or undetermined; "
                    "their cells are empty in rows at singular configurations: %s",
                    k->t, text);
    free(text);
}

void cd_columns_note_non_finite(cd_columns* k, cardan_report* report)
{
    if (k->needs[REACTIONS] || k->needs[DRIVERS]) note_unbounded(k, report);
    if (!k->needs[OUTPUTS]) return;
    for (int i = 0; i < k->view.noutput; ++i) {
        if (isfinite(k->output[i]) || k->output_noted[i]) continue;
        k->output_noted[i] = true;
        cardan_note(report, CARDAN_CODE_NOT_FINITE, k->view.output[i].location,
                    "output '%s' is not a finite number at t = %g s", k->view.output[i].name, k->t);
    }
}

void cd_columns_destroy(cd_columns* k)
{
    if (!k) return;
    for (int i = 0; i < k->navailable; ++i) free(k->available[i].name);
    free(k->available);
    free(k->header);
    free(k->source);
    free(k->value);
    free(k->group);
    free(k->is_output);
    free(k->unbounded_noted);
    free(k->q);
    free(k->v);
    free(k->a);
    free(k->effort);
    free(k->state);
    free(k->output);
    free(k->output_noted);
    free(k->control);
    free(k->body);
    cd_reaction_list_close(&k->reactions);
    cd_driver_effort_list_close(&k->driver_efforts);
    cd_contact_load_list_close(&k->contacts);
    free(k->reaction_nonunique);
    free(k->driver_nonunique);
    free(k);
}

int              cd_columns_count(const cd_columns* k) { return k->count; }
const cd_column* cd_columns_header(const cd_columns* k) { return k->header; }
const bool*      cd_columns_outputs(const cd_columns* k) { return k->is_output; }

// ---- values at a sample

static void update_reactions(cd_columns* k, cardan_data* data)
{
    cd_reaction_list_update(&k->reactions, data, k->a);
    for (int i = 0; i < k->reactions.count; ++i)
        k->reaction_nonunique[i] = k->reaction_nonunique[i] || !cd_reaction_is_unique(&k->reactions.entry[i]);
}

static void update_driver_efforts(cd_columns* k, cardan_data* data)
{
    cardan_data_driver_efforts(data, k->a, k->driver_efforts.effort, k->driver_efforts.unique);
    for (int i = 0; i < k->driver_efforts.count; ++i)
        k->driver_nonunique[i] = k->driver_nonunique[i] || !k->driver_efforts.unique[i];
}

bool cd_columns_has_reactions(const cd_columns* k) { return k->needs[REACTIONS]; }

const char* cd_columns_nonunique_reaction(const cd_columns* k, int i)
{
    for (int n = 0; n < k->reactions.count; ++n)
        if (k->reaction_nonunique[n] && i-- == 0) return k->reactions.entry[n].name;
    return NULL;
}

const char* cd_columns_nonunique_driver(const cd_columns* k, int i)
{
    const char* last = "";
    for (int n = 0; n < k->driver_efforts.count; ++n) {
        const char* name = cardan_data_driver_at(k->instance->data, n).name;
        if (!k->driver_nonunique[n] || strcmp(name, last) == 0) continue;
        if (i-- == 0) return name;
        last = name;
    }
    return NULL;
}

const double* cd_columns_sample(cd_columns* k, cardan_data* data, const cardan_sample* sample)
{
    const cardan_model_view* model_view = &k->instance->model_view;
    k->t                                = sample->t;
    memcpy(k->q, sample->q, (size_t)model_view->nq * sizeof(double));
    memcpy(k->v, sample->v, (size_t)model_view->nv * sizeof(double));
    memcpy(k->a, sample->a, (size_t)model_view->nv * sizeof(double));
    if (model_view->nq_joint > model_view->nq) cardan_data_joint_motions(data, k->a, k->q, k->v, k->a);
    if (model_view->nstate > 0) memcpy(k->state, sample->state, (size_t)model_view->nstate * sizeof(double));
    k->kinetic   = sample->energy.kinetic;
    k->potential = sample->energy.potential;
    k->total     = k->kinetic + k->potential;
    k->work      = sample->work;
    for (int i = 0; i < k->instance->ncontrol; ++i)
        k->control[i] = k->instance->control_effort[k->instance->control[i]];
    if (k->needs[OUTPUTS]) cardan_data_evaluate_outputs(data, k->output);
    if (k->needs[DRIVERS]) update_driver_efforts(k, data);
    if (k->needs[EFFORTS]) cardan_data_joint_efforts(data, k->effort);
    if (k->needs[REACTIONS]) update_reactions(k, data);
    if (k->needs[CONTACTS]) cd_contact_load_list_update(&k->contacts, data);
    if (k->needs[POSITIONS] || k->needs[ORIENTATIONS] || k->needs[VELOCITIES] || k->needs[BODY_ACCELERATIONS])
        cardan_data_body_motions(data, k->a, k->body);
    for (int i = 0; i < k->count; ++i) k->value[i] = *k->source[i];
    return k->value;
}

void cd_columns_clear_accelerations(cd_columns* k)
{
    for (int i = 0; i < k->count; ++i)
        if (k->group[i] == REACTIONS || k->group[i] == DRIVERS || k->group[i] == ACCELERATIONS ||
            k->group[i] == BODY_ACCELERATIONS)
            k->value[i] = NAN;
}
