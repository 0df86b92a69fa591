// SPDX-License-Identifier: BSD-3-Clause
// Columns. Every quantity has a place in memory that is filled at each row where one of its columns was asked for;
// a column is a name, a unit and a pointer to its number there.
#include "cli/columns.h"

#include "cli/messages.h"
#include "cli/reactions.h"
#include "core/memory.h"
#include "core/text.h"

#include <fnmatch.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

// Kinds of columns: the words that --columns knows, and which of them the default holds.
typedef enum group {
    JOINTS,
    ENERGY,
    OUTPUTS,
    STATES,
    DRIVERS,
    CONTROLS,
    ACCELERATIONS,
    EFFORTS,
    REACTIONS,
    POSITIONS,
    ORIENTATIONS,
    VELOCITIES,
    BODY_ACCELERATIONS,
    WORK,
    NGROUP
} group;

static const char* const group_word[NGROUP] = {
    "joints",  "energy",    "outputs",   "states",       "drivers",    "controls",           "accelerations",
    "efforts", "reactions", "positions", "orientations", "velocities", "body-accelerations", "work"};

static const char* const aliases[] = {"default", "bodies", "all", NULL};

typedef struct item {
    char*         name;
    const char*   unit;
    const double* from;
    group         group;
} item;

struct cd_columns {
    int   nitem, item_capacity;
    item* item;

    int            count;
    cd_column*     head;  // (count)
    const double** from;  // (count)
    double*        value; // (count)
    group*         group; // (count)
    bool*          told;  // (count) that it has no bound at a row
    bool           needs[NGROUP];

    const cd_case* c;
    cardan_view    view;
    double         t;
    double *       q, *v, *a, *effort, *state, *output, *control;
    cardan_motion* body; // (nbody)
    cd_reactions   reactions;
    cd_efforts     drive;
    bool *         loose, *loose_drive; // (as many of each) not unique at some row
    double         kinetic, potential, total, work;
    bool*          noted; // (noutput) that it is not finite
    bool           failed;
};

// ---- everything there is

static void add(cd_columns* k, group group, const double* from, const char* unit, const char* owner, const char* what,
                int number)
{
    cd_text name = {0};
    cd_text_add(&name, owner);
    if (*what) cd_text_format(&name, ".%s", what);
    if (number > 0) cd_text_format(&name, "%d", number);
    char* text = cd_text_take(&name);
    if (!text || !cd_grow((void**)&k->item, &k->item_capacity, k->nitem, sizeof *k->item)) {
        free(text);
        k->failed = true;
        return;
    }
    k->item[k->nitem++] = (item){text, unit, from, group};
}

// NAME.fx ... of a joint or constraint; NAME.transmitted1, ... of a gear.
static void add_reaction(cd_columns* k, const cd_reacting_one* one)
{
    static const char* const part[] = {"fx", "fy", "fz", "tx", "ty", "tz"};
    for (int n = 0; one->wrench && n < 3; ++n) add(k, REACTIONS, &one->wrench->force[n], "N", one->name, part[n], 0);
    for (int n = 0; one->wrench && n < 3; ++n)
        add(k, REACTIONS, &one->wrench->torque[n], "N m", one->name, part[3 + n], 0);
    for (int n = 0; one->transmission && n < one->transmission->n; ++n)
        add(k, REACTIONS, &one->transmission->effort[n], one->transmission->unit[n], one->name, "transmitted", n + 1);
}

static void add_joint(cd_columns* k, int j)
{
    const cardan_model* m    = k->c->model;
    const cardan_slot   slot = k->c->look.place[j];
    const char*         name = cardan_model_joint_name(m, j);
    if (slot.q >= 0) {
        for (int i = 0; i < slot.nq; ++i)
            add(k, JOINTS, &k->q[slot.q + i], cardan_model_q_unit(m, j, i), name, "q", slot.nq > 1 ? i + 1 : 0);
        for (int i = 0; i < slot.nv; ++i)
            add(k, JOINTS, &k->v[slot.v + i], cardan_model_v_unit(m, j, i), name, "v", slot.nv > 1 ? i + 1 : 0);
        for (int i = 0; i < slot.nv; ++i) {
            const bool turn   = strcmp(cardan_model_v_unit(m, j, i), "rad/s") == 0;
            const int  number = slot.nv > 1 ? i + 1 : 0;
            add(k, ACCELERATIONS, &k->a[slot.v + i], turn ? "rad/s^2" : "m/s^2", name, "a", number);
            add(k, EFFORTS, &k->effort[slot.v + i], turn ? "N m" : "N", name, "effort", number);
        }
    }
    add_reaction(k, &k->reactions.one[j]);
}

