// SPDX-License-Identifier: BSD-3-Clause
// Fronts of the recursive coordinate reduction. A front belongs to one link of the tree: it holds everything that is known about the link
// when it is eliminated, as a quadratic form in the motions of a few bodies, with the constraint rows that are still open.
//
//   bodies    slot 0 is the link itself; the other slots, its ports, are bodies that open rows or earlier eliminations tie it to
//   scalars   velocities that wait: an open row feels them, but too weakly to be solved for
//
// Eliminating a link leaves its parent in slot 0, and an update that the front `target` takes over.
//
// Who is whose parent is a choice: inward, as in the tree; or outward, where each branch of ground hangs from its deepest link, joints on the way from there
// to ground are walked backwards, and ground is a body of its own that six rows hold still. Inward, what cannot move weighs as much as everything
// outboard of it; outward, it is a row.
#pragma once

#include "core/memory.h"
#include "formulation/formulation.h"

enum { CD_FRONT_WAITING = 6 };  // most scalars that a front passes on
enum { CD_NARROW_ROWS = 24 };   // most open rows of a front that is done at once

static const double cd_felt_strongly = 0.05;  // of the size of row and column: felt enough to be solved for
static const double cd_row_vanished  = 1e-9;  // of the size of a row: it has nothing left to say

// Size of an inertia: roots of its diagonal. Along s it is at most (sum of |s(j)| root(j))^2, and no smaller than its rounding.
typedef struct cd_extent {
    double root[6];
} cd_extent;

typedef struct cd_fronts {
    int  n;            // links, and outward the copies of ground behind them
    int  nroot;        // branches that are walked outward: a copy of ground and six free velocities each
    int* up;           // (n) parent of a link as it is eliminated, or -1
    int* v;            // (n) velocities between the two: those of the parent where the joint is walked backwards,
    int* nv;           // those behind all others where the link hangs from nothing
    int* link;         // (n) link eliminated k-th, children before parents; fronts of one target follow each other (postorder)
    int* target;       // (n) or -1
    int* nchild;       // (n) updates that a front takes from the stack
    int* size;         // (n) fronts that end in this one, itself included
    int* first_slot;   // (n + 1) of slot_link, slot_to
    int* slot_link;    // bodies of a front, before the link is eliminated
    int* slot_to;      // where a slot's body stands in the target, after: slot 0 is the parent then; -1: ground
    int* first_block;  // (n + 1) of block: constraints whose rows open in a front
    int* block;
    int* first_end;    // (row blocks + 1) of end_slot
    int* end_slot;     // slots of the ends of a constraint in the front where it opens; -1: ground
    int* most_rows;    // (n) rows that can be open in a front
    int* left;         // (n) bodies that a front leaves

    // what the numeric phase needs at most
    int    widest, most_open;
    size_t stack, tape;
} cd_fronts;

// Order of elimination by least ports, postordered, and the fronts it makes. False without memory.
bool cd_fronts_analyse(const cardan_model* m, const cd_rows* rows, cd_fronts* f);
bool cd_fronts_analyse_outward(const cardan_model* m, const cd_rows* rows, cd_fronts* f);
// Who hangs from whom, outward.
bool cd_fronts_hang(const cardan_model* m, cd_fronts* f);
void cd_fronts_release(cd_fronts* f);

// How a velocity was eliminated.
typedef enum cd_elimination {
    CD_FREE,    // by its inertia: no open row feels it
    CD_GEARED,  // by an open row, which is used up: it follows the other unknowns of the front
    CD_WAITS    // not here: it becomes a scalar of the front
} cd_elimination;

// One step of the elimination, to be repeated on right sides. Its numbers are on the tape:
//   h (n) what the velocity's motion meets in the front, then for CD_GEARED g (n): velocity = g0 - g'V, then multipliers m (nother) of other rows
typedef struct cd_step_taken {
    int    v;
    int    kind;    // cd_elimination
    int    scalar;  // of the front that is eliminated or made, or -1: a column of the link itself
    int    n;       // unknowns of the front
    int    row;     // CD_GEARED: the row used up
    int    nother;  // CD_GEARED: other rows it was taken from
    size_t tape, other;
    real   D, phi;  // inertia along it; CD_FREE: its inverse. CD_GEARED: coefficient of the row, inverted
} cd_step_taken;

