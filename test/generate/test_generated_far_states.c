// SPDX-License-Identifier: BSD-3-Clause
// Traces of mechanisms with loops against the library at states far from the trace state: every constraint type on free
// bodies with arbitrary orientations, and every mechanism of models/ that can be assembled there, on any branch. The
// decisions of a trace at its own state must hold at all states, or its return code must report that they do not, or
// the form must be rejected.
#include "model_folders.h"
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

// An assembled state from a guess far from the start, except translations: revolute joints are rotated by several
// revolutions.
static bool far_state(const cardan_model* m, cardan_data* data, const cd_input_layout* in, dice* d, double* x)
{
    const cardan_model_view view  = cardan_model_get_view(m);
    cardan_joint_start*     start = calloc((size_t)view.njoint + 1, sizeof *start);
    for (int j = 0; j < view.njoint; ++j) {
        const cardan_index_range range = view.tree_range[j];
        start[j]                       = cardan_joint_start_default(m, j);
        if (range.q < 0) continue;
        start[j].position_mode = start[j].velocity_mode = CARDAN_START_GUESS;
        const bool quaternion                           = range.nq > range.nv;
        const int  plain                                = quaternion ? range.nq - 4 : range.nq;
        for (int i = 0; i < plain; ++i) start[j].q[i] += dice_range(d, -0.4, 0.4);
        double length = 0;
        for (int i = plain; i < range.nq; ++i)
            start[j].q[i] = dice_range(d, -1, 1), length += start[j].q[i] * start[j].q[i];
        for (int i = plain; i < range.nq; ++i) start[j].q[i] /= sqrt(length);
        if (range.nq == 1 && m->joint[j].elementary[0].motion == CD_REVOLUTE) start[j].q[0] += dice_range(d, -9, 9);
        for (int i = 0; i < range.nv; ++i) start[j].v[i] = dice_range(d, -1, 1);
    }
    for (int i = 0; i < in->count; ++i) x[i] = dice_range(d, -1, 1);
    x[in->time] = fabs(x[in->time]);
    for (int i = 0; i < view.nq; ++i) x[in->q + i] = view.q_start[i];
    bool closed = cardan_data_set_state(data, x[in->time], x + in->q, x + in->v, x + in->state) == CARDAN_OK;
    closed      = closed && cardan_data_assemble(data, start, x + in->q, x + in->v, NULL, NULL) == CARDAN_OK;
    free(start);
    return closed;
}

// The start state, assembled.
static bool start_state(const cardan_model* m, cd_runtime_reference* reference, cardan_data* data,
                        const cd_input_layout* in, dice* d, double* x)
{
    const cardan_model_view view = cardan_model_get_view(m);
    for (int i = 0; i < in->count; ++i) x[i] = dice_range(d, -1, 1);
    x[in->time] = 0;
    for (int i = 0; i < view.nq; ++i) x[in->q + i] = view.q_start[i];
    return cd_runtime_reference_assemble(reference, in, x, NULL) == CARDAN_OK &&
           cardan_data_set_state(data, x[in->time], x + in->q, x + in->v, x + in->state) == CARDAN_OK;
}

// Relative to the largest entry, unless all of b is round-off: the N-four-bar starts with zero accelerations.
static double relative_difference(int n, const double* a, const double* b)
{
    double error = 0, largest = 0;
    for (int i = 0; i < n; ++i) {
        error   = isfinite(a[i]) ? fmax(error, fabs(a[i] - b[i])) : INFINITY;
        largest = fmax(largest, fabs(b[i]));
    }
    return error / (largest > 1e-12 ? largest : 1);
}

static cd_input_layout make_input_layout(const cardan_model_view* view)
{
    cd_input_layout in = {.q = 0, .v = view->nq};
    in.a               = in.v + view->nv;
    in.effort          = in.a + view->nv;
    in.state           = in.effort + view->nv;
    in.time            = in.state + view->nstate;
    in.count           = in.time + 1;
    return in;
}

// False near a singular configuration, where formulations of the library differ.
static bool formulations_agree(cardan_data* data, cardan_data* other)
{
    enum { MOST = 100 };
    const int nv = data->m->nv;
    double    a[MOST], b[MOST];
    if (nv > MOST) return false;
    cardan_data_set_state(other, data->t, data->q, data->v, data->state);
    return cardan_data_accelerate(data, a, NULL, NULL) == CARDAN_OK &&
           cardan_data_accelerate(other, b, NULL, NULL) == CARDAN_OK && relative_difference(nv, a, b) < 1e-11;
}

