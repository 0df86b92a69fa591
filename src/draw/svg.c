// SPDX-License-Identifier: BSD-3-Clause
// SVG elements, palette and text widths.
#include "draw/svg.h"

#include "core/escape.h"

#include <string.h>

cd_colour cd_palette_colour(int i)
{
    static const cd_colour colours[CD_PALETTE_SIZE] = {0x0072B2, 0xD55E00, 0x009E73, 0xB0558F,
                                                       0xE69F00, 0x56B4E9, 0x7A6A58};
    return colours[(unsigned)i % CD_PALETTE_SIZE];
}

cd_colour cd_colour_mix(cd_colour a, cd_colour b, double t)
{
    cd_colour mixed = 0;
    for (int shift = 0; shift <= 16; shift += 8) {
        const double x = a >> shift & 255, y = b >> shift & 255;
        mixed |= (cd_colour)(x + (y - x) * t + 0.5) << shift;
    }
    return mixed;
}

void cd_svg_begin(cd_text* svg, double width, double height, const char* title)
{
    cd_text_format(svg,
                   "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"%.0f\" height=\"%.0f\" viewBox=\"0 0 %.0f %.0f\" "
                   "font-family=\"Helvetica, Arial, 'Liberation Sans', 'DejaVu Sans', sans-serif\">\n",
                   width, height, width, height);
    if (title && *title) {
        cd_text_add(svg, "<title>");
        cd_escape_xml(svg, title);
        cd_text_add(svg, "</title>\n");
    }
    cd_text_format(svg, "<rect width=\"%.0f\" height=\"%.0f\" fill=\"#ffffff\"/>\n", width, height);
}

void cd_svg_end(cd_text* svg) { cd_text_add(svg, "</svg>\n"); }

void cd_svg_text(cd_text* svg, double x, double y, cd_font font, const char* text)
{
    static const char* const anchor[] = {"", " text-anchor=\"middle\"", " text-anchor=\"end\""};
    cd_text_format(svg, "<text x=\"%.1f\" y=\"%.1f\" font-size=\"%.4g\" fill=\"#%06x\"%s%s%s", x, y, font.size,
                   font.colour, anchor[font.anchor], font.bold ? " font-weight=\"bold\"" : "",
                   font.italic ? " font-style=\"italic\"" : "");
    if (font.halo)
        cd_text_add(svg, " stroke=\"#ffffff\" stroke-width=\"3\" stroke-linejoin=\"round\" paint-order=\"stroke\"");
    if (font.rotation != 0) cd_text_format(svg, " transform=\"rotate(%.4g %.1f %.1f)\"", font.rotation, x, y);
    cd_text_add(svg, ">");
    cd_escape_xml(svg, text);
    cd_text_add(svg, "</text>\n");
}

void cd_svg_line(cd_text* svg, double x1, double y1, double x2, double y2, cd_colour colour, double width)
{
    cd_text_format(svg,
                   "<line x1=\"%.2f\" y1=\"%.2f\" x2=\"%.2f\" y2=\"%.2f\" stroke=\"#%06x\" stroke-width=\"%.4g\"/>\n",
                   x1, y1, x2, y2, colour, width);
}

double cd_svg_text_width(const char* text, double size)
{
    double em = 0;
    for (; *text; ++text) {
        const unsigned char c = (unsigned char)*text;
        if ((c & 0xC0) == 0x80) continue;
        if (strchr("iljtfI.,:;'|![]() ", c))
            em += 0.34;
        else if (strchr("mwMW@%", c))
            em += 0.9;
        else
            em += c >= 'A' && c <= 'Z' ? 0.69 : c >= 0x80 ? 0.72 : 0.6;
    }
    return em * size;
}
