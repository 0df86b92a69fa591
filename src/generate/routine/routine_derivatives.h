// SPDX-License-Identifier: BSD-3-Clause
// Derivatives of any routine as routines of their own: sparse Jacobians of all its results by chosen arguments, sparse
// Hessians of weighted sums of them.
#pragma once

#include "core/text.h"
#include "generate/trace/method_search.h"

// `by`: CD_TAKES_Q and so on, of those that the base takes.
typedef struct cd_derivative_request {
    const cd_routine* base;
    unsigned          arguments;
    bool              second_order; // Hessian, not Jacobian
    bool              regroup;
    bool              dense;          // all entries; of Hessians both triangles
    const bool*       parameter;      // (np) of those that are arguments, by which; NULL: by all
    const char**      parameter_name; // (np) of these; NULL: not told
} cd_derivative_request;

struct cd_routine_derivative {
    cd_routine            routine; // what printers see
    cd_derivative_request request;
    cd_text               form, name, summary;
    int                   nbase_output, ncolumn;
    bool                  has_return_code;  // the base does, and so do its derivatives
    int *                 argument, *index; // (ncolumn) of each direction
    cd_node*              gradient;         // (ncolumn) of the weighted sum, for second derivatives
};

// "q,v,a,effort,state,t,p" to CD_TAKES_Q and so on; p is all parameters that are arguments, the name of one is that
// one, marked in `parameter`. `option` for messages.
cardan_status cd_derivative_read_arguments(const char* option, const char* list,
                                           const struct cd_parameter_arguments* parameters, unsigned* arguments,
                                           bool* parameter, cardan_report* report);
// Numbers that a routine gives before anything is left out, but for what it returns.
int cd_derivative_weight_count(const cardan_model* m, const cd_routine* base);
// Trace of the base, differentiated, into a graph of its own. Release with cd_routine_derivative_release.
cardan_status cd_derive_routine(const cardan_model* m, const cd_derivative_request* request, const cd_input_layout* in,
                                cd_reference* reference, double min_scale, cd_graph** graph, cd_traced_routine* t,
                                cardan_report* report);
void          cd_routine_derivative_release(cd_routine_derivative* derivative);

// Where an argument begins in the inputs; results of the base by the runtime.
int           cd_derivative_first_input(const cd_input_layout* in, int argument);
cardan_status cd_derivative_base_reference(const cd_routine_derivative* d, const cd_input_layout* in,
                                           cd_reference* reference, const double* x, double* f, cardan_report* report);
// Values of the derivatives at an input (noutput); `off`: how far they are from differences of the runtime, beside the
// largest (routine_derivatives_check.c).
cardan_status cd_derivative_check_values(const cardan_model* m, const cd_traced_routine* t, const cd_graph* graph,
                                         const cd_input_layout* in, cd_reference* reference, double min_scale,
                                         const double* x, double* value, double* max_difference, cardan_report* report);
