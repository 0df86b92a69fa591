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

enum { CD_FRONT_MAX_DELAYED = 6 };     // most scalars that a front passes on
enum { CD_SMALL_FRONT_MAX_ROWS = 24 }; // most open rows of a front that is done at once

static const double cd_front_pivot_threshold = 0.05; // of the size of row and column: felt enough to be solved for

// Size of an inertia: roots of its diagonal. Along s it is at most (sum of |s(j)| root(j))^2, and no smaller than its
// rounding.
typedef struct cd_inertia_bound {
    double sqrt_diagonal[6];
} cd_inertia_bound;

// One front, as it is eliminated: everything the sweeps look up, in their order.
typedef struct cd_front_symbolic {
    int link, parent; // who leaves, and its parent then, or -1
    int joint;        // link whose joint is between the two: the one that leaves, its parent where the joint is walked
                      // backwards, or -1: six free velocities
    int  v, nv;       // velocities of the joint
    int  nchild, subtree_size; // updates that it takes from the stack; fronts that end in this one, itself included
    int  first_slot, nslot;    // bodies, in slot_link and slot_to
    int  nupdate_body;         // bodies that it leaves
    int  first_block, nblock;  // constraints whose rows open in it
    int  max_rows;             // rows that can be open in it
    bool is_identity_map;      // the bodies it leaves are those of the target, in their order
    bool has_armature;         // some of its velocities have an armature
} cd_front_symbolic;

typedef struct cd_fronts {
    int                n;      // links, and outward the copies of ground behind them
    int                nroot;  // branches that are walked outward: a copy of ground and six free velocities each
    int*               parent; // (n) parent of a link as it is eliminated, or -1
    int*               joint;  // (n) link whose joint is between the two, or -1
    int*               v;  // (n) velocities between the two: those of the parent where the joint is walked backwards,
    int*               nv; // those behind all others where the link hangs from nothing
    int*               parent_front; // (n) of front k, or -1
    cd_front_symbolic* symbolic;     // (n) children before parents; fronts of one target follow each other (postorder)
    int*               slot_link;    // bodies of a front, before the link is eliminated
    int* slot_target; // where a slot's body stands in the target, after: slot 0 is the parent then; -1: ground
    int* block;       // constraints in the order in which their rows open
    int* first_end;   // (row blocks + 1) of end_slot
    int* end_slot;    // slots of the ends of a constraint in the front where it opens; -1: ground

    // what the numeric phase needs at most
    int    max_unknowns, max_pending_rows;
    size_t stack_size, tape_size;
    double operations; // multiplications, about: for each velocity the square of the unknowns of its front
} cd_fronts;

// Order of elimination, postordered, and the fronts it makes. Where they would cost more than `most`, work is infinite
// and there are none. False without memory.
bool cd_fronts_analyse(const cardan_model* m, const cd_rows* rows, double max_operations, cd_fronts* f);
bool cd_fronts_analyse_reversed(const cardan_model* m, const cd_rows* rows, double max_operations, cd_fronts* f);
// Who hangs from whom, outward.
bool cd_fronts_reverse_tree(const cardan_model* m, cd_fronts* f);
void cd_fronts_release(cd_fronts* f);

// How a velocity was eliminated.
typedef enum cd_pivot_kind {
    CD_PIVOT_INDEPENDENT, // by its inertia: no open row feels it
    CD_PIVOT_DEPENDENT,   // by an open row, which is used up: it follows the other unknowns of the front
    CD_PIVOT_DELAYED      // not here: it becomes a scalar of the front
} cd_pivot_kind;

