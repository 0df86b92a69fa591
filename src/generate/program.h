// SPDX-License-Identifier: BSD-3-Clause
// Straight-line programs: what some outputs of a graph need, in an order that keeps few values alive, each value that is used more than
// once with a name, and cut into parts where a compiler would choke.
#pragma once

#include "expression/inside.h"

#include <cardan/dynamics.h>

// One line: a value that gets a name, or an output that gets its value.
typedef struct cd_line {
    int at;      // position in the reach
    int output;  // or -1
    int part;
    int angle;   // or -1: an angle whose sine and cosine are computed with all others
} cd_line;

// What becomes of a value.
typedef struct cd_value {
    int  uses;
    int  name;  // temporary, -1: written where it is used
    int  slot;  // in the memory that parts share, -1: local to its part
    int  part, last_part;
    int  angle;  // sine or cosine of this angle, computed with all others; -1: no
    bool early;  // needs inputs and arithmetic only
    bool first;  // an angle needs it
} cd_value;

typedef struct cd_program {
    const cd_graph* graph;
    cd_reach        reach;
    cd_value*       value;  // (reach.count)
    cd_line*        line;
    int             nline, nname, npart, nslot, noutput, nangle;
    int*            place;  // (noutput) of the outputs in the reach
    cardan_tally    tally;  // of the code
    int             equations;  // lines that compute
} cd_program;

// Values are inlined up to so many operations; parts have so many lines.
typedef struct cd_cutting {
    int  longest_line, longest_part;
    bool angles;  // sines and cosines of what is known at once are computed together, ahead of the rest
} cd_cutting;

cardan_status cd_program_make(cd_program* program, const cd_graph* graph, int noutput, const cd_node* output, cd_cutting cutting);
void          cd_program_release(cd_program* program);