// Number of distant states that were assembled, and number of correct ones that were not reported as invalid; whether
// the form exists.
typedef struct outcome {
    bool   traced, rejected;
    int    found, correct;
    int    undetected, false_alarms; // wrong by more than 1e-8 without a report; correct states reported as invalid
    bool   correct_at_start;         // correct at the start
    double error;                    // of the states that were not reported
} outcome;

static cardan_status trace_by(const cardan_model* m, const cd_routine* routine, const cd_input_layout* in, int method,
                              cd_graph** graph, cd_node* node)
{
    cd_link_tree* tree = cd_link_tree_create(m);
    *graph             = cd_graph_create_traced();
    CHECK(tree && *graph);
    const cardan_status status = routine->trace(*graph, tree, in, method, node);
    cd_link_tree_destroy(tree);
    return status;
}

// `method`: formulation of the trace; NULL: the one with fewest operations.
static outcome try_form(const cardan_model* m, const char* form, const char* method, double tolerance)
{
    outcome                 o       = {0};
    const cardan_model_view view    = cardan_model_get_view(m);
    cd_input_layout         in      = make_input_layout(&view);
    const cd_routine*       routine = NULL;
    cd_routine_result       result[CD_MAX_RESULTS];
    cd_runtime_reference*   reference = NULL;
    cardan_data *           data = NULL, *other = NULL;
    dice                    d = {11};
    int                     n = 0;
    for (int i = 0; i < cd_routine_count(); ++i)
        if (strcmp(cd_routine_at(i)->form, form) == 0) routine = cd_routine_at(i);
    CHECK(routine != NULL);
    cardan_report_clear(&report);
    o.rejected = routine->check_model && routine->check_model(m, &report) != CARDAN_OK;
    if (o.rejected) return o;
    const int nresult = routine->describe_results(m, result);
    for (int k = 0; k < nresult; ++k) n += cd_result_count(&result[k]);
    const bool has_return_code = cd_has_return_code(nresult, result);
    double *   x = calloc((size_t)in.count, sizeof *x), *trace_state = calloc((size_t)in.count, sizeof *x);
    double *   expected = calloc((size_t)n + 1, sizeof *expected), *value = calloc((size_t)n + 1, sizeof *value);
    cd_node*   node  = calloc((size_t)n + 1, sizeof *node);
    cd_graph*  graph = NULL;
    CHECK(cd_runtime_reference_create(m, NULL, &reference, &report) == CARDAN_OK);
    CHECK(cardan_data_create(m, cardan_formulation_find("dense"), &data, &report) == CARDAN_OK);
    CHECK(cardan_data_create(m, cardan_formulation_find("reduction"), &other, &report) == CARDAN_OK);
    for (int i = 0; i < in.count; ++i) trace_state[i] = dice_range(&d, -1, 1);
    trace_state[in.time] = fabs(trace_state[in.time]);
    in.trace_input       = trace_state;
    bool good            = false;
    cd_runtime_reference_set_distance(reference, 0.1);
    // at small times, drivers are near their start values
    for (int k = 0; k < 6 && !good; ++k, trace_state[in.time] *= good ? 1 : 0.1) {
        for (int i = 0; i < view.nq; ++i) trace_state[in.q + i] = view.q_start[i];
        good = cd_runtime_reference_assemble(reference, &in, trace_state, &report) == CARDAN_OK;
    }
    good = good && cd_runtime_reference_set_state(reference, &in, trace_state) == CARDAN_OK &&
           routine->reference(reference, &in, trace_state, expected, &report) == CARDAN_OK;
    const cd_trace_search search = {.regroup = true, .expected = expected};
    if (good && method)
        good = trace_by(m, routine, &in, cardan_formulation_find(method), &graph, node) == CARDAN_OK;
    else
        good = good && cd_trace_cheapest(m, routine, &in, search, &graph, n, node) == CARDAN_OK;
    o.traced      = good;
    cd_tape* tape = good ? cd_tape_create(graph, n, node) : NULL;
    double*  work = calloc(tape ? (size_t)cd_tape_work(tape) + 1 : 1, sizeof *work);
    cd_runtime_reference_set_distance(reference, 0);
    for (int k = 0; tape && k < TRIALS && o.found < STATES; ++k) {
        if (!(k == 0 ? start_state(m, reference, data, &in, &d, x) : far_state(m, data, &in, &d, x)) ||
            !formulations_agree(data, other) || cd_runtime_reference_set_state(reference, &in, x) != CARDAN_OK ||
            routine->reference(reference, &in, x, expected, NULL) != CARDAN_OK)
            continue;
        cd_tape_run(tape, x, work, value);
        CHECK(cd_runtime_reference_adopt_normal_part(reference, routine, &in, x, value, expected) == CARDAN_OK);
        const bool   invalid = has_return_code && value[n - 1] != 0;
        const double error   = relative_difference(n - has_return_code, value, expected);
        o.error              = invalid ? o.error : fmax(o.error, error);
        ++o.found;
        o.correct += error <= tolerance && !invalid;
        o.undetected += !(error <= 1e-8) && !invalid;
        o.false_alarms += error <= 1e-10 && invalid;
        o.correct_at_start = o.correct_at_start || (k == 0 && error <= tolerance && !invalid);
    }
    cd_tape_destroy(tape);
    cd_graph_destroy(graph);
    cd_runtime_reference_destroy(reference);
    cardan_data_destroy(data);
    cardan_data_destroy(other);
    free(x), free(trace_state), free(expected), free(value), free(node), free(work);
    return o;
}

