// SPDX-License-Identifier: BSD-3-Clause
// Compression by zlib, at its highest level, without a time stamp.
#include "view/recording/gzip.h"

#include <stdlib.h>
#include <zlib.h>

enum { LEVEL = 9, WINDOW_BITS = 15 + 16, MEMORY_LEVEL = 9 }; // 16: header and trailer of gzip

cardan_status cd_gzip(const unsigned char* bytes, size_t length, unsigned char** packed, size_t* packed_length,
                      cardan_report* report)
{
    z_stream stream = {0};
    *packed         = NULL;
    if (length <= 0x7FFFFFFF &&
        deflateInit2(&stream, LEVEL, Z_DEFLATED, WINDOW_BITS, MEMORY_LEVEL, Z_DEFAULT_STRATEGY) == Z_OK) {
        const size_t bound = deflateBound(&stream, length);
        *packed            = malloc(bound);
        stream.next_in     = (unsigned char*)(size_t)bytes;
        stream.avail_in    = (uInt)length;
        stream.next_out    = *packed;
        stream.avail_out   = (uInt)bound;
        const bool good    = *packed && deflate(&stream, Z_FINISH) == Z_STREAM_END;
        *packed_length     = bound - stream.avail_out;
        deflateEnd(&stream);
        if (good) return CARDAN_OK;
        free(*packed);
        *packed = NULL;
    }
    return cardan_fail(report, CARDAN_NO_MEMORY, CARDAN_CODE_OUT_OF_MEMORY, cardan_location_none(),
                       "out of memory while compressing a recording");
}
