// SPDX-License-Identifier: BSD-3-Clause
// Scalable Vector Graphics: the few elements our pictures are made of. Page coordinates are pixels, y downwards.
// No style sheet and no external resource: attributes only, so that every reader of SVG shows the same.
#pragma once

#include "core/text.h"

// A colour as 0xRRGGBB.
typedef unsigned cd_colour;

enum {
    CD_COLOUR_TEXT       = 0x262626, // text, axes
    CD_COLOUR_SECONDARY  = 0x6B6B6B, // secondary text
    CD_COLOUR_GRID       = 0xDADADA, // grid
    CD_COLOUR_BACKGROUND = 0xFFFFFF,
};

// Colours that stay apart for every kind of colour vision (Okabe and Ito 2008, yellow left out); i counts round.
cd_colour cd_palette_colour(int i);
enum { CD_PALETTE_SIZE = 7 };
// From a (t = 0) to b (t = 1).
cd_colour cd_colour_mix(cd_colour a, cd_colour b, double t);

typedef enum cd_anchor { CD_ANCHOR_START, CD_ANCHOR_MIDDLE, CD_ANCHOR_END } cd_anchor;

typedef struct cd_font {
    double    size; // [px]
    cd_anchor anchor;
    cd_colour colour;
    bool      bold, italic;
    bool      halo;     // a white rim, for text over lines
    double    rotation; // [degrees] clockwise about its anchor
} cd_font;

// `title` is what screen readers say.
void cd_svg_begin(cd_text* svg, double width, double height, const char* title);
void cd_svg_end(cd_text* svg);
void cd_svg_text(cd_text* svg, double x, double y, cd_font font, const char* text);
void cd_svg_line(cd_text* svg, double x1, double y1, double x2, double y2, cd_colour colour, double width);
// Width of a text in a usual sans-serif font, on the safe side [px].
double cd_svg_text_width(const char* text, double size);