// ---- constraints between free bodies

static const char* const bodies =
    "cardan: 1\nname: constraints\ngravity: [0.5, 0.3, -9.81]\nbodies:\n"
    "  b: {at: [0.2, 0, 0.3], mass: 1, inertia: [0.1, 0.2, 0.25]}\n"
    "  c: {at: [0.9, 0.1, 0.3], mass: 0.7, inertia: [0.05, 0.07, 0.08]}\n"
    "joints:\n  fb: {free: [ground, b], start: {guess: true}}\n  fc: {free: [b, c], start: {guess: true}}\n";

static cardan_model* load_constraint_model(const char* more, cardan_description** description)
{
    char          text[4000];
    cardan_model* model = NULL;
    snprintf(text, sizeof text, "%s%s", bodies, more);
    *description = NULL;
    cardan_report_clear(&report);
    CHECK(cardan_description_load_text(text, "constraints.yaml", NULL, description, &report) == CARDAN_OK);
    if (*description)
        CHECK(cardan_model_compile(*description, CARDAN_TREE_BREADTH_FIRST, &model, &report) == CARDAN_OK);
    if (!model && report.count > 0) printf("%s\n", report.message[0].text);
    return model;
}

static void test_constraint_type(const char* more)
{
    cardan_description* description;
    cardan_model*       model = load_constraint_model(more, &description);
    if (!model) return;
    static const char* const form[] = {"motion", "rate", "energy"};
    for (int i = 0; i < 3; ++i) {
        const outcome o = try_form(model, form[i], NULL, 1e-12);
        if (!o.traced || o.found < STATES || o.correct < o.found)
            printf("%s: %s traced %d, %d of %d states correct, difference %.2g\n", more, form[i], o.traced, o.correct,
                   o.found, o.error);
        CHECK(o.traced);
        CHECK(o.found == STATES);
        CHECK(o.correct == o.found);
    }
    cardan_model_destroy(model);
    cardan_description_destroy(description);
}

// A form is rejected with a message if a trace cannot decide it for all states.
static void test_rejected(const char* more, const char* parts)
{
    cardan_description* description;
    cardan_model*       model = load_constraint_model(more, &description);
    if (!model) return;
    CHECK(try_form(model, "motion", NULL, 0).rejected);
    CHECK_CASE(&report, more, parts);
    CHECK(try_form(model, "rate", NULL, 0).rejected);
    CHECK(try_form(model, "energy", NULL, 1e-12).correct == STATES);
    cardan_model_destroy(model);
    cardan_description_destroy(description);
}

// ---- mechanisms of models/: wrong results are always reported

// Models that are correct at all states; states reported as invalid, and those of them that are correct: states of the
// N-four-bar, whose accelerations do not depend on the invalid pivot.
static int correct_models, reported, false_alarms;

