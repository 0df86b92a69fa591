// SPDX-License-Identifier: BSD-3-Clause
// Traces of loops against the runtime far from where they were made: every kind of constraint on free bodies, which
// turn over, and every mechanism of models/ that closes at such poses, on whatever branch. What a trace decides at its
// own state must hold at all others, or it must tell that it does not there, or the form must be refused.
#include "random_tree.h"
#include "sentences.h"
#include "test.h"

#include "dynamics/data.h"
#include "generate/trace/method_search.h"
#include "generate/trace/link_tree.h"

#include <cardan/assemble.h>
#include <cardan/io.h>
#include <cardan/kinematics.h>
#include <dirent.h>
#include <sys/stat.h>

enum { STATES = 6, TRIALS = 40 };

static cardan_report report;

// A state whose loops close, from a guess that has nothing to do with the start but for what slides: hinges have turned
// several times.
static bool far_state(const cardan_model* m, cardan_data* data, const cd_input_layout* in, dice* d, double* x)
{
    const cardan_model_view look  = cardan_model_get_view(m);
    cardan_start*           start = calloc((size_t)look.njoint + 1, sizeof *start);
    for (int j = 0; j < look.njoint; ++j) {
        const cardan_index_range slot = look.tree_range[j];
        start[j]                      = cardan_start_default(m, j);
        if (slot.q < 0) continue;
        start[j].position_mode = start[j].velocity_mode = CARDAN_START_GUESS;
        const bool quaternion                           = slot.nq > slot.nv;
        const int  plain                                = quaternion ? slot.nq - 4 : slot.nq;
        for (int i = 0; i < plain; ++i) start[j].q[i] += dice_range(d, -0.4, 0.4);
        double length = 0;
        for (int i = plain; i < slot.nq; ++i)
            start[j].q[i] = dice_range(d, -1, 1), length += start[j].q[i] * start[j].q[i];
        for (int i = plain; i < slot.nq; ++i) start[j].q[i] /= sqrt(length);
        if (slot.nq == 1 && m->joint[j].elementary[0].motion == CD_REVOLUTE) start[j].q[0] += dice_range(d, -9, 9);
        for (int i = 0; i < slot.nv; ++i) start[j].v[i] = dice_range(d, -1, 1);
    }
    for (int i = 0; i < in->count; ++i) x[i] = dice_range(d, -1, 1);
    x[in->time] = fabs(x[in->time]);
    for (int i = 0; i < look.nq; ++i) x[in->q + i] = look.q_start[i];
    bool closed = cardan_data_set_state(data, x[in->time], x + in->q, x + in->v, x + in->state) == CARDAN_OK;
    closed      = closed && cardan_assemble(data, start, x + in->q, x + in->v, NULL, NULL) == CARDAN_OK;
    free(start);
    return closed;
}

// The start, closed.
static bool start_state(const cardan_model* m, cd_reference* referee, cardan_data* data, const cd_input_layout* in,
                        dice* d, double* x)
{
    const cardan_model_view look = cardan_model_get_view(m);
    for (int i = 0; i < in->count; ++i) x[i] = dice_range(d, -1, 1);
    x[in->time] = 0;
    for (int i = 0; i < look.nq; ++i) x[in->q + i] = look.q_start[i];
    return cd_reference_assemble(referee, in, x, NULL) == CARDAN_OK &&
           cardan_data_set_state(data, x[in->time], x + in->q, x + in->v, x + in->state) == CARDAN_OK;
}

static double distance(int n, const double* a, const double* b)
{
    double off = 0, largest = 0;
    for (int i = 0; i < n; ++i) {
        off     = isfinite(a[i]) ? fmax(off, fabs(a[i] - b[i])) : INFINITY;
        largest = fmax(largest, fabs(b[i]));
    }
    return off / (largest > 0 ? largest : 1);
}

static cd_input_layout sources_of(const cardan_model_view* look)
{
    cd_input_layout in = {.q = 0, .v = look->nq};
    in.a               = in.v + look->nv;
    in.effort          = in.a + look->nv;
    in.state           = in.effort + look->nv;
    in.time            = in.state + look->nstate;
    in.count           = in.time + 1;
    return in;
}

