// SPDX-License-Identifier: BSD-3-Clause
// Kinematic loops in the terms of the user. Joints are processed in the order of the description (welds first); a joint
// whose bodies are already connected closes a loop, which returns on the shortest path over earlier joints. Every loop
// has a joint that no earlier loop has, so the loops are independent; the spanning tree is not used.
#include "diagnosis/diagnosis.h"

#include "core/disjoint_sets.h"

#include <stdlib.h>
#include <string.h>

// Graph of bodies and joints; node 0 is ground.
typedef struct body_graph {
    const cardan_description_view* view;
    int *    head, *next;              // (nbody + 1), (2 njoint) joint ends at each node, in the order of joint_order
    int*     joint_position;           // (njoint) index in joint_order
    int*     component;                // (nbody + 1) union-find
    int *    via, *visited_at, *queue; // (nbody + 1) breadth-first search
    cd_arena arena;
} body_graph;

static void layout(body_graph* g)
{
    const int nbody = g->view->nbody, njoint = g->view->njoint;
    CD_ARENA_ARRAY(&g->arena, g->head, nbody + 1);
    CD_ARENA_ARRAY(&g->arena, g->next, 2 * njoint);
    CD_ARENA_ARRAY(&g->arena, g->joint_position, njoint);
    CD_ARENA_ARRAY(&g->arena, g->component, nbody + 1);
    CD_ARENA_ARRAY(&g->arena, g->via, nbody + 1);
    CD_ARENA_ARRAY(&g->arena, g->visited_at, nbody + 1);
    CD_ARENA_ARRAY(&g->arena, g->queue, nbody + 1);
}

static int node_of(const body_graph* g, int end)
{
    const cardan_joint* joint = &g->view->joint[end / 2];
    return 1 + (end % 2 ? joint->second_body : joint->first_body);
}

static void order_joints(const cardan_model* m, body_graph* g, int* sequence)
{
    int count = 0;
    for (int pass = 0; pass < 2; ++pass)
        for (int j = 0; j < g->view->njoint; ++j)
            if ((m->joint[j].nelementary == 0) == (pass == 0)) {
                g->joint_position[j] = count;
                sequence[count++]    = j;
            }
    for (int i = 0; i <= g->view->nbody; ++i) {
        g->head[i]       = -1;
        g->component[i]  = i;
        g->visited_at[i] = -1;
    }
    for (int i = count - 1; i >= 0; --i)
        for (int e = 1; e >= 0; --e) {
            const int end = 2 * sequence[i] + e, node = node_of(g, end);
            g->next[end]  = g->head[node];
            g->head[node] = end;
        }
}

// Breadth-first search from `from` over joints before `position` until `to` is found; via[] then gives the path back.
static void search_path(body_graph* g, int from, int to, int position)
{
    int head = 0, tail = 0;
    g->queue[tail++]    = from;
    g->visited_at[from] = position;
    while (head < tail && g->visited_at[to] != position) {
        const int node = g->queue[head++];
        for (int end = g->head[node]; end >= 0; end = g->next[end]) {
            if (g->joint_position[end / 2] >= position) break; // ends are sorted by position
            const int other = node_of(g, end ^ 1);
            if (g->visited_at[other] == position) continue;
            g->visited_at[other] = position;
            g->via[other]        = end; // end at the predecessor node
            g->queue[tail++]     = other;
        }
    }
}

// Rotate the loop so that it starts at ground (or at the closing joint), in the direction in which the earlier of the
// two joints there comes first. Returns false if memory is exhausted.
static bool orient_loop(const body_graph* g, cd_kinematic_loop* loop)
{
    const int n     = loop->njoint;
    int       start = 0;
    for (int i = 0; i < n; ++i)
        if (loop->body[i] == CARDAN_GROUND) start = i;
    int* copy = malloc(2 * (size_t)n * sizeof *copy);
    if (!copy) return false;
    memcpy(copy, loop->joint, (size_t)n * sizeof *copy);
    memcpy(copy + n, loop->body, (size_t)n * sizeof *copy);
    const bool is_reversed = g->joint_position[copy[(start + n - 1) % n]] < g->joint_position[copy[start]];
    for (int i = 0; i < n; ++i) {
        loop->joint[i] = copy[is_reversed ? (start + 2 * n - 1 - i) % n : (start + i) % n];
        loop->body[i]  = copy[n + (is_reversed ? (start + 2 * n - i) % n : (start + i) % n)];
    }
    free(copy);
    return true;
}

