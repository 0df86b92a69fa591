// SPDX-License-Identifier: BSD-3-Clause
// Routines that can be generated. To add one, write its trace and its reference and add its table entry to
// routines.def.
#pragma once

#include "generate/trace/input_layout.h"

#include <cardan/dynamics.h>

// Arguments, in this order; the results follow.
enum {
    CD_TAKES_Q          = 1,
    CD_TAKES_V          = 2,
    CD_TAKES_A          = 4,
    CD_TAKES_EFFORT     = 8,
    CD_TAKES_STATE      = 16,
    CD_TAKES_TIME       = 32,
    CD_TAKES_P          = 64,
    CD_TAKES_WEIGHT     = 128,
    CD_TAKES_MULTIPLIER = 256,
    CD_ONLY_IF_NAMED    = 512,
    CD_IGNORES_STOPS    = 1024
}; // CD_ONLY_IF_NAMED: not part of the default; CD_IGNORES_STOPS: stops of joints exert no force
enum {
    CD_ARGUMENT_COUNT       = 9,
    CD_DIFFERENTIABLE_COUNT = 7,
    CD_TIME_ARGUMENT        = 5,
    CD_MAX_RESULTS          = 8
}; // derivatives are by the first seven arguments; the time is argument 5 (from 0), a scalar

typedef struct cd_routine_result {
    const char* name;
    const char* description; // for comments of the printed code
    int         rows, columns;
    int         nnonzero; // sparse matrix: number of entries that are not identically zero
    const int*  nonzero;  // their indices, row by row; NULL: dense
    bool is_return_code; // the return code instead of a result: 0, or the number of the invalid constraint; always last
} cd_routine_result;

typedef struct cd_routine cd_routine;
struct cd_parameter_arguments;
typedef struct cd_runtime_reference  cd_runtime_reference;  // runtime library at a state (runtime_reference.h)
typedef struct cd_routine_derivative cd_routine_derivative; // derivative of another routine (routine_derivatives.h)

// A routine traced for one mechanism: its results and their nodes.
typedef struct cd_traced_routine {
    const cd_routine*      routine;
    int                    nresult, noutput;
    cd_routine_result      result[CD_MAX_RESULTS];
    cd_node*               output;       // (noutput) nodes of all results, one result after the other
    int                    noutput_full; // number of outputs before zeros were dropped
    int*                   full_index;   // (noutput) indices of the remaining ones among these; NULL: all remain
    int*                   matrix_index; // (noutput) their indices in their results
    int                    nweight;      // number of weights that it takes
    cd_routine_derivative* derivative;   // NULL: a routine of the table
} cd_traced_routine;

struct cd_routine {
    const char* form; // name after --form
    const char* name; // name of the function
    const char* summary;
    unsigned    arguments;
    bool        can_regroup;                                                    // may be traced on regrouped inertias
    cardan_status (*check_model)(const cardan_model* m, cardan_report* report); // fails if not supported; may be NULL
    int (*describe_results)(const cardan_model* m, cd_routine_result* result);
    // Number of methods that compute the same results. A trace returns CARDAN_UNSUPPORTED or CARDAN_SINGULAR if the
    // method is not applicable to the model.
    int (*method_count)(const cardan_model* m);
    cardan_status (*trace)(cd_graph* graph, const cd_link_tree* tree, const cd_input_layout* in, int method,
                           cd_node* output);
    // Compute all results, one after the other in `all`, by the runtime library at an input (in->count numbers).
    cardan_status (*reference)(cd_runtime_reference* reference, const cd_input_layout* in, const double* input,
                               double* all, cardan_report* report);
};

int               cd_routine_count(void);
const cd_routine* cd_routine_at(int i);
int               cd_result_count(const cd_routine_result* r);
bool cd_has_return_code(int nresult, const cd_routine_result* result); // whether the last result is the return code
int  cd_multiplier_count(const cardan_model* m); // multipliers that a routine takes: one per constraint row

// `parameters`: those that are arguments; must outlive the reference; NULL: none.
cardan_status cd_runtime_reference_create(const cardan_model* m, const struct cd_parameter_arguments* parameters,
                                          cd_runtime_reference** reference, cardan_report* report);
void          cd_runtime_reference_destroy(cd_runtime_reference* reference);
// Assemble x: move q and v onto the constraints, in general position at a distance from the start. Set the relative
// distance (initially 1), and whether it is measured from the start in the file, whose loops may be open, or from the
// assembled start.
void          cd_runtime_reference_set_distance(cd_runtime_reference* reference, double distance);
void          cd_runtime_reference_set_assembled_start(cd_runtime_reference* reference, bool assembled);
cardan_status cd_runtime_reference_assemble(cd_runtime_reference* reference, const cd_input_layout* in, double* x,
                                            cardan_report* report);
