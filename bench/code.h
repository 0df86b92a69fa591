// SPDX-License-Identifier: BSD-3-Clause
// Generated code as users compile it: printed, compiled by the system's compiler with the flags shown, loaded.
#pragma once

#include <cardan/generate.h>

#include <string.h>

enum { CODE_ROUTINES = 8 };

// Compiler flags of all routines; the environment variable BENCH_FLAGS overrides them.
const char* code_flags(void);

typedef struct code {
    void*                  handle;         // NULL if compilation failed
    int                    file;           // descriptor of the library, open while it is loaded
    double                 trace, compile; // [s]
    cardan_operation_count tally[CODE_ROUTINES];
    long                   operations[CODE_ROUTINES]; // without sines and cosines
} code;

// batch: also routines for several states at once; sparse: matrices as their structurally nonzero entries.
typedef struct code_kind {
    bool batch, sparse;
} code_kind;

// Generate and load `forms` of a model under the name "g". Operation counts are set even without a compiler, when it
// returns CARDAN_UNSUPPORTED.
cardan_status code_load(const cardan_model* m, const char* forms, code_kind kind, code* c, cardan_report* report);
void          code_close(code* c);
void*         code_function(const code* c, const char* name);

// dlsym returns an object pointer, which C does not convert to a function pointer.
#define CODE_TAKE(c, field, name)                                                                                      \
    do {                                                                                                               \
        void* address_ = code_function(c, name);                                                                       \
        memcpy(&(field), &address_, sizeof address_);                                                                  \
    } while (0)
