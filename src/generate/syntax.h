// SPDX-License-Identifier: BSD-3-Clause
// How a language writes expressions. A language is one file print_<name>.c with its syntax and its files, and a row of
// languages.def.
#pragma once

#include "core/escape.h"
#include "core/text.h"
#include "generate/program.h"
#include "generate/routine.h"

typedef struct cd_syntax {
    const char* functions;  // before names of mathematical functions: "", "np."
    const char* suffix;     // behind those names: "", "f"
    const char* number_end; // behind numbers: "", "f"
    const char* open;       // around indices
    const char* close;
    const char* argument_close;         // of arguments, where it is another; NULL: as of all
    int         base;                   // of the first index
    const char* argument[CD_ARGUMENTS]; // names of q, v, a, effort, state, t, p, weight
    // calls for what is not a plain function; NULL: the name of the operation
    const char *choose, *absolute, *least, *most, *remainder, *sign, *table;
    const char *both, *either, *negated;
    const char* truth;                               // behind numbers that those take; NULL: nothing
    const char* number;                              // call that makes numbers of truth; NULL: truth is a number
    const char *infinity, *nan;                      // names of what has no digits; NULL: as in C
    const char* lift;                                // call around a number that stands alone; NULL: none
    bool        calls;                               // comparisons and logic are calls, named by cd_comparison_word
    const char* (*function)(cd_operation operation); // names of functions where they are others; NULL: all are as in C
} cd_syntax;

// The value of position `at`: its name, or what computes it.
void cd_print_value(cd_text* text, const cd_program* p, const cd_syntax* syntax, const cd_sources* in, int at);
// What computes it, whether it has a name or not.
void cd_print_expression(cd_text* text, const cd_program* p, const cd_syntax* syntax, const cd_sources* in, int at);
// What computes value k of a pack, two of which stand at `at` and `other`.
void cd_print_pack(cd_text* text, const cd_program* p, const cd_syntax* syntax, const cd_sources* in, int at,
                   int other);
// What computes number k of twins.
void cd_print_twins(cd_text* text, const cd_program* p, const cd_syntax* syntax, const cd_sources* in,
                    const cd_pack_of* pack);
void cd_print_number(cd_text* text, double value, const char* end);

// Forms that the mechanism does not have, and why.
typedef struct cd_missing {
    int          n;
    const char*  form[32];
    char*        why[32];
    cardan_place place[32];
} cd_missing;

// Everything that files are written from.
typedef struct cd_sheet {
    const cardan_model*     model;
    const char*             name;    // prefix of all names
    const char*             hash;    // of the model
    const char*             command; // compiles the files
    cd_sources              in;
    const struct cd_inputs* inputs; // parameters that are arguments; NULL: none
    int                     ntraced;
    cd_traced*              traced;
    cd_program*             program;
    cd_program*             many;     // of batches
    int                     nvector;  // test vectors: inputs and results of each routine
    double*                 input;    // (nvector x in.count)
    double**                expected; // (ntraced) -> (nvector x noutput)
    double     alone; // size of accelerations that joints would have without their constraints; 0: there are none
    cd_missing missing;
    double*    off;     // (ntraced) largest difference of trace and library there
    double*    rounded; // (ntraced) and of the trace in floats, where code is of floats
    bool       single;  // float instead of double
    bool       batch;   // many states at once, too
    int        block;   // states that arrays of it hold side by side
    bool       vectors; // while that is printed: a number is one of each of several states
} cd_sheet;

// Of single numbers in what is printed.
static inline const char* cd_number_type(const cd_sheet* sheet) { return sheet->single ? "float" : "double"; }

typedef struct cd_language {
    const char* name;
    const char* title; // as people write it
    const char* summary;
    bool        gathers; // sines and cosines ahead of the rest, many at once
    int         nfile;
    const char* ending[2];
    // lines of words that name something else there, NULL behind the last; and whether names of routines do, too,
    // because they stand in the file as they are
    const char* const* taken;
    bool               bare;
    void (*print)(const cd_sheet* sheet, int file, cd_text* text);
} cd_language;

// Name of files and prefix, from a name; whether that one is taken, which makes it another.
char* cd_make_name(const cd_language* language, const char* from, bool* taken);

