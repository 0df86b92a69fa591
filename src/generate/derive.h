// SPDX-License-Identifier: BSD-3-Clause
// Derivatives of any routine as routines of their own: sparse Jacobians of all its results by chosen arguments, sparse
// Hessians of weighted sums of them.
#pragma once

#include "core/text.h"
#include "generate/axes.h"

// `by`: CD_TAKES_Q and so on, of those that the base takes.
typedef struct cd_derive_wish {
    const cd_routine* base;
    unsigned          by;
    bool              second; // Hessian, not Jacobian
    bool              regroup;
    bool              dense;     // all entries; of Hessians both triangles
    const bool*       parameter; // (np) of those that are arguments, by which; NULL: by all
    const char**      name;      // (np) of these; NULL: not told
} cd_derive_wish;

struct cd_derivation {
    cd_routine     routine; // what printers see
    cd_derive_wish wish;
    cd_text        form, name, summary;
    int            nbase, ncolumn;
    bool           tells;            // the base does, and so do its derivatives
    int *          argument, *index; // (ncolumn) of each direction
    cd_node*       gradient;         // (ncolumn) of the weighted sum, for second derivatives
};

// "q,v,a,effort,state,t,p" to CD_TAKES_Q and so on; p is all parameters that are arguments, the name of one is that
// one, marked in `parameter`. `option` for messages.
cardan_status cd_derive_read(const char* option, const char* list, const struct cd_inputs* inputs, unsigned* by,
                             bool* parameter, cardan_report* report);
// Numbers that a routine gives before anything is left out, but for what it returns.
int cd_derive_weights(const cardan_model* m, const cd_routine* base);
// Trace of the base, differentiated, into a graph of its own. Release with cd_derived_release.
cardan_status cd_derive(const cardan_model* m, const cd_derive_wish* wish, const cd_sources* in, cd_referee* referee,
                        double size, cd_graph** graph, cd_traced* t, cardan_report* report);
void          cd_derived_release(cd_derivation* derived);

// Where an argument begins in the inputs; results of the base by the runtime.
int           cd_derived_input(const cd_sources* in, int argument);
cardan_status cd_derived_ask(const cd_derivation* d, const cd_sources* in, cd_referee* referee, const double* x,
                             double* f, cardan_report* report);
// Values of the derivatives at an input (noutput); `off`: how far they are from differences of the runtime, beside the
// largest (derive_check.c).
cardan_status cd_derived_values(const cardan_model* m, const cd_traced* t, const cd_graph* graph, const cd_sources* in,
                                cd_referee* referee, double size, const double* x, double* value, double* off,
                                cardan_report* report);
