// SPDX-License-Identifier: BSD-3-Clause
// The page of the viewer: one file of web/, built and converted to bytes at build time (CMakeLists.txt).
#pragma once

#include <stddef.h>

extern const unsigned char cd_view_page[];
extern const size_t        cd_view_page_length;
extern const char          cd_view_script_source[]; // hashes of its scripts and styles for Content-Security-Policy
extern const char          cd_view_style_source[];
