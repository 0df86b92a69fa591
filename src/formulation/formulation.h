// SPDX-License-Identifier: BSD-3-Clause
// Interface of the formulations. A formulation solves
//
//     M a + J' lambda = r,    J a = gamma,        r = Q - c(q, v)
//
// for the accelerations a (nv) and the multipliers lambda (nrow). The caller has already expressed joint types as
// motion columns, collected forces and velocity terms in r, and described loops by constraint rows. To add a
// formulation, write <name>.c in a folder of src/formulation and add an entry to formulations.def.
#pragma once

#include "constraint/constraint_rows.h"
#include "core/threads.h"
#include "formulation/formulation_tolerances.h"
#include "formulation/solve_policy.h"
#include "kinematics/kinematics.h"

#include <cardan/dynamics.h>

// Capabilities and properties of a formulation.
enum {
    CD_SUPPORTS_TREES             = 1,  // mechanisms without loops
    CD_SUPPORTS_LOOPS             = 2,  // constraint rows
    CD_SUPPORTS_REDUNDANT_ROWS    = 4,  // linearly dependent rows
    CD_IS_RESIDUAL                = 8,  // computes a residual: time and operation count are those of one residual
    CD_NEEDS_JOINT_SPACE_JACOBIAN = 16, // needs rows on velocities (cd_row_block.J), not only on twists
    CD_REFERENCE_IMPLEMENTATION =
        32,                        // reference implementation: runs only where it is named, never chosen automatically
    CD_APPROXIMATE          = 64,  // accelerations are approximate: their error exceeds round-off
    CD_DENSE_COST           = 128, // costs O(n^3), where n may be the size of the whole mechanism
    CD_MULTIPLIERS_OPTIONAL = 256, // multipliers cost extra and may be omitted: solve accepts lambda NULL
    CD_HANDLES_SINGULAR     = 512, // starts at singular configurations and passes through them
    // Off the constraints the rows have a compliance proportional to the square of the violation.
    CD_COMPLIANT_ROWS = 1024,
    // With rows, and in tree coordinates, uses the wrenches of the links one by one (cd_right_sides.effort, wrench):
    // the caller need not sum them to r.
    CD_USES_LINK_WRENCHES = 2048,
    // With CD_RANK_BY_GEOMETRY, redundant rows are determined by a QR factorization of J without masses
    // (geometric_rank.h).
    CD_GEOMETRIC_RANK            = 4096,
    CD_GEOMETRIC_RANK_PERSISTENT = 8192,  // the same, and continues so once the result was correct
    CD_CAN_FREEZE_RANK           = 16384, // supports CD_RANK_FROZEN
    CD_REPORTS_PIVOTS            = 32768, // sets cd_solve_info.conditioning
    CD_SOLVES_CORRECTION         = 65536, // solve accepts r NULL: the correction alone, without refinement and check
    CD_CORRECTION_WITH_ACCELERATIONS = 131072, // solve accepts r and s together, for little more than the cost of one
};

// The equations at a state, and how they are solved.
typedef struct cd_problem {
    const cardan_model*    m;
    cd_kinematics*         k; // after cd_forward_kinematics
    const cd_rows*         rows;
    const cd_solve_policy* policy;
} cd_problem;

// Right sides of M a + J'lambda = r, J a = gamma, and of M dx + J'y = 0, J dx = s. Accelerations and the correction dx
// of the violation have the same factor.
typedef struct cd_right_sides {
    const real *r, *gamma; // (nv), (nrow); r NULL: only the correction is requested (CD_SOLVES_CORRECTION)
    // Terms of r, for formulations that lose fewer digits with them, or NULL: efforts along the velocities (nv), and
    // applied wrenches on the links (or NULL). r is the sum of efforts and of the wrenches of all outboard links
    // (cd_link_net_wrench), of which the kinematics contain the part at a = 0.
    const real*    effort;
    const spatial* wrench;
    const real*    s; // (nrow), or NULL: no correction
} cd_right_sides;

typedef struct cd_solution {
    real *a, *lambda; // (nv), (nrow); lambda NULL: no multipliers (CD_MULTIPLIERS_OPTIONAL)
    real* dx;         // (nv) if s is given
} cd_solution;

// Conditioning of the rows in the current factor: the smallest non-null pivot relative to what was subtracted from it,
// which is the square of a singular value of J M^-1/2; its row; and the number of null rows. Pivots that contain
// proximal inertia (proximal_inertia.h) depend on that inertia and give no information about the mechanism.
typedef struct cd_pivot_conditioning {
    double min_pivot_rel;
    int    min_pivot_row, nnull;
    bool   pivots_regularized;
} cd_pivot_conditioning;

