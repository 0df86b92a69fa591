// SPDX-License-Identifier: BSD-3-Clause
// Axes by counting: one bone after the other is given the axes that leave the whole routine with fewest operations,
// until none gains. Long trees keep the rule of thumb, which costs one trace.
#include "generate/axes.h"

#include "expression/inside.h"
#include "expression/lift.h"
#include "model/description.h"

#include <limits.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_BONES = 64, ROUNDS = 2 };

// Code of so many operations does not fit into a first cache of 32 kB, and runs as fast as it is fetched: alike
// branches are then computed by the same code.
enum { LARGE = 4000 };

// Ways are traced side by side, so to say: all of them up to so many nodes, and to more for every velocity, then up to
// four times as many, until one is through; what has grown to four times its nodes is not waited for. Of the nodes of a
// trace a fifth to two thirds are operations that are left at last.
enum { FIRST_NODES = 100000, NODES_OF_VELOCITY = 1000, PATIENCE = 4, OUTGROWN = -2 };

typedef struct trial {
    const cd_routine* routine;
    const cd_sources* in;
    cd_node*          output;
    int               noutput, way;
    bool              packs, twins;
    int               most; // nodes
} trial;

static long operations(const cd_graph* graph, const trial* t)
{
    cd_reach reach;
    long     n = 0;
    if (!cd_reach_collect(&reach, graph, t->noutput, t->output)) return -1;
    for (int i = 0; i < reach.count; ++i) {
        const cd_operation o = cd_node_operation(graph, reach.list[i].node);
        n += o != CD_CONSTANT && o != CD_INPUT && o != CD_NEG;
        if (o == CD_SIN || o == CD_COS) n += 4;
    }
    cd_reach_release(&reach);
    return n;
}

// UNSUPPORTED and a cost of OUTGROWN where it needs more nodes than it may have.
static cardan_status trace(const cd_skeleton* s, const trial* t, cd_graph** graph, long* cost)
{
    *graph = cd_graph_create_traced();
    if (!*graph) return CARDAN_NO_MEMORY;
    *cost = 0;
    cd_graph_limit(*graph, t->most);
    if (t->packs) cd_graph_allow_packs(*graph);
    if (t->twins) cd_graph_allow_twins(*graph);
    cd_lift lift;
    cd_lift_begin(&lift, s->model->description->ledger, *graph, t->in->p);
    cardan_status status = t->routine->trace(*graph, s, t->in, t->way, t->output);
    if (!cd_lift_end(&lift)) status = CARDAN_NO_MEMORY;
    if (cd_graph_full(*graph)) status = CARDAN_UNSUPPORTED, *cost = OUTGROWN;
    if (cd_graph_failed(*graph)) status = CARDAN_NO_MEMORY, *cost = 0;
    if (status == CARDAN_OK) *cost = operations(*graph, t);
    if (status == CARDAN_OK && *cost < 0) status = CARDAN_NO_MEMORY;
    if (status == CARDAN_OK) return CARDAN_OK;
    cd_graph_destroy(*graph);
    *graph = NULL;
    return status;
}

// Decisions about pivots and rows that repeat others are made on values with their round-off; a way that took a wrong
// one is found out here: *good is false. NO_MEMORY or OK.
static cardan_status agrees(const cd_graph* graph, const trial* t, const cd_thrift* thrift, bool* good)
{
    *good = true;
    if (!thrift->expected) return CARDAN_OK;
    const size_t n    = (size_t)t->noutput;
    cd_tape*     tape = cd_tape_create(graph, t->noutput, t->output);
    double*      work = tape ? cd_allocate((size_t)cd_tape_work(tape) + 2 * n + 1, sizeof *work) : NULL;
    double       off = 0, largest = thrift->size;
    cardan_status status = work ? CARDAN_OK : CARDAN_NO_MEMORY;
    if (work) {
        double *value = work + cd_tape_work(tape), *expected = value + n;
        cd_tape_run(tape, t->in->sample, work, value);
        memcpy(expected, thrift->expected, n * sizeof *expected);
        if (thrift->referee)
            status = cd_settle_beside(thrift->referee, t->routine, t->in, t->in->sample, value, expected);
        if (status != CARDAN_OK) off = INFINITY;
        for (size_t i = 0; i < n; ++i) {
            off     = isfinite(value[i]) ? fmax(off, fabs(value[i] - expected[i])) : INFINITY;
            largest = fmax(largest, fabs(expected[i]));
        }
    }
    free(work);
    cd_tape_destroy(tape);
    *good = off <= 1e-6 * (largest > 0 ? largest : 1);
    return status == CARDAN_NO_MEMORY ? status : CARDAN_OK;
}

