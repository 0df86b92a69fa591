// SPDX-License-Identifier: BSD-3-Clause
// Routines that can be generated. To add one: write its trace and its reference, and add its row to routines.def.
#pragma once

#include "generate/trace/input_layout.h"

#include <cardan/dynamics.h>

// Arguments, in this order; then the results.
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
    CD_IGNORES_STOPS    = 1024 // stops of joints exert no force
};                             // and not among those that are written without being named
enum {
    CD_ARGUMENT_COUNT       = 9,
    CD_DIFFERENTIABLE_COUNT = 7,
    CD_TIME_ARGUMENT        = 5,
    CD_MAX_RESULTS          = 8
}; // derivatives are by the first seven; the time is the sixth argument, and a number

typedef struct cd_routine_result {
    const char* name;
    const char* description; // for comments
    int         rows, columns;
    int         nnonzero; // of a sparse matrix: entries that are not always zero,
    const int*  nonzero;  // their places row by row; NULL: all are there
    bool is_return_code;  // no result but what the routine returns: 0, or which constraint is lost; the last of all
} cd_routine_result;

typedef struct cd_routine cd_routine;
struct cd_parameter_arguments;
typedef struct cd_reference          cd_reference;          // the runtime, at a state
typedef struct cd_routine_derivative cd_routine_derivative; // of another routine (routine_derivatives.h)

// A routine of one mechanism: its results and their nodes.
typedef struct cd_traced_routine {
    const cd_routine*      routine;
    int                    nresult, noutput;
    cd_routine_result      result[CD_MAX_RESULTS];
    cd_node*               output;       // (noutput) of all results in turn
    int                    noutput_full; // outputs before zeros were left out
    int*                   full_index;   // (noutput) which of them are left; NULL: all
    int*                   matrix_index; // (noutput) and where they stand in their results
    int                    nweight;      // that it takes
    cd_routine_derivative* derivative;   // NULL: a routine of the table
} cd_traced_routine;

struct cd_routine {
    const char* form; // as typed after --form
    const char* name; // of the function
    const char* summary;
    unsigned    arguments;
    bool        can_regroup;                                                    // may be traced on regrouped inertias
    cardan_status (*check_model)(const cardan_model* m, cardan_report* report); // says what is in the way
    int (*describe_results)(const cardan_model* m, cd_routine_result* result);
    // There may be several ways to compute the same; UNSUPPORTED or SINGULAR where one is not for this model.
    int (*method_count)(const cardan_model* m);
    cardan_status (*trace)(cd_graph* graph, const cd_link_tree* s, const cd_input_layout* in, int way, cd_node* output);
    // The same by the runtime, at a state given as the sources number it. `all` are the results in turn.
    cardan_status (*reference)(cd_reference* referee, const cd_input_layout* in, const double* input, double* all,
                               cardan_report* report);
};

int               cd_routine_count(void);
const cd_routine* cd_routine_at(int i);
int               cd_result_count(const cd_routine_result* r);
bool cd_has_return_code(int nresult, const cd_routine_result* result); // whether the last one is what is returned
int  cd_multiplier_count(const cardan_model* m); // how many a routine takes: one per row of the constraints

// `inputs`: parameters that are arguments, which must live longer; NULL: none.
cardan_status cd_reference_create(const cardan_model* m, const struct cd_parameter_arguments* parameters,
                                  cd_reference** reference, cardan_report* report);
void          cd_reference_destroy(cd_reference* reference);
// x with its loops closed: in general position away from the start; a part of the way there from now on, 1 at first.
// That from the start as the file has it, loops open, or from now on assembled.
void          cd_reference_set_distance(cd_reference* reference, double distance);
void          cd_reference_set_assembled_start(cd_reference* reference, bool assembled);
cardan_status cd_reference_assemble(cd_reference* reference, const cd_input_layout* in, double* x,
                                    cardan_report* report);
cardan_status cd_reference_set_state(cd_reference* reference, const cd_input_layout* in, const double* input);
// Are accelerations of the whole mechanism determined beside its constraints, too? Not where constraints repeat each
// other (beside.c).
cardan_status cd_reference_check_determined(cd_reference* reference, const cd_input_layout* in, const double* input,
                                            cardan_report* report);
