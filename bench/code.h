// SPDX-License-Identifier: BSD-3-Clause
// Generated code as others use it: printed, compiled by the compiler of the system with flags that are stated, loaded.
#pragma once

#include <cardan/generate.h>

#include <string.h>

enum { CODE_ROUTINES = 8 };

// Of the compiler, for all routines alike; BENCH_FLAGS of the environment are others.
const char* code_flags(void);

typedef struct code {
    void*                  handle;         // NULL where nothing could be compiled
    int                    file;           // descriptor of the library, open as long as it is loaded
    double                 trace, compile; // [s]
    cardan_operation_count tally[CODE_ROUTINES];
    long                   operations[CODE_ROUTINES]; // sines and cosines apart
} code;

// Routines for many states at once as well; of matrices only what is not always zero.
typedef struct code_kind {
    bool batch, sparse;
} code_kind;

// `forms` of a model, named "g". Counts are there even where there is no compiler, which is CARDAN_UNSUPPORTED.
cardan_status code_load(const cardan_model* m, const char* forms, code_kind kind, code* c, cardan_report* report);
void          code_close(code* c);
void*         code_function(const code* c, const char* name);

// dlsym gives an address; C does not convert it into a function.
#define CODE_TAKE(c, field, name)                                                                                      \
    do {                                                                                                               \
        void* address_ = code_function(c, name);                                                                       \
        memcpy(&(field), &address_, sizeof address_);                                                                  \
    } while (0)