// NAME.drive, numbered where one name drives several motions.
static void add_driver(cd_columns* k, int i, int count)
{
    const cardan_driver d     = cardan_driver_at(k->c->data, i);
    int                 first = i, last = i;
    while (first > 0 && strcmp(cardan_driver_at(k->c->data, first - 1).name, d.name) == 0) --first;
    while (last + 1 < count && strcmp(cardan_driver_at(k->c->data, last + 1).name, d.name) == 0) ++last;
    add(k, DRIVERS, &k->drive.effort[i], d.unit, d.name, "drive", first == last ? 0 : i - first + 1);
}

// JOINT.control, numbered as its velocities.
static void add_control(cd_columns* k, int i)
{
    int        local;
    const int  v = k->c->control[i], j = cardan_model_joint_of_velocity(k->c->model, v, &local);
    const bool turn = strcmp(cardan_model_v_unit(k->c->model, j, local), "rad/s") == 0;
    add(k, CONTROLS, &k->control[i], turn ? "N m" : "N", cardan_model_joint_name(k->c->model, j), "control",
        k->c->look.slot[j].nv > 1 ? local + 1 : 0);
}

static void add_vector(cd_columns* k, group group, const double* from, const char* unit, const char* owner,
                       const char* prefix)
{
    static const char* const axis[] = {"x", "y", "z"};
    for (int i = 0; i < 3; ++i) {
        char what[16];
        strcpy(what, prefix);
        strcat(what, axis[i]);
        add(k, group, from + i, unit, owner, what, 0);
    }
}

static void add_body(cd_columns* k, int i)
{
    static const char* const part[] = {"qw", "qx", "qy", "qz"};
    const char*              name   = k->view.body[i].name;
    const cardan_motion*     b      = &k->body[i];
    add_vector(k, POSITIONS, b->p, "m", name, "");
    for (int n = 0; n < 4; ++n) add(k, ORIENTATIONS, &b->q[n], "1", name, part[n], 0);
    add_vector(k, VELOCITIES, b->v, "m/s", name, "v");
    add_vector(k, VELOCITIES, b->w, "rad/s", name, "w");
    add_vector(k, BODY_ACCELERATIONS, b->a, "m/s^2", name, "a");
    add_vector(k, BODY_ACCELERATIONS, b->alpha, "rad/s^2", name, "alpha");
}

static void add_all(cd_columns* k)
{
    for (int j = 0; j < k->c->look.njoint; ++j) add_joint(k, j);
    for (int i = k->c->look.njoint; i < k->reactions.count; ++i) add_reaction(k, &k->reactions.one[i]);
    const int drivers = cardan_driver_count(k->c->data);
    for (int i = 0; i < drivers; ++i) add_driver(k, i, drivers);
    for (int i = 0; i < k->c->ncontrol; ++i) add_control(k, i);
    add(k, ENERGY, &k->kinetic, "J", "energy", "kinetic", 0);
    add(k, ENERGY, &k->potential, "J", "energy", "potential", 0);
    add(k, ENERGY, &k->total, "J", "energy", "total", 0);
    add(k, WORK, &k->work, "J", "energy", "work", 0);
    for (int i = 0; i < k->view.noutput; ++i)
        add(k, OUTPUTS, &k->output[i], k->view.output[i].unit, k->view.output[i].name, "", 0);
    for (int i = 0; i < k->view.nstate; ++i) add(k, STATES, &k->state[i], NULL, k->view.state[i].name, "", 0);
    for (int i = 0; i < k->view.nbody; ++i) add_body(k, i);
}

// ---- what was asked for

static bool in_word(const char* word, group g)
{
    if (strcmp(word, "all") == 0) return true;
    if (strcmp(word, "default") == 0) return g <= CONTROLS;
    if (strcmp(word, "bodies") == 0) return g >= POSITIONS && g <= BODY_ACCELERATIONS;
    return strcmp(word, group_word[g]) == 0;
}

