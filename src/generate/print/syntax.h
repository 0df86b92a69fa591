// SPDX-License-Identifier: BSD-3-Clause
// How a language writes expressions. A language is one file print_<name>.c with its syntax and its files, and a row of
// languages.def.
#pragma once

#include "core/escape.h"
#include "core/text.h"
#include "generate/program/program.h"
#include "generate/routine/routine.h"

typedef struct cd_syntax {
    const char* function_prefix; // before names of mathematical functions: "", "np."
    const char* function_suffix; // behind those names: "", "f"
    const char* number_suffix;   // behind numbers: "", "f"
    const char* index_open;      // around indices
    const char* index_close;
    const char* argument_index_close;        // of arguments, where it is another; NULL: as of all
    int         first_index;                 // of the first index
    const char* argument[CD_ARGUMENT_COUNT]; // names of q, v, a, effort, state, t, p, weight
    // calls for what is not a plain function; NULL: the name of the operation
    const char *choose, *absolute, *minimum, *maximum, *modulo, *sign, *table;
    const char *logical_and, *logical_or, *logical_not;
    const char* nonzero_test;   // behind numbers that those take; NULL: nothing
    const char* to_number;      // call that makes numbers of truth; NULL: truth is a number
    const char *infinity, *nan; // names of what has no digits; NULL: as in C
    const char* broadcast;      // call around a number that stands alone; NULL: none
    bool        logic_as_calls; // comparisons and logic are calls, named by cd_logic_name
    const char* (*function_name)(
        cd_operation operation); // names of functions where they are others; NULL: all are as in C
} cd_syntax;

// The value of position `at`: its name, or what computes it.
void cd_print_value(cd_text* text, const cd_program* p, const cd_syntax* syntax, const cd_input_layout* in, int at);
// What computes it, whether it has a name or not.
void cd_print_expression(cd_text* text, const cd_program* p, const cd_syntax* syntax, const cd_input_layout* in,
                         int at);
// What computes value k of a pack, two of which stand at `at` and `other`.
void cd_print_group_expression(cd_text* text, const cd_program* p, const cd_syntax* syntax, const cd_input_layout* in,
                               int at, int other_position);
// What computes number k of twins.
void cd_print_pair_expression(cd_text* text, const cd_program* p, const cd_syntax* syntax, const cd_input_layout* in,
                              const cd_vector_group* group);
void cd_print_number(cd_text* text, double value, const char* suffix);

// Forms that the mechanism does not have, and why.
typedef struct cd_unavailable_forms {
    int             n;
    const char*     form[32];
    char*           reason[32];
    cardan_location location[32];
} cd_unavailable_forms;

// Everything that files are written from.
typedef struct cd_code_unit {
    const cardan_model*                  model;
    const char*                          name;    // prefix of all names
    const char*                          hash;    // of the model
    const char*                          command; // compiles the files
    cd_input_layout                      in;
    const struct cd_parameter_arguments* parameters; // parameters that are arguments; NULL: none
    int                                  ntraced;
    cd_traced_routine*                   traced;
    cd_program*                          program;
    cd_program*                          batch_program; // of batches
    int                                  ntest;         // test vectors: inputs and results of each routine
    double*                              test_input;    // (nvector x in.count)
    double**                             expected;      // (ntraced) -> (nvector x noutput)
    double
        unconstrained_acceleration; // size of accelerations that joints would have without their constraints; 0: there are none
    cd_unavailable_forms unavailable;
    double*              max_difference;   // (ntraced) largest difference of trace and library there
    double*              float_difference; // (ntraced) and of the trace in floats, where code is of floats
    bool                 single_precision; // float instead of double
    bool                 batch;            // many states at once, too
    int                  block_size;       // states that arrays of it hold side by side
    bool                 printing_vectors; // while that is printed: a number is one of each of several states
} cd_code_unit;

// Of single numbers in what is printed.
static inline const char* cd_number_type(const cd_code_unit* unit)
{
    return unit->single_precision ? "float" : "double";
}

typedef struct cd_language {
    const char* name;
    const char* title; // as people write it
    const char* summary;
    bool        is_compiled; // sines and cosines ahead of the rest, many at once
    int         nfile;
    const char* file_suffix[2];
    // lines of words that name something else there, NULL behind the last; and whether names of routines do, too,
    // because they stand in the file as they are
    const char* const* reserved_words;
    bool               has_bare_names;
    void (*print)(const cd_code_unit* sheet, int file, cd_text* text);
} cd_language;

// Name of files and prefix, from a name; whether that one is taken, which makes it another.
char* cd_make_identifier(const cd_language* language, const char* wanted, bool* is_reserved);

