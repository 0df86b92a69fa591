// SPDX-License-Identifier: BSD-3-Clause
// The one interface behind which every formulation lives. All solve
//
//     M a + J' lambda = r,    J a = gamma,        r = Q - c(q, v)
//
// for accelerations a and multipliers lambda; how, is their business. Joint types are already motion columns, forces
// and velocity terms already in r, loops arrive as rows. To add one: write src/formulation/<name>.c and add its row to
// formulations.def.
#pragma once

#include "constraint/constraint_rows.h"
#include "core/threads.h"
#include "kinematics/kinematics.h"

#include <cardan/dynamics.h>

// What a formulation can treat.
enum {
    CD_TREE                       = 1,  // mechanisms without loops
    CD_LOOPS                      = 2,  // constraint rows
    CD_REDUNDANT                  = 4,  // dependent rows
    CD_RESIDUAL                   = 8,  // is a residual: time and counts are those of one residual
    CD_NEEDS_JOINT_SPACE_JACOBIAN = 16, // wants rows on velocities (cd_row_block.J), not only on twists
    CD_REFERENCE            = 32,   // what others are compared with: runs where it is named, is never chosen by itself
    CD_APPROXIMATE          = 64,   // its accelerations are near the solution, not the solution to round-off
    CD_DENSE_COST           = 128,  // costs the cube of something that may be the whole mechanism
    CD_MULTIPLIERS_OPTIONAL = 256,  // multipliers are work of their own, and may be left out: solve takes lambda NULL
    CD_HANDLES_SINGULAR     = 512,  // starts at singular poses and passes them
    CD_COMPLIANT_ROWS       = 1024, // rows get soft beside the constraints, with the square of the gap
    CD_USES_LINK_WRENCHES =
        2048, // with rows, and in tree coordinates, takes loads of links one by one (split): nobody needs to sum
              // them up to r
    CD_GEOMETRIC_RANK = 4096, // asked to look sharper, lets geometry say which rows repeat others (geometric_rank.h)
    CD_GEOMETRIC_RANK_STICKY = 8192, // the same, and goes on so once that was right
    CD_CAN_FREEZE_RANK =
        16384, // takes rows that repeat others for those of its last factorization, if asked (cd_rows.held)
};

// Where a solve failed: the velocity whose motion nothing resists, or the row that contradicts.
typedef struct cd_solve_info {
    int    v, row;
    double residual; // of that row: |J a - gamma|, where it was looked at
    bool
        residual_checked; // a solve that succeeded has seen all rows hold to the last digits: nobody needs to look again

    // Called after every step that the formulation's reference numbers, for those who count or time them; usually
    // nobody does.
    void (*stage_done)(void* watcher, const char* step);
    void* stage_context;
} cd_solve_info;

static inline void cd_report_stage_done(const cd_solve_info* info, const char* stage)
{
    if (info->stage_done) info->stage_done(info->stage_context, stage);
}

// How far the rows of the current factor are from depending on each other more than they do: the smallest pivot that is
// not null, relative to what was subtracted from it, which is the square of a singular value; its row; and how many
// rows are null. Pivots beside inertia that is lent (proximal_inertia.h) are those of the loan, and say nothing of the mechanism.
typedef struct cd_pivot_conditioning {
    double min_pivot_rel;
    int    min_pivot_row, nnull;
    bool   pivots_regularized;
} cd_pivot_conditioning;

// Rows by groups that no joint ties to each other.
typedef struct cd_row_groups {
    int        n;
    const int* group_of_row; // (nrow)
} cd_row_groups;

