// SPDX-License-Identifier: BSD-3-Clause
// Recording of a motion as one page that opens without a server (docs/view-protocol.md, "Recordings").
#pragma once

#include "core/text.h"
#include "view/mechanism/live_model.h"

typedef struct cd_recording cd_recording;

// Start a recording of the motion of a model, which must outlive it. Samples are passed at any times; those are kept that
// are at least `interval` [s] apart. NULL if there is no memory.
cd_recording* cd_recording_create(const cd_live_model* model, double interval);
void          cd_recording_destroy(cd_recording* recording);
// Add the quantities of the model (cd_live_model_update) at time t. False if there is no memory.
bool cd_recording_add_frame(cd_recording* recording, double t, const double energy[3]);
// Add a mark in time.
void cd_recording_add_event(cd_recording* recording, double t, const char* kind, const char* text);
// Write the page to a file, completely or not at all. Without `force` an existing file and a page of more than 20 MB are
// errors.
cardan_status cd_recording_write(cd_recording* recording, const char* path, bool force, cardan_report* report);

// ---- between the files of the folder

// Samples of all series.
typedef struct cd_recorded_series {
    int     nbody, nframe, ncolumn;
    int     stride;          // numbers of a frame in `value`, at least 7 nbody + ncolumn
    double  start, interval; // [s]
    double* value;           // (nframe)(stride): positions, quaternions, columns
} cd_recorded_series;

// Precision of a recording: lengths of `length` [m], components of quaternions of `rotation`, ranges of columns in
// `levels` parts.
typedef struct cd_recording_precision {
    double length, rotation;
    int    levels;
} cd_recording_precision;

// Precision of 2^-bits of a length [m].
cd_recording_precision cd_recording_precision_of(int bits, double length);
// Encode to the bytes before compression; the caller frees them. Returns false if there is no memory. *fits: no second
// difference is larger than 16 bits.
bool cd_recording_encode(const cd_recorded_series* series, cd_recording_precision precision, unsigned char** bytes,
                         size_t* length, bool* fits);
