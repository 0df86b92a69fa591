// SPDX-License-Identifier: BSD-3-Clause
// Syntax of expressions in a target language, and the data that code is printed from. A language is one file
// print_<name>.c with its syntax and its output files, and a table entry of languages.def.
#pragma once

#include "core/escape.h"
#include "core/text.h"
#include "generate/program/program.h"
#include "generate/routine/routine.h"

typedef struct cd_syntax {
    const char* function_prefix; // before names of mathematical functions: "", "np."
    const char* function_suffix; // after those names: "", "f"
    const char* number_suffix;   // after numbers: "", "f"
    const char* index_open;      // around indices
    const char* index_close;
    const char* argument_index_close; // for arguments, if different; NULL: index_close
    int         first_index;          // index of the first element: 0 or 1
    // functions for operations without an operator; NULL: the name of the operation
    const char *choose, *absolute, *minimum, *maximum, *modulo, *sign, *table;
    const char *logical_and, *logical_or, *logical_not;
    const char* nonzero_test;   // appended to the operands of these; NULL: nothing
    const char* to_number;      // function that converts a truth value to a number; NULL: not needed
    const char *infinity, *nan; // names of these values; NULL: as in C
    const char* broadcast;      // function around a scalar constant in vector code; NULL: none
    bool        logic_as_calls; // comparisons and logic are function calls, named by cd_logic_name
    const char* (*function_name)(cd_operation operation); // names of functions; NULL: as in C
} cd_syntax;

// Print the value at position `at`: its temporary, or the expression that computes it.
void cd_print_value(cd_text* text, const cd_program* p, const cd_syntax* syntax, const cd_input_layout* in, int at);
// Print the expression that computes it, even if it has a temporary.
void cd_print_expression(cd_text* text, const cd_program* p, const cd_syntax* syntax, const cd_input_layout* in,
                         int at);
// Print the expression of lane k of a vector group; `at` and `other_position` are two of its lanes.
void cd_print_group_expression(cd_text* text, const cd_program* p, const cd_syntax* syntax, const cd_input_layout* in,
                               int at, int other_position);
// Print the expression of lane k of a pair.
void cd_print_pair_expression(cd_text* text, const cd_program* p, const cd_syntax* syntax, const cd_input_layout* in,
                              const cd_vector_group* group);
void cd_print_number(cd_text* text, double value, const char* suffix);

// Forms that the mechanism does not have, with the reasons.
typedef struct cd_unavailable_forms {
    int             n;
    const char*     form[32];
    char*           reason[32];
    cardan_location location[32];
} cd_unavailable_forms;

// Everything that the files of one generation are printed from.
typedef struct cd_code_unit {
    const cardan_model*                  model;
    const char*                          name;    // prefix of all names
    const char*                          hash;    // of the model
    const char*                          command; // command line that compiles the files
    cd_input_layout                      in;
    const struct cd_parameter_arguments* parameters; // parameters that are arguments; NULL: none
    int                                  ntraced;
    cd_traced_routine*                   traced;
    cd_program*                          program;
    cd_program*                          batch_program; // programs of the batch routines
    int                                  ntest;         // number of test states
    double*                              test_input;    // (ntest x in.count)
    double**                             expected;      // (ntraced) -> (ntest x noutput)
    double unconstrained_acceleration; // size of the accelerations of the joints without constraints; 0: no constraints
    cd_unavailable_forms unavailable;
    double*              max_difference;   // (ntraced) largest difference between trace and library at the test states
    double*              float_difference; // (ntraced) the same for the trace in single precision, if single_precision
    bool                 single_precision; // float instead of double
    bool                 batch;            // also print batch routines, which evaluate many states in one call
    int                  block_size;       // states stored side by side in the arrays of a batch
    bool                 printing_vectors; // set while batch code is printed: a number is a vector over several states
} cd_code_unit;

// Type of a scalar in the printed code.
static inline const char* cd_number_type(const cd_code_unit* unit)
{
    return unit->single_precision ? "float" : "double";
}

// Type of a number in the printed C code: "double", "float" or "vector".
static inline const char* cd_c_type(const cd_code_unit* unit)
{
    return unit->printing_vectors ? "vector" : cd_number_type(unit);
}

typedef struct cd_language {
    const char* name;
    const char* title; // name of the language in messages
    const char* summary;
    bool        is_compiled; // code has parts, vector groups, sparse derivatives, and early sines and cosines
    int         nfile;
    const char* file_suffix[2];
    // Lines of reserved words, NULL after the last; and whether names of routines are reserved too, because they are
    // printed without prefix.
    const char* const* reserved_words;
    bool               has_bare_names;
    void (*print)(const cd_code_unit* unit, int file, cd_text* text);
} cd_language;

// Make the name of files and prefix from a name. If that name is a reserved word, append _model and set is_reserved.
// The caller frees the result.
char* cd_make_identifier(const cd_language* language, const char* requested, bool* is_reserved);

