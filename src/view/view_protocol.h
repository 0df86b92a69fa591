// SPDX-License-Identifier: BSD-3-Clause
// Messages of the viewer (docs/view-protocol.md) to and from bytes, without input or output.
#pragma once

#include "core/text.h"

#include <cardan/dynamics.h>
#include <cardan/interact.h>
#include <stdint.h>

enum {
    CD_VIEW_NAME_SIZE    = 160,   // bytes of a name in a message, with the terminating zero
    CD_VIEW_COLUMNS_MAX  = 32,    // selected columns
    CD_VIEW_TEXT_MAX     = 65536, // bytes of a text message
    CD_VIEW_BINARY_SIZE  = 32,    // bytes of a grab
    CD_VIEW_SLOTS        = CARDAN_GRABS_MAX,
    CD_VIEW_HEADER_SIZE  = 40, // bytes of a frame before its first block
    CD_VIEW_TOKEN_DIGITS = 32,
};

typedef enum cd_view_message_kind {
    CD_VIEW_TOKEN,
    CD_VIEW_GRAB,
    CD_VIEW_PLAY,
    CD_VIEW_PAUSE,
    CD_VIEW_RESET,
    CD_VIEW_STEP,
    CD_VIEW_SPEED,
    CD_VIEW_SEEK,
    CD_VIEW_REPLAY,
    CD_VIEW_DRIVE,
    CD_VIEW_EFFORT,
    CD_VIEW_MOVE,
    CD_VIEW_SET,
    CD_VIEW_POINT,
    CD_VIEW_COLUMNS,
    CD_VIEW_HISTORY,
    CD_VIEW_FLAGS,
    CD_VIEW_METHOD,
    CD_VIEW_EXACT,
    CD_VIEW_DIAGNOSE,
    CD_VIEW_REPAIR,
    CD_VIEW_REVERT,
    CD_VIEW_MOTION,
    CD_VIEW_MODE,
} cd_view_message_kind;

// How a coordinate is driven, and its effort is given.
typedef enum cd_view_input { CD_VIEW_VALUE, CD_VIEW_RATE, CD_VIEW_FORMULA } cd_view_input;

// A message of the page. Fields that its kind does not use are zero.
typedef struct cd_view_message {
    cd_view_message_kind kind;
    char                 name[CD_VIEW_NAME_SIZE]; // token, parameter, point, integrator, formula
    char                 formulation[CD_VIEW_NAME_SIZE];
    int                  index, axis;         // body, joint, marker, loop, motion or mode; CARDAN_NONE: release, end
    int                  slot;                // of a grab
    cd_view_input        input;               // drive, effort
    uint32_t             number;              // of a grab
    int                  count;               // frames of a step, samples of a history, flags
    bool                 has_value;           // drive, effort: false: null; method: a step is given; replay: its value
    double               value[2];            // speed, time, coordinate, parameter; from and to of a history
    double               point[3], target[3]; // grab; point: position; move: velocity in `target`
    int                  ncolumn;
    char                 column[CD_VIEW_COLUMNS_MAX][CD_VIEW_NAME_SIZE];
} cd_view_message;

// Read a message. Returns false if it is malformed: unknown type, missing key, wrong size, number that is not finite or
// out of range. `message` then has no meaning.
bool cd_view_read_text(const char* text, size_t length, cd_view_message* message);
bool cd_view_read_binary(const unsigned char* bytes, size_t length, cd_view_message* message);

enum { // blocks of a frame
    CD_VIEW_COORDINATES = 1,
    CD_VIEW_REACTIONS   = 2,
    CD_VIEW_VALUES      = 4,
    CD_VIEW_ENERGY      = 8,
    CD_VIEW_GHOST       = 16,
    CD_VIEW_CONTACTS    = 32,
    CD_VIEW_FLAGS_ALL   = 63,
};

// Content of a frame. Arrays of blocks without their flag are not read.
typedef struct cd_view_frame {
    int                    flags, scene;
    uint32_t               number, grab_number;
    double                 grab_force, t, position_violation, velocity_violation, singular_value, rate;
    double                 centre[3]; // of the scene
    int                    nbody, ncoordinate, njoint, ncolumn;
    const cardan_pose*     pose;       // (nbody) body frames in the world
    const double*          coordinate; // (ncoordinate)
    const cardan_reaction* reaction;   // (njoint)
    const double*          column;     // (ncolumn)
    double                 energy[4];  // kinetic, potential, work, absolute error
    const cardan_pose*     ghost;      // (nbody)
} cd_view_frame;

size_t cd_view_frame_size(const cd_view_frame* frame);
// Write cd_view_frame_size bytes.
void cd_view_write_frame(const cd_view_frame* frame, unsigned char* bytes);

// Whether two tokens of CD_VIEW_TOKEN_DIGITS digits are equal; the time does not depend on where they differ.
bool cd_view_token_equals(const char* a, const char* b);
