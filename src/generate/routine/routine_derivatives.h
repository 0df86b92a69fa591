// SPDX-License-Identifier: BSD-3-Clause
// Derivatives of any routine as routines: sparse Jacobians of all its results by chosen arguments, and sparse Hessians
// of weighted sums of its results.
#pragma once

#include "core/text.h"
#include "generate/trace/method_search.h"

// `arguments`: CD_TAKES_Q and so on; those that the base does not take are ignored.
typedef struct cd_derivative_request {
    const cd_routine* base;
    unsigned          arguments;
    bool              second_order; // Hessian instead of Jacobian
    bool              regroup;
    bool              dense;          // all entries; for Hessians both triangles
    const bool*       parameter;      // (np) parameters to differentiate by; NULL: all
    const char**      parameter_name; // (np) their names for the summary; NULL: not printed
} cd_derivative_request;

struct cd_routine_derivative {
    cd_routine            routine; // the routine as the printers see it
    cd_derivative_request request;
    cd_text               form, name, summary;
    int                   nbase_output, ncolumn;
    bool                  has_return_code;  // the base has one, and so has the derivative
    int *                 argument, *index; // (ncolumn) argument and index in it of each direction
    cd_node*              gradient;         // (ncolumn) gradient of the weighted sum, for second derivatives
};

// Read "q,v,a,effort,state,t,p" into CD_TAKES_Q and so on. "p" means all parameters that are arguments, the name of a
// parameter this one only; both are marked in `parameter`. `option` is its name in messages.
cardan_status cd_derivative_read_arguments(const char* option, const char* list,
                                           const struct cd_parameter_arguments* parameters, unsigned* arguments,
                                           bool* parameter, cardan_report* report);
// Number of results of a routine before zeros are dropped, without the return code.
int cd_derivative_weight_count(const cardan_model* m, const cd_routine* base);
// Trace the base and differentiate it, in a new graph. Release with cd_routine_derivative_release.
cardan_status cd_derive_routine(const cardan_model* m, const cd_derivative_request* request, const cd_input_layout* in,
                                cd_runtime_reference* reference, double min_scale, cd_graph** graph,
                                cd_traced_routine* t, cardan_report* report);
void          cd_routine_derivative_release(cd_routine_derivative* derivative);

// First input of an argument; results of the base by the runtime library.
int           cd_derivative_first_input(const cd_input_layout* in, int argument);
cardan_status cd_derivative_base_reference(const cd_routine_derivative* d, const cd_input_layout* in,
                                           cd_runtime_reference* reference, const double* x, double* f,
                                           cardan_report* report);
// Evaluate the derivatives at an input into `value` (noutput), and compare them with finite differences of the runtime
// library; max_difference is relative to the largest derivative (routine_derivatives_check.c).
cardan_status cd_derivative_check_values(const cardan_model* m, const cd_traced_routine* t, const cd_graph* graph,
                                         const cd_input_layout* in, cd_runtime_reference* reference, double min_scale,
                                         const double* x, double* value, double* max_difference, cardan_report* report);