int                cd_language_count(void);
const cd_language* cd_language_at(int i);

// Argument names, which of them a routine takes, and where they begin in the inputs.
extern const char* const cd_argument_name[CD_ARGUMENT_COUNT];
int                      cd_argument_first(const cd_code_unit* unit, int argument);
int                      cd_argument_size(const cd_code_unit* unit, const cd_traced_routine* traced, int argument);
// Whether a routine tells, or some routine of the sheet does; and the constraints that may be told, from 1 on: their
// names, NULL behind the last.
bool cd_traced_has_return_code(const cd_traced_routine* traced);
// Routines that may tell on some mechanism return a number on all.
bool  cd_traced_returns_int(const cd_traced_routine* traced);
bool  cd_code_unit_has_return_code(const cd_code_unit* unit);
char* cd_invalid_constraint_name(const cd_code_unit* unit, int number); // of the caller
// Result and index in it of an output.
const cd_routine_result* cd_output_result(const cd_traced_routine* traced, int output, int* index);

// C: a routine; with sheet->vectors over vectors, and static. Then what goes with them: types and helpers, batch
// routines, their prototypes and tests.
int cd_result_array_size(const cd_routine_result* r); // C has no arrays of nothing
int cd_result_written_count(
    const cd_routine_result* r); // numbers of it that routines write: of a sparse matrix one at least
bool cd_has_operation(const cd_code_unit* unit, cd_operation operation);
void cd_print_c_group(cd_text* text, const cd_code_unit* unit, const cd_traced_routine* traced, const cd_program* p,
                      const cd_vector_group* group, const cd_syntax* syntax);
void cd_print_c_output_run(cd_text* text, const cd_code_unit* unit, const cd_traced_routine* traced,
                           const cd_program* p, const cd_program_line* line, const cd_syntax* syntax);
void cd_print_c_group_macros(cd_text* text, const cd_code_unit* unit);
void cd_print_c_sparsity(cd_text* text, const cd_code_unit* unit, int r, bool defined);
void cd_print_c_routine(cd_text* text, const cd_code_unit* unit, int r);
void cd_print_c_helpers(cd_text* text, const cd_code_unit* unit); // functions that routines call
void cd_print_c_tables(cd_text* text, const cd_code_unit* unit);  // tables that routines look up
void cd_print_table_line(cd_text* text, const cd_code_unit* unit, int n, const double* x); // "{1, 2, 3}"
const char* cd_c_type(const cd_code_unit* unit); // type of a number: "double", "float" or "vector"
void cd_print_test_table(cd_text* text, const cd_code_unit* unit, const char* name, int n, int stride, const double* x);
void cd_print_batch(cd_text* text, const cd_code_unit* unit);
// Constants of batches behind an output, and sines with some of them between; whether a result has equal ones side by
// side, which vectors share out.
void        cd_print_batch_constants(cd_text* text, const cd_code_unit* unit, const cd_traced_routine* traced,
                                     const cd_program* p, int output);
void        cd_print_vector_sincos(cd_text* text, const cd_code_unit* unit, const cd_traced_routine* traced,
                                   const cd_program* p);
bool        cd_result_has_constant_pairs(const cd_traced_routine* traced, const cd_program* p, int result);
void        cd_print_vector_helpers(cd_text* text, const cd_code_unit* unit);
void        cd_print_batch_layout(cd_text* text, const cd_code_unit* unit);
void        cd_print_batch_prototype(cd_text* text, const cd_code_unit* unit, int r);
void        cd_print_batch_test(cd_text* text, const cd_code_unit* unit, int r);
const char* cd_logic_name(cd_operation operation); // less, both, ...

// What results of a routine are measured by, at least: accelerations that constraints leave are differences, of which
// zero may be left.
double cd_result_min_scale(const cd_code_unit* unit, const cd_routine* routine);
// What results of a routine may be off in its test: 1e-12 of the largest (float: 1e-4), or four times what the trace
// was off, which is more only where the mechanism is so ill-conditioned that the library's own formulations differ as
// much. With floats eight times what the trace is off in floats, up to a hundredth of the largest.
double cd_test_tolerance(const cd_code_unit* unit, int r);

// Comment lines of a language: how they begin, and how text from outside stands in them.
typedef struct cd_comment {
    const char* begin;
    void (*escape)(cd_text* text, const char* s);
} cd_comment;

// What is shared by languages: comment lines that say what q and v are.
void cd_print_coordinates(cd_text* text, const cd_code_unit* unit, const cd_comment* comment);
// The beginning of a comment line: which mechanism it is, and what wrote the file.
void cd_print_origin(cd_text* text, const cd_code_unit* unit, const cd_comment* comment);
