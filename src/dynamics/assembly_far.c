// SPDX-License-Identifier: BSD-3-Clause
// Positions that are far from the start: where (1) of docs/theory/assembly.md ends with a gap, or might lead into
// another branch, exact values e are reached from a closed pose on the way,
//
//   e(s) = e(0) + s (e - e(0)),   s = 0 ... 1        0.2 rad or lengths at a time, less where that does not close
//
// every pose closed from the last two, extrapolated: so the branch is kept, through singular poses too. Closed poses to
// begin with are tried in this order:
//
//   guessed    exact joints as drawn, the others where they were guessed
//   drawn      all joints as drawn
//   released   the pose that closes from the start with exact values let go
//
// and in the end starts that lie anywhere, the same ones in every run, with exact values held. Where nothing is guessed
// the way from the drawn pose comes before (1), so that the branch is that of the drawing.
#include "dynamics/assembly.h"

#include "math/largest.h"
#include "math/quaternion.h"

#include <math.h>
#include <string.h>

static const double closed          = 1e-9;
static const double longest         = 0.2; // rad or lengths, in one move
static const double far_off         = 0.5; // rad or lengths from the drawing
static const double strayed         = 0.4; // beside what was extrapolated: another branch, or one move too long
static const double most_operations = 1e9; // of all tries together
static const double most_iterations = 2e4;
enum { HALVINGS = 6, MOVES = 200, ANYWHERE = 24 };

typedef enum origin { GUESSED, DRAWN, RELEASED, ORIGINS } origin;

typedef struct way {
    cd_assembly*  a;
    cd_arena      arena;
    cardan_start *wanted, *from; // (njoint)
    double *      q, *last;      // (nq) the last two poses that closed
    double*       began;         // (nq) where the last move began
    double*       nearest;       // (nq) where the gap was least at first
    double        closed;        // a gap that is none
    int           begun;         // iterations before
} way;

static void layout(way* w)
{
    const cardan_model* m = w->a->d->m;
    CD_TAKE(&w->arena, w->wanted, m->njoint);
    CD_TAKE(&w->arena, w->from, m->njoint);
    CD_TAKE(&w->arena, w->q, m->nq);
    CD_TAKE(&w->arena, w->last, m->nq);
    CD_TAKE(&w->arena, w->began, m->nq);
    CD_TAKE(&w->arena, w->nearest, m->nq);
}

static void set_positions(const way* w, const double* q)
{
    cardan_data* d = w->a->d;
    cd_data_set(d, d->t, q, d->v, d->state);
}

static bool affordable(const way* w)
{
    const cd_assembly* a   = w->a;
    const double       now = a->iterations - w->begun, n = a->few ? a->nrow : a->nfree;
    return now < most_iterations && now * n * n * (a->nrow + a->nfree) < most_operations;
}

static bool is_exact(const way* w, int j) { return w->wanted[j].position == CARDAN_HOLD_EXACT; }

// ---- exact values on their way

static int plain_of(const cardan_slot slot) { return slot.nq > slot.nv ? slot.nq - 4 : slot.nq; }

// Coordinates of a joint at the part s of the way; quaternions the shorter way round.
static void between(const cardan_slot slot, const double* from, const double* to, double s, double* q)
{
    const int    plain = plain_of(slot);
    const double along = plain < slot.nq ? from[plain] * to[plain] + from[plain + 1] * to[plain + 1] +
                                               from[plain + 2] * to[plain + 2] + from[plain + 3] * to[plain + 3]
                                         : 1;
    for (int i = 0; i < slot.nq; ++i)
        q[i] = i < plain || along >= 0 ? from[i] + s * (to[i] - from[i]) : s * to[i] - (1 - s) * from[i];
    if (plain < slot.nq) q4_normalize(q + plain);
    if (s >= 1) memcpy(q, to, (size_t)slot.nq * sizeof *q);
}