// One step of the elimination, to be repeated on right sides. Its numbers are on the tape:
//   S (ncolumn), h (n) what the velocity's motion meets in the front, then for CD_PIVOT_DEPENDENT g (n): velocity = g0 - g'V,
//   then multipliers m (nother) of other rows
typedef struct cd_elimination_stage {
    int           v;
    int           scalar;  // of the front that is eliminated or made, or -1: a column of the link itself
    int           n;       // unknowns of the front
    int           row;     // CD_PIVOT_DEPENDENT: the row used up
    int           nother;  // CD_PIVOT_DEPENDENT: other rows it was taken from
    unsigned char kind;    // cd_pivot_kind
    unsigned char ncolumn; // of its motion column: 6, 3 where it only turns, 0 of a scalar
    size_t        tape_offset, other_offset;
    real          D,
        inverse_phi; // inertia along it; CD_PIVOT_INDEPENDENT: its inverse. CD_PIVOT_DEPENDENT: coefficient of the row, inverted
    real e, g0; // of the solve, left on the way inward
} cd_elimination_stage;

// What a factorization noted about front k: where its part of the steps, of the scalars and of the tape begins; what
// its update has.
typedef struct cd_front_record {
    int    first_stage, first_scalar;
    int    npending, ndelayed;
    size_t tape_offset; // begins with d (3): from the parent to the link
} cd_front_record;

typedef struct cd_reduction_workspace {
    cd_fronts fronts;
    cd_fronts alternate; // the other order, for when it is wanted (n = 0: there is none)
    double    length;    // [m] typical, to weigh turning against moving

    // at the state
    const cd_kinematics* k;
    const frame*         pose; // (nlink) links in the world: those of the kinematics, where it has them, else
    frame*               own_pose;

    // numeric: constant while a factor is used
    double*           scale;              // (nv, and 6 of each root) size of a motion column, by its kind
    double*           row_weight;         // (nrow) 1 / size of a row, known when it opens
    double            null_row_tolerance; // of the size of a row: it has nothing left to say
    double*           min_inertia;        // (nv) of velocities that wait: inertia below which one has none
    cd_inertia_bound* inertia_bound;      // (nlink) what a link without inertia carries; zero but between two fronts
    bool*             redundant;          // (nrow) rows that repeat others, found when they were last looked for
    bool              rank_updated;       // idle rows were looked for in this factorization
    bool              rank_known;         // they were found before
    int               nrow;               // behind them are those of ground
    double
        min_coupling; // of the rows used up: how much the velocity feels it that follows from it, of the size of both
    int min_coupling_row;
    cd_elimination_stage* stage;  // (2 nv)
    cd_front_record*      record; // (n + 1) of a front
    real*                 tape;
    int*                  other;            // ids of rows for the multipliers on the tape
    int*                  delayed_velocity; // velocities that are scalars of a front, in order
    bool*                 is_passed_on;     // the front passes it on
    int                   nstage, ndelayed_velocity;
    int                   ndependent; // of the steps
    size_t                ntape, nother;

    // scratch of the factorization
    real * W, *R, *h, *phi;           // front: (widest x widest), (most_open x widest), (widest), (most_open)
    real*  row_copy;                  // (most_open x widest)
    int*   unknown_target;            // (widest) unknowns of an update in the front
    int *  pending_row, *stacked_row; // (most_open) rows of the front; stack of rows of the updates
    real*  stack;                     // of updates: W by rows, each from its block on the diagonal on, then R
    size_t stack_top;
    int    nstacked_row;

    // scratch of the solve
    real *   force, *row_rhs;                       // stack of forces; (nrow)
    real *   root_acceleration, *ground_multiplier; // of the roots: their accelerations; what holds ground (6 each)
    spatial* A;                                     // (n of fronts) accelerations in the world, [-1] ground

    // what r is made of, where that is known: efforts (nv), and loads of the links (cd_link_wrenches) with the wrenches on
    // them, or NULL
    const real*    effort;
    const spatial* wrench;
    bool           has_link_wrenches;

    // refinement
    double   growth; // largest inertia of a link beside the pivot of one of its velocities: digits that can be lost
    double   growth_at_reorder;                             // the same when the other order was last tried
    int      nreversed;                                     // factorizations outward since inward was last tried
    int      retry_interval;                                // after how many of them it is tried again
    double   growth_at_check;                               // the same when it was last looked how many were
    bool     needs_refinement;                              // too many
    bool     wants_alternate;                               // the other order is wanted: it may do without
    spatial *dA, *F;                                        // (n of fronts; nlink; [-1] ground)
    real *   motion_residual, *da, *row_residual, *dlambda; // (nv), (nv), (nrow), (nrow)
    double*  row_response; // (row blocks + 1) of each group of rows: what they see of a motion
} cd_reduction_workspace;

