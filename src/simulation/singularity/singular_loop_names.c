// SPDX-License-Identifier: BSD-3-Clause
// Loops that lose rank at a singular configuration: those whose joints have a self-stress there and not elsewhere
// (dynamics/reactions/self_stress.c). A self-stress belongs to the mechanism, not to the coordinates, so that every
// formulation names the same loops. Loops are those of the description: a joint whose bodies are already connected by
// earlier joints closes one, along the shortest path.
#include "simulation/singularity/singular_events.h"

#include "core/disjoint_sets.h"
#include "dynamics/data.h"
#include "dynamics/state.h"
#include "model/model.h"
#include "simulation/simulation_tolerances.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

enum { JOINT_NAMES_MAX = 6, LOOP_NAMES_MAX = 3 }; // joints of a loop, and loops, named individually

static int body_node(const cardan_description_view* view, int body)
{
    return body == CARDAN_GROUND ? view->nbody : body;
}

// Find the joints from body `to` back to body `from` among those before number `before`, without `excluded`, breadth
// first, into queue. Returns their number, or -1 if there is no path.
static int find_path(const cd_singular_events* events, const cardan_description_view* view, int from, int to,
                     int before, int excluded)
{
    int head = 0, tail = 0, count = 0;
    for (int b = 0; b <= view->nbody; ++b) events->via_joint[b] = -1;
    events->queue[tail++]   = from;
    events->via_joint[from] = view->njoint;
    while (head < tail && events->via_joint[to] < 0) {
        const int b = events->queue[head++];
        for (int j = 0; j < before; ++j) {
            const int one   = body_node(view, view->joint[j].first_body),
                      two   = body_node(view, view->joint[j].second_body);
            const int other = one == b ? two : two == b ? one : -1;
            if (j == excluded || other < 0 || events->via_joint[other] >= 0) continue;
            events->via_joint[other] = j;
            events->queue[tail++]    = other;
        }
    }
    if (events->via_joint[to] < 0) return -1;
    for (int b = to; b != from; ++count) {
        const cardan_joint* j   = &view->joint[events->via_joint[b]];
        const int           one = body_node(view, j->first_body);
        events->queue[count]    = events->via_joint[b];
        b                       = one == b ? body_node(view, j->second_body) : one;
    }
    return count;
}

typedef struct text_writer {
    char*  text;
    size_t size, used;
} text_writer;

// Append a text completely or not at all.
static bool append_text(text_writer* w, const char* piece)
{
    const size_t n = strlen(piece);
    if (w->used + n + 1 > w->size) return false;
    memcpy(w->text + w->used, piece, n + 1);
    w->used += n;
    return true;
}

// Find the path from one body of joint j to the other without j.
static int find_loop(const cd_singular_events* events, const cardan_description_view* view, int j, int before)
{
    const cardan_joint* joint = &view->joint[j];
    return find_path(events, view, body_node(view, joint->first_body), body_node(view, joint->second_body), before, j);
}

bool cd_joint_is_on_loop(const cd_singular_events* events, const cd_ode_system* system, int j)
{
    return find_loop(events, &system->description, j, system->description.njoint) >= 0;
}

// Last joint of the shortest loop through joint j, which closes it in the order of the description; j itself if it is
// on no loop, or on a loop of more joints than are named.
static int closing_joint(const cd_singular_events* events, const cardan_description_view* view, int j)
{
    const int n    = find_loop(events, view, j, view->njoint);
    int       last = j;
    for (int i = 0; i < n && n <= JOINT_NAMES_MAX; ++i) last = events->queue[i] > last ? events->queue[i] : last;
    const int m = last == j ? n : find_loop(events, view, last, last);
    for (int i = 0; i < m; ++i)
        if (events->queue[i] == j) return last;
    return j;
}

// Append "c1, a1, a0 and b1": joint j, and the path back over joints before number `before`.
static bool append_loop(const cd_singular_events* events, const cardan_description_view* view, int j, int before,
                        text_writer* w)
{
    const cardan_joint* joint = &view->joint[j];
    const int           n     = find_loop(events, view, j, before);
    text_writer         trial = *w;
    bool                good  = append_text(&trial, joint->name);
    for (int i = 0; n <= JOINT_NAMES_MAX && good && i < n; ++i)
        good =
            append_text(&trial, i == n - 1 ? " and " : ", ") && append_text(&trial, view->joint[events->queue[i]].name);
    if (n > JOINT_NAMES_MAX) good = good && append_text(&trial, " and the joints of its loop");
    if (good)
        *w = trial;
    else
        w->text[w->used] = 0;
    return good;
}

// Set the data to the configuration `ahead` [s] plus `distance` along the motion; returns the smallest
// singular value there of the rows that are not always redundant, 0 if unknown.
static double smallest_sigma_near(const cd_ode_system* system, const double* q0, double ahead, double distance)
{
    cardan_data* d              = system->data;
    const double velocity_scale = cd_velocity_scale(system, d->v);
    for (int i = 0; i < system->nv; ++i)
        system->a[i] = velocity_scale > 0 ? (ahead + distance / velocity_scale) * d->v[i] : 0;
    cardan_model_integrate_position(system->model, q0, system->a, system->q_scratch);
    if (cd_data_set_state(d, d->t, system->q_scratch, d->v, d->state)) return 0;
    return velocity_scale > 0 ? cd_find_near_singular_stress(d, system->conditioning.rank_deficiency_generic,
                                                             &d->reactions.self_stress)
                              : 0;
}

