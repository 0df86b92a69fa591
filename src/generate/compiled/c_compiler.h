// SPDX-License-Identifier: BSD-3-Clause
// The C compiler of the system.
#pragma once

#include "generate/compiled/build_folder.h"

enum { CD_COMPILER_PATH_SIZE = 1024 };

typedef struct cd_c_compiler {
    char        path[CD_COMPILER_PATH_SIZE];            // of the program
    char        extra_arguments[CD_COMPILER_PATH_SIZE]; // further words of the variable CC
    char        version_stamp[64];                      // changes when the program does
    const char* flags;                                  // words, blank between
} cd_c_compiler;

// CC, else cc, gcc, clang on PATH; a note where CC is set to what is not found. CARDAN_UNSUPPORTED and a sentence where
// there is none.
cardan_status cd_c_compiler_find(cd_c_compiler* compiler, cardan_report* report);
// source -> shared library, both files of the folder for work, in which the compiler is started: it looks up no path
// that leads there. What it prints goes to the file `log`, its first line into the report.
cardan_status cd_c_compiler_run(const cd_c_compiler* compiler, const cd_build_folder* folder, const char* source,
                                const char* library, const char* log, cardan_report* report);