// Not where the library's own formulations differ, beside a singular pose.
static bool is_sound(cardan_data* data, cardan_data* other)
{
    enum { MOST = 100 };
    const int nv = data->m->nv;
    double    a[MOST], b[MOST];
    if (nv > MOST) return false;
    cardan_data_set_state(other, data->t, data->q, data->v, data->state);
    return cardan_accelerate(data, a, NULL, NULL) == CARDAN_OK &&
           cardan_accelerate(other, b, NULL, NULL) == CARDAN_OK && distance(nv, a, b) < 1e-11;
}

// How many far states closed, and how many of them were right and not told to be lost; whether the form was there.
typedef struct outcome {
    bool   traced, refused;
    int    found, right;
    int    silent, alarms; // wrong by more than 1e-8, not told; right ones that were told
    bool   begins;         // right at the start
    double off;            // of those that were not told
} outcome;

static cardan_status trace_by(const cardan_model* m, const cd_routine* routine, const cd_input_layout* in, int way,
                              cd_graph** graph, cd_node* node)
{
    cd_link_tree* s = cd_link_tree_create(m);
    *graph          = cd_graph_create_traced();
    CHECK(s && *graph);
    const cardan_status status = routine->trace(*graph, s, in, way, node);
    cd_link_tree_destroy(s);
    return status;
}

// `way`: by this formulation alone; NULL: by the one that leaves fewest operations.
static outcome try_form(const cardan_model* m, const char* form, const char* way, double tolerance)
{
    outcome                 o       = {0};
    const cardan_model_view look    = cardan_model_get_view(m);
    cd_input_layout         in      = sources_of(&look);
    const cd_routine*       routine = NULL;
    cd_routine_result       result[CD_MAX_RESULTS];
    cd_reference*           referee = NULL;
    cardan_data *           data = NULL, *other = NULL;
    dice                    d = {11};
    int                     n = 0;
    for (int i = 0; i < cd_routine_count(); ++i)
        if (strcmp(cd_routine_at(i)->form, form) == 0) routine = cd_routine_at(i);
    CHECK(routine != NULL);
    cardan_report_clear(&report);
    o.refused = routine->check_model && routine->check_model(m, &report) != CARDAN_OK;
    if (o.refused) return o;
    const int nresult = routine->describe_results(m, result);
    for (int k = 0; k < nresult; ++k) n += cd_result_count(&result[k]);
    const bool tells = cd_has_return_code(nresult, result);
    double *   x = calloc((size_t)in.count, sizeof *x), *sample = calloc((size_t)in.count, sizeof *x);
    double *   expected = calloc((size_t)n + 1, sizeof *expected), *value = calloc((size_t)n + 1, sizeof *value);
    cd_node*   node  = calloc((size_t)n + 1, sizeof *node);
    cd_graph*  graph = NULL;
    CHECK(cd_reference_create(m, NULL, &referee, &report) == CARDAN_OK);
    CHECK(cardan_data_create(m, cardan_formulation_find("dense"), &data, &report) == CARDAN_OK);
    CHECK(cardan_data_create(m, cardan_formulation_find("reduction"), &other, &report) == CARDAN_OK);
    for (int i = 0; i < in.count; ++i) sample[i] = dice_range(&d, -1, 1);
    sample[in.time] = fabs(sample[in.time]);
    in.trace_input  = sample;
    bool good       = false;
    cd_reference_set_distance(referee, 0.1);
    for (int k = 0; k < 6 && !good; ++k, sample[in.time] *= good ? 1 : 0.1) { // drivers are near their start then
        for (int i = 0; i < look.nq; ++i) sample[in.q + i] = look.q_start[i];
        good = cd_reference_assemble(referee, &in, sample, &report) == CARDAN_OK;
    }
    good = good && cd_reference_set_state(referee, &in, sample) == CARDAN_OK &&
           routine->reference(referee, &in, sample, expected, &report) == CARDAN_OK;
    const cd_trace_search thrift = {.regroup = true, .expected = expected};
    if (good && way)
        good = trace_by(m, routine, &in, cardan_formulation_find(way), &graph, node) == CARDAN_OK;
    else
        good = good && cd_trace_cheapest(m, routine, &in, thrift, &graph, n, node) == CARDAN_OK;
    o.traced      = good;
    cd_tape* tape = good ? cd_tape_create(graph, n, node) : NULL;
    double*  work = calloc(tape ? (size_t)cd_tape_work(tape) + 1 : 1, sizeof *work);
    cd_reference_set_distance(referee, 0);
    for (int k = 0; tape && k < TRIALS && o.found < STATES; ++k) {
        if (!(k == 0 ? start_state(m, referee, data, &in, &d, x) : far_state(m, data, &in, &d, x)) ||
            !is_sound(data, other) || cd_reference_set_state(referee, &in, x) != CARDAN_OK ||
            routine->reference(referee, &in, x, expected, NULL) != CARDAN_OK)
            continue;
        cd_tape_run(tape, x, work, value);
        CHECK(cd_reference_adopt_normal_part(referee, routine, &in, x, value, expected) == CARDAN_OK);
        const bool   lost = tells && value[n - 1] != 0;
        const double off  = distance(n - tells, value, expected);
        o.off             = lost ? o.off : fmax(o.off, off);
        ++o.found;
        o.right += off <= tolerance && !lost;
        o.silent += !(off <= 1e-8) && !lost;
        o.alarms += off <= 1e-10 && lost;
        o.begins = o.begins || (k == 0 && off <= tolerance && !lost);
    }
    cd_tape_destroy(tape);
    cd_graph_destroy(graph);
    cd_reference_destroy(referee);
    cardan_data_destroy(data);
    cardan_data_destroy(other);
    free(x), free(sample), free(expected), free(value), free(node), free(work);
    return o;
}

