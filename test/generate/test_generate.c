// SPDX-License-Identifier: BSD-3-Clause
// Traced routines against the library: every routine and its derivatives on every mechanism of models/ and on random
// trees, to 1e-12 of the largest result; operation counts of the benchmark arm; long chains.
#include "model_folders.h"
#include "random_tree.h"
#include "test.h"

#include "generate/trace/method_search.h"
#include "generate/program/program.h"
#include "generate/trace/link_tree.h"

#include <cardan/generate.h>

enum { MOST = 200 };

static cardan_report report;

// A state in general position.
static void fill(const cardan_model* m, const cd_input_layout* in, dice* d, double* x)
{
    for (int i = 0; i < in->count; ++i) x[i] = dice_range(d, -1, 1);
    cardan_model_normalize_position(m, x + in->q);
}

// An assembled state in general position; some guesses cannot be assembled.
static cardan_status find_state(const cardan_model* m, cd_runtime_reference* reference, const cd_input_layout* in,
                                dice* d, double* x)
{
    cardan_status status = CARDAN_OK;
    for (int i = 0; i < 6; ++i) {
        cardan_report_clear(&report);
        fill(m, in, d, x);
        x[in->time] *= pow(0.1, i); // at small times, drivers are near their start values
        status = cd_runtime_reference_assemble(reference, in, x, &report);
        if (status == CARDAN_OK) break;
    }
    return status;
}

static cd_input_layout make_input_layout(const cardan_model* model, const cardan_model_view* view)
{
    cd_input_layout in = {.q = 0, .v = view->nq};
    in.a               = in.v + view->nv;
    in.effort          = in.a + view->nv;
    in.state           = in.effort + view->nv;
    in.time            = in.state + view->nstate;
    in.multiplier      = in.time + 1;
    in.nmultiplier     = cd_multiplier_count(model);
    in.count           = in.multiplier + in.nmultiplier;
    return in;
}

// Largest difference relative to the largest result of the routine.
static double relative_difference(int n, const double* a, const double* b)
{
    double error = 0, largest = 0;
    for (int i = 0; i < n; ++i) {
        error   = isnan(a[i]) ? INFINITY : fmax(error, fabs(a[i] - b[i]));
        largest = fmax(largest, fabs(b[i]));
    }
    return error / (largest > 0 ? largest : 1);
}

// Large mechanisms: tracing all methods of a derivative routine takes too long.
static bool needs_single_method(const cardan_model* model, const cd_routine* routine)
{
    return cardan_model_get_view(model).nlink > 20 && routine->arguments & CD_ONLY_IF_NAMED;
}

// Trace with one method only; for loops the one that has derivatives.
static cardan_status trace_single_method(const cardan_model* model, const cd_routine* routine,
                                         const cd_input_layout* in, cd_graph** graph, cd_node* node)
{
    cd_link_tree* tree   = cd_link_tree_create(model);
    cardan_status status = CARDAN_NO_MEMORY;
    const bool    solves =
        routine->method_count == cd_motion_method_count || routine->method_count == cd_motion_derivatives_method_count;
    const int method =
        solves && cardan_model_get_view(model).nconstraint > 0 ? cardan_formulation_find("embedding") : 0;
    *graph = cd_graph_create_traced();
    if (tree && routine->can_regroup) cd_link_tree_regroup(tree);
    if (tree && *graph) status = routine->trace(*graph, tree, in, method, node);
    cd_link_tree_destroy(tree);
    return status;
}

