// SPDX-License-Identifier: BSD-3-Clause
// Codes of messages. Programs decide by code, severity and location of a message, not by its sentence: sentences may
// change, names are stable.
#pragma once

/// X(name, meaning), by topic. The enumeration and the functions below are expanded from this list.
#define CARDAN_CODE_LIST(X)                                                                                            \
    /* general */                                                                                                      \
    X(OUT_OF_MEMORY, "memory could not be allocated")                                                                  \
    X(INVALID_ARGUMENT, "an argument of a function of the library is NULL, out of range or not finite")                \
    X(INVALID_OPTION, "a setting is out of range or does not fit another setting")                                     \
    X(UNKNOWN_NAME, "a name does not exist; the message suggests the most similar one")                                \
    X(NOT_FINITE, "a number is infinite or not a number")                                                              \
    X(STOPPED, "the user stopped the computation")                                                                     \
    X(NOT_IN_BUILD, "an optional part is not in this build; the message names its Debian package")                     \
    X(STATUS_ONLY, "a failure without further information than the status")                                            \
    /* files */                                                                                                        \
    X(FILE_EXISTS, "the file exists and is not overwritten")                                                           \
    X(FILE_NOT_FOUND, "the file or the model in a folder does not exist")                                              \
    X(CHECKPOINT_INVALID, "the file is not a checkpoint of this mechanism and these settings")                         \
    X(FILE_NOT_READABLE, "the file cannot be read")                                                                    \
    X(FILE_NOT_WRITABLE, "the file cannot be written")                                                                 \
    X(FILE_LOCKED, "another process writes the file")                                                                  \
    X(FILE_FORMAT, "the format of the file is unknown, or the file is empty")                                          \
    X(SYNTAX_ERROR, "the text is not valid YAML, JSON or XML")                                                         \
    X(TABLE_INVALID, "a table of results or of a recorded motion is not valid")                                        \
    X(TABLE_TRUNCATED, "the last line of a table is incomplete")                                                       \
    X(MODEL_NOT_WRITABLE, "a description cannot be written as a model file")                                           \
    /* description of the mechanism */                                                                                 \
    X(MODEL_INVALID, "a key or value of a model file is not valid")                                                    \
    X(MODEL_DOUBTFUL, "a key or value of a model file is valid, but probably not what was meant")                      \
    X(MODEL_NOTE, "information about how a model file was read")                                                       \
    X(INVALID_VALUE, "a quantity is out of its range or contradicts another one")                                      \
    X(INVALID_NAME, "a name contains characters that are not printable")                                               \
    X(NAME_CHANGED, "a name was replaced by another one")                                                              \
    X(EXPRESSION_INVALID, "an expression cannot be parsed or compiled")                                                \
    X(PARAMETER_UNUSED, "a parameter has no effect")                                                                   \
    X(PARAMETER_NOT_NUMERIC, "a parameter is not a number")                                                            \
    X(PARAMETER_CHANGES_STRUCTURE, "a parameter changes the topology or the coordinates of the mechanism")             \
    X(CONSTRAINT_INVALID, "a constraint cannot be formed from these joints or markers")                                \
    X(DRIVER_DEPENDS_ON_STATE, "a driver function depends on more than time, parameters and tables")                   \
    X(CONTACT_NOT_COMPUTED, "the model has collision shapes, which have no effect")                                    \
    X(STATE_INVALID, "a state file is not valid")                                                                      \
    /* assembly and initial state */                                                                                   \
    X(ASSEMBLY_FAILED, "loops cannot be closed")                                                                       \
    X(START_INCONSISTENT, "initial values violate constraints")                                                        \
    X(SINGULAR_START, "the initial configuration is singular")                                                         \
    X(BRANCH_CHOSEN, "solutions branch at the initial configuration; one was chosen")                                  \
    X(LIMIT_EXCEEDED, "a joint coordinate is beyond its limit")                                                        \
    X(VIOLATION_ACCEPTED, "a small constraint violation was accepted as rounding of the description")                  \
    /* constraints and their rank */                                                                                   \
    X(SINGULAR_CONFIGURATION, "the constraint Jacobian is rank-deficient at this configuration only")                  \
    X(NEAR_SINGULAR_CONFIGURATION, "the constraint Jacobian is nearly rank-deficient at this configuration")           \
    X(INCONSISTENT_CONSTRAINTS, "constraints cannot be satisfied together")                                            \
    X(UNDECIDABLE_RANK,                                                                                                \
      "constraints are redundant only up to a small difference, so that their rank cannot be decided")                 \
    X(LOCKED_MECHANISM, "redundant constraints with inconsistent ratios lock joints")                                  \
    X(CONSTRAINT_DRIFT, "the constraint violation is too large for the solution to be meaningful")                     \
    X(CONSTRAINT_UNDEFINED, "a constraint is not defined at this configuration")                                       \
    X(PROJECTION_FAILED, "the projection onto the constraints did not converge")                                       \
    X(FREE_BODY_MOTION, "a body has a degree of freedom independent of all others")                                    \
    X(ZERO_INERTIA, "a degree of freedom has no inertia")                                                              \
    X(MASS_RATIO, "masses differ too much for this formulation")                                                       \
    X(SOLVE_NOT_CONVERGED, "the linear solution for accelerations failed or is inaccurate")                            \
    X(COORDINATES_UNDETERMINED, "joint coordinates do not determine the motion at this configuration")                 \
    X(GEAR_JAMMED, "the losses of a transmission exceed the power that drives it")                                     \
    X(REACTION_NOT_UNIQUE, "a force reads a reaction that the equations do not determine")                             \
    X(REACTION_NOT_SOLVED, "no load, or more than one, satisfies forces that read reactions")                          \
    X(CONTACT_NOT_SOLVED, "no forces satisfy the contacts: two contradict each other, or friction jams")               \
    /* drivers and curves */                                                                                           \
    X(DRIVER_INCONSISTENT, "a driver contradicts constraints or other drivers")                                        \
    X(DRIVER_LIMIT, "a driver prescribes a motion outside the workspace")                                              \
    X(DRIVER_UNDEFINED, "a driver function or its derivatives are not finite")                                         \
    X(DRIVER_DISCONTINUITY, "a driver function jumps")                                                                 \
    X(DRIVER_VELOCITY_DISCONTINUITY, "the rate of a driver function jumps")                                            \
    X(CURVE_BRANCH, "a point is at a self-intersection of its curve")                                                  \
    X(CURVE_END, "a point is beyond the end of its curve")                                                             \
    X(CURVE_CORNER, "a driver moves a point around a corner of its curve")                                             \
    X(MOTION_BLOCKED, "a point is blocked in a corner of its curve")                                                   \
    /* formulations */                                                                                                 \
    X(LOOPS_NOT_SUPPORTED, "the formulation is limited to trees without constraints")                                  \
    X(TREE_MISMATCH, "the model was compiled with another spanning tree than the formulation needs")                   \
    X(MODEL_TOO_LARGE, "the model is too large for this method")                                                       \
    X(NOT_SUPPORTED, "the method does not support an element of the model")                                            \
    X(THREADS_UNUSED, "the formulation uses one thread")                                                               \
    X(NO_THREADS, "the system provides no more threads")                                                               \
    /* simulation */                                                                                                   \
    X(DIVERGED, "the motion grows without bound or is not finite")                                                     \
    X(STEP_TOO_SMALL, "the step size became too small")                                                                \
    X(RUN_FAILED, "the run ended with a failure")                                                                      \
    X(CHATTERING, "a switching function changes its sign in every step")                                               \
    X(STIFF, "the motion is stiff")                                                                                    \
    X(COMPLIANT_CONTACT, "information about compliant contacts of a run")                                              \
    X(DENSE_JACOBIAN, "the integrator factors a large dense Jacobian")                                                 \
    X(ENERGY_ERROR, "the energy error exceeds the tolerance")                                                          \
    X(VIOLATION_LIMIT, "the constraint violation exceeds its tolerance")                                               \
    X(VIOLATION_GROWTH, "the constraint violation grows in every step")                                                \
    X(BRANCH_SWITCH, "the motion switched to another branch at a singular configuration")                              \
    X(STANDSTILL_AT_SINGULARITY, "the motion is at standstill at a singular configuration")                            \
    X(DISCONTINUITIES_SKIPPED, "there are too many discontinuities to end a step at each")                             \
    X(REGULARIZATION_UNSTABLE, "the regularization is too small for the step size")                                    \
    X(FALLBACK_INTEGRATOR, "another integrator was used near singular configurations")                                 \
    X(SETTING_UNUSED, "the integrator does not use a setting of the file")                                             \
    X(SINGULAR_VALUES_OMITTED, "values undefined at singular configurations are empty")                                \
    X(STATES_CONSTANT, "user states keep their initial values")                                                        \
    X(MOTION_NOT_PRESCRIBED, "drivers do not prescribe the motion completely")                                         \
    X(MOTION_INCOMPLETE, "a recorded motion does not determine all degrees of freedom")                                \
    X(ACTUATION_INSUFFICIENT, "the actuators cannot produce the motion")                                               \
    /* generated code */                                                                                               \
    X(GENERATED_CODE_NOT_USED, "the run does not use generated code")                                                  \
    X(GENERATED_CODE_FAILED, "generated code cannot be written, compiled or loaded")                                   \
    X(GENERATED_CODE_MISMATCH, "generated code differs from the library")                                              \
    X(GENERATED_CODE_ABANDONED, "the run continues without generated code")                                            \
    X(CACHE_UNAVAILABLE, "compiled code cannot be stored")                                                             \
    X(CACHE_UNSAFE, "the cache of compiled code can be written by other users")                                        \
    X(CACHE_DAMAGED, "a file of the cache is damaged")                                                                 \
    X(COMPILER_MISSING, "there is no C compiler")                                                                      \
    X(COMPILER_FAILED, "the C compiler failed")                                                                        \
    X(FORM_UNAVAILABLE, "a form of the equations of motion cannot be generated for this model")                        \
    X(SINGLE_PRECISION_LOSS, "single precision is not sufficient")                                                     \
    X(DERIVATIVES_NOT_COMPARABLE, "derivatives cannot be checked by differences")                                      \
    X(LONG_COMPILATION, "the generated file takes long to compile")                                                    \
    /* statics, modes and suspensions */                                                                               \
    X(NO_EQUILIBRIUM, "no equilibrium was found")                                                                      \
    X(SINGULAR_EQUILIBRIUM, "the equilibrium is a singular configuration")                                             \
    X(NOT_AN_EQUILIBRIUM, "the state is not an equilibrium")                                                           \
    X(TRIM_FAILED, "no parameter values balance the initial state")                                                    \
    X(NOT_LINEARIZABLE, "the equations of motion cannot be linearized at this state")                                  \
    X(EIGENVALUES_FAILED, "the eigenvalues cannot be computed")                                                        \
    X(SUSPENSION_INVALID, "the suspension study cannot be performed")                                                  \
    /* optimal control */                                                                                              \
    X(TASK_INVALID, "a key or value of a task file is not valid")                                                      \
    X(TASK_NOTE, "information about how a task file was read")                                                         \
    X(TASK_UNDEFINED, "a function of the task has no finite value")                                                    \
    X(TASK_OVERDETERMINED, "the task has more conditions than unknowns")                                               \
    X(CONDITION_INCONSISTENT, "a condition contradicts loops, bounds or other conditions")                             \
    X(CONDITION_VIOLATED, "the condition with the largest violation")                                                  \
    X(COST_CONSTANT, "a term of the cost does not depend on the motion")                                               \
    X(COST_UNBOUNDED, "the cost may have no minimum")                                                                  \
    X(BOUND_ACTIVE, "a coordinate is at its bound")                                                                    \
    X(OPTIMUM_NOT_FOUND, "the solver found no optimum")                                                                \
    X(OPTIMUM_INACCURATE, "the optimum has a larger residual than requested")                                          \
    X(COARSE_TRANSCRIPTION, "the intervals are too long for the motion")                                               \
    X(SEARCH_FAILED, "the search from one of several initial guesses failed")                                          \
    X(FUNCTIONS_INTERPRETED, "functions of the task are interpreted, not compiled")                                    \
    X(ANGLE_UNIT, "an angle was probably given in degrees")                                                            \
    /* pictures, plots and studies */                                                                                  \
    X(NOTHING_TO_DRAW, "there is nothing to draw or to plot")                                                          \
    X(NAMES_OMITTED, "names were omitted from a picture")                                                              \
    X(CURVES_OMITTED, "curves were omitted from a plot")                                                               \
    X(VALUES_OMITTED, "values were omitted from a logarithmic axis")                                                   \
    X(DUPLICATE_COLUMN, "two result columns have the same name")                                                       \
    X(STUDY_INVALID, "a key or value of a study file is not valid")                                                    \
    /* command line */                                                                                                 \
    X(USAGE, "the command line is not valid")                                                                          \
    X(FORMULATIONS_DISAGREE, "two formulations give different accelerations")                                          \
    X(UNKNOWN_COMMAND, "the command does not exist")                                                                   \
    X(COMMAND_FAILED, "a command failed")

typedef enum cardan_code {
#define CARDAN_CODE_ENUM(name, meaning) CARDAN_CODE_##name,
    CARDAN_CODE_LIST(CARDAN_CODE_ENUM)
#undef CARDAN_CODE_ENUM
        CARDAN_CODE_COUNT
} cardan_code;

#pragma GCC visibility push(default)
#ifdef __cplusplus
extern "C" {
#endif

/// Name of a code, "FILE_NOT_FOUND" of CARDAN_CODE_FILE_NOT_FOUND; "UNKNOWN" if the number is not a code.
const char* cardan_code_name(cardan_code code);
/// Meaning of a code as a sentence without location; "" if the number is not a code.
const char* cardan_code_meaning(cardan_code code);

#ifdef __cplusplus
}
#endif
#pragma GCC visibility pop