static bool trace_loop(body_graph* g, int j, cd_kinematic_loop* loop)
{
    const int from = node_of(g, 2 * j + 1), to = node_of(g, 2 * j);
    *loop = (cd_kinematic_loop){.closing_joint = j, .closing_position = g->joint_position[j], .njoint = 1};
    search_path(g, from, to, g->joint_position[j]);
    for (int node = to; node != from; node = node_of(g, g->via[node])) ++loop->njoint;
    loop->joint = malloc((size_t)loop->njoint * sizeof(int));
    loop->body  = malloc((size_t)loop->njoint * sizeof(int));
    if (!loop->joint || !loop->body) return false;
    // from `to`, the first body of j, back to the second, then over j
    int node = to;
    for (int i = 0; i < loop->njoint - 1; ++i) {
        loop->body[i]  = node - 1;
        loop->joint[i] = g->via[node] / 2;
        node           = node_of(g, g->via[node]);
    }
    loop->body[loop->njoint - 1]  = from - 1;
    loop->joint[loop->njoint - 1] = j;
    return orient_loop(g, loop);
}

static const char* body_name(const cardan_description_view* view, int body)
{
    return body == CARDAN_GROUND ? "ground" : view->body[body].name;
}

static void write_path(const cardan_model* m, cd_kinematic_loop* loop)
{
    enum { MAX_PATH_JOINTS = 14, SHOWN_JOINTS = 5 };
    for (int i = 0; i < loop->njoint; ++i) {
        if (loop->njoint > MAX_PATH_JOINTS && i == SHOWN_JOINTS) {
            i = loop->njoint - SHOWN_JOINTS;
            cd_text_format(&loop->path, "%s ... ", body_name(&m->view, loop->body[SHOWN_JOINTS]));
        }
        cd_text_format(&loop->path, "%s -%s- ", body_name(&m->view, loop->body[i]), m->joint[loop->joint[i]].name);
    }
    cd_text_add(&loop->path, body_name(&m->view, loop->body[0]));
}

cardan_status cd_kinematic_loops_find(const cardan_data* d, cd_kinematic_loops* loops, cardan_report* report)
{
    const cardan_model* m = d->m;
    body_graph          g = {.view = &m->view};
    *loops                = (cd_kinematic_loops){0};
    layout(&g);
    loops->joint_order = cd_allocate((size_t)m->view.njoint + 1, sizeof *loops->joint_order);
    loops->loop        = cd_allocate(CD_MAX_LOOPS, sizeof *loops->loop);
    loops->extra       = cd_allocate((size_t)(d->constraints.nconstraint - m->ncut) + 1, sizeof *loops->extra);
    bool good          = cd_arena_reserve(&g.arena) && loops->joint_order && loops->loop && loops->extra;
    if (good) {
        layout(&g);
        order_joints(m, &g, loops->joint_order);
    }
    for (int i = 0; good && i < m->view.njoint; ++i) {
        const int j = loops->joint_order[i], a = cd_disjoint_set_root(g.component, node_of(&g, 2 * j)),
                  b    = cd_disjoint_set_root(g.component, node_of(&g, 2 * j + 1));
        g.component[a] = b;
        if (a != b) continue;
        ++loops->total;
        loops->nrow += 6 - m->tree_range[j].nv;
        if (loops->nloop == CD_MAX_LOOPS) continue;
        cd_kinematic_loop* loop = &loops->loop[loops->nloop++];
        good                    = trace_loop(&g, j, loop);
        if (!good) break;
        loop->nrow = 6 - m->tree_range[j].nv;
        write_path(m, loop);
        good = !loop->path.failed;
    }
    cd_arena_release(&g.arena);
    return good ? CARDAN_OK
                : cardan_fail(report, CARDAN_NO_MEMORY, CARDAN_CODE_OUT_OF_MEMORY, cardan_location_none(),
                              "out of memory for the loops of '%s'", m->view.name);
}

void cd_kinematic_loops_free(cd_kinematic_loops* loops)
{
    for (int i = 0; i < loops->nloop; ++i) {
        cd_kinematic_loop* loop = &loops->loop[i];
        free(loop->joint);
        free(loop->body);
        cd_text_free(&loop->path);
        cd_text_free(&loop->reason);
        cd_text_free(&loop->indeterminate);
        cd_text_free(&loop->suggested_joints);
    }
    cd_text_free(&loops->indeterminate);
    free(loops->loop);
    free(loops->joint_order);
    free(loops->extra);
    *loops = (cd_kinematic_loops){0};
}
