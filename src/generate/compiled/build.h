// SPDX-License-Identifier: BSD-3-Clause
// Compile generated source files and load the library, or load it from the code cache.
#pragma once

#include "core/text.h"
#include "generate/compiled/code_cache.h"
#include "generate/compiled/c_compiler.h"

// Check a loaded library: find its functions and test them. Called by cd_build_find and cd_build_compile.
typedef cardan_status (*cd_build_check)(void* user, void* handle, cardan_report* report);

typedef struct cd_build {
    const cd_c_compiler* compiler;
    const cd_code_cache* cache;
    const char*          library_name; // file name of the library in the cache
    int                  nfile;
    const char* const*   file_name; // names of the source files; the first is compiled
    const char* const*   file_text;
    void*                user;
    cd_build_check       check;
    cd_build_info        info;
    cd_loaded_library    loaded; // result
} cd_build;

// Append version, compiler, flags and processor to a key. `edition` changes when the generated code changes.
void cd_build_append_key(cd_text* text, const cd_c_compiler* compiler, int edition);
// Load the library from the cache if it is valid and passes the check. Others are removed, except untrusted ones, which
// are reported (CD_CACHE_REFUSED).
cd_cache_result cd_build_find(cd_build* build, cardan_report* report);
// Compile, load and check the files and store the library in the cache. A note reports if it cannot be stored.
cardan_status cd_build_compile(cd_build* build, cardan_report* report);
// Find a function of the library and store its address in the function pointer at `function`: ISO C does not convert
// object pointers to function pointers. Returns false if there is none.
bool cd_build_symbol(void* handle, const char* name, void* function, size_t size);