// ---- constraints between free bodies

static const char* const bodies =
    "cardan: 1\nname: zoo\ngravity: [0.5, 0.3, -9.81]\nbodies:\n"
    "  b: {at: [0.2, 0, 0.3], mass: 1, inertia: [0.1, 0.2, 0.25]}\n"
    "  c: {at: [0.9, 0.1, 0.3], mass: 0.7, inertia: [0.05, 0.07, 0.08]}\n"
    "joints:\n  fb: {free: [ground, b], start: {guess: true}}\n  fc: {free: [b, c], start: {guess: true}}\n";

static cardan_model* zoo_model(const char* more, cardan_description** description)
{
    char          text[4000];
    cardan_model* model = NULL;
    snprintf(text, sizeof text, "%s%s", bodies, more);
    *description = NULL;
    cardan_report_clear(&report);
    CHECK(cardan_load_text(text, "zoo.yaml", NULL, description, &report) == CARDAN_OK);
    if (*description)
        CHECK(cardan_model_compile(*description, CARDAN_TREE_BREADTH_FIRST, &model, &report) == CARDAN_OK);
    if (!model && report.count > 0) printf("%s\n", report.message[0].text);
    return model;
}

static void kind(const char* more)
{
    cardan_description* description;
    cardan_model*       model = zoo_model(more, &description);
    if (!model) return;
    static const char* const form[] = {"motion", "rate", "energy"};
    for (int i = 0; i < 3; ++i) {
        const outcome o = try_form(model, form[i], NULL, 1e-12);
        if (!o.traced || o.found < STATES || o.right < o.found)
            printf("%s: %s traced %d, %d of %d states right, off by %.2g\n", more, form[i], o.traced, o.right, o.found,
                   o.off);
        CHECK(o.traced);
        CHECK(o.found == STATES);
        CHECK(o.right == o.found);
    }
    cardan_model_destroy(model);
    cardan_description_destroy(description);
}

// What a trace cannot decide for all states is refused, and says so.
static void refused(const char* more, const char* parts)
{
    cardan_description* description;
    cardan_model*       model = zoo_model(more, &description);
    if (!model) return;
    CHECK(try_form(model, "motion", NULL, 0).refused);
    CHECK_CASE(&report, more, parts);
    CHECK(try_form(model, "rate", NULL, 0).refused);
    CHECK(try_form(model, "energy", NULL, 1e-12).right == STATES);
    cardan_model_destroy(model);
    cardan_description_destroy(description);
}

// ---- mechanisms of models/: none silently wrong

static int whole, told, alarms; // mechanisms that were right at all states; states that were told to be lost, and those
                                // of them that were right: of N-four-bar, whose accelerations do not need the pivot