static bool is_word(const char* word)
{
    for (int g = 0; g < NGROUP; ++g)
        if (in_word(word, (group)g)) return true;
    return false;
}

static const char* candidate(void* user, int i)
{
    const cd_columns* k = user;
    if (i < NGROUP) return group_word[i];
    if (i < NGROUP + 3) return aliases[i - NGROUP];
    return i - NGROUP - 3 < k->nitem ? k->item[i - NGROUP - 3].name : NULL;
}

// Mark what a word or pattern means. False where that is nothing and the word is not known.
static bool mark(const cd_columns* k, const char* word, bool* wanted)
{
    const bool known = is_word(word);
    bool       any   = false;
    for (int i = 0; i < k->nitem; ++i) {
        const bool hit = known ? in_word(word, k->item[i].group)
                               : strcmp(word, k->item[i].name) == 0 || fnmatch(word, k->item[i].name, 0) == 0;
        any            = any || hit;
        wanted[i]      = wanted[i] || hit;
    }
    return any || known || strcmp(word, "t") == 0;
}

static bool mark_list(cd_columns* k, const char* list, bool* wanted)
{
    char* copy = cd_copy_string(list);
    bool  good = copy != NULL;
    if (!copy) cd_say_no_memory();
    char* rest = copy;
    for (char* word; good && (word = strsep(&rest, ","));) {
        word += strspn(word, " ");
        for (size_t n = strlen(word); n > 0 && word[n - 1] == ' ';) word[--n] = 0;
        if (*word && !mark(k, word, wanted)) {
            cd_say_unknown("column", word, candidate, k, "`cardan run --help` says what --columns takes");
            good = false;
        }
    }
    free(copy);
    return good;
}

// The columns wanted, in the order of `add_all`, behind t.
static bool gather(cd_columns* k, const bool* wanted)
{
    k->count = 1;
    for (int i = 0; i < k->nitem; ++i) k->count += wanted[i];
    k->head  = cd_allocate((size_t)k->count, sizeof *k->head);
    k->from  = cd_allocate((size_t)k->count, sizeof *k->from);
    k->value = cd_allocate((size_t)k->count, sizeof *k->value);
    k->group = cd_allocate((size_t)k->count, sizeof *k->group);
    k->told  = cd_allocate((size_t)k->count, sizeof *k->told);
    if (!k->head || !k->from || !k->value || !k->group || !k->told) return false;
    k->head[0]  = (cd_column){"t", "s"};
    k->from[0]  = &k->t;
    k->group[0] = NGROUP;
    for (int i = 0, n = 1; i < k->nitem; ++i) {
        if (!wanted[i]) continue;
        k->head[n]                 = (cd_column){k->item[i].name, k->item[i].unit};
        k->group[n]                = k->item[i].group;
        k->from[n++]               = k->item[i].from;
        k->needs[k->item[i].group] = true;
    }
    return true;
}

static bool allocate(cd_columns* k)
{
    const cardan_model_view* look = &k->c->look;
    k->q                          = cd_allocate((size_t)look->nq_all + 1, sizeof(double));
    k->v                          = cd_allocate((size_t)look->nv_all + 1, sizeof(double));
    k->a                          = cd_allocate((size_t)look->nv_all + 1, sizeof(double));
    k->effort                     = cd_allocate((size_t)look->nv_all + 1, sizeof(double));
    k->state                      = cd_allocate((size_t)look->nstate + 1, sizeof(double));
    k->output                     = cd_allocate((size_t)k->view.noutput + 1, sizeof(double));
    k->noted                      = cd_allocate((size_t)k->view.noutput + 1, sizeof *k->noted);
    k->control                    = cd_allocate((size_t)k->c->ncontrol + 1, sizeof(double));
    k->body                       = cd_allocate((size_t)k->view.nbody + 1, sizeof *k->body);
    if (!cd_reactions_open(&k->reactions, k->c) || !cd_efforts_open(&k->drive, k->c)) return false;
    k->loose       = cd_allocate((size_t)k->reactions.count + 1, sizeof *k->loose);
    k->loose_drive = cd_allocate((size_t)k->drive.n + 1, sizeof *k->loose_drive);
    return k->q && k->v && k->a && k->effort && k->state && k->output && k->noted && k->control && k->body &&
           k->loose && k->loose_drive;
}