// Multiplications of the fronts in one factorization, of the memory `work` of a formulation; infinite for every
// formulation but reduction, whose memory is no cd_reduction_workspace.
double cd_reduction_operation_count(const cd_formulation* formulation, const void* work);

// The front at work.
typedef struct cd_front {
    int                      k;
    const cd_front_symbolic* p;
    int                      n6, n, stride; // bodies take n6 unknowns, scalars the rest of n
    int                      nscalar, nrow;
    bool                     is_packed; // W as front_small.c has it
    real *                   W, *R;
} cd_front;

// Columns of row i of an update that are kept begin here: with its block on the diagonal. What stands before it is the
// same as above it.
static inline int cd_packed_row_begin(int i) { return i - i % 6; }
// Numbers of n such rows.
static inline size_t cd_packed_size(int n)
{
    const int b = n / 6, partial = n % 6;
    return (size_t)(18 * b * (b + 1) + 6 * b * partial + partial * partial);
}

static inline bool cd_front_is_reversed(const cd_front_symbolic* p) { return p->joint != p->link && p->joint >= 0; }

// Components of the motion columns of a front: those of hinges and balls only turn.
static inline int cd_front_ncolumn(const cardan_model* m, const cd_front_symbolic* p)
{
    const int motion = p->joint < 0 ? CD_FLOAT : m->link[p->joint].motion;
    return motion == CD_HINGE || motion == CD_BALL || motion == CD_BALL_REVERSED ? 3 : 6;
}

// Velocity v as it is eliminated: its motion column in world axes, at the origin of its joint; six free velocities have
// columns of their own.
static inline spatial cd_front_motion_column(const cardan_model* m, const cd_reduction_workspace* w,
                                             const cd_front_symbolic* p, int v)
{
    if (p->joint < 0) {
        real e[6];
        for (int i = 0; i < 6; ++i) e[i] = r_const(i == v - p->v);
        return (spatial){v3(e[0], e[1], e[2]), v3(e[3], e[4], e[5])};
    }
    const mat3    R     = w->pose[p->joint].R;
    const spatial S     = w->k->S[v];
    const bool    hinge = m->link[p->joint].motion == CD_HINGE;
    const spatial E     = {hinge ? m3_column_z(R) : m3_mul(R, S.a),
                       cd_front_ncolumn(m, p) == 3 ? v3_zero() : m3_mul(R, S.l)};
    return cd_front_is_reversed(p) ? (spatial){v3_neg(E.a), v3_neg(E.l)} : E;
}

// From the parent to the link. Copies of ground are where their branches begin.
static inline vec3 cd_front_parent_offset(const cardan_model* m, const cd_reduction_workspace* w,
                                          const cd_front_symbolic* p)
{
    return p->parent < 0 || p->link >= m->nlink ? v3_zero() : v3_sub(w->pose[p->link].p, w->pose[p->parent].p);
}

// Sweeps follow the mechanism, not the memory: what a front some places ahead will look up is asked for before it is
// waited for.
enum { CD_FRONT_PREFETCH_DISTANCE = 6 };

// Always in line: a compiler takes a function that only asks for one without effect, and leaves its calls out.
#define CD_ALWAYS_INLINE static inline __attribute__((always_inline))

CD_ALWAYS_INLINE void cd_prefetch(const void* address, size_t size)
{
    for (size_t i = 0; i < size; i += 64) __builtin_prefetch((const char*)address + i);
}

// The rows of a copy of ground; the other order from now on.
void cd_front_add_ground_rows(cd_reduction_workspace* w, cd_front* x, int ground);
void cd_reduction_swap_order(cd_reduction_workspace* w);