cardan_status cd_runtime_reference_set_state(cd_runtime_reference* reference, const cd_input_layout* in,
                                             const double* input);
// Test whether the accelerations of the mechanism are also determined off the constraint manifold. Fails with
// CARDAN_UNSUPPORTED if constraints are redundant (normal_part.c).
cardan_status cd_runtime_reference_check_determined(cd_runtime_reference* reference, const cd_input_layout* in,
                                                    const double* input, cardan_report* report);
// Given all results of a routine and those of the reference at an input: if constraints are redundant, adopt the normal
// part of the derivatives, which is not determined, from `value` into `expected` (normal_part.c).
cardan_status cd_runtime_reference_adopt_normal_part(cd_runtime_reference* reference, const cd_routine* routine,
                                                     const cd_input_layout* in, const double* input, double* value,
                                                     double* expected);
// Tree velocity without inertia at which the last reference failed, or -1.
int cd_runtime_reference_massless_velocity(const cd_runtime_reference* reference);
// Size of the unconstrained accelerations: sqrt(sum r^2/M / sum M) over the diagonal of M, the largest over n inputs. 0
// if there are no constraints.
cardan_status cd_runtime_reference_unconstrained_acceleration(cd_runtime_reference*  reference,
                                                              const cd_input_layout* in, int n, const double* input,
                                                              double* size);

// Seeds of q along velocity v: one, or four for a quaternion. Returns their number.
int cd_velocity_seeds(cd_graph* graph, const cardan_model* m, const cd_input_layout* in, int v, cd_seed* seed);

cardan_status cd_trace_impl(cd_graph* graph, const cd_link_tree* tree, const cd_input_layout* in, int method,
                            cd_node* output);
cardan_status cd_trace_semi(cd_graph* graph, const cd_link_tree* tree, const cd_input_layout* in, int method,
                            cd_node* output);
cardan_status cd_trace_mass(cd_graph* graph, const cd_link_tree* tree, const cd_input_layout* in, int method,
                            cd_node* output);
cardan_status cd_trace_exp1(cd_graph* graph, const cd_link_tree* tree, const cd_input_layout* in, int method,
                            cd_node* output);
cardan_status cd_trace_exp2(cd_graph* graph, const cd_link_tree* tree, const cd_input_layout* in, int method,
                            cd_node* output);
cardan_status cd_trace_motion(cd_graph* graph, const cd_link_tree* tree, const cd_input_layout* in, int method,
                              cd_node* output);
cardan_status cd_trace_rate(cd_graph* graph, const cd_link_tree* tree, const cd_input_layout* in, int method,
                            cd_node* output);
cardan_status cd_trace_energy(cd_graph* graph, const cd_link_tree* tree, const cd_input_layout* in, int method,
                              cd_node* output);
cardan_status cd_trace_markers(cd_graph* graph, const cd_link_tree* tree, const cd_input_layout* in, int method,
                               cd_node* output);
cardan_status cd_markers_check_model(const cardan_model* m, cardan_report* report);
cardan_status cd_rate_check_model(const cardan_model* m, cardan_report* report);
cardan_status cd_motion_check_model(const cardan_model* m, cardan_report* report);
cardan_status cd_energy_check_model(const cardan_model* m, cardan_report* report);
bool cd_has_constraint_rows(const cardan_model* m); // constraints, or rotors of off-tree joints: rows are eliminated
int  cd_motion_method_count(const cardan_model* m);
int  cd_motion_derivatives_method_count(const cardan_model* m); // 1 for trees: the factored mass matrix
cardan_status cd_trace_impl_d(cd_graph* graph, const cd_link_tree* tree, const cd_input_layout* in, int method,
                              cd_node* output);
cardan_status cd_trace_impl_j(cd_graph* graph, const cd_link_tree* tree, const cd_input_layout* in, int method,
                              cd_node* output);
cardan_status cd_trace_exp1_d(cd_graph* graph, const cd_link_tree* tree, const cd_input_layout* in, int method,
                              cd_node* output);
cardan_status cd_trace_rate_d(cd_graph* graph, const cd_link_tree* tree, const cd_input_layout* in, int method,
                              cd_node* output);
cardan_status cd_trace_equations(cd_graph* graph, const cd_link_tree* tree, const cd_input_layout* in, int method,
                                 cd_node* output);
cardan_status cd_trace_equations_d(cd_graph* graph, const cd_link_tree* tree, const cd_input_layout* in, int method,
                                   cd_node* output);
cardan_status cd_trace_motion_d(cd_graph* graph, const cd_link_tree* tree, const cd_input_layout* in, int method,
                                cd_node* output);