typedef struct cd_formulation {
    const char*        name;      // as typed after --formulation
    const char*        summary;   // one line, shown by `cardan list`
    const char*        reference; // where the equations come from
    unsigned           supports;
    cardan_tree_policy tree_policy; // what compile is asked for
    double             time_per_operation
        [2]; // time of an operation beside that of others, in trees and with loops (measured); 0: not chosen by
             // itself

    // Symbolic phase, once: orders and patterns, in memory of its own, which release gives back. May be absent.
    cardan_status (*analyse)(const cardan_model* m, const cd_rows* rows, void* work, cardan_report* report);
    void (*release)(void* work);

    // Memory: the work struct and what hangs from it. Runs twice, to measure and to assign.
    size_t work_size;
    void (*layout)(const cardan_model* m, const cd_rows* rows, cd_arena* arena, void* work);

    // Doubles the layout will ask for, where that can be too much to try (NULL: linear in the model).
    double (*memory_estimate)(const cardan_model* m, const cd_rows* rows);

    // What depends on position: mass matrix, factors. Called after cd_forward_kinematics.
    cardan_status (*assemble)(const cardan_model* m, cd_kinematics* k, const cd_rows* rows, void* work);
    cardan_status (*factor)(const cardan_model* m, cd_kinematics* k, const cd_rows* rows, void* work,
                            cd_solve_info* where);

    // Right sides to accelerations and multipliers with the current factor; may be called again. lambda NULL: nobody
    // wants multipliers, and who finds them apart from the accelerations (CD_MULTIPLIERS_OPTIONAL) leaves them; only those may be
    // asked so.
    cardan_status (*solve)(const cardan_model* m, cd_kinematics* k, const cd_rows* rows, void* work, const real* r,
                           const real* gamma, real* a, real* lambda, cd_solve_info* where);

    // What r of the next solve is made of, for those who keep more digits so: efforts along the velocities, and loads
    // of the links (cd_link_net_wrench), whose sums over everything outboard r has: moving of the kinematics is that at a = 0.
    // Called after factor, with the wrenches on the links or NULL. May be absent.
    void (*set_link_wrenches)(const cardan_model* m, const cd_kinematics* k, void* work, const real* effort,
                              const spatial* wrench);

    // dx of the right side (0, s), for callers that iterate and look at what is left themselves: nothing is refined or
    // checked. Absent: solve does it.
    void (*solve_correction)(const cardan_model* m, const cd_rows* rows, void* work, const real* s, real* dx);
    // Both at once, for little more than one. May be absent.
    cardan_status (*solve_with_correction)(const cardan_model* m, const cd_rows* rows, void* work, const real* r,
                                           const real* gamma, real* a, real* lambda, cd_solve_info* where,
                                           const real* s, real* dx);

    // What assemble, factor and solve, or with s solve_and_change, would do one after the other, where the right sides
    // are known before: in fewer sweeps over the mechanism. CARDAN_SINGULAR: there is no factor. rows->reach: rows,
    // right sides and s become known on the way, when they are asked for. May be absent.
    cardan_status (*factor_and_solve)(const cardan_model* m, cd_kinematics* k, const cd_rows* rows, void* work,
                                      const real* r, const real* gamma, real* a, real* lambda, cd_solve_info* where,
                                      const real* s, real* dx);

    // What only some have to tell; each may be absent. Threads to work with (NULL: one), which stay the caller's.
    void (*set_threads)(void* work, cd_threads* threads);
    // Multiplications of the factorization, and nonzeros of L, if it were done by scalars on the true nonzeros. False
    // without memory.
    bool (*count_scalar_cost)(const cardan_model* m, const cd_rows* rows, const void* work, long* multiplications,
                              long* nonzeros);
    // Pivots of the last factor: which rows (nrow) have none of their own, and the largest over the smallest of the
    // others.
    void (*pivots)(const cardan_model* m, const cd_rows* rows, const void* work, bool* null, double* ratio);
    // How far the rows of the last solve are from depending on each other.
    cd_pivot_conditioning (*conditioning)(const cardan_model* m, const cd_rows* rows, const void* work);
    // For those whose pivots say that by their coordinates rather than by the mechanism: one inverse iteration for the
    // smallest singular value s of each group of rows, J x = s u in the metric of the mass matrix, with the factor that
    // is there. z (nrow) is u, about, of any size, and improved; x (nv) is x/s; flexible (groups) is 1/s^2, s relative
    // to the size of rows, or 0 where there is none.
    void (*smallest_singular_vector)(const cardan_model* m, const cd_rows* rows, void* work, cd_row_groups groups,
                                     real* z, real* x, double* flexible);
} cd_formulation;

static inline bool cd_uses_link_wrenches(const cd_formulation* f, const cardan_model* m, const cd_rows* rows)
{
    return f->supports & CD_USES_LINK_WRENCHES && rows->nrow > 0 && m->policy != CARDAN_TREE_MAXIMAL;
}

// More entries of a matrix are refused before memory runs out; they are also what an int can count.
static const double cd_max_matrix_entries = 2e9;

int                   cd_formulation_count(void);
const cd_formulation* cd_formulation_at(int i);
