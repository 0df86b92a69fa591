// SPDX-License-Identifier: BSD-3-Clause
// Wavefront OBJ files: `v x y z` and `f i j k ...` with i, i/t, i//n or i/t/n; negative indices count from the last vertex.
// Polygons are split into triangles. Texture coordinates, normals, groups and materials are not used; a line that ends
// with \ continues in the next one.
#include "io/mesh/mesh.h"

#include "core/memory.h"

#include <limits.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { WORD_MAX = 100 };

typedef struct obj {
    cd_mesh_builder* b;
    char*            reason;
    const char *     at, *end;
    int              line;
    int*             vertex; // (nvertex) welded vertex of each vertex of the file
    int              nvertex, capacity;
    int              corner[CD_POLYGON_MAX];
    double           position[3 * CD_POLYGON_MAX];
    int              triangle[3 * CD_POLYGON_MAX];
    cd_polygon_work  work;
} obj;

// Skip blanks and continued line ends. Returns false at the end of the line or file, and at a comment.
static bool skip_blanks(obj* o)
{
    for (; o->at < o->end; ++o->at) {
        const char* s = o->at;
        if (*s == ' ' || *s == '\t' || *s == '\r' || *s == '\v' || *s == '\f') continue;
        if (*s != '\\') return *s != '\n' && *s != '#';
        if (s + 1 < o->end && s[1] == '\r') ++s;
        if (s + 1 >= o->end || s[1] != '\n') return true;
        o->at = s + 1;
        ++o->line;
    }
    return false;
}

// Copy the next word of the line. Returns its length; 0 at the end of the line, WORD_MAX if it is too long.
static size_t next_word(obj* o, char word[WORD_MAX + 1])
{
    size_t n = 0;
    if (!skip_blanks(o)) return word[0] = '\0', (size_t)0;
    for (; o->at < o->end && !strchr(" \t\r\v\f\n", *o->at); ++o->at) // strchr also finds the byte 0
        if (n < WORD_MAX) word[n++] = *o->at;
    if (n == 0) word[n++] = '?', ++o->at; // a byte 0
    word[n] = '\0';
    return n;
}

static bool read_vertex(obj* o)
{
    char   word[WORD_MAX + 1], *end;
    double p[3];
    for (int i = 0; i < 3; ++i) {
        const size_t n = next_word(o, word);
        p[i]           = n > 0 ? strtod(word, &end) : 0;
        if (n == 0) return cd_mesh_fail(o->reason, "has a vertex with %d coordinates in line %d", i, o->line);
        if (n >= WORD_MAX || strspn(word, "+-.0123456789eE") != n || end != word + n || !isfinite(p[i]))
            return cd_mesh_fail(o->reason, "has '%.60s' in line %d, where a number is expected", word, o->line);
    }
    if (o->nvertex >= CD_MESH_VERTEX_MAX)
        return cd_mesh_fail(o->reason, "has more than %d vertices", CD_MESH_VERTEX_MAX);
    if (!cd_array_grow((void**)&o->vertex, &o->capacity, o->nvertex, sizeof *o->vertex)) return false;
    return (o->vertex[o->nvertex++] = cd_mesh_add_vertex(o->b, p)) >= 0;
}

// Read the vertex of "i", "i/t", "i//n" or "i/t/n".
static bool read_corner(obj* o, const char* word, int* vertex)
{
    char*      end;
    const long i = strtol(word, &end, 10);
    if (end == word || (*end && *end != '/') || strspn(end, "/-0123456789") != strlen(end))
        return cd_mesh_fail(o->reason, "has '%.60s' in line %d, where the number of a vertex is expected", word,
                            o->line);
    const long index = i > 0 ? i - 1 : i < 0 ? i + o->nvertex : -1;
    if (i == LONG_MIN || index < 0 || index >= o->nvertex)
        return cd_mesh_fail(o->reason, "refers to vertex %.40s in line %d, after %d vertices", word, o->line,
                            o->nvertex);
    *vertex = o->vertex[index];
    return true;
}

static bool add_polygon(obj* o, int n)
{
    for (int i = 0; i < n; ++i)
        memcpy(o->position + 3 * i, o->b->mesh.vertex + 3 * (size_t)o->corner[i], 3 * sizeof(double));
    cd_polygon_triangulate(n, o->position, &o->work, o->triangle);
    for (const int* t = o->triangle; t < o->triangle + 3 * (n - 2); t += 3)
        if (!cd_mesh_add_triangle(o->b, o->corner[t[0]], o->corner[t[1]], o->corner[t[2]])) return false;
    return true;
}

static bool read_face(obj* o)
{
    char word[WORD_MAX + 1];
    int  n = 0;
    while (next_word(o, word) > 0) {
        if (n == CD_POLYGON_MAX)
            return cd_mesh_fail(o->reason, "has a polygon of more than %d vertices in line %d", CD_POLYGON_MAX,
                                o->line);
        if (!read_corner(o, word, &o->corner[n++])) return false;
    }
    if (n < 3)
        return cd_mesh_fail(o->reason, "has a face of %d %s in line %d", n, n == 1 ? "vertex" : "vertices", o->line);
    if (o->b->mesh.ntriangle > CD_MESH_TRIANGLE_MAX - n)
        return cd_mesh_fail(o->reason, "has more than %d triangles", CD_MESH_TRIANGLE_MAX);
    return add_polygon(o, n);
}

static bool read_line(obj* o)
{
    char word[WORD_MAX + 1];
    next_word(o, word);
    if (strcmp(word, "v") == 0) return read_vertex(o);
    if (strcmp(word, "f") == 0) return read_face(o);
    return true;
}

bool cd_read_obj(const char* data, size_t length, cd_mesh_builder* b, char reason[CD_MESH_REASON_SIZE])
{
    obj* o = cd_allocate(1, sizeof *o);
    if (!o) return false;
    o->b      = b;
    o->reason = reason;
    o->at     = data;
    o->end    = data + length;
    o->line   = 1;
    bool ok   = true;
    while (ok && o->at < o->end) {
        ok = read_line(o);
        for (; ok && o->at < o->end && *o->at != '\n'; ++o->at)
            ;
        if (o->at < o->end) ++o->at;
        ++o->line;
    }
    free(o->vertex);
    free(o);
    return ok;
}