// All results of a routine and what the reference expects, at an input: where constraints repeat each other, what
// differs beside them alone is taken over.
cardan_status cd_reference_adopt_normal_part(cd_reference* reference, const cd_routine* routine,
                                             const cd_input_layout* in, const double* input, double* value,
                                             double* expected);
// Velocity of the tree that nothing resisted when a reference last failed, or -1.
int cd_reference_massless_velocity(const cd_reference* reference);
// Size of accelerations that joints would have without the constraints of the mechanism, by their inertias: sqrt(sum
// r^2/M / sum M) over the diagonal of M, the largest of n inputs. 0 where there are no constraints.
cardan_status cd_reference_unconstrained_acceleration(cd_reference* reference, const cd_input_layout* in, int n,
                                                      const double* input, double* size);

// Seeds of velocity v as a direction of q: one, or the four of a quaternion. How many.
int cd_velocity_seeds(cd_graph* graph, const cardan_model* m, const cd_input_layout* in, int v, cd_seed* seed);

cardan_status cd_trace_impl(cd_graph* graph, const cd_link_tree* s, const cd_input_layout* in, int method,
                            cd_node* output);
cardan_status cd_trace_semi(cd_graph* graph, const cd_link_tree* s, const cd_input_layout* in, int method,
                            cd_node* output);
cardan_status cd_trace_mass(cd_graph* graph, const cd_link_tree* s, const cd_input_layout* in, int method,
                            cd_node* output);
cardan_status cd_trace_exp1(cd_graph* graph, const cd_link_tree* s, const cd_input_layout* in, int method,
                            cd_node* output);
cardan_status cd_trace_exp2(cd_graph* graph, const cd_link_tree* s, const cd_input_layout* in, int method,
                            cd_node* output);
cardan_status cd_trace_motion(cd_graph* graph, const cd_link_tree* s, const cd_input_layout* in, int method,
                              cd_node* output);
cardan_status cd_trace_rate(cd_graph* graph, const cd_link_tree* s, const cd_input_layout* in, int method,
                            cd_node* output);
cardan_status cd_trace_energy(cd_graph* graph, const cd_link_tree* s, const cd_input_layout* in, int method,
                              cd_node* output);
cardan_status cd_trace_markers(cd_graph* graph, const cd_link_tree* s, const cd_input_layout* in, int method,
                               cd_node* output);
cardan_status cd_markers_check_model(const cardan_model* m, cardan_report* report);
cardan_status cd_rate_check_model(const cardan_model* m, cardan_report* report);
cardan_status cd_motion_check_model(const cardan_model* m, cardan_report* report);
bool cd_has_constraint_rows(const cardan_model* m); // constraints, or rotors beside the tree: something is eliminated
int  cd_motion_method_count(const cardan_model* m);
int  cd_motion_derivatives_method_count(const cardan_model* m); // trees have one: the factored mass matrix
cardan_status cd_trace_impl_d(cd_graph* graph, const cd_link_tree* s, const cd_input_layout* in, int method,
                              cd_node* output);
cardan_status cd_trace_impl_j(cd_graph* graph, const cd_link_tree* s, const cd_input_layout* in, int method,
                              cd_node* output);
cardan_status cd_trace_exp1_d(cd_graph* graph, const cd_link_tree* s, const cd_input_layout* in, int method,
                              cd_node* output);
cardan_status cd_trace_rate_d(cd_graph* graph, const cd_link_tree* s, const cd_input_layout* in, int method,
                              cd_node* output);
cardan_status cd_trace_equations(cd_graph* graph, const cd_link_tree* s, const cd_input_layout* in, int method,
                                 cd_node* output);
cardan_status cd_trace_equations_d(cd_graph* graph, const cd_link_tree* s, const cd_input_layout* in, int method,
                                   cd_node* output);
cardan_status cd_trace_motion_d(cd_graph* graph, const cd_link_tree* s, const cd_input_layout* in, int method,
                                cd_node* output);
