// SPDX-License-Identifier: BSD-3-Clause
// Page of a recording: the page of the viewer with the data of the motion in it.
#pragma once

#include "core/text.h"

enum { CD_RECORDING_FIXED_BYTES = 512 }; // of frames, independent of the length of the motion: sizes, checksum

typedef struct cd_recording_parts {
    const char *         scene, *events, *columns; // JSON
    const unsigned char* frames;                   // compressed
    size_t               nframes;                  // bytes
} cd_recording_parts;

void cd_recording_page(const cd_recording_parts* parts, cd_text* page);