static void mechanism(const char* path, const char* form, const char* way, double tolerance)
{
    cardan_description* description = NULL;
    cardan_model*       model       = NULL;
    cardan_report_clear(&report);
    CHECK(cardan_load(path, NULL, &description, &report) == CARDAN_OK);
    if (description) CHECK(cardan_model_compile(description, CARDAN_TREE_BREADTH_FIRST, &model, &report) == CARDAN_OK);
    if (model && cardan_model_get_view(model).nconstraint > 0 && cardan_model_get_view(model).nv <= 30) {
        const outcome o = try_form(model, form, way, tolerance);
        if (o.right < o.found || o.silent || o.alarms)
            printf("%s: %s, %d of %d states right, %d wrong ones not told, %d right ones told, off by %.2g\n", path,
                   form, o.right, o.found, o.silent, o.alarms, o.off);
        CHECK(o.silent == 0);
        CHECK(o.off <= tolerance); // what is not told is right
        CHECK(o.begins || !o.traced || o.found == 0);
        whole += o.traced && o.right == o.found;
        told += o.found - o.right;
        alarms += o.alarms;
    }
    cardan_model_destroy(model);
    cardan_description_destroy(description);
}

static void walk(const char* folder)
{
    char path[1024], file[2048];
    snprintf(path, sizeof path, "%s/%s", CARDAN_SOURCE, folder);
    DIR* dir = opendir(path);
    for (struct dirent* e = dir ? readdir(dir) : NULL; e; e = readdir(dir)) {
        if (e->d_name[0] == '.' || e->d_type != DT_DIR) continue;
        struct stat s;
        snprintf(file, sizeof file, "%s/%.200s/%.200s.yaml", path, e->d_name, e->d_name);
        if (stat(file, &s) == 0) RUN(mechanism(file, "motion", NULL, 1e-9));
    }
    if (dir) closedir(dir);
}

// At least so many of the states that assembly finds are lost.
static void other_branches(const char* path, const char* form, const char* way, double tolerance, int least)
{
    told = 0;
    mechanism(path, form, way, tolerance);
    CHECK(told >= least);
}

static void no_slopes_by(const char* path, const char* way)
{
    cardan_description* description = NULL;
    cardan_model*       model       = NULL;
    CHECK(cardan_load(path, NULL, &description, &report) == CARDAN_OK);
    CHECK(cardan_model_compile(description, CARDAN_TREE_BREADTH_FIRST, &model, &report) == CARDAN_OK);
    CHECK(!try_form(model, "motion_d", way, 1e-6).traced && try_form(model, "motion", way, 1e-6).traced);
    cardan_model_destroy(model);
    cardan_description_destroy(description);
}

static void models(void)
{
    CHECK(whole >= 24);
    CHECK(told >= 5 && alarms <= 3);
}

// `test_generated_zoo states MODEL`: far states of a model for others to try, a line each: inputs q, v, a, effort,
// states and time of a routine, then the accelerations of the library.
static int print_states(const char* path)
{
    enum { WANTED = 20, MOST = 200 };
    cardan_description* description = NULL;
    cardan_model*       model       = NULL;
    cd_reference*       referee     = NULL;
    cardan_data *       data = NULL, *other = NULL;
    const cd_routine*   motion = NULL;
    dice                d      = {11};
    double              x[MOST], a[MOST];
    int                 found = 0;
    for (int i = 0; i < cd_routine_count(); ++i)
        if (strcmp(cd_routine_at(i)->form, "motion") == 0) motion = cd_routine_at(i);
    if (cardan_load(path, NULL, &description, &report) != CARDAN_OK ||
        cardan_model_compile(description, CARDAN_TREE_BREADTH_FIRST, &model, &report) != CARDAN_OK ||
        cd_reference_create(model, NULL, &referee, &report) != CARDAN_OK ||
        cardan_data_create(model, cardan_formulation_find("dense"), &data, &report) != CARDAN_OK ||
        cardan_data_create(model, cardan_formulation_find("reduction"), &other, &report) != CARDAN_OK)
        return 1;
    const cardan_model_view look = cardan_model_get_view(model);
    const cd_input_layout   in   = sources_of(&look);
    for (int k = 0; in.count <= MOST && k < 10 * WANTED && found < WANTED; ++k) {
        if (!far_state(model, data, &in, &d, x) || !is_sound(data, other) ||
            cd_reference_set_state(referee, &in, x) != CARDAN_OK ||
            motion->reference(referee, &in, x, a, NULL) != CARDAN_OK)
            continue;
        for (int i = 0; i < in.count; ++i) printf("%.17g ", x[i]);
        for (int i = 0; i < look.nv; ++i) printf("%.17g%c", a[i], i < look.nv - 1 ? ' ' : '\n');
        ++found;
    }
    cardan_data_destroy(data), cardan_data_destroy(other);
    cd_reference_destroy(referee);
    cardan_model_destroy(model);
    cardan_description_destroy(description);
    return found < WANTED;
}