static bool may_have(const cd_bone* b, cd_axes axes)
{
    if (b->motion >= CD_BALL) return axes == CD_AXES_OWN;
    if (axes == CD_AXES_SAME) return b->parallel;
    return axes == CD_AXES_OWN || b->motion != CD_SLIDE || b->parallel;
}

static cardan_status improve(cd_skeleton* s, const trial* t, long* best)
{
    for (int round = 0; round < ROUNDS; ++round) {
        bool gained = false;
        for (int i = s->nbone - 1; i >= 0; --i) {
            cd_axes keep = s->bone[i].axes;
            for (cd_axes axes = CD_AXES_OWN; axes <= CD_AXES_SAME; ++axes) {
                cd_graph* graph;
                long      cost;
                if (axes == keep || !may_have(&s->bone[i], axes)) continue;
                s->bone[i].axes            = axes;
                const cardan_status status = trace(s, t, &graph, &cost);
                if (status != CARDAN_OK) return status;
                cd_graph_destroy(graph);
                if (cost < *best) {
                    *best  = cost;
                    keep   = axes;
                    gained = true;
                }
            }
            s->bone[i].axes = keep;
        }
        if (!gained) break;
    }
    return CARDAN_OK;
}

// What is known of the ways of a routine.
typedef struct choice {
    int           way, nodes; // of the best; -1: none
    long          cost;
    bool          more; // some have outgrown their nodes, and may be tried with more
    cardan_status refused;
} choice;

// A way, up to some nodes. True: nothing is left to know of it.
static bool try_way(const cd_skeleton* s, const trial* t, const cd_thrift* thrift, choice* best, cardan_status* status)
{
    cd_graph* graph;
    long      cost;
    *status = trace(s, t, &graph, &cost);
    if (*status != CARDAN_OK) {
        if (cost == OUTGROWN) return best->more = true, false;
        if (*status != CARDAN_UNSUPPORTED) best->refused = *status;
        return true;
    }
    bool better = best->way < 0 || cost < best->cost || (cost == best->cost && t->way < best->way);
    if (better) *status = agrees(graph, t, thrift, &better);
    if (better && *status == CARDAN_OK) {
        best->way   = t->way;
        best->cost  = cost;
        best->nodes = cd_graph_size(graph);
    }
    cd_graph_destroy(graph);
    return true;
}

// The way that leaves fewest operations; those that cannot do this model are passed over.
static cardan_status choose_way(const cd_skeleton* s, trial* t, const cd_thrift* thrift, long* cost)
{
    const int n    = t->routine->ways(s->model);
    choice    best = {.way = -1, .more = true, .refused = CARDAN_UNSUPPORTED};
    bool*     done = cd_allocate((size_t)n + 1, sizeof *done);
    if (!done) return CARDAN_NO_MEMORY;
    cardan_status status = CARDAN_OK;
    t->most              = s->nv < INT_MAX / 2 / NODES_OF_VELOCITY ? FIRST_NODES + NODES_OF_VELOCITY * s->nv : INT_MAX;
    while (best.more && status != CARDAN_NO_MEMORY) {
        best.more = false;
        for (t->way = 0; t->way < n && status != CARDAN_NO_MEMORY; ++t->way)
            done[t->way] = done[t->way] || try_way(s, t, thrift, &best, &status);
        const int tried = t->most, enough = best.way < 0 ? tried : best.nodes;
        t->most = enough < INT_MAX / PATIENCE ? PATIENCE * enough : INT_MAX;
        if (t->most <= tried) break;
    }
    free(done);
    t->most = INT_MAX;
    t->way  = best.way;
    *cost   = best.cost;
    return status == CARDAN_NO_MEMORY ? status : best.way < 0 ? best.refused : CARDAN_OK;
}

cardan_status cd_trace_cheapest(const cardan_model* model, const cd_routine* routine, const cd_sources* in,
                                cd_thrift thrift, cd_graph** graph, int noutput, cd_node* output)
{
    trial        t = {routine, in, output, noutput, 0, false, false, INT_MAX};
    cd_skeleton* s = cd_skeleton_create(model);
    *graph         = NULL;
    if (!s) return CARDAN_NO_MEMORY;
    if (thrift.regroup && routine->regroups) cd_skeleton_regroup(s);
    long          best   = 0;
    cardan_status status = choose_way(s, &t, &thrift, &best);
    if (status == CARDAN_OK && thrift.try_axes && s->nbone <= MOST_BONES) status = improve(s, &t, &best);
    t.packs = thrift.packs;
    t.twins = thrift.packs && best > LARGE;
    if (status == CARDAN_OK) status = trace(s, &t, graph, &best);
    if (status == CARDAN_OK && t.twins &&
        (*graph)->ntwin == 0) { // no branches that are alike, or none that the routine marks
        cd_graph_destroy(*graph);
        t.twins = false;
        status  = trace(s, &t, graph, &best);
    }
    cd_skeleton_destroy(s);
    return status;
}
