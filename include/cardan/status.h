// SPDX-License-Identifier: BSD-3-Clause
// Status codes for programs, and messages for users.
//
// All public functions check their arguments: a NULL pointer that is not documented as allowed, an index out of range,
// a number that is not finite. Functions with a status then return CARDAN_BAD_USAGE, and add a message if they have a
// report. Functions that return an index, a pointer or a structure return CARDAN_NONE, NULL, NAN or zeros. The destroy
// functions accept NULL.
#pragma once

#include <cardan/codes.h>
#include <stdarg.h>
#include <stdbool.h>

#pragma GCC visibility push(default)
#ifdef __cplusplus
extern "C" {
#endif

/// X(name, text): all status codes. The enumeration and cardan_status_text are expanded from this list.
#define CARDAN_STATUS_LIST(X)                                                                                          \
    X(OK, "done")                                                                                                      \
    X(BAD_INPUT, "the input is wrong")                                                                                 \
    X(BAD_USAGE, "the call is wrong")                                                                                  \
    X(FILE_ERROR, "a file cannot be read or written")                                                                  \
    X(NO_MEMORY, "out of memory")                                                                                      \
    X(UNSUPPORTED, "not supported by this formulation")                                                                \
    X(SINGULAR, "singular: a degree of freedom has no inertia, or the configuration is singular")                      \
    X(INCONSISTENT, "inconsistent constraints")                                                                        \
    X(NOT_FINITE, "a value is not finite")                                                                             \
    X(NOT_CONVERGED, "an iteration did not converge")                                                                  \
    X(STEP_TOO_SMALL, "step size underflow: the tolerance cannot be met")                                              \
    X(STOPPED, "stopped on request")

typedef enum cardan_status {
#define CARDAN_STATUS_ENUM(name, text) CARDAN_##name,
    CARDAN_STATUS_LIST(CARDAN_STATUS_ENUM)
#undef CARDAN_STATUS_ENUM
} cardan_status;

/// Text and name of a status; "unknown status" and "UNKNOWN" if the number is not a status.
const char* cardan_status_text(cardan_status status);
const char* cardan_status_name(cardan_status status); // "OK", "SINGULAR", ...

typedef enum cardan_severity { CARDAN_NOTE, CARDAN_WARNING, CARDAN_ERROR } cardan_severity;

/// Source location; line and column count from 1, 0: none.
typedef struct cardan_location {
    const char* file; // owned by the reader of the file; may be NULL
    int         line;
    int         column;
} cardan_location;

enum { CARDAN_REPORT_MESSAGES = 40, CARDAN_REPORT_ERRORS = 20, CARDAN_MESSAGE_LENGTH = 480, CARDAN_FILE_LENGTH = 256 };

/// One message. Programs decide by severity, code and location; `text` is for users.
typedef struct cardan_message {
    cardan_severity severity;
    cardan_code     code;
    struct {
        char file[CARDAN_FILE_LENGTH]; // "": none; of a longer path its end
        int  line, column;             // from 1; 0: none
    } location;
    int  sentence;                    // offset of the sentence in `text`
    char text[CARDAN_MESSAGE_LENGTH]; // "file:line:column: error: sentence"
} cardan_message;

/// Messages of a computation: the first 20 errors, and warnings and notes until the array is full. Never allocates.
typedef struct cardan_report {
    int            count;     // stored messages
    int            errors;    // all errors, stored or not
    int            dropped;   // messages that were not stored because the array was full
    bool           no_memory; // one of the failures was CARDAN_NO_MEMORY
    cardan_message message[CARDAN_REPORT_MESSAGES];
} cardan_report;

void cardan_report_clear(cardan_report* report);

/// Add a message; `report` may be NULL. cardan_fail returns `status`, so that callers can write `return
/// cardan_fail(...)`.
cardan_status cardan_fail(cardan_report* report, cardan_status status, cardan_code code, cardan_location location,
                          const char* format, ...) __attribute__((format(printf, 5, 6)));
void          cardan_warn(cardan_report* report, cardan_code code, cardan_location location, const char* format, ...)
    __attribute__((format(printf, 4, 5)));
void cardan_note(cardan_report* report, cardan_code code, cardan_location location, const char* format, ...)
    __attribute__((format(printf, 4, 5)));

/// Sentence of a message, without location and severity; a pointer into the message.
const char* cardan_message_sentence(const cardan_message* message);
/// Location of a message; its file is a pointer into the message, or NULL if there is none.
cardan_location cardan_message_location(const cardan_message* message);

/// Location of a message that belongs to no file.
static inline cardan_location cardan_location_none(void)
{
    const cardan_location none = {0, 0, 0};
    return none;
}

#ifdef __cplusplus
}
#endif
#pragma GCC visibility pop