// Find the joints with a self-stress at the configuration `ahead` that do not have it elsewhere; returns false if
// unknown. *singular: whether the singular value decreases towards the configuration; effects of the
// coordinates alone do not.
static bool find_stressed_joints(const cd_singular_events* events, const cd_ode_system* system, double ahead,
                                 bool* singular)
{
    cardan_data*    d       = system->data;
    cd_self_stress* stress  = &d->reactions.self_stress;
    double          largest = 0;
    *singular               = true;
    if (system->conditioning.rank_deficiency_generic < 0 || !stress->affordable) return false;
    memcpy(events->q_saved, d->q, (size_t)system->nq * sizeof *events->q_saved);
    const double sigma_far =
                     smallest_sigma_near(system, events->q_saved, ahead, cd_far_probe_ratio * cd_loop_probe_distance),
                 sigma_close = smallest_sigma_near(system, events->q_saved, ahead, cd_loop_probe_distance);
    *singular                = sigma_far == 0 || sigma_close < cd_probe_decrease_max * sigma_far;
    for (int pass = 0; pass < 2; ++pass)
        for (int j = 0; j < d->m->njoint; ++j) {
            double size = 0;
            for (int s = 0; s < stress->nbasis; ++s)
                for (int k = 0; k < 6; ++k)
                    size += pow(stress->basis[(size_t)s * (size_t)stress->width + (size_t)(6 * j + k)], 2);
            if (pass == 0)
                largest = fmax(largest, size);
            else
                events->is_stressed[j] = size > cd_significant_force_fraction * cd_significant_force_fraction * largest;
        }
    return stress->nbasis > 0 && largest > 0;
}

// Mark the joints that close a loop with a stressed joint in it instead of the stressed ones; returns their number.
// Joints before j are still unchanged when j is processed.
static int mark_loops_through_stressed(const cd_singular_events* events, const cardan_description_view* view)
{
    int count = 0;
    for (int j = view->njoint - 1; j >= 0; --j) {
        const int n   = find_loop(events, view, j, j);
        bool      any = n >= 0 && events->is_stressed[j];
        for (int i = 0; i < n; ++i) any |= events->is_stressed[events->queue[i]];
        events->is_stressed[j] = any;
        count += any;
    }
    return count;
}

// Keep only the stressed joints that close a loop; returns their number. If a driver acts on the joint that closes
// it, along a free axis of that joint, the joints on the path around identify the loop.
static int keep_closing_joints(const cd_singular_events* events, const cardan_description_view* view)
{
    int count = 0;
    for (int j = 0; j < view->njoint; ++j) count += events->is_stressed[j] && find_loop(events, view, j, j) >= 0;
    if (count == 0) return mark_loops_through_stressed(events, view);
    count = 0;
    for (int b = 0; b <= view->nbody; ++b) events->body_group[b] = b;
    for (int j = 0; j < view->njoint; ++j) {
        const int one           = cd_disjoint_set_root(events->body_group, body_node(view, view->joint[j].first_body)),
                  two           = cd_disjoint_set_root(events->body_group, body_node(view, view->joint[j].second_body));
        events->body_group[one] = two;
        events->is_stressed[j] &= one == two;
        count += events->is_stressed[j];
    }
    return count;
}

// Write "the loop of c1, a1, a0 and b1", "the loops of c1, a1, a0 and b1, of c2, a2, a1 and b2, and of 3 more";
// returns how many were named.
static int name_loops(const cd_singular_events* events, const cardan_description_view* view, text_writer* w,
                      bool* several)
{
    const int count = keep_closing_joints(events, view);
    int       named = 0;
    *several        = count > 1;
    append_text(w, count > 1 ? "the loops of " : "the loop of ");
    for (int j = 0; j < view->njoint && named < LOOP_NAMES_MAX; ++j) {
        if (!events->is_stressed[j]) continue;
        const text_writer before = *w;
        const char*       joined = named == 0 ? "" : named == count - 1 ? ", and of " : ", of ";
        if (append_text(w, joined) && append_loop(events, view, j, j, w) &&
            (named == count - 1 || w->used + 24 < w->size)) {
            ++named;
            continue;
        }
        *w               = before;
        w->text[w->used] = 0;
        break;
    }
    if (count > named) {
        char more[32];
        snprintf(more, sizeof more, ", and of %d more", count - named);
        append_text(w, more);
    }
    return named;
}

static const cd_constraint* constraint_of_row(const cardan_data* d, int row)
{
    for (int i = 0; i < d->constraints.nconstraint; ++i) {
        const cd_constraint* c = &d->constraints.constraint[i];
        if (row >= c->first_row && row < c->first_row + c->nrow) return c;
    }
    return NULL;
}

bool cd_name_singular_loops(const cd_singular_events* events, const cd_ode_system* system, double ahead, int row,
                            char* text, size_t size, bool* several)
{
    const cardan_data*             d    = system->data;
    const cardan_description_view* view = &system->description;
    const cd_constraint*           c    = row < 0 ? NULL : constraint_of_row(d, row);
    text_writer                    w    = {text, size, 0};
    bool                           singular, any;
    if (!several) several = &any;
    text[0] = 0;
    if (find_stressed_joints(events, system, ahead, &singular) && name_loops(events, view, &w, several) > 0)
        return singular;
    w.used   = 0;
    *several = !c;
    if (!c) {
        snprintf(text, size, "the loops of '%s'", d->m->view.name);
        return singular;
    }
    const int last = c->joint == CARDAN_NONE ? CARDAN_NONE : closing_joint(events, view, c->joint);
    if (last == CARDAN_NONE || !append_text(&w, "the loop of ") ||
        !append_loop(events, view, last, last == c->joint ? view->njoint : last, &w))
        snprintf(text, size, "%s '%s' and its loop", c->category, c->name);
    return singular;
}
