// SPDX-License-Identifier: BSD-3-Clause
// Parts of the printed code that interpreted languages (Octave, Python) share: a table with the syntax of statements
// and lists, and functions that print the lines of a routine, lookup tables and the arguments of tests from it.
#pragma once

#include "generate/print/syntax.h"

typedef struct cd_script {
    cd_syntax   expression;
    const char* private_prefix;                       // before names of functions that users do not call: "", "_"
    const char *statement_begin, *statement_end;      // indentation; end of a line
    const char *number_separator, *number_line_break; // in lists of numbers; every eighth separator breaks the line
    const char *vector_open, *vector_close;           // around lists of numbers that are arguments
    bool        time_is_vector;                       // the time is printed as a list, too
    const char* argument_separator;                   // in calls of tests
    void (*print_element)(cd_text* text, const cd_routine_result* result, int index); // left side of an assignment
    const char* lookup;                                 // function that interpolates a table
    const char *table_begin, *table_lookup, *table_end; // function of a table: before and after its name; its end
    const char* table_separator;                        // between the arguments of lookup
    const char* truth[2];                               // false, true
} cd_script;

// Print a list: [1, 2, 3].
void cd_print_script_numbers(cd_text* text, const cd_script* script, int n, const double* x);
// Print the names of the arguments of a routine.
void cd_print_script_arguments(cd_text* text, const cd_traced_routine* traced, const char* separator);
// Print the lines of routine r: temporaries and results.
void cd_print_script_lines(cd_text* text, const cd_script* script, const cd_code_unit* unit, int r);
// Print the tables, if there are any. Every routine has separate tables, numbered as in its graph.
void cd_print_script_tables(cd_text* text, const cd_script* script, const cd_code_unit* unit);
// Print the arguments of routine r at a test state.
void cd_print_script_test_arguments(cd_text* text, const cd_script* script, const cd_code_unit* unit, int r, int state);
// Number of results that a routine of these languages returns: all but the return code.
int cd_script_result_count(const cd_traced_routine* traced);
