// SPDX-License-Identifier: BSD-3-Clause
// Search for the trace with the fewest operations. First the method is chosen; then each link in turn gets the axes for
// which the whole routine has the fewest operations, until no change improves. Trees with more than MAX_LINKS links
// keep the axes of the heuristic, which needs one trace.
#include "generate/trace/method_search.h"

#include "expression/graph_internal.h"
#include "expression/trace_parameters.h"
#include "generate/routine/result_difference.h"
#include "model/description.h"

#include <limits.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { MAX_LINKS = 64, ROUNDS = 2 };

// Operations above which paired branches are used: code of this size does not fit into a first-level instruction cache
// of 32 kB, and its speed is limited by instruction fetch. Both branches then use the same code.
enum { PAIRING_OPERATIONS = 4000 };

// All methods are traced up to a limit of nodes, which grows with the number of velocities, then up to four times this
// limit, until one trace is complete. Methods that exceed four times the nodes of the best one are not continued. A
// fifth to two thirds of the nodes of a trace remain as operations.
enum { INITIAL_NODES = 100000, NODES_PER_VELOCITY = 1000, NODE_LIMIT_FACTOR = 4, NODE_LIMIT_EXCEEDED = -2 };

typedef struct trace_attempt {
    const cd_routine*      routine;
    const cd_input_layout* in;
    cd_node*               output;
    int                    noutput, method;
    bool                   vector_groups, paired_branches;
    int                    max_nodes; // limit of nodes
} trace_attempt;

static long count_operations(const cd_graph* graph, const trace_attempt* t)
{
    cd_subgraph subgraph;
    long        n = 0;
    if (!cd_subgraph_collect(&subgraph, graph, t->noutput, t->output)) return -1;
    for (int i = 0; i < subgraph.count; ++i) {
        const cd_operation o = cd_node_operation(graph, subgraph.entry[i].node);
        n += o != CD_CONSTANT && o != CD_INPUT && o != CD_NEG;
        if (o == CD_SIN || o == CD_COS) n += 4;
    }
    cd_subgraph_release(&subgraph);
    return n;
}

// Trace one method. Returns CARDAN_UNSUPPORTED with cost NODE_LIMIT_EXCEEDED if it needs more nodes than the limit.
static cardan_status trace(const cd_link_tree* tree, const trace_attempt* t, cd_graph** graph, long* cost)
{
    *graph = cd_graph_create_traced();
    if (!*graph) return CARDAN_NO_MEMORY;
    *cost = 0;
    cd_graph_set_limit(*graph, t->max_nodes);
    if (t->vector_groups) cd_graph_enable_vector_groups(*graph);
    if (t->paired_branches) cd_graph_enable_pairs(*graph);
    cd_trace_parameters parameters;
    cd_trace_parameters_begin(&parameters, tree->model->description->parametric, *graph, t->in->p);
    cardan_status status = t->routine->trace(*graph, tree, t->in, t->method, t->output);
    if (!cd_trace_parameters_end(&parameters)) status = CARDAN_NO_MEMORY;
    if (cd_graph_is_full(*graph)) status = CARDAN_UNSUPPORTED, *cost = NODE_LIMIT_EXCEEDED;
    if (cd_graph_has_failed(*graph)) status = CARDAN_NO_MEMORY, *cost = 0;
    if (status == CARDAN_OK) *cost = count_operations(*graph, t);
    if (status == CARDAN_OK && *cost < 0) status = CARDAN_NO_MEMORY;
    if (status == CARDAN_OK) return CARDAN_OK;
    cd_graph_destroy(*graph);
    *graph = NULL;
    return status;
}

// Compare a trace with the reference at the trace state. Pivots and redundant rows are decided on values with
// round-off; this test finds methods that decided wrongly. Returns CARDAN_NO_MEMORY or CARDAN_OK.
static cardan_status matches_reference(const cd_graph* graph, const trace_attempt* t, const cd_trace_search* search,
                                       bool* matches)
{
    *matches = true;
    if (!search->expected) return CARDAN_OK;
    const size_t         n      = (size_t)t->noutput;
    cd_tape*             tape   = cd_tape_create(graph, t->noutput, t->output);
    double*              work   = tape ? cd_allocate((size_t)cd_tape_work(tape) + 2 * n + 1, sizeof *work) : NULL;
    cardan_status        status = work ? CARDAN_OK : CARDAN_NO_MEMORY;
    cd_result_difference found  = {.largest = search->min_scale};
    if (work) {
        double *value = work + cd_tape_work(tape), *expected = value + n;
        cd_tape_run(tape, t->in->trace_input, work, value);
        memcpy(expected, search->expected, n * sizeof *expected);
        if (search->reference)
            status = cd_runtime_reference_adopt_normal_part(search->reference, t->routine, t->in, t->in->trace_input,
                                                            value, expected);
        if (status != CARDAN_OK) found.difference = INFINITY;
        cd_result_difference_add(&found, n, value, expected);
    }
    free(work);
    cd_tape_destroy(tape);
    *matches = found.difference <= 1e-6 * cd_result_difference_scale(&found);
    return status == CARDAN_NO_MEMORY ? status : CARDAN_OK;
}

