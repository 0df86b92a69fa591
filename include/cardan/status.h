// SPDX-License-Identifier: BSD-3-Clause
// What can go wrong, and how it is told: a status for the program, sentences for the reader.
//
// Arguments of all public functions are checked. A pointer that is NULL and is not said to be allowed so, an index that
// does not exist, a number that is not finite: functions with a status return CARDAN_BAD_USAGE, with a sentence where
// they have a report; functions that return an index, a pointer or a structure return CARDAN_NONE, NULL, NAN or zeros.
// Functions that destroy take NULL.
#pragma once

#include <cardan/codes.h>
#include <stdarg.h>
#include <stdbool.h>

#ifdef __cplusplus
extern "C" {
#endif

/// Every status with its sentence; the enumeration and cardan_status_text are expanded from here.
#define CARDAN_STATUS_LIST(X)                                                                                          \
    X(OK, "done")                                                                                                      \
    X(BAD_INPUT, "the input is wrong")                                                                                 \
    X(BAD_USAGE, "the call is wrong")                                                                                  \
    X(NO_FILE, "a file cannot be read or written")                                                                     \
    X(NO_MEMORY, "out of memory")                                                                                      \
    X(UNSUPPORTED, "not supported by this formulation")                                                                \
    X(SINGULAR, "singular mass matrix: a degree of freedom has no inertia")                                            \
    X(INCONSISTENT, "inconsistent constraints")                                                                        \
    X(DIVERGED, "a value is not finite")                                                                               \
    X(NOT_CONVERGED, "an iteration did not converge")                                                                  \
    X(STEP_TOO_SMALL, "step size underflow: the tolerance cannot be met")                                              \
    X(STOPPED, "stopped on request")

typedef enum cardan_status {
#define CARDAN_STATUS_ENUM(name, text) CARDAN_##name,
    CARDAN_STATUS_LIST(CARDAN_STATUS_ENUM)
#undef CARDAN_STATUS_ENUM
} cardan_status;

/// Of a number that is no status: "unknown status" and "UNKNOWN".
const char* cardan_status_text(cardan_status status);
const char* cardan_status_name(cardan_status status); // "OK", "SINGULAR", ...

typedef enum cardan_severity { CARDAN_NOTE, CARDAN_WARNING, CARDAN_ERROR } cardan_severity;

/// A place in a file; line and column count from 1, 0 where there is none.
typedef struct cardan_location {
    const char* file; // owned by whoever read the file; may be NULL
    int         line;
    int         column;
} cardan_location;

enum { CARDAN_REPORT_MESSAGES = 40, CARDAN_REPORT_ERRORS = 20, CARDAN_MESSAGE_LENGTH = 480, CARDAN_FILE_LENGTH = 256 };

/// A program decides by severity, code and location; `text` is for the reader.
typedef struct cardan_message {
    cardan_severity severity;
    cardan_code     code;
    struct {
        char file[CARDAN_FILE_LENGTH]; // "" where there is none; the end of a path that is longer
        int  line, column;             // from 1 on; 0 where there is none
    } location;
    int  sentence;                    // where in `text` the sentence begins
    char text[CARDAN_MESSAGE_LENGTH]; // "file:line:column: error: sentence"
} cardan_message;

/// Collects messages: the first 20 errors, and warnings and notes as far as there is room. Never allocates.
typedef struct cardan_report {
    int            count;     // messages held
    int            errors;    // errors seen, also those not held
    int            dropped;   // messages that found no room
    bool           no_memory; // one of the failures was CARDAN_NO_MEMORY
    cardan_message message[CARDAN_REPORT_MESSAGES];
} cardan_report;

void cardan_report_clear(cardan_report* report);

/// Add a sentence; `report` may be NULL. Returns `status`, so that `return cardan_fail(...)` reads well.
cardan_status cardan_fail(cardan_report* report, cardan_status status, cardan_code code, cardan_location location,
                          const char* format, ...) __attribute__((format(printf, 5, 6)));
void          cardan_warn(cardan_report* report, cardan_code code, cardan_location location, const char* format, ...)
    __attribute__((format(printf, 4, 5)));
void cardan_note(cardan_report* report, cardan_code code, cardan_location location, const char* format, ...)
    __attribute__((format(printf, 4, 5)));

/// The sentence of a message, without location and severity. Points into the message.
const char* cardan_message_sentence(const cardan_message* message);
/// The location of a message. Its file points into the message, and is NULL where there is none.
cardan_location cardan_message_place(const cardan_message* message);

/// For messages that have no place in a file.
static inline cardan_location cardan_location_none(void)
{
    const cardan_location none = {0, 0, 0};
    return none;
}

#ifdef __cplusplus
}
#endif
