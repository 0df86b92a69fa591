// SPDX-License-Identifier: BSD-3-Clause
// Compression of bytes to the gzip format.
#pragma once

#include <cardan/status.h>
#include <stddef.h>

// Compress `length` bytes; the caller frees *packed.
cardan_status cd_gzip(const unsigned char* bytes, size_t length, unsigned char** packed, size_t* packed_length,
                      cardan_report* report);