typedef struct cd_reducing {
    cd_fronts f;
    cd_fronts aside;   // the other order, for when it is wanted (n = 0: there is none)
    double    length;  // [m] typical, to weigh turning against moving

    // numeric: constant while a factor is used
    frame*         pose;   // (nlink) links in the world
    spatial*       S;      // (nv) motion columns in world axes, at the link's origin
    spatial*       E;      // (nv, and 6 of each root) the same as they are eliminated: S itself, or at the origin of who leaves
    spatial*       backward;  // where E is not S
    double*        scale;  // (nv) size of a motion column
    double*        row_scale;  // (nrow)
    double*        least;  // (nv) inertia below which a velocity has none
    cd_extent*     span;   // (nlink) what a link without inertia carries
    bool*          idle;   // (nrow) rows that repeat others, found when they were last looked for
    bool           learned;    // idle rows were looked for in this factorization
    bool           knows;      // they were found before
    int            nrow;       // behind them are those of ground
    double         weakest;    // of the rows used up: how much the velocity feels it that follows from it, of the size of both
    int            weakest_row;
    cd_step_taken* step;   // (2 nv)
    int*           first_step;    // (n + 1) of a front
    real*          tape;
    int*           other;  // ids of rows for the multipliers on the tape
    int*           first_scalar;  // (n + 1) of scalar
    int*           scalar;        // velocities that are scalars of a front, in order
    bool*          survives;      // the front passes it on
    int            nstep, nscalar;
    size_t         ntape, nother;

    // scratch of the factorization
    real *W, *R, *h, *phi;  // front: (widest x widest), (most_open x widest), (widest), (most_open)
    real* copy;             // (most_open x widest)
    int*  to;               // (widest) unknowns of an update in the front
    int * open, *open_below;  // (most_open) rows of the front; stack of rows of the updates
    int * nopen, *nsurvive;   // (n) of an update
    real* stack;

    // scratch of the solve
    real *   force, *e, *g0, *rest;  // stack of forces; (nv); (nv); (nrow)
    real *   base, *hold;            // of the roots: their accelerations; what holds ground (6 each)
    spatial* A;                      // (n of fronts) accelerations in the world, [-1] ground

    // what r is made of, where that is known: efforts (nv), and forces on the links (nlink) in world axes at their origins
    const real* effort;
    spatial*    load;
    bool        split;

    // refinement
    double   heaviest;  // largest inertia of a link beside the pivot of one of its velocities: digits that can be lost
    double   tried;     // the same when the other order was last tried
    double   watched;   // the same when it was last looked how many were
    bool     refines;   // too many
    bool     turns;     // the other order is wanted: it may do without
    spatial *A0, *F;    // (n of fronts; nlink; [-1] ground)
    real *   s, *da, *t, *dl;  // (nv), (nv), (nrow), (nrow)
} cd_reducing;

// The front at work.
typedef struct cd_front {
    int   k, link, n6, n, stride;  // bodies take n6 unknowns, scalars the rest of n
    int   nscalar, nrow;
    real *W, *R;
} cd_front;

// Outward: copies of ground and columns as they are eliminated; the rows of a copy; the other order from now on.
void cd_reduction_turn(const cardan_model* m, cd_reducing* w);
void cd_front_hold(cd_reducing* w, cd_front* x, int ground);
void cd_reduction_turn_about(const cardan_model* m, cd_reducing* w);

void cd_front_open(const cardan_model* m, const cd_rows* rows, cd_reducing* w, int k, cd_front* x, size_t* top, int* rows_below);
// V(link) = V(parent) moved: slot 0 is the parent then.
void cd_front_pass(const cardan_model* m, const cd_reducing* w, const cd_front* x);
void cd_front_close(cd_reducing* w, cd_front* x, size_t* top, int* rows_below);
// Parts of them: inertia of the link; rows of the constraints that open; which open row feels velocity v most, by w->phi, or -1; measures of pivots.
void cd_front_inertia(const cd_link* link, mat3 R, cd_front* x);
void cd_front_rows(const cd_rows* rows, cd_reducing* w, cd_front* x);
int  cd_front_judge(const cd_reducing* w, const cd_front* x, int v, double* felt);
void cd_front_measure(const cardan_model* m, cd_reducing* w, const cd_front* x);

// A front of one or two bodies at once, where cd_front_is_narrow; false, and nothing done, where that does not do.
bool cd_front_is_narrow(const cd_reducing* w, int k);
bool cd_front_narrow(const cardan_model* m, const cd_rows* rows, cd_reducing* w, int k, size_t* top, int* rows_below, cd_where* where,
                     cardan_status* status);

// One correction; how large it was, relative to a.
double        cd_reduction_refine(const cardan_model* m, const cd_rows* rows, cd_reducing* w, const real* r, const real* gamma, real* a, real* lambda);
void          cd_refine_layout(const cardan_model* m, const cd_rows* rows, int n, cd_arena* arena, cd_reducing* w);
void          cd_reduction_layout(const cardan_model* m, const cd_rows* rows, cd_arena* arena, cd_reducing* w);
void          cd_reduction_split(const cardan_model* m, const cd_kinematics* k, cd_reducing* w, const real* effort, const spatial* wrench);
void          cd_reduction_place(const cardan_model* m, const cd_kinematics* k, const cd_rows* rows, cd_reducing* w);
cardan_status cd_reduction_factor(const cardan_model* m, const cd_rows* rows, cd_reducing* w, cd_where* where);
void cd_reduction_solve(const cardan_model* m, const cd_rows* rows, cd_reducing* w, const real* r, const real* gamma, real* a, real* lambda);
