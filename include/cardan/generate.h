// SPDX-License-Identifier: BSD-3-Clause
// Code from a model: straight-line routines for one mechanism, with what depends on nothing but the model already
// worked out.
#pragma once

#include <cardan/dynamics.h>
#include <cardan/io.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct cardan_generated cardan_generated;

typedef struct cardan_generate_options {
    const char* forms;    ///< comma between, see cardan_generate_form_name; NULL: all that the model allows
    const char* language; ///< see cardan_generate_language_name; NULL: "c"
    const char* name; ///< prefix of names and of files, _model behind where it is taken; NULL: the name of the model
    bool regroup; ///< hand inertia to parents where joints do not tell the difference; fewer operations, same motion
    bool single_precision; ///< float instead of double
    bool batch;            ///< C: routines for many states at once, too
    const char*
        jacobian; ///< of the forms named, sparse, by these: q, v, a, effort, state, t, p, comma between; NULL: none
    const char* hessian;    ///< of sums of results with weights, by these
    const char* parameters; ///< of the model file, comma between, that are arguments p of all routines; NULL: none
    const char* path;       ///< then: the model file, which is read again with other values,
    const cardan_load_options* load; ///< as it was loaded; NULL: by default
    bool sparse; ///< C: of matrices the entries that are not always zero, with their rows and columns
} cardan_generate_options;

cardan_generate_options cardan_generate_options_default(void);

/// Forms and languages there are; NULL behind the last.
const char* cardan_generate_form_name(int i);
const char* cardan_generate_form_summary(int i);
const char* cardan_generate_language_name(int i);
const char* cardan_generate_language_summary(int i);

/// Trace, order, print; options may be NULL. CARDAN_UNSUPPORTED names what the model has that no routine can do.
cardan_status cardan_generate(const cardan_model* model, const cardan_generate_options* options,
                              cardan_generated** generated, cardan_report* report);
void          cardan_generated_destroy(cardan_generated* generated);

/// The files: how many, their names, their text.
int         cardan_generated_file_count(const cardan_generated* generated);
const char* cardan_generated_file_name(const cardan_generated* generated, int i);
const char* cardan_generated_file_text(const cardan_generated* generated, int i);

/// Operations of a routine, counted on its code: signs and copies are free. Equations are lines that compute something.
typedef struct cardan_routine_cost {
    const char*            form;
    const char*            name;
    cardan_operation_count count;
    long                   total; // without sines and cosines
    int                    equations;
} cardan_routine_cost;

int                 cardan_generated_routine_count(const cardan_generated* generated);
cardan_routine_cost cardan_generated_routine_at(const cardan_generated* generated, int i);

/// Generated code in use: what a run evaluates, traced, compiled by the compiler of the system, and loaded. Kept in a
/// cache on disk by the model, the version, the compiler and the processor (CARDAN_CACHE, else XDG_CACHE_HOME/cardan,
/// else ~/.cache/cardan; 256 MB at most). Folder and files must belong to the user and be writable by no other user, and
/// symbolic links are not followed there; else CARDAN_UNSUPPORTED and a sentence. Test vectors are checked before use.
typedef struct cardan_compiled_code cardan_compiled_code;

typedef struct cardan_compiled_code_info {
    bool        was_cached;               // it was there already
    bool        was_damaged;              // it was, but not as it had been written
    long        operations;               // of an evaluation, sines and cosines apart
    double      trace_time, compile_time; // [s] that it took, now or when it was made
    double      predicted_compile_time;   // [s] what compiling was expected to take
    long        jacobian_operations;      // operations of derivatives, 0: it has none
    const char* compiler;                 // path; "" where there is none
    bool        compiler_is_missing;
    bool        cache_is_refused; // folder or file of the cache cannot be trusted
} cardan_compiled_code_info;

/// What it has: rates; their derivatives too, of mechanisms without loops (cardan_integrator_uses_rhs_jacobian); or what implicit
/// integrators solve, with its derivatives, loops included (cardan_integrator_uses_residual).
typedef enum cardan_compiled_code_kind {
    CARDAN_COMPILED_RHS,
    CARDAN_COMPILED_RHS_JACOBIAN,
    CARDAN_COMPILED_RESIDUAL
} cardan_compiled_code_kind;

/// `most` [s]: what making it may take, by what is predicted; 0: from the cache alone, CARDAN_STOPPED where that is not
/// enough. Where there is no compiler, where it fails or test vectors do, CARDAN_UNSUPPORTED and a sentence. The facts
/// are complete as far as it came; `facts` may be NULL.
cardan_status cardan_compiled_code_open(const cardan_model* model, cardan_compiled_code_kind kind, double max_seconds,
                                        cardan_compiled_code** code, cardan_compiled_code_info* info,
                                        cardan_report* report);
void          cardan_compiled_code_close(cardan_compiled_code* code);

/// Time of an evaluation at a state [s], by the data and by the library, and by how much their accelerations, or
/// equations, differ beside the largest; the same of derivatives, 0 where the library has none. Stops that are reached
/// there are left out of both: a run does without generated code until they are left.
typedef struct cardan_compiled_code_speedup {
    double interpreted_time, compiled_time, max_difference;
    double jacobian_interpreted_time, jacobian_compiled_time, jacobian_max_difference;
} cardan_compiled_code_speedup;

cardan_status cardan_compiled_code_measure(const cardan_compiled_code* code, cardan_data* data, double t,
                                           const double* q, const double* v, const double* state,
                                           cardan_compiled_code_speedup* speedup, cardan_report* report);

/// Runs of `data` use it, which must live longer, where that computes the same; NULL: no longer. The library must be of
/// the same model.
cardan_status cardan_data_set_compiled_code(cardan_data* data, const cardan_compiled_code* code);

#ifdef __cplusplus
}
#endif
