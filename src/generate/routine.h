// SPDX-License-Identifier: BSD-3-Clause
// Routines that can be generated. To add one: write its trace and its reference, and add its row to routines.def.
#pragma once

#include "generate/trace.h"

#include <cardan/dynamics.h>

// Arguments, in this order; then the results.
enum {
    CD_TAKES_Q          = 1,
    CD_TAKES_V          = 2,
    CD_TAKES_A          = 4,
    CD_TAKES_EFFORT     = 8,
    CD_TAKES_STATE      = 16,
    CD_TAKES_TIME       = 32,
    CD_TAKES_P          = 64,
    CD_TAKES_WEIGHT     = 128,
    CD_TAKES_MULTIPLIER = 256,
    CD_ON_REQUEST       = 512,
    CD_IGNORES_STOPS    = 1024 // stops of joints exert no force
};                             // and not among those that are written without being named
enum {
    CD_ARGUMENTS = 9,
    CD_BY        = 7,
    CD_TIME      = 5,
    CD_RESULTS   = 8
}; // derivatives are by the first seven; the time is the sixth argument, and a number

typedef struct cd_result {
    const char* name;
    const char* what; // for comments
    int         rows, columns;
    int         nkept; // of a sparse matrix: entries that are not always zero,
    const int*  kept;  // their places row by row; NULL: all are there
    bool        tells; // no result but what the routine returns: 0, or which constraint is lost; the last of all
} cd_result;

typedef struct cd_routine cd_routine;
struct cd_inputs;
typedef struct cd_referee    cd_referee;    // the runtime, at a state
typedef struct cd_derivation cd_derivation; // of another routine (derive.h)

// A routine of one mechanism: its results and their nodes.
typedef struct cd_traced {
    const cd_routine* routine;
    int               nresult, noutput;
    cd_result         result[CD_RESULTS];
    cd_node*          output;  // (noutput) of all results in turn
    int               nall;    // outputs before zeros were left out
    int*              kept;    // (noutput) which of them are left; NULL: all
    int*              places;  // (noutput) and where they stand in their results
    int               nweight; // that it takes
    cd_derivation*    derived; // NULL: a routine of the table
} cd_traced;

struct cd_routine {
    const char* form; // as typed after --form
    const char* name; // of the function
    const char* summary;
    unsigned    takes;
    bool        regroups;                                                  // may be traced on regrouped inertias
    cardan_status (*allows)(const cardan_model* m, cardan_report* report); // says what is in the way
    int (*results)(const cardan_model* m, cd_result* result);
    // There may be several ways to compute the same; UNSUPPORTED or SINGULAR where one is not for this model.
    int (*ways)(const cardan_model* m);
    cardan_status (*trace)(cd_graph* graph, const cd_skeleton* s, const cd_sources* in, int way, cd_node* output);
    // The same by the runtime, at a state given as the sources number it. `all` are the results in turn.
    cardan_status (*reference)(cd_referee* referee, const cd_sources* in, const double* input, double* all,
                               cardan_report* report);
};

int               cd_routine_count(void);
const cd_routine* cd_routine_at(int i);
int               cd_result_count(const cd_result* r);
bool              cd_tells(int nresult, const cd_result* result); // whether the last one is what is returned
int               cd_multipliers(const cardan_model* m); // how many a routine takes: one per row of the constraints

// `inputs`: parameters that are arguments, which must live longer; NULL: none.
cardan_status cd_referee_create(const cardan_model* m, const struct cd_inputs* inputs, cd_referee** referee,
                                cardan_report* report);
void          cd_referee_destroy(cd_referee* referee);
// x with its loops closed: in general position away from the start; a part of the way there from now on, 1 at first.
// That from the start as the file has it, loops open, or from now on assembled.
void          cd_referee_near(cd_referee* referee, double part);
void          cd_referee_from_start(cd_referee* referee, bool assembled);
cardan_status cd_referee_close(cd_referee* referee, const cd_sources* in, double* x, cardan_report* report);
cardan_status cd_referee_set(cd_referee* referee, const cd_sources* in, const double* input);
// Are accelerations of the whole mechanism determined beside its constraints, too? Not where constraints repeat each
// other (beside.c).
cardan_status cd_referee_determines(cd_referee* referee, const cd_sources* in, const double* input,
                                    cardan_report* report);
