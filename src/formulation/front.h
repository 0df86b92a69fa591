// SPDX-License-Identifier: BSD-3-Clause
// Fronts of the recursive coordinate reduction. A front belongs to one link of the tree: it holds everything that is
// known about the link when it is eliminated, as a quadratic form in the motions of a few bodies, with the constraint
// rows that are still open.
//
//   bodies    slot 0 is the link itself; the other slots, its ports, are bodies that open rows or earlier eliminations tie it to
//   scalars   velocities that wait: an open row feels them, but too weakly to be solved for
//
// Eliminating a link leaves its parent in slot 0, and an update that the front `target` takes over.
//
// Who is whose parent is a choice: inward, as in the tree; or outward, where each branch of ground hangs from its
// deepest link, joints on the way from there to ground are walked backwards, and ground is a body of its own that six
// rows hold still. Inward, what cannot move weighs as much as everything outboard of it; outward, it is a row.
#pragma once

#include "core/memory.h"
#include "formulation/formulation.h"

enum { CD_FRONT_WAITING = 6 }; // most scalars that a front passes on
enum { CD_NARROW_ROWS = 24 };  // most open rows of a front that is done at once

static const double cd_felt_strongly = 0.05; // of the size of row and column: felt enough to be solved for

// Size of an inertia: roots of its diagonal. Along s it is at most (sum of |s(j)| root(j))^2, and no smaller than its
// rounding.
typedef struct cd_extent {
    double root[6];
} cd_extent;

// One front, as it is eliminated: everything the sweeps look up, in their order.
typedef struct cd_front_plan {
    int link, up;      // who leaves, and its parent then, or -1
    int joint;         // link whose joint is between the two: the one that leaves, its parent where the joint is walked
                       // backwards, or -1: six free velocities
    int  v, nv;        // velocities of the joint
    int  nchild, size; // updates that it takes from the stack; fronts that end in this one, itself included
    int  slot, nslot;  // bodies, in slot_link and slot_to
    int  left;         // bodies that it leaves
    int  block, nblock; // constraints whose rows open in it
    int  most_rows;     // rows that can be open in it
    bool straight;      // the bodies it leaves are those of the target, in their order
    bool armed;         // some of its velocities have an armature
} cd_front_plan;

typedef struct cd_fronts {
    int            n;      // links, and outward the copies of ground behind them
    int            nroot;  // branches that are walked outward: a copy of ground and six free velocities each
    int*           up;     // (n) parent of a link as it is eliminated, or -1
    int*           joint;  // (n) link whose joint is between the two, or -1
    int*           v;      // (n) velocities between the two: those of the parent where the joint is walked backwards,
    int*           nv;     // those behind all others where the link hangs from nothing
    int*           target; // (n) of front k, or -1
    cd_front_plan* plan;   // (n) children before parents; fronts of one target follow each other (postorder)
    int*           slot_link; // bodies of a front, before the link is eliminated
    int*           slot_to;   // where a slot's body stands in the target, after: slot 0 is the parent then; -1: ground
    int*           block;     // constraints in the order in which their rows open
    int*           first_end; // (row blocks + 1) of end_slot
    int*           end_slot;  // slots of the ends of a constraint in the front where it opens; -1: ground

    // what the numeric phase needs at most
    int    widest, most_open;
    size_t stack, tape;
    double work; // multiplications, about: for each velocity the square of the unknowns of its front
} cd_fronts;

// Order of elimination, postordered, and the fronts it makes. Where they would cost more than `most`, work is infinite
// and there are none. False without memory.
bool cd_fronts_analyse(const cardan_model* m, const cd_rows* rows, double most, cd_fronts* f);
bool cd_fronts_analyse_outward(const cardan_model* m, const cd_rows* rows, double most, cd_fronts* f);
// Who hangs from whom, outward.
bool cd_fronts_hang(const cardan_model* m, cd_fronts* f);
void cd_fronts_release(cd_fronts* f);