// One routine, traced at one state and evaluated at others.
static void compare(const cardan_model* model, const cd_routine* routine, cd_trace_search search, double tolerance,
                    cd_runtime_reference* reference, dice* d)
{
    const cardan_model_view view = cardan_model_get_view(model);
    cd_input_layout         in   = make_input_layout(model, &view);
    cd_routine_result       result[CD_MAX_RESULTS];
    const int               nresult = routine->describe_results(model, result);
    int                     n       = 0;
    for (int k = 0; k < nresult; ++k) n += cd_result_count(&result[k]);
    double*   x        = calloc((size_t)in.count, sizeof *x);
    double*   expected = calloc((size_t)n + 1, sizeof *expected);
    double*   value    = calloc((size_t)n + 1, sizeof *value);
    cd_node*  node     = calloc((size_t)n + 1, sizeof *node);
    cd_graph* graph    = NULL;
    in.trace_input     = x;
    // In large mechanisms, pivots are chosen near the start in general position, as for generated files; they need not
    // be valid at all distant states.
    const bool near = view.nlink > 10 && routine->arguments & CD_ONLY_IF_NAMED;
    cd_runtime_reference_set_distance(reference, near ? 0.1 : 1);
    if (find_state(model, reference, &in, d, x) != CARDAN_OK ||
        (routine->check_model && routine->check_model(model, &report) != CARDAN_OK)) {
        free(x), free(expected), free(value), free(node);
        return;
    }
    CHECK(cd_runtime_reference_set_state(reference, &in, x) == CARDAN_OK);
    const cardan_status status_at_trace = routine->reference(reference, &in, x, expected, &report);
    search.expected                     = status_at_trace == CARDAN_OK ? expected : NULL;
    search.reference                    = reference;
    if (!search.expected && routine->arguments & CD_ONLY_IF_NAMED) {
        // the spanning tree is singular without its loops, or inertia is missing
        CHECK(status_at_trace == CARDAN_SINGULAR);
        free(x), free(expected), free(value), free(node);
        return;
    }
    const cardan_status traced = needs_single_method(model, routine)
                                     ? trace_single_method(model, routine, &in, &graph, node)
                                     : cd_trace_cheapest(model, routine, &in, search, &graph, n, node);
    if (traced != CARDAN_OK) printf("%s: %s not traced: %s\n", view.name, routine->form, cardan_status_text(traced));
    CHECK(traced == CARDAN_OK);
    cd_tape* tape = graph ? cd_tape_create(graph, n, node) : NULL;
    CHECK(tape != NULL);
    double* work = calloc(tape ? (size_t)cd_tape_work(tape) + 1 : 1, sizeof *work);
    for (int k = 0; tape && k < 3; ++k) {
        cd_runtime_reference_set_distance(reference, !near ? 1 : k == 0 ? 0.02 : 0.3);
        CHECK(find_state(model, reference, &in, d, x) == CARDAN_OK);
        CHECK(cd_runtime_reference_set_state(reference, &in, x) == CARDAN_OK);
        const cardan_status status = routine->reference(reference, &in, x, expected, &report);
        if (status == CARDAN_SINGULAR) break; // the tree is singular without its loops
        CHECK(status == CARDAN_OK);
        cd_tape_run(tape, x, work, value);
        CHECK(cd_runtime_reference_adopt_normal_part(reference, routine, &in, x, value, expected) == CARDAN_OK);
        const double error = relative_difference(n, value, expected);
        if (error > tolerance) printf("%s: %s: relative difference %.3g\n", view.name, routine->form, error);
        CHECK(error <= tolerance);
    }
    cd_tape_destroy(tape);
    cd_graph_destroy(graph);
    free(x), free(expected), free(value), free(node), free(work);
}

// `solved`: tolerance of accelerations, the difference between formulations of the library on ill-conditioned trees.
static void compare_all(const cardan_description* description, double solved, dice* d)
{
    cardan_model*         model;
    cd_runtime_reference* reference;
    CHECK(cardan_model_compile(description, CARDAN_TREE_BREADTH_FIRST, &model, &report) == CARDAN_OK);
    CHECK(cd_runtime_reference_create(model, NULL, &reference, &report) == CARDAN_OK);
    for (int i = 0; reference && i < cd_routine_count(); ++i) {
        const cd_routine* routine   = cd_routine_at(i);
        const bool        small     = cardan_model_get_view(model).nlink <= 10;
        const double      tolerance = strncmp(routine->form, "exp", 3) == 0 || strcmp(routine->form, "motion") == 0 ||
                                         strcmp(routine->form, "rate") == 0
                                          ? solved
                                          : 1e-12;
        if (routine->arguments & CD_ONLY_IF_NAMED) {
            dice own = *d;
            compare(model, routine, (cd_trace_search){.regroup = true}, solved, reference, &own);
            continue;
        }
        if (small) compare(model, routine, (cd_trace_search){0}, tolerance, reference, d);
        compare(model, routine, (cd_trace_search){.regroup = true, .search_axes = small}, tolerance, reference, d);
    }
    cd_runtime_reference_destroy(reference);
    cardan_model_destroy(model);
}

