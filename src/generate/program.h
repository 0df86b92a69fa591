// SPDX-License-Identifier: BSD-3-Clause
// Straight-line programs: what some outputs of a graph need, in an order that keeps few values alive, each value that
// is used more than once with a name, and cut into parts where a compiler would choke.
#pragma once

#include "expression/inside.h"

#include <cardan/dynamics.h>

// One line: a value that gets a name, or an output that gets its value.
typedef struct cd_line {
    int at;     // position in the reach
    int output; // or -1
    int part;
    int angle; // or -1: an angle whose sine and cosine are computed with all others
    int pack;  // or -1: all of a pack
    int run;   // outputs from `output` on that stand side by side in a pack, one mostly
} cd_line;

// What becomes of a value.
typedef struct cd_value {
    int  uses;
    int  name; // temporary, -1: written where it is used
    int  slot; // in the memory that parts share, -1: local to its part
    int  part, last_part;
    int  angle;      // sine or cosine of this angle, computed with all others; -1: no
    bool early;      // needs inputs and arithmetic only
    bool first;      // an angle needs it
    int  pack, lane; // of a pack, or -1
    bool inner;      // inside of what computes a pack: never named
} cd_value;

// Values that one loop computes; their places are side by side.
typedef struct cd_pack_of {
    int  count, *at; // positions, -1: nobody wants it
    int  slot, last; // place of the first; the last line that touches it
    int  one, other; // two lanes that are wanted
    bool held;       // values come from anywhere, one line each
    // rows: the first pack of it, the one that must be written before, the first place; in the first pack: places in
    // all, and up to where they are written and read by loops
    int row, before, offset, total, written, read, base;
    int front; // in the first pack: places before it that packs were put at later
    int stale; // in the first pack: places behind the row have numbers of rows before it up to here, which are as good
               // as zeros
    bool many; // in the first pack: it is not alone
    bool padded; // loops go on to a multiple of four places, whatever is there
    bool opens;  // it is written first, and zeros behind the row with it
    bool twins;  // two values that are computed alike from any others (pairs.c)
    int  part, last_part;
    bool local;  // twins that only their part needs
    int  direct; // output that its first place goes to at once, the others behind it; -1: none
} cd_pack_of;

// Two numbers that a loop over twins needs side by side, put there before a line.
typedef struct cd_gather {
    int line, part, at[2], slot;
} cd_gather;

typedef struct cd_program {
    const cd_graph* graph;
    cd_reach        reach;
    cd_value*       value; // (reach.count)
    cd_line*        line;
    int             nline, nname, npart, nslot, noutput, nangle;
    cd_pack_of*     pack;
    int             npack, cpack, nside; // packs, and the numbers their memory has
    cd_gather*      gather;
    int             ngather, cgather;
    int*            nlocal; // (npart) numbers in the memory of a part
    bool            runs, early;
    int*            order;     // (reach.count) positions as they are computed
    int*            place;     // (noutput) of the outputs in the reach
    cardan_tally    tally;     // of the code
    int             equations; // lines that compute
} cd_program;

// Values are inlined up to so many operations; parts have so many lines.
typedef struct cd_cutting {
    int  longest_line, longest_part;
    int  longest_whole; // routines up to so many lines are one part
    bool packs;         // loops where the graph has packs
    bool runs;          // outputs that follow each other in loops
    // what leaves no more values alive is computed as soon as it can be (early.c), and what is read once, but long
    // after, has a name if it stands for several values
    bool early;
    bool angles; // sines and cosines of what is known at once are computed together, ahead of the rest
} cd_cutting;

cardan_status cd_program_make(cd_program* program, const cd_graph* graph, int noutput, const cd_node* output,
                              cd_cutting cutting);
// The order of everything; `loop`: there is none, because packs need each other (order.c).
bool cd_program_arrange(cd_program* program, bool* loop);
// Another order, from one, without packs (early.c).
bool cd_program_early(const cd_program* program, const int* order, int* early);
// Packs of the graph that this program can compute in loops, the order of everything, and their memory (packs.c).
bool cd_packs_find(cd_program* program);
bool cd_packs_place(cd_program* program);
// Twins of the graph as packs of two; angles of twins next to each other; places of those that only one part needs, and
// what is to be gathered for them (pairs.c).
bool cd_pairs_find(cd_program* program);
bool cd_pairs_place(cd_program* program);
// What lanes 0 and 1 of a loop over twins read here. CD_PAIR_INSIDE: operands decide.
typedef enum cd_pair_kind { CD_PAIR_SAME, CD_PAIR_PACK, CD_PAIR_ANGLE, CD_PAIR_INSIDE, CD_PAIR_GATHER } cd_pair_kind;
cd_pair_kind cd_pair_of(const cd_program* program, int one, int other);
void         cd_program_release(cd_program* program);