// How a velocity was eliminated.
typedef enum cd_elimination {
    CD_FREE,   // by its inertia: no open row feels it
    CD_GEARED, // by an open row, which is used up: it follows the other unknowns of the front
    CD_WAITS   // not here: it becomes a scalar of the front
} cd_elimination;

// One step of the elimination, to be repeated on right sides. Its numbers are on the tape:
//   S (ncolumn), h (n) what the velocity's motion meets in the front, then for CD_GEARED g (n): velocity = g0 - g'V,
//   then multipliers m (nother) of other rows
typedef struct cd_step_taken {
    int           v;
    int           scalar;  // of the front that is eliminated or made, or -1: a column of the link itself
    int           n;       // unknowns of the front
    int           row;     // CD_GEARED: the row used up
    int           nother;  // CD_GEARED: other rows it was taken from
    unsigned char kind;    // cd_elimination
    unsigned char ncolumn; // of its motion column: 6, 3 where it only turns, 0 of a scalar
    size_t        tape, other;
    real          D, phi; // inertia along it; CD_FREE: its inverse. CD_GEARED: coefficient of the row, inverted
    real          e, g0;  // of the solve, left on the way inward
} cd_step_taken;

// What a factorization noted about front k: where its part of the steps, of the scalars and of the tape begins; what
// its update has.
typedef struct cd_front_mark {
    int    step, scalar;
    int    nopen, nsurvive;
    size_t tape; // begins with d (3): from the parent to the link
} cd_front_mark;

typedef struct cd_reducing {
    cd_fronts f;
    cd_fronts aside;  // the other order, for when it is wanted (n = 0: there is none)
    double    length; // [m] typical, to weigh turning against moving

    // at the state
    const cd_kinematics* k;
    const frame*         pose; // (nlink) links in the world: those of the kinematics, where it has them, else
    frame*               placed;

    // numeric: constant while a factor is used
    double*    scale;      // (nv, and 6 of each root) size of a motion column, by its kind
    double*    row_weight; // (nrow) 1 / size of a row, known when it opens
    double     vanished;   // of the size of a row: it has nothing left to say
    double*    least;      // (nv) of velocities that wait: inertia below which one has none
    cd_extent* span;       // (nlink) what a link without inertia carries; zero but between two fronts
    bool*      idle;       // (nrow) rows that repeat others, found when they were last looked for
    bool       learned;    // idle rows were looked for in this factorization
    bool       knows;      // they were found before
    int        nrow;       // behind them are those of ground
    double     weakest; // of the rows used up: how much the velocity feels it that follows from it, of the size of both
    int        weakest_row;
    cd_step_taken* step; // (2 nv)
    cd_front_mark* mark; // (n + 1) of a front
    real*          tape;
    int*           other;    // ids of rows for the multipliers on the tape
    int*           scalar;   // velocities that are scalars of a front, in order
    bool*          survives; // the front passes it on
    int            nstep, nscalar;
    int            ngeared; // of the steps
    size_t         ntape, nother;

    // scratch of the factorization
    real * W, *R, *h, *phi;   // front: (widest x widest), (most_open x widest), (widest), (most_open)
    real*  copy;              // (most_open x widest)
    int*   to;                // (widest) unknowns of an update in the front
    int *  open, *open_below; // (most_open) rows of the front; stack of rows of the updates
    real*  stack;             // of updates: W by rows, each from its block on the diagonal on, then R
    size_t top;
    int    rows_below;

    // scratch of the solve
    real *   force, *rest; // stack of forces; (nrow)
    real *   base, *hold;  // of the roots: their accelerations; what holds ground (6 each)
    spatial* A;            // (n of fronts) accelerations in the world, [-1] ground

    // what r is made of, where that is known: efforts (nv), and loads of the links (cd_link_loads) with the wrenches on
    // them, or NULL
    const real*    effort;
    const spatial* wrench;
    bool           split;

    // refinement
    double   heaviest; // largest inertia of a link beside the pivot of one of its velocities: digits that can be lost
    double   tried;    // the same when the other order was last tried
    int      outward;  // factorizations outward since inward was last tried
    int      patience; // after how many of them it is tried again
    double   watched;  // the same when it was last looked how many were
    bool     refines;  // too many
    bool     turns;    // the other order is wanted: it may do without
    spatial *A0, *F;   // (n of fronts; nlink; [-1] ground)
    real *   s, *da, *t, *dl; // (nv), (nv), (nrow), (nrow)
    double*  sight;           // (row blocks + 1) of each group of rows: what they see of a motion
} cd_reducing;