static bool can_have_axes(const cd_tree_link* link, cd_axes_choice axes)
{
    if (link->motion >= CD_SPHERICAL) return axes == CD_AXES_OWN;
    if (axes == CD_AXES_PARENT) return link->is_parallel;
    return axes == CD_AXES_OWN || link->motion != CD_PRISMATIC || link->is_parallel;
}

static cardan_status improve_axes(cd_link_tree* tree, const trace_attempt* t, long* best)
{
    for (int round = 0; round < ROUNDS; ++round) {
        bool gained = false;
        for (int i = tree->nlink - 1; i >= 0; --i) {
            cd_axes_choice best_axes = tree->link[i].axes;
            for (cd_axes_choice axes = CD_AXES_OWN; axes <= CD_AXES_PARENT; ++axes) {
                cd_graph* graph;
                long      cost;
                if (axes == best_axes || !can_have_axes(&tree->link[i], axes)) continue;
                tree->link[i].axes         = axes;
                const cardan_status status = trace(tree, t, &graph, &cost);
                if (status != CARDAN_OK) return status;
                cd_graph_destroy(graph);
                if (cost < *best) {
                    *best     = cost;
                    best_axes = axes;
                    gained    = true;
                }
            }
            tree->link[i].axes = best_axes;
        }
        if (!gained) break;
    }
    return CARDAN_OK;
}

// Best method of a routine so far.
typedef struct best_method {
    int           method, nodes; // of the best; -1: none
    long          cost;
    bool          has_truncated; // some methods exceeded the limit and may be tried with a larger one
    cardan_status rejection;
} best_method;

// Try a method up to the limit of nodes. Returns true if it need not be tried again.
static bool try_method(const cd_link_tree* tree, const trace_attempt* t, const cd_trace_search* search,
                       best_method* best, cardan_status* status)
{
    cd_graph* graph;
    long      cost;
    *status = trace(tree, t, &graph, &cost);
    if (*status != CARDAN_OK) {
        if (cost == NODE_LIMIT_EXCEEDED) return best->has_truncated = true, false;
        if (*status != CARDAN_UNSUPPORTED) best->rejection = *status;
        return true;
    }
    bool better = best->method < 0 || cost < best->cost || (cost == best->cost && t->method < best->method);
    if (better) *status = matches_reference(graph, t, search, &better);
    if (better && *status == CARDAN_OK) {
        best->method = t->method;
        best->cost   = cost;
        best->nodes  = cd_graph_size(graph);
    }
    cd_graph_destroy(graph);
    return true;
}

// Choose the method with the fewest operations; methods that are not applicable to the model are skipped.
static cardan_status choose_method(const cd_link_tree* tree, trace_attempt* t, const cd_trace_search* search,
                                   long* cost)
{
    const int   n    = t->routine->method_count(tree->model);
    best_method best = {.method = -1, .has_truncated = true, .rejection = CARDAN_UNSUPPORTED};
    bool*       done = cd_allocate((size_t)n + 1, sizeof *done);
    if (!done) return CARDAN_NO_MEMORY;
    cardan_status status = CARDAN_OK;
    t->max_nodes =
        tree->nv < INT_MAX / 2 / NODES_PER_VELOCITY ? INITIAL_NODES + NODES_PER_VELOCITY * tree->nv : INT_MAX;
    while (best.has_truncated && status != CARDAN_NO_MEMORY) {
        best.has_truncated = false;
        for (t->method = 0; t->method < n && status != CARDAN_NO_MEMORY; ++t->method)
            done[t->method] = done[t->method] || try_method(tree, t, search, &best, &status);
        const int tried = t->max_nodes, reference_nodes = best.method < 0 ? tried : best.nodes;
        t->max_nodes = reference_nodes < INT_MAX / NODE_LIMIT_FACTOR ? NODE_LIMIT_FACTOR * reference_nodes : INT_MAX;
        if (t->max_nodes <= tried) break;
    }
    free(done);
    t->max_nodes = INT_MAX;
    t->method    = best.method;
    *cost        = best.cost;
    return status == CARDAN_NO_MEMORY ? status : best.method < 0 ? best.rejection : CARDAN_OK;
}

cardan_status cd_trace_cheapest(const cardan_model* model, const cd_routine* routine, const cd_input_layout* in,
                                cd_trace_search search, cd_graph** graph, int noutput, cd_node* output)
{
    trace_attempt t    = {routine, in, output, noutput, 0, false, false, INT_MAX};
    cd_link_tree* tree = cd_link_tree_create(model);
    *graph             = NULL;
    if (!tree) return CARDAN_NO_MEMORY;
    if (search.regroup && routine->can_regroup) cd_link_tree_regroup(tree);
    long          best   = 0;
    cardan_status status = choose_method(tree, &t, &search, &best);
    if (status == CARDAN_OK && search.search_axes && tree->nlink <= MAX_LINKS) status = improve_axes(tree, &t, &best);
    t.vector_groups   = search.vector_groups;
    t.paired_branches = search.vector_groups && best > PAIRING_OPERATIONS;
    if (status == CARDAN_OK) status = trace(tree, &t, graph, &best);
    if (status == CARDAN_OK && t.paired_branches &&
        (*graph)->npair == 0) { // no paired branches, or none that the routine marks
        cd_graph_destroy(*graph);
        t.paired_branches = false;
        status            = trace(tree, &t, graph, &best);
    }
    cd_link_tree_destroy(tree);
    return status;
}
