// SPDX-License-Identifier: BSD-3-Clause
// Compression in a build without the viewer.
#include "view/recording/gzip.h"

#include "core/parts.h"

cardan_status cd_gzip(const unsigned char* bytes, size_t length, unsigned char** packed, size_t* packed_length,
                      cardan_report* report)
{
    (void)bytes, (void)length, (void)packed_length;
    *packed = NULL;
    return cd_fail_missing_part(report, "viewer", cardan_location_none(), "a recording");
}
