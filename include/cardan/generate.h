// SPDX-License-Identifier: BSD-3-Clause
// Code generation: straight-line routines for one mechanism, with all quantities that depend only on the model
// precomputed.
#pragma once

#include <cardan/dynamics.h>
#include <cardan/io.h>

#pragma GCC visibility push(default)
#ifdef __cplusplus
extern "C" {
#endif

typedef struct cardan_generated cardan_generated;

typedef struct cardan_generate_options {
    const char* forms;    ///< separated by commas, see cardan_generate_form_name; NULL: all that the model supports
    const char* language; ///< see cardan_generate_language_name; NULL: "c"
    const char* name;     ///< prefix of names and files, with _model appended if it is reserved; NULL: model name
    bool        regroup;  ///< base inertial parameters: regroup inertia to parents; fewer operations, same motion
    bool        single_precision; ///< float instead of double
    bool        batch;            ///< C: also routines for many states at once
    const char* jacobian;   ///< sparse Jacobians of the forms by q, v, a, effort, state, t, p (with commas); NULL: none
    const char* hessian;    ///< Hessians of weighted sums of results, by the same arguments
    const char* parameters; ///< of the model file, separated by commas: arguments p of all routines; NULL: none
    const char* path;       ///< model file, required with `parameters`: it is loaded again with other values,
    const cardan_load_options* load;   ///< with these options; NULL: the default
    bool                       sparse; ///< C: only the structural nonzeros of matrices, with their rows and columns
} cardan_generate_options;

cardan_generate_options cardan_generate_options_default(void);

/// Available forms and languages; NULL if i is out of range.
const char* cardan_generate_form_name(int i);
const char* cardan_generate_form_summary(int i);
const char* cardan_generate_language_name(int i);
const char* cardan_generate_language_summary(int i);

/// Generate code; `options` may be NULL. Returns CARDAN_UNSUPPORTED, with the reason, if no routine supports the model.
cardan_status cardan_generated_create(const cardan_model* model, const cardan_generate_options* options,
                                      cardan_generated** generated, cardan_report* report);
void          cardan_generated_destroy(cardan_generated* generated);

/// Generated files: count, names, texts.
int         cardan_generated_file_count(const cardan_generated* generated);
const char* cardan_generated_file_name(const cardan_generated* generated, int i);
const char* cardan_generated_file_text(const cardan_generated* generated, int i);

/// Operation count of a routine, counted in its code without signs and copies. `equations`: lines that compute a value.
typedef struct cardan_routine_cost {
    const char*            form;
    const char*            name;
    cardan_operation_count count;
    long                   total; // without sines and cosines
    int                    equations;
} cardan_routine_cost;

int                 cardan_generated_routine_count(const cardan_generated* generated);
cardan_routine_cost cardan_generated_routine_at(const cardan_generated* generated, int i);

/// Compiled code: the functions that a run evaluates, generated, compiled by the system compiler and loaded. A cache on
/// disk keeps them by model, version, compiler and processor (CARDAN_CACHE, else XDG_CACHE_HOME/cardan, else
/// ~/.cache/cardan; at most 256 MB). Folder and files must belong to the user and be writable by no other user, and
/// symbolic links are not followed; else CARDAN_UNSUPPORTED with a message. Test vectors are checked before use.
typedef struct cardan_compiled_code cardan_compiled_code;

typedef struct cardan_compiled_code_info {
    bool        was_cached;               // found in the cache
    bool        was_damaged;              // found in the cache, but changed since it was written
    long        operations;               // per evaluation, without sines and cosines
    double      trace_time, compile_time; // [s] now, or when it was generated
    double      predicted_compile_time;   // [s] estimate
    long        jacobian_operations;      // of the Jacobian; 0: none
    const char* compiler;                 // path; "": none
    bool        compiler_is_missing;
    bool        cache_is_refused; // folder or file of the cache is not trusted
} cardan_compiled_code_info;

/// Functions of compiled code: the right-hand side (rates); also its Jacobian, of mechanisms without loops
/// (cardan_integrator_uses_rhs_jacobian); or the residual of the implicit equations with its Jacobian, also with loops
/// (cardan_integrator_uses_residual).
typedef enum cardan_compiled_code_kind {
    CARDAN_COMPILED_RHS,
    CARDAN_COMPILED_RHS_JACOBIAN,
    CARDAN_COMPILED_RESIDUAL
} cardan_compiled_code_kind;

/// Open the compiled code of a model: load it from the cache, or generate and compile it if the predicted time is at
/// most `max_seconds` [s]. 0: from the cache only. Returns CARDAN_STOPPED if the limit is too small, CARDAN_UNSUPPORTED
/// with a message if there is no compiler, or it fails, or test vectors fail. `info` (may be NULL) is filled as far as
/// known.
cardan_status cardan_compiled_code_open(const cardan_model* model, cardan_compiled_code_kind kind, double max_seconds,
                                        cardan_compiled_code** code, cardan_compiled_code_info* info,
                                        cardan_report* report);
void          cardan_compiled_code_close(cardan_compiled_code* code);

/// Time of one evaluation at a state [s], by the data and by the compiled code, and the largest difference of
/// accelerations, or of residuals, relative to the largest; the same for Jacobians, 0 if there are none. Active joint
/// stops are excluded from both: a run does not use compiled code while a stop is active.
typedef struct cardan_compiled_code_speedup {
    double interpreted_time, compiled_time, max_difference;
    double jacobian_interpreted_time, jacobian_compiled_time, jacobian_max_difference;
} cardan_compiled_code_speedup;

cardan_status cardan_compiled_code_measure(const cardan_compiled_code* code, cardan_data* data, double t,
                                           const double* q, const double* v, const double* state,
                                           cardan_compiled_code_speedup* speedup, cardan_report* report);

/// Use compiled code, which must outlive the data, in runs of `data` wherever it computes the same; NULL: no longer. It
/// must belong to the same model.
cardan_status cardan_data_set_compiled_code(cardan_data* data, const cardan_compiled_code* code);

#ifdef __cplusplus
}
#endif
#pragma GCC visibility pop
