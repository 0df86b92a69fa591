// SPDX-License-Identifier: BSD-3-Clause
// Scalable Vector Graphics: the elements used by the pictures. Page coordinates are pixels, y downwards. Only
// attributes, no style sheets and no external resources, so that all SVG viewers show the same picture.
#pragma once

#include "core/text.h"

// Colour 0xRRGGBB.
typedef unsigned cd_colour;

enum {
    CD_COLOUR_TEXT       = 0x262626, // text, axes
    CD_COLOUR_SECONDARY  = 0x6B6B6B, // secondary text
    CD_COLOUR_GRID       = 0xDADADA, // grid lines
    CD_COLOUR_BACKGROUND = 0xFFFFFF,
};

// Palette distinguishable with all kinds of colour vision (Okabe and Ito 2008, without yellow); index modulo its size.
cd_colour cd_palette_colour(int i);
enum { CD_PALETTE_SIZE = 7 };
// Linear interpolation from a (t = 0) to b (t = 1).
cd_colour cd_colour_mix(cd_colour a, cd_colour b, double t);

typedef enum cd_anchor { CD_ANCHOR_START, CD_ANCHOR_MIDDLE, CD_ANCHOR_END } cd_anchor;

typedef struct cd_font {
    double    size; // [px]
    cd_anchor anchor;
    cd_colour colour;
    bool      bold, italic;
    bool      halo;     // white outline, for text over lines
    double    rotation; // [degrees] clockwise about the anchor
} cd_font;

// Begin a document; `title` is the text for screen readers.
void cd_svg_begin(cd_text* svg, double width, double height, const char* title);
void cd_svg_end(cd_text* svg);
void cd_svg_text(cd_text* svg, double x, double y, cd_font font, const char* text);
void cd_svg_line(cd_text* svg, double x1, double y1, double x2, double y2, cd_colour colour, double width);
// Upper estimate of the width of a text in a common sans-serif font [px].
double cd_svg_text_width(const char* text, double size);