int                cd_language_count(void);
const cd_language* cd_language_at(int i);

// Argument names, which of them a routine takes, and where they begin in the inputs.
extern const char* const cd_argument_name[CD_ARGUMENTS];
int                      cd_argument_first(const cd_sheet* sheet, int argument);
int                      cd_argument_size(const cd_sheet* sheet, const cd_traced* traced, int argument);
// Whether a routine tells, or some routine of the sheet does; and the constraints that may be told, from 1 on: their
// names, NULL behind the last.
bool cd_traced_tells(const cd_traced* traced);
// Routines that may tell on some mechanism return a number on all.
bool  cd_traced_returns(const cd_traced* traced);
bool  cd_sheet_tells(const cd_sheet* sheet);
char* cd_lost_name(const cd_sheet* sheet, int number); // of the caller
// Result and index in it of an output.
const cd_result* cd_output_result(const cd_traced* traced, int output, int* index);

// C: a routine; with sheet->vectors over vectors, and static. Then what goes with them: types and helpers, batch
// routines, their prototypes and tests.
int  cd_room_of(const cd_result* r); // C has no arrays of nothing
int  cd_written(const cd_result* r); // numbers of it that routines write: of a sparse matrix one at least
bool cd_has_operation(const cd_sheet* sheet, cd_operation operation);
void cd_print_c_pack(cd_text* text, const cd_sheet* sheet, const cd_traced* traced, const cd_program* p,
                     const cd_pack_of* pack, const cd_syntax* syntax);
void cd_print_c_run(cd_text* text, const cd_sheet* sheet, const cd_traced* traced, const cd_program* p,
                    const cd_line* line, const cd_syntax* syntax);
void cd_print_c_twins(cd_text* text, const cd_sheet* sheet);
void cd_print_c_pattern(cd_text* text, const cd_sheet* sheet, int r, bool defined);
void cd_print_c_routine(cd_text* text, const cd_sheet* sheet, int r);
void cd_print_c_helpers(cd_text* text, const cd_sheet* sheet); // functions that routines call
void cd_print_rows(cd_text* text, const cd_sheet* sheet, const char* name, int n, int stride, const double* x);
void cd_print_batch(cd_text* text, const cd_sheet* sheet);
// Constants of batches behind an output, and sines with some of them between; whether a result has equal ones side by
// side, which vectors share out.
void        cd_print_constants_from(cd_text* text, const cd_sheet* sheet, const cd_traced* traced, const cd_program* p,
                                    int output);
void        cd_print_vector_waves(cd_text* text, const cd_sheet* sheet, const cd_traced* traced, const cd_program* p);
bool        cd_has_twos(const cd_traced* traced, const cd_program* p, int result);
void        cd_print_vectors(cd_text* text, const cd_sheet* sheet);
void        cd_print_batch_layout(cd_text* text, const cd_sheet* sheet);
void        cd_print_batch_prototype(cd_text* text, const cd_sheet* sheet, int r);
void        cd_print_batch_test(cd_text* text, const cd_sheet* sheet, int r);
const char* cd_comparison_word(cd_operation operation); // less, both, ...

// What results of a routine are measured by, at least: accelerations that constraints leave are differences, of which
// zero may be left.
double cd_least_size(const cd_sheet* sheet, const cd_routine* routine);
// What results of a routine may be off in its test: 1e-12 of the largest (float: 1e-4), or four times what the trace
// was off, which is more only where the mechanism is so ill-conditioned that the library's own formulations differ as
// much. With floats eight times what the trace is off in floats, up to a hundredth of the largest.
double cd_allowed(const cd_sheet* sheet, int r);

// Comment lines of a language: how they begin, and how text from outside stands in them.
typedef struct cd_comment {
    const char* begin;
    void (*escape)(cd_text* text, const char* s);
} cd_comment;

// What is shared by languages: comment lines that say what q and v are.
void cd_print_coordinates(cd_text* text, const cd_sheet* sheet, const cd_comment* comment);
// The beginning of a comment line: which mechanism it is, and what wrote the file.
void cd_print_origin(cd_text* text, const cd_sheet* sheet, const cd_comment* comment);
