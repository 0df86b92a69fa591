// SPDX-License-Identifier: BSD-3-Clause
// Fronts of the recursive coordinate reduction. A front belongs to one link of the tree: it holds the equations of the
// link at its elimination, as a quadratic form in the motions of a few bodies, with the pending constraint rows.
//
//   bodies    slot 0 is the link itself; the other slots, its ports, are bodies coupled to it by pending rows or by
//             earlier eliminations
//   scalars   delayed velocities: a pending row depends on them, but too weakly to be solved for them
//
// The elimination of a link leaves its parent in slot 0 and an update, which is added to the parent front.
//
// The parent of a link depends on the order: inward, as in the tree; or outward (reversed tree), where the root of each
// branch of ground is its deepest link, the joints from there to ground are traversed backwards, and ground is a body
// constrained by six rows. In the inward order a motion that cannot occur has the inertia of everything outboard of it;
// in the outward order it is a row.
#pragma once

#include "core/memory.h"
#include "formulation/formulation.h"

enum { CD_FRONT_MAX_DELAYED = 6 };     // maximum of scalars that a front passes on
enum { CD_SMALL_FRONT_MAX_ROWS = 24 }; // maximum of pending rows of a front eliminated by front_small.c

// Bound of an inertia: square roots of its diagonal. Along a motion s it is at most (sum of |s(j)| sqrt_diagonal(j))^2;
// its round-off is relative to this bound.
typedef struct cd_inertia_bound {
    double sqrt_diagonal[6];
} cd_inertia_bound;

// Symbolic data of one front, in the order of the sweeps.
typedef struct cd_front_symbolic {
    int link, parent; // eliminated link and its parent at that time, or -1
    int joint;        // link whose joint connects the two: the eliminated one, its parent (traversed backwards), or -1:
                      // six free velocities
    int  v, nv;       // velocities of the joint
    int  nchild, subtree_size; // child updates that it takes from the stack; fronts of its subtree, itself included
    int  first_slot, nslot;    // bodies, in slot_link and slot_target
    int  nupdate_body;         // bodies of its update
    int  first_block, nblock;  // constraints whose rows enter in this front
    int  max_rows;             // maximum of pending rows
    bool is_identity_map;      // the bodies of its update are those of the parent front, in their order
    bool has_armature;         // some of its velocities have an armature
} cd_front_symbolic;

typedef struct cd_fronts {
    int                n;      // links, then in the outward order the copies of ground
    int                nroot;  // branches in the outward order: a copy of ground and six free velocities each
    int*               parent; // (n) parent of a link at its elimination, or -1
    int*               joint;  // (n) link whose joint connects the two, or -1
    int*               v;  // (n) velocities between the two: those of the parent if the joint is traversed backwards,
    int*               nv; // those after all others if the link has no parent
    int*               parent_front; // (n) of front k, or -1
    cd_front_symbolic* symbolic;     // (n) in postorder: children before parents
    int*               slot_link;    // bodies of a front before the elimination of the link
    int* slot_target; // slot of a body in the parent front after the elimination; slot 0 is then the parent; -1: ground
    int* block;       // constraints in the order in which their rows enter
    int* first_end;   // (row blocks + 1) first index in end_slot
    int* end_slot;    // slots of the ends of a constraint in the front where it enters; -1: ground

    // bounds for the numeric phase
    int    max_unknowns, max_pending_rows;
    size_t stack_size, stage_value_size;
    double operations; // estimated multiplications: for each velocity the square of the unknowns of its front
} cd_fronts;

// Compute the elimination order, postordered, and its fronts. If they cost more than `max_operations`, f->operations is
// infinite and there are no fronts. Returns false if memory is exhausted.
bool cd_fronts_analyse(const cardan_model* m, const cd_rows* rows, double max_operations, cd_fronts* f);
bool cd_fronts_analyse_reversed(const cardan_model* m, const cd_rows* rows, double max_operations, cd_fronts* f);
// Set the parents of the outward order. Returns false if memory is exhausted.
bool cd_fronts_reverse_tree(const cardan_model* m, cd_fronts* f);
void cd_fronts_release(cd_fronts* f);

