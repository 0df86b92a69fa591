// SPDX-License-Identifier: BSD-3-Clause
// C compiler of the system.
#pragma once

#include "generate/compiled/build_folder.h"

enum { CD_COMPILER_PATH_SIZE = 1024 };

typedef struct cd_c_compiler {
    char        path[CD_COMPILER_PATH_SIZE];            // path of the program
    char        extra_arguments[CD_COMPILER_PATH_SIZE]; // further arguments from the variable CC
    char        version_stamp[64];                      // size and time of the program file
    const char* flags;                                  // separated by blanks
} cd_c_compiler;

// Find the compiler: CC, else cc, gcc, clang on PATH. A note reports if CC is set and not found. Fails with
// CARDAN_UNSUPPORTED and a message if there is no compiler.
cardan_status cd_c_compiler_find(cd_c_compiler* compiler, cardan_report* report);
// Compile source to a shared library; both are files of the build folder. The compiler runs in this folder, so no path
// to it is resolved. Its output goes to the file `log`; on failure the report contains its first error line.
cardan_status cd_c_compiler_run(const cd_c_compiler* compiler, const cd_build_folder* folder, const char* source,
                                const char* library, const char* log, cardan_report* report);
