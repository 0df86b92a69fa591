// SPDX-License-Identifier: BSD-3-Clause
// From source to code that is loaded, by way of the cache.
#pragma once

#include "core/text.h"
#include "generate/compiled/code_cache.h"
#include "generate/compiled/c_compiler.h"

// Whether what was loaded is what was wanted: finds its functions, tries them.
typedef cardan_status (*cd_build_check)(void* user, void* handle, cardan_report* report);

typedef struct cd_build {
    const cd_c_compiler* compiler;
    const cd_code_cache* cache;
    const char*          library_name; // of the library in it
    int                  nfile;
    const char* const*   file_name; // of the files; the first is compiled
    const char* const*   file_text;
    void*                user;
    cd_build_check       check;
    cd_build_info        info;
    cd_loaded_library    loaded; // result
} cd_build;

// Version, compiler, flags and processor, as the beginning of a key.
void cd_build_append_key(cd_text* text, const cd_c_compiler* compiler, int edition);
// What the cache has, where it is sound and accepted. Others are removed, but for those that cannot be trusted, of
// which the report has a sentence (CD_CACHE_REFUSED).
cd_cache_result cd_build_find(cd_build* build, cardan_report* report);
// Compile, load, and keep what is accepted; a note tells where that cannot be kept.
cardan_status cd_build_compile(cd_build* build, cardan_report* report);
// A function of the library: C does not convert an address into one.
bool cd_build_symbol(void* handle, const char* name, void* function, size_t size);