// How a velocity is eliminated.
typedef enum cd_pivot_kind {
    CD_PIVOT_INDEPENDENT, // by its inertia: no pending row depends on it
    CD_PIVOT_DEPENDENT,   // by a pending row, eliminated with it: it follows from the other unknowns of the front
    CD_PIVOT_DELAYED      // not in this front: it becomes a scalar
} cd_pivot_kind;

// One stage of the elimination, to be repeated on right sides. Its numbers are on the stage_value:
//   S (ncolumn), h = W S (n), then for CD_PIVOT_DEPENDENT g (n): velocity = g0 - g'V,
//   then multipliers m (nother) of other rows
typedef struct cd_elimination_stage {
    int           v;
    int           scalar;  // scalar of the front that is eliminated or created, or -1: a column of the link itself
    int           n;       // unknowns of the front
    int           row;     // CD_PIVOT_DEPENDENT: the eliminated row
    int           nother;  // CD_PIVOT_DEPENDENT: number of other rows it was subtracted from
    unsigned char kind;    // cd_pivot_kind
    unsigned char ncolumn; // components of its motion column: 6, 3 for pure rotations, 0 for a scalar
    size_t        stage_value_offset, other_offset;
    // D: inertia along it, CD_PIVOT_INDEPENDENT: inverted; inverse_phi: CD_PIVOT_DEPENDENT: inverse coefficient of the
    // row
    real D, inverse_phi;
    real e, g0; // of the solve, stored by the inward sweep
} cd_elimination_stage;

// Numeric data of front k: start of its stages, scalars and stage_value; sizes of its update.
typedef struct cd_front_record {
    int    first_stage, first_scalar;
    int    npending, ndelayed;
    size_t stage_value_offset; // begins with d (3): vector from the parent to the link
} cd_front_record;

// What `reduction` keeps from earlier states, besides the current order.
typedef struct cd_reduction_history {
    bool   rank_known;        // the redundant rows are known from an earlier factorization
    double growth_at_reorder; // growth at the last attempt with the alternate order
    int    nreversed;         // outward factorizations since the last attempt inward
    int    retry_interval;    // number of them after which inward is tried again
    double growth_at_check;   // growth at the last check of the lost digits
    bool   needs_refinement;  // too many digits are lost
    bool   needs_alternate;   // the alternate order is requested: it may avoid refinement
} cd_reduction_history;

typedef struct cd_reduction_workspace {
    cd_fronts fronts;
    cd_fronts alternate; // the alternate order (n = 0: there is none)
    double    length;    // [m] characteristic length, to compare rotations with translations

    const cd_kinematics* k;
    const frame*         pose; // (nlink) links in the world: those of the kinematics if it has them, else own_pose
    frame*               own_pose;

    // numeric data, constant while a factor is used
    double*           scale;              // (nv, and 6 of each root) size of a motion column, by its kind
    double*           row_weight;         // (nrow) 1 / size of a row, set when it enters
    double            null_row_tolerance; // relative to the size of a row: below this it is null
    double*           min_inertia;        // (nv) of delayed velocities: inertia below which a pivot is round-off
    cd_inertia_bound* inertia_bound;      // (nlink) outboard inertia of a massless link; zero between factorizations
    bool*             redundant;          // (nrow) redundant rows of the last rank update
    bool              rank_updated;       // this factorization determines the redundant rows
    int               nrow;               // constraint rows; those of ground follow
    double min_coupling; // smallest coupling of an eliminated row to its velocity, relative to the size of both
    int    min_coupling_row;
    cd_elimination_stage* stage;  // (2 nv)
    cd_front_record*      record; // (n + 1) of a front
    real*                 stage_value;
    int*                  other;            // ids of the rows of the multipliers on the stage_value
    int*                  delayed_velocity; // velocities that are scalars of a front, in order
    bool*                 is_passed_on;     // the front passes it on
    int                   nstage, ndelayed_velocity;
    int                   ndependent; // number of dependent stages
    size_t                nstage_value, nother;

    // scratch of the factorization; N = max_unknowns, P = max_pending_rows
    real * W, *R, *h, *phi;           // front: (N x N), (P x N), (N), (P)
    real*  row_copy;                  // (P x N)
    int*   unknown_target;            // (N) unknowns of an update in the front
    int *  pending_row, *stacked_row; // (P) rows of the front; stack of rows of the updates
    real*  stack;                     // of updates: W by rows, each from its diagonal block on, then R
    size_t stack_top;
    int    nstacked_row;

    // scratch of the solve
    real *   force, *row_rhs;                       // stack of forces; (nrow)
    real *   root_acceleration, *ground_multiplier; // (6 each) of the roots; of the rows of ground
    spatial* A;                                     // (fronts.n) accelerations in the world, [-1] ground

    // terms of r, if known: efforts (nv), and wrenches of the links (cd_link_wrenches) with the applied wrenches, or
    // NULL
    const real*    effort;
    const spatial* wrench;
    bool           has_link_wrenches;

    // refinement
    double growth; // largest ratio of the inertia of a link to a pivot of it, times cd_massless_pivot: digits that may
                   // be lost
    cd_reduction_history history;
    spatial *            dA, *F;                                        // (fronts.n; nlink; [-1] ground)
    real *               motion_residual, *da, *row_residual, *dlambda; // (nv), (nv), (nrow), (nrow)
    double*              row_response; // (row blocks + 1) of each group of rows: sum of squares of J x
} cd_reduction_workspace;