// Multiplications of the fronts in one factorization, of the memory `work` of a formulation; infinite for every
// formulation but reduction, whose memory is no cd_reducing.
double cd_reduction_work(const cd_formulation* formulation, const void* work);

// The front at work.
typedef struct cd_front {
    int                  k;
    const cd_front_plan* p;
    int                  n6, n, stride; // bodies take n6 unknowns, scalars the rest of n
    int                  nscalar, nrow;
    bool                 packed; // W as front_narrow.c has it
    real *               W, *R;
} cd_front;

// Columns of row i of an update that are kept begin here: with its block on the diagonal. What stands before it is the
// same as above it.
static inline int cd_packed_from(int i) { return i - i % 6; }
// Numbers of n such rows.
static inline size_t cd_packed_size(int n)
{
    const int b = n / 6, rest = n % 6;
    return (size_t)(18 * b * (b + 1) + 6 * b * rest + rest * rest);
}

static inline bool cd_front_is_backward(const cd_front_plan* p) { return p->joint != p->link && p->joint >= 0; }

// Components of the motion columns of a front: those of hinges and balls only turn.
static inline int cd_front_ncolumn(const cardan_model* m, const cd_front_plan* p)
{
    const int motion = p->joint < 0 ? CD_FLOAT : m->link[p->joint].motion;
    return motion == CD_HINGE || motion == CD_BALL || motion == CD_BALL_REVERSED ? 3 : 6;
}

// Velocity v as it is eliminated: its motion column in world axes, at the origin of its joint; six free velocities have
// columns of their own.
static inline spatial cd_front_column(const cardan_model* m, const cd_reducing* w, const cd_front_plan* p, int v)
{
    if (p->joint < 0) {
        real e[6];
        for (int i = 0; i < 6; ++i) e[i] = r_lift(i == v - p->v);
        return (spatial){v3(e[0], e[1], e[2]), v3(e[3], e[4], e[5])};
    }
    const mat3    R     = w->pose[p->joint].R;
    const spatial S     = w->k->S[v];
    const bool    hinge = m->link[p->joint].motion == CD_HINGE;
    const spatial E     = {hinge ? m3_column_z(R) : m3_mul(R, S.a),
                       cd_front_ncolumn(m, p) == 3 ? v3_zero() : m3_mul(R, S.l)};
    return cd_front_is_backward(p) ? (spatial){v3_neg(E.a), v3_neg(E.l)} : E;
}

// From the parent to the link. Copies of ground are where their branches begin.
static inline vec3 cd_front_arm(const cardan_model* m, const cd_reducing* w, const cd_front_plan* p)
{
    return p->up < 0 || p->link >= m->nlink ? v3_zero() : v3_sub(w->pose[p->link].p, w->pose[p->up].p);
}

// Sweeps follow the mechanism, not the memory: what a front some places ahead will look up is asked for before it is
// waited for.
enum { CD_FRONTS_AHEAD = 6 };

// Always in line: a compiler takes a function that only asks for one without effect, and leaves its calls out.
#define CD_ASKING static inline __attribute__((always_inline))

