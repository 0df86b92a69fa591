// SPDX-License-Identifier: BSD-3-Clause
// Fuzz target: messages of the page of the viewer. The first byte decides between text and binary.
#include "fuzz.h"

#include "view/view_protocol.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size)
{
    cd_view_message message;
    if (size == 0) return 0;
    char* copy = malloc(size);
    if (!copy) return 0;
    memcpy(copy, data + 1, size - 1);
    copy[size - 1]  = 0;
    const bool good = data[0] == 't' ? cd_view_read_text(copy, size - 1, &message)
                                     : cd_view_read_binary((const unsigned char*)copy, size - 1, &message);
    for (int i = 0; good && i < 3; ++i)
        if (!isfinite(message.point[i]) || !isfinite(message.target[i])) __builtin_trap();
    if (good && (!isfinite(message.value[0]) || !isfinite(message.value[1]) || message.ncolumn > CD_VIEW_COLUMNS_MAX))
        __builtin_trap();
    free(copy);
    return 0;
}