// Return the multiplications of the fronts in one factorization, given the memory `work` of a formulation; infinite for
// every formulation except reduction, because the memory of the others is no cd_reduction_workspace.
double cd_reduction_operation_count(const cd_formulation* formulation, const void* work);

// The front during its elimination.
typedef struct cd_front {
    int                      k;
    const cd_front_symbolic* p;
    int                      n6, n, stride; // bodies have n6 unknowns, scalars the remaining n - n6
    int                      nscalar, nrow;
    bool                     is_packed; // W is stored as in front_small.c
    real *                   W, *R;
} cd_front;

// Return the first stored column of row i of an update: that of its diagonal block. Entries left of it are symmetric to
// those above.
static inline int cd_packed_row_begin(int i) { return i - i % 6; }
// Return the number of entries of n such rows.
static inline size_t cd_packed_size(int n)
{
    const int b = n / 6, partial = n % 6;
    return (size_t)(18 * b * (b + 1) + 6 * b * partial + partial * partial);
}

static inline bool cd_front_is_reversed(const cd_front_symbolic* p) { return p->joint != p->link && p->joint >= 0; }

// Return the components of the motion columns of a front: 3 (rotation only) for revolute and spherical joints.
static inline int cd_front_ncolumn(const cardan_model* m, const cd_front_symbolic* p)
{
    const int motion = p->joint < 0 ? CD_FREE : m->link[p->joint].motion;
    return motion == CD_REVOLUTE || motion == CD_SPHERICAL || motion == CD_SPHERICAL_REVERSED ? 3 : 6;
}

// Return the motion column of velocity v at its elimination, in world axes at the origin of its joint; for six free
// velocities a unit vector.
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
    const bool    hinge = m->link[p->joint].motion == CD_REVOLUTE;
    const spatial E     = {hinge ? m3_column_z(R) : m3_mul(R, S.a),
                       cd_front_ncolumn(m, p) == 3 ? v3_zero() : m3_mul(R, S.l)};
    return cd_front_is_reversed(p) ? (spatial){v3_neg(E.a), v3_neg(E.l)} : E;
}

// Return the vector from the parent to the link. Copies of ground are located at the start of their branches.
static inline vec3 cd_front_parent_offset(const cardan_model* m, const cd_reduction_workspace* w,
                                          const cd_front_symbolic* p)
{
    return p->parent < 0 || p->link >= m->nlink ? v3_zero() : v3_sub(w->pose[p->link].p, w->pose[p->parent].p);
}

// The sweeps follow the mechanism and not the memory order: data of a front this many fronts ahead is prefetched.
enum { CD_FRONT_PREFETCH_DISTANCE = 6 };

// Always inline: a compiler treats a function that only prefetches as free of effects and removes its calls.
#define CD_ALWAYS_INLINE static inline __attribute__((always_inline))

CD_ALWAYS_INLINE void cd_prefetch(const void* address, size_t size)
{
    for (size_t i = 0; i < size; i += 64) __builtin_prefetch((const char*)address + i);
}

// Add the six rows of a copy of ground; switch to the alternate order.
void cd_front_add_ground_rows(cd_reduction_workspace* w, cd_front* x, int ground);
void cd_reduction_swap_order(cd_reduction_workspace* w);

