// SPDX-License-Identifier: BSD-3-Clause
// Numbers that count what is done to them. A number knows the tally its operations go to; constants of the model know
// none until they meet a number that does. Comparisons, copies and signs are free.
#pragma once

#include <cardan/dynamics.h>
#include <math.h>
#include <stdbool.h>
#include <stddef.h>

typedef struct real {
    double        value;
    cardan_tally* tally;
} real;

static inline cardan_tally* r_tally(real a, real b) { return a.tally ? a.tally : b.tally; }

#define CD_COUNT(field, a, b)                                                                      \
    cardan_tally* tally = r_tally(a, b);                                                           \
    if (tally) ++tally->field

static inline real r_lift(double a) { return (real){a, NULL}; }
static inline real r_add(real a, real b) { CD_COUNT(add, a, b); return (real){a.value + b.value, tally}; }
static inline real r_sub(real a, real b) { CD_COUNT(add, a, b); return (real){a.value - b.value, tally}; }
static inline real r_mul(real a, real b) { CD_COUNT(mul, a, b); return (real){a.value * b.value, tally}; }
static inline real r_div(real a, real b) { CD_COUNT(div, a, b); return (real){a.value / b.value, tally}; }
static inline real r_over(real a, real b) { CD_COUNT(div, a, b); return (real){a.value * b.value, tally}; }
static inline real r_neg(real a) { return (real){-a.value, a.tally}; }
static inline real r_sqrt(real a) { CD_COUNT(sqrt, a, a); return (real){sqrt(a.value), tally}; }
static inline double r_value(real a) { return a.value; }
static inline void r_sincos(real a, real* s, real* c)
{
    if (a.tally) a.tally->trig += 2;
    *s = (real){sin(a.value), a.tally};
    *c = (real){cos(a.value), a.tally};
}

#undef CD_COUNT

// Columns of small blocks: nothing but what is wanted is done, and counted.
static inline int r_lanes(int rows) { return rows; }
static inline int r_from(int first) { return first; }

static inline bool r_has_lapack(void) { return false; }
static inline int  r_lapack_cholesky(int n, real* M, double tolerance, const double* least)
{
    return (void)n, (void)M, (void)tolerance, (void)least, 0;
}
static inline void r_lapack_cholesky_solve(int n, const real* L, real* x) { (void)n, (void)L, (void)x; }
static inline int  r_dense_work(int n) { return n; }

// The rank-revealing solve in countable steps: Cholesky with symmetric pivoting of the (semidefinite) matrix.
static inline double r_condition(int n, int rank, const real* A, real* work, int* pivot)
{
    (void)n, (void)rank, (void)A, (void)work, (void)pivot;
    return 1;
}
static inline int r_least_squares(int n, real* A, real* b, double tolerance, real* work, int* pivot)
{
    (void)work;
    for (int i = 0; i < n; ++i) pivot[i] = i;
    for (int k = 0; k < n; ++k) {
        int best = k;
        for (int i = k + 1; i < n; ++i)
            if (A[pivot[i] * n + pivot[i]].value > A[pivot[best] * n + pivot[best]].value) best = i;
        const int p = pivot[best];
        pivot[best] = pivot[k];
        pivot[k]    = p;
        if (!(A[p * n + p].value > tolerance)) return k;
        for (int i = k + 1; i < n; ++i) {
            const int  r = pivot[i];
            const real l = r_div(A[r * n + p], A[p * n + p]);
            for (int j = k + 1; j <= i; ++j) {
                const int c  = pivot[j];
                A[r * n + c] = A[c * n + r] = r_sub(A[r * n + c], r_mul(l, A[c * n + p]));
            }
            b[r]         = r_sub(b[r], r_mul(l, b[p]));
        }
    }
    for (int k = n - 1; k >= 0; --k) {
        const int p = pivot[k];
        for (int j = k + 1; j < n; ++j) b[p] = r_sub(b[p], r_mul(A[pivot[j] * n + p], b[pivot[j]]));
        b[p] = r_div(b[p], A[p * n + p]);
    }
    return n;
}
static inline int r_dependent_column(const int* pivot, int rank) { return pivot[rank]; }