static void test_model(const char* path, const char* form, const char* method, double tolerance)
{
    cardan_description* description = NULL;
    cardan_model*       model       = NULL;
    if (lacks_hulls(path)) NEEDS_PART("Qhull");
    cardan_report_clear(&report);
    CHECK(cardan_description_load(path, NULL, &description, &report) == CARDAN_OK);
    if (description) CHECK(cardan_model_compile(description, CARDAN_TREE_BREADTH_FIRST, &model, &report) == CARDAN_OK);
    if (model && cardan_model_get_view(model).nconstraint > 0 && cardan_model_get_view(model).nv <= 30) {
        const outcome o = try_form(model, form, method, tolerance);
        if (o.correct < o.found || o.undetected || o.false_alarms)
            printf("%s: %s, %d of %d states correct, %d wrong ones not reported, %d correct ones reported, difference "
                   "%.2g\n",
                   path, form, o.correct, o.found, o.undetected, o.false_alarms, o.error);
        CHECK(o.undetected == 0);
        CHECK(o.error <= tolerance); // results that are not reported as invalid are correct
        CHECK(o.correct_at_start || !o.traced || o.found == 0);
        correct_models += o.traced && o.correct == o.found;
        reported += o.found - o.correct;
        false_alarms += o.false_alarms;
    }
    cardan_model_destroy(model);
    cardan_description_destroy(description);
}

static void test_models_in(const char* folder)
{
    char path[1024], file[2048];
    snprintf(path, sizeof path, "%s/%s", CARDAN_SOURCE, folder);
    DIR* dir = opendir(path);
    for (struct dirent* e = dir ? readdir(dir) : NULL; e; e = readdir(dir)) {
        if (e->d_name[0] == '.' || e->d_type != DT_DIR) continue;
        struct stat s;
        snprintf(file, sizeof file, "%s/%.200s/%.200s.yaml", path, e->d_name, e->d_name);
        if (stat(file, &s) == 0) RUN(test_model(file, "motion", NULL, 1e-9));
    }
    if (dir) closedir(dir);
}

// At least `least` of the assembled states are reported as invalid.
static void test_other_branches(const char* path, const char* form, const char* method, double tolerance, int least)
{
    reported = 0;
    test_model(path, form, method, tolerance);
    CHECK(reported >= least);
}

static void test_no_derivatives(const char* path, const char* method)
{
    cardan_description* description = NULL;
    cardan_model*       model       = NULL;
    CHECK(cardan_description_load(path, NULL, &description, &report) == CARDAN_OK);
    CHECK(cardan_model_compile(description, CARDAN_TREE_BREADTH_FIRST, &model, &report) == CARDAN_OK);
    CHECK(!try_form(model, "motion_d", method, 1e-6).traced && try_form(model, "motion", method, 1e-6).traced);
    cardan_model_destroy(model);
    cardan_description_destroy(description);
}

static void check_totals(void)
{
    CHECK(correct_models >= 24);
    CHECK(reported >= 5 && false_alarms <= 3);
}

// `test_generated_far_states states MODEL` prints distant states for other programs, one per line: inputs q, v, a,
// effort, states and time of a routine, then the accelerations of the library.
static int print_states(const char* path)
{
    enum { STATES_PRINTED = 20, MOST = 200 };
    cardan_description*   description = NULL;
    cardan_model*         model       = NULL;
    cd_runtime_reference* reference   = NULL;
    cardan_data *         data = NULL, *other = NULL;
    const cd_routine*     motion = NULL;
    dice                  d      = {11};
    double                x[MOST], a[MOST];
    int                   found = 0;
    for (int i = 0; i < cd_routine_count(); ++i)
        if (strcmp(cd_routine_at(i)->form, "motion") == 0) motion = cd_routine_at(i);
    if (cardan_description_load(path, NULL, &description, &report) != CARDAN_OK ||
        cardan_model_compile(description, CARDAN_TREE_BREADTH_FIRST, &model, &report) != CARDAN_OK ||
        cd_runtime_reference_create(model, NULL, &reference, &report) != CARDAN_OK ||
        cardan_data_create(model, cardan_formulation_find("dense"), &data, &report) != CARDAN_OK ||
        cardan_data_create(model, cardan_formulation_find("reduction"), &other, &report) != CARDAN_OK)
        return 1;
    const cardan_model_view view = cardan_model_get_view(model);
    const cd_input_layout   in   = make_input_layout(&view);
    for (int k = 0; in.count <= MOST && k < 10 * STATES_PRINTED && found < STATES_PRINTED; ++k) {
        if (!far_state(model, data, &in, &d, x) || !formulations_agree(data, other) ||
            cd_runtime_reference_set_state(reference, &in, x) != CARDAN_OK ||
            motion->reference(reference, &in, x, a, NULL) != CARDAN_OK)
            continue;
        for (int i = 0; i < in.count; ++i) printf("%.17g ", x[i]);
        for (int i = 0; i < view.nv; ++i) printf("%.17g%c", a[i], i < view.nv - 1 ? ' ' : '\n');
        ++found;
    }
    cardan_data_destroy(data), cardan_data_destroy(other);
    cd_runtime_reference_destroy(reference);
    cardan_model_destroy(model);
    cardan_description_destroy(description);
    return found < STATES_PRINTED;
}