void cd_front_assemble(const cardan_model* m, const cd_rows* rows, cd_reduction_workspace* w, int k, cd_front* x);
// V(link) = V(parent) moved by d: slot 0 is then the parent.
void cd_front_shift_to_parent(const cd_front* x, vec3 d);
void cd_front_push_update(cd_reduction_workspace* w, cd_front* x);
// Parts of these functions: add the inertia of the link to a matrix with the given stride; add the rows of constraints
// that enter; find the pending row with the largest coupling to a velocity, by w->phi and the scale of its column, or
// -1; bounds for the pivots of a link, also accumulated for a massless parent.
void cd_front_add_inertia(const cd_link* link, mat3 R, real* W, int stride);
void cd_front_add_rows(const cd_rows* rows, cd_reduction_workspace* w, cd_front* x);
int  cd_front_find_pivot_row(const cd_reduction_workspace* w, const cd_front* x, double scale, int scalar,
                             double* coupling);
// Return the scaled size of the coefficient of a row for unknown `from` of the front.
double cd_front_scaled_coefficient(const cd_reduction_workspace* w, const cd_front* x, const real* row, int from);
cd_inertia_bound cd_front_inertia_bound(const cardan_model* m, cd_reduction_workspace* w, const cd_front* x, vec3 d);
double           cd_front_min_inertia(const cd_inertia_bound* size, spatial S);

// Subtract row `pivot` of the pending rows, p, from the others that depend on the velocity of a stage, and eliminate
// it: the last row replaces it. Always inline: small fronts have rows of constant length.
static inline __attribute__((always_inline)) void cd_front_eliminate_row(cd_reduction_workspace* w, cd_front* x,
                                                                         cd_elimination_stage* stage, int pivot,
                                                                         const real* p, int n, int stride)
{
    for (int i = 0; i < x->nrow; ++i) {
        if (i == pivot || r_is_zero(w->phi[i])) continue;
        real*      row = x->R + i * stride;
        const real f   = r_mul(w->phi[i], stage->inverse_phi);
        for (int j = 0; j < n; ++j) row[j] = r_sub(row[j], r_mul(f, p[j]));
        w->stage_value[w->nstage_value++] = f;
        w->other[w->nother++]             = w->pending_row[i];
        ++stage->nother;
    }
    --x->nrow;
    w->pending_row[pivot] = w->pending_row[x->nrow];
    for (int j = 0; j < n; ++j) x->R[pivot * stride + j] = x->R[x->nrow * stride + j];
}

// Eliminate a front of one or two bodies, if cd_front_is_small. Returns false without effect if the general elimination
// is necessary.
bool cd_front_is_small(const cd_reduction_workspace* w, int k);
bool cd_front_reduce_small(const cardan_model* m, const cd_rows* rows, cd_reduction_workspace* w, int k,
                           cd_solve_info* info, cardan_status* status);

// Return the wrench on link i alone, in world axes at its origin.
spatial cd_reduction_link_wrench(const cd_reduction_workspace* w, int i);

// Return r (nv) as the sum of efforts and link wrenches.
const real* cd_reduction_sum_link_wrenches(const cardan_model* m, cd_reduction_workspace* w);

// Add one correction to a and lambda. Returns its size relative to a, or infinity if it is not smaller than a.
double cd_reduction_refine(const cd_problem* p, cd_reduction_workspace* w, const cd_right_sides* rhs,
                           const cd_solution* x);
void   cd_reduction_refine_layout(const cardan_model* m, const cd_rows* rows, int n, cd_arena* arena,
                                  cd_reduction_workspace* w);
void   cd_reduction_layout(const cardan_model* m, const cd_rows* rows, cd_arena* arena, cd_reduction_workspace* w);
void   cd_reduction_set_poses(const cardan_model* m, const cd_kinematics* k, cd_reduction_workspace* w);
cardan_status cd_reduction_factor(const cd_problem* p, cd_reduction_workspace* w, cd_solve_info* info);
void          cd_reduction_solve(const cardan_model* m, const cd_rows* rows, cd_reduction_workspace* w, const real* r,
                                 const real* gamma, real* a, real* lambda);