// Result of a factorization or solve. After a failure: the velocity without a pivot, or the inconsistent row.
typedef struct cd_solve_info {
    int    failed_velocity, failed_row;
    double residual;       // |J a - gamma| of that row [m/s^2, rad/s^2], if it was computed
    bool residual_checked; // the successful solve found all rows satisfied to round-off: no further check is necessary
    cd_pivot_conditioning conditioning; // of the rows in the factor that was used (CD_REPORTS_PIVOTS)

    // Callback after each stage; stages are numbered as in the cited paper. Counts or times them; usually NULL.
    void (*stage_done)(void* context, const char* stage);
    void* stage_context;
} cd_solve_info;

static inline void cd_report_stage_done(const cd_solve_info* info, const char* stage)
{
    if (info->stage_done) info->stage_done(info->stage_context, stage);
}

// Rows in groups that no joint couples to each other.
typedef struct cd_row_groups {
    int        n;
    const int* group_of_row; // (nrow)
} cd_row_groups;

typedef struct cd_formulation {
    const char*        name;     // argument of --formulation
    const char*        summary;  // one line, shown by `cardan list`
    const char*        citation; // source of the equations
    unsigned           properties;
    cardan_tree_policy tree_policy; // spanning tree that the model is compiled with
    // Measured time of an operation relative to other formulations, in trees and with loops; 0: not chosen
    // automatically.
    double time_per_operation[2];

    // Symbolic analysis, once: orders and patterns in separately allocated memory, which release frees. May be NULL.
    cardan_status (*analyse)(const cardan_model* m, const cd_rows* rows, void* work, cardan_report* report);
    void (*release)(void* work);

    // Memory layout of the work struct and its arrays. Runs twice: first to measure, then to assign.
    size_t work_size;
    void (*layout)(const cardan_model* m, const cd_rows* rows, cd_arena* arena, void* work);

    // Estimate of the doubles that the layout needs, for formulations that may need too much (NULL: linear in the
    // model).
    double (*memory_estimate)(const cardan_model* m, const cd_rows* rows);

    // Assemble (may be NULL), then factor the position-dependent matrices.
    void (*assemble)(const cd_problem* problem, void* work);
    cardan_status (*factor)(const cd_problem* problem, void* work, cd_solve_info* info);

    // Solve with the current factor; may be called repeatedly.
    cardan_status (*solve)(const cd_problem* problem, void* work, const cd_right_sides* right_sides,
                           const cd_solution* solution, cd_solve_info* info);

    // Discard what was kept from earlier states (rank decisions, elimination orders, partitions, added inertia): the
    // next factorization and solve give the same bits as with new work memory. NULL: nothing is kept.
    void (*reset)(const cardan_model* m, void* work);

    // Fused factorization: assemble, factor and solve in fewer sweeps over the mechanism, where the right sides are
    // known beforehand. Returns CARDAN_SINGULAR if no factor exists. With rows->stream, rows and right sides are
    // computed during the sweep when it requests them. May be NULL.
    cardan_status (*factor_and_solve)(const cd_problem* problem, void* work, const cd_right_sides* right_sides,
                                      const cd_solution* solution, cd_solve_info* info);

    // Optional functions; each may be NULL. Set the threads to work with (NULL: one thread); the caller owns them.
    void (*set_threads)(void* work, cd_threads* threads);
    // Count multiplications of the factorization and nonzeros of L for a scalar factorization on the true nonzeros.
    // Returns false if memory is exhausted.
    bool (*count_scalar_cost)(const cardan_model* m, const cd_rows* rows, const void* work, long* multiplications,
                              long* nonzeros);
    // Pivots of the last factor: rows (nrow) with null pivots, and the ratio of the largest to the smallest of the
    // other pivots.
    void (*pivots)(const cd_problem* problem, const void* work, bool* null, double* ratio);
    // For formulations whose pivots depend on the coordinates more than on the mechanism: one inverse iteration for the
    // smallest singular value sigma of each group of rows, J x = sigma u in the metric of the mass matrix, with the
    // current factor. z (nrow) is an approximation of u, of any size, and is improved; x (nv) is x/sigma; inv_sigma_sq
    // (groups) is 1/sigma^2, sigma relative to the size of the rows, or 0 where no value exists.
    void (*smallest_singular_vector)(const cd_problem* problem, void* work, cd_row_groups groups, real* z, real* x,
                                     double* inv_sigma_sq);
} cd_formulation;

static inline bool cd_uses_link_wrenches(const cd_formulation* f, const cardan_model* m, const cd_rows* rows)
{
    return f->properties & CD_USES_LINK_WRENCHES && rows->nrow > 0 && m->policy != CARDAN_TREE_MAXIMAL;
}

int                   cd_formulation_count(void);
const cd_formulation* cd_formulation_at(int i);