// Rad or lengths that the exact joint with the longest way has to go.
static double way_to_go(const way* w)
{
    const cardan_model* m    = w->a->d->m;
    double              most = 0;
    for (int j = 0; j < m->njoint; ++j) {
        if (!is_exact(w, j)) continue;
        const int plain = plain_of(m->slot[j]);
        for (int i = 0; i < m->slot[j].nq; ++i) {
            const double far    = fabs(w->wanted[j].q[i] - w->from[j].q[i]);
            const bool   slides = i < plain && strcmp(cardan_model_q_unit(m, j, i), "m") == 0;
            most                = fmax(most, slides ? far / w->a->length : far);
        }
    }
    return most;
}

// Exact joints at the part s of the way, the others as they are in q.
static void place(way* w, const double* q, double s)
{
    cd_assembly*        a = w->a;
    const cardan_model* m = a->d->m;
    memcpy(a->q1, q, (size_t)m->nq * sizeof *q);
    for (int j = 0; j < m->njoint; ++j) {
        const cardan_slot slot = m->slot[j];
        if (!is_exact(w, j)) continue;
        between(slot, w->from[j].q, w->wanted[j].q, s, a->start[j].q);
        if (slot.q >= 0) memcpy(a->q1 + slot.q, a->start[j].q, (size_t)slot.nq * sizeof *q);
    }
    set_positions(w, a->q1);
    cd_assembly_choose(a, false, false);
}

// From q at s, with the pose before it at s - back, to a->q1 at s + ahead along the line through both.
static void extrapolate(way* w, double back, double ahead)
{
    cd_assembly*        a = w->a;
    const cardan_model* m = a->d->m;
    cardan_model_difference(m, w->last, w->q, a->dq);
    for (int v = 0; v < m->nv; ++v) a->dq[v] *= back > 0 ? ahead / back : 0;
    cardan_model_move(m, w->q, a->dq, a->q1);
}

// Rad or lengths from where the last move began to where it closed.
static double correction(way* w)
{
    cd_assembly* a    = w->a;
    double       most = 0;
    cardan_model_difference(a->d->m, w->began, a->d->q, a->dq);
    for (int v = 0; v < a->d->m->nv; ++v) most = fmax(most, fabs(a->dq[v] * a->unit[v]));
    return most;
}

// From the closed pose w->q at s = 0 to s = 1.
static bool go(way* w)
{
    const cardan_model* m    = w->a->d->m;
    const size_t        size = (size_t)m->nq * sizeof *w->q;
    const double all = way_to_go(w), most = fmin(1, fmax(longest / all, 1.0 / MOVES)), least = ldexp(most, -HALVINGS);
    double       s = 0, back = 0, step = most;
    memcpy(w->last, w->q, size);
    while (s < 1 && affordable(w)) {
        const double next = fmin(1, s + step);
        extrapolate(w, back, next - s);
        memcpy(w->began, w->a->q1, size);
        place(w, w->began, next);
        const bool closed = cd_assembly_descend(w->a) <= w->closed;
        if (closed && (correction(w) <= strayed || step <= least)) {
            memcpy(w->last, w->q, size);
            memcpy(w->q, w->a->d->q, size);
            back = next - s;
            s    = next;
            step = fmin(most, 2 * step);
        } else if (step <= least)
            return false;
        else
            step = fmax(least, step / 2);
    }
    return s >= 1;
}

// ---- where to begin

// Where exact joints begin, and a pose of all of them in w->q; not closed yet.
static void begin(way* w, origin where)
{
    const cardan_model* m = w->a->d->m;
    memcpy(w->q, w->a->q0, (size_t)m->nq * sizeof *w->q);
    for (int j = 0; j < m->njoint; ++j) {
        const cardan_slot slot = m->slot[j];
        w->from[j]             = w->wanted[j];
        if (w->wanted[j].position == CARDAN_HOLD_LOOSE || (where == GUESSED && !is_exact(w, j))) continue;
        cd_joint_at_drawing(m, j, w->from[j].q);
        if (slot.q >= 0) memcpy(w->q + slot.q, w->from[j].q, (size_t)slot.nq * sizeof *w->q);
    }
}