// All results of a routine and what the reference expects, at an input: where constraints repeat each other, what
// differs beside them alone is taken over.
cardan_status cd_settle_beside(cd_referee* referee, const cd_routine* routine, const cd_sources* in,
                               const double* input, double* value, double* expected);
// Velocity of the tree that nothing resisted when a reference last failed, or -1.
int cd_referee_loose(const cd_referee* referee);
// Size of accelerations that joints would have without the constraints of the mechanism, by their inertias: sqrt(sum
// r^2/M / sum M) over the diagonal of M, the largest of n inputs. 0 where there are no constraints.
cardan_status cd_referee_alone(cd_referee* referee, const cd_sources* in, int n, const double* input, double* size);

// Seeds of velocity v as a direction of q: one, or the four of a quaternion. How many.
int cd_velocity_seeds(cd_graph* graph, const cardan_model* m, const cd_sources* in, int v, cd_seed* seed);

cardan_status cd_trace_impl(cd_graph* graph, const cd_skeleton* s, const cd_sources* in, int way, cd_node* output);
cardan_status cd_trace_semi(cd_graph* graph, const cd_skeleton* s, const cd_sources* in, int way, cd_node* output);
cardan_status cd_trace_mass(cd_graph* graph, const cd_skeleton* s, const cd_sources* in, int way, cd_node* output);
cardan_status cd_trace_exp1(cd_graph* graph, const cd_skeleton* s, const cd_sources* in, int way, cd_node* output);
cardan_status cd_trace_exp2(cd_graph* graph, const cd_skeleton* s, const cd_sources* in, int way, cd_node* output);
cardan_status cd_trace_motion(cd_graph* graph, const cd_skeleton* s, const cd_sources* in, int way, cd_node* output);
cardan_status cd_trace_rate(cd_graph* graph, const cd_skeleton* s, const cd_sources* in, int way, cd_node* output);
cardan_status cd_trace_energy(cd_graph* graph, const cd_skeleton* s, const cd_sources* in, int way, cd_node* output);
cardan_status cd_trace_markers(cd_graph* graph, const cd_skeleton* s, const cd_sources* in, int way, cd_node* output);
cardan_status cd_markers_allow(const cardan_model* m, cardan_report* report);
cardan_status cd_rate_allows(const cardan_model* m, cardan_report* report);
cardan_status cd_motion_allows(const cardan_model* m, cardan_report* report);
bool          cd_has_rows(const cardan_model* m); // constraints, or rotors beside the tree: something is eliminated
int           cd_motion_ways(const cardan_model* m);
int           cd_motion_d_ways(const cardan_model* m); // trees have one: the factored mass matrix
cardan_status cd_trace_impl_d(cd_graph* graph, const cd_skeleton* s, const cd_sources* in, int way, cd_node* output);
cardan_status cd_trace_impl_j(cd_graph* graph, const cd_skeleton* s, const cd_sources* in, int way, cd_node* output);
cardan_status cd_trace_exp1_d(cd_graph* graph, const cd_skeleton* s, const cd_sources* in, int way, cd_node* output);
cardan_status cd_trace_rate_d(cd_graph* graph, const cd_skeleton* s, const cd_sources* in, int way, cd_node* output);
cardan_status cd_trace_equations(cd_graph* graph, const cd_skeleton* s, const cd_sources* in, int way, cd_node* output);
cardan_status cd_trace_equations_d(cd_graph* graph, const cd_skeleton* s, const cd_sources* in, int way,
                                   cd_node* output);
cardan_status cd_trace_motion_d(cd_graph* graph, const cd_skeleton* s, const cd_sources* in, int way, cd_node* output);