cd_columns* cd_columns_create(const cd_case* c, const char* list)
{
    cd_columns* k = cd_allocate(1, sizeof *k);
    if (!k) return cd_say_no_memory(), NULL;
    k->c        = c;
    k->view     = cardan_description_view(cardan_model_description(c->model));
    bool memory = allocate(k);
    if (memory) add_all(k);
    bool* wanted = cd_allocate((size_t)k->nitem + 1, sizeof *wanted);
    memory       = memory && wanted && !k->failed;
    bool good    = memory && mark_list(k, list ? list : "default", wanted);
    if (good) good = memory = gather(k, wanted);
    if (!memory) cd_say_no_memory();
    free(wanted);
    if (good) return k;
    cd_columns_destroy(k);
    return NULL;
}

// The built-in column, or another one, of this name.
static const item* namesake(const cd_columns* k, const char* name, const double* own)
{
    for (int i = 0; i < k->nitem; ++i)
        if (k->item[i].from != own && strcmp(k->item[i].name, name) == 0) return &k->item[i];
    return NULL;
}

static cardan_status fail_namesake(const cd_columns* k, const char* what, const char* name, const double* own,
                                   cardan_place place, cardan_report* report)
{
    const item* other = namesake(k, name, own);
    if (!other && strcmp(name, "t") != 0) return CARDAN_OK;
    return cardan_fail(report, CARDAN_BAD_INPUT, CARDAN_CODE_DUPLICATE_COLUMN, place,
                       "%s '%s': the results have a column of this name already%s; choose another", what, name,
                       !other                    ? ", the time"
                       : other->group == OUTPUTS ? ", an output"
                       : other->group == STATES  ? ", a state"
                                                 : "");
}

cardan_status cd_columns_check(const cd_case* c, cardan_report* report)
{
    const cardan_view view   = cardan_description_view(cardan_model_description(c->model));
    cardan_status     status = CARDAN_OK;
    if (view.noutput == 0 && view.nstate == 0) return status;
    cd_columns* k = cd_columns_create(c, NULL);
    if (!k) return CARDAN_NO_MEMORY;
    for (int i = 0; i < view.noutput; ++i)
        if (fail_namesake(k, "output", view.output[i].name, &k->output[i], view.output[i].place, report))
            status = CARDAN_BAD_INPUT;
    for (int i = 0; i < view.nstate; ++i)
        if (fail_namesake(k, "state", view.state[i].name, &k->state[i], view.state[i].place, report))
            status = CARDAN_BAD_INPUT;
    cd_columns_destroy(k);
    return status;
}

// Reactions and efforts of drivers that grow without bound towards a singular pose, or that no pose beside it tells,
// have no number there.
static void doubt_unbounded(cd_columns* k, cardan_report* report)
{
    cd_text names = {0};
    int     count = 0;
    for (int i = 0; i < k->count; ++i) {
        if ((k->group[i] != REACTIONS && k->group[i] != DRIVERS) || !isnan(k->value[i]) || k->told[i]) continue;
        k->told[i] = true;
        cd_text_format(&names, "%s%s", count++ ? ", " : "", k->head[i].name);
    }
    if (count == 0) return;
    char* text = cd_text_take(&names);
    if (!text)
        cardan_fail(report, CARDAN_NO_MEMORY, CARDAN_CODE_OUT_OF_MEMORY, cardan_nowhere(), "out of memory");
    else
        cardan_note(report, CARDAN_CODE_SINGULAR_VALUES_OMITTED, cardan_nowhere(),
                    "at t = %g s, a singular pose, these have no bound, or are not determined, and cells of theirs are "
                    "empty at rows that fall on such poses: %s",
                    k->t, text);
    free(text);
}

void cd_columns_doubt(cd_columns* k, cardan_report* report)
{
    if (k->needs[REACTIONS] || k->needs[DRIVERS]) doubt_unbounded(k, report);
    if (!k->needs[OUTPUTS]) return;
    for (int i = 0; i < k->view.noutput; ++i) {
        if (isfinite(k->output[i]) || k->noted[i]) continue;
        k->noted[i] = true;
        cardan_note(report, CARDAN_CODE_NOT_FINITE, k->view.output[i].place,
                    "output '%s' is not a finite number at t = %g s", k->view.output[i].name, k->t);
    }
}