CD_ASKING void cd_ask_for(const void* what, size_t size)
{
    for (size_t i = 0; i < size; i += 64) __builtin_prefetch((const char*)what + i);
}

// The rows of a copy of ground; the other order from now on.
void cd_front_hold(cd_reducing* w, cd_front* x, int ground);
void cd_reduction_turn_about(cd_reducing* w);

void cd_front_open(const cardan_model* m, const cd_rows* rows, cd_reducing* w, int k, cd_front* x);
// V(link) = V(parent) moved by d: slot 0 is the parent then.
void cd_front_pass(const cd_front* x, vec3 d);
void cd_front_close(cd_reducing* w, cd_front* x);
// Parts of them: inertia of the link, added with rows of so many numbers; rows of the constraints that open; which open
// row feels a velocity most, by w->phi and the size of its column, or -1; measures of the pivots of a link, and what
// its bare parent carries with it.
void cd_front_inertia(const cd_link* link, mat3 R, real* W, int stride);
void cd_front_rows(const cd_rows* rows, cd_reducing* w, cd_front* x);
int  cd_front_judge(const cd_reducing* w, const cd_front* x, double scale, int scalar, double* felt);
// Size of what a row still says about unknown `from` of the front.
double    cd_front_left(const cd_reducing* w, const cd_front* x, const real* row, int from);
cd_extent cd_front_measure(const cardan_model* m, cd_reducing* w, const cd_front* x, vec3 d);
double    cd_front_along(const cd_extent* size, spatial S);

// Row `pivot` of the open ones, p, is taken from the others that feel the velocity of a step, and used up: the last row
// takes its place. Always in line: narrow fronts know how long rows are.
static inline __attribute__((always_inline)) void cd_front_use_up(cd_reducing* w, cd_front* x, cd_step_taken* step,
                                                                  int pivot, const real* p, int n, int stride)
{
    for (int i = 0; i < x->nrow; ++i) {
        if (i == pivot || r_vanishes(w->phi[i])) continue;
        real*      row = x->R + i * stride;
        const real f   = r_mul(w->phi[i], step->phi);
        for (int j = 0; j < n; ++j) row[j] = r_sub(row[j], r_mul(f, p[j]));
        w->tape[w->ntape++]   = f;
        w->other[w->nother++] = w->open[i];
        ++step->nother;
    }
    --x->nrow;
    w->open[pivot] = w->open[x->nrow];
    for (int j = 0; j < n; ++j) x->R[pivot * stride + j] = x->R[x->nrow * stride + j];
}

// A front of one or two bodies at once, where cd_front_is_narrow; false, and nothing done, where that does not do.
bool cd_front_is_narrow(const cd_reducing* w, int k);
bool cd_front_narrow(const cardan_model* m, const cd_rows* rows, cd_reducing* w, int k, cd_where* where,
                     cardan_status* status);

// Force on link i by itself, in world axes at its origin.
spatial cd_reduction_load(const cd_reducing* w, int i);

// r as efforts and loads make it (nv).
const real* cd_reduction_sum_loads(const cardan_model* m, cd_reducing* w);

// One correction; how large it was, relative to a.
double cd_reduction_refine(const cardan_model* m, const cd_rows* rows, cd_reducing* w, const real* r, const real* gamma,
                           real* a, real* lambda);
void   cd_refine_layout(const cardan_model* m, const cd_rows* rows, int n, cd_arena* arena, cd_reducing* w);
void   cd_reduction_layout(const cardan_model* m, const cd_rows* rows, cd_arena* arena, cd_reducing* w);
void   cd_reduction_place(const cardan_model* m, const cd_kinematics* k, cd_reducing* w);
cardan_status cd_reduction_factor(const cardan_model* m, const cd_rows* rows, cd_reducing* w, cd_where* where);
void cd_reduction_solve(const cardan_model* m, const cd_rows* rows, cd_reducing* w, const real* r, const real* gamma,
                        real* a, real* lambda);
