// SPDX-License-Identifier: BSD-3-Clause
// Which loops lose rank at a singular pose: those whose joints could carry forces there that hold each other, and
// elsewhere cannot (dynamics/stress.c). These forces belong to the mechanism, not to the coordinates, so that every
// formulation names the same loops. Loops are those of the description: a joint whose bodies are connected by joints
// before it closes one, the shortest way round.
#include "motion/passage.h"

#include "core/sets.h"
#include "dynamics/data.h"
#include "model/model.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

enum { NAMES = 6, LOOPS = 3 }; // joints of a loop, and loops, told one by one

static const double aside = 0.005; // [rad, lengths] from the pose, where what is singular there is weak, and the rest
                                   // is not; poses of other loops may be near
static const double farther = 5, weaker = 0.6; // singular values are proportional to the distance
static const double felt = 0.05;               // of the largest force: less is what a pose beside the singular one adds

static int node_of(const cardan_view* view, int body) { return body == CARDAN_GROUND ? view->nbody : body; }

// Joints from body `to` back to body `from` over joints before number `before` but `but`, breadth first, into queue;
// how many, or -1 where there is no way.
static int find_way(const cd_passage* p, const cardan_view* view, int from, int to, int before, int but)
{
    int head = 0, tail = 0, count = 0;
    for (int b = 0; b <= view->nbody; ++b) p->via[b] = -1;
    p->queue[tail++] = from;
    p->via[from]     = view->njoint;
    while (head < tail && p->via[to] < 0) {
        const int b = p->queue[head++];
        for (int j = 0; j < before; ++j) {
            const int one = node_of(view, view->joint[j].first), two = node_of(view, view->joint[j].second);
            const int other = one == b ? two : two == b ? one : -1;
            if (j == but || other < 0 || p->via[other] >= 0) continue;
            p->via[other]    = j;
            p->queue[tail++] = other;
        }
    }
    if (p->via[to] < 0) return -1;
    for (int b = to; b != from; ++count) {
        const cardan_joint* j   = &view->joint[p->via[b]];
        const int           one = node_of(view, j->first);
        p->queue[count]         = p->via[b];
        b                       = one == b ? node_of(view, j->second) : one;
    }
    return count;
}

typedef struct writer {
    char*  text;
    size_t size, used;
} writer;

// What does not fit is not begun.
static bool put(writer* w, const char* piece)
{
    const size_t n = strlen(piece);
    if (w->used + n + 1 > w->size) return false;
    memcpy(w->text + w->used, piece, n + 1);
    w->used += n;
    return true;
}

// The way round from joint j back to it.
static int find_loop(const cd_passage* p, const cardan_view* view, int j, int before)
{
    const cardan_joint* joint = &view->joint[j];
    return find_way(p, view, node_of(view, joint->first), node_of(view, joint->second), before, j);
}

bool cd_passage_on_loop(const cd_passage* p, const cd_system* system, int j)
{
    return find_loop(p, &system->said, j, system->said.njoint) >= 0;
}

// The last joint of the shortest loop that joint j is on, which closes it where joints are counted; j where it is on
// none, or on one of more joints than are told.
static int closing_joint(const cd_passage* p, const cardan_view* view, int j)
{
    const int n    = find_loop(p, view, j, view->njoint);
    int       last = j;
    for (int i = 0; i < n && n <= NAMES; ++i) last = p->queue[i] > last ? p->queue[i] : last;
    const int m = last == j ? n : find_loop(p, view, last, last);
    for (int i = 0; i < m; ++i)
        if (p->queue[i] == j) return last;
    return j;
}

// "c1, a1, a0 and b1": joint j, and the way back over joints before number `before`.
static bool put_loop(const cd_passage* p, const cardan_view* view, int j, int before, writer* w)
{
    const cardan_joint* joint = &view->joint[j];
    const int           n     = find_loop(p, view, j, before);
    writer              trial = *w;
    bool                good  = put(&trial, joint->name);
    for (int i = 0; n <= NAMES && good && i < n; ++i)
        good = put(&trial, i == n - 1 ? " and " : ", ") && put(&trial, view->joint[p->queue[i]].name);
    if (n > NAMES) good = good && put(&trial, " and the joints round it");
    if (good)
        *w = trial;
    else
        w->text[w->used] = 0;
    return good;
}

// The data at the pose `ahead`, and `further` beside it along the motion; how weak the rows are there that are not
// always repeated. 0 where that is not known.
static double weakness_beside(const cd_system* system, const double* q0, double ahead, double further)
{
    cardan_data* d    = system->data;
    const double fast = cd_fastest(system, d->v);
    for (int i = 0; i < system->nv; ++i) system->a[i] = fast > 0 ? (ahead + further / fast) * d->v[i] : 0;
    cardan_model_move(system->model, q0, system->a, system->q);
    if (cd_data_set(d, d->t, system->q, d->v, d->state)) return 0;
    return fast > 0 ? cd_find_weak_stress(d, system->firmness.fewest, &d->reacting.stress) : 0;
}

