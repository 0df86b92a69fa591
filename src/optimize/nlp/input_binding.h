// SPDX-License-Identifier: BSD-3-Clause
// Bindings: what inputs are at one place of the chain, in unknowns of the program.
#pragma once

#include <stdbool.h>

// An input is value + sum of coefficient * x[unknown].
typedef struct cd_term {
    int    unknown;
    double coefficient;
} cd_term;

// What inputs are at one place of the chain, while blocks are added.
typedef struct cd_binding {
    int      ninput;
    double*  value;         // (ninput)
    int *    first, *count; // (ninput) of their terms
    cd_term* term;
    int      nterm, term_capacity;
    bool     failed;
} cd_binding;

bool cd_binding_create(cd_binding* binding, int ninput);
void cd_binding_release(cd_binding* binding);
void cd_bind_value(cd_binding* binding, int input, double value);                      // forgets its terms
void cd_bind_unknown(cd_binding* binding, int input, int unknown, double coefficient); // the same, then one term
void cd_bind_empty(cd_binding* binding, int input);                                    // zero, then no term yet
void cd_bind_add_term(cd_binding* binding, int input, int unknown,
                      double coefficient); // adds a term to those bound last