void cd_columns_destroy(cd_columns* k)
{
    if (!k) return;
    for (int i = 0; i < k->nitem; ++i) free(k->item[i].name);
    free(k->item);
    free(k->head);
    free(k->from);
    free(k->value);
    free(k->group);
    free(k->told);
    free(k->q);
    free(k->v);
    free(k->a);
    free(k->effort);
    free(k->state);
    free(k->output);
    free(k->noted);
    free(k->control);
    free(k->body);
    cd_reactions_close(&k->reactions);
    cd_efforts_close(&k->drive);
    free(k->loose);
    free(k->loose_drive);
    free(k);
}

int              cd_columns_count(const cd_columns* k) { return k->count; }
const cd_column* cd_columns_head(const cd_columns* k) { return k->head; }

// ---- a row

static void react(cd_columns* k, cardan_data* data)
{
    cd_reactions_at(&k->reactions, data, k->a);
    for (int i = 0; i < k->reactions.count; ++i) k->loose[i] = k->loose[i] || !cd_reaction_unique(&k->reactions.one[i]);
}

static void drive(cd_columns* k, cardan_data* data)
{
    cardan_driver_efforts(data, k->a, k->drive.effort, k->drive.unique);
    for (int i = 0; i < k->drive.n; ++i) k->loose_drive[i] = k->loose_drive[i] || !k->drive.unique[i];
}

bool cd_columns_react(const cd_columns* k) { return k->needs[REACTIONS]; }

const char* cd_columns_loose(const cd_columns* k, int i)
{
    for (int n = 0; n < k->reactions.count; ++n)
        if (k->loose[n] && i-- == 0) return k->reactions.one[n].name;
    return NULL;
}

const char* cd_columns_loose_driver(const cd_columns* k, int i)
{
    const char* last = "";
    for (int n = 0; n < k->drive.n; ++n) {
        const char* name = cardan_driver_at(k->c->data, n).name;
        if (!k->loose_drive[n] || strcmp(name, last) == 0) continue;
        if (i-- == 0) return name;
        last = name;
    }
    return NULL;
}

const double* cd_columns_row(cd_columns* k, cardan_data* data, const cardan_row* row)
{
    const cardan_model_view* look = &k->c->look;
    k->t                          = row->t;
    memcpy(k->q, row->q, (size_t)look->nq * sizeof(double));
    memcpy(k->v, row->v, (size_t)look->nv * sizeof(double));
    memcpy(k->a, row->a, (size_t)look->nv * sizeof(double));
    if (look->nq_all > look->nq) cardan_joint_values(data, k->a, k->q, k->v, k->a);
    if (look->nstate > 0) memcpy(k->state, row->state, (size_t)look->nstate * sizeof(double));
    k->kinetic   = row->energy.kinetic;
    k->potential = row->energy.potential;
    k->total     = k->kinetic + k->potential;
    k->work      = row->work;
    for (int i = 0; i < k->c->ncontrol; ++i) k->control[i] = k->c->chosen[k->c->control[i]];
    if (k->needs[OUTPUTS]) cardan_outputs(data, k->output);
    if (k->needs[DRIVERS]) drive(k, data);
    if (k->needs[EFFORTS]) cardan_joint_efforts(data, k->effort);
    if (k->needs[REACTIONS]) react(k, data);
    if (k->needs[POSITIONS] || k->needs[ORIENTATIONS] || k->needs[VELOCITIES] || k->needs[BODY_ACCELERATIONS])
        cardan_bodies(data, k->a, k->body);
    for (int i = 0; i < k->count; ++i) k->value[i] = *k->from[i];
    return k->value;
}

void cd_columns_forget(cd_columns* k)
{
    for (int i = 0; i < k->count; ++i)
        if (k->group[i] == REACTIONS || k->group[i] == DRIVERS || k->group[i] == ACCELERATIONS ||
            k->group[i] == BODY_ACCELERATIONS)
            k->value[i] = NAN;
}