// Joints that can carry at the pose `ahead` what they cannot carry elsewhere; false where that is not known. *singular:
// whether rows get weaker towards the pose; what depends on coordinates alone does not.
static bool find_stressed(const cd_passage* p, const cd_system* system, double ahead, bool* singular)
{
    cardan_data* d      = system->data;
    cd_stress*   stress = &d->reacting.stress;
    double       most   = 0;
    *singular           = true;
    if (system->firmness.fewest < 0 || !stress->affordable) return false;
    memcpy(p->q, d->q, (size_t)system->nq * sizeof *p->q);
    const double far  = weakness_beside(system, p->q, ahead, farther * aside),
                 near = weakness_beside(system, p->q, ahead, aside);
    *singular         = far == 0 || near < weaker * far;
    for (int pass = 0; pass < 2; ++pass)
        for (int j = 0; j < d->m->njoint; ++j) {
            double size = 0;
            for (int s = 0; s < stress->nset; ++s)
                for (int k = 0; k < 6; ++k)
                    size += pow(stress->set[(size_t)s * (size_t)stress->width + (size_t)(6 * j + k)], 2);
            if (pass == 0)
                most = fmax(most, size);
            else
                p->stressed[j] = size > felt * felt * most;
        }
    return stress->nset > 0 && most > 0;
}

// Joints that close a loop with a stressed one in it instead of the stressed ones; how many. Those before a joint are
// still what they were when it has its turn.
static int take_round(const cd_passage* p, const cardan_view* view)
{
    int count = 0;
    for (int j = view->njoint - 1; j >= 0; --j) {
        const int n   = find_loop(p, view, j, j);
        bool      any = n >= 0 && p->stressed[j];
        for (int i = 0; i < n; ++i) any |= p->stressed[p->queue[i]];
        p->stressed[j] = any;
        count += any;
    }
    return count;
}

// Leaves those stressed joints that close a loop; how many. A driver may hold the joint that closes it, along an axis
// that the joint leaves free: then its way round tells.
static int keep_closing(const cd_passage* p, const cardan_view* view)
{
    int count = 0;
    for (int j = 0; j < view->njoint; ++j) count += p->stressed[j] && find_loop(p, view, j, j) >= 0;
    if (count == 0) return take_round(p, view);
    count = 0;
    for (int b = 0; b <= view->nbody; ++b) p->group[b] = b;
    for (int j = 0; j < view->njoint; ++j) {
        const int one = cd_root_of(p->group, node_of(view, view->joint[j].first)),
                  two = cd_root_of(p->group, node_of(view, view->joint[j].second));
        p->group[one] = two;
        p->stressed[j] &= one == two;
        count += p->stressed[j];
    }
    return count;
}

// "the loop of c1, a1, a0 and b1", "the loops of c1, a1, a0 and b1, of c2, a2, a1 and b2, and of 3 more"; how many were
// named.
static int name_loops(const cd_passage* p, const cardan_view* view, writer* w, bool* several)
{
    const int count = keep_closing(p, view);
    int       told  = 0;
    *several        = count > 1;
    put(w, count > 1 ? "the loops of " : "the loop of ");
    for (int j = 0; j < view->njoint && told < LOOPS; ++j) {
        if (!p->stressed[j]) continue;
        const writer before = *w;
        const char*  joined = told == 0 ? "" : told == count - 1 ? ", and of " : ", of ";
        if (put(w, joined) && put_loop(p, view, j, j, w) && (told == count - 1 || w->used + 24 < w->size)) {
            ++told;
            continue;
        }
        *w               = before;
        w->text[w->used] = 0;
        break;
    }
    if (count > told) {
        char more[32];
        snprintf(more, sizeof more, ", and of %d more", count - told);
        put(w, more);
    }
    return told;
}

static const cd_constraint* constraint_of(const cardan_data* d, int row)
{
    for (int i = 0; i < d->closure.nconstraint; ++i) {
        const cd_constraint* c = &d->closure.constraint[i];
        if (row >= c->first_row && row < c->first_row + c->nrow) return c;
    }
    return NULL;
}

bool cd_passage_name(const cd_passage* p, const cd_system* system, double ahead, int row, char* text, size_t size,
                     bool* several)
{
    const cardan_data*   d    = system->data;
    const cardan_view*   view = &system->said;
    const cd_constraint* c    = row < 0 ? NULL : constraint_of(d, row);
    writer               w    = {text, size, 0};
    bool                 singular, any;
    if (!several) several = &any;
    text[0] = 0;
    if (find_stressed(p, system, ahead, &singular) && name_loops(p, view, &w, several) > 0) return singular;
    w.used   = 0;
    *several = !c;
    if (!c) {
        snprintf(text, size, "the loops of '%s'", d->m->view.name);
        return singular;
    }
    const int last = c->joint == CARDAN_NONE ? CARDAN_NONE : closing_joint(p, view, c->joint);
    if (last == CARDAN_NONE || !put(&w, "the loop of ") ||
        !put_loop(p, view, last, last == c->joint ? view->njoint : last, &w))
        snprintf(text, size, "%s '%s' and its loop", c->what, c->name);
    return singular;
}