// The same with exact joints where they are in the pose that closes once they are let go.
static bool release(way* w)
{
    cd_assembly* a = w->a;
    double       v[CARDAN_JOINT_MAX];
    set_positions(w, a->q0);
    cd_assembly_choose(a, false, true);
    const bool closed = cd_assembly_close_positions(a) <= w->closed;
    for (int j = 0; j < a->d->m->njoint; ++j) cardan_joint_state(a->d, j, w->from[j].q, v);
    memcpy(w->q, a->d->q, (size_t)a->d->m->nq * sizeof *w->q);
    return closed;
}

static bool go_from(way* w, origin where)
{
    if (where == RELEASED && !release(w)) return false;
    if (where != RELEASED) begin(w, where);
    place(w, w->q, 0);
    if (cd_assembly_close_positions(w->a) > w->closed) return false;
    memcpy(w->q, w->a->d->q, (size_t)w->a->d->m->nq * sizeof *w->q);
    return go(w);
}

// Exact values held, all others up to `size` rad or lengths beside the start.
static bool from_anywhere(way* w)
{
    cd_assembly* a = w->a;
    for (int try = 0; try < ANYWHERE && affordable(w); ++try) {
        memcpy(a->kept, a->q0, (size_t)a->d->m->nq * sizeof *a->kept);
        set_positions(w, a->q0);
        cd_assembly_choose(a, false, false);
        cd_assembly_disturb(a, 0.5 * (1 + try % 6), try + 1);
        if (cd_assembly_descend(a) <= w->closed) return true;
    }
    return false;
}

static bool some_exact(const way* w)
{
    for (int j = 0; j < w->a->d->m->njoint; ++j)
        if (is_exact(w, j)) return true;
    return false;
}

static void take_back(way* w) { memcpy(w->a->start, w->wanted, (size_t)w->a->d->m->njoint * sizeof *w->wanted); }

static bool search(way* w)
{
    const bool exact = some_exact(w);
    for (origin where = GUESSED; where < ORIGINS; ++where) {
        if (where != DRAWN && !exact) continue; // that was tried
        if (go_from(w, where)) return true;
        take_back(w);
    }
    return from_anywhere(w);
}

// Nothing is guessed, and exact joints are so far from where they were drawn that a step may lead into another branch.
static bool follow(way* w)
{
    for (int j = 0; j < w->a->d->m->njoint; ++j)
        if (w->wanted[j].position == CARDAN_HOLD_GUESS) return false;
    begin(w, DRAWN);
    return way_to_go(w) > far_off && go_from(w, DRAWN);
}

// The state at what `by` finds; where that is nothing all is as before. False without memory.
static bool close_by(cd_assembly* a, bool (*by)(way*))
{
    const cardan_model* m    = a->d->m;
    const size_t        size = (size_t)m->nq * sizeof *a->q;
    way                 w    = {.a = a, .closed = fmax(closed, a->rounding), .begun = a->iterations};
    if (!a->dense || a->nfree == 0) return true;
    layout(&w);
    if (!cd_arena_reserve(&w.arena)) return false;
    layout(&w);
    memcpy(w.nearest, a->d->q, size);
    memcpy(w.wanted, a->start, (size_t)m->njoint * sizeof *w.wanted);
    const bool found = by(&w);
    take_back(&w);
    memcpy(a->q, found ? a->d->q : w.nearest, size);
    set_positions(&w, a->q);
    cd_assembly_choose(a, false, false);
    cd_arena_release(&w.arena);
    return true;
}

bool cd_assembly_close_far(cd_assembly* a, double* left)
{
    const bool good = close_by(a, search);
    *left           = cd_assembly_residual(a, a->c);
    return good;
}

bool cd_assembly_follow(cd_assembly* a) { return close_by(a, follow); }