void cd_front_assemble(const cardan_model* m, const cd_rows* rows, cd_reduction_workspace* w, int k, cd_front* x);
// V(link) = V(parent) moved by d: slot 0 is the parent then.
void cd_front_shift_to_parent(const cd_front* x, vec3 d);
void cd_front_push_update(cd_reduction_workspace* w, cd_front* x);
// Parts of them: inertia of the link, added with rows of so many numbers; rows of the constraints that open; which open
// row feels a velocity most, by w->phi and the size of its column, or -1; measures of the pivots of a link, and what
// its bare parent carries with it.
void cd_front_add_inertia(const cd_link* link, mat3 R, real* W, int stride);
void cd_front_add_rows(const cd_rows* rows, cd_reduction_workspace* w, cd_front* x);
int  cd_front_find_pivot_row(const cd_reduction_workspace* w, const cd_front* x, double scale, int scalar,
                             double* coupling);
// Size of what a row still says about unknown `from` of the front.
double cd_front_scaled_coefficient(const cd_reduction_workspace* w, const cd_front* x, const real* row, int from);
cd_inertia_bound cd_front_inertia_bound(const cardan_model* m, cd_reduction_workspace* w, const cd_front* x, vec3 d);
double           cd_front_min_inertia(const cd_inertia_bound* size, spatial S);

// Row `pivot` of the open ones, p, is taken from the others that feel the velocity of a step, and used up: the last row
// takes its place. Always in line: narrow fronts know how long rows are.
static inline __attribute__((always_inline)) void cd_front_eliminate_row(cd_reduction_workspace* w, cd_front* x,
                                                                         cd_elimination_stage* stage, int pivot,
                                                                         const real* p, int n, int stride)
{
    for (int i = 0; i < x->nrow; ++i) {
        if (i == pivot || r_is_zero(w->phi[i])) continue;
        real*      row = x->R + i * stride;
        const real f   = r_mul(w->phi[i], stage->inverse_phi);
        for (int j = 0; j < n; ++j) row[j] = r_sub(row[j], r_mul(f, p[j]));
        w->tape[w->ntape++]   = f;
        w->other[w->nother++] = w->pending_row[i];
        ++stage->nother;
    }
    --x->nrow;
    w->pending_row[pivot] = w->pending_row[x->nrow];
    for (int j = 0; j < n; ++j) x->R[pivot * stride + j] = x->R[x->nrow * stride + j];
}

// A front of one or two bodies at once, where cd_front_is_small; false, and nothing done, where that does not do.
bool cd_front_is_small(const cd_reduction_workspace* w, int k);
bool cd_front_reduce_small(const cardan_model* m, const cd_rows* rows, cd_reduction_workspace* w, int k,
                           cd_solve_info* info, cardan_status* status);

// Force on link i by itself, in world axes at its origin.
spatial cd_reduction_link_wrench(const cd_reduction_workspace* w, int i);

// r as efforts and loads make it (nv).
const real* cd_reduction_sum_link_wrenches(const cardan_model* m, cd_reduction_workspace* w);

// One correction; how large it was, relative to a.
double cd_reduction_refine(const cardan_model* m, const cd_rows* rows, cd_reduction_workspace* w, const real* r,
                           const real* gamma, real* a, real* lambda);
void   cd_reduction_refine_layout(const cardan_model* m, const cd_rows* rows, int n, cd_arena* arena,
                                  cd_reduction_workspace* w);
void   cd_reduction_layout(const cardan_model* m, const cd_rows* rows, cd_arena* arena, cd_reduction_workspace* w);
void   cd_reduction_set_poses(const cardan_model* m, const cd_kinematics* k, cd_reduction_workspace* w);
cardan_status cd_reduction_factor(const cardan_model* m, const cd_rows* rows, cd_reduction_workspace* w,
                                  cd_solve_info* info);
void          cd_reduction_solve(const cardan_model* m, const cd_rows* rows, cd_reduction_workspace* w, const real* r,
                                 const real* gamma, real* a, real* lambda);
