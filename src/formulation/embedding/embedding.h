// SPDX-License-Identifier: BSD-3-Clause
// Constraint embedding by clusters, on a ready mass matrix and ready rows:
//
//   J a = gamma   ->   a = N z + c        z: independent ones among the coordinates a
//   N'M N z = N'(r - M c)                 an arrow along the tree of clusters
//
// A cluster is what loops tie together: coordinates that one tie (a constraint) feels, and all between them and the one
// coordinate inboard that carries them. Inside a cluster dependent coordinates are chosen by pivots of J; rows and
// dependent coordinates that hang together are a piece, with an inverse of its own. docs/theory/embedding.md.
#pragma once

#include "formulation/formulation.h"
#include "formulation/tree/tree_mass.h"

// Coordinates 0 .. nv-1 are velocities of the model. A row with compliance is a rotor beside the tree: its turning is a
// coordinate of its own, nv + k, with inertia 1 / compliance, and the row J a - x = gamma has none any more.

typedef struct cd_cluster {
    int    first, n;        // coordinates: member[first] ...
    int    first_row, nrow; // rows: row_of[row] ...
    int    parent;          // the cluster inboard, or -1
    int    z, nz;           // independent ones, in the order of elimination
    int    first_dependent, ndependent_block;
    int    max_dependent;               // room for dependent coordinates: as many as rows or members
    size_t lu_offset, influence_offset; // room for their matrices
} cd_cluster;

// Rows and dependent coordinates that hang together: J_D (n x n), and G (ni columns of n): a_D = G z_I + c.
typedef struct cd_dependent_block {
    int    n, nindependent;
    int    first_dependent;   // dependent[first] ..., chosen[first] ..., swap[first] ...
    int    first_independent; // independent[free] ...
    size_t lu_offset, influence_offset;
} cd_dependent_block;

// Column `at` of the piece's G.
typedef struct cd_dependent_use {
    int dependent_block, column;
} cd_dependent_use;

typedef struct cd_embedding_work {
    cd_tree_matrix M;
    int            ncoordinate, nrotor, ncluster;

    // symbolic, for good
    cd_cluster* cluster;      // (ncluster) outer ones first
    int*        cluster_of;   // (ncoordinate) cluster
    int*        member;       // (ncoordinate) by cluster, outer ones first
    int*        nown;         // (ncoordinate) first entries of its row of M that belong to its cluster
    int*        row_of;       // (nrow) by cluster
    int*        block_of;     // (nrow)
    int*        rotor_of_row; // (nrow) coordinate of a rotor, or -1
    int*        row_of_rotor; // (nextra)
    int*        nneighbour;   // (ncoordinate) coordinates that share a constraint with it
    size_t      nlu, ninfluence, nz_max;
    int         ndependent, max_rows, max_members;
    void*       memory[9]; // what all these stand in

    // chosen
    bool                is_partitioned;
    int                 nz, ndependent_block, nnull;
    int*                dependent_block_of; // (ncoordinate) or -1: independent
    int*                index_in_block;     // (ncoordinate) within its piece
    cd_dependent_block* dependent_block;    // (ndependent)
    int*                dependent;          // (ndependent)
    int*                pivot_row;          // (ndependent) rows
    int*                independent;        // (ngear)
    int*                null_row;           // (nrow)
    double*             row_scale;          // (nrow) rows to size 1
    double*             scale;              // (ncoordinate) 1 / sqrt(M(k,k)) at the choice
    int*                z;                  // (ncoordinate) independent ones in the order of elimination
    int*                order;              // (ncoordinate) when; dependent ones: the last of those they follow, or -1
    size_t*             z_start;            // (ncoordinate + 1) columns of N'M N: the diagonal, then what is later
    int*                z_row;              // (nz_most)
    int* first_user;        // (ncoordinate + 1) pieces that follow an independent coordinate: user[first_user[x]] ...
    cd_dependent_use* user; // (ngear)
    double            max_influence; // of N, in units of the scales, when it was chosen; -1: nobody has looked yet
    double            min_pivot_at_partition; // pivot of J then

    // numeric
    real*  lu;
    real*  influence;
    int*   row_permutation; // (ndependent) row of the piece that stands at a place of its LU
    real*  z_value;         // (nz_most)
    real*  diagonal;        // (ncoordinate) of N'M N, by order
    real*  W;               // (ncoordinate)
    real*  x;               // (ncoordinate)
    real*  c;               // (ncoordinate)
    double min_pivot;       // pivot of J, relative; and its row
    int    min_pivot_row;

    // scratch
    char*   mark;            // (ncoordinate)
    int*    list;            // (ncoordinate + nrow)
    int*    scratch_flag;    // (ncoordinate + nrow)
    int*    head;            // (ncoordinate)
    double* A;               // (most_rows x most_members)
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

// Clusters, in memory of its own. Returns how many numbers the rest will need, or -1 without memory.
double cd_embedding_analyse(const cardan_model* m, const cd_rows* rows, cd_embedding_work* E);
void   cd_embedding_layout(const cardan_model* m, const cd_rows* rows, cd_arena* arena, cd_embedding_work* E);
void   cd_embedding_release(cd_embedding_work* E);

// Dependent coordinates, pieces and the pattern of N'M N at this pose. In plain numbers: it is not part of an
// evaluation.
void cd_embedding_partition(const cardan_model* m, const cd_rows* rows, cd_embedding_work* E, double tolerance);

// J_D = LU and G of all pieces. False where another choice should be made.
bool cd_embedding_factor_constraints(const cd_rows* rows, cd_embedding_work* E, double tolerance);
// N'M N = L D L'. Returns the coordinate that nothing resists, or CARDAN_NONE.
int cd_embedding_factor(const cardan_model* m, const cd_rows* rows, cd_embedding_work* E);
// lambda may be NULL.
void cd_embedding_solve(const cardan_model* m, const cd_rows* rows, cd_embedding_work* E, const real* r,
                        const real* gamma, real* a, real* lambda);

// Piece p: x (n) = J_D^-1 x, x in the order of its rows before and of its dependent coordinates after; x = J_D'^-1 x
// the other way round.
void cd_dependent_block_solve(const cd_embedding_work* E, const cd_dependent_block* p, const real* b, real* x);
void cd_dependent_block_solve_transposed(const cd_embedding_work* E, const cd_dependent_block* p, real* f,
                                         real* lambda);
