// SPDX-License-Identifier: BSD-3-Clause
// Input bindings: the inputs of a block as linear functions of the unknowns of the NLP.
#pragma once

#include <stdbool.h>

// An input is value + sum of coefficient * x[unknown].
typedef struct cd_term {
    int    unknown;
    double coefficient;
} cd_term;

// Binding of all inputs at one point, used while blocks are added.
typedef struct cd_binding {
    int      ninput;
    double*  value;         // (ninput)
    int *    first, *count; // (ninput) first term and number of terms
    cd_term* term;
    int      nterm, term_capacity;
    bool     failed;
} cd_binding;

bool cd_binding_create(cd_binding* binding, int ninput);
void cd_binding_release(cd_binding* binding);
void cd_bind_value(cd_binding* binding, int input, double value);                      // without terms
void cd_bind_unknown(cd_binding* binding, int input, int unknown, double coefficient); // with one term
void cd_bind_empty(cd_binding* binding, int input);                                    // zero, without terms
void cd_bind_add_term(cd_binding* binding, int input, int unknown,
                      double coefficient); // adds to the input bound last