// The functions that exist once per number type. A missing row is a duplicate symbol at link time.
#define cd_kinematics_layout   cd_kinematics_layout_counted
#define cd_place               cd_place_counted
#define cd_inverse_dynamics    cd_inverse_dynamics_counted
#define cd_world_layout        cd_world_layout_counted
#define cd_world_poses         cd_world_poses_counted
#define cd_world_accelerations cd_world_accelerations_counted
#define cd_composite           cd_composite_counted
#define cd_reference_poses     cd_reference_poses_counted
#define cd_inverse_derivatives_layout cd_inverse_derivatives_layout_counted
#define cd_inverse_derivatives_of     cd_inverse_derivatives_of_counted
#define cd_tree_mass           cd_tree_mass_counted
#define cd_tree_mass_layout    cd_tree_mass_layout_counted
#define cd_tree_mass_entries   cd_tree_mass_entries_counted
#define cd_formulation_at      cd_formulation_at_counted
#define cd_formulation_rows    cd_formulation_rows_counted
#define cd_implicit            cd_implicit_counted
#define cd_semi                cd_semi_counted
#define cd_cholesky            cd_cholesky_counted
#define cd_order_n             cd_order_n_counted
#define cd_augmented           cd_augmented_counted
#define cd_order_rows_last     cd_order_rows_last_counted
#define cd_order_rows_early    cd_order_rows_early_counted
#define cd_reduction           cd_reduction_counted
#define cd_reduction_layout    cd_reduction_layout_counted
#define cd_reduction_place     cd_reduction_place_counted
#define cd_reduction_factor    cd_reduction_factor_counted
#define cd_reduction_solve     cd_reduction_solve_counted
#define cd_front_open          cd_front_open_counted
#define cd_front_pass          cd_front_pass_counted
#define cd_front_close         cd_front_close_counted
#define cd_front_left          cd_front_left_counted
#define cd_fronts_analyse      cd_fronts_analyse_counted
#define cd_fronts_release      cd_fronts_release_counted
#define cd_dense               cd_dense_counted
#define cd_lagrange            cd_lagrange_counted
#define cd_articulated_layout  cd_articulated_layout_counted
#define cd_articulated_factor  cd_articulated_factor_counted
#define cd_articulated_inward  cd_articulated_inward_counted
#define cd_articulated_inward_along cd_articulated_inward_along_counted
#define cd_articulated_outward cd_articulated_outward_counted
#define cd_skyline_place       cd_skyline_place_counted
#define cd_skyline_layout      cd_skyline_layout_counted
#define cd_skyline_clear       cd_skyline_clear_counted
#define cd_skyline_factor      cd_skyline_factor_counted
#define cd_skyline_solve       cd_skyline_solve_counted
#define cd_block_meet          cd_block_meet_counted
#define cd_free_acceleration   cd_free_acceleration_counted
#define cd_check_rows          cd_check_rows_counted
#define cd_block_cost_of       cd_block_cost_of_counted
#define cd_block_columns_of    cd_block_columns_of_counted
#define cd_block_columns_release cd_block_columns_release_counted
#define cd_block_postorder     cd_block_postorder_counted
#define cd_block_analyse       cd_block_analyse_counted
#define cd_block_release       cd_block_release_counted
#define cd_block_layout        cd_block_layout_counted
#define cd_block_find          cd_block_find_counted
#define cd_block_clear         cd_block_clear_counted
#define cd_block_factor        cd_block_factor_counted
#define cd_block_solve         cd_block_solve_counted
#define cd_block_solve_two     cd_block_solve_two_counted
#define cd_block_ratio         cd_block_ratio_counted
#define cd_block_strength      cd_block_strength_counted
#define cd_flat_bodies         cd_flat_bodies_counted
#define cd_flat_graph_open     cd_flat_graph_open_counted
#define cd_flat_graph_close    cd_flat_graph_close_counted
#define cd_flat_graph_release  cd_flat_graph_release_counted
#define cd_flat_graph_of       cd_flat_graph_of_counted
#define cd_safety_begin        cd_safety_begin_counted
#define cd_safety_end          cd_safety_end_counted
#define cd_safety_allows       cd_safety_allows_counted
#define cd_safety_eliminate    cd_safety_eliminate_counted
#define cd_order_check         cd_order_check_counted
#define cd_flat_order_rows     cd_flat_order_rows_counted
#define cd_flat_order_at       cd_flat_order_at_counted
#define cd_flat_order_choose   cd_flat_order_choose_counted
#define cd_order_bodies_first  cd_order_bodies_first_counted
#define cd_order_tree          cd_order_tree_counted
#define cd_order_strict_degree cd_order_strict_degree_counted
#define cd_order_minimum_degree cd_order_minimum_degree_counted
#define cd_order_dissection    cd_order_dissection_counted
#define cd_flat_analyse        cd_flat_analyse_counted
#define cd_flat_release        cd_flat_release_counted
#define cd_block_hold          cd_block_hold_counted
#define cd_block_holds         cd_block_holds_counted
#define cd_flat_layout         cd_flat_layout_counted
#define cd_flat_count          cd_flat_count_counted