int                cd_language_count(void);
const cd_language* cd_language_at(int i);

// Names of the arguments; first input and size of an argument of a routine.
extern const char* const cd_argument_name[CD_ARGUMENT_COUNT];
int                      cd_argument_first(const cd_code_unit* unit, int argument);
int                      cd_argument_size(const cd_code_unit* unit, const cd_traced_routine* traced, int argument);
// Test whether a routine, or any routine of the unit, has a return code; name of the constraint that return code
// `number` (from 1 on) means, NULL after the last.
bool cd_traced_has_return_code(const cd_traced_routine* traced);
// True for all routines that have a return code on some mechanism: they return int on every mechanism.
bool  cd_traced_returns_int(const cd_traced_routine* traced);
bool  cd_code_unit_has_return_code(const cd_code_unit* unit);
char* cd_return_code_name(const cd_code_unit* unit, int number); // the caller frees it
// Result that an output belongs to, and its index in that result.
const cd_routine_result* cd_output_result(const cd_traced_routine* traced, int output, int* index);

// Sizes of results: at least 1, because C has no empty arrays; numbers that routines write, at least 1 for a sparse
// matrix. Test whether a routine of the unit contains an operation.
int  cd_result_array_size(const cd_routine_result* r);
int  cd_result_written_count(const cd_routine_result* r);
bool cd_has_operation(const cd_code_unit* unit, cd_operation operation);

// C: print a routine, as a static function over vectors if unit->printing_vectors; its prototype; the functions that
// routines call; tables that routines interpolate; the self-test; then batch routines, their prototypes and tests.
void cd_print_c_group(cd_text* text, const cd_code_unit* unit, const cd_traced_routine* traced, const cd_program* p,
                      const cd_vector_group* group, const cd_syntax* syntax);
void cd_print_c_output_run(cd_text* text, const cd_code_unit* unit, const cd_traced_routine* traced,
                           const cd_program* p, const cd_program_line* line, const cd_syntax* syntax);
void cd_print_c_group_macros(cd_text* text, const cd_code_unit* unit);
void cd_print_c_sparsity(cd_text* text, const cd_code_unit* unit, int r, bool defined);
void cd_print_c_routine(cd_text* text, const cd_code_unit* unit, int r);
void cd_print_c_prototype(cd_text* text, const cd_code_unit* unit, int r);
void cd_print_c_helpers(cd_text* text, const cd_code_unit* unit);
void cd_print_c_tables(cd_text* text, const cd_code_unit* unit);
void cd_print_c_selftest(cd_text* text, const cd_code_unit* unit);
void cd_print_table_line(cd_text* text, const cd_code_unit* unit, int n, const double* x); // "{1, 2, 3}"
void cd_print_test_table(cd_text* text, const cd_code_unit* unit, const char* name, int n, int stride, const double* x);
void cd_print_batch(cd_text* text, const cd_code_unit* unit);
// Print the constants of a batch that follow an output, and the sines and cosines with some of these constants between
// them. Test whether a result has equal constants at adjacent places, which one vector store writes.
void        cd_print_batch_constants(cd_text* text, const cd_code_unit* unit, const cd_traced_routine* traced,
                                     const cd_program* p, int output);
void        cd_print_vector_sincos(cd_text* text, const cd_code_unit* unit, const cd_traced_routine* traced,
                                   const cd_program* p);
bool        cd_result_has_constant_pairs(const cd_traced_routine* traced, const cd_program* p, int result);
void        cd_print_vector_helpers(cd_text* text, const cd_code_unit* unit);
void        cd_print_batch_layout(cd_text* text, const cd_code_unit* unit);
void        cd_print_batch_prototype(cd_text* text, const cd_code_unit* unit, int r);
void        cd_print_batch_test(cd_text* text, const cd_code_unit* unit, int r);
const char* cd_logic_name(cd_operation operation); // "less", "and", ...

// Smallest scale for differences between results of a routine. Accelerations of constrained mechanisms are differences
// of larger numbers and may be zero themselves.
double cd_result_min_scale(const cd_code_unit* unit, const cd_routine* routine);
// Tolerance for the results of routine r in its test, relative to the largest result: 1e-12 (float: 1e-4), or four
// times the difference of the trace, which is larger only for mechanisms so ill-conditioned that the formulations of
// the library differ by as much. Single precision: eight times the difference of the trace in single precision, at most
// 1e-2.
double cd_test_tolerance(const cd_code_unit* unit, int r);

// Comment lines of a language: how they begin, and how foreign text is escaped in them.
typedef struct cd_comment {
    const char* begin;
    void (*escape)(cd_text* text, const char* s);
} cd_comment;

// Print comment lines that describe q and v; for all languages.
void cd_print_coordinates(cd_text* text, const cd_code_unit* unit, const cd_comment* comment);
// Print the beginning of a comment line: the mechanism, and the program that wrote the file.
void cd_print_origin(cd_text* text, const cd_code_unit* unit, const cd_comment* comment);