int main(int argc, char** argv)
{
    if (argc == 3 && strcmp(argv[1], "states") == 0) return print_states(argv[2]);
    RUN(test_constraint_type("constraints:\n  k: {rolling: [b, {on: ground}], radius: 0.2, shape: sphere}\n"));
    RUN(test_constraint_type("constraints:\n  k: {rolling: [b, {on: ground}], radius: 0.3}\n"));
    RUN(test_constraint_type(
        "constraints:\n  k: {point_on_line: [{on: b, at: [0, 0, 0.4]}, {on: ground, at: [0, 0, 0.2]}]}\n  k2: "
        "{point_on_line: [{on: c, at: [0.3, 0.1, 0.2]}, {on: b, at: [0.3, 0.1, 0.9]}]}\n"));
    RUN(test_constraint_type(
        "constraints:\n  k: {lock: [{on: b, at: [0.1, 0.2, 0.3]}, ground], rx: free, ry: free}\n  k2: {lock: "
        "[{on: c, at: [0.5, 0.2, 0.3]}, b], rx: free, ry: free, rz: free}\n"));
    RUN(test_constraint_type(
        "constraints:\n  k: {lock: [{on: b, at: [0.1, 0.2, 0.3]}, ground], rx: =0.5*t^2+t, ry: free}\n  k2: {lock: "
        "[{on: c, at: [0.5, 0.2, 0.3]}, b], rx: free, ry: free, rz: =sin(2*t)}\n"));
    RUN(test_constraint_type(
        "constraints:\n  k: {point_in_plane: [{on: b, at: [0, 0, 0.4]}, ground]}\n  k2: {point_in_plane: [{on: c, "
        "at: [0.3, 0.1, 0.2]}, b]}\n"));
    RUN(test_constraint_type("constraints:\n  k: {distance: [{on: b, at: [0, 0, 0.4]}, {on: ground, at: [1, "
                             "0, 0]}]}\n  k2: {distance: "
                             "[{on: c, at: [0.3, 0.1, 0.2]}, {on: b, at: [0.2, 0.5, 0]}]}\n"));
    RUN(test_constraint_type("constraints:\n  k: {parallel: [c, b]}\n"));
    RUN(test_constraint_type("constraints:\n  k: {orientation: [c, b]}\n"));
    RUN(test_rejected(
        "constraints:\n  k: {point_on_curve: [b, ground], curve: {points: [[-1, 0, 0.6], [-0.6, 0.3, 0.3], "
        "[-0.2, 0, 0.05], [0.2, 0.2, 0.1], [0.6, 0, 0.3], [1, 0, 0.7]]}}\n",
        "curve"));
    RUN(test_rejected(
        "constraints:\n  k: {follow: [b, ground], curve: {points: [[-1, 0, 0.6], [-0.6, 0.3, 0.3], [-0.2, 0, "
        "0.05], [0.2, 0.2, 0.1], [0.6, 0, 0.3], [1, 0, 0.7]]}, law: \"=0.2*t\"}\n",
        "curve"));
    test_models_in("models");
    RUN(check_totals());
    // a pivot vanishes on other branches of the rider; redundant rows of the delta robot with hinges become independent
    RUN(test_other_branches(CARDAN_SOURCE "/models/delta/hinged.yaml", "motion", NULL, 1e-9, 1));
    RUN(test_other_branches(CARDAN_SOURCE "/models/rider/rider.yaml", "rate", NULL, 1e-9, 2));
    RUN(test_other_branches(CARDAN_SOURCE "/models/rider/rider.yaml", "motion_d", NULL, 1e-6, 2));
    RUN(test_model(CARDAN_SOURCE "/models/four_bar/four_bar.yaml", "motion_d", NULL, 1e-6));
    // other formulations, judged by their residual; none of them has derivatives
    RUN(test_other_branches(CARDAN_SOURCE "/models/delta/delta.yaml", "motion", "reduction", 1e-8, 2));
    RUN(test_other_branches(CARDAN_SOURCE "/models/rider/rider.yaml", "rate", "reduction", 1e-8, 2));
    RUN(test_model(CARDAN_SOURCE "/models/hmmwv/hmmwv.yaml", "motion", "augmented", 1e-9));
    RUN(test_no_derivatives(CARDAN_SOURCE "/models/four_bar/four_bar.yaml", "reduction"));
    RUN(test_sentences("test_generated_far_states"));
    return test_end();
}
