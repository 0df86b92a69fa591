// SPDX-License-Identifier: BSD-3-Clause
// STL files (3D Systems, Stereolithography interface specification, 1989). Binary: 80 bytes, the number of triangles, and
// 50 bytes per triangle: normal, three vertices (little-endian floats), attribute. ASCII: words. Normals are not used:
// the order of the vertices defines the outside.
#include "io/mesh/mesh.h"

#include <math.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

enum { HEADER = 84, RECORD = 50, WORD_MAX = 100 };

// ---- binary

static uint32_t unsigned_at(const char* s)
{
    const unsigned char* b = (const unsigned char*)s;
    return (uint32_t)b[0] | (uint32_t)b[1] << 8 | (uint32_t)b[2] << 16 | (uint32_t)b[3] << 24;
}

static double float_at(const char* s)
{
    const uint32_t bits = unsigned_at(s);
    float          value;
    memcpy(&value, &bits, sizeof value);
    return (double)value;
}

static bool add_record(const char* data, size_t at, cd_mesh_builder* b, char* reason)
{
    int index[3];
    for (int i = 0; i < 3; ++i) {
        double p[3];
        for (int k = 0; k < 3; ++k) {
            const size_t offset = at + 12 + 12 * (size_t)i + 4 * (size_t)k;
            p[k]                = float_at(data + offset);
            if (!isfinite(p[k])) return cd_mesh_fail(reason, "has a vertex that is not finite at byte %zu", offset);
        }
        if ((index[i] = cd_mesh_add_vertex(b, p)) < 0) return false;
    }
    return cd_mesh_add_triangle(b, index[0], index[1], index[2]);
}

static bool read_binary(const char* data, size_t length, cd_mesh_builder* b, char* reason)
{
    const size_t count = unsigned_at(data + HEADER - 4);
    if (HEADER + RECORD * count != length)
        return cd_mesh_fail(reason, "has %zu bytes, but its header (byte 80) states %zu triangles, which need %zu",
                            length, count, HEADER + RECORD * count);
    for (size_t i = 0; i < count; ++i)
        if (!add_record(data, HEADER + RECORD * i, b, reason)) return false;
    return true;
}

// ---- ASCII

typedef struct words {
    const char *at, *end;
    int         line;
    char        word[WORD_MAX + 1]; // empty: end of the file
} words;

static bool is_space(char c) { return c == ' ' || (c >= '\t' && c <= '\r'); }

// Read the next word. A longer word is cut: it is no word of the format and no number.
static void next_word(words* w)
{
    size_t n = 0;
    for (; w->at < w->end && is_space(*w->at); ++w->at) w->line += *w->at == '\n';
    for (; w->at < w->end && !is_space(*w->at); ++w->at)
        if (n < WORD_MAX) w->word[n++] = *w->at ? *w->at : '?';
    w->word[n] = '\0';
}

static void skip_line(words* w)
{
    while (w->at < w->end && *w->at != '\n') ++w->at;
}

static bool is_word(const words* w, const char* word) { return strcasecmp(w->word, word) == 0; }

static bool fail_word(const words* w, const char* expected, char* reason)
{
    if (!w->word[0]) return cd_mesh_fail(reason, "ends in line %d, where %s is expected", w->line, expected);
    return cd_mesh_fail(reason, "is not a valid STL file: line %d has '%.60s' instead of %s", w->line, w->word,
                        expected);
}

static bool expect_word(words* w, const char* word, const char* expected, char* reason)
{
    next_word(w);
    return is_word(w, word) || fail_word(w, expected, reason);
}

static bool read_coordinate(words* w, double* value, char* reason)
{
    char* end;
    next_word(w);
    const size_t n = strlen(w->word);
    *value         = strtod(w->word, &end);
    return (n > 0 && n < WORD_MAX && strspn(w->word, "+-.0123456789eE") == n && end == w->word + n &&
            isfinite(*value)) ||
           fail_word(w, "a number", reason);
}

static bool read_loop(words* w, cd_mesh_builder* b, char* reason)
{
    int index[3];
    if (!expect_word(w, "loop", "'outer loop'", reason)) return false;
    for (int i = 0; i < 3; ++i) {
        double p[3];
        if (!expect_word(w, "vertex", "'vertex'", reason)) return false;
        for (int k = 0; k < 3; ++k)
            if (!read_coordinate(w, &p[k], reason)) return false;
        if ((index[i] = cd_mesh_add_vertex(b, p)) < 0) return false;
    }
    return expect_word(w, "endloop", "'endloop'", reason) && expect_word(w, "endfacet", "'endfacet'", reason) &&
           cd_mesh_add_triangle(b, index[0], index[1], index[2]);
}

static bool read_facet(words* w, cd_mesh_builder* b, char* reason)
{
    for (int i = 0; i < 5; ++i) { // "normal" and its numbers, which may be absent or not numbers
        next_word(w);
        if (is_word(w, "outer")) return read_loop(w, b, reason);
    }
    return fail_word(w, "'outer loop'", reason);
}

static bool read_ascii(const char* data, size_t length, cd_mesh_builder* b, char* reason)
{
    words w = {.at = data, .end = data + length, .line = 1};
    for (next_word(&w); w.word[0]; next_word(&w)) {
        if (is_word(&w, "solid") || is_word(&w, "endsolid"))
            skip_line(&w); // the rest is a name
        else if (!is_word(&w, "facet"))
            return fail_word(&w, "'facet' or 'endsolid'", reason);
        else if (!read_facet(&w, b, reason))
            return false;
    }
    return true;
}

bool cd_read_stl(const char* data, size_t length, cd_mesh_builder* b, char reason[CD_MESH_REASON_SIZE])
{
    const bool fits = length >= HEADER && HEADER + RECORD * (size_t)unsigned_at(data + HEADER - 4) == length;
    if (fits) return read_binary(data, length, b, reason); // also if the header begins with "solid"
    const size_t space = strspn(data, " \t\r\n");
    if (strncasecmp(data + space, "solid", 5) == 0) return read_ascii(data, length, b, reason);
    if (length >= HEADER) return read_binary(data, length, b, reason);
    return cd_mesh_fail(reason, "is not an STL file: it neither begins with 'solid' nor has a header of %d bytes",
                        HEADER);
}
