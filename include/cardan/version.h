// SPDX-License-Identifier: BSD-3-Clause
// Version and optional parts of the library.
#pragma once

#include <stdbool.h>

#define CARDAN_VERSION_MAJOR 0
#define CARDAN_VERSION_MINOR 1
#define CARDAN_VERSION_PATCH 0
#define CARDAN_VERSION "0.1.0"

#pragma GCC visibility push(default)
#ifdef __cplusplus
extern "C" {
#endif

/// Version of the linked library, "0.1.0".
const char* cardan_version(void);

/// An optional part: what a foreign library provides. What needs a part that is not in this build fails with
/// CARDAN_UNSUPPORTED and the code NOT_IN_BUILD.
typedef struct cardan_part {
    const char* name;    // of the foreign library
    const char* package; // of Debian, which contains it
    const char* summary; // what it provides
    bool        built;   // it is in this build
} cardan_part;

int cardan_part_count(void);
/// Part i; zeros if i is out of range.
cardan_part cardan_part_at(int i);
/// Index by name, or -1.
int cardan_part_find(const char* name);

#ifdef __cplusplus
}
#endif
#pragma GCC visibility pop