static void test_model(const char* path)
{
    cardan_description* description;
    dice                d = {5};
    cardan_report_clear(&report);
    CHECK(cardan_description_load(path, NULL, &description, &report) == CARDAN_OK);
    // the formulations of the library differ by this much for the Strandbeest
    if (description) compare_all(description, strstr(path, "strandbeest") ? 1e-10 : 1e-12, &d);
    cardan_description_destroy(description);
}

static void test_random_tree(uint64_t seed)
{
    dice                d           = {seed};
    cardan_description* description = random_tree(seed);
    compare_all(description, 1e-6, &d);
    cardan_description_destroy(description);
}

// All mechanisms of models/ but those with rigid contacts, which generated code does not contain.
static void test_all_models(void)
{
    static model_folders models;
    collect_models_without_contacts(&models, "models");
    CHECK(models.left_out == MODELS_WITH_CONTACTS && models.count > 40);
    for (int i = 0; i < models.count; ++i) {
        char file[1024];
        snprintf(file, sizeof file, "%s/%s%s.yaml", CARDAN_SOURCE, models.path[i], strrchr(models.path[i], '/'));
        RUN(test_model(file));
    }
}

// Bounds of the specification: 357, 571, 727, 846 operations without regrouping.
static void test_arm_operation_counts(void)
{
    static const struct {
        const char* form;
        long        plain, regrouped;
    } bound[] = {{"impl", 281, 259}, {"semi", 374, 350}, {"exp1", 521, 497}, {"exp2", 584, 561}};
    cardan_description* description;
    cardan_model*       model;
    CHECK(cardan_description_load(CARDAN_SOURCE "/models/arm_pendulum", NULL, &description, &report) == CARDAN_OK);
    CHECK(cardan_model_compile(description, CARDAN_TREE_BREADTH_FIRST, &model, &report) == CARDAN_OK);
    for (int i = 0; i < 8; ++i) {
        cardan_generate_options options = cardan_generate_options_default();
        cardan_generated*       g;
        options.forms   = bound[i / 2].form;
        options.regroup = i % 2;
        CHECK(cardan_generated_create(model, &options, &g, &report) == CARDAN_OK);
        const cardan_routine_cost c = cardan_generated_routine_at(g, 0);
        CHECK(c.total <= (i % 2 ? bound[i / 2].regrouped : bound[i / 2].plain));
        CHECK(c.total == c.count.add + c.count.mul + c.count.div + c.count.sqrt);
        CHECK(c.count.trig == 10);
        cardan_generated_destroy(g);
    }
    cardan_model_destroy(model);
    cardan_description_destroy(description);
}

// Nodes and text of the order-n form are linear in the number of joints.
static void test_long_chain(void)
{
    size_t length[2];
    long   total[2];
    for (int k = 0; k < 2; ++k) {
        char*               text;
        cardan_description* description;
        cardan_model*       model;
        cardan_generated*   g;
        CHECK(cardan_family_generate_text("chain", k ? 400 : 200, NULL, &text, &report) == CARDAN_OK);
        CHECK(cardan_description_load_text(text, "chain", NULL, &description, &report) == CARDAN_OK);
        CHECK(cardan_model_compile(description, CARDAN_TREE_BREADTH_FIRST, &model, &report) == CARDAN_OK);
        cardan_generate_options options = cardan_generate_options_default();
        options.forms                   = "exp2";
        CHECK(cardan_generated_create(model, &options, &g, &report) == CARDAN_OK);
        length[k] = strlen(cardan_generated_file_text(g, 0));
        total[k]  = cardan_generated_routine_at(g, 0).total;
        cardan_generated_destroy(g);
        cardan_model_destroy(model);
        cardan_description_destroy(description);
        free(text);
    }
    CHECK((double)length[1] < 2.1 * (double)length[0]);
    CHECK((double)total[1] < 2.05 * (double)total[0]);
}

int main(void)
{
    test_all_models();
    for (uint64_t seed = 1; seed <= 16; ++seed) RUN(test_random_tree(seed));
    RUN(test_arm_operation_counts());
    RUN(test_long_chain());
    return test_end();
}