int main(int argc, char** argv)
{
    if (argc == 3 && strcmp(argv[1], "states") == 0) return print_states(argv[2]);
    RUN(kind("constraints:\n  k: {rolling: [b, {on: ground}], radius: 0.2, shape: sphere}\n"));
    RUN(kind("constraints:\n  k: {rolling: [b, {on: ground}], radius: 0.3}\n"));
    RUN(kind("constraints:\n  k: {point_on_line: [{on: b, at: [0, 0, 0.4]}, {on: ground, at: [0, 0, 0.2]}]}\n  k2: "
             "{point_on_line: [{on: c, at: [0.3, 0.1, 0.2]}, {on: b, at: [0.3, 0.1, 0.9]}]}\n"));
    RUN(kind("constraints:\n  k: {lock: [{on: b, at: [0.1, 0.2, 0.3]}, ground], rx: free, ry: free}\n  k2: {lock: "
             "[{on: c, at: [0.5, 0.2, 0.3]}, b], rx: free, ry: free, rz: free}\n"));
    RUN(kind(
        "constraints:\n  k: {lock: [{on: b, at: [0.1, 0.2, 0.3]}, ground], rx: =0.5*t^2+t, ry: free}\n  k2: {lock: "
        "[{on: c, at: [0.5, 0.2, 0.3]}, b], rx: free, ry: free, rz: =sin(2*t)}\n"));
    RUN(kind("constraints:\n  k: {point_in_plane: [{on: b, at: [0, 0, 0.4]}, ground]}\n  k2: {point_in_plane: [{on: c, "
             "at: [0.3, 0.1, 0.2]}, b]}\n"));
    RUN(kind("constraints:\n  k: {distance: [{on: b, at: [0, 0, 0.4]}, {on: ground, at: [1, 0, 0]}]}\n  k2: {distance: "
             "[{on: c, at: [0.3, 0.1, 0.2]}, {on: b, at: [0.2, 0.5, 0]}]}\n"));
    RUN(kind("constraints:\n  k: {parallel: [c, b]}\n"));
    RUN(kind("constraints:\n  k: {orientation: [c, b]}\n"));
    RUN(refused("constraints:\n  k: {point_on_curve: [b, ground], curve: {points: [[-1, 0, 0.6], [-0.6, 0.3, 0.3], "
                "[-0.2, 0, 0.05], [0.2, 0.2, 0.1], [0.6, 0, 0.3], [1, 0, 0.7]]}}\n",
                "curve"));
    RUN(refused("constraints:\n  k: {follow: [b, ground], curve: {points: [[-1, 0, 0.6], [-0.6, 0.3, 0.3], [-0.2, 0, "
                "0.05], [0.2, 0.2, 0.1], [0.6, 0, 0.3], [1, 0, 0.7]]}, law: \"=0.2*t\"}\n",
                "curve"));
    walk("models");
    RUN(models());
    // a pivot vanishes on other branches of the rider; of a delta robot with hinges rows part that repeated others
    RUN(other_branches(CARDAN_SOURCE "/models/delta/hinged.yaml", "motion", NULL, 1e-9, 1));
    RUN(other_branches(CARDAN_SOURCE "/models/rider/rider.yaml", "rate", NULL, 1e-9, 2));
    RUN(other_branches(CARDAN_SOURCE "/models/rider/rider.yaml", "motion_d", NULL, 1e-6, 2));
    RUN(mechanism(CARDAN_SOURCE "/models/four_bar/four_bar.yaml", "motion_d", NULL, 1e-6));
    // other formulations, by what they leave; none of them has derivatives
    RUN(other_branches(CARDAN_SOURCE "/models/delta/delta.yaml", "motion", "reduction", 1e-8, 2));
    RUN(other_branches(CARDAN_SOURCE "/models/rider/rider.yaml", "rate", "reduction", 1e-8, 2));
    RUN(mechanism(CARDAN_SOURCE "/models/hmmwv/hmmwv.yaml", "motion", "augmented", 1e-9));
    RUN(no_slopes_by(CARDAN_SOURCE "/models/four_bar/four_bar.yaml", "reduction"));
    RUN(test_sentences("test_generated_far_states"));
    return test_end();
}
