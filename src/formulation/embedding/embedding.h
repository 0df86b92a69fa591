// SPDX-License-Identifier: BSD-3-Clause
// Constraint embedding by clusters, with a given mass matrix and given rows:
//
//   J a = gamma   ->   a = N z + c        z: the independent accelerations
//   N'M N z = N'(r - M c)                 an arrow matrix along the tree of clusters
//
// A cluster contains the coordinates that loops couple: those on which one constraint acts, and all between them and
// their common ancestor. Inside a cluster dependent coordinates are chosen by pivots of J; coupled rows and dependent
// coordinates form a dependent block with its own LU factorization. docs/theory/embedding.md.
#pragma once

#include "formulation/formulation.h"
#include "formulation/tree/tree_mass.h"

// Coordinates 0 .. nv-1 are velocities of the model. A compliant row is a rotor of an off-tree joint: its rotation is
// an additional coordinate nv + k with inertia 1 / compliance, and the row J a - x = gamma has no compliance.

typedef struct cd_cluster {
    int    first, n;        // coordinates: member[first] ...
    int    first_row, nrow; // rows: row_of[first_row] ...
    int    parent;          // the cluster inboard, or -1
    int    z, nz;           // independent coordinates, in elimination order
    int    first_dependent, ndependent_block;
    int    max_dependent;               // bound of dependent coordinates: the smaller number of rows and members
    size_t lu_offset, influence_offset; // offsets of their matrices
} cd_cluster;

// Coupled rows and dependent coordinates: J_D (n x n), and G (nindependent columns of n): a_D = G z_I + c.
typedef struct cd_dependent_block {
    int    n, nindependent;
    int    first_dependent;   // in dependent, pivot_row and row_permutation
    int    first_independent; // independent[first_independent] ...
    size_t lu_offset, influence_offset;
} cd_dependent_block;

// Column `column` of the dependent block's G.
typedef struct cd_dependent_use {
    int dependent_block, column;
} cd_dependent_use;

typedef struct cd_embedding_work {
    cd_tree_matrix M;
    int            ncoordinate, nrotor, ncluster;

    // symbolic, constant
    cd_cluster* cluster;      // (ncluster) outboard first
    int*        cluster_of;   // (ncoordinate)
    int*        member;       // (ncoordinate) by cluster, outboard first
    int*        nown;         // (ncoordinate) number of first entries of its row of M that belong to its cluster
    int*        row_of;       // (nrow) by cluster
    int*        block_of;     // (nrow) row block
    int*        rotor_of_row; // (nrow) coordinate of a rotor, or -1
    int*        row_of_rotor; // (nrotor)
    int*        nneighbour;   // (ncoordinate) number of coordinates that share a constraint with it
    size_t      nlu, ninfluence, nz_max;
    int         ndependent, max_rows, max_members;
    void*       memory[9]; // allocations of these arrays

    // partition
    bool                is_partitioned;
    int                 nz, ndependent_block, nnull;
    int*                dependent_block_of; // (ncoordinate) or -1: independent
    int*                index_in_block;     // (ncoordinate) index within its dependent block
    cd_dependent_block* dependent_block;    // (ndependent)
    int*                dependent;          // (ndependent)
    int*                pivot_row;          // (ndependent) rows
    int*                independent;        // (ninfluence)
    int*                null_row;           // (nrow)
    double*             row_scale;          // (nrow) scales rows to size 1
    double*             scale;              // (ncoordinate) 1 / sqrt(M(k,k)) at the partition
    int*                z;                  // (nz) independent coordinates in elimination order
    int*                order;              // (ncoordinate) position in z; dependent ones: last of those they follow,
                                            // or -1
    size_t* z_start;                        // (nz + 1) columns of N'M N: the diagonal, then later positions
    int*    z_row;                          // (nz_max)
    int*    first_user;                     // (ncoordinate + 1) uses of an independent coordinate: user[first_user[x]]
                                            // ...
    cd_dependent_use* user;                 // (ninfluence)
    double            max_influence;        // largest scaled entry of N at the partition; -1: not yet computed
    double            min_pivot_at_partition; // smallest pivot of J then

    // numeric
    real*  lu;
    real*  influence;
    int*   row_permutation; // (ndependent) row of the dependent block at each position of its LU
    real*  z_value;         // (nz_max)
    real*  diagonal;        // (ncoordinate) of N'M N, in elimination order
    real*  W;               // (ncoordinate)
    real*  x;               // (ncoordinate)
    real*  c;               // (ncoordinate)
    double min_pivot;       // smallest relative pivot of J, and its row
    int    min_pivot_row;

    // scratch
    char*   mark;            // (ncoordinate)
    int*    list;            // (ncoordinate + nrow)
    int*    scratch_flag;    // (ncoordinate + nrow)
    int*    head;            // (ncoordinate)
    double* A;               // (max_rows x max_members)
    size_t* column_position; // (ncoordinate)
} cd_embedding_work;

// Rows of M: the coordinate itself, then inward.
static inline int cd_embedding_row_length(const cardan_model* m, int x) { return x < m->nv ? m->v_depth[x] : 1; }
static inline int cd_embedding_column(const cardan_model* m, const cd_embedding_work* E, int x, int s)
{
    return x < m->nv ? E->M.column[E->M.start[x] + s] : x;
}
static inline real cd_embedding_entry(const cardan_model* m, const cd_rows* rows, const cd_embedding_work* E, int x,
                                      int s)
{
    return x < m->nv ? E->M.entry[E->M.start[x] + s]
                     : r_div(r_const(1), r_const(rows->compliance[E->row_of_rotor[x - m->nv]]));
}

// Find the clusters, in separately allocated memory. Returns the number of reals that the layout needs, or -1 without
// memory.
double cd_embedding_analyse(const cardan_model* m, const cd_rows* rows, cd_embedding_work* E);
void   cd_embedding_layout(const cardan_model* m, const cd_rows* rows, cd_arena* arena, cd_embedding_work* E);
void   cd_embedding_release(cd_embedding_work* E);

// Choose dependent coordinates, form dependent blocks and compute the pattern of N'M N at this configuration. In double
// precision numbers: this is not part of an evaluation.
void cd_embedding_partition(const cd_problem* p, cd_embedding_work* E, double tolerance);

// Compute J_D = L U and G of all dependent blocks. Returns false if another partition is necessary.
bool cd_embedding_factor_constraints(const cd_problem* p, cd_embedding_work* E, double tolerance);
// Factor N'M N = L D L'. Returns the coordinate whose pivot is round-off, or CARDAN_NONE.
int cd_embedding_factor(const cardan_model* m, const cd_rows* rows, cd_embedding_work* E);
// Solve for a and, if lambda is not NULL, for the multipliers.
void cd_embedding_solve(const cardan_model* m, const cd_rows* rows, cd_embedding_work* E, const cd_right_sides* rhs,
                        const cd_solution* x);

// Solve x (n) = J_D^-1 b of dependent block p, b in the order of its rows, x in that of its dependent coordinates; and
// J_D' lambda = f, in the opposite direction.
void cd_dependent_block_solve(const cd_embedding_work* E, const cd_dependent_block* p, const real* b, real* x);
void cd_dependent_block_solve_transposed(const cd_embedding_work* E, const cd_dependent_block* p, real* f,
                                         real* lambda);
